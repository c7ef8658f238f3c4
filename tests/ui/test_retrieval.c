/* The retrieval pane: the strip over the library, events, scores, hops; every sub-view and state as golden screens. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fixture.h"
#include "golden.h"
#include "ui/retrieval_parts.h"

/* ---------------------------------------------------------------------------------- fixture ---- */

static drt_string owned(const char *text) {
    drt_string out = {0};
    assert_true(model_string_set(&out, text, strlen(text)));
    return out;
}

/* Hit `rank` (from 0) of an event: weights halve, chunks are spread over the library. */
static drt_hit made_hit(const ui_model *model, int step, int group, int rank, int64_t chunks) {
    drt_hit hit = {.rank = rank + 1, .weight = 0.5f, .score = 9.25f - 0.5f * (float)rank - (float)group};
    for (int i = 0; i < rank; i++)
        hit.weight /= 2;
    hit.chunk = (int64_t)(((uint64_t)rank * 134623 + (uint64_t)group * 31 * (rank > 1) + (uint64_t)step * 104729) %
                          (uint64_t)chunks);
    const drt_document *document = model_document_of_chunk(model, hit.chunk);
    hit.document_id = document ? document->id : 0;
    hit.document = owned(document ? document->path.data : "books.zip/removed.txt");
    hit.text = owned("text");
    hit.end = 4;
    return hit;
}

/* A trace with these many events, of a library of `chunks` chunks, as the only turn. */
static void made_answer(front *state, int steps, int groups, int hits, int64_t chunks) {
    ui_model *model = &state->model;
    drt_answer *trace = calloc(1, sizeof *trace);
    model->turns = calloc(1, sizeof *model->turns);
    assert_true(trace && model->turns);
    trace->question = owned("What is where?");
    trace->answer = owned("It is there.");
    trace->n_groups = groups;
    trace->top_k = hits > 0 ? hits : 4;
    trace->chunk_size = 8;
    trace->n_steps = (size_t)steps;
    trace->n_events = (size_t)(steps * groups);
    trace->events = calloc(trace->n_events + 1, sizeof *trace->events);
    trace->bm25 = calloc(trace->n_steps + 1, sizeof *trace->bm25);
    strcpy(trace->retriever, "learned");
    assert_true(trace->events && trace->bm25);
    for (int step = 0; step < steps; step++) {
        trace->bm25[step] = calloc((size_t)trace->top_k, sizeof **trace->bm25);
        assert_non_null(trace->bm25[step]);
        for (int i = 0; i < trace->top_k; i++)
            trace->bm25[step][i] = hits == 0 ? -1 : (int64_t)i * 2 * 134623 % chunks;
        for (int group = 0; group < groups; group++) {
            drt_event *event = &trace->events[step * groups + group];
            *event = (drt_event){.step = step, .group = group, .null_mass = hits > 0 ? 0.1f : 1};
            event->hits = calloc((size_t)hits + 1, sizeof *event->hits);
            assert_non_null(event->hits);
            event->n_hits = (size_t)hits;
            for (int i = 0; i < hits; i++)
                event->hits[i] = made_hit(model, step, group, i, chunks);
            event->histogram_low = -6;
            event->histogram_high = 9.5f;
            for (int bin = 0; bin < DRT_HISTOGRAM_BINS && hits > 0; bin++)
                event->histogram[bin] = (uint32_t)(chunks >> (bin > 24 ? bin - 24 : 24 - bin));
            for (int i = 0; i < hits; i++)
                event->histogram[(int)((event->hits[i].score + 6) / 15.5f * 63.99f)]++;
        }
    }
    model->n_turns = 1;
    model->turns[0] = (model_turn){.question = owned("What is where?"), .text = owned("It is there."), .trace = trace};
    model->n_groups = groups;
    model->facts.chunks = chunks;
    front_changed(state, CHANGED_ALL);
    front_act(state, &(ui_action){.kind = ACTION_PLACE});
}

