// SPDX-License-Identifier: Apache-2.0
//
// Adds up what became of the mutants, and writes rows and totals as JSON.

#include "harness/mutants/mutant_totals.h"

#include "harness/io/jsonnum.h"

#include <cjson/cJSON.h>

#include <stdlib.h>

static int by_value(const void *left, const void *right) {
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

// Nearest rank.
static void percentiles(double *value, size_t count, double *out) {
    qsort(value, count, sizeof *value, by_value);
    out[0] = count > 0 ? value[(count - 1) / 2] : 0;
    out[1] = count > 0 ? value[(count * 95 + 99) / 100 - 1] : 0;
}

bool mutant_is_fuzzed(const mutant *of) {
    return of->test == NULL;
}

static void count_one(mutant_totals *to, const mutant *of, const mutant_result *result) {
    bool caught = result->outcome == MUTANT_CAUGHT;
    to->build += result->build;
    to->bad += !mutant_went_well(of, result);
    if (mutant_must_survive(of)) {
        to->silent++;
        to->quiet += result->outcome == MUTANT_SURVIVED;
        return;
    }
    to->asked++;
    to->caught += caught;
    to->right += caught && result->place_right;
    to->fuzzed += caught && mutant_is_fuzzed(of) && !result->refused;
    to->blamed += caught && mutant_is_fuzzed(of) && result->unit_right;
    to->shrunk += result->small;
    to->small += result->small && result->instructions <= MUTANT_SMALL;
}

tpu_status mutant_add_up(const mutant *list, const mutant_result *results, size_t count,
                         mutant_totals *out, tpu_message *why) {
    double *detect = calloc(count + 1, sizeof *detect);
    double *minimal = calloc(count + 1, sizeof *minimal);
    size_t detected = 0;
    size_t minimised = 0;
    *out = (mutant_totals){.asked = 0};
    if (detect == NULL || minimal == NULL) {
        free(detect);
        free(minimal);
        return status_fail(why, TPU_ERR_MEMORY, "mutants: out of memory");
    }
    for (size_t i = 0; i < count; i++) {
        count_one(out, &list[i], &results[i]);
        if (!mutant_must_survive(&list[i]) && mutant_is_fuzzed(&list[i]) &&
            results[i].outcome == MUTANT_CAUGHT) {
            detect[detected++] = results[i].detect;
        }
        if (results[i].small) {
            minimal[minimised++] = results[i].minimal;
        }
    }
    percentiles(detect, detected, out->detect);
    percentiles(minimal, minimised, out->minimal);
    free(detect);
    free(minimal);
    return TPU_OK;
}

// ---- JSON --------------------------------------------------------------------------------------

static void add_row(cJSON *rows, const mutant *of, const mutant_result *result) {
    cJSON *row = cJSON_CreateObject();
    (void)cJSON_AddItemToArray(rows, row);
    (void)cJSON_AddStringToObject(row, "name", of->name);
    (void)cJSON_AddStringToObject(row, "kind", mutant_kind_name(of->kind));
    (void)cJSON_AddStringToObject(row, "file", of->file != NULL ? of->file : "");
    (void)cJSON_AddStringToObject(row, "why", of->why != NULL ? of->why : "");
    (void)cJSON_AddStringToObject(row, "equivalent", of->equivalent != NULL ? of->equivalent : "");
    (void)cJSON_AddBoolToObject(row, "must_survive", mutant_must_survive(of));
    (void)cJSON_AddBoolToObject(row, "fuzzed", mutant_is_fuzzed(of));
    (void)cJSON_AddStringToObject(row, "outcome", mutant_outcome_name(result->outcome));
    (void)cJSON_AddBoolToObject(row, "well", mutant_went_well(of, result));
    (void)cJSON_AddBoolToObject(row, "place_right", result->place_right);
    (void)cJSON_AddBoolToObject(row, "unit_right", result->unit_right);
    (void)cJSON_AddBoolToObject(row, "refused", result->refused);
    (void)cJSON_AddStringToObject(row, "signature", result->signature);
    (void)cJSON_AddStringToObject(row, "note", result->note);
    (void)cJSON_AddNumberToObject(row, "build_seconds", result->build);
    (void)cJSON_AddNumberToObject(row, "detect_seconds", result->detect);
    jsonnum_add(row, "programs", result->programs);
    jsonnum_add(row, "cycles", result->cycles);
    if (result->small) {
        (void)cJSON_AddNumberToObject(row, "found_instructions", result->found_instructions);
        (void)cJSON_AddNumberToObject(row, "instructions", result->instructions);
        (void)cJSON_AddNumberToObject(row, "runs", result->runs);
        (void)cJSON_AddNumberToObject(row, "minimal_seconds", result->minimal);
    }
}

static void add_totals(cJSON *root, const mutant_totals *sum) {
    cJSON *out = cJSON_AddObjectToObject(root, "totals");
    const struct {
        const char *key;
        size_t value;
    } counts[] = {{"asked", sum->asked},   {"caught", sum->caught},       {"right", sum->right},
                  {"fuzzed", sum->fuzzed}, {"blamed", sum->blamed},       {"shrunk", sum->shrunk},
                  {"small", sum->small},   {"must_survive", sum->silent}, {"quiet", sum->quiet},
                  {"not_well", sum->bad}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        (void)cJSON_AddNumberToObject(out, counts[i].key, (double)counts[i].value);
    }
    (void)cJSON_AddNumberToObject(out, "detect_median", sum->detect[0]);
    (void)cJSON_AddNumberToObject(out, "detect_p95", sum->detect[1]);
    (void)cJSON_AddNumberToObject(out, "minimal_median", sum->minimal[0]);
    (void)cJSON_AddNumberToObject(out, "minimal_p95", sum->minimal[1]);
    (void)cJSON_AddNumberToObject(out, "build_seconds", sum->build);
}

tpu_status mutant_totals_json(const mutant_options *options, const mutant *list,
                              const mutant_result *results, size_t count, const mutant_totals *sum,
                              char **out, tpu_message *why) {
    cJSON *root = cJSON_CreateObject();
    jsonnum_add(root, "seed", options->seed);
    (void)cJSON_AddNumberToObject(root, "jobs", options->jobs);
    add_totals(root, sum);
    cJSON *rows = cJSON_AddArrayToObject(root, "mutants");
    for (size_t i = 0; i < count; i++) {
        add_row(rows, &list[i], &results[i]);
    }
    *out = cJSON_Print(root);
    cJSON_Delete(root);
    return *out != NULL ? TPU_OK : status_fail(why, TPU_ERR_MEMORY, "mutants: out of memory");
}
