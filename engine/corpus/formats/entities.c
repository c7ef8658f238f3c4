/* entities.c: names of characters, and what a document declares. See entities.h. */
#include "engine/corpus/formats/entities.h"

#include <stdlib.h>
#include <string.h>

#define HEAD 65536        /* bytes of a document that are searched for its type */
#define DECLARED 1024     /* names that are kept */
#define NAME 64           /* bytes of a name */
#define GROWTH (1u << 20) /* bytes that a document may grow by */

typedef struct {
    const char *name;
    uint32_t code_point;
} named;

/* Letters of Latin Extended-A, Greek and Cyrillic, signs, fractions and spaces, from HTML 5 and ISO 8879. */
static const named names[] = {
    /* sorted by name */
    {"Abreve", 0x0102},     {"Acy", 0x0410},       {"Agr", 0x0391},        {"Amacr", 0x0100},    {"Aogon", 0x0104},
    {"Bcy", 0x0411},        {"Bgr", 0x0392},       {"CHcy", 0x0427},       {"Cacute", 0x0106},   {"Ccaron", 0x010C},
    {"Ccirc", 0x0108},      {"Cdot", 0x010A},      {"DJcy", 0x0402},       {"DScy", 0x0405},     {"DZcy", 0x040F},
    {"Dcaron", 0x010E},     {"Dcy", 0x0414},       {"Del", 0x2207},        {"Dgr", 0x0394},      {"Dstrok", 0x0110},
    {"EEgr", 0x0397},       {"ENG", 0x014A},       {"Ecaron", 0x011A},     {"Ecy", 0x042D},      {"Edot", 0x0116},
    {"Egr", 0x0395},        {"Emacr", 0x0112},     {"Eogon", 0x0118},      {"Fcy", 0x0424},      {"GJcy", 0x0403},
    {"Gbreve", 0x011E},     {"Gcedil", 0x0122},    {"Gcirc", 0x011C},      {"Gcy", 0x0413},      {"Gdot", 0x0120},
    {"Ggr", 0x0393},        {"HARDcy", 0x042A},    {"Hcirc", 0x0124},      {"Hstrok", 0x0126},   {"IEcy", 0x0415},
    {"IJlig", 0x0132},      {"IOcy", 0x0401},      {"Icy", 0x0418},        {"Idot", 0x0130},     {"Igr", 0x0399},
    {"Im", 0x2111},         {"Imacr", 0x012A},     {"Integral", 0x222B},   {"Iogon", 0x012E},    {"Itilde", 0x0128},
    {"Iukcy", 0x0406},      {"Jcirc", 0x0134},     {"Jcy", 0x0419},        {"Jsercy", 0x0408},   {"Jukcy", 0x0404},
    {"KHcy", 0x0425},       {"KHgr", 0x03A7},      {"KJcy", 0x040C},       {"Kcedil", 0x0136},   {"Kcy", 0x041A},
    {"Kgr", 0x039A},        {"LJcy", 0x0409},      {"Lacute", 0x0139},     {"Lcaron", 0x013D},   {"Lcedil", 0x013B},
    {"Lcy", 0x041B},        {"Leftarrow", 0x21D0}, {"Lgr", 0x039B},        {"Lmidot", 0x013F},   {"Lstrok", 0x0141},
    {"Mcy", 0x041C},        {"Mgr", 0x039C},       {"NJcy", 0x040A},       {"Nacute", 0x0143},   {"Ncaron", 0x0147},
    {"Ncedil", 0x0145},     {"Ncy", 0x041D},       {"NewLine", 0x000A},    {"Ngr", 0x039D},      {"NoBreak", 0x2060},
    {"OHgr", 0x03A9},       {"Ocy", 0x041E},       {"Odblac", 0x0150},     {"Ogr", 0x039F},      {"Omacr", 0x014C},
    {"PHgr", 0x03A6},       {"PSgr", 0x03A8},      {"Pcy", 0x041F},        {"Pgr", 0x03A0},      {"PlusMinus", 0x00B1},
    {"Product", 0x220F},    {"Racute", 0x0154},    {"Rcaron", 0x0158},     {"Rcedil", 0x0156},   {"Rcy", 0x0420},
    {"Re", 0x211C},         {"Rgr", 0x03A1},       {"Rightarrow", 0x21D2}, {"SHCHcy", 0x0429},   {"SHcy", 0x0428},
    {"SOFTcy", 0x042C},     {"Sacute", 0x015A},    {"Scedil", 0x015E},     {"Scirc", 0x015C},    {"Scy", 0x0421},
    {"Sgr", 0x03A3},        {"Sum", 0x2211},       {"THgr", 0x0398},       {"TSHcy", 0x040B},    {"TScy", 0x0426},
    {"Tab", 0x0009},        {"Tcaron", 0x0164},    {"Tcedil", 0x0162},     {"Tcy", 0x0422},      {"Tgr", 0x03A4},
    {"ThinSpace", 0x2009},  {"Tstrok", 0x0166},    {"Ubrcy", 0x040E},      {"Ubreve", 0x016C},   {"Ucy", 0x0423},
    {"Udblac", 0x0170},     {"Ugr", 0x03A5},       {"Umacr", 0x016A},      {"Uogon", 0x0172},    {"Upsi", 0x03D2},
    {"Uring", 0x016E},      {"Utilde", 0x0168},    {"Vcy", 0x0412},        {"Verbar", 0x2016},   {"Vert", 0x2016},
    {"Wcirc", 0x0174},      {"Xgr", 0x039E},       {"YAcy", 0x042F},       {"YIcy", 0x0407},     {"YUcy", 0x042E},
    {"Ycirc", 0x0176},      {"Ycy", 0x042B},       {"ZHcy", 0x0416},       {"Zacute", 0x0179},   {"Zcaron", 0x017D},
    {"Zcy", 0x0417},        {"Zdot", 0x017B},      {"Zgr", 0x0396},        {"abreve", 0x0103},   {"acy", 0x0430},
    {"agr", 0x03B1},        {"aleph", 0x2135},     {"amacr", 0x0101},      {"aogon", 0x0105},    {"approx", 0x2248},
    {"approxeq", 0x224A},   {"ast", 0x002A},       {"bcy", 0x0431},        {"bgr", 0x03B2},      {"bigcirc", 0x25EF},
    {"bigstar", 0x2605},    {"blank", 0x2423},     {"block", 0x2588},      {"bsol", 0x005C},     {"cacute", 0x0107},
    {"caret", 0x2041},      {"ccaron", 0x010D},    {"ccirc", 0x0109},      {"cdot", 0x010B},     {"centerdot", 0x00B7},
    {"chcy", 0x0447},       {"check", 0x2713},     {"checkmark", 0x2713},  {"cir", 0x25CB},      {"colon", 0x003A},
    {"comma", 0x002C},      {"commat", 0x0040},    {"compfn", 0x2218},     {"copysr", 0x2117},   {"cross", 0x2717},
    {"ctdot", 0x22EF},      {"dash", 0x2010},      {"dcaron", 0x010F},     {"dcy", 0x0434},      {"ddagger", 0x2021},
    {"dgr", 0x03B4},        {"digamma", 0x03DD},   {"div", 0x00F7},        {"djcy", 0x0452},     {"dollar", 0x0024},
    {"dscy", 0x0455},       {"dstrok", 0x0111},    {"dtdot", 0x22F1},      {"dzcy", 0x045F},     {"ecaron", 0x011B},
    {"ecy", 0x044D},        {"edot", 0x0117},      {"eegr", 0x03B7},       {"egr", 0x03B5},      {"ell", 0x2113},
    {"emacr", 0x0113},      {"emptyset", 0x2205},  {"emsp13", 0x2004},     {"emsp14", 0x2005},   {"eng", 0x014B},
    {"eogon", 0x0119},      {"epsi", 0x03B5},      {"epsiv", 0x03F5},      {"equals", 0x003D},   {"excl", 0x0021},
    {"fcy", 0x0444},        {"female", 0x2640},    {"ffilig", 0xFB03},     {"fflig", 0xFB00},    {"ffllig", 0xFB04},
    {"filig", 0xFB01},      {"flat", 0x266D},      {"fllig", 0xFB02},      {"frac13", 0x2153},   {"frac15", 0x2155},
    {"frac16", 0x2159},     {"frac18", 0x215B},    {"frac23", 0x2154},     {"frac25", 0x2156},   {"frac35", 0x2157},
    {"frac38", 0x215C},     {"frac45", 0x2158},    {"frac56", 0x215A},     {"frac58", 0x215D},   {"frac78", 0x215E},
    {"gacute", 0x01F5},     {"gammad", 0x03DD},    {"gbreve", 0x011F},     {"gcirc", 0x011D},    {"gcy", 0x0433},
    {"gdot", 0x0121},       {"geq", 0x2265},       {"ggr", 0x03B3},        {"gjcy", 0x0453},     {"grave", 0x0060},
    {"hairsp", 0x200A},     {"half", 0x00BD},      {"hardcy", 0x044A},     {"hbar", 0x210F},     {"hcirc", 0x0125},
    {"horbar", 0x2015},     {"hstrok", 0x0127},    {"hyphen", 0x2010},     {"icy", 0x0438},      {"iecy", 0x0435},
    {"igr", 0x03B9},        {"ijlig", 0x0133},     {"imacr", 0x012B},      {"in", 0x2208},       {"incare", 0x2105},
    {"inodot", 0x0131},     {"iocy", 0x0451},      {"iogon", 0x012F},      {"isinv", 0x2208},    {"itilde", 0x0129},
    {"iukcy", 0x0456},      {"jcirc", 0x0135},     {"jcy", 0x0439},        {"jsercy", 0x0458},   {"jukcy", 0x0454},
    {"kappav", 0x03F0},     {"kcedil", 0x0137},    {"kcy", 0x043A},        {"kgr", 0x03BA},      {"kgreen", 0x0138},
    {"khcy", 0x0445},       {"khgr", 0x03C7},      {"kjcy", 0x045C},       {"lacute", 0x013A},   {"langle", 0x27E8},
    {"lbrace", 0x007B},     {"lbrack", 0x005B},    {"lcaron", 0x013E},     {"lcedil", 0x013C},   {"lcub", 0x007B},
    {"lcy", 0x043B},        {"ldquor", 0x201E},    {"leftarrow", 0x2190},  {"leq", 0x2264},      {"leqslant", 0x2A7D},
    {"lgr", 0x03BB},        {"ljcy", 0x0459},      {"lmidot", 0x0140},     {"lowbar", 0x005F},   {"lpar", 0x0028},
    {"lsqb", 0x005B},       {"lsquor", 0x201A},    {"lstrok", 0x0142},     {"male", 0x2642},     {"malt", 0x2720},
    {"map", 0x21A6},        {"mapsto", 0x21A6},    {"mcy", 0x043C},        {"mgr", 0x03BC},      {"mldr", 0x2026},
    {"mp", 0x2213},         {"nacute", 0x0144},    {"napos", 0x0149},      {"natur", 0x266E},    {"natural", 0x266E},
    {"ncaron", 0x0148},     {"ncedil", 0x0146},    {"ncy", 0x043D},        {"ngr", 0x03BD},      {"njcy", 0x045A},
    {"nldr", 0x2025},       {"num", 0x0023},       {"numero", 0x2116},     {"numsp", 0x2007},    {"ocy", 0x043E},
    {"odblac", 0x0151},     {"ogr", 0x03BF},       {"ohgr", 0x03C9},       {"ohm", 0x03A9},      {"omacr", 0x014D},
    {"pcy", 0x043F},        {"percnt", 0x0025},    {"period", 0x002E},     {"pgr", 0x03C0},      {"phgr", 0x03C6},
    {"phiv", 0x03D5},       {"phone", 0x260E},     {"planck", 0x210F},     {"plus", 0x002B},     {"pm", 0x00B1},
    {"propto", 0x221D},     {"psgr", 0x03C8},      {"puncsp", 0x2008},     {"quest", 0x003F},    {"racute", 0x0155},
    {"rangle", 0x27E9},     {"rbrace", 0x007D},    {"rbrack", 0x005D},     {"rcaron", 0x0159},   {"rcedil", 0x0157},
    {"rcub", 0x007D},       {"rcy", 0x0440},       {"rdquor", 0x201D},     {"rgr", 0x03C1},      {"rhov", 0x03F1},
    {"rightarrow", 0x2192}, {"rpar", 0x0029},      {"rsqb", 0x005D},       {"rsquor", 0x2019},   {"sacute", 0x015B},
    {"scedil", 0x015F},     {"scirc", 0x015D},     {"scy", 0x0441},        {"semi", 0x003B},     {"setminus", 0x2216},
    {"sext", 0x2736},       {"sfgr", 0x03C2},      {"sgr", 0x03C3},        {"sharp", 0x266F},    {"shchcy", 0x0449},
    {"shcy", 0x0448},       {"sigmav", 0x03C2},    {"simeq", 0x2243},      {"softcy", 0x044C},   {"sol", 0x002F},
    {"squ", 0x25A1},        {"square", 0x25A1},    {"star", 0x2606},       {"starf", 0x2605},    {"subset", 0x2282},
    {"sung", 0x266A},       {"supset", 0x2283},    {"tcaron", 0x0165},     {"tcedil", 0x0163},   {"tcy", 0x0442},
    {"telrec", 0x2315},     {"tgr", 0x03C4},       {"thetav", 0x03D1},     {"thgr", 0x03B8},     {"tscy", 0x0446},
    {"tshcy", 0x045B},      {"tstrok", 0x0167},    {"ubrcy", 0x045E},      {"ubreve", 0x016D},   {"ucy", 0x0443},
    {"udblac", 0x0171},     {"ugr", 0x03C5},       {"umacr", 0x016B},      {"uogon", 0x0173},    {"upsi", 0x03C5},
    {"uring", 0x016F},      {"utilde", 0x0169},    {"varepsilon", 0x03F5}, {"varkappa", 0x03F0}, {"varnothing", 0x2205},
    {"varphi", 0x03D5},     {"varrho", 0x03F1},    {"varsigma", 0x03C2},   {"vartheta", 0x03D1}, {"vcy", 0x0432},
    {"vee", 0x2228},        {"vellip", 0x22EE},    {"verbar", 0x007C},     {"vert", 0x007C},     {"wcirc", 0x0175},
    {"wedge", 0x2227},      {"xgr", 0x03BE},       {"yacy", 0x044F},       {"ycirc", 0x0177},    {"ycy", 0x044B},
    {"yicy", 0x0457},       {"yucy", 0x044E},      {"zacute", 0x017A},     {"zcaron", 0x017E},   {"zcy", 0x0437},
    {"zdot", 0x017C},       {"zgr", 0x03B6},       {"zhcy", 0x0436},
};