/* `n` documents of as many chunks each; those whose number is a multiple of `removed` are not there. */
static void made_documents(front *state, size_t n, int64_t chunks, size_t removed) {
    drt_document *documents = calloc(n, sizeof *documents);
    size_t kept = 0;
    assert_non_null(documents);
    for (size_t i = 0; i < n; i++) {
        char path[96];
        if (removed > 0 && i % removed == 0)
            continue;
        snprintf(path, sizeof path, "shelf-%zu.tar/volume-%zu/text-%05zu.txt", i * 6 / n + 1, i / 100, i);
        documents[kept++] = (drt_document){.id = (int64_t)i + 1,
                                           .path = owned(path),
                                           .format = owned("text"),
                                           .bytes = chunks * 200,
                                           .chunks = chunks,
                                           .first_chunk = (int64_t)i * chunks};
    }
    assert_true(model_set_documents(&state->model, documents, kept));
    state->model.facts.documents = (int64_t)kept;
    state->model.facts.chunks = (int64_t)n * chunks;
    state->model.facts.dead_chunks = (int64_t)(n - kept) * chunks;
    front_changed(state, CHANGED_LIBRARY | CHANGED_DOCUMENTS);
}

static void open_example(front *shown, fixture_outside *outside) {
    fixture_open(shown, outside);
    fixture_documents(shown);
    fixture_answer(shown);
    fixture_press(shown, '3');
}

/* ------------------------------------------------------------------------------------- strip ---- */

static void every_chunk_is_in_one_cell_at_every_zoom(void **state) {
    (void)state;
    static const int64_t sizes[] = {1, 2, 7, 59, 60, 61, 1000, 65537, 1000000, INT64_C(2000000000)};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int columns = 1; columns <= 200; columns += 13) {
            heat strip = {.cursor = sizes[i] - 1};
            heat_arrange(&strip, sizes[i], columns);
            int64_t first, end;
            heat_window(&strip, &first, &end);
            assert_true(first == 0 && end == sizes[i]);
            assert_true(strip.cells * strip.cell_columns <= columns);
            do {
                int64_t from, to;
                heat_arrange(&strip, sizes[i], columns);
                heat_cursor_range(&strip, &from, &to);
                assert_true(from <= strip.cursor && strip.cursor < to && to <= sizes[i]);
                heat_window(&strip, &first, &end);
                assert_true(columns < strip.cell_columns || (from >= first && to <= end));
            } while (heat_zoom(&strip, true));
            assert_int_equal(strip.total_cells, sizes[i]);
            assert_int_equal(strip.cell_columns, HEAT_WIDEST);
            while (heat_zoom(&strip, false))
                ;
            heat_window(&strip, &first, &end);
            assert_true(first == 0 && end == sizes[i]);
        }
}

static void the_cursor_walks_over_the_whole_library(void **state) {
    (void)state;
    heat strip = {0};
    heat_arrange(&strip, 100000, 60);
    heat_zoom(&strip, true);
    int64_t before = -1;
    int steps = 0;
    while (strip.cursor != before) {
        before = strip.cursor;
        heat_move(&strip, 1);
        steps++;
    }
    assert_int_equal(steps, strip.total_cells);
    int64_t from, to;
    heat_cursor_range(&strip, &from, &to);
    assert_int_equal(to, 100000);
    heat_move(&strip, -1000000);
    assert_int_equal(strip.cursor, 0);
}

static void a_cell_shows_the_largest_weight_in_it(void **state) {
    (void)state;
    ui_model model = {0};
    drt_hit hits[] = {{.chunk = 4, .weight = 0.2f}, {.chunk = 5, .weight = 0.6f}, {.chunk = 90, .weight = 0.2f}};
    drt_event event = {.hits = hits, .n_hits = 3};
    heat strip = {0};
    cells out = {0};
    assert_true(cells_resize(&out, 1, 10));
    heat_arrange(&strip, 100, 10);
    heat_draw_weights(&strip, &model, &event, &out, cells_area(&out));
    assert_int_equal(cells_at(&out, 0, 0)->look, theme_heat(0.6f));
    assert_int_equal(cells_at(&out, 0, 9)->look, theme_heat(0.2f));
    assert_int_equal(cells_at(&out, 0, 5)->look, ROLE_DIM);
    cells_free(&out);
}

