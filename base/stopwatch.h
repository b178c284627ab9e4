// SPDX-License-Identifier: Apache-2.0
//
// Seconds for measuring how long something takes. No time of day: only differences mean anything,
// and nothing that a run computes may depend on them.

#ifndef STOPWATCH_H
#define STOPWATCH_H

/** Seconds of the clock on the wall, which never goes back. */
double stopwatch_wall(void);

/** Processor seconds of this process: other programs on the machine do not count. */
double stopwatch_processor(void);

#endif
