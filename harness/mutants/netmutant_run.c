// SPDX-License-Identifier: Apache-2.0
//
// The runs, and the processes that share them. A run depends on the fault's number and the options
// alone, so whichever worker takes it, the result is the same but for the seconds.

#define _DEFAULT_SOURCE // MAP_ANONYMOUS, setenv

#include "harness/mutants/netmutant_run.h"

#include "base/stopwatch.h"
#include "harness/fuzz/fuzz_internal.h"
#include "harness/stress/stress_trial.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Cycles that a long program aims at.
#define LONG_CYCLES 8000u

#define POLL_NS 5000000L

typedef struct shared {
    _Atomic size_t next; // the run that nobody has taken yet
    _Atomic size_t done;
    netmutant_result result[];
} shared;

typedef struct bench {
    const netmutant_options *options;
    const uint32_t *numbers;
    size_t count;
    shared *page;
    size_t page_bytes;
    pid_t *workers;
    uint32_t started;
} bench;

// What one worker holds. Programs are the same for all faults, so each is made once and kept.
typedef struct worker {
    const netmutant_options *options;
    stress_operands *operands;
    fuzz_case *cases;
    uint64_t made;
    engine *device;
    lockstep *pair;
    verdict seen;
} worker;

// ---- one fault ---------------------------------------------------------------------------------

static const netmutant_model *find_model(const netmutant_options *options, uint32_t number) {
    if (number == 0) {
        return &options->model[0];
    }
    for (size_t i = 0; i < options->model_count; i++) {
        const netmutant_model *at = &options->model[i];
        if (number >= at->first && number - at->first < at->count) {
            return at;
        }
    }
    return NULL;
}

// Machines that are made from now on in this process hold it.
static void choose_fault(uint32_t number) {
    char text[16];
    (void)snprintf(text, sizeof text, "%u", number);
    (void)setenv(NETMUTANT_VARIABLE, text, 1);
}

static void close_machine(worker *self, const engine_api *api) {
    lockstep_destroy(self->pair);
    api->destroy(self->device);
    self->pair = NULL;
    self->device = NULL;
}

static tpu_status open_machine(worker *self, const engine_api *api, uint32_t number,
                               uint64_t sequence, tpu_message *why) {
    const engine_config config = fuzz_case_config(&self->options->fuzz, sequence);
    choose_fault(number);
    tpu_status status = api->create(&config, &self->device, why);
    if (status == TPU_OK) {
        status = api->reset(self->device, why);
    }
    return status == TPU_OK ? lockstep_create(api, self->device, &config.params, &self->pair, why)
                            : status;
}

// Two programs of every sequence are long, in its middle and at its end: counts, steps, loops and
// what is in flight reach bits that the others never touch.
static tpu_status make_case(worker *self, uint64_t at, tpu_message *why) {
    fuzz_options options = self->options->fuzz;
    uint32_t index = (uint32_t)(at % FUZZ_SEQUENCE);
    if (index == FUZZ_SEQUENCE / 2 || index == FUZZ_SEQUENCE - 1) {
        options.shape.cycles = LONG_CYCLES;
    }
    return fuzz_case_make(&options, self->operands, at / FUZZ_SEQUENCE, index, &self->cases[at],
                          why);
}

// Program `at` of all sequences laid end to end.
static tpu_status find_case(worker *self, uint64_t at, const fuzz_case **out, tpu_message *why) {
    tpu_status status = TPU_OK;
    while (self->made <= at && status == TPU_OK) {
        status = make_case(self, self->made++, why);
    }
    *out = &self->cases[at];
    return status;
}

