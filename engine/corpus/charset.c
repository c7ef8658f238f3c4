/* charset.c: bytes of unknown encoding -> UTF-8. See charset.h. */
#include "engine/corpus/charset.h"

#include <errno.h>
#include <iconv.h>
#include <string.h>
#include <strings.h>

#include <uchardet/uchardet.h>
#include <utf8proc.h>

#include "engine/base/utf8.h"

#define BLOCK (1u << 20)          /* bytes decoded between two looks at cancellation */
#define DETECTOR_BYTES (1u << 18) /* what uchardet gets to see, from the first byte above 127 on */
#define SAMPLE_BYTES (1u << 16)   /* what the tests for UTF-16 and for text look at */
#define FEW_LETTERS 16            /* bytes above 127 below which uchardet's word is a guess */

static const char replacement[] = "\xEF\xBF\xBD";

/* ---------------------------------------------------------------- labels ---- */

/* Labels that documents give and detectors return -> the iconv name of the superset in use. Pages
 * that say ISO-8859-1 are windows-1252, as in the WHATWG Encoding standard. UTF-7 and the stateful
 * ISO-2022 encodings but the Japanese one are left out on purpose. */
static const struct {
    const char *label, *name;
} labels[] = {
    {"utf-8", "UTF-8"},
    {"utf8", "UTF-8"},
    {"unicode-1-1-utf-8", "UTF-8"},
    /* Whoever can read such a declaration byte by byte has no UTF-16 before him. */
    {"utf-16", "UTF-8"},
    {"utf-16le", "UTF-8"},
    {"utf-16be", "UTF-8"},
    {"unicode", "UTF-8"},
    {"ascii", "WINDOWS-1252"},
    {"us-ascii", "WINDOWS-1252"},
    {"iso-8859-1", "WINDOWS-1252"},
    {"iso8859-1", "WINDOWS-1252"},
    {"iso_8859-1", "WINDOWS-1252"},
    {"iso88591", "WINDOWS-1252"},
    {"latin1", "WINDOWS-1252"},
    {"latin-1", "WINDOWS-1252"},
    {"l1", "WINDOWS-1252"},
    {"windows-1252", "WINDOWS-1252"},
    {"cp1252", "WINDOWS-1252"},
    {"x-cp1252", "WINDOWS-1252"},
    {"iso-8859-2", "ISO-8859-2"},
    {"latin2", "ISO-8859-2"},
    {"iso-8859-3", "ISO-8859-3"},
    {"iso-8859-4", "ISO-8859-4"},
    {"iso-8859-5", "ISO-8859-5"},
    {"iso-8859-6", "ISO-8859-6"},
    {"iso-8859-7", "ISO-8859-7"},
    {"iso-8859-8", "ISO-8859-8"},
    {"iso-8859-8-i", "ISO-8859-8"},
    {"iso-8859-9", "WINDOWS-1254"},
    {"latin5", "WINDOWS-1254"},
    {"iso-8859-10", "ISO-8859-10"},
    {"iso-8859-11", "CP874"},
    {"iso-8859-13", "ISO-8859-13"},
    {"iso-8859-14", "ISO-8859-14"},
    {"iso-8859-15", "ISO-8859-15"},
    {"latin9", "ISO-8859-15"},
    {"iso-8859-16", "ISO-8859-16"},
    {"koi8-r", "KOI8-R"},
    {"koi8", "KOI8-R"},
    {"koi8-u", "KOI8-U"},
    {"macintosh", "MACINTOSH"},
    {"mac", "MACINTOSH"},
    {"x-mac-cyrillic", "MAC-CYRILLIC"},
    {"mac-cyrillic", "MAC-CYRILLIC"},
    {"mac-centraleurope", "MAC-CENTRALEUROPE"},
    {"tis-620", "CP874"},
    {"windows-874", "CP874"},
    {"windows-1250", "WINDOWS-1250"},
    {"cp1250", "WINDOWS-1250"},
    {"x-cp1250", "WINDOWS-1250"},
    {"windows-1251", "WINDOWS-1251"},
    {"cp1251", "WINDOWS-1251"},
    {"x-cp1251", "WINDOWS-1251"},
    {"windows-1253", "WINDOWS-1253"},
    {"cp1253", "WINDOWS-1253"},
    {"windows-1254", "WINDOWS-1254"},
    {"cp1254", "WINDOWS-1254"},
    {"windows-1255", "WINDOWS-1255"},
    {"windows-1256", "WINDOWS-1256"},
    {"windows-1257", "WINDOWS-1257"},
    {"windows-1258", "WINDOWS-1258"},
    {"viscii", "VISCII"},
    {"ibm437", "CP437"},
    {"cp437", "CP437"},
    {"ibm850", "CP850"},
    {"cp850", "CP850"},
    {"ibm852", "CP852"},
    {"ibm855", "CP855"},
    {"ibm862", "CP862"},
    {"ibm865", "CP865"},
    {"ibm866", "CP866"},
    {"cp866", "CP866"},
    {"gb2312", "GB18030"},
    {"gbk", "GB18030"},
    {"x-gbk", "GB18030"},
    {"cp936", "GB18030"},
    {"gb_2312-80", "GB18030"},
    {"gb18030", "GB18030"},
    {"big5", "BIG5-HKSCS"},
    {"big5-hkscs", "BIG5-HKSCS"},
    {"x-x-big5", "BIG5-HKSCS"},
    {"cp950", "BIG5-HKSCS"},
    {"euc-tw", "EUC-TW"},
    {"shift_jis", "CP932"},
    {"shift-jis", "CP932"},
    {"sjis", "CP932"},
    {"x-sjis", "CP932"},
    {"ms_kanji", "CP932"},
    {"windows-31j", "CP932"},
    {"cp932", "CP932"},
    {"euc-jp", "EUC-JP"},
    {"x-euc-jp", "EUC-JP"},
    {"iso-2022-jp", "ISO-2022-JP"},
    {"iso-2022-kr", "ISO-2022-KR"},
    {"utf-7", "UTF-7"},
    {"euc-kr", "UHC"},
    {"ks_c_5601-1987", "UHC"},
    {"ksc5601", "UHC"},
    {"korean", "UHC"},
    {"windows-949", "UHC"},
    {"uhc", "UHC"},
    {"cp949", "UHC"},
    {"johab", "JOHAB"},
};

