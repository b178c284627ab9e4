// SPDX-License-Identifier: Apache-2.0
//
// Writes tpu_isa.h: the numbers and names of the machine as C sees them.

#include "spec/specgen_names.h"
#include "spec/specgen_write.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void specgen_write_notice(const specgen_spec *spec, const char *mark, specgen_text *text) {
    specgen_text_add(text, "%s generated from spec/isa_spec.json by specgen, do not edit\n", mark);
    specgen_text_add(text, "%s input FNV-1a 64: 0x%016" PRIx64 "\n", mark, spec->hash);
    specgen_text_add(text, "%s SPDX-License-Identifier: Apache-2.0\n\n", mark);
}

static void define(specgen_text *text, const char *name, const char *tail, int64_t value) {
    specgen_text_add(text, "#define TPU_");
    specgen_text_upper(text, name);
    specgen_text_add(text, "%s %" PRId64 "\n", tail, value);
}

static void define_bits(specgen_text *text, const char *prefix, const cJSON *list) {
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, list) {
        char name[48];
        (void)snprintf(name, sizeof name, "%s%s", prefix, specgen_spec_text(item, "name"));
        define(text, name, "_LO", specgen_spec_int(item, "lo"));
        define(text, name, "_WIDTH", specgen_spec_int(item, "width"));
    }
}

static void write_words(const specgen_spec *spec, specgen_text *text) {
    const cJSON *agu = specgen_spec_at(spec, "agu");
    specgen_text_add(text, "/* Instruction words */\n");
    define(text, "IWORDS", "",
           specgen_spec_int(specgen_spec_at(spec, "instruction_word"), "words_per_instruction"));
    define(text, "WORD_BITS", "",
           specgen_spec_int(specgen_spec_at(spec, "instruction_word"), "word_bits"));
    define(text, "FIELDS", "", (int64_t)specgen_spec_count(spec, "agu.targets") - 1);
    define_bits(text, "", specgen_spec_at(spec, "instruction_word.word0.fields"));
    define(text, "AGU_TERMS", "", specgen_spec_int(agu, "terms"));
    define(text, "AGU_TERM_BITS", "", specgen_spec_int(agu, "term_bits"));
    define_bits(text, "AGU_", specgen_spec_list(agu, "subfields"));
    define(text, "LOOP_DEPTH", "", specgen_spec_int(specgen_spec_at(spec, "loop_stack"), "depth"));
}

static tpu_status write_subfield_limits(const specgen_spec *spec, specgen_text *text,
                                        tpu_message *why) {
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "agu.subfields")) {
        char name[48];
        int64_t value = 0;
        specgen_names names = {.spec = spec};
        tpu_status status = specgen_names_eval(&names, specgen_spec_text(item, "max"), &value, why);
        if (status != TPU_OK) {
            return status;
        }
        (void)snprintf(name, sizeof name, "agu_%s", specgen_spec_text(item, "name"));
        define(text, name, "_MAX", value);
    }
    return TPU_OK;
}

static tpu_status write_limits(const specgen_spec *spec, specgen_text *text, tpu_message *why) {
    static const char *const fixed[] = {"AR_RAW_DIST", "NHDR", "COUNT_MAX"};
    int64_t value = 0;
    specgen_text_add(text, "\n/* Limits */\n");
    if (specgen_names_fixed(spec, "OP_WIDTH", &value)) {
        define(text, "OP_MAX", "", specgen_names_usable(spec, value));
    }
    if (specgen_names_fixed(spec, "FIELD_MAX", &value)) {
        define(text, "FIELD_MAX", "", value);
    }
    tpu_status status = write_subfield_limits(spec, text, why);
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++) {
        if (specgen_names_fixed(spec, fixed[i], &value)) {
            define(text, fixed[i], "", value);
        }
    }
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "derived_constants")) {
        const char *name = specgen_spec_text(item, "name");
        if (specgen_names_constant(spec, name, &value)) {
            define(text, name, "", value);
        }
    }
    return status;
}

static void write_flags(const specgen_spec *spec, specgen_text *text) {
    for (size_t o = 0; o < spec->opcode_count; o++) {
        const cJSON *operand = NULL;
        cJSON_ArrayForEach(operand, spec->opcode[o].operands) {
            const cJSON *flags = specgen_spec_list(operand, "bitflags");
            if (flags != NULL) {
                specgen_text_add(text, "\n/* %s of %s */\n", specgen_spec_text(operand, "name"),
                                 spec->opcode[o].name);
            }
            const cJSON *flag = NULL;
            cJSON_ArrayForEach(flag, flags) {
                define(text, specgen_spec_text(flag, "constant"), "",
                       specgen_spec_int(flag, "mask"));
            }
        }
    }
}

static void write_opcodes(const specgen_spec *spec, specgen_text *text) {
    int top = 0;
    specgen_text_add(text, "\ntypedef enum tpu_op {\n");
    for (size_t o = 0; o < spec->opcode_count; o++) {
        const specgen_opcode *op = &spec->opcode[o];
        specgen_text_add(text, "    TPU_%s = %d,\n", op->constant, op->value);
        top = op->value > top ? op->value : top;
    }
    specgen_text_add(text, "    TPU_OP_COUNT = %d\n} tpu_op;\n", top + 1);
}

