// SPDX-License-Identifier: Apache-2.0
//
// Illegal programs on the machine itself, with its check off: each ends in the fault that names the
// broken rule, never in silence, and the next program runs clean. Cases and expected rules are
// written by hand in tests/programs/illegal.txt.

#include "base/rng.h"
#include "csim/isa/assembly.h"
#include "csim/isa/check.h"
#include "csim/isa/codec.h"
#include "csim/isa/image.h"
#include "csim/isa/programs.h"
#include "tests/support/machine_rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CASES "tests/programs/illegal.txt"
// One case of the file: "== rule what", then the program.
typedef struct illegal {
    char rule[64];
    char title[128];
    char text[4096];
} illegal;

static void append_line(illegal *self, const char *line) {
    const char *add = strncmp(line, "<loads>", 7) == 0 ? MACHINE_RIG_LOADS : line;
    add = strncmp(line, "<mm>", 4) == 0 ? MACHINE_RIG_MM : add;
    cr_assert_lt(strlen(self->text) + strlen(add), sizeof self->text, "%s", self->title);
    strcat(self->text, add);
}

// Reads the next case; `line` holds its title line, and afterwards the one after it.
static bool next_case(FILE *file, char *line, size_t size, illegal *out) {
    memset(out, 0, sizeof *out);
    while (strncmp(line, "== ", 3) != 0) {
        if (fgets(line, (int)size, file) == NULL) {
            return false;
        }
    }
    cr_assert_eq(sscanf(line, "== %63s %127[^\n]", out->rule, out->title), 2, "%s", line);
    line[0] = '\0';
    while (fgets(line, (int)size, file) != NULL && strncmp(line, "== ", 3) != 0) {
        append_line(out, line);
        line[0] = '\0';
    }
    return true;
}

static unsigned run_case(machine_rig *self, const illegal *which) {
    isa_program program = {0};
    image built = {0};
    cr_assert_eq(assembly_parse(which->text, which->title, &program, &self->why), TPU_OK, "%s",
                 self->why.text);
    cr_expect_eq(check_program(&self->params, &program, NULL, NULL), TPU_REFUSED, "%s",
                 which->title);
    cr_assert_eq(image_build(&self->params, &program, false, &built, &self->why), TPU_OK, "%s: %s",
                 which->title, self->why.text);
    engine_status status = machine_rig_run(self, built.words, built.count);
    const char *name = tpu_rule_name(status.fault);
    cr_expect_str_eq(name != NULL ? name : "(none)", which->rule, "%s", which->title);
    image_clear(&built);
    isa_program_clear(&program);
    return status.fault;
}

Test(faults, every_illegal_program_names_its_rule_and_leaves_the_machine_usable) {
    machine_rig self;
    machine_rig_open(&self);
    FILE *file = fopen(CASES, "r");
    cr_assert_not_null(file, CASES);
    char line[512] = "";
    bool seen[TPU_RULE_COUNT] = {false};
    illegal which;
    size_t count = 0;
    while (next_case(file, line, sizeof line, &which)) {
        unsigned fault = run_case(&self, &which);
        machine_rig_run_clean(&self, which.title);
        if (fault < TPU_RULE_COUNT) {
            seen[fault] = true;
        }
        count++;
    }
    (void)fclose(file);
    cr_expect_geq(count, 50);
    // Rules 1 to 16 are the program's own; the rest belong to the image.
    for (unsigned rule = TPU_RULE_PROG_EMPTY; rule <= TPU_RULE_RESULT_RANGE; rule++) {
        cr_expect(seen[rule], "no case raised %s", tpu_rule_name(rule));
    }
    machine_rig_close(&self);
}

