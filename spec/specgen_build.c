// SPDX-License-Identifier: Apache-2.0
//
// The chapters of isa.md about builds and programs: contracts, parameters, constants, constraints,
// ceilings, limits, numerics, and the derived properties.

#include "spec/specgen_cells.h"
#include "spec/specgen_page.h"
#include "spec/specgen_property.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// A witness or an expectation as the JSON it is, on one line.
static void add_json(specgen_text *text, const char *title, const cJSON *node) {
    char *json = cJSON_PrintUnformatted(node);
    if (json == NULL) {
        text->failed = true;
        return;
    }
    specgen_text_add(text, "- %s: `%s`\n", title, json);
    cJSON_free(json);
}

void specgen_build_properties(const specgen_spec *spec, specgen_text *text) {
    static const char *const extras[][2] = {
        {"corrects", "- corrects: "}, {"note", "- note: "}, {"not_proved", "- not proved: "}};
    specgen_text_add(text, "## Derived properties\n\nEach is computed again from the tables and "
                           "then tried on the assembler.\n\n");
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "derived_properties")) {
        specgen_text_add(text, "### %s\n\n", specgen_spec_text(item, "id"));
        specgen_cells_prose(text, specgen_spec_text(item, "statement"));
        const cJSON *sources = specgen_spec_list(item, "derived_from");
        const cJSON *source = NULL;
        cJSON_ArrayForEach(source, sources) {
            specgen_text_add(text, "%s`%s`", source == sources->child ? "- derived from: " : ", ",
                             source->valuestring);
        }
        specgen_text_add(text, "\n");
        add_json(text, "witness", specgen_spec_list(item, "witness"));
        add_json(text, "expected", specgen_spec_list(item, "expect"));
        for (size_t i = 0; i < sizeof extras / sizeof extras[0]; i++) {
            const char *words = specgen_spec_text(item, extras[i][0]);
            if (words != NULL) {
                specgen_text_wrap(text, extras[i][1], "  ", words);
            }
        }
        specgen_text_add(text, "\n");
    }
}

static void write_contracts(const specgen_spec *spec, specgen_text *text) {
    const cJSON *written = specgen_spec_at(spec, "contracts.write_before_read");
    const cJSON *distance = specgen_spec_at(spec, "contracts.accumulator_raw_distance");
    specgen_text_add(text, "## Contracts\n\n### Write before read\n\n");
    specgen_cells_list(text, specgen_spec_list(written, "rules"));
    specgen_text_add(text, "Enforced by %s.\n\n", specgen_spec_text(written, "enforced_by"));
    specgen_text_add(text, "### Accumulator read-after-write distance\n\n");
    specgen_cells_prose(text, specgen_spec_text(distance, "rule"));
    specgen_text_add(text, "%s = %" PRId64 " %s.\n", specgen_spec_text(distance, "constant"),
                     specgen_spec_int(distance, "value"), specgen_spec_text(distance, "unit"));
    specgen_cells_prose(text, specgen_spec_text(distance, "iteration_note"));
    specgen_text_add(text, "Enforced by %s.\nExercised by %s.\n\n",
                     specgen_spec_text(distance, "enforced_by"),
                     specgen_spec_text(distance, "exercised_by"));
}

static void parameter_row(const cJSON *item, specgen_text *text) {
    const cJSON *widened = specgen_spec_list(item, "widened");
    const char *max = specgen_spec_text(item, "max");
    char range[2 * SPECGEN_NUMBER];
    specgen_text value = {0};
    if (max != NULL) {
        (void)snprintf(range, sizeof range, "%" PRId64 " .. unbounded",
                       specgen_spec_int(item, "min"));
    } else {
        (void)snprintf(range, sizeof range, "%" PRId64 " .. %" PRId64,
                       specgen_spec_int(item, "min"), specgen_spec_int(item, "max"));
    }
    specgen_text_add(&value, "%s", specgen_spec_text(item, "default"));
    if (widened != NULL) {
        specgen_text_add(&value, "; with %s=1: %s", specgen_spec_text(widened, "env"),
                         specgen_spec_text(widened, "expression"));
    }
    ROW(text, specgen_spec_text(item, "name"), specgen_spec_text(item, "env"), value.data, range,
        specgen_spec_text(item, "role"));
    specgen_text_clear(&value);
}

static void write_parameters(const specgen_spec *spec, specgen_text *text) {
    const cJSON *item = NULL;
    specgen_text_add(text, "## Parameters\n\n");
    HEAD(text, "constant", "environment variable", "default", "legal range", "role");
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "parameters")) {
        parameter_row(item, text);
    }
    specgen_text_add(text, "\n### Derived constants\n\n");
    HEAD(text, "constant", "value", "role");
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "derived_constants")) {
        ROW(text, specgen_spec_text(item, "name"), specgen_spec_text(item, "value"),
            specgen_spec_text(item, "role"));
    }
    specgen_text_add(text, "\n### Constraints between parameters\n\n");
    HEAD(text, "constraint", "why");
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "constraints")) {
        ROW(text, specgen_spec_text(item, "expression"), specgen_spec_text(item, "why"));
    }
    specgen_text_add(text, "\n");
}

