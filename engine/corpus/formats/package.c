/* package.c: documents that are a zip of files. See package.h. */
#include "engine/corpus/formats/package.h"

#include <stdlib.h>
#include <string.h>

#include <utf8proc.h>

#include "engine/corpus/archives/archive.h"
#include "engine/corpus/formats/markup.h"

#define FILE_LIMIT (64LL << 20)   /* bytes of one file */
#define PACKAGE_FLOOR (4LL << 20) /* bytes that any package may unpack to; more, */
#define PACKAGE_RATIO 200         /* when it is no larger than so many times its size */
#define MEMBERS_LIMIT 100000      /* files that are looked at */

static const char *charge(void *user, int64_t bytes) {
    drt_package *p = user;
    p->unpacked += bytes;
    return p->unpacked > PACKAGE_FLOOR + (int64_t)p->input->length * PACKAGE_RATIO
               ? "it expands to many times its size, which looks like a trap"
               : NULL;
}

static int compare_files(const void *a, const void *b) {
    const drt_string *left = &(*(drt_package_file *const *)a)->name, *right = &(*(drt_package_file *const *)b)->name;
    return drt_string_compare(left, right->data, right->length);
}

/* A name as careless writers take it: in any case, composed or not, with slashes of either kind. data NULL: it is no UTF-8.
 * false: out of memory. */
static bool fold(const char *name, size_t length, drt_string *folded) {
    drt_buffer slashed = {0};
    utf8proc_uint8_t *made = NULL;
    *folded = (drt_string){0};
    if (!drt_buffer_append(&slashed, name, length))
        return false;
    for (size_t i = 0; i < length; i++)
        if (slashed.data[i] == '\\')
            slashed.data[i] = '/';
    utf8proc_ssize_t n = utf8proc_map((const utf8proc_uint8_t *)slashed.data, (utf8proc_ssize_t)length, &made,
                                      UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD);
    bool ok = n >= 0 ? drt_string_set(folded, (const char *)made, (size_t)n) : n != UTF8PROC_ERROR_NOMEM;
    free(made);
    drt_buffer_free(&slashed);
    return ok;
}

static int compare_folded(const void *a, const void *b) {
    const drt_package_fold *left = a, *right = b;
    int order = drt_string_compare(&left->name, right->name.data, right->name.length);
    return order ? order : (left->file > right->file) - (left->file < right->file);
}

static bool index_files(drt_package *p) {
    p->index = malloc((p->n_files + 1) * sizeof *p->index);
    p->folded = calloc(p->n_files + 1, sizeof *p->folded);
    if (!p->index || !p->folded)
        return false;
    for (size_t i = 0; i < p->n_files; i++) {
        p->index[i] = &p->files[i];
        if (!fold(p->files[i].name.data, p->files[i].name.length, &p->folded[p->n_folded].name))
            return false;
        p->folded[p->n_folded].file = &p->files[i];
        p->n_folded += p->folded[p->n_folded].name.data != NULL;
    }
    qsort(p->index, p->n_files, sizeof *p->index, compare_files);
    qsort(p->folded, p->n_folded, sizeof *p->folded, compare_folded);
    return true;
}

drt_package_file *drt_package_find(const drt_package *p, const char *name, size_t length) {
    size_t from = 0, to = p->n_files;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        int order = drt_string_compare(&p->index[middle]->name, name, length);
        if (order == 0)
            return p->index[middle];
        *(order < 0 ? &from : &to) = order < 0 ? middle + 1 : middle;
    }
    return NULL;
}

static drt_status read_file(drt_package *p, drt_package_file *file, const drt_archive_member *member) {
    const char *data;
    ssize_t n;
    file->read = true;
    while ((n = drt_stream_read(member->stream, &data)) > 0) {
        if ((int64_t)file->data.length + n > FILE_LIMIT)
            break;
        if (!drt_buffer_append(&file->data, data, (size_t)n))
            return drt_fail_memory(p->context, "a document's files");
        if (drt_cancelled(p->context))
            return DRT_FAILED;
    }
    file->damaged = n != 0;
    return DRT_OK;
}

/* Notes a member on the first pass over the zip. */
static drt_status add_file(drt_package *p, const drt_archive_member *member,
                           bool (*wanted)(const char *name, size_t length)) {
    if (!drt_array_grow((void **)&p->files, p->n_files, sizeof *p->files))
        return drt_fail_memory(p->context, "a document's files");
    drt_package_file *file = &p->files[p->n_files];
    *file = (drt_package_file){.locked = member->encrypted};
    if (!drt_string_set(&file->name, member->path, member->path_length))
        return drt_fail_memory(p->context, "a document's files");
    p->n_files++;
    file->wanted = wanted(file->name.data, file->name.length);
    return DRT_OK;
}

