// SPDX-License-Identifier: Apache-2.0
//
// A whole run as one HTML page: what cosim, bench, fuzz (also --illegal and --equal), campaign,
// mutants and timeline say with --json, and what fuzz writes with --growth, beside each other.

#ifndef PAGE_SUMMARY_H
#define PAGE_SUMMARY_H

#include "base/status.h"

#include <stddef.h>

/** One summary. Both are borrowed. */
typedef struct page_summary_part {
    const char *name; /**< shown; the file's name, as a rule */
    const char *text; /**< JSON, or CSV of fuzz --growth */
} page_summary_part;

/**
 * Name of the command whose summary this is ("cosim", ...); NULL = of none. A summary may lack
 * keys, but not be something else.
 */
const char *page_summary_kind(const char *text);

/**
 * Puts the summaries into one JSON text for page_build, in their order.
 * @param[out] out  given, free().
 * @return TPU_OK; TPU_REFUSED with the part's name, the place and what is wrong with it;
 *         TPU_ERR_MEMORY.
 */
tpu_status page_summary_json(const page_summary_part *parts, size_t count, const char *title,
                             char **out, tpu_message *why) TPU_NODISCARD;

/** The same as a page in a file. @return likewise; TPU_ERR_IO (`path` is as it was). */
tpu_status page_summary_write(const page_summary_part *parts, size_t count, const char *title,
                              const char *path, tpu_message *why) TPU_NODISCARD;

#endif
