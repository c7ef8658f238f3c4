/* tex.c: symbols and macros of TeX. See tex.h. */
#include "engine/corpus/tex/tex.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MACROS 65536 /* that are kept of one document */

typedef struct {
    const char *name, *text;
} symbol;

static const symbol symbols[] = {
    /* sorted by name */
    {"\t", " "},
    {"\n", " "},
    {"\r", " "},
    {" ", " "},
    {"!", ""},
    {"#", "#"},
    {"$", "$"},
    {"%", "%"},
    {"&", "&"},
    {",", " "},
    {"-", ""},
    {"/", ""},
    {":", " "},
    {";", " "},
    {"@", ""},
    {"AA", "\xC3\x85"},
    {"AE", "\xC3\x86"},
    {"Bbbk", "\xF0\x9D\x95\x9C"},
    {"BibTeX", "BibTeX"},
    {"Box", "\xE2\x96\xA1"},
    {"DH", "\xC3\x90"},
    {"DJ", "\xC4\x90"},
    {"Delta", "\xCE\x94"},
    {"Diamond", "\xE2\x97\x87"},
    {"Downarrow", " \xE2\x87\x93 "},
    {"EUR", "\xE2\x82\xAC"},
    {"Finv", "\xE2\x84\xB2"},
    {"Gamma", "\xCE\x93"},
    {"IJ", "\xC4\xB2"},
    {"Im", "\xE2\x84\x91"},
    {"L", "\xC5\x81"},
    {"LaTeX", "LaTeX"},
    {"LaTeXe", "LaTeX"},
    {"Lambda", "\xCE\x9B"},
    {"Leftarrow", " \xE2\x87\x90 "},
    {"Leftrightarrow", " \xE2\x87\x94 "},
    {"Longleftarrow", " \xE2\x9F\xB8 "},
    {"Longleftrightarrow", " \xE2\x87\x94 "},
    {"Longrightarrow", " \xE2\x87\x92 "},
    {"NG", "\xC5\x8A"},
    {"No", "\xE2\x84\x96"},
    {"O", "\xC3\x98"},
    {"OE", "\xC5\x92"},
    {"Omega", "\xCE\xA9"},
    {"P", "\xC2\xB6"},
    {"Phi", "\xCE\xA6"},
    {"Pi", "\xCE\xA0"},
    {"Psi", "\xCE\xA8"},
    {"Re", "\xE2\x84\x9C"},
    {"Rightarrow", " \xE2\x87\x92 "},
    {"S", "\xC2\xA7"},
    {"SS", "\xE1\xBA\x9E"},
    {"Sigma", "\xCE\xA3"},
    {"TH", "\xC3\x9E"},
    {"TeX", "TeX"},
    {"Theta", "\xCE\x98"},
    {"Uparrow", " \xE2\x87\x91 "},
    {"Upsilon", "\xCE\xA5"},
    {"Vdash", " \xE2\x8A\xA9 "},
    {"Vert", "\xE2\x80\x96"},
    {"XeTeX", "XeTeX"},
    {"Xi", "\xCE\x9E"},
    {"_", "_"},
    {"aa", "\xC3\xA5"},
    {"ae", "\xC3\xA6"},
    {"aleph", "\xE2\x84\xB5"},
    {"allowbreak", ""},
    {"alpha", "\xCE\xB1"},
    {"amalg", " \xE2\xA8\xBF "},
    {"angle", "\xE2\x88\xA0"},
    {"approx", " \xE2\x89\x88 "},
    {"approxeq", " \xE2\x89\x8A "},
    {"ast", "\xE2\x88\x97"},
    {"asymp", " \xE2\x89\x8D "},
    {"atop", " "},
    {"backepsilon", "\xCF\xB6"},
    {"backsim", " \xE2\x88\xBD "},
    {"backslash", "\\"},
    {"barwedge", " \xE2\x8A\xBC "},
    {"because", " \xE2\x88\xB5 "},
    {"beta", "\xCE\xB2"},
    {"beth", "\xE2\x84\xB6"},
    {"bigcap", " \xE2\x8B\x82 "},
    {"bigcirc", "\xE2\x97\xAF"},
    {"bigcup", " \xE2\x8B\x83 "},
    {"bigodot", " \xE2\xA8\x80 "},
    {"bigoplus", " \xE2\xA8\x81 "},
    {"bigotimes", " \xE2\xA8\x82 "},
    {"bigsqcup", " \xE2\xA8\x86 "},
    {"bigstar", "\xE2\x98\x85"},
    {"biguplus", " \xE2\xA8\x84 "},
    {"bigvee", " \xE2\x8B\x81 "},
    {"bigwedge", " \xE2\x8B\x80 "},
    {"blacklozenge", "\xE2\xA7\xAB"},
    {"blacksquare", "\xE2\x96\xA0"},
    {"blacktriangle", "\xE2\x96\xB2"},
    {"blacktriangleright", "\xE2\x96\xB6"},
    {"bot", "\xE2\x8A\xA5"},
    {"bowtie", " \xE2\x8B\x88 "},
    {"boxplus", " \xE2\x8A\x9E "},
    {"boxtimes", " \xE2\x8A\xA0 "},
    {"bullet", "\xE2\x80\xA2"},
    {"cap", " \xE2\x88\xA9 "},
    {"cdot", "\xE2\x8B\x85"},
    {"cdots", "\xE2\x8B\xAF"},
    {"checkmark", "\xE2\x9C\x93"},
    {"chi", "\xCF\x87"},
    {"choose", " choose "},
    {"circ", "\xE2\x88\x98"},
    {"circledast", " \xE2\x8A\x9B "},
    {"circledcirc", " \xE2\x8A\x9A "},
    {"clubsuit", "\xE2\x99\xA3"},
    {"colon", ":"},
    {"coloneq", " \xE2\x89\x94 "},
    {"coloneqq", " \xE2\x89\x94 "},
    {"colonequals", " \xE2\x89\x94 "},
    {"complement", "\xE2\x88\x81"},
    {"cong", " \xE2\x89\x85 "},
    {"coprod", "\xE2\x88\x90"},
    {"copyright", "\xC2\xA9"},
    {"cprime", "'"},
    {"cup", " \xE2\x88\xAA "},
    {"dag", "\xE2\x80\xA0"},
    {"dagger", "\xE2\x80\xA0"},
    {"daleth", "\xE2\x84\xB8"},
    {"dashv", " \xE2\x8A\xA3 "},
    {"ddag", "\xE2\x80\xA1"},
    {"ddagger", "\xE2\x80\xA1"},
    {"ddots", "\xE2\x8B\xB1"},
    {"degree", "\xC2\xB0"},
    {"delta", "\xCE\xB4"},
    {"dh", "\xC3\xB0"},
    {"diamond", "\xE2\x8B\x84"},
    {"diamondsuit", "\xE2\x99\xA6"},
    {"digamma", "\xCF\x9D"},
    {"div", " \xC3\xB7 "},
    {"dj", "\xC4\x91"},
    {"doteq", " \xE2\x89\x90 "},
    {"dotplus", " \xE2\x88\x94 "},
    {"dots", "\xE2\x80\xA6"},
    {"dotsb", "\xE2\x8B\xAF"},
    {"dotsc", "\xE2\x80\xA6"},
    {"dotsi", "\xE2\x8B\xAF"},
    {"dotsm", "\xE2\x8B\xAF"},
    {"dotso", "\xE2\x80\xA6"},
    {"downarrow", " \xE2\x86\x93 "},
    {"ell", "\xE2\x84\x93"},
    {"emptyset", "\xE2\x88\x85"},
    {"enspace", " "},
    {"ensuremath", ""},
    {"epsilon", "\xCF\xB5"},
    {"eqqcolon", " \xE2\x89\x95 "},
    {"eqsim", " \xE2\x89\x82 "},
    {"equiv", " \xE2\x89\xA1 "},
    {"eta", "\xCE\xB7"},
    {"eth", "\xC3\xB0"},
    {"euro", "\xE2\x82\xAC"},
    {"exists", "\xE2\x88\x83"},
    {"fg", "\xC2\xBB"},
    {"flat", "\xE2\x99\xAD"},
    {"flqq", "\xC2\xAB"},
    {"forall", "\xE2\x88\x80"},
    {"frown", " \xE2\x8C\xA2 "},
    {"frqq", "\xC2\xBB"},
    {"gamma", "\xCE\xB3"},
    {"ge", " \xE2\x89\xA5 "},
    {"geq", " \xE2\x89\xA5 "},
    {"geqslant", " \xE2\x89\xA5 "},
    {"gets", " \xE2\x86\x90 "},
    {"gg", " \xE2\x89\xAB "},
    {"ggg", " \xE2\x8B\x99 "},
    {"gimel", "\xE2\x84\xB7"},
    {"glqq", "\xE2\x80\x9E"},
    {"grqq", "\xE2\x80\x9C"},
    {"gt", " > "},
    {"gtrsim", " \xE2\x89\xB3 "},
    {"guillemetleft", "\xC2\xAB"},
    {"guillemetright", "\xC2\xBB"},
    {"guillemotleft", "\xC2\xAB"},
    {"guillemotright", "\xC2\xBB"},
    {"guilsinglleft", "\xE2\x80\xB9"},
    {"guilsinglright", "\xE2\x80\xBA"},
    {"hbar", "\xE2\x84\x8F"},
    {"heartsuit", "\xE2\x99\xA5"},
    {"hfil", " "},
    {"hfill", " "},
    {"hookleftarrow", " \xE2\x86\xA9 "},
    {"hookrightarrow", " \xE2\x86\xAA "},
    {"hslash", "\xE2\x84\x8F"},
    {"i", "\xC4\xB1"},
    {"idotsint", "\xE2\x88\xAB"},
    {"iff", " \xE2\x87\x94 "},
    {"iiint", "\xE2\x88\xAD"},
    {"iint", "\xE2\x88\xAC"},
    {"ij", "\xC4\xB3"},
    {"imath", "\xC4\xB1"},
    {"implies", " \xE2\x87\x92 "},
    {"in", " \xE2\x88\x88 "},
    {"infinity", "\xE2\x88\x9E"},
    {"infty", "\xE2\x88\x9E"},
    {"int", "\xE2\x88\xAB"},
    {"iota", "\xCE\xB9"},
    {"j", "\xC8\xB7"},
    {"jmath", "\xC8\xB7"},
    {"kappa", "\xCE\xBA"},
    {"l", "\xC5\x82"},
    {"lVert", "\xE2\x80\x96"},
    {"lambda", "\xCE\xBB"},
    {"land", " \xE2\x88\xA7 "},
    {"langle", "\xE2\x9F\xA8"},
    {"lbrace", "{"},
    {"lbrack", "["},
    {"lceil", "\xE2\x8C\x88"},
    {"ldots", "\xE2\x80\xA6"},
    {"le", " \xE2\x89\xA4 "},
    {"leadsto", " \xE2\x87\x9D "},
    {"leftarrow", " \xE2\x86\x90 "},
    {"leftharpoondown", " \xE2\x86\xBD "},
    {"leftharpoonup", " \xE2\x86\xBC "},
    {"leftrightarrow", " \xE2\x86\x94 "},
    {"leq", " \xE2\x89\xA4 "},
    {"leqslant", " \xE2\x89\xA4 "},
    {"less", " < "},
    {"lesssim", " \xE2\x89\xB2 "},
    {"lfloor", "\xE2\x8C\x8A"},
    {"lgroup", "\xE2\x9F\xAE"},
    {"lhd", " \xE2\x8A\xB2 "},
    {"ll", " \xE2\x89\xAA "},
    {"llbracket", "\xE2\x9F\xA6"},
    {"llcorner", "\xE2\x8C\x9E"},
    {"lll", " \xE2\x8B\x98 "},
    {"lmoustache", "\xE2\x8E\xB0"},
    {"lnot", "\xC2\xAC"},
    {"longleftarrow", " \xE2\x86\x90 "},
    {"longleftrightarrow", " \xE2\x9F\xB7 "},
    {"longmapsto", " \xE2\x86\xA6 "},
    {"longrightarrow", " \xE2\x86\x92 "},
    {"lor", " \xE2\x88\xA8 "},
    {"lozenge", "\xE2\x97\x8A"},
    {"lq", "\xE2\x80\x98"},
    {"lrcorner", "\xE2\x8C\x9F"},
    {"lt", " < "},
    {"ltimes", " \xE2\x8B\x89 "},
    {"lvert", "|"},
    {"mapsto", " \xE2\x86\xA6 "},
    {"measuredangle", "\xE2\x88\xA1"},
    {"mho", "\xE2\x84\xA7"},
    {"micro", "\xC2\xB5"},
    {"mid", "|"},
    {"models", " \xE2\x8A\xA8 "},
    {"mp", " \xE2\x88\x93 "},
    {"mu", "\xCE\xBC"},
    {"nabla", "\xE2\x88\x87"},
    {"natural", "\xE2\x99\xAE"},
    {"ncong", " \xE2\x89\x87 "},
    {"ne", " \xE2\x89\xA0 "},
    {"nearrow", " \xE2\x86\x97 "},
    {"neg", "\xC2\xAC"},
    {"neq", " \xE2\x89\xA0 "},
    {"newblock", " "},
    {"nexists", "\xE2\x88\x84"},
    {"ng", "\xC5\x8B"},
    {"ngeq", " \xE2\x89\xB1 "},
    {"ngtr", " \xE2\x89\xAF "},
    {"ni", " \xE2\x88\x8B "},
    {"nleq", " \xE2\x89\xB0 "},
    {"nless", " \xE2\x89\xAE "},
    {"nmid", " \xE2\x88\xA4 "},
    {"nobreakspace", " "},
    {"notin", " \xE2\x88\x89 "},
    {"nparallel", " \xE2\x88\xA6 "},
    {"nsubset", " \xE2\x8A\x84 "},
    {"nsubseteq", " \xE2\x8A\x88 "},
    {"nu", "\xCE\xBD"},
    {"nvDash", " \xE2\x8A\xAD "},
    {"nvdash", " \xE2\x8A\xAC "},
    {"nwarrow", " \xE2\x86\x96 "},
    {"o", "\xC3\xB8"},
    {"odot", " \xE2\x8A\x99 "},
    {"oe", "\xC5\x93"},
    {"og", "\xC2\xAB"},
    {"ohm", "\xCE\xA9"},
    {"oint", "\xE2\x88\xAE"},
    {"omega", "\xCF\x89"},
    {"ominus", " \xE2\x8A\x96 "},
    {"oplus", " \xE2\x8A\x95 "},
    {"oslash", " \xE2\x8A\x98 "},
    {"otimes", " \xE2\x8A\x97 "},
    {"over", "/"},
    {"parallel", " \xE2\x88\xA5 "},
    {"partial", "\xE2\x88\x82"},
    {"permil", "\xE2\x80\xB0"},
    {"perp", " \xE2\x8A\xA5 "},
    {"phi", "\xCF\x95"},
    {"pi", "\xCF\x80"},
    {"pm", " \xC2\xB1 "},
    {"pounds", "\xC2\xA3"},
    {"prec", " \xE2\x89\xBA "},
    {"preccurlyeq", " \xE2\x89\xBC "},
    {"preceq", " \xE2\xAA\xAF "},
    {"precsim", " \xE2\x89\xBE "},
    {"prime", "\xE2\x80\xB2"},
    {"prod", "\xE2\x88\x8F"},
    {"propto", " \xE2\x88\x9D "},
    {"psi", "\xCF\x88"},
    {"qed", "\xE2\x88\x8E"},
    {"qquad", " "},
    {"quad", " "},
    {"quotedblbase", "\xE2\x80\x9E"},
    {"quotesinglbase", "\xE2\x80\x9A"},
    {"rVert", "\xE2\x80\x96"},
    {"rangle", "\xE2\x9F\xA9"},
    {"rbrace", "}"},
    {"rbrack", "]"},
    {"rceil", "\xE2\x8C\x89"},
    {"rfloor", "\xE2\x8C\x8B"},
    {"rgroup", "\xE2\x9F\xAF"},
    {"rhd", " \xE2\x8A\xB3 "},
    {"rho", "\xCF\x81"},
    {"rightarrow", " \xE2\x86\x92 "},
    {"rightharpoondown", " \xE2\x87\x81 "},
    {"rightharpoonup", " \xE2\x87\x80 "},
    {"rightleftarrows", " \xE2\x87\x84 "},
    {"rightleftharpoons", " \xE2\x87\x8C "},
    {"rightrightarrows", " \xE2\x87\x89 "},
    {"rightsquigarrow", " \xE2\x87\x9D "},
    {"rq", "\xE2\x80\x99"},
    {"rrbracket", "\xE2\x9F\xA7"},
    {"rtimes", " \xE2\x8B\x8A "},
    {"rvert", "|"},
    {"searrow", " \xE2\x86\x98 "},
    {"setminus", " \xE2\x88\x96 "},
    {"sharp", "\xE2\x99\xAF"},
    {"sigma", "\xCF\x83"},
    {"sim", " \xE2\x88\xBC "},
    {"simeq", " \xE2\x89\x83 "},
    {"slash", "/"},
    {"smile", " \xE2\x8C\xA3 "},
    {"space", " "},
    {"spadesuit", "\xE2\x99\xA0"},
    {"sphericalangle", "\xE2\x88\xA2"},
    {"sqcap", " \xE2\x8A\x93 "},
    {"sqcup", " \xE2\x8A\x94 "},
    {"sqsubseteq", " \xE2\x8A\x91 "},
    {"sqsupseteq", " \xE2\x8A\x92 "},
    {"square", "\xE2\x96\xA1"},
    {"ss", "\xC3\x9F"},
    {"star", "\xE2\x8B\x86"},
    {"subset", " \xE2\x8A\x82 "},
    {"subseteq", " \xE2\x8A\x86 "},
    {"subsetneq", " \xE2\x8A\x8A "},
    {"succ", " \xE2\x89\xBB "},
    {"succcurlyeq", " \xE2\x89\xBD "},
    {"succeq", " \xE2\xAA\xB0 "},
    {"succsim", " \xE2\x89\xBF "},
    {"sum", "\xE2\x88\x91"},
    {"supset", " \xE2\x8A\x83 "},
    {"supseteq", " \xE2\x8A\x87 "},
    {"supsetneq", " \xE2\x8A\x8B "},
    {"surd", "\xE2\x88\x9A"},
    {"swarrow", " \xE2\x86\x99 "},
    {"tau", "\xCF\x84"},
    {"textalpha", "\xCE\xB1"},
    {"textasciiacute", "\xC2\xB4"},
    {"textasciicircum", "^"},
    {"textasciidieresis", "\xC2\xA8"},
    {"textasciigrave", "`"},
    {"textasciimacron", "\xC2\xAF"},
    {"textasciitilde", "~"},
    {"textasteriskcentered", "*"},
    {"textbackslash", "\\"},
    {"textbar", "|"},
    {"textbeta", "\xCE\xB2"},
    {"textbraceleft", "{"},
    {"textbraceright", "}"},
    {"textbullet", "\xE2\x80\xA2"},
    {"textcent", "\xC2\xA2"},
    {"textcopyright", "\xC2\xA9"},
    {"textdagger", "\xE2\x80\xA0"},
    {"textdaggerdbl", "\xE2\x80\xA1"},
    {"textdegree", "\xC2\xB0"},
    {"textdelta", "\xCE\xB4"},
    {"textdiv", "\xC3\xB7"},
    {"textdollar", "$"},
    {"textellipsis", "\xE2\x80\xA6"},
    {"textemdash", "\xE2\x80\x94"},
    {"textendash", "\xE2\x80\x93"},
    {"texteuro", "\xE2\x82\xAC"},
    {"textexclamdown", "\xC2\xA1"},
    {"textgamma", "\xCE\xB3"},
    {"textgreater", ">"},
    {"textlangle", "\xE2\x8C\xA9"},
    {"textleftarrow", " \xE2\x86\x90 "},
    {"textless", "<"},
    {"textminus", "\xE2\x88\x92"},
    {"textmu", "\xC2\xB5"},
    {"textnumero", "\xE2\x84\x96"},
    {"textonehalf", "\xC2\xBD"},
    {"textonequarter", "\xC2\xBC"},
    {"textordfeminine", "\xC2\xAA"},
    {"textordmasculine", "\xC2\xBA"},
    {"textparagraph", "\xC2\xB6"},
    {"textperiodcentered", "\xC2\xB7"},
    {"textperthousand", "\xE2\x80\xB0"},
    {"textpm", "\xC2\xB1"},
    {"textquestiondown", "\xC2\xBF"},
    {"textquotedbl", "\""},
    {"textquotedblleft", "\xE2\x80\x9C"},
    {"textquotedblright", "\xE2\x80\x9D"},
    {"textquoteleft", "\xE2\x80\x98"},
    {"textquoteright", "\xE2\x80\x99"},
    {"textquotesingle", "'"},
    {"textquotestraightbase", "\xE2\x80\x9A"},
    {"textregistered", "\xC2\xAE"},
    {"textrightarrow", " \xE2\x86\x92 "},
    {"textsection", "\xC2\xA7"},
    {"textsterling", "\xC2\xA3"},
    {"textthreequarters", "\xC2\xBE"},
    {"texttimes", "\xC3\x97"},
    {"texttrademark", "\xE2\x84\xA2"},
    {"textunderscore", "_"},
    {"textvisiblespace", " "},
    {"textyen", "\xC2\xA5"},
    {"th", "\xC3\xBE"},
    {"therefore", " \xE2\x88\xB4 "},
    {"theta", "\xCE\xB8"},
    {"thinspace", " "},
    {"times", " \xC3\x97 "},
    {"to", " \xE2\x86\x92 "},
    {"top", "\xE2\x8A\xA4"},
    {"triangle", "\xE2\x96\xB3"},
    {"triangledown", "\xE2\x96\xBD"},
    {"triangleleft", "\xE2\x97\x81"},
    {"trianglelefteq", " \xE2\x8A\xB4 "},
    {"triangleq", " \xE2\x89\x9C "},
    {"triangleright", "\xE2\x96\xB7"},
    {"trianglerighteq", " \xE2\x8A\xB5 "},
    {"twoheadrightarrow", " \xE2\x86\xA0 "},
    {"ulcorner", "\xE2\x8C\x9C"},
    {"unlhd", " \xE2\x8A\xB4 "},
    {"unrhd", " \xE2\x8A\xB5 "},
    {"upalpha", "\xCE\xB1"},
    {"uparrow", " \xE2\x86\x91 "},
    {"upbeta", "\xCE\xB2"},
    {"updownarrow", " \xE2\x86\x95 "},
    {"upgamma", "\xCE\xB3"},
    {"uplambda", "\xCE\xBB"},
    {"uplus", " \xE2\x8A\x8E "},
    {"upmu", "\xC2\xB5"},
    {"uppi", "\xCF\x80"},
    {"upsigma", "\xCF\x83"},
    {"upsilon", "\xCF\x85"},
    {"urcorner", "\xE2\x8C\x9D"},
    {"vDash", " \xE2\x8A\xA8 "},
    {"varepsilon", "\xCE\xB5"},
    {"varkappa", "\xCF\xB0"},
    {"varnothing", "\xE2\x88\x85"},
    {"varphi", "\xCF\x86"},
    {"varpi", "\xCF\x96"},
    {"varrho", "\xCF\xB1"},
    {"varsigma", "\xCF\x82"},
    {"vartheta", "\xCF\x91"},
    {"vartriangleleft", " \xE2\x8A\xB2 "},
    {"vartriangleright", " \xE2\x8A\xB3 "},
    {"vdash", " \xE2\x8A\xA2 "},
    {"vdots", "\xE2\x8B\xAE"},
    {"vee", " \xE2\x88\xA8 "},
    {"veebar", " \xE2\x8A\xBB "},
    {"vert", "|"},
    {"wedge", " \xE2\x88\xA7 "},
    {"wp", "\xE2\x84\x98"},
    {"wr", " \xE2\x89\x80 "},
    {"xi", "\xCE\xBE"},
    {"zeta", "\xCE\xB6"},
    {"{", "{"},
    {"|", "\xE2\x80\x96"},
    {"}", "}"},
};

