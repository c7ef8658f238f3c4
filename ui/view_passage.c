/* view_passage.c: the selected chunk within its document, shaded by how much each of its tokens was looked at when the
 * selected token of the answer was written. Without the document (removed, or not read yet) the trace's own text is
 * shown. May use: view.h, attention.h, edit.h, textview.h, draw.h. */
#include <stdlib.h>
#include <string.h>

#include "ui/attention.h"
#include "ui/draw.h"
#include "ui/edit.h"
#include "ui/textview.h"
#include "ui/view.h"

/* Bytes shown before and after the chunk. */
static const size_t contexts[] = {0, 300, 2000, 16000, SIZE_MAX};
#define N_CONTEXTS (sizeof contexts / sizeof *contexts)
#define CONTEXT_FIRST 2

#define ROWS_FULL 8 /* from so many on, the lines around the text are all there */
#define ROWS_SOME 5
#define WIDE 100 /* columns from which the legend is spelled out */

/* The bytes shown: [from, to) of a text that begins at byte `base` of the document. */
typedef struct {
    bool whole_document; /* else the hit's own text */
    int64_t chunk;
    size_t from, to;
} shown_part;

typedef struct {
    textview text;
    shown_part part;
    size_t base;  /* byte of the document where what is shown begins */
    bool foreign; /* a chunk that is not the place's hit was opened */
    size_t context;
    edit wanted; /* what is searched for */
    bool searching;
    size_t found, found_end; /* bytes of what is shown; equal: nothing found */
} passage;

static void *create(int64_t number) {
    (void)number;
    passage *view = calloc(1, sizeof *view);
    if (!view)
        return NULL;
    view->context = CONTEXT_FIRST;
    view->wanted.one_line = true;
    view->part.chunk = -1;
    return view;
}

static void free_view(void *self) {
    passage *view = self;
    textview_free(&view->text);
    edit_free(&view->wanted);
    free(view);
}

/* ---------------------------------------------------------------------------------- update ---- */

static bool has_document(const ui_model *model) {
    const model_passage *now = &model->passage;
    return now->loaded && now->chunk >= 0 && now->start >= 0 && now->start <= now->end &&
           (size_t)now->end <= now->text.length;
}

/* Is the document that has been read the one of this hit? Then the hit's ranges hold in it. */
static bool is_of_hit(const ui_model *model, const drt_hit *hit) {
    const model_passage *now = &model->passage;
    return has_document(model) && hit && now->chunk == hit->chunk && now->start == hit->start &&
           (size_t)(now->end - now->start) == hit->text.length &&
           memcmp(now->text.data + now->start, hit->text.data, hit->text.length) == 0;
}

/* The context around the chunk, not cut inside a word where there are spaces. */
static shown_part part_of(const passage *view, const model_passage *now) {
    size_t around = contexts[view->context], start = (size_t)now->start, end = (size_t)now->end;
    shown_part part = {.whole_document = true, .chunk = now->chunk};
    part.from = start > around ? start - around : 0;
    part.to = now->text.length - end > around ? end + around : now->text.length;
    part.from = drt_utf8_ceil(now->text.data, now->text.length, part.from);
    part.to = drt_utf8_floor(now->text.data, now->text.length, part.to);
    for (size_t i = part.from; part.from > 0 && i < start; i++)
        if (now->text.data[i] == ' ' || now->text.data[i] == '\n') {
            part.from = i + 1;
            break;
        }
    for (size_t i = part.to; part.to < now->text.length && i > end; i--)
        if (now->text.data[i - 1] == ' ' || now->text.data[i - 1] == '\n') {
            part.to = i - 1;
            break;
        }
    return part;
}

static bool same_part(const shown_part *a, const shown_part *b) {
    return a->whole_document == b->whole_document && a->chunk == b->chunk && a->from == b->from && a->to == b->to;
}

/* The text's memory may be new even where the text is not. */
static void show_part(passage *view, const char *text, shown_part part, size_t chunk_at) {
    if (same_part(&part, &view->part)) {
        textview_grow(&view->text, text, part.to - part.from);
        return;
    }
    view->part = part;
    view->found = view->found_end = 0;
    textview_set(&view->text, text, part.to - part.from);
    textview_show(&view->text, chunk_at);
}

