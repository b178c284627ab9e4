// SPDX-License-Identifier: Apache-2.0
//
// What the units wait for, alone and together, and which word each works on meanwhile. A unit's
// words are known from its command channel; a word is finished when as many rows came out as it
// promises, so "holds" means: given and not finished.

#include "harness/coverage_internal.h"

#include <stdio.h>
#include <string.h>

// A state that a unit can show.
typedef struct cond {
    uint8_t unit;
    uint8_t state;
    uint8_t wait;
    const char *text;
} cond;

#define CALM(unit)                                                                                 \
    {unit, PROBE_IDLE, 0, "idle"}, {                                                               \
        unit, PROBE_BUSY, 0, "busy"                                                                \
    }
#define STARVED(unit, stream, text)                                                                \
    { unit, PROBE_STARVED, stream, "starved of " text }
#define BLOCKED(unit, stream, text)                                                                \
    { unit, PROBE_BLOCKED, stream, "blocked by " text }

// In the order of units; the numbers of a unit's states are neighbours.
static const cond conds[COVERAGE_CONDS] = {
    CALM(TPU_UNIT_SEQUENCER),
    BLOCKED(TPU_UNIT_SEQUENCER, TPU_STREAM_ISSUE, "a full queue"),
    STARVED(TPU_UNIT_SEQUENCER, PROBE_WAIT_MEMORY, "memory"),
    CALM(TPU_UNIT_DMA_LD),
    STARVED(TPU_UNIT_DMA_LD, TPU_STREAM_C_DLD, "c_dld"),
    BLOCKED(TPU_UNIT_DMA_LD, TPU_STREAM_DMA2SP, "dma2sp"),
    BLOCKED(TPU_UNIT_DMA_LD, TPU_STREAM_DMA2VR, "dma2vr"),
    STARVED(TPU_UNIT_DMA_LD, PROBE_WAIT_MEMORY, "memory"),
    CALM(TPU_UNIT_SPM),
    STARVED(TPU_UNIT_SPM, TPU_STREAM_C_SPM, "c_spm"),
    BLOCKED(TPU_UNIT_SPM, TPU_STREAM_WCOL, "wcol"),
    BLOCKED(TPU_UNIT_SPM, TPU_STREAM_SP2VR, "sp2vr"),
    BLOCKED(TPU_UNIT_SPM, PROBE_WAIT_HAZARD, "a hazard"),
    STARVED(TPU_UNIT_SPM, TPU_STREAM_DMA2SP, "dma2sp"),
    CALM(TPU_UNIT_VRU),
    STARVED(TPU_UNIT_VRU, TPU_STREAM_C_VRU, "c_vru"),
    BLOCKED(TPU_UNIT_VRU, TPU_STREAM_ACOL, "acol"),
    BLOCKED(TPU_UNIT_VRU, PROBE_WAIT_HAZARD, "a hazard"),
    STARVED(TPU_UNIT_VRU, TPU_STREAM_SP2VR, "sp2vr"),
    STARVED(TPU_UNIT_VRU, TPU_STREAM_DMA2VR, "dma2vr"),
    CALM(TPU_UNIT_ARRAY),
    STARVED(TPU_UNIT_ARRAY, TPU_STREAM_WCOL, "wcol"),
    BLOCKED(TPU_UNIT_ARRAY, TPU_STREAM_CW, "cw"),
    STARVED(TPU_UNIT_ARRAY, TPU_STREAM_ACOL, "acol"),
    CALM(TPU_UNIT_ACCU),
    STARVED(TPU_UNIT_ACCU, TPU_STREAM_C_ACC, "c_acc"),
    BLOCKED(TPU_UNIT_ACCU, TPU_STREAM_AC2SP, "ac2sp"),
    STARVED(TPU_UNIT_ACCU, TPU_STREAM_CW, "cw"),
    BLOCKED(TPU_UNIT_ACCU, PROBE_WAIT_HAZARD, "a hazard"),
    CALM(TPU_UNIT_DMA_ST),
    STARVED(TPU_UNIT_DMA_ST, TPU_STREAM_C_DST, "c_dst"),
    BLOCKED(TPU_UNIT_DMA_ST, PROBE_WAIT_MEMORY, "memory"),
    STARVED(TPU_UNIT_DMA_ST, TPU_STREAM_AC2SP, "ac2sp"),
    STARVED(TPU_UNIT_DMA_ST, PROBE_WAIT_MEMORY, "a write response"),
};

#define NO_COND 0xffu

