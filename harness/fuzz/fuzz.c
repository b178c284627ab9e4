// SPDX-License-Identifier: Apache-2.0
//
// Blind fuzzing: the programs of one sequence after those of another, each from its numbers; and
// how the work of several processes is added up.

#include "harness/fuzz/fuzz.h"

#include "harness/fuzz/fuzz_internal.h"

#include <string.h>

static tpu_status run_sequence(fuzz_loop *self, uint64_t sequence, tpu_message *why) {
    bool go_on = true;
    tpu_status status = fuzz_loop_open(self, sequence, why);
    for (uint32_t i = 0; i < FUZZ_SEQUENCE && status == TPU_OK && go_on && !fuzz_loop_is_over(self);
         i++) {
        status = fuzz_loop_run(self, sequence, i, &go_on, why);
    }
    return status;
}

tpu_status fuzz_run(const fuzz_options *options, const fuzz_watcher *watcher, fuzz_summary *out,
                    tpu_message *why) {
    fuzz_loop self;
    bool go_on = true;
    tpu_status status = fuzz_loop_start(&self, options, watcher, &fuzz_case_blind, out, why);
    for (uint64_t at = options->job; status == TPU_OK && go_on && !fuzz_loop_is_over(&self);
         at += options->jobs) {
        status = run_sequence(&self, at, why);
        go_on = fuzz_loop_report(&self);
    }
    fuzz_loop_end(&self);
    return status;
}

static void merge_bucket(fuzz_summary *into, const fuzz_bucket *from) {
    fuzz_bucket *known = fuzz_find_bucket(into, from->signature);
    if (known == NULL) {
        if (into->bucket_count < FUZZ_BUCKETS_MAX) {
            into->bucket[into->bucket_count++] = *from;
        }
        return;
    }
    uint64_t count = known->count + from->count;
    // The one that was written into the directory has runs; it stays.
    if ((from->runs > 0) > (known->runs > 0) ||
        ((from->runs > 0) == (known->runs > 0) && from->seconds < known->seconds)) {
        *known = *from;
    }
    known->count = count;
}

void fuzz_merge(fuzz_summary *into, const fuzz_summary *from) {
    into->programs += from->programs;
    into->cycles += from->cycles;
    into->rows += from->rows;
    into->issues += from->issues;
    into->findings += from->findings;
    into->digest += from->digest;
    into->sampled += from->sampled;
    into->processor_seconds += from->processor_seconds;
    for (size_t i = 0; i < sizeof into->traits / sizeof into->traits[0]; i++) {
        into->traits[i] += from->traits[i];
    }
    for (uint32_t bin = 0; bin < coverage_bins(); bin++) {
        into->covered[bin] += from->covered[bin];
    }
    into->seconds = from->seconds > into->seconds ? from->seconds : into->seconds;
    for (uint32_t i = 0; i < from->bucket_count; i++) {
        merge_bucket(into, &from->bucket[i]);
    }
}
