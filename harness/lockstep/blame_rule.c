// SPDX-License-Identifier: Apache-2.0
//
// Who is at fault when no row is wrong and a rule is: a fault that the machine raises in a program
// that check lets by, or an assertion of the RTL.

#include "harness/lockstep/lockstep_internal.h"
#include "harness/oracle/oracle_law.h"

#include <stdio.h>
#include <string.h>

// ---- faults -------------------------------------------------------------------------------------

static void note_position(lockstep *self, uint64_t issued) {
    verdict *out = self->out;
    const unsigned pc = out->status.fault_pc;
    if (!out->issue.known) {
        verdict_note(out,
                     "the program has issued all of its %llu instructions; the machine goes "
                     "on at pc %u",
                     (unsigned long long)issued, pc);
    } else if (out->issue.issue.pc != pc) {
        verdict_note(out,
                     "the program goes on at pc %u, the machine is at pc %u: a loop turned "
                     "once too often or too seldom",
                     out->issue.issue.pc, pc);
    } else {
        verdict_note(out, "the instruction is the right one: an operand was resolved wrongly, or "
                          "its rule is checked wrongly");
    }
}

// The software may be wrong about the rule as well as the machine.
static void ask_for_rule(lockstep *self) {
    verdict *out = self->out;
    const lockstep_job *job = self->job;
    oracle_flow flow = {.issue = NULL};
    if (oracle_flow_run(job->words, job->word_count, &flow, NULL) != TPU_OK) {
        oracle_flow_clear(&flow);
        return;
    }
    if (out->status.fault == TPU_FAULT_HEADER) {
        unsigned word = oracle_law_header(&flow, self->params.t, job->words);
        out->vote = word != 0 ? VERDICT_VOTE_MODEL : VERDICT_VOTE_MACHINE;
        if (word != 0) {
            verdict_note(out,
                         "header word %u is not what the instructions add up to: the "
                         "assembler counts wrongly",
                         word);
        }
    } else if (out->status.fault == TPU_RULE_RAW_DISTANCE) {
        bool kept = oracle_law_distance(&flow, self->params.nar);
        out->vote = kept ? VERDICT_VOTE_MACHINE : VERDICT_VOTE_MODEL;
        if (!kept) {
            verdict_note(out, "the program does read an accumulator row too early: check lets it "
                              "by");
        }
    }
    oracle_flow_clear(&flow);
}

// A unit that counts too little may have been given too little: the one that owes it is to blame.
static void follow_shortage(lockstep *self) {
    verdict *out = self->out;
    if (out->status.fault != TPU_FAULT_HEADER || expected_finish(self->model, NULL) != TPU_OK) {
        return;
    }
    int missing = settle_first_missing(self);
    blame_debt debt = {.stream = -1, .unit = -1};
    if (missing >= 0) {
        debt = blame_follow(self, missing, out->units);
    }
    if (debt.stream < 0 || debt.unit < 0 || debt.unit == out->unit) {
        return;
    }
    verdict_note(out, "%s counted too little because %s never gave row %llu of %s",
                 out->unit >= 0 ? tpu_unit_names[out->unit] : "the machine",
                 tpu_unit_names[debt.unit],
                 (unsigned long long)expected_taken(self->model, (tpu_stream)debt.stream),
                 tpu_streams[debt.stream].name);
    out->unit = debt.unit;
}

void blame_fault(lockstep *self) {
    verdict *out = self->out;
    const uint64_t issued = expected_taken(self->model, TPU_STREAM_ISSUE);
    // What comes after the last issue that was seen.
    const expected_row next = {.row = NULL, .issue = (uint32_t)issued, .in_issue = 0};
    blame_issue(self, &next);
    follow_shortage(self);
    if (self->job->program != NULL && out->unit == TPU_UNIT_SEQUENCER) {
        note_position(self, issued);
    }
    ask_for_rule(self);
}

// ---- assertions ---------------------------------------------------------------------------------

// "...u_core.u_cw.u_sva...": the writer of a channel answers for what it offers.
static int unit_of_path(const char *text) {
    char part[32];
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        (void)snprintf(part, sizeof part, ".u_%s.", tpu_streams[s].name);
        if (tpu_streams[s].reader >= 0 && strstr(text, part) != NULL) {
            return (int)tpu_streams[s].unit;
        }
    }
    for (int unit = 0; unit < TPU_UNIT_COUNT; unit++) {
        (void)snprintf(part, sizeof part, ".u_%s.", tpu_unit_names[unit]);
        if (strstr(text, part) != NULL) {
            return unit;
        }
    }
    return -1;
}

// On the bus only the sides are known: writes are dma_st's, reads dma_ld's or the sequencer's.
static int unit_of_bus(const char *text) {
    if (strstr(text, "write address") != NULL || strstr(text, "write data") != NULL ||
        strstr(text, "a write ") != NULL) {
        return TPU_UNIT_DMA_ST;
    }
    bool read = strstr(text, "read address") != NULL || strstr(text, "a read ") != NULL ||
                strstr(text, "a beat ") != NULL;
    return read ? TPU_UNIT_DMA_LD : -1;
}

// What moved after the run had been declared over was still at work then.
static int unit_of_late(uint32_t late) {
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        if ((late >> s & 1u) != 0) {
            return (int)tpu_streams[s].unit;
        }
    }
    return -1;
}

void blame_assertion(lockstep *self, const char *text) {
    verdict *out = self->out;
    const int late = unit_of_late(self->late);
    int unit = unit_of_path(text);
    unit = unit >= 0 ? unit : unit_of_bus(text);
    out->unit = unit >= 0 ? unit : late;
    if (late >= 0) {
        verdict_note(out, "%s still moved when the run had been declared over",
                     tpu_unit_names[late]);
    }
    if (text[0] != '\0') {
        verdict_note(out, "%.400s", text);
    }
}

// ---- an end too early ---------------------------------------------------------------------------

void blame_early(lockstep *self, int unit) {
    verdict *out = self->out;
    out->kind = VERDICT_MISMATCH;
    out->diff = VERDICT_DIFF_EARLY;
    out->unit = unit;
    (void)status_fail(&out->sentence, TPU_OK,
                      "the machine showed its end in cycle %llu, while %s was at work",
                      (unsigned long long)out->cycle, tpu_unit_names[unit]);
}

void blame_refused(lockstep *self, const probe *seen) {
    verdict *out = self->out;
    int unit = 0;
    while (unit < TPU_UNIT_COUNT && seen->unit[unit].state == PROBE_IDLE) {
        unit++;
    }
    out->kind = VERDICT_MISMATCH;
    out->diff = VERDICT_DIFF_EARLY;
    out->unit = unit < TPU_UNIT_COUNT ? unit : -1;
    out->cycle = self->now;
    (void)status_fail(&out->sentence, TPU_OK,
                      "the machine refuses to start, though the end of the run before was shown: "
                      "%s %s",
                      out->unit < 0 ? "no unit is at work, but the bus" : tpu_unit_names[unit],
                      out->unit < 0 ? "owes an answer" : "is at work");
}
