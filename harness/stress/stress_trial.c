// SPDX-License-Identifier: Apache-2.0
//
// The loop: one illegal program, then a legal one on the same engine, whose memories both inherit.
// A sequence of them shares an engine; a run that hangs spends it.

#include "harness/stress/stress_trial.h"

#include "base/stopwatch.h"
#include "csim/isa/check.h"
#include "harness/lockstep/lockstep.h"
#include "harness/stress/stress.h"
#include "harness/stress/stress_operands.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// Illegal programs on one engine.
#define SEQUENCE 64u

// The rules of overlong work cost tens of thousands of cycles a program.
#define LONG_EVERY 64u

typedef struct trial {
    const stress_trial_options *options;
    stress_trial_summary *sum;
    tpu_rule rule[STRESS_TRIAL_RULES]; // those that are taken in turn
    uint32_t rules;
    rng source; // of this program
    stress_operands *operands;
    stress_illegal bad;
    isa_program legal;
    engine *device;
    lockstep *pair;
    verdict seen;
} trial;

static void add_finding(trial *self, uint64_t number, const char *what, const char *sentence) {
    stress_trial_summary *sum = self->sum;
    if (sum->findings < STRESS_TRIAL_KEPT) {
        (void)snprintf(sum->sentence[sum->findings], sizeof sum->sentence[0],
                       "program %" PRIu64 " (%s; %s): %s: %.160s", number,
                       tpu_rule_name(self->bad.rule), self->bad.form, what, sentence);
    }
    sum->findings++;
}

// ---- what must come out ------------------------------------------------------------------------

// Overlong counts are a rule of the image, which the machine never sees: it finds the count false.
bool stress_trial_allows(tpu_rule rule, unsigned fault) {
    bool count = rule == TPU_RULE_COUNT_OVERFLOW || rule == TPU_RULE_ARRAY_OVERFLOW;
    return fault == (unsigned)rule || (count && fault == TPU_FAULT_HEADER);
}

static bool refused_by_check(const tpu_params *params, const stress_illegal *made,
                             tpu_message *why) {
    check_finding found;
    tpu_message said = {""};
    if (check_program(params, &made->program, &found, &said) == TPU_OK) {
        (void)status_fail(why, TPU_OK, "check lets it by");
        return false;
    }
    if (found.rule != made->rule || (made->program.count > 0 && found.pc != made->pc)) {
        (void)status_fail(why, TPU_OK, "meant at instruction %" PRIu32 ", check says %s", made->pc,
                          said.text);
        return false;
    }
    return true;
}

static bool refused_by_image(const tpu_params *params, const stress_illegal *made,
                             tpu_message *why) {
    image words = {.words = NULL};
    const char *name = tpu_rule_name(made->rule);
    tpu_message said = {""};
    if (check_program(params, &made->program, NULL, &said) != TPU_OK) {
        (void)status_fail(why, TPU_OK, "check refuses what only the image breaks: %s", said.text);
        return false;
    }
    if (image_build(params, &made->program, true, &words, &said) == TPU_OK) {
        image_clear(&words);
        (void)status_fail(why, TPU_OK, "the image is built");
        return false;
    }
    if (strncmp(said.text, name, strlen(name)) != 0) {
        (void)status_fail(why, TPU_OK, "the image says %s", said.text);
        return false;
    }
    return true;
}

bool stress_trial_refused(const tpu_params *params, const stress_illegal *made, tpu_message *why) {
    switch (made->judge) {
    case STRESS_ILLEGAL_CHECK:
        return refused_by_check(params, made, why);
    case STRESS_ILLEGAL_IMAGE:
        return refused_by_image(params, made, why);
    default:
        return check_program(params, &made->program, NULL, why) == TPU_OK;
    }
}

// ---- runs --------------------------------------------------------------------------------------

static void close_engine(trial *self) {
    lockstep_destroy(self->pair);
    self->options->api->destroy(self->device);
    self->pair = NULL;
    self->device = NULL;
}

