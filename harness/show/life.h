// SPDX-License-Identifier: Apache-2.0
//
// When each instruction was issued and when each unit worked for it: the cycles of the first and
// last row that it caused in every stream. From a recording, or as the program alone would allow.

#ifndef LIFE_H
#define LIFE_H

#include "base/status.h"
#include "harness/replay/recording.h"

#include <stddef.h>
#include <stdint.h>

/** Rows of one instruction in one stream. */
typedef struct life_rows {
    uint64_t first; /**< cycles; meaningless without rows */
    uint64_t last;
    uint32_t count;
    uint32_t differ;  /**< of them, how many are not the expected ones */
    uint32_t reached; /**< rows of the instruction up to the last one, seen in the window or not */
} life_rows;

/** One instruction as issued. */
typedef struct life {
    const recording_issue *of; /**< borrowed from the recording */
    uint64_t issued;           /**< cycle */
    life_rows stream[TPU_STREAM_COUNT];
} life;

/** What an instruction does in its life; each stage is a set of streams. */
typedef enum life_stage {
    LIFE_STAGE_LOAD,    /**< operands on their way: from memory, or to the array */
    LIFE_STAGE_COMPUTE, /**< partial sums and accumulator rows */
    LIFE_STAGE_RETIRE,  /**< results on their way to C */
    LIFE_STAGE_COUNT
} life_stage;

/** All of a recording; owns `one`. Zero-initialise, end with life_list_clear. */
typedef struct life_list {
    life *one; /**< by number of the issue */
    size_t count;
    uint64_t end; /**< cycle after the last row */
} life_list;

/**
 * As it was. Issues without a row in the window are there too.
 * @param from  borrowed for the life of the list.
 */
tpu_status life_recorded(const recording *from, life_list *out, tpu_message *why) TPU_NODISCARD;

/**
 * As early as the program allows: every stream carries a row a cycle, a row can be read in the
 * cycle after it was written, an instruction is issued every cycle from 0 on, memory answers at
 * once and no channel is ever full. A bound, not a forecast: no machine whose streams carry one
 * row a cycle is faster.
 * @pre the recording is a whole run.
 */
tpu_status life_ideal(const recording *from, life_list *out, tpu_message *why) TPU_NODISCARD;

void life_list_clear(life_list *self);

/** True when the last row that the instruction owes was seen; a nop owes none. */
bool life_finished(const life *self);

/** Stage of a stream's rows; LIFE_STAGE_COUNT = of none (issue and the control channels). */
life_stage life_stage_of(tpu_stream stream);

/** The rows of a stage together: first and last cycle over its streams. */
life_rows life_stage_rows(const life *self, life_stage stage);

#endif
