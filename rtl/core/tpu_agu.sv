// SPDX-License-Identifier: Apache-2.0
//
// Address generation: field[target] += iv[level] * stride, one term a stage, so that a stage holds
// one multiplier and one adder. Three stages, one instruction a cycle, elastic. The sums keep every
// bit: the range rule is decided behind it. Implements spec/isa_spec.json#agu.

module tpu_agu #(
    parameter int SumW = 22  // bits of a resolved field: 4095 + 3 * 255 * 4095 fits
) (
    input  logic              clk_i,
    input  logic              rst_ni,
    input  logic              clear_i,

    input  logic              insn_valid_i,
    output logic              insn_ready_o,  // depends on issue_ready_i
    input  logic [63:0]       insn_word0_i,
    input  logic [63:0]       insn_word1_i,
    input  logic [15:0]       insn_pc_i,
    input  logic [31:0]       insn_iv_i,     // 8 bits a level

    output logic              issue_valid_o,
    input  logic              issue_ready_i,
    output logic [15:0]       issue_pc_o,
    output logic [5:0]        issue_op_o,
    output logic [7:0]        issue_nr_o,
    output logic [SumW-1:0]   issue_f0_o,
    output logic [SumW-1:0]   issue_f1_o,
    output logic [SumW-1:0]   issue_f2_o,
    output logic [SumW-1:0]   issue_f3_o,
    output logic [31:0]       issue_iv_o,

    output logic              idle_o
);
  localparam int Stages = tpu_isa_pkg::AGU_TERMS;
  localparam int TermW = tpu_isa_pkg::AGU_TERM_BITS;

  // Stage s adds term s to what stage s-1 holds; stage 0 takes the instruction itself.
  logic [Stages-1:0] valid_q, valid_d;
  logic [Stages-1:0] leave;  // stage s is empty or hands on: some stage from s on has room
  for (genvar s = 0; s < Stages; s++) begin : gen_leave
    assign leave[s] = issue_ready_i || (valid_q[Stages-1:s] != '1);
  end

  for (genvar s = 0; s < Stages; s++) begin : gen_stage
    logic take;
    logic in_valid;
    logic [15:0] in_pc, pc_q;
    logic [5:0] in_op, op_q;
    logic [7:0] in_nr, nr_q;
    logic [31:0] in_iv, iv_q;
    logic [TermW*Stages-1:0] in_terms, terms_q;
    logic [3:0] target;
    logic [1:0] level;
    logic [11:0] stride;
    logic [7:0] iv;
    logic [19:0] offset;

    if (s == 0) begin : gen_first
      assign in_valid = insn_valid_i;
      assign in_pc = insn_pc_i;
      assign in_op = insn_word0_i[tpu_isa_pkg::OP_LO +: tpu_isa_pkg::OP_WIDTH];
      assign in_nr = insn_word0_i[tpu_isa_pkg::NR_LO +: tpu_isa_pkg::NR_WIDTH];
      assign in_iv = insn_iv_i;
      assign in_terms = insn_word1_i[TermW*Stages-1:0];
    end else begin : gen_next
      assign in_valid = valid_q[s-1];
      assign in_pc = gen_stage[s-1].pc_q;
      assign in_op = gen_stage[s-1].op_q;
      assign in_nr = gen_stage[s-1].nr_q;
      assign in_iv = gen_stage[s-1].iv_q;
      assign in_terms = gen_stage[s-1].terms_q;
    end

    assign target = in_terms[TermW*s + tpu_isa_pkg::AGU_TARGET_LO +: 4];
    assign level = in_terms[TermW*s + tpu_isa_pkg::AGU_LEVEL_LO +: 2];
    assign stride = in_terms[TermW*s + tpu_isa_pkg::AGU_STRIDE_LO +: 12];
    assign iv = in_iv[{level, 3'd0} +: 8];
    assign offset = {12'd0, iv} * {8'd0, stride};

    for (genvar f = 0; f < tpu_isa_pkg::AGU_TARGET_MAX; f++) begin : gen_field
      logic [SumW-1:0] from, sum_q;
      if (s == 0) begin : gen_word
        assign from = SumW'(insn_word0_i[tpu_isa_pkg::F0_LO + 12*f +: 12]);
      end else begin : gen_sum
        assign from = gen_stage[s-1].gen_field[f].sum_q;
      end
      always_ff @(posedge clk_i) begin
        if (take) sum_q <= from + ((target == 4'(f + 1)) ? SumW'(offset) : '0);
      end
    end

    assign take = in_valid && leave[s];
    assign valid_d[s] = !clear_i && (take || (valid_q[s] && !leave[s]));

    always_ff @(posedge clk_i) begin
      if (take) begin
        pc_q <= in_pc;
        op_q <= in_op;
        nr_q <= in_nr;
        iv_q <= in_iv;
        terms_q <= in_terms;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= valid_d;
  end

  assign insn_ready_o = leave[0];
  assign issue_valid_o = valid_q[Stages-1];
  assign issue_pc_o = gen_stage[Stages-1].pc_q;
  assign issue_op_o = gen_stage[Stages-1].op_q;
  assign issue_nr_o = gen_stage[Stages-1].nr_q;
  assign issue_iv_o = gen_stage[Stages-1].iv_q;
  assign issue_f0_o = gen_stage[Stages-1].gen_field[0].sum_q;
  assign issue_f1_o = gen_stage[Stages-1].gen_field[1].sum_q;
  assign issue_f2_o = gen_stage[Stages-1].gen_field[2].sum_q;
  assign issue_f3_o = gen_stage[Stages-1].gen_field[3].sum_q;
  assign idle_o = valid_q == '0;

  // Spare bits of the words, and the terms behind the last stage.
  logic unused_bits;
  assign unused_bits = ^{insn_word0_i[63:62], insn_word1_i[63:57], gen_stage[Stages-1].terms_q};
endmodule : tpu_agu
