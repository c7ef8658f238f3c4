/* retrieval_parts.h: the parts of the retrieval pane, one file each: the strip over the library, the table of events,
 * the scores with BM25's choice, the hops. They are computed from a trace (model.h); what is zoomed or scrolled is
 * kept by whoever draws them. May use: model.h, draw.h, list.h. */
#ifndef DRT_UI_RETRIEVAL_PARTS_H
#define DRT_UI_RETRIEVAL_PARTS_H

#include "ui/draw.h"
#include "ui/list.h"
#include "ui/model.h"

#define HIT_NONE SIZE_MAX

/* The hit of an event that is this chunk; HIT_NONE: not among them, or no event. */
size_t event_hit_of(const drt_event *event, int64_t chunk);
/* The heaviest hit among the chunks from..to-1; HIT_NONE: there is none. */
size_t event_heaviest(const drt_event *event, int64_t from, int64_t to);
/* BM25's rank of a chunk in a step, from 1; 0: it did not choose it. */
int trace_bm25_rank(const drt_answer *trace, int step, int64_t chunk);
/* Is the trace that is looked at complete? While the answer grows, scores and BM25's choice are not known. */
bool trace_is_whole(const ui_model *model);
/* How many of an event's hits BM25 chose too. */
size_t trace_bm25_shared(const drt_answer *trace, const drt_event *event);

/* ------------------------------------------------------------------ retrieval_heat.c: strip ---- */

#define HEAT_WIDEST 6 /* columns of a cell at most: room for its weight in digits */

/* A window of cells over the chunks of the library. A cell stands for several chunks, or is several columns wide. */
typedef struct {
    int64_t cursor; /* a chunk */
    int zoom;       /* 0: the whole library; each further level shows half as much */
    /* of the last heat_arrange */
    int64_t chunks, total_cells, first_cell; /* first_cell: at the left edge */
    int columns, cell_columns, cells;
} heat;

/* Chunks of the library, at least those that the traces speak of. */
int64_t heat_chunks(const ui_model *model);
/* Fits the strip to a library and a width and keeps the cursor in view. Before everything below. */
void heat_arrange(heat *strip, int64_t chunks, int columns);
/* false: it is as far in or out as it goes. */
bool heat_zoom(heat *strip, bool in);
/* Moves the cursor by cells, to the first chunk of the one that it reaches. */
void heat_move(heat *strip, int by);
/* The chunks from..to-1 of the cell that the cursor is in. */
void heat_cursor_range(const heat *strip, int64_t *from, int64_t *to);
/* The chunks that the window shows. */
void heat_window(const heat *strip, int64_t *from, int64_t *to);
/* The first chunk of the cell at a column, -1: none is there. */
int64_t heat_chunk_at(const heat *strip, int column);

/* One row each, from the area's first column. The shade is the largest weight in the cell; event NULL: no hits. */
void heat_draw_weights(const heat *strip, const ui_model *model, const drt_event *event, cells *out, rect row);
/* BM25's ranks in a step. */
void heat_draw_bm25(const heat *strip, const drt_answer *trace, int step, cells *out, rect row);
/* Where documents begin, with their names where there is room; a digit: as many begin in this cell. Where they are
 * too many, where folders and archives begin. */
void heat_draw_names(const heat *strip, const ui_model *model, cells *out, rect row);
/* The cursor with what it points at: chunks, document, hits of the event. */
void heat_draw_cursor(const heat *strip, const ui_model *model, const drt_event *event, cells *out, rect row);

/* ---------------------------------------------------------------- retrieval_events.c: table ---- */

/* Lines of the table: one a hit, one for an event without hits; in the order of the events. */
size_t events_lines(const drt_answer *trace);
size_t events_line_of(const drt_answer *trace, trace_place place);
/* The place of a line; the token is left as it is. */
void events_place_of(const drt_answer *trace, size_t line, trace_place *place);
/* With a heading. */
void events_draw(list *lines, const ui_model *model, cells *out, rect area, bool focused);
/* Where its lines are within the area. */
rect events_body(rect area);

/* --------------------------------------------------------------- retrieval_scores.c: scores ---- */

/* The histogram of all scores with the hits of the current event marked, and BM25's ranking beside or below it. */
void scores_draw(const ui_model *model, cells *out, rect area);

/* ------------------------------------------------------------------- retrieval_hops.c: hops ---- */

/* From a group to the next one: the first's hits, then what the second found besides. */
typedef struct {
    const drt_event *first, *second; /* NULL: this model has one group, or the trace lacks them */
} hops;

hops hops_of(const ui_model *model);
size_t hops_lines(hops pair);
size_t hops_line_of(hops pair, trace_place place);
void hops_place_of(hops pair, size_t line, trace_place *place);
void hops_draw(list *lines, const ui_model *model, cells *out, rect area, bool focused);
/* Where its lines are within the area. */
rect hops_body(rect area);

#endif
