/* utf8.h: validity and repair of UTF-8. Widths and normal forms are utf8proc's business.
 * Decoding and character borders are public: drt.h. May use: libc. */
#ifndef DRT_BASE_UTF8_H
#define DRT_BASE_UTF8_H

#include "engine/base/buffer.h"

/* Writes the 1..4 bytes of a code point (a valid scalar value). */
size_t drt_utf8_encode(uint32_t code_point, char out[4]);
/* Length of the longest valid prefix; == length when all is valid. */
size_t drt_utf8_valid_prefix(const char *data, size_t length);
/* Appends data with each invalid byte written as \xNN (four ASCII characters): how file names that
 * are no UTF-8 appear. false: out of memory. */
bool drt_utf8_append_escaped(drt_buffer *buffer, const char *data, size_t length);

#endif
