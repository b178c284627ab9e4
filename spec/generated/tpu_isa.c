// generated from spec/isa_spec.json by specgen, do not edit
// input FNV-1a 64: 0xc097b7eabde95be7
// SPDX-License-Identifier: Apache-2.0

// clang-format off

#include "spec/generated/tpu_isa.h"

static const tpu_stream_field issue_fields[] = {
    {"pc", 0, 2},
    {"op", 2, 1},
    {"nr", 3, 1},
    {"f0", 4, 2},
    {"f1", 6, 2},
    {"f2", 8, 2},
    {"f3", 10, 2},
    {"iv0", 12, 1},
    {"iv1", 13, 1},
    {"iv2", 14, 1},
    {"iv3", 15, 1},
};

static const tpu_stream_field c_dld_fields[] = {
    {"word", 0, 8},
};

static const tpu_stream_field c_spm_fields[] = {
    {"word", 0, 8},
};

static const tpu_stream_field c_vru_fields[] = {
    {"word", 0, 8},
};

static const tpu_stream_field c_acc_fields[] = {
    {"word", 0, 8},
};

static const tpu_stream_field c_dst_fields[] = {
    {"word", 0, 8},
};

static const tpu_stream_field sp2vr_fields[] = {
    {"written", 0, 1},
};

static const tpu_stream_field spad_write_fields[] = {
    {"row", 0, 2},
};

static const tpu_stream_field vr_write_fields[] = {
    {"row", 0, 2},
    {"written", 2, 1},
};

static const tpu_stream_field ar_write_mm_fields[] = {
    {"row", 0, 2},
};

static const tpu_stream_field ar_write_alu_fields[] = {
    {"row", 0, 2},
};

static const tpu_stream_field c_write_fields[] = {
    {"dram_row", 0, 2},
    {"col_block", 2, 2},
};

const tpu_stream_info tpu_streams[TPU_STREAM_COUNT] = {
    {"issue", TPU_UNIT_SEQUENCER, -1, issue_fields, 11, 16, 0},
    {"c_dld", TPU_UNIT_SEQUENCER, TPU_UNIT_DMA_LD, c_dld_fields, 1, 8, 0},
    {"c_spm", TPU_UNIT_SEQUENCER, TPU_UNIT_SPM, c_spm_fields, 1, 8, 0},
    {"c_vru", TPU_UNIT_SEQUENCER, TPU_UNIT_VRU, c_vru_fields, 1, 8, 0},
    {"c_acc", TPU_UNIT_SEQUENCER, TPU_UNIT_ACCU, c_acc_fields, 1, 8, 0},
    {"c_dst", TPU_UNIT_SEQUENCER, TPU_UNIT_DMA_ST, c_dst_fields, 1, 8, 0},
    {"dma2sp", TPU_UNIT_DMA_LD, TPU_UNIT_SPM, NULL, 0, 0, 1},
    {"dma2vr", TPU_UNIT_DMA_LD, TPU_UNIT_VRU, NULL, 0, 0, 1},
    {"sp2vr", TPU_UNIT_SPM, TPU_UNIT_VRU, sp2vr_fields, 1, 1, 1},
    {"wcol", TPU_UNIT_SPM, TPU_UNIT_ARRAY, NULL, 0, 0, 1},
    {"acol", TPU_UNIT_VRU, TPU_UNIT_ARRAY, NULL, 0, 0, 1},
    {"cw", TPU_UNIT_ARRAY, TPU_UNIT_ACCU, NULL, 0, 0, 4},
    {"ac2sp", TPU_UNIT_ACCU, TPU_UNIT_DMA_ST, NULL, 0, 0, 1},
    {"spad.write", TPU_UNIT_SPM, -1, spad_write_fields, 1, 2, 1},
    {"vr.write", TPU_UNIT_VRU, -1, vr_write_fields, 2, 3, 1},
    {"ar.write.mm", TPU_UNIT_ACCU, -1, ar_write_mm_fields, 1, 2, 4},
    {"ar.write.alu", TPU_UNIT_ACCU, -1, ar_write_alu_fields, 1, 2, 4},
    {"c.write", TPU_UNIT_DMA_ST, -1, c_write_fields, 2, 4, 1},
};

