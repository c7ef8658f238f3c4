/* life.c: see life.h. */
#define _XOPEN_SOURCE 700 /* nftw */
#include "tests/crash/life.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/library/store.h"
#include "engine/network/memory.h"
#include "tests/base/file_calls.h"
#include "tests/corpus/rows.h"
#include "tests/network/small_model.h"

static const char lamp[] = "The lamp was lit in 1874 by the first keeper.\n\nIt burned for long.\n";
static const char bridge[] = "The bridge over the river is closed in winter.\n";
static const char new_bridge[] = "The new bridge over the river is open all the year, but for the night of the fair.\n";
static const char tower[] = "The tower has a bell of bronze that no one has heard for a hundred years.\n";
static const char ferry[] = "<w:p><w:r><w:t>The ferry crosses at noon.</w:t></w:r></w:p>";
static const char new_ferry[] =
    "<w:p><w:r><w:t>The ferry crosses at noon, and on market days at four.</w:t></w:r></w:p>";

static void require_ok(const life *l, drt_status status, const char *what) {
    if (status != DRT_OK)
        fail_msg("%s: %s %s", what, drt_error(l->context), l->warnings);
}

static void add_line(char *lines, size_t size, const char *text, size_t length) {
    size_t there = strlen(lines);
    snprintf(lines + there, size - there, "%.*s\n", (int)length, text);
}

static void keep_warning(void *user, const char *text, size_t length) {
    life *l = user;
    add_line(l->warnings, sizeof l->warnings, text, length);
}

static void keep_loss(void *user, const drt_member *member) {
    life *l = user;
    const drt_string *reason = &member->document->reason;
    if (member->document->status != DRT_DOCUMENT_OK)
        add_line(l->losses, sizeof l->losses, reason->data, reason->length);
}

/* Without an allocation. */
static void write_file(const life *l, const char *name, const char *data, size_t length) {
    char path[128];
    snprintf(path, sizeof path, "%s/texts/%s", l->folder, name);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(file >= 0);
    assert_int_equal(write(file, data, length), length);
    assert_int_equal(close(file), 0);
}

static void write_text(const life *l, const char *name, const char *text) {
    write_file(l, name, text, strlen(text));
}

static drt_buffer make_word(const char *body) {
    archive_part parts[] = {{"_rels/.rels", "<Relationship Type='x/officeDocument' Target='word/d.xml'/>", -1, NULL},
                            {"word/d.xml", body, -1, NULL}};
    return archive_make("zip", NULL, NULL, parts, 2);
}

/* The folder as the step finds it. */
static void write_texts(const life *l, life_step step) {
    char path[128];
    write_text(l, "a.txt", lamp);
    write_text(l, "b.txt", step == LIFE_MAKE ? bridge : new_bridge);
    write_text(l, "c.txt", step == LIFE_MAKE ? lamp : tower);
    const drt_buffer *word = step < LIFE_SYNC ? &l->word : &l->new_word;
    write_file(l, "d.docx", word->data, word->length);
    snprintf(path, sizeof path, "%s/texts/e.pdf", l->folder);
    if (step < LIFE_SYNC)
        write_file(l, "e.pdf", l->pdf.data, l->pdf.length);
    else
        remove(path);
}

void life_open(life *l) {
    small_model small;
    char path[128];
    memset(l, 0, sizeof *l);
    snprintf(l->folder, sizeof l->folder, "%s/drt-life-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    assert_non_null(mkdtemp(l->folder));
    snprintf(l->disk, sizeof l->disk, "%s/disk", l->folder);
    snprintf(l->library, sizeof l->library, "%s/lib.drt", l->disk);
    drt_context_params params = {.warn = keep_warning, .user = l};
    l->context = drt_context_new(&params);
    assert_non_null(l->context);
    assert_int_equal(mkdir(l->disk, 0700), 0);
    snprintf(path, sizeof path, "%s/texts", l->folder);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/model", l->folder);
    assert_int_equal(mkdir(path, 0700), 0);
    small_model_make(l->context, DRT_TENSOR_F32, &small);
    small_model_write(&small, path, 8);
    small_model_clear(&small);
    drt_device_params device = drt_device_params_default();
    device.name = "cpu";
    device.threads = 1;
    require_ok(l, drt_device_open(l->context, &device, &l->device), "device");
    require_ok(l, drt_model_load(l->context, l->device, path, &l->model), "model");
    l->word = make_word(ferry);
    l->new_word = make_word(new_ferry);
    require_ok(l, drt_file_read(l->context, PDF_FIXTURES "/untitled.pdf", SIZE_MAX, &l->pdf), "PDF");
    file_calls_watch(l->disk);
}

static int remove_entry(const char *path, const struct stat *facts, int kind, struct FTW *at) {
    (void)facts;
    (void)kind;
    return at->level > 0 ? remove(path) : 0;
}

void life_empty(const char *folder) {
    assert_int_equal(nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS), 0);
}

