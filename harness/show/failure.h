// SPDX-License-Identifier: Apache-2.0
//
// What a failure leaves: one directory with everything that a person or a script needs to see it
// again and to look into it. Every command that can find something writes it here.

#ifndef FAILURE_H
#define FAILURE_H

#include "base/status.h"
#include "harness/engine/engine.h"
#include "harness/lockstep/verdict.h"
#include "harness/replay/reproducer.h"

#include <stddef.h>

/** Files of a failure directory. */
#define FAILURE_REPRODUCER "repro.json"   /**< tpucosim replay runs it, to the cycle */
#define FAILURE_PROGRAM "program.s"       /**< of the failing run */
#define FAILURE_REPORT "report.txt"       /**< one screen */
#define FAILURE_REPORT_JSON "report.json" /**< the same for a script */
#define FAILURE_WAVE "window.fst"         /**< with window.gtkw and window.sucl */
#define FAILURE_TIMELINE "timeline.json"  /**< with timeline.kanata */
#define FAILURE_PAGE "report.html"        /**< all of it for a browser */

/** Cycles of the wave window before and after the first difference. */
#define FAILURE_BEFORE 200u
#define FAILURE_AFTER 50u

/** Room for a directory's name. */
#define FAILURE_NAME_MAX 128u

/**
 * Name of the directory of a signature: what it says of itself, in small letters. Parts that do not
 * apply are left out.
 */
void failure_name(const char *signature, char *text, size_t size);

/** One failure. Everything is borrowed. */
typedef struct failure {
    const reproducer *repro; /**< its last run fails; expectations are set */
    const engine_api *api;   /**< to run it once more; an engine that can exist once is not */
    const verdict *seen;     /**< as it was found; shown when the second run shows another */
    const char *source;      /**< file of the program, for "file:line"; NULL = none */
} failure;

/**
 * Writes the directory. What needs a second run (wave, timeline, page) is left out, and report.txt
 * says why, when there can be none; the reproducer and the reports are always there.
 * @return TPU_OK; TPU_ERR_IO, TPU_ERR_MEMORY.
 */
tpu_status failure_write(const failure *of, const char *directory, tpu_message *why) TPU_NODISCARD;

#endif
