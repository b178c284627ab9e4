// SPDX-License-Identifier: Apache-2.0
//
// Files of int8 matrices. Reading takes the whole file into memory, then the .npy frame; its
// dictionary is npy_header's.
//
//   | \x93NUMPY | major minor | length u16 (1.0) or u32 (2.0) | dictionary, '\n' | elements |

#include "harness/io/npy.h"

#include "harness/io/npy_header.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC "\x93NUMPY"
#define MAGIC_BYTES 6u
#define VERSION_BYTES 2u
#define ALIGNMENT 64u
#define TEMPORARY_TRIES 100u

typedef struct file_bytes {
    uint8_t *data; // owned
    size_t size;
} file_bytes;

void npy_clear(npy_matrix *matrix) {
    free(matrix->data);
    *matrix = (npy_matrix){0};
}

// ---- the frame -----------------------------------------------------------------------------

// Finds the dictionary: *text is its offset, *start where the elements begin.
static tpu_status read_frame(const char *name, const uint8_t *bytes, size_t size, size_t *text,
                             size_t *start, tpu_message *why) {
    size_t fixed = MAGIC_BYTES + VERSION_BYTES;
    if (size < fixed || memcmp(bytes, MAGIC, MAGIC_BYTES) != 0) {
        return status_fail(why, TPU_REFUSED,
                           "%s: not a .npy file: it does not start with \\x93NUMPY and a version",
                           name);
    }
    unsigned major = bytes[MAGIC_BYTES];
    unsigned minor = bytes[MAGIC_BYTES + 1];
    if ((major != 1 && major != 2) || minor != 0) {
        return status_fail(why, TPU_REFUSED,
                           "%s: .npy version %u.%u was found, 1.0 or 2.0 is needed", name, major,
                           minor);
    }
    size_t length_bytes = major == 1 ? 2 : 4;
    size_t length = 0;
    for (size_t i = 0; i < length_bytes && fixed + i < size; i++) {
        length |= (size_t)bytes[fixed + i] << (8 * i);
    }
    fixed += length_bytes;
    if (size < fixed || length > size - fixed) {
        return status_fail(why, TPU_REFUSED,
                           "%s: the file is truncated: its %zu bytes end inside the .npy header",
                           name, size);
    }
    *text = fixed;
    *start = fixed + length;
    return TPU_OK;
}

static tpu_status need_size(const char *name, size_t rows, size_t columns, size_t found,
                            tpu_message *why) {
    if (rows == 0 || columns == 0) {
        return status_fail(why, TPU_REFUSED, "%s: the shape (%zu, %zu) is empty", name, rows,
                           columns);
    }
    if (rows > NPY_BYTES_MAX / columns) {
        return status_fail(why, TPU_REFUSED,
                           "%s: the shape (%zu, %zu) is above the %zu bytes that are read", name,
                           rows, columns, NPY_BYTES_MAX);
    }
    size_t needed = rows * columns;
    if (found < needed) {
        return status_fail(why, TPU_REFUSED,
                           "%s: the data is truncated: %zu bytes were found, the shape (%zu, %zu) "
                           "needs %zu",
                           name, found, rows, columns, needed);
    }
    if (found > needed) {
        return status_fail(why, TPU_REFUSED,
                           "%s: %zu byte(s) follow the data: the shape (%zu, %zu) needs %zu bytes, "
                           "%zu were found",
                           name, found - needed, rows, columns, needed, found);
    }
    return TPU_OK;
}

static tpu_status copy_elements(const npy_header *shape, const uint8_t *elements, npy_matrix *out,
                                tpu_message *why) {
    int8_t *data = malloc(shape->rows * shape->columns);
    if (data == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "no memory for a %zu x %zu matrix", shape->rows,
                           shape->columns);
    }
    size_t row_step = shape->fortran ? 1 : shape->columns;
    size_t column_step = shape->fortran ? shape->rows : 1;
    for (size_t i = 0; i < shape->rows; i++) {
        for (size_t j = 0; j < shape->columns; j++) {
            uint8_t element = elements[i * row_step + j * column_step];
            memcpy(&data[i * shape->columns + j], &element, 1);
        }
    }
    *out = (npy_matrix){.data = data, .rows = shape->rows, .columns = shape->columns};
    return TPU_OK;
}

tpu_status npy_parse(const char *name, const uint8_t *bytes, size_t size, npy_matrix *out,
                     tpu_message *why) {
    size_t text = 0;
    size_t start = 0;
    npy_header found = {0};
    tpu_status status = read_frame(name, bytes, size, &text, &start, why);
    if (status == TPU_OK) {
        status = npy_header_parse(name, bytes + text, start - text, &found, why);
    }
    if (status == TPU_OK) {
        status = need_size(name, found.rows, found.columns, size - start, why);
    }
    return status == TPU_OK ? copy_elements(&found, bytes + start, out, why) : status;
}

// ---- files ---------------------------------------------------------------------------------

static tpu_status fail_io(const char *path, const char *what, tpu_message *why) {
    return status_fail(why, TPU_ERR_IO, "%s: %s: %s", path, what, strerror(errno));
}

