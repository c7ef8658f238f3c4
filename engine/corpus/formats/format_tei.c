/* format_tei.c: TEI, the XML of scholarly editions. Title, authors and date from the header; notes go behind their
 * paragraph; of variants (choice) the corrected and expanded one stands. See formats.h. */
#include <string.h>

#include "engine/corpus/formats/xml.h"

typedef struct {
    drt_extract *extract;
    drt_flow flow;
    bool collecting; /* notes; then the text is read */
    bool choice;     /* inside one */
    bool spaced;     /* inside a reference whose parts nothing separates */
} document;

static const drt_xml_element elements[] = {
    /* sorted by name */
    {"TEI", DRT_XML_BLOCK},       {"ab", DRT_XML_BLOCK},         {"abbr", DRT_XML_HOOK},
    {"argument", DRT_XML_BLOCK},  {"bibl", DRT_XML_LINE},        {"biblScope", DRT_XML_HOOK},
    {"biblStruct", DRT_XML_HOOK}, {"byline", DRT_XML_BLOCK},     {"castItem", DRT_XML_LINE},
    {"castList", DRT_XML_LIST},   {"cell", DRT_XML_CELL},        {"choice", DRT_XML_HOOK},
    {"closer", DRT_XML_BLOCK},    {"date", DRT_XML_HOOK},        {"dateline", DRT_XML_BLOCK},
    {"del", DRT_XML_SKIP},        {"div", DRT_XML_BLOCK},        {"docAuthor", DRT_XML_BLOCK},
    {"docDate", DRT_XML_BLOCK},   {"docImprint", DRT_XML_BLOCK}, {"docTitle", DRT_XML_BLOCK},
    {"epigraph", DRT_XML_BLOCK},  {"figDesc", DRT_XML_SKIP},     {"forename", DRT_XML_HOOK},
    {"fw", DRT_XML_SKIP},         {"head", DRT_XML_BLOCK},       {"item", DRT_XML_LINE},
    {"l", DRT_XML_LINE},          {"label", DRT_XML_SPACE},      {"lb", DRT_XML_HOOK},
    {"lg", DRT_XML_BLOCK},        {"list", DRT_XML_LIST},        {"listBibl", DRT_XML_BLOCK},
    {"math", DRT_XML_MATH},       {"note", DRT_XML_HOOK},        {"opener", DRT_XML_BLOCK},
    {"orig", DRT_XML_HOOK},       {"p", DRT_XML_BLOCK},          {"ptr", DRT_XML_HOOK},
    {"rdg", DRT_XML_SKIP},        {"ref", DRT_XML_HOOK},         {"row", DRT_XML_ROW},
    {"salute", DRT_XML_BLOCK},    {"sic", DRT_XML_HOOK},         {"signed", DRT_XML_BLOCK},
    {"sp", DRT_XML_BLOCK},        {"speaker", DRT_XML_BLOCK},    {"stage", DRT_XML_SPACE},
    {"surname", DRT_XML_HOOK},    {"table", DRT_XML_TABLE},      {"teiHeader", DRT_XML_HOOK},
    {"title", DRT_XML_HOOK},      {"titlePart", DRT_XML_BLOCK},  {"trailer", DRT_XML_BLOCK},
};

static bool is(const drt_markup_token *token, const char *name) {
    return drt_markup_is(token, name);
}

/* -------------------------------------------------------------- header ---- */

/* The value of when="..." goes before the words. */
static bool take_date(drt_xml *xml, const drt_markup_token *token) {
    document *d = xml->user;
    drt_string when = {0}, line = {0};
    bool ok =
        drt_xml_attribute_line(token, "when", &when) && (token->empty || drt_xml_line(&xml->markup, token, &line));
    if (ok && when.length > 0)
        drt_xml_take_date(d->extract, &when);
    else if (ok && line.length > 0)
        drt_xml_take_date(d->extract, &line);
    drt_string_free(&when);
    drt_string_free(&line);
    return ok;
}

