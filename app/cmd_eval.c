/* cmd_eval.c: drt eval needle and drt eval passkey: what is found again in text of growing length. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "app/commands.h"
#include "app/json.h"
#include "app/terminal.h"
#include "app/workspace.h"

#define MOST_LENGTHS 32
#define DEFAULT_LONGEST ((int64_t)1 << 20) /* when none are named */

/* In ascending order or as given. */
typedef struct {
    int64_t tokens[MOST_LENGTHS];
    size_t count;
} lengths;

typedef struct {
    compute_options compute;
    lengths lengths;
    int64_t needles;
    int64_t together;
    int64_t lanes;
    int64_t seed;
    drt_memory_type memory;
    const char *scratch;
    const char *answers;
    bool json;
} values;

static const values defaults = {.compute = COMPUTE_OPTIONS_DEFAULT,
                                .needles = 200,
                                .together = 60,
                                .lanes = 1,
                                .seed = 1,
                                .memory = DRT_MEMORY_INT8};

/* "16384", "16K" (x 1024) or "16M" (x 1024 x 1024) up to a comma; 0: it is none of these. */
static int64_t parse_length(const char *text, const char **end) {
    char *behind;
    errno = 0;
    long long number = *text >= '0' && *text <= '9' ? strtoll(text, &behind, 10) : 0;
    if (number < 1 || errno || number > (1LL << 40))
        return 0;
    int shift = *behind == 'K' || *behind == 'k' ? 10 : *behind == 'M' || *behind == 'm' ? 20 : 0;
    *end = behind + (shift > 0);
    return (int64_t)number << shift;
}

static bool parse_lengths(const char *text, void *value) {
    lengths list = {.count = 0};
    for (;; text++) { /* over the comma */
        if (list.count == MOST_LENGTHS || (list.tokens[list.count] = parse_length(text, &text)) == 0)
            return false;
        list.count++;
        if (*text != ',')
            break;
    }
    *(lengths *)value = list;
    return *text == '\0';
}

#define OPT_EVAL                                                                                                       \
    OPT_CHOICE("tokens", lengths, "LIST", parse_lengths, "lengths like 1K,64K,1M (at most 32)",                        \
               "lengths to try, e.g. 4K,1M,16M (default: up to 1M as the text allows)"),                               \
        OPT_INTEGER("seed", seed, "N", 0, 9e15, "another seed hides other things in other places (1)"),                \
        OPT_MEMORY(memory), OPT_STRING("answers", answers, "FILE", "every question with its answer, as JSON lines"),   \
        OPT_STRING("scratch", scratch, "DIR", "where temporary libraries go (else $TMPDIR, else /tmp)"),               \
        OPT_FLAG("json", json, "one JSON object a length, see drt(1)"), OPT_COMPUTE(compute)

static const drt_option needle_table[] = {
    OPT_INTEGER("facts", needles, "N", 1, DRT_EVAL_NEEDLES, "facts to ask for at each length (200)"),
    OPT_INTEGER("together", together, "N", 1, DRT_EVAL_NEEDLES, "facts hidden in one library, at most (60)"),
    OPT_INTEGER("lanes", lanes, "N", 0, 256, "facts asked at a time; 0: what suits the device (1)"),
    OPT_EVAL,
    OPT_END,
};

static const drt_option passkey_table[] = {
    OPT_INTEGER("keys", needles, "N", 1, DRT_EVAL_NEEDLES, "pass keys to ask for at each length (200)"),
    OPT_EVAL,
    OPT_END,
};

/* One command. */
typedef struct {
    const values *options;
    bool pass_keys;
    workspace work;
    drt_eval *eval;
    FILE *answers;
    int64_t length; /* being tried */
} evaluation;

/* ------------------------------------------------------------------------- answers -------- */

static void show_progress(void *user, const drt_progress *state) {
    evaluation *e = user;
    progress_ingest(&e->work.progress, state);
}

static void write_sentence(json_writer *json, const drt_eval_sentence *sentence, int n_groups) {
    json_object(json, NULL);
    json_string(json, "text", sentence->text.data, sentence->text.length);
    json_real(json, "depth", sentence->depth);
    json_integer(json, "first_chunk", sentence->first_chunk);
    json_integer(json, "last_chunk", sentence->last_chunk);
    json_array(json, "ranks");
    for (int g = 0; g < n_groups; g++)
        json_integer(json, NULL, sentence->rank[g]);
    json_close(json);
    json_close(json);
}

