/* text.c: lines with their places -> normalised text. See pdf.h.
 *
 * Lines of running heads and page numbers are dropped. The others are taken in reading order; where a paragraph ends
 * is told by indents, gaps, the size of letters, and room at the end of a line. Notes in small type at the foot of a
 * column wait until the paragraph that refers to them has ended. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <utf8proc.h>

#include "engine/base/utf8.h"
#include "engine/corpus/formats/reflow.h"
#include "engine/corpus/normalise.h"
#include "engine/corpus/pdf/pdf.h"

#define SAME_HEIGHT 0.12f  /* letters of one paragraph differ by less */
#define SMALL 0.93f        /* of the body's height: notes are smaller than that */
#define MOST_REFERENCES 16 /* of one paragraph */
#define MOST_NOTE_LINES 40 /* at the foot of one column */

typedef const drt_pdf_line *line_pointer;

/* A footnote: lines in a row in writer.note_lines. */
typedef struct {
    size_t first, n, page;
    uint32_t number;  /* 0: a sign, or none */
    bool referred_to; /* its number was met in the text, and left out */
} note;

typedef struct {
    drt_context *context;
    const drt_pdf *pdf;
    drt_extract *extract;
    drt_text text;
    drt_buffer scratch;
    float body;           /* height of most letters */
    uint8_t *dropped;     /* (n_lines) heads, feet and page numbers */
    line_pointer *labels; /* (n_lines) what stands before a line; NULL: nothing */
    drt_pdf_words words;

    /* The paragraph being written. */
    line_pointer last;                    /* its last line; NULL: none */
    size_t n_lines;                       /* in it */
    bool full;                            /* the last line goes to the end of its column */
    bool row;                             /* the last line belongs to a table, */
    bool list;                            /* or to an item of a list */
    uint32_t references[MOST_REFERENCES]; /* to notes */
    size_t n_references;
    size_t page; /* that was marked last */

    note *notes; /* that wait */
    size_t n_notes, notes_capacity;
    line_pointer *note_lines;
    size_t n_note_lines, note_lines_capacity;
    bool failed;
} writer;

/* Lines of one height below each other. */
typedef struct {
    const line_pointer *lines;
    size_t n;
    float left, right, leading; /* leading 0: not known */
} column;

static const char *text_of(const writer *w, line_pointer line) {
    return w->pdf->text.data + line->at;
}

static bool is_near(float a, float b) {
    return a > 0 && b > 0 && fabsf(a - b) <= SAME_HEIGHT * fmaxf(a, b);
}

/* Fonts of one size differ in the height that pdftotext tells: lines that share a font are of one size too. */
static bool same_height(line_pointer a, line_pointer b) {
    return is_near(a->height, b->height) || is_near(a->other, b->height) || is_near(a->height, b->other) ||
           is_near(a->other, b->other);
}

/* ----------------------------------------------------------------------- writing ---- */

static void add(writer *w, const char *data, size_t length) {
    drt_text_add(&w->text, data, length);
}

/* Characters that follow each other are composed where they belong together: positions in the text depend on it. */
static void add_composed(writer *w, const char *data, size_t length) {
    utf8proc_uint8_t *composed = NULL;
    utf8proc_ssize_t n = utf8proc_map((const utf8proc_uint8_t *)data, (utf8proc_ssize_t)length, &composed,
                                      UTF8PROC_COMPOSE | UTF8PROC_STABLE);
    if (n < 0)
        w->failed = true;
    else
        add(w, (const char *)composed, (size_t)n);
    free(composed);
}

static void mark_page(writer *w, size_t page) {
    if (w->extract->n_pages > 0 && w->page == page)
        return;
    w->page = page;
    w->failed = w->failed || !drt_extract_add_page(w->extract, drt_text_position(&w->text), (int64_t)page + 1);
}

