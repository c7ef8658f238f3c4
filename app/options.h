/* options.h: what a subcommand is, and its options: one table from which they are parsed and --help is printed.
 * May use: libc. */
#ifndef DRT_APP_OPTIONS_H
#define DRT_APP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    OPTION_FLAG,    /* bool: true when given */
    OPTION_STRING,  /* const char *: the argument as it is */
    OPTION_LIST,    /* option_list: the arguments of all times that it is given */
    OPTION_INTEGER, /* int64_t within [low, high] */
    OPTION_REAL,    /* double within [low, high] */
    OPTION_CHOICE   /* whatever parse() stores */
} option_kind;

#define OPTION_LIST_MOST 64

typedef struct {
    const char *items[OPTION_LIST_MOST];
    size_t n;
} option_list;

/* One option; a table's row. */
typedef struct {
    const char *name; /* without the dashes */
    option_kind kind;
    size_t offset;        /* of its value in the subcommand's struct of values */
    const char *argument; /* how --help calls it: "N", "DIR"; NULL for a flag */
    const char *help;     /* one line */
    double low, high;
    bool (*parse)(const char *text, void *value); /* OPTION_CHOICE; false: no such choice */
    const char *choices;                          /* OPTION_CHOICE: "a, b or c", for the error */
} drt_option;

/* Rows of a table; `values` is the name of the subcommand's struct. */
#define OPT_FLAG(option_name, member, text)                                                                            \
    { .name = (option_name), .kind = OPTION_FLAG, .offset = offsetof(values, member), .help = (text) }
#define OPT_STRING(option_name, member, called, text)                                                                  \
    {                                                                                                                  \
        .name = (option_name), .kind = OPTION_STRING, .offset = offsetof(values, member), .argument = (called),        \
        .help = (text)                                                                                                 \
    }
#define OPT_LIST(option_name, member, called, text)                                                                    \
    {                                                                                                                  \
        .name = (option_name), .kind = OPTION_LIST, .offset = offsetof(values, member), .argument = (called),          \
        .help = (text)                                                                                                 \
    }
#define OPT_INTEGER(option_name, member, called, least, most, text)                                                    \
    {                                                                                                                  \
        .name = (option_name), .kind = OPTION_INTEGER, .offset = offsetof(values, member), .argument = (called),       \
        .low = (least), .high = (most), .help = (text)                                                                 \
    }
#define OPT_REAL(option_name, member, called, least, most, text)                                                       \
    {                                                                                                                  \
        .name = (option_name), .kind = OPTION_REAL, .offset = offsetof(values, member), .argument = (called),          \
        .low = (least), .high = (most), .help = (text)                                                                 \
    }
#define OPT_CHOICE(option_name, member, called, parser, words, text)                                                   \
    {                                                                                                                  \
        .name = (option_name), .kind = OPTION_CHOICE, .offset = offsetof(values, member), .argument = (called),        \
        .parse = (parser), .choices = (words), .help = (text)                                                          \
    }
#define OPT_END                                                                                                        \
    { .name = NULL }

/* A subcommand: each cmd_*.c defines one and main.c lists it. */
typedef struct {
    const char *name;        /* "ask", "model info" */
    const char *operands;    /* "LIB [QUESTION]" */
    const char *summary;     /* one line of `drt --help` */
    const char *description; /* lines of `drt NAME --help`; NULL: the summary says all */
    const drt_option *options;
    const void *defaults;           /* of the struct that the options' offsets refer to; NULL without options */
    size_t values_size;             /* its size */
    int min_operands, max_operands; /* max -1: any number */
    /* values: the defaults as the options changed them; operands end with NULL. Returns the exit status. */
    int (*run)(const void *values, char **operands);
} drt_command;

/* Parses argv[1..] and runs the command; argv is reordered. Options may stand anywhere before "--";
 * unambiguous prefixes do. Returns the exit status: 0 after --help, 2 after an error, which was said. */
int command_run(const drt_command *command, int argc, char **argv);

#endif
