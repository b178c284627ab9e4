// SPDX-License-Identifier: Apache-2.0
//
// High bits of the work counts that a header promises and the units keep: programs that do so much
// work that every bit from 8 on is once 1 and once 0, in lockstep; and the same with one of these
// bits wrong in the header, which must be a fault of the unit that did the work. Fuzzed programs
// are too short for that. All numbers are by hand: a prefix and so many times the same step.

#include "csim/isa/assembly.h"
#include "csim/isa/image.h"
#include "tests/support/machine_rig.h"

#include <criterion/criterion.h>

#include <stdio.h>

enum { TEXT = 1024, LOW = 8, COUNT_BITS = 15 };

// The prefix is 16 rows of dma_ld, 8 words of spm and 8 of vru; and with an mm 5 more of spm, 8 of
// vru, 8 accu steps.
#define LOADS MACHINE_RIG_LOADS
#define MM MACHINE_RIG_MM

#define LOAD_SPAD "dma_ld rows=16 mode=1 dram_row0=0 col_block=0 dst_row0=0\n"
#define LOAD_VR "dma_ld rows=16 mode=2 dram_row0=0 col_block=0 dst_row0=0\n"
#define COPY "vld rows=8 vr0=0 spad0=0\n"
#define MM_1 "mm rows=1 vr_a=0 ar0=0 acc=0 spad_w=0\n"
#define MM_8 "mm rows=8 vr_a=0 ar0=0 acc=0 spad_w=0\n"
#define RELU "vrelu rows=8 ar_d=0 ar_s=0\n"
#define STORE "mvout rows=8 ar0=0 dram_row0=0 col_block=0\n"

// A count: where the header holds it, whose it is, and a step that adds `each` to it.
typedef struct work {
    int word;
    int lo;
    tpu_unit unit;
    const char *prefix;
    uint32_t first; // what the prefix adds
    const char *step;
    uint32_t each;
    uint32_t steps[2]; // two programs; their counts have every bit from 8 on between them
    uint32_t bits;     // of the count that can be 1 at all
} work;

// 0x55.. and 0x2a.. in the bits that count. An mm takes five words to spm, so that no more than
// 6553 of them fit: bits 13 and 14 of their number stay 0.
static const work works[] = {
    {1, 0, TPU_UNIT_DMA_LD, LOADS, 16, LOAD_VR, 16, {1364, 681}, 0x7f00},
    {2, 0, TPU_UNIT_SPM, LOADS, 8, LOAD_SPAD, 16, {1365, 682}, 0x7f00},
    {3, 0, TPU_UNIT_VRU, LOADS, 8, COPY, 8, {2730, 1364}, 0x7f00},
    {4, 0, TPU_UNIT_ARRAY, LOADS, 0, MM_1, 1, {0x1555, 0x0aaa}, 0x1f00},
    {4, 16, TPU_UNIT_ARRAY, LOADS, 0, MM_8, 8, {2731, 1365}, 0x7f00},
    {5, 0, TPU_UNIT_ACCU, MM, 8, RELU, 8, {2730, 1364}, 0x7f00},
    {6, 0, TPU_UNIT_DMA_ST, MM, 0, STORE, 8, {2731, 1365}, 0x7f00},
};
enum { WORKS = sizeof works / sizeof works[0] };

// The prefix, then the step so often: hundreds in a nest, the others in a loop.
static void write_program(machine_rig *self, const work *of, uint32_t steps, isa_program *program,
                          image *built) {
    char text[TEXT];
    (void)snprintf(text, sizeof text,
                   "%sloop x%u\nloop x100\n%sendloop\nendloop\nloop x%u\n%sendloop\n", of->prefix,
                   steps / 100, of->step, steps % 100, of->step);
    cr_assert_eq(assembly_parse(text, "counts", program, &self->why), TPU_OK, "%s", self->why.text);
    cr_assert_eq(image_build(&self->params, program, true, built, &self->why), TPU_OK, "%s",
                 self->why.text);
}

Test(counts, every_high_bit_of_every_count_is_kept_right, .timeout = 120) {
    machine_rig self;
    machine_rig_open(&self);
    for (size_t i = 0; i < WORKS; i++) {
        const work *of = &works[i];
        uint32_t ones = 0;
        uint32_t zeros = 0;
        for (size_t k = 0; k < 2; k++) {
            isa_program program = {0};
            image built = {0};
            char what[32];
            uint32_t count = of->first + of->steps[k] * of->each;
            (void)snprintf(what, sizeof what, "count %zu of 0x%04x", i, count);
            write_program(&self, of, of->steps[k], &program, &built);
            cr_expect_eq(built.words[of->word] >> of->lo & UINT16_MAX, count, "%s", what);
            machine_rig_run_exact(&self, &program, what);
            ones |= count;
            zeros |= ~count;
            image_clear(&built);
            isa_program_clear(&program);
        }
        cr_expect_eq(ones & zeros & 0x7f00, of->bits, "count %zu: 0x%04x", i, ones & zeros);
    }
    machine_rig_close(&self);
}

Test(counts, a_wrong_high_bit_in_the_header_is_a_fault_of_the_unit, .timeout = 120) {
    machine_rig self;
    machine_rig_open(&self);
    for (size_t i = 0; i < WORKS; i++) {
        const work *of = &works[i];
        isa_program program = {0};
        image built = {0};
        write_program(&self, of, of->steps[0], &program, &built);
        for (int bit = LOW; bit < COUNT_BITS; bit++) {
            const uint64_t right = built.words[of->word];
            built.words[of->word] = right ^ (uint64_t)1 << (of->lo + bit);
            const engine_status status = machine_rig_run(&self, built.words, built.count);
            built.words[of->word] = right;
            cr_expect_eq(status.fault, TPU_FAULT_HEADER, "count %zu bit %d: fault %u", i, bit,
                         status.fault);
            cr_expect_eq(status.fault_unit, of->unit, "count %zu bit %d", i, bit);
        }
        image_clear(&built);
        isa_program_clear(&program);
    }
    machine_rig_close(&self);
}
