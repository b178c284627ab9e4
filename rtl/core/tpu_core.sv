// SPDX-License-Identifier: Apache-2.0
//
// The machine: the units of the first seed, one channel of depth Qd between each pair, one memory
// port each way. It only connects; tpu_run holds the life of a run. Every unit-to-unit path is a
// tpu_fifo, so work once accepted always drains. Probe outputs show each row in the cycle in which
// it is pushed or written; inside they only tell the watchdog that something moved.
//
//   sequencer -> agu -> issue -+- c_dld -> dma_ld -+- dma2sp -> spm -+- wcol -> array -- cw -> accu
//                              +- c_spm -> spm     +- dma2vr -> vru  |           ^               |
//                              +- c_vru -> vru  <------- sp2vr ------+   acol ---+           ac2sp
//                              +- c_acc -> accu                           (vru)                  |
//                              +- c_dst -> dma_st <----------------------------------------------+

module tpu_core #(
    parameter int T = 4,           // lanes and array dimension, >= 4
    parameter int Maxdim = 64,     // bytes of a DRAM row, a multiple of T
    parameter int SpadRows = 1024,
    parameter int Nvr = 1024,
    parameter int Nar = 136,
    parameter int ImemSize = 56,   // 64-bit words, a multiple of 8
    parameter int Qd = 16,         // channel depth, >= 2
    parameter int DmaWords = 1     // packed words a load may move a step; this machine moves one
) (
    input  logic             clk_i,
    input  logic             rst_ni,

    // Control. A start is a pulse, heard only while !busy_o and drained_o; its cycle is cycle 0.
    input  logic             start_i,
    input  logic [31:0]      watchdog_limit_i,  // cycles without movement; 0: never
    output logic             busy_o,
    output logic             done_o,            // from the end of a run to the next start
    output logic [7:0]       fault_code_o,      // tpu_isa_pkg::RULE_* or FAULT_*; 0: none
    output logic [7:0]       fault_unit_o,
    output logic [15:0]      fault_pc_o,
    output logic             drained_o,         // nothing is in flight

    // Memory read port: one 64-byte beat a request, responses in order.
    output logic             rd_req_valid_o,
    input  logic             rd_req_ready_i,
    output logic [1:0]       rd_req_region_o,   // 0 program, 1 A, 2 B
    output logic [31:0]      rd_req_addr_o,     // byte offset in the region, a multiple of 64
    input  logic             rd_rsp_valid_i,
    output logic             rd_rsp_ready_o,
    input  logic [511:0]     rd_rsp_data_i,
    input  logic             rd_rsp_error_i,

    // Memory write port: one response a write, always taken.
    output logic             wr_req_valid_o,
    input  logic             wr_req_ready_i,
    output logic [31:0]      wr_req_addr_o,     // byte offset in C, a multiple of 64
    output logic [511:0]     wr_req_data_o,
    output logic [63:0]      wr_req_strb_o,
    input  logic             wr_rsp_valid_i,
    input  logic             wr_rsp_error_i,

    // Observation: unit u at [8u +: 8] = {0, wait[4:0], state[1:0]}; then one group a stream.
    output logic [55:0]      unit_state_o,
    output logic             probe_issue_valid_o,
    output logic [127:0]     probe_issue_o,
    output logic             probe_c_dld_valid_o,
    output logic [63:0]      probe_c_dld_o,
    output logic             probe_c_spm_valid_o,
    output logic [63:0]      probe_c_spm_o,
    output logic             probe_c_vru_valid_o,
    output logic [63:0]      probe_c_vru_o,
    output logic             probe_c_acc_valid_o,
    output logic [63:0]      probe_c_acc_o,
    output logic             probe_c_dst_valid_o,
    output logic [63:0]      probe_c_dst_o,
    output logic             probe_dma2sp_valid_o,
    output logic [8*T-1:0]   probe_dma2sp_o,
    output logic             probe_dma2vr_valid_o,
    output logic [8*T-1:0]   probe_dma2vr_o,
    output logic             probe_sp2vr_valid_o,
    output logic [8*T+7:0]   probe_sp2vr_o,
    output logic             probe_wcol_valid_o,
    output logic [8*T-1:0]   probe_wcol_o,
    output logic             probe_acol_valid_o,
    output logic [8*T-1:0]   probe_acol_o,
    output logic             probe_cw_valid_o,
    output logic [32*T-1:0]  probe_cw_o,
    output logic             probe_ac2sp_valid_o,
    output logic [8*T-1:0]   probe_ac2sp_o,
    output logic             probe_spad_write_valid_o,
    output logic [8*T+15:0]  probe_spad_write_o,
    output logic             probe_vr_write_valid_o,
    output logic [8*T+23:0]  probe_vr_write_o,
    output logic             probe_ar_write_mm_valid_o,
    output logic [32*T+15:0] probe_ar_write_mm_o,
    output logic             probe_ar_write_alu_valid_o,
    output logic [32*T+15:0] probe_ar_write_alu_o,
    output logic             probe_c_write_valid_o,
    output logic [8*T+31:0]  probe_c_write_o
);
  // ---------------------------------------------------------------- run and faults
  logic start;                        // a run begins: every unit clears itself
  logic quiet, moved, unit_halt;
  logic seq_fault, iss_fault, dld_fault, spm_fault, vru_fault, acc_fault, dst_fault;
  logic [7:0] seq_code, iss_code, acc_code;
  logic [15:0] seq_pc, iss_pc, dld_pc, spm_pc, vru_pc, acc_pc, dst_pc;
  logic dld_hdr_bad, spm_hdr_bad, vru_hdr_bad, arr_hdr_bad, acc_hdr_bad, dst_hdr_bad;
  logic seq_idle, agu_idle, dld_idle, spm_idle, vru_idle, arr_idle, acc_idle, dst_idle;
  logic port_idle, port_moved, seq_moved, iss_stopped;

  // ---------------------------------------------------------------- channels: _w writer, _r reader
  logic [15:0] ctl_pc;
  logic c_dld_w_valid, c_dld_w_ready, c_dld_r_valid, c_dld_r_ready;
  logic [63:0] c_dld_w_data, c_dld_r_data;
  logic [15:0] c_dld_pc;
  logic c_spm_w_valid, c_spm_w_ready, c_spm_r_valid, c_spm_r_ready;
  logic [63:0] c_spm_w_data, c_spm_r_data;
  logic [15:0] c_spm_pc;
  logic c_vru_w_valid, c_vru_w_ready, c_vru_r_valid, c_vru_r_ready;
  logic [63:0] c_vru_w_data, c_vru_r_data;
  logic [15:0] c_vru_pc;
  logic c_acc_w_valid, c_acc_w_ready, c_acc_r_valid, c_acc_r_ready;
  logic [63:0] c_acc_w_data, c_acc_r_data;
  logic [15:0] c_acc_pc;
  logic c_dst_w_valid, c_dst_w_ready, c_dst_r_valid, c_dst_r_ready;
  logic [63:0] c_dst_w_data, c_dst_r_data;
  logic [15:0] c_dst_pc;
  logic dma2sp_w_valid, dma2sp_w_ready, dma2sp_r_valid, dma2sp_r_ready;
  logic [8*T-1:0] dma2sp_w_data, dma2sp_r_data;
  logic dma2vr_w_valid, dma2vr_w_ready, dma2vr_r_valid, dma2vr_r_ready;
  logic [8*T-1:0] dma2vr_w_data, dma2vr_r_data;
  logic sp2vr_w_valid, sp2vr_w_ready, sp2vr_r_valid, sp2vr_r_ready;
  logic [8*T+7:0] sp2vr_w_data, sp2vr_r_data;
  logic wcol_w_valid, wcol_w_ready, wcol_r_valid, wcol_r_ready;
  logic [8*T-1:0] wcol_w_data, wcol_r_data;
  logic acol_w_valid, acol_w_ready, acol_r_valid, acol_r_ready;
  logic [8*T-1:0] acol_w_data, acol_r_data;
  logic cw_w_valid, cw_w_ready, cw_r_valid, cw_r_ready;
  logic [32*T-1:0] cw_w_data, cw_r_data;
  logic ac2sp_w_valid, ac2sp_w_ready, ac2sp_r_valid, ac2sp_r_ready;
  logic [8*T-1:0] ac2sp_w_data, ac2sp_r_data;

  tpu_control #(
      .Depth(Qd)
  ) u_c_dld (
      .clk_i,
      .rst_ni,
      .clear_i(start),
      .wr_valid_i(c_dld_w_valid),
      .wr_ready_o(c_dld_w_ready),
      .wr_word_i(c_dld_w_data),
      .wr_pc_i(ctl_pc),
      .rd_valid_o(c_dld_r_valid),
      .rd_ready_i(c_dld_r_ready),
      .rd_word_o(c_dld_r_data),
      .rd_pc_o(c_dld_pc)
  );
  assign probe_c_dld_valid_o = c_dld_w_valid && c_dld_w_ready;
  assign probe_c_dld_o = c_dld_w_data;

  tpu_control #(
      .Depth(Qd)
  ) u_c_spm (
      .clk_i,
      .rst_ni,
      .clear_i(start),
      .wr_valid_i(c_spm_w_valid),
      .wr_ready_o(c_spm_w_ready),
      .wr_word_i(c_spm_w_data),
      .wr_pc_i(ctl_pc),
      .rd_valid_o(c_spm_r_valid),
      .rd_ready_i(c_spm_r_ready),
      .rd_word_o(c_spm_r_data),
      .rd_pc_o(c_spm_pc)
  );
  assign probe_c_spm_valid_o = c_spm_w_valid && c_spm_w_ready;
  assign probe_c_spm_o = c_spm_w_data;

  tpu_control #(
      .Depth(Qd)
  ) u_c_vru (
      .clk_i,
      .rst_ni,
      .clear_i(start),
      .wr_valid_i(c_vru_w_valid),
      .wr_ready_o(c_vru_w_ready),
      .wr_word_i(c_vru_w_data),
      .wr_pc_i(ctl_pc),
      .rd_valid_o(c_vru_r_valid),
      .rd_ready_i(c_vru_r_ready),
      .rd_word_o(c_vru_r_data),
      .rd_pc_o(c_vru_pc)
  );
  assign probe_c_vru_valid_o = c_vru_w_valid && c_vru_w_ready;
  assign probe_c_vru_o = c_vru_w_data;

  tpu_control #(
      .Depth(Qd)
  ) u_c_acc (
      .clk_i,
      .rst_ni,
      .clear_i(start),
      .wr_valid_i(c_acc_w_valid),
      .wr_ready_o(c_acc_w_ready),
      .wr_word_i(c_acc_w_data),
      .wr_pc_i(ctl_pc),
      .rd_valid_o(c_acc_r_valid),
      .rd_ready_i(c_acc_r_ready),
      .rd_word_o(c_acc_r_data),
      .rd_pc_o(c_acc_pc)
  );
  assign probe_c_acc_valid_o = c_acc_w_valid && c_acc_w_ready;
  assign probe_c_acc_o = c_acc_w_data;

  tpu_control #(
      .Depth(Qd)
  ) u_c_dst (
      .clk_i,
      .rst_ni,
      .clear_i(start),
      .wr_valid_i(c_dst_w_valid),
      .wr_ready_o(c_dst_w_ready),
      .wr_word_i(c_dst_w_data),
      .wr_pc_i(ctl_pc),
      .rd_valid_o(c_dst_r_valid),
      .rd_ready_i(c_dst_r_ready),
      .rd_word_o(c_dst_r_data),
      .rd_pc_o(c_dst_pc)
  );
  assign probe_c_dst_valid_o = c_dst_w_valid && c_dst_w_ready;
  assign probe_c_dst_o = c_dst_w_data;

  tpu_fifo #(
      .Width(8*T),
      .Depth(Qd)
  ) u_dma2sp (
      .clk_i,
      .rst_ni,
      .clear_i(start),
      .wr_valid_i(dma2sp_w_valid),
      .wr_ready_o(dma2sp_w_ready),
      .wr_data_i(dma2sp_w_data),
      .rd_valid_o(dma2sp_r_valid),
      .rd_ready_i(dma2sp_r_ready),
      .rd_data_o(dma2sp_r_data)
  );
  assign probe_dma2sp_valid_o = dma2sp_w_valid && dma2sp_w_ready;
  assign probe_dma2sp_o = dma2sp_w_data;

  tpu_fifo #(
      .Width(8*T),
      .Depth(Qd)
  ) u_dma2vr (
      .clk_i,
      .rst_ni,
      .clear_i(start),
      .wr_valid_i(dma2vr_w_valid),
      .wr_ready_o(dma2vr_w_ready),
      .wr_data_i(dma2vr_w_data),
      .rd_valid_o(dma2vr_r_valid),
      .rd_ready_i(dma2vr_r_ready),
      .rd_data_o(dma2vr_r_data)
  );
  assign probe_dma2vr_valid_o = dma2vr_w_valid && dma2vr_w_ready;
  assign probe_dma2vr_o = dma2vr_w_data;

  tpu_fifo #(
      .Width(8*T+8),
      .Depth(Qd)
  ) u_sp2vr (
      .clk_i,
      .rst_ni,
      .clear_i(start),
      .wr_valid_i(sp2vr_w_valid),
      .wr_ready_o(sp2vr_w_ready),
      .wr_data_i(sp2vr_w_data),
      .rd_valid_o(sp2vr_r_valid),
      .rd_ready_i(sp2vr_r_ready),
      .rd_data_o(sp2vr_r_data)
  );
  assign probe_sp2vr_valid_o = sp2vr_w_valid && sp2vr_w_ready;
  assign probe_sp2vr_o = sp2vr_w_data;

  tpu_fifo #(
      .Width(8*T),
      .Depth(Qd)
  ) u_wcol (
      .clk_i,
      .rst_ni,
      .clear_i(start),
      .wr_valid_i(wcol_w_valid),
      .wr_ready_o(wcol_w_ready),
      .wr_data_i(wcol_w_data),
      .rd_valid_o(wcol_r_valid),
      .rd_ready_i(wcol_r_ready),
      .rd_data_o(wcol_r_data)
  );
  assign probe_wcol_valid_o = wcol_w_valid && wcol_w_ready;
  assign probe_wcol_o = wcol_w_data;

  tpu_fifo #(
      .Width(8*T),
      .Depth(Qd)
  ) u_acol (
      .clk_i,
      .rst_ni,
      .clear_i(start),
      .wr_valid_i(acol_w_valid),
      .wr_ready_o(acol_w_ready),
      .wr_data_i(acol_w_data),
      .rd_valid_o(acol_r_valid),
      .rd_ready_i(acol_r_ready),
      .rd_data_o(acol_r_data)
  );
  assign probe_acol_valid_o = acol_w_valid && acol_w_ready;
  assign probe_acol_o = acol_w_data;

  tpu_fifo #(
      .Width(32*T),
      .Depth(Qd)
  ) u_cw (
      .clk_i,
      .rst_ni,
      .clear_i(start),
      .wr_valid_i(cw_w_valid),
      .wr_ready_o(cw_w_ready),
      .wr_data_i(cw_w_data),
      .rd_valid_o(cw_r_valid),
      .rd_ready_i(cw_r_ready),
      .rd_data_o(cw_r_data)
  );
  assign probe_cw_valid_o = cw_w_valid && cw_w_ready;
  assign probe_cw_o = cw_w_data;

  tpu_fifo #(
      .Width(8*T),
      .Depth(Qd)
  ) u_ac2sp (
      .clk_i,
      .rst_ni,
      .clear_i(start),
      .wr_valid_i(ac2sp_w_valid),
      .wr_ready_o(ac2sp_w_ready),
      .wr_data_i(ac2sp_w_data),
      .rd_valid_o(ac2sp_r_valid),
      .rd_ready_i(ac2sp_r_ready),
      .rd_data_o(ac2sp_r_data)
  );
  assign probe_ac2sp_valid_o = ac2sp_w_valid && ac2sp_w_ready;
  assign probe_ac2sp_o = ac2sp_w_data;

  // ---------------------------------------------------------------- memory read port
  logic fetch_valid, fetch_ready, fetch_rsp_valid;
  logic load_valid, load_ready, load_b, load_rsp_valid, load_rsp_ready;
  logic [31:0] fetch_addr, load_addr;

  tpu_readport u_readport (
      .clk_i,
      .rst_ni,
      .clear_i(start),
      .fetch_valid_i(fetch_valid),
      .fetch_ready_o(fetch_ready),
      .fetch_addr_i(fetch_addr),
      .fetch_rsp_valid_o(fetch_rsp_valid),
      .load_valid_i(load_valid),
      .load_ready_o(load_ready),
      .load_b_i(load_b),
      .load_addr_i(load_addr),
      .load_rsp_valid_o(load_rsp_valid),
      .load_rsp_ready_i(load_rsp_ready),
      .req_valid_o(rd_req_valid_o),
      .req_ready_i(rd_req_ready_i),
      .req_region_o(rd_req_region_o),
      .req_addr_o(rd_req_addr_o),
      .rsp_valid_i(rd_rsp_valid_i),
      .rsp_ready_o(rd_rsp_ready_o),
      .moved_o(port_moved),
      .idle_o(port_idle)
  );

  // ---------------------------------------------------------------- sequencer
  logic hdr_valid, hdr_ready, hdr_second;
  logic [511:0] hdr_data;
  logic insn_valid, insn_ready;
  logic [63:0] insn_word0, insn_word1;
  logic [15:0] insn_pc, issue_pc;
  logic [31:0] insn_iv, issue_iv;
  logic issue_valid, issue_ready;
  logic [5:0] issue_op;
  logic [7:0] issue_nr;
  localparam int SumW = 22;
  logic [SumW-1:0] issue_f0, issue_f1, issue_f2, issue_f3;
  logic [6:0] seq_state, dld_state, spm_state, vru_state, arr_state, acc_state, dst_state;

  tpu_sequencer #(
      .ImemSize(ImemSize)
  ) u_sequencer (
      .clk_i,
      .rst_ni,
      .start_i(start),
      .halt_i(unit_halt || iss_stopped || iss_fault),
      .rd_req_valid_o(fetch_valid),
      .rd_req_ready_i(fetch_ready),
      .rd_req_addr_o(fetch_addr),
      .rd_rsp_valid_i(fetch_rsp_valid),
      .rd_rsp_data_i(rd_rsp_data_i),
      .rd_rsp_error_i(rd_rsp_error_i),
      .hdr_valid_o(hdr_valid),
      .hdr_ready_i(hdr_ready),
      .hdr_second_o(hdr_second),
      .hdr_data_o(hdr_data),
      .insn_valid_o(insn_valid),
      .insn_ready_i(insn_ready),
      .insn_word0_o(insn_word0),
      .insn_word1_o(insn_word1),
      .insn_pc_o(insn_pc),
      .insn_iv_o(insn_iv),
      .fault_valid_o(seq_fault),
      .fault_code_o(seq_code),
      .fault_pc_o(seq_pc),
      .moved_o(seq_moved),
      .idle_o(seq_idle),
      .state_o(seq_state)
  );

  tpu_agu #(
      .SumW(SumW)
  ) u_agu (
      .clk_i,
      .rst_ni,
      .clear_i(start),
      .insn_valid_i(insn_valid),
      .insn_ready_o(insn_ready),
      .insn_word0_i(insn_word0),
      .insn_word1_i(insn_word1),
      .insn_pc_i(insn_pc),
      .insn_iv_i(insn_iv),
      .issue_valid_o(issue_valid),
      .issue_ready_i(issue_ready),
      .issue_pc_o(issue_pc),
      .issue_op_o(issue_op),
      .issue_nr_o(issue_nr),
      .issue_f0_o(issue_f0),
      .issue_f1_o(issue_f1),
      .issue_f2_o(issue_f2),
      .issue_f3_o(issue_f3),
      .issue_iv_o(issue_iv),
      .idle_o(agu_idle)
  );

  tpu_issue #(
      .T(T),
      .Maxdim(Maxdim),
      .SpadRows(SpadRows),
      .Nvr(Nvr),
      .Nar(Nar),
      .SumW(SumW)
  ) u_issue (
      .clk_i,
      .rst_ni,
      .start_i(start),
      .halt_i(unit_halt),
      .hdr_valid_i(hdr_valid),
      .hdr_ready_o(hdr_ready),
      .hdr_second_i(hdr_second),
      .hdr_data_i(hdr_data),
      .issue_valid_i(issue_valid),
      .issue_ready_o(issue_ready),
      .issue_pc_i(issue_pc),
      .issue_op_i(issue_op),
      .issue_nr_i(issue_nr),
      .issue_f0_i(issue_f0),
      .issue_f1_i(issue_f1),
      .issue_f2_i(issue_f2),
      .issue_f3_i(issue_f3),
      .issue_iv_i(issue_iv),
      .dld_valid_o(c_dld_w_valid),
      .dld_ready_i(c_dld_w_ready),
      .dld_data_o(c_dld_w_data),
      .spm_valid_o(c_spm_w_valid),
      .spm_ready_i(c_spm_w_ready),
      .spm_data_o(c_spm_w_data),
      .vru_valid_o(c_vru_w_valid),
      .vru_ready_i(c_vru_w_ready),
      .vru_data_o(c_vru_w_data),
      .acc_valid_o(c_acc_w_valid),
      .acc_ready_i(c_acc_w_ready),
      .acc_data_o(c_acc_w_data),
      .dst_valid_o(c_dst_w_valid),
      .dst_ready_i(c_dst_w_ready),
      .dst_data_o(c_dst_w_data),
      .ctl_pc_o(ctl_pc),
      .probe_valid_o(probe_issue_valid_o),
      .probe_o(probe_issue_o),
      .fault_valid_o(iss_fault),
      .fault_code_o(iss_code),
      .fault_pc_o(iss_pc),
      .stopped_o(iss_stopped)
  );

  // ---------------------------------------------------------------- units
  tpu_dma_ld #(
      .T(T),
      .Maxdim(Maxdim)
  ) u_dma_ld (
      .clk_i,
      .rst_ni,
      .start_i(start),
      .ctl_valid_i(c_dld_r_valid),
      .ctl_ready_o(c_dld_r_ready),
      .ctl_data_i(c_dld_r_data),
      .ctl_pc_i(c_dld_pc),
      .req_valid_o(load_valid),
      .req_ready_i(load_ready),
      .req_b_o(load_b),
      .req_addr_o(load_addr),
      .rsp_valid_i(load_rsp_valid),
      .rsp_ready_o(load_rsp_ready),
      .rsp_data_i(rd_rsp_data_i),
      .rsp_error_i(rd_rsp_error_i),
      .sp_valid_o(dma2sp_w_valid),
      .sp_ready_i(dma2sp_w_ready),
      .sp_data_o(dma2sp_w_data),
      .vr_valid_o(dma2vr_w_valid),
      .vr_ready_i(dma2vr_w_ready),
      .vr_data_o(dma2vr_w_data),
      .fault_valid_o(dld_fault),
      .fault_pc_o(dld_pc),
      .header_bad_o(dld_hdr_bad),
      .idle_o(dld_idle),
      .state_o(dld_state)
  );

  tpu_spm #(
      .T(T),
      .SpadRows(SpadRows)
  ) u_spm (
      .clk_i,
      .rst_ni,
      .start_i(start),
      .ctl_valid_i(c_spm_r_valid),
      .ctl_ready_o(c_spm_r_ready),
      .ctl_data_i(c_spm_r_data),
      .ctl_pc_i(c_spm_pc),
      .dma_valid_i(dma2sp_r_valid),
      .dma_ready_o(dma2sp_r_ready),
      .dma_data_i(dma2sp_r_data),
      .vr_valid_o(sp2vr_w_valid),
      .vr_ready_i(sp2vr_w_ready),
      .vr_data_o(sp2vr_w_data),
      .wcol_valid_o(wcol_w_valid),
      .wcol_ready_i(wcol_w_ready),
      .wcol_data_o(wcol_w_data),
      .probe_valid_o(probe_spad_write_valid_o),
      .probe_o(probe_spad_write_o),
      .fault_valid_o(spm_fault),
      .fault_pc_o(spm_pc),
      .header_bad_o(spm_hdr_bad),
      .idle_o(spm_idle),
      .state_o(spm_state)
  );

  tpu_vru #(
      .T(T),
      .Nvr(Nvr)
  ) u_vru (
      .clk_i,
      .rst_ni,
      .start_i(start),
      .ctl_valid_i(c_vru_r_valid),
      .ctl_ready_o(c_vru_r_ready),
      .ctl_data_i(c_vru_r_data),
      .ctl_pc_i(c_vru_pc),
      .dma_valid_i(dma2vr_r_valid),
      .dma_ready_o(dma2vr_r_ready),
      .dma_data_i(dma2vr_r_data),
      .sp_valid_i(sp2vr_r_valid),
      .sp_ready_o(sp2vr_r_ready),
      .sp_data_i(sp2vr_r_data),
      .acol_valid_o(acol_w_valid),
      .acol_ready_i(acol_w_ready),
      .acol_data_o(acol_w_data),
      .probe_valid_o(probe_vr_write_valid_o),
      .probe_o(probe_vr_write_o),
      .fault_valid_o(vru_fault),
      .fault_pc_o(vru_pc),
      .header_bad_o(vru_hdr_bad),
      .idle_o(vru_idle),
      .state_o(vru_state)
  );

  tpu_array #(
      .T(T)
  ) u_array (
      .clk_i,
      .rst_ni,
      .start_i(start),
      .wcol_valid_i(wcol_r_valid),
      .wcol_ready_o(wcol_r_ready),
      .wcol_data_i(wcol_r_data),
      .acol_valid_i(acol_r_valid),
      .acol_ready_o(acol_r_ready),
      .acol_data_i(acol_r_data),
      .cw_valid_o(cw_w_valid),
      .cw_ready_i(cw_w_ready),
      .cw_data_o(cw_w_data),
      .header_bad_o(arr_hdr_bad),
      .idle_o(arr_idle),
      .state_o(arr_state)
  );

  tpu_accu #(
      .T(T),
      .Nar(Nar)
  ) u_accu (
      .clk_i,
      .rst_ni,
      .start_i(start),
      .ctl_valid_i(c_acc_r_valid),
      .ctl_ready_o(c_acc_r_ready),
      .ctl_data_i(c_acc_r_data),
      .ctl_pc_i(c_acc_pc),
      .cw_valid_i(cw_r_valid),
      .cw_ready_o(cw_r_ready),
      .cw_data_i(cw_r_data),
      .ac_valid_o(ac2sp_w_valid),
      .ac_ready_i(ac2sp_w_ready),
      .ac_data_o(ac2sp_w_data),
      .probe_mm_valid_o(probe_ar_write_mm_valid_o),
      .probe_mm_o(probe_ar_write_mm_o),
      .probe_alu_valid_o(probe_ar_write_alu_valid_o),
      .probe_alu_o(probe_ar_write_alu_o),
      .fault_valid_o(acc_fault),
      .fault_code_o(acc_code),
      .fault_pc_o(acc_pc),
      .header_bad_o(acc_hdr_bad),
      .idle_o(acc_idle),
      .state_o(acc_state)
  );

  tpu_dma_st #(
      .T(T),
      .Maxdim(Maxdim)
  ) u_dma_st (
      .clk_i,
      .rst_ni,
      .start_i(start),
      .ctl_valid_i(c_dst_r_valid),
      .ctl_ready_o(c_dst_r_ready),
      .ctl_data_i(c_dst_r_data),
      .ctl_pc_i(c_dst_pc),
      .ac_valid_i(ac2sp_r_valid),
      .ac_ready_o(ac2sp_r_ready),
      .ac_data_i(ac2sp_r_data),
      .req_valid_o(wr_req_valid_o),
      .req_ready_i(wr_req_ready_i),
      .req_addr_o(wr_req_addr_o),
      .req_data_o(wr_req_data_o),
      .req_strb_o(wr_req_strb_o),
      .rsp_valid_i(wr_rsp_valid_i),
      .rsp_error_i(wr_rsp_error_i),
      .probe_valid_o(probe_c_write_valid_o),
      .probe_o(probe_c_write_o),
      .fault_valid_o(dst_fault),
      .fault_pc_o(dst_pc),
      .header_bad_o(dst_hdr_bad),
      .idle_o(dst_idle),
      .state_o(dst_state)
  );

  assign unit_state_o = {1'b0, dst_state, 1'b0, acc_state, 1'b0, arr_state, 1'b0, vru_state,
                         1'b0, spm_state, 1'b0, dld_state, 1'b0, seq_state};

  // ---------------------------------------------------------------- life of the run
  assign quiet = seq_idle && agu_idle && dld_idle && spm_idle && vru_idle && arr_idle &&
      acc_idle && dst_idle && port_idle &&
      !c_dld_r_valid && !c_spm_r_valid && !c_vru_r_valid && !c_acc_r_valid && !c_dst_r_valid &&
      !dma2sp_r_valid && !dma2vr_r_valid && !sp2vr_r_valid && !wcol_r_valid && !acol_r_valid &&
      !cw_r_valid && !ac2sp_r_valid;
  assign moved = port_moved || seq_moved || (wr_req_valid_o && wr_req_ready_i) || wr_rsp_valid_i ||
      probe_issue_valid_o || probe_c_dld_valid_o || probe_dma2sp_valid_o ||
      probe_dma2vr_valid_o || probe_sp2vr_valid_o || probe_wcol_valid_o || probe_acol_valid_o ||
      probe_cw_valid_o || probe_ac2sp_valid_o || probe_spad_write_valid_o ||
      probe_vr_write_valid_o || probe_ar_write_mm_valid_o || probe_ar_write_alu_valid_o ||
      probe_c_write_valid_o;

  // Of faults in one cycle the unit further down the data path is named.
  logic [7:0] unit_code, unit_unit, hdr_unit;
  logic [15:0] unit_pc;
  always_comb begin
    unit_code = tpu_isa_pkg::FAULT_BUS;
    unit_unit = tpu_isa_pkg::UNIT_DMA_LD;
    unit_pc = dld_pc;
    if (spm_fault) begin
      unit_code = tpu_isa_pkg::RULE_WRITE_BEFORE_READ;
      unit_unit = tpu_isa_pkg::UNIT_SPM;
      unit_pc = spm_pc;
    end
    if (vru_fault) begin
      unit_code = tpu_isa_pkg::RULE_WRITE_BEFORE_READ;
      unit_unit = tpu_isa_pkg::UNIT_VRU;
      unit_pc = vru_pc;
    end
    if (acc_fault) begin
      unit_code = acc_code;
      unit_unit = tpu_isa_pkg::UNIT_ACCU;
      unit_pc = acc_pc;
    end
    if (dst_fault) begin
      unit_code = tpu_isa_pkg::FAULT_BUS;
      unit_unit = tpu_isa_pkg::UNIT_DMA_ST;
      unit_pc = dst_pc;
    end
  end

  always_comb begin
    hdr_unit = tpu_isa_pkg::UNIT_DMA_ST;
    if (acc_hdr_bad) hdr_unit = tpu_isa_pkg::UNIT_ACCU;
    if (arr_hdr_bad) hdr_unit = tpu_isa_pkg::UNIT_ARRAY;
    if (vru_hdr_bad) hdr_unit = tpu_isa_pkg::UNIT_VRU;
    if (spm_hdr_bad) hdr_unit = tpu_isa_pkg::UNIT_SPM;
    if (dld_hdr_bad) hdr_unit = tpu_isa_pkg::UNIT_DMA_LD;
  end

  tpu_run u_run (
      .clk_i,
      .rst_ni,
      .start_i,
      .watchdog_limit_i,
      .quiet_i(quiet),
      .moved_i(moved),
      .decode_valid_i(seq_fault),
      .decode_code_i(seq_code),
      .decode_pc_i(seq_pc),
      .issue_valid_i(iss_fault),
      .issue_code_i(iss_code),
      .issue_pc_i(iss_pc),
      .unit_valid_i(dld_fault || spm_fault || vru_fault || acc_fault || dst_fault),
      .unit_code_i(unit_code),
      .unit_unit_i(unit_unit),
      .unit_pc_i(unit_pc),
      .header_bad_i(dld_hdr_bad || spm_hdr_bad || vru_hdr_bad || arr_hdr_bad || acc_hdr_bad ||
                    dst_hdr_bad),
      .header_unit_i(hdr_unit),
      .start_o(start),
      .halt_o(unit_halt),
      .busy_o,
      .done_o,
      .fault_code_o,
      .fault_unit_o,
      .fault_pc_o
  );

  assign drained_o = quiet;
endmodule : tpu_core
