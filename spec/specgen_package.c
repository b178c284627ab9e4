// SPDX-License-Identifier: Apache-2.0
//
// Writes tpu_isa_pkg.sv: the same numbers for the RTL, typed localparams only, so that Verilator,
// Yosys and Icarus all read them as tpu_isa_pkg::NAME.

#include "spec/specgen_names.h"
#include "spec/specgen_write.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define VALUE_COLUMN 48

static void add_int(specgen_text *text, const char *prefix, const char *name, const char *tail,
                    int64_t value) {
    specgen_text_add(text, "  localparam int %s", prefix);
    specgen_text_upper(text, name);
    specgen_text_add(text, "%s", tail);
    specgen_text_pad(text, VALUE_COLUMN);
    specgen_text_add(text, " = %" PRId64 ";\n", value);
}

// A sized constant; decimal unless it is a register offset.
static void add_logic(specgen_text *text, int width, const char *prefix, const char *name,
                      const char *base, int64_t value) {
    specgen_text_add(text, "  localparam logic [%d:0] %s", width - 1, prefix);
    specgen_text_upper(text, name);
    specgen_text_pad(text, VALUE_COLUMN);
    if (base[0] == 'h') {
        specgen_text_add(text, " = %d'h%0*" PRIX64 ";\n", width, (width + 3) / 4, (uint64_t)value);
    } else {
        specgen_text_add(text, " = %d'd%" PRId64 ";\n", width, value);
    }
}

static void title(specgen_text *text, const char *words) {
    specgen_text_add(text, "\n  // %s\n", words);
}

static void write_bits(const cJSON *list, const char *prefix, specgen_text *text) {
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, list) {
        const char *name = specgen_spec_text(item, "name");
        add_int(text, prefix, name, "_LO", specgen_spec_int(item, "lo"));
        add_int(text, prefix, name, "_WIDTH", specgen_spec_int(item, "width"));
    }
}

static void write_words(const specgen_spec *spec, specgen_text *text) {
    const cJSON *agu = specgen_spec_at(spec, "agu");
    static const char *const fixed[] = {"IWORDS", "WORD_BITS",   "AGU_TERMS", "LOOP_DEPTH",
                                        "NHDR",   "AR_RAW_DIST", "COUNT_MAX", "FIELD_MAX"};
    title(text, "Instruction words and limits");
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++) {
        int64_t value = 0;
        if (specgen_names_fixed(spec, fixed[i], &value)) {
            add_int(text, "", fixed[i], "", value);
        }
    }
    add_int(text, "", "FIELDS", "", (int64_t)specgen_spec_count(spec, "agu.targets") - 1);
    add_int(text, "", "COUNT_WIDTH", "",
            specgen_spec_int(specgen_spec_at(spec, "imem"), "count_slice_width"));
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "derived_constants")) {
        const char *name = specgen_spec_text(item, "name");
        int64_t value = 0;
        if (specgen_names_constant(spec, name, &value)) {
            add_int(text, "", name, "", value);
        }
    }
    title(text, "Fields of word 0");
    write_bits(specgen_spec_at(spec, "instruction_word.word0.fields"), "", text);
    title(text, "An address term of word 1; term i starts at i * AGU_TERM_BITS");
    add_int(text, "", "AGU_TERM_BITS", "", specgen_spec_int(agu, "term_bits"));
    write_bits(specgen_spec_list(agu, "subfields"), "AGU_", text);
    cJSON_ArrayForEach(item, specgen_spec_list(agu, "subfields")) {
        int64_t value = 0;
        specgen_names names = {.spec = spec};
        tpu_status status =
            specgen_names_eval(&names, specgen_spec_text(item, "max"), &value, NULL);
        TPU_CHECK(status == TPU_OK, "validation evaluated every subfield's limit");
        add_int(text, "AGU_", specgen_spec_text(item, "name"), "_MAX", value);
    }
}

static void write_targets(const specgen_spec *spec, specgen_text *text) {
    const cJSON *subfield = cJSON_GetArrayItem(specgen_spec_at(spec, "agu.subfields"), 0);
    int width = (int)specgen_spec_int(subfield, "width");
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "agu.targets")) {
        add_logic(text, width, "AGU_", specgen_spec_text(item, "field"), "d",
                  specgen_spec_int(item, "value"));
    }
}

