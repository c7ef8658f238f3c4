/* bibliography.c: lists of references that are data. See bibliography.h. */
#include "engine/corpus/tex/bibliography.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define VALUE (1u << 20) /* bytes that one may have */
#define BROKEN 100       /* entries that don't end; then the rest isn't a list */

typedef enum {
    AUTHOR,
    EDITOR,
    TITLE,
    JOURNAL,
    VOLUME,
    NUMBER,
    PAGES,
    PUBLISHER,
    YEAR,
    NOTE,
    DOI,
    URL,
    ABSTRACT,
    FIELDS
} field;

typedef struct {
    const char *key;
    size_t key_length;
    drt_buffer fields[FIELDS];
    bool broken; /* something in it doesn't end */
    bool failed;
} entry;

typedef struct {
    const char *data;
    size_t length;
} slice;

/* FIELDS: it isn't shown. */
static field field_of(const char *name, size_t length) {
    static const struct {
        const char *name;
        field field;
    } names[] = {{"author", AUTHOR},
                 {"editor", EDITOR},
                 {"title", TITLE},
                 {"journal", JOURNAL},
                 {"journaltitle", JOURNAL},
                 {"booktitle", JOURNAL},
                 {"volume", VOLUME},
                 {"number", NUMBER},
                 {"pages", PAGES},
                 {"eprint", NOTE},
                 {"publisher", PUBLISHER},
                 {"school", PUBLISHER},
                 {"institution", PUBLISHER},
                 {"organization", PUBLISHER},
                 {"howpublished", PUBLISHER},
                 {"year", YEAR},
                 {"date", YEAR},
                 {"note", NOTE},
                 {"doi", DOI},
                 {"url", URL},
                 {"abstract", ABSTRACT}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i].name) == length && strncasecmp(names[i].name, name, length) == 0)
            return names[i].field;
    return FIELDS;
}

static size_t skip_space(slice text, size_t at) {
    while (at < text.length && isspace((unsigned char)text.data[at]))
        at++;
    return at;
}

/* Behind what is in braces, parentheses or quotes at `at`; 0: it doesn't end. */
static size_t pass(slice text, size_t at) {
    char close = text.data[at] == '(' ? ')' : text.data[at] == '"' ? '"' : '}';
    int depth = 0;
    for (size_t i = at + 1; i < text.length && i - at < VALUE; i++) {
        char c = text.data[i];
        if (depth == 0 && c == close)
            return i + 1;
        depth += c == '{' ? 1 : c == '}' ? -1 : 0;
        i += c == '\\';
    }
    return 0;
}

/* ------------------------------------------------------------------ output ---- */

/* Signs that mean something to TeX but nothing to BibTeX. */
static bool append_escaped(drt_buffer *out, const char *data, size_t length) {
    bool ok = true;
    for (size_t i = 0; ok && i < length; i++) {
        bool escaped = i > 0 && data[i - 1] == '\\';
        ok = (!strchr("%&#", data[i]) || !data[i] || escaped || drt_buffer_append_byte(out, '\\')) &&
             drt_buffer_append_byte(out, data[i]);
    }
    return ok;
}

static void put(entry *e, drt_buffer *out, const char *before, field which, const char *after) {
    const drt_buffer *value = &e->fields[which];
    if (value->length > 0)
        e->failed |= !drt_buffer_append_text(out, before) || !append_escaped(out, value->data, value->length) ||
                     !drt_buffer_append_text(out, after);
}

/* "Renn, Ada" -> "Ada Renn". */
static void put_name(entry *e, drt_buffer *out, slice name) {
    const char *comma = name.length ? memchr(name.data, ',', name.length) : NULL;
    size_t last = comma ? (size_t)(comma - name.data) : 0;
    if (name.length == 6 && memcmp(name.data, "others", 6) == 0) {
        e->failed |= !drt_buffer_append_text(out, "et al.");
        return;
    }
    size_t first = comma ? skip_space(name, last + 1) : 0;
    e->failed |= !append_escaped(out, name.data + first, name.length - first);
    if (comma)
        e->failed |= !drt_buffer_append_byte(out, ' ') || !append_escaped(out, name.data, last);
}

/* "A and B and C" -> "A, B, C". */
static void put_names(entry *e, drt_buffer *out, const drt_buffer *names) {
    int depth = 0;
    size_t from = 0;
    for (size_t at = 0; at <= names->length; at++) {
        bool end = at == names->length;
        bool and = !end && depth == 0 && names->length - at > 5 && isspace((unsigned char)names->data[at]) &&
                   memcmp(names->data + at + 1, "and", 3) == 0 && isspace((unsigned char)names->data[at + 4]);
        depth += end ? 0 : names->data[at] == '{' ? 1 : names->data[at] == '}' ? -1 : 0;
        if (!end && !and)
            continue;
        e->failed |= from > 0 && !drt_buffer_append_text(out, ", ");
        put_name(e, out, (slice){names->data + from, at - from});
        from = at + 5;
        at += and? 4 : 0;
    }
    bool dot = out->length > 0 && out->data[out->length - 1] == '.';
    e->failed |= !drt_buffer_append_text(out, dot ? " " : ". ");
}

