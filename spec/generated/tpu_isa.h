// generated from spec/isa_spec.json by specgen, do not edit
// input FNV-1a 64: 0xc097b7eabde95be7
// SPDX-License-Identifier: Apache-2.0

// clang-format off

#ifndef TPU_ISA_H
#define TPU_ISA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TPU_SPEC_HASH 0xc097b7eabde95be7ull

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
#define TPU_AGU_TARGET_MAX 4
#define TPU_AGU_LEVEL_MAX 3
#define TPU_AGU_STRIDE_MAX 2047
#define TPU_AR_RAW_DIST 4
#define TPU_NHDR 8
#define TPU_COUNT_MAX 32767
#define TPU_TEST_WINDOW 64
#define TPU_BUS_BYTES 64
#define TPU_MAXROWS 127

/* mode of dma_ld */
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

/** Streams: rows whose contents and order do not depend on timing. */
typedef enum tpu_stream {
    TPU_STREAM_ISSUE,        /* "issue" sequencer */
    TPU_STREAM_C_DLD,        /* "c_dld" sequencer -> dma_ld */
    TPU_STREAM_C_SPM,        /* "c_spm" sequencer -> spm */
    TPU_STREAM_C_VRU,        /* "c_vru" sequencer -> vru */
    TPU_STREAM_C_ACC,        /* "c_acc" sequencer -> accu */
    TPU_STREAM_C_DST,        /* "c_dst" sequencer -> dma_st */
    TPU_STREAM_DMA2SP,       /* "dma2sp" dma_ld -> spm */
    TPU_STREAM_DMA2VR,       /* "dma2vr" dma_ld -> vru */
    TPU_STREAM_SP2VR,        /* "sp2vr" spm -> vru */
    TPU_STREAM_WCOL,         /* "wcol" spm -> array */
    TPU_STREAM_ACOL,         /* "acol" vru -> array */
    TPU_STREAM_CW,           /* "cw" array -> accu */
    TPU_STREAM_AC2SP,        /* "ac2sp" accu -> dma_st */
    TPU_STREAM_SPAD_WRITE,   /* "spad.write" spm */
    TPU_STREAM_VR_WRITE,     /* "vr.write" vru */
    TPU_STREAM_AR_WRITE_MM,  /* "ar.write.mm" accu, by mm */
    TPU_STREAM_AR_WRITE_ALU, /* "ar.write.alu" accu, by vadd, vrelu, vaddrelu */
    TPU_STREAM_C_WRITE,      /* "c.write" dma_st */
    TPU_STREAM_COUNT
} tpu_stream;

/* Bytes of the scalars of the widest stream row; T lanes follow. */
#define TPU_STREAM_HEAD_MAX 16

/** One scalar at the head of a stream row. Rows are byte strings, little-endian. */
typedef struct tpu_stream_field {
    const char *name;
    uint8_t offset; /**< bytes from the start of the row */
    uint8_t bytes;
} tpu_stream_field;

typedef struct tpu_stream_info {
    const char *name;
    tpu_unit unit; /**< the unit that writes it */
    int reader;    /**< tpu_unit of the reader, -1 when no unit reads it */
    const tpu_stream_field *fields;
    size_t field_count;
    uint8_t head_bytes; /**< bytes of all scalars; the lanes start here */
    uint8_t lane_bytes; /**< 0 without lanes, 1 for int8, 4 for int32 */
} tpu_stream_info;

extern const tpu_stream_info tpu_streams[TPU_STREAM_COUNT];

/**
 * Rules of a legal program: what check names, and what the fault register holds when the
 * machine met a program that broke one. The TPU_FAULT values are the machine's alone.
 */
