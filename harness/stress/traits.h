// SPDX-License-Identifier: Apache-2.0
//
// What a program exercises, read from its issues alone: meetings of instructions in one memory,
// distances, edges, loops. A yardstick for the generator, apart from it; it judges no legality.

#ifndef TRAITS_H
#define TRAITS_H

#include "base/status.h"
#include "csim/isa/isa.h"
#include "csim/isa/params.h"

#include <stdint.h>

/** One name and one text per trait. */
#define TRAITS_LIST(X)                                                                             \
    X(DMA_A_SPAD, "dma_ld of A to spad")                                                           \
    X(DMA_B_SPAD, "dma_ld of B to spad")                                                           \
    X(DMA_A_VR, "dma_ld of A to vr")                                                               \
    X(DMA_B_VR, "dma_ld of B to vr")                                                               \
    X(SPAD_LOW, "the first row of spad is used")                                                   \
    X(SPAD_TOP, "the last row of spad is used")                                                    \
    X(VR_LOW, "the first row of vr is used")                                                       \
    X(VR_TOP, "the last row of vr is used")                                                        \
    X(AR_LOW, "the first row of ar is used")                                                       \
    X(AR_TOP, "the last row of ar is used")                                                        \
    X(DRAM_TOP, "the last row and the last column block of A or B are read together")              \
    X(C_TOP, "the last row and the last column block of C are written together")                   \
    X(C_AGAIN, "a word of C is written twice")                                                     \
    X(EXACT_MM, "mm adds to a row exactly AR_RAW_DIST steps after its write")                      \
    X(EXACT_LEFT, "vadd reads its left source at exactly AR_RAW_DIST")                             \
    X(EXACT_RIGHT, "vadd reads its right source at exactly AR_RAW_DIST")                           \
    X(EXACT_VRELU, "vrelu reads at exactly AR_RAW_DIST")                                           \
    X(EXACT_MVOUT, "mvout reads at exactly AR_RAW_DIST")                                           \
    X(OWN_ROW, "an instruction reads a row that it wrote itself")                                  \
    X(DEST_IS_LEFT, "vadd writes where its left source lies")                                      \
    X(DEST_IS_RIGHT, "vadd writes where its right source lies")                                    \
    X(SAME_SOURCES, "vadd adds rows to themselves")                                                \
    X(OVERLAP_VADD, "vadd's destination overlaps a source, shifted")                               \
    X(OVERLAP_VRELU, "vrelu's destination overlaps its source, shifted")                           \
    X(MM_BACK_TO_BACK, "mm follows mm at once")                                                    \
    X(MM_SHORT_PAIR, "two mm in a row, both with fewer rows than weights take")                    \
    X(MM_ONE_ROW, "mm of one row")                                                                 \
    X(MM_LONG, "mm of 64 rows or more")                                                            \
    X(MM_ACCUMULATE, "mm adds to the accumulators")                                                \
    X(WEIGHTS_RELOADED, "the weights of the last mm are overwritten by the next instruction")      \
    X(ACTIVATIONS_LOST, "the activations of the last mm are overwritten by the next instruction")  \
    X(FRESH_WEIGHTS, "mm takes weights that the instruction before loaded")                        \
    X(FRESH_ACTIVATIONS, "mm takes activations that the instruction before loaded")                \
    X(VLD_FRESH, "vld copies what the instruction before loaded")                                  \
    X(VLD_UNWRITTEN, "vld copies a row that this program did not write")                           \
    X(MM_OVER_MVOUT, "mm writes rows that the instruction before stores")                          \
    X(MVOUT_OVER_MM, "mvout stores rows that the instruction before wrote")                        \
    X(NEST_2, "two loops deep")                                                                    \
    X(NEST_3, "three loops deep")                                                                  \
    X(NEST_4, "four loops deep")                                                                   \
    X(NEST_4_LONG, "64 turns or more of the innermost of four loops")                              \
    X(NEST_4_TERMS, "two loops or more move an instruction that is four loops deep")               \
    X(TRIP_1, "a loop of one turn")                                                                \
    X(TRIP_LONG, "a loop of 32 turns or more")                                                     \
    X(LOOP_EMPTY, "a loop without a body")                                                         \
    X(TERMS_3, "three address terms on one instruction")                                           \
    X(TERMS_SHARED, "two address terms on one field")                                              \
    X(TERM_F0, "f0 walks")                                                                         \
    X(TERM_F1, "f1 walks")                                                                         \
    X(TERM_F2, "f2 walks")                                                                         \
    X(TERM_F3, "f3 walks")                                                                         \
    X(MODE_WALKS, "dma_ld's mode walks")                                                           \
    X(ACC_WALKS, "mm's acc walks from overwrite to accumulate")                                    \
    X(STRIDE_IDLE, "a stride on a loop of one turn")                                               \
    X(MVOUT_LOOP, "mvout in a loop that walks rows and columns")                                   \
    X(MVOUT_LOOP_3, "mvout that walks its source, its row and its column block")                   \
    X(DOUBLING, "rows are added to themselves ten times over")                                     \
    X(ONE_ROW_ALL, "every instruction works on one row")                                           \
    X(IMEM_FULL, "instruction memory is full")                                                     \
    X(NOP, "nop")                                                                                  \
    X(IDLE_FIELD, "a field that no unit reads is not zero")                                        \
    X(VADDRELU, "vaddrelu")                                                                        \
    X(SHORT_PROGRAM, "four instructions or fewer")                                                 \
    X(LOAD_TRAIN, "more than 128 rows are loaded with nothing but loads between")

typedef enum traits_name {
#define TRAITS_ENUM(name, text) TRAITS_##name,
    TRAITS_LIST(TRAITS_ENUM)
#undef TRAITS_ENUM
        TRAITS_COUNT
} traits_name;

/** A set: bit t stands for trait t. */
typedef uint64_t traits_set;

/** Text of a trait, static storage; NULL when out of range. */
const char *traits_text(traits_name name);

/**
 * Looks at a legal program; linear in the rows that it touches.
 * @param[out] out  untouched on failure.
 * @return TPU_OK, TPU_REFUSED (control flow runs astray) or TPU_ERR_MEMORY.
 */
tpu_status traits_of(const tpu_params *params, const isa_program *program, traits_set *out,
                     tpu_message *why) TPU_NODISCARD;

#endif
