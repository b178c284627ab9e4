// SPDX-License-Identifier: Apache-2.0
//
// wave: shows a waveform in the viewer that is installed. What is to be shown is checked first,
// since a viewer leaves out a signal that it does not find without a word.

#define _POSIX_C_SOURCE 200809L // mkdtemp, posix_spawn, realpath
#define _XOPEN_SOURCE 700

#include "harness/cli/cli.h"
#include "harness/io/textfile.h"
#include "harness/show/failure.h"
#include "harness/show/wave_file.h"
#include "harness/show/wave_fit.h"
#include "harness/show/wave_view.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char usage[] =
    "usage: tpucosim wave WHAT [--view FILE.gtkw] [--viewer NAME] [--write DIR]\n\n"
    "Shows a waveform in GTKWave or Surfer. WHAT is a failure's directory, the repro.json in it,\n"
    "or a file.fst. Every signal of the view is looked up in the waveform first; an unknown one "
    "is\n"
    "refused (exit code 2).\n"
    "  --view FILE       a save file to use in place of the waveform's own; waves/README.md says\n"
    "                    which there are. It is fitted to the waveform: any T will do\n"
    "  --viewer NAME     gtkwave or surfer; default is the first of them that is installed\n"
    "  --write DIR       write the fitted view there (view.gtkw, view.sucl) and show nothing\n";

enum { JOINED_MAX = PATH_MAX + 32 };

typedef struct show {
    const char *what;
    const char *view; // NULL = the waveform's own, if there is one
    const char *viewer;
    const char *write;
    char wave[PATH_MAX]; // absolute
    wave_fit fit;
    bool has_view;
} show;

static bool is_directory(const char *path) {
    struct stat there;
    return stat(path, &there) == 0 && S_ISDIR(there.st_mode);
}

static bool ends_in(const char *text, const char *end) {
    const size_t length = strlen(text);
    const size_t tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

// The waveform of a directory, of a reproducer in one, or itself.
static tpu_status find_wave(show *self, tpu_message *why) {
    char path[PATH_MAX];
    const char *slash = strrchr(self->what, '/');
    int bytes = 0;
    if (is_directory(self->what)) {
        bytes = snprintf(path, sizeof path, "%s/%s", self->what, FAILURE_WAVE);
    } else if (ends_in(self->what, ".json")) {
        const int directory = slash == NULL ? 0 : (int)(slash - self->what) + 1;
        bytes = snprintf(path, sizeof path, "%.*s%s", directory, self->what, FAILURE_WAVE);
    } else {
        bytes = snprintf(path, sizeof path, "%s", self->what);
    }
    if (bytes < 0 || (size_t)bytes >= sizeof path) {
        return status_fail(why, TPU_REFUSED, "%s: the path is too long", self->what);
    }
    if (realpath(path, self->wave) != NULL) {
        return TPU_OK;
    }
    if (ends_in(self->what, ".json")) {
        return status_fail(why, TPU_REFUSED,
                           "there is no %s yet; tpucosim replay %s --wave %s makes it", path,
                           self->what, path);
    }
    return status_fail(why, TPU_REFUSED, "%s: there is no waveform: %s", path, strerror(errno));
}

static tpu_status read_view(const show *self, char **text, tpu_message *why) {
    *text = NULL;
    if (self->view != NULL) {
        return textfile_read(self->view, text, NULL, why);
    }
    char *own = wave_view_path(self->wave, WAVE_VIEW_GTKWAVE);
    if (own == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "%s: out of memory", self->wave);
    }
    const bool is_there = access(own, R_OK) == 0;
    const tpu_status status = is_there ? textfile_read(own, text, NULL, why) : TPU_OK;
    free(own);
    return status;
}

// Reads waveform and view, and fits one to the other with translation files in `names`.
static tpu_status fit_view(show *self, const char *names, tpu_message *why) {
    wave_file *file = NULL;
    char *text = NULL;
    tpu_status status = wave_file_open(self->wave, &file, why);
    if (status == TPU_OK) {
        status = read_view(self, &text, why);
    }
    if (status == TPU_OK && text != NULL) {
        status = wave_fit_make(text, file, names, &self->fit, why);
        self->has_view = status == TPU_OK;
    }
    wave_file_close(file);
    free(text);
    return status;
}

static tpu_status write_in(const char *directory, const char *name, const char *text,
                           tpu_message *why) {
    char path[JOINED_MAX];
    (void)snprintf(path, sizeof path, "%s/%s", directory, name);
    return textfile_write(path, text, strlen(text), why);
}

static tpu_status write_view(show *self, const char *directory, tpu_message *why) {
    tpu_status status = fit_view(self, directory, why);
    if (status != TPU_OK || !self->has_view) {
        return status;
    }
    status = write_in(directory, "view.gtkw", self->fit.gtkw, why);
    if (status == TPU_OK) {
        status = write_in(directory, "view.sucl", self->fit.sucl, why);
    }
    return status == TPU_OK ? wave_fit_write_names(directory, why) : status;
}

