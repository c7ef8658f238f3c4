/* mail.c: headers and encodings of mail. See mail.h. */
#include "engine/corpus/formats/mail.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "engine/base/utf8.h"
#include "engine/corpus/charset.h"
#include "engine/corpus/normalise.h"

#define WORD 2000         /* bytes of an encoded word */
#define POSTMARK 1000     /* of the line before a message */
#define CONTINUATIONS 100 /* pieces of a parameter */
#define AUTHORS 50        /* of one message */

/* ------------------------------------------------------------------ pieces ---- */

drt_slice drt_slice_skip(drt_slice s, size_t n) {
    if (s.length == 0)
        return s; /* data may be NULL */
    return n < s.length ? (drt_slice){s.data + n, s.length - n} : (drt_slice){s.data + s.length, 0};
}

drt_slice drt_slice_trim(drt_slice s) {
    while (s.length > 0 && isspace((unsigned char)*s.data))
        s = drt_slice_skip(s, 1);
    while (s.length > 0 && isspace((unsigned char)s.data[s.length - 1]))
        s.length--;
    return s;
}

bool drt_slice_begins(drt_slice s, const char *word) {
    return s.length >= strlen(word) && strncasecmp(s.data, word, strlen(word)) == 0;
}

bool drt_slice_is(drt_slice s, const char *word) {
    return s.length == strlen(word) && drt_slice_begins(s, word);
}

drt_slice drt_slice_line(drt_slice *rest) {
    const char *end = rest->length ? memchr(rest->data, '\n', rest->length) : NULL;
    drt_slice line = {rest->data, end ? (size_t)(end - rest->data) : rest->length};
    *rest = drt_slice_skip(*rest, line.length + (end != NULL));
    if (line.length > 0 && line.data[line.length - 1] == '\r')
        line.length--;
    return line;
}

/* ------------------------------------------------------------------ headers ---- */

/* The name before the colon; length 0: this line is no header. */
static drt_slice header_name(drt_slice line) {
    size_t n = 0;
    while (n < line.length && line.data[n] > ' ' && line.data[n] < 0x7F && line.data[n] != ':')
        n++;
    size_t colon = n;
    while (colon < line.length && (line.data[colon] == ' ' || line.data[colon] == '\t'))
        colon++;
    return (drt_slice){line.data, colon < line.length && line.data[colon] == ':' ? n : 0};
}

static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
static const char days[] = "MonTueWedThuFriSatSun";

/* The number of a name of three letters in a list of such, from 1; 0: none of them. */
static int place_in(const char *list, const char *name) {
    for (int i = 0; strlen(name) >= 3 && list[3 * i]; i++)
        if (strncasecmp(list + 3 * i, name, 3) == 0)
            return i + 1;
    return 0;
}

bool drt_mail_is_postmark(drt_slice line) {
    if (line.length < 20 || line.length > POSTMARK || memcmp(line.data, "From ", 5) != 0)
        return false;
    char text[POSTMARK + 1], day[4], month[4];
    int date, hour, minute;
    memcpy(text, line.data, line.length);
    text[line.length] = 0;
    for (char *at = text; (at = strchr(at, ' ')) != NULL; at++)
        if (sscanf(at, " %3[A-Za-z] %3[A-Za-z] %2d %2d:%2d", day, month, &date, &hour, &minute) == 5 &&
            place_in(days, day) && place_in(months, month))
            return true;
    return false;
}

/* Lines of mailboxes and of old gateways, which may have got before or among the headers. */
static bool is_stray(drt_slice line) {
    return drt_mail_is_postmark(line) || drt_slice_begins(line, ">From ");
}

bool drt_mail_header(drt_slice *rest, drt_slice *name, drt_slice *value) {
    drt_slice whole, line;
    do {
        whole = *rest;
        line = drt_slice_line(rest);
    } while (is_stray(line));
    *name = header_name(line);
    if (name->length == 0) {
        if (line.length > 0)
            *rest = whole; /* a body without headers, or without a blank line before it */
        return false;
    }
    while (rest->length > 0 && (*rest->data == ' ' || *rest->data == '\t'))
        drt_slice_line(rest);
    const char *colon = memchr(line.data + name->length, ':', line.length - name->length);
    *value = drt_slice_trim((drt_slice){colon + 1, (size_t)(rest->data - (colon + 1))});
    return true;
}

/* ------------------------------------------------------------------ encodings ---- */

static int hex_digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10 : -1;
}

/* Length of a soft line break at its "=", with the white space that some programs leave behind it; 0: none. */
static size_t soft_break(drt_slice s) {
    size_t n = 1;
    while (n < s.length && (s.data[n] == ' ' || s.data[n] == '\t' || s.data[n] == '\r'))
        n++;
    return n == s.length ? n : s.data[n] == '\n' ? n + 1 : 0;
}

