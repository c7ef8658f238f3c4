/* ui.c: the application loop: input to the front, actions to the worker, news into the model, the front to the screen.
 * Nothing here waits for the engine. */
#include "ui/ui.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ui/evidence.h"
#include "ui/front.h"
#include "ui/news.h"
#include "ui/screen.h"

#define FRAME_MS 50     /* between two redraws: at most 20 a second */
#define LISTING_MS 2000 /* between two listings of what an ingest has added */

typedef struct {
    front front;
    screen *screen;
    worker *worker;
    const ui_params *params;
    event_decoder input;
    cells shown;
    bool quit, dirty;
    int64_t drawn_at;          /* ms */
    int64_t listed, listed_at; /* members of the ingest when the documents were listed last, and when, ms */
} ui;

static int64_t now_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* --------------------------------------------------------------------------------- requests ---- */

static void notice(ui *app, notice_kind kind, const char *text) {
    model_notice(&app->front.model, kind, text, strlen(text));
}

static void request(ui *app, work_kind kind, int64_t number) {
    worker_request(app->worker, &(work){.kind = kind, .number = number});
}

static void ask(ui *app, const ui_action *action) {
    if (app->front.model.answering != ANSWER_IDLE)
        return;
    if (!model_begin_turn(&app->front.model, action->text, action->length))
        return;
    const model_asking *asking = &app->front.model.asking;
    worker_request(app->worker, &(work){.kind = WORK_ASK,
                                        .text = action->text,
                                        .length = action->length,
                                        .path = asking->documents.data,
                                        .retriever = asking->retriever,
                                        .max_tokens = asking->max_tokens});
    front_changed(&app->front, CHANGED_TURNS | CHANGED_PLACE);
}

static void ingest(ui *app, const ui_action *action) {
    if (app->front.model.ingest.running) {
        notice(app, NOTICE_WARNING, "One ingest at a time: Ctrl-C stops this one.");
        return;
    }
    if (app->front.model.removing > 0) {
        notice(app, NOTICE_WARNING, "Documents are being removed; ingest when that is done.");
        return;
    }
    model_begin_ingest(&app->front.model, action->text);
    app->listed = 0;
    worker_request(app->worker, &(work){.kind = WORK_INGEST, .path = action->text});
    front_changed(&app->front, CHANGED_INGEST);
}

/* The text is made here, the file by the worker. */
static void export(ui *app, const ui_action *action, bool json) {
    const ui_model *model = &app->front.model;
    const drt_answer *trace = model->turn < model->n_turns ? model->turns[model->turn].trace : NULL;
    char *text = NULL;
    size_t length = 0;
    if (!trace || !app->params->export) {
        notice(app, NOTICE_WARNING, "There is no finished answer to export.");
        return;
    }
    FILE *out = open_memstream(&text, &length);
    if (out) {
        app->params->export(app->params->engine.user, trace, app->params->engine.library, json, out);
        bool whole = !ferror(out);
        whole = fclose(out) == 0 && whole;
        if (whole)
            worker_request(app->worker, &(work){.kind = WORK_WRITE,
                                                .number = action->number,
                                                .path = action->text,
                                                .text = text,
                                                .length = length});
        else
            notice(app, NOTICE_ERROR, "The export needs more memory than there is.");
    }
    free(text);
}

/* ----------------------------------------------------------------------------- own commands ---- */

/* The answer first, then the ingest: each Ctrl-C stops one. */
static void stop(ui *app) {
    if (app->front.model.answering != ANSWER_IDLE)
        worker_cancel(app->worker, WORK_ASK);
    else if (app->front.model.ingest.running)
        worker_cancel(app->worker, WORK_INGEST);
    else
        notice(app, NOTICE_INFO, "Nothing is running. q leaves the program (Esc first while typing).");
}

static void next_theme(ui *app) {
    char text[64];
    app->front.theme = (theme_id)((app->front.theme + 1) % THEME_COUNT);
    screen_set_theme(app->screen, app->front.theme);
    snprintf(text, sizeof text, "Theme: %s.", theme_name(app->front.theme));
    notice(app, NOTICE_INFO, text);
}

static void toggle_mouse(ui *app) {
    bool on = !screen_mouse(app->screen);
    screen_set_mouse(app->screen, on);
    notice(app, NOTICE_INFO, on ? "The mouse works in drt." : "The mouse is the terminal's: text can be selected.");
}