const char *tpu_rule_name(unsigned value) {
    switch (value) {
    case TPU_RULE_PROG_EMPTY:
        return "prog.empty";
    case TPU_RULE_OP_UNKNOWN:
        return "op.unknown";
    case TPU_RULE_LOOP_DEPTH:
        return "loop.depth";
    case TPU_RULE_LOOP_TRIP:
        return "loop.trip";
    case TPU_RULE_LOOP_UNBALANCED:
        return "loop.unbalanced";
    case TPU_RULE_AGU_TERM:
        return "agu.term";
    case TPU_RULE_LOOP_UNCLOSED:
        return "loop.unclosed";
    case TPU_RULE_FIELD_RANGE:
        return "enc.field_range";
    case TPU_RULE_ZERO_ROWS:
        return "enc.zero_rows";
    case TPU_RULE_DMA_LD_FIELD:
        return "op.dma_ld_field";
    case TPU_RULE_OPERAND_RANGE:
        return "dram.operand_range";
    case TPU_RULE_MEM_RANGE:
        return "mem.out_of_range";
    case TPU_RULE_WRITE_BEFORE_READ:
        return "mem.write_before_read";
    case TPU_RULE_MM_ACC_FIELD:
        return "op.mm_acc_field";
    case TPU_RULE_RAW_DISTANCE:
        return "ar.raw_distance";
    case TPU_RULE_RESULT_RANGE:
        return "dram.result_range";
    case TPU_RULE_IMEM_OVERFLOW:
        return "imem.overflow";
    case TPU_RULE_COUNT_OVERFLOW:
        return "hdr.count_overflow";
    case TPU_RULE_ARRAY_OVERFLOW:
        return "hdr.array_overflow";
    case TPU_FAULT_HEADER:
        return "fault.header";
    case TPU_FAULT_WATCHDOG:
        return "fault.watchdog";
    case TPU_FAULT_BUS:
        return "fault.bus";
    case TPU_FAULT_BASE:
        return "fault.base";
    default:
        return NULL;
    }
}

const char *tpu_rule_text(unsigned value) {
    switch (value) {
    case TPU_RULE_PROG_EMPTY:
        return "a program has at least one instruction";
    case TPU_RULE_OP_UNKNOWN:
        return "the opcode is one that this machine executes, and dma_st is retired";
    case TPU_RULE_LOOP_DEPTH:
        return "at most LOOP_DEPTH loops are open at once";
    case TPU_RULE_LOOP_TRIP:
        return "a loop has at least 1 trip, because its body runs before the count is looked at";
    case TPU_RULE_LOOP_UNBALANCED:
        return "an endloop closes an open loop";
    case TPU_RULE_AGU_TERM:
        return "an address term names a target from 0 to 4 and a loop that is open, and loop, "
               "endloop and nop have none";
    case TPU_RULE_LOOP_UNCLOSED:
        return "every loop is closed before the program ends";
    case TPU_RULE_FIELD_RANGE:
        return "a resolved operand is within 0 to 2047";
    case TPU_RULE_ZERO_ROWS:
        return "a data operation has 1 to 127 rows";
    case TPU_RULE_DMA_LD_FIELD:
        return "the mode of dma_ld is 0 to 3: source A or B, destination spad or vr";
    case TPU_RULE_OPERAND_RANGE:
        return "a load stays inside its MAXDIM x MAXDIM matrix";
    case TPU_RULE_MEM_RANGE:
        return "the rows of spad, vr or ar that an instruction names exist";
    case TPU_RULE_WRITE_BEFORE_READ:
        return "a row is written by this program before it is used";
    case TPU_RULE_MM_ACC_FIELD:
        return "acc of mm is 0 to overwrite or 1 to accumulate";
    case TPU_RULE_RAW_DISTANCE:
        return "an accumulator row is read at least AR_RAW_DIST accu steps after it was written";
    case TPU_RULE_RESULT_RANGE:
        return "a store stays inside the MAXDIM x MAXDIM result";
    case TPU_RULE_IMEM_OVERFLOW:
        return "header and instructions fit the instruction memory";
    case TPU_RULE_COUNT_OVERFLOW:
        return "every step count fits the 15 usable bits of its header slice";
    case TPU_RULE_ARRAY_OVERFLOW:
        return "the number of mms and of their rows fit the 15 usable bits of their header slices";
    case TPU_FAULT_HEADER:
        return "a header count differs from the work that was done";
    case TPU_FAULT_WATCHDOG:
        return "nothing moved for as many cycles as the watchdog register says";
    case TPU_FAULT_BUS:
        return "a memory response carried an error";
    case TPU_FAULT_BASE:
        return "a base address is not a multiple of 64 bytes";
    default:
        return NULL;
    }
}

