/* retrieval_scores.c: the scores of all chunks as a histogram with the hits of the current event marked in it, and
 * what BM25 would have chosen. See retrieval_parts.h. */
#include <math.h>
#include <string.h>

#include "ui/retrieval_parts.h"

#define WIDE_COLUMNS DRT_HISTOGRAM_BINS
#define NARROW_COLUMNS (DRT_HISTOGRAM_BINS / 2)
#define GAP 2
#define BM25_COLUMNS 36   /* worth standing beside the histogram */
#define HISTOGRAM_ROWS 18 /* at most, where there is much room */
#define STACKED_ROWS 14   /* from here on BM25's ranking stands below it */

/* --------------------------------------------------------------------------------- histogram ---- */

typedef struct {
    const drt_event *event;
    int columns, bins_per_column;
    uint64_t total, highest; /* of all, and of a column */
} histogram;

static uint64_t column_count(const histogram *shown, int column) {
    uint64_t n = 0;
    for (int i = 0; i < shown->bins_per_column; i++)
        n += shown->event->histogram[column * shown->bins_per_column + i];
    return n;
}

static histogram histogram_of(const drt_event *event, int width) {
    histogram shown = {.event = event};
    shown.columns = width >= WIDE_COLUMNS ? WIDE_COLUMNS : NARROW_COLUMNS;
    shown.bins_per_column = DRT_HISTOGRAM_BINS / shown.columns;
    for (int column = 0; column < shown.columns; column++) {
        uint64_t n = column_count(&shown, column);
        shown.total += n;
        shown.highest = n > shown.highest ? n : shown.highest;
    }
    return shown;
}

static int bin_of(const drt_event *event, float score) {
    float range = event->histogram_high - event->histogram_low;
    float place = range > 0 ? (score - event->histogram_low) / range * DRT_HISTOGRAM_BINS : 0;
    return !(place > 0) ? 0 : place >= DRT_HISTOGRAM_BINS ? DRT_HISTOGRAM_BINS - 1 : (int)place;
}

/* One column, from the bottom up in eighths of a row. Logarithmic: few chunks must be seen beside very many. */
static void draw_column(const histogram *shown, int column, cells *out, rect area) {
    uint64_t n = column_count(shown, column);
    float share = n > 0 ? (float)(log1p((double)n) / log1p((double)shown->highest)) : 0;
    int eighths = (int)(share * (float)area.rows * 8 + 0.5f);
    if (n > 0 && eighths == 0)
        eighths = 1;
    for (int row = area.rows - 1; row >= 0 && eighths > 0; row--, eighths -= 8)
        cells_glyph(out, area, row, column, ROLE_BORDER_FOCUS, (glyph_id)(GLYPH_LEVEL_0 + (eighths < 8 ? eighths : 8)));
}

/* The ranks of the hits below the columns that they fall into; the best one when several do. */
static void draw_marks(const histogram *shown, size_t selected, cells *out, rect row) {
    const drt_event *event = shown->event;
    for (size_t i = event->n_hits; i > 0; i--) {
        const drt_hit *hit = &event->hits[i - 1];
        int column = bin_of(event, hit->score) / shown->bins_per_column;
        cells_printf(out, row, 0, column, ROLE_ACCENT, "%c", hit->rank < 10 ? (char)('0' + hit->rank) : '+');
    }
    if (selected < event->n_hits) {
        int column = bin_of(event, event->hits[selected].score) / shown->bins_per_column;
        cells_flag(out, rect_left(rect_after(row, column), 1), ATTRIBUTE_REVERSE);
    }
}

static void draw_range(const histogram *shown, cells *out, rect row) {
    char high[32];
    int length = snprintf(high, sizeof high, "%.2f", (double)shown->event->histogram_high);
    cells_printf(out, row, 0, 0, ROLE_DIM, "%.2f", (double)shown->event->histogram_low);
    cells_text(out, row, 0, shown->columns / 2 - 2, ROLE_DIM, "score");
    cells_text(out, row, 0, shown->columns - length, ROLE_DIM, high);
}

/* What the histogram says of one hit: how many chunks score as high, up to the width of a bin. */
static void draw_standing(const histogram *shown, size_t selected, cells *out, rect row) {
    const drt_event *event = shown->event;
    char total[32], as_high[32], text[128];
    uint64_t n = 0;
    format_count((int64_t)shown->total, total);
    if (selected >= event->n_hits) {
        cells_printf(out, row, 0, 0, ROLE_TEXT, "%s chunks were scored", total);
        return;
    }
    const drt_hit *hit = &event->hits[selected];
    for (int bin = bin_of(event, hit->score); bin < DRT_HISTOGRAM_BINS; bin++)
        n += event->histogram[bin];
    format_count((int64_t)n, as_high);
    int length =
        snprintf(text, sizeof text, "#%d at %.2f: top %s of %s", hit->rank, (double)hit->score, as_high, total);
    if (length > row.columns) /* a number must not be cut */
        snprintf(text, sizeof text, "#%d at %.2f: top %.2g %%", hit->rank, (double)hit->score,
                 100.0 * (double)n / (double)shown->total);
    cells_text(out, row, 0, 0, ROLE_TEXT, text);
}

