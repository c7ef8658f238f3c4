"""pdf.py: a small writer of PDF files for the tests: text at places, columns of wrapped lines, and the ways in which
PDF files are odd, locked or broken. Python's standard library only.

    pdf = PDF(title="...", author="...")
    page = pdf.page()
    page.text(72, 720, "A line.", size=10)
    y = page.column(72, 700, 220, "A paragraph that is wrapped ...")
    pdf.write("paper.pdf")

Places are in points from the lower left corner of the page, as PDF has them. As a program: pdf.py FOLDER writes the
fixtures of test_corpus_pdf.c.
"""
import hashlib
import os
import sys
import zlib

PAGE_WIDTH, PAGE_HEIGHT = 612, 792
NARROW, WIDE = "fijlrt.,:;'!|()[]-/ I", "mwMWABCDEGHKNOQRUVXY"

# What stands for letters outside ASCII in the encoding of our fonts.
DIFFERENCES = {chr(c): (c, name) for c, name in [
    (0x80, "fi"), (0x81, "fl"), (0x82, "endash"), (0x83, "quoteright"), (0xAD, "softhyphen"), (0xC4, "Adieresis"), (0xD6, "Odieresis"),
    (0xDC, "Udieresis"), (0xDF, "germandbls"), (0xE4, "adieresis"), (0xE9, "eacute"), (0xF6, "odieresis"), (0xFC, "udieresis"),
    (0x84, "bullet")]}
SPECIAL = {"\ufb01": "\x80", "\ufb02": "\x81", "\u2013": "\x82", "\u2019": "\x83", "\u2022": "\x84"}
UNICODE = "U"  # a font with a code for every character of the first plane


def encode(text):
    return "".join(SPECIAL.get(c, c) for c in text).encode("latin-1")


def width_of(character):
    return 278 if character in NARROW else 722 if character in WIDE else 500


def width(text, size):
    return sum(width_of(c) for c in text) * size / 1000


def wrap(text, room, size, indent=0):
    """Words -> lines no wider than room, the first one less by indent. A word may be broken where a soft hyphen stands
    in it: "inde\u00adpendent"."""
    lines, line = [], ""
    for word in text.split(" "):
        parts = word.split("\u00ad")
        while True:
            left = room - (indent if not lines else 0)
            whole = (line + " " + "".join(parts)).strip()
            if width(whole, size) <= left or not line and len(parts) == 1:
                line = whole
                break
            for cut in range(len(parts) - 1, 0, -1):
                head = (line + " " + "".join(parts[:cut]) + "-").strip()
                if width(head, size) <= left:
                    lines.append(head)
                    line, parts = "", parts[cut:]
                    break
            else:
                if not line:
                    parts = ["".join(parts)]
                    continue
                lines.append(line)
                line = ""
    return lines + [line] if line else lines


def string(data):
    return b"(" + data.replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)").replace(b"\r", b"\\r") + b")"


class Page:
    def __init__(self, size):
        self.size, self.content = size, []

    def raw(self, data):
        self.content.append(data)

    def text(self, x, y, text, size=10, font="F1", spread=0):
        """One line; spread: points added to each space, so that it is justified."""
        if font != UNICODE:
            self.raw(b"BT /%s %g Tf %g Tw 1 0 0 1 %g %g Tm %s Tj ET" % (font.encode(), size, spread, x, y, string(encode(text))))
            return
        for word in text.split(" "):  # word spacing is for fonts with codes of one byte only
            self.raw(b"BT /%s %g Tf 1 0 0 1 %g %g Tm <%s> Tj ET" % (font.encode(), size, x, y, word.encode("utf-16-be").hex().encode()))
            x += width(word + " ", size) + spread

    def lines(self, x, y, lines, room, size=10, leading=None, indent=0, justify=True, font="F1"):
        """Lines below each other; returns the place of the next one."""
        for i, line in enumerate(lines):
            start = indent if i == 0 else 0
            spaces = line.count(" ")
            spread = (room - start - width(line, size)) / spaces if justify and spaces and i + 1 < len(lines) else 0
            self.text(x + start, y, line, size, font, spread)
            y -= leading or size * 1.2
        return y

    def column(self, x, y, room, text, size=10, leading=None, indent=0, justify=True, font="F1"):
        """A paragraph; returns the place of the next one."""
        lines = wrap(text, room, size, indent)
        return self.lines(x, y, lines, room, size, leading, indent, justify, font)


