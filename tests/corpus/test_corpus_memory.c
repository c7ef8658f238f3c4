/* Memory that runs out at every place in turn, for good or once: a walk over one member of each format ends with a
 * sentence, or tells of the member that was lost; nothing leaks (the debug preset looks). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/corpus/pdf/pdf.h"
#include "tests/base/scarce_memory.h"
#include "tests/corpus/rows.h"

static bool once; /* only one allocation fails, else all from it on */

/* The n-th allocation from now on fails, from 0. */
static void fail_from(long n) {
    if (once)
        scarce_memory_fail_once(n + 1);
    else
        scarce_memory_allow(n);
}

static void write_corpus(void) {
    static const archive_part book[] = {
        {"META-INF/container.xml", "<rootfile full-path='b.opf'/>", -1, NULL},
        {"META-INF/encryption.xml", "<EncryptedData/><CipherReference URI='no'/>", -1, NULL},
        {"b.opf",
         "<metadata><dc:title>T</dc:title><dc:creator>A</dc:creator><dc:date>1</dc:date></metadata>"
         "<item id='a' href='a.html'/><itemref idref='a'/>",
         -1, NULL},
        {"a.html", "<p>caf\xC3\xA9 e\xCC\x81", -1, NULL}};
    drt_buffer epub = archive_make("zip", NULL, NULL, book, 4);
    archive_part parts[] = {
        {"a.txt", "A text of\ntwo lines.\n", -1, NULL},
        {"b.html", "<meta name=author content=A><meta name=date content=1><title>T</title><pre>x\ny</pre>&eacute;", -1,
         NULL},
        {"c.md", "---\ntitle: T\nauthor: A\n---\n# Head\n\n[text](x)\n", -1, NULL},
        {"d.epub", epub.data, (long)epub.length, NULL},
        {"e.txt", "M\xFCnchen \xE9t\xE9", -1, NULL},
        {"f.png", "\x89PNG\r\n\x1A\n\1\2\3\4", -1, NULL}};
    drt_buffer zip = archive_make("zip", NULL, NULL, parts, 6);
    archive_part outer[] = {{"in.zip", zip.data, (long)zip.length, NULL}, {"\xFC.txt", "last", -1, NULL}};
    archive_write("d/c.tar.gz", "ustar", "gzip", outer, 2);
    drt_buffer_free(&epub);
    drt_buffer_free(&zip);
}

typedef struct {
    int members, whole;
} count;

static drt_status count_member(void *user, const drt_source *source, drt_extract *extract) {
    (void)source;
    count *c = user;
    c->members++;
    c->whole += extract->status == DRT_DOCUMENT_OK;
    assert_true(extract->status == DRT_DOCUMENT_OK || extract->reason.data);
    /* None of the archives is cut short, however little memory there is to find its end. */
    assert_true(extract->status == DRT_DOCUMENT_OK || !strstr(extract->reason.data, "cut short"));
    return DRT_OK;
}

/* One walk in which the n-th allocation fails; false: it needed fewer. Without failure it finds so many members. */
static bool walk_failing(const char *path, long n, int members, int whole) {
    count c = {0};
    drt_context *context = drt_context_new(NULL);
    drt_corpus_params params = drt_corpus_params_default();
    params.member = count_member;
    params.user = &c;
    fail_from(n);
    drt_status status = drt_corpus_walk(context, path, &params);
    bool failed = scarce_memory_end();
    if (!failed)
        assert_true(status == DRT_OK && c.members == members && c.whole == whole);
    if (status == DRT_OK) /* then each member has been told of, or the archive that it was in */
        assert_true(c.members == members || c.whole < c.members);
    else
        assert_non_null(strstr(drt_error(context), "memory"));
    drt_context_free(context);
    return failed;
}

static void memory_runs_out_everywhere(void **state) {
    (void)state;
    scratch_make();
    write_corpus();
    for (int times = 0; times < 2; times++) {
        long n = 0;
        for (once = times == 1; walk_failing(scratch_path("d"), n, 7, 6); n++)
            assert_in_range(n, 0, 100000);
        assert_true(n > 100);
    }
    scratch_remove();
}

