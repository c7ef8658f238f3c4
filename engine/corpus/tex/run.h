/* run.h: the interpreter of TeX, shared by its files. It knows the small part of the language that says what is text:
 * comments out, the document's own macros expanded, formulas as a line of letters and signs, footnotes behind their
 * paragraph, rows of tables as lines. What is not known is taken off and its arguments stay. Nothing is read but the source
 * at hand (project.c puts the files of a project together).
 *
 * The source is a stack of frames: the document, arguments that are being set (a barrier: what is inside ends with them), and
 * expanded macros. Depth, number and size of expansions are bounded.
 *
 *     read.c          output, frames, arguments          signs.c         formulas, accents, quotes
 *     define.c        macros of the document             expand.c        what they become
 *     conditions.c    \if...                             environments.c  \begin and \end
 *     commands.c      every other command                front.c         title, authors, date
 *     references.c    citations and their list           labels.c        numbers and what refers to them
 *     units.c         units of measurement               acronyms.c      abbreviations
 *     format_tex.c        the main loop
 *
 * May use: base, charset, flow, formats, tex. */
#ifndef DRT_CORPUS_TEX_RUN_H
#define DRT_CORPUS_TEX_RUN_H

#include "engine/corpus/formats/flow.h"
#include "engine/corpus/formats/formats.h"
#include "engine/corpus/tex/tex.h"

#define TEX_FRAMES 400  /* open at a time */
#define TEX_NAME 64     /* bytes of a command's name that count */
#define TEX_MISSING 160 /* bytes of the names of missing files that are told */

typedef struct {
    const char *data;
    size_t length, at;
    char *owned; /* freed with the frame; NULL: belongs to somebody else */
    bool barrier;
    bool letter_at; /* "@" belongs to words here, as in the macro's definition */
} tex_frame;

/* An entry of the list of references. */
typedef struct {
    drt_string key;
    drt_string label;         /* in brackets: "2", "T1" */
    drt_string authors, year; /* data NULL: not known apart */
} tex_reference;

#define TEX_COUNTERS 128 /* that are kept */
#define TEX_SCOPES 64    /* environments open whose numbers are kept apart */
#define TEX_NUMBER 40    /* bytes of a number as it is shown */

typedef struct {
    drt_string name;
    int value;
    int within; /* index of the counter whose steps set it back and that is shown before it, -1: none */
    char form;  /* '1', 'I', 'i', 'A', 'a' */
    char joint; /* between the two numbers */
    bool alone; /* the other is not shown */
} tex_counter;

/* What a \label would mean here. */
typedef struct {
    char number[TEX_NUMBER]; /* "": it isn't known */
    char kind[TEX_NAME];     /* "Section", "Figure", "Lemma" */
} tex_anchor;

/* An open environment. */
typedef struct {
    tex_anchor anchor;    /* before it */
    const char *floating; /* the counter of its captions; NULL: none */
    int parts, item, subformulas;
    bool captioned;
    bool formula, rows; /* it has numbers, one for each row */
    bool items;
} tex_scope;

/* `failed` is set when memory runs out; everything then ends soon. */
typedef struct {
    drt_context *context;
    drt_extract *extract;
    drt_flow flow;
    tex_frame frames[TEX_FRAMES];
    int n_frames, nesting;
    drt_tex_macros macros;
    drt_buffer title;          /* its source */
    drt_buffer front;          /* source of the abstract, when that stands before the document's beginning */
    drt_buffer *capture;       /* text goes there instead of the document; NULL: it doesn't */
    tex_reference *references; /* of the list of references, sorted by key */
    size_t n_references;
    bool by_year; /* citations name authors and year */
    drt_tex_macros labels;
    const drt_tex_macros *known_labels; /* of the first reading; NULL: this is it */
    tex_counter counters[TEX_COUNTERS];
    int n_counters;
    tex_anchor anchor;
    tex_scope scopes[TEX_SCOPES];
    int n_scopes;    /* may be more than are kept */
    int subformulas; /* the next letter of formulas that share a number; 0: none do */
    bool appendix;
    int64_t budget; /* bytes of expansions left */
    size_t tokens;
    int math;     /* 0: none, 1: inline, 2: displayed */
    int matrices; /* open in a formula */
    int tables;   /* open in the text */
    int tabbing;  /* environments open where \= is a tabulator */
    bool body;    /* the text has begun */
    bool ended;
    bool author;    /* the capture is of authors */
    bool at_letter; /* \makeatletter */
    bool german;    /* "a is a with two dots */
    bool slides;    /* beamer */
    bool plain;     /* plain TeX: a footnote's mark stands before it */
    bool quoted;    /* behind ` */
    char last;      /* byte put */
    char missing[TEX_MISSING];
    int n_missing;
    bool unclosed;   /* the last group read had no end */
    bool unbalanced; /* any group had none */
    bool runaway, cancelled, failed;
} tex;

/* ------------------------------------------------------------------ output (read.c) ---- */

/* Text goes to the document once that has begun, or to the capture. */
void tex_put(tex *t, const char *data, size_t length);
void tex_put_text(tex *t, const char *text);
void tex_end_line(tex *t);
void tex_end_paragraph(tex *t);

