/* view_conversation.c: the question line, the answers with their evidence marks, the token looked at.
 * May use: view.h, edit.h, textview.h, transcript.h, draw.h. */
#include <stdlib.h>
#include <string.h>

#include "ui/draw.h"
#include "ui/edit.h"
#include "ui/textview.h"
#include "ui/transcript.h"
#include "ui/view.h"

#define QUESTION_ROWS 5 /* of the question line at most */

typedef enum {
    LINE_QUESTION,
    LINE_DOCUMENTS, /* the line takes the pattern of documents to ask */
    LINE_NONE       /* the keys are for the answer */
} line_use;

typedef struct {
    edit question, pattern;
    line_use use;
    transcript shown;
    textview answers;
    size_t turn;    /* shown last */
    int mark;       /* selected; -1: none */
    bool following; /* the end stays in sight */
} conversation;

static void *create(int64_t number) {
    (void)number;
    conversation *view = calloc(1, sizeof *view);
    if (!view)
        return NULL;
    view->pattern.one_line = true;
    view->mark = -1;
    view->turn = SIZE_MAX;
    return view;
}

static void free_view(void *self) {
    conversation *view = self;
    edit_free(&view->question);
    edit_free(&view->pattern);
    transcript_free(&view->shown);
    textview_free(&view->answers);
    free(view);
}

/* ---------------------------------------------------------------------------------- update ---- */

/* The whole trace of the turn looked at; NULL while it is being made. */
static const drt_answer *whole_trace(const ui_model *model) {
    return model->turn < model->n_turns ? model->turns[model->turn].trace : NULL;
}

static void mark_looks(conversation *view, const ui_model *model) {
    const transcript *shown = &view->shown;
    size_t start, end;
    textview_clear_marks(&view->answers);
    for (size_t i = 0; i < shown->n_spans; i++)
        textview_mark(&view->answers, shown->spans[i].start, shown->spans[i].end, shown->spans[i].look);
    if (view->use != LINE_NONE)
        return;
    if (transcript_token(shown, whole_trace(model), model->place.token, &start, &end))
        textview_mark(&view->answers, start, end, ROLE_SELECTION);
    for (int i = 0; i < (int)shown->n_marks; i++) {
        if (i != view->mark)
            continue;
        size_t mark = shown->mark_at[i] != SIZE_MAX ? shown->mark_at[i] : shown->list_at[i];
        textview_mark(&view->answers, mark, mark + 3, ROLE_SELECTION);
        textview_mark(&view->answers, shown->list_at[i], shown->list_at[i] + 3, ROLE_SELECTION);
    }
}

static void update(void *self, const ui_model *model, unsigned changed) {
    conversation *view = self;
    if (changed & CHANGED_TURNS) {
        transcript_make(&view->shown, model);
        textview_grow(&view->answers, view->shown.text.data, view->shown.text.length);
        if (model->n_turns > 0 && model->turn != view->turn) {
            view->turn = model->turn;
            view->mark = -1;
            view->following = model->turn + 1 == model->n_turns;
            textview_show(&view->answers, view->shown.question);
        }
        if (view->following && view->shown.text.length > 0)
            textview_show(&view->answers, view->shown.text.length - 1);
    }
    if (changed & (CHANGED_TURNS | CHANGED_PLACE))
        mark_looks(view, model);
}

/* ------------------------------------------------------------------------------------ draw ---- */

/* What is going on, or else how the next question will be asked. */
static void state_of(const ui_model *model, bool ascii, char *out, size_t size) {
    static const char *const words[] = {NULL, "loading the model", "looking for passages", "writing"};
    const char *dot = glyph_text(GLYPH_DOT, ascii);
    if (model->answering != ANSWER_IDLE)
        snprintf(out, size, "%s %s Ctrl-C stops", words[model->answering], dot);
    else
        snprintf(out, size, "%s %s %d tokens %s %s", drt_retriever_name(model->asking.retriever), dot,
                 model->asking.max_tokens, dot, model->asking.documents.data ? model->asking.documents.data : "all");
}

static void draw_line(conversation *view, cells *out, rect line, bool focused) {
    bool pattern = view->use == LINE_DOCUMENTS;
    int label = pattern ? cells_text(out, line, 0, 0, ROLE_ACCENT, "documents ")
                        : cells_glyph(out, line, 0, 0, ROLE_ACCENT, GLYPH_SELECTED) + 1;
    edit_draw(pattern ? &view->pattern : &view->question, out, rect_after(line, label),
              focused && view->use != LINE_NONE, ROLE_INPUT);
}

