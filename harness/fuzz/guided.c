// SPDX-License-Identifier: Apache-2.0
//
// The meeting with libFuzzer: it calls take_input for every tape, and the functions with its own
// names below to make new ones. It keeps state of its own and calls back without a context, so the
// run is a file-scope variable; a process has one.
//
// A machine runs the programs of many tapes one after the other, as blind fuzzing does; which tapes
// those were is kept, so that a finding can be made again.

#define _POSIX_C_SOURCE 200809L

#include "harness/fuzz/guided.h"

#include "harness/fuzz/fuzz_internal.h"

#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Names that libFuzzer looks for.
int LLVMFuzzerRunDriver(int *count, char ***arguments,
                        int (*run)(const uint8_t *data, size_t size));
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *left, size_t left_size, const uint8_t *right,
                                 size_t right_size, uint8_t *out, size_t room, unsigned seed);

// Operands of a tape must not depend on the seed of the run.
#define POOL_SEED 1u

// What libFuzzer takes for coverage: one counter a bin, 1 where the input hit it; and one that is
// always 1, without which it would not begin from nothing.
static uint8_t counters[COVERAGE_BINS_MAX + 1]
    __attribute__((section("__libfuzzer_extra_counters"), used));

// A program that the present machine has run.
typedef struct past {
    uint32_t tape; // number among the tapes
    uint32_t program;
} past;

// While programs that are drawn anew bring more new bins than this each, nothing else is made; one
// input in so many is drawn anew later.
#define YIELD_ENOUGH 1.0
#define DRAWN_EVERY 4u

// Weight of one program in the mean of new bins.
#define YIELD_STEP (1.0 / 256)

static struct {
    fuzz_loop loop;
    fuzz_options options;
    tpu_params params;
    tape tapes[FUZZ_SEQUENCE]; // of the present machine
    uint32_t tape_count;
    past history[FUZZ_SEQUENCE];
    uint32_t index; // programs that the machine has run
    uint64_t sequence;
    bool spent;   // the machine must be replaced before the next program
    bool drawn;   // the coming input was drawn anew
    double yield; // new bins that a drawn program brought, lately
    tape work;
    tape other;
    tape crossed;
} run;

bool guided_available(void) {
    return true;
}

static void end(tpu_status status, const tpu_message *why) {
    const fuzz_watcher *watcher = run.loop.watcher;
    fuzz_loop_end(&run.loop);
    watcher->finish(watcher->user, status, why);
}

// ---- programs ----------------------------------------------------------------------------------

static bool find_program(const tape *from, uint32_t number, tape_program *out) {
    size_t at = 0;
    bool found = tape_next(from, &at, out);
    for (uint32_t i = 0; i < number && found; i++) {
        found = tape_next(from, &at, out);
    }
    return found;
}

static tpu_status make_again(void *user, const fuzz_options *options,
                             const stress_operands *operands, uint64_t sequence, uint32_t index,
                             fuzz_case *out, tpu_message *why) {
    tape_program program;
    const past *which = &run.history[index];
    (void)user;
    (void)sequence;
    if (!find_program(&run.tapes[which->tape], which->program, &program)) {
        return status_fail(why, TPU_ERR_INTERNAL, "a tape lost its program %u", which->program);
    }
    return fuzz_case_from_tape(options, operands, &program, out, why);
}

// A machine that has room for the programs of another tape.
static tpu_status open_machine(uint32_t programs, tpu_message *why) {
    if (!run.spent && run.index + programs <= FUZZ_SEQUENCE) {
        return TPU_OK;
    }
    run.sequence += run.loop.options->jobs;
    run.index = 0;
    run.tape_count = 0;
    run.spent = false;
    if (!fuzz_loop_report(&run.loop)) {
        end(TPU_OK, why);
    }
    return fuzz_loop_open(&run.loop, run.sequence, why);
}

// Shows libFuzzer the bins that no program had hit before. It keeps the inputs that have one, and
// likes the younger ones; more it need not know, and would spend its time on counting.
static void mark(void) {
    size_t count = 0;
    uint32_t fresh = 0;
    const uint16_t *bins = coverage_touched(run.loop.cover, &count);
    const uint64_t *hits = coverage_hits(run.loop.cover);
    for (size_t i = 0; i < count; i++) {
        if (hits[bins[i]] == 1) {
            counters[bins[i]] = 1;
            fresh++;
        }
    }
    if (run.drawn) {
        run.yield += YIELD_STEP * ((double)fresh - run.yield);
    }
}

static tpu_status run_program(uint32_t number, tpu_message *why) {
    bool go_on = true;
    run.history[run.index] = (past){.tape = run.tape_count - 1, .program = number};
    tpu_status status = fuzz_loop_run(&run.loop, run.sequence, run.index, &go_on, why);
    run.index++;
    run.spent = !go_on;
    mark();
    return status;
}

