/* TeX and LaTeX: what of a source is text, macros of its own, formulas, references; and sources that go on without end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/corpus/rows.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static void text_and_signs(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"one % gone\n two\n\n\nthree", "one two\n\nthree"},
        {"con%\n  nected%\n\nnext", "connected\n\nnext"},
        {"pages 3--7 --- well-known ``so'' `it' isn't", "pages 3\xE2\x80\x93"
                                                        "7 \xE2\x80\x94 well-known \xE2\x80\x9Cso\xE2\x80\x9D "
                                                        "\xE2\x80\x98it\xE2\x80\x99 isn't"},
        {"50\\% \\$5 \\& \\# \\_ \\{x\\} a~b", "50% $5 & # _ {x} a b"},
        {"Caf\\'e \\\"{o}x \\c{c} \\v Z \\'{\\i} \\ss\\ \\L{}\\'od\\'z",
         "Caf\xC3\xA9 \xC3\xB6x \xC3\xA7 \xC5\xBD \xC3\xAD \xC3\x9F "
         "\xC5\x81\xC3\xB3"
         "d\xC5\xBA"},
        {"\\textbf{bold} {\\it x} \\unknown[opt]{kept} \\foo text", "bold x kept text"},
        {"a\\\\b \\newline c\\\\[2pt]d", "a\nb\nc\nd"},
        {"\\verb|a % \\b| \\url{http://x/%20_y} \\href{http://x}{link} \\path|c:\\d|",
         "a % \\b http://x/%20_y link c:\\d"},
        {"\\section*{Head}Text\\label{x} see \\ref{sec:a}, \\eqref{e}", "Head\n\nText see sec:a, (e)"},
        {"text\\footnote{A note.} goes on.\n\nNext", "text goes on.\n\nA note.\n\nNext"},
        {"\\begin{verbatim}\n  int x; % kept\n\\end{verbatim}after", "int x; % kept\n\nafter"},
        {"\\begin{comment}no\\end{comment}\\begin{tikzpicture}\\draw;\\end{tikzpicture}yes", "yes"},
        {"\\begin{figure}[ht]\\centering\\includegraphics[width=2cm]{x.png}\\caption[no]{A mill.}\\end{figure}",
         "A mill."},
        {"\\begin{itemize}\\item one\\item[x)] two\\end{itemize}after", "one\nx) two\n\nafter"},
        {"\\begin{tabular}{l|r}\\hline a & b \\\\ \\multicolumn{2}{c}{c}\\\\\\hline\\end{tabular}", "a b\nc"},
        {"\\begin{proof}It holds.\\end{proof}\\newtheorem{thm}{Theorem}[section]\\begin{thm}[Tarn]So.\\end{thm}",
         "Proof. It holds.\n\nTheorem (Tarn). So."},
        {"\\begin{proof}[Proof of it]So.\\end{proof}\\begin{unheard}{of} a\\end{unheard}", "Proof of it. So.\n\nof a"},
        {"\\textcolor{red}{a}\\vspace{1cm}\\hspace*{2em}\\setlength{\\x}{1pt}b \\vskip 1.5pt plus 1fil c", "a b c"},
        {"\\usepackage[ngerman]{babel}\"a\"s \"`x\"'", "\xC3\xA4\xC3\x9F \xE2\x80\x9Ex\xE2\x80\x9C"},
        {"}{ stray } \\", "stray"},
        {"\\href{http://x/%20y}{link} goes on", "link goes on"},
        {"$5 and more\n\nNext", "5 and more\n\nNext"},
        {"\\begin{tabular}{ll}\\toprule a & b\\\\\\cmidrule(lr){1-2} c & d\\\\\\end{tabular}", "a b\nc d"},
        {"\\documentclass{beamer}\\begin{frame}<2>[t]{Head}\\begin{itemize}\\item<1-> "
         "a\\end{itemize}\\only<2>{b}\\end{frame}",
         "Head\n\na\n\nb"},
        {"\\foreignlanguage{german}{Wort} \\enquote{so} \\SI{3}{\\kilo\\metre\\per\\second\\squared} \\num{7}",
         "Wort \xE2\x80\x9Cso\xE2\x80\x9D 3 km/s^2 7"},
        {"\\catcode`\\@=11 \\def\\a@b{x}\\a@b \\char65 \\font\\big=cmr10 scaled 2000 \\magnification=\\magstep1 y",
         "xA y"},
        {"\\centerline{Old}\\footnote{*}{Note.} text\\bye no", "Old\n\ntext\n\nNote."},
        {"one % no\rtwo\r\rthree % no\r\nfour", "one two\n\nthree four"},
        {"% \\begin{document}\nFragment % \\end{document}\n", "Fragment"},
        {"As \\verb|\\begin{document}| says", "As \\begin{document} says"},
        {"a \\verb|open\nb", "a open b"},
        {"\\abstract{Early.}\\title{T}\\begin{document}Text.\\end{document}", "Early.\n\nText."},
        {"\\newcommand{\\m}{Mill\\xspace}\\m is, \\m. \\eg this \\m\\footnote{n} (\\m)",
         "Mill is, Mill. e.g. this Mill (Mill)\n\nn"},
        {"a\\hspace{1em}b\\hspace{-1pt}c \\framebox[3cm][c]{d}", "a bc d"},
        {"\\begin{tabbing}a \\= b \\\\ c \\> d\\end{tabbing}\\={a}", "a b\nc d\n\n\xC4\x81"},
        {"Before.\n<<x, echo=F>>=\ny <- 1 # 5% & $z\n@\nAfter. a << b", "Before.\n\ny <- 1 # 5% & $z\n\nAfter. a << b"},
        {"\\begin{lstlisting}[language=C, caption={A mill}, label=l]\nx\n\\end{lstlisting}\\ref{l}",
         "A mill\n\nx\n\n1"},
        {"\\begin{algorithmic}[1]\\Require $x$\\If{$x>0$}\\State y\\Comment{why}\\EndIf\\end{algorithmic}",
         "Require: x\nif x>0 then\ny(why)\nend if"},
        {"\\newacronym{ml}{ML}{machine learning}\\DeclareAcronym{c}{short=CPU, long={central unit}}\\gls{ml}, "
         "\\Gls{ml}, "
         "\\acl{ml}, \\ac{c} \\acp{c} \\gls{none}",
         "machine learning (ML), ML, machine learning, central unit (CPU) CPUs none"},
        {"\\newacronym{a}{\\newacronym{a}{b}{c}x}{d}\\gls{a} \\gls{a}", "d (x) b"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_text("a.tex", cases[i][0], cases[i][1]);
}

static void formulas_stay_readable(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"$x_i^2 + y^{n+1}$", "x_i^2 + y^(n+1)"},
        {"$\\frac{a}{b+c} \\sqrt{2} \\sqrt[3]{x}$", "(a)/(b+c) \xE2\x88\x9A(2) \xE2\x88\x9A(x)"},
        {"$\\alpha\\leq\\beta$, 90$^\\circ$", "\xCE\xB1 \xE2\x89\xA4 \xCE\xB2, 90\xC2\xB0"},
        {"$f'(x) = \\log x + 2\\sin\\theta$", "f\xE2\x80\xB2(x) = log x + 2 sin \xCE\xB8"},
        {"so \\[ a = b \\] holds", "so\na = b\nholds"},
        {"$$\\left( x \\right. $$", "( x"},
        {"\\begin{align*} a &= b \\\\ c &= d \\nonumber \\end{align*}", "a = b\nc = d"},
        {"$\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}$", "a b ; c d"},
        {"$\\mathbb{R} \\hat{x} \\text{ if } \\mathrm{d}t$", "R x\xCC\x82 if dt"},
        {"\\DeclareMathOperator{\\argmax}{arg\\,max}$\\argmax_x f$", "arg max_x f"},
        {"$\\binom{n}{k}$", "(n choose k)"},
        {"$\\eqalign{a&=b\\cr c&=d}$", "a =b; c =d"},
        {"$a \\not\\in b \\not= c$", "a \xE2\x88\x89 b \xE2\x89\xA0 c"},
        {"$\\abs{x} \\ket{y} a\\over b$", "|x| |y\xE2\x9F\xA9 a/b"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_text("a.tex", cases[i][0], cases[i][1]);
}

static void macros_of_its_own_are_expanded(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"\\newcommand{\\x}{Tarn}\\x{} and \\x.", "Tarn and Tarn."},
        {"\\newcommand*\\pair[2]{#1 with #2}\\pair{a}{b}", "a with b"},
        {"\\newcommand{\\o}[2][std]{#1:#2}\\o{x} \\o[own]{y}", "std:x own:y"},
        {"\\def\\sq#1{#1^2}$\\sq a+\\sq{bc}$", "a^2+bc^2"},
        {"\\def\\odd#1.#2{no}\\odd text", "text"},
        {"\\def\\p(#1,#2){#1 and #2}\\p(a,{b,c}) \\p no", "a and b,c no"},
        {"\\def\\u#1;{<#1>}\\u the ink; rest\n\n\\u no\n\nend; ", "<the ink> rest\n\nno\n\nend;"},
        {"\\def\\w#1 {[#1]}\\w word next \\def\\b#1#{(#1)}\\b x{y}", "[word]next (x)y"},
        {"\\long\\def\\out#1\\endout{}\\out a\n\n% \\endout\nb\\endout kept", "kept"},
        {"\\NewDocumentCommand{\\say}{s O{so} m o}{#3 #2\\IfBooleanT{#1}{!}\\IfValueTF{#4}{ (#4)}{.}}"
         "\\say{A} \\say*[no]{B}[c]",
         "A so. B no! (c)"},
        {"\\lstnewenvironment{code}{}{}\\begin{code}\nx % y\n\\end{code}", "x % y"},
        {"\\newcommand{\\be}{\\begin{equation}}\\newcommand{\\ee}{\\end{equation}}\\be x \\ee", "x"},
        {"\\newcommand{\\fr}{\\frac}$\\fr{a}{b}$", "(a)/(b)"},
        {"\\let\\old\\item\\renewcommand{\\x}{y}\\let\\z=\\x\\z", "y"},
        {"\\newenvironment{q}[1]{<#1 }{>}\\begin{q}{a}b\\end{q}", "<a b>"},
        {"\\makeatletter\\newcommand{\\m}[1]{<#1\\m@x>}\\def\\m@x{!}\\makeatother\\m{a}", "<a!>"},
        {"\\ExplSyntaxOn\\tl_set:Nn\\l_x_tl{no}\\ExplSyntaxOff yes \\unheard{a}{b}{c}. \\textbf{d}e", "yes a b c. de"},
        {"\\newif\\ifdraft\\ifdraft no\\else yes\\fi{} \\drafttrue\\ifdraft shown\\else no\\fi", "yes shown"},
        {"\\iffalse a \\iftrue b \\fi \\else c \\fi d", "c d"},
        {"\\ifdef{\\x}{no}{yes} \\ifunheardof{a}{b} \\unless\\iffalse c\\fi", "yes ab c"},
        {"\\newboolean{x}\\setboolean{x}{true}\\ifthenelse{\\boolean{x}}{a}{b}\\ifthenelse{\\NOT\\boolean{x}}{a}{b}",
         "ab"},
        {"\\newcommand{\\v}{arxiv}\\ifthenelse{\\equal{\\v}{arxiv}}{long}{short}", "long"},
        {"\\def\\n{1}\\ifnum\\n=1 a\\else b\\fi \\ifx\\none\\undefined c\\else d\\fi \\if\\n0e\\else f\\fi", "acf"},
        {"\\renewcommand{\\section}{no}\\section{Head}", "Head"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_text("a.tex", cases[i][0], cases[i][1]);
}

static void citations_have_the_numbers_of_the_list(void **state) {
    (void)state;
    assert_text("a.tex",
                "as \\cite{b}, \\citep[see][p.~3]{a, b}, \\citet{c}\\begin{thebibliography}{9}\\bibitem{a} "
                "First.\\bibitem[T1]{b} "
                "\\newblock Second.\\end{thebibliography}",
                "as [T1], [see 1, T1, p. 3], [c]\n\n[1] First.\n[T1] Second.");
}

#define DATED                                                                                                          \
    "\\begin{thebibliography}{9}\\bibitem[{Renn {\\em et~al.}(1801{\\natexlab{a}})Renn, Bo}]{a} First."                \
    "\\bibitem[Tarn(1999)]{b} Second.\\end{thebibliography}"

static void citations_by_authors_and_year(void **state) {
    (void)state;
    assert_text(
        "a.tex",
        "\\citet{a,b}; \\citep[see][p.~4]{a,b}; \\citealp{b}, \\cite[p.~7]{b}, \\citeauthor{a} \\citeyear{b}, "
        "\\citet{none}" DATED,
        "Renn et al. (1801a), Tarn (1999); (see Renn et al., 1801a; Tarn, 1999, p. 4); Tarn 1999, Tarn (1999, p. 7), "
        "Renn et al. 1999, [none]\n\nFirst.\nSecond.");
    assert_text("a.tex", "\\usepackage[numbers]{natbib}\\citet{a} and \\citep{b}" DATED,
                "Renn et al. [1] and [2]\n\n[1] First.\n[2] Second.");
}

static void references_say_numbers(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"\\ref{b} \\section{A}\\label{a}\\section*{No}\\subsection{B}\\label{b}\\ref{a}, \\ref{none}",
         "1.1\n\nA\n\nNo\n\nB\n\n1, none"},
        {"\\begin{figure}\\caption{M.}\\label{f}\\end{figure}\\section{A}\\begin{table*}\\caption{\\label{t}T.}\\end{"
         "table*}"
         "\\label{a}\\autoref{f}, \\cref{f,t}, \\ref{a}",
         "M.\n\nA\n\nT.\n\nFigure 1, figure 1, table 1, 1"},
        {"\\begin{figure}\\begin{subfigure}{1cm}\\caption{a}\\end{subfigure}\\subfloat[b\\label{b}]{}\\caption{M}"
         "\\label{m}"
         "\\end{figure}\\ref{m} \\ref{b}",
         "a\n\nb\n\nM\n\n1 1b"},
        {"\\begin{align}a\\label{a}\\\\b\\nonumber\\\\c\\label{c}\\end{align}\\begin{equation}\\tag{X}\\label{x}d\\end{"
         "equation}"
         "\\begin{equation*}e\\end{equation*}\\begin{equation}\\label{f}f\\end{equation}\\eqref{a}\\eqref{c}\\eqref{x}"
         "\\eqref{f}",
         "a\nb\nc\n(X)d\ne\nf\n(1)(2)(X)(3)"},
        {"\\begin{subequations}\\label{s}\\begin{align}a\\label{a}\\\\b\\label{b}\\end{align}\\end{subequations}\\ref{"
         "s} \\ref{a} "
         "\\ref{b}",
         "a\nb\n1 1a 1b"},
        {"\\numberwithin{equation}{section}\\newtheorem{t}{Theorem}[section]\\newtheorem{l}[t]{Lemma}\\section{A}"
         "\\begin{t}\\label{t}a\\end{t}\\begin{l}\\label{l}b\\end{l}\\begin{equation}\\label{e}c\\end{equation}\\Cref{"
         "t} \\ref{l} "
         "\\eqref{e}",
         "A\n\nTheorem. a\n\nLemma. b\n\nc\nTheorem 1.1 1.2 (1.1)"},
        {"\\chapter{A}\\section{B}\\label{b}\\begin{figure}\\caption{f}\\label{f}\\end{figure}\\appendix\\chapter{C}"
         "\\label{c}\\ref{b} "
         "\\ref{f} \\autoref{c}",
         "A\n\nB\n\nf\n\nC\n\n1.1 1.1 Appendix A"},
        {"\\documentclass{revtex4-2}\\begin{document}\\section{A}\\subsection{B}\\label{b}\\ref{b}\\end{document}",
         "A\n\nB\n\nI A"},
        {"\\begin{enumerate}\\item a\\item b\\begin{enumerate}\\item\\label{i} "
         "c\\end{enumerate}\\end{enumerate}\\ref{i}",
         "a\nb\nc\n\n2a"},
        {"\\section{A}\\label{a}\\sectionref{a,a} \\sectionref{b}", "A\n\nSection 1, 1 b"},
        {"\\section{A}\\begin{scheme}\\caption{s}\\label{s}\\end{scheme}\\ref{s} \\pageref{s}", "A\n\ns\n\ns s"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_text("a.tex", cases[i][0], cases[i][1]);
}

static void documents_tell_title_authors_and_date(void **state) {
    (void)state;
    static const char source[] =
        "\\documentclass{article}\n\\newcommand{\\m}{Mill}\\title[short]{The \\m\\thanks{no}\\\\ Ledger}\n"
        "\\author{Ada Renn$^{1,2}$, Bj\\\"orn T. and Zoe \\and Lo Tarn\\thanks{no}\\\\University of Tarn\\\\ "
        "lo@tarn.invalid}\n"
        "\\date{May 2019}\n\\begin{document}\\maketitle Text. \\end{document} no";
    drt_extract made = extract_bytes("a", source, sizeof source - 1);
    assert_string_equal(made.text.data, "Text.");
    assert_string_equal(made.title.data, "The Mill Ledger");
    assert_string_equal(made.date.data, "May 2019");
    assert_int_equal(made.n_authors, 4);
    assert_string_equal(made.authors[0].data, "Ada Renn");
    assert_string_equal(made.authors[1].data, "Bj\xC3\xB6rn T.");
    assert_string_equal(made.authors[2].data, "Zoe");
    assert_string_equal(made.authors[3].data, "Lo Tarn");
    drt_extract_clear(&made);
    made = extract_bytes("a.tex", "\\date{\\today}x", 14);
    assert_null(made.date.data);
    drt_extract_clear(&made);
}

/* Nothing goes on for ever, and what came before is kept. */
static void sources_without_end(void **state) {
    (void)state;
    static const char *const cases[] = {
        "kept \\def\\x{a\\x}\\x no",
        "kept \\def\\x{\\x\\x}\\x",
        "kept \\newcommand{\\x}[1]{\\x{#1#1}}\\x{aaaa}",
        "kept \\newcommand{\\f}{\\footnote{\\f}}\\f",
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        drt_extract made = extract_bytes("a.tex", cases[i], strlen(cases[i]));
        assert_non_null(strstr(made.text.data, "kept"));
        assert_int_equal(made.status, DRT_DOCUMENT_PARTIAL);
        assert_non_null(strstr(made.reason.data, "without end"));
        drt_extract_clear(&made);
    }
    drt_buffer deep = {0};
    for (int i = 0; i < 20000; i++)
        assert_true(drt_buffer_append_text(&deep, "\\footnote{$\\frac{x"));
    drt_extract made = extract_bytes("a.tex", deep.data, deep.length);
    assert_int_equal(made.status, DRT_DOCUMENT_PARTIAL);
    drt_extract_clear(&made);
    deep.length = 0;
    for (int i = 0; i < 100000; i++) /* options that don't end are looked for so often, and no more */
        assert_true(drt_buffer_append_text(&deep, "\\item ["));
    made = extract_bytes("a.tex", deep.data, deep.length);
    assert_int_equal(made.status, DRT_DOCUMENT_PARTIAL);
    drt_extract_clear(&made);
    drt_buffer_free(&deep);
}

