/* front.c: title, authors and date of a source of TeX. See run.h. */
#include "engine/corpus/tex/run.h"

#include <ctype.h>
#include <string.h>

#include "engine/corpus/formats/xml.h"

#define TITLE_BUDGET 65536 /* bytes of expansions */

void tex_take_title(tex *t) {
    drt_buffer title = {0};
    if (tex_read_argument(t, &title) && !t->title.length) {
        drt_buffer_free(&t->title);
        t->title = title;
    } else {
        drt_buffer_free(&title);
    }
}

void tex_set_title(tex *t) {
    while (t->n_frames > 0)
        tex_pop(t);
    t->ended = false;
    t->math = 0;
    t->budget = TITLE_BUDGET;
    drt_buffer text = tex_render(t, &t->title);
    if (text.length > 0)
        t->failed |= !drt_text_single_line(text.data, text.length, &t->extract->title);
    drt_buffer_free(&text);
}

void tex_take_line(tex *t, drt_string *to) {
    drt_buffer text = tex_render_argument(t);
    if (!to->data && text.length > 0)
        t->failed |= !drt_text_single_line(text.data, text.length, to);
    drt_buffer_free(&text);
}

/* A name has letters, isn't long, and has no signs of an address. */
static bool take_author(tex *t, const char *name, size_t length) {
    drt_string line;
    if (!drt_text_single_line(name, length, &line))
        return false;
    bool fits = line.length > 2 && line.length < 80;
    for (size_t i = 0; i < line.length && fits; i++)
        fits = !strchr("0123456789@/:;", line.data[i]) && line.data[i];
    if (fits)
        return drt_xml_take_author(t->extract, &line);
    drt_string_free(&line);
    return true;
}

/* "Ada Renn, Bo Tarn and Zoe" -> each. */
static bool split_authors(tex *t, const char *line, size_t length) {
    bool ok = true;
    for (size_t from = 0, at = 0; ok && from < length; at++) {
        size_t skip = at == length || line[at] == ','                         ? 1
                      : length - at > 5 && memcmp(line + at, " and ", 5) == 0 ? 5
                                                                              : 0;
        if (skip == 0)
            continue;
        size_t start = from;
        if (at - start > 4 && memcmp(line + start, "and ", 4) == 0)
            start += 4;
        while (start < at && line[start] == ' ')
            start++;
        if (at - start > 4 && memcmp(line + start, "and ", 4) == 0)
            start += 4;
        ok = take_author(t, line + start, at - start);
        from = at + skip;
        at = from - 1;
    }
    return ok;
}

/* Between the marks of \and, the first line that has something is a name or several; addresses follow. */
void tex_take_authors(tex *t) {
    t->author = true;
    drt_buffer text = tex_render_argument(t);
    t->author = false;
    for (size_t at = 0; at < text.length && !t->failed;) {
        const char *part = text.data + at, *end = memchr(part, ';', text.length - at);
        size_t n = end ? (size_t)(end - part) : text.length - at;
        at += n + 1;
        while (n > 0 && isspace((unsigned char)*part)) {
            part++;
            n--;
        }
        const char *stop = n ? memchr(part, '\n', n) : NULL;
        t->failed |= n > 0 && !split_authors(t, part, stop ? (size_t)(stop - part) : n);
    }
    drt_buffer_free(&text);
}
