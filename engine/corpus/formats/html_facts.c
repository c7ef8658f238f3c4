/* html_facts.c: title, authors and date of a page. See html_facts.h. */
#include "engine/corpus/formats/html_facts.h"

#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "engine/corpus/formats/xml.h"
#include "engine/corpus/normalise.h"

#define AUTHORS 4096           /* names that are kept */
#define HEADING 300            /* bytes of a heading that can be a title */
#define LINKED_DATA (1u << 20) /* bytes of linked data that are looked into */
#define GRAPH 64               /* objects of it */

static bool add_author(drt_html_facts *facts, drt_html_source source, drt_string *name) {
    bool address = name->length > 4 && memcmp(name->data, "http", 4) == 0; /* of the author's page */
    bool ok = true;
    if (name->data && !address && facts->n_authors < AUTHORS) {
        ok = drt_array_grow((void **)&facts->authors, facts->n_authors, sizeof *facts->authors);
        if (ok) {
            facts->authors[facts->n_authors].source = source;
            facts->authors[facts->n_authors++].name = *name;
            *name = (drt_string){0};
        }
    }
    drt_string_free(name);
    return ok;
}

static void take_first(drt_string *to, drt_string *line) {
    if (to->data)
        drt_string_free(line);
    else
        *to = *line;
}

bool drt_html_take_meta(drt_html_facts *facts, const drt_markup_token *token) {
    static const char *const titles[] = {"citation_title", "dc.title", "dcterms.title", "og:title"};
    static const char *const dates[] = {"citation_publication_date",
                                        "citation_date",
                                        "citation_online_date",
                                        "date",
                                        "dc.date",
                                        "dc.date.issued",
                                        "dcterms.date",
                                        "dcterms.issued",
                                        "dcterms.created",
                                        "article:published_time",
                                        "datepublished"};
    static const struct {
        const char *name;
        drt_html_source source;
    } authors[] = {{"citation_author", DRT_HTML_CITATION},
                   {"dc.creator", DRT_HTML_DUBLIN_CORE},
                   {"dcterms.creator", DRT_HTML_DUBLIN_CORE},
                   {"author", DRT_HTML_AUTHOR},
                   {"article:author", DRT_HTML_AUTHOR}};
    drt_markup_attribute name;
    drt_string line;
    bool ok = true;
    if (!(drt_markup_find(token, "name", &name) || drt_markup_find(token, "property", &name) ||
          drt_markup_find(token, "itemprop", &name)))
        return true;
    for (size_t i = 0; ok && i < sizeof titles / sizeof *titles; i++)
        if (drt_markup_value_is(&name, titles[i])) {
            ok = drt_xml_attribute_line(token, "content", &line);
            take_first(&facts->title, &line);
        }
    for (size_t i = 0; ok && i < sizeof dates / sizeof *dates; i++)
        if (drt_markup_value_is(&name, dates[i])) {
            ok = drt_xml_attribute_line(token, "content", &line);
            take_first(&facts->date, &line);
        }
    for (size_t i = 0; ok && i < sizeof authors / sizeof *authors; i++)
        if (drt_markup_value_is(&name, authors[i].name))
            ok = drt_xml_attribute_line(token, "content", &line) && add_author(facts, authors[i].source, &line);
    return ok;
}

/* A name, an object that has one, or a list of these. */
static bool take_linked_authors(drt_html_facts *facts, const cJSON *author, int depth) {
    const cJSON *item, *name = cJSON_IsString(author) ? author : cJSON_GetObjectItemCaseSensitive(author, "name");
    drt_string line;
    if (cJSON_IsString(name))
        return drt_text_single_line(name->valuestring, strlen(name->valuestring), &line) &&
               add_author(facts, DRT_HTML_LINKED_DATA, &line);
    bool ok = true;
    if (cJSON_IsArray(author) && depth < 2)
        cJSON_ArrayForEach(item, author) ok = ok && take_linked_authors(facts, item, depth + 1);
    return ok;
}

static bool take_linked_object(drt_html_facts *facts, const cJSON *object) {
    const cJSON *date = cJSON_GetObjectItemCaseSensitive(object, "datePublished");
    drt_string line;
    bool ok = true;
    if (cJSON_IsString(date)) {
        ok = drt_text_single_line(date->valuestring, strlen(date->valuestring), &line);
        take_first(&facts->linked_date, &line);
    }
    return ok && take_linked_authors(facts, cJSON_GetObjectItemCaseSensitive(object, "author"), 0);
}

bool drt_html_take_linked_data(drt_html_facts *facts, const char *data, size_t length) {
    cJSON *root = length > 0 && length <= LINKED_DATA ? cJSON_ParseWithLength(data, length) : NULL;
    const cJSON *graph = cJSON_IsArray(root) ? root : cJSON_GetObjectItemCaseSensitive(root, "@graph"), *object;
    bool ok = !root || take_linked_object(facts, root);
    int n = 0;
    cJSON_ArrayForEach(object, graph) ok = ok && (n++ >= GRAPH || take_linked_object(facts, object));
    cJSON_Delete(root);
    return ok;
}

bool drt_html_take_heading(drt_html_facts *facts, const drt_markup *markup, const drt_markup_token *token) {
    drt_markup ahead = *markup;
    drt_string line;
    if (facts->heading.data || token->empty)
        return true;
    if (ahead.length - ahead.at > 4 * HEADING) /* one without an end is none */
        ahead.length = ahead.at + 4 * HEADING;
    bool ok = drt_xml_line(&ahead, token, &line);
    if (line.length > HEADING)
        drt_string_free(&line);
    if (line.length <= HEADING)
        facts->heading = line;
    return ok;
}

bool drt_html_settle_facts(drt_html_facts *facts, drt_extract *extract) {
    drt_html_source best = DRT_HTML_LINKED_DATA;
    bool ok = true, known = !extract || extract->n_authors > 0;
    for (size_t i = 0; i < facts->n_authors; i++)
        best = facts->authors[i].source < best ? facts->authors[i].source : best;
    for (size_t i = 0; i < facts->n_authors; i++) {
        if (!known && facts->authors[i].source == best)
            ok = ok && drt_extract_add_author(extract, &facts->authors[i].name);
        drt_string_free(&facts->authors[i].name);
    }
    drt_string *const lines[] = {&facts->title, &facts->heading, &facts->date, &facts->linked_date};
    for (int i = 0; i < 4; i++)
        if (!extract)
            drt_string_free(lines[i]);
        else
            (i < 2 ? drt_xml_take_title : drt_xml_take_date)(extract, lines[i]);
    free(facts->authors);
    *facts = (drt_html_facts){0};
    return ok;
}
