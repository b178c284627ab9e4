// SPDX-License-Identifier: Apache-2.0
//
// Names and a sample: the same seed draws the same mutants from the same list.

#include "harness/mutants/mutant_choice.h"

#include "base/rng.h"

#include <stdlib.h>
#include <string.h>

static bool is_named(const char *only, const char *name) {
    size_t length = strlen(name);
    for (const char *at = only; at != NULL && *at != '\0';) {
        size_t here = strcspn(at, ",");
        if (here == length && strncmp(at, name, length) == 0) {
            return true;
        }
        at += here + (at[here] == ',');
    }
    return false;
}

tpu_status mutant_check_names(const char *only, const mutant *list, size_t count,
                              tpu_message *why) {
    for (const char *at = only; at != NULL && *at != '\0';) {
        size_t here = strcspn(at, ",");
        bool found = false;
        for (size_t i = 0; i < count; i++) {
            found = found || (strlen(list[i].name) == here && strncmp(list[i].name, at, here) == 0);
        }
        if (!found) {
            return status_fail(why, TPU_REFUSED, "--only: there is no mutant \"%.*s\"",
                               (int)(here < 200 ? here : 200), at);
        }
        at += here + (at[here] == ',');
    }
    return TPU_OK;
}

static void exchange(mutant *left, mutant *right) {
    const mutant kept = *left;
    *left = *right;
    *right = kept;
}

static int by_name(const void *left, const void *right) {
    return strcmp(((const mutant *)left)->name, ((const mutant *)right)->name);
}

size_t mutant_choose(const mutant_wish *wish, mutant *list, size_t count) {
    size_t chosen = 0;
    if (wish->only == NULL && !wish->sampled) {
        return count;
    }
    for (size_t i = 0; i < count; i++) {
        if (is_named(wish->only, list[i].name)) {
            exchange(&list[chosen++], &list[i]);
        }
    }
    qsort(list + chosen, count - chosen, sizeof *list, by_name);
    rng source;
    rng_seed(&source, wish->seed);
    for (uint64_t n = 0; n < wish->sample && chosen < count; n++) {
        exchange(&list[chosen], &list[chosen + rng_below(&source, (uint32_t)(count - chosen))]);
        chosen++;
    }
    qsort(list, chosen, sizeof *list, by_name);
    return chosen;
}
