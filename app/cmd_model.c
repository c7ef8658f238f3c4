/* cmd_model.c: drt model info and drt model quantize. */
#include <inttypes.h>
#include <string.h>

#include "app/commands.h"
#include "app/json.h"
#include "app/terminal.h"
#include "app/workspace.h"

typedef struct {
    bool json;
} values;

static const values defaults;

static const drt_option info_table[] = {
    OPT_FLAG("json", json, "one JSON object, see drt(1)"),
    OPT_END,
};

static const drt_option quantize_table[] = {OPT_END};

/* What drt_model_inspect gives. */
typedef struct {
    drt_config config;
    drt_model_facts facts;
    drt_string name;
    char fingerprint[2 * DRT_FINGERPRINT_SIZE + 1];
} model_info;

static void print_json(const model_info *model) {
    const drt_config *config = &model->config;
    json_writer json;
    json_open(&json, stdout);
    json_string(&json, "name", model->name.data, model->name.length);
    json_text(&json, "fingerprint", model->fingerprint);
    json_integer(&json, "parameters", model->facts.parameters);
    json_integer(&json, "weight_bytes", model->facts.weight_bytes);
    json_text(&json, "dtype", model->facts.dtype);
    json_object(&json, "config");
    json_integer(&json, "vocab_size", config->vocab_size);
    json_integer(&json, "d_model", config->d_model);
    json_integer(&json, "n_heads", config->n_heads);
    json_integer(&json, "d_ff", config->d_ff);
    json_integer(&json, "lower_layers", config->lower_layers);
    json_integer(&json, "encoder_layers", config->encoder_layers);
    json_array(&json, "group_layers");
    for (int g = 0; g < config->n_groups; g++)
        json_integer(&json, NULL, config->group_layers[g]);
    json_close(&json);
    json_integer(&json, "chunk_size", config->chunk_size);
    json_integer(&json, "window", config->window);
    json_integer(&json, "top_k", config->top_k);
    json_real(&json, "rms_eps", config->rms_eps);
    json_real(&json, "rope_theta", config->rope_theta);
    json_bool(&json, "landmark_reads_own_retrieval", config->landmark_reads_own_retrieval);
    json_bool(&json, "gca_in_residual", config->gca_in_residual);
    json_bool(&json, "qk_norm", config->qk_norm);
    json_close(&json);
    json_close(&json);
}

static void print_plain(const model_info *model) {
    const drt_config *config = &model->config;
    printf("%-15s ", "name");
    terminal_write(stdout, model->name.data, model->name.length, TEXT_LINE);
    printf("\n%-15s %s\n", "fingerprint", model->fingerprint);
    printf("%-15s %" PRId64 "\n", "parameters", model->facts.parameters);
    printf("%-15s %s, %" PRId64 " bytes\n", "weights", model->facts.dtype, model->facts.weight_bytes);
    printf("%-15s %d tokens\n", "vocabulary", config->vocab_size);
    printf("%-15s d %d, %d heads, feed-forward %d\n", "width", config->d_model, config->n_heads, config->d_ff);
    printf("%-15s %d lower", "layers", config->lower_layers);
    for (int g = 0; g < config->n_groups; g++)
        printf(" + %d", config->group_layers[g]);
    printf(" upper (%d retrieval groups), %d encoder\n", config->n_groups, config->encoder_layers);
    printf("%-15s %d slots, the %d best of a group, window %d\n", "chunk", config->chunk_size, config->top_k,
           config->window);
}

static int run_info(const void *given, char **operands) {
    const values *options = given;
    workspace work;
    if (!workspace_open(&work))
        return EXIT_USAGE;
    model_info model = {0};
    uint8_t fingerprint[DRT_FINGERPRINT_SIZE];
    int status = workspace_exit_status(
        &work, drt_model_inspect(work.context, operands[0], &model.config, &model.facts, &model.name, fingerprint));
    for (int i = 0; status == EXIT_ALL && i < DRT_FINGERPRINT_SIZE; i++)
        snprintf(model.fingerprint + 2 * i, 3, "%02x", fingerprint[i]);
    if (status == EXIT_ALL && options->json)
        print_json(&model);
    else if (status == EXIT_ALL)
        print_plain(&model);
    drt_string_free(&model.name);
    workspace_close(&work);
    return status == EXIT_ALL ? EXIT_ALL : EXIT_USAGE; /* a model that cannot be read is fatal */
}

static int run_quantize(const void *given, char **operands) {
    (void)given;
    workspace work;
    if (!workspace_open(&work))
        return EXIT_USAGE;
    drt_quantize_report report = {0};
    int status = workspace_exit_status(&work, drt_model_quantize(work.context, operands[0], operands[1], &report));
    if (status == EXIT_ALL) {
        printf("%" PRId64 " matrices as int8, %" PRId64 " -> %" PRId64 " bytes\n", report.matrices, report.bytes_before,
               report.bytes_after);
        printf("relative error: mean %.3g, largest %.3g (", report.mean_error, report.max_error);
        terminal_write(stdout, report.max_error_name, strlen(report.max_error_name), TEXT_LINE);
        puts(")");
    }
    workspace_close(&work);
    return status == EXIT_ALL ? EXIT_ALL : EXIT_USAGE;
}

const drt_command command_model_info = {
    .name = "model info",
    .operands = "DIR",
    .summary = "facts about a model directory",
    .options = info_table,
    .defaults = &defaults,
    .values_size = sizeof defaults,
    .min_operands = 1,
    .max_operands = 1,
    .run = run_info,
};

const drt_command command_model_quantize = {
    .name = "model quantize",
    .operands = "DIR OUT",
    .summary = "write a model with int8 weights into the new folder OUT",
    .options = quantize_table,
    .min_operands = 2,
    .max_operands = 2,
    .run = run_quantize,
};
