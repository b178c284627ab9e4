// SPDX-License-Identifier: Apache-2.0
//
// The third opinion on one row: what it must be, given the rows that it is made from. Shares
// nothing with the model; streams have here the numbers of the instruction set's page.

#ifndef ORACLE_ROW_H
#define ORACLE_ROW_H

#include "harness/oracle/oracle_flow.h"

#include <stdbool.h>
#include <stdint.h>

/** What is known. Everything is borrowed; NULL = not known. */
typedef struct oracle_row_facts {
    uint32_t t;
    uint32_t maxdim;
    const uint64_t *words;     /**< the image: its header */
    const oracle_issue *issue; /**< that the row belongs to; NULL = the header causes it */
    uint32_t in_issue;         /**< row of the stream within the issue */
    const uint8_t *lanes;      /**< t: the row of a channel or memory that is handed on */
    bool written;              /**< this program has loaded what `lanes` holds */
    const int8_t *matrix_a;    /**< maxdim * maxdim */
    const int8_t *matrix_b;
    const int8_t *a;      /**< t: activations of an mm */
    const int8_t *w;      /**< t * t: its weights, a row of the array after another */
    const int32_t *left;  /**< t: ar row that is added to, stored, or the first source */
    const int32_t *right; /**< t: partial sums of an mm, or the second source */
} oracle_row_facts;

/**
 * Writes the row as the machine must show it, little-endian.
 * @param stream    number of the stream.
 * @param[out] row  as many bytes as the stream's rows have.
 * @param[out] from, to  the bytes that were written, `to` not included: of an issue its pc and
 *                       induction values are not known here.
 * @return false when the facts do not say.
 */
bool oracle_row(unsigned stream, const oracle_row_facts *facts, uint8_t *row, uint32_t *from,
                uint32_t *to);

#endif