static void copy(ui *app) {
    const ui_model *model = &app->front.model;
    if (model->turn >= model->n_turns || !model->turns[model->turn].text.data)
        return;
    screen_copy(app->screen, model->turns[model->turn].text.data, model->turns[model->turn].text.length);
    notice(app, NOTICE_INFO, "The answer is on the clipboard, if this terminal allows it.");
}

static void do_command(ui *app, ui_command command) {
    switch (command) {
    case COMMAND_STOP:
        stop(app);
        return;
    case COMMAND_REDRAW:
        screen_redraw(app->screen);
        return;
    case COMMAND_SUSPEND:
        screen_suspend(app->screen);
        return;
    case COMMAND_THEME:
        next_theme(app);
        return;
    case COMMAND_MOUSE:
        toggle_mouse(app);
        return;
    case COMMAND_COPY:
        copy(app);
        return;
    default:
        return;
    }
}

static void take_action(void *user, const ui_action *action) {
    ui *app = user;
    switch (action->kind) {
    case ACTION_QUIT:
        app->quit = true;
        return;
    case ACTION_COMMAND:
        do_command(app, (ui_command)action->number);
        return;
    case ACTION_ASK:
        ask(app, action);
        return;
    case ACTION_PREPARE:
        request(app, WORK_PREPARE, 0);
        return;
    case ACTION_OPEN_DOCUMENT:
        request(app, WORK_TEXT, action->number);
        front_act(&app->front,
                  &(ui_action){.kind = ACTION_OVERLAY, .overlay = OVERLAY_DOCUMENT, .number = action->number});
        return;
    case ACTION_OPEN_CHUNK:
        request(app, WORK_CHUNK, action->number);
        return;
    case ACTION_LOAD_SESSION:
        request(app, WORK_SESSION_LOAD, action->number);
        return;
    case ACTION_COMPARE:
        request(app, WORK_SESSION_COMPARE, action->number);
        return;
    case ACTION_DELETE_SESSION:
        request(app, WORK_SESSION_DELETE, action->number);
        request(app, WORK_SESSIONS, 0);
        return;
    case ACTION_INGEST:
        ingest(app, action);
        return;
    case ACTION_COMPLETE:
        worker_request(app->worker, &(work){.kind = WORK_COMPLETE, .path = action->text});
        return;
    case ACTION_EXPORT_TEXT:
    case ACTION_EXPORT_JSON:
        export(app, action, action->kind == ACTION_EXPORT_JSON);
        return;
    case ACTION_REMOVE:
        if (app->front.model.ingest.running) {
            notice(app, NOTICE_WARNING, "Not while an ingest runs: Ctrl-C stops it.");
            return;
        }
        app->front.model.removing++;
        request(app, WORK_REMOVE, action->number);
        return;
    default:
        return;
    }
}

/* ------------------------------------------------------------------------------------- news ---- */

/* Looks at the passage that weighs most, from the token that looked at it most. */
static void show_best(ui *app) {
    const drt_answer *trace = model_trace(&app->front.model);
    evidence best[EVIDENCE_MAX];
    trace_place place = trace && evidence_of(trace, best) > 0 ? best[0].place : (trace_place){0};
    front_act(&app->front, &(ui_action){.kind = ACTION_PLACE, .place = place});
}

static void tell_ingested(ui *app) {
    const model_ingest *ingest = &app->front.model.ingest;
    const drt_ingest_report *report = &ingest->report;
    char text[256];
    snprintf(text, sizeof text, "%s: %lld read, %lld known, %lld skipped.%s",
             report->cancelled ? "Ingest stopped" : "Ingest done", (long long)(report->ok + report->partial),
             (long long)report->known, (long long)report->skipped,
             report->cancelled ? " The same path again goes on from there." : " I shows the report.");
    notice(app, report->skipped + report->partial > 0 ? NOTICE_WARNING : NOTICE_INFO, text);
}

static void tell_written(ui *app, const char *path) {
    char text[1024];
    snprintf(text, sizeof text, "Written: %s", path);
    notice(app, NOTICE_INFO, text);
}

