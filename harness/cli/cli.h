// SPDX-License-Identifier: Apache-2.0
//
// What the cli_*.c files share: settings from environment and options, sentences on stderr, exit
// codes. Only these files print, parse arguments or end the process.

#ifndef CLI_H
#define CLI_H

#include "base/status.h"
#include "csim/isa/isa.h"
#include "harness/engine/engine.h"
#include "harness/io/npy.h"
#include "harness/lockstep/verdict.h"
#include "harness/show/report.h"
#include "harness/suite/session.h"
#include "harness/suite/suite.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>

struct cJSON;

enum { CLI_OK = 0, CLI_DIVERGED = 1, CLI_REFUSED = 2, CLI_BROKEN = 3 };

/** What every command that runs an engine can be told. */
typedef struct cli_settings {
    const char *engine; /**< TPU_ENGINE, --engine */
    engine_config config;
    uint64_t hang_limit;
    uint64_t seed;
    bool json;
} cli_settings;

/** Options of cli_settings, for the end of a command's own list; see cli_take_option. */
#define CLI_SETTING_OPTIONS                                                                        \
    {"engine", required_argument, NULL, CLI_OPT_ENGINE},                                           \
        {"latency", required_argument, NULL, CLI_OPT_LATENCY},                                     \
        {"stall", required_argument, NULL, CLI_OPT_STALL},                                         \
        {"seed", required_argument, NULL, CLI_OPT_SEED},                                           \
        {"timing-seed", required_argument, NULL, CLI_OPT_TIMING_SEED},                             \
        {"init", required_argument, NULL, CLI_OPT_INIT},                                           \
        {"watchdog", required_argument, NULL, CLI_OPT_WATCHDOG},                                   \
        {"json", no_argument, NULL, CLI_OPT_JSON}, {"help", no_argument, NULL, CLI_OPT_HELP}, {    \
        NULL, 0, NULL, 0                                                                           \
    }

/** Text of these options for a command's help. */
#define CLI_SETTING_HELP                                                                           \
    "  --engine KIND     verilator, systemc, netlist or mutants (TPU_ENGINE)\n"                    \
    "  --latency N       cycles from a read address to its data (TPU_AXI_LATENCY), default 1\n"    \
    "  --stall N         chance in 1000 that the memory holds back (TPU_RANDOM_STALL=1: 250)\n"    \
    "  --seed N          of operands, stalls and initial state, default 1\n"                       \
    "  --timing-seed N   of stalls and initial state alone: changes no operand\n"                  \
    "  --init KIND       zeros, ones or random: memories before the first run\n"                   \
    "  --watchdog N      cycles without movement before the machine gives up\n"                    \
    "  --json            JSON on standard output\n"                                                \
    "The machine is the one of TPU_T, TPU_MAXDIM, TPU_SPAD, TPU_NVR, TPU_NAR, TPU_IMEM, TPU_QD,\n" \
    "TPU_DMA_WORDS and TPU_DMA_WIDEN.\n"

enum {
    CLI_OPT_ENGINE = 1000,
    CLI_OPT_LATENCY,
    CLI_OPT_STALL,
    CLI_OPT_SEED,
    CLI_OPT_TIMING_SEED,
    CLI_OPT_INIT,
    CLI_OPT_WATCHDOG,
    CLI_OPT_JSON,
    CLI_OPT_HELP
};

/** Prints "tpucosim: <sentence>" and gives the exit code of the status. */
int cli_fail(tpu_status status, const tpu_message *why);

/** Prints "tpucosim: ..." for a bad command line and gives 2. */
int cli_refuse(const char *fmt, ...) TPU_PRINTF(1, 2);

/** Exit code of a status: refused input and unusable files 2, the rest 3. */
int cli_exit_code(tpu_status status);

/** Settings from the environment. */
tpu_status cli_read_settings(cli_settings *out, tpu_message *why) TPU_NODISCARD;

/**
 * Takes one option of CLI_SETTING_OPTIONS (not --help).
 * @return TPU_OK; TPU_REFUSED also for '?', an unknown option or a missing argument.
 */
tpu_status cli_take_option(int option, char *const *argv, cli_settings *settings,
                           tpu_message *why) TPU_NODISCARD;

/** True when "--NAME" or "--NAME=..." is among the arguments: it makes another command of it. */
bool cli_has_option(int argc, char *const *argv, const char *option);

/** Prints a tree and deletes it. @return TPU_OK or TPU_ERR_MEMORY. */
tpu_status cli_put_json(struct cJSON *root, tpu_message *why) TPU_NODISCARD;

/** A whole number up to `limit`. `name` is for the sentence. */
tpu_status cli_read_number(const char *name, const char *text, uint64_t limit, uint64_t *out,
                           tpu_message *why) TPU_NODISCARD;

/** "verilator" and so on out of settings; opens the session. */
tpu_status cli_open_session(const cli_settings *settings, session **out,
                            tpu_message *why) TPU_NODISCARD;

/** Reads and parses a program text. */
tpu_status cli_read_program(const char *path, isa_program *out, tpu_message *why) TPU_NODISCARD;

/** Puts a matrix into the corner of a region with row stride `maxdim`; refuses a larger one. */
tpu_status cli_place(const char *path, const npy_matrix *matrix, uint32_t maxdim, uint8_t *region,
                     tpu_message *why) TPU_NODISCARD;

/** The line "digits" of the table: the demo's held-out images through machine, model and plain C.
 */
tpu_status cli_digits(void *user, suite *table, tpu_message *why) TPU_NODISCARD;

/**
 * Reads a matrix: a .npy file, or raw bytes as "FILE:ROWSxCOLUMNS".
 */
tpu_status cli_read_matrix(const char *argument, npy_matrix *out, tpu_message *why) TPU_NODISCARD;

/** Writes rows of a region: raw bytes when the name ends in ".raw" or ".bin", else .npy. */
tpu_status cli_write_matrix(const char *path, const uint8_t *region, size_t rows, size_t columns,
                            size_t stride, npy_order order, tpu_message *why) TPU_NODISCARD;

/** Puts a report on standard output, coloured where that is a terminal that shows colours. */
void cli_put_report(const char *text);

/** In GitHub Actions, and nowhere else: a failure as an annotation and in the job's summary. */
void cli_annotate_verdict(const verdict *seen, const report_context *context);

/** The same for a failure that left a directory; "" = it left none. */
void cli_annotate_directory(const char *directory);

/** The same without a report: a sentence about a line of a file. `title` may be NULL. */
void cli_annotate_error(const char *file, unsigned line, const char *title, const char *sentence);

/** The commands; argv[0] is the command's name. */
int cli_run(int argc, char **argv);
int cli_gemm(int argc, char **argv);
int cli_asm(int argc, char **argv);
int cli_disasm(int argc, char **argv);
int cli_check(int argc, char **argv);
int cli_expand(int argc, char **argv);
int cli_limits(int argc, char **argv);
int cli_replay(int argc, char **argv);
int cli_wave(int argc, char **argv);
int cli_explain(int argc, char **argv);
int cli_cosim(int argc, char **argv);
int cli_bench(int argc, char **argv);
int cli_fuzz(int argc, char **argv);
int cli_illegal(int argc, char **argv); /**< fuzz --illegal */
int cli_equal(int argc, char **argv);   /**< fuzz --equal */
int cli_shrink(int argc, char **argv);
int cli_campaign(int argc, char **argv);
int cli_timeline(int argc, char **argv);
int cli_page(int argc, char **argv);
int cli_mutants(int argc, char **argv);
int cli_netmutants(int argc, char **argv);

#endif
