// SPDX-License-Identifier: Apache-2.0
//
// --waivers and --today of the commands that find something.

#ifndef CLI_WAIVER_H
#define CLI_WAIVER_H

#include "base/status.h"
#include "harness/campaign/waiver.h"

#include <cjson/cJSON.h>

#include <stdbool.h>

/** Zero-initialise; end with waiver_clear(&list). */
typedef struct cli_waivers {
    const char *path; /**< borrowed; NULL = none */
    waiver_list list;
    char today[WAIVER_DATE_SIZE]; /**< "" = what the clock says */
} cli_waivers;

#define CLI_WAIVER_HELP                                                                            \
    "  --waivers FILE    known divergences that do not fail the run: docs/campaign.md\n"           \
    "  --today DATE      judge them as of this day, such as 2027-01-31\n"

/** Takes the value of --today. */
tpu_status cli_waivers_set_today(cli_waivers *self, const char *text,
                                 tpu_message *why) TPU_NODISCARD;

/** Reads the file, if one is named. */
tpu_status cli_waivers_open(cli_waivers *self, tpu_message *why) TPU_NODISCARD;

/** Prints a line for each waiver; nothing when there is none. */
void cli_waivers_put(const cli_waivers *self, bool complete);

/** The same as a JSON array. Given. */
cJSON *cli_waivers_json(const cli_waivers *self, bool complete);

#endif