static void missing_files_are_told(void **state) {
    (void)state;
    static const char source[] =
        "Text \\input glyphtounicode \\input{epsf.sty} \\input{one} \\input two.tex \\include{three} goes on";
    drt_extract made = extract_bytes("a.tex", source, sizeof source - 1);
    assert_string_equal(made.text.data, "Text goes on");
    assert_string_equal(made.reason.data, "files that it includes are missing: one, two.tex, three");
    drt_extract_clear(&made);
}

static void encodings_that_are_declared(void **state) {
    (void)state;
    assert_text("a.tex", "\\usepackage[latin1]{inputenc}La for\xEAt", "La for\xC3\xAAt");
}

/* -------------------------------------------------------------- projects ---- */

#define MAIN(text) "\\documentclass{article}\\begin{document}" text "\\end{document}"

/* What includes a file again and again is cut, and says so. */
static void a_source_that_grows_beyond_measure_is_cut(void **state) {
    (void)state;
    enum { COMMENT = 1 << 20, TIMES = 17 };
    drt_buffer comment = {0}, main = {0};
    for (int i = 0; i < COMMENT; i++)
        assert_true(drt_buffer_append_byte(&comment, i == 0 ? '%' : i == COMMENT - 1 ? '\n' : 'x'));
    assert_true(drt_buffer_append_text(&main, "\\documentclass{article}\\begin{document}Begun.\n"));
    for (int i = 0; i < TIMES; i++)
        assert_true(drt_buffer_append_text(&main, "\\input{comment}\n"));
    assert_true(drt_buffer_append_text(&main, "Ended.\\end{document}"));
    scratch_make();
    scratch_write("folder/paper.tex", main.data, main.length);
    scratch_write("folder/comment.tex", comment.data, comment.length);
    assert_rows("folder",
                "folder/paper.tex | partial | tex | with what it includes it is longer than 16 MiB; the rest was "
                "not read | Begun.\n");
    scratch_remove();
    drt_buffer_free(&comment);
    drt_buffer_free(&main);
}

