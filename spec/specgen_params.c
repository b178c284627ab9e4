// SPDX-License-Identifier: Apache-2.0
//
// Writes the end of tpu_isa.c: parameters, the constants derived from them, the constraints
// between them and their defaults, as C over uint64_t.

#include "spec/specgen_expr.h"
#include "spec/specgen_names.h"
#include "spec/specgen_write.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

static void add_lower(specgen_text *text, const char *name) {
    for (const char *at = name; *at != '\0'; at++) {
        specgen_text_add(text, "%c", tolower((unsigned char)*at));
    }
}

// Parameters are value[...], constants of the header macros, all else a function of the values.
static bool add_name(void *user, const char *name, specgen_text *text) {
    const specgen_spec *spec = user;
    int64_t value = 0;
    if (specgen_spec_find(spec, "parameters", name) >= 0) {
        specgen_text_add(text, "value[%s]", name);
        return true;
    }
    if (specgen_names_fixed(spec, name, &value) || specgen_names_constant(spec, name, &value)) {
        specgen_text_add(text, "TPU_%s", name);
        return true;
    }
    add_lower(text, name);
    specgen_text_add(text, "_of(value)");
    return specgen_spec_find(spec, "derived_constants", name) >= 0;
}

static tpu_status add_expression(const specgen_spec *spec, const char *source, specgen_text *text,
                                 tpu_message *why) {
    specgen_expr expr;
    tpu_status status = specgen_expr_parse(source, &expr, why);
    specgen_spec *borrowed = NULL;
    memcpy(&borrowed, &spec, sizeof borrowed); // the callback only reads
    return status == TPU_OK ? specgen_expr_c(&expr, add_name, borrowed, text, why) : status;
}

static void write_infos(const specgen_spec *spec, specgen_text *text) {
    const cJSON *list = specgen_spec_at(spec, "parameters");
    const cJSON *item = NULL;
    specgen_text_add(text, "enum { ");
    cJSON_ArrayForEach(item, list) {
        specgen_text_add(text, "%s%s", item == list->child ? "" : ", ",
                         specgen_spec_text(item, "name"));
    }
    specgen_text_add(text, " };\n\nconst tpu_param_info tpu_param_infos[TPU_PARAM_COUNT] = {\n");
    cJSON_ArrayForEach(item, list) {
        const char *name = specgen_spec_text(item, "name");
        specgen_text_add(text, "    [%s] = {\n        .name = \"%s\",\n", name, name);
        specgen_text_add(text, "        .env = \"%s\",\n", specgen_spec_text(item, "env"));
        specgen_text_add(text, "        .min = %" PRId64 ",\n", specgen_spec_int(item, "min"));
        const cJSON *max = specgen_spec_list(item, "max");
        if (cJSON_IsString(max)) {
            specgen_text_add(text, "        .max = UINT32_MAX,\n");
        } else {
            specgen_text_add(text, "        .max = %" PRId64 ",\n", specgen_spec_int(item, "max"));
        }
        specgen_text_add(text, "        .role = ");
        specgen_text_literal(text, specgen_spec_text(item, "role"), ",");
        specgen_text_add(text, "\n    },\n");
    }
    specgen_text_add(text, "};\n\n");
}

static const struct helper {
    const char *operation;
    const char *function;
    const char *result;
} helpers[] = {
    // A zero divisor only reaches these when the ranges were not checked first.
    {"//", "quotient", "b == 0 ? 0 : a / b"},
    {"%", "remainder_of", "b == 0 ? a : a % b"},
    {"min", "smaller", "a < b ? a : b"},
    {"max", "larger", "a > b ? a : b"},
};

static bool expression_uses(const char *source, const char *op) {
    specgen_expr expr;
    if (source == NULL || specgen_expr_parse(source, &expr, NULL) != TPU_OK) {
        return false;
    }
    for (int i = 0; i < expr.count; i++) {
        if (strcmp(expr.node[i].op, op) == 0) {
            return true;
        }
    }
    return false;
}

static bool list_uses(const specgen_spec *spec, const char *path, const char *key, const char *op) {
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, path)) {
        const cJSON *widened = specgen_spec_list(item, "widened");
        if (expression_uses(specgen_spec_text(item, key), op) ||
            (widened != NULL && expression_uses(specgen_spec_text(widened, "expression"), op))) {
            return true;
        }
    }
    return false;
}

// Only the helpers that something calls: an unused static function is a warning.
static void write_helpers(const specgen_spec *spec, specgen_text *text) {
    for (size_t i = 0; i < sizeof helpers / sizeof helpers[0]; i++) {
        const char *op = helpers[i].operation;
        if (list_uses(spec, "parameters", "default", op) ||
            list_uses(spec, "derived_constants", "value", op) ||
            list_uses(spec, "constraints", "expression", op)) {
            specgen_text_add(text,
                             "static uint64_t %s(uint64_t a, uint64_t b) {\n    return %s;\n}\n\n",
                             helpers[i].function, helpers[i].result);
        }
    }
}

