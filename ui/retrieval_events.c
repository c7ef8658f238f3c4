/* retrieval_events.c: every retrieval of an answer as a table: step and group, then rank, weight, score, null mass,
 * BM25's rank, and where the chunk is. See retrieval_parts.h. */
#include "ui/retrieval_parts.h"

int trace_bm25_rank(const drt_answer *trace, int step, int64_t chunk) {
    if (!trace || !trace->bm25 || step < 0 || (size_t)step >= trace->n_steps)
        return 0;
    for (int i = 0; i < trace->top_k; i++)
        if (trace->bm25[step][i] == chunk && chunk >= 0)
            return i + 1;
    return 0;
}

bool trace_is_whole(const ui_model *model) {
    return model->turn < model->n_turns && model->turns[model->turn].trace != NULL;
}

size_t trace_bm25_shared(const drt_answer *trace, const drt_event *event) {
    size_t n = 0;
    for (size_t i = 0; event && i < event->n_hits; i++)
        n += trace_bm25_rank(trace, event->step, event->hits[i].chunk) > 0;
    return n;
}

/* ------------------------------------------------------------------------------------- lines ---- */

static size_t lines_of(const drt_event *event) {
    return event->n_hits > 0 ? event->n_hits : 1;
}

size_t events_lines(const drt_answer *trace) {
    size_t n = 0;
    for (size_t i = 0; trace && i < trace->n_events; i++)
        n += lines_of(&trace->events[i]);
    return n;
}

size_t events_line_of(const drt_answer *trace, trace_place place) {
    size_t line = 0;
    for (size_t i = 0; trace && i < trace->n_events; i++) {
        const drt_event *event = &trace->events[i];
        if (event->step == place.step && event->group == place.group)
            return line + place.hit;
        line += lines_of(event);
    }
    return 0;
}

/* The event of a line, and which of its lines it is; NULL past the end. */
static const drt_event *event_of_line(const drt_answer *trace, size_t line, size_t *hit) {
    for (size_t i = 0; trace && i < trace->n_events; i++) {
        *hit = line;
        if (line < lines_of(&trace->events[i]))
            return &trace->events[i];
        line -= lines_of(&trace->events[i]);
    }
    return NULL;
}

void events_place_of(const drt_answer *trace, size_t line, trace_place *place) {
    size_t hit;
    const drt_event *event = event_of_line(trace, line, &hit);
    if (!event)
        return;
    place->step = event->step;
    place->group = event->group;
    place->hit = hit;
}

/* ----------------------------------------------------------------------------------- columns ---- */

/* Where each column starts; -1: there is no room for it. */
typedef struct {
    int rank, weight, bar, bar_columns, score, null_mass, bm25, chunk, document, place;
    int chunk_columns, place_columns;
} columns_at;

static columns_at columns_of(int width, int64_t chunks) {
    columns_at at = {.rank = 10, .weight = 13, .bar = 18, .null_mass = -1, .bm25 = -1, .chunk = -1, .place = -1};
    at.bar_columns = width >= 150 ? 24 : width >= 96 ? 16 : width >= 60 ? 8 : 4;
    at.score = at.bar + at.bar_columns + 1;
    at.chunk_columns = 5;
    for (int64_t n = chunks; n > 99999; n /= 10)
        at.chunk_columns++;
    at.place_columns = width >= 96 ? 12 : 8;
    int next = at.score + 7;
    if (width >= 50) {
        at.null_mass = next;
        next += 6;
    }
    if (width >= 60) {
        at.bm25 = next;
        next += 6;
    }
    if (width >= 68) {
        at.chunk = next;
        next += at.chunk_columns + 1;
    }
    at.document = next;
    if (width >= 76)
        at.place = width - at.place_columns;
    return at;
}