/* ---------------------------------------------------------------------------------- PDF ---- */

static void put_line(drt_buffer *page, const char *text, int x, int y, int size) {
    assert_true(drt_buffer_printf(page, "<line><word xMin=\"%d\" yMin=\"%d\" xMax=\"%d\" yMax=\"%d\">%s</word></line>",
                                  x, y, x + (int)strlen(text) * size / 2, y + size, text));
}

/* What pdftotext says of a page with two columns, a table and a note, and of its file. */
static drt_buffer make_page(void) {
    drt_buffer page = {0};
    assert_true(drt_buffer_append_text(&page,
                                       "<title>T</title><meta name='Author' content='A; B'/><meta name='CreationDate' "
                                       "content='2021-03-04T'/><page width=\"600\" height=\"800\">"));
    for (int i = 0; i < 12; i++) {
        put_line(&page, i % 3 ? "a_line_of_the_left_column" : "\xEF\xAC\x81rst_line-", 72, 100 + 12 * i, 10);
        put_line(&page, "a_line_of_the_right_column", 330, 100 + 12 * i, 10);
    }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            put_line(&page, "cell", 72 + 100 * k, 300 + 12 * i, 10);
    put_line(&page, "3_A_note", 72, 700, 7);
    assert_true(drt_buffer_append_text(&page, "</page>"));
    return page;
}

/* One reading in which the n-th allocation fails; false: it needed fewer, and this is the whole text. The C library has
 * other ways where an allocation of its own fails: then the text is whole as well. */
static bool read_failing(const drt_buffer *page, long n, drt_buffer *whole) {
    drt_pdf pdf = {0};
    drt_extract extract = {0};
    drt_context *context = drt_context_new(NULL);
    fail_from(n);
    bool ok =
        drt_pdf_add_page(&pdf, page->data, page->length, &extract) && drt_pdf_text(context, &pdf, &extract) == DRT_OK;
    bool failed = scarce_memory_end();
    assert_true(ok || failed);
    if (ok && whole->length > 0)
        assert_string_equal(extract.text.data, whole->data);
    else if (!failed)
        assert_true(drt_buffer_append(whole, extract.text.data, extract.text.length));
    drt_context_free(context);
    drt_pdf_clear(&pdf);
    drt_extract_clear(&extract);
    return failed;
}

static void memory_runs_out_over_a_pdf(void **state) {
    (void)state;
    drt_buffer page = make_page(), whole = {0};
    assert_false(read_failing(&page, 100000, &whole));
    for (int times = 0; times < 2; times++) {
        long n = 0;
        for (once = times == 1; read_failing(&page, n, &whole); n++)
            assert_in_range(n, 0, 100000);
        assert_true(n > 20);
    }
    drt_buffer_free(&page);
    drt_buffer_free(&whole);
}