static const char *charset_of_label(const char *label, size_t length) {
    while (length > 0 && strchr(" \t\r\n\f\"'", label[0])) {
        label++;
        length--;
    }
    while (length > 0 && strchr(" \t\r\n\f\"'", label[length - 1]))
        length--;
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        if (strlen(labels[i].label) == length && strncasecmp(labels[i].label, label, length) == 0)
            return labels[i].name;
    return NULL;
}

bool drt_charset_known(const char *label, size_t length) {
    return charset_of_label(label, length) != NULL;
}

/* -------------------------------------------------------------- decoding ---- */

/* Copies UTF-8, each byte that is not part of a valid sequence becoming one U+FFFD; the bytes of one
 * cut sequence count once. */
static drt_status decode_utf8(drt_context *context, const char *data, size_t length, drt_buffer *out,
                              int64_t *replacements) {
    size_t at = 0;
    while (at < length) {
        if (drt_cancelled(context))
            return DRT_FAILED;
        size_t step = length - at < BLOCK ? length - at : BLOCK;
        size_t valid = drt_utf8_valid_prefix(data + at, step);
        bool ok = drt_buffer_append(out, data + at, valid);
        at += valid;
        /* A sequence cut by the block's end is not cut in the text. */
        if (valid < step && !(step == BLOCK && step - valid < 4 && valid > 0)) {
            size_t first = at++;
            bool lead = (unsigned char)data[first] >= 0xC2;
            while (lead && at < length && at - first < 3 && ((unsigned char)data[at] & 0xC0) == 0x80)
                at++;
            ok = ok && drt_buffer_append(out, replacement, 3);
            ++*replacements;
        }
        if (!ok)
            return drt_fail_memory(context, "a decoded text");
    }
    return DRT_OK;
}

/* Bytes of one code unit: what cannot be decoded is passed over by so many. */
static size_t unit_size(const char *name) {
    return strncmp(name, "UTF-32", 6) == 0 ? 4 : strncmp(name, "UTF-16", 6) == 0 ? 2 : 1;
}

