// SPDX-License-Identifier: Apache-2.0
//
// AXI4 read manager: turns the core's neutral requests into single 64-byte reads with id 0, which
// the bus therefore answers in order. It adds no cycle in either direction and limits nothing: the
// core bounds how much is outstanding, because it always has room for what it asked for.

module tpu_axi_rd (
  input  logic         clk_i,
  input  logic         rst_ni,

  // Region bases, 64-byte aligned. Stable during a run.
  input  logic [63:0]  base_imem_i,
  input  logic [63:0]  base_a_i,
  input  logic [63:0]  base_b_i,

  // Request: a byte offset in a region, multiple of 64. Ready does not depend on valid.
  input  logic         req_valid_i,
  output logic         req_ready_o,
  input  logic [1:0]   req_region_i,
  input  logic [31:0]  req_addr_i,

  // Response: one beat a request, in order. Ready may depend on valid.
  output logic         rsp_valid_o,
  input  logic         rsp_ready_i,
  output logic [511:0] rsp_data_o,
  output logic         rsp_error_o,

  // No answer is owed by the bus.
  output logic         idle_o,

  // AXI4 read channels.
  output logic         m_axi_arvalid_o,
  input  logic         m_axi_arready_i,
  output logic         m_axi_arid_o,
  output logic [63:0]  m_axi_araddr_o,
  output logic [7:0]   m_axi_arlen_o,
  output logic [2:0]   m_axi_arsize_o,
  output logic [1:0]   m_axi_arburst_o,
  output logic [3:0]   m_axi_arcache_o,
  output logic [2:0]   m_axi_arprot_o,
  input  logic         m_axi_rvalid_i,
  output logic         m_axi_rready_o,
  input  logic         m_axi_rid_i,
  input  logic [511:0] m_axi_rdata_i,
  input  logic [1:0]   m_axi_rresp_i,
  input  logic         m_axi_rlast_i
);

  logic [63:0] base;
  logic [15:0] owed_d, owed_q;
  logic        ar_taken, r_taken;

  assign base = (req_region_i == 2'd1) ? base_a_i :
      ((req_region_i == 2'd2) ? base_b_i : base_imem_i);

  assign m_axi_arvalid_o = req_valid_i;
  assign req_ready_o     = m_axi_arready_i;
  assign m_axi_arid_o    = 1'b0;
  assign m_axi_araddr_o  = base + {32'd0, req_addr_i};
  assign m_axi_arlen_o   = 8'd0;     // one beat
  assign m_axi_arsize_o  = 3'd6;     // 64 bytes
  assign m_axi_arburst_o = 2'b01;    // INCR
  assign m_axi_arcache_o = 4'b0011;  // normal, not cached, bufferable
  assign m_axi_arprot_o  = 3'b000;

  // A beat with a foreign id or without `last` breaks the protocol: as bad as an error response.
  assign rsp_valid_o    = m_axi_rvalid_i;
  assign m_axi_rready_o = rsp_ready_i;
  assign rsp_data_o     = m_axi_rdata_i;
  assign rsp_error_o    = (m_axi_rresp_i != 2'b00) | m_axi_rid_i | ~m_axi_rlast_i;

  assign ar_taken = m_axi_arvalid_o & m_axi_arready_i;
  assign r_taken  = m_axi_rvalid_i & m_axi_rready_o;
  assign owed_d   = owed_q + {15'd0, ar_taken} - {15'd0, r_taken};
  assign idle_o   = owed_q == 16'd0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) owed_q <= 16'd0;
    else         owed_q <= owed_d;
  end

endmodule : tpu_axi_rd