static const uint8_t first_cond[TPU_UNIT_COUNT + 1] = {0, 4, 10, 17, 24, 29, 35, 41};

// Three units that hand on to one another.
static const uint8_t triples[4][3] = {{TPU_UNIT_DMA_LD, TPU_UNIT_SPM, TPU_UNIT_VRU},
                                      {TPU_UNIT_SPM, TPU_UNIT_VRU, TPU_UNIT_ACCU},
                                      {TPU_UNIT_VRU, TPU_UNIT_ARRAY, TPU_UNIT_ACCU},
                                      {TPU_UNIT_ARRAY, TPU_UNIT_ACCU, TPU_UNIT_DMA_ST}};

void coverage_units_set_up(coverage *self) {
    memset(self->cond_of, NO_COND, sizeof self->cond_of);
    for (uint8_t i = 0; i < COVERAGE_CONDS; i++) {
        self->cond_of[conds[i].unit][conds[i].state | conds[i].wait << 2] = i;
    }
}

void coverage_units_begin(coverage *self) {
    static const uint8_t headers[TPU_UNIT_COUNT] = {
        [TPU_UNIT_DMA_LD] = 2, [TPU_UNIT_SPM] = 2,    [TPU_UNIT_VRU] = 1,
        [TPU_UNIT_ACCU] = 1,   [TPU_UNIT_DMA_ST] = 1,
    };
    self->started = false;
    for (size_t u = 0; u < TPU_UNIT_COUNT; u++) {
        self->queue[u].head = 0;
        self->queue[u].tail = 0;
        self->queue[u].headers = headers[u];
    }
}

// ---- words -------------------------------------------------------------------------------------

static coverage_word *word_at(coverage_queue *queue, uint32_t index) {
    return &queue->word[index % COVERAGE_HELD_MAX];
}

static tpu_unit unit_of_channel(tpu_stream stream) {
    return (tpu_unit)tpu_streams[stream].reader;
}

void coverage_units_give(coverage *self, tpu_stream stream, const uint8_t *row) {
    coverage_queue *queue = &self->queue[unit_of_channel(stream)];
    uint64_t bits = 0;
    if (queue->headers > 0) {
        queue->headers--;
        return;
    }
    if (queue->tail - queue->head == COVERAGE_HELD_MAX) {
        queue->head++; // a machine that lost its rows; coverage is none of its troubles
    }
    for (unsigned i = 0; i < 8; i++) {
        bits |= (uint64_t)row[i] << 8 * i;
    }
    uint32_t op = coverage_op((uint32_t)(bits & ((1u << TPU_OP_WIDTH) - 1)));
    uint32_t rows = (uint32_t)(bits >> TPU_NR_LO) & ((1u << TPU_NR_WIDTH) - 1);
    bool two_steps = stream == TPU_STREAM_C_ACC &&
                     (op == coverage_op(TPU_OP_VADD) || op == coverage_op(TPU_OP_VADDRELU));
    *word_at(queue, queue->tail++) = (coverage_word){
        .op = (uint8_t)op,
        .accumulate = (uint8_t)(bits >> TPU_F2_LO & 1u),
        .left = (uint16_t)(two_steps ? rows / 2 : rows),
    };
}

// Opcodes, densely, whose rows a stream carries.
static uint32_t makers_of(tpu_stream stream) {
    enum {
        DMA_LD = 1 << 1,
        VLD = 1 << 2,
        MM = 1 << 3,
        ALU = 1 << 4 | 1 << 5 | 1 << 6,
        OUT = 1 << 7
    };
    static const uint8_t makers[TPU_STREAM_COUNT] = {
        [TPU_STREAM_DMA2SP] = DMA_LD,
        [TPU_STREAM_DMA2VR] = DMA_LD,
        [TPU_STREAM_SP2VR] = VLD,
        [TPU_STREAM_WCOL] = MM,
        [TPU_STREAM_ACOL] = MM,
        [TPU_STREAM_SPAD_WRITE] = DMA_LD,
        [TPU_STREAM_VR_WRITE] = DMA_LD | VLD,
        [TPU_STREAM_AR_WRITE_MM] = MM,
        [TPU_STREAM_AR_WRITE_ALU] = ALU,
        [TPU_STREAM_AC2SP] = OUT,
        [TPU_STREAM_C_WRITE] = OUT,
    };
    return makers[stream];
}

