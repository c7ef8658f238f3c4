/* project.c: sources of TeX that belong together. See project.h. */
#include "engine/corpus/tex/project.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/corpus/charset.h"
#include "engine/corpus/tex/bibliography.h"
#include "engine/corpus/tex/style.h"
#include "engine/corpus/tex/tex.h"

#define DEPTH 24        /* files included by each other */
#define NAME 400        /* bytes of a name that is included */
#define LIST 1024       /* bytes of a list of names */
#define FILES 20000     /* that wait at a time */
#define WORK (1u << 28) /* names compared and bytes read for one main file */

typedef struct {
    drt_context *context;
    drt_tex_project *project;
    size_t from, main;
    bool done;
    const char *label; /* the encoding that the main file declares */
    size_t label_length;
    size_t open[DEPTH]; /* files being put together, the main one first */
    int depth;
    size_t taken;        /* files that were taken in */
    size_t cited_length; /* of the text before the list of references */
    size_t work;         /* names compared, bytes read */
    drt_buffer *out;
    drt_status status;
} flattening;

/* ------------------------------------------------------------------ the files ---- */

static const char *find(const char *data, size_t length, const char *word) {
    size_t n = strlen(word);
    while (length >= n) {
        const char *first = memchr(data, word[0], length - n + 1);
        if (!first)
            return NULL;
        if (memcmp(first, word, n) == 0)
            return first;
        length -= (size_t)(first + 1 - data);
        data = first + 1;
    }
    return NULL;
}

static bool has_suffix(const drt_string *path, const char *suffix) {
    size_t n = strlen(suffix);
    return path->length > n && memcmp(path->data + path->length - n, suffix, n) == 0;
}

bool drt_tex_project_add(drt_tex_project *project, const char *path, size_t length, drt_blob *blob, bool *memory) {
    drt_tex_file file = {.blob = *blob};
    *memory = true;
    if (blob->cut || project->n == FILES || blob->length > DRT_TEX_PROJECT_BYTES - project->bytes)
        return false;
    *memory =
        drt_array_grow((void **)&project->files, project->n, sizeof file) && drt_string_set(&file.path, path, length);
    if (!*memory)
        return false;
    file.style = has_suffix(&file.path, ".sty") || has_suffix(&file.path, ".cls");
    file.main = !file.style && !has_suffix(&file.path, ".bib") &&
                (drt_tex_contains(blob->data, blob->length, "\\documentclass") ||
                 drt_tex_contains(blob->data, blob->length, "\\documentstyle")) &&
                drt_tex_contains(blob->data, blob->length, "\\begin{document}");
    file.bibtex = has_suffix(&file.path, ".bib");
    file.data = file.done = !file.bibtex && drt_tex_contains(blob->data, blob->length, "\\endentry");
    *blob = (drt_blob){0};
    project->bytes += file.blob.length;
    project->files[project->n++] = file;
    return true;
}

void drt_tex_project_cut(drt_tex_project *project, size_t from) {
    while (project->n > from) {
        drt_tex_file *file = &project->files[--project->n];
        project->bytes -= file->blob.length < project->bytes ? file->blob.length : project->bytes;
        drt_string_free(&file->path);
        drt_blob_free(&file->blob);
    }
    if (project->n == 0) {
        free(project->files);
        *project = (drt_tex_project){0};
    }
}

bool drt_tex_project_has_main(const drt_tex_project *project, size_t from) {
    for (size_t i = from; i < project->n; i++)
        if (project->files[i].main)
            return true;
    return false;
}

/* ------------------------------------------------------------------- names ---- */

static size_t folder_of(const drt_string *path) {
    size_t length = path->length;
    while (length > 0 && path->data[length - 1] != '/')
        length--;
    return length;
}

/* Joins a folder and a name without "." and ".."; false: it leads out, or is too long. */
static bool join(const char *folder, size_t folder_length, const char *name, size_t length, const char *suffix,
                 char path[2 * NAME], size_t *path_length) {
    size_t n = folder_length;
    if (n + length + strlen(suffix) + 1 > 2 * NAME || length == 0 || name[0] == '/')
        return false;
    memcpy(path, folder, n);
    for (size_t at = 0; at < length;) {
        const char *part = name + at, *slash = memchr(part, '/', length - at);
        size_t size = slash ? (size_t)(slash - part) : length - at;
        at += size + 1;
        if (size == 2 && memcmp(part, "..", 2) == 0) {
            if (n == 0)
                return false;
            for (n--; n > 0 && path[n - 1] != '/'; n--)
                ;
        } else if (size > 0 && !(size == 1 && part[0] == '.')) {
            memcpy(path + n, part, size);
            n += size;
            if (at < length)
                path[n++] = '/';
        }
    }
    memcpy(path + n, suffix, strlen(suffix));
    *path_length = n + strlen(suffix);
    return true;
}