static void a_main_file_takes_in_what_it_includes(void **state) {
    (void)state;
    static const archive_part parts[] = {
        {"sec/intro.tex", "Intro \\x. % \\input{sec/none}\n\\input{sec/deep/more}\\endinput no", -1, NULL},
        {"sec/deep/more.tex", "More.", -1, NULL},
        {"macros.tex", "\\newcommand{\\x}{Tarn}", -1, NULL},
        {"paper.tex",
         "\\documentclass{article}\\input{macros}\\begin{document}One. \\input{sec/intro} \\include{./chap} \\cite{k}"
         "\\begin{verbatim}\\input{macros}\\end{verbatim}\\bibliography{refs}\\end{document}",
         -1, NULL},
        {"chap.tex", MAIN("Chapter."), -1, NULL},
        {"paper.bbl", "\\begin{thebibliography}{1}\\bibitem{k} A book.\\end{thebibliography}", -1, NULL},
        {"style.sty", "\\def\\x{no}", -1, NULL},
        {"left.tex", "Left over.", -1, NULL},
    };
    static const char expected[] = "%s/paper.tex | ok | tex |  | One. Intro Tarn. "
                                   "More.\\n\\nChapter.\\n\\n[1]\\n\\n\\input{macros}\\n\\n[1] A book.\n"
                                   "%s/style.sty | skipped | tex-style | it is a file of TeX's own, not a document | \n"
                                   "%s/left.tex | ok | tex |  | Left over.\n";
    static const char *const archives[][3] = {{"p.zip", "zip", NULL}, {"p.tar.gz", "ustar", "gzip"}};
    scratch_make();
    for (size_t i = 0; i < COUNT(archives); i++) {
        char rows[1000];
        snprintf(rows, sizeof rows, expected, archives[i][0], archives[i][0], archives[i][0]);
        archive_write(archives[i][0], archives[i][1], archives[i][2], parts, COUNT(parts));
        assert_rows(archives[i][0], rows);
    }
    for (size_t i = 0; i < COUNT(parts); i++) {
        char name[100];
        snprintf(name, sizeof name, "folder/%s", parts[i].name);
        scratch_write(name, parts[i].data, strlen(parts[i].data));
    }
    scratch_write("folder/zother/a.tex", "Another.", 8);
    drt_buffer rows = walk_rows(scratch_path("folder"), NULL);
    assert_non_null(strstr(rows.data, "folder/paper.tex | ok | tex |  | One. Intro Tarn. More.\\n\\nChapter."));
    assert_non_null(strstr(rows.data, "folder/zother/a.tex | ok | tex |  | Another.\n"));
    assert_null(strstr(rows.data, "folder/macros.tex"));
    drt_buffer_free(&rows);
    scratch_remove();
}

