// SPDX-License-Identifier: Apache-2.0
//
// Parameter points: environment -> values -> ranges and cross constraints, all driven by the
// generated tables. This file knows the order of the struct's members and nothing else.

#include "csim/isa/params.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDEN "TPU_DMA_WIDEN"
#define BLANKS " \t\r\n"
// A longer value is no number.
#define VALUE_MAX 64

enum { P_T, P_MAXDIM, P_SPAD, P_NVR, P_NAR, P_IMEM, P_QD, P_DMA_WORDS };

static void to_values(const tpu_params *params, uint64_t value[TPU_PARAM_COUNT]) {
    value[P_T] = params->t;
    value[P_MAXDIM] = params->maxdim;
    value[P_SPAD] = params->spad_rows;
    value[P_NVR] = params->nvr;
    value[P_NAR] = params->nar;
    value[P_IMEM] = params->imem_size;
    value[P_QD] = params->qd;
    value[P_DMA_WORDS] = params->dma_words;
}

static uint32_t clamp(uint64_t value) {
    return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

static tpu_params from_values(const uint64_t value[TPU_PARAM_COUNT]) {
    return (tpu_params){
        .t = clamp(value[P_T]),
        .maxdim = clamp(value[P_MAXDIM]),
        .spad_rows = clamp(value[P_SPAD]),
        .nvr = clamp(value[P_NVR]),
        .nar = clamp(value[P_NAR]),
        .imem_size = clamp(value[P_IMEM]),
        .qd = clamp(value[P_QD]),
        .dma_words = clamp(value[P_DMA_WORDS]),
    };
}

tpu_params params_default(uint32_t t, uint32_t maxdim) {
    // The default expressions divide by T; a T of 0 is kept as it is for params_check to refuse.
    uint64_t value[TPU_PARAM_COUNT] = {t == 0 ? 1 : t, maxdim};
    for (size_t i = P_SPAD; i < TPU_PARAM_COUNT; i++) {
        value[i] = tpu_param_default(i, value, 0);
    }
    value[P_T] = t;
    return from_values(value);
}

static tpu_status check_range(const char *name, uint64_t value, const tpu_param_info *info,
                              tpu_message *why) {
    if (value >= info->min && value <= info->max) {
        return TPU_OK;
    }
    if (info->max == UINT32_MAX) {
        return status_fail(why, TPU_REFUSED,
                           "%s=%" PRIu64 " is too small: %" PRIu32 " or more is allowed", name,
                           value, info->min);
    }
    return status_fail(why, TPU_REFUSED,
                       "%s=%" PRIu64 " is out of range: %" PRIu32 "..%" PRIu32 " is allowed", name,
                       value, info->min, info->max);
}

static bool is_word(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// True when `name` stands in `expression` as a whole word.
static bool mentions(const char *expression, const char *name) {
    size_t length = strlen(name);
    for (const char *at = strstr(expression, name); at != NULL; at = strstr(at + 1, name)) {
        bool starts = at == expression || !is_word(at[-1]);
        if (starts && !is_word(at[length])) {
            return true;
        }
    }
    return false;
}

static void list_value(char *text, size_t size, const char *name, uint64_t value) {
    size_t used = strlen(text);
    (void)snprintf(text + used, size - used, "%s%s=%" PRIu64, used > 0 ? ", " : "", name, value);
}

static tpu_status refuse_constraint(const tpu_constraint *rule,
                                    const uint64_t value[TPU_PARAM_COUNT], tpu_message *why) {
    char found[192] = "";
    bool operand_rows = mentions(rule->expression, "OPERAND_ROWS");
    for (size_t i = 0; i < TPU_PARAM_COUNT; i++) {
        bool behind = operand_rows && (i == P_T || i == P_MAXDIM);
        if (behind || mentions(rule->expression, tpu_param_infos[i].name)) {
            list_value(found, sizeof found, tpu_param_infos[i].name, value[i]);
        }
    }
    if (operand_rows) {
        uint64_t rows = value[P_MAXDIM] / value[P_T] * value[P_MAXDIM];
        list_value(found, sizeof found, "OPERAND_ROWS", rows);
    }
    return status_fail(why, TPU_REFUSED, "%s: %s is demanded, because %s", found, rule->expression,
                       rule->why);
}

static tpu_status check_values(const uint64_t value[TPU_PARAM_COUNT], tpu_message *why) {
    tpu_status status = TPU_OK;
    // Minima first (the constraints divide by T), maxima last: a memory that outgrew its maximum
    // because MAXDIM did is better explained by the constraint on MAXDIM.
    for (size_t i = 0; status == TPU_OK && i < TPU_PARAM_COUNT; i++) {
        const tpu_param_info *info = &tpu_param_infos[i];
        if (value[i] < info->min) {
            status = check_range(info->name, value[i], info, why);
        }
    }
    for (size_t i = 0; status == TPU_OK && i < tpu_constraint_count; i++) {
        if (!tpu_constraints[i].holds(value)) {
            status = refuse_constraint(&tpu_constraints[i], value, why);
        }
    }
    for (size_t i = 0; status == TPU_OK && i < TPU_PARAM_COUNT; i++) {
        status = check_range(tpu_param_infos[i].name, value[i], &tpu_param_infos[i], why);
    }
    return status;
}

tpu_status params_check(const tpu_params *params, tpu_message *why) {
    uint64_t value[TPU_PARAM_COUNT];
    to_values(params, value);
    return check_values(value, why);
}

static const char *read_process(const char *name) {
    return getenv(name);
}

static tpu_status parse_number(const char *name, const char *text, uint64_t *out,
                               tpu_message *why) {
    uint64_t value = 0;
    for (const char *at = text; *at != '\0'; at++) {
        if (*at < '0' || *at > '9') {
            return status_fail(why, TPU_REFUSED,
                               "%s=\"%.40s\" is not a number: decimal digits are allowed", name,
                               text);
        }
        value = value * 10 + (uint64_t)(*at - '0');
        if (value > UINT32_MAX) {
            return status_fail(why, TPU_REFUSED, "%s=%.40s is too large for a parameter", name,
                               text);
        }
    }
    *out = value;
    return TPU_OK;
}

// Where values are looked up: a function, or words in a text.
typedef struct lookup {
    params_getenv read; // NULL = text
    const char *text;
    char value[VALUE_MAX]; // of the last name found in the text
} lookup;

static size_t word_length(const char *text) {
    return strcspn(text, BLANKS);
}

static const char *next_word(const char *text) {
    return text + strspn(text, BLANKS);
}

static const char *find_word(lookup *from, const char *name) {
    size_t length = strlen(name);
    for (const char *at = next_word(from->text); *at != '\0'; at = next_word(at)) {
        size_t word = word_length(at);
        if (word > length && strncmp(at, name, length) == 0 && at[length] == '=') {
            (void)snprintf(from->value, sizeof from->value, "%.*s", (int)(word - length - 1),
                           at + length + 1);
            return from->value;
        }
        at += word;
    }
    return NULL;
}

// An empty variable counts as unset, since `make TPU_T=` exports one.
static const char *read_set(lookup *from, const char *name) {
    const char *text = from->read != NULL ? from->read(name) : find_word(from, name);
    return text == NULL || *text == '\0' ? NULL : text;
}

static tpu_status read_widen(lookup *from, int *out, tpu_message *why) {
    const char *text = read_set(from, WIDEN);
    if (text != NULL && strcmp(text, "0") != 0 && strcmp(text, "1") != 0) {
        return status_fail(why, TPU_REFUSED, WIDEN "=\"%.40s\": 0 or 1 is allowed", text);
    }
    *out = text != NULL && *text == '1';
    return TPU_OK;
}

static tpu_status read_one(lookup *from, size_t index, int widen, uint64_t value[TPU_PARAM_COUNT],
                           tpu_message *why) {
    const tpu_param_info *info = &tpu_param_infos[index];
    const char *text = read_set(from, info->env);
    if (text == NULL) {
        value[index] = tpu_param_default(index, value, widen);
        return TPU_OK;
    }
    tpu_status status = parse_number(info->env, text, &value[index], why);
    return status == TPU_OK ? check_range(info->env, value[index], info, why) : status;
}

static tpu_status read_all(lookup *from, tpu_params *out, tpu_message *why) {
    uint64_t value[TPU_PARAM_COUNT] = {0};
    int widen = 0;
    tpu_status status = read_widen(from, &widen, why);
    for (size_t i = 0; status == TPU_OK && i < TPU_PARAM_COUNT; i++) {
        status = read_one(from, i, widen, value, why);
    }
    if (status == TPU_OK) {
        status = check_values(value, why);
    }
    if (status == TPU_OK) {
        *out = from_values(value);
    }
    return status;
}

tpu_status params_from_env(params_getenv read, tpu_params *out, tpu_message *why) {
    lookup from = {.read = read == NULL ? read_process : read};
    return read_all(&from, out, why);
}

static bool is_assignment(const char *word, const char *name) {
    size_t length = strlen(name);
    return strncmp(word, name, length) == 0 && word[length] == '=';
}

// The name of the parameter that a word sets; NULL = none.
static const char *name_of(const char *word) {
    for (size_t i = 0; i < TPU_PARAM_COUNT; i++) {
        if (is_assignment(word, tpu_param_infos[i].env)) {
            return tpu_param_infos[i].env;
        }
    }
    return is_assignment(word, WIDEN) ? WIDEN : NULL;
}

// Every word names a parameter, and none names one again.
static tpu_status check_words(const char *text, tpu_message *why) {
    for (const char *at = next_word(text); *at != '\0'; at = next_word(at)) {
        const char *name = name_of(at);
        int shown = word_length(at) < VALUE_MAX ? (int)word_length(at) : VALUE_MAX - 1;
        if (name == NULL) {
            return status_fail(why, TPU_REFUSED, "\"%.*s\" sets no parameter: TPU_T=8 would", shown,
                               at);
        }
        at += word_length(at);
        for (const char *more = next_word(at); *more != '\0'; more = next_word(more)) {
            if (is_assignment(more, name)) {
                return status_fail(why, TPU_REFUSED, "%s is there twice", name);
            }
            more += word_length(more);
        }
    }
    return TPU_OK;
}

tpu_status params_from_text(const char *text, tpu_params *out, tpu_message *why) {
    lookup from = {.text = text};
    tpu_status status = check_words(text, why);
    return status == TPU_OK ? read_all(&from, out, why) : status;
}

uint32_t params_wpr(const tpu_params *params) {
    return params->maxdim / params->t;
}

uint32_t params_max_instructions(const tpu_params *params) {
    return (params->imem_size - TPU_NHDR) / TPU_IWORDS;
}

uint32_t params_region_bytes(const tpu_params *params) {
    return params->maxdim * params->maxdim;
}
