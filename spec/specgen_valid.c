// SPDX-License-Identifier: Apache-2.0
//
// All checks of a specification by itself, and those too small for a file of their own: header
// entries, dispatch notes, rules, registers, probe values.

#include "spec/specgen_valid.h"

#include "spec/specgen_derive.h"
#include "spec/specgen_names.h"

#include <stdio.h>
#include <string.h>

static bool same(const char *a, const char *b) {
    return a != NULL && b != NULL && strcmp(a, b) == 0;
}

tpu_status specgen_valid_unique(const specgen_spec *spec, const char *path, const char *key,
                                tpu_message *why) {
    const cJSON *list = specgen_spec_at(spec, path);
    const cJSON *item = NULL;
    int index = 0;
    cJSON_ArrayForEach(item, list) {
        int before = 0;
        const cJSON *value = specgen_spec_list(item, key);
        for (const cJSON *old = list->child; old != item; old = old->next, before++) {
            if (value != NULL && cJSON_Compare(value, specgen_spec_list(old, key), 1)) {
                char place[SPECGEN_PATH];
                const char *text = cJSON_GetStringValue(value);
                (void)snprintf(place, sizeof place, "%s[%d].%s", path, index, key);
                return text != NULL
                           ? specgen_spec_refuse(spec, why, place,
                                                 "found '%s', which %s[%d] already has", text, path,
                                                 before)
                           : specgen_spec_refuse(spec, why, place,
                                                 "found %g, which %s[%d] already has",
                                                 cJSON_GetNumberValue(value), path, before);
            }
        }
        index++;
    }
    return TPU_OK;
}

static tpu_status check_work(const specgen_spec *spec, const cJSON *item, const char *place,
                             tpu_message *why) {
    const cJSON *work = specgen_spec_list(item, "work");
    const char *kind = specgen_spec_text(work, "kind");
    const char *unit_name = specgen_spec_text(work, "unit");
    int unit = specgen_spec_unit(spec, unit_name);
    if (same(kind, "static_instructions")) {
        return TPU_OK;
    }
    if (same(kind, "row_span")) {
        const char *state = specgen_spec_text(work, "state");
        return specgen_spec_find(spec, "memories", state) >= 0
                   ? TPU_OK
                   : specgen_spec_refuse(spec, why, place, "row_span needs the name of a memory");
    }
    if ((!same(kind, "steps") && !same(kind, "items")) || unit < 0) {
        return specgen_spec_refuse(spec, why, place,
                                   "found work '%s'; allowed are static_instructions, steps and "
                                   "items of a unit, row_span of a memory",
                                   kind);
    }
    const char *port = specgen_spec_text(work, "port");
    if (same(kind, "items") && specgen_spec_port(&spec->unit[unit], port) < 0) {
        return specgen_spec_refuse(spec, why, place, "unit %s has no port '%s'", unit_name,
                                   port == NULL ? "" : port);
    }
    return TPU_OK;
}

// A unit that counts down its work needs exactly one promise of it.
static tpu_status check_promised(const specgen_spec *spec, const char *unit, tpu_message *why) {
    int promises = 0;
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "imem.entries")) {
        const cJSON *work = specgen_spec_list(item, "work");
        bool steps = same(specgen_spec_text(work, "kind"), "steps");
        promises += steps && same(specgen_spec_text(work, "unit"), unit) ? 1 : 0;
    }
    return promises == 1 ? TPU_OK
                         : specgen_spec_refuse(spec, why, "imem.entries",
                                               "%d entries promise the steps of %s; one has to",
                                               promises, unit);
}

static tpu_status check_entries(const specgen_spec *spec, tpu_message *why) {
    const cJSON *item = NULL;
    int index = 0;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "imem.entries")) {
        char place[SPECGEN_PATH];
        (void)snprintf(place, sizeof place, "imem.entries[%d]", index++);
        const char *consumer = specgen_spec_text(item, "consumer");
        tpu_status status = check_work(spec, item, place, why);
        if (status == TPU_OK && specgen_spec_unit(spec, consumer) < 0) {
            return specgen_spec_refuse(spec, why, place, "consumer '%s' is no unit", consumer);
        }
        if (status != TPU_OK) {
            return status;
        }
    }
    for (size_t u = 0; u < spec->unit_count; u++) {
        tpu_status status =
            spec->unit[u].control == NULL ? TPU_OK : check_promised(spec, spec->unit[u].name, why);
        if (status != TPU_OK) {
            return status;
        }
    }
    return TPU_OK;
}

