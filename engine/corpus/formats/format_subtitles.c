/* format_subtitles.c: subtitles (SubRip, WebVTT, Advanced SubStation): numbers, times and markup off, sentences joined again. A
 * pause makes a paragraph. See formats.h. */
#include <ctype.h>
#include <string.h>

#include "engine/corpus/charset.h"
#include "engine/corpus/formats/formats.h"
#include "engine/corpus/formats/markup.h"
#include "engine/corpus/formats/xml.h"
#include "engine/corpus/normalise.h"

#define PAUSE 4000 /* milliseconds between two titles that part paragraphs */
#define LONG 1200  /* bytes of a paragraph behind which a sentence's end ends it */

typedef struct {
    const char *data;
    size_t length;
} slice;

typedef struct {
    drt_extract *extract;
    drt_text text;
    drt_buffer plain;  /* a line without markup */
    drt_buffer before; /* the one before: captions that scroll repeat it */
    int64_t end;       /* of the last title, in milliseconds */
    size_t paragraph;  /* bytes of it so far */
    bool cue;          /* inside a title's text */
    bool skipping;     /* inside a block that is no text */
    bool events;       /* [Events] of SubStation */
    bool failed;
} subtitles;

static slice next_line(slice *rest) {
    size_t n = 0;
    while (n < rest->length && rest->data[n] != '\n' && rest->data[n] != '\r')
        n++;
    slice line = {rest->data, n};
    n += n < rest->length ? (rest->data[n] == '\r' && n + 1 < rest->length && rest->data[n + 1] == '\n' ? 2 : 1) : 0;
    rest->data += n;
    rest->length -= n;
    while (line.length > 0 && isspace((unsigned char)*line.data)) {
        line.data++;
        line.length--;
    }
    while (line.length > 0 && isspace((unsigned char)line.data[line.length - 1]))
        line.length--;
    return line;
}

static bool begins(slice line, const char *word) {
    return line.length >= strlen(word) && memcmp(line.data, word, strlen(word)) == 0;
}

/* "1:02:03,456", "02:03.45": milliseconds, -1: no time. */
static int64_t read_time(slice text) {
    int64_t total = 0, number = 0;
    size_t at = 0;
    for (int parts = 0; parts < 3; parts++, at++) {
        size_t from = at;
        for (number = 0; at < text.length && at - from < 6 && isdigit((unsigned char)text.data[at]); at++)
            number = number * 10 + (text.data[at] - '0');
        if (at == from)
            return -1;
        total = total * 60 + number;
        if (at == text.length || text.data[at] != ':')
            break;
    }
    int64_t fraction = 0, scale = 1000;
    if (at < text.length && (text.data[at] == ',' || text.data[at] == '.'))
        for (at++; at < text.length && isdigit((unsigned char)text.data[at]) && scale > 1; at++) {
            scale /= 10;
            fraction += (text.data[at] - '0') * scale;
        }
    return total * 1000 + fraction;
}

static void end_paragraph(subtitles *s) {
    drt_text_paragraph(&s->text);
    s->paragraph = 0;
}

/* A title begins: behind a pause a paragraph does, too. */
static void begin_title(subtitles *s, int64_t start, int64_t end) {
    if (start >= 0 && start > s->end + PAUSE)
        end_paragraph(s);
    s->end = end >= 0 ? end : s->end;
}

/* Takes off <i>, <v Ada>, <00:01.000>, {\an8}; entities are letters. */
static void strip(subtitles *s, slice line) {
    drt_buffer bare = {0};
    bool ok = true;
    for (size_t at = 0; ok && at < line.length;) {
        char c = line.data[at], close = c == '<' ? '>' : '}';
        char next = at + 1 < line.length ? line.data[at + 1] : ' ';
        bool tag = (c == '<' && (isalnum((unsigned char)next) || next == '/')) || (c == '{' && next == '\\');
        const char *end = tag ? memchr(line.data + at, close, line.length - at) : NULL;
        if (end)
            at = (size_t)(end - line.data) + 1;
        else if (c == '\\' && (next == 'N' || next == 'n' || next == 'h')) {
            ok = drt_buffer_append_byte(&bare, ' ');
            at += 2;
        } else
            ok = drt_buffer_append_byte(&bare, line.data[at++]);
    }
    s->plain.length = 0;
    ok = ok && (bare.length == 0 || drt_markup_decode(&s->plain, bare.data, bare.length));
    drt_buffer_free(&bare);
    s->failed |= !ok;
}

static bool ends_sentence(const drt_buffer *line) {
    return line->length > 0 && memchr(".!?\"", line->data[line->length - 1], 4);
}

static void add_line(subtitles *s, slice line) {
    strip(s, line);
    if (s->failed || drt_string_equal(&(drt_string){s->before.data, s->before.length}, s->plain.data, s->plain.length))
        return;
    drt_text_add(&s->text, s->plain.data ? s->plain.data : "", s->plain.length);
    drt_text_add(&s->text, " ", 1);
    s->paragraph += s->plain.length;
    if (s->paragraph > LONG && ends_sentence(&s->plain))
        end_paragraph(s);
    drt_buffer kept = s->before;
    s->before = s->plain;
    s->plain = kept;
}

