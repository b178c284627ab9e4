// SPDX-License-Identifier: Apache-2.0
//
// Options of fuzz --illegal and fuzz --equal.

#include "harness/cli/cli_bounded.h"

#define SECONDS 10u

enum { OPT_KIND = 1, OPT_SECONDS, OPT_PROGRAMS };

static tpu_status take_option(int option, char *const *argv, const cli_bounded_kind *kind,
                              cli_bounded *to, tpu_message *why) {
    uint64_t number = 0;
    tpu_status status = TPU_OK;
    switch (option) {
    case OPT_KIND:
        return TPU_OK;
    case OPT_SECONDS:
        status = cli_read_number("--seconds", optarg, 100000000, &number, why);
        to->seconds = (double)number;
        return status;
    case OPT_PROGRAMS:
        return cli_read_number("--programs", optarg, kind->most, &to->programs, why);
    case CLI_OPT_HELP:
        to->help = true;
        return TPU_OK;
    case CLI_OPT_LATENCY:
    case CLI_OPT_STALL:
    case CLI_OPT_INIT:
        return status_fail(why, TPU_REFUSED, "%s", kind->drawn);
    default:
        return cli_take_option(option, argv, &to->settings, why);
    }
}

tpu_status cli_bounded_read(int argc, char **argv, const cli_bounded_kind *kind, cli_bounded *out,
                            tpu_message *why) {
    const struct option options[] = {{kind->option, no_argument, NULL, OPT_KIND},
                                     {"seconds", required_argument, NULL, OPT_SECONDS},
                                     {"programs", required_argument, NULL, OPT_PROGRAMS},
                                     CLI_SETTING_OPTIONS};
    int option = 0;
    *out = (cli_bounded){.seconds = SECONDS};
    tpu_status status = cli_read_settings(&out->settings, why);
    out->settings.config.watchdog = kind->watchdog;
    while (status == TPU_OK && (option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        status = take_option(option, argv, kind, out, why);
    }
    if (status == TPU_OK && optind < argc) {
        return status_fail(why, TPU_REFUSED, "fuzz takes no argument \"%s\"", argv[optind]);
    }
    if (status == TPU_OK && out->seconds <= 0 && out->programs == 0) {
        return status_fail(why, TPU_REFUSED, "fuzz: --seconds 0 needs --programs");
    }
    return status;
}
