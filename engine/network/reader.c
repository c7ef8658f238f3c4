/* reader.c: the reader stream: the whole network over questions and answers, in several lanes: what both ways to
 * compute it share. See network.h and reader.h. */
#include "engine/network/reader.h"

#include <stdlib.h>
#include <string.h>

#define MOST_ROWS 1024 /* of a round: more would not be faster a slot, only larger */

size_t drt_reader_attention_width(const drt_config *c) {
    return (size_t)c->n_groups * (size_t)c->top_k * (size_t)c->chunk_size;
}

/* ----------------------------------------------------------------------- open, close ---- */

static drt_status allocate(drt_context *context, drt_reader *reader) {
    const drt_config *c = &reader->model->config;
    drt_backend *b = reader->model->device->backend;
    size_t lanes = (size_t)reader->n_lanes, S = (size_t)c->chunk_size;
    reader->lanes = calloc(lanes, sizeof *reader->lanes);
    reader->parts = malloc(lanes * sizeof *reader->parts);
    reader->done = malloc(lanes * sizeof *reader->done);
    reader->tokens = malloc((size_t)reader->max_rows * sizeof *reader->tokens);
    if (!reader->lanes || !reader->parts || !reader->done || !reader->tokens)
        return drt_fail_memory(context, "the reader");
    if (drt_layers_floats(b, S * (size_t)c->d_model, &reader->rows) ||
        drt_layers_floats(b, S * (size_t)c->vocab_size, &reader->logits))
        return drt_layers_failed(context, b);
    return DRT_OK;
}

static int most_rows(const drt_config *c, int n_lanes) {
    int most_lanes = c->chunk_size < MOST_ROWS ? MOST_ROWS / c->chunk_size : 1;
    return c->chunk_size * (n_lanes < most_lanes ? n_lanes : most_lanes);
}

drt_status drt_reader_new(drt_context *context, drt_model *model, int n_lanes, int max_slots, drt_retrieve_fn retrieve,
                          void *user, drt_reader **out) {
    *out = NULL;
    drt_reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return drt_fail_memory(context, "the reader");
    *reader = (drt_reader){.model = model,
                           .n_lanes = n_lanes,
                           .max_slots = max_slots,
                           .max_rows = most_rows(&model->config, n_lanes),
                           .retrieve = retrieve,
                           .user = user};
    drt_status status = allocate(context, reader);
    if (status == DRT_OK)
        status = drt_fused_reader_new(context, model, n_lanes, reader->max_rows, &reader->fused);
    if (status == DRT_OK && !reader->fused)
        status = drt_composed_reader_new(context, model, n_lanes, reader->max_rows, &reader->composed);
    if (status != DRT_OK) {
        drt_reader_free(reader);
        return status;
    }
    *out = reader;
    return DRT_OK;
}

/* The smallest host arrays are not counted. */
drt_room drt_reader_room(const drt_model *model, int n_lanes) {
    const drt_config *c = &model->config;
    int rows = most_rows(c, n_lanes);
    size_t fused = drt_fused_reader_room(model, n_lanes, rows);
    drt_room room = fused ? (drt_room){.device = fused} : drt_composed_reader_room(model, n_lanes, rows);
    room.device += (size_t)c->chunk_size * (size_t)(c->d_model + c->vocab_size) * sizeof(float);
    return room;
}

static drt_room room_of(const void *user, int n_lanes) {
    return drt_reader_room(user, n_lanes);
}

drt_status drt_reader_fit(drt_context *context, const drt_model *model, int most, size_t besides, int *n) {
    return drt_plan_fit(context, model->device, most, besides, room_of, model, "answering questions", n);
}

void drt_reader_free(drt_reader *reader) {
    if (!reader)
        return;
    drt_backend *b = reader->model->device->backend;
    drt_fused_reader_free(reader->fused);
    drt_composed_reader_free(reader->composed);
    b->buffer_free(b, reader->rows);
    b->buffer_free(b, reader->logits);
    free(reader->lanes);
    free(reader->parts);
    free(reader->done);
    free(reader->tokens);
    free(reader);
}

void drt_reader_reset(drt_reader *reader, int lane) {
    reader->lanes[lane].position = reader->lanes[lane].start = 0;
    if (reader->fused)
        drt_fused_reader_reset(reader->fused, lane);
    else
        drt_composed_reader_reset(reader->composed, lane);
}

void drt_reader_next_segment(drt_reader *reader, int lane) {
    reader->lanes[lane].start = reader->lanes[lane].position;
}

/* -------------------------------------------------------------------------------- run ---- */

