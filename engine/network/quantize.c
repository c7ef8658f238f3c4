/* quantize.c: an F32 or BF16 model -> a new model folder with int8 matrices. See drt.h.
 *
 * A row of a matrix becomes round(w / scale), half to even, with scale = max|w| / 127 (0 for a row of
 * zeros). In the file stand the vectors, then the scales, then the int8 matrices, so that everything F32
 * is aligned. May use: base, model_files.h. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/folder.h"
#include "engine/network/model_files.h"

typedef struct {
    const drt_model_files *files;
    FILE *out;
    const char *out_path;
    float *row;      /* one row or vector of the model */
    int8_t *bytes;   /* the row as int8 */
    float *scales;   /* of every matrix, in the order of the parameters */
    double error[2]; /* sums over the current matrix: |w - int8(w)|^2, |w|^2 */
    drt_quantize_report *report;
} quantizer;

static size_t row_length(const drt_parameter *p) {
    return (size_t)(p->cols ? p->cols : p->rows);
}

static drt_status write_failed(drt_context *context, const char *path) {
    return drt_fail(context, DRT_FAILED, "cannot write %s: %s", path, strerror(errno));
}

static drt_status check_input(drt_context *context, const drt_model_files *files) {
    for (size_t i = 0; i < files->model->n_parameters; i++) {
        const drt_tensor *scale, *tensor = drt_model_files_tensor(files, &files->model->parameters[i], &scale);
        if (tensor->type == DRT_TENSOR_I8)
            return drt_fail(context, DRT_FAILED, "%s is int8 already (tensor \"%s\"); copy the folder instead",
                            files->weights_path.data, tensor->name);
    }
    return DRT_OK;
}

/* ------------------------------------------------------------------------------ header ---- */

static bool add_entry(drt_buffer *header, const char *name, const char *suffix, const char *dtype, const char *shape,
                      size_t bytes, size_t *at) {
    bool ok = drt_buffer_printf(header, "%s\"%s%s\":{\"dtype\":\"%s\",\"shape\":[%s],\"data_offsets\":[%zu,%zu]}",
                                header->length ? "," : "{", name, suffix, dtype, shape, *at, *at + bytes);
    *at += bytes;
    return ok;
}

static bool make_header(const drt_model *model, drt_buffer *header) {
    char shape[32];
    size_t at = 0;
    bool ok = true;
    for (size_t i = 0; ok && i < model->n_parameters; i++) {
        const drt_parameter *p = &model->parameters[i];
        snprintf(shape, sizeof shape, "%d", p->rows);
        if (!p->cols)
            ok = add_entry(header, p->name, "", "F32", shape, (size_t)p->rows * sizeof(float), &at);
    }
    for (size_t i = 0; ok && i < model->n_parameters; i++) {
        const drt_parameter *p = &model->parameters[i];
        snprintf(shape, sizeof shape, "%d", p->rows);
        if (p->cols)
            ok = add_entry(header, p->name, ".scale", "F32", shape, (size_t)p->rows * sizeof(float), &at);
    }
    for (size_t i = 0; ok && i < model->n_parameters; i++) {
        const drt_parameter *p = &model->parameters[i];
        snprintf(shape, sizeof shape, "%d,%d", p->rows, p->cols);
        if (p->cols)
            ok = add_entry(header, p->name, "", "I8", shape, (size_t)p->rows * (size_t)p->cols, &at);
    }
    ok = ok && drt_buffer_append_byte(header, '}');
    while (ok && header->length % 8)
        ok = drt_buffer_append_byte(header, ' ');
    return ok;
}

static drt_status write_header(drt_context *context, quantizer *q) {
    drt_buffer header = {0};
    uint8_t length[8];
    drt_status status = DRT_OK;
    if (!make_header(q->files->model, &header))
        status = drt_fail_memory(context, "the header of a model");
    for (int i = 0; i < 8; i++)
        length[i] = (uint8_t)((uint64_t)header.length >> 8 * i);
    if (status == DRT_OK && (fwrite(length, 1, sizeof length, q->out) != sizeof length ||
                             fwrite(header.data, 1, header.length, q->out) != header.length))
        status = write_failed(context, q->out_path);
    drt_buffer_free(&header);
    return status;
}

/* -------------------------------------------------------------------------------- rows ---- */

static const drt_tensor *read_row(const quantizer *q, const drt_parameter *p, int row) {
    const drt_tensor *scale, *tensor = drt_model_files_tensor(q->files, p, &scale);
    size_t n = row_length(p);
    drt_tensor_floats(tensor, (size_t)row * n, n, q->row);
    return tensor;
}

static float row_scale(const float *row, size_t n) {
    float largest = 0;
    for (size_t i = 0; i < n; i++)
        largest = fmaxf(largest, fabsf(row[i]));
    return largest / 127;
}

static void quantize_row(quantizer *q, size_t n, float scale) {
    for (size_t i = 0; i < n; i++) {
        float value = scale > 0 ? rintf(q->row[i] / scale) : 0;
        q->bytes[i] = (int8_t)fmaxf(-127, fminf(127, value));
        double lost = (double)q->row[i] - (double)q->bytes[i] * scale;
        q->error[0] += lost * lost;
        q->error[1] += (double)q->row[i] * q->row[i];
    }
}

static void report_matrix(quantizer *q, const drt_parameter *p) {
    double error = q->error[1] > 0 ? sqrt(q->error[0] / q->error[1]) : 0;
    q->report->mean_error += (error - q->report->mean_error) / (double)++q->report->matrices;
    if (error >= q->report->max_error) {
        q->report->max_error = error;
        snprintf(q->report->max_error_name, sizeof q->report->max_error_name, "%s", p->name);
    }
    q->error[0] = q->error[1] = 0;
}

