// SPDX-License-Identifier: Apache-2.0
//
// STUB of the generated header: specgen replaces it with the same names and values.

#ifndef TPU_ISA_H
#define TPU_ISA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TPU_SPEC_HASH 0x0000000000000000ull

/* Instruction words */
#define TPU_IWORDS 2
#define TPU_WORD_BITS 64
#define TPU_FIELDS 4
#define TPU_OP_LO 0
#define TPU_OP_WIDTH 6
#define TPU_F0_LO 6
#define TPU_F0_WIDTH 12
#define TPU_F1_LO 18
#define TPU_F1_WIDTH 12
#define TPU_F2_LO 30
#define TPU_F2_WIDTH 12
#define TPU_F3_LO 42
#define TPU_F3_WIDTH 12
#define TPU_NR_LO 54
#define TPU_NR_WIDTH 8
#define TPU_AGU_TERMS 3
#define TPU_AGU_TERM_BITS 19
#define TPU_AGU_TARGET_LO 0
#define TPU_AGU_TARGET_WIDTH 4
#define TPU_AGU_LEVEL_LO 4
#define TPU_AGU_LEVEL_WIDTH 3
#define TPU_AGU_STRIDE_LO 7
#define TPU_AGU_STRIDE_WIDTH 12
#define TPU_LOOP_DEPTH 4

/* Limits */
#define TPU_OP_MAX 31
#define TPU_FIELD_MAX 2047
#define TPU_MAXROWS 127
#define TPU_AGU_TARGET_MAX 4
#define TPU_AGU_LEVEL_MAX 3
#define TPU_AGU_STRIDE_MAX 2047
#define TPU_AR_RAW_DIST 4
#define TPU_NHDR 8
#define TPU_COUNT_MAX 32767
#define TPU_BUS_BYTES 64
#define TPU_TEST_WINDOW 64

/* dma_ld mode flags */
#define TPU_DMA_SRC_B 1
#define TPU_DMA_TO_VR 2

typedef enum tpu_op {
    TPU_OP_NOP = 0,
    TPU_OP_DMA_LD = 1,
    TPU_OP_DMA_ST = 2,
    TPU_OP_VLD = 3,
    TPU_OP_MM = 4,
    TPU_OP_VADD = 5,
    TPU_OP_VRELU = 6,
    TPU_OP_MVOUT = 7,
    TPU_OP_LOOP = 8,
    TPU_OP_ENDLOOP = 9,
    TPU_OP_VADDRELU = 10,
    TPU_OP_COUNT = 11
} tpu_op;

typedef enum tpu_unit {
    TPU_UNIT_SEQUENCER,
    TPU_UNIT_DMA_LD,
    TPU_UNIT_SPM,
    TPU_UNIT_VRU,
    TPU_UNIT_ARRAY,
    TPU_UNIT_ACCU,
    TPU_UNIT_DMA_ST,
    TPU_UNIT_COUNT
} tpu_unit;

typedef enum tpu_mem {
    TPU_MEM_SPAD,
    TPU_MEM_VR,
    TPU_MEM_AR,
    TPU_MEM_IMEM,
    TPU_MEM_A,
    TPU_MEM_B,
    TPU_MEM_C,
    TPU_MEM_COUNT
} tpu_mem;

/** Streams: rows whose contents and order the machine's meaning fixes, whatever the timing. */
typedef enum tpu_stream {
    TPU_STREAM_ISSUE,        /* "issue"         sequencer */
    TPU_STREAM_C_DLD,        /* "c_dld"         sequencer -> dma_ld */
    TPU_STREAM_C_SPM,        /* "c_spm"         sequencer -> spm */
    TPU_STREAM_C_VRU,        /* "c_vru"         sequencer -> vru */
    TPU_STREAM_C_ACC,        /* "c_acc"         sequencer -> accu */
    TPU_STREAM_C_DST,        /* "c_dst"         sequencer -> dma_st */
    TPU_STREAM_DMA2SP,       /* "dma2sp"        dma_ld -> spm */
    TPU_STREAM_DMA2VR,       /* "dma2vr"        dma_ld -> vru */
    TPU_STREAM_SP2VR,        /* "sp2vr"         spm -> vru */
    TPU_STREAM_WCOL,         /* "wcol"          spm -> array */
    TPU_STREAM_ACOL,         /* "acol"          vru -> array */
    TPU_STREAM_CW,           /* "cw"            array -> accu */
    TPU_STREAM_AC2SP,        /* "ac2sp"         accu -> dma_st */
    TPU_STREAM_SPAD_WRITE,   /* "spad.write"    spm */
    TPU_STREAM_VR_WRITE,     /* "vr.write"      vru */
    TPU_STREAM_AR_WRITE_MM,  /* "ar.write.mm"   accu, by mm */
    TPU_STREAM_AR_WRITE_ALU, /* "ar.write.alu"  accu, by vadd, vrelu, vaddrelu */
    TPU_STREAM_C_WRITE,      /* "c.write"       dma_st */
    TPU_STREAM_COUNT
} tpu_stream;