static const cJSON *note_for(const specgen_spec *spec, const char *opcode, const char *unit) {
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "dispatch.notes")) {
        if (same(specgen_spec_text(item, "opcode"), opcode) &&
            same(specgen_spec_text(item, "unit"), unit)) {
            return item;
        }
    }
    return NULL;
}

// A rewritten nr may use every bit of the field, but no more.
static tpu_status check_rewrite_fits(const specgen_spec *spec, size_t opcode, size_t unit,
                                     const specgen_cost *cost, tpu_message *why) {
    int64_t steps = 0;
    int64_t width = 0;
    int64_t rows = 0;
    bool known = specgen_names_fixed(spec, "NR_WIDTH", &width) &&
                 specgen_names_constant(spec, "MAXROWS", &rows);
    tpu_status status = specgen_derive_steps(spec, cost, 16, rows, &steps, why);
    if (status == TPU_OK && (!known || steps >= (int64_t)1 << width)) {
        return specgen_spec_refuse(spec, why, "dispatch",
                                   "%s asks %s for %lld steps at nr = %lld, which the %lld bits of "
                                   "nr do not hold",
                                   spec->opcode[opcode].name, spec->unit[unit].name,
                                   (long long)steps, (long long)rows, (long long)width);
    }
    return status;
}

static tpu_status check_rewrites(const specgen_spec *spec, size_t *count, tpu_message *why) {
    for (size_t o = 0; o < spec->opcode_count; o++) {
        for (size_t u = 0; u < spec->unit_count; u++) {
            specgen_cost cost;
            tpu_status status = specgen_derive_cost(spec, o, u, &cost, why);
            if (status != TPU_OK) {
                return status;
            }
            if (!specgen_derive_rewritten(spec, u, &cost)) {
                continue;
            }
            *count += 1;
            if (note_for(spec, spec->opcode[o].name, spec->unit[u].name) == NULL) {
                return specgen_spec_refuse(spec, why, "dispatch.notes",
                                           "the actions make %s a rewritten word for %s, and no "
                                           "note says why",
                                           spec->opcode[o].name, spec->unit[u].name);
            }
            status = check_rewrite_fits(spec, o, u, &cost, why);
            if (status != TPU_OK) {
                return status;
            }
        }
    }
    return TPU_OK;
}

static tpu_status check_dispatch(const specgen_spec *spec, tpu_message *why) {
    size_t rewrites = 0;
    tpu_status status = check_rewrites(spec, &rewrites, why);
    if (status == TPU_OK && rewrites != specgen_spec_count(spec, "dispatch.notes")) {
        return specgen_spec_refuse(spec, why, "dispatch.notes",
                                   "found %zu notes, but the actions make %zu rewrites",
                                   specgen_spec_count(spec, "dispatch.notes"), rewrites);
    }
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "dispatch.carried")) {
        const char *field = specgen_spec_text(item, "field");
        bool known = note_for(spec, specgen_spec_text(item, "opcode"),
                              specgen_spec_text(item, "unit")) != NULL &&
                     specgen_spec_find(spec, "instruction_word.word0.fields", field) >= 0 &&
                     same(specgen_spec_text(item, "value"), "nr");
        if (status == TPU_OK && !known) {
            return specgen_spec_refuse(spec, why, "dispatch.carried",
                                       "an entry names a rewrite, a field of word 0 and the value "
                                       "nr; found field '%s'",
                                       field);
        }
    }
    return status;
}

