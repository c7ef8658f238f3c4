/* model.c: looking things up in the model, and its memory. See model.h. */
#include "ui/model.h"

#include <stdlib.h>
#include <string.h>

const drt_answer *model_trace(const ui_model *model) {
    const model_turn *turn = model->turn < model->n_turns ? &model->turns[model->turn] : NULL;
    return !turn ? NULL : turn->trace ? turn->trace : turn->live;
}

const drt_event *trace_event(const drt_answer *trace, int step, int group) {
    for (size_t i = 0; trace && i < trace->n_events; i++)
        if (trace->events[i].step == step && trace->events[i].group == group)
            return &trace->events[i];
    return NULL;
}

const drt_event *model_event(const ui_model *model) {
    return trace_event(model_trace(model), model->place.step, model->place.group);
}

const drt_hit *model_hit(const ui_model *model) {
    const drt_event *event = model_event(model);
    return event && model->place.hit < event->n_hits ? &event->hits[model->place.hit] : NULL;
}

const uint8_t *trace_attention(const drt_answer *trace, size_t token, int group, size_t hit) {
    if (!trace || !trace->attention || token >= trace->n_tokens || group < 0 || group >= trace->n_groups ||
        hit >= (size_t)trace->top_k)
        return NULL;
    size_t row = (token * (size_t)trace->n_groups + (size_t)group) * (size_t)trace->top_k + hit;
    return trace->attention + row * (size_t)trace->chunk_size;
}

static const drt_document *document_at(const ui_model *model, size_t index) {
    return &model->documents[index];
}

const drt_document *model_document(const ui_model *model, int64_t id) {
    size_t low = 0, high = model->n_documents;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (document_at(model, middle)->id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < model->n_documents && document_at(model, low)->id == id ? document_at(model, low) : NULL;
}

const drt_document *model_document_of_chunk(const ui_model *model, int64_t chunk) {
    size_t low = 0, high = model->n_by_chunk; /* documents before low begin at or before the chunk */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (document_at(model, model->by_chunk[middle])->first_chunk <= chunk)
            low = middle + 1;
        else
            high = middle;
    }
    const drt_document *found = low > 0 ? document_at(model, model->by_chunk[low - 1]) : NULL;
    return found && chunk >= 0 && chunk < found->first_chunk + found->chunks ? found : NULL;
}

void model_set_place(ui_model *model, trace_place wanted) {
    const drt_answer *trace = model_trace(model);
    model->place = (trace_place){0};
    if (!trace)
        return;
    int steps = (int)trace->n_steps, groups = trace->n_groups;
    wanted.step = wanted.step >= steps ? steps - 1 : wanted.step;
    wanted.group = wanted.group >= groups ? groups - 1 : wanted.group;
    model->place.step = wanted.step > 0 ? wanted.step : 0;
    model->place.group = wanted.group > 0 ? wanted.group : 0;
    const drt_event *event = model_event(model);
    size_t hits = event ? event->n_hits : 0;
    model->place.hit = wanted.hit < hits ? wanted.hit : hits > 0 ? hits - 1 : 0;
    model->place.token = wanted.token < trace->n_tokens ? wanted.token : trace->n_tokens > 0 ? trace->n_tokens - 1 : 0;
}

/* -------------------------------------------------------------------------------- memory ---- */

bool model_string_set(drt_string *string, const char *data, size_t length) {
    char *copy = data ? malloc(length + 1) : NULL;
    drt_string_free(string);
    *string = (drt_string){0};
    if (!copy)
        return !data;
    memcpy(copy, data, length);
    copy[length] = '\0';
    *string = (drt_string){copy, length};
    return true;
}

bool model_string_append(drt_string *string, const char *data, size_t length) {
    char *grown = realloc(string->data, string->length + length + 1);
    if (!grown)
        return false;
    if (length > 0)
        memcpy(grown + string->length, data, length);
    grown[string->length + length] = '\0';
    *string = (drt_string){grown, string->length + length};
    return true;
}

void model_clear_documents(ui_model *model) {
    for (size_t i = 0; i < model->n_documents; i++)
        drt_document_clear(&model->documents[i]);
    free(model->documents);
    free(model->by_chunk);
    model->documents = NULL;
    model->by_chunk = NULL;
    model->n_documents = model->n_by_chunk = 0;
}

typedef struct {
    int64_t first_chunk;
    size_t index;
} chunk_order;

static int by_first_chunk(const void *a, const void *b) {
    const chunk_order *one = a, *other = b;
    return (one->first_chunk > other->first_chunk) - (one->first_chunk < other->first_chunk);
}

