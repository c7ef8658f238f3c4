/* overlay_document.c: a document as a text: read, search, see where its chunks begin, go to a range of bytes.
 * May use: view.h, textview.h, edit.h, draw.h. */
#include <stdlib.h>
#include <string.h>

#include "ui/draw.h"
#include "ui/edit.h"
#include "ui/textview.h"
#include "ui/view.h"

#define GUTTER_COLUMNS 9 /* the ids of the chunks that begin on a line */

typedef enum { LINE_NONE, LINE_FIND, LINE_BYTES } line_use;

typedef struct {
    int64_t document;
    textview text;
    edit line; /* what is looked for, or a range of bytes */
    line_use use;
    char *wanted; /* what was looked for last; NULL: nothing */
    size_t wanted_length;
    size_t start, end; /* found or gone to, bytes; start == end: nothing */
} reader;

static void *create(int64_t number) {
    reader *view = calloc(1, sizeof *view);
    if (!view)
        return NULL;
    view->document = number;
    view->line.one_line = true;
    return view;
}

static void free_view(void *self) {
    reader *view = self;
    textview_free(&view->text);
    edit_free(&view->line);
    free(view->wanted);
    free(view);
}

/* The text has come; until then the model may hold another document's. */
static bool is_loaded(const reader *view, const ui_model *model) {
    return model->document.loaded && model->document.document == view->document;
}

/* -------------------------------------------------------------------------------- places ---- */

/* Marks are few: the chunk of the passage, and what was found. */
static void set_marks(reader *view, const ui_model *model) {
    const model_passage *passage = &model->passage;
    textview_clear_marks(&view->text);
    if (passage->loaded && passage->chunk >= 0 && passage->document == view->document)
        textview_mark(&view->text, (size_t)passage->start, (size_t)passage->end, ROLE_CHUNK | ATTRIBUTE_BOLD);
    if (view->start < view->end)
        textview_mark(&view->text, view->start, view->end, ROLE_MATCH);
}

static void go_to(reader *view, const ui_model *model, size_t start, size_t end) {
    view->start = start;
    view->end = end;
    set_marks(view, model);
    textview_show(&view->text, start);
}

static void update(void *self, const ui_model *model, unsigned changed) {
    reader *view = self;
    if (changed & CHANGED_DOCUMENT) {
        bool loaded = is_loaded(view, model);
        textview_set(&view->text, loaded ? model->document.text.data : NULL, loaded ? model->document.text.length : 0);
        view->start = view->end = 0;
    }
    if (changed & (CHANGED_DOCUMENT | CHANGED_PASSAGE))
        set_marks(view, model);
}

/* The byte that stands at the top. */
static size_t top_of(const reader *view) {
    const textview *text = &view->text;
    return text->first < text->lines.n ? text->lines.lines[text->first].start : 0;
}

/* Where what is shown ends. */
static size_t bottom_of(const reader *view) {
    const textview *text = &view->text;
    size_t last = text->first + (text->rows > 0 ? (size_t)text->rows : 0);
    return last < text->lines.n ? text->lines.lines[last].start : text->length;
}

