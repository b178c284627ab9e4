// SPDX-License-Identifier: Apache-2.0
//
// Instructions and loops, coarse before fine: runs of instructions out (ddmin over chunks, then
// single ones), loops out with or without their body, folded, unrolled, merged, rolled. Each edit
// is made on a copy and tried; what is not legal is skipped by shrink_try_program. No edit makes a
// program longer, so passes come to an end.

#include "harness/shrink/shrink_internal.h"

#include <string.h>

static void remove_span(isa_program *program, size_t first, size_t count) {
    memmove(program->insn + first, program->insn + first + count,
            (program->count - first - count) * sizeof program->insn[0]);
    program->count -= count;
}

// The endloop of the loop at `at`; program->count = there is none.
static size_t end_of(const isa_program *program, size_t at) {
    size_t depth = 0;
    for (size_t i = at; i < program->count; i++) {
        depth += program->insn[i].op == TPU_OP_LOOP;
        if (program->insn[i].op == TPU_OP_ENDLOOP && --depth == 0) {
            return i;
        }
    }
    return program->count;
}

static uint32_t depth_at(const isa_program *program, size_t at) {
    uint32_t depth = 0;
    for (size_t i = 0; i < at; i++) {
        depth += program->insn[i].op == TPU_OP_LOOP;
        depth -= program->insn[i].op == TPU_OP_ENDLOOP;
    }
    return depth;
}

// ---- instructions and loops --------------------------------------------------------------------

static bool drop_chunks(shrink *self, isa_program *copy, size_t size) {
    bool changed = false;
    // From the end: later instructions depend on earlier ones.
    for (size_t end = shrink_subject(self)->program.count; end > 0 && !shrink_is_over(self);) {
        const isa_program *program = &shrink_subject(self)->program;
        size_t first = end > size ? end - size : 0;
        end = end > program->count ? program->count : end;
        if (program->count > end - first && shrink_copy_program(self, program, copy)) {
            remove_span(copy, first, end - first);
            changed = shrink_try_program(self, copy) || changed;
        }
        end = first;
    }
    return changed;
}

static bool drop_instructions(shrink *self, isa_program *copy) {
    bool changed = false;
    for (size_t size = shrink_subject(self)->program.count / 2; size > 0; size /= 2) {
        changed = drop_chunks(self, copy, size) || changed;
    }
    return changed;
}

// Takes a loop's frame away and keeps one turn of its body.
static bool unwrap(isa_program *program, size_t at, uint32_t variant) {
    (void)variant;
    if (program->insn[at].op != TPU_OP_LOOP) {
        return false;
    }
    size_t end = end_of(program, at);
    uint32_t level = depth_at(program, at);
    if (end == program->count) {
        return false;
    }
    for (size_t i = at; i <= end; i++) {
        for (size_t k = 0; k < TPU_AGU_TERMS; k++) {
            isa_term *term = &program->insn[i].term[k];
            if (term->target != 0 && term->level == level) {
                *term = (isa_term){.target = 0};
            } else if (term->target != 0 && term->level > level) {
                term->level--;
            }
        }
    }
    remove_span(program, end, 1);
    remove_span(program, at, 1);
    return true;
}

static bool drop_loop(isa_program *program, size_t at, uint32_t variant) {
    (void)variant;
    if (program->insn[at].op != TPU_OP_LOOP) {
        return false;
    }
    size_t end = end_of(program, at);
    if (end == program->count || end - at + 1 == program->count) {
        return false;
    }
    remove_span(program, at, end - at + 1);
    return true;
}

// The loop at `at` with one instruction in it, or NULL.
static isa_insn *lone_body(isa_program *program, size_t at) {
    bool is_lone = at + 2 < program->count && program->insn[at].op == TPU_OP_LOOP &&
                   program->insn[at + 2].op == TPU_OP_ENDLOOP;
    return is_lone ? &program->insn[at + 1] : NULL;
}

// n turns of r rows become n * r rows at once; the terms of the loop go.
static bool fold(isa_program *program, size_t at, uint32_t variant) {
    (void)variant;
    const isa_insn *body = lone_body(program, at);
    uint32_t rows = body != NULL ? (uint32_t)program->insn[at].nr * body->nr : 0;
    if (rows < 1 || rows > TPU_MAXROWS || !tpu_ops[body->op].has_rows) {
        return false;
    }
    program->insn[at + 1].nr = (uint8_t)rows;
    return unwrap(program, at, 0);
}

