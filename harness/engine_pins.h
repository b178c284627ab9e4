// SPDX-License-Identifier: Apache-2.0
//
// What the C++ shims share: the list of streams with their port names, the copies from ports to
// probe rows, and the catch-all of every exported function. Included by the shims only.

#ifndef ENGINE_PINS_H
#define ENGINE_PINS_H

#include "harness/device.h"

#include <cstdint>
#include <cstring>
#include <exception>

/** X(stream constant, port stem), in stream order. */
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

/** Room for one row of any stream, padded to the simulator's words. */
struct engine_pins_row {
    alignas(8) uint8_t byte[TPU_STREAM_HEAD_MAX + 4 * TPU_BUILT_T + 8];
};

/** The rows of one cycle. */
struct engine_pins_rows {
    engine_pins_row stream[TPU_STREAM_COUNT];
};

/** Copies a port's storage (whole simulator words) into its row and shows it. */
template <typename Port>
inline void engine_pins_show(engine_pins_rows &rows, tpu_stream stream, const Port &port,
                             probe *shown) {
    static_assert(sizeof port <= sizeof rows.stream[0].byte, "a row is wider than its buffer");
    std::memcpy(rows.stream[stream].byte, &port, sizeof port);
    shown->row[stream] = rows.stream[stream].byte;
}

/** Splits the packed unit states: 8 bits a unit, state in [1:0], wait in [6:2]. */
inline void engine_pins_show_units(uint64_t packed, probe *shown) {
    for (auto &unit : shown->unit) {
        unit.state = packed & 3;
        unit.wait = packed >> 2 & 31;
        packed >>= 8;
    }
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
#define ENGINE_PINS_RAM(path) (root.tpu_top__DOT__u_core__DOT__##path##__DOT__u_ram__DOT__mem_q)
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
