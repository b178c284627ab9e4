// SPDX-License-Identifier: Apache-2.0
//
// One program after the other on one machine: makes it, runs it, counts, and takes what it finds.
// Only counts and buckets are kept; what a finding needs is made again by its source.

#include "base/stopwatch.h"
#include "harness/fuzz/fuzz_internal.h"
#include "harness/lockstep/digest.h"
#include "harness/stress/traits.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// One in this many programs is looked at for traits.
#define TRAITS_EVERY 32u

bool fuzz_loop_is_over(const fuzz_loop *self) {
    const fuzz_options *options = self->options;
    bool by_count = options->programs > 0 && self->sum->programs >= options->programs;
    bool by_finding = options->first && self->sum->findings > 0;
    return by_count || by_finding ||
           (options->seconds > 0 && stopwatch_wall() - self->begin >= options->seconds);
}

// ---- one engine --------------------------------------------------------------------------------

void fuzz_loop_close(fuzz_loop *self) {
    lockstep_destroy(self->pair);
    self->options->api->destroy(self->device);
    self->pair = NULL;
    self->device = NULL;
}

tpu_status fuzz_loop_open(fuzz_loop *self, uint64_t sequence, tpu_message *why) {
    const engine_api *api = self->options->api;
    fuzz_loop_close(self);
    const engine_config config = fuzz_case_config(self->options, sequence);
    tpu_status status = api->create(&config, &self->device, why);
    if (status == TPU_OK) {
        status = api->reset(self->device, why);
    }
    if (status == TPU_OK) {
        status = lockstep_create(api, self->device, &config.params, &self->pair, why);
    }
    self->timing = config.timing;
    return status;
}

static tpu_status set_timing(fuzz_loop *self, tpu_message *why) {
    const engine_timing *wanted = &self->now.timing;
    if (wanted->read_latency == self->timing.read_latency &&
        wanted->write_latency == self->timing.write_latency && wanted->stall_permille == 0 &&
        self->timing.stall_permille == 0) {
        return TPU_OK;
    }
    self->timing = *wanted;
    return self->options->api->set_timing(self->device, wanted, why);
}

// ---- findings ----------------------------------------------------------------------------------

fuzz_bucket *fuzz_find_bucket(fuzz_summary *sum, const char *signature) {
    for (uint32_t i = 0; i < sum->bucket_count; i++) {
        if (strcmp(sum->bucket[i].signature, signature) == 0) {
            return &sum->bucket[i];
        }
    }
    return NULL;
}

static tpu_status take_finding(fuzz_loop *self, uint64_t sequence, uint32_t index,
                               tpu_message *why) {
    char text[FUZZ_SIGNATURE_MAX];
    const verdict_signature signature = verdict_signature_of(&self->seen);
    fuzz_summary *sum = self->sum;
    verdict_signature_format(&signature, text, sizeof text);
    sum->findings++;
    fuzz_bucket *bucket = fuzz_find_bucket(sum, text);
    if (bucket != NULL) {
        bucket->count++;
        return TPU_OK;
    }
    if (sum->bucket_count == FUZZ_BUCKETS_MAX) {
        return TPU_OK; // counted, and that is all
    }
    bucket = &sum->bucket[sum->bucket_count++];
    memset(bucket, 0, sizeof *bucket);
    memcpy(bucket->signature, text, sizeof text);
    bucket->count = 1;
    bucket->sequence = sequence;
    bucket->index = index;
    bucket->program = sum->programs;
    bucket->seconds = stopwatch_wall() - self->begin;
    bucket->found_instructions = (uint32_t)self->now.program.count;
    bucket->instructions = bucket->found_instructions;
    (void)snprintf(bucket->sentence, sizeof bucket->sentence, "%.250s", self->seen.sentence.text);
    const fuzz_watcher *watcher = self->watcher;
    bool mine = watcher == NULL || watcher->claim == NULL ||
                watcher->claim(watcher->user, bucket->signature);
    if (self->options->directory == NULL || !mine) {
        return TPU_OK;
    }
    return fuzz_finding_save(self->options, &self->source, &self->seen, bucket, &self->shrink_left,
                             why);
}

// ---- the loop ----------------------------------------------------------------------------------

// A sum, so that it is the same however jobs share the programs.
static uint64_t run_digest(const fuzz_loop *self, uint64_t sequence, uint32_t index) {
    return digest_word(digest_word(self->seen.digest, sequence), index);
}

