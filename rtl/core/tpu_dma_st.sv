// SPDX-License-Identifier: Apache-2.0
//
// Result stores: writes the saturated rows of an mvout to C, T bytes a row with byte strobes, one
// 64-byte beat a cycle, and counts the responses. Implements spec/isa_spec.json, unit dma_st.

module tpu_dma_st #(
    parameter int T = 4,
    parameter int Maxdim = 64
) (
    input  logic            clk_i,
    input  logic            rst_ni,
    input  logic            start_i,

    input  logic            ctl_valid_i,
    output logic            ctl_ready_o,    // does not depend on ctl_valid_i
    input  logic [63:0]     ctl_data_i,     // the instruction word
    input  logic [15:0]     ctl_pc_i,

    input  logic            ac_valid_i,     // ac2sp
    output logic            ac_ready_o,     // depends on req_ready_i, not on ac_valid_i
    input  logic [8*T-1:0]  ac_data_i,

    // Memory write port; a response is always taken.
    output logic            req_valid_o,
    input  logic            req_ready_i,
    output logic [31:0]     req_addr_o,     // byte offset in C, a multiple of 64
    output logic [511:0]    req_data_o,
    output logic [63:0]     req_strb_o,
    input  logic            rsp_valid_i,
    input  logic            rsp_error_i,

    output logic            probe_valid_o,  // a row is written: {data, col_block, dram_row}
    output logic [8*T+31:0] probe_o,

    output logic            fault_valid_o,  // one cycle: the memory refused a write
    output logic [15:0]     fault_pc_o,
    output logic            header_bad_o,
    output logic            idle_o,
    output logic [6:0]      state_o
);
  localparam bit Whole = (64 % T) == 0;     // a row lies in one beat
  localparam int SegW = 6;
  localparam int ByteW = $clog2(T);         // T >= 4

  logic header_q, header_d;
  logic [15:0] promised_q, promised_d, done_q, done_d;
  logic [7:0] left_q, left_d;               // rows still to write
  logic [11:0] row_q, row_d, col_q, col_d;  // DRAM row, column block
  logic [31:0] addr_q, addr_d;              // byte offset of the row's first byte
  logic [SegW-1:0] seg_q, seg_d;            // beat of the current row
  logic [15:0] pc_q, pc_d;
  logic [15:0] pending_q, pending_d;        // writes without a response
  logic [63:0] word;
  logic [7:0] nr;
  logic load, req_fire, row_last, row_fire;

  assign word = ctl_data_i;
  assign nr = word[tpu_isa_pkg::NR_LO +: 8];
  assign ctl_ready_o = !header_q || (left_q == '0) || ((left_q == 8'd1) && row_fire);
  assign load = ctl_valid_i && ctl_ready_o && header_q;

  assign req_valid_o = (left_q != '0) && ac_valid_i;
  assign req_fire = req_valid_o && req_ready_i;
  assign row_last = Whole ||
      (({26'd0, addr_q[5:0]} + 32'(T)) <= ({20'd0, seg_q, 6'd0} + 32'd64));
  assign row_fire = req_fire && row_last;
  assign ac_ready_o = (left_q != '0) && req_ready_i && row_last;

  always_comb begin
    header_d = header_q || ctl_valid_i;
    promised_d = promised_q;
    done_d = done_q;
    left_d = left_q;
    row_d = row_q;
    col_d = col_q;
    addr_d = addr_q;
    seg_d = seg_q;
    pc_d = pc_q;
    pending_d = pending_q + 16'(req_fire) - 16'(rsp_valid_i);
    if (!header_q && ctl_valid_i) promised_d = word[15:0];
    if (req_fire) seg_d = seg_q + 1'b1;
    if (row_fire) begin
      seg_d = '0;
      left_d = left_q - 8'd1;
      row_d = row_q + 12'd1;
      addr_d = addr_q + 32'(Maxdim);
    end
    if (load) begin
      left_d = nr;
      row_d = word[tpu_isa_pkg::F1_LO +: 12];
      col_d = word[tpu_isa_pkg::F2_LO +: 12];
      addr_d = 32'(word[tpu_isa_pkg::F1_LO +: 12]) * 32'(Maxdim) +
          32'(word[tpu_isa_pkg::F2_LO +: 12]) * 32'(T);
      seg_d = '0;
      pc_d = ctl_pc_i;
      if (!done_q[15]) done_d = done_q + {8'd0, nr};
    end
    if (start_i) begin
      header_d = 1'b0;
      promised_d = '0;
      done_d = '0;
      left_d = '0;
      seg_d = '0;
    end
  end

  // Byte p of the beat is byte p - off of the row (64 more for every beat before it).
  logic [31:0] beat_addr;
  assign beat_addr = addr_q + {20'd0, seg_q, 6'd0};
  assign req_addr_o = {beat_addr[31:6], 6'd0};
  if (Whole) begin : gen_whole
    assign req_data_o = {(64 / T){ac_data_i}};
    assign req_strb_o = {{(64 - T){1'b0}}, {T{1'b1}}} << addr_q[5:0];
  end else begin : gen_pieces
    for (genvar p = 0; p < 64; p++) begin : gen_byte
      logic [31:0] at;
      assign at = {20'd0, seg_q, 6'd0} + 32'(p) - {26'd0, addr_q[5:0]};
      assign req_strb_o[p] = at < 32'(T);
      assign req_data_o[8*p +: 8] = req_strb_o[p] ? ac_data_i[{at[ByteW-1:0], 3'd0} +: 8] : 8'd0;
    end
  end

  logic unused_bits;
  assign unused_bits = ^{word[63:62], word[53:42], word[17:16], beat_addr[5:0]};

  assign probe_valid_o = row_fire;
  assign probe_o = {ac_data_i, 4'd0, col_q, 4'd0, row_q};
  assign fault_valid_o = rsp_valid_i && rsp_error_i;
  assign fault_pc_o = pc_q;
  // A count above COUNT_MAX stops counting, and no header may promise it.
  assign header_bad_o = (promised_q != done_q) || done_q[15];
  assign idle_o = (left_q == '0) && (pending_q == '0);

  always_comb begin
    state_o = {5'(tpu_isa_pkg::STREAM_C_DST), 2'd2};
    if (req_fire) state_o = {5'd0, 2'd1};
    else if (req_valid_o) state_o = {5'd30, 2'd3};
    else if (left_q != '0) state_o = {5'(tpu_isa_pkg::STREAM_AC2SP), 2'd2};
    else if (pending_q != '0) state_o = {5'd30, 2'd2};
    else if (header_q) state_o = {5'd0, 2'd0};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      header_q <= 1'b0;
      promised_q <= '0;
      done_q <= '0;
      left_q <= '0;
      row_q <= '0;
      col_q <= '0;
      addr_q <= '0;
      seg_q <= '0;
      pc_q <= '0;
      pending_q <= '0;
    end else begin
      header_q <= header_d;
      promised_q <= promised_d;
      done_q <= done_d;
      left_q <= left_d;
      row_q <= row_d;
      col_q <= col_d;
      addr_q <= addr_d;
      seg_q <= seg_d;
      pc_q <= pc_d;
      pending_q <= pending_d;
    end
  end
endmodule : tpu_dma_st
