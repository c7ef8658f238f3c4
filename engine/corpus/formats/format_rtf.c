/* format_rtf.c: Rich Text Format. Groups nest to a limit; destinations that hold no text of the document (fonts, styles,
 * pictures, headers and footers, instructions of fields) are passed over; footnotes and text boxes go behind their paragraph;
 * hidden and deleted text is out. Bytes are in the code page of the font at hand or the document's. See formats.h. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/utf8.h"
#include "engine/corpus/charset.h"
#include "engine/corpus/formats/flow.h"
#include "engine/corpus/formats/formats.h"
#include "engine/corpus/formats/symbol.h"
#include "engine/corpus/formats/xml.h"

#define DEPTH 256       /* groups inside each other; what is deeper is left out */
#define FONTS 32768     /* numbers of fonts that are kept: Word begins its themes at 31500 */
#define STEP (1u << 18) /* bytes between two looks at cancellation */
#define WORD 32         /* letters of a control word */

/* Where the text of a group goes. */
typedef enum { TEXT, NOWHERE, SHAPE, FONT_TABLE, TITLE, AUTHOR, DATE } destination;

typedef struct {
    destination to;
    destination outside; /* of what \upr stands in */
    int fallback;        /* characters that stand in for a \u */
    int font;
    bool hidden, deleted, table;
    bool note; /* a note began with this group */
} group;

typedef struct {
    bool item, heading;
    bool entered;    /* it has text */
    bool after_item; /* the one before was an item */
} paragraph;

typedef struct {
    uint16_t code_page; /* 0: the document's; 42: signs of their own */
    bool symbol;        /* the font called Symbol, which holds Greek letters */
} font;

typedef struct {
    drt_context *context;
    const char *data;
    size_t length, at;
    drt_extract *extract;
    drt_flow flow;
    drt_buffer bytes;   /* text in a code page that is not decoded yet */
    drt_buffer decoded; /* the same as UTF-8 */
    drt_buffer field;   /* of the document's information */
    group groups[DEPTH];
    int depth, too_deep;
    int code_page, default_font;
    int defining; /* font in the table */
    font *fonts;
    uint32_t surrogate;     /* the first half of a pair */
    bool utf8;              /* bytes above ASCII are UTF-8, whatever the code page */
    int skip;               /* characters that stand in for a \u yet to come */
    bool starred;           /* \* was read */
    paragraph now, outside; /* outside: that which a note stands in */
    bool in_table;
    int date[3];
    int64_t replacements;
    bool failed, cut_groups, ended;
} document;

/* ------------------------------------------------------------------- text ---- */

/* Fonts say a character set, documents a code page. */
static const struct {
    int charset, code_page;
} charsets[] = {{0, 1252},   {2, 42},     {77, 10000}, {128, 932},  {129, 949},  {130, 1361}, {134, 936},
                {136, 950},  {161, 1253}, {162, 1254}, {163, 1258}, {177, 1255}, {178, 1256}, {186, 1257},
                {204, 1251}, {222, 874},  {238, 1250}, {254, 437},  {255, 850}};

static const struct {
    int code_page;
    const char *name;
} names[] = {{949, "UHC"},        {1361, "JOHAB"},      {936, "GB18030"},
             {950, "BIG5-HKSCS"}, {10000, "MACINTOSH"}, {65001, "UTF-8"}};

static group *top(document *d) {
    return &d->groups[d->depth];
}

static void decode_symbols(document *d) {
    for (size_t i = 0; i < d->bytes.length; i++) {
        uint32_t c = drt_symbol_character((unsigned char)d->bytes.data[i]);
        char encoded[4];
        d->failed |= c && !drt_buffer_append(&d->decoded, encoded, drt_utf8_encode(c, encoded));
    }
}

static bool is_ascii(const drt_buffer *bytes) {
    for (size_t i = 0; i < bytes->length; i++)
        if ((unsigned char)bytes->data[i] >= 0x80)
            return false;
    return true;
}

static void decode_page(document *d, int code_page) {
    char number[16];
    const char *name = number;
    snprintf(number, sizeof number, "CP%d", code_page);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].code_page == code_page)
            name = names[i].name;
    drt_status status =
        drt_charset_decode_as(d->context, name, d->bytes.data, d->bytes.length, &d->decoded, &d->replacements);
    if (status == DRT_WARN)
        status =
            drt_charset_decode_as(d->context, "CP1252", d->bytes.data, d->bytes.length, &d->decoded, &d->replacements);
    d->failed |= status == DRT_FATAL;
}

