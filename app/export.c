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

void export_json(const drt_answer *answer, const char *library, FILE *out) {
    surroundings none = {0};
    json_writer json;
    json_open(&json, out);
    evidence_answer_json(&json, answer, library, &none);
    json_close(&json);
}
