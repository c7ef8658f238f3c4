/* Ingest with the bundled model into scratch libraries: what is stored, known, skipped, kept when a run
 * is cancelled or the disk is full. */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "engine/session/session.h"
#include "tests/base/scratch.h"

#define DOCUMENTS DRT_TEST_DATA "/golden/trained/documents"

static struct {
    drt_context *context;
    drt_device *device;
    drt_model *model;
    scratch scratch;
    char library[256];
} t;

static bool cancel_now;

static bool is_cancelled(void *user) {
    (void)user;
    return cancel_now;
}

static int open_model(void **state) {
    (void)state;
    drt_context_params params = drt_context_params_default();
    params.cancelled = is_cancelled;
    t.context = drt_context_new(&params);
    assert_non_null(t.context);
    scratch_model(t.context, NULL, 0, &t.device, &t.model);
    return 0;
}

static int close_model(void **state) {
    (void)state;
    drt_model_free(t.model);
    drt_device_close(t.device);
    drt_context_free(t.context);
    return 0;
}

static int open_scratch(void **state) {
    (void)state;
    scratch_open(&t.scratch);
    snprintf(t.library, sizeof t.library, "%s/library.drt", t.scratch.folder);
    cancel_now = false;
    return 0;
}

static int close_scratch(void **state) {
    (void)state;
    cancel_now = false;
    scratch_close(&t.scratch);
    return 0;
}

/* ------------------------------------------------------------------------- helpers -------- */

/* What a run told, one line a member: "status path [reason]". */
typedef struct {
    drt_buffer lines;
    int members;
    int64_t chunks, tokens; /* of the last progress */
    int64_t cancel_at;      /* chunks; 0: never */
} record;

static void on_member(void *user, const drt_member *member) {
    static const char *const names[] = {"ok", "partial", "skipped"};
    record *l = user;
    const drt_document *d = member->document;
    assert_true(drt_buffer_printf(&l->lines, "%s %s%s%s\n", member->known ? "known" : names[d->status], d->path.data,
                                  d->reason.data ? " " : "", d->reason.data ? d->reason.data : ""));
    l->members++;
}

static void on_progress(void *user, const drt_progress *progress) {
    record *l = user;
    assert_true(progress->chunks >= l->chunks && progress->tokens >= l->tokens);
    l->chunks = progress->chunks;
    l->tokens = progress->tokens;
    if (l->cancel_at > 0 && l->chunks >= l->cancel_at)
        cancel_now = true;
}

static drt_library *create(const char *path, drt_memory_type memory_type) {
    drt_library_params open = drt_library_params_default();
    open.mode = DRT_LIBRARY_CREATE;
    open.model = t.model;
    open.memory_type = memory_type;
    drt_library *library;
    scratch_check(t.context, drt_library_open(t.context, path, &open, &library));
    return library;
}

static drt_status run(drt_memory_type memory_type, const char *const *paths, size_t n, record *l,
                      drt_ingest_report *report) {
    drt_library *library = create(t.library, memory_type);
    l->chunks = l->tokens = 0;
    drt_ingest_params params = {.paths = paths, .n_paths = n, .progress = on_progress, .member = on_member, .user = l};
    drt_status status = drt_ingest(t.context, library, t.model, &params, report);
    drt_library_close(library);
    return status;
}

static drt_library_facts inspect(void) {
    drt_library *library = scratch_library(t.context, t.model, t.library);
    drt_library_facts facts;
    scratch_check(t.context, drt_library_inspect(t.context, library, &facts));
    drt_verify_report verify;
    scratch_check(t.context, drt_library_verify(t.context, library, false, &verify));
    assert_int_equal(verify.problems, 0);
    drt_library_close(library);
    return facts;
}

