// SPDX-License-Identifier: Apache-2.0
//
// Verification only: says when one side of a handshake is to be held back. The generator's state is
// whatever power-up left there (ENGINE_INIT_RANDOM draws it from the seed) and reset does not touch
// it; what passes goes into it, so that instances that begin alike do not stay so. With all zeros
// nothing is ever held. Each start draws another pattern.

module tpu_stall (
    input  logic       clk_i,
    input  logic       start_i,  // draws the pattern of the next run
    input  logic       wait_i,   // the other side waits at the handshake
    input  logic       pass_i,   // something passes
    input  logic [7:0] data_i,   // some of what passes
    output logic       hold_o    // a register
);
  logic [31:0] state_q, next, mixed;
  logic [3:0] mode_q;
  logic [7:0] count_q;  // cycles since something passed
  logic [9:0] cycle_q;
  logic hold_q, hold_d;

  // xorshift; 0 stays 0.
  logic [31:0] a, b;
  assign a = state_q ^ (state_q << 13);
  assign b = a ^ (a >> 17);
  assign next = b ^ (b << 5);
  assign mixed = next ^ {data_i, 24'd0};

  always_comb begin
    hold_d = 1'b0;
    case (mode_q)
      4'd4: hold_d = next[0];
      4'd5: hold_d = |next[2:0];
      4'd6: hold_d = &next[2:0];
      4'd7: hold_d = cycle_q[0];
      4'd8: hold_d = cycle_q[1];
      4'd9: hold_d = pass_i || (count_q < 8'd3);               // a pause behind every transfer
      4'd10: hold_d = !wait_i && (count_q < 8'd9);             // open only to one that waits
      4'd11: hold_d = (count_q < 8'd20) && (!wait_i || (count_q < 8'd5));
      4'd12: hold_d = cycle_q[6];                              // 64 cycles shut, 64 open
      4'd13: hold_d = (cycle_q[8:0] < 9'd200);                 // a freeze
      4'd14: hold_d = &cycle_q[4:1];                           // short gaps, seldom
      4'd15: hold_d = ^next[5:0] && cycle_q[5];                // bursts of random ones
      default: ;                                               // most are left alone
    endcase
    if (state_q == '0) hold_d = 1'b0;
  end

  always_ff @(posedge clk_i) begin
    state_q <= (pass_i && (next != '0) && (mixed != '0)) ? mixed : next;
    if (start_i) mode_q <= next[20:17];
    cycle_q <= start_i ? {1'b0, next[31:23]} : cycle_q + 10'd1;
    count_q <= (pass_i || start_i) ? '0 : ((count_q == '1) ? count_q : count_q + 8'd1);
    hold_q <= hold_d;
  end

  assign hold_o = hold_q;
endmodule : tpu_stall
