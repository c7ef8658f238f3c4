/* charset.h: bytes of unknown encoding -> UTF-8.
 * Order of belief: byte order mark; UTF-16 and UTF-32 without one; valid UTF-8; what the document
 * declares; UTF-8 with stray bytes; what uchardet makes of it.
 * May use: base, uchardet, iconv, utf8proc. */
#ifndef DRT_CORPUS_CHARSET_H
#define DRT_CORPUS_CHARSET_H

#include "engine/base/buffer.h"

typedef struct {
    const char *name;     /* "UTF-8", "WINDOWS-1251", ...: static */
    bool guessed;         /* nothing declares it and there are too few letters to tell it by */
    int64_t replacements; /* sequences that could not be decoded; each became U+FFFD */
} drt_charset_facts;

/* Appends data as valid UTF-8, without a byte order mark; control characters and NUL stay. declared:
 * the label that the document itself gives, length 0: none. Labels are those of the WHATWG Encoding
 * standard, and two of old mail; others are ignored. DRT_FATAL: out of memory; DRT_FAILED: cancelled. */
drt_status drt_charset_decode(drt_context *context, const char *data, size_t length, const char *declared,
                              size_t declared_length, drt_buffer *out, drt_charset_facts *facts);

/* The same without a copy of bytes that are UTF-8 as they stand: *text points into data or, else, into *decoded, which the
 * caller frees. */
drt_status drt_charset_view(drt_context *context, const char *data, size_t length, drt_buffer *decoded,
                            const char **text, size_t *text_length, drt_charset_facts *facts);

/* Is this the beginning of a text in some encoding (few control characters)? An empty one is. */
bool drt_charset_is_text(const char *data, size_t length);

/* The same from a charset of iconv's name, whatever the bytes look like; adds to *replacements. DRT_WARN: this system doesn't
 * have it. */
drt_status drt_charset_decode_as(drt_context *context, const char *name, const char *data, size_t length,
                                 drt_buffer *out, int64_t *replacements);
/* Is there a charset of this label? */
bool drt_charset_known(const char *label, size_t length);

/* The encoding that file names without one are most likely in: `names` is one or more of them,
 * joined by line feeds, not all valid UTF-8. NULL: no idea. Static. */
const char *drt_charset_of_names(const char *names, size_t length);
/* Appends the name decoded from that charset (NULL: none); bytes that cannot be decoded and all of a
 * name that is no text there appear as \xNN. false: out of memory. */
bool drt_charset_decode_name(const char *charset, const char *name, size_t length, drt_buffer *out);

#endif
