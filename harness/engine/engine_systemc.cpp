// SPDX-License-Identifier: Apache-2.0
//
// The same RTL as a SystemC module under the SystemC kernel: every pin is a signal, the clock is
// toggled through the kernel, and the probe is read from the module's design. The kernel is
// global, so a process holds one such engine in its life.

#include "harness/engine/device.h"
#include "harness/engine/engine_pins.h"
#include "harness/engine/engine_print.h"

#include "Vtpu_engine.h"
#include "Vtpu_engine___024root.h"
#include "verilated.h"
#include "verilated_fst_c.h"

#include <cstdlib>
#include <memory>
#include <systemc.h>

namespace {
// One signal a pin, named as the port it is bound to.
#define PIN(type, name) sc_core::sc_signal<type> name{#name};
#define BIND(type, name) top.name(pins.name);
#define PINS(X)                                                                                    \
    X(bool, clk_i)                                                                                 \
    X(bool, rst_ni)                                                                                \
    X(bool, s_axil_awvalid_i)                                                                      \
    X(uint32_t, s_axil_awaddr_i)                                                                   \
    X(bool, s_axil_wvalid_i)                                                                       \
    X(uint32_t, s_axil_wdata_i)                                                                    \
    X(bool, s_axil_arvalid_i)                                                                      \
    X(uint32_t, s_axil_araddr_i)                                                                   \
    X(bool, m_axi_arready_i)                                                                       \
    X(bool, m_axi_rvalid_i)                                                                        \
    X(sc_dt::sc_bv<512>, m_axi_rdata_i)                                                            \
    X(uint32_t, m_axi_rresp_i)                                                                     \
    X(bool, m_axi_awready_i)                                                                       \
    X(bool, m_axi_wready_i)                                                                        \
    X(bool, m_axi_bvalid_i)                                                                        \
    X(uint32_t, m_axi_bresp_i)                                                                     \
    X(bool, s_axil_awready_o)                                                                      \
    X(bool, s_axil_wready_o)                                                                       \
    X(bool, s_axil_bvalid_o)                                                                       \
    X(uint32_t, s_axil_bresp_o)                                                                    \
    X(bool, s_axil_arready_o)                                                                      \
    X(bool, s_axil_rvalid_o)                                                                       \
    X(uint32_t, s_axil_rdata_o)                                                                    \
    X(uint32_t, s_axil_rresp_o)                                                                    \
    X(bool, irq_o)                                                                                 \
    X(bool, m_axi_arvalid_o)                                                                       \
    X(uint64_t, m_axi_araddr_o)                                                                    \
    X(uint32_t, m_axi_arlen_o)                                                                     \
    X(uint32_t, m_axi_arsize_o)                                                                    \
    X(bool, m_axi_rready_o)                                                                        \
    X(bool, m_axi_awvalid_o)                                                                       \
    X(uint64_t, m_axi_awaddr_o)                                                                    \
    X(uint32_t, m_axi_awlen_o)                                                                     \
    X(uint32_t, m_axi_awsize_o)                                                                    \
    X(bool, m_axi_wvalid_o)                                                                        \
    X(sc_dt::sc_bv<512>, m_axi_wdata_o)                                                            \
    X(uint64_t, m_axi_wstrb_o)                                                                     \
    X(bool, m_axi_wlast_o)                                                                         \
    X(bool, m_axi_bready_o)

struct signals {
    PINS(PIN)
};

struct by_pin {
    template <typename Type, typename Value>
    static void put(sc_core::sc_signal<Type> &pin, Value value) {
        pin.write(static_cast<Type>(value));
    }
    template <typename Type> static Type get(const sc_core::sc_signal<Type> &pin) {
        return pin.read();
    }
};
} // namespace

struct device {
    VerilatedContext context;
    std::unique_ptr<signals> pins;
    std::unique_ptr<Vtpu_engine> top;
    std::unique_ptr<VerilatedFstC> trace;
    const uint8_t *row[TPU_STREAM_COUNT]; // where the model keeps each stream's row
    uint32_t beat[TPU_BUS_BYTES / 4];     // of the write channel
    bool traced;
    tpu_message first; // text of the first failed assertion
};

extern const char *const device_name;
const char *const device_name = TPU_ENGINE_NAME;

