// SPDX-License-Identifier: Apache-2.0
//
// Derived properties by computation.

#include "spec/specgen_property.h"

#include "spec/specgen_names.h"

#include <stdio.h>
#include <string.h>

#define MAXDIM_SEARCH 16384

tpu_status specgen_property_ceiling(const specgen_spec *spec, const cJSON *ceiling, int64_t t,
                                    int64_t *value, tpu_message *why) {
    specgen_names names = {.spec = spec};
    specgen_names_set(&names, "t", t);
    *value = 0;
    for (int64_t m = t; m <= MAXDIM_SEARCH; m += t) {
        int64_t holds = 0;
        specgen_names_set(&names, "m", m);
        tpu_status status =
            specgen_names_eval(&names, specgen_spec_text(ceiling, "predicate"), &holds, why);
        if (status != TPU_OK || holds == 0) {
            return status;
        }
        *value = m;
    }
    return TPU_OK;
}

tpu_status specgen_property_over(const specgen_spec *spec, const cJSON *limit, int64_t t,
                                 int64_t maxdim, const int64_t shape[3], int64_t *over,
                                 tpu_message *why) {
    static const char *const extents[] = {"M", "K", "N"};
    specgen_names names = {.spec = spec, .param = {t, maxdim}, .param_count = 2};
    for (size_t i = 0; i < 3; i++) {
        specgen_names_set(&names, extents[i], shape[i]);
    }
    int64_t need = 0;
    int64_t allowed = 0;
    tpu_status status = specgen_names_eval(&names, specgen_spec_text(limit, "need"), &need, why);
    if (status == TPU_OK) {
        status = specgen_names_eval(&names, specgen_spec_text(limit, "allowed"), &allowed, why);
    }
    *over = need - allowed;
    return status;
}

int64_t specgen_property_legal_trip(const cJSON *operand, int64_t base, int64_t stride) {
    const cJSON *legal = specgen_spec_list(operand, "legal_values");
    int64_t trips = 0;
    bool inside = true;
    while (inside && trips <= 4096) {
        const cJSON *value = NULL;
        inside = false;
        cJSON_ArrayForEach(value, legal) {
            inside = inside || specgen_spec_number(value) == base + trips * stride;
        }
        trips += inside ? 1 : 0;
    }
    return trips;
}

// One property while it is judged.
typedef struct judged {
    const specgen_spec *spec;
    const cJSON *witness;
    const cJSON *expect;
    int index;
    tpu_message *why;
} judged;

static tpu_status differs(const judged *j, const char *key, int64_t found, int64_t computed) {
    char place[SPECGEN_PATH];
    (void)snprintf(place, sizeof place, "derived_properties[%d].expect.%s", j->index, key);
    return specgen_spec_refuse(j->spec, j->why, place,
                               "found %lld, but the specification gives %lld", (long long)found,
                               (long long)computed);
}

static tpu_status malformed(const judged *j, const char *sentence) {
    char place[SPECGEN_PATH];
    (void)snprintf(place, sizeof place, "derived_properties[%d]", j->index);
    return specgen_spec_refuse(j->spec, j->why, place, "%s", sentence);
}

static tpu_status compare(const judged *j, const char *key, int64_t computed) {
    int64_t found = specgen_spec_int(j->expect, key);
    return found == computed ? TPU_OK : differs(j, key, found, computed);
}

// The operand that the witness names, or NULL.
static const cJSON *operand_of(const judged *j) {
    int opcode = specgen_spec_opcode(j->spec, specgen_spec_text(j->witness, "opcode"));
    const char *name = specgen_spec_text(j->witness, "operand");
    return opcode < 0 || name == NULL ? NULL : specgen_spec_operand(&j->spec->opcode[opcode], name);
}

static tpu_status judge_loop_field(const judged *j) {
    const cJSON *operand = operand_of(j);
    const cJSON *value = NULL;
    int64_t trip = specgen_spec_int(j->witness, "trip");
    int64_t due = 0;
    if (operand == NULL || trip > specgen_property_legal_trip(operand, 0, 1)) {
        return malformed(j, "the witness needs an operand and a trip that its legal values allow");
    }
    cJSON_ArrayForEach(value, specgen_spec_list(j->expect, "values")) {
        if (specgen_spec_number(value) != due) {
            return differs(j, "values", specgen_spec_number(value), due);
        }
        due++;
    }
    return due == trip ? TPU_OK : differs(j, "values", due, trip);
}

static tpu_status judge_legal_trip(const judged *j) {
    const cJSON *operand = operand_of(j);
    if (operand == NULL) {
        return malformed(j, "the witness names no operand of an opcode");
    }
    return compare(j, "trip",
                   specgen_property_legal_trip(operand, specgen_spec_int(j->witness, "base"),
                                               specgen_spec_int(j->witness, "stride")));
}