static void choose_text(passage *view, const ui_model *model, const drt_hit *hit) {
    const model_passage *now = &model->passage;
    if (has_document(model) && (view->foreign || is_of_hit(model, hit))) {
        shown_part part = part_of(view, now);
        view->base = part.from;
        show_part(view, now->text.data + part.from, part, (size_t)now->start - part.from);
    } else if (hit) {
        view->base = (size_t)hit->start;
        show_part(view, hit->text.data, (shown_part){.chunk = hit->chunk, .to = hit->text.length}, 0);
    } else {
        view->part.chunk = -1;
        textview_set(&view->text, NULL, 0);
    }
}

/* A range of the document, as far as it is shown. */
static void mark(passage *view, int64_t start, int64_t end, attribute look) {
    int64_t base = (int64_t)view->base, length = (int64_t)view->text.length;
    int64_t from = start > base ? start - base : 0, to = end < base + length ? end - base : length;
    if (from < to)
        textview_mark(&view->text, (size_t)from, (size_t)to, look);
}

/* The chunk stands out from its context; the shading is on it. */
static void mark_text(passage *view, const ui_model *model, const drt_hit *hit) {
    textview_clear_marks(&view->text);
    mark(view, 0, INT64_MAX, ROLE_DIM);
    if (view->foreign && has_document(model))
        mark(view, model->passage.start, model->passage.end, ROLE_CHUNK);
    else if (hit) {
        attention looked;
        mark(view, hit->start, hit->end, ROLE_CHUNK);
        attention_of(model, &looked);
        for (int i = 0; i < looked.n_slots; i++) {
            float share = attention_shade(&looked, i);
            if (share > 0)
                mark(view, hit->slots[i].start, hit->slots[i].end, theme_shade(share));
        }
    }
    if (view->found < view->found_end)
        textview_mark(&view->text, view->found, view->found_end, ROLE_MATCH);
}

static void update(void *self, const ui_model *model, unsigned changed) {
    passage *view = self;
    const drt_hit *hit = model_hit(model);
    if (!(changed & (CHANGED_PASSAGE | CHANGED_PLACE | CHANGED_TURNS)))
        return;
    if (changed & CHANGED_PLACE)
        view->foreign = false;
    else if (changed & CHANGED_PASSAGE)
        view->foreign = has_document(model) && !(hit && hit->chunk == model->passage.chunk);
    if (!hit)
        view->foreign = has_document(model);
    choose_text(view, model, hit);
    mark_text(view, model, hit);
}

/* ------------------------------------------------------------------------------------ draw ---- */

static const drt_hit *hit_shown(const passage *view, const ui_model *model) {
    return view->foreign ? NULL : model_hit(model);
}

static void draw_document(const passage *view, const ui_model *model, cells *out, rect line) {
    const drt_hit *hit = hit_shown(view, model);
    const drt_string *path = hit ? &hit->document : &model->passage.path;
    char chunk[64];
    snprintf(chunk, sizeof chunk, "chunk %lld", (long long)view->part.chunk);
    int right = line.columns - (int)strlen(chunk);
    cells_put_cut(out, line, 0, 0, right - 1, CUT_START, ROLE_STRONG, path->data, path->length);
    cells_text(out, line, 0, right, ROLE_DIM, chunk);
}

static void draw_place(const ui_model *model, const drt_hit *hit, cells *out, rect line) {
    const drt_event *event = model_event(model);
    const char *dot = glyph_text(GLYPH_DOT, out->ascii);
    int column = cells_printf(out, line, 0, 0, theme_group(event->group), "group %d", event->group + 1);
    if (hit->page > 0)
        column += cells_printf(out, line, 0, column, ROLE_STRONG, " %s p. %lld", dot, (long long)hit->page);
    cells_printf(out, line, 0, column, ROLE_TEXT, " %s step %d %s hit %zu of %zu %s weight %.2f %s bytes %lld-%lld",
                 dot, event->step, dot, model->place.hit + 1, event->n_hits, dot, (double)hit->weight, dot,
                 (long long)hit->start, (long long)hit->end);
}

