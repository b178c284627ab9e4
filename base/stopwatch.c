// SPDX-License-Identifier: Apache-2.0
//
// The two clocks of POSIX that measure.

#define _POSIX_C_SOURCE 200809L

#include "base/stopwatch.h"

#include <time.h>

static double seconds_of(clockid_t which) {
    struct timespec at;
    (void)clock_gettime(which, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

double stopwatch_wall(void) {
    return seconds_of(CLOCK_MONOTONIC);
}

double stopwatch_processor(void) {
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}
