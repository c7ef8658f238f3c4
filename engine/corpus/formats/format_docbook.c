/* format_docbook.c: DocBook, the XML of manuals (4 and 5, books, articles, pages of manuals, and single chapters). Title,
 * authors and date from the first block of information; footnotes go behind their paragraph; listings keep their lines. See
 * formats.h. */
#include <string.h>

#include "engine/corpus/formats/xml.h"

typedef struct {
    drt_extract *extract;
    drt_flow flow;
    bool collecting;     /* nothing is read beforehand */
    int information;     /* blocks of it so far */
    bool inside;         /* one of them */
    bool abstract;       /* the same, in what is text of it */
    bool spaced;         /* inside a reference whose parts nothing separates */
    bool run_in;         /* members of a list that stands inside a sentence */
    const char *joint;   /* between keys pressed together, or menus opened one after the other; NULL: elsewhere */
    drt_string pub_year; /* of the copyright, where there is no date */
} document;

static const drt_xml_element elements[] = {
    /* sorted by name */
    {"abstract", DRT_XML_HOOK},
    {"address", DRT_XML_LINES},
    {"alt", DRT_XML_SKIP},
    {"appendix", DRT_XML_BLOCK},
    {"appendixinfo", DRT_XML_HOOK},
    {"areaspec", DRT_XML_SKIP},
    {"arg", DRT_XML_SPACE},
    {"artheader", DRT_XML_HOOK},
    {"articleinfo", DRT_XML_HOOK},
    {"author", DRT_XML_HOOK},
    {"authorgroup", DRT_XML_BLOCK},
    {"bibliodiv", DRT_XML_BLOCK},
    {"biblioentry", DRT_XML_HOOK},
    {"bibliography", DRT_XML_BLOCK},
    {"bibliomixed", DRT_XML_LINE},
    {"blockinfo", DRT_XML_HOOK},
    {"blockquote", DRT_XML_BLOCK},
    {"bookinfo", DRT_XML_HOOK},
    {"callout", DRT_XML_LINE},
    {"calloutlist", DRT_XML_LIST},
    {"chapterinfo", DRT_XML_HOOK},
    {"cmdsynopsis", DRT_XML_BLOCK},
    {"comment", DRT_XML_SKIP},
    {"copyright", DRT_XML_HOOK},
    {"corpauthor", DRT_XML_HOOK},
    {"date", DRT_XML_HOOK},
    {"entry", DRT_XML_CELL},
    {"entrytbl", DRT_XML_TABLE},
    {"equation", DRT_XML_BLOCK},
    {"example", DRT_XML_BLOCK},
    {"figure", DRT_XML_BLOCK},
    {"firstname", DRT_XML_HOOK},
    {"footnote", DRT_XML_NOTE},
    {"funcprototype", DRT_XML_BLOCK},
    {"funcsynopsisinfo", DRT_XML_LINES},
    {"glossdef", DRT_XML_LINE},
    {"glossentry", DRT_XML_LINE},
    {"glosslist", DRT_XML_LIST},
    {"group", DRT_XML_SPACE},
    {"guimenu", DRT_XML_HOOK},
    {"guimenuitem", DRT_XML_HOOK},
    {"guisubmenu", DRT_XML_HOOK},
    {"imageobject", DRT_XML_SKIP},
    {"indexterm", DRT_XML_SKIP},
    {"info", DRT_XML_HOOK},
    {"informalequation", DRT_XML_BLOCK},
    {"itemizedlist", DRT_XML_LIST},
    {"keycap", DRT_XML_HOOK},
    {"keycombo", DRT_XML_HOOK},
    {"listitem", DRT_XML_LINE},
    {"literallayout", DRT_XML_LINES},
    {"lot", DRT_XML_SKIP},
    {"manvolnum", DRT_XML_HOOK},
    {"math", DRT_XML_MATH},
    {"member", DRT_XML_HOOK},
    {"menuchoice", DRT_XML_HOOK},
    {"objectinfo", DRT_XML_HOOK},
    {"orderedlist", DRT_XML_LIST},
    {"para", DRT_XML_BLOCK},
    {"prefaceinfo", DRT_XML_HOOK},
    {"procedure", DRT_XML_LIST},
    {"programlisting", DRT_XML_LINES},
    {"pubdate", DRT_XML_HOOK},
    {"publishername", DRT_XML_HOOK},
    {"qandaentry", DRT_XML_BLOCK},
    {"question", DRT_XML_BLOCK},
    {"quote", DRT_XML_HOOK},
    {"refentryinfo", DRT_XML_HOOK},
    {"refentrytitle", DRT_XML_HOOK},
    {"refmeta", DRT_XML_BLOCK},
    {"refmiscinfo", DRT_XML_SKIP},
    {"refname", DRT_XML_HOOK},
    {"refnamediv", DRT_XML_BLOCK},
    {"refpurpose", DRT_XML_HOOK},
    {"remark", DRT_XML_SKIP},
    {"row", DRT_XML_ROW},
    {"screen", DRT_XML_LINES},
    {"sectioninfo", DRT_XML_HOOK},
    {"seg", DRT_XML_CELL},
    {"seglistitem", DRT_XML_ROW},
    {"segmentedlist", DRT_XML_TABLE},
    {"segtitle", DRT_XML_CELL},
    {"setinfo", DRT_XML_HOOK},
    {"simpara", DRT_XML_BLOCK},
    {"simplelist", DRT_XML_HOOK},
    {"step", DRT_XML_LINE},
    {"substeps", DRT_XML_LIST},
    {"subtitle", DRT_XML_HOOK},
    {"superscript", DRT_XML_RAISE},
    {"surname", DRT_XML_HOOK},
    {"synopsis", DRT_XML_LINES},
    {"td", DRT_XML_CELL},
    {"textobject", DRT_XML_SKIP},
    {"tgroup", DRT_XML_TABLE},
    {"th", DRT_XML_CELL},
    {"title", DRT_XML_HOOK},
    {"toc", DRT_XML_SKIP},
    {"tr", DRT_XML_ROW},
    {"ulink", DRT_XML_HOOK},
    {"variablelist", DRT_XML_LIST},
    {"varlistentry", DRT_XML_LINE},
    {"year", DRT_XML_HOOK},
};

