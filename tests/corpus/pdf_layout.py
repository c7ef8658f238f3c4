"""pdf_layout.py: cases of pdf_cases.py: what stands where on a page, its letters, and what a PDF says of itself."""
from pdf import PDF, string, width, wrap
from pdf_case import case, one_page

PROSE = ("The sluices of Harrow Fen were counted twice before the winter, since the ledger of the board named forty of them and the "
         "keepers had found no more than thirty-nine. Whoever walks along the dyke sees the doors of oak, the chains and the wheels, "
         "and the white marks that tell how high the water stood in the year of the survey. Each mark has a name that children learn "
         "by heart and strangers forget. The northern marks are older than the southern ones, and the carpenter who cut them signed "
         "the oldest with a heron.")
MORE = ("At the mill the dyke turns to the east and meets the old road, which nobody mends any more. Carts go by the bridge that was "
        "built for them in the second year of the frost, when the ice carried the old one to the sea and laid it on the beach of "
        "Thorn, where it served the fishers as a shed for their nets and lamps. It stands there still, and the herons like it.")
THIRD = ("Of the keepers eleven could write, and the others drew what they saw. Their drawings fill three shelves: herons, barges, a "
         "fox upon the ice, the lights in the windows of the mill, and over and over again the water itself, which is hard to draw "
         "because it never stands still for anybody at all.")


# ---------------------------------------------------------------------------------------------------- columns

def rows_of_columns(page, top, columns, size=9):
    """Columns of (x, room, text), drawn row by row across the gutters; returns the place below them."""
    wrapped = [(x, room, wrap(text, room, size)) for x, room, text in columns]
    rows = max(len(lines) for _, _, lines in wrapped)
    for row in range(rows):
        for x, room, lines in wrapped:
            if row < len(lines):
                last = row + 1 == len(lines)
                spaces = lines[row].count(" ")
                page.text(x, top - 11 * row, lines[row], size, spread=0 if last or not spaces else (room - width(lines[row], size)) / spaces)
    return top - 11 * rows


@case("\n\n".join((PROSE, MORE, THIRD)))
def three_columns():
    document, page = one_page()
    rows_of_columns(page, 700, [(50, 160, PROSE), (226, 160, MORE), (402, 160, THIRD)])
    return document


@case("On the Sluices\n\nAbstract\n\n" + THIRD + "\n\n" + "\n\n".join((PROSE, MORE)) +
      "\n\nTable 1: The locks and those who keep them\n\nLock Keeper Gates Year of the last repair\n"
      "Upper Dyke Holt 12 1804\nLower Dyke Marsh 7 1811\n\n" + "\n\n".join((MORE, PROSE)))
def full_width_between_columns():
    document, page = one_page()
    page.text(200, 740, "On the Sluices", 18)
    page.text(280, 715, "Abstract", 11)
    y = page.column(90, 695, 432, THIRD, 9)
    y = rows_of_columns(page, y - 20, [(50, 240, PROSE), (322, 240, MORE)]) - 20
    page.text(200, y, "Table 1: The locks and those who keep them", 9)
    for row in (("Lock", "Keeper", "Gates", "Year of the last repair"), ("Upper Dyke", "Holt", "12", "1804"),
                ("Lower Dyke", "Marsh", "7", "1811")):
        y -= 14
        for x, cell in zip((80, 220, 340, 420), row):
            page.text(x, y, cell, 9)
    rows_of_columns(page, y - 40, [(50, 240, MORE), (322, 240, PROSE)])
    return document


@case(has=["forgets a word about the " "reservoirs that are", "as mended in spring"], lacks=["reser-", "\n\nvoirs"])
def words_cut_by_columns_and_pages():
    document, page = one_page()
    page.lines(50, 760, ["Annals of Drainage"], 200, 8)
    page.lines(50, 700, ["Nobody who saw them forgets a word about the reser-"], 240, justify=False)
    page.lines(322, 700, ["voirs that are so deep, and the keepers told all that was", "known of them, so that they were seen as men-"], 240, justify=False)
    page = document.page()
    page.lines(50, 760, ["Annals of Drainage"], 200, 8)
    page.lines(50, 700, ["ded, or as mended in spring, by those who came."], 240, justify=False)
    return document


# ------------------------------------------------------------------------------------------- around the text

