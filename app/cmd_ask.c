/* cmd_ask.c: drt ask LIB [QUESTION]: one answer, or one for each line of stdin. */
#include <string.h>
#include <unistd.h>

#include "app/commands.h"
#include "app/evidence.h"
#include "app/input.h"
#include "app/signals.h"
#include "app/terminal.h"
#include "app/workspace.h"

typedef struct {
    compute_options compute;
    bool json, no_store;
    drt_retriever retriever;
    const char *glob;
    int64_t max_tokens, context, seed;
    double temperature, top_p;
} values;

static const values defaults = {
    .compute = COMPUTE_OPTIONS_DEFAULT, .retriever = DRT_RETRIEVER_LEARNED, .max_tokens = 256, .top_p = 1};

static const drt_option option_table[] = {
    OPT_FLAG("json", json, "one JSON object for each question, see drt(1)"),
    OPT_RETRIEVER(retriever),
    OPT_STRING("document", glob, "GLOB", "use only documents whose path matches"),
    OPT_INTEGER("max-tokens", max_tokens, "N", 1, 100000, "longest answer (256)"),
    OPT_REAL("temperature", temperature, "T", 0, 100, "sample with this temperature (0: greedy)"),
    OPT_REAL("top-p", top_p, "P", 0, 1, "sample among the likeliest tokens of this share (1)"),
    OPT_INTEGER("seed", seed, "N", 0, 9e15, "of sampling and the random retriever (0)"),
    OPT_INTEGER("context", context, "N", 0, 1e6, "show N characters of text around each passage"),
    OPT_FLAG("no-store", no_store, "keep no session in the library"),
    OPT_COMPUTE(compute),
    OPT_END,
};

/* One run of the command: where answers come from and how they look. */
typedef struct {
    workspace work;
    const values *options;
    const char *library;
    drt_ask_params params;
    surroundings around;
    bool batch;
    int answers;   /* printed so far */
    bool streamed; /* part of this answer stands on the terminal */
} asking;

/* The answer as it grows, for people who watch. */
static void stream(void *user, const char *text, size_t length) {
    asking *run = user;
    run->streamed = true;
    terminal_write(stdout, text, length, TEXT_BODY);
    fflush(stdout);
}

static void print_json(asking *run, const drt_answer *answer) {
    json_writer json;
    json_open(&json, stdout);
    evidence_answer_json(&json, answer, run->library, &run->around);
    json_close(&json);
}

static void print_json_error(const char *question, size_t length, const char *sentence) {
    json_writer json;
    json_open(&json, stdout);
    json_string(&json, "question", question, length);
    json_text(&json, "error", sentence);
    json_close(&json);
}

static void print_plain(asking *run, const drt_answer *answer) {
    if (!run->streamed)
        terminal_write(stdout, answer->answer.data, answer->answer.length, TEXT_BODY);
    putchar('\n');
    fflush(stdout);
    if (answer->finish == DRT_FINISH_LENGTH)
        complain("the answer was cut at %lld tokens (--max-tokens)", (long long)run->options->max_tokens);
    else if (answer->finish == DRT_FINISH_CANCELLED)
        complain("stopped; so far the answer rests on:");
    evidence_passages_print(answer, &run->around);
}

/* In a batch, what is answered stands above the answer. */
static void print_question(asking *run, const char *question, size_t length) {
    if (run->answers > 0)
        putchar('\n');
    fputs("> ", stdout);
    terminal_write(stdout, question, length, TEXT_LINE);
    putchar('\n');
}

/* Asks one question and prints what comes. Returns the exit status so far: EXIT_USAGE ends a batch. */
static int ask(asking *run, const char *question, size_t length, bool too_long) {
    bool json = run->options->json;
    drt_answer *answer = NULL;
    drt_status status = DRT_FAILED;
    const char *sentence = "the line is longer than 4 MiB: only its start was read";
    run->streamed = false;
    if (!json && run->batch)
        print_question(run, question, length);
    if (!too_long) {
        status = drt_session_ask(run->work.context, run->work.session, question, length, &run->params, &answer);
        sentence = drt_error(run->work.context);
    }
    signals_hold();
    if (status < DRT_WARN) {
        if (run->streamed)
            putchar('\n');
        complain("%s", sentence);
        if (json)
            print_json_error(question, length, sentence);
    } else if (json) {
        print_json(run, answer);
    } else {
        print_plain(run, answer);
    }
    drt_answer_free(answer);
    run->answers++;
    bool written = output_flush();
    signals_release();
    if (status == DRT_FATAL || !written)
        return EXIT_USAGE;
    return status < DRT_WARN ? EXIT_SOME : EXIT_ALL;
}

static int ask_once(asking *run, const char *question) {
    size_t length = strlen(question);
    input_trim(&question, &length);
    return ask(run, question, length, false);
}

static int ask_lines(asking *run) {
    input in;
    input_line line;
    int result = EXIT_ALL;
    if (isatty(STDIN_FILENO))
        complain("one question a line; Ctrl-D ends");
    input_open(&in, STDIN_FILENO);
    while (result != EXIT_USAGE && !signals_cancelled(NULL) && input_next(&in, &line)) {
        int one = ask(run, line.text, line.length, line.too_long);
        result = one > result ? one : result;
    }
    if (in.error) {
        complain("cannot read questions from standard input: %s", strerror(in.error));
        result = EXIT_USAGE;
    }
    input_close(&in);
    return result;
}

static int run(const void *given, char **operands) {
    const values *options = given;
    asking run = {
        .options = options, .library = operands[0], .batch = !operands[1], .params = drt_ask_params_default()};
    run.params.retriever = options->retriever;
    run.params.document_glob = options->glob;
    run.params.max_tokens = (int)options->max_tokens;
    run.params.temperature = (float)options->temperature;
    run.params.top_p = (float)options->top_p;
    run.params.seed = (uint64_t)options->seed;
    run.params.store = !options->no_store;
    if (!options->json && terminal_is(stdout))
        run.params.token = stream;
    run.params.user = &run;
    run.around = (surroundings){.work = &run.work, .characters = options->context};

    int status = EXIT_USAGE;
    if (workspace_open(&run.work) && workspace_open_session(&run.work, &options->compute, run.library))
        status = run.batch ? ask_lines(&run) : ask_once(&run, operands[1]);
    surroundings_free(&run.around);
    workspace_close(&run.work);
    return status;
}

const drt_command command_ask = {
    .name = "ask",
    .operands = "LIB [QUESTION]",
    .summary = "answer a question, or one for each line of standard input",
    .description = "Answers a question from the library's documents and shows the passages that the answer rests on.\n"
                   "Without QUESTION: one question on each line of standard input, answered in order.",
    .options = option_table,
    .defaults = &defaults,
    .values_size = sizeof defaults,
    .min_operands = 1,
    .max_operands = 2,
    .run = run,
};
