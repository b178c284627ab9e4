// SPDX-License-Identifier: Apache-2.0
//
// A fake engine, a lockstep and one small program, ready to run: what the tests of the detector
// share.

#ifndef LOCKSTEP_RIG_H
#define LOCKSTEP_RIG_H

#include "csim/isa/isa.h"
#include "harness/lockstep/lockstep.h"
#include "tests/support/fake_engine.h"

#include <stdint.h>

/** T=4, MAXDIM=64: an 8x8x8 GEMM with relu on seeded operands. */
typedef struct lockstep_rig {
    tpu_params params;
    engine_config config;
    engine *device;
    lockstep *pair;
    isa_program program;
    uint8_t a[64 * 64];
    uint8_t b[64 * 64];
    uint8_t c[64 * 64];
    lockstep_job job;
    lockstep_hooks hooks;
    verdict out;
} lockstep_rig;

/** Parameters of the rig. */
tpu_params lockstep_rig_params(void);

/** Sets everything up; stops the test when it cannot. */
void lockstep_rig_create(lockstep_rig *self);

/** Runs with one fault in the engine (NULL = none). */
void lockstep_rig_run(lockstep_rig *self, const fake_fault *fault);

void lockstep_rig_destroy(lockstep_rig *self);

#endif
