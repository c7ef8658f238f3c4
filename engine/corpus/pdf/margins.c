/* margins.c: what stands around the text of a page and is no part of it: running heads and feet, numbers of pages, and
 * numbers of lines. See pdf.h. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/corpus/pdf/pdf.h"

#define MARGIN 0.18f      /* of the page's height: where running heads stand */
#define SIDE 0.1f         /* of its width: where stamps stand that are printed upwards */
#define MARGIN_ROWS 3     /* the outermost rows of a page are looked at */
#define MOST_LINES 1000   /* of a page that is looked at, */
#define MOST_COMPARED 200 /* and in the margins of each page near it */
#define SAME_PLACE 6.0f   /* points by which a running head may move from page to page */
#define NEAR_PAGES 4      /* to either side are asked for the same head */
#define LARGE 1.15f       /* of the body's height: running heads are smaller than that */
#define ROMAN 100000      /* is added to Roman numbers, which are of another kind */
#define LEAST_LINES 10    /* that are counted, */
#define LEAST_NUMBERS 4   /* by as many numbers; */
#define LEAST_EACH 20     /* when each line has one, as the first entries of a list do, */
#define MOST_CANDIDATES 8 /* rows of numbers on a page that are looked at closely */
#define SAME_EDGE 1.0f    /* points by which numbers below each other may move */

typedef const drt_pdf_line *line_pointer;

/* -------------------------------------------------------------------------- numbers ---- */

/* A Roman number of small or of capital letters; 0: it is none. */
static long roman_number(const char *data, size_t length) {
    static const char small[] = "ivxlc", capital[] = "IVXLC";
    static const int values[] = {1, 5, 10, 50, 100};
    const char *letters = length > 0 && isupper((unsigned char)data[0]) ? capital : small;
    long number = 0;
    int before = 1000;
    for (size_t i = 0; i < length; i++) {
        const char *letter = data[i] ? strchr(letters, data[i]) : NULL;
        if (!letter || length > 9)
            return 0;
        int value = values[letter - letters];
        number += value > before ? value - 2 * before : value;
        before = value;
    }
    return number > 0 ? number + ROMAN : 0;
}

/* "7", "- 7 -", "vii", "Page 7 of 12": 0: it is none. */
static long page_number(const char *data, size_t length) {
    char plain[32];
    size_t n = 0;
    for (size_t i = 0; i < length; i++) {
        if (strchr(" -.|[]()", data[i]) || (unsigned char)data[i] >= 0x80)
            continue; /* dashes */
        if (n + 1 == sizeof plain)
            return 0;
        plain[n++] = (char)tolower((unsigned char)data[i]);
    }
    plain[n] = 0;
    const char *at = plain;
    if (strncmp(at, "page", 4) == 0)
        at += 4;
    size_t digits = strspn(at, "0123456789");
    if (digits == 0)
        return roman_number(at, strlen(at));
    long number = strtol(at, NULL, 10);
    at += digits;
    if (*at == '/')
        at++;
    else if (strncmp(at, "of", 2) == 0)
        at += 2;
    return digits < 5 && strspn(at, "0123456789") == strlen(at) ? number : 0;
}

/* ------------------------------------------------------------------------------ heads ---- */

typedef struct {
    const drt_pdf *pdf;
    float body;
} search;

static const char *text_of(const search *s, line_pointer line) {
    return s->pdf->text.data + line->at;
}

static bool is_caption(const char *data, size_t length) {
    static const char *const words[] = {"Table ", "Figure ", "Fig. ", "Tab. ", "Tabelle ", "Abbildung ", "Tableau "};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (length > strlen(words[i]) && strncasecmp(data, words[i], strlen(words[i])) == 0)
            return true;
    return false;
}

/* The end of a word, or of a number inside one. */
static size_t token_end(const char *data, size_t length, size_t at) {
    bool digit = isdigit((unsigned char)data[at]);
    size_t end = at + 1;
    while (end < length && data[end] != ' ' && (isdigit((unsigned char)data[end]) != 0) == digit)
        end++;
    return end;
}

static long token_number(const char *data, size_t length) {
    if (!isdigit((unsigned char)data[0]))
        return roman_number(data, length);
    return length < 10 ? strtol(data, NULL, 10) : -1;
}

/* Does b say the same as a, `pages` pages later? Numbers in it are the same or have been counted on. */
static bool is_same_head(const char *a, size_t n, const char *b, size_t m, long pages) {
    size_t i = 0, k = 0;
    for (;;) {
        while (i < n && a[i] == ' ')
            i++;
        while (k < m && b[k] == ' ')
            k++;
        if (i == n || k == m)
            return i == n && k == m;
        size_t i_end = token_end(a, n, i), k_end = token_end(b, m, k);
        bool same = i_end - i == k_end - k && memcmp(a + i, b + k, i_end - i) == 0;
        if (!same) {
            long from = token_number(a + i, i_end - i), to = token_number(b + k, k_end - k);
            if (from <= 0 || to <= 0 || to - from != pages)
                return false;
        }
        i = i_end;
        k = k_end;
    }
}