const tpu_op_info tpu_ops[TPU_OP_COUNT] = {
    [TPU_OP_NOP] = {
        .name = "nop",
        .unit_mask = 0x00,
    },
    [TPU_OP_DMA_LD] = {
        .name = "dma_ld",
        .operand[0] = {"mode", "where from and where to"},
        .operand[1] = {"dram_row0", "row of the matrix at which the move begins"},
        .operand[2] = {"col_block", "block of T columns, 0 to WPR - 1"},
        .operand[3] = {"dst_row0", "first row filled in the memory that mode names"},
        .has_rows = 1,
        .unit_mask = 0x0E,
    },
    [TPU_OP_DMA_ST] = {
        .name = "dma_st",
        .retired = 1,
        .unit_mask = 0x00,
    },
    [TPU_OP_VLD] = {
        .name = "vld",
        .operand[0] = {"vr0", "first vector register filled"},
        .operand[1] = {"spad0", "first scratchpad row taken"},
        .has_rows = 1,
        .unit_mask = 0x0C,
    },
    [TPU_OP_MM] = {
        .name = "mm",
        .operand[0] = {"vr_a", "first activation row in vr"},
        .operand[1] = {"ar0", "first accumulator row of the result"},
        .operand[2] = {"acc", "0 replaces the accumulator rows, 1 adds to them"},
        .operand[3] = {"spad_w", "first of the T weight rows in spad"},
        .has_rows = 1,
        .unit_mask = 0x3C,
    },
    [TPU_OP_VADD] = {
        .name = "vadd",
        .operand[0] = {"ar_d", "first accumulator row of the result"},
        .operand[1] = {"ar_s1", "first row of the left input"},
        .operand[2] = {"ar_s2", "first row of the right input"},
        .has_rows = 1,
        .unit_mask = 0x20,
    },
    [TPU_OP_VRELU] = {
        .name = "vrelu",
        .operand[0] = {"ar_d", "first accumulator row of the result"},
        .operand[1] = {"ar_s", "first accumulator row of the input"},
        .has_rows = 1,
        .unit_mask = 0x20,
    },
    [TPU_OP_MVOUT] = {
        .name = "mvout",
        .operand[0] = {"ar0", "first accumulator row that leaves"},
        .operand[1] = {"dram_row0", "first row of C written"},
        .operand[2] = {"col_block", "block of T columns of C, 0 to WPR - 1"},
        .has_rows = 1,
        .unit_mask = 0x60,
    },
    [TPU_OP_LOOP] = {
        .name = "loop",
        .is_loop = 1,
        .is_control = 1,
        .unit_mask = 0x01,
    },
    [TPU_OP_ENDLOOP] = {
        .name = "endloop",
        .is_control = 1,
        .unit_mask = 0x01,
    },
    [TPU_OP_VADDRELU] = {
        .name = "vaddrelu",
        .operand[0] = {"ar_d", "first accumulator row of the result"},
        .operand[1] = {"ar_s1", "first row of the left input"},
        .operand[2] = {"ar_s2", "first row of the right input"},
        .has_rows = 1,
        .unit_mask = 0x20,
    },
};

