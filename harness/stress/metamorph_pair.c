// SPDX-License-Identifier: Apache-2.0
//
// The second program of a pair. Programs of stress.h are moved, written out or filled with nops;
// GEMMs get other matrices. Nothing here computes a product.

#include "csim/isa/expand.h"
#include "csim/isa/programs.h"
#include "harness/stress/metamorph_internal.h"
#include "harness/stress/stress.h"
#include "harness/stress/traits.h"

#include <string.h>

#define BIT(stream) (UINT32_C(1) << TPU_STREAM_##stream)

// Streams with addresses in their rows.
#define ADDRESSED                                                                                  \
    (BIT(ISSUE) | BIT(C_DLD) | BIT(C_SPM) | BIT(C_VRU) | BIT(C_ACC) | BIT(C_DST) | BIT(SP2VR) |    \
     BIT(SPAD_WRITE) | BIT(VR_WRITE) | BIT(AR_WRITE_MM) | BIT(AR_WRITE_ALU) | BIT(C_WRITE))

#define ALL_STREAMS ((UINT32_C(1) << TPU_STREAM_COUNT) - 1)

static uint32_t below(metamorph_pair *self, uint32_t bound) {
    return rng_below(self->source, bound);
}

static tpu_status copy_program(isa_program *to, const isa_program *from) {
    tpu_status status = TPU_OK;
    to->count = 0;
    for (size_t i = 0; i < from->count && status == TPU_OK; i++) {
        status = isa_program_append(to, &from->insn[i]);
    }
    return status;
}

// ---- GEMMs -------------------------------------------------------------------------------------

typedef struct shape {
    uint32_t m;
    uint32_t k;
    uint32_t n;
    bool relu;
    programs_form form;
} shape;

static uint32_t draw_tiles(metamorph_pair *self, uint32_t most) {
    return self->params->t * (1 + below(self, most / self->params->t));
}

static shape draw_shape(metamorph_pair *self, uint32_t most_k) {
    shape of = {.m = draw_tiles(self, self->params->maxdim),
                .k = draw_tiles(self, most_k),
                .n = draw_tiles(self, self->params->maxdim)};
    of.relu = below(self, 2) == 0;
    of.form = below(self, 2) == 0 ? PROGRAMS_LOOPED : PROGRAMS_B_PER_TILE;
    return of;
}

// False = this form cannot do this shape.
static bool make_gemm(const metamorph_pair *self, const shape *of, isa_program *out) {
    isa_program_clear(out);
    return programs_gemm(self->params, of->form, of->m, of->k, of->n, of->relu, out, NULL) ==
               TPU_OK &&
           out->count <= params_max_instructions(self->params);
}

// Rows of A and C in another order.
static bool make_rows(metamorph_pair *self) {
    const uint32_t maxdim = self->params->maxdim;
    shape of = draw_shape(self, maxdim);
    if (!make_gemm(self, &of, &self->first.program) ||
        copy_program(&self->second.program, &self->first.program) != TPU_OK) {
        return false;
    }
    for (uint32_t r = of.m - 1; r > 0; r--) { // Fisher and Yates
        uint32_t other = below(self, r + 1);
        uint32_t kept = self->row[r];
        self->row[r] = self->row[other];
        self->row[other] = kept;
    }
    for (uint32_t r = 0; r < of.m; r++) {
        size_t to = (size_t)self->row[r] * maxdim;
        size_t from = (size_t)r * maxdim;
        memcpy(self->second.a + to, self->first.a + from, maxdim);
        memcpy(self->second.c + to, self->first.c + from, maxdim);
    }
    self->differ = ALL_STREAMS;
    return true;
}

static bool make_zero(metamorph_pair *self) {
    shape of = draw_shape(self, self->params->maxdim);
    self->m = of.m;
    self->n = of.n;
    self->zero = true;
    self->differ = ALL_STREAMS;
    memset(self->second.b, 0, params_region_bytes(self->params));
    return make_gemm(self, &of, &self->first.program) &&
           copy_program(&self->second.program, &self->first.program) == TPU_OK;
}

// Columns k .. 2k-1 of A are zero, or else rows k .. 2k-1 of B.
static bool make_pad(metamorph_pair *self) {
    const uint32_t maxdim = self->params->maxdim;
    if (maxdim < 2 * self->params->t) {
        return false;
    }
    shape of = draw_shape(self, maxdim / 2);
    if (!make_gemm(self, &of, &self->first.program)) {
        return false;
    }
    bool in_a = below(self, 2) == 0;
    for (uint32_t r = 0; r < of.m && in_a; r++) {
        memset(self->second.a + (size_t)r * maxdim + of.k, 0, of.k);
    }
    for (uint32_t r = of.k; r < 2 * of.k && !in_a; r++) {
        memset(self->second.b + (size_t)r * maxdim, 0, maxdim);
    }
    of.k *= 2;
    self->differ = ALL_STREAMS;
    return make_gemm(self, &of, &self->second.program);
}