static const symbol accents[] = {
    /* sorted by name */
    {"\"", "\xCC\x88"}, {"'", "\xCC\x81"}, {".", "\xCC\x87"}, {"=", "\xCC\x84"}, {"H", "\xCC\x8B"},
    {"^", "\xCC\x82"},  {"`", "\xCC\x80"}, {"b", "\xCC\xB1"}, {"c", "\xCC\xA7"}, {"d", "\xCC\xA3"},
    {"k", "\xCC\xA8"},  {"r", "\xCC\x8A"}, {"u", "\xCC\x86"}, {"v", "\xCC\x8C"}, {"~", "\xCC\x83"},
};

static const symbol math_accents[] = {
    /* sorted by name */
    {"acute", "\xCC\x81"}, {"bar", "\xCC\x84"},     {"breve", "\xCC\x86"},   {"check", "\xCC\x8C"},
    {"ddot", "\xCC\x88"},  {"dot", "\xCC\x87"},     {"grave", "\xCC\x80"},   {"hat", "\xCC\x82"},
    {"tilde", "\xCC\x83"}, {"vec", "\xE2\x83\x97"}, {"widehat", "\xCC\x82"}, {"widetilde", "\xCC\x83"},
};

static const symbol functions[] = {
    /* sorted by name */
    {"Pr", NULL},   {"arccos", NULL}, {"arcsin", NULL}, {"arctan", NULL}, {"arg", NULL}, {"cos", NULL},
    {"cosh", NULL}, {"cot", NULL},    {"coth", NULL},   {"csc", NULL},    {"deg", NULL}, {"det", NULL},
    {"dim", NULL},  {"exp", NULL},    {"gcd", NULL},    {"hom", NULL},    {"inf", NULL}, {"ker", NULL},
    {"lg", NULL},   {"lim", NULL},    {"liminf", NULL}, {"limsup", NULL}, {"ln", NULL},  {"log", NULL},
    {"max", NULL},  {"min", NULL},    {"mod", NULL},    {"sec", NULL},    {"sin", NULL}, {"sinh", NULL},
    {"sup", NULL},  {"tan", NULL},    {"tanh", NULL},
};

