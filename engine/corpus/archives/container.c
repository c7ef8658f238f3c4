/* container.c: the table of archive and compression formats, and what a zip's first members say it is. See container.h. */
#include "engine/corpus/archives/container.h"

#include <ctype.h>
#include <string.h>

#include <archive.h>

#include "engine/corpus/formats/mailbox.h"

/* ------------------------------------------------------------ kinds ---- */

static bool begins(const drt_format_probe *probe, size_t at, const char *bytes, size_t length) {
    return probe->head_length >= at + length && memcmp(probe->head + at, bytes, length) == 0;
}

static uint32_t little(const char *at, int bytes) {
    uint32_t value = 0;
    while (bytes-- > 0)
        value = value << 8 | (unsigned char)at[bytes];
    return value;
}

static bool is_zip(const drt_format_probe *probe) {
    return begins(probe, 0, "PK\3\4", 4) || begins(probe, 0, "PK\5\6", 4) || begins(probe, 0, "PK\7\x8PK\3\4", 8);
}

static bool is_7z(const drt_format_probe *probe) {
    return begins(probe, 0, "7z\xBC\xAF\x27\x1C", 6);
}

/* A tar header is a block of 512 bytes whose sum it holds in octal, its own field counted as spaces. */
static bool is_tar(const drt_format_probe *probe) {
    if (probe->head_length < 512)
        return false;
    const unsigned char *block = (const unsigned char *)probe->head;
    long sum = 0, held = 0;
    for (int i = 0; i < 512; i++)
        sum += i >= 148 && i < 156 ? ' ' : block[i];
    for (int i = 148; i < 156; i++)
        if (block[i] >= '0' && block[i] <= '7')
            held = held * 8 + (block[i] - '0');
    return sum == held && sum > 8 * ' ';
}

/* The old binary kind has no sums: two bytes of mark, and at 26 a name as long as it says, with a NUL at its end. */
static bool is_old_cpio(const drt_format_probe *probe) {
    size_t length = probe->head_length > 26 ? little(probe->head + 20, 2) : 0;
    return begins(probe, 0, "\xC7\x71", 2) && length > 1 && length < 1024 && probe->head_length >= 26 + length &&
           memchr(probe->head + 26, 0, length) == probe->head + 26 + length - 1;
}

static bool is_cpio(const drt_format_probe *probe) {
    size_t digits = begins(probe, 0, "070701", 6) || begins(probe, 0, "070702", 6) ? 110
                    : begins(probe, 0, "070707", 6)                                ? 76
                                                                                   : 0;
    for (size_t i = 0; i < digits; i++)
        if (i >= probe->head_length || !isxdigit((unsigned char)probe->head[i]))
            return false;
    return digits > 0 || is_old_cpio(probe);
}

static bool is_ar(const drt_format_probe *probe) {
    return begins(probe, 0, "!<arch>\n", 8);
}

static bool is_iso(const drt_format_probe *probe) {
    return begins(probe, 32769, "CD001", 5);
}

static bool is_rar(const drt_format_probe *probe) {
    return begins(probe, 0, "Rar!\x1A\x07\0", 7);
}

static bool is_rar5(const drt_format_probe *probe) {
    return begins(probe, 0, "Rar!\x1A\x07\1\0", 8);
}

static bool is_cab(const drt_format_probe *probe) {
    return begins(probe, 0, "MSCF\0\0\0\0", 8);
}

static bool is_lha(const drt_format_probe *probe) {
    return begins(probe, 2, "-lh", 3) && begins(probe, 6, "-", 1);
}

static bool is_xar(const drt_format_probe *probe) {
    return begins(probe, 0, "xar!\0\x1C", 6);
}

static bool is_gzip(const drt_format_probe *probe) {
    return begins(probe, 0, "\x1F\x8B\x08", 3);
}

static bool is_bzip2(const drt_format_probe *probe) {
    return begins(probe, 0, "BZh", 3) &&
           (begins(probe, 4, "\x31\x41\x59\x26\x53\x59", 6) || begins(probe, 4, "\x17\x72\x45\x38\x50\x90", 6));
}

static bool is_xz(const drt_format_probe *probe) {
    return begins(probe, 0,
                  "\xFD"
                  "7zXZ\0",
                  6);
}