/* What stands between the last line and this one in a paragraph. The hyphen of the last line was kept back. */
static void join(writer *w, line_pointer line) {
    const char *head = text_of(w, w->last), *tail = text_of(w, line);
    size_t hyphen = w->row ? 0 : drt_pdf_hyphen(head, w->last->length);
    if (!hyphen && (w->row || drt_pdf_needs_space(head, w->last->length, tail, line->length)))
        add(w, " ", 1);
    else if (hyphen && !drt_pdf_joins_word(&w->words, head, w->last->length, tail, line->length))
        add(w, head + w->last->length - hyphen, hyphen);
}

/* A line's end that is no paragraph's: the hyphen that was kept back is a real one. */
static void end_line(writer *w) {
    size_t hyphen = w->last && !w->row ? drt_pdf_hyphen(text_of(w, w->last), w->last->length) : 0;
    if (hyphen)
        add(w, text_of(w, w->last) + w->last->length - hyphen, hyphen);
}

/* The note of this page that a line refers to; NULL: none. */
static note *find_note(const writer *w, line_pointer line, size_t page) {
    for (size_t i = 0; line->reference && i < w->n_notes; i++)
        if (w->notes[i].page == page && w->notes[i].number == line->reference)
            return &w->notes[i];
    return NULL;
}

/* `begin`: bytes at its beginning that are left out. */
static void put_line(writer *w, line_pointer line, size_t page, bool row, size_t begin) {
    const char *data = text_of(w, line);
    size_t end = line->length - (row ? 0 : drt_pdf_hyphen(data, line->length));
    note *found = find_note(w, line, page);
    mark_page(w, page);
    if (found && line->reference_at >= begin && line->reference_at + line->reference_length <= end) {
        found->referred_to = true;
        add_composed(w, data + begin, line->reference_at - begin);
        begin = line->reference_at + line->reference_length;
    }
    add_composed(w, data + begin, end - begin);
    if (line->reference && w->n_references < MOST_REFERENCES)
        w->references[w->n_references++] = line->reference;
    w->last = line;
    w->row = row;
    w->n_lines++;
}

static void put_notes(writer *w, size_t page_now);

static void end_paragraph(writer *w, size_t page_now) {
    if (!w->last)
        return;
    end_line(w);
    drt_text_paragraph(&w->text);
    w->last = NULL;
    w->n_lines = 0;
    put_notes(w, page_now);
    w->n_references = 0;
}

/* ------------------------------------------------------------------------- paragraphs ---- */

static int by_number(const void *a, const void *b) {
    float left = *(const float *)a, right = *(const float *)b;
    return left < right ? -1 : left > right;
}

/* Edges and the distance of lines, from the lines themselves. */
static column measure(writer *w, const line_pointer *lines, size_t n) {
    column c = {.lines = lines, .n = n, .left = lines[0]->box.left, .right = lines[0]->box.right};
    size_t count = 0;
    for (size_t i = 1; i < n; i++) {
        c.left = fminf(c.left, lines[i]->box.left);
        c.right = fmaxf(c.right, lines[i]->box.right);
    }
    w->scratch.length = 0;
    for (size_t i = 1; i < n; i++) {
        float distance = lines[i]->base - lines[i - 1]->base;
        if (same_height(lines[i], lines[i - 1]) && distance > 0 && distance < 3 * lines[i]->height) {
            w->failed = w->failed || !drt_buffer_append(&w->scratch, &distance, sizeof distance);
            count++;
        }
    }
    if (count > 0 && !w->failed) {
        float *distances = (float *)(void *)w->scratch.data;
        qsort(distances, count, sizeof *distances, by_number);
        c.leading = distances[count / 3]; /* gaps between paragraphs are above it */
    }
    return c;
}

/* Room that a line leaves at its end. */
static float room_behind(const column *c, line_pointer line) {
    return line->right_to_left ? line->box.left - c->left : c->right - line->box.right;
}

static float indent_of(const column *c, line_pointer line) {
    return line->right_to_left ? c->right - line->box.right : line->box.left - c->left;
}

