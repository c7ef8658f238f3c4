/* edit.c: see edit.h. */
#include "ui/edit.h"

#include <stdlib.h>
#include <string.h>

#include <utf8proc.h>

#include "engine/drt.h"

void edit_free(edit *line) {
    for (size_t i = 0; i < line->n_history; i++)
        free(line->history[i]);
    free(line->history);
    free(line->draft);
    free(line->text);
    wrap_free(&line->lines);
    *line = (edit){0};
}

static bool reserve(edit *line, size_t extra) {
    if (line->length + extra + 1 <= line->capacity)
        return true;
    size_t capacity = (line->length + extra) * 2 + 64;
    char *text = realloc(line->text, capacity);
    if (!text)
        return false;
    line->text = text;
    line->capacity = capacity;
    line->text[line->length] = '\0';
    return true;
}

/* ----------------------------------------------------------------------------- typing ---- */

static bool is_valid(const char *text, size_t length) {
    uint32_t code;
    for (size_t at = 0, size; at < length; at += size)
        if ((size = drt_utf8_decode(text + at, length - at, &code)) == 0 || code == 0)
            return false;
    return true;
}

bool edit_insert(edit *line, const char *text, size_t length) {
    if (length == 0)
        return true;
    if (length > EDIT_MAX_BYTES - line->length || !is_valid(text, length) || !reserve(line, length))
        return false;
    char *place = line->text + line->cursor;
    memmove(place + length, place, line->length - line->cursor + 1);
    memcpy(place, text, length);
    for (size_t i = 0; i < length && line->one_line; i++)
        if (place[i] == '\n')
            place[i] = ' ';
    line->length += length;
    line->cursor += length;
    /* A mark that joins what follows: the cursor goes behind the whole. */
    size_t before = cluster_before(line->text, line->length, line->cursor);
    size_t border = cluster_after(line->text, line->length, before);
    line->cursor = border > line->cursor ? border : line->cursor;
    return true;
}

bool edit_key(edit *line, ui_key key) {
    utf8proc_uint8_t bytes[4];
    if (!key_is_text(key) || !utf8proc_codepoint_valid((utf8proc_int32_t)key))
        return false;
    return edit_insert(line, (const char *)bytes, (size_t)utf8proc_encode_char((utf8proc_int32_t)key, bytes));
}

static void erase(edit *line, size_t from, size_t to) {
    if (from >= to)
        return;
    memmove(line->text + from, line->text + to, line->length - to + 1);
    line->length -= to - from;
    line->cursor = from;
}

bool edit_set(edit *line, const char *text, size_t length) {
    edit_clear(line);
    return edit_insert(line, text, length);
}

void edit_clear(edit *line) {
    erase(line, 0, line->length);
    line->recalled = line->n_history;
}

/* ------------------------------------------------------------------------------ words ---- */

static bool is_blank_at(const edit *line, size_t at) {
    return line->text[at] == ' ' || line->text[at] == '\n' || line->text[at] == '\t';
}

static size_t word_before(const edit *line) {
    size_t at = line->cursor, before;
    while (at > 0 && is_blank_at(line, before = cluster_before(line->text, line->length, at)))
        at = before;
    while (at > 0 && !is_blank_at(line, before = cluster_before(line->text, line->length, at)))
        at = before;
    return at;
}

static size_t word_after(const edit *line) {
    size_t at = line->cursor;
    while (at < line->length && is_blank_at(line, at))
        at = cluster_after(line->text, line->length, at);
    while (at < line->length && !is_blank_at(line, at))
        at = cluster_after(line->text, line->length, at);
    return at;
}

/* ---------------------------------------------------------------------------- history ---- */

static void recall(edit *line, size_t index) {
    if (index > line->n_history || index == line->recalled)
        return;
    if (line->recalled == line->n_history) {
        free(line->draft);
        line->draft = line->length > 0 ? strdup(line->text) : NULL;
    }
    const char *text = index < line->n_history ? line->history[index] : line->draft ? line->draft : "";
    edit_set(line, text, strlen(text));
    line->recalled = index;
}