static void a_main_file_knows_what_its_styles_define(void **state) {
    (void)state;
    static const archive_part parts[] = {
        {"p/paper.tex",
         "\\documentclass[a4paper]{grell}\n\\usepackage[x]{sty/own, amsmath}\\title{\\tool: a "
         "\\none{Study}}\\begin{document}\\tool, "
         "\\sq{3} \\deep{} \\argmin{} \\inner{kept}\\begin{q}a\\end{q}\\begin{abstract}b\\end{abstract}\\end{document}",
         -1, NULL},
        {"p/grell.cls",
         "\\LoadClass{article}\\newcommand\\tool[1][Grell]{The #1} % \\newcommand{\\sq}{no}\n"
         "\\renewenvironment{abstract}{no}{no}\\AtBeginDocument{\\def\\tool{no}}\\newcommand{\\inner}[1]{\\@inner{#1}}",
         -1, NULL},
        {"p/sty/own.sty",
         "\\RequirePackage{sty/deep}\\RequirePackage{sty/own}\\def\\sq#1{#1 "
         "squared}\\DeclareMathOperator{\\argmin}{arg min}"
         "\\newenvironment{q}{<}{>}",
         -1, NULL},
        {"p/sty/deep.sty", "\\newcommand{\\deep}{deep}\\newcommand{\\unclosed}{", -1, NULL},
        {"p/other.sty", "", -1, NULL},
    };
    scratch_make();
    archive_write("s.tar.gz", "ustar", "gzip", parts, COUNT(parts));
    assert_rows("s.tar.gz",
                "s.tar.gz/p/other.sty | skipped | tex-style | it is a file of TeX's own, not a document | \n"
                "s.tar.gz/p/paper.tex | ok | tex |  | The Grell, 3 squared deep arg min kept<a>\\n\\nb\n");
    scratch_remove();
}

