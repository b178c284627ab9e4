// SPDX-License-Identifier: Apache-2.0
//
// Markdown tables and lists.

#include "spec/specgen_cells.h"

#include <inttypes.h>
#include <stdio.h>

static void add_cell(specgen_text *text, const char *cell) {
    if (cell == NULL || cell[0] == '\0') {
        specgen_text_add(text, " - |");
        return;
    }
    specgen_text_add(text, " ");
    for (const char *at = cell; *at != '\0'; at++) {
        specgen_text_add(text, *at == '|' ? "\\%c" : "%c", *at);
    }
    specgen_text_add(text, " |");
}

void specgen_cells_row(specgen_text *text, const char *const cells[], size_t count) {
    specgen_text_add(text, "|");
    for (size_t i = 0; i < count; i++) {
        add_cell(text, cells[i]);
    }
    specgen_text_add(text, "\n");
}

void specgen_cells_head(specgen_text *text, const char *const cells[], size_t count) {
    specgen_cells_row(text, cells, count);
    specgen_text_add(text, "|");
    for (size_t i = 0; i < count; i++) {
        specgen_text_add(text, " --- |");
    }
    specgen_text_add(text, "\n");
}

void specgen_cells_list(specgen_text *text, const cJSON *list) {
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, list) {
        specgen_text_wrap(text, "- ", "  ", item->valuestring);
    }
    specgen_text_add(text, "\n");
}

void specgen_cells_prose(specgen_text *text, const char *sentence) {
    specgen_text_wrap(text, "", "", sentence);
    specgen_text_add(text, "\n");
}

const char *specgen_cells_number(char buffer[SPECGEN_NUMBER], int64_t value) {
    (void)snprintf(buffer, SPECGEN_NUMBER, "%" PRId64, value);
    return buffer;
}
