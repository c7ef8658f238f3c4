/* html_facts.h: title, authors and date of a page, from the many places where pages have them.
 * May use: base, formats.h, markup, xml.h, cJSON. */
#ifndef DRT_CORPUS_FORMATS_HTML_FACTS_H
#define DRT_CORPUS_FORMATS_HTML_FACTS_H

#include "engine/corpus/formats/formats.h"
#include "engine/corpus/formats/markup.h"

/* Where authors are told, the more careful of them first. */
typedef enum { DRT_HTML_CITATION, DRT_HTML_DUBLIN_CORE, DRT_HTML_AUTHOR, DRT_HTML_LINKED_DATA } drt_html_source;

typedef struct {
    drt_string title, heading, date, linked_date;
    struct {
        drt_html_source source;
        drt_string name;
    } * authors;
    size_t n_authors;
} drt_html_facts;

/* <meta name="..." content="...">. false: out of memory, here and below. */
bool drt_html_take_meta(drt_html_facts *facts, const drt_markup_token *token);
/* The inside of <script type="application/ld+json">. */
bool drt_html_take_linked_data(drt_html_facts *facts, const char *data, size_t length);
/* <h1>, whose start tag it is; markup stands behind it and is not moved. */
bool drt_html_take_heading(drt_html_facts *facts, const drt_markup *markup, const drt_markup_token *token);
/* Gives the best of them to extract where it has none, and frees them; extract NULL: frees them. */
bool drt_html_settle_facts(drt_html_facts *facts, drt_extract *extract);

#endif
