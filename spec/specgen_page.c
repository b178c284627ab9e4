// SPDX-License-Identifier: Apache-2.0
//
// Writes isa.md: this file the frame and the instruction side, specgen_machine.c the units and
// memories, specgen_build.c the parameters and numerics.

#include "spec/specgen_page.h"

#include "spec/specgen_cells.h"
#include "spec/specgen_derive.h"
#include "spec/specgen_names.h"
#include "spec/specgen_write.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define CELL_WIDTH 12
#define SEGMENTS 64

// A run of bits in the layout picture; name "" for spare bits.
typedef struct segment {
    char name[CELL_WIDTH + 1];
    int lo;
    int hi;
} segment;

static void add_segment(segment *list, size_t *count, const char *name, int lo, int hi) {
    segment *one = &list[(*count)++];
    (void)snprintf(one->name, sizeof one->name, "%s", name);
    one->lo = lo;
    one->hi = hi;
}

// Neighbouring spare bits make one segment.
static void add_spares(const cJSON *bits, segment *list, size_t *count) {
    const cJSON *bit = NULL;
    int lo = -1;
    int hi = -2;
    cJSON_ArrayForEach(bit, bits) {
        int at = (int)specgen_spec_number(bit);
        if (at != hi + 1 && lo >= 0) {
            add_segment(list, count, "", lo, hi);
        }
        lo = at == hi + 1 ? lo : at;
        hi = at;
    }
    if (lo >= 0) {
        add_segment(list, count, "", lo, hi);
    }
}

static void sort_down(segment *list, size_t count) {
    for (size_t i = 1; i < count; i++) {
        for (size_t j = i; j > 0 && list[j].lo > list[j - 1].lo; j--) {
            segment held = list[j];
            list[j] = list[j - 1];
            list[j - 1] = held;
        }
    }
}

static void add_rule(specgen_text *text, size_t count) {
    for (size_t i = 0; i < count; i++) {
        specgen_text_add(text, "+------------");
    }
    specgen_text_add(text, "+\n");
}

static void add_centred(specgen_text *text, const char *word) {
    int room = CELL_WIDTH - (int)strlen(word);
    specgen_text_add(text, "|%*s%s%*s", room / 2, "", word, room - room / 2, "");
}

static void add_picture(specgen_text *text, const segment *list, size_t count) {
    add_rule(text, count);
    for (size_t i = 0; i < count; i++) {
        add_centred(text, list[i].name);
    }
    specgen_text_add(text, "|\n");
    for (size_t i = 0; i < count; i++) {
        char range[CELL_WIDTH + 1];
        (void)snprintf(range, sizeof range, "%d:%d", list[i].hi % 1000, list[i].lo % 1000);
        add_centred(text, range);
    }
    specgen_text_add(text, "|\n");
    add_rule(text, count);
}

static void picture_word0(const specgen_spec *spec, specgen_text *text) {
    segment list[SEGMENTS];
    size_t count = 0;
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "instruction_word.word0.fields")) {
        int lo = (int)specgen_spec_int(item, "lo");
        add_segment(list, &count, specgen_spec_text(item, "name"), lo,
                    lo + (int)specgen_spec_int(item, "width") - 1);
    }
    add_spares(specgen_spec_at(spec, "instruction_word.word0.spare_bits"), list, &count);
    sort_down(list, count);
    specgen_text_add(text, "```\nword 0\n");
    add_picture(text, list, count);
}

static void picture_word1(const specgen_spec *spec, specgen_text *text) {
    segment list[SEGMENTS];
    size_t count = 0;
    const cJSON *agu = specgen_spec_at(spec, "agu");
    int bits = (int)specgen_spec_int(agu, "term_bits");
    for (int i = 0; i < (int)specgen_spec_int(agu, "terms"); i++) {
        char name[CELL_WIDTH + 1];
        (void)snprintf(name, sizeof name, "term %d", i % 100);
        add_segment(list, &count, name, i * bits, (i + 1) * bits - 1);
    }
    add_spares(specgen_spec_at(spec, "instruction_word.word1.spare_bits"), list, &count);
    sort_down(list, count);
    specgen_text_add(text, "\nword 1\n");
    add_picture(text, list, count);
    count = 0;
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, specgen_spec_list(agu, "subfields")) {
        int lo = (int)specgen_spec_int(item, "lo");
        add_segment(list, &count, specgen_spec_text(item, "name"), lo,
                    lo + (int)specgen_spec_int(item, "width") - 1);
    }
    sort_down(list, count);
    specgen_text_add(text, "\none address term\n");
    add_picture(text, list, count);
    specgen_text_add(text, "```\n\n");
}

