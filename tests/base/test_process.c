/* Units of engine/base/process: well-behaved programs, and those that hang, flood, fork, ignore signals and die. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/base/process.h"

typedef struct {
    drt_buffer output;
    drt_process_result result;
    drt_status status;
    double seconds;
} run_result;

static bool keep(void *user, const char *data, size_t length) {
    return drt_buffer_append(user, data, length);
}

static bool refuse(void *user, const char *data, size_t length) {
    (void)user, (void)data, (void)length;
    return false;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static drt_process_params params_of(const char *const *arguments, run_result *ran) {
    return (drt_process_params){.arguments = arguments,
                                .input = "of the mill",
                                .input_length = 11,
                                .max_seconds = 20,
                                .max_output = 1 << 20,
                                .max_memory = 256 << 20,
                                .may_fork = true,
                                .output = keep,
                                .user = &ran->output};
}

/* Runs a shell script; no process of ours is left, dead or alive. */
static run_result run(const char *script, void (*change)(drt_process_params *)) {
    const char *const arguments[] = {"/bin/sh", "-c", script, NULL};
    run_result out = {0};
    drt_context *context = drt_context_new(NULL);
    drt_process_params params = params_of(arguments, &out);
    if (change)
        change(&params);
    double start = now();
    out.status = drt_process_run(context, &params, &out.result);
    out.seconds = now() - start;
    drt_context_free(context);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    return out;
}

static void assert_output(run_result *ran, const char *text) {
    assert_int_equal(ran->status, DRT_OK);
    assert_int_equal(ran->output.length, strlen(text));
    assert_memory_equal(ran->output.data ? ran->output.data : "", text, strlen(text));
    drt_buffer_free(&ran->output);
}

static void input_output_messages_and_status(void **state) {
    (void)state;
    run_result out = run("cat; echo told >&2; exit 3", NULL);
    assert_output(&out, "of the mill");
    assert_int_equal(out.result.end, DRT_PROCESS_EXITED);
    assert_int_equal(out.result.code, 3);
    assert_int_equal(out.result.messages_length, 5);
    assert_memory_equal(out.result.messages, "told\n", 5);
}

static void the_input_is_a_sealed_file(void **state) {
    (void)state;
    run_result out =
        run("head -c 6 /dev/stdin; cat /dev/stdin; (echo more >>/dev/stdin) 2>/dev/null || echo sealed", NULL);
    assert_output(&out, "of theof the millsealed\n");
}

static void it_inherits_nothing(void **state) {
    (void)state;
    int file = open("/dev/null", 0);
    assert_true(file >= 0 && dup2(file, 57) == 57); /* without FD_CLOEXEC */
    setenv("SECRET_OF_OURS", "1", 1);
    signal(SIGPIPE, SIG_IGN);
    run_result out = run("env | grep -c '^\\(PATH\\|LANG\\)='; env | grep -c SECRET; ls /proc/$$/fd | tr '\\n' ' ';"
                         "grep SigIgn /proc/$$/status | tr -d '\\t'; ulimit -c; ulimit -f; ulimit -n",
                         NULL);
    assert_output(&out, "2\n0\n0 1 2 SigIgn:0000000000000000\n0\n0\n64\n");
    signal(SIGPIPE, SIG_DFL);
    close(57);
    close(file);
}

static void short_time(drt_process_params *params) {
    params->max_seconds = 0.3;
}

static void who_hangs_is_ended(void **state) {
    (void)state;
    static const char *const scripts[] = {"sleep 600", "trap '' TERM INT HUP; while :; do sleep 600; done",
                                          "sleep 600 & wait", "exec >&- 2>&-; sleep 600", "kill -STOP $$; sleep 600"};
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        run_result out = run(scripts[i], short_time);
        assert_output(&out, "");
        assert_int_equal(out.result.end, DRT_PROCESS_TIME);
        assert_true(out.seconds < 10);
    }
}

static void one_second(drt_process_params *params) {
    params->max_seconds = 1;
}

static void who_burns_time_is_ended(void **state) {
    (void)state;
    run_result out = run("while :; do :; done", one_second);
    assert_output(&out, "");
    assert_int_equal(out.result.end, DRT_PROCESS_TIME);
}

/* A grandchild that keeps the pipes open is neither waited for nor left behind. */
static void grandchildren_are_ended(void **state) {
    (void)state;
    run_result out = run("sleep 600 & echo $!", NULL);
    assert_int_equal(out.status, DRT_OK);
    assert_int_equal(out.result.end, DRT_PROCESS_EXITED);
    assert_true(out.seconds < 10);
    pid_t grandchild = (pid_t)atol(out.output.data);
    assert_true(grandchild > 0);
    for (int i = 0; i < 100 && kill(grandchild, 0) == 0; i++)
        usleep(10000); /* init buries it */
    char path[64], line[256] = "";
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)grandchild);
    FILE *file = fopen(path, "r");
    if (file) {
        assert_non_null(fgets(line, sizeof line, file));
        assert_non_null(strstr(line, ") Z ")); /* at worst not buried yet */
        fclose(file);
    }
    drt_buffer_free(&out.output);
}

static void no_children(drt_process_params *params) {
    params->may_fork = false;
}

static void children_can_be_forbidden(void **state) {
    (void)state;
    if (geteuid() == 0)
        skip(); /* not to root */
    run_result out = run("(echo child) 2>/dev/null; echo $?", no_children);
    assert_null(strstr(out.output.data ? out.output.data : "", "child"));
    drt_buffer_free(&out.output);
}

