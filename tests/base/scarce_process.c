/* scarce_process.c: allocations of the whole process, those that shared libraries make included: the program's functions
 * stand before the C library's. Not with the sanitizers, which have functions of their own. See scarce_memory.h.
 *
 * None fails where a library dies of it, whatever its caller does: in sentencepiece, whose protobuf destroys elements
 * that it has not made; in libarchive, which ends the program when it has no memory for a name or a sentence; in uchardet,
 * which throws an exception of C++. Calls of them are sent here for that (--wrap). */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include <archive.h>
#include <uchardet/uchardet.h>

#include "engine/corpus/archives/archive.h"
#include "tests/base/scarce_memory.h"
#include "tokenizer/tokenizer.h"

static _Thread_local bool spared;

static bool fails(void) {
    if (spared || !scarce_memory_exhausted())
        return false;
    errno = ENOMEM;
    return true;
}

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *memory, size_t size);

void *malloc(size_t size) {
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size) {
    return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *memory, size_t size) {
    return fails() ? NULL : __libc_realloc(memory, size);
}

#define SPARE(type, name, arguments, values)                                                                           \
    type __real_##name arguments;                                                                                      \
    type __wrap_##name arguments;                                                                                      \
    type __wrap_##name arguments {                                                                                     \
        spared = true;                                                                                                 \
        type result = __real_##name values;                                                                            \
        spared = false;                                                                                                \
        return result;                                                                                                 \
    }

SPARE(int, drt_tokenizer_encode,
      (const drt_tokenizer *tokenizer, const char *text, size_t length, drt_piece **pieces, size_t *count, char *error,
       size_t error_size),
      (tokenizer, text, length, pieces, count, error, error_size))
SPARE(int, drt_tokenizer_decode,
      (const drt_tokenizer *tokenizer, const int32_t *ids, size_t count, char **text, size_t *length, char *error,
       size_t error_size),
      (tokenizer, ids, count, text, length, error, error_size))
SPARE(drt_status, drt_archive_open,
      (drt_context * context, const drt_container *container, drt_stream *stream, const drt_archive_meter *meter,
       drt_archive **archive),
      (context, container, stream, meter, archive))
SPARE(drt_status, drt_archive_next, (drt_context * context, drt_archive *archive, drt_archive_member *member),
      (context, archive, member))
SPARE(int, archive_read_data_block, (struct archive * reader, const void **data, size_t *size, int64_t *offset),
      (reader, data, size, offset))
SPARE(uchardet_t, uchardet_new, (void), ())
SPARE(int, uchardet_handle_data, (uchardet_t detector, const char *data, size_t length), (detector, data, length))
