// SPDX-License-Identifier: Apache-2.0
//
// Opcodes and their operands, units, memories and streams: names are unique and lead somewhere.

#include "spec/specgen_derive.h"
#include "spec/specgen_names.h"
#include "spec/specgen_valid.h"

#include <stdio.h>
#include <string.h>

static bool same(const char *a, const char *b) {
    return a != NULL && b != NULL && strcmp(a, b) == 0;
}

static bool one_of(const char *word, const char *list) {
    char needle[64];
    char haystack[160];
    (void)snprintf(needle, sizeof needle, " %s ", word);
    (void)snprintf(haystack, sizeof haystack, " %s ", list);
    return strstr(haystack, needle) != NULL;
}

static tpu_status check_legal(const specgen_spec *spec, const cJSON *operand, const char *place,
                              tpu_message *why) {
    const cJSON *legal = specgen_spec_list(operand, "legal_values");
    const cJSON *value = NULL;
    double last = -1;
    if (legal != NULL && cJSON_GetArraySize(legal) == 0) {
        return specgen_spec_refuse(spec, why, place, "legal_values is empty");
    }
    cJSON_ArrayForEach(value, legal) {
        if (value->valuedouble <= last) {
            return specgen_spec_refuse(spec, why, place, "legal_values have to rise; found %g",
                                       value->valuedouble);
        }
        last = value->valuedouble;
    }
    int64_t all = 0;
    const cJSON *flag = NULL;
    cJSON_ArrayForEach(flag, specgen_spec_list(operand, "bitflags")) {
        int64_t mask = specgen_spec_int(flag, "mask");
        if ((mask & (mask - 1)) != 0 || (mask & all) != 0) {
            return specgen_spec_refuse(spec, why, place,
                                       "the mask %lld of %s is no single bit of its own",
                                       (long long)mask, specgen_spec_text(flag, "name"));
        }
        all |= mask;
    }
    if (all != 0 && last != (double)all) {
        return specgen_spec_refuse(spec, why, place,
                                   "the flags together make %lld, the largest legal value is %g",
                                   (long long)all, last);
    }
    return TPU_OK;
}

static bool is_target(const specgen_spec *spec, const char *field) {
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "agu.targets")) {
        if (specgen_spec_int(item, "value") > 0 && same(specgen_spec_text(item, "field"), field)) {
            return true;
        }
    }
    return false;
}

static tpu_status check_operands(const specgen_spec *spec, size_t index, tpu_message *why) {
    char path[SPECGEN_PATH];
    const cJSON *operand = NULL;
    const cJSON *list = spec->opcode[index].operands;
    int o = 0;
    cJSON_ArrayForEach(operand, list) {
        const char *field = specgen_spec_text(operand, "field");
        const char *name = specgen_spec_text(operand, "name");
        (void)snprintf(path, sizeof path, "opcodes[%zu].operands[%d]", index, o++);
        if (!is_target(spec, field) || strlen(field) != 2) {
            return specgen_spec_refuse(spec, why, path,
                                       "found field '%s'; operands are in f0, f1, f2, f3", field);
        }
        for (const cJSON *old = list->child; old != operand; old = old->next) {
            if (same(specgen_spec_text(old, "field"), field) ||
                same(specgen_spec_text(old, "name"), name)) {
                return specgen_spec_refuse(spec, why, path,
                                           "field %s or name %s is taken by an earlier operand",
                                           field, name);
            }
        }
        tpu_status status = check_legal(spec, operand, path, why);
        if (status != TPU_OK) {
            return status;
        }
    }
    return TPU_OK;
}

static tpu_status check_opcode(const specgen_spec *spec, size_t index, tpu_message *why) {
    const specgen_opcode *op = &spec->opcode[index];
    char path[SPECGEN_PATH];
    (void)snprintf(path, sizeof path, "opcodes[%zu]", index);
    int64_t width = 0;
    bool known = specgen_names_fixed(spec, "OP_WIDTH", &width);
    if (op->value != (int)index) {
        return specgen_spec_refuse(spec, why, path,
                                   "found value %d where %zu is due; opcodes are listed by value, "
                                   "each value once, and a retired one keeps its place",
                                   op->value, index);
    }
    if (!known || op->value > specgen_names_usable(spec, width)) {
        return specgen_spec_refuse(spec, why, path, "value %d does not fit the field op",
                                   op->value);
    }
    if (strncmp(op->constant, "OP_", 3) != 0) {
        return specgen_spec_refuse(spec, why, path, "found constant '%s'; it begins with OP_",
                                   op->constant);
    }
    if (!one_of(op->nr, "rows trips none") || same(op->nr, "none") != (op->rows == NULL)) {
        return specgen_spec_refuse(spec, why, path,
                                   "found nr '%s'; allowed are rows and trips with the key rows in "
                                   "words, or none without it",
                                   op->nr);
    }
    if ((op->retired && op->action_count > 0) || (same(op->nr, "rows") && op->action_count == 0)) {
        return specgen_spec_refuse(spec, why, path,
                                   "a retired opcode has no actions, one with rows has some");
    }
    return check_operands(spec, index, why);
}

