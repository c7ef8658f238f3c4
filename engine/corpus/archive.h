/* archive.h: members of archives and compressed files, through libarchive. Archives open on any stream, so also
 * inside each other; names come out as valid UTF-8 whatever they were in.
 * May use: base, charset, formats.h, stream, libarchive. */
#ifndef DRT_CORPUS_ARCHIVE_H
#define DRT_CORPUS_ARCHIVE_H

#include "engine/corpus/formats.h"
#include "engine/corpus/stream.h"

typedef enum {
    DRT_CONTAINER_PLAIN,      /* members as they are: tar, cpio, ar, ISO */
    DRT_CONTAINER_PACKED,     /* members compressed one by one or together: zip, 7z, ... */
    DRT_CONTAINER_COMPRESSION /* one compressed file without a name of its own: gzip, xz, ... */
} drt_container_kind;

typedef struct {
    const char *name;
    const char *extensions; /* as in drt_format */
    const char *description;
    bool (*detect)(const drt_format_probe *probe);
    int code; /* libarchive's ARCHIVE_FORMAT_*, of a compression ARCHIVE_FILTER_* */
    drt_container_kind kind;
    bool seeks; /* has to be read from a stream that can be sought */
} drt_container;

/* The kind that the first bytes, or else the name, tell; NULL: no archive. */
const drt_container *drt_container_by_content(const drt_format_probe *probe);
const drt_container *drt_container_by_name(const drt_format_probe *probe);
/* One row of the table; NULL past its end. */
const drt_container *drt_container_at(size_t index);

/* What the zip at hand is, as far as its first members tell. */
bool drt_zip_is_epub(const drt_format_probe *probe);
bool drt_zip_is_docx(const drt_format_probe *probe);
bool drt_zip_is_office(const drt_format_probe *probe);
bool drt_zip_is_odt(const drt_format_probe *probe);
bool drt_zip_is_opendocument(const drt_format_probe *probe);

typedef enum { DRT_MEMBER_FILE, DRT_MEMBER_FOLDER, DRT_MEMBER_LINK, DRT_MEMBER_SPECIAL } drt_member_kind;

typedef struct {
    const char *path; /* valid UTF-8, without leading "/" and empty or "." parts; "" for a compression's file */
    size_t path_length;
    drt_member_kind kind;
    bool encrypted;
    drt_stream *stream; /* its bytes; valid until the next call */
} drt_archive_member;

typedef struct drt_archive drt_archive;

/* Hears of all bytes that unpacking adds to those of the stream, before they are handed out, and may refuse more
 * of this member, or of the whole archive when the bytes are only to be skipped: a sentence; NULL: go on. */
typedef struct {
    const char *(*charge)(void *user, int64_t bytes, bool skipping);
    void *user;
} drt_archive_meter;

/* Reads the archive on `stream`, which must outlive it. DRT_FAILED: it cannot be read (drt_error: a sentence
 * without its name). The calling thread's locale is C.UTF-8 during libarchive's calls, for names. */
drt_status drt_archive_open(drt_context *context, const drt_container *container, drt_stream *stream,
                            const drt_archive_meter *meter, drt_archive **archive);
/* DRT_OK: a member. DRT_WARN: no more. DRT_FAILED: the rest cannot be read (drt_error says why). */
drt_status drt_archive_next(drt_context *context, drt_archive *archive, drt_archive_member *member);
void drt_archive_close(drt_archive *archive);

#endif
