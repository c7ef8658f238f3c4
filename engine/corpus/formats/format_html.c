/* format_html.c: HTML and XHTML. See formats.h, html.h. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/corpus/charset.h"
#include "engine/corpus/formats/html.h"
#include "engine/corpus/formats/html_facts.h"
#include "engine/corpus/formats/html_notes.h"
#include "engine/corpus/formats/markup.h"
#include "engine/corpus/formats/mathml.h"
#include "engine/corpus/formats/reflow.h"
#include "engine/corpus/formats/xml.h"

#define WAITING 64 /* notes that one paragraph refers to; further ones stay where they are */

/* What an element does to the text around it; elements that aren't here do nothing. */
typedef enum {
    INLINE,
    BLOCK, /* a paragraph of its own */
    LINE,  /* a line of its own */
    CELL,  /* words of their own */
    BREAK, /* ends a line; has no content */
    RULE,  /* ends a paragraph; has no content */
    EMPTY, /* has no content */
    PRE,   /* a block whose lines count */
    SKIP,  /* no text for reading */
    RAW,   /* nor markup: runs to its end tag */
    TITLE,
    META,
    RAISE, /* set above the line */
    MATH,  /* MathML */
    HTML
} element_kind;

typedef struct {
    const char *name;
    element_kind kind;
} element;

static const element elements[] = {
    /* sorted by name */
    {"address", BLOCK},  {"annotation", SKIP},  {"annotation-xml", SKIP},
    {"area", EMPTY},     {"article", BLOCK},    {"aside", BLOCK},
    {"base", EMPTY},     {"blockquote", BLOCK}, {"body", BLOCK},
    {"br", BREAK},       {"caption", BLOCK},    {"center", BLOCK},
    {"col", EMPTY},      {"dd", LINE},          {"details", BLOCK},
    {"dialog", BLOCK},   {"dir", BLOCK},        {"div", BLOCK},
    {"dl", BLOCK},       {"dt", LINE},          {"embed", EMPTY},
    {"fieldset", BLOCK}, {"figcaption", BLOCK}, {"figure", BLOCK},
    {"footer", BLOCK},   {"form", BLOCK},       {"frameset", BLOCK},
    {"h1", BLOCK},       {"h2", BLOCK},         {"h3", BLOCK},
    {"h4", BLOCK},       {"h5", BLOCK},         {"h6", BLOCK},
    {"head", BLOCK},     {"header", BLOCK},     {"hgroup", BLOCK},
    {"hr", RULE},        {"html", HTML},        {"iframe", RAW},
    {"img", EMPTY},      {"input", EMPTY},      {"isindex", EMPTY},
    {"legend", BLOCK},   {"li", LINE},          {"link", EMPTY},
    {"listing", PRE},    {"main", BLOCK},       {"math", MATH},
    {"menu", BLOCK},     {"meta", META},        {"nav", SKIP},
    {"noembed", RAW},    {"noframes", RAW},     {"noscript", SKIP},
    {"ol", BLOCK},       {"optgroup", BLOCK},   {"option", LINE},
    {"p", BLOCK},        {"pagenum", SKIP},     {"param", EMPTY},
    {"pre", PRE},        {"rp", SKIP},          {"rt", SKIP},
    {"script", RAW},     {"search", BLOCK},     {"section", BLOCK},
    {"select", BLOCK},   {"source", EMPTY},     {"style", RAW},
    {"summary", BLOCK},  {"sup", RAISE},        {"svg", SKIP},
    {"table", BLOCK},    {"tbody", BLOCK},      {"td", CELL},
    {"template", SKIP},  {"textarea", BLOCK},   {"tfoot", BLOCK},
    {"th", CELL},        {"thead", BLOCK},      {"title", TITLE},
    {"tr", LINE},        {"track", EMPTY},      {"ul", BLOCK},
    {"wbr", EMPTY},      {"xmp", PRE},
};

typedef struct {
    drt_context *context;
    drt_markup markup;
    drt_text *text;
    drt_extract *extract; /* NULL: nobody asks for title, authors and date */
    drt_html_facts facts;
    drt_html_notes notes;            /* that stand elsewhere than where they belong */
    drt_html_note *waiting[WAITING]; /* for the end of the paragraph */
    size_t n_waiting;
    drt_buffer decoded; /* of one text */
    drt_buffer pre;     /* of a <pre> so far */
    int pre_depth;
    bool failed; /* out of memory */
    /* Inside an element that is left out: its name, how many of that name are open, and where it began. Should it
     * have no end, reading starts there again and leaves nothing out. */
    drt_markup_token skipped;
    int skip_depth;
    size_t skip_start;
    bool skip_nothing;
} page;

