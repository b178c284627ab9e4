// SPDX-License-Identifier: Apache-2.0
//
// A functional model, a hand-coded program and a recorder, as the model's tests use them.

#ifndef RIG_H
#define RIG_H

#include "csim/arch/arch.h"
#include "tests/support/handcode.h"
#include "tests/support/record.h"

/** The opcodes by their numbers in the instruction set's own table. */
enum rig_op { NOP, DMA_LD, DMA_ST, VLD, MM, VADD, VRELU, MVOUT, LOOP, ENDLOOP, VADDRELU };

/** Everything one test touches. */
typedef struct rig {
    arch *model;
    handcode program;
    record rows;
    tpu_message why;
} rig;

/** Builds the model (64 rows of spad and vr, 128 of ar) and an empty program. */
void rig_open(rig *self, uint32_t t, uint32_t maxdim);

/** The same with the memories that MAXDIM = 64 needs at T = 4, and the 8x8x8 relu GEMM. */
void rig_open_reference(rig *self);

/** Releases it; safe on a zeroed one. */
void rig_close(rig *self);

/** Forgets the program and the rows; the model keeps its memories. */
void rig_restart(rig *self);

/** Appends an instruction. */
void rig_add(rig *self, unsigned op, unsigned nr, unsigned f0, unsigned f1, unsigned f2,
             unsigned f3);

/** Starts the program and runs it to its end or its failure. */
tpu_status rig_run(rig *self);

/** arch_start alone. */
tpu_status rig_start(rig *self);

/** int32 lane of a row whose lanes begin at `head`. */
int32_t rig_lane(const rig *self, tpu_stream stream, size_t index, size_t head, size_t lane);

/** Bytes of one of the model's memories. */
const uint8_t *rig_memory(const rig *self, tpu_mem memory);

/** True when row `index` of a stream is exactly these bytes. */
bool rig_row_is(const rig *self, tpu_stream stream, size_t index, const uint8_t *bytes,
                size_t count);

/** rig_row_is as a Criterion expectation. */
#define RIG_EXPECT_ROW(rig, stream, index, ...)                                                    \
    cr_expect(rig_row_is(rig, stream, index, (const uint8_t[]){__VA_ARGS__},                       \
                         sizeof((const uint8_t[]){__VA_ARGS__})),                                  \
              "stream %d row %d", (int)(stream), (int)(index))

#endif
