// SPDX-License-Identifier: Apache-2.0
//
// In place of guided.c where libFuzzer was not there at build time.

#include "harness/fuzz/guided.h"

bool guided_available(void) {
    return false;
}

tpu_status guided_run(const fuzz_options *options, const fuzz_watcher *watcher, fuzz_summary *out,
                      tpu_message *why) {
    (void)options;
    (void)watcher;
    (void)out;
    return status_fail(why, TPU_REFUSED,
                       "this tpucosim was built without libFuzzer; install libclang-rt-14-dev and "
                       "build it again, or leave --guided out");
}
