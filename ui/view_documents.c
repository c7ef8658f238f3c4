/* view_documents.c: the documents of the library as a tree by archive and folder, with a filter, marks, and what is
 * known of the selected one. May use: view.h, document_tree.h, list.h, edit.h, fold.h, draw.h. */
#include <stdlib.h>
#include <string.h>

#include "ui/document_tree.h"
#include "ui/draw.h"
#include "ui/edit.h"
#include "ui/fold.h"
#include "ui/list.h"
#include "ui/view.h"

#define DETAIL_ROWS 6      /* of the part below, its divider included */
#define DETAIL_MIN_ROWS 14 /* of a pane that has it */
#define CHUNKS_COLUMNS 8
#define BYTES_COLUMNS 9
#define WIDE_COLUMNS 34  /* from here on with chunks, */
#define WIDER_COLUMNS 52 /* and with bytes */

typedef struct {
    document_tree tree;
    list rows;
    edit filter;
    char *folded_filter;
    size_t folded_length;
    bool typing, without_skipped;
    int64_t selected;      /* id of the selected document, or of the first one below the selected branch; 0: none */
    rect list_area;        /* as drawn last */
    const ui_model *model; /* during draw */
} documents;

static void *create(int64_t number) {
    (void)number;
    documents *view = calloc(1, sizeof *view);
    if (view)
        view->filter.one_line = true;
    return view;
}

static void free_view(void *self) {
    documents *view = self;
    tree_free(&view->tree);
    edit_free(&view->filter);
    free(view->folded_filter);
    free(view);
}

/* --------------------------------------------------------------------------------- choosing ---- */

static tree_node *selected_node(documents *view) {
    return view->rows.selected < view->tree.n_rows ? &view->tree.nodes[view->tree.rows[view->rows.selected]] : NULL;
}

static const drt_document *document_of(const ui_model *model, const tree_node *node) {
    return &model->documents[node->document];
}

static void note_selected(documents *view, const ui_model *model) {
    const tree_node *node = selected_node(view);
    view->selected = node ? document_of(model, node)->id : 0;
}

static void select_node(documents *view, size_t node) {
    size_t row = tree_row_of(&view->tree, node);
    if (row != SIZE_MAX)
        list_select(&view->rows, row);
}

/* Chooses the rows anew; the selection stays on its node where that is still shown. */
static void show(documents *view, const ui_model *model) {
    size_t node = view->rows.selected < view->tree.n_rows ? view->tree.rows[view->rows.selected] : SIZE_MAX;
    tree_show(&view->tree, model->documents, view->folded_filter ? view->folded_filter : "", view->folded_length,
              !view->without_skipped);
    list_set_count(&view->rows, view->tree.n_rows);
    if (node != SIZE_MAX)
        select_node(view, node);
    note_selected(view, model);
}

/* The selection goes by id: other documents may have come before it. */
static void rebuild(documents *view, const ui_model *model) {
    const tree_node *before = selected_node(view);
    bool branch = before && before->branch;
    int depth = before ? before->depth : 0;
    const drt_document *document = model_document(model, view->selected);
    tree_build(&view->tree, model->documents, model->n_documents);
    tree_show(&view->tree, model->documents, view->folded_filter ? view->folded_filter : "", view->folded_length,
              !view->without_skipped);
    list_set_count(&view->rows, view->tree.n_rows);
    size_t node = document ? tree_node_of(&view->tree, (size_t)(document - model->documents)) : SIZE_MAX;
    while (branch && node != SIZE_MAX && view->tree.nodes[node].parent != SIZE_MAX &&
           (view->tree.nodes[node].depth > depth || !view->tree.nodes[node].branch))
        node = view->tree.nodes[node].parent;
    if (node != SIZE_MAX)
        select_node(view, node);
    note_selected(view, model);
}

static void update(void *self, const ui_model *model, unsigned changed) {
    if (changed & CHANGED_DOCUMENTS)
        rebuild(self, model);
}

/* The first document that matches, not its branch: that is what was looked for. */
static void select_first_match(documents *view) {
    for (size_t row = 0; row < view->tree.n_rows; row++)
        if (!view->tree.nodes[view->tree.rows[row]].branch) {
            list_select(&view->rows, row);
            return;
        }
}

