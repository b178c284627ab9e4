// SPDX-License-Identifier: Apache-2.0
//
// The loop-nest builder. A loop's level is the number of loops open around it, and an induction
// variable carries its level, so swapping two nest_open calls moves every address term with it.

#include "csim/isa/nest.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

void nest_start(nest *self) {
    memset(self, 0, sizeof *self);
}

nest_ref nest_base(uint32_t base) {
    return (nest_ref){.base = base};
}

nest_ref nest_at(nest_ref ref, nest_iv iv, uint32_t stride) {
    nest_ref moved = ref;
    if (iv.owner == NULL) {
        return moved;
    }
    if (moved.walks < NEST_WALK_MAX) {
        moved.iv[moved.walks] = iv;
        moved.stride[moved.walks] = stride;
    }
    moved.walks++;
    return moved;
}

// The open loops from the outside in, then `inner` when it is not NULL: "n > k > m".
static void name_nest(const nest *self, const char *inner, char *text, size_t size) {
    text[0] = '\0';
    for (uint32_t i = 0; i < self->depth; i++) {
        size_t used = strlen(text);
        (void)snprintf(text + used, size - used, "%s%.24s", i > 0 ? " > " : "", self->open[i].name);
    }
    if (inner != NULL) {
        size_t used = strlen(text);
        (void)snprintf(text + used, size - used, "%s%.24s", used > 0 ? " > " : "", inner);
    }
}

static void append(nest *self, const isa_insn *insn) {
    if (self->status == TPU_OK && isa_program_append(&self->program, insn) != TPU_OK) {
        self->status = status_fail(&self->why, TPU_ERR_MEMORY, "no memory for the program");
    }
}

static tpu_status check_open(nest *self, uint32_t trips, const char *name) {
    if (trips == 0) {
        return status_fail(&self->why, TPU_REFUSED,
                           "loop %s has trip count 0, but the machine tests at the end of the "
                           "body and would run it once: leave the loop out",
                           name);
    }
    if (trips > TPU_MAXROWS) {
        return status_fail(&self->why, TPU_REFUSED,
                           "loop %s has trip count %u; 1..%d can be encoded", name, trips,
                           TPU_MAXROWS);
    }
    if (self->depth == TPU_LOOP_DEPTH) {
        char names[192];
        name_nest(self, name, names, sizeof names);
        return status_fail(&self->why, TPU_REFUSED,
                           "the nest is %s: %u loops deep, and the loop stack holds %d", names,
                           self->depth + 1, TPU_LOOP_DEPTH);
    }
    return TPU_OK;
}

nest_iv nest_open(nest *self, uint32_t trips, const char *name) {
    nest_iv iv = {.owner = self, .name = name, .level = self->depth};
    if (self->status == TPU_OK) {
        self->status = check_open(self, trips, name);
    }
    if (self->status == TPU_OK) {
        iv.id = ++self->loops;
        self->open[self->depth++] = (nest_loop){.name = name, .id = iv.id};
        append(self, &(isa_insn){.op = TPU_OP_LOOP, .nr = (uint8_t)trips});
    }
    return iv;
}

nest_iv nest_open_folded(nest *self, uint32_t trips, const char *name) {
    if (trips == 1) {
        return (nest_iv){.name = name};
    }
    return nest_open(self, trips, name);
}

static bool is_open(const nest *self, nest_iv iv) {
    return iv.owner == self && iv.level < self->depth && self->open[iv.level].id == iv.id;
}

void nest_close(nest *self, nest_iv iv) {
    if (self->status != TPU_OK || iv.owner == NULL) {
        return;
    }
    if (!is_open(self, iv) || iv.level + 1 != self->depth) {
        char names[192];
        name_nest(self, NULL, names, sizeof names);
        self->status =
            status_fail(&self->why, TPU_REFUSED,
                        "loop %s cannot be closed here: it is not the innermost open loop "
                        "(open: %s)",
                        iv.name, self->depth > 0 ? names : "none");
        return;
    }
    self->depth--;
    append(self, &(isa_insn){.op = TPU_OP_ENDLOOP});
}

static tpu_status check_walk(nest *self, uint8_t op, size_t field, nest_iv iv, uint32_t stride) {
    const char *name = tpu_ops[op].operand[field].name;
    if (iv.owner != self) {
        return status_fail(&self->why, TPU_REFUSED,
                           "%s of %s walks loop %s, which belongs to another program", name,
                           tpu_ops[op].name, iv.name);
    }
    if (!is_open(self, iv)) {
        return status_fail(&self->why, TPU_REFUSED,
                           "%s of %s walks loop %s, which is not open here: the machine would add "
                           "a stale induction value",
                           name, tpu_ops[op].name, iv.name);
    }
    if (stride > TPU_AGU_STRIDE_MAX) {
        return status_fail(&self->why, TPU_REFUSED,
                           "%s of %s walks loop %s by %u rows; 0..%d can be encoded", name,
                           tpu_ops[op].name, iv.name, stride, TPU_AGU_STRIDE_MAX);
    }
    return TPU_OK;
}

