// SPDX-License-Identifier: Apache-2.0
//
// What the two files of `mutants --netlist` share: what was asked for, and what came out.

#ifndef CLI_NETMUTANTS_H
#define CLI_NETMUTANTS_H

#include "harness/cli/cli.h"
#include "harness/engine/loader.h"
#include "harness/mutants/netmutant.h"
#include "harness/mutants/netmutant_rules.h"
#include "harness/mutants/netmutant_run.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Machines that one list of faults is spread over, at most. */
#define NETMUTANTS_MODELS 512u

typedef struct netmutants_request {
    netmutant_options run;
    uint32_t faults;
    uint64_t seed;
    uint32_t first; /**< these alone; 0 = all */
    uint32_t last;
    lockstep_watch way[LOCKSTEP_WATCH_COUNT];
    size_t ways;
    bool list;
    bool json;
    bool help;
    const char *tree;
    const char *survivors;
    char home[4096]; /**< where the machines are */
    loader *library[NETMUTANTS_MODELS];
    netmutant_model model[NETMUTANTS_MODELS];
    netmutant_list faulty;
    netmutant_rules rules;
    uint32_t *number; /**< faults that run: 0, then those asked for */
    size_t numbers;
    netmutant_result *result[LOCKSTEP_WATCH_COUNT]; /**< of each way, `numbers` of them */
} netmutants_request;

/** Prints what came out. @param[out] found  a survivor has no explanation. */
tpu_status cli_netmutants_put(netmutants_request *self, bool *found,
                              tpu_message *why) TPU_NODISCARD;

#endif
