// SPDX-License-Identifier: Apache-2.0
//
// Attaches the checkers to the design. No module of the design knows of them.

bind tpu_fifo tpu_fifo_sva #(
  .Width(Width)
) u_sva (
  .clk_i(clk_i),
  .rst_ni(rst_ni),
  .clear_i(clear_i),
  .wr_valid_i(wr_valid_i),
  .wr_ready_i(wr_ready_o),
  .wr_data_i(wr_data_i)
);

bind tpu_top tpu_top_sva u_sva (
  .clk_i(clk_i),
  .rst_ni(rst_ni),
  .arvalid_i(m_axi_arvalid_o),
  .arready_i(m_axi_arready_i),
  .araddr_i(m_axi_araddr_o),
  .arlen_i(m_axi_arlen_o),
  .rvalid_i(m_axi_rvalid_i),
  .rready_i(m_axi_rready_o),
  .rd_idle_i(rd_idle),
  .awvalid_i(m_axi_awvalid_o),
  .awready_i(m_axi_awready_i),
  .awaddr_i(m_axi_awaddr_o),
  .wvalid_i(m_axi_wvalid_o),
  .wready_i(m_axi_wready_i),
  .wdata_i(m_axi_wdata_o),
  .wstrb_i(m_axi_wstrb_o),
  .bvalid_i(m_axi_bvalid_i),
  .wr_idle_i(wr_idle),
  .s_bvalid_i(s_axil_bvalid_o),
  .s_bready_i(s_axil_bready_i),
  .s_rvalid_i(s_axil_rvalid_o),
  .s_rready_i(s_axil_rready_i),
  .s_rdata_i(s_axil_rdata_o),
  .taken_i(probe_start_o),
  .done_i(probe_done_o),
  .fault_i(fault_code),
  .irq_i(irq_o),
  .fired_i(fired)
);
