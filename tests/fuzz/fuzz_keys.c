/* Fuzz target: bytes as what a terminal sends, to the whole front, drawn at changing sizes while news of the engine
 * comes in. The byte FF is followed by what else happens: a size, a message, a pause after an escape byte. */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tests/ui/fixture.h"
#include "ui/news.h"

typedef struct {
    front shown;
    fixture_outside outside;
    event_decoder input;
    cells out;
} session;

static void hear(session *s, bool late) {
    for (ui_event event; (event = events_next(&s->input, late)).kind != EVENT_NONE;)
        front_input(&s->shown, &event);
}

static void draw(session *s, uint8_t size) {
    static const int rows[] = {1, 2, 11, 12, 24, 40, 60, 100}, columns[] = {1, 2, 39, 40, 80, 120, 200, 300};
    s->out.ascii = size >> 6 & 1;
    FUZZ_CHECK(cells_resize(&s->out, rows[size & 7], columns[size >> 3 & 7]));
    front_draw(&s->shown, &s->out);
}

static void tell(session *s, uint8_t what) {
    static const news_kind kinds[] = {NEWS_TOKEN,   NEWS_WARNING, NEWS_FAILED,   NEWS_ANSWER,
                                      NEWS_SESSION, NEWS_TEXT,    NEWS_INGESTED, NEWS_MEMBER};
    static const work_kind works[] = {WORK_ASK, WORK_CHUNK, WORK_INGEST, WORK_SESSION_COMPARE, WORK_SESSION_LOAD};
    static const char text[] = "e\xCC\x81 \xE7\x81\xAF \xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x9A\x80\nline";
    ui_model *model = &s->shown.model;
    news *message = calloc(1, sizeof *message);
    FUZZ_CHECK(message);
    message->kind = kinds[what % 8];
    message->work = works[what / 8 % 5];
    message->chunk = what % 70 - 1;
    message->document = what % 10;
    message->start = what % 8;
    message->end = (int64_t)sizeof text - 1;
    model_string_set(&message->text, text, sizeof text - 1);
    model_string_set(&message->path, text, sizeof text - 1);
    model_string_set(&message->reason, text, sizeof text - 1);
    if (message->kind == NEWS_ANSWER || message->kind == NEWS_SESSION)
        message->answer = fixture_trace();
    front_changed(&s->shown, model_take_news(model, message));
    if (model->n_turns > 40)
        return;
    if (what & 0x80 && model->answering == ANSWER_IDLE && model_begin_turn(model, text, sizeof text - 1))
        front_changed(&s->shown, CHANGED_TURNS | CHANGED_PLACE);
    if (what & 0x40 && !model->ingest.running)
        model_begin_ingest(model, "/tmp/texts");
}

static void happen(session *s, uint8_t what, uint8_t how) {
    hear(s, what & 1);
    if (what & 2)
        tell(s, how);
    if (what & 4 && s->shown.model.n_documents == 0)
        fixture_documents(&s->shown);
    draw(s, how);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    session s = {.out = {0}};
    fixture_open(&s.shown, &s.outside);
    if (size > 0 && data[0] & 1)
        fixture_documents(&s.shown);
    if (size > 0 && data[0] & 2)
        fixture_answer(&s.shown);
    for (size_t i = 1; i < size; i++) {
        if (data[i] == 0xFF && i + 2 < size) {
            happen(&s, data[i + 1], data[i + 2]);
            i += 2;
        } else {
            FUZZ_CHECK(events_feed(&s.input, &data[i], 1));
        }
    }
    hear(&s, true);
    draw(&s, 4 | 4 << 3);
    events_free(&s.input);
    cells_free(&s.out);
    front_free(&s.shown);
    return 0;
}
