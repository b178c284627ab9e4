// SPDX-License-Identifier: Apache-2.0
//
// specgen as a command: the real specification passes; every single-point edit is refused with a
// sentence that names the place; bad input leaves the outputs as they were.

#include "base/rng.h"
#include "spec/specgen_drift.h"
#include "spec/specgen_output.h"
#include "tests/support/spec_edit.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// One edit and a part of the sentence that has to name its place.
typedef struct edit {
    char from[128];
    char to[192];
    char place[96];
} edit;

Test(specgen, the_real_specification_passes_and_nothing_is_stale, .timeout = 60) {
    char *argv[] = {(char[]){"specgen"}, (char[]){"--check"}};
    char said[1024] = {0};
    FILE *err = tmpfile();
    FILE *out = tmpfile();
    int code = specgen_run(2, argv, specgen_drift_check, out, err);
    rewind(err);
    (void)fread(said, 1, sizeof said - 1, err);
    (void)fclose(err);
    (void)fclose(out);
    cr_assert_eq(code, 0, "%s", said);
}

// Edits that make the specification contradict itself. Nothing may be written from them.
static void expect_contradiction(const edit *one) {
    spec_edit copy;
    spec_edit_open(&copy);
    spec_edit_replace(&copy, one->from, one->to);
    int code = spec_edit_run(&copy, "--check", NULL);
    cr_expect_eq(code, 2, "%s -> %s gave %d: %s", one->from, one->to, code, copy.said);
    cr_expect_not_null(strstr(copy.said, one->place), "%s is not in: %s", one->place, copy.said);
    cr_expect_not_null(strstr(copy.said, "spec.json: "), "the file is not named: %s", copy.said);
    spec_edit_close(&copy);
}

ParameterizedTestParameters(specgen,
                            an_edit_of_words_or_opcodes_that_contradicts_the_rest_is_refused) {
    static edit edits[] = {
        {"\"f0\", \"lo\": 6, \"width\": 12", "\"f0\", \"lo\": 6, \"width\": 13",
         "instruction_word.word0.fields[2]: bit 18"},
        {"\"nr\", \"lo\": 54, \"width\": 8", "\"nr\", \"lo\": 54, \"width\": 7",
         "instruction_word.word0: bit 61 belongs to nothing"},
        {"[62, 63]", "[63]", "instruction_word.word0: bit 62 belongs to nothing"},
        {"\"terms\": 3", "\"terms\": 2", "instruction_word.word1: bit 38"},
        {"\"lo\": 4, \"width\": 3", "\"lo\": 4, \"width\": 2", "agu.subfields: bit 6"},
        {"\"max\": \"LOOP_DEPTH - 1\"", "\"max\": \"LOOP_DEPTH\"", "agu.subfields[1]"},
        {"\"depth\": 4", "\"depth\": 5", "agu.subfields[1]: max is 4"},
        {"\"OP_VADD\", \"value\": 5", "\"OP_VADD\", \"value\": 4", "opcodes[5]"},
        {"\"name\": \"vrelu\", \"constant\"", "\"name\": \"vadd\", \"constant\"",
         "opcodes[6].name: found 'vadd', which opcodes[5]"},
        {"\"nr\": \"trips\"", "\"nr\": \"turns\"", "opcodes[8]: found nr 'turns'"},
    };
    return cr_make_param_array(edit, edits, sizeof edits / sizeof edits[0]);
}

ParameterizedTest(const edit *one, specgen,
                  an_edit_of_words_or_opcodes_that_contradicts_the_rest_is_refused) {
    expect_contradiction(one);
}

