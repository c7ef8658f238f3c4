"""generate.py: hostile files: cases(count, seed) yields (name, bytes), the same ones for the same arguments.

A case is either one of the tricks below (bombs, loops, odd names, empty things, wrong lengths, ...), or a whole document cut
short at one of its structures, or one with bytes flipped, doubled, moved or lost. Documents are those of the text quality
tests in every format, the PDF fixtures, and archives of them. Python's standard library only.
"""
import bz2
import gzip
import importlib
import io
import json
import lzma
import os
import random
import re
import struct
import sys
import tarfile
import tempfile
import warnings
import zipfile
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
QUALITY, CORPUS = os.path.join(HERE, "..", "corpus", "quality"), os.path.join(HERE, "..", "corpus")
sys.path[:0] = [QUALITY, CORPUS]

import archives  # noqa: E402
import pdf  # noqa: E402

WITNESS = "The witness of the batch saw the lamp of Harrow Fen go out."
EXTENSIONS = ("txt md html epub pdf docx odt fodt rtf tex rst org xml jats tei fb2 dbk mbox eml ipynb srt vtt json csv zip 7z tar gz bz2 xz zst "
              "tar.gz cpio ar iso lz4 Z odp xlsx pptx doc mobi djvu ps png mp3 sqlite exe").split()

# ------------------------------------------------------------------------------------------ whole documents