static size_t find_path(flattening *f, const char *path, size_t length) {
    f->work += f->project->n - f->from;
    for (size_t i = f->from; i < f->project->n && f->work < WORK; i++)
        if (drt_string_equal(&f->project->files[i].path, path, length))
            return i;
    return SIZE_MAX;
}

static const char *const text_suffixes[] = {"", ".tex", ".ltx", NULL}, *const style_suffixes[] = {".sty", NULL},
                         *const class_suffixes[] = {".cls", NULL};

static bool ends_with(const drt_string *path, const char *name, size_t length, const char *suffix) {
    size_t n = strlen(suffix), all = length + n;
    const char *end = path->data + path->length;
    return path->length > all && end[-(ptrdiff_t)all - 1] == '/' && strncasecmp(end - all, name, length) == 0 &&
           strncasecmp(end - n, suffix, n) == 0;
}

/* The only file whose path ends like that, in any case: people run TeX in another folder, on systems that don't care. */
static size_t find_end(flattening *f, const char *name, size_t length, const char *const *suffixes) {
    size_t found = SIZE_MAX, n = 0;
    while (length > 1 && name[0] == '.' && (name[1] == '/' || name[1] == '.')) {
        size_t skip = name[1] == '/' ? 2 : length > 2 && name[2] == '/' ? 3 : 2;
        name += skip;
        length -= skip;
    }
    if (length == 0 || name[0] == '/')
        return SIZE_MAX;
    f->work += f->project->n - f->from;
    for (size_t i = f->from; i < f->project->n && f->work < WORK; i++)
        for (size_t k = 0; suffixes[k]; k++) {
            bool fits = ends_with(&f->project->files[i].path, name, length, suffixes[k]);
            n += fits;
            found = fits ? i : found;
        }
    return n == 1 ? found : SIZE_MAX;
}

/* The file that a name means, with the first suffix that fits: beside the main file, or beside the one that names it. */
static size_t find_file(flattening *f, const char *name, size_t length, const char *const *suffixes) {
    const drt_string *places[2] = {&f->project->files[f->main].path, &f->project->files[f->open[f->depth - 1]].path};
    char path[2 * NAME];
    size_t path_length;
    for (int place = 0; place < 2; place++)
        for (size_t i = 0; suffixes[i]; i++)
            if (join(places[place]->data, folder_of(places[place]), name, length, suffixes[i], path, &path_length)) {
                size_t found = find_path(f, path, path_length);
                if (found != SIZE_MAX)
                    return found;
            }
    return find_end(f, name, length, suffixes);
}

/* The list of references, as text or as data: "main.bbl", or the only one in its folder and those below. */
static size_t find_references(const flattening *f, bool data) {
    const drt_string *main = &f->project->files[f->main].path;
    size_t stem = main->length, folder = folder_of(main), only = SIZE_MAX, n = 0;
    while (stem > folder && main->data[stem - 1] != '.')
        stem--;
    for (size_t i = f->from; i < f->project->n; i++) {
        const drt_string *path = &f->project->files[i].path;
        if (!has_suffix(path, ".bbl") || f->project->files[i].data != data || path->length < folder ||
            memcmp(path->data, main->data, folder) != 0)
            continue;
        if (stem > folder && path->length == stem + 3 && memcmp(path->data, main->data, stem) == 0)
            return i;
        n++;
        only = i;
    }
    return n == 1 ? only : SIZE_MAX;
}

/* ---------------------------------------------------------------- putting together ---- */

static void append(flattening *f, const char *data, size_t length) {
    if (f->status == DRT_OK && !drt_buffer_append(f->out, data, length))
        f->status = drt_fail_memory(f->context, "a document's files");
}

static void take_file(flattening *f, size_t index);

