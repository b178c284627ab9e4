// SPDX-License-Identifier: Apache-2.0
//
// imem image: eight header words of work counts, then the instructions. The counts follow from the
// actions of the spec (what each opcode makes each unit do); the machine compares them with the
// work it really did, so a wrong one is a fault there, not a wrong answer.

#include "csim/isa/image.h"

#include "csim/isa/check.h"
#include "csim/isa/codec.h"
#include "csim/isa/expand.h"

#include <inttypes.h>
#include <stdlib.h>

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static void count_dma_ld(const isa_issue *issue, image_counts *counts) {
    uint64_t end = (uint64_t)issue->f[1] + issue->nr;
    counts->dma_ld_rows += issue->nr;
    if ((issue->f[0] & TPU_DMA_TO_VR) != 0) {
        counts->vru_words += issue->nr;
    } else {
        counts->spm_rows += issue->nr;
    }
    if ((issue->f[0] & TPU_DMA_SRC_B) != 0) {
        counts->b_span = larger(counts->b_span, end);
    } else {
        counts->a_span = larger(counts->a_span, end);
    }
}

static void count_mm(const tpu_params *params, const isa_issue *issue, image_counts *counts) {
    counts->spm_rows += (uint64_t)params->t + 1; // a header word and T weight rows
    counts->vru_words += issue->nr;
    counts->mm_count += 1;
    counts->mm_rows += issue->nr;
    counts->accu_iterations += issue->nr;
}

void image_count_issue(const tpu_params *params, const isa_issue *issue, image_counts *counts) {
    switch (issue->op) {
    case TPU_OP_DMA_LD:
        count_dma_ld(issue, counts);
        break;
    case TPU_OP_VLD:
        counts->spm_rows += issue->nr;
        counts->vru_words += issue->nr;
        break;
    case TPU_OP_MM:
        count_mm(params, issue, counts);
        break;
    case TPU_OP_VADD:
    case TPU_OP_VADDRELU:
        counts->accu_iterations += 2 * (uint64_t)issue->nr; // one read port, two sources
        break;
    case TPU_OP_VRELU:
        counts->accu_iterations += issue->nr;
        break;
    case TPU_OP_MVOUT:
        counts->accu_iterations += issue->nr;
        counts->dma_st_rows += issue->nr;
        break;
    default:
        break; // nop, and what the machine dispatches nowhere
    }
}

tpu_status image_count(const tpu_params *params, const isa_program *program, image_counts *out,
                       tpu_message *why) {
    *out = (image_counts){.n_instr = program->count};
    expand it;
    expand_start(&it, program);
    isa_issue issue;
    bool done = false;
    tpu_status status = expand_next(&it, &issue, &done, why);
    while (status == TPU_OK && !done) {
        image_count_issue(params, &issue, out);
        status = expand_next(&it, &issue, &done, why);
    }
    out->issues = it.seq;
    out->fetches = it.fetches;
    return status;
}

typedef struct bound {
    const char *name;
    uint64_t count;
    tpu_rule rule;
} bound;

static tpu_status check_counts(const image_counts *counts, tpu_message *why) {
    const bound bounds[] = {
        {"mm_count", counts->mm_count, TPU_RULE_ARRAY_OVERFLOW},
        {"mm_rows", counts->mm_rows, TPU_RULE_ARRAY_OVERFLOW},
        {"n_instr", counts->n_instr, TPU_RULE_COUNT_OVERFLOW},
        {"dma_ld_rows", counts->dma_ld_rows, TPU_RULE_COUNT_OVERFLOW},
        {"spm_rows", counts->spm_rows, TPU_RULE_COUNT_OVERFLOW},
        {"vru_words", counts->vru_words, TPU_RULE_COUNT_OVERFLOW},
        {"accu_iterations", counts->accu_iterations, TPU_RULE_COUNT_OVERFLOW},
        {"dma_st_rows", counts->dma_st_rows, TPU_RULE_COUNT_OVERFLOW},
    };
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        if (bounds[i].count > TPU_COUNT_MAX) {
            return status_fail(why, TPU_REFUSED,
                               "%s: the program needs %s=%" PRIu64
                               " in the header, which holds 0..%d: over by %" PRIu64,
                               tpu_rule_name(bounds[i].rule), bounds[i].name, bounds[i].count,
                               TPU_COUNT_MAX, bounds[i].count - TPU_COUNT_MAX);
        }
    }
    return TPU_OK;
}

