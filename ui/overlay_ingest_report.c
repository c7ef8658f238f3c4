/* overlay_ingest_report.c: how far the ingest is, how fast, and what it could not read. May use: view.h, list.h,
 * draw.h. */
#include <stdlib.h>
#include <string.h>

#include "ui/draw.h"
#include "ui/list.h"
#include "ui/view.h"

#define BOX_COLUMNS 100
#define HEAD_ROWS 7   /* source, state, bar, stages in two, counts, current */
#define DETAIL_ROWS 3 /* path and reason of the selected member */

typedef struct {
    list rows;
    rect list_area;        /* as drawn last */
    const ui_model *model; /* during draw */
} report;

static void *create(int64_t number) {
    (void)number;
    return calloc(1, sizeof(report));
}

static void update(void *self, const ui_model *model, unsigned changed) {
    if (changed & CHANGED_INGEST)
        list_set_count(&((report *)self)->rows, model->ingest.n_failures);
}

/* ------------------------------------------------------------------------------------ head ---- */

static double share_done(const model_ingest *ingest) {
    return ingest->bytes_total > 0 ? (double)ingest->bytes_done / (double)ingest->bytes_total : 0;
}

static void draw_state(const model_ingest *ingest, cells *out, rect line) {
    char seconds[32];
    format_seconds(ingest->finished ? ingest->report.seconds : ingest->seconds, seconds);
    if (ingest->running && ingest->seconds <= 0)
        cells_text(out, line, 0, 0, ROLE_TEXT, "loading the model");
    else if (ingest->running)
        cells_printf(out, line, 0, 0, ROLE_TEXT, "reading, for %s", seconds);
    else if (ingest->error.data)
        cells_put_cut(out, line, 0, 0, line.columns, CUT_END, ROLE_ERROR, ingest->error.data, ingest->error.length);
    else if (ingest->report.cancelled)
        cells_printf(out, line, 0, 0, ROLE_WARNING, "stopped after %s; what was read is in the library", seconds);
    else
        cells_printf(out, line, 0, 0, ROLE_OK, "done in %s", seconds);
}

/* While it runs: share and time left. */
static void draw_bar_line(const model_ingest *ingest, cells *out, rect line) {
    double share = ingest->finished && !ingest->error.data && !ingest->report.cancelled ? 1 : share_done(ingest);
    int columns = line.columns - 32 > 10 ? line.columns - 32 : 10;
    char done[16], total[16], left[32];
    draw_bar(out, line, 0, 0, columns, (float)share, ROLE_ACCENT);
    int column = columns + 1;
    column += cells_printf(out, line, 0, column, ROLE_STRONG, "%3.0f %%", share * 100);
    if (ingest->running && ingest->bytes_total > 0 && ingest->bytes_per_second > 0) {
        format_seconds((double)(ingest->bytes_total - ingest->bytes_done) / ingest->bytes_per_second, left);
        cells_printf(out, line, 0, column, ROLE_TEXT, "  %s left", left);
    } else if (ingest->bytes_total > 0) {
        format_bytes(ingest->bytes_done, done);
        format_bytes(ingest->bytes_total, total);
        cells_printf(out, line, 0, column, ROLE_DIM, "  %s of %s", done, total);
    }
}

/* "215 MB/s", "6.4k/s", "1.7M/s". */
static void format_rate(drt_stage stage, double rate, char out[24]) {
    char bytes[16];
    if (stage == DRT_STAGE_READ) {
        format_bytes((int64_t)rate, bytes);
        snprintf(out, 24, "%s/s", bytes);
    } else if (rate >= 999950) {
        snprintf(out, 24, "%.1fM/s", rate / 1e6);
    } else {
        snprintf(out, 24, "%.1fk/s", rate / 1e3);
    }
}

