// SPDX-License-Identifier: Apache-2.0
//
// What one process of a campaign does, and the page through which the others see it. For
// campaign*.c alone.

#ifndef CAMPAIGN_WORK_H
#define CAMPAIGN_WORK_H

#include "base/status.h"
#include "harness/campaign/campaign.h"
#include "harness/engine/engine.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/** In shared memory, one a process; written by that process. */
typedef struct campaign_tally {
    _Atomic uint64_t finished; /**< units, by this command */
    _Atomic uint64_t unit;     /**< the one under way */
    _Atomic uint64_t programs;
    _Atomic uint64_t cycles;
    _Atomic uint64_t findings;
    _Atomic bool ended; /**< status and why are there */
    tpu_status status;
    tpu_message why;
} campaign_tally;

/** All borrowed. */
typedef struct campaign_job {
    const campaign_options *options;
    const campaign_plan *plan;    /**< complete */
    const engine_api *const *api; /**< of each point */
    const uint8_t *finished;      /**< 1 = that unit is not to be run */
    uint32_t process;             /**< 0 .. processes - 1 */
    uint32_t processes;           /**< of all groups */
    campaign_tally *tally;
} campaign_job;

/** Runs the units of one process to their end, or until the time is up. */
tpu_status campaign_work(const campaign_job *job, tpu_message *why) TPU_NODISCARD;

/** "DIR/worker_0003.<ending>". @return TPU_OK, or TPU_REFUSED when it is too long. */
tpu_status campaign_work_path(const char *directory, uint32_t process, const char *ending,
                              char *path, size_t size, tpu_message *why) TPU_NODISCARD;

#endif