static int compare_element(const void *key, const void *item) {
    return strcmp(key, ((const element *)item)->name);
}

static element_kind kind_of(const drt_markup_token *token) {
    char name[16];
    bool office = drt_xml_has_prefix(token, "o"); /* <o:p> of Word is no paragraph */
    if (token->name_length >= sizeof name || office)
        return INLINE;
    for (size_t i = 0; i < token->name_length; i++)
        name[i] = (char)tolower((unsigned char)token->name[i]);
    name[token->name_length] = 0;
    const element *found =
        bsearch(name, elements, sizeof elements / sizeof *elements, sizeof *elements, compare_element);
    return found ? found->kind : INLINE;
}

static bool same_name(const drt_markup_token *a, const drt_markup_token *b) {
    return a->name_length == b->name_length && strncasecmp(a->name, b->name, a->name_length) == 0;
}

/* <div hidden>, <div style="display: none">: not shown to readers. Elements that may end without an end tag are
 * taken as shown: where they end isn't known here. */
static bool is_hidden(const drt_markup_token *token, element_kind kind, bool xml) {
    bool open = !xml && (kind == LINE || kind == CELL || drt_markup_is(token, "p"));
    if (open || kind == EMPTY || kind == HTML || drt_markup_is(token, "body"))
        return false;
    drt_markup_attribute attribute;
    for (size_t at = 0; drt_markup_next_attribute(token, &at, &attribute);) {
        if (attribute.name_length == 6 && strncasecmp(attribute.name, "hidden", 6) == 0)
            return !drt_markup_value_is(&attribute, "until-found");
        if (attribute.name_length != 5 || strncasecmp(attribute.name, "style", 5) != 0)
            continue;
        for (size_t i = 0; i + 8 <= attribute.value_length; i++) {
            if (strncasecmp(attribute.value + i, "display:", 8) != 0)
                continue;
            for (i += 8; i < attribute.value_length && attribute.value[i] == ' ';)
                i++;
            return attribute.value_length - i >= 4 && strncasecmp(attribute.value + i, "none", 4) == 0;
        }
    }
    return false;
}

static bool one_line(page *p, const char *data, size_t length, drt_string *line) {
    p->decoded.length = 0;
    return drt_markup_decode(&p->decoded, data, length) &&
           drt_text_single_line(p->decoded.data ? p->decoded.data : "", p->decoded.length, line);
}

static void take_title(page *p, const drt_markup_token *start) {
    drt_markup_token content;
    drt_markup_raw(&p->markup, start, &content);
    if (p->extract && !p->extract->title.data && !one_line(p, content.data, content.length, &p->extract->title))
        p->failed = true;
}

static void add_text(page *p, const drt_markup_token *token) {
    drt_buffer *out = p->pre_depth ? &p->pre : &p->decoded;
    if (!p->pre_depth)
        out->length = 0;
    if (!(token->literal ? drt_buffer_append(out, token->data, token->length)
                         : drt_markup_decode(out, token->data, token->length)))
        p->failed = true;
    else if (!p->pre_depth)
        drt_text_add(p->text, out->data, out->length);
}

/* A formula; what has no end is read as if it were none. */
static void take_math(page *p, const drt_markup_token *start) {
    drt_markup before = p->markup;
    drt_buffer text = {0};
    if (!drt_mathml_read(&p->markup, start, &text))
        p->failed = true;
    else if (p->markup.at == p->markup.length)
        p->markup = before;
    else if (p->pre_depth)
        p->failed |= !drt_buffer_append(&p->pre, text.data ? text.data : "", text.length);
    else
        drt_text_add(p->text, text.data ? text.data : "", text.length);
    drt_buffer_free(&text);
}

/* The lines of a <pre>: verse and code keep theirs, wrapped prose is joined. */
static drt_status end_pre(page *p) {
    p->pre_depth = 0;
    drt_text_paragraph(p->text);
    drt_status status = p->pre.length ? drt_reflow(p->context, p->text, p->pre.data, p->pre.length) : DRT_OK;
    p->pre.length = 0;
    return status;
}

