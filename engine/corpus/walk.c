/* walk.c: walks folders, files and archives and hands every member on. See corpus.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/utf8.h"
#include "engine/corpus/archive.h"
#include "engine/corpus/formats.h"
#include "engine/corpus/stream.h"

#define FOLDER_DEPTH 200           /* folders inside folders: each holds a file descriptor */
#define ARCHIVE_FLOOR (64LL << 20) /* unpacked bytes below which no ratio is looked at: of an archive, */
#define FILE_FLOOR (1LL << 30)     /* of a whole file */
#define MEMBER_FLOOR (1LL << 20)   /* what a member may have in any case */
#define READINGS 3                 /* of a file that changes meanwhile */

/* An open archive and those around it. */
typedef struct level {
    struct level *outer;
    struct walk *walk;
    int64_t packed, unpacked;
    int64_t ceiling;  /* of unpacked, for the member at hand */
    const char *data; /* of an archive that lies in memory, to recognise it inside itself */
    size_t length;
} level;

typedef struct walk {
    drt_context *context;
    const drt_corpus_params *params;
    drt_string archive; /* absolute path of what was given */
    drt_buffer path;    /* display path of what is being read */
    drt_status status;  /* anything but DRT_OK ends the walk */
    bool measuring;     /* only adding up sizes */
    int64_t total;      /* bytes of source files */
    int64_t finished;   /* bytes of files done */
    /* The file on disk at hand. */
    int file;
    int64_t file_size, file_read;
    int64_t members, unpacked;
    char refusal[128];
} walk;

/* ----------------------------------------------------------- reporting ---- */

static bool stopped(walk *w) {
    if (w->status == DRT_OK && drt_cancelled(w->context))
        w->status = DRT_WARN; /* quietly */
    return w->status != DRT_OK;
}

static void out_of_memory(walk *w) {
    w->status = drt_fail_memory(w->context, "a member");
}

static void report(walk *w, drt_source *source, drt_extract *extract) {
    source->archive = w->archive.data;
    source->archive_length = w->archive.length;
    source->path = w->path.data;
    source->path_length = w->path.length;
    if (!stopped(w) && w->params->member)
        w->status = w->params->member(w->params->user, source, extract);
}

/* Reports what is not read. */
static void skip(walk *w, const char *format, int64_t raw_bytes, const char *reason) {
    drt_extract extract = {0};
    drt_source source = {.format = format, .raw_bytes = raw_bytes};
    if (!drt_extract_note(&extract, DRT_DOCUMENT_SKIPPED, "%s", reason))
        out_of_memory(w);
    report(w, &source, &extract);
    drt_extract_clear(&extract);
}

static void tell_progress(walk *w) {
    int64_t read = w->file_read < w->file_size ? w->file_read : w->file_size;
    if (w->params->progress)
        w->params->progress(w->params->user, w->path.data, w->path.length, w->finished + read, w->total);
}

static void count_read(void *user, int64_t bytes) {
    walk *w = user;
    w->file_read += bytes;
    tell_progress(w);
}

/* Appends "/name" to the display path; returns its length before. */
static size_t push_path(walk *w, const char *name, size_t length) {
    size_t before = w->path.length;
    if (!drt_buffer_append_byte(&w->path, '/') || !drt_utf8_append_escaped(&w->path, name, length))
        out_of_memory(w);
    return before;
}

static void pop_path(walk *w, size_t before) {
    w->path.length = before;
    w->path.data[before] = 0;
}

/* ------------------------------------------------------------- budgets ---- */

static int64_t allowance(const walk *w, int64_t floor, int64_t packed) {
    int64_t ratio = w->params->limits.max_ratio;
    int64_t by_ratio = packed > (INT64_MAX - floor) / ratio ? INT64_MAX : floor + packed * ratio;
    return by_ratio < w->params->limits.max_total_bytes ? by_ratio : w->params->limits.max_total_bytes;
}

/* Lets the next member have what is left, or the least that each may have. */
static void grant(level *l) {
    for (; l; l = l->outer) {
        int64_t most = allowance(l->walk, ARCHIVE_FLOOR, l->packed);
        l->ceiling = most > l->unpacked + MEMBER_FLOOR ? most : l->unpacked + MEMBER_FLOOR;
    }
}

