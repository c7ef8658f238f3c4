/* standalone.c: runs a fuzz target without libFuzzer.
 *
 *     fuzz_NAME [--cases N] [--max-length N] [-v] FILE|FOLDER...
 *
 * Replays every file, then N mutations of them: always the same ones for the same seeds. -v prints the
 * number of each case before it runs, so that the last one printed is the one that crashed; its bytes
 * are then written by --write N FILE. May use: libc, POSIX. */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct {
    uint8_t *data;
    size_t size;
} input;

static struct {
    input *items;
    size_t count;
} seeds;

static void die(const char *what) {
    perror(what);
    exit(2);
}

static void *allocate(size_t size) {
    void *memory = malloc(size ? size : 1);
    if (!memory)
        die("malloc");
    return memory;
}

/* ------------------------------------------------------------------------------ seeds ---- */

static void add_file(const char *path) {
    FILE *file = fopen(path, "rb");
    struct stat facts;
    if (!file || fstat(fileno(file), &facts) != 0)
        die(path);
    input item = {allocate((size_t)facts.st_size), (size_t)facts.st_size};
    if (fread(item.data, 1, item.size, file) != item.size)
        die(path);
    fclose(file);
    seeds.items = realloc(seeds.items, (seeds.count + 1) * sizeof *seeds.items);
    if (!seeds.items)
        die("realloc");
    seeds.items[seeds.count++] = item;
}

static int not_hidden(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

static void add_path(const char *path) {
    struct stat facts;
    if (stat(path, &facts) != 0)
        die(path);
    if (!S_ISDIR(facts.st_mode)) {
        add_file(path);
        return;
    }
    struct dirent **entries; /* sorted: the mutations depend on the order */
    int n = scandir(path, &entries, not_hidden, alphasort);
    if (n < 0)
        die(path);
    for (int i = 0; i < n; i++) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
        add_path(name);
        free(entries[i]);
    }
    free(entries);
}

/* -------------------------------------------------------------------------- mutations ---- */

static uint64_t random_state;

static uint64_t random_below(uint64_t n) { /* splitmix64 */
    uint64_t z = random_state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return n ? (z ^ z >> 31) % n : 0;
}

static void insert_bytes(input *in, size_t at, const uint8_t *bytes, size_t n, size_t max_length) {
    if (in->size + n > max_length)
        return;
    memmove(in->data + at + n, in->data + at, in->size - at);
    memcpy(in->data + at, bytes, n);
    in->size += n;
}

static void erase_bytes(input *in, size_t at, size_t n) {
    memmove(in->data + at, in->data + at + n, in->size - at - n);
    in->size -= n;
}

static void insert_copy(input *in, const input *from, size_t max_length) {
    if (from->size == 0)
        return;
    uint8_t block[256];
    size_t start = (size_t)random_below(from->size);
    size_t n = 1 + (size_t)random_below(from->size - start < sizeof block ? from->size - start : sizeof block);
    memcpy(block, from->data + start, n);
    insert_bytes(in, (size_t)random_below(in->size + 1), block, n, max_length);
}

static void insert_token(input *in, size_t max_length) {
    static const char *const tokens[] = {"0",
                                         "-1",
                                         "1e999",
                                         "4294967296",
                                         "18446744073709551615",
                                         "\"",
                                         "\\u0000",
                                         "\xFF",
                                         "[",
                                         "]",
                                         "{",
                                         "}",
                                         "null",
                                         "<",
                                         "&#0;",
                                         "../",
                                         "\n",
                                         "\n\n",
                                         "\xEF\xBB\xBF",
                                         "%s%n%s",
                                         "'"};
    const char *token = tokens[random_below(sizeof tokens / sizeof *tokens)];
    insert_bytes(in, (size_t)random_below(in->size + 1), (const uint8_t *)token, strlen(token), max_length);
}