static drt_status read_page(page *p);

/* Adds the notes that the paragraph which ended refers to. */
static void add_notes(page *p) {
    size_t n = p->n_waiting;
    p->n_waiting = 0;
    for (size_t i = 0; i < n; i++) {
        const drt_html_note *note = p->waiting[i];
        page q = {.context = p->context, .text = p->text};
        q.markup =
            (drt_markup){.data = p->markup.data + note->start, .length = note->end - note->start, .xml = p->markup.xml};
        p->failed |= read_page(&q) == DRT_FATAL || q.failed;
        drt_text_paragraph(p->text);
        drt_buffer_free(&q.decoded);
        drt_buffer_free(&q.pre);
    }
}

/* A note is put behind the paragraph that refers to it. true: the element is one that was put there already. */
static bool take_note(page *p, const drt_markup_token *token, unsigned meaning) {
    drt_html_note *note = drt_html_note_at(&p->notes, token, p->markup.at);
    if (note && !note->used) { /* nothing refers to it before */
        note->used = true;
        return false;
    }
    drt_html_note *other = meaning & DRT_HTML_REFERENCE ? drt_html_referred_note(&p->notes, token) : NULL;
    if (other && !other->used && p->n_waiting < WAITING) {
        other->used = true;
        p->waiting[p->n_waiting++] = other;
    }
    return note != NULL;
}

/* What a tag does to the text before it. */
static void separate(page *p, element_kind kind) {
    bool paragraph = kind == BLOCK || kind == RULE || kind == PRE || kind == HTML;
    if (p->pre_depth) {
        if ((paragraph || kind == LINE || kind == BREAK) && !drt_buffer_append_text(&p->pre, paragraph ? "\n\n" : "\n"))
            p->failed = true;
    } else if (paragraph) {
        drt_text_paragraph(p->text);
        add_notes(p);
    } else if (kind == LINE || kind == BREAK) {
        drt_text_line(p->text);
    } else if (kind == CELL) {
        drt_text_add(p->text, " ", 1);
    }
}

/* Scripts and the like are passed over; linked data is one that tells about the page. */
static void take_raw(page *p, const drt_markup_token *start) {
    drt_markup_token content;
    drt_markup_attribute type;
    drt_markup_raw(&p->markup, start, &content);
    if (p->extract && drt_markup_find(start, "type", &type) && drt_markup_value_is(&type, "application/ld+json"))
        p->failed |= !drt_html_take_linked_data(&p->facts, content.data, content.length);
}

static void start_element(page *p, const drt_markup_token *token) {
    element_kind kind = kind_of(token);
    drt_markup_attribute attribute;
    bool ended = token->empty && (p->markup.xml || kind == SKIP);
    unsigned meaning = drt_html_meaning(token);
    bool noted = take_note(p, token, meaning);
    bool mark = (kind == INLINE || kind == RAISE || kind == BLOCK) && meaning & (DRT_HTML_MARK | DRT_HTML_REFERENCE);
    separate(p, kind);
    if (kind == HTML && drt_markup_find(token, "xmlns", &attribute) &&
        drt_markup_value_is(&attribute, "http://www.w3.org/1999/xhtml"))
        p->markup.xml = true;
    if (kind == META)
        p->failed |= p->extract && !drt_html_take_meta(&p->facts, token);
    if (p->extract && drt_markup_is(token, "h1"))
        p->failed |= !drt_html_take_heading(&p->facts, &p->markup, token);
    if (kind == RAISE)
        drt_text_raise(p->text);
    if (ended || kind == EMPTY || kind == META || kind == BREAK || kind == RULE)
        return;
    if (kind == RAW) {
        take_raw(p, token);
    } else if (kind == MATH) {
        take_math(p, token);
    } else if (kind == TITLE) {
        take_title(p, token);
    } else if (!p->skip_nothing && (kind == SKIP || noted || mark || is_hidden(token, kind, p->markup.xml))) {
        p->skipped = *token;
        p->skip_depth = 1;
        p->skip_start = p->markup.at;
    } else if (kind == PRE) {
        p->pre_depth++;
    }
}

static drt_status end_element(page *p, const drt_markup_token *token) {
    element_kind kind = kind_of(token);
    if (kind == PRE && p->pre_depth && --p->pre_depth == 0)
        return end_pre(p);
    separate(p, kind);
    return DRT_OK;
}

