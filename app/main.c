/* main.c: the `drt` command: finds the subcommand and runs it. */
#include <string.h>

#include "app/commands.h"
#include "app/lookup.h"
#include "app/signals.h"
#include "app/terminal.h"
#include "engine/drt.h"

static const drt_command *const commands[] = {
    &command_ingest,       &command_ask,        &command_search,         &command_show,
    &command_ls,           &command_rm,         &command_verify,         &command_info,
    &command_sessions,     &command_model_info, &command_model_quantize, &command_bench_ops,
    &command_bench_ingest, &command_bench_ask,  &command_eval_needle,    &command_eval_passkey,
    &command_open,
};

#define N_COMMANDS (sizeof commands / sizeof *commands)

static void print_help(void) {
    puts("Usage: drt [LIB]\n"
         "       drt COMMAND [OPTION]... [OPERAND]...\n\n"
         "Answers questions over archives of books and papers and shows the passages that each answer rests on.\n\n"
         "Commands:");
    for (size_t i = 0; i < N_COMMANDS; i++)
        printf("  %-16s %s\n", commands[i]->name, commands[i]->summary);
    puts("\n  drt COMMAND --help   the options of a command\n"
         "  drt --version        version and compute backends\n\n"
         "Exit status: 0 all went well, 1 some items failed, 2 wrong usage or nothing could be done.\n"
         "Manual: man drt");
}

static int print_version(void) {
    drt_string backends = {0};
    drt_context *context = drt_context_new(NULL);
    puts("drt " DRT_VERSION);
    if (context && drt_backends_describe(context, &backends) >= DRT_WARN) {
        terminal_write(stdout, backends.data, backends.length, TEXT_BODY);
        putchar('\n');
    }
    drt_string_free(&backends);
    drt_context_free(context);
    return EXIT_ALL;
}

/* How many words of argv name this command; 0 when they do not. */
static int words_of(const drt_command *command, int argc, char **argv) {
    const char *space = strchr(command->name, ' ');
    if (!space)
        return strcmp(argv[1], command->name) == 0 ? 1 : 0;
    size_t first = (size_t)(space - command->name);
    return argc > 2 && strlen(argv[1]) == first && memcmp(argv[1], command->name, first) == 0 &&
                   strcmp(argv[2], space + 1) == 0
               ? 2
               : 0;
}

static bool is_help(const char *word) {
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* The first word of commands of two words, alone or with something else behind it. */
static bool print_family(FILE *out, const char *word) {
    size_t length = strlen(word);
    bool found = false;
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (strncmp(commands[i]->name, word, length) == 0 && commands[i]->name[length] == ' ') {
            fprintf(out, "%s drt %s [OPTION]... %s\n", found ? "      " : "Usage:", commands[i]->name,
                    commands[i]->operands);
            found = true;
        }
    return found;
}

static int no_such_command(int argc, char **argv) {
    bool asked = argc > 2 && is_help(argv[2]);
    if (print_family(asked ? stdout : stderr, argv[1]))
        return asked ? EXIT_ALL : EXIT_USAGE;
    complain("there is no command '%s'; drt --help lists them", argv[1]);
    return EXIT_USAGE;
}

static int dispatch(int argc, char **argv) {
    if (argc > 1 && is_help(argv[1])) {
        print_help();
        return EXIT_ALL;
    }
    if (argc > 1 && strcmp(argv[1], "--version") == 0)
        return print_version();
    if (argc > 1 && argv[1][0] == '-') {
        complain("there is no option '%s' in front of a command; drt --help lists what there is", argv[1]);
        return EXIT_USAGE;
    }
    /* What names a library opens it, though it may also be a command's name. */
    if (argc < 2 || (argc == 2 && (strchr(argv[1], '/') || lookup_library(argv[1]))))
        return command_run(&command_open, argc, argv);
    for (size_t i = 0; i < N_COMMANDS; i++) {
        int words = words_of(commands[i], argc, argv);
        if (words > 0)
            return command_run(commands[i], argc - words, argv + words);
    }
    return no_such_command(argc, argv);
}

int main(int argc, char **argv) {
    terminal_fill_standard_streams();
    signals_install();
    int status = signals_exit_status(dispatch(argc, argv));
    return output_flush() ? status : EXIT_USAGE;
}
