"""Writers of the formats around the web: plain text, Markdown, HTML, EPUB."""
import html
import os
import textwrap
import zipfile

import known


def save(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "wb") as f:
        f.write(text.encode() if isinstance(text, str) else text)
    return path


# ---------------------------------------------------------------- plain text

def text(folder):
    """As people wrap it: 72 columns, underlined headings, notes below their paragraph."""
    out = []
    for block in known.expected():
        lines = block.split("\n")
        out.append("\n".join(lines) if len(lines) > 1 else textwrap.fill(block, 72, break_long_words=False))
    return save(folder, "known.txt", "\n\n".join(out) + "\n")


# ------------------------------------------------------------------ Markdown

def markdown_piece(piece):
    if isinstance(piece, str):
        return piece
    kind, content = piece
    if kind == "note":
        return "[^%d]" % known.NUMBER[content]
    return {"strong": "**%s**", "emphasis": "*%s*"}[kind] % content


def notes_of(block):
    return [piece[1] for piece in block[1] if piece[0] == "note"]


def markdown(folder):
    out = ["---\ntitle: %s\nauthor:\n%s\ndate: %s\n---\n" % (known.TITLE, "\n".join("  - " + a for a in known.AUTHORS),
                                                             known.DATE)]
    for block in known.DOCUMENT:
        if block[0] == "heading":
            out.append("#" * block[1] + " " + block[2])
        elif block[0] == "paragraph":
            out.append(textwrap.fill("".join(markdown_piece(p) for p in block[1]), 80))
            out += ["[^%d]: %s" % (known.NUMBER[note], note) for note in notes_of(block)]
        elif block[0] == "list":
            out.append("\n".join("- " + item for item in block[1]))
        elif block[0] == "table":
            rows = ["| " + " | ".join(row) + " |" for row in block[1]]
            out.append("\n".join([rows[0], "|---|---:|---:|"] + rows[1:]))
        elif block[0] == "equation":
            out.append(known.EQUATIONS[block[1]])
    return save(folder, "known.md", "\n\n".join(out) + "\n")


# ---------------------------------------------------------------------- HTML

def html_body():
    out, number = [], 0
    for block in known.DOCUMENT:
        if block[0] == "heading":
            out.append("<h%d>%s</h%d>" % (block[1], html.escape(block[2]), block[1]))
        elif block[0] == "paragraph":
            pieces = []
            for piece in block[1]:
                if isinstance(piece, str):
                    pieces.append(html.escape(piece).replace("\u00ad", "&#173;").replace("ü", "&#xFC;"))
                elif piece[0] != "note":
                    pieces.append("<%s>%s</%s>" % ({"strong": "b", "emphasis": "em"}[piece[0]], html.escape(piece[1]),
                                                   {"strong": "b", "emphasis": "em"}[piece[0]]))
            out.append("<p>%s</p>" % "".join(pieces))
            out += ["<p class=\"note\">%s</p>" % html.escape(note) for note in notes_of(block)]
        elif block[0] == "list":
            out.append("<ul>%s</ul>" % "".join("<li>%s</li>" % html.escape(item) for item in block[1]))
        elif block[0] == "table":
            rows = "".join("<tr>%s</tr>" % "".join("<td>%s</td>" % html.escape(c) for c in row) for row in block[1])
            out.append("<table><tbody>%s</tbody></table>" % rows)
        elif block[0] == "equation":
            out.append("<div class=\"equation\">%s</div>" % known.EQUATIONS[block[1]])
    return "\n".join(out)


def page(folder):
    head = "<meta charset=\"utf-8\"><title>%s</title>%s<meta name=\"date\" content=\"%s\">" % (
        html.escape(known.TITLE), "".join("<meta name=\"author\" content=\"%s\">" % a for a in known.AUTHORS), known.DATE)
    return save(folder, "known.html", "<!DOCTYPE html>\n<html><head>%s<style>p { margin: 0 }</style></head><body>\n"
                "<nav><a href=\"#x\">Top</a></nav>%s</body></html>\n" % (head, html_body()))


# ---------------------------------------------------------------------- EPUB

def book(folder):
    metadata = "<dc:title>%s</dc:title>%s<dc:date>%s</dc:date>" % (
        known.TITLE, "".join("<dc:creator>%s</dc:creator>" % a for a in known.AUTHORS), known.DATE)
    chapters = html_body().split("<h1>")
    names = ["c%d.xhtml" % i for i in range(len(chapters))]
    package = ("<?xml version=\"1.0\"?><package xmlns=\"http://www.idpf.org/2007/opf\" xmlns:dc=\"x\"><metadata>%s</metadata>"
               "<manifest>%s</manifest><spine>%s</spine></package>") % (
        metadata, "".join("<item id=\"%s\" href=\"%s\" media-type=\"application/xhtml+xml\"/>" % (n, n) for n in names),
        "".join("<itemref idref=\"%s\"/>" % n for n in names))
    path = os.path.join(folder, "known.epub")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        z.writestr("META-INF/container.xml",
                   "<container><rootfiles><rootfile full-path=\"b.opf\"/></rootfiles></container>")
        z.writestr("b.opf", package)
        for name, chapter in zip(names, chapters):
            z.writestr(name, "<html xmlns=\"http://www.w3.org/1999/xhtml\"><head><title>x</title></head><body>%s</body></html>"
                       % ("<h1>" + chapter if chapter else ""))
    return path


CASES = {"text": text, "markdown": markdown, "html": page, "epub": book}
FACTS = {"text": {"title": None, "authors": None, "date": None}}
