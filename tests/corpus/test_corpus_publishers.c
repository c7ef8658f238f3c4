/* Publishers' XML: JATS, TEI, FictionBook, and formulas in MathML. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/corpus/formats/mathml.h"
#include "tests/corpus/rows.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static void assert_formats(const char *source, const char *format) {
    assert_string_equal(format_of("a.xml", source, strlen(source))->name, format);
}

static void roots_tell_the_format(void **state) {
    (void)state;
    assert_formats("<?xml version='1.0'?>\n<!DOCTYPE article [<!ENTITY a '<TEI>'>]><article><front><article-meta/>",
                   "jats");
    assert_formats("<article xmlns='http://docbook.org/ns/docbook'><info/>", "docbook");
    assert_formats("<?xml version='1.0'?><!DOCTYPE chapter PUBLIC '-//OASIS//DTD DocBook XML V4.5//EN' ''><chapter/>",
                   "docbook");
    assert_formats("<section><title/><para>", "docbook");
    assert_formats("<?xml version='1.0'?><article><p>", "xml");
    assert_formats("\xEF\xBB\xBF <!-- c --><TEI xmlns='x'>", "tei");
    assert_formats("<FictionBook>", "fb2");
    assert_formats("<office:document office:mimetype='application/vnd.oasis.opendocument.text'>", "fodt");
    assert_formats("<office:document office:mimetype='application/vnd.oasis.opendocument.spreadsheet'>", "xml");
    assert_formats("words <TEI>", "xml");
    assert_string_equal(format_of("a.svg", "<?xml version='1.0'?><svg>", 26)->name, "xml");
    assert_string_equal(format_of("a.txt", "<?xmlish><svg>", 14)->name, "text");
}

#define JATS(meta, rest) "<article><front><article-meta>" meta "</article-meta></front>" rest "</article>"

static void journals(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {JATS("<article-id>1</article-id><abstract><title>Abstract</title><p>Short.</p></abstract><kwd-group><kwd>no</"
              "kwd>"
              "</kwd-group>",
              "<body><p>Text.</p></body>"),
         "Abstract\n\nShort.\n\nText."},
        {JATS(
             "",
             "<body><sec><label>2.</label><title>Head</title><p>Text <xref ref-type='bibr' "
             "rid='r1'>[1]</xref>.</p></sec>"
             "</body><back><ref-list><title>References</title><ref id='r1'><label>1.</label><element-citation><name>"
             "<surname>Renn</surname><given-names>A</given-names></name><year>2001</year></element-citation></ref><ref>"
             "<mixed-citation>Tarn B, <source>Mills</source>, "
             "<year>2002</year>.</mixed-citation></ref></ref-list></back>"),
         "2. Head\n\nText [1].\n\nReferences\n\n1. Renn A 2001\nTarn B, Mills, 2002."},
        {JATS("", "<body><p>one<xref rid='f2'>2</xref></p><p>two<fn><p>here</p></fn> on</p></body><back><fn-group><fn "
                  "id='f1'>"
                  "<label>1</label><p>unused</p></fn><fn id='f2'><label>2</label><p>used</p></fn></fn-group></back>"),
         "one\n\nused\n\ntwo on\n\nhere\n\nunused"},
        {JATS("", "<body><table-wrap><label>Table "
                  "1</label><caption><title>Sacks</title></caption><table><tr><th>a</th><th>b</th>"
                  "</tr><tr><td><p>c</p></td><td/></tr></table></table-wrap></body>"),
         "Table 1 Sacks\n\na b\nc"},
        {JATS("",
              "<body><p>as <inline-formula><alternatives><tex-math>no</tex-math><mml:math><mml:msub><mml:mi>x</mml:mi>"
              "<mml:mi>i</mml:mi></mml:msub></mml:math></alternatives></inline-formula> says</p></body>"),
         "as x_i says"},
        {JATS("", "<body><p>as <tex-math>x_i \\leq \\frac{a}{b}</tex-math>, "
                  "<tex-math>\\documentclass{minimal}\\begin{document}$$y$$"
                  "\\end{document}</tex-math></p></body>"),
         "as x_i \xE2\x89\xA4 (a)/(b), y"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_text("a.xml", cases[i][0], cases[i][1]);
}

static void journals_tell_title_authors_and_date(void **state) {
    (void)state;
    static const char source[] = JATS(
        "<title-group><article-title>On "
        "<i>mills</i></article-title></title-group><contrib-group><contrib><name><surname>Renn"
        "</surname><given-names>Ada</given-names></name><aff><name><surname>no</surname></name></aff></contrib>"
        "<contrib contrib-type='editor'><name><surname>no</surname></name></contrib><contrib "
        "contrib-type='author'><collab>The "
        "Millers</collab></contrib></contrib-group><pub-date><day>7</day><month>11</month><year>2003</year></pub-date>",
        "<p>x</p>");
    drt_extract made = extract_bytes("a.xml", source, sizeof source - 1);
    assert_string_equal(made.title.data, "On mills");
    assert_string_equal(made.date.data, "2003-11-07");
    assert_int_equal(made.n_authors, 2);
    assert_string_equal(made.authors[0].data, "Ada Renn");
    assert_string_equal(made.authors[1].data, "The Millers");
    drt_extract_clear(&made);
}

static void editions(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"<TEI><teiHeader><p>no</p></teiHeader><text><head>Head</head><lg><l>one</l><l>two</l></lg></text></TEI>",
         "Head\n\none\ntwo"},
        {"<TEI><p>a <note>here</note>b</p><p>c <ref target='#n1'>1</ref>d</p><note "
         "xml:id='n1'><p>there</p></note></TEI>",
         "a b\n\nhere\n\nc d\n\nthere"},
        {"<TEI><p>un<lb break='no'/>broken<lb/>line <choice><sic>teh</sic><corr>the</corr></choice> "
         "<sic>kept</sic></p></TEI>",
         "unbroken line the kept"},
        {"<TEI><p><fw>Running head</fw>a<del>no</del><figure><figDesc>no</figDesc></figure></p></TEI>", "a"},
        {"<TEI><biblStruct><persName><forename>Ada</forename><surname>Renn</surname></persName><title>Mills</title>"
         "</biblStruct></TEI>",
         "Ada Renn Mills"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_text("a.tei", cases[i][0], cases[i][1]);
    static const char source[] = "<TEI><teiHeader><fileDesc><titleStmt><title>The Mill</title><author>Ada "
                                 "Renn</author></titleStmt><publicationStmt>"
                                 "<date>1901</date></publicationStmt><sourceDesc><bibl><title>no</title><author>no</"
                                 "author><date>1800</date></bibl>"
                                 "</sourceDesc></fileDesc></teiHeader><p>x</p></TEI>";
    drt_extract made = extract_bytes("a.xml", source, sizeof source - 1);
    assert_string_equal(made.title.data, "The Mill");
    assert_string_equal(made.date.data, "1901");
    assert_int_equal(made.n_authors, 1);
    drt_extract_clear(&made);
}

static void fiction_books(void **state) {
    (void)state;
    static const char source[] =
        "<?xml version='1.0' encoding='windows-1251'?><FictionBook><description><title-info><author><first-name>Ada"
        "</first-name><last-name>Renn</last-name><nickname>no</nickname></author><author><nickname>Bo</nickname></"
        "author>"
        "<book-title>\xCC\xE5\xEB\xFC</book-title><date>1901</date></title-info><src-title-info><book-title>no</"
        "book-title>"
        "</src-title-info></description><body><title><p>Head</p><p>Second</p></title><section id='s'><p>one<a "
        "l:href='#n1'>[1]"
        "</a> <a l:href='#s'>link</a></p><empty-line/><poem><stanza><v>a</v><v>b</v></stanza></poem></section></body>"
        "<body name='notes'><title><p>Notes</p></title><section id='n1'><title><p>1</p></title><p>used</p></section>"
        "<section id='n2'><p>unused</p></section></body><binary>AAAA</binary></FictionBook>";
    drt_extract made = extract_bytes("a.fb2", source, sizeof source - 1);
    assert_string_equal(made.text.data, "Head\n\nSecond\n\none link\n\nused\n\na\nb\n\nunused");
    assert_string_equal(made.title.data, "\xD0\x9C\xD0\xB5\xD0\xBB\xD1\x8C");
    assert_string_equal(made.date.data, "1901");
    assert_int_equal(made.n_authors, 2);
    assert_string_equal(made.authors[0].data, "Ada Renn");
    assert_string_equal(made.authors[1].data, "Bo");
    drt_extract_clear(&made);
}

static void cut_files_are_partial(void **state) {
    (void)state;
    drt_extract made = extract_bytes("a.xml", "<TEI><p>kept <hi", 16);
    assert_string_equal(made.text.data, "kept");
    assert_int_equal(made.status, DRT_DOCUMENT_PARTIAL);
    drt_extract_clear(&made);
}

static void formulas(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"<math><msup><mi>x</mi><mn>2</mn></msup></math>", "x^2"},
        {"<math><msup><mi>x</mi><mrow><mi>n</mi><mo>+</mo><mn>1</mn></mrow></msup><mi>y</mi></math>", "x^(n + 1)y"},
        {"<math><msubsup><mi>x</mi><mi>i</mi><mn>10</mn></msubsup></math>", "x_i^(10)"},
        {"<math><mfrac><mi>a</mi><mi>b</mi></mfrac><msqrt><mn>2</mn></msqrt></math>", "(a)/(b)\xE2\x88\x9A(2)"},
        {"<math><semantics><mi>x</mi><annotation>\\no</annotation></semantics></math>", "x"},
        {"<math><msup><msup><mi>x</mi><mn>12</mn></msup><mn>34</mn></msup></math>", "x^(12)^(34)"},
        {"<math/>", ""},
        {"<math><mi>never ends", "never ends"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        drt_markup markup = {.data = cases[i][0], .length = strlen(cases[i][0]), .xml = true};
        drt_markup_token token;
        drt_buffer out = {0};
        assert_true(drt_markup_next(&markup, &token));
        assert_true(drt_mathml_read(&markup, &token, &out));
        assert_true(drt_buffer_append_byte(&out, 0));
        assert_string_equal(out.data, cases[i][1]);
        drt_buffer_free(&out);
    }
}

static void titles_have_no_marks_of_notes(void **state) {
    (void)state;
    static const char journal[] =
        "<article><front><article-meta><title-group><article-title>The <italic>Mill</italic><xref ref-type='fn' "
        "rid='n'>*</xref><break/>again<fn><p>no</p></fn></article-title></title-group></article-meta></front><body><p>"
        "10<sup>6</sup></p><preformat>a\nb</preformat></body></article>";
    static const char edition[] =
        "<TEI><teiHeader><titleStmt><title>T</title><author><persName><forename>Ada</forename><surname>Renn</surname>"
        "</persName><idno>no</idno></author><author>Bo</author></titleStmt></teiHeader><text><p>a <app><lem>b</lem>"
        "<rdg>no</rdg></app></p></text></TEI>";
    drt_extract made = extract_bytes("a.xml", journal, sizeof journal - 1);
    assert_string_equal(made.title.data, "The Mill again");
    assert_string_equal(made.text.data, "10^6\n\na\nb");
    drt_extract_clear(&made);
    made = extract_bytes("a.xml", edition, sizeof edition - 1);
    assert_int_equal(made.n_authors, 2);
    assert_string_equal(made.authors[0].data, "Ada Renn");
    assert_string_equal(made.text.data, "a b");
    drt_extract_clear(&made);
}

/* ------------------------------------------------------------- DocBook ---- */

