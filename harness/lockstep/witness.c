// SPDX-License-Identifier: Apache-2.0
//
// The sink keeps a copy of each on-chip memory, brought up to date by the rows of the write
// streams, and beside it what each row held before its last write. Memory use is that of the
// machine, however long the run is.

#include "harness/lockstep/witness.h"

#include "csim/arch/arch.h"
#include "harness/lockstep/shadow.h"
#include "harness/lockstep/verdict.h"
#include "harness/lockstep/witness_place.h"

#include <stdlib.h>
#include <string.h>

// Issues looked at after the one in question: the next mm is seldom further away.
#define ISSUES_AFTER 32u

// Operands of one mm.
typedef struct tile {
    bool used;
    int8_t *a; // TPU_MAXROWS rows
    int8_t *w;
    uint32_t a_rows;
    uint32_t w_rows;
} tile;

typedef struct inquiry {
    const witness_query *query;
    witness *out;
    arch *model;
    uint32_t t;
    shadow memory[TPU_MEM_AR + 1];
    tile mm[3];    // before, of now, after
    int32_t *sums; // of now
    uint32_t sum_rows;
    uint8_t op; // of the issue under way
    uint32_t f[TPU_FIELDS];
    bool header;                       // no issue yet
    bool found;                        // in this issue or an earlier one
    bool after;                        // the issue under way comes after it
    uint64_t before[TPU_STREAM_COUNT]; // rows up to the last issue
    uint64_t count[TPU_STREAM_COUNT];  // and with this one
    uint32_t target;                   // row of the stream within the issue
    uint8_t *passed;                   // rows of a channel in the issue under way
    bool passed_flag[TPU_MAXROWS];
    uint32_t passed_rows;
} inquiry;

// ---- operands of an mm --------------------------------------------------------------------------

static bool tile_create(tile *self, uint32_t t) {
    self->a = calloc(TPU_MAXROWS, t);
    self->w = calloc(t, t);
    return self->a != NULL && self->w != NULL;
}

static void tile_clear(tile *self) {
    free(self->a);
    free(self->w);
}

// ---- where the row comes from -------------------------------------------------------------------

static uint32_t number_at(const uint8_t *row) {
    return (uint32_t)(row[0] | row[1] << 8);
}

// The place that row `in_issue` of the issue under way is read from; false = from none.
static bool find_source(const inquiry *self, uint32_t in_issue, witness *out) {
    const uint32_t *f = self->f;
    switch (self->query->stream) {
    case TPU_STREAM_SP2VR:
        out->memory = TPU_MEM_SPAD;
        out->source = f[1] + in_issue;
        return true;
    case TPU_STREAM_WCOL:
        out->memory = TPU_MEM_SPAD;
        out->source = f[3] + in_issue - 1; // row 0 is the header
        return in_issue > 0;
    case TPU_STREAM_ACOL:
        out->memory = TPU_MEM_VR;
        out->source = f[0] + in_issue;
        return true;
    case TPU_STREAM_AC2SP:
        out->memory = TPU_MEM_AR;
        out->source = f[0] + in_issue;
        return true;
    case TPU_STREAM_DMA2SP:
    case TPU_STREAM_DMA2VR:
        out->memory = (f[0] & TPU_DMA_SRC_B) != 0 ? TPU_MEM_B : TPU_MEM_A;
        out->source = f[1] + in_issue;
        out->block = f[2];
        return true;
    default:
        return false;
    }
}

static int32_t word_at(const uint8_t *at) {
    return (int32_t)((uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
                     (uint32_t)at[3] << 24);
}

static bool all_zero(const uint8_t *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] != 0) {
            return false;
        }
    }
    return true;
}

static void search_memory(const inquiry *self, uint32_t in_issue, witness *out) {
    const tpu_stream_info *info = &tpu_streams[self->query->stream];
    if (!find_source(self, in_issue, out)) {
        out->memory = -1;
        return;
    }
    if (self->query->got == NULL) {
        return;
    }
    const uint8_t *lanes = self->query->got + info->head_bytes;
    if (out->memory > TPU_MEM_AR) {
        witness_place_in_matrix(self->query, lanes, out);
    } else {
        witness_place_in_memory(self->query, &self->memory[out->memory], lanes, out);
    }
    out->moved = out->moved && !all_zero(lanes, self->t); // zeros stand everywhere
}

// ---- operands -----------------------------------------------------------------------------------

