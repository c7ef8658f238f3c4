/* raw.c: bytes of a member that wait for what is made of them. See corpus.h, raw.h. */
#include "engine/corpus/raw.h"

#include <stdlib.h>
#include <string.h>

struct drt_raw {
    const drt_format *format;
    drt_blob blob;
    drt_string name, damage;
};

drt_raw *drt_raw_new(const drt_format *format, const drt_format_probe *probe, drt_blob *blob, const char *damage) {
    drt_raw *raw = calloc(1, sizeof *raw);
    if (!raw)
        return NULL;
    raw->format = format;
    if (!drt_string_set(&raw->name, probe->name, probe->name_length) ||
        !drt_string_set(&raw->damage, damage, damage ? strlen(damage) : 0)) {
        drt_raw_free(raw);
        return NULL;
    }
    raw->blob = *blob;
    *blob = (drt_blob){0};
    return raw;
}

void drt_raw_free(drt_raw *raw) {
    if (!raw)
        return;
    drt_blob_free(&raw->blob);
    drt_string_free(&raw->name);
    drt_string_free(&raw->damage);
    free(raw);
}

drt_status drt_raw_extract(drt_context *context, const drt_raw *raw, drt_extract *extract) {
    drt_format_input input = {raw->blob.data, raw->blob.length, raw->name.data, raw->name.length};
    drt_status status = raw->format->extract(context, &input, extract);
    if (status == DRT_OK && !drt_extract_settle(extract))
        status = drt_fail_memory(context, "a member");
    if (status == DRT_OK && raw->damage.data &&
        !drt_extract_note(extract, DRT_DOCUMENT_PARTIAL, "%s", raw->damage.data))
        status = drt_fail_memory(context, "a member");
    if (status == DRT_OK && extract->text.length == 0 && extract->status != DRT_DOCUMENT_SKIPPED &&
        !drt_extract_note(extract, DRT_DOCUMENT_SKIPPED, "there is no text in it"))
        status = drt_fail_memory(context, "a member");
    return status;
}
