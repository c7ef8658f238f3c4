"""The writer of PDF: a paper in two columns with running heads, page numbers, footnotes below the columns, hyphenated
lines, letters joined by ligatures, and a table."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import known
import pdf

LEFT, RIGHT, ROOM, TOP, FOOT, PAGE = 60, 320, 232, 400, 120, (612, 480)
SIZE, SMALL = 10, 8

# Words that this typesetter may break at the end of a line.
BREAKS = {"schoolmaster": "school\u00admaster", "accounts": "ac\u00adcounts", "difficult": "diffi\u00adcult",
          "afterwards": "after\u00adwards", "candles": "can\u00addles", "harvest": "har\u00advest", "doubted": "doubt\u00aded"}


def typeset(text):
    """Breaks for long words, and ligatures as typesetters put them."""
    words = [BREAKS.get(word, word) for word in text.split(" ")]
    return " ".join(words).replace("ffi", "\ufb03").replace("fl", "\ufb02")


class Paper:
    def __init__(self):
        self.pdf = pdf.PDF(title=known.TITLE, author="; ".join(known.AUTHORS), date="D:" + known.DATE.replace("-", ""))
        self.columns, self.page, self.notes = [], None, []
        self.next_column()

    def next_column(self):
        self.put_notes()
        if not self.columns:
            self.page = self.pdf.page(PAGE)
            number = str(len(self.pdf.pages) + 40)
            self.page.text(LEFT, 450, "Annals of Mills", SMALL, pdf.UNICODE)
            self.page.text(RIGHT + ROOM - 60, 450, "The Lower Mill", SMALL, pdf.UNICODE)
            self.page.text(300, 40, number, SMALL, pdf.UNICODE)
            self.columns = [LEFT, RIGHT]
        self.x, self.y = self.columns.pop(0), TOP

    def put_notes(self):
        y = 95
        for number, note in self.notes:
            self.page.text(self.x, y + 2.5, number, 5.5, pdf.UNICODE)
            y = self.page.column(self.x, y, ROOM, "  " + typeset(note), SMALL, indent=4, font=pdf.UNICODE)
        self.notes = []

    def line(self, text, size=SIZE, spread=0, indent=0):
        if self.y < FOOT:
            self.next_column()
        x = self.x + indent
        for i, part in enumerate(text.split("\u0001")):  # raised numbers of notes
            if i % 2:
                self.page.text(x, self.y + 3.5, part, 6, pdf.UNICODE)
                x += pdf.width(part, 6)
                self.notes.append((part, known.NOTES[int(part) - 1]))
            elif part:
                self.page.text(x, self.y, part, size, pdf.UNICODE, spread)
                x += pdf.width(part, size) + part.count(" ") * spread
        self.y -= size * 1.2

    def lines(self, lines, indent=0):
        for i, line in enumerate(lines):
            own = indent if i == 0 else 0
            plain = line.replace("\u0001", "")
            spread = (ROOM - own - pdf.width(plain, SIZE)) / max(1, plain.count(" ")) if i + 1 < len(lines) else 0
            self.line(line, spread=max(spread, 0), indent=own)

    def block(self, block):
        kind = block[0]
        if kind == "heading":
            self.y -= 8
            self.line(block[2], 15 - 2 * block[1])
            self.y -= 4
        elif kind == "paragraph":
            text = ""
            for piece in block[1]:
                if not isinstance(piece, str) and piece[0] == "note":
                    text += "\u0001%d\u0001" % known.NUMBER[piece[1]]
                else:
                    text += known.piece_text(piece)
            self.lines(pdf.wrap(typeset(text), ROOM - 1, SIZE, 12), 12)
        elif kind == "list":
            for item in block[1]:
                self.line("\u2022 " + typeset(item))
        elif kind == "table":
            self.y -= 6
            for row in block[1]:
                for cell, x in zip(row, (0, 90, 160)):
                    self.page.text(self.x + x, self.y, cell, SIZE, pdf.UNICODE)
                self.y -= 13
            self.y -= 6
        elif kind == "equation":
            self.y -= 6
            self.line(known.EQUATIONS[block[1]], indent=80)
            self.y -= 6


def write(folder):
    paper = Paper()
    for block in known.DOCUMENT:
        paper.block(block)
    paper.put_notes()
    path = os.path.join(folder, "known.pdf")
    paper.pdf.write(path)
    return path


CASES = {"pdf": write}