/**
 * One scalar at the head of a stream row; rows are byte strings, little-endian, scalars first,
 * then T lanes of lane_bytes each (none when lane_bytes is 0).
 */
typedef struct tpu_stream_field {
    const char *name;
    uint8_t offset; /* bytes from the start of the row */
    uint8_t bytes;
} tpu_stream_field;

typedef struct tpu_stream_info {
    const char *name;
    tpu_unit unit;     /* the unit that writes it */
    int reader;        /* tpu_unit of the reader, -1 for a memory write */
    const tpu_stream_field *fields;
    size_t field_count;
    uint8_t head_bytes;
    uint8_t lane_bytes; /* 0, 1 (int8) or 4 (int32) */
} tpu_stream_info;

extern const tpu_stream_info tpu_streams[TPU_STREAM_COUNT];

/* Largest row of any stream: head + 4 * T. */
#define TPU_STREAM_HEAD_MAX 16

/**
 * Rules of a legal program. `check` names them; the machine's fault register carries the value of
 * the rule that the program broke. Values from TPU_FAULT_HEADER on are the machine's alone.
 */
typedef enum tpu_rule {
    TPU_RULE_NONE = 0,
    TPU_RULE_PROG_EMPTY = 1,          /* prog.empty */
    TPU_RULE_OP_UNKNOWN = 2,          /* op.unknown: unknown opcode or the retired dma_st */
    TPU_RULE_LOOP_DEPTH = 3,          /* loop.depth */
    TPU_RULE_LOOP_TRIP = 4,           /* loop.trip */
    TPU_RULE_LOOP_UNBALANCED = 5,     /* loop.unbalanced: endloop without a loop */
    TPU_RULE_AGU_TERM = 6,            /* agu.term: closed level, bad target, or on loop/endloop/nop */
    TPU_RULE_LOOP_UNCLOSED = 7,       /* loop.unclosed */
    TPU_RULE_FIELD_RANGE = 8,         /* enc.field_range */
    TPU_RULE_ZERO_ROWS = 9,           /* enc.zero_rows: nr = 0, or nr > 127 in the machine */
    TPU_RULE_DMA_LD_FIELD = 10,       /* op.dma_ld_field */
    TPU_RULE_OPERAND_RANGE = 11,      /* dram.operand_range */
    TPU_RULE_MEM_RANGE = 12,          /* mem.out_of_range: spad, vr or ar rows */
    TPU_RULE_WRITE_BEFORE_READ = 13,  /* mem.write_before_read */
    TPU_RULE_MM_ACC_FIELD = 14,       /* op.mm_acc_field */
    TPU_RULE_RAW_DISTANCE = 15,       /* ar.raw_distance */
    TPU_RULE_RESULT_RANGE = 16,       /* dram.result_range */
    TPU_RULE_IMEM_OVERFLOW = 17,      /* imem.overflow */
    TPU_RULE_COUNT_OVERFLOW = 18,     /* hdr.count_overflow */
    TPU_RULE_ARRAY_OVERFLOW = 19,     /* hdr.array_overflow */
    TPU_RULE_COUNT = 20,
    TPU_FAULT_HEADER = 32,            /* a header count differs from the work done */
    TPU_FAULT_WATCHDOG = 33,          /* nothing moved for the watchdog limit */
    TPU_FAULT_BUS = 34,               /* a memory response carried an error */
    TPU_FAULT_BASE = 35               /* a base address is not 64-byte aligned */
} tpu_rule;

