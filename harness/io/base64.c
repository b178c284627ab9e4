// SPDX-License-Identifier: Apache-2.0
//
// Base64.

#include "harness/io/base64.h"

#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

size_t base64_length(size_t bytes) {
    return (bytes + 2) / 3 * 4;
}

void base64_encode(const uint8_t *data, size_t bytes, char *text) {
    for (size_t i = 0; i < bytes; i += 3) {
        uint32_t group = (uint32_t)data[i] << 16;
        group |= i + 1 < bytes ? (uint32_t)data[i + 1] << 8 : 0;
        group |= i + 2 < bytes ? data[i + 2] : 0;
        *text++ = digits[group >> 18];
        *text++ = digits[group >> 12 & 63];
        *text++ = i + 1 < bytes ? digits[group >> 6 & 63] : '=';
        *text++ = i + 2 < bytes ? digits[group & 63] : '=';
    }
    *text = '\0';
}

static int digit_value(char digit) {
    const char *at = digit != '\0' ? strchr(digits, digit) : NULL;
    return at != NULL ? (int)(at - digits) : -1;
}

// Four characters, of which the last `padding` must be '='. Negative when they are not.
static int64_t read_group(const char *text, size_t padding) {
    int64_t group = 0;
    for (size_t i = 0; i < 4; i++) {
        bool pad = i >= 4 - padding;
        int value = pad ? 0 : digit_value(text[i]);
        if (value < 0 || (pad && text[i] != '=')) {
            return -1;
        }
        group = group << 6 | value;
    }
    return group;
}

bool base64_decode(const char *text, uint8_t *data, size_t bytes) {
    if (strlen(text) != base64_length(bytes)) {
        return false;
    }
    for (size_t i = 0; i < bytes; i += 3, text += 4) {
        size_t left = bytes - i < 3 ? bytes - i : 3;
        int64_t group = read_group(text, 3 - left);
        if (group < 0 || (group & ((1 << 8 * (3 - left)) - 1)) != 0) {
            return false;
        }
        for (size_t k = 0; k < left; k++) {
            data[i + k] = (uint8_t)(group >> (16 - 8 * k));
        }
    }
    return true;
}
