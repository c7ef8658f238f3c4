/* options.c: table-driven options on top of getopt_long. See options.h. */
#include "app/options.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/commands.h"
#include "app/terminal.h"

#define MAX_OPTIONS 32
#define HELP_COLUMN 26

enum { CODE_OPERAND = 1, CODE_HELP = 'h', CODE_TABLE = 256 };

static void print_help(const drt_command *command) {
    printf("Usage: drt %s [OPTION]... %s\n\n%s\n\nOptions:\n", command->name, command->operands,
           command->description ? command->description : command->summary);
    for (const drt_option *o = command->options; o->name; o++) {
        int written = printf("  --%s%s%s", o->name, o->argument ? " " : "", o->argument ? o->argument : "");
        printf("%*s%s\n", written < HELP_COLUMN - 1 ? HELP_COLUMN - written : 2, "", o->help);
    }
    printf("  %-*s%s\n", HELP_COLUMN - 2, "-h, --help", "show this text");
}

typedef enum { OPTIONS_GO, OPTIONS_HELPED, OPTIONS_ERROR } options_result;

static options_result usage_error(const drt_command *command) {
    fprintf(stderr, "Try 'drt %s --help'.\n", command->name);
    return OPTIONS_ERROR;
}

/* Stores an option's argument; false when it was no good, which was said. */
static bool store(const drt_command *command, const drt_option *o, const char *text, void *values) {
    void *value = (char *)values + o->offset;
    char *end = NULL;
    errno = 0;
    switch (o->kind) {
    case OPTION_FLAG:
        *(bool *)value = true;
        return true;
    case OPTION_STRING:
        *(const char **)value = text;
        return true;
    case OPTION_LIST: {
        option_list *list = value;
        if (list->n == OPTION_LIST_MOST) {
            complain("%s: --%s can be given %d times, not more", command->name, o->name, OPTION_LIST_MOST);
            return false;
        }
        list->items[list->n++] = text;
        return true;
    }
    case OPTION_INTEGER: {
        long long number = strtoll(text, &end, 10);
        if (end == text || *end || errno || (double)number < o->low || (double)number > o->high) {
            complain("%s: --%s takes a whole number from %.0f to %.0f, not '%s'", command->name, o->name, o->low,
                     o->high, text);
            return false;
        }
        *(int64_t *)value = number;
        return true;
    }
    case OPTION_REAL: {
        double number = strtod(text, &end);
        if (end == text || *end || errno || !isfinite(number) || number < o->low || number > o->high) {
            complain("%s: --%s takes a number from %g to %g, not '%s'", command->name, o->name, o->low, o->high, text);
            return false;
        }
        *(double *)value = number;
        return true;
    }
    case OPTION_CHOICE:
        if (!o->parse(text, value)) {
            complain("%s: --%s takes %s, not '%s'", command->name, o->name, o->choices, text);
            return false;
        }
        return true;
    }
    return false;
}

static bool check_operands(const drt_command *command, int count) {
    if (count < command->min_operands)
        complain("%s: something is missing: drt %s %s", command->name, command->name, command->operands);
    else if (command->max_operands >= 0 && count > command->max_operands)
        complain("%s: too many operands (a text with spaces needs quotes): drt %s %s", command->name, command->name,
                 command->operands);
    else
        return true;
    return false;
}

/* Sets the values and moves the operands to the front of `operands`. */
static options_result parse(const drt_command *command, int argc, char **argv, void *values, char **operands,
                            int *n_operands) {
    struct option longs[MAX_OPTIONS + 2] = {{"help", no_argument, NULL, CODE_HELP}};
    int count = 1;
    for (const drt_option *o = command->options; o->name && count <= MAX_OPTIONS; o++, count++)
        longs[count] = (struct option){o->name, o->kind == OPTION_FLAG ? no_argument : required_argument, NULL,
                                       CODE_TABLE + count - 1};
    /* "-": operands come back in order, whatever POSIXLY_CORRECT says; ":": missing arguments apart. */
    optind = 0;
    opterr = 0;
    for (int code; (code = getopt_long(argc, argv, "-:h", longs, NULL)) != -1;) {
        if (code == CODE_OPERAND) {
            operands[(*n_operands)++] = optarg;
        } else if (code == CODE_HELP) {
            print_help(command);
            return OPTIONS_HELPED;
        } else if (code == ':') {
            complain("%s: option '%s' needs an argument", command->name, argv[optind - 1]);
            return usage_error(command);
        } else if (code == '?') {
            if (optopt > 0 && optopt < CODE_TABLE && optopt != CODE_HELP)
                complain("%s: there is no option '-%c'", command->name, optopt);
            else if (optopt)
                complain("%s: '%s': this option takes no argument", command->name, argv[optind - 1]);
            else
                complain("%s: there is no option '%s', or it stands for several", command->name, argv[optind - 1]);
            return usage_error(command);
        } else if (!store(command, &command->options[code - CODE_TABLE], optarg, values)) {
            return usage_error(command);
        }
    }
    while (optind < argc)
        operands[(*n_operands)++] = argv[optind++];
    operands[*n_operands] = NULL;
    return check_operands(command, *n_operands) ? OPTIONS_GO : usage_error(command);
}

int command_run(const drt_command *command, int argc, char **argv) {
    char **operands = argv + 1; /* fewer than argv[1..]: they never overtake the parser */
    int n_operands = 0, status = EXIT_USAGE;
    void *values = malloc(command->values_size + 1);
    if (!values) {
        complain("out of memory");
        return EXIT_USAGE;
    }
    if (command->defaults)
        memcpy(values, command->defaults, command->values_size);
    options_result parsed = parse(command, argc, argv, values, operands, &n_operands);
    if (parsed == OPTIONS_GO)
        status = command->run(values, operands);
    else if (parsed == OPTIONS_HELPED)
        status = EXIT_ALL;
    free(values);
    return status;
}