class PDF:
    def __init__(self, title=None, author=None, date=None):
        self.pages, self.info, self.fonts = [], {}, {}
        for key, value in (("Title", title), ("Author", author), ("CreationDate", date)):
            if value is not None:
                self.info[key] = value
        self.font("F1", b"Helvetica")
        self.font("F2", b"Times-Roman")

    def font(self, name, base, to_unicode=None, differences=True, widths=True):
        """to_unicode: {code: text}, {} for an empty map, None for none."""
        self.fonts[name] = (base, to_unicode, differences, widths)

    def page(self, size=(PAGE_WIDTH, PAGE_HEIGHT)):
        self.pages.append(Page(size))
        return self.pages[-1]

    # ------------------------------------------------------------------------------------------ objects

    @staticmethod
    def stream(data, packed=True, extra=b""):
        if packed:
            data, extra = zlib.compress(data), extra + b"/Filter /FlateDecode "
        return b"<< %s/Length %d >>\nstream\n%s\nendstream" % (extra, len(data), data)

    @staticmethod
    def cmap(codes):
        rows = b"".join(b"<%02x> <%s>\n" % (code, text.encode("utf-16-be").hex().encode()) for code, text in codes.items())
        return (b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Own def\n"
                b"1 begincodespacerange <00> <ff> endcodespacerange\n%d beginbfchar\n%sendbfchar\n"
                b"endcmap end end" % (len(codes), rows))

    CMAP_OF_ALL = (b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /All def\n"
                   b"1 begincodespacerange <0000> <ffff> endcodespacerange\n1 beginbfrange\n<0000> <ffff> <0000>\n"
                   b"endbfrange\nendcmap end end")

    def objects(self, packed=True):
        """Bodies by number from 1: catalog, pages, info, then fonts and pages."""
        bodies = [b"<< /Type /Catalog /Pages 2 0 R >>", None, None]

        def add(body):
            bodies.append(body)
            return len(bodies)

        names = []
        for name, (base, to_unicode, differences, widths) in self.fonts.items():
            font = b"/Type /Font /Subtype /Type1 /BaseFont /%s" % base
            if differences:
                rows = b" ".join(b"%d /%s" % (code, glyph.encode()) for code, glyph in sorted(DIFFERENCES.values()))
                font += b" /Encoding << /Type /Encoding /BaseEncoding /WinAnsiEncoding /Differences [%s] >>" % rows
            if widths:
                font += b" /FirstChar 32 /LastChar 255 /Widths [%s]" % b" ".join(b"%d" % width_of(chr(c)) for c in range(32, 256))
            if to_unicode is not None:
                font += b" /ToUnicode %d 0 R" % add(self.stream(self.cmap(to_unicode), packed))
            names.append(b"/%s %d 0 R" % (name.encode(), add(b"<< " + font + b" >>")))
        to_all = add(self.stream(self.CMAP_OF_ALL, packed))
        descendant = add(b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Helvetica /DW 500 /W [%s] /CIDSystemInfo << /Registry (Adobe) "
                         b"/Ordering (Identity) /Supplement 0 >> >>" % b" ".join(b"%d [%d]" % (c, width_of(chr(c))) for c in range(32, 0x180)))
        names.append(b"/U %d 0 R" % add(b"<< /Type /Font /Subtype /Type0 /BaseFont /Helvetica /Encoding /Identity-H /DescendantFonts "
                                        b"[%d 0 R] /ToUnicode %d 0 R >>" % (descendant, to_all)))
        resources = b"<< /Font << %s >> >>" % b" ".join(names)
        kids = []
        for page in self.pages:
            content = add(self.stream(b"\n".join(page.content), packed))
            kids.append(b"%d 0 R" % add(b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %g %g] /Resources %s /Contents %d 0 R >>"
                                        % (page.size[0], page.size[1], resources, content)))
        bodies[1] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(kids), b" ".join(kids))
        bodies[2] = b"<< %s >>" % b" ".join(b"/%s %s" % (k.encode(), string(v if isinstance(v, bytes) else encode(v)))
                                            for k, v in self.info.items())
        return bodies

    @staticmethod
    def file(bodies, trailer=b"", version=b"1.4"):
        out, places = b"%%PDF-%s\n%%\xe2\xe3\xcf\xd3\n" % version, []
        for number, body in enumerate(bodies, 1):
            places.append(len(out))
            out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
        table = b"xref\n0 %d\n0000000000 65535 f \n" % (len(places) + 1) + b"".join(b"%010d 00000 n \n" % p for p in places)
        return out + table + b"trailer\n<< /Size %d /Root 1 0 R /Info 3 0 R %s>>\nstartxref\n%d\n%%%%EOF\n" % (len(places) + 1, trailer, len(out))

    def data(self, packed=True):
        return self.file(self.objects(packed))

    def write(self, path, packed=True):
        with open(path, "wb") as out:
            out.write(self.data(packed))