/* ------------------------------------------------------------------------------------- keys ---- */

static void arrows_move_through_all_hits_of_all_events(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    open_example(&shown, &outside);
    for (int i = 0; i < 4; i++)
        fixture_press(&shown, UI_KEY_DOWN);
    assert_int_equal(shown.model.place.group, 1); /* past the last hit of group 1 */
    assert_int_equal(shown.model.place.hit, 0);
    fixture_press(&shown, 'G');
    assert_int_equal(shown.model.place.step, 1);
    assert_int_equal(shown.model.place.group, 1);
    assert_int_equal(shown.model.place.hit, 3);
    fixture_press(&shown, 'g');
    assert_int_equal(shown.model.place.step, 0);
    fixture_press(&shown, ']');
    assert_int_equal(shown.model.place.step, 1);
    fixture_press(&shown, 'w');
    assert_int_equal(shown.model.place.group, 1);
    fixture_press(&shown, ']'); /* there is no third step */
    assert_int_equal(shown.model.place.step, 1);
    assert_true(fixture_shows(&shown, 24, 80, "This is the last step."));
    front_free(&shown);
}

static void the_strips_cursor_finds_hits_and_opens_chunks(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    open_example(&shown, &outside);
    assert_true(fixture_shows(&shown, 24, 80, "all 64 chunks, 1.1 a cell"));
    fixture_press(&shown, '+');
    assert_true(fixture_shows(&shown, 24, 80, "chunk 3"));
    fixture_press(&shown, UI_KEY_RIGHT);
    assert_int_equal(shown.model.place.hit, 1); /* chunk 4 was the second hit */
    fixture_press(&shown, UI_KEY_RIGHT);
    assert_true(fixture_shows(&shown, 24, 80, "chunk 5"));
    fixture_press(&shown, UI_KEY_ENTER);
    assert_int_equal(outside.last.kind, ACTION_OPEN_CHUNK);
    assert_int_equal(outside.last.number, 5);
    assert_int_equal(shown.focus, PANE_PASSAGE);
    front_free(&shown);
}

static void a_click_on_the_strip_finds_the_hit(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    open_example(&shown, &outside);
    fixture_press(&shown, '+'); /* single chunks, from the first on */
    assert_true(fixture_shows(&shown, 24, 80, "group 1"));
    int row = shown.panes[PANE_RETRIEVAL].area.row + 3, column = shown.panes[PANE_RETRIEVAL].area.column + 1 + 9;
    front_input(&shown, &(ui_event){.kind = EVENT_MOUSE, .mouse = MOUSE_PRESS, .row = row, .column = column + 38});
    assert_true(fixture_shows(&shown, 24, 80, "chunk 38"));
    assert_int_equal(shown.model.place.hit, 3);
    front_free(&shown);
}

static void hops_move_between_what_was_found_and_what_is_new(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    open_example(&shown, &outside);
    fixture_press(&shown, 'p');
    assert_true(fixture_shows(&shown, 24, 80, "having read them, group 2 kept 2 (0.64), 2 new"));
    assert_int_equal(hops_lines(hops_of(&shown.model)), 6);
    fixture_press(&shown, 'G');
    assert_int_equal(shown.model.place.group, 1);
    assert_int_equal(shown.model.place.hit, 3);
    assert_int_equal(hops_line_of(hops_of(&shown.model), shown.model.place), 5);
    fixture_press(&shown, 'g');
    assert_int_equal(shown.model.place.group, 0);
    front_free(&shown);
}

static void every_line_of_the_table_leads_to_its_place(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    fixture_open(&shown, &outside);
    fixture_documents(&shown);
    made_answer(&shown, 5, 2, 3, 64);
    drt_answer *trace = shown.model.turns[0].trace;
    for (size_t hit = 0; hit < 3; hit++) { /* an event without hits has a line too */
        drt_string_free(&trace->events[3].hits[hit].document);
        drt_string_free(&trace->events[3].hits[hit].text);
    }
    trace->events[3].n_hits = 0;
    assert_int_equal(events_lines(trace), 9 * 3 + 1);
    for (size_t line = 0; line < events_lines(trace); line++) {
        trace_place place = {0};
        events_place_of(trace, line, &place);
        assert_int_equal(events_line_of(trace, place), line);
    }
    front_free(&shown);
}

