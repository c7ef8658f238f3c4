/* extract.c: what a format makes of a member: its status and the reasons for it. See corpus.h, formats.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/corpus/date.h"
#include "engine/corpus/formats/formats.h"

#define LINE 500     /* bytes of a title, a name or a date */
#define COMPARED 512 /* authors that later ones are compared with */

void drt_extract_clear(drt_extract *extract) {
    drt_string_free(&extract->reason);
    drt_string_free(&extract->title);
    drt_string_free(&extract->date);
    for (size_t i = 0; i < extract->n_authors; i++)
        drt_string_free(&extract->authors[i]);
    free(extract->authors);
    drt_buffer_free(&extract->text);
    free(extract->pages);
    *extract = (drt_extract){0};
}

bool drt_extract_note(drt_extract *extract, drt_document_status status, const char *format, ...) {
    char sentence[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    drt_buffer reason = {0};
    bool ok = (!extract->reason.data || (drt_buffer_append(&reason, extract->reason.data, extract->reason.length) &&
                                         drt_buffer_append_text(&reason, "; "))) &&
              drt_buffer_append_text(&reason, sentence);
    drt_string joined;
    ok = ok && drt_string_take(&joined, &reason);
    drt_buffer_free(&reason);
    if (!ok)
        return false;
    drt_string_free(&extract->reason);
    extract->reason = joined;
    if (status > extract->status)
        extract->status = status;
    return true;
}

bool drt_extract_note_charset(drt_extract *extract, int64_t replacements, const char *guessed_charset) {
    extract->replacements += replacements;
    if (guessed_charset && !drt_extract_note(extract, DRT_DOCUMENT_PARTIAL,
                                             "its encoding was guessed from a few letters: %s", guessed_charset))
        return false;
    return replacements == 0 || drt_extract_note(extract, DRT_DOCUMENT_PARTIAL, "%lld character%s could not be decoded",
                                                 (long long)replacements, replacements == 1 ? "" : "s");
}

bool drt_extract_add_author(drt_extract *extract, drt_string *author) {
    drt_string *grown = realloc(extract->authors, (extract->n_authors + 1) * sizeof *grown);
    if (!grown)
        return false;
    extract->authors = grown;
    grown[extract->n_authors++] = *author;
    *author = (drt_string){0};
    return true;
}

/* Cuts a line that no one could mean to be that long, and says so by an ellipsis. */
static bool shorten(drt_string *line) {
    drt_string cut;
    drt_buffer made = {0};
    if (line->length <= LINE)
        return true;
    bool ok = drt_buffer_append(&made, line->data, drt_utf8_floor(line->data, line->length, LINE)) &&
              drt_buffer_append_text(&made, "\xE2\x80\xA6") && drt_string_take(&cut, &made);
    drt_buffer_free(&made);
    if (ok) {
        drt_string_free(line);
        *line = cut;
    }
    return ok;
}

static bool is_new(const drt_extract *extract, size_t n, const drt_string *author) {
    for (size_t i = 0; i < n && i < COMPARED; i++)
        if (drt_string_equal(&extract->authors[i], author->data, author->length))
            return false;
    return true;
}

bool drt_extract_settle(drt_extract *extract) {
    char iso[11];
    size_t n = 0;
    bool ok = shorten(&extract->title);
    if (extract->date.data && drt_date_iso(extract->date.data, extract->date.length, iso)) {
        drt_string_free(&extract->date);
        ok = ok && drt_string_set(&extract->date, iso, strlen(iso));
    }
    ok = ok && shorten(&extract->date);
    for (size_t i = 0; i < extract->n_authors; i++) {
        drt_string author = extract->authors[i];
        ok = ok && shorten(&author);
        if (is_new(extract, n, &author))
            extract->authors[n++] = author;
        else
            drt_string_free(&author);
    }
    extract->n_authors = n;
    return ok;
}

bool drt_extract_add_page(drt_extract *extract, size_t start, int64_t page) {
    size_t n = extract->n_pages;
    while (n > 0 && extract->pages[n - 1].start >= (int64_t)start)
        n--; /* nothing of it can be seen */
    if (n == 0 || (n >= 16 && (n & (n - 1)) == 0)) {
        drt_page *grown = realloc(extract->pages, (n ? 2 * n : 16) * sizeof *grown);
        if (!grown)
            return false;
        extract->pages = grown;
    }
    extract->pages[n] = (drt_page){(int64_t)start, page};
    extract->n_pages = n + 1;
    return true;
}
