/* plant.c: hides sentences in text as it is written to files. See plant.h. */
#define _GNU_SOURCE /* memmem */

#include "engine/eval/plant.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"

#define DOCUMENT_BYTES ((size_t)256 << 10) /* a file ends with the paragraph that reaches this */
#define WRAP_LEAST 200                     /* bytes of a pass key's paragraph: running text, no heading */
#define WRAP_MOST 2000

/* ------------------------------------------------------------------------------ depths ---- */

drt_status drt_needles_make(drt_context *context, uint64_t seed, size_t n, drt_needle **needles) {
    drt_fact_maker maker;
    drt_random random;
    drt_status status = DRT_OK;
    drt_needle *made = calloc(n, sizeof *made);
    *needles = NULL;
    if (!made)
        return drt_fail_memory(context, "facts");
    drt_fact_maker_open(&maker, seed);
    drt_random_seed(&random, seed, DRT_RANDOM_PLACES);
    for (size_t i = 0; i < n && status == DRT_OK; i++) {
        double depth = drt_random_unit(&random), apart = 0.3 + 0.4 * drt_random_unit(&random);
        status = drt_fact_make(context, &maker, &made[i].fact);
        for (size_t s = 0; s < DRT_FACT_SENTENCES; s++) {
            made[i].places[s].sentence = &made[i].fact.sentences[s];
            made[i].places[s].depth = depth;
            depth += apart < 1 - depth ? apart : apart - 1;
        }
    }
    drt_fact_maker_close(&maker);
    if (status == DRT_OK)
        *needles = made;
    else
        drt_needles_free(made, n);
    return status;
}

void drt_needles_free(drt_needle *needles, size_t n) {
    for (size_t i = 0; needles && i < n; i++)
        drt_fact_clear(&needles[i].fact);
    free(needles);
}

static int by_depth(const void *a, const void *b) {
    const drt_place *x = *(const drt_place *const *)a, *y = *(const drt_place *const *)b;
    return (x->depth > y->depth) - (x->depth < y->depth);
}

/* Pointers to all places, the shallowest first; *count of them. NULL: out of memory. */
static drt_place **sort_places(drt_needle *needles, size_t n, size_t *count) {
    drt_place **places = malloc((n * DRT_FACT_SENTENCES + 1) * sizeof *places);
    *count = 0;
    for (size_t i = 0; places && i < n; i++)
        for (size_t s = 0; s < needles[i].fact.n_sentences; s++)
            places[(*count)++] = &needles[i].places[s];
    if (places)
        qsort(places, *count, sizeof *places, by_depth);
    return places;
}

/* ------------------------------------------------------------------------------ writing --- */

typedef struct {
    drt_context *context;
    const drt_tokenizer *tokenizer;
    const char *folder;
    drt_buffer text;    /* of the file being made */
    int64_t document;   /* its number */
    int64_t tokens;     /* of hay written so far, <doc> counted */
    int64_t wanted;     /* of hay */
    drt_place **places; /* by depth */
    size_t n_places, planted;
} writer;

static drt_status fail_memory(const writer *w) {
    return drt_fail_memory(w->context, "an evaluation's text");
}

static drt_status end_file(writer *w) {
    drt_buffer name = {0};
    drt_string path = {0};
    bool ok =
        drt_buffer_printf(&name, "hay-%lld.txt", (long long)w->document) && drt_path_join(&path, w->folder, name.data);
    drt_status status = ok ? drt_file_create(w->context, path.data, w->text.data, w->text.length) : fail_memory(w);
    drt_buffer_free(&name);
    drt_string_free(&path);
    w->text.length = 0;
    w->document++;
    return status;
}

/* The start of the first word behind a space at or after `from`; length: there is none. */
static size_t word_border(const char *text, size_t length, size_t from) {
    const char *space = from < length ? memchr(text + from, ' ', length - from) : NULL;
    size_t at = space ? (size_t)(space - text) + 1 : length;
    return at < length ? at : length;
}

/* Is the next place within the next `tokens` of hay? */
static bool is_due(const writer *w, int64_t tokens) {
    return w->planted < w->n_places && w->places[w->planted]->depth * (double)w->wanted < (double)(w->tokens + tokens);
}

