// SPDX-License-Identifier: Apache-2.0
//
// A failure as GitHub Actions shows it: a line that becomes an annotation on the guilty line of the
// program or on the RTL file of the blamed unit, and a paragraph for the job's summary. Both are
// made from the JSON of a report, so whoever has written one can be annotated.

#ifndef ANNOTATE_H
#define ANNOTATE_H

#include "base/status.h"

#include <stdbool.h>

/** Where an annotation points. Strings are borrowed; NULL = none. */
typedef struct annotate_place {
    const char *file;
    unsigned line; /**< 0 = none */
    const char *title;
} annotate_place;

/**
 * "::error file=...,line=...,title=...::sentence" and a line feed, with the escapes that the
 * format asks for. @param[out] out  given, free().
 */
tpu_status annotate_error(const annotate_place *place, const char *sentence, char **out,
                          tpu_message *why) TPU_NODISCARD;

/**
 * Annotation and summary of a report.
 * @param report     JSON text of report_json.
 * @param directory  of the failure; NULL = none.
 * @param[out] line, summary  given, free().
 * @return TPU_OK; TPU_REFUSED when the text is no report; TPU_ERR_MEMORY.
 */
tpu_status annotate_report(const char *report, const char *directory, char **line, char **summary,
                           tpu_message *why) TPU_NODISCARD;

#endif
