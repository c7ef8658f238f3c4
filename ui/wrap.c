/* wrap.c: see wrap.h. */
#include "ui/wrap.h"

#include <stdlib.h>

static bool add_line(wrap *out, size_t start, size_t end) {
    if (out->n == out->capacity) {
        size_t capacity = out->capacity * 2 + 16;
        wrap_line *lines = realloc(out->lines, capacity * sizeof *lines);
        if (!lines)
            return false;
        out->lines = lines;
        out->capacity = capacity;
    }
    out->lines[out->n++] = (wrap_line){start, end};
    return true;
}

/* The line that starts at `start`: its end, and in *next where the following one starts. */
static size_t break_line(const char *text, size_t length, size_t start, int columns, bool ascii, wrap_mode mode,
                         size_t *next) {
    cluster read;
    int used = 0;
    size_t at = start, space = 0, after_space = 0; /* the last place to break at */
    bool has_space = false;
    while (at < length && text[at] != '\n') {
        cluster_read(text, length, at, ascii, &read);
        bool is_space = mode == WRAP_WORDS && (text[at] == ' ' || text[at] == '\t');
        if (is_space) {
            if (!has_space || after_space != at)
                space = at;
            has_space = true;
            after_space = read.end;
        } else if (used + read.columns > columns && at > start) {
            *next = has_space ? after_space : at;
            return has_space ? space : at;
        }
        used += read.columns;
        at = read.end;
    }
    *next = at < length ? at + 1 : at;
    return has_space && after_space == at && used > columns ? space : at;
}

bool wrap_text(wrap *out, const char *text, size_t length, int columns, bool ascii, wrap_mode mode) {
    size_t start = 0;
    bool ok = true, open = true; /* open: a line is due, if only an empty one */
    out->n = 0;
    if (columns < 1)
        columns = 1;
    while (ok && open) {
        size_t next;
        size_t end = break_line(text, length, start, columns, ascii, mode, &next);
        ok = add_line(out, start, end);
        open = next < length || (next > 0 && next == length && next > end && text[next - 1] == '\n');
        start = next;
    }
    if (!ok)
        wrap_free(out);
    return ok;
}

size_t wrap_line_of(const wrap *lines, size_t at) {
    size_t low = 0, high = lines->n; /* the last line with start <= at */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (lines->lines[middle].start <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

int wrap_column_of(const wrap *lines, size_t line, const char *text, bool ascii, size_t at) {
    const wrap_line *here = &lines->lines[line];
    size_t end = at < here->end ? at : here->end;
    return end > here->start ? cluster_columns(text + here->start, end - here->start, ascii) : 0;
}

size_t wrap_offset_of(const wrap *lines, size_t line, const char *text, bool ascii, int column) {
    const wrap_line *here = &lines->lines[line];
    cluster read;
    int used = 0;
    size_t at = here->start;
    while (at < here->end) {
        cluster_read(text, here->end, at, ascii, &read);
        used += read.columns;
        if (used > column)
            break;
        at = read.end;
    }
    return at;
}

void wrap_free(wrap *lines) {
    free(lines->lines);
    *lines = (wrap){0};
}