/* "=C3" or, with mark '%', "%C3": its value; -1: it is none. */
static int hex_pair(drt_slice s, char mark) {
    int high = s.length > 2 && *s.data == mark ? hex_digit(s.data[1]) : -1;
    int low = high >= 0 ? hex_digit(s.data[2]) : -1;
    return low >= 0 ? high * 16 + low : -1;
}

bool drt_mail_decode_quoted(drt_slice s, bool header, drt_buffer *out) {
    bool ok = true;
    while (ok && s.length > 0) {
        int value = hex_pair(s, '=');
        size_t broken = *s.data == '=' && value < 0 && !header ? soft_break(s) : 0;
        if (value >= 0)
            ok = drt_buffer_append_byte(out, (char)value);
        else if (broken == 0)
            ok = drt_buffer_append_byte(out, header && *s.data == '_' ? ' ' : *s.data);
        s = drt_slice_skip(s, value >= 0 ? 3 : broken ? broken : 1);
    }
    return ok;
}

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Is all of the line of the alphabet, but for padding and a stray space? Words are not. */
static bool is_base64(drt_slice line) {
    size_t spaces = 0;
    for (size_t i = 0; i < line.length; i++) {
        char c = line.data[i];
        spaces += isspace((unsigned char)c) != 0;
        if (!(isalnum((unsigned char)c) || c == '+' || c == '/' || c == '=' || isspace((unsigned char)c)))
            return false;
    }
    return spaces * 20 <= line.length;
}

bool drt_mail_decode_base64(drt_slice s, drt_buffer *out, drt_slice *rest) {
    uint32_t bits = 0;
    int n = 0;
    bool ok = true;
    for (*rest = s; ok && rest->length > 0;) {
        drt_slice after = *rest, line = drt_slice_trim(drt_slice_line(&after));
        if (!is_base64(line))
            break;
        *rest = after;
        for (size_t at = 0; ok && at < line.length; at++) {
            const char *found = strchr(alphabet, line.data[at]);
            if (line.data[at] == '=')
                n = 0; /* another piece may follow */
            if (!found)
                continue;
            bits = bits << 6 | (uint32_t)(found - alphabet);
            if (++n % 4 != 1)
                ok = drt_buffer_append_byte(out, (char)(bits >> (n % 4 == 2 ? 4 : n % 4 == 3 ? 2 : 0)));
        }
    }
    return ok;
}

/* ------------------------------------------------------------------ encoded words ---- */

/* "=?utf-8?Q?caf=C3=A9?=" */
typedef struct {
    drt_slice charset, text;
    bool base64;
    size_t length; /* of it all */
} encoded_word;

static bool read_word(drt_slice s, encoded_word *word) {
    if (!drt_slice_begins(s, "=?"))
        return false;
    const char *charset = s.data + 2, *end = s.data + s.length;
    const char *first = memchr(charset, '?', (size_t)(end - charset) < 40 ? (size_t)(end - charset) : 40);
    if (!first || end - first < 4 || first[2] != '?')
        return false;
    const char *text = first + 3, *close = text, *star = memchr(charset, '*', (size_t)(first - charset));
    end = end - text > WORD ? text + WORD : end;
    while (close + 1 < end && !(close[0] == '?' && close[1] == '='))
        close++;
    if (close + 1 >= end)
        return false;
    word->charset = (drt_slice){charset, (size_t)((star ? star : first) - charset)}; /* "*": a language */
    word->text = (drt_slice){text, (size_t)(close - text)};
    word->base64 = (first[1] | 0x20) == 'b';
    word->length = (size_t)(close + 2 - s.data);
    return true;
}

static bool append_decoded(drt_context *context, const drt_buffer *bytes, drt_slice charset, drt_buffer *out) {
    drt_charset_facts facts;
    return bytes->length == 0 ||
           drt_charset_decode(context, bytes->data, bytes->length, charset.data, charset.length, out, &facts) == DRT_OK;
}

/* Words that follow each other, with white space between them, which is none. Those of one charset are decoded together: a
 * character may be cut in two. Returns how long they are; 0: there is none. */