/* The argument in braces, or up to the next space; where it ends. */
static size_t read_name(const char *data, size_t length, size_t at, const char **name, size_t *name_length) {
    while (at < length && (data[at] == ' ' || data[at] == '\t'))
        at++;
    bool braces = at < length && data[at] == '{';
    *name = data + (at += braces);
    size_t start = at;
    while (at < length && at - start < LIST &&
           (braces ? data[at] != '}' && data[at] != '\n' : !isspace((unsigned char)data[at]) && data[at] != '\\'))
        at++;
    *name_length = at - start;
    while (*name_length > 0 && isspace((unsigned char)**name)) {
        ++*name;
        --*name_length;
    }
    while (*name_length > 0 && isspace((unsigned char)(*name)[*name_length - 1]))
        --*name_length;
    return at < length && braces && data[at] == '}' ? at + 1 : at;
}

typedef struct {
    const char *data;
    size_t length;
} slice;

static bool is(slice word, const char *name) {
    return word.length == strlen(name) && memcmp(word.data, name, word.length) == 0;
}

/* The next of a list of names, "a, b". */
static slice next_name(slice names, size_t *at) {
    const char *comma = memchr(names.data + *at, ',', names.length - *at);
    slice name = {names.data + *at, comma ? (size_t)(comma - names.data) - *at : names.length - *at};
    *at += name.length + 1;
    for (; name.length > 0 && isspace((unsigned char)*name.data); name.data++)
        name.length--;
    while (name.length > 0 && isspace((unsigned char)name.data[name.length - 1]))
        name.length--;
    return name;
}

/* Does what was put together so far cite that key, or all? */
static bool is_cited(void *user, const char *key, size_t length) {
    flattening *f = user;
    char sought[NAME];
    f->work += f->cited_length;
    if (length + 1 > sizeof sought || f->work > WORK)
        return true;
    memcpy(sought, key, length);
    sought[length] = 0;
    return find(f->out->data, f->cited_length, sought) != NULL ||
           find(f->out->data, f->cited_length, "\\nocite{*}") != NULL;
}

/* The references that are cited, out of data: biblatex's, or else BibTeX's. */
static void take_list(flattening *f, const drt_tex_file *file) {
    drt_buffer decoded = {0};
    drt_charset_facts facts;
    drt_bibliography_filter filter = {is_cited, f};
    f->work += file->blob.length;
    if (f->work > WORK)
        return;
    f->status = drt_charset_decode(f->context, file->blob.data, file->blob.length, NULL, 0, &decoded, &facts);
    const char *data = decoded.data ? decoded.data : "";
    if (f->status == DRT_OK && !(file->data ? drt_biblatex_write(data, decoded.length, NULL, f->out)
                                            : drt_bibtex_write(data, decoded.length, &filter, f->out)))
        f->status = drt_fail_memory(f->context, "a document's files");
    drt_buffer_free(&decoded);
}

/* The lists of \bibliography{a, b}. */
static void take_named_lists(flattening *f, slice names) {
    static const char *const suffixes[] = {"", ".bib", NULL};
    for (size_t at = 0; at < names.length && f->status == DRT_OK;) {
        slice name = next_name(names, &at);
        size_t index = name.length < NAME ? find_file(f, name.data, name.length, suffixes) : SIZE_MAX;
        if (index != SIZE_MAX && f->project->files[index].bibtex && f->out->length <= DRT_TEX_SOURCE_BYTES)
            take_list(f, &f->project->files[index]);
    }
}

/* Puts a list of references together where TeX would show one. names.data NULL: they were told elsewhere (biblatex). */
static void take_lists(flattening *f, slice names) {
    size_t before = f->out->length, data = find_references(f, true);
    f->cited_length = before;
    append(f, "\n\\begin{thebibliography}{}", 26);
    size_t begun = f->out->length;
    if (data != SIZE_MAX)
        take_list(f, &f->project->files[data]);
    else if (names.data)
        take_named_lists(f, names);
    for (size_t i = f->from; i < f->project->n && f->status == DRT_OK && data == SIZE_MAX && !names.data; i++)
        if (f->project->files[i].bibtex && f->out->length <= DRT_TEX_SOURCE_BYTES)
            take_list(f, &f->project->files[i]);
    f->taken += f->out->length > begun;
    if (f->out->length > begun)
        append(f, "\\end{thebibliography}\n", 22);
    else
        f->out->length = before;
}