/* The answer around the selected token. */
static void draw_token(const ui_model *model, cells *out, rect line) {
    const drt_answer *trace = model_trace(model);
    size_t token = model->place.token, start = token > 0 ? (size_t)trace->token_ends[token - 1] : 0;
    size_t end = (size_t)trace->token_ends[token];
    const char *text = trace->answer.data;
    size_t length = trace->answer.length;
    int column = cells_printf(out, line, 0, 0, ROLE_DIM, "token %zu of %zu  ", token + 1, trace->n_tokens);
    if (start > end || end > length)
        return;
    rect rest = rect_after(line, column);
    int width = rest.columns / 2;
    int before = cells_put_cut(out, rest, 0, 0, width, CUT_START, ROLE_TEXT, text, start);
    int chosen = start < end ? cells_put(out, rest, 0, before, ROLE_SELECTION, text + start, end - start)
                             : cells_text(out, rest, 0, before, ROLE_SELECTION, " "); /* part of a character */
    cells_put_cut(out, rest, 0, before + chosen, rest.columns - before - chosen, CUT_END, ROLE_TEXT, text + end,
                  length - end);
}

/* The shades in order, as digits, and what the strongest one stands for. */
static int draw_legend(const attention *looked, cells *out, rect line) {
    int column = 0;
    for (int level = 1; level < THEME_LEVELS; level++)
        column += cells_printf(out, line, 0, column, (attribute)(ROLE_SHADE_0 + level), "%d", level);
    column += cells_printf(out, line, 0, column, ROLE_DIM, " 8 = %.1f %%%s  ", (double)looked->largest * 100,
                           line.columns >= WIDE ? " of the attention" : "");
    column += cells_printf(out, line, 0, column, ROLE_TEXT, "here %.0f %%", (double)looked->here * 100);
    return column + 2;
}

/* The words looked at most, as far as there is room: what the shading says without colour. */
static void draw_words(const attention *looked, const drt_hit *hit, cells *out, rect line) {
    int column = 0;
    for (int i = 0; i < ATTENTION_TOP && looked->top[i] >= 0; i++) {
        const drt_range *range = &hit->slots[looked->top[i]];
        const char *text = hit->text.data + (range->start - hit->start);
        size_t length = (size_t)(range->end - range->start);
        char share[16];
        while (length > 0 && (*text == ' ' || *text == '\n')) {
            text++;
            length--;
        }
        snprintf(share, sizeof share, " %.0f %%", (double)attention_share(looked, looked->top[i]) * 100);
        int width = cluster_columns(text, length, out->ascii);
        if (column + width + (int)strlen(share) > line.columns)
            return;
        column += cells_put(out, line, 0, column, ROLE_STRONG, text, length);
        column += cells_text(out, line, 0, column, ROLE_DIM, share) + 2;
    }
}

static void draw_attention(const ui_model *model, const drt_hit *hit, cells *out, rect line) {
    static const char *const reasons[] = {
        [ATTENTION_NO_TOKENS] = "The shading comes with the answer's tokens.",
        [ATTENTION_NOT_RECORDED] = "No attention was recorded for this answer.",
        [ATTENTION_NO_RANGES] = "Where this chunk's tokens stand in the text is not known: no shading.",
        [ATTENTION_OTHER_STEP] = "This token was written with another step's passages: no shading.",
        [ATTENTION_NOWHERE] = "This token looked at no word of this group's passages.",
    };
    attention looked;
    attention_state state = attention_of(model, &looked);
    if (state != ATTENTION_KNOWN) {
        cells_put_cut(out, line, 0, 0, line.columns, CUT_END, ROLE_DIM, reasons[state], strlen(reasons[state]));
        return;
    }
    int column = draw_legend(&looked, out, line);
    draw_words(&looked, hit, out, rect_after(line, column));
}

static void draw_search(passage *view, cells *out, rect line, bool focused) {
    int column = cells_text(out, line, 0, 0, ROLE_ACCENT, "/ ");
    edit_draw(&view->wanted, out, rect_after(line, column), focused, ROLE_INPUT);
}

/* What the pane says instead of a text. */
static void draw_nothing(const ui_model *model, cells *out, rect area) {
    if (model->passage.error.data)
        cells_put_cut(out, area, 0, 0, area.columns, CUT_END, ROLE_ERROR, model->passage.error.data,
                      model->passage.error.length);
    else
        cells_text(out, area, 0, 0, ROLE_DIM,
                   model_trace(model) ? "This retrieval found nothing." : "The passages of an answer are shown here.");
}

