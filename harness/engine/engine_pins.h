// SPDX-License-Identifier: Apache-2.0
//
// What the C++ shims share: where the simulated design keeps the probe and the memories, and the
// catch-all of every exported function. Included by the shims only.

#ifndef ENGINE_PINS_H
#define ENGINE_PINS_H

#include "harness/engine/device.h"

#include <climits>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <type_traits>

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

/**
 * Drives the pins of a cycle. `Access::put` sets a pin of at most 64 bits. The beat is left to the
 * shim, since only there its type is known.
 * @param pins  object whose members are named as the ports of rtl/top/tpu_engine.sv.
 */
template <typename Access, typename Pins>
inline void engine_pins_drive(Pins &pins, const device_drive *in) {
    Access::put(pins.rst_ni, in->rst_n);
    Access::put(pins.s_axil_awvalid_i, in->aw_valid);
    Access::put(pins.s_axil_awaddr_i, in->aw_addr & 0xfff);
    Access::put(pins.s_axil_wvalid_i, in->aw_valid);
    Access::put(pins.s_axil_wdata_i, in->w_data);
    Access::put(pins.s_axil_arvalid_i, in->ar_valid);
    Access::put(pins.s_axil_araddr_i, in->ar_addr & 0xfff);
    Access::put(pins.m_axi_arready_i, in->memory.ar_ready);
    Access::put(pins.m_axi_rvalid_i, in->memory.r_valid);
    Access::put(pins.m_axi_rresp_i, in->memory.r_resp & 3);
    Access::put(pins.m_axi_awready_i, in->memory.aw_ready);
    Access::put(pins.m_axi_wready_i, in->memory.w_ready);
    Access::put(pins.m_axi_bvalid_i, in->memory.b_valid);
    Access::put(pins.m_axi_bresp_i, in->memory.b_resp & 3);
}

/** Reads the pins of a cycle, `memory.w_data` left out. `Access::get` gives a pin's value. */
template <typename Access, typename Pins>
inline void engine_pins_sample(const Pins &pins, device_sample *out) {
    memory_sample &bus = out->memory;
    out->w_ready = Access::get(pins.s_axil_awready_o) && Access::get(pins.s_axil_wready_o);
    out->b_valid = Access::get(pins.s_axil_bvalid_o);
    out->b_resp = static_cast<uint8_t>(Access::get(pins.s_axil_bresp_o));
    out->ar_ready = Access::get(pins.s_axil_arready_o);
    out->r_valid = Access::get(pins.s_axil_rvalid_o);
    out->r_resp = static_cast<uint8_t>(Access::get(pins.s_axil_rresp_o));
    out->r_data = Access::get(pins.s_axil_rdata_o);
    out->irq = Access::get(pins.irq_o);
    bus.ar_valid = Access::get(pins.m_axi_arvalid_o);
    bus.ar_addr = Access::get(pins.m_axi_araddr_o);
    bus.ar_len = static_cast<uint8_t>(Access::get(pins.m_axi_arlen_o));
    bus.ar_size = static_cast<uint8_t>(Access::get(pins.m_axi_arsize_o));
    bus.r_ready = Access::get(pins.m_axi_rready_o);
    bus.aw_valid = Access::get(pins.m_axi_awvalid_o);
    bus.aw_addr = Access::get(pins.m_axi_awaddr_o);
    bus.aw_len = static_cast<uint8_t>(Access::get(pins.m_axi_awlen_o));
    bus.aw_size = static_cast<uint8_t>(Access::get(pins.m_axi_awsize_o));
    bus.w_valid = Access::get(pins.m_axi_wvalid_o);
    bus.w_strb = Access::get(pins.m_axi_wstrb_o);
    bus.w_last = Access::get(pins.m_axi_wlast_o);
    bus.b_ready = Access::get(pins.m_axi_bready_o);
}

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

/**
 * Splits the packed unit states (8 bits a unit: state in [1:0], wait in [6:2]) into the bytes of
 * probe_unit, four units at a time.
 */