ParameterizedTestParameters(specgen, an_edit_of_an_action_that_contradicts_the_rest_is_refused) {
    static edit edits[] = {
        {"{\"unit\": \"vru\", \"kind\": \"emit\"", "{\"unit\": \"vpu\", \"kind\": \"emit\"",
         "opcodes[4].actions[5]: found unit 'vpu'"},
        {"\"port\": \"mac\", \"compute\"", "\"port\": \"mul\", \"compute\"",
         "opcodes[4].actions[7]: found port 'mul'"},
        {"\"kind\": \"emit\", \"port\": \"acol\"", "\"kind\": \"send\", \"port\": \"acol\"",
         "opcodes[4].actions[5]: found kind 'send'"},
        {"\"state\": \"spad\", \"base\": \"spad0\"", "\"state\": \"spud\", \"base\": \"spad0\"",
         "opcodes[3].actions[0].state"},
        {"\"base\": \"spad_w\"", "\"base\": \"spad_x\"", "opcodes[4].actions[0].base"},
        {"\"emit\", \"port\": \"wcol\", \"count\": \"T + 1\"",
         "\"emit\", \"port\": \"wcol\", \"count\": \"T\"", "opcodes[4].actions[1].port"},
        {"{\"unit\": \"dma_st\", \"kind\": \"receive\", \"port\": \"ac2sp\", \"into\": "
         "\"clipped_in\"},",
         "", "opcodes[7].actions[2].port: found 'ac2sp'"},
        {"\"compute\": \"max0\", \"args\": [\"before\"]",
         "\"compute\": \"max0\", \"args\": [\"after\"]", "opcodes[6].actions[1].args"},
        {"\"compute\": \"to_operand\"", "\"compute\": \"to_bytes\"",
         "opcodes[7].actions[1].compute"},
        {"\"when\": \"acc == 1\"", "\"when\": \"ack == 1\"", "opcodes[4].actions[10].when"},
        {"\"(mode & 1) == 0\"", "\"(mode & 1) == 1\"", "opcodes[1].actions: the work of dma_ld"},
        {"{\"name\": \"alu\", \"physical\": 2}", "{\"name\": \"alu\", \"physical\": 0}",
         "units[5].ports[3].physical"},
        {"{\"name\": \"ar.read\"}", "{\"name\": \"ar.read\", \"physical\": 2}", "dispatch.notes"},
        {"\"opcode\": \"vaddrelu\", \"unit\": \"accu\"",
         "\"opcode\": \"vrelu\", \"unit\": \"accu\"", "dispatch.notes"},
    };
    return cr_make_param_array(edit, edits, sizeof edits / sizeof edits[0]);
}

ParameterizedTest(const edit *one, specgen,
                  an_edit_of_an_action_that_contradicts_the_rest_is_refused) {
    expect_contradiction(one);
}

ParameterizedTestParameters(specgen, an_edit_of_a_number_that_contradicts_the_rest_is_refused) {
    static edit edits[] = {
        {"\"index\": 4, \"lo\": 16", "\"index\": 4, \"lo\": 8", "imem.entries[5]: bit 8"},
        {"\"TPU_QD\", \"default\": \"16\"", "\"TPU_QD\", \"default\": \"1\"",
         "parameters[6].default"},
        {"\"MAXDIM % T == 0\"", "\"MAXDIM % == 0\"", "constraints[1].expression"},
        {"\"role\": \"rows of the scratchpad\"", "\"role\": \"\"", "parameters[2].role"},
        {"\"addressing\": [88,", "\"addressing\": [90,",
         "derived_properties[3].expect.addressing[0]: found 90"},
        {"m ** 3 // t ** 2", "m ** 3 // t", "derived_properties[3].expect.cubic_header[0]"},
        {"\"accu\": 2049", "\"accu\": 2048", "derived_properties[4].expect.over[2].accu"},
        {"\"legal_values\": [0, 1]}", "\"legal_values\": [0, 1, 2]}",
         "derived_properties[1].expect.trip"},
        {"2 ** (width - 1) - 1\",", "2 ** width - 1\",", "derived_properties[3]"},
        {"\"active\": \"int8\"", "\"active\": \"int4\"", "numerics.active"},
        {"\"max\": 127, \"rounding\"", "\"max\": 126, \"rounding\"",
         "numerics.configurations[0]: output"},
        {"\"name\": \"int8\",\n        \"operand\": {\"format\": \"integer\", \"signed\": true, "
         "\"bits\": 8",
         "\"name\": \"int8\",\n        \"operand\": {\"format\": \"integer\", \"signed\": true, "
         "\"bits\": 9",
         "numerics.configurations[0]: lanes"},
        {"\"RULE_LOOP_TRIP\", \"value\": 4", "\"RULE_LOOP_TRIP\", \"value\": 5",
         "rules[4].value: found 5"},
        {"\"offset\": 24,", "\"offset\": 20,", "registers[6]"},
        {"\"words\": 28", "\"words\": 27", "registers[19]"},
        {"\"opcodes\": [\"vadd\", \"vrelu\", \"vaddrelu\"]", "\"opcodes\": [\"vadd\", \"vrelu\"]",
         "streams: vaddrelu writes ar"},
        {"\"control\": \"c_acc\"", "\"control\": \"c_dst\"", "units[5]"},
        {"\"owner\": \"vru\"", "\"owner\": \"spm\"", "streams[14]: state 'vr'"},
    };
    return cr_make_param_array(edit, edits, sizeof edits / sizeof edits[0]);
}

