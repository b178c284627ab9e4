// SPDX-License-Identifier: Apache-2.0
//
// What the units wait for, alone and together, and which word each works on meanwhile.

#include "harness/fuzz/coverage_internal.h"

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

#define ALL_UNITS ((1u << TPU_UNIT_COUNT) - 1u)

// Three words in a row.
#define FRONTS (COVERAGE_FRONT_OPS * COVERAGE_FRONT_OPS * COVERAGE_FRONT_OPS)
#define BACKS (COVERAGE_BACK_OPS * COVERAGE_BACK_OPS * COVERAGE_BACK_OPS)

static const uint8_t first_cond[TPU_UNIT_COUNT + 1] = {0, 4, 10, 17, 24, 29, 35, 41};

// Three units that hand on to one another.
static const uint8_t triples[4][3] = {{TPU_UNIT_DMA_LD, TPU_UNIT_SPM, TPU_UNIT_VRU},
                                      {TPU_UNIT_SPM, TPU_UNIT_VRU, TPU_UNIT_ACCU},
                                      {TPU_UNIT_VRU, TPU_UNIT_ARRAY, TPU_UNIT_ACCU},
                                      {TPU_UNIT_ARRAY, TPU_UNIT_ACCU, TPU_UNIT_DMA_ST}};

void coverage_units_set_up(coverage *self) {
    memset(self->cond_of, COVERAGE_NO_COND, sizeof self->cond_of);
    for (uint8_t i = 0; i < COVERAGE_CONDS; i++) {
        self->cond_of[conds[i].unit][conds[i].state | conds[i].wait << 2] = i;
    }
}

void coverage_units_begin(coverage *self) {
    memset(self->last, 0xff, sizeof self->last); // no state at all
    memset(self->cond, COVERAGE_NO_COND, sizeof self->cond);
    memset(self->waits, 0, sizeof self->waits);
    memset(self->turns, 0, sizeof self->turns);
    memset(self->holds, 0, sizeof self->holds);
    memset(self->fronts, 0, sizeof self->fronts);
    memset(self->beside, 0, sizeof self->beside);
    self->together = 0;
    coverage_words_begin(self);
}

// ---- states ------------------------------------------------------------------------------------

static uint32_t class_of_length(uint64_t cycles) {
    uint32_t at = 63u - (uint32_t)__builtin_clzll(cycles | 1u);
    return at < COVERAGE_LENGTHS ? at : COVERAGE_LENGTHS - 1;
}

static bool is_known(const coverage *self, uint32_t unit) {
    return self->cond[unit] != COVERAGE_NO_COND;
}

static void enter(coverage *self, uint32_t unit, uint8_t which, uint64_t cycle) {
    uint8_t before = self->cond[unit];
    uint32_t in = which - (uint32_t)first_cond[unit];
    self->waits[before] |= (uint8_t)(1u << class_of_length(cycle - self->since[unit]));
    self->turns[before] |= (uint8_t)(which == COVERAGE_NO_COND ? 0u : 1u << in);
    self->together = (self->together & ~(1ull << before)) | 1ull << which;
    self->cond[unit] = which;
    self->in[unit] = (uint8_t)in;
    self->since[unit] = cycle;
}

// What a unit with words holds, and for three of them its three oldest words.
static void mark_words(coverage *self, uint32_t units) {
    const uint32_t with_words = ALL_UNITS & ~(1u << TPU_UNIT_SEQUENCER | 1u << TPU_UNIT_ARRAY);
    for (uint32_t left = units & with_words; left != 0; left &= left - 1) {
        uint32_t unit = (uint32_t)__builtin_ctz(left);
        self->holds[self->cond[unit]] |= self->held[unit];
    }
    self->fronts[self->cond[TPU_UNIT_SPM]] |= 1ull << self->oldest[TPU_UNIT_SPM];
    self->fronts[self->cond[TPU_UNIT_VRU]] |= 1ull << self->oldest[TPU_UNIT_VRU];
    if ((units >> TPU_UNIT_ACCU & 1u) != 0 && is_known(self, TPU_UNIT_ACCU)) {
        coverage_mark(self, COVERAGE_BASE_BACK + self->in[TPU_UNIT_ACCU] * BACKS +
                                self->oldest[TPU_UNIT_ACCU]);
    }
}

static void mark_work(coverage *self) {
    if (is_known(self, TPU_UNIT_DMA_LD) && is_known(self, TPU_UNIT_ARRAY)) {
        uint32_t at = self->work * 6 + self->in[TPU_UNIT_DMA_LD];
        coverage_mark(self, COVERAGE_BASE_WORK + at * 5 + self->in[TPU_UNIT_ARRAY]);
    }
}