const char *const tpu_unit_names[TPU_UNIT_COUNT] = {
    [TPU_UNIT_SEQUENCER] = "sequencer",
    [TPU_UNIT_DMA_LD] = "dma_ld",
    [TPU_UNIT_SPM] = "spm",
    [TPU_UNIT_VRU] = "vru",
    [TPU_UNIT_ARRAY] = "array",
    [TPU_UNIT_ACCU] = "accu",
    [TPU_UNIT_DMA_ST] = "dma_st",
};

const char *const tpu_mem_names[TPU_MEM_COUNT] = {
    [TPU_MEM_SPAD] = "spad",
    [TPU_MEM_VR] = "vr",
    [TPU_MEM_AR] = "ar",
    [TPU_MEM_IMEM] = "imem",
    [TPU_MEM_A] = "A",
    [TPU_MEM_B] = "B",
    [TPU_MEM_C] = "C",
};

enum { T, MAXDIM, SPAD_ROWS, NVR, NAR, IMEM_SIZE, QD, DMA_WORDS };

const tpu_param_info tpu_param_infos[TPU_PARAM_COUNT] = {
    [T] = {
        .name = "T",
        .env = "TPU_T",
        .min = 4,
        .max = UINT32_MAX,
        .role = "lanes of a packed word and side of the array, which has T x T processing elements",
    },
    [MAXDIM] = {
        .name = "MAXDIM",
        .env = "TPU_MAXDIM",
        .min = 4,
        .max = UINT32_MAX,
        .role = "largest M, K and N of a build, and the row stride of A, B and C",
    },
    [SPAD_ROWS] = {
        .name = "SPAD_ROWS",
        .env = "TPU_SPAD",
        .min = 1,
        .max = 2048,
        .role = "rows of the scratchpad",
    },
    [NVR] = {
        .name = "NVR",
        .env = "TPU_NVR",
        .min = 1,
        .max = 2048,
        .role = "vector registers",
    },
    [NAR] = {
        .name = "NAR",
        .env = "TPU_NAR",
        .min = 1,
        .max = 2048,
        .role = "accumulator rows",
    },
    [IMEM_SIZE] = {
        .name = "IMEM_SIZE",
        .env = "TPU_IMEM",
        .min = 8,
        .max = UINT32_MAX,
        .role = "64-bit words of instruction memory, header included",
    },
    [QD] = {
        .name = "QD",
        .env = "TPU_QD",
        .min = 2,
        .max = UINT32_MAX,
        .role = "depth of every channel between two units",
    },
    [DMA_WORDS] = {
        .name = "DMA_WORDS",
        .env = "TPU_DMA_WORDS",
        .min = 1,
        .max = UINT32_MAX,
        .role = "packed words a load may move in one step",
    },
};

static uint64_t quotient(uint64_t a, uint64_t b) {
    return b == 0 ? 0 : a / b;
}

static uint64_t remainder_of(uint64_t a, uint64_t b) {
    return b == 0 ? a : a % b;
}