static bool is_short(const column *c, line_pointer line) {
    return room_behind(c, line) > 0.25f * (c->right - c->left);
}

static bool begins_small(const writer *w, line_pointer line) {
    uint32_t first = 0;
    drt_utf8_decode(text_of(w, line), line->length, &first);
    return utf8proc_islower((utf8proc_int32_t)first);
}

static bool begins_item(const writer *w, line_pointer line) {
    return drt_begins_list_item(text_of(w, line), line->length);
}

static bool begins_with_bullet(const writer *w, line_pointer line) {
    static const uint32_t bullets[] = {0x2022, 0x2023, 0x2043, 0x25A0, 0x25A1, 0x25AA, 0x25B6, 0x25CF, 0x25E6, 0x2756};
    uint32_t first = 0;
    drt_utf8_decode(text_of(w, line), line->length, &first);
    for (size_t i = 0; i < sizeof bullets / sizeof *bullets; i++)
        if (first == bullets[i])
            return true;
    return false;
}

/* Bytes of a bullet and what parts it from its item. Numbers belong to the text. */
static size_t bullet_length(const writer *w, line_pointer line) {
    const char *data = text_of(w, line);
    uint32_t first = 0;
    size_t n = drt_utf8_decode(data, line->length, &first);
    if (!begins_with_bullet(w, line))
        return 0;
    while (n < line->length && data[n] == ' ')
        n++;
    return n < line->length ? n : 0;
}

typedef enum { JOIN, LINE, PARAGRAPH } relation;

/* Line i of the column, below line i - 1. */
static relation relate(const writer *w, const column *c, size_t i) {
    line_pointer a = c->lines[i - 1], b = c->lines[i], next = i + 1 < c->n ? c->lines[i + 1] : NULL;
    float distance = b->base - a->base, leading = c->leading > 0 ? c->leading : 1.3f * a->height;
    float unit = 0.5f * a->height, step = indent_of(c, b) - indent_of(c, a);
    bool ends = drt_ends_sentence(text_of(w, a), a->length);
    if (distance > 1.35f * leading || distance < -unit)
        return PARAGRAPH;
    if (w->n_lines == 1 && step < -0.4f * (c->right - c->left))
        return PARAGRAPH; /* behind what stands at the other edge: a date, a number of an equation */
    if (a->leader && !drt_pdf_hyphen(text_of(w, a), a->length))
        return LINE; /* an entry of a table of contents */
    if (drt_pdf_hyphen(text_of(w, a), a->length))
        return JOIN;
    if (begins_item(w, b) && (ends || step != 0 || room_behind(c, a) > b->first_word))
        return w->list ? LINE : PARAGRAPH;
    bool fits = room_behind(c, a) > b->first_word + 0.3f * a->height;
    if (step > unit && (!next || indent_of(c, next) < indent_of(c, b) - unit) && w->n_lines > 0)
        return ends || fits || !begins_small(w, b) ? PARAGRAPH : JOIN; /* a first line, indented */
    if (step < -unit && w->n_lines > 1 && !fits && ends && next && indent_of(c, next) > indent_of(c, b) + unit)
        return PARAGRAPH; /* an entry of a bibliography, hanging */
    if (step < -unit && w->n_lines > 1 && fits)
        return PARAGRAPH;
    if (fits && is_short(c, a) && is_short(c, b) && !ends)
        return LINE; /* verse, addresses, code */
    return fits && (ends || is_short(c, a)) ? PARAGRAPH : JOIN;
}

/* Does the paragraph go on at the top of this column? */
static relation continue_column(const writer *w, const column *c) {
    line_pointer a = w->last, b = c->lines[0];
    if (!a || w->row || !same_height(a, b))
        return PARAGRAPH;
    if (begins_item(w, b))
        return w->list ? LINE : PARAGRAPH;
    if (drt_pdf_hyphen(text_of(w, a), a->length))
        return JOIN;
    bool small = begins_small(w, b);
    if (!w->full || (drt_ends_sentence(text_of(w, a), a->length) && !small))
        return PARAGRAPH;
    return small || (w->n_lines > 1 && c->n > 1 && indent_of(c, b) < 0.5f * b->height) ? JOIN : PARAGRAPH;
}

