// SPDX-License-Identifier: Apache-2.0
//
// The machine's control registers through engine_port.h: accesses, the life of a run, the
// interrupt, and the faults of the bus side.

#include "csim/isa/assembly.h"
#include "csim/isa/image.h"
#include "harness/engine/engine.h"
#include "tests/support/engine_rig.h"

#include <criterion/criterion.h>
#include <string.h>

Test(engine_port, says_what_it_was_built_for, .timeout = 60) {
    engine_rig rig = {0};
    engine_rig_open(&rig);
    engine_identity identity = {0};
    cr_assert_eq(rig.api->identify(rig.dut, &identity, &rig.why), TPU_OK, "%s", rig.why.text);
    cr_expect_eq(memcmp(&identity.params, &engine_rig_point, sizeof engine_rig_point), 0);
    cr_expect_eq(identity.spec_hash, TPU_SPEC_HASH);
    cr_expect_str_eq(identity.name, engine_rig_kind());
    engine_rig_close(&rig);
}

Test(engine_port, answers_wrong_register_accesses_with_an_error, .timeout = 60) {
    static const uint16_t read_only[] = {TPU_REG_STATUS, TPU_REG_FAULT, TPU_REG_CYCLES_LO,
                                         TPU_REG_ID,     TPU_REG_PARAM, TPU_REG_UNIT};
    static const uint16_t unknown[] = {0x01c, 0x04c, 0x070, 0x0f0, 0xffc, 0x021, 0x051};
    engine_rig rig = {0};
    uint32_t value = 0;
    engine_rig_open(&rig);
    for (size_t i = 0; i < sizeof read_only / sizeof read_only[0]; i++) {
        cr_expect_eq(engine_rig_poke(&rig, read_only[i], 1), 2, "0x%03x", read_only[i]);
        cr_expect_eq(engine_rig_peek(&rig, read_only[i], &value), 0, "0x%03x", read_only[i]);
    }
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        cr_expect_eq(engine_rig_poke(&rig, unknown[i], 1), 2, "0x%03x", unknown[i]);
        cr_expect_eq(engine_rig_peek(&rig, unknown[i], &value), 2, "0x%03x", unknown[i]);
        cr_expect_eq(value, 0);
    }
    engine_rig_close(&rig);
}

Test(engine_port, keeps_what_is_written_to_its_registers, .timeout = 60) {
    engine_rig rig = {0};
    engine_rig_open(&rig);
    for (uint16_t address = TPU_REG_IMEM_LO; address <= TPU_REG_C_HI; address += 4) {
        cr_expect_eq(engine_rig_poke(&rig, address, 0x12340000u + address), 0);
    }
    cr_expect_eq(engine_rig_poke(&rig, TPU_REG_WATCHDOG, 77), 0);
    uint32_t value = 0;
    for (uint16_t address = TPU_REG_IMEM_LO; address <= TPU_REG_C_HI; address += 4) {
        cr_expect_eq(engine_rig_peek(&rig, address, &value), 0);
        cr_expect_eq(value, 0x12340000u + address);
    }
    cr_expect_eq(engine_rig_peek(&rig, TPU_REG_WATCHDOG, &value), 0);
    cr_expect_eq(value, 77);
    engine_rig_close(&rig);
}

Test(engine_port, refuses_starts_and_base_writes_while_busy, .timeout = 60) {
    static const engine_timing slow = {.read_latency = 200, .write_latency = 200};
    engine_rig rig = {0};
    engine_rig_open(&rig);
    engine_rig_load(&rig, rig.dut, &engine_rig_gemm4, 0);
    cr_assert_eq(rig.api->set_timing(rig.dut, &slow, &rig.why), TPU_OK);
    cr_assert_eq(rig.api->start(rig.dut, &rig.why), TPU_OK);
    engine_rig_run out = {0};
    for (int i = 0; i < 10; i++) {
        cr_assert(!engine_rig_step(&rig, rig.dut, &out));
    }
    uint32_t before = 0;
    uint32_t after = 0;
    cr_expect_eq(engine_rig_peek(&rig, TPU_REG_A_LO, &before), 0);
    cr_expect_eq(engine_rig_poke(&rig, TPU_REG_A_LO, 0), 2);
    cr_expect_eq(engine_rig_poke(&rig, TPU_REG_CTRL, 1), 2);
    cr_expect_eq(engine_rig_peek(&rig, TPU_REG_A_LO, &after), 0);
    cr_expect_eq(before, after);
    cr_expect_eq(engine_rig_peek(&rig, TPU_REG_STATUS, &after), 0);
    cr_expect_eq(after, 1, "status 0x%x", after);
    cr_expect_eq(rig.api->start(rig.dut, &rig.why), TPU_ERR_ENGINE);
    engine_rig_finish(&rig, rig.dut, &out);
    engine_rig_expect_product(&rig, rig.dut, &engine_rig_gemm4, 0);
    engine_rig_close(&rig);
}

