"""Seeds for fuzz_tex: seeds_tex.py FOLDER."""
import os
import sys

SEEDS = {
    "document": r"""\documentclass[german]{article}\usepackage[latin1]{inputenc}\newcommand{\x}[2][s]{#1 #2}\def\y#1{#1^2}
\title{T\thanks{n}}\author{A \and B, C}\date{\today}\newif\ifa\newtheorem{t}{Theorem}\newenvironment{e}[1]{<#1}{>}
\DeclareMathOperator{\m}{max}\let\z=\x\begin{document}\maketitle % c
\section*[s]{Head}\label{l}Text \x{a} \x[b]{c} \y d \z{e}\footnote{n} ``q'' `s' --- "a \'e \c{c} \verb|x%| \url{u%}
\ifa no\else yes\fi\iffalse no\fi\cite[p][q]{k, j}\ref{l}\input{f}
\begin{itemize}\item[l] a\end{itemize}\begin{tabular}{l}a & b\\\multicolumn{1}{c}{d}\end{tabular}\begin{t}[n]s\end{t}
\begin{e}{a}b\end{e}\begin{verbatim}
v
\end{verbatim}\begin{tikzpicture}\end{tikzpicture}\begin{thebibliography}{9}\bibitem[l]{k} r\end{thebibliography}\end{document}""",
    "formula": r"""$x_i^{n+1} \frac{a}{b} \sqrt[3]{x} \alpha\leq \log x \hat{x} \text{if} \left( \right. ^\circ f'$ $$ a $$ \[ b \] \( c \)
\begin{align} a &= b \\ c \end{align} $\begin{pmatrix} a & b \\ c \end{pmatrix}$ \binom{n}{k} \m x""",
    "loops": r"\def\a{\b\b}\def\b{\a}\a \newcommand{\f}{\footnote{\f}}\f \let\c\d\let\d\c\c \vskip 1pt plus 1fil",
}

for name, text in SEEDS.items():
    with open(os.path.join(sys.argv[1], name), "w") as f:
        f.write(text)