static bool in_margin(const drt_pdf_page *page, line_pointer line) {
    if (line->sideways)
        return line->box.right < SIDE * page->width || line->box.left > (1 - SIDE) * page->width;
    return line->box.bottom < MARGIN * page->height || line->box.top > (1 - MARGIN) * page->height;
}

/* Rows further out on the page's upper or lower edge than this line. */
static size_t rows_outside(const search *s, const drt_pdf_page *page, line_pointer line) {
    bool upper = line->box.bottom < page->height / 2;
    size_t n = 0;
    float edge = upper ? line->box.top : line->box.bottom, row = NAN;
    for (size_t i = page->first_line; i < page->first_line + page->n_lines && n < MARGIN_ROWS; i++) {
        const drt_pdf_box *box = &s->pdf->lines[i].box;
        bool outside = upper ? box->bottom <= edge : box->top >= edge;
        if (outside && !s->pdf->lines[i].sideways && !(fabsf(box->top - row) < SAME_PLACE)) {
            row = box->top;
            n++;
        }
    }
    return n;
}

static bool is_same_place(line_pointer a, line_pointer b) {
    return a->sideways ? fabsf(a->box.left - b->box.left) <= SAME_PLACE : fabsf(a->box.top - b->box.top) <= SAME_PLACE;
}

/* Is there a line on page q at the same place that says the same, or anywhere in its margins the number expected? */
static bool is_on_page(const search *s, size_t q, line_pointer line, long expected, long pages) {
    const drt_pdf_page *page = &s->pdf->pages[q];
    const char *text = text_of(s, line);
    size_t compared = 0;
    for (size_t i = page->first_line; i < page->first_line + page->n_lines && compared < MOST_COMPARED; i++) {
        line_pointer other = &s->pdf->lines[i];
        if (other->sideways != line->sideways || !in_margin(page, other))
            continue;
        compared++;
        if (expected > 0 && page_number(text_of(s, other), other->length) == expected)
            return true;
        if (is_same_place(line, other) && is_same_head(text, line->length, text_of(s, other), other->length, pages))
            return true;
    }
    return false;
}

/* The stamp in the margin of a preprint's first page. */
static bool is_stamp(const search *s, line_pointer line) {
    return line->sideways && line->length > 6 && memcmp(text_of(s, line), "arXiv:", 6) == 0;
}

/* A line that its neighbours have too. The outermost one needs to be met once, as a page's number does. */
static bool is_head(const search *s, size_t p, line_pointer line) {
    const drt_pdf *pdf = s->pdf;
    const drt_pdf_page *page = &pdf->pages[p];
    long number = page_number(text_of(s, line), line->length);
    if (page->n_lines > MOST_LINES || !in_margin(page, line) ||
        (!line->sideways && !number && line->height > LARGE * s->body) || is_caption(text_of(s, line), line->length))
        return false;
    bool near = false; /* found on the next page or the one behind it */
    size_t outside = line->sideways ? 0 : rows_outside(s, page, line), found = 0;
    if (outside >= MARGIN_ROWS)
        return false;
    for (size_t q = p > NEAR_PAGES ? p - NEAR_PAGES : 0; q < pdf->n_pages && q <= p + NEAR_PAGES; q++)
        if (q != p && is_on_page(s, q, line, number ? number + (long)q - (long)p : 0, (long)q - (long)p)) {
            found++;
            near = near || (p > q ? p - q : q - p) <= 2;
        }
    return found >= 2 || (found == 1 && near && (number || outside == 0)) || is_stamp(s, line) ||
           (number && pdf->n_pages == 1 && line->words == 1 && outside == 0);
}

void drt_pdf_find_heads(const drt_pdf *pdf, float body, uint8_t *dropped) {
    search s = {pdf, body};
    size_t n = 0;
    for (size_t p = 0; p < pdf->n_pages; p++) {
        const drt_pdf_page *page = &pdf->pages[p];
        for (size_t i = page->first_line; i < page->first_line + page->n_lines; i++)
            n += dropped[i] = is_head(&s, p, &pdf->lines[i]);
    }
    if (n == pdf->n_lines) /* a file of nothing but heads has none: the same words on each page are its text */
        memset(dropped, 0, pdf->n_lines);
}

/* ---------------------------------------------------------------------- numbers of lines ---- */

static int compare_floats(float a, float b) {
    return a < b ? -1 : a > b;
}

