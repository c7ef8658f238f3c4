"""Writers of word processors' formats: Microsoft Word, OpenDocument (zipped and flat), Rich Text Format."""
import os
import zipfile
from xml.sax.saxutils import escape

import known

# ---------------------------------------------------------------- Microsoft Word

WORD = ('xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
        'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"')


def run(text, properties=""):
    """A run of text, cut in two as word processors do; soft hyphens are elements."""
    half = len(text) // 2
    out = []
    for part in (text[:half], text[half:]):
        pieces = part.split("\u00ad")
        inner = "<w:softHyphen/>".join('<w:t xml:space="preserve">%s</w:t>' % escape(p) for p in pieces)
        out.append("<w:r>%s%s</w:r>" % ("<w:rPr>%s</w:rPr>" % properties if properties else "", inner))
    return "<w:proofErr w:type=\"spellStart\"/>".join(out)


def paragraph(inner, properties=""):
    return "<w:p>%s%s</w:p>" % ("<w:pPr>%s</w:pPr>" % properties if properties else "", inner)


def word_piece(piece):
    if isinstance(piece, str):
        return run(piece)
    kind, content = piece
    if kind == "note":
        return '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:footnoteReference w:id="%d"/></w:r>' % (
            known.NUMBER[content] + 1)
    return run(content, "<w:b/>" if kind == "strong" else "<w:i/>")


# w = a^2 + b^2
MATH = ('<m:oMathPara><m:oMath><m:r><m:t>w = </m:t></m:r>%s<m:r><m:t> + </m:t></m:r>%s</m:oMath></m:oMathPara>' % tuple(
    '<m:sSup><m:e><m:r><m:t>%s</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup>' % letter
    for letter in "ab"))


def word_body():
    out = []
    for block in known.DOCUMENT:
        if block[0] == "heading":
            out.append(paragraph(run(block[2]), '<w:pStyle w:val="Heading%d"/>' % block[1]))
        elif block[0] == "paragraph":
            out.append(paragraph("".join(word_piece(p) for p in block[1])))
        elif block[0] == "list":
            numbered = '<w:pStyle w:val="ListParagraph"/><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'
            out += [paragraph(run(item), numbered) for item in block[1]]
        elif block[0] == "table":
            rows = "".join("<w:tr>%s</w:tr>" % "".join("<w:tc><w:tcPr/>%s</w:tc>" % paragraph(run(c)) for c in row)
                           for row in block[1])
            out.append("<w:tbl><w:tblPr/><w:tblGrid/>%s</w:tbl>" % rows)
        elif block[0] == "equation":
            out.append(paragraph(MATH))
    return "".join(out)


def word(folder):
    separators = "".join('<w:footnote w:type="%s" w:id="%d"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>' % (t, i)
                         for i, t in enumerate(("separator", "continuationSeparator")))
    notes = "".join('<w:footnote w:id="%d">%s</w:footnote>' % (i + 2, paragraph("<w:r><w:footnoteRef/></w:r>" + run(" " + n)))
                    for i, n in enumerate(known.NOTES))
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
    relation = '<Relationship Id="r%d" Type="%s" Target="%s"/>'
    package = '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">%s</Relationships>'
    parts = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
        "_rels/.rels": package % (relation % (1, kind + "officeDocument", "word/document.xml")),
        "word/_rels/document.xml.rels": package % (relation % (1, kind + "footnotes", "footnotes.xml") +
                                                   relation % (2, kind + "header", "header1.xml")),
        "word/document.xml": "<w:document %s><w:body>%s<w:sectPr/></w:body></w:document>" % (WORD, word_body()),
        "word/footnotes.xml": "<w:footnotes %s>%s</w:footnotes>" % (WORD, separators + notes),
        "word/header1.xml": "<w:hdr %s>%s</w:hdr>" % (WORD, paragraph(run("A running head, seen on each page"))),
        "docProps/core.xml":
            '<cp:coreProperties xmlns:cp="x" xmlns:dc="y" xmlns:dcterms="z"><dc:title>%s</dc:title><dc:creator>%s</dc:creator>'
            '<cp:lastModifiedBy>Nobody</cp:lastModifiedBy><dcterms:created>%s</dcterms:created></cp:coreProperties>' % (
                known.TITLE, "; ".join(known.AUTHORS), known.DATE),
    }
    path = os.path.join(folder, "known.docx")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        for name, text in parts.items():
            z.writestr(name, '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' + text)
    return path