static int compare_symbol(const void *key, const void *item) {
    const char *name = ((const symbol *)item)->name;
    return drt_string_compare(key, name, strlen(name));
}

static const symbol *find_symbol(const symbol *table, size_t n, const char *name, size_t length) {
    drt_string key = {(char *)name, length};
    return bsearch(&key, table, n, sizeof *table, compare_symbol);
}

#define FIND(table, name, length) find_symbol(table, sizeof(table) / sizeof *(table), name, length)

const char *drt_tex_symbol(const char *name, size_t length) {
    const symbol *found = FIND(symbols, name, length);
    return found ? found->text : NULL;
}

const char *drt_tex_accent(const char *name, size_t length, bool *math) {
    const symbol *found = FIND(accents, name, length);
    *math = !found;
    if (!found)
        found = FIND(math_accents, name, length);
    return found ? found->text : NULL;
}

bool drt_tex_is_function(const char *name, size_t length) {
    return FIND(functions, name, length) != NULL;
}

size_t drt_tex_control(const char *data, size_t length, bool at_letter) {
    size_t n = 1;
    while (n < length && (isalpha((unsigned char)data[n]) || (at_letter && data[n] == '@')))
        n++;
    if (n > 1 || length == 1)
        return n;
    return drt_utf8_ceil(data, length, 2);
}