typedef enum tpu_rule {
    TPU_RULE_NONE = 0,
    TPU_RULE_PROG_EMPTY = 1,         /* prog.empty */
    TPU_RULE_OP_UNKNOWN = 2,         /* op.unknown */
    TPU_RULE_LOOP_DEPTH = 3,         /* loop.depth */
    TPU_RULE_LOOP_TRIP = 4,          /* loop.trip */
    TPU_RULE_LOOP_UNBALANCED = 5,    /* loop.unbalanced */
    TPU_RULE_AGU_TERM = 6,           /* agu.term */
    TPU_RULE_LOOP_UNCLOSED = 7,      /* loop.unclosed */
    TPU_RULE_FIELD_RANGE = 8,        /* enc.field_range */
    TPU_RULE_ZERO_ROWS = 9,          /* enc.zero_rows */
    TPU_RULE_DMA_LD_FIELD = 10,      /* op.dma_ld_field */
    TPU_RULE_OPERAND_RANGE = 11,     /* dram.operand_range */
    TPU_RULE_MEM_RANGE = 12,         /* mem.out_of_range */
    TPU_RULE_WRITE_BEFORE_READ = 13, /* mem.write_before_read */
    TPU_RULE_MM_ACC_FIELD = 14,      /* op.mm_acc_field */
    TPU_RULE_RAW_DISTANCE = 15,      /* ar.raw_distance */
    TPU_RULE_RESULT_RANGE = 16,      /* dram.result_range */
    TPU_RULE_IMEM_OVERFLOW = 17,     /* imem.overflow */
    TPU_RULE_COUNT_OVERFLOW = 18,    /* hdr.count_overflow */
    TPU_RULE_ARRAY_OVERFLOW = 19,    /* hdr.array_overflow */
    TPU_RULE_COUNT = 20,
    TPU_FAULT_HEADER = 32,
    TPU_FAULT_WATCHDOG = 33,
    TPU_FAULT_BUS = 34,
    TPU_FAULT_BASE = 35
} tpu_rule;

/** Name such as "prog.empty" or "fault.bus"; NULL when the value is unknown. */
const char *tpu_rule_name(unsigned value);

/** One sentence: what the rule demands, or what the fault says; NULL when unknown. */
const char *tpu_rule_text(unsigned value);

/** How an opcode names one field; name NULL = the opcode does not use the field. */
typedef struct tpu_operand_info {
    const char *name;
    const char *meaning;
} tpu_operand_info;

typedef struct tpu_op_info {
    const char *name;
    tpu_operand_info operand[TPU_FIELDS]; /**< by field f0..f3 */
    uint8_t has_rows;                     /**< nr is a row count */
    uint8_t is_loop;                      /**< nr is a trip count */
    uint8_t retired;
    uint8_t is_control; /**< kept by the sequencer, never issued */
    uint8_t unit_mask;  /**< bit u: the opcode has work for unit u */
} tpu_op_info;

extern const tpu_op_info tpu_ops[TPU_OP_COUNT];
extern const char *const tpu_unit_names[TPU_UNIT_COUNT];
extern const char *const tpu_mem_names[TPU_MEM_COUNT];

/** A build parameter. Order: T, MAXDIM, SPAD_ROWS, NVR, NAR, IMEM_SIZE, QD, DMA_WORDS. */
#define TPU_PARAM_COUNT 8
typedef struct tpu_param_info {
    const char *name;
    const char *env; /**< environment variable */
    uint32_t min;
    uint32_t max; /**< UINT32_MAX = unbounded */
    const char *role;
} tpu_param_info;
extern const tpu_param_info tpu_param_infos[TPU_PARAM_COUNT];

/** A condition between parameters; value[] in parameter order. */
typedef struct tpu_constraint {
    const char *expression;
    const char *why;
    int (*holds)(const uint64_t value[TPU_PARAM_COUNT]);
} tpu_constraint;
extern const tpu_constraint tpu_constraints[];
extern const size_t tpu_constraint_count;

/**
 * Default of parameter `index`, given the values of the parameters before it.
 * @param widen  non-zero takes the widened default of the parameters that have one.
 */
uint64_t tpu_param_default(size_t index, const uint64_t value[TPU_PARAM_COUNT], int widen);

/* AXI4-Lite registers: byte offsets. */
#define TPU_REG_CTRL 0x000
#define TPU_REG_STATUS 0x004
#define TPU_REG_FAULT 0x008
#define TPU_REG_CYCLES_LO 0x00C
#define TPU_REG_CYCLES_HI 0x010
#define TPU_REG_WATCHDOG 0x014
#define TPU_REG_ACK 0x018
#define TPU_REG_IMEM_LO 0x020
#define TPU_REG_IMEM_HI 0x024
#define TPU_REG_A_LO 0x028
#define TPU_REG_A_HI 0x02C
#define TPU_REG_B_LO 0x030
#define TPU_REG_B_HI 0x034
#define TPU_REG_C_LO 0x038
#define TPU_REG_C_HI 0x03C
#define TPU_REG_ID 0x040
#define TPU_REG_HASH_LO 0x044
#define TPU_REG_HASH_HI 0x048
#define TPU_REG_PARAM 0x050
#define TPU_REG_UNIT 0x080
#define TPU_REG_ID_VALUE 0x31555054u

#ifdef __cplusplus
}
#endif

#endif