const coverage_word *coverage_units_take(coverage *self, tpu_stream stream) {
    coverage_queue *queue = &self->queue[tpu_streams[stream].unit];
    uint32_t makers = makers_of(stream);
    const coverage_word *found = NULL;
    for (uint32_t i = queue->head; i != queue->tail && found == NULL; i++) {
        coverage_word *word = word_at(queue, i);
        if ((makers >> word->op & 1u) != 0 && word->left > 0) {
            word->left--;
            found = word;
        }
    }
    while (queue->head != queue->tail && word_at(queue, queue->head)->left == 0) {
        queue->head++;
    }
    return found;
}

// ---- states ------------------------------------------------------------------------------------

static uint32_t class_of_length(uint64_t cycles) {
    uint32_t at = 0;
    while (at + 1 < COVERAGE_LENGTHS && cycles > 1) {
        cycles >>= 1;
        at++;
    }
    return at;
}

static uint32_t class_of_depth(uint32_t words) {
    return words < 4 ? words : words < 8 ? 4 : 5;
}

static uint32_t in_unit(uint8_t which) {
    return which - (uint32_t)first_cond[conds[which].unit];
}

static void enter(coverage *self, uint32_t unit, uint8_t which, uint64_t cycle) {
    uint8_t before = self->cond[unit];
    if (before != NO_COND && self->started) {
        uint32_t length = class_of_length(cycle - self->since[unit]);
        coverage_mark(self, COVERAGE_BASE_WAIT + before * COVERAGE_LENGTHS + length);
        if (which != NO_COND) {
            coverage_mark(self, COVERAGE_BASE_TURN + before * COVERAGE_UNIT_CONDS + in_unit(which));
        }
    }
    self->cond[unit] = which;
    self->since[unit] = cycle;
}

static void mark_words(coverage *self) {
    for (uint32_t unit = 1; unit < TPU_UNIT_COUNT; unit++) {
        uint8_t which = self->cond[unit];
        coverage_queue *queue = &self->queue[unit];
        uint32_t held = queue->tail - queue->head;
        if (unit == TPU_UNIT_ARRAY || which == NO_COND) {
            continue;
        }
        uint32_t op = held > 0 ? word_at(queue, queue->head)->op : 0;
        coverage_mark(self, COVERAGE_BASE_WORD + which * COVERAGE_OPS + op);
        coverage_mark(self, COVERAGE_BASE_HELD + which * COVERAGE_DEPTHS + class_of_depth(held));
    }
}

static void mark_together(coverage *self) {
    for (uint32_t a = 0; a < TPU_UNIT_COUNT; a++) {
        for (uint32_t b = a + 1; b < TPU_UNIT_COUNT && self->cond[a] != NO_COND; b++) {
            if (self->cond[b] != NO_COND) {
                coverage_mark(self,
                              COVERAGE_BASE_PAIR + self->cond[a] * COVERAGE_CONDS + self->cond[b]);
            }
        }
    }
    for (uint32_t i = 0; i < sizeof triples / sizeof triples[0]; i++) {
        uint32_t at = i;
        bool known = true;
        for (uint32_t k = 0; k < 3; k++) {
            uint8_t which = self->cond[triples[i][k]];
            known = known && which != NO_COND;
            at = at * COVERAGE_UNIT_CONDS + (known ? in_unit(which) : 0);
        }
        if (known) {
            coverage_mark(self, COVERAGE_BASE_TRIPLE + at);
        }
    }
}

void coverage_units_states(coverage *self, const probe *seen) {
    bool same = self->started && memcmp(self->last, seen->unit, sizeof self->last) == 0;
    if (same && seen->fired == 0) {
        return;
    }
    for (uint32_t unit = 0; !same && unit < TPU_UNIT_COUNT; unit++) {
        const probe_unit *now = &seen->unit[unit];
        uint32_t wait = now->state >= PROBE_STARVED ? now->wait : 0u;
        uint8_t which = self->cond_of[unit][(now->state & 3u) | (wait & 31u) << 2];
        if (!self->started || which != self->cond[unit]) {
            enter(self, unit, which, seen->cycle);
        }
    }
    self->started = true;
    memcpy(self->last, seen->unit, sizeof self->last);
    mark_words(self);
    if (!same) {
        mark_together(self);
    }
}

// ---- names -------------------------------------------------------------------------------------

static const char *unit_name(uint32_t which) {
    return tpu_unit_names[conds[which].unit];
}

static void name_length(uint32_t at, char *text, size_t size) {
    uint32_t which = at / COVERAGE_LENGTHS;
    uint32_t from = 1u << at % COVERAGE_LENGTHS;
    const char *more = at % COVERAGE_LENGTHS + 1 == COVERAGE_LENGTHS ? " or more" : " and on";
    (void)snprintf(text, size, "%s %s for %u%s cycle(s)", unit_name(which), conds[which].text, from,
                   from == 1 ? "" : more);
}