Test(engine_port, interrupts_when_done_until_acknowledged, .timeout = 60) {
    engine_rig rig = {0};
    engine_rig_open(&rig);
    (void)engine_rig_whole(&rig, &engine_rig_gemm4, 0);
    uint32_t status = 0;
    cr_expect_eq(engine_rig_peek(&rig, TPU_REG_STATUS, &status), 0);
    cr_expect_eq(status, 2, "status 0x%x", status);
    cr_expect(!rig.port->interrupt(rig.dut));
    cr_expect_eq(engine_rig_poke(&rig, TPU_REG_CTRL, 0x100), 0);
    cr_expect_eq(engine_rig_peek(&rig, TPU_REG_STATUS, &status), 0);
    cr_expect_eq(status, 10, "status 0x%x", status);
    cr_expect(rig.port->interrupt(rig.dut));
    cr_expect_eq(engine_rig_poke(&rig, TPU_REG_ACK, 1), 0);
    cr_expect_eq(engine_rig_peek(&rig, TPU_REG_STATUS, &status), 0);
    cr_expect_eq(status, 0, "status 0x%x", status);
    cr_expect(!rig.port->interrupt(rig.dut));
    engine_rig_close(&rig);
}

// States that the probe shows from the cycle after the start to the one before done.
static uint64_t count_states(engine_rig *rig, engine_counters *out) {
    probe seen = {.done = false};
    for (int cycle = 0; cycle < 100000 && !seen.done; cycle++) {
        cr_assert_eq(rig->api->step(rig->dut, &seen, &rig->why), TPU_OK, "%s", rig->why.text);
        for (int u = 0; u < TPU_UNIT_COUNT && cycle > 0 && !seen.done; u++) {
            out->busy[u] += seen.unit[u].state == PROBE_BUSY;
            out->starved[u] += seen.unit[u].state == PROBE_STARVED;
            out->blocked[u] += seen.unit[u].state == PROBE_BLOCKED;
        }
    }
    cr_assert(seen.done);
    return seen.cycle;
}

Test(engine_port, counts_what_the_probe_shows, .timeout = 60) {
    static const engine_timing timings[] = {
        {.read_latency = 1, .write_latency = 1},
        {.read_latency = 40, .write_latency = 5, .stall_permille = 300, .stall_seed = 9}};
    engine_rig rig = {0};
    engine_rig_open(&rig);
    for (size_t i = 0; i < sizeof timings / sizeof timings[0]; i++) {
        engine_counters want = {.busy = {0}};
        engine_counters got;
        engine_status status;
        engine_rig_load(&rig, rig.dut, &engine_rig_gemm8_relu, 0);
        cr_assert_eq(rig.api->set_timing(rig.dut, &timings[i], &rig.why), TPU_OK);
        cr_assert_eq(rig.api->start(rig.dut, &rig.why), TPU_OK);
        const uint64_t last = count_states(&rig, &want);
        cr_assert_eq(rig.api->status(rig.dut, &status, &rig.why), TPU_OK);
        cr_assert_eq(rig.api->counters(rig.dut, &got, &rig.why), TPU_OK);
        cr_expect_eq(status.cycles, last);
        for (int u = 0; u < TPU_UNIT_COUNT; u++) {
            cr_expect_eq(got.busy[u], want.busy[u], "unit %d", u);
            cr_expect_eq(got.starved[u], want.starved[u], "unit %d", u);
            cr_expect_eq(got.blocked[u], want.blocked[u], "unit %d", u);
        }
    }
    engine_rig_close(&rig);
}