/* One step of iconv over at most BLOCK bytes. Advances *at; returns false when out of memory. */
static bool convert_block(iconv_t converter, size_t unit, const char *data, size_t length, size_t *at, drt_buffer *out,
                          int64_t *replacements) {
    size_t end = length - *at < BLOCK ? length : *at + BLOCK;
    while (*at < end) {
        if (!drt_buffer_reserve(out, 4096 + (end - *at) * 3 / 2))
            return false;
        char *in = (char *)(uintptr_t)(data + *at), *to = out->data + out->length;
        size_t left = end - *at, room = out->capacity - out->length - 1;
        size_t result = iconv(converter, &in, &left, &to, &room);
        int why = errno;
        out->length = (size_t)(to - out->data);
        out->data[out->length] = 0;
        *at = (size_t)(in - data);
        if (result != (size_t)-1 || why == E2BIG)
            continue;
        if (why == EINVAL && end < length) /* a character across the block's end */
            return true;
        if (!drt_buffer_append(out, replacement, 3))
            return false;
        ++*replacements;
        if (why == EINVAL || length - *at < unit) /* cut off at the very end */
            *at = length;
        else
            *at += unit;
    }
    return true;
}

drt_status drt_charset_decode_as(drt_context *context, const char *name, const char *data, size_t length,
                                 drt_buffer *out, int64_t *replacements) {
    iconv_t converter = iconv_open("UTF-8", name);
    if (converter == (iconv_t)-1)
        return drt_fail(context, DRT_WARN, "this system cannot convert from %s", name);
    drt_status status = DRT_OK;
    for (size_t at = 0; at < length && status == DRT_OK;) {
        size_t before = at;
        if (drt_cancelled(context))
            status = DRT_FAILED;
        else if (!convert_block(converter, unit_size(name), data, length, &at, out, replacements))
            status = drt_fail_memory(context, "a decoded text");
        else if (at == before) /* no converter has characters of a whole block; never loop */
            at++;
    }
    iconv_close(converter);
    return status;
}

/* ------------------------------------------------------- wide encodings ---- */

static uint32_t unit16(const unsigned char *at, bool big) {
    return big ? (uint32_t)at[0] << 8 | at[1] : (uint32_t)at[1] << 8 | at[0];
}

static bool is_control(uint32_t c) {
    return (c < 0x20 && c != '\b' && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != 0x1B && c != '\v') ||
           (c >= 0x7F && c < 0xA0 && c != 0x85);
}

/* Share of 16-bit units that a text would hold, 0..1: no controls, no lone surrogates, no private
 * use. What is no text in UTF-16 scatters over all planes. */
static double utf16_share(const unsigned char *data, size_t length, bool big) {
    size_t good = 0, low = 0, units = length / 2;
    for (size_t i = 0; i + 1 < length; i += 2) {
        uint32_t c = unit16(data + i, big);
        bool surrogate = c >= 0xD800 && c < 0xE000;
        if (surrogate && c < 0xDC00 && i + 3 < length) {
            uint32_t next = unit16(data + i + 2, big);
            good += next >= 0xDC00 && next < 0xE000 ? 2 : 0;
            i += 2;
        } else if (!surrogate && !is_control(c) && !(c >= 0xE000 && c < 0xF900) && c < 0xFFFE) {
            good++;
        }
        low += c == ' ' || c == '\n' || c == '\r' || (c >= '0' && c <= '9') || (c >= 0x3000 && c < 0x3003);
    }
    /* Text has spaces, digits, line ends or CJK punctuation; 8-bit text read as UTF-16 hasn't. */
    return units && low * 100 >= units ? (double)good / (double)units : 0;
}

/* UTF-16 or UTF-32 without a mark, or NULL. 8-bit text has hardly a NUL or other control byte;
 * UTF-16 has many: the upper halves of Latin letters, spaces and line ends. */
