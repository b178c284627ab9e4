// SPDX-License-Identifier: Apache-2.0
//
// Waivers on the command line.

#include "harness/cli/cli_waiver.h"

#include "harness/io/jsonnum.h"

#include <stdio.h>
#include <string.h>

tpu_status cli_waivers_set_today(cli_waivers *self, const char *text, tpu_message *why) {
    if (!waiver_date_valid(text)) {
        return status_fail(why, TPU_REFUSED, "--today: \"%.40s\" is not a day like 2027-01-31",
                           text);
    }
    memcpy(self->today, text, sizeof self->today);
    return TPU_OK;
}

tpu_status cli_waivers_open(cli_waivers *self, tpu_message *why) {
    if (self->today[0] == '\0') {
        waiver_date_today(self->today);
    }
    return self->path != NULL ? waiver_read(self->path, &self->list, why) : TPU_OK;
}

void cli_waivers_put(const cli_waivers *self, bool complete) {
    for (size_t i = 0; i < self->list.count; i++) {
        tpu_message sentence;
        (void)waiver_judge(&self->list.item[i], self->today, complete, &sentence);
        (void)printf("%s%s\n", i == 0 ? "\n" : "", sentence.text);
    }
}

cJSON *cli_waivers_json(const cli_waivers *self, bool complete) {
    cJSON *out = cJSON_CreateArray();
    for (size_t i = 0; i < self->list.count; i++) {
        const waiver *one = &self->list.item[i];
        tpu_message sentence;
        cJSON *item = cJSON_CreateObject();
        waiver_state state = waiver_judge(one, self->today, complete, &sentence);
        (void)cJSON_AddStringToObject(item, "signature", one->signature);
        (void)cJSON_AddStringToObject(item, "state", waiver_state_name(state));
        jsonnum_add(item, "seen", one->seen);
        jsonnum_add(item, "max_count", one->limit);
        (void)cJSON_AddStringToObject(item, "expires", one->expires);
        (void)cJSON_AddStringToObject(item, "owner", one->owner);
        (void)cJSON_AddStringToObject(item, "reason", one->reason);
        (void)cJSON_AddStringToObject(item, "sentence", sentence.text);
        (void)cJSON_AddItemToArray(out, item);
    }
    return out;
}
