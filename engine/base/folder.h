/* folder.h: a new folder of files that appears whole or not at all. It is filled under another name
 * beside its place, synced, and renamed. May use: base, POSIX. */
#ifndef DRT_BASE_FOLDER_H
#define DRT_BASE_FOLDER_H

#include "engine/base/buffer.h"

typedef struct {
    drt_string path;    /* what it will be called, without slashes at the end */
    drt_string partial; /* where to write its files meanwhile */
} drt_new_folder;

/* Fails when something is at `path` already. */
drt_status drt_new_folder_begin(drt_context *context, const char *path, drt_new_folder *folder);
/* Every file must be synced. Ends `folder`, also on failure. */
drt_status drt_new_folder_commit(drt_context *context, drt_new_folder *folder);
/* Removes what was written; it holds files only. Accepts {0}. */
void drt_new_folder_discard(drt_new_folder *folder);

#endif
