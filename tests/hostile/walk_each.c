/* Walks files given on standard input, one path a line (bytes as \xNN where needed), each in a process of its own:
 *
 *     walk_each SECONDS MEGABYTES < paths
 *
 * and prints a line for each: end, milliseconds, MiB of memory at most, members ok, partial and skipped, and the path
 * as it was given. end: "done"; "slow" or "large" when a limit was passed; "signal N"; "wrong: ..." when what was
 * extracted is not what corpus.h promises, or comes from a file outside (/etc/passwd, which cases point at); "failed: ..."
 * when the walk gave up. No more address space is to be had than ADDRESS_SPACE, but with the sanitizers.
 *
 *     walk_each --model FOLDER
 *
 * writes the smallest model there is, for drt ingest. */
#define _GNU_SOURCE /* memmem */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "engine/base/utf8.h"
#include "engine/corpus/corpus.h"
#include "tests/network/small_model.h"

#define ADDRESS_SPACE ((rlim_t)3 << 30)

typedef struct {
    int64_t counts[3]; /* by drt_document_status */
    char wrong[400];
} outcome;

static void note_wrong(outcome *out, const drt_source *source, const char *what) {
    if (!out->wrong[0])
        snprintf(out->wrong, sizeof out->wrong, "%s: %.*s", what,
                 (int)(source->path_length < 300 ? source->path_length : 300), source->path);
}

/* Normalised, see corpus.h. */
static bool is_normalised(const char *text, size_t length) {
    if (drt_utf8_valid_prefix(text, length) != length)
        return false;
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i], next = i + 1 < length ? (unsigned char)text[i + 1] : '\n';
        bool space = c == ' ' && (next == ' ' || next == '\n' || i == 0 || text[i - 1] == '\n');
        bool feed = c == '\n' && (i == 0 || i + 1 == length || (i + 2 < length && memcmp(text + i, "\n\n\n", 3) == 0));
        bool c1 = c == 0xC2 && next >= 0x80 && next < 0xA0;
        if ((c < ' ' && c != '\n') || c == 0x7F || c1 || space || feed)
            return false;
    }
    return true;
}

static bool is_line(const drt_string *line) {
    return !line->data ||
           (line->length > 0 && !memchr(line->data, '\n', line->length) && is_normalised(line->data, line->length));
}

static bool are_pages(const drt_extract *extract) {
    for (size_t i = 0; i < extract->n_pages; i++) {
        int64_t start = extract->pages[i].start;
        if (start < 0 || start > (int64_t)extract->text.length || extract->pages[i].page < 1 ||
            (i > 0 && start <= extract->pages[i - 1].start))
            return false;
    }
    return true;
}

static drt_status check_member(void *user, const drt_source *source, drt_extract *extract) {
    outcome *out = user;
    bool lines = is_line(&extract->title) && is_line(&extract->date);
    for (size_t i = 0; i < extract->n_authors; i++)
        lines = lines && is_line(&extract->authors[i]);
    out->counts[extract->status]++;
    if (source->path_length == 0 || drt_utf8_valid_prefix(source->path, source->path_length) != source->path_length)
        note_wrong(out, source, "the path is no UTF-8");
    if ((extract->status == DRT_DOCUMENT_OK) != (extract->reason.data == NULL))
        note_wrong(out, source, "a status without a reason, or a reason without one");
    if (extract->status == DRT_DOCUMENT_SKIPPED ? extract->text.length > 0 : extract->text.length == 0)
        note_wrong(out, source, "a skipped member with text, or one without");
    if (!is_normalised(extract->text.data, extract->text.length) || !lines)
        note_wrong(out, source, "text that is not normalised");
    if (extract->text.length > 0 && memmem(extract->text.data, extract->text.length, "root:x:0:0", 10))
        note_wrong(out, source, "text of a file outside");
    if (!are_pages(extract))
        note_wrong(out, source, "pages in disorder");
    return DRT_OK;
}