static const char *refuse(walk *w, const char *what) {
    snprintf(w->refusal, sizeof w->refusal, "%s expands to more than %lld times its size, which looks like a trap",
             what, (long long)w->params->limits.max_ratio);
    return w->refusal;
}

static const char *charge(void *user, int64_t bytes, bool skipping) {
    level *l = user;
    walk *w = l->walk;
    w->unpacked += bytes;
    if (w->unpacked > allowance(w, FILE_FLOOR, w->file_size))
        return refuse(w, "the file");
    const char *refusal = NULL;
    for (; l; l = l->outer) {
        l->unpacked += bytes;
        if (l->unpacked > l->ceiling && !skipping)
            refusal = refuse(w, "the archive");
    }
    return refusal;
}

/* Counts a member that is passed over without being unpacked as if it had been. */
static const char *charge_unread(level *l, int64_t bytes) {
    const char *refusal = NULL;
    for (; l && bytes > 0; l = l->outer) {
        l->unpacked = bytes < INT64_MAX - l->unpacked ? l->unpacked + bytes : INT64_MAX / 2;
        if (l->unpacked > l->ceiling)
            refusal = refuse(l->walk, "the archive");
    }
    return refusal;
}

/* ----------------------------------------------------------- documents ---- */

static bool same_file_state(const struct stat *a, const struct stat *b) {
    return a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Reads a file on disk that others may be writing: it stood still meanwhile, or two readings agree. */
static bool read_steady(walk *w, drt_stream *stream, drt_blob *blob) {
    drt_blob before = {0};
    bool steady = false;
    for (int i = 0; i < READINGS && !steady; i++) {
        struct stat start, end;
        if (fstat(w->file, &start) != 0)
            break;
        if (i > 0) {
            stream->size = i == 1 && before.data ? (int64_t)before.length : start.st_size;
            drt_stream_rewind(stream);
        }
        bool ok = drt_blob_read(blob, stream, w->params->limits.max_member_bytes);
        if (fstat(w->file, &end) != 0)
            break;
        steady = same_file_state(&start, &end) || (ok && before.data && before.length == blob->length &&
                                                   memcmp(before.data, blob->data, blob->length) == 0);
        if (!ok && steady) {
            drt_blob_free(&before);
            return false;
        }
        if (!steady) {
            drt_blob_free(&before);
            before = *blob;
            *blob = (drt_blob){0};
        }
    }
    drt_blob_free(&before);
    return steady || drt_stream_fail(stream, "it kept changing while it was read");
}

static bool read_document(walk *w, const level *outer, drt_stream *stream, drt_blob *blob) {
    if (outer)
        return drt_blob_read(blob, stream, w->params->limits.max_member_bytes);
    return read_steady(w, stream, blob);
}

static void extract_document(walk *w, const drt_format *format, const drt_format_input *input, drt_source *source,
                             const char *damage) {
    drt_extract extract = {0};
    drt_status status = format->extract(w->context, input, &extract);
    if (status == DRT_OK && damage && !drt_extract_note(&extract, DRT_DOCUMENT_PARTIAL, "%s", damage))
        status = drt_fail_memory(w->context, "a member");
    if (status == DRT_OK && extract.text.length == 0 && extract.status != DRT_DOCUMENT_SKIPPED &&
        !drt_extract_note(&extract, DRT_DOCUMENT_SKIPPED, "there is no text in it"))
        status = drt_fail_memory(w->context, "a member");
    if (status == DRT_FATAL)
        w->status = status;
    if (status == DRT_OK)
        report(w, source, &extract);
    drt_extract_clear(&extract);
}

static void visit_document(walk *w, level *outer, drt_stream *stream, const drt_format *format,
                           const drt_format_probe *probe) {
    if (!format->extract) {
        const char *refusal = charge_unread(outer, stream->size);
        skip(w, format->name, stream->size, refusal ? refusal : format->refusal);
        return;
    }
    if (stream->size == 0 || (stream->size < 0 && probe->whole && probe->head_length == 0)) {
        skip(w, format->name, 0, "it is empty");
        return;
    }
    if (stream->size > w->params->limits.max_member_bytes) {
        drt_stream_fail(stream, "it is larger than the limit of %lld MiB",
                        (long long)(w->params->limits.max_member_bytes >> 20));
        skip(w, format->name, stream->size, stream->error);
        return;
    }
    drt_blob blob = {0};
    if (!read_document(w, outer, stream, &blob)) {
        skip(w, format->name, stream->size, stream->error);
    } else {
        drt_source source = {.format = format->name, .raw_bytes = (int64_t)blob.length};
        drt_hash hash;
        drt_hash_start(&hash);
        drt_hash_add(&hash, blob.data, blob.length);
        drt_hash_finish(&hash, source.sha256);
        source.archive = w->archive.data;
        source.archive_length = w->archive.length;
        source.path = w->path.data;
        source.path_length = w->path.length;
        drt_format_input input = {blob.data, blob.length, probe->name, probe->name_length};
        if (!stopped(w) && (!w->params->wanted || w->params->wanted(w->params->user, &source)))
            extract_document(w, format, &input, &source, blob.cut ? stream->error : NULL);
    }
    drt_blob_free(&blob);
}

/* ------------------------------------------------------------ archives ---- */

static void visit(walk *w, level *outer, drt_stream *stream, const char *name, size_t name_length, int depth);

/* What systems leave in folders: no documents. Names of files, and of folders with all in them. */
static bool is_litter(const char *path, size_t length) {
    static const char *const files[] = {".DS_Store",   "Thumbs.db",   "thumbs.db",
                                        "desktop.ini", "Desktop.ini", ".localized"};
    static const char *const folders[] = {"__MACOSX",        ".git",      ".hg", ".svn", ".Trashes",
                                          ".Spotlight-V100", ".fseventsd"};
    for (size_t at = 0; at < length;) {
        const char *part = path + at, *slash = memchr(part, '/', length - at);
        size_t n = slash ? (size_t)(slash - part) : length - at;
        const char *const *names = slash ? folders : files;
        size_t n_names = slash ? sizeof folders / sizeof *folders : sizeof files / sizeof *files;
        if (!slash && n > 2 && part[0] == '.' && part[1] == '_')
            return true;
        for (size_t i = 0; i < n_names; i++)
            if (strlen(names[i]) == n && memcmp(names[i], part, n) == 0)
                return true;
        at += n + 1;
    }
    return false;
}

static const char *const litter_reason = "a file of the system's own, not a document";

static void visit_member(walk *w, level *l, const drt_archive_member *member, const char *name, size_t name_length,
                         int depth) {
    if (member->path_length == 0) {
        visit(w, l, member->stream, name, name_length, depth);
        return;
    }
    size_t before = push_path(w, member->path, member->path_length);
    size_t base = member->path_length;
    while (base > 0 && member->path[base - 1] != '/')
        base--;
    if (stopped(w))
        ;
    else if (is_litter(member->path, member->path_length))
        skip(w, "", member->stream->size, litter_reason);
    else if (member->kind == DRT_MEMBER_LINK)
        skip(w, "", -1, "a link; links are not followed");
    else if (member->kind == DRT_MEMBER_SPECIAL)
        skip(w, "", -1, "neither a file nor a folder");
    else if (member->encrypted)
        skip(w, "", member->stream->size, "it is encrypted; a password would be needed");
    else
        visit(w, l, member->stream, member->path + base, member->path_length - base, depth);
    pop_path(w, before);
}

static void report_archive_failure(walk *w, const drt_container *container, int64_t members) {
    char reason[320];
    snprintf(reason, sizeof reason, "%s%s", drt_error(w->context), members ? "; what comes before this was read" : "");
    skip(w, container->name, -1, reason);
}

static void visit_members(walk *w, level *l, const drt_container *container, drt_archive *archive, const char *name,
                          size_t name_length, int depth) {
    int64_t members = 0;
    bool single = container->kind == DRT_CONTAINER_COMPRESSION;
    while (!stopped(w)) {
        drt_archive_member member;
        grant(l);
        drt_status status = drt_archive_next(w->context, archive, &member);
        if (status == DRT_WARN && members == 0)
            skip(w, container->name, -1, single ? "it is empty" : "the archive is empty");
        if (status == DRT_FATAL)
            w->status = status;
        if (status == DRT_FAILED && !stopped(w))
            report_archive_failure(w, container, members);
        if (status != DRT_OK)
            return;
        members++;
        if (member.kind == DRT_MEMBER_FOLDER)
            continue;
        if (++w->members > w->params->limits.max_members) {
            skip(w, container->name, -1, "it holds too many files; the rest was not read");
            return;
        }
        visit_member(w, l, &member, name, name_length, depth);
        if (single)
            return;
    }
}

/* Does the file at hand hold just these bytes? */
static bool file_equals(const walk *w, const char *data, size_t length) {
    char block[4096];
    if ((int64_t)length != w->file_size)
        return false;
    for (size_t at = 0; at < length;) {
        ssize_t n = pread(w->file, block, sizeof block, (off_t)at);
        if (n <= 0 || (size_t)n > length - at || memcmp(block, data + at, (size_t)n) != 0)
            return false;
        at += (size_t)n;
    }
    return true;
}

static bool contains_itself(const walk *w, const level *outer, const char *data, size_t length) {
    for (const level *l = outer; l; l = l->outer)
        if (l->data ? l->length == length && memcmp(l->data, data, length) == 0
                    : !l->outer && file_equals(w, data, length))
            return true;
    return false;
}

static void open_archive(walk *w, level *l, const drt_container *container, drt_stream *stream, const char *name,
                         size_t name_length, int depth) {
    drt_archive *archive;
    drt_archive_meter meter = {charge, l};
    drt_status status = drt_archive_open(w->context, container, stream, &meter, &archive);
    if (status == DRT_FATAL)
        w->status = status;
    if (status == DRT_FAILED && !stopped(w))
        report_archive_failure(w, container, 0);
    if (status == DRT_OK)
        visit_members(w, l, container, archive, name, name_length, depth + 1);
    drt_archive_close(archive);
}

/* Length of a name without the suffix of the compression around it: "notes.txt.gz" holds "notes.txt". */
static size_t strip_compression(const drt_container *container, const char *name, size_t length) {
    if (container->kind != DRT_CONTAINER_COMPRESSION || !drt_name_has_extension(name, length, container->extensions))
        return length;
    while (name[length - 1] != '.')
        length--;
    return length - 1;
}

static void visit_archive(walk *w, level *outer, drt_stream *stream, const drt_container *container, const char *name,
                          size_t name_length, int depth) {
    if (depth >= w->params->limits.max_depth) {
        skip(w, container->name, stream->size, "archives are nested too deep here to read on");
        return;
    }
    level l = {.outer = outer, .walk = w, .packed = stream->size >= 0 ? stream->size : outer->packed};
    char *own_name = strndup(name, strip_compression(container, name, name_length));
    if (!own_name) {
        out_of_memory(w);
        return;
    }
    if (!container->seeks || stream->seek) {
        open_archive(w, &l, container, stream, own_name, strlen(own_name), depth);
        free(own_name);
        return;
    }
    drt_blob blob;
    if (!drt_blob_read(&blob, stream, w->params->limits.max_nested_bytes)) {
        skip(w, container->name, stream->size, stream->error);
    } else {
        if (contains_itself(w, outer, blob.data, blob.length)) {
            skip(w, container->name, (int64_t)blob.length, "the archive contains itself");
        } else {
            drt_memory_stream memory;
            drt_memory_stream_open(&memory, blob.data, blob.length);
            l.packed = (int64_t)blob.length;
            l.data = blob.data;
            l.length = blob.length;
            open_archive(w, &l, container, &memory.base, own_name, strlen(own_name), depth);
            drt_stream_clear(&memory.base);
        }
        drt_blob_free(&blob);
    }
    free(own_name);
}

/* One member, or a file on disk: what is it? */
static void visit(walk *w, level *outer, drt_stream *stream, const char *name, size_t name_length, int depth) {
    if (!drt_stream_peek(stream, DRT_FORMAT_HEAD) && (!stream->damaged || stream->head.length == 0)) {
        if (!stopped(w))
            skip(w, "", stream->size, stream->error);
        return;
    }
    drt_format_probe probe = {.name = name,
                              .name_length = name_length,
                              .head = stream->head.data,
                              .head_length =
                                  stream->head.length < DRT_FORMAT_HEAD ? stream->head.length : DRT_FORMAT_HEAD,
                              .whole = stream->head.length < DRT_FORMAT_HEAD};
    const drt_format *format = drt_format_by_content(&probe), *named = drt_format_by_name(&probe);
    const drt_container *container = format ? NULL : drt_container_by_content(&probe);
    if (!container && !format && !named->extract && !*named->name)
        container = drt_container_by_name(&probe);
    if (container && named->basis == DRT_FORMAT_ZIP)
        container = NULL; /* a damaged book is no archive of loose files */
    if (container)
        visit_archive(w, outer, stream, container, name, name_length, depth);
    else
        visit_document(w, outer, stream, format ? format : named, &probe);
}

/* ------------------------------------------------------- files, folders ---- */

/* Reads an open regular file. */
static void visit_file(walk *w, int file, const struct stat *facts, const char *name) {
    drt_file_stream *stream = malloc(sizeof *stream);
    if (!stream) {
        out_of_memory(w);
        return;
    }
    w->file = file;
    w->file_size = facts->st_size;
    w->file_read = w->members = w->unpacked = 0;
    tell_progress(w);
    drt_file_stream_open(stream, file, facts->st_size, count_read, w);
    visit(w, NULL, &stream->base, name, strlen(name), 0);
    drt_stream_clear(&stream->base);
    free(stream);
    w->finished += w->file_size;
    w->file_size = w->file_read = 0;
    tell_progress(w);
}

/* Sorted names of a folder, without "." and ".."; false: out of memory. */
static int compare_names(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool list_folder(DIR *folder, char ***names, size_t *n) {
    size_t capacity = 0;
    *names = NULL;
    *n = 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (*n == capacity) {
            capacity = capacity ? 2 * capacity : 64;
            char **grown = realloc(*names, capacity * sizeof *grown);
            if (!grown)
                return false;
            *names = grown;
        }
        if (((*names)[*n] = strdup(entry->d_name)) == NULL)
            return false;
        ++*n;
    }
    if (*n > 0)
        qsort(*names, *n, sizeof **names, compare_names);
    return true;
}

static void skip_errno(walk *w, const char *what) {
    char reason[160];
    snprintf(reason, sizeof reason, "the %s cannot be opened: %s", what, strerror(errno));
    if (!w->measuring)
        skip(w, "", -1, reason);
}

static void skip_entry(walk *w, const char *reason) {
    if (!w->measuring)
        skip(w, "", -1, reason);
}

static bool is_library(int folder) {
    return faccessat(folder, "catalog.sqlite", F_OK, 0) == 0 && faccessat(folder, "landmarks.bin", F_OK, 0) == 0;
}

static void visit_folder(walk *w, int folder, int depth);

static void visit_entry(walk *w, int folder, const char *name, int depth) {
    struct stat facts;
    if (fstatat(folder, name, &facts, AT_SYMLINK_NOFOLLOW) != 0) {
        skip_errno(w, "file");
        return;
    }
    bool is_folder = S_ISDIR(facts.st_mode);
    char as_folder[NAME_MAX + 2];
    snprintf(as_folder, sizeof as_folder, "%s%s", name, is_folder ? "/" : "");
    if (is_litter(as_folder, strlen(as_folder)))
        skip_entry(w, litter_reason);
    else if (S_ISLNK(facts.st_mode))
        skip_entry(w, "a link; links are not followed");
    else if (!is_folder && !S_ISREG(facts.st_mode))
        skip_entry(w, "neither a file nor a folder");
    else if (!is_folder && w->measuring)
        w->total += facts.st_size;
    else {
        /* It may have become something else by now: never wait for a pipe, never follow a link. */
        int file = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
        if (file < 0)
            skip_errno(w, is_folder ? "folder" : "file");
        else if (fstat(file, &facts) == 0 && S_ISDIR(facts.st_mode))
            visit_folder(w, file, depth + 1);
        else if (S_ISREG(facts.st_mode))
            visit_file(w, file, &facts, name);
        if (file >= 0)
            close(file);
    }
}

/* Reads a folder, which stays open. */
static void visit_folder(walk *w, int folder, int depth) {
    if (depth > FOLDER_DEPTH) {
        skip_entry(w, "folders are nested too deep here to read on");
        return;
    }
    if (is_library(folder)) {
        skip_entry(w, "a library of drt itself");
        return;
    }
    int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = copy < 0 ? NULL : fdopendir(copy);
    if (!stream) {
        skip_errno(w, "folder");
        if (copy >= 0)
            close(copy);
        return;
    }
    char **names;
    size_t n;
    if (!list_folder(stream, &names, &n))
        out_of_memory(w);
    closedir(stream);
    for (size_t i = 0; i < n; i++) {
        if (!stopped(w)) {
            size_t before = push_path(w, names[i], strlen(names[i]));
            visit_entry(w, folder, names[i], depth);
            pop_path(w, before);
        }
        free(names[i]);
    }
    free(names);
}

/* --------------------------------------------------------------- entry ---- */

/* The path without slashes at its end; "." and ".." resolved, so that it has a name. */
static drt_status clean_path(drt_context *context, const char *path, drt_string *clean) {
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    const char *base = path + length;
    while (base > path && base[-1] != '/')
        base--;
    size_t n = length - (size_t)(base - path);
    if (n == 0 || (n <= 2 && strncmp(base, "..", n) == 0)) {
        char *real = realpath(path, NULL);
        if (!real)
            return drt_fail(context, DRT_FAILED, "cannot open %s: %s", path, strerror(errno));
        *clean = (drt_string){real, strlen(real)};
        return DRT_OK;
    }
    drt_string given;
    if (!drt_string_set(&given, path, length))
        return drt_fail_memory(context, "a path");
    drt_status status = drt_path_absolute(context, given.data, clean);
    drt_string_free(&given);
    return status;
}

static void walk_all(walk *w, int file, const struct stat *facts, const char *name) {
    if (S_ISDIR(facts->st_mode))
        visit_folder(w, file, 0);
    else if (w->measuring)
        w->total += facts->st_size;
    else
        visit_file(w, file, facts, name);
}

static drt_status start(walk *w, const char *path, bool reads) {
    struct stat facts;
    drt_status status = clean_path(w->context, path, &w->archive);
    if (status != DRT_OK)
        return status;
    const char *slash = strrchr(w->archive.data, '/'), *name = slash ? slash + 1 : w->archive.data;
    if (!drt_utf8_append_escaped(&w->path, name, strlen(name)) || !drt_buffer_reserve(&w->path, 0))
        return drt_fail_memory(w->context, "a path");
    int file = open(w->archive.data, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        return drt_fail(w->context, DRT_FAILED, "cannot open %s: %s", path, strerror(errno));
    if (fstat(file, &facts) != 0 || (!S_ISDIR(facts.st_mode) && !S_ISREG(facts.st_mode))) {
        close(file);
        return drt_fail(w->context, DRT_FAILED, "%s is neither a file nor a folder", path);
    }
    w->measuring = true;
    walk_all(w, file, &facts, name);
    w->measuring = false;
    if (reads && w->status == DRT_OK)
        walk_all(w, file, &facts, name);
    close(file);
    return w->status == DRT_WARN ? DRT_OK : w->status; /* cancelled: quietly */
}

static void end(walk *w) {
    drt_string_free(&w->archive);
    drt_buffer_free(&w->path);
}

drt_corpus_params drt_corpus_params_default(void) {
    return (drt_corpus_params){.limits = {.max_depth = 32,
                                          .max_members = 1000000,
                                          .max_member_bytes = 256LL << 20,
                                          .max_nested_bytes = 512LL << 20,
                                          .max_total_bytes = 1LL << 40,
                                          .max_ratio = 200}};
}

drt_status drt_corpus_walk(drt_context *context, const char *path, const drt_corpus_params *params) {
    walk w = {.context = context, .params = params};
    drt_status status = start(&w, path, true);
    end(&w);
    return status;
}

drt_status drt_corpus_measure(drt_context *context, const char *path, int64_t *bytes) {
    drt_corpus_params params = drt_corpus_params_default();
    walk w = {.context = context, .params = &params};
    drt_status status = start(&w, path, false);
    *bytes = w.total;
    end(&w);
    return status;
}
