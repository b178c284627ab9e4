// SPDX-License-Identifier: Apache-2.0
//
// The scratchpad: takes dma_ld rows in, copies rows to the vector registers (vld) and feeds the
// array's weight port (mm: a header row with the number of activation rows, then T weight rows).
// Before the first instruction it sends the array the counts of header word 4.
// Implements spec/isa_spec.json, unit spm.

module tpu_spm #(
    parameter int T = 4,
    parameter int SpadRows = 1024
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             start_i,

    input  logic             ctl_valid_i,
    output logic             ctl_ready_o,   // depends on ctl_data_i, not on ctl_valid_i
    input  logic [63:0]      ctl_data_i,    // the instruction word
    input  logic [15:0]      ctl_pc_i,

    input  logic             dma_valid_i,   // dma2sp
    output logic             dma_ready_o,
    input  logic [8*T-1:0]   dma_data_i,
    output logic             vr_valid_o,    // sp2vr: {data, written}
    input  logic             vr_ready_i,
    output logic [8*T+7:0]   vr_data_o,
    output logic             wcol_valid_o,
    input  logic             wcol_ready_i,
    output logic [8*T-1:0]   wcol_data_o,

    output logic             probe_valid_o,  // a row is written: {data, row}
    output logic [8*T+15:0]  probe_o,

    output logic             fault_valid_o,  // one cycle: mm read weights that nothing wrote
    output logic [15:0]      fault_pc_o,
    output logic             header_bad_o,
    output logic             idle_o,
    output logic [6:0]       state_o
);
  localparam int TagW = 25;  // {pc, rows of the mm, is mm}

  // ---------------------------------------------------------------- header and decode
  logic [1:0] headers_q, headers_d;
  logic [15:0] promised_q, promised_d, done_q, done_d;
  logic [63:0] word;
  logic [5:0] op;
  logic [7:0] nr;
  logic is_ld, is_mm;
  logic wspan_ready, rspan_ready;
  logic counts_valid;  // header word 4 waits to go down wcol

  assign word = ctl_data_i;
  assign op = word[tpu_isa_pkg::OP_LO +: 6];
  assign nr = word[tpu_isa_pkg::NR_LO +: 8];
  assign is_ld = op == tpu_isa_pkg::OP_DMA_LD;
  assign is_mm = op == tpu_isa_pkg::OP_MM;
  assign counts_valid = ctl_valid_i && (headers_q == 2'd1);

  always_comb begin
    case (headers_q)
      2'd0: ctl_ready_o = 1'b1;
      2'd1: ctl_ready_o = wcol_ready_i;
      default: ctl_ready_o = is_ld ? wspan_ready : rspan_ready;
    endcase
  end

  always_comb begin
    headers_d = headers_q;
    promised_d = promised_q;
    done_d = done_q;
    if (ctl_valid_i && ctl_ready_o) begin
      if (headers_q == 2'd0) promised_d = word[15:0];
      if (headers_q != 2'd2) headers_d = headers_q + 2'd1;
      else if (!done_q[15]) done_d = done_q + {8'd0, nr};
    end
    if (start_i) begin
      headers_d = '0;
      promised_d = '0;
      done_d = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      headers_q <= '0;
      promised_q <= '0;
      done_q <= '0;
    end else begin
      headers_q <= headers_d;
      promised_q <= promised_d;
      done_q <= done_d;
    end
  end

  // ---------------------------------------------------------------- the rows
  logic row_valid, row_ready, row_flag, row_first;
  logic [8*T-1:0] row_data;
  logic [TagW-1:0] row_tag, span_tag;
  logic [11:0] write_row;
  logic wbusy, rbusy, whazard, rhazard;
  logic [TagW-1:0] unused_write_tag;
  logic unused_bits;
  assign unused_bits = ^{word[63:62], word[41:32]};

  assign span_tag = {ctl_pc_i, word[tpu_isa_pkg::F1_LO +: 8], is_mm};

  tpu_rowfile #(
      .Width(8 * T),
      .Depth(SpadRows),
      .TagW(TagW)
  ) u_rows (
      .clk_i,
      .rst_ni,
      .clear_i(start_i),
      .wspan_valid_i(ctl_valid_i && (headers_q == 2'd2) && is_ld),
      .wspan_ready_o(wspan_ready),
      .wspan_row_i(word[tpu_isa_pkg::F3_LO +: 12]),
      .wspan_count_i(nr),
      .wspan_tag_i(span_tag),
      .wrow_valid_i(dma_valid_i),
      .wrow_ready_o(dma_ready_o),
      .wrow_data_i(dma_data_i),
      .wrow_flag_i(1'b1),
      .wrow_row_o(write_row),
      .wrow_tag_o(unused_write_tag),
      .rspan_valid_i(ctl_valid_i && (headers_q == 2'd2) && !is_ld),
      .rspan_ready_o(rspan_ready),
      .rspan_row_i(is_mm ? word[tpu_isa_pkg::F3_LO +: 12] : word[tpu_isa_pkg::F1_LO +: 12]),
      .rspan_count_i(is_mm ? nr - 8'd1 : nr),  // the header row is not in the scratchpad
      .rspan_tag_i(span_tag),
      .rrow_valid_o(row_valid),
      .rrow_ready_i(row_ready),
      .rrow_data_o(row_data),
      .rrow_flag_o(row_flag),
      .rrow_first_o(row_first),
      .rrow_tag_o(row_tag),
      .wbusy_o(wbusy),
      .rbusy_o(rbusy),
      .whazard_o(whazard),
      .rhazard_o(rhazard)
  );

  // ---------------------------------------------------------------- outputs
  // The first weight row of an mm waits one transfer for the header row before it.
  logic header_sent_q, header_sent_d;
  logic row_mm, row_header, wcol_fire;

  assign row_mm = row_tag[0];
  assign row_header = row_mm && row_first && !header_sent_q;
  assign row_ready = row_mm ? (wcol_ready_i && !row_header) : vr_ready_i;
  assign wcol_valid_o = counts_valid || (row_valid && row_mm);
  assign wcol_fire = wcol_valid_o && wcol_ready_i;
  assign vr_valid_o = row_valid && !row_mm;
  assign vr_data_o = {row_data, 7'd0, row_flag};
  assign header_sent_d = !start_i &&
      ((header_sent_q && !(row_valid && row_ready)) || (row_valid && row_header && wcol_ready_i));

  always_comb begin
    wcol_data_o = row_data;
    if (row_header) wcol_data_o = (8*T)'(row_tag[8:1]);
    if (!row_valid) wcol_data_o = (8*T)'(word[31:0]);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) header_sent_q <= 1'b0;
    else header_sent_q <= header_sent_d;
  end

  assign probe_valid_o = dma_valid_i && dma_ready_o;
  assign probe_o = {dma_data_i, 4'd0, write_row};
  assign fault_valid_o = row_valid && row_ready && row_mm && !row_flag;
  assign fault_pc_o = row_tag[24:9];
  // A count above COUNT_MAX stops counting, and no header may promise it.
  assign header_bad_o = (promised_q != done_q) || done_q[15];
  assign idle_o = !wbusy && !rbusy;

  always_comb begin
    state_o = {5'(tpu_isa_pkg::STREAM_C_SPM), 2'd2};
    if (probe_valid_o || wcol_fire || (vr_valid_o && vr_ready_i)) state_o = {5'd0, 2'd1};
    else if (row_valid && row_mm) state_o = {5'(tpu_isa_pkg::STREAM_WCOL), 2'd3};
    else if (row_valid) state_o = {5'(tpu_isa_pkg::STREAM_SP2VR), 2'd3};
    else if (whazard || rhazard) state_o = {5'd31, 2'd3};
    else if (wbusy) state_o = {5'(tpu_isa_pkg::STREAM_DMA2SP), 2'd2};
    else if (rbusy) state_o = {5'd0, 2'd1};
    else if (headers_q == 2'd2) state_o = {5'd0, 2'd0};
  end
endmodule : tpu_spm