inline void engine_pins_show_units(uint64_t packed, probe *shown) {
    static_assert(sizeof(probe_unit) == 2 && sizeof shown->unit == 14, "state, wait, no padding");
    uint64_t pairs[2];
    for (int half = 0; half < 2; half++) {
        uint64_t spread = packed >> 32 * half & 0xffffffff;
        spread = (spread | spread << 16) & 0x0000ffff0000ffff;
        spread = (spread | spread << 8) & 0x00ff00ff00ff00ff;
        pairs[half] = (spread & 0x0003000300030003) | (spread << 6 & 0x1f001f001f001f00);
    }
    std::memcpy(shown->unit, pairs, sizeof shown->unit);
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

// Where the machine keeps its memories: the one place of the harness that knows instance names.
#define ENGINE_PINS_CORE(name) (root.tpu_engine__DOT__u_top__DOT__u_core__DOT__##name)
#if TPU_BUILT_NETLIST
// ci/netlist gives them these names.
#define ENGINE_PINS_SPAD ENGINE_PINS_CORE(mem_spad)
#define ENGINE_PINS_VR ENGINE_PINS_CORE(mem_vr)
#define ENGINE_PINS_BANK(b) ENGINE_PINS_CORE(mem_ar##b)
#else
#define ENGINE_PINS_RAM(path) ENGINE_PINS_CORE(path##__DOT__u_ram__DOT__mem_q)
#define ENGINE_PINS_SPAD ENGINE_PINS_RAM(u_spm__DOT__u_rows)
#define ENGINE_PINS_VR ENGINE_PINS_RAM(u_vru__DOT__u_rows)
#define ENGINE_PINS_BANK(b) ENGINE_PINS_RAM(u_accu__DOT__gen_bank__BRA__##b##__KET__)
#endif

/** Copies the first rows of an on-chip memory out of the Verilated root. */
template <typename Root>
inline tpu_status engine_pins_read(const Root &root, tpu_mem which, void *data, size_t bytes,
                                   tpu_message *why) {
    constexpr size_t lanes = TPU_BUILT_T;
    switch (which) {
    case TPU_MEM_SPAD:
        return engine_pins_copy(lanes, data, bytes, why, ENGINE_PINS_SPAD);
    case TPU_MEM_VR:
        return engine_pins_copy(lanes, data, bytes, why, ENGINE_PINS_VR);
    case TPU_MEM_AR:
        return engine_pins_copy(4 * lanes, data, bytes, why, ENGINE_PINS_BANK(0),
                                ENGINE_PINS_BANK(1), ENGINE_PINS_BANK(2), ENGINE_PINS_BANK(3));
    default:
        return status_fail(why, TPU_ERR_INTERNAL, "memory %d is not in the machine", which);
    }
}

/** Wakes the planted fault that TPU_MUTANT numbers, before the first evaluation; none otherwise. */
template <typename Root> inline void engine_pins_plant([[maybe_unused]] Root &root) {
#if TPU_BUILT_MUTANTS
    const char *number = std::getenv("TPU_MUTANT");
    const unsigned long chosen = number != nullptr ? std::strtoul(number, nullptr, 10) : 0;
    auto &at = ENGINE_PINS_CORE(mutsel);
    at = static_cast<std::remove_reference_t<decltype(at)>>(chosen);
#endif
}

/** How many triggers a design's code has. */
template <template <std::size_t> class Vector, std::size_t Count>
constexpr std::size_t engine_pins_triggers(const Vector<Count> *) {
    return Count;
}

/**
 * Notes a falling clock edge without an evaluation, which then would find nothing to do.
 * @return false where the simulator's code has another shape, or where more edges count than the
 *         rising one and that of the reset: then the falling edge wants evaluating.
 */
template <typename Root>
inline auto engine_pins_fall(Root &root, int)
    -> decltype(root.__Vtrigrprev__TOP__clk_i, engine_pins_triggers(&root.__VactTriggered) == 2) {
    constexpr std::size_t rising_and_reset = 2;
    if (engine_pins_triggers(&root.__VactTriggered) != rising_and_reset) {
        return false;
    }
    root.clk_i = 0;
    root.__Vtrigrprev__TOP__clk_i = 0;
    return true;
}

/** For any other design. */
template <typename Root> inline bool engine_pins_fall(Root &, long) {
    return false;
}

/** How a context is set before its model is built. */
template <typename Context>
inline void engine_pins_set_up(Context &context, engine_init init, uint64_t seed) {
    context.fatalOnError(false);
    context.errorLimit(INT_MAX);
    context.assertOn(true);
    context.traceEverOn(true);
    context.randReset(static_cast<int>(init)); // zeros 0, ones 1, random 2: Verilator's own codes
    context.randSeed(static_cast<int>(seed % (INT_MAX - 1u)) + 1); // 0 would mean the clock
}

/** Keeps the first line that the simulator prints, which is the first failed assertion. */
inline void engine_pins_keep(tpu_message *first, const char *format, va_list args) {
    if (first->text[0] == '\0') {
        std::vsnprintf(first->text, sizeof first->text, format, args);
        first->text[std::strcspn(first->text, "\n")] = '\0';
    }
}

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
