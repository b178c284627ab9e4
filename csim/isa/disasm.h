// SPDX-License-Identifier: Apache-2.0
//
// Instructions -> program text that assembly_parse reads back to the same instructions.

#ifndef DISASM_H
#define DISASM_H

#include "csim/isa/isa.h"

#include <stddef.h>

/** Holds any one instruction's text with its NUL. */
#define DISASM_LINE_MAX 256

/**
 * Text of one instruction, no indentation, no newline; cut when the buffer is short.
 * @param[out] buffer  borrowed, `size` bytes, size >= 1; DISASM_LINE_MAX always suffices.
 */
void disasm_insn(const isa_insn *insn, char *buffer, size_t size);

/** Text of one issue: the instruction's form with the resolved values and no agu part. */
void disasm_issue(const isa_issue *issue, char *buffer, size_t size);

/**
 * Text of a program, loops indented, one instruction a line. What has no readable spelling (a bad
 * opcode, a value over its limit) becomes a .word line with the readable form as its comment.
 * @param[out] text  given: the caller frees it; untouched on failure.
 * @return TPU_OK or TPU_ERR_MEMORY.
 */
tpu_status disasm_program(const isa_program *program, char **text, tpu_message *why) TPU_NODISCARD;

#endif