// The status comes with the cycles behind the end, however many a caller steps, and gets in
// nobody's way: the counters first, a register first, an acknowledge, the status again.
Test(engine_port, reads_ahead_behind_the_end_and_never_late, .timeout = 60) {
    engine_rig rig = {0};
    engine_rig_open(&rig);
    for (int behind = 0; behind < 9; behind++) {
        for (int first = 0; first < 3; first++) {
            engine_counters want = {.busy = {0}};
            engine_counters got;
            engine_status status;
            uint32_t id = 0;
            probe seen;
            engine_rig_load(&rig, rig.dut, &engine_rig_gemm4, behind);
            cr_assert_eq(rig.api->start(rig.dut, &rig.why), TPU_OK, "%s", rig.why.text);
            const uint64_t last = count_states(&rig, &want);
            for (int i = 0; i < behind; i++) {
                cr_assert_eq(rig.api->step(rig.dut, &seen, &rig.why), TPU_OK);
            }
            if (first == 1) {
                cr_expect_eq(engine_rig_peek(&rig, TPU_REG_ID, &id), 0);
                cr_expect_eq(id, TPU_REG_ID_VALUE, "%d steps behind: 0x%x", behind, id);
            } else if (first == 2) {
                cr_assert_eq(rig.api->counters(rig.dut, &got, &rig.why), TPU_OK);
                cr_expect_arr_eq(got.busy, want.busy, sizeof want.busy, "%d steps behind", behind);
            }
            cr_assert_eq(rig.api->status(rig.dut, &status, &rig.why), TPU_OK);
            cr_expect(status.done);
            cr_expect_eq(status.cycles, last, "%d steps behind", behind);
            cr_expect_eq(status.fault, 0);
            cr_assert_eq(rig.api->status(rig.dut, &status, &rig.why), TPU_OK);
            cr_expect_eq(status.cycles, last, "%d steps behind, asked again", behind);
        }
    }
    (void)engine_rig_whole(&rig, &engine_rig_gemm4, 0);
    engine_rig_close(&rig);
}

Test(engine_port, an_acknowledge_behind_the_end_shows_in_the_status, .timeout = 60) {
    engine_rig rig = {0};
    engine_rig_open(&rig);
    for (int behind = 0; behind < 9; behind++) {
        engine_counters seen_states = {.busy = {0}};
        engine_status status;
        probe seen;
        engine_rig_load(&rig, rig.dut, &engine_rig_gemm4, 0);
        cr_assert_eq(rig.api->start(rig.dut, &rig.why), TPU_OK, "%s", rig.why.text);
        (void)count_states(&rig, &seen_states);
        for (int i = 0; i < behind; i++) {
            cr_assert_eq(rig.api->step(rig.dut, &seen, &rig.why), TPU_OK);
        }
        cr_expect_eq(engine_rig_poke(&rig, TPU_REG_ACK, 1), 0);
        cr_assert_eq(rig.api->status(rig.dut, &status, &rig.why), TPU_OK);
        cr_expect(!status.done, "%d steps behind", behind);
    }
    engine_rig_close(&rig);
}

Test(engine_port, faults_on_a_base_that_is_not_aligned, .timeout = 60) {
    static const struct {
        uint16_t address;
        uint8_t unit;
    } bases[] = {{TPU_REG_IMEM_LO, TPU_UNIT_SEQUENCER},
                 {TPU_REG_A_LO, TPU_UNIT_DMA_LD},
                 {TPU_REG_B_LO, TPU_UNIT_DMA_LD},
                 {TPU_REG_C_LO, TPU_UNIT_DMA_ST}};
    engine_rig rig = {0};
    engine_rig_open(&rig);
    (void)engine_rig_whole(&rig, &engine_rig_gemm4, 0);
    for (size_t i = 0; i < sizeof bases / sizeof bases[0]; i++) {
        uint32_t good = 0;
        cr_expect_eq(engine_rig_peek(&rig, bases[i].address, &good), 0);
        cr_expect_eq(engine_rig_poke(&rig, bases[i].address, good + 32), 0);
        const engine_rig_run out = engine_rig_start(&rig);
        cr_expect_eq(out.status.fault, TPU_FAULT_BASE);
        cr_expect_eq(out.status.fault_unit, bases[i].unit);
        for (int s = 0; s < TPU_STREAM_COUNT; s++) {
            cr_expect_eq(out.rows[s], 0, "stream %d moved", s);
        }
        cr_expect_eq(engine_rig_poke(&rig, bases[i].address, good), 0);
    }
    const engine_rig_run clean = engine_rig_whole(&rig, &engine_rig_gemm4, 4);
    cr_expect_eq(clean.status.fault, 0);
    engine_rig_expect_product(&rig, rig.dut, &engine_rig_gemm4, 4);
    engine_rig_close(&rig);
}