# ------------------------------------------------------------------ OpenDocument

SPACES = " ".join('xmlns:%s="%s"' % pair for pair in {
    "office": "urn:oasis:names:tc:opendocument:xmlns:office:1.0", "text": "urn:oasis:names:tc:opendocument:xmlns:text:1.0",
    "style": "urn:oasis:names:tc:opendocument:xmlns:style:1.0", "table": "urn:oasis:names:tc:opendocument:xmlns:table:1.0",
    "draw": "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0", "dc": "http://purl.org/dc/elements/1.1/",
    "meta": "urn:oasis:names:tc:opendocument:xmlns:meta:1.0", "xlink": "http://www.w3.org/1999/xlink"}.items())


def mathml(prefix=""):
    square = "<P:msup><P:mi>%s</P:mi><P:mn>2</P:mn></P:msup>"
    return ("<P:math><P:semantics><P:mrow><P:mi>w</P:mi><P:mo>=</P:mo>%s<P:mo>+</P:mo>%s</P:mrow>"
            "<P:annotation encoding=\"x\">w = a^{2} + b^{2}</P:annotation></P:semantics></P:math>" % (
                square % "a", square % "b")).replace("P:", prefix)


def open_paragraph(inner, name="p", extra=""):
    return "<text:%s%s>%s</text:%s>" % (name, extra, inner, name)


def open_piece(piece):
    if isinstance(piece, str):
        return escape(piece)
    kind, content = piece
    if kind == "note":
        return ('<text:note text:note-class="footnote"><text:note-citation>%d</text:note-citation><text:note-body>%s'
                '</text:note-body></text:note>') % (known.NUMBER[content], open_paragraph(escape(content)))
    return '<text:span text:style-name="T1">%s</text:span>' % escape(content)


def open_text(formula):
    out = ['<text:tracked-changes><text:changed-region><text:deletion><text:p>Words that were taken out</text:p>'
           '</text:deletion></text:changed-region></text:tracked-changes>']
    for block in known.DOCUMENT:
        if block[0] == "heading":
            out.append(open_paragraph(escape(block[2]), "h", ' text:outline-level="%d"' % block[1]))
        elif block[0] == "paragraph":
            out.append(open_paragraph("".join(open_piece(p) for p in block[1])))
        elif block[0] == "list":
            out.append("<text:list>%s</text:list>" % "".join(
                "<text:list-item>%s</text:list-item>" % open_paragraph(escape(item)) for item in block[1]))
        elif block[0] == "table":
            out.append("<table:table><table:table-column/>%s</table:table>" % "".join(
                "<table:table-row>%s</table:table-row>" % "".join(
                    "<table:table-cell>%s</table:table-cell>" % open_paragraph(c) for c in row) for row in block[1]))
        elif block[0] == "equation":
            out.append(open_paragraph("<draw:frame>%s</draw:frame>" % formula))
    return "<office:body><office:text>%s</office:text></office:body>" % "\n".join(out)


def open_metadata():
    return ("<office:meta><dc:title>%s</dc:title><meta:initial-creator>%s</meta:initial-creator><dc:creator>Nobody</dc:creator>"
            "<meta:creation-date>%s</meta:creation-date><dc:date>2020-01-01</dc:date></office:meta>") % (
        known.TITLE, "; ".join(known.AUTHORS), known.DATE)