/* Each stage's own rate, and how much of the time it works: the others wait for the busiest. */
static void draw_stages(const model_ingest *ingest, cells *out, rect area) {
    const drt_stage_facts *stages = ingest->finished ? ingest->report.stages : ingest->stages;
    double seconds = ingest->finished ? ingest->report.seconds : ingest->seconds;
    drt_stage slowest = drt_stage_bottleneck(stages);
    int width = area.columns / DRT_STAGES;
    for (int i = 0; i < DRT_STAGES && drt_stage_rate(&stages[DRT_STAGE_ENCODE]) > 0; i++) {
        char rate[24];
        attribute look = i == (int)slowest ? ROLE_STRONG : ROLE_DIM;
        format_rate((drt_stage)i, drt_stage_rate(&stages[i]), rate);
        cells_printf(out, area, 0, i * width, look, "%s %.0f %%", drt_stage_name((drt_stage)i),
                     100 * drt_stage_share(&stages[i], seconds));
        cells_text(out, area, 1, i * width, look, rate);
    }
}

static void draw_counts(const model_ingest *ingest, cells *out, rect line) {
    const drt_ingest_report *total = &ingest->report;
    const char *dot = glyph_text(GLYPH_DOT, out->ascii);
    char chunks[32], tokens[32];
    double rate = ingest->tokens_per_second;
    if (ingest->finished)
        rate = total->seconds > 0 ? (double)total->tokens / total->seconds : 0;
    format_count(ingest->finished ? total->chunks : ingest->chunks, chunks);
    format_count((int64_t)(rate + 0.5), tokens);
    if (ingest->finished && !ingest->error.data)
        cells_printf(out, line, 0, 0, ROLE_TEXT,
                     "%lld read, %lld in part, %lld skipped, %lld known %s %s chunks %s %s tokens/s",
                     (long long)total->ok, (long long)total->partial, (long long)total->skipped,
                     (long long)total->known, dot, chunks, dot, tokens);
    else
        cells_printf(out, line, 0, 0, ROLE_TEXT, "%lld read, %lld skipped %s %s chunks %s %s tokens/s",
                     (long long)ingest->members_done, (long long)ingest->members_failed, dot, chunks, dot, tokens);
}

static void draw_head(const model_ingest *ingest, cells *out, rect area) {
    cells_put_cut(out, area, 0, 0, area.columns, CUT_START, ROLE_STRONG, ingest->source.data, ingest->source.length);
    draw_state(ingest, out, rect_top(rect_below(area, 1), 1));
    draw_bar_line(ingest, out, rect_top(rect_below(area, 2), 1));
    draw_stages(ingest, out, rect_top(rect_below(area, 3), 2));
    draw_counts(ingest, out, rect_top(rect_below(area, 5), 1));
    if (ingest->running && ingest->current.data)
        cells_put_cut(out, area, 6, 0, area.columns, CUT_START, ROLE_DIM, ingest->current.data, ingest->current.length);
}

/* -------------------------------------------------------------------------------- failures ---- */

static void draw_row(void *user, size_t index, cells *out, rect row, attribute look) {
    const model_failure *failure = &((report *)user)->model->ingest.failures[index];
    bool skipped = failure->status == DRT_DOCUMENT_SKIPPED;
    attribute sign = look != ROLE_TEXT ? look : skipped ? ROLE_ERROR : ROLE_WARNING;
    int half = (row.columns - 4) / 2;
    cells_glyph(out, row, 0, 0, sign, skipped ? GLYPH_SKIPPED : GLYPH_PARTIAL);
    cells_put_cut(out, row, 0, 2, half, CUT_START, look, failure->path.data, failure->path.length);
    cells_put_cut(out, row, 0, 4 + half, row.columns - 4 - half, CUT_END, look == ROLE_TEXT ? ROLE_DIM : look,
                  failure->reason.data, failure->reason.length);
}

static void draw_detail(const report *view, const model_ingest *ingest, cells *out, rect area) {
    if (view->rows.selected >= ingest->n_failures)
        return;
    const model_failure *failure = &ingest->failures[view->rows.selected];
    cells_put_cut(out, area, 0, 0, area.columns, CUT_START, ROLE_STRONG, failure->path.data, failure->path.length);
    draw_wrapped(out, rect_below(area, 1), ROLE_TEXT, failure->reason.data, failure->reason.length);
}

static bool can_resume(const model_ingest *ingest) {
    return ingest->finished && (ingest->report.cancelled || ingest->error.data);
}