/* A text of n words, the same for the same seed; about n tokens and a half. */
static void write_words(const char *name, int n, uint64_t seed) {
    static const char *const words[] = {"harbour", "keeper", "lamp",    "stone", "river", "winter", "the",   "a",
                                        "of",      "wrote",  "carried", "broke", "under", "before", "north", "letter"};
    drt_random random;
    drt_random_seed(&random, seed, DRT_RANDOM_SAMPLING);
    drt_buffer text = {0};
    for (int i = 0; i < n; i++)
        assert_true(
            drt_buffer_printf(&text, "%s%s", words[drt_random_below(&random, 16)], i % 97 == 96 ? ".\n\n" : " "));
    scratch_write(&t.scratch, name, text.data);
    drt_buffer_free(&text);
}

static const char *in_scratch(const char *name) {
    static char paths[8][256];
    static int next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", t.scratch.folder, name);
    return path;
}

/* ------------------------------------------------------------------------- tests ---------- */

static void everything_is_stored_and_told_in_order(void **state) {
    (void)state;
    record l = {0};
    drt_ingest_report report;
    assert_int_equal(run(DRT_MEMORY_INT8, (const char *[]){DOCUMENTS}, 1, &l, &report), DRT_OK);
    assert_string_equal(l.lines.data, "ok documents/1_lighthouse.txt\nok documents/2_library.txt\n"
                                      "ok documents/3_bridge.txt\n");
    assert_int_equal(report.ok, 3);
    assert_int_equal(report.chunks, 13);
    assert_int_equal(l.chunks, 13);
    assert_int_equal(l.tokens, report.tokens);
    assert_true(report.tokens > 12 * 63 - 3 * 63 && report.tokens <= 13 * 63);
    assert_false(report.cancelled);
    drt_library_facts facts = inspect();
    assert_int_equal(facts.documents, 3);
    assert_int_equal(facts.chunks, 13);
    assert_int_equal(facts.text_bytes, report.text_bytes);
    drt_buffer_free(&l.lines);
}

static void known_content_is_not_read_again(void **state) {
    (void)state;
    scratch_write(&t.scratch, "a.txt", "The lamp was lit in 1874.\n");
    scratch_write(&t.scratch, "b.txt", "The lamp was lit in 1874.\n");
    scratch_write(&t.scratch, "c.txt", "The bridge is closed.\n");
    const char *paths[] = {in_scratch("a.txt"), in_scratch("b.txt"), in_scratch("c.txt")};
    record first = {0}, again = {0};
    drt_ingest_report report;
    /* The copy comes while the first one still waits for a full batch. */
    assert_int_equal(run(DRT_MEMORY_INT8, paths, 3, &first, &report), DRT_OK);
    assert_string_equal(first.lines.data, "ok a.txt\nknown b.txt\nok c.txt\n");
    assert_int_equal(report.ok, 2);
    assert_int_equal(report.known, 1);
    assert_int_equal(run(DRT_MEMORY_INT8, paths, 3, &again, &report), DRT_OK);
    assert_string_equal(again.lines.data, "known a.txt\nknown b.txt\nknown c.txt\n");
    assert_int_equal(report.chunks, 0);
    assert_int_equal(inspect().chunks, 2);
    drt_library *library = scratch_library(t.context, t.model, t.library);
    drt_document document;
    scratch_check(t.context, drt_library_document(t.context, library, "b.txt", 5, &document));
    assert_string_equal(document.path.data, "a.txt");
    assert_int_equal(document.n_aliases, 1);
    drt_document_clear(&document);
    drt_library_close(library);
    drt_buffer_free(&first.lines);
    drt_buffer_free(&again.lines);
}

static void changed_content_replaces_the_old(void **state) {
    (void)state;
    drt_ingest_report report;
    record l = {0};
    const char *paths[] = {in_scratch("a.txt")};
    scratch_write(&t.scratch, "a.txt", "The lamp was lit in 1874.\n");
    assert_int_equal(run(DRT_MEMORY_INT8, paths, 1, &l, &report), DRT_OK);
    scratch_write(&t.scratch, "a.txt", "The lamp was lit in 1875.\n");
    assert_int_equal(run(DRT_MEMORY_INT8, paths, 1, &l, &report), DRT_OK);
    drt_library_facts facts = inspect();
    assert_int_equal(facts.documents, 1);
    assert_int_equal(facts.chunks, 2);
    assert_int_equal(facts.dead_chunks, 1);
    drt_buffer_free(&l.lines);
}