/* Inside an element that is left out only its end matters; raw elements in it still hide markup. */
static void skip_token(page *p, const drt_markup_token *token) {
    drt_markup_token content;
    element_kind kind = token->kind == DRT_MARKUP_START ? kind_of(token) : INLINE;
    if (token->kind == DRT_MARKUP_TEXT || (token->empty && (p->markup.xml || kind == SKIP)))
        return;
    if (kind == RAW)
        drt_markup_raw(&p->markup, token, &content);
    else if (same_name(token, &p->skipped))
        p->skip_depth += token->kind == DRT_MARKUP_START ? 1 : -1;
    if (p->skip_depth == 0 && kind_of(&p->skipped) != SKIP)
        separate(p, kind_of(&p->skipped));
}

static drt_status read_page(page *p) {
    drt_markup_token token;
    drt_status status = DRT_OK;
    for (size_t n = 0; status == DRT_OK && !p->failed; n++) {
        if (!drt_markup_next(&p->markup, &token)) {
            if (!p->skip_depth)
                break;
            p->skip_depth = 0;
            p->skip_nothing = true;
            p->markup.at = p->skip_start;
            continue;
        }
        if (n % 8192 == 0 && drt_cancelled(p->context))
            return DRT_FAILED;
        if (p->skip_depth)
            skip_token(p, &token);
        else if (token.kind == DRT_MARKUP_TEXT)
            add_text(p, &token);
        else if (token.kind == DRT_MARKUP_START)
            start_element(p, &token);
        else
            status = end_element(p, &token);
    }
    return status == DRT_OK && p->pre_depth ? end_pre(p) : status;
}

drt_status drt_html_read(drt_context *context, const char *data, size_t length, bool xml, drt_text *text,
                         drt_extract *extract, bool *cut) {
    page p = {.context = context, .text = text, .extract = extract};
    p.markup = (drt_markup){.data = data, .length = length, .xml = xml};
    if (length >= 5 && memcmp(data, "<?xml", 5) == 0)
        p.markup.xml = true;
    p.failed = !drt_html_find_notes(&p.notes, &p.markup);
    drt_status status = read_page(&p);
    drt_text_paragraph(text);
    add_notes(&p);
    *cut = p.markup.cut;
    p.failed |= !drt_html_settle_facts(&p.facts, extract);
    drt_buffer_free(&p.decoded);
    drt_buffer_free(&p.pre);
    free(p.notes.notes);
    if (status == DRT_OK && (p.failed || text->failed))
        return drt_fail_memory(context, "a page");
    return status;
}

bool drt_format_html_detect(const drt_format_probe *probe) {
    drt_markup markup = {.data = probe->head, .length = probe->head_length};
    drt_markup_token token;
    size_t at = probe->head_length >= 3 && memcmp(probe->head, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    for (; at < probe->head_length && isspace((unsigned char)probe->head[at]); at++)
        ;
    if (at == probe->head_length || probe->head[at] != '<')
        return false;
    if (probe->head_length - at >= 14 && strncasecmp(probe->head + at, "<!doctype html", 14) == 0)
        return true;
    markup.at = at;
    while (drt_markup_next(&markup, &token))
        if (token.kind != DRT_MARKUP_TEXT)
            return token.kind == DRT_MARKUP_START && (drt_markup_is(&token, "html") || drt_markup_is(&token, "head"));
    return false;
}

drt_status drt_format_html_extract(drt_context *context, const drt_format_input *input, drt_extract *extract) {
    drt_buffer decoded = {0};
    drt_charset_facts facts;
    bool cut = false;
    drt_status status = drt_markup_to_utf8(context, input->data, input->length, &decoded, &facts);
    drt_text text;
    drt_text_start(&text, &extract->text);
    if (status == DRT_OK && decoded.length > 0)
        status = drt_html_read(context, decoded.data, decoded.length,
                               drt_name_has_extension(input->name, input->name_length, " .xhtml .xht "), &text, extract,
                               &cut);
    drt_buffer_free(&decoded);
    bool ok = drt_text_finish(&text) &&
              drt_extract_note_charset(extract, facts.replacements, facts.guessed ? facts.name : NULL) &&
              (!cut || drt_extract_note(extract, DRT_DOCUMENT_PARTIAL,
                                        "it ends inside a tag, comment or script, which may hide text"));
    return status == DRT_OK && !ok ? drt_fail_memory(context, "a page") : status;
}
