// SPDX-License-Identifier: Apache-2.0
//
// run and gemm: a person's own program or matrices on the machine, in lockstep.

#include "csim/isa/image.h"
#include "csim/isa/limits.h"
#include "csim/isa/programs.h"
#include "harness/cli/cli.h"
#include "harness/replay/recording.h"
#include "harness/show/report.h"
#include "harness/show/wave.h"
#include "harness/show/wave_check.h"
#include "harness/show/wave_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// One run with everything it owns.
typedef struct work {
    cli_settings settings;
    const char *name;
    const char *source;
    const char *output;
    const char *save;
    const char *wave;
    const char *matrix[3]; // files of A, B and the C before the run; NULL = zero
    bool unchecked;
    bool relu;
    bool fortran; // order of the output file
    programs_form form;
    isa_program program;
    image words;
    uint8_t *region[3]; // A, B, C
    session *session;
    lockstep_job job;
    verdict seen;
} work;

static void work_clear(work *self) {
    verdict_clear(&self->seen);
    session_close(self->session);
    image_clear(&self->words);
    isa_program_clear(&self->program);
    for (int i = 0; i < 3; i++) {
        free(self->region[i]);
    }
}

static tpu_status allocate_regions(work *self, tpu_message *why) {
    for (int i = 0; i < 3; i++) {
        self->region[i] = calloc(params_region_bytes(&self->settings.config.params), 1);
        if (self->region[i] == NULL) {
            return status_fail(why, TPU_ERR_MEMORY, "out of memory for the operands");
        }
    }
    return TPU_OK;
}

// Reads a matrix and puts it into its region.
static tpu_status place_file(work *self, int which, npy_matrix *kept, tpu_message *why) {
    npy_matrix matrix = {.data = NULL};
    tpu_status status = cli_read_matrix(self->matrix[which], &matrix, why);
    if (status == TPU_OK) {
        status = cli_place(self->matrix[which], &matrix, self->settings.config.params.maxdim,
                           self->region[which], why);
    }
    if (status == TPU_OK && kept != NULL) {
        *kept = (npy_matrix){.data = NULL, .rows = matrix.rows, .columns = matrix.columns};
    }
    npy_clear(&matrix);
    return status;
}

static void fill_job(work *self) {
    self->job.level = LOCKSTEP_LEVEL_ARCH;
    self->job.mode = self->unchecked ? LOCKSTEP_MODE_UNCHECKED : LOCKSTEP_MODE_CHECKED;
    self->job.program = &self->program;
    self->job.words = self->words.words;
    self->job.word_count = self->words.count;
    self->job.a = self->region[0];
    self->job.b = self->region[1];
    self->job.c = self->region[2];
}

// A process can have one SystemC engine only.
static bool is_single(const work *self) {
    return strcmp(self->settings.engine, "systemc") == 0;
}

static tpu_status open_wave(work *self, tpu_message *why) {
    const engine_api *api = session_api(self->session);
    const bool memories = strcmp(self->settings.engine, "netlist") != 0;
    const tpu_status status = is_single(self) ? wave_check_place(self->wave, 0, why)
                                              : wave_check_engine(api, &self->settings.config,
                                                                  self->wave, 0, memories, why);
    return status == TPU_OK ? api->trace_open(session_engine(self->session), self->wave, why)
                            : status;
}

// The machine's side is written; the model's comes from running the same once more.
static tpu_status close_wave(work *self, tpu_message *why) {
    const engine_api *api = session_api(self->session);
    const recording_window all = {.first = 0, .last = UINT64_MAX};
    recording taken = {.event = NULL};
    tpu_status status = api->trace_close(session_engine(self->session), why);
    if (status != TPU_OK || self->unchecked || is_single(self) ||
        self->seen.kind == VERDICT_REFUSED || self->seen.kind == VERDICT_ERROR) {
        return status;
    }
    status = recording_take(session_reproducer(self->session), api, &all, NULL, &taken, why);
    if (status == TPU_OK) {
        status = wave_write_window(&taken, self->wave, self->wave, why);
    }
    if (status == TPU_OK) {
        status = wave_view_write(&taken, self->wave, why);
    }
    recording_clear(&taken);
    return status;
}

static tpu_status execute(work *self, tpu_message *why) {
    tpu_status status = image_build(&self->settings.config.params, &self->program, !self->unchecked,
                                    &self->words, why);
    if (status == TPU_OK) {
        status = cli_open_session(&self->settings, &self->session, why);
    }
    if (status == TPU_OK && self->wave != NULL) {
        status = open_wave(self, why);
    }
    if (status != TPU_OK) {
        return status;
    }
    fill_job(self);
    session_run(self->session, self->name, &self->job, &self->seen);
    if (self->wave != NULL) {
        status = close_wave(self, why);
    }
    if (status == TPU_OK && self->save != NULL) {
        status = session_save_reproducer(self->session, self->save, &self->seen, why);
    }
    return status;
}

static report_context context_of(const work *self) {
    return (report_context){.name = self->name,
                            .source = self->source,
                            .engine = self->settings.engine,
                            .params = &self->settings.config.params,
                            .program = &self->program,
                            .words = self->words.words,
                            .word_count = self->words.count,
                            .seed = self->settings.seed,
                            .wave = self->wave};
}

