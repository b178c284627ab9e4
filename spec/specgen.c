// SPDX-License-Identifier: Apache-2.0
//
// The spec generator: validates spec/isa_spec.json, writes spec/generated, and checks that the
// C code, the RTL and the generated files agree with it.

#include "spec/specgen_drift.h"
#include "spec/specgen_run.h"

int main(int argc, char *argv[]) {
    return specgen_run(argc, argv, specgen_drift_check, stdout, stderr);
}
