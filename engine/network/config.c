/* config.c: config.json -> drt_config. See config.h. */
#include "engine/network/config.h"

#include <string.h>

#include "engine/base/buffer.h"
#include "engine/network/json.h"
#include "tokenizer/tokenizer.h"

/* Whole-number fields and their ranges; the upper ends keep every product of sizes far from overflow. */
static const struct {
    const char *key;
    size_t offset;
    int smallest, largest;
} integers[] = {
    {"vocab_size", offsetof(drt_config, vocab_size), DRT_TOKEN_CONTROLS + 1, 1 << 20},
    {"d_model", offsetof(drt_config, d_model), 2, 1 << 14},
    {"n_heads", offsetof(drt_config, n_heads), 1, 1 << 10},
    {"d_ff", offsetof(drt_config, d_ff), 1, 1 << 16},
    {"lower_layers", offsetof(drt_config, lower_layers), 1, DRT_MAX_LAYERS},
    {"encoder_layers", offsetof(drt_config, encoder_layers), 1, DRT_MAX_LAYERS},
    {"chunk_size", offsetof(drt_config, chunk_size), 2, 1 << 12},
    {"window", offsetof(drt_config, window), 1, 1 << 16},
    {"top_k", offsetof(drt_config, top_k), 1, 1 << 10},
};

static const struct {
    const char *key;
    size_t offset;
    double smallest, largest;
} numbers[] = {
    {"rms_eps", offsetof(drt_config, rms_eps), 1e-12, 1},
    {"rope_theta", offsetof(drt_config, rope_theta), 1, 1e12},
};

static const struct {
    const char *key;
    size_t offset;
} switches[] = {
    {"landmark_reads_own_retrieval", offsetof(drt_config, landmark_reads_own_retrieval)},
    {"gca_in_residual", offsetof(drt_config, gca_in_residual)},
    {"qk_norm", offsetof(drt_config, qk_norm)},
};

static drt_config defaults(void) {
    return (drt_config){
        .vocab_size = 16384,
        .d_model = 512,
        .n_heads = 8,
        .d_ff = 1408,
        .lower_layers = 6,
        .encoder_layers = 2,
        .n_groups = 2,
        .group_layers = {3, 3},
        .chunk_size = 64,
        .window = 512,
        .top_k = 8,
        .rms_eps = 1e-5f,
        .rope_theta = 10000.0f,
        .landmark_reads_own_retrieval = true,
        .gca_in_residual = true,
        .qk_norm = true,
    };
}

static drt_status wrong(drt_context *context, const char *path, const char *key, const char *expected) {
    return drt_fail(context, DRT_FAILED, "%s: \"%s\" must be %s", path, key, expected);
}

/* The item of a key; *item stays NULL when it is not there. Twice is an error: readers would differ. */
static drt_status find(drt_context *context, const char *path, const cJSON *root, const char *key, const cJSON **item) {
    *item = NULL;
    for (const cJSON *child = root->child; child; child = child->next) {
        if (strcmp(child->string, key) != 0)
            continue;
        if (*item)
            return drt_fail(context, DRT_FAILED, "%s: \"%s\" stands there twice", path, key);
        *item = child;
    }
    return DRT_OK;
}

static drt_status read_integers(drt_context *context, const char *path, const cJSON *root, drt_config *config) {
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
        const cJSON *item;
        int64_t value;
        drt_status status = find(context, path, root, integers[i].key, &item);
        if (status != DRT_OK)
            return status;
        if (!item)
            continue;
        if (!drt_json_integer(item, integers[i].smallest, integers[i].largest, &value))
            return drt_fail(context, DRT_FAILED, "%s: \"%s\" must be a whole number from %d to %d", path,
                            integers[i].key, integers[i].smallest, integers[i].largest);
        *(int *)((char *)config + integers[i].offset) = (int)value;
    }
    return DRT_OK;
}

static drt_status read_numbers(drt_context *context, const char *path, const cJSON *root, drt_config *config) {
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const cJSON *item;
        drt_status status = find(context, path, root, numbers[i].key, &item);
        if (status != DRT_OK)
            return status;
        if (!item)
            continue;
        if (!cJSON_IsNumber(item) ||
            !(item->valuedouble >= numbers[i].smallest && item->valuedouble <= numbers[i].largest))
            return drt_fail(context, DRT_FAILED, "%s: \"%s\" must be a number from %g to %g", path, numbers[i].key,
                            numbers[i].smallest, numbers[i].largest);
        *(float *)((char *)config + numbers[i].offset) = (float)item->valuedouble;
    }
    return DRT_OK;
}

static drt_status read_switches(drt_context *context, const char *path, const cJSON *root, drt_config *config) {
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++) {
        const cJSON *item;
        drt_status status = find(context, path, root, switches[i].key, &item);
        if (status != DRT_OK)
            return status;
        if (!item)
            continue;
        if (!cJSON_IsBool(item))
            return wrong(context, path, switches[i].key, "true or false");
        *(bool *)((char *)config + switches[i].offset) = cJSON_IsTrue(item);
    }
    return DRT_OK;
}