static void draw_heading(cells *out, rect row, columns_at at) {
    cells_text(out, row, 0, 0, ROLE_DIM, "step grp  #");
    cells_text(out, row, 0, at.weight, ROLE_DIM, "weight");
    cells_text(out, row, 0, at.score, ROLE_DIM, " score");
    if (at.null_mass >= 0)
        cells_text(out, row, 0, at.null_mass, ROLE_DIM, " null");
    if (at.bm25 >= 0)
        cells_text(out, row, 0, at.bm25, ROLE_DIM, " BM25");
    if (at.chunk >= 0)
        cells_printf(out, row, 0, at.chunk, ROLE_DIM, "%*s", at.chunk_columns, "chunk");
    cells_text(out, row, 0, at.document, ROLE_DIM, "document");
    if (at.place >= 0)
        cells_printf(out, row, 0, at.place, ROLE_DIM, "%*s", at.place_columns, "place");
}

/* ------------------------------------------------------------------------------------- table ---- */

typedef struct {
    const ui_model *model;
    const list *lines;
    int64_t chunks;
} table;

static bool is_plain(attribute look) {
    return (look & ATTRIBUTE_ROLE) == ROLE_TEXT;
}

static void draw_position(const table *shown, const drt_hit *hit, cells *out, rect row, columns_at at, attribute look) {
    const drt_document *document = model_document_of_chunk(shown->model, hit->chunk);
    char place[48] = "";
    if (document)
        snprintf(place, sizeof place, "%lld/%lld", (long long)(hit->chunk - document->first_chunk + 1),
                 (long long)document->chunks);
    else if (shown->model->n_documents > 0)
        snprintf(place, sizeof place, "removed");
    int end = at.place >= 0 ? at.place : row.columns;
    if (at.chunk >= 0)
        cells_printf(out, row, 0, at.chunk, look, "%*lld", at.chunk_columns, (long long)hit->chunk);
    cells_put_cut(out, row, 0, at.document, end - at.document, CUT_START, look, hit->document.data,
                  hit->document.length);
    if (at.place >= 0)
        cells_printf(out, row, 0, at.place, look, "%*s", at.place_columns, place);
}

static void draw_hit(const table *shown, const drt_event *event, size_t index, cells *out, rect row, columns_at at,
                     attribute look) {
    const drt_hit *hit = &event->hits[index];
    cells_printf(out, row, 0, at.rank - 1, look, "%2d", hit->rank);
    cells_printf(out, row, 0, at.weight, look, "%4.2f", (double)hit->weight);
    draw_bar(out, row, 0, at.bar, at.bar_columns, hit->weight, is_plain(look) ? theme_heat(hit->weight) : look);
    cells_printf(out, row, 0, at.score, look, "%6.2f", (double)hit->score);
    int rank = trace_bm25_rank(model_trace(shown->model), event->step, hit->chunk);
    if (at.bm25 >= 0 && rank > 0)
        cells_printf(out, row, 0, at.bm25, look, "%5d", rank);
    draw_position(shown, hit, out, row, at, look);
}

static void draw_line(void *user, size_t index, cells *out, rect row, attribute look) {
    const table *shown = user;
    columns_at at = columns_of(row.columns, shown->chunks);
    size_t hit;
    const drt_event *event = event_of_line(model_trace(shown->model), index, &hit);
    if (!event)
        return;
    bool first = hit == 0 || index == shown->lines->first;
    attribute group = is_plain(look) ? theme_group(event->group) : look;
    cells_printf(out, row, 0, 0, is_plain(look) && !first ? ROLE_DIM : look, "%4d", event->step);
    cells_printf(out, row, 0, 5, group, "%3d", event->group + 1);
    if (event->n_hits > 0)
        draw_hit(shown, event, hit, out, row, at, look);
    else
        cells_text(out, row, 0, at.rank, is_plain(look) ? ROLE_DIM : look, "nothing was retrieved");
    if (first && at.null_mass >= 0)
        cells_printf(out, row, 0, at.null_mass, look, "%5.2f", (double)event->null_mass);
}

rect events_body(rect area) {
    return rect_below(area, 1);
}

void events_draw(list *lines, const ui_model *model, cells *out, rect area, bool focused) {
    table shown = {model, lines, heat_chunks(model)};
    rect heading = rect_top(area, 1), body = events_body(area);
    if ((size_t)body.rows < lines->count) /* the lines make room for the scroll bar */
        heading = rect_before(heading, 1);
    draw_heading(out, heading, columns_of(heading.columns, shown.chunks));
    list_draw(lines, out, body, focused, draw_line, &shown);
}