int drt_pdf_compare_marks(const void *a, const void *b) {
    const drt_pdf_mark *left = a, *right = b;
    if (left->value != right->value)
        return left->value < right->value ? -1 : 1;
    int order = compare_floats(left->box.left, right->box.left);
    return order ? order : compare_floats(left->box.top, right->box.top);
}

static int by_left(const void *a, const void *b) {
    return compare_floats(((const drt_pdf_mark *)a)->box.left, ((const drt_pdf_mark *)b)->box.left);
}

static int by_right(const void *a, const void *b) {
    return compare_floats(((const drt_pdf_mark *)a)->box.right, ((const drt_pdf_mark *)b)->box.right);
}

static int by_top(const void *a, const void *b) {
    return compare_floats(((const drt_pdf_mark *)a)->box.top, ((const drt_pdf_mark *)b)->box.top);
}

/* Do these, from the top to the bottom, count at regular distances? */
static bool is_count(const drt_pdf_mark *marks, size_t n, bool known, float page_height) {
    uint32_t step = UINT32_MAX;
    size_t steps = 0, even = 0;
    if (n < LEAST_NUMBERS || marks[n - 1].value < marks[0].value + LEAST_LINES - 1 ||
        marks[n - 1].box.top - marks[0].box.top < page_height / 8)
        return false;
    for (size_t i = 1; i < n; i++) {
        if (marks[i].value <= marks[i - 1].value)
            return false;
        step = marks[i].value - marks[i - 1].value < step ? marks[i].value - marks[i - 1].value : step;
    }
    float distance = INFINITY; /* of two lines */
    for (size_t i = 1; i < n; i++)
        if (marks[i].value - marks[i - 1].value == step)
            distance = fminf(distance, (marks[i].box.top - marks[i - 1].box.top) / (float)step);
    for (size_t i = 1; i < n; i++) {
        float lines = (float)(marks[i].value - marks[i - 1].value);
        steps += marks[i].value - marks[i - 1].value == step;
        even += (marks[i].box.top - marks[i - 1].box.top) / lines < 1.6f * distance;
    }
    if (step == 1 && n < LEAST_EACH && !known)
        return false;
    return (step <= 5 || step == 10) && steps * 5 >= (n - 1) * 4 && even * 3 >= n - 1;
}

/* Do they stand by themselves? The column of a table has text above and below it. */
static bool stand_apart(const drt_pdf_mark *marks, size_t n, const drt_pdf_mark *numbers, size_t n_numbers) {
    float left = numbers[0].box.left, right = numbers[0].box.right;
    size_t overlapping = 0, rows = numbers[n_numbers - 1].value - numbers[0].value + 1;
    for (size_t i = 1; i < n_numbers; i++) {
        left = fminf(left, numbers[i].box.left);
        right = fmaxf(right, numbers[i].box.right);
    }
    for (size_t i = 0; i < n; i++)
        overlapping += marks[i].box.left < right && marks[i].box.right > left;
    return overlapping <= n_numbers + n / 20 && n >= 5 * rows;
}

/* Numbers with a common edge: left or right, as they are sorted. */
static void try_edges(drt_pdf_mark *marks, size_t n, size_t n_numbers, bool right, bool known, float page_height) {
    qsort(marks, n_numbers, sizeof *marks, right ? by_right : by_left);
    for (size_t i = 0, end, tried = 0; i < n_numbers && tried < MOST_CANDIDATES; i = end) {
        float edge = right ? marks[i].box.right : marks[i].box.left;
        for (end = i + 1; end < n_numbers; end++)
            if ((right ? marks[end].box.right : marks[end].box.left) - edge > SAME_EDGE)
                break;
        qsort(marks + i, end - i, sizeof *marks, by_top);
        if (!is_count(marks + i, end - i, known, page_height))
            continue;
        tried++;
        if (stand_apart(marks, n, marks + i, end - i))
            for (size_t k = i; k < end; k++)
                marks[k].of_line = true;
    }
}

/* Those that are so first; returns how many. */
static size_t part(drt_pdf_mark *marks, size_t n, bool by_line) {
    size_t first = 0;
    for (size_t i = 0; i < n; i++) {
        if (by_line ? marks[i].of_line : marks[i].is_number) {
            drt_pdf_mark moved = marks[i];
            marks[i] = marks[first];
            marks[first++] = moved;
        }
    }
    return first;
}

size_t drt_pdf_find_line_numbers(drt_pdf_mark *marks, size_t n, bool known, float page_height) {
    size_t n_numbers = part(marks, n, false);
    if (n_numbers < LEAST_NUMBERS)
        return 0;
    try_edges(marks, n, n_numbers, false, known, page_height);
    try_edges(marks, n, n_numbers, true, known, page_height);
    size_t of_lines = part(marks, n_numbers, true);
    qsort(marks, of_lines, sizeof *marks, drt_pdf_compare_marks);
    return of_lines;
}
