/* cmd_ingest.c: drt ingest LIB PATH...: reads archives, folders and files into a library. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/commands.h"
#include "app/evidence.h"
#include "app/signals.h"
#include "app/terminal.h"
#include "app/workspace.h"

#define MAX_NAMED 20 /* members that are not whole and named on stderr; drt ls has them all */

typedef struct {
    compute_options compute;
    drt_memory_type memory;
    option_list include, exclude;
    bool sync, dry_run;
    int64_t jobs; /* as drt_ingest_params.threads */
    const char *report;
} values;

static const values defaults = {.compute = COMPUTE_OPTIONS_DEFAULT, .memory = DRT_MEMORY_INT8};

static const drt_option option_table[] = {
    OPT_LIST("include", include, "GLOB", "only members whose path or its last part matches; may be repeated"),
    OPT_LIST("exclude", exclude, "GLOB", "no members that match, nor what is in folders and archives that do"),
    OPT_FLAG("sync", sync, "remove what was read from the same paths before and is not there any more"),
    OPT_FLAG("dry-run", dry_run, "say what would be done with each member, and do nothing"),
    OPT_INTEGER("jobs", jobs, "N", 0, 256, "threads that extract and tokenise (default: as fits the device)"),
    OPT_STRING("report", report, "FILE", "write one JSON object for each member, see drt(1)"),
    OPT_MEMORY(memory),
    OPT_COMPUTE(compute),
    OPT_END,
};

typedef struct {
    workspace work;
    FILE *report;
    int64_t not_whole; /* members that are partial or skipped */
} ingest;

static void show_progress(void *user, const drt_progress *state) {
    ingest *run = user;
    progress_ingest(&run->work.progress, state);
}

static void note_member(void *user, const drt_member *member) {
    ingest *run = user;
    const drt_document *document = member->document;
    if (run->report) {
        json_writer json;
        json_open(&json, run->report);
        evidence_document_json(&json, document);
        json_bool(&json, "known", member->known);
        json_close(&json);
    }
    if (document->status == DRT_DOCUMENT_OK || run->not_whole++ >= MAX_NAMED)
        return;
    progress_clear(&run->work.progress);
    fprintf(stderr, "%s: ", evidence_document_status(document->status));
    terminal_write(stderr, document->path.data, document->path.length, TEXT_LINE);
    if (document->reason.data) {
        fputs(": ", stderr);
        terminal_write(stderr, document->reason.data, document->reason.length, TEXT_LINE);
    }
    fputc('\n', stderr);
}

static void note_removed(void *user, const char *path, size_t length, int64_t document) {
    ingest *run = user;
    json_writer json;
    if (!run->report)
        return;
    json_open(&json, run->report);
    json_string(&json, "document", path, length);
    json_text(&json, "status", "removed");
    json_integer(&json, "id", document);
    json_close(&json);
}

/* Names the paths that do not exist and moves the others to the front. Returns how many these are. */
static size_t keep_existing(char **paths, bool *all) {
    size_t kept = 0;
    *all = true;
    for (char **path = paths; *path; path++) {
        struct stat facts;
        if (lstat(*path, &facts) == 0) {
            paths[kept++] = *path;
        } else {
            complain("%s: %s", *path, strerror(errno));
            *all = false;
        }
    }
    return kept;
}

static void print_left_alone(int64_t unsure, int64_t passed_over) {
    if (unsure)
        fprintf(stderr, ", %lld kept (what holds them could not be read wholly, or is empty)", (long long)unsure);
    if (passed_over)
        fprintf(stderr, ", %lld passed over", (long long)passed_over);
}

static void print_summary(ingest *run, const drt_ingest_report *report, const char *library) {
    progress_clear(&run->work.progress);
    if (run->not_whole > MAX_NAMED)
        fprintf(stderr, "... and %lld more that are not whole: see drt ls\n", (long long)run->not_whole - MAX_NAMED);
    fprintf(stderr, "%lld new documents in ", (long long)(report->ok + report->partial));
    terminal_write(stderr, library, strlen(library), TEXT_LINE);
    if (report->partial)
        fprintf(stderr, " (%lld partial)", (long long)report->partial);
    fprintf(stderr, ", %lld known, %lld skipped", (long long)report->known, (long long)report->skipped);
    if (report->removed)
        fprintf(stderr, ", %lld removed", (long long)report->removed);
    print_left_alone(report->unsure, report->passed_over);
    fprintf(stderr, "; %lld chunks, %lld tokens, %.1f s", (long long)report->chunks, (long long)report->tokens,
            report->seconds);
    if (report->seconds > 0 && report->tokens > 0)
        fprintf(stderr, ", %.0f tokens/s", (double)report->tokens / report->seconds);
    fputs(report->cancelled ? "; stopped early, what is in stays in\n" : "\n", stderr);
    if (report->tokens > 0) {
        char stages[320];
        progress_stages(stages, sizeof stages, report->stages, report->seconds);
        fprintf(stderr, "%s\n", stages);
    }
}

static bool is_same(const char *path, const struct stat *facts) {
    struct stat other;
    return stat(path, &other) == 0 && other.st_dev == facts->st_dev && other.st_ino == facts->st_ino;
}

/* Is the folder that this path lies in the library? */
static bool lies_in(const char *path, const char *library) {
    struct stat facts;
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
    bool same = folder && stat(library, &facts) == 0 && is_same(folder, &facts);
    free(folder);
    return same;
}