/* The paragraph with the sentences that are due in it. Where it has no word border left they follow it. */
static drt_status append_planted(writer *w, const char *text, size_t length, int64_t tokens) {
    size_t done = 0;
    bool ok = true;
    while (ok && is_due(w, tokens)) {
        drt_place *place = w->places[w->planted++];
        double share = (place->depth * (double)w->wanted - (double)w->tokens) / (double)tokens;
        size_t from = share > 0 ? (size_t)(share * (double)length) : 0;
        size_t border = word_border(text, length, from > done ? from : done);
        ok = drt_buffer_append(&w->text, text + done, border - done) &&
             (border < length || drt_buffer_append_byte(&w->text, ' ')) &&
             drt_buffer_append(&w->text, place->sentence->data, place->sentence->length) &&
             (border == length || drt_buffer_append_byte(&w->text, ' '));
        place->document = w->document;
        done = border;
    }
    ok = ok && drt_buffer_append(&w->text, text + done, length - done);
    return ok ? DRT_OK : fail_memory(w);
}

static drt_status write_paragraph(writer *w, const char *text, size_t length, int64_t tokens) {
    if (w->text.length > 0 && !drt_buffer_append_text(&w->text, "\n\n"))
        return fail_memory(w);
    drt_status status = append_planted(w, text, length, tokens);
    w->tokens += tokens;
    return status;
}

/* One paragraph, the last one cut; *done: there is no room for another. */
static drt_status write_next(writer *w, drt_hay_cursor *cursor, bool *done) {
    drt_status status = w->text.length >= DOCUMENT_BYTES ? end_file(w) : DRT_OK;
    const drt_hay_paragraph *p = drt_hay_next(cursor);
    const char *text = cursor->hay->text.data + p->start;
    size_t length = p->length;
    int64_t tokens = p->tokens;
    if (w->text.length == 0)
        w->tokens++; /* <doc> */
    if (status == DRT_OK && w->tokens + tokens > w->wanted)
        status = drt_hay_cut(w->context, w->tokenizer, text, length, w->wanted - w->tokens, &length, &tokens);
    *done = status != DRT_OK || length == 0;
    return *done ? status : write_paragraph(w, text, length, tokens);
}

/* What is deeper than the last word. */
static drt_status plant_rest(writer *w) {
    bool ok = true;
    while (ok && w->planted < w->n_places) {
        drt_place *place = w->places[w->planted++];
        ok = (w->text.length == 0 || drt_buffer_append_byte(&w->text, ' ')) &&
             drt_buffer_append(&w->text, place->sentence->data, place->sentence->length);
        place->document = w->document;
    }
    return ok ? DRT_OK : fail_memory(w);
}

/* Tokens of all sentences. */
static drt_status count_needles(writer *w, int64_t *tokens) {
    drt_status status = DRT_OK;
    *tokens = 0;
    for (size_t i = 0; i < w->n_places && status == DRT_OK; i++) {
        int64_t pieces = 0;
        const drt_string *s = w->places[i]->sentence;
        status = drt_hay_count(w->context, w->tokenizer, s->data, s->length, &pieces);
        *tokens += pieces;
    }
    return status;
}

drt_status drt_needles_write(drt_context *context, const drt_tokenizer *tokenizer, drt_hay_cursor *cursor,
                             const char *folder, int64_t tokens, drt_needle *needles, size_t n) {
    writer w = {.context = context, .tokenizer = tokenizer, .folder = folder};
    int64_t needle_tokens = 0;
    bool done = false;
    w.places = sort_places(needles, n, &w.n_places);
    drt_status status = w.places ? count_needles(&w, &needle_tokens) : fail_memory(&w);
    w.wanted = tokens - needle_tokens;
    while (status == DRT_OK && !done && w.tokens < w.wanted) {
        status = write_next(&w, cursor, &done);
        if (status == DRT_OK && drt_cancelled(context))
            status = drt_fail(context, DRT_FAILED, "the evaluation was cancelled");
    }
    if (status == DRT_OK)
        status = plant_rest(&w);
    if (status == DRT_OK && w.text.length == 0)
        status = drt_fail(context, DRT_FAILED, "%lld tokens are too few to hide facts in", (long long)tokens);
    if (status == DRT_OK)
        status = end_file(&w);
    drt_buffer_free(&w.text);
    free(w.places);
    return status;
}

/* A paragraph by chance, or the next one that is not too short; where all are, any. */
static const drt_hay_paragraph *draw_paragraph(const drt_hay *hay, drt_random *random) {
    size_t drawn = (size_t)drt_random_below(random, hay->n_paragraphs);
    for (size_t i = 0; i < hay->n_paragraphs; i++) {
        const drt_hay_paragraph *p = &hay->paragraphs[(drawn + i) % hay->n_paragraphs];
        if (p->length >= WRAP_LEAST)
            return p;
    }
    return &hay->paragraphs[drawn];
}

