// SPDX-License-Identifier: Apache-2.0
//
// The end of a run, in this order: fault, missing rows, on-chip memories, C, assertions, oracle,
// and last whether enough was compared for all of this to mean anything.

#include "harness/lockstep/lockstep_internal.h"
#include "harness/oracle/oracle.h"

#include <string.h>

void settle_counts(lockstep *self) {
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        self->out->counts.emitted[s] = expected_emitted(self->model, (tpu_stream)s);
    }
}

static bool settle_status(lockstep *self) {
    verdict *out = self->out;
    tpu_message why = {{0}};
    tpu_status status = self->api->status(self->device, &out->status, &why);
    if (status != TPU_OK) {
        lockstep_give_up(self, TPU_ERR_ENGINE, &why);
        return false;
    }
    self->assertion = why; // the engine's word for it
    if (!out->status.done) {
        (void)status_fail(&why, TPU_ERR_ENGINE,
                          "the engine showed done in cycle %llu, its status says not done",
                          (unsigned long long)out->cycle);
        lockstep_give_up(self, TPU_ERR_ENGINE, &why);
        return false;
    }
    return true;
}

static bool settle_fault(lockstep *self) {
    verdict *out = self->out;
    if (out->status.fault == TPU_RULE_NONE) {
        return true;
    }
    if (out->status.fault == TPU_FAULT_WATCHDOG) {
        blame_stuck(self);
        return false;
    }
    const char *name = tpu_rule_name(out->status.fault);
    out->kind = VERDICT_MISMATCH;
    out->diff = VERDICT_DIFF_FAULT;
    out->unit = out->status.fault_unit < TPU_UNIT_COUNT ? out->status.fault_unit : -1;
    (void)status_fail(&out->sentence, TPU_OK, "the machine raised %s at pc %u in a legal program",
                      name != NULL ? name : "an unknown fault", out->status.fault_pc);
    blame_fault(self);
    return false;
}

static bool settle_assertions(lockstep *self) {
    verdict *out = self->out;
    if (out->status.assertions == 0) {
        return true;
    }
    out->kind = VERDICT_MISMATCH;
    out->diff = VERDICT_DIFF_ASSERTION;
    (void)status_fail(&out->sentence, TPU_OK, "%llu RTL assertion(s) failed",
                      (unsigned long long)out->status.assertions);
    blame_assertion(self, self->assertion.text);
    return false;
}

// Every unit must be at rest in the cycle that shows the end, or the end does not mean anything:
// with the last write unanswered, for instance, C may not be there yet.
static bool settle_rest(lockstep *self) {
    for (int unit = 0; unit < TPU_UNIT_COUNT; unit++) {
        if (self->out->units[unit].state != PROBE_IDLE) {
            blame_early(self, unit);
            return false;
        }
    }
    return true;
}

// Earlier issue first, then earlier row within the issue, then further upstream.
int settle_first_missing(lockstep *self) {
    int found = -1;
    uint64_t earliest = 0;
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        uint64_t taken = expected_taken(self->model, (tpu_stream)s);
        if (taken == expected_emitted(self->model, (tpu_stream)s)) {
            continue;
        }
        expected_row row = expected_peek(self->model, (tpu_stream)s, taken);
        uint32_t issue = row.issue + 1; // the header's rows come as 0
        uint64_t place = (uint64_t)issue << 32 | row.in_issue;
        if (found < 0 || place < earliest) {
            found = s;
            earliest = place;
        }
    }
    return found;
}

static int first_watched_missing(lockstep *self) {
    tpu_stream issue = TPU_STREAM_ISSUE;
    switch (self->job->watch) {
    case LOCKSTEP_WATCH_EVERY:
        return settle_first_missing(self);
    case LOCKSTEP_WATCH_ISSUE:
        return expected_taken(self->model, issue) < expected_emitted(self->model, issue)
                   ? (int)issue
                   : -1;
    default:
        return -1;
    }
}

static bool settle_rows(lockstep *self) {
    tpu_message why;
    if (expected_finish(self->model, &why) != TPU_OK) {
        lockstep_give_up(self, TPU_ERR_INTERNAL, &why);
        return false;
    }
    int missing = first_watched_missing(self);
    if (missing >= 0) {
        blame_missing(self, (tpu_stream)missing);
    }
    return missing < 0;
}