/* ------------------------------------------------------------------ input (read.c) ---- */

void tex_pop(tex *t);
/* Puts a text before what is to be read; takes over `owned`. false: too many are open. */
bool tex_push(tex *t, const char *data, size_t length, char *owned, bool barrier);
/* The frame that the next byte comes from; NULL: the argument at hand has ended. */
tex_frame *tex_source(tex *t);
/* The next byte, -1: none; tex_get reads on. */
int tex_peek(tex *t);
int tex_get(tex *t);
/* Does "@" belong to words, where the next byte comes from? */
bool tex_has_letter_at(const tex *t);
/* Reads on when this byte is next. */
bool tex_take(tex *t, char c);
/* Behind "%": to the end of the line and over the spaces that begin the next. */
void tex_skip_comment(tex *t);
/* White space before an argument, and comments. */
void tex_skip_space(tex *t);
/* White space behind a control word belongs to it, but not a blank line. */
void tex_skip_space_of_word(tex *t);
/* The name behind a backslash that was read; its length. Names that are too long are cut: nobody defines them. */
size_t tex_read_name(tex *t, char name[TEX_NAME]);
/* Counts an expansion against the budget. */
void tex_spend(tex *t, size_t bytes);

/* The rest of a group whose brace was read. */
void tex_read_group(tex *t, drt_buffer *out);
/* A group, a command or one character. false: there is nothing. */
bool tex_read_argument(tex *t, drt_buffer *out);
/* "[...]" without what it stands in; it has to end in the same frame and paragraph. */
bool tex_read_option(tex *t, drt_buffer *out);
void tex_drop_option(tex *t);
/* Arguments that are no text: 'o' an optional one, 'p' one in parentheses, else one in braces. */
void tex_drop_arguments(tex *t, const char *arguments);
/* "<1->": the slides on which something shows. */
void tex_drop_overlay(tex *t);
/* "12pt plus 1fil", "-.5\baselineskip", "=3". */
void tex_drop_dimension(tex *t);

/* The value of "name = {value}" in a list of such; false: there is none. */
bool tex_find_value(tex *t, const drt_buffer *list, const char *name, drt_buffer *value);

/* Sets a text of its own; nothing in it reaches beyond its end. */
void tex_run_text(tex *t, const drt_buffer *text);
void tex_run_argument(tex *t);
/* Sets it into a buffer; the caller frees that. */
drt_buffer tex_render(tex *t, const drt_buffer *text);
drt_buffer tex_render_argument(tex *t);

/* ------------------------------------------------------------------ formulas and signs (signs.c) ---- */

/* kind: as tex.math. */
void tex_begin_math(tex *t, int kind);
void tex_end_math(tex *t);
/* An argument that is text within a formula. */
void tex_run_as_text(tex *t);
/* x^2, x_i, x^(n+1); degrees and primes are signs of their own. */
void tex_put_script(tex *t, char mark);
/* An argument between these. */
void tex_put_enclosed(tex *t, const char *before, const char *after);
/* \not: the next sign, crossed. */
void tex_put_crossed(tex *t);
/* A word among letters, as "log". */
void tex_put_word(tex *t, const char *word, size_t length);
/* The next argument with this combining character. */
void tex_put_accent(tex *t, const char *accent);
/* Quotes and dashes as they are typed; the first byte was read. */
void tex_put_sign(tex *t, int c);

/* ------------------------------------------------------------------ abbreviations (acronyms.c) ---- */

/* \newacronym{key}{short}{long}, or \acrodef{key}[short]{long}. */
void tex_new_acronym(tex *t, bool short_is_option);
/* \newglossaryentry{key}{name={..}}, \DeclareAcronym{key}{short=.., long=..} */
void tex_new_described_acronym(tex *t);
/* \gls{key} and its like, by the command's name. */
void tex_put_acronym(tex *t, const char *command);

/* ------------------------------------------------------------------ units (units.c) ---- */

/* An argument as siunitx has it: "\kilo\metre\per\hour" is "km/h". */
void tex_put_unit(tex *t);

/* ------------------------------------------------------------------ macros (define.c) ---- */

/* "{\name}", "\name": the name of what is defined; its length, 0: none. */
size_t tex_read_defined(tex *t, char name[TEX_NAME]);
/* The commands that define: their names were read. */
void tex_new_command(tex *t);
void tex_new_document_command(tex *t);
void tex_define(tex *t);
void tex_let(tex *t);
void tex_new_operator(tex *t);
void tex_new_environment(tex *t);
void tex_new_theorem(tex *t);
/* The name that an environment's macro has: `which` ("begin ", "end ") before its own. false: out of memory. */
bool tex_environment_key(drt_string *key, const char *which, const drt_buffer *name);

/* ------------------------------------------------------------------ expansion (expand.c) ---- */

/* What stands for an argument that was left out, as for xparse. */
#define TEX_NO_VALUE "-NoValue-"

/* Puts a macro's body, with its arguments, in the place of its name. One whose delimiters don't come is as if it weren't
 * there. */
