// SPDX-License-Identifier: Apache-2.0
//
// Fetches the program into the on-chip program buffer, hands its header on, and walks the
// instructions: one a cycle, loops included, since the loop stack resolves the next address in the
// cycle of the fetch. Rules that need no address (opcodes, nesting, trip counts, AGU terms) are
// decided here. Implements spec/isa_spec.json#loop_stack and #imem.
//
//   memory --64-byte beats--> program buffer --> decode --> AGU
//                                  ^               |
//                                  +--- next pc <--+ loop stack

module tpu_sequencer #(
    parameter int ImemSize = 56  // instruction memory, 64-bit words, a multiple of 8
) (
    input  logic         clk_i,
    input  logic         rst_ni,
    input  logic         start_i,  // takes the program; cycle 0 of a run
    input  logic         halt_i,   // a fault elsewhere: hand no more instructions on

    // Memory read port: one 64-byte beat a request, responses in order and always taken.
    output logic         rd_req_valid_o,
    input  logic         rd_req_ready_i,
    output logic [31:0]  rd_req_addr_o,   // byte offset in the program, a multiple of 64
    input  logic         rd_rsp_valid_i,
    input  logic [511:0] rd_rsp_data_i,
    input  logic         rd_rsp_error_i,

    // Header: two transfers of the same beat; the second marks the words that follow.
    output logic         hdr_valid_o,
    input  logic         hdr_ready_i,
    output logic         hdr_second_o,
    output logic [511:0] hdr_data_o,

    // Instruction for the AGU, with the induction values of the open levels (closed ones are 0).
    output logic         insn_valid_o,
    input  logic         insn_ready_i,
    output logic [63:0]  insn_word0_o,
    output logic [63:0]  insn_word1_o,
    output logic [15:0]  insn_pc_o,
    output logic [31:0]  insn_iv_o,       // 8 bits a level, level 0 lowest

    output logic         fault_valid_o,   // one cycle
    output logic [7:0]   fault_code_o,
    output logic [15:0]  fault_pc_o,
    output logic         moved_o,         // an instruction was taken, loops included
    output logic         idle_o,          // nothing more will be handed on, no beat is outstanding
    output logic [6:0]   state_o          // {wait, probe state}
);
  localparam int Beats = ImemSize / 8;
  localparam int BeatW = $clog2(Beats + 1);
  localparam int AddrW = (Beats > 1) ? $clog2(Beats) : 1;
  // The header counts instructions in 16 bits, so a larger memory holds no longer program.
  localparam int Slots = (ImemSize - tpu_isa_pkg::NHDR) / tpu_isa_pkg::IWORDS;
  localparam logic [16:0] Capacity = (Slots > 65536) ? 17'd65536 : 17'(Slots);

  localparam logic [1:0] Idle = 2'd0;     // no program, or all of it is handed on
  localparam logic [1:0] Header = 2'd1;   // first half of the header
  localparam logic [1:0] Header2 = 2'd2;  // second half
  localparam logic [1:0] Run = 2'd3;      // instructions

  // ---------------------------------------------------------------- program buffer
  // The whole buffer may be asked for at once; the header cuts that down to what the program has.
  logic [BeatW-1:0] asked_q, asked_d, got_q, got_d, need_q, need_d;
  logic ask_held_q, ask_held_d;      // a request stands and must not be withdrawn
  logic bus_error;                   // a beat that the program needs came back with an error
  logic bus_bad_q, bus_bad_d;        // it did in this run: no instruction is issued any more
  logic [15:0] n_instr_q, n_instr_d;
  logic [15:0] hdr_n_instr;
  logic [16:0] hdr_beats;            // header beat and four instructions a beat

  assign hdr_n_instr = rd_rsp_data_i[15:0];
  assign hdr_beats = 17'd1 + 17'((18'(hdr_n_instr) + 18'd3) >> 2);
  // Beats behind the program's end were asked for before its length was known; nobody reads them.
  assign bus_error = rd_rsp_valid_i && rd_rsp_error_i && ((got_q == '0) || (got_q < need_q));
  assign bus_bad_d = !start_i && (bus_bad_q || bus_error);

  assign rd_req_valid_o = (asked_q < need_q) || ask_held_q;
  assign rd_req_addr_o = {(26)'(asked_q), 6'd0};
  assign ask_held_d = rd_req_valid_o && !rd_req_ready_i;

  always_comb begin
    asked_d = asked_q;
    got_d = got_q;
    need_d = need_q;
    n_instr_d = n_instr_q;
    if (rd_req_valid_o && rd_req_ready_i) asked_d = asked_q + 1'b1;
    if (rd_rsp_valid_i) got_d = got_q + 1'b1;
    if (rd_rsp_valid_i && (got_q == '0)) begin
      n_instr_d = hdr_n_instr;
      if (hdr_beats < 17'(Beats)) need_d = BeatW'(hdr_beats);
    end
    if (start_i) begin
      asked_d = '0;
      got_d = '0;
      need_d = BeatW'(Beats);
    end
  end

  // ---------------------------------------------------------------- fetch
  logic [1:0] phase_q, phase_d;
  logic [15:0] pc_q, pc_d, next_pc;
  logic ir_valid_q, ir_valid_d;  // the buffer's output holds the instruction at pc (or the header)
  logic ir_take;                 // it leaves in this cycle
  logic buf_read;
  logic [AddrW-1:0] buf_addr;
  logic [511:0] buf_data;
  logic [31:0] want_beat;        // beat of next_pc, after the header beat
  logic want_ready;
  logic last_passed;             // next_pc lies behind the program

  assign want_beat = {18'd0, next_pc[15:2]} + 32'd1;
  assign want_ready = want_beat < 32'(got_q);
  assign last_passed = next_pc >= n_instr_q;

  tpu_ram #(
      .Width(512),
      .Depth(Beats),
      .AddrW(AddrW)
  ) u_ram (
      .clk_i,
      .wr_en_i(rd_rsp_valid_i),
      .wr_addr_i(got_q[AddrW-1:0]),
      .wr_data_i(rd_rsp_data_i),
      .rd_en_i(buf_read),
      .rd_addr_i(buf_addr),
      .rd_data_o(buf_data)
  );

  // ---------------------------------------------------------------- decode
  logic [63:0] word0, word1;
  logic [5:0] op;
  logic [7:0] nr;
  logic is_loop, is_end, is_data, op_known;
  logic [2:0] depth_q, depth_d;
  logic [63:0] body_q, body_d;                 // 16 bits a level: pc of the first body instruction
  logic [31:0] iv_q, iv_d, trip_q, trip_d;     // 8 bits a level
  logic [31:0] iv_open;
  logic [1:0] top;
  logic [7:0] top_iv_next;
  logic again;
  logic [2:0] bad_term;
  logic spare_bit;               // a field of the word itself is beyond its usable range
  logic dec_fault;
  logic [7:0] dec_code;
  logic dec_fire;

  always_comb begin
    case (pc_q[1:0])
      2'd0: {word1, word0} = buf_data[127:0];
      2'd1: {word1, word0} = buf_data[255:128];
      2'd2: {word1, word0} = buf_data[383:256];
      default: {word1, word0} = buf_data[511:384];
    endcase
  end
  assign op = word0[tpu_isa_pkg::OP_LO +: tpu_isa_pkg::OP_WIDTH];
  assign nr = word0[tpu_isa_pkg::NR_LO +: tpu_isa_pkg::NR_WIDTH];
  assign is_loop = op == tpu_isa_pkg::OP_LOOP;
  assign is_end = op == tpu_isa_pkg::OP_ENDLOOP;
  assign is_data = !is_loop && !is_end;
  assign op_known = (op <= tpu_isa_pkg::OP_VADDRELU) && (op != tpu_isa_pkg::OP_DMA_ST);
  assign spare_bit = word0[tpu_isa_pkg::F0_LO + 11] || word0[tpu_isa_pkg::F1_LO + 11] ||
      word0[tpu_isa_pkg::F2_LO + 11] || word0[tpu_isa_pkg::F3_LO + 11] || nr[7];
  assign top = depth_q[1:0] - 2'd1;
  assign top_iv_next = iv_q[{top, 3'd0} +: 8] + 8'd1;
  assign again = top_iv_next < trip_q[{top, 3'd0} +: 8];

  for (genvar l = 0; l < tpu_isa_pkg::LOOP_DEPTH; l++) begin : gen_open
    assign iv_open[8*l +: 8] = (depth_q > 3'(l)) ? iv_q[8*l +: 8] : 8'd0;
  end

  // A term may name only a field and an open level, its stride leaves the spare bit clear, and only
  // data instructions carry terms.
  for (genvar t = 0; t < tpu_isa_pkg::AGU_TERMS; t++) begin : gen_term
    logic [3:0] target;
    logic [2:0] level;
    logic stride_top;  // the spare bit: strides are 0 .. AGU_STRIDE_MAX
    assign stride_top = word1[19*t + tpu_isa_pkg::AGU_STRIDE_LO + 11];
    assign target = word1[19*t + tpu_isa_pkg::AGU_TARGET_LO +: tpu_isa_pkg::AGU_TARGET_WIDTH];
    assign level = word1[19*t + tpu_isa_pkg::AGU_LEVEL_LO +: tpu_isa_pkg::AGU_LEVEL_WIDTH];
    assign bad_term[t] = (target != 4'd0) &&
        (!is_data || (op == tpu_isa_pkg::OP_NOP) || (target > 4'(tpu_isa_pkg::AGU_TARGET_MAX)) ||
         (level >= depth_q) || stride_top);
  end

  always_comb begin
    dec_fault = 1'b1;
    dec_code = tpu_isa_pkg::RULE_OP_UNKNOWN;
    if (!op_known) dec_code = tpu_isa_pkg::RULE_OP_UNKNOWN;
    else if (is_loop && (depth_q == 3'(tpu_isa_pkg::LOOP_DEPTH)))
      dec_code = tpu_isa_pkg::RULE_LOOP_DEPTH;
    else if (is_loop && ((nr == 8'd0) || (nr > 8'(tpu_isa_pkg::MAXROWS))))
      dec_code = tpu_isa_pkg::RULE_LOOP_TRIP;
    else if (is_end && (depth_q == 3'd0)) dec_code = tpu_isa_pkg::RULE_LOOP_UNBALANCED;
    else if (bad_term != 3'd0) dec_code = tpu_isa_pkg::RULE_AGU_TERM;
    else if ((!is_data || (op == tpu_isa_pkg::OP_NOP)) && spare_bit)
      dec_code = tpu_isa_pkg::RULE_FIELD_RANGE;
    else begin
      dec_fault = 1'b0;
      dec_code = tpu_isa_pkg::RULE_NONE;
    end
  end

  assign dec_fire = (phase_q == Run) && ir_valid_q && !halt_i && !bus_bad_q &&
      (dec_fault || !is_data || insn_ready_i);
  assign insn_valid_o = (phase_q == Run) && ir_valid_q && !halt_i && !bus_bad_q && !dec_fault &&
      is_data;
  assign moved_o = dec_fire;
  assign insn_word0_o = word0;
  assign insn_word1_o = word1;
  assign insn_pc_o = pc_q;
  assign insn_iv_o = iv_open;
  assign hdr_valid_o = ((phase_q == Header) || (phase_q == Header2)) && ir_valid_q;
  assign hdr_second_o = phase_q == Header2;
  assign hdr_data_o = buf_data;

  // ---------------------------------------------------------------- loop stack
  always_comb begin
    depth_d = depth_q;
    body_d = body_q;
    iv_d = iv_q;
    trip_d = trip_q;
    if (dec_fire && !dec_fault && is_loop) begin
      depth_d = depth_q + 3'd1;
      body_d[{depth_q[1:0], 4'd0} +: 16] = pc_q + 16'd1;
      iv_d[{depth_q[1:0], 3'd0} +: 8] = 8'd0;
      trip_d[{depth_q[1:0], 3'd0} +: 8] = nr;
    end
    if (dec_fire && !dec_fault && is_end) begin
      if (again) iv_d[{top, 3'd0} +: 8] = top_iv_next;
      else depth_d = depth_q - 3'd1;
    end
    if (start_i) depth_d = '0;
  end

  // ---------------------------------------------------------------- control
  logic end_fault;
  logic [7:0] end_code;
  logic program_ok;
  logic dec_fault_now;

  assign dec_fault_now = dec_fire && dec_fault;
  assign program_ok = (n_instr_q != '0) && ({1'b0, n_instr_q} <= Capacity);
  assign ir_take = (hdr_valid_o && hdr_ready_i) || dec_fire;
  assign next_pc = (dec_fire && is_end && !dec_fault && again) ? body_q[{top, 4'd0} +: 16] :
      (dec_fire ? pc_q + 16'd1 : pc_q);

  always_comb begin
    phase_d = phase_q;
    pc_d = pc_q;
    ir_valid_d = ir_valid_q && !ir_take;
    buf_read = 1'b0;
    buf_addr = want_beat[AddrW-1:0];
    end_fault = 1'b0;
    end_code = tpu_isa_pkg::RULE_NONE;
    case (phase_q)
      Header: begin
        buf_addr = '0;
        if (bus_bad_q && !ir_valid_q) begin
          phase_d = Idle;
        end else if (!ir_valid_q && (got_q != '0)) begin
          buf_read = 1'b1;
          ir_valid_d = 1'b1;
        end
        if (hdr_valid_o && hdr_ready_i) begin
          phase_d = Header2;
          ir_valid_d = 1'b1;
        end
      end
      Header2: begin
        if (hdr_valid_o && hdr_ready_i) begin
          phase_d = (program_ok && !bus_bad_d) ? Run : Idle;
          end_fault = !program_ok;
          end_code = (n_instr_q == '0) ? tpu_isa_pkg::RULE_PROG_EMPTY
                                       : tpu_isa_pkg::RULE_IMEM_OVERFLOW;
          buf_read = program_ok && !bus_bad_d && want_ready;
          ir_valid_d = buf_read;
        end
      end
      Run: begin
        pc_d = next_pc;
        if ((!ir_valid_q || dec_fire) && !last_passed && want_ready && !dec_fault_now) begin
          buf_read = 1'b1;
          ir_valid_d = 1'b1;
        end
        if (last_passed && (!ir_valid_q || dec_fire) && !dec_fault_now) begin
          phase_d = Idle;
          end_fault = depth_d != '0;
          end_code = tpu_isa_pkg::RULE_LOOP_UNCLOSED;
        end
        if (halt_i || dec_fault_now || bus_bad_d) phase_d = Idle;
      end
      default: ;
    endcase
    if (start_i) begin
      phase_d = Header;
      pc_d = '0;
      ir_valid_d = 1'b0;
    end
  end

  assign fault_valid_o = bus_error || dec_fault_now || (end_fault && !halt_i);
  assign fault_code_o = bus_error ? tpu_isa_pkg::FAULT_BUS : (dec_fault_now ? dec_code : end_code);
  assign fault_pc_o = pc_q;
  assign idle_o = (phase_q == Idle) && (asked_q == got_q) && !ask_held_q &&
      !(asked_q < need_q);

  always_comb begin
    state_o = {5'd0, 2'd0};
    if (dec_fire || (hdr_valid_o && hdr_ready_i)) state_o = {5'd0, 2'd1};
    else if ((phase_q == Run) && ir_valid_q) state_o = {5'(tpu_isa_pkg::STREAM_ISSUE), 2'd3};
    else if (hdr_valid_o) state_o = {5'(tpu_isa_pkg::STREAM_ISSUE), 2'd3};
    else if (phase_q != Idle) state_o = {5'd30, 2'd2};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      asked_q <= '0;
      got_q <= '0;
      need_q <= '0;
      ask_held_q <= 1'b0;
      bus_bad_q <= 1'b0;
      n_instr_q <= '0;
      phase_q <= Idle;
      pc_q <= '0;
      ir_valid_q <= 1'b0;
      depth_q <= '0;
      body_q <= '0;
      iv_q <= '0;
      trip_q <= '0;
    end else begin
      asked_q <= asked_d;
      got_q <= got_d;
      need_q <= need_d;
      ask_held_q <= ask_held_d;
      bus_bad_q <= bus_bad_d;
      n_instr_q <= n_instr_d;
      phase_q <= phase_d;
      pc_q <= pc_d;
      ir_valid_q <= ir_valid_d;
      depth_q <= depth_d;
      body_q <= body_d;
      iv_q <= iv_d;
      trip_q <= trip_d;
    end
  end
endmodule : tpu_sequencer