/* Opens the report, but for nothing in the world over the library or what is to be read. */
static bool open_report(ingest *run, const char *path, char *const *operands) {
    struct stat facts;
    if (!path)
        return true;
    bool made = stat(path, &facts) != 0, ours = lies_in(path, operands[0]);
    int file = ours ? -1 : open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
    if (!ours && (file < 0 || fstat(file, &facts) != 0)) {
        complain("cannot write the report %s: %s", path, strerror(errno));
        return false;
    }
    for (char *const *operand = operands; *operand && !ours; operand++)
        ours = is_same(*operand, &facts);
    if (ours) {
        complain("the report cannot be %s: that is the library's or is to be read", path);
        if (file >= 0)
            close(file);
        if (file >= 0 && made)
            unlink(path);
        return false;
    }
    if (S_ISREG(facts.st_mode) && ftruncate(file, 0) != 0)
        complain("cannot empty the report %s: %s", path, strerror(errno));
    run->report = fdopen(file, "w");
    return run->report != NULL;
}

static bool close_report(ingest *run, const char *path) {
    bool lost = run->report && ferror(run->report);
    if (run->report && fclose(run->report) != 0)
        lost = true;
    if (lost)
        complain("the report %s is not whole: %s", path, strerror(errno));
    return !lost;
}

static const char *const would_names[DRT_WOULDS] = {"new", "changed", "known", "alias", "skipped", "removed"};

static void note_preview(void *user, const drt_preview *preview) {
    ingest *run = user;
    const char *would = would_names[preview->would];
    printf("%-8s", would);
    terminal_write(stdout, preview->path.data, preview->path.length, TEXT_LINE);
    if (preview->reason.data) {
        fputs(": ", stdout);
        terminal_write(stdout, preview->reason.data, preview->reason.length, TEXT_LINE);
    }
    putchar('\n');
    if (run->report) {
        json_writer json;
        json_open(&json, run->report);
        json_string(&json, "document", preview->path.data, preview->path.length);
        json_text(&json, "would", would);
        json_string(&json, "format", preview->format.data, preview->format.length);
        json_string(&json, "reason", preview->reason.data, preview->reason.length);
        json_close(&json);
    }
}

static void print_preview_summary(const drt_preview_report *report, const char *library) {
    fputs("would do in ", stderr);
    terminal_write(stderr, library, strlen(library), TEXT_LINE);
    for (int i = 0; i < DRT_WOULDS; i++)
        fprintf(stderr, "%s %lld %s", i ? "," : ":", (long long)report->members[i], would_names[i]);
    print_left_alone(report->unsure, report->passed_over);
    fputs(report->cancelled ? "; stopped early\n" : "\n", stderr);
}

static drt_ingest_params params_of(ingest *run, const values *options, char **paths, size_t n_paths) {
    return (drt_ingest_params){.paths = (const char *const *)paths,
                               .n_paths = n_paths,
                               .progress = show_progress,
                               .member = note_member,
                               .user = run,
                               .threads = (int)options->jobs,
                               .sync = options->sync,
                               .removed = note_removed,
                               .include = options->include.items,
                               .n_include = options->include.n,
                               .exclude = options->exclude.items,
                               .n_exclude = options->exclude.n};
}

/* Is there nothing yet, or an empty folder? */
static bool may_be_made(const char *library) {
    DIR *folder = opendir(library);
    if (!folder)
        return errno == ENOENT;
    int n = 0;
    while (readdir(folder))
        n++;
    closedir(folder);
    return n <= 2; /* "." and ".." */
}

/* Returns the exit status. */
static int preview_paths(ingest *run, const values *options, const char *library, char **paths, size_t n_paths) {
    drt_ingest_params params = params_of(run, options, paths, n_paths);
    drt_preview_report report;
    if (!may_be_made(library) && !workspace_open_library(&run->work, library, DRT_LIBRARY_READ))
        return EXIT_USAGE;
    drt_status status = drt_ingest_preview(run->work.context, run->work.library, &params, note_preview, &report);
    print_preview_summary(&report, library);
    if (status < DRT_WARN)
        return workspace_exit_status(&run->work, status);
    return status == DRT_OK ? EXIT_ALL : EXIT_SOME;
}

/* Returns the exit status. */
static int ingest_paths(ingest *run, const values *options, const char *library, char **paths, size_t n_paths) {
    drt_ingest_params params = params_of(run, options, paths, n_paths);
    drt_ingest_report report = {0};
    drt_status status = drt_ingest(run->work.context, run->work.library, run->work.model, &params, &report);
    print_summary(run, &report, library);
    if (status < DRT_WARN)
        return workspace_exit_status(&run->work, status);
    return status == DRT_OK && run->not_whole == 0 ? EXIT_ALL : EXIT_SOME;
}

static int run(const void *given, char **operands) {
    const values *options = given;
    ingest run = {0};
    const char *library = operands[0];
    bool all_exist;
    size_t n_paths = keep_existing(operands + 1, &all_exist);
    if (n_paths == 0)
        return EXIT_USAGE;
    int status = EXIT_USAGE;
    if (workspace_open(&run.work) && open_report(&run, options->report, operands)) {
        if (options->dry_run)
            status = preview_paths(&run, options, library, operands + 1, n_paths);
        else if (workspace_open_ingest(&run.work, &options->compute, library, options->memory))
            status = ingest_paths(&run, options, library, operands + 1, n_paths);
        if (status == EXIT_ALL && !all_exist)
            status = EXIT_SOME;
    }
    if (!close_report(&run, options->report))
        status = EXIT_USAGE;
    workspace_close(&run.work);
    return status;
}

const drt_command command_ingest = {
    .name = "ingest",
    .operands = "LIB PATH...",
    .summary = "read archives, folders and files into a library",
    .description =
        "Reads everything below the paths into the library, which is made when it does not exist. What is in\n"
        "already is not read again. Ctrl-C stops cleanly; the same command goes on from there.",
    .options = option_table,
    .defaults = &defaults,
    .values_size = sizeof defaults,
    .min_operands = 2,
    .max_operands = -1,
    .run = run,
};