static int draw_hint(cells *out, rect line, int column, key_scope scope, ui_command command, const char *does) {
    char label[32];
    key_label(key_of(scope, command), label);
    column += cells_text(out, line, 0, column, ROLE_BAR_KEY, label) + 1;
    return column + cells_text(out, line, 0, column, ROLE_TEXT, does) + 4;
}

static void draw_hints(const model_ingest *ingest, cells *out, rect line) {
    int column = 0;
    if (ingest->running)
        column = draw_hint(out, line, column, SCOPE_GLOBAL, COMMAND_STOP, "stops it");
    else if (can_resume(ingest))
        column = draw_hint(out, line, column, SCOPE_INGEST, COMMAND_RESUME, "goes on with it");
    draw_hint(out, line, column, SCOPE_GLOBAL, COMMAND_CANCEL, ingest->running ? "leaves it running" : "closes this");
}

static void draw_failures(report *view, const model_ingest *ingest, cells *out, rect box, rect inner, bool focused) {
    char title[64];
    int top = HEAD_ROWS + 1, bottom = inner.rows - DETAIL_ROWS - 3;
    if (ingest->n_failures == 0 || bottom <= top)
        return;
    snprintf(title, sizeof title, "not read whole %s %zu", glyph_text(GLYPH_DOT, out->ascii), ingest->n_failures);
    draw_divider(out, box, top, title, true);
    view->list_area = rect_top(rect_below(inner, top), bottom - top);
    list_draw(&view->rows, out, view->list_area, focused, draw_row, view);
    draw_divider(out, box, bottom + 1, NULL, true);
    draw_detail(view, ingest, out, rect_top(rect_below(inner, bottom + 1), DETAIL_ROWS));
}

static void draw(void *self, const ui_model *model, cells *out, rect area, bool focused) {
    report *view = self;
    const model_ingest *ingest = &model->ingest;
    bool any = ingest->running || ingest->finished;
    int rows = !any ? 5 : ingest->n_failures == 0 ? HEAD_ROWS + 4 : area.rows;
    rect inner = draw_box(out, area, rows, BOX_COLUMNS, "ingest report");
    rect box = {inner.row - 1, inner.column - 1, inner.rows + 2, inner.columns + 2};
    inner = rect_inset(inner, 0, 1);
    view->model = model;
    view->list_area = (rect){0};
    if (any)
        draw_head(ingest, out, rect_top(inner, HEAD_ROWS));
    else
        cells_text(out, inner, 0, 0, ROLE_DIM, "No ingest since the program was started.");
    draw_failures(view, ingest, out, box, inner, focused);
    draw_hints(ingest, out, rect_bottom(inner, 1));
}

/* -------------------------------------------------------------------------------- commands ---- */

/* What was read is known by its content, so beginning again goes on. */
static void resume(const model_ingest *ingest, const ui_actions *actions) {
    char *source = strdup(ingest->source.data ? ingest->source.data : ""); /* the model's own goes away */
    if (source)
        emit_text(actions, ACTION_INGEST, source, strlen(source));
    free(source);
}

static bool command(void *self, const ui_model *model, ui_command what, const ui_actions *actions) {
    if (what == COMMAND_RESUME) {
        if (can_resume(&model->ingest))
            resume(&model->ingest, actions);
        return true;
    }
    if (what == COMMAND_INGEST && !model->ingest.running) {
        emit(actions, ACTION_CLOSE, 0);
        emit_overlay(actions, OVERLAY_INGEST, 0);
        return true;
    }
    return list_command(&((report *)self)->rows, what);
}

static bool mouse(void *self, const ui_model *model, const ui_event *event, rect area, const ui_actions *actions) {
    report *view = self;
    (void)model;
    (void)area;
    (void)actions;
    return list_mouse(&view->rows, event, view->list_area);
}

const view_ops overlay_ingest_report = {
    .title = "ingest report",
    .scope = SCOPE_INGEST,
    .moving = true,
    .create = create,
    .free = free,
    .update = update,
    .draw = draw,
    .command = command,
    .mouse = mouse,
};