/* What a message asks for in turn. */
static void follow_up(ui *app, news_kind kind, work_kind about) {
    const ui_model *model = &app->front.model;
    switch (kind) {
    case NEWS_LIBRARY:
        request(app, WORK_DOCUMENTS, 0);
        request(app, WORK_SESSIONS, 0);
        break;
    case NEWS_ANSWER:
        request(app, WORK_SESSIONS, 0);
        show_best(app);
        break;
    case NEWS_SESSION:
        if (about == WORK_SESSION_LOAD)
            show_best(app);
        break;
    case NEWS_EVENT:
        if (model_trace(model) && model_trace(model)->n_events == 1)
            show_best(app);
        break;
    case NEWS_INGESTED:
        tell_ingested(app);
        request(app, WORK_LIBRARY, 0);
        break;
    case NEWS_PROGRESS: /* what has been committed meanwhile */
        if (app->front.model.ingest.members_done > app->listed && now_ms() - app->listed_at >= LISTING_MS) {
            app->listed = app->front.model.ingest.members_done;
            app->listed_at = now_ms();
            request(app, WORK_LIBRARY, 0);
        }
        break;
    case NEWS_DONE:
    case NEWS_FAILED:
        if (about == WORK_INGEST) /* what was committed before is there */
            notice(app, NOTICE_ERROR, model->ingest.error.data ? model->ingest.error.data : "The ingest failed.");
        if (about == WORK_INGEST || (about == WORK_REMOVE && app->front.model.removing == 0))
            request(app, WORK_LIBRARY, 0);
        break;
    default:
        break;
    }
}

static void hear_news(ui *app) {
    unsigned changed = 0;
    for (news *message; (message = worker_news(app->worker));) {
        news_kind kind = message->kind;
        work_kind about = message->work;
        if (kind == NEWS_DONE && about == WORK_WRITE && message->path.data)
            tell_written(app, message->path.data);
        changed |= model_take_news(&app->front.model, message);
        if (kind == NEWS_ANSWER || kind == NEWS_SESSION || kind == NEWS_EVENT) {
            front_changed(&app->front, changed);
            changed = 0;
        }
        follow_up(app, kind, about);
    }
    front_changed(&app->front, changed);
}

/* late: what has begun gets no more bytes. */
static void hear_input(ui *app, bool late) {
    for (ui_event event; (event = events_next(&app->input, late)).kind != EVENT_NONE && !app->quit;)
        front_input(&app->front, &event);
}

/* ------------------------------------------------------------------------------------- loop ---- */

static void draw(ui *app) {
    if (cells_resize(&app->shown, screen_rows(app->screen), screen_columns(app->screen))) {
        front_draw(&app->front, &app->shown);
        screen_present(app->screen, &app->shown);
    }
    app->drawn_at = now_ms();
    app->dirty = false;
}

/* How long to wait: until the next frame is due, or an escape sequence has had its time; else for ever. */
static int patience(const ui *app) {
    if (app->dirty) {
        int64_t due = app->drawn_at + FRAME_MS - now_ms();
        return due > 0 ? (int)due : 0;
    }
    return events_waits(&app->input) ? EVENT_ESCAPE_MS : -1;
}

static void loop(ui *app) {
    while (!app->quit) {
        bool waits = events_waits(&app->input);
        int heard = screen_wait(app->screen, &app->input, worker_fd(app->worker), patience(app));
        if (heard & SCREEN_GONE)
            return;
        if (heard & SCREEN_INPUT || waits)
            hear_input(app, !(heard & SCREEN_INPUT));
        if (heard & SCREEN_OTHER)
            hear_news(app);
        app->dirty = app->dirty || heard || waits;
        if (app->dirty && now_ms() - app->drawn_at >= FRAME_MS)
            draw(app);
    }
}

bool ui_run(const ui_params *params, char *why, size_t size) {
    ui app = {.params = params};
    ui_actions outside = {take_action, &app};
    screen_params look = {.theme = params->theme, .ascii = params->ascii, .mouse = params->mouse};
    if (!screen_usable(why, size))
        return false;
    bool ok = front_init(&app.front, params->engine.library, &outside);
    snprintf(why, size, "out of memory");
    app.worker = ok ? worker_new(&params->engine) : NULL;
    app.screen = app.worker ? screen_open(&look, why, size) : NULL;
    if (app.screen) {
        app.front.theme = params->theme;
        app.shown.ascii = screen_ascii(app.screen);
        app.dirty = true;
        request(&app, WORK_LIBRARY, 0);
        loop(&app);
    }
    ok = app.screen != NULL;
    screen_close(app.screen);
    worker_free(app.worker);
    front_free(&app.front);
    events_free(&app.input);
    cells_free(&app.shown);
    return ok;
}