static void copy_ar(const inquiry *self, uint32_t row, int32_t *to, bool *has) {
    const shadow *from = &self->memory[TPU_MEM_AR];
    *has = row < from->rows;
    for (uint32_t lane = 0; lane < self->t && *has; lane++) {
        to[lane] = word_at(from->now + row * from->bytes + (size_t)4 * lane);
    }
}

static void find_operands(const inquiry *self, uint32_t in_issue, witness *out) {
    const uint32_t *f = self->f;
    switch (self->query->stream) {
    case TPU_STREAM_AC2SP:
        copy_ar(self, f[0] + in_issue, out->left, &out->has_left);
        break;
    case TPU_STREAM_AR_WRITE_ALU:
        copy_ar(self, f[1] + in_issue, out->left, &out->has_left);
        if (self->op != TPU_OP_VRELU) {
            copy_ar(self, f[2] + in_issue, out->right, &out->has_right);
        }
        break;
    case TPU_STREAM_AR_WRITE_MM:
        copy_ar(self, f[1] + in_issue, out->left, &out->has_left);
        out->has_right = in_issue < self->sum_rows;
        if (out->has_right) {
            memcpy(out->right, self->sums + (size_t)in_issue * self->t, self->t * sizeof(int32_t));
        }
        break;
    default:
        break;
    }
}

// The lanes that the row hands on, from a memory or from a channel.
static void find_lanes(const inquiry *self, uint32_t in_issue, witness *out) {
    if (out->memory == TPU_MEM_SPAD || out->memory == TPU_MEM_VR) {
        const shadow *from = &self->memory[out->memory];
        const uint8_t *row = shadow_row(from, out->source);
        out->has_lanes = row != NULL;
        out->written = row != NULL && from->loaded[out->source];
        if (row != NULL) {
            memcpy(out->lanes, row, self->t);
        }
    } else if (in_issue < self->passed_rows) {
        out->has_lanes = true;
        out->written = self->passed_flag[in_issue];
        memcpy(out->lanes, self->passed + (size_t)in_issue * self->t, self->t);
    }
}

// ---- the pass -----------------------------------------------------------------------------------

static void begin_issue(inquiry *self, const uint8_t *row) {
    self->after = self->found;
    self->header = false;
    self->passed_rows = 0;
    self->op = (uint8_t)verdict_row_element(TPU_STREAM_ISSUE, row, 1, -1);
    for (int i = 0; i < TPU_FIELDS; i++) {
        self->f[i] = (uint32_t)verdict_row_element(TPU_STREAM_ISSUE, row, 3 + i, -1);
    }
    if (self->op != TPU_OP_MM) {
        return;
    }
    if (!self->found) { // the tiles move on while the row is still to come
        tile oldest = self->mm[0];
        self->mm[0] = self->mm[1];
        self->mm[1] = oldest;
        self->sum_rows = 0;
    }
    tile *now = &self->mm[self->found ? 2 : 1];
    now->used = true;
    now->a_rows = 0;
    now->w_rows = 0;
}

static void keep_operand(inquiry *self, tpu_stream stream, uint32_t in_issue, const uint8_t *row) {
    tile *now = &self->mm[self->after ? 2 : 1];
    if (self->header || self->op != TPU_OP_MM) {
        return;
    }
    if (stream == TPU_STREAM_ACOL && now->a_rows < TPU_MAXROWS) {
        memcpy(now->a + (size_t)now->a_rows++ * self->t, row, self->t);
    } else if (stream == TPU_STREAM_WCOL && in_issue > 0 && now->w_rows < self->t) {
        memcpy(now->w + (size_t)now->w_rows++ * self->t, row, self->t);
    } else if (stream == TPU_STREAM_CW && !self->after && self->sum_rows < TPU_MAXROWS) {
        int32_t *to = self->sums + (size_t)self->sum_rows++ * self->t;
        for (uint32_t lane = 0; lane < self->t; lane++) {
            to[lane] = word_at(row + (size_t)4 * lane);
        }
    }
}

// The channel whose row number k becomes row k of a write stream in the same instruction.
static int passed_on_by(const inquiry *self) {
    switch (self->query->stream) {
    case TPU_STREAM_SPAD_WRITE:
        return TPU_STREAM_DMA2SP;
    case TPU_STREAM_VR_WRITE:
        return self->op == TPU_OP_VLD ? TPU_STREAM_SP2VR : TPU_STREAM_DMA2VR;
    case TPU_STREAM_C_WRITE:
        return TPU_STREAM_AC2SP;
    default:
        return -1;
    }
}

