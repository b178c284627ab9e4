// SPDX-License-Identifier: Apache-2.0
//
// Files are looked at in byte order, so that what comes out does not depend on the file system.

#define _POSIX_C_SOURCE 200809L

#include "harness/fuzz/corpus.h"

#include "harness/fuzz/fuzz_internal.h"
#include "harness/io/textfile.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Operands of a tape do not depend on the seed of a run.
#define POOL_SEED 1u

static void path_of(const corpus *self, size_t number, char *path, size_t size) {
    (void)snprintf(path, size, "%s/%s", self->directory, self->name[number]);
}

// ---- the directory -----------------------------------------------------------------------------

static int by_name(const void *left, const void *right) {
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static bool add_name(corpus *self, const char *name) {
    if ((self->count & (self->count - 1)) == 0) { // a power of two: full
        size_t room = self->count == 0 ? 1 : 2 * self->count;
        char **more = realloc(self->name, room * sizeof *more);
        if (more == NULL) {
            return false;
        }
        self->name = more;
    }
    self->name[self->count] = strdup(name);
    return self->name[self->count] != NULL && ++self->count > 0;
}

static bool is_file(const char *directory, const char *name) {
    char path[PATH_MAX];
    struct stat about;
    (void)snprintf(path, sizeof path, "%s/%s", directory, name);
    return name[0] != '.' && stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

tpu_status corpus_open(const char *directory, corpus *out, tpu_message *why) {
    tpu_status status = TPU_OK;
    DIR *at = opendir(directory);
    if (at == NULL) {
        return status_fail(why, TPU_REFUSED, "%s: %s", directory, strerror(errno));
    }
    out->directory = strdup(directory);
    for (const struct dirent *entry = readdir(at); entry != NULL && status == TPU_OK;
         entry = readdir(at)) {
        if (is_file(directory, entry->d_name) && !add_name(out, entry->d_name)) {
            status = status_fail(why, TPU_ERR_MEMORY, "corpus: out of memory");
        }
    }
    (void)closedir(at);
    if (status == TPU_OK && out->directory == NULL) {
        status = status_fail(why, TPU_ERR_MEMORY, "corpus: out of memory");
    }
    if (out->count > 0) {
        qsort(out->name, out->count, sizeof *out->name, by_name);
    }
    return status;
}

void corpus_clear(corpus *self) {
    for (size_t i = 0; i < self->count; i++) {
        free(self->name[i]);
    }
    free(self->name);
    free(self->directory);
    *self = (corpus){.count = 0};
}

tpu_status corpus_read(const corpus *self, size_t number, const tpu_params *params, tape *out,
                       tpu_message *why) {
    char path[PATH_MAX];
    char *bytes = NULL;
    size_t size = 0;
    tpu_message cause;
    path_of(self, number, path, sizeof path);
    tpu_status status = textfile_read(path, &bytes, &size, why);
    if (status != TPU_OK) {
        return status;
    }
    status = tape_decode((const uint8_t *)bytes, size, params, out, &cause);
    free(bytes);
    return status == TPU_OK ? TPU_OK : status_fail(why, status, "%s: %s", path, cause.text);
}

tpu_status corpus_check(const corpus *self, const tpu_params *params, tpu_message *why) {
    tape *read = malloc(sizeof *read);
    tpu_status status =
        read != NULL ? TPU_OK : status_fail(why, TPU_ERR_MEMORY, "corpus: out of memory");
    for (size_t i = 0; i < self->count && status == TPU_OK; i++) {
        status = corpus_read(self, i, params, read, why);
    }
    free(read);
    return status;
}

// ---- running -----------------------------------------------------------------------------------

// Hears of every file that was run.
typedef struct listener {
    void *user;
    tpu_status (*ran)(void *user, size_t number, const tape *what, fuzz_loop *loop,
                      tpu_message *why);
} listener;

static tpu_status make_program(void *user, const fuzz_options *options,
                               const stress_operands *operands, uint64_t sequence, uint32_t index,
                               fuzz_case *out, tpu_message *why) {
    const tape *from = user;
    tape_program program;
    size_t at = 0;
    (void)sequence;
    for (uint32_t i = 0; i <= index; i++) {
        if (!tape_next(from, &at, &program)) {
            return status_fail(why, TPU_ERR_INTERNAL, "a tape lost its program %u", index);
        }
    }
    return fuzz_case_from_tape(options, operands, &program, out, why);
}

static tpu_status run_tape(fuzz_loop *loop, const tape *what, tpu_message *why) {
    bool go_on = true;
    size_t programs = tape_programs(what);
    uint64_t sequence = tape_digest(what);
    tpu_status status = fuzz_loop_open(loop, sequence, why);
    for (uint32_t i = 0; i < programs && i < TAPE_PROGRAMS_MAX && status == TPU_OK && go_on; i++) {
        status = fuzz_loop_run(loop, sequence, i, &go_on, why);
    }
    return status;
}

static tpu_status run_all(const corpus *self, const fuzz_options *options, tape *now,
                          const listener *to, fuzz_summary *out, tpu_message *why) {
    fuzz_loop loop;
    const fuzz_source source = {.user = now, .make = make_program};
    fuzz_options with = *options;
    with.seed = POOL_SEED;
    with.coverage = true;
    tpu_status status = fuzz_loop_start(&loop, &with, NULL, &source, out, why);
    for (size_t i = 0; i < self->count && status == TPU_OK; i++) {
        status = corpus_read(self, i, &options->config.params, now, why);
        if (status == TPU_OK) {
            status = run_tape(&loop, now, why);
        }
        if (status == TPU_OK && to != NULL) {
            status = to->ran(to->user, i, now, &loop, why);
        }
    }
    fuzz_loop_end(&loop);
    return status;
}

static tpu_status check_and_run(const corpus *self, const fuzz_options *options, const listener *to,
                                fuzz_summary *out, tpu_message *why) {
    tape *now = malloc(sizeof *now);
    if (now == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "corpus: out of memory");
    }
    tpu_status status = corpus_check(self, &options->config.params, why);
    if (status == TPU_OK) {
        status = run_all(self, options, now, to, out, why);
    }
    free(now);
    return status;
}

tpu_status corpus_replay(const corpus *self, const fuzz_options *options, fuzz_summary *out,
                         tpu_message *why) {
    return check_and_run(self, options, NULL, out, why);
}

// ---- leaving out -------------------------------------------------------------------------------

// What a file covers, a bit a bin.
typedef struct share {
    size_t number;
    size_t records;
    uint32_t fresh; // bins that no file kept so far has
    bool kept;
    uint8_t bits[(COVERAGE_BINS_MAX + 7) / 8];
} share;

typedef struct shares {
    share *of;
    uint64_t before[COVERAGE_BINS_MAX]; // programs that hit each bin before this file
} shares;

static tpu_status note_share(void *user, size_t number, const tape *what, fuzz_loop *loop,
                             tpu_message *why) {
    shares *all = user;
    share *mine = &all->of[number];
    const uint64_t *hits = coverage_hits(loop->cover);
    (void)why;
    mine->number = number;
    mine->records = what->count;
    for (uint32_t bin = 0; bin < coverage_bins(); bin++) {
        if (hits[bin] != all->before[bin]) {
            mine->bits[bin / 8] = (uint8_t)(mine->bits[bin / 8] | 1u << bin % 8);
            all->before[bin] = hits[bin];
        }
    }
    return TPU_OK;
}

static uint32_t count_fresh(const share *of, const uint8_t *covered) {
    uint32_t count = 0;
    for (size_t i = 0; i < sizeof of->bits; i++) {
        count += (uint32_t)__builtin_popcount(of->bits[i] & ~(unsigned)covered[i]);
    }
    return count;
}

// The file with most that is new for its size; NULL when none has anything.
static share *best_share(share *of, size_t count, const uint8_t *covered) {
    share *best = NULL;
    for (size_t i = 0; i < count; i++) {
        // What was new once can only become less: the old number is an upper bound.
        if (of[i].kept || of[i].fresh == 0 ||
            (best != NULL && of[i].fresh * best->records <= best->fresh * of[i].records)) {
            continue;
        }
        of[i].fresh = count_fresh(&of[i], covered);
        if (of[i].fresh > 0 &&
            (best == NULL || of[i].fresh * best->records > best->fresh * of[i].records)) {
            best = &of[i];
        }
    }
    return best;
}

static size_t choose(share *of, size_t count, size_t most) {
    uint8_t covered[sizeof of->bits] = {0};
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        of[i].fresh = UINT16_MAX;
    }
    for (share *next = best_share(of, count, covered); next != NULL && kept < most;
         next = best_share(of, count, covered)) {
        next->kept = true;
        kept++;
        for (size_t i = 0; i < sizeof covered; i++) {
            covered[i] = (uint8_t)(covered[i] | next->bits[i]);
        }
    }
    return kept;
}

static tpu_status remove_rest(const corpus *self, const share *of, tpu_message *why) {
    for (size_t i = 0; i < self->count; i++) {
        char path[PATH_MAX];
        path_of(self, i, path, sizeof path);
        if (!of[i].kept && unlink(path) != 0) {
            return status_fail(why, TPU_ERR_IO, "%s: %s", path, strerror(errno));
        }
    }
    return TPU_OK;
}

tpu_status corpus_minimise(const corpus *self, const fuzz_options *options, size_t most,
                           fuzz_summary *out, size_t *kept, tpu_message *why) {
    shares *all = calloc(1, sizeof *all);
    tpu_status status = TPU_OK;
    if (all != NULL) {
        all->of = calloc(self->count + 1, sizeof *all->of);
    }
    if (all == NULL || all->of == NULL) {
        free(all);
        return status_fail(why, TPU_ERR_MEMORY, "corpus: out of memory");
    }
    const listener to = {.user = all, .ran = note_share};
    status = check_and_run(self, options, &to, out, why);
    if (status == TPU_OK) {
        *kept = choose(all->of, self->count, most > 0 ? most : self->count);
        status = remove_rest(self, all->of, why);
    }
    free(all->of);
    free(all);
    return status;
}
