/* order.c: the order in which the lines of a page are read. See pdf.h.
 *
 * A gutter is a place that parts lines which stand beside each other. Lines across the best one (titles, prose above
 * a table) cut the page into bands; in a band with lines on both sides these are columns, read one after the other, or
 * the cells of a table, read row by row. Columns, and what stands between such bands, are looked at in the same way. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/corpus/pdf/pdf.h"

#define MOST_LABEL 18   /* bytes of an equation's number, or "[Function]" */
#define MOST_LINES 2000 /* of a page; more are left in pdftotext's order */
#define MOST_CELL_WORDS 5
#define MOST_TERM_WORDS 4
#define MOST_DEPTH 16     /* columns in columns */
#define STEP 2.0f         /* points between places that are tried */
#define LEAST_GUTTER 0.6f /* of a line's height */
#define ROOM 0.9f         /* of a line's height: around a table */
#define SAME_ROW 0.35f    /* of a line's height: feet of cells in a row differ by less */

typedef const drt_pdf_line *line_pointer;

typedef struct {
    const drt_pdf *pdf;
    drt_pdf_step *next;
    bool right_to_left;
} orderer;

static float center(line_pointer line) {
    return (line->box.top + line->box.bottom) / 2;
}

static int by_place(const void *a, const void *b) {
    line_pointer left = *(const line_pointer *)a, right = *(const line_pointer *)b;
    if (center(left) != center(right))
        return center(left) < center(right) ? -1 : 1;
    return left < right ? -1 : left > right;
}

static int by_left(const void *a, const void *b) {
    line_pointer left = *(const line_pointer *)a, right = *(const line_pointer *)b;
    if (left->box.left != right->box.left)
        return left->box.left < right->box.left ? -1 : 1;
    return left < right ? -1 : left > right;
}

static int by_right(const void *a, const void *b) {
    return -by_left(a, b);
}

static void emit(orderer *o, line_pointer line, drt_pdf_place place) {
    *o->next++ = (drt_pdf_step){(size_t)(line - o->pdf->lines), place};
}

static void emit_column(orderer *o, const line_pointer *lines, size_t n) {
    for (size_t i = 0; i < n; i++)
        emit(o, lines[i], i ? DRT_PDF_FLOW : DRT_PDF_TOP);
}

/* ---------------------------------------------------------------------------- gutters ---- */

typedef struct {
    float at; /* lines end left of it, or begin right of it, or cross it */
    float width;
    size_t pairs; /* lines on the left with one on the right beside them */
    size_t crossing;
} gutter;

static bool is_left(line_pointer line, float at) {
    return line->box.right <= at;
}

static bool is_right(line_pointer line, float at) {
    return line->box.left > at;
}

/* lines: by place. */
static gutter try_gutter(const line_pointer *lines, size_t n, float at) {
    gutter tried = {.at = at};
    float left_end = -INFINITY, right_start = INFINITY;
    size_t other = 0; /* the line on the right that is looked at */
    for (size_t i = 0; i < n; i++) {
        if (is_right(lines[i], at))
            right_start = fminf(right_start, lines[i]->box.left);
        else if (!is_left(lines[i], at))
            tried.crossing++;
        else {
            left_end = fmaxf(left_end, lines[i]->box.right);
            while (other < n && (!is_right(lines[other], at) || lines[other]->box.bottom <= lines[i]->box.top))
                other++;
            tried.pairs += other < n && lines[other]->box.top < lines[i]->box.bottom;
        }
    }
    tried.width = right_start - left_end;
    return tried;
}

static bool is_better(const gutter *a, const gutter *b) {
    if (a->pairs != b->pairs)
        return a->pairs > b->pairs;
    if (a->crossing != b->crossing)
        return a->crossing < b->crossing;
    return a->width > b->width;
}

