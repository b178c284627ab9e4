// SPDX-License-Identifier: Apache-2.0
//
// Parameters, constants and constraints evaluate and agree; numerics fit their formats.

#include "spec/specgen_expr.h"
#include "spec/specgen_names.h"
#include "spec/specgen_valid.h"

#include <stdio.h>
#include <string.h>

static tpu_status evaluate(const specgen_spec *spec, specgen_names *names, const char *place,
                           const char *text, int64_t *value, tpu_message *why) {
    tpu_message inner = {{0}};
    if (specgen_names_eval(names, text, value, &inner) != TPU_OK) {
        return specgen_spec_refuse(spec, why, place, "'%s': %s", text, inner.text);
    }
    return TPU_OK;
}

static tpu_status check_default(const specgen_spec *spec, specgen_names *names, int index,
                                const char *text, const char *key, tpu_message *why) {
    const cJSON *item = cJSON_GetArrayItem(specgen_spec_at(spec, "parameters"), index);
    const cJSON *max = specgen_spec_list(item, "max");
    char place[SPECGEN_PATH];
    (void)snprintf(place, sizeof place, "parameters[%d].%s", index, key);
    int64_t value = 0;
    tpu_status status = evaluate(spec, names, place, text, &value, why);
    if (status != TPU_OK) {
        return status;
    }
    names->param[index] = value;
    if (value < specgen_spec_int(item, "min") ||
        (!cJSON_IsString(max) && value > specgen_spec_int(item, "max"))) {
        return specgen_spec_refuse(spec, why, place, "gives %lld, which is outside min..max",
                                   (long long)value);
    }
    return TPU_OK;
}

// Defaults in order, each over what comes before it.
static tpu_status check_defaults(const specgen_spec *spec, specgen_names *names, tpu_message *why) {
    const cJSON *item = NULL;
    int index = 0;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "parameters")) {
        const cJSON *widened = specgen_spec_list(item, "widened");
        tpu_status status = TPU_OK;
        if (index >= SPECGEN_PARAMS) {
            return specgen_spec_refuse(spec, why, "parameters", "at most %d are allowed",
                                       SPECGEN_PARAMS);
        }
        if (widened != NULL) {
            status = check_default(spec, names, index, specgen_spec_text(widened, "expression"),
                                   "widened.expression", why);
        }
        if (status == TPU_OK) {
            status = check_default(spec, names, index, specgen_spec_text(item, "default"),
                                   "default", why);
        }
        if (status != TPU_OK) {
            return status;
        }
        names->param_count = (size_t)++index;
    }
    return TPU_OK;
}

static tpu_status check_params(const specgen_spec *spec, tpu_message *why) {
    static const char *const keys[][2] = {
        {"parameters", "name"}, {"parameters", "env"}, {"derived_constants", "name"}};
    tpu_status status = TPU_OK;
    for (size_t i = 0; status == TPU_OK && i < sizeof keys / sizeof keys[0]; i++) {
        status = specgen_valid_unique(spec, keys[i][0], keys[i][1], why);
    }
    if (status == TPU_OK && specgen_spec_find(spec, "parameters", "T") != 0) {
        return specgen_spec_refuse(spec, why, "parameters[0]", "the first parameter is T");
    }
    specgen_names names = {.spec = spec};
    return status == TPU_OK ? check_defaults(spec, &names, why) : status;
}

static tpu_status check_constants(const specgen_spec *spec, tpu_message *why) {
    specgen_names names = {.spec = spec};
    tpu_status status = specgen_names_default(&names, false, why);
    const cJSON *item = NULL;
    int index = 0;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "derived_constants")) {
        char place[SPECGEN_PATH];
        int64_t value = 0;
        const char *name = specgen_spec_text(item, "name");
        (void)snprintf(place, sizeof place, "derived_constants[%d]", index++);
        if (status == TPU_OK && (specgen_spec_find(spec, "parameters", name) >= 0 ||
                                 specgen_names_fixed(spec, name, &value))) {
            return specgen_spec_refuse(spec, why, place, "the name %s is taken", name);
        }
        if (status == TPU_OK) {
            status = evaluate(spec, &names, place, specgen_spec_text(item, "value"), &value, why);
        }
    }
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "memories")) {
        int64_t depth = 0;
        if (status == TPU_OK) {
            status = evaluate(spec, &names, "memories[].depth", specgen_spec_text(item, "depth"),
                              &depth, why);
        }
        if (status == TPU_OK) {
            status = evaluate(spec, &names, "memories[].row_bits",
                              specgen_spec_text(item, "row_bits"), &depth, why);
        }
    }
    return status;
}

// Every default build has to be a legal one.
static tpu_status check_constraints_at(const specgen_spec *spec, int64_t t, tpu_message *why) {
    specgen_names names = {.spec = spec, .param = {t}, .param_count = 1};
    tpu_status status = specgen_names_default(&names, false, why);
    const cJSON *item = NULL;
    int index = 0;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "constraints")) {
        char place[SPECGEN_PATH];
        int64_t holds = 0;
        const char *text = specgen_spec_text(item, "expression");
        (void)snprintf(place, sizeof place, "constraints[%d].expression", index++);
        if (status == TPU_OK) {
            status = evaluate(spec, &names, place, text, &holds, why);
        }
        if (status == TPU_OK && holds == 0) {
            return specgen_spec_refuse(spec, why, place,
                                       "'%s' does not hold for the defaults at T = %lld", text,
                                       (long long)t);
        }
    }
    return status;
}

