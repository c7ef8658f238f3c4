"""pdf_structure.py: cases of pdf_cases.py: files that are odd, locked, damaged, or hostile below their pages."""
import zlib

from pdf import PDF, encrypted, pictures, string
from pdf_case import case, one_page

UNTOLD = "its letters cannot be told: its fonts do not say which characters they show"


def with_objects(document, change):
    """The file after change(bodies), which may return what goes into its trailer."""
    bodies = document.objects(packed=False)
    trailer = change(bodies) or b""
    return PDF.file(bodies, trailer)


def line(text="The keeper of the lock writes it down.", **info):
    document, page = one_page(**info)
    page.text(72, 700, text)
    return document


# -------------------------------------------------------------------------------------------------------- fonts

def foreign(encoding, ordering, codes):
    """Text in a font that is not in the file."""
    document, page = one_page()
    page.raw(b"BT /W 12 Tf 72 700 Td <%s> Tj ET" % codes.hex().encode())

    def change(bodies):
        bodies += [b"<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong /DW 1000 /CIDSystemInfo << /Registry (Adobe) /Ordering "
                   b"(%s) /Supplement 2 >> /FontDescriptor %d 0 R >>" % (ordering, len(bodies) + 2),
                   b"<< /Type /FontDescriptor /FontName /STSong /Flags 4 /FontBBox [0 0 1000 1000] /ItalicAngle 0 /Ascent 800 "
                   b"/Descent -200 /StemV 80 >>",
                   b"<< /Type /Font /Subtype /Type0 /BaseFont /STSong /Encoding /%s /DescendantFonts [%d 0 R] >>" % (encoding, len(bodies) + 1)]
        for i, body in enumerate(bodies):
            bodies[i] = body.replace(b"/Font << ", b"/Font << /W %d 0 R " % len(bodies))
    return with_objects(document, change)


@case(status="skipped")
def glyphs_of_a_font_that_is_not_there():
    return foreign(b"Identity-H", b"Identity", bytes(sum(([0, c - 29] for c in b"The sealed page cannot be read back by anybody at all"), [])))


def drawn_font(names):
    """A font of drawings (Type 3), whose glyphs have these names."""
    document, page = one_page()
    page.raw(b"BT /D 10 Tf 72 700 Td (%s) Tj ET" % bytes(range(1, len(names) + 1)).replace(b"\x0a", b"\\n").replace(b"\x0d", b"\\r"))

    def change(bodies):
        drawing = b"1000 0 0 0 750 750 d1 0 0 750 750 re f"
        bodies.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawing), drawing))
        glyphs = b" ".join(b"/%s %d 0 R" % (name, len(bodies)) for name in dict.fromkeys(names))
        bodies.append(b"<< /Type /Font /Subtype /Type3 /FontBBox [0 0 750 750] /FontMatrix [0.001 0 0 0.001 0 0] /CharProcs << %s >> "
                      b"/Encoding << /Type /Encoding /Differences [1 %s] >> /FirstChar 1 /LastChar %d /Widths [%s] >>"
                      % (glyphs, b" ".join(b"/" + name for name in names), len(names), b" ".join([b"1000"] * len(names))))
        for i, body in enumerate(bodies):
            bodies[i] = body.replace(b"/Font << ", b"/Font << /D %d 0 R " % len(bodies))
    return with_objects(document, change)


@case("thelocks")
def drawings_with_names():
    return drawn_font([c.encode() for c in "thelocks"])


@case(status="skipped", reason=UNTOLD)
def drawings_without_names():
    return drawn_font([b"g%d" % (i % 20) for i in range(60)])


@case("The words below a picture can be found.")
def words_below_a_picture():
    document, page = one_page()
    page.raw(b"q 400 0 0 500 100 100 cm BI /W 4 /H 4 /CS /G /BPC 8 ID 0123456789abcdef EI Q")
    page.raw(b"BT 3 Tr /F1 10 Tf 72 700 Td (The words below a picture can be found.) Tj ET")
    return document


