// SPDX-License-Identifier: Apache-2.0
//
// The accumulator file and its arithmetic. Three lanes run side by side, each one row a cycle and
// in program order within itself: mm (adds the array's partial sums), alu (vadd, vrelu, vaddrelu)
// and out (mvout: saturate and hand on). Where their rows meet, the younger instruction waits row
// by row, so the result is that of program order. Four banks (row modulo 4) serve the lanes at
// once; a lane that hits the bank of a stronger one slips a cycle and then runs beside it.
// Implements spec/isa_spec.json, unit accu, and the accumulator contracts.
//
//   cycle n:   hazards and banks are decided, the row is read
//   cycle n+1: the result is formed and written (or handed on); this stage never waits

module tpu_accu #(
    parameter int T = 4,
    parameter int Nar = 136
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             start_i,

    input  logic             ctl_valid_i,
    output logic             ctl_ready_o,   // depends on ctl_data_i, not on ctl_valid_i
    input  logic [63:0]      ctl_data_i,    // the instruction word
    input  logic [15:0]      ctl_pc_i,

    input  logic             cw_valid_i,
    output logic             cw_ready_o,    // does not depend on cw_valid_i
    input  logic [32*T-1:0]  cw_data_i,
    output logic             ac_valid_o,    // ac2sp
    input  logic             ac_ready_i,
    output logic [8*T-1:0]   ac_data_o,

    output logic             probe_mm_valid_o,   // {data, row}
    output logic [32*T+15:0] probe_mm_o,
    output logic             probe_alu_valid_o,  // {data, row}
    output logic [32*T+15:0] probe_alu_o,

    output logic             fault_valid_o,  // one cycle: a read broke an accumulator contract
    output logic [7:0]       fault_code_o,
    output logic [15:0]      fault_pc_o,
    output logic             header_bad_o,
    output logic             idle_o,
    output logic [6:0]       state_o
);
  localparam int Banks = 4;
  localparam int BankRows = (Nar + Banks - 1) / Banks;
  localparam int AddrW = (BankRows > 1) ? $clog2(BankRows) : 1;
  localparam int RowW = (Nar > 1) ? $clog2(Nar) : 1;
  localparam int DataW = 32 * T;
  localparam int StepW = 16;

  // ---------------------------------------------------------------- header and decode
  logic header_q, header_d;                          // the header word was taken
  logic [StepW-1:0] promised_q, promised_d;
  logic [StepW-1:0] step_q, step_d;                  // accu steps of all instructions, modulo 2^16
  logic beyond_q, beyond_d;                          // there were more than COUNT_MAX
  logic [63:0] word;
  logic [15:0] pc;
  logic [5:0] op;
  logic [7:0] nr;
  logic [11:0] f0, f1, f2;
  logic is_mm, is_out, is_two;
  logic m_free, v_free, r_free;
  logic take, m_load, v_load, r_load;

  assign word = ctl_data_i;
  assign pc = ctl_pc_i;
  assign op = word[tpu_isa_pkg::OP_LO +: 6];
  assign nr = word[tpu_isa_pkg::NR_LO +: 8];
  assign f0 = word[tpu_isa_pkg::F0_LO +: 12];
  assign f1 = word[tpu_isa_pkg::F1_LO +: 12];
  assign f2 = word[tpu_isa_pkg::F2_LO +: 12];
  assign is_mm = op == tpu_isa_pkg::OP_MM;
  assign is_out = op == tpu_isa_pkg::OP_MVOUT;
  assign is_two = (op == tpu_isa_pkg::OP_VADD) || (op == tpu_isa_pkg::OP_VADDRELU);
  assign ctl_ready_o = !header_q || (is_mm ? m_free : (is_out ? r_free : v_free));
  assign take = ctl_valid_i && ctl_ready_o && header_q;
  assign m_load = take && is_mm;
  assign r_load = take && is_out;
  assign v_load = take && !is_mm && !is_out;

  always_comb begin
    header_d = header_q || ctl_valid_i;
    promised_d = promised_q;
    step_d = step_q;
    beyond_d = beyond_q || step_q[StepW-1];
    if (!header_q && ctl_valid_i) promised_d = word[StepW-1:0];
    if (take) step_d = step_q + StepW'(nr);
    if (start_i) begin
      header_d = 1'b0;
      promised_d = '0;
      step_d = '0;
      beyond_d = 1'b0;
    end
  end

  // ---------------------------------------------------------------- lanes: next row, rows left
  logic [11:0] m_row_q, m_row_d, r_row_q, r_row_d;
  logic [11:0] v_dst_q, v_dst_d, v_src1_q, v_src1_d, v_src2_q, v_src2_d;
  logic [7:0] m_left_q, m_left_d, v_left_q, v_left_d, r_left_q, r_left_d;
  logic [StepW-1:0] m_step_q, m_step_d, v_step_q, v_step_d, r_step_q, r_step_d;
  logic [15:0] m_pc_q, m_pc_d, v_pc_q, v_pc_d, r_pc_q, r_pc_d;
  logic m_acc_q, m_acc_d;                            // add to the row, else overwrite it
  logic v_two_q, v_two_d, v_relu_q, v_relu_d;
  logic v_second_q, v_second_d;                      // the row's first source is read
  logic m_older_v_q, m_older_v_d, m_older_r_q, m_older_r_d, v_older_r_q, v_older_r_d;
  logic m_fire, v_fire, r_fire, v_last;

  // Second stage of each lane.
  logic m1_valid_q, m1_acc_q, m1_flag_q;
  logic [11:0] m1_row_q, v1_dst_q;
  logic [StepW-1:0] m1_step_q, v1_step_q, r1_step_q;
  logic [15:0] m1_pc_q, v1_pc_q, r1_pc_q;
  logic [DataW-1:0] m1_psum_q, v1_held_q;
  logic v1_valid_q, v1_last_q, v1_two_q, v1_relu_q, v1_flag_q;
  logic r1_valid_q, r1_flag_q;
  logic [1:0] v1_bank_q, r1_bank_q;
  logic kept_valid_q, kept_valid_d;                  // a saturated row that found no room
  logic [8*T-1:0] kept_q;

  // ---------------------------------------------------------------- hazards
  // A row is pending in a span when its distance from the span's next row is below the rows left.
  logic [11:0] v_src;
  logic [11:0] md_v, m1_v, m2_v, md_r, vd_m, vs_m, vd_r, rd_m, rd_v;
  logic m_hazard, v_hazard, r_hazard;
  logic m_fresh, v_fresh, r_fresh;                   // the row to read is being written right now

  assign v_src = v_second_q ? v_src2_q : v_src1_q;
  assign md_v = m_row_q - v_dst_q;
  assign m1_v = m_row_q - v_src1_q;
  assign m2_v = m_row_q - v_src2_q;
  assign md_r = m_row_q - r_row_q;
  assign vd_m = v_dst_q - m_row_q;
  assign vs_m = v_src - m_row_q;
  assign vd_r = v_dst_q - r_row_q;
  assign rd_m = r_row_q - m_row_q;
  assign rd_v = r_row_q - v_dst_q;

  assign m_fresh = (m1_valid_q && (m1_row_q == m_row_q)) ||
      (v1_valid_q && v1_last_q && (v1_dst_q == m_row_q));
  assign v_fresh = (m1_valid_q && (m1_row_q == v_src)) ||
      (v1_valid_q && v1_last_q && (v1_dst_q == v_src));
  assign r_fresh = (m1_valid_q && (m1_row_q == r_row_q)) ||
      (v1_valid_q && v1_last_q && (v1_dst_q == r_row_q));

  assign m_hazard = (m_acc_q && m_fresh) ||
      (!m_older_v_q && ((md_v < 12'(v_left_q)) || (m1_v < 12'(v_left_q)) ||
                        (v_two_q && (m2_v < 12'(v_left_q))))) ||
      (!m_older_r_q && (md_r < 12'(r_left_q)));
  assign v_hazard = v_fresh ||
      (m_older_v_q && ((vd_m < 12'(m_left_q)) || (vs_m < 12'(m_left_q)))) ||
      (!v_older_r_q && (vd_r < 12'(r_left_q)));
  assign r_hazard = r_fresh || (m_older_r_q && (rd_m < 12'(m_left_q))) ||
      (v_older_r_q && (rd_v < 12'(v_left_q)));

  // ---------------------------------------------------------------- banks: mm, then out, then alu
  logic m_read, r_room, r_clash, v_clash;

  assign cw_ready_o = (m_left_q != '0) && !m_hazard;
  assign m_fire = cw_valid_i && cw_ready_o;
  assign m_read = m_fire && m_acc_q;
  assign r_room = !kept_valid_q && (!r1_valid_q || ac_ready_i);
  assign r_clash = m_read && (m_row_q[1:0] == r_row_q[1:0]);
  assign r_fire = (r_left_q != '0) && !r_hazard && !r_clash && r_room;
  // The write of the alu lane follows one cycle later, beside the write of an mm row of now.
  assign v_last = !v_two_q || v_second_q;
  assign v_clash = (m_read && (m_row_q[1:0] == v_src[1:0])) ||
      (r_fire && (r_row_q[1:0] == v_src[1:0])) ||
      (m_fire && v_last && (m_row_q[1:0] == v_dst_q[1:0]));
  assign v_fire = (v_left_q != '0) && !v_hazard && !v_clash;

  assign m_free = (m_left_q == '0) || ((m_left_q == 8'd1) && m_fire);
  assign v_free = (v_left_q == '0) || ((v_left_q == 8'd1) && v_fire && v_last);
  assign r_free = (r_left_q == '0) || ((r_left_q == 8'd1) && r_fire);

  // ---------------------------------------------------------------- lane progress
  always_comb begin
    m_row_d = m_row_q;
    m_left_d = m_left_q;
    m_step_d = m_step_q;
    m_pc_d = m_pc_q;
    m_acc_d = m_acc_q;
    if (m_fire) begin
      m_row_d = m_row_q + 12'd1;
      m_left_d = m_left_q - 8'd1;
      m_step_d = m_step_q + 1'b1;
    end
    if (m_load) begin
      m_row_d = f1;
      m_left_d = nr;
      m_step_d = step_q;
      m_pc_d = pc;
      m_acc_d = f2[0];
    end
    if (start_i) m_left_d = '0;
  end

  always_comb begin
    v_dst_d = v_dst_q;
    v_src1_d = v_src1_q;
    v_src2_d = v_src2_q;
    v_left_d = v_left_q;
    v_step_d = v_step_q;
    v_pc_d = v_pc_q;
    v_two_d = v_two_q;
    v_relu_d = v_relu_q;
    v_second_d = v_second_q;
    if (v_fire) begin
      v_step_d = v_step_q + 1'b1;
      v_second_d = !v_last;
      if (v_last) begin
        v_dst_d = v_dst_q + 12'd1;
        v_src1_d = v_src1_q + 12'd1;
        v_src2_d = v_src2_q + 12'd1;
        v_left_d = v_left_q - 8'd1;
      end
    end
    if (v_load) begin
      v_dst_d = f0;
      v_src1_d = f1;
      v_src2_d = f2;
      v_left_d = is_two ? {1'b0, nr[7:1]} : nr;
      v_step_d = step_q;
      v_pc_d = pc;
      v_two_d = is_two;
      v_relu_d = op != tpu_isa_pkg::OP_VADD;
      v_second_d = 1'b0;
    end
    if (start_i) v_left_d = '0;
  end

  always_comb begin
    r_row_d = r_row_q;
    r_left_d = r_left_q;
    r_step_d = r_step_q;
    r_pc_d = r_pc_q;
    if (r_fire) begin
      r_row_d = r_row_q + 12'd1;
      r_left_d = r_left_q - 8'd1;
      r_step_d = r_step_q + 1'b1;
    end
    if (r_load) begin
      r_row_d = f0;
      r_left_d = nr;
      r_step_d = step_q;
      r_pc_d = pc;
    end
    if (start_i) r_left_d = '0;
  end

  // What is loaded last is younger than what the other lanes hold.
  always_comb begin
    m_older_v_d = m_older_v_q;
    m_older_r_d = m_older_r_q;
    v_older_r_d = v_older_r_q;
    if (m_load) begin
      m_older_v_d = 1'b0;
      m_older_r_d = 1'b0;
    end
    if (v_load) begin
      m_older_v_d = 1'b1;
      v_older_r_d = 1'b0;
    end
    if (r_load) begin
      m_older_r_d = 1'b1;
      v_older_r_d = 1'b1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      header_q <= 1'b0;
      promised_q <= '0;
      step_q <= '0;
      beyond_q <= 1'b0;
      m_row_q <= '0;
      v_dst_q <= '0;
      v_src1_q <= '0;
      v_src2_q <= '0;
      r_row_q <= '0;
      m_left_q <= '0;
      v_left_q <= '0;
      r_left_q <= '0;
      v_second_q <= 1'b0;
      m_older_v_q <= 1'b0;
      m_older_r_q <= 1'b0;
      v_older_r_q <= 1'b0;
      m1_valid_q <= 1'b0;
      v1_valid_q <= 1'b0;
      r1_valid_q <= 1'b0;
      kept_valid_q <= 1'b0;
    end else begin
      header_q <= header_d;
      promised_q <= promised_d;
      step_q <= step_d;
      beyond_q <= beyond_d;
      m_row_q <= m_row_d;
      v_dst_q <= v_dst_d;
      v_src1_q <= v_src1_d;
      v_src2_q <= v_src2_d;
      r_row_q <= r_row_d;
      m_left_q <= m_left_d;
      v_left_q <= v_left_d;
      r_left_q <= r_left_d;
      v_second_q <= v_second_d;
      m_older_v_q <= m_older_v_d;
      m_older_r_q <= m_older_r_d;
      v_older_r_q <= v_older_r_d;
      m1_valid_q <= m_fire && !start_i;
      v1_valid_q <= v_fire && !start_i;
      r1_valid_q <= r_fire && !start_i;
      kept_valid_q <= kept_valid_d;
    end
  end

  logic [Nar-1:0] written_q;  // a memory of single bits that one pulse clears

  always_ff @(posedge clk_i) begin
    m_step_q <= m_step_d;
    m_pc_q <= m_pc_d;
    m_acc_q <= m_acc_d;
    v_step_q <= v_step_d;
    v_pc_q <= v_pc_d;
    v_two_q <= v_two_d;
    v_relu_q <= v_relu_d;
    r_step_q <= r_step_d;
    r_pc_q <= r_pc_d;
    if (m_fire) begin
      m1_row_q <= m_row_q;
      m1_acc_q <= m_acc_q;
      m1_step_q <= m_step_q;
      m1_pc_q <= m_pc_q;
      m1_psum_q <= cw_data_i;
      m1_flag_q <= written_q[m_row_q[RowW-1:0]];
    end
    if (v_fire) begin
      v1_dst_q <= v_dst_q;
      v1_last_q <= v_last;
      v1_two_q <= v_two_q;
      v1_relu_q <= v_relu_q;
      v1_step_q <= v_step_q;
      v1_pc_q <= v_pc_q;
      v1_bank_q <= v_src[1:0];
      v1_flag_q <= written_q[v_src[RowW-1:0]];
    end
    if (r_fire) begin
      r1_step_q <= r_step_q;
      r1_pc_q <= r_pc_q;
      r1_bank_q <= r_row_q[1:0];
      r1_flag_q <= written_q[r_row_q[RowW-1:0]];
    end
  end

  always_ff @(posedge clk_i) begin
    if (start_i) written_q <= '0;
    else begin
      if (m1_valid_q) written_q[m1_row_q[RowW-1:0]] <= 1'b1;
      if (probe_alu_valid_o) written_q[v1_dst_q[RowW-1:0]] <= 1'b1;
    end
  end

  // ---------------------------------------------------------------- banks
  // Beside the T lanes of a row stands the accu step of its last write.
  logic [DataW-1:0] m1_in, v1_in, r1_in;
  logic [StepW-1:0] m1_wrote, v1_wrote, r1_wrote;
  logic [DataW-1:0] m1_sum, v1_result;

  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    logic m_wr, v_wr, m_rd, r_rd, v_rd;
    assign m_wr = m1_valid_q && (m1_row_q[1:0] == 2'(b));
    assign v_wr = probe_alu_valid_o && (v1_dst_q[1:0] == 2'(b));
    assign m_rd = m_read && (m_row_q[1:0] == 2'(b));
    assign r_rd = r_fire && (r_row_q[1:0] == 2'(b));
    assign v_rd = v_fire && (v_src[1:0] == 2'(b));
    logic wr_en, rd_en;
    logic [AddrW-1:0] wr_addr, rd_addr;
    logic [DataW-1:0] data;
    logic [StepW-1:0] step;
    assign wr_en = m_wr || v_wr;
    assign wr_addr = m_wr ? m1_row_q[2 +: AddrW] : v1_dst_q[2 +: AddrW];
    assign rd_en = m_rd || r_rd || v_rd;
    assign rd_addr = m_rd ? m_row_q[2 +: AddrW] :
        (r_rd ? r_row_q[2 +: AddrW] : v_src[2 +: AddrW]);
    tpu_ram #(
        .Width(DataW),
        .Depth(BankRows),
        .AddrW(AddrW)
    ) u_ram (
        .clk_i,
        .wr_en_i(wr_en),
        .wr_addr_i(wr_addr),
        .wr_data_i(m_wr ? m1_sum : v1_result),
        .rd_en_i(rd_en),
        .rd_addr_i(rd_addr),
        .rd_data_o(data)
    );
    tpu_ram #(
        .Width(StepW),
        .Depth(BankRows),
        .AddrW(AddrW)
    ) u_steps (
        .clk_i,
        .wr_en_i(wr_en),
        .wr_addr_i(wr_addr),
        .wr_data_i(m_wr ? m1_step_q : v1_step_q),
        .rd_en_i(rd_en),
        .rd_addr_i(rd_addr),
        .rd_data_o(step)
    );
  end

  always_comb begin
    case (m1_row_q[1:0])
      2'd0: {m1_wrote, m1_in} = {gen_bank[0].step, gen_bank[0].data};
      2'd1: {m1_wrote, m1_in} = {gen_bank[1].step, gen_bank[1].data};
      2'd2: {m1_wrote, m1_in} = {gen_bank[2].step, gen_bank[2].data};
      default: {m1_wrote, m1_in} = {gen_bank[3].step, gen_bank[3].data};
    endcase
    case (v1_bank_q)
      2'd0: {v1_wrote, v1_in} = {gen_bank[0].step, gen_bank[0].data};
      2'd1: {v1_wrote, v1_in} = {gen_bank[1].step, gen_bank[1].data};
      2'd2: {v1_wrote, v1_in} = {gen_bank[2].step, gen_bank[2].data};
      default: {v1_wrote, v1_in} = {gen_bank[3].step, gen_bank[3].data};
    endcase
    case (r1_bank_q)
      2'd0: {r1_wrote, r1_in} = {gen_bank[0].step, gen_bank[0].data};
      2'd1: {r1_wrote, r1_in} = {gen_bank[1].step, gen_bank[1].data};
      2'd2: {r1_wrote, r1_in} = {gen_bank[2].step, gen_bank[2].data};
      default: {r1_wrote, r1_in} = {gen_bank[3].step, gen_bank[3].data};
    endcase
  end

  // ---------------------------------------------------------------- arithmetic, lane by lane
  logic [8*T-1:0] r1_clipped;
  for (genvar l = 0; l < T; l++) begin : gen_lane
    logic signed [31:0] base, sum, left, right, alu, value;
    // mm: the accumulate base comes last; an overwriting mm adds nothing.
    assign base = m1_acc_q ? m1_in[32*l +: 32] : 32'sd0;
    assign sum = base + $signed(m1_psum_q[32*l +: 32]);
    assign m1_sum[32*l +: 32] = sum;
    // vadd, vaddrelu: left + right, wrapping; vrelu, vaddrelu: negative becomes 0.
    assign left = v1_two_q ? v1_held_q[32*l +: 32] : 32'sd0;
    assign right = v1_in[32*l +: 32];
    assign alu = left + right;
    assign v1_result[32*l +: 32] = (v1_relu_q && alu[31]) ? 32'd0 : alu;
    // mvout: saturate to int8, no rounding.
    assign value = r1_in[32*l +: 32];
    assign r1_clipped[8*l +: 8] = (value > 32'sd127) ? 8'h7F :
        ((value < -32'sd128) ? 8'h80 : value[7:0]);
  end

  always_ff @(posedge clk_i) begin
    if (v1_valid_q && !v1_last_q) v1_held_q <= v1_in;
    if (r1_valid_q) kept_q <= r1_clipped;
  end

  assign probe_mm_valid_o = m1_valid_q;
  assign probe_mm_o = {m1_sum, 4'd0, m1_row_q};
  assign probe_alu_valid_o = v1_valid_q && v1_last_q;
  assign probe_alu_o = {v1_result, 4'd0, v1_dst_q};

  assign ac_valid_o = kept_valid_q || r1_valid_q;
  assign ac_data_o = kept_valid_q ? kept_q : r1_clipped;
  assign kept_valid_d = ac_valid_o && !ac_ready_i && !start_i;

  // ---------------------------------------------------------------- contracts
  logic m1_bad, v1_bad, r1_bad, m1_near, v1_near, r1_near;
  logic m1_read, m1_unwritten, v1_unwritten;
  logic [StepW-1:0] m1_dist, v1_dist, r1_dist;

  assign m1_read = m1_valid_q && m1_acc_q;
  assign m1_dist = m1_step_q - m1_wrote;
  assign v1_dist = v1_step_q - v1_wrote;
  assign r1_dist = r1_step_q - r1_wrote;
  assign m1_near = m1_dist < StepW'(tpu_isa_pkg::AR_RAW_DIST);
  assign v1_near = v1_dist < StepW'(tpu_isa_pkg::AR_RAW_DIST);
  assign r1_near = r1_dist < StepW'(tpu_isa_pkg::AR_RAW_DIST);
  assign m1_bad = m1_read && (!m1_flag_q || m1_near);
  assign v1_bad = v1_valid_q && (!v1_flag_q || v1_near);
  assign r1_bad = r1_valid_q && (!r1_flag_q || r1_near);
  assign m1_unwritten = m1_bad && !m1_flag_q;
  assign v1_unwritten = !m1_bad && v1_bad && !v1_flag_q;
  assign fault_valid_o = m1_bad || v1_bad || r1_bad;
  assign fault_pc_o = m1_bad ? m1_pc_q : (v1_bad ? v1_pc_q : r1_pc_q);
  assign fault_code_o =
      (m1_unwritten || v1_unwritten || (!m1_bad && !v1_bad && !r1_flag_q))
      ? tpu_isa_pkg::RULE_WRITE_BEFORE_READ : tpu_isa_pkg::RULE_RAW_DISTANCE;

  logic unused_bits;
  assign unused_bits = ^{word[63:62], word[53:42]};

  assign header_bad_o = (promised_q != step_q) || beyond_d;
  assign idle_o = (m_left_q == '0) && (v_left_q == '0) && (r_left_q == '0) && !m1_valid_q &&
      !v1_valid_q && !ac_valid_o;

  always_comb begin
    state_o = {5'(tpu_isa_pkg::STREAM_C_ACC), 2'd2};
    if (m_fire || v_fire || r_fire || m1_valid_q || v1_valid_q || (ac_valid_o && ac_ready_i))
      state_o = {5'd0, 2'd1};
    else if (ac_valid_o) state_o = {5'(tpu_isa_pkg::STREAM_AC2SP), 2'd3};
    else if ((m_left_q != '0) && !m_hazard) state_o = {5'(tpu_isa_pkg::STREAM_CW), 2'd2};
    else if ((m_left_q != '0) || (v_left_q != '0) || (r_left_q != '0)) state_o = {5'd31, 2'd3};
    else if (header_q) state_o = {5'd0, 2'd0};
  end
endmodule : tpu_accu
