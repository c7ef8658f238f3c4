/* evidence.c: see evidence.h. */
#include "app/evidence.h"

#include <limits.h>
#include <stdlib.h>

#include "app/terminal.h"

#define MAX_PASSAGES 5
#define LEAST_WEIGHT 0.05f

void surroundings_free(surroundings *around) {
    drt_string_free(&around->text);
}

/* Up to n characters before and after [start, end) of the hit's document. */
static void look_around(surroundings *around, const drt_hit *hit, drt_string *before, drt_string *after) {
    *before = *after = (drt_string){"", 0};
    if (around->document != hit->document_id) {
        drt_string_free(&around->text);
        around->text = (drt_string){NULL, 0};
        around->document = 0;
        if (drt_library_text(around->work->context, around->work->library, hit->document_id, &around->text) != DRT_OK) {
            workspace_complain(around->work);
            return;
        }
        around->document = hit->document_id;
    }
    const drt_string *text = &around->text;
    size_t start = (size_t)hit->start, end = (size_t)hit->end;
    if (start > end || end > text->length)
        return;
    size_t from = start, to = end;
    for (int64_t i = 0; i < around->characters && from > 0; i++)
        from = drt_utf8_floor(text->data, text->length, from - 1);
    for (int64_t i = 0; i < around->characters && to < text->length; i++)
        to = drt_utf8_ceil(text->data, text->length, to + 1);
    *before = (drt_string){text->data + from, start - from};
    *after = (drt_string){text->data + end, to - end};
}

void evidence_page_json(json_writer *json, int64_t page) {
    if (page > 0)
        json_integer(json, "page", page);
    else
        json_text(json, "page", NULL);
}

static void authors_json(json_writer *json, const drt_string *authors, size_t n) {
    json_array(json, "authors");
    for (size_t i = 0; i < n; i++)
        json_string(json, NULL, authors[i].data, authors[i].length);
    json_close(json);
}

void evidence_hit_json(json_writer *json, const drt_hit *hit, surroundings *around) {
    json_object(json, NULL);
    json_integer(json, "chunk", hit->chunk);
    json_integer(json, "rank", hit->rank);
    json_real(json, "score", hit->score);
    json_real(json, "weight", hit->weight);
    json_string(json, "document", hit->document.data, hit->document.length);
    json_string(json, "title", hit->title.data, hit->title.length);
    authors_json(json, hit->authors, hit->n_authors);
    json_string(json, "date", hit->date.data, hit->date.length);
    json_integer(json, "start", hit->start);
    json_integer(json, "end", hit->end);
    evidence_page_json(json, hit->page);
    json_string(json, "text", hit->text.data, hit->text.length);
    if (around->characters > 0) {
        drt_string before, after;
        look_around(around, hit, &before, &after);
        json_string(json, "before", before.data, before.length);
        json_string(json, "after", after.data, after.length);
    }
    json_close(json);
}

void evidence_event_json(json_writer *json, const drt_event *event, surroundings *around) {
    json_object(json, NULL);
    json_integer(json, "step", event->step);
    json_integer(json, "group", event->group);
    json_real(json, "null_mass", event->null_mass);
    json_array(json, "hits");
    for (size_t i = 0; i < event->n_hits; i++)
        evidence_hit_json(json, &event->hits[i], around);
    json_close(json);
}

/* Text below a heading: indented, and on a terminal broken at spaces. */
typedef struct {
    int width; /* columns behind the indent */
    int column;
    size_t spaces; /* seen, not written yet */
} paragraph;

#define INDENT 4
#define MAX_COLUMNS 100 /* longer lines are hard to read */

static paragraph paragraph_start(void) {
    int width = terminal_is(stdout) ? terminal_width(stdout) : INT_MAX;
    return (paragraph){.width = width == INT_MAX ? width : (width < MAX_COLUMNS ? width : MAX_COLUMNS) - INDENT};
}

static void write_word(paragraph *p, const char *word, size_t length) {
    int columns = terminal_columns(word, length);
    if (p->column > 0 && p->width - p->column < columns + (int)p->spaces) {
        putchar('\n');
        p->column = 0;
        p->spaces = 0;
    }
    printf("%*s", (int)p->spaces + (p->column == 0 ? INDENT : 0), "");
    terminal_write(stdout, word, length, TEXT_LINE);
    p->column += columns + (int)p->spaces;
    p->spaces = 0;
}

static void write_text(paragraph *p, const char *text, size_t length) {
    for (size_t at = 0, end; at < length; at = end) {
        end = at + 1;
        if (text[at] == '\n') {
            putchar('\n');
            p->column = 0;
            p->spaces = 0;
        } else if (text[at] == ' ') {
            p->spaces++;
        } else {
            while (end < length && text[end] != ' ' && text[end] != '\n')
                end++;
            write_word(p, text + at, end - at);
        }
    }
}

static void write_string(const drt_string *string) {
    terminal_write(stdout, string->data, string->length, TEXT_LINE);
}

#define CITED 3 /* authors; more are "and others" */

void evidence_citation_print(const drt_document *document) {
    if (document->title.data) {
        fputs(" \"", stdout);
        write_string(&document->title);
        putchar('"');
    }
    for (size_t i = 0; i < document->n_authors && i < CITED; i++) {
        fputs(i == 0 ? " by " : ", ", stdout);
        write_string(&document->authors[i]);
    }
    if (document->n_authors > CITED)
        fputs(" and others", stdout);
    if (document->date.data) {
        fputs(" (", stdout);
        write_string(&document->date);
        putchar(')');
    }
}

