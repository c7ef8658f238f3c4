/* format_mail.c: mail (RFC 5322, MIME). The text of a message is its plain part, or else its page; the senders, subject and
 * date are its authors, title and date; attached files and messages are members of their own. See formats.h. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/corpus/charset.h"
#include "engine/corpus/formats/html.h"
#include "engine/corpus/formats/mail.h"
#include "engine/corpus/formats/mailbox.h"
#include "engine/corpus/formats/markup.h"
#include "engine/corpus/formats/reflow.h"
#include "engine/corpus/formats/xml.h"

#define DEPTH 16   /* parts inside each other */
#define PARTS 2000 /* of one message */

/* What the headers of a message or of a part say. */
typedef struct {
    drt_slice type;        /* "text/plain; charset=utf-8" */
    drt_slice encoding;    /* "base64" */
    drt_slice disposition; /* "attachment; filename=x" */
    bool shown;            /* it has an identity, by which a page uses it */
    drt_slice body;
} part;

static part read_part(drt_slice source, const char *type) {
    part p = {.type = {type, strlen(type)}};
    drt_slice rest = source, name, value;
    while (drt_mail_header(&rest, &name, &value)) {
        if (drt_slice_is(name, "Content-Type") && value.length > 0 && memchr(value.data, '/', value.length))
            p.type = value; /* others are none */
        else if (drt_slice_is(name, "Content-Transfer-Encoding"))
            p.encoding = value;
        else if (drt_slice_is(name, "Content-Disposition"))
            p.disposition = value;
        else if (drt_slice_is(name, "Content-ID") || drt_slice_is(name, "Content-Location"))
            p.shown = true;
    }
    p.body = rest;
    return p;
}

/* text: what stands below base64 is text, too, as what mailing lists add; all of it may be. */
static bool decode_body(const part *p, bool text, drt_buffer *out) {
    drt_slice rest;
    if (drt_slice_begins(p->encoding, "base64"))
        return drt_mail_decode_base64(p->body, out, &rest) &&
               (!(text || out->length == 0) || rest.length == 0 ||
                ((out->length == 0 || drt_buffer_append_text(out, "\n\n")) &&
                 drt_buffer_append(out, rest.data, rest.length)));
    if (drt_slice_begins(p->encoding, "quoted-printable"))
        return drt_mail_decode_quoted(p->body, false, out);
    return drt_buffer_append(out, p->body.data, p->body.length);
}

static bool take_headers(drt_context *context, drt_slice source, drt_extract *extract) {
    drt_slice rest = source, name, value, sender = {0};
    bool ok = true;
    while (ok && drt_mail_header(&rest, &name, &value)) {
        drt_string line = {0};
        if (drt_slice_is(name, "Subject")) {
            ok = drt_mail_text(context, value, &line);
            drt_xml_take_title(extract, &line);
        } else if (drt_slice_is(name, "From") && extract->n_authors == 0) {
            ok = drt_mail_add_authors(context, value, extract);
        } else if (drt_slice_is(name, "Sender")) {
            sender = value;
        } else if (drt_slice_is(name, "Date")) {
            ok = drt_mail_date(value, &line);
            drt_xml_take_date(extract, &line);
        }
    }
    return ok && (extract->n_authors > 0 || drt_mail_add_authors(context, sender, extract));
}

/* ------------------------------------------------------------------ plain text ---- */

/* What the lines of a plain text mean beyond plain text. */
typedef struct {
    drt_buffer out;
    bool flowed, joins; /* format=flowed; and a soft break stands for no space */
    bool soft;          /* the line before goes on in this one */
    size_t quotes;      /* ">" before the line before */
    enum { IN_TEXT, IN_SIGNED_HEAD, IN_ARMOUR } state;
    bool is_signed, locked;
} plain;

static bool begins_armour(drt_slice line, const char *what) {
    return drt_slice_begins(line, "-----BEGIN PGP ") && drt_slice_begins(drt_slice_skip(line, 15), what);
}

