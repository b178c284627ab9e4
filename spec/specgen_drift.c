// SPDX-License-Identifier: Apache-2.0
//
// The compiled tables against the specification, and the order of the other drift checks.

#include "spec/specgen_drift.h"

#include "csim/arch/numerics.h"
#include "spec/specgen_derive.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

specgen_names specgen_drift_names(const specgen_spec *spec, const tpu_params *params) {
    return (specgen_names){.spec = spec,
                           .param = {params->t, params->maxdim, params->spad_rows, params->nvr,
                                     params->nar, params->imem_size, params->qd, params->dma_words},
                           .param_count = TPU_PARAM_COUNT};
}

static bool same(const char *a, const char *b) {
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static tpu_status differs(const specgen_spec *spec, tpu_message *why, const char *path, int index,
                          const char *key, const char *found, const char *code) {
    char place[SPECGEN_PATH];
    (void)snprintf(place, sizeof place, "%s[%d].%s", path, index, key);
    return specgen_spec_refuse(spec, why, place, "found '%s', but the C code says '%s'", found,
                               code == NULL ? "nothing" : code);
}

static tpu_status check_count(const specgen_spec *spec, const char *path, size_t code,
                              tpu_message *why) {
    size_t count = specgen_spec_count(spec, path);
    return count == code ? TPU_OK
                         : specgen_spec_refuse(spec, why, path,
                                               "lists %zu, but the C code knows %zu", count, code);
}

static tpu_status check_operand_names(const specgen_spec *spec, int index, tpu_message *why) {
    const cJSON *operand = NULL;
    const char *names[TPU_FIELDS] = {NULL};
    cJSON_ArrayForEach(operand, spec->opcode[index].operands) {
        int field = specgen_spec_text(operand, "field")[1] - '0';
        if (field >= 0 && field < TPU_FIELDS) {
            names[field] = specgen_spec_text(operand, "name");
        }
    }
    for (int f = 0; f < TPU_FIELDS; f++) {
        if (!same(names[f], tpu_ops[index].operand[f].name)) {
            return differs(spec, why, "opcodes", index, "operands",
                           names[f] == NULL ? "nothing" : names[f], tpu_ops[index].operand[f].name);
        }
    }
    return TPU_OK;
}

static tpu_status check_opcodes(const specgen_spec *spec, tpu_message *why) {
    tpu_status status = check_count(spec, "opcodes", TPU_OP_COUNT, why);
    for (int i = 0; status == TPU_OK && i < TPU_OP_COUNT; i++) {
        const specgen_opcode *op = &spec->opcode[i];
        const tpu_op_info *info = &tpu_ops[i];
        if (!same(op->name, info->name)) {
            return differs(spec, why, "opcodes", i, "name", op->name, info->name);
        }
        if (op->retired != (info->retired != 0)) {
            return differs(spec, why, "opcodes", i, "retired", op->retired ? "true" : "false",
                           info->retired != 0 ? "true" : "false");
        }
        const char *nr = info->has_rows != 0 ? "rows" : info->is_loop != 0 ? "trips" : "none";
        if (!same(op->nr, nr)) {
            return differs(spec, why, "opcodes", i, "nr", op->nr, nr);
        }
        if (specgen_derive_unit_mask(op) != info->unit_mask) {
            return differs(spec, why, "opcodes", i, "actions", "another set of units",
                           "what its unit_mask holds");
        }
        status = check_operand_names(spec, i, why);
    }
    return status;
}

static tpu_status check_names(const specgen_spec *spec, const char *path, const char *const *names,
                              size_t count, tpu_message *why) {
    tpu_status status = check_count(spec, path, count, why);
    const cJSON *item = NULL;
    int index = 0;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, path)) {
        const char *found = specgen_spec_text(item, "name");
        if (status == TPU_OK && !same(found, names[index])) {
            return differs(spec, why, path, index, "name", found, names[index]);
        }
        index++;
    }
    return status;
}

static const char *unit_name(int unit) {
    return unit < 0 ? "none" : tpu_unit_names[unit];
}

static tpu_status check_scalars(const specgen_spec *spec, const cJSON *stream, int index,
                                tpu_message *why) {
    const tpu_stream_info *info = &tpu_streams[index];
    const cJSON *scalar = NULL;
    size_t count = 0;
    cJSON_ArrayForEach(scalar, specgen_spec_list(stream, "scalars")) {
        const char *name = specgen_spec_text(scalar, "name");
        if (count >= info->field_count || !same(name, info->fields[count].name) ||
            specgen_spec_int(scalar, "bytes") != info->fields[count].bytes) {
            return differs(spec, why, "streams", index, "scalars", name,
                           count < info->field_count ? info->fields[count].name : NULL);
        }
        count++;
    }
    return count == info->field_count ? TPU_OK
                                      : differs(spec, why, "streams", index, "scalars", "the end",
                                                info->fields[count].name);
}

static tpu_status check_streams(const specgen_spec *spec, tpu_message *why) {
    static const char *const lanes[] = {"none", "int8", "", "", "int32"};
    tpu_status status = check_count(spec, "streams", TPU_STREAM_COUNT, why);
    const cJSON *item = NULL;
    int index = 0;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "streams")) {
        if (status != TPU_OK) {
            break;
        }
        const tpu_stream_info *info = &tpu_streams[index];
        const char *code[] = {info->name, tpu_unit_names[info->unit], unit_name(info->reader),
                              lanes[info->lane_bytes <= 4 ? info->lane_bytes : 2]};
        static const char *const keys[] = {"name", "writer", "reader", "lane"};
        for (size_t k = 0; k < 4; k++) {
            const char *found = specgen_spec_text(item, keys[k]);
            if (!same(found, code[k])) {
                return differs(spec, why, "streams", index, keys[k], found, code[k]);
            }
        }
        status = check_scalars(spec, item, index, why);
        index++;
    }
    return status;
}

