/* describe.c: the documents and texts of what was retrieved, and what the slots of each chunk stand for.
 * May use: retrieve.h, slots.h. */
#include <stdio.h>
#include <stdlib.h>

#include "engine/session/retrieve.h"
#include "engine/session/slots.h"

static const drt_model *model_of(const drt_retrieval *r) {
    return r->landmarks->model;
}

static drt_library *library_of(const drt_retrieval *r) {
    return r->landmarks->library;
}

/* Chunks before a hit that are looked at to tell where its tokens start; each try takes twice as many. */
#define MOST_CHUNKS_BEFORE 2
/* The longest text that is encoded as a whole where they do not tell (scripts that are encoded byte by byte). */
#define MOST_WHOLE_TEXT ((size_t)1 << 20)

/* Ranges of the `n` chunks that end with the hit -> ranges (n), its own last; *found: fewer at the document's start.
 * *opens: the first of them is the document's first. */
static drt_status ranges_before(drt_context *context, drt_retrieval *r, const drt_hit *hit, size_t n, drt_range *ranges,
                                size_t *found, bool *opens) {
    for (*found = 0, *opens = false; !*opens;) {
        int64_t id = hit->chunk - (int64_t)*found;
        drt_chunk chunk = {.document = -1};
        drt_status status = id < 0 ? DRT_OK : drt_library_chunk(context, library_of(r), id, &chunk);
        if (status != DRT_OK)
            return status;
        if (chunk.document != hit->document_id)
            *opens = true;
        else if (*found == n)
            break;
        else
            ranges[n - ++*found] = (drt_range){chunk.start, chunk.end};
    }
    return DRT_OK;
}

/* By what stands around the hit: few paragraphs are encoded, and mostly there is one way only. */
static drt_status locate_nearby(drt_context *context, drt_retrieval *r, const drt_string *text, const drt_hit *hit,
                                drt_range *slots, drt_slots_result *result) {
    drt_range ranges[MOST_CHUNKS_BEFORE];
    drt_status status = DRT_OK;
    bool opens_document = false;
    *result = DRT_SLOTS_SEVERAL;
    for (size_t n = 1; status == DRT_OK && *result == DRT_SLOTS_SEVERAL && !opens_document && n <= MOST_CHUNKS_BEFORE;
         n *= 2) {
        size_t found;
        status = ranges_before(context, r, hit, n, ranges, &found, &opens_document);
        if (status == DRT_OK)
            status = drt_slots_locate(context, model_of(r)->tokenizer, model_of(r)->config.chunk_size, text->data,
                                      text->length, ranges + n - found, found, opens_document, slots, result);
    }
    return status;
}

/* By all tokens of the document, which are encoded once for all hits in it. */
static drt_status locate_by_count(drt_context *context, drt_retrieval *r, const drt_string *text, const drt_hit *hit,
                                  drt_buffer *tokens, drt_range *slots, drt_slots_result *result) {
    char selector[32];
    int length = snprintf(selector, sizeof selector, "doc:%lld", (long long)hit->document_id);
    drt_document document = {0};
    drt_range chunk = {hit->start, hit->end};
    drt_status status = drt_library_document(context, library_of(r), selector, (size_t)length, &document);
    int64_t index = hit->chunk - document.first_chunk;
    drt_document_clear(&document);
    if (status == DRT_OK && tokens->length == 0)
        status = drt_slots_encode(context, model_of(r)->tokenizer, text->data, text->length, tokens);
    if (status == DRT_OK)
        *result = drt_slots_at(tokens, model_of(r)->config.chunk_size, (size_t)index, &chunk, slots) ? DRT_SLOTS_FOUND
                                                                                                     : DRT_SLOTS_NONE;
    return status;
}

/* Sets the hit's slots, where they can be told. tokens: of the whole text, empty until they are needed. */
static drt_status locate_slots(drt_context *context, drt_retrieval *r, const drt_string *text, drt_buffer *tokens,
                               drt_hit *hit) {
    drt_range *slots = malloc((size_t)model_of(r)->config.chunk_size * sizeof *slots);
    drt_slots_result result = DRT_SLOTS_SEVERAL;
    drt_status status = slots ? DRT_OK : drt_fail_memory(context, "retrieval");
    if (status == DRT_OK && tokens->length == 0)
        status = locate_nearby(context, r, text, hit, slots, &result);
    if (status == DRT_OK && result == DRT_SLOTS_SEVERAL && text->length <= MOST_WHOLE_TEXT)
        status = locate_by_count(context, r, text, hit, tokens, slots, &result);
    if (status == DRT_OK && result == DRT_SLOTS_FOUND)
        hit->slots = slots;
    else
        free(slots);
    return status;
}

/* Path, title, page and text of the hits in one document, which is read once. */
static drt_status describe_document(drt_context *context, drt_retrieval *r, int64_t document, bool with_slots) {
    drt_string path = {0}, title = {0}, text = {0};
    drt_buffer tokens = {0};
    drt_status status = drt_store_document_name(context, library_of(r), document, &path, &title);
    if (status == DRT_OK)
        status = drt_library_text(context, library_of(r), document, &text);
    for (size_t e = r->n_described; e < r->n_events && status == DRT_OK; e++) {
        for (size_t i = 0; i < r->events[e].n_hits && status == DRT_OK; i++) {
            drt_hit *hit = &r->events[e].hits[i];
            if (hit->document_id != document)
                continue;
            if (hit->start > hit->end || hit->end > (int64_t)text.length)
                status = drt_fail(context, DRT_FAILED, "chunk %lld lies outside its document: run drt verify",
                                  (long long)hit->chunk);
            else if (!drt_string_copy(&hit->document, &path) || !drt_string_copy(&hit->title, &title) ||
                     !drt_string_set(&hit->text, text.data + hit->start, (size_t)(hit->end - hit->start)))
                status = drt_fail_memory(context, "retrieval");
            if (status == DRT_OK)
                status = drt_store_hit_facts(context, library_of(r), hit);
            if (status == DRT_OK && with_slots)
                status = locate_slots(context, r, &text, &tokens, hit);
        }
    }
    drt_string_free(&path);
    drt_string_free(&title);
    drt_string_free(&text);
    drt_buffer_free(&tokens);
    return status;
}

static drt_status locate_hit(drt_context *context, drt_retrieval *r, drt_hit *hit) {
    drt_chunk chunk;
    drt_status status = drt_library_chunk(context, library_of(r), hit->chunk, &chunk);
    if (status == DRT_OK) {
        hit->document_id = chunk.document;
        hit->start = chunk.start;
        hit->end = chunk.end;
    }
    return status;
}

drt_status drt_retrieval_describe(drt_context *context, drt_retrieval *r, bool with_slots) {
    drt_status status = DRT_OK;
    for (size_t e = r->n_described; e < r->n_events; e++)
        for (size_t i = 0; i < r->events[e].n_hits && status == DRT_OK; i++)
            status = locate_hit(context, r, &r->events[e].hits[i]);
    for (size_t e = r->n_described; e < r->n_events; e++)
        for (size_t i = 0; i < r->events[e].n_hits && status == DRT_OK; i++)
            if (!r->events[e].hits[i].document.data)
                status = describe_document(context, r, r->events[e].hits[i].document_id, with_slots);
    r->n_described = r->n_events;
    return status;
}
