/* markup.c: HTML and XML as a flat run of tags and text. See markup.h. */
#include "engine/corpus/formats/markup.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include <libxml/HTMLparser.h>

#include "engine/base/utf8.h"
#include "engine/corpus/formats/entities.h"

#define DECLARATION_BYTES (1u << 20) /* of a page that are searched for its encoding */

static bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_alpha(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool equals(const char *data, size_t length, const char *word) {
    return strlen(word) == length && strncasecmp(data, word, length) == 0;
}

/* Position of `word` at or after `at`, any case; length when there is none. */
static size_t find(const drt_markup *markup, size_t at, const char *word) {
    size_t n = strlen(word);
    for (; at + n <= markup->length; at++) {
        const char *first = memchr(markup->data + at, word[0], markup->length - n + 1 - at);
        if (!first)
            break;
        at = (size_t)(first - markup->data);
        if (strncasecmp(first, word, n) == 0)
            return at;
    }
    return markup->length;
}

/* Passes what begins at `at` and ends with `close`. */
static void pass(drt_markup *markup, size_t at, const char *close) {
    size_t end = find(markup, at, close);
    markup->cut |= end == markup->length;
    markup->at = end == markup->length ? end : end + strlen(close);
}

/* The position behind a comment or quoted string that begins at `at`, or `at` itself. */
static size_t pass_quoted(const drt_markup *markup, size_t at) {
    char c = markup->data[at];
    if (c == '"' || c == '\'') {
        const char *end = memchr(markup->data + at + 1, c, markup->length - at - 1);
        return end ? (size_t)(end - markup->data) + 1 : markup->length;
    }
    if (c == '<' && markup->length - at >= 4 && memcmp(markup->data + at, "<!--", 4) == 0)
        return find(markup, at + 4, "-->");
    return at;
}

/* <!DOCTYPE ...>, with an internal subset in brackets or without. */
static void pass_declaration(drt_markup *markup) {
    size_t at = markup->at, close = find(markup, at, ">");
    const char *bracket = memchr(markup->data + at, '[', close - at);
    if (!bracket) {
        pass(markup, at, ">");
        return;
    }
    for (at = (size_t)(bracket - markup->data) + 1; at < markup->length;) {
        size_t behind = pass_quoted(markup, at);
        if (behind == at && markup->data[at] == ']')
            break;
        at = behind == at ? at + 1 : behind;
    }
    pass(markup, at, ">");
}

/* End of the tag whose inside begins at `at`: the position of its ">"; quotes hide it. */
static size_t tag_end(const drt_markup *markup, size_t at) {
    char quote = 0;
    bool value = false; /* a quote opens only behind "=" */
    for (; at < markup->length; at++) {
        char c = markup->data[at];
        if (quote)
            quote = c == quote ? 0 : quote;
        else if (c == '>')
            break;
        else if ((c == '"' || c == '\'') && value)
            quote = c;
        if (!is_space(c))
            value = c == '=' && !quote;
    }
    return at;
}

static void read_tag(drt_markup *markup, drt_markup_token *token) {
    size_t start = markup->at + (token->kind == DRT_MARKUP_END ? 2 : 1), at = start;
    while (at < markup->length && !is_space(markup->data[at]) && markup->data[at] != '>' && markup->data[at] != '/')
        at++;
    token->name = markup->data + start;
    token->name_length = at - start;
    const char *colon = memchr(token->name, ':', token->name_length);
    if (colon) {
        token->prefix_length = (size_t)(colon - token->name);
        token->name_length -= token->prefix_length + 1;
        token->name = colon + 1;
    }
    size_t end = tag_end(markup, at);
    markup->cut |= end == markup->length;
    token->data = markup->data + at;
    token->length = end - at;
    token->empty = token->kind == DRT_MARKUP_START && end > at && markup->data[end - 1] == '/';
    markup->at = end < markup->length ? end + 1 : end;
}

/* "<" begins something other than text? Then *kind says which tag it is, or that it is passed over. */
static bool begins_markup(const drt_markup *markup, size_t at, drt_markup_kind *kind, bool *passed) {
    size_t left = markup->length - at;
    const char *data = markup->data + at;
    *passed = left > 1 && (data[1] == '!' || data[1] == '?' || (data[1] == '/' && left > 2 && !is_alpha(data[2])));
    *kind = left > 1 && data[1] == '/' ? DRT_MARKUP_END : DRT_MARKUP_START;
    return *passed || (left > 1 && is_alpha(data[1])) || (left > 2 && data[1] == '/');
}

static bool starts(const drt_markup *markup, const char *word) {
    size_t n = strlen(word);
    return markup->length - markup->at >= n && strncasecmp(markup->data + markup->at, word, n) == 0;
}

/* Passes a comment, declaration or instruction; true: it was a CDATA section, which is text. */
static bool pass_over(drt_markup *markup, drt_markup_token *token) {
    size_t at = markup->at;
    if (markup->xml && starts(markup, "<![CDATA[")) {
        *token = (drt_markup_token){.kind = DRT_MARKUP_TEXT,
                                    .data = markup->data + at + 9,
                                    .length = find(markup, at + 9, "]]>") - at - 9,
                                    .literal = true};
        pass(markup, at + 9, "]]>");
        return true;
    }
    if (starts(markup, "<!-->"))
        markup->at += 5;
    else if (starts(markup, "<!--"))
        pass(markup, at + 4, "-->");
    else if (starts(markup, "<!doctype"))
        pass_declaration(markup);
    else if (starts(markup, "<?xml"))
        pass(markup, at, "?>");
    else
        pass(markup, at, ">");
    return false;
}

bool drt_markup_next(drt_markup *markup, drt_markup_token *token) {
    while (markup->at < markup->length) {
        *token = (drt_markup_token){.kind = DRT_MARKUP_TEXT, .data = markup->data + markup->at};
        drt_markup_kind kind;
        bool passed;
        if (markup->data[markup->at] == '<' && begins_markup(markup, markup->at, &kind, &passed)) {
            if (passed && !pass_over(markup, token))
                continue;
            if (!passed) {
                token->kind = kind;
                read_tag(markup, token);
            }
            return true;
        }
        const char *next = memchr(token->data + 1, '<', markup->length - markup->at - 1);
        token->length = next ? (size_t)(next - token->data) : markup->length - markup->at;
        markup->at += token->length;
        return true;
    }
    return false;
}

void drt_markup_raw(drt_markup *markup, const drt_markup_token *start, drt_markup_token *content) {
    size_t from = markup->at, at = from;
    *content = (drt_markup_token){.kind = DRT_MARKUP_TEXT, .data = markup->data + from};
    for (; (at = find(markup, at, "</")) < markup->length; at += 2) {
        const char *name = markup->data + at + 2;
        size_t left = markup->length - at - 2;
        const char *colon = memchr(name, ':', left < 32 ? left : 32);
        if (markup->xml && colon && colon < name + left && left > (size_t)(colon + 1 - name) &&
            !memchr(name, '>', (size_t)(colon - name))) {
            left -= (size_t)(colon + 1 - name);
            name = colon + 1;
        }
        if (left >= start->name_length && strncasecmp(name, start->name, start->name_length) == 0 &&
            (left == start->name_length || !isalnum((unsigned char)name[start->name_length])))
            break;
    }
    content->length = at - from;
    markup->at = at;
    if (at == markup->length)
        markup->cut = true;
    else
        pass(markup, at, ">");
}

bool drt_markup_is(const drt_markup_token *token, const char *name) {
    return equals(token->name, token->name_length, name);
}

/* ---------------------------------------------------------- attributes ---- */

bool drt_markup_next_attribute(const drt_markup_token *token, size_t *at, drt_markup_attribute *attribute) {
    const char *data = token->data;
    size_t i = *at, length = token->length;
    while (i < length && (is_space(data[i]) || data[i] == '/' || data[i] == '='))
        i++;
    if (i == length)
        return false;
    size_t name = i;
    while (i < length && !is_space(data[i]) && data[i] != '=' && data[i] != '/')
        i++;
    *attribute = (drt_markup_attribute){.name = data + name, .name_length = i - name, .value = ""};
    while (i < length && is_space(data[i]))
        i++;
    if (i < length && data[i] == '=') {
        for (i++; i < length && is_space(data[i]);)
            i++;
        char quote = i < length && (data[i] == '"' || data[i] == '\'') ? data[i++] : 0;
        size_t value = i;
        while (i < length && (quote ? data[i] != quote : !is_space(data[i])))
            i++;
        attribute->value = data + value;
        attribute->value_length = i - value;
        i += quote && i < length;
    }
    *at = i;
    return true;
}

bool drt_markup_find(const drt_markup_token *token, const char *name, drt_markup_attribute *attribute) {
    for (size_t at = 0; drt_markup_next_attribute(token, &at, attribute);) {
        const char *colon = memchr(attribute->name, ':', attribute->name_length);
        size_t skip = colon ? (size_t)(colon + 1 - attribute->name) : 0;
        if (equals(attribute->name + skip, attribute->name_length - skip, name))
            return true;
    }
    return false;
}

bool drt_markup_value_is(const drt_markup_attribute *attribute, const char *value) {
    return equals(attribute->value, attribute->value_length, value);
}

/* ------------------------------------------------------------ entities ---- */

/* What HTML makes of the numbers of C1 control characters; 0: nothing is there. */
static const uint16_t windows_1252[32] = {0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                          0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017D, 0,
                                          0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                          0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

/* "&#123;" or "&#x7B;": its length and code point, 0: none. */
static size_t numeric_entity(const char *data, size_t length, uint32_t *code_point) {
    bool hex = length > 2 && (data[2] == 'x' || data[2] == 'X');
    size_t at = hex ? 3 : 2, first = at;
    uint32_t value = 0;
    for (; at < length && (hex ? isxdigit((unsigned char)data[at]) : isdigit((unsigned char)data[at])); at++) {
        int digit = isdigit((unsigned char)data[at]) ? data[at] - '0' : (data[at] | 0x20) - 'a' + 10;
        value = value > 0x110000 ? value : value * (hex ? 16 : 10) + (uint32_t)digit;
    }
    if (at == first)
        return 0;
    if (value >= 0x80 && value < 0xA0 && windows_1252[value - 0x80])
        value = windows_1252[value - 0x80];
    *code_point = value == 0 || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000) ? 0xFFFD : value;
    return at < length && data[at] == ';' ? at + 1 : at;
}

static bool named_code_point(const char *name, size_t length, uint32_t *code_point) {
    char key[16];
    if (length == 0 || length >= sizeof key)
        return false;
    memcpy(key, name, length);
    key[length] = 0;
    const htmlEntityDesc *entity = htmlEntityLookup((const xmlChar *)key);
    *code_point = entity ? entity->value : 0x27;
    return entity || strcmp(key, "apos") == 0;
}

/* "&eacute;", or one of Latin-1 without its semicolon. */
static size_t named_entity(const char *data, size_t length, uint32_t *code_point) {
    size_t n = 0;
    while (n < 12 && n + 1 < length && isalnum((unsigned char)data[n + 1]))
        n++;
    if (n + 1 < length && data[n + 1] == ';' &&
        (named_code_point(data + 1, n, code_point) || (*code_point = drt_entity_named(data + 1, n)) != 0))
        return n + 2;
    for (; n > 1; n--)
        if (named_code_point(data + 1, n, code_point) && *code_point < 0x100 && *code_point != 0x27)
            return n + 1;
    return 0;
}

bool drt_markup_decode(drt_buffer *out, const char *data, size_t length) {
    for (size_t at = 0; at < length;) {
        const char *next = memchr(data + at, '&', length - at);
        size_t plain = next ? (size_t)(next - data) - at : length - at;
        if (!drt_buffer_append(out, data + at, plain))
            return false;
        at += plain;
        if (at == length)
            break;
        uint32_t code_point;
        size_t n = at + 1 < length && data[at + 1] == '#' ? numeric_entity(data + at, length - at, &code_point)
                                                          : named_entity(data + at, length - at, &code_point);
        char bytes[4] = {'&'};
        size_t encoded = n ? drt_utf8_encode(code_point, bytes) : 1;
        if (!drt_buffer_append(out, bytes, encoded))
            return false;
        at += n ? n : 1;
    }
    return true;
}

/* ------------------------------------------------------------ encoding ---- */

/* "text/html; charset=utf-8" -> "utf-8". */
static bool charset_in_content(const drt_markup_attribute *content, const char **label, size_t *label_length) {
    for (size_t at = 0; at + 8 < content->value_length; at++) {
        if (strncasecmp(content->value + at, "charset=", 8) != 0)
            continue;
        *label = content->value + at + 8;
        *label_length = 0;
        while (at + 8 + *label_length < content->value_length && (*label)[*label_length] != ';')
            ++*label_length;
        return true;
    }
    return false;
}

static bool charset_in_meta(const drt_markup_token *token, const char **label, size_t *label_length) {
    drt_markup_attribute attribute;
    for (size_t at = 0; drt_markup_next_attribute(token, &at, &attribute);) {
        if (equals(attribute.name, attribute.name_length, "charset")) {
            *label = attribute.value;
            *label_length = attribute.value_length;
            return true;
        }
    }
    return drt_markup_find(token, "http-equiv", &attribute) && drt_markup_value_is(&attribute, "content-type") &&
           drt_markup_find(token, "content", &attribute) && charset_in_content(&attribute, label, label_length);
}

bool drt_markup_charset(const char *data, size_t length, const char **label, size_t *label_length) {
    drt_markup markup = {.data = data, .length = length < DECLARATION_BYTES ? length : DECLARATION_BYTES};
    drt_markup_token token = {0};
    drt_markup_attribute attribute;
    if (starts(&markup, "<?xml")) {
        size_t end = find(&markup, 0, "?>");
        token.data = data + 5;
        token.length = end > 5 ? end - 5 : 0;
        if (drt_markup_find(&token, "encoding", &attribute)) {
            *label = attribute.value;
            *label_length = attribute.value_length;
            return true;
        }
    }
    while (drt_markup_next(&markup, &token)) {
        if (token.kind != DRT_MARKUP_START)
            continue;
        if (drt_markup_is(&token, "body"))
            break;
        drt_markup_token content;
        if (drt_markup_is(&token, "meta") && charset_in_meta(&token, label, label_length))
            return true;
        if (drt_markup_is(&token, "script") || drt_markup_is(&token, "style") || drt_markup_is(&token, "title"))
            drt_markup_raw(&markup, &token, &content);
    }
    return false;
}

drt_status drt_markup_to_utf8(drt_context *context, const char *data, size_t length, drt_buffer *out,
                              drt_charset_facts *facts) {
    const char *label = NULL;
    size_t label_length = 0;
    drt_markup_charset(data, length, &label, &label_length);
    drt_status status = drt_charset_decode(context, data, length, label, label_length, out, facts);
    return status == DRT_OK && !drt_entities_expand(out) ? drt_fail_memory(context, "a document") : status;
}
