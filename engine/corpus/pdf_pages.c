/* pdf_pages.c: the output of `pdftotext -bbox-layout` -> lines with their places. See pdf.h.
 *
 * It looks like XML, but words are what the fonts of the file say, control characters included: it is read by the
 * forgiving reader of markup.h. Words come in the order in which they stand on the page. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <utf8proc.h>

#include "engine/base/utf8.h"
#include "engine/corpus/markup.h"
#include "engine/corpus/normalise.h"
#include "engine/corpus/pdf.h"

#define FARTHEST 100000.0f /* points; no page is larger */
#define NO_GAP 0.08f       /* of the height: words nearer than that are one */
#define LEAST_JUDGED 40    /* letters by which a page is judged, */
#define LEAST_ODD 4        /* and odd ones */

typedef struct {
    drt_pdf_box box;
    size_t at, length; /* in reader.words_text */
    size_t characters;
    bool right_to_left;
} word;

/* What the characters of a page are. */
typedef struct {
    size_t odd, visible, letters, digits, punctuation; /* odd: control, private use, replacement */
    size_t upper, first_three, shifted, vowels;        /* see is_shifted() */
} census;

typedef struct {
    drt_pdf *pdf;
    drt_extract *extract;
    drt_pdf_page *page;
    word *words; /* of the line at hand */
    size_t n_words, capacity;
    drt_buffer words_text, scratch;
    census line, all;
    bool failed;
} reader;

void drt_pdf_clear(drt_pdf *pdf) {
    free(pdf->pages);
    free(pdf->lines);
    drt_buffer_free(&pdf->text);
    *pdf = (drt_pdf){0};
}

/* Room for one more item; NULL: out of memory. */
static void *grow(void *items, size_t n, size_t *capacity, size_t size) {
    if (n < *capacity)
        return items;
    size_t more = *capacity ? 2 * *capacity : 64;
    void *grown = realloc(items, more * size);
    if (grown)
        *capacity = more;
    return grown;
}

/* ------------------------------------------------------------------------- characters ---- */

static bool is_odd(uint32_t c) {
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0xE000 && c < 0xF900) || c == 0xFFFD || c >= 0xF0000;
}

static bool is_right_to_left(uint32_t c) {
    return (c >= 0x590 && c < 0x900) || (c >= 0xFB1D && c < 0xFE00) || (c >= 0xFE70 && c < 0xFEFF);
}

/* Ligatures and the shapes that letters take in words. */
static bool is_shape(uint32_t c) {
    return (c >= 0xFB00 && c < 0xFE00) || (c >= 0xFE70 && c < 0xFEFF);
}

static void count(census *all, uint32_t c) {
    all->visible++;
    all->letters += c >= 0x80 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    all->digits += c >= '0' && c <= '9';
    all->punctuation += c > 0x20 && c < 0x7F && !strchr(".-_=*", (int)c) && !((c | 0x20) >= 'a' && (c | 0x20) <= 'z') &&
                        !(c >= '0' && c <= '9');
    all->upper += c >= 'A' && c <= 'Z';
    all->first_three += c >= 'A' && c <= 'C';
    all->shifted += c >= 'a' - 29 && c <= 'z' - 29;
    all->vowels += c < 0x80 && strchr("DHLRX", (int)c) && c; /* aeiou - 29 */
}

static void add_census(census *to, const census *from) {
    to->odd += from->odd;
    to->visible += from->visible;
    to->letters += from->letters;
    to->digits += from->digits;
    to->punctuation += from->punctuation;
    to->upper += from->upper;
    to->first_three += from->first_three;
    to->shifted += from->shifted;
    to->vowels += from->vowels;
}

/* The numbers of glyphs in fonts made of TrueType ones are mostly those of ASCII less 29. Text of them has vowels
 * enough once it is put right, and none of the letters A, B and C, which every other text in capitals has. */
