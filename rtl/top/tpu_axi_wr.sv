// SPDX-License-Identifier: Apache-2.0
//
// AXI4 write manager: one single 64-byte write with id 0 a request. Address and data go out in the
// same cycle and the bus may take them in different ones; a request ends when both are taken. It
// adds no cycle, and its two flags are all the state a beat a cycle needs.

module tpu_axi_wr (
  input  logic         clk_i,
  input  logic         rst_ni,

  // Base of C, 64-byte aligned. Stable during a run.
  input  logic [63:0]  base_i,

  // Request: a byte offset in C, multiple of 64. Ready does not depend on valid.
  input  logic         req_valid_i,
  output logic         req_ready_o,
  input  logic [31:0]  req_addr_i,
  input  logic [511:0] req_data_i,
  input  logic [63:0]  req_strb_i,

  // Response: one a request, always taken.
  output logic         rsp_valid_o,
  output logic         rsp_error_o,

  // No response is owed by the bus.
  output logic         idle_o,

  // AXI4 write channels.
  output logic         m_axi_awvalid_o,
  input  logic         m_axi_awready_i,
  output logic         m_axi_awid_o,
  output logic [63:0]  m_axi_awaddr_o,
  output logic [7:0]   m_axi_awlen_o,
  output logic [2:0]   m_axi_awsize_o,
  output logic [1:0]   m_axi_awburst_o,
  output logic [3:0]   m_axi_awcache_o,
  output logic [2:0]   m_axi_awprot_o,
  output logic         m_axi_wvalid_o,
  input  logic         m_axi_wready_i,
  output logic [511:0] m_axi_wdata_o,
  output logic [63:0]  m_axi_wstrb_o,
  output logic         m_axi_wlast_o,
  input  logic         m_axi_bvalid_i,
  output logic         m_axi_bready_o,
  input  logic         m_axi_bid_i,
  input  logic [1:0]   m_axi_bresp_i
);

  logic        aw_sent_d, aw_sent_q;  // the bus has this request's address already
  logic        w_sent_d, w_sent_q;    // and its data
  logic        aw_done, w_done, req_taken;
  logic [15:0] owed_d, owed_q;

  assign m_axi_awvalid_o = req_valid_i & ~aw_sent_q;
  assign m_axi_awid_o    = 1'b0;
  assign m_axi_awaddr_o  = base_i + {32'd0, req_addr_i};
  assign m_axi_awlen_o   = 8'd0;     // one beat
  assign m_axi_awsize_o  = 3'd6;     // 64 bytes
  assign m_axi_awburst_o = 2'b01;    // INCR
  assign m_axi_awcache_o = 4'b0011;  // normal, not cached, bufferable
  assign m_axi_awprot_o  = 3'b000;

  assign m_axi_wvalid_o = req_valid_i & ~w_sent_q;
  assign m_axi_wdata_o  = req_data_i;
  assign m_axi_wstrb_o  = req_strb_i;
  assign m_axi_wlast_o  = 1'b1;

  assign aw_done     = aw_sent_q | m_axi_awready_i;
  assign w_done      = w_sent_q | m_axi_wready_i;
  assign req_ready_o = aw_done & w_done;
  assign req_taken   = req_valid_i & req_ready_o;

  // A half that went ahead is remembered until the other half has gone too.
  assign aw_sent_d = req_valid_i & aw_done & ~w_done;
  assign w_sent_d  = req_valid_i & w_done & ~aw_done;

  assign m_axi_bready_o = 1'b1;
  assign rsp_valid_o    = m_axi_bvalid_i;
  assign rsp_error_o    = (m_axi_bresp_i != 2'b00) | m_axi_bid_i;

  assign owed_d = owed_q + {15'd0, req_taken} - {15'd0, m_axi_bvalid_i};
  assign idle_o = owed_q == 16'd0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      aw_sent_q <= 1'b0;
      w_sent_q  <= 1'b0;
      owed_q    <= 16'd0;
    end else begin
      aw_sent_q <= aw_sent_d;
      w_sent_q  <= w_sent_d;
      owed_q    <= owed_d;
    end
  end

endmodule : tpu_axi_wr