static tpu_status run_program(worker *self, const engine_api *api, uint64_t at,
                              netmutant_result *out, tpu_message *why) {
    const fuzz_case *now = NULL;
    lockstep_job job;
    tpu_status status = find_case(self, at, &now, why);
    if (status == TPU_OK) {
        status = api->set_timing(self->device, &now->timing, why);
    }
    if (status != TPU_OK) {
        return status;
    }
    fuzz_case_job(&self->options->fuzz, now, (uint32_t)(at % FUZZ_SEQUENCE), &job);
    double begin = stopwatch_processor();
    lockstep_run(self->pair, &job, &self->seen);
    out->run_seconds += stopwatch_processor() - begin;
    return TPU_OK;
}

// A machine that does not even take a start or give its status is told apart from a good one too.
static bool note_program(const verdict *seen, netmutant_result *out) {
    out->programs++;
    out->steps += seen->steps;
    if (seen->kind == VERDICT_OK) {
        out->cycles += seen->steps;
        return false;
    }
    out->cycles += seen->cycle + 1;
    out->fate = NETMUTANT_CAUGHT;
    out->signature = verdict_signature_of(seen);
    (void)snprintf(out->sentence, sizeof out->sentence, "%.199s", seen->sentence.text);
    return true;
}

static tpu_status run_fault(worker *self, uint32_t number, netmutant_result *out,
                            tpu_message *why) {
    const engine_api *api = find_model(self->options, number)->api;
    uint64_t bound = self->options->fuzz.programs;
    tpu_status status = TPU_OK;
    bool told = false;
    for (uint64_t at = 0; at < bound && status == TPU_OK && !told; at++) {
        if (at % FUZZ_SEQUENCE == 0) {
            close_machine(self, api);
            status = open_machine(self, api, number, at / FUZZ_SEQUENCE, why);
        }
        if (status == TPU_OK) {
            status = run_program(self, api, at, out, why);
        }
        told = status == TPU_OK && note_program(&self->seen, out);
    }
    close_machine(self, api);
    if (status == TPU_OK && !told) {
        out->fate = NETMUTANT_SURVIVED;
    }
    return status;
}

// A machine that no longer answers shows its fault as well.
static tpu_status try_illegal(const worker *self, uint32_t number, netmutant_result *out,
                              tpu_message *why) {
    const fuzz_options *fuzz = &self->options->fuzz;
    stress_trial_summary *sum = calloc(1, sizeof *sum);
    const stress_trial_options options = {.api = find_model(self->options, number)->api,
                                          .config = fuzz->config,
                                          .hang_limit = fuzz->hang_limit,
                                          .seed = fuzz->seed,
                                          .programs = self->options->illegal,
                                          .first = true,
                                          .brief = true};
    if (sum == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "netmutant: out of memory");
    }
    choose_fault(number);
    tpu_status status = stress_trial_run(&options, sum, why);
    out->illegal = sum->programs;
    if (status != TPU_OK || sum->findings > 0) {
        out->fate = NETMUTANT_REFUSED;
        (void)snprintf(out->sentence, sizeof out->sentence, "%.199s",
                       status != TPU_OK ? why->text : sum->sentence[0]);
    }
    free(sum);
    return TPU_OK;
}

static void take_fault(worker *self, uint32_t number, netmutant_result *out) {
    tpu_message why;
    double begin = stopwatch_processor();
    tpu_status status = run_fault(self, number, out, &why);
    if (status == TPU_OK && out->fate == NETMUTANT_SURVIVED && self->options->illegal > 0) {
        status = try_illegal(self, number, out, &why);
    }
    if (status != TPU_OK) {
        (void)snprintf(out->sentence, sizeof out->sentence, "%.199s", why.text);
        out->fate = NETMUTANT_FAILED;
    }
    out->seconds = stopwatch_processor() - begin;
}

// ---- a worker ----------------------------------------------------------------------------------

