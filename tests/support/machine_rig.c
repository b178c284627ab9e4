// SPDX-License-Identifier: Apache-2.0
//
// See machine_rig.h.

#include "tests/support/machine_rig.h"

#include "base/rng.h"
#include "csim/isa/image.h"
#include "csim/isa/programs.h"

#include <criterion/criterion.h>
#include <string.h>

// Cycles after which a run that has not ended never will.
#define STEPS_MAX 4000000

void machine_rig_open_with(machine_rig *self, uint32_t watchdog, uint32_t latency) {
    memset(self, 0, sizeof *self);
    self->params = params_default(MACHINE_RIG_T, MACHINE_RIG_MAXDIM);
    cr_assert_eq(loader_open("verilator", &self->params, &self->library, &self->why), TPU_OK, "%s",
                 self->why.text);
    self->api = loader_api(self->library);
    const engine_config config = {.params = self->params,
                                  .init = ENGINE_INIT_RANDOM,
                                  .init_seed = 3,
                                  .timing = {.read_latency = latency, .write_latency = latency},
                                  .watchdog = watchdog};
    cr_assert_eq(self->api->create(&config, &self->device, &self->why), TPU_OK, "%s",
                 self->why.text);
    cr_assert_eq(self->api->reset(self->device, &self->why), TPU_OK, "%s", self->why.text);
    rng source;
    rng_seed(&source, 11);
    rng_fill(&source, self->a, MACHINE_RIG_CELLS);
    rng_fill(&source, self->b, MACHINE_RIG_CELLS);
    rng_fill(&source, self->c, MACHINE_RIG_CELLS);
}

void machine_rig_open(machine_rig *self) {
    machine_rig_open_with(self, MACHINE_RIG_WATCHDOG, 3);
}

void machine_rig_close(machine_rig *self) {
    self->api->destroy(self->device);
    loader_close(self->library);
}

engine_status machine_rig_run(machine_rig *self, const uint64_t *words, size_t count) {
    engine_status status = {0};
    const engine_api *api = self->api;
    cr_assert_eq(api->load(self->device, TPU_MEM_IMEM, words, count * 8, &self->why), TPU_OK);
    cr_assert_eq(api->load(self->device, TPU_MEM_A, self->a, MACHINE_RIG_CELLS, &self->why),
                 TPU_OK);
    cr_assert_eq(api->load(self->device, TPU_MEM_B, self->b, MACHINE_RIG_CELLS, &self->why),
                 TPU_OK);
    cr_assert_eq(api->load(self->device, TPU_MEM_C, self->c, MACHINE_RIG_CELLS, &self->why),
                 TPU_OK);
    cr_assert_eq(api->start(self->device, &self->why), TPU_OK, "%s", self->why.text);
    probe seen = {0};
    for (int step = 0; step < STEPS_MAX && !seen.done; step++) {
        cr_assert_eq(api->step(self->device, &seen, &self->why), TPU_OK, "%s", self->why.text);
    }
    cr_assert(seen.done, "the run never ended");
    cr_assert_eq(api->status(self->device, &status, &self->why), TPU_OK, "%s", self->why.text);
    return status;
}

void machine_rig_run_exact(machine_rig *self, const isa_program *program, const char *what) {
    image built = {0};
    lockstep *pair = NULL;
    verdict out;
    verdict_init(&out);
    cr_assert_eq(image_build(&self->params, program, true, &built, &self->why), TPU_OK, "%s\n%s",
                 what, self->why.text);
    cr_assert_eq(lockstep_create(self->api, self->device, &self->params, &pair, &self->why),
                 TPU_OK);
    const lockstep_job job = {.program = program,
                              .words = built.words,
                              .word_count = built.count,
                              .a = self->a,
                              .b = self->b,
                              .c = self->c};
    lockstep_run(pair, &job, &out);
    cr_assert_eq(out.kind, VERDICT_OK, "%s\n%s", what, out.sentence.text);
    verdict_clear(&out);
    lockstep_destroy(pair);
    image_clear(&built);
}

void machine_rig_run_clean(machine_rig *self, const char *after) {
    isa_program program = {0};
    cr_assert_eq(programs_gemm(&self->params, PROGRAMS_LOOPED, 8, 8, 8, true, &program, &self->why),
                 TPU_OK);
    machine_rig_run_exact(self, &program, after);
    isa_program_clear(&program);
}
