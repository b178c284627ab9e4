// generated from spec/isa_spec.json by specgen, do not edit
// input FNV-1a 64: 0xc097b7eabde95be7
// SPDX-License-Identifier: Apache-2.0

package tpu_isa_pkg;
  localparam logic [63:0] SPEC_HASH = 64'hC097B7EABDE95BE7;

  // Instruction words and limits
  localparam int IWORDS                          = 2;
  localparam int WORD_BITS                       = 64;
  localparam int AGU_TERMS                       = 3;
  localparam int LOOP_DEPTH                      = 4;
  localparam int NHDR                            = 8;
  localparam int AR_RAW_DIST                     = 4;
  localparam int COUNT_MAX                       = 32767;
  localparam int FIELD_MAX                       = 2047;
  localparam int FIELDS                          = 4;
  localparam int COUNT_WIDTH                     = 16;
  localparam int TEST_WINDOW                     = 64;
  localparam int BUS_BYTES                       = 64;
  localparam int MAXROWS                         = 127;

  // Fields of word 0
  localparam int OP_LO                           = 0;
  localparam int OP_WIDTH                        = 6;
  localparam int F0_LO                           = 6;
  localparam int F0_WIDTH                        = 12;
  localparam int F1_LO                           = 18;
  localparam int F1_WIDTH                        = 12;
  localparam int F2_LO                           = 30;
  localparam int F2_WIDTH                        = 12;
  localparam int F3_LO                           = 42;
  localparam int F3_WIDTH                        = 12;
  localparam int NR_LO                           = 54;
  localparam int NR_WIDTH                        = 8;

  // An address term of word 1; term i starts at i * AGU_TERM_BITS
  localparam int AGU_TERM_BITS                   = 19;
  localparam int AGU_TARGET_LO                   = 0;
  localparam int AGU_TARGET_WIDTH                = 4;
  localparam int AGU_LEVEL_LO                    = 4;
  localparam int AGU_LEVEL_WIDTH                 = 3;
  localparam int AGU_STRIDE_LO                   = 7;
  localparam int AGU_STRIDE_WIDTH                = 12;
  localparam int AGU_TARGET_MAX                  = 4;
  localparam int AGU_LEVEL_MAX                   = 3;
  localparam int AGU_STRIDE_MAX                  = 2047;
  localparam logic [3:0] AGU_NONE                = 4'd0;
  localparam logic [3:0] AGU_F0                  = 4'd1;
  localparam logic [3:0] AGU_F1                  = 4'd2;
  localparam logic [3:0] AGU_F2                  = 4'd3;
  localparam logic [3:0] AGU_F3                  = 4'd4;

  // Header words: index of the word, lowest bit of the count
  localparam int HDR_N_INSTR_INDEX               = 0;
  localparam int HDR_N_INSTR_LO                  = 0;
  localparam int HDR_DMA_LD_ROWS_INDEX           = 1;
  localparam int HDR_DMA_LD_ROWS_LO              = 0;
  localparam int HDR_SPM_ROWS_INDEX              = 2;
  localparam int HDR_SPM_ROWS_LO                 = 0;
  localparam int HDR_VRU_WORDS_INDEX             = 3;
  localparam int HDR_VRU_WORDS_LO                = 0;
  localparam int HDR_MM_COUNT_INDEX              = 4;
  localparam int HDR_MM_COUNT_LO                 = 0;
  localparam int HDR_MM_ROWS_INDEX               = 4;
  localparam int HDR_MM_ROWS_LO                  = 16;
  localparam int HDR_ACCU_ITERATIONS_INDEX       = 5;
  localparam int HDR_ACCU_ITERATIONS_LO          = 0;
  localparam int HDR_DMA_ST_ROWS_INDEX           = 6;
  localparam int HDR_DMA_ST_ROWS_LO              = 0;
  localparam int HDR_A_SPAN_INDEX                = 7;
  localparam int HDR_A_SPAN_LO                   = 0;
  localparam int HDR_B_SPAN_INDEX                = 7;
  localparam int HDR_B_SPAN_LO                   = 16;

  // Opcodes
  localparam logic [5:0] OP_NOP                  = 6'd0;
  localparam logic [5:0] OP_DMA_LD               = 6'd1;
  localparam logic [5:0] OP_DMA_ST               = 6'd2;
  localparam logic [5:0] OP_VLD                  = 6'd3;
  localparam logic [5:0] OP_MM                   = 6'd4;
  localparam logic [5:0] OP_VADD                 = 6'd5;
  localparam logic [5:0] OP_VRELU                = 6'd6;
  localparam logic [5:0] OP_MVOUT                = 6'd7;
  localparam logic [5:0] OP_LOOP                 = 6'd8;
  localparam logic [5:0] OP_ENDLOOP              = 6'd9;
  localparam logic [5:0] OP_VADDRELU             = 6'd10;
  localparam int DMA_SRC_B                       = 1;
  localparam int DMA_TO_VR                       = 2;

  // Units
  localparam logic [7:0] UNIT_SEQUENCER          = 8'd0;
  localparam logic [7:0] UNIT_DMA_LD             = 8'd1;
  localparam logic [7:0] UNIT_SPM                = 8'd2;
  localparam logic [7:0] UNIT_VRU                = 8'd3;
  localparam logic [7:0] UNIT_ARRAY              = 8'd4;
  localparam logic [7:0] UNIT_ACCU               = 8'd5;
  localparam logic [7:0] UNIT_DMA_ST             = 8'd6;
  localparam int UNIT_COUNT                      = 7;

  // Memories
  localparam int MEM_SPAD                        = 0;
  localparam int MEM_VR                          = 1;
  localparam int MEM_AR                          = 2;
  localparam int MEM_IMEM                        = 3;
  localparam int MEM_A                           = 4;
  localparam int MEM_B                           = 5;
  localparam int MEM_C                           = 6;
  localparam int MEM_COUNT                       = 7;

  // Streams
  localparam int STREAM_ISSUE                    = 0;
  localparam int STREAM_C_DLD                    = 1;
  localparam int STREAM_C_SPM                    = 2;
  localparam int STREAM_C_VRU                    = 3;
  localparam int STREAM_C_ACC                    = 4;
  localparam int STREAM_C_DST                    = 5;
  localparam int STREAM_DMA2SP                   = 6;
  localparam int STREAM_DMA2VR                   = 7;
  localparam int STREAM_SP2VR                    = 8;
  localparam int STREAM_WCOL                     = 9;
  localparam int STREAM_ACOL                     = 10;
  localparam int STREAM_CW                       = 11;
  localparam int STREAM_AC2SP                    = 12;
  localparam int STREAM_SPAD_WRITE               = 13;
  localparam int STREAM_VR_WRITE                 = 14;
  localparam int STREAM_AR_WRITE_MM              = 15;
  localparam int STREAM_AR_WRITE_ALU             = 16;
  localparam int STREAM_C_WRITE                  = 17;
  localparam int STREAM_COUNT                    = 18;

  // What a unit did in a cycle, and what it waits for besides a stream
  localparam logic [1:0] STATE_IDLE              = 2'd0;
  localparam logic [1:0] STATE_BUSY              = 2'd1;
  localparam logic [1:0] STATE_STARVED           = 2'd2;
  localparam logic [1:0] STATE_BLOCKED           = 2'd3;
  localparam logic [4:0] WAIT_MEMORY             = 5'd30;
  localparam logic [4:0] WAIT_HAZARD             = 5'd31;

  // Rules and faults
  localparam logic [7:0] RULE_NONE               = 8'd0;
  localparam logic [7:0] RULE_PROG_EMPTY         = 8'd1;
  localparam logic [7:0] RULE_OP_UNKNOWN         = 8'd2;
  localparam logic [7:0] RULE_LOOP_DEPTH         = 8'd3;
  localparam logic [7:0] RULE_LOOP_TRIP          = 8'd4;
  localparam logic [7:0] RULE_LOOP_UNBALANCED    = 8'd5;
  localparam logic [7:0] RULE_AGU_TERM           = 8'd6;
  localparam logic [7:0] RULE_LOOP_UNCLOSED      = 8'd7;
  localparam logic [7:0] RULE_FIELD_RANGE        = 8'd8;
  localparam logic [7:0] RULE_ZERO_ROWS          = 8'd9;
  localparam logic [7:0] RULE_DMA_LD_FIELD       = 8'd10;
  localparam logic [7:0] RULE_OPERAND_RANGE      = 8'd11;
  localparam logic [7:0] RULE_MEM_RANGE          = 8'd12;
  localparam logic [7:0] RULE_WRITE_BEFORE_READ  = 8'd13;
  localparam logic [7:0] RULE_MM_ACC_FIELD       = 8'd14;
  localparam logic [7:0] RULE_RAW_DISTANCE       = 8'd15;
  localparam logic [7:0] RULE_RESULT_RANGE       = 8'd16;
  localparam logic [7:0] RULE_IMEM_OVERFLOW      = 8'd17;
  localparam logic [7:0] RULE_COUNT_OVERFLOW     = 8'd18;
  localparam logic [7:0] RULE_ARRAY_OVERFLOW     = 8'd19;
  localparam logic [7:0] FAULT_HEADER            = 8'd32;
  localparam logic [7:0] FAULT_WATCHDOG          = 8'd33;
  localparam logic [7:0] FAULT_BUS               = 8'd34;
  localparam logic [7:0] FAULT_BASE              = 8'd35;

  // AXI4-Lite registers: byte offsets
  localparam logic [11:0] REG_CTRL               = 12'h000;
  localparam logic [11:0] REG_STATUS             = 12'h004;
  localparam logic [11:0] REG_FAULT              = 12'h008;
  localparam logic [11:0] REG_CYCLES_LO          = 12'h00C;
  localparam logic [11:0] REG_CYCLES_HI          = 12'h010;
  localparam logic [11:0] REG_WATCHDOG           = 12'h014;
  localparam logic [11:0] REG_ACK                = 12'h018;
  localparam logic [11:0] REG_IMEM_LO            = 12'h020;
  localparam logic [11:0] REG_IMEM_HI            = 12'h024;
  localparam logic [11:0] REG_A_LO               = 12'h028;
  localparam logic [11:0] REG_A_HI               = 12'h02C;
  localparam logic [11:0] REG_B_LO               = 12'h030;
  localparam logic [11:0] REG_B_HI               = 12'h034;
  localparam logic [11:0] REG_C_LO               = 12'h038;
  localparam logic [11:0] REG_C_HI               = 12'h03C;
  localparam logic [11:0] REG_ID                 = 12'h040;
  localparam logic [11:0] REG_HASH_LO            = 12'h044;
  localparam logic [11:0] REG_HASH_HI            = 12'h048;
  localparam logic [11:0] REG_PARAM              = 12'h050;
  localparam logic [11:0] REG_UNIT               = 12'h080;
  localparam logic [31:0] REG_ID_VALUE           = 32'h31555054;
endpackage : tpu_isa_pkg