static bool is_zstd(const drt_format_probe *probe) {
    return begins(probe, 0, "\x28\xB5\x2F\xFD", 4);
}

static bool is_lz4(const drt_format_probe *probe) {
    return begins(probe, 0, "\x04\x22\x4D\x18", 4);
}

static bool is_lzip(const drt_format_probe *probe) {
    return begins(probe, 0, "LZIP", 4);
}

static bool is_compress(const drt_format_probe *probe) {
    return begins(probe, 0, "\x1F\x9D", 2);
}

/* It has no mark: default properties, a dictionary of a usual size up to 128 MiB (the decoder allocates what is said
 * here), and a length that is unknown or below 1 TiB. */
static bool is_lzma(const drt_format_probe *probe) {
    if (probe->head_length < 14 || !begins(probe, 0, "\x5D\0\0", 3))
        return false;
    uint32_t dictionary = little(probe->head + 1, 4), half = dictionary & (dictionary - 1);
    bool usual = dictionary >= 1 << 16 && dictionary <= 1 << 27 && (half & (half - 1)) == 0;
    uint32_t low = little(probe->head + 5, 4), high = little(probe->head + 9, 4);
    return usual && ((low == UINT32_MAX && high == UINT32_MAX) || high < 256);
}

static const drt_container containers[] = {
    {"mbox", " .mbox .mbx ", "mailboxes", drt_mailbox_detect, 0, DRT_CONTAINER_MAILBOX, false},
    {"zip", " .zip .jar .cbz ", "zip archives", is_zip, ARCHIVE_FORMAT_ZIP, DRT_CONTAINER_PACKED, true},
    {"7z", " .7z .cb7 ", "7-Zip archives", is_7z, ARCHIVE_FORMAT_7ZIP, DRT_CONTAINER_PACKED, true},
    {"tar", " .tar .tgz .tbz2 .txz .tzst ", "tar archives, in any compression below", is_tar, ARCHIVE_FORMAT_TAR,
     DRT_CONTAINER_PLAIN, false},
    {"cpio", " .cpio ", "cpio archives", is_cpio, ARCHIVE_FORMAT_CPIO, DRT_CONTAINER_PLAIN, false},
    {"ar", " .ar .a .deb ", "ar archives, Debian packages", is_ar, ARCHIVE_FORMAT_AR, DRT_CONTAINER_PLAIN, false},
    {"iso", " .iso ", "ISO 9660 images", is_iso, ARCHIVE_FORMAT_ISO9660, DRT_CONTAINER_PLAIN, true},
    {"rar", " .rar .cbr ", "RAR archives, to version 4", is_rar, ARCHIVE_FORMAT_RAR, DRT_CONTAINER_PACKED, true},
    {"rar5", " .rar ", "RAR archives, version 5", is_rar5, ARCHIVE_FORMAT_RAR_V5, DRT_CONTAINER_PACKED, true},
    {"cab", " .cab ", "Windows cabinets", is_cab, ARCHIVE_FORMAT_CAB, DRT_CONTAINER_PACKED, true},
    {"lha", " .lha .lzh ", "LHA archives", is_lha, ARCHIVE_FORMAT_LHA, DRT_CONTAINER_PACKED, true},
    {"xar", " .xar ", "xar archives", is_xar, ARCHIVE_FORMAT_XAR, DRT_CONTAINER_PACKED, true},
    {"gzip", " .gz .tgz ", "gzip", is_gzip, ARCHIVE_FILTER_GZIP, DRT_CONTAINER_COMPRESSION, false},
    {"bzip2", " .bz2 .tbz2 ", "bzip2", is_bzip2, ARCHIVE_FILTER_BZIP2, DRT_CONTAINER_COMPRESSION, false},
    {"xz", " .xz .txz ", "xz", is_xz, ARCHIVE_FILTER_XZ, DRT_CONTAINER_COMPRESSION, false},
    {"zstd", " .zst .tzst ", "Zstandard", is_zstd, ARCHIVE_FILTER_ZSTD, DRT_CONTAINER_COMPRESSION, false},
    {"lz4", " .lz4 ", "LZ4", is_lz4, ARCHIVE_FILTER_LZ4, DRT_CONTAINER_COMPRESSION, false},
    {"lzip", " .lz ", "lzip", is_lzip, ARCHIVE_FILTER_LZIP, DRT_CONTAINER_COMPRESSION, false},
    {"compress", " .z ", "compress", is_compress, ARCHIVE_FILTER_COMPRESS, DRT_CONTAINER_COMPRESSION, false},
    {"lzma", " .lzma ", "LZMA", is_lzma, ARCHIVE_FILTER_LZMA, DRT_CONTAINER_COMPRESSION, false},
};

