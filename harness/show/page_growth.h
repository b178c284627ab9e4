// SPDX-License-Identifier: Apache-2.0
//
// Reads what fuzz writes with --growth, bins hit over time as CSV, for the page of a whole run.

#ifndef PAGE_GROWTH_H
#define PAGE_GROWTH_H

#include "base/status.h"

#include <cjson/cJSON.h>

#include <stdbool.h>

/** True when the text begins with a line of column names that has seconds and bins. */
bool page_growth_is(const char *text);

/**
 * A list with one object a line, keys from the first line, values numbers.
 * @param name      of the file, for the sentence.
 * @param[out] out  given, cJSON_Delete.
 * @return TPU_OK; TPU_REFUSED with the line that is damaged; TPU_ERR_MEMORY.
 */
tpu_status page_growth_read(const char *text, const char *name, cJSON **out,
                            tpu_message *why) TPU_NODISCARD;

#endif
