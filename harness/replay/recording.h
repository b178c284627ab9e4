// SPDX-License-Identifier: Apache-2.0
//
// A stretch of a run, kept: every event with the row that the model expects beside it, what each
// unit did, which instructions were under way. Made by running a reproducer again; wave, timeline
// and page read it and never touch an engine. It goes on behind the first difference, so that the
// cycles after it are there too.

#ifndef RECORDING_H
#define RECORDING_H

#include "base/status.h"
#include "csim/isa/isa.h"
#include "harness/engine/engine.h"
#include "harness/engine/probe.h"
#include "harness/lockstep/verdict.h"
#include "harness/replay/reproducer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Issue number of rows that the header causes, and of rows that nobody expects. */
#define RECORDING_NO_ISSUE UINT32_MAX

/** Issues kept from before the window: what they started may still be under way in it. */
#define RECORDING_BACK 256u

/** Cycles of the run, both included; 0 = the cycle in which start is taken. */
typedef struct recording_window {
    uint64_t first;
    uint64_t last;
} recording_window;

/** One row that a stream wrote. */
typedef struct recording_event {
    uint64_t cycle;
    uint64_t index; /**< of the row in its stream */
    uint32_t issue; /**< number (isa_issue.seq) of the issue that causes it */
    uint32_t in_issue;
    uint8_t stream; /**< tpu_stream */
    bool extra;     /**< the model has no row left: nothing is expected */
    bool differs;   /**< from the expected row; true when extra */
    size_t at;      /**< of the rows; see recording_got and recording_expected */
} recording_event;

/** Cycles in a row in which a unit did the same. */
typedef struct recording_span {
    uint64_t first;
    uint64_t last;
    probe_unit unit;
} recording_span;

/** An instruction as issued. */
typedef struct recording_issue {
    uint64_t cycle; /**< in which the sequencer issued it */
    isa_issue issue;
    uint32_t line; /**< of the source, 0 = none */
} recording_issue;

/** All of it; owns its arrays. Zero-initialise, end with recording_clear. */
typedef struct recording {
    recording_window
        window; /**< what it covers; `last` is the run's last cycle when that is less */
    size_t run; /**< which run of the reproducer */
    tpu_params params;
    recording_event *event; /**< by cycle, within one by stream */
    size_t event_count;
    recording_span *span[TPU_UNIT_COUNT]; /**< by cycle, without a gap */
    size_t span_count[TPU_UNIT_COUNT];
    recording_issue *issue; /**< by number, no number left out between first and last */
    size_t issue_count;
    uint8_t *rows;
    engine_counters counters; /**< the machine's own; zeros when the run did not reach its end */
    verdict seen;             /**< of that run */
} recording;

void recording_clear(recording *self);

/**
 * Cycles before and after the first difference, widened to begin where the guilty instruction was
 * issued. Of a verdict OK: the whole run.
 */
recording_window recording_window_of(const verdict *seen, uint64_t before, uint64_t after);

/**
 * Runs a reproducer on a fresh engine and keeps a window of its last run.
 * @param window  { 0, UINT64_MAX } = all of it; a window of a long run takes memory for its own
 *                length only.
 * @param wave    FST file for the same cycles; NULL = none.
 * @param[in,out] out  zeroed.
 * @return TPU_OK whatever the verdict; TPU_REFUSED when the window begins behind the end of the
 *         run; TPU_ERR_IO for the wave; TPU_ERR_MEMORY.
 */
tpu_status recording_take(const reproducer *from, const engine_api *api,
                          const recording_window *window, const char *wave, recording *out,
                          tpu_message *why) TPU_NODISCARD;

/** Bytes of a row of the stream. */
size_t recording_row_bytes(const recording *self, tpu_stream stream);

/** The rows of an event; borrowed. Expected is NULL when the event is extra. */
const uint8_t *recording_got(const recording *self, const recording_event *event);
const uint8_t *recording_expected(const recording *self, const recording_event *event);

/** An issue by its number; NULL = not kept. */
const recording_issue *recording_find_issue(const recording *self, uint32_t seq);

#endif