static void filter_changed(documents *view, const ui_model *model) {
    free(view->folded_filter);
    view->folded_length = 0;
    view->folded_filter =
        view->filter.length > 0 ? fold_text(view->filter.text, view->filter.length, &view->folded_length) : NULL;
    show(view, model);
    const tree_node *node = selected_node(view);
    if (view->folded_length > 0 && node && node->branch)
        select_first_match(view);
    note_selected(view, model);
}

static void clear_filter(documents *view, const ui_model *model) {
    edit_clear(&view->filter);
    view->typing = false;
    filter_changed(view, model);
}

/* ----------------------------------------------------------------------------------- a row ---- */

static const struct {
    glyph_id sign;
    attribute look;
    const char *word;
} states[] = {
    [DRT_DOCUMENT_OK] = {GLYPH_OK, ROLE_OK, "read whole"},
    [DRT_DOCUMENT_PARTIAL] = {GLYPH_PARTIAL, ROLE_WARNING, "read in part"},
    [DRT_DOCUMENT_SKIPPED] = {GLYPH_SKIPPED, ROLE_ERROR, "skipped"},
};

/* What the filter found, where it is in the name as it is shown. */
static void draw_match(const documents *view, cells *out, rect name, const drt_string *path, const tree_node *node,
                       attribute look) {
    size_t start, end;
    if (view->folded_length == 0 ||
        !fold_find(path->data, path->length, 0, view->folded_filter, view->folded_length, &start, &end))
        return;
    start = start > node->start ? start : node->start;
    end = end < node->end ? end : node->end;
    if (start >= end)
        return;
    int before = cluster_columns(path->data + node->start, start - node->start, out->ascii);
    int columns = cluster_columns(path->data + start, end - start, out->ascii);
    rect found = rect_left(rect_after(name, before), columns);
    if (look == ROLE_TEXT)
        cells_look(out, found, ROLE_MATCH);
    else
        cells_flag(out, found, ATTRIBUTE_UNDERLINE);
}

static void draw_name(const documents *view, const tree_node *node, cells *out, rect area, attribute look) {
    const drt_document *document = document_of(view->model, node);
    bool faint = look == ROLE_TEXT && !node->branch && document->status == DRT_DOCUMENT_SKIPPED;
    attribute ground = look != ROLE_TEXT ? look : node->branch ? ROLE_STRONG : faint ? ROLE_DIM : ROLE_TEXT;
    size_t end = node->branch ? node->end - 1 : node->end; /* without the '/' */
    int used = cells_put_cut(out, area, 0, 0, area.columns, CUT_END, ground, document->path.data + node->start,
                             end - node->start);
    draw_match(view, out, rect_left(area, used < area.columns ? used : area.columns - 1), &document->path, node, look);
}

static void draw_right(cells *out, rect row, int right, attribute look, const char *text) {
    cells_text(out, row, 0, row.columns - right - (int)strlen(text), look, text);
}

/* Its numbers at the right end; the columns that they take. */
static int draw_numbers(const tree_node *node, cells *out, rect row, attribute look) {
    char chunks[32], bytes[16];
    attribute numbers = look == ROLE_TEXT ? ROLE_DIM : look;
    if (row.columns < WIDE_COLUMNS || node->documents == node->skipped)
        return row.columns < WIDE_COLUMNS ? 0 : CHUNKS_COLUMNS + (row.columns >= WIDER_COLUMNS ? BYTES_COLUMNS : 0);
    format_count(node->chunks, chunks);
    if (row.columns < WIDER_COLUMNS) {
        draw_right(out, row, 1, numbers, chunks);
        return CHUNKS_COLUMNS;
    }
    format_bytes(node->bytes, bytes);
    draw_right(out, row, 1, numbers, bytes);
    draw_right(out, row, 1 + BYTES_COLUMNS, numbers, chunks);
    return CHUNKS_COLUMNS + BYTES_COLUMNS;
}

static int indent_of(const tree_node *node, int columns) {
    int indent = node->depth * (columns < WIDE_COLUMNS ? 1 : 2);
    return indent < columns / 3 ? indent : columns / 3;
}

