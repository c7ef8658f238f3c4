/* workspace.h: what a subcommand works with (context, library, device, model, session), opened in order and
 * closed together. Failures are said on stderr. May use: drt.h. */
#ifndef DRT_APP_WORKSPACE_H
#define DRT_APP_WORKSPACE_H

#include "app/options.h"
#include "app/progress.h"
#include "engine/drt.h"

/* Options of every subcommand that computes. */
typedef struct {
    const char *model;  /* directory; NULL: look it up */
    const char *device; /* as drt_device_params.name */
    int64_t threads;    /* 0: all cores */
    int64_t gpu_memory; /* as drt_device_params.gpu_memory */
} compute_options;

#define COMPUTE_OPTIONS_DEFAULT                                                                                        \
    { NULL, "auto", 0, 0 }

bool workspace_parse_device(const char *text, void *value);
bool workspace_parse_size(const char *text, void *value); /* "512M" -> int64_t bytes */
bool workspace_parse_retriever(const char *text, void *value);
bool workspace_parse_memory(const char *text, void *value);

/* Rows of option tables. */
#define OPT_COMPUTE(member)                                                                                            \
    OPT_STRING("model", member.model, "DIR", "the model (else $DRT_MODEL, the library's, the installed one)"),         \
        OPT_CHOICE("device", member.device, "NAME", workspace_parse_device, "auto, cpu, cuda or cuda:N",               \
                   "auto (default), cpu, cuda or cuda:N"),                                                             \
        OPT_INTEGER("threads", member.threads, "N", 0, 1024, "CPU threads (default: one for each core)"),              \
        OPT_CHOICE("gpu-memory", member.gpu_memory, "SIZE", workspace_parse_size, "a size as 512M or 2G",              \
                   "most of the GPU's memory to use: 512M, 2G (default: what is free)")
#define OPT_RETRIEVER(member)                                                                                          \
    OPT_CHOICE("retriever", member, "NAME", workspace_parse_retriever, "learned, bm25, both or random",                \
               "who proposes chunks: learned (default), bm25, both, random")
#define OPT_MEMORY(member)                                                                                             \
    OPT_CHOICE("memory", member, "TYPE", workspace_parse_memory, "int8 or bf16",                                       \
               "chunk memory of a new library: int8 (default) or bf16")

typedef struct {
    drt_context *context;
    drt_library *library;
    drt_device *device;
    drt_model *model;
    drt_session *session;
    progress progress; /* gives way to warnings */
} workspace;

/* Each returns false after saying why. workspace_close takes a workspace at any stage. */
bool workspace_open(workspace *work); /* the context */
bool workspace_open_library(workspace *work, const char *path, drt_library_mode mode);
/* The device; *directory: of the model that would be loaded onto it, the caller's. */
bool workspace_open_device(workspace *work, const compute_options *options, char **directory);
bool workspace_open_model(workspace *work, const compute_options *options);
/* Library and model for ingest: the library may be new. */
bool workspace_open_ingest(workspace *work, const compute_options *options, const char *path, drt_memory_type memory);
/* Library (with text in it), model and session for ask and search. */
bool workspace_open_session(workspace *work, const compute_options *options, const char *path);
void workspace_close(workspace *work);

/* drt_library_document, by what was given on the command line; a path may also be given as `drt ls` writes it, with
 * escapes, which are then undone in place. */
drt_status workspace_find_document(workspace *work, char *selector, drt_document *document);

/* drt_error() as an error line. */
void workspace_complain(workspace *work);
/* Complains about DRT_FAILED and DRT_FATAL. The exit status that it stands for. */
int workspace_exit_status(workspace *work, drt_status status);

#endif
