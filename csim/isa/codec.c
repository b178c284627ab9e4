// SPDX-License-Identifier: Apache-2.0
//
// Bits of an instruction. Every position is a name of the generated header, gathered here in two
// small tables so that encoder and decoder cannot disagree.

#include "csim/isa/codec.h"

#include <inttypes.h>

typedef struct slot {
    const char *name;
    unsigned lo;
    unsigned width;
} slot;

static const slot op_slot = {"op", TPU_OP_LO, TPU_OP_WIDTH};
static const slot nr_slot = {"nr", TPU_NR_LO, TPU_NR_WIDTH};
static const slot field_slot[TPU_FIELDS] = {
    {"f0", TPU_F0_LO, TPU_F0_WIDTH},
    {"f1", TPU_F1_LO, TPU_F1_WIDTH},
    {"f2", TPU_F2_LO, TPU_F2_WIDTH},
    {"f3", TPU_F3_LO, TPU_F3_WIDTH},
};
static const slot target_slot = {"target", TPU_AGU_TARGET_LO, TPU_AGU_TARGET_WIDTH};
static const slot level_slot = {"level", TPU_AGU_LEVEL_LO, TPU_AGU_LEVEL_WIDTH};
static const slot stride_slot = {"stride", TPU_AGU_STRIDE_LO, TPU_AGU_STRIDE_WIDTH};

static uint64_t mask(const slot *at) {
    return (UINT64_C(1) << at->width) - 1;
}

static uint64_t put(const slot *at, uint64_t value) {
    return (value & mask(at)) << at->lo;
}

static uint64_t get(const slot *at, uint64_t word) {
    return (word >> at->lo) & mask(at);
}

// Every bit of word 0 that belongs to a field.
static uint64_t word0_bits(void) {
    uint64_t bits = put(&op_slot, UINT64_MAX) | put(&nr_slot, UINT64_MAX);
    for (size_t i = 0; i < TPU_FIELDS; i++) {
        bits |= put(&field_slot[i], UINT64_MAX);
    }
    return bits;
}

static uint64_t word1_bits(void) {
    return (UINT64_C(1) << (TPU_AGU_TERMS * TPU_AGU_TERM_BITS)) - 1;
}

uint64_t codec_word0(uint32_t op, const uint32_t f[TPU_FIELDS], uint32_t nr) {
    uint64_t word = put(&op_slot, op) | put(&nr_slot, nr);
    for (size_t i = 0; i < TPU_FIELDS; i++) {
        word |= put(&field_slot[i], f[i]);
    }
    return word;
}

static uint64_t term_word(const isa_term *term) {
    return put(&target_slot, term->target) | put(&level_slot, term->level) |
           put(&stride_slot, term->stride);
}

void codec_encode_unchecked(const isa_insn *insn, uint64_t word[TPU_IWORDS]) {
    const uint32_t f[TPU_FIELDS] = {insn->f[0], insn->f[1], insn->f[2], insn->f[3]};
    word[0] = codec_word0(insn->op, f, insn->nr);
    word[1] = 0;
    for (unsigned i = 0; i < TPU_AGU_TERMS; i++) {
        word[1] |= term_word(&insn->term[i]) << (i * TPU_AGU_TERM_BITS);
    }
}

static tpu_status check_value(const char *owner, const slot *at, uint32_t value, uint32_t max,
                              tpu_message *why) {
    if (value <= max) {
        return TPU_OK;
    }
    return status_fail(why, TPU_REFUSED,
                       "%s%s=%" PRIu32 " cannot be encoded: 0..%" PRIu32 " is allowed", owner,
                       at->name, value, max);
}

static tpu_status check_term(unsigned index, const isa_term *term, tpu_message *why) {
    static const char *const owner[TPU_AGU_TERMS] = {"AGU term 0 ", "AGU term 1 ", "AGU term 2 "};
    tpu_status status =
        check_value(owner[index], &target_slot, term->target, TPU_AGU_TARGET_MAX, why);
    if (status == TPU_OK) {
        status = check_value(owner[index], &level_slot, term->level, TPU_AGU_LEVEL_MAX, why);
    }
    if (status == TPU_OK) {
        status = check_value(owner[index], &stride_slot, term->stride, TPU_AGU_STRIDE_MAX, why);
    }
    return status;
}

static tpu_status check_values(const isa_insn *insn, tpu_message *why) {
    tpu_status status = check_value("", &op_slot, insn->op, TPU_OP_MAX, why);
    for (size_t i = 0; status == TPU_OK && i < TPU_FIELDS; i++) {
        status = check_value("", &field_slot[i], insn->f[i], TPU_FIELD_MAX, why);
    }
    if (status == TPU_OK) {
        status = check_value("", &nr_slot, insn->nr, TPU_MAXROWS, why);
    }
    for (unsigned i = 0; status == TPU_OK && i < TPU_AGU_TERMS; i++) {
        status = check_term(i, &insn->term[i], why);
    }
    return status;
}

tpu_status codec_encode(const isa_insn *insn, uint64_t word[TPU_IWORDS], tpu_message *why) {
    tpu_status status = check_values(insn, why);
    if (status == TPU_OK) {
        codec_encode_unchecked(insn, word);
    }
    return status;
}

tpu_status codec_decode(const uint64_t word[TPU_IWORDS], isa_insn *out, tpu_message *why) {
    const uint64_t bits[TPU_IWORDS] = {word0_bits(), word1_bits()};
    for (unsigned i = 0; i < TPU_IWORDS; i++) {
        if ((word[i] & ~bits[i]) != 0) {
            return status_fail(why, TPU_REFUSED,
                               "word %u of the instruction is 0x%016" PRIx64 ": bits 0x%016" PRIx64
                               " belong to no field and must be 0",
                               i, word[i], word[i] & ~bits[i]);
        }
    }
    isa_insn insn = {.op = (uint8_t)get(&op_slot, word[0]), .nr = (uint8_t)get(&nr_slot, word[0])};
    for (size_t i = 0; i < TPU_FIELDS; i++) {
        insn.f[i] = (uint16_t)get(&field_slot[i], word[0]);
    }
    for (unsigned i = 0; i < TPU_AGU_TERMS; i++) {
        uint64_t term = word[1] >> (i * TPU_AGU_TERM_BITS);
        insn.term[i].target = (uint8_t)get(&target_slot, term);
        insn.term[i].level = (uint8_t)get(&level_slot, term);
        insn.term[i].stride = (uint16_t)get(&stride_slot, term);
    }
    *out = insn;
    return TPU_OK;
}