static bool settle_memory(lockstep *self, tpu_mem memory) {
    size_t bytes = lockstep_memory_bytes(self, memory);
    tpu_message why;
    if (self->api->read(self->device, memory, self->buffer, bytes, &why) != TPU_OK) {
        lockstep_give_up(self, TPU_ERR_ENGINE, &why);
        return false;
    }
    size_t have = 0;
    const uint8_t *want = expected_memory(self->model, memory, &have);
    if (have < bytes) {
        (void)status_fail(&why, TPU_ERR_INTERNAL, "the model's %s has %zu bytes instead of %zu",
                          tpu_mem_names[memory], have, bytes);
        lockstep_give_up(self, TPU_ERR_INTERNAL, &why);
        return false;
    }
    size_t lane_bytes = memory == TPU_MEM_AR ? 4 : 1;
    size_t rows = bytes / lane_bytes / self->params.t;
    self->out->counts.memory_rows += rows;
    if (memcmp(want, self->buffer, bytes) == 0) {
        return true;
    }
    blame_memory(self, memory, want, self->buffer, rows, self->params.t, lane_bytes);
    return false;
}

static tpu_status ask_oracle(lockstep *self, tpu_message *why) {
    const lockstep_job *job = self->job;
    const tpu_params *params = &self->params;
    int8_t *c = (int8_t *)self->oracle_c;
    memcpy(c, job->c, params_region_bytes(params));
    if (job->gemm.m > 0) {
        oracle_gemm(job->gemm.m, job->gemm.k, job->gemm.n, (const int8_t *)job->a, params->maxdim,
                    (const int8_t *)job->b, params->maxdim, job->gemm.relu, c, params->maxdim);
        return TPU_OK;
    }
    const oracle_shape shape = {.t = params->t, .maxdim = params->maxdim};
    return oracle_program(&shape, job->words, job->word_count, (const int8_t *)job->a,
                          (const int8_t *)job->b, c, NULL, why);
}

// The model's C as the vote sees it: a copy, which a hook may change.
static void copy_model_c(lockstep *self) {
    size_t bytes = 0;
    size_t region = params_region_bytes(&self->params);
    const lockstep_hooks *hooks = self->job->hooks;
    memcpy(self->model_c, expected_memory(self->model, TPU_MEM_C, &bytes), region);
    if (hooks != NULL && hooks->expected_c != NULL) {
        hooks->expected_c(hooks->user, self->model_c, region);
    }
}

static verdict_vote count_votes(bool machine_model, bool machine_oracle, bool model_oracle) {
    if (machine_model && machine_oracle) {
        return VERDICT_VOTE_AGREE;
    }
    if (machine_model) {
        return VERDICT_VOTE_ORACLE;
    }
    if (machine_oracle) {
        return VERDICT_VOTE_MODEL;
    }
    return model_oracle ? VERDICT_VOTE_MACHINE : VERDICT_VOTE_SPLIT;
}

void settle_vote(lockstep *self, bool have_machine) {
    tpu_message why;
    size_t region = params_region_bytes(&self->params);
    if (expected_finish(self->model, &why) != TPU_OK || ask_oracle(self, &why) != TPU_OK) {
        return; // no opinion; on the way to OK the caller asks again and reports it
    }
    copy_model_c(self);
    self->out->counts.oracle_cells = region;
    bool model_oracle = memcmp(self->model_c, self->oracle_c, region) == 0;
    if (!have_machine) {
        self->out->vote = model_oracle ? VERDICT_VOTE_MACHINE : VERDICT_VOTE_MODEL;
        return;
    }
    self->out->vote =
        count_votes(memcmp(self->machine_c, self->model_c, region) == 0,
                    memcmp(self->machine_c, self->oracle_c, region) == 0, model_oracle);
}

static size_t first_difference(const uint8_t *left, const uint8_t *right, size_t bytes) {
    size_t at = 0;
    if (memcmp(left, right, bytes) == 0) {
        return bytes;
    }
    while (at < bytes && left[at] == right[at]) {
        at++;
    }
    return at;
}

