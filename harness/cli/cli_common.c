// SPDX-License-Identifier: Apache-2.0
//
// Settings, sentences and exit codes shared by the commands.

#define _POSIX_C_SOURCE 200809L

#include "harness/cli/cli.h"

#include "csim/isa/assembly.h"
#include "csim/isa/params.h"
#include "harness/io/textfile.h"

#include <cjson/cJSON.h>

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Cycles without movement that no latency of a real memory explains.
#define WATCHDOG 10000u
#define STALL_PERMILLE 250u

int cli_exit_code(tpu_status status) {
    switch (status) {
    case TPU_OK:
        return CLI_OK;
    case TPU_REFUSED:
    case TPU_ERR_IO:
        return CLI_REFUSED;
    default:
        return CLI_BROKEN;
    }
}

int cli_fail(tpu_status status, const tpu_message *why) {
    (void)fflush(stdout);
    (void)fprintf(stderr, "tpucosim: %s\n", why->text);
    return cli_exit_code(status);
}

int cli_refuse(const char *fmt, ...) {
    va_list args;
    (void)fflush(stdout);
    (void)fputs("tpucosim: ", stderr);
    va_start(args, fmt);
    (void)vfprintf(stderr, fmt, args);
    va_end(args);
    (void)fputc('\n', stderr);
    return CLI_REFUSED;
}

bool cli_has_option(int argc, char *const *argv, const char *option) {
    size_t length = strlen(option);
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], option, length) == 0 &&
            (argv[i][length] == '\0' || argv[i][length] == '=')) {
            return true;
        }
    }
    return false;
}

tpu_status cli_put_json(struct cJSON *root, tpu_message *why) {
    char *shown = cJSON_Print(root);
    cJSON_Delete(root);
    if (shown == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "JSON: out of memory");
    }
    (void)puts(shown);
    free(shown);
    return TPU_OK;
}

tpu_status cli_read_number(const char *name, const char *text, uint64_t limit, uint64_t *out,
                           tpu_message *why) {
    char *end = NULL;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 0);
    bool digit = text[0] >= '0' && text[0] <= '9';
    if (!digit || errno != 0 || *end != '\0' || value > limit) {
        return status_fail(why, TPU_REFUSED, "%s: \"%s\" is not a whole number of at most %llu",
                           name, text, (unsigned long long)limit);
    }
    *out = value;
    return TPU_OK;
}

static tpu_status read_u32(const char *name, const char *text, uint32_t least, uint32_t limit,
                           uint32_t *out, tpu_message *why) {
    uint64_t value = 0;
    tpu_status status = cli_read_number(name, text, limit, &value, why);
    if (status != TPU_OK) {
        return status;
    }
    if (value < least) {
        return status_fail(why, TPU_REFUSED, "%s: %s is below the least value, %u", name, text,
                           least);
    }
    *out = (uint32_t)value;
    return TPU_OK;
}

static tpu_status set_latency(const char *name, const char *text, cli_settings *to,
                              tpu_message *why) {
    uint32_t cycles = 0;
    tpu_status status = read_u32(name, text, 1, 100000, &cycles, why);
    if (status == TPU_OK) {
        to->config.timing.read_latency = cycles;
        to->config.timing.write_latency = cycles;
    }
    return status;
}

static tpu_status set_init(const char *text, cli_settings *to, tpu_message *why) {
    static const char *const names[] = {"zeros", "ones", "random"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(text, names[i]) == 0) {
            to->config.init = (engine_init)i;
            return TPU_OK;
        }
    }
    return status_fail(why, TPU_REFUSED, "--init: \"%s\" is not zeros, ones or random", text);
}

static tpu_status set_engine(const char *name, const char *text, cli_settings *to,
                             tpu_message *why) {
    static const char *const names[] = {"verilator", "systemc", "netlist", "mutants"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(text, names[i]) == 0) {
            to->engine = names[i];
            return TPU_OK;
        }
    }
    return status_fail(why, TPU_REFUSED, "%s: \"%s\" is not verilator, systemc, netlist or mutants",
                       name, text);
}

static void set_seed(cli_settings *to, uint64_t seed) {
    to->seed = seed;
    to->config.init_seed = seed;
    to->config.timing.stall_seed = seed;
}

// A variable that is set to nothing counts as not set.
static const char *variable(const char *name) {
    const char *text = getenv(name);
    return text != NULL && text[0] != '\0' ? text : NULL;
}

static tpu_status read_stall_variable(cli_settings *to, tpu_message *why) {
    const char *text = variable("TPU_RANDOM_STALL");
    uint32_t value = 0;
    if (text == NULL) {
        return TPU_OK;
    }
    tpu_status status = read_u32("TPU_RANDOM_STALL", text, 0, 999, &value, why);
    if (status == TPU_OK) {
        to->config.timing.stall_permille = value == 1 ? STALL_PERMILLE : value;
    }
    return status;
}

tpu_status cli_read_settings(cli_settings *out, tpu_message *why) {
    *out = (cli_settings){.engine = "verilator",
                          .config = {.init = ENGINE_INIT_RANDOM,
                                     .timing = {.read_latency = 1, .write_latency = 1},
                                     .watchdog = WATCHDOG}};
    set_seed(out, 1);
    tpu_status status = params_from_env(NULL, &out->config.params, why);
    if (status == TPU_OK && variable("TPU_ENGINE") != NULL) {
        status = set_engine("TPU_ENGINE", variable("TPU_ENGINE"), out, why);
    }
    if (status == TPU_OK && variable("TPU_AXI_LATENCY") != NULL) {
        status = set_latency("TPU_AXI_LATENCY", variable("TPU_AXI_LATENCY"), out, why);
    }
    return status == TPU_OK ? read_stall_variable(out, why) : status;
}

