/* facts.c: the tables of names and patterns, and how a fact is drawn from them. See facts.h. */
#include "engine/eval/facts.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define MOST_PATTERNS 4
#define FIELD_BYTES 64

static const char *const first_names[] = {
    "James",  "Mary",  "Robert", "Linda", "Ahmed", "Yuki",  "Olga",   "Pedro",  "Fatima", "Chen",
    "Ingrid", "Kofi",  "Priya",  "Lars",  "Amara", "Diego", "Hana",   "Viktor", "Zoe",    "Tomas",
    "Noor",   "Elena", "Marcus", "Ruth",  "Simon", "Clara", "Hugo",   "Nadia",  "Felix",  "Agnes",
    "Bruno",  "Iris",  "Oscar",  "Petra", "Leon",  "Vera",  "Martin", "Judith", "Anton",  "Sofia",
    "Karl",   "Greta", "Paul",   "Lucia", "Otto",  "Marta", "Emil",   "Rosa",   "Ivan",   "Tilda"};
static const char *const last_names[] = {
    "Harlow",   "Benning", "Okafor",   "Tanaka", "Rossi",    "Petrov", "Lindqvist", "Moreau",  "Castillo",  "Haddad",
    "Novak",    "Fischer", "Duarte",   "Keller", "Banerjee", "Osei",   "Larsen",    "Quigley", "Whitfield", "Marsh",
    "Thornton", "Vance",   "Sable",    "Crane",  "Holloway", "Pike",   "Draper",    "Fenwick", "Ashby",     "Colton",
    "Merrick",  "Langley", "Prescott", "Rowan",  "Sutter",   "Talbot", "Underhill", "Varga",   "Winslow",   "Yates",
    "Zeller",   "Abbott",  "Barlow",   "Cowell", "Dalton",   "Everly", "Foss",      "Garner",  "Hale",      "Ives"};
static const char *const syllables[] = {"ba", "ke",  "lo",  "mi",  "nu",  "ra",  "so",  "ti",
                                        "ve", "zor", "dan", "fel", "gri", "hol", "jen", "kas"};
static const char *const things[] = {"lantern",    "violin",    "compass",    "ledger",      "telescope", "teapot",
                                     "manuscript", "umbrella",  "saddle",     "microscope",  "kettle",    "portrait",
                                     "hammer",     "accordion", "map",        "medal",       "locket",    "chessboard",
                                     "barometer",  "tapestry",  "bicycle",    "candlestick", "anchor",    "sextant",
                                     "mirror",     "globe",     "typewriter", "helmet",      "drum",      "key"};
static const char *const towns[] = {"Arlen",     "Brookmere", "Calder",   "Dunford", "Eastvale", "Farrow",
                                    "Glenholt",  "Harwick",   "Ingleby",  "Jarrow",  "Kelmont",  "Lorne",
                                    "Maplewood", "Norwick",   "Oakhurst", "Penrith", "Quarley",  "Ravenscar",
                                    "Selby",     "Thornbury", "Upton",    "Verity",  "Wexcombe", "Yarrow",
                                    "Zennor",    "Ashford",   "Birchley", "Cromer",  "Dalby",    "Elston"};
static const char *const jobs[] = {"carpenter", "surgeon",  "librarian",    "blacksmith", "teacher",  "pilot",  "baker",
                                   "lawyer",    "botanist", "cartographer", "sailor",     "engineer", "potter", "judge",
                                   "weaver",    "tailor",   "chemist",      "farmer",     "painter",  "clerk"};
static const char *const labels[] = {"secret code",      "access code",    "magic number", "locker number",
                                     "telephone number", "account number", "badge number"};

/* What a pattern's {field} stands for. */
typedef enum { NAME, OTHER, NUMBER, LABEL, JOB, YEAR, BOX, THING, TOWN, N_FIELDS } field;

static const char *const field_names[N_FIELDS] = {"name", "other", "number", "label", "job",
                                                  "year", "box",   "thing",  "town"};

typedef struct {
    const char *kind;
    const char *sentences[DRT_FACT_SENTENCES][MOST_PATTERNS + 1]; /* equivalent wordings, ended by NULL */
    const char *questions[MOST_PATTERNS + 1];
    field answer;
} pattern;

static const pattern pass_key = {
    "passkey",
    {{"The pass key is {number}. Remember it.", "The pass key is {number}. Remember it. {number} is the pass key."}},
    {"What is the pass key?", "The pass key is", "Tell me the pass key."},
    NUMBER};