static void note_result(void *user, const drt_eval_result *result) {
    evaluation *e = user;
    json_writer json;
    progress_clear(&e->work.progress);
    if (!e->answers)
        return;
    json_open(&json, e->answers);
    json_integer(&json, "length", e->length);
    json_text(&json, "kind", drt_eval_kind_name(result->kind));
    json_text(&json, "pattern", result->pattern);
    json_string(&json, "question", result->question.data, result->question.length);
    json_string(&json, "expected", result->expected.data, result->expected.length);
    json_string(&json, "answer", result->answer->answer.data, result->answer->answer.length);
    json_bool(&json, "right", result->right);
    json_array(&json, "sentences");
    for (size_t i = 0; i < result->n_sentences; i++)
        write_sentence(&json, &result->sentences[i], result->answer->n_groups);
    json_close(&json);
    json_real(&json, "first_token_ms", result->answer->first_token_ms);
    json_real(&json, "answer_ms", result->answer->total_ms);
    json_close(&json);
}

static bool open_answers(evaluation *e) {
    const char *path = e->options->answers;
    e->answers = path ? fopen(path, "w") : NULL;
    if (path && !e->answers)
        complain("cannot write the answers to %s: %s", path, strerror(errno));
    return !path || e->answers;
}

static bool close_answers(evaluation *e) {
    bool lost = e->answers && ferror(e->answers);
    if (e->answers && fclose(e->answers) != 0)
        lost = true;
    if (lost)
        complain("the answers in %s are not whole: %s", e->options->answers, strerror(errno));
    return !lost;
}

/* ------------------------------------------------------------------------- reports -------- */

static double percent(int part, int whole) {
    return whole ? 100.0 * part / whole : 0;
}

static double megabytes(int64_t bytes) {
    return (double)bytes / 1e6;
}

static bool has_gpu(const evaluation *e) {
    return strcmp(drt_device_name(e->work.device), "cpu") != 0;
}

static void print_heading(const evaluation *e) {
    int top_k = drt_model_config(e->work.model)->top_k;
    printf("%9s %8s", "tokens", "chunks");
    for (int k = 0; k < DRT_EVAL_KINDS; k++)
        if ((k == DRT_EVAL_PASS_KEY) == e->pass_keys)
            printf("  %9s %7s %12s %7s@%d", drt_eval_kind_name((drt_eval_kind)k), "right", "95 %", "recall", top_k);
    printf(" %9s %12s %8s %10s", "tokens/s", "retrieval ms", "first ms", "library MB");
    if (has_gpu(e))
        printf(" %8s", "GPU MB");
    printf(" %8s %8s\n", "host MB", "seconds");
}

/* Each group's share of questions for which the chunk that it should find was among its own: of two hops the first
 * sentence's for the first group, the second's for the others. */
static void print_recall(const drt_eval_score *score, drt_eval_kind kind, int n_groups) {
    char text[16 * DRT_MAX_GROUPS];
    int length = 0;
    for (int g = 0; g < n_groups; g++) {
        const int *found = kind == DRT_EVAL_TWO_HOP && g > 0 ? score->found_second : score->found_first;
        length += snprintf(text + length, sizeof text - (size_t)length, "%s%.0f", g ? "/" : "",
                           percent(found[g], score->asked));
    }
    printf(" %9s", text);
}

static void print_score(const drt_eval_score *score, drt_eval_kind kind, int n_groups) {
    char count[32], interval[32];
    snprintf(count, sizeof count, "%d/%d", score->right, score->asked);
    snprintf(interval, sizeof interval, "%.1f-%.1f", 100 * score->low, 100 * score->high);
    printf("  %9s %5.1f %% %12s", count, percent(score->right, score->asked), interval);
    print_recall(score, kind, n_groups);
}

static void print_report(const evaluation *e, const drt_eval_report *report) {
    printf("%9" PRId64 " %8" PRId64, report->tokens, report->chunks);
    for (int k = 0; k < DRT_EVAL_KINDS; k++)
        if ((k == DRT_EVAL_PASS_KEY) == e->pass_keys)
            print_score(&report->scores[k], (drt_eval_kind)k, drt_model_config(e->work.model)->n_groups);
    printf(" %9.0f %12.2f %8.1f %10.0f", report->ingest_rate, report->retrieval_ms, report->first_token_ms,
           megabytes(report->library_bytes));
    if (has_gpu(e))
        printf(" %8.0f", megabytes(report->device_bytes));
    printf(" %8.0f %8.1f\n", megabytes(report->peak_bytes), report->seconds);
}

