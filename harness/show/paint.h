// SPDX-License-Identifier: Apache-2.0
//
// Colours for a report on a terminal. The plain text is made first, for files and pipes; this adds
// escape sequences to it and changes no character.

#ifndef PAINT_H
#define PAINT_H

#include "base/status.h"

#include <stdbool.h>

/**
 * May this environment show colours? NO_COLOR set to anything forbids them, and so does a TERM
 * that is empty or "dumb". Arguments are the variables' values, NULL = not set.
 */
bool paint_allowed(const char *no_color, const char *term);

/**
 * Colours a text of report_screen or explain_text.
 * @param[out] out  given to the caller, free().
 */
tpu_status paint_report(const char *plain, char **out, tpu_message *why) TPU_NODISCARD;

#endif