tpu_status cli_take_option(int option, char *const *argv, cli_settings *settings,
                           tpu_message *why) {
    uint64_t number = 0;
    tpu_status status = TPU_OK;
    switch (option) {
    case CLI_OPT_ENGINE:
        return set_engine("--engine", optarg, settings, why);
    case CLI_OPT_LATENCY:
        return set_latency("--latency", optarg, settings, why);
    case CLI_OPT_STALL:
        return read_u32("--stall", optarg, 0, 999, &settings->config.timing.stall_permille, why);
    case CLI_OPT_SEED:
        status = cli_read_number("--seed", optarg, UINT64_MAX, &number, why);
        if (status == TPU_OK) {
            set_seed(settings, number);
        }
        return status;
    case CLI_OPT_TIMING_SEED:
        status = cli_read_number("--timing-seed", optarg, UINT64_MAX, &number, why);
        if (status == TPU_OK) {
            settings->config.init_seed = number;
            settings->config.timing.stall_seed = number;
        }
        return status;
    case CLI_OPT_INIT:
        return set_init(optarg, settings, why);
    case CLI_OPT_WATCHDOG:
        return read_u32("--watchdog", optarg, 1, UINT32_MAX, &settings->config.watchdog, why);
    case CLI_OPT_JSON:
        settings->json = true;
        return TPU_OK;
    default:
        return status_fail(
            why, TPU_REFUSED,
            "%s: option \"%s\" is unknown or lacks its value; see tpucosim %s --help", argv[0],
            argv[optind - 1], argv[0]);
    }
}

tpu_status cli_open_session(const cli_settings *settings, session **out, tpu_message *why) {
    const session_options options = {.engine = settings->engine,
                                     .config = settings->config,
                                     .hang_limit = settings->hang_limit,
                                     .seed = settings->seed};
    return session_open(&options, out, why);
}

tpu_status cli_read_program(const char *path, isa_program *out, tpu_message *why) {
    char *text = NULL;
    tpu_status status = textfile_read(path, &text, NULL, why);
    if (status == TPU_OK) {
        status = assembly_parse(text, path, out, why);
    }
    free(text);
    return status;
}

// "FILE:13x9": where the colon is, and the extents; NULL when the argument is a plain file name.
static const char *find_extents(const char *argument, size_t *rows, size_t *columns) {
    const char *colon = strrchr(argument, ':');
    char *end = NULL;
    if (colon == NULL || colon[1] < '0' || colon[1] > '9') {
        return NULL;
    }
    *rows = strtoul(colon + 1, &end, 10);
    if (*end != 'x' || end[1] < '0' || end[1] > '9') {
        return NULL;
    }
    *columns = strtoul(end + 1, &end, 10);
    return *end == '\0' ? colon : NULL;
}

tpu_status cli_read_matrix(const char *argument, npy_matrix *out, tpu_message *why) {
    char path[PATH_MAX];
    size_t rows = 0;
    size_t columns = 0;
    const char *colon = find_extents(argument, &rows, &columns);
    if (colon == NULL) {
        return npy_read(argument, out, why);
    }
    size_t length = (size_t)(colon - argument);
    if (length >= sizeof path || rows == 0 || columns == 0 || rows > UINT16_MAX ||
        columns > UINT16_MAX) {
        return status_fail(why, TPU_REFUSED, "%s: is not FILE:ROWSxCOLUMNS", argument);
    }
    memcpy(path, argument, length);
    path[length] = '\0';
    return npy_read_raw(path, rows, columns, out, why);
}

static bool has_ending(const char *path, const char *ending) {
    size_t length = strlen(path);
    return length > strlen(ending) && strcmp(path + length - strlen(ending), ending) == 0;
}

tpu_status cli_write_matrix(const char *path, const uint8_t *region, size_t rows, size_t columns,
                            size_t stride, npy_order order, tpu_message *why) {
    const int8_t *data = (const int8_t *)region;
    if (has_ending(path, ".raw") || has_ending(path, ".bin")) {
        return npy_write_raw(path, data, rows, columns, stride, why);
    }
    return npy_write(path, data, rows, columns, stride, order, why);
}

static tpu_status refuse_extent(const char *path, const char *what, size_t is, uint32_t maxdim,
                                tpu_message *why) {
    return status_fail(why, TPU_REFUSED,
                       "%s: %zu %s are %zu more than MAXDIM = %u allows (TPU_MAXDIM)", path, is,
                       what, is - maxdim, maxdim);
}

tpu_status cli_place(const char *path, const npy_matrix *matrix, uint32_t maxdim, uint8_t *region,
                     tpu_message *why) {
    if (matrix->rows > maxdim) {
        return refuse_extent(path, "rows", matrix->rows, maxdim, why);
    }
    if (matrix->columns > maxdim) {
        return refuse_extent(path, "columns", matrix->columns, maxdim, why);
    }
    for (size_t row = 0; row < matrix->rows; row++) {
        memcpy(region + row * maxdim, matrix->data + row * matrix->columns, matrix->columns);
    }
    return TPU_OK;
}
