// SPDX-License-Identifier: Apache-2.0
//
// A control channel: the instruction word, which is the stream that the harness sees, and beside
// it the pc, which only the fault register needs.

module tpu_control #(
    parameter int Depth = 2
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        clear_i,

    input  logic        wr_valid_i,
    output logic        wr_ready_o,  // does not depend on wr_valid_i
    input  logic [63:0] wr_word_i,
    input  logic [15:0] wr_pc_i,

    output logic        rd_valid_o,
    input  logic        rd_ready_i,
    output logic [63:0] rd_word_o,
    output logic [15:0] rd_pc_o
);
  logic unused_ready, unused_valid;  // the two queues move together

  tpu_fifo #(
      .Width(64),
      .Depth(Depth)
  ) u_words (
      .clk_i,
      .rst_ni,
      .clear_i,
      .wr_valid_i,
      .wr_ready_o,
      .wr_data_i(wr_word_i),
      .rd_valid_o,
      .rd_ready_i,
      .rd_data_o(rd_word_o)
  );

  tpu_fifo #(
      .Width(16),
      .Depth(Depth)
  ) u_pcs (
      .clk_i,
      .rst_ni,
      .clear_i,
      .wr_valid_i,
      .wr_ready_o(unused_ready),
      .wr_data_i(wr_pc_i),
      .rd_valid_o(unused_valid),
      .rd_ready_i,
      .rd_data_o(rd_pc_o)
  );
endmodule : tpu_control
