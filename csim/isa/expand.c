// SPDX-License-Identifier: Apache-2.0
//
// The sequencer's loop stack and AGU, one fetch after another. do-while as in the machine: a loop
// of trip 0 runs once. live_iv keeps the last value of a closed level, because the machine's AGU
// does; isa_issue.iv shows open levels only.

#include "csim/isa/expand.h"

#include <string.h>

void expand_start(expand *it, const isa_program *program) {
    memset(it, 0, sizeof *it);
    it->program = program;
}

static tpu_status push_loop(expand *it, const isa_insn *insn, tpu_message *why) {
    if (it->depth == TPU_LOOP_DEPTH) {
        return status_fail(why, TPU_REFUSED,
                           "instruction %u (loop) opens a loop inside %d others; the loop stack "
                           "holds %d",
                           it->pc, TPU_LOOP_DEPTH, TPU_LOOP_DEPTH);
    }
    it->body[it->depth] = it->pc + 1;
    it->iv[it->depth] = 0;
    it->trip[it->depth] = insn->nr;
    it->live_iv[it->depth] = 0;
    it->depth++;
    it->pc++;
    return TPU_OK;
}

static tpu_status pop_loop(expand *it, tpu_message *why) {
    if (it->depth == 0) {
        return status_fail(why, TPU_REFUSED,
                           "instruction %u (endloop) closes a loop, but none is open", it->pc);
    }
    uint32_t level = it->depth - 1;
    uint32_t next = it->iv[level] + 1;
    if (next < it->trip[level]) {
        it->iv[level] = next;
        it->live_iv[level] = next;
        it->pc = it->body[level];
    } else {
        it->depth--;
        it->pc++;
    }
    return TPU_OK;
}

static void resolve(const expand *it, const isa_insn *insn, isa_issue *out) {
    out->seq = it->seq;
    out->pc = (uint16_t)it->pc;
    out->op = insn->op;
    out->nr = insn->nr;
    out->depth = (uint8_t)it->depth;
    for (size_t i = 0; i < TPU_FIELDS; i++) {
        out->f[i] = insn->f[i];
    }
    for (size_t i = 0; i < TPU_AGU_TERMS; i++) {
        const isa_term *term = &insn->term[i];
        if (term->target >= 1 && term->target <= TPU_FIELDS && term->level < TPU_LOOP_DEPTH) {
            out->f[term->target - 1] += it->live_iv[term->level] * term->stride;
        }
    }
    for (size_t level = 0; level < TPU_LOOP_DEPTH; level++) {
        out->iv[level] = level < it->depth ? (uint8_t)it->iv[level] : 0;
    }
}

tpu_status expand_next(expand *it, isa_issue *out, bool *done, tpu_message *why) {
    while (it->pc < it->program->count) {
        const isa_insn *insn = &it->program->insn[it->pc];
        if (it->fetches++ == EXPAND_FETCH_MAX) {
            return status_fail(why, TPU_REFUSED, "the program does not end within %u fetches",
                               EXPAND_FETCH_MAX);
        }
        tpu_status status = TPU_OK;
        if (insn->op == TPU_OP_LOOP) {
            status = push_loop(it, insn, why);
        } else if (insn->op == TPU_OP_ENDLOOP) {
            status = pop_loop(it, why);
        } else {
            resolve(it, insn, out);
            it->seq++;
            it->pc++;
            *done = false;
            return TPU_OK;
        }
        if (status != TPU_OK) {
            return status;
        }
    }
    *done = true;
    return TPU_OK;
}
