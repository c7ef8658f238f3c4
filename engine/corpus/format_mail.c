/* format_mail.c: mail (RFC 5322, MIME) and mailboxes. The text of a message is its plain part, or else its page; the sender,
 * subject and date are its author, title and date; attached files are members of their own, so are the messages of a mailbox.
 * See formats.h. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/base/utf8.h"
#include "engine/corpus/charset.h"
#include "engine/corpus/formats.h"
#include "engine/corpus/html.h"
#include "engine/corpus/reflow.h"
#include "engine/corpus/xml.h"

#define DEPTH 16   /* parts inside each other */
#define PARTS 2000 /* of one message */
#define WORD 2000  /* bytes of an encoded word */

typedef struct {
    const char *data;
    size_t length;
} slice;

/* What the headers of a message or of a part say. */
typedef struct {
    slice type;        /* "text/plain; charset=utf-8" */
    slice encoding;    /* "base64" */
    slice disposition; /* "attachment; filename=x" */
    slice body;
} part;

static slice skip(slice s, size_t n) {
    if (s.length == 0)
        return s; /* data may be NULL */
    return n < s.length ? (slice){s.data + n, s.length - n} : (slice){s.data + s.length, 0};
}

static slice trim(slice s) {
    while (s.length > 0 && isspace((unsigned char)*s.data))
        s = skip(s, 1);
    while (s.length > 0 && isspace((unsigned char)s.data[s.length - 1]))
        s.length--;
    return s;
}

static bool begins(slice s, const char *word) {
    return s.length >= strlen(word) && strncasecmp(s.data, word, strlen(word)) == 0;
}

static slice next_line(slice *rest) {
    const char *end = rest->length ? memchr(rest->data, '\n', rest->length) : NULL;
    slice line = {rest->data, end ? (size_t)(end - rest->data) : rest->length};
    *rest = skip(*rest, line.length + (end != NULL));
    if (line.length > 0 && line.data[line.length - 1] == '\r')
        line.length--;
    return line;
}

/* ------------------------------------------------------------------ headers ---- */

/* The next header with the lines that continue it, and what it is of; false: the body begins. */
static bool next_header(slice *rest, slice *name, slice *value) {
    for (;;) {
        slice whole = *rest, line = next_line(rest);
        if (line.length == 0)
            return false;
        while (rest->length > 0 && (*rest->data == ' ' || *rest->data == '\t'))
            next_line(rest);
        whole.length = (size_t)(rest->data - whole.data);
        const char *colon = memchr(line.data, ':', line.length);
        if (!colon)
            continue; /* "From " of a mailbox, or noise */
        *name = (slice){line.data, (size_t)(colon - line.data)};
        *value = trim(skip(whole, name->length + 1));
        return true;
    }
}

static bool is(slice name, const char *word) {
    return name.length == strlen(word) && strncasecmp(name.data, word, name.length) == 0;
}

static part read_part(slice source) {
    part p = {.type = {"text/plain", 10}};
    slice rest = source, name, value;
    while (next_header(&rest, &name, &value)) {
        if (is(name, "Content-Type"))
            p.type = value;
        else if (is(name, "Content-Transfer-Encoding"))
            p.encoding = value;
        else if (is(name, "Content-Disposition"))
            p.disposition = value;
    }
    p.body = rest;
    return p;
}

/* A parameter of a header: charset="utf-8". */
static bool find_parameter(slice header, const char *word, slice *value) {
    size_t n = strlen(word);
    for (slice rest = header; rest.length > 0;) {
        const char *semicolon = memchr(rest.data, ';', rest.length);
        if (!semicolon)
            return false;
        rest = trim(skip(rest, (size_t)(semicolon + 1 - rest.data)));
        if (rest.length <= n || strncasecmp(rest.data, word, n) != 0)
            continue;
        slice after = trim(skip(rest, n));
        if (after.length == 0 || *after.data != '=')
            continue;
        after = trim(skip(after, 1));
        bool quoted = after.length > 0 && *after.data == '"';
        after = skip(after, quoted);
        size_t end = 0;
        while (end < after.length &&
               (quoted ? after.data[end] != '"' : after.data[end] != ';' && !isspace((unsigned char)after.data[end])))
            end++;
        *value = (slice){after.data, end};
        return true;
    }
    return false;
}