static void say_unchecked(const work *self) {
    const engine_status *status = &self->seen.status;
    const char *rule = tpu_rule_name(status->fault);
    if (status->fault == TPU_RULE_NONE) {
        (void)printf("ended without a fault after %llu cycles; nothing was compared\n",
                     (unsigned long long)status->cycles);
        return;
    }
    (void)printf("ended by fault %s of %s at pc %u after %llu cycles; nothing was compared\n",
                 rule != NULL ? rule : "?",
                 status->fault_unit < TPU_UNIT_COUNT ? tpu_unit_names[status->fault_unit] : "?",
                 status->fault_pc, (unsigned long long)status->cycles);
}

static int show(const work *self) {
    const report_context context = context_of(self);
    tpu_message why;
    char *text = NULL;
    tpu_status status = TPU_OK;
    if (self->unchecked && self->seen.kind == VERDICT_OK && !self->settings.json) {
        say_unchecked(self);
        return CLI_OK;
    }
    if (self->settings.json) {
        status = report_json(&self->seen, &context, &text, &why);
    } else {
        status = report_screen(&self->seen, &context, &text, &why);
    }
    if (status != TPU_OK) {
        return cli_fail(status, &why);
    }
    cli_put_report(text);
    (void)fputs(self->settings.json ? "\n" : "", stdout);
    free(text);
    if (self->wave != NULL && !self->settings.json) {
        (void)printf("\nThe waveform holds the whole run; tpucosim wave %s shows it.\n",
                     self->wave);
    }
    cli_annotate_verdict(&self->seen, &context);
    return verdict_exit_code(self->seen.kind);
}

// A failure leaves a directory; what could not be written is said, the verdict stays.
static void leave_failure(work *self) {
    if (self->seen.kind != VERDICT_MISMATCH && self->seen.kind != VERDICT_HANG) {
        return;
    }
    char directory[128];
    tpu_message why;
    (void)snprintf(directory, sizeof directory, "fail/%s", self->job.gemm.m > 0 ? "gemm" : "run");
    if (session_save(self->session, directory, &self->seen, self->source, &why) != TPU_OK) {
        (void)cli_fail(TPU_ERR_IO, &why);
        return;
    }
    (void)fprintf(stderr,
                  "tpucosim: see %s/report.txt; run it again: tpucosim replay "
                  "%s/repro.json\n",
                  directory, directory);
}

// Shows the verdict; writes the first rows and columns of C when it is OK.
static int finish(work *self, size_t rows, size_t columns) {
    tpu_message why;
    int code = show(self);
    leave_failure(self);
    if (self->seen.kind != VERDICT_OK || self->output == NULL) {
        return code;
    }
    tpu_status status = cli_write_matrix(self->output, session_c(self->session), rows, columns,
                                         self->settings.config.params.maxdim,
                                         self->fortran ? NPY_ORDER_FORTRAN : NPY_ORDER_C, &why);
    return status == TPU_OK ? code : cli_fail(status, &why);
}

static const char run_usage[] =
    "usage: tpucosim run PROGRAM.s [-A A.npy] [-B B.npy] [-C C.npy] [-o OUT.npy] [OPTION]...\n\n"
    "Runs the program on the machine and on the model in lockstep. Matrices are int8 .npy files\n"
    "or raw bytes (FILE:ROWSxCOLUMNS) and lie in the upper left corner of MAXDIM x MAXDIM regions\n"
    "of zeros; OUT receives the whole region C (.npy; .raw or .bin for bytes alone).\n"
    "  --fortran         write OUT.npy in Fortran order\n"
    "  --unchecked       run an illegal program too, on the machine alone\n"
    "  --save FILE       write a reproducer, whatever the verdict\n"
    "  --wave FILE       write a waveform (FST) of the whole run\n" CLI_SETTING_HELP;

static const char gemm_usage[] =
    "usage: tpucosim gemm A.npy B.npy [-o C.npy] [--relu] [OPTION]...\n\n"
    "Multiplies two int8 matrices on the machine, in lockstep with the model. Extents that are no\n"
    "multiple of T are padded with zeros and cropped again. A and B may be raw bytes,\n"
    "FILE:ROWSxCOLUMNS; C is bytes alone when its name ends in .raw or .bin.\n"
    "  --fortran         write C.npy in Fortran order\n"
    "  --relu            rectify before saturating\n"
    "  --form FORM       looped, interleaved, b_per_tile, flat or fast; default looped\n"
    "  --save FILE       write a reproducer, whatever the verdict\n"
    "  --wave FILE       write a waveform (FST) of the whole run\n" CLI_SETTING_HELP;

static const struct option options[] = {
    {"output", required_argument, NULL, 'o'}, {"relu", no_argument, NULL, 'r'},
    {"form", required_argument, NULL, 'f'},   {"unchecked", no_argument, NULL, 'u'},
    {"fortran", no_argument, NULL, 'F'},      {"save", required_argument, NULL, 's'},
    {"wave", required_argument, NULL, 'w'},   CLI_SETTING_OPTIONS};

