// SPDX-License-Identifier: Apache-2.0
//
// How the command campaign shows a result; for cli_campaign*.c alone.

#ifndef CLI_CAMPAIGN_H
#define CLI_CAMPAIGN_H

#include "base/status.h"
#include "harness/campaign/campaign.h"
#include "harness/cli/cli_waiver.h"

#include <stddef.h>

/** What is shown. All borrowed. */
typedef struct cli_campaign_view {
    const char *directory;
    const campaign_result *result;
    const cli_waivers *waivers; /**< they know the findings already */
    const bool *waived;         /**< of each bucket */
    double seconds;             /**< that this command took */
} cli_campaign_view;

void cli_campaign_put_text(const cli_campaign_view *view);

tpu_status cli_campaign_put_json(const cli_campaign_view *view, tpu_message *why) TPU_NODISCARD;

/** A case for each point, bucket and waiver that does not hold. */
tpu_status cli_campaign_write_junit(const cli_campaign_view *view, const char *path,
                                    tpu_message *why) TPU_NODISCARD;

#endif
