// SPDX-License-Identifier: Apache-2.0
//
// Reads wrong lanes as a diagnosis: what simple change of the expected row gives the row that came?
// Each answer is half a sentence for "suggests: ...". Pure arithmetic; it decides nothing.

#ifndef PATTERN_H
#define PATTERN_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

/** Two rows of lanes; both borrowed. */
typedef struct pattern_row {
    const int64_t *want;
    const int64_t *got;
    size_t lanes;
    unsigned bits; /**< of a lane: 8 or 32 */
} pattern_row;

/**
 * Says what the wrong lanes have in common, the most telling first.
 * @pre at least one lane differs.
 * @param[out] out  room for `limit` sentences. @return how many there are.
 */
size_t pattern_describe(const pattern_row *row, tpu_message *out, size_t limit);

/** An answer for lanes that combine two operands, lane by lane. `right` may be NULL. */
size_t pattern_combine(const pattern_row *row, const int64_t *left, const int64_t *right,
                       tpu_message *out);

#endif
