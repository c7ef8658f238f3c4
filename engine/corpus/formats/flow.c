/* flow.c: running text with footnotes, lists and tables. See flow.h. */
#include "engine/corpus/formats/flow.h"

#include <stdlib.h>
#include <string.h>

void drt_flow_start(drt_flow *flow, drt_buffer *out) {
    *flow = (drt_flow){0};
    drt_text_start(&flow->main.text, out);
}

static drt_flow_stream *stream_of(drt_flow *flow) {
    return flow->notes ? &flow->aside : &flow->main;
}

static bool has_visible(const char *data, size_t length) {
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)data[i] > ' ')
            return true;
    return false;
}

void drt_flow_add(drt_flow *flow, const char *data, size_t length) {
    drt_flow_stream *stream = stream_of(flow);
    if (stream->tables && has_visible(data, length)) {
        if (stream->cell_edge && stream->cell_text)
            drt_text_line(&stream->text);
        stream->cell_edge = false;
        stream->cell_text = true;
    }
    drt_text_add(&stream->text, data, length);
}

void drt_flow_raise(drt_flow *flow) {
    drt_text_raise(&stream_of(flow)->text);
}

/* Adds normalised text: its paragraphs and lines. */
static void add_normalised(drt_text *text, const char *data, size_t length) {
    for (size_t at = 0; at < length;) {
        const char *line = data + at, *end = memchr(line, '\n', length - at);
        size_t n = end ? (size_t)(end - line) : length - at;
        drt_text_add(text, line, n);
        at += n + 1;
        if (at < length && data[at] == '\n') {
            drt_text_paragraph(text);
            at++;
        } else {
            drt_text_line(text);
        }
    }
    drt_text_paragraph(text);
}

/* The running text's paragraph ends: the notes that wait follow it. */
static void end_paragraph(drt_flow *flow) {
    drt_text_paragraph(&flow->main.text);
    if (flow->waiting.length == 0)
        return;
    add_normalised(&flow->main.text, flow->waiting.data, flow->waiting.length);
    flow->waiting.length = 0;
}

/* The edge of a paragraph whatever is around it. */
static void end_block(drt_flow *flow) {
    if (flow->notes)
        drt_text_paragraph(&flow->aside.text);
    else
        end_paragraph(flow);
}

void drt_flow_line(drt_flow *flow) {
    drt_flow_stream *stream = stream_of(flow);
    if (stream->tables)
        stream->cell_edge = true;
    else if (!flow->notes && flow->waiting.length > 0)
        end_paragraph(flow);
    else
        drt_text_line(&stream->text);
}

void drt_flow_paragraph(drt_flow *flow) {
    drt_flow_stream *stream = stream_of(flow);
    if (stream->tables)
        stream->cell_edge = true;
    else if (stream->lists)
        drt_flow_line(flow);
    else
        end_block(flow);
}

void drt_flow_list(drt_flow *flow) {
    drt_flow_stream *stream = stream_of(flow);
    drt_flow_paragraph(flow);
    stream->lists++;
}

void drt_flow_list_end(drt_flow *flow) {
    drt_flow_stream *stream = stream_of(flow);
    stream->lists -= stream->lists > 0;
    drt_flow_paragraph(flow);
}

void drt_flow_table(drt_flow *flow) {
    drt_flow_stream *stream = stream_of(flow);
    if (stream->tables++ == 0)
        end_block(flow);
    stream->cell_edge = true; /* of the cell around a nested one */
}

void drt_flow_row(drt_flow *flow) {
    drt_flow_stream *stream = stream_of(flow);
    drt_text_line(&stream->text);
    stream->cell_text = stream->cell_edge = false;
}

void drt_flow_cell(drt_flow *flow) {
    drt_flow_stream *stream = stream_of(flow);
    drt_text_add(&stream->text, " ", 1);
    stream->cell_text = stream->cell_edge = false;
}