# -------------------------------------------------------------------------------------------- odd ones

def rc4(key, data):
    state, j, out, i = list(range(256)), 0, bytearray(), 0
    for n in range(256):
        j = (j + state[n] + key[n % len(key)]) % 256
        state[n], state[j] = state[j], state[n]
    j = 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)


PAD = bytes.fromhex("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a")


def encrypted(pdf, user=b"", owner=b"owner", permissions=-4):
    """The standard handler, revision 2: opens with the user's password. Strings and streams are locked."""
    ident = b"0123456789abcdef"
    padded = (user + PAD)[:32]
    owner_entry = rc4(hashlib.md5((owner + PAD)[:32]).digest()[:5], padded)
    key = hashlib.md5(padded + owner_entry + (permissions & 0xFFFFFFFF).to_bytes(4, "little") + ident).digest()[:5]
    bodies = []
    for number, body in enumerate(pdf.objects(), 1):
        salted = hashlib.md5(key + number.to_bytes(3, "little") + b"\0\0").digest()[:10]
        head, mark, rest = body.partition(b"stream\n")
        if mark:
            content = rest[:-len(b"\nendstream")]
            body = head + mark + rc4(salted, content) + b"\nendstream"
        bodies.append(body)
    bodies[2] = b"<< >>"
    lock = b"/Encrypt << /Filter /Standard /V 1 /R 2 /O <%s> /U <%s> /P %d >> /ID [<%s> <%s>] " % (
        owner_entry.hex().encode(), rc4(key, PAD).hex().encode(), permissions, ident.hex().encode(), ident.hex().encode())
    return PDF.file(bodies, lock)


def pictures(pages=2):
    """Scanned: nothing but a picture on each page."""
    pdf = PDF()
    for _ in range(pages):
        pdf.page().raw(b"q 400 0 0 500 100 100 cm BI /W 4 /H 4 /CS /G /BPC 8 ID 0123456789abcdef EI Q")
    return pdf.data()


def shifted(text):
    """Glyph numbers of a subset font without any way back to letters: no ToUnicode, spaces included."""
    return bytes(c - 29 for c in text.encode())


def bomb(megabytes=200):
    """A content stream that is a thousand times larger than its file."""
    pdf = PDF()
    pdf.page().raw(b"BT /F1 10 Tf 72 700 Td (Before the bomb.) Tj ET\n" + b" " * (megabytes << 20))
    return pdf.data()


def page_tree_loop():
    pdf = PDF()
    pdf.page().text(72, 700, "The ring road has no end.")
    bodies = pdf.objects()
    bodies[1] = bodies[1].replace(b" 0 R]", b" 0 R 2 0 R]").replace(b"/Count 1", b"/Count 3")
    return PDF.file(bodies)


