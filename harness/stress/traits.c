// SPDX-License-Identifier: Apache-2.0
//
// One pass over the text for what stands in it, one over the issues for what happens. Ages and
// written rows are kept here anew, so that a slip of the generator's does not hide itself.

#include "harness/stress/traits.h"

#include "csim/isa/expand.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define ROWS (TPU_FIELD_MAX + 1)
#define LONG_ROWS 64u
#define LONG_TRIP 32u
#define DOUBLINGS 10u
#define TRAIN_ROWS 128u

static const char *const texts[TRAITS_COUNT] = {
#define TRAITS_TEXT(name, text) text,
    TRAITS_LIST(TRAITS_TEXT)
#undef TRAITS_TEXT
};

_Static_assert(TRAITS_COUNT <= 64, "a set is one word");

// What the pass remembers.
typedef struct look {
    const tpu_params *params;
    traits_set seen;
    isa_issue last; // the one before; op nop = none
    uint64_t step;
    uint32_t doublings;
    uint32_t most_rows;
    uint32_t train;         // rows of the last loads in a row
    uint8_t *c_words;       // one a packed word of C
    uint8_t spad[ROWS];     // 1 = written
    uint64_t written[ROWS]; // ar: step of the last write + 1; 0 = never
    uint64_t writer[ROWS];  // ar: issue that wrote it + 1
} look;

const char *traits_text(traits_name name) {
    return (unsigned)name < TRAITS_COUNT ? texts[name] : NULL;
}

static void note(look *self, bool is_so, traits_name name) {
    self->seen |= (traits_set)is_so << name;
}

static bool overlap(uint32_t first, uint32_t rows, uint32_t other, uint32_t other_rows) {
    return first < other + other_rows && other < first + rows;
}

// ---- the text ----------------------------------------------------------------------------------

static void look_at_terms(look *self, const isa_insn *insn, const uint8_t trip[TPU_LOOP_DEPTH],
                          uint32_t depth) {
    uint32_t fields = 0;
    uint32_t moved = 0;
    uint32_t levels = 0;
    uint32_t terms = 0;
    for (size_t i = 0; i < TPU_AGU_TERMS; i++) {
        const isa_term *term = &insn->term[i];
        if (term->target == 0) {
            continue;
        }
        bool moves = term->stride > 0 && trip[term->level] > 1;
        note(self, (fields >> term->target & 1u) != 0, TRAITS_TERMS_SHARED);
        note(self, term->stride > 0 && trip[term->level] == 1, TRAITS_STRIDE_IDLE);
        note(self, moves, (traits_name)(TRAITS_TERM_F0 + term->target - 1));
        note(self, moves && term->target == 1 && insn->op == TPU_OP_DMA_LD, TRAITS_MODE_WALKS);
        note(self, moves && term->target == 3 && insn->op == TPU_OP_MM, TRAITS_ACC_WALKS);
        fields |= 1u << term->target;
        moved |= (uint32_t)moves << term->target;
        levels |= (uint32_t)moves << term->level;
        terms++;
    }
    note(self, depth == TPU_LOOP_DEPTH && (levels & (levels - 1)) != 0, TRAITS_NEST_4_TERMS);
    note(self, insn->op == TPU_OP_MVOUT && (moved & 14u) == 14u, TRAITS_MVOUT_LOOP_3);
    note(self, terms == TPU_AGU_TERMS, TRAITS_TERMS_3);
    note(self, insn->op == TPU_OP_MVOUT && (fields & 2u) != 0 && (fields & 12u) != 0,
         TRAITS_MVOUT_LOOP);
}

static void look_at_fields(look *self, const isa_insn *insn) {
    for (size_t i = 0; i < TPU_FIELDS; i++) {
        bool read = tpu_ops[insn->op].operand[i].name != NULL;
        note(self, !read && insn->f[i] != 0, TRAITS_IDLE_FIELD);
    }
    if (tpu_ops[insn->op].has_rows && insn->nr > self->most_rows) {
        self->most_rows = insn->nr;
    }
}

static void look_at_text(look *self, const isa_program *program) {
    uint8_t trip[TPU_LOOP_DEPTH] = {0};
    uint32_t depth = 0;
    for (size_t pc = 0; pc < program->count; pc++) {
        const isa_insn *insn = &program->insn[pc];
        look_at_fields(self, insn);
        note(self, insn->op == TPU_OP_NOP, TRAITS_NOP);
        note(self, insn->op == TPU_OP_VADDRELU, TRAITS_VADDRELU);
        if (insn->op == TPU_OP_LOOP && depth < TPU_LOOP_DEPTH) {
            trip[depth++] = insn->nr;
            note(self, insn->nr == 1, TRAITS_TRIP_1);
            note(self, insn->nr >= LONG_TRIP, TRAITS_TRIP_LONG);
            note(self, depth == 2, TRAITS_NEST_2);
            note(self, depth == 3, TRAITS_NEST_3);
            note(self, depth == 4, TRAITS_NEST_4);
            note(self, depth == 4 && insn->nr >= 64, TRAITS_NEST_4_LONG);
        } else if (insn->op == TPU_OP_ENDLOOP && depth > 0) {
            depth--;
            note(self, program->insn[pc - 1].op == TPU_OP_LOOP, TRAITS_LOOP_EMPTY);
        } else {
            look_at_terms(self, insn, trip, depth);
        }
    }
    note(self, self->most_rows == 1, TRAITS_ONE_ROW_ALL);
    note(self, program->count == params_max_instructions(self->params), TRAITS_IMEM_FULL);
    note(self, program->count <= 4, TRAITS_SHORT_PROGRAM);
}