static void floods_are_stopped(void **state) {
    (void)state;
    run_result out = run("yes", NULL);
    assert_int_equal(out.result.end, DRT_PROCESS_OUTPUT);
    assert_in_range(out.output.length, 1, 1 << 20);
    drt_buffer_free(&out.output);
    out = run("yes >&2", one_second);
    assert_int_equal(out.result.end, DRT_PROCESS_TIME);
    assert_int_equal(out.result.messages_length, sizeof out.result.messages);
    drt_buffer_free(&out.output);
    out = run("yes | head -c 500000 >&2; yes | head -c 300000", NULL);
    assert_int_equal(out.result.end, DRT_PROCESS_EXITED);
    assert_int_equal(out.output.length, 300000);
    drt_buffer_free(&out.output);
}

static void no_files_and_no_memory(void **state) {
    (void)state;
    char path[] = "/tmp/process-test-XXXXXX", script[128];
    struct stat facts;
    int file = mkstemp(path);
    assert_true(file >= 0);
    snprintf(script, sizeof script, "(echo text >%s) 2>/dev/null; echo on", path);
    run_result out = run(script, NULL);
    assert_int_equal(fstat(file, &facts), 0);
    assert_int_equal(facts.st_size, 0);
    drt_buffer_free(&out.output);
    close(file);
    unlink(path);
    out = run("exec dd if=/dev/zero of=/dev/null bs=1000M count=1", NULL);
    assert_int_equal(out.result.end, DRT_PROCESS_EXITED);
    assert_int_equal(out.result.code, 1);
    drt_buffer_free(&out.output);
}

static void deaths_are_told(void **state) {
    (void)state;
    run_result out = run("echo half; kill -SEGV $$", NULL);
    assert_output(&out, "half\n");
    assert_int_equal(out.result.end, DRT_PROCESS_SIGNALLED);
    assert_int_equal(out.result.code, SIGSEGV);
}

static void take_no(drt_process_params *params) {
    params->output = refuse;
}

static void the_receiver_may_refuse(void **state) {
    (void)state;
    run_result out = run("yes", take_no);
    assert_int_equal(out.status, DRT_OK);
    assert_int_equal(out.result.end, DRT_PROCESS_REFUSED);
}

static bool at_once(void *user) {
    return ++*(int *)user > 3;
}

static void cancelling_ends_it(void **state) {
    (void)state;
    static const char *const arguments[] = {"/bin/sh", "-c", "sleep 600", NULL};
    int looks = 0;
    drt_context_params context_params = {.cancelled = at_once, .user = &looks};
    drt_context *context = drt_context_new(&context_params);
    run_result out = {0};
    drt_process_params params = params_of(arguments, &out);
    double start = now();
    assert_int_equal(drt_process_run(context, &params, &out.result), DRT_FAILED);
    assert_true(now() - start < 10);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    drt_context_free(context);
}

static void a_program_that_is_not_there(void **state) {
    (void)state;
    static const char *const arguments[] = {"/nowhere/at/all", NULL};
    drt_context *context = drt_context_new(NULL);
    run_result out = {0};
    drt_process_params params = params_of(arguments, &out);
    assert_int_equal(drt_process_run(context, &params, &out.result), DRT_OK);
    assert_int_equal(out.result.end, DRT_PROCESS_EXITED);
    assert_int_equal(out.result.code, 127);
    drt_context_free(context);
}

/* --------------------------------------------------------------------------- several at once ---- */

static void *count_to_300(void *user) {
    static const char *const arguments[] = {"/bin/sh", "-c", "seq 300; cat", NULL};
    (void)user;
    for (int i = 0; i < 10; i++) {
        run_result out = {0};
        drt_context *context = drt_context_new(NULL);
        drt_process_params params = params_of(arguments, &out);
        bool ok = drt_process_run(context, &params, &out.result) == DRT_OK && out.output.length == 1092 + 11;
        drt_buffer_free(&out.output);
        drt_context_free(context);
        if (!ok)
            return (void *)1;
    }
    return NULL;
}

static void several_run_at_once(void **state) {
    (void)state;
    pthread_t threads[4];
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, count_to_300, NULL), 0);
    for (size_t i = 0; i < 4; i++) {
        void *failed;
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
}

static void programs_are_found_on_the_path(void **state) {
    (void)state;
    drt_string path;
    char *before = strdup(getenv("PATH"));
    setenv("PATH", ":bin:/nowhere:/usr/bin:/bin", 1);
    assert_true(drt_process_find("env", &path));
    assert_string_equal(path.data, "/usr/bin/env");
    drt_string_free(&path);
    assert_true(drt_process_find("no-such-program", &path));
    assert_null(path.data);
    unsetenv("PATH");
    assert_true(drt_process_find("env", &path));
    assert_null(path.data);
    setenv("PATH", before, 1);
    free(before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(input_output_messages_and_status),
        cmocka_unit_test(the_input_is_a_sealed_file),
        cmocka_unit_test(it_inherits_nothing),
        cmocka_unit_test(who_hangs_is_ended),
        cmocka_unit_test(who_burns_time_is_ended),
        cmocka_unit_test(grandchildren_are_ended),
        cmocka_unit_test(children_can_be_forbidden),
        cmocka_unit_test(floods_are_stopped),
        cmocka_unit_test(no_files_and_no_memory),
        cmocka_unit_test(deaths_are_told),
        cmocka_unit_test(the_receiver_may_refuse),
        cmocka_unit_test(cancelling_ends_it),
        cmocka_unit_test(a_program_that_is_not_there),
        cmocka_unit_test(several_run_at_once),
        cmocka_unit_test(programs_are_found_on_the_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
