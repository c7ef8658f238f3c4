/* tables.h: the environments and commands of LaTeX that make up a document's structure, and what they do to the text.
 * May use: base. */
#ifndef DRT_CORPUS_TEX_TABLES_H
#define DRT_CORPUS_TEX_TABLES_H

#include "engine/base/buffer.h"

typedef enum {
    SET_AS_BLOCK, /* a paragraph of its own */
    SET_AS_LIST,
    SET_AS_TABBING,
    SET_AS_TABLE,
    SET_AS_FORMULA,   /* displayed */
    SET_INLINE,       /* a formula in the text */
    SET_AS_MATRIX,    /* rows within a formula */
    SET_NOTHING,      /* no text for reading */
    SET_VERBATIM,     /* as it is typed */
    SET_AS_STATEMENT, /* begins with its own name */
    SET_WITH_TITLE,   /* begins with a title in braces, if there are any */
    SET_THROUGH,      /* as if it weren't there */
    SET_UNKNOWN
} tex_setting;

typedef struct {
    const char *name;
    tex_setting kind;
    const char *arguments; /* of \begin: 'o' optional and 'm' ones that are no text */
} tex_environment;

/* NULL: it isn't known. A star at the end of the name doesn't count unless there is one of that name. */
const tex_environment *tex_find_environment(const char *name, size_t length);

typedef enum {
    TEX_ACRONYM,
    TEX_ACRONYM_KEYS_NEW,
    TEX_ACRONYM_NEW,
    TEX_ACRONYM_SHORT_NEW,
    TEX_APPENDIX,
    TEX_AUTHOR,
    TEX_AUTHORS_AND,
    TEX_BEGIN,
    TEX_BIBLIOGRAPHY_ITEM,
    TEX_BINOMIAL,
    TEX_BLOCK,           /* the argument is a paragraph of its own */
    TEX_BLOCK_OF_OPTION, /* the optional one is */
    TEX_CAPTION,
    TEX_CAPTION_OF,
    TEX_CATCODE,
    TEX_CHARACTER,
    TEX_CITE,
    TEX_CLOSE_MATH,
    TEX_CODE,
    TEX_COUNTER, /* sets one */
    TEX_COUNTER_NEW,
    TEX_COUNTER_WITHIN,
    TEX_DATE,
    TEX_DEFINE,
    TEX_DELIMITER,
    TEX_DIMENSION,
    TEX_DROP, /* arguments that are no text; what follows is */
    TEX_ELSE,
    TEX_END,
    TEX_END_DOCUMENT,
    TEX_FONT,
    TEX_FRACTION,
    TEX_IF_NEW,
    TEX_IF_OFF,
    TEX_IF_ON,
    TEX_IF_TO,
    TEX_FRONT, /* before the document: kept until it begins */
    TEX_INLINE_MATH,
    TEX_INPUT,
    TEX_ITEM,
    TEX_LABEL,
    TEX_LETTER_AT,
    TEX_LET_BE,
    TEX_LINE,
    TEX_LINK,
    TEX_NEW_COMMAND,
    TEX_NEW_DOCUMENT_COMMAND,
    TEX_NEW_ENVIRONMENT,
    TEX_NEW_LINE,
    TEX_NEW_OPERATOR,
    TEX_NEW_THEOREM,
    TEX_NOT,
    TEX_NOTE,
    TEX_OPEN_MATH,
    TEX_OPERATOR,
    TEX_OTHER_AT,
    TEX_PARAGRAPH,
    TEX_PART, /* of a figure */
    TEX_REFERENCE,
    TEX_REFERENCE_IN_PARENTHESES,
    TEX_ROOT,
    TEX_SECTION,
    TEX_SET_NOTHING, /* an environment that the document declares */
    TEX_SET_VERBATIM,
    TEX_SPACE,
    TEX_SPACE_OF_WORD,
    TEX_STATEMENT,
    TEX_TAG,
    TEX_TEXT_IN_MATH,
    TEX_TITLE,
    TEX_UNIT,
    TEX_UNLESS,
    TEX_UNNUMBERED,
    TEX_URL,
    TEX_USE,
    TEX_VERBATIM
} tex_action;

typedef struct {
    const char *name;
    tex_action action;
    const char *arguments; /* passed before: '*', 'o', 'p' in parentheses, and 'm' */
} tex_command;

/* NULL: it isn't known. */
const tex_command *tex_find_command(const char *name, size_t length);

/* A command of a common package, as the document might have defined it itself. */
typedef struct {
    const char *name;
    const char *pattern; /* of its arguments, as xparse describes them */
    const char *body;
} tex_standard;

/* NULL: it isn't known. */
const tex_standard *tex_find_standard(const char *name, size_t length);

#endif