@case("The word is office.")
def text_that_replaces_glyphs():
    document, page = one_page()
    page.raw(b"BT /F1 10 Tf 72 700 Td (The word is ) Tj /Span << /ActualText (office.) >> BDC (o###ce.) Tj EMC ET")
    return document


# -------------------------------------------------------------------------------------------------------- pages

@case("The keeper of the lock writes it down.\n\nAnd the clerk reads it.", status="partial", reason="4 of 6 pages have no text: empty or scanned pictures")
def pages_of_pictures_between():
    document = PDF()
    for text in ("The keeper of the lock writes it down.", None, None, None, None, "And the clerk reads it."):
        page = document.page()
        if text:
            page.text(72, 700, text)
        else:
            page.raw(b"q 400 0 0 500 100 100 cm BI /W 4 /H 4 /CS /G /BPC 8 ID 0123456789abcdef EI Q")
    return document


def turned(degrees):
    document, page = one_page()
    y = page.column(72, 500, 300, "The page is turned and its lines are turned against it, as a scanner does that takes them from the side.")
    page.text(72, y - 20, "It reads as if it stood upright.")
    places = {90: b"0 1 -1 0 612 0", 180: b"-1 0 0 -1 612 792", 270: b"0 -1 1 0 0 792"}[degrees]
    page.content = [b"q %s cm" % places] + page.content + [b"Q"]
    return with_objects(document, lambda bodies: turn(bodies, degrees))


def turn(bodies, degrees):
    for i, body in enumerate(bodies):
        bodies[i] = body.replace(b"/MediaBox", b"/Rotate %d /MediaBox" % degrees)


READ = ("The page is turned and its lines are turned against it, as a scanner does that takes them from the side.\n\n"
        "It reads as if it stood upright.")


@case(READ)
def turned_by_90():
    return turned(90)


@case(READ)
def turned_by_180():
    return turned(180)


@case(READ)
def turned_by_270():
    return turned(270)


@case(has=["The page hangs upside down and is read from its other end."])
def upside_down():
    document, page = one_page()
    for row, text in enumerate(("The page hangs upside down", "and is read from its other end.")):
        page.raw(b"BT /F1 10 Tf -1 0 0 -1 500 %d Tm %s Tj ET" % (100 + 12 * row, string(text.encode())))
    return document


@case("The keeper of the lock writes it down.")
def boxes_of_no_sense():
    return with_objects(line(), lambda bodies: swap(bodies, b"/MediaBox [0 0 612 792]", b"/MediaBox [612 792 0 0] /CropBox [1e30 -1e30 0 0]"))


@case("The keeper of the lock writes it down.")
def no_boxes():
    return with_objects(line(), lambda bodies: swap(bodies, b"/MediaBox [0 0 612 792]", b""))


@case(status="ok|partial|skipped", seconds=30)
def places_far_away():
    document, page = one_page()
    page.text(1e9, -1e9, "Far away")
    page.text(72, 700, "Near")
    page.raw(b"BT /F1 1e7 Tf 72 600 Td (Large) Tj ET BT /F1 1e-9 Tf 72 500 Td (Small) Tj ET")
    return document


def swap(bodies, old, new):
    for i, body in enumerate(bodies):
        bodies[i] = body.replace(old, new)


@case(status="skipped|partial", seconds=60)
def more_pages_than_there_are():
    return with_objects(line(), lambda bodies: swap(bodies, b"/Count 1 ", b"/Count 2000000000 "))


@case(has=["Page 0 of the ledger", "Page 299 of the ledger"], seconds=60)
def many_pages():
    document = PDF()
    for number in range(300):
        document.page().text(72, 700, "Page %d of the ledger is about the lock %d." % (number, number * 7919 % 1000))
    return document


