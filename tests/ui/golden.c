/* golden.c: see golden.h. */
#include "golden.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *read_file(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    char *data = NULL;
    *length = 0;
    if (!file)
        return NULL;
    if (fseek(file, 0, SEEK_END) == 0) {
        *length = (size_t)ftell(file);
        rewind(file);
        data = malloc(*length + 1);
        assert_non_null(data);
        assert_int_equal(fread(data, 1, *length, file), *length);
    }
    fclose(file);
    return data;
}

static void write_file(const char *path, const char *data, size_t length) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

/* The first line that differs, on stderr. */
static void show_difference(const char *name, const char *wanted, const char *drawn) {
    int line = 1;
    while (*wanted && *drawn) {
        size_t a = strcspn(wanted, "\n"), b = strcspn(drawn, "\n");
        if (a != b || memcmp(wanted, drawn, a) != 0)
            break;
        wanted += a + (wanted[a] == '\n');
        drawn += b + (drawn[b] == '\n');
        line++;
    }
    print_error("%s, line %d\n  golden: %.*s\n  drawn:  %.*s\n(DRT_GOLDEN_WRITE=1 rewrites)\n", name, line,
                (int)strcspn(wanted, "\n"), wanted, (int)strcspn(drawn, "\n"), drawn);
}

void golden_check(const char *name, const cells *shown) {
    char path[1024];
    char *drawn = NULL;
    size_t drawn_length = 0, wanted_length;
    FILE *memory = open_memstream(&drawn, &drawn_length);
    assert_non_null(memory);
    cells_dump(shown, memory);
    assert_int_equal(fclose(memory), 0);
    snprintf(path, sizeof path, "%s/%s.txt", DRT_GOLDEN_SCREENS, name);
    if (getenv("DRT_GOLDEN_WRITE"))
        write_file(path, drawn, drawn_length);
    char *wanted = read_file(path, &wanted_length);
    bool same = wanted && wanted_length == drawn_length && memcmp(wanted, drawn, drawn_length) == 0;
    if (!same && wanted) {
        wanted[wanted_length] = '\0';
        show_difference(name, wanted, drawn);
    }
    if (!wanted)
        print_error("%s is missing\n", path);
    free(wanted);
    free(drawn);
    assert_true(same);
}

void golden_check_sizes(const char *name, front *state) {
    static const int sizes[][2] = {{24, 80}, {40, 120}, {60, 200}};
    for (size_t i = 0; i < 3; i++)
        for (int ascii = 0; ascii < 2; ascii++) {
            char file[256];
            cells shown = {.ascii = ascii};
            assert_true(cells_resize(&shown, sizes[i][0], sizes[i][1]));
            front_draw(state, &shown);
            snprintf(file, sizeof file, "%s-%dx%d%s", name, sizes[i][1], sizes[i][0], ascii ? "-ascii" : "");
            golden_check(file, &shown);
            cells_free(&shown);
        }
}
