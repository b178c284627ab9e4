// SPDX-License-Identifier: Apache-2.0
//
// Memory macro: one write port, one read port, read data one cycle after the address and held
// until the next read. A read in the cycle of a write to the same row gives the old row. Not
// cleared by reset. Maps to block RAM.

module tpu_ram #(
    parameter int Width = 32,
    parameter int Depth = 64,
    parameter int AddrW = 6
) (
    input  logic             clk_i,

    input  logic             wr_en_i,
    input  logic [AddrW-1:0] wr_addr_i,  // row, 0 .. Depth-1
    input  logic [Width-1:0] wr_data_i,

    input  logic             rd_en_i,
    input  logic [AddrW-1:0] rd_addr_i,  // row, 0 .. Depth-1
    output logic [Width-1:0] rd_data_o   // the row of the last enabled read
);
  logic [Width-1:0] mem_q [Depth]  /* verilator public_flat_rd */;
  logic [Width-1:0] rd_data_q;

  always_ff @(posedge clk_i) begin
    if (wr_en_i) mem_q[wr_addr_i] <= wr_data_i;
  end

  always_ff @(posedge clk_i) begin
    if (rd_en_i) rd_data_q <= mem_q[rd_addr_i];
  end

  assign rd_data_o = rd_data_q;
endmodule : tpu_ram