bool drt_tex_contains(const char *data, size_t length, const char *word) {
    size_t n = strlen(word);
    for (size_t at = 0; at + n <= length; at++) {
        const char *first = memchr(data + at, word[0], length - at);
        if (!first || (at = (size_t)(first - data)) + n > length)
            break;
        if (memcmp(first, word, n) == 0)
            return true;
    }
    return false;
}

void drt_tex_end_lines(drt_buffer *text) {
    size_t n = 0;
    if (text->length == 0 || !memchr(text->data, '\r', text->length))
        return;
    for (size_t at = 0; at < text->length; at++) {
        bool feed = at + 1 < text->length && text->data[at + 1] == '\n';
        if (text->data[at] != '\r')
            text->data[n++] = text->data[at];
        else if (!feed)
            text->data[n++] = '\n';
    }
    text->length = n;
    text->data[n] = 0;
}

/* "\usepackage[latin1]{inputenc}": what the document says of its bytes. */
size_t drt_tex_encoding(const char *data, size_t length, const char **label) {
    static const struct {
        const char *option, *label;
    } encodings[] = {{"latin1]", "iso-8859-1"},   {"latin2]", "iso-8859-2"},
                     {"latin9]", "iso-8859-15"},  {"ansinew]", "windows-1252"},
                     {"cp1252]", "windows-1252"}, {"cp1251]", "windows-1251"},
                     {"koi8-r]", "koi8-r"},       {"cp1250]", "windows-1250"},
                     {"applemac]", "macintosh"},  {"utf8]", "utf-8"}};
    for (size_t i = 0; i < sizeof encodings / sizeof *encodings; i++) {
        char word[64];
        snprintf(word, sizeof word, "%s{inputenc}", encodings[i].option);
        if (drt_tex_contains(data, length, word)) {
            *label = encodings[i].label;
            return strlen(*label);
        }
    }
    return 0;
}

