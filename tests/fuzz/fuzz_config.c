/* Fuzz target: a config.json is refused with a sentence, or describes a model whose parameters can be
 * listed and are as many as its formula says. */
#include <string.h>

#include "engine/base/buffer.h"
#include "engine/network/config.h"
#include "engine/network/parameters.h"
#include "tests/fuzz/fuzz.h"

static void check_parameters(drt_context *context, const drt_config *config) {
    drt_model *model;
    int64_t total = 0;
    FUZZ_CHECK(drt_model_new_empty(context, config, &model) == DRT_OK);
    for (size_t i = 0; i < model->n_parameters; i++)
        total += (int64_t)model->parameters[i].rows * (model->parameters[i].cols ? model->parameters[i].cols : 1);
    FUZZ_CHECK(total == drt_config_parameters(config));
    drt_model_free(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    drt_context *context = drt_context_new(NULL);
    drt_config config;
    drt_string name, tokenizer;
    if (drt_config_parse(context, "input", (const char *)data, size, &config, &name, &tokenizer) == DRT_OK) {
        FUZZ_CHECK(name.length > 0);
        FUZZ_CHECK(!tokenizer.data || !strchr(tokenizer.data, '/'));
        FUZZ_CHECK(config.d_model % (2 * config.n_heads) == 0);
        check_parameters(context, &config);
    } else {
        FUZZ_CHECK(strstr(drt_error(context), "input"));
    }
    drt_string_free(&name);
    drt_string_free(&tokenizer);
    drt_context_free(context);
    return 0;
}
