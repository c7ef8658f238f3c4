/* environments.c: \begin and \end. See run.h. */
#include "engine/corpus/tex/run.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "engine/corpus/tex/tables.h"

/* The place of "\end{name}" in the frame at hand, or its end. */
static size_t find_end(tex *t, const drt_buffer *name, size_t *behind) {
    const tex_frame *f = tex_source(t);
    drt_buffer end = {0};
    size_t at = f ? f->at : 0;
    if (!f || !drt_buffer_append_text(&end, "\\end{") || !drt_buffer_append(&end, name->data, name->length) ||
        !drt_buffer_append_byte(&end, '}')) {
        t->failed |= f != NULL;
        drt_buffer_free(&end);
        return *behind = at;
    }
    for (; f->length - at >= end.length; at++) {
        const char *next = memchr(f->data + at, '\\', f->length - at);
        at = next ? (size_t)(next - f->data) : f->length;
        if (f->length - at >= end.length && memcmp(f->data + at, end.data, end.length) == 0)
            break;
        if (!next)
            break;
    }
    bool found = f->length - at >= end.length;
    t->unbalanced |= !found && t->n_frames == 1;
    at = found ? at : f->length;
    *behind = found ? at + end.length : f->length;
    drt_buffer_free(&end);
    return at;
}

/* Lines as they are typed. */
static void run_verbatim(tex *t, const drt_buffer *name, bool wanted) {
    size_t behind, end = find_end(t, name, &behind);
    tex_frame *f = tex_source(t);
    if (!f)
        return;
    tex_end_paragraph(t);
    while (wanted && f->at < end) {
        const char *line = f->data + f->at, *stop = memchr(line, '\n', end - f->at);
        size_t n = stop ? (size_t)(stop - line) : end - f->at;
        tex_put(t, line, n);
        tex_end_line(t);
        f->at += n + 1;
    }
    f->at = behind;
    tex_end_paragraph(t);
}

/* "Theorem (Tarn)." */
void tex_put_statement(tex *t, const char *counter, size_t counter_length, const char *title, size_t length) {
    drt_buffer option = {0};
    tex_end_paragraph(t);
    tex_number_theorem(t, counter, counter_length, title, length);
    bool proof = length == 5 && memcmp(title, "Proof", 5) == 0;
    bool more = tex_read_option(t, &option);
    if (more && proof) { /* "Proof of Tarn's lemma" */
        tex_run_text(t, &option);
    } else {
        tex_put(t, title, length);
    }
    if (more && !proof) {
        tex_put_text(t, " (");
        tex_run_text(t, &option);
        tex_put_text(t, ")");
    }
    tex_put_text(t, ". ");
    drt_buffer_free(&option);
}

/* A title in braces that an environment begins with. */
static void put_title(tex *t) {
    tex_end_paragraph(t);
    if (tex_peek(t) != '{')
        return;
    tex_run_argument(t);
    tex_end_paragraph(t);
}

/* An environment that nothing is known of: an argument right behind its name is text, but stands apart. */
static void begin_unknown(tex *t) {
    tex_forget_number(t);
    tex_end_paragraph(t);
    tex_drop_option(t);
    if (tex_peek(t) != '{')
        return;
    tex_run_argument(t);
    tex_put_text(t, " ");
}

static const tex_environment *find_environment(tex *t, const drt_buffer *name) {
    static const tex_environment verbatim = {"", SET_VERBATIM, "o"}, nothing = {"", SET_NOTHING, ""};
    drt_string key;
    if (!tex_environment_key(&key, "set ", name)) {
        t->failed = true;
        return NULL;
    }
    const drt_tex_macro *set = drt_tex_find(&t->macros, key.data, key.length);
    drt_string_free(&key);
    if (set)
        return set->body.data[0] == 'v' ? &verbatim : &nothing;
    return tex_find_environment(name->data, name->length);
}

void tex_set_environment(tex *t, bool wanted) {
    drt_buffer name = {0};
    drt_tex_macro macro = {0};
    tex_read_argument(t, &name);
    if (tex_environment_key(&macro.name, "set ", &name) && drt_string_set(&macro.body, wanted ? "v" : "n", 1))
        t->failed |= !drt_tex_define(&t->macros, &macro);
    else
        t->failed = true;
    drt_tex_macro_clear(&macro);
    drt_buffer_free(&name);
}

