/* format_jats.c: JATS, the XML of journals (and NLM before it). Title, authors and date from the front matter; footnotes go
 * behind the paragraph that refers to them; references are lines. See formats.h. */
#include <string.h>

#include "engine/corpus/formats/xml.h"
#include "engine/corpus/tex/tex.h"

#define ALTERNATIVES 1000 /* tags that are looked through for MathML */

typedef struct {
    drt_extract *extract;
    drt_flow flow;
    bool collecting;  /* notes; then the text is read */
    bool front;       /* inside <article-meta> */
    bool after_label; /* what comes stands behind its number */
    bool math;        /* the formula at hand is there in MathML, too */
    bool spaced;      /* inside a reference whose parts nothing separates */
} document;

static const drt_xml_element elements[] = {
    /* sorted by name */
    {"abstract", DRT_XML_HOOK},
    {"ack", DRT_XML_BLOCK},
    {"alt-text", DRT_XML_SKIP},
    {"alternatives", DRT_XML_HOOK},
    {"app", DRT_XML_BLOCK},
    {"article-meta", DRT_XML_HOOK},
    {"article-title", DRT_XML_HOOK},
    {"attrib", DRT_XML_BLOCK},
    {"boxed-text", DRT_XML_BLOCK},
    {"break", DRT_XML_BREAK},
    {"caption", DRT_XML_HOOK},
    {"contrib-group", DRT_XML_HOOK},
    {"def-item", DRT_XML_LINE},
    {"def-list", DRT_XML_LIST},
    {"disp-formula", DRT_XML_BLOCK},
    {"disp-quote", DRT_XML_BLOCK},
    {"element-citation", DRT_XML_HOOK},
    {"fig", DRT_XML_BLOCK},
    {"fn", DRT_XML_HOOK},
    {"fpage", DRT_XML_HOOK},
    {"front-stub", DRT_XML_HOOK},
    {"given-names", DRT_XML_HOOK},
    {"issue", DRT_XML_HOOK},
    {"journal-meta", DRT_XML_SKIP},
    {"label", DRT_XML_HOOK},
    {"list", DRT_XML_LIST},
    {"long-desc", DRT_XML_SKIP},
    {"lpage", DRT_XML_HOOK},
    {"math", DRT_XML_MATH},
    {"mixed-citation", DRT_XML_HOOK},
    {"name", DRT_XML_HOOK},
    {"object-id", DRT_XML_SKIP},
    {"p", DRT_XML_HOOK},
    {"permissions", DRT_XML_SKIP},
    {"person-group", DRT_XML_HOOK},
    {"preformat", DRT_XML_LINES},
    {"processing-meta", DRT_XML_SKIP},
    {"pub-date", DRT_XML_HOOK},
    {"pub-id", DRT_XML_HOOK},
    {"publisher-name", DRT_XML_HOOK},
    {"ref", DRT_XML_LINE},
    {"ref-list", DRT_XML_BLOCK},
    {"sec", DRT_XML_BLOCK},
    {"source", DRT_XML_HOOK},
    {"speaker", DRT_XML_BLOCK},
    {"speech", DRT_XML_BLOCK},
    {"statement", DRT_XML_BLOCK},
    {"sup", DRT_XML_RAISE},
    {"supplementary-material", DRT_XML_BLOCK},
    {"surname", DRT_XML_HOOK},
    {"table", DRT_XML_TABLE},
    {"table-wrap", DRT_XML_BLOCK},
    {"table-wrap-foot", DRT_XML_BLOCK},
    {"td", DRT_XML_CELL},
    {"term", DRT_XML_SPACE},
    {"tex-math", DRT_XML_HOOK},
    {"th", DRT_XML_CELL},
    {"title", DRT_XML_HOOK},
    {"title-group", DRT_XML_HOOK},
    {"tr", DRT_XML_ROW},
    {"trans-abstract", DRT_XML_HOOK},
    {"verse-group", DRT_XML_BLOCK},
    {"verse-line", DRT_XML_LINE},
    {"volume", DRT_XML_HOOK},
    {"xref", DRT_XML_HOOK},
    {"year", DRT_XML_HOOK},
};

static bool is(const drt_markup_token *token, const char *name) {
    return drt_markup_is(token, name);
}

/* ---------------------------------------------------------- front matter ---- */

