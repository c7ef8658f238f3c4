/* markdown_front.c: what stands before a Markdown text: title, authors and date in YAML ("---"), TOML ("+++") or as lines
 * that begin with "%". See markdown.h. */
#include "engine/corpus/formats/markdown.h"

#include "engine/corpus/formats/xml.h"
#include "engine/corpus/normalise.h"
#include "engine/corpus/slice.h"

#define LONG 1000 /* bytes of a value behind which its further lines are left out */

typedef struct {
    drt_extract *extract;
    bool toml;
    bool authors;     /* the list that is being read is of authors */
    drt_string *text; /* a value that goes on over indented lines belongs there */
} front;

static drt_slice trim(drt_slice s) {
    return drt_slice_trim(s);
}

/* A value without quotes, or without the comment behind it and YAML's name of its type before it. */
static drt_slice bare(drt_slice value) {
    value = trim(value);
    if (drt_slice_begins(value, "!!"))
        while (value.length > 0 && value.data[0] != ' ')
            value = drt_slice_skip(value, 1);
    value = trim(value);
    char quote = value.length ? value.data[0] : 0;
    if (quote == '"' || quote == '\'') {
        const char *end = memchr(value.data + 1, quote, value.length - 1);
        while (end && quote == '"' && end[-1] == '\\')
            end = memchr(end + 1, quote, value.length - (size_t)(end + 1 - value.data));
        return end ? (drt_slice){value.data + 1, (size_t)(end - value.data) - 1} : value;
    }
    for (size_t i = 1; i < value.length; i++)
        if (value.data[i] == '#' && isspace((unsigned char)value.data[i - 1]))
            value.length = i;
    return trim(value);
}

static bool take_value(drt_slice value, drt_string *out) {
    value = bare(value);
    drt_string_free(out);
    *out = (drt_string){0};
    return drt_text_single_line(value.data, value.length, out);
}

/* "Ada", "- Ada", "- name: Ada", "{name: Ada, ...}": one author. */
static bool take_author(front *f, drt_slice value) {
    value = trim(value);
    if (value.length > 0 && (value.data[0] == '-' || value.data[0] == '{'))
        value = trim(drt_slice_skip(value, 1));
    if (drt_slice_begins(value, "name:"))
        value = trim(drt_slice_skip(value, 5));
    drt_string author = {0};
    return take_value(value, &author) && drt_xml_take_author(f->extract, &author);
}

/* Length of a list's first item: commas in quotes are none of the list's. */
static size_t item_length(drt_slice list) {
    char quote = 0;
    size_t n = 0;
    for (; n < list.length && (quote || list.data[n] != ','); n++) {
        char c = list.data[n];
        if (c == '"' || (c == '\'' && !(n > 0 && isalnum((unsigned char)list.data[n - 1]))))
            quote = quote == c ? 0 : quote ? quote : c;
        else if (c == quote)
            quote = 0;
    }
    return n;
}

/* "Ada", or "[Ada, Bo]". */
static bool take_authors(front *f, drt_slice value) {
    bool ok = true;
    value = trim(value);
    if (value.length < 2 || value.data[0] != '[')
        return value.length == 0 || take_author(f, value);
    const char *end = memchr(value.data, ']', value.length);
    drt_slice rest = {value.data + 1, (end ? (size_t)(end - value.data) : value.length) - 1};
    while (ok && rest.length > 0) {
        size_t n = item_length(rest);
        ok = take_author(f, (drt_slice){rest.data, n});
        rest = drt_slice_skip(rest, n < rest.length ? n + 1 : n);
    }
    return ok;
}

/* Is this an item of the list that "author:" began? Other keys of such an item (an address) are none. */
static bool is_author_item(drt_slice entry) {
    drt_slice s = trim(entry);
    return s.length > 1 && s.data[0] == '-' &&
           (!memchr(s.data, ':', s.length) || drt_slice_begins(trim(drt_slice_skip(s, 1)), "name:"));
}

