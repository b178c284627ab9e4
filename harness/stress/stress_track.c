// SPDX-License-Identifier: Apache-2.0
//
// The generator's own idea of legality, issue by issue: bounds, written rows, accumulator ages. It
// says yes or no and nothing else; csim/isa/check.c, written apart from it, must agree.

#include "harness/stress/stress_internal.h"

#include <string.h>

static uint32_t bounded(uint32_t rows) {
    return rows < STRESS_ROWS ? rows : STRESS_ROWS;
}

void stress_track_start(stress_track *self, const tpu_params *params) {
    self->spad_rows = bounded(params->spad_rows);
    self->vr_rows = bounded(params->nvr);
    self->ar_rows = bounded(params->nar);
    self->t = params->t;
    self->maxdim = params->maxdim;
    self->wpr = params_wpr(params);
    self->step = 0;
    memset(self->work, 0, sizeof self->work);
    memset(self->recent, 0, sizeof self->recent);
    memset(self->spad, 0, self->spad_rows);
    memset(self->vr, 0, self->vr_rows);
    for (uint32_t row = 0; row < self->ar_rows; row++) {
        self->ar[row] = STRESS_NEVER;
    }
}

void stress_track_copy(stress_track *to, const stress_track *from) {
    memcpy(to, from, offsetof(stress_track, spad));
    memcpy(to->spad, from->spad, from->spad_rows);
    memcpy(to->vr, from->vr, from->vr_rows);
    memcpy(to->ar, from->ar, from->ar_rows * sizeof from->ar[0]);
}

uint32_t stress_track_cycles(const stress_track *self) {
    uint32_t most = 0;
    for (size_t i = 0; i < TPU_UNIT_COUNT; i++) {
        most = self->work[i] > most ? self->work[i] : most;
    }
    return most;
}

static bool inside(uint32_t first, uint32_t rows, uint32_t depth) {
    return first + rows <= depth;
}

static void write_ar(stress_track *self, uint32_t row, int32_t step) {
    self->ar[row] = step;
    self->recent[(uint32_t)step & (STRESS_RECENT - 1)] = (uint16_t)row;
}

static bool may_read(const stress_track *self, uint32_t row, int32_t step) {
    int32_t written = self->ar[row];
    return written != STRESS_NEVER && step - written >= TPU_AR_RAW_DIST;
}

static void spend(stress_track *self, tpu_unit unit, uint32_t work) {
    self->work[unit] += work;
}

static void spend_steps(stress_track *self, uint32_t steps) {
    self->step += (int32_t)steps;
    spend(self, TPU_UNIT_ACCU, steps);
}

static bool track_dma_ld(stress_track *self, uint32_t nr, const uint32_t *f) {
    bool to_vr = (f[0] & TPU_DMA_TO_VR) != 0;
    uint8_t *flags = to_vr ? self->vr : self->spad;
    if (f[0] > (TPU_DMA_SRC_B | TPU_DMA_TO_VR) || f[2] >= self->wpr ||
        !inside(f[1], nr, self->maxdim) ||
        !inside(f[3], nr, to_vr ? self->vr_rows : self->spad_rows)) {
        return false;
    }
    memset(flags + f[3], 1, nr);
    spend(self, TPU_UNIT_DMA_LD, nr);
    spend(self, to_vr ? TPU_UNIT_VRU : TPU_UNIT_SPM, nr);
    return true;
}

static bool track_vld(stress_track *self, uint32_t nr, const uint32_t *f) {
    if (!inside(f[0], nr, self->vr_rows) || !inside(f[1], nr, self->spad_rows)) {
        return false;
    }
    memcpy(self->vr + f[0], self->spad + f[1], nr);
    spend(self, TPU_UNIT_SPM, nr);
    spend(self, TPU_UNIT_VRU, nr);
    return true;
}

static bool track_mm(stress_track *self, uint32_t nr, const uint32_t *f) {
    if (f[2] > 1 || !inside(f[0], nr, self->vr_rows) || !inside(f[1], nr, self->ar_rows) ||
        !inside(f[3], self->t, self->spad_rows) || memchr(self->vr + f[0], 0, nr) != NULL ||
        memchr(self->spad + f[3], 0, self->t) != NULL) {
        return false;
    }
    for (uint32_t i = 0; i < nr; i++) {
        if (f[2] == 1 && !may_read(self, f[1] + i, self->step + (int32_t)i)) {
            return false;
        }
        write_ar(self, f[1] + i, self->step + (int32_t)i);
    }
    spend(self, TPU_UNIT_SPM, self->t + 1);
    spend(self, TPU_UNIT_VRU, nr);
    spend(self, TPU_UNIT_ARRAY, nr > self->t ? nr : self->t + 1);
    spend_steps(self, nr);
    return true;
}

static bool track_vadd(stress_track *self, uint32_t nr, const uint32_t *f) {
    if (!inside(f[0], nr, self->ar_rows) || !inside(f[1], nr, self->ar_rows) ||
        !inside(f[2], nr, self->ar_rows)) {
        return false;
    }
    for (uint32_t i = 0; i < nr; i++) {
        int32_t even = self->step + 2 * (int32_t)i;
        if (!may_read(self, f[1] + i, even) || !may_read(self, f[2] + i, even + 1)) {
            return false;
        }
        write_ar(self, f[0] + i, even + 1);
    }
    spend_steps(self, 2 * nr);
    return true;
}

static bool track_vrelu(stress_track *self, uint32_t nr, const uint32_t *f) {
    if (!inside(f[0], nr, self->ar_rows) || !inside(f[1], nr, self->ar_rows)) {
        return false;
    }
    for (uint32_t i = 0; i < nr; i++) {
        if (!may_read(self, f[1] + i, self->step + (int32_t)i)) {
            return false;
        }
        write_ar(self, f[0] + i, self->step + (int32_t)i);
    }
    spend_steps(self, nr);
    return true;
}

static bool track_mvout(stress_track *self, uint32_t nr, const uint32_t *f) {
    if (!inside(f[0], nr, self->ar_rows) || !inside(f[1], nr, self->maxdim) || f[2] >= self->wpr) {
        return false;
    }
    for (uint32_t i = 0; i < nr; i++) {
        if (!may_read(self, f[0] + i, self->step + (int32_t)i)) {
            return false;
        }
    }
    spend_steps(self, nr);
    spend(self, TPU_UNIT_DMA_ST, nr);
    return true;
}

bool stress_track_issue(stress_track *self, uint32_t op, uint32_t nr,
                        const uint32_t f[TPU_FIELDS]) {
    spend(self, TPU_UNIT_SEQUENCER, 1);
    if (op == TPU_OP_NOP) {
        return true;
    }
    if (nr < 1 || nr > TPU_MAXROWS || f[0] > TPU_FIELD_MAX || f[1] > TPU_FIELD_MAX ||
        f[2] > TPU_FIELD_MAX || f[3] > TPU_FIELD_MAX) {
        return false;
    }
    switch (op) {
    case TPU_OP_DMA_LD:
        return track_dma_ld(self, nr, f);
    case TPU_OP_VLD:
        return track_vld(self, nr, f);
    case TPU_OP_MM:
        return track_mm(self, nr, f);
    case TPU_OP_VADD:
    case TPU_OP_VADDRELU:
        return track_vadd(self, nr, f);
    case TPU_OP_VRELU:
        return track_vrelu(self, nr, f);
    case TPU_OP_MVOUT:
        return track_mvout(self, nr, f);
    default:
        return false;
    }
}