static tpu_status take_one(int option, char *const *argv, work *self, tpu_message *why) {
    switch (option) {
    case 'o':
        self->output = optarg;
        return TPU_OK;
    case 'r':
        self->relu = true;
        return TPU_OK;
    case 'u':
        self->unchecked = true;
        return TPU_OK;
    case 'F':
        self->fortran = true;
        return TPU_OK;
    case 's':
        self->save = optarg;
        return TPU_OK;
    case 'w':
        self->wave = optarg;
        return TPU_OK;
    case 'A':
    case 'B':
    case 'C':
        self->matrix[option - 'A'] = optarg;
        return TPU_OK;
    case 'f':
        if (programs_form_from_name(optarg, &self->form)) {
            return TPU_OK;
        }
        return status_fail(why, TPU_REFUSED, "--form: \"%s\" is no form of a GEMM", optarg);
    default:
        return cli_take_option(option, argv, &self->settings, why);
    }
}

// Returns -1 to go on, else the exit code.
static int take_options(int argc, char **argv, const char *letters, const char *usage,
                        int arguments, work *self) {
    tpu_message why;
    int option = 0;
    tpu_status status = cli_read_settings(&self->settings, &why);
    while (status == TPU_OK && (option = getopt_long(argc, argv, letters, options, NULL)) != -1) {
        if (option == CLI_OPT_HELP) {
            (void)fputs(usage, stdout);
            return CLI_OK;
        }
        status = take_one(option, argv, self, &why);
    }
    if (status != TPU_OK) {
        return cli_fail(status, &why);
    }
    if (argc - optind != arguments) {
        return cli_refuse("%s takes %d file(s), not %d; see tpucosim %s --help", argv[0], arguments,
                          argc - optind, argv[0]);
    }
    return -1;
}

static tpu_status prepare_run(work *self, tpu_message *why) {
    tpu_status status = cli_read_program(self->source, &self->program, why);
    if (status == TPU_OK) {
        status = allocate_regions(self, why);
    }
    for (int i = 0; i < 3 && status == TPU_OK; i++) {
        if (self->matrix[i] != NULL) {
            status = place_file(self, i, NULL, why);
        }
    }
    return status == TPU_OK ? execute(self, why) : status;
}

int cli_run(int argc, char **argv) {
    work self = {.name = NULL};
    tpu_message why;
    verdict_init(&self.seen);
    int code = take_options(argc, argv, "A:B:C:o:", run_usage, 1, &self);
    if (code >= 0) {
        return code;
    }
    self.source = self.name = argv[optind];
    tpu_status status = prepare_run(&self, &why);
    uint32_t maxdim = self.settings.config.params.maxdim;
    code = status == TPU_OK ? finish(&self, maxdim, maxdim) : cli_fail(status, &why);
    work_clear(&self);
    return code;
}

static uint32_t round_up(size_t extent, uint32_t t) {
    return (uint32_t)((extent + t - 1) / t * t);
}

static tpu_status prepare_gemm(work *self, npy_matrix *a, npy_matrix *b, tpu_message *why) {
    const tpu_params *params = &self->settings.config.params;
    tpu_status status = allocate_regions(self, why);
    if (status == TPU_OK) {
        status = place_file(self, 0, a, why);
    }
    if (status == TPU_OK) {
        status = place_file(self, 1, b, why);
    }
    if (status != TPU_OK) {
        return status;
    }
    if (a->columns != b->rows) {
        return status_fail(why, TPU_REFUSED, "%s has %zu columns, %s has %zu rows: they must agree",
                           self->matrix[0], a->columns, self->matrix[1], b->rows);
    }
    uint32_t m = round_up(a->rows, params->t);
    uint32_t k = round_up(a->columns, params->t);
    uint32_t n = round_up(b->columns, params->t);
    self->job.gemm = (lockstep_gemm){.m = m, .k = k, .n = n, .relu = self->relu};
    status = limits_check_gemm(params, m, k, n, why);
    if (status == TPU_OK) {
        status = programs_gemm(params, self->form, m, k, n, self->relu, &self->program, why);
    }
    return status == TPU_OK ? execute(self, why) : status;
}

int cli_gemm(int argc, char **argv) {
    work self = {.form = PROGRAMS_LOOPED};
    npy_matrix a = {.data = NULL};
    npy_matrix b = {.data = NULL};
    char name[96];
    tpu_message why;
    verdict_init(&self.seen);
    int code = take_options(argc, argv, "o:", gemm_usage, 2, &self);
    if (code >= 0) {
        return code;
    }
    if (self.unchecked) {
        return cli_refuse("gemm: --unchecked is for run");
    }
    self.matrix[0] = argv[optind];
    self.matrix[1] = argv[optind + 1];
    (void)snprintf(name, sizeof name, "gemm%s %s", self.relu ? " relu" : "",
                   programs_form_name(self.form));
    self.name = name;
    tpu_status status = prepare_gemm(&self, &a, &b, &why);
    code = status == TPU_OK ? finish(&self, a.rows, b.columns) : cli_fail(status, &why);
    work_clear(&self);
    return code;
}
