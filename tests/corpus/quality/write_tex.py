"""Writer of LaTeX: a single file with macros of its own, and a project of several files in an archive."""
import io
import os
import tarfile

import known

PREAMBLE = r"""\documentclass[11pt,a4paper]{article} %% the class
\usepackage[utf8]{inputenc}
\usepackage{graphicx,amsmath}
\newcommand{\mill}[1]{\emph{#1}}
\newcommand{\strongly}[2][\bfseries]{{#1 #2}}
\def\squared#1{#1^2}
\title{%s}
\author{%s}
\date{%s}
"""

SIGNS = {"’": "'", "“": "``", "”": "''", "—": "---", "ü": '\\"u', "ö": '\\"{o}', "ß": "\\ss{}", "É": "\\'E", "ø": "\\o{}",
         "\u00ad": "\\-", "Ł": "\\L{}", "Z": "Z", "ë": '\\"e', "å": "\\aa{}"}


def tex_text(text):
    return "".join(SIGNS.get(c, c) for c in text)


def tex_piece(piece):
    if isinstance(piece, str):
        return tex_text(piece)
    kind, content = piece
    return {"note": "\\footnote{%s}", "strong": "\\strongly{%s}", "emphasis": "\\mill{%s}"}[kind] % tex_text(content)


def tex_block(block):
    if block[0] == "heading":
        return "\\%ssection{%s}\\label{sec:%d}" % ("sub" * (block[1] - 1), tex_text(block[2]), block[1])
    if block[0] == "paragraph":
        return "".join(tex_piece(p) for p in block[1]) + " % a remark for the writer"
    if block[0] == "list":
        return "\\begin{itemize}\n%s\n\\end{itemize}" % "\n".join("  \\item " + tex_text(item) for item in block[1])
    if block[0] == "table":
        rows = " \\\\\n".join(" & ".join(row) for row in block[1])
        return "\\begin{tabular}{lrr}\n\\hline\n%s \\\\ \\hline\n\\end{tabular}" % rows
    return "\\begin{equation}\\label{eq:w}\nw = \\squared{a} + \\squared{b}\n\\end{equation}"


def preamble():
    return PREAMBLE % (tex_text(known.TITLE), " \\and ".join(tex_text(a) for a in known.AUTHORS), known.DATE)


def single(folder):
    path = os.path.join(folder, "known.tex")
    with open(path, "w", encoding="utf-8") as f:
        f.write(preamble() + "\\begin{document}\n\\maketitle\n\n" + "\n\n".join(map(tex_block, known.DOCUMENT)) +
                "\n\\end{document}\nWhat stands here is no text.\n")
    return path


def project(folder):
    """As such archives come: a main file, parts, macros in a file of their own, a style that is no text."""
    half = len(known.DOCUMENT) // 2
    parts = {
        "main.tex": preamble().replace("\\newcommand{\\mill}", "\\input{macros}\n%") +
        "\\begin{document}\n\\maketitle\n\\input{parts/one}\n\n\\include{parts/two.part}\n\\end{document}\n",
        "macros.tex": "\\newcommand{\\mill}[1]{\\emph{#1}}\n",
        "parts/one.tex": "\n\n".join(map(tex_block, known.DOCUMENT[:half])),
        "parts/two.part.tex": "\n\n".join(map(tex_block, known.DOCUMENT[half:])),
    }
    path = os.path.join(folder, "known-project.tar.gz")
    with tarfile.open(path, "w:gz") as archive:
        for name, text in parts.items():
            info = tarfile.TarInfo(name)
            info.size = len(text.encode())
            archive.addfile(info, io.BytesIO(text.encode()))
    return path


CASES = {"tex": single, "tex project": project}
# An apostrophe is typed as the straight one and stays so.
EXPECTED = [block.replace("’", "'") for block in known.expected({"weight": "w = a^2 + b^2"})]
FACTS = {"tex": {"expected": EXPECTED}, "tex project": {"expected": EXPECTED, "format": "tex"}}