static void mark_triples(coverage *self, uint32_t changed) {
    for (uint32_t i = 0; i < sizeof triples / sizeof triples[0]; i++) {
        const uint8_t *units = triples[i];
        uint32_t of = 1u << units[0] | 1u << units[1] | 1u << units[2];
        if ((changed & of) != 0) {
            uint32_t at = (i * 7 + self->in[units[0]]) * 7 + self->in[units[1]];
            coverage_mark(self, COVERAGE_BASE_TRIPLE + at * 7 + self->in[units[2]]);
        }
    }
}

// Fourteen bytes as two words that overlap.
static bool same_states(const probe_unit *left, const probe_unit *right) {
    enum { BYTES = TPU_UNIT_COUNT * sizeof(probe_unit), SECOND = BYTES - sizeof(uint64_t) };
    uint64_t word[4];
    memcpy(&word[0], left, sizeof word[0]);
    memcpy(&word[1], (const uint8_t *)left + SECOND, sizeof word[0]);
    memcpy(&word[2], right, sizeof word[0]);
    memcpy(&word[3], (const uint8_t *)right + SECOND, sizeof word[0]);
    return ((word[0] ^ word[2]) | (word[1] ^ word[3])) == 0;
}

// Units whose state is another than in the cycle before, a bit each.
static uint32_t find_changes(coverage *self, const probe *seen) {
    uint32_t changed = 0;
    for (uint32_t unit = 0; unit < TPU_UNIT_COUNT; unit++) {
        const probe_unit now = seen->unit[unit];
        const probe_unit last = self->last[unit];
        if (now.state == last.state && now.wait == last.wait) {
            continue;
        }
        uint32_t wait = now.state >= PROBE_STARVED ? now.wait : 0u;
        uint8_t which = self->cond_of[unit][(now.state & 3u) | (wait & 31u) << 2];
        self->last[unit] = now;
        if (which != self->cond[unit]) {
            enter(self, unit, which, seen->cycle);
            changed |= 1u << unit;
        }
    }
    return changed;
}

static bool all_known(const coverage *self) {
    return memchr(self->cond, COVERAGE_NO_COND, sizeof self->cond) == NULL;
}

// Each state that was entered, with those of all other units at that moment.
static void note_pairs(coverage *self, uint32_t changed) {
    for (; changed != 0; changed &= changed - 1) {
        self->beside[self->cond[__builtin_ctz(changed)]] |= self->together;
    }
}

void coverage_units_states(coverage *self, const probe *seen) {
    bool same = same_states(self->last, seen->unit);
    if (same && self->moved == 0) {
        return;
    }
    uint32_t changed = same ? 0 : find_changes(self, seen);
    uint32_t units = changed | self->moved;
    if (changed != 0) {
        note_pairs(self, changed);
        if ((self->together >> COVERAGE_NO_COND) == 0 || all_known(self)) {
            mark_triples(self, changed);
        }
    }
    if (self->moved != 0) {
        coverage_words_look(self);
    }
    mark_words(self, units);
    mark_work(self);
}

// ---- what was noted ----------------------------------------------------------------------------

static void mark_bits(coverage *self, uint32_t first, uint64_t bits) {
    for (; bits != 0; bits &= bits - 1) {
        coverage_mark(self, first + (uint32_t)__builtin_ctzll(bits));
    }
}

// Pairs are numbered by the unit that comes first.
static void mark_pairs(coverage *self, uint32_t which) {
    uint64_t later = ~0ull << which << 1;
    uint64_t known = (1ull << COVERAGE_CONDS) - 1;
    uint64_t beside = self->beside[which] & known;
    mark_bits(self, COVERAGE_BASE_PAIR + which * COVERAGE_CONDS, beside & later);
    for (uint64_t bits = beside & ~later & ~(1ull << which); bits != 0; bits &= bits - 1) {
        uint32_t first = (uint32_t)__builtin_ctzll(bits);
        coverage_mark(self, COVERAGE_BASE_PAIR + first * COVERAGE_CONDS + which);
    }
}

void coverage_units_end(coverage *self) {
    const uint32_t depths = (1u << COVERAGE_DEPTHS) - 1;
    for (uint32_t which = 0; which < COVERAGE_CONDS; which++) {
        uint32_t holds = self->holds[which];
        mark_bits(self, COVERAGE_BASE_WAIT + which * COVERAGE_LENGTHS, self->waits[which]);
        mark_bits(self, COVERAGE_BASE_TURN + which * COVERAGE_UNIT_CONDS, self->turns[which]);
        mark_pairs(self, which);
        mark_bits(self, COVERAGE_BASE_WORD + which * COVERAGE_OPS, holds >> COVERAGE_DEPTHS);
        mark_bits(self, COVERAGE_BASE_HELD + which * COVERAGE_DEPTHS, holds & depths);
        if (self->fronts[which] != 0) {
            uint32_t at = which - first_cond[TPU_UNIT_SPM]; // vru's states follow
            mark_bits(self, COVERAGE_BASE_FRONT + at * FRONTS, self->fronts[which]);
        }
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
               which - first_cond[conds[which].unit] != at % COVERAGE_UNIT_CONDS;
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
