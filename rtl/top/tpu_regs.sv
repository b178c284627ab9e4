// SPDX-License-Identifier: Apache-2.0
//
// The host's side: AXI4-Lite registers (spec/isa_spec.json#registers), the life of a run, the
// interrupt, the cycle counter and the units' counters. One access at a time each way, taken in one
// cycle and decoded in the next, so that no bus pin reaches logic behind the registers. Answers
// SLVERR for an address that is unknown, unaligned or not of that direction, and for a start or a
// base write while busy; such a write changes nothing.

module tpu_regs #(
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

  // AXI4-Lite. Write readies depend on the write valids; read ready does not depend on valid.
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

  // Interrupt: level, high while done and enabled.
  output logic         irq_o,

  // The core's run.
  output logic         start_o,           // the core starts: cycle 0 of a run
  output logic [31:0]  watchdog_limit_o,
  input  logic         core_busy_i,
  input  logic         core_done_i,       // level, down from the cycle after start
  input  logic         core_drained_i,
  input  logic [7:0]   core_fault_code_i,
  input  logic [7:0]   core_fault_unit_i,
  input  logic [15:0]  core_fault_pc_i,
  input  logic         bus_idle_i,        // the bus managers are owed nothing

  // Bases. Stable during a run.
  output logic [63:0]  base_imem_o,
  output logic [63:0]  base_a_o,
  output logic [63:0]  base_b_o,
  output logic [63:0]  base_c_o,

  // Units: 2 bits each, idle 0, busy 1, starved 2, blocked 3.
  input  logic [2*tpu_isa_pkg::UNIT_COUNT-1:0] unit_state_i,

  // The run as the probe shows it.
  output logic         taken_o,           // a start command is taken in this cycle
  output logic         done_o              // from the end of a run to an acknowledge or a start
);

  localparam int Units = tpu_isa_pkg::UNIT_COUNT;
  localparam int Params = 8;  // of this module, in the order of their registers
  localparam logic [1:0] Okay = 2'b00;
  localparam logic [1:0] Slverr = 2'b10;

  // Life of a run. A base fault goes to Done without the core.
  localparam logic [1:0] Idle = 2'd0;
  localparam logic [1:0] Active = 2'd1;
  localparam logic [1:0] Done = 2'd2;

  logic [1:0]       run_d, run_q;
  logic             wr_start, wr_ack;
  logic             busy, ended, running;
  logic             irq_enable_d, irq_enable_q;
  logic [31:0]      watchdog_d, watchdog_q;
  logic [63:0]      imem_q, a_q, b_q, c_q;  // bases
  logic [63:0]      cycles_d, cycles_q;
  logic             base_bad;
  logic             base_fault_d, base_fault_q;
  logic [7:0]       base_unit_d, base_unit_q;
  logic [7:0]       fault_code, fault_unit;
  logic [15:0]      fault_pc;

  // ------------------------------------------------------------------ write
  logic             wr_take, wr_q;         // an access is taken; the one taken before is decoded
  logic [11:0]      wr_addr_q;
  logic [31:0]      wr_data_q;
  logic [3:0]       wr_strb_q;
  logic             wr_ok, wr_base, wr_low;
  logic [31:0]      wr_mask;
  logic             bvalid_d, bvalid_q;
  logic [1:0]       bresp_d, bresp_q;

  // Read: taken in one cycle, decoded in the next.
  logic             rd_take, rd_go;        // an access is taken; the one taken before moves on
  logic             rd_d, rd_q;
  logic [11:0]      rd_addr_q;
  logic [9:0]       rd_word;   // 32-bit words behind the first counter

  assign wr_take = s_axil_awvalid_i & s_axil_wvalid_i & ~wr_q & ~bvalid_q;
  assign s_axil_awready_o = wr_take;
  assign s_axil_wready_o  = wr_take;
  assign s_axil_bvalid_o  = bvalid_q;
  assign s_axil_bresp_o   = bresp_q;

  // What the access taken before asks for.
  always_comb begin
    wr_mask  = 32'd0;
    wr_base  = 1'b0;
    wr_start = 1'b0;
    wr_ack   = 1'b0;
    wr_ok    = 1'b0;
    if (wr_q) begin
      wr_mask = {{8{wr_strb_q[3]}}, {8{wr_strb_q[2]}}, {8{wr_strb_q[1]}}, {8{wr_strb_q[0]}}};
      wr_base = (wr_addr_q >= tpu_isa_pkg::REG_IMEM_LO) & (wr_addr_q <= tpu_isa_pkg::REG_C_HI) &
          (wr_addr_q[1:0] == 2'b00);
      wr_start = (wr_addr_q == tpu_isa_pkg::REG_CTRL) & wr_low;
      wr_ack = (wr_addr_q == tpu_isa_pkg::REG_ACK) & wr_low;
      wr_ok = (wr_base | (wr_addr_q == tpu_isa_pkg::REG_CTRL) |
          (wr_addr_q == tpu_isa_pkg::REG_WATCHDOG) | (wr_addr_q == tpu_isa_pkg::REG_ACK)) &
          ~(busy & (wr_base | wr_start));
    end
  end
  assign wr_low = wr_strb_q[0] & wr_data_q[0];  // bit 0 is written as 1

  assign bvalid_d = wr_q | (bvalid_q & ~s_axil_bready_i);
  assign bresp_d  = wr_q ? (wr_ok ? Okay : Slverr) : bresp_q;

  always_comb begin
    irq_enable_d = irq_enable_q;
    watchdog_d   = watchdog_q;
    if (wr_ok) begin
      if ((wr_addr_q == tpu_isa_pkg::REG_CTRL) & wr_strb_q[1]) irq_enable_d = wr_data_q[8];
      if (wr_addr_q == tpu_isa_pkg::REG_WATCHDOG)
        watchdog_d = (watchdog_q & ~wr_mask) | (wr_data_q & wr_mask);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      imem_q <= 64'd0;
      a_q    <= 64'd0;
      b_q    <= 64'd0;
      c_q    <= 64'd0;
    end else if (wr_ok & wr_base) begin
      unique case (wr_addr_q[4:2])
        3'd0:    imem_q[31:0]  <= (imem_q[31:0] & ~wr_mask) | (wr_data_q & wr_mask);
        3'd1:    imem_q[63:32] <= (imem_q[63:32] & ~wr_mask) | (wr_data_q & wr_mask);
        3'd2:    a_q[31:0]     <= (a_q[31:0] & ~wr_mask) | (wr_data_q & wr_mask);
        3'd3:    a_q[63:32]    <= (a_q[63:32] & ~wr_mask) | (wr_data_q & wr_mask);
        3'd4:    b_q[31:0]     <= (b_q[31:0] & ~wr_mask) | (wr_data_q & wr_mask);
        3'd5:    b_q[63:32]    <= (b_q[63:32] & ~wr_mask) | (wr_data_q & wr_mask);
        3'd6:    c_q[31:0]     <= (c_q[31:0] & ~wr_mask) | (wr_data_q & wr_mask);
        default: c_q[63:32]    <= (c_q[63:32] & ~wr_mask) | (wr_data_q & wr_mask);
      endcase
    end
  end

  // ------------------------------------------------------------------ run
  // The command is taken when it is decoded, and the core starts in that cycle: cycle 0. The core's
  // `done` of the run before is up then, and down in the next cycle.
  assign taken_o = wr_start & ~busy;
  assign start_o = taken_o & ~base_bad;
  assign running = (run_q == Active) & ~core_done_i;
  assign ended   = ((run_q == Active) & core_done_i) | (run_q == Done);
  assign done_o  = ended & ~taken_o;
  assign busy    = running | core_busy_i | ~core_drained_i | ~bus_idle_i;

  assign base_bad = (imem_q[5:0] | a_q[5:0] | b_q[5:0] | c_q[5:0]) != 6'd0;

  always_comb begin
    run_d        = run_q;
    base_fault_d = base_fault_q;
    base_unit_d  = base_unit_q;
    cycles_d     = cycles_q;
    if ((run_q == Active) & core_done_i) run_d = Done;
    if (ended & wr_ack) run_d = Idle;
    if (running) cycles_d = cycles_q + 64'd1;
    if (taken_o) begin
      run_d        = base_bad ? Done : Active;
      base_fault_d = base_bad;
      cycles_d     = 64'd1;
      // The unit that would have used the base.
      base_unit_d = tpu_isa_pkg::UNIT_DMA_ST;
      if ((a_q[5:0] | b_q[5:0]) != 6'd0) base_unit_d = tpu_isa_pkg::UNIT_DMA_LD;
      if (imem_q[5:0] != 6'd0) base_unit_d = tpu_isa_pkg::UNIT_SEQUENCER;
    end
  end

  assign fault_code = base_fault_q ? tpu_isa_pkg::FAULT_BASE : core_fault_code_i;
  assign fault_unit = base_fault_q ? base_unit_q : core_fault_unit_i;
  assign fault_pc   = base_fault_q ? 16'd0 : core_fault_pc_i;

  assign irq_o            = (run_q == Done) & irq_enable_q;
  assign watchdog_limit_o = watchdog_q;
  assign base_imem_o      = imem_q;
  assign base_a_o         = a_q;
  assign base_b_o         = b_q;
  assign base_c_o         = c_q;

  // ------------------------------------------------------------------ counters
  // One of a unit's three counters moves in a cycle at most, one cycle late; all wrap at 32 bits.
  logic               counting_q;
  logic [2*Units-1:0] unit_q;
  logic [32*Units-1:0] counts;  // of each unit, the one that a read asks for; 0 without a read

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      counting_q <= 1'b0;
      unit_q     <= '0;
    end else begin
      counting_q <= running;
      unit_q     <= unit_state_i;
    end
  end

  for (genvar u = 0; u < Units; u++) begin : gen_unit
    logic [31:0] busy_q, starved_q, blocked_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        busy_q    <= 32'd0;
        starved_q <= 32'd0;
        blocked_q <= 32'd0;
      end else if (taken_o) begin
        busy_q    <= 32'd0;
        starved_q <= 32'd0;
        blocked_q <= 32'd0;
      end else if (counting_q) begin
        if (unit_q[2*u +: 2] == tpu_isa_pkg::STATE_BUSY)    busy_q    <= busy_q + 32'd1;
        if (unit_q[2*u +: 2] == tpu_isa_pkg::STATE_STARVED) starved_q <= starved_q + 32'd1;
        if (unit_q[2*u +: 2] == tpu_isa_pkg::STATE_BLOCKED) blocked_q <= blocked_q + 32'd1;
      end
    end

    always_comb begin
      counts[32*u +: 32] = 32'd0;
      if (rd_q) begin
        unique case (rd_word[1:0])
          2'd0:    counts[32*u +: 32] = busy_q;
          2'd1:    counts[32*u +: 32] = starved_q;
          2'd2:    counts[32*u +: 32] = blocked_q;
          default: counts[32*u +: 32] = 32'd0;
        endcase
      end
    end
  end

  // ------------------------------------------------------------------ read
  logic             rvalid_d, rvalid_q;
  logic [31:0]      rdata_d, rdata_q;
  logic [1:0]       rresp_d, rresp_q;
  logic [31:0]      rd_value;
  logic             rd_known;
  logic [2:0]       rd_param;  // number of the parameter

  assign rd_go            = ~rvalid_q | s_axil_rready_i;
  assign s_axil_arready_o = ~rd_q | rd_go;
  assign s_axil_rvalid_o  = rvalid_q;
  assign s_axil_rdata_o   = rdata_q;
  assign s_axil_rresp_o   = rresp_q;
  assign rd_take = s_axil_arvalid_i & s_axil_arready_o;
  assign rd_d    = rd_take | (rd_q & ~rd_go);

  assign rd_param = rd_addr_q[4:2] - 3'(tpu_isa_pkg::REG_PARAM >> 2);
  assign rd_word  = rd_addr_q[11:2] - 10'(tpu_isa_pkg::REG_UNIT >> 2);

  always_comb begin
    rd_known = 1'b0;
    rd_value = 32'd0;
    if (rd_q & rd_go) begin
      rd_known = 1'b1;
      unique case (rd_addr_q)
        tpu_isa_pkg::REG_CTRL:      rd_value = {23'd0, irq_enable_q, 8'd0};
        tpu_isa_pkg::REG_STATUS:    rd_value = {28'd0, irq_o, fault_code != 8'd0,
                                                run_q == Done, busy};
        tpu_isa_pkg::REG_FAULT:     rd_value = {fault_pc, fault_unit, fault_code};
        tpu_isa_pkg::REG_CYCLES_LO: rd_value = cycles_q[31:0];
        tpu_isa_pkg::REG_CYCLES_HI: rd_value = cycles_q[63:32];
        tpu_isa_pkg::REG_WATCHDOG:  rd_value = watchdog_q;
        tpu_isa_pkg::REG_IMEM_LO:   rd_value = imem_q[31:0];
        tpu_isa_pkg::REG_IMEM_HI:   rd_value = imem_q[63:32];
        tpu_isa_pkg::REG_A_LO:      rd_value = a_q[31:0];
        tpu_isa_pkg::REG_A_HI:      rd_value = a_q[63:32];
        tpu_isa_pkg::REG_B_LO:      rd_value = b_q[31:0];
        tpu_isa_pkg::REG_B_HI:      rd_value = b_q[63:32];
        tpu_isa_pkg::REG_C_LO:      rd_value = c_q[31:0];
        tpu_isa_pkg::REG_C_HI:      rd_value = c_q[63:32];
        tpu_isa_pkg::REG_ID:        rd_value = tpu_isa_pkg::REG_ID_VALUE;
        tpu_isa_pkg::REG_HASH_LO:   rd_value = tpu_isa_pkg::SPEC_HASH[31:0];
        tpu_isa_pkg::REG_HASH_HI:   rd_value = tpu_isa_pkg::SPEC_HASH[63:32];
        default:                    rd_known = 1'b0;
      endcase
      if ((rd_addr_q >= tpu_isa_pkg::REG_PARAM) & (rd_addr_q[1:0] == 2'b00) &
          (rd_addr_q < tpu_isa_pkg::REG_PARAM + 12'(4 * Params))) begin
        rd_known = 1'b1;
        unique case (rd_param)
          3'd0:    rd_value = 32'(T);
          3'd1:    rd_value = 32'(Maxdim);
          3'd2:    rd_value = 32'(SpadRows);
          3'd3:    rd_value = 32'(Nvr);
          3'd4:    rd_value = 32'(Nar);
          3'd5:    rd_value = 32'(ImemSize);
          3'd6:    rd_value = 32'(Qd);
          default: rd_value = 32'(DmaWords);
        endcase
      end
      if ((rd_addr_q >= tpu_isa_pkg::REG_UNIT) & (rd_addr_q[1:0] == 2'b00) &
          (rd_word < 10'(4 * Units))) begin
        rd_known = 1'b1;
        for (int u = 0; u < Units; u++) begin
          if (rd_word[9:2] == 8'(u)) rd_value = counts[32*u +: 32];
        end
      end
    end
  end

  assign rvalid_d = rd_q | ~rd_go;
  assign rdata_d  = rd_go ? rd_value : rdata_q;
  assign rresp_d  = rd_go ? (rd_known ? Okay : Slverr) : rresp_q;

  // ------------------------------------------------------------------ registers
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      run_q        <= Idle;
      irq_enable_q <= 1'b0;
      watchdog_q   <= 32'd0;
      cycles_q     <= 64'd0;
      base_fault_q <= 1'b0;
      base_unit_q  <= 8'd0;
      wr_q         <= 1'b0;
      wr_addr_q    <= 12'd0;
      wr_data_q    <= 32'd0;
      wr_strb_q    <= 4'd0;
      rd_q         <= 1'b0;
      rd_addr_q    <= 12'd0;
      bvalid_q     <= 1'b0;
      bresp_q      <= Okay;
      rvalid_q     <= 1'b0;
      rdata_q      <= 32'd0;
      rresp_q      <= Okay;
    end else begin
      run_q        <= run_d;
      irq_enable_q <= irq_enable_d;
      watchdog_q   <= watchdog_d;
      cycles_q     <= cycles_d;
      base_fault_q <= base_fault_d;
      base_unit_q  <= base_unit_d;
      wr_q         <= wr_take;
      rd_q         <= rd_d;
      if (wr_take) begin
        wr_addr_q  <= s_axil_awaddr_i;
        wr_data_q  <= s_axil_wdata_i;
        wr_strb_q  <= s_axil_wstrb_i;
      end
      if (rd_take) rd_addr_q <= s_axil_araddr_i;
      bvalid_q     <= bvalid_d;
      bresp_q      <= bresp_d;
      rvalid_q     <= rvalid_d;
      rdata_q      <= rdata_d;
      rresp_q      <= rresp_d;
    end
  end

endmodule : tpu_regs
