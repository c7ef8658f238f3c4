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
    "definitions": r"""\def\p(#1,#2){#1 #2}\p(a,{b}) \long\def\c#1\endc{}\c x\endc \def\b#1#{#1}\b x{y}
\NewDocumentCommand{\s}{s O{so} d<> r() t+ m g}{#2\IfBooleanT{#1}{!}\IfValueTF{#3}{#3}{-}}\s*[o]<p>(q)+{m}{g}
\ifthenelse{\equal{a}{b}\NOT\boolean{c}}{d}{e}\ifdef{\p}{f}{g}\newbool{h}\setbool{h}{true}\ifbool{h}{i}{j}
\ifx\p\c k\else l\fi \ifnum1<2 m\fi \if aa n\fi \unless\iffalse o\fi \lstnewenvironment{v}{}{}\begin{v}
%
\end{v}\catcode`\@=11 \char`\A \font\x=cmr10 scaled 2000 \SI{3}{\kilo\metre\per\square\second} \documentclass{beamer}\only<2->{p}""",
    "numbers": r"""\documentclass{IEEEtran}\newtheorem{t}{T}[section]\newtheorem{l}[t]{L}\numberwithin{equation}{section}
\renewcommand{\thesection}{\Roman{section}}\section{s}\label{s}\begin{t}\label{t}\end{t}\begin{align}a\label{a}\\b\nonumber\\c\tag{X}\end{align}
\begin{subequations}\begin{equation}\label{e}\end{equation}\end{subequations}\begin{figure}\begin{subfigure}{1cm}\caption{c}\label{f}\end{subfigure}
\caption{d}\end{figure}\begin{enumerate}\item\begin{enumerate}\item\label{i}\end{enumerate}\end{enumerate}\appendix\section{A}\setcounter{section}{9}
\ref{s,t} \cref{a,e} \autoref{f}\eqref{i} \citet[p]{k} \citep[a][b]{k,m}\bibitem[{R {\em et~al.}(1801)R}]{k} r \bibitem[T(1999)]{m} s""",
    "abbreviations": r"""\newacronym[x]{a}{A}{b c}\gls{a}\Glspl{a}\DeclareAcronym{d}{short=D, long={e f}}\ac{d}\acf{d}\abstract{g}
<<h>>=
i % & $
@
\begin{lstlisting}[caption={j}, label=k]
l
\end{lstlisting}\begin{tabbing}m \= n \> o\end{tabbing}\hspace{1em}\p\xspace q\begin{algorithmic}\If{r}\State s\EndIf\end{algorithmic}""",
    "bibtex": r"""@string{j = {J}} @comment{c} @article{k, author = {A, B and {C and D} and others}, title = "T {U} & 5%",
 journal = j # { x}, volume = 1, pages = {2--3}, year = 1999} @misc(m, url = {http://x/%20_y}, note = {open""",
    "biblatex": r"""\entry{k}{book}{}\name{author}{1}{}{{{hash=1}{family={A},given={B}}}}\list{publisher}{1}{%
{P}%
}\field{title}{T}\endentry \entry{l}{misc}{}\field{year}{1""",
    "style": r"""\ProvidesPackage{s}\newcommand{\x}[1]{#1}\def\y#1;{#1}\newenvironment{e}{a}{b}\newcommand\z{\@z}{\def\n{}}\def\open{""",
    "loops": r"\def\a{\b\b}\def\b{\a}\a \newcommand{\f}{\footnote{\f}}\f \let\c\d\let\d\c\c \vskip 1pt plus 1fil",
}

for name, text in SEEDS.items():
    with open(os.path.join(sys.argv[1], name), "w") as f:
        f.write(text)