def zipped(members, method=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as z:
        for name, data in members:
            z.writestr(zipfile.ZipInfo(name), data, method)
    return out.getvalue()


def tarred(members, mode="w"):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as t:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            t.addfile(info, io.BytesIO(data))
    return out.getvalue()


def documents():
    """{name: bytes}: one whole document of every format that has a writer, and archives of some."""
    out = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in sorted(os.listdir(QUALITY)):
            if name.startswith("write_") and name.endswith(".py"):
                for write in importlib.import_module(name[:-3]).CASES.values():
                    path = write(folder)
                    if path and os.path.isfile(path):
                        with open(path, "rb") as f:
                            out["known" + os.path.basename(path)[os.path.basename(path).index("."):]] = f.read()
        pdf.main(folder)
        for name in ("paper", "table", "ligatures", "broken-map", "open"):
            with open(os.path.join(folder, name + ".pdf"), "rb") as f:
                out[name + ".pdf"] = f.read()
    plain = [("notes/a.txt", WITNESS.encode()), ("notes/b.md", b"# Head\n\nText of *b*."), ("c.html", b"<p>Text of c.")]
    out["plain.zip"], out["stored.zip"] = zipped(plain), zipped(plain, zipfile.ZIP_STORED)
    out["mixed.zip"] = zipped([(k, v) for k, v in out.items() if len(v) < 100000][:12])
    out["plain.tar"], out["plain.tar.gz"] = tarred(plain), tarred(plain, "w:gz")
    out["plain.tar.xz"], out["plain.tar.bz2"] = tarred(plain, "w:xz"), tarred(plain, "w:bz2")
    text = out.get("known.txt", WITNESS.encode())
    out["known.txt.gz"], out["known.txt.bz2"], out["known.txt.xz"] = gzip.compress(text, mtime=0), bz2.compress(text), lzma.compress(text)
    for extension, write in archives.ARCHIVES.items():
        out["plain." + extension] = write(plain)
    for extension, write in archives.SINGLE.items():
        out["known.txt." + extension] = write(text)
    for name, encoding in (("utf16.txt", "utf-16"), ("utf32.txt", "utf-32")):
        out[name] = text.decode().encode(encoding)
    return out


# ---------------------------------------------------------------------------------------------- tricks

def bombs():
    zeros = bytes(24 << 20)
    flat = zlib.compress(zeros, 9)
    yield "bomb.txt.gz", gzip.compress(zeros, mtime=0)
    yield "bomb.txt.gz.gz", gzip.compress(gzip.compress(zeros, mtime=0), mtime=0)
    yield "bomb.txt.xz", lzma.compress(zeros, preset=0)
    yield "bomb.txt.bz2", bz2.compress(bytes(100 << 20), 1)
    for extension, write in archives.SINGLE.items():
        yield "bomb.txt.%s.gz" % extension, gzip.compress(write(zeros), 1, mtime=0)
    for extension, write in archives.ARCHIVES.items():
        if not extension.startswith(("lha", "2.lzh")):  # whose sum Python takes minutes for
            yield "bomb.%s.gz" % extension, gzip.compress(write([("zeros.txt", zeros)]), 1, mtime=0)
        yield "many.%s" % extension, write([("%d.txt" % i, b"x") for i in range(400)])
        yield "nested.%s" % extension, write([("in.%s" % extension, write([("in.%s" % extension, write([("a.txt", WITNESS.encode())]))]))])
    yield "bomb.zip", zipped([("%d.txt" % i, b"Word. " * (1 << 20)) for i in range(6)])
    nested = zipped([("zeros.txt", zeros)])
    for _ in range(5):
        nested = zipped([("%d.zip" % i, nested) for i in range(8)])
    yield "nested.zip", nested
    deep = WITNESS.encode()
    for i in range(60):
        deep = zipped([("%d.zip" % i if i else "a.txt", deep)], zipfile.ZIP_STORED)
    yield "deep.zip", deep
    deep = WITNESS.encode()
    for _ in range(40):
        deep = gzip.compress(deep, mtime=0)
    yield "deep" + ".gz" * 40, deep
    yield "many-members.zip", zipped([("%d.txt" % i, b"x") for i in range(1500)])
    yield "many-members.tar", tarred([("%d.txt" % i, b"x") for i in range(1500)])
    yield "content.pdf", pdf.bomb(50)
    filters = flat
    for _ in range(3):
        filters = zlib.compress(filters, 9)
    bodies = [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Count 1 /Kids [4 0 R] >>", b"<< >>",
              b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R >>",
              b"<< /Filter [/FlateDecode /FlateDecode /FlateDecode /FlateDecode] /Length %d >>\nstream\n%s\nendstream" % (len(filters), filters)]
    yield "filters.pdf", pdf.PDF.file(bodies)
    many = pdf.PDF()
    page = many.page()
    page.raw(b"BT /F1 4 Tf " + b"".join(b"1 0 0 1 %d %d Tm (w%d) Tj " % (i * 37 % 600, i * 53 % 790, i) for i in range(20000)) + b"ET")
    yield "words.pdf", many.data()
    pages = pdf.PDF()
    for i in range(400):
        pages.page().text(72, 700, "Page %d of many says little." % i)
    yield "pages.pdf", pages.data()


LAUGHS = "".join('<!ENTITY a%d "%s">' % (i, "&a%d;" % (i - 1) * 10 if i else "ha " * 10) for i in range(10))


def markup_tricks():
    """Entities, depth, attributes: in every format that is made of markup."""
    heads = {"html": ("<html><body>", "</body></html>", "p"), "xhtml": ("<html xmlns='http://www.w3.org/1999/xhtml'><body>", "</body></html>", "p"),
             "fb2": ("<FictionBook><body><section>", "</section></body></FictionBook>", "p"),
             "xml": ("<article><body><sec>", "</sec></body></article>", "p"),
             "dbk": ("<article><section>", "</section></article>", "para"), "tei.xml": ("<TEI><text><body>", "</body></text></TEI>", "p"),
             "fodt": ('<office:document xmlns:office="o" xmlns:text="t" office:mimetype="application/vnd.oasis.opendocument.text"><office:body>'
                      "<office:text>", "</office:text></office:body></office:document>", "text:p")}
    for extension, (head, tail, p) in heads.items():
        body = "<%s>%%s</%s>" % (p, p)

        def page(name, inside, doctype=""):
            return "%s.%s" % (name, extension), ('<?xml version="1.0"?>' + doctype + head + inside + tail).encode()
        yield page("laughs", body % "&a9;", "<!DOCTYPE x [%s]>" % LAUGHS)
        yield page("quadratic", body % ("&b;" * 20000), '<!DOCTYPE x [<!ENTITY b "%s">]>' % ("b" * 20000))
        yield page("outside", body % "&f;", '<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>')
        yield page("parameter", body % "x", '<!DOCTYPE x [<!ENTITY % p SYSTEM "http://localhost:9/x"> %p;]>')
        yield page("ring", body % "&r;", '<!DOCTYPE x [<!ENTITY r "&s;"><!ENTITY s "&r;">]>')
        yield page("deep", ("<%s>" % p) * 100000 + "x")
        yield page("deep-divs", "<div>" * 50000 + body % "x" + "</div>" * 50000)
        yield page("attribute", '<%s class="%s">x</%s>' % (p, "a" * (5 << 20), p))
        yield page("attributes", "<%s %s>x</%s>" % (p, " ".join("a%d='%d'" % (i, i) for i in range(50000)), p))
        yield page("tag", "<%s>x</%s>" % ("t" * (1 << 20), "t" * (1 << 20)))
        yield page("open", "<%s>" % p + "<!-- " * 50000)
        yield page("cdata", "<![CDATA[" * 1000 + "x")
        yield page("instruction", "<?" + "x" * 100000)
        yield page("table", "<table>" + "<tr>" + "<td colspan='99999999' rowspan='4294967296'>c</td>" * 20000 + "</tr></table>")
        yield page("controls", body % "".join("&#%d;" % c for c in range(0, 160)) + "&#x110000;&#xD800;&#xFFFFFFFFFF;")
        yield page("line", body % ("word " * (1 << 20)))
        yield page("no-spaces", body % ("w" * (4 << 20)))
        yield page("namespaces", "".join("<n%d:x xmlns:n%d='%d'>" % (i, i, i) for i in range(3000)) + "x")
        yield page("nothing", "")


def package_tricks():
    """Books and word processor files: parts that are missing, circular, empty, huge, outside."""
    container = '<container><rootfiles><rootfile full-path="%s"/></rootfiles></container>'
    opf = "<package><metadata/><manifest>%s</manifest><spine>%s</spine></package>"
    self_ref = opf % ('<item id="a" href="b.opf" media-type="application/xhtml+xml"/>', '<itemref idref="a"/>' * 5000)
    outside = opf % ('<item id="a" href="../../../../etc/passwd"/><item id="b" href="file:///etc/passwd"/>', '<itemref idref="a"/><itemref idref="b"/>')
    for name, package in (("self", self_ref), ("outside", outside), ("empty", ""), ("deep", "<a>" * 100000), ("laughs", "<!DOCTYPE x [%s]><package>&a9;</package>" % LAUGHS)):
        yield name + ".epub", zipped([("mimetype", b"application/epub+zip"), ("META-INF/container.xml", (container % "b.opf").encode()),
                                      ("b.opf", package.encode()), ("c.xhtml", b"<p>text")])
    yield "container.epub", zipped([("mimetype", b"application/epub+zip"), ("META-INF/container.xml", (container % "META-INF/container.xml").encode())])
    word = '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>%s</w:body></w:document>'
    types = ("[Content_Types].xml", b"<Types/>")
    rels = '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">%s</Relationships>'
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    rel = '<Relationship Id="r%d" Type="' + office + '" Target="%s"/>'
    for name, target in (("self", "_rels/.rels"), ("outside", "../../../etc/passwd"), ("absolute", "/etc/passwd"), ("missing", "word/none.xml"), ("empty", "")):
        yield name + ".docx", zipped([types, ("_rels/.rels", (rels % (rel % (1, target))).encode()), ("word/document.xml", (word % "<w:p><w:r><w:t>x</w:t></w:r></w:p>").encode())])
    main = ("_rels/.rels", (rels % (rel % (1, "word/document.xml"))).encode())
    bodies = {"deep": "<w:tbl><w:tr><w:tc>" * 30000, "notes": '<w:p><w:r><w:footnoteReference w:id="1"/></w:r></w:p>' * 3000,
              "numbers": '<w:p><w:r><w:t>&#0;&#x1F;&#xFFFE;</w:t></w:r></w:p>', "fields": '<w:fldSimple w:instr="TOC">' * 20000, "nothing": ""}
    for name, body in bodies.items():
        yield name + "-body.docx", zipped([types, main, ("word/document.xml", (word % body).encode()),
                                           ("word/footnotes.xml", ('<w:footnotes xmlns:w="x"><w:footnote w:id="1"><w:p><w:r><w:footnoteReference w:id="1"/>'
                                                                   "<w:t>n</w:t></w:r></w:p></w:footnote></w:footnotes>").encode())])
    yield "laughs.docx", zipped([types, main, ("word/document.xml", ("<!DOCTYPE x [%s]>" % LAUGHS + word % "<w:p><w:r><w:t>&a9;</w:t></w:r></w:p>").encode())])
    yield "zeros.docx", zipped([types, main, ("word/document.xml", bytes(20 << 20))])
    content = "<office:document-content><office:body><office:text>%s</office:text></office:body></office:document-content>"
    for name, body in (("deep", "<text:list><text:list-item>" * 30000), ("spaces", '<text:p>a<text:s text:c="4294967295"/>b</text:p>' * 100),
                       ("repeat", '<table:table-cell table:number-columns-repeated="2000000000"><text:p>c</text:p></table:table-cell>' * 10), ("empty", "")):
        yield name + ".odt", zipped([("mimetype", b"application/vnd.oasis.opendocument.text"), ("content.xml", (content % body).encode())])
    yield "cells.xlsx", zipped([types, ("xl/workbook.xml", b"<workbook/>")])


def text_tricks():
    """Formats of plain text: depth, rings, lines without end."""
    yield "deep.md", b"> " * 100000 + b"x"
    yield "list.md", b"".join(b" " * i + b"- x\n" for i in range(2000))
    yield "stars.md", b"*" * 200000 + b"x" + b"_" * 200000
    yield "opens.md", b"*a _a " * 200000 + b"$" * 200000 + b"$a " * 200000
    yield "notes.md", b"^[" * 100000 + b"\n\n" + b"[^a]: b[^a]\n" * 100000
    yield "brackets.md", b"[" * 100000 + b"](" * 100000
    yield "images.md", b"![a](data:image/png;base64," + b"A" * (2 << 20) + b")"
    yield "table.md", b"|a|b|\n|-|-|\n" + b"|" * 200000 + b"\n"
    yield "front.md", b"---\ntitle: " + b"x" * (1 << 20) + b"\n---\ntext"
    yield "front-open.md", b"---\n" + b"a: b\n" * 100000
    yield "code.md", b"```\n" * 20001
    yield "deep.rtf", b"{\\rtf1 " + b"{" * 200000 + b"x"
    yield "closed.rtf", b"{\\rtf1 x" + b"}" * 100000
    yield "numbers.rtf", b"{\\rtf1\\ansi\\uc99999999 \\u99999999999 x\\'zz\\'\\bin2147483647 x\\bin-5 y\\ansicpg99999999 \\u-1 ?}"
    yield "binary.rtf", b"{\\rtf1 {\\pict\\bin4000000000 " + bytes(range(256)) * 40 + b"}text}"
    yield "fonts.rtf", b"{\\rtf1{\\fonttbl" + b"{\\f1 a;}" * 50000 + b"}text\\par}"
    yield "word.rtf", b"{\\rtf1 \\" + b"a" * (1 << 20) + b" x}"
    yield "ring.tex", b"\\documentclass{article}\\def\\a{\\a\\a}\\begin{document}\\a \\input{ring} \\input{ring.tex} text\\end{document}"
    yield "double.tex", b"\\documentclass{article}" + b"".join(b"\\def\\%c{\\%c\\%c}" % (98 + i, 97 + i, 97 + i) for i in range(24)) + b"\\def\\a{word }\\begin{document}\\y\\end{document}"
    yield "deep.tex", b"\\documentclass{article}\\begin{document}" + b"{" * 200000 + b"x"
    yield "begins.tex", b"\\documentclass{article}\\begin{document}" + b"\\begin{itemize}\\item x" * 20000
    yield "fraction.tex", b"\\documentclass{article}\\begin{document}$" + b"\\frac{" * 50000 + b"$"
    yield "outside.tex", b"\\documentclass{article}\\begin{document}\\input{/etc/passwd}\\include{../../../../etc/passwd}\\input|\"id\"\\write18{id} text\\end{document}"
    yield "arguments.tex", b"\\documentclass{article}\\newcommand{\\m}[9]{#1#2#3#4#5#6#7#8#9}\\begin{document}" + b"\\m" * 50000
    yield "verbatim.tex", b"\\documentclass{article}\\begin{document}\\begin{verbatim}" + b"x" * 100000
    yield "ring.zip", zipped([("main.tex", b"\\documentclass{article}\\begin{document}\\input{a}\\end{document}"), ("a.tex", b"A \\input{b}"), ("b.tex", b"B \\input{a}")])
    yield "deep.json", b"[" * 200000
    cell = {"cell_type": "markdown", "source": ["text"], "metadata": {}}
    yield "deep.ipynb", b'{"nbformat": 4, "metadata": {}, "cells": [{"cell_type": "markdown", "metadata": ' + b'{"a":' * 100000
    yield "types.ipynb", json.dumps({"nbformat": 4, "metadata": [], "cells": [cell, 3, None, [], {"cell_type": 7, "source": {"a": 1}}, {"source": 3}]}).encode()
    yield "many.ipynb", json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell] * 20000}).encode()
    yield "surrogate.ipynb", b'{"nbformat": 4, "metadata": {}, "cells": [{"cell_type": "markdown", "metadata": {}, "source": "a\\ud800b\\u0000c\\u001b[31m"}]}'
    part = b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n"
    yield "deep.eml", b"From: a@b\nSubject: s\n" + b"".join(part % (i, i) for i in range(3000)) + b"Content-Type: text/plain\n\nx"
    yield "headers.eml", b"From: a@b\n" + b"X-A: b\n" * 100000 + b"\ntext"
    yield "long-header.eml", b"From: a@b\nSubject: " + b"=?utf-8?q?=41?= " * 100000 + b"\n\ntext"
    yield "encoded.eml", b"From: a@b\nSubject: =?x-none?b?!!!?= =?utf-8?q?=C3?=\nContent-Transfer-Encoding: base64\n\n" + b"AAAA=\x00=" * 1000
    yield "boundary.eml", b"From: a@b\nContent-Type: multipart/mixed; boundary=\"\"\n\n--\n\nx\n----\n"
    yield "many.mbox", b"From a@b Thu Jan  1 00:00:00 1970\nSubject: s\n\nx\n\n" * 3000
    yield "froms.mbox", b"From " * 200000
    yield "cues.srt", b"".join(b"%d\n00:00:00,000 --> 99999999:99:99,999\n<i>" % i * 2 for i in range(20000))
    yield "cues.vtt", b"WEBVTT\n\n" + b"00:00.000 --> 00:00.000\n<c." * 20000
    yield "roles.rst", b":a:`" * 100000
    yield "grid.rst", b"+" + b"-" * 50000 + b"+\n|" + b"x" * 50000 + b"|\n"
    yield "include.rst", b".. include:: /etc/passwd\n\n.. include:: include.rst\n\ntext\n"
    yield "titles.rst", b"".join(b"%c\n=\n\n" % (97 + i % 26) for i in range(20000))
    yield "line.txt", b"word " * (4 << 20)
    yield "no-spaces.txt", b"w" * (8 << 20)
    yield "feeds.txt", b"\n" * (4 << 20) + b"x"
    yield "returns.txt", b"\r" * (1 << 20) + b"x\r\n\r"
    yield "tabs.txt", b"\t" * (1 << 20) + b"x"
    yield "combining.txt", ("a" + "\u0301" * (1 << 20)).encode()
    yield "joiners.txt", ("\u200d" * (1 << 18) + "\U0001f469\u200d" * 50000).encode()
    yield "escapes.txt", b"\x1b[2J\x1b]0;t\x07\x1bP1$t\x1b\\ text \x9b31m \x00\x08\x7f" * 500
    yield "overrides.txt", ("\u202e\u202d\u2066\u2069\ufeff text " * 2000).encode()