static void bad_members_are_told_and_the_rest_goes_on(void **state) {
    (void)state;
    scratch_write(&t.scratch, "empty.txt", "");
    scratch_write(&t.scratch, "good.txt", "The lamp was lit.\n");
    const char *paths[] = {in_scratch("missing.txt"), in_scratch("empty.txt"), in_scratch("good.txt")};
    record l = {0};
    drt_ingest_report report;
    assert_int_equal(run(DRT_MEMORY_INT8, paths, 3, &l, &report), DRT_WARN);
    assert_int_equal(report.skipped, 2);
    assert_int_equal(report.ok, 1);
    char *missing = strstr(l.lines.data, "skipped "), *empty = strstr(l.lines.data, "skipped empty.txt ");
    assert_non_null(missing);
    assert_non_null(strstr(missing, "missing.txt"));
    assert_non_null(empty);
    assert_non_null(strstr(empty, "ok good.txt"));
    drt_library_facts facts = inspect();
    assert_int_equal(facts.documents, 1);
    assert_int_equal(facts.skipped, 1); /* a path that isn't there leaves no row */
    drt_buffer_free(&l.lines);
}

/* A copy that has become unreadable costs nothing, and is told of. */
static void a_damaged_copy_is_told_and_the_text_stays(void **state) {
    (void)state;
    scratch_write(&t.scratch, "a.txt", "The lamp was lit in 1874.\n");
    const char *paths[] = {in_scratch("a.txt")};
    record l = {0};
    drt_ingest_report report;
    assert_int_equal(run(DRT_MEMORY_INT8, paths, 1, &l, &report), DRT_OK);
    scratch_write(&t.scratch, "a.txt", "");
    for (int times = 0; times < 2; times++) {
        l.lines.length = 0;
        assert_int_equal(run(DRT_MEMORY_INT8, paths, 1, &l, &report), DRT_WARN);
        assert_string_equal(l.lines.data, "skipped a.txt it is empty\n");
        assert_int_equal(report.skipped, 1);
    }
    drt_library_facts facts = inspect();
    assert_int_equal(facts.documents, 1);
    assert_int_equal(facts.dead_chunks, 0);
    assert_int_equal(facts.skipped, 0);
    drt_buffer_free(&l.lines);
}

