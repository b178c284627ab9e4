// SPDX-License-Identifier: Apache-2.0
//
// Copies of the tree, one for each process, made anew at the start of a run and used for one
// mutant after the other: what a mutant leaves alone is not built again. Text goes back with a new
// date, so that what was made of the mutant is never taken for up to date.

#define _POSIX_C_SOURCE 200809L

#include "harness/mutants/mutant_internal.h"

#include "harness/io/command.h"
#include "harness/io/textfile.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Seconds; only a broken mutant or a broken machine takes so long.
#define COPY_LIMIT 120.0
#define BUILD_LIMIT 900.0

// What the copies hold: all that RTL, model, harness and tests are made of.
static const char *const rooms[] = {"CMakeLists.txt", "base",    "ci",  "cmake", "csim",
                                    "examples",       "harness", "rtl", "spec",  "tests"};
#define ROOM_COUNT (sizeof rooms / sizeof rooms[0])

void mutant_path(char *out, const char *first, const char *second) {
    (void)snprintf(out, MUTANT_PATH_MAX, "%.4000s/%.300s", first, second);
}

// A command that must end well; else the sentence names its log.
static tpu_status run_well(const char *const *argv, const char *log, double limit,
                           tpu_message *why) {
    command_end end;
    tpu_status status = command_run(argv, NULL, log, limit, &end, why);
    if (status == TPU_OK && end.code != 0) {
        return status_fail(why, TPU_ERR_ENGINE, "%.100s %s, see %.300s", argv[0],
                           end.timed_out ? "took too long" : "failed", log);
    }
    return status;
}

void mutant_set_point(const mutant *self) {
    static const char *const unused[] = {"TPU_SPAD",         "TPU_NVR",    "TPU_NAR",
                                         "TPU_IMEM",         "TPU_QD",     "TPU_DMA_WORDS",
                                         "TPU_TB",           "TPU_ENGINE", "TPU_AXI_LATENCY",
                                         "TPU_RANDOM_STALL", "TPU_SEED",   "TPU_DMA_WIDEN"};
    for (size_t i = 0; i < sizeof unused / sizeof unused[0]; i++) {
        (void)unsetenv(unused[i]);
    }
    (void)setenv("TPU_T", "4", 1);
    (void)setenv("TPU_MAXDIM", "16", 1);
    for (const char *at = self->point; at != NULL && *at != '\0';) {
        char name[32];
        char value[32];
        size_t length = strcspn(at, " ");
        if (sscanf(at, "%31[A-Z_]=%31[0-9]", name, value) == 2) {
            (void)setenv(name, value, 1);
        }
        at += length + (at[length] == ' ');
    }
}

// ---- copies ------------------------------------------------------------------------------------

static tpu_status copy_tree(const mutant_options *options, const char *home, tpu_message *why) {
    char to[MUTANT_PATH_MAX];
    char log[MUTANT_PATH_MAX];
    char from[ROOM_COUNT][MUTANT_PATH_MAX];
    const char *copy[ROOM_COUNT + 4] = {"cp", "-R"};
    mutant_path(to, home, "source");
    mutant_path(log, home, "copy.log");
    for (size_t i = 0; i < ROOM_COUNT; i++) {
        mutant_path(from[i], options->tree, rooms[i]);
        copy[2 + i] = from[i];
    }
    copy[2 + ROOM_COUNT] = to;
    const char *const forget[] = {"rm", "-rf", to, NULL};
    tpu_status status = textfile_make_directory(home, why);
    if (status == TPU_OK) {
        status = run_well(forget, log, COPY_LIMIT, why);
    }
    if (status == TPU_OK) {
        status = textfile_make_directory(to, why);
    }
    return status == TPU_OK ? run_well(copy, log, COPY_LIMIT, why) : status;
}