/* Lines that PGP adds: heads, signatures and keys go, and what is encrypted. false: a line of the text. */
static bool pass_armour(plain *p, drt_slice *line) {
    if (p->state == IN_SIGNED_HEAD)
        p->state = line->length > 0 ? IN_SIGNED_HEAD : IN_TEXT;
    else if (p->state == IN_ARMOUR)
        p->state = drt_slice_begins(*line, "-----END PGP ") ? IN_TEXT : IN_ARMOUR;
    else if (begins_armour(*line, "SIGNED MESSAGE"))
        p->state = IN_SIGNED_HEAD;
    else if (begins_armour(*line, "MESSAGE") || begins_armour(*line, "SIGNATURE") || begins_armour(*line, "PUBLIC KEY"))
        p->state = IN_ARMOUR;
    else
        return false;
    p->is_signed = p->is_signed || p->state == IN_SIGNED_HEAD;
    p->locked = p->locked || begins_armour(*line, "MESSAGE");
    return true;
}

/* Takes ">", "> > " off. */
static size_t take_quotes(const plain *p, drt_slice *line) {
    size_t n = 0;
    for (drt_slice rest = *line; rest.length > 0 && *rest.data == '>'; n++) {
        rest = drt_slice_skip(rest, 1);
        *line = rest;
        if (!p->flowed && rest.length > 1 && *rest.data == ' ' && rest.data[1] == '>')
            rest = drt_slice_skip(rest, 1);
    }
    return n;
}

/* A quoted paragraph gets its mark once, where it begins: else it would stand in the middle of sentences. */
static bool add_line(plain *p, drt_slice line) {
    if (pass_armour(p, &line))
        return true;
    if (p->is_signed && drt_slice_begins(line, "- "))
        line = drt_slice_skip(line, 2);
    size_t quotes = take_quotes(p, &line);
    bool blank = drt_slice_trim(line).length == 0, ok = true;
    bool goes_on = p->soft && quotes == p->quotes && !blank;
    if ((p->flowed || quotes > 0) && line.length > 0 && *line.data == ' ')
        line = drt_slice_skip(line, 1);
    bool signature = line.length == 3 && memcmp(line.data, "-- ", 3) == 0;
    bool soft = p->flowed && !signature && line.length > 0 && line.data[line.length - 1] == ' ';
    if (soft && p->joins)
        line.length--;
    if (!goes_on && p->out.length > 0)
        ok = drt_buffer_append_byte(&p->out, '\n');
    if (ok && quotes != p->quotes)
        ok = drt_buffer_append_byte(&p->out, '\n');
    bool begins = quotes > 0 && !blank && !goes_on &&
                  (p->out.length < 2 || memcmp(p->out.data + p->out.length - 2, "\n\n", 2) == 0);
    for (size_t i = 0; ok && begins && i < quotes && i < DEPTH; i++)
        ok = drt_buffer_append_byte(&p->out, '>');
    if (ok && begins)
        ok = drt_buffer_append_byte(&p->out, ' ');
    p->quotes = quotes;
    p->soft = soft;
    return ok && drt_buffer_append(&p->out, line.data, blank ? 0 : line.length);
}

/* ------------------------------------------------------------------ parts ---- */

typedef struct {
    drt_context *context;
    drt_text text;
    int64_t replacements;
    const char *guessed;
    size_t parts;
    bool locked, sealed, cut, deep;
    /* Files that are attached are handed out instead of reading text; NULL: they are left alone. */
    drt_split_receiver receive;
    void *user;
    drt_status status;
} message;

static void take_part(message *m, drt_slice source, const char *type, int depth);
static void take_text(message *m, const part *p);

/* The next part between boundaries; false: no more. *closed: the last boundary was seen. */
static bool next_part(drt_slice *rest, drt_slice boundary, drt_slice *source, bool *closed) {
    bool inside = false;
    const char *start = NULL;
    while (rest->length > 0) {
        drt_slice before = *rest, line = drt_slice_line(rest);
        bool edge = line.length >= boundary.length + 2 && memcmp(line.data, "--", 2) == 0 &&
                    memcmp(line.data + 2, boundary.data, boundary.length) == 0;
        drt_slice behind = edge ? drt_slice_skip(line, boundary.length + 2) : (drt_slice){0};
        bool last = drt_slice_begins(behind, "--");
        if (!edge || (drt_slice_trim(behind).length > 0 && !last)) /* a longer one that begins like it */
            continue;
        *closed = last;
        if (inside) {
            *source = (drt_slice){start, (size_t)(before.data - start)};
            *rest = before;
            return true;
        }
        if (last)
            break;
        inside = true;
        start = rest->data;
    }
    *source = (drt_slice){start, inside ? (size_t)(rest->data - start) : 0};
    return inside; /* the last one has no end */
}

