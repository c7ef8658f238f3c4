/* mail.h: what mail is written in: headers (RFC 5322), their encoded words (RFC 2047) and parameters (RFC 2231), and the
 * encodings of parts (RFC 2045). For format_mail.c and mailbox.c.
 * May use: base, charset, normalise. */
#ifndef DRT_CORPUS_FORMATS_MAIL_H
#define DRT_CORPUS_FORMATS_MAIL_H

#include "engine/corpus/formats/formats.h"

/* A piece of a message; nothing is copied. */
typedef struct {
    const char *data;
    size_t length;
} drt_slice;

drt_slice drt_slice_skip(drt_slice slice, size_t n);      /* what is left behind the first n bytes */
drt_slice drt_slice_trim(drt_slice slice);                /* without white space at its ends */
bool drt_slice_begins(drt_slice slice, const char *word); /* any case */
bool drt_slice_is(drt_slice slice, const char *word);     /* any case */
/* Takes the next line off; it has no line end. */
drt_slice drt_slice_line(drt_slice *rest);

/* Takes the next header off with the lines that continue it; false: the body begins, which is left. */
bool drt_mail_header(drt_slice *rest, drt_slice *name, drt_slice *value);
/* "From ada@x Tue Mar  3 10:00:00 2020": the line that a message of a mailbox begins with. */
bool drt_mail_is_postmark(drt_slice line);

/* A parameter of a header as it stands: charset="utf-8". */
bool drt_mail_parameter(drt_slice header, const char *word, drt_slice *value);
/* The same as text, put together and decoded; data NULL: there is none. false: out of memory. */
bool drt_mail_parameter_text(drt_context *context, drt_slice header, const char *word, drt_string *text);
/* A header's value as one line of text; data NULL: nothing visible. false: out of memory. */
bool drt_mail_text(drt_context *context, drt_slice value, drt_string *line);
/* Adds the names in a list of addresses, and the addresses that have none, to the authors. false: out of memory. */
bool drt_mail_add_authors(drt_context *context, drt_slice value, drt_extract *extract);
/* "Tue, 3 Mar 2020 10:00:00 +0100" -> "2020-03-03"; what is no date stays as it is. false: out of memory. */
bool drt_mail_date(drt_slice value, drt_string *date);

/* Append what the bytes stand for. Neither fails on what is no such encoding: *rest is what follows on the lines of base64,
 * which may be all of it. header: "_" is a space. false: out of memory. */
bool drt_mail_decode_base64(drt_slice slice, drt_buffer *out, drt_slice *rest);
bool drt_mail_decode_quoted(drt_slice slice, bool header, drt_buffer *out);

#endif
