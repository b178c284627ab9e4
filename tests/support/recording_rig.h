// SPDX-License-Identifier: Apache-2.0
//
// Recordings made by hand, row by row, so that what reads recordings can be tested against what a
// person wrote down.

#ifndef RECORDING_RIG_H
#define RECORDING_RIG_H

#include "harness/replay/recording.h"

#include <stdint.h>

/** An empty recording of the cycles first..last at T = 4 and verdict OK at `last`. */
void recording_rig_start(recording *self, uint64_t first, uint64_t last);

/** Appends cycles in which a unit did one thing. */
void recording_rig_span(recording *self, tpu_unit unit, uint64_t first, uint64_t last,
                        probe_state state, unsigned wait);

/** Makes every unit that has no span idle for the whole window. */
void recording_rig_rest_idle(recording *self);

/** Appends an issue; its number is the next one. Returns it for the fields that are not 0. */
isa_issue *recording_rig_issue(recording *self, uint64_t cycle, unsigned op, unsigned nr,
                               unsigned line);

/** Appends a row whose bytes are all `got` where all `expected` was meant; < 0 = an extra row. */
void recording_rig_row(recording *self, uint64_t cycle, tpu_stream stream, uint32_t issue,
                       uint32_t in_issue, int got, int expected);

/**
 * The small case of the timeline's tests. Cycles 0 to 19 at T = 4:
 *   issue 0, cycle 2: dma_ld of two rows to spad;  dma2sp 4, 5;  spad.write 5, 6
 *   issue 1, cycle 3: mm of one row, acc = 1;      acol 7, wcol 8 to 12, cw 13, ar.write.mm 15
 *   issue 2, cycle 4: mvout of one row;            ac2sp 17, c.write 19
 * The row of cw is wrong; every unit has its states.
 */
void recording_rig_small(recording *self);

#endif