// Rows of this instruction that the one in question may be a copy of.
static void keep_passed(inquiry *self, tpu_stream stream, uint32_t in_issue, const uint8_t *row) {
    if (self->header || self->found || (int)stream != passed_on_by(self) ||
        in_issue >= TPU_MAXROWS) {
        return;
    }
    const size_t head = tpu_streams[stream].head_bytes;
    memcpy(self->passed + (size_t)in_issue * self->t, row + head, self->t);
    self->passed_flag[in_issue] = head > 0 && row[0] != 0;
    self->passed_rows = in_issue + 1;
}

static void keep_write(inquiry *self, tpu_stream stream, const uint8_t *row) {
    const uint8_t *lanes = row + tpu_streams[stream].head_bytes;
    switch (stream) {
    case TPU_STREAM_SPAD_WRITE:
        shadow_write(&self->memory[TPU_MEM_SPAD], number_at(row), lanes, true);
        break;
    case TPU_STREAM_VR_WRITE:
        shadow_write(&self->memory[TPU_MEM_VR], number_at(row), lanes, row[2] != 0);
        break;
    case TPU_STREAM_AR_WRITE_MM:
    case TPU_STREAM_AR_WRITE_ALU:
        shadow_write(&self->memory[TPU_MEM_AR], number_at(row), lanes, true);
        break;
    default:
        break;
    }
}

// Another row of the same stream with the lanes that came: the nearest one.
static void compare_again(inquiry *self, uint64_t index, const uint8_t *row, size_t bytes) {
    const witness_query *query = self->query;
    const size_t head = tpu_streams[query->stream].head_bytes;
    witness *out = self->out;
    if (query->got == NULL || index == query->index || head == bytes ||
        memcmp(row + head, query->got + head, bytes - head) != 0 ||
        all_zero(query->got + head, bytes - head)) {
        return;
    }
    uint64_t away = index > query->index ? index - query->index : query->index - index;
    uint64_t best =
        out->again_at > query->index ? out->again_at - query->index : query->index - out->again_at;
    if (!out->again || away < best) {
        out->again = true;
        out->again_at = index;
    }
}

static void take_row(void *user, tpu_stream stream, const uint8_t *row, size_t bytes) {
    inquiry *self = user;
    if (stream == TPU_STREAM_ISSUE) {
        begin_issue(self, row);
    }
    const uint64_t index = self->count[stream]++;
    const uint32_t in_issue = (uint32_t)(index - self->before[stream]);
    if (stream == self->query->stream) {
        compare_again(self, index, row, bytes);
    }
    if (stream == self->query->stream && index == self->query->index) {
        self->found = true;
        self->target = in_issue;
        self->out->op = self->op;
        self->out->header = self->header;
        self->out->issue = (uint32_t)self->count[TPU_STREAM_ISSUE] - 1;
        memcpy(self->out->f, self->f, sizeof self->f);
        if (!self->header) {
            search_memory(self, in_issue, self->out);
            find_operands(self, in_issue, self->out);
            find_lanes(self, in_issue, self->out);
        }
    }
    keep_operand(self, stream, in_issue, row);
    keep_passed(self, stream, in_issue, row);
    keep_write(self, stream, row);
}

// A control word and the weights are needed whole, of other channels one row a row.
static void note_needs(inquiry *self) {
    witness *out = self->out;
    out->known = true;
    out->in_issue = self->target;
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        uint64_t here = self->count[s] - self->before[s];
        bool whole = s <= TPU_STREAM_C_DST || s == TPU_STREAM_WCOL;
        uint64_t used = whole || here <= self->target ? here : (uint64_t)self->target + 1;
        out->needed[s] = self->before[s] + used;
    }
}

static bool inquiry_create(inquiry *self) {
    const witness_query *query = self->query;
    const tpu_params *p = query->params;
    const uint32_t t = p->t;
    self->t = t;
    self->header = true;
    self->model = arch_create(p);
    self->sums = calloc((size_t)TPU_MAXROWS * t, sizeof *self->sums);
    self->passed = calloc(TPU_MAXROWS, t);
    bool good = self->model != NULL && self->sums != NULL && self->passed != NULL;
    good =
        shadow_create(&self->memory[TPU_MEM_SPAD], query->memory[TPU_MEM_SPAD], p->spad_rows, t) &&
        good;
    good = shadow_create(&self->memory[TPU_MEM_VR], query->memory[TPU_MEM_VR], p->nvr, t) && good;
    good = shadow_create(&self->memory[TPU_MEM_AR], query->memory[TPU_MEM_AR], p->nar,
                         (size_t)4 * t) &&
           good;
    for (size_t i = 0; i < 3; i++) {
        good = tile_create(&self->mm[i], t) && good;
    }
    return good;
}

