// SPDX-License-Identifier: Apache-2.0
//
// 64-bit integers as JSON strings.

#include "harness/io/jsonnum.h"

#include <inttypes.h>
#include <stdio.h>

void jsonnum_add(cJSON *to, const char *key, uint64_t value) {
    char text[24];
    (void)snprintf(text, sizeof text, "%" PRIu64, value);
    (void)cJSON_AddStringToObject(to, key, text);
}

void jsonnum_add_signed(cJSON *to, const char *key, int64_t value) {
    char text[24];
    (void)snprintf(text, sizeof text, "%" PRId64, value);
    (void)cJSON_AddStringToObject(to, key, text);
}

void jsonnum_add_hex(cJSON *to, const char *key, uint64_t value) {
    char text[24];
    (void)snprintf(text, sizeof text, "%016" PRIx64, value);
    (void)cJSON_AddStringToObject(to, key, text);
}