/* People run TeX in another folder, or where the case of names doesn't count; TeX leaves files behind. */
static void projects_as_they_lie_about(void **state) {
    (void)state;
    static const archive_part parts[] = {
        {"x/ms.tex", MAIN("Main. \\input{x/One} \\input{../parts/two} \\input{fig.pdf_t} \\input{both}"), -1, NULL},
        {"x/one.tex", "One.", -1, NULL},
        {"deep/parts/two.tex", "Two.", -1, NULL},
        {"a/both.tex", "Three.", -1, NULL},
        {"b/both.tex", "Four.", -1, NULL},
        {"x/fig.pdf_t", "\\begin{picture}(0,0)no\\end{picture}", -1, NULL},
        {"x/ms.log", "This is pdfTeX, Version 3", -1, NULL},
        {"x/ms.toc", "\\contentsline {section}{One}{1}", -1, NULL},
        {"x/diary.log", "This is a day.", -1, NULL},
    };
    scratch_make();
    archive_write("l.zip", "zip", NULL, parts, COUNT(parts));
    assert_rows("l.zip", "l.zip/x/ms.log | skipped | tex-style | it is a file of TeX's own, not a document | \n"
                         "l.zip/x/ms.toc | skipped | tex-style | it is a file of TeX's own, not a document | \n"
                         "l.zip/x/diary.log | ok | text |  | This is a day.\n"
                         "l.zip/x/ms.tex | partial | tex | files that it includes are missing: both | Main. One. Two.\n"
                         "l.zip/a/both.tex | ok | tex |  | Three.\nl.zip/b/both.tex | ok | tex |  | Four.\n");
    scratch_remove();
    assert_string_equal(format_of("hep-th9901001", "% a note\n\\input harvmac", 24)->name, "tex");
    assert_string_equal(format_of("2103.01234v2", "\\magnification=1000", 19)->name, "tex");
    assert_string_equal(format_of("notes.txt", "\\input is a command", 19)->name, "text");
    assert_string_equal(format_of("2103.01234", "\\inputs are", 11)->name, "text");
}