// Appends what is left of the file, at most NPY_BYTES_MAX + 1 bytes.
static tpu_status load_stream(FILE *file, const char *path, file_bytes *out, tpu_message *why) {
    size_t room = 0;
    size_t got = 1;
    while (got > 0 && out->size <= NPY_BYTES_MAX) {
        if (out->size == room) {
            room = room == 0 ? 4096 : 2 * room;
            uint8_t *grown = realloc(out->data, room);
            if (grown == NULL) {
                return status_fail(why, TPU_ERR_MEMORY, "%s: no memory for its contents", path);
            }
            out->data = grown;
        }
        got = fread(out->data + out->size, 1, room - out->size, file);
        out->size += got;
    }
    return ferror(file) != 0 ? fail_io(path, "cannot be read", why) : TPU_OK;
}

// `out` is given, also on failure: the caller frees out->data.
static tpu_status load_file(const char *path, file_bytes *out, tpu_message *why) {
    *out = (file_bytes){0};
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return fail_io(path, "cannot be opened", why);
    }
    tpu_status status = load_stream(file, path, out, why);
    (void)fclose(file);
    if (status == TPU_OK && out->size > NPY_BYTES_MAX) {
        return status_fail(why, TPU_REFUSED, "%s: the file is above the %zu bytes that are read",
                           path, NPY_BYTES_MAX);
    }
    return status;
}

tpu_status npy_read(const char *path, npy_matrix *out, tpu_message *why) {
    file_bytes file;
    tpu_status status = load_file(path, &file, why);
    if (status == TPU_OK) {
        status = npy_parse(path, file.data, file.size, out, why);
    }
    free(file.data);
    return status;
}

tpu_status npy_read_raw(const char *path, size_t rows, size_t columns, npy_matrix *out,
                        tpu_message *why) {
    file_bytes file;
    npy_header shape = {.rows = rows, .columns = columns};
    tpu_status status = load_file(path, &file, why);
    if (status == TPU_OK) {
        status = need_size(path, rows, columns, file.size, why);
    }
    if (status == TPU_OK) {
        status = copy_elements(&shape, file.data, out, why);
    }
    free(file.data);
    return status;
}

// Opens a file beside `path` that nobody else has; `temporary` receives its name.
static FILE *open_beside(const char *path, char *temporary, size_t room) {
    FILE *file = NULL;
    for (unsigned i = 0; i < TEMPORARY_TRIES && file == NULL; i++) {
        (void)snprintf(temporary, room, "%s.%u.tmp", path, i);
        file = fopen(temporary, "wbx");
        if (file == NULL && errno != EEXIST) {
            break;
        }
    }
    return file;
}

static tpu_status replace_file(const char *path, const uint8_t *data, size_t size,
                               tpu_message *why) {
    size_t room = strlen(path) + sizeof ".4294967295.tmp";
    char *temporary = malloc(room);
    if (temporary == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "%s: no memory to write it", path);
    }
    tpu_status status = TPU_OK;
    FILE *file = open_beside(path, temporary, room);
    if (file == NULL) {
        status = fail_io(path, "no file can be created beside it", why);
        goto fail_open;
    }
    bool written = fwrite(data, 1, size, file) == size;
    written = fclose(file) == 0 && written;
    if (!written || rename(temporary, path) != 0) {
        status = fail_io(path, "cannot be written", why);
        (void)remove(temporary);
    }
fail_open:
    free(temporary);
    return status;
}

// Packs the window behind `head` bytes of room; the caller frees.
static uint8_t *pack(const int8_t *data, size_t rows, size_t columns, size_t row_stride,
                     npy_order order, size_t head) {
    uint8_t *out = malloc(head + rows * columns);
    if (out == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < columns; j++) {
            size_t at = order == NPY_ORDER_C ? i * columns + j : j * rows + i;
            out[head + at] = (uint8_t)data[i * row_stride + j];
        }
    }
    return out;
}

// Magic, version, length and the dictionary, padded so that the elements are aligned.
static size_t build_head(char *head, size_t room, size_t rows, size_t columns, npy_order order) {
    size_t fixed = MAGIC_BYTES + VERSION_BYTES + 2;
    memcpy(head, MAGIC "\x01\x00", MAGIC_BYTES + VERSION_BYTES);
    int length = snprintf(head + fixed, room - fixed,
                          "{'descr': '|i1', 'fortran_order': %s, 'shape': (%zu, %zu), }",
                          order == NPY_ORDER_C ? "False" : "True", rows, columns);
    size_t end = fixed + (size_t)length;
    size_t total = (end + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
    memset(head + end, ' ', total - end);
    head[total - 1] = '\n';
    head[fixed - 2] = (char)((total - fixed) & 0xff);
    head[fixed - 1] = (char)((total - fixed) >> 8);
    return total;
}

static tpu_status write_packed(const char *path, uint8_t *packed, size_t size, tpu_message *why) {
    if (packed == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "%s: no memory to write it", path);
    }
    tpu_status status = replace_file(path, packed, size, why);
    free(packed);
    return status;
}

tpu_status npy_write(const char *path, const int8_t *data, size_t rows, size_t columns,
                     size_t row_stride, npy_order order, tpu_message *why) {
    char head[4 * ALIGNMENT];
    size_t head_bytes = build_head(head, sizeof head, rows, columns, order);
    uint8_t *packed = pack(data, rows, columns, row_stride, order, head_bytes);
    if (packed != NULL) {
        memcpy(packed, head, head_bytes);
    }
    return write_packed(path, packed, head_bytes + rows * columns, why);
}

tpu_status npy_write_raw(const char *path, const int8_t *data, size_t rows, size_t columns,
                         size_t row_stride, tpu_message *why) {
    uint8_t *packed = pack(data, rows, columns, row_stride, NPY_ORDER_C, 0);
    return write_packed(path, packed, rows * columns, why);
}
