// SPDX-License-Identifier: Apache-2.0
//
// What mutant_run.c (the processes), mutant_tree.c (copies, planting, building) and mutant_judge.c
// (who notices) share. Nobody else includes this.

#ifndef MUTANT_INTERNAL_H
#define MUTANT_INTERNAL_H

#include "harness/mutants/mutant_run.h"

#define MUTANT_PATH_MAX 4352

/** A copy of the tree that one process at a time works in. */
typedef struct mutant_job {
    const mutant_options *options;
    const mutant *what;
    char home[MUTANT_PATH_MAX];    /**< <out>/job<n>: holds source/, rtl/ and c/ */
    char place[MUTANT_PATH_MAX];   /**< <out>/<name>: logs, engine, reproducer */
    char engines[MUTANT_PATH_MAX]; /**< where the engine to be judged lies */
    mutant_result *result;
} mutant_job;

/** <first>/<second>. Too long a path is cut and then not found. */
void mutant_path(char *out, const char *first, const char *second);

/** The machine of the mutant: the small one, or its point. Changes the environment. */
void mutant_set_point(const mutant *self);

/** Makes <out>/good/engines and job copies of the tree anew. */
tpu_status mutant_tree_prepare(const mutant_options *options, const mutant *list, size_t count,
                               tpu_message *why) TPU_NODISCARD;

/** Plants and builds; `job->engines` is set. */
tpu_status mutant_tree_build(mutant_job *job, tpu_message *why) TPU_NODISCARD;

/** Puts the true text back; the copy may be used again. */
tpu_status mutant_tree_restore(const mutant_job *job, tpu_message *why) TPU_NODISCARD;

/** Lets fuzzer or test look for it and fills the result. */
tpu_status mutant_judge(mutant_job *job, tpu_message *why) TPU_NODISCARD;

#endif
