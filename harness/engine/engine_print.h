// SPDX-License-Identifier: Apache-2.0
//
// Put in front of every Verilated source by the build: what the simulator would print (the text of
// a failed assertion) goes to the shim instead, because a library does not print.

#ifndef ENGINE_PRINT_H
#define ENGINE_PRINT_H

extern "C" void engine_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
#define VL_PRINTF engine_print

#endif