static bool is_shifted(const census *all) {
    return all->upper >= LEAST_JUDGED && all->first_three * 50 < all->upper && all->shifted * 10 > all->visible * 7 &&
           all->vowels * 4 > all->shifted;
}

static bool is_unreadable(const census *all) {
    if ((all->odd >= LEAST_ODD && all->odd * 8 > all->visible + all->odd) || is_shifted(all))
        return true;
    return all->visible >= LEAST_JUDGED && (all->letters + all->digits) * 5 < all->visible * 2 &&
           all->punctuation * 2 > all->visible;
}

/* ------------------------------------------------------------------------------ words ---- */

static void append(reader *r, drt_buffer *buffer, const char *data, size_t length) {
    r->failed = r->failed || !drt_buffer_append(buffer, data, length);
}

/* Appends a character, the letters of one that stands for several, or nothing. */
static void append_character(reader *r, const char *data, size_t length, uint32_t c) {
    if (is_odd(c)) {
        r->line.odd++;
        return;
    }
    count(&r->line, c);
    if (!is_shape(c)) {
        append(r, &r->words_text, data, length);
        return;
    }
    utf8proc_uint8_t *letters = NULL;
    utf8proc_ssize_t n = utf8proc_map((const utf8proc_uint8_t *)data, (utf8proc_ssize_t)length, &letters,
                                      UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_STABLE);
    if (n < 0)
        r->failed = true;
    else
        append(r, &r->words_text, (const char *)letters, (size_t)n);
    free(letters);
}

/* Characters stand as they are seen, from left to right: those of a word that is read the other way are turned
 * round, but for the digits of a number. */
static void append_word_text(reader *r, const char *data, size_t length, bool turned) {
    for (size_t at = 0, end = length; turned ? end > 0 : at < length;) {
        uint32_t c = 0xFFFD;
        size_t n, from = at;
        if (turned)
            from = drt_utf8_floor(data, length, end - 1);
        n = drt_utf8_decode(data + from, length - from, &c);
        if (n == 0 || (turned && from + n != end)) { /* a byte of no character */
            from = turned ? end - 1 : at;
            n = 1;
            c = 0xFFFD;
        }
        if (turned && c >= '0' && c <= '9') {
            while (from > 0 && data[from - 1] >= '0' && data[from - 1] <= '9')
                from--;
            for (size_t i = from; i < end; i++)
                append_character(r, data + i, 1, (unsigned char)data[i]);
        } else if (turned && c < 0x80 && c && strchr("()[]{}<>", (int)c)) {
            static const char pairs[] = "()[]{}<>";
            char mirrored = pairs[(strchr(pairs, (int)c) - pairs) ^ 1];
            append_character(r, &mirrored, 1, (unsigned char)mirrored);
        } else {
            append_character(r, data + from, n, c);
        }
        at += n;
        end = from;
    }
}

static bool has_right_to_left(const char *data, size_t length) {
    for (size_t at = 0; at < length;) {
        uint32_t c = 0;
        size_t n = drt_utf8_decode(data + at, length - at, &c);
        if (n && is_right_to_left(c))
            return true;
        at += n ? n : 1;
    }
    return false;
}

static float number_of(const drt_markup_token *token, const char *name) {
    drt_markup_attribute attribute;
    char digits[32];
    if (!drt_markup_find(token, name, &attribute) || attribute.value_length >= sizeof digits)
        return 0;
    memcpy(digits, attribute.value, attribute.value_length);
    digits[attribute.value_length] = 0;
    float value = strtof(digits, NULL);
    return isfinite(value) ? fmaxf(-FARTHEST, fminf(FARTHEST, value)) : 0;
}

static drt_pdf_box box_of(const drt_markup_token *token) {
    drt_pdf_box box = {number_of(token, "xMin"), number_of(token, "yMin"), number_of(token, "xMax"),
                       number_of(token, "yMax")};
    box.right = fmaxf(box.left, box.right);
    box.bottom = fmaxf(box.top, box.bottom);
    return box;
}

