// SPDX-License-Identifier: Apache-2.0
//
// Whole files in and out. A file is written beside its place and renamed over it, so that nobody
// ever sees half of one.

#ifndef TEXTFILE_H
#define TEXTFILE_H

#include "base/status.h"

#include <stddef.h>

/** Largest file that is read, in bytes. */
#define TEXTFILE_BYTES_MAX ((size_t)1 << 28)

/**
 * Reads a file and puts a NUL behind it.
 * @param[out] text  given: free(). @param[out] bytes  without the NUL; may be NULL.
 * @return TPU_OK; TPU_REFUSED when there is no such file or it is too large; TPU_ERR_MEMORY.
 */
tpu_status textfile_read(const char *path, char **text, size_t *bytes,
                         tpu_message *why) TPU_NODISCARD;

/** Writes `bytes` bytes. @return TPU_OK or TPU_ERR_IO (`path` is as it was). */
tpu_status textfile_write(const char *path, const void *data, size_t bytes,
                          tpu_message *why) TPU_NODISCARD;

/** Makes a directory and those above it; existing ones are fine. */
tpu_status textfile_make_directory(const char *path, tpu_message *why) TPU_NODISCARD;

#endif
