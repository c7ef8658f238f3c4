/* visit.c: one file on disk and everything in it. See visit.h. */
#include "engine/corpus/visit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "engine/base/utf8.h"
#include "engine/corpus/archives/archive.h"
#include "engine/corpus/archives/stream.h"
#include "engine/corpus/archives/zip_end.h"
#include "engine/corpus/formats/formats.h"
#include "engine/corpus/formats/mailbox.h"
#include "engine/corpus/formats/unread.h"
#include "engine/corpus/raw.h"

#define ARCHIVE_FLOOR (64LL << 20) /* unpacked bytes below which no ratio is looked at: of an archive, */
#define FILE_FLOOR (512LL << 20)   /* of a whole file */
#define MEMBER_FLOOR (1LL << 20)   /* what a member may have in any case */
#define HASH_STEP (4u << 20)       /* bytes hashed between two looks at cancellation */
#define CLOCK_TICK 50              /* milliseconds; more than that of any system's file times */
#define STYLE_BYTES (4 << 20)      /* of a style of TeX that is looked into */
#define READINGS 4                 /* of a file that changes meanwhile */

/* An open archive and those around it. */
typedef struct level {
    struct level *outer;
    drt_visit *visit;
    int64_t packed, unpacked;
    int64_t ceiling;  /* of unpacked, for the member at hand */
    const char *data; /* of an archive that lies in memory, to recognise it inside itself */
    size_t length;
} level;

/* ----------------------------------------------------------- reporting ---- */

bool drt_visit_stopped(drt_visit *v) {
    if (v->status == DRT_OK && drt_cancelled(v->context))
        v->status = DRT_WARN; /* quietly */
    return v->status != DRT_OK;
}

void drt_visit_out_of_memory(drt_visit *v) {
    v->status = drt_fail_memory(v->context, "a member");
}

static void set_place(const drt_visit *v, drt_source *source) {
    source->archive = v->archive.data;
    source->archive_length = v->archive.length;
    source->path = v->path.data;
    source->path_length = v->path.length;
}

static void report(drt_visit *v, drt_source *source, drt_extract *extract) {
    set_place(v, source);
    if (!drt_visit_stopped(v) && v->params->member)
        v->status = v->params->member(v->params->user, source, extract);
}

void drt_visit_note_unlisted(drt_visit *v) {
    drt_source source = {.format = "", .raw_bytes = -1};
    set_place(v, &source);
    if (!v->measuring && v->params->unlisted && !v->params->unlisted(v->params->user, &source))
        drt_visit_out_of_memory(v);
}

/* Reports what is not read. */
void drt_visit_skip(drt_visit *v, const char *format, int64_t raw_bytes, const char *reason) {
    drt_extract extract = {0};
    drt_visit_note_unlisted(v);
    drt_source source = {.format = format, .raw_bytes = raw_bytes};
    if (!drt_extract_note(&extract, DRT_DOCUMENT_SKIPPED, "%s", reason))
        drt_visit_out_of_memory(v);
    report(v, &source, &extract);
    drt_extract_clear(&extract);
}

static bool is_wanted(const drt_visit *v, const drt_buffer *path, bool holds_others) {
    return !v->params->wanted || v->params->wanted(v->params->user, path->data, path->length, holds_others);
}

static void pass_over(drt_visit *v) {
    drt_visit_note_unlisted(v);
    if (v->params->passed_over && !v->measuring)
        ++*v->params->passed_over;
}

bool drt_visit_wants(drt_visit *v, bool holds_others) {
    bool wanted = is_wanted(v, &v->path, holds_others);
    if (!wanted)
        pass_over(v);
    return wanted;
}

static void tell_progress(drt_visit *v) {
    int64_t read = v->file_read < v->file_size ? v->file_read : v->file_size;
    if (v->params->progress)
        v->params->progress(v->params->user, v->path.data, v->path.length, v->finished + read, v->total);
}

static void count_read(void *user, int64_t bytes) {
    drt_visit *v = user;
    v->file_read += bytes;
    tell_progress(v);
}

/* ------------------------------------------------------------- budgets ---- */

static int64_t allowance(const drt_visit *v, int64_t floor, int64_t packed) {
    int64_t ratio = v->params->limits.max_ratio;
    int64_t by_ratio = packed > (INT64_MAX - floor) / ratio ? INT64_MAX : floor + packed * ratio;
    return by_ratio < v->params->limits.max_total_bytes ? by_ratio : v->params->limits.max_total_bytes;
}