/* ---------------------------------------------------------------------------- sections ---- */

static drt_status write_vector(drt_context *context, quantizer *q, const drt_parameter *p) {
    size_t n = row_length(p);
    read_row(q, p, 0);
    return fwrite(q->row, sizeof *q->row, n, q->out) == n ? DRT_OK : write_failed(context, q->out_path);
}

static drt_status write_scales(drt_context *context, quantizer *q, const drt_parameter *p, float *scales) {
    size_t rows = (size_t)p->rows;
    for (int i = 0; i < p->rows; i++) {
        read_row(q, p, i);
        scales[i] = row_scale(q->row, row_length(p));
    }
    return fwrite(scales, sizeof *scales, rows, q->out) == rows ? DRT_OK : write_failed(context, q->out_path);
}

static drt_status write_matrix(drt_context *context, quantizer *q, const drt_parameter *p, const float *scales) {
    size_t n = row_length(p);
    for (int i = 0; i < p->rows; i++) {
        read_row(q, p, i);
        quantize_row(q, n, scales[i]);
        if (fwrite(q->bytes, 1, n, q->out) != n)
            return write_failed(context, q->out_path);
    }
    report_matrix(q, p);
    return DRT_OK;
}

typedef enum { VECTORS, SCALES, MATRICES, SECTIONS } section;

static drt_status write_section(drt_context *context, quantizer *q, section which) {
    const drt_model *model = q->files->model;
    drt_status status = DRT_OK;
    float *scales = q->scales;
    for (size_t i = 0; status == DRT_OK && i < model->n_parameters; i++) {
        const drt_parameter *p = &model->parameters[i];
        if (drt_cancelled(context))
            return drt_fail(context, DRT_FAILED, "quantising %s was cancelled", q->files->model->directory);
        if (!p->cols) {
            if (which == VECTORS)
                status = write_vector(context, q, p);
            continue;
        }
        if (which == SCALES)
            status = write_scales(context, q, p, scales);
        if (which == MATRICES)
            status = write_matrix(context, q, p, scales);
        scales += p->rows;
    }
    return status;
}

static drt_status allocate(drt_context *context, quantizer *q) {
    size_t longest = 0, rows = 0;
    for (size_t i = 0; i < q->files->model->n_parameters; i++) {
        const drt_parameter *p = &q->files->model->parameters[i];
        longest = row_length(p) > longest ? row_length(p) : longest;
        rows += p->cols ? (size_t)p->rows : 0;
    }
    q->row = malloc(longest * sizeof *q->row);
    q->bytes = malloc(longest);
    q->scales = malloc(rows * sizeof *q->scales);
    return q->row && q->bytes && q->scales ? DRT_OK : drt_fail_memory(context, "quantising a model");
}

static drt_status close_synced(drt_context *context, quantizer *q, drt_status status) {
    if (status == DRT_OK && (fflush(q->out) != 0 || fsync(fileno(q->out)) != 0))
        status = write_failed(context, q->out_path);
    if (status == DRT_OK)
        q->report->bytes_after = (int64_t)ftello(q->out);
    if (fclose(q->out) != 0 && status == DRT_OK)
        status = write_failed(context, q->out_path);
    return status;
}

static drt_status write_weights(drt_context *context, const drt_model_files *files, const char *path,
                                drt_quantize_report *report) {
    quantizer q = {.files = files, .out_path = path, .report = report};
    drt_status status = allocate(context, &q);
    if (status == DRT_OK) {
        q.out = fopen(path, "wbxe");
        status = q.out ? write_header(context, &q) : write_failed(context, path);
    }
    for (section which = VECTORS; status == DRT_OK && which < SECTIONS; which++)
        status = write_section(context, &q, which);
    if (q.out)
        status = close_synced(context, &q, status);
    free(q.row);
    free(q.bytes);
    free(q.scales);
    return status;
}

/* ------------------------------------------------------------------------------ folder ---- */

static drt_status write_file(drt_context *context, const char *directory, const char *name, const void *data,
                             size_t length) {
    drt_string path;
    if (!drt_path_join(&path, directory, name))
        return drt_fail_memory(context, "a path");
    drt_status status = drt_file_create(context, path.data, data, length);
    drt_string_free(&path);
    return status;
}

static drt_status write_files(drt_context *context, const drt_model_files *files, const char *directory,
                              drt_quantize_report *report) {
    drt_string path;
    if (!drt_path_join(&path, directory, DRT_WEIGHTS_FILE))
        return drt_fail_memory(context, "a path");
    drt_status status =
        write_file(context, directory, DRT_CONFIG_FILE, files->config_text.data, files->config_text.length);
    if (status == DRT_OK && files->tokenizer_file.data)
        status =
            write_file(context, directory, files->tokenizer_file.data, files->tokenizer.data, files->tokenizer.size);
    if (status == DRT_OK)
        status = write_weights(context, files, path.data, report);
    drt_string_free(&path);
    return status;
}

drt_status drt_model_quantize(drt_context *context, const char *directory, const char *out,
                              drt_quantize_report *report) {
    drt_model_files files;
    drt_new_folder folder;
    *report = (drt_quantize_report){0};
    drt_status status = drt_model_files_open(context, directory, &files);
    if (status != DRT_OK)
        return status;
    report->bytes_before = (int64_t)files.weights.mapping.size;
    status = check_input(context, &files);
    if (status == DRT_OK)
        status = drt_new_folder_begin(context, out, &folder);
    if (status == DRT_OK) {
        status = write_files(context, &files, folder.partial.data, report);
        if (status == DRT_OK)
            status = drt_new_folder_commit(context, &folder);
        else
            drt_new_folder_discard(&folder);
    }
    drt_model_files_close(&files);
    return status;
}
