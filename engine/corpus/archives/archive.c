/* archive.c: members of archives and compressed files. See archive.h. */
#include "engine/corpus/archives/archive.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include <archive.h>
#include <archive_entry.h>

#include "engine/base/utf8.h"
#include "engine/corpus/archives/gzip.h"
#include "engine/corpus/archives/rar5.h"
#include "engine/corpus/archives/zip_end.h"
#include "engine/corpus/charset.h"

#define DAMAGED_LIMIT 8         /* members of a 7z that fail in the middle of unpacking, and */
#define REOPENINGS 256          /* that cannot be unpacked at all, before the rest is given up */
#define CLOSING_ZEROS 512       /* bytes at the end of a tar, at the least */
#define ZEROS_LIMIT (1LL << 30) /* bytes of nothing behind which no more of a tar is looked for */

/* --------------------------------------------------------- open archives ---- */

/* The member at hand, as a stream. */
typedef struct {
    drt_stream base;
    drt_archive *archive;
    int64_t at;        /* bytes handed out */
    int64_t hole;      /* zero bytes due before `block` */
    const char *block; /* bytes read, not yet handed out */
    size_t block_length;
    bool warned; /* libarchive has complained, but went on */
    bool ended, failed, encrypted;
} member_stream;

struct drt_archive {
    drt_context *context;
    const drt_container *container;
    drt_stream *source;
    drt_archive_meter meter;
    struct archive *reader; /* NULL: it is read by gzip */
    drt_gzip *gzip;
    locale_t locale;  /* C.UTF-8, for libarchive's conversion of names; 0: not on this system */
    int64_t position; /* in source */
    int64_t zeros;    /* at the end of what was read of a tar */
    int64_t index;    /* members begun */
    bool touched;     /* members have been unpacked since the reader was opened */
    int damaged, reopenings;
    bool exhausted; /* the source was read to its end */
    drt_zip_end zip_end;
    drt_buffer locked;   /* of a RAR 5, a byte for each member */
    bool second_way;     /* see open_reader */
    char loss[200];      /* what was found broken, and passed over; empty: nothing */
    const char *charset; /* of names that are no UTF-8 */
    bool charset_known;
    drt_buffer path;
    member_stream member;
};

static const char zeros[4096];

/* More members may stand behind the end of a tar, and behind any number of zeros; a file may be one large hole. */
static bool is_endless(drt_archive *archive, const char *data, size_t length) {
    if (archive->container->code != ARCHIVE_FORMAT_TAR)
        return false;
    size_t n = 0;
    while (n < length && data[length - 1 - n] == 0)
        n++;
    archive->zeros = (n == length ? archive->zeros : 0) + (int64_t)n;
    return archive->zeros > ZEROS_LIMIT;
}

static ssize_t read_source(struct archive *reader, void *client, const void **block) {
    drt_archive *archive = client;
    const char *data = NULL;
    if (drt_cancelled(archive->context)) {
        archive_set_error(reader, EINTR, "cancelled");
        return ARCHIVE_FATAL;
    }
    ssize_t n = drt_stream_read(archive->source, &data);
    if (n < 0) {
        archive_set_error(reader, EIO, "%s", archive->source->error);
        return ARCHIVE_FATAL;
    }
    *block = data;
    archive->position += n;
    archive->exhausted = n == 0;
    return is_endless(archive, data, (size_t)n) ? 0 : n;
}

static int64_t seek_source(struct archive *reader, void *client, int64_t offset, int whence) {
    drt_archive *archive = client;
    int64_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? archive->position : archive->source->size;
    if (offset > INT64_MAX - from || !archive->source->seek(archive->source, from + offset)) {
        archive->source->error[0] = 0; /* a question of libarchive's, not a failure of the source */
        archive_set_error(reader, EINVAL, "truncated: it points beyond its end");
        return ARCHIVE_FATAL;
    }
    archive->position = from + offset;
    return archive->position;
}

static int64_t skip_source(struct archive *reader, void *client, int64_t request) {
    (void)reader;
    drt_archive *archive = client;
    int64_t left = archive->source->size - archive->position;
    if (request > left)
        request = left > 0 ? left : 0;
    if (request == 0 || !archive->source->seek(archive->source, archive->position + request))
        return 0;
    archive->position += request;
    return request;
}

static bool contains(const char *text, const char *const *words, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (strstr(text, words[i]))
            return true;
    return false;
}

