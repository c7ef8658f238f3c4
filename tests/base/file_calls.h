/* file_calls.h: stands between the program and the system: sees each call that changes files below one folder, SQLite's
 * too, and makes one of them fail or writes them down, so that a loss of power after any of them can be played out. The
 * program defines these functions itself (tests/base/file_calls.c), so shared libraries call them here as well.
 * May use: libc, the system's calls. */
#ifndef DRT_TESTS_BASE_FILE_CALLS_H
#define DRT_TESTS_BASE_FILE_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    FILE_CALL_OPEN, /* for writing */
    FILE_CALL_WRITE,
    FILE_CALL_TRUNCATE,
    FILE_CALL_SYNC,
    FILE_CALL_RENAME,
    FILE_CALL_UNLINK,
    FILE_CALL_MKDIR,
    FILE_CALL_KINDS
} file_call_kind;

/* Calls on paths that begin with folder are seen from now on; NULL: none. */
void file_calls_watch(const char *folder);
/* Files below the folder that were opened and not closed. */
int file_calls_open_files(void);

/* -------------------------------------------------------------------------- failures ---- */

/* The number-th call from now on fails (from 1; 0: none). lasting: all after it fail as well, but for those that
 * remove; and a write stores its first half before. */
void file_calls_fail(long number, int error, bool lasting);
/* Ends it; returns whether a call has failed, and which ("write of memory.bin"); valid until the next _fail. */
bool file_calls_end_failures(const char **what);

/* ------------------------------------------------------------------------- recording ---- */

/* One call that succeeded. Files are numbered as they are made; a folder is a name. */
typedef struct {
    file_call_kind kind;
    int mark;        /* the last one that was set before */
    int file;        /* number; -1: a sync of the folder `name` */
    char *name, *to; /* below the watched folder, for OPEN (of a new file), RENAME, UNLINK, MKDIR, SYNC of a folder */
    int64_t at;      /* of WRITE; the new size of TRUNCATE */
    size_t length;
    uint8_t *data; /* of WRITE */
} file_call;

typedef struct {
    file_call *calls;
    size_t count;
} file_record;

/* Writes down all calls until _end_record; the folder has to be empty. */
void file_calls_record(void);
void file_calls_mark(int mark);
file_record file_calls_end_record(void);
void file_record_free(file_record *record);

/* What the disk may hold after a loss of power, of all that was not synced. */
typedef enum {
    POWER_LOSS_KEEPS_ALL,   /* as when the program is killed */
    POWER_LOSS_LOSES_DATA,  /* names are there, contents are not */
    POWER_LOSS_LOSES_NAMES, /* contents are there, names are not */
    POWER_LOSS_LOSES_ALL,
    POWER_LOSS_RANDOM, /* some writes, also parts of them, and the first of the names */
    POWER_LOSS_KINDS
} power_loss;

/* Makes the folder (empty) what it may be when power is lost after the first n_calls. */
void file_record_replay(const file_record *record, size_t n_calls, power_loss loss, uint32_t seed, const char *folder);

#endif