// ---- the issues --------------------------------------------------------------------------------

static void use_rows(look *self, tpu_mem memory, uint32_t first, uint32_t rows) {
    static const traits_name low[] = {TRAITS_SPAD_LOW, TRAITS_VR_LOW, TRAITS_AR_LOW};
    const uint32_t depth[] = {self->params->spad_rows, self->params->nvr, self->params->nar};
    note(self, first == 0, low[memory]);
    note(self, first + rows == depth[memory], (traits_name)(low[memory] + 1));
}

// `exact` is the trait of a read at the smallest distance.
static void read_ar(look *self, const isa_issue *issue, uint32_t row, uint64_t step,
                    traits_name exact) {
    note(self, self->written[row] != 0 && step + 1 - self->written[row] == TPU_AR_RAW_DIST, exact);
    note(self, self->writer[row] == issue->seq + 1u, TRAITS_OWN_ROW);
}

static void write_ar(look *self, const isa_issue *issue, uint32_t row, uint64_t step) {
    self->written[row] = step + 1;
    self->writer[row] = issue->seq + 1u;
}

static bool last_loads(const look *self, bool to_vr, uint32_t first, uint32_t rows) {
    const isa_issue *last = &self->last;
    bool is_load = last->op == TPU_OP_DMA_LD && (last->f[0] >= TPU_DMA_TO_VR) == to_vr;
    return is_load && overlap(last->f[3], last->nr, first, rows);
}

static void look_at_dma_ld(look *self, const isa_issue *issue) {
    const uint32_t *f = issue->f;
    const isa_issue *last = &self->last;
    bool to_vr = f[0] >= TPU_DMA_TO_VR;
    note(self, true, (traits_name)(TRAITS_DMA_A_SPAD + f[0]));
    use_rows(self, to_vr ? TPU_MEM_VR : TPU_MEM_SPAD, f[3], issue->nr);
    note(self, f[1] + issue->nr == self->params->maxdim && f[2] + 1 == params_wpr(self->params),
         TRAITS_DRAM_TOP);
    if (!to_vr) {
        memset(self->spad + f[3], 1, issue->nr);
    }
    if (last->op == TPU_OP_MM) {
        note(self, !to_vr && overlap(f[3], issue->nr, last->f[3], self->params->t),
             TRAITS_WEIGHTS_RELOADED);
        note(self, to_vr && overlap(f[3], issue->nr, last->f[0], last->nr),
             TRAITS_ACTIVATIONS_LOST);
    }
}

static void look_at_vld(look *self, const isa_issue *issue) {
    const uint32_t *f = issue->f;
    use_rows(self, TPU_MEM_SPAD, f[1], issue->nr);
    use_rows(self, TPU_MEM_VR, f[0], issue->nr);
    note(self, memchr(self->spad + f[1], 0, issue->nr) != NULL, TRAITS_VLD_UNWRITTEN);
    note(self, last_loads(self, false, f[1], issue->nr), TRAITS_VLD_FRESH);
    note(self,
         self->last.op == TPU_OP_MM && overlap(f[0], issue->nr, self->last.f[0], self->last.nr),
         TRAITS_ACTIVATIONS_LOST);
}

static void look_at_mm(look *self, const isa_issue *issue) {
    const uint32_t *f = issue->f;
    const isa_issue *last = &self->last;
    uint32_t weights = self->params->t + 1;
    use_rows(self, TPU_MEM_SPAD, f[3], self->params->t);
    use_rows(self, TPU_MEM_VR, f[0], issue->nr);
    use_rows(self, TPU_MEM_AR, f[1], issue->nr);
    note(self, issue->nr == 1, TRAITS_MM_ONE_ROW);
    note(self, issue->nr >= LONG_ROWS, TRAITS_MM_LONG);
    note(self, f[2] == 1, TRAITS_MM_ACCUMULATE);
    note(self, last->op == TPU_OP_MM, TRAITS_MM_BACK_TO_BACK);
    note(self, last->op == TPU_OP_MM && last->nr < weights && issue->nr < weights,
         TRAITS_MM_SHORT_PAIR);
    note(self, last_loads(self, false, f[3], self->params->t), TRAITS_FRESH_WEIGHTS);
    note(self, last_loads(self, true, f[0], issue->nr), TRAITS_FRESH_ACTIVATIONS);
    note(self, last->op == TPU_OP_MVOUT && overlap(f[1], issue->nr, last->f[0], last->nr),
         TRAITS_MM_OVER_MVOUT);
    for (uint32_t i = 0; i < issue->nr; i++) {
        if (f[2] == 1) {
            read_ar(self, issue, f[1] + i, self->step + i, TRAITS_EXACT_MM);
        }
        write_ar(self, issue, f[1] + i, self->step + i);
    }
    self->step += issue->nr;
}

