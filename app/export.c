/* export.c: see export.h. */
#include "app/export.h"

#include <string.h>

#include "app/evidence.h"
#include "app/terminal.h"

/* Lines indented by four columns; control bytes made harmless. */
static void write_indented(FILE *out, const drt_string *text) {
    for (size_t at = 0; at < text->length;) {
        const char *line = text->data + at, *end = memchr(line, '\n', text->length - at);
        size_t length = end ? (size_t)(end - line) : text->length - at;
        fputs("    ", out);
        terminal_write(out, line, length, TEXT_LINE);
        putc('\n', out);
        at += length + 1;
    }
}

static void write_hit(FILE *out, const drt_hit *hit) {
    fprintf(out, "\n%d. weight %.3f, score %.3f: ", hit->rank, (double)hit->weight, (double)hit->score);
    terminal_write(out, hit->document.data, hit->document.length, TEXT_LINE);
    if (hit->page > 0)
        fprintf(out, ", p. %lld", (long long)hit->page);
    fprintf(out, ", bytes %lld-%lld, chunk %lld\n", (long long)hit->start, (long long)hit->end, (long long)hit->chunk);
    write_indented(out, &hit->text);
}

void export_text(const drt_answer *answer, const char *library, FILE *out) {
    static const char *const endings[] = {"complete", "cut at the token limit", "stopped"};
    fputs("Question\n", out);
    write_indented(out, &answer->question);
    fputs("\nAnswer\n", out);
    write_indented(out, &answer->answer);
    fprintf(out, "\n%s, %zu tokens; retriever %s; model %s on %s; library ", endings[answer->finish], answer->n_tokens,
            answer->retriever, answer->model.data ? answer->model.data : "?",
            answer->device.data ? answer->device.data : "?");
    terminal_write(out, library, strlen(library), TEXT_LINE);
    putc('\n', out);
    for (size_t i = 0; i < answer->n_events; i++) {
        const drt_event *event = &answer->events[i];
        fprintf(out, "\nStep %d, group %d: %.1f %% of the attention fell on nothing\n", event->step, event->group + 1,
                (double)event->null_mass * 100);
        for (size_t h = 0; h < event->n_hits; h++)
            write_hit(out, &event->hits[h]);
    }
}

/* ----------------------------------------------------------------------------------- JSON ---- */

static void write_tokens_json(json_writer *json, const drt_answer *answer) {
    json_array(json, "tokens");
    for (size_t i = 0; i < answer->n_tokens; i++)
        json_integer(json, NULL, answer->tokens[i]);
    json_close(json);
    json_array(json, "token_ends");
    for (size_t i = 0; i < answer->n_tokens; i++)
        json_integer(json, NULL, answer->token_ends[i]);
    json_close(json);
}

/* BM25's ranking of each step. */
static void write_bm25_json(json_writer *json, const drt_answer *answer) {
    json_array(json, "bm25");
    for (size_t s = 0; s < answer->n_steps; s++) {
        json_array(json, NULL);
        for (int k = 0; k < answer->top_k && answer->bm25[s][k] >= 0; k++)
            json_integer(json, NULL, answer->bm25[s][k]);
        json_close(json);
    }
    json_close(json);
}

/* attention[token][group][hit][slot]: 0 to 255. */
static void write_attention_json(json_writer *json, const drt_answer *answer) {
    const uint8_t *next = answer->attention;
    json_array(json, "attention");
    for (size_t t = 0; next && t < answer->n_tokens; t++) {
        json_array(json, NULL);
        for (int g = 0; g < answer->n_groups; g++) {
            json_array(json, NULL);
            for (int k = 0; k < answer->top_k; k++) {
                json_array(json, NULL);
                for (int s = 0; s < answer->chunk_size; s++)
                    json_integer(json, NULL, *next++);
                json_close(json);
            }
            json_close(json);
        }
        json_close(json);
    }
    json_close(json);
}

static void write_histograms_json(json_writer *json, const drt_answer *answer) {
    json_array(json, "histograms");
    for (size_t i = 0; i < answer->n_events; i++) {
        const drt_event *event = &answer->events[i];
        json_object(json, NULL);
        json_integer(json, "step", event->step);
        json_integer(json, "group", event->group);
        json_real(json, "low", event->histogram_low);
        json_real(json, "high", event->histogram_high);
        json_array(json, "bins");
        for (int b = 0; b < DRT_HISTOGRAM_BINS; b++)
            json_integer(json, NULL, event->histogram[b]);
        json_close(json);
        json_close(json);
    }
    json_close(json);
}

void export_json(const drt_answer *answer, const char *library, FILE *out) {
    surroundings none = {0};
    json_writer json;
    json_open(&json, out);
    evidence_answer_json(&json, answer, library, &none);
    write_tokens_json(&json, answer);
    write_bm25_json(&json, answer);
    write_histograms_json(&json, answer);
    write_attention_json(&json, answer);
    json_close(&json);
}
