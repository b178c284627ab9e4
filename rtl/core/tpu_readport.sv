// SPDX-License-Identifier: Apache-2.0
//
// Shares the memory read port between program fetch, which goes first, and operand loads. Who
// asked is kept in order, so that the responses find their way back; a request that stands keeps
// the port until it is taken.

module tpu_readport #(
    parameter int InFlight = 192  // requests without a response, both together
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        clear_i,

    input  logic        fetch_valid_i,
    output logic        fetch_ready_o,
    input  logic [31:0] fetch_addr_i,      // byte offset in the program, a multiple of 64
    output logic        fetch_rsp_valid_o, // always taken

    input  logic        load_valid_i,
    output logic        load_ready_o,
    input  logic        load_b_i,          // 0: operand A, 1: operand B
    input  logic [31:0] load_addr_i,       // byte offset in the operand, a multiple of 64
    output logic        load_rsp_valid_o,
    input  logic        load_rsp_ready_i,

    output logic        req_valid_o,
    input  logic        req_ready_i,
    output logic [1:0]  req_region_o,      // 0 program, 1 A, 2 B
    output logic [31:0] req_addr_o,
    input  logic        rsp_valid_i,
    output logic        rsp_ready_o,       // depends on load_rsp_ready_i, not on rsp_valid_i

    output logic        moved_o,           // a request or a response passed
    output logic        idle_o             // no request stands, no response is owed
);
  logic pick_load, held_q, held_d, held_load_q;
  logic room, owed, owed_load;
  logic req_fire, rsp_fire;

  assign pick_load = held_q ? held_load_q : !fetch_valid_i;
  assign req_valid_o = room && (pick_load ? load_valid_i : fetch_valid_i);
  assign req_region_o = pick_load ? (load_b_i ? 2'd2 : 2'd1) : 2'd0;
  assign req_addr_o = pick_load ? load_addr_i : fetch_addr_i;
  assign req_fire = req_valid_o && req_ready_i;
  assign fetch_ready_o = !pick_load && room && req_ready_i;
  assign load_ready_o = pick_load && room && req_ready_i;
  assign held_d = req_valid_o && !req_ready_i;

  assign rsp_ready_o = owed && (!owed_load || load_rsp_ready_i);
  assign rsp_fire = rsp_valid_i && rsp_ready_o;
  assign fetch_rsp_valid_o = rsp_fire && !owed_load;
  assign load_rsp_valid_o = rsp_valid_i && owed && owed_load;

  assign moved_o = req_fire || rsp_fire;
  assign idle_o = !owed && !held_q;

  tpu_fifo #(
      .Width(1),
      .Depth(InFlight)
  ) u_owners (
      .clk_i,
      .rst_ni,
      .clear_i,
      .wr_valid_i(req_fire),
      .wr_ready_o(room),
      .wr_data_i(pick_load),
      .rd_valid_o(owed),
      .rd_ready_i(rsp_fire),
      .rd_data_o(owed_load)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      held_q <= 1'b0;
      held_load_q <= 1'b0;
    end else begin
      held_q <= held_d;
      held_load_q <= pick_load;
    end
  end
endmodule : tpu_readport