static tpu_status check_rules(const specgen_spec *spec, const char *path, tpu_message *why) {
    const cJSON *item = NULL;
    int index = 0;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, path)) {
        unsigned value = (unsigned)specgen_spec_int(item, "value");
        const char *name = specgen_spec_text(item, "name");
        if (!same(name, tpu_rule_name(value))) {
            return differs(spec, why, path, index, "name", name, tpu_rule_name(value));
        }
        index++;
    }
    return TPU_OK;
}

static tpu_status check_register(const specgen_spec *spec, const char *name, int64_t code,
                                 tpu_message *why) {
    int index = specgen_spec_find(spec, "registers", name);
    const cJSON *item = cJSON_GetArrayItem(specgen_spec_at(spec, "registers"), index);
    if (index >= 0 && specgen_spec_int(item, "offset") == code) {
        return TPU_OK;
    }
    char found[32];
    char known[32];
    (void)snprintf(found, sizeof found, "%lld", (long long)specgen_spec_int(item, "offset"));
    (void)snprintf(known, sizeof known, "%lld", (long long)code);
    return differs(spec, why, "registers", index, "offset", found, known);
}

static tpu_status check_registers(const specgen_spec *spec, tpu_message *why) {
    static const struct {
        const char *name;
        int64_t offset;
    } code[] = {{"CTRL", TPU_REG_CTRL},
                {"STATUS", TPU_REG_STATUS},
                {"FAULT", TPU_REG_FAULT},
                {"CYCLES_LO", TPU_REG_CYCLES_LO},
                {"CYCLES_HI", TPU_REG_CYCLES_HI},
                {"WATCHDOG", TPU_REG_WATCHDOG},
                {"ACK", TPU_REG_ACK},
                {"IMEM_LO", TPU_REG_IMEM_LO},
                {"A_LO", TPU_REG_A_LO},
                {"B_LO", TPU_REG_B_LO},
                {"C_LO", TPU_REG_C_LO},
                {"ID", TPU_REG_ID},
                {"HASH_LO", TPU_REG_HASH_LO},
                {"PARAM", TPU_REG_PARAM},
                {"UNIT", TPU_REG_UNIT}};
    tpu_status status = TPU_OK;
    for (size_t i = 0; status == TPU_OK && i < sizeof code / sizeof code[0]; i++) {
        status = check_register(spec, code[i].name, code[i].offset, why);
    }
    return status;
}

// The active configuration against the one numerics unit.
static tpu_status check_numerics(const specgen_spec *spec, tpu_message *why) {
    const cJSON *list = specgen_spec_at(spec, "numerics.configurations");
    const char *active = specgen_spec_text(specgen_spec_at(spec, "numerics"), "active");
    int index = specgen_spec_find(spec, "numerics.configurations", active);
    const cJSON *output = specgen_spec_list(cJSON_GetArrayItem(list, index), "output");
    const cJSON *wide = specgen_spec_list(cJSON_GetArrayItem(list, index), "accumulator");
    int64_t min = specgen_spec_int(output, "min");
    int64_t max = specgen_spec_int(output, "max");
    int64_t low = numerics_to_operand(INT32_MIN);
    int64_t high = numerics_to_operand(INT32_MAX);
    if (low != min || high != max) {
        return specgen_spec_refuse(spec, why, "numerics.configurations[].output",
                                   "goes from %lld to %lld, but the C code clips to %lld and %lld",
                                   (long long)min, (long long)max, (long long)low, (long long)high);
    }
    if (specgen_spec_int(wide, "bits") != 32 || numerics_wrap_add(INT32_MAX, 1) != INT32_MIN) {
        return specgen_spec_refuse(spec, why, "numerics.configurations[].accumulator",
                                   "has %lld bits, but the C code wraps at 32 or not at all",
                                   (long long)specgen_spec_int(wide, "bits"));
    }
    if (numerics_max0(-1) != 0 || numerics_max0(INT32_MIN) != 0 || numerics_max0(1) != 1) {
        return specgen_spec_refuse(spec, why, "primitives",
                                   "max0 is the maximum with 0, but the C code gives %d for -1",
                                   (int)numerics_max0(-1));
    }
    return TPU_OK;
}

static tpu_status check_tables(const specgen_spec *spec, tpu_message *why) {
    tpu_status status = check_names(spec, "units", tpu_unit_names, TPU_UNIT_COUNT, why);
    if (status == TPU_OK) {
        status = check_names(spec, "memories", tpu_mem_names, TPU_MEM_COUNT, why);
    }
    if (status == TPU_OK) {
        status = check_count(spec, "rules", TPU_RULE_COUNT - 1, why);
    }
    if (status == TPU_OK) {
        status = check_rules(spec, "rules", why);
    }
    return status == TPU_OK ? check_rules(spec, "faults", why) : status;
}

tpu_status specgen_drift_check(const specgen_spec *spec, tpu_message *why) {
    static tpu_status (*const checks[])(const specgen_spec *, tpu_message *) = {
        check_opcodes,      check_tables,         check_streams,        check_registers,
        check_numerics,     specgen_drift_codec,  specgen_drift_points, specgen_drift_programs,
        specgen_drift_work, specgen_drift_meaning};
    tpu_status status = TPU_OK;
    for (size_t i = 0; status == TPU_OK && i < sizeof checks / sizeof checks[0]; i++) {
        status = checks[i](spec, why);
    }
    return status;
}