static int compare_named(const void *key, const void *item) {
    const char *name = ((const named *)item)->name;
    return drt_string_compare(key, name, strlen(name));
}

uint32_t drt_entity_named(const char *name, size_t length) {
    drt_string key = {(char *)name, length};
    const named *found = bsearch(&key, names, sizeof names / sizeof *names, sizeof *names, compare_named);
    return found ? found->code_point : 0;
}

/* ------------------------------------------------------- what is declared ---- */

typedef struct {
    const char *name, *value;
    size_t name_length, value_length;
} declared;

static const char *find(const char *at, const char *end, const char *word) {
    size_t n = strlen(word);
    for (; (size_t)(end - at) >= n; at++) {
        at = memchr(at, word[0], (size_t)(end - at) - n + 1);
        if (!at)
            break;
        if (memcmp(at, word, n) == 0)
            return at;
    }
    return NULL;
}

static bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static const char *skip_space(const char *at, const char *end) {
    while (at < end && is_space(*at))
        at++;
    return at;
}

/* <!ENTITY name "value">; those of parameters and of other files are none. */
static bool read_declaration(const char *at, const char *end, declared *d) {
    at = skip_space(at, end);
    d->name = at;
    while (at < end && !is_space(*at) && *at != '>')
        at++;
    d->name_length = (size_t)(at - d->name);
    at = skip_space(at, end);
    if (at == end || (*at != '"' && *at != '\'') || d->name_length == 0 || d->name_length > NAME || *d->name == '%')
        return false;
    d->value = at + 1;
    const char *close = memchr(d->value, *at, (size_t)(end - d->value));
    d->value_length = close ? (size_t)(close - d->value) : 0;
    return close != NULL;
}

