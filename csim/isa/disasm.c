// SPDX-License-Identifier: Apache-2.0
//
// Instructions as text. Operands are printed under the names of the opcode; a field the opcode does
// not use appears as f0..f3 only when it is not 0, so that nothing is lost.

#include "csim/isa/disasm.h"

#include "csim/isa/codec.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const raw_names[TPU_FIELDS] = {"f0", "f1", "f2", "f3"};

// A bounded string under construction.
typedef struct line {
    char *text;
    size_t size;
    size_t used;
} line;

static void add(line *to, const char *fmt, ...) TPU_PRINTF(2, 3);

static void add(line *to, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    int wanted = vsnprintf(to->text + to->used, to->size - to->used, fmt, args);
    va_end(args);
    size_t left = to->size - to->used - 1;
    to->used += (size_t)wanted < left ? (size_t)wanted : left;
}

static const char *field_name(uint8_t op, size_t field) {
    const char *name = op < TPU_OP_COUNT ? tpu_ops[op].operand[field].name : NULL;
    return name != NULL ? name : raw_names[field];
}

static bool names_field(uint8_t op, size_t field) {
    return op < TPU_OP_COUNT && tpu_ops[op].operand[field].name != NULL;
}

static void add_head(line *to, uint8_t op, uint8_t nr, const uint32_t f[TPU_FIELDS]) {
    if (op < TPU_OP_COUNT) {
        add(to, "%s", tpu_ops[op].name);
    } else {
        add(to, "op%u", op);
    }
    if (op < TPU_OP_COUNT && tpu_ops[op].is_loop) {
        add(to, " x%u", nr);
    } else if (op < TPU_OP_COUNT && tpu_ops[op].has_rows) {
        add(to, " rows=%u", nr);
    } else if (nr != 0) {
        add(to, " nr=%u", nr);
    }
    for (size_t i = 0; i < TPU_FIELDS; i++) {
        if (names_field(op, i) || f[i] != 0) {
            add(to, " %s=%" PRIu32, field_name(op, i), f[i]);
        }
    }
}

static void add_terms(line *to, const isa_insn *insn) {
    bool first = true;
    for (size_t i = 0; i < TPU_AGU_TERMS; i++) {
        const isa_term *term = &insn->term[i];
        if (term->target == 0) {
            continue;
        }
        add(to, "%s", first ? "   agu: " : ", ");
        first = false;
        if (term->target <= TPU_FIELDS) {
            add(to, "%s", field_name(insn->op, (size_t)term->target - 1));
        } else {
            add(to, "target%u", term->target);
        }
        add(to, "+=iv%u*%u", term->level, term->stride);
    }
}

void disasm_insn(const isa_insn *insn, char *buffer, size_t size) {
    line to = {buffer, size, 0};
    const uint32_t f[TPU_FIELDS] = {insn->f[0], insn->f[1], insn->f[2], insn->f[3]};
    add_head(&to, insn->op, insn->nr, f);
    add_terms(&to, insn);
}

void disasm_issue(const isa_issue *issue, char *buffer, size_t size) {
    line to = {buffer, size, 0};
    add_head(&to, issue->op, issue->nr, issue->f);
}

// Used terms first and within range, unused ones all zero: what the agu part can say.
static bool terms_have_spelling(const isa_insn *insn) {
    bool ended = false;
    for (size_t i = 0; i < TPU_AGU_TERMS; i++) {
        const isa_term *term = &insn->term[i];
        if (term->target == 0) {
            ended = true;
            if (term->level != 0 || term->stride != 0) {
                return false;
            }
        } else if (ended) {
            return false;
        }
    }
    return true;
}

static bool has_spelling(const isa_insn *insn) {
    uint64_t word[TPU_IWORDS];
    if (insn->op >= TPU_OP_COUNT || tpu_ops[insn->op].retired) {
        return false;
    }
    return codec_encode(insn, word, NULL) == TPU_OK && terms_have_spelling(insn);
}

static void add_insn_line(line *to, const isa_insn *insn, size_t depth) {
    char text[DISASM_LINE_MAX];
    disasm_insn(insn, text, sizeof text);
    if (has_spelling(insn)) {
        add(to, "%*s%s\n", (int)(2 * depth), "", text);
        return;
    }
    uint64_t word[TPU_IWORDS];
    codec_encode_unchecked(insn, word);
    add(to, "%*s.word 0x%016" PRIx64 " 0x%016" PRIx64 "  ; %s\n", (int)(2 * depth), "", word[0],
        word[1], text);
}

tpu_status disasm_program(const isa_program *program, char **text, tpu_message *why) {
    // Indentation stops growing at DISASM_LINE_MAX / 4, so a line stays within its share.
    const size_t per_line = (size_t)2 * DISASM_LINE_MAX;
    size_t size = program->count * per_line + 1;
    char *given = malloc(size);
    if (given == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "no memory for the text of %zu instructions",
                           program->count);
    }
    given[0] = '\0';
    line to = {given, size, 0};
    size_t depth = 0;
    for (size_t pc = 0; pc < program->count; pc++) {
        const isa_insn *insn = &program->insn[pc];
        if (insn->op == TPU_OP_ENDLOOP && depth > 0) {
            depth--;
        }
        add_insn_line(&to, insn, depth < DISASM_LINE_MAX / 4 ? depth : DISASM_LINE_MAX / 4);
        if (insn->op == TPU_OP_LOOP) {
            depth++;
        }
    }
    *text = given;
    return TPU_OK;
}
