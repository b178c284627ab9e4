// SPDX-License-Identifier: Apache-2.0
//
// tpu_top as engines simulate it. Pins that are driven from outside pass a register, so that they
// change with the clock edge and all logic settles once a cycle; seen from the machine nothing is
// later, because the driver gives the pins of a cycle at the edge that begins it. Pins that a
// driver never moves are tied. What the probe shows lies here for the simulator's side door: as
// ports it would pass the SystemC kernel signal by signal.

module tpu_engine #(
  parameter int T         = 4,
  parameter int Maxdim    = 64,
  parameter int SpadRows  = 1024,
  parameter int Nvr       = 1024,
  parameter int Nar       = 136,
  parameter int ImemSize  = 56,
  parameter int Qd        = 16,
  parameter int DmaWords  = 1
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  // Driven by the host and the memory: pins of the cycle that the next rising edge begins.
  input  logic         s_axil_awvalid_i,
  input  logic [11:0]  s_axil_awaddr_i,
  input  logic         s_axil_wvalid_i,
  input  logic [31:0]  s_axil_wdata_i,
  input  logic         s_axil_arvalid_i,
  input  logic [11:0]  s_axil_araddr_i,
  input  logic         m_axi_arready_i,
  input  logic         m_axi_rvalid_i,
  input  logic [511:0] m_axi_rdata_i,
  input  logic [1:0]   m_axi_rresp_i,
  input  logic         m_axi_awready_i,
  input  logic         m_axi_wready_i,
  input  logic         m_axi_bvalid_i,
  input  logic [1:0]   m_axi_bresp_i,

  // Driven by the machine: pins of the cycle that the last rising edge began.
  output logic         s_axil_awready_o,
  output logic         s_axil_wready_o,
  output logic         s_axil_bvalid_o,
  output logic [1:0]   s_axil_bresp_o,
  output logic         s_axil_arready_o,
  output logic         s_axil_rvalid_o,
  output logic [31:0]  s_axil_rdata_o,
  output logic [1:0]   s_axil_rresp_o,
  output logic         irq_o,
  output logic         m_axi_arvalid_o,
  output logic [63:0]  m_axi_araddr_o,
  output logic [7:0]   m_axi_arlen_o,
  output logic [2:0]   m_axi_arsize_o,
  output logic         m_axi_rready_o,
  output logic         m_axi_awvalid_o,
  output logic [63:0]  m_axi_awaddr_o,
  output logic [7:0]   m_axi_awlen_o,
  output logic [2:0]   m_axi_awsize_o,
  output logic         m_axi_wvalid_o,
  output logic [511:0] m_axi_wdata_o,
  output logic [63:0]  m_axi_wstrb_o,
  output logic         m_axi_wlast_o,
  output logic         m_axi_bready_o
);

  logic         s_axil_awvalid_q;
  logic [11:0]  s_axil_awaddr_q;
  logic         s_axil_wvalid_q;
  logic [31:0]  s_axil_wdata_q;
  logic         s_axil_arvalid_q;
  logic [11:0]  s_axil_araddr_q;
  logic         m_axi_arready_q;
  logic         m_axi_rvalid_q;
  logic [511:0] m_axi_rdata_q;
  logic [1:0]   m_axi_rresp_q;
  logic         m_axi_awready_q;
  logic         m_axi_wready_q;
  logic         m_axi_bvalid_q;
  logic [1:0]   m_axi_bresp_q;

  // The probe, read by the shims through the root of the simulated design.
  logic [tpu_isa_pkg::STREAM_COUNT-1:0] probe_fired /* verilator public_flat_rd */;
  logic [8*tpu_isa_pkg::UNIT_COUNT-1:0] probe_unit /* verilator public_flat_rd */;
  logic probe_done /* verilator public_flat_rd */;
  logic [127:0] probe_issue /* verilator public_flat_rd */;
  logic [63:0] probe_c_dld /* verilator public_flat_rd */;
  logic [63:0] probe_c_spm /* verilator public_flat_rd */;
  logic [63:0] probe_c_vru /* verilator public_flat_rd */;
  logic [63:0] probe_c_acc /* verilator public_flat_rd */;
  logic [63:0] probe_c_dst /* verilator public_flat_rd */;
  logic [8*T-1:0] probe_dma2sp /* verilator public_flat_rd */;
  logic [8*T-1:0] probe_dma2vr /* verilator public_flat_rd */;
  logic [8*(1+T)-1:0] probe_sp2vr /* verilator public_flat_rd */;
  logic [8*T-1:0] probe_wcol /* verilator public_flat_rd */;
  logic [8*T-1:0] probe_acol /* verilator public_flat_rd */;
  logic [32*T-1:0] probe_cw /* verilator public_flat_rd */;
  logic [8*T-1:0] probe_ac2sp /* verilator public_flat_rd */;
  logic [8*(2+T)-1:0] probe_spad_write /* verilator public_flat_rd */;
  logic [8*(3+T)-1:0] probe_vr_write /* verilator public_flat_rd */;
  logic [8*(2+4*T)-1:0] probe_ar_write_mm /* verilator public_flat_rd */;
  logic [8*(2+4*T)-1:0] probe_ar_write_alu /* verilator public_flat_rd */;
  logic [8*(4+T)-1:0] probe_c_write /* verilator public_flat_rd */;

  // Data pins need no reset: nothing looks at them before their valid.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      s_axil_awvalid_q <= 1'b0;
      s_axil_wvalid_q <= 1'b0;
      s_axil_arvalid_q <= 1'b0;
      m_axi_arready_q <= 1'b0;
      m_axi_rvalid_q <= 1'b0;
      m_axi_awready_q <= 1'b0;
      m_axi_wready_q <= 1'b0;
      m_axi_bvalid_q <= 1'b0;
    end else begin
      s_axil_awvalid_q <= s_axil_awvalid_i;
      s_axil_wvalid_q <= s_axil_wvalid_i;
      s_axil_arvalid_q <= s_axil_arvalid_i;
      m_axi_arready_q <= m_axi_arready_i;
      m_axi_rvalid_q <= m_axi_rvalid_i;
      m_axi_awready_q <= m_axi_awready_i;
      m_axi_wready_q <= m_axi_wready_i;
      m_axi_bvalid_q <= m_axi_bvalid_i;
    end
  end

  always_ff @(posedge clk_i) begin
    s_axil_awaddr_q <= s_axil_awaddr_i;
    s_axil_wdata_q <= s_axil_wdata_i;
    s_axil_araddr_q <= s_axil_araddr_i;
    if (m_axi_rvalid_i) m_axi_rdata_q <= m_axi_rdata_i;
    m_axi_rresp_q <= m_axi_rresp_i;
    m_axi_bresp_q <= m_axi_bresp_i;
  end

  tpu_top #(
    .T(T),
    .Maxdim(Maxdim),
    .SpadRows(SpadRows),
    .Nvr(Nvr),
    .Nar(Nar),
    .ImemSize(ImemSize),
    .Qd(Qd),
    .DmaWords(DmaWords)
  ) u_top (
    .clk_i, .rst_ni,
    .s_axil_awvalid_i(s_axil_awvalid_q),
    .s_axil_awaddr_i(s_axil_awaddr_q),
    .s_axil_wvalid_i(s_axil_wvalid_q),
    .s_axil_wdata_i(s_axil_wdata_q),
    .s_axil_arvalid_i(s_axil_arvalid_q),
    .s_axil_araddr_i(s_axil_araddr_q),
    .m_axi_arready_i(m_axi_arready_q),
    .m_axi_rvalid_i(m_axi_rvalid_q),
    .m_axi_rdata_i(m_axi_rdata_q),
    .m_axi_rresp_i(m_axi_rresp_q),
    .m_axi_awready_i(m_axi_awready_q),
    .m_axi_wready_i(m_axi_wready_q),
    .m_axi_bvalid_i(m_axi_bvalid_q),
    .m_axi_bresp_i(m_axi_bresp_q),
    .s_axil_wstrb_i(4'hF), .s_axil_bready_i(1'b1), .s_axil_rready_i(1'b1),
    .m_axi_rid_i(1'b0), .m_axi_rlast_i(1'b1), .m_axi_bid_i(1'b0),
    .s_axil_awready_o,
    .s_axil_wready_o,
    .s_axil_bvalid_o,
    .s_axil_bresp_o,
    .s_axil_arready_o,
    .s_axil_rvalid_o,
    .s_axil_rdata_o,
    .s_axil_rresp_o,
    .irq_o,
    .m_axi_arvalid_o,
    .m_axi_araddr_o,
    .m_axi_arlen_o,
    .m_axi_arsize_o,
    .m_axi_rready_o,
    .m_axi_awvalid_o,
    .m_axi_awaddr_o,
    .m_axi_awlen_o,
    .m_axi_awsize_o,
    .m_axi_wvalid_o,
    .m_axi_wdata_o,
    .m_axi_wstrb_o,
    .m_axi_wlast_o,
    .m_axi_bready_o,
    .m_axi_arid_o(), .m_axi_arburst_o(),
    .m_axi_arcache_o(), .m_axi_arprot_o(),
    .m_axi_awid_o(), .m_axi_awburst_o(), .m_axi_awcache_o(), .m_axi_awprot_o(),
    .probe_start_o(),
    .probe_done_o(probe_done),
    .probe_unit_o(probe_unit),
    .probe_fired_o(probe_fired),
    .probe_issue_o(probe_issue),
    .probe_c_dld_o(probe_c_dld),
    .probe_c_spm_o(probe_c_spm),
    .probe_c_vru_o(probe_c_vru),
    .probe_c_acc_o(probe_c_acc),
    .probe_c_dst_o(probe_c_dst),
    .probe_dma2sp_o(probe_dma2sp),
    .probe_dma2vr_o(probe_dma2vr),
    .probe_sp2vr_o(probe_sp2vr),
    .probe_wcol_o(probe_wcol),
    .probe_acol_o(probe_acol),
    .probe_cw_o(probe_cw),
    .probe_ac2sp_o(probe_ac2sp),
    .probe_spad_write_o(probe_spad_write),
    .probe_vr_write_o(probe_vr_write),
    .probe_ar_write_mm_o(probe_ar_write_mm),
    .probe_ar_write_alu_o(probe_ar_write_alu),
    .probe_c_write_o(probe_c_write)
  );

endmodule : tpu_engine
