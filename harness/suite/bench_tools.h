// SPDX-License-Identifier: Apache-2.0
//
// What the tools reach beside the machine: rates of processor time on one core and ratios of two
// measurements of one run. Absolute rates mean little on a shared machine; ratios do.

#ifndef BENCH_TOOLS_H
#define BENCH_TOOLS_H

#include "harness/suite/bench.h"

#include <stdbool.h>

/** One figure. Strings are static. */
typedef struct bench_figure {
    const char *name;
    const char *unit;
    double value;
    double target; /**< 0 = none at this point */
    bool at_most;  /**< the target is a ceiling, not a floor */
} bench_figure;

/** True when the figure has no target or keeps it. */
bool bench_tools_reached(const bench_figure *figure);

/**
 * Checked fuzz programs a second of processor time on one core, all included: making the program,
 * checking it, running and comparing it. The best of eight rounds.
 * @param seconds  of all rounds together.
 * @return TPU_OK; TPU_REFUSED without an engine; TPU_ERR_ENGINE when a program was not exact.
 */
tpu_status bench_tools_fuzz(const bench_options *options, double seconds, bench_figure *out,
                            tpu_message *why) TPU_NODISCARD;

#endif
