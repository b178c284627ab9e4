// SPDX-License-Identifier: Apache-2.0
//
// What coverage.c (bookkeeping), coverage_units.c (waits), coverage_words.c (what units hold),
// coverage_issues.c (meetings of instructions), coverage_ages.c (distances) and coverage_values.c
// (numbers) share. Nobody else includes this.
//
// What comes about in most cycles is noted as a bit of a mask and becomes bins when the run ends.

#ifndef COVERAGE_INTERNAL_H
#define COVERAGE_INTERNAL_H

#include "harness/fuzz/coverage.h"

/** Opcodes that are issued, densely: nop, dma_ld, vld, mm, vadd, vrelu, mvout, vaddrelu. */
#define COVERAGE_OPS 8u

/** Waiting states of all units together, and the most that one unit has. */
#define COVERAGE_CONDS 41u
#define COVERAGE_UNIT_CONDS 7u

/** Stands for a state that is none of them. */
#define COVERAGE_NO_COND COVERAGE_CONDS

/** Classes of a wait's length, of the words that a unit holds, of row counts. */
#define COVERAGE_LENGTHS 7u
#define COVERAGE_DEPTHS 6u
#define COVERAGE_COUNTS 9u
/** Accumulator operands that are read, and classes of the distance to their write. */
#define COVERAGE_SOURCES 5u
#define COVERAGE_AGES 7u
/** Operands that name rows. */
#define COVERAGE_EDGES 20u
/** Classes of an int32 lane, of an int8 lane, of a row of int8. */
#define COVERAGE_WIDE 11u
#define COVERAGE_NARROW 5u
#define COVERAGE_ROW_KINDS 8u
/** What spm and vru, and what accu can hold, "nothing" included. */
#define COVERAGE_FRONT_OPS 4u
#define COVERAGE_BACK_OPS 6u

/** Groups of bins in the order of their numbers: name, size. */
#define COVERAGE_GROUPS(X)                                                                         \
    X(TURN, "turn", COVERAGE_CONDS *COVERAGE_UNIT_CONDS)                                           \
    X(WAIT, "wait", COVERAGE_CONDS *COVERAGE_LENGTHS)                                              \
    X(WORD, "word", COVERAGE_CONDS *COVERAGE_OPS)                                                  \
    X(HELD, "held", COVERAGE_CONDS *COVERAGE_DEPTHS)                                               \
    X(PAIR, "pair", COVERAGE_CONDS *COVERAGE_CONDS)                                                \
    X(TRIPLE, "triple", 4u * 7u * 7u * 7u)                                                         \
    X(FRONT, "front", 2u * 7u * COVERAGE_FRONT_OPS * COVERAGE_FRONT_OPS * COVERAGE_FRONT_OPS)      \
    X(BACK, "back", 6u * COVERAGE_BACK_OPS * COVERAGE_BACK_OPS * COVERAGE_BACK_OPS)                \
    X(WORK, "work", 4u * 4u * COVERAGE_BACK_OPS * 6u * 5u)                                         \
    X(BOTH, "both", TPU_STREAM_COUNT *TPU_STREAM_COUNT)                                            \
    X(ROWS, "rows", COVERAGE_OPS *COVERAGE_COUNTS)                                                 \
    X(EDGE, "edge", COVERAGE_EDGES * 4u)                                                           \
    X(LOAD, "load", 4u * 4u * 4u)                                                                  \
    X(NEXT, "next", COVERAGE_OPS *COVERAGE_OPS * 16u)                                              \
    X(AFTER, "after", COVERAGE_OPS *COVERAGE_OPS * 8u)                                             \
    X(SIZES, "sizes", COVERAGE_OPS *COVERAGE_OPS * 8u * 9u)                                        \
    X(AGE, "age", COVERAGE_SOURCES *COVERAGE_AGES * 3u)                                            \
    X(LOOP, "loop", COVERAGE_OPS *(TPU_LOOP_DEPTH + 1u) * (TPU_AGU_TERMS + 1u))                    \
    X(TERM, "term", COVERAGE_OPS *TPU_FIELDS *TPU_LOOP_DEPTH)                                      \
    X(TILES, "tiles", 3u * 3u * 2u * 2u * 2u * 2u * 3u)                                            \
    X(ISSUED, "issued", COVERAGE_OPS * 6u * 6u)                                                    \
    X(SUM, "sum", 5u * COVERAGE_WIDE * 3u)                                                         \
    X(RESULT, "result", COVERAGE_NARROW * 3u)                                                      \
    X(OPERAND, "operand", COVERAGE_ROW_KINDS *COVERAGE_ROW_KINDS * 2u)