static void draw_histogram(const ui_model *model, cells *out, rect area) {
    const drt_event *event = model_event(model);
    rect title = rect_top(area, 1);
    int at = cells_text(out, title, 0, 0, ROLE_STRONG, "Scores of all chunks");
    histogram shown = histogram_of(event, area.columns);
    if (shown.total == 0) {
        cells_text(out, area, 1, 0, ROLE_DIM,
                   trace_is_whole(model) ? "No chunk was scored." : "They come with the whole answer.");
        return;
    }
    if (area.rows < 4) { /* no room for bars */
        draw_standing(&shown, model->place.hit, out, rect_below(area, 1));
        return;
    }
    cells_text(out, title, 0, at + 1, ROLE_DIM, "(log)");
    bool roomy = area.rows >= 6; /* else the range of scores gives way to the bars */
    rect below = rect_bottom(area, roomy ? 3 : 2);
    rect bars = rect_above(rect_below(area, 1), below.rows);
    for (int column = 0; column < shown.columns; column++)
        draw_column(&shown, column, out, rect_left(bars, shown.columns));
    draw_marks(&shown, model->place.hit, out, rect_top(below, 1));
    if (roomy)
        draw_range(&shown, out, rect_below(below, 1));
    draw_standing(&shown, model->place.hit, out, rect_bottom(below, 1));
}

/* -------------------------------------------------------------------------------------- BM25 ---- */

/* Its choices in this step; they end at the first that is not there. */
static int bm25_choices(const drt_answer *trace, int step) {
    int n = 0;
    if (!trace->bm25 || step < 0 || (size_t)step >= trace->n_steps)
        return 0;
    while (n < trace->top_k && trace->bm25[step][n] >= 0)
        n++;
    return n;
}

#define AT_CHUNK 3
#define AT_GROUPS 11

/* Columns of a group in the list: "grp 1 2/4", or "1: 2/4" where there is little room. */
static int group_columns(const drt_answer *trace, int columns) {
    return columns - AT_GROUPS - 11 * trace->n_groups >= 18 ? 11 : 8;
}

/* The groups with how many of their hits BM25 chose too. */
static void draw_heading(const drt_answer *trace, int step, cells *out, rect row) {
    int columns = group_columns(trace, row.columns), at = AT_GROUPS;
    cells_text(out, row, 0, 0, ROLE_STRONG, "BM25");
    cells_text(out, row, 0, AT_CHUNK + 2, ROLE_DIM, "chunk");
    for (int group = 0; group < trace->n_groups; group++, at += columns) {
        const drt_event *event = trace_event(trace, step, group);
        if (event)
            cells_printf(out, row, 0, at, theme_group(group), columns > 8 ? "grp %d %zu/%zu" : "%d: %zu/%zu", group + 1,
                         trace_bm25_shared(trace, event), event->n_hits);
    }
    cells_text(out, row, 0, at, ROLE_DIM, "document");
}

/* A choice, with the rank that each group gave it. */
static void draw_choice(const ui_model *model, int rank, int64_t chunk, cells *out, rect row) {
    const drt_answer *trace = model_trace(model);
    const drt_document *document = model_document_of_chunk(model, chunk);
    int columns = group_columns(trace, row.columns), at = AT_GROUPS;
    cells_printf(out, row, 0, 0, ROLE_TEXT, "%2d %7lld", rank, (long long)chunk);
    for (int group = 0; group < trace->n_groups; group++, at += columns) {
        const drt_event *event = trace_event(trace, model->place.step, group);
        size_t hit = event_hit_of(event, chunk);
        if (hit != HIT_NONE)
            cells_printf(out, row, 0, at, theme_group(group), "#%d", event->hits[hit].rank);
        else
            cells_text(out, row, 0, at, ROLE_DIM, "-");
    }
    if (document)
        cells_put_cut(out, row, 0, at, row.columns - at, CUT_START, ROLE_TEXT, document->path.data,
                      document->path.length);
    else if (model->n_documents > 0)
        cells_text(out, row, 0, at, ROLE_DIM, "removed");
}

static void draw_bm25(const ui_model *model, cells *out, rect area) {
    const drt_answer *trace = model_trace(model);
    int step = model->place.step, n = bm25_choices(trace, step);
    if (n == 0) {
        cells_text(out, area, 0, 0, ROLE_STRONG, "BM25");
        cells_text(out, area, 1, 0, ROLE_DIM,
                   trace_is_whole(model) ? "It found nothing." : "Its choice comes with the whole answer.");
        return;
    }
    draw_heading(trace, step, out, rect_top(area, 1));
    int shown = n < area.rows ? n : area.rows > 3 ? area.rows - 2 : 1; /* the last row says what is not shown */
    for (int i = 0; i < shown; i++)
        draw_choice(model, i + 1, trace->bm25[step][i], out, rect_top(rect_below(area, i + 1), 1));
    if (shown < n && shown + 1 < area.rows)
        cells_printf(out, rect_bottom(area, 1), 0, AT_CHUNK, ROLE_DIM, "%d more", n - shown);
}

/* -------------------------------------------------------------------------------------- both ---- */

void scores_draw(const ui_model *model, cells *out, rect area) {
    if (!model_event(model))
        return;
    if (area.columns >= WIDE_COLUMNS + GAP + BM25_COLUMNS && area.rows <= HISTOGRAM_ROWS) {
        draw_histogram(model, out, rect_left(area, WIDE_COLUMNS));
        draw_bm25(model, out, rect_after(area, WIDE_COLUMNS + GAP));
    } else if (area.rows >= STACKED_ROWS || area.columns < NARROW_COLUMNS + GAP + 24) {
        int half = area.rows < 8 ? 2 : area.rows * 3 / 5;
        int upper = half < HISTOGRAM_ROWS ? half : HISTOGRAM_ROWS;
        draw_histogram(model, out, rect_top(area, upper));
        draw_bm25(model, out, rect_below(area, upper + (area.rows >= STACKED_ROWS)));
    } else {
        draw_histogram(model, out, rect_left(area, NARROW_COLUMNS));
        draw_bm25(model, out, rect_after(area, NARROW_COLUMNS + GAP));
    }
}