/* The best place that parts some lines; pairs 0: there is none. */
static gutter find_gutter(const line_pointer *lines, size_t n) {
    gutter best = {0};
    float low = INFINITY, high = -INFINITY, height = 0;
    for (size_t i = 0; i < n; i++) {
        low = fminf(low, lines[i]->box.right);
        high = fmaxf(high, lines[i]->box.left);
        height += lines[i]->height / (float)n;
    }
    for (float at = low; at < high && high - low < 10000; at += STEP) {
        gutter tried = try_gutter(lines, n, at);
        if (tried.width >= LEAST_GUTTER * height && tried.pairs > 0 && is_better(&tried, &best))
            best = tried;
    }
    return best;
}

/* ------------------------------------------------------------------------------ bands ---- */

static float words_a_line(const line_pointer *lines, size_t n) {
    float words = 0;
    for (size_t i = 0; i < n; i++)
        words += (float)lines[i]->words;
    return words / (float)n;
}

static bool in_one_row(line_pointer a, line_pointer b) {
    return fabsf(a->base - b->base) < SAME_ROW * fmaxf(a->height, b->height);
}

/* Lines of `few` that have one of `many` in their row; both by place. */
static size_t count_aligned(const line_pointer *few, size_t n_few, const line_pointer *many, size_t n_many) {
    size_t aligned = 0, other = 0;
    for (size_t i = 0; i < n_few; i++) {
        while (other < n_many && center(many[other]) < few[i]->box.top)
            other++;
        bool found = false;
        for (size_t k = other; k < n_many && center(many[k]) <= few[i]->box.bottom && !found; k++)
            found = in_one_row(few[i], many[k]);
        aligned += found;
    }
    return aligned;
}

/* Are these sides cells rather than columns of prose? Cells are short and stand in rows. */
static bool is_table(const line_pointer *left, size_t n_left, const line_pointer *right, size_t n_right) {
    float left_words = words_a_line(left, n_left), right_words = words_a_line(right, n_right);
    bool more_left = n_left > n_right;
    size_t few = more_left ? n_right : n_left, many = more_left ? n_left : n_right;
    size_t aligned =
        more_left ? count_aligned(right, n_right, left, n_left) : count_aligned(left, n_left, right, n_right);
    if (aligned * 10 < few * 7)
        return false;
    if (many * 2 > few * 5 && (more_left ? left_words : right_words) > 4)
        return false; /* prose beside some labels */
    return fminf(left_words, right_words) < 2.5f || left_words + right_words < 7;
}

static size_t row_end(const line_pointer *lines, size_t n, size_t start) {
    size_t end = start + 1;
    while (end < n && in_one_row(lines[start], lines[end]))
        end++;
    return end;
}

static void emit_table(orderer *o, line_pointer *lines, size_t n) {
    for (size_t i = 0, end; i < n; i = end) {
        end = row_end(lines, n, i);
        qsort(lines + i, end - i, sizeof *lines, o->right_to_left ? by_right : by_left);
        for (size_t k = i; k < end; k++)
            emit(o, lines[k], k == i ? DRT_PDF_ROW : DRT_PDF_CELL);
    }
}

/* From the first to the last row with several cells; what stands alone around them is no part of the table. */
static void narrow_table(const line_pointer *lines, size_t *start, size_t *end) {
    size_t first = *end, behind = *start;
    for (size_t i = *start, next; i < *end; i = next) {
        next = row_end(lines, *end, i);
        if (next - i > 1) {
            first = first < i ? first : i;
            behind = next;
        }
    }
    *start = first < *end ? first : *start;
    *end = behind > *start ? behind : *end;
}

static void order(orderer *o, line_pointer *lines, size_t n, int depth);

/* Those on the left first, each side by place; returns how many they are. */
static size_t part(line_pointer *lines, size_t n, float at) {
    size_t n_left = 0;
    for (size_t i = 0; i < n; i++) {
        if (is_left(lines[i], at)) {
            line_pointer moved = lines[i];
            lines[i] = lines[n_left];
            lines[n_left++] = moved;
        }
    }
    qsort(lines, n_left, sizeof *lines, by_place);
    qsort(lines + n_left, n - n_left, sizeof *lines, by_place);
    return n_left;
}