// The engine of `out` from the RTL of `from`.
static tpu_status build_engine(const mutant_options *options, const char *out, const char *from,
                               const char *log, tpu_message *why) {
    char script[MUTANT_PATH_MAX];
    mutant_path(script, options->tree, "ci/engine");
    const char *const argv[] = {script, options->build, out, from, NULL};
    if (options->full) {
        (void)unsetenv("TPU_LEAN");
    } else {
        (void)setenv("TPU_LEAN", "1", 1);
    }
    return run_well(argv, log, BUILD_LIMIT, why);
}

static bool same_text(const char *left, const char *right) {
    return left == right || (left != NULL && right != NULL && strcmp(left, right) == 0);
}

// Whether an earlier one of the list has the same point.
static bool seen_point(const mutant *list, size_t at) {
    for (size_t i = 0; i < at; i++) {
        if (same_text(list[i].point, list[at].point)) {
            return true;
        }
    }
    return false;
}

static tpu_status build_good(const mutant_options *options, const mutant *list, size_t count,
                             tpu_message *why) {
    char good[MUTANT_PATH_MAX];
    char log[MUTANT_PATH_MAX];
    mutant_path(good, options->out, "good");
    mutant_path(log, good, "engine.log");
    tpu_status status = textfile_make_directory(good, why);
    for (size_t i = 0; i < count && status == TPU_OK; i++) {
        if (!seen_point(list, i)) {
            mutant_set_point(&list[i]);
            status = build_engine(options, good, options->tree, log, why);
        }
    }
    return status;
}

// Two runs in one directory would plant into each other's copies. The lock ends with the process.
static tpu_status lock_out(const char *out, tpu_message *why) {
    char path[MUTANT_PATH_MAX];
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    mutant_path(path, out, "lock");
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (file < 0) {
        return status_fail(why, TPU_ERR_IO, "%s cannot be written", path);
    }
    if (fcntl(file, F_SETLK, &whole) != 0) {
        (void)close(file);
        return status_fail(why, TPU_REFUSED, "mutants: another run works in %s; name another --out",
                           out);
    }
    return TPU_OK; // the file stays open
}

tpu_status mutant_tree_prepare(const mutant_options *options, const mutant *list, size_t count,
                               tpu_message *why) {
    tpu_status status = textfile_make_directory(options->out, why);
    if (status == TPU_OK) {
        status = lock_out(options->out, why);
    }
    for (uint32_t i = 0; i < options->jobs && status == TPU_OK; i++) {
        char name[32];
        char home[MUTANT_PATH_MAX];
        (void)snprintf(name, sizeof name, "job%u", i);
        mutant_path(home, options->out, name);
        status = copy_tree(options, home, why);
    }
    return status == TPU_OK ? build_good(options, list, count, why) : status;
}

// ---- anchors -----------------------------------------------------------------------------------

static tpu_status plant_text(const char *tree, const mutant *what, char **planted,
                             tpu_message *why) {
    char source[MUTANT_PATH_MAX];
    char *text = NULL;
    mutant_path(source, tree, what->file);
    tpu_status status = textfile_read(source, &text, NULL, why);
    if (status == TPU_OK) {
        status = mutant_plant(what, text, planted, why);
    }
    free(text);
    return status;
}

tpu_status mutant_check_anchors(const char *tree, const mutant *list, size_t count,
                                tpu_message *why) {
    tpu_status status = TPU_OK;
    for (size_t i = 0; i < count && status == TPU_OK; i++) {
        char *planted = NULL;
        if (list[i].file != NULL) {
            status = plant_text(tree, &list[i], &planted, why);
        }
        free(planted);
    }
    return status;
}

// ---- one mutant --------------------------------------------------------------------------------

static void target_of(const mutant_job *job, char *target) {
    char copy[MUTANT_PATH_MAX];
    mutant_path(copy, job->home, "source");
    mutant_path(target, copy, job->what->file);
}