/* Formats that are read in a walk of their own: name, text, how many documents it holds. */
static const struct {
    const char *name, *data;
    int members;
} files[] = {
    {"a.rtf",
     "{\\rtf1{\\info{\\title T}{\\author A;B}{\\creatim\\yr2001}}a\\'e9{\\footnote n}\\par\\trowd\\intbl c\\cell\\row}",
     1},
    {"a.tex",
     "\\title{T}\\author{A \\and "
     "B}\\date{1}\\newcommand{\\x}[1][d]{#1}\\def\\y#1{#1}\\newtheorem{t}{T}\\begin{t}[n]\\x \\y{z}\\end{t}"
     "\\footnote{n}$\\frac{a}{b}^{12}$\\cite{k}\\section{s}\\begin{tabular}{l}a&b\\\\\\end{tabular}\\bibitem{k} r"
     "\\def\\d#1;#2.{#2}\\d a;b.\\NewDocumentCommand\\n{s O{x} m}{#2}\\n{y}\\ifthenelse{\\equal{a}{b}}{c}{d}\\not\\in"
     "\\lstnewenvironment{l}{}{}\\ref{s}\\section{s}\\label{s}\\citet{m}\\bibitem[R(1801)]{m} r\\SI{3}{\\metre}"
     "\\newacronym{a}{A}{b}\\gls{a}\\DeclareAcronym{c}{short=d,long=e}\\ac{c}\\m\\xspace "
     "x\\begin{lstlisting}[caption=c,label=d]\nx\n"
     "\\end{lstlisting}",
     1},
    {"a.bib", "@string{a={b}}@book{k, author = {A, B and C} # {D}, title = \"T & U\", year = 1}", 1},
    {"a.fodt",
     "<office:document "
     "office:mimetype='application/vnd.oasis.opendocument.text'><office:meta><dc:title>T</dc:title><dc:creator>A"
     "</dc:creator></office:meta><text:p>a<text:note><text:p>n</text:p></text:note></text:p><math><mfrac><mi>a</"
     "mi><mi>b</mi></mfrac>"
     "</math></office:document>",
     1},
    {"a.xml",
     "<article><front><article-meta><title-group><article-title>T</article-title></"
     "title-group><contrib-group><contrib><name>"
     "<surname>A</surname></name></contrib></contrib-group><pub-date><year>1</year></pub-date></article-meta></"
     "front><p>a<xref "
     "rid='f'>1</xref></p><fn id='f'><p>n</p></fn></article>",
     1},
    {"a.tei",
     "<TEI><teiHeader><titleStmt><title>T</title><author>A</author></titleStmt><date when='1'/></teiHeader><p>a<note "
     "xml:id='n'>b</note></p></TEI>",
     1},
    {"a.fb2",
     "<FictionBook><description><author><first-name>A</first-name></author><book-title>T</book-title><date>1</date>"
     "</description><body><p>a<a href='#n'>1</a></p></body><body name='notes'><section "
     "id='n'>n</section></body></FictionBook>",
     1},
    {"a.dbk",
     "<!DOCTYPE article [<!ENTITY m 'mill'>]><article><info><title>T</title><author><personname>A</personname></author>"
     "<copyright><year>1</year></copyright></info><para>&m;<footnote><para>n</para></footnote><ulink url='u'/></para>"
     "</article>",
     1},
    {"any.xml", "<?xml version='1.0'?><r><title>T</title><d>&lt;p&gt;x &lt;b&gt;y</d><e>a</e></r>", 1},
    {"a.html",
     "<html><meta name=author content=A><meta property='og:title' content=T><h1>H</h1><script "
     "type='application/ld+json'>{\"author\":[\"B\"],\"datePublished\":\"1\"}</script>x</html>",
     1},
    {"a.md", "---\ntitle: |\n  T\nauthor: [A, B]\n---\n\na[^n] ^[m] $x^2$\n\n[^n]: n\n\nA | B\n-|-\n", 1},
    {"a.rst", ":Author: A\n\nT\n=\n\na *b* [1]_\n\n.. [1] n\n.. code::\n\n  c\n", 1},
    {"a.ipynb",
     "{\"metadata\":{\"authors\":[{\"name\":\"A\"}]},\"cells\":[{\"cell_type\":\"markdown\",\"source\":\"# "
     "T\"},{\"source\":\"x\","
     "\"outputs\":[{\"text\":\"y\"}]}]}",
     1},
    {"a.srt", "1\n00:00:01,000 --> 00:00:02,000\n<i>a</i>\nb\n", 1},
    {"a.mbox",
     "From a@b Tue Mar  3 10:00:00 2020\nFrom: =?utf-8?Q?A?= <a@b>\nSubject: T\nDate: 3 Mar 2020\nContent-Type: "
     "multipart/mixed; "
     "boundary=b\n\n--b\n\na\n--b\nContent-Disposition: attachment; filename=b.txt\nContent-Transfer-Encoding: "
     "base64\n\nYWJj\n"
     "--b--\n",
     2},
};