static void work(const bench *all) {
    const fuzz_options *fuzz = &all->options->fuzz;
    worker self = {.options = all->options};
    tpu_message why;
    verdict_init(&self.seen);
    self.cases = calloc(fuzz->programs, sizeof *self.cases);
    if (self.cases == NULL ||
        stress_operands_create(&fuzz->config.params, fuzz->seed, &self.operands, &why) != TPU_OK) {
        _exit(1);
    }
    for (size_t at = atomic_fetch_add(&all->page->next, 1); at < all->count;
         at = atomic_fetch_add(&all->page->next, 1)) {
        take_fault(&self, all->numbers[at], &all->page->result[at]);
        (void)atomic_fetch_add(&all->page->done, 1);
    }
    _exit(0); // not exit: buffers and handlers are the parent's
}

// ---- the parent --------------------------------------------------------------------------------

static tpu_status start_workers(bench *self, tpu_message *why) {
    for (uint32_t i = 0; i < self->options->jobs; i++) {
        self->workers[i] = fork();
        if (self->workers[i] == 0) {
            work(self);
        }
        if (self->workers[i] < 0) {
            return status_fail(why, TPU_ERR_IO, "netmutant: no process: %s", strerror(errno));
        }
        self->started++;
    }
    return TPU_OK;
}

// Collects the workers that have ended; false when one did not end well.
static bool collect(bench *self, uint32_t *running) {
    bool good = true;
    for (uint32_t i = 0; i < self->started; i++) {
        int ended = 0;
        if (self->workers[i] > 0 && waitpid(self->workers[i], &ended, WNOHANG) > 0) {
            self->workers[i] = 0;
            (*running)--;
            good = good && WIFEXITED(ended) && WEXITSTATUS(ended) == 0;
        }
    }
    return good;
}

static tpu_status wait_workers(bench *self, netmutant_progress progress, void *user,
                               tpu_message *why) {
    uint32_t running = self->started;
    double begin = stopwatch_wall();
    double shown = begin;
    bool good = true;
    while (running > 0) {
        const struct timespec nap = {.tv_nsec = POLL_NS};
        (void)nanosleep(&nap, NULL);
        good = collect(self, &running) && good;
        double now = stopwatch_wall();
        if (progress != NULL && now - shown >= 1) {
            shown = now;
            progress(user, atomic_load(&self->page->done), self->count, now - begin);
        }
    }
    return good ? TPU_OK
                : status_fail(why, TPU_ERR_INTERNAL,
                              "netmutant: a worker died; %zu of %zu runs are done",
                              atomic_load(&self->page->done), self->count);
}

static tpu_status open_bench(bench *self, tpu_message *why) {
    self->page_bytes = sizeof(shared) + self->count * sizeof(netmutant_result);
    void *page =
        mmap(NULL, self->page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    self->page = page == MAP_FAILED ? NULL : page;
    self->workers = calloc(self->options->jobs, sizeof *self->workers);
    return self->page != NULL && self->workers != NULL
               ? TPU_OK
               : status_fail(why, TPU_ERR_MEMORY, "netmutant: out of memory");
}

static tpu_status check_numbers(const bench *self, tpu_message *why) {
    for (size_t i = 0; i < self->count; i++) {
        if (find_model(self->options, self->numbers[i]) == NULL) {
            return status_fail(why, TPU_REFUSED, "there is no planted fault %u", self->numbers[i]);
        }
    }
    return TPU_OK;
}

tpu_status netmutant_run(const netmutant_options *options, const uint32_t *numbers, size_t count,
                         netmutant_progress progress, void *user, netmutant_result *results,
                         tpu_message *why) {
    bench self = {.options = options, .numbers = numbers, .count = count};
    tpu_status status = check_numbers(&self, why);
    if (status == TPU_OK) {
        status = open_bench(&self, why);
    }
    if (status == TPU_OK) {
        status = start_workers(&self, why);
        tpu_message died;
        tpu_status ended = wait_workers(&self, progress, user, &died);
        if (status == TPU_OK && ended != TPU_OK) {
            status = status_fail(why, ended, "%s", died.text);
        }
        memcpy(results, self.page->result, count * sizeof *results);
    }
    if (self.page != NULL) {
        (void)munmap(self.page, self.page_bytes);
    }
    free(self.workers);
    return status;
}