/** "prog.empty" style name; faults "fault.header", "fault.watchdog", ...; NULL when unknown. */
const char *tpu_rule_name(unsigned value);

/** One sentence: what the rule demands. */
const char *tpu_rule_text(unsigned value);

/** Operand of an opcode: how one field is named. name NULL = the opcode does not use the field. */
typedef struct tpu_operand_info {
    const char *name;    /* "vr_a" */
    const char *meaning;
} tpu_operand_info;

typedef struct tpu_op_info {
    const char *name;                     /* "mm" */
    tpu_operand_info operand[TPU_FIELDS]; /* by field f0..f3 */
    uint8_t has_rows;                     /* nr is a row count */
    uint8_t is_loop;                      /* nr is a trip count */
    uint8_t retired;
    uint8_t is_control;                   /* loop, endloop: never issued */
    uint8_t unit_mask;                    /* bit u: the opcode reaches unit u (derived) */
} tpu_op_info;

extern const tpu_op_info tpu_ops[TPU_OP_COUNT];
extern const char *const tpu_unit_names[TPU_UNIT_COUNT];
extern const char *const tpu_mem_names[TPU_MEM_COUNT];

/** A build parameter. Order: T, MAXDIM, SPAD_ROWS, NVR, NAR, IMEM_SIZE, QD, DMA_WORDS. */
#define TPU_PARAM_COUNT 8
typedef struct tpu_param_info {
    const char *name; /* "T" */
    const char *env;  /* "TPU_T" */
    uint32_t min;
    uint32_t max; /* UINT32_MAX = unbounded */
    const char *role;
} tpu_param_info;
extern const tpu_param_info tpu_param_infos[TPU_PARAM_COUNT];

/** Cross constraints, in the spec's order; value[] in parameter order. */
typedef struct tpu_constraint {
    const char *expression; /* as in the spec */
    const char *why;
    int (*holds)(const uint64_t value[TPU_PARAM_COUNT]);
} tpu_constraint;
extern const tpu_constraint tpu_constraints[];
extern const size_t tpu_constraint_count;

/** Default of parameter `index`, given the values of the parameters before it. widen: TPU_DMA_WIDEN=1. */
uint64_t tpu_param_default(size_t index, const uint64_t value[TPU_PARAM_COUNT], int widen);

/* AXI4-Lite registers: byte offsets. */
#define TPU_REG_CTRL 0x000       /* W: bit 0 start; RW: bit 8 interrupt enable */
#define TPU_REG_STATUS 0x004     /* R: bit 0 busy, 1 done, 2 fault, 3 interrupt */
#define TPU_REG_FAULT 0x008      /* R: [7:0] tpu_rule, [15:8] unit, [31:16] pc */
#define TPU_REG_CYCLES_LO 0x00C  /* R: cycles of the last run, start taken to done */
#define TPU_REG_CYCLES_HI 0x010
#define TPU_REG_WATCHDOG 0x014   /* RW: cycles without movement before the watchdog fault */
#define TPU_REG_ACK 0x018        /* W: bit 0 clears done and the interrupt */
#define TPU_REG_IMEM_LO 0x020    /* RW: base addresses, 64-byte aligned */
#define TPU_REG_IMEM_HI 0x024
#define TPU_REG_A_LO 0x028
#define TPU_REG_A_HI 0x02C
#define TPU_REG_B_LO 0x030
#define TPU_REG_B_HI 0x034
#define TPU_REG_C_LO 0x038
#define TPU_REG_C_HI 0x03C
#define TPU_REG_ID 0x040         /* R: 0x31555054, "TPU1" */
#define TPU_REG_HASH_LO 0x044    /* R: the spec's hash */
#define TPU_REG_HASH_HI 0x048
#define TPU_REG_PARAM 0x050      /* R: 8 words, parameter order */
#define TPU_REG_UNIT 0x080       /* R: per unit 16 bytes: busy, starved, blocked cycles, 0 */
#define TPU_REG_ID_VALUE 0x31555054u

#ifdef __cplusplus
}
#endif

#endif
