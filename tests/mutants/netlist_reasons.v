// SPDX-License-Identifier: Apache-2.0
//
// Reasons of netlist_survivors.txt that are arithmetic, for Yosys's SAT solver (ci/check_reasons):
// every ok_* is 1 for all inputs, in all cycles. Where a rule says const0, inv or cnot of a bit, the
// fault is written out beside the expression of the machine.

// The compares of a lane: does it hold its last row? Any compare with a constant, and the checks of a
// range.
module reasons_compare (
    input  [7:0]  left,
    input  [2:0]  bit_changed,
    input  [2:0]  bit_deciding,
    input  [21:0] sum,
    input  [10:0] noise,
    input  [7:0]  constant,
    input  [31:0] value,
    input  [33:0] marks,
    input  [33:0] mask,
    input  [33:0] stuck,
    output ok_other_bit,
    output ok_long,
    output ok_never_last,
    output ok_range,
    output ok_marks,
    output wrong
);
  wire [7:0] one_hot = 8'd1 << bit_changed;
  wire last = left == 8'd1;
  wire decides = left[bit_deciding];
  // cnot1: a bit is inverted where another one, above the lowest, is 1.
  wire last_cnot1 = (left ^ (decides ? one_hot : 8'd0)) == 8'd1;
  wire none_cnot1 = (left ^ (decides ? one_hot : 8'd0)) == 8'd0;
  // The same for any constant, 0 among them: where the bit that decides is not the constant's, both
  // values differ from it. cnot0 likewise, and noise[0] says which of them.
  wire [7:0] any_cnot = left ^ ((decides == noise[0]) ? one_hot : 8'd0);
  wire ok_constant = (constant[bit_deciding] == noise[0]) ||
      ((any_cnot == constant) == (left == constant));
  assign ok_other_bit = (bit_changed == bit_deciding) || (ok_constant && ((bit_deciding == 3'd0) ||
      ((last_cnot1 == last) && (none_cnot1 == (left == 8'd0)))));
  // Bits 6 and 7, however they change: a span of 1 to 64 rows is not taken for one of a single row.
  wire [7:0] other = left ^ (decides ? 8'h40 : 8'd0) ^ (noise[0] ? 8'h80 : 8'd0);
  assign ok_long = (left == 8'd0) || (left > 8'd64) || (other != 8'd1) || last;
  // const1 of a bit above the lowest.
  assign ok_never_last = (bit_changed == 3'd0) || ((left | one_hot) != 8'd1);
  assign wrong = (left | one_hot) != 8'd1;
  // Any change of the eleven low bits; of the seven low bits of what is saturated, and of the lowest
  // bit of its bounds.
  wire signed [31:0] number = value;
  wire signed [31:0] noisy = value ^ {25'd0, noise[6:0]};
  wire signed [31:0] most = 32'sd127 ^ {31'd0, noise[7]};
  wire signed [31:0] least = -32'sd128 ^ {31'd0, noise[8]};
  wire [7:0] clipped = (number > 32'sd127) ? 8'h7F : (number < -32'sd128) ? 8'h80 : value[7:0];
  wire ok_clip = ((noisy > 32'sd127) == (number > 32'sd127)) &&
      ((noisy < -32'sd128) == (number < -32'sd128)) &&
      (clipped == ((number > most) ? 8'h7F : (number < least) ? 8'h80 : value[7:0]));
  assign ok_range = ok_clip && ((sum > 22'd2047) == ((sum ^ {11'd0, noise}) > 22'd2047));
  // Marks are only ever set, so what is masked out before need not be.
  assign ok_marks = ((marks & ~mask) | mask) == ((marks & (~mask | stuck)) | mask);
endmodule

// One turn of a loop: each offset stays, moves by its stride or falls back to 0.
module reasons_sum (
    input  [10:0] base,
    input  [32:0] strides,
    input  [53:0] offsets,
    input  [5:0]  moves,
    output ok_sum
);
  function [18:0] next;
    input [1:0] move;
    input [17:0] offset;
    input [10:0] stride;
    next = move == 2'd0 ? 19'd0 : move == 2'd1 ? {1'b0, offset} + {8'd0, stride} : {1'b0, offset};
  endfunction
  wire legal = {11'd0, base} + offsets[17:0] + offsets[35:18] + offsets[53:36] <= 22'd2047;
  wire [18:0] first = next(moves[1:0], offsets[17:0], strides[10:0]);
  wire [18:0] second = next(moves[3:2], offsets[35:18], strides[21:11]);
  wire [18:0] third = next(moves[5:4], offsets[53:36], strides[32:22]);
  assign ok_sum = !legal || (({11'd0, base} + first + second + third < 22'd8192) &&
      (first < 19'd4096) && (second < 19'd4096) && (third < 19'd4096));
endmodule

// By induction over cycles: rows left of loads that are legal are never above 16, and the age of a
// wave, where it wraps in place of saturating at 8, is never above the true one.
module reasons_left (
    input        clk,
    input        start,
    input        load,
    input        fire,
    input  [7:0] rows,
    input        advance,
    input        launch,
    output ok_left
);
  reg [7:0] left = 8'd0;
  wire step = fire && (left != 8'd0);
  wire take = load && (rows >= 8'd1) && (rows <= 8'd16) &&
      ((left == 8'd0) || (step && (left == 8'd1)));
  always @(posedge clk) left <= start ? 8'd0 : take ? rows : step ? left - 8'd1 : left;
  reg [3:0] age = 4'd8;
  reg [3:0] wraps = 4'd0;
  wire [3:0] older = wraps + 4'd1;
  always @(posedge clk) begin
    age <= start ? 4'd8 : launch ? 4'd1 : (advance && (age != 4'd8)) ? age + 4'd1 : age;
    wraps <= start ? 4'd0 : launch ? 4'd1 : advance ? {1'b0, older[2:0]} : wraps;
  end
  assign ok_left = (left <= 8'd16) && (age <= 4'd8) && (wraps <= age);
endmodule
