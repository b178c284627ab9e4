// SPDX-License-Identifier: Apache-2.0
//
// High bits of the work counts that a header promises and the units keep: programs that do so much
// work that every bit from 8 on is once 1 and once 0, in lockstep; and the same with one of these
// bits wrong in the header, which must be a fault of the unit that did the work. Fuzzed programs
// are too short for that. All numbers are by hand: a prefix and so many times the same step.

#include "csim/isa/assembly.h"
#include "csim/isa/image.h"
#include "harness/engine/loader.h"
#include "harness/lockstep/lockstep.h"

#include <criterion/criterion.h>

#include <stdio.h>

// 16 rows of dma_ld: 8 of spm, 8 of vru. One mm: 5 more of spm, 8 of vru, 8 accu steps.
#define LOADS                                                                                      \
    "dma_ld rows=8 mode=1 dram_row0=0 col_block=0 dst_row0=0\n"                                    \
    "dma_ld rows=8 mode=2 dram_row0=0 col_block=0 dst_row0=0\n"
#define MM LOADS "mm rows=8 vr_a=0 ar0=0 acc=0 spad_w=0\n"

enum {
    T = 4,
    MAXDIM = 16,
    CELLS = MAXDIM * MAXDIM,
    WATCHDOG = 2000,
    TEXT = 1024,
    LOW = 8,
    COUNT_BITS = 15
};

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
    {1,
     0,
     TPU_UNIT_DMA_LD,
     LOADS,
     16,
     "dma_ld rows=16 mode=2 dram_row0=0 col_block=0 dst_row0=0\n",
     16,
     {1364, 681},
     0x7f00},
    {2,
     0,
     TPU_UNIT_SPM,
     LOADS,
     8,
     "dma_ld rows=16 mode=1 dram_row0=0 col_block=0 dst_row0=0\n",
     16,
     {1365, 682},
     0x7f00},
    {3, 0, TPU_UNIT_VRU, LOADS, 8, "vld rows=8 vr0=0 spad0=0\n", 8, {2730, 1364}, 0x7f00},
    {4,
     0,
     TPU_UNIT_ARRAY,
     LOADS,
     0,
     "mm rows=1 vr_a=0 ar0=0 acc=0 spad_w=0\n",
     1,
     {0x1555, 0x0aaa},
     0x1f00},
    {4,
     16,
     TPU_UNIT_ARRAY,
     LOADS,
     0,
     "mm rows=8 vr_a=0 ar0=0 acc=0 spad_w=0\n",
     8,
     {2731, 1365},
     0x7f00},
    {5, 0, TPU_UNIT_ACCU, MM, 8, "vrelu rows=8 ar_d=0 ar_s=0\n", 8, {2730, 1364}, 0x7f00},
    {6,
     0,
     TPU_UNIT_DMA_ST,
     MM,
     0,
     "mvout rows=8 ar0=0 dram_row0=0 col_block=0\n",
     8,
     {2731, 1365},
     0x7f00},
};
enum { WORKS = sizeof works / sizeof works[0] };

typedef struct bench {
    tpu_params params;
    loader *library;
    engine *device;
    lockstep *pair;
    uint8_t a[CELLS];
    uint8_t b[CELLS];
    uint8_t c[CELLS];
    isa_program program;
    image built;
    verdict out;
    tpu_message why;
} bench;

static void bench_open(bench *self) {
    *self = (bench){.params = params_default(T, MAXDIM)};
    verdict_init(&self->out);
    for (uint32_t cell = 0; cell < CELLS; cell++) {
        self->a[cell] = (uint8_t)(7 * cell);
        self->b[cell] = (uint8_t)(5 * cell + 3);
    }
    cr_assert_eq(loader_open("verilator", &self->params, &self->library, &self->why), TPU_OK, "%s",
                 self->why.text);
    const engine_api *api = loader_api(self->library);
    const engine_config config = {.params = self->params,
                                  .init = ENGINE_INIT_RANDOM,
                                  .init_seed = 3,
                                  .timing = {.read_latency = 3, .write_latency = 3},
                                  .watchdog = WATCHDOG};
    cr_assert_eq(api->create(&config, &self->device, &self->why), TPU_OK, "%s", self->why.text);
    cr_assert_eq(api->reset(self->device, &self->why), TPU_OK, "%s", self->why.text);
    cr_assert_eq(lockstep_create(api, self->device, &self->params, &self->pair, &self->why), TPU_OK,
                 "%s", self->why.text);
}