static const char *wide_charset(const char *text, size_t length) {
    const unsigned char *data = (const unsigned char *)text;
    size_t sample = length < SAMPLE_BYTES ? length & ~(size_t)3 : SAMPLE_BYTES;
    size_t zeros[4] = {0}, controls = 0;
    if (sample < 4)
        return NULL;
    for (size_t i = 0; i < sample; i++) {
        zeros[i % 4] += data[i] == 0;
        controls += is_control(data[i]) && data[i] < 0x80;
    }
    size_t nuls = zeros[0] + zeros[1] + zeros[2] + zeros[3], quarter = sample / 4;
    if (controls * 20 < sample || nuls * 200 < sample)
        return NULL;
    if (zeros[2] > quarter * 9 / 10 && zeros[3] == quarter && zeros[0] * 10 < quarter)
        return "UTF-32LE";
    if (zeros[0] == quarter && zeros[1] > quarter * 9 / 10 && zeros[3] * 10 < quarter)
        return "UTF-32BE";
    double little = utf16_share(data, sample, false), big = utf16_share(data, sample, true);
    if (little < 0.97 && big < 0.97)
        return NULL;
    return little >= big ? "UTF-16LE" : "UTF-16BE";
}

static const struct {
    const char *bytes;
    size_t length;
    const char *name;
} marks[] = {
    {"\xEF\xBB\xBF", 3, "UTF-8"},    {"\xFF\xFE\0\0", 4, "UTF-32LE"}, /* before UTF-16's, which it begins with */
    {"\0\0\xFE\xFF", 4, "UTF-32BE"}, {"\xFF\xFE", 2, "UTF-16LE"},     {"\xFE\xFF", 2, "UTF-16BE"},
};

static const char *marked_charset(const char *data, size_t length, size_t *skip) {
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        if (length >= marks[i].length && memcmp(data, marks[i].bytes, marks[i].length) == 0) {
            *skip = marks[i].length;
            return marks[i].name;
        }
    }
    return NULL;
}

/* ------------------------------------------------------------- detection ---- */

/* What speaks for UTF-8 and against it: valid sequences of several bytes, and bytes outside any. */
typedef struct {
    size_t sequences, strays, first_high;
} utf8_count;

static utf8_count count_utf8(const char *data, size_t length) {
    utf8_count count = {0, 0, length};
    for (size_t at = 0; at < length;) {
        if ((unsigned char)data[at] < 0x80) {
            at++;
            continue;
        }
        if (count.first_high == length)
            count.first_high = at;
        uint32_t code_point;
        size_t n = drt_utf8_decode(data + at, length - at, &code_point);
        count.sequences += n > 0;
        count.strays += n == 0;
        at += n ? n : 1;
    }
    return count;
}

static const char *uchardet_says(const char *data, size_t length) {
    uchardet_t detector = uchardet_new();
    if (!detector)
        return NULL;
    const char *name = NULL;
    if (uchardet_handle_data(detector, data, length) == 0) {
        uchardet_data_end(detector);
        const char *label = uchardet_get_charset(detector);
        name = charset_of_label(label, strlen(label));
    }
    uchardet_delete(detector);
    return name;
}

/* Share of the double bytes of a text that stand in a CJK charset's common part, or -1 where the text is
 * invalid in it. The standards put the frequent characters first: that tells short texts apart. */
static double common_share(const char *name, const char *data, size_t length) {
    static const struct {
        const char *name;
        unsigned char from, to;
    } common[] = {{"GB18030", 0xB0, 0xD7},
                  {"CP932", 0x88, 0x97},
                  {"EUC-JP", 0xB0, 0xCF},
                  {"UHC", 0xB0, 0xC8},
                  {"BIG5-HKSCS", 0xA4, 0xC6}};
    static const struct {
        const char *name;
        unsigned char from, to;
    } signs[] = {{"GB18030", 0xA1, 0xA3},
                 {"CP932", 0x81, 0x83},
                 {"EUC-JP", 0xA1, 0xA5},
                 {"UHC", 0xA1, 0xA1},
                 {"BIG5-HKSCS", 0xA1, 0xA1}};
    drt_buffer out = {0};
    int64_t lost = 0;
    iconv_t converter = iconv_open("UTF-8", name);
    if (converter == (iconv_t)-1)
        return -1;
    size_t at = 0, pairs = 0, good = 0;
    bool ok = convert_block(converter, 1, data, length, &at, &out, &lost);
    iconv_close(converter);
    drt_buffer_free(&out);
    if (!ok || lost)
        return -1;
    for (size_t i = 0; i + 1 < length; i++) {
        unsigned char lead = (unsigned char)data[i];
        if (lead < 0x80)
            continue;
        for (size_t k = 0; k < sizeof common / sizeof *common; k++)
            if (strcmp(common[k].name, name) == 0)
                good +=
                    (lead >= common[k].from && lead <= common[k].to) || (lead >= signs[k].from && lead <= signs[k].to);
        pairs++;
        i++;
    }
    return pairs ? (double)good / (double)pairs : -1;
}