def book(pages, head, foot, texts=(PROSE, MORE, THIRD)):
    document = PDF()
    for number in range(pages):
        page = document.page()
        head(page, number + 1)
        foot(page, number + 1)
        page.column(72, 700, 400, texts[number % len(texts)])
    return document


@case("\n\n".join((PROSE, MORE, THIRD, PROSE, MORE)))
def heads_of_odd_and_even_pages():
    def head(page, number):
        if number > 1:
            page.text(72 if number % 2 == 0 else 380, 760, "%d  A. Fenn" % number if number % 2 == 0 else "The Book of Locks  %d" % number, 8)
    return book(5, head, lambda page, number: None)


@case("\n\n".join((PROSE, MORE, THIRD, PROSE)))
def roman_numbers():
    return book(4, lambda page, number: page.text(72, 760, "Preface", 8),
                lambda page, number: page.text(300, 40, ("iii", "iv", "v", "vi")[number - 1], 9))


@case("\n\n".join((PROSE, MORE, THIRD)))
def pages_of_how_many():
    return book(3, lambda page, number: page.text(72, 760, "Confidential", 8),
                lambda page, number: page.text(280, 40, "Page %d of 3" % number, 9))


@case("\n\n".join((PROSE, MORE)))
def large_numbers_of_pages():
    return book(2, lambda page, number: page.text(500, 750, str(number + 86), 20), lambda page, number: None)


@case("\n\n".join((PROSE, MORE, THIRD)))
def stamps_in_the_margin():
    def stamp(page, number):
        text = "arXiv:2101.00001v1 [cs.CL] 1 Jan 2021" if number == 1 else None
        if text:
            page.raw(b"BT /F1 16 Tf 0 1 -1 0 30 250 Tm %s Tj ET" % string(text.encode()))
        page.raw(b"BT /F1 7 Tf 0 1 -1 0 600 200 Tm %s Tj ET" % string(b"Downloaded from the library of Thorn by a guest"))
    return book(3, stamp, lambda page, number: None)


@case(has=["Table 1: The locks of the north", "Table 2: The locks of the north", "Table 3: The locks of the north"])
def captions_are_no_heads():
    return book(3, lambda page, number: page.text(72, 740, "Table %d: The locks of the north" % number), lambda page, number: None)


@case("\n\n".join((PROSE + " " + MORE + " " + PROSE, THIRD + " " + MORE + " " + PROSE)))
def numbered_lines():
    document, number = PDF(), 1
    for text in (PROSE + " " + MORE + " " + PROSE, THIRD + " " + MORE + " " + PROSE):
        page = document.page()
        for row, line in enumerate(wrap(text, 250, 10)):
            page.text(150, 730 - 18 * row, line)
            page.text(120 - width(str(number), 6), 730 - 18 * row, str(number), 6)
            number += 1
    return document


@case("\n\n".join((PROSE, MORE)))
def numbers_of_lines_between_columns():
    document, page = one_page()
    y = 700
    for row, (left, right) in enumerate(zip(wrap(PROSE, 210, 10) + [""] * 30, wrap(MORE, 210, 10) + [""] * 30)):
        for x, line in ((60, left), (342, right)):
            if line:
                page.text(x, y, line)
        if row % 5 == 4 and row < 20:
            page.text(300, y, str(row + 1), 8)
        y -= 12
    return document


@case(has=["1 Alder 40\n2 Birch 52", "30 Alder 110"])
def numbers_of_rows_stay():
    document, page = one_page()
    page.column(72, 760, 450, THIRD)
    for row in range(30):
        for x, cell in ((72, str(row + 1)), (140, ("Alder", "Birch", "Cedar")[row % 3] if row < 29 else "Alder"), (240, str(40 + row * 12 if row < 29 else 110))):
            page.text(x, 700 - 15 * row, cell)
    return document


# ---------------------------------------------------------------------------------------------------- letters

def lettered(codes, line):
    """A line in a font that maps these codes to what stands behind them."""
    document, page = one_page()
    document.font("L", b"Helvetica", {**{c: chr(c) for c in range(32, 127)}, **codes}, False)
    page.raw(b"BT /L 10 Tf 72 700 Td %s Tj ET" % string(line))
    return document


