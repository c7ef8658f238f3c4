"""Seeds for fuzz_walk: seeds_walk.py FOLDER."""
import bz2
import gzip
import io
import lzma
import os
import sys
import tarfile
import zipfile


def make_zip(parts, method=zipfile.ZIP_STORED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as z:
        for name, data in parts:
            z.writestr(name, data)
    return out.getvalue()


def make_tar(parts, mode):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as t:
        for name, data in parts:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            t.addfile(info, io.BytesIO(data))
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        t.addfile(link)
    return out.getvalue()


TEXTS = [("a.txt", b"A text."), ("b/c.md", b"# Head\n\ntext"), ("d.html", b"<p>page"), (".DS_Store", b"x")]
INNER = make_zip(TEXTS)
CPIO = b"".join(b"070701" + (b"%08X" * 13) % (1, 0o100644, 0, 0, 1, 0, len(d), 0, 0, 0, 0, len(n) + 1, 0) + n + b"\0"
                + b"\0" * (-(110 + len(n) + 1) % 4) + d + b"\0" * (-len(d) % 4)
                for n, d in ((b"a.txt", b"text"), (b"TRAILER!!!", b"")))
AR = b"!<arch>\n" + b"%-16s%-12d%-6d%-6d%-8o%-10d`\n" % (b"a.txt/", 0, 0, 0, 0o100644, 4) + b"text"
SEEDS = {
    "zip": INNER,
    "deflated": make_zip(TEXTS, zipfile.ZIP_DEFLATED),
    "nested": make_zip([("in.zip", INNER), ("in.tar.gz", make_tar(TEXTS, "w:gz")), ("z.txt.gz", gzip.compress(b"text"))]),
    "tar": make_tar(TEXTS, "w"),
    "tex": make_tar([("m.tex", b"\\documentclass{a}\\input{x}\\begin{document}A \\input{d/b}\\bibliography{r}\\end{document}"),
                     ("x.tex", b"\\def\\y{z}%"), ("d/b.tex", b"B \\y \\input{../x}\\input{m}"), ("m.bbl", b"\\bibitem{k}")], "w"),
    "tgz": make_tar([("in.zip", INNER)], "w:gz"),
    "bz2": bz2.compress(b"text"),
    "xz": lzma.compress(b"text"),
    "lzma": lzma.compress(b"text", lzma.FORMAT_ALONE),
    "layers": gzip.compress(bz2.compress(lzma.compress(b"text"))),
    "names": make_zip([("\u00fc.txt", b"x"), ("../x.txt", b"x")]),
    "cpio": CPIO,
    "ar": AR,
    "text": b"plain text",
    "pdf": b"%PDF-1.7",
    "7z": b"7z\xbc\xaf\x27\x1c\0\4" + b"\0" * 24,
    "rar": b"Rar!\x1a\x07\0\xcf\x90\x73\0\0\x0d\0\0\0\0\0\0\0",
}

for name, data in SEEDS.items():
    with open(os.path.join(sys.argv[1], name), "wb") as f:
        f.write(data)
