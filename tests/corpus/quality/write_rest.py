"""Writers of reStructuredText, Jupyter notebooks, subtitles, mail and mailboxes."""
import base64
import gzip
import json
import quopri
import textwrap

import known
from write_web import html_body, markdown, notes_of, save

# ------------------------------------------------------------ reStructuredText

def rst_piece(piece):
    if isinstance(piece, str):
        return piece
    kind, content = piece
    if kind == "note":
        return " [%d]_" % known.NUMBER[content]
    return {"strong": "**%s**", "emphasis": "*%s*"}[kind] % content


def rst(folder):
    out = [":Title: %s\n:Authors: %s\n:Date: %s" % (known.TITLE, "; ".join(known.AUTHORS), known.DATE), ".. contents::\n   :depth: 2"]
    for block in known.DOCUMENT:
        if block[0] == "heading":
            out.append(block[2] + "\n" + "=-"[block[1] - 1] * len(block[2]))
        elif block[0] == "paragraph":
            out.append(textwrap.fill("".join(rst_piece(p) for p in block[1]), 78))
            out += [".. [%d] %s" % (known.NUMBER[n], textwrap.fill(n, 60).replace("\n", "\n   ")) for n in notes_of(block)]
        elif block[0] == "list":
            out.append("\n".join("- " + item for item in block[1]))
        elif block[0] == "table":
            border = "+".join(["", "-" * 12, "-" * 12, "-" * 12, ""])
            rows = ["|" + "|".join(" %-11s" % cell for cell in row) + "|" for row in block[1]]
            out.append("\n".join([border] + [line for row in rows for line in (row, border)]))
        elif block[0] == "equation":
            out.append(".. math:: " + known.EQUATIONS[block[1]])
    return save(folder, "known.rst", "\n\n".join(out) + "\n\n.. _target: http://example.invalid/\n.. A comment.\n")


# ---------------------------------------------------------------- notebooks

def notebook(folder):
    with open(markdown(folder), encoding="utf-8") as f:
        text = f.read().split("---\n\n", 1)[1]
    cells = [{"cell_type": "markdown", "metadata": {}, "source": ("#" + part).splitlines(True)}
             for part in ("\n" + text).split("\n#")[1:]]
    metadata = {"title": known.TITLE, "authors": [{"name": a} for a in known.AUTHORS], "kernelspec": {"name": "python3"}}
    return save(folder, "known.ipynb", json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}))


# ---------------------------------------------------------------- subtitles

SPOKEN = [" ".join(block.split("\n")) for block in known.expected()]


def clock(seconds, mark):
    return "%02d:%02d:%02d%s%03d" % (seconds // 3600, seconds // 60 % 60, seconds % 60, mark, 0)


def titles():
    """(start, end, [line, ...]): two lines at a time, a pause between the blocks."""
    at = 0
    for block in SPOKEN:
        lines = textwrap.wrap(block, 38, break_long_words=False, break_on_hyphens=False)
        for i in range(0, len(lines), 2):
            yield at, at + 3, lines[i:i + 2]
            at += 4
        at += 10


def srt(folder):
    return save(folder, "known.srt", "".join("%d\r\n%s --> %s\r\n%s\r\n\r\n" % (
        i + 1, clock(start, ","), clock(end, ","), "\r\n".join("<i>%s</i>" % line for line in lines))
        for i, (start, end, lines) in enumerate(titles())))


def vtt(folder):
    return save(folder, "known.vtt", "WEBVTT\n\nNOTE made for a test\n\nSTYLE\n::cue { color: red }\n\n" + "".join(
        "cue-%d\n%s --> %s align:start\n<v Ada>%s</v>\n\n" % (i, clock(start, "."), clock(end, "."), "\n".join(lines))
        for i, (start, end, lines) in enumerate(titles())))


def ass(folder):
    def hundredths(seconds):
        return clock(seconds, ".")[1:-1]
    return save(folder, "known.ass", "[Script Info]\nTitle: %s\n\n[V4+ Styles]\nFormat: Name\nStyle: Default\n\n[Events]\nFormat: Layer, "
                "Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n%s" % (known.TITLE, "".join(
                    "Dialogue: 0,%s,%s,Default,,0,0,0,,{\\an8}%s\n" % (hundredths(start), hundredths(end), "\\N".join(lines))
                    for start, end, lines in titles())))


# -------------------------------------------------------------------- mail

def message():
    """Plain text in quoted-printable and the same as a page; the text is wrapped as mail programs do."""
    plain = "\r\n\r\n".join("\r\n".join(block.split("\n")) if "\n" in block else
                            "\r\n".join(textwrap.wrap(block, 72, break_on_hyphens=False)) for block in known.expected())
    subject = "=?utf-8?B?%s?=" % base64.b64encode(known.TITLE.encode()).decode()
    sender = "=?utf-8?Q?%s?=" % quopri.encodestring(known.AUTHORS[1].encode(), header=True).decode()
    return "\r\n".join([
        "Received: from mill.invalid", "From: %s <bjorn@mill.invalid>" % sender, "To: ada@mill.invalid", "Subject: " + subject,
        "Date: Fri, 17 May 2019 10:20:30 +0200", "MIME-Version: 1.0", 'Content-Type: multipart/mixed;\r\n boundary="outer"', "",
        "This is a message of several parts.", "--outer", "Content-Type: multipart/alternative; boundary=inner", "", "--inner",
        "Content-Type: text/html; charset=utf-8", "", "<html><body>%s</body></html>" % html_body(), "--inner",
        "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: quoted-printable", "",
        quopri.encodestring(plain.encode()).decode().replace("\r\n", "\n").replace("\n", "\r\n"), "--inner--", "--outer--", ""])


def mail(folder):
    return save(folder, "known.eml", message())


def mailbox(folder):
    return save(folder, "known.mbox", "From bjorn@mill.invalid Fri May 17 10:20:30 2019\n%s\n" % message().replace("\r\n", "\n"))


# ------------------------------------------------------------------- packed

def packed(folder):
    with open(markdown(folder), "rb") as f:
        return save(folder, "packed.md.gz", gzip.compress(f.read()))


TITLES = {"expected": SPOKEN, "format": "subtitles", "title": None, "authors": None, "date": None}
LETTER = {"authors": known.AUTHORS[1:]}
CASES = {"rst": rst, "notebook": notebook, "srt": srt, "vtt": vtt, "ass": ass, "mail": mail, "mbox": mailbox, "markdown.gz": packed}
FACTS = {"notebook": {"date": None}, "srt": TITLES, "vtt": TITLES, "ass": dict(TITLES, title=known.TITLE), "mail": LETTER,
         "mbox": dict(LETTER, format="mail"), "markdown.gz": {"format": "markdown"}}
