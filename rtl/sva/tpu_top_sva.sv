// SPDX-License-Identifier: Apache-2.0
//
// Checks of the machine's outside, bound to tpu_top: the AXI4 rules that a manager must keep, that
// the bus answers only what was asked, the AXI4-Lite answers, and that nothing moves outside a run.

module tpu_top_sva (
  input logic         clk_i,
  input logic         rst_ni,

  // AXI4 manager.
  input logic         arvalid_i,
  input logic         arready_i,
  input logic [63:0]  araddr_i,
  input logic [7:0]   arlen_i,
  input logic         rvalid_i,
  input logic         rready_i,
  input logic         rd_idle_i,   // no read answer is owed
  input logic         awvalid_i,
  input logic         awready_i,
  input logic [63:0]  awaddr_i,
  input logic         wvalid_i,
  input logic         wready_i,
  input logic [511:0] wdata_i,
  input logic [63:0]  wstrb_i,
  input logic         bvalid_i,
  input logic         wr_idle_i,   // no write answer is owed

  // AXI4-Lite.
  input logic         s_bvalid_i,
  input logic         s_bready_i,
  input logic         s_rvalid_i,
  input logic         s_rready_i,
  input logic [31:0]  s_rdata_i,

  // Run.
  input logic         taken_i,
  input logic         done_i,
  input logic [7:0]   fault_i,
  input logic         irq_i,
  input logic [tpu_isa_pkg::STREAM_COUNT-1:0] fired_i
);

  // What waited in the last cycle, and what it carried.
  logic         ar_waits_q, aw_waits_q, w_waits_q, s_b_waits_q, s_r_waits_q;
  logic [63:0]  araddr_q, awaddr_q, wstrb_q;
  logic [511:0] wdata_q;
  logic [31:0]  s_rdata_q;
  logic         in_run_q;  // a command was taken and done has not been up since

  always_ff @(posedge clk_i) begin
    if (arvalid_i & ~arready_i) araddr_q <= araddr_i;
    if (awvalid_i & ~awready_i) awaddr_q <= awaddr_i;
    if (s_rvalid_i & ~s_rready_i) s_rdata_q <= s_rdata_i;
    if (wvalid_i & ~wready_i) begin
      wdata_q <= wdata_i;
      wstrb_q <= wstrb_i;
    end
  end

  // The assertions sit in the else of the reset: nothing is claimed of the power-up state.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ar_waits_q  <= 1'b0;
      aw_waits_q  <= 1'b0;
      w_waits_q   <= 1'b0;
      s_b_waits_q <= 1'b0;
      s_r_waits_q <= 1'b0;
      in_run_q    <= 1'b0;
    end else begin
      ar_waits_q  <= arvalid_i & ~arready_i;
      aw_waits_q  <= awvalid_i & ~awready_i;
      w_waits_q   <= wvalid_i & ~wready_i;
      s_b_waits_q <= s_bvalid_i & ~s_bready_i;
      s_r_waits_q <= s_rvalid_i & ~s_rready_i;
      in_run_q    <= taken_i | (in_run_q & ~done_i);

      if (ar_waits_q) begin
        ArHoldsUnderStall_A: assert (arvalid_i & (araddr_i == araddr_q))
          else $error("a read address is taken back or changed");
      end
      if (aw_waits_q) begin
        AwHoldsUnderStall_A: assert (awvalid_i & (awaddr_i == awaddr_q))
          else $error("a write address is taken back or changed");
      end
      if (w_waits_q) begin
        WHoldsUnderStall_A: assert (wvalid_i & (wstrb_i == wstrb_q) & (wdata_i == wdata_q))
          else $error("write data is taken back or changed");
      end
      if (s_b_waits_q) begin
        LiteBHoldsUnderStall_A: assert (s_bvalid_i)
          else $error("a register's write response is taken back");
      end
      if (s_r_waits_q) begin
        LiteRHoldsUnderStall_A: assert (s_rvalid_i & (s_rdata_i == s_rdata_q))
          else $error("a register's value is taken back or changed");
      end

      if (arvalid_i) begin
        ReadsWholeBeats_A: assert ((araddr_i[5:0] == 6'd0) & (arlen_i == 8'd0))
          else $error("a read is not one aligned beat");
      end
      if (awvalid_i) begin
        WritesWholeBeats_A: assert (awaddr_i[5:0] == 6'd0)
          else $error("a write is not one aligned beat");
      end
      if (rvalid_i & rready_i) begin
        NoBeatUnasked_A: assert (~rd_idle_i) else $error("a beat comes that nobody asked for");
      end
      if (bvalid_i) begin
        NoResponseUnasked_A: assert (~wr_idle_i) else $error("a write response comes for nothing");
      end
      // A run that the watchdog ended may still drain.
      if ((fired_i != '0) && (fault_i != tpu_isa_pkg::FAULT_WATCHDOG)) begin
        EventsInRun_A: assert (taken_i | (in_run_q & ~done_i))
          else $error("a stream moves outside a run");
      end
      if (irq_i) begin
        InterruptWhenDone_A: assert (done_i | taken_i)
          else $error("the interrupt is up while nothing is done");
      end
    end
  end

endmodule : tpu_top_sva
