/* process.c: runs another program in a cage. See process.h. */
#define _GNU_SOURCE /* memfd_create, close_range, pipe2 */
#include "engine/base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "engine/base/file.h"

#define STEP_MS 20       /* between two looks at cancellation, the clock and the program's end */
#define BLOCK (1u << 16) /* bytes read at once */
#define DESCRIPTORS 64   /* that the program may have open */
#define NOT_STARTED 127  /* exit status, as shells have it */

typedef struct {
    drt_context *context;
    const drt_process_params *params;
    drt_process_result *result;
    pid_t child;
    int output, messages; /* read ends; -1: at their end */
    int64_t received;
    struct timespec start;
    bool stopped; /* result->end is set, or cancelled */
} process;

/* ------------------------------------------------------------------------ the child's side ---- */

static void limit_at(int what, rlim_t soft, rlim_t hard) {
    struct rlimit limits = {soft, hard};
    setrlimit(what, &limits);
}

static void limit(int what, rlim_t value) {
    limit_at(what, value, value);
}

static void set_limits(const drt_process_params *params) {
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, 0); /* pipes have no size */
    limit(RLIMIT_NOFILE, DESCRIPTORS);
    if (!params->may_fork)
        limit(RLIMIT_NPROC, 0);
    limit(RLIMIT_AS, (rlim_t)params->max_memory);
    rlim_t seconds = (rlim_t)ceil(params->max_seconds);
    limit_at(RLIMIT_CPU, seconds, seconds + 1); /* SIGXCPU tells why; at the hard limit it is SIGKILL */
}

/* Between fork and exec in a program with threads: nothing here may allocate or lock. */
static void become(const drt_process_params *params, pid_t parent, const int ends[3]) {
    static char *const environment[] = {"PATH=/usr/bin:/bin", "LANG=C.UTF-8", NULL};
    struct sigaction plain = {.sa_handler = SIG_DFL};
    sigset_t none;
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(NOT_STARTED);
    for (int i = 0; i < 3; i++)
        if (dup2(ends[i], i) < 0)
            _exit(NOT_STARTED);
    if (close_range(3, ~0U, 0) != 0)
        for (long i = 3, n = sysconf(_SC_OPEN_MAX); i < n; i++)
            close((int)i);
    for (int i = 1; i < NSIG; i++)
        sigaction(i, &plain, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    set_limits(params);
    execve(params->arguments[0], (char *const *)params->arguments, environment);
    _exit(NOT_STARTED);
}

/* ---------------------------------------------------------------------------- starting it ---- */

/* The bytes as an open file without a name that nobody can change any more; -1: errno says why not. */
static int make_input(const char *data, size_t length) {
    int file = memfd_create("drt-input", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0)
        return -1;
    if (!drt_file_write_all(file, data, length) || lseek(file, 0, SEEK_SET) != 0 ||
        fcntl(file, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) != 0) {
        int error = errno;
        close(file);
        errno = error;
        return -1;
    }
    return file;
}

static void close_ends(int ends[2]) {
    for (int i = 0; i < 2; i++) {
        if (ends[i] >= 0)
            close(ends[i]);
        ends[i] = -1;
    }
}

/* A copy above the standard descriptors, which a program with closed ones would give out. */
static bool move_up(int *file) {
    if (*file > 2)
        return true;
    int copy = fcntl(*file, F_DUPFD_CLOEXEC, 3);
    if (copy < 0)
        return false;
    close(*file);
    *file = copy;
    return true;
}

/* Forks with signals held back, so that no handler of ours runs in the child. */
static pid_t fork_child(const drt_process_params *params, const int ends[3]) {
    sigset_t all, before;
    pid_t parent = getpid();
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t child = fork();
    if (child == 0)
        become(params, parent, ends);
    int error = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return child;
}

static bool start(process *p) {
    int output[2] = {-1, -1}, messages[2] = {-1, -1};
    int input = make_input(p->params->input, p->params->input_length);
    bool ok = input >= 0 && pipe2(output, O_CLOEXEC) == 0 && pipe2(messages, O_CLOEXEC) == 0 && move_up(&input) &&
              move_up(&output[1]) && move_up(&messages[1]) && fcntl(output[0], F_SETFL, O_NONBLOCK) == 0 &&
              fcntl(messages[0], F_SETFL, O_NONBLOCK) == 0;
    if (ok) {
        p->child = fork_child(p->params, (const int[3]){input, output[1], messages[1]});
        ok = p->child > 0;
    }
    int error = errno;
    if (ok) {
        p->output = output[0];
        p->messages = messages[0];
        output[0] = messages[0] = -1;
    }
    close_ends(output);
    close_ends(messages);
    if (input >= 0)
        close(input);
    errno = error;
    return ok;
}

/* ----------------------------------------------------------------------------- reading it ---- */

static void stop(process *p, drt_process_end end) {
    p->result->end = end;
    p->stopped = true;
}

static void take_output(process *p, const char *data, size_t length) {
    p->received += (int64_t)length;
    if (p->received > p->params->max_output)
        stop(p, DRT_PROCESS_OUTPUT);
    else if (!p->params->output(p->params->user, data, length))
        stop(p, DRT_PROCESS_REFUSED);
}

static void take_messages(process *p, const char *data, size_t length) {
    size_t room = sizeof p->result->messages - p->result->messages_length, n = length < room ? length : room;
    memcpy(p->result->messages + p->result->messages_length, data, n);
    p->result->messages_length += n;
}

/* Reads one block, if there is one; closes at the end. true: there may be more. */
static bool read_block(process *p, int *file, void (*take)(process *, const char *, size_t)) {
    char block[BLOCK];
    if (*file < 0)
        return false;
    ssize_t n = read(*file, block, sizeof block);
    if (n > 0)
        take(p, block, (size_t)n);
    else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
        close(*file);
        *file = -1;
    }
    return n > 0;
}