def encoding_tricks():
    latin, cyrillic = "Größe und Maß. ".encode("latin-1"), "Мельница стоит. ".encode("windows-1251")
    yield "halves.txt", "Größe ".encode() * 200 + latin * 200
    yield "three.txt", "Größe ".encode() * 50 + latin * 50 + cyrillic * 50 + "目録".encode("shift-jis") * 50
    yield "odd-utf16.txt", "Text.".encode("utf-16") + b"x"
    yield "surrogates.txt", b"\xff\xfe" + struct.pack("<6H", 0xD800, 0x41, 0xDC00, 0xDC00, 0xD800, 0xD800) * 100
    yield "big-utf32.txt", b"\x00\x00\xfe\xff" + struct.pack(">4I", 0x110000, 0xFFFFFFFF, 0x41, 0xD800) * 100
    yield "marks.txt", b"\xef\xbb\xbf" * 1000 + b"text"
    yield "overlong.txt", b"text \xc0\x80\xe0\x80\x80\xf8\x88\x80\x80\x80 " * 100
    yield "cut-utf8.txt", "Größe".encode()[:-1] * 50
    yield "utf7.txt", b"+AGE-+" * 1000
    for label in (b"utf-16", b"utf-7", b"x-user-defined", b"\xff\xfe", b"a" * 100000, b"", b"iso-2022-kr", b"hz-gb-2312", b"ebcdic"):
        yield "label-%s.html" % label[:12].hex(), b'<meta charset="' + label + b'"><p>Gr\xf6\xdfe und \xe4'
        yield "label-%s.xml" % label[:12].hex(), b'<?xml version="1.0" encoding="' + label + b'"?><article><body><p>Gr\xf6\xdfe</p></body></article>'