static const pattern patterns[] = {
    {"number",
     {{"The {label} of {name} is {number}.", "{name}'s {label} is {number}.", "For {name}, the {label} is {number}.",
       "One of the special {label}s for {name} is: {number}."}},
     {"What is the {label} of {name}?", "What is {name}'s {label}?", "Give the {label} for {name}."},
     NUMBER},
    {"birthplace",
     {{"{name} was born in {town}.", "{name}, a native of {town}, told the story.",
       "The birthplace of {name} was {town}."}},
     {"Where was {name} born?", "In which town was {name} born?", "What is the birthplace of {name}?"},
     TOWN},
    {"job",
     {{"{name} worked as a {job} for many years.", "By trade {name} was a {job}.",
       "{name} earned a living as a {job}."}},
     {"What was {name}'s job?", "What did {name} do for a living?", "What was the profession of {name}?"},
     JOB},
    {"maker",
     {{"The {thing} of {town} was made by {name}.", "{name} built the {thing} of {town}.",
       "It was {name} who made the {thing} of {town}."}},
     {"Who made the {thing} of {town}?", "Who built the {thing} of {town}?"},
     NAME},
    {"year",
     {{"{name} moved to {town} in {year}.", "In {year}, {name} settled in {town}.",
       "{name} came to {town} in the year {year}."}},
     {"When did {name} move to {town}?", "In what year did {name} come to {town}?"},
     YEAR},
    {"place",
     {{"{name} left the {thing} in {town}.", "The {thing} was left in {town} by {name}.",
       "{name} lost a {thing} in {town}."}},
     {"Where did {name} leave the {thing}?", "In which place was the {thing} left by {name}?"},
     TOWN},
    {"two-hop box",
     {{"{name} was given box {box}.", "Box {box} belongs to {name}."},
      {"Box {box} contains a {thing}.", "A {thing} lies in box {box}."}},
     {"What is in the box that belongs to {name}?", "What does {name}'s box contain?"},
     THING},
    {"two-hop spouse",
     {{"{name} is married to {other}.", "{other} is the spouse of {name}."},
      {"{other} lives in {town}.", "The home of {other} is in {town}."}},
     {"Where does the spouse of {name} live?", "In which town does {name}'s spouse live?"},
     TOWN},
};

/* ------------------------------------------------------------------------------ fields ---- */

static size_t draw(drt_fact_maker *maker, size_t bound) {
    return (size_t)drt_random_below(&maker->random, bound);
}

#define CHOOSE(maker, array) ((array)[draw(maker, COUNT(array))])

static void copy_text(char out[FIELD_BYTES], const char *text) {
    snprintf(out, FIELD_BYTES, "%s", text);
}

static void draw_name(drt_fact_maker *maker, char out[FIELD_BYTES]) {
    char last[FIELD_BYTES / 2] = "";
    const char *first = CHOOSE(maker, first_names);
    if (draw(maker, 2) == 0) {
        snprintf(last, sizeof last, "%s", CHOOSE(maker, last_names));
    } else {
        for (size_t left = 2 + draw(maker, 2); left > 0; left--)
            strcat(last, CHOOSE(maker, syllables));
        last[0] = (char)toupper((unsigned char)last[0]);
    }
    snprintf(out, FIELD_BYTES, "%s %s", first, last);
}

/* `least` to `most` decimal digits. */
static void draw_digits(drt_fact_maker *maker, size_t least, size_t most, char out[FIELD_BYTES]) {
    size_t n = least + draw(maker, most - least + 1);
    for (size_t i = 0; i < n; i++)
        out[i] = (char)('0' + draw(maker, 10));
    out[n] = '\0';
}

/* Notes the text; *is_new: it was not there before. */
static drt_status note_used(drt_context *context, drt_fact_maker *maker, const char *text, bool *is_new) {
    size_t length = strlen(text);
    *is_new = false;
    for (size_t i = 0; i < maker->n_used; i++)
        if (drt_string_equal(&maker->used[i], text, length))
            return DRT_OK;
    *is_new = true;
    drt_string *used = realloc(maker->used, (maker->n_used + 1) * sizeof *used);
    if (!used)
        return drt_fail_memory(context, "facts");
    maker->used = used;
    used[maker->n_used] = (drt_string){0};
    if (!drt_string_set(&used[maker->n_used], text, length))
        return drt_fail_memory(context, "facts");
    maker->n_used++;
    return DRT_OK;
}

static drt_status draw_new_name(drt_context *context, drt_fact_maker *maker, char out[FIELD_BYTES]) {
    bool is_new = false;
    drt_status status = DRT_OK;
    while (status == DRT_OK && !is_new) {
        draw_name(maker, out);
        status = note_used(context, maker, out, &is_new);
    }
    return status;
}

static drt_status draw_new_box(drt_context *context, drt_fact_maker *maker, char out[FIELD_BYTES]) {
    bool is_new = false;
    drt_status status = DRT_OK;
    while (status == DRT_OK && !is_new) {
        draw_digits(maker, 3, 5, out);
        status = note_used(context, maker, out, &is_new);
    }
    return status;
}