static void titles_wait_for_their_macros(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"\\title{\\name}\\newcommand{\\name}{The Mill}x\\bye", "The Mill"},
        {"\\title{\\unheard[a]{The Mill} of $\\mathcal{N}=2$\\thanks{no}}x", "The Mill of N=2"},
        {"\\title{}\\title{Second}\\title{Third}x", "Second"},
        {"\\def\\loop{\\loop\\loop}\\title{Mill}x\\loop", "Mill"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        drt_extract made = extract_bytes("a.tex", cases[i][0], strlen(cases[i][0]));
        assert_string_equal(made.title.data, cases[i][1]);
        drt_extract_clear(&made);
    }
}

static void lists_of_references_that_are_data(void **state) {
    (void)state;
    static const char bib[] = "Words. @string{x = {no}} @comment{@a{b, title={no}}}\n@Article{renn:1, author = {Renn, "
                              "Ada and {Tarn and Sons} and others},\n"
                              " title = \"The {Mill} & 50% of \\'Evora\", journal = {J. of Mills}, volume = 3, number "
                              "= {2}, pages = {4--5}, year = 1801,}\n"
                              "@book(tarn, title = {Eels} # { and more}, publisher={Guild}, year=\"1999\", keywords = "
                              "{no})@misc{none}@misc{open, title = {";
    static const char list[] =
        "[renn:1] Ada Renn, Tarn and Sons, et al. The Mill & 50% of \xC3\x89vora. J. of Mills 3(2), "
        "4\xE2\x80\x93"
        "5. 1801.\n[tarn] Eels and more. Guild, 1999.";
    assert_text("refs.bib", bib, list);
    static const archive_part parts[] = {
        {"a/paper.tex", MAIN("As \\cite{tarn}.\\bibliography{refs, none}"), -1, NULL},
        {"a/refs.bib", bib, -1, NULL},
        {"b/paper.tex", MAIN("As \\parencite{k}.\\printbibliography"), -1, NULL},
        {"b/paper.bbl",
         "\\entry{k}{book}{}\n\\name{author}{2}{}{%\n{{hash=1}{family={Renn},familyi={R},given={Ada}}}%\n"
         "{{hash=2}{family={Tarn}}}%\n}\n\\list{publisher}{1}{%\n{Guild}%\n}\n\\field{title}{Eels}\\field{year}{1999}"
         "\\endentry",
         -1, NULL},
    };
    scratch_make();
    archive_write("d.zip", "zip", NULL, parts, COUNT(parts));
    char rows[1000];
    snprintf(rows, sizeof rows,
             "d.zip/a/paper.tex | ok | tex |  | As [tarn].\\n\\n[tarn] Eels and more. Guild, 1999.\n"
             "d.zip/b/paper.tex | ok | tex |  | As [k].\\n\\n[k] Ada Renn, Tarn. Eels. Guild, 1999.\n"
             "d.zip/a/refs.bib | ok | bibtex |  | %.*s\\n%s\n",
             (int)(strchr(list, '\n') - list), list, strchr(list, '\n') + 1);
    assert_rows("d.zip", rows);
    scratch_remove();
    drt_buffer broken = {0};
    for (int i = 0; i < 100000; i++)
        assert_true(drt_buffer_append_text(&broken, "@a{b, c={{"));
    drt_extract made = extract_bytes("a.bib", broken.data, broken.length);
    assert_int_equal(made.text.length, 0);
    drt_extract_clear(&made);
    drt_buffer_free(&broken);
}

