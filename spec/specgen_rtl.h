// SPDX-License-Identifier: Apache-2.0
//
// Holds the RTL to the generated package: every tpu_isa_pkg::NAME it uses exists, and no
// instruction word is cut with literal bounds.

#ifndef SPECGEN_RTL_H
#define SPECGEN_RTL_H

#include "base/status.h"

#include <stddef.h>

/**
 * Reads every .sv file under `root`/rtl. @param package  text of tpu_isa_pkg.sv, borrowed.
 * @param[out] files  how many files were read.
 * @return TPU_REFUSED with file and line of the first breach, or when there is no file at all.
 */
tpu_status specgen_rtl_check(const char *root, const char *package, size_t *files,
                             tpu_message *why) TPU_NODISCARD;

/** The same for one text; `name` is used in the sentence. */
tpu_status specgen_rtl_check_text(const char *name, const char *text, const char *package,
                                  tpu_message *why) TPU_NODISCARD;

#endif
