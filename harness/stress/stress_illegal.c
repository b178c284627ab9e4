// SPDX-License-Identifier: Apache-2.0
//
// A legal program, a way to break the rule, the words that the machine is to see. Where a program
// offers no place for the way drawn, another program is tried.

#include "harness/stress/stress_illegal.h"

#include "harness/stress/stress_break.h"

#include <stdlib.h>
#include <string.h>

// Programs tried; more are never needed where a rule can be broken at all.
#define PATIENCE 400u

// Work that the legal program aims at: a fault ends most runs long before.
#define CYCLES 60u

// Instructions left free for what is put in.
#define ROOM 10u

static const stress_break_form *const tables[] = {stress_break_text, stress_break_issue,
                                                  stress_break_whole};
#define TABLES (sizeof tables / sizeof tables[0])

void stress_illegal_clear(stress_illegal *self) {
    isa_program_clear(&self->program);
    image_clear(&self->words);
    memset(self, 0, sizeof *self);
}

// The number-th form of a rule, or NULL.
static const stress_break_form *find_form(tpu_rule rule, uint32_t number) {
    for (size_t i = 0; i < TABLES; i++) {
        for (const stress_break_form *form = tables[i]; form->rule != TPU_RULE_NONE; form++) {
            if (form->rule == rule && number-- == 0) {
                return form;
            }
        }
    }
    return NULL;
}

static uint32_t count_forms(tpu_rule rule) {
    uint32_t count = 0;
    while (find_form(rule, count) != NULL) {
        count++;
    }
    return count;
}

bool stress_illegal_knows(tpu_rule rule) {
    return find_form(rule, 0) != NULL;
}

// With room for what is put in; where memory is that small, sometimes without.
static tpu_status make_legal(stress_break *self, tpu_message *why) {
    uint32_t most = params_max_instructions(self->params);
    uint32_t less = most > 2 * ROOM ? most - ROOM : most / 2 + 1;
    bool whole = most <= 2 * ROOM && stress_break_below(self, 2) == 0;
    const stress_options options = {.cycles = CYCLES, .instructions = whole ? most : less};
    return stress_program(self->params, rng_next(&self->source), &options, &self->out->program,
                          why);
}

// An image longer than instruction memory is what the memory would hold of it.
static tpu_status build_words(stress_break *self, tpu_message *why) {
    stress_illegal *out = self->out;
    tpu_params roomy = *self->params;
    if (out->judge == STRESS_ILLEGAL_MACHINE) {
        return TPU_OK; // the form has built them
    }
    image_clear(&out->words);
    uint32_t words = TPU_NHDR + TPU_IWORDS * (uint32_t)out->program.count;
    roomy.imem_size = words > roomy.imem_size ? words : roomy.imem_size;
    tpu_status status = image_build(&roomy, &out->program, false, &out->words, why);
    if (status == TPU_OK && out->words.count > self->params->imem_size) {
        out->words.count = self->params->imem_size;
    }
    return status;
}

// Who sees it: accu and those that hand mm its rows know what is written, the sequencer's side all
// that a single instruction tells.
static tpu_unit unit_of(const stress_illegal *made) {
    switch (made->rule) {
    case TPU_RULE_RAW_DISTANCE:
        return TPU_UNIT_ACCU;
    case TPU_RULE_WRITE_BEFORE_READ:
        return made->program.insn[made->pc].op == TPU_OP_MM ? TPU_UNIT_COUNT : TPU_UNIT_ACCU;
    case TPU_RULE_COUNT_OVERFLOW:
    case TPU_RULE_ARRAY_OVERFLOW:
        return TPU_UNIT_COUNT;
    default:
        return TPU_UNIT_SEQUENCER;
    }
}

static tpu_status try_one(stress_break *self, tpu_rule rule, bool *done, tpu_message *why) {
    stress_illegal *out = self->out;
    tpu_status status = make_legal(self, why);
    if (status != TPU_OK) {
        return status;
    }
    const stress_break_form *form = find_form(rule, stress_break_below(self, count_forms(rule)));
    out->pc = UINT32_MAX;
    out->unit = TPU_UNIT_COUNT;
    *done = form->apply(self);
    if (self->status != TPU_OK) {
        return status_fail(why, self->status, "stress: out of memory for a program");
    }
    if (*done) {
        out->rule = rule;
        out->judge = form->judge;
        out->form = form->name;
        out->pc = out->pc == UINT32_MAX ? self->pc : out->pc;
        out->unit = out->unit == TPU_UNIT_COUNT ? unit_of(out) : out->unit;
        status = build_words(self, why);
    }
    return status;
}

tpu_status stress_illegal_make(const tpu_params *params, tpu_rule rule, uint64_t seed,
                               stress_illegal *out, tpu_message *why) {
    stress_break *self = calloc(1, sizeof *self);
    if (self == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "stress: out of memory for a program");
    }
    TPU_CHECK(stress_illegal_knows(rule), "a rule that the generator cannot break");
    self->params = params;
    self->out = out;
    rng_seed(&self->source, seed);
    tpu_status status = TPU_OK;
    bool done = false;
    for (uint32_t i = 0; i < PATIENCE && status == TPU_OK && !done; i++) {
        status = try_one(self, rule, &done, why);
    }
    free(self);
    if (status == TPU_OK && !done) {
        return status_fail(why, TPU_REFUSED, "%s cannot be broken on this machine",
                           tpu_rule_name(rule));
    }
    return status;
}