static tpu_status check_size(const tpu_params *params, size_t count, tpu_message *why) {
    uint64_t words = TPU_NHDR + TPU_IWORDS * (uint64_t)count;
    if (words <= params->imem_size) {
        return TPU_OK;
    }
    return status_fail(why, TPU_REFUSED,
                       "%s: %zu instructions and the header take %" PRIu64
                       " words, but IMEM_SIZE=%" PRIu32 " holds %" PRIu32
                       " instructions: over by %" PRIu64 " words",
                       tpu_rule_name(TPU_RULE_IMEM_OVERFLOW), count, words, params->imem_size,
                       params_max_instructions(params), words - params->imem_size);
}

static uint64_t low16(uint64_t count) {
    return count & UINT16_MAX;
}

static void write_header(const image_counts *counts, uint64_t words[TPU_NHDR]) {
    words[0] = low16(counts->n_instr);
    words[1] = low16(counts->dma_ld_rows);
    words[2] = low16(counts->spm_rows);
    words[3] = low16(counts->vru_words);
    words[4] = low16(counts->mm_count) | low16(counts->mm_rows) << 16;
    words[5] = low16(counts->accu_iterations);
    words[6] = low16(counts->dma_st_rows);
    words[7] = low16(counts->a_span) | low16(counts->b_span) << 16;
}

static tpu_status write_words(const isa_program *program, bool checked, uint64_t *words,
                              tpu_message *why) {
    for (size_t pc = 0; pc < program->count; pc++) {
        uint64_t *at = words + TPU_NHDR + TPU_IWORDS * pc;
        tpu_message reason;
        if (!checked) {
            codec_encode_unchecked(&program->insn[pc], at);
        } else if (codec_encode(&program->insn[pc], at, &reason) != TPU_OK) {
            return status_fail(why, TPU_REFUSED, "instruction %zu: %s", pc, reason.text);
        }
    }
    return TPU_OK;
}

static tpu_status count_checked(const tpu_params *params, const isa_program *program,
                                image_counts *counts, tpu_message *why) {
    tpu_status status = check_program(params, program, NULL, why);
    if (status == TPU_OK) {
        status = image_count(params, program, counts, why);
    }
    return status == TPU_OK ? check_counts(counts, why) : status;
}

tpu_status image_build(const tpu_params *params, const isa_program *program, bool checked,
                       image *out, tpu_message *why) {
    image_counts counts = {0};
    tpu_status status = TPU_OK;
    if (checked) {
        status = count_checked(params, program, &counts, why);
    } else {
        // Meant to be bad: the header promises what was counted until the run went astray.
        tpu_status astray = image_count(params, program, &counts, NULL);
        (void)astray;
    }
    if (status == TPU_OK) {
        status = check_size(params, program->count, why);
    }
    if (status != TPU_OK) {
        return status;
    }
    size_t count = TPU_NHDR + TPU_IWORDS * program->count;
    uint64_t *words = calloc(count, sizeof *words);
    if (words == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "no memory for an image of %zu words", count);
    }
    write_header(&counts, words);
    status = write_words(program, checked, words, why);
    if (status != TPU_OK) {
        free(words);
        return status;
    }
    *out = (image){.words = words, .count = count};
    return TPU_OK;
}

static tpu_status decode_all(const uint64_t *words, size_t n_instr, isa_program *program,
                             tpu_message *why) {
    for (size_t pc = 0; pc < n_instr; pc++) {
        isa_insn insn;
        tpu_message reason;
        if (codec_decode(words + TPU_NHDR + TPU_IWORDS * pc, &insn, &reason) != TPU_OK) {
            return status_fail(why, TPU_REFUSED, "instruction %zu: %s", pc, reason.text);
        }
        if (isa_program_append(program, &insn) != TPU_OK) {
            return status_fail(why, TPU_ERR_MEMORY, "no memory for the program");
        }
    }
    return TPU_OK;
}

tpu_status image_decode(const uint64_t *words, size_t count, isa_program *out, tpu_message *why) {
    if (count < TPU_NHDR) {
        return status_fail(why, TPU_REFUSED, "the image has %zu words; its header alone takes %d",
                           count, TPU_NHDR);
    }
    size_t n_instr = (size_t)low16(words[0]);
    size_t wanted = TPU_NHDR + TPU_IWORDS * n_instr;
    if (count < wanted) {
        return status_fail(why, TPU_REFUSED,
                           "the image has %zu words, but its header promises %zu instructions, "
                           "which take %zu",
                           count, n_instr, wanted);
    }
    isa_program program = {0};
    tpu_status status = decode_all(words, n_instr, &program, why);
    if (status != TPU_OK) {
        isa_program_clear(&program);
        return status;
    }
    *out = program;
    return TPU_OK;
}

void image_clear(image *self) {
    free(self->words);
    *self = (image){0};
}
