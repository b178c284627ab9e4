// SPDX-License-Identifier: Apache-2.0
//
// A campaign: a fixed plan of fuzzing, cut into units that processes share by arithmetic and whose
// results live in SQLite files of one directory. A unit is finished in one transaction or not at
// all, so a campaign that was stopped in any way goes on where it was. Prints nothing.
//
// DIR/campaign.sqlite       plan, and what was merged
// DIR/worker_0003.sqlite    what process 3 did; written by it alone
// DIR/found/<unit>/<name>/  files of a finding; DIR/fail/<name> points to the shortest

#ifndef CAMPAIGN_H
#define CAMPAIGN_H

#include "base/status.h"
#include "harness/campaign/campaign_plan.h"
#include "harness/engine/engine.h"
#include "harness/fuzz/fuzz.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** How a plan is run. Strings are borrowed. */
typedef struct campaign_options {
    const char *directory;
    campaign_plan plan; /**< of the command line; see `given` */
    uint32_t worker;    /**< this is group `worker` of `workers` ... */
    uint32_t workers;   /**< >= 1 */
    uint32_t jobs;      /**< ... with so many processes, >= 1 */
    double seconds;     /**< no unit is begun after so long; 0 = no limit */
    double shrink_seconds;
    const char *commit;    /**< what is tested, for "first seen"; "" = unknown */
    const engine_api *api; /**< NULL = load the engines; for tests */
} campaign_options;

/** For a person who waits. Units are those of this group. */
typedef struct campaign_progress {
    uint64_t units;
    uint64_t finished; /**< before and now */
    uint64_t begun_at; /**< finished before this command */
    uint64_t programs; /**< of this command, like the rest */
    uint64_t cycles;
    uint64_t findings;
    double seconds;
} campaign_progress;

typedef void (*campaign_on_progress)(void *user, const campaign_progress *now);

/** What is known of one parameter point. */
typedef struct campaign_point {
    uint64_t units;    /**< of the plan */
    uint64_t finished; /**< units */
    uint64_t sequences;
    uint64_t programs;
    uint64_t cycles;
    uint64_t issues;
    uint64_t rows;
    uint64_t findings;
    uint64_t digest; /**< of all events; who ran them and how often it was stopped is not in it */
    double processor_seconds;
} campaign_point;

/** All findings with one signature. */
typedef struct campaign_bucket {
    char signature[FUZZ_SIGNATURE_MAX];
    uint64_t count;
    uint64_t seed; /**< seed, sequence, index, point: the earliest in the order of the plan */
    uint64_t sequence;
    uint32_t index;
    uint32_t point;
    char commit[64];
    char sentence[256];
    uint32_t found_instructions;             /**< of that first one */
    uint32_t instructions;                   /**< of the shortest reproducer */
    uint32_t runs;                           /**< programs in it; 0 = there is none */
    char directory[FUZZ_SIGNATURE_MAX + 64]; /**< of it, below DIR */
} campaign_bucket;

/** A merged campaign. End with campaign_clear. */
typedef struct campaign_result {
    campaign_plan plan;
    campaign_point point[CAMPAIGN_POINTS_MAX];
    campaign_point total;
    uint64_t attempts; /**< units begun, those that were cut off included */
    campaign_bucket *bucket;
    size_t bucket_count;
    char commits[256]; /**< that units were run at, with blanks between */
} campaign_result;

/**
 * Begins a campaign or goes on with it, until this group's units are finished or the time is up.
 * With one group, merges at the end.
 * @return TPU_OK, findings or not; TPU_REFUSED when the directory holds another campaign or a
 *         damaged file, an engine is missing, or the group is running already; TPU_ERR_IO when
 *         something cannot be written; TPU_ERR_INTERNAL when a process died. Whatever it returns,
 *         finished units stay finished.
 */
tpu_status campaign_run(const campaign_options *options, campaign_on_progress on_progress,
                        void *user, tpu_message *why) TPU_NODISCARD;

/** Puts what the workers did into campaign.sqlite; once more changes nothing. */
tpu_status campaign_merge(const char *directory, tpu_message *why) TPU_NODISCARD;

/** Reads campaign.sqlite. @param[in,out] out  zeroed. */
tpu_status campaign_read(const char *directory, campaign_result *out,
                         tpu_message *why) TPU_NODISCARD;

void campaign_clear(campaign_result *self);

/** True when every unit of the plan is finished. */
bool campaign_complete(const campaign_result *self);

#endif