// Refuses what an instruction word cannot carry, before any of it is narrowed.
static tpu_status check_refs(nest *self, uint8_t op, const nest_ref ref[TPU_FIELDS],
                             uint32_t rows) {
    uint32_t walks = 0;
    for (size_t i = 0; i < TPU_FIELDS; i++) {
        walks += ref[i].walks;
        if (ref[i].base > TPU_FIELD_MAX) {
            return status_fail(&self->why, TPU_REFUSED, "%s of %s is %u; 0..%d can be encoded",
                               tpu_ops[op].operand[i].name, tpu_ops[op].name, ref[i].base,
                               TPU_FIELD_MAX);
        }
    }
    if (tpu_ops[op].has_rows && (rows == 0 || rows > TPU_MAXROWS)) {
        return status_fail(&self->why, TPU_REFUSED, "%s works on %u rows; 1..%d can be encoded",
                           tpu_ops[op].name, rows, TPU_MAXROWS);
    }
    if (walks > TPU_AGU_TERMS) {
        return status_fail(&self->why, TPU_REFUSED,
                           "%s needs %u address terms (one for each loop that a field walks); an "
                           "instruction carries %d",
                           tpu_ops[op].name, walks, TPU_AGU_TERMS);
    }
    return TPU_OK;
}

// Appends the walks of one field to the instruction's terms.
static tpu_status add_terms(nest *self, size_t field, const nest_ref *ref, size_t *used,
                            isa_insn *insn) {
    for (uint32_t i = 0; i < ref->walks; i++) {
        tpu_status status = check_walk(self, insn->op, field, ref->iv[i], ref->stride[i]);
        if (status != TPU_OK) {
            return status;
        }
        insn->term[(*used)++] = (isa_term){.target = (uint8_t)(field + 1),
                                           .level = (uint8_t)ref->iv[i].level,
                                           .stride = (uint16_t)ref->stride[i]};
    }
    return TPU_OK;
}

static void emit(nest *self, uint8_t op, const nest_ref ref[TPU_FIELDS], uint32_t rows) {
    if (self->status != TPU_OK) {
        return;
    }
    self->status = check_refs(self, op, ref, rows);
    isa_insn insn = {.op = op, .nr = (uint8_t)rows};
    size_t used = 0;
    for (size_t i = 0; self->status == TPU_OK && i < TPU_FIELDS; i++) {
        insn.f[i] = (uint16_t)ref[i].base;
        self->status = add_terms(self, i, &ref[i], &used, &insn);
    }
    append(self, &insn);
}

void nest_dma_ld(nest *self, nest_source from, nest_target to, nest_ref dram_row0,
                 nest_ref col_block, nest_ref dst_row0, uint32_t rows) {
    uint32_t mode = (from == NEST_FROM_B ? (uint32_t)TPU_DMA_SRC_B : 0) |
                    (to == NEST_TO_VR ? (uint32_t)TPU_DMA_TO_VR : 0);
    const nest_ref ref[TPU_FIELDS] = {nest_base(mode), dram_row0, col_block, dst_row0};
    emit(self, TPU_OP_DMA_LD, ref, rows);
}

void nest_vld(nest *self, nest_ref vr0, nest_ref spad0, uint32_t rows) {
    const nest_ref ref[TPU_FIELDS] = {vr0, spad0};
    emit(self, TPU_OP_VLD, ref, rows);
}

void nest_mm(nest *self, nest_ref vr_a, nest_ref ar0, nest_ref acc, nest_ref spad_w,
             uint32_t rows) {
    const nest_ref ref[TPU_FIELDS] = {vr_a, ar0, acc, spad_w};
    emit(self, TPU_OP_MM, ref, rows);
}

void nest_vadd(nest *self, nest_ref ar_d, nest_ref ar_s1, nest_ref ar_s2, uint32_t rows) {
    const nest_ref ref[TPU_FIELDS] = {ar_d, ar_s1, ar_s2};
    emit(self, TPU_OP_VADD, ref, rows);
}

void nest_vrelu(nest *self, nest_ref ar_d, nest_ref ar_s, uint32_t rows) {
    const nest_ref ref[TPU_FIELDS] = {ar_d, ar_s};
    emit(self, TPU_OP_VRELU, ref, rows);
}

void nest_vaddrelu(nest *self, nest_ref ar_d, nest_ref ar_s1, nest_ref ar_s2, uint32_t rows) {
    const nest_ref ref[TPU_FIELDS] = {ar_d, ar_s1, ar_s2};
    emit(self, TPU_OP_VADDRELU, ref, rows);
}

void nest_mvout(nest *self, nest_ref ar0, nest_ref dram_row0, nest_ref col_block, uint32_t rows) {
    const nest_ref ref[TPU_FIELDS] = {ar0, dram_row0, col_block};
    emit(self, TPU_OP_MVOUT, ref, rows);
}

void nest_nop(nest *self) {
    const nest_ref ref[TPU_FIELDS] = {nest_base(0)};
    emit(self, TPU_OP_NOP, ref, 0);
}

tpu_status nest_finish(nest *self, isa_program *out, tpu_message *why) {
    if (self->status == TPU_OK && self->depth > 0) {
        char names[192];
        name_nest(self, NULL, names, sizeof names);
        self->status = status_fail(&self->why, TPU_REFUSED,
                                   "the program ends inside %s: loop %s was never closed", names,
                                   self->open[self->depth - 1].name);
    }
    if (self->status == TPU_OK) {
        *out = self->program;
        self->program = (isa_program){0};
        return TPU_OK;
    }
    if (why != NULL) {
        *why = self->why;
    }
    isa_program_clear(&self->program);
    return self->status;
}