/* ------------------------------------------------------------------ macros ---- */

static uint32_t hash_name(const char *name, size_t length) {
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)name[i]) * 16777619u;
    return hash;
}

/* The slot where the name is, or would be. */
static uint32_t *find_slot(const drt_tex_macros *macros, const char *name, size_t length) {
    size_t at = hash_name(name, length) & (macros->n_slots - 1);
    while (macros->slots[at] && !drt_string_equal(&macros->items[macros->slots[at] - 1].name, name, length))
        at = (at + 1) & (macros->n_slots - 1);
    return &macros->slots[at];
}

static bool grow(drt_tex_macros *macros) {
    size_t n = macros->n_slots ? 2 * macros->n_slots : 256;
    uint32_t *slots = calloc(n, sizeof *slots);
    if (!slots)
        return false;
    free(macros->slots);
    macros->slots = slots;
    macros->n_slots = n;
    for (size_t i = 0; i < macros->n; i++)
        *find_slot(macros, macros->items[i].name.data, macros->items[i].name.length) = (uint32_t)i + 1;
    return true;
}

void drt_tex_macro_clear(drt_tex_macro *macro) {
    drt_string_free(&macro->name);
    drt_string_free(&macro->body);
    drt_string_free(&macro->standard);
    drt_string_free(&macro->pattern);
    *macro = (drt_tex_macro){0};
}

