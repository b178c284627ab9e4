// SPDX-License-Identifier: Apache-2.0
//
// The operand vector registers: rows come from memory (dma_ld) or from the scratchpad (vld) and
// leave as the activation rows of an mm. Loads and mms run side by side where their rows differ.
// Implements spec/isa_spec.json, unit vru.

module tpu_vru #(
    parameter int T = 4,
    parameter int Nvr = 1024
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             start_i,

    input  logic             ctl_valid_i,
    output logic             ctl_ready_o,    // depends on ctl_data_i, not on ctl_valid_i
    input  logic [63:0]      ctl_data_i,     // the instruction word
    input  logic [15:0]      ctl_pc_i,

    input  logic             dma_valid_i,    // dma2vr
    output logic             dma_ready_o,
    input  logic [8*T-1:0]   dma_data_i,
    input  logic             sp_valid_i,     // sp2vr: {data, written}
    output logic             sp_ready_o,
    input  logic [8*T+7:0]   sp_data_i,
    output logic             acol_valid_o,
    input  logic             acol_ready_i,
    output logic [8*T-1:0]   acol_data_o,

    output logic             probe_valid_o,  // a row is written: {data, written, row}
    output logic [8*T+23:0]  probe_o,

    output logic             fault_valid_o,  // one cycle: mm read activations that nothing wrote
    output logic [15:0]      fault_pc_o,
    output logic             header_bad_o,
    output logic             idle_o,
    output logic [6:0]       state_o
);
  localparam int TagW = 17;  // {pc, is vld}

  // ---------------------------------------------------------------- header and decode
  logic headers_q, headers_d;
  logic [15:0] promised_q, promised_d, done_q, done_d;
  logic [63:0] word;
  logic [5:0] op;
  logic [7:0] nr;
  logic is_mm, is_vld;
  logic wspan_ready, rspan_ready;

  assign word = ctl_data_i;
  assign op = word[tpu_isa_pkg::OP_LO +: 6];
  assign nr = word[tpu_isa_pkg::NR_LO +: 8];
  assign is_mm = op == tpu_isa_pkg::OP_MM;
  assign is_vld = op == tpu_isa_pkg::OP_VLD;
  assign ctl_ready_o = !headers_q || (is_mm ? rspan_ready : wspan_ready);

  always_comb begin
    headers_d = headers_q;
    promised_d = promised_q;
    done_d = done_q;
    if (ctl_valid_i && ctl_ready_o) begin
      headers_d = 1'b1;
      if (!headers_q) promised_d = word[15:0];
      else if (!done_q[15]) done_d = done_q + {8'd0, nr};
    end
    if (start_i) begin
      headers_d = 1'b0;
      promised_d = '0;
      done_d = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      headers_q <= 1'b0;
      promised_q <= '0;
      done_q <= '0;
    end else begin
      headers_q <= headers_d;
      promised_q <= promised_d;
      done_q <= done_d;
    end
  end

  // ---------------------------------------------------------------- the rows
  logic wrow_valid, wrow_ready, wrow_flag;
  logic [8*T-1:0] wrow_data;
  logic [11:0] write_row;
  logic [TagW-1:0] write_tag, row_tag, span_tag;
  logic row_flag;
  logic wbusy, rbusy, whazard, rhazard;
  logic from_sp;
  logic unused_first, unused_bits;
  assign unused_bits = ^{word[63:62], word[41:18], sp_data_i[7:1], write_tag[16:1], row_tag[0]};

  // The write lane listens to the channel that its instruction names.
  assign from_sp = write_tag[0];
  assign wrow_valid = from_sp ? sp_valid_i : dma_valid_i;
  assign wrow_data = from_sp ? sp_data_i[8 +: 8*T] : dma_data_i;
  assign wrow_flag = from_sp ? sp_data_i[0] : 1'b1;
  assign dma_ready_o = wrow_ready && !from_sp;
  assign sp_ready_o = wrow_ready && from_sp;
  assign span_tag = {ctl_pc_i, is_vld};

  tpu_rowfile #(
      .Width(8 * T),
      .Depth(Nvr),
      .TagW(TagW)
  ) u_rows (
      .clk_i,
      .rst_ni,
      .clear_i(start_i),
      .wspan_valid_i(ctl_valid_i && headers_q && !is_mm),
      .wspan_ready_o(wspan_ready),
      .wspan_row_i(is_vld ? word[tpu_isa_pkg::F0_LO +: 12] : word[tpu_isa_pkg::F3_LO +: 12]),
      .wspan_count_i(nr),
      .wspan_tag_i(span_tag),
      .wrow_valid_i(wrow_valid),
      .wrow_ready_o(wrow_ready),
      .wrow_data_i(wrow_data),
      .wrow_flag_i(wrow_flag),
      .wrow_row_o(write_row),
      .wrow_tag_o(write_tag),
      .rspan_valid_i(ctl_valid_i && headers_q && is_mm),
      .rspan_ready_o(rspan_ready),
      .rspan_row_i(word[tpu_isa_pkg::F0_LO +: 12]),
      .rspan_count_i(nr),
      .rspan_tag_i(span_tag),
      .rrow_valid_o(acol_valid_o),
      .rrow_ready_i(acol_ready_i),
      .rrow_data_o(acol_data_o),
      .rrow_flag_o(row_flag),
      .rrow_first_o(unused_first),
      .rrow_tag_o(row_tag),
      .wbusy_o(wbusy),
      .rbusy_o(rbusy),
      .whazard_o(whazard),
      .rhazard_o(rhazard)
  );

  assign probe_valid_o = wrow_valid && wrow_ready;
  assign probe_o = {wrow_data, 7'd0, wrow_flag, 4'd0, write_row};
  assign fault_valid_o = acol_valid_o && acol_ready_i && !row_flag;
  assign fault_pc_o = row_tag[16:1];
  // A count above COUNT_MAX stops counting, and no header may promise it.
  assign header_bad_o = (promised_q != done_q) || done_q[15];
  assign idle_o = !wbusy && !rbusy;

  always_comb begin
    state_o = {5'(tpu_isa_pkg::STREAM_C_VRU), 2'd2};
    if (probe_valid_o || (acol_valid_o && acol_ready_i)) state_o = {5'd0, 2'd1};
    else if (acol_valid_o) state_o = {5'(tpu_isa_pkg::STREAM_ACOL), 2'd3};
    else if (whazard || rhazard) state_o = {5'd31, 2'd3};
    else if (wbusy)
      state_o = {from_sp ? 5'(tpu_isa_pkg::STREAM_SP2VR) : 5'(tpu_isa_pkg::STREAM_DMA2VR), 2'd2};
    else if (rbusy) state_o = {5'd0, 2'd1};
    else if (headers_q) state_o = {5'd0, 2'd0};
  end
endmodule : tpu_vru