static bool take_name(drt_xml *xml, const drt_markup_token *start) {
    document *d = xml->user;
    drt_markup_token token;
    drt_string given = {0}, surname = {0}, other = {0}, author = {0};
    drt_buffer name = {0};
    bool ok = true;
    for (int depth = 1; ok && drt_xml_inside(&xml->markup, start, &depth, &token);) {
        drt_string *part = is(&token, "given-names")                           ? &given
                           : is(&token, "surname")                             ? &surname
                           : is(&token, "string-name") || is(&token, "collab") ? &other
                                                                               : NULL;
        if (token.kind == DRT_MARKUP_START && !token.empty && part && !part->data)
            ok = drt_xml_line(&xml->markup, &token, part);
        else if (token.kind == DRT_MARKUP_START && (is(&token, "aff") || is(&token, "bio")))
            drt_xml_skip(&xml->markup, &token);
    }
    if (ok && (given.data || surname.data))
        ok = drt_buffer_append(&name, given.data ? given.data : "", given.length) &&
             drt_buffer_append_text(&name, given.data && surname.data ? " " : "") &&
             drt_buffer_append(&name, surname.data ? surname.data : "", surname.length) &&
             drt_string_take(&author, &name);
    ok = ok && drt_xml_take_author(d->extract, author.data ? &author : &other);
    drt_buffer_free(&name);
    drt_string_free(&given);
    drt_string_free(&surname);
    drt_string_free(&other);
    return ok;
}

/* All contributors but those that are said to be no authors. */
static bool take_contributors(drt_xml *xml, const drt_markup_token *start) {
    drt_markup_token token;
    drt_markup_attribute type;
    bool ok = true;
    for (int depth = 1; ok && drt_xml_inside(&xml->markup, start, &depth, &token);)
        if (token.kind == DRT_MARKUP_START && is(&token, "contrib") &&
            (!drt_markup_find(&token, "contrib-type", &type) || drt_markup_value_is(&type, "author")))
            ok = take_name(xml, &token);
    return ok;
}

/* "2019-05-17", "2019-05", "2019". */
static bool take_date(drt_xml *xml, const drt_markup_token *start) {
    document *d = xml->user;
    static const char *const names[] = {"year", "month", "day"};
    drt_string parts[3] = {{0}}, line = {0};
    drt_markup_token token;
    drt_buffer date = {0};
    bool ok = drt_xml_attribute_line(start, "iso-8601-date", &line);
    for (int depth = 1; ok && drt_xml_inside(&xml->markup, start, &depth, &token);)
        for (int i = 0; ok && i < 3; i++)
            if (token.kind == DRT_MARKUP_START && !token.empty && is(&token, names[i]) && !parts[i].data)
                ok = drt_xml_line(&xml->markup, &token, &parts[i]);
    for (int i = 0; ok && !line.length && i < 3 && parts[i].data; i++)
        ok = drt_buffer_append_text(&date, i == 0                 ? ""
                                           : parts[i].length == 1 ? "-0"
                                                                  : "-") &&
             drt_buffer_append(&date, parts[i].data, parts[i].length);
    if (ok && date.length > 0)
        ok = drt_string_take(&line, &date);
    if (ok && line.length > 0)
        drt_xml_take_date(d->extract, &line);
    drt_string_free(&line);
    drt_buffer_free(&date);
    for (int i = 0; i < 3; i++)
        drt_string_free(&parts[i]);
    return ok;
}

/* To the end of the title, without the marks of notes in it. */
static bool title_line(drt_xml *xml, drt_string *line) {
    drt_markup_token token;
    drt_buffer text = {0};
    bool ok = true;
    while (ok && drt_markup_next(&xml->markup, &token)) {
        bool start = token.kind == DRT_MARKUP_START;
        if (token.kind == DRT_MARKUP_TEXT)
            ok = drt_markup_decode(&text, token.data, token.length);
        else if (start && (is(&token, "xref") || is(&token, "fn")))
            drt_xml_skip(&xml->markup, &token);
        else if (start && is(&token, "break"))
            ok = drt_buffer_append_byte(&text, ' ');
        else if (!start && is(&token, "article-title"))
            break;
    }
    ok = ok && drt_text_single_line(text.data ? text.data : "", text.length, line);
    drt_buffer_free(&text);
    return ok;
}

static bool take_title(drt_xml *xml, const drt_markup_token *start) {
    document *d = xml->user;
    drt_markup_token token;
    bool ok = true;
    for (int depth = 1; ok && drt_xml_inside(&xml->markup, start, &depth, &token);) {
        drt_string line = {0};
        if (token.kind == DRT_MARKUP_START && !token.empty && is(&token, "article-title"))
            ok = title_line(xml, &line);
        if (line.data)
            drt_xml_take_title(d->extract, &line);
    }
    return ok;
}

/* In the front matter only abstracts are text. true: the tag was of the front matter. */
static bool take_front(drt_xml *xml, const drt_markup_token *token) {
    document *d = xml->user;
    bool start = token->kind == DRT_MARKUP_START && !token->empty;
    if (is(token, "article-meta") || is(token, "front-stub"))
        xml->quiet = d->front = start;
    else if (!d->front)
        return false;
    else if (is(token, "abstract") || is(token, "trans-abstract"))
        xml->quiet = !start;
    else if (!xml->quiet)
        return false;
    else if (start && is(token, "title-group"))
        xml->failed |= !take_title(xml, token);
    else if (start && is(token, "contrib-group"))
        xml->failed |= !take_contributors(xml, token);
    else if (start && is(token, "pub-date"))
        xml->failed |= !take_date(xml, token);
    if (!xml->quiet)
        drt_flow_paragraph(&d->flow);
    return true;
}