/* The styles of a list of names, "a, b". */
static void take_styles(flattening *f, slice names, const char *const *suffixes) {
    for (size_t at = 0; at < names.length && f->status == DRT_OK;) {
        slice name = next_name(names, &at);
        size_t index = name.length < NAME ? find_file(f, name.data, name.length, suffixes) : SIZE_MAX;
        if (index == SIZE_MAX || f->project->files[index].loaded == f->project->readings ||
            f->out->length > DRT_TEX_SOURCE_BYTES)
            continue; /* each is loaded once */
        f->project->files[index].loaded = f->project->readings;
        take_file(f, index);
    }
}

/* \usepackage[options]{names}: what the project's own styles define goes before it. */
static void take_package(flattening *f, const char *data, size_t length, size_t at, slice word) {
    bool class = is(word, "documentclass") || is(word, "documentstyle") || is(word, "LoadClass");
    const char *name;
    size_t n;
    if (!class && !is(word, "usepackage") && !is(word, "RequirePackage"))
        return;
    while (at < length && isspace((unsigned char)data[at]))
        at++;
    if (at < length && data[at] == '[') {
        const char *end = memchr(data + at, ']', length - at < LIST ? length - at : LIST);
        if (!end)
            return;
        if (is(word, "documentstyle")) /* its options are styles */
            take_styles(f, (slice){data + at + 1, (size_t)(end - data) - at - 1}, style_suffixes);
        at = (size_t)(end - data) + 1;
    }
    read_name(data, length, at, &name, &n);
    take_styles(f, (slice){name, n}, class ? class_suffixes : style_suffixes);
}

/* What a style defines, and those that it needs itself. */
static void take_style(flattening *f, const char *data, size_t length) {
    for (size_t at = 0; at < length && f->status == DRT_OK;) {
        const char *next = memchr(data + at, '\\', length - at);
        if (!next)
            break;
        at = (size_t)(next - data);
        size_t n = drt_tex_control(data + at, length - at, true);
        take_package(f, data, length, at + n, (slice){data + at + 1, n - 1});
        at += n;
    }
    if (f->status == DRT_OK &&
        (!drt_buffer_append_byte(f->out, '\n') || !drt_tex_take_definitions(data, length, f->out)))
        f->status = drt_fail_memory(f->context, "a document's files");
}

/* A command that includes a file: then where it ends, else 0. */
static size_t take_command(flattening *f, const char *data, size_t length, size_t at, slice word) {
    const char *name, *folder;
    char joined[NAME];
    size_t name_length, folder_length, index = SIZE_MAX, end;
    bool import = is(word, "import") || is(word, "subimport") || is(word, "inputfrom") || is(word, "subinputfrom");
    if (is(word, "bibliography") || is(word, "printbibliography")) {
        bool named = is(word, "bibliography");
        index = find_references(f, false);
        end = named ? read_name(data, length, at, &name, &name_length) : at;
        if (index == SIZE_MAX) {
            take_lists(f, named ? (slice){name, name_length} : (slice){0});
            return end;
        }
    } else if (import) {
        end = read_name(data, length, at, &folder, &folder_length);
        end = read_name(data, length, end, &name, &name_length);
        if (folder_length + name_length + 1 > NAME)
            return 0;
        memcpy(joined, folder, folder_length);
        joined[folder_length] = '/';
        memcpy(joined + folder_length + 1, name, name_length);
        index = find_file(f, joined, folder_length + 1 + name_length, text_suffixes);
    } else if (is(word, "input") || is(word, "include") || is(word, "subfile") || is(word, "@input") ||
               is(word, "InputIfFileExists") || is(word, "loadglsentries")) {
        end = read_name(data, length, at, &name, &name_length);
        index = name_length < NAME ? find_file(f, name, name_length, text_suffixes) : SIZE_MAX;
    } else {
        return 0;
    }
    if (index == SIZE_MAX)
        return 0;
    bool apart = is(word, "include"); /* begins a page */
    append(f, "\n\n", apart ? 2 : 0);
    if (f->out->length <= DRT_TEX_SOURCE_BYTES)
        take_file(f, index);
    append(f, "\n\n", apart ? 2 : 0);
    return end;
}

/* Where the environment ends in which commands are no commands; `at` when none begins here. */
static size_t pass_verbatim(const char *data, size_t length, size_t at) {
    static const char *const names[] = {"{verbatim}", "{lstlisting}", "{comment}",
                                        "{minted}",   "{Verbatim}",   "{filecontents}"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char end[32] = "\\end";
        size_t n = strlen(names[i]);
        if (length - at < n || memcmp(data + at, names[i], n) != 0)
            continue;
        memcpy(end + 4, names[i], n + 1);
        const char *found = find(data + at, length - at, end);
        return found ? (size_t)(found - data) : length;
    }
    return at;
}