static line_pointer label_of(const writer *w, line_pointer line) {
    return w->labels[line - w->pdf->lines];
}

/* "1.", "(a)", or a bullet. */
static bool is_item_mark(const writer *w, line_pointer label) {
    const char *data = text_of(w, label);
    return label->length <= 4 && label->words == 1 &&
           (!isalnum((unsigned char)data[0]) || strchr(".)", data[label->length - 1]));
}

/* A line that something stands before begins an item or a paragraph; bullets are left out. */
static void put_labelled(writer *w, line_pointer label, line_pointer line, size_t page) {
    bool item = is_item_mark(w, label);
    if (item && w->list && w->last) {
        end_line(w);
        drt_text_line(&w->text);
    } else {
        end_paragraph(w, page);
    }
    if (!item || !begins_with_bullet(w, label)) {
        put_line(w, label, page, false, 0);
        join(w, line);
    }
    put_line(w, line, page, false, 0);
    w->list = item;
}

/* `begin`: bytes of its first line that are left out. */
static void put_run(writer *w, const column *c, size_t page, size_t begin) {
    for (size_t i = 0; i < c->n; i++) {
        line_pointer line = c->lines[i], label = label_of(w, line);
        if (label) {
            put_labelled(w, label, line, page);
            w->full = room_behind(c, line) < 0.2f * (c->right - c->left);
            continue;
        }
        relation found = i ? relate(w, c, i) : continue_column(w, c);
        if (!w->last || found == PARAGRAPH) {
            end_paragraph(w, page);
        } else if (found == JOIN) {
            join(w, line);
        } else {
            end_line(w);
            drt_text_line(&w->text);
        }
        if (found != JOIN)
            w->list = begins_item(w, line);
        put_line(w, line, page, false, i == 0 && begin ? begin : w->list && found != JOIN ? bullet_length(w, line) : 0);
        w->full = room_behind(c, line) < 0.2f * (c->right - c->left);
    }
}

/* Does a paragraph go on with letters of another font, a whole line of them? */
static bool goes_on(const writer *w, line_pointer a, line_pointer b) {
    float higher = fmaxf(a->height, b->height), lower = fminf(a->height, b->height);
    return higher < 1.7f * lower && begins_small(w, b) && !drt_ends_sentence(text_of(w, a), a->length) &&
           b->base - a->base > 0 && b->base - a->base < 1.4f * higher &&
           fabsf(a->letter - b->letter) < 0.4f * a->letter;
}

/* Headings are of another height than the lines around them: each run of one height has edges of its own. */
static void put_column(writer *w, const line_pointer *lines, size_t n, size_t page, size_t begin) {
    for (size_t i = 0, end; i < n && !w->failed; i = end) {
        for (end = i + 1;
             end < n && (same_height(lines[end - 1], lines[end]) || goes_on(w, lines[end - 1], lines[end]));)
            end++;
        column c = measure(w, lines + i, end - i);
        if (i > 0)
            end_paragraph(w, page);
        put_run(w, &c, page, i ? 0 : begin);
    }
}

/* ------------------------------------------------------------------------------ notes ---- */

static bool refers_to(const uint32_t *references, size_t n, const note *waiting) {
    for (size_t i = 0; i < n; i++)
        if (references[i] == waiting->number)
            return true;
    return false;
}

static void put_note(writer *w, const note *ready) {
    const drt_pdf_line *first = w->note_lines[ready->first];
    const char *data = text_of(w, first);
    size_t digits = 0;
    while (ready->referred_to && digits < first->length && isdigit((unsigned char)data[digits]))
        digits++;
    put_column(w, w->note_lines + ready->first, ready->n, ready->page, digits);
    end_line(w);
    drt_text_paragraph(&w->text);
    w->last = NULL;
    w->n_lines = 0;
}

