// SPDX-License-Identifier: Apache-2.0
//
// The command line of a way to fuzz that draws everything for itself and ends after a time or a
// number of programs: fuzz --illegal and fuzz --equal.

#ifndef CLI_BOUNDED_H
#define CLI_BOUNDED_H

#include "harness/cli/cli.h"

#include <stdbool.h>
#include <stdint.h>

/** What one of them is like. Strings are static. */
typedef struct cli_bounded_kind {
    const char *option; /**< that selects it, without dashes */
    uint32_t watchdog;  /**< cycles without movement, when nothing is said */
    uint64_t most;      /**< programs that may be asked for */
    const char *drawn;  /**< sentence for --latency, --stall and --init, which are refused */
} cli_bounded_kind;

/** What was asked for. */
typedef struct cli_bounded {
    cli_settings settings;
    double seconds;    /**< 0 = until `programs` are done */
    uint64_t programs; /**< 0 = no limit; never both 0 */
    bool help;
} cli_bounded;

/** @return TPU_OK or TPU_REFUSED. */
tpu_status cli_bounded_read(int argc, char **argv, const cli_bounded_kind *kind, cli_bounded *out,
                            tpu_message *why) TPU_NODISCARD;

#endif
