/* context.c: error sentences, warnings, cancellation. See context.h. */
#include "engine/base/context.h"

#include <stdio.h>
#include <stdlib.h>

#define SENTENCE_SIZE 2048

struct drt_context {
    drt_context_params params;
    char error[SENTENCE_SIZE];
};

drt_context_params drt_context_params_default(void) {
    return (drt_context_params){0};
}

drt_context *drt_context_new(const drt_context_params *params) {
    drt_context *context = calloc(1, sizeof *context);
    if (context && params)
        context->params = *params;
    return context;
}

void drt_context_free(drt_context *context) {
    free(context);
}

const char *drt_error(const drt_context *context) {
    return context->error;
}

drt_status drt_fail(drt_context *context, drt_status status, const char *format, ...) {
    /* The arguments may point into the old sentence: format into a new one first. */
    char sentence[SENTENCE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    snprintf(context->error, sizeof context->error, "%s", sentence);
    return status;
}

drt_status drt_fail_memory(drt_context *context, const char *what) {
    return drt_fail(context, DRT_FATAL, "out of memory for %s", what);
}

void drt_warn(drt_context *context, const char *format, ...) {
    if (!context->params.warn)
        return;
    char sentence[SENTENCE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    if (length < 0)
        return;
    size_t kept = (size_t)length < sizeof sentence ? (size_t)length : sizeof sentence - 1;
    context->params.warn(context->params.user, sentence, kept);
}

bool drt_cancelled(const drt_context *context) {
    return context->params.cancelled && context->params.cancelled(context->params.user);
}