static bool is(const drt_markup_token *token, const char *name) {
    return drt_markup_is(token, name);
}

/* -------------------------------------------------------------- information ---- */

/* "Ada Renn" from the parts of a name, or all that is there where it has none. */
static bool take_author(drt_xml *xml, const drt_markup_token *start) {
    document *d = xml->user;
    drt_markup before = xml->markup;
    drt_markup_token token;
    drt_buffer name = {0};
    drt_string author = {0};
    bool ok = true;
    for (int depth = 1; ok && drt_xml_inside(&xml->markup, start, &depth, &token);) {
        drt_string part = {0};
        if (token.kind != DRT_MARKUP_START || token.empty)
            continue;
        if (is(&token, "affiliation") || is(&token, "address") || is(&token, "authorblurb") || is(&token, "email") ||
            is(&token, "personblurb"))
            drt_xml_skip(&xml->markup, &token);
        else if (is(&token, "firstname") || is(&token, "givenname") || is(&token, "othername") ||
                 is(&token, "surname") || is(&token, "lineage") || is(&token, "orgname"))
            ok = drt_xml_line(&xml->markup, &token, &part);
        if (ok && part.data)
            ok = drt_buffer_append_text(&name, name.length ? " " : "") &&
                 drt_buffer_append(&name, part.data, part.length);
        drt_string_free(&part);
    }
    if (ok && name.length > 0) {
        ok = drt_string_take(&author, &name);
    } else if (ok) {
        xml->markup = before;
        ok = drt_xml_line(&xml->markup, start, &author);
    }
    ok = ok && drt_xml_take_author(d->extract, &author);
    drt_buffer_free(&name);
    return ok;
}

/* Inside a block of information only abstracts are text, and titles but for the document's own. The first block is about
 * the document. true: the tag was of such a block. */
static bool take_information(drt_xml *xml, const drt_markup_token *token) {
    document *d = xml->user;
    bool start = token->kind == DRT_MARKUP_START && !token->empty, first = d->information == 1;
    drt_string line = {0};
    size_t n = token->name_length;
    if ((n >= 4 && memcmp(token->name + n - 4, "info", 4) == 0) || is(token, "artheader")) {
        d->information += start;
        xml->quiet = d->inside = start;
        drt_flow_paragraph(&d->flow);
        return true;
    }
    if (!d->inside)
        return false;
    bool title = is(token, "title");
    if (is(token, "abstract"))
        d->abstract = start;
    else if (d->abstract)
        return false;
    if (is(token, "abstract") || (title && d->extract->title.data)) {
        xml->quiet = !start;
        drt_flow_paragraph(&d->flow);
        return true;
    }
    if (!xml->quiet || !start)
        return xml->quiet;
    if (title) {
        xml->failed |= !drt_xml_line(&xml->markup, token, &line);
        drt_xml_take_title(d->extract, &line);
    } else if (first && (is(token, "author") || is(token, "corpauthor"))) {
        xml->failed |= !take_author(xml, token);
    } else if (first && (is(token, "pubdate") || is(token, "date"))) {
        xml->failed |= !drt_xml_line(&xml->markup, token, &line);
        drt_xml_take_date(d->extract, &line);
    } else if (first && is(token, "year") && !d->pub_year.data) {
        xml->failed |= !drt_xml_line(&xml->markup, token, &d->pub_year);
    }
    return true;
}

/* ---------------------------------------------------------------- text ---- */

