// SPDX-License-Identifier: Apache-2.0
//
// The words that each unit holds. They are known from its command channel; a word is finished when
// as many rows came out as it promises, so "holds" means: given and not finished.

#include "harness/fuzz/coverage_internal.h"

// Dense opcodes, as coverage_op gives them.
enum { DMA_LD = 1, VLD, MM, VADD, VADDRELU, VRELU, MVOUT };

// Opcodes whose rows a stream carries, a bit each.
#define MAKES(op) (1u << (op))
#define MAKES_ALU (MAKES(VADD) | MAKES(VADDRELU) | MAKES(VRELU))

static const uint8_t makers[TPU_STREAM_COUNT] = {
    [TPU_STREAM_DMA2SP] = MAKES(DMA_LD),
    [TPU_STREAM_DMA2VR] = MAKES(DMA_LD),
    [TPU_STREAM_SP2VR] = MAKES(VLD),
    [TPU_STREAM_WCOL] = MAKES(MM),
    [TPU_STREAM_ACOL] = MAKES(MM),
    [TPU_STREAM_SPAD_WRITE] = MAKES(DMA_LD),
    [TPU_STREAM_VR_WRITE] = MAKES(DMA_LD) | MAKES(VLD),
    [TPU_STREAM_AR_WRITE_MM] = MAKES(MM),
    [TPU_STREAM_AR_WRITE_ALU] = MAKES_ALU,
    [TPU_STREAM_AC2SP] = MAKES(MVOUT),
    [TPU_STREAM_C_WRITE] = MAKES(MVOUT),
};

void coverage_words_begin(coverage *self) {
    static const uint8_t headers[TPU_UNIT_COUNT] = {
        [TPU_UNIT_DMA_LD] = 2, [TPU_UNIT_SPM] = 2,    [TPU_UNIT_VRU] = 1,
        [TPU_UNIT_ACCU] = 1,   [TPU_UNIT_DMA_ST] = 1,
    };
    self->moved = (1u << TPU_UNIT_COUNT) - 1u;
    for (size_t u = 0; u < TPU_UNIT_COUNT; u++) {
        self->queue[u].head = 0;
        self->queue[u].tail = 0;
        self->queue[u].headers = headers[u];
    }
}

static coverage_word *word_at(coverage_queue *queue, uint32_t index) {
    return &queue->word[index % COVERAGE_HELD_MAX];
}

static uint32_t word32(const uint8_t *at) {
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

void coverage_words_give(coverage *self, tpu_stream stream, const uint8_t *row) {
    uint32_t unit = (uint32_t)tpu_streams[stream].reader;
    coverage_queue *queue = &self->queue[unit];
    if (queue->headers > 0) {
        queue->headers--;
        return;
    }
    self->moved |= 1u << unit;
    if (queue->tail - queue->head == COVERAGE_HELD_MAX) {
        queue->head++; // a machine that lost its rows; coverage is none of its troubles
    }
    uint64_t bits = word32(row) | (uint64_t)word32(row + 4) << 32;
    uint32_t op = coverage_op((uint32_t)bits & ((1u << TPU_OP_WIDTH) - 1));
    uint32_t rows = (uint32_t)(bits >> TPU_NR_LO) & ((1u << TPU_NR_WIDTH) - 1);
    bool two_steps = stream == TPU_STREAM_C_ACC && (op == VADD || op == VADDRELU);
    *word_at(queue, queue->tail++) = (coverage_word){
        .op = (uint8_t)op,
        .accumulate = (uint8_t)(bits >> TPU_F2_LO & 1u),
        .left = (uint16_t)(two_steps ? rows / 2 : rows),
    };
}

static void retire(coverage *self, uint32_t unit) {
    coverage_queue *queue = &self->queue[unit];
    while (queue->head != queue->tail && word_at(queue, queue->head)->left == 0) {
        queue->head++;
        self->moved |= 1u << unit;
    }
}

const coverage_word *coverage_words_take(coverage *self, tpu_stream stream) {
    uint32_t unit = tpu_streams[stream].unit;
    coverage_queue *queue = &self->queue[unit];
    uint32_t ops = makers[stream];
    for (uint32_t i = queue->head; i != queue->tail; i++) {
        coverage_word *word = word_at(queue, i);
        if ((ops >> word->op & 1u) != 0 && word->left > 0) {
            word->left--;
            if (word->left == 0) {
                retire(self, unit);
            }
            return word;
        }
    }
    return NULL;
}

// ---- what the units hold now -------------------------------------------------------------------

// Opcodes that spm and vru, and those that accu can hold, densely, 0 = none.
static const uint8_t front_of[COVERAGE_OPS] = {0, 1, 2, 3, 0, 0, 0, 0};
static const uint8_t back_of[COVERAGE_OPS] = {0, 0, 0, 1, 2, 3, 4, 5};

// Dense opcode of a unit's word, the oldest being 0; nop where there is none.
static uint32_t held_op(const coverage_queue *queue, uint32_t number) {
    return number < queue->tail - queue->head
               ? queue->word[(queue->head + number) % COVERAGE_HELD_MAX].op
               : 0u;
}

static uint32_t class_of_depth(uint32_t words) {
    return words < 4 ? words : words < 8 ? 4 : 5;
}

// The three oldest words of a unit that works on several at once, as one number.
static uint8_t number_oldest(const coverage_queue *queue, const uint8_t *number, uint32_t ops) {
    uint32_t at = number[held_op(queue, 0)];
    at = at * ops + number[held_op(queue, 1)];
    return (uint8_t)(at * ops + number[held_op(queue, 2)]);
}

void coverage_words_look(coverage *self) {
    for (uint32_t left = self->moved; left != 0; left &= left - 1) {
        uint32_t unit = (uint32_t)__builtin_ctz(left);
        const coverage_queue *queue = &self->queue[unit];
        uint32_t depth = class_of_depth(queue->tail - queue->head);
        self->held[unit] = (uint16_t)(1u << depth | 1u << (COVERAGE_DEPTHS + held_op(queue, 0)));
        if (unit == TPU_UNIT_ACCU) {
            self->oldest[unit] = number_oldest(queue, back_of, COVERAGE_BACK_OPS);
        } else if (unit == TPU_UNIT_SPM || unit == TPU_UNIT_VRU) {
            self->oldest[unit] = number_oldest(queue, front_of, COVERAGE_FRONT_OPS);
        }
    }
    self->moved = 0;
    const uint32_t fronts = COVERAGE_FRONT_OPS * COVERAGE_FRONT_OPS;
    self->work = self->oldest[TPU_UNIT_SPM] / fronts * COVERAGE_FRONT_OPS +
                 self->oldest[TPU_UNIT_VRU] / fronts;
    self->work = self->work * COVERAGE_BACK_OPS +
                 self->oldest[TPU_UNIT_ACCU] / (COVERAGE_BACK_OPS * COVERAGE_BACK_OPS);
}
