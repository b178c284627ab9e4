// SPDX-License-Identifier: Apache-2.0
//
// What the C++ shims share: where the simulated design keeps the probe and the memories, and the
// catch-all of every exported function. Included by the shims only.

#ifndef ENGINE_PINS_H
#define ENGINE_PINS_H

#include "harness/device.h"

#include <cstdint>
#include <cstring>
#include <exception>

/** X(stream constant, name in the probe), in stream order. */
#define ENGINE_PINS_STREAMS(X)                                                                     \
    X(ISSUE, issue)                                                                                \
    X(C_DLD, c_dld)                                                                                \
    X(C_SPM, c_spm)                                                                                \
    X(C_VRU, c_vru)                                                                                \
    X(C_ACC, c_acc)                                                                                \
    X(C_DST, c_dst)                                                                                \
    X(DMA2SP, dma2sp)                                                                              \
    X(DMA2VR, dma2vr)                                                                              \
    X(SP2VR, sp2vr)                                                                                \
    X(WCOL, wcol)                                                                                  \
    X(ACOL, acol)                                                                                  \
    X(CW, cw)                                                                                      \
    X(AC2SP, ac2sp)                                                                                \
    X(SPAD_WRITE, spad_write)                                                                      \
    X(VR_WRITE, vr_write)                                                                          \
    X(AR_WRITE_MM, ar_write_mm)                                                                    \
    X(AR_WRITE_ALU, ar_write_alu)                                                                  \
    X(C_WRITE, c_write)

/** A signal of the wrapper (rtl/top/tpu_engine.sv) in the simulated design. */
#define ENGINE_PINS_PROBE(root, name) ((root).tpu_engine__DOT__probe_##name)

/**
 * Where each stream's row lies in the simulated design: the simulator stores a vector as
 * little-endian words, which is a row's byte order.
 */
template <typename Root> inline void engine_pins_rows(const Root &root, const uint8_t **row) {
#define ENGINE_PINS_ROW(stream, name)                                                              \
    row[TPU_STREAM_##stream] = reinterpret_cast<const uint8_t *>(&ENGINE_PINS_PROBE(root, name));
    ENGINE_PINS_STREAMS(ENGINE_PINS_ROW)
#undef ENGINE_PINS_ROW
}

/** Splits the packed unit states: 8 bits a unit, state in [1:0], wait in [6:2]. */
inline void engine_pins_show_units(uint64_t packed, probe *shown) {
    for (auto &unit : shown->unit) {
        unit.state = packed & 3;
        unit.wait = packed >> 2 & 31;
        packed >>= 8;
    }
}

/** Shows the cycle that the design is in; `row` as engine_pins_rows gave it. */
template <typename Root>
inline void engine_pins_show(const Root &root, const uint8_t *const (&row)[TPU_STREAM_COUNT],
                             probe *shown) {
    shown->fired = ENGINE_PINS_PROBE(root, fired);
    shown->done = ENGINE_PINS_PROBE(root, done);
    std::memcpy(shown->row, row, sizeof row);
    engine_pins_show_units(ENGINE_PINS_PROBE(root, unit), shown);
}

/** Copies rows out of a simulator's arrays: row r is in array r % arrays. Elements may be wider. */
template <typename First, typename... Rest>
inline tpu_status engine_pins_copy(size_t row_bytes, void *data, size_t bytes, tpu_message *why,
                                   const First &first, const Rest &...rest) {
    const First *const bank[] = {&first, &rest...};
    constexpr size_t banks = 1 + sizeof...(Rest);
    constexpr size_t held = banks * (sizeof first / sizeof first[0]);
    if (bytes % row_bytes != 0 || bytes / row_bytes > held) {
        return status_fail(why, TPU_REFUSED, "%zu bytes are no rows of a memory of %zu x %zu bytes",
                           bytes, held, row_bytes);
    }
    for (size_t row = 0; row < bytes / row_bytes; row++) {
        std::memcpy(static_cast<uint8_t *>(data) + row * row_bytes,
                    &(*bank[row % banks])[row / banks], row_bytes);
    }
    return TPU_OK;
}

#if TPU_BUILT_MEMORIES
// Where the RTL keeps its memories: the one place of the harness that knows instance names.
#define ENGINE_PINS_RAM(path)                                                                      \
    (root.tpu_engine__DOT__u_top__DOT__u_core__DOT__##path##__DOT__u_ram__DOT__mem_q)
#define ENGINE_PINS_BANK(b) ENGINE_PINS_RAM(u_accu__DOT__gen_bank__BRA__##b##__KET__)

/** Copies the first rows of an on-chip memory out of the Verilated root. */
template <typename Root>
inline tpu_status engine_pins_read(const Root &root, tpu_mem memory, void *data, size_t bytes,
                                   tpu_message *why) {
    constexpr size_t lanes = TPU_BUILT_T;
    switch (memory) {
    case TPU_MEM_SPAD:
        return engine_pins_copy(lanes, data, bytes, why, ENGINE_PINS_RAM(u_spm__DOT__u_rows));
    case TPU_MEM_VR:
        return engine_pins_copy(lanes, data, bytes, why, ENGINE_PINS_RAM(u_vru__DOT__u_rows));
    case TPU_MEM_AR:
        return engine_pins_copy(4 * lanes, data, bytes, why, ENGINE_PINS_BANK(0),
                                ENGINE_PINS_BANK(1), ENGINE_PINS_BANK(2), ENGINE_PINS_BANK(3));
    default:
        return status_fail(why, TPU_ERR_INTERNAL, "memory %d is not in the machine", memory);
    }
}
#else
/** A netlist keeps no names to read its memories by. */
template <typename Root>
inline tpu_status engine_pins_read(const Root &, tpu_mem, void *, size_t, tpu_message *why) {
    return status_fail(why, TPU_REFUSED, "this engine does not show its on-chip memories");
}
#endif

/** Runs `body`; no exception leaves an exported function. */
template <typename Body> inline tpu_status engine_pins_guard(tpu_message *why, Body body) {
    try {
        return body();
    } catch (const std::exception &error) {
        return status_fail(why, TPU_ERR_ENGINE, "the simulator failed: %s", error.what());
    } catch (...) {
        return status_fail(why, TPU_ERR_ENGINE, "the simulator failed");
    }
}

#endif