static size_t decode_words(drt_context *context, drt_slice s, drt_buffer *out, bool *ok) {
    drt_buffer bytes = {0};
    drt_slice charset = {0}, rest;
    encoded_word word;
    size_t done = 0;
    for (size_t at = 0; *ok && read_word(drt_slice_skip(s, at), &word);) {
        bool same = charset.data && word.charset.length == charset.length &&
                    strncasecmp(word.charset.data, charset.data, charset.length) == 0;
        if (charset.data && !same) {
            *ok = append_decoded(context, &bytes, charset, out);
            bytes.length = 0;
        }
        charset = word.charset;
        *ok = *ok && (word.base64 ? drt_mail_decode_base64(word.text, &bytes, &rest)
                                  : drt_mail_decode_quoted(word.text, true, &bytes));
        done = at += word.length;
        while (at < s.length && isspace((unsigned char)s.data[at]))
            at++;
    }
    *ok = *ok && append_decoded(context, &bytes, charset, out);
    drt_buffer_free(&bytes);
    return done;
}

bool drt_mail_text(drt_context *context, drt_slice value, drt_string *line) {
    drt_buffer text = {0}, decoded = {0};
    drt_charset_facts facts;
    bool ok = true;
    while (ok && value.length > 0) {
        size_t n = *value.data == '=' ? decode_words(context, value, &text, &ok) : 0;
        ok = ok && (n > 0 || drt_buffer_append_byte(&text, *value.data));
        value = drt_slice_skip(value, n > 0 ? n : 1);
    }
    *line = (drt_string){0};
    ok = ok &&
         (text.length == 0 || drt_charset_decode(context, text.data, text.length, NULL, 0, &decoded, &facts) == DRT_OK);
    ok = ok && (decoded.length == 0 || drt_text_single_line(decoded.data, decoded.length, line));
    drt_buffer_free(&text);
    drt_buffer_free(&decoded);
    return ok;
}

/* ------------------------------------------------------------------ parameters ---- */

bool drt_mail_parameter(drt_slice header, const char *word, drt_slice *value) {
    size_t n = strlen(word);
    for (drt_slice rest = header; rest.length > 0;) {
        bool quoted = false; /* a semicolon in quotes is none */
        size_t at = 0;
        for (; at < rest.length && (quoted || rest.data[at] != ';'); at++)
            quoted ^= rest.data[at] == '"';
        rest = drt_slice_trim(drt_slice_skip(rest, at + 1));
        if (rest.length <= n || strncasecmp(rest.data, word, n) != 0)
            continue;
        drt_slice after = drt_slice_trim(drt_slice_skip(rest, n));
        if (after.length == 0 || *after.data != '=')
            continue;
        after = drt_slice_trim(drt_slice_skip(after, 1));
        quoted = after.length > 0 && *after.data == '"';
        after = drt_slice_skip(after, quoted);
        size_t end = 0;
        while (end < after.length &&
               (quoted ? after.data[end] != '"' : after.data[end] != ';' && !isspace((unsigned char)after.data[end])))
            end++;
        *value = (drt_slice){after.data, end};
        return true;
    }
    return false;
}

static bool append_percent(drt_slice s, drt_buffer *out) {
    bool ok = true;
    while (ok && s.length > 0) {
        int value = hex_pair(s, '%');
        ok = drt_buffer_append_byte(out, value >= 0 ? (char)value : *s.data);
        s = drt_slice_skip(s, value >= 0 ? 3 : 1);
    }
    return ok;
}

/* filename*=utf-8''caf%C3%A9.txt, or filename*0*=utf-8''caf; filename*1*=%C3%A9; filename*2=".txt" */
static bool append_extended(drt_slice header, const char *word, drt_buffer *bytes, drt_slice *charset) {
    char name[64];
    drt_slice piece;
    bool ok = true, coded;
    snprintf(name, sizeof name, "%s*", word);
    bool single = drt_mail_parameter(header, name, &piece);
    for (int i = 0; ok && i < CONTINUATIONS; i++) {
        snprintf(name, sizeof name, "%s*%d*", word, i);
        coded = single || drt_mail_parameter(header, name, &piece);
        name[strlen(name) - 1] = 0;
        if (!coded && !drt_mail_parameter(header, name, &piece))
            break;
        const char *first = i == 0 && coded && piece.length ? memchr(piece.data, '\'', piece.length) : NULL;
        const char *second = first ? memchr(first + 1, '\'', piece.length - (size_t)(first + 1 - piece.data)) : NULL;
        if (second) {
            *charset = (drt_slice){piece.data, (size_t)(first - piece.data)};
            piece = drt_slice_skip(piece, (size_t)(second + 1 - piece.data));
        }
        ok = coded ? append_percent(piece, bytes) : drt_buffer_append(bytes, piece.data, piece.length);
        if (single)
            break;
    }
    return ok;
}