drt_status drt_needle_wrap(drt_context *context, const drt_hay *hay, drt_random *random, const drt_string *sentence,
                           drt_string *text) {
    const drt_hay_paragraph *p = draw_paragraph(hay, random);
    const char *from = hay->text.data + p->start;
    size_t length = p->length <= WRAP_MOST ? p->length : word_border(from, p->length, WRAP_MOST);
    size_t border = word_border(from, length, (size_t)drt_random_below(random, length));
    drt_buffer buffer = {0};
    bool ok = drt_buffer_append(&buffer, from, border) && (border < length || drt_buffer_append_byte(&buffer, ' ')) &&
              drt_buffer_append(&buffer, sentence->data, sentence->length) &&
              (border == length || drt_buffer_append_byte(&buffer, ' ')) &&
              drt_buffer_append(&buffer, from + border, length - border) && drt_string_take(text, &buffer);
    drt_buffer_free(&buffer);
    return ok ? DRT_OK : drt_fail_memory(context, "a pass key's text");
}

/* ------------------------------------------------------------------------------ chunks ---- */

/* Chunks of the document that hold bytes start to end of its text. */
static drt_status find_chunks(drt_context *context, drt_library *library, const drt_document *document, int64_t start,
                              int64_t end, drt_place *place) {
    drt_status status = DRT_OK;
    int64_t low = document->first_chunk, last = document->first_chunk + document->chunks - 1, high = last;
    drt_chunk chunk;
    while (low < high && status == DRT_OK) { /* the first chunk that ends behind start */
        int64_t middle = low + (high - low) / 2;
        status = drt_library_chunk(context, library, middle, &chunk);
        if (chunk.end > start)
            high = middle;
        else
            low = middle + 1;
    }
    place->first_chunk = place->last_chunk = low;
    for (int64_t next = low + 1; next <= last && status == DRT_OK; next++) {
        status = drt_library_chunk(context, library, next, &chunk);
        if (status != DRT_OK || chunk.start >= end)
            break;
        if (chunk.end > chunk.start)
            place->last_chunk = next;
    }
    return status;
}

static drt_status locate(drt_context *context, drt_library *library, const drt_document *document,
                         const drt_string *text, drt_place *place) {
    const char *found = memmem(text->data, text->length, place->sentence->data, place->sentence->length);
    if (!found)
        return drt_fail(context, DRT_FATAL, "the library's text of %s lacks what was hidden in it",
                        document->path.data);
    int64_t start = found - text->data;
    return find_chunks(context, library, document, start, start + (int64_t)place->sentence->length, place);
}

/* All places of the document at `path`, which is read once. */
static drt_status locate_in(drt_context *context, drt_library *library, const char *path, drt_place **places,
                            size_t n) {
    drt_document document = {0};
    drt_string text = {0};
    drt_status status = drt_library_document(context, library, path, strlen(path), &document);
    if (status == DRT_OK)
        status = drt_library_text(context, library, document.id, &text);
    for (size_t i = 0; i < n && status == DRT_OK; i++)
        status = locate(context, library, &document, &text, places[i]);
    drt_string_free(&text);
    drt_document_clear(&document);
    return status;
}

drt_status drt_place_locate(drt_context *context, drt_library *library, const char *path, drt_place *place) {
    return locate_in(context, library, path, &place, 1);
}

drt_status drt_needles_locate(drt_context *context, drt_library *library, const char *name, drt_needle *needles,
                              size_t n) {
    size_t n_places = 0;
    drt_place **places = sort_places(needles, n, &n_places);
    drt_status status = places ? DRT_OK : drt_fail_memory(context, "facts");
    for (size_t i = 0, same; i < n_places && status == DRT_OK; i += same) { /* by depth is by document */
        drt_buffer path = {0};
        for (same = 1; i + same < n_places && places[i + same]->document == places[i]->document;)
            same++;
        status = drt_buffer_printf(&path, "%s/hay-%lld.txt", name, (long long)places[i]->document)
                     ? locate_in(context, library, path.data, places + i, same)
                     : drt_fail_memory(context, "facts");
        drt_buffer_free(&path);
    }
    free(places);
    return status;
}
