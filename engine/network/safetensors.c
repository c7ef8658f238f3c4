/* safetensors.c: reader of tensor files. See safetensors.h. */
#include "engine/network/safetensors.h"

#include <stdlib.h>
#include <string.h>

#include "engine/network/json.h"

#define LENGTH_BYTES 8
#define MAX_HEADER_BYTES ((size_t)16 << 20) /* some hundred thousand tensors */
#define MAX_EXACT (((int64_t)1 << 53) - 1)  /* larger ones may have been rounded */

static const struct {
    const char *name;
    size_t size;
} types[] = {
    [DRT_TENSOR_F32] = {"F32", 4}, [DRT_TENSOR_BF16] = {"BF16", 2}, [DRT_TENSOR_I8] = {"I8", 1},
    [DRT_TENSOR_I64] = {"I64", 8}, [DRT_TENSOR_BOOL] = {"BOOL", 1},
};

const char *drt_tensor_type_name(drt_tensor_type type) {
    return types[type].name;
}

size_t drt_tensor_type_size(drt_tensor_type type) {
    return types[type].size;
}

static uint64_t read_u64(const uint8_t *bytes) {
    uint64_t value = 0;
    for (int i = 7; i >= 0; i--)
        value = value << 8 | bytes[i];
    return value;
}

static drt_status read_type(drt_context *context, const char *what, const cJSON *entry, drt_tensor *tensor) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(entry, "dtype");
    if (!cJSON_IsString(item))
        return drt_fail(context, DRT_FAILED, "%s: tensor \"%s\" has no dtype", what, tensor->name);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcmp(item->valuestring, types[i].name) == 0) {
            tensor->type = (drt_tensor_type)i;
            return DRT_OK;
        }
    }
    return drt_fail(context, DRT_FAILED, "%s: tensor \"%s\" has dtype \"%s\"; F32, BF16 and I8 can be read", what,
                    tensor->name, item->valuestring);
}

/* The shape, and in `bytes` what it takes. */
static drt_status read_shape(drt_context *context, const char *what, const cJSON *entry, drt_tensor *tensor) {
    const cJSON *shape = cJSON_GetObjectItemCaseSensitive(entry, "shape");
    if (!cJSON_IsArray(shape))
        return drt_fail(context, DRT_FAILED, "%s: tensor \"%s\" has no shape", what, tensor->name);
    size_t bytes = types[tensor->type].size;
    for (const cJSON *item = shape->child; item; item = item->next) {
        if (tensor->axes == DRT_TENSOR_MAX_AXES)
            return drt_fail(context, DRT_FAILED, "%s: tensor \"%s\" has more than %d axes", what, tensor->name,
                            DRT_TENSOR_MAX_AXES);
        int64_t n;
        if (!drt_json_integer(item, 0, MAX_EXACT, &n) || __builtin_mul_overflow(bytes, (size_t)n, &bytes))
            return drt_fail(context, DRT_FAILED, "%s: the shape of tensor \"%s\" is no list of sizes, or too large",
                            what, tensor->name);
        tensor->shape[tensor->axes++] = n;
    }
    tensor->bytes = bytes;
    return DRT_OK;
}

static drt_status read_offsets(drt_context *context, const char *what, const cJSON *entry, const uint8_t *data,
                               size_t data_size, drt_tensor *tensor) {
    const cJSON *offsets = cJSON_GetObjectItemCaseSensitive(entry, "data_offsets");
    const cJSON *first = cJSON_IsArray(offsets) ? offsets->child : NULL;
    int64_t begin, end;
    if (!first || !first->next || first->next->next || !drt_json_integer(first, 0, MAX_EXACT, &begin) ||
        !drt_json_integer(first->next, begin, MAX_EXACT, &end))
        return drt_fail(context, DRT_FAILED, "%s: the data_offsets of tensor \"%s\" are not [begin, end]", what,
                        tensor->name);
    if ((uint64_t)end > data_size)
        return drt_fail(
            context, DRT_FAILED,
            "%s: tensor \"%s\" ends at byte %lld of the data, which has %zu: the file is cut short or damaged", what,
            tensor->name, (long long)end, data_size);
    if ((size_t)(end - begin) != tensor->bytes)
        return drt_fail(context, DRT_FAILED, "%s: tensor \"%s\" has %lld bytes where its shape and dtype need %zu",
                        what, tensor->name, (long long)(end - begin), tensor->bytes);
    tensor->data = data + begin;
    return DRT_OK;
}

static drt_status read_entry(drt_context *context, const char *what, const cJSON *entry, const uint8_t *data,
                             size_t data_size, drt_tensor *tensor) {
    const char *name = entry->string;
    if (!cJSON_IsObject(entry) || cJSON_GetArraySize(entry) != 3)
        return drt_fail(context, DRT_FAILED, "%s: \"%s\" is not {dtype, shape, data_offsets}", what, name);
    tensor->name = strdup(name);
    if (!tensor->name)
        return drt_fail_memory(context, "the names of tensors");
    drt_status status = read_type(context, what, entry, tensor);
    if (status == DRT_OK)
        status = read_shape(context, what, entry, tensor);
    if (status == DRT_OK)
        status = read_offsets(context, what, entry, data, data_size, tensor);
    return status;
}

