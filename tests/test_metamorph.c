// SPDX-License-Identifier: Apache-2.0
//
// Pairs of programs whose results belong together: the machine keeps every relation, and machines
// that are wrong in one way each break the relation that is about it. They are made by changing
// instructions on their way into instruction memory, so that they err as a machine would.

#include "harness/stress/metamorph.h"

#include "csim/isa/codec.h"
#include "harness/engine/loader.h"

#include <criterion/criterion.h>

#include <string.h>

static const engine_api *real;
static loader *library;
static metamorph_summary sum;
static tpu_message why;

static void set_up(void) {
    const tpu_params params = params_default(4, 16);
    cr_assert_eq(loader_open("verilator", &params, &library, &why), TPU_OK, "%s", why.text);
    real = loader_api(library);
}

static void tear_down(void) {
    loader_close(library);
}

TestSuite(metamorph, .init = set_up, .fini = tear_down, .timeout = 120);

static void run(const engine_api *api, uint64_t pairs) {
    const metamorph_options options = {
        .api = api,
        .config = {.params = params_default(4, 16), .watchdog = 2000},
        .seed = 20261130,
        .pairs = pairs};
    memset(&sum, 0, sizeof sum);
    cr_assert_eq(metamorph_run(&options, &sum, &why), TPU_OK, "%s", why.text);
}

Test(metamorph, the_machine_keeps_every_relation) {
    run(real, 150);
    for (int kind = 0; kind < METAMORPH_COUNT; kind++) {
        cr_expect_eq(sum.pairs[kind], 150u, "%s: %llu pairs", metamorph_text((metamorph_kind)kind),
                     (unsigned long long)sum.pairs[kind]);
        cr_expect_eq(sum.findings[kind], 0u, "%s: %s", metamorph_text((metamorph_kind)kind),
                     sum.sentence[0]);
    }
}

Test(metamorph, every_relation_has_a_text) {
    for (int kind = 0; kind < METAMORPH_COUNT; kind++) {
        cr_expect_not_null(metamorph_text((metamorph_kind)kind));
    }
    cr_expect_null(metamorph_text(METAMORPH_COUNT));
}

// ---- machines that are wrong -------------------------------------------------------------------

// What becomes of an instruction; `last` is the opcode before it.
static void (*wrong)(isa_insn *insn, uint32_t last);

static tpu_status load_wrong(engine *self, engine_region region, const void *data, size_t bytes,
                             tpu_message *to) {
    uint64_t words[512];
    if (region != TPU_MEM_IMEM) {
        return real->load(self, region, data, bytes, to);
    }
    cr_assert_leq(bytes, sizeof words);
    memcpy(words, data, bytes);
    uint32_t last = TPU_OP_COUNT;
    for (size_t at = TPU_NHDR; at + 1 < bytes / 8; at += TPU_IWORDS) {
        isa_insn insn;
        cr_assert_eq(codec_decode(&words[at], &insn, NULL), TPU_OK);
        uint32_t op = insn.op;
        wrong(&insn, last);
        codec_encode_unchecked(&insn, &words[at]);
        last = op;
    }
    return real->load(self, region, words, bytes, to);
}

// A cell of C that comes back wrong, wherever it came from.
static tpu_status read_wrong(engine *self, engine_region region, void *data, size_t bytes,
                             tpu_message *to) {
    tpu_status status = real->read(self, region, data, bytes, to);
    if (region == TPU_MEM_C) {
        ((uint8_t *)data)[0] ^= 1;
    }
    return status;
}

static void expect_broken(const engine_api *api, metamorph_kind kind) {
    run(api, 40);
    cr_expect_gt(sum.findings[kind], 0u, "%s was not broken", metamorph_text(kind));
}

static void expect_broken_by(void (*by)(isa_insn *insn, uint32_t last), metamorph_kind kind) {
    engine_api liar = *real;
    wrong = by;
    liar.load = load_wrong;
    expect_broken(&liar, kind);
}

static void spare_bit(uint16_t *field, uint32_t bit) {
    *field = (uint16_t)(*field & ~(1u << bit));
}