static void write_enum(const specgen_spec *spec, const char *path, const char *type,
                       const char *prefix, specgen_text *text) {
    const cJSON *item = NULL;
    specgen_text_add(text, "\ntypedef enum %s {\n", type);
    cJSON_ArrayForEach(item, specgen_spec_at(spec, path)) {
        specgen_text_add(text, "    %s", prefix);
        specgen_text_upper(text, specgen_spec_text(item, "name"));
        specgen_text_add(text, ",\n");
    }
    specgen_text_add(text, "    %sCOUNT\n} %s;\n", prefix, type);
}

static size_t head_bytes(const cJSON *stream) {
    int64_t bytes = 0;
    const cJSON *scalar = NULL;
    cJSON_ArrayForEach(scalar, specgen_spec_list(stream, "scalars")) {
        bytes += specgen_spec_int(scalar, "bytes");
    }
    return (size_t)bytes;
}

static void write_stream_note(const cJSON *item, specgen_text *text) {
    const char *reader = specgen_spec_text(item, "reader");
    const cJSON *opcodes = specgen_spec_list(item, "opcodes");
    specgen_text_pad(text, 29);
    specgen_text_add(text, "/* \"%s\" %s", specgen_spec_text(item, "name"),
                     specgen_spec_text(item, "writer"));
    if (strcmp(reader, "none") != 0) {
        specgen_text_add(text, " -> %s", reader);
    }
    const cJSON *opcode = NULL;
    cJSON_ArrayForEach(opcode, opcodes) {
        specgen_text_add(text, "%s%s", opcode == opcodes->child ? ", by " : ", ",
                         opcode->valuestring);
    }
    specgen_text_add(text, " */\n");
}

static void write_streams(const specgen_spec *spec, specgen_text *text) {
    size_t widest = 0;
    const cJSON *item = NULL;
    specgen_text_add(text,
                     "\n/** Streams: rows whose contents and order do not depend on timing. */\n"
                     "typedef enum tpu_stream {\n");
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "streams")) {
        specgen_text_add(text, "    TPU_STREAM_");
        specgen_text_upper(text, specgen_spec_text(item, "name"));
        specgen_text_add(text, ",");
        write_stream_note(item, text);
        widest = head_bytes(item) > widest ? head_bytes(item) : widest;
    }
    specgen_text_add(text, "    TPU_STREAM_COUNT\n} tpu_stream;\n");
    specgen_text_add(text,
                     "\n/* Bytes of the scalars of the widest stream row; T lanes follow. */\n"
                     "#define TPU_STREAM_HEAD_MAX %zu\n",
                     widest);
}

static void write_rules(const specgen_spec *spec, specgen_text *text) {
    int64_t top = 0;
    const cJSON *item = NULL;
    specgen_text_add(text,
                     "\n/**\n * Rules of a legal program: what check names, and what the fault "
                     "register holds when the\n * machine met a program that broke one. The "
                     "TPU_FAULT values are the machine's alone.\n */\n"
                     "typedef enum tpu_rule {\n    TPU_RULE_NONE = 0,\n");
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "rules")) {
        int64_t value = specgen_spec_int(item, "value");
        top = value > top ? value : top;
        specgen_text_add(text, "    TPU_%s = %" PRId64 ",", specgen_spec_text(item, "constant"),
                         value);
        specgen_text_pad(text, 36);
        specgen_text_add(text, " /* %s */\n", specgen_spec_text(item, "name"));
    }
    specgen_text_add(text, "    TPU_RULE_COUNT = %" PRId64, top + 1);
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "faults")) {
        specgen_text_add(text, ",\n    TPU_%s = %" PRId64, specgen_spec_text(item, "constant"),
                         specgen_spec_int(item, "value"));
    }
    specgen_text_add(text, "\n} tpu_rule;\n");
}

static void write_registers(const specgen_spec *spec, specgen_text *text) {
    const cJSON *item = NULL;
    specgen_text_add(text, "\n/* AXI4-Lite registers: byte offsets. */\n");
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "registers")) {
        specgen_text_add(text, "#define TPU_REG_%s 0x%03" PRIX64 "\n",
                         specgen_spec_text(item, "name"),
                         (uint64_t)specgen_spec_int(item, "offset"));
    }
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "registers")) {
        if (specgen_spec_list(item, "value") != NULL) {
            specgen_text_add(text, "#define TPU_REG_%s_VALUE 0x%08" PRIX64 "u\n",
                             specgen_spec_text(item, "name"),
                             (uint64_t)specgen_spec_int(item, "value"));
        }
    }
}