/* "Ada Renn" of <author>Ada Renn</author>, or of the parts of a name, which nothing separates. */
static bool take_author(drt_xml *xml) {
    document *d = xml->user;
    drt_markup_token token;
    drt_buffer name = {0};
    drt_string author;
    bool ok = true;
    for (int depth = 1; ok && depth > 0 && drt_markup_next(&xml->markup, &token);) {
        if (token.kind == DRT_MARKUP_TEXT)
            ok = drt_markup_decode(&name, token.data, token.length);
        else if (is(&token, "author") && !token.empty)
            depth += token.kind == DRT_MARKUP_START ? 1 : -1;
        else if (token.kind == DRT_MARKUP_START &&
                 (is(&token, "idno") || is(&token, "affiliation") || is(&token, "email")))
            drt_xml_skip(&xml->markup, &token);
        else
            ok = drt_buffer_append_byte(&name, ' ');
    }
    ok = ok && drt_text_single_line(name.data ? name.data : "", name.length, &author) &&
         drt_xml_take_author(d->extract, &author);
    drt_buffer_free(&name);
    return ok;
}

/* Title and authors of the statement of the title; the first date. */
static bool take_header(drt_xml *xml, const drt_markup_token *start) {
    document *d = xml->user;
    drt_markup_token token;
    bool ok = true, statement = false;
    for (int depth = 1; ok && drt_xml_inside(&xml->markup, start, &depth, &token);) {
        drt_string line = {0};
        bool begins = token.kind == DRT_MARKUP_START && !token.empty;
        if (is(&token, "titleStmt"))
            statement = begins;
        else if (begins && (is(&token, "encodingDesc") || is(&token, "revisionDesc") || is(&token, "profileDesc")))
            drt_xml_skip(&xml->markup, &token);
        else if (token.kind == DRT_MARKUP_START && is(&token, "date"))
            ok = take_date(xml, &token);
        else if (begins && statement && is(&token, "title")) {
            ok = drt_xml_line(&xml->markup, &token, &line);
            drt_xml_take_title(d->extract, &line);
        } else if (begins && statement && is(&token, "author"))
            ok = take_author(xml);
    }
    return ok;
}

/* ---------------------------------------------------------------- text ---- */

static bool is_note(drt_xml *xml, const drt_markup_token *token) {
    drt_markup_attribute id;
    (void)xml;
    return is(token, "note") && drt_markup_find(token, "id", &id);
}

static void hook(drt_xml *xml, const drt_markup_token *token) {
    document *d = xml->user;
    drt_markup_attribute attribute;
    bool start = token->kind == DRT_MARKUP_START;
    if (is(token, "teiHeader")) {
        if (start && d->collecting)
            drt_xml_skip(&xml->markup, token);
        else if (start)
            xml->failed |= !take_header(xml, token);
    } else if (is(token, "note")) {
        drt_xml_note(xml, token, d->collecting);
    } else if (!d->collecting && (is(token, "ref") || is(token, "ptr"))) {
        drt_xml_refer(xml, token, "target");
    } else if (is(token, "choice")) {
        d->choice = start;
    } else if (is(token, "abbr") || is(token, "orig") || is(token, "sic")) {
        if (start && d->choice)
            drt_xml_skip(&xml->markup, token);
    } else if (is(token, "lb")) {
        if (start && !(drt_markup_find(token, "break", &attribute) && drt_markup_value_is(&attribute, "no")))
            drt_flow_add(&d->flow, " ", 1);
    } else if (is(token, "biblStruct")) {
        drt_flow_line(&d->flow);
        d->spaced = start;
    } else if (d->spaced && start) {
        drt_flow_add(&d->flow, " ", 1);
    }
}

drt_status drt_format_tei_extract(drt_context *context, const drt_format_input *input, drt_extract *extract) {
    document d = {.extract = extract};
    drt_xml xml = {.context = context,
                   .flow = &d.flow,
                   .elements = elements,
                   .n_elements = sizeof elements / sizeof *elements,
                   .hook = hook,
                   .user = &d};
    return drt_xml_extract(&xml, input, extract, is_note, &d.collecting);
}

bool drt_format_tei_detect(const drt_format_probe *probe) {
    drt_markup_token root;
    return drt_xml_root(probe, &root) && (is(&root, "TEI") || is(&root, "TEI.2") || is(&root, "teiCorpus"));
}
