// SPDX-License-Identifier: Apache-2.0
//
// A second pass of the model over a run that failed, to ask what the first one did not keep: from
// where the wrong row should have come, where else its contents stand, what was there before, and
// the operands of the mm it belongs to.

#ifndef WITNESS_H
#define WITNESS_H

#include "base/status.h"
#include "csim/isa/params.h"
#include "harness/lockstep/systolic.h"
#include "spec/generated/tpu_isa.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The run, as it was started, and the row in question. Everything is borrowed. */
typedef struct witness_query {
    const tpu_params *params;
    const uint64_t *words;
    size_t word_count;
    const uint8_t *memory[TPU_MEM_COUNT]; /**< contents at the start; IMEM is not needed */
    tpu_stream stream;
    uint64_t index;     /**< of the row in the stream */
    const uint8_t *got; /**< the row that came instead; NULL = none came */
} witness_query;

/** What the model says of that row. Owns its arrays; end with witness_clear. */
typedef struct witness {
    bool known; /**< the model has such a row; false = nothing below is set */
    uint64_t needed[TPU_STREAM_COUNT]; /**< rows of each channel that it is made from, and before */
    uint32_t f[TPU_FIELDS];            /**< operands of its issue */
    uint8_t op;
    bool header;    /**< the header causes it: there is no issue */
    uint32_t issue; /**< number of its issue */
    uint32_t in_issue;

    bool again; /**< another row of the stream has the lanes that came */
    uint64_t again_at;

    int memory;      /**< tpu_mem that the row is read from; -1 = none */
    uint32_t source; /**< row of that memory */
    uint32_t block;  /**< A and B: block of T columns */
    bool moved;      /**< another place there holds what came */
    uint32_t moved_to;
    uint32_t moved_block;
    bool stale;       /**< `source` held what came before it was written last */
    bool stale_start; /**< that was before the run */

    bool has_lanes; /**< `lanes` is what the row hands on, from a memory or a channel */
    bool written;   /**< this program has loaded that */
    uint8_t *lanes;

    bool has_left; /**< operands of an ar row or of a row to C: base and addend, or the sources */
    bool has_right;
    int32_t *left;
    int32_t *right;

    bool has_mm; /**< `mm` is set, but for `seen` and `got` */
    systolic_case mm;
    int32_t *sums; /**< the rows of sums that the mm should give */
    void *storage; /**< what `mm` points into */
} witness;

/** Asks. @param[in,out] out  zeroed. @return TPU_OK or TPU_ERR_MEMORY. */
tpu_status witness_ask(const witness_query *query, witness *out, tpu_message *why) TPU_NODISCARD;

void witness_clear(witness *self);

#endif
