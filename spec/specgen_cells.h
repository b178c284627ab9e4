// SPDX-License-Identifier: Apache-2.0
//
// Markdown tables and lists for the writers of the ISA page.

#ifndef SPECGEN_CELLS_H
#define SPECGEN_CELLS_H

#include "spec/specgen_text.h"

#include <cjson/cJSON.h>
#include <stddef.h>
#include <stdint.h>

#define SPECGEN_NUMBER 24

/** A table row; '|' inside a cell is escaped, NULL or "" gives "-". */
void specgen_cells_row(specgen_text *text, const char *const cells[], size_t count);

/** A heading row and the line below it. */
void specgen_cells_head(specgen_text *text, const char *const cells[], size_t count);

/** One "- " item per text of the list, wrapped, and an empty line. */
void specgen_cells_list(specgen_text *text, const cJSON *list);

/** A paragraph, wrapped, and an empty line. */
void specgen_cells_prose(specgen_text *text, const char *sentence);

/** Decimal digits of `value` in `buffer`; returns `buffer`. */
const char *specgen_cells_number(char buffer[SPECGEN_NUMBER], int64_t value);

#define CELLS(...)                                                                                 \
    (const char *const[]) {                                                                        \
        __VA_ARGS__                                                                                \
    }
#define CELL_COUNT(...) (sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))
#define ROW(text, ...) specgen_cells_row((text), CELLS(__VA_ARGS__), CELL_COUNT(__VA_ARGS__))
#define HEAD(text, ...) specgen_cells_head((text), CELLS(__VA_ARGS__), CELL_COUNT(__VA_ARGS__))

#endif
