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
    const char *
        path; /* display path "archive.zip/inner/path.txt": base name of what was given, then the way inside; valid UTF-8 */
    size_t path_length;
    const char *format; /* name in the table of formats; "" when unknown */
    uint8_t sha256[DRT_HASH_SIZE];
    int64_t raw_bytes;
} drt_source;

typedef struct {
    drt_document_status status;
    drt_string reason; /* set unless OK: one sentence without the path */
    int64_t replacements;
    drt_string title, date; /* data NULL: none */
    drt_string *authors;
    size_t n_authors;
    drt_buffer text; /* normalised; empty when skipped */
} drt_extract;

void drt_extract_clear(drt_extract *extract);

/* Hard limits against bombs; one walk's whole budget. */
typedef struct {
    int max_depth;            /* archives inside archives */
    int64_t max_members;      /* of one argument */
    int64_t max_member_bytes; /* of one member, unpacked */
    int64_t max_total_bytes;  /* unpacked, of one argument */
    int64_t max_ratio;        /* unpacked over packed, above 1 MiB of output */
} drt_corpus_limits;

typedef struct {
    drt_corpus_limits limits;
    /* Raw bytes were read and hashed: true when they should be extracted (false: content known). */
    bool (*wanted)(void *user, const drt_source *source);
    /* Each member in order, wanted ones and those skipped before reading; `extract` belongs to the walk. Not
     * DRT_OK ends the walk with that status. */
    drt_status (*member)(void *user, const drt_source *source, drt_extract *extract);
    /* Bytes of source files read so far, and in all when known (else 0). */
    void (*progress)(void *user, const char *path, size_t path_length, int64_t bytes, int64_t total);
    void *user;
} drt_corpus_params;

drt_corpus_params drt_corpus_params_default(void);

/* Walks one path. DRT_FAILED: the path itself could not be read (missing, no permission); what was
 * visited before stays visited. Stops quietly when cancelled. */
drt_status drt_corpus_walk(drt_context *context, const char *path, const drt_corpus_params *params);

#endif