// The simulator's message hook has no argument that names the model; see engine_verilator.cpp.
static thread_local device *evaluating;

extern "C" void engine_print(const char *format, ...) {
    va_list args;
    va_start(args, format);
    engine_pins_keep(&evaluating->first, format, args);
    va_end(args);
}

// libsystemc brings a main that calls this, so it must be there; the process has its own main.
__attribute__((visibility("default"))) int sc_main(int, char **) {
    return 0;
}

// The one place where the kernel moves.
static void evaluate(device *self, bool clock, uint64_t time) {
    self->pins->clk_i.write(clock);
    self->context.time(time);
    sc_core::sc_start(sc_core::sc_time(DEVICE_HALF, sc_core::SC_NS));
    if (self->traced && self->trace != nullptr) {
        self->trace->dump(time);
    }
}

static void build(device *self) {
    self->pins = std::make_unique<signals>();
    self->top = std::make_unique<Vtpu_engine>("TOP");
    Vtpu_engine &top = *self->top;
    signals &pins = *self->pins;
    PINS(BIND)
    engine_pins_rows(*top.rootp, self->row);
}

extern "C" tpu_status device_create(engine_init init, uint64_t seed, device **out,
                                    tpu_message *why) noexcept {
    return engine_pins_guard(why, [&] {
        if (sc_core::sc_get_status() != sc_core::SC_ELABORATION) {
            return status_fail(why, TPU_REFUSED,
                               "the SystemC kernel is global: this process has "
                               "had its one SystemC engine");
        }
        setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0); // a library does not print
        auto self = std::make_unique<device>();
        engine_pins_set_up(self->context, init, seed);
        Verilated::threadContextp(&self->context);
        evaluating = self.get();
        build(self.get());
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
        *out = self.release();
        return TPU_OK;
    });
}

extern "C" void device_destroy(device *self) noexcept {
    if (self == nullptr) {
        return;
    }
    device_trace_close(self);
    self->top->final();
    delete self;
}

extern "C" tpu_status device_cycle(device *self, const device_drive *in, device_sample *out,
                                   probe *shown, tpu_message *why) noexcept {
    return engine_pins_guard(why, [&] {
        signals &pins = *self->pins;
        engine_pins_drive<by_pin>(pins, in);
        if (in->memory.r_valid) {
            sc_dt::sc_bv<512> beat;
            uint32_t words[TPU_BUS_BYTES / 4];
            std::memcpy(words, in->memory.r_data, sizeof words);
            for (int i = 0; i < TPU_BUS_BYTES / 4; i++) {
                beat.set_word(i, words[i]);
            }
            pins.m_axi_rdata_i.write(beat);
        }
        self->traced = in->traced;
        evaluate(self, true, in->time);
        evaluate(self, false, in->time + DEVICE_HALF);
        engine_pins_sample<by_pin>(pins, out);
        if (out->memory.w_valid) {
            for (int i = 0; i < TPU_BUS_BYTES / 4; i++) {
                self->beat[i] = static_cast<uint32_t>(pins.m_axi_wdata_o.read().get_word(i));
            }
        }
        out->memory.w_data = reinterpret_cast<const uint8_t *>(self->beat);
        engine_pins_show(*self->top->rootp, self->row, shown);
        return TPU_OK;
    });
}

extern "C" tpu_status device_read(const device *self, tpu_mem which, void *data, size_t bytes,
                                  tpu_message *why) noexcept {
    return engine_pins_guard(
        why, [&] { return engine_pins_read(*self->top->rootp, which, data, bytes, why); });
}

extern "C" uint64_t device_assertions(const device *self, const char **first) noexcept {
    *first = self->first.text;
    return static_cast<uint64_t>(self->context.errorCount());
}

extern "C" tpu_status device_trace_open(device *self, const char *path, tpu_message *why) noexcept {
    return engine_pins_guard(why, [&] {
        device_trace_close(self);
        self->trace = std::make_unique<VerilatedFstC>();
        self->top->trace(self->trace.get(), 0);
        self->trace->open(path);
        return TPU_OK;
    });
}

extern "C" void device_trace_flush(device *self) noexcept {
    if (self->trace != nullptr) {
        self->trace->flush();
    }
}

extern "C" void device_trace_close(device *self) noexcept {
    if (self->trace != nullptr) {
        self->trace->close();
        self->trace.reset();
    }
}
