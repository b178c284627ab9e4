// SPDX-License-Identifier: Apache-2.0
//
// Where else the lanes that came stand. Part of witness.c.

#ifndef WITNESS_PLACE_H
#define WITNESS_PLACE_H

#include "harness/lockstep/shadow.h"
#include "harness/lockstep/witness.h"

/** Sets `moved` and `stale` of `out`, whose `source` is known. */
void witness_place_in_memory(const witness_query *query, const shadow *from, const uint8_t *lanes,
                             witness *out);

/** The same for A and B, where a place is a row and a block of columns. */
void witness_place_in_matrix(const witness_query *query, const uint8_t *lanes, witness *out);

#endif
