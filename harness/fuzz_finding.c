// SPDX-License-Identifier: Apache-2.0
//
// What a finding leaves behind: the sequence that led to it is made again, cut to what still shows
// it, shrunk, and written with a report of its last run.

#define _POSIX_C_SOURCE 200809L // PATH_MAX

#include "harness/fuzz_internal.h"
#include "harness/report.h"
#include "harness/shrink.h"
#include "harness/textfile.h"

#include "csim/isa/disasm.h"

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

static tpu_status add_run(const fuzz_options *options, const stress_operands *operands,
                          uint64_t sequence, uint32_t index, fuzz_case *made, reproducer *out,
                          tpu_message *why) {
    lockstep_job job;
    char name[64];
    tpu_status status = fuzz_case_make(options, operands, sequence, index, made, why);
    if (status != TPU_OK) {
        return status;
    }
    fuzz_case_job(options, made, index, &job);
    (void)snprintf(name, sizeof name, "fuzz %llu/%llu/%u", (unsigned long long)options->seed,
                   (unsigned long long)sequence, index);
    return reproducer_add(out, name, &job, &made->timing, why);
}

tpu_status fuzz_rebuild(const fuzz_options *options, uint64_t sequence, uint32_t index,
                        reproducer *out, tpu_message *why) {
    stress_operands *operands = NULL;
    fuzz_case made = {.program = {.insn = NULL}};
    set_head(options, sequence, out);
    tpu_status status =
        stress_operands_create(&options->config.params, options->seed, &operands, why);
    for (uint32_t i = 0; i <= index && status == TPU_OK; i++) {
        status = add_run(options, operands, sequence, i, &made, out, why);
    }
    fuzz_case_clear(&made);
    stress_operands_destroy(operands);
    return status;
}

static tpu_status write_text(const char *directory, const char *name, const char *text,
                             tpu_message *why) {
    char path[PATH_MAX + 32 + FUZZ_SIGNATURE_MAX];
    (void)snprintf(path, sizeof path, "%s/%s", directory, name);
    return textfile_write(path, text, strlen(text), why);
}

static tpu_status write_program(const char *directory, const reproducer *repro, tpu_message *why) {
    char *text = NULL;
    tpu_status status = disasm_program(&repro->run[repro->run_count - 1].program, &text, why);
    if (status == TPU_OK) {
        status = write_text(directory, "program.s", text, why);
    }
    free(text);
    return status;
}

static tpu_status write_report(const char *directory, const reproducer *repro, const verdict *seen,
                               tpu_message *why) {
    const reproducer_run *run = &repro->run[repro->run_count - 1];
    char replay[PATH_MAX + 64 + FUZZ_SIGNATURE_MAX];
    char *text = NULL;
    (void)snprintf(replay, sizeof replay, "tpucosim replay %s/repro.json", directory);
    const report_context context = {.name = run->name,
                                    .engine = repro->engine,
                                    .params = &repro->config.params,
                                    .program = &run->program,
                                    .words = run->words,
                                    .word_count = run->word_count,
                                    .seed = repro->seed,
                                    .replay = replay};
    tpu_status status = report_screen(seen, &context, &text, why);
    if (status == TPU_OK) {
        status = write_text(directory, "report.txt", text, why);
    }
    free(text);
    return status;
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
    verdict again;
    size_t at = 0;
    verdict_init(&again);
    tpu_status status = write_reproducer(directory, "found.json", repro, why);
    if (status == TPU_OK) {
        status = cut(options, repro, left, why);
    }
    if (status == TPU_OK) {
        status = write_reproducer(directory, "repro.json", repro, why);
    }
    if (status == TPU_OK) {
        status = write_program(directory, repro, why);
    }
    if (status == TPU_OK) {
        reproducer_replay(repro, options->api, NULL, &again, &at);
        const verdict *shown = reproducer_same(repro, &again, at) ? &again : found;
        status = write_report(directory, repro, shown, why);
    }
    verdict_clear(&again);
    return status;
}

tpu_status fuzz_finding_save(const fuzz_options *options, const verdict *seen, fuzz_bucket *bucket,
                             double *shrink_left, tpu_message *why) {
    char directory[PATH_MAX + 8 + FUZZ_SIGNATURE_MAX];
    char name[FUZZ_SIGNATURE_MAX];
    reproducer repro = {.run = NULL};
    fuzz_directory_name(bucket->signature, name, sizeof name);
    (void)snprintf(directory, sizeof directory, "%s/%s", options->directory, name);
    tpu_status status = textfile_make_directory(directory, why);
    if (status == TPU_OK) {
        status = fuzz_rebuild(options, bucket->sequence, bucket->index, &repro, why);
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
