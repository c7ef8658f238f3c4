"""Seeds for fuzz_project: seeds_project.py FOLDER. main.tex, a.tex, sub/b.tex, main.bbl, sub/c, second.tex, r.bib, own.sty."""
import os
import sys

MAIN = "\\documentclass{article}\\usepackage{own}\n\\graphicspath{{x}}\n\\begin{document}One %s\n\\bibliography{r}\\end{document}"
SEEDS = {
    "includes": (MAIN % "\\input{a} \\include{sub/b}\\subfile{sub/c}", "A \\input sub/b.tex ", "B % \\input{a}", "\\begin{thebibliography}{9}\\bibitem{k} R\\end{thebibliography}",
                 "C", "not a main file"),
    "ring": (MAIN % "\\input{a}\\input{a}", "\\input{sub/b}", "\\input{../a}\\input{main}", "", "", MAIN % "\\import{sub/}{b}"),
    "outside": (MAIN % "\\input{/etc/passwd}\\input{../../x}\\input{sub/../a}\\InputIfFileExists{sub/c}{}{}", "A", "B", "", "C", ""),
    "cut": (MAIN % "\\begin{verbatim}\\input{a}\\end{verbatim}\\endinput \\input{a}", "A\\endinput no", "\\iffalse\\input{a}\\fi", "", "", ""),
}
BIB = ("@string{j = \"Journal\"} @comment{x} @preamble{\"\\\\def\\\\x{y}\"}\n@article{k, author = {Ada Marsh and Keeper, B.}, title = {The {L}amp \\\\'e}, "
       "journal = j # \" of \" # {Fens}, year = 1874, pages = {1--2}}\n@book(k2, title = \"Brid{ge\")\n@misc{k3, crossref = {k}, url = {http://a/b_c}}")
SEEDS["bibtex"] = (MAIN % "\\cite{k,k2}\\nocite{*}", "", "", "", "", "", BIB, "\\newcommand{\\own}[1]{Own #1}")
for name, parts in SEEDS.items():
    with open(os.path.join(sys.argv[1], name), "w") as f:
        f.write("\0".join(parts))
