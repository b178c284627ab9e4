// SPDX-License-Identifier: Apache-2.0
//
// The weights that the array really used, out of the sums: with as many independent activation
// rows as the array has rows, each column is a system of equations with one solution. Part of
// systolic.c, for faults that no theory about one element or about all of them explains.

#ifndef SYSTOLIC_SOLVE_H
#define SYSTOLIC_SOLVE_H

#include "harness/lockstep/systolic.h"

/** What was found out. */
typedef struct systolic_weights {
    unsigned others; /**< elements with another weight than they should have */
    unsigned before; /**< of these: with the one of the mm before */
    unsigned after;  /**< of these: with the one of the mm after */
    int row;         /**< the first of them, column by column */
    int col;
} systolic_weights;

/**
 * @return true when every column that is wrong has one solution, in whole weights of 8 bits, that
 *         explains all rows of sums. False also when there is no memory.
 */
bool systolic_solve(const systolic_case *of, systolic_weights *out);

#endif
