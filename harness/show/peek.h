// SPDX-License-Identifier: Apache-2.0
//
// Looks at the partial sums inside the array, as the machine's own waveform shows them, on their
// way to the first wrong row of cw: the first element whose sum is not what it must be, while the
// one above it is right, is at fault.

#ifndef PEEK_H
#define PEEK_H

#include "base/status.h"
#include "harness/replay/recording.h"

#include <stdint.h>

/** Elements whose sum is wrong while the one from above is right. */
typedef struct peek {
    int row; /**< of the first of them, in the leftmost column that is wrong; -1 = none */
    int col;
    unsigned others; /**< in other columns, at other rows of the array */
    int32_t expected;
    int32_t got;
} peek;

/**
 * Reads the sums of the row that the verdict names.
 * @param from  a window that holds the whole mm; its verdict is a wrong row of cw.
 * @param wave  waveform of that window, as wave_write_window leaves it.
 * @return TPU_OK; TPU_REFUSED when there is nothing to look at: another verdict, a waveform without
 *         the array, a window that begins too late; TPU_ERR_MEMORY.
 */
tpu_status peek_array(const recording *from, const char *wave, peek *out,
                      tpu_message *why) TPU_NODISCARD;

/** The same, put into the verdict of the recording: its element, and a note before all others. */
void peek_into(recording *from, const char *wave);

#endif
