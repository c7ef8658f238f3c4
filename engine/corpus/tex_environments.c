/* tex_environments.c: \begin and \end. See tex_run.h. */
#include "engine/corpus/tex_run.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "engine/corpus/tex_tables.h"

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
void tex_put_statement(tex *t, const char *title, size_t length) {
    drt_buffer option = {0};
    tex_end_paragraph(t);
    tex_put(t, title, length);
    if (tex_read_option(t, &option)) {
        tex_put_text(t, " (");
        tex_run_text(t, &option);
        tex_put_text(t, ")");
    }
    tex_put_text(t, ". ");
    drt_buffer_free(&option);
}

static void begin_environment(tex *t, const drt_buffer *name) {
    static const tex_environment unknown = {"", SET_AS_BLOCK, "o"};
    const tex_environment *e = tex_find_environment(name->data, name->length);
    e = e ? e : &unknown;
    if (e->kind == SET_AS_STATEMENT) {
        char title[TEX_NAME];
        snprintf(title, sizeof title, "%s", e->name);
        title[0] = (char)toupper((unsigned char)title[0]);
        tex_put_statement(t, title, strlen(title));
        return;
    }
    tex_drop_arguments(t, e->arguments);
    switch (e->kind) {
    case SET_AS_BLOCK:
        tex_end_paragraph(t);
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
    default:
        break;
    }
}

/* \begin{name} and \end{name}: the document's own environments are macros. */
void tex_run_environment(tex *t, bool begin) {
    drt_buffer name = {0};
    drt_string key = {0};
    tex_read_argument(t, &name);
    t->failed |= !tex_environment_key(&key, begin ? "begin " : "end ", &name);
    const drt_tex_macro *own = key.data ? drt_tex_find(&t->macros, key.data, key.length) : NULL;
    bool document = drt_string_equal(&(drt_string){name.data, name.length}, "document", 8);
    if (document && begin)
        t->body = true;
    else if (document)
        t->ended = true;
    else if (own)
        tex_expand(t, own);
    else
        (begin ? begin_environment : end_environment)(t, &name);
    if (!begin && !own && !document)
        tex_skip_space_of_word(t);
    drt_string_free(&key);
    drt_buffer_free(&name);
}
