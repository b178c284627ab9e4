// SPDX-License-Identifier: Apache-2.0
//
// Checks of one channel, bound to tpu_fifo: what a writer offers holds until it is taken. Clocked
// immediate assertions that copy data only while a writer waits, because every channel of every
// test build carries them.

module tpu_fifo_sva #(
  parameter int Width = 8
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic              clear_i,
  input logic              wr_valid_i,
  input logic              wr_ready_i,
  input logic [Width-1:0]  wr_data_i
);

  logic             waits_q;  // the writer was not heard in the last cycle
  logic [Width-1:0] held_q;   // what it offered

  // The assertions sit in the else of the reset: nothing is claimed of the power-up state.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waits_q <= 1'b0;
      held_q  <= '0;
    end else begin
      waits_q <= 1'b0;
      if (wr_valid_i & ~wr_ready_i) begin
        waits_q <= ~clear_i;
        held_q  <= wr_data_i;
      end
      if (waits_q & ~clear_i) begin
        ValidHoldsUnderStall_A: assert (wr_valid_i)
          else $error("a writer takes back what it offered");
        DataHoldsUnderStall_A: assert (wr_data_i == held_q)
          else $error("a writer changes what it offers");
      end
    end
  end

endmodule : tpu_fifo_sva
