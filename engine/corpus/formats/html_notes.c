/* html_notes.c: footnotes of a page. See html_notes.h. */
#include "engine/corpus/formats/html_notes.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/corpus/formats/xml.h"

#define NOTES 4096 /* that are put where they belong; others stay where they are */

static unsigned meaning_of_word(const char *word, size_t length) {
    static const struct {
        const char *word;
        unsigned meaning;
    } words[] = {
        {"doc-backlink", DRT_HTML_MARK},  {"doc-endnote", DRT_HTML_NOTE},      {"doc-endnotes", DRT_HTML_NOTES},
        {"doc-footnote", DRT_HTML_NOTE},  {"doc-noteref", DRT_HTML_REFERENCE}, {"doc-pagebreak", DRT_HTML_MARK},
        {"endnote", DRT_HTML_NOTE},       {"endnotes", DRT_HTML_NOTES},        {"footnote", DRT_HTML_NOTE},
        {"footnote-back", DRT_HTML_MARK}, {"footnote-backref", DRT_HTML_MARK}, {"footnote-ref", DRT_HTML_REFERENCE},
        {"footnotes", DRT_HTML_NOTES},    {"headerlink", DRT_HTML_MARK},       {"noteref", DRT_HTML_REFERENCE},
        {"page-number", DRT_HTML_MARK},   {"pagebreak", DRT_HTML_MARK},        {"pagenum", DRT_HTML_MARK},
        {"pagenumber", DRT_HTML_MARK},    {"rearnote", DRT_HTML_NOTE},         {"rearnotes", DRT_HTML_NOTES}};
    if (length < 7 || length > 16)
        return 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].word) == length && strncasecmp(words[i].word, word, length) == 0)
            return words[i].meaning;
    return 0;
}

unsigned drt_html_meaning(const drt_markup_token *token) {
    drt_markup_attribute a;
    unsigned meaning = 0;
    for (size_t at = 0; drt_markup_next_attribute(token, &at, &a);) {
        bool telling = (a.name_length == 4 && strncasecmp(a.name, "role", 4) == 0) ||
                       (a.name_length == 5 && strncasecmp(a.name, "class", 5) == 0) ||
                       (a.name_length == 9 && strncasecmp(a.name, "epub:type", 9) == 0);
        for (size_t i = 0; telling && i < a.value_length;) {
            size_t from = i;
            while (i < a.value_length && !isspace((unsigned char)a.value[i]))
                i++;
            meaning |= meaning_of_word(a.value + from, i - from);
            i++;
        }
    }
    return meaning;
}

static int compare_notes(const void *a, const void *b) {
    const drt_html_note *left = a, *right = b;
    drt_string id = {(char *)left->id, left->id_length};
    int order = drt_string_compare(&id, right->id, right->id_length);
    return order ? order : (left->start > right->start) - (left->start < right->start);
}

/* Is any note referred to at all? Most pages have none. */
static bool has_references(const drt_markup *page) {
    static const char *const words[] = {"noteref", "footnote-ref"};
    for (int i = 0; i < 2; i++) {
        size_t n = strlen(words[i]);
        for (size_t at = page->at; at + n <= page->length; at++) {
            const char *first = memchr(page->data + at, words[i][0], page->length - at - n + 1);
            if (!first)
                break;
            at = (size_t)(first - page->data);
            if (memcmp(first, words[i], n) == 0)
                return true;
        }
    }
    return false;
}

bool drt_html_find_notes(drt_html_notes *notes, const drt_markup *page) {
    drt_markup markup = *page;
    drt_markup_token token, inner;
    drt_markup_attribute id;
    bool list = false;
    if (!has_references(page))
        return true;
    while (notes->n < NOTES && drt_markup_next(&markup, &token)) {
        if (token.kind != DRT_MARKUP_START || token.empty)
            continue;
        unsigned meaning = drt_html_meaning(&token);
        list |= (meaning & DRT_HTML_NOTES) != 0;
        if (!((list && drt_markup_is(&token, "li")) || meaning & DRT_HTML_NOTE) || !drt_markup_find(&token, "id", &id))
            continue;
        drt_html_note note = {.id = id.value, .id_length = id.value_length, .start = markup.at};
        int depth = 1;
        while (drt_xml_inside(&markup, &token, &depth, &inner))
            ;
        if (depth > 0) /* it has no end, and those behind it may have none either */
            break;
        note.end = markup.at;
        if (!drt_array_grow((void **)&notes->notes, notes->n, sizeof note))
            return false;
        notes->notes[notes->n++] = note;
    }
    if (notes->n)
        qsort(notes->notes, notes->n, sizeof *notes->notes, compare_notes);
    return true;
}

static drt_html_note *find_note(const drt_html_notes *notes, const char *id, size_t length) {
    size_t from = 0, to = notes->n;
    while (from < to) { /* the first of several by one id */
        size_t middle = from + (to - from) / 2;
        drt_string own = {(char *)notes->notes[middle].id, notes->notes[middle].id_length};
        if (drt_string_compare(&own, id, length) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    drt_html_note *found = from < notes->n ? &notes->notes[from] : NULL;
    return found && found->id_length == length && memcmp(found->id, id, length) == 0 ? found : NULL;
}

drt_html_note *drt_html_referred_note(const drt_html_notes *notes, const drt_markup_token *reference) {
    drt_markup_attribute target;
    if (notes->n == 0 || !drt_markup_find(reference, "href", &target))
        return NULL;
    const char *id = memchr(target.value, '#', target.value_length);
    return id ? find_note(notes, id + 1, target.value_length - (size_t)(id + 1 - target.value)) : NULL;
}

drt_html_note *drt_html_note_at(const drt_html_notes *notes, const drt_markup_token *start, size_t at) {
    drt_markup_attribute id;
    drt_html_note *note =
        notes->n && drt_markup_find(start, "id", &id) ? find_note(notes, id.value, id.value_length) : NULL;
    return note && note->start == at ? note : NULL;
}
