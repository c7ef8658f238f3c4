/* Each format: from raw bytes to text, title, authors, date, status and reason; and which format bytes and name tell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/corpus/archives/container.h"
#include "engine/corpus/date.h"
#include "engine/corpus/formats/markup.h"
#include "tests/corpus/rows.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static void content_goes_before_the_name(void **state) {
    (void)state;
    static const struct {
        const char *name, *head, *format;
    } cases[] = {
        {"a.txt", "words", "text"},
        {"a", "words", "text"},
        {"a.unknown", "words", "text"},
        {"a.md", "# words", "markdown"},
        {"a.HTML", "words", "html"},
        {"a.txt", "<!DOCTYPE html><p>words", "html"},
        {"a.txt", " <?xml version=\"1.0\"?><!-- c --><html xmlns=\"x\">", "html"},
        {"a.txt", "<b>not a page", "text"},
        {"a.txt", "%PDF-1.7 ...", "pdf"},
        {"a.txt", "{\\rtf1", "rtf"},
        {"a.tex", "\\documentclass", "tex"},
        {"a.docx", "\x01\x02\x03\x04", "docx"}, /* damaged */
        {"a.doc", "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "doc"},
        {"a.docx", "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "office"}, /* with a password */
        {"a.db", "a text all the same", "text"},
        {"a.txt", "\x89PNG\r\n\x1A\n\x01\x02\x03", "image"},
        {"a.jpg", "a text all the same", "text"},
        {"a.txt", "MMI is the year 2001", "text"},
        {"a.txt", "\x01\x02\x03\x04", ""},
        {"a.txt", "", "text"},
        {".md", "a hidden file", "text"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_string_equal(format_of(cases[i].name, cases[i].head, strlen(cases[i].head))->name, cases[i].format);
}

/* A file of OLE with one stream. */
static void make_ole(char ole[2048], const char *stream) {
    memset(ole, 0, 2048);
    memcpy(ole, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", 8);
    ole[30] = 9; /* sectors of 512 bytes, the directory in the second one */
    ole[48] = 1;
    for (size_t i = 0; stream[i]; i++)
        ole[1024 + 128 + 2 * i] = stream[i];
}

static void what_is_not_read_is_called_by_its_name(void **state) {
    (void)state;
    static const struct {
        const char *name, *head;
        size_t length;
        const char *format;
    } cases[] = {
        {"a",
         "\0\0\0\x18"
         "ftypheic\0\0\0\0",
         16, "image"},
        {"a.webp", "RIFF\x20\1\0\0WEBPVP8 \0\0", 18, "image"},
        {"a", "RIFF\x20\1\0\0WAVEfmt \0\0", 18, "media"},
        {"a.mp4",
         "\0\0\0\x18"
         "ftypisom\0\0\0\0",
         16, "media"},
        {"a", "\xCF\xFA\xED\xFE\7\0\0\1\0", 9, "program"},
        {"a.chm", "ITSF\3\0\0\0", 8, "ebook"},
        {"a.pages", "PK\3\4\0\0\0\0", 8, "other"},
        {"a.wpd", "\xFFWPC\0\0\0\0", 8, "other"},
        {"a.key", "-----BEGIN PRIVATE KEY-----", 27, "text"},
        {"a.txt", "-----BEGIN PGP MESSAGE-----\n\nhQEM", 34, "encrypted"},
        {"a.warc", "WARC/1.0\r\nWARC-Type: warcinfo\r\n", 32, "warc"},
        {"a.rpm", "\xED\xAB\xEE\xDB\3\0\0\0", 8, "archive"},
        {"a.ttf", "\0\1\0\0\0\x0C", 6, "font"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_string_equal(format_of(cases[i].name, cases[i].head, cases[i].length)->name, cases[i].format);
    static const struct {
        const char *name, *stream, *format, *says;
    } files[] = {
        {"a.docx", "EncryptedPackage", "office", "encrypted"}, {"a", "EncryptedPackage", "office", "encrypted"},
        {"a.docx", "WordDocument", "doc", "save it as DOCX"},  {"a.txt", "Workbook", "doc", "old Microsoft Office"},
        {"a", "__properties_version1.0", "outlook", "EML"},
    };
    for (size_t i = 0; i < COUNT(files); i++) {
        char ole[2048];
        make_ole(ole, files[i].stream);
        const drt_format *format = format_of(files[i].name, ole, sizeof ole);
        assert_string_equal(format->name, files[i].format);
        assert_non_null(strstr(format->refusal, files[i].says));
    }
}

static void kinds_of_archives_are_told_by_content(void **state) {
    (void)state;
    static const struct {
        const char *head;
        size_t length;
        const char *kind; /* "": none */
    } cases[] = {
        {"PK\3\4", 4, "zip"},
        {"PK\5\6", 4, "zip"},
        {"7z\xBC\xAF\x27\x1C", 6, "7z"},
        {"\x1F\x8B\x08", 3, "gzip"},
        {"BZh9", 4, ""},
        {"BZh91AY&SY", 10, "bzip2"},
        {"070707 is a number in a text", 28, ""},
        {"\xC7\x71 in Greek", 11, ""},
        {"\xC7\x71\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\4\0\0\0\0\0a.b", 30, "cpio"},
        {"\x5D\0\0\x80\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\0", 14, "lzma"},
        {"\x5D\0\0\xC0\0\x10\0\0\0\0\0\0\0\0", 14, "lzma"},
        {"\x5D\0\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\0", 14, ""}, /* a dictionary of 4 GiB */
        {"!<arch>\n", 8, "ar"},
        {"Rar!\x1A\7\1\0", 8, "rar5"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        drt_format_probe probe = {
            .name = "a", .name_length = 1, .head = cases[i].head, .head_length = cases[i].length, .whole = true};
        const drt_container *container = drt_container_by_content(&probe);
        assert_string_equal(container ? container->name : "", cases[i].kind);
    }
}

static void the_table_describes_itself(void **state) {
    (void)state;
    const char *name, *extensions, *description;
    size_t n = 0;
    bool text = false, epub = false, zip = false, djvu = false;
    for (; drt_format_describe(n, &name, &extensions, &description); n++) {
        assert_true(*name && *description);
        text |= strcmp(name, "text") == 0;
        epub |= strcmp(name, "epub") == 0;
        zip |= strcmp(name, "zip") == 0;
        djvu |= strcmp(name, "djvu") == 0;
    }
    assert_true(text && epub && zip);
    assert_false(djvu); /* only what is read */
}

/* What stands between two marks of a file of the source tree. */
static drt_buffer section_of(const char *name, const char *from, const char *to) {
    char path[1000];
    drt_buffer text = {0};
    snprintf(path, sizeof path, "%s/%s", DRT_SOURCE_DIR, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    for (int c; (c = getc(file)) != EOF;)
        assert_true(drt_buffer_append_byte(&text, (char)c));
    fclose(file);
    char *start = strstr(text.data, from), *end = start ? strstr(start + strlen(from), to) : NULL;
    assert_non_null(end);
    start += strlen(from);
    memmove(text.data, start, (size_t)(end - start));
    text.length = (size_t)(end - start);
    text.data[text.length] = 0;
    return text;
}

/* The manual and the README list the formats of the table, no more and no fewer; where this fails, what is printed belongs
 * between the marks. */
static void manual_and_readme_list_the_table(void **state) {
    (void)state;
    const char *name, *extensions, *description;
    drt_buffer manual = {0}, readme = {0};
    assert_true(drt_buffer_append_text(&manual, ".Bl -tag -width subtitles\n") &&
                drt_buffer_append_text(&readme, "| format | of | names that end in |\n|---|---|---|\n"));
    for (size_t i = 0; drt_format_describe(i, &name, &extensions, &description); i++) {
        char trimmed[200];
        snprintf(trimmed, sizeof trimmed, "%.*s", (int)(strlen(extensions) > 2 ? strlen(extensions) - 2 : 0),
                 extensions + 1);
        assert_true(
            drt_buffer_printf(&manual, ".It Sy %s\n%s%s%s\n", name, description, *trimmed ? ": " : "", trimmed));
        assert_true(drt_buffer_printf(&readme, "| %s | %s | %s |\n", name, description, trimmed));
    }
    assert_true(drt_buffer_append_text(&manual, ".El\n"));
    drt_buffer own = section_of("man/drt.1", ".\\\" formats: made from the table in engine/corpus/formats/formats.c\n",
                                ".\\\" end of formats\n");
    assert_string_equal(own.data, manual.data);
    drt_buffer_free(&own);
    own = section_of("README.md", "<!-- formats: as `drt info --formats` prints them -->\n", "<!-- end of formats -->");
    assert_string_equal(own.data, readme.data);
    drt_buffer_free(&own);
    drt_buffer_free(&manual);
    drt_buffer_free(&readme);
}

static void pages_become_paragraphs(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"<p>one</p><p>two", "one\n\ntwo"},
        {"one<br>two<BR/>three", "one\ntwo\nthree"},
        {"in<b>divi</b>sible <i>words</i>", "indivisible words"},
        {"<ul><li>red<li>blue</ul>after", "red\nblue\n\nafter"},
        {"<table><tr><td>a<td>b</tr><tr><th>c</th><th>d</th></tr></table>", "a b\nc d"},
        {"<h1>Head</h1>text <!-- comment > --> goes on", "Head\n\ntext goes on"},
        {"a<script>if (1 < 2) document.write('<p>no')</script>b<style>p {}</style>c", "abc"},
        {"<nav>Home <a>About</a></nav><p>Text", "Text"},
        {"<div hidden>no</div><span style='color:red; display: none'>no</span>yes<p hidden>shown", "yes\n\nshown"},
        {"<nav>never closed <p>but read", "never closed\n\nbut read"},
        {"<select><option>Oak</option><option>Elm</option></select>", "Oak\nElm"},
        {"<pre>  line one\n  line two</pre>", "line one\nline two"},
        {"&lt;tag&gt; &amp; &eacute;t&eacute &#233;&#xe9; &#150; &copy 2020 AT&T &nosuch; &apos;",
         "<tag> & \xC3\xA9t\xC3\xA9 \xC3\xA9\xC3\xA9 \xE2\x80\x93 \xC2\xA9 2020 AT&T &nosuch; '"},
        {"&#0; &#xD800; &#x110000; &#99999999999;", "\xEF\xBF\xBD \xEF\xBF\xBD \xEF\xBF\xBD \xEF\xBF\xBD"},
        {"1 < 2 and 3 > 2 <3", "1 < 2 and 3 > 2 <3"},
        {"<a href=\"x>y\" title='a > b'>link</a>", "link"},
        {"<p title=\"it's\">quote</p>", "quote"},
        {"<svg><title>no</title><text>no</text></svg>yes", "yes"},
        {"<ruby>\xE6\xBC\xA2<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>", "\xE6\xBC\xA2"},
        {"</p></div>loose ends</span>", "loose ends"},
        {"<![if IE]>shown<![endif]>", "shown"},
        {"H<sub>2</sub>O", "H2O"},
        {"10<sup>6</sup> 5<sup>\xE2\x88\x92"
         "3</sup>7 m<sup>2</sup>",
         "10^6 5^\xE2\x88\x92"
         "37 m2"},
        {"&ccaron; &check; &half; &num; ?a=1&num=2", "\xC4\x8D \xE2\x9C\x93 \xC2\xBD # ?a=1&num=2"},
        {"soft&shy;ly", "softly"},
        {"word<a role='doc-noteref' href='#n'><sup>1</sup></a> goes<p class=note>a note.<a class='x "
         "footnote-back'>^</a>",
         "word goes\n\na note."},
        {"wo<span class=\"pagenum\">[Pg 12]</span>rd<div class='pagenums'>kept</div>", "word\n\nkept"},
        {"<h2>Head<a class='headerlink' href='#h'>&para;</a></h2>x", "Head\n\nx"},
        {"Word<o:p>&nbsp;</o:p>text", "Word text"},
        {"a <math><msup><mi>x</mi><mn>2</mn></msup><annotation>no</annotation></math> b", "a x^2 b"},
        {"a <math><mi>x</mi> never <p>ends", "a x never\n\nends"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_text("a.html", cases[i][0], cases[i][1]);
}

static void xhtml_is_read_as_xml(void **state) {
    (void)state;
    assert_text("a.xhtml",
                "<?xml version=\"1.0\"?><!DOCTYPE html [<!ENTITY a \"]>\"> <!ENTITY b \"x\">]>"
                "<html xmlns=\"http://www.w3.org/1999/xhtml\"><head><script src=\"x\"/><title/></head>"
                "<body><h:p xmlns:h=\"x\">kept</h:p><p/><![CDATA[raw <b> & text]]></body></html>",
                "kept\n\nraw <b> & text");
}

static void pages_tell_title_authors_and_date(void **state) {
    (void)state;
    static const char page[] =
        "<html><head><title>\n The  &quot;Mill&quot; </title><meta name=author content='Ada Renn'>"
        "<meta property=\"article:published_time\" content=\"2020-03-04\"></head>Text";
    drt_extract made = extract_bytes("a.html", page, sizeof page - 1);
    assert_string_equal(made.title.data, "The \"Mill\"");
    assert_string_equal(made.date.data, "2020-03-04");
    assert_int_equal(made.n_authors, 1);
    assert_string_equal(made.authors[0].data, "Ada Renn");
    assert_string_equal(made.text.data, "Text");
    drt_extract_clear(&made);
}

static void pages_tell_them_in_many_places(void **state) {
    (void)state;
    static const struct {
        const char *page, *title, *author, *date;
    } cases[] = {
        {"<title>A</title><meta name=citation_title content=B><h1>C</h1>x", "A", NULL, NULL},
        {"<meta property='og:title' content='B &amp; C'><h1>D</h1>x", "B & C", NULL, NULL},
        {"<title> </title><h1>C <i>d</i></h1><h1>E</h1>", "C d", NULL, NULL},
        {"<h1>never closed <p>x", "never closed x", NULL, NULL},
        {"<meta name=author content='A. Renn'><meta name=citation_author content='Renn, Ada'>x", NULL, "Renn, Ada",
         NULL},
        {"<meta property='article:author' content='https://a/ada'><meta name=Author content=Ada>x", NULL, "Ada", NULL},
        {"<meta name=citation_publication_date content='2019/05/17'><meta name=date content=2020>x", NULL, NULL,
         "2019/05/17"},
        {"<meta itemprop=datePublished content=2019>x", NULL, NULL, "2019"},
        {"<script type='application/ld+json'>{\"@graph\":[{\"author\":[{\"name\":\"Ada\"}],\"datePublished\":"
         "\"2019-05-17\"}]}</script>x",
         NULL, "Ada", "2019-05-17"},
        {"<script type='application/ld+json'>{\"author\":\"LD\",\"datePublished\":1}</script><meta name=author "
         "content=Ada>x",
         NULL, "Ada", NULL},
        {"<script type='application/ld+json'>{\"author\":</script>x", NULL, NULL, NULL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        drt_extract made = extract_bytes("a.html", cases[i].page, strlen(cases[i].page));
        const char *found[] = {made.title.data, made.n_authors ? made.authors[0].data : NULL, made.date.data};
        const char *wanted[] = {cases[i].title, cases[i].author, cases[i].date};
        for (int j = 0; j < 3; j++) {
            assert_true(!found[j] == !wanted[j]);
            assert_string_equal(found[j] ? found[j] : "", wanted[j] ? wanted[j] : "");
        }
        assert_true(made.n_authors < 2);
        drt_extract_clear(&made);
    }
}

static void what_hides_text_is_told(void **state) {
    (void)state;
    static const char *const pages[] = {"seen<!-- unseen", "seen<script>unseen", "seen<a href=\"unseen"};
    for (size_t i = 0; i < COUNT(pages); i++) {
        drt_extract made = extract_bytes("a.html", pages[i], strlen(pages[i]));
        assert_string_equal(made.text.data, "seen");
        assert_int_equal(made.status, DRT_DOCUMENT_PARTIAL);
        assert_non_null(made.reason.data);
        drt_extract_clear(&made);
    }
}

static void pages_declare_their_encoding(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"<meta charset=koi8-r>", "koi8-r"},
        {"<META http-equiv='Content-Type' content='text/html; charset=big5'>", "big5"},
        {"<?xml version='1.0' encoding='iso-8859-2'?>", "iso-8859-2"},
        {"<!-- <meta charset=gbk> --><script>'<meta charset=gbk>'</script><meta charset=\"koi8-r\">", "koi8-r"},
        {"<meta name=description content='charset=gbk'>", ""},
        {"<meta data-charset=gbk>", ""},
        {"<body><meta charset=gbk>", ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *label = "";
        size_t length = 0;
        bool found = drt_markup_charset(cases[i][0], strlen(cases[i][0]), &label, &length);
        assert_int_equal(found, cases[i][1][0] != 0);
        assert_int_equal(length, strlen(cases[i][1]));
        assert_memory_equal(label, cases[i][1], length);
    }
}

static void markdown_loses_its_marks(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"# Head\n\ntext\non two lines", "Head\n\ntext on two lines"},
        {"Head\n====\ntext", "Head\n\ntext"},
        {"some *emphasis*, __strong__, snake_case, 2 * 3 * 4, ~~gone~~",
         "some emphasis, strong, snake_case, 2 * 3 * 4, gone"},
        {"[text](http://x/y_(z) \"t\") ![alt](data:image/png;base64,AAAA) [ref][1] [bare]\n\n[1]: http://x",
         "text alt ref [bare]"},
        {"[a [b] c](x) ](y) [open (z)", "a [b] c ](y) [open (z)"},
        {"`code *as is*` and ``a ` b``", "code *as is* and a ` b"},
        {"<b>bold</b> <https://x.y/> <!-- no --> a < b", "bold https://x.y/ a < b"},
        {"\\*not\\* &amp; &eacute;", "*not* & \xC3\xA9"},
        {"- one\n- two\n  goes on\n* three\n1. four", "one\ntwo goes on\nthree\n1. four"},
        {"> quoted\n> goes on", "quoted goes on"},
        {"| a | b |\n|---|---|\n| c | d |", "a b\nc d"},
        {"```c\nint x;\n  *y*\n```\nafter", "int x;\n*y*\n\nafter"},
        {"hard  \nbreak\\\nhere", "hard\nbreak\nhere"},
        {"a\n\n***\n\nb", "a\n\nb"},
        {"<!-- over\nlines -->\ntext[^1]\n\n[^1]: note", "text\n\nnote"},
        {"---\nno front matter", "no front matter"},
        /* footnotes behind their paragraph */
        {"one[^a] two^[in [line]].\n\nnext\n\n[^a]: a *note*\n    goes on\n\n    and on\n\nlast[^b]\n[^b]: b\n\n[^c]: "
         "c",
         "one two.\n\na note goes on\n\nand on\n\nin [line]\n\nnext\n\nlast\n\nb\n\nc"},
        {"```\n[^a]: code\n```\ntext[^a]", "[^a]: code\n\ntext"},
        /* marks that close nothing */
        {"5*6 2*3*4 *a*b* a* \\*b _c d_e_f", "5*6 2*3*4 ab* a* *b _c d_e_f"},
        {"costs $5 or $6, $a_1*b_1*c$ and\n\n$$\nE = mc^2\n$$", "costs $5 or $6, a_1*b_1*c and\n\nE = mc^2"},
        {"a\n\n    code *as*\n    it is\n\nb\n\n- item\n\n    of a *list*",
         "a\n\ncode *as*\nit is\n\nb\n\nitem\n\nof a list"},
        {"A | B\n--|--\nc | d\ne\\|f | g\n\nx | y", "A B\nc d\ne|f g\n\nx | y"},
        {"+--+--+\n| a | b |\n+==+==+\n| c | d |\n+--+--+", "a b\nc d"},
        {"Head {#id .c}\n---\n## Two {x}\n\nL    R\n---  ---\n1    2", "Head\n\nTwo {x}\n\nL R\n\n1 2"},
        {"[a]: http://x\n  'title'\n[b]:\n  http://y\n[a] [b]", "[a] [b]"},
        {"[[Page]] [[p|words]] ![[f.png]] [[open", "Page words [[open"},
        {"Term\n: means\n: and more", "Term\nmeans\nand more"},
        {"a\n<script>\nno();\n</script>\nb\n<style>\nnever closed", "a b never closed"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_text("a.md", cases[i][0], cases[i][1]);
}

static void markdown_tells_title_authors_and_date(void **state) {
    (void)state;
    static const char front[] = "---\ntitle: \"The Mill\"\nauthor: Ada Renn\ndate: 2020\n---\n# Other\n";
    drt_extract made = extract_bytes("a.md", front, sizeof front - 1);
    assert_string_equal(made.title.data, "The Mill");
    assert_string_equal(made.date.data, "2020");
    assert_string_equal(made.authors[0].data, "Ada Renn");
    assert_string_equal(made.text.data, "Other");
    drt_extract_clear(&made);
    static const char *const lists[] = {
        "---\nauthor: [Ada Renn, 'Bo Tarn']\n---\nx",
        "---\nauthors:\n- Ada Renn\n- \"Bo Tarn\"\ntags:\n- mill\n---\nx",
        "---\nauthor:\n  - name: Ada Renn\n    email: a@b\n  - name: Bo Tarn\n---\nx",
    };
    for (size_t i = 0; i < COUNT(lists); i++) {
        made = extract_bytes("a.md", lists[i], strlen(lists[i]));
        assert_int_equal(made.n_authors, 2);
        assert_string_equal(made.authors[0].data, "Ada Renn");
        assert_string_equal(made.authors[1].data, "Bo Tarn");
        drt_extract_clear(&made);
    }
    static const char *const others[] = {
        "---\nauthors: [\"Ada Renn\", 'Bo Tarn'] # two\ntitle: |\n  The\n  \"Mill\"\ndate: !!str 2020 # year\n---\nx",
        "+++\ntitle = 'The \"Mill\"'\ndate = 2020\nauthors = [\"Ada Renn\", \"Bo Tarn\"]\n[other]\ntitle = 1\n+++\nx",
        "% The \"Mill\"\n% Ada Renn; Bo Tarn\n% 2020\n\nx",
        "---\r\nTitle: The \"Mill\"\r\nAuthor:\r\n  - Ada Renn\r\n  - Bo Tarn\r\nDate: 2020\r\n...\r\nx",
    };
    for (size_t i = 0; i < COUNT(others); i++) {
        made = extract_bytes("a.md", others[i], strlen(others[i]));
        assert_string_equal(made.title.data, "The \"Mill\"");
        assert_string_equal(made.date.data, "2020");
        assert_int_equal(made.n_authors, 2);
        assert_string_equal(made.authors[0].data, "Ada Renn");
        assert_string_equal(made.authors[1].data, "Bo Tarn");
        assert_string_equal(made.text.data, "x");
        drt_extract_clear(&made);
    }
    made = extract_bytes("a.md", "---\nauthor: [\"Renn, Jr.\", O'Hara, Bo]\n---\nx", 44);
    assert_int_equal(made.n_authors, 3);
    assert_string_equal(made.authors[0].data, "Renn, Jr.");
    assert_string_equal(made.authors[1].data, "O'Hara");
    drt_extract_clear(&made);
    made = extract_bytes("a.md", "text\n\n## *First* heading ##\n\n# Second", 36);
    assert_string_equal(made.title.data, "First heading");
    drt_extract_clear(&made);
}

/* ------------------------------------------------- title, authors, date ---- */

static void dates_are_read(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"2019-05-17", "2019-05-17"},
        {"2019-05-17T10:00:00+02:00", "2019-05-17"},
        {"2019-05-17 10:00", "2019-05-17"},
        {"2019/5/7", "2019-05-07"},
        {"2019.05.17", "2019-05-17"},
        {"2019-05", "2019-05"},
        {"2019", "2019"},
        {"2019Z", "2019"},
        {"20190517", "2019-05-17"},
        {"D:20190517101500+01'00'", "2019-05-17"},
        {"20190517101500", "2019-05-17"},
        {"17 May 2019", "2019-05-17"},
        {"Fri, 17 May 2019 10:20:30 +0200", "2019-05-17"},
        {"May 17th, 2019", "2019-05-17"},
        {"the 3rd of Sept. 2019", "2019-09-03"},
        {"2019 December", "2019-12"},
        {"Feb 29, 2020", "2020-02-29"},
    };
    static const char *const others[] = {
        "",           "3/4/2019",    "Spring 2019",   "31 June 2019",   "2019-13-01", "0000-01-01", "May",
        "17 May 1",   "2019-05-17x", "May June 2019", "17 18 May 2019", "D:2019",     "99999999",   "in press",
        "2019-00-00", "20190500",    "2019-02-30",    "12345678901234", "2019-",      "1.2.3.4",
    };
    char iso[11];
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_true(drt_date_iso(cases[i][0], strlen(cases[i][0]), iso));
        assert_string_equal(iso, cases[i][1]);
    }
    for (size_t i = 0; i < COUNT(others); i++)
        assert_false(drt_date_iso(others[i], strlen(others[i]), iso));
}

static void what_formats_tell_is_settled(void **state) {
    (void)state;
    static const char page[] = "<title>%0600d</title><meta name=author content=Ada><meta name=author content=Bo><meta "
                               "name=author content=Ada><meta name=date content='May 3, 2020'><p>Text";
    char source[1000];
    int n = snprintf(source, sizeof source, page, 7);
    drt_extract made = extract_bytes("a.html", source, (size_t)n);
    assert_true(drt_extract_settle(&made));
    assert_int_equal(made.n_authors, 2);
    assert_string_equal(made.authors[1].data, "Bo");
    assert_string_equal(made.date.data, "2020-05-03");
    assert_int_equal(made.title.length, 503);
    assert_string_equal(made.title.data + 499, "0\xE2\x80\xA6");
    drt_extract_clear(&made);
    assert_true(drt_extract_settle(&made));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(content_goes_before_the_name),
        cmocka_unit_test(what_is_not_read_is_called_by_its_name),
        cmocka_unit_test(kinds_of_archives_are_told_by_content),
        cmocka_unit_test(the_table_describes_itself),
        cmocka_unit_test(manual_and_readme_list_the_table),
        cmocka_unit_test(pages_become_paragraphs),
        cmocka_unit_test(xhtml_is_read_as_xml),
        cmocka_unit_test(pages_tell_title_authors_and_date),
        cmocka_unit_test(pages_tell_them_in_many_places),
        cmocka_unit_test(what_hides_text_is_told),
        cmocka_unit_test(pages_declare_their_encoding),
        cmocka_unit_test(markdown_loses_its_marks),
        cmocka_unit_test(markdown_tells_title_authors_and_date),
        cmocka_unit_test(dates_are_read),
        cmocka_unit_test(what_formats_tell_is_settled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