static bool is_metadata(const cJSON *entry) {
    return strcmp(entry->string, "__metadata__") == 0;
}

static int by_position(const void *a, const void *b) {
    const drt_tensor *x = a, *y = b;
    if (x->data != y->data)
        return x->data < y->data ? -1 : 1;
    return x->bytes < y->bytes ? -1 : x->bytes > y->bytes; /* empty ones first */
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const drt_tensor *)a)->name, ((const drt_tensor *)b)->name);
}

static drt_status check_layout(drt_context *context, const char *what, drt_safetensors *file, const uint8_t *data,
                               size_t data_size) {
    const uint8_t *at = data;
    qsort(file->tensors, file->count, sizeof *file->tensors, by_position);
    for (size_t i = 0; i < file->count; i++) {
        const drt_tensor *tensor = &file->tensors[i];
        if (tensor->data != at)
            return drt_fail(context, DRT_FAILED, "%s: tensor \"%s\" %s", what, tensor->name,
                            tensor->data < at ? "overlaps the one before it" : "leaves a gap before it");
        at += tensor->bytes;
    }
    if (at != data + data_size)
        return drt_fail(context, DRT_FAILED, "%s has %zu bytes behind its last tensor", what,
                        (size_t)(data + data_size - at));
    return DRT_OK;
}

static drt_status check_names(drt_context *context, const char *what, drt_safetensors *file) {
    qsort(file->tensors, file->count, sizeof *file->tensors, by_name);
    for (size_t i = 1; i < file->count; i++)
        if (by_name(&file->tensors[i - 1], &file->tensors[i]) == 0)
            return drt_fail(context, DRT_FAILED, "%s has two tensors \"%s\"", what, file->tensors[i].name);
    return DRT_OK;
}

static drt_status read_entries(drt_context *context, const char *what, const cJSON *header, const uint8_t *data,
                               size_t data_size, drt_safetensors *file) {
    size_t n = 0;
    for (const cJSON *entry = header->child; entry; entry = entry->next)
        n += !is_metadata(entry);
    file->tensors = calloc(n ? n : 1, sizeof *file->tensors);
    if (!file->tensors)
        return drt_fail_memory(context, "the list of tensors");
    for (const cJSON *entry = header->child; entry; entry = entry->next) {
        if (is_metadata(entry))
            continue;
        drt_status status = read_entry(context, what, entry, data, data_size, &file->tensors[file->count++]);
        if (status != DRT_OK)
            return status;
    }
    drt_status status = check_layout(context, what, file, data, data_size);
    return status == DRT_OK ? check_names(context, what, file) : status;
}

drt_status drt_safetensors_parse(drt_context *context, const char *what, const void *data, size_t size,
                                 drt_safetensors *file) {
    *file = (drt_safetensors){0};
    const uint8_t *bytes = data;
    uint64_t header_size = size >= LENGTH_BYTES ? read_u64(bytes) : 0;
    if (size < LENGTH_BYTES || header_size > size - LENGTH_BYTES)
        return drt_fail(context, DRT_FAILED, "%s is no safetensors file, or cut short: its header does not fit in",
                        what);
    if (header_size > MAX_HEADER_BYTES)
        return drt_fail(context, DRT_FAILED, "%s: a header of %llu bytes is more than the %zu allowed", what,
                        (unsigned long long)header_size, MAX_HEADER_BYTES);
    size_t data_at = LENGTH_BYTES + (size_t)header_size;
    cJSON *header;
    drt_status status = drt_json_parse(context, what, (const char *)bytes + LENGTH_BYTES, (size_t)header_size, &header);
    if (status == DRT_OK)
        status = read_entries(context, what, header, bytes + data_at, size - data_at, file);
    cJSON_Delete(header);
    if (status != DRT_OK)
        drt_safetensors_close(file);
    return status;
}

drt_status drt_safetensors_open(drt_context *context, const char *path, drt_safetensors *file) {
    drt_mapping mapping;
    *file = (drt_safetensors){0};
    drt_status status = drt_mapping_open(context, path, &mapping);
    if (status != DRT_OK)
        return status;
    status = drt_safetensors_parse(context, path, mapping.data, mapping.size, file);
    if (status == DRT_OK)
        file->mapping = mapping;
    else
        drt_mapping_close(&mapping);
    return status;
}

void drt_safetensors_close(drt_safetensors *file) {
    for (size_t i = 0; i < file->count; i++)
        free(file->tensors[i].name);
    free(file->tensors);
    drt_mapping_close(&file->mapping);
    *file = (drt_safetensors){0};
}

const drt_tensor *drt_safetensors_find(const drt_safetensors *file, const char *name) {
    drt_tensor key = {.name = (char *)(uintptr_t)name};
    return file->count ? bsearch(&key, file->tensors, file->count, sizeof key, by_name) : NULL;
}
