/* seeds_catalog.c: writes seeds for fuzz_catalog: seeds_catalog FOLDER. The catalogs of small libraries, in
 * small pages, so that a mutation meets structure and not padding. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/fuzz/library_seed.h"

static drt_context *context;

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
    seed_must(context, drt_store_open(context, library_path, DRT_LIBRARY_CREATE, &identity, &library));
    if (filled)
        seed_fill(context, library, compact);
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