@case(status="partial|skipped|ok", seconds=30)
def a_tree_of_many_levels():
    def change(bodies):
        first = len(bodies) + 1
        page = next(i for i, body in enumerate(bodies) if b"/Type /Page " in body) + 1
        bodies[1] = b"<< /Type /Pages /Count 1 /Kids [%d 0 R] >>" % first
        for i in range(2000):
            child = first + i + 1 if i < 1999 else page
            bodies.append(b"<< /Type /Pages /Count 1 /Parent %d 0 R /Kids [%d 0 R] >>" % (first + i - 1 if i else 2, child))
    return with_objects(line(), change)


# ---------------------------------------------------------------------------------------------------- structure

@case("The keeper of the lock writes it down.", title="Second")
def changed_by_an_appendix():
    """An incremental update: a new title, and the first table before the second."""
    data = line(title="First").data()
    start = data[data.rindex(b"startxref\n") + 10:].split(b"\n")[0]
    place = len(data)
    data += b"3 0 obj\n<< /Title (Second) >>\nendobj\n"
    table = len(data)
    return data + (b"xref\n3 1\n%010d 00000 n \ntrailer\n<< /Size 4 /Root 1 0 R /Info 3 0 R /Prev %s >>\nstartxref\n%d\n%%%%EOF\n" % (place, start, table))


def packed_objects(document, filters=b"/Filter /FlateDecode"):
    """Objects in a stream, and the table of places in another one, as since PDF 1.5."""
    bodies = document.objects()
    out, places, inside = b"%PDF-1.5\n", {}, []
    for number, body in enumerate(bodies, 1):
        if b"stream\n" in body:
            places[number] = len(out)
            out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
        else:
            inside.append((number, body))
    container, table = len(bodies) + 1, len(bodies) + 2
    heads, content = b"", b""
    for number, body in inside:
        heads += b"%d %d " % (number, len(content))
        content += body + b" "
    packed = zlib.compress(heads + content)
    places[container] = len(out)
    out += b"%d 0 obj\n<< /Type /ObjStm /N %d /First %d %s /Length %d >>\nstream\n%s\nendstream\nendobj\n" % (
        container, len(inside), len(heads), filters, len(packed), packed)
    places[table] = len(out)
    rows = b"\x00\x00\x00\x00\x00\xff\xff"
    index = {number: i for i, (number, _) in enumerate(inside)}
    for number in range(1, table + 1):
        if number in index:
            rows += b"\x02" + container.to_bytes(4, "big") + index[number].to_bytes(2, "big")
        else:
            rows += b"\x01" + places[number].to_bytes(4, "big") + b"\x00\x00"
    packed = zlib.compress(rows)
    out += b"%d 0 obj\n<< /Type /XRef /Size %d /W [1 4 2] /Root 1 0 R /Info 3 0 R /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream\nendobj\n" % (
        table, table + 1, len(packed), packed)
    return out + b"startxref\n%d\n%%%%EOF\n" % places[table]


@case("The keeper of the lock writes it down.", title="Packed")
def objects_in_streams():
    return packed_objects(line(title="Packed"))


@case(has=["The keeper of the lock writes it down."], status="ok|partial")
def a_wrong_table():
    data = line().data()
    return data.replace(b" 00000 n ", b" 00007 n ")


@case(status="skipped", reason="it is damaged: pdftotext cannot open it")
def no_table_and_no_trailer():
    data = line().data()
    return data[:data.index(b"xref\n")]


@case("The keeper of the lock writes it down.")
def behind_a_letter():
    """What a web server or a mail put before it, and behind."""
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n" + line().data() + b"\r\n--boundary--\r\n" + b"\0" * 3000


@case(has=["The keeper of the lock writes it down."], status="partial", reason="files are attached to it, which are not read")
def attached_files():
    def change(bodies):
        bodies[0] = b"<< /Type /Catalog /Pages 2 0 R /Names << /EmbeddedFiles << /Names [(a.txt) %d 0 R] >> >> >>" % (len(bodies) + 1)
        bodies.append(b"<< /Type /Filespec /F (a.txt) /EF << /F %d 0 R >> >>" % (len(bodies) + 2))
        bodies.append(b"<< /Type /EmbeddedFile /Length 5 >>\nstream\nhello\nendstream")
    return with_objects(line(), change)


