// SPDX-License-Identifier: Apache-2.0
//
// The third opinion on two rules that the machine enforces and the software claims to have kept:
// the counts of the header, and the distance between a write of an accumulator row and its read.
// Shares nothing with csim.

#ifndef ORACLE_LAW_H
#define ORACLE_LAW_H

#include "harness/oracle/oracle_flow.h"

#include <stdbool.h>
#include <stdint.h>

/**
 * @param t      lanes of a row.
 * @param words  the image.
 * @return number of the first header word (1 to 7) that is not what the issues add up to; 0 = all
 *         are right.
 */
unsigned oracle_law_header(const oracle_flow *flow, uint32_t t, const uint64_t *words);

/**
 * @param rows  of the accumulator file.
 * @return true when every accumulator row is read 4 steps of accu after its write or later.
 */
bool oracle_law_distance(const oracle_flow *flow, uint32_t rows);

#endif
