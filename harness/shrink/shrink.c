// SPDX-License-Identifier: Apache-2.0
//
// The order of things: settings first, since they make every further try cheaper; then the program
// until a pass changes nothing; then operands; then the program once more, because plain operands
// can make an instruction superfluous.

#include "harness/shrink/shrink.h"

#include "base/stopwatch.h"
#include "csim/isa/image.h"
#include "harness/shrink/shrink_internal.h"

#include <stdlib.h>
#include <string.h>

// Passes over the program; a pass that changes nothing ends them earlier.
#define PASSES_MAX 8u

reproducer_run *shrink_subject(shrink *self) {
    return &self->best->run[self->subject];
}

bool shrink_is_over(shrink *self) {
    double limit = self->options->seconds;
    if (!self->report->timed_out && limit > 0 && stopwatch_wall() - self->begin >= limit) {
        self->report->timed_out = true;
    }
    return self->report->timed_out || self->status != TPU_OK;
}

// When the model or the oracle stands alone, the small program must show that too. It stands alone
// in C, so this keeps the instructions that bring the error there.
static bool same_vote(const shrink *self) {
    return self->vote == VERDICT_VOTE_NONE || self->seen.vote == self->vote;
}

bool shrink_try(shrink *self) {
    size_t at = 0;
    reproducer_replay(self->best, self->options->api, NULL, &self->seen, &at);
    self->report->tried++;
    const verdict_signature got = verdict_signature_of(&self->seen);
    bool same = at + 1 == self->best->run_count && verdict_signature_equal(&got, &self->wanted) &&
                same_vote(self);
    self->report->kept += same;
    return same;
}

bool shrink_copy_program(shrink *self, const isa_program *from, isa_program *to) {
    to->count = 0;
    for (size_t i = 0; i < from->count && self->status == TPU_OK; i++) {
        self->status = isa_program_append(to, &from->insn[i]);
    }
    return self->status == TPU_OK;
}

static void exchange_program(reproducer_run *run, isa_program *program, image *words) {
    const isa_program old = run->program;
    const image old_words = {.words = run->words, .count = run->word_count};
    run->program = *program;
    run->words = words->words;
    run->word_count = words->count;
    *program = old;
    *words = old_words;
}

bool shrink_try_program(shrink *self, isa_program *candidate) {
    image words = {.words = NULL};
    if (shrink_is_over(self)) {
        return false;
    }
    const tpu_params *params = &self->best->config.params;
    if (image_build(params, candidate, true, &words, NULL) != TPU_OK) {
        self->report->illegal++;
        return false;
    }
    reproducer_run *run = shrink_subject(self);
    exchange_program(run, candidate, &words);
    bool same = shrink_try(self);
    if (!same) {
        exchange_program(run, candidate, &words);
    }
    image_clear(&words); // whichever is not in use
    return same;
}

// ---- before and after --------------------------------------------------------------------------

static size_t count_bytes(const reproducer *repro) {
    const reproducer_run *run = &repro->run[repro->run_count - 1];
    size_t region = params_region_bytes(&repro->config.params);
    size_t count = 0;
    for (size_t i = 0; i < region; i++) {
        count += (run->a[i] != 0) + (size_t)(run->b[i] != 0) + (run->c[i] != 0);
    }
    return count;
}

static void measure(const reproducer *repro, shrink_report *report, size_t when) {
    report->runs[when] = repro->run_count;
    report->instructions[when] = repro->run[repro->run_count - 1].program.count;
    report->operand_bytes[when] = count_bytes(repro);
}

static tpu_status copy_runs(const reproducer *from, reproducer *to, tpu_message *why) {
    *to = *from;
    to->run = NULL;
    to->run_count = 0;
    for (size_t i = 0; i < from->run_count; i++) {
        const reproducer_run *run = &from->run[i];
        const lockstep_job job = reproducer_job(run);
        tpu_status status = reproducer_add(to, run->name, &job, &run->timing, why);
        if (status != TPU_OK) {
            reproducer_clear(to);
            return status;
        }
    }
    return TPU_OK;
}

