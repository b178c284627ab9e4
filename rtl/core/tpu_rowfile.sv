// SPDX-License-Identifier: Apache-2.0
//
// A memory of packed rows with two lanes that run side by side: the write lane fills a span of
// rows, the read lane streams a span out, each one row a cycle in ascending order. Spans are
// loaded in program order; where they overlap, the younger lane waits row by row until the older
// one has passed. Each row carries a written flag, cleared when a program starts.

module tpu_rowfile #(
    parameter int Width = 32,  // bits of one row
    parameter int Depth = 64,  // rows
    parameter int TagW = 1     // bits of the caller's note on a span
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             clear_i,  // a program starts: no span is held, no row is written

    // Write lane: a span is taken when `ready`; rows follow on the row channel.
    input  logic             wspan_valid_i,
    output logic             wspan_ready_o,
    input  logic [11:0]      wspan_row_i,
    input  logic [7:0]       wspan_count_i,
    input  logic [TagW-1:0]  wspan_tag_i,
    input  logic             wrow_valid_i,
    output logic             wrow_ready_o,  // does not depend on wrow_valid_i
    input  logic [Width-1:0] wrow_data_i,
    input  logic             wrow_flag_i,   // the flag that the row gets
    output logic [11:0]      wrow_row_o,    // the row that is written when the channel fires
    output logic [TagW-1:0]  wrow_tag_o,    // of the span in the write lane

    // Read lane: rows come out with their flags and the tag of their span, the first one marked.
    input  logic             rspan_valid_i,
    output logic             rspan_ready_o,
    input  logic [11:0]      rspan_row_i,
    input  logic [7:0]       rspan_count_i,
    input  logic [TagW-1:0]  rspan_tag_i,
    output logic             rrow_valid_o,
    input  logic             rrow_ready_i,
    output logic [Width-1:0] rrow_data_o,
    output logic             rrow_flag_o,
    output logic             rrow_first_o,
    output logic [TagW-1:0]  rrow_tag_o,

    output logic             wbusy_o,    // the write lane holds rows to write
    output logic             rbusy_o,    // the read lane holds rows to read or to hand on
    output logic             whazard_o,  // the write lane waits for an older read
    output logic             rhazard_o   // the read lane waits for an older write
);
  localparam int AddrW = (Depth > 1) ? $clog2(Depth) : 1;

  // Spans: the next row and how many are left.
  logic [11:0] wnext_q, wnext_d, rnext_q, rnext_d;
  logic [7:0] wleft_q, wleft_d, rleft_q, rleft_d;
  logic read_older_q, read_older_d;  // the read span was loaded before the write span
  logic out_valid_q, out_valid_d;    // the RAM's output holds a row to hand on
  logic out_flag_q, out_first_q;
  logic rfirst_q, rfirst_d;          // the next row to read is the first of its span
  logic [TagW-1:0] wtag_q, rtag_q, out_tag_q;
  logic [Depth-1:0] written_q;

  logic wfire, rfire, wload, rload;

  // A row is inside a pending span when its distance from the span's next row is below the number
  // of rows left; rows are below 2048, so the 12-bit difference cannot alias.
  logic [11:0] wdist, rdist;
  assign wdist = wnext_q - rnext_q;
  assign rdist = rnext_q - wnext_q;
  assign whazard_o = (wleft_q != '0) && read_older_q && (wdist < {4'd0, rleft_q});
  assign rhazard_o = (rleft_q != '0) && !read_older_q && (rdist < {4'd0, wleft_q});

  assign wrow_ready_o = (wleft_q != '0) && !whazard_o;
  assign wfire = wrow_valid_i && wrow_ready_o;
  assign wrow_row_o = wnext_q;
  assign wrow_tag_o = wtag_q;
  assign rfire = (rleft_q != '0) && !rhazard_o && (!out_valid_q || rrow_ready_i);

  assign wspan_ready_o = (wleft_q == '0) || ((wleft_q == 8'd1) && wfire);
  assign rspan_ready_o = (rleft_q == '0) || ((rleft_q == 8'd1) && rfire);
  assign wload = wspan_valid_i && wspan_ready_o;
  assign rload = rspan_valid_i && rspan_ready_o;

  assign rrow_valid_o = out_valid_q;
  assign rrow_flag_o = out_flag_q;
  assign rrow_first_o = out_first_q;
  assign rrow_tag_o = out_tag_q;
  assign wbusy_o = wleft_q != '0;
  assign rbusy_o = (rleft_q != '0) || out_valid_q;

  always_comb begin
    wnext_d = wnext_q;
    wleft_d = wleft_q;
    rnext_d = rnext_q;
    rleft_d = rleft_q;
    read_older_d = read_older_q;
    out_valid_d = out_valid_q;
    rfirst_d = rfirst_q && !rfire;
    if (wfire) begin
      wnext_d = wnext_q + 12'd1;
      wleft_d = wleft_q - 8'd1;
    end
    if (rfire) begin
      rnext_d = rnext_q + 12'd1;
      rleft_d = rleft_q - 8'd1;
    end
    if (wload) begin
      wnext_d = wspan_row_i;
      wleft_d = wspan_count_i;
      read_older_d = 1'b1;
    end
    if (rload) begin
      rnext_d = rspan_row_i;
      rleft_d = rspan_count_i;
      read_older_d = 1'b0;
      rfirst_d = 1'b1;
    end
    if (rfire) out_valid_d = 1'b1;
    else if (rrow_ready_i) out_valid_d = 1'b0;
    if (clear_i) begin
      wleft_d = '0;
      rleft_d = '0;
      out_valid_d = 1'b0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wnext_q <= '0;
      wleft_q <= '0;
      rnext_q <= '0;
      rleft_q <= '0;
      read_older_q <= 1'b0;
      out_valid_q <= 1'b0;
      rfirst_q <= 1'b0;
    end else begin
      wnext_q <= wnext_d;
      wleft_q <= wleft_d;
      rnext_q <= rnext_d;
      rleft_q <= rleft_d;
      read_older_q <= read_older_d;
      out_valid_q <= out_valid_d;
      rfirst_q <= rfirst_d;
    end
  end

  // The flags are a memory of single bits that one pulse clears.
  always_ff @(posedge clk_i) begin
    if (clear_i) written_q <= '0;
    else if (wfire) written_q[wnext_q[AddrW-1:0]] <= wrow_flag_i;
  end

  always_ff @(posedge clk_i) begin
    if (rfire) out_flag_q <= written_q[rnext_q[AddrW-1:0]];
    if (rfire) out_first_q <= rfirst_q;
    if (rfire) out_tag_q <= rtag_q;
    if (rload) rtag_q <= rspan_tag_i;
    if (wload) wtag_q <= wspan_tag_i;
  end

  tpu_ram #(
      .Width(Width),
      .Depth(Depth),
      .AddrW(AddrW)
  ) u_ram (
      .clk_i,
      .wr_en_i(wfire),
      .wr_addr_i(wnext_q[AddrW-1:0]),
      .wr_data_i(wrow_data_i),
      .rd_en_i(rfire),
      .rd_addr_i(rnext_q[AddrW-1:0]),
      .rd_data_o(rrow_data_o)
  );
endmodule : tpu_rowfile