// ---- moving a program --------------------------------------------------------------------------

// What one instruction addresses in a memory: the field and how many rows; false = nothing.
typedef struct place {
    tpu_mem memory;
    uint32_t field;
    uint32_t rows;
} place;

#define PLACES_MAX 3u

static uint32_t places_of(const tpu_params *params, uint32_t op, uint32_t nr, uint32_t mode,
                          place out[PLACES_MAX]) {
    switch (op) {
    case TPU_OP_DMA_LD:
        out[0] = (place){(mode & TPU_DMA_SRC_B) != 0 ? TPU_MEM_B : TPU_MEM_A, 1, nr};
        out[1] = (place){(mode & TPU_DMA_TO_VR) != 0 ? TPU_MEM_VR : TPU_MEM_SPAD, 3, nr};
        return 2;
    case TPU_OP_VLD:
        out[0] = (place){TPU_MEM_VR, 0, nr};
        out[1] = (place){TPU_MEM_SPAD, 1, nr};
        return 2;
    case TPU_OP_MM:
        out[0] = (place){TPU_MEM_VR, 0, nr};
        out[1] = (place){TPU_MEM_AR, 1, nr};
        out[2] = (place){TPU_MEM_SPAD, 3, params->t};
        return 3;
    case TPU_OP_VADD:
    case TPU_OP_VADDRELU:
        for (uint32_t i = 0; i < 3; i++) {
            out[i] = (place){TPU_MEM_AR, i, nr};
        }
        return 3;
    case TPU_OP_VRELU:
        out[0] = (place){TPU_MEM_AR, 0, nr};
        out[1] = (place){TPU_MEM_AR, 1, nr};
        return 2;
    case TPU_OP_MVOUT:
        out[0] = (place){TPU_MEM_AR, 0, nr};
        out[1] = (place){TPU_MEM_C, 1, nr};
        return 2;
    default:
        return 0;
    }
}

static uint32_t depth_of(const tpu_params *params, tpu_mem memory) {
    uint32_t depth = memory == TPU_MEM_SPAD ? params->spad_rows
                     : memory == TPU_MEM_VR ? params->nvr
                     : memory == TPU_MEM_AR ? params->nar
                                            : params->maxdim;
    return depth < TPU_FIELD_MAX + 1u ? depth : TPU_FIELD_MAX + 1u;
}

// Rows 0 .. end-1 of the memory are all that the program touches.
static uint32_t end_of(const metamorph_pair *self, tpu_mem memory) {
    expand it;
    isa_issue issue;
    bool done = false;
    uint32_t end = 0;
    expand_start(&it, &self->first.program);
    while (expand_next(&it, &issue, &done, NULL) == TPU_OK && !done) {
        place at[PLACES_MAX];
        uint32_t count = places_of(self->params, issue.op, issue.nr, issue.f[0], at);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t last = issue.f[at[i].field] + at[i].rows;
            end = at[i].memory == memory && last > end ? last : end;
        }
    }
    return end;
}

// A load whose mode walks is in two memories at once.
static bool has_walking_mode(const isa_program *program) {
    for (size_t pc = 0; pc < program->count; pc++) {
        const isa_insn *insn = &program->insn[pc];
        for (size_t i = 0; insn->op == TPU_OP_DMA_LD && i < TPU_AGU_TERMS; i++) {
            if (insn->term[i].target == 1) {
                return true;
            }
        }
    }
    return false;
}

static void turn(const metamorph_pair *self, uint32_t by, const uint8_t *from, uint8_t *to) {
    const uint32_t maxdim = self->params->maxdim;
    for (uint32_t r = 0; r < maxdim; r++) {
        memcpy(to + (size_t)((r + by) % maxdim) * maxdim, from + (size_t)r * maxdim, maxdim);
    }
}

static tpu_status draw_program(metamorph_pair *self, const stress_options *options,
                               tpu_message *why) {
    traits_set set = 0;
    isa_program *program = &self->first.program;
    tpu_status status = stress_program(self->params, rng_next(self->source), options, program, why);
    if (status == TPU_OK) {
        status = traits_of(self->params, program, &set, why);
    }
    if ((set >> TRAITS_VLD_UNWRITTEN & 1u) != 0) {
        self->differ |= BIT(SP2VR) | BIT(VR_WRITE); // shows what memory held before
    }
    return status == TPU_OK ? copy_program(&self->second.program, program) : status;
}

