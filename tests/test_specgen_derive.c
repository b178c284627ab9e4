// SPDX-License-Identifier: Apache-2.0
//
// What follows from the actions of the real specification, against the tables of the seed typed by
// hand: steps of each unit, rewrites, units of an opcode, users of a memory, ceilings.

#include "spec/specgen_derive.h"
#include "spec/specgen_names.h"
#include "spec/specgen_property.h"
#include "spec/specgen_resolve.h"
#include "spec/specgen_schema.h"

#include <criterion/criterion.h>
#include <string.h>

static specgen_spec spec;

static void load(void) {
    tpu_message why = {{0}};
    cr_assert_eq(specgen_spec_load("spec/isa_spec.json", &spec, &why), TPU_OK, "%s", why.text);
    cr_assert_eq(specgen_schema_check(&spec, &why), TPU_OK, "%s", why.text);
    cr_assert_eq(specgen_resolve(&spec, &why), TPU_OK, "%s", why.text);
}

static void unload(void) {
    specgen_spec_clear(&spec);
}

TestSuite(specgen_derive, .init = load, .fini = unload);

// The seed's table of per-unit costs; at is the number of steps at T = 4 and nr = 8.
static const struct {
    const char *opcode;
    const char *unit;
    const char *steps;
    int64_t at;
    bool rewritten;
} seed[] = {
    {"dma_ld", "dma_ld", "nr", 8, false},
    {"dma_ld", "spm", "nr", 8, false},
    {"dma_ld", "vru", "nr", 8, false},
    {"vld", "spm", "nr", 8, false},
    {"vld", "vru", "nr", 8, false},
    {"mm", "spm", "T + 1", 5, true},
    {"mm", "array", "(T + 1) + nr", 13, false},
    {"mm", "vru", "nr", 8, false},
    {"mm", "accu", "nr", 8, false},
    {"vadd", "accu", "2 * nr", 16, true},
    {"vrelu", "accu", "nr", 8, false},
    {"mvout", "accu", "nr", 8, false},
    {"mvout", "dma_st", "nr", 8, false},
    {"loop", "sequencer", "1", 1, false},
    {"endloop", "sequencer", "1", 1, false},
    {"vaddrelu", "accu", "2 * nr", 16, true},
};
#define SEED_ROWS (sizeof seed / sizeof seed[0])

Test(specgen_derive, steps_and_rewrites_are_those_of_the_seed) {
    for (size_t i = 0; i < SEED_ROWS; i++) {
        size_t opcode = (size_t)specgen_spec_opcode(&spec, seed[i].opcode);
        size_t unit = (size_t)specgen_spec_unit(&spec, seed[i].unit);
        specgen_cost cost;
        specgen_text text = {0};
        int64_t steps = 0;
        cr_assert_eq(specgen_derive_cost(&spec, opcode, unit, &cost, NULL), TPU_OK);
        cr_assert_eq(specgen_derive_steps(&spec, &cost, 4, 8, &steps, NULL), TPU_OK);
        specgen_derive_cost_text(&cost, &text);
        cr_expect_str_eq(text.data, seed[i].steps, "%s in %s", seed[i].opcode, seed[i].unit);
        cr_expect_eq(steps, seed[i].at, "%s in %s", seed[i].opcode, seed[i].unit);
        cr_expect_eq(specgen_derive_rewritten(&spec, unit, &cost), seed[i].rewritten, "%s in %s",
                     seed[i].opcode, seed[i].unit);
        specgen_text_clear(&text);
    }
}

Test(specgen_derive, no_other_unit_is_reached) {
    size_t reached = 0;
    for (size_t o = 0; o < spec.opcode_count; o++) {
        for (size_t u = 0; u < spec.unit_count; u++) {
            specgen_cost cost;
            cr_assert_eq(specgen_derive_cost(&spec, o, u, &cost, NULL), TPU_OK);
            reached += cost.reached ? 1 : 0;
        }
    }
    cr_expect_eq(reached, SEED_ROWS);
}

Test(specgen_derive, a_load_goes_to_one_destination_by_its_mode) {
    specgen_cost cost;
    cr_assert_eq(specgen_derive_cost(&spec, 1, 2, &cost, NULL), TPU_OK);
    cr_expect_str_eq(cost.when, "(mode & 2) == 0");
    cr_assert_eq(specgen_derive_cost(&spec, 1, 3, &cost, NULL), TPU_OK);
    cr_expect_str_eq(cost.when, "(mode & 2) == 2");
    cr_assert_eq(specgen_derive_cost(&spec, 1, 1, &cost, NULL), TPU_OK);
    cr_expect_null(cost.when);
}