/* ------------------------------------------------------------------ encodings ---- */

static int hex_digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10 : -1;
}

/* header: "_" is a space. */
static bool decode_quoted(slice s, bool header, drt_buffer *out) {
    bool ok = true;
    for (size_t at = 0; ok && at < s.length; at++) {
        char c = s.data[at];
        int high = at + 1 < s.length ? hex_digit(s.data[at + 1]) : -1,
            low = at + 2 < s.length ? hex_digit(s.data[at + 2]) : -1;
        if (c == '=' && high >= 0 && low >= 0) {
            ok = drt_buffer_append_byte(out, (char)(high * 16 + low));
            at += 2;
        } else if (c == '=' && at + 1 < s.length && s.data[at + 1] == '\n') {
            at++;
        } else if (c == '=' && at + 2 < s.length && s.data[at + 1] == '\r' && s.data[at + 2] == '\n') {
            at += 2;
        } else {
            ok = drt_buffer_append_byte(out, header && c == '_' ? ' ' : c);
        }
    }
    return ok;
}

static bool decode_base64(slice s, drt_buffer *out) {
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = 0;
    int n = 0;
    bool ok = true;
    for (size_t at = 0; ok && at < s.length && s.data[at] != '='; at++) {
        const char *found = s.data[at] ? strchr(alphabet, s.data[at]) : NULL;
        if (!found)
            continue;
        bits = bits << 6 | (uint32_t)(found - alphabet);
        if (++n % 4 != 1)
            ok = drt_buffer_append_byte(out, (char)(bits >> (n % 4 == 2 ? 4 : n % 4 == 3 ? 2 : 0)));
    }
    return ok;
}

static bool decode_body(const part *p, drt_buffer *out) {
    if (begins(p->encoding, "base64"))
        return decode_base64(p->body, out);
    if (begins(p->encoding, "quoted-printable"))
        return decode_quoted(p->body, false, out);
    return drt_buffer_append(out, p->body.data, p->body.length);
}

/* "=?utf-8?Q?caf=C3=A9?=": one encoded word; its length, 0: it is none. */
static size_t decode_word(drt_context *context, slice s, drt_buffer *out, bool *ok) {
    if (!begins(s, "=?"))
        return 0;
    const char *charset = s.data + 2, *end = s.data + s.length;
    const char *first = memchr(charset, '?', (size_t)(end - charset) < 40 ? (size_t)(end - charset) : 40);
    if (!first || end - first < 4 || first[2] != '?')
        return 0;
    const char *text = first + 3, *close = text;
    end = end - text > WORD ? text + WORD : end;
    while (close + 1 < end && !(close[0] == '?' && close[1] == '='))
        close++;
    if (close + 1 >= end)
        return 0;
    drt_buffer bytes = {0};
    drt_charset_facts facts;
    slice coded = {text, (size_t)(close - text)};
    *ok = *ok && ((first[1] | 0x20) == 'b' ? decode_base64(coded, &bytes) : decode_quoted(coded, true, &bytes)) &&
          (bytes.length == 0 || drt_charset_decode(context, bytes.data, bytes.length, charset,
                                                   (size_t)(first - charset), out, &facts) != DRT_FATAL);
    drt_buffer_free(&bytes);
    return (size_t)(close + 2 - s.data);
}

