// SPDX-License-Identifier: Apache-2.0
//
// specgen without the C code of the ISA: builds even when that code does not, so that the
// generated files can always be written again.

#include "spec/specgen_run.h"

int main(int argc, char *argv[]) {
    return specgen_run(argc, argv, NULL, stdout, stderr);
}
