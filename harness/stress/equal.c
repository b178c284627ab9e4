// SPDX-License-Identifier: Apache-2.0
//
// Every sequence of programs runs on all engines of a set, program by program. A program that
// copies rows which nobody wrote shows what memory held before; the two streams in which it does
// are left out of that comparison.

#include "harness/stress/equal.h"

#include "base/stopwatch.h"
#include "csim/isa/image.h"
#include "harness/lockstep/alone.h"
#include "harness/lockstep/digest.h"
#include "harness/stress/stress.h"
#include "harness/stress/stress_operands.h"
#include "harness/stress/traits.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// Programs on one set of engines.
#define SEQUENCE 32u

#define COPIED ((UINT32_C(1) << TPU_STREAM_SP2VR) | (UINT32_C(1) << TPU_STREAM_VR_WRITE))

typedef struct variant {
    engine *device;
    lockstep *pair;
    engine_config config;
    alone_result result;
} variant;

typedef struct equal {
    const equal_options *options;
    equal_summary *sum;
    stress_operands *operands;
    isa_program program;
    image words;
    variant variant[EQUAL_VARIANTS];
    rng source; // of this program
} equal;

// ---- engines -----------------------------------------------------------------------------------

static void close_all(equal *self) {
    for (size_t v = 0; v < EQUAL_VARIANTS; v++) {
        lockstep_destroy(self->variant[v].pair);
        self->options->api->destroy(self->variant[v].device);
        self->variant[v].pair = NULL;
        self->variant[v].device = NULL;
    }
}

static tpu_status open_one(equal *self, uint32_t v, tpu_message *why) {
    const engine_api *api = self->options->api;
    variant *at = &self->variant[v];
    at->config = self->options->config;
    at->config.init = v % 3 == 0   ? ENGINE_INIT_ZEROS
                      : v % 3 == 1 ? ENGINE_INIT_RANDOM
                                   : ENGINE_INIT_ONES;
    at->config.init_seed = rng_next(&self->source);
    at->config.timing = (engine_timing){.read_latency = 1, .write_latency = 1};
    tpu_status status = api->create(&at->config, &at->device, why);
    if (status == TPU_OK) {
        status = api->reset(at->device, why);
    }
    return status == TPU_OK ? lockstep_create(api, at->device, &at->config.params, &at->pair, why)
                            : status;
}

static tpu_status open_all(equal *self, tpu_message *why) {
    tpu_status status = TPU_OK;
    close_all(self);
    for (uint32_t v = 0; v < EQUAL_VARIANTS && status == TPU_OK; v++) {
        status = open_one(self, v, why);
    }
    return status;
}

// By number, not by chance: a hundred programs have every latency and every way to stall.
static engine_timing timing_of(uint64_t program, uint32_t v) {
    static const uint16_t chances[] = {0, 100, 250, 500, 700, 900};
    engine_timing timing = {.read_latency = 1, .write_latency = 1};
    if (v > 0) {
        uint64_t run = program * (EQUAL_VARIANTS - 1) + v - 1;
        timing.read_latency = 1 + (uint32_t)(7 * run % EQUAL_LATENCIES);
        timing.write_latency = 1 + (uint32_t)(run / 3 % EQUAL_LATENCIES);
        timing.stall_permille = chances[run / 2 % (sizeof chances / sizeof chances[0])];
        timing.stall_mode = (engine_stall)(run / 7 % ENGINE_STALL_COUNT);
        timing.stall_seed = run;
    }
    return timing;
}

// ---- one program -------------------------------------------------------------------------------

static void add_finding(equal *self, uint64_t number, uint32_t v, const char *what) {
    equal_summary *sum = self->sum;
    const engine_timing timing = timing_of(number, v);
    if (sum->findings < EQUAL_KEPT) {
        (void)snprintf(sum->sentence[sum->findings], sizeof sum->sentence[0],
                       "program %" PRIu64 ", engine %" PRIu32 " (init %d, latency %" PRIu32
                       "/%" PRIu32 ", stall mode %d at %" PRIu32 "): %.160s",
                       number, v, (int)self->variant[v].config.init, timing.read_latency,
                       timing.write_latency, (int)timing.stall_mode, timing.stall_permille, what);
    }
    sum->findings++;
}

