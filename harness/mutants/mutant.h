// SPDX-License-Identifier: Apache-2.0
//
// A planted fault as a small file: which text of which source file is replaced by what, what must
// notice it and whom that must blame. Read strictly, because a mutant that plants nothing would
// look like one that nobody caught. Prints nothing.

#ifndef MUTANT_H
#define MUTANT_H

#include "base/status.h"
#include "harness/lockstep/verdict.h"

#include <stdbool.h>
#include <stddef.h>

#define MUTANT_NAME_MAX 64u

/** What is mutated, and so who is asked to notice. */
typedef enum mutant_kind {
    MUTANT_DESIGN,  /**< the RTL: random legal programs in lockstep */
    MUTANT_SPEC,    /**< the RTL does another thing than an instruction's meaning: the same */
    MUTANT_FAULT,   /**< the RTL where no legal program gets: a test binary, on its engine */
    MUTANT_MODEL,   /**< the model: random legal programs on the true machine */
    MUTANT_HARNESS, /**< a comparison of the harness: a test binary */
    MUTANT_KIND_COUNT
} mutant_kind;

/** A mutant file. Zero-initialise, end with mutant_clear. Strings lie in `text`, NULL = not given.
 */
typedef struct mutant {
    char name[MUTANT_NAME_MAX]; /**< the file's, without its ending */
    mutant_kind kind;
    const char *why;        /**< what a person could have got wrong */
    const char *file;       /**< from the root of the tree; NULL = nothing is planted: a control */
    const char *expect;     /**< streams and memories, any of which may show it first */
    const char *unit;       /**< units that may be blamed, or "model" */
    const char *test;       /**< test binary that must turn red */
    const char *point;      /**< "TPU_T=12 TPU_MAXDIM=24": where the small machine cannot show it */
    const char *equivalent; /**< proof in words that nothing can notice it */
    const char *find;
    const char *replace;
    char *text; /**< owned */
} mutant;

void mutant_clear(mutant *self);

/** "design", "spec", ...; NULL when out of range. Static storage. */
const char *mutant_kind_name(mutant_kind kind);

/**
 * Reads a file `name`.mutant.
 * @param[in,out] out  zeroed; untouched on failure.
 * @return TPU_OK; TPU_REFUSED with file:line for whatever is wrong in it.
 */
tpu_status mutant_read(const char *path, mutant *out, tpu_message *why) TPU_NODISCARD;

/** The same from a text, which is taken over; `path` is for the name and for sentences. */
tpu_status mutant_parse(const char *path, char *text, mutant *out, tpu_message *why) TPU_NODISCARD;

/**
 * Reads all *.mutant files of a directory, by name.
 * @param[out] list  given: mutant_free.
 */
tpu_status mutant_list(const char *directory, mutant **list, size_t *count,
                       tpu_message *why) TPU_NODISCARD;

void mutant_free(mutant *list, size_t count);

/**
 * Puts the replacement where the anchor is.
 * @param[out] planted  given: free(). @param source  text of the file.
 * @return TPU_OK; TPU_REFUSED when the anchor does not occur, or more than once.
 */
tpu_status mutant_plant(const mutant *self, const char *source, char **planted,
                        tpu_message *why) TPU_NODISCARD;

/** Whether the first difference is where the file says. */
bool mutant_expects(const mutant *self, const verdict_signature *seen);

/** Whether the harness itself must stumble over it: an engine that is no such machine. */
bool mutant_expects_harness(const mutant *self);

/** Whether a unit may be blamed; -1 = nobody was. */
bool mutant_blames(const mutant *self, int unit);

#endif