/* "[caption={A mill}, label=lst:a]" of a listing; what else there may be is dropped. */
static void put_listing_caption(tex *t) {
    drt_buffer option = {0}, caption = {0}, label = {0};
    tex_read_option(t, &option);
    bool captioned = tex_find_value(t, &option, "caption", &caption),
         labelled = tex_find_value(t, &option, "label", &label);
    if (captioned) {
        tex_end_paragraph(t);
        tex_number_caption(t, "listing", 7);
        tex_run_text(t, &caption);
        tex_end_paragraph(t);
    }
    if (captioned && labelled)
        tex_set_label(t, &label);
    drt_buffer_free(&option);
    drt_buffer_free(&caption);
    drt_buffer_free(&label);
}

static void begin_environment(tex *t, const drt_buffer *name) {
    static const tex_environment unknown = {"", SET_UNKNOWN, ""};
    const tex_environment *e = find_environment(t, name);
    e = e ? e : &unknown;
    if (e->kind == SET_AS_STATEMENT) {
        char title[TEX_NAME];
        snprintf(title, sizeof title, "%s", e->name);
        title[0] = (char)toupper((unsigned char)title[0]);
        tex_put_statement(t, "", 0, title, strlen(title));
        return;
    }
    tex_drop_overlay(t);
    if (e->kind == SET_VERBATIM && e->arguments[0] == 'o')
        put_listing_caption(t);
    tex_drop_arguments(t, e->arguments);
    switch (e->kind) {
    case SET_AS_BLOCK:
        tex_end_paragraph(t);
        break;
    case SET_WITH_TITLE:
        tex_drop_overlay(t);
        tex_drop_option(t);
        put_title(t);
        break;
    case SET_UNKNOWN:
        begin_unknown(t);
        break;
    case SET_AS_LIST:
        if (t->body && !t->capture)
            drt_flow_list(&t->flow);
        break;
    case SET_AS_TABLE:
        t->tables++;
        if (t->body && !t->capture)
            drt_flow_table(&t->flow);
        break;
    case SET_AS_FORMULA:
        tex_begin_math(t, 2);
        break;
    case SET_INLINE:
        tex_begin_math(t, 1);
        break;
    case SET_AS_MATRIX:
        t->matrices++;
        break;
    case SET_AS_TABBING:
        tex_end_paragraph(t);
        t->tabbing++;
        break;
    case SET_NOTHING:
    case SET_VERBATIM:
        run_verbatim(t, name, e->kind == SET_VERBATIM);
        break;
    default:
        break;
    }
}

static void end_environment(tex *t, const drt_buffer *name) {
    const tex_environment *e = tex_find_environment(name->data, name->length);
    switch (e ? e->kind : SET_AS_BLOCK) {
    case SET_AS_BLOCK:
    case SET_AS_STATEMENT:
    case SET_WITH_TITLE:
        tex_end_paragraph(t);
        break;
    case SET_AS_LIST:
        if (t->body && !t->capture)
            drt_flow_list_end(&t->flow);
        break;
    case SET_AS_TABLE:
        t->tables -= t->tables > 0;
        if (t->body && !t->capture)
            drt_flow_table_end(&t->flow);
        break;
    case SET_AS_FORMULA:
    case SET_INLINE:
        tex_end_math(t);
        break;
    case SET_AS_MATRIX:
        t->matrices -= t->matrices > 0;
        break;
    case SET_AS_TABBING:
        t->tabbing -= t->tabbing > 0;
        tex_end_paragraph(t);
        break;
    default:
        break;
    }
}

static void begin_document(tex *t) {
    t->body = true;
    if (t->front.length > 0 && tex_push(t, t->front.data, t->front.length, t->front.data, false))
        t->front = (drt_buffer){0};
}

/* \begin{name} and \end{name}: the document's own environments are macros. */
void tex_run_environment(tex *t, bool begin) {
    drt_buffer name = {0};
    drt_string key = {0};
    tex_read_argument(t, &name);
    t->failed |= !tex_environment_key(&key, begin ? "begin " : "end ", &name);
    const drt_tex_macro *own = key.data ? drt_tex_find(&t->macros, key.data, key.length) : NULL;
    const char *plain = name.data ? name.data : "";
    bool document = drt_string_equal(&(drt_string){name.data, name.length}, "document", 8);
    if (begin && !document)
        tex_open_scope(t, plain, name.length);
    if (document && begin)
        begin_document(t);
    else if (document)
        t->ended = true;
    else if (own)
        tex_expand(t, own);
    else
        (begin ? begin_environment : end_environment)(t, &name);
    if (!begin && !document)
        tex_close_scope(t);
    if (!begin && !own && !document)
        tex_skip_space_of_word(t);
    drt_string_free(&key);
    drt_buffer_free(&name);
}
