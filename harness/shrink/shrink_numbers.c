// SPDX-License-Identifier: Apache-2.0
//
// What stands in the instructions: row counts, trips, terms, strides, fields. Rows of one memory
// are moved together too, and onto one another, since a single moved row is seldom legal.

#include "harness/shrink/shrink_internal.h"

#define LOWER_ROWS 9

// Smaller values of nr or of a trip, the smallest first.
static bool lower_rows(isa_program *program, size_t at, uint32_t variant) {
    isa_insn *insn = &program->insn[at];
    // AR_RAW_DIST and the usual T among them.
    const uint32_t to[LOWER_ROWS] = {
        1, 2, 3, TPU_AR_RAW_DIST, 5, 8, 16, insn->nr / 2u, insn->nr > 0 ? insn->nr - 1u : 0};
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
    const uint16_t lower[] = {0, (uint16_t)(*field / 2), (uint16_t)(*field - (*field > 0))};
    uint16_t to = lower[variant / TPU_FIELDS];
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

// Terms to the front, as a person would write them.
static bool compact_terms(isa_program *program, size_t at, uint32_t variant) {
    isa_term *term = program->insn[at].term;
    (void)variant;
    bool moved = false;
    for (size_t pass = 0; pass + 1 < TPU_AGU_TERMS; pass++) {
        for (size_t k = 0; k + 1 < TPU_AGU_TERMS; k++) {
            if (term[k].target == 0 && term[k + 1].target != 0) {
                term[k] = term[k + 1];
                term[k + 1] = (isa_term){.target = 0};
                moved = true;
            }
        }
    }
    return moved;
}

// ---- rows --------------------------------------------------------------------------------------

// The memory that a field names rows of; TPU_MEM_COUNT = none.
static tpu_mem memory_of(const isa_insn *insn, size_t field) {
    static const uint8_t named[TPU_OP_COUNT][TPU_FIELDS] = {
        // one more than the tpu_mem; 0 = none
        [TPU_OP_VLD] = {TPU_MEM_VR + 1, TPU_MEM_SPAD + 1},
        [TPU_OP_MM] = {TPU_MEM_VR + 1, TPU_MEM_AR + 1, 0, TPU_MEM_SPAD + 1},
        [TPU_OP_VADD] = {TPU_MEM_AR + 1, TPU_MEM_AR + 1, TPU_MEM_AR + 1},
        [TPU_OP_VADDRELU] = {TPU_MEM_AR + 1, TPU_MEM_AR + 1, TPU_MEM_AR + 1},
        [TPU_OP_VRELU] = {TPU_MEM_AR + 1, TPU_MEM_AR + 1},
        [TPU_OP_MVOUT] = {TPU_MEM_AR + 1},
    };
    if (insn->op == TPU_OP_DMA_LD && field == 3) {
        return (insn->f[0] & TPU_DMA_TO_VR) != 0 ? TPU_MEM_VR : TPU_MEM_SPAD;
    }
    uint8_t name = insn->op < TPU_OP_COUNT ? named[insn->op][field] : 0;
    return name != 0 ? (tpu_mem)(name - 1) : TPU_MEM_COUNT;
}

static uint16_t lowest_row(const isa_program *program, tpu_mem memory) {
    uint16_t lowest = UINT16_MAX;
    for (size_t i = 0; i < program->count; i++) {
        for (size_t field = 0; field < TPU_FIELDS; field++) {
            const isa_insn *insn = &program->insn[i];
            if (memory_of(insn, field) == memory && insn->f[field] < lowest) {
                lowest = insn->f[field];
            }
        }
    }
    return lowest;
}

// All rows of memory `variant` down, so that the lowest is 0. Done once, at the first instruction.
static bool rebase(isa_program *program, size_t at, uint32_t variant) {
    tpu_mem memory = (tpu_mem)variant;
    uint16_t lowest = lowest_row(program, memory);
    if (at != 0 || lowest == 0 || lowest == UINT16_MAX) {
        return false;
    }
    for (size_t i = 0; i < program->count; i++) {
        for (size_t field = 0; field < TPU_FIELDS; field++) {
            isa_insn *insn = &program->insn[i];
            if (memory_of(insn, field) == memory) {
                insn->f[field] = (uint16_t)(insn->f[field] - lowest);
            }
        }
    }
    return true;
}

// A row field takes the lower value of another one of the same memory: `variant` says which two.
static bool meet(isa_program *program, size_t at, uint32_t variant) {
    size_t field = variant % TPU_FIELDS;
    size_t other = variant / TPU_FIELDS % TPU_FIELDS;
    size_t from = variant / TPU_FIELDS / TPU_FIELDS;
    isa_insn *insn = &program->insn[at];
    if (from >= program->count) {
        return false;
    }
    const isa_insn *source = &program->insn[from];
    tpu_mem memory = memory_of(insn, field);
    if (memory == TPU_MEM_COUNT || memory_of(source, other) != memory ||
        source->f[other] >= insn->f[field]) {
        return false;
    }
    insn->f[field] = source->f[other];
    return true;
}

// Longer programs have too many pairs.
#define MEET_MAX 12u

bool shrink_numbers_pass(shrink *self, isa_program *copy) {
    static const struct {
        shrink_edit how;
        uint32_t variants;
    } edits[] = {{lower_rows, LOWER_ROWS},
                 {drop_term, TPU_AGU_TERMS},
                 {lower_stride, 2 * TPU_AGU_TERMS},
                 {compact_terms, 1},
                 {rebase, 3},
                 {lower_field, 3 * TPU_FIELDS},
                 {clear_nop, 1}};
    bool changed = false;
    for (size_t i = 0; i < sizeof edits / sizeof edits[0]; i++) {
        changed = shrink_everywhere(self, copy, edits[i].how, edits[i].variants) || changed;
    }
    uint32_t count = (uint32_t)shrink_subject(self)->program.count;
    if (count <= MEET_MAX) {
        changed = shrink_everywhere(self, copy, meet, TPU_FIELDS * TPU_FIELDS * count) || changed;
    }
    return changed;
}
