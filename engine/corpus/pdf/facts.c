/* facts.c: title, authors and date of a PDF, from what it says itself, or else from the first page. See pdf.h. */
#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include <utf8proc.h>

#include "engine/base/utf8.h"
#include "engine/corpus/normalise.h"
#include "engine/corpus/pdf/pdf.h"

#define TITLE_WIDTH 1.25f  /* of the body's letters: those of a title are wider */
#define NEARLY_TITLE 0.85f /* of the widest ones */
#define SAME_WIDTH 0.13f   /* lines of a title differ by less */
#define TITLE_PART 0.6f    /* of the page's height, from above, in which titles stand */
#define TITLE_LEADING 1.8f /* of a line's height: lines of a title are nearer */
#define TITLE_LINES 6
#define LEAST_TITLE 6   /* characters */
#define MOST_TITLE 1000 /* bytes; more is no title */

/* The byte that stands for a character in PDFDocEncoding; -1: none. */
static int byte_of(uint32_t c) {
    static const uint16_t others[] = {0x2022, 0x2020, 0x2021, 0x2026, 0x2014, 0x2013, 0x0192, 0x2044,
                                      0x2039, 0x203A, 0x2212, 0x2030, 0x201E, 0x201C, 0x201D, 0x2018,
                                      0x2019, 0x201A, 0x2122, 0xFB01, 0xFB02, 0x0141, 0x0152, 0x0160,
                                      0x0178, 0x017D, 0x0131, 0x0142, 0x0153, 0x0161, 0x017E};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (c == others[i])
            return 0x80 + (int)i;
    return c == 0x20AC ? 0xA0 : c < 0x100 ? (int)c : -1;
}

/* PDF 2.0 has texts in UTF-8, which versions of pdftotext that do not know it take for another encoding. */
static void put_utf8_right(drt_buffer *text) {
    static const char mark[] = "\u00EF\u00BB\u00BF";
    size_t n = 0, length = sizeof mark - 1;
    if (text->length <= length || memcmp(text->data, mark, length) != 0)
        return;
    for (size_t at = length, step; at < text->length; at += step) {
        uint32_t c = 0;
        step = drt_utf8_decode(text->data + at, text->length - at, &c);
        int byte = step ? byte_of(c) : -1;
        if (byte < 0)
            return;
        text->data[n++] = (char)byte; /* behind what was read */
    }
    text->length = n;
}

static bool take_line(const char *data, size_t length, drt_buffer *scratch, drt_string *line) {
    scratch->length = 0;
    if (!drt_markup_decode(scratch, data, length))
        return false;
    put_utf8_right(scratch);
    return drt_text_single_line(scratch->data ? scratch->data : "", scratch->length, line);
}

/* -------------------------------------------------------------------------------- titles ---- */

/* words: ";a;b;", any case. */
static bool is_one_of(const char *data, size_t length, const char *words) {
    for (const char *word = words + 1, *end; *word; word = end + 1) {
        end = strchr(word, ';');
        if ((size_t)(end - word) == length && strncasecmp(data, word, length) == 0)
            return true;
    }
    return false;
}

