"""Writers of publishers' XML: JATS, TEI, FictionBook, DocBook, and XML of a kind that nobody else has."""
import os
from xml.sax.saxutils import escape

import known
from write_office import mathml

FORMULA = {"equations": {"weight": "w = a^2 + b^2"}}


def save(folder, name, text, encoding="utf-8"):
    path = os.path.join(folder, name)
    with open(path, "w", encoding=encoding, errors="xmlcharrefreplace") as f:
        f.write('<?xml version="1.0" encoding="%s"?>\n%s' % (encoding, text))
    return path


def inline(block, strong, emphasis, note):
    """A paragraph's pieces, each in the format's own way."""
    out = []
    for piece in block[1]:
        if isinstance(piece, str):
            out.append(escape(piece))
        elif piece[0] == "note":
            out.append(note(known.NUMBER[piece[1]], escape(piece[1])))
        else:
            out.append((strong if piece[0] == "strong" else emphasis) % escape(piece[1]))
    return "".join(out)


def body(write, section, heading):
    """Nests second headings in first ones; write gives any other block."""
    out, depth = [], 0
    for block in known.DOCUMENT:
        if block[0] == "heading":
            while depth >= block[1]:
                out.append(section[1])
                depth -= 1
            out.append(section[0] + heading % escape(block[2]))
            depth += 1
        else:
            out.append(write(block))
    return "".join(out) + section[1] * depth


# ------------------------------------------------------------------------ JATS

def jats_block(block):
    if block[0] == "paragraph":
        return "<p>%s</p>\n" % inline(block, "<bold>%s</bold>", "<italic>%s</italic>", lambda number, note:
                                      '<xref ref-type="fn" rid="fn%d"><sup>%d</sup></xref>' % (number, number))
    if block[0] == "list":
        return "<list>%s</list>" % "".join("<list-item><p>%s</p></list-item>" % escape(item) for item in block[1])
    if block[0] == "table":
        rows = ["".join("<td>%s</td>" % cell for cell in row) for row in block[1]]
        return "<table-wrap><table><tbody>%s</tbody></table></table-wrap>" % "".join("<tr>%s</tr>" % row for row in rows)
    return "<disp-formula><alternatives><tex-math>w = a^2 + b^2</tex-math>%s</alternatives></disp-formula>" % mathml("mml:")


def jats(folder):
    year, month, day = known.DATE.split("-")
    names = "".join('<contrib contrib-type="author"><name><surname>%s</surname><given-names>%s</given-names></name><xref '
                    'ref-type="aff" rid="a1">1</xref></contrib>' % tuple(reversed(a.split(" "))) for a in known.AUTHORS)
    front = ("<front><journal-meta><journal-title>Journal of Mills</journal-title></journal-meta><article-meta><article-id>1"
             "</article-id><title-group><article-title>%s</article-title></title-group><contrib-group>%s</contrib-group><aff>"
             "Somewhere</aff><pub-date><day>%s</day><month>%s</month><year>%s</year></pub-date><volume>7</volume>"
             "</article-meta></front>") % (known.TITLE, names, int(day), int(month), year)
    notes = "".join('<fn id="fn%d"><label>%d</label><p>%s</p></fn>' % (i + 1, i + 1, escape(n))
                    for i, n in enumerate(known.NOTES))
    return save(folder, "known-jats.xml", '<!DOCTYPE article PUBLIC "-//NLM//DTD JATS//EN" "JATS.dtd"><article>%s<body>%s</body>'
                '<back><fn-group>%s</fn-group></back></article>' % (
                    front, body(jats_block, ("<sec>", "</sec>"), "<title>%s</title>"), notes))


# ------------------------------------------------------------------------- TEI

def tei_block(block):
    if block[0] == "paragraph":
        return "<p>%s</p>\n" % inline(block, '<hi rend="bold">%s</hi>', '<hi rend="italic">%s</hi>', lambda number, note:
                                      '<note place="foot" n="%d"><p>%s</p></note>' % (number, note))
    if block[0] == "list":
        return "<list>\n%s\n</list>" % "\n".join("<item>%s</item>" % escape(item) for item in block[1])
    if block[0] == "table":
        return "<table>%s</table>" % "\n".join("<row>%s</row>" % "".join("<cell>%s</cell>" % c for c in row)
                                               for row in block[1])
    return "<p><formula notation=\"mathml\">%s</formula></p>" % mathml()


def tei(folder):
    header = ("<teiHeader><fileDesc><titleStmt><title>%s</title>%s</titleStmt><publicationStmt><p>Printed</p><date when=\"%s\">"
              "spring</date></publicationStmt><sourceDesc><p>From paper</p></sourceDesc></fileDesc></teiHeader>") % (
        known.TITLE, "".join("<author>%s</author>" % a for a in known.AUTHORS), known.DATE)
    return save(folder, "known-tei.xml", '<TEI xmlns="http://www.tei-c.org/ns/1.0">%s<text><body>%s</body></text></TEI>' % (
        header, body(tei_block, ("<div>", "</div>"), "<head>%s</head>")))


