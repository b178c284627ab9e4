// SPDX-License-Identifier: Apache-2.0
//
// Puts the right checksum and the hash of this spec into the text of a reproducer, so that a change
// of it reaches the checks behind these two, and old files go on being good inputs.

#ifndef RESIGN_H
#define RESIGN_H

/** @return given: free(); NULL when the text is no JSON object. */
char *resign(const char *text);

#endif