/* Text of the document comes: ends the table or the list before it. */
static void enter(document *d) {
    if (d->flow.notes == 0) {
        bool table = top(d)->table;
        if (table && !d->in_table)
            drt_flow_table(&d->flow);
        else if (!table && d->in_table)
            drt_flow_table_end(&d->flow);
        d->in_table = table;
    }
    if (!d->now.entered) {
        if (d->now.after_item && !d->now.item)
            drt_flow_paragraph(&d->flow);
        d->now.after_item = d->now.item;
        d->now.entered = true;
    }
}

static void put(document *d, const char *data, size_t length) {
    const group *g = top(d);
    if (d->too_deep)
        return;
    if (g->to == TITLE || g->to == AUTHOR) {
        d->failed |= !drt_buffer_append(&d->field, data, length);
    } else if (g->to == TEXT && !g->hidden && !g->deleted && length > 0) {
        enter(d);
        drt_flow_add(&d->flow, data, length);
    }
}

static void put_text(document *d, const char *text) {
    put(d, text, strlen(text));
}

/* Names of fonts are read for one of them only. */
static void name_font(document *d) {
    if (d->fonts && d->defining >= 0 && d->bytes.length >= 6 && memcmp(d->bytes.data, "Symbol", 6) == 0)
        d->fonts[d->defining].symbol = true;
}

/* Hands on the bytes so far, before anything else than bytes comes. */
static void flush(document *d) {
    if (d->bytes.length == 0)
        return;
    const group *g = top(d);
    const font *f = d->fonts && g->font >= 0 ? &d->fonts[g->font] : NULL;
    int code_page = f && f->code_page ? f->code_page : d->code_page;
    d->decoded.length = 0;
    if (g->to == FONT_TABLE)
        name_font(d);
    else if (g->to == NOWHERE || g->to == SHAPE || g->to == DATE)
        ;
    else if (f && f->symbol)
        decode_symbols(d);
    else if (is_ascii(&d->bytes))
        put(d, d->bytes.data, d->bytes.length);
    else if (code_page != 42)
        decode_page(d, code_page);
    put(d, d->decoded.data, d->decoded.length);
    d->bytes.length = 0;
}

/* A byte of text, unless it stands in for a character that was given as \u. */
static void take_byte(document *d, char byte) {
    if (d->skip > 0)
        d->skip--;
    else if (!drt_buffer_append_byte(&d->bytes, byte))
        d->failed = true;
}

/* A character of a file in UTF-8, whose first byte was read. */
static void take_character(document *d) {
    size_t from = d->at - 1, n = 1;
    while (from + n < d->length && ((unsigned char)d->data[from + n] & 0xC0) == 0x80)
        n++;
    d->at = from + n;
    flush(d);
    if (d->skip > 0)
        d->skip--;
    else
        put(d, d->data + from, n);
}

static bool in_symbol(document *d) {
    const group *g = top(d);
    return d->fonts && g->font >= 0 && d->fonts[g->font].symbol;
}

static void take_unicode(document *d, int value) {
    uint32_t c = (uint32_t)value & 0xFFFF;
    char encoded[4];
    d->skip = top(d)->fallback;
    if (c >= 0xD800 && c < 0xDC00) {
        d->surrogate = c;
        return;
    }
    if (c >= 0xDC00 && c < 0xE000)
        c = d->surrogate ? 0x10000 + ((d->surrogate - 0xD800) << 10) + (c - 0xDC00) : 0xFFFD;
    d->surrogate = 0;
    if (c == 0xFFFD)
        d->replacements++;
    if (c >= 0xF000 && c <= 0xF0FF) /* signs of fonts of their own */
        c = in_symbol(d) ? drt_symbol_character((unsigned char)c) : 0;
    if (c)
        put(d, encoded, drt_utf8_encode(c, encoded));
}

/* ---------------------------------------------------------------- paragraphs ---- */

