// SPDX-License-Identifier: Apache-2.0
//
// The image is the published encoding of the program, typed in, so that no assembler stands
// between these tests and the detector.

#include "tests/support/lockstep_rig.h"

#include "base/rng.h"
#include "csim/isa/codec.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t image[] = {14,
                                 32,
                                 36,
                                 48,
                                 2097156,
                                 64,
                                 16,
                                 524296, // header, by hand from the work counts
                                 0x0080000000000008,
                                 0x0000000000000000, // loop x2
                                 0x0200000000000081,
                                 0x0000000100200083, // dma_ld A -> vr
                                 0x0000000000000009,
                                 0x0000000000000000, // endloop
                                 0x0080000000000008,
                                 0x0000000000000000, // loop x2
                                 0x0200000000000041,
                                 0x0000000100200083, // dma_ld B -> spad
                                 0x0000000000000009,
                                 0x0000000000000000, // endloop
                                 0x0080000000000008,
                                 0x0000000000000000, // loop x2
                                 0x0200000000000004,
                                 0x0000000000002004, // mm, overwrite
                                 0x0040000000000008,
                                 0x0000000000000000, // loop x1
                                 0x0200100040001004,
                                 0x0000850100202011, // mm, accumulate
                                 0x0000000000000009,
                                 0x0000000000000000, // endloop
                                 0x0200000000000006,
                                 0x0000000000000000, // vrelu
                                 0x0200000000000007,
                                 0x0000000000000083, // mvout
                                 0x0000000000000009,
                                 0x0000000000000000}; // endloop

#define IMAGE_WORDS (sizeof image / sizeof image[0])

static void must(bool good, const char *sentence) {
    TPU_CHECK(good, sentence);
}

tpu_params lockstep_rig_params(void) {
    return (tpu_params){.t = 4,
                        .maxdim = 64,
                        .spad_rows = 1024,
                        .nvr = 1024,
                        .nar = 136,
                        .imem_size = 56,
                        .qd = 16,
                        .dma_words = 1};
}

static void decode(isa_program *program) {
    for (size_t i = TPU_NHDR; i < IMAGE_WORDS; i += TPU_IWORDS) {
        isa_insn insn;
        must(codec_decode(&image[i], &insn, NULL) == TPU_OK, "the rig's image decodes");
        insn.line = (uint32_t)(i - TPU_NHDR) / TPU_IWORDS + 1;
        must(isa_program_append(program, &insn) == TPU_OK, "the rig has memory");
    }
}

static void fill_small(rng *source, uint8_t *to, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) {
        to[i] = (uint8_t)(int8_t)((int32_t)rng_below(source, 9) - 4);
    }
}

void lockstep_rig_create(lockstep_rig *self) {
    rng source;
    memset(self, 0, sizeof *self);
    rng_seed(&source, 8);
    self->params = lockstep_rig_params();
    fill_small(&source, self->a, sizeof self->a);
    fill_small(&source, self->b, sizeof self->b);
    rng_fill(&source, self->c, sizeof self->c);
    self->config = (engine_config){.params = self->params,
                                   .init = ENGINE_INIT_RANDOM,
                                   .init_seed = 3,
                                   .timing = {.read_latency = 1, .write_latency = 1},
                                   .watchdog = 500};
    must(fake_engine_api()->create(&self->config, &self->device, NULL) == TPU_OK, "fake engine");
    must(lockstep_create(fake_engine_api(), self->device, &self->params, &self->pair, NULL) ==
             TPU_OK,
         "lockstep");
    decode(&self->program);
    self->job = (lockstep_job){.program = &self->program,
                               .words = image,
                               .word_count = IMAGE_WORDS,
                               .a = self->a,
                               .b = self->b,
                               .c = self->c,
                               .gemm = {.m = 8, .k = 8, .n = 8, .relu = true},
                               .hang_limit = 1000,
                               .hooks = &self->hooks};
    verdict_init(&self->out);
}

void lockstep_rig_run(lockstep_rig *self, const fake_fault *fault) {
    static const fake_fault none = {.kind = FAKE_FAULT_NONE};
    fake_engine_inject(self->device, fault != NULL ? fault : &none);
    lockstep_run(self->pair, &self->job, &self->out);
}

void lockstep_rig_destroy(lockstep_rig *self) {
    verdict_clear(&self->out);
    lockstep_destroy(self->pair);
    fake_engine_api()->destroy(self->device);
    isa_program_clear(&self->program);
}