static void count_run(fuzz_loop *self, uint64_t sequence, uint32_t index) {
    fuzz_summary *sum = self->sum;
    sum->digest += run_digest(self, sequence, index);
    sum->programs++;
    sum->cycles += self->seen.steps;
    sum->issues += self->seen.counts.compared[TPU_STREAM_ISSUE];
    for (size_t s = 0; s < TPU_STREAM_COUNT; s++) {
        sum->rows += self->seen.counts.compared[s];
    }
}

static tpu_status sample_traits(fuzz_loop *self, tpu_message *why) {
    traits_set set = 0;
    if (self->sum->programs % TRAITS_EVERY != 1) {
        return TPU_OK;
    }
    tpu_status status = traits_of(&self->options->config.params, &self->now.program, &set, why);
    for (unsigned i = 0; i < TRAITS_COUNT; i++) {
        self->sum->traits[i] += set >> i & 1u;
    }
    self->sum->sampled++;
    return status;
}

static tpu_status harness_failed(const fuzz_loop *self, uint64_t sequence, uint32_t index,
                                 const char *sentence, tpu_message *why) {
    return status_fail(why, TPU_ERR_INTERNAL,
                       "seed %" PRIu64 ", sequence %" PRIu64 ", program %" PRIu32 ": %.400s",
                       self->options->seed, sequence, index, sentence);
}

tpu_status fuzz_loop_run(fuzz_loop *self, uint64_t sequence, uint32_t index, bool *go_on,
                         tpu_message *why) {
    lockstep_job job;
    tpu_message cause;
    tpu_status status = self->source.make(self->source.user, self->options, self->operands,
                                          sequence, index, &self->now, &cause);
    if (status != TPU_OK) { // `check` refuses what was meant to be legal: one of them is wrong
        return harness_failed(self, sequence, index, cause.text, why);
    }
    status = set_timing(self, why);
    if (status != TPU_OK) {
        return status;
    }
    fuzz_case_job(self->options, &self->now, index, &job);
    if (self->cover != NULL) {
        coverage_begin(self->cover, &self->now.program);
        job.hooks = coverage_hooks(self->cover);
    }
    lockstep_run(self->pair, &job, &self->seen);
    if (self->cover != NULL) {
        coverage_end(self->cover);
    }
    count_run(self, sequence, index);
    *go_on = self->seen.kind == VERDICT_OK;
    if (self->seen.kind == VERDICT_ERROR || self->seen.kind == VERDICT_REFUSED) {
        return harness_failed(self, sequence, index, self->seen.sentence.text, why);
    }
    status = sample_traits(self, why);
    return status == TPU_OK && !*go_on ? take_finding(self, sequence, index, why) : status;
}

// ---- from start to end -------------------------------------------------------------------------

tpu_status fuzz_loop_start(fuzz_loop *self, const fuzz_options *options,
                           const fuzz_watcher *watcher, const fuzz_source *source,
                           fuzz_summary *out, tpu_message *why) {
    *self = (fuzz_loop){.options = options,
                        .watcher = watcher,
                        .source = *source,
                        .sum = out,
                        .begin = stopwatch_wall(),
                        .spent = stopwatch_processor(),
                        .shrink_left = options->budget_seconds};
    verdict_init(&self->seen);
    tpu_status status =
        stress_operands_create(&options->config.params, options->seed, &self->operands, why);
    if (status == TPU_OK && options->coverage) {
        self->cover = coverage_create(&options->config.params);
        if (self->cover == NULL) {
            status = status_fail(why, TPU_ERR_MEMORY, "fuzz: out of memory for coverage");
        }
    }
    return status;
}

void fuzz_loop_account(fuzz_loop *self) {
    fuzz_summary *out = self->sum;
    out->seconds = stopwatch_wall() - self->begin;
    out->processor_seconds = stopwatch_processor() - self->spent;
    if (self->cover != NULL) {
        memcpy(out->covered, coverage_hits(self->cover), coverage_bins() * sizeof out->covered[0]);
    }
}

void fuzz_loop_end(fuzz_loop *self) {
    fuzz_loop_close(self);
    fuzz_loop_account(self);
    coverage_destroy(self->cover);
    verdict_clear(&self->seen);
    fuzz_case_clear(&self->now);
    stress_operands_destroy(self->operands);
}

bool fuzz_loop_report(fuzz_loop *self) {
    fuzz_loop_account(self);
    const fuzz_watcher *watcher = self->watcher;
    return watcher == NULL || watcher->progress == NULL ||
           watcher->progress(watcher->user, self->sum);
}