static void bench_close(bench *self) {
    verdict_clear(&self->out);
    image_clear(&self->built);
    isa_program_clear(&self->program);
    lockstep_destroy(self->pair);
    loader_api(self->library)->destroy(self->device);
    loader_close(self->library);
}

// The prefix, then the step so often: hundreds in a nest, the others in a loop.
static void bench_write(bench *self, const work *of, uint32_t steps) {
    char text[TEXT];
    (void)snprintf(text, sizeof text,
                   "%sloop x%u\nloop x100\n%sendloop\nendloop\nloop x%u\n%sendloop\n", of->prefix,
                   steps / 100, of->step, steps % 100, of->step);
    isa_program_clear(&self->program);
    image_clear(&self->built);
    cr_assert_eq(assembly_parse(text, "counts", &self->program, &self->why), TPU_OK, "%s",
                 self->why.text);
    cr_assert_eq(image_build(&self->params, &self->program, true, &self->built, &self->why), TPU_OK,
                 "%s", self->why.text);
}

static void bench_run(bench *self, lockstep_mode mode) {
    const lockstep_job job = {.mode = mode,
                              .program = &self->program,
                              .words = self->built.words,
                              .word_count = self->built.count,
                              .a = self->a,
                              .b = self->b,
                              .c = self->c,
                              .skip_oracle = true};
    lockstep_run(self->pair, &job, &self->out);
}

static uint32_t promised(const bench *self, const work *of) {
    return (uint32_t)(self->built.words[of->word] >> of->lo) & UINT16_MAX;
}

Test(counts, every_high_bit_of_every_count_is_kept_right, .timeout = 120) {
    bench self;
    bench_open(&self);
    for (size_t i = 0; i < WORKS; i++) {
        const work *of = &works[i];
        uint32_t ones = 0;
        uint32_t zeros = 0;
        for (size_t k = 0; k < 2; k++) {
            bench_write(&self, of, of->steps[k]);
            uint32_t count = of->first + of->steps[k] * of->each;
            cr_expect_eq(promised(&self, of), count, "count %zu", i);
            bench_run(&self, LOCKSTEP_MODE_CHECKED);
            cr_expect_eq(self.out.kind, VERDICT_OK, "count %zu of 0x%04x: %s", i, count,
                         self.out.sentence.text);
            ones |= count;
            zeros |= ~count;
        }
        cr_expect_eq(ones & zeros & 0x7f00, of->bits, "count %zu: 0x%04x", i, ones & zeros);
    }
    bench_close(&self);
}

Test(counts, a_wrong_high_bit_in_the_header_is_a_fault_of_the_unit, .timeout = 120) {
    bench self;
    bench_open(&self);
    for (size_t i = 0; i < WORKS; i++) {
        const work *of = &works[i];
        bench_write(&self, of, of->steps[0]);
        for (int bit = LOW; bit < COUNT_BITS; bit++) {
            self.built.words[of->word] ^= (uint64_t)1 << (of->lo + bit);
            bench_run(&self, LOCKSTEP_MODE_UNCHECKED);
            self.built.words[of->word] ^= (uint64_t)1 << (of->lo + bit);
            cr_expect_eq(self.out.status.fault, TPU_FAULT_HEADER, "count %zu bit %d: fault %u", i,
                         bit, self.out.status.fault);
            cr_expect_eq(self.out.status.fault_unit, of->unit, "count %zu bit %d", i, bit);
        }
    }
    bench_close(&self);
}
