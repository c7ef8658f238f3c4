/* archive.h: members of archives and compressed files, through libarchive. Archives open on any stream, so also
 * inside each other; names come out as valid UTF-8 whatever they were in.
 * May use: base, charset, container, stream, libarchive. */
#ifndef DRT_CORPUS_ARCHIVES_ARCHIVE_H
#define DRT_CORPUS_ARCHIVES_ARCHIVE_H

#include "engine/corpus/archives/container.h"
#include "engine/corpus/archives/stream.h"

typedef enum { DRT_MEMBER_FILE, DRT_MEMBER_FOLDER, DRT_MEMBER_LINK, DRT_MEMBER_SPECIAL } drt_member_kind;

typedef struct {
    const char *path; /* valid UTF-8, without leading "/" and empty or "." parts; "" for a compression's file */
    size_t path_length;
    drt_member_kind kind;
    bool encrypted;
    drt_stream *stream; /* its bytes; valid until the next call */
} drt_archive_member;

typedef struct drt_archive drt_archive;

/* Hears of all bytes that unpacking adds to those of the stream, before they are handed out or thrown away, and may
 * refuse to go on with the archive: a sentence; NULL: go on. */
typedef struct {
    const char *(*charge)(void *user, int64_t bytes);
    void *user;
} drt_archive_meter;

/* Reads the archive on `stream`, which must outlive it. DRT_FAILED: it cannot be read (drt_error: a sentence
 * without its name). The calling thread's locale is C.UTF-8 during libarchive's calls, for names. */
drt_status drt_archive_open(drt_context *context, const drt_container *container, drt_stream *stream,
                            const drt_archive_meter *meter, drt_archive **archive);
/* DRT_OK: a member. DRT_WARN: no more. DRT_FAILED: the rest cannot be read (drt_error says why). */
drt_status drt_archive_next(drt_context *context, drt_archive *archive, drt_archive_member *member);
/* After its end: may there have been more? A tar ends with zeros; one that was cut between two members doesn't, but then
 * some programs write none. */
bool drt_archive_may_be_cut(const drt_archive *archive);
void drt_archive_close(drt_archive *archive);

#endif
