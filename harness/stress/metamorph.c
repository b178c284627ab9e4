// SPDX-License-Identifier: Apache-2.0
//
// Both sides of a pair one after the other on one engine, which keeps its memories; then what they
// must have in common.

#include "harness/stress/metamorph.h"

#include "csim/isa/image.h"
#include "harness/lockstep/alone.h"
#include "harness/stress/metamorph_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Draws in a row that may offer nothing.
#define PATIENCE 200u

// Pairs on one engine.
#define SEQUENCE 64u

typedef struct metamorph {
    const metamorph_options *options;
    metamorph_summary *sum;
    metamorph_pair pair;
    rng source;
    engine *device;
    lockstep *lock;
    uint8_t *block; // all matrices
    uint8_t *c;     // the first side's, after its run
    size_t region;
} metamorph;

static const char *const texts[METAMORPH_COUNT] = {
#define METAMORPH_TEXT(name, text) text,
    METAMORPH_LIST(METAMORPH_TEXT)
#undef METAMORPH_TEXT
};

const char *metamorph_text(metamorph_kind kind) {
    return (unsigned)kind < METAMORPH_COUNT ? texts[kind] : NULL;
}

// ---- engine and memory -------------------------------------------------------------------------

static void close_engine(metamorph *self) {
    lockstep_destroy(self->lock);
    self->options->api->destroy(self->device);
    self->lock = NULL;
    self->device = NULL;
}

static tpu_status open_engine(metamorph *self, tpu_message *why) {
    const engine_api *api = self->options->api;
    engine_config config = self->options->config;
    close_engine(self);
    config.init = ENGINE_INIT_RANDOM;
    config.init_seed = rng_next(&self->source);
    config.timing = (engine_timing){.read_latency = 1, .write_latency = 1};
    tpu_status status = api->create(&config, &self->device, why);
    if (status == TPU_OK) {
        status = api->reset(self->device, why);
    }
    return status == TPU_OK ? lockstep_create(api, self->device, &config.params, &self->lock, why)
                            : status;
}

static tpu_status open_memory(metamorph *self, tpu_message *why) {
    const tpu_params *params = &self->options->config.params;
    self->region = params_region_bytes(params);
    self->block = calloc(7, self->region);
    self->pair.row = calloc(params->maxdim, sizeof self->pair.row[0]);
    if (self->block == NULL || self->pair.row == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "metamorph: out of memory");
    }
    self->pair.first.a = self->block;
    self->pair.first.b = self->block + self->region;
    self->pair.first.c = self->block + 2 * self->region;
    self->pair.second.a = self->block + 3 * self->region;
    self->pair.second.b = self->block + 4 * self->region;
    self->pair.second.c = self->block + 5 * self->region;
    self->c = self->block + 6 * self->region;
    self->pair.params = params;
    self->pair.source = &self->source;
    return TPU_OK;
}

// ---- one pair ----------------------------------------------------------------------------------

static tpu_status run_side(metamorph *self, const metamorph_side *side, alone_result *out,
                           tpu_message *why) {
    const tpu_params *params = &self->options->config.params;
    image words = {.words = NULL};
    tpu_status status = image_build(params, &side->program, true, &words, why);
    if (status != TPU_OK) { // a pair is made of legal programs
        return status == TPU_REFUSED ? TPU_ERR_INTERNAL : status;
    }
    const lockstep_job job = {.program = &side->program,
                              .words = words.words,
                              .word_count = words.count,
                              .a = side->a,
                              .b = side->b,
                              .c = side->c,
                              .hang_limit = self->options->hang_limit};
    alone_run(self->lock, params, &job, out);
    image_clear(&words);
    return TPU_OK;
}

// m x n zeros, and around them what was there.
static bool is_zero(const metamorph *self) {
    const metamorph_pair *pair = &self->pair;
    const uint32_t maxdim = pair->params->maxdim;
    const uint8_t *c = lockstep_c(self->lock);
    for (uint32_t r = 0; r < maxdim; r++) {
        for (uint32_t column = 0; column < maxdim; column++) {
            size_t at = (size_t)r * maxdim + column;
            uint8_t want = r < pair->m && column < pair->n ? 0 : pair->second.c[at];
            if (c[at] != want) {
                return false;
            }
        }
    }
    return true;
}

static bool is_moved(const metamorph *self) {
    const uint32_t maxdim = self->pair.params->maxdim;
    const uint8_t *c = lockstep_c(self->lock);
    for (uint32_t r = 0; r < maxdim; r++) {
        const uint8_t *want = self->c + (size_t)r * maxdim;
        if (memcmp(c + (size_t)self->pair.row[r] * maxdim, want, maxdim) != 0) {
            return false;
        }
    }
    return true;
}

static void judge(metamorph *self, metamorph_kind kind, const alone_result *first,
                  const alone_result *second, bool *good) {
    metamorph_summary *sum = self->sum;
    int stream = -1;
    const char *what = NULL;
    if (!alone_same(first, second, self->pair.differ, &stream)) {
        what = stream >= 0 ? tpu_streams[stream].name : "one of them does not end well";
    } else if (self->pair.zero ? !is_zero(self) : !is_moved(self)) {
        what = "C";
    }
    *good = what == NULL;
    if (what != NULL) {
        if (sum->kept < METAMORPH_KEPT) {
            (void)snprintf(sum->sentence[sum->kept++], sizeof sum->sentence[0],
                           "pair %" PRIu64 " of \"%s\": %s differs", sum->pairs[kind], texts[kind],
                           what);
        }
        sum->findings[kind]++;
    }
    sum->pairs[kind]++;
}

static tpu_status run_pair(metamorph *self, metamorph_kind kind, bool *good, tpu_message *why) {
    alone_result first;
    alone_result second;
    bool made = false;
    tpu_status status = TPU_OK;
    for (uint32_t i = 0; i < PATIENCE && status == TPU_OK && !made; i++) {
        status = metamorph_pair_make(&self->pair, kind, &made, why);
    }
    if (status != TPU_OK || !made) {
        return status;
    }
    status = run_side(self, &self->pair.first, &first, why);
    memcpy(self->c, lockstep_c(self->lock), self->region);
    if (status == TPU_OK) {
        status = run_side(self, &self->pair.second, &second, why);
    }
    if (status == TPU_OK) {
        judge(self, kind, &first, &second, good);
    }
    return status;
}

tpu_status metamorph_run(const metamorph_options *options, metamorph_summary *out,
                         tpu_message *why) {
    metamorph self = {.options = options, .sum = out};
    bool good = false;
    tpu_status status = open_memory(&self, why);
    rng_seed(&self.source, options->seed);
    for (uint64_t i = 0; i < options->pairs && status == TPU_OK; i++) {
        for (int kind = 0; kind < METAMORPH_COUNT && status == TPU_OK; kind++) {
            if (!good || (i % SEQUENCE == 0 && kind == 0)) {
                status = open_engine(&self, why);
                good = true;
            }
            if (status == TPU_OK) {
                status = run_pair(&self, (metamorph_kind)kind, &good, why);
            }
        }
    }
    close_engine(&self);
    isa_program_clear(&self.pair.first.program);
    isa_program_clear(&self.pair.second.program);
    free(self.block);
    free(self.pair.row);
    return status;
}