static void draw_row(void *user, size_t index, cells *out, rect row, attribute look) {
    const documents *view = user;
    const tree_node *node = &view->tree.nodes[view->tree.rows[index]];
    const drt_document *document = document_of(view->model, node);
    int column = 1 + indent_of(node, row.columns);
    int numbers = draw_numbers(node, out, row, look);
    if (node->branch)
        cells_glyph(out, row, 0, column, look == ROLE_TEXT ? ROLE_BORDER : look,
                    node->folded && view->folded_length == 0 ? GLYPH_CLOSED : GLYPH_OPEN);
    else
        cells_glyph(out, row, 0, column, look == ROLE_TEXT ? states[document->status].look : look,
                    states[document->status].sign);
    if (!node->branch && model_is_marked(view->model, document->id))
        cells_glyph(out, row, 0, 0, look == ROLE_TEXT ? ROLE_ACCENT : look, GLYPH_BULLET);
    draw_name(view, node, out, rect_before(rect_after(row, column + 2), numbers), look);
}

/* ------------------------------------------------------------------------------ selected one ---- */

static void draw_sizes(const tree_node *node, cells *out, rect line) {
    char bytes[16], chunks[32];
    format_bytes(node->bytes, bytes);
    format_count(node->chunks, chunks);
    cells_printf(out, line, 0, 0, ROLE_TEXT, "%s %s %s chunk%s", bytes, glyph_text(GLYPH_DOT, out->ascii), chunks,
                 node->chunks == 1 ? "" : "s");
}

static void draw_branch_detail(const tree_node *node, cells *out, rect area) {
    char whole[32];
    format_count(node->documents - node->skipped, whole);
    cells_printf(out, area, 0, 0, ROLE_STRONG, "%s document%s", whole, node->documents - node->skipped == 1 ? "" : "s");
    draw_sizes(node, out, rect_below(area, 1));
    if (node->partial > 0)
        cells_printf(out, area, 2, 0, ROLE_WARNING, "%lld read in part", (long long)node->partial);
    if (node->skipped > 0)
        cells_printf(out, area, node->partial > 0 ? 3 : 2, 0, ROLE_ERROR, "%lld skipped", (long long)node->skipped);
}

static void draw_document_detail(const drt_document *document, const tree_node *node, cells *out, rect area) {
    const drt_string *head = document->title.data ? &document->title : &document->path;
    cells_put_cut(out, area, 0, 0, area.columns, document->title.data ? CUT_END : CUT_START, ROLE_STRONG, head->data,
                  head->length);
    int column = cells_text(out, area, 1, 0, states[document->status].look, states[document->status].word);
    cells_printf(out, area, 1, column, ROLE_DIM, ", %.*s", (int)document->format.length,
                 document->format.data ? document->format.data : "");
    if (document->status != DRT_DOCUMENT_SKIPPED)
        draw_sizes(node, out, rect_below(area, 2));
    if (document->reason.data)
        draw_wrapped(out, rect_below(area, document->status == DRT_DOCUMENT_SKIPPED ? 2 : 3), ROLE_TEXT,
                     document->reason.data, document->reason.length);
}

/* ------------------------------------------------------------------------------------- draw ---- */

static void draw_title(documents *view, const ui_model *model, bool ascii, char *out, size_t size) {
    char matches[32], all[32], marked[48] = "";
    format_count((int64_t)view->tree.matches, matches);
    format_count((int64_t)model->n_documents, all);
    if (model->n_marked > 0)
        snprintf(marked, sizeof marked, " %s %zu marked", glyph_text(GLYPH_DOT, ascii), model->n_marked);
    if (view->tree.matches < model->n_documents && model->n_marked > 0)
        snprintf(out, size, "%s of %s%s", matches, all, marked); /* all of it in a narrow pane too */
    else if (view->tree.matches < model->n_documents)
        snprintf(out, size, "documents %s %s of %s", glyph_text(GLYPH_DOT, ascii), matches, all);
    else
        snprintf(out, size, "documents%s", marked);
}

/* Why there are no rows, and what to do. */
static void draw_empty(documents *view, const ui_model *model, cells *out, rect area) {
    char text[160], key[32];
    key_label(key_of(SCOPE_GLOBAL, COMMAND_INGEST), key);
    if (view->folded_length > 0)
        snprintf(text, sizeof text, "No document matches. Esc clears the filter.");
    else if (model->n_documents > 0)
        snprintf(text, sizeof text, "Everything here was skipped; x shows it.");
    else if (model->ingest.running)
        snprintf(text, sizeof text, "The first documents are being read.");
    else if (model->open || model->library_error.data)
        snprintf(text, sizeof text, "Nothing in here yet. Press %s to read files, folders or archives.", key);
    else
        return;
    draw_wrapped(out, rect_inset(area, 0, 1), ROLE_DIM, text, strlen(text));
}

