// SPDX-License-Identifier: Apache-2.0
//
// Operand loads: turns a dma_ld into beat requests, one a cycle, and cuts each packed word of T
// bytes out of the 64-byte beats as they come back. A beat stays at the port until the last word
// that lies in it is cut, so beats are not stored here; rows that share a beat share its read.
// Implements spec/isa_spec.json#opcodes[dma_ld], unit dma_ld.
//
//   c_dld --> span (row, left) --> request --> memory
//                  |                              |
//                  +--> piece queue (what to cut) +--> cut --> dma2sp | dma2vr

module tpu_dma_ld #(
    parameter int T = 4,
    parameter int Maxdim = 64,
    parameter int Pieces = 128  // words and beats in flight: hides a read latency of about this
) (
    input  logic           clk_i,
    input  logic           rst_ni,
    input  logic           start_i,

    input  logic           ctl_valid_i,
    output logic           ctl_ready_o,   // depends on req_ready_i, not on ctl_valid_i
    input  logic [63:0]    ctl_data_i,    // the instruction word
    input  logic [15:0]    ctl_pc_i,

    // Memory read port. `rsp_ready` depends on the outputs' ready, not on rsp_valid.
    output logic           req_valid_o,
    input  logic           req_ready_i,
    output logic           req_b_o,       // 0: operand A, 1: operand B
    output logic [31:0]    req_addr_o,    // byte offset in the operand, a multiple of 64
    input  logic           rsp_valid_i,
    output logic           rsp_ready_o,
    input  logic [511:0]   rsp_data_i,
    input  logic           rsp_error_i,

    output logic           sp_valid_o,
    input  logic           sp_ready_i,
    output logic [8*T-1:0] sp_data_o,
    output logic           vr_valid_o,
    input  logic           vr_ready_i,
    output logic [8*T-1:0] vr_data_o,

    output logic           fault_valid_o,  // one cycle: the memory answered with an error
    output logic [15:0]    fault_pc_o,
    output logic           header_bad_o,   // the header's counts differ from the work seen so far
    output logic           idle_o,
    output logic [6:0]     state_o
);
  // A word lies in one beat when T divides 64; otherwise it may take several pieces.
  localparam bit Whole = (64 % T) == 0;
  localparam int SegW = 6;
  localparam logic [5:0] AlignMask = Whole ? 6'(64 - T) : 6'h3F;

  // ---------------------------------------------------------------- header and instruction
  logic [1:0] headers_q, headers_d;      // header words taken
  logic [15:0] promised_q, promised_d;   // rows the header promises
  logic [15:0] done_q, done_d;           // rows instructed; stops once above COUNT_MAX
  logic [31:0] spans_q, spans_d;         // promised {b_span, a_span}
  logic [15:0] a_end_q, a_end_d, b_end_q, b_end_d;
  logic [7:0] left_q, left_d;            // rows not yet asked for, the current one included
  logic [31:0] addr_q, addr_d;           // byte offset of the current row's word
  logic [SegW-1:0] seg_q, seg_d;         // piece of the current word
  logic to_vr_q, to_vr_d, from_b_q, from_b_d;
  logic [15:0] pc_q, pc_d;

  logic [63:0] word;
  logic [11:0] ld_mode, ld_row, ld_col;
  logic [7:0] ld_rows;
  logic [15:0] ld_end;
  logic take, load;
  logic piece_fire, word_last, row_last;

  assign word = ctl_data_i;
  assign ld_mode = word[tpu_isa_pkg::F0_LO +: 12];
  assign ld_row = word[tpu_isa_pkg::F1_LO +: 12];
  assign ld_col = word[tpu_isa_pkg::F2_LO +: 12];
  assign ld_rows = word[tpu_isa_pkg::NR_LO +: 8];
  assign ld_end = {4'd0, ld_row} + {8'd0, ld_rows};
  assign ctl_ready_o = (headers_q != 2'd2) || (left_q == '0) || row_last;
  assign take = ctl_valid_i && ctl_ready_o;
  assign load = take && (headers_q == 2'd2);

  // ---------------------------------------------------------------- requests
  // One piece = the part of one word that lies in one beat. The piece that is the last to need its
  // beat releases it; a beat is asked for by the first piece that needs it. Room in the queue once
  // seen stays until the piece is pushed, so a request that stands is never withdrawn.
  logic [31:0] piece_addr, next_addr;
  logic need_beat_q, need_beat_d;  // the current piece's beat has not been asked for
  logic shares;                    // the next row's word begins in this piece's beat
  logic queue_ready;
  logic [24+SegW-1:0] piece_in, piece_out;

  assign piece_addr = addr_q + {20'd0, seg_q, 6'd0};
  assign next_addr = addr_q + 32'(Maxdim);
  assign word_last = Whole ||
      (({26'd0, addr_q[5:0]} + 32'(T)) <= ({20'd0, seg_q, 6'd0} + 32'd64));
  assign shares = word_last && (left_q != 8'd1) && (next_addr[31:6] == piece_addr[31:6]);
  assign piece_in = {pc_q, to_vr_q, word_last, seg_q, addr_q[5:0] & AlignMask};

  assign req_valid_o = (left_q != '0) && need_beat_q && queue_ready;
  assign req_b_o = from_b_q;
  assign req_addr_o = {piece_addr[31:6], 6'd0};
  assign piece_fire = (left_q != '0) && queue_ready && (!need_beat_q || req_ready_i);
  assign row_last = piece_fire && word_last && (left_q == 8'd1);

  always_comb begin
    headers_d = headers_q;
    promised_d = promised_q;
    spans_d = spans_q;
    done_d = done_q;
    a_end_d = a_end_q;
    b_end_d = b_end_q;
    left_d = left_q;
    addr_d = addr_q;
    seg_d = seg_q;
    to_vr_d = to_vr_q;
    from_b_d = from_b_q;
    pc_d = pc_q;
    need_beat_d = need_beat_q;
    if (take && (headers_q == 2'd0)) promised_d = word[15:0];
    if (take && (headers_q == 2'd1)) spans_d = word[31:0];
    if (take && (headers_q != 2'd2)) headers_d = headers_q + 2'd1;
    if (piece_fire) begin
      need_beat_d = !shares;
      seg_d = seg_q + 1'b1;
      if (word_last) begin
        seg_d = '0;
        left_d = left_q - 8'd1;
        addr_d = next_addr;
      end
    end
    if (load) begin
      left_d = ld_rows;
      addr_d = 32'(ld_row) * 32'(Maxdim) + 32'(ld_col) * 32'(T);
      seg_d = '0;
      to_vr_d = ld_mode[1];
      from_b_d = ld_mode[0];
      pc_d = ctl_pc_i;
      need_beat_d = 1'b1;
      if (!done_q[15]) done_d = done_q + {8'd0, ld_rows};
      if (!ld_mode[0] && (ld_end > a_end_q)) a_end_d = ld_end;
      if (ld_mode[0] && (ld_end > b_end_q)) b_end_d = ld_end;
    end
    if (start_i) begin
      headers_d = '0;
      promised_d = '0;
      spans_d = '0;
      done_d = '0;
      a_end_d = '0;
      b_end_d = '0;
      left_d = '0;
    end
  end

  // ---------------------------------------------------------------- pieces in flight
  logic piece_valid, cut_fire, cut_release;
  tpu_fifo #(
      .Width(25 + SegW),
      .Depth(Pieces)
  ) u_pieces (
      .clk_i,
      .rst_ni,
      .clear_i(start_i),
      .wr_valid_i(piece_fire),
      .wr_ready_o(queue_ready),
      .wr_data_i({!shares, piece_in}),
      .rd_valid_o(piece_valid),
      .rd_ready_i(cut_fire),
      .rd_data_o({cut_release, piece_out})
  );

  // ---------------------------------------------------------------- cut
  logic cut_vr, cut_last;
  logic [SegW-1:0] cut_seg;
  logic [5:0] cut_off;
  logic [15:0] cut_pc;
  logic [8*T-1:0] cut_bytes, kept_q, kept_d, cut_word;
  logic out_ready;

  assign {cut_pc, cut_vr, cut_last, cut_seg, cut_off} = piece_out;
  assign out_ready = !cut_last || (cut_vr ? vr_ready_i : sp_ready_i);
  assign cut_fire = piece_valid && rsp_valid_i && out_ready;
  assign rsp_ready_o = piece_valid && cut_release && out_ready;

  if (Whole) begin : gen_whole
    assign cut_bytes = rsp_data_i[{cut_off & AlignMask, 3'd0} +: 8*T];
    assign kept_d = kept_q;
    assign cut_word = cut_bytes;
  end else begin : gen_pieces
    // Byte k of the word is byte (off + k) of the stretch of beats that begins with its first one.
    for (genvar k = 0; k < T; k++) begin : gen_byte
      logic [31:0] at;
      assign at = {26'd0, cut_off} + 32'(k);
      assign cut_bytes[8*k +: 8] = (at[31:6] == {20'd0, cut_seg})
          ? rsp_data_i[{at[5:0], 3'd0} +: 8] : 8'd0;
    end
    assign cut_word = cut_bytes | ((cut_seg == '0) ? '0 : kept_q);
    assign kept_d = cut_fire ? cut_word : kept_q;
  end

  logic unused_bits;
  assign unused_bits = ^{word[63:62], word[53:42], ld_mode[11:2], piece_addr[5:0], cut_seg,
                         cut_off};

  assign sp_valid_o = piece_valid && rsp_valid_i && cut_last && !cut_vr;
  assign vr_valid_o = piece_valid && rsp_valid_i && cut_last && cut_vr;
  assign sp_data_o = cut_word;
  assign vr_data_o = cut_word;

  assign fault_valid_o = cut_fire && rsp_error_i;
  assign fault_pc_o = cut_pc;
  assign header_bad_o = (promised_q != done_q) || done_q[15] || (spans_q[15:0] != a_end_q) ||
      (spans_q[31:16] != b_end_q);
  assign idle_o = (left_q == '0) && !piece_valid;

  always_comb begin
    state_o = {5'(tpu_isa_pkg::STREAM_C_DLD), 2'd2};
    if (cut_fire || piece_fire) state_o = {5'd0, 2'd1};
    else if (piece_valid && rsp_valid_i)
      state_o = {cut_vr ? 5'(tpu_isa_pkg::STREAM_DMA2VR) : 5'(tpu_isa_pkg::STREAM_DMA2SP), 2'd3};
    else if (piece_valid || (left_q != '0)) state_o = {5'd30, 2'd2};
    else if (headers_q == 2'd2) state_o = {5'd0, 2'd0};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      headers_q <= '0;
      promised_q <= '0;
      spans_q <= '0;
      done_q <= '0;
      a_end_q <= '0;
      b_end_q <= '0;
      left_q <= '0;
      addr_q <= '0;
      seg_q <= '0;
      to_vr_q <= 1'b0;
      from_b_q <= 1'b0;
      pc_q <= '0;
      need_beat_q <= 1'b0;
      kept_q <= '0;
    end else begin
      headers_q <= headers_d;
      promised_q <= promised_d;
      spans_q <= spans_d;
      done_q <= done_d;
      a_end_q <= a_end_d;
      b_end_q <= b_end_d;
      left_q <= left_d;
      addr_q <= addr_d;
      seg_q <= seg_d;
      to_vr_q <= to_vr_d;
      from_b_q <= from_b_d;
      pc_q <= pc_d;
      need_beat_q <= need_beat_d;
      kept_q <= kept_d;
    end
  end
endmodule : tpu_dma_ld