void life_close(life *l) {
    file_calls_watch(NULL);
    for (int i = 0; i <= LIFE_STEPS; i++)
        drt_buffer_free(&l->states[i]);
    drt_buffer_free(&l->half_synced);
    drt_buffer_free(&l->word);
    drt_buffer_free(&l->new_word);
    drt_buffer_free(&l->pdf);
    drt_model_free(l->model);
    drt_device_close(l->device);
    drt_context_free(l->context);
    life_empty(l->folder);
    rmdir(l->folder);
}

/* ------------------------------------------------------------------------------- steps ---- */

static drt_status ingest(life *l, drt_library *library, bool sync) {
    char path[128];
    snprintf(path, sizeof path, "%s/texts", l->folder);
    drt_ingest_params params = {
        .paths = (const char *[]){path}, .n_paths = 1, .member = keep_loss, .user = l, .threads = 1, .sync = sync};
    drt_ingest_report report;
    return drt_ingest(l->context, library, l->model, &params, &report);
}

static drt_status take_out(life *l, drt_library *library) {
    drt_document document;
    drt_status status = drt_library_document(l->context, library, "texts/a.txt", strlen("texts/a.txt"), &document);
    if (status == DRT_OK)
        status = drt_library_remove(l->context, library, &document, NULL, 0);
    drt_document_clear(&document);
    return status;
}

static drt_status ask(life *l, drt_library *library) {
    static const char question[] = "Who lit the lamp?";
    drt_ask_params params = drt_ask_params_default();
    drt_session *session;
    drt_answer *answer = NULL;
    params.temperature = 50; /* an end is unlikely */
    params.max_tokens = 12;
    drt_status status = drt_session_open(l->context, library, l->model, &session);
    if (status != DRT_OK)
        return status;
    status = drt_session_ask(l->context, session, question, sizeof question - 1, &params, &answer);
    drt_answer_free(answer);
    drt_session_close(session);
    return status;
}

static drt_status take_step(life *l, drt_library *library, life_step step, bool half) {
    drt_verify_report report;
    switch (step) {
    case LIFE_MAKE:
    case LIFE_CHANGE:
    case LIFE_SYNC:
        return ingest(l, library, step == LIFE_SYNC && !half);
    case LIFE_REMOVE:
        return take_out(l, library);
    case LIFE_COMPACT:
        return drt_library_verify(l->context, library, true, &report);
    default:
        return ask(l, library);
    }
}

/* half: of LIFE_SYNC its first part alone. */
static drt_status take(life *l, life_step step, bool half) {
    static const drt_library_mode modes[] = {DRT_LIBRARY_CREATE, DRT_LIBRARY_CREATE, DRT_LIBRARY_CREATE,
                                             DRT_LIBRARY_UPDATE, DRT_LIBRARY_UPDATE, DRT_LIBRARY_READ};
    drt_library_params params = drt_library_params_default();
    drt_library *library;
    params.mode = modes[step];
    params.model = l->model;
    write_texts(l, step);
    l->warnings[0] = l->losses[0] = 0;
    drt_status status = drt_library_open(l->context, l->library, &params, &library);
    if (status == DRT_OK)
        status = take_step(l, library, step, half);
    drt_library_close(library);
    return status;
}

drt_status life_take(life *l, life_step step) {
    return take(l, step, false);
}

drt_status life_mend(life *l) {
    drt_library_params params = drt_library_params_default();
    drt_library *library;
    params.mode = DRT_LIBRARY_UPDATE;
    params.model = l->model;
    drt_status status = drt_library_open(l->context, l->library, &params, &library);
    drt_library_close(library);
    return status;
}

/* ------------------------------------------------------------------------------ states ---- */

typedef struct {
    life *l;
    drt_library *library;
    drt_store_view view;
    drt_buffer *state;
} reader;

static void put(drt_buffer *state, const void *data, size_t length) {
    assert_true(drt_buffer_append(state, data, length));
}

static void put_string(drt_buffer *state, const drt_string *string) {
    put(state, &string->length, sizeof string->length);
    if (string->length)
        put(state, string->data, string->length);
}

static bool read_document(void *user, const drt_document *document) {
    reader *r = user;
    const drt_config *config = drt_model_config(r->l->model);
    size_t landmark = (size_t)config->d_model * sizeof(uint16_t);
    size_t record = drt_memory_record_size(r->view.memory_type, config->chunk_size, config->d_model);
    drt_string text;
    require_ok(r->l, drt_library_text(r->l->context, r->library, document->id, &text), "text");
    put_string(r->state, &document->path);
    put_string(r->state, &text);
    for (size_t i = 0; i < document->n_aliases; i++)
        put_string(r->state, &document->aliases[i]);
    drt_string_free(&text);
    for (int64_t id = document->first_chunk; id < document->first_chunk + document->chunks; id++) {
        drt_chunk chunk;
        require_ok(r->l, drt_library_chunk(r->l->context, r->library, id, &chunk), "chunk");
        assert_int_equal(chunk.document, document->id);
        assert_true(id < r->view.n_chunks && !(r->view.dead[id / 64] >> id % 64 & 1));
        put(r->state, (int64_t[]){chunk.start, chunk.end}, 2 * sizeof(int64_t));
        put(r->state, r->view.landmarks + (size_t)id * (size_t)config->d_model, landmark);
        put(r->state, drt_store_record(r->library, id), record);
    }
    return true;
}