/* A thing and a town, which together name one maker. */
static drt_status draw_new_thing(drt_context *context, drt_fact_maker *maker, char values[N_FIELDS][FIELD_BYTES]) {
    bool is_new = false;
    drt_status status = DRT_OK;
    while (status == DRT_OK && !is_new) {
        char both[2 * FIELD_BYTES];
        copy_text(values[THING], CHOOSE(maker, things));
        copy_text(values[TOWN], CHOOSE(maker, towns));
        snprintf(both, sizeof both, "%s of %s", values[THING], values[TOWN]);
        status = note_used(context, maker, both, &is_new);
    }
    return status;
}

static drt_status draw_fields(drt_context *context, drt_fact_maker *maker, const pattern *p,
                              char values[N_FIELDS][FIELD_BYTES]) {
    drt_status status = draw_new_name(context, maker, values[NAME]);
    if (status == DRT_OK)
        status = draw_new_name(context, maker, values[OTHER]);
    if (status == DRT_OK)
        status = draw_new_box(context, maker, values[BOX]);
    draw_digits(maker, 4, 7, values[NUMBER]);
    copy_text(values[LABEL], CHOOSE(maker, labels));
    copy_text(values[JOB], CHOOSE(maker, jobs));
    snprintf(values[YEAR], FIELD_BYTES, "%zu", 1500 + draw(maker, 531));
    copy_text(values[THING], CHOOSE(maker, things));
    copy_text(values[TOWN], CHOOSE(maker, towns));
    if (status == DRT_OK && p->answer == NAME)
        status = draw_new_thing(context, maker, values);
    return status;
}

/* ------------------------------------------------------------------------------ texts ----- */

/* The field that "{field}" at `text` names; *length: of that. */
static field field_at(const char *text, size_t *length) {
    int f = 0;
    *length = strcspn(text, "}") + 1;
    while (strncmp(text + 1, field_names[f], *length - 2) != 0 || field_names[f][*length - 2] != '\0')
        f++; /* the tables name no other fields */
    return (field)f;
}

/* The pattern with its fields filled in. */
static bool fill_in(const char *text, char values[N_FIELDS][FIELD_BYTES], drt_string *out) {
    drt_buffer buffer = {0};
    bool ok = true;
    while (ok && *text) {
        size_t plain = strcspn(text, "{"), length = 0;
        ok = drt_buffer_append(&buffer, text, plain);
        text += plain;
        if (ok && *text) {
            ok = drt_buffer_append_text(&buffer, values[field_at(text, &length)]);
            text += length;
        }
    }
    ok = ok && drt_string_take(out, &buffer);
    drt_buffer_free(&buffer);
    return ok;
}

static const char *choose_pattern(drt_fact_maker *maker, const char *const *wordings) {
    size_t n = 0;
    while (wordings[n])
        n++;
    return wordings[draw(maker, n)];
}

static drt_status make(drt_context *context, drt_fact_maker *maker, const pattern *p, drt_fact *fact) {
    char values[N_FIELDS][FIELD_BYTES];
    *fact = (drt_fact){.kind = p->kind};
    drt_status status = draw_fields(context, maker, p, values);
    if (status != DRT_OK)
        return status;
    bool ok = true;
    for (size_t i = 0; ok && i < DRT_FACT_SENTENCES && p->sentences[i][0]; i++) {
        ok = fill_in(choose_pattern(maker, p->sentences[i]), values, &fact->sentences[i]);
        fact->n_sentences++;
    }
    ok = ok && fill_in(choose_pattern(maker, p->questions), values, &fact->question) &&
         drt_string_set(&fact->answer, values[p->answer], strlen(values[p->answer]));
    if (ok)
        return DRT_OK;
    drt_fact_clear(fact);
    return drt_fail_memory(context, "facts");
}

void drt_fact_maker_open(drt_fact_maker *maker, uint64_t seed) {
    *maker = (drt_fact_maker){0};
    drt_random_seed(&maker->random, seed, DRT_RANDOM_FACTS);
}

void drt_fact_maker_close(drt_fact_maker *maker) {
    for (size_t i = 0; i < maker->n_used; i++)
        drt_string_free(&maker->used[i]);
    free(maker->used);
    *maker = (drt_fact_maker){0};
}

drt_status drt_fact_make(drt_context *context, drt_fact_maker *maker, drt_fact *fact) {
    return make(context, maker, &CHOOSE(maker, patterns), fact);
}

drt_status drt_fact_make_pass_key(drt_context *context, drt_fact_maker *maker, drt_fact *fact) {
    return make(context, maker, &pass_key, fact);
}

void drt_fact_clear(drt_fact *fact) {
    for (size_t i = 0; i < DRT_FACT_SENTENCES; i++)
        drt_string_free(&fact->sentences[i]);
    drt_string_free(&fact->question);
    drt_string_free(&fact->answer);
    *fact = (drt_fact){0};
}
