// SPDX-License-Identifier: Apache-2.0
//
// The corpora that ci/fuzz_readers found, through the readers once more, without libFuzzer: each
// input is taken or refused with a sentence. What is behind a yes is in tests/support/feed.c.

#include "harness/io/textfile.h"
#include "tests/support/feed.h"

#include <criterion/criterion.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct tally {
    unsigned taken;
    unsigned refused;
} tally;

static tally feed_all(const char *name) {
    char path[512];
    tally count = {0, 0};
    const feed_reader *reader = feed_find(name);
    cr_assert_not_null(reader, "%s", name);
    (void)snprintf(path, sizeof path, "tests/corpora/%s", name);
    DIR *directory = opendir(path);
    cr_assert_not_null(directory, "%s", path);
    for (const struct dirent *at = readdir(directory); at != NULL; at = readdir(directory)) {
        char *text = NULL;
        size_t bytes = 0;
        (void)snprintf(path, sizeof path, "tests/corpora/%s/%.200s", name, at->d_name);
        if (at->d_name[0] != '.' && textfile_read(path, &text, &bytes, NULL) == TPU_OK) {
            bool taken = reader->give((const uint8_t *)text, bytes);
            count.taken += taken;
            count.refused += !taken;
        }
        free(text);
    }
    (void)closedir(directory);
    return count;
}

// Inputs of both kinds, or the corpus says nothing.
static void expect_both(const char *name) {
    const tally count = feed_all(name);
    cr_expect_gt(count.taken, 0u, "%s", name);
    cr_expect_gt(count.refused, 0u, "%s", name);
}

Test(readers, assembly_takes_or_refuses_its_corpus) {
    expect_both("assembly");
}

Test(readers, image_takes_or_refuses_its_corpus) {
    expect_both("image");
}

Test(readers, npy_takes_or_refuses_its_corpus) {
    expect_both("npy");
}

Test(readers, reproducer_takes_or_refuses_its_corpus) {
    expect_both("reproducer");
}

Test(readers, mutant_takes_or_refuses_its_corpus) {
    expect_both("mutant");
}

Test(readers, waiver_takes_or_refuses_its_corpus) {
    expect_both("waiver");
}

Test(readers, signature_takes_or_refuses_its_corpus) {
    expect_both("signature");
}

// A tape names the spec it was made for, so that after a change of the spec all are refused; their
// records are read anyway.
Test(readers, tape_takes_or_refuses_its_corpus) {
    const tally count = feed_all("tape");
    cr_expect_geq(count.taken + count.refused, 20u);
    cr_expect_gt(count.refused, 0u);
}

Test(readers, points_takes_or_refuses_its_corpus) {
    expect_both("points");
}

Test(readers, an_answer_without_a_sentence_would_stop_the_process, .signal = 6) {
    const uint8_t nothing[1] = {0};
    feed_stumble(nothing, sizeof nothing);
}

Test(readers, an_unknown_reader_is_none) {
    cr_expect_null(feed_find("nobody"));
}
