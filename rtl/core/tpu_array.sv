// SPDX-License-Identifier: Apache-2.0
//
// The weight-stationary array of T x T processing elements. PE(i, j) holds lane j of weight row i
// and sees lane i of the activation row, so that column j sums act[i] * W[i][j] in ascending i.
// It is a rigid wavefront: rows enter skewed by one step a lane and leave deskewed; bubbles move
// on, and only a full output channel stops it. The weights of the next mm load into shadow
// registers behind the passing wave. Implements spec/isa_spec.json, unit array.
//
//            shadow rows from wcol (row i when the wave has left row i)
//                 |
//   acol lane i --(i steps)--> PE(i,0) --> PE(i,1) ... PE(i,T-1)
//                               | south
//   cw lane j  <--(T-1-j steps)-- PE(T-1,j)

module tpu_array #(
    parameter int T = 4
) (
    input  logic            clk_i,
    input  logic            rst_ni,
    input  logic            start_i,

    input  logic            wcol_valid_i,
    output logic            wcol_ready_o,  // does not depend on wcol_valid_i
    input  logic [8*T-1:0]  wcol_data_i,
    input  logic            acol_valid_i,
    output logic            acol_ready_o,  // depends on cw_ready_i, not on acol_valid_i
    input  logic [8*T-1:0]  acol_data_i,
    output logic            cw_valid_o,
    input  logic            cw_ready_i,
    output logic [32*T-1:0] cw_data_o,

    output logic            header_bad_o,
    output logic            idle_o,
    output logic [6:0]      state_o
);
  localparam int Latency = 2 * T - 1;        // steps from acol to cw
  localparam int RowW = $clog2(T + 1);
  localparam int AgeW = $clog2(2 * T + 1);
  localparam logic [1:0] Counts = 2'd0;      // wcol's first row of a run
  localparam logic [1:0] MmHeader = 2'd1;    // the activation rows of the next mm
  localparam logic [1:0] Weights = 2'd2;     // T weight rows
  localparam logic [1:0] Loaded = 2'd3;      // they wait for their wave

  logic advance;

  // ---------------------------------------------------------------- weight loader
  logic [1:0] load_q, load_d;
  logic [RowW-1:0] row_q, row_d;             // weight row that comes next
  logic [7:0] next_rows_q, next_rows_d;      // activation rows of the loaded mm
  logic [AgeW-1:0] age_q, age_d;             // steps since the last wave began, saturating
  logic [31:0] promised_q, promised_d;       // {mm rows, mm count}
  logic [15:0] mms_q, mms_d, rows_q, rows_d; // the same, as seen
  logic wcol_fire, shadow_fire, row_free;
  logic launch, row_fire;
  logic [7:0] left_q, left_d;                // activation rows of the current mm still to enter

  // Row i is free for new weights once the swap has left its last column: i + T steps.
  assign row_free = age_q >= (AgeW'(row_q) + AgeW'(T));
  always_comb begin
    case (load_q)
      Weights: wcol_ready_o = row_free;
      Loaded: wcol_ready_o = 1'b0;
      default: wcol_ready_o = 1'b1;
    endcase
  end
  assign wcol_fire = wcol_valid_i && wcol_ready_o;
  assign shadow_fire = wcol_fire && (load_q == Weights);

  always_comb begin
    load_d = load_q;
    row_d = row_q;
    next_rows_d = next_rows_q;
    promised_d = promised_q;
    mms_d = mms_q;
    age_d = age_q;
    if (advance && (age_q != AgeW'(2 * T))) age_d = age_q + 1'b1;
    case (load_q)
      Counts: if (wcol_fire) begin
        promised_d = wcol_data_i[31:0];
        load_d = MmHeader;
      end
      MmHeader: if (wcol_fire) begin
        next_rows_d = wcol_data_i[7:0];
        row_d = '0;
        if (!mms_q[15]) mms_d = mms_q + 16'd1;
        load_d = Weights;
      end
      Weights: if (wcol_fire) begin
        row_d = row_q + 1'b1;
        if (row_q == RowW'(T - 1)) load_d = Loaded;
      end
      default: if (launch) begin
        load_d = MmHeader;
        age_d = AgeW'(1);
      end
    endcase
    if (start_i) begin
      load_d = Counts;
      promised_d = '0;
      mms_d = '0;
      age_d = AgeW'(2 * T);
    end
  end

  // ---------------------------------------------------------------- wavefront
  logic [Latency-1:0] in_flight_q, in_flight_d;  // a row is at step k
  logic can_enter;

  assign cw_valid_o = in_flight_q[Latency-1];
  assign advance = !cw_valid_o || cw_ready_i;
  assign can_enter = (left_q != '0) || (load_q == Loaded);
  assign acol_ready_o = advance && can_enter;
  assign row_fire = acol_valid_i && acol_ready_o;
  assign launch = row_fire && (left_q == '0);

  always_comb begin
    left_d = left_q;
    rows_d = rows_q;
    in_flight_d = in_flight_q;
    if (advance) in_flight_d = {in_flight_q[Latency-2:0], row_fire};
    if (row_fire) begin
      left_d = launch ? next_rows_q - 8'd1 : left_q - 8'd1;
      if (!rows_q[15]) rows_d = rows_q + 16'd1;
    end
    if (start_i) begin
      left_d = '0;
      rows_d = '0;
      in_flight_d = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      load_q <= Counts;
      row_q <= '0;
      next_rows_q <= '0;
      age_q <= AgeW'(2 * T);
      promised_q <= '0;
      mms_q <= '0;
      rows_q <= '0;
      left_q <= '0;
      in_flight_q <= '0;
    end else begin
      load_q <= load_d;
      row_q <= row_d;
      next_rows_q <= next_rows_d;
      age_q <= age_d;
      promised_q <= promised_d;
      mms_q <= mms_d;
      rows_q <= rows_d;
      left_q <= left_d;
      in_flight_q <= in_flight_d;
    end
  end

  // ---------------------------------------------------------------- fabric
  for (genvar i = 0; i < T; i++) begin : gen_row
    // Skew: lane i and its swap mark arrive i steps after lane 0.
    logic [9*(i+1)-1:0] skew;
    assign skew[8:0] = {launch, acol_data_i[8*i +: 8]};
    if (i > 0) begin : gen_skew
      logic [9*i-1:0] skew_q;
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) skew_q <= '0;
        else if (advance) skew_q <= skew[9*i-1:0];
      end
      assign skew[9*(i+1)-1:9] = skew_q;
    end

    for (genvar j = 0; j < T; j++) begin : gen_col
      logic signed [7:0] act_west, act_east;
      logic signed [31:0] psum_north, psum_south;
      logic swap_west, swap_east;

      if (j == 0) begin : gen_west_edge
        assign act_west = skew[9*i +: 8];
        assign swap_west = skew[9*i + 8];
      end else begin : gen_west
        assign act_west = gen_row[i].gen_col[j-1].act_east;
        assign swap_west = gen_row[i].gen_col[j-1].swap_east;
      end
      if (i == 0) begin : gen_north_edge
        assign psum_north = 32'sd0;
      end else begin : gen_north
        assign psum_north = gen_row[i-1].gen_col[j].psum_south;
      end

      tpu_pe u_pe (
          .clk_i,
          .rst_ni,
          .advance_i(advance),
          .shadow_en_i(shadow_fire && (row_q == RowW'(i))),
          .shadow_i(wcol_data_i[8*j +: 8]),
          .act_i(act_west),
          .swap_i(swap_west),
          .psum_i(psum_north),
          .act_o(act_east),
          .swap_o(swap_east),
          .psum_o(psum_south)
      );
    end
  end

  // Deskew: column j waits for column T-1.
  for (genvar j = 0; j < T; j++) begin : gen_out
    localparam int Wait = T - 1 - j;
    logic [32*(Wait+1)-1:0] deskew;
    assign deskew[31:0] = gen_row[T-1].gen_col[j].psum_south;
    if (Wait > 0) begin : gen_deskew
      logic [32*Wait-1:0] deskew_q;
      always_ff @(posedge clk_i) begin
        if (advance) deskew_q <= deskew[32*Wait-1:0];
      end
      assign deskew[32*(Wait+1)-1:32] = deskew_q;
    end
    assign cw_data_o[32*j +: 32] = deskew[32*Wait +: 32];
  end

  // Nothing lies east of the last column.
  for (genvar i = 0; i < T; i++) begin : gen_east_edge
    logic unused_east;
    assign unused_east = ^{gen_row[i].gen_col[T-1].act_east, gen_row[i].gen_col[T-1].swap_east};
  end

  // A count above COUNT_MAX stops counting, and no header may promise it.
  assign header_bad_o = (promised_q != {rows_q, mms_q}) || rows_q[15] || mms_q[15];
  assign idle_o = (left_q == '0) && (in_flight_q == '0) &&
      ((load_q == MmHeader) || (load_q == Counts));

  always_comb begin
    state_o = {5'(tpu_isa_pkg::STREAM_WCOL), 2'd2};
    if (cw_valid_o && !cw_ready_i) state_o = {5'(tpu_isa_pkg::STREAM_CW), 2'd3};
    else if (row_fire || wcol_fire || (in_flight_q != '0)) state_o = {5'd0, 2'd1};
    else if (can_enter) state_o = {5'(tpu_isa_pkg::STREAM_ACOL), 2'd2};
    else if (idle_o) state_o = {5'd0, 2'd0};
  end
endmodule : tpu_array
