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

static const char *const syllables[] = {"ba", "do", "fi", "gu", "ka", "le", "mo",
                                        "nu", "pe", "ri", "so", "tu", "va", "wen"};

_Static_assert(sizeof words / sizeof *words == DRT_BENCH_COMMON_WORDS, "bench.h tells how many there are");

static uint64_t next(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* Word `number` of all that there could be: a common one, or one of three syllables. */
static bool append_word(drt_buffer *text, uint64_t number) {
    const uint64_t n = sizeof syllables / sizeof *syllables;
    if (number < DRT_BENCH_COMMON_WORDS)
        return drt_buffer_append_text(text, words[number]);
    number -= DRT_BENCH_COMMON_WORDS;
    return drt_buffer_append_text(text, syllables[number % n]) &&
           drt_buffer_append_text(text, syllables[number / n % n]) &&
           drt_buffer_append_text(text, syllables[number / n / n % n]);
}

bool drt_bench_text(drt_buffer *text, int64_t n_words, int vocabulary, uint64_t seed) {
    uint64_t state = seed;
    bool ok = true;
    for (int64_t i = 0; ok && i < n_words; i++) {
        bool ends = i % WORDS_OF_A_SENTENCE == WORDS_OF_A_SENTENCE - 1;
        bool breaks =
            i % (WORDS_OF_A_SENTENCE * SENTENCES_OF_A_PARAGRAPH) == WORDS_OF_A_SENTENCE * SENTENCES_OF_A_PARAGRAPH - 1;
        ok = append_word(text, next(&state) % (uint64_t)vocabulary) && drt_buffer_append_text(text, breaks ? ".\n\n"
                                                                                                    : ends ? ". "
                                                                                                           : " ");
    }
    return ok;
}
