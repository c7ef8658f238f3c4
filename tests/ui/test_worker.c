/* The worker with a real small library: what each request answers, cancelling, failures. */
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "ui/model.h"
#include "ui/worker.h"

#define MODEL DRT_SOURCE_DIR "/samples/model"
#define DOCUMENTS DRT_TEST_DATA "/golden/trained/documents"

typedef struct {
    char folder[64], library[96];
    worker *engine;
} bench;

static char *find_model(void *user, const char *recorded, size_t length, char *why, size_t size) {
    (void)recorded, (void)length;
    if (user) {
        snprintf(why, size, "no model is installed");
        return NULL;
    }
    return strdup(MODEL);
}

static worker *start(const char *library, void *user) {
    worker_params params = {.library = library, .device = "cpu", .threads = 1, .find_model = find_model, .user = user};
    worker *engine = worker_new(&params);
    assert_non_null(engine);
    return engine;
}

static int open_bench(void **state) {
    bench *b = calloc(1, sizeof *b);
    strcpy(b->folder, "/tmp/drt-worker-XXXXXX");
    if (!b || !mkdtemp(b->folder))
        return -1;
    snprintf(b->library, sizeof b->library, "%s/lib.drt", b->folder);
    b->engine = start(b->library, NULL);
    *state = b;
    return 0;
}

static int close_bench(void **state) {
    bench *b = *state;
    char command[128];
    worker_free(b->engine);
    snprintf(command, sizeof command, "rm -rf %s", b->folder);
    int failed = system(command);
    free(b);
    return failed;
}

/* The next message about the request; those about others are dropped. */
static news *next_about(worker *engine, uint64_t request) {
    for (int waits = 0; waits < 600; waits++) {
        news *message = worker_news(engine);
        if (message && message->request == request)
            return message;
        news_free(message);
        struct pollfd ready = {.fd = worker_fd(engine), .events = POLLIN};
        if (!message)
            poll(&ready, 1, 100);
    }
    fail_msg("no message came within a minute");
    return NULL;
}

/* The first message of the kind, or of the request's failure. */
static news *wait_for(worker *engine, uint64_t request, news_kind kind) {
    while (true) {
        news *message = next_about(engine, request);
        if (message->kind == kind)
            return message;
        if (message->kind == NEWS_FAILED)
            fail_msg("failed: %s", message->text.data);
        news_free(message);
    }
}

static void expect(worker *engine, const work *wanted, news_kind kind) {
    news_free(wait_for(engine, worker_request(engine, wanted), kind));
}

static void expect_failure(worker *engine, const work *wanted, const char *words) {
    uint64_t request = worker_request(engine, wanted);
    news *message = next_about(engine, request);
    assert_int_equal(message->kind, NEWS_FAILED);
    assert_non_null(strstr(message->text.data, words));
    news_free(message);
}

static void ingest(bench *b) {
    expect(b->engine, &(work){.kind = WORK_INGEST, .path = DOCUMENTS}, NEWS_INGESTED);
    expect(b->engine, &(work){.kind = WORK_LIBRARY}, NEWS_LIBRARY);
}

static const char question[] = "Who built the lighthouse?";
static const work asked = {.kind = WORK_ASK, .text = question, .length = sizeof question - 1};

static void an_ingest_is_read_back(void **state) {
    bench *b = *state;
    expect_failure(b->engine, &(work){.kind = WORK_LIBRARY}, "lib.drt");
    ingest(b);
    news *listed = wait_for(b->engine, worker_request(b->engine, &(work){.kind = WORK_DOCUMENTS}), NEWS_DOCUMENTS);
    assert_int_equal(listed->n, 3);
    news_free(listed);
    news *text = wait_for(b->engine, worker_request(b->engine, &(work){.kind = WORK_CHUNK, .number = 0}), NEWS_TEXT);
    assert_int_equal(text->chunk, 0);
    assert_true(text->end > text->start && (size_t)text->end <= text->text.length);
    news_free(text);
    expect_failure(b->engine, &(work){.kind = WORK_TEXT, .number = 99}, "99");
    expect(b->engine, &(work){.kind = WORK_REMOVE, .number = 2}, NEWS_DONE);
    expect(b->engine, &(work){.kind = WORK_LIBRARY}, NEWS_LIBRARY);
    listed = wait_for(b->engine, worker_request(b->engine, &(work){.kind = WORK_DOCUMENTS}), NEWS_DOCUMENTS);
    assert_int_equal(listed->n, 2);
    news_free(listed);
}

