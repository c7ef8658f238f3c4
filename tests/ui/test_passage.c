/* The passage pane: its text, the shading of each token, moving by token and hit, context, search. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fixture.h"
#include "golden.h"
#include "ui/attention.h"

static void open_passage(front *shown, fixture_outside *outside) {
    fixture_open(shown, outside);
    fixture_documents(shown);
    fixture_answer(shown);
    fixture_press(shown, '4');
}

static drt_answer *trace_of(front *shown) {
    return shown->model.turns[0].trace;
}

static attribute look_of(front *shown, const char *word) {
    cells out = {0};
    attribute look = 0;
    size_t length = strlen(word);
    assert_true(cells_resize(&out, 40, 120));
    front_draw(shown, &out);
    for (int row = 24; row < 36 && !look; row++)
        for (int column = 48; column + (int)length < 120 && !look; column++) {
            size_t i = 0;
            while (i < length && cells_at(&out, row, column + (int)i)->shown.bytes[0] == word[i])
                i++;
            if (i == length)
                look = cells_at(&out, row, column)->look;
        }
    cells_free(&out);
    return look;
}

static void tokens_shade_what_they_looked_at(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    open_passage(&shown, &outside);
    /* token i looks most at slot i: words of "The keeper of the lighthouse ..." */
    assert_int_equal(look_of(&shown, "The keeper") & ATTRIBUTE_ROLE, ROLE_SHADE_8);
    fixture_press(&shown, '.');
    assert_int_equal(shown.model.place.token, 1);
    assert_int_equal(look_of(&shown, "keeper of the") & ATTRIBUTE_ROLE, ROLE_SHADE_8);
    assert_int_not_equal(look_of(&shown, "The keeper") & ATTRIBUTE_ROLE, ROLE_SHADE_8);
    fixture_press(&shown, ',');
    fixture_press(&shown, ',');
    assert_int_equal(shown.model.place.token, 0);
    front_free(&shown);
}

static void the_page_is_told_where_there_are_pages(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    open_passage(&shown, &outside);
    assert_false(fixture_shows(&shown, 40, 120, "p. 7"));
    drt_event *event = &trace_of(&shown)->events[shown.model.place.group];
    event->hits[shown.model.place.hit].page = 7;
    assert_true(fixture_shows(&shown, 40, 120, "p. 7"));
    front_free(&shown);
}

static void the_step_follows_the_token(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    open_passage(&shown, &outside);
    for (int i = 0; i < 6; i++)
        fixture_press(&shown, UI_KEY_RIGHT);
    assert_int_equal(shown.model.place.token, 6);
    assert_int_equal(shown.model.place.step, 1);
    for (int i = 0; i < 20; i++)
        fixture_press(&shown, '.');
    assert_int_equal(shown.model.place.token, 9);
    front_act(&shown, &(ui_action){.kind = ACTION_PLACE, .place = {.step = 0, .token = 9}});
    assert_true(fixture_shows(&shown, 40, 120, "another step's passages"));
    front_free(&shown);
}

static void hits_follow_each_other_through_all_events(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    open_passage(&shown, &outside);
    fixture_press(&shown, '[');
    assert_int_equal(shown.model.place.hit, 0);
    for (int i = 0; i < 15; i++) {
        assert_int_equal(shown.model.place.step * 8 + shown.model.place.group * 4 + (int)shown.model.place.hit, i);
        fixture_press(&shown, ']');
    }
    assert_int_equal(shown.model.place.token, 6); /* the first one of step 1 */
    fixture_press(&shown, ']');
    assert_int_equal(shown.model.place.hit, 3);
    for (int i = 0; i < 4; i++)
        fixture_press(&shown, '[');
    assert_int_equal(shown.model.place.group, 0);
    fixture_press(&shown, 'w');
    assert_int_equal(shown.model.place.group, 1);
    front_free(&shown);
}

static void without_its_document_the_traces_text_is_shown(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    open_passage(&shown, &outside);
    assert_true(fixture_shows(&shown, 40, 120, "rock of grey slate"));
    model_clear_passage(&shown.model.passage);
    front_changed(&shown, CHANGED_PASSAGE);
    assert_false(fixture_shows(&shown, 40, 120, "rock of grey slate"));
    assert_true(fixture_shows(&shown, 40, 120, "The keeper of the lighthouse at Marn is Odo Veldt."));
    assert_int_equal(look_of(&shown, "The keeper") & ATTRIBUTE_ROLE, ROLE_SHADE_8);
    front_free(&shown);
}

static void a_chunk_of_no_hit_has_no_shading(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    open_passage(&shown, &outside);
    shown.model.passage.chunk = 9;
    front_changed(&shown, CHANGED_PASSAGE);
    assert_true(fixture_shows(&shown, 40, 120, "chunk 9"));
    assert_int_equal(look_of(&shown, "The keeper") & ATTRIBUTE_ROLE, ROLE_CHUNK);
    fixture_press(&shown, '.');
    assert_int_equal(outside.last.kind, ACTION_OPEN_CHUNK);
    assert_int_equal(outside.last.number, 3);
    front_free(&shown);
}

