// SPDX-License-Identifier: Apache-2.0
//
// 64-bit integers in JSON: as strings, since a JSON number holds only 53 bits exactly.

#ifndef JSONNUM_H
#define JSONNUM_H

#include <cjson/cJSON.h>

#include <stdint.h>

/** Adds `value` under `key` as a decimal string. @param to  borrowed object. */
void jsonnum_add(cJSON *to, const char *key, uint64_t value);

/** The same for signed values. */
void jsonnum_add_signed(cJSON *to, const char *key, int64_t value);

/** Adds `value` as 16 hex digits: digests and hashes. */
void jsonnum_add_hex(cJSON *to, const char *key, uint64_t value);

#endif
