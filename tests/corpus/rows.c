/* rows.c: what the corpus tests share. See rows.h. */
#include "tests/corpus/rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <archive.h>
#include <archive_entry.h>
#include <cmocka.h>

#include "engine/base/file.h"

static char scratch[1024];

const char *scratch_make(void) {
    const char *folder = getenv("TMPDIR");
    snprintf(scratch, sizeof scratch, "%s/corpus-test-XXXXXX", folder && *folder ? folder : "/tmp");
    assert_non_null(mkdtemp(scratch));
    return scratch;
}

void scratch_remove(void) {
    char command[2 * sizeof scratch + 64];
    snprintf(command, sizeof command, "chmod -R u+rwX '%s' && rm -rf '%s'", scratch, scratch);
    assert_int_equal(system(command), 0);
}

const char *scratch_path(const char *name) {
    static char paths[4][4 * sizeof scratch];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", scratch, name);
    return path;
}

void scratch_write(const char *name, const void *data, size_t length) {
    char path[4 * sizeof scratch];
    snprintf(path, sizeof path, "%s/%s", scratch, name);
    for (char *slash = path + strlen(scratch) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = 0;
        mkdir(path, 0777);
        *slash = '/';
    }
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

void scratch_write_buffer(const char *name, const drt_buffer *buffer) {
    scratch_write(name, buffer->data, buffer->length);
}

int scratch_set_up(void **state) {
    (void)state;
    scratch_make();
    return 0;
}

int scratch_tear_down(void **state) {
    (void)state;
    scratch_remove();
    return 0;
}

static la_ssize_t append_block(struct archive *archive, void *user, const void *data, size_t length) {
    (void)archive;
    assert_true(drt_buffer_append(user, data, length));
    return (la_ssize_t)length;
}

static void write_part(struct archive *archive, const archive_part *part) {
    struct archive_entry *entry = archive_entry_new();
    size_t length = part->length < 0 ? strlen(part->data) : (size_t)part->length;
    size_t name = strlen(part->name);
    bool folder = name > 0 && part->name[name - 1] == '/';
    archive_entry_set_pathname(entry, part->name);
    archive_entry_set_filetype(entry, part->link ? AE_IFLNK : folder ? AE_IFDIR : AE_IFREG);
    archive_entry_set_perm(entry, folder ? 0755 : 0644);
    archive_entry_set_mtime(entry, 0, 0);
    if (part->link)
        archive_entry_set_symlink(entry, part->link);
    archive_entry_set_size(entry, part->link || folder ? 0 : (la_int64_t)length);
    if (archive_write_header(archive, entry) < ARCHIVE_WARN)
        fail_msg("%s: %s", part->name, archive_error_string(archive));
    if (!part->link && !folder && length > 0)
        assert_int_equal(archive_write_data(archive, part->data, length), length);
    archive_entry_free(entry);
}

drt_buffer archive_make(const char *format, const char *filter, const char *options, const archive_part *parts,
                        size_t n_parts) {
    drt_buffer buffer = {0};
    struct archive *archive = archive_write_new();
    assert_int_equal(archive_write_set_format_by_name(archive, format), ARCHIVE_OK);
    if (filter)
        assert_int_equal(archive_write_add_filter_by_name(archive, filter), ARCHIVE_OK);
    if (options && archive_write_set_options(archive, options) != ARCHIVE_OK)
        fail_msg("%s: %s", options, archive_error_string(archive));
    archive_write_set_bytes_in_last_block(archive, 1);
    assert_int_equal(archive_write_open(archive, &buffer, NULL, append_block, NULL), ARCHIVE_OK);
    for (size_t i = 0; i < n_parts; i++)
        write_part(archive, &parts[i]);
    if (archive_write_close(archive) != ARCHIVE_OK)
        fail_msg("%s, %s: %s", format, filter, archive_error_string(archive));
    archive_write_free(archive);
    return buffer;
}

void archive_write(const char *name, const char *format, const char *filter, const archive_part *parts,
                   size_t n_parts) {
    drt_buffer buffer = archive_make(format, filter, NULL, parts, n_parts);
    scratch_write(name, buffer.data, buffer.length);
    drt_buffer_free(&buffer);
}

static drt_status add_row(void *user, const drt_source *source, drt_extract *extract) {
    static const char *const states[] = {"ok", "partial", "skipped"};
    drt_buffer *rows = user;
    assert_true(drt_buffer_append(rows, source->path, source->path_length));
    assert_true(drt_buffer_printf(rows, " | %s | %s | %s | ", states[extract->status], source->format,
                                  extract->reason.data ? extract->reason.data : ""));
    for (size_t i = 0; i < extract->text.length; i++)
        assert_true(extract->text.data[i] == '\n' ? drt_buffer_append_text(rows, "\\n")
                                                  : drt_buffer_append_byte(rows, extract->text.data[i]));
    assert_true(drt_buffer_append_byte(rows, '\n'));
    return DRT_OK;
}

drt_buffer walk_rows(const char *path, const drt_corpus_params *params) {
    drt_buffer rows = {0};
    drt_context *context = drt_context_new(NULL);
    drt_corpus_params own = params ? *params : drt_corpus_params_default();
    own.member = add_row;
    own.user = &rows;
    drt_status status = drt_corpus_walk(context, path, &own);
    if (status != DRT_OK)
        assert_true(drt_buffer_printf(&rows, "status %d: %s\n", status, drt_error(context)));
    drt_context_free(context);
    assert_true(drt_buffer_reserve(&rows, 0));
    rows.data[rows.length] = 0;
    return rows;
}

void assert_rows(const char *name, const char *expected) {
    drt_buffer rows = walk_rows(scratch_path(name), NULL);
    assert_string_equal(rows.data, expected);
    drt_buffer_free(&rows);
}

const drt_format *format_of(const char *name, const char *data, size_t length) {
    drt_format_probe probe = {.name = name,
                              .name_length = strlen(name),
                              .head = data,
                              .head_length = length < DRT_FORMAT_HEAD ? length : DRT_FORMAT_HEAD,
                              .whole = length < DRT_FORMAT_HEAD};
    const drt_format *format = drt_format_by_content(&probe);
    return format ? format : drt_format_by_name(&probe);
}

drt_extract extract_bytes(const char *name, const char *data, size_t length) {
    drt_extract made = {0};
    drt_context *context = drt_context_new(NULL);
    const drt_format *format = format_of(name, data, length);
    drt_format_input input = {data, length, name, strlen(name)};
    assert_non_null(format->extract);
    assert_int_equal(format->extract(context, &input, &made), DRT_OK);
    drt_context_free(context);
    return made;
}

void assert_text(const char *name, const char *source, const char *text) {
    drt_extract made = extract_bytes(name, source, strlen(source));
    assert_string_equal(made.text.data ? made.text.data : "", text);
    assert_int_equal(made.status, DRT_DOCUMENT_OK);
    assert_null(made.reason.data);
    drt_extract_clear(&made);
}