static void draw(void *self, const ui_model *model, cells *out, rect area, bool focused) {
    passage *view = self;
    rect inner = rect_inset(draw_pane(out, area, "passage", focused), 0, 1);
    const drt_hit *hit = hit_shown(view, model);
    const drt_answer *trace = model_trace(model);
    if (view->part.chunk < 0) {
        draw_nothing(model, out, inner);
        return;
    }
    int rows = inner.rows;
    if (rows >= ROWS_SOME) {
        draw_document(view, model, out, rect_top(inner, 1));
        inner = rect_below(inner, 1);
    }
    if (rows >= ROWS_FULL && hit) {
        draw_place(model, hit, out, rect_top(inner, 1));
        inner = rect_below(inner, 1);
    }
    if (rows >= ROWS_SOME && hit && model->passage.error.data) { /* the text is the trace's own */
        cells_put_cut(out, inner, 0, 0, inner.columns, CUT_END, ROLE_WARNING, model->passage.error.data,
                      model->passage.error.length);
        inner = rect_below(inner, 1);
    }
    if (rows >= ROWS_SOME && hit && trace->n_tokens > 0) {
        draw_token(model, out, rect_top(inner, 1));
        inner = rect_below(inner, 1);
    }
    if (view->searching) {
        draw_search(view, out, rect_bottom(inner, 1), focused);
        inner = rect_above(inner, 1);
    } else if (rows >= ROWS_SOME && hit) {
        draw_attention(model, hit, out, rect_bottom(inner, 1));
        inner = rect_above(inner, 1);
    }
    inner.columns++; /* the scroll bar stands at the border */
    textview_draw(&view->text, out, inner);
}

/* -------------------------------------------------------------------------------- commands ---- */

/* To another token: the step follows, so that the passages are those that it was written with. */
static void move_token(const ui_model *model, int by, const ui_actions *actions) {
    const drt_answer *trace = model_trace(model);
    trace_place place = model->place;
    if (!trace || trace->n_tokens == 0 || (by < 0 && place.token == 0) ||
        (by > 0 && place.token + 1 >= trace->n_tokens))
        return;
    place.token = by < 0 ? place.token - 1 : place.token + 1;
    place.step = trace->token_steps[place.token];
    emit_place(actions, place);
}

/* The first token written with a step's passages; there is none: the token stays. */
static size_t token_of_step(const drt_answer *trace, int step, size_t token) {
    if (token < trace->n_tokens && trace->token_steps[token] == step)
        return token;
    for (size_t i = 0; i < trace->n_tokens; i++)
        if (trace->token_steps[i] == step)
            return i;
    return token;
}

/* To the event `by` further on in the trace's order that has hits; false: there is none. */
static bool move_event(const ui_model *model, int by, trace_place *place) {
    const drt_answer *trace = model_trace(model);
    long at = (long)place->step * trace->n_groups + place->group;
    long end = (long)trace->n_steps * trace->n_groups;
    for (at += by; at >= 0 && at < end; at += by) {
        const drt_event *event = trace_event(trace, (int)(at / trace->n_groups), (int)(at % trace->n_groups));
        if (!event || event->n_hits == 0)
            continue;
        place->step = event->step;
        place->group = event->group;
        place->hit = by < 0 ? event->n_hits - 1 : 0;
        place->token = token_of_step(trace, event->step, place->token);
        return true;
    }
    return false;
}

/* To another hit, on to the next event after the last one. */
static void move_hit(const ui_model *model, int by, const ui_actions *actions) {
    const drt_event *event = model_event(model);
    trace_place place = model->place;
    if (!event)
        return;
    bool within = by < 0 ? place.hit > 0 : place.hit + 1 < event->n_hits;
    if (within)
        place.hit = by < 0 ? place.hit - 1 : place.hit + 1;
    if (within || move_event(model, by, &place))
        emit_place(actions, place);
}

static void next_group(const ui_model *model, const ui_actions *actions) {
    const drt_answer *trace = model_trace(model);
    trace_place place = model->place;
    if (!trace || trace->n_groups < 1)
        return;
    place.group = (place.group + 1) % trace->n_groups;
    emit_place(actions, place);
}