const drt_container *drt_container_at(size_t index) {
    return index < sizeof containers / sizeof *containers ? &containers[index] : NULL;
}

const drt_container *drt_container_named(const char *name) {
    for (size_t i = 0; i < sizeof containers / sizeof *containers; i++)
        if (strcmp(containers[i].name, name) == 0)
            return &containers[i];
    return NULL;
}

const drt_container *drt_container_by_content(const drt_format_probe *probe) {
    for (size_t i = 0; i < sizeof containers / sizeof *containers; i++)
        if (containers[i].detect(probe))
            return &containers[i];
    return NULL;
}

const drt_container *drt_container_by_name(const drt_format_probe *probe) {
    for (size_t i = 0; i < sizeof containers / sizeof *containers; i++)
        if (drt_name_has_extension(probe->name, probe->name_length, containers[i].extensions))
            return &containers[i];
    return NULL;
}

/* ----------------------------------------------------- a zip's first look ---- */

/* One local header in the first bytes of a zip. */
typedef struct {
    const char *name, *data;
    size_t name_length, data_length; /* data: the packed bytes that are within the head */
    bool stored;
} zip_entry;

/* Walks the local headers in the head, as far as they say how long their data are. */
static bool next_zip_entry(const drt_format_probe *probe, size_t *at, zip_entry *entry) {
    if (!begins(probe, *at, "PK\3\4", 4) || probe->head_length - *at < 30)
        return false;
    const char *header = probe->head + *at;
    size_t name = little(header + 26, 2), extra = little(header + 28, 2), left = probe->head_length - *at - 30;
    if (left < name)
        return false;
    *entry = (zip_entry){.name = header + 30, .name_length = name, .stored = little(header + 8, 2) == 0};
    uint64_t packed = little(header + 18, 4);
    left = left - name > extra ? left - name - extra : 0;
    entry->data = header + 30 + name + extra;
    entry->data_length = packed < left ? (size_t)packed : left;
    bool described = little(header + 6, 2) & 8; /* the sizes stand behind the data */
    *at = described || packed >= left ? probe->head_length : *at + 30 + name + extra + (size_t)packed;
    return true;
}

static bool zip_holds(const drt_format_probe *probe, const char *prefix) {
    zip_entry entry;
    size_t length = strlen(prefix);
    for (size_t at = 0; next_zip_entry(probe, &at, &entry);)
        if (entry.name_length >= length && memcmp(entry.name, prefix, length) == 0)
            return true;
    return false;
}

/* Its first member, `mimetype`, begins so. */
static bool zip_is_of_type(const drt_format_probe *probe, const char *type) {
    zip_entry entry;
    size_t at = 0, length = strlen(type);
    return next_zip_entry(probe, &at, &entry) && entry.name_length == 8 && memcmp(entry.name, "mimetype", 8) == 0 &&
           entry.stored && entry.data_length >= length && memcmp(entry.data, type, length) == 0;
}

bool drt_zip_is_epub(const drt_format_probe *probe) {
    return zip_is_of_type(probe, "application/epub+zip") || zip_holds(probe, "META-INF/container.xml");
}

bool drt_zip_is_docx(const drt_format_probe *probe) {
    return zip_holds(probe, "word/");
}

bool drt_zip_is_office(const drt_format_probe *probe) {
    return zip_holds(probe, "xl/") || zip_holds(probe, "ppt/");
}

bool drt_zip_is_odt(const drt_format_probe *probe) {
    return zip_is_of_type(probe, "application/vnd.oasis.opendocument.text") ||
           zip_is_of_type(probe, "application/vnd.sun.xml.writer"); /* OpenOffice 1 */
}

bool drt_zip_is_opendocument(const drt_format_probe *probe) {
    return zip_is_of_type(probe, "application/vnd.oasis.opendocument.");
}
