/* corpus.h: paths -> documents. Walks folders, files and archives (nested), recognises formats, decodes
 * and normalises text. One bad member never loses the rest. Knows neither network nor library.
 *
 * Normalised text: UTF-8, NFC, no control characters but the line feed; paragraphs joined by one
 * blank line ("\n\n"); inside a paragraph each run of white space is one space, except that single line
 * breaks which carry meaning (verse, lists, code) may stay.
 * May use: base, libarchive, libxml2, uchardet, iconv, utf8proc. */
#ifndef DRT_CORPUS_CORPUS_H
#define DRT_CORPUS_CORPUS_H

#include "engine/base/buffer.h"
#include "engine/base/hash.h"

/* One member of the corpus. Strings are borrowed, valid during the callback. */
typedef struct {
    const char *archive; /* absolute path of the file or folder given, bytes as they are */
    size_t archive_length;
    /* Display path "archive.zip/inner/path.txt": base name of what was given, then the way inside; valid UTF-8. */
    const char *path;
    size_t path_length;
    const char *format;            /* name in the table of formats; "" when unknown */
    uint8_t sha256[DRT_HASH_SIZE]; /* of the raw bytes; zeros when they were not read */
    int64_t raw_bytes;             /* -1: not known */
    const char *damage;            /* why the bytes end early: a sentence without the path; NULL: they are whole */
} drt_source;

typedef struct {
    drt_document_status status;
    drt_string reason; /* set unless OK: one sentence without the path */
    int64_t replacements;
    drt_string title, date; /* data NULL: none */
    drt_string *authors;
    size_t n_authors;
    drt_buffer text; /* normalised; empty when skipped */
    drt_page *pages; /* where pages begin in it, by start; none for formats without pages */
    size_t n_pages;
} drt_extract;

void drt_extract_clear(drt_extract *extract);

/* A member's bytes, read but not looked into. It stands for itself: what is made of it may be made later, in another
 * thread. Up to 16 MiB are in memory, more in an unlinked temporary file that is mapped. */
typedef struct drt_raw drt_raw;

/* Makes the document. DRT_FAILED: cancelled; DRT_FATAL: out of memory. */
drt_status drt_raw_extract(drt_context *context, const drt_raw *raw, drt_extract *extract);
void drt_raw_free(drt_raw *raw); /* NULL does nothing */

/* Hard limits against bombs. They hold for one file on disk with all that is nested in it; folders have none.
 * Time is bounded by max_total_bytes and max_ratio; memory by one member (about max_member_bytes raw, as much again
 * decoded, and its text), 16 MiB for each archive open inside another, and the dictionaries of the decompressors. */
typedef struct {
    int max_depth;            /* archives and compressions inside each other */
    int64_t max_members;      /* of all archives in the file */
    int64_t max_member_bytes; /* of one document, unpacked */
    int64_t max_nested_bytes; /* of one archive that must be spooled to a temporary file to be read */
    int64_t max_total_bytes;  /* unpacked */
    /* Unpacked over packed, above 64 MiB of output of an archive (512 MiB of the whole file). Members of an
     * archive that has used this up may still have 1 MiB each. */
    int64_t max_ratio;
} drt_corpus_limits;

typedef struct {
    drt_corpus_limits limits;
    /* Each member whose bytes were read and hashed. Whoever keeps them sets *raw to NULL; otherwise they are extracted
     * here and `member` hears of it. NULL: nobody keeps any. */
    drt_status (*raw)(void *user, const drt_source *source, drt_raw **raw);
    /* Each member in order that was extracted here, or skipped before its bytes were read; `extract` belongs to the
     * walk. As with `raw`, a status that is not DRT_OK ends the walk. */
    drt_status (*member)(void *user, const drt_source *source, drt_extract *extract);
    /* Is what has this display path wanted? holds_others: it is a folder or an archive, which is looked into if so, and
     * its own failures are members. Asked before the bytes are read, as far as these aren't needed to recognise what
     * it is. What a project of TeX includes is included, wanted by itself or not. NULL: all is wanted. */
    bool (*wanted)(void *user, const char *path, size_t path_length, bool holds_others);
    int64_t *passed_over; /* grows with each that was not wanted; NULL: not counted */
    /* Hears of each place (archive and path of the source) that may hold more than is handed on: what is skipped, passed
     * over or cut short. false: out of memory. NULL: nobody asks. */
    bool (*unlisted)(void *user, const drt_source *source);
    /* Bytes of this walk's source files read so far, and in all. */
    void (*progress)(void *user, const char *path, size_t path_length, int64_t bytes, int64_t total);
    void *user;
} drt_corpus_params;

drt_corpus_params drt_corpus_params_default(void); /* 32, 1,000,000, 256 MiB, 512 MiB, 1 TiB, 200 */

/* Walks one path. DRT_FAILED: the path itself could not be read (missing, no permission); what was
 * visited before stays visited. Stops quietly when cancelled. */
drt_status drt_corpus_walk(drt_context *context, const char *path, const drt_corpus_params *params);
/* Bytes of the source files that this walk would read: what its progress ends at. The same errors. */
drt_status drt_corpus_measure(drt_context *context, const char *path, const drt_corpus_params *params, int64_t *bytes);

#endif