static void context_grows_and_shrinks(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    open_passage(&shown, &outside);
    for (int i = 0; i < 9; i++)
        fixture_press(&shown, '-');
    assert_false(fixture_shows(&shown, 40, 120, "rock of grey slate"));
    assert_true(fixture_shows(&shown, 40, 120, "The keeper of"));
    for (int i = 0; i < 9; i++)
        fixture_press(&shown, '+');
    assert_true(fixture_shows(&shown, 40, 120, "rock of grey slate"));
    front_free(&shown);
}

static void search_finds_in_what_is_shown(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    open_passage(&shown, &outside);
    fixture_press(&shown, '/');
    fixture_type(&shown, "GREY");
    fixture_press(&shown, UI_KEY_ENTER);
    assert_int_equal(look_of(&shown, "grey") & ATTRIBUTE_ROLE, ROLE_MATCH);
    fixture_press(&shown, '/');
    fixture_type(&shown, "zeppelin");
    fixture_press(&shown, UI_KEY_ENTER);
    assert_int_equal(shown.model.notice, NOTICE_INFO);
    fixture_press(&shown, UI_KEY_ENTER);
    assert_int_equal(outside.last.kind, ACTION_OPEN_DOCUMENT);
    assert_int_equal(outside.last.number, 1);
    front_free(&shown);
}

static void slots_of_one_character_are_summed(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    attention looked;
    open_passage(&shown, &outside);
    drt_answer *trace = trace_of(&shown);
    uint8_t *shares = trace->attention; /* token 0, group 0, hit 0 */
    drt_range *slots = trace->events[0].hits[0].slots;
    memset(shares, 0, (size_t)(trace->top_k * trace->chunk_size));
    shares[2] = 51;
    shares[3] = 102;
    slots[3] = slots[2];
    shares[7] = 100; /* the landmark: no text */
    assert_int_equal(attention_of(&shown.model, &looked), ATTENTION_KNOWN);
    assert_float_equal(looked.here, 0.6f, 1e-6f);
    assert_float_equal(looked.largest, 0.6f, 1e-6f);
    assert_float_equal(attention_share(&looked, 3), 0.6f, 1e-6f);
    assert_int_equal(looked.top[0], 2);
    assert_int_equal(looked.top[1], -1);
    shares[2] = shares[3] = 0;
    assert_int_equal(attention_of(&shown.model, &looked), ATTENTION_NOWHERE);
    front_free(&shown);
}

static void traces_that_lack_something_say_so(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    attention looked;
    open_passage(&shown, &outside);
    drt_answer *trace = trace_of(&shown);
    free(trace->events[0].hits[0].slots);
    trace->events[0].hits[0].slots = NULL;
    assert_int_equal(attention_of(&shown.model, &looked), ATTENTION_NO_RANGES);
    front_changed(&shown, CHANGED_TURNS);
    fixture_press(&shown, 'z');
    golden_check_sizes("passage-no-ranges", &shown);
    free(trace->attention);
    trace->attention = NULL;
    assert_int_equal(attention_of(&shown.model, &looked), ATTENTION_NOT_RECORDED);
    fixture_press(&shown, 'z');
    front_changed(&shown, CHANGED_TURNS);
    assert_true(fixture_shows(&shown, 40, 120, "No attention was recorded"));
    trace->n_tokens = 0;
    front_changed(&shown, CHANGED_TURNS);
    assert_true(fixture_shows(&shown, 40, 120, "The shading comes with"));
    front_free(&shown);
}

static void golden_screens(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    open_passage(&shown, &outside);
    fixture_press(&shown, 'z'); /* the pane alone */
    golden_check_sizes("passage", &shown);
    fixture_press(&shown, '.');
    fixture_press(&shown, 'w');
    golden_check_sizes("passage-second-group", &shown);
    fixture_press(&shown, '/');
    fixture_type(&shown, "slate");
    golden_check_sizes("passage-search", &shown);
    fixture_press(&shown, UI_KEY_ESCAPE);
    model_string_set(&shown.model.passage.error, "chunk 3 is not in the library any more", 38);
    shown.model.passage.loaded = false;
    front_changed(&shown, CHANGED_PASSAGE);
    golden_check_sizes("passage-removed", &shown);
    front_free(&shown);
    fixture_open(&shown, &outside);
    fixture_press(&shown, '4');
    fixture_press(&shown, 'z');
    golden_check_sizes("passage-none", &shown);
    front_free(&shown);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_shade_what_they_looked_at),
        cmocka_unit_test(the_page_is_told_where_there_are_pages),
        cmocka_unit_test(the_step_follows_the_token),
        cmocka_unit_test(hits_follow_each_other_through_all_events),
        cmocka_unit_test(without_its_document_the_traces_text_is_shown),
        cmocka_unit_test(a_chunk_of_no_hit_has_no_shading),
        cmocka_unit_test(context_grows_and_shrinks),
        cmocka_unit_test(search_finds_in_what_is_shown),
        cmocka_unit_test(slots_of_one_character_are_summed),
        cmocka_unit_test(traces_that_lack_something_say_so),
        cmocka_unit_test(golden_screens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
