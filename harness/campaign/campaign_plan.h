// SPDX-License-Identifier: Apache-2.0
//
// What a campaign runs: parameter points times seeds times sequences, cut into units. From the
// plan alone follows which process runs which unit, and the plan as text is a campaign's identity.

#ifndef CAMPAIGN_PLAN_H
#define CAMPAIGN_PLAN_H

#include "base/status.h"
#include "csim/isa/params.h"
#include "harness/engine/engine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Of the tables in the database and of the meaning of a plan. */
#define CAMPAIGN_SCHEMA 1

#define CAMPAIGN_POINTS_MAX 64u
#define CAMPAIGN_UNITS_MAX ((uint64_t)1 << 24)
/** Sequences in a unit; no more than a summary has buckets. */
#define CAMPAIGN_UNIT_MAX 64u
#define CAMPAIGN_SEQUENCES_MAX UINT32_MAX

/** Names of what makes up a plan, in the order in which they are compared and stored. */
typedef enum campaign_key {
    CAMPAIGN_KEY_SCHEMA,
    CAMPAIGN_KEY_SPEC,
    CAMPAIGN_KEY_ENGINE,
    CAMPAIGN_KEY_POINTS,
    CAMPAIGN_KEY_SEEDS,
    CAMPAIGN_KEY_SEQUENCES,
    CAMPAIGN_KEY_UNIT,
    CAMPAIGN_KEY_CYCLES,
    CAMPAIGN_KEY_CALM,
    CAMPAIGN_KEY_INIT,
    CAMPAIGN_KEY_WATCHDOG,
    CAMPAIGN_KEY_COUNT
} campaign_key;

typedef struct campaign_plan {
    char engine[16];
    tpu_params point[CAMPAIGN_POINTS_MAX];
    size_t point_count;
    uint64_t first_seed;
    uint64_t last_seed;
    uint64_t sequences; /**< of each seed at each point, from 0 */
    uint32_t unit;      /**< sequences in a unit; the last one of a seed may have fewer */
    uint32_t cycles;    /**< stress_options.cycles */
    bool calm;
    bool keep_init; /**< `init` holds, none is drawn */
    engine_init init;
    uint32_t watchdog;
    bool given[CAMPAIGN_KEY_COUNT]; /**< said by the caller; the rest may come from the database */
} campaign_plan;

/** Sequences first .. first + count - 1 of a seed at a point. */
typedef struct campaign_unit {
    uint64_t id;
    size_t point;
    uint64_t seed;
    uint64_t first;
    uint32_t count;
} campaign_unit;

/** Longest text of a key's value, with its NUL. */
#define CAMPAIGN_TEXT_MAX 16384u

/** TPU_OK, or TPU_REFUSED: nothing to run, too much of it, a point twice. */
tpu_status campaign_plan_check(const campaign_plan *self, tpu_message *why) TPU_NODISCARD;

/** Units of a checked plan. */
uint64_t campaign_plan_units(const campaign_plan *self);

/** Unit `id` of a checked plan. Neighbours are at different points. */
campaign_unit campaign_plan_unit(const campaign_plan *self, uint64_t id);

/** Which of `processes` runs a unit: each gets its share of every point. */
uint32_t campaign_plan_owner(const campaign_plan *self, uint64_t id, uint32_t processes);

/** "seeds"; static storage. */
const char *campaign_plan_key(campaign_key key);

/** The value of a key as it is stored. @param[out] text  CAMPAIGN_TEXT_MAX characters. */
void campaign_plan_text(const campaign_plan *self, campaign_key key, char *text);

/** Takes a stored value. @return TPU_OK or TPU_REFUSED with what is wrong with it. */
tpu_status campaign_plan_take(campaign_plan *self, campaign_key key, const char *text,
                              tpu_message *why) TPU_NODISCARD;

/**
 * Reads a list of points: a line a point, "TPU_T=8 TPU_QD=2"; what is not named has its default.
 * '#' starts a comment.
 * @return TPU_OK; TPU_REFUSED with file and line; point and point_count change on success only.
 */
tpu_status campaign_plan_read_points(const char *path, campaign_plan *out,
                                     tpu_message *why) TPU_NODISCARD;

/** "T=8 MAXDIM=32 ...", every parameter. */
void campaign_plan_point_text(const tpu_params *point, char *text, size_t size);

#endif