// A file may hold words alone; the passes work on instructions.
static tpu_status prepare(reproducer *work, tpu_message *why) {
    tpu_status status = TPU_OK;
    if (!work->run[work->run_count - 1].checked) {
        return status_fail(why, TPU_REFUSED,
                           "shrink: the failing run is of an illegal program, run without the "
                           "model; only checked runs can be shrunk");
    }
    for (size_t i = 0; i < work->run_count && status == TPU_OK; i++) {
        reproducer_run *run = &work->run[i];
        run->gemm = (lockstep_gemm){.m = 0}; // a changed program is no GEMM any more
        if (run->checked && run->program.count == 0) {
            status = image_decode(run->words, run->word_count, &run->program, why);
        }
    }
    return status;
}

static tpu_status check_start(shrink *self, tpu_message *why) {
    char wanted[256];
    char got[256];
    if (self->wanted.kind != VERDICT_MISMATCH && self->wanted.kind != VERDICT_HANG) {
        return status_fail(why, TPU_REFUSED, "shrink: the reproducer expects no failure");
    }
    if (shrink_try(self)) {
        bool machine = self->seen.vote == VERDICT_VOTE_MACHINE;
        bool agree = self->seen.vote == VERDICT_VOTE_AGREE;
        self->vote = machine || agree ? VERDICT_VOTE_NONE : self->seen.vote;
        return TPU_OK;
    }
    const verdict_signature seen = verdict_signature_of(&self->seen);
    verdict_signature_format(&self->wanted, wanted, sizeof wanted);
    verdict_signature_format(&seen, got, sizeof got);
    return status_fail(why, TPU_REFUSED, "shrink: it should fail with %.200s, and gives %.200s",
                       wanted, got);
}

// The small one must fail by itself, the same way each time.
static tpu_status replay_cold(shrink *self, tpu_message *why) {
    size_t at = 0;
    reproducer_replay(self->best, self->options->api, NULL, &self->seen, &at);
    reproducer_expect(self->best, &self->seen);
    bool same = verdict_signature_equal(&self->best->expected, &self->wanted);
    reproducer_replay(self->best, self->options->api, NULL, &self->seen, &at);
    if (same && reproducer_same(self->best, &self->seen, at)) {
        return TPU_OK;
    }
    return status_fail(why, TPU_ERR_ENGINE,
                       "shrink: two replays of the small program differ; the engine does not "
                       "repeat itself");
}

static void shrink_run_at(shrink *self, size_t subject) {
    self->subject = subject;
    if (!shrink_subject(self)->checked) {
        return;
    }
    shrink_data_timing(self);
    for (unsigned i = 0; i < PASSES_MAX && shrink_program_pass(self); i++) {
    }
    shrink_data_operands(self);
    for (unsigned i = 0; i < PASSES_MAX && shrink_program_pass(self); i++) {
    }
}

static void shrink_all(shrink *self) {
    shrink_data_settings(self);
    for (size_t i = self->best->run_count; i-- > 0;) {
        shrink_run_at(self, i);
    }
}

static tpu_status shrink_copy(shrink *self, tpu_message *why) {
    tpu_status status = prepare(self->best, why);
    if (status == TPU_OK) {
        measure(self->best, self->report, 0);
        status = check_start(self, why);
    }
    if (status != TPU_OK) {
        return status;
    }
    shrink_all(self);
    if (self->status != TPU_OK) {
        return status_fail(why, self->status, "%s", "shrink: out of memory");
    }
    measure(self->best, self->report, 1);
    return replay_cold(self, why);
}

tpu_status shrink_run(reproducer *self, const shrink_options *options, shrink_report *out,
                      tpu_message *why) {
    shrink_report report = {0};
    reproducer work;
    if (self->run_count == 0) {
        return status_fail(why, TPU_REFUSED, "shrink: the reproducer has no run");
    }
    tpu_status status = copy_runs(self, &work, why);
    if (status != TPU_OK) {
        return status;
    }
    shrink state = {.options = options,
                    .report = &report,
                    .best = &work,
                    .wanted = self->expected,
                    .begin = stopwatch_wall()};
    verdict_init(&state.seen);
    status = shrink_copy(&state, why);
    verdict_clear(&state.seen);
    report.seconds = stopwatch_wall() - state.begin;
    if (status == TPU_OK) {
        reproducer_clear(self);
        *self = work;
    } else {
        reproducer_clear(&work);
    }
    if (out != NULL) {
        *out = report;
    }
    return status;
}
