// SPDX-License-Identifier: Apache-2.0
//
// Design. Every channel is a ring in order of acceptance; an answer leaves its ring in the cycle
// that it is due or later, at most one a cycle.
//
//     AR --> reads {address, due} ------------------> R
//     AW --> writes.address --+
//                             +-- paired --> answers {resp, due} --> B
//     W  --> writes.data -----+
//
// A full ring takes its ready away. The read ring is longer than the latency, so a machine that
// always takes its data keeps one beat a cycle. Contents are read when the answer leaves and
// written when address and data have met.

#include "harness/engine/memory.h"

#include "harness/engine/memory_stall.h"

#include <stdlib.h>
#include <string.h>

enum {
    REGIONS = 4,
    SLACK = 16,   // answers that may wait behind a stalled one, beyond the latency
    PAIRING = 16, // addresses ahead of their data, or data ahead of their address
    LATENCY_MAX = 1 << 20
};

typedef struct answer {
    uint64_t due;
    uint64_t address; // reads only
    uint8_t resp;     // of a read: what its form alone earned
} answer;

// A queue of answers; capacity is a power of two.
typedef struct ring {
    answer *slot;
    size_t capacity;
    size_t head;
    size_t count;
} ring;

typedef struct region {
    tpu_mem name;
    uint64_t base;
    size_t bytes; // as the machine's parameters say
    size_t span;  // rounded up to whole beats
    uint8_t *data;
} region;

typedef struct write_data {
    uint64_t strb;
    bool last;
    uint8_t byte[TPU_BUS_BYTES];
} write_data;

typedef struct write_address {
    uint64_t address;
    uint8_t len;
    uint8_t size;
} write_address;

struct memory {
    region region[REGIONS];
    engine_timing timing;
    memory_stall stalls;
    uint64_t now;
    ring reads;
    ring answers;
    write_address address[PAIRING];
    write_data data[PAIRING];
    size_t address_head, address_count;
    size_t data_head, data_count;
    bool r_shown, b_shown; // once valid is seen it stays until ready
    memory_drive pins;     // what this cycle drives
};

// Bases with set low bits, and with spans that carry into the upper register, so that a machine
// that ORs or drops a carry lands elsewhere.
static const struct {
    tpu_mem name;
    uint64_t base;
} map[REGIONS] = {{TPU_MEM_IMEM, 0x0000000180000040u},
                  {TPU_MEM_A, 0x00000002ffffffc0u},
                  {TPU_MEM_B, 0x000000047ffff980u},
                  {TPU_MEM_C, 0x00000105fffff7c0u}};

static const uint8_t nothing[TPU_BUS_BYTES];

static size_t region_size(const tpu_params *params, tpu_mem name) {
    return name == TPU_MEM_IMEM ? (size_t)params->imem_size * (TPU_WORD_BITS / 8)
                                : (size_t)params->maxdim * params->maxdim;
}

static size_t power_of_two_from(size_t least) {
    size_t size = 1;
    while (size < least) {
        size *= 2;
    }
    return size;
}

static answer *ring_front(const ring *self) {
    return &self->slot[self->head];
}

static void ring_push(ring *self, const answer *item) {
    self->slot[(self->head + self->count) & (self->capacity - 1)] = *item;
    self->count++;
}

static void ring_pop(ring *self) {
    self->head = (self->head + 1) & (self->capacity - 1);
    self->count--;
}

static bool ring_full(const ring *self) {
    return self->count == self->capacity;
}

// Makes room for what `latency` cycles of accepted beats hold. Contents are lost.
static bool ring_resize(ring *self, uint32_t latency) {
    size_t capacity = power_of_two_from((size_t)latency + SLACK);
    answer *slot = self->slot;
    if (capacity != self->capacity) {
        slot = realloc(self->slot, capacity * sizeof *slot);
    }
    if (slot == NULL) {
        return false;
    }
    *self = (ring){.slot = slot, .capacity = capacity};
    return true;
}

memory *memory_create(const tpu_params *params) {
    memory *self = calloc(1, sizeof *self);
    if (self == NULL) {
        return NULL;
    }
    bool whole = true;
    for (size_t i = 0; i < REGIONS; i++) {
        region *at = &self->region[i];
        at->name = map[i].name;
        at->base = map[i].base;
        at->bytes = region_size(params, at->name);
        at->span = (at->bytes + TPU_BUS_BYTES - 1) / TPU_BUS_BYTES * TPU_BUS_BYTES;
        at->data = calloc(1, at->span);
        whole = whole && at->data != NULL;
    }
    const engine_timing plain = {.read_latency = 1, .write_latency = 1};
    if (!whole || memory_set_timing(self, &plain, NULL) != TPU_OK) {
        memory_destroy(self);
        return NULL;
    }
    return self;
}