/* ------------------------------------------------------------------------------------ compare ---- */

/* Sessions to choose from; the first one is the trace that is looked at. */
static void made_sessions(front *state) {
    static const char *const questions[] = {
        "Who is the keeper of the lighthouse at Marn?", "Who keeps the light?",
        ("Wer ist \xC3\x9C"
         "berlinger?"),
        "\xE6\xBC\xA2\xE5\xAD\x97\xE3\x81\xAF\xE4\xBD\x95\xE3\x81\xA7\xE3\x81\x99\xE3\x81\x8B"};
    size_t n = sizeof questions / sizeof *questions;
    state->model.sessions = calloc(n, sizeof *state->model.sessions);
    assert_non_null(state->model.sessions);
    for (size_t i = 0; i < n; i++)
        state->model.sessions[i] =
            (drt_session_summary){.id = (int64_t)i + 1, .question = owned(questions[i]), .answer = owned("An answer.")};
    state->model.n_sessions = n;
    front_changed(state, CHANGED_SESSIONS);
}

/* The example's trace, but its first group found other chunks and had one step. */
static drt_answer *other_trace(void) {
    drt_answer *trace = fixture_trace();
    drt_event *event = &trace->events[0];
    assert_true(model_string_set(&trace->question, "Who keeps the light?", 20));
    event->null_mass = 0.4f;
    event->hits[0].weight = 0.35f;
    event->hits[1].chunk = 30;
    event->hits[2].weight = 0.4f;
    return trace;
}

static void a_trace_is_compared_with_a_chosen_session(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    open_example(&shown, &outside);
    fixture_press(&shown, 'C');
    assert_true(fixture_shows(&shown, 24, 80, "No question has been asked in this library yet."));
    made_sessions(&shown);
    golden_check_sizes("compare-choosing", &shown);
    assert_false(fixture_shows(&shown, 24, 80, "lighthouse at Marn?")); /* not with itself */
    fixture_press(&shown, '/');
    fixture_type(&shown, "KEEPS");
    assert_false(fixture_shows(&shown, 24, 80, "berlinger"));
    fixture_press(&shown, UI_KEY_ENTER);
    assert_int_equal(outside.last.kind, ACTION_COMPARE);
    assert_int_equal(outside.last.number, 2);
    assert_true(fixture_shows(&shown, 24, 80, "The other trace is being read."));
    shown.model.compared = other_trace();
    front_changed(&shown, CHANGED_COMPARED);
    assert_true(fixture_shows(&shown, 24, 80, "3 shared of 4 and 4; their weight in A 0.82, in B 0.79"));
    assert_true(fixture_shows(&shown, 24, 80, "-0.36"));
    golden_check_sizes("compare", &shown);
    fixture_press(&shown, 'w');
    assert_true(fixture_shows(&shown, 24, 80, "group 2: 4 shared of 4 and 4"));
    front_free(&shown);
}

static void enter_leaves_the_comparison_at_its_chunk(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    open_example(&shown, &outside);
    shown.model.compared = other_trace();
    fixture_press(&shown, 'C');
    fixture_press(&shown, 'j');
    fixture_press(&shown, UI_KEY_ENTER);
    assert_int_equal(shown.n_overlays, 0);
    assert_int_equal(shown.focus, PANE_PASSAGE);
    assert_int_equal(shown.model.place.hit, 2); /* chunk 57: 0.40 in B */
    front_free(&shown);
}

/* ------------------------------------------------------------------------------------ golden ---- */

