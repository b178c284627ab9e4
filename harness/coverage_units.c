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
#define ALL_UNITS ((1u << TPU_UNIT_COUNT) - 1u)

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
    self->moved = ALL_UNITS;
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
    self->moved |= 1u << unit_of_channel(stream);
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
        self->moved |= 1u << tpu_streams[stream].unit;
    }
    return found;
}

// ---- states ------------------------------------------------------------------------------------

// Opcodes that spm and vru, and those that accu can hold, densely, 0 = none.
static const uint8_t front_of[COVERAGE_OPS] = {0, 1, 2, 3, 0, 0, 0, 0};
static const uint8_t back_of[COVERAGE_OPS] = {0, 0, 0, 1, 2, 3, 4, 5};

static uint32_t held_words(const coverage *self, uint32_t unit) {
    return self->queue[unit].tail - self->queue[unit].head;
}

// Dense opcode of a unit's word, the oldest being 0; nop where there is none.
static uint32_t held_op(const coverage *self, uint32_t unit, uint32_t number) {
    const coverage_queue *queue = &self->queue[unit];
    return number < queue->tail - queue->head
               ? queue->word[(queue->head + number) % COVERAGE_HELD_MAX].op
               : 0;
}

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

static void mark_words(coverage *self, uint32_t unit) {
    uint8_t which = self->cond[unit];
    if (which != NO_COND) {
        uint32_t held = held_words(self, unit);
        coverage_mark(self, COVERAGE_BASE_WORD + which * COVERAGE_OPS + held_op(self, unit, 0));
        coverage_mark(self, COVERAGE_BASE_HELD + which * COVERAGE_DEPTHS + class_of_depth(held));
    }
}

// The three oldest words of a unit that works on several at once.
static void mark_queue(coverage *self, uint32_t unit) {
    bool front = unit != TPU_UNIT_ACCU;
    const uint8_t *number = front ? front_of : back_of;
    uint32_t ops = front ? COVERAGE_FRONT_OPS : COVERAGE_BACK_OPS;
    if (self->cond[unit] == NO_COND) {
        return;
    }
    uint32_t at = in_unit(self->cond[unit]) + (unit == TPU_UNIT_VRU ? COVERAGE_UNIT_CONDS : 0);
    for (uint32_t k = 0; k < 3; k++) {
        at = at * ops + number[held_op(self, unit, k)];
    }
    coverage_mark(self, (front ? COVERAGE_BASE_FRONT : COVERAGE_BASE_BACK) + at);
}

static void mark_words_of(coverage *self, uint32_t units) {
    const uint32_t with_words = ALL_UNITS & ~(1u << TPU_UNIT_SEQUENCER | 1u << TPU_UNIT_ARRAY);
    const uint32_t with_several = 1u << TPU_UNIT_SPM | 1u << TPU_UNIT_VRU | 1u << TPU_UNIT_ACCU;
    for (uint32_t unit = 0; unit < TPU_UNIT_COUNT; unit++) {
        if ((units & with_words) >> unit & 1u) {
            mark_words(self, unit);
        }
        if ((units & with_several) >> unit & 1u) {
            mark_queue(self, unit);
        }
    }
}

static void mark_work(coverage *self) {
    uint8_t load = self->cond[TPU_UNIT_DMA_LD];
    uint8_t array = self->cond[TPU_UNIT_ARRAY];
    if (load == NO_COND || array == NO_COND) {
        return;
    }
    uint32_t at = front_of[held_op(self, TPU_UNIT_SPM, 0)] * COVERAGE_FRONT_OPS +
                  front_of[held_op(self, TPU_UNIT_VRU, 0)];
    at = at * COVERAGE_BACK_OPS + back_of[held_op(self, TPU_UNIT_ACCU, 0)];
    at = at * 6 + in_unit(load);
    coverage_mark(self, COVERAGE_BASE_WORK + at * 5 + in_unit(array));
}

// Pairs of which one has changed.
static void mark_pairs(coverage *self, uint32_t changed) {
    for (uint32_t a = 0; a < TPU_UNIT_COUNT; a++) {
        if ((changed >> a & 1u) == 0 || self->cond[a] == NO_COND) {
            continue;
        }
        for (uint32_t b = 0; b < TPU_UNIT_COUNT; b++) {
            uint32_t first = self->cond[a < b ? a : b];
            uint32_t second = self->cond[a < b ? b : a];
            if (a != b && self->cond[b] != NO_COND) {
                coverage_mark(self, COVERAGE_BASE_PAIR + first * COVERAGE_CONDS + second);
            }
        }
    }
}

static void mark_triples(coverage *self, uint32_t changed) {
    for (uint32_t i = 0; i < sizeof triples / sizeof triples[0]; i++) {
        const uint8_t *units = triples[i];
        uint32_t in[3];
        if ((changed & (1u << units[0] | 1u << units[1] | 1u << units[2])) == 0) {
            continue;
        }
        for (uint32_t k = 0; k < 3; k++) {
            if (self->cond[units[k]] == NO_COND) {
                return;
            }
            in[k] = in_unit(self->cond[units[k]]);
        }
        coverage_mark(self, COVERAGE_BASE_TRIPLE + ((i * 7 + in[0]) * 7 + in[1]) * 7 + in[2]);
    }
}