/* Writes the notes that the paragraph that just ended refers to, and those that earlier pages left. */
static void put_notes(writer *w, size_t page_now) {
    uint32_t references[MOST_REFERENCES];
    size_t n_references = w->n_references, n = w->n_notes, kept = 0;
    memcpy(references, w->references, sizeof references);
    w->n_notes = 0; /* the notes' own paragraphs end too */
    for (size_t i = 0; i < n && !w->failed; i++) {
        note waiting = w->notes[i];
        if (waiting.page < page_now || refers_to(references, n_references, &waiting))
            put_note(w, &waiting);
        else
            w->notes[kept++] = waiting;
    }
    w->n_notes = kept;
}

static bool is_sign(uint32_t c) {
    return c == '*' || c == 0x2020 || c == 0x2021 || c == 0xA7 || c == 0xB6;
}

/* "3 The ledger ...", "* Deceased." */
static bool begins_note(const writer *w, line_pointer line, uint32_t *number) {
    bool labelled = label_of(w, line) != NULL;
    line = labelled ? label_of(w, line) : line;
    const char *data = text_of(w, line);
    size_t digits = 0;
    uint32_t first = 0;
    *number = 0;
    while (digits < line->length && digits < 3 && isdigit((unsigned char)data[digits]))
        *number = *number * 10 + (uint32_t)(data[digits++] - '0');
    if (labelled && digits == line->length)
        return digits < 3;
    if (digits > 0)
        return digits < line->length && digits < 3 && data[digits] != '.' && data[digits] != ')' && data[digits] != ',';
    drt_utf8_decode(data, line->length, &first);
    return is_sign(first);
}

/* Adds a line to the last note. */
static bool keep_line(writer *w, line_pointer line) {
    if (w->n_note_lines == w->note_lines_capacity) {
        size_t capacity = w->note_lines_capacity ? 2 * w->note_lines_capacity : 64;
        line_pointer *grown = realloc(w->note_lines, capacity * sizeof *grown);
        if (!grown)
            return false;
        w->note_lines = grown;
        w->note_lines_capacity = capacity;
    }
    w->note_lines[w->n_note_lines++] = line;
    w->notes[w->n_notes - 1].n++;
    return true;
}

static bool keep_note(writer *w, size_t page, uint32_t number) {
    if (w->n_notes == w->notes_capacity) {
        size_t capacity = w->notes_capacity ? 2 * w->notes_capacity : 16;
        note *grown = realloc(w->notes, capacity * sizeof *grown);
        if (!grown)
            return false;
        w->notes = grown;
        w->notes_capacity = capacity;
    }
    w->notes[w->n_notes++] = (note){.first = w->n_note_lines, .page = page, .number = number};
    return true;
}

/* Sets the notes at the column's foot aside; returns how many lines are left. */
static size_t take_notes(writer *w, const line_pointer *lines, size_t n, size_t page) {
    size_t first = n, start = n;
    uint32_t number;
    float height = w->pdf->pages[page].height;
    while (first > 0 && n - first < MOST_NOTE_LINES && lines[first - 1]->height < SMALL * w->body &&
           lines[first - 1]->box.top > height / 2) {
        first--;
        if (begins_note(w, lines[first], &number))
            start = first;
    }
    for (size_t i = start; i < n && !w->failed; i++) {
        if (begins_note(w, lines[i], &number))
            w->failed = !keep_note(w, page, number);
        w->failed = w->failed || !keep_line(w, lines[i]);
    }
    return start;
}

/* ------------------------------------------------------------------------------ pages ---- */

static void put_rows(writer *w, const drt_pdf_step *steps, size_t n, size_t page) {
    end_paragraph(w, page);
    for (size_t i = 0; i < n; i++) {
        line_pointer line = &w->pdf->lines[steps[i].line];
        if (i > 0 && steps[i].place == DRT_PDF_CELL)
            join(w, line);
        else if (i > 0)
            drt_text_line(&w->text);
        put_line(w, line, page, true, 0);
    }
    w->full = false;
}