Test(specgen_derive, users_of_each_memory_are_those_of_the_seed) {
    static const struct {
        const char *memory;
        specgen_kind kind;
        const char *users;
    } cases[] = {
        {"spad", SPECGEN_WRITE, "dma_ld [(mode & 2) == 0]"},
        {"spad", SPECGEN_READ, "vld (copied row), mm (weights)"},
        {"vr", SPECGEN_WRITE, "dma_ld [(mode & 2) == 2], vld"},
        {"vr", SPECGEN_READ, "mm (activations)"},
        {"ar", SPECGEN_WRITE, "mm, vadd, vrelu, vaddrelu"},
        {"ar", SPECGEN_READ,
         "mm (base of the accumulation) [acc == 1], vadd (input), vrelu (input), mvout (result), "
         "vaddrelu (input)"},
        {"A", SPECGEN_READ, "dma_ld (operand rows) [(mode & 1) == 0]"},
        {"B", SPECGEN_READ, "dma_ld (operand rows) [(mode & 1) == 1]"},
        {"C", SPECGEN_WRITE, "mvout"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        specgen_text text = {0};
        cr_assert(specgen_derive_users(&spec, cases[i].memory, cases[i].kind, &text));
        cr_expect_str_eq(text.data, cases[i].users, "%s", cases[i].memory);
        specgen_text_clear(&text);
    }
}

Test(specgen_derive, nobody_writes_imem_and_reads_c_by_instruction) {
    specgen_text text = {0};
    cr_expect_not(specgen_derive_users(&spec, "imem", SPECGEN_WRITE, &text));
    cr_expect_not(specgen_derive_users(&spec, "C", SPECGEN_READ, &text));
    specgen_text_clear(&text);
}

Test(specgen_derive, an_mm_puts_one_item_on_the_instruction_port_and_nr_on_mac) {
    const specgen_unit *array = &spec.unit[4];
    int64_t items = 0;
    cr_assert_eq(specgen_derive_items(&spec, 4, 4, specgen_spec_port(array, "instructions"), 8, 20,
                                      &items, NULL),
                 TPU_OK);
    cr_expect_eq(items, 1);
    cr_assert_eq(
        specgen_derive_items(&spec, 4, 4, specgen_spec_port(array, "mac"), 8, 20, &items, NULL),
        TPU_OK);
    cr_expect_eq(items, 20);
    cr_assert_eq(
        specgen_derive_items(&spec, 4, 4, specgen_spec_port(array, "wcol"), 8, 20, &items, NULL),
        TPU_OK);
    cr_expect_eq(items, 9);
}

Test(specgen_derive, ceilings_of_maxdim_are_those_worked_out_by_hand) {
    static const int64_t sides[] = {4, 8, 16};
    static const int64_t due[2][3] = {{88, 128, 176}, {76, 120, 192}};
    for (int c = 0; c < 2; c++) {
        const cJSON *ceiling = cJSON_GetArrayItem(specgen_spec_at(&spec, "maxdim_ceilings"), c);
        for (int i = 0; i < 3; i++) {
            int64_t value = 0;
            cr_assert_eq(specgen_property_ceiling(&spec, ceiling, sides[i], &value, NULL), TPU_OK);
            cr_expect_eq(value, due[c][i], "ceiling %d at T=%lld is %lld", c, (long long)sides[i],
                         (long long)value);
        }
    }
}

Test(specgen_derive, defaults_are_those_of_the_reference) {
    static const struct {
        int64_t t;
        int64_t maxdim;
        int64_t spad;
        int64_t nar;
        int64_t wpr;
    } cases[] = {{4, 64, 1024, 136, 16}, {4, 16, 64, 128, 4}, {8, 64, 512, 136, 8}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        specgen_names names = {
            .spec = &spec, .param = {cases[i].t, cases[i].maxdim}, .param_count = 2};
        int64_t wpr = 0;
        cr_assert_eq(specgen_names_default(&names, false, NULL), TPU_OK);
        cr_assert(specgen_names_value(&names, "WPR", &wpr));
        cr_expect_eq(names.param[2], cases[i].spad);
        cr_expect_eq(names.param[3], cases[i].spad);
        cr_expect_eq(names.param[4], cases[i].nar);
        cr_expect_eq(names.param[5], 56);
        cr_expect_eq(names.param[6], 16);
        cr_expect_eq(names.param[7], 1);
        cr_expect_eq(wpr, cases[i].wpr);
    }
}

// BUS_BYTES / T words fit a beat: 16 at T = 4, 8 at T = 8; a row of MAXDIM = 16 has only 4.
Test(specgen_derive, widened_loads_take_a_beat_or_a_row) {
    static const int64_t cases[][3] = {{4, 64, 16}, {8, 64, 8}, {4, 16, 4}, {16, 64, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        specgen_names names = {.spec = &spec, .param = {cases[i][0], cases[i][1]}};
        names.param_count = 2;
        cr_assert_eq(specgen_names_default(&names, true, NULL), TPU_OK);
        cr_expect_eq(names.param[7], cases[i][2], "T=%lld", (long long)cases[i][0]);
    }
}

// Published test vectors of FNV-1a, 64 bits.
Test(specgen_derive, the_hash_is_fnv_1a) {
    cr_expect_eq(specgen_spec_hash("", 0), 0xCBF29CE484222325u);
    cr_expect_eq(specgen_spec_hash("a", 1), 0xAF63DC4C8601EC8Cu);
    cr_expect_eq(specgen_spec_hash("foobar", 6), 0x85944171F73967E8u);
}