static void end_paragraph(document *d) {
    const group *g = top(d);
    if (g->to != TEXT || d->too_deep)
        return;
    if (d->in_table || !d->now.item || d->now.heading)
        drt_flow_paragraph(&d->flow);
    else
        drt_flow_line(&d->flow);
    d->now.entered = false;
}

static void begin_note(document *d) {
    group *g = top(d);
    if (g->note || d->too_deep)
        return;
    enter(d);
    if (d->flow.notes == 0)
        d->outside = d->now;
    d->now = (paragraph){0};
    g->to = TEXT;
    g->note = true;
    drt_flow_note_start(&d->flow);
}

static void end_note(document *d) {
    drt_flow_note_end(&d->flow);
    if (d->flow.notes == 0)
        d->now = d->outside;
}

static void open_group(document *d) {
    d->skip = 0;
    if (d->depth + 1 == DEPTH) {
        d->too_deep++;
        d->cut_groups = true;
        return;
    }
    d->groups[d->depth + 1] = d->groups[d->depth];
    if (d->depth++ == 0)
        top(d)->to = TEXT;
    top(d)->note = false;
}

static void take_field(document *d, destination field) {
    drt_string line;
    if (!drt_text_single_line(d->field.data ? d->field.data : "", d->field.length, &line))
        d->failed = true;
    else if (field == TITLE)
        drt_xml_take_title(d->extract, &line);
    else
        d->failed |= !drt_xml_take_authors(d->extract, &line);
    d->field.length = 0;
}

static void take_date(document *d) {
    char date[32];
    drt_string line;
    if (d->date[0] <= 0 || d->date[0] > 9999)
        return;
    if (d->date[1] >= 1 && d->date[1] <= 12 && d->date[2] >= 1 && d->date[2] <= 31)
        snprintf(date, sizeof date, "%04d-%02d-%02d", d->date[0], d->date[1], d->date[2]);
    else
        snprintf(date, sizeof date, "%04d", d->date[0]);
    d->failed |= !drt_string_set(&line, date, strlen(date));
    drt_xml_take_date(d->extract, &line);
}

static void close_group(document *d) {
    d->skip = 0;
    d->starred = false;
    if (d->too_deep) {
        d->too_deep--;
        return;
    }
    destination inner = top(d)->to;
    if (top(d)->note)
        end_note(d);
    d->depth -= d->depth > 0;
    d->ended = d->depth == 0;
    if (inner != top(d)->to && (inner == TITLE || inner == AUTHOR))
        take_field(d, inner);
    else if (inner != top(d)->to && inner == DATE)
        take_date(d);
}

/* --------------------------------------------------------------- control words ---- */

typedef enum {
    ANSI_PAGE,
    BINARY,
    CELL,
    CHARACTER_SET,
    CODE_PAGE,
    CREATED,
    DAY,
    DEFAULT_FONT,
    DELETED,
    FALLBACK,
    FONT,
    FONTS_TABLE,
    HEADING,
    HIDDEN,
    INFO_AUTHOR,
    INFO_TITLE,
    IN_TABLE,
    ITEM,
    LINE,
    LIST_TEXT,
    MAC,
    MONTH,
    NOTE,
    PARAGRAPH,
    PARAGRAPH_DEFAULTS,
    PC,
    PLAIN,
    RESULT, /* nothing, but that what it is in is text */
    ROW,
    SHAPE_GROUP,
    SHAPE_TEXT,
    SKIP,
    SIGN,
    SUPERSCRIPT,
    UNICODE,
    UNICODE_PAIR,
    UNICODE_TEXT,
    YEAR
} action;

typedef struct {
    const char *word;
    action action;
    const char *sign;
} control;