static void drop_weight_bit(isa_insn *insn, uint32_t last) {
    (void)last;
    if (insn->op == TPU_OP_MM) {
        spare_bit(&insn->f[3], 4);
    }
}

static void drop_activation_bit(isa_insn *insn, uint32_t last) {
    (void)last;
    if (insn->op == TPU_OP_MM) {
        spare_bit(&insn->f[0], 4);
    }
}

static void drop_store_bit(isa_insn *insn, uint32_t last) {
    (void)last;
    if (insn->op == TPU_OP_MVOUT) {
        spare_bit(&insn->f[0], 5);
    }
}

static void drop_a_bit(isa_insn *insn, uint32_t last) {
    (void)last;
    if (insn->op == TPU_OP_DMA_LD && (insn->f[0] & TPU_DMA_SRC_B) == 0) {
        spare_bit(&insn->f[1], 2);
    }
}

static void drop_b_bit(isa_insn *insn, uint32_t last) {
    (void)last;
    if (insn->op == TPU_OP_DMA_LD && (insn->f[0] & TPU_DMA_SRC_B) != 0) {
        spare_bit(&insn->f[1], 2);
    }
}

static void drop_c_bit(isa_insn *insn, uint32_t last) {
    (void)last;
    if (insn->op == TPU_OP_MVOUT) {
        spare_bit(&insn->f[1], 2);
    }
}

static void forget_to_add(isa_insn *insn, uint32_t last) {
    (void)last;
    if (insn->op == TPU_OP_MM) {
        insn->f[2] = 0;
    }
}

// The last turn's walk is lost: terms count for nothing.
static void forget_terms(isa_insn *insn, uint32_t last) {
    (void)last;
    memset(insn->term, 0, sizeof insn->term);
}

static void stumble_over_nop(isa_insn *insn, uint32_t last) {
    if (last == TPU_OP_NOP && insn->op == TPU_OP_MVOUT) {
        insn->f[1] ^= 1;
    }
    if (last == TPU_OP_NOP && insn->op == TPU_OP_DMA_LD) {
        insn->f[2] ^= 1;
    }
}

Test(metamorph, a_cell_that_depends_on_its_row_is_found) {
    engine_api liar = *real;
    liar.read = read_wrong;
    expect_broken(&liar, METAMORPH_ROWS);
}

Test(metamorph, a_product_that_is_not_zero_is_found) {
    engine_api liar = *real;
    liar.read = read_wrong;
    expect_broken(&liar, METAMORPH_ZERO);
}

Test(metamorph, a_sum_that_forgets_what_was_there_is_found) {
    expect_broken_by(forget_to_add, METAMORPH_PAD);
}

Test(metamorph, an_address_bit_of_weights_that_is_lost_is_found) {
    expect_broken_by(drop_weight_bit, METAMORPH_MOVE_SPAD);
}

Test(metamorph, an_address_bit_of_activations_that_is_lost_is_found) {
    expect_broken_by(drop_activation_bit, METAMORPH_MOVE_VR);
}

Test(metamorph, an_address_bit_of_accumulators_that_is_lost_is_found) {
    expect_broken_by(drop_store_bit, METAMORPH_MOVE_AR);
}

Test(metamorph, a_row_bit_of_a_that_is_lost_is_found) {
    expect_broken_by(drop_a_bit, METAMORPH_MOVE_A);
}

Test(metamorph, a_row_bit_of_b_that_is_lost_is_found) {
    expect_broken_by(drop_b_bit, METAMORPH_MOVE_B);
}

Test(metamorph, a_row_bit_of_c_that_is_lost_is_found) {
    expect_broken_by(drop_c_bit, METAMORPH_MOVE_C);
}

Test(metamorph, address_terms_that_count_for_nothing_are_found) {
    expect_broken_by(forget_terms, METAMORPH_FLAT);
}

Test(metamorph, an_instruction_that_stumbles_over_a_nop_is_found) {
    expect_broken_by(stumble_over_nop, METAMORPH_NOPS);
}
