// SPDX-License-Identifier: Apache-2.0
//
// What many runs of planted faults come to: how many were caught, how soon, and how far behind the
// first difference. Plain arithmetic.

#ifndef NETMUTANT_TOTALS_H
#define NETMUTANT_TOTALS_H

#include "base/status.h"
#include "harness/mutants/netmutant_rules.h"
#include "harness/mutants/netmutant_run.h"

#include <stddef.h>
#include <stdint.h>

/** Of one way of watching. */
typedef struct netmutant_totals {
    size_t all;
    size_t caught;  /**< in lockstep */
    size_t refused; /**< by illegal programs alone */
    size_t failed;
    size_t streams[TPU_STREAM_COUNT]; /**< of those caught: where it showed first */
    size_t elsewhere;                 /**< caught, but in no stream: final memory, fault, hang */
    uint64_t programs[2];             /**< until caught: median, 95th percentile */
    uint64_t cycles[2];
    double seconds[2];
    uint64_t behind[2]; /**< cycles from the first difference of all to the report */
} netmutant_totals;

/** What became of survivors. */
typedef struct netmutant_sorted {
    size_t explained[NETMUTANT_CLASS_COUNT];
    size_t unexplained;
} netmutant_sorted;

/** The element of a sorted array below which `percent` of it lie; 0 when it is empty. */
uint64_t netmutant_totals_part(const uint64_t *sorted, size_t count, unsigned percent);

/**
 * @param of     results of one way, `count` of them; the good machine is not among them.
 * @param every  results of the same faults when every event is watched; may be `of`.
 * @return TPU_OK or TPU_ERR_MEMORY.
 */
tpu_status netmutant_totals_of(const netmutant_result *of, const netmutant_result *every,
                               size_t count, netmutant_totals *out, tpu_message *why) TPU_NODISCARD;

/** Faults that a program of one way or the other shows or should: all but those explained away. */
size_t netmutant_totals_reachable(size_t all, const netmutant_sorted *sorted);

#endif
