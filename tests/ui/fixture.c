/* fixture.c: see fixture.h. */
#include "fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define GROUPS 2
#define TOP_K 4
#define SLOTS 8
#define STEPS 2

static void note(void *user, const ui_action *action) {
    fixture_outside *outside = user;
    size_t length = action->length < sizeof outside->text - 1 ? action->length : sizeof outside->text - 1;
    outside->last = *action;
    outside->last.text = NULL;
    if (length > 0)
        memcpy(outside->text, action->text, length);
    outside->text[length] = '\0';
    outside->count++;
}

static drt_string owned(const char *text) {
    drt_string out = {0};
    assert_true(model_string_set(&out, text, text ? strlen(text) : 0));
    return out;
}

void fixture_open(front *state, fixture_outside *outside) {
    *outside = (fixture_outside){.count = 0};
    assert_true(front_init(state, "town.drt", &(ui_actions){note, outside}));
    state->model.open = true;
    state->model.model_name = owned("drt-33m");
    front_changed(state, CHANGED_ALL);
}

/* ------------------------------------------------------------------------------- documents ---- */

static const struct {
    const char *path, *title, *format, *reason;
    drt_document_status status;
    int64_t bytes, chunks;
} rows[] = {
    {"books.zip/lighthouse.txt", "The Light at Marn", "text", NULL, DRT_DOCUMENT_OK, 18200, 20},
    {"books.zip/papers/mill.html", NULL, "html", NULL, DRT_DOCUMENT_OK, 9100, 10},
    {"books.zip/papers/bridge.txt", NULL, "text", "12 characters could not be decoded", DRT_DOCUMENT_PARTIAL, 6400, 7},
    {"books.zip/scan.pdf", NULL, "pdf", "this format is not known", DRT_DOCUMENT_SKIPPED, 0, 0},
    {"letters/first.txt", NULL, "text", NULL, DRT_DOCUMENT_OK, 4100, 5},
    {"letters/caf\xC3\xA9.txt", NULL, "text", NULL, DRT_DOCUMENT_OK, 3700, 4},
    {"\xE6\xBC\xA2\xE5\xAD\x97\xE3\x81\xAE\xE6\x9C\xAC.txt", NULL, "text", NULL, DRT_DOCUMENT_OK, 7300, 8},
    {"notes.md", "Minutes of the council", "markdown", NULL, DRT_DOCUMENT_OK, 5600, 6},
    {"family \xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA7.txt", NULL, "text", NULL, DRT_DOCUMENT_OK, 3500, 4},
};

#define N_ROWS (sizeof rows / sizeof *rows)

void fixture_documents(front *state) {
    drt_document *documents = calloc(N_ROWS, sizeof *documents);
    int64_t chunk = 0;
    assert_non_null(documents);
    for (size_t i = 0; i < N_ROWS; i++) {
        documents[i] = (drt_document){.id = (int64_t)i + 1,
                                      .path = owned(rows[i].path),
                                      .title = owned(rows[i].title),
                                      .format = owned(rows[i].format),
                                      .reason = owned(rows[i].reason),
                                      .status = rows[i].status,
                                      .bytes = rows[i].bytes,
                                      .chunks = rows[i].chunks,
                                      .first_chunk = chunk};
        chunk += rows[i].chunks;
    }
    assert_true(model_set_documents(&state->model, documents, N_ROWS));
    state->model.facts.documents = (int64_t)N_ROWS - 1;
    state->model.facts.skipped = 1;
    state->model.facts.chunks = chunk;
    front_changed(state, CHANGED_LIBRARY | CHANGED_DOCUMENTS);
}

/* ----------------------------------------------------------------------------------- answer ---- */

static const char *const passages[TOP_K] = {
    "The keeper of the lighthouse at Marn is Odo Veldt.",
    "He trims the lamp at dusk and writes the weather into a red book.",
    "The clock will be mended in May.",
    "Bring the blue lantern.",
};
static const int64_t hit_chunks[GROUPS][TOP_K] = {{3, 4, 57, 38}, {3, 22, 4, 50}};
static const float weights[GROUPS][TOP_K] = {{0.71f, 0.18f, 0.07f, 0.04f}, {0.52f, 0.3f, 0.12f, 0.06f}};

/* A word a slot, the space before it included, the last one with the rest; the last slot is the landmark's. */
static drt_range *slots_of(const char *text, int64_t start) {
    drt_range *slots = calloc(SLOTS, sizeof *slots);
    int64_t at = 0, length = (int64_t)strlen(text);
    assert_non_null(slots);
    for (int i = 0; i < SLOTS; i++) {
        int64_t end = at < length ? at + 1 : at;
        while (end < length && (text[end] != ' ' || i == SLOTS - 2))
            end++;
        slots[i] = (drt_range){start + at, start + end};
        at = end;
    }
    return slots;
}

static void fill_hit(drt_hit *hit, int group, int rank) {
    int64_t start = 47 + 100 * rank; /* where fixture_answer's passage has the first one */
    *hit = (drt_hit){.chunk = hit_chunks[group][rank],
                     .rank = rank + 1,
                     .score = 6.5f - (float)rank - 0.5f * (float)group,
                     .weight = weights[group][rank],
                     .document_id = rank == 2 ? 8 : 1,
                     .document = owned(rank == 2 ? "notes.md" : "books.zip/lighthouse.txt"),
                     .title = owned(rank == 2 ? NULL : "The Light at Marn"),
                     .start = start,
                     .end = start + (int64_t)strlen(passages[rank]),
                     .text = owned(passages[rank]),
                     .slots = slots_of(passages[rank], start)};
}

