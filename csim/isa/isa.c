// SPDX-License-Identifier: Apache-2.0
//
// The instruction list of isa.h.

#include "csim/isa/isa.h"

#include <stdlib.h>

tpu_status isa_program_append(isa_program *program, const isa_insn *insn) {
    if (program->count == program->capacity) {
        size_t wanted = program->capacity == 0 ? 32 : program->capacity * 2;
        isa_insn *grown = realloc(program->insn, wanted * sizeof *grown);
        if (grown == NULL) {
            return TPU_ERR_MEMORY;
        }
        program->insn = grown;
        program->capacity = wanted;
    }
    program->insn[program->count++] = *insn;
    return TPU_OK;
}

void isa_program_clear(isa_program *program) {
    free(program->insn);
    *program = (isa_program){0};
}