/* Of numbers that are not negative: sizes in headers may be as large as they like. */
static int64_t sum(int64_t a, int64_t b) {
    return a < INT64_MAX - b ? a + b : INT64_MAX;
}

/* Lets the next member have what is left, or the least that each may have. */
static void grant(level *l) {
    for (; l; l = l->outer) {
        int64_t most = allowance(l->visit, ARCHIVE_FLOOR, l->packed), least = sum(l->unpacked, MEMBER_FLOOR);
        l->ceiling = most > least ? most : least;
    }
}

static const char *refuse(drt_visit *v, const char *what) {
    snprintf(v->refusal, sizeof v->refusal, "%s expands to more than %lld times its size, which looks like a trap",
             what, (long long)v->params->limits.max_ratio);
    return v->refusal;
}

static void count_unpacked(level *l, int64_t bytes) {
    for (; l; l = l->outer)
        l->unpacked = sum(l->unpacked, bytes);
}

/* Counts what has been unpacked; refuses when the whole file has had its share. */
static const char *charge(void *user, int64_t bytes) {
    level *l = user;
    drt_visit *v = l->visit;
    count_unpacked(l, bytes);
    v->unpacked = sum(v->unpacked, bytes);
    return v->unpacked > allowance(v, FILE_FLOOR, v->file_size) ? refuse(v, "the file") : NULL;
}

/* Refuses more of the member at hand when an archive around it has had its share. This is asked where a member's bytes
 * are taken, not where they are unpacked: an archive that is read inside another couldn't go on after a refusal. */
static const char *check_share(void *user) {
    for (const level *l = user; l; l = l->outer)
        if (l->unpacked > l->ceiling)
            return refuse(l->visit, "the archive");
    return drt_cancelled(((const level *)user)->visit->context) ? "cancelled" : NULL;
}

static const char *check_cancelled(void *user) {
    return drt_cancelled(((const drt_visit *)user)->context) ? "cancelled" : NULL;
}

/* Counts a member that is passed over without being unpacked as if it had been, but for the time that it took. */
static const char *charge_unread(level *l, int64_t bytes) {
    if (!l || bytes <= 0)
        return NULL;
    count_unpacked(l, bytes);
    return check_share(l);
}

/* ----------------------------------------------------------- documents ---- */

/* Nothing was written between the two looks: the clock of files ticks slowly, so the last change must be a while ago. */
static bool stood_still(const struct stat *start, const struct stat *end) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    int64_t age = (now.tv_sec - end->st_mtim.tv_sec) * 1000 + (now.tv_nsec - end->st_mtim.tv_nsec) / 1000000;
    return start->st_size == end->st_size && start->st_mtim.tv_sec == end->st_mtim.tv_sec &&
           start->st_mtim.tv_nsec == end->st_mtim.tv_nsec && (age > CLOCK_TICK || age < 0);
}

static bool same_bytes(const drt_blob *a, const drt_blob *b) {
    return a->length == b->length && memcmp(a->data, b->data, a->length) == 0;
}

/* Reads a file on disk that others may be writing: it stood still meanwhile, or two readings agree. A second reading
 * goes as far as the first, so that files that only grow are read. */
static bool read_steady(drt_visit *v, drt_stream *stream, drt_blob *blob) {
    drt_blob before = {0};
    struct stat start = v->opened, end;
    bool steady = false, had = false, ok = false;
    for (int i = 0; i < READINGS && !steady; i++) {
        if (i > 0) {
            if (fstat(v->file, &start) != 0 || !drt_stream_rewind(stream))
                break;
            stream->size = had ? (int64_t)before.length : start.st_size;
        }
        ok = drt_blob_read(blob, stream, v->params->limits.max_member_bytes, check_cancelled, v);
        if (fstat(v->file, &end) != 0)
            break;
        steady = stood_still(&start, &end) || (ok && had && same_bytes(blob, &before));
        if (!steady && i + 1 < READINGS) {
            drt_blob_free(&before);
            before = *blob;
            had = ok;
            *blob = (drt_blob){0};
        }
    }
    drt_blob_free(&before);
    if (steady)
        return ok;
    drt_blob_free(blob);
    return drt_stream_fail(stream, "it kept changing while it was read");
}