static tpu_status open_engine(trial *self, tpu_message *why) {
    const engine_api *api = self->options->api;
    engine_config config = self->options->config;
    config.init = (engine_init)rng_below(&self->source, 3);
    config.init_seed = rng_next(&self->source);
    config.timing = (engine_timing){.read_latency = 1, .write_latency = 1};
    tpu_status status = api->create(&config, &self->device, why);
    if (status == TPU_OK) {
        status = api->reset(self->device, why);
    }
    return status == TPU_OK ? lockstep_create(api, self->device, &config.params, &self->pair, why)
                            : status;
}

static tpu_status draw_timing(trial *self, tpu_message *why) {
    engine_timing timing = {.read_latency = 1 + rng_below(&self->source, 20),
                            .write_latency = 1 + rng_below(&self->source, 20),
                            .stall_permille = 100 * rng_below(&self->source, 6),
                            .stall_seed = rng_next(&self->source)};
    return self->options->api->set_timing(self->device, &timing, why);
}

static void run_job(trial *self, lockstep_mode mode, const isa_program *program,
                    const image *words) {
    stress_operands_pick data;
    stress_operands_draw(self->operands, &self->source, &data);
    const lockstep_job job = {.mode = mode,
                              .program = program,
                              .words = words->words,
                              .word_count = words->count,
                              .a = data.a,
                              .b = data.b,
                              .c = data.c,
                              .hang_limit = self->options->hang_limit,
                              .skip_oracle = true};
    lockstep_run(self->pair, &job, &self->seen);
}

// The unit that the machine names, where it is known which one must be.
static void judge_unit(trial *self, uint64_t number) {
    char text[96];
    unsigned named = self->seen.status.fault_unit;
    if (self->bad.unit == TPU_UNIT_COUNT || named == (unsigned)self->bad.unit) {
        return;
    }
    (void)snprintf(text, sizeof text, "unit %u (%s), not %s", named,
                   named < TPU_UNIT_COUNT ? tpu_unit_names[named] : "none",
                   tpu_unit_names[self->bad.unit]);
    add_finding(self, number, "the machine blames", text);
}

// The illegal program, check off. False = the engine is spent.
static bool run_illegal(trial *self, uint64_t number, stress_trial_row *row) {
    char text[192];
    run_job(self, LOCKSTEP_MODE_UNCHECKED, &self->bad.program, &self->bad.words);
    const verdict *seen = &self->seen;
    const char *name = tpu_rule_name(seen->status.fault);
    row->cycles += seen->cycle + 1;
    if (seen->kind != VERDICT_OK) {
        add_finding(self, number, "the machine does not end", seen->sentence.text);
        return false;
    }
    if (seen->status.assertions > 0) {
        add_finding(self, number, "the machine", "an assertion of the RTL failed");
    }
    bool placed = self->bad.judge != STRESS_ILLEGAL_CHECK || self->bad.program.count == 0 ||
                  seen->status.fault_pc == self->bad.pc;
    if (seen->status.fault == (unsigned)self->bad.rule && placed) {
        row->same++;
    } else if (stress_trial_allows(self->bad.rule, seen->status.fault) && placed) {
        row->other++;
    } else {
        (void)snprintf(text, sizeof text, "%s at instruction %u, meant at %" PRIu32,
                       name != NULL ? name : "no fault", seen->status.fault_pc, self->bad.pc);
        add_finding(self, number, "the machine says", text);
        return true;
    }
    judge_unit(self, number);
    return true;
}

static bool run_clean(trial *self, uint64_t number, stress_trial_row *row, tpu_message *why) {
    image words = {.words = NULL};
    static const stress_options small = {.cycles = 60};
    const tpu_params *params = &self->options->config.params;
    if (stress_program(params, rng_next(&self->source), &small, &self->legal, why) != TPU_OK ||
        image_build(params, &self->legal, true, &words, why) != TPU_OK) {
        add_finding(self, number, "the legal program behind it", why->text);
        return false;
    }
    run_job(self, LOCKSTEP_MODE_CHECKED, &self->legal, &words);
    image_clear(&words);
    if (self->seen.kind != VERDICT_OK) {
        add_finding(self, number, "the legal program behind it", self->seen.sentence.text);
        return false;
    }
    row->clean++;
    return true;
}

// ---- the loop ----------------------------------------------------------------------------------

static bool is_long(tpu_rule rule) {
    return rule == TPU_RULE_COUNT_OVERFLOW || rule == TPU_RULE_ARRAY_OVERFLOW;
}