static const char *best_cjk(const char *data, size_t length) {
    static const char *const names[] = {"GB18030", "CP932", "EUC-JP", "UHC", "BIG5-HKSCS"};
    const char *best = NULL;
    double most = 0.75;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        double share = common_share(names[i], data, length);
        if (share > most) {
            most = share;
            best = names[i];
        }
    }
    return best;
}

/* Western text: its letters above 127 stand alone among ASCII letters, and not before signs such as "[" and "\", which
 * end many letters of Shift JIS. */
static bool is_western(const char *data, size_t length) {
    size_t high = 0, apart = 0;
    for (size_t i = 0; i < length; i++) {
        if ((unsigned char)data[i] < 0x80)
            continue;
        high++;
        bool before = i == 0 || (unsigned char)data[i - 1] < 0x80;
        bool after = i + 1 == length || ((unsigned char)data[i + 1] < 0x80 && !strchr("@[\\]^`{|}~", data[i + 1]));
        apart += before && after;
    }
    return high > 0 && apart * 10 >= high * 8;
}

static size_t count_high(const char *data, size_t length) {
    size_t n = 0;
    for (size_t i = 0; i < length; i++)
        n += (unsigned char)data[i] >= 0x80;
    return n;
}

static bool has_iso_2022_jp(const char *data, size_t length) {
    for (const char *at = data; (at = memchr(at, 0x1B, length - (size_t)(at - data))) != NULL; at++)
        if (data + length - at > 2 && at[1] == '$' && (at[2] == 'B' || at[2] == '@'))
            return true;
    return false;
}

/* Do these few bytes mean the same in both charsets? */
static bool same_letters(const char *data, size_t length, const char *a, const char *b) {
    const char *const names[2] = {a, b};
    drt_buffer letters = {0}, decoded[2] = {{0}, {0}};
    bool same = true;
    for (size_t i = 0; i < length && same; i++)
        same = (unsigned char)data[i] < 0x80 || drt_buffer_append_byte(&letters, data[i]);
    for (int i = 0; i < 2 && same; i++) {
        int64_t lost = 0;
        size_t at = 0;
        iconv_t converter = iconv_open("UTF-8", names[i]);
        same = converter != (iconv_t)-1 &&
               convert_block(converter, 1, letters.data, letters.length, &at, &decoded[i], &lost) && lost == 0;
        if (converter != (iconv_t)-1)
            iconv_close(converter);
    }
    same =
        same && drt_string_equal(&(drt_string){decoded[0].data, decoded[0].length}, decoded[1].data, decoded[1].length);
    drt_buffer_free(&letters);
    drt_buffer_free(&decoded[0]);
    drt_buffer_free(&decoded[1]);
    return same;
}

/* Could these be Western words in windows-1252? Its signs don't touch letters, and no capital follows a small letter. */
static bool reads_as_windows_1252(const char *data, size_t length) {
    static const char signs[] =
        "\x80\x83\x86\x87\x89\x95\x98\x99\xA1\xA2\xA3\xA4\xA5\xA6\xA8\xA9\xAC\xAE\xAF\xB1\xB4\xB6\xB7\xB8"
        "\xBC\xBD\xBE\xD7\xF7";
    static const char capitals[] = "\x8A\x8C\x8E\x9F";
    static const char undefined[] = "\x81\x8D\x8F\x90\x9D";
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)data[i];
        if (byte < 0x80)
            continue;
        bool after_small = i > 0 && data[i - 1] >= 'a' && data[i - 1] <= 'z';
        bool before_small = i + 1 < length && data[i + 1] >= 'a' && data[i + 1] <= 'z';
        bool capital = strchr(capitals, byte) || (byte >= 0xC0 && byte < 0xDF);
        if (strchr(undefined, byte) || (strchr(signs, byte) && (after_small || before_small)) ||
            (capital && after_small))
            return false;
    }
    return true;
}

#define WESTERN_BYTES 65536 /* of a text that letters are looked at in */