#define DB(inside) "<article xmlns='http://docbook.org/ns/docbook'>" inside "</article>"

static void docbook_text(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {DB("<para>a<footnote><para>n</para></footnote> b <quote>q</quote>.</para><para>c</para>"),
         "a b \xE2\x80\x9Cq\xE2\x80\x9D.\n\nn\n\nc"},
        {DB("<programlisting>int x;\n  <emphasis>y</emphasis> = 1;</programlisting><para>one\ntwo</para>"),
         "int x;\ny = 1;\n\none two"},
        {DB("<section><info><title>S</title><abstract><title>A</title><para>b</para></abstract></info><para>t</para>"
            "</section>"),
         "A\n\nb\n\nt"},
        {DB("<title>T</title><itemizedlist><listitem><para>a</para></listitem><listitem><para>b</para><para>c</para>"
            "</listitem></itemizedlist><para>d</para>"),
         "T\n\na\nb\nc\n\nd"},
        {DB("<variablelist><varlistentry><term>t</term><listitem><para>d</para></listitem></varlistentry></"
            "variablelist>"),
         "t\nd"},
        {DB("<table><title>T</title><tgroup><thead><row><entry>a</entry><entry>b</entry></row></thead><tbody><row>"
            "<entry><para>1</para></entry><entry>2</entry></row></tbody></tgroup></table>"),
         "T\n\na b\n1 2"},
        {DB("<para>Press <keycombo><keycap>Ctrl</keycap><keycap>C</keycap></keycombo> or <keycap>F1</keycap>, "
            "<menuchoice><guimenu>File</guimenu><guimenuitem>Open</guimenuitem></menuchoice>.</para>"),
         "Press Ctrl+C or F1, File > Open."},
        {DB("<para>See <ulink url='http://a'/> and <ulink url='http://b'>b</ulink>, <simplelist type='inline'><member>x"
            "</member><member>y</member></simplelist>: 10<superscript>6</superscript></para>"),
         "See http://a and b, x y: 10^6"},
        {"<refentry><refmeta><refentrytitle>drt</refentrytitle><manvolnum>1</manvolnum></refmeta><refnamediv>"
         "<refname>drt</refname><refpurpose>reads</refpurpose></refnamediv></refentry>",
         "drt(1)\n\ndrt \xE2\x80\x94 reads"},
        {"<!DOCTYPE article PUBLIC \"-//OASIS//DTD DocBook V4.1//EN\"><article><para>never<para>closed</article>",
         "never\n\nclosed"},
        {DB("<bookinfo><title>B</title><legalnotice><para>no</para></legalnotice></bookinfo><indexterm><primary>no"
            "</primary></indexterm><remark>no</remark><para>yes</para>"),
         "yes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_text("a.dbk", cases[i][0], cases[i][1]);
}

static void docbook_information(void **state) {
    (void)state;
    static const char book[] =
        "<?xml version='1.0'?><book><bookinfo><title>The "
        "<acronym>Mill</acronym></title><authorgroup><author><firstname>"
        "Ada</firstname><surname>Renn</surname><affiliation><orgname>X</orgname></affiliation></author><author>"
        "<personname>Bo Tarn</personname></author><editor><firstname>No</firstname></editor></authorgroup><copyright>"
        "<year>2003</year></copyright></bookinfo><chapter><chapterinfo><author><firstname>No</firstname></author>"
        "</chapterinfo><title>First</title><para>t</para></chapter></book>";
    drt_extract made = extract_bytes("a.xml", book, sizeof book - 1);
    assert_string_equal(made.text.data, "First\n\nt");
    assert_string_equal(made.title.data, "The Mill");
    assert_string_equal(made.date.data, "2003");
    assert_int_equal(made.n_authors, 2);
    assert_string_equal(made.authors[0].data, "Ada Renn");
    assert_string_equal(made.authors[1].data, "Bo Tarn");
    drt_extract_clear(&made);
}

/* ------------------------------------------------------- any other XML ---- */

static void unknown_xml_is_its_text(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"<?xml version='1.0'?><r><e><n>Ada</n><a>36</a></e><e><n>Bo</n></e></r>", "Ada\n36\n\nBo"},
        {"<?xml version='1.0'?><r><t>A <b>bold</b> word, H<s>2</s>O.</t><t><b>Bold</b> first.</t></r>",
         "A bold word, H2O.\nBold first."},
        {"<r><t>one &amp; <![CDATA[<two>]]></t><!-- no --></r>", "one & <two>"},
        {"<r><d>&lt;p&gt;a page&lt;/p&gt;&lt;p&gt;of &lt;i&gt;HTML&lt;/i&gt;&lt;/p&gt;</d></r>", "a page\n\nof HTML"},
        {"<r><t>line<br/>break</t></r>", "line\nbreak"},
        {"<!DOCTYPE r [<!ENTITY mill 'Lower &amp; <i>Upper</i> Mill'><!ENTITY % p 'x'><!ENTITY f SYSTEM 'f'>]>"
         "<r>the &mill; &f; &p; &mil; &ccaron;</r>",
         "the Lower & Upper Mill &f; &p; &mil; \xC4\x8D"},
        {"<!DOCTYPE r [<!ENTITY a '&b;&b;'><!ENTITY b '&a;&a;'>]><r>&a;</r>", "&b;&b;"},
        {"no <markup> at all", "no <markup> at all"},
        {"<o><p text='in attributes'/></o>", "<o><p text='in attributes'/></o>"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_text("a.xml", cases[i][0], cases[i][1]);
    drt_extract made = extract_bytes("a.svg", "<?xml version='1.0'?><svg><path d='M0'/></svg>", 45);
    assert_int_equal(made.status, DRT_DOCUMENT_SKIPPED);
    drt_extract_clear(&made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roots_tell_the_format),
        cmocka_unit_test(journals),
        cmocka_unit_test(journals_tell_title_authors_and_date),
        cmocka_unit_test(editions),
        cmocka_unit_test(fiction_books),
        cmocka_unit_test(cut_files_are_partial),
        cmocka_unit_test(formulas),
        cmocka_unit_test(titles_have_no_marks_of_notes),
        cmocka_unit_test(docbook_text),
        cmocka_unit_test(docbook_information),
        cmocka_unit_test(unknown_xml_is_its_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