static void look_at_vadd(look *self, const isa_issue *issue) {
    const uint32_t *f = issue->f;
    bool near_left = f[0] != f[1] && overlap(f[0], issue->nr, f[1], issue->nr);
    bool near_right = f[0] != f[2] && overlap(f[0], issue->nr, f[2], issue->nr);
    note(self, f[0] == f[1], TRAITS_DEST_IS_LEFT);
    note(self, f[0] == f[2], TRAITS_DEST_IS_RIGHT);
    note(self, f[1] == f[2], TRAITS_SAME_SOURCES);
    note(self, near_left || near_right, TRAITS_OVERLAP_VADD);
    self->doublings += f[0] == f[1] && f[1] == f[2];
    note(self, self->doublings >= DOUBLINGS, TRAITS_DOUBLING);
    for (size_t i = 0; i < 3; i++) {
        use_rows(self, TPU_MEM_AR, f[i], issue->nr);
    }
    for (uint32_t i = 0; i < issue->nr; i++) {
        uint64_t even = self->step + 2ull * i;
        read_ar(self, issue, f[1] + i, even, TRAITS_EXACT_LEFT);
        read_ar(self, issue, f[2] + i, even + 1, TRAITS_EXACT_RIGHT);
        write_ar(self, issue, f[0] + i, even + 1);
    }
    self->step += 2ull * issue->nr;
}

static void look_at_vrelu(look *self, const isa_issue *issue) {
    const uint32_t *f = issue->f;
    use_rows(self, TPU_MEM_AR, f[0], issue->nr);
    use_rows(self, TPU_MEM_AR, f[1], issue->nr);
    note(self, f[0] != f[1] && overlap(f[0], issue->nr, f[1], issue->nr), TRAITS_OVERLAP_VRELU);
    for (uint32_t i = 0; i < issue->nr; i++) {
        read_ar(self, issue, f[1] + i, self->step + i, TRAITS_EXACT_VRELU);
        write_ar(self, issue, f[0] + i, self->step + i);
    }
    self->step += issue->nr;
}

static void look_at_mvout(look *self, const isa_issue *issue) {
    const uint32_t *f = issue->f;
    const isa_issue *last = &self->last;
    uint32_t words = params_wpr(self->params);
    use_rows(self, TPU_MEM_AR, f[0], issue->nr);
    note(self, f[1] + issue->nr == self->params->maxdim && f[2] + 1 == words, TRAITS_C_TOP);
    note(self, last->op == TPU_OP_MM && overlap(f[0], issue->nr, last->f[1], last->nr),
         TRAITS_MVOUT_OVER_MM);
    for (uint32_t i = 0; i < issue->nr; i++) {
        uint8_t *word = &self->c_words[(size_t)(f[1] + i) * words + f[2]];
        read_ar(self, issue, f[0] + i, self->step + i, TRAITS_EXACT_MVOUT);
        note(self, *word != 0, TRAITS_C_AGAIN);
        *word = 1;
    }
    self->step += issue->nr;
}

static void look_at_issue(look *self, const isa_issue *issue) {
    switch (issue->op) {
    case TPU_OP_DMA_LD:
        look_at_dma_ld(self, issue);
        break;
    case TPU_OP_VLD:
        look_at_vld(self, issue);
        break;
    case TPU_OP_MM:
        look_at_mm(self, issue);
        break;
    case TPU_OP_VADD:
    case TPU_OP_VADDRELU:
        look_at_vadd(self, issue);
        break;
    case TPU_OP_VRELU:
        look_at_vrelu(self, issue);
        break;
    case TPU_OP_MVOUT:
        look_at_mvout(self, issue);
        break;
    default:
        break;
    }
    self->train = issue->op == TPU_OP_DMA_LD ? self->train + issue->nr : 0;
    note(self, self->train > TRAIN_ROWS, TRAITS_LOAD_TRAIN);
    self->last = *issue;
}

tpu_status traits_of(const tpu_params *params, const isa_program *program, traits_set *out,
                     tpu_message *why) {
    look *self = calloc(1, sizeof *self);
    uint8_t *words = calloc(params->maxdim, params_wpr(params));
    if (self == NULL || words == NULL) {
        free(self);
        free(words);
        return status_fail(why, TPU_ERR_MEMORY, "traits: out of memory");
    }
    self->params = params;
    self->c_words = words;
    look_at_text(self, program);
    expand it;
    isa_issue issue;
    bool done = false;
    expand_start(&it, program);
    tpu_status status = expand_next(&it, &issue, &done, why);
    while (status == TPU_OK && !done) {
        look_at_issue(self, &issue);
        status = expand_next(&it, &issue, &done, why);
    }
    if (status == TPU_OK) {
        *out = self->seen;
    }
    free(words);
    free(self);
    return status;
}
