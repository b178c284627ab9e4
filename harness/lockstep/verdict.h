// SPDX-License-Identifier: Apache-2.0
//
// What a lockstep run found, as plain data: the kind, where and what differs, how much was
// compared, and the signature that must stay the same while a failing program shrinks. A mismatch
// is a result; it never travels as a tpu_status.

#ifndef VERDICT_H
#define VERDICT_H

#include "base/status.h"
#include "csim/isa/isa.h"
#include "harness/engine/engine.h"
#include "harness/engine/probe.h"
#include "spec/generated/tpu_isa.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** How a run ended. */
typedef enum verdict_kind {
    VERDICT_OK,
    VERDICT_MISMATCH, /**< machine, model and oracle do not agree */
    VERDICT_HANG,     /**< the machine stopped moving before its end, or its program has none */
    VERDICT_REFUSED,  /**< the program or a setting is not legal; nothing ran */
    VERDICT_ERROR,    /**< the harness is broken, or looked at the wrong machine */
    VERDICT_KIND_COUNT
} verdict_kind;

/** What kind of difference a MISMATCH or HANG is. */
typedef enum verdict_diff {
    VERDICT_DIFF_NONE,
    VERDICT_DIFF_VALUE,     /**< an event's row is not the expected one */
    VERDICT_DIFF_EXTRA,     /**< an event after the last expected row of its stream */
    VERDICT_DIFF_MISSING,   /**< the run ended before all expected rows were seen */
    VERDICT_DIFF_MEMORY,    /**< final spad, vr or ar */
    VERDICT_DIFF_C_INSIDE,  /**< a cell of C that the program writes */
    VERDICT_DIFF_C_OUTSIDE, /**< a cell of C that the program never writes */
    VERDICT_DIFF_ORACLE,    /**< machine and model agree, the oracle does not */
    VERDICT_DIFF_FAULT,     /**< a legal program raised a fault */
    VERDICT_DIFF_ASSERTION, /**< an RTL assertion failed */
    VERDICT_DIFF_STUCK,     /**< no movement for the limit */
    VERDICT_DIFF_EARLY,     /**< the end was shown while something was still under way */
    VERDICT_DIFF_COUNT
} verdict_diff;

/** Which elements of the first differing row differ. */
typedef enum verdict_pattern {
    VERDICT_PATTERN_NONE,
    VERDICT_PATTERN_FIELD,     /**< a scalar at the head of the row */
    VERDICT_PATTERN_ONE,       /**< one lane */
    VERDICT_PATTERN_SATURATED, /**< only lanes whose expected value is a bound of int8 */
    VERDICT_PATTERN_ALL,       /**< every lane */
    VERDICT_PATTERN_SOME,      /**< several lanes, none of the above */
    VERDICT_PATTERN_COUNT
} verdict_pattern;

/** How the differing elements lie over all rows looked at. */
typedef enum verdict_shape {
    VERDICT_SHAPE_NONE,
    VERDICT_SHAPE_CELL,
    VERDICT_SHAPE_ROW,
    VERDICT_SHAPE_COLUMN,
    VERDICT_SHAPE_DIAGONAL,
    VERDICT_SHAPE_ALL,
    VERDICT_SHAPE_SCATTERED,
    VERDICT_SHAPE_COUNT
} verdict_shape;

/** A neighbouring row that the wrong one equals: names the slip, decides nothing. */
typedef enum verdict_hint {
    VERDICT_HINT_NONE,
    VERDICT_HINT_NEXT,     /**< equals the row expected next: a dropped or swapped event */
    VERDICT_HINT_PREVIOUS, /**< equals the row before: a doubled event */
    VERDICT_HINT_COUNT
} verdict_hint;

/** Who stands alone when machine, model and oracle are asked for the final C. */
typedef enum verdict_vote {
    VERDICT_VOTE_NONE,    /**< not asked */
    VERDICT_VOTE_AGREE,   /**< all that were asked agree */
    VERDICT_VOTE_MACHINE, /**< model and oracle agree */
    VERDICT_VOTE_MODEL,   /**< the oracle does not agree with the model */
    VERDICT_VOTE_ORACLE,  /**< machine and model agree */
    VERDICT_VOTE_SPLIT,   /**< no two agree */
    VERDICT_VOTE_COUNT
} verdict_vote;

/** What must stay the same while a failing program shrinks. -1 = does not apply. */
typedef struct verdict_signature {
    verdict_kind kind;
    verdict_diff diff;
    int stream; /**< tpu_stream */
    int memory; /**< tpu_mem */
    int unit;   /**< tpu_unit to blame */
    int field;  /**< index into the stream's fields */
    verdict_pattern pattern;
    unsigned fault; /**< tpu_rule, 0 = none */
} verdict_signature;

/** One element, for the eye: signed lanes and unsigned scalars both fit. */
typedef struct verdict_element {
    int64_t expected;
    int64_t got;
    uint8_t bytes; /**< width of the element in the row */
} verdict_element;

#define VERDICT_WINDOW 5 /**< rows and lanes shown around the first differing element */
#define VERDICT_RECENT 8 /**< issues remembered */
#define VERDICT_NOTES 6  /**< sentences on what the difference suggests */
#define VERDICT_INPUTS 4 /**< channels that a unit reads, at most */