/* Copies a file's text, with files in the place of the commands that include them. */
static void take_text(flattening *f, const char *data, size_t length) {
    size_t copied = 0, seen = 0;
    for (size_t at = 0; at < length && f->status == DRT_OK;) {
        char c = data[at];
        if (c == '%') {
            const char *end = memchr(data + at, '\n', length - at);
            at = end ? (size_t)(end - data) : length;
            continue;
        }
        if (c != '\\') {
            at++;
            continue;
        }
        size_t n = drt_tex_control(data + at, length - at, true);
        slice word = {data + at + 1, n - 1};
        size_t behind = at + n;
        if (is(word, "endinput") ||
            (is(word, "end") && length - behind >= 10 && memcmp(data + behind, "{document}", 10) == 0)) {
            length = is(word, "endinput") ? at : length;
            break;
        }
        if (is(word, "begin"))
            behind = pass_verbatim(data, length, behind);
        append(f, data + copied, at - copied);
        copied = at;
        take_package(f, data, length, at + n, word);
        size_t end = take_command(f, data, length, at + n, word);
        copied = end ? end : copied;
        at = end ? end : behind;
        if (at - seen > 1u << 20) {
            seen = at;
            if (drt_cancelled(f->context) && f->status == DRT_OK)
                f->status = DRT_FAILED;
        }
    }
    if (copied < length)
        append(f, data + copied, length - copied);
}

/* Of a document of its own only the text between \begin{document} and its end is taken in. */
static slice text_of(const char *data, size_t length) {
    const char *begin = find(data, length, "\\begin{document}");
    slice text = {data, length};
    if (begin) {
        text.data = begin + 16;
        text.length = length - (size_t)(text.data - data);
        const char *end = find(text.data, text.length, "\\end{document}");
        text.length = end ? (size_t)(end - text.data) : text.length;
    }
    return text;
}

/* The end of a file is that of a line: cuts the white space there and returns what stands for it. A paragraph may end, but
 * not because two line ends meet, and a comment does. */
static const char *end_of(slice *text) {
    size_t lines = 0;
    for (; text->length > 0 && isspace((unsigned char)text->data[text->length - 1]); text->length--)
        lines += text->data[text->length - 1] == '\n';
    if (lines > 1)
        return "\n\n";
    for (size_t at = text->length; at > 0 && text->data[at - 1] != '\n'; at--)
        if (text->data[at - 1] == '%')
            return "\n\\relax ";
    return " ";
}

static void take_file(flattening *f, size_t index) {
    drt_tex_file *file = &f->project->files[index];
    const char *end = "";
    drt_buffer decoded = {0};
    drt_charset_facts facts;
    for (int i = 0; i < f->depth; i++)
        if (f->open[i] == index)
            return; /* it includes itself */
    f->work += file->blob.length;
    if (f->depth == DEPTH || f->work > WORK)
        return;
    f->open[f->depth++] = index;
    f->status =
        drt_charset_decode(f->context, file->blob.data, file->blob.length, f->label, f->label_length, &decoded, &facts);
    drt_tex_end_lines(&decoded);
    slice text = {decoded.data ? decoded.data : "", decoded.length};
    if (f->depth > 1 && file->style) {
        f->taken++;
        file->included |= !f->done;
    } else if (f->depth > 1) {
        text = text_of(text.data, text.length);
        f->taken++;
        file->included |= !f->done;
    }
    file->done |= f->done;
    if (f->depth > 1)
        end = end_of(&text);
    if (f->status == DRT_OK)
        (file->style ? take_style : take_text)(f, text.data, text.length);
    append(f, end, strlen(end));
    f->depth--;
    drt_buffer_free(&decoded);
}

drt_status drt_tex_project_flatten(drt_context *context, drt_tex_project *project, size_t from, size_t file, bool done,
                                   drt_buffer *out, bool *whole) {
    flattening f = {.context = context, .project = project, .from = from, .main = file, .done = done, .out = out};
    const drt_blob *blob = &project->files[file].blob;
    project->readings++;
    f.label_length = drt_tex_encoding(blob->data, blob->length, &f.label);
    take_file(&f, file);
    *whole = f.taken == 0;
    if (*whole)
        out->length = 0;
    return f.status;
}