typedef enum coverage_group {
#define COVERAGE_ENUM(name, text, size) COVERAGE_##name,
    COVERAGE_GROUPS(COVERAGE_ENUM)
#undef COVERAGE_ENUM
        COVERAGE_GROUP_COUNT
} coverage_group;

/** First bin of each group. */
typedef enum coverage_base {
#define COVERAGE_BASE(name, text, size)                                                            \
    COVERAGE_BASE_##name, COVERAGE_END_##name = COVERAGE_BASE_##name + (size)-1u,
    COVERAGE_GROUPS(COVERAGE_BASE)
#undef COVERAGE_BASE
        COVERAGE_BIN_COUNT
} coverage_base;

/** Words that a unit may hold at once and are told apart; a power of two. */
#define COVERAGE_HELD_MAX 64u

/** One instruction word in a unit: what is left of it. */
typedef struct coverage_word {
    uint8_t op; /**< dense */
    uint8_t accumulate;
    uint16_t left; /**< rows still to come out */
} coverage_word;

/** The words that a unit was given and has not finished. */
typedef struct coverage_queue {
    uint32_t head;
    uint32_t tail;
    uint32_t headers; /**< words of the header still to come */
    coverage_word word[COVERAGE_HELD_MAX];
} coverage_queue;

/** Rows of a memory; rows 0 = none. */
typedef struct coverage_span {
    uint8_t memory; /**< tpu_mem */
    uint32_t first;
    uint32_t rows;
} coverage_span;

/** An issue and what it touches. */
typedef struct coverage_issue {
    uint8_t op; /**< dense */
    uint8_t nr;
    uint16_t f[TPU_FIELDS];
    coverage_span reads[2];
    coverage_span writes;
} coverage_issue;

#define COVERAGE_RECENT 3u

/** The last mm, for the one that follows. */
typedef struct coverage_tile {
    uint8_t length; /**< class of nr against T; 3 = there was none */
    uint8_t accumulate;
    uint16_t weights;
    uint32_t gap; /**< issues since */
    bool reloaded;
} coverage_tile;

/** What is known of an instruction before it runs. */
typedef struct coverage_place {
    uint8_t depth;
    uint8_t terms;
} coverage_place;

struct coverage {
    tpu_params params;
    lockstep_hooks hooks;
    const isa_program *program;

    uint8_t seen[COVERAGE_BINS_MAX]; /**< in this run */
    uint16_t touched[COVERAGE_BINS_MAX];
    size_t touched_count;
    uint64_t hits[COVERAGE_BINS_MAX];

    uint8_t cond_of[TPU_UNIT_COUNT][128]; /**< by state and wait */
    probe_unit last[TPU_UNIT_COUNT];
    uint8_t cond[TPU_UNIT_COUNT];
    uint8_t in[TPU_UNIT_COUNT]; /**< the same, counted from the unit's first */
    uint64_t since[TPU_UNIT_COUNT];
    uint64_t together; /**< all of cond, a bit each */