ParameterizedTest(const edit *one, specgen,
                  an_edit_of_a_number_that_contradicts_the_rest_is_refused) {
    expect_contradiction(one);
}

// Edits that leave a consistent specification of another machine. The files are generated anew, so
// that nothing is stale and only the comparison with the C code can refuse.
ParameterizedTestParameters(specgen, an_edit_that_leaves_the_code_behind_is_refused) {
    static edit edits[] = {
        {"\"name\": \"mvout\", \"constant\"", "\"name\": \"movout\", \"constant\"",
         "opcodes[7].name: found 'movout'"},
        {"\"value\": 4,\n      \"unit\": \"accu steps\"",
         "\"value\": 3,\n      \"unit\": \"accu "
         "steps\"",
         "contracts.accumulator_raw_distance.value"},
        {"2 * MAXDIM + 8", "2 * MAXDIM + 16", "parameters[4].default"},
        {"NHDR + IWORDS * 24", "NHDR + IWORDS * 28", "parameters[5].default"},
        {"\"TEST_WINDOW\", \"value\": \"64\"", "\"TEST_WINDOW\", \"value\": \"32\"",
         "parameters[2].default"},
        {"\"BUS_BYTES\", \"value\": \"64\"", "\"BUS_BYTES\", \"value\": \"32\"",
         "parameters[7].default"},
        {"\"TPU_QD\", \"default\": \"16\", \"min\": 2",
         "\"TPU_QD\", \"default\": \"16\", \"min\": 1", "parameters[6]"},
        {"\"env\": \"TPU_NVR\"", "\"env\": \"TPU_VREGS\"", "parameters[3]"},
        {"NAR >= 2 * MAXDIM + 2\"", "NAR >= 2 * MAXDIM + 4\"", "constraints[8]"},
        {"\"kind\": \"row_span\", \"state\": \"A\"", "\"kind\": \"row_span\", \"state\": \"B\"",
         "imem.entries[8]"},
        {"\"field\": \"f1\", \"value\": \"nr\"", "\"field\": \"f2\", \"value\": \"nr\"",
         "dispatch: mm gets"},
        {"\"cw\", \"writer\": \"array\", \"reader\": \"accu\", \"lane\": \"int32\"",
         "\"cw\", \"writer\": \"array\", \"reader\": \"accu\", \"lane\": \"int8\"",
         "streams[11].lane"},
        {"\"name\": \"dram_row\", \"bytes\": 2", "\"name\": \"dram_row\", \"bytes\": 4",
         "streams[17].scalars"},
        {"\"name\": \"agu.term\"", "\"name\": \"agu.terms\"", "rules[5].name"},
        {"\"offset\": 24,", "\"offset\": 28,", "registers[6].offset"},
        {"\"need\": \"max(M, K, N)\"", "\"need\": \"max(M, K)\"", "program_limits[0]"},
        {"\"max\": \"2047\"", "\"max\": \"1023\"", "agu.subfields[2]"},
        {"acc == 1", "acc == 0", "opcodes[4].actions: leave another value in ar"},
        {"[\"activation_in\", \"weights_in\"]", "[\"weights_in\", \"activation_in\"]",
         "opcodes[4].actions"},
        {"\"offset\": \"col_block * T\", \"args\"", "\"offset\": \"col_block\", \"args\"",
         "opcodes[7].actions"},
        {"\"base\": \"ar_d\", \"args\": [\"after\"]", "\"base\": \"ar_s\", \"args\": [\"after\"]",
         "opcodes[6].actions"},
        {"\"base\": \"ar_d\", \"args\": [\"rectified\"]",
         "\"base\": \"ar_s2\", \"args\": [\"rectified\"]", "opcodes[10].actions"},
        {"\"base\": \"spad_w\"", "\"base\": \"vr_a\"", "opcodes[4].actions"},
    };
    return cr_make_param_array(edit, edits, sizeof edits / sizeof edits[0]);
}

ParameterizedTest(const edit *one, specgen, an_edit_that_leaves_the_code_behind_is_refused) {
    spec_edit copy;
    spec_edit_open(&copy);
    spec_edit_replace(&copy, one->from, one->to);
    cr_expect_eq(spec_edit_run(&copy, "--write", NULL), 0, "%s", copy.said);
    cr_expect_eq(spec_edit_run(&copy, "--check", NULL), 0, "%s", copy.said);
    int code = spec_edit_run(&copy, "--check", specgen_drift_check);
    cr_expect_eq(code, 1, "%s -> %s gave %d: %s", one->from, one->to, code, copy.said);
    cr_expect_not_null(strstr(copy.said, one->place), "%s is not in: %s", one->place, copy.said);
    spec_edit_close(&copy);
}

