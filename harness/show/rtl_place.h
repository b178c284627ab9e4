// SPDX-License-Identifier: Apache-2.0
//
// Where in the RTL to begin reading: the file of the blamed unit and the line in which it drives
// the stream that differs.

#ifndef RTL_PLACE_H
#define RTL_PLACE_H

#include <stddef.h>

/** A file from the root of the repository and a line in it. */
typedef struct rtl_place {
    char file[64];
    unsigned line; /**< 1 when the file is not there to be read, or no stream is given */
} rtl_place;

/**
 * @param unit    tpu_unit; -1 gives an empty file name.
 * @param stream  tpu_stream that differs, -1 = none.
 * @param field   of its fields, -1 = a lane.
 */
void rtl_place_find(int unit, int stream, int field, rtl_place *out);

#endif
