"""Seeds for fuzz_pdf: seeds_pdf.py FOLDER. Pages as `pdftotext -bbox-layout` tells them."""
import os
import sys


def word(text, x, y, size=10):
    return '<word xMin="%g" yMin="%g" xMax="%g" yMax="%g">%s</word>\n' % (x, y, x + len(text) * size / 2, y + size, text)


def line(text, x, y, size=10):
    out = ""
    for part in text.split():
        out += word(part, x, y, size)
        x += (len(part) + 1) * size / 2
    return "<line>%s</line>\n" % out


def page(*lines):
    return '<page width="600" height="800">\n<flow><block>%s</block></flow></page>\n' % "".join(lines)


def save(name, *pages):
    head = ('<html><head><title>On &amp; off</title><meta name="Author" content="A; B and C"/>'
            '<meta name="CreationDate" content="2021-03-04T00:00:00Z"/></head><body><doc>')
    with open(os.path.join(sys.argv[1], name), "w") as f:
        f.write(head + "".join(pages) + "</doc></body></html>")


PROSE = "the sluices of harrow fen were counted twice before win- ter since the board named for\u00ad ty of them".split()


def column(x, y, n):
    return "".join(line(" ".join(PROSE[i * 4 % 16:i * 4 % 16 + 5]), x + (12 if i % 5 == 0 else 0), y + 12 * i) for i in range(n))


save("columns", *[page(line("Annals %d" % i, 72, 30, 8), line("A title", 200, 60, 18), column(72, 100, 12), column(330, 94, 14), line(str(i), 300, 770))
                  for i in range(3)])
save("table", page(column(72, 100, 3), *[line(cell, x, 200 + 12 * r) for r in range(4) for cell, x in (("Mill", 72), ("12", 190), ("7", 300))], column(72, 300, 3)))
save("note", page("<line>" + word("eggs", 72, 100) + word("3", 92, 98, 5) + word("until", 100, 100) + "</line>\n", line("frost.", 72, 112), line("3 Half broken.", 72, 700, 7)))
save("sideways", page("<line>" + "".join('<word xMin="90" yMin="%d" xMax="100" yMax="%d">%s</word>' % (y, y + 40, w) for y, w in ((500, "turned"), (450, "line"))) + "</line>"))
save("hebrew", page("<line>" + word("\u05ea\u05d5(12)", 72, 100) + word("abc", 120, 100) + word("\u05dc\u05e9", 160, 100) + "</line>"))
save("shapes", page(line("of\ufb01ce \ufb03 \ufefb \ufdfa \ue001\ue002\x01", 72, 100), line("\u2022 item", 72, 120), line("\u2022 other", 72, 132), line("VHDOHG SDJH", 72, 150)))