static void inquiry_clear(inquiry *self) {
    arch_destroy(self->model);
    free(self->sums);
    free(self->passed);
    for (size_t i = 0; i <= TPU_MEM_AR; i++) {
        shadow_clear(&self->memory[i]);
    }
    for (size_t i = 0; i < 3; i++) {
        tile_clear(&self->mm[i]);
    }
}

static void load(inquiry *self) {
    const tpu_params *p = self->query->params;
    const size_t region = params_region_bytes(p);
    const size_t bytes[TPU_MEM_COUNT] = {[TPU_MEM_SPAD] = (size_t)p->spad_rows * p->t,
                                         [TPU_MEM_VR] = (size_t)p->nvr * p->t,
                                         [TPU_MEM_AR] = (size_t)p->nar * p->t * 4,
                                         [TPU_MEM_A] = region,
                                         [TPU_MEM_B] = region,
                                         [TPU_MEM_C] = region};
    for (int memory = 0; memory < TPU_MEM_COUNT; memory++) {
        if (bytes[memory] != 0 && self->query->memory[memory] != NULL) {
            arch_set_memory(self->model, (tpu_mem)memory, self->query->memory[memory],
                            bytes[memory]);
        }
    }
}

// The model has shown before that it runs this program; what it says now of a failure is no news.
static void run(inquiry *self) {
    bool done = false;
    tpu_message why;
    const witness_query *query = self->query;
    load(self);
    tpu_status status =
        arch_start(self->model, query->words, query->word_count, take_row, self, &why);
    for (unsigned after = 0; status == TPU_OK && !done && after < ISSUES_AFTER;) {
        if (self->found && !self->out->known) {
            note_needs(self);
        }
        memcpy(self->before, self->count, sizeof self->before);
        status = arch_step(self->model, take_row, self, &done, &why);
        if (self->after && self->op == TPU_OP_MM) {
            break;
        }
        after += self->found;
    }
    if (self->found && !self->out->known) {
        note_needs(self);
    }
}

// Hands the operands of the mm over to the answer.
static void give_mm(inquiry *self) {
    witness *out = self->out;
    tile *now = &self->mm[1];
    bool of_mm = out->known && out->op == TPU_OP_MM && now->used && now->w_rows == self->t;
    if (!of_mm) {
        return;
    }
    const uint32_t t = self->t;
    tile *kept = malloc(sizeof self->mm);
    if (kept == NULL) {
        return;
    }
    memcpy(kept, self->mm, sizeof self->mm);
    memset(self->mm, 0, sizeof self->mm);
    out->storage = kept;
    out->sums = self->sums;
    self->sums = NULL;
    out->has_mm = true;
    const tile *before = &kept[0];
    const tile *after = &kept[2];
    bool has_before = before->used && before->a_rows > 0;
    out->mm = (systolic_case){.t = t,
                              .rows = kept[1].a_rows,
                              .a = kept[1].a,
                              .w = kept[1].w,
                              .w_before = before->used ? before->w : NULL,
                              .w_after = after->used ? after->w : NULL,
                              .a_before =
                                  has_before ? before->a + (size_t)(before->a_rows - 1) * t : NULL};
}

tpu_status witness_ask(const witness_query *query, witness *out, tpu_message *why) {
    inquiry self = {.query = query, .out = out};
    const uint32_t t = query->params->t;
    out->memory = -1;
    out->left = calloc(t, sizeof *out->left);
    out->right = calloc(t, sizeof *out->right);
    out->lanes = calloc(t, 1);
    bool good =
        inquiry_create(&self) && out->left != NULL && out->right != NULL && out->lanes != NULL;
    if (good) {
        run(&self);
        give_mm(&self);
    }
    inquiry_clear(&self);
    return good ? TPU_OK : status_fail(why, TPU_ERR_MEMORY, "blame: out of memory");
}

void witness_clear(witness *self) {
    tile *tiles = self->storage;
    for (size_t i = 0; tiles != NULL && i < 3; i++) {
        tile_clear(&tiles[i]);
    }
    free(tiles);
    free(self->left);
    free(self->right);
    free(self->lanes);
    free(self->sums);
    *self = (witness){.memory = -1};
}
