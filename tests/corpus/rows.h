/* rows.h: what the corpus tests share: a scratch folder, archives written into it through libarchive, and a walk's
 * members as lines of text, "path | status | format | reason | text". */
#ifndef DRT_TESTS_CORPUS_ROWS_H
#define DRT_TESTS_CORPUS_ROWS_H

#include "engine/corpus/formats/formats.h"

/* A folder below $TMPDIR or /tmp, made for this test; its path is valid until scratch_remove. */
const char *scratch_make(void);
void scratch_remove(void);
/* "scratch/name" in one of a few static buffers. */
const char *scratch_path(const char *name);
/* Writes a file below the scratch folder, its folders too. */
void scratch_write(const char *name, const void *data, size_t length);
void scratch_write_buffer(const char *name, const drt_buffer *buffer);
/* cmocka's set-up and tear-down of a test that has a scratch folder. */
int scratch_set_up(void **state);
int scratch_tear_down(void **state);

/* A member of an archive to be written. length -1: strlen. name ending in "/": a folder; link: its target. */
typedef struct {
    const char *name;
    const void *data;
    long length;
    const char *link;
} archive_part;

/* An archive in memory. format and filter are libarchive's names ("zip", "ustar", "7zip"; "gzip", NULL: none);
 * options as archive_write_set_options, or NULL. Freed by the caller. */
drt_buffer archive_make(const char *format, const char *filter, const char *options, const archive_part *parts,
                        size_t n_parts);
/* The same into a file below the scratch folder. */
void archive_write(const char *name, const char *format, const char *filter, const archive_part *parts, size_t n_parts);

/* Walks a path and writes a line a member; "\n" in texts as "\\n". params NULL: the defaults. Freed by the caller. */
drt_buffer walk_rows(const char *path, const drt_corpus_params *params);
/* Walks scratch_path(name) and compares. */
void assert_rows(const char *name, const char *expected);

/* The format that name and bytes tell, and what it extracts; cleared by the caller. */
const drt_format *format_of(const char *name, const char *data, size_t length);
drt_extract extract_bytes(const char *name, const char *data, size_t length);
/* Extracts a C string and compares; all of it is to be in. */
void assert_text(const char *name, const char *source, const char *text);

#endif