static tpu_status check_rule_list(const specgen_spec *spec, const char *path, const char *prefix,
                                  int64_t first, tpu_message *why) {
    static const char *const keys[] = {"name", "constant", "value"};
    tpu_status status = TPU_OK;
    for (size_t i = 0; status == TPU_OK && i < sizeof keys / sizeof keys[0]; i++) {
        status = specgen_valid_unique(spec, path, keys[i], why);
    }
    const cJSON *item = NULL;
    int64_t due = first;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, path)) {
        char place[SPECGEN_PATH];
        (void)snprintf(place, sizeof place, "%s[%lld]", path, (long long)(due - first));
        const char *constant = specgen_spec_text(item, "constant");
        int64_t value = specgen_spec_int(item, "value");
        if (status == TPU_OK && (value != due || strncmp(constant, prefix, strlen(prefix)) != 0)) {
            return specgen_spec_refuse(spec, why, place,
                                       "found %s = %lld; a constant here begins with %s and its "
                                       "value is %lld",
                                       constant, (long long)value, prefix, (long long)due);
        }
        due++;
    }
    return status;
}

static tpu_status check_register(const specgen_spec *spec, const cJSON *item, const char *place,
                                 int64_t *end, tpu_message *why) {
    int64_t offset = specgen_spec_int(item, "offset");
    int64_t words = specgen_spec_int(item, "words");
    const char *name = specgen_spec_text(item, "name");
    const char *access = specgen_spec_text(item, "access");
    if (offset % 4 != 0 || offset < *end || offset + 4 * words > 4096) {
        return specgen_spec_refuse(spec, why, place,
                                   "%s lies at %lld; registers are words in rising order, behind "
                                   "%lld and within 4096 bytes",
                                   name, (long long)offset, (long long)*end);
    }
    if (!same(access, "R") && !same(access, "W") && !same(access, "RW")) {
        return specgen_spec_refuse(spec, why, place, "found access '%s'; allowed are R, W, RW",
                                   access);
    }
    int64_t units = 4 * (int64_t)spec->unit_count;
    int64_t params = (int64_t)specgen_spec_count(spec, "parameters");
    if ((same(name, "UNIT") && words != units) || (same(name, "PARAM") && words != params)) {
        return specgen_spec_refuse(spec, why, place,
                                   "%s has %lld words; 4 a unit and 1 a parameter are needed", name,
                                   (long long)words);
    }
    *end = offset + 4 * words;
    return TPU_OK;
}

static tpu_status check_registers(const specgen_spec *spec, tpu_message *why) {
    tpu_status status = specgen_valid_unique(spec, "registers", "name", why);
    const cJSON *item = NULL;
    int64_t end = 0;
    int index = 0;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "registers")) {
        char place[SPECGEN_PATH];
        (void)snprintf(place, sizeof place, "registers[%d]", index++);
        status = status == TPU_OK ? check_register(spec, item, place, &end, why) : status;
    }
    return status;
}

static tpu_status check_probe(const specgen_spec *spec, tpu_message *why) {
    static const char *const keys[][2] = {{"probe.states", "name"},
                                          {"probe.states", "value"},
                                          {"probe.waits", "name"},
                                          {"probe.waits", "value"},
                                          {"derived_properties", "id"}};
    tpu_status status = TPU_OK;
    for (size_t i = 0; status == TPU_OK && i < sizeof keys / sizeof keys[0]; i++) {
        status = specgen_valid_unique(spec, keys[i][0], keys[i][1], why);
    }
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "probe.waits")) {
        if (status == TPU_OK &&
            specgen_spec_int(item, "value") < (int64_t)specgen_spec_count(spec, "streams")) {
            return specgen_spec_refuse(spec, why, "probe.waits",
                                       "the value of %s is the number of a stream",
                                       specgen_spec_text(item, "name"));
        }
    }
    return status;
}

tpu_status specgen_valid_check(const specgen_spec *spec, tpu_message *why) {
    static tpu_status (*const checks[])(const specgen_spec *, tpu_message *) = {
        specgen_layout_check, specgen_parts_check, specgen_value_check, specgen_flow_check,
        check_entries,        check_dispatch,      check_registers,     check_probe};
    tpu_status status = TPU_OK;
    for (size_t i = 0; status == TPU_OK && i < sizeof checks / sizeof checks[0]; i++) {
        status = checks[i](spec, why);
    }
    if (status == TPU_OK) {
        status = check_rule_list(spec, "rules", "RULE_", 1, why);
    }
    return status == TPU_OK ? check_rule_list(spec, "faults", "FAULT_", 32, why) : status;
}