void edit_accept(edit *line) {
    bool repeated =
        line->n_history > 0 && line->length > 0 && strcmp(line->history[line->n_history - 1], line->text) == 0;
    if (line->length > 0 && !repeated) {
        char *copy = strdup(line->text);
        char **history = realloc(line->history, (line->n_history + 1) * sizeof *history);
        line->history = history ? history : line->history;
        if (copy && history)
            line->history[line->n_history++] = copy;
        else
            free(copy); /* out of memory: the line is not remembered */
    }
    if (line->n_history > EDIT_HISTORY) {
        free(line->history[0]);
        memmove(line->history, line->history + 1, --line->n_history * sizeof *line->history);
    }
    free(line->draft);
    line->draft = NULL;
    edit_clear(line);
}

/* --------------------------------------------------------------------------- commands ---- */

/* One row up or down within a text of several rows; false: there is none. */
static bool move_row(edit *line, int rows, bool ascii) {
    if (edit_rows(line, line->columns, ascii) == 1)
        return false;
    size_t here = wrap_line_of(&line->lines, line->cursor);
    if (rows < 0 ? here == 0 : here + 1 >= line->lines.n)
        return false;
    int column = wrap_column_of(&line->lines, here, line->text, ascii, line->cursor);
    line->cursor = wrap_offset_of(&line->lines, rows < 0 ? here - 1 : here + 1, line->text, ascii, column);
    return true;
}

bool edit_command(edit *line, ui_command command) {
    switch (command) {
    case COMMAND_EDIT_LEFT:
        line->cursor = cluster_before(line->text, line->length, line->cursor);
        return true;
    case COMMAND_EDIT_RIGHT:
        line->cursor = cluster_after(line->text, line->length, line->cursor);
        return true;
    case COMMAND_EDIT_WORD_LEFT:
        line->cursor = word_before(line);
        return true;
    case COMMAND_EDIT_WORD_RIGHT:
        line->cursor = word_after(line);
        return true;
    case COMMAND_EDIT_START:
        line->cursor = 0;
        return true;
    case COMMAND_EDIT_END:
        line->cursor = line->length;
        return true;
    case COMMAND_EDIT_ERASE_LEFT:
        erase(line, cluster_before(line->text, line->length, line->cursor), line->cursor);
        return true;
    case COMMAND_EDIT_ERASE_RIGHT:
        erase(line, line->cursor, cluster_after(line->text, line->length, line->cursor));
        return true;
    case COMMAND_EDIT_ERASE_WORD:
        erase(line, word_before(line), line->cursor);
        return true;
    case COMMAND_EDIT_ERASE_TO_START:
        erase(line, 0, line->cursor);
        return true;
    case COMMAND_EDIT_ERASE_TO_END:
        erase(line, line->cursor, line->length);
        return true;
    case COMMAND_EDIT_OLDER:
        if (!move_row(line, -1, false) && line->recalled > 0)
            recall(line, line->recalled - 1);
        return true;
    case COMMAND_EDIT_NEWER:
        if (!move_row(line, 1, false))
            recall(line, line->recalled + 1);
        return true;
    default:
        return false;
    }
}

/* ----------------------------------------------------------------------------- drawing ---- */

int edit_rows(edit *line, int columns, bool ascii) {
    line->columns = columns;
    /* The cursor may stand behind the last character: it needs a column too. */
    if (!wrap_text(&line->lines, line->text, line->length, columns - 1, ascii, WRAP_CHARACTERS))
        return 1;
    return line->lines.n < 10000 ? (int)line->lines.n : 10000;
}

void edit_draw(edit *line, cells *out, rect area, bool focused, attribute look) {
    cells_fill(out, area, look);
    edit_rows(line, area.columns, out->ascii);
    if (line->lines.n == 0 || area.rows <= 0)
        return;
    size_t here = wrap_line_of(&line->lines, line->cursor);
    size_t rows = (size_t)area.rows;
    size_t first = here >= rows ? here - rows + 1 : 0;
    for (size_t i = first; i < line->lines.n && i < first + rows; i++) {
        const wrap_line *shown = &line->lines.lines[i];
        if (shown->end > shown->start) /* an empty line may have no text at all */
            cells_put(out, area, (int)(i - first), 0, look, line->text + shown->start, shown->end - shown->start);
    }
    if (focused)
        cells_cursor(out, area, (int)(here - first),
                     wrap_column_of(&line->lines, here, line->text, out->ascii, line->cursor));
}
