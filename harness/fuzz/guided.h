// SPDX-License-Identifier: Apache-2.0
//
// Fuzzing guided by what programs cover: libFuzzer chooses which tapes to change and keeps those
// that reach something new; how they change is tape_mutate.c. Linked in where the library was there
// at build time; it needs no compiler.

#ifndef GUIDED_H
#define GUIDED_H

#include "harness/fuzz/fuzz.h"

/** False when tpucosim was built without libFuzzer. */
bool guided_available(void);

/**
 * A driver for fuzz_options. Ends through the watcher's `finish` and returns only when it fails
 * before the first program. One call a process. options->corpus: directory, read first and added
 * to; jobs share it. With one job and no time limit the same seed does the same.
 * @return TPU_REFUSED when there is no libFuzzer or a file of the corpus is damaged.
 */
tpu_status guided_run(const fuzz_options *options, const fuzz_watcher *watcher, fuzz_summary *out,
                      tpu_message *why) TPU_NODISCARD;

#endif
