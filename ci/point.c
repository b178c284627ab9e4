// SPDX-License-Identifier: Apache-2.0
//
// tpu_point: reads the build parameters from the environment, refuses an illegal combination with
// exit code 2, and prints the point as shell assignments for ci/engine. So nothing is verilated
// for a machine that the spec does not allow.

#include "csim/isa/params.h"
#include "harness/engine/loader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int refuse(const char *sentence) {
    (void)fprintf(stderr, "tpu_point: %s\n", sentence);
    return 2;
}

int main(void) {
    const char *kind = getenv("TPU_ENGINE");
    if (kind == NULL || kind[0] == '\0') {
        kind = "verilator";
    }
    if (strcmp(kind, "verilator") != 0 && strcmp(kind, "systemc") != 0 &&
        strcmp(kind, "netlist") != 0 && strcmp(kind, "mutants") != 0) {
        return refuse("TPU_ENGINE must be verilator, systemc, netlist or mutants");
    }
    tpu_params params;
    tpu_message why;
    if (params_from_env(NULL, &params, &why) != TPU_OK) {
        return refuse(why.text);
    }
    char file[256];
    loader_file_name(kind, &params, file, sizeof file);
    const uint32_t value[TPU_PARAM_COUNT] = {params.t,   params.maxdim,   params.spad_rows,
                                             params.nvr, params.nar,      params.imem_size,
                                             params.qd,  params.dma_words};
    (void)printf("kind=%s\nfile=%s\ndefines=(", kind, file);
    for (size_t i = 0; i < TPU_PARAM_COUNT; i++) {
        (void)printf(" -D%s=%u", tpu_param_infos[i].env, (unsigned)value[i]);
    }
    (void)printf(" )\n");
    return 0;
}
