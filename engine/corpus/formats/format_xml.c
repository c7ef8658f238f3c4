/* format_xml.c: XML of a vocabulary that no other format knows: the text of its elements. Which of them stand inside a
 * sentence and which by themselves is told by what is around them: an element that has text right before or behind it
 * mostly stands inside a sentence. Short pieces become lines, long ones paragraphs. See formats.h. */
#include <stdlib.h>
#include <string.h>

#include "engine/corpus/formats/html.h"
#include "engine/corpus/formats/xml.h"
#include "engine/corpus/normalise.h"

#define NAMES 512 /* different elements that are told apart (a power of two); others stand by themselves */
#define SHORT 80  /* bytes of a piece of text that may be a line among others */
#define STEP 8192 /* tokens between two looks at cancellation */

/* An element's name, how often it is there, and how often beside text. */
typedef struct {
    const char *name;
    size_t length, all, beside;
} element;

typedef struct {
    drt_context *context;
    drt_extract *extract;
    drt_text text;
    element *elements;
    drt_buffer decoded;
    size_t edges; /* of elements that stand by themselves since the last text */
    size_t piece; /* bytes of text since the last edge */
    size_t last;  /* the same before it */
    bool cut, failed;
} document;

/* The element's place in the table, NULL: there is none left. */
static element *find_element(element *elements, const drt_markup_token *token) {
    size_t hash = token->name_length;
    for (size_t i = 0; i < token->name_length && i < 64; i++)
        hash = hash * 31 + (unsigned char)token->name[i];
    for (size_t i = 0; i < 16; i++) {
        element *e = &elements[(hash + i) % NAMES];
        if (!e->name)
            *e = (element){.name = token->name, .length = token->name_length};
        if (e->length == token->name_length && memcmp(e->name, token->name, e->length) == 0)
            return e;
    }
    return NULL;
}

static bool is_blank(const drt_markup_token *token) {
    for (size_t i = 0; i < token->length; i++)
        if ((unsigned char)token->data[i] > ' ')
            return false;
    return true;
}

/* Counts which elements stand beside text: right behind it as they begin, right before it as they end. */
static bool count_elements(document *d, const char *data, size_t length) {
    drt_markup markup = {.data = data, .length = length, .xml = true};
    drt_markup_token token;
    element *ended = NULL;
    bool text = false;
    for (size_t n = 1; drt_markup_next(&markup, &token); n++) {
        bool visible = token.kind == DRT_MARKUP_TEXT && !is_blank(&token);
        if (visible && ended)
            ended->beside++;
        if (token.kind != DRT_MARKUP_TEXT) {
            element *e = token.name_length ? find_element(d->elements, &token) : NULL;
            bool start = token.kind == DRT_MARKUP_START;
            if (e && start) {
                e->all++;
                e->beside += text;
            }
            ended = start && !token.empty ? NULL : e;
        } else if (visible) {
            ended = NULL;
        }
        text = visible;
        if (n % STEP == 0 && drt_cancelled(d->context))
            return false;
    }
    d->cut = markup.cut;
    return true;
}

static bool is_inline(const document *d, const drt_markup_token *token) {
    const element *e = token->name_length ? find_element(d->elements, token) : NULL;
    return e && e->beside * 2 > e->all;
}

/* Feeds have their articles as HTML inside the XML: the first tag in the text tells. */
static bool is_page(const drt_buffer *text) {
    static const char *const tags[] = {"p",  "div",   "a",  "img", "span", "br", "h1", "h2",
                                       "h3", "table", "ul", "ol",  "em",   "b",  "i",  "strong"};
    drt_markup markup = {.data = text->data, .length = text->length};
    drt_markup_token token = {0};
    bool found = false;
    while (drt_markup_next(&markup, &token) && token.kind != DRT_MARKUP_START)
        ;
    for (size_t i = 0; token.kind == DRT_MARKUP_START && i < sizeof tags / sizeof *tags; i++)
        found |= drt_markup_is(&token, tags[i]);
    return found;
}

static void add_text(document *d, const drt_markup_token *token) {
    bool cut = false;
    d->decoded.length = 0;
    if (is_blank(token)) {
        drt_text_add(&d->text, token->data, token->length);
        return;
    }
    if (token->literal ? !drt_buffer_append(&d->decoded, token->data, token->length)
                       : !drt_markup_decode(&d->decoded, token->data, token->length)) {
        d->failed = true;
        return;
    }
    if (d->edges > 2 || (d->edges > 0 && (d->last > SHORT || d->decoded.length > SHORT)))
        drt_text_paragraph(&d->text);
    else if (d->edges > 0)
        drt_text_line(&d->text);
    d->edges = 0;
    d->piece += d->decoded.length;
    if (is_page(&d->decoded))
        d->failed |=
            drt_html_read(d->context, d->decoded.data, d->decoded.length, false, &d->text, NULL, &cut) != DRT_OK;
    else
        drt_text_add(&d->text, d->decoded.data, d->decoded.length);
    d->cut |= cut;
}

