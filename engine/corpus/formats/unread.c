/* unread.c: what files look like that are recognised but not read. See unread.h. */
#include "engine/corpus/formats/unread.h"

#include <string.h>
#include <strings.h>

#include "engine/corpus/charset.h"

static bool begins(const drt_format_probe *probe, size_t at, const char *bytes, size_t length) {
    return probe->head_length >= at + length && memcmp(probe->head + at, bytes, length) == 0;
}

static bool begins_any(const drt_format_probe *probe, size_t at, const char *const *magics, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (begins(probe, at, magics[i], strlen(magics[i])))
            return true;
    return false;
}

#define BEGINS_ANY(probe, at, ...)                                                                                     \
    begins_any(probe, at, (const char *const[]){__VA_ARGS__},                                                          \
               sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

/* Short marks: a text may begin with such letters. */
static bool is_binary(const drt_format_probe *probe) {
    return !drt_charset_is_text(probe->head, probe->head_length);
}

static bool is_named(const drt_format_probe *probe, const char *extensions) {
    return drt_name_has_extension(probe->name, probe->name_length, extensions);
}

static uint32_t little(const char *at, int bytes) {
    uint32_t value = 0;
    while (bytes-- > 0)
        value = value << 8 | (unsigned char)at[bytes];
    return value;
}

/* ---------------------------------------------------------------- OLE ---- */

#define OLE_ENTRY 128 /* bytes of an entry in its directory */

bool drt_unread_is_old_office(const drt_format_probe *probe) {
    return begins(probe, 0, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", 8);
}

/* Where the directory begins; 0: not within the first bytes. */
static size_t ole_directory(const drt_format_probe *probe) {
    if (!drt_unread_is_old_office(probe) || probe->head_length < 52)
        return 0;
    uint32_t shift = little(probe->head + 30, 2), sector = little(probe->head + 48, 4);
    if ((shift != 9 && shift != 12) || sector > probe->head_length >> shift)
        return 0;
    size_t at = ((size_t)sector + 1) << shift;
    return at + OLE_ENTRY <= probe->head_length ? at : 0;
}

/* Is a stream of this name in the part of the directory that can be seen? Names are in UTF-16. */
static bool ole_holds(const drt_format_probe *probe, const char *name) {
    size_t at = ole_directory(probe), length = strlen(name);
    for (int entry = 0; at > 0 && entry < 32 && at + OLE_ENTRY <= probe->head_length; entry++, at += OLE_ENTRY) {
        size_t same = 0;
        while (same < length && 2 * same + 1 < 64 && probe->head[at + 2 * same] == name[same] &&
               probe->head[at + 2 * same + 1] == 0)
            same++;
        if (same == length)
            return true;
    }
    return false;
}

/* A new office file with a password is an old one around it; large ones have the directory at their end. */
bool drt_unread_is_locked_office(const drt_format_probe *probe) {
    if (ole_directory(probe) > 0)
        return ole_holds(probe, "EncryptedPackage");
    return drt_unread_is_old_office(probe) && is_named(probe, " .docx .docm .xlsx .xlsm .pptx .pptm ");
}

bool drt_unread_is_outlook(const drt_format_probe *probe) {
    return drt_unread_is_old_office(probe) &&
           (is_named(probe, " .msg ") || ole_holds(probe, "__properties_version1.0"));
}

/* ------------------------------------------------------------- the others ---- */

bool drt_unread_is_mobi(const drt_format_probe *probe) {
    return begins(probe, 60, "BOOKMOBI", 8) ||
           begins(probe, 0,
                  "\xEA"
                  "DRMION\xEE",
                  8) ||
           (begins(probe, 0, "CONT\2\0", 6) && is_named(probe, " .kfx .azw .azw8 "));
}

bool drt_unread_is_ebook(const drt_format_probe *probe) {
    return BEGINS_ANY(probe, 0, "ITOLITLS", "ITSF\3") || begins(probe, 0, "L\0R\0F\0", 6) ||
           BEGINS_ANY(probe, 60, "TEXtREAd", "PNRdPPrs");
}

bool drt_unread_is_djvu(const drt_format_probe *probe) {
    return begins(probe, 0, "AT&TFORM", 8);
}

bool drt_unread_is_postscript(const drt_format_probe *probe) {
    return BEGINS_ANY(probe, 0, "%!PS", "\xC5\xD0\xD3\xC6");
}

bool drt_unread_is_web_archive(const drt_format_probe *probe) {
    return BEGINS_ANY(probe, 0, "WARC/0.", "WARC/1.");
}

bool drt_unread_is_encrypted(const drt_format_probe *probe) {
    return BEGINS_ANY(probe, 0, "-----BEGIN PGP MESSAGE-----", "age-encryption.org/",
                      "-----BEGIN AGE ENCRYPTED FILE-----");
}

/* A box of ISO media files, whose brand says that it is a picture. */
static bool is_picture_box(const drt_format_probe *probe) {
    return begins(probe, 4, "ftyp", 4) && BEGINS_ANY(probe, 8, "heic", "heix", "heif", "mif1", "msf1", "avif", "avis");
}

bool drt_unread_is_image(const drt_format_probe *probe) {
    bool marked =
        BEGINS_ANY(probe, 0, "\x89PNG\r\n", "\xFF\xD8\xFF", "GIF87a", "GIF89a", "II*", "MM", "8BPS", "\xFF\x0A") ||
        begins(probe, 0, "\0\0\0\x0CjP  ", 8) || is_picture_box(probe) ||
        (begins(probe, 0, "RIFF", 4) && begins(probe, 8, "WEBP", 4)) ||
        (begins(probe, 0, "BM", 2) && begins(probe, 6, "\0\0\0\0", 4));
    return marked && is_binary(probe);
}

bool drt_unread_is_media(const drt_format_probe *probe) {
    bool marked = BEGINS_ANY(probe, 0, "ID3", "OggS", "fLaC", "RIFF", "\x1A\x45\xDF\xA3", "\xFF\xFB") ||
                  begins(probe, 4, "ftyp", 4);
    return marked && is_binary(probe);
}

bool drt_unread_is_program(const drt_format_probe *probe) {
    return begins(probe, 0,
                  "\x7F"
                  "ELF",
                  4) ||
           begins(probe, 0, "\0asm", 4) ||
           (BEGINS_ANY(probe, 0, "MZ", "\xCF\xFA\xED\xFE", "\xCE\xFA\xED\xFE", "\xCA\xFE\xBA\xBE") && is_binary(probe));
}

bool drt_unread_is_database(const drt_format_probe *probe) {
    return begins(probe, 0, "SQLite format 3", 16) || BEGINS_ANY(probe, 4, "Standard ACE DB", "Standard Jet DB") ||
           begins(probe, 0, "PAR1", 4);
}

bool drt_unread_is_archive(const drt_format_probe *probe) {
    bool marked = BEGINS_ANY(probe, 0, "StuffIt (c)", "StuffIt!", "ZOO ", "\xED\xAB\xEE\xDB", "\x89LZO", "LRZI") ||
                  begins(probe, 7, "**ACE**", 7);
    return marked && is_binary(probe);
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* .001 and on; .z01, .r00 beside .zip, .rar; .part2.rar. */
bool drt_unread_is_piece(const char *name, size_t length) {
    if (length > 4 && is_digit(name[length - 2]) && is_digit(name[length - 1]) && name[length - 4] == '.') {
        char c = name[length - 3];
        return is_digit(c) || c == 'z' || c == 'Z' || c == 'r' || c == 'R';
    }
    size_t at = length > 4 && strncasecmp(name + length - 4, ".rar", 4) == 0 ? length - 4 : 0, digits = 0;
    while (at > 0 && is_digit(name[at - 1]))
        at--, digits++;
    return digits > 0 && at >= 5 && strncasecmp(name + at - 5, ".part", 5) == 0;
}