ODD_NAMES = ["../up.txt", "../../../../etc/cron.d/x", "/etc/passwd", "a/../../b.txt", "./././a.txt", "a//b///c.txt", "", "/", ".", "..", "a/", "con.txt", "a:b.txt",
             "C:\\Windows\\x.txt", "\\\\host\\share\\x.txt", "x" * 255 + ".txt", "y" * 10000 + ".txt", "/".join(["d"] * 5000) + "/x.txt",
             "esc\x1b[31mred.txt", "osc\x1b]0;t\x07.txt", "bell\x07\x08.txt", "line\nfeed.txt", "cr\rx.txt", "tab\t.txt", "nul\x00.txt", "del\x7f.txt", "\u202etxt.exe",
             "\ufeff.txt", "\u0000", "a" * 65000, "-rf.txt", "--help", "%s%n.txt", "$(id).txt", "`id`.txt", " .txt", "x.txt ", "x.txt.", "\udcff\udcfe.txt", "🂡" * 300 + ".txt",
             "e\u0301.txt", "\u00e9.txt", "~/x.txt", "*.txt", "?", "|id", "&", ";id.txt"]


def name_tricks():
    for i, name in enumerate(ODD_NAMES):
        raw = name.encode("utf-8", "surrogateescape")
        if len(raw) < 65000:
            placeholder = "n" * max(1, len(raw))
            data = zipped([(placeholder, WITNESS.encode()), ("good.txt", WITNESS.encode())], zipfile.ZIP_STORED)
            yield "name-%d.zip" % i, data.replace(placeholder.encode(), raw or b"\0")
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT, errors="surrogateescape") as t:
            info = tarfile.TarInfo(name.replace("\0", "") or "x")
            info.size = len(WITNESS)
            t.addfile(info, io.BytesIO(WITNESS.encode()))
        yield "name-%d.tar" % i, out.getvalue()
    for extension, write in archives.ARCHIVES.items():
        for i, name in enumerate(ODD_NAMES):
            if name.isprintable() and (len(name) < 300 or extension in ("7z", "cpio")):
                yield "name-%d.%s" % (i, extension), write([(name, WITNESS.encode()), ("good.txt", WITNESS.encode())])
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as t:
        for name, kind, link in (("a", tarfile.SYMTYPE, "b"), ("b", tarfile.SYMTYPE, "a"), ("p", tarfile.SYMTYPE, "/etc/passwd"), ("h", tarfile.LNKTYPE, "../../etc/passwd"),
                                 ("d", tarfile.SYMTYPE, "."), ("d/d/d/x", tarfile.REGTYPE, ""), ("dev", tarfile.CHRTYPE, ""), ("blk", tarfile.BLKTYPE, ""),
                                 ("fifo", tarfile.FIFOTYPE, ""), ("dir", tarfile.DIRTYPE, ""), ("cont", tarfile.CONTTYPE, ""), ("odd", b"Z", "")):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, link
            t.addfile(info)
    yield "kinds.tar", out.getvalue()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        twice = zipped([("a.txt", b"First."), ("a.txt", b"Second."), ("A.TXT", b"Third."), ("a.txt/", b""), ("a.txt/b.txt", b"Fourth.")])
    yield "twice.zip", twice