static tpu_status check_opcodes(const specgen_spec *spec, tpu_message *why) {
    tpu_status status = specgen_valid_unique(spec, "opcodes", "name", why);
    if (status == TPU_OK) {
        status = specgen_valid_unique(spec, "opcodes", "constant", why);
    }
    for (size_t i = 0; status == TPU_OK && i < spec->opcode_count; i++) {
        status = check_opcode(spec, i, why);
    }
    return status;
}

static const cJSON *named(const specgen_spec *spec, const char *list, const char *name) {
    int index = specgen_spec_find(spec, list, name);
    return index < 0 ? NULL : cJSON_GetArrayItem(specgen_spec_at(spec, list), index);
}

static tpu_status check_unit(const specgen_spec *spec, size_t index, tpu_message *why) {
    const specgen_unit *unit = &spec->unit[index];
    char path[SPECGEN_PATH];
    (void)snprintf(path, sizeof path, "units[%zu]", index);
    for (size_t i = 0; i < unit->port_count; i++) {
        if (specgen_spec_port(unit, unit->port[i].name) != (int)i) {
            return specgen_spec_refuse(spec, why, path, "port '%s' is listed twice",
                                       unit->port[i].name);
        }
    }
    if (unit->control == NULL) {
        return TPU_OK;
    }
    const cJSON *stream = named(spec, "streams", unit->control);
    if (stream == NULL || !same(specgen_spec_text(stream, "reader"), unit->name) ||
        !same(specgen_spec_text(stream, "writer"), "sequencer")) {
        return specgen_spec_refuse(spec, why, path,
                                   "control '%s' is no stream from the sequencer to this unit",
                                   unit->control);
    }
    return TPU_OK;
}

static tpu_status check_units(const specgen_spec *spec, tpu_message *why) {
    tpu_status status = specgen_valid_unique(spec, "units", "name", why);
    if (status == TPU_OK && specgen_spec_unit(spec, "sequencer") != 0) {
        return specgen_spec_refuse(spec, why, "units[0]", "the first unit is the sequencer");
    }
    for (size_t i = 0; status == TPU_OK && i < spec->unit_count; i++) {
        status = check_unit(spec, i, why);
    }
    return status;
}

static tpu_status check_memories(const specgen_spec *spec, tpu_message *why) {
    const cJSON *item = NULL;
    int index = 0;
    tpu_status status = specgen_valid_unique(spec, "memories", "name", why);
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "memories")) {
        char path[SPECGEN_PATH];
        (void)snprintf(path, sizeof path, "memories[%d]", index++);
        const char *owner = specgen_spec_text(item, "owner");
        const char *placement = specgen_spec_text(item, "placement");
        if (status == TPU_OK && specgen_spec_unit(spec, owner) < 0) {
            return specgen_spec_refuse(spec, why, path, "owner '%s' is no unit", owner);
        }
        if (status == TPU_OK && strcmp(placement, "on chip") != 0 &&
            strcmp(placement, "external") != 0) {
            return specgen_spec_refuse(spec, why, path,
                                       "found placement '%s'; allowed are 'on chip' and 'external'",
                                       placement);
        }
    }
    return status;
}

// Is every opcode that writes the memory reported by exactly one stream of that memory?
static tpu_status check_reported(const specgen_spec *spec, const char *memory, size_t opcode,
                                 tpu_message *why) {
    int streams = 0;
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "streams")) {
        if (!same(specgen_spec_text(item, "state"), memory)) {
            continue;
        }
        const cJSON *list = specgen_spec_list(item, "opcodes");
        const cJSON *name = NULL;
        streams += list == NULL ? 1 : 0;
        cJSON_ArrayForEach(name, list) {
            streams += same(name->valuestring, spec->opcode[opcode].name) ? 1 : 0;
        }
    }
    return streams == 1 ? TPU_OK
                        : specgen_spec_refuse(spec, why, "streams",
                                              "%s writes %s, which %d streams show; exactly one "
                                              "has to",
                                              spec->opcode[opcode].name, memory, streams);
}