static tpu_status write_ceilings(const specgen_spec *spec, specgen_text *text, tpu_message *why) {
    static const int64_t sides[] = {4, 8, 16};
    const cJSON *item = NULL;
    specgen_text_add(text, "## What bounds MAXDIM\n\nThe largest multiple of T that fulfils the "
                           "predicate, m being MAXDIM and t being T.\n\n");
    HEAD(text, "ceiling", "at T = 4", "at T = 8", "at T = 16", "predicate", "question it answers",
         "refused by");
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "maxdim_ceilings")) {
        char at[3][SPECGEN_NUMBER];
        for (size_t i = 0; i < 3; i++) {
            int64_t value = 0;
            tpu_status status = specgen_property_ceiling(spec, item, sides[i], &value, why);
            if (status != TPU_OK) {
                return status;
            }
            (void)specgen_cells_number(at[i], value);
        }
        ROW(text, specgen_spec_text(item, "name"), at[0], at[1], at[2],
            specgen_spec_text(item, "predicate"), specgen_spec_text(item, "question"),
            specgen_spec_text(item, "refused_by"));
    }
    specgen_text_add(text, "\n## What bounds a GEMM\n\n");
    HEAD(text, "limit", "need", "allowed", "meaning", "of the shipped layout");
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "program_limits")) {
        ROW(text, specgen_spec_text(item, "name"), specgen_spec_text(item, "need"),
            specgen_spec_text(item, "allowed"), specgen_spec_text(item, "meaning"),
            specgen_spec_bool(item, "alternative") ? "no" : "yes");
    }
    specgen_text_add(text, "\n");
    return TPU_OK;
}

static void format_row(const cJSON *item, const char *stage, specgen_text *text) {
    const cJSON *format = specgen_spec_list(item, stage);
    char words[120];
    char range[2 * SPECGEN_NUMBER + 8];
    int64_t bits = specgen_spec_int(format, "bits");
    bool is_signed = specgen_spec_bool(format, "signed");
    int64_t half = (int64_t)1 << ((bits > 62 ? 62 : bits) - 1);
    (void)snprintf(words, sizeof words, "%.60s, %s, %" PRId64 " bits",
                   specgen_spec_text(format, "format"), is_signed ? "signed" : "unsigned", bits);
    (void)snprintf(range, sizeof range, "%" PRId64 " .. %" PRId64, is_signed ? -half : 0,
                   is_signed ? half - 1 : 2 * half - 1);
    ROW(text, stage, words, range, specgen_spec_text(format, "where"));
}

static void write_stages(const cJSON *item, specgen_text *text) {
    const cJSON *multiply = specgen_spec_list(item, "multiply");
    const cJSON *accumulate = specgen_spec_list(item, "accumulate");
    const cJSON *output = specgen_spec_list(item, "output");
    char words[3][160];
    (void)snprintf(words[0], sizeof words[0], "%.60s, in %" PRId64 " bits",
                   specgen_spec_text(multiply, "operation"), specgen_spec_int(multiply, "bits"));
    ROW(text, "multiply", words[0], specgen_spec_bool(multiply, "exact") ? "exact" : "inexact",
        specgen_spec_text(multiply, "why"));
    (void)snprintf(words[1], sizeof words[1], "rounding %.40s; %.60s at %" PRId64 " bits",
                   specgen_spec_text(accumulate, "rounding"),
                   specgen_spec_text(accumulate, "overflow"), specgen_spec_int(accumulate, "bits"));
    ROW(text, "accumulate", specgen_spec_text(accumulate, "operation"), words[1],
        specgen_spec_text(accumulate, "order"));
    (void)snprintf(words[2], sizeof words[2], "%" PRId64 " .. %" PRId64 ", rounding %.40s",
                   specgen_spec_int(output, "min"), specgen_spec_int(output, "max"),
                   specgen_spec_text(output, "rounding"));
    ROW(text, "output", specgen_spec_text(output, "operation"), words[2],
        specgen_spec_text(output, "where"));
    const cJSON *element = NULL;
    cJSON_ArrayForEach(element, specgen_spec_list(item, "elementwise")) {
        ROW(text, specgen_spec_text(element, "name"), specgen_spec_text(element, "operation"),
            specgen_spec_text(element, "overflow"), "accumulator format");
    }
}

static void write_numerics(const specgen_spec *spec, specgen_text *text) {
    const cJSON *item = NULL;
    specgen_text_add(text, "## Numerics\n\nActive configuration: %s.\n",
                     specgen_spec_text(specgen_spec_at(spec, "numerics"), "active"));
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "numerics.configurations")) {
        specgen_text_add(text, "\n### %s\n\n", specgen_spec_text(item, "name"));
        HEAD(text, "stage", "operation", "range, rounding, overflow", "where or why");
        format_row(item, "operand", text);
        format_row(item, "accumulator", text);
        write_stages(item, text);
    }
}

tpu_status specgen_build_page(const specgen_spec *spec, specgen_text *text, tpu_message *why) {
    write_contracts(spec, text);
    write_parameters(spec, text);
    tpu_status status = write_ceilings(spec, text, why);
    write_numerics(spec, text);
    return status;
}
