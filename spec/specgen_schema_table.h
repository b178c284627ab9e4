// SPDX-License-Identifier: Apache-2.0
//
// The table behind specgen_schema.c: one row per key of the specification, found by its pattern,
// in which "[]" stands for the elements of a list.

#ifndef SPECGEN_SCHEMA_TABLE_H
#define SPECGEN_SCHEMA_TABLE_H

#include <stdbool.h>
#include <stddef.h>

typedef enum specgen_schema_kind {
    SCHEMA_OBJECT,
    SCHEMA_LIST,
    SCHEMA_PROSE,    /**< text that is not empty */
    SCHEMA_NAME,     /**< letters, digits, '_' and '.', a letter first */
    SCHEMA_CONSTANT, /**< capitals, digits, '_' */
    SCHEMA_EXPR,     /**< text that parses as an expression */
    SCHEMA_INT,      /**< a whole number within min..max */
    SCHEMA_BOUND,    /**< a whole number within min..max, or "unbounded" */
    SCHEMA_BIG,      /**< a whole number, as text above 2^53 or where hexadecimal reads better */
    SCHEMA_BOOL,
    SCHEMA_FREE /**< judged by whoever reads it: witnesses and expectations */
} specgen_schema_kind;

typedef struct specgen_schema_row {
    const char *pattern;
    specgen_schema_kind kind;
    bool optional;
    long min;
    long max;
} specgen_schema_row;

extern const specgen_schema_row specgen_schema_table[];
extern const size_t specgen_schema_table_rows;

#endif