static void compare(equal *self, uint64_t number, uint32_t v, uint32_t but) {
    const variant *first = &self->variant[0];
    const variant *at = &self->variant[v];
    size_t bytes = params_region_bytes(&at->config.params);
    int stream = -1;
    char text[160];
    if (at->result.kind != VERDICT_OK) {
        add_finding(self, number, v, at->result.sentence.text);
    } else if (at->result.fault != 0 || at->result.assertions != 0) {
        (void)snprintf(text, sizeof text, "fault %u, %" PRIu64 " failed assertions",
                       at->result.fault, at->result.assertions);
        add_finding(self, number, v, text);
    } else if (!alone_same(&first->result, &at->result, but, &stream)) {
        (void)snprintf(text, sizeof text, "stream %s is not that of engine 0",
                       stream >= 0 ? tpu_streams[stream].name : "-");
        add_finding(self, number, v, text);
    } else if (memcmp(lockstep_c(first->pair), lockstep_c(at->pair), bytes) != 0) {
        add_finding(self, number, v, "C is not that of engine 0");
    }
}

static tpu_status run_variant(equal *self, uint64_t number, uint32_t v, const lockstep_job *job,
                              tpu_message *why) {
    equal_summary *sum = self->sum;
    variant *at = &self->variant[v];
    const engine_timing timing = timing_of(number, v);
    tpu_status status = self->options->api->set_timing(at->device, &timing, why);
    if (status != TPU_OK) {
        return status;
    }
    alone_run(at->pair, &at->config.params, job, &at->result);
    sum->runs++;
    sum->cycles += at->result.cycles;
    sum->latency[timing.read_latency - 1]++;
    sum->mode[timing.stall_mode] += timing.stall_permille > 0;
    sum->init[at->config.init]++;
    if (at->result.kind == VERDICT_ERROR || at->result.kind == VERDICT_REFUSED) {
        return status_fail(why, TPU_ERR_INTERNAL, "%s", at->result.sentence.text);
    }
    return TPU_OK;
}

static tpu_status make_program(equal *self, uint32_t *but, tpu_message *why) {
    const tpu_params *params = &self->options->config.params;
    traits_set set = 0;
    image_clear(&self->words);
    tpu_status status = stress_program(params, rng_next(&self->source), NULL, &self->program, why);
    if (status == TPU_OK) {
        status = image_build(params, &self->program, true, &self->words, why);
    }
    if (status == TPU_OK) {
        status = traits_of(params, &self->program, &set, why);
    }
    *but = (set >> TRAITS_VLD_UNWRITTEN & 1u) != 0 ? COPIED : 0;
    return status;
}

static tpu_status run_program(equal *self, uint64_t number, bool *go_on, tpu_message *why) {
    stress_operands_pick data;
    uint32_t but = 0;
    equal_summary *sum = self->sum;
    tpu_status status = make_program(self, &but, why);
    if (status != TPU_OK) {
        return status;
    }
    stress_operands_draw(self->operands, &self->source, &data);
    const lockstep_job job = {.program = &self->program,
                              .words = self->words.words,
                              .word_count = self->words.count,
                              .a = data.a,
                              .b = data.b,
                              .c = data.c,
                              .hang_limit = self->options->hang_limit};
    uint64_t before = sum->findings;
    for (uint32_t v = 0; v < EQUAL_VARIANTS && status == TPU_OK; v++) {
        status = run_variant(self, number, v, &job, why);
        if (status == TPU_OK) {
            compare(self, number, v, but);
        }
    }
    const alone_result *first = &self->variant[0].result;
    sum->programs++;
    sum->digest += digest_word(alone_digest(first, 0), number);
    for (size_t s = 0; s < TPU_STREAM_COUNT; s++) {
        sum->rows += first->rows[s];
    }
    *go_on = sum->findings == before; // memories may differ from here on
    return status;
}

// ---- the loop ----------------------------------------------------------------------------------

static bool is_over(const equal *self, double begin) {
    const equal_options *options = self->options;
    return (options->programs > 0 && self->sum->programs >= options->programs) ||
           (options->seconds > 0 && stopwatch_wall() - begin >= options->seconds);
}

tpu_status equal_run(const equal_options *options, equal_summary *out, tpu_message *why) {
    equal self = {.options = options, .sum = out};
    double begin = stopwatch_wall();
    bool go_on = false;
    tpu_status status =
        stress_operands_create(&options->config.params, options->seed, &self.operands, why);
    for (uint64_t number = 0; status == TPU_OK && !is_over(&self, begin); number++) {
        rng_seed(&self.source, options->seed);
        rng_seed(&self.source, rng_next(&self.source) ^ number);
        if (!go_on || number % SEQUENCE == 0) {
            status = open_all(&self, why);
        }
        if (status == TPU_OK) {
            status = run_program(&self, number, &go_on, why);
        }
    }
    close_all(&self);
    isa_program_clear(&self.program);
    image_clear(&self.words);
    stress_operands_destroy(self.operands);
    out->seconds = stopwatch_wall() - begin;
    return status;
}