/* A few signs beside a line: the number of an equation. */
static bool is_label(line_pointer line) {
    return line->words < 3 && line->length <= MOST_LABEL;
}

/* Are the lines on the right (by place, behind n_left others) few labels, each beside a line on the left? */
static bool are_labels(const line_pointer *lines, size_t n_left, size_t n) {
    for (size_t i = n_left; i < n; i++)
        if (!is_label(lines[i]))
            return false;
    return n - n_left <= n_left && count_aligned(lines + n_left, n - n_left, lines, n_left) == n - n_left;
}

/* Each label behind the line that it stands beside. lines: by place, the labels behind n_left others. */
static void emit_labelled(orderer *o, const line_pointer *lines, size_t n_left, size_t n) {
    size_t label = n_left;
    for (size_t i = 0; i < n_left; i++) {
        bool labelled = label < n && in_one_row(lines[i], lines[label]);
        emit(o, lines[i], labelled ? DRT_PDF_ROW : i ? DRT_PDF_FLOW : DRT_PDF_TOP);
        if (labelled)
            emit(o, lines[label++], DRT_PDF_CELL);
    }
    for (; label < n; label++)
        emit(o, lines[label], DRT_PDF_FLOW);
}

static void order_columns(orderer *o, line_pointer *lines, size_t n, float at, int depth) {
    size_t n_left = part(lines, n, at);
    if (!o->right_to_left && are_labels(lines, n_left, n)) {
        emit_labelled(o, lines, n_left, n);
        return;
    }
    if (o->right_to_left)
        order(o, lines + n_left, n - n_left, depth + 1);
    order(o, lines, n_left, depth + 1);
    if (!o->right_to_left)
        order(o, lines + n_left, n - n_left, depth + 1);
}

static bool crosses(line_pointer line, float at) {
    return !is_left(line, at) && !is_right(line, at);
}

/* Lines from start on that don't cross the gutter, as far as they go: do they stand beside each
 * other, and what are they? */
static bool find_band(line_pointer *lines, size_t n, float at, size_t start, size_t *end, bool *table) {
    size_t n_left = 0;
    for (*end = start; *end < n && !crosses(lines[*end], at); ++*end)
        n_left += is_left(lines[*end], at);
    if (n_left == 0 || n_left == *end - start || try_gutter(lines + start, *end - start, at).pairs == 0)
        return false;
    part(lines + start, *end - start, at);
    *table = is_table(lines + start, n_left, lines + start + n_left, *end - start - n_left);
    qsort(lines + start, *end - start, sizeof *lines, by_place);
    return true;
}

/* Three cells or more, of few words. */
static bool is_row_of_cells(const line_pointer *lines, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (lines[i]->words > MOST_CELL_WORDS)
            return false;
    return n > 2;
}

/* A table across columns of prose, parted from them by room above and below: the first rows of cells in a band, two at
 * least. false: there are none. */
static bool find_rows(const line_pointer *lines, size_t start, size_t end, size_t *first, size_t *behind) {
    size_t rows = 0;
    bool cells = false; /* since the room above *first */
    float bottom = -INFINITY;
    for (size_t i = start, next; i < end; i = next) {
        next = row_end(lines, end, i);
        if (lines[i]->box.top - bottom > ROOM * lines[i]->height) {
            if (cells && rows > 1)
                return true;
            *first = i;
            cells = true;
            rows = 0;
        }
        cells = cells && is_row_of_cells(lines + i, next - i);
        rows++;
        *behind = next;
        for (size_t k = i; k < next; k++)
            bottom = fmaxf(bottom, lines[k]->box.bottom);
    }
    return cells && rows > 1;
}

/* "1.", "(a)", or a sign. */
static bool is_item_mark(const orderer *o, line_pointer line) {
    const char *data = o->pdf->text.data + line->at;
    return line->words == 1 && line->length <= 4 &&
           (!isalnum((unsigned char)data[0]) || strchr(".)", data[line->length - 1]));
}