def length_tricks(documents):
    """Sizes, places and checksums in headers that say something else."""
    values = (0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFF, 0x10000)
    for base in ("plain.zip", "stored.zip", "known.epub", "known.docx"):
        data = documents.get(base)
        if not data:
            continue
        fields = [(m.start() + at, size) for m in re.finditer(b"PK\3\4", data) for at, size in ((6, 2), (8, 2), (14, 4), (18, 4), (22, 4), (26, 2), (28, 2))]
        fields += [(m.start() + at, size) for m in re.finditer(b"PK\1\2", data) for at, size in ((8, 2), (10, 2), (16, 4), (20, 4), (24, 4), (28, 2), (30, 2), (42, 4))]
        fields += [(m.start() + at, size) for m in re.finditer(b"PK\5\6", data) for at, size in ((8, 2), (10, 2), (12, 4), (16, 4), (20, 2))]
        for at, size in fields:
            for value in values:
                if value < 1 << 8 * size and at + size <= len(data):
                    yield "field-%d-%x-%s" % (at, value, base), data[:at] + value.to_bytes(size, "little") + data[at + size:]
    data = documents["plain.tar"]
    for header in range(0, min(len(data), 4096), 512):
        for at, size in ((100, 8), (124, 12), (136, 12), (148, 8), (156, 1), (257, 6)):
            for value in (b"", b"7" * size, b"\xff" * size, b"\x80" + b"\xff" * (size - 1), b"-1"):
                field = value[:size].ljust(size, b"\0")
                whole = bytearray(data)
                whole[header + at:header + at + size] = field
                if at != 148:  # with a checksum that fits
                    whole[header + 148:header + 156] = b" " * 8
                    whole[header + 148:header + 156] = b"%06o\0 " % sum(whole[header:header + 512])
                yield "field-%d-%s.tar" % (header + at, value[:2].hex()), bytes(whole)
    for extension in list(archives.ARCHIVES) + list(archives.SINGLE):  # numbers anywhere in the headers
        data = documents.get("plain." + extension) or documents["known.txt." + extension]
        start = 32768 if extension == "iso" else 0
        for at in range(start, min(len(data), start + 200), 3):
            for value in (b"\xff\xff\xff\xff", b"\0\0\0\x80"):
                yield "field-%d-%s.%s" % (at, value[:1].hex(), extension), data[:at] + value + data[at + 4:]
    whole = documents["plain.cpio"]  # a name and a text of 4 GiB, as far as the header goes
    for at in (54, 94):
        yield "huge-%d.cpio" % at, whole[:at] + b"FFFFFFFF" + whole[at + 8:]
    data = documents["known.txt.gz"]
    for at in list(range(12)) + list(range(len(data) - 8, len(data))):
        for value in (0, 0x7F, 0xFF):
            yield "field-%d-%x.txt.gz" % (at, value), data[:at] + bytes([value]) + data[at + 1:]
    for base in ("paper.pdf", "known.pdf", "open.pdf"):
        data = documents.get(base, b"")
        for m in re.finditer(rb"/(Length|Count|Size|Prev|Root|Kids|Parent|Type|Filter|W|First|N|FirstChar|LastChar|Contents|MediaBox|P|V|R) ?(\[?[\d/]\S*)", data):
            for value in (b"-1", b"0", b"99999999999999999999", b"2147483648", b"1 0 R", b"[]", b"<<>>", b"(", b"/X"):
                yield "value-%d-%s-%s" % (m.start(2), value.hex()[:8], base), data[:m.start(2)] + value + data[m.end(2):]
        for m in re.finditer(rb"\b(obj|endobj|stream|endstream|xref|trailer|startxref|%%EOF)\b", data):
            yield "lost-%d-%s" % (m.start(), base), data[:m.start()] + data[m.end():]