Test(faults, a_read_of_what_nothing_wrote_is_pinned_on_the_unit_and_the_instruction) {
    static const struct {
        const char *text;
        tpu_unit unit;
        unsigned pc;
    } cases[] = {{"dma_ld rows=8 mode=2 dram_row0=0 col_block=0 dst_row0=0\n"
                  "mm rows=8 vr_a=0 ar0=0 acc=0 spad_w=0\n",
                  TPU_UNIT_SPM, 1},
                 {"nop\ndma_ld rows=8 mode=1 dram_row0=0 col_block=0 dst_row0=0\n"
                  "mm rows=8 vr_a=0 ar0=0 acc=0 spad_w=0\n",
                  TPU_UNIT_VRU, 2},
                 {MACHINE_RIG_MM "nop\nvadd rows=8 ar_d=0 ar_s1=0 ar_s2=20\n", TPU_UNIT_ACCU, 4},
                 {"nop\nnop\nmvout rows=4 ar0=9 dram_row0=0 col_block=0\n", TPU_UNIT_ACCU, 2}};
    machine_rig self;
    machine_rig_open(&self);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        isa_program program = {0};
        image built = {0};
        cr_assert_eq(assembly_parse(cases[i].text, "t", &program, &self.why), TPU_OK, "%s",
                     self.why.text);
        cr_assert_eq(image_build(&self.params, &program, false, &built, &self.why), TPU_OK);
        const engine_status status = machine_rig_run(&self, built.words, built.count);
        cr_expect_eq(status.fault, TPU_RULE_WRITE_BEFORE_READ, "case %zu: %u", i, status.fault);
        cr_expect_eq(status.fault_unit, cases[i].unit, "case %zu: unit %u", i, status.fault_unit);
        cr_expect_eq(status.fault_pc, cases[i].pc, "case %zu: pc %u", i, status.fault_pc);
        machine_rig_run_clean(&self, "unwritten");
        image_clear(&built);
        isa_program_clear(&program);
    }
    machine_rig_close(&self);
}

// Decode runs ahead of issue, and issue of the units: what is noticed last may be the oldest.
Test(faults, of_two_broken_rules_the_older_instruction_is_named) {
    static const struct {
        const char *text;
        unsigned fault;
        tpu_unit unit;
        unsigned pc;
    } cases[] = {// pc 0 is judged at issue, pc 1 at decode, where every later cycle sees it too
                 {"dma_ld rows=8 mode=4 dram_row0=0 col_block=0 dst_row0=0\nendloop\n",
                  TPU_RULE_DMA_LD_FIELD, TPU_UNIT_SEQUENCER, 0},
                 // a read that the unit judges, and then one instruction that issue stops
                 {"nop\nmvout rows=4 ar0=9 dram_row0=0 col_block=0\n"
                  "dma_ld rows=8 mode=4 dram_row0=0 col_block=0 dst_row0=0\n",
                  TPU_RULE_WRITE_BEFORE_READ, TPU_UNIT_ACCU, 1},
                 // and one that decode stops
                 {"nop\nmvout rows=4 ar0=9 dram_row0=0 col_block=0\nendloop\n",
                  TPU_RULE_WRITE_BEFORE_READ, TPU_UNIT_ACCU, 1}};
    machine_rig self;
    machine_rig_open(&self);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        isa_program program = {0};
        image built = {0};
        cr_assert_eq(assembly_parse(cases[i].text, "t", &program, &self.why), TPU_OK, "%s",
                     self.why.text);
        cr_assert_eq(image_build(&self.params, &program, false, &built, &self.why), TPU_OK);
        const engine_status status = machine_rig_run(&self, built.words, built.count);
        cr_expect_eq(status.fault, cases[i].fault, "case %zu: fault %u", i, status.fault);
        cr_expect_eq(status.fault_unit, cases[i].unit, "case %zu: unit %u", i, status.fault_unit);
        cr_expect_eq(status.fault_pc, cases[i].pc, "case %zu: pc %u", i, status.fault_pc);
        machine_rig_run_clean(&self, "two rules");
        image_clear(&built);
        isa_program_clear(&program);
    }
    machine_rig_close(&self);
}