// How many terms the shipped program uses is the assembler's to say; here the budget must refuse
// exactly one more.
static tpu_status judge_terms(const judged *j) {
    int64_t used = specgen_spec_int(j->expect, "used");
    int64_t terms = specgen_spec_int(specgen_spec_at(j->spec, "agu"), "terms");
    if (operand_of(j) == NULL) {
        return malformed(j, "the witness names no operand of an opcode");
    }
    if (used != terms) {
        return differs(j, "used", used, terms);
    }
    return compare(j, "needed", used + 1);
}

static tpu_status judge_ceiling(const judged *j, const cJSON *ceiling) {
    const char *name = specgen_spec_text(ceiling, "name");
    const cJSON *sides = specgen_spec_list(j->witness, "t");
    const cJSON *found = specgen_spec_list(j->expect, name);
    if (cJSON_GetArraySize(sides) == 0 || cJSON_GetArraySize(found) != cJSON_GetArraySize(sides)) {
        return malformed(j, "expect needs one value of each ceiling for every t of the witness");
    }
    for (int i = 0; i < cJSON_GetArraySize(sides); i++) {
        int64_t computed = 0;
        int64_t t = specgen_spec_number(cJSON_GetArrayItem(sides, i));
        if (t < 1) {
            return malformed(j, "every t of the witness is a positive number");
        }
        tpu_status status = specgen_property_ceiling(j->spec, ceiling, t, &computed, j->why);
        if (status != TPU_OK) {
            return status;
        }
        int64_t value = specgen_spec_number(cJSON_GetArrayItem(found, i));
        if (value != computed) {
            char key[80];
            (void)snprintf(key, sizeof key, "%s[%d]", name, i);
            return differs(j, key, value, computed);
        }
    }
    return TPU_OK;
}

static tpu_status judge_ceilings(const judged *j) {
    const cJSON *ceiling = NULL;
    tpu_status status = TPU_OK;
    cJSON_ArrayForEach(ceiling, specgen_spec_at(j->spec, "maxdim_ceilings")) {
        status = status == TPU_OK ? judge_ceiling(j, ceiling) : status;
    }
    return status;
}

// One shape against all limits: what is over must be listed, what is listed must be over.
static tpu_status judge_shape(const judged *j, const cJSON *shape, const cJSON *expected,
                              int index) {
    int64_t extents[3];
    for (int i = 0; i < 3; i++) {
        extents[i] = specgen_spec_number(cJSON_GetArrayItem(shape, i));
    }
    const cJSON *limit = NULL;
    cJSON_ArrayForEach(limit, specgen_spec_at(j->spec, "program_limits")) {
        const char *name = specgen_spec_text(limit, "name");
        int64_t over = 0;
        tpu_status status =
            specgen_property_over(j->spec, limit, specgen_spec_int(j->witness, "t"),
                                  specgen_spec_int(j->witness, "maxdim"), extents, &over, j->why);
        if (status != TPU_OK) {
            return status;
        }
        int64_t found = specgen_spec_int(expected, name);
        if (found != (over > 0 ? over : 0)) {
            char key[80];
            (void)snprintf(key, sizeof key, "over[%d].%s", index, name);
            return differs(j, key, found, over > 0 ? over : 0);
        }
    }
    return TPU_OK;
}

static tpu_status judge_limits(const judged *j) {
    const cJSON *shapes = specgen_spec_list(j->witness, "shapes");
    const cJSON *expected = specgen_spec_list(j->expect, "over");
    int count = cJSON_GetArraySize(shapes);
    if (count == 0 || cJSON_GetArraySize(expected) != count) {
        return malformed(j, "expect.over needs one entry for every shape of the witness");
    }
    tpu_status status = TPU_OK;
    for (int i = 0; status == TPU_OK && i < count; i++) {
        status =
            cJSON_GetArraySize(cJSON_GetArrayItem(shapes, i)) == 3
                ? judge_shape(j, cJSON_GetArrayItem(shapes, i), cJSON_GetArrayItem(expected, i), i)
                : malformed(j, "a shape of the witness is three numbers");
    }
    return status;
}

static tpu_status judge(const judged *j) {
    static const struct {
        const char *kind;
        tpu_status (*judge)(const judged *);
    } kinds[] = {{"loop_field", judge_loop_field},
                 {"legal_trip", judge_legal_trip},
                 {"terms_of_shipped_mm", judge_terms},
                 {"ceilings", judge_ceilings},
                 {"limits", judge_limits}};
    const char *kind = specgen_spec_text(j->witness, "kind");
    for (size_t i = 0; kind != NULL && i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kind, kinds[i].kind) == 0) {
            return kinds[i].judge(j);
        }
    }
    return malformed(j, "witness.kind is one of loop_field, legal_trip, terms_of_shipped_mm, "
                        "ceilings, limits");
}

tpu_status specgen_property_check(const specgen_spec *spec, tpu_message *why) {
    judged j = {.spec = spec, .why = why};
    tpu_status status = TPU_OK;
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "derived_properties")) {
        j.witness = specgen_spec_list(item, "witness");
        j.expect = specgen_spec_list(item, "expect");
        status = status == TPU_OK ? judge(&j) : status;
        j.index++;
    }
    return status;
}
