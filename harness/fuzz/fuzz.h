// SPDX-License-Identifier: Apache-2.0
//
// Fuzzing in one process: sequences of generated programs, each sequence on a fresh engine and its
// programs one after the other without reset, in lockstep, until something differs or the time is
// up. A finding becomes a directory with everything needed to see it again. Prints nothing.

#ifndef FUZZ_H
#define FUZZ_H

#include "base/status.h"
#include "harness/engine/engine.h"
#include "harness/fuzz/coverage.h"
#include "harness/lockstep/lockstep.h"
#include "harness/lockstep/verdict.h"
#include "harness/replay/reproducer.h"
#include "harness/stress/stress.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Programs of one sequence. */
#define FUZZ_SEQUENCE 128u

/** One in this many programs is shown to the oracle too. */
#define FUZZ_ORACLE_EVERY 64u

#define FUZZ_BUCKETS_MAX 64u

/** Room for a signature's text. */
#define FUZZ_SIGNATURE_MAX 192u

typedef struct fuzz_options fuzz_options;
typedef struct fuzz_summary fuzz_summary;
typedef struct fuzz_watcher fuzz_watcher;

/** What a fuzzer runs on. Strings are borrowed. */
struct fuzz_options {
    const char *engine; /**< for the reproducer: "verilator" */
    const engine_api *api;
    engine_config config; /**< init and timing are drawn anew, the rest holds */
    uint64_t hang_limit;
    uint64_t seed;         /**< program p of sequence s depends on it, s and p alone */
    uint32_t job;          /**< takes the sequences job, job + jobs, ... */
    uint32_t jobs;         /**< >= 1 */
    double seconds;        /**< ends after this long; 0 = no limit */
    uint64_t programs;     /**< ends after this many; 0 = no limit */
    bool first;            /**< ends at the first finding */
    bool coverage;         /**< count what each program covers */
    bool calm;             /**< memory answers at once in every run */
    bool keep_init;        /**< config.init holds in every sequence, none is drawn */
    stress_options shape;  /**< of the programs */
    lockstep_watch watch;  /**< how much of each run is looked at */
    const char *directory; /**< for the findings; NULL = nothing is written */
    double shrink_seconds; /**< for each new finding; 0 = leave it as it is */
    double budget_seconds; /**< for shrinking in all */
    /** What a process does; NULL = fuzz_run. It may call the watcher's `finish` and not return. */
    tpu_status (*drive)(const fuzz_options *options, const fuzz_watcher *watcher, fuzz_summary *out,
                        tpu_message *why);
    const char *corpus; /**< directory of a guided fuzzer; NULL = it keeps nothing */
    /** Set by whoever wants an early end, such as a signal handler; NULL = nobody does. */
    const volatile sig_atomic_t *stop;
};

/** Findings with one signature. */
typedef struct fuzz_bucket {
    char signature[FUZZ_SIGNATURE_MAX];
    uint64_t count;
    uint64_t sequence; /**< of the first one */
    uint32_t index;    /**< its number in the sequence */
    uint64_t program;  /**< programs that its process had run by then, this one included */
    double seconds;    /**< since the start */
    uint32_t found_instructions; /**< of the failing program as generated */
    uint32_t instructions;       /**< of the program in the directory */
    uint32_t runs;               /**< programs in the reproducer */
    char sentence[256];
} fuzz_bucket;

/** What was done. Plain data: it goes through a pipe. */
struct fuzz_summary {
    uint64_t programs;
    uint64_t cycles;                     /**< checked */
    uint64_t rows;                       /**< compared, of all streams */
    uint64_t issues;                     /**< data instructions executed */
    uint64_t findings;                   /**< all of them */
    uint64_t digest;                     /**< of all events; timing and jobs do not change it */
    uint64_t traits[64];                 /**< sampled: programs with each trait */
    uint64_t sampled;                    /**< programs looked at for traits */
    uint64_t covered[COVERAGE_BINS_MAX]; /**< programs that hit each bin */
    double seconds;
    double processor_seconds; /**< of all processes */
    uint32_t bucket_count;
    fuzz_bucket bucket[FUZZ_BUCKETS_MAX];
};

/** Hears of progress and of findings; every member may be NULL. */
struct fuzz_watcher {
    void *user; /**< borrowed, given back */
    /** After every sequence. @return false = end now. */
    bool (*progress)(void *user, const fuzz_summary *so_far);
    /** True the first time that a signature is claimed; several processes may share the answer. */
    bool (*claim)(void *user, const char *signature);
    /** Takes the result of a driver that cannot return, and ends the process. */
    void (*finish)(void *user, tpu_status status, const tpu_message *why);
};

/**
 * Runs.
 * @param watcher       borrowed; may be NULL.
 * @param[in,out] out   zeroed; holds what was done even when this fails.
 * @return TPU_OK, findings or not; TPU_ERR_INTERNAL when the generator and `check` disagree or a
 *         run ends in ERROR; what engine or file system say.
 */
tpu_status fuzz_run(const fuzz_options *options, const fuzz_watcher *watcher, fuzz_summary *out,
                    tpu_message *why) TPU_NODISCARD;

/** Adds what another process did. Buckets of one signature become one, the earliest kept. */
void fuzz_merge(fuzz_summary *into, const fuzz_summary *from);

/**
 * The runs 0 .. index of a blind sequence as a reproducer; expectations are not set.
 * @param[in,out] out  zeroed.
 */
tpu_status fuzz_rebuild(const fuzz_options *options, uint64_t sequence, uint32_t index,
                        reproducer *out, tpu_message *why) TPU_NODISCARD;

#endif
