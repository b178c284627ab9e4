// SPDX-License-Identifier: Apache-2.0
//
// Program text -> instructions. One instruction a line:
//   mm rows=8 vr_a=64 ar0=0 acc=1 spad_w=4   agu: vr_a+=iv1*64, spad_w+=iv0*64
//   loop x7 ... endloop;   .word 0x.. 0x.. for words that have no other spelling;
// comments from ';' or '#', indentation free. Names come from tpu_ops[]. Meaning is `check`'s.

#ifndef ASSEMBLY_H
#define ASSEMBLY_H

#include "csim/isa/isa.h"

/**
 * Parses a whole program.
 * @param text       borrowed, NUL-terminated.
 * @param file_name  borrowed, for messages only.
 * @param[out] out   previous contents are not released; untouched on failure. insn.line is set.
 * @return TPU_OK, TPU_REFUSED with "file:line:column: what was found, what is allowed", or
 *         TPU_ERR_MEMORY.
 */
tpu_status assembly_parse(const char *text, const char *file_name, isa_program *out,
                          tpu_message *why) TPU_NODISCARD;

#endif