def pdf_loops():
    for name, data in (("tree", pdf.page_tree_loop()), ("xref", pdf.xref_loop())):
        yield "loop-%s.pdf" % name, data
    bodies = pdf.table().objects()
    for i, body in enumerate(bodies):
        for ref in set(re.findall(rb"\d+ 0 R", body)):
            yield "loop-%d-%s.pdf" % (i, ref.split()[0].decode()), pdf.PDF.file([b.replace(ref, b"%d 0 R" % (i + 1)) if b is body else b for b in bodies])
    form = (b"<< /Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << /XObject << /X 5 0 R /Y 5 0 R >> >> /Length 17 >>\nstream\n/X Do /Y Do /X Do\nendstream")
    yield "loop-form.pdf", pdf.PDF.file([b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Count 1 /Kids [4 0 R] >>", b"<< >>",
                                         b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << /XObject << /X 5 0 R >> >> /Contents 6 0 R >>",
                                         form, b"<< /Length 5 >>\nstream\n/X Do\nendstream"])
    yield "deep-array.pdf", pdf.PDF.file([b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Count 1 /Kids " + b"[" * 50000 + b" >>", b"<< >>"])
    yield "deep-dictionary.pdf", pdf.PDF.file([b"<< /Type /Catalog /Pages 2 0 R " + b"/A << " * 50000 + b" >>", b"<< >>", b"<< >>"])
    sized = pdf.PDF()
    sized.page((1e30, 1e30)).text(72, 700, "A page of endless size.")
    yield "size.pdf", sized.data()
    letters = pdf.PDF()
    letters.font("B", b"Helvetica", {c: "\ufb03" * 200 for c in range(32, 127)}, False)
    letters.page().text(72, 700, "a letter that stands for many " * 20, font="B")
    yield "letters.pdf", letters.data()
    controls = pdf.PDF(title="\x1b[31mred\x07</title>&a9;", author="a" * 100000)
    controls.font("C", b"Helvetica", {c: "\x1b[2J</word></page>&#0;" for c in range(32, 127)}, False)
    controls.page().text(72, 700, "controls", font="C")
    controls.page().text(72, 700, "A page of letters, though, with <b>marks</b> & signs.")
    yield "controls.pdf", controls.data()


def empty_things():
    for extension in EXTENSIONS:
        yield "empty." + extension, b""
        yield "blank." + extension, b" \n\t\r\n "
        yield "zeros." + extension, bytes(5000)
        yield "mark." + extension, b"\xef\xbb\xbf"
    for head in (b"PK\3\4", b"PK\5\6", b"%PDF-1.7", b"{\\rtf1", b"\x1f\x8b", b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07", b"\xfd7zXZ\0", b"BZh9", b"\x28\xb5\x2f\xfd", b"<?xml", b"<html", b"From ",
                 b"\\documentclass", b"!<arch>\n", b"070701", b"\x04\"M\x18", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"SQLite format 3\0", b"{\"nbformat\":", b"WEBVTT", b"---\n"):
        yield "head-%s" % head[:6].hex(), head
        yield "head-%s.pdf" % head[:6].hex(), head
        yield "head-%s-noise" % head[:6].hex(), head + random.Random(head).randbytes(3000)
    yield "empty-zip.zip", zipped([])
    yield "empty-members.zip", zipped([("a.txt", b""), ("b.epub", b""), ("c.pdf", b""), ("d/", b"")])
    yield "empty-tar.tar", bytes(10240)


def liars(documents):
    """What is in it is not what its name says."""
    for name, data in documents.items():
        for extension in ("txt", "pdf", "epub", "docx", "zip", "html", "gz", "rtf", "tex", "xml"):
            if len(data) < 200000 and not name.endswith("." + extension):
                yield "%s.%s" % (name.replace(".", "-"), extension), data


# ------------------------------------------------------------------------------------------- mutations

STRUCTURES = re.compile(rb"PK[\1-\10]|07070[17]|`\n|-lh\d-|CD001|MSCF|Rar!|\d+ \d+ obj|endobj|endstream|stream\r?\n|xref|trailer|startxref|<[/!?a-zA-Z]|\\[a-z]+|\n\n|\nFrom |\n--|[{}]")


def truncations(documents, rng):
    """Cut at every structure, and one byte before and behind: {name: places} would be tens of thousands; a fair share."""
    for name, data in documents.items():
        places = sorted({m.start() for m in STRUCTURES.finditer(data)} | set(range(0, min(len(data), 40))) | {len(data) - i for i in range(1, 30) if i < len(data)})
        if len(places) > 150:
            places = sorted(rng.sample(places, 150))
        for at in places:
            yield "cut-%d-%s" % (at, name), data[:at]


def mutate(data, rng):
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4, 16, 64))):
        if not data:
            break
        at, n = rng.randrange(len(data)), rng.choice((1, 1, 2, 4, 16, 100, 1000))
        kind = rng.randrange(9)
        if kind == 0:
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            data[at:at + n] = rng.randbytes(n)
        elif kind == 2:
            del data[at:at + n]
        elif kind == 3:
            data[at:at] = data[at:at + n] * rng.choice((1, 2, 50))
        elif kind == 4:
            data[at:at + n] = bytes(n)
        elif kind == 5:
            data[at:at + n] = b"\xff" * n
        elif kind == 6:
            other = rng.randrange(len(data))
            data[at:at + n], data[other:other + n] = data[other:other + n], data[at:at + n]
        elif kind == 7:
            data[at:at + 4] = struct.pack(rng.choice("<>") + "I", rng.choice((0, 1, 0x7FFFFFFF, 0xFFFFFFFF, len(data))))
        else:
            data[at:at] = rng.choice((b"<", b">", b"&", b"\"", b"\0", b"\x1b[31m", b"\xc0", b"]]>", b"<!--", b"endobj", b"{", b"}", b"\\", b"\n\n", b"PK\3\4"))
    return bytes(data[:4 << 20])


