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


CASES = {"docx": word}
FACTS = {"docx": {"equations": {"weight": "w = a^2 + b^2"}}}
