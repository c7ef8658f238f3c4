/* project.h: sources of TeX that belong together. The files of an archive or a folder wait until it has been seen; then
 * each main file (one with a \documentclass and a \begin{document}) takes in what it includes and what its own styles and
 * classes define, and what no main file takes in stands by itself. Nothing outside the archive or folder is looked at.
 * May use: base, charset, stream, tex, style. */
#ifndef DRT_CORPUS_TEX_PROJECT_H
#define DRT_CORPUS_TEX_PROJECT_H

#include "engine/corpus/archives/stream.h"

#define DRT_TEX_PROJECT_BYTES (64u << 20) /* that wait at a time; files beyond stand alone */

typedef struct {
    drt_string path; /* as shown; its parts are those of the archive or folder */
    drt_blob blob;
    bool main;
    bool style;    /* a style or class: it only defines, and is no document */
    bool data;     /* a list of references as biblatex has it, which is no text */
    bool bibtex;   /* another; a document by itself, whatever is taken from it */
    bool included; /* in a main file */
    bool done;     /* it, or a main file that includes it, was handed on */
    size_t loaded; /* the reading that took it in as a style */
} drt_tex_file;

/* {0} is empty. */
typedef struct {
    drt_tex_file *files;
    size_t n;
    size_t bytes;
    size_t readings; /* of main files so far */
} drt_tex_project;

/* Takes the blob over. false: there is no room, or (*memory) no memory; then it doesn't. */
bool drt_tex_project_add(drt_tex_project *project, const char *path, size_t length, drt_blob *blob, bool *memory);
/* Drops the files from that one on. */
void drt_tex_project_cut(drt_tex_project *project, size_t from);
/* Does any from that one on have a main file? */
bool drt_tex_project_has_main(const drt_tex_project *project, size_t from);
/* Appends a file with all that it includes, as UTF-8, looking at files from `from` on; sets `included` of those that are taken
 * in, or `done` instead. *whole: it includes nothing, and nothing was appended. One that grows beyond DRT_TEX_SOURCE_BYTES takes
 * in nothing more, and whoever reads it tells that it is too long. DRT_FATAL: out of memory; DRT_FAILED: cancelled. */
drt_status drt_tex_project_flatten(drt_context *context, drt_tex_project *project, size_t from, size_t file, bool done,
                                   drt_buffer *out, bool *whole);

#endif
