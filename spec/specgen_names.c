// SPDX-License-Identifier: Apache-2.0
//
// Looking names up, evaluating with them, and the parameters' defaults.

#include "spec/specgen_names.h"

#include "spec/specgen_expr.h"

#include <string.h>

#define CYCLE_DEPTH 8

void specgen_names_set(specgen_names *names, const char *name, int64_t value) {
    for (size_t i = 0; i < names->local_count; i++) {
        if (strcmp(names->local[i], name) == 0) {
            names->local_value[i] = value;
            return;
        }
    }
    TPU_CHECK(names->local_count < SPECGEN_LOCALS, "specgen uses at most 8 local names");
    names->local[names->local_count] = name;
    names->local_value[names->local_count++] = value;
}

static bool look_up(void *user, const char *name, int64_t *value) {
    return specgen_names_value(user, name, value);
}

static bool number_at(const specgen_spec *spec, const char *path, const char *key, int64_t *value) {
    const cJSON *object = specgen_spec_at(spec, path);
    *value = specgen_spec_int(object, key);
    return object != NULL;
}

// F0_WIDTH and its like: the width of a word-0 field.
static bool field_width(const specgen_spec *spec, const char *name, int64_t *value) {
    const char *tail = strstr(name, "_WIDTH");
    if (tail == NULL || tail[6] != '\0' || tail - name > 8) {
        return false;
    }
    char field[16] = {0};
    for (size_t i = 0; i < (size_t)(tail - name); i++) {
        field[i] = name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] - 'A' + 'a') : name[i];
    }
    int index = specgen_spec_find(spec, "instruction_word.word0.fields", field);
    if (index < 0) {
        return false;
    }
    const cJSON *fields = specgen_spec_at(spec, "instruction_word.word0.fields");
    *value = specgen_spec_int(cJSON_GetArrayItem(fields, index), "width");
    return true;
}

bool specgen_names_fixed(const specgen_spec *spec, const char *name, int64_t *value) {
    static const char *const table[][3] = {
        {"IWORDS", "instruction_word", "words_per_instruction"},
        {"WORD_BITS", "instruction_word", "word_bits"},
        {"NHDR", "imem", "header_words"},
        {"LOOP_DEPTH", "loop_stack", "depth"},
        {"AGU_TERMS", "agu", "terms"},
        {"AR_RAW_DIST", "contracts.accumulator_raw_distance", "value"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (strcmp(name, table[i][0]) == 0) {
            return number_at(spec, table[i][1], table[i][2], value);
        }
    }
    if (strcmp(name, "COUNT_MAX") == 0) {
        *value = specgen_names_usable(
            spec, specgen_spec_int(specgen_spec_at(spec, "imem"), "count_slice_width"));
        return *value >= 0;
    }
    if (strcmp(name, "FIELD_MAX") == 0) {
        int64_t width = 0;
        *value = field_width(spec, "F0_WIDTH", &width) ? specgen_names_usable(spec, width) : -1;
        return *value >= 0;
    }
    return field_width(spec, name, value);
}

static bool derived(specgen_names *names, const char *name, int64_t *value) {
    int index = specgen_spec_find(names->spec, "derived_constants", name);
    if (index < 0 || names->depth >= CYCLE_DEPTH) {
        return false;
    }
    const cJSON *list = specgen_spec_at(names->spec, "derived_constants");
    const char *text = specgen_spec_text(cJSON_GetArrayItem(list, index), "value");
    if (text == NULL) {
        return false;
    }
    names->depth++;
    tpu_status status = specgen_names_eval(names, text, value, NULL);
    names->depth--;
    return status == TPU_OK;
}

bool specgen_names_value(specgen_names *names, const char *name, int64_t *value) {
    for (size_t i = 0; i < names->local_count; i++) {
        if (strcmp(names->local[i], name) == 0) {
            *value = names->local_value[i];
            return true;
        }
    }
    int index = specgen_spec_find(names->spec, "parameters", name);
    if (index >= 0) {
        *value = names->param[index];
        return (size_t)index < names->param_count;
    }
    return derived(names, name, value) || specgen_names_fixed(names->spec, name, value);
}

tpu_status specgen_names_eval(specgen_names *names, const char *text, int64_t *value,
                              tpu_message *why) {
    specgen_expr expr;
    tpu_status status = specgen_expr_parse(text, &expr, why);
    return status == TPU_OK ? specgen_expr_eval(&expr, look_up, names, value, why) : status;
}

tpu_status specgen_names_default(specgen_names *names, bool widen, tpu_message *why) {
    const cJSON *list = specgen_spec_at(names->spec, "parameters");
    size_t count = (size_t)cJSON_GetArraySize(list);
    TPU_CHECK(count <= SPECGEN_PARAMS, "the schema bounds the number of parameters");
    for (size_t i = names->param_count; i < count; i++) {
        const cJSON *item = cJSON_GetArrayItem(list, (int)i);
        const cJSON *widened = specgen_spec_list(item, "widened");
        const char *text = widen && widened != NULL ? specgen_spec_text(widened, "expression")
                                                    : specgen_spec_text(item, "default");
        tpu_status status = specgen_names_eval(names, text, &names->param[i], why);
        if (status != TPU_OK) {
            return status;
        }
        names->param_count = i + 1;
    }
    return TPU_OK;
}

int64_t specgen_names_usable(const specgen_spec *spec, int64_t width) {
    const char *text = specgen_spec_text(specgen_spec_at(spec, "encoding_rule"), "usable_max");
    specgen_names names = {.spec = spec};
    specgen_names_set(&names, "width", width);
    int64_t value = -1;
    bool good = text != NULL && specgen_names_eval(&names, text, &value, NULL) == TPU_OK;
    return good ? value : -1;
}

bool specgen_names_constant(const specgen_spec *spec, const char *name, int64_t *value) {
    specgen_names names = {.spec = spec};
    return derived(&names, name, value);
}
