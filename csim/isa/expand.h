// SPDX-License-Identifier: Apache-2.0
//
// Control flow exactly as the sequencer runs it: program in, one resolved issue after another out.
// No memory is allocated. It judges nothing beyond what would make it run astray; `check` judges.

#ifndef EXPAND_H
#define EXPAND_H

#include "csim/isa/isa.h"

#include <stdbool.h>
#include <stdint.h>

/** Fetches (loop and endloop included) after which a program counts as one that never ends. */
#define EXPAND_FETCH_MAX (1u << 22)

/** An iterator; plain data, copy it to fork a run. Fields are private to expand.c. */
typedef struct expand {
    const isa_program *program; /**< borrowed for the iterator's life */
    uint32_t pc;
    uint32_t fetches; /**< instructions fetched so far; may be read */
    uint32_t seq;     /**< issues given so far; may be read */
    uint32_t depth;
    uint32_t body[TPU_LOOP_DEPTH];
    uint32_t iv[TPU_LOOP_DEPTH];
    uint32_t trip[TPU_LOOP_DEPTH];
    uint32_t live_iv[TPU_LOOP_DEPTH]; /**< what the AGU adds; stale after its loop closed */
} expand;

/** Points the iterator at the first instruction. `program` is borrowed until the last next. */
void expand_start(expand *it, const isa_program *program);

/**
 * Gives the next data issue (nops included, loop and endloop never). At the end `*done` is true
 * and `out` is untouched.
 * @return TPU_OK, or TPU_REFUSED: an endloop without a loop, a nest deeper than TPU_LOOP_DEPTH, or
 *         more than EXPAND_FETCH_MAX fetches. The iterator must not be used further then.
 */
tpu_status expand_next(expand *it, isa_issue *out, bool *done, tpu_message *why) TPU_NODISCARD;

#endif