@case("The officer found an efficient coffee and the first flag of a raffle.")
def ligatures_of_t1():
    return lettered({1: "\x1b", 2: "\x1c", 3: "\x1d", 4: "\x1e", 5: "\x1f"},
                    b"The o\x04cer found an e\x04cient co\x01ee and the \x02rst \x03ag of a ra\x05e.")


@case("The officer found a raffle.")
def ligatures_of_ot1():
    return lettered({4: "\x0e", 5: "\x0f"}, b"The o\x04cer found a ra\x05e.")


@case("THELOCKSOF1804\u00a9THORN")
def small_capitals_and_old_digits():
    return lettered({1: "\uf774\uf768\uf765", 2: "\uf76c\uf76f\uf763\uf76b\uf773", 3: "\uf731\uf738\uf730\uf734", 5: "\uf8e9"},
                    b"\x01\x02OF\x03\x05THORN")


@case("A caf\u00e9 in K\u00f6ln and one more in \u0141\u00f3d\u017a.")
def accents_of_their_own():
    return lettered({1: "e\u0301", 2: "o\u0308", 3: "\u0141o\u0301dz\u0301"}, b"A caf\x01 in K\x02ln and one more in \x03.")


@case("The stories of the finest lofts.")
def joined_letters():
    return lettered({1: "\ufb06", 2: "\ufb01", 3: "f\u200bt"}, b"The \x01ories of the \x02ne\x01 lo\x03s.")


@case("The water is 5 deep", status="partial", reason="2 characters could not be decoded")
def signs_of_no_letter():
    return lettered({1: "\x02", 2: "\ue123"}, b"The water \x01 is \x02 5 deep")


@case(status="skipped", reason="its letters cannot be told: its fonts do not say which characters they show")
def letters_moved_by_one():
    document, page = one_page()
    moved = "".join(chr(ord(c) + 1) if c.isalpha() else c for c in PROSE + " " + MORE)
    page.column(72, 700, 400, moved)
    return document


@case(status="skipped", reason="its letters cannot be told: its fonts do not say which characters they show")
def cyrillic_as_latin():
    """What Cyrillic becomes when its font has the names of Latin letters."""
    document, page = one_page()
    text = ("\u0421\u043c\u043e\u0442\u0440\u0438\u0442\u0435\u043b\u044c \u0448\u043b\u044e\u0437\u043e\u0432 \u0437\u0430\u043f\u0438\u0441\u0430\u043b "
            "\u0443\u0440\u043e\u0432\u0435\u043d\u044c \u0432\u043e\u0434\u044b ") * 4
    document.font("C", b"Helvetica", {c: chr(c) for c in range(32, 256)}, False)
    page.raw(b"BT /C 10 Tf 72 700 Td %s Tj ET" % string(text.encode("cp1251")))
    return document


@case("I saw the sea.\n\n" + "The mill of Thorn turns by night, and nobody knows who grinds the corn that is found in its sacks on the "
      "morning after, or who pays for it.")
def a_large_first_letter():
    document, page = one_page()
    page.text(72, 740, "I saw the sea.")
    page.text(72, 685, "T", 40)
    lines = ["he mill of Thorn turns by night, and nobody knows", "who grinds the corn that is found in its sacks on", "the morning after, or who pays for it."]
    page.text(98, 706, lines[0])
    page.text(98, 694, lines[1])
    page.text(72, 682, lines[2])
    return document


@case("ABSTRACT\n\nTHE OLD LOCKS\n\nThe text begins.")
def letters_set_apart():
    document, page = one_page()
    for y, words in ((740, ("ABSTRACT",)), (710, ("THE", "OLD", "LOCKS"))):
        x = 72
        for word in words:
            for letter in word:
                page.text(x, y, letter)
                x += width(letter, 10) + 3.5
            x += 6
    page.text(72, 680, "The text begins.")
    return document


@case("INTRODUCTION TO LOCKS\n\nThe text begins.")
def capitals_of_two_sizes():
    document, page = one_page()
    x = 72
    for word in ("Introduction", "To", "Locks"):
        page.text(x, 740, word[0], 10)
        x += width(word[0], 10)
        page.text(x, 740, word[1:].upper(), 8)
        x += width(word[1:].upper(), 8) + 2.8
    page.text(72, 710, "The text begins.")
    return document