/* Of several ways to say the same the plain one, or else the last that can be read. */
static void take_alternatives(message *m, drt_slice body, drt_slice boundary, int depth) {
    drt_slice rest = body, source, chosen = {0};
    bool is_plain = false, closed = false;
    while (!is_plain && next_part(&rest, boundary, &source, &closed)) {
        part p = read_part(source, "text/plain");
        is_plain = drt_slice_begins(p.type, "text/plain") && drt_slice_trim(p.body).length > 0;
        if (is_plain || drt_slice_begins(p.type, "text/html") || drt_slice_begins(p.type, "multipart/"))
            chosen = source;
    }
    if (m->receive) { /* files may be among them */
        rest = body;
        while (next_part(&rest, boundary, &source, &closed))
            take_part(m, source, "text/plain", depth + 1);
    } else if (chosen.data) {
        take_part(m, chosen, "text/plain", depth + 1);
    }
    m->cut = m->cut || (!closed && (m->receive || !is_plain));
}

/* What parts the parts: as the header says, or else as it is done. false: nothing does. */
static bool find_boundary(const part *p, drt_slice *boundary) {
    drt_slice rest, source;
    bool closed;
    rest = p->body;
    if (drt_mail_parameter(p->type, "boundary", boundary) && boundary->length > 0 &&
        next_part(&rest, *boundary, &source, &closed))
        return true;
    for (rest = p->body; rest.length > 0;) {
        drt_slice line = drt_slice_trim(drt_slice_line(&rest));
        *boundary = drt_slice_skip(line, 2);
        if (drt_slice_begins(line, "--") && boundary->length > 0 && !memchr(line.data, ' ', line.length))
            return true;
    }
    return false;
}

static void take_multipart(message *m, const part *p, int depth) {
    drt_slice boundary, source;
    if (!find_boundary(p, &boundary)) {
        part whole = {.type = {"text/plain", 10}, .encoding = p->encoding, .body = p->body};
        if (!m->receive)
            take_text(m, &whole);
        return;
    }
    if (drt_slice_begins(p->type, "multipart/alternative")) {
        take_alternatives(m, p->body, boundary, depth);
        return;
    }
    const char *type = drt_slice_begins(p->type, "multipart/digest") ? "message/rfc822" : "text/plain";
    bool closed = false;
    for (drt_slice rest = p->body;
         m->status == DRT_OK && m->parts < PARTS && next_part(&rest, boundary, &source, &closed); m->parts++)
        take_part(m, source, type, depth + 1);
    m->cut = m->cut || !closed;
}

static drt_status read_plain(message *m, const part *p, const drt_buffer *decoded) {
    plain lines = {0};
    drt_slice value, rest = {decoded->data, decoded->length};
    lines.flowed = drt_mail_parameter(p->type, "format", &value) && drt_slice_is(value, "flowed");
    lines.joins = drt_mail_parameter(p->type, "delsp", &value) && drt_slice_is(value, "yes");
    bool ok = true;
    while (ok && rest.length > 0)
        ok = add_line(&lines, drt_slice_line(&rest));
    drt_status status = ok ? DRT_OK : drt_fail_memory(m->context, "a message");
    if (ok && lines.out.length > 0)
        status = drt_reflow(m->context, &m->text, lines.out.data, lines.out.length);
    m->locked = m->locked || lines.locked;
    drt_buffer_free(&lines.out);
    return status;
}

static drt_status decode_text(message *m, const part *p, bool page, const drt_buffer *bytes, drt_buffer *decoded) {
    drt_charset_facts facts = {0};
    drt_slice label = {"", 0};
    drt_status status;
    bool labelled = drt_mail_parameter(p->type, "charset", &label);
    if (page && !(labelled && drt_charset_known(label.data, label.length)))
        status = drt_markup_to_utf8(m->context, bytes->data, bytes->length, decoded, &facts);
    else
        status = drt_charset_decode(m->context, bytes->data, bytes->length, label.data, label.length, decoded, &facts);
    m->replacements += facts.replacements;
    m->guessed = facts.guessed ? facts.name : m->guessed;
    return status;
}