def xref_loop():
    pdf = PDF()
    pdf.page().text(72, 700, "The table leads back to itself.")
    data = pdf.data()
    at = data.rindex(b"startxref\n") + 10
    place = data[at:data.index(b"\n", at)]
    return data.replace(b"/Info 3 0 R ", b"/Info 3 0 R /Prev " + place + b" ")


# -------------------------------------------------------------------------------------------- fixtures

HEAD = "Annals of Drainage"
PARTS = [
    ["The sluices of Harrow Fen were counted twice before the winter, since the ledger of the board named forty of them.",
     "Whoever walks along the dyke sees the doors of oak, the chains and the wheels, and the white marks that tell how high "
     "the water stood in the year of the inde\u00adpendent survey. Each mark has a name that chil\u00addren learn by heart, and "
     "that strangers mis\u00adspell.",
     "The northern marks are older than the southern ones."],
    ["At the mill the dyke turns to the east and meets the old road, which nobody mends any more.",
     "Carts go by the bridge that was built for them in the second year of the frost, when the ice carried the old one to the "
     "sea and laid it on the beach of Thorn, where it served the fishers as a shed for their nets and lamps.",
     "It stands there still."],
    ["Of the keepers eleven could write, and the others drew what they saw.",
     "Their drawings fill three shelves: herons, barges, a fox upon the ice, the lights in the windows of the mill, and over "
     "and over again the water itself, which is hard to draw because it never stands still for anybody at all.",
     "The board has never shown them."],
]


def paper():
    """Two columns on three pages, drawn row by row across the gutter; running heads, page numbers, a note. The second
    paragraph goes on in the right column."""
    pdf = PDF(title="On Sluices", author="Ada Fenn; Bo Marsh and Cy Dyke", date="D:20210304050607Z")
    for number, texts in enumerate(PARTS):
        page = pdf.page()
        page.text(72, 760, HEAD, 8)
        page.text(470, 760, "%d (2021)" % (number + 12), 8)
        page.text(300, 40, str(number + 217), 9)
        top = 720
        if number == 0:
            page.text(150, 720, "On the Sluices of Harrow Fen", 18)
            top = 680
        page.text(72, top, "%d. Part %s" % (number + 1, "ABC"[number]), 12)
        lines = [(12 if i == 0 else 0, line) for text in texts for i, line in enumerate(wrap(text, 210, 10, 12))]
        half = len(wrap(texts[0], 210, 10, 12)) + 3
        for row in range(max(half, len(lines) - half)):
            for x, start, side in ((72, top - 18, lines[:half]), (330, top, lines[half:])):
                if row < len(side):
                    indent, line = side[row]
                    last = line.endswith(".")
                    spread = 0 if last else (210 - indent - width(line, 10)) / line.count(" ")
                    page.text(x + indent, start - 12 * row, line, spread=spread)
        if number == 1:
            page.text(72, 84, "* Told by a keeper of the lock.", 7)
    return pdf


def notes():
    pdf = PDF()
    page = pdf.page()
    page.text(72, 700, "The widow paid in eggs")
    page.text(72 + width("The widow paid in eggs", 10), 703.5, "3", 6)
    page.text(72 + width("The widow paid in eggs", 10) + width("3", 6), 700, " until the frost came,")
    page.text(72, 688, "and in candles afterwards.")
    page.text(84, 676, "The next paragraph begins here.")
    page.text(72, 100, "3", 5)
    page.text(76, 98, "Of which half were broken,", 7)
    page.text(72, 89, "as the ledger says.", 7)
    return pdf


def table():
    pdf = PDF()
    page = pdf.page()
    y = page.column(72, 700, 400, "The counts of the three locks are given below for the year in which the weir was mended, as the "
                                  "keepers wrote them down.")
    y -= 10
    for row in (("Lock", "Keeper", "Gates"), ("Upper Dyke", "Holt", "12"), ("Lower Dyke", "Marsh", "7"), ("Mill Race", "Fenn", "23")):
        for cell, x in zip(row, (72, 190, 300)):
            page.text(x, y, cell)
        y -= 13
    page.column(72, y - 10, 400, "Nobody has counted them since, although the board asks for it every spring in the same words.")
    return pdf