/* A header's value as one line of text. */
static bool decode_header(drt_context *context, slice value, drt_string *line) {
    drt_buffer text = {0}, decoded = {0};
    drt_charset_facts facts;
    bool ok = true, word = false;
    for (size_t at = 0; ok && at < value.length;) {
        slice rest = skip(value, at);
        size_t space = 0, n;
        while (space < rest.length && isspace((unsigned char)rest.data[space]))
            space++;
        n = decode_word(context, skip(rest, word ? space : 0), &text, &ok); /* space between two such words is none */
        if (n > 0) {
            at += n + (word ? space : 0);
            word = true;
            continue;
        }
        word = false;
        ok = ok && drt_buffer_append_byte(&text, value.data[at++]);
    }
    ok = ok && (text.length == 0 ||
                drt_charset_decode(context, text.data, text.length, NULL, 0, &decoded, &facts) != DRT_FATAL);
    *line = (drt_string){0};
    ok = ok && (decoded.length == 0 || drt_text_single_line(decoded.data, decoded.length, line));
    drt_buffer_free(&text);
    drt_buffer_free(&decoded);
    return ok;
}

/* "Ada Renn <ada@x>" -> "Ada Renn"; without a name the address. */
static void cut_address(drt_string *line) {
    char *open = line->data ? memchr(line->data, '<', line->length) : NULL;
    if (open && open > line->data)
        line->length = (size_t)(open - line->data);
    while (line->length > 0 && strchr(" \"", line->data[line->length - 1]))
        line->length--;
    while (line->length > 0 && strchr("\"", line->data[0]))
        memmove(line->data, line->data + 1, --line->length);
    if (line->data)
        line->data[line->length] = 0;
    if (line->length == 0)
        drt_string_free(line);
    if (line->length == 0)
        *line = (drt_string){0};
}

/* "Tue, 3 Mar 2020 10:00:00 +0100" -> "2020-03-03"; others stay as they are. */
static bool take_date(drt_extract *extract, slice value) {
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    char text[64] = "", month[4] = "", date[32];
    int day = 0, year = 0;
    drt_string line;
    const char *comma = memchr(value.data, ',', value.length < 16 ? value.length : 16);
    slice rest = comma ? skip(value, (size_t)(comma + 1 - value.data)) : value;
    memcpy(text, rest.data, rest.length < sizeof text - 1 ? rest.length : sizeof text - 1);
    const char *found = sscanf(text, "%2d %3[A-Za-z] %4d", &day, month, &year) == 3 ? strstr(months, month) : NULL;
    bool ok;
    if (found && day >= 1 && day <= 31 && year >= 1000) {
        snprintf(date, sizeof date, "%04d-%02d-%02d", year, (int)(found - months) / 3 + 1, day);
        ok = drt_string_set(&line, date, strlen(date));
    } else {
        ok = drt_text_single_line(value.data, drt_utf8_valid_prefix(value.data, value.length), &line);
    }
    drt_xml_take_date(extract, &line);
    return ok;
}

static bool take_headers(drt_context *context, slice source, drt_extract *extract) {
    slice rest = source, name, value;
    bool ok = true;
    while (ok && next_header(&rest, &name, &value)) {
        drt_string line = {0};
        if (is(name, "Subject")) {
            ok = decode_header(context, value, &line);
            drt_xml_take_title(extract, &line);
        } else if (is(name, "From") && extract->n_authors == 0) {
            ok = decode_header(context, value, &line);
            cut_address(&line);
            ok = ok && drt_xml_take_author(extract, &line);
        } else if (is(name, "Date")) {
            ok = take_date(extract, value);
        }
    }
    return ok;
}

/* ------------------------------------------------------------------ parts ---- */

typedef struct {
    drt_context *context;
    drt_extract *extract;
    drt_text text;
    int64_t replacements;
    const char *guessed;
    size_t parts;
    bool locked;
    /* Files that are attached are handed out instead of reading text; NULL: they are left alone. */
    drt_split_receiver receive;
    void *user;
    drt_status status;
} message;

static void take_part(message *m, slice source, int depth);

