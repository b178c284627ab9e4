// SPDX-License-Identifier: Apache-2.0
//
// What lockstep_begin.c (before a run), lockstep.c (the run), settle.c (the end of a run), blame.c
// (what a difference means), blame_hang.c (a standstill) and blame_why.c (what it suggests) share.
// Nobody else includes this.

#ifndef LOCKSTEP_INTERNAL_H
#define LOCKSTEP_INTERNAL_H

#include "harness/lockstep/expected.h"
#include "harness/lockstep/lockstep.h"
#include "harness/lockstep/verdict.h"

/** Issues whose cycle is remembered: more than can be under way at once. */
#define LOCKSTEP_ISSUED 4096u

struct lockstep {
    const engine_api *api;
    engine *device;
    tpu_params params;
    expected *model;
    uint8_t *machine_c; // params_region_bytes each
    uint8_t *model_c;
    uint8_t *oracle_c;
    uint8_t *buffer; // holds any on-chip memory
    bool identified; // the machine has said what it is
    bool synced;     // on-chip memories of machine and model are known to be equal
    const lockstep_job *job;
    verdict *out;
    uint32_t late;                    // bit s: stream s moved after the end
    tpu_message assertion;            // that failed first; "" = none
    uint64_t last_event;              // cycle of the last event, or of a walk to the next one
    uint64_t last_row;                // cycle of the last event
    bool astray;                      // the sequencer walks farther than the model does
    uint64_t now;                     // cycle stepped last
    uint64_t shown[TPU_STREAM_COUNT]; // rows that the onlooker has seen
    uint64_t issued[LOCKSTEP_ISSUED]; // cycle of each of the last issues
    probe_unit stall[TPU_UNIT_COUNT]; // in the last pause; a watchdog's end shows them idle again
};

/** Cycles without an event after which the units' states are noted. */
#define LOCKSTEP_PAUSE 16u

/** Bytes of an on-chip memory. */
size_t lockstep_memory_bytes(const lockstep *self, tpu_mem memory);

/**
 * Looks at the job, asks the machine who it is, loads program and operands on both sides, and
 * starts the run.
 * @return TPU_OK; TPU_REFUSED for a job that cannot be; TPU_ERR_ENGINE for the wrong machine.
 */
tpu_status lockstep_begin(lockstep *self, tpu_message *why) TPU_NODISCARD;

/** One more cycle, shown to the onlookers and compared with nothing. */
tpu_status lockstep_step(lockstep *self, probe *seen, tpu_message *why) TPU_NODISCARD;

/** Cycle in which an issue was seen; 0 = not remembered. */
uint64_t lockstep_issue_cycle(const lockstep *self, uint64_t seq);

/** The rows of this stream are compared in this job. */
bool lockstep_watches(const lockstep *self, tpu_stream stream);

/** Ends the run as ERROR or REFUSED, as `status` says. */
void lockstep_give_up(lockstep *self, tpu_status status, const tpu_message *why);

/** After done: status, missing rows, memories, C, oracle, counts. */
void settle_run(lockstep *self);

/** The stream whose first missing row comes earliest in the program; -1 = none. */
int settle_first_missing(lockstep *self);

/** Copies the counts of the model into the verdict. */
void settle_counts(lockstep *self);

/** Asks the oracle who stands alone; `have_machine`: machine_c is the C of an ended run. */
void settle_vote(lockstep *self, bool have_machine);

/** An event that is not the expected row; steps on for a while to see how far it reaches. */
void blame_value(lockstep *self, const probe *seen, tpu_stream stream, const uint8_t *got);

/** An event that no expected row is left for. */
void blame_extra(lockstep *self, const probe *seen, tpu_stream stream, const uint8_t *got);

/** The run ended with expected rows left. `stream` is the one to name. */
void blame_missing(lockstep *self, tpu_stream stream);

/**
 * Fills in notes, inputs and processing element of the row that the verdict names.
 * @param got  rows of its stream as they came, from that row on; NULL and 0 when none came.
 */
void blame_why(lockstep *self, const uint8_t *got, size_t rows);

/** A memory after the run. C has several blocks of T lanes in a row, the others one. */
typedef struct blame_contents {
    tpu_mem memory;
    const uint8_t *want;
    const uint8_t *got;
    const uint8_t *before; // the run
    size_t bytes;
    size_t block; // bytes of T lanes
    size_t lane_bytes;
    size_t at; // of the first wrong lane, in bytes
} blame_contents;

/** Notes on a memory that is not as expected. */
void blame_why_memory(const lockstep *self, const blame_contents *of);

/** The row that some unit owes and whose inputs are all there, and the unit. */
typedef struct blame_debt {
    int stream; // tpu_stream, -1 = no row is owed
    int unit;   // tpu_unit
} blame_debt;

/** Goes from an owed row to the unit that could give it, or must make room for it. */
blame_debt blame_follow(lockstep *self, int stream, const probe_unit units[TPU_UNIT_COUNT]);

/** No movement any more: which unit holds the others up. */
void blame_stuck(lockstep *self);

/** A fault in a legal program: where the program stood by then, and whether it is legal. */
void blame_fault(lockstep *self);

/** A failed assertion and nothing else. `text` is what the RTL says, "" = nothing. */
void blame_assertion(lockstep *self, const char *text);

/** The end was shown while `unit` was at work. */
void blame_early(lockstep *self, int unit);

/** The machine does not take a start, `seen` is the answer's cycle: the end before came too early.
 */
void blame_refused(lockstep *self, const probe *seen);

/** Fills in the issue that a row belongs to, and the last issues seen. */
void blame_issue(lockstep *self, const expected_row *row);

/** Memory contents: `want` and `got` are `rows` rows of the stream's lanes without head. */
void blame_memory(lockstep *self, tpu_mem memory, const uint8_t *want, const uint8_t *got,
                  size_t rows, size_t lanes, size_t lane_bytes);

#endif