// Units whose state is another than in the cycle before, a bit each.
static uint32_t find_changes(coverage *self, const probe *seen) {
    uint32_t changed = 0;
    for (uint32_t unit = 0; unit < TPU_UNIT_COUNT; unit++) {
        const probe_unit *now = &seen->unit[unit];
        uint32_t wait = now->state >= PROBE_STARVED ? now->wait : 0u;
        uint8_t which = self->cond_of[unit][(now->state & 3u) | (wait & 31u) << 2];
        if (!self->started || which != self->cond[unit]) {
            enter(self, unit, which, seen->cycle);
            changed |= 1u << unit;
        }
    }
    return changed;
}

void coverage_units_states(coverage *self, const probe *seen) {
    uint32_t changed = 0;
    if (!self->started || memcmp(self->last, seen->unit, sizeof self->last) != 0) {
        changed = find_changes(self, seen);
        memcpy(self->last, seen->unit, sizeof self->last);
        self->started = true;
        mark_pairs(self, changed);
        mark_triples(self, changed);
    }
    uint32_t units = changed | self->moved;
    if (units != 0) {
        mark_words_of(self, units);
        mark_work(self);
        self->moved = 0;
    }
}

// ---- names -------------------------------------------------------------------------------------

static const char *unit_name(uint32_t which) {
    return tpu_unit_names[conds[which].unit];
}

static void name_length(uint32_t at, char *text, size_t size) {
    static const char *const lengths[COVERAGE_LENGTHS] = {
        "1 cycle",         "2 .. 3 cycles",   "4 .. 7 cycles",    "8 .. 15 cycles",
        "16 .. 31 cycles", "32 .. 63 cycles", "64 cycles or more"};
    uint32_t which = at / COVERAGE_LENGTHS;
    (void)snprintf(text, size, "%s %s for %s", unit_name(which), conds[which].text,
                   lengths[at % COVERAGE_LENGTHS]);
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

static const char *front_name(uint32_t op) {
    static const char *const names[COVERAGE_FRONT_OPS] = {"none", "dma_ld", "vld", "mm"};
    return names[op];
}

static const char *back_name(uint32_t op) {
    static const char *const names[COVERAGE_BACK_OPS] = {"none",     "mm",    "vadd",
                                                         "vaddrelu", "vrelu", "mvout"};
    return names[op];
}

static void name_queue(coverage_group group, uint32_t at, char *text, size_t size) {
    uint32_t ops = group == COVERAGE_FRONT ? COVERAGE_FRONT_OPS : COVERAGE_BACK_OPS;
    const char *(*name)(uint32_t) = group == COVERAGE_FRONT ? front_name : back_name;
    uint32_t state = at / ops / ops / ops;
    uint32_t which = group == COVERAGE_BACK        ? first_cond[TPU_UNIT_ACCU] + state
                     : state < COVERAGE_UNIT_CONDS ? first_cond[TPU_UNIT_SPM] + state
                                                   : first_cond[TPU_UNIT_VRU] + state - 7;
    (void)snprintf(text, size, "%s %s, its oldest words %s, %s, %s", unit_name(which),
                   conds[which].text, name(at / ops / ops % ops), name(at / ops % ops),
                   name(at % ops));
}

static void name_work(uint32_t at, char *text, size_t size) {
    uint32_t ops = at / 30;
    (void)snprintf(text, size, "spm on %s, vru on %s, accu on %s, dma_ld %s, array %s",
                   front_name(ops / COVERAGE_BACK_OPS / COVERAGE_FRONT_OPS),
                   front_name(ops / COVERAGE_BACK_OPS % COVERAGE_FRONT_OPS),
                   back_name(ops % COVERAGE_BACK_OPS),
                   conds[first_cond[TPU_UNIT_DMA_LD] + at / 5 % 6].text,
                   conds[first_cond[TPU_UNIT_ARRAY] + at % 5].text);
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
    case COVERAGE_FRONT:
    case COVERAGE_BACK:
        name_queue(group, at, text, size);
        return;
    case COVERAGE_WORK:
        name_work(at, text, size);
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

// No word behind a place where there is none.
static bool queue_possible(uint32_t at, uint32_t ops) {
    uint32_t first = at / ops / ops % ops;
    uint32_t second = at / ops % ops;
    return (first > 0 || second == 0) && (second > 0 || at % ops == 0);
}

bool coverage_units_possible(coverage_group group, uint32_t at) {
    uint32_t which = 0;
    switch (group) {
    case COVERAGE_FRONT:
        return queue_possible(at, COVERAGE_FRONT_OPS);
    case COVERAGE_BACK:
        return queue_possible(at, COVERAGE_BACK_OPS);
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