static void write_score(json_writer *json, const drt_eval_score *score, drt_eval_kind kind, int n_groups) {
    json_object(json, NULL);
    json_text(json, "kind", drt_eval_kind_name(kind));
    json_integer(json, "asked", score->asked);
    json_integer(json, "right", score->right);
    json_real(json, "accuracy", percent(score->right, score->asked) / 100);
    json_real(json, "low", score->low);
    json_real(json, "high", score->high);
    json_array(json, "recall");
    for (int g = 0; g < n_groups; g++) {
        json_object(json, NULL);
        json_integer(json, "group", g + 1);
        json_real(json, "first", percent(score->found_first[g], score->asked) / 100);
        if (kind == DRT_EVAL_TWO_HOP)
            json_real(json, "second", percent(score->found_second[g], score->asked) / 100);
        json_real(json, "any", percent(score->found_any[g], score->asked) / 100);
        json_close(json);
    }
    json_close(json);
    json_close(json);
}

static void write_report(const evaluation *e, const drt_eval_report *report) {
    const drt_config *config = drt_model_config(e->work.model);
    const uint8_t *digest = drt_model_fingerprint(e->work.model);
    char fingerprint[2 * DRT_FINGERPRINT_SIZE + 1];
    json_writer json;
    for (int i = 0; i < DRT_FINGERPRINT_SIZE; i++)
        snprintf(fingerprint + 2 * i, 3, "%02x", digest[i]);
    json_open(&json, stdout);
    json_text(&json, "task", e->pass_keys ? "passkey" : "needle");
    json_integer(&json, "length", e->length);
    json_integer(&json, "tokens", report->tokens);
    json_integer(&json, "chunks", report->chunks);
    json_integer(&json, "text_tokens", drt_eval_tokens(e->eval));
    json_integer(&json, "passes", report->passes);
    json_integer(&json, "libraries", report->libraries);
    json_integer(&json, "together", report->together);
    json_integer(&json, "lanes", e->options->lanes);
    json_integer(&json, "seed", e->options->seed);
    json_integer(&json, "top_k", config->top_k);
    json_array(&json, "scores");
    for (int k = 0; k < DRT_EVAL_KINDS; k++)
        if ((k == DRT_EVAL_PASS_KEY) == e->pass_keys)
            write_score(&json, &report->scores[k], (drt_eval_kind)k, config->n_groups);
    json_close(&json);
    json_real(&json, "ingest_tokens_per_second", report->ingest_rate);
    json_real(&json, "ingest_seconds", report->ingest_seconds);
    json_real(&json, "ask_seconds", report->ask_seconds);
    json_real(&json, "retrieval_ms", report->retrieval_ms);
    json_real(&json, "first_token_ms", report->first_token_ms);
    json_real(&json, "slowest_ms", report->slowest_ms);
    json_real(&json, "answer_ms", report->answer_ms);
    json_integer(&json, "library_bytes", report->library_bytes);
    json_integer(&json, "peak_bytes", report->peak_bytes);
    json_integer(&json, "anonymous_bytes", report->anonymous_bytes);
    json_integer(&json, "device_bytes", report->device_bytes);
    json_real(&json, "seconds", report->seconds);
    json_text(&json, "memory", e->options->memory == DRT_MEMORY_BF16 ? "bf16" : "int8");
    json_text(&json, "device", drt_device_name(e->work.device));
    json_text(&json, "processor", drt_device_description(e->work.device));
    json_text(&json, "model", drt_model_name(e->work.model));
    json_text(&json, "fingerprint", fingerprint);
    json_close(&json);
}

/* ------------------------------------------------------------------------- the run -------- */

static const char *scratch_folder(const values *options) {
    const char *folder = options->scratch ? options->scratch : getenv("TMPDIR");
    return folder && *folder ? folder : "/tmp";
}

static drt_eval_params params_of(evaluation *e, int64_t tokens) {
    const values *options = e->options;
    return (drt_eval_params){
        .pass_keys = e->pass_keys,
        .tokens = tokens,
        .needles = (int)options->needles,
        .together = (int)options->together,
        .lanes = (int)options->lanes,
        .seed = (uint64_t)options->seed,
        .directory = scratch_folder(options),
        .memory_type = options->memory,
        .progress = show_progress,
        .result = note_result,
        .user = e,
    };
}