static bool move(metamorph_pair *self, tpu_mem memory) {
    uint32_t end = end_of(self, memory);
    uint32_t slack = depth_of(self->params, memory) - end;
    if (end == 0 || slack == 0 || has_walking_mode(&self->first.program)) {
        return false;
    }
    uint32_t by = below(self, 2) == 0 ? slack : 1 + below(self, slack);
    for (size_t pc = 0; pc < self->second.program.count; pc++) {
        isa_insn *insn = &self->second.program.insn[pc];
        place at[PLACES_MAX];
        uint32_t count = places_of(self->params, insn->op, insn->nr, insn->f[0], at);
        for (uint32_t i = 0; i < count; i++) {
            if (at[i].memory == memory) {
                insn->f[at[i].field] = (uint16_t)(insn->f[at[i].field] + by);
            }
        }
    }
    self->differ |= ADDRESSED;
    if (memory == TPU_MEM_A) {
        turn(self, by, self->first.a, self->second.a);
    } else if (memory == TPU_MEM_B) {
        turn(self, by, self->first.b, self->second.b);
    } else if (memory == TPU_MEM_C) {
        turn(self, by, self->first.c, self->second.c);
        for (uint32_t r = 0; r < self->params->maxdim; r++) {
            self->row[r] = (r + by) % self->params->maxdim;
        }
    }
    return true;
}

// ---- writing out, nops -------------------------------------------------------------------------

static bool write_out(metamorph_pair *self) {
    expand it;
    isa_issue issue;
    bool done = false;
    isa_program *flat = &self->second.program;
    flat->count = 0;
    expand_start(&it, &self->first.program);
    while (expand_next(&it, &issue, &done, NULL) == TPU_OK && !done) {
        isa_insn insn = {.op = issue.op, .nr = issue.nr};
        for (size_t i = 0; i < TPU_FIELDS; i++) {
            insn.f[i] = (uint16_t)issue.f[i];
        }
        if (flat->count >= params_max_instructions(self->params) ||
            isa_program_append(flat, &insn) != TPU_OK) {
            return false;
        }
    }
    self->differ |= BIT(ISSUE);
    return flat->count > 0 && flat->count != self->first.program.count;
}

static bool put_nops(metamorph_pair *self) {
    static const isa_insn nop = {.op = TPU_OP_NOP};
    isa_program *program = &self->second.program;
    uint32_t most = params_max_instructions(self->params);
    uint32_t room = most - (uint32_t)program->count;
    for (uint32_t more = room > 0 ? 1 + below(self, room) : 0; more > 0; more--) {
        if (isa_program_append(program, &nop) != TPU_OK) {
            return false;
        }
        size_t at = below(self, (uint32_t)program->count);
        memmove(program->insn + at + 1, program->insn + at,
                (program->count - 1 - at) * sizeof program->insn[0]);
        program->insn[at] = nop;
    }
    self->differ |= BIT(ISSUE);
    return room > 0;
}

static void reset(metamorph_pair *self) {
    size_t bytes = params_region_bytes(self->params);
    rng_fill(self->source, self->first.a, bytes);
    rng_fill(self->source, self->first.b, bytes);
    rng_fill(self->source, self->first.c, bytes);
    memcpy(self->second.a, self->first.a, bytes);
    memcpy(self->second.b, self->first.b, bytes);
    memcpy(self->second.c, self->first.c, bytes);
    for (uint32_t r = 0; r < self->params->maxdim; r++) {
        self->row[r] = r;
    }
    self->differ = 0;
    self->zero = false;
    self->m = 0;
    self->n = 0;
}

tpu_status metamorph_pair_make(metamorph_pair *self, metamorph_kind kind, bool *made,
                               tpu_message *why) {
    static const tpu_mem memory[METAMORPH_COUNT] = {
        [METAMORPH_MOVE_SPAD] = TPU_MEM_SPAD, [METAMORPH_MOVE_VR] = TPU_MEM_VR,
        [METAMORPH_MOVE_AR] = TPU_MEM_AR,     [METAMORPH_MOVE_A] = TPU_MEM_A,
        [METAMORPH_MOVE_B] = TPU_MEM_B,       [METAMORPH_MOVE_C] = TPU_MEM_C};
    static const stress_options small = {.instructions = 9};
    static const stress_options shorter = {.instructions = 16};
    reset(self);
    if (kind <= METAMORPH_PAD) {
        *made = kind == METAMORPH_ROWS   ? make_rows(self)
                : kind == METAMORPH_ZERO ? make_zero(self)
                                         : make_pad(self);
        return TPU_OK;
    }
    const stress_options *options = kind == METAMORPH_FLAT   ? &small
                                    : kind == METAMORPH_NOPS ? &shorter
                                                             : NULL;
    tpu_status status = draw_program(self, options, why);
    if (status == TPU_OK) {
        *made = kind == METAMORPH_FLAT   ? write_out(self)
                : kind == METAMORPH_NOPS ? put_nops(self)
                                         : move(self, memory[kind]);
    }
    return status;
}
