/* glob.c: file name patterns. See glob.h. */
#include "engine/library/glob.h"

#include "engine/base/utf8.h"

/* One character at *at; a byte that is no UTF-8 gives a value that no character has. */
static uint32_t next_character(const char *data, size_t length, size_t *at) {
    uint32_t c;
    size_t n = drt_utf8_decode(data + *at, length - *at, &c);
    if (n == 0) {
        c = 0x80000000u | (unsigned char)data[*at];
        n = 1;
    }
    *at += n;
    return c;
}

/* pattern[*at] is behind '['. When the set is closed: moves *at behind ']' and says whether c is in it. */
static bool match_set(const char *pattern, size_t length, size_t *at, uint32_t c, bool *closed) {
    size_t i = *at;
    bool negated = i < length && (pattern[i] == '!' || pattern[i] == '^');
    if (negated)
        i++;
    bool found = false;
    *closed = false;
    for (size_t first = i; i < length && !(pattern[i] == ']' && i > first);) {
        if (pattern[i] == '\\' && i + 1 < length)
            i++;
        uint32_t low = next_character(pattern, length, &i), high = low;
        if (i + 1 < length && pattern[i] == '-' && pattern[i + 1] != ']') {
            i++;
            if (pattern[i] == '\\' && i + 1 < length)
                i++;
            high = next_character(pattern, length, &i);
        }
        if (low <= c && c <= high)
            found = true;
    }
    if (i >= length)
        return false;
    *closed = true;
    *at = i + 1;
    return found != negated;
}

/* Matches one character of the name against the element at pattern[*at] (not '*') and moves *at behind it. */
static bool match_one(const char *pattern, size_t length, size_t *at, uint32_t c) {
    if (pattern[*at] == '?') {
        ++*at;
        return true;
    }
    if (pattern[*at] == '[') {
        size_t behind = *at + 1;
        bool closed, matched = match_set(pattern, length, &behind, c, &closed);
        if (closed) {
            *at = behind;
            return matched;
        }
    } else if (pattern[*at] == '\\' && *at + 1 < length) {
        ++*at;
    }
    return next_character(pattern, length, at) == c;
}

bool drt_glob_matches(const char *pattern, size_t pattern_length, const char *name, size_t name_length) {
    size_t p = 0, n = 0;
    /* Where to go on when a match fails: the last '*' takes one more character. An earlier '*' never needs
     * to take more, since the last one can. */
    bool starred = false;
    size_t star_p = 0, star_n = 0;
    for (;;) {
        if (p < pattern_length && pattern[p] == '*') {
            starred = true;
            star_p = ++p;
            star_n = n;
            continue;
        }
        if (n == name_length && p == pattern_length)
            return true;
        if (n < name_length && p < pattern_length) {
            size_t behind = n;
            uint32_t c = next_character(name, name_length, &behind);
            if (match_one(pattern, pattern_length, &p, c)) {
                n = behind;
                continue;
            }
        }
        if (!starred || star_n == name_length)
            return false;
        next_character(name, name_length, &star_n);
        p = star_p;
        n = star_n;
    }
}