// Input that is no specification at all, or breaks its shape.
ParameterizedTestParameters(specgen, bad_input_exits_2_and_leaves_the_outputs_untouched) {
    static edit edits[] = {
        {"\"encoding_rule\": {", "\"encoding_rule\": {\"colour\": 1,",
         "encoding_rule.colour: this key is unknown"},
        {"\"memory_note\": ", "\"memory_note\": \"a\", \"memory_note\": ", "appears twice"},
        {"\"term_bits\": 19,", "", "agu: the key 'term_bits' is missing"},
        {"\"terms\": 3", "\"terms\": 3.5", "agu.terms: found 3.5"},
        {"\"terms\": 3", "\"terms\": 9007199254740993", "agu.terms: found a number beyond 2^53"},
        {"\"terms\": 3", "\"terms\": \"3\"", "agu.terms: found a text"},
        {"\"elastic\": true, \"control\": \"c_dld\"", "\"elastic\": 1, \"control\": \"c_dld\"",
         "units[1].elastic: found a number; true or false"},
        {"\"ports\": [{\"name\": \"fetch\"}, {\"name\": \"dispatch\", \"physical\": 5}]",
         "\"ports\": {}", "units[0].ports: found an object; a list"},
        {"\"dispatch\": {\n", "\"dispatch\": [], \"was\": {\n", "dispatch: found a list"},
        {"\"constant\": \"NHDR\"", "\"constant\": \"nhdr\"", "imem.constant: found 'nhdr'"},
        {"\"value\": \"0x31555054\"", "\"value\": \"TPU1\"", "registers[15].value"},
        {"\"name\": \"TinyTPU Cosim\"", "\"name\": \"Tiny\tTPU\"", "found byte 0x09"},
    };
    return cr_make_param_array(edit, edits, sizeof edits / sizeof edits[0]);
}

static void fill_outputs(const spec_edit *copy) {
    for (size_t i = 0; i < SPECGEN_OUTPUTS; i++) {
        char path[SPEC_EDIT_PATH + 64];
        (void)snprintf(path, sizeof path, "%s/%s", copy->directory, specgen_output_name(i));
        FILE *stream = fopen(path, "wb");
        cr_assert_not_null(stream);
        (void)fputs("as it was", stream);
        (void)fclose(stream);
    }
}

static void expect_untouched(const spec_edit *copy) {
    for (size_t i = 0; i < SPECGEN_OUTPUTS; i++) {
        char path[SPEC_EDIT_PATH + 64];
        size_t size = 0;
        (void)snprintf(path, sizeof path, "%s/%s", copy->directory, specgen_output_name(i));
        char *text = spec_edit_read(path, &size);
        cr_expect_str_eq(text, "as it was", "%s was touched", path);
        free(text);
        (void)snprintf(path, sizeof path, "%s/%s.new", copy->directory, specgen_output_name(i));
        FILE *left = fopen(path, "rb");
        cr_expect_null(left, "%s was left behind", path);
        if (left != NULL) {
            (void)fclose(left);
        }
    }
}

ParameterizedTest(const edit *one, specgen, bad_input_exits_2_and_leaves_the_outputs_untouched) {
    spec_edit copy;
    spec_edit_open(&copy);
    fill_outputs(&copy);
    spec_edit_replace(&copy, one->from, one->to);
    int code = spec_edit_run(&copy, "--write", NULL);
    cr_expect_eq(code, 2, "%s gave %d: %s", one->to, code, copy.said);
    cr_expect_not_null(strstr(copy.said, one->place), "%s is not in: %s", one->place, copy.said);
    expect_untouched(&copy);
    spec_edit_close(&copy);
}

Test(specgen, a_file_cut_anywhere_is_refused_with_line_and_column) {
    spec_edit copy;
    spec_edit_open(&copy);
    fill_outputs(&copy);
    size_t size = 0;
    char *text = spec_edit_read(copy.file, &size);
    static const size_t parts[] = {0, 1, 10, 500, 999};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        spec_edit_text(&copy, text, size * parts[i] / 1000);
        cr_expect_eq(spec_edit_run(&copy, "--write", NULL), 2, "%s", copy.said);
        cr_expect_not_null(strstr(copy.said, "the JSON ends or breaks here"), "%s", copy.said);
        cr_expect_not_null(strstr(copy.said, "spec.json:"), "%s", copy.said);
    }
    free(text);
    expect_untouched(&copy);
    spec_edit_close(&copy);
}