@case("The ledger of the board names forty locks and the keepers found fewer than that.")
def wide_gaps():
    document, page = one_page()
    for y, words in ((700, ("The", "ledger", "of", "the")), (688, ("board", "names", "forty")), (676, ("locks", "and", "the", "keepers"))):
        gap = (92 - sum(width(word, 10) for word in words)) / (len(words) - 1)
        x = 72
        for word in words:
            page.text(x, y, word)
            x += width(word, 10) + gap
    page.text(72, 664, "found fewer than that.")
    return document


@case("The words of the bold line are there once.")
def bold_by_printing_twice():
    document, page = one_page()
    for x in (72, 72.3):
        page.text(x, 700, "The words of the bold line are there once.")
    return document


@case("The letters stand one by one, by places of their own.")
def letter_by_letter():
    document, page = one_page()
    x = 72
    for letter in "The letters stand one by one, by places of their own.":
        if letter != " ":
            page.text(x, 700, letter)
        x += width(letter, 10)
    return document


# --------------------------------------------------------------------------------------------------- paragraphs

@case("This paragraph names the function open_lock of the library of locks, and goes on in the same size although its fonts differ in "
      "height, line by line.\n\nIt ends before this one.")
def fonts_of_one_size():
    document, page = one_page()
    document.font("M", b"Courier", widths=False)
    y = 700
    for parts in ((("F1", "This paragraph names the function"), ("M", "open_lock")), (("M", "of the library of locks, and goes on"), ("F1", "in")),
                  (("F1", "the same size although its fonts differ in height,"),), (("M", "line by line."),)):
        x = 72
        for font, text in parts:
            page.text(x, y, text, 10, font)
            x += (6 * len(text) if font == "M" else width(text, 10)) + 3
        y -= 12
    page.text(84, y, "It ends before this one.")
    return document


@case(has=["a = b + c (1)\n", "d = e + f (2)\n"])
def numbers_of_equations():
    document, page = one_page()
    y = page.column(72, 740, 240, THIRD)
    for text, number in (("a = b + c", "(1)"), ("d = e + f", "(2)")):
        page.text(150, y - 8, text)
        page.text(300, y - 8, number)
        page.text(72, y - 28, "where the letters are those of the lock.")
        y = page.column(72, y - 46, 240, MORE)
    return document


@case("Before.\n\nBehind.")
def nothing_but_dots():
    document, page = one_page()
    for y, text in ((740, "Before."), (700, ". " * 40), (680, "." * 60), (640, "Behind.")):
        page.text(72, y, text)
    return document


@case("Contents\n\n1 Locks 3\n1.1 Gates of oak 5\n2 Weirs 12\nIndex 90")
def dots_that_lead_to_pages():
    document, page = one_page()
    page.text(72, 740, "Contents", 14)
    for row, (entry, number) in enumerate((("1 Locks", "3"), ("1.1 Gates of oak", "5"), ("2 Weirs", "12"), ("Index", "90"))):
        y = 700 - 14 * row
        page.text(72, y, entry)
        dots = int((380 - width(entry + " ", 10)) / width(" .", 10))
        page.text(72 + width(entry + "  ", 10), y, ". " * (dots - 3) if row % 2 else "." * (2 * dots - 8))
        page.text(460, y, number)
    return document


@case("See https://library.example/locks/of/the/north for more, or the lock\u2014the old one\u2014of Thorn.")
def addresses_and_dashes_cut_by_lines():
    document, page = one_page()
    document.font("D", b"Helvetica", {**{c: chr(c) for c in range(32, 127)}, 1: "\u2014"}, False)
    for y, line in ((700, b"See https://library.example/locks/"), (688, b"of/the/north for more, or the lock\x01"), (676, b"the old one\x01of Thorn.")):
        page.raw(b"BT /D 10 Tf 72 %d Td %s Tj ET" % (y, string(line)))
    return document


@case("The keepers of the locks are told that the range 1\u20137 is kept by e\u2011mail, and her self-winding clock is well known. Hand-made gates are handmade.")
def hyphens_and_dashes_cut_by_lines():
    document, page = one_page()
    document.font("D", b"Helvetica", {**{c: chr(c) for c in range(32, 127)}, 1: "\u2013", 2: "\u2011", 3: "\u2010"}, False)
    for row, line in enumerate((b"The keepers of the locks are told that the range 1\x01", b"7 is kept by e\x02", b"mail, and her self-", b"winding clock is well known. Hand-made gates are hand\x03", b"made.")):
        page.raw(b"BT /D 10 Tf 72 %d Td %s Tj ET" % (700 - 12 * row, string(line)))
    return document


