// SPDX-License-Identifier: Apache-2.0
//
// Bytes as text (RFC 4648, with padding), for matrices inside JSON.

#ifndef BASE64_H
#define BASE64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Characters that `bytes` bytes take, without the NUL. */
size_t base64_length(size_t bytes);

/** Writes the text and a NUL: base64_length(bytes) + 1 characters. */
void base64_encode(const uint8_t *data, size_t bytes, char *text);

/** Reads exactly `bytes` bytes; false when the text is of another length or not base64. */
bool base64_decode(const char *text, uint8_t *data, size_t bytes);

#endif
