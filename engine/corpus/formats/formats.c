/* formats.c: the table of formats. See formats.h.
 * Rows without an extract function are formats that are recognised, so that the reason for skipping a member can
 * say what it is. */
#include "engine/corpus/formats/formats.h"

#include <string.h>
#include <strings.h>

#include "engine/corpus/archives/container.h"
#include "engine/corpus/charset.h"
#include "engine/corpus/formats/unread.h"

static bool begins(const drt_format_probe *probe, size_t at, const char *bytes, size_t length) {
    return probe->head_length >= at + length && memcmp(probe->head + at, bytes, length) == 0;
}

/* Readers look for the mark among the first 1,024 bytes. */
static bool is_pdf(const drt_format_probe *probe) {
    if (begins(probe, 0, "%PDF-", 5))
        return true;
    bool named = drt_name_has_extension(probe->name, probe->name_length, " .pdf ");
    for (size_t at = 1; named && at <= 1024 && at + 5 <= probe->head_length; at++)
        if (begins(probe, at, "%PDF-", 5))
            return true;
    return false;
}

static bool is_rtf(const drt_format_probe *probe) {
    return begins(probe, 0, "{\\rtf", 5);
}

/* Content is asked from top to bottom: narrow rows stand above wide ones. */
static const drt_format formats[] = {
    {"pdf", " .pdf ", "PDF, with poppler's pdftotext", DRT_FORMAT_BINARY, is_pdf, drt_format_pdf_extract, NULL, NULL},
    {"epub", " .epub ", "EPUB books", DRT_FORMAT_ZIP, drt_zip_is_epub, drt_format_epub_extract, NULL, NULL},
    {"docx", " .docx .docm ", "Microsoft Word", DRT_FORMAT_ZIP, drt_zip_is_docx, drt_format_docx_extract, NULL, NULL},
    {"office", " .xlsx .pptx .xlsm .pptm ", "Microsoft Excel and PowerPoint", DRT_FORMAT_ZIP, drt_zip_is_office, NULL,
     "the format of spreadsheets and slides is not read; save it as PDF", NULL},
    {"odt", " .odt .ott .odm .sxw .stw ", "OpenDocument text", DRT_FORMAT_ZIP, drt_zip_is_odt, drt_format_odt_extract,
     NULL, NULL},
    {"fodt", " .fodt ", "OpenDocument text, flat", DRT_FORMAT_TEXT, drt_format_fodt_detect, drt_format_fodt_extract,
     NULL, NULL},
    {"fb2", " .fb2 ", "FictionBook", DRT_FORMAT_TEXT, drt_format_fb2_detect, drt_format_fb2_extract, NULL, NULL},
    {"jats", "", "JATS, the XML of journals", DRT_FORMAT_TEXT, drt_format_jats_detect, drt_format_jats_extract, NULL,
     NULL},
    {"tei", " .tei ", "TEI, the XML of editions", DRT_FORMAT_TEXT, drt_format_tei_detect, drt_format_tei_extract, NULL,
     NULL},
    {"docbook", " .dbk .docbook ", "DocBook, the XML of manuals", DRT_FORMAT_TEXT, drt_format_docbook_detect,
     drt_format_docbook_extract, NULL, NULL},
    {"opendocument", " .ods .odp .odg ", "OpenDocument other than text", DRT_FORMAT_ZIP, drt_zip_is_opendocument, NULL,
     "the format of spreadsheets and slides is not read; save it as PDF", NULL},
    {"rtf", " .rtf ", "Rich Text Format", DRT_FORMAT_TEXT, is_rtf, drt_format_rtf_extract, NULL, NULL},
    {"tex", " .tex .ltx .latex .bbl .pdf_tex .pdf_t .pstex_t .eps_tex .tikz .pgf ", "TeX and LaTeX", DRT_FORMAT_TEXT,
     drt_format_tex_detect, drt_format_tex_extract, NULL, NULL},
    {"bibtex", " .bib ", "BibTeX's lists of references", DRT_FORMAT_TEXT, NULL, drt_format_bibtex_extract, NULL, NULL},
    {"tex-style", " .sty .cls .bst .aux .blg .lof .lot .fls .fdb_latexmk .synctex ", "TeX's own files", DRT_FORMAT_TEXT,
     drt_format_tex_detect_written, NULL, "it is a file of TeX's own, not a document", NULL},
    {"office", "", "office files with a password", DRT_FORMAT_BINARY, drt_unread_is_locked_office, NULL,
     "it is encrypted; a password would be needed", NULL},
    {"outlook", " .msg ", "messages of Outlook", DRT_FORMAT_BINARY, drt_unread_is_outlook, NULL,
     "the format of Outlook's messages is not read; save it as EML", NULL},
    {"doc", " .doc .xls .ppt ", "Microsoft Office 97", DRT_FORMAT_BINARY, drt_unread_is_old_office, NULL,
     "the binary format of old Microsoft Office files is not read; save it as DOCX or PDF", NULL},
    {"other", " .pages .numbers .key .xps .oxps .sxc .sxi .hwpx ", "documents of other programs", DRT_FORMAT_ZIP, NULL,
     NULL, "the format of this program is not read; save it as DOCX, ODT or PDF", NULL},
    {"other", " .wpd .wps .one .pub .hwp .vsd .qxd .indd ", "documents of other programs", DRT_FORMAT_BINARY, NULL,
     NULL, "the format of this program is not read; save it as DOCX, ODT or PDF", NULL},
    {"mobi", " .mobi .azw .azw3 .azw4 .prc .kfx ", "Kindle", DRT_FORMAT_BINARY, drt_unread_is_mobi, NULL,
     "the Kindle format is not read; convert it to EPUB", NULL},
    {"ebook", " .lit .lrf .chm .tcr ", "electronic books of other kinds", DRT_FORMAT_BINARY, drt_unread_is_ebook, NULL,
     "this format of electronic books is not read; convert it to EPUB", NULL},
    {"djvu", " .djvu .djv ", "DjVu", DRT_FORMAT_BINARY, drt_unread_is_djvu, NULL,
     "the DjVu format is not read; djvutxt makes a text of it", NULL},
    {"postscript", " .ps .eps ", "PostScript", DRT_FORMAT_TEXT, drt_unread_is_postscript, NULL,
     "the PostScript format is not read; ps2pdf makes a PDF of it", NULL},
    {"warc", " .warc ", "archives of web pages", DRT_FORMAT_TEXT, drt_unread_is_web_archive, NULL,
     "the format of web archives is not read; save the pages as HTML", NULL},
    {"encrypted", " .gpg .pgp .age ", "encrypted files", DRT_FORMAT_BINARY, drt_unread_is_encrypted, NULL,
     "it is encrypted; decrypt it first", NULL},
    {"image", " .png .jpg .jpeg .gif .tif .tiff .bmp .webp .heic .avif .jp2 .ico .psd ", "pictures", DRT_FORMAT_BINARY,
     drt_unread_is_image, NULL, "it is a picture; what is written in it would need text recognition (OCR)", NULL},
    {"media", " .mp3 .m4a .ogg .flac .wav .mp4 .mkv .mov .avi .webm ", "sound and film", DRT_FORMAT_BINARY,
     drt_unread_is_media, NULL, "it is sound or film", NULL},
    {"program", " .exe .dll .so .dylib .o .class .pyc .wasm .msi ", "programs", DRT_FORMAT_BINARY,
     drt_unread_is_program, NULL, "it is a program", NULL},
    {"database", " .sqlite .db .mdb .accdb .parquet ", "databases", DRT_FORMAT_BINARY, drt_unread_is_database, NULL,
     "it is a database", NULL},
    {"font", " .ttf .otf .woff .woff2 .eot .pfb ", "fonts", DRT_FORMAT_BINARY, NULL, NULL, "it is a font", NULL},
    {"archive", " .arj .ace .zoo .sit .sitx .rpm .dmg .lzo .lrz .zpaq .br ", "archives of other kinds",
     DRT_FORMAT_BINARY, drt_unread_is_archive, NULL, "archives of this kind are not read; unpack it first", NULL},
    {"html", " .html .htm .xhtml .xht ", "HTML and XHTML", DRT_FORMAT_TEXT, drt_format_html_detect,
     drt_format_html_extract, NULL, NULL},
    {"xml", " .xml ", "XML of any other kind: the text of its elements", DRT_FORMAT_TEXT, drt_format_xml_detect,
     drt_format_xml_extract, NULL, NULL},
    {"rst", " .rst .rest ", "reStructuredText", DRT_FORMAT_TEXT, NULL, drt_format_rst_extract, NULL, NULL},
    {"notebook", " .ipynb ", "Jupyter notebooks", DRT_FORMAT_TEXT, NULL, drt_format_notebook_extract, NULL, NULL},
    {"subtitles", " .srt .vtt .ass .ssa ", "subtitles", DRT_FORMAT_TEXT, drt_format_subtitles_detect,
     drt_format_subtitles_extract, NULL, NULL},
    {"mail", " .eml .emlx .mht .mhtml ", "mail, and what is attached to it", DRT_FORMAT_TEXT, drt_format_mail_detect,
     drt_format_mail_extract, NULL, drt_format_mail_split},
    {"markdown", " .md .markdown .mkd ", "Markdown", DRT_FORMAT_TEXT, NULL, drt_format_markdown_extract, NULL, NULL},
    {"text", " .txt .text .log .csv .tsv .json .org ", "plain text in any encoding", DRT_FORMAT_TEXT, NULL,
     drt_format_text_extract, NULL, NULL},
};

