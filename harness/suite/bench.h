// SPDX-License-Identifier: Apache-2.0
//
// Cycles of the machine against the targets, for the shipped program and for the fastest legal
// one, at several memory latencies; and the speed of the harness. Data only.

#ifndef BENCH_H
#define BENCH_H

#include "base/status.h"
#include "csim/isa/programs.h"
#include "harness/engine/engine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BENCH_LATENCIES 4

/** Read latencies of the columns: 1, 16, 64, 100 cycles. */
extern const uint32_t bench_latencies[BENCH_LATENCIES];

typedef struct bench_options {
    const char *engine;
    engine_config config; /**< parameters and watchdog; timing is bench's own */
    uint64_t seed;
    double speed_seconds;  /**< for each of the two speeds of a line */
    const engine_api *api; /**< NULL = load; for tests */
} bench_options;

/** One shape. Cycle counts are 0 where the run was not exact or the form does not fit. */
typedef struct bench_row {
    uint32_t m;
    uint32_t k;
    uint32_t n;
    uint64_t ideal;
    uint64_t target;    /**< performance target in cycles, 0 = none for this point */
    uint64_t published; /**< best published, 0 = none */
    uint64_t shipped[BENCH_LATENCIES];
    uint64_t best[BENCH_LATENCIES];
    programs_form form; /**< of `best` */
    uint64_t relu;      /**< best form with relu, L = 1 */
    uint64_t shallow;   /**< best form at QD = 2, L = 1; 0 = there is no such engine */
    double checked;     /**< cycles a second at L = 1, best form */
    double bare;
    bool exact; /**< every run of the line was */
    tpu_message sentence;
} bench_row;

typedef void (*bench_on_row)(void *user, const bench_row *row);

/** Runs every benchmark shape that fits. @return TPU_OK also when a line is not exact. */
tpu_status bench_run(const bench_options *options, bench_on_row on_row, void *user,
                     tpu_message *why) TPU_NODISCARD;

#endif