@case(has=["The name of the keeper:", "Ada Fenn of Thorn"])
def a_form_that_is_filled_in():
    document = line("The name of the keeper:")

    def change(bodies):
        page = next(i for i, body in enumerate(bodies) if b"/Type /Page " in body)
        look = b"BT /F1 10 Tf 2 4 Td (Ada Fenn of Thorn) Tj ET"
        bodies.append(b"<< /Type /XObject /Subtype /Form /BBox [0 0 200 20] /Resources << /Font << /F1 4 0 R >> >> /Length %d >>\nstream\n%s\nendstream"
                      % (len(look), look))
        bodies.append(b"<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /V (Ada Fenn of Thorn) /Rect [200 695 400 715] /F 4 /AP << /N %d 0 R >> >>"
                      % len(bodies))
        bodies[page] = bodies[page].replace(b"/Contents", b"/Annots [%d 0 R] /Contents" % len(bodies))
        bodies[0] = b"<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [%d 0 R] >> >>" % len(bodies)
    return with_objects(document, change)


# ------------------------------------------------------------------------------------------------------ hostile

def packed_stream(data, extra=b""):
    return PDF.stream(data, extra=extra)


@case(has=["The keeper of the lock writes it down."], status="ok|partial", seconds=60)
def a_bomb_in_a_map():
    document = line()
    document.font("F9", b"Helvetica", {65: "A"})
    document.pages[0].text(72, 600, "AAAA", font="F9")

    def change(bodies):
        for i, body in enumerate(bodies):
            if b"begincmap" in body:
                bodies[i] = packed_stream(b"1 beginbfchar <41> <0041> endbfchar " * 200000)
    return with_objects(document, change)


@case(status="ok|partial|skipped", seconds=60)
def filters_in_filters():
    document, page = one_page()
    data = b"BT /F1 10 Tf 72 700 Td (Deep) Tj ET" + b" " * (1 << 24)
    for _ in range(12):
        data = zlib.compress(data)

    def change(bodies):
        for i, body in enumerate(bodies):
            if body.startswith(b"<< /Length 0"):
                bodies[i] = b"<< /Filter [%s] /Length %d >>\nstream\n%s\nendstream" % (b"/FlateDecode " * 12, len(data), data)
    return with_objects(document, change)


@case(status="ok|partial|skipped", seconds=90)
def words_without_end():
    """A stream that draws the same form over and over: 20 ** 3 words."""
    document, page = one_page()
    page.raw(b"/X1 Do " * 20)

    def change(bodies):
        inner = b"BT /F1 10 Tf 72 700 Td (again) Tj ET "
        numbers = []
        for content in (inner * 20, b"/X1 Do " * 20):
            data = zlib.compress(content)
            below = b"/XObject << /X1 %d 0 R >>" % numbers[-1] if numbers else b""
            bodies.append(b"<< /Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /Font << /F1 4 0 R >> %s >> /Filter /FlateDecode "
                          b"/Length %d >>\nstream\n%s\nendstream" % (below, len(data), data))
            numbers.append(len(bodies))
        swap(bodies, b"/Resources << /Font", b"/Resources << /XObject << /X1 %d 0 R >> /Font" % numbers[-1])
    return with_objects(document, change)


@case(status="ok|partial|skipped", seconds=60)
def operators_that_do_not_exist():
    document, page = one_page()
    page.raw(b"BT /F1 10 Tf 72 700 Td (Kept) Tj ET " + b"nonsense " * 20000)
    return document


@case(status="skipped", reason="it is encrypted; a password would be needed")
def locked():
    return encrypted(line(), user=b"secret")


@case("The keeper of the lock writes it down.")
def locked_for_owners_only():
    return encrypted(line(), permissions=-64)


@case(status="skipped", reason="it has no text: its pages are empty or scanned pictures")
def nothing_but_pictures():
    return pictures(3)