Test(faults, a_count_of_the_header_that_is_wrong_by_one_is_a_header_fault) {
    machine_rig self;
    machine_rig_open(&self);
    isa_program program = {0};
    image built = {0};
    cr_assert_eq(programs_gemm(&self.params, PROGRAMS_LOOPED, 8, 8, 8, true, &program, NULL),
                 TPU_OK);
    cr_assert_eq(image_build(&self.params, &program, true, &built, NULL), TPU_OK);
    // Word and lowest bit of each dynamic count, and the unit that holds it.
    static const struct {
        int word;
        int lo;
        tpu_unit unit;
    } counts[] = {{1, 0, TPU_UNIT_DMA_LD}, {2, 0, TPU_UNIT_SPM},    {3, 0, TPU_UNIT_VRU},
                  {4, 0, TPU_UNIT_ARRAY},  {4, 16, TPU_UNIT_ARRAY}, {5, 0, TPU_UNIT_ACCU},
                  {6, 0, TPU_UNIT_DMA_ST}, {7, 0, TPU_UNIT_DMA_LD}, {7, 16, TPU_UNIT_DMA_LD}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        const uint64_t whole = built.words[counts[i].word];
        built.words[counts[i].word] = whole + ((uint64_t)1 << counts[i].lo);
        engine_status status = machine_rig_run(&self, built.words, built.count);
        cr_expect_eq(status.fault, TPU_FAULT_HEADER, "count %d: fault %u", (int)i, status.fault);
        cr_expect_eq(status.fault_unit, counts[i].unit, "count %d", (int)i);
        built.words[counts[i].word] = whole;
        machine_rig_run_clean(&self, "wrong header count");
    }
    image_clear(&built);
    isa_program_clear(&program);
    machine_rig_close(&self);
}

Test(faults, a_program_longer_than_the_buffer_is_refused_by_the_machine) {
    machine_rig self;
    machine_rig_open(&self);
    uint64_t words[56] = {25}; // capacity at 56 words: 24 instructions
    engine_status status = machine_rig_run(&self, words, 56);
    cr_expect_eq(status.fault, TPU_RULE_IMEM_OVERFLOW);
    machine_rig_run_clean(&self, "overlong program");
    machine_rig_close(&self);
}

// Loads in two nested loops: more rows than a header may promise.
Test(faults, more_work_than_a_count_can_hold_is_a_header_fault) {
    static const char *const text =
        "loop x100\nloop x%d\n"
        "dma_ld rows=8 mode=0 dram_row0=0 col_block=0 dst_row0=0\nendloop\nendloop\n";
    // 80 x 100 x 8 = 64000 rows, and 82 x 100 x 8 = 65600, which is 64 in 16 bits.
    static const int turns[] = {80, 82};
    machine_rig self;
    machine_rig_open(&self);
    for (size_t i = 0; i < sizeof turns / sizeof turns[0]; i++) {
        char source[256];
        (void)snprintf(source, sizeof source, text, turns[i]);
        isa_program program = {0};
        image built = {0};
        cr_assert_eq(assembly_parse(source, "t", &program, &self.why), TPU_OK);
        cr_assert_eq(image_build(&self.params, &program, false, &built, &self.why), TPU_OK);
        engine_status status = machine_rig_run(&self, built.words, built.count);
        cr_expect_eq(status.fault, TPU_FAULT_HEADER, "%d turns: fault %u", turns[i], status.fault);
        machine_rig_run_clean(&self, "overlong counts");
        image_clear(&built);
        isa_program_clear(&program);
    }
    machine_rig_close(&self);
}

Test(faults, empty_loops_are_movement_and_not_a_hang) {
    machine_rig self;
    machine_rig_open(&self);
    isa_program program = {0};
    // More than 127 x 127 x 3 endloops without an issue: many times the watchdog's limit, and twice
    // that of the harness.
    cr_assert_eq(assembly_parse("loop x3\nloop x127\nloop x127\nendloop\nendloop\nendloop\nnop",
                                "t", &program, &self.why),
                 TPU_OK);
    machine_rig_run_exact(&self, &program, "empty loops");
    isa_program_clear(&program);
    machine_rig_close(&self);
}

Test(faults, a_run_that_the_watchdog_ends_drains_without_a_failed_assertion) {
    machine_rig self;
    machine_rig_open_with(&self, 40, 100);
    isa_program program = {0};
    image built = {0};
    cr_assert_eq(programs_gemm(&self.params, PROGRAMS_LOOPED, 8, 8, 8, true, &program, NULL),
                 TPU_OK);
    cr_assert_eq(image_build(&self.params, &program, true, &built, NULL), TPU_OK);
    engine_status status = machine_rig_run(&self, built.words, built.count);
    cr_expect_eq(status.fault, TPU_FAULT_WATCHDOG);
    probe seen;
    for (int step = 0; step < 2000; step++) {
        cr_assert_eq(self.api->step(self.device, &seen, &self.why), TPU_OK);
    }
    cr_assert_eq(self.api->status(self.device, &status, &self.why), TPU_OK);
    cr_expect_eq(status.assertions, 0);
    const engine_timing quick = {.read_latency = 1, .write_latency = 1};
    cr_assert_eq(self.api->set_timing(self.device, &quick, &self.why), TPU_OK);
    machine_rig_run_clean(&self, "watchdog");
    image_clear(&built);
    isa_program_clear(&program);
    machine_rig_close(&self);
}

