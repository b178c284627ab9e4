// SPDX-License-Identifier: Apache-2.0
//
// From the JSON tree to the typed views of units, opcodes and actions; refuses names that lead
// nowhere.

#include "spec/specgen_resolve.h"

#include <stdio.h>
#include <string.h>

static tpu_status too_many(const specgen_spec *spec, tpu_message *why, const char *path,
                           int limit) {
    return specgen_spec_refuse(spec, why, path, "found more entries than specgen takes; at most %d",
                               limit);
}

// NULL for "none".
static const char *optional(const cJSON *object, const char *key) {
    const char *text = specgen_spec_text(object, key);
    return text == NULL || strcmp(text, "none") == 0 ? NULL : text;
}

static tpu_status resolve_unit(specgen_spec *spec, const cJSON *item, tpu_message *why) {
    if (spec->unit_count == SPECGEN_UNITS) {
        return too_many(spec, why, "units", SPECGEN_UNITS);
    }
    specgen_unit *unit = &spec->unit[spec->unit_count];
    unit->name = specgen_spec_text(item, "name");
    unit->role = specgen_spec_text(item, "role");
    unit->control = optional(item, "control");
    unit->ii = (int)specgen_spec_int(item, "ii");
    unit->elastic = specgen_spec_bool(item, "elastic");
    const cJSON *port = NULL;
    cJSON_ArrayForEach(port, specgen_spec_list(item, "ports")) {
        if (unit->port_count == SPECGEN_PORTS) {
            return too_many(spec, why, "units[].ports", SPECGEN_PORTS);
        }
        int64_t physical = specgen_spec_int(port, "physical");
        unit->port[unit->port_count++] =
            (specgen_port){.name = specgen_spec_text(port, "name"),
                           .physical = physical == 0 ? 1 : (int)physical,
                           .internal = specgen_spec_bool(port, "internal")};
    }
    spec->unit_count++;
    return TPU_OK;
}

static bool kind_of(const char *name, specgen_kind *kind) {
    static const char *const names[] = {"read", "write", "compute", "emit", "receive"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i]) == 0) {
            *kind = (specgen_kind)i;
            return true;
        }
    }
    return false;
}

static tpu_status resolve_names(const specgen_spec *spec, const cJSON *item, const char *path,
                                specgen_action *action, tpu_message *why) {
    const char *unit = specgen_spec_text(item, "unit");
    action->unit = specgen_spec_unit(spec, unit);
    if (action->unit < 0) {
        return specgen_spec_refuse(spec, why, path, "found unit '%s', which units does not list",
                                   unit);
    }
    const char *port = specgen_spec_text(item, "port");
    action->port = specgen_spec_port(&spec->unit[action->unit], port);
    if (action->port < 0) {
        return specgen_spec_refuse(spec, why, path, "found port '%s', which unit %s does not have",
                                   port, unit);
    }
    const char *kind = specgen_spec_text(item, "kind");
    if (!kind_of(kind, &action->kind)) {
        return specgen_spec_refuse(
            spec, why, path, "found kind '%s'; allowed are read, write, compute, emit, receive",
            kind);
    }
    return TPU_OK;
}

static tpu_status resolve_args(const specgen_spec *spec, const cJSON *item, const char *path,
                               specgen_action *action, tpu_message *why) {
    const cJSON *arg = NULL;
    cJSON_ArrayForEach(arg, specgen_spec_list(item, "args")) {
        if (action->arg_count == SPECGEN_ARGS) {
            return too_many(spec, why, path, SPECGEN_ARGS);
        }
        action->arg[action->arg_count++] = cJSON_GetStringValue(arg);
    }
    return TPU_OK;
}

static tpu_status resolve_action(const specgen_spec *spec, const cJSON *item, const char *path,
                                 specgen_action *action, tpu_message *why) {
    tpu_status status = resolve_names(spec, item, path, action, why);
    if (status != TPU_OK) {
        return status;
    }
    action->per_instruction = specgen_spec_text(item, "per") != NULL;
    action->state = specgen_spec_text(item, "state");
    action->base = specgen_spec_text(item, "base");
    action->offset = specgen_spec_text(item, "offset");
    action->count = specgen_spec_text(item, "count");
    action->when = specgen_spec_text(item, "when");
    action->compute = specgen_spec_text(item, "compute");
    action->into = specgen_spec_text(item, "into");
    action->role = specgen_spec_text(item, "role");
    return resolve_args(spec, item, path, action, why);
}

static tpu_status resolve_opcode(specgen_spec *spec, const cJSON *item, tpu_message *why) {
    if (spec->opcode_count == SPECGEN_OPCODES) {
        return too_many(spec, why, "opcodes", SPECGEN_OPCODES);
    }
    specgen_opcode *opcode = &spec->opcode[spec->opcode_count];
    opcode->name = specgen_spec_text(item, "name");
    opcode->constant = specgen_spec_text(item, "constant");
    opcode->meaning = specgen_spec_text(item, "meaning");
    opcode->nr = specgen_spec_text(item, "nr");
    opcode->rows = specgen_spec_text(item, "rows");
    opcode->value = (int)specgen_spec_int(item, "value");
    opcode->retired = specgen_spec_bool(item, "retired");
    opcode->operands = specgen_spec_list(item, "operands");
    const cJSON *action = NULL;
    cJSON_ArrayForEach(action, specgen_spec_list(item, "actions")) {
        char path[SPECGEN_PATH];
        (void)snprintf(path, sizeof path, "opcodes[%zu].actions[%zu]", spec->opcode_count,
                       opcode->action_count);
        if (opcode->action_count == SPECGEN_ACTIONS) {
            return too_many(spec, why, path, SPECGEN_ACTIONS);
        }
        tpu_status status =
            resolve_action(spec, action, path, &opcode->action[opcode->action_count], why);
        if (status != TPU_OK) {
            return status;
        }
        opcode->action_count++;
    }
    spec->opcode_count++;
    return TPU_OK;
}

tpu_status specgen_resolve(specgen_spec *spec, tpu_message *why) {
    tpu_status status = TPU_OK;
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "units")) {
        status = status == TPU_OK ? resolve_unit(spec, item, why) : status;
    }
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "opcodes")) {
        status = status == TPU_OK ? resolve_opcode(spec, item, why) : status;
    }
    return status;
}
