// SPDX-License-Identifier: Apache-2.0
//
// The patterns by which the memory holds back, one by one: what is held, for how long, and that a
// machine that waits is heard in the end.

#include "harness/engine/memory_stall.h"

#include <criterion/criterion.h>

#define ALL ((1u << MEMORY_STALL_POINTS) - 1)
#define CYCLES 20000u

static memory_stall self;

static void start(engine_stall mode, uint32_t permille, uint64_t seed) {
    const engine_timing timing = {.read_latency = 1,
                                  .write_latency = 1,
                                  .stall_permille = permille,
                                  .stall_mode = mode,
                                  .stall_seed = seed};
    memory_stall_start(&self, &timing);
}

// A machine that always wants everything: what is open passes.
static unsigned greedy_cycle(void) {
    unsigned held = memory_stall_draw(&self);
    memory_stall_see(&self, held, ALL & ~held);
    return held;
}

Test(memory_stall, without_a_chance_nothing_is_held_in_any_mode) {
    for (int mode = 0; mode < ENGINE_STALL_COUNT; mode++) {
        start((engine_stall)mode, 0, 7);
        for (unsigned i = 0; i < 2000; i++) {
            cr_assert_eq(greedy_cycle(), 0u, "mode %d", mode);
        }
    }
}

Test(memory_stall, every_mode_holds_every_point_it_is_about_and_lets_it_go) {
    static const unsigned about[ENGINE_STALL_COUNT] = {ALL,
                                                       ALL,
                                                       ALL,
                                                       ALL,
                                                       ALL,
                                                       1u << MEMORY_STALL_AR,
                                                       1u << MEMORY_STALL_R,
                                                       1u << MEMORY_STALL_AW,
                                                       1u << MEMORY_STALL_W,
                                                       1u << MEMORY_STALL_B};
    for (int mode = 0; mode < ENGINE_STALL_COUNT; mode++) {
        unsigned ever = 0;
        unsigned open = 0;
        start((engine_stall)mode, 500, 11);
        for (unsigned i = 0; i < CYCLES; i++) {
            unsigned held = greedy_cycle();
            ever |= held;
            open |= ~held & ALL;
        }
        cr_expect_eq(ever, about[mode], "mode %d holds %x", mode, ever);
        cr_expect_eq(open, ALL, "mode %d opens %x", mode, open);
    }
}

Test(memory_stall, alternate_holds_each_point_every_other_cycle) {
    start(ENGINE_STALL_ALTERNATE, 1, 5);
    unsigned last = greedy_cycle();
    for (unsigned i = 0; i < 100; i++) {
        unsigned held = greedy_cycle();
        cr_assert_eq(held, ~last & ALL);
        last = held;
    }
}

Test(memory_stall, a_burst_holds_all_or_nothing_for_the_share_asked_for) {
    for (uint64_t seed = 0; seed < 20; seed++) {
        unsigned count = 0;
        start(ENGINE_STALL_BURST, 500, seed);
        for (unsigned i = 0; i < CYCLES; i++) {
            unsigned held = greedy_cycle();
            cr_assert(held == 0 || held == ALL);
            count += held == ALL;
        }
        // Rounds are 2 to 41 cycles and the share is rounded up: 2 of 3 at most.
        cr_expect(count >= CYCLES * 48 / 100 && count <= CYCLES * 67 / 100, "%u", count);
    }
}

Test(memory_stall, a_burst_of_everything_still_opens) {
    start(ENGINE_STALL_BURST, 1000, 3);
    unsigned open = 0;
    for (unsigned i = 0; i < 100; i++) {
        open += greedy_cycle() == 0;
    }
    cr_expect_gt(open, 1u);
}

Test(memory_stall, a_freeze_lasts_hundreds_of_cycles_and_then_all_run) {
    start(ENGINE_STALL_FREEZE, 1, 9);
    unsigned run = 1;
    unsigned changes = 0;
    unsigned last = greedy_cycle();
    for (unsigned i = 0; i < CYCLES; i++) {
        unsigned held = greedy_cycle();
        if (held == last) {
            run++;
            continue;
        }
        cr_assert(run >= 100 && run <= 300, "%u cycles", run);
        cr_assert_neq(held == 0, last == 0); // frozen, then free, then frozen
        last = held;
        run = 1;
        changes++;
    }
    cr_expect_gt(changes, 40u);
}

Test(memory_stall, an_edge_opens_only_after_the_machine_has_waited_three_cycles) {
    start(ENGINE_STALL_EDGE, 1, 0);
    unsigned waited = 0;
    unsigned passes = 0;
    for (unsigned i = 0; i < 400; i++) {
        unsigned held = memory_stall_draw(&self);
        if ((held & 1u) != 0) {
            waited++;
            memory_stall_see(&self, 1u, 0);
            cr_assert_leq(waited, 10u);
        } else {
            cr_assert_geq(waited, 3u);
            waited = 0;
            passes++;
            memory_stall_see(&self, 0, 1u);
        }
    }
    cr_expect_gt(passes, 50u);
}

Test(memory_stall, an_edge_opens_for_a_machine_that_waits_for_it_to_open) {
    start(ENGINE_STALL_EDGE, 1, 0);
    for (unsigned i = 0; i < 20; i++) {
        if ((memory_stall_draw(&self) & 1u) == 0) {
            return; // though the machine never showed up
        }
        memory_stall_see(&self, 0, 0);
    }
    cr_expect(false, "it never opened");
}

Test(memory_stall, equal_seeds_give_equal_cycles) {
    for (int mode = 0; mode < ENGINE_STALL_COUNT; mode++) {
        unsigned seen[500];
        start((engine_stall)mode, 300, 77);
        for (unsigned i = 0; i < 500; i++) {
            seen[i] = greedy_cycle();
        }
        start((engine_stall)mode, 300, 77);
        for (unsigned i = 0; i < 500; i++) {
            cr_assert_eq(greedy_cycle(), seen[i], "mode %d", mode);
        }
    }
}