// In turn, so that a short run has them all; the long ones seldom.
static tpu_rule rule_of(const trial *self, uint64_t number) {
    uint64_t round = number / self->rules;
    tpu_rule rule = self->rule[number % self->rules];
    bool skip = self->options->brief || round % LONG_EVERY != 0;
    return is_long(rule) && skip ? TPU_RULE_WRITE_BEFORE_READ : rule;
}

static tpu_status run_one(trial *self, uint64_t number, bool *go_on, tpu_message *why) {
    const tpu_params *params = &self->options->config.params;
    tpu_rule rule = rule_of(self, number);
    stress_trial_row *row = &self->sum->row[rule];
    tpu_message said = {""};
    tpu_status status = stress_illegal_make(params, rule, rng_next(&self->source), &self->bad, why);
    if (status == TPU_REFUSED) {
        row->impossible = true;
        return TPU_OK;
    }
    if (status == TPU_OK) {
        status = draw_timing(self, why);
    }
    if (status != TPU_OK) {
        return status;
    }
    row->made++;
    self->sum->programs++;
    if (stress_trial_refused(params, &self->bad, &said)) {
        row->refused++;
    } else {
        add_finding(self, number, "check", said.text);
    }
    *go_on = run_illegal(self, number, row) && run_clean(self, number, row, &said);
    if (self->seen.kind == VERDICT_ERROR) {
        return status_fail(why, TPU_ERR_INTERNAL, "%s", self->seen.sentence.text);
    }
    return TPU_OK;
}

// Rules that many rows, bits or pairs of instructions can break in their own way come more often.
static uint32_t weight_of(tpu_rule rule) {
    switch (rule) {
    case TPU_RULE_WRITE_BEFORE_READ:
    case TPU_RULE_RAW_DISTANCE:
    case TPU_RULE_MEM_RANGE:
        return 4;
    case TPU_RULE_AGU_TERM:
    case TPU_RULE_FIELD_RANGE:
    case TPU_FAULT_HEADER:
        return 3;
    default:
        return 1;
    }
}

static void choose_rules(trial *self) {
    for (uint32_t round = 0; round < STRESS_TRIAL_RULES; round++) {
        for (unsigned rule = 1; rule < STRESS_TRIAL_RULES; rule++) {
            if (stress_illegal_knows((tpu_rule)rule) && round < weight_of((tpu_rule)rule) &&
                self->rules < STRESS_TRIAL_RULES) {
                self->rule[self->rules++] = (tpu_rule)rule;
            }
        }
    }
}

static bool is_over(const trial *self, double begin) {
    const stress_trial_options *options = self->options;
    return (options->first && self->sum->findings > 0) ||
           (options->programs > 0 && self->sum->programs >= options->programs) ||
           (options->seconds > 0 && stopwatch_wall() - begin >= options->seconds);
}

static tpu_status run_all(trial *self, double begin, tpu_message *why) {
    tpu_status status = TPU_OK;
    bool go_on = true;
    uint64_t attempts = self->options->programs > 0 ? 4 * self->options->programs : UINT64_MAX;
    for (uint64_t number = 0; status == TPU_OK && number < attempts && !is_over(self, begin);
         number++) {
        rng_seed(&self->source, self->options->seed);
        rng_seed(&self->source, rng_next(&self->source) ^ number);
        if (self->device == NULL || !go_on || number % SEQUENCE == 0) {
            close_engine(self);
            status = open_engine(self, why);
            go_on = true;
        }
        if (status == TPU_OK) {
            status = run_one(self, number, &go_on, why);
        }
    }
    return status;
}

tpu_status stress_trial_run(const stress_trial_options *options, stress_trial_summary *out,
                            tpu_message *why) {
    trial self = {.options = options, .sum = out};
    double begin = stopwatch_wall();
    choose_rules(&self);
    verdict_init(&self.seen);
    tpu_status status =
        stress_operands_create(&options->config.params, options->seed, &self.operands, why);
    if (status == TPU_OK) {
        status = run_all(&self, begin, why);
    }
    close_engine(&self);
    verdict_clear(&self.seen);
    isa_program_clear(&self.legal);
    stress_illegal_clear(&self.bad);
    stress_operands_destroy(self.operands);
    out->seconds = stopwatch_wall() - begin;
    return status;
}