static bool read_document(drt_visit *v, level *outer, drt_stream *stream, drt_blob *blob) {
    if (outer)
        return drt_blob_read(blob, stream, v->params->limits.max_member_bytes, check_share, outer);
    return read_steady(v, stream, blob);
}

/* Half a hash when cancelled: nobody is told of it then. */
static void hash_blob(drt_visit *v, const drt_blob *blob, uint8_t sha256[DRT_HASH_SIZE]) {
    drt_hash hash;
    drt_hash_start(&hash);
    for (size_t at = 0; at < blob->length && !drt_visit_stopped(v); at += HASH_STEP)
        drt_hash_add(&hash, blob->data + at, blob->length - at < HASH_STEP ? blob->length - at : HASH_STEP);
    drt_hash_finish(&hash, sha256);
}

static void extract_document(drt_visit *v, const drt_raw *raw, drt_source *source) {
    drt_extract extract = {0};
    drt_status status = drt_raw_extract(v->context, raw, &extract);
    if (status == DRT_FATAL)
        v->status = status;
    if (status == DRT_OK)
        report(v, source, &extract);
    drt_extract_clear(&extract);
}

/* Hands a document on that was read, or extracts it. */
static void pass_document(drt_visit *v, const drt_format *format, const drt_format_probe *probe, drt_blob *blob,
                          const char *damage) {
    drt_source source = {.format = format->name, .raw_bytes = (int64_t)blob->length, .damage = damage};
    hash_blob(v, blob, source.sha256);
    set_place(v, &source);
    if (damage)
        drt_visit_note_unlisted(v);
    if (drt_visit_stopped(v))
        return;
    drt_raw *raw = drt_raw_new(format, probe, blob, damage);
    if (!raw) {
        drt_visit_out_of_memory(v);
        return;
    }
    if (v->params->raw)
        v->status = v->params->raw(v->params->user, &source, &raw);
    if (raw && !drt_visit_stopped(v))
        extract_document(v, raw, &source);
    drt_raw_free(raw);
}

static void pass_tex(drt_visit *v, const drt_tex_file *file, drt_blob *blob) {
    const char *name = file->path.data + file->path.length;
    while (name > file->path.data && name[-1] != '/')
        name--;
    drt_format_probe probe = {.name = name, .name_length = (size_t)(file->path.data + file->path.length - name)};
    drt_buffer place = v->path;
    v->path = (drt_buffer){.data = file->path.data, .length = file->path.length};
    if (drt_visit_wants(v, false))
        pass_document(v, drt_format_named(file->bibtex ? "bibtex" : "tex"), &probe, blob, NULL);
    v->path = place;
}

/* A style that no document used. */
static void skip_style(drt_visit *v, const drt_tex_file *file, drt_blob *blob) {
    const drt_format *format = drt_format_named("tex-style");
    drt_buffer place = v->path;
    v->path = (drt_buffer){.data = file->path.data, .length = file->path.length};
    if (drt_visit_wants(v, false))
        drt_visit_skip(v, format->name, (int64_t)blob->length, format->refusal);
    v->path = place;
}

/* One file with all that it includes; a main one that another has taken in already is none of its own. */
static void put_together(drt_visit *v, size_t from, size_t index) {
    drt_buffer text = {0}, path = {.data = v->tex.files[index].path.data, .length = v->tex.files[index].path.length};
    if (!is_wanted(v, &path, false))
        return; /* then what it includes stands alone, where that is wanted */
    bool whole = true;
    drt_status status = drt_tex_project_flatten(v->context, &v->tex, from, index, true, &text, &whole);
    if (status == DRT_FATAL)
        v->status = status;
    drt_blob joined = {.data = text.data, .length = text.length, .memory = text};
    if (!drt_visit_stopped(v))
        pass_tex(v, &v->tex.files[index], whole ? &v->tex.files[index].blob : &joined);
    if (!whole)
        drt_blob_free(&joined);
    else
        drt_buffer_free(&text);
}

