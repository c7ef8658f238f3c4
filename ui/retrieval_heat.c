/* retrieval_heat.c: the strip over the whole library: which chunks retrieval weighed, and where in the library they
 * are. See retrieval_parts.h. */
#include <stdint.h>
#include <string.h>

#include "ui/retrieval_parts.h"

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t between(int64_t n, int64_t low, int64_t high) {
    return n > high ? (high > low ? high : low) : n < low ? low : n;
}

/* ------------------------------------------------------------------------------------ chunks ---- */

static int64_t chunks_of_trace(const drt_answer *trace, int64_t chunks) {
    for (size_t i = 0; trace && i < trace->n_events; i++)
        for (size_t hit = 0; hit < trace->events[i].n_hits; hit++)
            if (trace->events[i].hits[hit].chunk >= chunks && trace->events[i].hits[hit].chunk < INT64_MAX)
                chunks = trace->events[i].hits[hit].chunk + 1;
    return chunks;
}

int64_t heat_chunks(const ui_model *model) {
    return chunks_of_trace(model->compared, chunks_of_trace(model_trace(model), model->facts.chunks));
}

size_t event_hit_of(const drt_event *event, int64_t chunk) {
    for (size_t i = 0; event && i < event->n_hits; i++)
        if (event->hits[i].chunk == chunk)
            return i;
    return HIT_NONE;
}

size_t event_heaviest(const drt_event *event, int64_t from, int64_t to) {
    size_t best = HIT_NONE;
    for (size_t i = 0; event && i < event->n_hits; i++) {
        const drt_hit *hit = &event->hits[i];
        if (hit->chunk >= from && hit->chunk < to && (best == HIT_NONE || hit->weight > event->hits[best].weight))
            best = i;
    }
    return best;
}

static size_t hits_among(const drt_event *event, int64_t from, int64_t to) {
    size_t n = 0;
    for (size_t i = 0; event && i < event->n_hits; i++)
        n += event->hits[i].chunk >= from && event->hits[i].chunk < to;
    return n;
}

/* ------------------------------------------------------------------------------------- scale ---- */

#define MOST_CHUNKS INT32_MAX /* products of two of them still fit; a damaged trace may name any chunk */

/* The cells divide the chunks as evenly as whole chunks allow: the first chunk of a cell. */
static int64_t cell_start(const heat *strip, int64_t index) {
    return strip->total_cells > 0 ? index * strip->chunks / strip->total_cells : 0;
}

/* The last cell that does not start after the chunk. */
static int64_t cell_of_chunk(const heat *strip, int64_t chunk) {
    return strip->chunks > 0 ? ((chunk + 1) * strip->total_cells - 1) / strip->chunks : 0;
}

static void cell_range(const heat *strip, int64_t index, int64_t *from, int64_t *to) {
    *from = cell_start(strip, index);
    *to = cell_start(strip, index + 1);
}

/* Sets cells for the zoom, or for the deepest one that there is. */
static void set_scale(heat *strip) {
    int64_t columns = strip->columns > 0 ? strip->columns : 1;
    strip->total_cells = smaller(strip->chunks, columns);
    strip->cell_columns = strip->chunks > 0 ? (int)between(columns / strip->chunks, 1, HEAT_WIDEST) : 1;
    for (int level = 0; level < strip->zoom; level++) {
        if (strip->total_cells == strip->chunks && strip->cell_columns == HEAT_WIDEST)
            strip->zoom = level;
        else if (strip->total_cells < strip->chunks)
            strip->total_cells = smaller(strip->total_cells * 2, strip->chunks);
        else
            strip->cell_columns = (int)smaller(strip->cell_columns * 2, HEAT_WIDEST);
    }
    strip->cells = (int)smaller(strip->columns / strip->cell_columns, strip->total_cells);
}

static void show_cursor(heat *strip, bool centred) {
    int64_t here = cell_of_chunk(strip, strip->cursor);
    if (centred || here < strip->first_cell || here >= strip->first_cell + strip->cells)
        strip->first_cell = here - strip->cells / 2;
    strip->first_cell = between(strip->first_cell, 0, strip->total_cells - strip->cells);
}

void heat_arrange(heat *strip, int64_t chunks, int columns) {
    chunks = between(chunks, 0, MOST_CHUNKS);
    columns = columns > 0 ? columns : 0;
    bool same = strip->chunks == chunks && strip->columns == columns;
    strip->chunks = chunks;
    strip->columns = columns;
    strip->cursor = between(strip->cursor, 0, chunks - 1);
    set_scale(strip);
    show_cursor(strip, !same);
}