bool drt_mail_parameter_text(drt_context *context, drt_slice header, const char *word, drt_string *text) {
    drt_buffer bytes = {0}, decoded = {0};
    drt_slice charset = {0}, value;
    *text = (drt_string){0};
    if (drt_mail_parameter(header, word, &value))
        return drt_mail_text(context, value, text);
    bool ok = append_extended(header, word, &bytes, &charset) && append_decoded(context, &bytes, charset, &decoded) &&
              (decoded.length == 0 || drt_text_single_line(decoded.data, decoded.length, text));
    drt_buffer_free(&bytes);
    drt_buffer_free(&decoded);
    return ok;
}

/* ------------------------------------------------------------------ addresses and dates ---- */

/* Takes the next address of a list off: up to a comma that is in no quotes, brackets or comment. */
static drt_slice next_address(drt_slice *rest) {
    bool quoted = false;
    int inside = 0;
    size_t at = 0;
    for (; at < rest->length; at++) {
        char c = rest->data[at];
        if (c == '\\')
            at++;
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted && (c == '(' || c == '<'))
            inside++;
        else if (!quoted && (c == ')' || c == '>'))
            inside -= inside > 0;
        else if (!quoted && inside == 0 && c == ',')
            break;
    }
    drt_slice address = {rest->data, at < rest->length ? at : rest->length};
    *rest = drt_slice_skip(*rest, at + 1);
    return drt_slice_trim(address);
}

/* What is called by name in "Ada Renn <ada@x>", "ada@x (Ada Renn)", "<ada@x>". */
static drt_slice name_of(drt_slice address) {
    const char *open = address.length ? memchr(address.data, '<', address.length) : NULL;
    drt_slice name = open ? drt_slice_trim((drt_slice){address.data, (size_t)(open - address.data)}) : address;
    const char *comment = address.length && !open ? memchr(address.data, '(', address.length) : NULL;
    if (comment)
        name = drt_slice_skip(address, (size_t)(comment + 1 - address.data));
    else if (open && name.length == 0)
        name = drt_slice_skip(address, (size_t)(open + 1 - address.data));
    while (name.length > 0 && strchr(">)\" ", name.data[name.length - 1]))
        name.length--;
    while (name.length > 0 && *name.data == '"')
        name = drt_slice_skip(name, 1);
    return name;
}

/* "Ada \"the keeper\" Renn": without the strokes before quotes and strokes. */
static void drop_strokes(drt_string *line) {
    size_t n = 0;
    for (size_t i = 0; i < line->length; i++) {
        bool stroke = line->data[i] == '\\' && i + 1 < line->length && strchr("\"\\", line->data[i + 1]);
        i += stroke;
        line->data[n++] = line->data[i];
    }
    line->length = n;
    if (line->data)
        line->data[n] = 0;
}

bool drt_mail_add_authors(drt_context *context, drt_slice value, drt_extract *extract) {
    bool ok = true;
    while (ok && value.length > 0 && extract->n_authors < AUTHORS) {
        drt_string name;
        ok = drt_mail_text(context, name_of(next_address(&value)), &name);
        drop_strokes(&name);
        if (ok && name.length > 0)
            ok = drt_extract_add_author(extract, &name);
        drt_string_free(&name);
    }
    return ok;
}

static int full_year(int year) {
    return year >= 1000 ? year : year >= 100 ? 0 : year < 50 ? year + 2000 : year + 1900;
}

bool drt_mail_date(drt_slice value, drt_string *date) {
    char text[64] = "", word[4] = "", iso[32];
    int day = 0, month = 0, year = 0;
    value = drt_slice_trim(value);
    memcpy(text, value.data ? value.data : "", value.length < sizeof text - 1 ? value.length : sizeof text - 1);
    const char *comma = strchr(text, ','), *at = comma && comma - text < 16 ? comma + 1 : text;
    if (sscanf(at, "%2d%*[ -]%3[A-Za-z]%*[A-Za-z. -]%4d", &day, word, &year) == 3 ||
        sscanf(at, "%*3[A-Za-z] %2d %3[A-Za-z] %4d", &day, word, &year) == 3 ||
        sscanf(at, "%*3[A-Za-z] %3[A-Za-z] %2d %*[0-9:] %4d", word, &day, &year) == 3) {
        month = place_in(months, word);
        year = full_year(year);
    } else if (sscanf(at, "%4d-%2d-%2d", &year, &month, &day) != 3) {
        year = 0;
    }
    if (day < 1 || day > 31 || month < 1 || month > 12 || year < 1000)
        return drt_text_single_line(value.data, value.length ? drt_utf8_valid_prefix(value.data, value.length) : 0,
                                    date);
    snprintf(iso, sizeof iso, "%04d-%02d-%02d", year, month, day);
    return drt_string_set(date, iso, strlen(iso));
}
