// SPDX-License-Identifier: Apache-2.0
//
// Whole files in and out.

#define _POSIX_C_SOURCE 200809L

#include "harness/io/textfile.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static tpu_status read_stream(FILE *file, const char *path, char **text, size_t *bytes,
                              tpu_message *why) {
    size_t capacity = 65536;
    size_t length = 0;
    char *data = malloc(capacity);
    while (data != NULL) {
        length += fread(data + length, 1, capacity - length - 1, file);
        if (length + 1 < capacity || length > TEXTFILE_BYTES_MAX) {
            break;
        }
        capacity *= 2;
        char *more = realloc(data, capacity);
        if (more == NULL) {
            free(data);
        }
        data = more;
    }
    if (data == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "%s: out of memory", path);
    }
    if (ferror(file) != 0 || length > TEXTFILE_BYTES_MAX) {
        free(data);
        return status_fail(why, TPU_REFUSED, "%s: cannot be read, or longer than %zu bytes", path,
                           TEXTFILE_BYTES_MAX);
    }
    data[length] = '\0';
    *text = data;
    if (bytes != NULL) {
        *bytes = length;
    }
    return TPU_OK;
}

tpu_status textfile_read(const char *path, char **text, size_t *bytes, tpu_message *why) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return status_fail(why, TPU_REFUSED, "%s: %s", path, strerror(errno));
    }
    tpu_status status = read_stream(file, path, text, bytes, why);
    (void)fclose(file);
    return status;
}

static bool write_all(FILE *file, const void *data, size_t bytes) {
    bool good = fwrite(data, 1, bytes, file) == bytes && fflush(file) == 0;
    return fclose(file) == 0 && good;
}

tpu_status textfile_write(const char *path, const void *data, size_t bytes, tpu_message *why) {
    char beside[PATH_MAX];
    int length = snprintf(beside, sizeof beside, "%s.%ld.tmp", path, (long)getpid());
    if (length < 0 || (size_t)length >= sizeof beside) {
        return status_fail(why, TPU_ERR_IO, "%s: the path is too long", path);
    }
    FILE *file = fopen(beside, "wb");
    if (file == NULL) {
        return status_fail(why, TPU_ERR_IO, "%s: cannot be written: %s", path, strerror(errno));
    }
    if (!write_all(file, data, bytes) || rename(beside, path) != 0) {
        tpu_status status =
            status_fail(why, TPU_ERR_IO, "%s: cannot be written: %s", path, strerror(errno));
        (void)remove(beside);
        return status;
    }
    return TPU_OK;
}

tpu_status textfile_make_directory(const char *path, tpu_message *why) {
    char part[PATH_MAX];
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof part) {
        return status_fail(why, TPU_ERR_IO, "%s: no usable directory name", path);
    }
    memcpy(part, path, length + 1);
    for (size_t i = 1; i <= length; i++) {
        if (part[i] != '/' && part[i] != '\0') {
            continue;
        }
        char kept = part[i];
        part[i] = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST) {
            return status_fail(why, TPU_ERR_IO, "%s: cannot be made: %s", part, strerror(errno));
        }
        part[i] = kept;
    }
    return TPU_OK;
}