/* The next part between boundaries; false: no more. */
static bool next_part(slice *rest, slice boundary, slice *source) {
    bool inside = false;
    const char *start = NULL;
    while (rest->length > 0) {
        slice before = *rest, line = next_line(rest);
        bool edge = line.length >= boundary.length + 2 && memcmp(line.data, "--", 2) == 0 &&
                    memcmp(line.data + 2, boundary.data, boundary.length) == 0;
        if (!edge)
            continue;
        if (inside) {
            *source = (slice){start, (size_t)(before.data - start)};
            *rest = before;
            return true;
        }
        if (line.length >= boundary.length + 4 && memcmp(line.data + 2 + boundary.length, "--", 2) == 0)
            break;
        inside = true;
        start = rest->data;
    }
    *source = (slice){start, inside ? (size_t)(rest->data - start) : 0};
    return inside; /* the last one has no end */
}

/* Of several ways to say the same the plain one, or else the last that can be read. */
static void take_alternatives(message *m, slice body, slice boundary, int depth) {
    slice rest = body, source, chosen = {0};
    bool plain = false;
    while (!plain && next_part(&rest, boundary, &source)) {
        part p = read_part(source);
        plain = begins(p.type, "text/plain") && trim(p.body).length > 0;
        if (plain || begins(p.type, "text/html") || begins(p.type, "multipart/"))
            chosen = source;
    }
    if (m->receive) { /* files may be among them */
        rest = body;
        while (next_part(&rest, boundary, &source))
            take_part(m, source, depth + 1);
    } else if (chosen.data) {
        take_part(m, chosen, depth + 1);
    }
}

static void take_multipart(message *m, const part *p, int depth) {
    slice boundary, source;
    if (!find_parameter(p->type, "boundary", &boundary) || boundary.length == 0)
        return;
    if (begins(p->type, "multipart/encrypted"))
        m->locked = true;
    if (begins(p->type, "multipart/alternative")) {
        take_alternatives(m, p->body, boundary, depth);
        return;
    }
    for (slice rest = p->body; m->status == DRT_OK && m->parts < PARTS && next_part(&rest, boundary, &source);
         m->parts++)
        take_part(m, source, depth + 1);
}

static void take_text(message *m, const part *p) {
    drt_buffer bytes = {0}, decoded = {0};
    drt_charset_facts facts = {0};
    slice label = {0};
    bool page = begins(p->type, "text/html"), cut;
    find_parameter(p->type, "charset", &label);
    if (!decode_body(p, &bytes))
        m->status = drt_fail_memory(m->context, "a message");
    else if (bytes.length > 0)
        m->status = drt_charset_decode(m->context, bytes.data, bytes.length, label.data ? label.data : "", label.length,
                                       &decoded, &facts);
    if (m->status == DRT_OK && decoded.length > 0)
        m->status = page ? drt_html_read(m->context, decoded.data, decoded.length, false, &m->text, NULL, &cut)
                         : drt_reflow(m->context, &m->text, decoded.data, decoded.length);
    drt_text_paragraph(&m->text);
    m->replacements += facts.replacements;
    m->guessed = facts.guessed ? facts.name : m->guessed;
    drt_buffer_free(&bytes);
    drt_buffer_free(&decoded);
}

/* The name that a file is attached under; a number where it has none. */
static bool attachment_name(message *m, const part *p, drt_string *name) {
    slice value;
    char number[32];
    *name = (drt_string){0};
    bool ok = true;
    if (find_parameter(p->disposition, "filename", &value) || find_parameter(p->type, "name", &value))
        ok = decode_header(m->context, value, name);
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
    drt_buffer bytes = {0};
    drt_string name = {0};
    drt_buffer full = {0};
    bool ok = decode_body(p, &bytes) && attachment_name(m, p, &name) &&
              drt_buffer_append(&full, name.data, name.length) && drt_buffer_append_text(&full, suffix);
    if (!ok)
        m->status = drt_fail_memory(m->context, "a message");
    else if (bytes.length > 0 && !m->receive(m->user, full.data, full.length, bytes.data, bytes.length))
        m->status = DRT_WARN; /* enough */
    drt_string_free(&name);
    drt_buffer_free(&full);
    drt_buffer_free(&bytes);
}

