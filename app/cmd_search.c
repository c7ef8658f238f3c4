/* cmd_search.c: drt search LIB QUERY: which chunks a question would retrieve. */
#include <string.h>

#include "app/commands.h"
#include "app/evidence.h"
#include "app/input.h"
#include "app/terminal.h"
#include "app/workspace.h"

typedef struct {
    compute_options compute;
    bool json;
    drt_retriever retriever;
    const char *glob;
    int64_t top, seed, context;
} values;

static const values defaults = {.compute = COMPUTE_OPTIONS_DEFAULT, .retriever = DRT_RETRIEVER_LEARNED, .top = 8};

static const drt_option option_table[] = {
    OPT_FLAG("json", json, "one JSON object, see drt(1)"),
    OPT_RETRIEVER(retriever),
    OPT_STRING("document", glob, "GLOB", "search only documents whose path matches"),
    OPT_INTEGER("top", top, "N", 1, 10000, "so many chunks of each group (8)"),
    OPT_INTEGER("seed", seed, "N", 0, 9e15, "of the random retriever (0)"),
    OPT_INTEGER("context", context, "N", 0, 1e6, "show N characters of text around each chunk"),
    OPT_COMPUTE(compute),
    OPT_END,
};

static void print_json(const drt_search_result *found, surroundings *around) {
    json_writer json;
    json_open(&json, stdout);
    json_string(&json, "query", found->query.data, found->query.length);
    json_text(&json, "retriever", drt_retriever_name(found->retriever));
    json_array(&json, "groups");
    for (size_t g = 0; g < found->n_groups; g++) {
        json_object(&json, NULL);
        json_integer(&json, "group", found->groups[g].group);
        json_array(&json, "hits");
        for (size_t i = 0; i < found->groups[g].n_hits; i++)
            evidence_hit_json(&json, &found->groups[g].hits[i], around);
        json_close(&json);
        json_close(&json);
    }
    json_close(&json);
    json_close(&json);
}

static void print_plain(const drt_search_result *found, surroundings *around) {
    for (size_t g = 0; g < found->n_groups; g++) {
        const drt_event *group = &found->groups[g];
        if (found->n_groups > 1)
            printf("%sgroup %d\n", g > 0 ? "\n" : "", group->group + 1);
        for (size_t i = 0; i < group->n_hits; i++) {
            char head[64];
            snprintf(head, sizeof head, "%3d. score %.2f", group->hits[i].rank, (double)group->hits[i].score);
            evidence_hit_print(head, &group->hits[i], around);
        }
    }
}

/* Returns the exit status. */
static int search(workspace *work, const values *options, const char *query, surroundings *around) {
    drt_search_params params = drt_search_params_default();
    params.retriever = options->retriever;
    params.document_glob = options->glob;
    params.top = (int)options->top;
    params.seed = (uint64_t)options->seed;

    size_t length = strlen(query);
    input_trim(&query, &length);
    drt_search_result *found = NULL;
    int status =
        workspace_exit_status(work, drt_session_search(work->context, work->session, query, length, &params, &found));
    if (found && options->json)
        print_json(found, around);
    else if (found)
        print_plain(found, around);
    drt_search_result_free(found);
    return status;
}

static int run(const void *given, char **operands) {
    const values *options = given;
    workspace work;
    surroundings around = {.work = &work, .characters = options->context};
    int status = EXIT_USAGE;
    if (workspace_open(&work) && workspace_open_session(&work, &options->compute, operands[0]))
        status = search(&work, options, operands[1], &around);
    surroundings_free(&around);
    workspace_close(&work);
    return status;
}

const drt_command command_search = {
    .name = "search",
    .operands = "LIB QUERY",
    .summary = "retrieve chunks for a query, without an answer",
    .description = "Shows the chunks that each retrieval group finds for the query, best first.",
    .options = option_table,
    .defaults = &defaults,
    .values_size = sizeof defaults,
    .min_operands = 2,
    .max_operands = 2,
    .run = run,
};