static void take_tag(document *d, const drt_markup_token *token) {
    if (drt_markup_is(token, "br") || drt_markup_is(token, "lb"))
        drt_text_line(&d->text);
    if (is_inline(d, token))
        return;
    if (d->edges == 0) {
        d->last = d->piece;
        d->piece = 0;
    }
    d->edges += token->empty ? 2 : 1;
}

/* What is called a title first is the document's. */
static void take_title(document *d, const drt_markup *markup, const drt_markup_token *token) {
    drt_markup ahead = *markup;
    drt_string line;
    if (d->extract->title.data || token->kind != DRT_MARKUP_START || !drt_markup_is(token, "title"))
        return;
    d->failed |= !drt_xml_line(&ahead, token, &line);
    drt_xml_take_title(d->extract, &line);
}

static drt_status read_document(document *d, const char *data, size_t length) {
    drt_markup markup = {.data = data, .length = length, .xml = true};
    drt_markup_token token;
    for (size_t n = 1; !d->failed && drt_markup_next(&markup, &token); n++) {
        if (token.kind == DRT_MARKUP_TEXT) {
            add_text(d, &token);
        } else {
            take_title(d, &markup, &token);
            take_tag(d, &token);
        }
        if (n % STEP == 0 && drt_cancelled(d->context))
            return DRT_FAILED;
    }
    return DRT_OK;
}

/* Is there markup at all? Otherwise it is a text by a name that misleads. */
static bool has_root(const char *data, size_t length, drt_markup_token *root) {
    drt_format_probe probe = {.head = data, .head_length = length < DRT_FORMAT_HEAD ? length : DRT_FORMAT_HEAD};
    return drt_xml_root(&probe, root);
}

static bool note_losses(const document *d, const drt_charset_facts *facts) {
    return drt_extract_note_charset(d->extract, facts->replacements, facts->guessed ? facts->name : NULL) &&
           (!d->cut || drt_extract_note(d->extract, DRT_DOCUMENT_PARTIAL,
                                        "it ends inside a tag or a comment, which may hide text"));
}

/* What has all its text in attributes is better read as it stands, but a picture is no text. */
static drt_status read_as_text(drt_context *context, const drt_format_input *input, bool picture,
                               drt_extract *extract) {
    if (!picture)
        return drt_format_text_extract(context, input, extract);
    return drt_extract_note(extract, DRT_DOCUMENT_SKIPPED, "it is a picture without words")
               ? DRT_OK
               : drt_fail_memory(context, "a document");
}

drt_status drt_format_xml_extract(drt_context *context, const drt_format_input *input, drt_extract *extract) {
    document d = {.context = context, .extract = extract, .elements = calloc(NAMES, sizeof *d.elements)};
    drt_buffer decoded = {0};
    drt_charset_facts facts;
    drt_markup_token root = {0};
    if (!d.elements)
        return drt_fail_memory(context, "a document");
    drt_status status = drt_markup_to_utf8(context, input->data, input->length, &decoded, &facts);
    const char *data = decoded.data ? decoded.data : "";
    bool markup = status == DRT_OK && has_root(data, decoded.length, &root), picture = drt_markup_is(&root, "svg");
    drt_text_start(&d.text, &extract->text);
    if (markup)
        status = count_elements(&d, data, decoded.length) ? read_document(&d, data, decoded.length) : DRT_FAILED;
    bool ok = drt_text_finish(&d.text) && !d.failed;
    drt_buffer_free(&d.decoded);
    drt_buffer_free(&decoded);
    free(d.elements);
    if (drt_cancelled(context))
        return DRT_FAILED;
    if (status == DRT_OK && ok && extract->text.length == 0)
        return read_as_text(context, input, picture, extract);
    if (status == DRT_OK && !(ok && note_losses(&d, &facts)))
        return drt_fail_memory(context, "a document");
    return status;
}

bool drt_format_xml_detect(const drt_format_probe *probe) {
    drt_markup_token root;
    size_t at = probe->head_length >= 3 && memcmp(probe->head, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    return probe->head_length > at + 6 && memcmp(probe->head + at, "<?xml", 5) == 0 &&
           memchr(" \t\r\n", probe->head[at + 5], 4) && drt_xml_root(probe, &root);
}