static void golden_parts(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    open_example(&shown, &outside);
    golden_check_sizes("retrieval-events", &shown);
    fixture_press(&shown, 'c');
    golden_check_sizes("retrieval-scores", &shown);
    fixture_press(&shown, 'p');
    golden_check_sizes("retrieval-hops", &shown);
    fixture_press(&shown, 'p');
    fixture_press(&shown, 'z');
    golden_check_sizes("retrieval-whole-screen", &shown);
    for (int i = 0; i < 4; i++)
        fixture_press(&shown, '+');
    golden_check_sizes("retrieval-single-chunks", &shown);
    front_free(&shown);
}

/* The smallest screen that is drawn. */
static void golden_smallest(void **state) {
    (void)state;
    static const struct {
        const char *name;
        ui_key key;
    } cases[] = {{"retrieval-events-40x12", UI_KEY_DOWN},
                 {"retrieval-events-whole-40x12", 'z'},
                 {"retrieval-scores-40x12", 'c'},
                 {"retrieval-hops-40x12", 'p'},
                 {"compare-40x12", 'C'}};
    front shown;
    fixture_outside outside;
    cells out = {0};
    open_example(&shown, &outside);
    shown.model.compared = other_trace();
    assert_true(cells_resize(&out, 12, 40));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture_press(&shown, cases[i].key);
        front_draw(&shown, &out);
        golden_check(cases[i].name, &out);
    }
    cells_free(&out);
    front_free(&shown);
}

static void golden_absence(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    fixture_open(&shown, &outside);
    fixture_press(&shown, '3');
    golden_check_sizes("retrieval-no-trace", &shown);
    fixture_documents(&shown);
    made_answer(&shown, 1, 2, 0, 64);
    golden_check_sizes("retrieval-no-hits", &shown);
    front_free(&shown);
}

/* While the answer grows: retrievals without histograms and BM25. */
static void golden_growing(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    fixture_open(&shown, &outside);
    fixture_documents(&shown);
    made_answer(&shown, 1, 2, 4, 64);
    model_turn *turn = &shown.model.turns[0];
    turn->live = turn->trace;
    turn->trace = NULL;
    for (size_t i = 0; i < turn->live->n_events; i++)
        memset(turn->live->events[i].histogram, 0, sizeof turn->live->events[i].histogram);
    for (int i = 0; i < turn->live->top_k; i++)
        turn->live->bm25[0][i] = -1;
    *turn->live->retriever = '\0';
    front_changed(&shown, CHANGED_TURNS);
    fixture_press(&shown, '3');
    fixture_press(&shown, 'c');
    assert_true(fixture_shows(&shown, 24, 80, "being answered"));
    assert_false(fixture_shows(&shown, 24, 80, "It found nothing."));
    golden_check_sizes("retrieval-growing", &shown);
    front_free(&shown);
}

static void golden_counts(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int steps, groups, hits;
        char key;
    } cases[] = {
        {"retrieval-one-hit", 1, 2, 1, 'w'},     {"retrieval-one-group", 2, 1, 4, 'p'},
        {"retrieval-16-hits", 1, 2, 16, 'c'},    {"retrieval-many-steps", 40, 2, 8, 'G'},
        {"retrieval-four-groups", 2, 4, 6, 'w'},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        front shown;
        fixture_outside outside;
        fixture_open(&shown, &outside);
        fixture_documents(&shown);
        made_answer(&shown, cases[i].steps, cases[i].groups, cases[i].hits, 64);
        fixture_press(&shown, '3');
        fixture_press(&shown, (ui_key)cases[i].key);
        golden_check_sizes(cases[i].name, &shown);
        front_free(&shown);
    }
}

static void golden_libraries(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    fixture_open(&shown, &outside);
    made_documents(&shown, 20000, 50, 0);
    made_answer(&shown, 1, 2, 8, 1000000);
    fixture_press(&shown, '3');
    golden_check_sizes("retrieval-million-chunks", &shown);
    for (int i = 0; i < 10; i++)
        fixture_press(&shown, '+');
    golden_check_sizes("retrieval-million-chunks-zoomed", &shown);
    front_free(&shown);
    fixture_open(&shown, &outside);
    made_documents(&shown, 8, 8, 3);
    made_answer(&shown, 1, 2, 8, 64);
    fixture_press(&shown, '3');
    golden_check_sizes("retrieval-removed-documents", &shown);
    front_free(&shown);
}