#define CONTAINS(text, ...)                                                                                            \
    contains(text, (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

/* libarchive's last error as a sentence about "it", in the words of people who never saw its source. */
static void explain(drt_archive *archive, char *sentence, size_t size) {
    const char *text = archive->reader ? archive_error_string(archive->reader) : NULL;
    if (archive->source->error[0]) {
        snprintf(sentence, size, "%s", archive->source->error);
        return;
    }
    if (archive->zip_end.of_several) {
        snprintf(sentence, size, "it is the last piece of an archive that was cut up; join the pieces first");
        return;
    }
    char said[160];
    size_t n = 0;
    for (; text && text[n] && n + 1 < sizeof said; n++)
        said[n] = text[n] >= ' ' && text[n] < 0x7F ? text[n] : '?';
    said[n] = 0;
    if (n == 0)
        snprintf(sentence, size, "it is damaged");
    else if (CONTAINS(said, "ncrypt", "assphrase", "assword"))
        snprintf(sentence, size, "it is encrypted; a password would be needed");
    else if (CONTAINS(said, "runcated", "nexpected end", "remature end"))
        snprintf(sentence, size, "it is cut short (%s)", said);
    else if (CONTAINS(said, "codec", "nsupported", "not supported", "ot currently supported"))
        snprintf(sentence, size, "its compression method is not supported (%s)", said);
    else
        snprintf(sentence, size, "it is damaged (%s)", said);
}

/* ------------------------------------------------------------ members' bytes ---- */

static bool fetch_unzipped(member_stream *member) {
    drt_gzip *gzip = member->archive->gzip;
    ssize_t n = drt_gzip_read(gzip, &member->block);
    member->block_length = n > 0 ? (size_t)n : 0;
    member->ended = n == 0;
    member->failed = n < 0;
    if (member->failed)
        drt_stream_fail(&member->base, "%s", drt_gzip_error(gzip));
    return n > 0;
}

/* Fetches the next block into the member; false: the end or a failure. */
static bool fetch_block(member_stream *member) {
    drt_archive *archive = member->archive;
    if (archive->gzip)
        return fetch_unzipped(member);
    archive->touched = true;
    for (;;) {
        const void *block = NULL;
        size_t length = 0;
        int64_t offset = member->at;
        int result = archive_read_data_block(archive->reader, &block, &length, &offset);
        if (result == ARCHIVE_RETRY)
            continue;
        if (result == ARCHIVE_WARN && !member->warned) {
            member->warned = true;
            explain(archive, member->base.error, sizeof member->base.error);
        }
        if (result == ARCHIVE_EOF) {
            member->ended = true;
            return false;
        }
        if (result < ARCHIVE_WARN) {
            member->failed = true;
            explain(archive, member->base.error, sizeof member->base.error);
            return false;
        }
        member->block = block;
        member->block_length = length;
        member->hole = offset > member->at ? offset - member->at : 0;
        if (length > 0 || member->hole > 0)
            return true;
        if (result == ARCHIVE_WARN) { /* nothing but the complaint: there may be no end to them */
            member->ended = true;
            return false;
        }
    }
}

/* Tells the meter of bytes that unpacking has added. */
static const char *charge(member_stream *member, size_t bytes) {
    drt_archive *archive = member->archive;
    if (archive->container->kind == DRT_CONTAINER_PLAIN && member->hole == 0)
        return NULL;
    return archive->meter.charge(archive->meter.user, (int64_t)bytes);
}

/* The next bytes: zeros of a hole, or a block. */
static ssize_t take(member_stream *member, const char **data, const char **refusal) {
    if (member->failed || member->ended || (member->hole == 0 && member->block_length == 0 && !fetch_block(member)))
        return member->failed || member->warned ? -1 : 0;
    size_t n = member->hole == 0                      ? member->block_length
               : member->hole < (int64_t)sizeof zeros ? (size_t)member->hole
                                                      : sizeof zeros;
    *refusal = charge(member, n);
    if (*refusal)
        return -1;
    *data = member->hole ? zeros : member->block;
    if (member->hole)
        member->hole -= (int64_t)n;
    else
        member->block_length = 0;
    member->at += (int64_t)n;
    return (ssize_t)n;
}

static ssize_t member_read(drt_stream *base, const char **data) {
    member_stream *member = (member_stream *)base;
    const char *refusal = NULL;
    ssize_t n = take(member, data, &refusal);
    if (refusal)
        drt_stream_fail(base, "%s", refusal);
    base->damaged = n < 0 && !refusal && (!member->archive->source->error[0] || member->archive->source->damaged);
    return n;
}

/* Unpacks what is left of a member and throws it away, metered. libarchive would do the same, without a limit. */
static bool drain(member_stream *member) {
    const char *data, *refusal = NULL;
    while (take(member, &data, &refusal) > 0)
        if (drt_cancelled(member->archive->context))
            return true;
    if (refusal)
        drt_stream_fail(&member->base, "%s", refusal);
    return refusal == NULL;
}

/* --------------------------------------------------------------- names ---- */

/* The display path: decoded, without empty and "." parts. */
static bool make_path(drt_archive *archive, const char *name, size_t length) {
    drt_buffer decoded = {0};
    if (!archive->charset_known && drt_utf8_valid_prefix(name, length) < length) {
        archive->charset = drt_charset_of_names(name, length);
        archive->charset_known = true;
    }
    bool ok = drt_charset_decode_name(archive->charset, name, length, &decoded);
    archive->path.length = 0;
    for (size_t at = 0; ok && at < decoded.length;) {
        const char *part = decoded.data + at, *slash = memchr(part, '/', decoded.length - at);
        size_t n = slash ? (size_t)(slash - part) : decoded.length - at;
        if (n > 0 && !(n == 1 && part[0] == '.'))
            ok = (archive->path.length == 0 || drt_buffer_append_byte(&archive->path, '/')) &&
                 drt_buffer_append(&archive->path, part, n);
        at += n + 1;
    }
    if (ok && archive->path.length == 0)
        ok = drt_buffer_append_text(&archive->path, "(without a name)");
    drt_buffer_free(&decoded);
    return ok;
}

/* ------------------------------------------------------------- life ---- */

static drt_status fail(drt_context *context, drt_archive *archive) {
    char sentence[256];
    explain(archive, sentence, sizeof sentence);
    return drt_fail(context, DRT_FAILED, "%s", sentence);
}

static int support_format(const drt_archive *archive, struct archive *reader) {
    int code = archive->container->code;
    int result = code == ARCHIVE_FORMAT_ZIP && archive->second_way ? archive_read_support_format_zip_streamable(reader)
                                                                   : archive_read_support_format_by_code(reader, code);
    if (code == ARCHIVE_FORMAT_TAR) /* people write one behind the other */
        archive_read_set_format_option(reader, "tar", "read_concatenated_archives", "1");
    if (code == ARCHIVE_FORMAT_LHA)
        archive_read_set_format_option(reader, "lha", "hdrcharset", archive->second_way ? "ISO-8859-1" : "CP932");
    return result;
}

/* A new libarchive reader at the source's beginning. A second way is tried when the first one finds no way on: of a zip,
 * from header to header instead of by its central directory; of LHA, names that aren't Japanese. */
static drt_status open_reader(drt_context *context, drt_archive *archive) {
    if (archive->container->code == ARCHIVE_FILTER_GZIP && archive->container->kind == DRT_CONTAINER_COMPRESSION) {
        archive->gzip = drt_gzip_open(archive->source);
        return archive->gzip ? DRT_OK : drt_fail_memory(context, "an archive");
    }
    struct archive *reader = archive_read_new();
    if (!reader)
        return drt_fail_memory(context, "an archive");
    archive->reader = reader;
    int result;
    if (archive->container->kind == DRT_CONTAINER_COMPRESSION) {
        /* Appended, a filter is applied once, so that each layer passes the meter; compress(1)'s wants to be bid for. */
        result = archive->container->code == ARCHIVE_FILTER_COMPRESS
                     ? archive_read_support_filter_compress(reader)
                     : archive_read_append_filter(reader, archive->container->code);
        archive_read_support_format_raw(reader);
        archive_read_support_format_empty(reader);
    } else {
        result = support_format(archive, reader);
    }
    archive_read_set_callback_data(reader, archive);
    archive_read_set_read_callback(reader, read_source);
    if (archive->source->seek) {
        archive_read_set_seek_callback(reader, seek_source);
        archive_read_set_skip_callback(reader, skip_source);
    }
    if (result < ARCHIVE_WARN || archive_read_open1(reader) < ARCHIVE_WARN)
        return fail(context, archive);
    return DRT_OK;
}

/* libarchive converts names to the locale's charset: a program that runs in the C locale would get none. */
static locale_t enter_locale(const drt_archive *archive) {
    return archive->locale ? uselocale(archive->locale) : (locale_t)0;
}

static void leave_locale(locale_t before) {
    if (before)
        uselocale(before);
}

drt_status drt_archive_open(drt_context *context, const drt_container *container, drt_stream *stream,
                            const drt_archive_meter *meter, drt_archive **out) {
    drt_archive *archive = calloc(1, sizeof *archive);
    *out = NULL;
    if (!archive)
        return drt_fail_memory(context, "an archive");
    archive->context = context;
    archive->container = container;
    archive->source = stream;
    archive->meter = *meter;
    archive->locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    drt_status status = DRT_OK;
    if (container->code == ARCHIVE_FORMAT_ZIP)
        archive->zip_end = drt_zip_end_find(stream);
    archive->charset = archive->zip_end.charset;
    archive->charset_known = archive->charset != NULL;
    bool looked = container->code != ARCHIVE_FORMAT_RAR_V5 || drt_rar5_find_locked(stream, &archive->locked);
    if (archive->zip_end.failed || !looked)
        status = drt_fail_memory(context, "an archive");
    else if (stream->seek && !drt_stream_rewind(stream))
        status = drt_fail(context, DRT_FAILED, "%s", stream->error);
    if (status == DRT_OK) {
        locale_t before = enter_locale(archive);
        status = open_reader(context, archive);
        leave_locale(before);
    }
    if (status != DRT_OK) {
        drt_archive_close(archive);
        return status;
    }
    *out = archive;
    return DRT_OK;
}

/* Opens it anew, behind the members that were begun. */
static drt_status reopen(drt_context *context, drt_archive *archive) {
    archive_read_free(archive->reader);
    archive->reader = NULL;
    archive->position = 0;
    archive->touched = false;
    if (!drt_stream_rewind(archive->source))
        return drt_fail(context, DRT_FAILED, "%s", archive->source->error);
    drt_status status = open_reader(context, archive);
    for (int64_t i = 0; status == DRT_OK && i < archive->index; i++) {
        struct archive_entry *entry;
        if (archive_read_next_header(archive->reader, &entry) < ARCHIVE_WARN)
            status = fail(context, archive);
    }
    return status;
}

/* libarchive passes over a 7z's members that cannot be unpacked only when it hasn't unpacked any before. */
static drt_status reopen_7z(drt_context *context, drt_archive *archive) {
    bool supported = strstr(archive->member.base.error, "not supported") == NULL && !archive->member.encrypted;
    if (archive->reopenings++ == REOPENINGS || (supported && archive->damaged++ == DAMAGED_LIMIT))
        return drt_fail(context, DRT_FAILED, "it is damaged: too many of its members cannot be unpacked");
    return reopen(context, archive);
}

/* Leaves the member at hand behind. */
static drt_status finish_member(drt_context *context, drt_archive *archive) {
    member_stream *member = &archive->member;
    bool sought = archive->zip_end.found && !archive->second_way;
    bool drains = archive->container->kind != DRT_CONTAINER_PLAIN && !sought;
    drt_stream_clear(&member->base);
    if (member->archive == NULL || member->ended)
        return DRT_OK;
    if (drains && !member->failed && !member->encrypted && !drain(member))
        return drt_fail(context, DRT_FAILED, "%s", member->base.error);
    bool passed = !member->failed && !member->encrypted;
    return archive->container->code == ARCHIVE_FORMAT_7ZIP && !passed && archive->touched ? reopen_7z(context, archive)
                                                                                          : DRT_OK;
}

static drt_member_kind kind_of(struct archive_entry *entry) {
    if (archive_entry_hardlink(entry) && archive_entry_size(entry) == 0)
        return DRT_MEMBER_LINK;
    switch (archive_entry_filetype(entry)) {
    case 0: /* formats without types */
    case AE_IFREG:
        return DRT_MEMBER_FILE;
    case AE_IFDIR:
        return DRT_MEMBER_FOLDER;
    case AE_IFLNK:
        return DRT_MEMBER_LINK;
    default:
        return DRT_MEMBER_SPECIAL;
    }
}

static drt_status describe(drt_context *context, drt_archive *archive, struct archive_entry *entry,
                           drt_archive_member *out) {
    const char *name = archive_entry_pathname(entry);
    if (!name)
        name = archive_entry_pathname_utf8(entry);
    if (!make_path(archive, name ? name : "", name ? strlen(name) : 0))
        return drt_fail_memory(context, "a path");
    size_t number = (size_t)archive->index - 1;
    bool encrypted =
        archive_entry_is_encrypted(entry) || (number < archive->locked.length && archive->locked.data[number]);
    archive->member = (member_stream){
        .base = {.read = member_read, .size = archive_entry_size_is_set(entry) ? archive_entry_size(entry) : -1},
        .archive = archive,
        .encrypted = encrypted,
    };
    *out = (drt_archive_member){.path = archive->path.data,
                                .path_length = archive->path.length,
                                .kind = kind_of(entry),
                                .encrypted = encrypted,
                                .stream = &archive->member.base};
    if (archive->container->kind == DRT_CONTAINER_COMPRESSION)
        out->path_length = 0;
    return DRT_OK;
}

/* What is in gzip is one member. */
static drt_status next_unzipped(drt_archive *archive, drt_archive_member *out) {
    if (archive->index++ > 0)
        return DRT_WARN;
    archive->member = (member_stream){.base = {.read = member_read, .size = -1}, .archive = archive};
    *out = (drt_archive_member){.path = "", .stream = &archive->member.base};
    return DRT_OK;
}

static void note_loss(drt_archive *archive) {
    char sentence[160];
    explain(archive, sentence, sizeof sentence);
    snprintf(archive->loss, sizeof archive->loss, "%s; members may be missing", sentence);
}

/* After a header that libarchive couldn't read: it goes on, DRT_OK, or it is over. */
static drt_status go_on(drt_context *context, drt_archive *archive, int result) {
    int code = archive->container->code;
    if (result == ARCHIVE_RETRY || result == ARCHIVE_FAILED) {
        note_loss(archive);
        /* In a tar it has moved on by a block, and looks for the next member. */
        bool moves = code == ARCHIVE_FORMAT_TAR && result == ARCHIVE_RETRY;
        bool over = drt_cancelled(context) || (!moves && ++archive->damaged > DAMAGED_LIMIT);
        return over ? fail(context, archive) : DRT_OK;
    }
    bool has_second = code == ARCHIVE_FORMAT_ZIP ? archive->zip_end.found : code == ARCHIVE_FORMAT_LHA;
    if (!has_second || archive->second_way || drt_cancelled(context))
        return fail(context, archive);
    if (code == ARCHIVE_FORMAT_ZIP)
        note_loss(archive);
    archive->second_way = true;
    return reopen(context, archive);
}

/* Tables of ar's own: symbols, and long names. */
static bool is_table(const drt_archive *archive, struct archive_entry *entry) {
    const char *name = archive_entry_pathname(entry);
    return archive->container->code == ARCHIVE_FORMAT_AR && name &&
           (name[0] == '/' || strncmp(name, "__.SYMDEF", strlen("__.SYMDEF")) == 0);
}

static drt_status next_member(drt_context *context, drt_archive *archive, drt_archive_member *out) {
    drt_status status = finish_member(context, archive);
    archive->member.archive = NULL;
    if (status == DRT_OK && archive->gzip)
        return next_unzipped(archive, out);
    while (status == DRT_OK) {
        struct archive_entry *entry;
        int result = archive_read_next_header(archive->reader, &entry);
        if (result == ARCHIVE_EOF)
            return DRT_WARN;
        if (result == ARCHIVE_OK || result == ARCHIVE_WARN) {
            archive->index++;
            if (is_table(archive, entry))
                continue;
            return describe(context, archive, entry, out);
        }
        status = go_on(context, archive, result);
    }
    return status;
}

drt_status drt_archive_next(drt_context *context, drt_archive *archive, drt_archive_member *member) {
    locale_t before = enter_locale(archive);
    drt_status status = next_member(context, archive, member);
    leave_locale(before);
    bool ended = status == DRT_WARN || (status == DRT_FAILED && archive->index > 0);
    if (ended && archive->container->code == ARCHIVE_FORMAT_ZIP && !archive->zip_end.found)
        return drt_fail(context, DRT_FAILED, "it is cut short: its central directory is missing");
    if (status == DRT_WARN && archive->loss[0])
        return drt_fail(context, DRT_FAILED, "%s", archive->loss);
    return status;
}

bool drt_archive_may_be_cut(const drt_archive *archive) {
    return archive->container->code == ARCHIVE_FORMAT_TAR && archive->exhausted && archive->zeros < CLOSING_ZEROS;
}

void drt_archive_close(drt_archive *archive) {
    if (!archive)
        return;
    archive_read_free(archive->reader);
    drt_gzip_close(archive->gzip);
    if (archive->locale)
        freelocale(archive->locale);
    drt_stream_clear(&archive->member.base);
    drt_buffer_free(&archive->path);
    drt_buffer_free(&archive->locked);
    free(archive);
}
