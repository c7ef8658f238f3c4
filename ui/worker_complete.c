/* worker_complete.c: how a path that is being typed can go on: the names in its folder that begin as it ends. A folder
 * may be slow to read (a network, a sleeping disk), so the catalog thread does it. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ui/path.h"
#include "ui/worker_parts.h"

#define NAMES_MAX 1000 /* more are of no use to anybody */

typedef struct {
    drt_string *names;
    size_t n, capacity;
} name_list;

static bool is_folder(const char *folder, const char *name) {
    char path[4096];
    struct stat facts;
    int length = snprintf(path, sizeof path, "%s%s", folder, name);
    return length > 0 && (size_t)length < sizeof path && stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

/* A name that is no text cannot be typed either. */
static bool is_typeable(const char *name) {
    size_t length = strlen(name);
    uint32_t code;
    for (size_t at = 0, size; at < length; at += size)
        if ((size = drt_utf8_decode(name + at, length - at, &code)) == 0)
            return false;
    return true;
}

static bool is_wanted(const char *name, const char *prefix) {
    return strncmp(name, prefix, strlen(prefix)) == 0 && (name[0] != '.' || prefix[0] == '.') &&
           strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && is_typeable(name);
}

static bool add_name(name_list *list, const char *name, bool folder) {
    if (list->n == list->capacity) {
        size_t capacity = list->capacity * 2 + 32;
        drt_string *names = realloc(list->names, capacity * sizeof *names);
        if (!names)
            return false;
        list->names = names;
        list->capacity = capacity;
    }
    drt_string *added = &list->names[list->n];
    *added = (drt_string){0};
    if (!model_string_set(added, name, strlen(name)) || (folder && !model_string_append(added, "/", 1))) {
        drt_string_free(added);
        return false;
    }
    list->n++;
    return true;
}

/* The names in `folder` ("" is here, else it ends in '/') that begin with the prefix. */
static void read_folder(name_list *list, const char *folder, const char *prefix) {
    DIR *open = opendir(*folder ? folder : ".");
    if (!open)
        return; /* no folder: it cannot go on */
    for (struct dirent *entry; list->n < NAMES_MAX && (entry = readdir(open));)
        if (is_wanted(entry->d_name, prefix) && !add_name(list, entry->d_name, is_folder(folder, entry->d_name)))
            break;
    closedir(open);
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const drt_string *)a)->data, ((const drt_string *)b)->data);
}

/* Bytes that all names share, whole characters only. */
static size_t common_length(const name_list *list) {
    const char *first = list->names[0].data, *last = list->names[list->n - 1].data;
    size_t length = 0;
    while (first[length] && first[length] == last[length]) /* they are sorted */
        length++;
    while (length > 0 && ((unsigned char)first[length] & 0xC0) == 0x80)
        length--;
    return length;
}

/* Names that the typed path can end in; returns how many of their bytes are typed already. */
static size_t find_names(name_list *list, const char *typed) {
    if (strcmp(typed, "~") == 0) {
        add_name(list, typed, true);
        return 1;
    }
    char *path = path_expand(typed);
    char *slash = path ? strrchr(path, '/') : NULL;
    char *prefix = path ? strdup(slash ? slash + 1 : path) : NULL;
    size_t length = prefix ? strlen(prefix) : 0;
    if (prefix) {
        path[strlen(path) - length] = '\0';
        read_folder(list, path, prefix);
    }
    free(prefix);
    free(path);
    return length;
}

void complete_path(engine_thread *thread) {
    const drt_string *typed = &thread->current.path;
    news *message = news_new(thread, NEWS_COMPLETION);
    if (!message)
        return;
    name_list list = {0};
    size_t known = find_names(&list, typed->data);
    if (list.n > 0) {
        qsort(list.names, list.n, sizeof *list.names, by_name);
        model_string_set(&message->text, list.names[0].data + known, common_length(&list) - known);
    }
    model_string_set(&message->path, typed->data, typed->length);
    message->names = list.names;
    message->n = list.n;
    news_post(thread, message);
}