static tpu_status check_limits(const specgen_spec *spec, tpu_message *why) {
    specgen_names names = {.spec = spec};
    tpu_status status = specgen_names_default(&names, false, why);
    static const char *const extents[] = {"M", "K", "N", "m", "t"};
    for (size_t i = 0; i < sizeof extents / sizeof extents[0]; i++) {
        specgen_names_set(&names, extents[i], 8);
    }
    static const char *const texts[][2] = {{"program_limits", "need"},
                                           {"program_limits", "allowed"},
                                           {"maxdim_ceilings", "predicate"}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const cJSON *item = NULL;
        int index = 0;
        cJSON_ArrayForEach(item, specgen_spec_at(spec, texts[i][0])) {
            char place[SPECGEN_PATH];
            int64_t value = 0;
            (void)snprintf(place, sizeof place, "%s[%d].%s", texts[i][0], index++, texts[i][1]);
            if (status == TPU_OK) {
                status = evaluate(spec, &names, place, specgen_spec_text(item, texts[i][1]), &value,
                                  why);
            }
        }
    }
    if (status == TPU_OK) {
        status = specgen_valid_unique(spec, "program_limits", "name", why);
    }
    return status == TPU_OK ? specgen_valid_unique(spec, "maxdim_ceilings", "name", why) : status;
}

static tpu_status check_configuration(const specgen_spec *spec, const cJSON *item,
                                      const char *place, tpu_message *why) {
    int64_t bits = specgen_spec_int(specgen_spec_list(item, "operand"), "bits");
    int64_t wide = specgen_spec_int(specgen_spec_list(item, "accumulator"), "bits");
    const cJSON *multiply = specgen_spec_list(item, "multiply");
    const cJSON *output = specgen_spec_list(item, "output");
    int64_t top = (int64_t)1 << (bits < 32 ? bits - 1 : 31);
    if (bits % 8 != 0 || wide % 8 != 0 || wide <= bits) {
        return specgen_spec_refuse(spec, why, place,
                                   "lanes are whole bytes, and an accumulator is wider than an "
                                   "operand; found %lld and %lld bits",
                                   (long long)bits, (long long)wide);
    }
    if (specgen_spec_int(output, "min") != -top || specgen_spec_int(output, "max") != top - 1) {
        return specgen_spec_refuse(spec, why, place,
                                   "output goes from %lld to %lld, but %lld-bit operands from %lld "
                                   "to %lld",
                                   (long long)specgen_spec_int(output, "min"),
                                   (long long)specgen_spec_int(output, "max"), (long long)bits,
                                   (long long)-top, (long long)top - 1);
    }
    if (specgen_spec_bool(multiply, "exact") && specgen_spec_int(multiply, "bits") < 2 * bits) {
        return specgen_spec_refuse(spec, why, place,
                                   "a product in %lld bits is not exact for %lld-bit operands",
                                   (long long)specgen_spec_int(multiply, "bits"), (long long)bits);
    }
    if (specgen_spec_int(specgen_spec_list(item, "accumulate"), "bits") != wide) {
        return specgen_spec_refuse(spec, why, place,
                                   "accumulate.bits differs from accumulator.bits");
    }
    const cJSON *element = NULL;
    cJSON_ArrayForEach(element, specgen_spec_list(item, "elementwise")) {
        if (specgen_spec_opcode(spec, specgen_spec_text(element, "name")) < 0) {
            return specgen_spec_refuse(spec, why, place, "elementwise names '%s', no opcode",
                                       specgen_spec_text(element, "name"));
        }
    }
    return TPU_OK;
}

static tpu_status check_numerics(const specgen_spec *spec, tpu_message *why) {
    const char *active = specgen_spec_text(specgen_spec_at(spec, "numerics"), "active");
    tpu_status status = specgen_valid_unique(spec, "numerics.configurations", "name", why);
    if (status == TPU_OK && specgen_spec_find(spec, "numerics.configurations", active) < 0) {
        return specgen_spec_refuse(spec, why, "numerics.active",
                                   "found '%s', which configurations does not list", active);
    }
    const cJSON *item = NULL;
    int index = 0;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "numerics.configurations")) {
        char place[SPECGEN_PATH];
        (void)snprintf(place, sizeof place, "numerics.configurations[%d]", index++);
        status = status == TPU_OK ? check_configuration(spec, item, place, why) : status;
    }
    return status;
}

tpu_status specgen_value_check(const specgen_spec *spec, tpu_message *why) {
    static const int64_t sides[] = {4, 8, 16};
    tpu_status status = check_params(spec, why);
    if (status == TPU_OK) {
        status = check_constants(spec, why);
    }
    for (size_t i = 0; status == TPU_OK && i < sizeof sides / sizeof sides[0]; i++) {
        status = check_constraints_at(spec, sides[i], why);
    }
    if (status == TPU_OK) {
        status = check_limits(spec, why);
    }
    return status == TPU_OK ? check_numerics(spec, why) : status;
}
