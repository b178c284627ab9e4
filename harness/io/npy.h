// SPDX-License-Identifier: Apache-2.0
//
// int8 matrices in files: NumPy .npy (format 1.0 and 2.0, C and Fortran order) and raw bytes.
// Refuses everything else with one sentence that names the file; never leaves a half-written one.

#ifndef NPY_H
#define NPY_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Largest file that is read, in bytes. */
#define NPY_BYTES_MAX ((size_t)1 << 28)

/** A matrix, row after row without a gap. Owns `data`; zero-initialise before use. */
typedef struct npy_matrix {
    int8_t *data;
    size_t rows;
    size_t columns;
} npy_matrix;

/** Order of the elements in a file. */
typedef enum npy_order { NPY_ORDER_C, NPY_ORDER_FORTRAN } npy_order;

/** Releases the data and zeroes the struct; safe on a zeroed one. */
void npy_clear(npy_matrix *matrix);

/**
 * Reads the bytes of a .npy file.
 * @param name   borrowed: how sentences call the file
 * @param bytes  borrowed, `size` long
 * @param[out] out  given; ended by npy_clear; untouched on failure
 * @return TPU_OK, TPU_REFUSED (magic, version, header, dtype, shape, truncated or trailing bytes),
 *         TPU_ERR_MEMORY.
 */
tpu_status npy_parse(const char *name, const uint8_t *bytes, size_t size, npy_matrix *out,
                     tpu_message *why) TPU_NODISCARD;

/** Reads a .npy file: npy_parse, and TPU_ERR_IO when the file cannot be read. */
tpu_status npy_read(const char *path, npy_matrix *out, tpu_message *why) TPU_NODISCARD;

/** Reads rows * columns bytes, row after row; a file of any other size is refused. */
tpu_status npy_read_raw(const char *path, size_t rows, size_t columns, npy_matrix *out,
                        tpu_message *why) TPU_NODISCARD;

/**
 * Writes a window of a matrix as .npy 1.0: to a new file beside `path`, then renamed over it.
 * @param data        borrowed, `rows` rows of `columns` elements
 * @param row_stride  elements from one row to the next, >= columns
 * @return TPU_OK, TPU_ERR_IO (`path` is as it was), TPU_ERR_MEMORY.
 */
tpu_status npy_write(const char *path, const int8_t *data, size_t rows, size_t columns,
                     size_t row_stride, npy_order order, tpu_message *why) TPU_NODISCARD;

/** Writes the window's bytes alone, row after row, in the same way. */
tpu_status npy_write_raw(const char *path, const int8_t *data, size_t rows, size_t columns,
                         size_t row_stride, tpu_message *why) TPU_NODISCARD;

#endif
