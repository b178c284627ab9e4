// SPDX-License-Identifier: Apache-2.0
//
// The growable text, the digest and the whole-file helpers.

#include "harness/io/textbuf.h"

#include "harness/io/textfile.h"
#include "harness/lockstep/digest.h"
#include "tests/support/scratch.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(textbuf, .timeout = 10);

Test(textbuf, grows_pads_and_trims) {
    textbuf buffer = {.text = NULL};
    char *text = NULL;
    textbuf_add(&buffer, "ab%d", 7);
    textbuf_pad(&buffer, 6);
    textbuf_add(&buffer, "c   ");
    textbuf_newline(&buffer);
    textbuf_pad(&buffer, 2);
    textbuf_add(&buffer, "d");
    cr_assert_eq(textbuf_take(&buffer, &text, NULL), TPU_OK);
    cr_expect_str_eq(text, "ab7   c\n  d");
    cr_expect(buffer.text == NULL);
    free(text);
}

Test(textbuf, is_an_empty_string_when_nothing_was_added) {
    textbuf buffer = {.text = NULL};
    char *text = NULL;
    cr_assert_eq(textbuf_take(&buffer, &text, NULL), TPU_OK);
    cr_expect_str_eq(text, "");
    free(text);
}

Test(textbuf, takes_texts_of_any_length) {
    textbuf buffer = {.text = NULL};
    char *text = NULL;
    for (int i = 0; i < 5000; i++) {
        textbuf_add(&buffer, "%04d ", i);
    }
    cr_assert_eq(textbuf_take(&buffer, &text, NULL), TPU_OK);
    cr_expect_eq(strlen(text), 25000u);
    cr_expect_eq(strncmp(text + 24995, "4999 ", 5), 0);
    free(text);
}

Test(textbuf, has_a_digest_that_sees_order_length_and_every_bit) {
    uint8_t row[13] = {0};
    uint64_t zero = digest_row(DIGEST_START, row, sizeof row);
    for (unsigned bit = 0; bit < 8 * sizeof row; bit++) {
        row[bit / 8] ^= (uint8_t)(1u << bit % 8);
        cr_expect_neq(digest_row(DIGEST_START, row, sizeof row), zero, "bit %u", bit);
        row[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    cr_expect_neq(digest_row(DIGEST_START, row, 12), zero);
    uint8_t one[2] = {1, 2};
    uint8_t two[2] = {2, 1};
    cr_expect_neq(digest_row(digest_row(DIGEST_START, one, 2), two, 2),
                  digest_row(digest_row(DIGEST_START, two, 2), one, 2));
}

Test(textbuf, reads_back_what_it_wrote_and_refuses_what_is_not_there) {
    char directory[256];
    char path[300];
    char *text = NULL;
    size_t bytes = 0;
    tpu_message why = {{0}};
    scratch_make(directory, sizeof directory);
    (void)snprintf(path, sizeof path, "%s/file", directory);
    cr_assert_eq(textfile_write(path, "one\0two", 7, &why), TPU_OK, "%s", why.text);
    cr_assert_eq(textfile_read(path, &text, &bytes, &why), TPU_OK, "%s", why.text);
    cr_expect_eq(bytes, 7u);
    cr_expect_eq(memcmp(text, "one\0two", 8), 0);
    free(text);
    scratch_remove(directory);
    cr_expect_eq(textfile_read(path, &text, &bytes, &why), TPU_REFUSED);
    cr_expect(strstr(why.text, path) != NULL);
}