void evidence_hit_print(const char *head, const drt_hit *hit, surroundings *around) {
    bool colour = terminal_has_colour(stdout);
    printf("%s%s%s ", colour ? "\033[1m" : "", head, colour ? "\033[0m" : "");
    terminal_write(stdout, hit->document.data, hit->document.length, TEXT_LINE);
    evidence_citation_print(
        &(drt_document){.title = hit->title, .authors = hit->authors, .n_authors = hit->n_authors, .date = hit->date});
    if (hit->page > 0)
        printf(", p. %lld", (long long)hit->page);
    printf(", bytes %lld-%lld, chunk %lld, weight %.2f\n", (long long)hit->start, (long long)hit->end,
           (long long)hit->chunk, (double)hit->weight);
    paragraph p = paragraph_start();
    if (around->characters > 0) {
        drt_string before, after;
        look_around(around, hit, &before, &after);
        write_text(&p, before.data, before.length);
        write_text(&p, "[[", 2);
        write_text(&p, hit->text.data, hit->text.length);
        write_text(&p, "]]", 2);
        write_text(&p, after.data, after.length);
    } else {
        size_t blank = 0; /* a chunk may begin with what separates it from the one before */
        while (blank < hit->text.length && (hit->text.data[blank] == ' ' || hit->text.data[blank] == '\n'))
            blank++;
        write_text(&p, hit->text.data + blank, hit->text.length - blank);
    }
    putchar('\n');
}

static int by_weight(const void *a, const void *b) {
    const drt_hit *left = *(const drt_hit *const *)a, *right = *(const drt_hit *const *)b;
    if (left->weight != right->weight)
        return left->weight < right->weight ? 1 : -1;
    return left->chunk < right->chunk ? -1 : left->chunk > right->chunk;
}

/* Is this chunk among the passages already? They are few. */
static bool is_listed(const drt_hit *const *passages, size_t count, int64_t chunk) {
    for (size_t i = 0; i < count; i++)
        if (passages[i]->chunk == chunk)
            return true;
    return false;
}

void evidence_passages_print(const drt_answer *answer, surroundings *around) {
    size_t count = 0, shown = 0;
    for (size_t i = 0; i < answer->n_events; i++)
        count += answer->events[i].n_hits;
    const drt_hit **hits = malloc((count + 1) * sizeof *hits);
    if (!hits) {
        complain("out of memory for the passages");
        return;
    }
    count = 0;
    for (size_t i = 0; i < answer->n_events; i++)
        for (size_t j = 0; j < answer->events[i].n_hits; j++)
            hits[count++] = &answer->events[i].hits[j];
    qsort(hits, count, sizeof *hits, by_weight);
    for (size_t i = 0; i < count && shown < MAX_PASSAGES && hits[i]->weight >= LEAST_WEIGHT; i++) {
        if (is_listed(hits, shown, hits[i]->chunk))
            continue;
        char head[16];
        hits[shown++] = hits[i];
        snprintf(head, sizeof head, "[%zu]", shown);
        putchar('\n');
        evidence_hit_print(head, hits[shown - 1], around);
    }
    free(hits);
}

static const char *finish_name(drt_finish finish) {
    return finish == DRT_FINISH_END ? "end" : finish == DRT_FINISH_LENGTH ? "length" : "cancelled";
}

void evidence_answer_json(json_writer *json, const drt_answer *answer, const char *library, surroundings *around) {
    json_string(json, "question", answer->question.data, answer->question.length);
    json_string(json, "answer", answer->answer.data ? answer->answer.data : "", answer->answer.length);
    json_integer(json, "n_tokens", (int64_t)answer->n_tokens);
    json_text(json, "finish", finish_name(answer->finish));
    json_array(json, "events");
    for (size_t i = 0; i < answer->n_events; i++) {
        evidence_event_json(json, &answer->events[i], around);
        json_close(json);
    }
    json_close(json);
    json_object(json, "timing_ms");
    json_real(json, "first_token", answer->first_token_ms);
    json_real(json, "total", answer->total_ms);
    json_close(json);
    json_string(json, "device", answer->device.data, answer->device.length);
    json_string(json, "model", answer->model.data, answer->model.length);
    json_text(json, "library", library);
    json_text(json, "retriever", answer->retriever);
    json_integer(json, "session", answer->session);
}

const char *evidence_document_status(drt_document_status status) {
    return status == DRT_DOCUMENT_OK ? "ok" : status == DRT_DOCUMENT_PARTIAL ? "partial" : "skipped";
}

void evidence_document_json(json_writer *json, const drt_document *document) {
    json_string(json, "document", document->path.data, document->path.length);
    json_string(json, "title", document->title.data, document->title.length);
    authors_json(json, document->authors, document->n_authors);
    json_string(json, "date", document->date.data, document->date.length);
    json_string(json, "format", document->format.data ? document->format.data : "", document->format.length);
    json_text(json, "status", evidence_document_status(document->status));
    json_string(json, "reason", document->reason.data, document->reason.length);
    json_integer(json, "replacements", document->replacements);
    json_integer(json, "bytes", document->bytes);
    json_integer(json, "chunks", document->chunks);
    json_integer(json, "id", document->id);
    json_integer(json, "first_chunk", document->first_chunk);
    json_array(json, "aliases");
    for (size_t i = 0; i < document->n_aliases; i++)
        json_string(json, NULL, document->aliases[i].data, document->aliases[i].length);
    json_close(json);
}