@case(has=["[1] A. Fenn. The locks of the north, and how they were counted in the year of the frost. Annals of Drainage, 12:1\u20139, 1804.\n",
           "\n[2] B. Marsh. On gates."])
def references():
    document, page = one_page()
    page.text(72, 740, "References", 12)
    y = 715
    for mark, lines in (("[1]", ("A. Fenn. The locks of the north, and how they were counted in the", "year of the frost. Annals of Drainage, 12:1\u20139, 1804.")),
                        ("[2]", ("B. Marsh. On gates. In Proceedings of the Third Meeting of Keepers,", "pages 3\u20137, Thorn, 1811.")),
                        ("[3]", ("C. Dyke. A history of the weir that nobody has seen since the flood", "of the second year. Thorn, 1815."))):
        page.text(72, y, mark)
        for line in lines:
            page.text(90, y, line)
            y -= 12
    return document


ITEMS = ("The sluices were counted twice before the winter, since the ledger of the board named forty of them.",
         "Whoever walks along the dyke sees the doors of oak, the chains and the wheels, and the white marks of the year.",
         "The northern marks are older.")


def items(marks, gap, room=330):
    document, page = one_page()
    y = page.column(72, 740, 400, "Of the locks three things are known to everybody who has ever walked along the dyke:") - 6
    for mark, text in zip(marks, ITEMS):
        page.text(72, y, mark)
        y = page.column(72 + gap, y, room, text, justify=False)
    page.column(72, y - 6, 400, "Nobody has counted them since, although the board asks for it every spring in the same words.")
    return document


@case("Of the locks three things are known to everybody who has ever walked along the dyke:\n\n" + "\n".join(ITEMS) +
      "\n\nNobody has counted them since, although the board asks for it every spring in the same words.")
def bullets_far_before_their_text():
    return items("\u2022\u2022\u2022", 24)


@case("Of the locks three things are known to everybody who has ever walked along the dyke:\n\n" +
      "\n".join("%d. %s" % (i + 1, text) for i, text in enumerate(ITEMS)) +
      "\n\nNobody has counted them since, although the board asks for it every spring in the same words.")
def numbers_far_before_their_text():
    return items(("1.", "2.", "3."), 30)


@case("Of the locks three things are known to everybody who has ever walked along the dyke:\n\n" +
      "\n\n".join("%s %s" % (mark, text) for mark, text in zip(("Count", "Marks of oak", "North"), ITEMS)) +
      "\n\nNobody has counted them since, although the board asks for it every spring in the same words.")
def words_before_what_they_mean():
    return items(("Count", "Marks of oak", "North"), 110, 290)


# --------------------------------------------------------------------------------------------------------- facts

@case("The text of a page.", title="Locks of L\u00fcbeck \u2014 and others", authors=["Zo\u00eb Fenn"])
def facts_in_utf_16():
    document, page = one_page(title=b"\xfe\xff" + "Locks of L\u00fcbeck \u2014 and others".encode("utf-16-be"),
                              author=b"\xfe\xff" + "Zo\u00eb Fenn".encode("utf-16-be"))
    page.text(72, 700, "The text of a page.")
    return document


@case("The text of a page.", title="Locks \u2014 of \u0141\u00f3d \u20ac")
def facts_in_the_encoding_of_pdf():
    document, page = one_page(title=b"Locks \x84 of \x95\xf3d \xa0")
    page.text(72, 700, "The text of a page.")
    return document


@case("The text of a page.", title="L\u00fcbeck")
def facts_in_utf_8():
    document, page = one_page(title=b"\xef\xbb\xbf" + "L\u00fcbeck".encode())
    page.text(72, 700, "The text of a page.")
    return document