static void add_word(reader *r, drt_markup *markup, const drt_markup_token *token) {
    drt_markup_token content;
    drt_markup_raw(markup, token, &content);
    r->scratch.length = 0;
    word *words = grow(r->words, r->n_words, &r->capacity, sizeof *words);
    if (words)
        r->words = words;
    if (!words || !drt_markup_decode(&r->scratch, content.data, content.length)) {
        r->failed = true;
        return;
    }
    const char *data = r->scratch.data ? r->scratch.data : "";
    word added = {.box = box_of(token), .at = r->words_text.length};
    size_t before = r->line.visible;
    added.right_to_left = has_right_to_left(data, r->scratch.length);
    append_word_text(r, data, r->scratch.length, added.right_to_left);
    added.length = r->words_text.length - added.at;
    added.characters = r->line.visible - before;
    if (added.length > 0)
        r->words[r->n_words++] = added;
}

/* ------------------------------------------------------------------------------ lines ---- */

static void reverse(word *words, size_t n) {
    for (size_t i = 0; i < n / 2; i++) {
        word swapped = words[i];
        words[i] = words[n - 1 - i];
        words[n - 1 - i] = swapped;
    }
}

/* Words stand as they are seen; -> in the order of reading. true: the line is read from right to left. */
static bool order_words(reader *r) {
    size_t characters = 0, turned = 0;
    for (size_t i = 0; i < r->n_words; i++) {
        characters += r->words[i].characters;
        turned += r->words[i].right_to_left ? r->words[i].characters : 0;
    }
    bool right_to_left = turned * 2 > characters;
    if (turned == 0)
        return false;
    if (right_to_left)
        reverse(r->words, r->n_words);
    for (size_t i = 0, end; i < r->n_words; i = end) {
        for (end = i; end < r->n_words && r->words[end].right_to_left == r->words[i].right_to_left;)
            end++;
        if (r->words[i].right_to_left != right_to_left)
            reverse(r->words + i, end - i);
    }
    return right_to_left;
}

/* The height of most letters. */
static float common_height(const reader *r, bool sideways) {
    const word *common = r->words;
    for (size_t i = 1; i < r->n_words; i++)
        if (r->words[i].characters > common->characters)
            common = &r->words[i];
    return sideways ? common->box.right - common->box.left : common->box.bottom - common->box.top;
}

/* The number that a word is, 0: none, or none that notes have. */
static uint32_t note_number(const reader *r, const word *w) {
    uint32_t value = 0;
    for (size_t i = 0; i < w->length; i++) {
        char c = r->words_text.data[w->at + i];
        if (c < '0' || c > '9' || value > 99)
            return 0;
        value = value * 10 + (uint32_t)(c - '0');
    }
    return value;
}

static bool is_sideways(const reader *r) {
    size_t upright = 0, turned = 0;
    for (size_t i = 0; i < r->n_words; i++) {
        const drt_pdf_box *box = &r->words[i].box;
        bool taller = box->bottom - box->top > 1.2f * (box->right - box->left);
        if (r->words[i].characters >= 3)
            *(taller ? &turned : &upright) += r->words[i].characters;
    }
    return turned > upright;
}

/* Dots that lead to a page number, each a word. */
static bool is_leader(const reader *r, const word *w) {
    return w->length == 1 && r->words_text.data[w->at] == '.';
}