static void set_context(passage *view, const ui_model *model, int by) {
    if ((by < 0 && view->context == 0) || (by > 0 && view->context + 1 == N_CONTEXTS))
        return;
    view->context = by < 0 ? view->context - 1 : view->context + 1;
    choose_text(view, model, model_hit(model));
    mark_text(view, model, model_hit(model));
}

static void find(passage *view, const ui_model *model, bool backwards, const ui_actions *actions) {
    size_t from = backwards ? view->found : view->found_end;
    if (view->wanted.length == 0 || view->part.chunk < 0)
        return;
    if (textview_find(&view->text, view->wanted.text, view->wanted.length, from, backwards, &view->found,
                      &view->found_end))
        textview_show(&view->text, view->found);
    else
        emit_notice(actions, NOTICE_INFO, "Not in the text shown; + shows more of the document.");
    mark_text(view, model, model_hit(model));
}

static bool search_command(passage *view, const ui_model *model, ui_command what, const ui_actions *actions) {
    if (what != COMMAND_EDIT_SUBMIT && what != COMMAND_CANCEL)
        return edit_command(&view->wanted, what);
    view->searching = false;
    if (what == COMMAND_EDIT_SUBMIT)
        find(view, model, false, actions);
    return true;
}

static void begin_search(passage *view) {
    edit_clear(&view->wanted);
    view->found = view->found_end = 0;
    view->searching = view->part.chunk >= 0;
}

static void open_document(const passage *view, const ui_model *model, const ui_actions *actions) {
    const drt_hit *hit = hit_shown(view, model);
    int64_t document = hit ? hit->document_id : has_document(model) ? model->passage.document : 0;
    if (document > 0)
        emit(actions, ACTION_OPEN_DOCUMENT, document);
}

static bool command(void *self, const ui_model *model, ui_command what, const ui_actions *actions) {
    passage *view = self;
    if (view->searching)
        return search_command(view, model, what, actions);
    switch (what) {
    case COMMAND_NEXT_TOKEN:
    case COMMAND_RIGHT:
        move_token(model, 1, actions);
        return true;
    case COMMAND_PREVIOUS_TOKEN:
    case COMMAND_LEFT:
        move_token(model, -1, actions);
        return true;
    case COMMAND_NEXT_HIT:
        move_hit(model, 1, actions);
        return true;
    case COMMAND_PREVIOUS_HIT:
        move_hit(model, -1, actions);
        return true;
    case COMMAND_NEXT_GROUP:
        next_group(model, actions);
        return true;
    case COMMAND_MORE_CONTEXT:
    case COMMAND_LESS_CONTEXT:
        set_context(view, model, what == COMMAND_MORE_CONTEXT ? 1 : -1);
        return true;
    case COMMAND_FILTER:
        begin_search(view);
        return true;
    case COMMAND_FIND_NEXT:
    case COMMAND_FIND_PREVIOUS:
        find(view, model, what == COMMAND_FIND_PREVIOUS, actions);
        return true;
    case COMMAND_OPEN:
        open_document(view, model, actions);
        return true;
    default:
        return textview_command(&view->text, what);
    }
}

static bool typing(const void *self) {
    return ((const passage *)self)->searching;
}

static void key(void *self, const ui_model *model, ui_key typed, const ui_actions *actions) {
    (void)model;
    (void)actions;
    edit_key(&((passage *)self)->wanted, typed);
}

static void paste(void *self, const ui_model *model, const char *text, size_t length, const ui_actions *actions) {
    (void)model;
    (void)actions;
    edit_insert(&((passage *)self)->wanted, text, length);
}

static bool mouse(void *self, const ui_model *model, const ui_event *event, rect area, const ui_actions *actions) {
    (void)model;
    (void)actions;
    return textview_mouse(&((passage *)self)->text, event, area);
}

const view_ops view_passage = {
    .title = "passage",
    .scope = SCOPE_PASSAGE,
    .moving = true,
    .create = create,
    .free = free_view,
    .update = update,
    .draw = draw,
    .typing = typing,
    .command = command,
    .key = key,
    .paste = paste,
    .mouse = mouse,
};
