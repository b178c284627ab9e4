// SPDX-License-Identifier: Apache-2.0
//
// Writes tpu_isa.c: the tables behind tpu_isa.h, except what concerns parameters.

#include "spec/specgen_derive.h"
#include "spec/specgen_names.h"
#include "spec/specgen_write.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// A C identifier from a stream's name: '.' becomes '_'.
static void add_identifier(specgen_text *text, const char *name) {
    for (const char *at = name; *at != '\0'; at++) {
        specgen_text_add(text, "%c", *at == '.' ? '_' : *at);
    }
}

static void write_scalars(const cJSON *stream, specgen_text *text) {
    const cJSON *scalars = specgen_spec_list(stream, "scalars");
    if (cJSON_GetArraySize(scalars) == 0) {
        return;
    }
    specgen_text_add(text, "static const tpu_stream_field ");
    add_identifier(text, specgen_spec_text(stream, "name"));
    specgen_text_add(text, "_fields[] = {\n");
    int64_t offset = 0;
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, scalars) {
        int64_t bytes = specgen_spec_int(item, "bytes");
        specgen_text_add(text, "    {\"%s\", %" PRId64 ", %" PRId64 "},\n",
                         specgen_spec_text(item, "name"), offset, bytes);
        offset += bytes;
    }
    specgen_text_add(text, "};\n\n");
}

static int64_t lane_bytes(const specgen_spec *spec, const char *lane) {
    const cJSON *list = specgen_spec_at(spec, "numerics.configurations");
    const cJSON *item = NULL;
    const char *active = specgen_spec_text(specgen_spec_at(spec, "numerics"), "active");
    cJSON_ArrayForEach(item, list) {
        if (strcmp(specgen_spec_text(item, "name"), active) == 0) {
            break;
        }
    }
    if (strcmp(lane, "none") == 0) {
        return 0;
    }
    const char *format = strcmp(lane, "int8") == 0 ? "operand" : "accumulator";
    return specgen_spec_int(specgen_spec_list(item, format), "bits") / 8;
}

static void add_unit(specgen_text *text, const char *name) {
    if (strcmp(name, "none") == 0) {
        specgen_text_add(text, "-1");
        return;
    }
    specgen_text_add(text, "TPU_UNIT_");
    specgen_text_upper(text, name);
}

static void write_stream(const specgen_spec *spec, const cJSON *item, specgen_text *text) {
    const cJSON *scalars = specgen_spec_list(item, "scalars");
    const char *name = specgen_spec_text(item, "name");
    int64_t head = 0;
    const cJSON *scalar = NULL;
    cJSON_ArrayForEach(scalar, scalars) {
        head += specgen_spec_int(scalar, "bytes");
    }
    specgen_text_add(text, "    {\"%s\", ", name);
    add_unit(text, specgen_spec_text(item, "writer"));
    specgen_text_add(text, ", ");
    add_unit(text, specgen_spec_text(item, "reader"));
    if (head == 0) {
        specgen_text_add(text, ", NULL");
    } else {
        specgen_text_add(text, ", ");
        add_identifier(text, name);
        specgen_text_add(text, "_fields");
    }
    specgen_text_add(text, ", %d, %" PRId64 ", %" PRId64 "},\n", cJSON_GetArraySize(scalars), head,
                     lane_bytes(spec, specgen_spec_text(item, "lane")));
}

static void write_streams(const specgen_spec *spec, specgen_text *text) {
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "streams")) {
        write_scalars(item, text);
    }
    specgen_text_add(text, "const tpu_stream_info tpu_streams[TPU_STREAM_COUNT] = {\n");
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "streams")) {
        write_stream(spec, item, text);
    }
    specgen_text_add(text, "};\n\n");
}

static void write_rule_cases(const specgen_spec *spec, const char *path, const char *key,
                             specgen_text *text) {
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, path)) {
        specgen_text_add(text, "    case TPU_%s:\n        return ",
                         specgen_spec_text(item, "constant"));
        specgen_text_literal(text, specgen_spec_text(item, key), ";");
        specgen_text_add(text, "\n");
    }
}

static void write_rule_function(const specgen_spec *spec, const char *function, const char *key,
                                specgen_text *text) {
    specgen_text_add(text, "const char *%s(unsigned value) {\n    switch (value) {\n", function);
    write_rule_cases(spec, "rules", key, text);
    write_rule_cases(spec, "faults", key, text);
    specgen_text_add(text, "    default:\n        return NULL;\n    }\n}\n\n");
}

static void write_operands(const specgen_opcode *op, specgen_text *text) {
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, op->operands) {
        const char *field = specgen_spec_text(item, "field");
        specgen_text_add(text, "        .operand[%c] = {\"%s\", ", field[1],
                         specgen_spec_text(item, "name"));
        specgen_text_literal(text, specgen_spec_text(item, "meaning"), "},");
        specgen_text_add(text, "\n");
    }
}

// Control opcodes are those whose every action is the sequencer's own.
static bool is_control(const specgen_spec *spec, const specgen_opcode *op) {
    int sequencer = specgen_spec_unit(spec, "sequencer");
    return sequencer >= 0 && specgen_derive_unit_mask(op) == 1u << sequencer;
}

static void write_opcode(const specgen_spec *spec, const specgen_opcode *op, specgen_text *text) {
    specgen_text_add(text, "    [TPU_%s] = {\n        .name = \"%s\",\n", op->constant, op->name);
    write_operands(op, text);
    if (strcmp(op->nr, "rows") == 0) {
        specgen_text_add(text, "        .has_rows = 1,\n");
    }
    if (strcmp(op->nr, "trips") == 0) {
        specgen_text_add(text, "        .is_loop = 1,\n");
    }
    if (op->retired) {
        specgen_text_add(text, "        .retired = 1,\n");
    }
    if (is_control(spec, op)) {
        specgen_text_add(text, "        .is_control = 1,\n");
    }
    specgen_text_add(text, "        .unit_mask = 0x%02X,\n    },\n", specgen_derive_unit_mask(op));
}

static void write_names(const specgen_spec *spec, const char *path, const char *array,
                        const char *prefix, specgen_text *text) {
    const cJSON *item = NULL;
    specgen_text_add(text, "const char *const %s[%sCOUNT] = {\n", array, prefix);
    cJSON_ArrayForEach(item, specgen_spec_at(spec, path)) {
        const char *name = specgen_spec_text(item, "name");
        specgen_text_add(text, "    [%s", prefix);
        specgen_text_upper(text, name);
        specgen_text_add(text, "] = \"%s\",\n", name);
    }
    specgen_text_add(text, "};\n\n");
}

tpu_status specgen_tables_write(const specgen_spec *spec, specgen_text *text, tpu_message *why) {
    specgen_write_notice(spec, "//", text);
    specgen_text_add(text, "// clang-format off\n\n#include \"spec/generated/tpu_isa.h\"\n\n");
    write_streams(spec, text);
    write_rule_function(spec, "tpu_rule_name", "name", text);
    write_rule_function(spec, "tpu_rule_text", "text", text);
    specgen_text_add(text, "const tpu_op_info tpu_ops[TPU_OP_COUNT] = {\n");
    for (size_t o = 0; o < spec->opcode_count; o++) {
        write_opcode(spec, &spec->opcode[o], text);
    }
    specgen_text_add(text, "};\n\n");
    write_names(spec, "units", "tpu_unit_names", "TPU_UNIT_", text);
    write_names(spec, "memories", "tpu_mem_names", "TPU_MEM_", text);
    return specgen_params_write(spec, text, why);
}