static const control controls[] = {
    /* sorted by word */
    {"aftncn", SKIP, NULL},
    {"aftnsep", SKIP, NULL},
    {"aftnsepc", SKIP, NULL},
    {"annotation", SKIP, NULL},
    {"ansicpg", ANSI_PAGE, NULL},
    {"atnauthor", SKIP, NULL},
    {"atnid", SKIP, NULL},
    {"author", INFO_AUTHOR, NULL},
    {"bin", BINARY, NULL},
    {"bullet", SIGN, "•"},
    {"cell", CELL, NULL},
    {"colortbl", SKIP, NULL},
    {"column", PARAGRAPH, NULL},
    {"cpg", CODE_PAGE, NULL},
    {"creatim", CREATED, NULL},
    {"deff", DEFAULT_FONT, NULL},
    {"deleted", DELETED, NULL},
    {"do", SHAPE_GROUP, NULL},
    {"dptxbxtext", SHAPE_TEXT, NULL},
    {"dy", DAY, NULL},
    {"emdash", SIGN, "—"},
    {"emspace", SIGN, " "},
    {"endash", SIGN, "–"},
    {"enspace", SIGN, " "},
    {"f", FONT, NULL},
    {"falt", SKIP, NULL},
    {"fcharset", CHARACTER_SET, NULL},
    {"fldinst", SKIP, NULL},
    {"fldrslt", RESULT, NULL},
    {"fonttbl", FONTS_TABLE, NULL},
    {"footer", SKIP, NULL},
    {"footerf", SKIP, NULL},
    {"footerl", SKIP, NULL},
    {"footerr", SKIP, NULL},
    {"footnote", NOTE, NULL},
    {"ftncn", SKIP, NULL},
    {"ftnsep", SKIP, NULL},
    {"ftnsepc", SKIP, NULL},
    {"header", SKIP, NULL},
    {"headerf", SKIP, NULL},
    {"headerl", SKIP, NULL},
    {"headerr", SKIP, NULL},
    {"info", SKIP, NULL},
    {"intbl", IN_TABLE, NULL},
    {"ldblquote", SIGN, "“"},
    {"line", LINE, NULL},
    {"listtext", LIST_TEXT, NULL},
    {"lquote", SIGN, "‘"},
    {"ls", ITEM, NULL},
    {"mac", MAC, NULL},
    {"mo", MONTH, NULL},
    {"nestcell", CELL, NULL},
    {"nestrow", ROW, NULL},
    {"nesttableprops", RESULT, NULL},
    {"nonesttables", SKIP, NULL},
    {"nonshppict", SKIP, NULL},
    {"objdata", SKIP, NULL},
    {"outlinelevel", HEADING, NULL},
    {"page", PARAGRAPH, NULL},
    {"par", PARAGRAPH, NULL},
    {"pard", PARAGRAPH_DEFAULTS, NULL},
    {"pc", PC, NULL},
    {"pca", PC, NULL},
    {"pict", SKIP, NULL},
    {"plain", PLAIN, NULL},
    {"pntext", LIST_TEXT, NULL},
    {"qmspace", SIGN, " "},
    {"rdblquote", SIGN, "”"},
    {"row", ROW, NULL},
    {"rquote", SIGN, "’"},
    {"rxe", SKIP, NULL},
    {"sect", PARAGRAPH, NULL},
    {"shpinst", SHAPE_GROUP, NULL},
    {"shprslt", SKIP, NULL},
    {"shptxt", SHAPE_TEXT, NULL},
    {"stylesheet", SKIP, NULL},
    {"super", SUPERSCRIPT, NULL},
    {"tab", SIGN, " "},
    {"tc", SKIP, NULL},
    {"tcn", SKIP, NULL},
    {"template", SKIP, NULL},
    {"title", INFO_TITLE, NULL},
    {"txe", SKIP, NULL},
    {"u", UNICODE, NULL},
    {"uc", FALLBACK, NULL},
    {"ud", UNICODE_TEXT, NULL},
    {"upr", UNICODE_PAIR, NULL},
    {"v", HIDDEN, NULL},
    {"xe", SKIP, NULL},
    {"yr", YEAR, NULL},
};

static int compare_control(const void *key, const void *item) {
    return strcmp(key, ((const control *)item)->word);
}

static void set_font(document *d, int number) {
    group *g = top(d);
    if (g->to == FONT_TABLE)
        d->defining = number >= 0 && number < FONTS ? number : -1;
    g->font = number >= 0 && number < FONTS ? number : -1;
}

static void set_code_page(document *d, int code_page) {
    if (top(d)->to == FONT_TABLE && d->defining >= 0 && code_page > 0 && code_page <= 65001)
        d->fonts[d->defining].code_page = (uint16_t)code_page;
}

static void set_charset(document *d, int charset) {
    for (size_t i = 0; i < sizeof charsets / sizeof *charsets; i++)
        if (charsets[i].charset == charset)
            set_code_page(d, charsets[i].code_page);
}

