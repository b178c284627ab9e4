// SPDX-License-Identifier: Apache-2.0
//
// Fuzzing in several processes: worker j of J takes the sequences j, j + J, ..., so that no two do
// the same and J does not change what is done. Workers answer through a pipe; what they share is
// a page of counters and the list of signatures that somebody writes up already. Prints nothing.

#ifndef FUZZ_WORKERS_H
#define FUZZ_WORKERS_H

#include "harness/fuzz/fuzz.h"

/** What all workers together have done so far. */
typedef struct fuzz_workers_state {
    uint64_t programs;
    uint64_t cycles;
    uint64_t findings;
    uint32_t bins; /**< that any of them hit; 0 when nobody looks at coverage */
    double seconds;
    double processor_seconds;
} fuzz_workers_state;

/** Hears of progress about once a second, in the parent. */
typedef void (*fuzz_workers_progress)(void *user, const fuzz_workers_state *state);

/**
 * Runs `options->jobs` processes to their end; options->job is ignored.
 * @param progress     may be NULL.
 * @param[in,out] out  zeroed; all workers' work, those that failed included.
 * @return TPU_OK; the first failure of a worker; TPU_ERR_INTERNAL when one died, with the sequence
 *         it was in; TPU_ERR_IO when no process or pipe can be made.
 */
tpu_status fuzz_workers_run(const fuzz_options *options, fuzz_workers_progress progress, void *user,
                            fuzz_summary *out, tpu_message *why) TPU_NODISCARD;

#endif
