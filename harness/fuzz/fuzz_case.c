// SPDX-License-Identifier: Apache-2.0
//
// From (seed, sequence, index), or from a program of a tape, to a program with operands and memory
// timing. Nothing else goes in, so that any run can be made again without having been recorded.

#include "harness/fuzz/fuzz_internal.h"

#include <string.h>

// Rows that dma_ld has asked for and not handed on, at most.
#define LOADS_IN_FLIGHT 128u

// Rows to store that make many writes in flight worth a try. Nothing in the machine bounds them.
#define STORES_MANY 64u
#define WRITE_LATENCY_FAR 340u

// Seeds of neighbouring cases must have nothing in common.
static uint64_t mix(uint64_t seed, uint64_t sequence, uint64_t index) {
    rng source;
    rng_seed(&source, seed);
    rng_seed(&source, rng_next(&source) ^ sequence);
    rng_seed(&source, rng_next(&source) ^ index);
    return rng_next(&source);
}

// Words of the header whose last 16 bits are the rows that a program loads, and that it stores.
enum { ROWS_LOADED = 1, ROWS_STORED = 6 };

static uint32_t header_count(const image *words, uint32_t word) {
    return (uint32_t)(words->words[word] & UINT16_MAX);
}

// A latency that only many loads in flight can hide, for programs that have as many: more than
// dma_ld takes, so that it must stop asking.
static void draw_far_memory(const image *words, rng *source, engine_timing *timing) {
    if (header_count(words, ROWS_LOADED) > LOADS_IN_FLIGHT && rng_below(source, 4) == 0) {
        timing->read_latency = LOADS_IN_FLIGHT + 8 + rng_below(source, LOADS_IN_FLIGHT / 2);
    }
    if (header_count(words, ROWS_STORED) > STORES_MANY && rng_below(source, 2) == 0) {
        timing->write_latency = STORES_MANY + rng_below(source, WRITE_LATENCY_FAR - STORES_MANY);
    }
}

static engine_timing draw_timing(rng *source) {
    static const uint8_t latencies[] = {1, 1, 2, 3, 4, 7, 16, 40};
    static const uint16_t stalls[] = {0, 0, 30, 100, 250, 250, 500, 700};
    engine_timing timing = {.read_latency = 1, .write_latency = 1};
    if (rng_below(source, 2) == 0) {
        return timing;
    }
    timing.read_latency = latencies[rng_below(source, sizeof latencies)];
    timing.write_latency = latencies[rng_below(source, sizeof latencies)];
    timing.stall_permille = stalls[rng_below(source, sizeof stalls / sizeof stalls[0])];
    timing.stall_seed = rng_next(source);
    if (rng_below(source, 2) == 0) {
        timing.stall_mode = (engine_stall)rng_below(source, ENGINE_STALL_COUNT);
    }
    return timing;
}

static engine_init draw_init(uint32_t eighth) {
    return eighth == 0 ? ENGINE_INIT_ZEROS : eighth == 1 ? ENGINE_INIT_ONES : ENGINE_INIT_RANDOM;
}

engine_config fuzz_case_config(const fuzz_options *options, uint64_t sequence) {
    engine_config config = options->config;
    uint64_t drawn = mix(options->seed, sequence, UINT64_MAX);
    if (!options->keep_init) {
        config.init = draw_init((uint32_t)(drawn % 8));
    }
    config.init_seed = drawn >> 3;
    config.timing = (engine_timing){.read_latency = 1, .write_latency = 1};
    return config;
}

// Header and words of the program that `out` holds. `check` judges it.
static tpu_status build_words(const tpu_params *params, fuzz_case *out, tpu_message *why) {
    image words = {.words = NULL};
    tpu_status status = image_build(params, &out->program, true, &words, why);
    if (status == TPU_OK) {
        image_clear(&out->words);
        out->words = words;
    }
    return status;
}

static void draw_rest(const fuzz_options *options, const stress_operands *operands,
                      rng *for_operands, rng *for_timing, fuzz_case *out) {
    stress_operands_draw(operands, for_operands, &out->operands);
    out->timing = (engine_timing){.read_latency = 1, .write_latency = 1};
    if (!options->calm) {
        out->timing = draw_timing(for_timing);
        draw_far_memory(&out->words, for_timing, &out->timing);
    }
}

tpu_status fuzz_case_make(const fuzz_options *options, const stress_operands *operands,
                          uint64_t sequence, uint32_t index, fuzz_case *out, tpu_message *why) {
    rng source;
    rng_seed(&source, mix(options->seed, sequence, index));
    uint64_t program_seed = rng_next(&source);
    const tpu_params *params = &options->config.params;
    tpu_status status = stress_program(params, program_seed, &options->shape, &out->program, why);
    if (status == TPU_OK) {
        status = build_words(params, out, why);
    }
    if (status == TPU_OK) {
        draw_rest(options, operands, &source, &source, out);
    }
    return status;
}

static tpu_status make_from_seed(void *user, const fuzz_options *options,
                                 const stress_operands *operands, uint64_t sequence, uint32_t index,
                                 fuzz_case *out, tpu_message *why) {
    (void)user;
    return fuzz_case_make(options, operands, sequence, index, out, why);
}

const fuzz_source fuzz_case_blind = {.make = make_from_seed};

tpu_status fuzz_case_from_tape(const fuzz_options *options, const stress_operands *operands,
                               const tape_program *program, fuzz_case *out, tpu_message *why) {
    rng for_operands;
    rng for_timing;
    stress_part part[TAPE_RECORDS_MAX + 1];
    const stress_parts parts = {.part = part, .count = program->count + 1};
    const tpu_params *params = &options->config.params;
    part[0] = program->like;
    memcpy(part + 1, program->things, program->count * sizeof part[0]);
    tpu_status status = stress_program_parts(params, &parts, &options->shape, &out->program, why);
    if (status == TPU_OK) {
        status = build_words(params, out, why);
    }
    if (status == TPU_OK) {
        rng_seed(&for_operands, program->operands);
        rng_seed(&for_timing, program->timing);
        draw_rest(options, operands, &for_operands, &for_timing, out);
    }
    return status;
}

void fuzz_case_clear(fuzz_case *self) {
    isa_program_clear(&self->program);
    image_clear(&self->words);
    memset(self, 0, sizeof *self);
}

void fuzz_case_job(const fuzz_options *options, const fuzz_case *from, uint32_t index,
                   lockstep_job *out) {
    *out = (lockstep_job){.level = LOCKSTEP_LEVEL_ARCH,
                          .mode = LOCKSTEP_MODE_CHECKED,
                          .program = &from->program,
                          .words = from->words.words,
                          .word_count = from->words.count,
                          .a = from->operands.a,
                          .b = from->operands.b,
                          .c = from->operands.c,
                          .watch = options->watch,
                          .hang_limit = options->hang_limit,
                          .skip_oracle = index % FUZZ_ORACLE_EVERY != 0};
}
