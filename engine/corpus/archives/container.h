/* container.h: the table of archive and compression formats.
 * May use: base, formats.h, libarchive (its codes). */
#ifndef DRT_CORPUS_ARCHIVES_CONTAINER_H
#define DRT_CORPUS_ARCHIVES_CONTAINER_H

#include "engine/corpus/formats/formats.h"

typedef enum {
    DRT_CONTAINER_PLAIN,       /* members as they are: tar, cpio, ar, ISO */
    DRT_CONTAINER_PACKED,      /* members compressed one by one or together: zip, 7z, ... */
    DRT_CONTAINER_COMPRESSION, /* one compressed file without a name of its own: gzip, xz, ... */
    DRT_CONTAINER_MAILBOX      /* messages one after the other, see mailbox.h */
} drt_container_kind;

typedef struct {
    const char *name;
    const char *extensions; /* as in drt_format */
    const char *description;
    bool (*detect)(const drt_format_probe *probe);
    int code; /* libarchive's ARCHIVE_FORMAT_*, of a compression ARCHIVE_FILTER_*; of a mailbox 0 */
    drt_container_kind kind;
    bool seeks; /* has to be read from a stream that can be sought */
} drt_container;

/* The kind that the first bytes, or else the name, tell; NULL: no archive. */
const drt_container *drt_container_by_content(const drt_format_probe *probe);
const drt_container *drt_container_by_name(const drt_format_probe *probe);
/* The row of this name; NULL: none. */
const drt_container *drt_container_named(const char *name);
/* One row of the table; NULL past its end. */
const drt_container *drt_container_at(size_t index);

/* What the zip at hand is, as far as its first members tell. */
bool drt_zip_is_epub(const drt_format_probe *probe);
bool drt_zip_is_docx(const drt_format_probe *probe);
bool drt_zip_is_office(const drt_format_probe *probe);
bool drt_zip_is_odt(const drt_format_probe *probe);
bool drt_zip_is_opendocument(const drt_format_probe *probe);

#endif