static rect draw_detail(documents *view, const ui_model *model, cells *out, rect area, rect inner, bool focused) {
    const tree_node *node = selected_node(view);
    if (inner.rows < DETAIL_MIN_ROWS || !node)
        return inner;
    draw_divider(out, area, area.rows - 1 - DETAIL_ROWS, NULL, focused);
    rect detail = rect_inset(rect_bottom(inner, DETAIL_ROWS - 1), 0, 1);
    if (node->branch)
        draw_branch_detail(node, out, detail);
    else
        draw_document_detail(document_of(model, node), node, out, detail);
    return rect_above(inner, DETAIL_ROWS);
}

static rect draw_filter(documents *view, cells *out, rect inner, bool focused) {
    if (!view->typing && view->filter.length == 0)
        return inner;
    rect line = rect_top(inner, 1);
    cells_text(out, line, 0, 1, ROLE_ACCENT, "/");
    edit_draw(&view->filter, out, rect_after(line, 3), focused && view->typing, ROLE_INPUT);
    return rect_below(inner, 1);
}

static void draw(void *self, const ui_model *model, cells *out, rect area, bool focused) {
    documents *view = self;
    char title[128];
    draw_title(view, model, out->ascii, title, sizeof title);
    rect inner = draw_pane(out, area, title, focused);
    view->model = model;
    inner = draw_detail(view, model, out, area, inner, focused);
    inner = draw_filter(view, out, inner, focused);
    view->list_area = inner;
    if (view->tree.n_rows == 0)
        draw_empty(view, model, out, inner);
    list_draw(&view->rows, out, inner, focused, draw_row, view);
}

/* --------------------------------------------------------------------------------- commands ---- */

static void fold(documents *view, const ui_model *model, size_t node, bool folded) {
    tree_fold(&view->tree, model->documents, node, folded);
    select_node(view, node);
    show(view, model);
}

static size_t node_index(const documents *view, const tree_node *node) {
    return (size_t)(node - view->tree.nodes);
}

/* A branch closes; anything else goes to its branch. */
static void go_left(documents *view, const ui_model *model, const tree_node *node) {
    if (node->branch && !node->folded && view->folded_length == 0)
        fold(view, model, node_index(view, node), true);
    else if (node->parent != SIZE_MAX)
        select_node(view, node->parent);
}

static void go_right(documents *view, const ui_model *model, const tree_node *node) {
    if (node->branch && node->folded && view->folded_length == 0)
        fold(view, model, node_index(view, node), false);
    else if (node->branch)
        list_command(&view->rows, COMMAND_DOWN);
}

static void toggle_fold(documents *view, const ui_model *model, const tree_node *node, const ui_actions *actions) {
    size_t branch = node->branch ? node_index(view, node) : node->parent;
    if (view->folded_length > 0)
        emit_notice(actions, NOTICE_INFO, "While there is a filter all branches are open; Esc clears it.");
    else if (branch != SIZE_MAX)
        fold(view, model, branch, !view->tree.nodes[branch].folded);
}

/* Opens all if all are closed, else closes all. */
static void toggle_all_folds(documents *view, const ui_model *model) {
    bool any_open = false;
    for (size_t i = 0; i < view->tree.n; i++)
        any_open = any_open || (view->tree.nodes[i].branch && !view->tree.nodes[i].folded);
    for (size_t i = 0; i < view->tree.n; i++)
        tree_fold(&view->tree, model->documents, i, any_open);
    show(view, model);
}

static void open_selected(documents *view, const ui_model *model, const tree_node *node, const ui_actions *actions) {
    const drt_document *document = document_of(model, node);
    if (node->branch)
        toggle_fold(view, model, node, actions);
    else if (document->status != DRT_DOCUMENT_SKIPPED)
        emit(actions, ACTION_OPEN_DOCUMENT, document->id);
    else
        emit_notice(actions, NOTICE_WARNING, "It has no text: %.*s", (int)document->reason.length,
                    document->reason.data ? document->reason.data : "");
}

/* The documents below a node that are shown or folded away in it: marked all, or unmarked if all are. */
static void mark(documents *view, const ui_model *model, const tree_node *node, bool only_mark,
                 const ui_actions *actions) {
    const tree_node *end = &view->tree.nodes[node->after];
    bool all = true;
    for (const tree_node *below = node; below < end && all; below++)
        all = below->branch || below->matches == 0 || model_is_marked(model, document_of(model, below)->id);
    for (const tree_node *below = node; below < end; below++)
        if (!below->branch && below->matches > 0)
            emit(actions, all && !only_mark ? ACTION_UNMARK : ACTION_MARK, document_of(model, below)->id);
}

