// SPDX-License-Identifier: Apache-2.0
//
// The life of a run: start, watchdog, done, and the one sticky fault. A fault never stops the data
// path; it stops the issue of more work, and what is in flight drains. A fault of a unit overrides
// one of the issue stage, and that one of decode, since units hold older work; of several units the
// first in time is kept.

module tpu_run (
    input  logic        clk_i,
    input  logic        rst_ni,

    input  logic        start_i,           // heard while no run is on and all is quiet
    input  logic [31:0] watchdog_limit_i,  // cycles without movement; 0: never
    input  logic        quiet_i,           // nothing is in flight
    input  logic        moved_i,           // a row or a beat moved in this cycle

    // Faults, one cycle each.
    input  logic        decode_valid_i,
    input  logic [7:0]  decode_code_i,
    input  logic [15:0] decode_pc_i,
    input  logic        issue_valid_i,
    input  logic [7:0]  issue_code_i,
    input  logic [15:0] issue_pc_i,
    input  logic        unit_valid_i,
    input  logic [7:0]  unit_code_i,
    input  logic [7:0]  unit_unit_i,
    input  logic [15:0] unit_pc_i,
    input  logic        header_bad_i,      // a header count differs; judged at the end of a run
    input  logic [7:0]  header_unit_i,

    output logic        start_o,           // the cycle after a start that was heard
    output logic        halt_o,            // a unit faulted: issue nothing more
    output logic        busy_o,
    output logic        done_o,            // from the end of a run to the next start
    output logic [7:0]  fault_code_o,      // tpu_isa_pkg::RULE_* or FAULT_*; 0: none
    output logic [7:0]  fault_unit_o,
    output logic [15:0] fault_pc_o
);
  localparam logic [1:0] LevelNone = 2'd0;
  localparam logic [1:0] LevelDecode = 2'd1;
  localparam logic [1:0] LevelIssue = 2'd2;
  localparam logic [1:0] LevelUnit = 2'd3;

  logic start_q, start_d, running_q, running_d, done_q, done_d;
  logic [31:0] still_q, still_d;  // cycles without movement
  logic finish, expired;
  logic [1:0] level_q, level_d;
  logic [7:0] code_q, code_d, unit_q, unit_d;
  logic [15:0] pc_q, pc_d;

  // ---------------------------------------------------------------- run
  // The start is registered: otherwise a pin would reach the next state of every unit at once.
  assign start_d = start_i && !running_q && quiet_i;
  assign finish = running_q && quiet_i && !start_q;
  assign expired = running_q && (watchdog_limit_i != '0) && (still_q >= watchdog_limit_i);

  always_comb begin
    running_d = running_q;
    done_d = done_q;
    still_d = (running_q && !moved_i) ? still_q + 32'd1 : 32'd0;
    if (finish || expired) begin
      running_d = 1'b0;
      done_d = 1'b1;
    end
    if (start_d) begin
      running_d = 1'b1;
      done_d = 1'b0;
    end
  end

  // ---------------------------------------------------------------- fault
  always_comb begin
    level_d = level_q;
    code_d = code_q;
    unit_d = unit_q;
    pc_d = pc_q;
    if (decode_valid_i && (level_q == LevelNone)) begin
      level_d = LevelDecode;
      code_d = decode_code_i;
      unit_d = tpu_isa_pkg::UNIT_SEQUENCER;
      pc_d = decode_pc_i;
    end
    if (issue_valid_i && (level_q < LevelIssue)) begin
      level_d = LevelIssue;
      code_d = issue_code_i;
      unit_d = tpu_isa_pkg::UNIT_SEQUENCER;
      pc_d = issue_pc_i;
    end
    if (unit_valid_i && (level_q != LevelUnit)) begin
      level_d = LevelUnit;
      code_d = unit_code_i;
      unit_d = unit_unit_i;
      pc_d = unit_pc_i;
    end
    // A program that faulted has other counts than its header promises.
    if (finish && header_bad_i && (level_q == LevelNone)) begin
      level_d = LevelUnit;
      code_d = tpu_isa_pkg::FAULT_HEADER;
      unit_d = header_unit_i;
      pc_d = '0;
    end
    if (expired && (level_q == LevelNone)) begin
      level_d = LevelUnit;
      code_d = tpu_isa_pkg::FAULT_WATCHDOG;
      unit_d = tpu_isa_pkg::UNIT_SEQUENCER;
      pc_d = decode_pc_i;
    end
    if (start_q) begin
      level_d = LevelNone;
      code_d = tpu_isa_pkg::RULE_NONE;
      unit_d = '0;
      pc_d = '0;
    end
  end

  assign start_o = start_q;
  assign halt_o = level_q == LevelUnit;
  assign busy_o = running_q;
  assign done_o = done_q;
  assign fault_code_o = code_q;
  assign fault_unit_o = unit_q;
  assign fault_pc_o = pc_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      start_q <= 1'b0;
      running_q <= 1'b0;
      done_q <= 1'b0;
      still_q <= '0;
      level_q <= LevelNone;
      code_q <= '0;
      unit_q <= '0;
      pc_q <= '0;
    end else begin
      start_q <= start_d;
      running_q <= running_d;
      done_q <= done_d;
      still_q <= still_d;
      level_q <= level_d;
      code_q <= code_d;
      unit_q <= unit_d;
      pc_q <= pc_d;
    end
  end
endmodule : tpu_run