/** Rows around the first differing one, expected and got. Owns both arrays. */
typedef struct verdict_window {
    uint64_t first; /**< index of row 0 of the window */
    size_t rows;    /**< expected rows, at most VERDICT_WINDOW */
    size_t seen;    /**< got rows, at most `rows`; fewer when the run ended first */
    size_t row_bytes;
    uint8_t *expected; /**< VERDICT_WINDOW * row_bytes */
    uint8_t *got;
} verdict_window;

/** The issue a row belongs to. */
typedef struct verdict_issue {
    bool known; /**< false for rows that the header causes */
    isa_issue issue;
    uint64_t cycle; /**< in which it was issued; 0 = too long ago, or never */
    uint32_t row;   /**< which row of that stream within the issue */
    uint32_t line;  /**< source line, 0 = none */
} verdict_issue;

/** A channel into the blamed unit: all rows in it were right when its wrong row came out. */
typedef struct verdict_input {
    int stream;      /**< tpu_stream */
    uint64_t needed; /**< rows that the wrong row is made from, counted from the first */
    uint64_t seen;   /**< rows pushed by then, each of them compared and right */
} verdict_input;

/** How much was looked at: a run that looked at nothing is not OK. */
typedef struct verdict_counts {
    uint64_t emitted[TPU_STREAM_COUNT];  /**< rows the model gave */
    uint64_t compared[TPU_STREAM_COUNT]; /**< rows really compared */
    uint64_t c_cells;
    uint64_t memory_rows; /**< of spad, vr and ar */
    uint64_t oracle_cells;
} verdict_counts;

/** The whole result. Zero-initialise, end with verdict_clear. */
typedef struct verdict {
    verdict_kind kind;
    verdict_diff diff;
    verdict_pattern pattern;
    verdict_shape shape;
    verdict_hint hint;
    verdict_vote vote;
    int stream; /**< tpu_stream, -1 = none */
    int memory; /**< tpu_mem, -1 = none */
    int unit;   /**< tpu_unit to blame, -1 = unknown */
    int field;  /**< of the stream's fields, -1 = a lane */
    int lane;   /**< first differing lane, -1 = a field */
    int pe_row; /**< processing element, -1 = does not apply */
    int pe_col;
    uint64_t cycle;           /**< at which the difference showed */
    uint64_t row;             /**< index in the stream, or row of the memory */
    uint64_t lanes_differ;    /**< in the first differing row */
    uint64_t elements_differ; /**< in all rows looked at */
    uint64_t elements_seen;
    verdict_element first;
    verdict_window window;
    verdict_issue issue;
    isa_issue recent[VERDICT_RECENT]; /**< oldest first */
    size_t recent_count;
    tpu_message note[VERDICT_NOTES]; /**< what the difference suggests, the strongest first */
    size_t note_count;
    verdict_input input[VERDICT_INPUTS];
    size_t input_count;
    uint32_t beside; /**< bit s: stream s differed in the same cycle too */
    /** HANG: rows that were pushed and that their reader has not answered yet. */
    uint64_t held[TPU_STREAM_COUNT];
    verdict_counts counts;
    probe_unit units[TPU_UNIT_COUNT]; /**< as last seen */
    engine_status status;             /**< as the machine says after the run */
    uint64_t steps;                   /**< cycles stepped */
    uint64_t stream_digest[TPU_STREAM_COUNT];
    uint64_t digest;      /**< of all streams; does not depend on timing */
    tpu_message sentence; /**< what happened, for a person */
} verdict;

/** Makes an OK verdict with nothing in it. */
void verdict_init(verdict *out);

/** Releases the window and sets everything to verdict_init. */
void verdict_clear(verdict *self);

/** Adds a note; one too many is dropped. */
void verdict_note(verdict *self, const char *fmt, ...) TPU_PRINTF(2, 3);

/** Puts a note before the others; the last one is dropped when there is no room. */
void verdict_note_first(verdict *self, const char *fmt, ...) TPU_PRINTF(2, 3);

/** The part that replay and shrink compare. */
verdict_signature verdict_signature_of(const verdict *self);

bool verdict_signature_equal(const verdict_signature *left, const verdict_signature *right);

/** "MISMATCH/value/stream=cw/unit=array/one-lane"; cut when `size` is too small. */
void verdict_signature_format(const verdict_signature *self, char *text, size_t size);

/** Reads what verdict_signature_format wrote. @return TPU_OK or TPU_REFUSED. */
tpu_status verdict_signature_parse(const char *text, verdict_signature *out,
                                   tpu_message *why) TPU_NODISCARD;

/** Exit code of the command line: 0 OK, 1 MISMATCH and HANG, 2 REFUSED, 3 ERROR. */
int verdict_exit_code(verdict_kind kind);

/** Names, static storage; NULL when out of range. */
const char *verdict_kind_name(verdict_kind kind);
const char *verdict_diff_name(verdict_diff diff);
const char *verdict_pattern_name(verdict_pattern pattern);
const char *verdict_shape_name(verdict_shape shape);
const char *verdict_vote_text(verdict_vote vote);
const char *verdict_hint_text(verdict_hint hint);

/** Element of a row: field `field` when >= 0, else lane `lane` (sign-extended). */
int64_t verdict_row_element(tpu_stream stream, const uint8_t *row, int field, int lane);

/**
 * Finds what differs between two rows of a stream: first field or lane, how many lanes, pattern.
 * Sets field, lane, lanes_differ, pattern and first of `out`; touches nothing else.
 * @pre the rows differ.
 */
void verdict_describe_row(verdict *out, tpu_stream stream, const uint8_t *expected,
                          const uint8_t *got, size_t bytes);

#endif