static void draw_start(const ui_model *model, cells *out, rect area) {
    if (model->open && model->facts.chunks == model->facts.dead_chunks) {
        cells_text(out, area, 0, 0, ROLE_TEXT, "The library is empty.");
        cells_text(out, area, 1, 0, ROLE_DIM, "Esc, then i reads files into it.");
        return;
    }
    cells_text(out, area, 0, 0, ROLE_TEXT, "Type a question below.");
    cells_text(out, area, 1, 0, ROLE_DIM, "Answers show which passages they rest on.");
}

static void draw(void *self, const ui_model *model, cells *out, rect area, bool focused) {
    conversation *view = self;
    char state[256];
    rect inner = draw_pane(out, area, "conversation", focused);
    edit *line = view->use == LINE_DOCUMENTS ? &view->pattern : &view->question;
    int rows = edit_rows(line, inner.columns - (view->use == LINE_DOCUMENTS ? 10 : 2), out->ascii);
    rows = rows < QUESTION_ROWS ? rows : QUESTION_ROWS;
    rows = rows < inner.rows - 2 ? rows : inner.rows - 2;
    rows = rows > 0 ? rows : 1;
    state_of(model, out->ascii, state, sizeof state);
    draw_divider(out, area, area.rows - 2 - rows, state, focused);
    draw_line(view, out, rect_bottom(inner, rows), focused);
    rect upper = rect_inset(rect_above(inner, rows + 1), 0, 1);
    if (model->n_turns > 0)
        textview_draw(&view->answers, out, upper);
    else
        draw_start(model, out, upper);
}

/* -------------------------------------------------------------------------------- commands ---- */

static bool typing(const void *self) {
    return ((const conversation *)self)->use != LINE_NONE;
}

static void use_line(conversation *view, const ui_model *model, line_use use) {
    view->use = use;
    mark_looks(view, model);
}

static void submit(conversation *view, const ui_model *model, const ui_actions *actions) {
    if (view->use == LINE_DOCUMENTS) {
        emit_text(actions, ACTION_DOCUMENT_FILTER, view->pattern.text ? view->pattern.text : "", view->pattern.length);
        use_line(view, model, LINE_QUESTION);
    } else if (model->answering != ANSWER_IDLE) {
        emit_notice(actions, NOTICE_WARNING, "One answer at a time: Ctrl-C stops this one.");
    } else if (view->question.length > 0) {
        emit_text(actions, ACTION_ASK, view->question.text, view->question.length);
        edit_accept(&view->question);
    }
}

/* The token's own step, so that the passage shows what it could see. */
static void go_to_token(conversation *view, const ui_model *model, long token, const ui_actions *actions) {
    const drt_answer *trace = whole_trace(model);
    if (!trace || token < 0 || (size_t)token >= trace->n_tokens)
        return;
    trace_place place = model->place;
    place.token = (size_t)token;
    place.step = trace->token_steps[token];
    emit_place(actions, place);
    size_t start, end;
    view->following = false;
    if (transcript_token(&view->shown, trace, place.token, &start, &end))
        textview_show(&view->answers, start);
}

static void go_to_mark(conversation *view, const ui_model *model, int mark, const ui_actions *actions) {
    int n = (int)view->shown.n_marks;
    if (n == 0) {
        emit_notice(actions, NOTICE_INFO, "There is no evidence here.");
        return;
    }
    view->mark = (mark + n) % n;
    view->following = false;
    emit_place(actions, view->shown.marks[view->mark].place);
    size_t at = view->shown.mark_at[view->mark];
    textview_show(&view->answers, at != SIZE_MAX ? at : view->shown.list_at[view->mark]);
    mark_looks(view, model);
}

static void next_retriever(const ui_model *model, const ui_actions *actions) {
    drt_retriever next =
        model->asking.retriever == DRT_RETRIEVER_RANDOM ? DRT_RETRIEVER_LEARNED : model->asking.retriever + 1;
    emit(actions, ACTION_RETRIEVER, next);
}

static void next_limit(const ui_model *model, const ui_actions *actions) {
    emit(actions, ACTION_MAX_TOKENS, model->asking.max_tokens >= 1024 ? 32 : model->asking.max_tokens * 2);
}

