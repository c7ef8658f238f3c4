/* view_conversation.c: the question line and the answer. May use: view.h, edit.h, textview.h, draw.h. */
#include <stdlib.h>

#include "ui/draw.h"
#include "ui/edit.h"
#include "ui/textview.h"
#include "ui/view.h"

#define QUESTION_ROWS 5 /* of the question line at most */

typedef struct {
    edit question;
    textview answer;
    bool reading; /* the keys are for the answer, not for the question line */
} conversation;

static void *create(int64_t number) {
    (void)number;
    return calloc(1, sizeof(conversation));
}

static void free_view(void *self) {
    conversation *view = self;
    edit_free(&view->question);
    textview_free(&view->answer);
    free(view);
}

static void update(void *self, const ui_model *model, unsigned changed) {
    conversation *view = self;
    if (!(changed & CHANGED_TURNS))
        return;
    if (model->turn >= model->n_turns) {
        textview_set(&view->answer, NULL, 0);
        return;
    }
    const model_turn *turn = &model->turns[model->turn];
    const drt_string *shown = turn->error.data && !turn->trace ? &turn->error : &turn->text;
    textview_grow(&view->answer, shown->data, shown->length);
}

static const char *state_of(answer_state state) {
    static const char *const words[] = {NULL, "loading the model", "looking for passages", "writing"};
    return words[state];
}

static void draw(void *self, const ui_model *model, cells *out, rect area, bool focused) {
    conversation *view = self;
    rect inner = draw_pane(out, area, "conversation", focused);
    int rows = edit_rows(&view->question, inner.columns - 2, out->ascii);
    rows = rows < QUESTION_ROWS ? rows : QUESTION_ROWS;
    rows = rows < inner.rows - 2 ? rows : inner.rows - 2;
    draw_divider(out, area, area.rows - 2 - rows, state_of(model->answering), focused);
    rect line = rect_bottom(inner, rows);
    cells_glyph(out, line, 0, 0, ROLE_ACCENT, GLYPH_SELECTED);
    edit_draw(&view->question, out, rect_after(line, 2), focused && !view->reading, ROLE_INPUT);
    rect upper = rect_inset(rect_above(inner, rows + 1), 0, 1);
    if (model->turn < model->n_turns) {
        const drt_string *question = &model->turns[model->turn].question;
        cells_put_cut(out, upper, 0, 0, upper.columns, CUT_END, ROLE_STRONG, question->data, question->length);
        textview_draw(&view->answer, out, rect_below(upper, 2));
    } else {
        cells_text(out, upper, 0, 0, ROLE_DIM, "Type a question below.");
    }
}

static bool typing(const void *self) {
    return !((const conversation *)self)->reading;
}

static bool command(void *self, const ui_model *model, ui_command what, const ui_actions *actions) {
    conversation *view = self;
    if (what == COMMAND_ASK || (what == COMMAND_OPEN && view->reading)) {
        view->reading = false;
        return true;
    }
    if (what == COMMAND_CANCEL && !view->reading) {
        view->reading = true;
        return true;
    }
    if (what == COMMAND_EDIT_SUBMIT) {
        if (model->answering != ANSWER_IDLE)
            emit_notice(actions, NOTICE_WARNING, "One answer at a time: Ctrl-C stops this one.");
        else if (view->question.length > 0) {
            emit_text(actions, ACTION_ASK, view->question.text, view->question.length);
            edit_accept(&view->question);
        }
        return true;
    }
    return view->reading ? textview_command(&view->answer, what) : edit_command(&view->question, what);
}

static void key(void *self, const ui_model *model, ui_key typed, const ui_actions *actions) {
    conversation *view = self;
    if (view->question.length == 0 && !model->device.data)
        emit(actions, ACTION_PREPARE, 0);
    edit_key(&view->question, typed);
}

static void paste(void *self, const ui_model *model, const char *text, size_t length, const ui_actions *actions) {
    (void)model;
    if (!edit_insert(&((conversation *)self)->question, text, length))
        emit_notice(actions, NOTICE_ERROR, "The pasted text is too long.");
}

static bool mouse(void *self, const ui_model *model, const ui_event *event, rect area, const ui_actions *actions) {
    (void)model;
    (void)actions;
    return textview_mouse(&((conversation *)self)->answer, event, area);
}

const view_ops view_conversation = {
    .title = "conversation",
    .scope = SCOPE_CONVERSATION,
    .moving = true,
    .create = create,
    .free = free_view,
    .update = update,
    .draw = draw,
    .typing = typing,
    .command = command,
    .key = key,
    .paste = paste,
    .mouse = mouse,
};