static drt_status read_groups(drt_context *context, const char *path, const cJSON *root, drt_config *config) {
    const cJSON *list;
    drt_status status = find(context, path, root, "group_layers", &list);
    if (status != DRT_OK || !list)
        return status;
    int n = cJSON_IsArray(list) ? cJSON_GetArraySize(list) : 0;
    if (n < 1 || n > DRT_MAX_GROUPS)
        return drt_fail(context, DRT_FAILED, "%s: \"group_layers\" must be a list of 1 to %d numbers", path,
                        DRT_MAX_GROUPS);
    config->n_groups = 0;
    for (const cJSON *item = list->child; item; item = item->next) {
        int64_t layers;
        if (!drt_json_integer(item, 1, DRT_MAX_LAYERS, &layers))
            return drt_fail(context, DRT_FAILED, "%s: \"group_layers\" must hold whole numbers from 1 to %d", path,
                            DRT_MAX_LAYERS);
        config->group_layers[config->n_groups++] = (int)layers;
    }
    for (int g = config->n_groups; g < DRT_MAX_GROUPS; g++)
        config->group_layers[g] = 0;
    return DRT_OK;
}

/* What no field shows alone. */
static drt_status check_together(drt_context *context, const char *path, const drt_config *c) {
    if (c->d_model % c->n_heads != 0)
        return drt_fail(context, DRT_FAILED, "%s: \"d_model\" (%d) must be a multiple of \"n_heads\" (%d)", path,
                        c->d_model, c->n_heads);
    if (c->d_model / c->n_heads % 2 != 0)
        return drt_fail(context, DRT_FAILED,
                        "%s: \"d_model\" / \"n_heads\" (%d) must be even: rotary positions turn pairs", path,
                        c->d_model / c->n_heads);
    if (drt_config_parameters(c) > DRT_MAX_PARAMETERS)
        return drt_fail(context, DRT_FAILED, "%s: a model of %lld parameters is more than the %lld allowed", path,
                        (long long)drt_config_parameters(c), (long long)DRT_MAX_PARAMETERS);
    return DRT_OK;
}

static drt_status read_name(drt_context *context, const char *path, const cJSON *root, drt_string *name) {
    const cJSON *item;
    drt_status status = find(context, path, root, "name", &item);
    if (status != DRT_OK)
        return status;
    if (item && (!cJSON_IsString(item) || !item->valuestring[0]))
        return wrong(context, path, "name", "a text that is not empty");
    const char *text = item ? item->valuestring : "unnamed";
    return drt_string_set(name, text, strlen(text)) ? DRT_OK : drt_fail_memory(context, "the model's name");
}

static drt_status read_tokenizer(drt_context *context, const char *path, const cJSON *root, drt_string *tokenizer) {
    const cJSON *item;
    drt_status status = find(context, path, root, "tokenizer", &item);
    if (status != DRT_OK || !item)
        return status;
    const char *file = cJSON_IsString(item) ? item->valuestring : "";
    if (!file[0] || strchr(file, '/') || strcmp(file, ".") == 0 || strcmp(file, "..") == 0)
        return wrong(context, path, "tokenizer", "the name of a file in the same folder");
    return drt_string_set(tokenizer, file, strlen(file)) ? DRT_OK : drt_fail_memory(context, "the tokenizer's name");
}

drt_status drt_config_parse(drt_context *context, const char *path, const char *text, size_t length, drt_config *config,
                            drt_string *name, drt_string *tokenizer) {
    cJSON *root;
    *config = defaults();
    *name = *tokenizer = (drt_string){0};
    drt_status status = drt_json_parse(context, path, text, length, &root);
    if (status == DRT_OK)
        status = read_integers(context, path, root, config);
    if (status == DRT_OK)
        status = read_numbers(context, path, root, config);
    if (status == DRT_OK)
        status = read_switches(context, path, root, config);
    if (status == DRT_OK)
        status = read_groups(context, path, root, config);
    if (status == DRT_OK)
        status = check_together(context, path, config);
    if (status == DRT_OK)
        status = read_name(context, path, root, name);
    if (status == DRT_OK)
        status = read_tokenizer(context, path, root, tokenizer);
    cJSON_Delete(root);
    if (status != DRT_OK) {
        drt_string_free(name);
        drt_string_free(tokenizer);
    }
    return status;
}

int64_t drt_config_parameters(const drt_config *c) {
    int64_t d = c->d_model;
    int64_t layer = 4 * d * d + 3 * d * c->d_ff + 2 * d; /* attention, MLP, two norms */
    int64_t upper = layer + 2 * d * d + d;               /* and grouped cross-attention */
    int64_t upper_layers = 0;
    for (int g = 0; g < c->n_groups; g++)
        upper_layers += c->group_layers[g];
    return c->vocab_size * d + (c->lower_layers + c->encoder_layers) * layer + upper_layers * upper + 2 * d * d +
           (3 + c->n_groups) * d;
}