static void globs_choose_members(void **state) {
    (void)state;
    static const char *const texts[] = {"d/a.txt", "d/a.md", "d/b.txt", "d/drafts/c.txt", "d/old/e.txt"};
    assert_int_equal(mkdir(in_scratch("d"), 0777), 0);
    assert_int_equal(mkdir(in_scratch("d/drafts"), 0777), 0);
    assert_int_equal(mkdir(in_scratch("d/old"), 0777), 0);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        scratch_write(&t.scratch, texts[i], texts[i]);
    const char *paths[] = {in_scratch("d")};
    static const struct {
        const char *include[2], *exclude[2];
        const char *lines;
        int passed_over;
    } cases[] = {
        {{"*.txt"}, {"drafts", "b.*"}, "ok d/a.txt\nok d/old/e.txt\n", 3},
        {{"a.md", "d/old/*"}, {NULL}, "ok d/a.md\nknown d/old/e.txt\n", 3},
        {{NULL}, {"d/*"}, "", 5},
        {{NULL}, {"d"}, "", 1},
        {{NULL}, {"[ab].*", "old"}, "ok d/drafts/c.txt\n", 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        record l = {0};
        drt_ingest_report report;
        drt_library *library = create(t.library, DRT_MEMORY_INT8);
        drt_ingest_params params = {.paths = paths, .n_paths = 1, .member = on_member, .user = &l};
        params.include = cases[i].include;
        params.exclude = cases[i].exclude;
        while (params.n_include < 2 && cases[i].include[params.n_include])
            params.n_include++;
        while (params.n_exclude < 2 && cases[i].exclude[params.n_exclude])
            params.n_exclude++;
        assert_true(drt_buffer_reserve(&l.lines, 1));
        l.lines.data[0] = '\0';
        assert_int_equal(drt_ingest(t.context, library, t.model, &params, &report), DRT_OK);
        assert_string_equal(l.lines.data, cases[i].lines);
        assert_int_equal(report.passed_over, cases[i].passed_over);
        assert_int_equal(report.skipped, 0);
        drt_library_close(library);
        drt_buffer_free(&l.lines);
    }
    assert_int_equal(inspect().documents, 4);
}

/* Memory (fp32) and landmarks of a document, found by its path. */
typedef struct {
    int64_t chunks;
    float *y;            /* (chunks,S,d) */
    uint16_t *landmarks; /* (chunks,d) */
} memory;

static memory read_memory(const char *library_path, const char *path) {
    drt_library *library = scratch_library(t.context, t.model, library_path);
    drt_document document;
    drt_store_view view;
    scratch_check(t.context, drt_library_document(t.context, library, path, strlen(path), &document));
    scratch_check(t.context, drt_store_refresh(t.context, library, &view));
    size_t d = (size_t)view.d_model, chunk = d * (size_t)view.chunk_size;
    memory m = {document.chunks, NULL, NULL};
    m.y = malloc((size_t)m.chunks * chunk * sizeof *m.y);
    m.landmarks = malloc((size_t)m.chunks * d * sizeof *m.landmarks);
    assert_true(m.y && m.landmarks);
    memcpy(m.landmarks, view.landmarks + (size_t)document.first_chunk * d, (size_t)m.chunks * d * sizeof *m.landmarks);
    for (int64_t i = 0; i < m.chunks; i++)
        drt_memory_unpack(view.memory_type, view.chunk_size, view.d_model,
                          drt_store_record(library, document.first_chunk + i), m.y + (size_t)i * chunk);
    drt_document_clear(&document);
    drt_library_close(library);
    return m;
}

static double relative_difference(const float *a, const float *b, size_t n) {
    double difference = 0, size = 0;
    for (size_t i = 0; i < n; i++) {
        difference += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
        size += (double)a[i] * a[i];
    }
    return sqrt(difference / size);
}

static void check_same_memory(const char *one, const char *other, const char *path) {
    memory a = read_memory(one, path), b = read_memory(other, path);
    assert_int_equal(a.chunks, b.chunks);
    size_t d = (size_t)t.model->config.d_model, n = (size_t)a.chunks * d;
    size_t chunk = d * (size_t)t.model->config.chunk_size;
    for (size_t i = 0; i < (size_t)a.chunks; i++)
        assert_true(relative_difference(a.y + i * chunk, b.y + i * chunk, chunk) < 1e-4);
    float *x = malloc(2 * n * sizeof *x);
    assert_non_null(x);
    drt_half_to_float(a.landmarks, x, n);
    drt_half_to_float(b.landmarks, x + n, n);
    assert_true(relative_difference(x, x + n, n) < 1e-4);
    free(x);
    free(a.y);
    free(a.landmarks);
    free(b.y);
    free(b.landmarks);
}

/* Other order, other company in a batch, other batch borders: the same memory. */
static void order_does_not_matter(void **state) {
    (void)state;
    write_words("long.txt", 1500, 1);
    write_words("short.txt", 40, 2);
    write_words("middle.txt", 600, 3);
    const char *forth[] = {in_scratch("long.txt"), in_scratch("short.txt"), in_scratch("middle.txt")};
    const char *back[] = {forth[2], forth[1], forth[0]};
    char other[256];
    drt_ingest_report report, report_back;
    snprintf(other, sizeof other, "%s/other.drt", t.scratch.folder);
    scratch_ingest(t.context, t.model, t.library, DRT_MEMORY_F32, forth, 3, &report);
    scratch_ingest(t.context, t.model, other, DRT_MEMORY_F32, back, 3, &report_back);
    assert_int_equal(report.chunks, report_back.chunks);
    assert_int_equal(report.tokens, report_back.tokens);
    assert_true(report.chunks > 32); /* more than one batch */
    check_same_memory(t.library, other, "long.txt");
    check_same_memory(t.library, other, "short.txt");
    check_same_memory(t.library, other, "middle.txt");
}

static void cancelling_keeps_what_was_finished(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d.txt", i);
        write_words(name, 1600, (uint64_t)i + 10);
    }
    const char *paths[] = {in_scratch("0.txt"), in_scratch("1.txt"), in_scratch("2.txt"), in_scratch("3.txt")};
    record l = {.cancel_at = 64}, rest = {0}; /* two batches of five: one document and a part of the next */
    drt_ingest_report report;
    run(DRT_MEMORY_INT8, paths, 4, &l, &report);
    assert_true(report.cancelled);
    assert_in_range(report.ok, 1, 3);
    assert_int_equal(l.members, report.ok);
    cancel_now = false;
    drt_library_facts facts = inspect();
    assert_int_equal(facts.documents, report.ok);
    assert_int_equal(facts.chunks, report.chunks);
    int64_t before = report.ok;
    assert_int_equal(run(DRT_MEMORY_INT8, paths, 4, &rest, &report), DRT_OK);
    assert_int_equal(report.known, before);
    assert_int_equal(report.ok, 4 - before);
    assert_int_equal(inspect().documents, 4);
    drt_buffer_free(&l.lines);
    drt_buffer_free(&rest.lines);
}