void tex_expand(tex *t, const drt_tex_macro *macro);
/* The same for a command of a common package (tables.h); false: it is none. */
bool tex_expand_standard(tex *t, const char *name, size_t length);

/* ------------------------------------------------------------------ \if... (conditions.c) ---- */

typedef enum { TEX_SWITCH_OFF, TEX_SWITCH_ON, TEX_SWITCH_TO } tex_switch;

/* Does it begin a condition that \fi ends? */
bool tex_is_condition(const char *name, size_t length);
/* Passes over a branch, to its \fi or, where that is asked, its \else. Nothing when neither is found. */
void tex_skip_branch(tex *t, bool stop_at_else);
/* \newif\ifname */
void tex_new_condition(tex *t);
/* \setbool{name}{true}, \booltrue{name} and their like. */
void tex_set_condition(tex *t, tex_switch how);
/* \nametrue, \namefalse of a condition that \newif made; false: it isn't one. */
bool tex_switch_condition(tex *t, const char *name, size_t length);
/* A condition by its name, behind \unless or not. Those that can't be evaluated are false. */
void tex_run_condition(tex *t, const char *name, size_t length, bool unless);
/* A condition of a package, with its branches in braces; false: it is none. */
bool tex_run_braced_condition(tex *t, const char *name, size_t length);

/* ------------------------------------------------------------------ environments (environments.c) ---- */

/* "Theorem (Tarn)."; counter: as tex_number_theorem. */
void tex_put_statement(tex *t, const char *counter, size_t counter_length, const char *title, size_t length);
/* The document says of an environment that it is as it is typed (wanted), or that it is no text. */
void tex_set_environment(tex *t, bool wanted);
/* \begin{name} and \end{name}: the document's own environments are macros. */
void tex_run_environment(tex *t, bool begin);

/* ------------------------------------------------------------------ title, authors, date (front.c) ---- */

/* Keeps the title's source, and sets it when all that it is made of may be defined. */
void tex_take_title(tex *t);
void tex_set_title(tex *t);
/* An argument as one line, unless there is one already. */
void tex_take_line(tex *t, drt_string *to);
/* Between the marks of \and, the first line that has something is a name or several; addresses follow. */
void tex_take_authors(tex *t);

/* ------------------------------------------------------------------ references (references.c) ---- */

/* Takes the \bibitems of the whole source. */
void tex_find_bibliography(tex *t, const char *data, size_t length);
void tex_free_bibliography(tex *t);
/* \cite[see][p. 3]{a,b} -> [see 1, 2, p. 3], or by authors and year; by the command's name. */
void tex_put_citation(tex *t, const char *command);
void tex_put_bibliography_item(tex *t);

/* ------------------------------------------------------------------ numbers and labels (labels.c) ---- */

/* The counters of the standard classes. */
void tex_start_counters(tex *t, bool chapters);
void tex_free_counters(tex *t);
/* What the class changes about them. */
void tex_set_class(tex *t, const char *name, size_t length);
void tex_appendix(tex *t);
/* \setcounter, \addtocounter, \refstepcounter: the command's name was read. */
void tex_set_counter(tex *t, const char *command);
/* \numberwithin{equation}{section}; option: \newcounter{name}[outer]. */
void tex_number_within(tex *t, bool option);
/* \renewcommand{\theequation}{\thesection.\arabic{equation}} */
void tex_describe_counter(tex *t, const drt_tex_macro *macro);
void tex_add_theorem(tex *t, const drt_buffer *name, const drt_buffer *within);

/* These begin something that has a number, and a \label from there on means it. */
void tex_number_section(tex *t, const char *name);
/* type: of \captionof; length 0: that of the environment. */
void tex_number_caption(tex *t, const char *type, size_t length);
/* \subfloat */
void tex_number_part(tex *t);
void tex_number_row(tex *t);
void tex_number_item(tex *t);
/* counter length 0: without a number. */
void tex_number_theorem(tex *t, const char *counter, size_t length, const char *title, size_t title_length);
/* What begins here has a number that can't be known. */
void tex_forget_number(tex *t);
/* \nonumber */
void tex_unnumber(tex *t);
/* \tag{A} */
void tex_tag(tex *t);
/* Around an environment: what is numbered in it is no longer meant behind it. */
void tex_open_scope(tex *t, const char *name, size_t length);
void tex_close_scope(tex *t);

void tex_put_label(tex *t);
/* The same, of a label that was read; it is emptied. */
void tex_set_label(tex *t, drt_buffer *key);
/* \ref{a}, \cref{a,b}; by the command's name. A label that is not known is shown by its own name. */
void tex_put_reference(tex *t, const char *command);
/* Is the argument to come a label that is known, or several? */
bool tex_names_labels(tex *t);

/* ------------------------------------------------------------------ commands (commands.c) ---- */

/* defined: the document's own definition counts, if there is one. */
void tex_run_command(tex *t, const char *name, size_t length, bool defined);
/* The edge of a cell, "&". */
void tex_put_cell(tex *t);

/* ------------------------------------------------------------------ the main loop (format_tex.c) ---- */

/* Reads to the end of the source or of the argument at hand. */
void tex_run(tex *t);

#endif
