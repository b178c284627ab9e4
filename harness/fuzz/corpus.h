// SPDX-License-Identifier: Apache-2.0
//
// A corpus: a directory of tapes (harness/fuzz/tape.h), one a file. Reads them, runs each on a
// machine of its own, and leaves out what adds nothing. Prints nothing.

#ifndef CORPUS_H
#define CORPUS_H

#include "harness/fuzz/fuzz.h"
#include "harness/fuzz/tape.h"

/** Names of a directory's files in byte order. */
typedef struct corpus {
    char *directory;
    char **name;
    size_t count;
} corpus;

/**
 * Lists a directory; other directories in it and hidden files are left out.
 * @param[in,out] out  zeroed; ended with corpus_clear.
 * @return TPU_OK; TPU_REFUSED when it cannot be read; TPU_ERR_MEMORY.
 */
tpu_status corpus_open(const char *directory, corpus *out, tpu_message *why) TPU_NODISCARD;

void corpus_clear(corpus *self);

/** Reads one file. @return TPU_OK; TPU_REFUSED with the file's name: see tape_decode. */
tpu_status corpus_read(const corpus *self, size_t number, const tpu_params *params, tape *out,
                       tpu_message *why) TPU_NODISCARD;

/** Reads all of them and keeps none. */
tpu_status corpus_check(const corpus *self, const tpu_params *params,
                        tpu_message *why) TPU_NODISCARD;

/**
 * Runs every file on a fresh engine, so that each does the same whatever is beside it. Nothing runs
 * when one of them is refused. Time and number of programs in `options` do not count.
 * @param[in,out] out  zeroed.
 */
tpu_status corpus_replay(const corpus *self, const fuzz_options *options, fuzz_summary *out,
                         tpu_message *why) TPU_NODISCARD;

/**
 * Runs every file and removes those without which nothing is lost: smaller files are kept in place
 * of larger ones.
 * @param most         files that may stay; 0 = as many as it takes.
 * @param[in,out] out  zeroed; covered: by all of them; without `most`, what is left covers it too.
 * @param[out] kept    files that stay.
 */
tpu_status corpus_minimise(const corpus *self, const fuzz_options *options, size_t most,
                           fuzz_summary *out, size_t *kept, tpu_message *why) TPU_NODISCARD;

#endif