/* How many chunks begin at or before this byte. */
static size_t chunks_up_to(const model_passage *document, size_t at) {
    size_t low = 0, high = document->n_borders;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((size_t)document->borders[middle] <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static size_t chunk_end(const model_passage *document, size_t chunk) {
    return chunk + 1 < document->n_borders ? (size_t)document->borders[chunk + 1] : document->text.length;
}

/* From the chunk that is marked, or else from the one at the top. */
static void step_chunk(reader *view, const ui_model *model, int step) {
    const model_passage *document = &model->document;
    bool marked = view->start < view->end;
    size_t count = chunks_up_to(document, marked ? view->start : top_of(view));
    if (document->n_borders == 0)
        return;
    size_t here = count > 0 ? count - 1 : 0, chunk = here;
    if (step > 0 && marked && here + 1 < document->n_borders)
        chunk = here + 1;
    if (step < 0 && here > 0 && view->start == (size_t)document->borders[here])
        chunk = here - 1;
    go_to(view, model, (size_t)document->borders[chunk], chunk_end(document, chunk));
}

/* ---------------------------------------------------------------------------------- lines ---- */

static void find(reader *view, const ui_model *model, bool backwards, const ui_actions *actions) {
    size_t start, end, from = view->start < view->end ? backwards ? view->start : view->end : top_of(view);
    if (!view->wanted)
        emit_notice(actions, NOTICE_INFO, "Nothing has been searched for yet: / begins.");
    else if (!textview_find(&view->text, view->wanted, view->wanted_length, from, backwards, &start, &end))
        emit_notice(actions, NOTICE_WARNING, "Not found.");
    else
        go_to(view, model, start, end);
}

static void find_typed(reader *view, const ui_model *model, const ui_actions *actions) {
    char *copy = view->line.length > 0 ? malloc(view->line.length) : NULL;
    if (!copy)
        return;
    memcpy(copy, view->line.text, view->line.length);
    free(view->wanted);
    view->wanted = copy;
    view->wanted_length = view->line.length;
    view->start = view->end = 0;
    find(view, model, false, actions);
}

/* The number at *at; one that is too large for any text stays so. false: there is none. */
static bool read_number(const char *text, size_t length, size_t *at, size_t *value) {
    size_t from = *at;
    *value = 0;
    for (; *at < length && text[*at] >= '0' && text[*at] <= '9'; ++*at)
        *value = *value < SIZE_MAX / 100 ? *value * 10 + (size_t)(text[*at] - '0') : *value;
    return *at > from;
}

/* "1200", "1200-1450"; the end is exclusive, as in the JSON. */
static void go_to_typed(reader *view, const ui_model *model, const ui_actions *actions) {
    const char *text = view->line.text;
    size_t length = view->line.length, at = 0, start, end, whole = model->document.text.length;
    bool ok = length > 0 && read_number(text, length, &at, &start);
    end = ok ? start + 1 : 0;
    if (ok && at < length && (text[at] == '-' || text[at] == ':')) {
        at++;
        ok = read_number(text, length, &at, &end);
    }
    if (!ok || at < length || end <= start)
        emit_notice(actions, NOTICE_WARNING, "Bytes are one number, or two such as 1200-1450.");
    else if (start >= whole)
        emit_notice(actions, NOTICE_WARNING, "The text has only %zu bytes.", whole);
    else
        go_to(view, model, start, end < whole ? end : whole);
}

static void begin_line(reader *view, line_use use) {
    edit_clear(&view->line);
    view->use = use;
}

static void submit(reader *view, const ui_model *model, const ui_actions *actions) {
    line_use use = view->use;
    view->use = LINE_NONE;
    if (use == LINE_FIND)
        find_typed(view, model, actions);
    else
        go_to_typed(view, model, actions);
    edit_accept(&view->line);
}

/* ----------------------------------------------------------------------------------- draw ---- */

/* On each line the chunks that begin there: an id before it, and the place underlined. */
static void draw_borders(const reader *view, const model_passage *document, cells *out, rect gutter, rect text) {
    const wrap *lines = &view->text.lines;
    for (int row = 0; row < text.rows && view->text.first + (size_t)row < lines->n; row++) {
        size_t line = view->text.first + (size_t)row;
        size_t from = line == 0 ? 0 : lines->lines[line].start;
        size_t next = line + 1 < lines->n ? lines->lines[line + 1].start : document->text.length;
        size_t first = from > 0 ? chunks_up_to(document, from - 1) : 0;
        for (size_t i = first; i < document->n_borders && (size_t)document->borders[i] < next; i++) {
            size_t at = (size_t)document->borders[i];
            int column = wrap_column_of(lines, line, view->text.text, out->ascii, at);
            cells_flag(out, (rect){text.row + row, text.column + column, 1, 1}, ATTRIBUTE_UNDERLINE);
            if (i == first)
                cells_printf(out, gutter, row, 0, at == view->start && view->start < view->end ? ROLE_ACCENT : ROLE_DIM,
                             "%7lld", (long long)(document->first_chunk + (int64_t)i));
        }
    }
}

static void draw_place(const reader *view, const model_passage *document, cells *out, rect line) {
    bool marked = view->start < view->end;
    size_t whole = document->text.length, bottom = bottom_of(view);
    size_t chunk = chunks_up_to(document, marked ? view->start : top_of(view));
    const char *dot = glyph_text(GLYPH_DOT, out->ascii);
    char size[32];
    format_count((int64_t)whole, size);
    int column = cells_printf(out, line, 0, 0, ROLE_DIM, "%.0f %% of %s bytes",
                              whole > 0 ? 100 * (double)bottom / (double)whole : 100.0, size);
    if (chunk > 0)
        column += cells_printf(out, line, 0, column, ROLE_DIM, " %s chunk %lld", dot,
                               (long long)(document->first_chunk + (int64_t)chunk - 1));
    if (marked)
        cells_printf(out, line, 0, column, ROLE_ACCENT, " %s bytes %zu-%zu", dot, view->start, view->end);
}

static void draw_bottom(reader *view, const ui_model *model, cells *out, rect line, bool focused) {
    if (view->use == LINE_NONE) {
        draw_place(view, &model->document, out, line);
        return;
    }
    int column = cells_text(out, line, 0, 0, ROLE_ACCENT, view->use == LINE_FIND ? "/ " : "bytes ");
    edit_draw(&view->line, out, rect_after(line, column), focused, ROLE_INPUT);
}

static rect draw_frame(const reader *view, const ui_model *model, cells *out, rect area, bool focused) {
    const drt_document *document = model_document(model, view->document);
    const drt_string *name = is_loaded(view, model) ? &model->document.path : document ? &document->path : NULL;
    cells_fill(out, area, ROLE_TEXT);
    rect inner = draw_pane(out, area, NULL, focused);
    if (!name)
        return inner;
    cells_text(out, area, 0, 1, ROLE_TITLE_FOCUS, " ");
    int used = cells_put_cut(out, area, 0, 2, area.columns - 4, CUT_START, ROLE_TITLE_FOCUS, name->data, name->length);
    cells_text(out, area, 0, 2 + used, ROLE_TITLE_FOCUS, " ");
    return inner;
}

static void draw(void *self, const ui_model *model, cells *out, rect area, bool focused) {
    reader *view = self;
    rect inner = rect_inset(draw_frame(view, model, out, area, focused), 0, 1);
    if (model->document.error.data && !model->document.loaded) {
        cells_put_cut(out, inner, 0, 0, inner.columns, CUT_END, ROLE_ERROR, model->document.error.data,
                      model->document.error.length);
        return;
    }
    if (!is_loaded(view, model)) {
        cells_text(out, inner, 0, 0, ROLE_DIM, "reading...");
        return;
    }
    rect text = rect_after(rect_above(inner, 2), GUTTER_COLUMNS);
    textview_draw(&view->text, out, text);
    draw_borders(view, &model->document, out, rect_left(rect_above(inner, 2), GUTTER_COLUMNS), text);
    draw_divider(out, area, area.rows - 3, NULL, focused);
    draw_bottom(view, model, out, rect_bottom(inner, 1), focused);
}

/* ------------------------------------------------------------------------------- commands ---- */

static bool typing(const void *self) {
    return ((const reader *)self)->use != LINE_NONE;
}

static bool line_command(reader *view, const ui_model *model, ui_command what, const ui_actions *actions) {
    if (what == COMMAND_CANCEL)
        view->use = LINE_NONE;
    else if (what == COMMAND_EDIT_SUBMIT)
        submit(view, model, actions);
    else
        return edit_command(&view->line, what);
    return true;
}

static bool command(void *self, const ui_model *model, ui_command what, const ui_actions *actions) {
    reader *view = self;
    if (view->use != LINE_NONE)
        return line_command(view, model, what, actions);
    if (!is_loaded(view, model))
        return false;
    switch (what) {
    case COMMAND_FILTER:
        begin_line(view, LINE_FIND);
        return true;
    case COMMAND_GO_BYTES:
        begin_line(view, LINE_BYTES);
        return true;
    case COMMAND_FIND_NEXT:
    case COMMAND_FIND_PREVIOUS:
        find(view, model, what == COMMAND_FIND_PREVIOUS, actions);
        return true;
    case COMMAND_NEXT_CHUNK:
    case COMMAND_PREVIOUS_CHUNK:
        step_chunk(view, model, what == COMMAND_NEXT_CHUNK ? 1 : -1);
        return true;
    default:
        return textview_command(&view->text, what);
    }
}

static void key(void *self, const ui_model *model, ui_key typed, const ui_actions *actions) {
    (void)model;
    (void)actions;
    edit_key(&((reader *)self)->line, typed);
}

static void paste(void *self, const ui_model *model, const char *text, size_t length, const ui_actions *actions) {
    (void)model;
    (void)actions;
    edit_insert(&((reader *)self)->line, text, length);
}

static bool mouse(void *self, const ui_model *model, const ui_event *event, rect area, const ui_actions *actions) {
    (void)model;
    (void)actions;
    return textview_mouse(&((reader *)self)->text, event, area);
}

const view_ops overlay_document = {
    .title = "document",
    .scope = SCOPE_DOCUMENT,
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