Test(specgen, a_missing_file_is_refused) {
    spec_edit copy;
    spec_edit_open(&copy);
    (void)remove(copy.file);
    cr_expect_eq(spec_edit_run(&copy, "--check", NULL), 2);
    cr_expect_not_null(strstr(copy.said, "spec.json: cannot be opened"), "%s", copy.said);
    spec_edit_close(&copy);
}

Test(specgen, an_output_directory_that_is_missing_is_a_failure_to_write) {
    spec_edit copy;
    spec_edit_open(&copy);
    char kept[SPEC_EDIT_PATH];
    (void)snprintf(kept, sizeof kept, "%s", copy.directory);
    (void)snprintf(copy.directory, sizeof copy.directory, "%.480s/nowhere", kept);
    cr_expect_eq(spec_edit_run(&copy, "--write", NULL), 3);
    cr_expect_not_null(strstr(copy.said, "nowhere/tpu_isa.h.new: cannot be created"), "%s",
                       copy.said);
    (void)snprintf(copy.directory, sizeof copy.directory, "%s", kept);
    spec_edit_close(&copy);
}

Test(specgen, one_stale_byte_in_any_generated_file_is_found) {
    spec_edit copy;
    spec_edit_open(&copy);
    for (size_t i = 0; i < SPECGEN_OUTPUTS; i++) {
        char path[SPEC_EDIT_PATH + 64];
        size_t size = 0;
        cr_assert_eq(spec_edit_run(&copy, "--write", NULL), 0, "%s", copy.said);
        (void)snprintf(path, sizeof path, "%s/%s", copy.directory, specgen_output_name(i));
        char *text = spec_edit_read(path, &size);
        text[size - 2] ^= 1;
        FILE *stream = fopen(path, "wb");
        cr_assert_not_null(stream);
        (void)fwrite(text, 1, size, stream);
        (void)fclose(stream);
        free(text);
        cr_expect_eq(spec_edit_run(&copy, "--check", NULL), 1, "%s", path);
        cr_expect_not_null(strstr(copy.said, specgen_output_name(i)), "%s", copy.said);
        cr_expect_not_null(strstr(copy.said, "is stale"), "%s", copy.said);
    }
    spec_edit_close(&copy);
}

Test(specgen, a_changed_word_of_prose_makes_the_files_stale) {
    spec_edit copy;
    spec_edit_open(&copy);
    cr_assert_eq(spec_edit_run(&copy, "--write", NULL), 0);
    spec_edit_replace(&copy, "\"role\": \"rows of the scratchpad\"", "\"role\": \"scratchpad\"");
    cr_expect_eq(spec_edit_run(&copy, "--check", NULL), 1);
    cr_expect_not_null(strstr(copy.said, "tpu_isa.h:2: is stale"), "%s", copy.said);
    spec_edit_close(&copy);
}

