// SPDX-License-Identifier: Apache-2.0
//
// A failure or a whole run as one HTML file that needs nothing else: no network, no second file,
// no program but a browser. What it shows is the JSON that it carries.

#ifndef PAGE_H
#define PAGE_H

#include "base/status.h"
#include "harness/replay/recording.h"
#include "harness/show/report.h"

/** Bytes that a page stays below. */
#define PAGE_BYTES_MAX 1000000u

/**
 * Writes the page of one failure. Rows far from the verdict are left out where the page would not
 * stay below PAGE_BYTES_MAX; the page says so.
 * @return TPU_OK, TPU_ERR_IO, TPU_ERR_MEMORY.
 */
tpu_status page_write(const recording *from, const report_context *context, const char *path,
                      tpu_message *why) TPU_NODISCARD;

/**
 * Puts data into the frame of a page.
 * @param data       JSON text.
 * @param title      any text.
 * @param[out] html  given, free(). @param[out] bytes  its length.
 */
tpu_status page_build(const char *data, const char *title, char **html, size_t *bytes,
                      tpu_message *why) TPU_NODISCARD;

/** The JSON of a failure's page, before it is made safe for HTML. @param[out] out  given, free().
 */
tpu_status page_json(const recording *from, const report_context *context, char **out,
                     tpu_message *why) TPU_NODISCARD;

#endif