static int compare_declared(const void *a, const void *b) {
    const declared *left = a, *right = b;
    drt_string name = {(char *)left->name, left->name_length};
    int order = drt_string_compare(&name, right->name, right->name_length);
    return order ? order : (left->name > right->name) - (left->name < right->name);
}

/* The declarations in the head of a document, sorted. *body: where what may refer to them begins. */
static size_t read_declarations(const drt_buffer *document, declared *all, size_t *body) {
    const char *end = document->data + (document->length < HEAD ? document->length : HEAD), *at;
    const char *type = find(document->data, end, "<!DOCTYPE");
    size_t n = 0;
    if (!type)
        return 0;
    for (at = type; n < DECLARED && (at = find(at, end, "<!ENTITY")) != NULL;) {
        at += 8;
        if (read_declaration(at, end, &all[n])) {
            at = all[n].value + all[n].value_length;
            *body = (size_t)(at - document->data);
            n++;
        }
    }
    qsort(all, n, sizeof *all, compare_declared);
    return n;
}

static const declared *find_declared(const declared *all, size_t n, const char *name, size_t length) {
    declared key = {.name = name, .name_length = length};
    size_t from = 0, to = n;
    while (from < to) { /* the first of several by one name */
        size_t middle = from + (to - from) / 2;
        drt_string own = {(char *)all[middle].name, all[middle].name_length};
        if (drt_string_compare(&own, key.name, key.name_length) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from < n && all[from].name_length == length && memcmp(all[from].name, name, length) == 0 ? &all[from] : NULL;
}

static bool replace(const drt_buffer *document, const declared *all, size_t n, size_t body, drt_buffer *out) {
    const char *data = document->data;
    size_t length = document->length, budget = GROWTH;
    bool ok = drt_buffer_append(out, data, body);
    for (size_t at = body; ok && at < length;) {
        const char *reference = memchr(data + at, '&', length - at);
        size_t plain = reference ? (size_t)(reference - data) - at : length - at;
        ok = drt_buffer_append(out, data + at, plain);
        at += plain;
        if (!ok || at == length)
            break;
        size_t left = length - at - 1;
        const char *semicolon = memchr(data + at + 1, ';', left < NAME + 1 ? left : NAME + 1);
        size_t name = semicolon ? (size_t)(semicolon - data) - at - 1 : 0;
        const declared *found = name ? find_declared(all, n, data + at + 1, name) : NULL;
        if (found && found->value_length <= budget) {
            budget -= found->value_length;
            ok = drt_buffer_append(out, found->value, found->value_length);
            at += name + 2;
        } else {
            ok = drt_buffer_append(out, data + at++, 1);
        }
    }
    return ok;
}

bool drt_entities_expand(drt_buffer *document) {
    size_t body = 0;
    if (document->length == 0 ||
        !find(document->data, document->data + (document->length < HEAD ? document->length : HEAD), "<!ENTITY"))
        return true;
    declared *all = malloc(DECLARED * sizeof *all);
    drt_buffer out = {0};
    size_t n = all ? read_declarations(document, all, &body) : 0;
    bool ok = all && (n == 0 || replace(document, all, n, body, &out));
    if (ok && n > 0) {
        drt_buffer old = *document;
        *document = out;
        out = old;
    }
    drt_buffer_free(&out);
    free(all);
    return ok;
}