static void write_entry(entry *e, drt_buffer *out) {
    const drt_buffer *names = &e->fields[e->fields[AUTHOR].length ? AUTHOR : EDITOR];
    e->failed |= !drt_buffer_append_text(out, "\n\\bibitem[") || !drt_buffer_append(out, e->key, e->key_length) ||
                 !drt_buffer_append_text(out, "]{") || !drt_buffer_append(out, e->key, e->key_length) ||
                 !drt_buffer_append_text(out, "} ");
    if (names->length > 0)
        put_names(e, out, names);
    put(e, out, "", TITLE, ". ");
    put(e, out, "", JOURNAL, e->fields[VOLUME].length || e->fields[PAGES].length ? "" : ". ");
    put(e, out, " ", VOLUME, "");
    put(e, out, "(", NUMBER, ")");
    put(e, out, ", ", PAGES, "");
    e->failed |= (e->fields[VOLUME].length || e->fields[PAGES].length) && !drt_buffer_append_text(out, ". ");
    put(e, out, "", PUBLISHER, e->fields[YEAR].length ? ", " : ". ");
    put(e, out, "", YEAR, ". ");
    put(e, out, "", NOTE, ". ");
    put(e, out, "doi:", DOI, ". ");
    put(e, out, "", URL, " ");
    put(e, out, "", ABSTRACT, "");
}

/* Writes it if it is wanted, and empties it. */
static bool finish(entry *e, const drt_bibliography_filter *filter, drt_buffer *out) {
    size_t filled = 0;
    for (size_t i = 0; i < FIELDS; i++)
        filled += e->fields[i].length > 0;
    if (filled > 0 && (!filter || filter->wanted(filter->user, e->key, e->key_length)))
        write_entry(e, out);
    for (size_t i = 0; i < FIELDS; i++)
        drt_buffer_free(&e->fields[i]);
    return !e->failed;
}

/* ------------------------------------------------------------------ BibTeX ---- */

/* {value}, "value", bare # {value}; where it ends, 0: it doesn't. Parts go into the field, if it is shown and empty. */
static size_t read_value(slice text, size_t at, entry *e, field which) {
    drt_buffer *value = which < FIELDS && e->fields[which].length == 0 ? &e->fields[which] : NULL;
    for (bool more = true; more;) {
        at = skip_space(text, at);
        if (at == text.length)
            return 0;
        bool quoted = text.data[at] == '{' || text.data[at] == '"';
        size_t end = at;
        if (quoted)
            end = pass(text, at);
        else
            while (end < text.length && !isspace((unsigned char)text.data[end]) && !strchr(",#})", text.data[end]))
                end++;
        if (end <= at)
            return 0;
        if (value)
            e->failed |= !drt_buffer_append(value, text.data + at + quoted, end - at - 2 * quoted);
        at = skip_space(text, end);
        more = at < text.length && text.data[at] == '#';
        at += more;
    }
    return at;
}

/* The fields behind the key, up to the end of the entry. */
static size_t read_fields(slice text, size_t at, entry *e) {
    while ((at = skip_space(text, at)) < text.length && text.data[at] != '}' && text.data[at] != ')') {
        if (text.data[at] == ',') {
            at++;
            continue;
        }
        size_t name = at;
        while (at < text.length && (isalnum((unsigned char)text.data[at]) || strchr("-_:.+", text.data[at])) &&
               text.data[at])
            at++;
        field which = field_of(text.data + name, at - name);
        size_t equals = skip_space(text, at);
        if (at == name || equals == text.length || text.data[equals] != '=')
            return at;
        size_t end = read_value(text, equals + 1, e, which);
        e->broken = end == 0;
        if (e->broken)
            return equals;
        at = end;
    }
    return at;
}

bool drt_bibtex_write(const char *data, size_t length, const drt_bibliography_filter *filter, drt_buffer *out) {
    slice text = {data, length};
    size_t broken = 0;
    bool ok = true;
    for (size_t at = 0; ok && at < length && broken < BROKEN;) {
        const char *mark = memchr(data + at, '@', length - at);
        if (!mark)
            break;
        size_t type = (size_t)(mark - data) + 1, end = type;
        while (end < length && isalpha((unsigned char)data[end]))
            end++;
        size_t open = skip_space(text, end);
        at = end;
        if (end == type || open == length || (data[open] != '{' && data[open] != '('))
            continue;
        size_t n = end - type;
        if ((n == 7 && strncasecmp(data + type, "comment", n) == 0) ||
            (n == 8 && strncasecmp(data + type, "preamble", n) == 0) ||
            (n == 6 && strncasecmp(data + type, "string", n) == 0)) {
            size_t behind = pass(text, open);
            broken += behind == 0;
            at = behind ? behind : open + 1;
            continue;
        }
        entry e = {.key = data + skip_space(text, open + 1)};
        size_t key = (size_t)(e.key - data);
        while (key + e.key_length < length && !strchr(", \n\r\t{}", data[key + e.key_length]))
            e.key_length++;
        at = read_fields(text, key + e.key_length, &e);
        broken += e.broken;
        ok = finish(&e, filter, out);
    }
    return ok;
}

