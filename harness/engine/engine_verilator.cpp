// SPDX-License-Identifier: Apache-2.0
//
// The Verilated machine as a device: its clock, its pins, its probe, its memories, its trace.
// Nothing is decided here; engine_host.c drives it.

#include "harness/engine/device.h"
#include "harness/engine/engine_pins.h"
#include "harness/engine/engine_print.h"

#include "Vtpu_engine.h"
#include "Vtpu_engine___024root.h"
#include "verilated.h"
#if TPU_BUILT_TRACE
#include "verilated_fst_c.h"
#endif

#include <memory>

#if !TPU_BUILT_TRACE
// A lean build has no trace; this one opens nothing.
class VerilatedFstC {
  public:
    void open(const char *) {
    }
    void dump(uint64_t) {
    }
    void flush() {
    }
    void close() {
    }
};
#endif

struct device {
    VerilatedContext context;
    std::unique_ptr<Vtpu_engine> top;
    std::unique_ptr<VerilatedFstC> trace;
    const uint8_t *row[TPU_STREAM_COUNT]; // where the model keeps each stream's row
    bool traced;
    tpu_message first; // text of the first failed assertion
};

extern const char *const device_name;
const char *const device_name = TPU_ENGINE_NAME;

// The simulator's message hook has no argument that names the model, so the model that evaluates
// on this thread is noted here.
static thread_local device *evaluating;

extern "C" void engine_print(const char *format, ...) {
    va_list args;
    va_start(args, format);
    engine_pins_keep(&evaluating->first, format, args);
    va_end(args);
}

namespace {
struct by_pin {
    template <typename Pin, typename Value> static void put(Pin &pin, Value value) {
        pin = static_cast<Pin>(value);
    }
    template <typename Pin> static Pin get(const Pin &pin) {
        return pin;
    }
};
} // namespace

static void enter(device *self) {
    Verilated::threadContextp(&self->context);
    evaluating = self;
}

// The one place where the model moves.
static void evaluate(device *self, bool clock, uint64_t time) {
    self->top->clk_i = clock;
    self->context.time(time);
    self->top->eval();
    if (self->traced && self->trace != nullptr) {
        self->trace->dump(time);
    }
}

extern "C" tpu_status device_create(engine_init init, uint64_t seed, device **out,
                                    tpu_message *why) noexcept {
    return engine_pins_guard(why, [&] {
        auto self = std::make_unique<device>();
        engine_pins_set_up(self->context, init, seed);
        enter(self.get());
        self->top = std::make_unique<Vtpu_engine>(&self->context, "TOP");
        engine_pins_plant(*self->top->rootp);
        // The first evaluation only settles: without it the first rising edge would not be seen,
        // and random state would drive the bus for a cycle.
        self->top->rst_ni = 0;
        evaluate(self.get(), false, 0);
        engine_pins_rows(*self->top->rootp, self->row);
        *out = self.release();
        return TPU_OK;
    });
}

extern "C" void device_destroy(device *self) noexcept {
    if (self == nullptr) {
        return;
    }
    enter(self);
    device_trace_close(self);
    self->top->final();
    delete self;
}

extern "C" tpu_status device_cycle(device *self, const device_drive *in, device_sample *out,
                                   probe *shown, tpu_message *why) noexcept {
    return engine_pins_guard(why, [&] {
        Vtpu_engine &top = *self->top;
        enter(self);
        engine_pins_drive<by_pin>(top, in);
        if (in->memory.r_valid) {
            std::memcpy(&top.m_axi_rdata_i, in->memory.r_data, TPU_BUS_BYTES);
        }
        self->traced = in->traced;
        evaluate(self, true, in->time);
        // Only a trace sees the falling edge (docs/adr/0016).
        if (in->traced || !engine_pins_fall(*top.rootp, 0)) {
            evaluate(self, false, in->time + DEVICE_HALF);
        }
        engine_pins_sample<by_pin>(top, out);
        out->memory.w_data = reinterpret_cast<const uint8_t *>(&top.m_axi_wdata_o);
        engine_pins_show(*top.rootp, self->row, shown);
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
    if (!TPU_BUILT_TRACE) {
        return status_fail(why, TPU_REFUSED,
                           "this engine was built without a trace (TPU_LEAN), so it writes no %s",
                           path);
    }
    return engine_pins_guard(why, [&] {
        enter(self); // the time unit is that of the thread's context
        device_trace_close(self);
        self->trace = std::make_unique<VerilatedFstC>();
#if TPU_BUILT_TRACE
        self->top->trace(self->trace.get(), 0);
#endif
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