static void field_row(const cJSON *item, int64_t max, const char *role, specgen_text *text) {
    char bits[SPECGEN_NUMBER * 2];
    char width[SPECGEN_NUMBER];
    char range[SPECGEN_NUMBER + 8];
    int64_t lo = specgen_spec_int(item, "lo");
    int64_t wide = specgen_spec_int(item, "width");
    (void)snprintf(bits, sizeof bits, "[%" PRId64 ":%" PRId64 "]", lo, lo + wide);
    (void)snprintf(range, sizeof range, "0 .. %" PRId64, max);
    ROW(text, specgen_spec_text(item, "name"), bits, specgen_cells_number(width, wide), range,
        specgen_spec_text(item, role));
}

static void write_fields(const specgen_spec *spec, specgen_text *text) {
    const cJSON *item = NULL;
    specgen_text_add(text,
                     "### Fields of word 0\n\nRanges of bits are half open, lowest first.\n\n");
    HEAD(text, "field", "bits", "width", "usable range", "role");
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "instruction_word.word0.fields")) {
        field_row(item, specgen_names_usable(spec, specgen_spec_int(item, "width")), "role", text);
    }
    specgen_text_add(text, "\n");
    const cJSON *rule = specgen_spec_at(spec, "encoding_rule");
    specgen_cells_prose(text, specgen_spec_text(rule, "statement"));
    specgen_cells_prose(text, specgen_spec_text(rule, "exception"));
}

static void write_terms(const specgen_spec *spec, specgen_text *text) {
    const cJSON *agu = specgen_spec_at(spec, "agu");
    const cJSON *item = NULL;
    specgen_text_add(text,
                     "### Address terms of word 1\n\n%" PRId64 " terms of %" PRId64
                     " bits; term i begins at bit %" PRId64 " * i.\n\n",
                     specgen_spec_int(agu, "terms"), specgen_spec_int(agu, "term_bits"),
                     specgen_spec_int(agu, "term_bits"));
    HEAD(text, "subfield", "bits", "width", "usable range", "meaning");
    cJSON_ArrayForEach(item, specgen_spec_list(agu, "subfields")) {
        int64_t max = 0;
        specgen_names names = {.spec = spec};
        tpu_status status = specgen_names_eval(&names, specgen_spec_text(item, "max"), &max, NULL);
        TPU_CHECK(status == TPU_OK, "validation evaluated every subfield's limit");
        field_row(item, max, "meaning", text);
    }
    specgen_text_add(text, "\nA term resolves to `%s`.\n\n", specgen_spec_text(agu, "semantics"));
    HEAD(text, "target", "field");
    cJSON_ArrayForEach(item, specgen_spec_list(agu, "targets")) {
        char value[SPECGEN_NUMBER];
        ROW(text, specgen_cells_number(value, specgen_spec_int(item, "value")),
            specgen_spec_text(item, "field"));
    }
    specgen_text_add(text, "\n");
    specgen_cells_list(text, specgen_spec_list(agu, "rules"));
}

static void write_loops(const specgen_spec *spec, specgen_text *text) {
    const cJSON *stack = specgen_spec_at(spec, "loop_stack");
    const cJSON *frame = specgen_spec_list(stack, "frame");
    const cJSON *item = NULL;
    specgen_text_add(text, "### Loop stack\n\n%" PRId64 " frames of ",
                     specgen_spec_int(stack, "depth"));
    cJSON_ArrayForEach(item, frame) {
        specgen_text_add(text, "%s`%s`", item == frame->child ? "" : ", ", item->valuestring);
    }
    specgen_text_add(text, ".\n\n");
    specgen_cells_list(text, specgen_spec_list(stack, "semantics"));
    specgen_cells_list(text, specgen_spec_list(stack, "rules"));
}

void specgen_page_words(const specgen_spec *spec, specgen_text *text) {
    specgen_text_add(
        text,
        "## Instruction words\n\nAn instruction is %" PRId64 " words of %" PRId64
        " bits. Highest bit on the left.\n\n",
        specgen_spec_int(specgen_spec_at(spec, "instruction_word"), "words_per_instruction"),
        specgen_spec_int(specgen_spec_at(spec, "instruction_word"), "word_bits"));
    picture_word0(spec, text);
    picture_word1(spec, text);
    write_fields(spec, text);
    write_terms(spec, text);
    write_loops(spec, text);
}

static void add_operands(const specgen_opcode *op, specgen_text *text) {
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, op->operands) {
        specgen_text_add(text, "%s%s = `%s`: %s", item == op->operands->child ? "" : "; ",
                         specgen_spec_text(item, "field"), specgen_spec_text(item, "name"),
                         specgen_spec_text(item, "meaning"));
        const cJSON *legal = specgen_spec_list(item, "legal_values");
        const cJSON *value = NULL;
        cJSON_ArrayForEach(value, legal) {
            specgen_text_add(text, "%s%g%s", value == legal->child ? " (legal: " : ", ",
                             value->valuedouble, value->next == NULL ? ")" : "");
        }
    }
}

static void add_units(const specgen_spec *spec, const specgen_opcode *op, specgen_text *text) {
    unsigned mask = specgen_derive_unit_mask(op);
    bool any = false;
    for (size_t u = 0; u < spec->unit_count; u++) {
        if ((mask >> u & 1u) != 0) {
            specgen_text_add(text, "%s%s", any ? ", " : "", spec->unit[u].name);
            any = true;
        }
    }
}