static void take_text(message *m, const part *p) {
    drt_buffer bytes = {0}, decoded = {0};
    drt_slice start = drt_slice_trim(p->body);
    bool page = drt_slice_begins(p->type, "text/html") || drt_slice_begins(p->type, "text/enriched") ||
                drt_slice_begins(start, "<!doctype html") || drt_slice_begins(start, "<html"),
         cut;
    if (!decode_body(p, true, &bytes))
        m->status = drt_fail_memory(m->context, "a message");
    else if (bytes.length > 0)
        m->status = decode_text(m, p, page, &bytes, &decoded);
    drt_buffer_free(&bytes);
    if (m->status == DRT_OK && decoded.length > 0)
        m->status = page ? drt_html_read(m->context, decoded.data, decoded.length, false, &m->text, NULL, &cut)
                         : read_plain(m, p, &decoded);
    drt_text_paragraph(&m->text);
    drt_buffer_free(&decoded);
}

/* The name that a file is attached under; a number where it has none. */
static bool attachment_name(message *m, const part *p, drt_string *name) {
    char number[32];
    bool ok = drt_mail_parameter_text(m->context, p->disposition, "filename", name) &&
              (name->data || drt_mail_parameter_text(m->context, p->type, "name", name));
    for (size_t i = 0; i < name->length; i++)
        if (name->data[i] == '/' || name->data[i] == '\\')
            name->data[i] = '_';
    if (ok && !name->data) {
        snprintf(number, sizeof number, "part-%zu", m->parts + 1);
        ok = drt_string_set(name, number, strlen(number));
    }
    return ok;
}

static void hand_out(message *m, const part *p, const char *suffix) {
    drt_buffer bytes = {0}, full = {0};
    drt_string name = {0};
    bool ok = decode_body(p, false, &bytes) && attachment_name(m, p, &name) &&
              drt_buffer_append(&full, name.data, name.length) &&
              (drt_name_has_extension(name.data, name.length, " .eml ") || drt_buffer_append_text(&full, suffix));
    if (!ok)
        m->status = drt_fail_memory(m->context, "a message");
    else if (bytes.length > 0 && !m->receive(m->user, full.data, full.length, bytes.data, bytes.length))
        m->status = DRT_WARN; /* enough */
    drt_string_free(&name);
    drt_buffer_free(&full);
    drt_buffer_free(&bytes);
}

static bool begins_any(drt_slice type, const char *const *words, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (drt_slice_begins(type, words[i]))
            return true;
    return false;
}

/* Signatures, and what a page uses and shows, are no documents. */
static bool is_trimming(const part *p) {
    static const char *const signatures[] = {"application/pgp-signature", "application/pkcs7-signature",
                                             "application/x-pkcs7-signature"};
    static const char *const used[] = {"image/", "text/css", "text/javascript", "application/javascript",
                                       "application/x-javascript"};
    if (drt_slice_begins(p->type, "text/calendar") && !drt_slice_begins(p->disposition, "attachment"))
        return true; /* an invitation, for programs */
    bool inside =
        (p->shown || drt_slice_begins(p->disposition, "inline")) && !drt_slice_begins(p->disposition, "attachment");
    return begins_any(p->type, signatures, sizeof signatures / sizeof *signatures) ||
           (inside && begins_any(p->type, used, sizeof used / sizeof *used));
}

/* Text is whatever claims to be, but for what programs read. */
static bool is_text(const part *p) {
    static const char *const others[] = {"text/calendar",  "text/x-vcard", "text/vcard",
                                         "text/directory", "text/css",     "text/rfc822-headers"};
    return drt_slice_begins(p->type, "text/") && !begins_any(p->type, others, sizeof others / sizeof *others);
}

/* S/MIME: either all of it is encrypted, or it is packed together with its signature. */
static bool take_sealed(message *m, const part *p) {
    drt_slice kind;
    if (!drt_slice_begins(p->type, "application/pkcs7-mime") && !drt_slice_begins(p->type, "application/x-pkcs7-mime"))
        return false;
    if (drt_mail_parameter(p->type, "smime-type", &kind) && drt_slice_begins(kind, "signed"))
        m->sealed = true;
    else
        m->locked = true;
    return true;
}

static void take_part(message *m, drt_slice source, const char *type, int depth) {
    part p = read_part(source, type);
    drt_slice file;
    bool attached =
        drt_slice_begins(p.disposition, "attachment") || drt_mail_parameter(p.disposition, "filename", &file);
    m->deep = m->deep || depth > DEPTH;
    if (depth > DEPTH || m->status != DRT_OK || is_trimming(&p) || take_sealed(m, &p))
        return;
    if (drt_slice_begins(p.type, "multipart/encrypted"))
        m->locked = true;
    else if (drt_slice_begins(p.type, "multipart/"))
        take_multipart(m, &p, depth);
    else if (m->receive && drt_slice_begins(p.type, "message/rfc822"))
        hand_out(m, &p, ".eml");
    else if (m->receive && ((attached && depth > 0) || !is_text(&p)) && p.body.length > 0)
        hand_out(m, &p, "");
    else if (!m->receive && is_text(&p) && (!attached || depth == 0))
        take_text(m, &p);
}