static bool is_cell(const drt_pdf_step *step) {
    return step->place == DRT_PDF_CELL || step->place == DRT_PDF_ROW;
}

/* Labels become part of the line behind them; returns how many steps are left. */
static size_t take_labels(writer *w, drt_pdf_step *steps, size_t n) {
    size_t left = 0;
    line_pointer label = NULL;
    for (size_t i = 0; i < n; i++) {
        line_pointer line = &w->pdf->lines[steps[i].line];
        if (steps[i].place == DRT_PDF_LABEL && i + 1 < n) {
            label = line;
            continue;
        }
        w->labels[steps[i].line] = label;
        steps[left] = steps[i];
        if (steps[i].place == DRT_PDF_LABEL)
            steps[left].place = DRT_PDF_FLOW;
        label = NULL;
        left++;
    }
    return left;
}

/* Two passes over the steps: notes are known before the text that refers to them. */
static void put_steps(writer *w, const drt_pdf_step *steps, size_t n, line_pointer *lines, size_t page) {
    for (size_t pass = 0; pass < 2 && !w->failed; pass++) {
        for (size_t i = 0, end; i < n && !w->failed; i = end) {
            for (end = i + 1; end < n && steps[end].place != DRT_PDF_TOP && is_cell(&steps[end]) == is_cell(&steps[i]);)
                end++;
            if (is_cell(&steps[i])) {
                if (pass == 1)
                    put_rows(w, steps + i, end - i, page);
                continue;
            }
            for (size_t k = i; k < end; k++)
                lines[k - i] = &w->pdf->lines[steps[k].line];
            size_t left = end - i;
            if (pass == 0) {
                left = take_notes(w, lines, left, page);
                for (size_t k = i + left; k < end; k++)
                    w->dropped[steps[k].line] = true;
                continue;
            }
            while (left > 0 && w->dropped[steps[i + left - 1].line])
                left--;
            put_column(w, lines, left, page, 0);
        }
    }
}

static int by_reading_sideways(const void *a, const void *b) {
    line_pointer left = *(const line_pointer *)a, right = *(const line_pointer *)b;
    float order = left->upwards ? left->box.left - right->box.left : right->box.left - left->box.left;
    return order < 0 ? -1 : order > 0;
}

/* Turned lines are a paragraph of their own behind the page's others. */
static void put_sideways(writer *w, line_pointer *lines, size_t n, size_t page) {
    qsort(lines, n, sizeof *lines, by_reading_sideways);
    end_paragraph(w, page);
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            join(w, lines[i]);
        put_line(w, lines[i], page, false, 0);
    }
    w->full = false;
}

/* Lines of one character below each other are columns, read from the right to the left. */
static bool is_vertical(const writer *w, const line_pointer *lines, size_t n) {
    size_t single = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t c = 0;
        single += drt_utf8_decode(text_of(w, lines[i]), lines[i]->length, &c) == lines[i]->length && drt_is_wide(c);
    }
    return single > 3 && single * 10 > n * 8;
}

static float middle(line_pointer line) {
    return (line->box.left + line->box.right) / 2;
}

static int by_middle(const void *a, const void *b) {
    float left = middle(*(const line_pointer *)a), right = middle(*(const line_pointer *)b);
    return left > right ? -1 : left < right;
}

static int by_top(const void *a, const void *b) {
    line_pointer left = *(const line_pointer *)a, right = *(const line_pointer *)b;
    return left->box.top < right->box.top ? -1 : left->box.top > right->box.top;
}