void memory_destroy(memory *self) {
    if (self == NULL) {
        return;
    }
    for (size_t i = 0; i < REGIONS; i++) {
        free(self->region[i].data);
    }
    free(self->reads.slot);
    free(self->answers.slot);
    free(self);
}

static tpu_status timing_check(const engine_timing *timing, tpu_message *why) {
    if (timing->read_latency < 1 || timing->read_latency > LATENCY_MAX) {
        return status_fail(why, TPU_REFUSED, "memory read latency %u is outside 1 .. %d",
                           timing->read_latency, LATENCY_MAX);
    }
    if (timing->write_latency < 1 || timing->write_latency > LATENCY_MAX) {
        return status_fail(why, TPU_REFUSED, "memory write latency %u is outside 1 .. %d",
                           timing->write_latency, LATENCY_MAX);
    }
    if (timing->stall_permille > 1000) {
        return status_fail(why, TPU_REFUSED, "memory stall chance %u is above 1000 permille",
                           timing->stall_permille);
    }
    if ((unsigned)timing->stall_mode >= ENGINE_STALL_COUNT) {
        return status_fail(why, TPU_REFUSED, "memory stall mode %d does not exist",
                           (int)timing->stall_mode);
    }
    return TPU_OK;
}

tpu_status memory_set_timing(memory *self, const engine_timing *timing, tpu_message *why) {
    const tpu_status status = timing_check(timing, why);
    if (status != TPU_OK) {
        return status;
    }
    if (!ring_resize(&self->reads, timing->read_latency) ||
        !ring_resize(&self->answers, timing->write_latency)) {
        return status_fail(why, TPU_ERR_MEMORY, "no memory for the beats in flight");
    }
    self->timing = *timing;
    memory_restart(self);
    return TPU_OK;
}

void memory_restart(memory *self) {
    self->now = 0;
    self->reads.count = 0;
    self->answers.count = 0;
    self->address_count = 0;
    self->data_count = 0;
    self->r_shown = false;
    self->b_shown = false;
    self->pins = (memory_drive){0};
    memory_stall_start(&self->stalls, &self->timing);
}

uint64_t memory_base(const memory *self, tpu_mem name) {
    for (size_t i = 0; i < REGIONS; i++) {
        if (self->region[i].name == name) {
            return self->region[i].base;
        }
    }
    TPU_CHECK(false, "this memory is not on the bus");
    return 0;
}

uint8_t *memory_region(memory *self, tpu_mem name, size_t *bytes) {
    for (size_t i = 0; i < REGIONS; i++) {
        if (self->region[i].name == name) {
            *bytes = self->region[i].bytes;
            return self->region[i].data;
        }
    }
    return NULL;
}

// The region that holds a whole beat at `address`, or NULL.
static region *region_find(memory *self, uint64_t address) {
    for (size_t i = 0; i < REGIONS; i++) {
        region *at = &self->region[i];
        if (address - at->base < at->span) {
            return at;
        }
    }
    return NULL;
}

static bool is_single_beat(uint64_t address, uint8_t len, uint8_t size) {
    return address % TPU_BUS_BYTES == 0 && len == 0 && size == 6;
}

// What a read answers. C is for writing, so reading it is the machine's mistake.
static const uint8_t *read_beat(memory *self, const answer *item, uint8_t *resp) {
    const region *at = region_find(self, item->address);
    *resp = item->resp;
    if (at == NULL) {
        *resp = MEMORY_RESP_DECERR;
    } else if (at->name == TPU_MEM_C) {
        *resp = MEMORY_RESP_SLVERR;
    }
    return *resp == MEMORY_RESP_OKAY ? at->data + (item->address - at->base) : nothing;
}

static uint8_t write_beat(memory *self, const write_address *to, const write_data *from) {
    region *at = region_find(self, to->address);
    if (at == NULL) {
        return MEMORY_RESP_DECERR;
    }
    if (at->name != TPU_MEM_C || !is_single_beat(to->address, to->len, to->size) || !from->last) {
        return MEMORY_RESP_SLVERR;
    }
    uint8_t *bytes = at->data + (to->address - at->base);
    for (uint64_t left = from->strb; left != 0; left &= left - 1) {
        const int lane = __builtin_ctzll(left);
        bytes[lane] = from->byte[lane];
    }
    return MEMORY_RESP_OKAY;
}