static bool read_session(void *user, const drt_session_summary *summary) {
    reader *r = user;
    drt_answer *answer;
    require_ok(r->l, drt_library_session_load(r->l->context, r->library, summary->id, &answer), "session");
    put_string(r->state, &answer->question);
    put_string(r->state, &answer->answer);
    put(r->state, &answer->n_events, sizeof answer->n_events);
    drt_answer_free(answer);
    return true;
}

bool life_has_library(const life *l) {
    char path[128];
    snprintf(path, sizeof path, "%s/catalog.sqlite", l->library);
    return access(path, F_OK) == 0;
}

void life_read(life *l, drt_library_mode mode, drt_buffer *state) {
    reader r = {.l = l, .state = state};
    drt_verify_report report;
    drt_library_params params = drt_library_params_default();
    params.mode = mode;
    params.model = l->model;
    l->warnings[0] = 0;
    require_ok(l, drt_library_open(l->context, l->library, &params, &r.library), "open");
    require_ok(l, drt_library_verify(l->context, r.library, false, &report), "verify");
    require_ok(l, drt_store_refresh(l->context, r.library, &r.view), "refresh");
    require_ok(l, drt_library_documents(l->context, r.library, NULL, true, read_document, &r), "documents");
    require_ok(l, drt_library_sessions(l->context, r.library, read_session, &r), "sessions");
    drt_library_close(r.library);
}

static bool is_state(const drt_buffer *found, const drt_buffer *state) {
    return found->length == state->length &&
           (found->length == 0 || memcmp(found->data, state->data, found->length) == 0);
}

int life_expect(life *l, drt_library_mode mode, int first, const char *where) {
    drt_buffer state = {0};
    int found = -1;
    if (life_has_library(l))
        life_read(l, mode, &state);
    for (int i = first; i <= first + 1 && i <= LIFE_STEPS && found < 0; i++)
        if (is_state(&state, &l->states[i]) || (i == LIFE_SYNC && is_state(&state, &l->half_synced)))
            found = i;
    drt_buffer_free(&state);
    if (found < 0)
        fail_msg("%s: the library is neither as after %d steps nor as after the next", where, first);
    return found;
}

/* ---------------------------------------------------------------------------- going back ---- */

/* The files of one folder into another, which is made. */
static void copy_files(const life *l, const char *from, const char *to) {
    assert_int_equal(mkdir(to, 0700), 0);
    DIR *folder = opendir(from);
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder));) {
        if (entry->d_name[0] == '.')
            continue;
        drt_string source, target;
        drt_buffer data = {0};
        assert_true(drt_path_join(&source, from, entry->d_name) && drt_path_join(&target, to, entry->d_name));
        require_ok(l, drt_file_read(l->context, source.data, SIZE_MAX, &data), "copy");
        require_ok(l, drt_file_create(l->context, target.data, data.data, data.length), "copy");
        drt_buffer_free(&data);
        drt_string_free(&source);
        drt_string_free(&target);
    }
    closedir(folder);
}

static void saved_path(const life *l, int n_steps, char path[128]) {
    snprintf(path, 128, "%s/saved%d", l->folder, n_steps);
}

void life_go_back(life *l, int n_steps) {
    char path[128];
    life_empty(l->disk);
    saved_path(l, n_steps, path);
    if (n_steps > 0)
        copy_files(l, path, l->library);
}

void life_take_all(life *l) {
    char path[128];
    for (int step = 0; step < LIFE_STEPS; step++) {
        if (step == LIFE_SYNC) {
            require_ok(l, take(l, LIFE_SYNC, true), "half a step");
            life_read(l, DRT_LIBRARY_READ, &l->half_synced);
            life_go_back(l, LIFE_SYNC);
        }
        require_ok(l, life_take(l, (life_step)step), "a step");
        life_read(l, DRT_LIBRARY_READ, &l->states[step + 1]);
        saved_path(l, step + 1, path);
        copy_files(l, l->library, path);
    }
}

int life_run_steps(void (*test)(void **state), int (*set_up)(void **state), int (*tear_down)(void **state)) {
    static life_step steps[] = {LIFE_MAKE, LIFE_CHANGE, LIFE_SYNC, LIFE_REMOVE, LIFE_COMPACT, LIFE_ASK};
    const struct CMUnitTest tests[] = {
        {"making_survives", test, NULL, NULL, &steps[0]},     {"changing_survives", test, NULL, NULL, &steps[1]},
        {"syncing_survives", test, NULL, NULL, &steps[2]},    {"removing_survives", test, NULL, NULL, &steps[3]},
        {"compacting_survives", test, NULL, NULL, &steps[4]}, {"asking_survives", test, NULL, NULL, &steps[5]},
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
