// SPDX-License-Identifier: Apache-2.0
//
// Bits of an instruction, against words worked out by hand from the layout of the seed.

#include "csim/isa/codec.h"

#include "base/rng.h"

#include <criterion/criterion.h>
#include <string.h>

static tpu_status encode(const isa_insn *insn, uint64_t word[TPU_IWORDS]) {
    return codec_encode(insn, word, NULL);
}

Test(codec, every_field_lies_where_the_layout_says) {
    uint64_t word[TPU_IWORDS];
    cr_assert_eq(encode(&(isa_insn){.op = 1}, word), TPU_OK);
    cr_expect_eq(word[0], UINT64_C(1) << 0);
    static const unsigned lo[TPU_FIELDS] = {6, 18, 30, 42};
    for (size_t i = 0; i < TPU_FIELDS; i++) {
        isa_insn insn = {0};
        insn.f[i] = 2047;
        cr_assert_eq(encode(&insn, word), TPU_OK);
        cr_expect_eq(word[0], UINT64_C(2047) << lo[i]);
    }
    cr_assert_eq(encode(&(isa_insn){.nr = 127}, word), TPU_OK);
    cr_expect_eq(word[0], UINT64_C(127) << 54);
    cr_expect_eq(word[1], 0);
}

Test(codec, every_term_lies_where_the_layout_says) {
    for (unsigned i = 0; i < TPU_AGU_TERMS; i++) {
        isa_insn insn = {0};
        uint64_t word[TPU_IWORDS];
        insn.term[i] = (isa_term){.target = 4, .level = 3, .stride = 2047};
        cr_assert_eq(encode(&insn, word), TPU_OK);
        cr_expect_eq(word[0], 0);
        cr_expect_eq(word[1], (UINT64_C(2047) << 7 | 3u << 4 | 4u) << (19 * i));
    }
}

static void expect_refused(const isa_insn *insn, const char *sentence) {
    uint64_t word[TPU_IWORDS] = {7, 7};
    tpu_message why = {""};
    cr_expect_eq(codec_encode(insn, word, &why), TPU_REFUSED);
    cr_expect_str_eq(why.text, sentence);
    cr_expect(word[0] == 7 && word[1] == 7, "the words are untouched");
}

Test(codec, values_that_need_the_spare_bit_are_refused) {
    expect_refused(&(isa_insn){.op = 32}, "op=32 cannot be encoded: 0..31 is allowed");
    expect_refused(&(isa_insn){.f = {2048}}, "f0=2048 cannot be encoded: 0..2047 is allowed");
    expect_refused(&(isa_insn){.f = {0, 0, 0, 4096}},
                   "f3=4096 cannot be encoded: 0..2047 is allowed");
    expect_refused(&(isa_insn){.nr = 128}, "nr=128 cannot be encoded: 0..127 is allowed");
    expect_refused(&(isa_insn){.term = {{5, 0, 0}}},
                   "AGU term 0 target=5 cannot be encoded: 0..4 is allowed");
    expect_refused(&(isa_insn){.term = {{0}, {1, 4, 0}}},
                   "AGU term 1 level=4 cannot be encoded: 0..3 is allowed");
    expect_refused(&(isa_insn){.term = {{0}, {0}, {1, 0, 2048}}},
                   "AGU term 2 stride=2048 cannot be encoded: 0..2047 is allowed");
}

Test(codec, unchecked_encoding_cuts_values_to_their_width) {
    uint64_t word[TPU_IWORDS];
    codec_encode_unchecked(&(isa_insn){.op = 64 + 2, .nr = 255, .f = {4096 + 5}}, word);
    cr_expect_eq(word[0], 2u | 5u << 6 | UINT64_C(255) << 54);
}

Test(codec, word0_takes_all_bits_of_a_rewritten_row_count) {
    const uint32_t f[TPU_FIELDS] = {1, 2, 3, 4};
    cr_expect_eq(codec_word0(5, f, 254), UINT64_C(5) | UINT64_C(1) << 6 | UINT64_C(2) << 18 |
                                             UINT64_C(3) << 30 | UINT64_C(4) << 42 |
                                             UINT64_C(254) << 54);
}

Test(codec, decoding_loses_nothing) {
    rng source;
    rng_seed(&source, 1);
    for (int i = 0; i < 10000; i++) {
        uint64_t word[TPU_IWORDS] = {rng_next(&source) >> 2, rng_next(&source) >> 7};
        uint64_t back[TPU_IWORDS];
        isa_insn insn;
        cr_assert_eq(codec_decode(word, &insn, NULL), TPU_OK);
        codec_encode_unchecked(&insn, back);
        cr_assert(word[0] == back[0] && word[1] == back[1]);
    }
}

Test(codec, each_bit_outside_the_fields_is_refused) {
    for (unsigned bit = 57; bit < 64; bit++) {
        for (unsigned at = bit >= 62 ? 0 : 1; at < TPU_IWORDS; at++) {
            uint64_t word[TPU_IWORDS] = {0, 0};
            isa_insn insn = {.op = 9};
            word[at] = UINT64_C(1) << bit;
            cr_expect_eq(codec_decode(word, &insn, NULL), TPU_REFUSED);
            cr_expect_eq(insn.op, 9, "the instruction is untouched");
        }
    }
}