/* ---------------------------------------------------------------- text ---- */

static bool is_note(drt_xml *xml, const drt_markup_token *token) {
    drt_markup_attribute id;
    (void)xml;
    return is(token, "fn") && drt_markup_find(token, "id", &id);
}

/* The number of a section, a figure or a reference stands before what it numbers; that of a note is no text. */
static void take_label(drt_xml *xml, const drt_markup_token *token) {
    document *d = xml->user;
    bool start = token->kind == DRT_MARKUP_START;
    if (start && (d->collecting || d->flow.notes))
        drt_xml_skip(&xml->markup, token);
    else if (!start)
        drt_flow_add(&d->flow, " ", 1);
    d->after_label = !start;
}

/* Is there MathML among the ways in which a formula is given? */
static bool has_math(const drt_xml *xml, const drt_markup_token *start) {
    drt_markup ahead = xml->markup;
    drt_markup_token token;
    for (int depth = 1, n = 0; n < ALTERNATIVES && drt_xml_inside(&ahead, start, &depth, &token); n++)
        if (is(&token, "math"))
            return true;
    return false;
}

/* A formula in TeX, perhaps a whole document around it. */
static void take_tex(drt_xml *xml, const drt_markup_token *start) {
    document *d = xml->user;
    drt_string source = {0};
    drt_buffer whole = {0};
    drt_extract made = {0};
    bool ok = drt_xml_line(&xml->markup, start, &source);
    bool bare = source.data && !memchr(source.data, '$', source.length) &&
                !drt_tex_contains(source.data, source.length, "\\begin");
    ok = ok && drt_buffer_append_text(&whole, bare ? "$" : "") &&
         drt_buffer_append(&whole, source.data ? source.data : "", source.length) &&
         drt_buffer_append_text(&whole, bare ? "$" : "");
    if (ok && source.length > 0 && !d->math && !xml->quiet) {
        drt_format_input input = {whole.data, whole.length, "", 0};
        ok = drt_format_tex_extract(xml->context, &input, &made) != DRT_FATAL;
        drt_flow_add(&d->flow, made.text.data ? made.text.data : "", made.text.length);
    }
    drt_extract_clear(&made);
    drt_buffer_free(&whole);
    drt_string_free(&source);
    xml->failed |= !ok;
}

static void take_block(document *d, const drt_markup_token *token) {
    if (!d->after_label)
        drt_flow_paragraph(&d->flow);
    if (!is(token, "caption"))
        d->after_label = false;
}

static void hook(drt_xml *xml, const drt_markup_token *token) {
    document *d = xml->user;
    bool start = token->kind == DRT_MARKUP_START;
    if (!d->collecting && take_front(xml, token))
        return;
    if (is(token, "fn"))
        drt_xml_note(xml, token, d->collecting);
    else if (!d->collecting && is(token, "xref"))
        drt_xml_refer(xml, token, "rid");
    else if (is(token, "label"))
        take_label(xml, token);
    else if (is(token, "p") || is(token, "title") || is(token, "caption"))
        take_block(d, token);
    else if (is(token, "alternatives"))
        d->math = start && !token->empty && has_math(xml, token);
    else if (is(token, "tex-math") && start)
        take_tex(xml, token);
    else if (is(token, "element-citation"))
        d->spaced = start && !token->empty;
    else if (is(token, "mixed-citation"))
        d->after_label = false;
    else if (d->spaced && start)
        drt_flow_add(&d->flow, " ", 1);
}

drt_status drt_format_jats_extract(drt_context *context, const drt_format_input *input, drt_extract *extract) {
    document d = {.extract = extract};
    drt_xml xml = {.context = context,
                   .flow = &d.flow,
                   .elements = elements,
                   .n_elements = sizeof elements / sizeof *elements,
                   .hook = hook,
                   .user = &d};
    return drt_xml_extract(&xml, input, extract, is_note, &d.collecting);
}

static bool contains(const drt_format_probe *probe, const char *word) {
    size_t n = strlen(word);
    for (size_t at = 0; at + n <= probe->head_length; at++)
        if (memcmp(probe->head + at, word, n) == 0)
            return true;
    return false;
}

/* DocBook has articles, too. */
bool drt_format_jats_detect(const drt_format_probe *probe) {
    drt_markup_token root;
    return drt_xml_root(probe, &root) && is(&root, "article") &&
           (contains(probe, "<front>") || contains(probe, "<article-meta") || contains(probe, "<journal-meta"));
}
