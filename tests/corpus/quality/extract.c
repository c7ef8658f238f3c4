/* What the corpus makes of files: extract PATH... prints one JSON object for each member, a line each, for quality.py. */
#include <stdio.h>
#include <stdlib.h>

#include <cjson/cJSON.h>

#include "engine/corpus/corpus.h"

static bool add_string(cJSON *object, const char *name, const drt_string *string) {
    return !string->data || cJSON_AddStringToObject(object, name, string->data);
}

static drt_status print_member(void *user, const drt_source *source, drt_extract *extract) {
    (void)user;
    static const char *const states[] = {"ok", "partial", "skipped"};
    cJSON *object = cJSON_CreateObject(), *authors = cJSON_AddArrayToObject(object, "authors");
    bool ok = authors && cJSON_AddStringToObject(object, "path", source->path) &&
              cJSON_AddStringToObject(object, "format", source->format) &&
              cJSON_AddStringToObject(object, "status", states[extract->status]) &&
              cJSON_AddStringToObject(object, "text", extract->text.length ? extract->text.data : "") &&
              add_string(object, "reason", &extract->reason) && add_string(object, "title", &extract->title) &&
              add_string(object, "date", &extract->date);
    for (size_t i = 0; ok && i < extract->n_authors; i++)
        ok = cJSON_AddItemToArray(authors, cJSON_CreateString(extract->authors[i].data));
    char *line = ok ? cJSON_PrintUnformatted(object) : NULL;
    if (line)
        puts(line);
    cJSON_free(line);
    cJSON_Delete(object);
    return line ? DRT_OK : DRT_FATAL;
}

int main(int argc, char **argv) {
    drt_corpus_params params = drt_corpus_params_default();
    params.member = print_member;
    for (int i = 1; i < argc; i++) {
        drt_context *context = drt_context_new(NULL);
        drt_status status = drt_corpus_walk(context, argv[i], &params);
        if (status != DRT_OK)
            fprintf(stderr, "%s: %s\n", argv[i], drt_error(context));
        drt_context_free(context);
        if (status != DRT_OK)
            return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