void drt_flow_table_end(drt_flow *flow) {
    drt_flow_stream *stream = stream_of(flow);
    stream->tables -= stream->tables > 0;
    if (stream->tables == 0)
        end_block(flow);
    else
        stream->cell_text = stream->cell_edge = true; /* of the cell around it */
}

static void begin_note(drt_flow *flow, drt_buffer *out) {
    flow->aside = (drt_flow_stream){0};
    drt_text_start(&flow->aside.text, out);
}

void drt_flow_note_start(drt_flow *flow) {
    if (flow->notes++ == 0)
        begin_note(flow, &flow->waiting);
    else
        drt_text_paragraph(&flow->aside.text);
}

void drt_flow_note_define(drt_flow *flow, const char *key, size_t length) {
    if (flow->notes++ > 0) {
        drt_text_paragraph(&flow->aside.text);
        return;
    }
    drt_flow_note note = {.start = flow->store.length};
    begin_note(flow, &flow->store);
    flow->defining =
        drt_array_grow((void **)&flow->named, flow->n_named, sizeof note) && drt_string_set(&note.key, key, length);
    if (flow->defining)
        flow->named[flow->n_named++] = note;
    else
        flow->failed = true;
}

void drt_flow_note_end(drt_flow *flow) {
    if (flow->notes == 0)
        return;
    if (--flow->notes > 0) {
        drt_text_paragraph(&flow->aside.text);
        return;
    }
    flow->failed |= !drt_text_finish(&flow->aside.text);
    if (flow->defining)
        flow->named[flow->n_named - 1].length = flow->store.length - flow->named[flow->n_named - 1].start;
    flow->defining = false;
}

static int compare_notes(const void *a, const void *b) {
    const drt_flow_note *left = a, *right = b;
    return drt_string_compare(&left->key, right->key.data, right->key.length);
}

/* Makes a named note wait. The store has what separates a note from the one before, too. */
static void use(drt_flow *flow, drt_flow_note *note) {
    size_t skip = 0;
    while (skip < note->length && flow->store.data[note->start + skip] == '\n')
        skip++;
    note->used = true;
    if (skip == note->length)
        return;
    if ((flow->waiting.length > 0 && !drt_buffer_append_text(&flow->waiting, "\n\n")) ||
        !drt_buffer_append(&flow->waiting, flow->store.data + note->start + skip, note->length - skip))
        flow->failed = true;
}

bool drt_flow_note_refer(drt_flow *flow, const char *key, size_t length) {
    if (!flow->sorted && flow->n_named > 0)
        qsort(flow->named, flow->n_named, sizeof *flow->named, compare_notes);
    flow->sorted = true;
    size_t from = 0, to = flow->n_named;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        drt_flow_note *note = &flow->named[middle];
        int order = drt_string_compare(&note->key, key, length);
        if (order == 0) {
            if (!note->used && !flow->notes)
                use(flow, note);
            return true;
        }
        *(order < 0 ? &from : &to) = order < 0 ? middle + 1 : middle;
    }
    return false;
}

static int compare_places(const void *a, const void *b) {
    const drt_flow_note *left = a, *right = b;
    return (left->start > right->start) - (left->start < right->start);
}

bool drt_flow_finish(drt_flow *flow, bool unused_notes) {
    while (flow->notes > 0)
        drt_flow_note_end(flow);
    flow->main.tables = flow->main.lists = 0;
    end_paragraph(flow);
    if (unused_notes && flow->n_named > 0)
        qsort(flow->named, flow->n_named, sizeof *flow->named, compare_places);
    for (size_t i = 0; i < flow->n_named; i++) {
        if (unused_notes && !flow->named[i].used)
            use(flow, &flow->named[i]);
        drt_string_free(&flow->named[i].key);
    }
    end_paragraph(flow);
    bool ok = drt_text_finish(&flow->main.text) && !flow->failed;
    drt_buffer_free(&flow->waiting);
    drt_buffer_free(&flow->store);
    free(flow->named);
    *flow = (drt_flow){0};
    return ok;
}