/* In percent of the characters above 127: what no word has in it, read from this charset. A capital stands at a word's
 * beginning or among capitals, and signs between words. 100: it can't be read so. */
static int count_odd(const char *name, const char *data, size_t length) {
    drt_buffer text = {0};
    int64_t lost = 0, odd = 0, high = 0;
    iconv_t converter = iconv_open("UTF-8", name);
    bool ok = converter != (iconv_t)-1;
    for (size_t at = 0; ok && at < length;)
        ok = convert_block(converter, 1, data, length, &at, &text, &lost);
    if (converter != (iconv_t)-1)
        iconv_close(converter);
    utf8proc_category_t before = UTF8PROC_CATEGORY_ZS;
    for (size_t at = 0, n; ok && at < text.length; at += n) {
        uint32_t c = 0, next = ' ';
        n = drt_utf8_decode(text.data + at, text.length - at, &c);
        n = n ? n : 1;
        drt_utf8_decode(text.data + at + n, text.length - at - n, &next);
        utf8proc_category_t kind = utf8proc_category((utf8proc_int32_t)c),
                            after = utf8proc_category((utf8proc_int32_t)next);
        bool word = before == UTF8PROC_CATEGORY_LU || before == UTF8PROC_CATEGORY_LL,
             small = kind == UTF8PROC_CATEGORY_LL;
        bool capital = kind == UTF8PROC_CATEGORY_LU, goes_on = after == UTF8PROC_CATEGORY_LL;
        bool sign = !small && !capital && c != 0x2019 && c != 0xAD;
        high += c >= 0x80;
        odd += c >= 0x80 && ((capital && word && goes_on) || (capital && before == UTF8PROC_CATEGORY_LL) ||
                             (sign && (word && (goes_on || after == UTF8PROC_CATEGORY_LU))));
        before = kind;
    }
    drt_buffer_free(&text);
    return ok && high > 0 ? (int)((odd + lost) * 100 / (high + lost)) : 100;
}

/* Of Western text uchardet doesn't know the charsets of DOS and of old Macs: what it says must make words. */
static const char *choose_western(const char *data, size_t length, const char *said) {
    static const char *const others[] = {"WINDOWS-1252", "CP850", "MACINTOSH"};
    size_t n = length < WESTERN_BYTES ? length : WESTERN_BYTES;
    int least = said ? count_odd(said, data, n) : 100;
    if (least < 10)
        return said;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        int odd = count_odd(others[i], data, n);
        if (odd <= 2 && odd < least) {
            said = others[i];
            least = odd;
        }
    }
    return said;
}

/* Neither marked, nor wide, nor UTF-8, nor declared. Of a few letters uchardet makes anything: then Western words are
 * Western, and it is only asked whether to call that a guess. */
static const char *guess(const char *data, size_t length, size_t first_high, bool *guessed) {
    const char *sample = data + first_high;
    size_t n = length - first_high < DETECTOR_BYTES ? length - first_high : DETECTOR_BYTES;
    const char *name = uchardet_says(sample, n);
    if (name && strcmp(name, "UTF-8") == 0)
        name = NULL;
    if (count_high(sample, n) >= FEW_LETTERS) {
        if (is_western(sample, n))
            name = choose_western(sample, n, name);
        return name ? name : "WINDOWS-1252";
    }
    if (is_western(data, first_high + n) && reads_as_windows_1252(data, first_high + n)) {
        *guessed = name && strncmp(name, "MAC", 3) != 0 && !same_letters(sample, n, name, "WINDOWS-1252");
        return "WINDOWS-1252";
    }
    *guessed = true;
    if (is_western(sample, n))
        name = choose_western(sample, n, name);
    if (!name)
        name = best_cjk(sample, n);
    return name ? name : "WINDOWS-1252";
}