def odt(folder):
    path = os.path.join(folder, "known.odt")
    formula = '<draw:object xlink:href="./Object 1"/><draw:image xlink:href="x.png"/>'
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr("mimetype", "application/vnd.oasis.opendocument.text", zipfile.ZIP_STORED)
        z.writestr("content.xml", "<office:document-content %s>%s</office:document-content>" % (SPACES, open_text(formula)))
        z.writestr("meta.xml", "<office:document-meta %s>%s</office:document-meta>" % (SPACES, open_metadata()))
        z.writestr("styles.xml", "<office:document-styles %s><office:master-styles><text:p>A running head</text:p>"
                   "</office:master-styles></office:document-styles>" % SPACES)
        z.writestr("Object 1/content.xml", mathml())
    return path


def fodt(folder):
    path = os.path.join(folder, "known.fodt")
    with open(path, "w", encoding="utf-8") as f:
        f.write('<?xml version="1.0" encoding="UTF-8"?>\n<office:document %s '
                'office:mimetype="application/vnd.oasis.opendocument.text">%s<office:master-styles><text:p>A running head</text:p>'
                '</office:master-styles>%s</office:document>' % (
                    SPACES, open_metadata(), open_text("<draw:object>%s</draw:object>" % mathml("math:"))))
    return path


# -------------------------------------------------------------- Rich Text Format

def rtf_text(text):
    """Letters of the code page as bytes, others by number with a fallback of one character."""
    out = []
    for c in text:
        if c in "\\{}":
            out.append("\\" + c)
        elif c == "\u00ad":
            out.append("\\-")
        elif c < "\x80":
            out.append(c)
        else:
            try:
                out.append("\\'%02x" % c.encode("cp1252")[0])
            except UnicodeEncodeError:
                out.append("\\u%d?" % (ord(c) if ord(c) < 0x8000 else ord(c) - 0x10000))
    return "".join(out)


def rtf_piece(piece):
    if isinstance(piece, str):
        return rtf_text(piece)
    kind, content = piece
    if kind == "note":
        return "{\\super\\chftn{\\footnote\\pard\\plain {\\super\\chftn} %s}}" % rtf_text(content)
    return "{%s %s}" % ("\\b" if kind == "strong" else "\\i", rtf_text(content))


def rtf(folder):
    out = []
    for block in known.DOCUMENT:
        if block[0] == "heading":
            out.append("\\pard\\plain\\s%d\\outlinelevel%d\\b %s\\par" % (block[1], block[1] - 1, rtf_text(block[2])))
        elif block[0] == "paragraph":
            out.append("\\pard\\plain %s\\par" % "".join(rtf_piece(p) for p in block[1]))
        elif block[0] == "list":
            out += ["\\pard\\plain\\ls1{\\listtext\\'b7\\tab}%s\\par" % rtf_text(item) for item in block[1]]
        elif block[0] == "table":
            out += ["\\trowd\\cellx1000\\cellx2000\\cellx3000%s\\row" % "".join(
                "\\pard\\intbl %s\\cell" % rtf_text(cell) for cell in row) for row in block[1]]
        elif block[0] == "equation":
            out.append("\\pard\\plain %s\\par" % rtf_text(known.EQUATIONS[block[1]]))
    year, month, day = known.DATE.split("-")
    info = "{\\info{\\title %s}{\\author %s}{\\creatim\\yr%s\\mo%d\\dy%d}}" % (
        rtf_text(known.TITLE), rtf_text("; ".join(known.AUTHORS)), year, int(month), int(day))
    path = os.path.join(folder, "known.rtf")
    with open(path, "w", encoding="ascii") as f:
        f.write("{\\rtf1\\ansi\\ansicpg1252\\deff0{\\fonttbl{\\f0\\fswiss\\fcharset0 Arial;}{\\f1\\fcharset204 Arial Cyr;}}"
                "{\\stylesheet{\\s1 heading 1;}}{\\*\\generator A writer;}%s{\\header A running head\\par}\\uc1\n%s\n}\n" % (
                    info, "\n".join(out)))
    return path


FORMULA = {"equations": {"weight": "w = a^2 + b^2"}}
CASES = {"docx": word, "odt": odt, "fodt": fodt, "rtf": rtf}
FACTS = {"docx": FORMULA, "odt": FORMULA, "fodt": FORMULA}