static int take_input(const uint8_t *data, size_t size) {
    tpu_message why;
    counters[COVERAGE_BINS_MAX] = 1;
    if (tape_decode(data, size, &run.params, &run.work, &why) != TPU_OK) {
        return 0; // libFuzzer's own first inputs; those of a corpus were looked at before
    }
    uint32_t programs = (uint32_t)tape_programs(&run.work);
    programs = programs < TAPE_PROGRAMS_MAX ? programs : TAPE_PROGRAMS_MAX;
    tpu_status status = open_machine(programs, &why);
    run.tapes[run.tape_count++] = run.work;
    for (uint32_t i = 0; i < programs && status == TPU_OK && !run.spent; i++) {
        status = run_program(i, &why);
        if (status != TPU_OK || fuzz_loop_is_over(&run.loop)) {
            end(status, &why);
        }
    }
    if (status != TPU_OK) {
        end(status, &why);
    }
    return 0;
}

// ---- what libFuzzer calls to change an input ---------------------------------------------------

static size_t give(const tape *from, uint8_t *data, size_t room) {
    uint8_t bytes[TAPE_BYTES_MAX];
    size_t size = tape_encode(from, &run.params, bytes);
    if (size > room) {
        return 0;
    }
    memcpy(data, bytes, size);
    return size;
}

static bool wants_draw(rng *source) {
    return run.yield > YIELD_ENOUGH || rng_below(source, DRAWN_EVERY) == 0;
}

static bool read_tape(const uint8_t *data, size_t size, tape *out) {
    tpu_message why;
    return tape_decode(data, size, &run.params, out, &why) == TPU_OK;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed) {
    rng source;
    rng_seed(&source, seed);
    run.drawn = wants_draw(&source) || !read_tape(data, size, &run.work);
    if (run.drawn) {
        tape_draw(&run.work, &source);
    } else {
        tape_mutate(&run.work, &source);
    }
    return give(&run.work, data, room);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *left, size_t left_size, const uint8_t *right,
                                 size_t right_size, uint8_t *out, size_t room, unsigned seed) {
    rng source;
    rng_seed(&source, seed);
    run.drawn = wants_draw(&source) || !read_tape(left, left_size, &run.work) ||
                !read_tape(right, right_size, &run.other);
    if (run.drawn) {
        tape_draw(&run.crossed, &source);
    } else {
        tape_cross(&run.work, &run.other, &source, &run.crossed);
    }
    return give(&run.crossed, out, room);
}

// ---- start -------------------------------------------------------------------------------------

// libFuzzer tells the terminal about itself.
static void silence(void) {
    int nothing = open("/dev/null", O_WRONLY);
    if (nothing >= 0) {
        (void)dup2(nothing, STDOUT_FILENO);
        (void)dup2(nothing, STDERR_FILENO);
        (void)close(nothing);
    }
}

#define WORDS_MAX 20u

// Arguments that libFuzzer may write into and keep.
typedef struct words {
    char text[WORDS_MAX][PATH_MAX];
    char *at[WORDS_MAX + 1];
    int count;
} words;

static void say(words *to, const char *format, ...) {
    va_list args;
    va_start(args, format);
    (void)vsnprintf(to->text[to->count], sizeof to->text[0], format, args);
    va_end(args);
    to->at[to->count] = to->text[to->count];
    to->count++;
}

static void call_driver(const fuzz_options *options) {
    // A crash of ours is a crash: the parent sees the signal. Leaks and memory are not its affair.
    static const char *const leave[] = {"timeout=100000", "rss_limit_mb=0", "detect_leaks=0",
                                        "handle_abrt=0", "handle_segv=0", "handle_bus=0",
                                        "handle_ill=0", "handle_fpe=0", "handle_int=0",
                                        "handle_term=0", "handle_xfsz=0",
                                        // Change what was kept, not what came of it just now; and
                                        // all that is kept is worth as much.
                                        "mutate_depth=1", "entropic=0"};
    static words line;
    say(&line, "tpucosim");
    say(&line, "-seed=%u", (unsigned)((options->seed * 256 + options->job) % INT_MAX + 1));
    say(&line, "-max_len=%u", TAPE_BYTES_MAX);
    say(&line, "-reload=%d", options->jobs > 1);
    for (size_t i = 0; i < sizeof leave / sizeof leave[0]; i++) {
        say(&line, "-%s", leave[i]);
    }
    if (options->corpus != NULL) {
        say(&line, "%s", options->corpus);
    }
    char **arguments = line.at;
    silence();
    (void)LLVMFuzzerRunDriver(&line.count, &arguments, take_input);
}

tpu_status guided_run(const fuzz_options *options, const fuzz_watcher *watcher, fuzz_summary *out,
                      tpu_message *why) {
    static const fuzz_source from_tapes = {.make = make_again};
    run.options = *options;
    run.options.coverage = true;
    run.options.seed = POOL_SEED;
    run.params = options->config.params;
    run.sequence = options->job;
    run.spent = true;
    run.yield = 2 * YIELD_ENOUGH;
    tpu_status status = fuzz_loop_start(&run.loop, &run.options, watcher, &from_tapes, out, why);
    if (status == TPU_OK) {
        call_driver(options);
        status = status_fail(why, TPU_ERR_INTERNAL, "libFuzzer ended by itself");
    }
    fuzz_loop_end(&run.loop);
    return status;
}
