/* cmd_open.c: drt [LIB]: the interactive front end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/commands.h"
#include "app/export.h"
#include "app/last.h"
#include "app/lookup.h"
#include "app/terminal.h"
#include "app/workspace.h"
#include "ui/ui.h"

typedef struct {
    compute_options compute;
    theme_id theme;
    bool ascii, no_mouse;
} values;

static const values defaults = {.compute = COMPUTE_OPTIONS_DEFAULT};

static bool parse_theme(const char *text, void *value) {
    return theme_parse(text, value);
}

static const drt_option option_table[] = {
    OPT_CHOICE("theme", theme, "NAME", parse_theme, "default, light or monochrome", "default, light or monochrome"),
    OPT_FLAG("ascii", ascii, "draw with ASCII characters only"),
    OPT_FLAG("no-mouse", no_mouse, "leave the mouse to the terminal, to select text with it (key: M)"),
    OPT_COMPUTE(compute),
    OPT_END,
};

static char *find_model(void *user, const char *recorded, size_t length, char *why, size_t size) {
    const values *options = user;
    return lookup_find_model(options->compute.model, recorded, length, why, size);
}

static void export_answer(void *user, const drt_answer *answer, const char *library, bool json, FILE *out) {
    (void)user;
    if (json)
        export_json(answer, library, out);
    else
        export_text(answer, library, out);
}

static int run(const void *given, char **operands) {
    values options = *(const values *)given;
    char *last = operands[0] ? NULL : last_library();
    const char *library = operands[0] ? operands[0] : last;
    char why[512];
    if (!library) {
        complain("no library has been opened yet; open or begin one with: drt open LIB; drt --help lists all commands");
        return EXIT_USAGE;
    }
    ui_params params = {.engine = {.library = library,
                                   .device = options.compute.device,
                                   .threads = (int)options.compute.threads,
                                   .gpu_memory = options.compute.gpu_memory,
                                   .find_model = find_model,
                                   .user = &options},
                        .theme = options.theme,
                        .ascii = options.ascii,
                        .mouse = !options.no_mouse,
                        .export = export_answer};
    bool ran = ui_run(&params, why, sizeof why);
    if (!ran)
        complain("%s", why);
    else if (lookup_library(library))
        last_library_set(library);
    free(last);
    return ran ? EXIT_ALL : EXIT_USAGE;
}

const drt_command command_open = {
    .name = "open",
    .operands = "[LIB]",
    .summary = "the interactive front end; drt LIB and drt alone do the same",
    .description =
        "Opens the library, or the one opened last, to read, ask and see what retrieval chose. A library that\n"
        "does not exist is made by the first ingest. The key ? shows all keys, q leaves.",
    .options = option_table,
    .defaults = &defaults,
    .values_size = sizeof defaults,
    .min_operands = 0,
    .max_operands = 1,
    .run = run,
};
