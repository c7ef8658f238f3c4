/* library_seed.h: the small library that is fuzzed: S=8, d=16, int8, three documents, a removed one, a skipped one, an
 * alias, a session. */
#ifndef DRT_TESTS_LIBRARY_SEED_H
#define DRT_TESTS_LIBRARY_SEED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/library/store.h"

#define SEED_CHUNK_SIZE 8
#define SEED_D_MODEL 16

static inline drt_store_identity seed_identity(void) {
    static const uint8_t fingerprint[DRT_FINGERPRINT_SIZE] = "thirty-two bytes of fingerprint";
    return (drt_store_identity){fingerprint, "seed", "/models/seed", SEED_CHUNK_SIZE, SEED_D_MODEL, DRT_MEMORY_INT8};
}

static inline void seed_must(drt_context *context, drt_status status) {
    if (status == DRT_OK)
        return;
    fprintf(stderr, "seed: %s\n", drt_error(context));
    abort();
}

static inline drt_document_facts seed_facts(const char *path, uint8_t hash) {
    drt_document_facts facts = {.archive = "/source/archive.zip",
                                .archive_length = strlen("/source/archive.zip"),
                                .path = path,
                                .path_length = strlen(path),
                                .format = "text",
                                .status = DRT_DOCUMENT_OK};
    memset(facts.sha256, hash, sizeof facts.sha256);
    return facts;
}

static inline void seed_add(drt_context *context, drt_library *library, const drt_document_facts *facts,
                            const char *text) {
    uint16_t landmarks[3 * SEED_D_MODEL] = {0};
    static const uint8_t records[3 * 512];
    int64_t document, third = (int64_t)strlen(text) / 3;
    drt_range ranges[] = {{0, third}, {third, 2 * third}, {2 * third, (int64_t)strlen(text)}};
    seed_must(context, drt_store_begin(context, library, facts, text, strlen(text), ranges, 3, &document));
    seed_must(context, drt_store_append(context, library, 3, landmarks, records));
    seed_must(context, drt_store_end(context, library));
}

static inline void seed_add_session(drt_context *context, drt_library *library) {
    drt_event event = {.null_mass = 0.5f};
    int64_t ranking[2] = {1, -1}, *rankings[] = {ranking};
    drt_answer answer = {.question = {"What?", 5},
                         .answer = {"That.", 5},
                         .events = &event,
                         .n_events = 1,
                         .top_k = 2,
                         .n_groups = 1,
                         .chunk_size = 8,
                         .bm25 = rankings,
                         .n_steps = 1};
    seed_must(context, drt_store_session(context, library, &answer));
}

/* Into a library that is new. */
static inline void seed_fill(drt_context *context, drt_library *library, bool compact) {
    drt_document_facts facts = seed_facts("archive.zip/one.txt", 1);
    const char *authors[] = {"Ada Marsh", "B. Keeper"};
    drt_content content;
    drt_document document;
    drt_verify_report report;
    int64_t id;
    facts.title = "One";
    facts.date = "1874";
    facts.authors = authors;
    facts.n_authors = 2;
    seed_add(context, library, &facts, "The lighthouse was built in the year 1874 by Ada Marsh.");
    facts = seed_facts("archive.zip/alias.txt", 1);
    seed_must(context, drt_store_find(context, library, facts.sha256, &facts, true, &content, &id));
    facts = seed_facts("archive.zip/two.txt", 2);
    seed_add(context, library, &facts, "A text that is removed again, a while after it came.");
    facts = seed_facts("archive.zip/three.txt", 3);
    facts.status = DRT_DOCUMENT_PARTIAL;
    facts.reason = "cut short";
    seed_add(context, library, &facts, "\xE6\x9D\xB1 and caf\xC3\xA9, the third text of all, which stays.");
    facts = seed_facts("archive.zip/four.bin", 4);
    facts.reason = "no text";
    seed_must(context, drt_store_add_skipped(context, library, &facts, &id));
    seed_must(context, drt_store_commit(context, library));
    seed_add_session(context, library);
    seed_must(context, drt_library_document(context, library, "doc:2", 5, &document));
    seed_must(context, drt_library_remove(context, library, &document, NULL, 0));
    drt_document_clear(&document);
    if (compact)
        seed_must(context, drt_library_verify(context, library, true, &report));
}

#endif