static void put_vertical(writer *w, line_pointer *lines, size_t n, size_t page) {
    qsort(lines, n, sizeof *lines, by_middle);
    end_paragraph(w, page);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && middle(lines[i]) - middle(lines[end]) < 0.5f * lines[i]->height;)
            end++;
        qsort(lines + i, end - i, sizeof *lines, by_top);
        for (size_t k = i; k < end; k++) {
            if (k > 0)
                join(w, lines[k]);
            put_line(w, lines[k], page, false, 0);
        }
    }
}

static void put_page(writer *w, size_t p, line_pointer *lines, drt_pdf_step *steps) {
    const drt_pdf_page *page = &w->pdf->pages[p];
    size_t upright = 0, sideways = 0;
    for (size_t turned = 0; turned < 2; turned++) {
        for (size_t i = page->first_line; i < page->first_line + page->n_lines; i++)
            if (!w->dropped[i] && w->pdf->lines[i].sideways == (turned == 1))
                lines[upright + sideways] = &w->pdf->lines[i], *(turned ? &sideways : &upright) += 1;
    }
    line_pointer *turned = lines + upright; /* the order needs no room behind the upright ones */
    if (is_vertical(w, lines, upright)) {
        put_vertical(w, lines, upright, p);
    } else {
        drt_pdf_order(w->pdf, lines, upright, steps);
        put_steps(w, steps, take_labels(w, steps, upright), lines, p);
    }
    if (sideways > 0)
        put_sideways(w, turned, sideways, p);
}

/* The height that most characters have. */
static float body_height(const drt_pdf *pdf) {
    size_t counts[128] = {0}, best = 0;
    for (size_t i = 0; i < pdf->n_lines; i++) {
        float slot = pdf->lines[i].height * 2;
        if (slot >= 1 && slot < 128)
            counts[(size_t)slot] += pdf->lines[i].length;
    }
    for (size_t i = 1; i < 128; i++)
        best = counts[i] > counts[best] ? i : best;
    return (float)best / 2;
}

static drt_status put_pages(writer *w) {
    size_t most = 1;
    for (size_t p = 0; p < w->pdf->n_pages; p++)
        most = w->pdf->pages[p].n_lines > most ? w->pdf->pages[p].n_lines : most;
    line_pointer *lines = malloc(most * sizeof *lines);
    drt_pdf_step *steps = malloc(most * sizeof *steps);
    drt_status status = DRT_OK;
    w->failed = w->failed || !lines || !steps;
    for (size_t p = 0; p < w->pdf->n_pages && !w->failed && status == DRT_OK; p++) {
        put_page(w, p, lines, steps);
        status = drt_cancelled(w->context) ? DRT_FAILED : DRT_OK;
    }
    end_paragraph(w, SIZE_MAX);
    put_notes(w, SIZE_MAX);
    free(lines);
    free(steps);
    return status;
}

drt_status drt_pdf_text(drt_context *context, const drt_pdf *pdf, drt_extract *extract) {
    writer w = {.context = context, .pdf = pdf, .extract = extract, .body = body_height(pdf)};
    drt_text_start(&w.text, &extract->text);
    w.dropped = calloc(pdf->n_lines + 1, 1);
    w.labels = calloc(pdf->n_lines + 1, sizeof *w.labels);
    w.failed = !w.dropped || !w.labels || !drt_pdf_collect_words(pdf, &w.words);
    if (!w.failed) {
        drt_pdf_find_heads(pdf, w.body, w.dropped);
        w.failed = !drt_pdf_find_title(pdf, w.body, w.dropped, extract);
    }
    drt_status status = put_pages(&w);
    bool ok = drt_text_finish(&w.text) && !w.failed;
    while (extract->n_pages > 0 && extract->pages[extract->n_pages - 1].start >= (int64_t)extract->text.length)
        extract->n_pages--; /* last pages without anything to see */
    free(w.dropped);
    free(w.labels);
    free(w.words.hashes);
    free(w.notes);
    free(w.note_lines);
    drt_buffer_free(&w.scratch);
    return status == DRT_OK && !ok ? drt_fail_memory(context, "the text of a PDF") : status;
}
