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

/* One run of the command: where questions come from, how answers look, what became of them. */
typedef struct {
    workspace work;
    const values *options;
    const char *library;
    drt_ask_params params;
    surroundings around;
    input in;      /* of a batch */
    int answers;   /* printed so far */
    bool streamed; /* part of this answer stands on the terminal */
    int result;    /* the exit status so far */
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

/* What became of a question. false: nothing more can be written. */
static bool print_result(asking *run, const char *question, size_t length, drt_status status, drt_answer *answer) {
    int result = status >= DRT_WARN ? EXIT_ALL : status == DRT_FAILED ? EXIT_SOME : EXIT_USAGE;
    signals_hold();
    if (status < DRT_WARN) {
        const char *sentence = drt_error(run->work.context);
        if (run->streamed)
            putchar('\n');
        complain("%s", sentence);
        if (run->options->json)
            print_json_error(question, length, sentence);
    } else if (run->options->json) {
        print_json(run, answer);
    } else {
        print_plain(run, answer);
    }
    drt_answer_free(answer);
    run->answers++;
    run->streamed = false;
    bool written = output_flush();
    signals_release();
    if (!written)
        result = EXIT_USAGE;
    run->result = result > run->result ? result : run->result;
    return written;
}

static void ask_once(asking *run, const char *question) {
    size_t length = strlen(question);
    drt_answer *answer = NULL;
    input_trim(&question, &length);
    drt_status status = drt_session_ask(run->work.context, run->work.session, question, length, &run->params, &answer);
    print_result(run, question, length, status, answer);
}

/* ------------------------------------------------------------------------- batches -------- */

static drt_batch_next next_line(void *user, bool wait, drt_batch_question *question) {
    asking *run = user;
    input_line line;
    input_result result = input_next(&run->in, wait, &line);
    if (result != INPUT_LINE)
        return result == INPUT_END ? DRT_BATCH_END : DRT_BATCH_NOT_YET;
    *question = (drt_batch_question){.text = line.text, .length = line.length};
    if (line.too_long)
        question->problem = "the line is longer than 4 MiB: only its start was read";
    return DRT_BATCH_QUESTION;
}

/* What is answered stands above the answer. */
static void print_question(void *user, const char *question, size_t length) {
    const asking *run = user;
    if (run->answers > 0)
        putchar('\n');
    fputs("> ", stdout);
    terminal_write(stdout, question, length, TEXT_LINE);
    putchar('\n');
}

static bool print_batch_result(void *user, const drt_batch_result *result) {
    return print_result(user, result->question, result->length, result->status, result->answer);
}

static void ask_lines(asking *run) {
    drt_batch_params params = drt_batch_params_default();
    params.ask = run->params;
    params.next = next_line;
    params.begin = run->options->json ? NULL : print_question;
    params.done = print_batch_result;
    params.user = run;
    if (isatty(STDIN_FILENO))
        complain("one question a line; Ctrl-D ends");
    input_open(&run->in, STDIN_FILENO);
    drt_status status = drt_session_ask_batch(run->work.context, run->work.session, &params);
    if (status < DRT_WARN && run->result != EXIT_USAGE) { /* no question has said it */
        workspace_complain(&run->work);
        run->result = EXIT_USAGE;
    }
    if (run->in.error) {
        complain("cannot read questions from standard input: %s", strerror(run->in.error));
        run->result = EXIT_USAGE;
    }
    input_close(&run->in);
}

static int run(const void *given, char **operands) {
    const values *options = given;
    asking run = {.options = options, .library = operands[0], .params = drt_ask_params_default()};
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

    if (!workspace_open(&run.work) || !workspace_open_session(&run.work, &options->compute, run.library))
        run.result = EXIT_USAGE;
    else if (operands[1])
        ask_once(&run, operands[1]);
    else
        ask_lines(&run);
    surroundings_free(&run.around);
    workspace_close(&run.work);
    return run.result;
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