static void write_opcode_table(const specgen_spec *spec, specgen_text *text) {
    HEAD(text, "constant", "value", "name", "what it does", "operands", "nr", "units");
    for (size_t o = 0; o < spec->opcode_count; o++) {
        const specgen_opcode *op = &spec->opcode[o];
        specgen_text operands = {0};
        specgen_text units = {0};
        char value[SPECGEN_NUMBER];
        add_operands(op, &operands);
        add_units(spec, op, &units);
        ROW(text, op->constant, specgen_cells_number(value, op->value), op->name, op->meaning,
            operands.data, op->rows == NULL ? "none" : op->rows, units.data);
        specgen_text_clear(&operands);
        specgen_text_clear(&units);
    }
    specgen_text_add(text, "\nThe column of units is computed from the actions.\n\n");
}

static void write_flags(const specgen_spec *spec, specgen_text *text) {
    HEAD(text, "constant", "opcode, operand", "mask", "flag", "meaning");
    for (size_t o = 0; o < spec->opcode_count; o++) {
        const cJSON *operand = NULL;
        cJSON_ArrayForEach(operand, spec->opcode[o].operands) {
            const cJSON *flag = NULL;
            cJSON_ArrayForEach(flag, specgen_spec_list(operand, "bitflags")) {
                char mask[SPECGEN_NUMBER];
                char where[80];
                (void)snprintf(where, sizeof where, "%s, %s", spec->opcode[o].name,
                               specgen_spec_text(operand, "name"));
                ROW(text, specgen_spec_text(flag, "constant"), where,
                    specgen_cells_number(mask, specgen_spec_int(flag, "mask")),
                    specgen_spec_text(flag, "name"), specgen_spec_text(flag, "meaning"));
            }
        }
    }
    specgen_text_add(text, "\n");
}

static void write_actions(const specgen_spec *spec, specgen_text *text) {
    static const char *const kinds[] = {"read", "write", "compute", "emit", "receive"};
    specgen_text_add(text, "### Actions\n\nAn instruction is an ordered list of effects, each of "
                           "one unit through one of its ports.\n\n");
    HEAD(text, "opcode", "unit", "port", "kind", "state or function", "base", "items", "only if");
    for (size_t o = 0; o < spec->opcode_count; o++) {
        for (size_t i = 0; i < spec->opcode[o].action_count; i++) {
            const specgen_action *action = &spec->opcode[o].action[i];
            const specgen_unit *unit = &spec->unit[action->unit];
            const char *items = action->count != NULL ? action->count : "1";
            ROW(text, spec->opcode[o].name, unit->name, unit->port[action->port].name,
                kinds[action->kind], action->state != NULL ? action->state : action->compute,
                action->base, action->per_instruction ? items : "nr", action->when);
        }
    }
    specgen_text_add(text, "\n");
    HEAD(text, "function", "inputs", "meaning");
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "primitives")) {
        char args[SPECGEN_NUMBER];
        ROW(text, specgen_spec_text(item, "name"),
            specgen_cells_number(args, specgen_spec_int(item, "args")),
            specgen_spec_text(item, "meaning"));
    }
    specgen_text_add(text, "\n");
}

void specgen_page_opcodes(const specgen_spec *spec, specgen_text *text) {
    specgen_text_add(text, "## Opcodes\n\n");
    write_opcode_table(spec, text);
    write_flags(spec, text);
    write_actions(spec, text);
}

static void write_consumers(const specgen_spec *spec, specgen_text *text) {
    const cJSON *item = NULL;
    HEAD(text, "path", "held", "note");
    cJSON_ArrayForEach(item, specgen_spec_at(spec, "consumers")) {
        ROW(text, specgen_spec_text(item, "path"), specgen_spec_text(item, "held"),
            specgen_spec_text(item, "note"));
    }
    specgen_text_add(text, "\n");
}

tpu_status specgen_page_write(const specgen_spec *spec, specgen_text *text, tpu_message *why) {
    specgen_text_add(text,
                     "<!-- generated from spec/isa_spec.json by specgen, do not edit\n"
                     "     input FNV-1a 64: 0x%016" PRIx64 "\n"
                     "     SPDX-License-Identifier: Apache-2.0 -->\n\n# The ISA of %s\n\n",
                     spec->hash, specgen_spec_text(spec->root, "name"));
    specgen_cells_list(text, specgen_spec_at(spec, "about"));
    write_consumers(spec, text);
    specgen_page_words(spec, text);
    specgen_page_opcodes(spec, text);
    specgen_build_properties(spec, text);
    tpu_status status = specgen_machine_units(spec, text, why);
    if (status != TPU_OK) {
        return status;
    }
    specgen_machine_memories(spec, text);
    return specgen_build_page(spec, text, why);
}