static const char *choose(const char *data, size_t length, const char *declared, size_t declared_length, size_t *skip,
                          bool *guessed) {
    const char *name = marked_charset(data, length, skip);
    if (!name)
        name = wide_charset(data, length);
    if (name)
        return name;
    const char *label = charset_of_label(declared, declared_length);
    utf8_count count = count_utf8(data, length);
    if (count.sequences == 0 && count.strays == 0) {
        bool coded = label && (strncmp(label, "ISO-2022", 8) == 0 || strcmp(label, "UTF-7") == 0); /* in ASCII */
        return coded ? label : has_iso_2022_jp(data, length) ? "ISO-2022-JP" : "UTF-8";
    }
    if (count.strays == 0)
        return "UTF-8";
    if (label && strcmp(label, "UTF-8") != 0)
        return label;
    if (count.sequences >= count.strays)
        return "UTF-8";
    return guess(data, length, count.first_high, guessed);
}

drt_status drt_charset_decode(drt_context *context, const char *data, size_t length, const char *declared,
                              size_t declared_length, drt_buffer *out, drt_charset_facts *facts) {
    size_t skip = 0;
    *facts = (drt_charset_facts){0};
    facts->name = choose(data, length, declared, declared_length, &skip, &facts->guessed);
    data += skip;
    length -= skip;
    if (strcmp(facts->name, "UTF-8") != 0) {
        drt_status status = drt_charset_decode_as(context, facts->name, data, length, out, &facts->replacements);
        if (status != DRT_WARN)
            return status;
        facts->name = "UTF-8";
    }
    return decode_utf8(context, data, length, out, &facts->replacements);
}

drt_status drt_charset_view(drt_context *context, const char *data, size_t length, drt_buffer *decoded,
                            const char **text, size_t *text_length, drt_charset_facts *facts) {
    size_t skip = 0;
    *facts = (drt_charset_facts){0};
    facts->name = choose(data, length, NULL, 0, &skip, &facts->guessed);
    *text = data + skip;
    *text_length = length - skip;
    if (strcmp(facts->name, "UTF-8") == 0 && drt_utf8_valid_prefix(*text, *text_length) == *text_length)
        return DRT_OK;
    drt_status status = drt_charset_decode(context, data, length, NULL, 0, decoded, facts);
    *text = decoded->data ? decoded->data : "";
    *text_length = decoded->length;
    return status;
}

bool drt_charset_is_text(const char *data, size_t length) {
    size_t skip = 0, controls = 0;
    if (marked_charset(data, length, &skip) || wide_charset(data, length))
        return true;
    size_t n = length < SAMPLE_BYTES ? length : SAMPLE_BYTES;
    for (size_t i = 0; i < n; i++)
        controls += is_control((unsigned char)data[i]) && (unsigned char)data[i] < 0x80;
    return controls * 20 <= n;
}

/* ------------------------------------------------------------ file names ---- */

/* Western names: DOS code pages have their letters at 80-A5 and sharp s at E1, Windows at C0-FF, with a quote at 92 and
 * a dash at 96. */
static bool is_dos(const char *names, size_t length) {
    size_t dos = 0, windows = 0;
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)names[i];
        bool sign = byte == 0x92 || byte == 0x96;
        dos += byte >= 0x80 && byte <= 0xA5 && !sign;
        windows += sign || (byte >= 0xC0 && byte != 0xE1);
    }
    return dos > windows;
}

const char *drt_charset_of_names(const char *names, size_t length) {
    if (is_western(names, length))
        return is_dos(names, length) ? "CP437" : "WINDOWS-1252";
    const char *name = uchardet_says(names, length);
    if (!name || strcmp(name, "UTF-8") == 0 || count_high(names, length) < FEW_LETTERS) {
        const char *cjk = best_cjk(names, length);
        name = cjk ? cjk : name;
    }
    return name && strcmp(name, "UTF-8") != 0 ? name : NULL;
}

bool drt_charset_decode_name(const char *charset, const char *name, size_t length, drt_buffer *out) {
    if (charset && drt_utf8_valid_prefix(name, length) < length) {
        iconv_t converter = iconv_open("UTF-8", charset);
        if (converter != (iconv_t)-1) {
            drt_buffer decoded = {0};
            int64_t lost = 0;
            size_t at = 0;
            bool ok = convert_block(converter, 1, name, length, &at, &decoded, &lost);
            iconv_close(converter);
            bool whole = ok && lost == 0;
            ok = ok && (!whole || drt_buffer_append(out, decoded.data, decoded.length));
            drt_buffer_free(&decoded);
            if (whole || !ok)
                return ok;
        }
    }
    return drt_utf8_append_escaped(out, name, length);
}
