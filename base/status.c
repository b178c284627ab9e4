// SPDX-License-Identifier: Apache-2.0
//
// Status texts, sentence building and the internal-contract stop.

#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *status_text(tpu_status status) {
    switch (status) {
#define TPU_STATUS_CASE(name, text)                                                                \
    case name:                                                                                     \
        return text;
        TPU_STATUS_LIST(TPU_STATUS_CASE)
#undef TPU_STATUS_CASE
    }
    return "unknown status";
}

// A sentence may quote bytes of a damaged file; it stays one line, and harmless to a terminal.
static void tame(char *text) {
    for (; *text != '\0'; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte < ' ' || byte == 0x7F) {
            *text = '?';
        }
    }
}

tpu_status status_fail(tpu_message *why, tpu_status status, const char *fmt, ...) {
    if (why == NULL) {
        return status;
    }
    va_list args;
    va_start(args, fmt);
    int wanted = vsnprintf(why->text, sizeof why->text, fmt, args);
    va_end(args);
    if (wanted >= (int)sizeof why->text) {
        memcpy(why->text + sizeof why->text - 4, "...", 4);
    }
    tame(why->text);
    return status;
}

void status_broken_contract(const char *file, int line, const char *sentence) {
    (void)fprintf(stderr, "tpucosim: broken contract at %s:%d: %s\n", file, line, sentence);
    exit(3);
}