#define N_FORMATS (sizeof formats / sizeof *formats)

static const drt_format text = {"text", "", "", DRT_FORMAT_TEXT, NULL, drt_format_text_extract, NULL, NULL};
static const drt_format binary = {"", "", "", DRT_FORMAT_BINARY, NULL, NULL, "it is binary data, not a text", NULL};
static const drt_format piece = {
    "",  "", "", DRT_FORMAT_BINARY, NULL, NULL, "it is a piece of an archive that was cut up; join the pieces first",
    NULL};

bool drt_name_has_extension(const char *name, size_t length, const char *extensions) {
    size_t dot = length;
    while (dot > 0 && name[dot - 1] != '.')
        dot--;
    if (dot < 2) /* none, or a hidden file's */
        return false;
    size_t n = length - --dot;
    for (const char *at = extensions; (at = strchr(at, '.')) != NULL; at++)
        if (strncasecmp(at, name + dot, n) == 0 && at[n] == ' ')
            return true;
    return false;
}

const drt_format *drt_format_named(const char *name) {
    for (size_t i = 0; i < N_FORMATS; i++)
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    return NULL;
}

const drt_format *drt_format_by_content(const drt_format_probe *probe) {
    for (size_t i = 0; i < N_FORMATS; i++)
        if (formats[i].detect && formats[i].detect(probe))
            return &formats[i];
    return NULL;
}

const drt_format *drt_format_by_name(const drt_format_probe *probe) {
    bool readable = drt_charset_is_text(probe->head, probe->head_length);
    /* A text called .db is a text, but what is called .pyc and has NULs is no text, however much of it can be read. */
    bool pure = readable && (probe->head_length == 0 || !memchr(probe->head, 0, probe->head_length));
    for (size_t i = 0; i < N_FORMATS; i++)
        if ((formats[i].basis == DRT_FORMAT_TEXT ? readable : !pure) &&
            drt_name_has_extension(probe->name, probe->name_length, formats[i].extensions))
            return &formats[i];
    if (readable)
        return &text;
    return drt_unread_is_piece(probe->name, probe->name_length) ? &piece : &binary;
}

bool drt_format_describe(size_t index, const char **name, const char **extensions, const char **description) {
    for (size_t i = 0; i < N_FORMATS; i++) {
        if ((formats[i].extract || formats[i].split) && index-- == 0) {
            *name = formats[i].name;
            *extensions = formats[i].extensions;
            *description = formats[i].description;
            return true;
        }
    }
    const drt_container *container = drt_container_at(index);
    if (!container)
        return false;
    *name = container->name;
    *extensions = container->extensions;
    *description = container->description;
    return true;
}