static bool settle_c(lockstep *self) {
    const tpu_params *params = &self->params;
    verdict *out = self->out;
    size_t region = params_region_bytes(params);
    tpu_message why;
    if (self->api->read(self->device, TPU_MEM_C, self->machine_c, region, &why) != TPU_OK) {
        lockstep_give_up(self, TPU_ERR_ENGINE, &why);
        return false;
    }
    copy_model_c(self);
    out->counts.c_cells = region;
    size_t at = first_difference(self->model_c, self->machine_c, region);
    if (at == region) {
        return true;
    }
    blame_memory(self, TPU_MEM_C, self->model_c, self->machine_c, params->maxdim, params->maxdim,
                 1);
    uint32_t row = (uint32_t)(at / params->maxdim);
    uint32_t column = (uint32_t)(at % params->maxdim);
    bool inside = expected_c_written(self->model, row, column / params->t);
    out->diff = inside ? VERDICT_DIFF_C_INSIDE : VERDICT_DIFF_C_OUTSIDE;
    (void)status_fail(&out->sentence, TPU_OK,
                      "C[%u][%u] is %d, expected %d: a cell that the program %s", row, column,
                      (int)(int8_t)self->machine_c[at], (int)(int8_t)self->model_c[at],
                      inside ? "writes" : "never writes");
    settle_vote(self, true);
    return false;
}

static bool settle_oracle(lockstep *self) {
    verdict *out = self->out;
    tpu_message why;
    if (self->job->skip_oracle) {
        return true;
    }
    settle_vote(self, true);
    if (out->vote == VERDICT_VOTE_NONE) {
        tpu_status status = ask_oracle(self, &why);
        if (status != TPU_OK) {
            lockstep_give_up(self, TPU_ERR_INTERNAL, &why);
        }
        return false;
    }
    if (out->vote == VERDICT_VOTE_AGREE) {
        return true;
    }
    verdict_vote vote = out->vote;
    blame_memory(self, TPU_MEM_C, self->oracle_c, self->machine_c, self->params.maxdim,
                 self->params.maxdim, 1);
    out->vote = vote;
    out->diff = VERDICT_DIFF_ORACLE;
    out->unit = -1;
    (void)status_fail(&out->sentence, TPU_OK,
                      "machine and model agree on C[%llu][%d] = %lld, the oracle says %lld",
                      (unsigned long long)out->row, out->lane, (long long)out->first.got,
                      (long long)out->first.expected);
    return false;
}

// Rows that every run has, whatever the program: the header words and one issue.
static uint64_t least_rows(tpu_stream stream) {
    switch (stream) {
    case TPU_STREAM_C_DLD:
    case TPU_STREAM_C_SPM:
        return 2;
    case TPU_STREAM_ISSUE:
    case TPU_STREAM_C_VRU:
    case TPU_STREAM_C_ACC:
    case TPU_STREAM_C_DST:
    case TPU_STREAM_WCOL:
        return 1;
    default:
        return 0;
    }
}

// A run that looked at less than there was is no proof of anything.
static void settle_minima(lockstep *self) {
    verdict *out = self->out;
    tpu_message why;
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        uint64_t emitted = expected_emitted(self->model, (tpu_stream)s);
        uint64_t least = least_rows((tpu_stream)s);
        if (!lockstep_watches(self, (tpu_stream)s)) {
            continue;
        }
        uint64_t wanted = emitted > least ? emitted : least;
        if (out->counts.compared[s] == wanted) {
            continue;
        }
        (void)status_fail(&why, TPU_ERR_INTERNAL,
                          "the harness compared %llu row(s) of stream %s where there are %llu",
                          (unsigned long long)out->counts.compared[s], tpu_streams[s].name,
                          (unsigned long long)wanted);
        lockstep_give_up(self, TPU_ERR_INTERNAL, &why);
        return;
    }
}

static bool settle_memories(lockstep *self) {
    lockstep_watch watch = self->job->watch;
    bool good = true;
    if (watch != LOCKSTEP_WATCH_EVERY && watch != LOCKSTEP_WATCH_END) {
        return true;
    }
    for (tpu_mem memory = TPU_MEM_SPAD; memory <= TPU_MEM_AR && good; memory++) {
        good = settle_memory(self, memory);
    }
    return good;
}

void settle_run(lockstep *self) {
    lockstep_watch watch = self->job->watch;
    if (!settle_status(self) || !settle_fault(self) || watch == LOCKSTEP_WATCH_HANG) {
        return;
    }
    if (!settle_rows(self) || !settle_memories(self)) {
        return;
    }
    if (watch != LOCKSTEP_WATCH_ISSUE && !settle_c(self)) {
        return;
    }
    if (!settle_assertions(self)) { // last: a wrong row says more of who is to blame
        return;
    }
    if (watch == LOCKSTEP_WATCH_EVERY && !settle_rest(self)) {
        return;
    }
    if (watch != LOCKSTEP_WATCH_EVERY || settle_oracle(self)) {
        settle_minima(self);
    }
}
