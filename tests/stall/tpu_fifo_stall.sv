// SPDX-License-Identifier: Apache-2.0
//
// Verification only: a tpu_fifo that holds back its writer and its reader, each by a pattern of its
// own. It keeps every promise of tpu_fifo: ready does not depend on valid, room once seen stays
// until something is pushed, and what a reader has seen stays until it is taken. `holds` says
// whether anything is in it, also while it does not show it.

module tpu_fifo_stall #(
    parameter int Width = 8,
    parameter int Depth = 2
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             clear_i,

    input  logic             wr_valid_i,
    output logic             wr_ready_o,
    input  logic [Width-1:0] wr_data_i,

    output logic             rd_valid_o,
    input  logic             rd_ready_i,
    output logic [Width-1:0] rd_data_o
);
  logic holds, room, show, shown_q, wr_stall, rd_stall, wr_hold_q;

  logic [7:0] wr_byte, rd_byte;
  assign wr_byte = 8'(wr_data_i);
  assign rd_byte = ~8'(rd_data_o);

  tpu_stall u_wr (
      .clk_i,
      .start_i(clear_i),
      .wait_i(wr_valid_i),
      .pass_i(wr_valid_i && wr_ready_o),
      .data_i(wr_byte),
      .hold_o(wr_stall)
  );

  tpu_stall u_rd (
      .clk_i,
      .start_i(clear_i),
      .wait_i(rd_ready_i),
      .pass_i(rd_valid_o && rd_ready_i),
      .data_i(rd_byte),
      .hold_o(rd_stall)
  );

  // Shut only right behind a push: an instruction needs room in several channels in one cycle, and
  // a writer that waits at the queue inside keeps waiting there.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) wr_hold_q <= 1'b0;
    else wr_hold_q <= wr_stall && (wr_hold_q || (wr_valid_i && wr_ready_o));
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) shown_q <= 1'b0;
    else shown_q <= rd_valid_o && !rd_ready_i && !clear_i;
  end

  assign show = shown_q || !rd_stall;
  assign rd_valid_o = holds && show;
  assign wr_ready_o = room && !wr_hold_q;

  tpu_fifo #(
      .Width(Width),
      .Depth(Depth)
  ) u_fifo (
      .clk_i,
      .rst_ni,
      .clear_i,
      .wr_valid_i(wr_valid_i && !wr_hold_q),
      .wr_ready_o(room),
      .wr_data_i,
      .rd_valid_o(holds),
      .rd_ready_i(rd_ready_i && show),
      .rd_data_o
  );
endmodule : tpu_fifo_stall