/* ------------------------------------------------------------------ biblatex ---- */

/* The group that begins at or behind `at` on white space, "%" and line ends; where it ends, 0: there is none. */
static size_t read_group(slice text, size_t at, slice *group) {
    while (at < text.length && (isspace((unsigned char)text.data[at]) || text.data[at] == '%'))
        at++;
    size_t end = at < text.length && text.data[at] == '{' ? pass(text, at) : 0;
    if (end)
        *group = (slice){text.data + at + 1, end - at - 2};
    return end;
}

/* The value of "name={...}" at or behind *at. */
static bool find_part(slice text, const char *name, size_t *at, slice *value) {
    size_t n = strlen(name);
    for (size_t i = *at; i + n < text.length; i++) {
        bool apart = i == 0 || !isalpha((unsigned char)text.data[i - 1]);
        if (!apart || memcmp(text.data + i, name, n) != 0)
            continue;
        size_t end = read_group(text, i + n, value);
        if (end) {
            *at = end;
            return true;
        }
    }
    return false;
}

/* family={Renn}, given={Ada} of each -> "Ada Renn and Bo Tarn". */
static void take_names(entry *e, field which, slice names) {
    drt_buffer *value = &e->fields[which];
    slice family, given, next;
    size_t at = 0;
    bool ok = true;
    for (bool first = true; ok && find_part(names, "family=", &at, &family); first = false) {
        size_t behind = at, another = at;
        bool last = !find_part(names, "family=", &another, &next);
        bool has_given = find_part((slice){names.data, last ? names.length : another}, "given=", &behind, &given);
        ok = (first || drt_buffer_append_text(value, " and ")) &&
             (!has_given ||
              (drt_buffer_append(value, given.data, given.length) && drt_buffer_append_byte(value, ' '))) &&
             drt_buffer_append(value, family.data, family.length);
    }
    e->failed |= !ok;
}

/* Comments out, with the white space that begins the next line. */
static bool append_uncommented(drt_buffer *out, slice text) {
    bool ok = true;
    for (size_t at = 0; ok && at < text.length;) {
        const char *from = text.data + at, *mark = memchr(from, '%', text.length - at);
        bool escaped = mark && mark > from && mark[-1] == '\\';
        size_t n = mark ? (size_t)(mark - from) + escaped : text.length - at;
        ok = drt_buffer_append(out, from, n);
        at += n;
        const char *end = mark && !escaped ? memchr(mark, '\n', (size_t)(text.data + text.length - mark)) : NULL;
        if (mark && !escaped)
            at = end ? skip_space(text, (size_t)(end - text.data)) : text.length;
    }
    return ok;
}

static bool starts(slice text, size_t at, const char *word) {
    size_t n = strlen(word);
    return text.length - at >= n && memcmp(text.data + at, word, n) == 0;
}

/* \field{title}{...}, \name{author}{1}{}{...}, \list{publisher}{1}{{...}} */
static void take_command(entry *e, slice text, size_t at) {
    int groups = starts(text, at, "\\field{")  ? 2
                 : starts(text, at, "\\list{") ? 3
                 : starts(text, at, "\\name{") ? 4
                                               : 0;
    slice name = {0}, value = {0};
    for (size_t i = 0, from = at + (groups == 2 ? 6 : 5); groups && (int)i < groups; i++)
        if ((from = read_group(text, from, i == 0 ? &name : &value)) == 0) {
            e->broken = true;
            return;
        }
    field which = groups ? field_of(name.data, name.length) : FIELDS;
    if (which == FIELDS || e->fields[which].length > 0)
        return;
    if (groups == 4)
        take_names(e, which, value);
    else
        e->failed |= !append_uncommented(&e->fields[which], value);
}

bool drt_biblatex_write(const char *data, size_t length, const drt_bibliography_filter *filter, drt_buffer *out) {
    slice text = {data, length}, key = {0};
    entry e = {0};
    bool ok = true, open = false;
    size_t broken = 0;
    for (size_t at = 0; ok && at < length && broken < BROKEN; at++) {
        const char *next = memchr(data + at, '\\', length - at);
        if (!next)
            break;
        at = (size_t)(next - data);
        if (starts(text, at, "\\entry{")) {
            if (read_group(text, at + 6, &key) == 0) {
                broken++;
                continue;
            }
            ok = !open || finish(&e, filter, out);
            e = (entry){.key = key.data, .key_length = key.length};
            open = true;
        } else if (open && starts(text, at, "\\endentry")) {
            ok = finish(&e, filter, out);
            e = (entry){0};
            open = false;
        } else if (open) {
            take_command(&e, text, at);
            broken += e.broken;
            e.broken = false;
        }
    }
    return (open ? finish(&e, filter, out) : true) && ok;
}
