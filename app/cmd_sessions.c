/* cmd_sessions.c: drt sessions LIB [ID]: past questions, and one of them with its whole trace. No model is needed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "app/commands.h"
#include "app/evidence.h"
#include "app/export.h"
#include "app/signals.h"
#include "app/terminal.h"
#include "app/workspace.h"

typedef struct {
    bool json, delete;
} values;

static const values defaults;

static const drt_option option_table[] = {
    OPT_FLAG("json", json, "JSON objects, one a line, see drt(1)"),
    OPT_FLAG("delete", delete, "delete the session ID"),
    OPT_END,
};

static void format_time(int64_t seconds, char out[32]) {
    time_t time = (time_t)seconds;
    struct tm parts;
    if (!gmtime_r(&time, &parts) || !strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", &parts))
        snprintf(out, 32, "%lld", (long long)seconds);
}

static bool list_json(void *user, const drt_session_summary *summary) {
    json_writer json;
    char time[32];
    (void)user;
    format_time(summary->time, time);
    json_open(&json, stdout);
    json_integer(&json, "session", summary->id);
    json_text(&json, "time", time);
    json_string(&json, "question", summary->question.data, summary->question.length);
    json_string(&json, "answer", summary->answer.data, summary->answer.length);
    json_integer(&json, "n_events", (int64_t)summary->n_events);
    json_close(&json);
    return !ferror(stdout) && !signals_cancelled(NULL);
}

static bool list_plain(void *user, const drt_session_summary *summary) {
    char time[32];
    (void)user;
    format_time(summary->time, time);
    printf("%6lld  %s  ", (long long)summary->id, time);
    terminal_write(stdout, summary->question.data, summary->question.length, TEXT_LINE);
    fputs(" -> ", stdout);
    terminal_write(stdout, summary->answer.data, summary->answer.length, TEXT_LINE);
    putchar('\n');
    return !ferror(stdout) && !signals_cancelled(NULL);
}

static void print_plain(const drt_answer *answer) {
    surroundings none = {0};
    fputs("> ", stdout);
    terminal_write(stdout, answer->question.data, answer->question.length, TEXT_LINE);
    putchar('\n');
    terminal_write(stdout, answer->answer.data, answer->answer.length, TEXT_BODY);
    printf("\n\n%zu tokens, retriever %s, first token after %.0f ms, all after %.0f ms, device ", answer->n_tokens,
           answer->retriever, answer->first_token_ms, answer->total_ms);
    terminal_write(stdout, answer->device.data, answer->device.length, TEXT_LINE);
    putchar('\n');
    for (size_t i = 0; i < answer->n_events; i++) {
        const drt_event *event = &answer->events[i];
        printf("\nstep %d, group %d: %.0f %% of the attention on nothing\n", event->step, event->group + 1,
               100 * (double)event->null_mass);
        for (size_t j = 0; j < event->n_hits; j++) {
            char head[64];
            snprintf(head, sizeof head, "%3d. score %.2f", event->hits[j].rank, (double)event->hits[j].score);
            evidence_hit_print(head, &event->hits[j], &none);
        }
    }
}

/* Shows or deletes one session. Returns the exit status. */
static int one_session(workspace *work, const values *options, const char *library, const char *number) {
    char *end;
    errno = 0;
    long long id = strtoll(number, &end, 10);
    if (end == number || *end || errno || id < 1) {
        complain("sessions: '%s' is no session id: drt sessions %s lists them", number, library);
        return EXIT_USAGE;
    }
    if (options->delete)
        return workspace_exit_status(work, drt_library_session_delete(work->context, work->library, id));
    drt_answer *answer = NULL;
    int status = workspace_exit_status(work, drt_library_session_load(work->context, work->library, id, &answer));
    if (answer && options->json)
        export_json(answer, library, stdout);
    else if (answer)
        print_plain(answer);
    drt_answer_free(answer);
    return status;
}

static int run(const void *given, char **operands) {
    const values *options = given;
    const char *library = operands[0];
    workspace work;
    int status = EXIT_USAGE;
    if (options->delete &&!operands[1])
        complain("sessions: --delete needs the ID of a session");
    else if (workspace_open(&work) && workspace_open_library(&work, library, DRT_LIBRARY_READ))
        status = operands[1]
                     ? one_session(&work, options, library, operands[1])
                     : workspace_exit_status(&work, drt_library_sessions(work.context, work.library,
                                                                         options->json ? list_json : list_plain, NULL));
    workspace_close(&work);
    return status;
}

const drt_command command_sessions = {
    .name = "sessions",
    .operands = "LIB [ID]",
    .summary = "list past questions, or show one with its whole trace",
    .options = option_table,
    .defaults = &defaults,
    .values_size = sizeof defaults,
    .min_operands = 1,
    .max_operands = 2,
    .run = run,
};