bool heat_zoom(heat *strip, bool in) {
    int before = strip->zoom;
    if (!in && strip->zoom == 0)
        return false;
    strip->zoom += in ? 1 : -1;
    set_scale(strip);
    show_cursor(strip, true);
    return strip->zoom != before;
}

void heat_move(heat *strip, int by) {
    int64_t reached = between(cell_of_chunk(strip, strip->cursor) + by, 0, strip->total_cells - 1);
    strip->cursor = cell_start(strip, reached);
    show_cursor(strip, false);
}

void heat_cursor_range(const heat *strip, int64_t *from, int64_t *to) {
    cell_range(strip, cell_of_chunk(strip, strip->cursor), from, to);
}

void heat_window(const heat *strip, int64_t *from, int64_t *to) {
    *from = cell_start(strip, strip->first_cell);
    *to = cell_start(strip, strip->first_cell + strip->cells);
}

int64_t heat_chunk_at(const heat *strip, int column) {
    if (column < 0 || strip->cell_columns < 1 || column / strip->cell_columns >= strip->cells)
        return -1;
    return cell_start(strip, strip->first_cell + column / strip->cell_columns);
}

/* --------------------------------------------------------------------------------- documents ---- */

/* Index into by_chunk of the first document that begins at or after the chunk. */
static size_t first_beginning(const ui_model *model, int64_t chunk) {
    size_t low = 0, high = model->n_by_chunk;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (model->documents[model->by_chunk[middle]].first_chunk < chunk)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static size_t documents_beginning(const ui_model *model, int64_t from, int64_t to) {
    return first_beginning(model, to) - first_beginning(model, from);
}

/* Nothing of the library's documents is in these chunks: they were removed. */
static bool is_dead(const ui_model *model, int64_t from, int64_t to) {
    return model->n_documents > 0 && !model_document_of_chunk(model, from) && documents_beginning(model, from, to) == 0;
}

static drt_string base_name(const drt_string *path) {
    size_t start = path->length;
    while (start > 0 && path->data[start - 1] != '/')
        start--;
    return (drt_string){path->data + start, path->length - start};
}

/* -------------------------------------------------------------------------------------- rows ---- */

static rect cell_area(const heat *strip, rect row, int index) {
    return rect_left(rect_after(rect_top(row, 1), index * strip->cell_columns), strip->cell_columns);
}

static void draw_weight(cells *out, rect area, float weight) {
    attribute look = theme_heat(weight);
    draw_level(out, area, 0, 0, weight, look);
    if (area.columns >= 6)
        cells_printf(out, area, 0, 1, look, "%4.2f", (double)weight);
    else if (area.columns >= 4 && weight < 0.995f)
        cells_printf(out, area, 0, 1, look, ".%02d", (int)(weight * 100 + 0.5f));
    else if (area.columns >= 4)
        cells_text(out, area, 0, 1, look, "1.0");
    else if (area.columns >= 2)
        draw_level(out, area, 0, 1, weight, look);
}

void heat_draw_weights(const heat *strip, const ui_model *model, const drt_event *event, cells *out, rect row) {
    for (int index = 0; index < strip->cells; index++) {
        int64_t from, to;
        rect area = cell_area(strip, row, index);
        cell_range(strip, strip->first_cell + index, &from, &to);
        size_t hit = event_heaviest(event, from, to);
        if (hit != HIT_NONE)
            draw_weight(out, area, event->hits[hit].weight);
        else if (!is_dead(model, from, to))
            cells_glyph(out, area, 0, 0, ROLE_DIM, GLYPH_NOTHING);
    }
}

void heat_draw_bm25(const heat *strip, const drt_answer *trace, int step, cells *out, rect row) {
    for (int rank = trace ? trace->top_k : 0; rank > 0; rank--) { /* the best one is drawn last */
        if (!trace->bm25 || step < 0 || (size_t)step >= trace->n_steps)
            return;
        int64_t chunk = trace->bm25[step][rank - 1];
        if (chunk < 0 || chunk >= strip->chunks)
            continue;
        int64_t index = cell_of_chunk(strip, chunk) - strip->first_cell;
        if (index < 0 || index >= strip->cells)
            continue;
        rect area = cell_area(strip, row, (int)index);
        cells_fill(out, area, ROLE_ACCENT);
        if (rank < 10 || area.columns > 2)
            cells_printf(out, area, 0, 0, ROLE_ACCENT, "%d", rank);
        else
            cells_text(out, area, 0, 0, ROLE_ACCENT, "+");
    }
}

static void draw_border(cells *out, rect area, int column, size_t documents) {
    if (documents == 1)
        cells_glyph(out, area, 0, column, ROLE_BORDER, GLYPH_BORDER);
    else if (documents > 1)
        cells_printf(out, area, 0, column, ROLE_DIM, "%c", documents < 10 ? (char)('0' + documents) : '+');
}

/* The cell after the last of a document that covers cell `at`, or the one where the next document begins. */
static int end_of_name(const heat *strip, const ui_model *model, const drt_document *document, int at) {
    int64_t end = cell_of_chunk(strip, smaller(document->first_chunk + document->chunks, strip->chunks) - 1) + 1;
    size_t next = first_beginning(model, cell_start(strip, strip->first_cell + at + 1));
    if (next < model->n_by_chunk) {
        int64_t begins = model->documents[model->by_chunk[next]].first_chunk;
        end = smaller(end, cell_of_chunk(strip, smaller(begins, strip->chunks)));
    }
    return (int)between(end - strip->first_cell, at + 1, strip->cells);
}

static void draw_document_names(const heat *strip, const ui_model *model, cells *out, rect row) {
    for (int index = 0, next; index < strip->cells; index = next) {
        int64_t from, to;
        cell_range(strip, strip->first_cell + index, &from, &to);
        size_t beginning = documents_beginning(model, from, to);
        const drt_document *document = model_document_of_chunk(model, to - 1);
        next = index + 1;
        draw_border(out, row, index * strip->cell_columns, beginning);
        if (!document)
            continue;
        next = end_of_name(strip, model, document, index);
        int columns = (next - index) * strip->cell_columns - 2;
        drt_string name = base_name(&document->path);
        bool here = strip->cursor >= document->first_chunk && strip->cursor < document->first_chunk + document->chunks;
        if (columns >= 3)
            cells_put_cut(out, row, 0, index * strip->cell_columns + 1, columns, CUT_END, here ? ROLE_STRONG : ROLE_DIM,
                          name.data, name.length);
    }
}

/* In a large library documents are too many to be named: folders and archives are, at the deepest level that leaves
 * room for names. Level n: the first n parts of a path, without the document's own name. */
static drt_string folder_of(const drt_document *document, int level) {
    size_t end = 0;
    for (size_t i = 0; document && i < document->path.length && level > 0; i++)
        if (document->path.data[i] == '/') {
            end = i;
            level--;
        }
    return (drt_string){document ? document->path.data : NULL, end};
}

static bool same_text(drt_string a, drt_string b) {
    return a.length == b.length && (a.length == 0 || memcmp(a.data, b.data, a.length) == 0);
}

static drt_string folder_of_cell(const heat *strip, const ui_model *model, int index, int level) {
    int64_t from, to;
    cell_range(strip, strip->first_cell + index, &from, &to);
    return folder_of(model_document_of_chunk(model, to - 1), level);
}

/* The cell after those of the folder that begins at `index`. */
static int end_of_folder(const heat *strip, const ui_model *model, int index, int level) {
    drt_string folder = folder_of_cell(strip, model, index, level);
    do
        index++;
    while (index < strip->cells && same_text(folder_of_cell(strip, model, index, level), folder));
    return index;
}

static int count_folders(const heat *strip, const ui_model *model, int level) {
    int n = 0;
    for (int index = 0; index < strip->cells; index = end_of_folder(strip, model, index, level))
        n++;
    return n;
}

#define DEEPEST 8
#define DOCUMENT_CELLS 5 /* on the average, for names that can be read */
#define FOLDER_CELLS 6

/* 0: the documents themselves are few enough, or no level of folders says more. */
static int level_of_names(const heat *strip, const ui_model *model) {
    int64_t from, to;
    heat_window(strip, &from, &to);
    if (documents_beginning(model, from, to) * DOCUMENT_CELLS <= (size_t)strip->cells)
        return 0;
    int best = 0;
    for (int level = 1; level <= DEEPEST; level++) {
        int folders = count_folders(strip, model, level);
        if (folders * FOLDER_CELLS > strip->cells + FOLDER_CELLS)
            break;
        best = folders > 1 ? level : 0;
    }
    return best;
}

static void draw_folder_names(const heat *strip, const ui_model *model, int level, cells *out, rect row) {
    const drt_document *here = model_document_of_chunk(model, strip->cursor);
    for (int index = 0, next; index < strip->cells; index = next) {
        drt_string folder = folder_of_cell(strip, model, index, level), name = base_name(&folder);
        next = end_of_folder(strip, model, index, level);
        attribute look = here && same_text(folder_of(here, level), folder) ? ROLE_STRONG : ROLE_DIM;
        int column = index * strip->cell_columns, columns = (next - index) * strip->cell_columns - 2;
        if (name.length == 0)
            continue;
        cells_glyph(out, row, 0, column, ROLE_BORDER, GLYPH_BORDER);
        if (columns >= 3) {
            int used = cells_put_cut(out, row, 0, column + 1, columns, CUT_END, look, name.data, name.length);
            if (used < columns)
                cells_text(out, row, 0, column + 1 + used, look, "/");
        }
    }
}

void heat_draw_names(const heat *strip, const ui_model *model, cells *out, rect row) {
    int level = level_of_names(strip, model);
    if (level > 0)
        draw_folder_names(strip, model, level, out, row);
    else
        draw_document_names(strip, model, out, row);
}

/* ------------------------------------------------------------------------------------ cursor ---- */

typedef struct {
    char facts[128]; /* chunks and hits */
    drt_string document;
    char place[48]; /* in the document, or how many more there are */
} cursor_label;

static void describe_chunk(const ui_model *model, int64_t chunk, cursor_label *label) {
    char number[32];
    const drt_document *document = model_document_of_chunk(model, chunk);
    format_count(chunk, number);
    snprintf(label->facts, sizeof label->facts, "chunk %s", number);
    if (document) {
        label->document = base_name(&document->path);
        snprintf(label->place, sizeof label->place, " %lld/%lld", (long long)(chunk - document->first_chunk + 1),
                 (long long)document->chunks);
    } else if (model->n_documents > 0)
        snprintf(label->place, sizeof label->place, "removed");
}

static void describe_range(const ui_model *model, const drt_event *event, int64_t from, int64_t to,
                           cursor_label *label) {
    char first[32], last[32], hits[32] = "";
    size_t n = hits_among(event, from, to);
    const drt_document *document = model_document_of_chunk(model, from);
    size_t documents = documents_beginning(model, from + (document != NULL), to) + (document != NULL);
    format_count(from, first);
    format_count(to - 1, last);
    if (n > 0)
        snprintf(hits, sizeof hits, ", %zu hit%s", n, n == 1 ? "" : "s");
    snprintf(label->facts, sizeof label->facts, "chunks %s-%s%s", first, last, hits);
    if (document && documents == 1)
        label->document = base_name(&document->path);
    else if (documents > 0)
        snprintf(label->place, sizeof label->place, "%zu documents", documents);
    else if (model->n_documents > 0)
        snprintf(label->place, sizeof label->place, "removed");
}

/* The label stands on the side of the cursor that has more room. */
static void draw_label(cells *out, rect row, int column, const cursor_label *label) {
    int facts = (int)strlen(label->facts), place = (int)strlen(label->place);
    bool right = row.columns - column - 1 >= column;
    int room = (right ? row.columns - column - 1 : column) - 1;
    int name = room - facts - 3 - place;
    int wanted = cluster_columns(label->document.data, label->document.length, out->ascii);
    name = name < wanted ? name : wanted;
    if (name < 4 && wanted > 0)
        name = 0;
    int tail = name > 0 ? 3 + name + place : wanted == 0 && place > 0 && facts + 3 + place <= room ? 3 + place : 0;
    int at = right ? column + 2 : column - 1 - facts - tail;
    at += cells_text(out, row, 0, at, ROLE_STRONG, label->facts);
    if (tail == 0)
        return;
    cells_glyph(out, row, 0, at + 1, ROLE_DIM, GLYPH_DOT);
    at += 3;
    if (name > 0)
        at += cells_put_cut(out, row, 0, at, name, CUT_END, ROLE_TEXT, label->document.data, label->document.length);
    cells_text(out, row, 0, at, ROLE_TEXT, label->place);
}

void heat_draw_cursor(const heat *strip, const ui_model *model, const drt_event *event, cells *out, rect row) {
    cursor_label label = {0};
    int64_t from, to;
    if (strip->cells < 1)
        return;
    heat_cursor_range(strip, &from, &to);
    if (to - from == 1)
        describe_chunk(model, from, &label);
    else
        describe_range(model, event, from, to, &label);
    int column = (int)(cell_of_chunk(strip, strip->cursor) - strip->first_cell) * strip->cell_columns;
    cells_glyph(out, row, 0, column, ROLE_ACCENT, GLYPH_CURSOR_ABOVE);
    draw_label(out, row, column, &label);
}
