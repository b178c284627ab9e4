// SPDX-License-Identifier: Apache-2.0
//
// A channel: a first-in first-out queue between one writer and one reader, any depth from 1 up.
// Neither `ready` nor `valid` depends on the other side in the same cycle, so a chain of channels
// has no combinational path through it. Knows nothing of the data.

module tpu_fifo #(
    parameter int Width = 8,
    parameter int Depth = 2
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             clear_i,  // empties the queue

    // Writer. `ready` does not depend on `valid`.
    input  logic             wr_valid_i,
    output logic             wr_ready_o,
    input  logic [Width-1:0] wr_data_i,

    // Reader. `valid` does not depend on `ready`; data and valid hold until taken.
    output logic             rd_valid_o,
    input  logic             rd_ready_i,
    output logic [Width-1:0] rd_data_o
);
  localparam int PtrW = (Depth > 1) ? $clog2(Depth) : 1;
  localparam int CountW = $clog2(Depth + 1);
  localparam logic [PtrW-1:0] Last = PtrW'(Depth - 1);
  localparam logic [CountW-1:0] Full = CountW'(Depth);

  logic [Width-1:0] mem_q [Depth];
  logic [PtrW-1:0] head_q, head_d, tail_q, tail_d;
  logic [CountW-1:0] count_q, count_d;
  logic push, pop;

  assign wr_ready_o = count_q != Full;
  assign rd_valid_o = count_q != '0;
  assign rd_data_o = mem_q[head_q];
  assign push = wr_valid_i && wr_ready_o;
  assign pop = rd_valid_o && rd_ready_i;

  always_comb begin
    head_d = head_q;
    tail_d = tail_q;
    count_d = count_q;
    if (pop) head_d = (head_q == Last) ? '0 : head_q + 1'b1;
    if (push) tail_d = (tail_q == Last) ? '0 : tail_q + 1'b1;
    if (push && !pop) count_d = count_q + 1'b1;
    if (pop && !push) count_d = count_q - 1'b1;
    if (clear_i) begin
      head_d = '0;
      tail_d = '0;
      count_d = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q <= '0;
      tail_q <= '0;
      count_q <= '0;
    end else begin
      head_q <= head_d;
      tail_q <= tail_d;
      count_q <= count_d;
    end
  end

  // The storage has no reset: what was never written is never read.
  always_ff @(posedge clk_i) begin
    if (push) mem_q[tail_q] <= wr_data_i;
  end
endmodule : tpu_fifo