static void name_triple(uint32_t at, char *text, size_t size) {
    const uint8_t *units = triples[at / 343];
    const uint32_t in[3] = {at / 49 % 7, at / 7 % 7, at % 7};
    uint32_t which[3];
    for (uint32_t k = 0; k < 3; k++) {
        which[k] = first_cond[units[k]] + in[k];
    }
    (void)snprintf(text, size, "%s %s, %s %s, %s %s", tpu_unit_names[units[0]],
                   conds[which[0]].text, tpu_unit_names[units[1]], conds[which[1]].text,
                   tpu_unit_names[units[2]], conds[which[2]].text);
}

void coverage_units_name(coverage_group group, uint32_t at, char *text, size_t size) {
    static const char *const depths[COVERAGE_DEPTHS] = {"no word", "1 word",     "2 words",
                                                        "3 words", "4..7 words", "8 or more words"};
    uint32_t which = 0;
    if (!coverage_units_possible(group, at)) {
        (void)snprintf(text, size, "%s", "not possible");
        return;
    }
    switch (group) {
    case COVERAGE_TURN:
        which = at / COVERAGE_UNIT_CONDS;
        (void)snprintf(text, size, "%s %s, then %s", unit_name(which), conds[which].text,
                       conds[first_cond[conds[which].unit] + at % COVERAGE_UNIT_CONDS].text);
        return;
    case COVERAGE_WAIT:
        name_length(at, text, size);
        return;
    case COVERAGE_WORD:
        which = at / COVERAGE_OPS;
        (void)snprintf(text, size, "%s %s, its oldest word %s", unit_name(which), conds[which].text,
                       at % COVERAGE_OPS == 0 ? "none" : coverage_op_name(at % COVERAGE_OPS));
        return;
    case COVERAGE_HELD:
        which = at / COVERAGE_DEPTHS;
        (void)snprintf(text, size, "%s %s and holds %s", unit_name(which), conds[which].text,
                       depths[at % COVERAGE_DEPTHS]);
        return;
    case COVERAGE_PAIR:
        (void)snprintf(text, size, "%s %s while %s %s", unit_name(at / COVERAGE_CONDS),
                       conds[at / COVERAGE_CONDS].text, unit_name(at % COVERAGE_CONDS),
                       conds[at % COVERAGE_CONDS].text);
        return;
    default:
        name_triple(at, text, size);
    }
}

// ---- what can be -------------------------------------------------------------------------------

static bool has_cond(uint32_t unit, uint32_t in) {
    return first_cond[unit] + in < first_cond[unit + 1];
}

static bool triple_possible(uint32_t at) {
    const uint8_t *units = triples[at / 343];
    return has_cond(units[0], at / 49 % 7) && has_cond(units[1], at / 7 % 7) &&
           has_cond(units[2], at % 7);
}

// A word of another unit is never in this one's queue; an idle unit holds none.
static bool word_possible(uint32_t which, uint32_t op) {
    uint32_t unit = conds[which].unit;
    static const uint8_t opcodes[COVERAGE_OPS] = {TPU_OP_NOP,   TPU_OP_DMA_LD, TPU_OP_VLD,
                                                  TPU_OP_MM,    TPU_OP_VADD,   TPU_OP_VADDRELU,
                                                  TPU_OP_VRELU, TPU_OP_MVOUT};
    if (unit == TPU_UNIT_SEQUENCER || unit == TPU_UNIT_ARRAY) {
        return false;
    }
    return op == 0 || (tpu_ops[opcodes[op]].unit_mask >> unit & 1u) != 0;
}

bool coverage_units_possible(coverage_group group, uint32_t at) {
    uint32_t which = 0;
    switch (group) {
    case COVERAGE_TURN:
        which = at / COVERAGE_UNIT_CONDS;
        return has_cond(conds[which].unit, at % COVERAGE_UNIT_CONDS) &&
               in_unit((uint8_t)which) != at % COVERAGE_UNIT_CONDS;
    case COVERAGE_WORD:
        return word_possible(at / COVERAGE_OPS, at % COVERAGE_OPS);
    case COVERAGE_HELD:
        return word_possible(at / COVERAGE_DEPTHS, 0);
    case COVERAGE_PAIR:
        return conds[at / COVERAGE_CONDS].unit < conds[at % COVERAGE_CONDS].unit;
    case COVERAGE_TRIPLE:
        return triple_possible(at);
    default:
        return true;
    }
}
