#!/usr/bin/env python3
"""Builds the sample archive from texts/: build.py [OUT]   (default: sample.zip beside this script)

The same texts give the same bytes on every machine: names are sorted, all times are 1 January 1980, and nothing is
compressed, since compressed bytes depend on the version of zlib. A folder with a book.json becomes an EPUB (one chapter per
.txt, its first paragraph the heading), the folder attic/ an archive inside the archive. Standard library only.
"""
import html
import io
import json
import os
import re
import sys
import tarfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
TEXTS = os.path.join(HERE, "texts")

CONTAINER = """<?xml version="1.0" encoding="UTF-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
  <rootfiles><rootfile full-path="OEBPS/content.opf" media-type="application/oebps-package+xml"/></rootfiles>
</container>
"""
PACKAGE = """<?xml version="1.0" encoding="UTF-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">
  <metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
    <dc:identifier id="id">{identifier}</dc:identifier>
    <dc:title>{title}</dc:title>
    <dc:creator>{author}</dc:creator>
    <dc:date>{date}</dc:date>
    <dc:language>{language}</dc:language>
    <meta property="dcterms:modified">1980-01-01T00:00:00Z</meta>
  </metadata>
  <manifest>
    <item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
{items}
  </manifest>
  <spine>
{spine}
  </spine>
</package>
"""
PAGE = """<?xml version="1.0" encoding="UTF-8"?>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" xml:lang="{language}">
<head><title>{title}</title></head>
<body>
{body}
</body>
</html>
"""


def read(path):
    with open(path, "rb") as f:
        return f.read()


def zip_of(members):
    """(name, bytes) pairs, in this order -> bytes of a zip archive."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, data in members:
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.create_system, entry.external_attr = 3, 0o100644 << 16
            archive.writestr(entry, data)
    return out.getvalue()


def tar_of(members):
    """(name, bytes) pairs, in this order -> bytes of a tar archive."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, data in members:
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime = len(data), 315532800
            archive.addfile(entry, io.BytesIO(data))
    return out.getvalue()


def epub_of(folder):
    """A folder with book.json and chapters 1.txt, 2.txt, ... -> bytes of an EPUB 3."""
    book = json.loads(read(os.path.join(folder, "book.json")))
    numbers = sorted(int(n[:-4]) for n in os.listdir(folder) if n.endswith(".txt"))
    chapters, headings = [], []
    for number in numbers:
        text = read(os.path.join(folder, "%d.txt" % number)).decode("utf-8")
        heading, *paragraphs = [html.escape(" ".join(p.split()), quote=False) for p in re.split(r"\n\s*\n", text.strip())]
        body = "\n".join(["<h1>%s</h1>" % heading] + ["<p>%s</p>" % p for p in paragraphs])
        headings.append(heading)
        chapters.append(("OEBPS/chapter%d.xhtml" % number, PAGE.format(language=book["language"], title=heading, body=body)))
    links = "".join('<li><a href="chapter%d.xhtml">%s</a></li>' % pair for pair in zip(numbers, headings))
    items = "\n".join('    <item id="c%d" href="chapter%d.xhtml" media-type="application/xhtml+xml"/>' % (n, n) for n in numbers)
    spine = "\n".join('    <itemref idref="c%d"/>' % n for n in numbers)
    pages = [("mimetype", "application/epub+zip"), ("META-INF/container.xml", CONTAINER),
             ("OEBPS/content.opf", PACKAGE.format(items=items, spine=spine, **book)),
             ("OEBPS/nav.xhtml", PAGE.format(language=book["language"], title=book["title"],
                                             body='<nav epub:type="toc"><ol>%s</ol></nav>' % links))] + chapters
    return zip_of([(name, text.encode()) for name, text in pages])


def members(folder, prefix=""):
    """What the archive holds of a folder: (name, bytes) pairs, sorted by name."""
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if not os.path.isdir(path):
            yield prefix + name, read(path)
        elif os.path.exists(os.path.join(path, "book.json")):
            yield prefix + name + ".epub", epub_of(path)
        elif name == "attic":
            yield prefix + name + ".tar", tar_of(members(path))
        else:
            yield from members(path, prefix + name + "/")


def main():
    out = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "sample.zip")
    with open(out, "wb") as f:
        f.write(zip_of(members(TEXTS)))


if __name__ == "__main__":
    main()