drt_status drt_reader_ask(drt_context *context, const drt_reader *reader, const drt_reader_part *part, int group,
                          const float *query, drt_retrieved *found) {
    const drt_config *c = &reader->model->config;
    int step = (int)(part->position / c->chunk_size);
    *found = (drt_retrieved){0};
    drt_status status = reader->retrieve(reader->user, context, part->item->lane, step, group, query, found);
    if (status == DRT_OK && (found->n < 0 || found->n > c->top_k))
        status = drt_fail(context, DRT_FAILED, "%d chunks were retrieved where the model reads %d", found->n, c->top_k);
    return status;
}

/* Slots from `position` on that read the same retrieval, at most n. */
static int part_length(const drt_config *c, int64_t position, int n) {
    int shift = c->landmark_reads_own_retrieval ? c->chunk_size - 1 : 0;
    int into = (int)((position + c->chunk_size - shift) % c->chunk_size);
    return n < c->chunk_size - into ? n : c->chunk_size - into;
}

/* The next part of an item of which `done` slots were run; false: no room for it in this round. */
static bool add_part(drt_reader *reader, const drt_reader_item *item, int done, drt_reader_round *round) {
    const drt_config *c = &reader->model->config;
    int64_t position = reader->lanes[item->lane].position;
    int n = part_length(c, position, item->n - done), first = round->n_rows;
    int landmark = c->chunk_size - 1 - (int)(position % c->chunk_size);
    if (n > reader->max_rows - first)
        return false;
    memcpy(reader->tokens + first, item->tokens + done, (size_t)n * sizeof *reader->tokens);
    reader->parts[round->n_parts++] = (drt_reader_part){.item = item,
                                                        .first = first,
                                                        .n = n,
                                                        .done = done,
                                                        .position = position,
                                                        .start = reader->lanes[item->lane].start,
                                                        .landmark = landmark < n ? first + landmark : -1};
    round->n_rows += n;
    round->trace = round->trace || item->attention;
    return true;
}

/* The next parts of items that have slots left. */
static drt_reader_round next_round(drt_reader *reader, const drt_reader_item *items, int n_items) {
    drt_reader_round round = {.parts = reader->parts, .tokens = reader->tokens};
    for (int i = 0; i < n_items; i++)
        if (reader->done[i] < items[i].n && add_part(reader, &items[i], reader->done[i], &round))
            reader->done[i] += reader->parts[round.n_parts - 1].n;
    return round;
}

static drt_status run_round(drt_context *context, drt_reader *reader, const drt_reader_round *round) {
    drt_status status =
        reader->fused ? drt_fused_reader_run(context, reader, round) : drt_composed_reader_run(context, reader, round);
    for (int i = 0; i < round->n_parts && status == DRT_OK; i++)
        reader->lanes[round->parts[i].item->lane].position += round->parts[i].n;
    return status;
}

static drt_status check_items(drt_context *context, const drt_reader *reader, const drt_reader_item *items,
                              int n_items) {
    for (int i = 0; i < n_items; i++) {
        if (items[i].lane < 0 || items[i].lane >= reader->n_lanes)
            return drt_fail(context, DRT_FAILED, "the reader has %d lanes, none with number %d", reader->n_lanes,
                            items[i].lane);
        if (items[i].n < 1 || items[i].n > reader->max_slots)
            return drt_fail(context, DRT_FAILED, "the reader takes 1 to %d slots at once, not %d", reader->max_slots,
                            items[i].n);
        for (int j = 0; j < i; j++)
            if (items[j].lane == items[i].lane)
                return drt_fail(context, DRT_FAILED, "lane %d is there twice in one run of the reader", items[i].lane);
    }
    return DRT_OK;
}

drt_status drt_reader_run(drt_context *context, drt_reader *reader, const drt_reader_item *items, int n_items) {
    drt_status status = check_items(context, reader, items, n_items);
    for (int i = 0; status == DRT_OK && i < n_items; i++)
        reader->done[i] = 0;
    while (status == DRT_OK) {
        drt_reader_round round = next_round(reader, items, n_items);
        if (round.n_parts == 0)
            break;
        status = run_round(context, reader, &round);
    }
    return status;
}

drt_status drt_reader_logits(drt_context *context, drt_reader *reader, const float *hidden, int n, float *logits) {
    const drt_model *model = reader->model;
    drt_backend *b = model->device->backend;
    size_t d = (size_t)model->config.d_model, vocab = (size_t)model->config.vocab_size;
    int most = model->config.chunk_size;
    for (int done = 0; done < n; done += most) {
        int n_rows = n - done < most ? n - done : most;
        if (b->upload(b, reader->rows, hidden + (size_t)done * d, (size_t)n_rows * d * sizeof *hidden) ||
            b->linear(b, reader->rows, &model->embed, n_rows, false, reader->logits) ||
            b->download(b, logits + (size_t)done * vocab, reader->logits, (size_t)n_rows * vocab * sizeof *logits) ||
            b->synchronize(b))
            return drt_layers_failed(context, b);
    }
    return DRT_OK;
}
