"""Seeds for fuzz_xml: seeds_xml.py FOLDER."""
import os
import sys

SEEDS = {
    "odt": """<office:document-content><office:meta><dc:title>T</dc:title><dc:creator>A;B</dc:creator><dc:date>1</dc:date>
</office:meta><office:automatic-styles><style:style style:name="H"><style:text-properties text:display="none"/></style:style>
</office:automatic-styles><text:tracked-changes><text:p>x</text:p></text:tracked-changes><text:h>Head</text:h><text:p>a<text:s/>
<text:span text:style-name="H">no</text:span><text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>n</text:p>
</text:note-body></text:note><draw:text-box><text:p>box</text:p></draw:text-box><draw:object xlink:href="./Object 1"/></text:p>
<text:list><text:list-item><text:p>i</text:p></text:list-item></text:list><table:table><table:table-row><table:table-cell><text:p>c
</text:p></table:table-cell></table:table-row></table:table><math:math><math:mfrac><math:mi>a</math:mi><math:msup><math:mi>b</math:mi>
<math:mn>12</math:mn></math:msup></math:mfrac></math:math><text:section text:display="none"/></office:document-content>""",
    "jats": """<article><front><article-meta><title-group><article-title>T</article-title></title-group><contrib-group><contrib><name>
<surname>A</surname><given-names>B</given-names></name></contrib></contrib-group><pub-date><year>2001</year><month>1</month></pub-date>
<abstract><p>x</p></abstract></article-meta></front><body><sec><label>1</label><title>H</title><p>t<xref rid="f1">1</xref><fn><p>i</p>
</fn></p><table-wrap><label>1</label><caption><p>c</p></caption><table><tr><td>a</td></tr></table></table-wrap></sec></body><back>
<fn-group><fn id="f1"><label>1</label><p>n</p></fn></fn-group><ref-list><ref><element-citation><name><surname>A</surname></name>
<year>1</year></element-citation></ref></ref-list></back></article>""",
    "tei": """<TEI><teiHeader><fileDesc><titleStmt><title>T</title><author>A</author></titleStmt><date when="1"/></fileDesc></teiHeader>
<text><head>H</head><p>a<note xml:id="n">n</note><ref target="#n">1</ref><lb break="no"/><choice><sic>x</sic><corr>y</corr></choice>
</p><lg><l>v</l></lg><list><item>i</item></list><biblStruct><title>t</title></biblStruct></text></TEI>""",
    "fb2": """<FictionBook><description><title-info><author><first-name>A</first-name></author><book-title>T</book-title><date value="1"/>
</title-info></description><body><section><title><p>H</p></title><p>a<a l:href="#n1">1</a></p></section></body><body name="notes">
<section id="n1"><title><p>1</p></title><p>n</p></section></body><binary>AA</binary></FictionBook>""",
    "docbook": """<!DOCTYPE book [<!ENTITY m "mill"><!ENTITY n '&m;'>]><book><bookinfo><title>T</title><author><firstname>A</firstname>
<surname>B</surname></author><pubdate>1</pubdate><copyright><year>2</year></copyright><abstract><title>A</title><para>x</para></abstract>
</bookinfo><chapter><info><title>H &m;</title></info><para>t<footnote><para>n</para></footnote><ulink url="u"/><quote>q</quote></para>
<programlisting>a
 b</programlisting><simplelist type="inline"><member>m</member></simplelist><table><tgroup><row><entry>c</entry></row></tgroup></table>
<menuchoice><guimenu>F</guimenu><guimenuitem>O</guimenuitem></menuchoice><biblioentry><surname>s</surname></biblioentry></chapter></book>""",
    "any": """<?xml version="1.0"?><r><i>A</i><n>one <b>two</b> three</n><d>&lt;p&gt;x&lt;br&gt;y</d><![CDATA[<p>z</p>]]><br/></r>""",
}

for name, text in SEEDS.items():
    with open(os.path.join(sys.argv[1], name), "w") as f:
        f.write(text)