static void golden_names(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    open_example(&shown, &outside);
    drt_event *event = &shown.model.turns[0].trace->events[0];
    for (size_t i = 0; i < shown.model.n_documents; i++)
        if (i != 4)
            assert_true(
                model_string_append(&shown.model.documents[i].path, "-\xE6\xBC\xA2\xE5\xAD\x97\xE3\x81\xAE", 10));
    static const char longer[] = "/a very long name of a text that nobody would ever want to type again";
    for (int i = 0; i < 3; i++)
        assert_true(model_string_append(&event->hits[0].document, longer, strlen(longer)));
    for (size_t i = 1; i < 3; i++) {
        static const char wide[] =
            "/\xE6\xBC\xA2\xE5\xAD\x97\xE3\x81\xAE\xE6\x9C\xAC\xE6\xBC\xA2\xE5\xAD\x97\xE3\x81\xAE"
            "\xE6\x9C\xAC\xE6\xBC\xA2\xE5\xAD\x97\xE3\x81\xAE\xE6\x9C\xAC"
            "e\xCC\x81.txt";
        assert_true(model_string_append(&event->hits[i].document, wide, strlen(wide)));
    }
    golden_check_sizes("retrieval-names", &shown);
    front_free(&shown);
}

/* Any trace at any size: nothing may fail, whatever the numbers say. */
static void hostile_numbers_draw_at_every_size(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    cells out = {0};
    open_example(&shown, &outside);
    drt_answer *trace = shown.model.turns[0].trace;
    for (size_t i = 0; i < trace->n_events; i++) {
        trace->events[i].hits[0].weight = i % 2 ? (float)NAN : 40;
        trace->events[i].hits[1].score = (float)INFINITY;
        trace->events[i].hits[2].chunk = i % 2 ? INT64_MAX - 1 : -5;
        trace->events[i].hits[3].rank = -3;
        trace->events[i].histogram_high = i % 2 ? (float)NAN : trace->events[i].histogram_low;
    }
    made_sessions(&shown);
    shown.model.compared = other_trace();
    shown.model.compared->events[0].hits[2].chunk = INT64_MAX;
    front_changed(&shown, CHANGED_ALL);
    for (int i = 0; i < 4000; i++) {
        static const char keys[] = "cp+-w[]lhjkzgGC\r3\033/";
        fixture_press(&shown, (ui_key)keys[(i * 7 + i / 5) % (int)(sizeof keys - 1)]);
        out.ascii = i % 2;
        assert_true(cells_resize(&out, 12 + i % 60, 40 + i * 3 % 200));
        front_draw(&shown, &out);
    }
    cells_free(&out);
    front_free(&shown);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_chunk_is_in_one_cell_at_every_zoom),
        cmocka_unit_test(the_cursor_walks_over_the_whole_library),
        cmocka_unit_test(a_cell_shows_the_largest_weight_in_it),
        cmocka_unit_test(arrows_move_through_all_hits_of_all_events),
        cmocka_unit_test(the_strips_cursor_finds_hits_and_opens_chunks),
        cmocka_unit_test(a_click_on_the_strip_finds_the_hit),
        cmocka_unit_test(hops_move_between_what_was_found_and_what_is_new),
        cmocka_unit_test(every_line_of_the_table_leads_to_its_place),
        cmocka_unit_test(a_trace_is_compared_with_a_chosen_session),
        cmocka_unit_test(enter_leaves_the_comparison_at_its_chunk),
        cmocka_unit_test(golden_parts),
        cmocka_unit_test(golden_smallest),
        cmocka_unit_test(golden_absence),
        cmocka_unit_test(golden_growing),
        cmocka_unit_test(golden_counts),
        cmocka_unit_test(golden_libraries),
        cmocka_unit_test(golden_names),
        cmocka_unit_test(hostile_numbers_draw_at_every_size),
    };
    setenv("TZ", "UTC", 1); /* the sessions show local time */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
