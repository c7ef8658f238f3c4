/* front_draw.c: the whole screen: first line, panes, overlays, last line. See front.h. */
#include <string.h>

#include "ui/draw.h"
#include "ui/front.h"

static void draw_too_small(cells *out) {
    rect area = cells_area(out);
    char text[64];
    snprintf(text, sizeof text, "too small: %dx%d", out->columns, out->rows);
    cells_put_cut(out, area, area.rows / 2, 0, area.columns, CUT_END, ROLE_WARNING, text, strlen(text));
    if (area.rows > 1) {
        snprintf(text, sizeof text, "needed: %dx%d", LAYOUT_MIN_COLUMNS, LAYOUT_MIN_ROWS);
        cells_put_cut(out, area, area.rows / 2 + 1, 0, area.columns, CUT_END, ROLE_DIM, text, strlen(text));
    }
}

/* ------------------------------------------------------------------------------- first line ---- */

static void facts_of(const ui_model *model, bool ascii, char *out, size_t size) {
    char documents[32], chunks[32];
    const char *dot = glyph_text(GLYPH_DOT, ascii);
    if (!model->open) {
        snprintf(out, size, "%s", model->library_error.data ? "no library yet" : "opening the library");
        return;
    }
    format_count(model->facts.documents, documents);
    format_count(model->facts.chunks - model->facts.dead_chunks, chunks);
    snprintf(out, size, "%s document%s %s %s chunks", documents, model->facts.documents == 1 ? "" : "s", dot, chunks);
}

static void draw_title(const ui_model *model, cells *out, rect line) {
    char facts[128];
    facts_of(model, out->ascii, facts, sizeof facts);
    int right = (int)cluster_columns(facts, strlen(facts), out->ascii) + 2;
    int column = cells_text(out, line, 0, 1, ROLE_TITLE_FOCUS, "drt") + 3;
    cells_put_cut(out, line, 0, column, line.columns - right - column - 1, CUT_START, ROLE_STRONG, model->path.data,
                  model->path.length);
    cells_text(out, line, 0, line.columns - right + 1, ROLE_BAR, facts);
}

/* -------------------------------------------------------------------------------- last line ---- */

/* What is worth a hint in each pane, the most useful first. */
static const ui_command hints[PANE_COUNT][8] = {
    [PANE_DOCUMENTS] = {COMMAND_HELP, COMMAND_ASK, COMMAND_INGEST, COMMAND_FILTER, COMMAND_OPEN, COMMAND_REMOVE,
                        COMMAND_NEXT_PANE, COMMAND_QUIT},
    [PANE_CONVERSATION] = {COMMAND_HELP, COMMAND_ASK, COMMAND_NEXT_MARK, COMMAND_SESSIONS, COMMAND_EXPORT_TEXT,
                           COMMAND_NEXT_PANE, COMMAND_QUIT},
    [PANE_RETRIEVAL] = {COMMAND_HELP, COMMAND_NEXT_GROUP, COMMAND_NEXT_STEP, COMMAND_SCORES, COMMAND_HOPS,
                        COMMAND_COMPARE, COMMAND_NEXT_PANE},
    [PANE_PASSAGE] = {COMMAND_HELP, COMMAND_NEXT_TOKEN, COMMAND_NEXT_HIT, COMMAND_MORE_CONTEXT, COMMAND_ZOOM,
                      COMMAND_NEXT_PANE},
};
static const ui_command typing_hints[8] = {COMMAND_EDIT_SUBMIT, COMMAND_CANCEL, COMMAND_NEXT_PANE, COMMAND_EDIT_OLDER};
static const ui_command overlay_typing_hints[8] = {COMMAND_EDIT_SUBMIT, COMMAND_CANCEL};
static const ui_command path_hints[8] = {COMMAND_EDIT_SUBMIT, COMMAND_EDIT_COMPLETE, COMMAND_CANCEL};
static const ui_command overlay_hints[8] = {COMMAND_CANCEL, COMMAND_FILTER, COMMAND_OPEN};
static const ui_command box_hints[8] = {COMMAND_CANCEL, COMMAND_HELP}; /* of a box that names its other keys */
static const ui_command document_hints[8] = {COMMAND_CANCEL,     COMMAND_FILTER,         COMMAND_FIND_NEXT,
                                             COMMAND_NEXT_CHUNK, COMMAND_PREVIOUS_CHUNK, COMMAND_GO_BYTES,
                                             COMMAND_HELP};

