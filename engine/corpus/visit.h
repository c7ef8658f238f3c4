/* visit.h: one file on disk and everything in it: what is it, within what limits is it read, what becomes of it.
 * May use: base, archive, formats, stream. */
#ifndef DRT_CORPUS_VISIT_H
#define DRT_CORPUS_VISIT_H

#include <sys/stat.h>

#include "engine/base/fingerprints.h"
#include "engine/corpus/corpus.h"
#include "engine/corpus/tex/project.h"

/* The state of a walk. */
typedef struct {
    drt_context *context;
    const drt_corpus_params *params;
    drt_string archive; /* absolute path of what was given */
    drt_buffer path;    /* display path of what is being read */
    drt_status status;  /* anything but DRT_OK ends the walk; DRT_WARN: cancelled */
    bool measuring;     /* only adding up sizes */
    int64_t total;      /* bytes of source files */
    int64_t finished;   /* bytes of files done */
    /* The file on disk at hand. */
    int file;
    struct stat opened; /* when it was opened */
    int64_t file_size, file_read;
    int64_t members, unpacked;
    drt_fingerprints met; /* display paths of members -> how often */
    char refusal[128];
    drt_tex_project tex; /* sources that wait for the end of their archive or folder */
} drt_visit;

/* Reads an open regular file called `name` and reports its members. */
void drt_visit_file(drt_visit *visit, int file, const struct stat *facts, const char *name);
/* Reports what is not read at the current path. */
void drt_visit_skip(drt_visit *visit, const char *format, int64_t raw_bytes, const char *reason);
/* There may be more below the current path than is handed on. */
void drt_visit_note_unlisted(drt_visit *visit);
/* Is what has the current path, a folder or archive or not, wanted? Counts it if not. */
bool drt_visit_wants(drt_visit *visit, bool holds_others);
/* Hands on the sources of TeX that wait, from that one on: main files with what they include, and the rest. */
void drt_visit_tex(drt_visit *visit, size_t from);
/* The walk has to end: cancelled, out of memory, or the receiver said so. */
bool drt_visit_stopped(drt_visit *visit);
void drt_visit_out_of_memory(drt_visit *visit);

/* Appends "/name" to the display path; returns its length before, for pop. */
size_t drt_visit_push(drt_visit *visit, const char *name, size_t length);
/* The same for a member of the file at hand. Archives may hold several of one name: the second "a.txt" is shown as
 * "a (2).txt". */
size_t drt_visit_push_member(drt_visit *visit, const char *name, size_t length);
void drt_visit_pop(drt_visit *visit, size_t before);

/* What systems leave in folders is no document: by the name of a file, or of a folder (a part before "/"). */
bool drt_visit_is_litter(const char *path, size_t length);
extern const char drt_visit_litter_reason[];

#endif