Test(faults, random_power_up_state_drives_no_bus) {
    // Long write latency: a write that power-up state began would be answered within a run.
    for (uint64_t seed = 0; seed < 40; seed++) {
        machine_rig self;
        machine_rig_open(&self);
        self.api->destroy(self.device);
        const engine_config config = {.params = self.params,
                                      .init = ENGINE_INIT_RANDOM,
                                      .init_seed = seed,
                                      .timing = {.read_latency = 1, .write_latency = 40},
                                      .watchdog = MACHINE_RIG_WATCHDOG};
        engine_identity identity;
        cr_assert_eq(self.api->create(&config, &self.device, &self.why), TPU_OK);
        // The first reset happens when the registers are first asked; nothing may linger from it.
        cr_assert_eq(self.api->identify(self.device, &identity, &self.why), TPU_OK);
        cr_assert_eq(self.api->start(self.device, &self.why), TPU_OK, "seed %d: %s", (int)seed,
                     self.why.text);
        machine_rig_close(&self);
    }
}

// Flips bits of a legal image: what check refuses must fault, what it lets by must run exactly.
static size_t try_mutation(machine_rig *self, rng *source, const image *built, size_t *legal) {
    uint64_t words[64];
    memcpy(words, built->words, built->count * sizeof words[0]);
    uint32_t flips = 1 + rng_below(source, 3);
    for (uint32_t i = 0; i < flips; i++) {
        // Not the spare bits 62, 63 of word 0 and 57..63 of word 1: the machine ignores them.
        size_t at = TPU_NHDR + rng_below(source, (uint32_t)(built->count - TPU_NHDR));
        words[at] ^= (uint64_t)1 << rng_below(source, (at & 1) != 0 ? 57 : 62);
    }
    isa_program program = {0};
    if (image_decode(words, built->count, &program, NULL) != TPU_OK) {
        return 0;
    }
    check_finding found;
    tpu_message why = {""};
    uint64_t again[TPU_IWORDS];
    for (size_t i = 0; i < program.count; i++) {
        // An unused term may hold a level or stride that the encoder has no spelling for.
        if (codec_encode(&program.insn[i], again, NULL) != TPU_OK &&
            check_program(&self->params, &program, NULL, NULL) == TPU_OK) {
            isa_program_clear(&program);
            return 0;
        }
    }
    if (check_program(&self->params, &program, &found, &why) == TPU_OK) {
        machine_rig_run_exact(self, &program, "mutated, still legal");
        (*legal)++;
    } else {
        // The header stays that of the legal program, so a silent pass is impossible to excuse.
        engine_status status = machine_rig_run(self, words, built->count);
        cr_expect_neq(status.fault, TPU_RULE_NONE, "silent: %s", why.text);
    }
    isa_program_clear(&program);
    return 1;
}

Test(faults, machine_and_check_agree_on_mutated_programs, .timeout = 120) {
    machine_rig self;
    machine_rig_open(&self);
    rng source;
    rng_seed(&source, 20261130);
    size_t tried = 0;
    size_t legal = 0;
    for (int form = 0; form < 3; form++) {
        isa_program program = {0};
        image built = {0};
        cr_assert_eq(
            programs_gemm(&self.params, (programs_form)form, 8, 8, 8, true, &program, NULL),
            TPU_OK);
        cr_assert_eq(image_build(&self.params, &program, true, &built, NULL), TPU_OK);
        for (int i = 0; i < 400; i++) {
            tried += try_mutation(&self, &source, &built, &legal);
        }
        image_clear(&built);
        isa_program_clear(&program);
    }
    cr_expect_geq(tried, 800);
    cr_expect_geq(legal, 50);
    cr_expect_lt(legal, tried - 300);
    machine_rig_close(&self);
}
