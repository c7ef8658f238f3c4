/* cmd_info.c: drt info [LIB]: facts about a library; without one, about this installation: formats, devices,
 * the model that would be used and the memory that it needs. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "app/cmd_info_memory.h"
#include "app/commands.h"
#include "app/json.h"
#include "app/lookup.h"
#include "app/terminal.h"
#include "app/workspace.h"

typedef struct {
    compute_options compute;
    bool formats, memory, json;
} values;

static const values defaults = {.compute = COMPUTE_OPTIONS_DEFAULT};

static const drt_option option_table[] = {
    OPT_FLAG("formats", formats, "what can be read: formats, archives, compressions"),
    OPT_FLAG("memory", memory, "what a model, and the library, take on a device"),
    OPT_FLAG("json", json, "with --formats or --memory: JSON, see drt(1)"),
    OPT_COMPUTE(compute),
    OPT_END,
};

static void print_text(const char *label, const char *text, size_t length) {
    printf("%-15s ", label);
    terminal_write(stdout, text ? text : "", text ? length : 0, TEXT_LINE);
    putchar('\n');
}

static void print_number(const char *label, int64_t number, const char *unit) {
    printf("%-15s %" PRId64 "%s%s\n", label, number, *unit ? " " : "", unit);
}

static void print_fingerprint(const uint8_t fingerprint[DRT_FINGERPRINT_SIZE]) {
    printf("%-15s ", "fingerprint");
    for (int i = 0; i < DRT_FINGERPRINT_SIZE; i++)
        printf("%02x", fingerprint[i]);
    putchar('\n');
}

static const char *memory_name(drt_memory_type type) {
    return type == DRT_MEMORY_INT8 ? "int8" : type == DRT_MEMORY_BF16 ? "bf16" : "f32";
}

static int print_library(workspace *work) {
    drt_library_facts facts;
    int status = workspace_exit_status(work, drt_library_inspect(work->context, work->library, &facts));
    if (status != EXIT_ALL)
        return status;
    print_number("documents", facts.documents, "");
    print_number("partial", facts.partial, "");
    print_number("skipped", facts.skipped, "");
    print_number("chunks", facts.chunks - facts.dead_chunks, "");
    print_number("removed chunks", facts.dead_chunks, "");
    print_number("text", facts.text_bytes, "bytes");
    print_number("on disk", facts.disk_bytes, "bytes");
    print_number("sessions", facts.sessions, "");
    printf("%-15s %s, %d slots of %d a chunk\n", "memory", memory_name(facts.memory_type), facts.chunk_size,
           facts.d_model);
    print_text("model", facts.model_name.data, facts.model_name.length);
    print_text("from", facts.model_directory.data, facts.model_directory.length);
    print_fingerprint(facts.fingerprint);
    return EXIT_ALL;
}

static void print_formats(const char *indent) {
    const char *name, *extensions, *description;
    for (size_t i = 0; drt_format_describe(i, &name, &extensions, &description); i++)
        printf("%s%-12s %-28s %s\n", indent, name, extensions, description);
}

/* extensions: with blanks between them. */
static void write_extensions(json_writer *json, const char *extensions) {
    json_array(json, "extensions");
    for (const char *at = extensions + strspn(extensions, " "); *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        json_string(json, NULL, at, length);
        at += length;
    }
    json_close(json);
}

static void write_formats(void) {
    const char *name, *extensions, *description;
    for (size_t i = 0; drt_format_describe(i, &name, &extensions, &description); i++) {
        json_writer json;
        json_open(&json, stdout);
        json_text(&json, "format", name);
        json_text(&json, "description", description);
        write_extensions(&json, extensions);
        json_close(&json);
    }
}

static int info_formats(bool json) {
    if (json)
        write_formats();
    else
        print_formats("");
    return EXIT_ALL;
}

/* Lines below a heading. */
static void write_indented(const char *text, size_t length) {
    while (length > 0) {
        const char *end = memchr(text, '\n', length);
        size_t line = end ? (size_t)(end - text) : length;
        fputs("  ", stdout);
        terminal_write(stdout, text, line, TEXT_LINE);
        putchar('\n');
        text += line + (end ? 1 : 0);
        length -= line + (end ? 1 : 0);
    }
}

static void print_devices(workspace *work) {
    drt_string backends = {0};
    puts("devices");
    if (workspace_exit_status(work, drt_backends_describe(work->context, &backends)) == EXIT_ALL)
        write_indented(backends.data, backends.length);
    drt_string_free(&backends);
}

/* What a million tokens of text take. */
static void print_memory_plan(const drt_config *config) {
    int64_t chunks = 1000000 / (config->chunk_size - 1), slots = (int64_t)config->chunk_size * config->d_model;
    puts("memory for each million tokens of text");
    printf("  %-12s %.1f MB, kept in fast memory\n", "landmarks", (double)chunks * 2 * config->d_model / 1e6);
    printf("  %-12s %.1f MB on disk, mapped\n", "int8",
           (double)chunks * (double)(slots + 4 * config->chunk_size) / 1e6);
    printf("  %-12s %.1f MB on disk, mapped\n", "bf16", (double)chunks * 2 * (double)slots / 1e6);
}

/* What formats need besides this program. */
static void print_helpers(workspace *work) {
    drt_string helpers = {0};
    puts("helpers");
    if (workspace_exit_status(work, drt_helpers_describe(work->context, &helpers)) == EXIT_ALL)
        write_indented(helpers.data, helpers.length);
    drt_string_free(&helpers);
}

static int print_installation(workspace *work) {
    puts("drt " DRT_VERSION);
    puts("formats");
    print_formats("  ");
    print_helpers(work);
    print_devices(work);
    char *directory = lookup_model(NULL, NULL, 0);
    if (!directory)
        return EXIT_ALL; /* no model is no failure of `info`: what was tried was said */
    drt_config config;
    int status = workspace_exit_status(work, drt_model_inspect(work->context, directory, &config, NULL, NULL, NULL));
    if (status == EXIT_ALL) {
        fputs("model\n  ", stdout);
        terminal_write(stdout, directory, strlen(directory), TEXT_LINE);
        putchar('\n');
        print_memory_plan(&config);
    }
    free(directory);
    return status;
}

static int run(const void *given, char **operands) {
    const values *options = given;
    if (options->json && !options->memory && !options->formats) {
        complain("info: --json goes with --formats or --memory");
        return EXIT_USAGE;
    }
    if (options->formats && (options->memory || operands[0])) {
        complain("info: --formats goes with neither a library nor --memory");
        return EXIT_USAGE;
    }
    if (options->formats)
        return info_formats(options->json);
    workspace work;
    int status = EXIT_USAGE;
    if (workspace_open(&work) && (!operands[0] || workspace_open_library(&work, operands[0], DRT_LIBRARY_READ)))
        status = options->memory ? info_memory(&work, &options->compute, options->json)
                 : work.library  ? print_library(&work)
                                 : print_installation(&work);
    workspace_close(&work);
    return status;
}

const drt_command command_info = {
    .name = "info",
    .operands = "[LIB]",
    .summary = "facts about a library, or about this installation",
    .description =
        "With LIB: what it holds and which model built it. Without: formats, devices, the model, memory plan.",
    .options = option_table,
    .defaults = &defaults,
    .values_size = sizeof defaults,
    .min_operands = 0,
    .max_operands = 1,
    .run = run,
};
