// SPDX-License-Identifier: Apache-2.0
//
// The small expression language of the specification: names, whole numbers, + - * // % **,
// & | ^ << >>, comparisons, and, or, min() and max(). Values are whole numbers of 63 bits; a
// comparison gives 0 or 1.

#ifndef SPECGEN_EXPR_H
#define SPECGEN_EXPR_H

#include "base/status.h"
#include "spec/specgen_text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPECGEN_EXPR_NODES 96
#define SPECGEN_EXPR_NAME 32

/** One node of a parsed expression; `left` and `right` are indices, -1 when absent. */
typedef struct specgen_expr_node {
    char op[4]; /**< "n" a number, "x" a name, "min", "max", "and", "or", or the operator itself */
    int64_t value;
    char name[SPECGEN_EXPR_NAME];
    int left;
    int right;
} specgen_expr_node;

typedef struct specgen_expr {
    specgen_expr_node node[SPECGEN_EXPR_NODES];
    int count;
    int root;
} specgen_expr;

/** Gives the value of a name; false when it has none. */
typedef bool (*specgen_expr_lookup)(void *user, const char *name, int64_t *value);

/** Parses `text`. @return TPU_OK, or TPU_REFUSED with the column and what was expected there. */
tpu_status specgen_expr_parse(const char *text, specgen_expr *out, tpu_message *why) TPU_NODISCARD;

/** Evaluates. @return TPU_OK, or TPU_REFUSED: unknown name, division by 0, overflow. */
tpu_status specgen_expr_eval(const specgen_expr *expr, specgen_expr_lookup lookup, void *user,
                             int64_t *value, tpu_message *why) TPU_NODISCARD;

/** Writes the C text of a name into `text`; false when the name may not be used. */
typedef bool (*specgen_expr_name)(void *user, const char *name, specgen_text *text);

/**
 * Writes the expression as C over uint64_t; // and % become quotient() and remainder_of(), min and
 * max smaller() and larger(). @return TPU_REFUSED for - and **, which uint64_t cannot carry.
 */
tpu_status specgen_expr_c(const specgen_expr *expr, specgen_expr_name name, void *user,
                          specgen_text *text, tpu_message *why) TPU_NODISCARD;

#endif