/* Are the lines on the left (by place) terms, or marks of items, each before a line of text on the right? */
static bool are_terms(const orderer *o, const line_pointer *lines, size_t n_left, size_t n) {
    const line_pointer *right = lines + n_left;
    size_t n_right = n - n_left, within = 0, beside = 0;
    bool marks = true;
    if (n_right < n_left || o->right_to_left || count_aligned(lines, n_left, right, n_right) < n_left)
        return false;
    for (size_t i = 0; i < n_left; i++) {
        marks = marks && is_item_mark(o, lines[i]);
        if (lines[i]->words > MOST_TERM_WORDS || (i > 0 && in_one_row(lines[i - 1], lines[i])))
            return false;
    }
    for (size_t i = 0; i < n_right; i++) {
        within += right[i]->box.bottom > lines[0]->box.top && right[i]->box.top < lines[n_left - 1]->box.bottom;
        beside += i > 0 && in_one_row(right[i - 1], right[i]);
    }
    return marks ||
           (beside == 0 && n_right > n_left && within * 2 > n_left * 3 - 2 && words_a_line(right, n_right) > 4);
}

/* The text in its order, each term before its line. */
static void order_terms(orderer *o, line_pointer *lines, size_t n_left, size_t n, int depth) {
    drt_pdf_step *start = o->next;
    line_pointer *right = lines + n_left;
    order(o, right, n - n_left, depth + 1);
    for (size_t i = n_left; i-- > 0;) {
        drt_pdf_step *step = start;
        while (step < o->next && !in_one_row(lines[i], &o->pdf->lines[step->line]))
            step++;
        memmove(step + 1, step, (size_t)(o->next - step) * sizeof *step);
        *step = (drt_pdf_step){(size_t)(lines[i] - o->pdf->lines), DRT_PDF_LABEL};
        o->next++;
    }
}

static void order(orderer *o, line_pointer *lines, size_t n, int depth) {
    size_t done = 0; /* lines before this one are in order; those from here to the next band are looked at again */
    qsort(lines, n, sizeof *lines, by_place);
    gutter best = depth < MOST_DEPTH ? find_gutter(lines, n) : (gutter){0};
    for (size_t i = 0, end; best.pairs > 0 && i < n; i = end) {
        bool table = false;
        if (!find_band(lines, n, best.at, i, &end, &table)) {
            end += end == i;
            continue;
        }
        size_t start = i, behind = end, first = i, n_left = part(lines + i, end - i, best.at);
        if (are_terms(o, lines + i, n_left, end - i)) {
            order(o, lines + done, i - done, depth + 1);
            part(lines + i, end - i, best.at);
            order_terms(o, lines + i, n_left, end - i, depth);
            done = end;
            continue;
        }
        qsort(lines + i, end - i, sizeof *lines, by_place);
        if (table) {
            narrow_table(lines, &start, &behind);
        } else if (find_rows(lines, i, end, &first, &behind)) {
            table = first == i;
            behind = end = table ? behind : first;
        }
        order(o, lines + done, start - done, depth + 1);
        if (table)
            emit_table(o, lines + start, behind - start);
        else
            order_columns(o, lines + start, behind - start, best.at, depth);
        done = behind;
    }
    if (done > 0)
        order(o, lines + done, n - done, depth + 1);
    else
        emit_column(o, lines, n);
}

void drt_pdf_order(const drt_pdf *pdf, const drt_pdf_line **lines, size_t n, drt_pdf_step *steps) {
    orderer o = {.pdf = pdf, .next = steps};
    size_t right_to_left = 0;
    for (size_t i = 0; i < n; i++)
        right_to_left += lines[i]->right_to_left;
    o.right_to_left = right_to_left * 2 > n;
    if (n > MOST_LINES)
        emit_column(&o, lines, n);
    else
        order(&o, lines, n, 0);
}