/* The words that change where text goes, which only matter at a group's beginning. */
static void take_destination(document *d, const control *c) {
    group *g = top(d);
    switch (c->action) {
    case SKIP:
        g->to = NOWHERE;
        break;
    case LIST_TEXT:
        d->now.item = true;
        g->to = NOWHERE;
        break;
    case FONTS_TABLE:
        g->to = FONT_TABLE;
        d->defining = -1;
        break;
    case INFO_TITLE:
        g->to = TITLE;
        break;
    case INFO_AUTHOR:
        g->to = AUTHOR;
        break;
    case CREATED:
        g->to = DATE;
        break;
    case NOTE:
        if (g->to == TEXT && !g->hidden && !g->deleted)
            begin_note(d);
        break;
    case SHAPE_GROUP:
        g->to = g->to == TEXT ? SHAPE : NOWHERE;
        break;
    case SHAPE_TEXT:
        if (g->to == SHAPE || g->to == TEXT)
            begin_note(d);
        break;
    case UNICODE_PAIR:
        g->outside = g->to;
        g->to = NOWHERE;
        break;
    case UNICODE_TEXT:
        g->to = g->outside;
        break;
    default:
        break;
    }
}

static void take_property(document *d, const control *c, int value, bool given) {
    group *g = top(d);
    switch (c->action) {
    case ANSI_PAGE:
        d->code_page = value > 0 && value <= 65001 ? value : d->code_page;
        break;
    case MAC:
        d->code_page = 10000;
        break;
    case PC:
        d->code_page = 437;
        break;
    case DEFAULT_FONT:
        d->default_font = value >= 0 && value < FONTS ? value : -1;
        g->font = d->default_font;
        break;
    case FONT:
        set_font(d, value);
        break;
    case CHARACTER_SET:
        set_charset(d, value);
        break;
    case CODE_PAGE:
        set_code_page(d, value);
        break;
    case FALLBACK:
        g->fallback = value >= 0 && value < 256 ? value : 1;
        break;
    case UNICODE:
        take_unicode(d, value);
        break;
    case HIDDEN:
        g->hidden = !given || value != 0;
        break;
    case DELETED:
        g->deleted = !given || value != 0;
        break;
    case SUPERSCRIPT:
        if (g->to == TEXT && (!given || value != 0))
            drt_flow_raise(&d->flow);
        break;
    case PLAIN:
        g->hidden = g->deleted = false;
        g->font = d->default_font;
        break;
    case PARAGRAPH_DEFAULTS:
        g->table = d->now.item = d->now.heading = false;
        break;
    case IN_TABLE:
        g->table = true;
        break;
    case ITEM:
        d->now.item = value > 0;
        break;
    case HEADING:
        d->now.heading = value < 9;
        break;
    case YEAR:
    case MONTH:
    case DAY:
        if (g->to == DATE)
            d->date[c->action == YEAR ? 0 : c->action == MONTH ? 1 : 2] = value;
        break;
    default:
        take_destination(d, c);
        break;
    }
}

static void take_control(document *d, const control *c, int value, bool given) {
    bool text = top(d)->to == TEXT && !d->too_deep;
    switch (c->action) {
    case PARAGRAPH:
        end_paragraph(d);
        break;
    case LINE:
        if (text)
            drt_flow_line(&d->flow);
        break;
    case CELL:
        if (text && top(d)->table)
            enter(d);
        if (text)
            drt_flow_cell(&d->flow);
        d->now.entered &= !text;
        break;
    case ROW:
        if (text)
            drt_flow_row(&d->flow);
        d->now.entered &= !text;
        break;
    case SIGN:
        put_text(d, c->sign);
        break;
    case BINARY:
        d->at += value > 0 && (size_t)value < d->length - d->at ? (size_t)value : value > 0 ? d->length - d->at : 0;
        break;
    default:
        if (!d->too_deep)
            take_property(d, c, value, given);
        break;
    }
}