static tpu_status plant(const mutant_job *job, tpu_message *why) {
    char target[MUTANT_PATH_MAX];
    char *planted = NULL;
    if (job->what->file == NULL) {
        return TPU_OK;
    }
    target_of(job, target);
    tpu_status status = plant_text(job->options->tree, job->what, &planted, why);
    if (status == TPU_OK) {
        status = textfile_write(target, planted, strlen(planted), why);
    }
    free(planted);
    return status;
}

tpu_status mutant_tree_restore(const mutant_job *job, tpu_message *why) {
    char source[MUTANT_PATH_MAX];
    char target[MUTANT_PATH_MAX];
    char *text = NULL;
    if (job->what->file == NULL) {
        return TPU_OK;
    }
    mutant_path(source, job->options->tree, job->what->file);
    target_of(job, target);
    tpu_status status = textfile_read(source, &text, NULL, why);
    if (status == TPU_OK) {
        status = textfile_write(target, text, strlen(text), why);
    }
    free(text);
    return status;
}

// Its engine moves away, so that the next mutant of this copy does not write over it.
static tpu_status keep_engine(mutant_job *job, tpu_message *why) {
    char made[MUTANT_PATH_MAX];
    char log[MUTANT_PATH_MAX];
    mutant_path(made, job->home, "engines");
    mutant_path(log, job->place, "keep.log");
    const char *const forget[] = {"rm", "-rf", job->engines, NULL};
    const char *const move[] = {"mv", made, job->engines, NULL};
    tpu_status status = run_well(forget, log, COPY_LIMIT, why);
    return status == TPU_OK ? run_well(move, log, COPY_LIMIT, why) : status;
}

static tpu_status build_rtl(mutant_job *job, tpu_message *why) {
    char source[MUTANT_PATH_MAX];
    char log[MUTANT_PATH_MAX];
    mutant_path(source, job->home, "source");
    mutant_path(log, job->place, "engine.log");
    mutant_path(job->engines, job->place, "engines");
    tpu_status status = build_engine(job->options, job->home, source, log, why);
    return status == TPU_OK ? keep_engine(job, why) : status;
}

// The C side of the copy: the command line, and the test if one is named.
static tpu_status build_c(mutant_job *job, tpu_message *why) {
    char source[MUTANT_PATH_MAX];
    char build[MUTANT_PATH_MAX];
    char log[MUTANT_PATH_MAX];
    char ninja[MUTANT_PATH_MAX];
    mutant_path(source, job->home, "source");
    mutant_path(build, job->home, "c");
    mutant_path(ninja, build, "build.ninja");
    mutant_path(log, job->place, "build.log");
    (void)setenv("CCACHE_BASEDIR", job->home, 1);
    (void)setenv("CCACHE_NOHASHDIR", "1", 1);
    const char *const configure[] = {"cmake", "-S", source,  "-B",
                                     build,   "-G", "Ninja", "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
                                     NULL};
    const char *const make[] = {"ninja", "-C", build, "tpucosim", job->what->test, NULL};
    tpu_status status = TPU_OK;
    if (access(ninja, F_OK) != 0) {
        status = run_well(configure, log, BUILD_LIMIT, why);
    }
    return status == TPU_OK ? run_well(make, log, BUILD_LIMIT, why) : status;
}

tpu_status mutant_tree_build(mutant_job *job, tpu_message *why) {
    const mutant *what = job->what;
    bool is_rtl = what->kind != MUTANT_MODEL && what->kind != MUTANT_HARNESS;
    char good[MUTANT_PATH_MAX];
    mutant_path(good, job->options->out, "good");
    mutant_path(job->engines, good, "engines");
    tpu_status status = textfile_make_directory(job->place, why);
    if (status == TPU_OK) {
        status = plant(job, why);
    }
    if (status != TPU_OK || (is_rtl && what->file == NULL)) {
        return status;
    }
    return is_rtl ? build_rtl(job, why) : build_c(job, why);
}