/* Passes over the zip and reads what is wanted and not read yet. The first pass, which is given `wanted`, notes names. */
static drt_status pass_over(drt_package *p, bool (*wanted)(const char *name, size_t length)) {
    drt_memory_stream stream;
    drt_archive_meter meter = {charge, p};
    drt_archive *archive;
    drt_memory_stream_open(&stream, p->input->data, p->input->length);
    drt_status status = drt_archive_open(p->context, drt_container_named("zip"), &stream.base, &meter, &archive);
    drt_archive_member member;
    for (size_t i = 0; status == DRT_OK && i < MEMBERS_LIMIT;) {
        status = drt_archive_next(p->context, archive, &member);
        if (status != DRT_OK || member.kind != DRT_MEMBER_FILE)
            continue;
        if (wanted)
            status = add_file(p, &member, wanted);
        drt_package_file *file = status == DRT_OK && i < p->n_files ? &p->files[i] : NULL;
        if (file && file->wanted && !file->read && !file->locked)
            status = read_file(p, file, &member);
        i++;
    }
    drt_archive_close(archive);
    drt_stream_clear(&stream.base);
    if (status == DRT_OK || status == DRT_WARN)
        return drt_cancelled(p->context) ? DRT_FAILED : DRT_OK;
    return status;
}

drt_status drt_package_open(drt_package *p, drt_context *context, const drt_format_input *input,
                            bool (*wanted)(const char *name, size_t length)) {
    *p = (drt_package){.context = context, .input = input};
    drt_status status = pass_over(p, wanted);
    return status != DRT_FATAL && !index_files(p) ? drt_fail_memory(context, "a document's files") : status;
}

drt_status drt_package_read(drt_package *p) {
    return pass_over(p, NULL);
}

void drt_package_close(drt_package *p) {
    for (size_t i = 0; i < p->n_files; i++) {
        drt_string_free(&p->files[i].name);
        drt_buffer_free(&p->files[i].data);
    }
    for (size_t i = 0; i < p->n_folded; i++)
        drt_string_free(&p->folded[i].name);
    free(p->folded);
    free(p->index);
    free(p->files);
}

static int hex_digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10 : -1;
}

/* Resolves a reference against a folder ("OEBPS/" or ""): fragment off, "%20" decoded if asked, "." and ".." gone. */
static bool resolve(const char *folder, size_t folder_length, const drt_string *reference, bool decode,
                    drt_buffer *path) {
    drt_buffer joined = {0};
    bool absolute = reference->length > 0 && reference->data[0] == '/';
    bool ok = drt_buffer_append(&joined, folder, absolute ? 0 : folder_length);
    for (size_t i = 0; ok && i < reference->length && reference->data[i] != '#'; i++) {
        const char *at = reference->data + i;
        bool escape =
            decode && *at == '%' && i + 2 < reference->length && hex_digit(at[1]) >= 0 && hex_digit(at[2]) >= 0;
        ok = drt_buffer_append_byte(&joined, escape ? (char)(hex_digit(at[1]) * 16 + hex_digit(at[2])) : *at);
        i += escape ? 2 : 0;
    }
    path->length = 0;
    for (size_t at = 0; ok && at < joined.length;) {
        const char *part = joined.data + at, *slash = memchr(part, '/', joined.length - at);
        size_t n = slash ? (size_t)(slash - part) : joined.length - at;
        at += n + 1;
        if (n == 0 || (n == 1 && part[0] == '.'))
            continue;
        if (n == 2 && part[0] == '.' && part[1] == '.') {
            while (path->length > 0 && path->data[--path->length] != '/')
                ;
            continue;
        }
        ok = (path->length == 0 || drt_buffer_append_byte(path, '/')) && drt_buffer_append(path, part, n);
    }
    drt_buffer_free(&joined);
    return ok;
}

/* The file whose name differs from this one in nothing that fold() keeps. false: out of memory. */
static bool find_folded(const drt_package *p, const char *path, size_t length, drt_package_file **file) {
    drt_string name;
    if (!fold(path, length, &name))
        return false;
    size_t from = 0, to = name.data ? p->n_folded : 0;
    while (from < to && !*file) {
        size_t middle = from + (to - from) / 2;
        int order = drt_string_compare(&p->folded[middle].name, name.data, name.length);
        if (order == 0)
            *file = p->folded[middle].file;
        *(order < 0 ? &from : &to) = order < 0 ? middle + 1 : middle;
    }
    drt_string_free(&name);
    return true;
}

bool drt_package_refer(const drt_package *p, const char *folder, size_t folder_length, const drt_string *reference,
                       drt_package_file **file) {
    drt_buffer path = {0};
    bool ok = true;
    *file = NULL;
    for (int way = 0; ok && !*file && way < 6; way++) { /* as it is first, then name and folder less strictly */
        bool decode = way % 2 == 0, lenient = way >= 2;
        ok = resolve(folder, way < 4 ? folder_length : 0, reference, decode, &path);
        if (ok && path.length > 0 && !lenient)
            *file = drt_package_find(p, path.data, path.length);
        else if (ok && path.length > 0)
            ok = find_folded(p, path.data, path.length, file);
    }
    drt_buffer_free(&path);
    return ok;
}

drt_status drt_package_decode(const drt_package *p, const drt_package_file *file, drt_buffer *out,
                              drt_charset_facts *facts) {
    return drt_markup_to_utf8(p->context, file->data.data ? file->data.data : "", file->data.length, out, facts);
}
