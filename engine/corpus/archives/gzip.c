/* gzip.c: gzip, unpacked by zlib. See gzip.h. */
#include "engine/corpus/archives/gzip.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#define GZIP_ONLY (16 + MAX_WBITS)

struct drt_gzip {
    drt_stream *source;
    z_stream z;
    bool first;     /* no member has ended yet */
    bool in_member; /* its trailer hasn't been read */
    bool ended;
    const char *error; /* NULL: none */
    char block[1 << 16];
};

drt_gzip *drt_gzip_open(drt_stream *source) {
    drt_gzip *gzip = calloc(1, sizeof *gzip);
    if (!gzip)
        return NULL;
    gzip->source = source;
    gzip->first = gzip->in_member = true;
    if (inflateInit2(&gzip->z, GZIP_ONLY) != Z_OK) {
        free(gzip);
        return NULL;
    }
    return gzip;
}

/* Makes sure that there is input; false: the source has ended, or failed. */
static bool refill(drt_gzip *gzip) {
    const char *data;
    if (gzip->z.avail_in > 0)
        return true;
    ssize_t n = drt_stream_read(gzip->source, &data);
    if (n < 0)
        gzip->error = gzip->source->error;
    if (n <= 0)
        return false;
    gzip->z.next_in = (z_const Bytef *)data;
    gzip->z.avail_in = (uInt)n;
    return true;
}

/* Between members: zeros are padding, anything else begins the next one. false: there is none. */
static bool begin_member(drt_gzip *gzip) {
    while (refill(gzip)) {
        if (*gzip->z.next_in != 0)
            return gzip->in_member = inflateReset2(&gzip->z, GZIP_ONLY) == Z_OK;
        gzip->z.next_in++;
        gzip->z.avail_in--;
    }
    return false;
}

static const char *explain(const drt_gzip *gzip, int code) {
    const char *said = gzip->z.msg ? gzip->z.msg : "";
    if (code == Z_MEM_ERROR)
        return "out of memory";
    if (strstr(said, "data check"))
        return "it is damaged: its checksum is wrong";
    if (strstr(said, "length check"))
        return "it is damaged: its length is wrong";
    if (strstr(said, "header") && !gzip->first)
        return "behind its end stands something that is no gzip";
    return "it is damaged: its bytes make no sense from some place on";
}

ssize_t drt_gzip_read(drt_gzip *gzip, const char **data) {
    gzip->z.next_out = (Bytef *)gzip->block;
    gzip->z.avail_out = sizeof gzip->block;
    while (gzip->z.avail_out > 0 && !gzip->ended && !gzip->error) {
        if (!gzip->in_member && !begin_member(gzip)) {
            gzip->ended = true;
            break;
        }
        if (!refill(gzip)) {
            if (!gzip->error)
                gzip->error = "it is cut short";
            break;
        }
        int code = inflate(&gzip->z, Z_NO_FLUSH);
        if (code == Z_STREAM_END)
            gzip->first = gzip->in_member = false;
        else if (code != Z_OK && code != Z_BUF_ERROR)
            gzip->error = explain(gzip, code);
    }
    *data = gzip->block;
    size_t n = sizeof gzip->block - gzip->z.avail_out;
    return n > 0 ? (ssize_t)n : gzip->error ? -1 : 0;
}

const char *drt_gzip_error(const drt_gzip *gzip) {
    return gzip->error;
}

void drt_gzip_close(drt_gzip *gzip) {
    if (!gzip)
        return;
    inflateEnd(&gzip->z);
    free(gzip);
}
