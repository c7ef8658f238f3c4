/* power_loss.c: what a disk may hold of recorded calls. See file_calls.h.
 *
 * The contents of a file are as of its last sync, and of the writes and truncations after it all, none or any, in part or
 * as zeros at a new end. The names in a folder are as of the folder's last sync, and of the changes after it all, none or
 * the first ones: file systems keep their order. */
#include "tests/base/file_calls.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_NAMES 64
#define SECTOR 512 /* a write that is cut off ends at a multiple of it */

typedef struct {
    uint8_t *data;
    size_t size;
} content;

typedef struct {
    char *names[MAX_NAMES]; /* of the record */
    int files[MAX_NAMES];   /* -1: a folder */
    size_t count;
} name_list;

static void require(bool ok, const char *what) {
    if (!ok) {
        perror(what);
        abort();
    }
}

static uint32_t next_random(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static void resize(content *c, size_t size) {
    uint8_t *data = realloc(c->data, size + 1);
    require(data != NULL, "replay");
    if (size > c->size)
        memset(data + c->size, 0, size - c->size);
    c->data = data;
    c->size = size;
}

static void apply_to_content(content *c, const file_call *call, size_t length) {
    if (call->kind == FILE_CALL_TRUNCATE) {
        resize(c, (size_t)call->at);
        return;
    }
    size_t end = (size_t)call->at + length;
    if (end > c->size)
        resize(c, end);
    memcpy(c->data + call->at, call->data, length);
}

/* A change after the file's last sync: how it came out. A file may have grown for a write that was lost. */
static void apply_unsynced(content *c, const file_call *call, power_loss loss, uint32_t *seed) {
    bool keep = loss == POWER_LOSS_KEEPS_ALL || loss == POWER_LOSS_LOSES_NAMES;
    size_t length = call->length;
    if (loss == POWER_LOSS_RANDOM) {
        uint32_t chance = next_random(seed) % 5;
        keep = chance > 1;
        if (chance == 1 && call->kind == FILE_CALL_WRITE && (size_t)call->at + length > c->size)
            resize(c, (size_t)call->at + length);
        if (chance == 2)
            length = length / SECTOR * (next_random(seed) % 3) / 2 * SECTOR;
    }
    if (keep && (length > 0 || call->kind == FILE_CALL_TRUNCATE))
        apply_to_content(c, call, length);
}

static void remove_name(name_list *names, const char *name) {
    for (size_t i = names->count; i-- > 0;)
        if (strcmp(names->names[i], name) == 0) {
            names->count--;
            names->names[i] = names->names[names->count];
            names->files[i] = names->files[names->count];
        }
}

static void add_name(name_list *names, char *name, int file) {
    remove_name(names, name);
    require(names->count < MAX_NAMES, "replay");
    names->names[names->count] = name;
    names->files[names->count++] = file;
}

static void apply_to_names(name_list *names, const file_call *call) {
    if (call->kind == FILE_CALL_OPEN || call->kind == FILE_CALL_MKDIR)
        add_name(names, call->name, call->file);
    if (call->kind == FILE_CALL_UNLINK || call->kind == FILE_CALL_RENAME)
        remove_name(names, call->name);
    if (call->kind == FILE_CALL_RENAME)
        add_name(names, call->to, call->file);
}

static bool changes_names(const file_call *call) {
    return call->kind == FILE_CALL_OPEN || call->kind == FILE_CALL_MKDIR || call->kind == FILE_CALL_UNLINK ||
           call->kind == FILE_CALL_RENAME;
}

/* Is it a change of a name in this folder ("" is the watched one)? */
static bool is_in_folder(const char *name, const char *folder) {
    const char *slash = strrchr(name, '/');
    size_t length = slash ? (size_t)(slash - name) : 0;
    return strlen(folder) == length && memcmp(name, folder, length) == 0;
}

/* Was the change of call i made to last by a later sync? */
static bool is_synced(const file_record *record, size_t n_calls, size_t i) {
    const file_call *call = &record->calls[i];
    for (size_t later = i + 1; later < n_calls; later++) {
        const file_call *sync = &record->calls[later];
        if (sync->kind != FILE_CALL_SYNC)
            continue;
        if (changes_names(call) ? sync->name && is_in_folder(call->name, sync->name)
                                : !sync->name && sync->file == call->file)
            return true;
    }
    return false;
}

static void write_file(const char *path, const content *c) {
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    require(file >= 0 && (c->size == 0 || write(file, c->data, c->size) == (ssize_t)c->size) && close(file) == 0, path);
}

/* Folders first. A file whose folder is not there is lost. */
static void write_folder(const name_list *names, const content *contents, const char *folder) {
    char path[512];
    for (int files = 0; files < 2; files++)
        for (size_t i = 0; i < names->count; i++) {
            snprintf(path, sizeof path, "%s/%s", folder, names->names[i]);
            if (!files && names->files[i] < 0)
                require(mkdir(path, 0777) == 0, path);
            if (!files || names->files[i] < 0)
                continue;
            char *slash = strrchr(path, '/');
            *slash = 0;
            bool there = access(path, F_OK) == 0;
            *slash = '/';
            if (there)
                write_file(path, &contents[names->files[i]]);
        }
}

void file_record_replay(const file_record *record, size_t n_calls, power_loss loss, uint32_t seed, const char *folder) {
    content *contents = calloc(record->count + 1, sizeof *contents);
    name_list names = {.count = 0};
    bool keep_names = loss == POWER_LOSS_KEEPS_ALL || loss == POWER_LOSS_LOSES_DATA;
    uint32_t left = loss == POWER_LOSS_RANDOM ? next_random(&seed) % 6 : 0; /* changes of names */
    require(contents != NULL, "replay");
    for (size_t i = 0; i < n_calls; i++) {
        const file_call *call = &record->calls[i];
        bool synced = is_synced(record, n_calls, i);
        if (changes_names(call)) {
            if (synced || keep_names || left > 0)
                apply_to_names(&names, call);
            left -= !synced && left > 0;
        } else if (call->kind != FILE_CALL_SYNC) {
            if (synced)
                apply_to_content(&contents[call->file], call, call->length);
            else
                apply_unsynced(&contents[call->file], call, loss, &seed);
        }
    }
    write_folder(&names, contents, folder);
    for (size_t i = 0; i <= record->count; i++)
        free(contents[i].data);
    free(contents);
}