static bool reading_command(conversation *view, const ui_model *model, ui_command what, const ui_actions *actions) {
    long token = (long)model->place.token;
    switch (what) {
    case COMMAND_LEFT:
    case COMMAND_PREVIOUS_TOKEN:
        go_to_token(view, model, token - 1, actions);
        return true;
    case COMMAND_RIGHT:
    case COMMAND_NEXT_TOKEN:
        go_to_token(view, model, token + 1, actions);
        return true;
    case COMMAND_NEXT_MARK:
        go_to_mark(view, model, view->mark + 1, actions);
        return true;
    case COMMAND_PREVIOUS_MARK:
        go_to_mark(view, model, view->mark < 0 ? -1 : view->mark - 1, actions);
        return true;
    case COMMAND_OPEN:
        if (view->mark >= 0)
            emit(actions, ACTION_FOCUS, PANE_PASSAGE);
        else
            use_line(view, model, LINE_QUESTION);
        return true;
    case COMMAND_NEXT_TURN:
        if (model->turn + 1 < model->n_turns)
            emit(actions, ACTION_TURN, (int64_t)model->turn + 1);
        return true;
    case COMMAND_PREVIOUS_TURN:
        if (model->turn > 0)
            emit(actions, ACTION_TURN, (int64_t)model->turn - 1);
        return true;
    case COMMAND_RETRIEVER:
        next_retriever(model, actions);
        return true;
    case COMMAND_MAX_TOKENS:
        next_limit(model, actions);
        return true;
    case COMMAND_ASK_DOCUMENTS:
        edit_set(&view->pattern, model->asking.documents.data ? model->asking.documents.data : "",
                 model->asking.documents.length);
        use_line(view, model, LINE_DOCUMENTS);
        return true;
    default:
        if (!textview_command(&view->answers, what))
            return false;
        view->following = what == COMMAND_LAST;
        return true;
    }
}

static bool command(void *self, const ui_model *model, ui_command what, const ui_actions *actions) {
    conversation *view = self;
    if (what == COMMAND_ASK) {
        use_line(view, model, LINE_QUESTION);
        return true;
    }
    if (view->use == LINE_NONE)
        return reading_command(view, model, what, actions);
    if (what == COMMAND_CANCEL) {
        use_line(view, model, view->use == LINE_DOCUMENTS ? LINE_QUESTION : LINE_NONE);
        return true;
    }
    if (what == COMMAND_EDIT_SUBMIT) {
        submit(view, model, actions);
        return true;
    }
    return edit_command(view->use == LINE_DOCUMENTS ? &view->pattern : &view->question, what) ||
           reading_command(view, model, what, actions); /* from the palette */
}

static edit *line_of(conversation *view) {
    return view->use == LINE_DOCUMENTS ? &view->pattern : &view->question;
}

static void key(void *self, const ui_model *model, ui_key typed, const ui_actions *actions) {
    conversation *view = self;
    if (view->question.length == 0 && !model->device.data)
        emit(actions, ACTION_PREPARE, 0);
    edit_key(line_of(view), typed);
}

static void paste(void *self, const ui_model *model, const char *text, size_t length, const ui_actions *actions) {
    (void)model;
    if (!edit_insert(line_of(self), text, length))
        emit_notice(actions, NOTICE_ERROR, "The pasted text is too long.");
}

static size_t token_at(const conversation *view, const drt_answer *trace, size_t at) {
    size_t start, end;
    for (size_t i = 0; trace && i < trace->n_tokens; i++)
        if (transcript_token(&view->shown, trace, i, &start, &end) && at >= start && at < end)
            return i;
    return SIZE_MAX;
}

static bool mouse(void *self, const ui_model *model, const ui_event *event, rect area, const ui_actions *actions) {
    conversation *view = self;
    rect inner = rect_inset(area, 1, 1);
    int rows = edit_rows(line_of(view), inner.columns - 2, view->answers.ascii);
    rows = rows < QUESTION_ROWS ? rows : QUESTION_ROWS;
    rect upper = rect_inset(rect_above(inner, rows + 1), 0, 1);
    size_t at;
    if (textview_mouse(&view->answers, event, area)) {
        view->following = false;
        return true;
    }
    if (event->mouse != MOUSE_PRESS)
        return false;
    if (event->row >= upper.row + upper.rows) {
        use_line(view, model, LINE_QUESTION);
        return true;
    }
    use_line(view, model, LINE_NONE);
    if (!textview_at(&view->answers, upper, event->row, event->column, &at))
        return true;
    int mark = transcript_mark_at(&view->shown, at);
    size_t token = token_at(view, whole_trace(model), at);
    if (mark >= 0)
        go_to_mark(view, model, mark, actions);
    else if (token != SIZE_MAX)
        go_to_token(view, model, (long)token, actions);
    return true;
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
