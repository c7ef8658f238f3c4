"""The known text: one document, written for this project, that every writer puts into its format.

A document is a list of blocks:
    ("heading", level, text)
    ("paragraph", [piece, ...])
    ("list", [text, ...])            bullets
    ("table", [[cell, ...], ...])
    ("equation", name)
and a piece is a str, ("strong", text), ("emphasis", text) or ("note", text): a footnote. Texts hold umlauts, letters that
typesetters join (ffi, fl), soft hyphens, quotes, dashes and words of other scripts."""

TITLE = "The Ledger of the Lower Mill"
AUTHORS = ["Ada Renn", "Björn Tårnfeldt"]
DATE = "2019-05-17"

# What each equation reads as, where a format doesn't say otherwise (see EQUATIONS in a writer).
EQUATIONS = {"weight": "w = a² + b²"}

DOCUMENT = [
    ("heading", 1, "How the ledger was found"),
    ("paragraph", [
        "In the spring of the year in which the weir was mended, a mason lifted a flat stone behind the wheel and found a "
        "box of oak. In it lay a ledger of two hundred leaves, dry and whole, with the name of the miller on its first page. "
        "Nobody in the village had known of it, and nobody could say why a careful man should have hidden his accounts from "
        "the very people who were named in them."]),
    ("paragraph", [
        "The first to read it was the schoolmaster, who was ", ("strong", "difficult"), " to please and ",
        ("emphasis", "slow"), " to praise. He filled a whole shelf with notes on the flow of water, on the offices that the "
        "millers held, and on the fine flour that they sold to the baker’s widow.",
        ("note", "The widow paid in eggs until the winter of the great frost, and afterwards in candles."),
        " His notes say that the book is honest, and that its sums are right to the last grain."]),
    ("heading", 2, "Names and places"),
    ("paragraph", [
        "The names are those of the valley: Jürgen Größe, Zoë of Évora, Søren from the fjord, and a trader who signed as "
        "Łukasz. A Greek called Νίκος bought barley once; a letter in Russian, beginning with the word «мельница», lies "
        "between two leaves. The long word Donau\u00addampf\u00adschiff\u00adfahrt is written on the cover in a "
        "child’s hand — nobody knows by whom."]),
    ("paragraph", [
        "Three things were paid for in kind:"]),
    ("list", [
        "rye and barley, when the harvest was good",
        "eels from the upper pond, smoked over alder wood",
        "days of work at the weir, counted by knots in a cord"]),
    ("paragraph", [
        "What could not be paid was written in red, and the red was never struck out. “A debt,” the miller notes, “is a "
        "stone in the stream: the water goes round it, but it does not forget.”"]),
    ("heading", 1, "Sacks and prices"),
    ("paragraph", [
        "For the dry summer the ledger gives the figures below. A sack held forty-eight pounds, and the price is in pence."]),
    ("table", [
        ["Month", "Sacks", "Price"],
        ["June", "112", "31"],
        ["July", "96", "34"],
        ["August", "57", "45"]]),
    ("paragraph", [
        "The price rose by more than the third part while the sacks became half as many. The miller reckoned what a cart "
        "would bear by a rule that he had from his father, and wrote it down so:"]),
    ("equation", "weight"),
    ("paragraph", [
        "where the letters stand for the two wheels. Whether the rule is true may be doubted;",
        ("note", "A wheelwright, who was asked, laughed and said that he would rather weigh the cart."),
        " it was used at the mill for sixty years, and no cart is known to have broken down under it."]),
    ("heading", 2, "What became of it"),
    ("paragraph", [
        "The ledger went to the museum of the county, where it is shown on the first Sunday of each month. Its last page "
        "bears a single line, in ink that has gone brown: the mill is sold, the wheel stands still, and the keys are under "
        "the stone where the book was."]),
]


# Footnotes are numbered through.
NOTES = [piece[1] for block in DOCUMENT if block[0] == "paragraph" for piece in block[1] if piece[0] == "note"]
NUMBER = {note: i + 1 for i, note in enumerate(NOTES)}


def plain(text):
    """Text as readers see it: soft hyphens are no letters."""
    return text.replace("\u00ad", "")


def piece_text(piece):
    return piece if isinstance(piece, str) else piece[1]


def expected(equations=None, notes="behind"):
    """The paragraphs that an extraction should give: footnotes behind their paragraph ("behind"), at the end of the document
    ("end"), or where the format puts them in the text ("inline"); rows of tables and items of lists are lines."""
    equations = {**EQUATIONS, **(equations or {})}
    blocks, last = [], []
    for block in DOCUMENT:
        kind = block[0]
        if kind == "heading":
            blocks.append(plain(block[2]))
        elif kind == "paragraph":
            own = [p[1] for p in block[1] if not isinstance(p, str) and p[0] == "note"]
            blocks.append(plain("".join(piece_text(p) for p in block[1]
                                        if notes == "inline" or isinstance(p, str) or p[0] != "note")))
            if notes == "behind":
                blocks += own
            else:
                last += own if notes == "end" else []
        elif kind == "list":
            blocks.append("\n".join(plain(item) for item in block[1]))
        elif kind == "table":
            blocks.append("\n".join(" ".join(row) for row in block[1]))
        elif kind == "equation":
            blocks.append(equations[block[1]])
    return blocks + last
