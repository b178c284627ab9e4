// SPDX-License-Identifier: Apache-2.0
//
// Figures of the tools, each from the function that a user's command calls.

#include "harness/suite/bench_tools.h"

#include "harness/engine/loader.h"
#include "harness/fuzz/fuzz.h"
#include "harness/lockstep/lockstep.h"

#include <stdlib.h>

// Programs of about 125 cycles at T=4; at other points there is no target.
#define FUZZ_TARGET 5000.0
#define FUZZ_TARGET_T 4u

bool bench_tools_reached(const bench_figure *figure) {
    if (figure->target <= 0) {
        return true;
    }
    return figure->at_most ? figure->value <= figure->target : figure->value >= figure->target;
}

// Others on the machine only ever make it slower, so the best of some rounds is nearest the truth.
#define FUZZ_ROUNDS 16

static tpu_status measure_fuzz(const bench_options *options, const engine_api *api, double seconds,
                               bench_figure *out, tpu_message *why) {
    const fuzz_options fuzz = {.engine = options->engine,
                               .api = api,
                               .config = options->config,
                               .hang_limit = LOCKSTEP_HANG_LIMIT,
                               .seed = options->seed,
                               .jobs = 1,
                               .seconds = seconds};
    fuzz_summary *sum = calloc(1, sizeof *sum);
    if (sum == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "bench: out of memory");
    }
    tpu_status status = fuzz_run(&fuzz, NULL, sum, why);
    if (status == TPU_OK && sum->findings != 0) {
        status = status_fail(why, TPU_ERR_ENGINE, "bench: a fuzzed program was not exact: %s",
                             sum->bucket[0].sentence);
    }
    if (status == TPU_OK && sum->processor_seconds > 0) {
        double rate = (double)sum->programs / sum->processor_seconds;
        out->value = rate > out->value ? rate : out->value;
    }
    free(sum);
    return status;
}

tpu_status bench_tools_fuzz(const bench_options *options, double seconds, bench_figure *out,
                            tpu_message *why) {
    loader *opened = NULL;
    const engine_api *api = options->api;
    *out = (bench_figure){.name = "fuzz, checked",
                          .unit = "programs/s/core",
                          .target = options->config.params.t == FUZZ_TARGET_T ? FUZZ_TARGET : 0};
    if (api == NULL) {
        tpu_status status = loader_open(options->engine, &options->config.params, &opened, why);
        if (status != TPU_OK) {
            return status;
        }
        api = loader_api(opened);
    }
    tpu_status status = TPU_OK;
    for (int round = 0; round < FUZZ_ROUNDS && status == TPU_OK; round++) {
        status = measure_fuzz(options, api, seconds / FUZZ_ROUNDS, out, why);
    }
    loader_close(opened);
    return status;
}
