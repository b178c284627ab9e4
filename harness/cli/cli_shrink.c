// SPDX-License-Identifier: Apache-2.0
//
// shrink: makes a failing reproducer small and says what was left out.

#include "harness/cli/cli.h"
#include "harness/engine/loader.h"
#include "harness/replay/reproducer.h"
#include "harness/shrink/shrink.h"

#include "csim/isa/disasm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS 60u

static const char usage[] =
    "usage: tpucosim shrink FILE [-o OUT] [--seconds N] [--engine KIND]\n\n"
    "Makes the failing program of a reproducer small while its signature stays the same:\n"
    "runs before it, instructions, loops, row counts, address terms, operands, stalls. The result\n"
    "is replayed twice on fresh engines and written to OUT.\n"
    "  -o OUT            default: FILE with .min before its ending\n"
    "  --seconds N       ends with the best so far, default 60\n"
    "  --engine KIND     another engine than the file's: verilator, systemc or netlist\n";

enum { OPT_SECONDS = 1, OPT_OUT = 'o' };

typedef struct request {
    const char *path;
    const char *engine;
    char out[4096];
    double seconds;
    bool help;
} request;

static void default_out(const char *path, char *text, size_t size) {
    static const char ending[] = ".json";
    size_t length = strlen(path);
    size_t stem = length;
    if (length > strlen(ending) && strcmp(path + length - strlen(ending), ending) == 0) {
        stem = length - strlen(ending);
    }
    (void)snprintf(text, size, "%.*s.min.json", (int)stem, path);
}

static tpu_status take_option(int option, char *const *argv, request *out, tpu_message *why) {
    cli_settings settings = {.engine = NULL};
    uint64_t number = 0;
    tpu_status status = TPU_OK;
    switch (option) {
    case CLI_OPT_HELP:
        out->help = true;
        return TPU_OK;
    case OPT_SECONDS:
        status = cli_read_number("--seconds", optarg, 1000000, &number, why);
        out->seconds = (double)number;
        return status;
    case OPT_OUT:
        (void)snprintf(out->out, sizeof out->out, "%s", optarg);
        return TPU_OK;
    case CLI_OPT_ENGINE:
    case '?':
        status = cli_take_option(option, argv, &settings, why);
        out->engine = settings.engine;
        return status;
    default:
        return status_fail(why, TPU_REFUSED,
                           "shrink: the file says everything but -o, --seconds and --engine");
    }
}

static tpu_status read_request(int argc, char **argv, request *out, tpu_message *why) {
    static const struct option options[] = {{"seconds", required_argument, NULL, OPT_SECONDS},
                                            CLI_SETTING_OPTIONS};
    int option = 0;
    tpu_status status = TPU_OK;
    *out = (request){.seconds = SECONDS};
    while (status == TPU_OK && (option = getopt_long(argc, argv, "o:", options, NULL)) != -1) {
        status = take_option(option, argv, out, why);
    }
    if (status != TPU_OK || out->help) {
        return status;
    }
    if (argc - optind != 1) {
        return status_fail(why, TPU_REFUSED, "shrink takes one file; see tpucosim shrink --help");
    }
    out->path = argv[optind];
    if (out->out[0] == '\0') {
        default_out(out->path, out->out, sizeof out->out);
    }
    return TPU_OK;
}

static void put_program(const reproducer *small) {
    char *text = NULL;
    const reproducer_run *run = &small->run[small->run_count - 1];
    if (disasm_program(&run->program, &text, NULL) == TPU_OK) {
        (void)printf("\n%s", text);
    }
    free(text);
}

static void put_report(const request *asked, const reproducer *small, const shrink_report *done) {
    char signature[256];
    verdict_signature_format(&small->expected, signature, sizeof signature);
    (void)printf("%s\n", signature);
    put_program(small);
    (void)printf("\ninstructions %zu -> %zu, runs %zu -> %zu, operand bytes that are not 0: %zu -> "
                 "%zu\n",
                 done->instructions[0], done->instructions[1], done->runs[0], done->runs[1],
                 done->operand_bytes[0], done->operand_bytes[1]);
    (void)printf("%u candidates ran, %u kept, %u were illegal; %.1f s%s\n", done->tried, done->kept,
                 done->illegal, done->seconds, done->timed_out ? ", out of time" : "");
    (void)printf("tpucosim replay %s\n", asked->out);
}

static int run_request(const request *asked) {
    reproducer file = {.run = NULL};
    loader *library = NULL;
    shrink_report done;
    tpu_message why;
    tpu_status status = reproducer_read(asked->path, &file, &why);
    if (status == TPU_OK && asked->engine != NULL) {
        (void)snprintf(file.engine, sizeof file.engine, "%s", asked->engine);
    }
    if (status == TPU_OK) {
        status = loader_open(file.engine, &file.config.params, &library, &why);
    }
    if (status == TPU_OK) {
        const shrink_options how = {.api = loader_api(library), .seconds = asked->seconds};
        status = shrink_run(&file, &how, &done, &why);
    }
    if (status == TPU_OK) {
        status = reproducer_write(&file, asked->out, &why);
    }
    if (status == TPU_OK) {
        put_report(asked, &file, &done);
    }
    reproducer_clear(&file);
    loader_close(library);
    return status == TPU_OK ? CLI_OK : cli_fail(status, &why);
}

int cli_shrink(int argc, char **argv) {
    request asked;
    tpu_message why;
    tpu_status status = read_request(argc, argv, &asked, &why);
    if (status != TPU_OK) {
        return cli_fail(status, &why);
    }
    if (asked.help) {
        (void)fputs(usage, stdout);
        return CLI_OK;
    }
    return run_request(&asked);
}