static void remove_view(const char *directory) {
    static const char *const names[] = {"view.gtkw", "view.sucl", WAVE_FIT_OPCODES, WAVE_FIT_RULES,
                                        WAVE_FIT_UNITS};
    char path[JOINED_MAX];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", directory, names[i]);
        (void)remove(path);
    }
    (void)rmdir(directory);
}

static bool is_installed(const char *name) {
    const char *path = getenv("PATH");
    for (const char *at = path != NULL ? path : ""; *at != '\0';) {
        const size_t length = strcspn(at, ":");
        char file[JOINED_MAX];
        (void)snprintf(file, sizeof file, "%.*s/%s", (int)length, at, name);
        if (length > 0 && access(file, X_OK) == 0) {
            return true;
        }
        at += length + (at[length] == ':');
    }
    return false;
}

static bool is_set(const char *name) {
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0';
}

static tpu_status find_viewer(show *self, tpu_message *why) {
    static const char *const known[] = {"gtkwave", "surfer"};
    const char *asked = self->viewer;
    self->viewer = NULL;
    for (size_t i = 0; i < sizeof known / sizeof known[0] && self->viewer == NULL; i++) {
        if ((asked == NULL || strcmp(asked, known[i]) == 0) && is_installed(known[i])) {
            self->viewer = known[i];
        }
    }
    if (self->viewer == NULL) {
        return status_fail(why, TPU_REFUSED,
                           "no %s is installed here; install the package gtkwave, or open %s "
                           "elsewhere",
                           asked != NULL ? asked : "waveform viewer", self->wave);
    }
    if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY")) {
        return status_fail(why, TPU_REFUSED,
                           "there is no display for %s (DISPLAY is not set); log in with ssh -X, "
                           "or copy the directory of %s to where one is",
                           self->viewer, self->wave);
    }
    return TPU_OK;
}

static tpu_status wait_for(pid_t child, const char *name, tpu_message *why) {
    int ended = 0;
    while (waitpid(child, &ended, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(ended) || WEXITSTATUS(ended) != 0) {
        return status_fail(why, TPU_REFUSED, "%s ended with an error; does the display work?",
                           name);
    }
    return TPU_OK;
}

static tpu_status run_viewer(show *self, const char *directory, tpu_message *why) {
    const bool surfer = strcmp(self->viewer, "surfer") == 0;
    char name[] = "view.gtkw";
    char view[JOINED_MAX];
    char option[] = "--command-file";
    char program[16];
    (void)snprintf(program, sizeof program, "%s", self->viewer);
    (void)snprintf(view, sizeof view, "%s/%s", directory, surfer ? "view.sucl" : name);
    char *argv[5] = {program, self->wave, NULL, NULL, NULL};
    size_t count = 2;
    if (self->has_view && surfer) {
        argv[count++] = option;
    }
    if (self->has_view) {
        argv[count++] = view;
    }
    pid_t child = 0;
    const int failed = posix_spawnp(&child, program, NULL, NULL, argv, environ);
    if (failed != 0) {
        return status_fail(why, TPU_REFUSED, "%s cannot be started: %s", program, strerror(failed));
    }
    return wait_for(child, program, why);
}

static tpu_status show_view(show *self, tpu_message *why) {
    const char *place = is_set("TMPDIR") ? getenv("TMPDIR") : P_tmpdir;
    char directory[PATH_MAX];
    (void)snprintf(directory, sizeof directory, "%s/tpucosim_XXXXXX", place);
    if (mkdtemp(directory) == NULL) {
        return status_fail(why, TPU_ERR_IO, "%s: %s", directory, strerror(errno));
    }
    tpu_status status = write_view(self, directory, why);
    if (status == TPU_OK) {
        status = find_viewer(self, why);
    }
    if (status == TPU_OK) {
        status = run_viewer(self, directory, why);
    }
    remove_view(directory);
    return status;
}

int cli_wave(int argc, char **argv) {
    static const struct option options[] = {{"view", required_argument, NULL, 'v'},
                                            {"viewer", required_argument, NULL, 'V'},
                                            {"write", required_argument, NULL, 'w'},
                                            {"help", no_argument, NULL, CLI_OPT_HELP},
                                            {NULL, 0, NULL, 0}};
    show self = {.what = NULL};
    tpu_message why;
    int option = 0;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == CLI_OPT_HELP) {
            (void)fputs(usage, stdout);
            return CLI_OK;
        }
        if (option == '?') {
            return cli_refuse("wave does not know %s; see tpucosim wave --help", argv[optind - 1]);
        }
        *(option == 'v' ? &self.view : option == 'V' ? &self.viewer : &self.write) = optarg;
    }
    if (argc - optind != 1) {
        return cli_refuse("wave takes one directory or file; see tpucosim wave --help");
    }
    self.what = argv[optind];
    tpu_status status = find_wave(&self, &why);
    if (status == TPU_OK && self.write != NULL) {
        status = textfile_make_directory(self.write, &why);
        status = status == TPU_OK ? write_view(&self, self.write, &why) : status;
    } else if (status == TPU_OK) {
        status = show_view(&self, &why);
    }
    wave_fit_clear(&self.fit);
    return status == TPU_OK ? CLI_OK : cli_fail(status, &why);
}