static void write_header_words(const specgen_spec *spec, specgen_text *text) {
    title(text, "Header words: index of the word, lowest bit of the count");
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "imem.entries")) {
        const char *name = specgen_spec_text(item, "name");
        add_int(text, "HDR_", name, "_INDEX", specgen_spec_int(item, "index"));
        add_int(text, "HDR_", name, "_LO", specgen_spec_int(item, "lo"));
    }
}

static void write_opcodes(const specgen_spec *spec, specgen_text *text) {
    int64_t width = 0;
    bool known = specgen_names_fixed(spec, "OP_WIDTH", &width);
    TPU_CHECK(known, "validation demands a field named op");
    title(text, "Opcodes");
    for (size_t o = 0; o < spec->opcode_count; o++) {
        add_logic(text, (int)width, "", spec->opcode[o].constant, "d", spec->opcode[o].value);
    }
    for (size_t o = 0; o < spec->opcode_count; o++) {
        const cJSON *operand = NULL;
        cJSON_ArrayForEach(operand, spec->opcode[o].operands) {
            const cJSON *flag = NULL;
            cJSON_ArrayForEach(flag, specgen_spec_list(operand, "bitflags")) {
                add_int(text, "", specgen_spec_text(flag, "constant"), "",
                        specgen_spec_int(flag, "mask"));
            }
        }
    }
}

static void write_indices(const specgen_spec *spec, const char *path, const char *prefix,
                          bool byte_wide, specgen_text *text) {
    const cJSON *item = NULL;
    int64_t index = 0;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, path)) {
        const char *name = specgen_spec_text(item, "name");
        if (byte_wide) {
            add_logic(text, 8, prefix, name, "d", index++);
        } else {
            add_int(text, prefix, name, "", index++);
        }
    }
    add_int(text, prefix, "COUNT", "", index);
}

static void write_valued(const specgen_spec *spec, const char *path, int width, const char *prefix,
                         const char *key, specgen_text *text) {
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, path)) {
        add_logic(text, width, prefix, specgen_spec_text(item, key), "d",
                  specgen_spec_int(item, "value"));
    }
}

static void write_registers(const specgen_spec *spec, specgen_text *text) {
    const cJSON *item = NULL;
    title(text, "AXI4-Lite registers: byte offsets");
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "registers")) {
        add_logic(text, 12, "REG_", specgen_spec_text(item, "name"), "h",
                  specgen_spec_int(item, "offset"));
    }
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "registers")) {
        if (specgen_spec_list(item, "value") != NULL) {
            char name[48];
            (void)snprintf(name, sizeof name, "%s_VALUE", specgen_spec_text(item, "name"));
            add_logic(text, 32, "REG_", name, "h", specgen_spec_int(item, "value"));
        }
    }
}

tpu_status specgen_package_write(const specgen_spec *spec, specgen_text *text, tpu_message *why) {
    (void)why;
    specgen_write_notice(spec, "//", text);
    specgen_text_add(text, "package tpu_isa_pkg;\n");
    specgen_text_add(text, "  localparam logic [63:0] SPEC_HASH = 64'h%016" PRIX64 ";\n",
                     spec->hash);
    write_words(spec, text);
    write_targets(spec, text);
    write_header_words(spec, text);
    write_opcodes(spec, text);
    title(text, "Units");
    write_indices(spec, "units", "UNIT_", true, text);
    title(text, "Memories");
    write_indices(spec, "memories", "MEM_", false, text);
    title(text, "Streams");
    write_indices(spec, "streams", "STREAM_", false, text);
    title(text, "What a unit did in a cycle, and what it waits for besides a stream");
    write_valued(spec, "probe.states", 2, "STATE_", "name", text);
    write_valued(spec, "probe.waits", 5, "WAIT_", "name", text);
    title(text, "Rules and faults");
    add_logic(text, 8, "RULE_", "NONE", "d", 0);
    write_valued(spec, "rules", 8, "", "constant", text);
    write_valued(spec, "faults", 8, "", "constant", text);
    write_registers(spec, text);
    specgen_text_add(text, "endpackage : tpu_isa_pkg\n");
    return TPU_OK;
}