static const ui_command *overlay_hints_of(overlay_id id) {
    switch (id) {
    case OVERLAY_DOCUMENT:
        return document_hints;
    case OVERLAY_REMOVE:
    case OVERLAY_INGEST_REPORT:
        return box_hints;
    default:
        return overlay_hints;
    }
}

/* top: the overlay on top; NULL: none. */
static const ui_command *hints_of(const front *state, const front_view *top, bool typing) {
    if (!top)
        return typing ? typing_hints : hints[state->focus];
    if (typing)
        return top->ops->scope == SCOPE_PATH ? path_hints : overlay_typing_hints;
    return overlay_hints_of(top->id);
}

static void draw_hints(cells *out, rect line, key_scope scope, bool typing, const ui_command *commands) {
    int column = 1;
    for (int i = 0; i < 8 && commands[i]; i++) {
        ui_key key = key_of(typing ? SCOPE_EDIT : scope, commands[i]);
        if (typing && commands[i] == COMMAND_HELP)
            key = UI_KEY_F1;
        char label[32];
        key_label(key, label);
        const char *name = key_find(commands[i])->name;
        int needed = (int)strlen(label) + 1 + (int)strlen(name);
        if (column + needed > line.columns)
            return;
        column += cells_text(out, line, 0, column, ROLE_BAR_KEY, label) + 1;
        column += cells_text(out, line, 0, column, ROLE_BAR, name) + 2;
    }
}

static void draw_ingest(const model_ingest *ingest, cells *out, rect line) {
    char rate[32], left[64] = "";
    float share = ingest->bytes_total > 0 ? (float)((double)ingest->bytes_done / (double)ingest->bytes_total) : 0;
    int column = 1 + cells_text(out, line, 0, 1, ROLE_STRONG, "ingest ");
    draw_bar(out, line, 0, column, 12, share, ROLE_ACCENT);
    column += 13;
    if (ingest->bytes_total > 0 && ingest->bytes_per_second > 0) {
        char seconds[32];
        format_seconds((double)(ingest->bytes_total - ingest->bytes_done) / ingest->bytes_per_second, seconds);
        snprintf(left, sizeof left, ", %s left", seconds);
    }
    format_count((int64_t)(ingest->tokens_per_second + 0.5), rate);
    column += cells_printf(out, line, 0, column, ROLE_TEXT, "%3.0f %%  %lld done, %lld failed, %s tokens/s%s  ",
                           (double)share * 100, (long long)ingest->members_done, (long long)ingest->members_failed,
                           rate, left);
    cells_put_cut(out, line, 0, column, line.columns - column - 1, CUT_START, ROLE_DIM, ingest->current.data,
                  ingest->current.length);
}

static attribute look_of_notice(notice_kind kind) {
    return kind == NOTICE_ERROR ? ROLE_ERROR : kind == NOTICE_WARNING ? ROLE_WARNING : ROLE_TEXT;
}

static void draw_status(const front *state, cells *out, rect line) {
    const ui_model *model = &state->model;
    const front_view *top = state->n_overlays > 0 ? &state->overlays[state->n_overlays - 1] : NULL;
    const front_view *view = top ? top : &state->panes[state->focus];
    bool typing = view->ops->typing && view->ops->typing(view->self);
    if (model->notice != NOTICE_NONE)
        cells_put_cut(out, line, 0, 1, line.columns - 2, CUT_END, look_of_notice(model->notice),
                      model->notice_text.data, model->notice_text.length);
    else if (model->ingest.running && !typing && !top)
        draw_ingest(&model->ingest, out, line);
    else
        draw_hints(out, line, view->ops->scope, typing, hints_of(state, top, typing));
}

void front_draw(front *state, cells *out) {
    layout places = layout_of(out->rows, out->columns, state->focus, state->zoomed);
    cells_clear(out);
    if (places.too_small) {
        draw_too_small(out);
        return;
    }
    draw_title(&state->model, out, places.title);
    for (int i = 0; i < PANE_COUNT; i++) {
        front_view *pane = &state->panes[i];
        pane->area = places.panes[i];
        if (pane->area.rows > 0)
            pane->ops->draw(pane->self, &state->model, out, pane->area,
                            i == (int)state->focus && state->n_overlays == 0);
    }
    rect body = rect_above(rect_below(cells_area(out), 1), 1);
    for (size_t i = 0; i < state->n_overlays; i++) {
        out->cursor_row = -1; /* of what lies below */
        state->overlays[i].area = body;
        state->overlays[i].ops->draw(state->overlays[i].self, &state->model, out, body, i + 1 == state->n_overlays);
    }
    draw_status(state, out, places.status);
}
