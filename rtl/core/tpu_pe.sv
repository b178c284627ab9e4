// SPDX-License-Identifier: Apache-2.0
//
// One processing element: multiplies the activation that passes east with its weight and adds the
// partial sum that passes south, one registered step each. The next weight waits in a shadow
// register; the first activation of an mm carries the swap, so weights change exactly with the
// wavefront. Implements spec/isa_spec.json#numerics (multiply, accumulate).

module tpu_pe (
    input  logic               clk_i,
    input  logic               rst_ni,
    input  logic               advance_i,      // the whole wavefront moves one step

    input  logic               shadow_en_i,    // load the shadow weight
    input  logic signed [7:0]  shadow_i,

    input  logic signed [7:0]  act_i,          // from the west
    input  logic               swap_i,         // this activation is the first one of its mm
    input  logic signed [31:0] psum_i,         // from the north
    output logic signed [7:0]  act_o,          // to the east
    output logic               swap_o,
    output logic signed [31:0] psum_o          // to the south
);
  logic signed [7:0] shadow_q, weight_q, weight, act_q;
  logic swap_q;
  logic signed [15:0] product;
  logic signed [31:0] psum_q;

  // The operands are widened before the multiplication: 128 * 128 needs 16 bits with the sign.
  assign weight = swap_i ? shadow_q : weight_q;
  assign product = 16'(act_i) * 16'(weight);

  always_ff @(posedge clk_i) begin
    if (shadow_en_i) shadow_q <= shadow_i;
    if (advance_i) begin
      weight_q <= weight;
      act_q <= act_i;
      psum_q <= psum_i + 32'(product);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) swap_q <= 1'b0;
    else if (advance_i) swap_q <= swap_i;
  end

  assign act_o = act_q;
  assign swap_o = swap_q;
  assign psum_o = psum_q;
endmodule : tpu_pe
