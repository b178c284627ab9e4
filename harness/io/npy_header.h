// SPDX-License-Identifier: Apache-2.0
//
// The dictionary at the head of a .npy file. Private to npy.c and its tests.

#ifndef NPY_HEADER_H
#define NPY_HEADER_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What the dictionary says; the dtype is int8 or the dictionary is refused. */
typedef struct npy_header {
    bool seen_descr, seen_order, seen_shape;
    bool fortran;
    size_t rows, columns;
} npy_header;

/**
 * Parses `length` bytes of dictionary and padding.
 * @param name  borrowed: how sentences call the file
 * @return TPU_OK or TPU_REFUSED; `out` is unspecified on failure.
 */
tpu_status npy_header_parse(const char *name, const uint8_t *text, size_t length, npy_header *out,
                            tpu_message *why) TPU_NODISCARD;

#endif