# ---------------------------------------------------------------- FictionBook

def fb2_block(block):
    if block[0] == "paragraph":
        return "<p>%s</p>\n" % inline(block, "<strong>%s</strong>", "<emphasis>%s</emphasis>", lambda number, note:
                                      '<a l:href="#n%d" type="note">[%d]</a>' % (number, number))
    if block[0] == "list":
        return "<poem><stanza>%s</stanza></poem>" % "".join("<v>%s</v>" % escape(item) for item in block[1])
    if block[0] == "table":
        return "<table>%s</table>" % "\n".join("<tr>%s</tr>" % "".join("<td>%s</td>" % c for c in row) for row in block[1])
    return "<p>%s</p>" % known.EQUATIONS[block[1]]


def fb2(folder):
    """In an encoding that most of these books are in; letters that it lacks are numeric references."""
    authors = "".join("<author><first-name>%s</first-name><last-name>%s</last-name></author>" % tuple(a.split(" "))
                      for a in known.AUTHORS)
    description = ("<description><title-info><genre>history</genre>%s<book-title>%s</book-title><date value=\"%s\">2019</date>"
                   "</title-info><document-info><author><nickname>scanner</nickname></author></document-info></description>") % (
        authors, known.TITLE, known.DATE)
    notes = "".join('<section id="n%d"><title><p>%d</p></title><p>%s</p></section>' % (i + 1, i + 1, escape(n))
                    for i, n in enumerate(known.NOTES))
    return save(folder, "known.fb2", '<FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0" xmlns:l="x">%s<body>%s'
                '</body><body name="notes"><title><p>Notes</p></title>%s</body><binary id="c">AAAA</binary></FictionBook>' % (
                    description, body(fb2_block, ("<section>", "</section>"), "<title><p>%s</p></title>"), notes),
                "windows-1251")


# --------------------------------------------------------------------- DocBook

def docbook_block(block):
    if block[0] == "paragraph":
        return "<para>%s</para>\n" % inline(block, '<emphasis role="bold">%s</emphasis>', "<emphasis>%s</emphasis>", lambda number,
                                            note: '<footnote id="fn%d"><para>%s</para></footnote>' % (number, note))
    if block[0] == "list":
        return "<itemizedlist>%s</itemizedlist>" % "".join("<listitem><para>%s</para></listitem>" % escape(item) for item in block[1])
    if block[0] == "table":
        rows = ["<row>%s</row>" % "".join("<entry>%s</entry>" % cell for cell in row) for row in block[1]]
        return "<informaltable><tgroup cols='3'><colspec/><thead>%s</thead><tbody>%s</tbody></tgroup></informaltable>" % (
            rows[0], "\n".join(rows[1:]))
    return "<equation><alt>w</alt>%s</equation>" % mathml("")


def docbook(folder):
    """The fifth version, in namespaces; names of its own for what recurs."""
    authors = "".join("<author><personname><firstname>%s</firstname><surname>%s</surname></personname></author>" %
                      tuple(a.split(" ")) for a in known.AUTHORS)
    text = body(docbook_block, ("<section>", "</section>"), "<info><title>%s</title></info>")
    return save(folder, "known.dbk", '<!DOCTYPE article [<!ENTITY mill "the miller">]>\n<article xmlns="http://docbook.org/ns/docbook">'
                '<info><title>%s</title><authorgroup>%s</authorgroup><pubdate>%s</pubdate><legalnotice><para>All rights.</para>'
                '</legalnotice></info>%s<indexterm><primary>mill</primary></indexterm></article>' % (
                    known.TITLE, authors, known.DATE, text.replace("the miller", "&mill;")))


# ---------------------------------------------------------------- any other XML

def xml_block(block):
    if block[0] == "paragraph":
        paragraph = [piece for piece in block[1] if piece[0] != "note"]
        return "<absatz>%s</absatz>\n%s" % (inline((None, paragraph), "<fett>%s</fett>", "<kursiv>%s</kursiv>", None), "".join(
            "<absatz>%s</absatz>\n" % escape(piece[1]) for piece in block[1] if piece[0] == "note"))
    if block[0] == "list":
        return "<liste>%s</liste>" % "".join("<punkt>%s</punkt>" % escape(item) for item in block[1])
    if block[0] == "table":
        return "<tafel>%s</tafel>" % "\n".join("<zeile>%s</zeile>" % " ".join(row) for row in block[1])
    return "<formel>%s</formel>" % known.EQUATIONS[block[1]]


def xml(folder):
    text = body(xml_block, ("<teil>", "</teil>"), "<kopf><zeile>%s</zeile></kopf>")
    return save(folder, "known.xml", "<werk><angaben datum='%s'/>%s</werk>" % (known.DATE, text))


CASES = {"jats": jats, "tei": tei, "fb2": fb2, "docbook": docbook, "xml": xml}
FACTS = {"jats": FORMULA, "tei": FORMULA, "docbook": FORMULA, "xml": {"title": None, "authors": None, "date": None}}