static void projects_that_are_traps(void **state) {
    (void)state;
    static const archive_part parts[] = {
        {"d/a.tex", MAIN("A \\input{b} \\input{a} \\input{/etc/passwd} \\input{../../../etc/passwd} \\input{../up}"),
         -1, NULL},
        {"d/b.tex", MAIN("B \\input{a}"), -1, NULL},
        {"up.tex", "Up.", -1, NULL},
        {"r.bbl", "\\entry{k}{book}{}\\endentry", -1, NULL},
    };
    scratch_make();
    archive_write("t.tar", "ustar", NULL, parts, COUNT(parts));
    assert_rows(
        "t.tar",
        "t.tar/d/a.tex | partial | tex | files that it includes are missing: /etc/passwd, ../../../etc/passwd | A B "
        "Up.\n");
    archive_part bomb[30];
    char names[30][16], texts[30][64];
    for (int i = 0; i < 30; i++) {
        snprintf(names[i], sizeof names[i], "%d.tex", i);
        snprintf(texts[i], sizeof texts[i], i ? "x\\input{%d}\\input{%d}" : MAIN("\\input{1}"), i + 1, i + 1);
        bomb[i] = (archive_part){names[i], texts[i], -1, NULL};
    }
    archive_write("bomb.tar", "ustar", NULL, bomb, 12);
    drt_buffer rows = walk_rows(scratch_path("bomb.tar"), NULL);
    assert_non_null(strstr(rows.data, "bomb.tar/0.tex | partial"));
    drt_buffer_free(&rows);
    scratch_remove();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_and_signs),
        cmocka_unit_test(formulas_stay_readable),
        cmocka_unit_test(macros_of_its_own_are_expanded),
        cmocka_unit_test(citations_have_the_numbers_of_the_list),
        cmocka_unit_test(citations_by_authors_and_year),
        cmocka_unit_test(references_say_numbers),
        cmocka_unit_test(documents_tell_title_authors_and_date),
        cmocka_unit_test(sources_without_end),
        cmocka_unit_test(missing_files_are_told),
        cmocka_unit_test(encodings_that_are_declared),
        cmocka_unit_test(a_main_file_takes_in_what_it_includes),
        cmocka_unit_test(a_source_that_grows_beyond_measure_is_cut),
        cmocka_unit_test(a_main_file_knows_what_its_styles_define),
        cmocka_unit_test(projects_as_they_lie_about),
        cmocka_unit_test(titles_wait_for_their_macros),
        cmocka_unit_test(lists_of_references_that_are_data),
        cmocka_unit_test(projects_that_are_traps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