void drt_visit_tex(drt_visit *v, size_t from) {
    drt_tex_project *tex = &v->tex;
    for (size_t i = from; i < tex->n && !drt_visit_stopped(v); i++) { /* only to see what includes what */
        drt_buffer text = {0};
        bool whole;
        if (tex->files[i].main && drt_tex_project_flatten(v->context, tex, from, i, false, &text, &whole) == DRT_FATAL)
            v->status = DRT_FATAL;
        drt_buffer_free(&text);
    }
    for (size_t i = from; i < tex->n && !drt_visit_stopped(v); i++)
        if (tex->files[i].main && !tex->files[i].included)
            put_together(v, from, i);
    for (size_t i = from; i < tex->n && !drt_visit_stopped(v); i++)
        if (tex->files[i].main && !tex->files[i].done) /* they include each other */
            put_together(v, from, i);
    for (size_t i = from; i < tex->n && !drt_visit_stopped(v); i++)
        if (!tex->files[i].done)
            (tex->files[i].style ? skip_style : pass_tex)(v, &tex->files[i], &tex->files[i].blob);
    drt_tex_project_cut(tex, from);
}

/* May a source of TeX take it in: another one, or a style or class that defines something? */
static bool belongs_to_tex(const drt_format *format, const drt_format_probe *probe) {
    return strcmp(format->name, "tex") == 0 || strcmp(format->name, "bibtex") == 0 ||
           (strcmp(format->name, "tex-style") == 0 && probe->head_length > 0 &&
            drt_name_has_extension(probe->name, probe->name_length, " .sty .cls "));
}

/* Lets it wait, unless it is damaged: that would be forgotten. false: it is to be handed on now. */
static bool keep_tex(drt_visit *v, drt_blob *blob) {
    bool memory = true;
    bool kept =
        blob->length > 0 && !blob->cut && drt_tex_project_add(&v->tex, v->path.data, v->path.length, blob, &memory);
    if (!memory)
        drt_visit_out_of_memory(v);
    return kept;
}

typedef struct {
    drt_visit *visit;
    level *level;
    int depth;
} splitting;

static void visit(drt_visit *v, level *outer, drt_stream *stream, const char *name, size_t name_length, int depth);

/* One of the documents inside another. */
static bool visit_piece(void *user, const char *name, size_t name_length, const char *data, size_t length) {
    splitting *s = user;
    drt_visit *v = s->visit;
    if (drt_visit_stopped(v))
        return false;
    grant(s->level);
    const char *refusal = charge(s->level, (int64_t)length);
    if (++v->members > v->params->limits.max_members)
        refusal = "it holds too many files; the rest was not read";
    if (refusal) {
        drt_visit_skip(v, "", -1, refusal);
        return false;
    }
    drt_memory_stream stream;
    size_t before = drt_visit_push_member(v, name, name_length);
    drt_memory_stream_open(&stream, data, length);
    visit(v, s->level, &stream.base, name, name_length, s->depth + 1);
    drt_stream_clear(&stream.base);
    drt_visit_pop(v, before);
    return !drt_visit_stopped(v);
}

static void visit_split(drt_visit *v, level *outer, const drt_format *format, const drt_format_probe *probe,
                        const drt_blob *blob, int depth) {
    level l = {.outer = outer, .visit = v, .packed = (int64_t)blob->length, .data = blob->data, .length = blob->length};
    splitting s = {.visit = v, .level = &l, .depth = depth};
    drt_format_input input = {blob->data, blob->length, probe->name, probe->name_length};
    bool whole = false;
    if (depth >= v->params->limits.max_depth)
        drt_visit_skip(v, format->name, (int64_t)blob->length, "archives are nested too deep here to read on");
    else if (format->split(v->context, &input, visit_piece, &s, &whole) == DRT_FATAL)
        v->status = DRT_FATAL;
    if (!whole)
        drt_visit_note_unlisted(v);
}

/* Reports a document that is not read, unless it was read for others alone. */
static void skip_document(drt_visit *v, const drt_format *format, int64_t raw_bytes, const char *reason) {
    if (drt_visit_wants(v, format->split))
        drt_visit_skip(v, format->name, raw_bytes, reason);
}

