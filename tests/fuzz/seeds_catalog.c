/* seeds_catalog.c: writes seeds for fuzz_catalog: seeds_catalog FOLDER. The catalogs of small libraries, in
 * small pages, so that a mutation meets structure and not padding. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/fuzz/library_seed.h"

static drt_context *context;

static void must(drt_status status) {
    if (status == DRT_OK)
        return;
    fprintf(stderr, "seeds_catalog: %s\n", drt_error(context));
    exit(1);
}

static drt_document_facts make_facts(const char *path, uint8_t hash) {
    drt_document_facts facts = {.archive = "/source/archive.zip",
                                .archive_length = strlen("/source/archive.zip"),
                                .path = path,
                                .path_length = strlen(path),
                                .format = "text",
                                .status = DRT_DOCUMENT_OK};
    memset(facts.sha256, hash, sizeof facts.sha256);
    return facts;
}

static void add(drt_library *library, const drt_document_facts *facts, const char *text) {
    uint16_t landmarks[3 * SEED_D_MODEL] = {0};
    static const uint8_t records[3 * 512];
    int64_t document, third = (int64_t)strlen(text) / 3;
    drt_range ranges[] = {{0, third}, {third, 2 * third}, {2 * third, (int64_t)strlen(text)}};
    must(drt_store_begin(context, library, facts, text, strlen(text), ranges, 3, &document));
    must(drt_store_append(context, library, 3, landmarks, records));
    must(drt_store_end(context, library));
}

static void add_session(drt_library *library) {
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
    must(drt_store_session(context, library, &answer));
}

static void fill(drt_library *library, bool compact) {
    drt_document_facts facts = make_facts("archive.zip/one.txt", 1);
    const char *authors[] = {"Ada Marsh", "B. Keeper"};
    drt_content content;
    drt_document document;
    drt_verify_report report;
    int64_t id;
    facts.title = "One";
    facts.date = "1874";
    facts.authors = authors;
    facts.n_authors = 2;
    add(library, &facts, "The lighthouse was built in the year 1874 by Ada Marsh.");
    facts = make_facts("archive.zip/alias.txt", 1);
    must(drt_store_find(context, library, facts.sha256, &facts, true, &content, &id));
    facts = make_facts("archive.zip/two.txt", 2);
    add(library, &facts, "A text that is removed again, a while after it came.");
    facts = make_facts("archive.zip/three.txt", 3);
    facts.status = DRT_DOCUMENT_PARTIAL;
    facts.reason = "cut short";
    add(library, &facts, "\xE6\x9D\xB1 and caf\xC3\xA9, the third text of all, which stays.");
    facts = make_facts("archive.zip/four.bin", 4);
    facts.reason = "no text";
    must(drt_store_add_skipped(context, library, &facts, &id));
    must(drt_store_commit(context, library));
    add_session(library);
    must(drt_library_document(context, library, "doc:2", 5, &document));
    must(drt_library_remove(context, library, &document, NULL, 0));
    drt_document_clear(&document);
    if (compact)
        must(drt_library_verify(context, library, true, &report));
}

static void shrink(const char *catalog) {
    sqlite3 *db;
    if (sqlite3_open(catalog, &db) != SQLITE_OK ||
        sqlite3_exec(db, "PRAGMA page_size = 512; VACUUM", NULL, NULL, NULL) != SQLITE_OK)
        exit(1);
    sqlite3_close(db);
}

static void make_seed(const char *folder, const char *name, bool filled, bool compact) {
    char library_path[4096], file[4200], seed[4200];
    drt_store_identity identity = seed_identity();
    drt_library *library;
    snprintf(library_path, sizeof library_path, "%s/../%s.drt", folder, name);
    must(drt_store_open(context, library_path, DRT_LIBRARY_CREATE, &identity, &library));
    if (filled)
        fill(library, compact);
    drt_library_close(library);
    snprintf(file, sizeof file, "%s/catalog.sqlite", library_path);
    snprintf(seed, sizeof seed, "%s/%s", folder, name);
    shrink(file);
    if (rename(file, seed) != 0)
        exit(1);
    static const char *const rest[] = {"landmarks.bin", "memory.bin", "lock"};
    for (size_t i = 0; i < 3; i++) {
        snprintf(file, sizeof file, "%s/%s", library_path, rest[i]);
        unlink(file);
    }
    rmdir(library_path);
}

int main(int argc, char **argv) {
    context = drt_context_new(NULL);
    if (argc != 2 || !context)
        return 2;
    make_seed(argv[1], "empty", false, false);
    make_seed(argv[1], "filled", true, false);
    make_seed(argv[1], "compacted", true, true);
    drt_context_free(context);
    return 0;
}