static void remove_selected(documents *view, const ui_model *model, const tree_node *node, const ui_actions *actions) {
    if (model->ingest.running) {
        emit_notice(actions, NOTICE_WARNING, "An ingest is running; remove when it is done, or stop it with Ctrl-C.");
        return;
    }
    if (model->n_marked == 0 && !node->branch) {
        emit_overlay(actions, OVERLAY_REMOVE, document_of(model, node)->id);
        return;
    }
    if (model->n_marked == 0)
        mark(view, model, node, true, actions);
    emit_overlay(actions, OVERLAY_REMOVE, 0);
}

static bool cancel(documents *view, const ui_model *model, const ui_actions *actions) {
    if (view->typing || view->filter.length > 0) {
        clear_filter(view, model);
        return true;
    }
    if (model->n_marked == 0)
        return false;
    emit(actions, ACTION_UNMARK, 0);
    return true;
}

static bool typing_command(documents *view, const ui_model *model, ui_command what) {
    switch (what) {
    case COMMAND_EDIT_SUBMIT:
        view->typing = false;
        return true;
    case COMMAND_EDIT_OLDER:
        return list_command(&view->rows, COMMAND_UP);
    case COMMAND_EDIT_NEWER:
        return list_command(&view->rows, COMMAND_DOWN);
    default:
        if (!edit_command(&view->filter, what))
            return false;
        filter_changed(view, model);
        return true;
    }
}

static bool node_command(documents *view, const ui_model *model, ui_command what, const ui_actions *actions) {
    const tree_node *node = selected_node(view);
    if (!node)
        return false;
    switch (what) {
    case COMMAND_OPEN:
        open_selected(view, model, node, actions);
        return true;
    case COMMAND_LEFT:
        go_left(view, model, node);
        return true;
    case COMMAND_RIGHT:
        go_right(view, model, node);
        return true;
    case COMMAND_FOLD:
        toggle_fold(view, model, node, actions);
        return true;
    case COMMAND_FOLD_ALL:
        toggle_all_folds(view, model);
        return true;
    case COMMAND_MARK:
        mark(view, model, node, false, actions);
        if (!node->branch)
            list_command(&view->rows, COMMAND_DOWN);
        return true;
    case COMMAND_REMOVE:
        remove_selected(view, model, node, actions);
        return true;
    default:
        return list_command(&view->rows, what);
    }
}

static bool command(void *self, const ui_model *model, ui_command what, const ui_actions *actions) {
    documents *view = self;
    bool taken;
    if (what == COMMAND_CANCEL)
        return cancel(view, model, actions);
    if (what == COMMAND_FILTER) {
        view->typing = true;
        return true;
    }
    if (what == COMMAND_SHOW_SKIPPED) {
        view->without_skipped = !view->without_skipped;
        show(view, model);
        emit_notice(actions, NOTICE_INFO, "Skipped members are %s.", view->without_skipped ? "hidden" : "shown");
        return true;
    }
    taken = view->typing ? typing_command(view, model, what) : node_command(view, model, what, actions);
    note_selected(view, model);
    return taken;
}

static bool typing(const void *self) {
    return ((const documents *)self)->typing;
}

static void key(void *self, const ui_model *model, ui_key typed, const ui_actions *actions) {
    (void)actions;
    edit_key(&((documents *)self)->filter, typed);
    filter_changed(self, model);
}

static void paste(void *self, const ui_model *model, const char *text, size_t length, const ui_actions *actions) {
    (void)actions;
    edit_insert(&((documents *)self)->filter, text, length);
    filter_changed(self, model);
}

/* A click selects; a click on what is selected opens it. */
static bool mouse(void *self, const ui_model *model, const ui_event *event, rect area, const ui_actions *actions) {
    documents *view = self;
    size_t before = view->rows.selected;
    (void)area;
    if (!list_mouse(&view->rows, event, view->list_area))
        return false;
    size_t clicked = view->rows.first + (size_t)(event->row - view->list_area.row);
    if (event->mouse == MOUSE_PRESS && event->button == 0 && clicked == before)
        node_command(view, model, COMMAND_OPEN, actions);
    note_selected(view, model);
    return true;
}

const view_ops view_documents = {
    .title = "documents",
    .scope = SCOPE_DOCUMENTS,
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