static void visit_document(drt_visit *v, level *outer, drt_stream *stream, const drt_format *format,
                           const drt_format_probe *probe, int depth) {
    bool known = format->extract || format->split;
    bool tex = belongs_to_tex(format, probe) && (known || stream->size <= STYLE_BYTES);
    if (!tex && !drt_visit_wants(v, format->split)) { /* other sources may include one of TeX */
        charge_unread(outer, stream->size);
        return;
    }
    if (!known && !tex) {
        const char *refusal = charge_unread(outer, stream->size);
        drt_visit_skip(v, format->name, stream->size, refusal ? refusal : format->refusal);
        return;
    }
    if (stream->size == 0 || (stream->size < 0 && probe->whole && probe->head_length == 0)) {
        skip_document(v, format, 0, "it is empty");
        return;
    }
    if (stream->size > v->params->limits.max_member_bytes) {
        drt_stream_fail(stream, "it is larger than the limit of %lld MiB",
                        (long long)(v->params->limits.max_member_bytes >> 20));
        skip_document(v, format, stream->size, stream->error);
        return;
    }
    drt_blob blob = {0};
    if (!read_document(v, outer, stream, &blob)) {
        skip_document(v, format, stream->size, stream->error);
    } else {
        if (format->split)
            visit_split(v, outer, format, probe, &blob, depth);
        if ((tex && keep_tex(v, &blob)) || drt_visit_stopped(v))
            ;
        else if (!known)
            skip_document(v, format, (int64_t)blob.length, format->refusal);
        else if (format->extract && drt_visit_wants(v, false))
            pass_document(v, format, probe, &blob, blob.cut ? stream->error : NULL);
    }
    drt_blob_free(&blob);
}

/* ------------------------------------------------------------ archives ---- */