// Declarations that do not depend on the numbers.
static const char *const stream_types =
    "\n/** One scalar at the head of a stream row. Rows are byte strings, little-endian. */\n"
    "typedef struct tpu_stream_field {\n"
    "    const char *name;\n"
    "    uint8_t offset; /**< bytes from the start of the row */\n"
    "    uint8_t bytes;\n"
    "} tpu_stream_field;\n"
    "\n"
    "typedef struct tpu_stream_info {\n"
    "    const char *name;\n"
    "    tpu_unit unit; /**< the unit that writes it */\n"
    "    int reader;    /**< tpu_unit of the reader, -1 when no unit reads it */\n"
    "    const tpu_stream_field *fields;\n"
    "    size_t field_count;\n"
    "    uint8_t head_bytes; /**< bytes of all scalars; the lanes start here */\n"
    "    uint8_t lane_bytes; /**< 0 without lanes, 1 for int8, 4 for int32 */\n"
    "} tpu_stream_info;\n"
    "\n"
    "extern const tpu_stream_info tpu_streams[TPU_STREAM_COUNT];\n";

static const char *const opcode_types =
    "\n/** Name such as \"prog.empty\" or \"fault.bus\"; NULL when the value is unknown. */\n"
    "const char *tpu_rule_name(unsigned value);\n"
    "\n/** One sentence: what the rule demands, or what the fault says; NULL when unknown. */\n"
    "const char *tpu_rule_text(unsigned value);\n"
    "\n/** How an opcode names one field; name NULL = the opcode does not use the field. */\n"
    "typedef struct tpu_operand_info {\n"
    "    const char *name;\n"
    "    const char *meaning;\n"
    "} tpu_operand_info;\n"
    "\n"
    "typedef struct tpu_op_info {\n"
    "    const char *name;\n"
    "    tpu_operand_info operand[TPU_FIELDS]; /**< by field f0..f3 */\n"
    "    uint8_t has_rows;                     /**< nr is a row count */\n"
    "    uint8_t is_loop;                      /**< nr is a trip count */\n"
    "    uint8_t retired;\n"
    "    uint8_t is_control; /**< kept by the sequencer, never issued */\n"
    "    uint8_t unit_mask;  /**< bit u: the opcode has work for unit u */\n"
    "} tpu_op_info;\n"
    "\n"
    "extern const tpu_op_info tpu_ops[TPU_OP_COUNT];\n"
    "extern const char *const tpu_unit_names[TPU_UNIT_COUNT];\n"
    "extern const char *const tpu_mem_names[TPU_MEM_COUNT];\n";

static const char *const param_types =
    "typedef struct tpu_param_info {\n"
    "    const char *name;\n"
    "    const char *env; /**< environment variable */\n"
    "    uint32_t min;\n"
    "    uint32_t max; /**< UINT32_MAX = unbounded */\n"
    "    const char *role;\n"
    "} tpu_param_info;\n"
    "extern const tpu_param_info tpu_param_infos[TPU_PARAM_COUNT];\n"
    "\n/** A condition between parameters; value[] in parameter order. */\n"
    "typedef struct tpu_constraint {\n"
    "    const char *expression;\n"
    "    const char *why;\n"
    "    int (*holds)(const uint64_t value[TPU_PARAM_COUNT]);\n"
    "} tpu_constraint;\n"
    "extern const tpu_constraint tpu_constraints[];\n"
    "extern const size_t tpu_constraint_count;\n"
    "\n/**\n"
    " * Default of parameter `index`, given the values of the parameters before it.\n"
    " * @param widen  non-zero takes the widened default of the parameters that have one.\n"
    " */\n"
    "uint64_t tpu_param_default(size_t index, const uint64_t value[TPU_PARAM_COUNT], int widen);\n";

static void write_params(const specgen_spec *spec, specgen_text *text) {
    const cJSON *list = specgen_spec_at(spec, "parameters");
    const cJSON *item = NULL;
    specgen_text_add(text, "\n/** A build parameter. Order: ");
    cJSON_ArrayForEach(item, list) {
        specgen_text_add(text, "%s%s", item == list->child ? "" : ", ",
                         specgen_spec_text(item, "name"));
    }
    specgen_text_add(text, ". */\n#define TPU_PARAM_COUNT %d\n%s", cJSON_GetArraySize(list),
                     param_types);
}

tpu_status specgen_header_write(const specgen_spec *spec, specgen_text *text, tpu_message *why) {
    specgen_write_notice(spec, "//", text);
    specgen_text_add(
        text, "// clang-format off\n\n#ifndef TPU_ISA_H\n#define TPU_ISA_H\n\n#include <stddef.h>\n"
              "#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    specgen_text_add(text, "#define TPU_SPEC_HASH 0x%016" PRIx64 "ull\n\n", spec->hash);
    write_words(spec, text);
    tpu_status status = write_limits(spec, text, why);
    write_flags(spec, text);
    write_opcodes(spec, text);
    write_enum(spec, "units", "tpu_unit", "TPU_UNIT_", text);
    write_enum(spec, "memories", "tpu_mem", "TPU_MEM_", text);
    write_streams(spec, text);
    specgen_text_add(text, "%s", stream_types);
    write_rules(spec, text);
    specgen_text_add(text, "%s", opcode_types);
    write_params(spec, text);
    write_registers(spec, text);
    specgen_text_add(text, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
    return status;
}