/* A line of a value that began with "|" or ">". */
static bool take_continuation(drt_string *text, drt_slice line) {
    drt_buffer joined = {0};
    if (text->length > LONG)
        return true;
    line = trim(line);
    bool ok = drt_buffer_append(&joined, text->data ? text->data : "", text->length) &&
              drt_buffer_append_text(&joined, text->length ? " " : "") &&
              drt_buffer_append(&joined, line.data, line.length);
    drt_string_free(text);
    *text = (drt_string){0};
    ok = ok && drt_text_single_line(joined.data, joined.length, text);
    drt_buffer_free(&joined);
    return ok;
}

static bool is_key(drt_slice key, const char *word) {
    key = bare(key);
    return drt_slice_is(key, word);
}

static bool take_entry(front *f, drt_slice entry) {
    const char *mark = entry.length ? memchr(entry.data, f->toml ? '=' : ':', entry.length) : NULL;
    bool inside = entry.length > 0 && isspace((unsigned char)entry.data[0]);
    if (f->text && inside)
        return take_continuation(f->text, entry);
    f->text = NULL;
    if (f->authors && is_author_item(entry))
        return take_author(f, entry);
    if (!mark || inside)
        return true;
    drt_slice key = {entry.data, (size_t)(mark - entry.data)}, value = trim(drt_slice_skip(entry, key.length + 1));
    f->authors = is_key(key, "author") || is_key(key, "authors");
    drt_string *to = is_key(key, "title")                            ? &f->extract->title
                     : is_key(key, "date") || is_key(key, "pubdate") ? &f->extract->date
                                                                     : NULL;
    if (!to)
        return !f->authors || take_authors(f, value);
    if (value.length > 0 && value.length <= 2 && (*value.data == '|' || *value.data == '>')) {
        drt_string_free(to);
        *to = (drt_string){0};
        f->text = to;
        return true;
    }
    return take_value(value, to);
}

/* "key: value" lines between two lines of marks at the very beginning. Without the second one nothing is taken. */
static bool take_block(front *f, drt_slice *rest) {
    drt_slice ahead = *rest, line = trim(drt_slice_line(&ahead));
    f->toml = drt_slice_is(line, "+++");
    if (!f->toml && !drt_slice_is(line, "---"))
        return true;
    drt_slice body = ahead;
    do {
        if (ahead.length == 0)
            return true;
        line = trim(drt_slice_line(&ahead));
    } while (f->toml ? !drt_slice_is(line, "+++") : !drt_slice_is(line, "---") && !drt_slice_is(line, "..."));
    *rest = ahead;
    bool ok = true, table = false; /* keys of TOML's tables are others */
    while (ok && body.data < line.data && !table) {
        drt_slice entry = drt_slice_line(&body);
        table = f->toml && drt_slice_begins(trim(entry), "[");
        ok = table || take_entry(f, entry);
    }
    return ok;
}

/* "% Title", "% Ada; Bo", "% 17 May 2019". */
static bool take_percents(front *f, drt_slice *rest) {
    bool ok = true;
    for (int i = 0; ok && i < 3 && drt_slice_begins(*rest, "%"); i++) {
        drt_slice line = trim(drt_slice_skip(drt_slice_line(rest), 1));
        drt_string value;
        ok = drt_text_single_line(line.data, line.length, &value);
        if (i == 0)
            drt_xml_take_title(f->extract, &value);
        else if (i == 1)
            ok = ok && drt_xml_take_authors(f->extract, &value);
        else
            drt_xml_take_date(f->extract, &value);
    }
    return ok;
}

bool drt_markdown_front(const char **data, size_t *length, drt_extract *extract) {
    front f = {.extract = extract};
    drt_slice rest = {*data, *length};
    bool ok = drt_slice_begins(rest, "% ") ? take_percents(&f, &rest) : take_block(&f, &rest);
    *data = rest.data;
    *length = rest.length;
    return ok;
}
