/* markup.h: HTML and XML as a flat run of tags and text. Never fails: what is no markup is text, as in a browser. Linear
 * in time, without memory of its own.
 * May use: base, charset, entities, libxml2 (names of entities). */
#ifndef DRT_CORPUS_FORMATS_MARKUP_H
#define DRT_CORPUS_FORMATS_MARKUP_H

#include "engine/base/buffer.h"
#include "engine/corpus/charset.h"

typedef struct {
    const char *data;
    size_t length, at;
    bool xml; /* CDATA sections are text; "/>" ends any element */
    bool cut; /* a comment, a tag or a raw element has no end: what followed was swallowed */
} drt_markup;

typedef enum { DRT_MARKUP_TEXT, DRT_MARKUP_START, DRT_MARKUP_END } drt_markup_kind;

/* A piece of the source; nothing is copied. */
typedef struct {
    drt_markup_kind kind;
    const char *name;                  /* of a tag, without a namespace prefix, in the source's case */
    size_t name_length, prefix_length; /* the prefix stands before the name and a colon */
    const char *data;                  /* the text, or a start tag's attributes */
    size_t length;
    bool literal; /* text without entities (CDATA) */
    bool empty;   /* a start tag that ends in "/>" */
} drt_markup_token;

/* The next tag or text; comments, declarations and processing instructions are passed over. false: the end. */
bool drt_markup_next(drt_markup *markup, drt_markup_token *token);
/* After a start tag: everything to the end tag of that name, which is passed, as one text. For elements whose
 * content is no markup (script, style, title). */
void drt_markup_raw(drt_markup *markup, const drt_markup_token *start, drt_markup_token *content);
/* Is the tag's name this one (lower case)? */
bool drt_markup_is(const drt_markup_token *token, const char *name);

/* Steps through a start tag's attributes; *at begins as 0. The value is as in the source, without quotes. */
typedef struct {
    const char *name, *value;
    size_t name_length, value_length;
} drt_markup_attribute;
bool drt_markup_next_attribute(const drt_markup_token *token, size_t *at, drt_markup_attribute *attribute);
/* The attribute of this name (any case; a prefix in the source doesn't count). */
bool drt_markup_find(const drt_markup_token *token, const char *name, drt_markup_attribute *attribute);
bool drt_markup_value_is(const drt_markup_attribute *attribute, const char *value); /* any case */

/* Appends text with its entities resolved: the named ones of HTML 4, numeric ones as HTML reads them (128 to 159 are
 * windows-1252), and those of entities.h. Unknown ones stay as they are. false: out of memory. */
bool drt_markup_decode(drt_buffer *out, const char *data, size_t length);

/* The encoding that markup declares in ASCII-compatible bytes: an XML declaration, <meta charset>, or <meta
 * http-equiv="content-type">; not what looks like one in comments, scripts or other attributes. */
bool drt_markup_charset(const char *data, size_t length, const char **label, size_t *label_length);
/* Appends a whole document of markup as UTF-8, by what it declares, its own entities expanded (see entities.h). As
 * drt_charset_decode; out is empty before. */
drt_status drt_markup_to_utf8(drt_context *context, const char *data, size_t length, drt_buffer *out,
                              drt_charset_facts *facts);

#endif
