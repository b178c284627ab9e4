// SPDX-License-Identifier: Apache-2.0
//
// The core as Yosys understands it, against the core as Verilator does: the same programs show the
// same rows in every stream and take the same cycles. ci/check_netlist builds the second engine.

#include "tests/support/engine_rig.h"

#include <criterion/criterion.h>

static void expect_same_run(const engine_rig_program *program) {
    engine_rig source;
    engine_rig netlist;
    engine_rig_open_kind(&source, "verilator");
    engine_rig_open_kind(&netlist, "netlist");

    const engine_rig_run of_source = engine_rig_whole(&source, program, 3);
    const engine_rig_run of_netlist = engine_rig_whole(&netlist, program, 3);

    engine_rig_expect_same_events(&of_source, &of_netlist);
    cr_expect_eq(of_source.status.cycles, of_netlist.status.cycles, "%lu and %lu cycles",
                 (unsigned long)of_source.status.cycles, (unsigned long)of_netlist.status.cycles);
    cr_expect_gt(of_netlist.rows[TPU_STREAM_C_WRITE], 0u);
    engine_rig_expect_product(&netlist, netlist.dut, program, 3);
    engine_rig_close(&netlist);
    engine_rig_close(&source);
}

TestSuite(netlist, .timeout = 60);

Test(netlist, runs_the_smallest_gemm_as_the_source_does) {
    expect_same_run(&engine_rig_gemm4);
}

Test(netlist, runs_loops_accumulation_and_relu_as_the_source_does) {
    expect_same_run(&engine_rig_gemm8_relu);
}
