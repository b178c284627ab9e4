// SPDX-License-Identifier: Apache-2.0
//
// A growing piece of text for the writers of specgen, with the few layouts that all of them need.
// A failed allocation is remembered and asked for once, at the end.

#ifndef SPECGEN_TEXT_H
#define SPECGEN_TEXT_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

/** Owns `data` (NUL-terminated once anything was added). Zero-initialise before use. */
typedef struct specgen_text {
    char *data;
    size_t length; /**< characters, without the NUL */
    size_t capacity;
    bool failed; /**< an allocation failed; later additions are dropped */
} specgen_text;

/** Appends formatted text. */
void specgen_text_add(specgen_text *text, const char *fmt, ...) TPU_PRINTF(2, 3);

/** Appends spaces until the current line is `column` characters long; none when it is longer. */
void specgen_text_pad(specgen_text *text, size_t column);

/**
 * Appends `sentence` broken between words into lines of at most 100 columns.
 * @param first  written before the first line. @param next  written before each later line.
 */
void specgen_text_wrap(specgen_text *text, const char *first, const char *next,
                       const char *sentence);

/**
 * Appends a C string literal, continued on aligned lines where it passes column 100.
 * @param tail  what follows the closing quote on its line, such as ",".
 */
void specgen_text_literal(specgen_text *text, const char *string, const char *tail);

/** Appends `source` in capitals, every character outside A-Z and 0-9 as '_'. */
void specgen_text_upper(specgen_text *text, const char *source);

/** Releases the text and zeroes the struct. */
void specgen_text_clear(specgen_text *text);

#endif
