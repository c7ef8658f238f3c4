/* text.c: text without meaning, in common words, so that it has as many tokens a word as prose. */
#include <string.h>

#include "engine/bench/bench.h"

#define WORDS_OF_A_SENTENCE 14
#define SENTENCES_OF_A_PARAGRAPH 6

static const char *const words[] = {
    "the",    "of",     "and",     "to",      "in",      "a",       "was",     "that",   "it",      "had",     "for",
    "with",   "on",     "at",      "by",      "from",    "which",   "were",    "when",   "they",    "there",   "after",
    "before", "over",   "under",   "river",   "bridge",  "letter",  "captain", "winter", "village", "harbour", "stone",
    "garden", "market", "teacher", "morning", "evening", "wrote",   "carried", "found",  "built",   "counted", "opened",
    "little", "old",    "new",     "heavy",   "quiet",   "several", "seven",   "twelve", "hundred", "years",   "paper",
    "water",  "ship",   "road",    "house",   "window",  "lamp",    "clock",   "window", "mountain"};

static uint64_t next(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

bool drt_bench_text(drt_buffer *text, int64_t n_words, uint64_t seed) {
    uint64_t state = seed;
    bool ok = true;
    for (int64_t i = 0; ok && i < n_words; i++) {
        const char *word = words[next(&state) % (sizeof words / sizeof *words)];
        bool ends = i % WORDS_OF_A_SENTENCE == WORDS_OF_A_SENTENCE - 1;
        bool breaks =
            i % (WORDS_OF_A_SENTENCE * SENTENCES_OF_A_PARAGRAPH) == WORDS_OF_A_SENTENCE * SENTENCES_OF_A_PARAGRAPH - 1;
        ok = drt_buffer_append_text(text, word) && drt_buffer_append_text(text, breaks ? ".\n\n" : ends ? ". " : " ");
    }
    return ok;
}