    uint32_t moved; /**< units whose words came or went since they were looked at, a bit each */
    uint16_t held[TPU_UNIT_COUNT];  /**< bits: class of the number of words, oldest word's op */
    uint8_t oldest[TPU_UNIT_COUNT]; /**< spm, vru, accu: the three oldest words as one number */
    uint32_t work;                  /**< the oldest words of spm, vru and accu as one number */

    uint8_t waits[COVERAGE_CONDS + 1];   /**< classes of each state's length, a bit each */
    uint8_t turns[COVERAGE_CONDS + 1];   /**< states of the unit that followed, a bit each */
    uint64_t beside[COVERAGE_CONDS + 1]; /**< with each state: states of others, a bit each */
    uint64_t fronts[COVERAGE_CONDS + 1]; /**< values of `oldest` in spm and vru, a bit each */
    uint16_t holds[COVERAGE_CONDS + 1];  /**< bits of `held` */
    uint32_t both[TPU_STREAM_COUNT];     /**< with each stream: others that wrote, a bit each */
    coverage_queue queue[TPU_UNIT_COUNT];

    coverage_place *place; /**< one an instruction */
    size_t place_room;
    coverage_issue recent[COVERAGE_RECENT];
    uint32_t recent_count;
    coverage_tile tile;
    int32_t step;
    int32_t *written; /**< accu step of each ar row's last write; INT32_MIN = none */
    uint8_t *writer;  /**< 0 mm, 1 addition, 2 vrelu */
    uint8_t weight_kind[COVERAGE_HELD_MAX]; /**< of each mm's tile, by its number */
    uint32_t weight_rows;                   /**< rows of wcol so far in the tile that comes down */
    uint32_t weight_tiles;                  /**< whole tiles so far */
    uint32_t weight_traits;                 /**< of the tile that comes down */
    uint32_t active_tiles;                  /**< mms whose activations are through */
    bool wcol_started;
};

static inline void coverage_mark(coverage *self, uint32_t bin) {
    if (self->seen[bin] == 0) {
        self->seen[bin] = 1;
        self->touched[self->touched_count++] = (uint16_t)bin;
    }
}

/** Dense number of an opcode that can be issued; COVERAGE_OPS for others. */
uint32_t coverage_op(uint32_t opcode);
const char *coverage_op_name(uint32_t dense);

/** Waits of the units. */
void coverage_units_set_up(coverage *self);
void coverage_units_begin(coverage *self);
void coverage_units_states(coverage *self, const probe *seen);
void coverage_units_end(coverage *self);
void coverage_units_name(coverage_group group, uint32_t at, char *text, size_t size);
bool coverage_units_possible(coverage_group group, uint32_t at);

/** The words that the units hold. */
void coverage_words_begin(coverage *self);

/** Adds an instruction word to its unit; a header word is dropped. */
void coverage_words_give(coverage *self, tpu_stream stream, const uint8_t *row);

/** Counts a row of `stream` against the oldest word of its unit that makes such rows. */
const coverage_word *coverage_words_take(coverage *self, tpu_stream stream);

/** Brings what is known of the units that moved up to date. */
void coverage_words_look(coverage *self);

/** Issues, and how each meets the ones before. */
void coverage_issues_begin(coverage *self);
void coverage_issues_row(coverage *self, const uint8_t *row);
void coverage_issues_name(coverage_group group, uint32_t at, char *text, size_t size);
bool coverage_issues_possible(coverage_group group, uint32_t at);

/** True when two spans have a row in common; `same` is set when they start at the same one. */
bool coverage_meet(const coverage_span *a, const coverage_span *b, bool *same);

/** Accumulator distances, and mm after mm. */
void coverage_ages_issue(coverage *self, const coverage_issue *now);

/** Numbers in the lanes; `word` is what the row comes from, NULL = not known. */
void coverage_values_begin(coverage *self);
void coverage_values_row(coverage *self, tpu_stream stream, const uint8_t *row,
                         const coverage_word *word);
void coverage_values_name(coverage_group group, uint32_t at, char *text, size_t size);

#endif
