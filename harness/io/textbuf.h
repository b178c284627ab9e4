// SPDX-License-Identifier: Apache-2.0
//
// A growable text in memory. Running out of memory is remembered and told once, at the end.

#ifndef TEXTBUF_H
#define TEXTBUF_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

/** Zero-initialise. Owns `text` until textbuf_take. */
typedef struct textbuf {
    char *text;
    size_t length;
    size_t capacity;
    bool failed;
} textbuf;

/** Appends formatted text. */
void textbuf_add(textbuf *self, const char *fmt, ...) TPU_PRINTF(2, 3);

/** Appends blanks until the current line is `column` characters long. */
void textbuf_pad(textbuf *self, size_t column);

/** Ends the line, without blanks at its end. */
void textbuf_newline(textbuf *self);

/**
 * Gives the text away and leaves the struct zeroed.
 * @param[out] out  given: free(); never NULL on success.
 * @return TPU_OK or TPU_ERR_MEMORY.
 */
tpu_status textbuf_take(textbuf *self, char **out, tpu_message *why) TPU_NODISCARD;

/** Releases the text; safe on a zeroed one. */
void textbuf_clear(textbuf *self);

#endif