/* The first title is that of the document, also where it stands in the text; so is the name of a page of a manual. */
static void take_title(drt_xml *xml, const drt_markup_token *token) {
    document *d = xml->user;
    drt_markup ahead = xml->markup;
    drt_string line;
    if (token->kind != DRT_MARKUP_START || d->extract->title.data)
        return;
    xml->failed |= !drt_xml_line(&ahead, token, &line);
    drt_xml_take_title(d->extract, &line);
}

/* A link without words of its own shows where it leads. */
static void take_link(drt_xml *xml, const drt_markup_token *token) {
    document *d = xml->user;
    drt_string url;
    drt_markup ahead = xml->markup;
    drt_markup_token next;
    if (token->kind != DRT_MARKUP_START ||
        (!token->empty && drt_markup_next(&ahead, &next) && !(next.kind == DRT_MARKUP_END && is(&next, "ulink"))))
        return;
    xml->failed |= !drt_xml_attribute_line(token, "url", &url);
    drt_flow_add(&d->flow, url.data ? url.data : "", url.length);
    drt_string_free(&url);
}

static void add(document *d, const char *text) {
    drt_flow_add(&d->flow, text, strlen(text));
}

/* "Ctrl+C", "File > Open": what joins them stands before all but the first. */
static void take_joined(document *d, const drt_markup_token *token) {
    bool start = token->kind == DRT_MARKUP_START;
    if (is(token, "keycombo") || is(token, "menuchoice"))
        d->joint = start && !token->empty ? "" : NULL;
    else if (d->joint && start)
        add(d, d->joint);
    else if (d->joint)
        d->joint = is(token, "keycap") ? "+" : " > ";
}

static void take_list(document *d, const drt_markup_token *token) {
    drt_markup_attribute type;
    bool start = token->kind == DRT_MARKUP_START;
    if (is(token, "member")) {
        if (!d->run_in)
            drt_flow_line(&d->flow);
        else if (start)
            add(d, " ");
        return;
    }
    if (start)
        d->run_in = drt_markup_find(token, "type", &type) && drt_markup_value_is(&type, "inline");
    if (!d->run_in)
        (start ? drt_flow_list : drt_flow_list_end)(&d->flow);
    if (!d->run_in && token->empty)
        drt_flow_list_end(&d->flow);
}

static void hook(drt_xml *xml, const drt_markup_token *token) {
    document *d = xml->user;
    bool start = token->kind == DRT_MARKUP_START;
    if (take_information(xml, token))
        return;
    if (is(token, "biblioentry")) {
        drt_flow_line(&d->flow);
        d->spaced = start && !token->empty;
    } else if (d->spaced) {
        add(d, " ");
    } else if (is(token, "title") || is(token, "refentrytitle") || is(token, "refname")) {
        if (is(token, "title"))
            drt_flow_paragraph(&d->flow);
        take_title(xml, token);
    } else if (is(token, "subtitle") || is(token, "abstract")) {
        drt_flow_paragraph(&d->flow);
    } else if (is(token, "ulink")) {
        take_link(xml, token);
    } else if (is(token, "quote")) {
        add(d, start ? "“" : "”");
    } else if (is(token, "manvolnum")) {
        add(d, start ? "(" : ")");
    } else if (is(token, "refpurpose")) {
        add(d, start ? " — " : "");
    } else if (is(token, "simplelist") || is(token, "member")) {
        take_list(d, token);
    } else {
        take_joined(d, token);
    }
}

drt_status drt_format_docbook_extract(drt_context *context, const drt_format_input *input, drt_extract *extract) {
    document d = {.extract = extract};
    drt_xml xml = {.context = context,
                   .flow = &d.flow,
                   .elements = elements,
                   .n_elements = sizeof elements / sizeof *elements,
                   .hook = hook,
                   .user = &d};
    drt_status status = drt_xml_extract(&xml, input, extract, NULL, &d.collecting);
    if (d.pub_year.data)
        drt_xml_take_date(extract, &d.pub_year);
    return status;
}

static bool contains(const drt_format_probe *probe, const char *word) {
    size_t n = strlen(word);
    for (size_t at = 0; at + n <= probe->head_length; at++)
        if (memcmp(probe->head + at, word, n) == 0)
            return true;
    return false;
}

/* Others have books and articles, too. */
bool drt_format_docbook_detect(const drt_format_probe *probe) {
    static const char *const roots[] = {"appendix", "article",  "book",      "chapter", "glossary", "part",
                                        "preface",  "refentry", "reference", "sect1",   "section",  "set"};
    static const char *const signs[] = {"DTD DocBook", "http://docbook.org/ns/docbook", "<para>", "<simpara>", "<para ",
                                        "<refnamediv>"};
    drt_markup_token root;
    bool known = false, sign = false;
    if (!drt_xml_root(probe, &root))
        return false;
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
        known |= is(&root, roots[i]);
    for (size_t i = 0; known && i < sizeof signs / sizeof *signs; i++)
        sign |= contains(probe, signs[i]);
    return sign;
}