static void add_words(reader *r, drt_pdf_line *line) {
    bool sideways = line->sideways;
    for (size_t i = 0; i < r->n_words; i++) {
        if (i > 1 && is_leader(r, &r->words[i]) && is_leader(r, &r->words[i - 1]) && is_leader(r, &r->words[i - 2]))
            continue;
        const word *w = &r->words[i], *before = i ? w - 1 : NULL;
        if (before) {
            float gap = sideways ? fmaxf(before->box.top - w->box.bottom, w->box.top - before->box.bottom)
                                 : fmaxf(w->box.left - before->box.right, before->box.left - w->box.right);
            if (gap > NO_GAP * line->height)
                append(r, &r->pdf->text, " ", 1);
        }
        bool raised = before && !sideways && w->box.bottom - w->box.top < 0.85f * line->height &&
                      w->box.bottom < line->box.bottom - 0.1f * line->height;
        if (raised && note_number(r, w)) {
            line->reference = note_number(r, w);
            line->reference_at = r->pdf->text.length - line->at;
            line->reference_length = w->length;
        }
        append(r, &r->pdf->text, r->words_text.data + w->at, w->length);
    }
}

/* The number of a note, raised before its first line, is told as a line of its own. */
static bool leads(const drt_pdf_line *mark, const drt_pdf_line *line) {
    float gap = line->box.left - mark->box.right;
    return mark->words == 1 && mark->length <= 3 && mark->height < line->height && !mark->sideways && !line->sideways &&
           gap > -0.3f * line->height && gap < line->height && mark->box.bottom > line->box.top &&
           mark->box.top < line->box.bottom;
}

/* Makes the mark that stands before the line part of it. */
static void take_mark(reader *r, drt_pdf_line *line) {
    drt_pdf *pdf = r->pdf;
    const drt_pdf_line *mark = r->page->n_lines > 0 ? &pdf->lines[pdf->n_lines - 1] : NULL;
    if (!mark || !leads(mark, line))
        return;
    append(r, &pdf->text, " ", 1);
    line->at = mark->at;
    line->words++;
    line->box.left = mark->box.left;
    pdf->n_lines--;
    r->page->n_lines--;
}

static void end_line(reader *r) {
    drt_pdf *pdf = r->pdf;
    bool lost = r->line.odd >= 2 && r->line.odd * 5 >= r->line.visible + r->line.odd;
    add_census(&r->all, &r->line);
    pdf->lost += (int64_t)(lost ? r->line.odd + r->line.visible : r->line.odd);
    r->line = (census){0};
    drt_pdf_line *lines = grow(pdf->lines, pdf->n_lines, &pdf->lines_capacity, sizeof *lines);
    if (lines)
        pdf->lines = lines;
    r->failed = r->failed || !lines;
    if (r->failed || lost || r->n_words == 0 || !r->page) {
        r->n_words = 0;
        r->words_text.length = 0;
        return;
    }
    drt_pdf_line line = {.box = r->words[0].box, .at = pdf->text.length, .words = (uint32_t)r->n_words};
    for (size_t i = 1; i < r->n_words; i++) {
        const drt_pdf_box *box = &r->words[i].box;
        line.box.left = fminf(line.box.left, box->left);
        line.box.top = fminf(line.box.top, box->top);
        line.box.right = fmaxf(line.box.right, box->right);
        line.box.bottom = fmaxf(line.box.bottom, box->bottom);
    }
    line.sideways = is_sideways(r);
    line.upwards = r->words[r->n_words - 1].box.top < r->words[0].box.top;
    line.height = common_height(r, line.sideways);
    line.right_to_left = order_words(r);
    line.first_word = r->words[0].box.right - r->words[0].box.left;
    take_mark(r, &line);
    add_words(r, &line);
    line.length = pdf->text.length - line.at;
    pdf->lines[pdf->n_lines++] = line;
    r->page->n_lines++;
    r->n_words = 0;
    r->words_text.length = 0;
}

/* ------------------------------------------------------------------------------ pages ---- */

static void begin_page(reader *r, const drt_markup_token *token) {
    drt_pdf *pdf = r->pdf;
    drt_pdf_page *pages = grow(pdf->pages, pdf->n_pages, &pdf->pages_capacity, sizeof *pages);
    if (!pages) {
        r->failed = true;
        return;
    }
    pdf->pages = pages;
    r->page = &pages[pdf->n_pages++];
    *r->page = (drt_pdf_page){
        .width = number_of(token, "width"), .height = number_of(token, "height"), .first_line = pdf->n_lines};
}