/* 1 to 8 little-endian bytes become a value at which sizes go wrong. */
static void write_number(input *in) {
    static const uint64_t values[] = {0,      1,          0x7F,       0x80,       0xFF,      0x7FFF,
                                      0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, INT64_MAX, UINT64_MAX};
    uint64_t value = values[random_below(sizeof values / sizeof *values)] + random_below(3) - 1;
    size_t n = (size_t)1 << random_below(4);
    if (n > in->size)
        return;
    size_t at = (size_t)random_below(in->size - n + 1);
    for (size_t i = 0; i < n; i++)
        in->data[at + i] = (uint8_t)(value >> 8 * i);
}

static void mutate(input *in, size_t max_length) {
    size_t at = (size_t)random_below(in->size);
    switch (random_below(9)) {
    case 0:
        if (in->size)
            in->data[at] ^= (uint8_t)(1u << random_below(8));
        break;
    case 1:
        if (in->size)
            in->data[at] = (uint8_t)random_below(256);
        break;
    case 2:
        if (in->size)
            erase_bytes(in, at, 1 + (size_t)random_below((in->size - at) / 4));
        break;
    case 3:
        in->size = at;
        break;
    case 4:
        insert_copy(in, in, max_length);
        break;
    case 5:
        insert_copy(in, &seeds.items[random_below(seeds.count)], max_length);
        break;
    case 6:
        insert_token(in, max_length);
        break;
    case 7:
        write_number(in);
        break;
    default: /* another digit: lengths and offsets in text */
        for (size_t i = 0; i < in->size; i++) {
            size_t digit = (at + i) % in->size;
            if (in->data[digit] >= '0' && in->data[digit] <= '9') {
                in->data[digit] = (uint8_t)('0' + random_below(10));
                break;
            }
        }
    }
}

/* Case n, whatever ran before it; data has room for max_length bytes. */
static void make_case(size_t n, size_t max_length, input *in) {
    random_state = n;
    const input *seed = &seeds.items[n % seeds.count];
    in->size = seed->size < max_length ? seed->size : max_length;
    memcpy(in->data, seed->data, in->size);
    for (uint64_t left = 1 + random_below(6); left > 0; left--)
        mutate(in, max_length);
}

/* An exact copy, so that a read past the end is seen. */
static void run(const input *in) {
    uint8_t *data = allocate(in->size);
    if (in->size)
        memcpy(data, in->data, in->size);
    LLVMFuzzerTestOneInput(data, in->size);
    free(data);
}

static size_t number(const char *text) {
    char *end;
    unsigned long long value = text ? strtoull(text, &end, 10) : 0;
    if (!text || *end) {
        fprintf(stderr, "a number was expected\n");
        exit(2);
    }
    return (size_t)value;
}

static void write_case(const input *in, const char *path) {
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(in->data, 1, in->size, file) != in->size || fclose(file) != 0)
        die(path);
}

int main(int argc, char **argv) {
    size_t cases = 0, max_length = 65536, wanted = 0;
    const char *write_to = NULL;
    bool verbose = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--cases") == 0)
            cases = number(argv[++i]);
        else if (strcmp(argv[i], "--max-length") == 0)
            max_length = number(argv[++i]);
        else if (strcmp(argv[i], "--write") == 0 && i + 2 < argc)
            wanted = number(argv[++i]), write_to = argv[++i];
        else if (strcmp(argv[i], "-v") == 0)
            verbose = true;
        else
            add_path(argv[i]);
    }
    if (seeds.count == 0) {
        fprintf(stderr, "no seeds\n");
        return 2;
    }
    input in = {allocate(max_length), 0};
    if (write_to) {
        make_case(wanted, max_length, &in);
        write_case(&in, write_to);
    }
    for (size_t i = 0; i < seeds.count && !write_to; i++) {
        if (verbose)
            fprintf(stderr, "seed %zu\n", i);
        run(&seeds.items[i]);
    }
    for (size_t n = 0; n < cases && !write_to; n++) {
        if (verbose)
            fprintf(stderr, "case %zu\n", n);
        make_case(n, max_length, &in);
        run(&in);
    }
    printf("%zu seeds, %zu cases\n", seeds.count, cases);
    for (size_t i = 0; i < seeds.count; i++)
        free(seeds.items[i].data);
    free(seeds.items);
    free(in.data);
    return 0;
}
