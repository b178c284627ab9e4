// SPDX-License-Identifier: Apache-2.0
//
// Looks for the processing element behind wrong partial sums, by arithmetic alone: the activation
// rows and weights of the mm are known and right, so each theory of what is wrong in the array
// ("PE(2,1) still holds the weight of the mm before") predicts every sum. A theory stands when it
// explains all rows that were seen, the right ones too.

#ifndef SYSTOLIC_H
#define SYSTOLIC_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

/** One mm as it should be, and the sums that came out. Everything is borrowed. */
typedef struct systolic_case {
    uint32_t t;
    uint32_t rows;          /**< activation rows of the mm */
    uint32_t seen;          /**< rows of sums in `got`, from the first of the mm on */
    const int8_t *a;        /**< rows * t: activation of lane i in row r at [r * t + i] */
    const int8_t *w;        /**< t * t: weight of PE(i, j) at [i * t + j] */
    const int8_t *w_before; /**< of the mm before; NULL = there is none */
    const int8_t *w_after;  /**< of the mm after; NULL = there is none */
    const int8_t *a_before; /**< t: last activation row of the mm before; NULL = there is none */
    const int32_t *got;     /**< seen * t */
} systolic_case;

/** What came of it. */
typedef struct systolic_answer {
    int row;            /**< of the only processing element that explains all, else -1 */
    int col;            /**< its column; also when one column alone is wrong; else -1 */
    bool right;         /**< no sum is wrong: nothing to explain */
    unsigned theories;  /**< that stand */
    tpu_message reason; /**< the first of them in words, empty when there is none */
} systolic_answer;

/** Tries every theory. */
void systolic_explain(const systolic_case *of, systolic_answer *out);

#endif
