// SPDX-License-Identifier: Apache-2.0
//
// The last stage of the sequencer: decides the rules that need resolved fields, rewrites the row
// count where a unit's work differs from it, and hands the instruction to every unit it reaches in
// one cycle. Before the first instruction it sends the header words.
// Implements spec/isa_spec.json#dispatch and the static part of #contracts.

module tpu_issue #(
    parameter int T = 4,
    parameter int Maxdim = 64,
    parameter int SpadRows = 1024,
    parameter int Nvr = 1024,
    parameter int Nar = 136,
    parameter int SumW = 22
) (
    input  logic              clk_i,
    input  logic              rst_ni,
    input  logic              start_i,
    input  logic              halt_i,         // a fault elsewhere: drop what comes

    input  logic              hdr_valid_i,
    output logic              hdr_ready_o,    // does not depend on hdr_valid_i
    input  logic              hdr_second_i,
    input  logic [511:0]      hdr_data_i,

    input  logic              issue_valid_i,
    output logic              issue_ready_o,  // depends on the instruction, not on its valid
    input  logic [15:0]       issue_pc_i,
    input  logic [5:0]        issue_op_i,
    input  logic [7:0]        issue_nr_i,
    input  logic [SumW-1:0]   issue_f0_i,
    input  logic [SumW-1:0]   issue_f1_i,
    input  logic [SumW-1:0]   issue_f2_i,
    input  logic [SumW-1:0]   issue_f3_i,
    input  logic [31:0]       issue_iv_i,

    // Control channels: the instruction word, with the pc beside all of them. All that an
    // instruction needs fire together, so each valid waits for the ready of all of them, its own
    // included. That breaks the handshake rule on purpose: the ready of a tpu_fifo is a register.
    output logic              dld_valid_o,
    input  logic              dld_ready_i,
    output logic [63:0]       dld_data_o,
    output logic              spm_valid_o,
    input  logic              spm_ready_i,
    output logic [63:0]       spm_data_o,
    output logic              vru_valid_o,
    input  logic              vru_ready_i,
    output logic [63:0]       vru_data_o,
    output logic              acc_valid_o,
    input  logic              acc_ready_i,
    output logic [63:0]       acc_data_o,
    output logic              dst_valid_o,
    input  logic              dst_ready_i,
    output logic [63:0]       dst_data_o,
    output logic [15:0]       ctl_pc_o,

    output logic              probe_valid_o,  // an instruction is issued in this cycle
    output logic [127:0]      probe_o,

    output logic              fault_valid_o,  // one cycle; everything after it is dropped
    output logic [7:0]        fault_code_o,
    output logic [15:0]       fault_pc_o,
    output logic              stopped_o       // a rule was broken here
);
  localparam int Wpr = Maxdim / T;

  logic [5:0] op;
  logic [11:0] f0, f1, f2, f3;
  logic [12:0] rows;
  logic is_ld, is_vld, is_mm, is_add, is_relu, is_out, is_nop;

  assign op = issue_op_i;
  assign f0 = issue_f0_i[11:0];
  assign f1 = issue_f1_i[11:0];
  assign f2 = issue_f2_i[11:0];
  assign f3 = issue_f3_i[11:0];
  assign rows = {5'd0, issue_nr_i};
  assign is_ld = op == tpu_isa_pkg::OP_DMA_LD;
  assign is_vld = op == tpu_isa_pkg::OP_VLD;
  assign is_mm = op == tpu_isa_pkg::OP_MM;
  assign is_add = (op == tpu_isa_pkg::OP_VADD) || (op == tpu_isa_pkg::OP_VADDRELU);
  assign is_relu = op == tpu_isa_pkg::OP_VRELU;
  assign is_out = op == tpu_isa_pkg::OP_MVOUT;
  assign is_nop = op == tpu_isa_pkg::OP_NOP;

  // ---------------------------------------------------------------- rules
  logic [3:0] over;      // the field's sum leaves 0 .. FIELD_MAX
  logic [12:0] end0, end1, end2, end3;  // one past the last row that the field's span touches
  logic span_bad, dram_bad;
  logic bad;
  logic [7:0] bad_code;

  assign over[0] = issue_f0_i > SumW'(tpu_isa_pkg::FIELD_MAX);
  assign over[1] = issue_f1_i > SumW'(tpu_isa_pkg::FIELD_MAX);
  assign over[2] = issue_f2_i > SumW'(tpu_isa_pkg::FIELD_MAX);
  assign over[3] = issue_f3_i > SumW'(tpu_isa_pkg::FIELD_MAX);
  assign end0 = {1'b0, f0} + rows;
  assign end1 = {1'b0, f1} + rows;
  assign end2 = {1'b0, f2} + rows;
  assign end3 = {1'b0, f3} + (is_mm ? 13'(T) : rows);
  assign dram_bad = (f2 >= 12'(Wpr)) || (end1 > 13'(Maxdim));

  always_comb begin
    span_bad = 1'b0;
    if (is_ld) span_bad = end3 > (f0[1] ? 13'(Nvr) : 13'(SpadRows));
    if (is_vld) span_bad = (end0 > 13'(Nvr)) || (end1 > 13'(SpadRows));
    if (is_mm) span_bad = (end3 > 13'(SpadRows)) || (end0 > 13'(Nvr)) || (end1 > 13'(Nar));
    if (is_add) span_bad = (end0 > 13'(Nar)) || (end1 > 13'(Nar)) || (end2 > 13'(Nar));
    if (is_relu) span_bad = (end0 > 13'(Nar)) || (end1 > 13'(Nar));
    if (is_out) span_bad = end0 > 13'(Nar);
  end

  always_comb begin
    bad = 1'b1;
    bad_code = tpu_isa_pkg::RULE_NONE;
    if (over != 4'd0) bad_code = tpu_isa_pkg::RULE_FIELD_RANGE;
    else if (is_nop) bad = 1'b0;
    else if ((issue_nr_i == 8'd0) || (issue_nr_i > 8'(tpu_isa_pkg::MAXROWS)))
      bad_code = tpu_isa_pkg::RULE_ZERO_ROWS;
    else if (is_ld && (f0 > 12'd3)) bad_code = tpu_isa_pkg::RULE_DMA_LD_FIELD;
    else if (is_ld && dram_bad) bad_code = tpu_isa_pkg::RULE_OPERAND_RANGE;
    else if (is_mm && (f2 > 12'd1)) bad_code = tpu_isa_pkg::RULE_MM_ACC_FIELD;
    else if (span_bad) bad_code = tpu_isa_pkg::RULE_MEM_RANGE;
    else if (is_out && dram_bad) bad_code = tpu_isa_pkg::RULE_RESULT_RANGE;
    else bad = 1'b0;
  end

  // ---------------------------------------------------------------- dispatch
  logic stopped_q, stopped_d;
  logic drop;
  logic to_dld, to_spm, to_vru, to_acc, to_dst;
  logic room, fire;
  logic hdr_room, hdr_fire;
  logic [63:0] word;

  assign drop = stopped_q || halt_i;
  assign to_dld = is_ld;
  assign to_spm = (is_ld && !f0[1]) || is_vld || is_mm;
  assign to_vru = (is_ld && f0[1]) || is_vld || is_mm;
  assign to_acc = is_mm || is_add || is_relu || is_out;
  assign to_dst = is_out;
  assign room = (!to_dld || dld_ready_i) && (!to_spm || spm_ready_i) &&
      (!to_vru || vru_ready_i) && (!to_acc || acc_ready_i) && (!to_dst || dst_ready_i);
  assign fire = issue_valid_i && !drop && !bad && room;
  assign issue_ready_o = drop || bad || room;
  assign stopped_d = !start_i && (stopped_q || fault_valid_o);

  assign hdr_room = dld_ready_i && spm_ready_i && vru_ready_i && acc_ready_i && dst_ready_i;
  assign hdr_ready_o = hdr_room;
  assign hdr_fire = hdr_valid_i && hdr_room;

  assign ctl_pc_o = hdr_valid_i ? 16'd0 : issue_pc_i;
  assign word = {2'd0, issue_nr_i, f3, f2, f1, f0, op};
  assign dld_valid_o = hdr_fire || (fire && to_dld);
  assign spm_valid_o = hdr_fire || (fire && to_spm);
  assign vru_valid_o = (hdr_fire && !hdr_second_i) || (fire && to_vru);
  assign acc_valid_o = (hdr_fire && !hdr_second_i) || (fire && to_acc);
  assign dst_valid_o = (hdr_fire && !hdr_second_i) || (fire && to_dst);

  always_comb begin
    dld_data_o = word;
    spm_data_o = word;
    vru_data_o = word;
    acc_data_o = word;
    dst_data_o = word;
    // mm: the scratchpad sends a header row and T weight rows; f1 carries the activation rows.
    if (is_mm) begin
      spm_data_o[tpu_isa_pkg::NR_LO +: 8] = 8'(T + 1);
      spm_data_o[tpu_isa_pkg::F1_LO +: 12] = {4'd0, issue_nr_i};
    end
    // vadd, vaddrelu: two steps a row.
    if (is_add) acc_data_o[tpu_isa_pkg::NR_LO +: 8] = {issue_nr_i[6:0], 1'b0};
    if (hdr_valid_i) begin
      dld_data_o = hdr_second_i ? hdr_data_i[64*7 +: 64] : hdr_data_i[64*1 +: 64];
      spm_data_o = hdr_second_i ? hdr_data_i[64*4 +: 64] : hdr_data_i[64*2 +: 64];
      vru_data_o = hdr_data_i[64*3 +: 64];
      acc_data_o = hdr_data_i[64*5 +: 64];
      dst_data_o = hdr_data_i[64*6 +: 64];
    end
  end

  logic unused_bits;
  assign unused_bits = ^hdr_data_i[63:0];  // header word 0 is the sequencer's own

  assign probe_valid_o = fire;
  assign probe_o = {issue_iv_i, 4'd0, f3, 4'd0, f2, 4'd0, f1, 4'd0, f0, issue_nr_i, 2'd0, op,
                    issue_pc_i};

  assign fault_valid_o = issue_valid_i && !drop && bad;
  assign fault_code_o = bad_code;
  assign fault_pc_o = issue_pc_i;
  assign stopped_o = stopped_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) stopped_q <= 1'b0;
    else stopped_q <= stopped_d;
  end
endmodule : tpu_issue
