/* session_list.h: the stored questions of a library, newest first, with a line that searches them: what one is chosen
 * from to be shown again, deleted or compared. May use: list.h, edit.h, fold.h, draw.h, model.h. */
#ifndef DRT_UI_SESSION_LIST_H
#define DRT_UI_SESSION_LIST_H

#include "ui/edit.h"
#include "ui/list.h"
#include "ui/view.h"

typedef struct {
    edit filter;
    bool filtering;   /* the keys type into the filter */
    int64_t left_out; /* a session that is not listed; 0: all are */
    size_t *shown;    /* (n_shown) indices into model->sessions */
    size_t n_shown;
    list lines;
    rect area;             /* of the lines, last draw */
    const ui_model *model; /* during draw */
} session_list;

/* {0} is an empty list. */
void session_list_free(session_list *sessions);
/* Lists those that the filter lets through; after a change of the model's sessions and of left_out. */
void session_list_fill(session_list *sessions, const ui_model *model);
/* NULL: none is listed. */
const drt_session_summary *session_list_selected(const session_list *sessions, const ui_model *model);

/* The filter on the first row, the sessions below. */
void session_list_draw(session_list *sessions, const ui_model *model, cells *out, rect area, bool focused);

void session_list_key(session_list *sessions, const ui_model *model, ui_key typed);
void session_list_paste(session_list *sessions, const ui_model *model, const char *text, size_t length);
/* Moves and filters; CANCEL ends the typing first, then clears the filter. false: not a command of the list, nor are
 * OPEN and EDIT_SUBMIT, which choose the selected session. */
bool session_list_command(session_list *sessions, const ui_model *model, ui_command what);
bool session_list_mouse(session_list *sessions, const ui_event *event);

#endif