static double seconds_since(const struct timespec *start) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

/* Has the program itself ended? It stays a zombie, so that its number is its own until the group is ended. */
static bool has_ended(const process *p) {
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)p->child, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == p->child;
}

/* Until the program ends or is to be ended. Who holds its pipes open behind it is not waited for. */
static void read_until_end(process *p) {
    while (!p->stopped && !has_ended(p)) {
        struct pollfd ends[2] = {{.fd = p->output, .events = POLLIN}, {.fd = p->messages, .events = POLLIN}};
        poll(ends, 2, p->output < 0 && p->messages < 0 ? 1 : STEP_MS);
        read_block(p, &p->output, take_output);
        read_block(p, &p->messages, take_messages);
        if (drt_cancelled(p->context))
            p->stopped = true;
        else if (!p->stopped && seconds_since(&p->start) > p->params->max_seconds)
            stop(p, DRT_PROCESS_TIME);
    }
}

/* What the program left in its pipes. */
static void drain(process *p) {
    while (!p->stopped && read_block(p, &p->output, take_output))
        ;
    for (size_t i = 0; i < 2 && read_block(p, &p->messages, take_messages); i++)
        ;
}

static void note_end(process *p, int status) {
    if (p->stopped)
        return;
    if (WIFEXITED(status)) {
        p->result->end = DRT_PROCESS_EXITED;
        p->result->code = WEXITSTATUS(status);
    } else {
        p->result->code = WTERMSIG(status);
        p->result->end = p->result->code == SIGXCPU ? DRT_PROCESS_TIME : DRT_PROCESS_SIGNALLED;
    }
}

static void end(process *p) {
    int status = 0;
    /* The group bears the child's number, once it has made it; until it is waited for nobody else can have it. */
    kill(-p->child, SIGKILL);
    kill(p->child, SIGKILL);
    while (waitpid(p->child, &status, 0) < 0 && errno == EINTR)
        ;
    drain(p);
    note_end(p, status);
    if (p->output >= 0)
        close(p->output);
    if (p->messages >= 0)
        close(p->messages);
}

drt_status drt_process_run(drt_context *context, const drt_process_params *params, drt_process_result *result) {
    process p = {.context = context, .params = params, .result = result, .output = -1, .messages = -1};
    *result = (drt_process_result){0};
    clock_gettime(CLOCK_MONOTONIC, &p.start);
    if (!start(&p))
        return drt_fail(context, DRT_FAILED, "%s cannot be started: %s", params->arguments[0], strerror(errno));
    read_until_end(&p);
    end(&p);
    return drt_cancelled(context) ? drt_fail(context, DRT_FAILED, "%s was cancelled", params->arguments[0]) : DRT_OK;
}

/* -------------------------------------------------------------------------------- finding ---- */

bool drt_process_find(const char *name, drt_string *path) {
    *path = (drt_string){0};
    const char *at = getenv("PATH");
    while (at && *at) {
        size_t length = strcspn(at, ":");
        drt_buffer candidate = {0};
        bool ok = drt_buffer_printf(&candidate, "%.*s/%s", (int)length, at, name);
        if (ok && at[0] == '/' && access(candidate.data, X_OK) == 0)
            return drt_string_take(path, &candidate);
        drt_buffer_free(&candidate);
        if (!ok)
            return false;
        at += length + (at[length] == ':');
    }
    return true;
}
