// SPDX-License-Identifier: Apache-2.0
//
// Program edits, coarse before fine: runs of instructions out (ddmin over chunks, then single
// ones), loops out with or without their body, trips, row counts, terms, strides, fields. Each
// edit is made on a copy and tried; what is not legal is skipped by shrink_try_program.

#include "harness/shrink_internal.h"

#include <string.h>

// An edit of the copy at instruction `at`; false = there is nothing to edit there.
typedef bool (*edit)(isa_program *program, size_t at, uint32_t variant);

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
    for (size_t end = shrink_last(self)->program.count; end > 0 && !shrink_is_over(self);) {
        const isa_program *program = &shrink_last(self)->program;
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
    for (size_t size = shrink_last(self)->program.count / 2; size > 0; size /= 2) {
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

// ---- numbers -----------------------------------------------------------------------------------

// Smaller values of nr or of a trip, the smallest first.
static bool lower_rows(isa_program *program, size_t at, uint32_t variant) {
    isa_insn *insn = &program->insn[at];
    const uint32_t to[] = {1, 2, 4, insn->nr / 2u, insn->nr > 0 ? insn->nr - 1u : 0};
    if (!tpu_ops[insn->op].has_rows && !tpu_ops[insn->op].is_loop) {
        return false;
    }
    if (to[variant] == 0 || to[variant] >= insn->nr) {
        return false;
    }
    insn->nr = (uint8_t)to[variant];
    return true;
}

static bool drop_term(isa_program *program, size_t at, uint32_t variant) {
    isa_term *term = &program->insn[at].term[variant];
    if (term->target == 0) {
        return false;
    }
    *term = (isa_term){.target = 0};
    return true;
}

static bool lower_stride(isa_program *program, size_t at, uint32_t variant) {
    isa_term *term = &program->insn[at].term[variant % TPU_AGU_TERMS];
    uint16_t to = variant < TPU_AGU_TERMS ? 1 : (uint16_t)(term->stride / 2);
    if (term->target == 0 || term->stride <= to) {
        return false;
    }
    term->stride = to;
    return true;
}

static bool lower_field(isa_program *program, size_t at, uint32_t variant) {
    uint16_t *field = &program->insn[at].f[variant % TPU_FIELDS];
    uint16_t to = variant < TPU_FIELDS ? 0 : (uint16_t)(*field / 2);
    if (*field <= to) {
        return false;
    }
    *field = to;
    return true;
}

static bool clear_nop(isa_program *program, size_t at, uint32_t variant) {
    (void)variant;
    isa_insn *insn = &program->insn[at];
    if (tpu_ops[insn->op].has_rows || tpu_ops[insn->op].is_loop || insn->nr == 0) {
        return false;
    }
    insn->nr = 0;
    return true;
}

static bool try_everywhere(shrink *self, isa_program *copy, edit how, uint32_t variants) {
    bool changed = false;
    for (size_t at = 0; at < shrink_last(self)->program.count && !shrink_is_over(self); at++) {
        for (uint32_t v = 0; v < variants && at < shrink_last(self)->program.count; v++) {
            if (shrink_copy_program(self, &shrink_last(self)->program, copy) && how(copy, at, v)) {
                changed = shrink_try_program(self, copy) || changed;
            }
        }
    }
    return changed;
}

bool shrink_program_pass(shrink *self) {
    isa_program copy = {.insn = NULL};
    bool changed = drop_instructions(self, &copy);
    changed = try_everywhere(self, &copy, drop_loop, 1) || changed;
    changed = try_everywhere(self, &copy, unwrap, 1) || changed;
    changed = try_everywhere(self, &copy, lower_rows, 5) || changed;
    changed = try_everywhere(self, &copy, drop_term, TPU_AGU_TERMS) || changed;
    changed = try_everywhere(self, &copy, lower_stride, 2 * TPU_AGU_TERMS) || changed;
    changed = try_everywhere(self, &copy, lower_field, 2 * TPU_FIELDS) || changed;
    changed = try_everywhere(self, &copy, clear_nop, 1) || changed;
    isa_program_clear(&copy);
    return changed && !shrink_is_over(self);
}