// A new opcode needs nothing but its entry; only then the code is behind.
Test(specgen, an_added_opcode_and_a_second_numerics_make_a_valid_specification) {
    static const char *const fused =
        "{\"name\": \"mvoutrelu\", \"constant\": \"OP_MVOUTRELU\", \"value\": 11, \"nr\": "
        "\"rows\", "
        "\"rows\": \"accumulator rows\", \"meaning\": \"vrelu and mvout in one\", \"operands\": ["
        "{\"field\": \"f0\", \"name\": \"ar0\", \"meaning\": \"first row\"},"
        "{\"field\": \"f1\", \"name\": \"dram_row0\", \"meaning\": \"first row of C\"}], "
        "\"actions\": ["
        "{\"unit\": \"accu\", \"kind\": \"read\", \"port\": \"ar.read\", \"state\": \"ar\", "
        "\"base\": "
        "\"ar0\", \"into\": \"value\", \"role\": \"result\"},"
        "{\"unit\": \"accu\", \"kind\": \"compute\", \"port\": \"alu\", \"compute\": \"max0\", "
        "\"args\": [\"value\"], \"into\": \"positive\"},"
        "{\"unit\": \"accu\", \"kind\": \"compute\", \"port\": \"alu\", \"compute\": "
        "\"to_operand\", \"args\": [\"positive\"], \"into\": \"clipped\"},"
        "{\"unit\": \"accu\", \"kind\": \"emit\", \"port\": \"ac2sp\", \"args\": [\"clipped\"]},"
        "{\"unit\": \"dma_st\", \"kind\": \"receive\", \"port\": \"ac2sp\", \"into\": \"in\"},"
        "{\"unit\": \"dma_st\", \"kind\": \"write\", \"port\": \"dram.write\", \"state\": \"C\", "
        "\"base\": \"dram_row0\", \"args\": [\"in\"]}]}],\n  \"units\": [";
    static const char *const int16 =
        "\"configurations\": [{\"name\": \"int16\", \"operand\": {\"format\": \"integer\", "
        "\"signed\": true, \"bits\": 16, \"where\": \"lanes\"}, \"accumulator\": {\"format\": "
        "\"integer\", \"signed\": true, \"bits\": 48, \"where\": \"lanes\"}, \"multiply\": "
        "{\"operation\": \"product\", \"bits\": 32, \"exact\": true, \"why\": \"it fits\"}, "
        "\"accumulate\": {\"operation\": \"sum\", \"rounding\": \"none\", \"overflow\": \"wraps\", "
        "\"bits\": 48, \"order\": \"rising\"}, \"output\": {\"operation\": \"saturating\", "
        "\"min\": "
        "-32768, \"max\": 32767, \"rounding\": \"none\", \"where\": \"accu\"}, \"elementwise\": "
        "[]},";
    spec_edit copy;
    spec_edit_open(&copy);
    char tail[4096];
    (void)snprintf(tail, sizeof tail, "},\n    %s", fused);
    spec_edit_replace(&copy, "}\n  ],\n  \"units\": [", tail);
    spec_edit_replace(&copy, "\"configurations\": [", int16);
    cr_expect_eq(spec_edit_run(&copy, "--write", NULL), 0, "%s", copy.said);
    cr_expect_eq(spec_edit_run(&copy, "--check", specgen_drift_check), 1, "%s", copy.said);
    cr_expect_not_null(strstr(copy.said, "opcodes: lists 12, but the C code knows 11"), "%s",
                       copy.said);
    spec_edit_close(&copy);
}

// Damage of any kind ends in a verdict, never in a crash; the seed is fixed.
Test(specgen, three_hundred_random_damages_end_in_a_verdict, .timeout = 120) {
    spec_edit copy;
    size_t size = 0;
    rng source;
    rng_seed(&source, 2026);
    spec_edit_open(&copy);
    char *text = spec_edit_read(copy.file, &size);
    for (int i = 0; i < 300; i++) {
        size_t at = rng_below(&source, (uint32_t)size - 8);
        size_t length = 1 + rng_below(&source, 4);
        char kept[8];
        memcpy(kept, text + at, length);
        for (size_t k = 0; k < length; k++) {
            static const char alphabet[] = "0123456789{}[],:\"-e. Tfn";
            text[at + k] = alphabet[rng_below(&source, sizeof alphabet - 1)];
        }
        spec_edit_text(&copy, text, size);
        int code = spec_edit_run(&copy, "--check", specgen_drift_check);
        cr_expect(code == 1 || code == 2, "damage %d at %zu gave %d: %s", i, at, code, copy.said);
        memcpy(text + at, kept, length);
    }
    free(text);
    spec_edit_close(&copy);
}

Test(specgen, writing_twice_gives_the_same_bytes) {
    spec_edit copy;
    spec_edit_open(&copy);
    cr_assert_eq(spec_edit_run(&copy, "--write", NULL), 0);
    cr_assert_eq(spec_edit_run(&copy, "--write", NULL), 0);
    cr_expect_eq(spec_edit_run(&copy, "--check", NULL), 0, "%s", copy.said);
    spec_edit_close(&copy);
}

Test(specgen, a_wrong_command_line_is_refused) {
    char *unknown[] = {(char[]){"specgen"}, (char[]){"--wirte"}};
    char *both[] = {(char[]){"specgen"}, (char[]){"--write"}, (char[]){"--check"}};
    char *bare[] = {(char[]){"specgen"}, (char[]){"--check"}, (char[]){"--spec"}};
    FILE *sink = tmpfile();
    cr_assert_not_null(sink);
    cr_expect_eq(specgen_run(2, unknown, NULL, sink, sink), 2);
    cr_expect_eq(specgen_run(3, both, NULL, sink, sink), 2);
    cr_expect_eq(specgen_run(1, both, NULL, sink, sink), 2);
    cr_expect_eq(specgen_run(3, bare, NULL, sink, sink), 2);
    (void)fclose(sink);
}