static void an_answer_streams_with_its_retrievals(void **state) {
    bench *b = *state;
    ingest(b);
    uint64_t request = worker_request(b->engine, &asked);
    drt_string text = {0};
    size_t events = 0, tokens = 0;
    for (bool done = false; !done;) {
        news *message = next_about(b->engine, request);
        if (message->kind == NEWS_TOKEN) {
            assert_true(model_string_append(&text, message->text.data, message->text.length));
            tokens++;
        } else if (message->kind == NEWS_EVENT) {
            assert_true(tokens > 0);
            assert_int_equal(message->answer->n_events, 1);
            assert_int_equal(message->answer->events[0].group, events++);
            assert_non_null(message->answer->events[0].hits[0].slots);
        } else if (message->kind == NEWS_ANSWER) {
            assert_int_equal(message->answer->n_events, events);
            assert_string_equal(message->answer->answer.data, text.data);
            assert_true(message->answer->session > 0);
            done = true;
        } else {
            assert_int_equal(message->kind, NEWS_MODEL);
        }
        news_free(message);
    }
    drt_string_free(&text);
    expect(b->engine, &(work){.kind = WORK_SESSIONS}, NEWS_SESSIONS);
    expect(b->engine, &(work){.kind = WORK_SESSION_LOAD, .number = 1}, NEWS_SESSION);
    expect(b->engine, &(work){.kind = WORK_SESSION_COMPARE, .number = 1}, NEWS_SESSION);
    work here = asked;
    here.path = "*bridge*";
    news *answer = wait_for(b->engine, worker_request(b->engine, &here), NEWS_ANSWER);
    for (size_t i = 0; i < answer->answer->events[0].n_hits; i++)
        assert_non_null(strstr(answer->answer->events[0].hits[i].document.data, "bridge"));
    news_free(answer);
    here.path = "*nothing*";
    expect_failure(b->engine, &here, "*nothing*");
}

static void a_cancelled_answer_ends_and_the_next_one_comes(void **state) {
    bench *b = *state;
    ingest(b);
    uint64_t request = worker_request(b->engine, &asked);
    worker_cancel(b->engine, WORK_ASK);
    bool over = false; /* whether it had begun or not, its end is told */
    while (!over) {
        news *message = next_about(b->engine, request);
        over = message->kind == NEWS_FAILED || message->kind == NEWS_ANSWER;
        news_free(message);
    }
    news *answer = next_about(b->engine, worker_request(b->engine, &asked));
    while (answer->kind != NEWS_ANSWER) {
        uint64_t about = answer->request;
        assert_true(about > request);
        news_free(answer);
        answer = next_about(b->engine, about);
    }
    assert_int_equal(answer->answer->finish, DRT_FINISH_END);
    news_free(answer);
}

static void a_cancelled_ingest_goes_on_later(void **state) {
    bench *b = *state;
    uint64_t request = worker_request(b->engine, &(work){.kind = WORK_INGEST, .path = DOCUMENTS});
    news_free(next_about(b->engine, request)); /* it is under way, or done */
    worker_cancel(b->engine, WORK_INGEST);
    news *done =
        wait_for(b->engine, worker_request(b->engine, &(work){.kind = WORK_INGEST, .path = DOCUMENTS}), NEWS_INGESTED);
    assert_int_equal(done->report.ok + done->report.known, 3);
    news_free(done);
}

static void files_are_written_once(void **state) {
    bench *b = *state;
    char path[128], read[16] = "";
    snprintf(path, sizeof path, "%s/out.txt", b->folder);
    work written = {.kind = WORK_WRITE, .path = path, .text = "an answer", .length = 9};
    expect(b->engine, &written, NEWS_DONE);
    expect_failure(b->engine, &written, "out.txt"); /* it is there already */
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fread(read, 1, sizeof read, file), 9);
    fclose(file);
    assert_memory_equal(read, "an answer", 9);
    written.path = "/nonexistent/folder/out.txt";
    expect_failure(b->engine, &written, "/nonexistent/folder/out.txt");
}

static void without_a_model_it_says_why(void **state) {
    bench *b = *state;
    worker *engine = start(b->library, b);
    expect_failure(engine, &asked, "no model is installed");
    expect_failure(engine, &(work){.kind = WORK_INGEST, .path = DOCUMENTS}, "no model is installed");
    worker_free(engine);
}

static void it_ends_in_the_middle_of_work(void **state) {
    bench *b = *state;
    for (int i = 0; i < 3; i++) {
        worker *engine = start(b->library, NULL);
        worker_request(engine, &(work){.kind = WORK_INGEST, .path = DOCUMENTS});
        worker_request(engine, &asked);
        worker_request(engine, &(work){.kind = WORK_LIBRARY});
        usleep(20000 * (useconds_t)i);
        worker_free(engine);
    }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_bench, close_bench)
    const struct CMUnitTest tests[] = {
        TEST(an_ingest_is_read_back),
        TEST(an_answer_streams_with_its_retrievals),
        TEST(a_cancelled_answer_ends_and_the_next_one_comes),
        TEST(a_cancelled_ingest_goes_on_later),
        TEST(files_are_written_once),
        TEST(without_a_model_it_says_why),
        TEST(it_ends_in_the_middle_of_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
