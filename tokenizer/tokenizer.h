/* tokenizer.h: C interface to a sentencepiece model, with the byte range of every piece.
 *
 * The only file that includes sentencepiece is tokenizer.cc; no C++ exception leaves it. The
 * tokenizer knows nothing of the engine. All calls on one tokenizer may run concurrently.
 */
#ifndef DRT_TOKENIZER_H
#define DRT_TOKENIZER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Control symbols: ids fixed by the model format; text never produces them. */
enum {
    DRT_TOKEN_PAD = 0,
    DRT_TOKEN_UNKNOWN = 1,
    DRT_TOKEN_BEGIN = 2,
    DRT_TOKEN_END = 3, /* </s> */
    DRT_TOKEN_LANDMARK = 4,
    DRT_TOKEN_QUESTION = 5,
    DRT_TOKEN_ANSWER = 6,
    DRT_TOKEN_DOCUMENT = 7,
    DRT_TOKEN_PARAGRAPH = 8, /* paragraph break */
    DRT_TOKEN_CONTROLS = 9   /* ids below this are control symbols */
};

typedef struct drt_tokenizer drt_tokenizer;

/* A piece and the bytes of the input it stands for; starts never run backwards. The pieces of one
 * character (its bytes, or what NFKC made of it) share its range. The space that is put in front of a
 * text, where it is a piece of its own, has an empty one. White space belongs to the piece behind it. */
typedef struct {
    int32_t id;
    size_t start, end;
} drt_piece;

/* Each returns 0, or -1 with a sentence in error (error_size bytes, always terminated). */
int drt_tokenizer_load(const char *path, drt_tokenizer **tokenizer, char *error, size_t error_size);
/* `data` is a serialised sentencepiece model; it is copied. */
int drt_tokenizer_load_memory(const void *data, size_t size, drt_tokenizer **tokenizer, char *error, size_t error_size);
void drt_tokenizer_free(drt_tokenizer *tokenizer);

int drt_tokenizer_size(const drt_tokenizer *tokenizer); /* pieces in the vocabulary */

/* text (UTF-8, NULs allowed; invalid bytes count as U+FFFD each) -> *pieces (*count), to be freed with
 * free(). A text that is empty or white space gives none (NULL). */
int drt_tokenizer_encode(const drt_tokenizer *tokenizer, const char *text, size_t length, drt_piece **pieces,
                         size_t *count, char *error, size_t error_size);

/* Ids -> UTF-8 text (owned by the caller, free()); <par> becomes a line break, other control ids
 * nothing. Incomplete byte-fallback sequences become U+FFFD. Ids outside the vocabulary fail. */
int drt_tokenizer_decode(const drt_tokenizer *tokenizer, const int32_t *ids, size_t count, char **text, size_t *length,
                         char *error, size_t error_size);

#ifdef __cplusplus
}
#endif
#endif