Test(engine_port, faults_on_a_bus_error_and_runs_clean_afterwards, .timeout = 60) {
    static const uint16_t bases[] = {TPU_REG_IMEM_HI, TPU_REG_A_HI, TPU_REG_B_HI, TPU_REG_C_HI};
    engine_rig rig = {0};
    engine_rig_open(&rig);
    (void)engine_rig_whole(&rig, &engine_rig_gemm4, 0);
    for (size_t i = 0; i < sizeof bases / sizeof bases[0]; i++) {
        uint32_t good = 0;
        cr_expect_eq(engine_rig_peek(&rig, bases[i], &good), 0);
        cr_expect_eq(engine_rig_poke(&rig, bases[i], good + 0x1000), 0);
        const engine_rig_run out = engine_rig_whole(&rig, &engine_rig_gemm4, 0);
        cr_expect_eq(out.status.fault, TPU_FAULT_BUS, "base 0x%03x: fault %u", bases[i],
                     out.status.fault);
        if (bases[i] == TPU_REG_IMEM_HI) {
            cr_expect_eq(out.rows[TPU_STREAM_ISSUE], 0, "a beat with an error was executed");
        }
        cr_expect_eq(engine_rig_poke(&rig, bases[i], good), 0);
        const engine_rig_run clean = engine_rig_whole(&rig, &engine_rig_gemm4, 6);
        cr_expect_eq(clean.status.fault, 0, "after base 0x%03x: fault %u", bases[i],
                     clean.status.fault);
        engine_rig_expect_product(&rig, rig.dut, &engine_rig_gemm4, 6);
    }
    engine_rig_close(&rig);
}

Test(engine_port, gives_up_on_a_memory_that_never_answers, .timeout = 60) {
    static const engine_timing stuck = {
        .read_latency = 1, .write_latency = 1, .stall_permille = 1000};
    static const engine_timing plain = {.read_latency = 1, .write_latency = 1};
    engine_rig rig = {0};
    engine_rig_open(&rig);
    engine_rig_load(&rig, rig.dut, &engine_rig_gemm4, 0);
    cr_assert_eq(rig.api->set_timing(rig.dut, &stuck, &rig.why), TPU_OK);
    const engine_rig_run out = engine_rig_start(&rig);
    cr_expect_eq(out.status.fault, TPU_FAULT_WATCHDOG, "fault %u", out.status.fault);
    cr_expect_geq(out.status.cycles, 1000);
    cr_assert_eq(rig.api->reset(rig.dut, &rig.why), TPU_OK);
    cr_assert_eq(rig.api->set_timing(rig.dut, &plain, &rig.why), TPU_OK);
    const engine_rig_run clean = engine_rig_start(&rig);
    cr_expect_eq(clean.status.fault, 0);
    engine_rig_expect_product(&rig, rig.dut, &engine_rig_gemm4, 0);
    engine_rig_close(&rig);
}

// The memory ends behind the program's second beat, and takes its time: pc 0 has long been judged
// when the answer to the third one says so.
Test(engine_port, keeps_a_broken_rule_when_a_bus_error_of_the_program_follows, .timeout = 60) {
    static const char *const text =
        "dma_ld rows=4 mode=4 dram_row0=0 col_block=0 dst_row0=0\nnop\nnop\nnop\nnop\n";
    enum { SKIP = 5 * 8 }; // five of the seven beats
    const engine_timing slow = {
        .read_latency = 1, .write_latency = 1, .stall_permille = 990, .stall_seed = 3};
    uint64_t words[56] = {0};
    isa_program program = {0};
    image built = {0};
    engine_rig rig = {0};
    uint32_t good = 0;
    engine_rig_open(&rig);
    (void)engine_rig_whole(&rig, &engine_rig_gemm4, 0);
    cr_assert_eq(assembly_parse(text, "t", &program, &rig.why), TPU_OK, "%s", rig.why.text);
    cr_assert_eq(image_build(&engine_rig_point, &program, false, &built, &rig.why), TPU_OK);
    memcpy(words + SKIP, built.words, 16 * sizeof words[0]); // header, pc 0 to 3
    cr_assert_eq(rig.api->load(rig.dut, TPU_MEM_IMEM, words, sizeof words, &rig.why), TPU_OK);
    cr_assert_eq(rig.api->set_timing(rig.dut, &slow, &rig.why), TPU_OK);
    cr_expect_eq(engine_rig_peek(&rig, TPU_REG_IMEM_LO, &good), 0);
    cr_expect_eq(engine_rig_poke(&rig, TPU_REG_IMEM_LO, good + SKIP * 8), 0);
    const engine_rig_run out = engine_rig_start(&rig);
    cr_expect_eq(out.status.fault, TPU_RULE_DMA_LD_FIELD, "fault %u", out.status.fault);
    cr_expect_eq(out.status.fault_pc, 0);
    image_clear(&built);
    isa_program_clear(&program);
    engine_rig_close(&rig);
}
