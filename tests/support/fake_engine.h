// SPDX-License-Identifier: Apache-2.0
//
// An engine without RTL: it plays the model's own rows on a seeded schedule and can be told to do
// one thing wrong. The tests of the detector stand on it; it proves nothing about the model.

#ifndef FAKE_ENGINE_H
#define FAKE_ENGINE_H

#include "harness/engine/engine.h"

#include <stdint.h>

typedef enum fake_fault_kind {
    FAKE_FAULT_NONE,
    FAKE_FAULT_FLIP,      /**< bit `bit` of event `event` of `stream` is shown inverted */
    FAKE_FAULT_DROP,      /**< the event is not shown */
    FAKE_FAULT_DOUBLE,    /**< the event is shown twice */
    FAKE_FAULT_SWAP,      /**< the event and the one after it change places */
    FAKE_FAULT_LATE,      /**< the event and all after it in the stream come `value` cycles later */
    FAKE_FAULT_C_CELL,    /**< byte `event` of the final C is inverted */
    FAKE_FAULT_MEMORY,    /**< byte `event` of the final contents of `memory` is inverted */
    FAKE_FAULT_PARAM,     /**< parameter `value` (order of tpu_param_infos) is echoed one too big */
    FAKE_FAULT_HASH,      /**< another spec hash is echoed */
    FAKE_FAULT_HANG,      /**< from the event on nothing moves, and done never rises */
    FAKE_FAULT_WATCHDOG,  /**< likewise, but the run ends with the watchdog fault */
    FAKE_FAULT_SILENT,    /**< no event is shown; memories are right */
    FAKE_FAULT_RAISED,    /**< the run ends with fault code `value` */
    FAKE_FAULT_ASSERTION, /**< one failed assertion is counted */
    FAKE_FAULT_STEP,      /**< step fails in cycle `value` */
    FAKE_FAULT_EARLY,     /**< unit `value` is starved by the memory when done is shown */
    FAKE_FAULT_REFUSED,   /**< the start is answered with an error; unit `value`, if any, is busy */
    FAKE_FAULT_AFTER,     /**< one more row of `stream` after done */
    FAKE_FAULT_EDIT       /**< `edit` may change any row, once all of them are known */
} fake_fault_kind;

typedef struct fake_fault {
    fake_fault_kind kind;
    tpu_stream stream;
    tpu_mem memory;
    uint64_t event; /**< 0-based index in the stream, or a byte */
    uint32_t bit;
    uint32_t value;
    void (*edit)(tpu_stream stream, uint64_t index, uint8_t *row);
    const probe_unit *units; /**< what the units say in a hang; NULL = as the stream suggests */
} fake_fault;

/** The table. create ends any config but checks nothing. */
const engine_api *fake_engine_api(void);

/**
 * The table of engines that go wrong from their creation on, as engines of a mutated RTL do.
 * @param fault  borrowed for as long as engines are made, and looked at when each is made; the
 *               last call's holds for all such tables.
 */
engine_api fake_engine_faulty(const fake_fault *fault);

/** What goes wrong in the runs from now on. */
void fake_engine_inject(engine *self, const fake_fault *fault);

/** Other timing: the same rows with other delays, 0 .. max_delay cycles each. */
void fake_engine_schedule(engine *self, uint64_t seed, uint32_t max_delay);

/** Cycle in which the event was or will be shown in the run that was started last. */
uint64_t fake_engine_cycle_of(const engine *self, tpu_stream stream, uint64_t event);

#endif