static void full_disks_end_a_run_with_an_intact_library(void **state) {
    (void)state;
    write_words("small.txt", 100, 20);
    write_words("large.txt", 1800, 21);
    const char *small[] = {in_scratch("small.txt")}, *large[] = {in_scratch("large.txt")};
    record l = {0};
    drt_ingest_report report;
    assert_int_equal(run(DRT_MEMORY_INT8, small, 1, &l, &report), DRT_OK);
    struct rlimit limit, old;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    signal(SIGXFSZ, SIG_IGN);
    limit = old;
    limit.rlim_cur = 600 * 1024; /* some two dozen chunks */
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    drt_status status = run(DRT_MEMORY_INT8, large, 1, &l, &report);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(status, DRT_FATAL);
    assert_non_null(strstr(drt_error(t.context), "memory.bin"));
    assert_int_equal(report.ok, 0);
    assert_int_equal(inspect().documents, 1);
    assert_int_equal(run(DRT_MEMORY_INT8, large, 1, &l, &report), DRT_OK);
    assert_int_equal(inspect().documents, 2);
    drt_buffer_free(&l.lines);
}

/* A session sees what is committed after it was opened, and no removed chunk. */
static void sessions_follow_the_library(void **state) {
    (void)state;
    scratch_write(&t.scratch, "a.txt", "The lamp of the tower was lit by Odo Brand in 1874.\n");
    scratch_write(&t.scratch, "b.txt", "The lamp of the mill was lit by Ada Finch in 1902.\n");
    drt_ingest_report report;
    const char *a[] = {in_scratch("a.txt")}, *b[] = {in_scratch("b.txt")};
    const char *question = "Who lit the lamp?";
    drt_library_close(create(t.library, DRT_MEMORY_INT8));
    drt_library *library = scratch_library(t.context, t.model, t.library);
    drt_session *session;
    drt_answer *answer = NULL;
    drt_ask_params params = drt_ask_params_default();
    params.max_tokens = 4;
    scratch_check(t.context, drt_session_open(t.context, library, t.model, &session));
    assert_int_equal(drt_session_ask(t.context, session, question, strlen(question), &params, &answer), DRT_FAILED);
    assert_non_null(strstr(drt_error(t.context), "empty"));
    static const size_t expected[] = {1, 2, 1}; /* hits after each of: add a, add b, remove a */
    for (int step = 0; step < 3; step++) {
        if (step < 2) {
            scratch_ingest(t.context, t.model, t.library, DRT_MEMORY_INT8, step ? b : a, 1, &report);
        } else {
            drt_library_params update = drt_library_params_default();
            update.mode = DRT_LIBRARY_UPDATE;
            drt_library *writer;
            drt_document document;
            scratch_check(t.context, drt_library_open(t.context, t.library, &update, &writer));
            scratch_check(t.context, drt_library_document(t.context, writer, "a.txt", 5, &document));
            scratch_check(t.context, drt_library_remove(t.context, writer, &document, NULL, 0));
            drt_document_clear(&document);
            drt_library_close(writer);
        }
        for (int retriever = DRT_RETRIEVER_LEARNED; retriever <= DRT_RETRIEVER_RANDOM; retriever++) {
            params.retriever = (drt_retriever)retriever;
            scratch_check(t.context, drt_session_ask(t.context, session, question, strlen(question), &params, &answer));
            assert_int_equal(answer->events[0].n_hits, expected[step]);
            for (size_t i = 0; i < answer->events[0].n_hits; i++)
                assert_true(step < 2 || strcmp(answer->events[0].hits[i].document.data, "b.txt") == 0);
            drt_answer_free(answer);
        }
    }
    drt_session_close(session);
    drt_library_close(library);
}

