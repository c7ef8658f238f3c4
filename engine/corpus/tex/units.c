/* units.c: units of measurement as siunitx names them. See run.h. */
#include "engine/corpus/tex/run.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *name, *text;
    enum { UNIT, PREFIX, POWER, NEXT_POWER } kind;
} unit;

static const unit units[] = {
    /* sorted by name */
    {"ampere", "A", UNIT},
    {"angstrom", "\xC3\x85", UNIT},
    {"arcminute", "\xE2\x80\xB2", UNIT},
    {"arcsecond", "\xE2\x80\xB3", UNIT},
    {"astronomicalunit", "au", UNIT},
    {"atto", "a", PREFIX},
    {"bar", "bar", UNIT},
    {"becquerel", "Bq", UNIT},
    {"bit", "bit", UNIT},
    {"byte", "B", UNIT},
    {"candela", "cd", UNIT},
    {"celsius",
     "\xC2\xB0"
     "C",
     UNIT},
    {"centi", "c", PREFIX},
    {"coulomb", "C", UNIT},
    {"cubed", "^3", POWER},
    {"cubic", "^3", NEXT_POWER},
    {"dalton", "Da", UNIT},
    {"day", "d", UNIT},
    {"deca", "da", PREFIX},
    {"deci", "d", PREFIX},
    {"decibel", "dB", UNIT},
    {"degree", "\xC2\xB0", UNIT},
    {"degreeCelsius",
     "\xC2\xB0"
     "C",
     UNIT},
    {"electronvolt", "eV", UNIT},
    {"exa", "E", PREFIX},
    {"farad", "F", UNIT},
    {"femto", "f", PREFIX},
    {"giga", "G", PREFIX},
    {"gram", "g", UNIT},
    {"gray", "Gy", UNIT},
    {"hectare", "ha", UNIT},
    {"hecto", "h", PREFIX},
    {"henry", "H", UNIT},
    {"hertz", "Hz", UNIT},
    {"hour", "h", UNIT},
    {"joule", "J", UNIT},
    {"katal", "kat", UNIT},
    {"kelvin", "K", UNIT},
    {"kilo", "k", PREFIX},
    {"kilogram", "kg", UNIT},
    {"liter", "L", UNIT},
    {"litre", "l", UNIT},
    {"lumen", "lm", UNIT},
    {"lux", "lx", UNIT},
    {"mega", "M", PREFIX},
    {"meter", "m", UNIT},
    {"metre", "m", UNIT},
    {"micro", "\xC2\xB5", PREFIX},
    {"milli", "m", PREFIX},
    {"minute", "min", UNIT},
    {"mole", "mol", UNIT},
    {"nano", "n", PREFIX},
    {"neper", "Np", UNIT},
    {"newton", "N", UNIT},
    {"ohm", "\xCE\xA9", UNIT},
    {"pascal", "Pa", UNIT},
    {"per", "/", PREFIX},
    {"percent", "%", UNIT},
    {"peta", "P", PREFIX},
    {"pico", "p", PREFIX},
    {"radian", "rad", UNIT},
    {"second", "s", UNIT},
    {"siemens", "S", UNIT},
    {"sievert", "Sv", UNIT},
    {"square", "^2", NEXT_POWER},
    {"squared", "^2", POWER},
    {"steradian", "sr", UNIT},
    {"tera", "T", PREFIX},
    {"tesla", "T", UNIT},
    {"tonne", "t", UNIT},
    {"volt", "V", UNIT},
    {"watt", "W", UNIT},
    {"weber", "Wb", UNIT},
    {"yocto", "y", PREFIX},
    {"yotta", "Y", PREFIX},
    {"zepto", "z", PREFIX},
    {"zetta", "Z", PREFIX},
};

static int compare_unit(const void *key, const void *item) {
    const char *name = ((const unit *)item)->name;
    return drt_string_compare(key, name, strlen(name));
}

/* Where a unit stands among the others. */
typedef struct {
    const char *power; /* of the unit to come */
    bool apart;        /* a space belongs before it */
} placement;

static void put_named(tex *t, const char *name, size_t length, placement *at) {
    drt_string key = {(char *)name, length};
    const unit *found = bsearch(&key, units, sizeof units / sizeof *units, sizeof *units, compare_unit);
    if (found && found->kind == NEXT_POWER) {
        at->power = found->text;
        return;
    }
    bool power = found && found->kind == POWER, slash = found && *found->text == '/';
    tex_put_text(t, at->apart && !power && !slash ? " " : "");
    tex_put(t, found ? found->text : name, found ? strlen(found->text) : length);
    at->apart = !found || found->kind != PREFIX;
    if (at->power && at->apart) {
        tex_put_text(t, at->power);
        at->power = NULL;
    }
}

void tex_put_unit(tex *t) {
    drt_buffer text = {0};
    placement place = {0};
    tex_read_argument(t, &text);
    for (size_t at = 0; at < text.length;) {
        char c = text.data[at];
        size_t n = c == '\\' ? drt_tex_control(text.data + at, text.length - at, false) : 1;
        if (c == '\\') {
            put_named(t, text.data + at + 1, n - 1, &place);
        } else if (c == '.' || c == '~') {
            tex_put_text(t, " ");
            place.apart = false;
        } else if (!strchr("{}$ ", c) || !c) {
            tex_put(t, &c, 1);
            place.apart = c != '/';
        }
        at += n;
    }
    drt_buffer_free(&text);
}