// Two turns of one instruction become two instructions.
static bool unroll(isa_program *program, size_t at, uint32_t variant) {
    (void)variant;
    if (lone_body(program, at) == NULL || program->insn[at].nr != 2) {
        return false;
    }
    uint32_t level = depth_at(program, at);
    isa_insn second = program->insn[at + 1];
    for (size_t k = 0; k < TPU_AGU_TERMS; k++) {
        const isa_term *term = &second.term[k];
        if (term->target != 0 && term->level == level) {
            second.f[term->target - 1] = (uint16_t)(second.f[term->target - 1] + term->stride);
            second.term[k] = (isa_term){.target = 0};
        }
    }
    program->insn[at + 2] = second;
    program->insn[at] = program->insn[at + 1];
    for (size_t k = 0; k < TPU_AGU_TERMS; k++) {
        isa_term *term = &program->insn[at].term[k];
        if (term->target != 0 && term->level == level) {
            *term = (isa_term){.target = 0};
        }
    }
    remove_span(program, at + 1, 1);
    return true;
}

// A loop whose body is a loop becomes one of all their turns.
static bool merge(isa_program *program, size_t at, uint32_t variant) {
    (void)variant;
    if (at + 1 >= program->count || program->insn[at].op != TPU_OP_LOOP ||
        program->insn[at + 1].op != TPU_OP_LOOP) {
        return false;
    }
    uint32_t turns = (uint32_t)program->insn[at].nr * program->insn[at + 1].nr;
    if (turns > TPU_MAXROWS || end_of(program, at + 1) + 1 != end_of(program, at)) {
        return false;
    }
    program->insn[at].nr = (uint8_t)turns;
    return unwrap(program, at + 1, 0);
}

// Only what is too long to read at a glance.
#define ROLL_ABOVE 10u
#define ROLL_VARIANTS 12u

static bool has_control(const isa_program *program, size_t first, size_t count) {
    for (size_t i = first; i < first + count; i++) {
        if (tpu_ops[program->insn[i].op].is_control) {
            return true;
        }
    }
    return false;
}

// One to three instructions many times over in place of all that follows, or of all but the last
// one: what fills a queue need not be many instructions.
static bool roll(isa_program *program, size_t at, uint32_t variant) {
    static const uint8_t trips[] = {32, TPU_MAXROWS};
    size_t body = 1 + variant % 3;
    size_t keep = variant / 3 % 2;
    size_t rest = program->count - at;
    if (program->count <= ROLL_ABOVE || rest < body + keep + 3 || depth_at(program, at) != 0 ||
        has_control(program, at, body) || has_control(program, program->count - keep, keep)) {
        return false;
    }
    isa_insn *insn = program->insn + at;
    const isa_insn last = program->insn[program->count - 1];
    memmove(insn + 1, insn, body * sizeof *insn);
    insn[0] = (isa_insn){.op = TPU_OP_LOOP, .nr = trips[variant / 6]};
    insn[body + 1] = (isa_insn){.op = TPU_OP_ENDLOOP};
    insn[body + 2] = last;
    program->count = at + body + 2 + keep;
    return true;
}

bool shrink_everywhere(shrink *self, isa_program *copy, shrink_edit how, uint32_t variants) {
    bool changed = false;
    for (size_t at = 0; at < shrink_subject(self)->program.count && !shrink_is_over(self); at++) {
        for (uint32_t v = 0; v < variants && at < shrink_subject(self)->program.count; v++) {
            if (shrink_copy_program(self, &shrink_subject(self)->program, copy) &&
                how(copy, at, v)) {
                changed = shrink_try_program(self, copy) || changed;
            }
        }
    }
    return changed;
}

bool shrink_program_pass(shrink *self) {
    static const shrink_edit loops[] = {drop_loop, unwrap, fold, unroll, merge};
    isa_program copy = {.insn = NULL};
    bool changed = drop_instructions(self, &copy);
    for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++) {
        changed = shrink_everywhere(self, &copy, loops[i], 1) || changed;
    }
    changed = shrink_everywhere(self, &copy, roll, ROLL_VARIANTS) || changed;
    changed = shrink_numbers_pass(self, &copy) || changed;
    isa_program_clear(&copy);
    return changed && !shrink_is_over(self);
}