static void fill_event(drt_event *event, int step, int group) {
    *event = (drt_event){.step = step, .group = group, .null_mass = group == 0 ? 0.12f : 0.34f, .n_hits = TOP_K};
    event->hits = calloc(TOP_K, sizeof *event->hits);
    assert_non_null(event->hits);
    for (int i = 0; i < TOP_K; i++)
        fill_hit(&event->hits[i], group, i);
    event->histogram_low = -4;
    event->histogram_high = 7;
    for (int bin = 0; bin < DRT_HISTOGRAM_BINS; bin++)
        event->histogram[bin] = (uint32_t)(bin < 20 ? bin / 4 : bin < 44 ? (44 - bin) / 5 : bin == 63);
}

/* One token a word, the space before it included. */
static void fill_tokens(drt_answer *answer) {
    const char *text = answer->answer.data;
    size_t n = 1;
    for (const char *c = text; *c; c++)
        n += *c == ' ';
    answer->tokens = calloc(n, sizeof *answer->tokens);
    answer->token_ends = calloc(n, sizeof *answer->token_ends);
    answer->token_steps = calloc(n, sizeof *answer->token_steps);
    answer->attention = calloc(n * GROUPS * TOP_K * SLOTS, 1);
    assert_true(answer->tokens && answer->token_ends && answer->token_steps && answer->attention);
    for (const char *c = text; *c; c++)
        if (c[1] == ' ' || c[1] == '\0') {
            answer->token_steps[answer->n_tokens] = answer->n_tokens < 6 ? 0 : 1;
            answer->token_ends[answer->n_tokens++] = c + 1 - text;
        }
    for (size_t i = 0; i < n * GROUPS * TOP_K * SLOTS; i++)
        answer->attention[i] = (uint8_t)(i % SLOTS == i / (GROUPS * TOP_K * SLOTS) % SLOTS ? 200 : i % 7);
}

drt_answer *fixture_trace(void) {
    drt_answer *answer = calloc(1, sizeof *answer);
    assert_non_null(answer);
    answer->question = owned("Who is the keeper of the lighthouse at Marn?");
    answer->answer = owned("Odo Veldt is the keeper of the lighthouse at Marn.");
    answer->finish = DRT_FINISH_END;
    answer->n_groups = GROUPS;
    answer->top_k = TOP_K;
    answer->chunk_size = SLOTS;
    fill_tokens(answer);
    answer->n_steps = STEPS;
    answer->n_events = STEPS * GROUPS;
    answer->events = calloc(answer->n_events, sizeof *answer->events);
    answer->bm25 = calloc(STEPS, sizeof *answer->bm25);
    assert_true(answer->events && answer->bm25);
    for (int step = 0; step < STEPS; step++) {
        answer->bm25[step] = calloc(TOP_K, sizeof **answer->bm25);
        assert_non_null(answer->bm25[step]);
        memcpy(answer->bm25[step], (int64_t[TOP_K]){3, 57, 12, -1}, TOP_K * sizeof(int64_t));
        for (int group = 0; group < GROUPS; group++)
            fill_event(&answer->events[step * GROUPS + group], step, group);
    }
    answer->first_token_ms = 84;
    answer->total_ms = 610;
    strcpy(answer->retriever, "learned");
    answer->device = owned("cpu");
    answer->model = owned("drt-33m");
    answer->session = 1;
    return answer;
}

void fixture_answer(front *state) {
    ui_model *model = &state->model;
    drt_answer *trace = fixture_trace();
    model->turns = calloc(1, sizeof *model->turns);
    assert_non_null(model->turns);
    model->n_turns = 1;
    model->turns[0] = (model_turn){
        .question = owned(trace->question.data), .text = owned(trace->answer.data), .trace = trace, .time = 1790000000};
    model->device = owned("cpu");
    model->n_groups = GROUPS;
    model->top_k = TOP_K;
    model->passage = (model_passage){.loaded = true, .document = 1, .chunk = 3, .start = 47, .end = 97};
    model->passage.path = owned("books.zip/lighthouse.txt");
    model->passage.text = owned("The lighthouse stands on a rock of grey slate.\n"
                                "The keeper of the lighthouse at Marn is Odo Veldt.\n\n"
                                "He trims the lamp at dusk and writes the weather into a red book.");
    front_changed(state, CHANGED_ALL);
}

/* ------------------------------------------------------------------------------------ input ---- */

void fixture_press(front *state, ui_key key) {
    front_input(state, &(ui_event){.kind = EVENT_KEY, .key = key});
}

void fixture_type(front *state, const char *text) {
    for (; *text; text++)
        fixture_press(state, (ui_key)*text);
}

static bool row_holds(const cells *shown, int row, const char *text) {
    char *line = malloc((size_t)shown->columns * GLYPH_BYTES + 1);
    size_t length = 0;
    assert_non_null(line);
    for (int column = 0; column < shown->columns; column++) {
        const glyph *sign = &cells_at(shown, row, column)->shown;
        memcpy(line + length, sign->bytes, sign->length);
        length += sign->length;
    }
    line[length] = '\0';
    bool found = strstr(line, text);
    free(line);
    return found;
}

bool fixture_shows(front *state, int rows_shown, int columns, const char *text) {
    cells shown = {0};
    bool found = false;
    assert_true(cells_resize(&shown, rows_shown, columns));
    front_draw(state, &shown);
    for (int row = 0; row < rows_shown && !found; row++)
        found = row_holds(&shown, row, text);
    cells_free(&shown);
    return found;
}