/* Apple's: the length of the message stands before it, facts of the program's own behind it. */
static drt_slice message_of(const drt_format_input *input) {
    drt_slice source = {input->data, input->length}, rest = source, line = drt_slice_line(&rest);
    size_t length = 0, digits = 0;
    if (!drt_name_has_extension(input->name, input->name_length, " .emlx "))
        return source;
    for (; digits < line.length && digits < 15 && isdigit((unsigned char)line.data[digits]); digits++)
        length = length * 10 + (size_t)(line.data[digits] - '0');
    bool counted = digits > 0 && drt_slice_trim(drt_slice_skip(line, digits)).length == 0;
    if (!counted)
        return source;
    return (drt_slice){rest.data, length < rest.length ? length : rest.length};
}

static bool note_losses(const message *m, drt_extract *extract) {
    bool none = extract->text.length == 0;
    drt_document_status lost = none ? DRT_DOCUMENT_SKIPPED : DRT_DOCUMENT_PARTIAL;
    return (!m->locked || drt_extract_note(extract, lost, "%s encrypted; a key would be needed",
                                           none ? "it is" : "a part of it is")) &&
           (!m->sealed || drt_extract_note(extract, lost, "%s packed with its signature (S/MIME), which is not read",
                                           none ? "it is" : "a part of it is")) &&
           (!m->cut || none ||
            drt_extract_note(extract, DRT_DOCUMENT_PARTIAL, "its last part has no end: it may be cut")) &&
           (!m->deep || none ||
            drt_extract_note(extract, DRT_DOCUMENT_PARTIAL, "its parts are nested too deep to read on")) &&
           drt_extract_note_charset(extract, m->replacements, m->guessed);
}

drt_status drt_format_mail_extract(drt_context *context, const drt_format_input *input, drt_extract *extract) {
    message m = {.context = context};
    drt_slice source = message_of(input);
    drt_text_start(&m.text, &extract->text);
    if (!take_headers(context, source, extract))
        m.status = drt_fail_memory(context, "a message");
    take_part(&m, source, "text/plain", 0);
    if (drt_text_is_empty(&m.text) && extract->text.length == 0 && extract->title.data && !m.locked && !m.sealed)
        drt_text_add(&m.text, extract->title.data, extract->title.length); /* then the subject says it all */
    bool ok = drt_text_finish(&m.text) && note_losses(&m, extract);
    return m.status == DRT_OK && !ok ? drt_fail_memory(context, "a message") : m.status;
}

drt_status drt_format_mail_split(drt_context *context, const drt_format_input *input, drt_split_receiver receive,
                                 void *user, bool *whole) {
    message m = {.context = context, .receive = receive, .user = user};
    take_part(&m, message_of(input), "text/plain", 0);
    *whole = !m.cut && !m.deep;
    return m.status == DRT_WARN ? DRT_OK : m.status;
}

/* Headers of which a message has one at least, and what no other text begins with. */
bool drt_format_mail_detect(const drt_format_probe *probe) {
    static const char *const origins[] = {"From", "Sender", "Received", "Return-Path", "Delivered-To"};
    static const char *const others[] = {"Date", "To", "Subject", "Message-ID", "Received", "MIME-Version"};
    drt_format_input input = {probe->head, probe->head_length, probe->name, probe->name_length};
    drt_slice rest = message_of(&input), name, value;
    bool origin = false, other = false;
    if (drt_name_has_extension(probe->name, probe->name_length, " .eml .emlx .mht .mhtml "))
        return drt_mail_header(&rest, &name, &value);
    if (drt_mailbox_detect(probe))
        return false;
    while (drt_mail_header(&rest, &name, &value)) {
        for (size_t i = 0; i < sizeof origins / sizeof *origins; i++)
            origin = origin || drt_slice_is(name, origins[i]);
        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
            other = other || drt_slice_is(name, others[i]);
    }
    bool named = strcmp(drt_format_by_name(probe)->name, "text") != 0 ||
                 drt_name_has_extension(probe->name, probe->name_length, drt_format_named("text")->extensions);
    return origin && other && !named && drt_charset_is_text(probe->head, probe->head_length);
}
