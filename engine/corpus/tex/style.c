/* style.c: definitions in styles and classes. See style.h. */
#include "engine/corpus/tex/style.h"

#include <ctype.h>
#include <string.h>

#include "engine/corpus/tex/tables.h"
#include "engine/corpus/tex/tex.h"

#define DEFINITION 8192 /* bytes that one may have */

typedef struct {
    const char *data;
    size_t length;
} slice;

/* Over white space and comments. */
static size_t skip_space(slice text, size_t at) {
    while (at < text.length && (isspace((unsigned char)text.data[at]) || text.data[at] == '%')) {
        const char *end = text.data[at] == '%' ? memchr(text.data + at, '\n', text.length - at) : text.data + at;
        at = end ? (size_t)(end - text.data) + 1 : text.length;
    }
    return at;
}

/* The same text up to so many bytes behind `at`. */
static slice near(slice text, size_t at) {
    return (slice){text.data, text.length - at < DEFINITION ? text.length : at + DEFINITION};
}

/* Behind the group or option that begins at `at`; 0: it doesn't end. */
static size_t pass(slice text, size_t at, char open, char close) {
    int depth = 0, braces = 0;
    for (size_t i = at; i < text.length; i++) {
        char c = text.data[i];
        if (c == '\\') {
            i++;
            continue;
        }
        if (c == '%') {
            const char *end = memchr(text.data + i, '\n', text.length - i);
            i = end ? (size_t)(end - text.data) : text.length;
            continue;
        }
        if (braces == 0 || open == '{')
            depth += c == open ? 1 : c == close ? -1 : 0;
        braces += c == '{' ? 1 : c == '}' ? -1 : 0;
        if (depth == 0)
            return i + 1;
    }
    return 0;
}

/* Behind a command with so many arguments in braces, or single control words, and options between them; 0: not so. */
static size_t pass_arguments(slice text, size_t at, int n) {
    at += at < text.length && text.data[at] == '*';
    while (n > 0) {
        at = skip_space(text, at);
        if (at == text.length)
            return 0;
        char c = text.data[at];
        size_t end = c == '{'    ? pass(text, at, '{', '}')
                     : c == '['  ? pass(text, at, '[', ']')
                     : c == '\\' ? at + drt_tex_control(text.data + at, text.length - at, true)
                                 : 0;
        if (end == 0)
            return 0;
        n -= c != '[';
        at = end;
    }
    return at;
}

/* Behind "\name#1#2{body}". */
static size_t pass_plain(slice text, size_t at) {
    at = skip_space(text, at);
    if (at == text.length || text.data[at] != '\\')
        return 0;
    const char *brace = memchr(text.data + at, '{', text.length - at);
    return brace ? pass(text, (size_t)(brace - text.data), '{', '}') : 0;
}

/* Does it set an environment that is known by its name? */
static bool sets_known(slice definition, size_t command) {
    const char *open = memchr(definition.data + command, '{', definition.length - command);
    const char *close = open ? memchr(open, '}', definition.length - (size_t)(open - definition.data)) : NULL;
    return close && tex_find_environment(open + 1, (size_t)(close - open) - 1) != NULL;
}

static bool is_simple(slice definition) {
    static const char *const signs[] = {"\\expandafter", "\\csname",  "\\futurelet", "\\halign",   "\\hbox to",
                                        "\\vbox to",     "\\catcode", "\\write",     "\\everypar", "\\afterassignment"};
    if (definition.length > DEFINITION || memchr(definition.data, '@', definition.length))
        return false;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (drt_tex_contains(definition.data, definition.length, signs[i]))
            return false;
    return true;
}

/* Where the definition ends that the control word at `at` begins; 0: it begins none. */
static size_t pass_definition(slice text, size_t at, size_t word_end, bool *environment) {
    static const struct {
        const char *name;
        int arguments; /* 0: as \def */
        bool environment;
    } commands[] = {{"newcommand", 2, false},
                    {"renewcommand", 2, false},
                    {"providecommand", 2, false},
                    {"DeclareRobustCommand", 2, false},
                    {"DeclareMathOperator", 2, false},
                    {"NewDocumentCommand", 3, false},
                    {"DeclareDocumentCommand", 3, false},
                    {"newenvironment", 3, true},
                    {"renewenvironment", 3, true},
                    {"newtheorem", 2, true},
                    {"def", 0, false},
                    {"gdef", 0, false},
                    {"newif", 1, false},
                    {"newacronym", 3, false}};
    drt_string word = {(char *)text.data + at + 1, word_end - at - 1};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (!drt_string_equal(&word, commands[i].name, strlen(commands[i].name)))
            continue;
        *environment = commands[i].environment;
        return commands[i].arguments ? pass_arguments(near(text, at), word_end, commands[i].arguments)
                                     : pass_plain(near(text, at), word_end);
    }
    return 0;
}

bool drt_tex_take_definitions(const char *data, size_t length, drt_buffer *out) {
    slice text = {data, length};
    bool ok = true;
    for (size_t at = 0; ok && (at = skip_space(text, at)) < length;) {
        bool environment = false;
        size_t behind = data[at] == '{'    ? pass(text, at, '{', '}')
                        : data[at] == '\\' ? at + drt_tex_control(data + at, length - at, true)
                                           : at + 1;
        if (behind == 0)
            break;
        size_t end = data[at] == '\\' ? pass_definition(text, at, behind, &environment) : 0;
        slice definition = {data + at, end ? end - at : 0};
        if (end && is_simple(definition) && !(environment && sets_known(definition, behind - at)))
            ok = drt_buffer_append(out, definition.data, definition.length) && drt_buffer_append_byte(out, '\n');
        at = end ? end : behind;
    }
    return ok;
}