/* Asks on a library that another handle is writing to. */
typedef struct {
    drt_session *session;
    int members;
} asker;

static void ask_meanwhile(void *user, const drt_member *member) {
    asker *a = user;
    drt_ask_params params = drt_ask_params_default();
    drt_answer *answer;
    params.max_tokens = 2;
    scratch_check(t.context, drt_session_ask(t.context, a->session, "Who lit the lamp?", 17, &params, &answer));
    bool found = false; /* the one just committed */
    for (size_t i = 0; i < answer->events[0].n_hits; i++)
        found = found || answer->events[0].hits[i].document_id == member->document->id;
    assert_true(found);
    assert_true(answer->session > 0);
    drt_answer_free(answer);
    a->members++;
}

static void asking_goes_on_during_an_ingest(void **state) {
    (void)state;
    scratch_write(&t.scratch, "a.txt", "The lamp of the tower was lit by Odo Brand in 1874.\n");
    scratch_write(&t.scratch, "b.txt", "The lamp of the mill was lit by Ada Finch in 1902.\n");
    const char *paths[] = {in_scratch("a.txt"), in_scratch("b.txt")};
    asker a = {0};
    drt_ingest_report report;
    drt_library *writer = create(t.library, DRT_MEMORY_INT8);
    drt_library *reader = scratch_library(t.context, t.model, t.library);
    scratch_check(t.context, drt_session_open(t.context, reader, t.model, &a.session));
    drt_ingest_params params = {.paths = paths, .n_paths = 2, .member = ask_meanwhile, .user = &a};
    scratch_check(t.context, drt_ingest(t.context, writer, t.model, &params, &report));
    assert_int_equal(a.members, 2);
    drt_session_close(a.session);
    drt_library_close(reader);
    drt_library_close(writer);
}

#define with_scratch(test) cmocka_unit_test_setup_teardown(test, open_scratch, close_scratch)

int main(void) {
    const struct CMUnitTest tests[] = {
        with_scratch(everything_is_stored_and_told_in_order),
        with_scratch(known_content_is_not_read_again),
        with_scratch(changed_content_replaces_the_old),
        with_scratch(globs_choose_members),
        with_scratch(bad_members_are_told_and_the_rest_goes_on),
        with_scratch(a_damaged_copy_is_told_and_the_text_stays),
        with_scratch(order_does_not_matter),
        with_scratch(cancelling_keeps_what_was_finished),
        with_scratch(full_disks_end_a_run_with_an_intact_library),
        with_scratch(sessions_follow_the_library),
        with_scratch(asking_goes_on_during_an_ingest),
    };
    return cmocka_run_group_tests(tests, open_model, close_model);
}
