/* tex.h: what the files that read TeX share: symbols, the macros that a document defines, and projects of several files.
 * May use: base. */
#ifndef DRT_CORPUS_TEX_H
#define DRT_CORPUS_TEX_H

#include "engine/base/buffer.h"

/* The text of a command that stands for a sign ("alpha", "ss", "leq"); NULL: it doesn't. Relations have spaces around. */
const char *drt_tex_symbol(const char *name, size_t length);
/* The combining character of an accent ("'", "c", "hat"); NULL: it is none. In formulas only: *math. */
const char *drt_tex_accent(const char *name, size_t length, bool *math);
/* Is it the name of a function, as in "\log"? */
bool drt_tex_is_function(const char *name, size_t length);

#define DRT_TEX_PARAMETERS 9
#define DRT_TEX_SOURCE_BYTES (16u << 20) /* of one source with what it includes; the rest is not read */

typedef enum {
    DRT_TEX_PLAIN,     /* so many parameters, the first one optional if `standard` has data */
    DRT_TEX_ALIAS,     /* body is the name of a command as it is without definitions */
    DRT_TEX_DELIMITED, /* pattern is the text of its parameters: "#1/#2." */
    DRT_TEX_DESCRIBED  /* pattern describes them as xparse does: "s O{standard} m" */
} drt_tex_macro_kind;

/* What a document defines by \newcommand, \def and the like. */
typedef struct {
    drt_string name;
    drt_string body;
    drt_string standard; /* of the first parameter, when that is optional; data NULL: it isn't */
    drt_string pattern;
    drt_tex_macro_kind kind;
    int parameters;
    bool letter_at; /* "@" belongs to the words of its body */
} drt_tex_macro;

/* {0} has none. */
typedef struct {
    drt_tex_macro *items;
    size_t n;
    uint32_t *slots; /* of a hash table: index into items and 1, or 0 */
    size_t n_slots;
} drt_tex_macros;

/* Takes the macro's strings and replaces one of the same name. Beyond a number that no document needs nothing is added.
 * false: out of memory. */
bool drt_tex_define(drt_tex_macros *macros, drt_tex_macro *macro);
/* NULL: there is none. Valid until the next definition. */
const drt_tex_macro *drt_tex_find(const drt_tex_macros *macros, const char *name, size_t length);
void drt_tex_macros_free(drt_tex_macros *macros);
void drt_tex_macro_clear(drt_tex_macro *macro);

/* The length of the control word or sign at data, which begins with a backslash, with the backslash. at_letter: "@" belongs to
 * words. */
size_t drt_tex_control(const char *data, size_t length, bool at_letter);
bool drt_tex_contains(const char *data, size_t length, const char *word);
/* Makes every line end a "\n": a comment that goes to the end of its line must not go on to the end of the text. */
void drt_tex_end_lines(drt_buffer *text);
/* The label of the encoding that a source declares ("\\usepackage[latin1]{inputenc}"); returns its length, 0: none. */
size_t drt_tex_encoding(const char *data, size_t length, const char **label);

#endif
