/* date.c: dates as ISO 8601 has them. See date.h. */
#include "engine/corpus/date.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef struct {
    int year, month, day; /* 0: not known */
} date;

/* What is read of a line, from `at` on. */
typedef struct {
    const char *data;
    size_t length, at;
} line;

static bool is_digit(const line *l, size_t at) {
    return at < l->length && isdigit((unsigned char)l->data[at]);
}

/* A number of so many digits and no more; 0: none. */
static int number(line *l, size_t least, size_t most) {
    size_t n = 0;
    int value = 0;
    for (; is_digit(l, l->at + n) && n <= most; n++)
        value = value * 10 + (l->data[l->at + n] - '0');
    if (n < least || n > most)
        return 0;
    l->at += n;
    return value;
}

static bool is_sensible(const date *d) {
    static const int days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return d->year >= 1000 && d->year < 3000 && d->month >= 0 && d->month <= 12 &&
           (d->day == 0 || (d->day >= 1 && d->month > 0 && d->day <= days[d->month - 1]));
}

/* "2019-05-17", "2019/5/17", "2019-05", "2019", the time of day behind it or nothing. */
static bool read_parts(line l, date *d) {
    *d = (date){.year = number(&l, 4, 4)};
    char mark = l.at < l.length ? l.data[l.at] : 0;
    for (int *part = &d->month; (mark == '-' || mark == '/' || mark == '.') && l.at < l.length && l.data[l.at] == mark;
         part = &d->day) {
        l.at++;
        *part = number(&l, 1, 2);
        if (*part == 0)
            return false;
        if (part == &d->day)
            break;
    }
    bool time = d->day > 0 && l.at < l.length && strchr("Tt ", l.data[l.at]) && is_digit(&l, l.at + 1);
    bool zone = l.at < l.length && strchr("Z+", l.data[l.at]) != NULL;
    return d->year > 0 && (l.at == l.length || time || zone);
}

/* "D:20190517101500", "20190517". */
static bool read_digits(line l, date *d) {
    l.at += l.length > 2 && l.data[0] == 'D' && l.data[1] == ':' ? 2 : 0;
    bool prefixed = l.at > 0;
    size_t digits = 0;
    while (is_digit(&l, l.at + digits))
        digits++;
    if (digits != 8 && !(digits > 8 && (prefixed || digits == 14)))
        return false;
    int all[8];
    for (size_t i = 0; i < 8; i++)
        all[i] = l.data[l.at + i] - '0';
    *d = (date){all[0] * 1000 + all[1] * 100 + all[2] * 10 + all[3], all[4] * 10 + all[5], all[6] * 10 + all[7]};
    return d->month > 0 && d->day > 0;
}

static bool is_one_of(const char *word, size_t length, const char *words) {
    for (const char *at = words; *at;) {
        size_t n = strcspn(at, " ");
        if (n == length && strncasecmp(at, word, n) == 0)
            return true;
        at += n + (at[n] == ' ');
    }
    return false;
}

/* 1 to 12 for the name of a month or how it is cut short; 0: none. */
static int month_of(const char *word, size_t length) {
    static const char *const months[] = {"january", "february", "march",     "april",   "may",      "june",
                                         "july",    "august",   "september", "october", "november", "december"};
    if (length == 4 && strncasecmp(word, "sept", 4) == 0)
        return 9;
    for (int i = 0; i < 12; i++)
        if ((length == 3 || length == strlen(months[i])) && strncasecmp(word, months[i], length) == 0)
            return i + 1;
    return 0;
}

/* Takes a word; false: one that has no place in a date. */
static bool take_word(line *l, date *d) {
    const char *word = l->data + l->at;
    size_t n = 0;
    while (l->at + n < l->length && isalpha((unsigned char)word[n]))
        n++;
    l->at += n;
    int month = month_of(word, n);
    if (month && d->month)
        return false;
    d->month += month;
    return month || is_one_of(word, n,
                              "mon tue tues wed thu thur thurs fri sat sun monday tuesday wednesday thursday friday "
                              "saturday sunday of the on");
}

/* Takes a day, a year, or a time of day, which doesn't matter. */
static bool take_number(line *l, date *d) {
    size_t from = l->at, n = 0;
    while (is_digit(l, l->at + n))
        n++;
    if (from + n < l->length && l->data[from + n] == ':') { /* the rest is the time and its zone */
        l->at = l->length;
        return true;
    }
    int value = n <= 4 ? number(l, 1, 4) : 0;
    if (n <= 2 && l->at + 2 <= l->length && is_one_of(l->data + l->at, 2, "st nd rd th"))
        l->at += 2;
    int *part = n == 4 ? &d->year : &d->day;
    if (n == 3 || value == 0 || *part)
        return false;
    *part = value;
    return true;
}

/* "Fri, 17 May 2019 10:20", "May 17th, 2019", "May 2019". */
static bool read_words(line l, date *d) {
    *d = (date){0};
    while (l.at < l.length) {
        unsigned char c = (unsigned char)l.data[l.at];
        if (isalpha(c) ? !take_word(&l, d) : isdigit(c) ? !take_number(&l, d) : !strchr(" ,.-", c))
            return false;
        l.at += !isalpha(c) && !isdigit(c);
    }
    return d->year > 0 && d->month > 0;
}

bool drt_date_iso(const char *data, size_t length, char iso[11]) {
    line l = {.data = data, .length = length};
    date d;
    bool read = (read_parts(l, &d) && is_sensible(&d)) || (read_digits(l, &d) && is_sensible(&d)) ||
                (read_words(l, &d) && is_sensible(&d));
    if (!read)
        return false;
    /* the rests are for the compiler: is_sensible() has seen to it */
    int n = snprintf(iso, 11, "%04u", (unsigned)d.year % 10000);
    if (d.month)
        n += snprintf(iso + n, 11 - (size_t)n, "-%02u", (unsigned)d.month % 100);
    if (d.day)
        snprintf(iso + n, 11 - (size_t)n, "-%02u", (unsigned)d.day % 100);
    return true;
}