bool drt_tex_define(drt_tex_macros *macros, drt_tex_macro *macro) {
    bool ok = 2 * (macros->n + 1) <= macros->n_slots || grow(macros);
    uint32_t *slot = ok ? find_slot(macros, macro->name.data, macro->name.length) : NULL;
    if (slot && *slot) {
        drt_tex_macro_clear(&macros->items[*slot - 1]);
        macros->items[*slot - 1] = *macro;
        *macro = (drt_tex_macro){0};
    } else if (slot && macros->n < MACROS) {
        ok = drt_array_grow((void **)&macros->items, macros->n, sizeof *macros->items);
        if (ok) {
            macros->items[macros->n++] = *macro;
            *slot = (uint32_t)macros->n;
            *macro = (drt_tex_macro){0};
        }
    }
    drt_tex_macro_clear(macro);
    return ok;
}

const drt_tex_macro *drt_tex_find(const drt_tex_macros *macros, const char *name, size_t length) {
    uint32_t slot = macros->n ? *find_slot(macros, name, length) : 0;
    return slot ? &macros->items[slot - 1] : NULL;
}

void drt_tex_macros_free(drt_tex_macros *macros) {
    for (size_t i = 0; i < macros->n; i++)
        drt_tex_macro_clear(&macros->items[i]);
    free(macros->items);
    free(macros->slots);
    *macros = (drt_tex_macros){0};
}
