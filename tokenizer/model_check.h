/* model_check.h: looks through a serialised sentencepiece model before sentencepiece gets it.
 *
 * sentencepiece checks that the protocol buffer parses, but trusts the character map inside: a double
 * array of offsets that it follows without looking, so that a damaged file crashes at some later text.
 * May use: libc. */
#ifndef DRT_TOKENIZER_MODEL_CHECK_H
#define DRT_TOKENIZER_MODEL_CHECK_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* NULL when every character map in the model can be followed safely, else what is wrong with it. */
const char *drt_tokenizer_model_check(const void *data, size_t size);

#ifdef __cplusplus
}
#endif
#endif