static void write_files(void) {
    static const archive_part word[] = {
        {"_rels/.rels", "<Relationship Type='/officeDocument' Target='word/d.xml'/>", -1, NULL},
        {"word/_rels/d.xml.rels",
         "<Relationship Type='/footnotes' Target='f.xml'/>"
         "<Relationship Type='/styles' Target='s.xml'/><Relationship Type='/numbering' Target='n.xml'/><Relationship "
         "Id='c' "
         "Type='/aFChunk' Target='c.htm'/>",
         -1, NULL},
        {"word/s.xml", "<w:style w:styleId='Title'><w:name w:val='Title'/><w:numId w:val='1'/></w:style>", -1, NULL},
        {"word/n.xml",
         "<w:abstractNum w:abstractNumId='1'><w:lvl w:ilvl='0'><w:numFmt w:val='decimal'/><w:lvlText "
         "w:val='%1.'/></w:lvl></w:abstractNum><w:num w:numId='1'><w:abstractNumId w:val='1'/></w:num>",
         -1, NULL},
        {"word/c.htm", "<html>c</html>", -1, NULL},
        {"word/f.xml", "<w:footnote w:id='2'><w:p><w:t>n</w:t></w:p></w:footnote>", -1, NULL},
        {"word/d.xml",
         "<w:p><w:pPr><w:pStyle w:val='Title'/></w:pPr><w:r><w:t>a</w:t><w:footnoteReference w:id='2'/></w:r></w:p>"
         "<w:altChunk r:id='c'/>",
         -1, NULL},
        {"docProps/core.xml", "<dc:title>T</dc:title><dc:creator>A;B</dc:creator>", -1, NULL}};
    static const archive_part open[] = {{"mimetype", "application/vnd.oasis.opendocument.text", -1, NULL},
                                        {"content.xml", "<text:p>a<draw:object xlink:href='./O'/></text:p>", -1, NULL},
                                        {"O/content.xml", "<math><mi>x</mi></math>", -1, NULL}};
    static const archive_part project[] = {
        {"m.tex", "\\documentclass{a}\\begin{document}A \\input{b}\\bibliography{r}\\end{document}", -1, NULL},
        {"b.tex", "B", -1, NULL},
        {"m.bbl", "C", -1, NULL},
        {"l.tex", "Left", -1, NULL},
        {"c.cls", "\\newcommand{\\x}{x}\\RequirePackage{s}", -1, NULL},
        {"s.sty", "\\def\\y#1{#1}", -1, NULL},
        {"n.tex",
         "\\documentclass{c}\\usepackage{s}\\begin{document}\\x\\y{i}\\cite{k}\\bibliography{b}\\end{document}", -1,
         NULL},
        {"b.bib", "@book{k, author={A, B and C}, title={T}, year=1}", -1, NULL},
        {"d/q.tex", "\\documentclass{a}\\begin{document}a\\printbibliography\\end{document}", -1, NULL},
        {"d/q.bbl", "\\entry{k}{book}{}\\name{author}{1}{}{{{}{family={A},given={B}}}}\\field{title}{T%\n}\\endentry",
         -1, NULL}};
    archive_write("a.docx", "zip", NULL, word, 8);
    archive_write("a.odt", "zip", NULL, open, 3);
    archive_write("p.tar", "ustar", NULL, project, sizeof project / sizeof *project);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        scratch_write(files[i].name, files[i].data, strlen(files[i].data));
}

static void fail_at_every_place(const char *name, int members) {
    for (int times = 0; times < 2; times++) {
        long n = 0;
        for (once = times == 1; walk_failing(scratch_path(name), n, members, members); n++)
            assert_in_range(n, 0, 100000);
        assert_true(n > 5);
    }
}

static void memory_runs_out_in_each_format(void **state) {
    (void)state;
    scratch_make();
    write_files();
    fail_at_every_place("a.docx", 1);
    fail_at_every_place("a.odt", 1);
    fail_at_every_place("p.tar", 5);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        fail_at_every_place(files[i].name, files[i].members);
    scratch_remove();
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory_runs_out_everywhere),
                                       cmocka_unit_test(memory_runs_out_over_a_pdf),
                                       cmocka_unit_test(memory_runs_out_in_each_format)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
