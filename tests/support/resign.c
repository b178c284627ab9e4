// SPDX-License-Identifier: Apache-2.0
//
// Parsed, hash replaced, summed anew with the harness's own function, printed.

#include "tests/support/resign.h"

#include "harness/io/jsonnum.h"
#include "harness/replay/reproducer_internal.h"

#include <stddef.h>

char *resign(const char *text) {
    uint64_t checksum = 0;
    char *out = NULL;
    cJSON *root = cJSON_Parse(text);
    if (cJSON_IsObject(root)) {
        cJSON_DeleteItemFromObjectCaseSensitive(root, "checksum");
        if (cJSON_HasObjectItem(root, "spec_hash")) {
            cJSON_DeleteItemFromObjectCaseSensitive(root, "spec_hash");
            jsonnum_add_hex(root, "spec_hash", TPU_SPEC_HASH);
        }
        if (reproducer_checksum(root, &checksum)) {
            jsonnum_add_hex(root, "checksum", checksum);
            out = cJSON_Print(root);
        }
    }
    cJSON_Delete(root);
    return out;
}
