// SPDX-License-Identifier: Apache-2.0
//
// The machine as a host sees it: the core behind an AXI4 manager for imem, A, B and C, AXI4-Lite
// registers and an interrupt. The probe ports show, in the cycle in which it happens, every row
// that a stream takes and what each unit does; nothing in the machine reads them.

module tpu_top #(
  parameter int T         = 4,     // lanes, and rows and columns of the array
  parameter int Maxdim    = 64,    // DRAM row stride in bytes
  parameter int SpadRows  = 1024,
  parameter int Nvr       = 1024,
  parameter int Nar       = 136,
  parameter int ImemSize  = 56,    // 64-bit words
  parameter int Qd        = 16,    // depth of every channel
  parameter int DmaWords  = 1
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  // AXI4-Lite registers.
  input  logic         s_axil_awvalid_i,
  output logic         s_axil_awready_o,
  input  logic [11:0]  s_axil_awaddr_i,
  input  logic         s_axil_wvalid_i,
  output logic         s_axil_wready_o,
  input  logic [31:0]  s_axil_wdata_i,
  input  logic [3:0]   s_axil_wstrb_i,
  output logic         s_axil_bvalid_o,
  input  logic         s_axil_bready_i,
  output logic [1:0]   s_axil_bresp_o,
  input  logic         s_axil_arvalid_i,
  output logic         s_axil_arready_o,
  input  logic [11:0]  s_axil_araddr_i,
  output logic         s_axil_rvalid_o,
  input  logic         s_axil_rready_i,
  output logic [31:0]  s_axil_rdata_o,
  output logic [1:0]   s_axil_rresp_o,

  output logic         irq_o,  // level, high while a run is done and not acknowledged

  // AXI4 manager: single 64-byte beats, id 0.
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
  input  logic         m_axi_rlast_i,
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
  input  logic [1:0]   m_axi_bresp_i,

  // Probe: the run and the units. Valid before the rising edge that ends the cycle.
  output logic         probe_start_o,  // cycle 0: the start command is taken
  output logic         probe_done_o,   // high from the end of a run to an acknowledge or a start
  output logic [8*tpu_isa_pkg::UNIT_COUNT-1:0] probe_unit_o,  // 8 bits a unit: wait, state

  // Probe: bit s says that stream s takes its row in this cycle; byte k of a row is [8k+:8].
  output logic [tpu_isa_pkg::STREAM_COUNT-1:0] probe_fired_o,
  output logic [127:0]            probe_issue_o,
  output logic [63:0]             probe_c_dld_o,
  output logic [63:0]             probe_c_spm_o,
  output logic [63:0]             probe_c_vru_o,
  output logic [63:0]             probe_c_acc_o,
  output logic [63:0]             probe_c_dst_o,
  output logic [8*T-1:0]          probe_dma2sp_o,
  output logic [8*T-1:0]          probe_dma2vr_o,
  output logic [8*(1+T)-1:0]      probe_sp2vr_o,
  output logic [8*T-1:0]          probe_wcol_o,
  output logic [8*T-1:0]          probe_acol_o,
  output logic [32*T-1:0]         probe_cw_o,
  output logic [8*T-1:0]          probe_ac2sp_o,
  output logic [8*(2+T)-1:0]      probe_spad_write_o,
  output logic [8*(3+T)-1:0]      probe_vr_write_o,
  output logic [8*(2+4*T)-1:0]    probe_ar_write_mm_o,
  output logic [8*(2+4*T)-1:0]    probe_ar_write_alu_o,
  output logic [8*(4+T)-1:0]      probe_c_write_o
);
  // The spec's ranges and cross constraints that the description relies on; tpucosim refuses the
  // same points with the spec's own reasons before anything is built. (Here, because Icarus reads
  // no $error outside procedures.)
  if ((T < 4) || (T > 254)) begin : gen_bad_t
    $error("T must be 4 to 254: a packed word holds two 16-bit counts, and T + 1 rows fit nr");
  end
  if ((Maxdim % T) != 0) begin : gen_bad_maxdim
    $error("Maxdim must be a multiple of T: a DRAM row is a whole number of packed words");
  end
  if ((SpadRows < 1) || (SpadRows > 2048)) begin : gen_bad_spad
    $error("SpadRows must be 1 to 2048: a 12-bit field carries 0 to 2047");
  end
  if ((Nvr < 1) || (Nvr > 2048)) begin : gen_bad_nvr
    $error("Nvr must be 1 to 2048: a 12-bit field carries 0 to 2047");
  end
  if ((Nar < 1) || (Nar > 2048)) begin : gen_bad_nar
    $error("Nar must be 1 to 2048: a 12-bit field carries 0 to 2047");
  end
  if ((ImemSize < 16) || ((ImemSize % 8) != 0)) begin : gen_bad_imem
    $error("ImemSize must be a multiple of 8 and hold the header and an instruction");
  end
  if (Qd < 2) begin : gen_bad_qd
    $error("Qd must be at least 2");
  end
  if (DmaWords < 1) begin : gen_bad_dma_words
    $error("DmaWords must be at least 1");
  end

  // ------------------------------------------------------------------ wires
  logic         start, busy, done, drained;
  logic [31:0]  watchdog_limit;
  logic [7:0]   fault_code, fault_unit;
  logic [15:0]  fault_pc;
  logic [63:0]  base_imem, base_a, base_b, base_c;
  logic         rd_idle, wr_idle;
  logic [8*tpu_isa_pkg::UNIT_COUNT-1:0] unit_state;
  logic [2*tpu_isa_pkg::UNIT_COUNT-1:0] unit_kind;  // the states without what they wait for
  logic [tpu_isa_pkg::STREAM_COUNT-1:0] fired;

  logic         rd_req_valid, rd_req_ready;
  logic [1:0]   rd_req_region;
  logic [31:0]  rd_req_addr;
  logic         rd_rsp_valid, rd_rsp_ready, rd_rsp_error;
  logic [511:0] rd_rsp_data;
  logic         wr_req_valid, wr_req_ready;
  logic [31:0]  wr_req_addr;
  logic [511:0] wr_req_data;
  logic [63:0]  wr_req_strb;
  logic         wr_rsp_valid, wr_rsp_error;

  assign probe_unit_o  = unit_state;
  assign probe_fired_o = fired;

  for (genvar u = 0; u < tpu_isa_pkg::UNIT_COUNT; u++) begin : gen_unit_kind
    assign unit_kind[2*u +: 2] = unit_state[8*u +: 2];
  end

  // ------------------------------------------------------------------ host side
  tpu_regs #(
    .T(T),
    .Maxdim(Maxdim),
    .SpadRows(SpadRows),
    .Nvr(Nvr),
    .Nar(Nar),
    .ImemSize(ImemSize),
    .Qd(Qd),
    .DmaWords(DmaWords)
  ) u_regs (
    .clk_i, .rst_ni,
    .s_axil_awvalid_i, .s_axil_awready_o, .s_axil_awaddr_i,
    .s_axil_wvalid_i, .s_axil_wready_o, .s_axil_wdata_i, .s_axil_wstrb_i,
    .s_axil_bvalid_o, .s_axil_bready_i, .s_axil_bresp_o,
    .s_axil_arvalid_i, .s_axil_arready_o, .s_axil_araddr_i,
    .s_axil_rvalid_o, .s_axil_rready_i, .s_axil_rdata_o, .s_axil_rresp_o,
    .irq_o,
    .start_o(start),
    .watchdog_limit_o(watchdog_limit),
    .core_busy_i(busy),
    .core_done_i(done),
    .core_drained_i(drained),
    .core_fault_code_i(fault_code),
    .core_fault_unit_i(fault_unit),
    .core_fault_pc_i(fault_pc),
    .bus_idle_i(rd_idle & wr_idle),
    .base_imem_o(base_imem),
    .base_a_o(base_a),
    .base_b_o(base_b),
    .base_c_o(base_c),
    .unit_state_i(unit_kind),
    .taken_o(probe_start_o),
    .done_o(probe_done_o)
  );

  // ------------------------------------------------------------------ bus side
  tpu_axi_rd u_axi_rd (
    .clk_i, .rst_ni,
    .base_imem_i(base_imem),
    .base_a_i(base_a),
    .base_b_i(base_b),
    .req_valid_i(rd_req_valid),
    .req_ready_o(rd_req_ready),
    .req_region_i(rd_req_region),
    .req_addr_i(rd_req_addr),
    .rsp_valid_o(rd_rsp_valid),
    .rsp_ready_i(rd_rsp_ready),
    .rsp_data_o(rd_rsp_data),
    .rsp_error_o(rd_rsp_error),
    .idle_o(rd_idle),
    .m_axi_arvalid_o, .m_axi_arready_i, .m_axi_arid_o, .m_axi_araddr_o, .m_axi_arlen_o,
    .m_axi_arsize_o, .m_axi_arburst_o, .m_axi_arcache_o, .m_axi_arprot_o,
    .m_axi_rvalid_i, .m_axi_rready_o, .m_axi_rid_i, .m_axi_rdata_i, .m_axi_rresp_i,
    .m_axi_rlast_i
  );

  tpu_axi_wr u_axi_wr (
    .clk_i, .rst_ni,
    .base_i(base_c),
    .req_valid_i(wr_req_valid),
    .req_ready_o(wr_req_ready),
    .req_addr_i(wr_req_addr),
    .req_data_i(wr_req_data),
    .req_strb_i(wr_req_strb),
    .rsp_valid_o(wr_rsp_valid),
    .rsp_error_o(wr_rsp_error),
    .idle_o(wr_idle),
    .m_axi_awvalid_o, .m_axi_awready_i, .m_axi_awid_o, .m_axi_awaddr_o, .m_axi_awlen_o,
    .m_axi_awsize_o, .m_axi_awburst_o, .m_axi_awcache_o, .m_axi_awprot_o,
    .m_axi_wvalid_o, .m_axi_wready_i, .m_axi_wdata_o, .m_axi_wstrb_o, .m_axi_wlast_o,
    .m_axi_bvalid_i, .m_axi_bready_o, .m_axi_bid_i, .m_axi_bresp_i
  );

  // ------------------------------------------------------------------ core
  tpu_core #(
    .T(T),
    .Maxdim(Maxdim),
    .SpadRows(SpadRows),
    .Nvr(Nvr),
    .Nar(Nar),
    .ImemSize(ImemSize),
    .Qd(Qd),
    .DmaWords(DmaWords)
  ) u_core (
    .clk_i, .rst_ni,
    .start_i(start),
    .watchdog_limit_i(watchdog_limit),
    .busy_o(busy),
    .done_o(done),
    .fault_code_o(fault_code),
    .fault_unit_o(fault_unit),
    .fault_pc_o(fault_pc),
    .drained_o(drained),
    .rd_req_valid_o(rd_req_valid),
    .rd_req_ready_i(rd_req_ready),
    .rd_req_region_o(rd_req_region),
    .rd_req_addr_o(rd_req_addr),
    .rd_rsp_valid_i(rd_rsp_valid),
    .rd_rsp_ready_o(rd_rsp_ready),
    .rd_rsp_data_i(rd_rsp_data),
    .rd_rsp_error_i(rd_rsp_error),
    .wr_req_valid_o(wr_req_valid),
    .wr_req_ready_i(wr_req_ready),
    .wr_req_addr_o(wr_req_addr),
    .wr_req_data_o(wr_req_data),
    .wr_req_strb_o(wr_req_strb),
    .wr_rsp_valid_i(wr_rsp_valid),
    .wr_rsp_error_i(wr_rsp_error),
    .unit_state_o(unit_state),
    .probe_issue_valid_o(fired[tpu_isa_pkg::STREAM_ISSUE]),
    .probe_issue_o,
    .probe_c_dld_valid_o(fired[tpu_isa_pkg::STREAM_C_DLD]),
    .probe_c_dld_o,
    .probe_c_spm_valid_o(fired[tpu_isa_pkg::STREAM_C_SPM]),
    .probe_c_spm_o,
    .probe_c_vru_valid_o(fired[tpu_isa_pkg::STREAM_C_VRU]),
    .probe_c_vru_o,
    .probe_c_acc_valid_o(fired[tpu_isa_pkg::STREAM_C_ACC]),
    .probe_c_acc_o,
    .probe_c_dst_valid_o(fired[tpu_isa_pkg::STREAM_C_DST]),
    .probe_c_dst_o,
    .probe_dma2sp_valid_o(fired[tpu_isa_pkg::STREAM_DMA2SP]),
    .probe_dma2sp_o,
    .probe_dma2vr_valid_o(fired[tpu_isa_pkg::STREAM_DMA2VR]),
    .probe_dma2vr_o,
    .probe_sp2vr_valid_o(fired[tpu_isa_pkg::STREAM_SP2VR]),
    .probe_sp2vr_o,
    .probe_wcol_valid_o(fired[tpu_isa_pkg::STREAM_WCOL]),
    .probe_wcol_o,
    .probe_acol_valid_o(fired[tpu_isa_pkg::STREAM_ACOL]),
    .probe_acol_o,
    .probe_cw_valid_o(fired[tpu_isa_pkg::STREAM_CW]),
    .probe_cw_o,
    .probe_ac2sp_valid_o(fired[tpu_isa_pkg::STREAM_AC2SP]),
    .probe_ac2sp_o,
    .probe_spad_write_valid_o(fired[tpu_isa_pkg::STREAM_SPAD_WRITE]),
    .probe_spad_write_o,
    .probe_vr_write_valid_o(fired[tpu_isa_pkg::STREAM_VR_WRITE]),
    .probe_vr_write_o,
    .probe_ar_write_mm_valid_o(fired[tpu_isa_pkg::STREAM_AR_WRITE_MM]),
    .probe_ar_write_mm_o,
    .probe_ar_write_alu_valid_o(fired[tpu_isa_pkg::STREAM_AR_WRITE_ALU]),
    .probe_ar_write_alu_o,
    .probe_c_write_valid_o(fired[tpu_isa_pkg::STREAM_C_WRITE]),
    .probe_c_write_o
  );

endmodule : tpu_top