static const char *find_arrow(slice line) {
    for (size_t i = 0; i + 3 <= line.length; i++)
        if (memcmp(line.data + i, "-->", 3) == 0)
            return line.data + i;
    return NULL;
}

/* The number of the next title, where no blank line is before it. */
static bool is_number(slice line, slice rest) {
    for (size_t i = 0; i < line.length; i++)
        if (!isdigit((unsigned char)line.data[i]))
            return false;
    return line.length > 0 && find_arrow(next_line(&rest)) != NULL;
}

/* SubRip and WebVTT: "start --> end", then lines to a blank one. What stands before it is its number or name. */
static void take_line(subtitles *s, slice line, slice rest) {
    const char *arrow = find_arrow(line);
    int64_t start = arrow ? read_time(line) : -1;
    if (start >= 0) {
        slice end = {arrow + 3, line.length - (size_t)(arrow + 3 - line.data)};
        while (end.length > 0 && *end.data == ' ')
            end = (slice){end.data + 1, end.length - 1};
        begin_title(s, start, read_time(end));
        s->cue = true;
        s->skipping = false;
        return;
    }
    if (line.length == 0) {
        s->skipping = s->cue = false;
        return;
    }
    bool block = begins(line, "WEBVTT") || begins(line, "NOTE") || begins(line, "STYLE") || begins(line, "REGION");
    s->skipping |= !s->cue && block;
    if (s->cue && !is_number(line, rest))
        add_line(s, line);
}

/* "{\\p1}m 0 0 l 100 100": a shape, no words. */
static bool is_drawing(slice text) {
    for (size_t i = 0; i + 3 < text.length && text.data[i] != '}'; i++)
        if (text.data[i] == '\\' && text.data[i + 1] == 'p' && text.data[i + 2] >= '1' && text.data[i + 2] <= '9')
            return true;
    return false;
}

/* SubStation: "Dialogue: layer,start,end,style,name,l,r,v,effect,text" below [Events]. */
static void take_event(subtitles *s, slice line) {
    drt_string title;
    if (begins(line, "["))
        s->events = begins(line, "[Events]");
    if (begins(line, "Title:") && !s->events) {
        s->failed |= !drt_text_single_line(line.data + 6, line.length - 6, &title);
        drt_xml_take_title(s->extract, &title);
    }
    if (!s->events || !begins(line, "Dialogue:"))
        return;
    slice fields[10];
    slice rest = {line.data + 9, line.length - 9};
    for (int i = 0; i < 10; i++) {
        const char *comma = i < 9 && rest.length ? memchr(rest.data, ',', rest.length) : NULL;
        size_t n = comma ? (size_t)(comma - rest.data) : rest.length;
        if (i < 9 && !comma)
            return;
        fields[i] = (slice){rest.data, n};
        rest = (slice){rest.data + n + (comma != NULL), rest.length - n - (comma != NULL)};
    }
    begin_title(s, read_time(fields[1]), read_time(fields[2]));
    if (!is_drawing(fields[9]))
        add_line(s, fields[9]);
}

drt_status drt_format_subtitles_extract(drt_context *context, const drt_format_input *input, drt_extract *extract) {
    subtitles s = {.extract = extract};
    drt_buffer decoded = {0};
    drt_charset_facts facts;
    drt_text_start(&s.text, &extract->text);
    drt_status status = drt_charset_decode(context, input->data, input->length, NULL, 0, &decoded, &facts);
    slice rest = {decoded.data ? decoded.data : "", decoded.length};
    bool events =
        drt_name_has_extension(input->name, input->name_length, " .ass .ssa ") || begins(rest, "[Script Info]");
    for (size_t n = 0; status == DRT_OK && rest.length > 0 && !s.failed; n++) {
        slice line = next_line(&rest);
        if (events)
            take_event(&s, line);
        else
            take_line(&s, line, rest);
        if (n % 1024 == 0 && drt_cancelled(context))
            status = DRT_FAILED;
    }
    drt_buffer_free(&decoded);
    drt_buffer_free(&s.plain);
    drt_buffer_free(&s.before);
    bool ok = drt_text_finish(&s.text) && !s.failed &&
              drt_extract_note_charset(extract, facts.replacements, facts.guessed ? facts.name : NULL);
    return status == DRT_OK && !ok ? drt_fail_memory(context, "subtitles") : status;
}

/* "1", then "00:00:01,000 --> 00:00:02,000": SubRip by any name. */
static bool begins_title(slice head) {
    slice number = next_line(&head), times = next_line(&head);
    const char *arrow = find_arrow(times);
    for (size_t i = 0; i < number.length; i++)
        if (!isdigit((unsigned char)number.data[i]))
            return false;
    return number.length > 0 && number.length < 8 && arrow && times.length >= 20 && times.data[2] == ':' &&
           read_time(times) >= 0;
}

bool drt_format_subtitles_detect(const drt_format_probe *probe) {
    slice head = {probe->head, probe->head_length};
    if (begins(head, "\xEF\xBB\xBF"))
        head = (slice){head.data + 3, head.length - 3};
    return (begins(head, "WEBVTT") && (head.length == 6 || isspace((unsigned char)head.data[6]))) ||
           begins(head, "[Script Info]") || (head.length > 0 && begins_title(head));
}
