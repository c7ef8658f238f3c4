/* view.h: what a view is: a struct of operations over its own state. A view reads the model and draws into cells;
 * what it wants done it says as actions. So it runs without a terminal, an engine or threads, and tests drive it by
 * commands and read its cells. May use: model.h, cells.h, keys.h, events.h. */
#ifndef DRT_UI_VIEW_H
#define DRT_UI_VIEW_H

#include "ui/cells.h"
#include "ui/events.h"
#include "ui/model.h"

typedef enum { PANE_DOCUMENTS, PANE_CONVERSATION, PANE_RETRIEVAL, PANE_PASSAGE, PANE_COUNT } pane_id;

/* Views that lie over the panes. `number` is what ACTION_OVERLAY gives them. */
typedef enum {
    OVERLAY_HELP,
    OVERLAY_PALETTE,
    OVERLAY_SESSIONS,
    OVERLAY_INGEST,        /* asks for a path, with completion */
    OVERLAY_INGEST_REPORT, /* stage, rates, failures */
    OVERLAY_EXPORT_TEXT,   /* asks for a file name */
    OVERLAY_EXPORT_JSON,
    OVERLAY_REMOVE,   /* asks whether; number: the document's id, 0: all marked */
    OVERLAY_DOCUMENT, /* model->document as a text; number: its id */
    OVERLAY_COMPARE,  /* chooses the session to compare with */
    OVERLAY_COUNT
} overlay_id;

typedef enum {
    ACTION_QUIT,
    ACTION_COMMAND,         /* number: a ui_command, as if its key had been pressed (palette) */
    ACTION_FOCUS,           /* number: pane_id */
    ACTION_OVERLAY,         /* number: argument, overlay: which */
    ACTION_CLOSE,           /* closes the overlay that says it */
    ACTION_ASK,             /* text: the question */
    ACTION_RETRIEVER,       /* number: drt_retriever of the questions to come */
    ACTION_MAX_TOKENS,      /* number: of answers to come */
    ACTION_DOCUMENT_FILTER, /* text: pattern of the documents that are asked from now on; empty: all */
    ACTION_PREPARE,         /* a question is about to come: load the model */
    ACTION_PLACE,           /* place: look at this part of the trace (its hit becomes the passage) */
    ACTION_TURN,            /* number: index of the turn to look at */
    ACTION_OPEN_DOCUMENT,   /* number: document id; into model->document, then OVERLAY_DOCUMENT */
    ACTION_OPEN_CHUNK,      /* number: chunk id, into model->passage */
    ACTION_LOAD_SESSION,    /* number: session id; becomes a turn */
    ACTION_DELETE_SESSION,  /* number: session id */
    ACTION_COMPARE,         /* number: session id; into model->compared */
    ACTION_INGEST,          /* text: the path */
    ACTION_COMPLETE,        /* text: the path as typed so far; into model->completion */
    ACTION_MARK,            /* number: document id */
    ACTION_UNMARK,          /* number: document id, 0: all */
    ACTION_REMOVE,          /* number: document id */
    ACTION_EXPORT_TEXT,     /* text: file name; number: 1 replaces a file of this name */
    ACTION_EXPORT_JSON,
    ACTION_NOTICE /* text: for the last line; number: notice_kind */
} action_kind;

typedef struct {
    action_kind kind;
    int64_t number;
    overlay_id overlay;
    trace_place place;
    const char *text; /* valid during the call */
    size_t length;
} ui_action;

/* Where a view's actions go. */
typedef struct {
    void (*take)(void *user, const ui_action *action);
    void *user;
} ui_actions;

void emit(const ui_actions *actions, action_kind kind, int64_t number);
void emit_text(const ui_actions *actions, action_kind kind, const char *text, size_t length);
void emit_overlay(const ui_actions *actions, overlay_id overlay, int64_t number);
void emit_place(const ui_actions *actions, trace_place place);
__attribute__((format(printf, 3, 4))) void emit_notice(const ui_actions *actions, notice_kind kind, const char *format,
                                                       ...);

/* All may be called at any size and with any model; `self` is what create returned. NULL operations do nothing. */
typedef struct {
    const char *title;
    key_scope scope; /* section of the key table */
    bool moving;     /* SCOPE_MOVE's keys are for it too */
    /* number: of ACTION_OVERLAY, 0 for panes. NULL: out of memory. */
    void *(*create)(int64_t number);
    void (*free)(void *self);
    /* The model changed: CHANGED_* bits. Called once with CHANGED_ALL before the first draw. */
    void (*update)(void *self, const ui_model *model, unsigned changed);
    /* Draws into the area: a pane with its border (draw_pane), an overlay its own box. */
    void (*draw)(void *self, const ui_model *model, cells *out, rect area, bool focused);
    /* Has a line of it the cursor? Then keys that are text go to `key`, editing keys to `command`. */
    bool (*typing)(const void *self);
    /* false: not for this view; the loop then does what the command means everywhere. */
    bool (*command)(void *self, const ui_model *model, ui_command command, const ui_actions *actions);
    void (*key)(void *self, const ui_model *model, ui_key key, const ui_actions *actions);
    void (*paste)(void *self, const ui_model *model, const char *text, size_t length, const ui_actions *actions);
    /* area: as drawn last; true: taken. */
    bool (*mouse)(void *self, const ui_model *model, const ui_event *event, rect area, const ui_actions *actions);
} view_ops;

/* The views, one file each. */
extern const view_ops view_documents, view_conversation, view_retrieval, view_passage;
extern const view_ops overlay_help, overlay_palette, overlay_sessions, overlay_export_text, overlay_export_json;
extern const view_ops overlay_compare;
extern const view_ops overlay_document, overlay_ingest, overlay_ingest_report, overlay_remove;

/* The operations of a pane or overlay; NULL: this overlay is not there. */
const view_ops *view_of_pane(pane_id pane);
const view_ops *view_of_overlay(overlay_id overlay);

#endif
