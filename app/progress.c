/* progress.c: see progress.h. Plain spaces wipe the old line: no escape sequence is needed. */
#include "app/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "app/terminal.h"

#define REDRAW_MS 100
#define ETA_AFTER_SECONDS 2 /* before, rates are noise */

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int format_eta(char *out, size_t size, const drt_progress *state) {
    if (state->bytes_total <= 0)
        return 0;
    double share = (double)state->bytes_done / (double)state->bytes_total;
    int length = snprintf(out, size, " %3d%%", (int)(100 * (share > 1 ? 1 : share)));
    if (state->seconds >= ETA_AFTER_SECONDS && share > 0 && share <= 1) {
        long left = (long)(state->seconds / share - state->seconds + 0.5);
        length += snprintf(out + length, size - (size_t)length, " ETA %ld:%02ld:%02ld", left / 3600, left / 60 % 60,
                           left % 60);
    }
    return length;
}

/* Largest resident memory so far. */
static long peak_megabytes(void) {
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss / 1024 : 0;
}

/* Tokens or bytes a second: 999, 6.4k, 1.7M. */
static int format_rate(char *out, size_t size, double rate) {
    if (rate < 999.5)
        return snprintf(out, size, "%.0f", rate);
    return rate < 999950 ? snprintf(out, size, "%.1fk", rate / 1e3) : snprintf(out, size, "%.1fM", rate / 1e6);
}

static int format_stage(char *out, size_t size, const drt_stage_facts stages[DRT_STAGES], double seconds, int stage) {
    char rate[32];
    format_rate(rate, sizeof rate, drt_stage_rate(&stages[stage]));
    return snprintf(out, size, "%s%s %s%s/s %.0f%%", stage == (int)drt_stage_bottleneck(stages) ? "*" : "",
                    drt_stage_name((drt_stage)stage), rate, stage == DRT_STAGE_READ ? "B" : "",
                    100 * drt_stage_share(&stages[stage], seconds));
}

int progress_stages(char *out, size_t size, const drt_stage_facts stages[DRT_STAGES], double seconds) {
    int length = 0;
    for (int i = 0; i < DRT_STAGES; i++) {
        length += snprintf(out + length, size - (size_t)length, "%s", i ? ", " : "");
        length += format_stage(out + length, size - (size_t)length, stages, seconds, i);
    }
    return length;
}

/* All stages where there is room, else the one that the others wait for; "" before anything was measured. */
static int format_stages(char *out, size_t size, const drt_progress *state, int room) {
    out[0] = 0;
    if (drt_stage_rate(&state->stages[DRT_STAGE_ENCODE]) <= 0)
        return 0;
    int length = progress_stages(out, size, state->stages, state->seconds);
    if (length > room)
        length = format_stage(out, size, state->stages, state->seconds, (int)drt_stage_bottleneck(state->stages));
    if (length > room)
        out[length = 0] = 0;
    return length;
}

/* How a state reads, without the path. */
static int format_state(char *out, size_t size, const drt_progress *state) {
    double rate = state->seconds > 0 ? (double)state->tokens / state->seconds : 0;
    char eta[64] = "";
    format_eta(eta, sizeof eta, state);
    return snprintf(out, size, "%lld read, %lld failed, %lld chunks, %.0f tokens/s%s, %ld MB ",
                    (long long)state->members_done, (long long)state->members_failed, (long long)state->chunks, rate,
                    eta, peak_megabytes());
}

/* The end of a path, which says more than its start, in at most `room` columns; returns those it takes. */
static int tail_of(const char **text, size_t *length, int room) {
    int columns = terminal_columns(*text, *length);
    while (columns > room && *length > 0) {
        uint32_t code;
        size_t size = drt_utf8_decode(*text, *length, &code);
        columns -= terminal_columns(*text, size);
        *text += size;
        *length -= size;
    }
    return columns;
}

void progress_ingest(progress *line, const drt_progress *state) {
    int64_t now = now_ms();
    if (!terminal_is(stderr) || (line->drawn_at && now - line->drawn_at < REDRAW_MS))
        return;
    char head[512];
    int width = terminal_width(stderr) - 1, columns = format_state(head, sizeof head, state);
    columns += format_stages(head + columns, sizeof head - (size_t)columns - 1, state, width - columns - 1);
    if (columns < width)
        head[columns++] = ' ';
    columns = columns < width ? columns : width;
    size_t length = 0;
    char *path = state->current ? terminal_neutralise(state->current, state->current_length, TEXT_LINE, &length) : NULL;
    const char *tail = path;
    int path_columns = path ? tail_of(&tail, &length, width - columns) : 0;
    int wipe = line->columns - columns - path_columns; /* what the old line had more */
    fprintf(stderr, "\r%.*s%.*s%*s", columns, head, (int)length, path ? tail : "", wipe > 0 ? wipe : 0, "");
    free(path);
    fflush(stderr);
    line->columns = columns + path_columns;
    line->drawn_at = now;
}

void progress_clear(progress *line) {
    if (line->columns > 0)
        fprintf(stderr, "\r%*s\r", line->columns, "");
    line->columns = 0;
}