static tpu_status check_all_reported(const specgen_spec *spec, tpu_message *why) {
    for (size_t o = 0; o < spec->opcode_count; o++) {
        for (size_t i = 0; i < spec->opcode[o].action_count; i++) {
            const specgen_action *action = &spec->opcode[o].action[i];
            tpu_status status = action->kind == SPECGEN_WRITE && action->state != NULL
                                    ? check_reported(spec, action->state, o, why)
                                    : TPU_OK;
            if (status != TPU_OK) {
                return status;
            }
        }
    }
    return TPU_OK;
}

static tpu_status check_stream_state(const specgen_spec *spec, const cJSON *item, const char *path,
                                     tpu_message *why) {
    const char *state = specgen_spec_text(item, "state");
    const cJSON *memory = named(spec, "memories", state);
    if (state != NULL && (memory == NULL || !same(specgen_spec_text(memory, "owner"),
                                                  specgen_spec_text(item, "writer")))) {
        return specgen_spec_refuse(spec, why, path, "state '%s' is no memory that the writer owns",
                                   state);
    }
    const cJSON *name = NULL;
    cJSON_ArrayForEach(name, specgen_spec_list(item, "opcodes")) {
        if (specgen_spec_opcode(spec, name->valuestring) < 0) {
            return specgen_spec_refuse(spec, why, path, "opcodes names '%s', which is no opcode",
                                       name->valuestring);
        }
    }
    return TPU_OK;
}

static tpu_status check_stream(const specgen_spec *spec, const cJSON *item, const char *path,
                               tpu_message *why) {
    const char *writer = specgen_spec_text(item, "writer");
    const char *reader = specgen_spec_text(item, "reader");
    const char *lane = specgen_spec_text(item, "lane");
    if (specgen_spec_unit(spec, writer) < 0) {
        return specgen_spec_refuse(spec, why, path, "writer '%s' is no unit", writer);
    }
    if (!same(reader, "none") && specgen_spec_unit(spec, reader) < 0) {
        return specgen_spec_refuse(spec, why, path, "reader '%s' is no unit; or say none", reader);
    }
    if (!one_of(lane, "none int8 int32")) {
        return specgen_spec_refuse(spec, why, path,
                                   "found lane '%s'; allowed are none, int8, int32", lane);
    }
    const cJSON *scalars = specgen_spec_list(item, "scalars");
    const cJSON *scalar = NULL;
    cJSON_ArrayForEach(scalar, scalars) {
        for (const cJSON *old = scalars->child; old != scalar; old = old->next) {
            if (same(specgen_spec_text(old, "name"), specgen_spec_text(scalar, "name"))) {
                return specgen_spec_refuse(spec, why, path, "scalar '%s' is listed twice",
                                           specgen_spec_text(scalar, "name"));
            }
        }
    }
    return check_stream_state(spec, item, path, why);
}

static tpu_status check_streams(const specgen_spec *spec, tpu_message *why) {
    const cJSON *item = NULL;
    int index = 0;
    tpu_status status = specgen_valid_unique(spec, "streams", "name", why);
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "streams")) {
        char path[SPECGEN_PATH];
        (void)snprintf(path, sizeof path, "streams[%d]", index++);
        status = status == TPU_OK ? check_stream(spec, item, path, why) : status;
    }
    if (status == TPU_OK && index > 30) {
        return specgen_spec_refuse(spec, why, "streams", "a probe names at most 30 streams");
    }
    return status == TPU_OK ? check_all_reported(spec, why) : status;
}

tpu_status specgen_parts_check(const specgen_spec *spec, tpu_message *why) {
    static tpu_status (*const checks[])(const specgen_spec *, tpu_message *) = {
        check_opcodes, check_units, check_memories, check_streams};
    tpu_status status = TPU_OK;
    for (size_t i = 0; status == TPU_OK && i < sizeof checks / sizeof checks[0]; i++) {
        status = checks[i](spec, why);
    }
    return status;
}
