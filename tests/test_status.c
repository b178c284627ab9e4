// SPDX-License-Identifier: Apache-2.0
//
// Sentences: one line whatever they quote, cut where they are too long.

#include "base/status.h"

#include <criterion/criterion.h>

#include <string.h>

Test(status, a_sentence_that_quotes_control_bytes_stays_one_line) {
    tpu_message why;
    cr_expect_eq(status_fail(&why, TPU_REFUSED, "key \"%s\"", "a\nb\033[2J\177c"), TPU_REFUSED);
    cr_expect_str_eq(why.text, "key \"a?b?[2J?c\"");
}

Test(status, a_sentence_that_is_too_long_says_so) {
    tpu_message why;
    char text[2000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    (void)status_fail(&why, TPU_REFUSED, "%s", text);
    cr_expect_eq(strlen(why.text), sizeof why.text - 1);
    cr_expect_str_eq(why.text + sizeof why.text - 4, "...");
}

Test(status, nobody_has_to_listen) {
    cr_expect_eq(status_fail(NULL, TPU_ERR_IO, "%d", 3), TPU_ERR_IO);
}