/* A backslash and letters, perhaps with a number; a space behind is part of it. */
static void take_word(document *d) {
    char word[WORD + 1];
    size_t n = 0;
    long value = 0;
    bool negative = false, given = false;
    for (; d->at < d->length && isalpha((unsigned char)d->data[d->at]); d->at++)
        if (n < WORD)
            word[n++] = d->data[d->at];
    word[n] = 0;
    if (d->at + 1 < d->length && d->data[d->at] == '-' && isdigit((unsigned char)d->data[d->at + 1])) {
        negative = true;
        d->at++;
    }
    for (; d->at < d->length && isdigit((unsigned char)d->data[d->at]); d->at++) {
        value = value < 100000000 ? value * 10 + (d->data[d->at] - '0') : value;
        given = true;
    }
    d->at += d->at < d->length && d->data[d->at] == ' ';
    const control *found =
        bsearch(word, controls, sizeof controls / sizeof *controls, sizeof *controls, compare_control);
    bool starred = d->starred;
    d->starred = false;
    d->skip = 0;
    flush(d);
    if (found)
        take_control(d, found, (int)(negative ? -value : value), given);
    else if (starred && !d->too_deep)
        top(d)->to = NOWHERE;
}

static int hex_digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10 : -1;
}

/* A backslash and one other character. */
static void take_symbol(document *d) {
    char c = d->data[d->at++];
    if (c == '\'') {
        int high = d->at < d->length ? hex_digit(d->data[d->at]) : -1;
        int low = d->at + 1 < d->length ? hex_digit(d->data[d->at + 1]) : -1;
        if (high >= 0 && low >= 0) {
            take_byte(d, (char)(high * 16 + low));
            d->at += 2;
        }
    } else if (c == '\\' || c == '{' || c == '}') {
        take_byte(d, c);
    } else {
        flush(d);
        d->skip = 0;
        if (c == '*')
            d->starred = true;
        else if (c == '~')
            put_text(d, " ");
        else if (c == '_')
            put_text(d, "-");
        else if (c == '\n' || c == '\r')
            end_paragraph(d);
    }
}

static drt_status read_document(document *d) {
    size_t seen = 0;
    while (d->at < d->length && !d->failed && !d->ended) {
        char c = d->data[d->at++];
        if (c == '{' || c == '}') {
            flush(d);
            (c == '{' ? open_group : close_group)(d);
        } else if (c == '\\' && d->at < d->length) {
            (isalpha((unsigned char)d->data[d->at]) ? take_word : take_symbol)(d);
        } else if (d->utf8 && (unsigned char)c >= 0x80) {
            take_character(d);
        } else if (c != '\r' && c != '\n' && c != 0 && c != '\\') {
            take_byte(d, c);
        }
        if (d->at - seen > STEP) {
            seen = d->at;
            if (drt_cancelled(d->context))
                return DRT_FAILED;
        }
    }
    flush(d);
    return DRT_OK;
}

/* ------------------------------------------------------------------- the whole ---- */

static bool note_losses(document *d) {
    return (d->ended || drt_extract_note(d->extract, DRT_DOCUMENT_PARTIAL, "it is cut short")) &&
           (!d->cut_groups ||
            drt_extract_note(d->extract, DRT_DOCUMENT_PARTIAL, "its groups are nested too deep to read all of them")) &&
           drt_extract_note_charset(d->extract, d->replacements, NULL);
}

drt_status drt_format_rtf_extract(drt_context *context, const drt_format_input *input, drt_extract *extract) {
    document *d = calloc(1, sizeof *d);
    if (!d)
        return drt_fail_memory(context, "a document");
    *d = (document){.context = context,
                    .data = input->data,
                    .length = input->length,
                    .extract = extract,
                    .code_page = 1252,
                    .utf8 = drt_utf8_valid_prefix(input->data, input->length) == input->length,
                    .default_font = -1,
                    .defining = -1};
    d->groups[0] = (group){.to = NOWHERE, .fallback = 1, .font = -1};
    d->fonts = calloc(FONTS, sizeof *d->fonts);
    drt_flow_start(&d->flow, &extract->text);
    drt_status status = d->fonts ? read_document(d) : drt_fail_memory(context, "a document");
    bool ok = drt_flow_finish(&d->flow, false) && !d->failed && (status != DRT_OK || note_losses(d));
    drt_buffer_free(&d->bytes);
    drt_buffer_free(&d->decoded);
    drt_buffer_free(&d->field);
    free(d->fonts);
    free(d);
    return status == DRT_OK && !ok ? drt_fail_memory(context, "a document") : status;
}