static void end_page(reader *r, int64_t lost_before) {
    if (!r->page || !is_unreadable(&r->all))
        return;
    r->page->unreadable = true;
    r->pdf->n_lines = r->page->first_line;
    r->page->n_lines = 0;
    r->pdf->lost = lost_before;
}

/* ----------------------------------------------------------------------- what it is ---- */

/* Programs that make PDF files put the names of other files there. */
static bool is_no_title(const char *data, size_t length) {
    static const char extensions[] = " .doc .docx .dvi .tex .indd .qxd .rtf .odt .ps .eps .txt .html ";
    return drt_name_has_extension(data, length, extensions) || (length == 8 && strncasecmp(data, "untitled", 8) == 0);
}

static void take_line(reader *r, const char *data, size_t length, drt_string *line) {
    r->scratch.length = 0;
    r->failed = r->failed || !drt_markup_decode(&r->scratch, data, length) ||
                !drt_text_single_line(r->scratch.data ? r->scratch.data : "", r->scratch.length, line);
}

/* "Ada Fenn; Bo Marsh and Cy Dyke": commas stand in names too. */
static void take_authors(reader *r, const drt_string *names) {
    for (size_t at = 0; at < names->length && !r->failed;) {
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
        drt_string author = {0};
        r->failed = !drt_text_single_line(names->data + at, end - at, &author) ||
                    (author.data && !drt_extract_add_author(r->extract, &author));
        drt_string_free(&author);
        at = next;
    }
}

static void take_meta(reader *r, const drt_markup_token *token) {
    drt_markup_attribute name, content;
    drt_string line = {0};
    if (!drt_markup_find(token, "name", &name) || !drt_markup_find(token, "content", &content))
        return;
    bool author = drt_markup_value_is(&name, "Author"), date = drt_markup_value_is(&name, "CreationDate");
    if (author || date)
        take_line(r, content.value, content.value_length, &line);
    if (line.data && author && r->extract->n_authors == 0)
        take_authors(r, &line);
    if (line.data && date && strspn(line.data, "0123456789-") >= 10 && !r->extract->date.data) /* not the time of day */
        r->failed = r->failed || !drt_string_set(&r->extract->date, line.data, 10);
    drt_string_free(&line);
}

static void take_title(reader *r, drt_markup *markup, const drt_markup_token *token) {
    drt_markup_token content;
    drt_string line = {0};
    drt_markup_raw(markup, token, &content);
    take_line(r, content.data, content.length, &line);
    if (line.data && !r->extract->title.data && !is_no_title(line.data, line.length)) {
        r->extract->title = line;
        line = (drt_string){0};
    }
    drt_string_free(&line);
}

bool drt_pdf_add_page(drt_pdf *pdf, const char *data, size_t length, drt_extract *extract) {
    reader r = {.pdf = pdf, .extract = extract};
    drt_markup markup = {.data = data, .length = length, .xml = true};
    drt_markup_token token;
    int64_t lost_before = pdf->lost;
    while (!r.failed && drt_markup_next(&markup, &token)) {
        bool starts = token.kind == DRT_MARKUP_START;
        if (token.kind == DRT_MARKUP_TEXT)
            continue;
        if (drt_markup_is(&token, "word") && starts)
            add_word(&r, &markup, &token);
        else if (drt_markup_is(&token, "line") && !starts)
            end_line(&r);
        else if (drt_markup_is(&token, "page") && starts)
            begin_page(&r, &token);
        else if (drt_markup_is(&token, "meta") && starts && !r.page)
            take_meta(&r, &token);
        else if (drt_markup_is(&token, "title") && starts && !r.page)
            take_title(&r, &markup, &token);
    }
    end_page(&r, lost_before);
    free(r.words);
    drt_buffer_free(&r.words_text);
    drt_buffer_free(&r.scratch);
    return !r.failed;
}
