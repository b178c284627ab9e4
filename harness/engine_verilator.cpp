// SPDX-License-Identifier: Apache-2.0
//
// The Verilated machine as a device: its pins, its probe ports, its memories, its trace. Nothing
// is decided here; engine_host.c drives it.

#include "harness/device.h"
#include "harness/engine_pins.h"

#include "Vtpu_engine.h"
#include "Vtpu_engine___024root.h"
#include "verilated.h"
#include "verilated_fst_c.h"

#include <climits>
#include <cstdarg>
#include <cstdio>
#include <memory>
#include <new>

struct device {
    VerilatedContext context;
    std::unique_ptr<Vtpu_engine> top;
    std::unique_ptr<VerilatedFstC> trace;
    const uint8_t *row[TPU_STREAM_COUNT];
    bool traced;
    tpu_message first; // text of the first failed assertion
};

extern const char *const device_name;
const char *const device_name = TPU_ENGINE_NAME;

// The simulator's message hook has no argument that names the model, so the model that evaluates
// on this thread is noted here.
static thread_local device *evaluating;

extern "C" void engine_print(const char *format, ...) {
    if (evaluating == nullptr || evaluating->first.text[0] != '\0') {
        return;
    }
    va_list args;
    va_start(args, format);
    std::vsnprintf(evaluating->first.text, sizeof evaluating->first.text, format, args);
    va_end(args);
    evaluating->first.text[std::strcspn(evaluating->first.text, "\n")] = '\0';
}

// The one place where the model moves.
static void evaluate(device *self, uint64_t time) {
    Verilated::threadContextp(&self->context);
    evaluating = self;
    self->context.time(time);
    self->top->eval();
    evaluating = nullptr;
    if (self->traced && self->trace != nullptr) {
        self->trace->dump(time);
    }
}

static void drive(Vtpu_engine *top, const device_drive *in) {
    top->rst_ni = in->rst_n;
    top->s_axil_awvalid_i = in->aw_valid;
    top->s_axil_awaddr_i = in->aw_addr & 0xfff;
    top->s_axil_wvalid_i = in->aw_valid;
    top->s_axil_wdata_i = in->w_data;
    top->s_axil_arvalid_i = in->ar_valid;
    top->s_axil_araddr_i = in->ar_addr & 0xfff;
    top->m_axi_arready_i = in->memory.ar_ready;
    top->m_axi_rvalid_i = in->memory.r_valid;
    if (in->memory.r_valid) {
        std::memcpy(&top->m_axi_rdata_i, in->memory.r_data, TPU_BUS_BYTES);
        top->m_axi_rresp_i = in->memory.r_resp & 3;
    }
    top->m_axi_awready_i = in->memory.aw_ready;
    top->m_axi_wready_i = in->memory.w_ready;
    top->m_axi_bvalid_i = in->memory.b_valid;
    top->m_axi_bresp_i = in->memory.b_resp & 3;
}

static void sample(const Vtpu_engine *top, device_sample *out) {
    out->w_ready = top->s_axil_awready_o & top->s_axil_wready_o;
    out->b_valid = top->s_axil_bvalid_o;
    out->b_resp = top->s_axil_bresp_o;
    out->ar_ready = top->s_axil_arready_o;
    out->r_valid = top->s_axil_rvalid_o;
    out->r_resp = top->s_axil_rresp_o;
    out->r_data = top->s_axil_rdata_o;
    out->irq = top->irq_o;
    memory_sample &bus = out->memory;
    bus.ar_valid = top->m_axi_arvalid_o;
    bus.ar_addr = top->m_axi_araddr_o;
    bus.ar_len = top->m_axi_arlen_o;
    bus.ar_size = top->m_axi_arsize_o;
    bus.r_ready = top->m_axi_rready_o;
    bus.aw_valid = top->m_axi_awvalid_o;
    bus.aw_addr = top->m_axi_awaddr_o;
    bus.aw_len = top->m_axi_awlen_o;
    bus.aw_size = top->m_axi_awsize_o;
    bus.w_valid = top->m_axi_wvalid_o;
    bus.w_data = reinterpret_cast<const uint8_t *>(&top->m_axi_wdata_o);
    bus.w_strb = top->m_axi_wstrb_o;
    bus.w_last = top->m_axi_wlast_o;
    bus.b_ready = top->m_axi_bready_o;
}

static void set_up(device *self, engine_init init, uint64_t seed) {
    VerilatedContext &context = self->context;
    Verilated::threadContextp(&context);
    context.fatalOnError(false);
    context.errorLimit(INT_MAX);
    context.assertOn(true);
    context.traceEverOn(true);
    context.randReset(static_cast<int>(init)); // zeros 0, ones 1, random 2: Verilator's own codes
    context.randSeed(static_cast<int>(seed % (INT_MAX - 1u)) + 1); // 0 would mean the clock
    self->top = std::make_unique<Vtpu_engine>(&context, "TOP");
    self->top->clk_i = 0;
    self->top->rst_ni = 0;
    engine_pins_rows(*self->top->rootp, self->row);
}

extern "C" tpu_status device_create(engine_init init, uint64_t seed, device **out,
                                    tpu_message *why) noexcept {
    return engine_pins_guard(why, [&] {
        auto self = std::make_unique<device>();
        set_up(self.get(), init, seed);
        *out = self.release();
        return TPU_OK;
    });
}

extern "C" void device_destroy(device *self) noexcept {
    if (self == nullptr) {
        return;
    }
    device_trace_close(self);
    Verilated::threadContextp(&self->context);
    self->top->final();
    delete self;
}

extern "C" tpu_status device_cycle(device *self, const device_drive *in, device_sample *out,
                                   probe *shown, tpu_message *why) noexcept {
    return engine_pins_guard(why, [&] {
        Vtpu_engine *const top = self->top.get();
        drive(top, in);
        self->traced = in->traced;
        top->clk_i = 1;
        evaluate(self, in->time);
        top->clk_i = 0;
        evaluate(self, in->time + DEVICE_HALF);
        sample(top, out);
        engine_pins_show(*top->rootp, self->row, shown);
        return TPU_OK;
    });
}

extern "C" tpu_status device_read(const device *self, tpu_mem memory, void *data, size_t bytes,
                                  tpu_message *why) noexcept {
    return engine_pins_guard(
        why, [&] { return engine_pins_read(*self->top->rootp, memory, data, bytes, why); });
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

extern "C" void device_trace_close(device *self) noexcept {
    if (self->trace != nullptr) {
        self->trace->close();
        self->trace.reset();
    }
}