@case("The text of a page.", title="Red locks", authors=["Ada Fenn", "Bo Marsh", "Cy Dyke Jr"])
def facts_with_escapes():
    document, page = one_page(title=b"\xfe\xff" + "\x1b[31mRed locks\x07\x00\u202e".encode("utf-16-be"), author="Ada Fenn, Bo Marsh, Cy Dyke Jr")
    page.text(72, 700, "The text of a page.")
    return document


@case("The text of a page.", title=None, authors=["Fenn, Ada"], date=None)
def facts_of_no_use():
    document, page = one_page(title="   ", author="Fenn, Ada", date="yesterday")
    page.text(72, 700, "The text of a page.")
    return document


@case(title="A History of Locks", has=["A History of Locks"], date="2021-01-01")
def a_title_on_the_page():
    document, page = one_page(title="Microsoft Word - locks_final2.docx", date="D:2021")
    page.text(72, 740, "A History of Locks", 20)
    page.text(72, 715, "A. Fenn", 12)
    page.column(72, 690, 400, PROSE)
    return document


@case(title="A History of the Locks of Harrow Fen and of Thorn", has=["A. Fenn"])
def a_title_of_two_lines():
    document, page = one_page(title="untitled")
    page.text(72, 770, "Annals of Drainage 12, 1804", 8)
    page.text(72, 740, "A History of the Locks", 20)
    page.text(72, 716, "of Harrow Fen and of Thorn*", 20)
    page.text(72, 690, "A. Fenn", 12)
    page.column(72, 670, 400, PROSE)
    return document


@case(title="On locks", has=["The text"])
def a_title_behind_a_program():
    document, page = one_page(title="Microsoft Word - On locks")
    page.text(72, 700, "The text of a page.")
    return document


@case("The text of a page.", title=None)
def a_title_without_end():
    document, page = one_page(title="Locks " * 2000)
    page.text(72, 700, "The text of a page.")
    return document


# ------------------------------------------------------------------------------------------------------- scripts

@case("\u6c34\u95e8\u7684\u8bb0\u5f55\u7531\u770b\u5b88\u4eba\u4fdd\u5b58\u5728\u4e09\u4e2a\u67b6\u5b50\u4e0a\u3002")
def chinese():
    document, page = one_page()
    page.raw(b"BT /U 12 Tf 72 700 Td <%s> Tj ET" % "\u6c34\u95e8\u7684\u8bb0\u5f55\u7531\u770b\u5b88".encode("utf-16-be").hex().encode())
    page.raw(b"BT /U 12 Tf 72 685 Td <%s> Tj ET" % "\u4eba\u4fdd\u5b58\u5728\u4e09\u4e2a\u67b6\u5b50\u4e0a\u3002".encode("utf-16-be").hex().encode())
    return document


@case("\u05d1\u05e9\u05e0\u05ea 1804/5 (\u05d4\u05e9\u05d5\u05de\u05e8) \u0663\u0660.")
def numbers_and_brackets_from_the_right():
    """Hebrew as it is seen, from the left: a full stop, digits, words letter by letter; each word has its place."""
    document, page = one_page()
    x = 72
    for word in (".\u0663\u0660", "(", "\u05e8\u05de\u05d5\u05e9\u05d4", ")", "1804/5", "\u05ea\u05e0\u05e9\u05d1"):
        page.raw(b"BT /U 12 Tf 1 0 0 1 %g 700 Tm <%s> Tj ET" % (x, word.encode("utf-16-be").hex().encode()))
        x += (width(word, 12) if word in "()" else 6 * len(word)) + (0 if word in ("(", "\u05e8\u05de\u05d5\u05e9\u05d4") else 4)
    return document


@case(has=["\u6c34\u9580\u306e\u756a\u4eba\u306f\u591c\u3082\u7720\u3089\u306a\u3044\u3002\u6c34\u4f4d\u3092\u8a18\u3059\u3002"])
def japanese_from_above():
    document, page = one_page()
    for x, column in ((400, "\u6c34\u9580\u306e\u756a\u4eba\u306f\u591c"), (380, "\u3082\u7720\u3089\u306a\u3044\u3002\u6c34"), (360, "\u4f4d\u3092\u8a18\u3059\u3002")):
        for row, letter in enumerate(column):
            page.raw(b"BT /U 12 Tf 1 0 0 1 %d %d Tm <%s> Tj ET" % (x, 700 - 12 * row, letter.encode("utf-16-be").hex().encode()))
    return document