def mutations(documents, rng):
    names = sorted(documents)
    while True:
        name = rng.choice(names)
        data = documents[name]
        if len(data) > 400000:
            continue
        if rng.random() < 0.15:  # a head of one, a tail of another
            other = documents[rng.choice(names)]
            data = data[:rng.randrange(len(data))] + other[rng.randrange(len(other)):][:400000]
        yield "mutant-%s" % name, mutate(data, rng)


def seeds():
    """Cases that once failed."""
    folder = os.path.join(HERE, "seeds")
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as f:
            yield name, f.read()


def tricks(documents, rng):
    yield from bombs()
    yield from markup_tricks()
    yield from package_tricks()
    yield from text_tricks()
    yield from encoding_tricks()
    yield from name_tricks()
    yield from pdf_loops()
    yield from empty_things()
    yield from liars(documents)
    yield from length_tricks(documents)
    yield from truncations(documents, rng)


def cases(count, seed):
    """All seeds, then: as many tricks as `count` has room for (half of it at most; all when there is room), then mutants."""
    rng = random.Random(seed)
    whole = documents()
    number = 0

    def named(name, data):
        return "%05d-%s" % (number, name.replace("/", "_")[-120:]), data
    for name, data in seeds():
        yield named(name, data)
        number += 1
    chosen = list(tricks(whole, rng))
    if len(chosen) > count * 3 // 4:
        chosen = rng.sample(chosen, count * 3 // 4)
    for name, data in chosen:
        yield named(name, data)
        number += 1
    for name, data in mutations(whole, rng):
        if number >= count:
            break
        yield named(name, data)
        number += 1