static bool ring_due(const ring *self, uint64_t now) {
    return self->count != 0 && ring_front(self)->due <= now;
}

static bool is_held(unsigned held, memory_stall_point point) {
    return (held >> point & 1u) != 0;
}

void memory_begin(memory *self, memory_drive *out) {
    const unsigned held = memory_stall_draw(&self->stalls);
    memory_drive *pins = &self->pins;
    pins->ar_ready = !ring_full(&self->reads) && !is_held(held, MEMORY_STALL_AR);
    pins->aw_ready = self->address_count < PAIRING && !is_held(held, MEMORY_STALL_AW);
    pins->w_ready = self->data_count < PAIRING && !is_held(held, MEMORY_STALL_W);
    self->r_shown =
        self->r_shown || (ring_due(&self->reads, self->now) && !is_held(held, MEMORY_STALL_R));
    self->b_shown =
        self->b_shown || (ring_due(&self->answers, self->now) && !is_held(held, MEMORY_STALL_B));
    pins->r_valid = self->r_shown;
    pins->b_valid = self->b_shown;
    if (self->r_shown) {
        pins->r_data = read_beat(self, ring_front(&self->reads), &pins->r_resp);
    }
    if (self->b_shown) {
        pins->b_resp = ring_front(&self->answers)->resp;
    }
    *out = *pins;
}

static void take_read(memory *self, const memory_sample *in) {
    const bool served = is_single_beat(in->ar_addr, in->ar_len, in->ar_size);
    const answer item = {.due = self->now + self->timing.read_latency,
                         .address = in->ar_addr,
                         .resp = served ? MEMORY_RESP_OKAY : MEMORY_RESP_SLVERR};
    ring_push(&self->reads, &item);
}

static void take_write_address(memory *self, const memory_sample *in) {
    write_address *slot = &self->address[(self->address_head + self->address_count) % PAIRING];
    *slot = (write_address){.address = in->aw_addr, .len = in->aw_len, .size = in->aw_size};
    self->address_count++;
}

static void take_write_data(memory *self, const memory_sample *in) {
    write_data *slot = &self->data[(self->data_head + self->data_count) % PAIRING];
    slot->strb = in->w_strb;
    slot->last = in->w_last;
    memcpy(slot->byte, in->w_data, TPU_BUS_BYTES);
    self->data_count++;
}

// Performs the oldest write whose address and data are both here.
static void pair_write(memory *self) {
    if (self->address_count == 0 || self->data_count == 0 || ring_full(&self->answers)) {
        return;
    }
    const answer item = {
        .due = self->now + self->timing.write_latency,
        .resp = write_beat(self, &self->address[self->address_head], &self->data[self->data_head])};
    ring_push(&self->answers, &item);
    self->address_head = (self->address_head + 1) % PAIRING;
    self->data_head = (self->data_head + 1) % PAIRING;
    self->address_count--;
    self->data_count--;
}

static unsigned point_bit(bool is_set, memory_stall_point point) {
    return (unsigned)is_set << point;
}

static void show_stalls(memory *self, const memory_sample *in) {
    const memory_drive *pins = &self->pins;
    const unsigned offered =
        point_bit(in->ar_valid, MEMORY_STALL_AR) | point_bit(in->aw_valid, MEMORY_STALL_AW) |
        point_bit(in->w_valid, MEMORY_STALL_W) | point_bit(in->r_ready, MEMORY_STALL_R) |
        point_bit(in->b_ready, MEMORY_STALL_B);
    const unsigned open =
        point_bit(pins->ar_ready, MEMORY_STALL_AR) | point_bit(pins->aw_ready, MEMORY_STALL_AW) |
        point_bit(pins->w_ready, MEMORY_STALL_W) | point_bit(pins->r_valid, MEMORY_STALL_R) |
        point_bit(pins->b_valid, MEMORY_STALL_B);
    memory_stall_see(&self->stalls, offered & ~open, offered & open);
}

void memory_clock(memory *self, const memory_sample *in) {
    const memory_drive *pins = &self->pins;
    show_stalls(self, in);
    if (pins->r_valid && in->r_ready) {
        ring_pop(&self->reads);
        self->r_shown = false;
    }
    if (pins->b_valid && in->b_ready) {
        ring_pop(&self->answers);
        self->b_shown = false;
    }
    if (pins->ar_ready && in->ar_valid) {
        take_read(self, in);
    }
    if (pins->aw_ready && in->aw_valid) {
        take_write_address(self, in);
    }
    if (pins->w_ready && in->w_valid) {
        take_write_data(self, in);
    }
    pair_write(self);
    self->now++;
}