static int try_length(evaluation *e, int64_t tokens) {
    drt_eval_params params = params_of(e, tokens);
    drt_eval_report report;
    e->length = tokens;
    int status = workspace_exit_status(&e->work, drt_eval_run(e->work.context, e->eval, &params, &report));
    progress_clear(&e->work.progress);
    if (status != EXIT_ALL)
        return status;
    if (e->options->json)
        write_report(e, &report);
    else
        print_report(e, &report);
    return output_flush() ? EXIT_ALL : EXIT_USAGE;
}

/* 1K, 4K, ... as far as the text goes. */
static lengths default_lengths(int64_t tokens) {
    lengths list = {.tokens = {1024}, .count = 1};
    for (int64_t next = 4096; next <= DEFAULT_LONGEST && next <= tokens; next *= 4)
        list.tokens[list.count++] = next;
    return list;
}

static int64_t longest(const lengths *list) {
    int64_t most = list->count ? 0 : DEFAULT_LONGEST;
    for (size_t i = 0; i < list->count; i++)
        most = list->tokens[i] > most ? list->tokens[i] : most;
    return most;
}

static void describe(const evaluation *e, bool made_up) {
    const char *device = drt_device_description(e->work.device);
    printf("%" PRId64 " tokens of text%s; ", drt_eval_tokens(e->eval), made_up ? ", made up for the purpose" : "");
    terminal_write(stdout, device, strlen(device), TEXT_LINE);
    putchar('\n');
    print_heading(e);
    fflush(stdout);
}

static int try_all(evaluation *e, char **paths) {
    int64_t most = longest(&e->options->lengths);
    drt_eval_params params = params_of(e, most);
    size_t n_paths = 0;
    while (paths[n_paths])
        n_paths++;
    drt_status opened = drt_eval_check(e->work.context, e->work.model, &params);
    if (opened == DRT_OK)
        opened = drt_eval_open(e->work.context, e->work.model, (const char *const *)paths, n_paths, most, &e->eval);
    int status = workspace_exit_status(&e->work, opened);
    if (status != EXIT_ALL)
        return status;
    lengths list = e->options->lengths;
    if (list.count == 0)
        list = default_lengths(drt_eval_tokens(e->eval));
    if (!e->options->json)
        describe(e, n_paths == 0);
    for (size_t i = 0; i < list.count && status == EXIT_ALL; i++)
        status = try_length(e, list.tokens[i]);
    return status;
}

static int run(const values *options, bool pass_keys, char **operands) {
    evaluation e = {.options = options, .pass_keys = pass_keys};
    int status = EXIT_USAGE;
    if (workspace_open(&e.work) && workspace_open_model(&e.work, &options->compute) && open_answers(&e))
        status = try_all(&e, operands);
    if (!close_answers(&e))
        status = EXIT_USAGE;
    drt_eval_close(e.eval);
    workspace_close(&e.work);
    return status == EXIT_ALL ? EXIT_ALL : EXIT_USAGE; /* what was asked for was not measured */
}

static int run_needle(const void *given, char **operands) {
    return run(given, false, operands);
}

static int run_passkey(const void *given, char **operands) {
    return run(given, true, operands);
}

const drt_command command_eval_needle = {
    .name = "eval needle",
    .operands = "[PATH...]",
    .summary = "hide facts in long text and ask for them",
    .description =
        "Hides facts of one and of two sentences in the text of the paths (else text that is made up), ingests it\n"
        "into a temporary library and asks for each, by length of the text.",
    .options = needle_table,
    .defaults = &defaults,
    .values_size = sizeof defaults,
    .min_operands = 0,
    .max_operands = -1,
    .run = run_needle,
};

const drt_command command_eval_passkey = {
    .name = "eval passkey",
    .operands = "[PATH...]",
    .summary = "add pass keys to long text one by one and ask for each",
    .description =
        "Ingests the text of the paths (else text that is made up) into a temporary library; then adds one small\n"
        "document with a pass key after the other, asks for it and removes it, by length of the text.",
    .options = passkey_table,
    .defaults = &defaults,
    .values_size = sizeof defaults,
    .min_operands = 0,
    .max_operands = -1,
    .run = run_passkey,
};