static void take_part(message *m, slice source, int depth) {
    part p = read_part(source);
    slice file;
    bool multi = begins(p.type, "multipart/"),
         text = begins(p.type, "text/plain") || begins(p.type, "text/html") || begins(p.type, "text/enriched");
    bool attached = begins(p.disposition, "attachment") || find_parameter(p.disposition, "filename", &file);
    if (depth > DEPTH || m->status != DRT_OK)
        return;
    if (multi)
        take_multipart(m, &p, depth);
    else if (m->receive && begins(p.type, "message/rfc822"))
        hand_out(m, &p, ".eml");
    else if (m->receive && (attached || !text) && p.body.length > 0 && depth > 0)
        hand_out(m, &p, "");
    else if (!m->receive && text && !attached)
        take_text(m, &p);
}

drt_status drt_format_mail_extract(drt_context *context, const drt_format_input *input, drt_extract *extract) {
    message m = {.context = context, .extract = extract};
    slice source = {input->data, input->length};
    drt_text_start(&m.text, &extract->text);
    if (!take_headers(context, source, extract))
        m.status = drt_fail_memory(context, "a message");
    take_part(&m, source, 0);
    bool ok =
        drt_text_finish(&m.text) &&
        (!m.locked || drt_extract_note(extract, DRT_DOCUMENT_SKIPPED, "it is encrypted; a key would be needed")) &&
        drt_extract_note_charset(extract, m.replacements, m.guessed);
    if (m.locked)
        extract->text.length = 0;
    return m.status == DRT_OK && !ok ? drt_fail_memory(context, "a message") : m.status;
}

drt_status drt_format_mail_split(drt_context *context, const drt_format_input *input, drt_split_receiver receive,
                                 void *user) {
    message m = {.context = context, .receive = receive, .user = user};
    take_part(&m, (slice){input->data, input->length}, 0);
    return m.status == DRT_WARN ? DRT_OK : m.status;
}

/* ------------------------------------------------------------------ mailboxes ---- */

/* "From ada@x Tue Mar  3 10:00:00 2020", behind a blank line or at the beginning. */
static bool is_postmark(slice line) {
    return line.length > 10 && memcmp(line.data, "From ", 5) == 0 &&
           isdigit((unsigned char)line.data[line.length - 1]) && memchr(line.data, ':', line.length);
}

drt_status drt_format_mbox_split(drt_context *context, const drt_format_input *input, drt_split_receiver receive,
                                 void *user) {
    slice rest = {input->data, input->length};
    const char *start = NULL;
    bool blank = true;
    for (size_t n = 0;;) {
        slice line = {rest.data, 0}, before = rest;
        if (rest.length > 0)
            line = next_line(&rest);
        bool edge = before.length == 0 || (blank && is_postmark(line));
        blank = line.length == 0;
        if (edge && start && before.data > start) {
            char name[32];
            int length = snprintf(name, sizeof name, "%zu.eml", ++n);
            if (drt_cancelled(context) || !receive(user, name, (size_t)length, start, (size_t)(before.data - start)))
                return DRT_OK;
        }
        if (before.length == 0)
            return DRT_OK;
        if (edge)
            start = rest.data;
    }
}

bool drt_format_mbox_detect(const drt_format_probe *probe) {
    slice rest = {probe->head, probe->head_length}, name, value;
    slice first = next_line(&rest);
    return is_postmark(first) && next_header(&rest, &name, &value) && name.length > 1 &&
           !memchr(name.data, ' ', name.length);
}