static bool names_it(const char *source, const char *name) {
    specgen_expr expr;
    if (source == NULL || specgen_expr_parse(source, &expr, NULL) != TPU_OK) {
        return false;
    }
    for (int i = 0; i < expr.count; i++) {
        if (strcmp(expr.node[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static bool used_in(const specgen_spec *spec, const char *path, const char *key, const char *name) {
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, path)) {
        const cJSON *widened = specgen_spec_list(item, "widened");
        if (names_it(specgen_spec_text(item, key), name) ||
            (widened != NULL && names_it(specgen_spec_text(widened, "expression"), name))) {
            return true;
        }
    }
    return false;
}

static tpu_status write_constants(const specgen_spec *spec, specgen_text *text, tpu_message *why) {
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "derived_constants")) {
        const char *name = specgen_spec_text(item, "name");
        int64_t value = 0;
        bool used = used_in(spec, "parameters", "default", name) ||
                    used_in(spec, "derived_constants", "value", name) ||
                    used_in(spec, "constraints", "expression", name);
        if (!used || specgen_names_constant(spec, name, &value)) {
            continue;
        }
        specgen_text_add(text, "static uint64_t ");
        add_lower(text, name);
        specgen_text_add(text, "_of(const uint64_t value[TPU_PARAM_COUNT]) {\n    return ");
        tpu_status status = add_expression(spec, specgen_spec_text(item, "value"), text, why);
        if (status != TPU_OK) {
            return status;
        }
        specgen_text_add(text, ";\n}\n\n");
    }
    return TPU_OK;
}

static tpu_status write_constraints(const specgen_spec *spec, specgen_text *text,
                                    tpu_message *why) {
    const cJSON *item = NULL;
    size_t index = 0;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "constraints")) {
        specgen_text_add(text,
                         "static int holds_%zu(const uint64_t value[TPU_PARAM_COUNT]) {\n"
                         "    return ",
                         index++);
        tpu_status status = add_expression(spec, specgen_spec_text(item, "expression"), text, why);
        if (status != TPU_OK) {
            return status;
        }
        specgen_text_add(text, ";\n}\n\n");
    }
    index = 0;
    specgen_text_add(text, "const tpu_constraint tpu_constraints[] = {\n");
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "constraints")) {
        specgen_text_add(text, "    {\n        .expression = ");
        specgen_text_literal(text, specgen_spec_text(item, "expression"), ",");
        specgen_text_add(text, "\n        .why = ");
        specgen_text_literal(text, specgen_spec_text(item, "why"), ",");
        specgen_text_add(text, "\n        .holds = holds_%zu,\n    },\n", index++);
    }
    specgen_text_add(text, "};\nconst size_t tpu_constraint_count = %zu;\n\n", index);
    return TPU_OK;
}

static tpu_status write_default(const specgen_spec *spec, const cJSON *item, specgen_text *text,
                                tpu_message *why) {
    const cJSON *widened = specgen_spec_list(item, "widened");
    tpu_status status = TPU_OK;
    specgen_text_add(text, "    case %s:\n        return ", specgen_spec_text(item, "name"));
    if (widened != NULL) {
        specgen_text_add(text, "widen == 0\n            ? ");
    }
    status = add_expression(spec, specgen_spec_text(item, "default"), text, why);
    if (status == TPU_OK && widened != NULL) {
        specgen_text_add(text, "\n            : ");
        status = add_expression(spec, specgen_spec_text(widened, "expression"), text, why);
    }
    specgen_text_add(text, ";\n");
    return status;
}

static tpu_status write_defaults(const specgen_spec *spec, specgen_text *text, tpu_message *why) {
    specgen_text_add(text, "uint64_t tpu_param_default(size_t index, const uint64_t "
                           "value[TPU_PARAM_COUNT], int widen) {\n    switch (index) {\n");
    const cJSON *item = NULL;
    tpu_status status = TPU_OK;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "parameters")) {
        status = status == TPU_OK ? write_default(spec, item, text, why) : status;
    }
    specgen_text_add(text, "    default:\n        return 0;\n    }\n}\n");
    return status;
}

tpu_status specgen_params_write(const specgen_spec *spec, specgen_text *text, tpu_message *why) {
    write_infos(spec, text);
    write_helpers(spec, text);
    tpu_status status = write_constants(spec, text, why);
    if (status == TPU_OK) {
        status = write_constraints(spec, text, why);
    }
    return status == TPU_OK ? write_defaults(spec, text, why) : status;
}