def hyphens():
    pdf = PDF()
    page = pdf.page()
    lines = ["The weaver had many capabili-", "ties, and her well-known loom was", "the best-", "known one. Her name, A-", "Marsh, and a X-",
             "Ray were soft\u00ad", "ened by well-", "known friends."]
    page.lines(72, 700, lines, 200, justify=False)
    return pdf


def ligatures():
    pdf = PDF()
    pdf.font("L", b"Helvetica", {**{c: chr(c) for c in range(32, 127)}, 1: "\ufb01", 2: "\ufb02", 3: "ffi"}, False)
    pdf.page().raw(b"BT /L 10 Tf 72 700 Td (The o\\003cer \\001led a \\002our.) Tj ET")
    return pdf


def broken_map():
    """A page of letters, and one whose font maps them to the private use area."""
    pdf = PDF()
    pdf.font("P", b"Helvetica", {c: chr(0xE000 + c) for c in range(32, 127)}, False)
    pdf.page().text(72, 700, "A page that can be read.")
    pdf.page().text(72, 700, "A page that cannot be read by anybody.", font="P")
    return pdf


def no_map():
    """Numbers of glyphs as pdftotext gives them when nothing says what they are, word by word."""
    pdf = PDF()
    y = 700
    page = pdf.page()
    for line in ("The sealed page cannot be read back by anybody at all", "because the numbers of its glyphs are no letters"):
        x = 72
        for word in line.split():
            page.text(x, y, shifted(word).decode("latin-1"))
            x += 60
        y -= 14
    return pdf


def sideways():
    pdf = PDF()
    page = pdf.page()
    for x, line in ((100, "The wide table was printed"), (114, "sideways in the second edition.")):
        page.raw(b"BT /F1 10 Tf 0 1 -1 0 %d 90 Tm %s Tj ET" % (x, string(line.encode())))
    page.text(72, 760, "An upright line.")
    return pdf


def untitled():
    pdf = PDF(title="paper.dvi")
    pdf.page().text(72, 700, "A page without a title.")
    return pdf


def damaged_page():
    """The stream of the first page is packed, and broken in the middle."""
    pdf = PDF()
    page = pdf.page()
    for i in range(40):
        page.text(72, 740 - 12 * i, "Row %d of the long list of keepers holds the number %d." % (i, i * i * 7919 % 1000))
    pdf.page().text(72, 700, "The second page is whole.")
    data = bytearray(pdf.data())
    end = data.rindex(b"endstream", 0, data.index(b"/MediaBox"))  # of the first page's content
    for i in range(end - 250, end - 210):
        data[i] ^= 0x5A
    return bytes(data)


def main(folder):
    os.makedirs(folder, exist_ok=True)

    def save(name, content):
        with open(os.path.join(folder, name), "wb") as out:
            out.write(content if isinstance(content, bytes) else content.data())

    whole = paper().data()
    for name, content in (("paper", whole), ("notes", notes()), ("table", table()), ("hyphens", hyphens()), ("ligatures", ligatures()),
                          ("broken-map", broken_map()), ("no-map", no_map()), ("sideways", sideways()), ("pictures", pictures()),
                          ("locked", encrypted(paper(), user=b"secret")), ("open", encrypted(table())),
                          ("page-tree-loop", page_tree_loop()),
                          ("xref-loop", xref_loop()), ("bomb", bomb()), ("cut", whole[:len(whole) * 2 // 3]), ("cut-early", whole[:300]),
                          ("late-mark", b"\n" * 500 + table().data()), ("lost-table", whole.replace(b"startxref\n", b"startxref\n9")),
                          ("untitled", untitled()), ("no-pages", PDF()), ("damaged-page", damaged_page())):
        save(name + ".pdf", content)


if __name__ == "__main__":
    main(sys.argv[1])