/* What systems leave in folders: no documents. Names of files, and of folders with all in them. */
bool drt_visit_is_litter(const char *path, size_t length) {
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

const char drt_visit_litter_reason[] = "a file of the system's own, not a document";

/* Reports what can't be looked into, if it is wanted. */
static void skip_member(drt_visit *v, int64_t raw_bytes, const char *reason) {
    if (drt_visit_wants(v, false))
        drt_visit_skip(v, "", raw_bytes, reason);
}

static void visit_member(drt_visit *v, level *l, const drt_archive_member *member, const char *name, size_t name_length,
                         int depth) {
    if (member->path_length == 0) {
        visit(v, l, member->stream, name, name_length, depth);
        return;
    }
    size_t before = drt_visit_push_member(v, member->path, member->path_length);
    size_t base = member->path_length;
    while (base > 0 && member->path[base - 1] != '/')
        base--;
    if (drt_visit_stopped(v))
        ;
    else if (drt_visit_is_litter(member->path, member->path_length))
        skip_member(v, member->stream->size, drt_visit_litter_reason);
    else if (member->kind == DRT_MEMBER_LINK)
        skip_member(v, -1, "a link; links are not followed");
    else if (member->kind == DRT_MEMBER_SPECIAL)
        skip_member(v, -1, "neither a file nor a folder");
    else if (member->encrypted)
        skip_member(v, member->stream->size, "it is encrypted; a password would be needed");
    else
        visit(v, l, member->stream, member->path + base, member->path_length - base, depth);
    drt_visit_pop(v, before);
}

static void report_archive_failure(drt_visit *v, const drt_container *container, int64_t members) {
    char reason[400];
    const char *name = strrchr(v->path.data, '/');
    name = name ? name + 1 : v->path.data;
    snprintf(
        reason, sizeof reason, "%s%s%s", drt_error(v->context), members ? "; what could be read of it was read" : "",
        drt_unread_is_piece(name, strlen(name)) ? "; it is a piece of an archive that was cut up: join the pieces first"
                                                : "");
    drt_visit_skip(v, container->name, -1, reason);
}

static void visit_members(drt_visit *v, level *l, const drt_container *container, drt_archive *archive,
                          const char *name, size_t name_length, int depth) {
    int64_t members = 0;
    bool single = container->kind == DRT_CONTAINER_COMPRESSION;
    while (!drt_visit_stopped(v)) {
        drt_archive_member member;
        drt_status status = drt_archive_next(v->context, archive, &member);
        if (status == DRT_WARN && members == 0)
            drt_visit_skip(v, container->name, -1,
                           single ? "there is nothing in it, or it is damaged" : "the archive is empty");
        if (status == DRT_WARN && drt_archive_may_be_cut(archive))
            drt_visit_note_unlisted(v);
        if (status == DRT_FATAL)
            v->status = status;
        if (status == DRT_FAILED && !drt_visit_stopped(v))
            report_archive_failure(v, container, members);
        if (status != DRT_OK)
            return;
        if (member.kind == DRT_MEMBER_FOLDER)
            continue;
        members++;
        if (++v->members > v->params->limits.max_members) {
            drt_visit_skip(v, container->name, -1, "it holds too many files; the rest was not read");
            return;
        }
        grant(l);
        visit_member(v, l, &member, name, name_length, depth);
        if (single)
            return;
    }
}

/* What can't be read from its first bytes on. */
static void skip_broken(drt_visit *v, const drt_stream *stream, const drt_container *by_name) {
    if (!drt_visit_stopped(v) && drt_visit_wants(v, by_name))
        drt_visit_skip(v, by_name ? by_name->name : "", stream->size, stream->error);
}

/* Looks at the first bytes. false: they can't be read, and that was reported. */
static bool look(drt_visit *v, drt_stream *stream, drt_format_probe *probe) {
    if (!drt_stream_peek(stream, DRT_FORMAT_HEAD) && (!stream->damaged || stream->head.length == 0)) {
        skip_broken(v, stream, drt_container_by_name(probe));
        return false;
    }
    probe->head = stream->head.data;
    probe->head_length = stream->head.length < DRT_FORMAT_HEAD ? stream->head.length : DRT_FORMAT_HEAD;
    probe->whole = stream->head.length < DRT_FORMAT_HEAD;
    return true;
}

/* A message is a mail whatever its first lines look like. */
static void visit_message(drt_visit *v, level *l, drt_stream *message, int64_t number, int depth) {
    char name[32];
    size_t length = (size_t)snprintf(name, sizeof name, "%lld.eml", (long long)number);
    size_t before = drt_visit_push(v, name, length);
    drt_format_probe probe = {.name = name, .name_length = length};
    if (look(v, message, &probe))
        visit_document(v, l, message, drt_format_named("mail"), &probe, depth);
    drt_visit_pop(v, before);
}

/* Messages of a mailbox are numbered, for they have no names. */
static void visit_mailbox(drt_visit *v, level *l, const drt_container *container, drt_stream *stream, int depth) {
    drt_mailbox *mailbox = drt_mailbox_open(stream);
    if (!mailbox) {
        drt_visit_out_of_memory(v);
        return;
    }
    int64_t messages = 0;
    drt_stream *message = NULL;
    const char *refusal = NULL;
    while (!refusal && !drt_visit_stopped(v) && (message = drt_mailbox_next(mailbox)) != NULL) {
        if (++v->members > v->params->limits.max_members)
            refusal = "it holds too many files; the rest was not read";
        grant(l);
        if (!refusal)
            visit_message(v, l, message, ++messages, depth + 1);
    }
    if (!refusal && stream->error[0]) {
        drt_fail(v->context, DRT_FAILED, "%s", stream->error);
        report_archive_failure(v, container, messages);
    } else if (refusal || messages == 0) {
        drt_visit_skip(v, container->name, -1, refusal ? refusal : "there is nothing in it, or it is damaged");
    } else if (!drt_mailbox_is_whole(mailbox)) {
        drt_visit_note_unlisted(v);
    }
    drt_mailbox_close(mailbox);
}

/* Does the file at hand hold just these bytes? */
static bool file_equals(const drt_visit *v, const char *data, size_t length) {
    char block[4096];
    if ((int64_t)length != v->file_size)
        return false;
    for (size_t at = 0; at < length;) {
        ssize_t n = pread(v->file, block, sizeof block, (off_t)at);
        if (n <= 0 || (size_t)n > length - at || memcmp(block, data + at, (size_t)n) != 0)
            return false;
        at += (size_t)n;
    }
    return true;
}

static bool contains_itself(const drt_visit *v, const level *outer, const char *data, size_t length) {
    for (const level *l = outer; l; l = l->outer)
        if (l->data ? l->length == length && memcmp(l->data, data, length) == 0
                    : !l->outer && file_equals(v, data, length))
            return true;
    return false;
}

static void open_archive(drt_visit *v, level *l, const drt_container *container, drt_stream *stream, const char *name,
                         size_t name_length, int depth) {
    drt_archive *archive;
    drt_archive_meter meter = {charge, l};
    drt_status status = drt_archive_open(v->context, container, stream, &meter, &archive);
    if (status == DRT_FATAL)
        v->status = status;
    if (status == DRT_FAILED && !drt_visit_stopped(v))
        report_archive_failure(v, container, 0);
    if (status == DRT_OK)
        visit_members(v, l, container, archive, name, name_length, depth + 1);
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

static void visit_archive(drt_visit *v, level *outer, drt_stream *stream, const drt_container *container,
                          const char *name, size_t name_length, int depth) {
    if (!drt_visit_wants(v, true)) {
        charge_unread(outer, stream->size);
        return;
    }
    if (depth >= v->params->limits.max_depth) {
        drt_visit_skip(v, container->name, stream->size, "archives are nested too deep here to read on");
        return;
    }
    level l = {.outer = outer, .visit = v, .packed = stream->size >= 0 ? stream->size : outer->packed};
    if (container->kind == DRT_CONTAINER_MAILBOX) {
        visit_mailbox(v, &l, container, stream, depth);
        return;
    }
    char *own_name = strndup(name, strip_compression(container, name, name_length));
    if (!own_name) {
        drt_visit_out_of_memory(v);
        return;
    }
    size_t tex = v->tex.n;
    if (!container->seeks || stream->seek) {
        open_archive(v, &l, container, stream, own_name, strlen(own_name), depth);
        free(own_name);
        if (container->kind != DRT_CONTAINER_COMPRESSION)
            drt_visit_tex(v, tex);
        return;
    }
    drt_blob blob;
    if (!drt_blob_read(&blob, stream, v->params->limits.max_nested_bytes, check_share, outer)) {
        drt_visit_skip(v, container->name, stream->size, stream->error);
    } else {
        if (contains_itself(v, outer, blob.data, blob.length)) {
            drt_visit_skip(v, container->name, (int64_t)blob.length, "the archive contains itself");
        } else {
            drt_memory_stream memory;
            drt_memory_stream_open(&memory, blob.data, blob.length);
            l.packed = (int64_t)blob.length;
            l.data = blob.data;
            l.length = blob.length;
            open_archive(v, &l, container, &memory.base, own_name, strlen(own_name), depth);
            drt_visit_tex(v, tex);
            drt_stream_clear(&memory.base);
        }
        drt_blob_free(&blob);
    }
    free(own_name);
}

/* A zip may stand behind a program that unpacks it, or behind anything when its name says that it is one. */
static bool ends_as_zip(drt_stream *stream, const drt_format *format, const drt_container *by_name) {
    const drt_container *zip = drt_container_named("zip");
    if (!stream->seek || (format ? strcmp(format->name, "program") != 0 : by_name != zip))
        return false;
    bool found = drt_zip_end_find(stream).whole;
    stream->error[0] = 0;
    stream->seek(stream, (int64_t)stream->head.length); /* as it was: behind what is read ahead */
    return found;
}

/* One member, or a file on disk: what is it? */
static void visit(drt_visit *v, level *outer, drt_stream *stream, const char *name, size_t name_length, int depth) {
    drt_format_probe probe = {.name = name, .name_length = name_length};
    const drt_container *by_name = drt_container_by_name(&probe);
    if (!look(v, stream, &probe))
        return;
    const drt_format *format = drt_format_by_content(&probe), *named = drt_format_by_name(&probe);
    const drt_container *container = format ? NULL : drt_container_by_content(&probe);
    if (!container && ends_as_zip(stream, format, by_name))
        container = drt_container_named("zip");
    if (stream->damaged && !format && !container && by_name) { /* a piece of its first member's name is no text */
        skip_broken(v, stream, by_name);
        return;
    }
    if (!container && !format && !named->extract && !named->split && !*named->name)
        container = by_name;
    if (container && named->basis == DRT_FORMAT_ZIP)
        container = NULL; /* a damaged book is no archive of loose files */
    if (container)
        visit_archive(v, outer, stream, container, name, name_length, depth);
    else
        visit_document(v, outer, stream, format ? format : named, &probe, depth);
}

/* Reads an open regular file. */
void drt_visit_file(drt_visit *v, int file, const struct stat *facts, const char *name) {
    drt_file_stream *stream = malloc(sizeof *stream);
    if (!stream) {
        drt_visit_out_of_memory(v);
        return;
    }
    v->file = file;
    v->opened = *facts;
    v->file_size = facts->st_size;
    v->file_read = v->members = v->unpacked = 0;
    drt_fingerprints_free(&v->met);
    tell_progress(v);
    drt_file_stream_open(stream, file, facts->st_size, count_read, v);
    visit(v, NULL, &stream->base, name, strlen(name), 0);
    drt_stream_clear(&stream->base);
    free(stream);
    v->finished += v->file_size;
    v->file_size = v->file_read = 0;
    tell_progress(v);
}