/* Programs that make PDF files put the names of other files there, or the same words each time. */
static bool is_no_title(const char *data, size_t length) {
    static const char extensions[] =
        " .doc .docx .dvi .tex .indd .qxd .rtf .odt .ps .eps .txt .html .htm .pdf .ppt .pptx "
        ".xls .xlsx .pub .wpd .sxw .md .xml .tif .jpg .png .pages .fm .p65 .tmp ";
    static const char words[] = ";untitled;untitled document;title;no title;none;unknown;null;document;document1;"
                                "presentation;powerpoint presentation;slide 1;layout 1;manuscript;paper;main;article;"
                                "introduction;abstract;contents;table of contents;summary;(anonymous);";
    static const char *const beginnings[] = {"pii:", "doi:", "file:", "http:", "https:", "untitled-"};
    bool blank = false, of_name = false;
    size_t letters = 0;
    for (size_t i = 0; i < length; i++) {
        letters += isalpha((unsigned char)data[i]) || (unsigned char)data[i] >= 0x80 || data[i] == ' ';
        blank = blank || data[i] == ' ';
        of_name = of_name || data[i] == '_' || data[i] == '\\' || data[i] == '/';
    }
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (length >= strlen(beginnings[i]) && strncasecmp(data, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return letters * 2 < length || (of_name && !blank) || length > MOST_TITLE ||
           drt_name_has_extension(data, length, extensions) || is_one_of(data, length, words);
}

/* Bytes of the name of the program that stands before the title. */
static size_t program_length(const char *data, size_t length) {
    static const char *const programs[] = {"Microsoft Word - ", "Microsoft PowerPoint - ", "Microsoft Office Word - "};
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (length > strlen(programs[i]) && memcmp(data, programs[i], strlen(programs[i])) == 0)
            return strlen(programs[i]);
    return 0;
}

bool drt_pdf_take_title(const drt_markup_token *content, drt_buffer *scratch, drt_extract *extract) {
    drt_string line = {0};
    bool ok = extract->title.data || take_line(content->data, content->length, scratch, &line);
    size_t begin = line.data ? program_length(line.data, line.length) : 0;
    if (line.data && !is_no_title(line.data + begin, line.length - begin))
        ok = drt_string_set(&extract->title, line.data + begin, line.length - begin);
    drt_string_free(&line);
    return ok;
}

/* Width of most of a page's letters, which tells their size better than the heights that fonts claim. */
static float common_width(const drt_pdf *pdf, const drt_pdf_page *page, float body) {
    float width = 0, count = 0;
    for (size_t i = page->first_line; i < page->first_line + page->n_lines; i++) {
        const drt_pdf_line *line = &pdf->lines[i];
        if (!line->sideways && fabsf(line->height - body) < 0.1f * body) {
            width += line->letter * (float)line->length;
            count += (float)line->length;
        }
    }
    return count > 0 ? width / count : 0;
}

/* "1 Introduction", "I. First". */
static bool is_section(const char *data, size_t length) {
    return length > 2 && (isdigit((unsigned char)data[0]) || data[0] == 'I') && (data[1] == ' ' || data[1] == '.');
}

static bool may_be_title(const drt_pdf *pdf, const drt_pdf_page *page, const uint8_t *dropped, size_t i) {
    const drt_pdf_line *line = &pdf->lines[i];
    return !dropped[i] && !line->sideways && line->length >= LEAST_TITLE && line->length <= MOST_TITLE &&
           line->box.bottom < TITLE_PART * page->height && !is_section(pdf->text.data + line->at, line->length) &&
           !is_no_title(pdf->text.data + line->at, line->length);
}

/* The line below this one that the title goes on with; NULL: none. */
static const drt_pdf_line *next_line(const drt_pdf *pdf, const drt_pdf_page *page, const drt_pdf_line *line) {
    const drt_pdf_line *next = NULL;
    float width = line->letter;
    for (size_t i = page->first_line; i < page->first_line + page->n_lines; i++) {
        const drt_pdf_line *below = &pdf->lines[i];
        if (!below->sideways && below->box.left < line->box.right && below->box.right > line->box.left &&
            below->base > line->base + line->height / 2 && below->base - line->base < TITLE_LEADING * line->height &&
            (!next || below->base < next->base))
            next = below;
    }
    return next && fabsf(next->letter - width) < SAME_WIDTH * width ? next : NULL;
}

/* Without the signs of notes behind it. */
static size_t title_length(const drt_buffer *title) {
    static const char *const signs[] = {" ", "*", "\u2217", "\u2020", "\u2021", "\u00A7"};
    size_t length = title->length;
    for (size_t i = 0; i < sizeof signs / sizeof *signs;) {
        size_t n = strlen(signs[i]);
        bool ends = length > n && memcmp(title->data + length - n, signs[i], n) == 0;
        length -= ends ? n : 0;
        i = ends ? 0 : i + 1;
    }
    return length;
}

bool drt_pdf_find_title(const drt_pdf *pdf, float body, const uint8_t *dropped, drt_extract *extract) {
    const drt_pdf_page *page = pdf->pages;
    const drt_pdf_line *first = NULL;
    float most = 0;
    if (pdf->n_pages == 0 || extract->title.data)
        return true;
    float common = common_width(pdf, page, body);
    for (size_t i = page->first_line; i < page->first_line + page->n_lines; i++)
        if (may_be_title(pdf, page, dropped, i))
            most = fmaxf(most, pdf->lines[i].letter);
    for (size_t i = page->first_line; i < page->first_line + page->n_lines; i++)
        if (may_be_title(pdf, page, dropped, i) && pdf->lines[i].letter >= NEARLY_TITLE * most &&
            (!first || pdf->lines[i].base < first->base))
            first = &pdf->lines[i];
    if (!first || common == 0 || most < TITLE_WIDTH * common)
        return true;
    drt_buffer title = {0};
    bool ok = true;
    size_t n = 0;
    for (const drt_pdf_line *line = first; ok && line && n < TITLE_LINES; line = next_line(pdf, page, line), n++)
        ok = (n == 0 || drt_buffer_append(&title, " ", 1)) &&
             drt_buffer_append(&title, pdf->text.data + line->at, line->length);
    ok = ok && drt_text_single_line(title.data, title_length(&title), &extract->title);
    drt_buffer_free(&title);
    return ok;
}

/* ---------------------------------------------------------------------- authors and date ---- */

static bool add_author(drt_extract *extract, const char *data, size_t length) {
    drt_string author = {0};
    while (length > 0 && (data[length - 1] == ',' || data[length - 1] == ' '))
        length--;
    bool ok = drt_text_single_line(data, length, &author) && (!author.data || drt_extract_add_author(extract, &author));
    drt_string_free(&author);
    return ok;
}

/* Are there commas between whole names ("Ada Fenn, Bo Marsh"), and not only inside of them ("Fenn, Ada")? */
static bool has_list_commas(const char *data, size_t length) {
    size_t parts = 0;
    for (size_t at = 0, end; at < length; at = end + 1, parts++) {
        const char *comma = memchr(data + at, ',', length - at);
        end = comma ? (size_t)(comma - data) : length;
        while (at < end && data[at] == ' ')
            at++;
        if (at == end || !memchr(data + at, ' ', end - at) || islower((unsigned char)data[at]))
            return false;
    }
    return parts > 1;
}

/* "Ada Fenn; Bo Marsh and Cy Dyke". */
static bool take_authors(const drt_string *names, drt_extract *extract) {
    bool ok = true;
    for (size_t at = 0; at < names->length && ok;) {
        size_t end = at, next = names->length;
        for (; end < names->length; end++) {
            if (names->data[end] == ';')
                next = end + 1;
            else if (names->length - end > 5 && memcmp(names->data + end, " and ", 5) == 0)
                next = end + 5;
            else
                continue;
            break;
        }
        while (has_list_commas(names->data + at, end - at)) {
            size_t comma = (size_t)((const char *)memchr(names->data + at, ',', end - at) - names->data);
            ok = ok && add_author(extract, names->data + at, comma - at);
            at = comma + 1;
        }
        ok = ok && add_author(extract, names->data + at, end - at);
        at = next;
    }
    return ok;
}

bool drt_pdf_take_meta(const drt_markup_token *token, drt_buffer *scratch, drt_extract *extract) {
    drt_markup_attribute name, content;
    drt_string line = {0};
    if (!drt_markup_find(token, "name", &name) || !drt_markup_find(token, "content", &content))
        return true;
    bool author = drt_markup_value_is(&name, "Author"), date = drt_markup_value_is(&name, "CreationDate"), ok = true;
    if (author || date)
        ok = take_line(content.value, content.value_length, scratch, &line);
    if (line.data && author && extract->n_authors == 0)
        ok = take_authors(&line, extract);
    if (line.data && date && strspn(line.data, "0123456789-") >= 10 && !extract->date.data) /* not the time of day */
        ok = drt_string_set(&extract->date, line.data, 10);
    drt_string_free(&line);
    return ok;
}