static void walk(const char *path, char *line, size_t size) {
    outcome out = {{0}, ""};
    drt_context *context = drt_context_new(NULL);
    drt_corpus_params params = drt_corpus_params_default();
    params.member = check_member;
    params.user = &out;
    drt_status status = drt_corpus_walk(context, path, &params);
    if (status != DRT_OK)
        snprintf(line, size, "failed: %s", drt_error(context));
    else if (!out.wrong[0] && out.counts[0] + out.counts[1] + out.counts[2] == 0)
        snprintf(line, size, "wrong: no member was told");
    else if (out.wrong[0])
        snprintf(line, size, "wrong: %s", out.wrong);
    else
        snprintf(line, size, "done\t%lld\t%lld\t%lld", (long long)out.counts[DRT_DOCUMENT_OK],
                 (long long)out.counts[DRT_DOCUMENT_PARTIAL], (long long)out.counts[DRT_DOCUMENT_SKIPPED]);
    drt_context_free(context);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void run_one(const char *path, const char *given, unsigned seconds, long megabytes) {
    int ends[2];
    char line[1024] = "";
    struct rusage usage;
    int status;
    double start = now();
    if (pipe(ends) != 0)
        abort();
    pid_t child = fork();
    if (child == 0) {
        char own[900];
        setpgid(0, 0);
#ifndef __SANITIZE_ADDRESS__
        setrlimit(RLIMIT_AS, &(struct rlimit){ADDRESS_SPACE, ADDRESS_SPACE});
#endif
        alarm(seconds);
        walk(path, own, sizeof own);
        _exit(write(ends[1], own, strlen(own)) < 0);
    }
    close(ends[1]);
    if (child < 0 || wait4(child, &status, 0, &usage) < 0)
        abort();
    kill(-child, SIGKILL); /* what it left running */
    ssize_t n = read(ends[0], line, sizeof line - 1);
    close(ends[0]);
    line[n > 0 ? n : 0] = 0;
    long peak = usage.ru_maxrss / 1024;
    char *counts = strchr(line, '\t');
    if (counts)
        *counts++ = 0;
    if (WIFSIGNALED(status))
        snprintf(line, sizeof line, WTERMSIG(status) == SIGALRM ? "slow" : "signal %d", WTERMSIG(status));
    else if (WEXITSTATUS(status) != 0)
        snprintf(line, sizeof line, "exit %d", WEXITSTATUS(status));
    else if (peak > megabytes)
        line[0] = 0; /* the counts stand behind it */
    const char *end = line[0] ? line : "large";
    printf("%s\t%.0f\t%ld\t%s\t%s\n", end, (now() - start) * 1e3, peak, counts ? counts : "0\t0\t0", given);
    fflush(stdout);
}

/* "\xNN" -> the byte; in place. */
static void unescape(char *path) {
    char *to = path;
    for (const char *from = path; *from; to++) {
        unsigned byte;
        if (from[0] == '\\' && from[1] == 'x' && sscanf(from + 2, "%2x", &byte) == 1) {
            *to = (char)byte;
            from += 4;
        } else {
            *to = *from++;
        }
    }
    *to = 0;
}

static int write_model(const char *folder) {
    small_model model;
    drt_context *context = drt_context_new(NULL);
    small_model_make(context, DRT_TENSOR_F32, &model);
    small_model_write(&model, folder, 8);
    small_model_clear(&model);
    drt_context_free(context);
    return 0;
}

int main(int argc, char **argv) {
    static char given[1 << 16], path[1 << 16];
    if (argc == 3 && strcmp(argv[1], "--model") == 0)
        return write_model(argv[2]);
    if (argc != 3)
        return 2;
    while (fgets(given, sizeof given, stdin)) {
        given[strcspn(given, "\n")] = 0;
        memcpy(path, given, sizeof path);
        unescape(path);
        run_one(path, given, (unsigned)atoi(argv[1]), atol(argv[2]));
    }
    return 0;
}
