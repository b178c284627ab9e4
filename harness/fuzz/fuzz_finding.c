// SPDX-License-Identifier: Apache-2.0
//
// What a finding leaves behind: the sequence that led to it is made again, cut to what still shows
// it, shrunk, and written with a report of its last run.

#define _POSIX_C_SOURCE 200809L // PATH_MAX

#include "harness/fuzz/fuzz_internal.h"
#include "harness/io/textfile.h"
#include "harness/show/failure.h"
#include "harness/shrink/shrink.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void set_head(const fuzz_options *options, uint64_t sequence, reproducer *out) {
    (void)snprintf(out->engine, sizeof out->engine, "%s", options->engine);
    out->config = fuzz_case_config(options, sequence);
    out->hang_limit = options->hang_limit;
    out->seed = options->seed;
}

static tpu_status add_run(const fuzz_options *options, const fuzz_source *source,
                          const stress_operands *operands, uint64_t sequence, uint32_t index,
                          fuzz_case *made, reproducer *out, tpu_message *why) {
    lockstep_job job;
    char name[64];
    tpu_status status = source->make(source->user, options, operands, sequence, index, made, why);
    if (status != TPU_OK) {
        return status;
    }
    fuzz_case_job(options, made, index, &job);
    (void)snprintf(name, sizeof name, "fuzz %llu/%llu/%u", (unsigned long long)options->seed,
                   (unsigned long long)sequence, index);
    return reproducer_add(out, name, &job, &made->timing, why);
}

static tpu_status rebuild(const fuzz_options *options, const fuzz_source *source, uint64_t sequence,
                          uint32_t index, reproducer *out, tpu_message *why) {
    stress_operands *operands = NULL;
    fuzz_case made = {.program = {.insn = NULL}};
    set_head(options, sequence, out);
    tpu_status status =
        stress_operands_create(&options->config.params, options->seed, &operands, why);
    for (uint32_t i = 0; i <= index && status == TPU_OK; i++) {
        status = add_run(options, source, operands, sequence, i, &made, out, why);
    }
    fuzz_case_clear(&made);
    stress_operands_destroy(operands);
    return status;
}

tpu_status fuzz_rebuild(const fuzz_options *options, uint64_t sequence, uint32_t index,
                        reproducer *out, tpu_message *why) {
    return rebuild(options, &fuzz_case_blind, sequence, index, out, why);
}

static tpu_status write_reproducer(const char *directory, const char *name, const reproducer *repro,
                                   tpu_message *why) {
    char path[PATH_MAX + 32 + FUZZ_SIGNATURE_MAX];
    (void)snprintf(path, sizeof path, "%s/%s", directory, name);
    return reproducer_write(repro, path, why);
}

// Shrinks a reproducer that fails as expected; one that does not is kept as it is.
static tpu_status cut(const fuzz_options *options, reproducer *repro, double *left,
                      tpu_message *why) {
    double seconds = options->shrink_seconds < *left ? options->shrink_seconds : *left;
    const shrink_options how = {.api = options->api, .seconds = seconds};
    shrink_report done = {0};
    if (seconds <= 0) {
        return TPU_OK;
    }
    tpu_status status = shrink_run(repro, &how, &done, why);
    *left -= done.seconds;
    return status == TPU_REFUSED ? TPU_OK : status; // it did not fail again: see report.txt
}

static tpu_status save_all(const fuzz_options *options, const char *directory, reproducer *repro,
                           const verdict *found, double *left, tpu_message *why) {
    const failure small = {.repro = repro, .api = options->api, .seen = found};
    tpu_status status = write_reproducer(directory, "found.json", repro, why);
    if (status == TPU_OK) {
        status = cut(options, repro, left, why);
    }
    return status == TPU_OK ? failure_write(&small, directory, why) : status;
}

tpu_status fuzz_finding_save(const fuzz_options *options, const fuzz_source *source,
                             const verdict *seen, fuzz_bucket *bucket, double *shrink_left,
                             tpu_message *why) {
    char directory[PATH_MAX + 8 + FUZZ_SIGNATURE_MAX];
    char name[FUZZ_SIGNATURE_MAX];
    reproducer repro = {.run = NULL};
    failure_name(bucket->signature, name, sizeof name);
    (void)snprintf(directory, sizeof directory, "%s/%s", options->directory, name);
    tpu_status status = textfile_make_directory(directory, why);
    if (status == TPU_OK) {
        status = rebuild(options, source, bucket->sequence, bucket->index, &repro, why);
    }
    if (status == TPU_OK) {
        reproducer_expect(&repro, seen);
        status = save_all(options, directory, &repro, seen, shrink_left, why);
    }
    if (status == TPU_OK) {
        bucket->runs = (uint32_t)repro.run_count;
        bucket->instructions = (uint32_t)repro.run[repro.run_count - 1].program.count;
    }
    reproducer_clear(&repro);
    return status;
}