static uint64_t smaller(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static uint64_t vw_of(const uint64_t value[TPU_PARAM_COUNT]) {
    return value[T] * 8;
}

static uint64_t wpr_of(const uint64_t value[TPU_PARAM_COUNT]) {
    return quotient(value[MAXDIM], value[T]);
}

static uint64_t operand_rows_of(const uint64_t value[TPU_PARAM_COUNT]) {
    return quotient(value[MAXDIM], value[T]) * value[MAXDIM];
}

static int holds_0(const uint64_t value[TPU_PARAM_COUNT]) {
    return value[T] >= 4;
}

static int holds_1(const uint64_t value[TPU_PARAM_COUNT]) {
    return remainder_of(value[MAXDIM], value[T]) == 0;
}

static int holds_2(const uint64_t value[TPU_PARAM_COUNT]) {
    return operand_rows_of(value) <= 2048;
}

static int holds_3(const uint64_t value[TPU_PARAM_COUNT]) {
    return TPU_AR_RAW_DIST <= value[T];
}

static int holds_4(const uint64_t value[TPU_PARAM_COUNT]) {
    return remainder_of(value[IMEM_SIZE], 8) == 0;
}

static int holds_5(const uint64_t value[TPU_PARAM_COUNT]) {
    return value[IMEM_SIZE] >= (TPU_NHDR + TPU_IWORDS);
}

static int holds_6(const uint64_t value[TPU_PARAM_COUNT]) {
    return ((value[SPAD_ROWS] <= 2048) && (value[NVR] <= 2048)) && (value[NAR] <= 2048);
}

static int holds_7(const uint64_t value[TPU_PARAM_COUNT]) {
    return (value[SPAD_ROWS] >= operand_rows_of(value)) && (value[NVR] >= operand_rows_of(value));
}

static int holds_8(const uint64_t value[TPU_PARAM_COUNT]) {
    return value[NAR] >= ((2 * value[MAXDIM]) + 2);
}

static int holds_9(const uint64_t value[TPU_PARAM_COUNT]) {
    return value[DMA_WORDS] >= 1;
}

static int holds_10(const uint64_t value[TPU_PARAM_COUNT]) {
    return value[T] <= 254;
}

const tpu_constraint tpu_constraints[] = {
    {
        .expression = "T >= 4",
        .why = "a packed word has to hold the two 16-bit counts that go down wcol",
        .holds = holds_0,
    },
    {
        .expression = "MAXDIM % T == 0",
        .why = "a row of A, B or C has to be a whole number of packed words",
        .holds = holds_1,
    },
    {
        .expression = "OPERAND_ROWS <= 2048",
        .why = "an address has 11 usable bits, and rows are numbered from 0, so the last row is at "
               "most 2047",
        .holds = holds_2,
    },
    {
        .expression = "AR_RAW_DIST <= T",
        .why = "a GEMM of T rows has to keep the accumulator distance",
        .holds = holds_3,
    },
    {
        .expression = "IMEM_SIZE % 8 == 0",
        .why = "instructions are fetched in beats of 8 words",
        .holds = holds_4,
    },
    {
        .expression = "IMEM_SIZE >= NHDR + IWORDS",
        .why = "the header and one instruction have to fit",
        .holds = holds_5,
    },
    {
        .expression = "SPAD_ROWS <= 2048 and NVR <= 2048 and NAR <= 2048",
        .why = "an address reaches rows 0 to 2047, so no memory can be deeper than 2048 rows",
        .holds = holds_6,
    },
    {
        .expression = "SPAD_ROWS >= OPERAND_ROWS and NVR >= OPERAND_ROWS",
        .why = "a smaller operand memory would accept the shipped layout and give wrong results",
        .holds = holds_7,
    },
    {
        .expression = "NAR >= 2 * MAXDIM + 2",
        .why = "the result takes MAXDIM accumulator rows and the partial result another MAXDIM "
               "from row MAXDIM + 1 on",
        .holds = holds_8,
    },
    {
        .expression = "DMA_WORDS >= 1",
        .why = "a load has to move at least one packed word in a step",
        .holds = holds_9,
    },
    {
        .expression = "T <= 254",
        .why = "the scratchpad's copy of an mm counts its header row and T weight rows in nr; the "
               "seed sets no upper limit on T, this machine does",
        .holds = holds_10,
    },
};
const size_t tpu_constraint_count = 11;

uint64_t tpu_param_default(size_t index, const uint64_t value[TPU_PARAM_COUNT], int widen) {
    switch (index) {
    case T:
        return 4;
    case MAXDIM:
        return 64;
    case SPAD_ROWS:
        return larger(TPU_TEST_WINDOW, operand_rows_of(value));
    case NVR:
        return larger(TPU_TEST_WINDOW, operand_rows_of(value));
    case NAR:
        return larger(larger(128, TPU_TEST_WINDOW), (2 * value[MAXDIM]) + 8);
    case IMEM_SIZE:
        return TPU_NHDR + (TPU_IWORDS * 24);
    case QD:
        return 16;
    case DMA_WORDS:
        return widen == 0
            ? 1
            : smaller(wpr_of(value), larger(1, quotient(TPU_BUS_BYTES, quotient(vw_of(value), 8))));
    default:
        return 0;
    }
}
