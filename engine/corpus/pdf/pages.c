/* pages.c: the output of `pdftotext -bbox-layout` -> lines with their places. See pdf.h.
 *
 * It looks like XML, but words are what the fonts of the file say, control characters included: it is read by the
 * forgiving reader of markup.h. Words come in the order in which they stand on the page. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <utf8proc.h>

#include "engine/base/utf8.h"
#include "engine/corpus/formats/markup.h"
#include "engine/corpus/normalise.h"
#include "engine/corpus/pdf/pdf.h"

#define FARTHEST 100000.0f /* points; no page is larger */
#define ELLIPSIS 4         /* dots at most; more lead to a page's number */
#define NO_GAP 0.08f       /* of the height: words nearer than that are one */
#define MOST_FONTS 6       /* of a line that are looked at */
#define LARGE_INITIAL 1.7f /* of the height of the lines beside it */
#define MOST_INITIALS 16   /* of a page */
#define SAME_FONT 0.04f    /* heights of words in one font differ by less, */
#define SAME_FOOT 0.2f     /* and the feet of letters of several fonts on a line */

typedef struct {
    drt_pdf_box box;
    size_t at, length; /* in reader.words_text */
    size_t characters;
    bool right_to_left;
} word;

typedef struct {
    drt_pdf *pdf;
    drt_extract *extract;
    drt_pdf_page *page;
    word *words; /* of the line at hand */
    size_t n_words, capacity;
    drt_buffer words_text, scratch, mended;
    drt_pdf_mark *line_numbers; /* of the page, sorted */
    size_t n_line_numbers;
    drt_pdf_census line, all;
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

static bool is_right_to_left(uint32_t c) {
    return (c >= 0x590 && c < 0x900) || (c >= 0xFB1D && c < 0xFE00) || (c >= 0xFE70 && c < 0xFEFF);
}

/* Ligatures and the shapes that letters take in words. */
static bool is_shape(uint32_t c) {
    return (c >= 0xFB00 && c < 0xFE00) || (c >= 0xFE70 && c < 0xFEFF);
}

/* ------------------------------------------------------------------------------ words ---- */

static void append(reader *r, drt_buffer *buffer, const char *data, size_t length) {
    r->failed = r->failed || !drt_buffer_append(buffer, data, length);
}

/* Appends a character, the letters of one that stands for several, or nothing. */
static void append_character(reader *r, const char *data, size_t length, uint32_t c) {
    drt_pdf_count(&r->line, c);
    if (drt_pdf_is_odd(c))
        return;
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

static bool is_digit(uint32_t c) {
    return (c >= '0' && c <= '9') || (c >= 0x660 && c <= 0x669) || (c >= 0x6F0 && c <= 0x6F9);
}

static uint32_t character_before(const char *data, size_t end, size_t *at) {
    uint32_t c = 0;
    *at = end > 0 ? drt_utf8_floor(data, end, end - 1) : 0;
    return end > 0 && drt_utf8_decode(data + *at, end - *at, &c) == end - *at ? c : 0;
}

/* Where the number begins that ends here: digits with signs between them, which are read from left to right. */
static size_t number_start(const char *data, size_t end) {
    size_t start = end, at, before;
    for (uint32_t c = character_before(data, end, &at); c; c = character_before(data, start, &at)) {
        bool sign = c < 0x80 && strchr("./,:", (int)c) && is_digit(character_before(data, at, &before));
        if (!is_digit(c) && !sign)
            break;
        start = at;
    }
    return start;
}

/* The bracket that looks the other way; NULL: it is none. */
static const char *mirrored(char c) {
    static const char pairs[] = "()[]{}<>";
    const char *found = c ? strchr(pairs, c) : NULL;
    return found ? pairs + ((found - pairs) ^ 1) : NULL;
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
        if (turned && is_digit(c)) {
            from = number_start(data, end);
            append_word_text(r, data + from, end - from, false);
        } else if (turned && c < 0x80 && mirrored((char)c)) {
            const char *other = mirrored((char)c);
            append_character(r, other, 1, (unsigned char)*other);
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

/* The value of a word that is a number of a few digits. */
static bool read_number(const char *data, size_t length, uint32_t *value) {
    *value = 0;
    for (size_t i = 0; i < length; i++) {
        if (data[i] < '0' || data[i] > '9' || i >= 5)
            return false;
        *value = *value * 10 + (uint32_t)(data[i] - '0');
    }
    return length > 0;
}

/* Is this word one of the numbers that count the lines? */
static bool is_line_number(const reader *r, const drt_pdf_box *box, const char *data, size_t length) {
    drt_pdf_mark mark = {.box = *box};
    return r->n_line_numbers > 0 && read_number(data, length, &mark.value) &&
           bsearch(&mark, r->line_numbers, r->n_line_numbers, sizeof mark, drt_pdf_compare_marks);
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
    if (is_line_number(r, &added.box, data, r->scratch.length))
        return;
    size_t before = r->line.visible;
    r->mended.length = 0;
    r->failed = !drt_pdf_mend_word(data, r->scratch.length, &r->mended);
    data = r->mended.data ? r->mended.data : "";
    added.right_to_left = has_right_to_left(data, r->mended.length);
    append_word_text(r, data, r->mended.length, added.right_to_left);
    added.length = r->words_text.length - added.at;
    if (added.length > 0)
        drt_pdf_count_word(&r->line, r->words_text.data + added.at, added.length);
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

/* Words of one height: of one font, that is. */
typedef struct {
    float height, base;
    size_t characters;
} font;

/* The heights of most letters and of the next most that stand on the same height: raised numbers do not. */
static void find_fonts(const reader *r, drt_pdf_line *line) {
    font fonts[MOST_FONTS] = {{0}};
    size_t n = 0, best = 0, next = MOST_FONTS;
    for (size_t i = 0, k; i < r->n_words; i++) {
        const drt_pdf_box *box = &r->words[i].box;
        float height = line->sideways ? box->right - box->left : box->bottom - box->top;
        for (k = 0; k < n && fabsf(fonts[k].height - height) > SAME_FONT * height;)
            k++;
        if (k == n && n < MOST_FONTS)
            fonts[n++] = (font){.height = height, .base = box->bottom};
        if (k < n)
            fonts[k].characters += r->words[i].characters;
    }
    for (size_t k = 1; k < n; k++)
        best = fonts[k].characters > fonts[best].characters ? k : best;
    for (size_t k = 0; k < n; k++) {
        float higher = fmaxf(fonts[k].height, fonts[best].height);
        if (k != best && fonts[k].characters > 1 && fabsf(fonts[k].base - fonts[best].base) < SAME_FOOT * higher &&
            (next == MOST_FONTS || fonts[k].characters > fonts[next].characters))
            next = k;
    }
    line->height = fonts[best].height;
    line->base = fonts[best].base;
    if (next < MOST_FONTS && !line->sideways) {
        line->other = fonts[next].height;
        line->base = line->other > line->height ? fonts[next].base : line->base;
    }
}

static float letter_width(const reader *r) {
    float width = 0;
    size_t characters = 0;
    for (size_t i = 0; i < r->n_words; i++) {
        width += r->words[i].box.right - r->words[i].box.left;
        characters += r->words[i].characters;
    }
    return width / (float)(characters + 1);
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

/* Dots that lead to a page number, one or many. */
static bool is_dots(const reader *r, const word *w) {
    for (size_t i = 0; i < w->length; i++)
        if (r->words_text.data[w->at + i] != '.')
            return false;
    return w->length > 0;
}

static bool is_leader(const reader *r, size_t i) {
    const word *w = r->words;
    if (!is_dots(r, &w[i]))
        return false;
    size_t first = i, end = i + 1;
    while (first > 0 && i - first < ELLIPSIS && is_dots(r, &w[first - 1]))
        first--;
    while (end < r->n_words && end - i <= ELLIPSIS && is_dots(r, &w[end]))
        end++;
    return w[i].length > ELLIPSIS || end - first > ELLIPSIS;
}

static bool is_bracket(const reader *r, const word *w) {
    return w->length == 1 && mirrored(r->words_text.data[w->at]);
}

static void add_words(reader *r, drt_pdf_line *line) {
    bool sideways = line->sideways;
    for (size_t i = 0; i < r->n_words; i++) {
        if (is_leader(r, i)) {
            line->leader = true;
            continue;
        }
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
        if (line->right_to_left && is_bracket(r, w))
            append(r, &r->pdf->text, mirrored(r->words_text.data[w->at]), 1);
        else
            append(r, &r->pdf->text, r->words_text.data + w->at, w->length);
    }
}

/* The number of a note, raised before its first line, is told as a line of its own. */
static bool leads(const drt_pdf_line *mark, const drt_pdf_line *line) {
    float gap = line->box.left - mark->box.right;
    bool raised = mark->height < line->height ||
                  (mark->height < 1.3f * line->height && mark->base < line->base - 0.1f * line->height);
    return mark->words == 1 && mark->length <= 3 && raised && !mark->sideways && !line->sideways &&
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

static bool has_turned(const reader *r) {
    for (size_t i = 0; i < r->n_words; i++)
        if (r->words[i].right_to_left)
            return true;
    return false;
}

static void end_line(reader *r) {
    drt_pdf *pdf = r->pdf;
    bool lost = r->line.odd >= 2 && r->line.odd * 5 >= r->line.visible + r->line.odd;
    drt_pdf_census_add(&r->all, &r->line);
    pdf->lost += (int64_t)(lost ? r->line.odd + r->line.visible : r->line.odd);
    r->line = (drt_pdf_census){0};
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
    line.inverted = !line.sideways && r->words[r->n_words - 1].box.right < r->words[0].box.left && !has_turned(r);
    line.upwards = r->words[r->n_words - 1].box.top < r->words[0].box.top;
    find_fonts(r, &line);
    line.right_to_left = order_words(r);
    line.first_word = r->words[0].box.right - r->words[0].box.left;
    line.letter = letter_width(r);
    take_mark(r, &line);
    add_words(r, &line);
    line.length = pdf->text.length - line.at;
    if (line.length > 0) { /* not only dots */
        pdf->lines[pdf->n_lines++] = line;
        r->page->n_lines++;
    }
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

/* A letter as high as several lines, which the first of them begins with. */
static bool is_initial(const drt_pdf *pdf, const drt_pdf_line *line) {
    uint32_t c = 0;
    return !line->sideways && line->words == 1 && line->length <= 3 &&
           drt_utf8_decode(pdf->text.data + line->at, line->length, &c) == line->length &&
           utf8proc_isupper((utf8proc_int32_t)c);
}

/* Puts the letter before the first of the lines beside it, and these below it. false: there are none. */
static bool join_initial(reader *r, const drt_pdf_line *initial) {
    drt_pdf *pdf = r->pdf;
    drt_pdf_line *first = NULL;
    for (size_t i = r->page->first_line; i < pdf->n_lines; i++) {
        drt_pdf_line *line = &pdf->lines[i];
        float gap = line->box.left - initial->box.right, middle = (line->box.top + line->box.bottom) / 2;
        if (line->sideways || gap < -0.5f * line->height || gap > line->height ||
            initial->height < LARGE_INITIAL * line->height || middle < initial->box.top - line->height / 2 ||
            middle > initial->box.bottom)
            continue;
        line->box.left = initial->box.left;
        first = !first || line->base < first->base ? line : first;
    }
    if (!first)
        return false;
    size_t at = pdf->text.length;
    r->failed = r->failed || !drt_buffer_reserve(&pdf->text, initial->length + first->length);
    if (r->failed)
        return true;
    append(r, &pdf->text, pdf->text.data + initial->at, initial->length);
    append(r, &pdf->text, pdf->text.data + first->at, first->length);
    first->at = at;
    first->length += initial->length;
    first->reference_at += initial->length;
    return true;
}

static void join_initials(reader *r) {
    drt_pdf *pdf = r->pdf;
    for (size_t i = r->page->first_line, joined = 0; i < pdf->n_lines && joined < MOST_INITIALS;) {
        drt_pdf_line initial = pdf->lines[i];
        if (!is_initial(pdf, &initial) || !join_initial(r, &initial)) {
            i++;
            continue;
        }
        memmove(&pdf->lines[i], &pdf->lines[i + 1], (pdf->n_lines - i - 1) * sizeof *pdf->lines);
        pdf->n_lines--;
        r->page->n_lines--;
        joined++;
    }
}

static drt_pdf_box turn_box(const drt_pdf_page *page, drt_pdf_box box) {
    return (drt_pdf_box){page->width - box.right, page->height - box.bottom, page->width - box.left,
                         page->height - box.top};
}

/* Puts a page right whose lines are upside down. */
static void turn_page(reader *r) {
    size_t inverted = 0, upright = 0;
    for (size_t i = r->page->first_line; i < r->pdf->n_lines; i++) {
        const drt_pdf_line *line = &r->pdf->lines[i];
        if (line->words > 1 && !line->sideways)
            *(line->inverted ? &inverted : &upright) += 1;
    }
    for (size_t i = r->page->first_line; i < r->pdf->n_lines && inverted > upright; i++) {
        drt_pdf_line *line = &r->pdf->lines[i];
        line->box = turn_box(r->page, line->box);
        line->base = line->box.bottom;
    }
}

static void end_page(reader *r, int64_t lost_before) {
    if (r->page && !r->failed) {
        turn_page(r);
        join_initials(r);
    }
    if (!r->page || !drt_pdf_is_unreadable(&r->all))
        return;
    r->page->unreadable = true;
    r->pdf->n_lines = r->page->first_line;
    r->page->n_lines = 0;
    r->pdf->lost = lost_before;
}

/* ------------------------------------------------------------------------ a page of output ---- */

/* Finds the numbers that count the page's lines, before these are read. */
static void look_for_line_numbers(reader *r, drt_markup markup) {
    drt_markup_token token, content;
    size_t n = 0, capacity = 0;
    float height = 0;
    while (!r->failed && drt_markup_next(&markup, &token)) {
        if (token.kind != DRT_MARKUP_START)
            continue;
        if (drt_markup_is(&token, "page"))
            height = number_of(&token, "height");
        if (!drt_markup_is(&token, "word"))
            continue;
        drt_pdf_mark *marks = grow(r->line_numbers, n, &capacity, sizeof *marks);
        r->failed = !marks;
        if (r->failed)
            return;
        r->line_numbers = marks;
        drt_markup_raw(&markup, &token, &content);
        marks[n] = (drt_pdf_mark){.box = box_of(&token)};
        marks[n].is_number = read_number(content.data, content.length, &marks[n].value);
        n++;
    }
    r->n_line_numbers = drt_pdf_find_line_numbers(r->line_numbers, n, r->pdf->counts_lines, height);
    r->pdf->counts_lines = r->pdf->counts_lines || r->n_line_numbers > 0;
}

bool drt_pdf_add_page(drt_pdf *pdf, const char *data, size_t length, drt_extract *extract) {
    reader r = {.pdf = pdf, .extract = extract};
    drt_markup markup = {.data = data, .length = length, .xml = true};
    drt_markup_token token;
    int64_t lost_before = pdf->lost;
    look_for_line_numbers(&r, markup);
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
            r.failed = !drt_pdf_take_meta(&token, &r.scratch, extract);
        else if (drt_markup_is(&token, "title") && starts && !r.page) {
            drt_markup_token content;
            drt_markup_raw(&markup, &token, &content);
            r.failed = !drt_pdf_take_title(&content, &r.scratch, extract);
        }
    }
    end_page(&r, lost_before);
    free(r.words);
    drt_buffer_free(&r.words_text);
    drt_buffer_free(&r.scratch);
    drt_buffer_free(&r.mended);
    free(r.line_numbers);
    return !r.failed;
}