static bool order_by_chunk(ui_model *model) {
    size_t n = 0;
    chunk_order *order = malloc((model->n_documents + 1) * sizeof *order);
    model->by_chunk = malloc((model->n_documents + 1) * sizeof *model->by_chunk);
    if (!order || !model->by_chunk) {
        free(order);
        return false;
    }
    for (size_t i = 0; i < model->n_documents; i++)
        if (model->documents[i].chunks > 0)
            order[n++] = (chunk_order){model->documents[i].first_chunk, i};
    qsort(order, n, sizeof *order, by_first_chunk);
    for (size_t i = 0; i < n; i++)
        model->by_chunk[i] = order[i].index;
    model->n_by_chunk = n;
    free(order);
    return true;
}

/* ---------------------------------------------------------------------------------- marks ---- */

/* Where the id stands among the marked ones, or would. */
static size_t mark_place(const ui_model *model, int64_t id) {
    size_t low = 0, high = model->n_marked;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (model->marked[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool model_is_marked(const ui_model *model, int64_t id) {
    size_t place = mark_place(model, id);
    return place < model->n_marked && model->marked[place] == id;
}

void model_mark(ui_model *model, int64_t id, bool marked) {
    size_t place = mark_place(model, id);
    if (model_is_marked(model, id) == marked || !model_document(model, id))
        return;
    if (!marked) {
        model->n_marked--;
        memmove(model->marked + place, model->marked + place + 1, (model->n_marked - place) * sizeof *model->marked);
        return;
    }
    int64_t *grown = realloc(model->marked, (model->n_marked + 1) * sizeof *grown);
    if (!grown)
        return;
    model->marked = grown;
    memmove(grown + place + 1, grown + place, (model->n_marked - place) * sizeof *grown);
    grown[place] = id;
    model->n_marked++;
}

void model_clear_marks(ui_model *model) {
    free(model->marked);
    model->marked = NULL;
    model->n_marked = 0;
}

static void keep_marks_of_documents(ui_model *model) {
    size_t kept = 0;
    for (size_t i = 0; i < model->n_marked; i++)
        if (model_document(model, model->marked[i]))
            model->marked[kept++] = model->marked[i];
    model->n_marked = kept;
}

/* -------------------------------------------------------------------------------- documents ---- */

bool model_set_documents(ui_model *model, drt_document *rows, size_t n) {
    model_clear_documents(model);
    model->documents = rows;
    model->n_documents = n;
    keep_marks_of_documents(model);
    if (order_by_chunk(model))
        return true;
    model_clear_documents(model);
    return false;
}

void model_clear_sessions(ui_model *model) {
    for (size_t i = 0; i < model->n_sessions; i++) {
        drt_string_free(&model->sessions[i].question);
        drt_string_free(&model->sessions[i].answer);
    }
    free(model->sessions);
    model->sessions = NULL;
    model->n_sessions = 0;
}

void model_clear_passage(model_passage *passage) {
    drt_string_free(&passage->path);
    drt_string_free(&passage->text);
    drt_string_free(&passage->error);
    free(passage->borders);
    *passage = (model_passage){.chunk = -1};
}

void model_clear_completion(ui_model *model) {
    model_completion *completion = &model->completion;
    drt_string_free(&completion->typed);
    drt_string_free(&completion->common);
    for (size_t i = 0; i < completion->n_names; i++)
        drt_string_free(&completion->names[i]);
    free(completion->names);
    *completion = (model_completion){0};
}

void model_clear_ingest(ui_model *model) {
    model_ingest *ingest = &model->ingest;
    for (size_t i = 0; i < ingest->n_failures; i++) {
        drt_string_free(&ingest->failures[i].path);
        drt_string_free(&ingest->failures[i].reason);
    }
    free(ingest->failures);
    drt_string_free(&ingest->source);
    drt_string_free(&ingest->current);
    drt_string_free(&ingest->error);
    *ingest = (model_ingest){0};
}

void model_turn_clear(model_turn *turn) {
    drt_string_free(&turn->question);
    drt_string_free(&turn->text);
    drt_string_free(&turn->error);
    drt_answer_free(turn->trace);
    drt_answer_free(turn->live);
    *turn = (model_turn){0};
}

void model_free(ui_model *model) {
    for (size_t i = 0; i < model->n_turns; i++)
        model_turn_clear(&model->turns[i]);
    free(model->turns);
    drt_answer_free(model->compared);
    model_clear_documents(model);
    model_clear_sessions(model);
    model_clear_passage(&model->passage);
    model_clear_passage(&model->document);
    model_clear_ingest(model);
    model_clear_completion(model);
    model_clear_marks(model);
    drt_string_free(&model->path);
    drt_string_free(&model->model_name);
    drt_string_free(&model->device);
    drt_string_free(&model->library_error);
    drt_string_free(&model->notice_text);
    drt_string_free(&model->asking.documents);
    *model = (ui_model){0};
}
