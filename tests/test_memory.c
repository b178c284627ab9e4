// SPDX-License-Identifier: Apache-2.0

#include "harness/engine/memory.h"

#include <criterion/criterion.h>
#include <string.h>

static const tpu_params point = {4, 64, 1024, 1024, 136, 56, 16, 1};

// A master of no channel; tests switch on what they need.
static memory_sample idle(void) {
    static const uint8_t zeros[TPU_BUS_BYTES];
    return (memory_sample){.ar_size = 6,
                           .aw_size = 6,
                           .w_last = true,
                           .w_data = zeros,
                           .r_ready = true,
                           .b_ready = true};
}

static memory *with_timing(uint32_t read, uint32_t write, uint32_t permille, uint64_t seed) {
    memory *self = memory_create(&point);
    cr_assert_not_null(self);
    const engine_timing timing = {.read_latency = read,
                                  .write_latency = write,
                                  .stall_permille = permille,
                                  .stall_seed = seed};
    tpu_message why;
    cr_assert_eq(memory_set_timing(self, &timing, &why), TPU_OK, "%s", why.text);
    return self;
}

static uint8_t *region(memory *self, tpu_mem name) {
    size_t bytes = 0;
    return memory_region(self, name, &bytes);
}

// One cycle with the given pins; what the memory drove in it.
static memory_drive cycle(memory *self, const memory_sample *in) {
    memory_drive out;
    memory_begin(self, &out);
    memory_clock(self, in);
    return out;
}

// Reads one beat; the response, and in *took the cycles from the address to the beat.
static uint8_t read_one(memory *self, uint64_t address, uint8_t len, uint8_t size, int *took) {
    memory_sample in = idle();
    in.ar_valid = true;
    in.ar_addr = address;
    in.ar_len = len;
    in.ar_size = size;
    cr_assert(cycle(self, &in).ar_ready);
    in.ar_valid = false;
    for (*took = 1; *took < 1000; ++*took) {
        const memory_drive out = cycle(self, &in);
        if (out.r_valid) {
            return out.r_resp;
        }
    }
    cr_assert(false, "no beat came");
    return 0xff;
}

// Writes one beat of `value`; the response, and the cycles to it.
static uint8_t write_one(memory *self, uint64_t address, uint8_t value, uint64_t strb, int *took) {
    uint8_t beat[TPU_BUS_BYTES];
    memset(beat, value, sizeof beat);
    memory_sample in = idle();
    in.aw_valid = true;
    in.aw_addr = address;
    in.w_valid = true;
    in.w_data = beat;
    in.w_strb = strb;
    (void)cycle(self, &in);
    in.aw_valid = false;
    in.w_valid = false;
    for (*took = 1; *took < 1000; ++*took) {
        const memory_drive out = cycle(self, &in);
        if (out.b_valid) {
            return out.b_resp;
        }
    }
    cr_assert(false, "no response came");
    return 0xff;
}

Test(memory, answers_a_read_after_its_latency) {
    static const uint32_t latencies[] = {1, 2, 17, 64, 100};
    for (size_t i = 0; i < sizeof latencies / sizeof latencies[0]; i++) {
        memory *self = with_timing(latencies[i], 1, 0, 0);
        int took = 0;
        cr_expect_eq(read_one(self, memory_base(self, TPU_MEM_A), 0, 6, &took), MEMORY_RESP_OKAY);
        cr_expect_eq(took, (int)latencies[i]);
        memory_destroy(self);
    }
}

Test(memory, answers_a_write_after_its_latency) {
    static const uint32_t latencies[] = {1, 3, 64};
    for (size_t i = 0; i < sizeof latencies / sizeof latencies[0]; i++) {
        memory *self = with_timing(1, latencies[i], 0, 0);
        int took = 0;
        cr_expect_eq(write_one(self, memory_base(self, TPU_MEM_C), 1, ~0ull, &took),
                     MEMORY_RESP_OKAY);
        cr_expect_eq(took, (int)latencies[i]);
        memory_destroy(self);
    }
}

Test(memory, gives_a_beat_a_cycle_in_order_at_every_latency) {
    static const uint32_t latencies[] = {1, 16, 100};
    for (size_t l = 0; l < sizeof latencies / sizeof latencies[0]; l++) {
        memory *self = with_timing(latencies[l], 1, 0, 0);
        uint8_t *bytes = region(self, TPU_MEM_B);
        for (int i = 0; i < 64; i++) {
            bytes[i * TPU_BUS_BYTES + 5] = (uint8_t)(i + 1);
        }
        memory_sample in = idle();
        in.ar_valid = true;
        for (int n = 0; n < 200; n++) {
            in.ar_addr = memory_base(self, TPU_MEM_B) + (uint64_t)(n % 64) * TPU_BUS_BYTES;
            const memory_drive out = cycle(self, &in);
            cr_expect(out.ar_ready, "cycle %d", n);
            const int beat = n - (int)latencies[l];
            cr_assert_eq(out.r_valid, beat >= 0, "cycle %d", n);
            if (beat >= 0) {
                cr_expect_eq(out.r_data[5], beat % 64 + 1, "cycle %d", n);
            }
        }
        memory_destroy(self);
    }
}

Test(memory, takes_a_beat_a_cycle_at_every_latency) {
    memory *self = with_timing(1, 64, 0, 0);
    memory_sample in = idle();
    in.aw_valid = true;
    in.w_valid = true;
    in.w_strb = 1;
    int answers = 0;
    for (int n = 0; n < 300; n++) {
        const uint8_t beat[TPU_BUS_BYTES] = {(uint8_t)(n + 1)};
        in.w_data = beat;
        in.aw_addr = memory_base(self, TPU_MEM_C) + (uint64_t)(n % 64) * TPU_BUS_BYTES;
        const memory_drive out = cycle(self, &in);
        cr_expect(out.aw_ready && out.w_ready, "cycle %d", n);
        answers += out.b_valid;
        cr_expect_eq(region(self, TPU_MEM_C)[n % 64 * TPU_BUS_BYTES], (uint8_t)(n + 1));
    }
    cr_expect_eq(answers, 300 - 64);
    memory_destroy(self);
}

Test(memory, writes_only_strobed_bytes) {
    memory *self = with_timing(1, 1, 0, 0);
    uint8_t *bytes = region(self, TPU_MEM_C);
    memset(bytes, 9, TPU_BUS_BYTES);
    int took = 0;
    (void)write_one(self, memory_base(self, TPU_MEM_C), 7, 0x8000000000000011u, &took);
    for (int i = 0; i < TPU_BUS_BYTES; i++) {
        cr_expect_eq(bytes[i], i == 0 || i == 4 || i == 63 ? 7 : 9, "byte %d", i);
    }
    memory_destroy(self);
}

Test(memory, pairs_an_address_with_data_that_comes_later_or_earlier) {
    for (int data_first = 0; data_first < 2; data_first++) {
        memory *self = with_timing(1, 3, 0, 0);
        const uint8_t beat[TPU_BUS_BYTES] = {42};
        memory_sample in = idle();
        in.aw_addr = memory_base(self, TPU_MEM_C) + TPU_BUS_BYTES;
        in.w_data = beat;
        in.w_strb = 1;
        in.aw_valid = data_first == 0;
        in.w_valid = data_first == 1;
        (void)cycle(self, &in);
        in.aw_valid = false;
        in.w_valid = false;
        for (int n = 0; n < 5; n++) {
            cr_expect(!cycle(self, &in).b_valid);
        }
        cr_expect_eq(region(self, TPU_MEM_C)[TPU_BUS_BYTES], 0);
        in.aw_valid = data_first == 1;
        in.w_valid = data_first == 0;
        (void)cycle(self, &in);
        in.aw_valid = false;
        in.w_valid = false;
        cr_expect_eq(region(self, TPU_MEM_C)[TPU_BUS_BYTES], 42);
        cr_expect(!cycle(self, &in).b_valid);
        cr_expect(!cycle(self, &in).b_valid);
        cr_expect(cycle(self, &in).b_valid);
        memory_destroy(self);
    }
}

Test(memory, answers_a_wrong_read_with_an_error) {
    memory *self = with_timing(1, 1, 0, 0);
    const uint64_t a = memory_base(self, TPU_MEM_A);
    const uint64_t imem = memory_base(self, TPU_MEM_IMEM);
    const struct {
        uint64_t address;
        uint8_t len;
        uint8_t size;
        uint8_t resp;
    } cases[] = {{a + 4096 - 64, 0, 6, MEMORY_RESP_OKAY},
                 {a + 4096, 0, 6, MEMORY_RESP_DECERR},
                 {a - 64, 0, 6, MEMORY_RESP_DECERR},
                 {0, 0, 6, MEMORY_RESP_DECERR},
                 {UINT64_MAX - 63, 0, 6, MEMORY_RESP_DECERR},
                 {imem + 384, 0, 6, MEMORY_RESP_OKAY}, // 56 words are seven beats
                 {imem + 448, 0, 6, MEMORY_RESP_DECERR},
                 {a + 4, 0, 6, MEMORY_RESP_SLVERR},
                 {a, 1, 6, MEMORY_RESP_SLVERR},
                 {a, 0, 3, MEMORY_RESP_SLVERR},
                 {memory_base(self, TPU_MEM_C), 0, 6, MEMORY_RESP_SLVERR}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int took = 0;
        cr_expect_eq(read_one(self, cases[i].address, cases[i].len, cases[i].size, &took),
                     cases[i].resp, "case %zu", i);
    }
    memory_destroy(self);
}

Test(memory, answers_a_wrong_write_with_an_error_and_changes_nothing) {
    memory *self = with_timing(1, 1, 0, 0);
    const uint64_t c = memory_base(self, TPU_MEM_C);
    int took = 0;
    cr_expect_eq(write_one(self, c + 4096, 1, ~0ull, &took), MEMORY_RESP_DECERR);
    cr_expect_eq(write_one(self, c + 8, 1, ~0ull, &took), MEMORY_RESP_SLVERR);
    cr_expect_eq(write_one(self, memory_base(self, TPU_MEM_A), 1, ~0ull, &took),
                 MEMORY_RESP_SLVERR);
    for (int i = 0; i < 4096; i++) {
        cr_assert_eq(region(self, TPU_MEM_C)[i], 0);
        cr_assert_eq(region(self, TPU_MEM_A)[i], 0);
    }
    memory_destroy(self);
}

Test(memory, holds_a_beat_until_it_is_taken) {
    memory *self = with_timing(1, 1, 900, 3);
    region(self, TPU_MEM_A)[0] = 77;
    memory_sample in = idle();
    in.ar_valid = true;
    in.ar_addr = memory_base(self, TPU_MEM_A);
    in.r_ready = false;
    while (!cycle(self, &in).ar_ready) {
    }
    in.ar_valid = false;
    while (!cycle(self, &in).r_valid) {
    }
    for (int n = 0; n < 100; n++) {
        const memory_drive out = cycle(self, &in);
        cr_assert(out.r_valid);
        cr_expect_eq(out.r_data[0], 77);
    }
    in.r_ready = true;
    cr_expect(cycle(self, &in).r_valid);
    cr_expect(!cycle(self, &in).r_valid);
    memory_destroy(self);
}

// The ready pins of 4000 cycles as a string of bits; *low counts the cycles of a held back AR.
static uint64_t ready_pattern(memory *self, int *low) {
    uint64_t digest = 0xcbf29ce484222325u;
    *low = 0;
    memory_sample in = idle();
    for (int n = 0; n < 4000; n++) {
        const memory_drive out = cycle(self, &in);
        const unsigned pins =
            (unsigned)out.ar_ready | (unsigned)out.aw_ready << 1 | (unsigned)out.w_ready << 2;
        digest = (digest ^ pins) * 0x100000001b3u;
        *low += !out.ar_ready;
    }
    return digest;
}

Test(memory, stalls_as_often_as_asked_and_by_seed_alone) {
    static const uint32_t chances[] = {0, 1, 250, 500, 1000};
    for (size_t i = 0; i < sizeof chances / sizeof chances[0]; i++) {
        memory *self = with_timing(1, 1, chances[i], 5);
        int low = 0;
        const uint64_t first = ready_pattern(self, &low);
        const int want = (int)chances[i] * 4;
        cr_expect(low >= want - 150 && low <= want + 150, "%u: %d of 4000", chances[i], low);
        memory_restart(self);
        cr_expect_eq(ready_pattern(self, &low), first, "%u", chances[i]);
        memory *other = with_timing(1, 1, chances[i], 6);
        const bool same = ready_pattern(other, &low) == first;
        cr_expect_eq(same, chances[i] == 0 || chances[i] == 1000, "%u", chances[i]);
        memory_destroy(self);
        memory_destroy(other);
    }
}

Test(memory, forgets_what_is_in_flight_on_restart) {
    memory *self = with_timing(4, 4, 0, 0);
    memory_sample in = idle();
    in.ar_valid = true;
    in.ar_addr = memory_base(self, TPU_MEM_A);
    in.aw_valid = true;
    in.aw_addr = memory_base(self, TPU_MEM_C);
    in.w_valid = true;
    (void)cycle(self, &in);
    memory_restart(self);
    in = idle();
    for (int n = 0; n < 10; n++) {
        const memory_drive out = cycle(self, &in);
        cr_expect(!out.r_valid && !out.b_valid);
    }
    memory_destroy(self);
}

Test(memory, refuses_a_timing_that_cannot_be) {
    static const engine_timing wrong[] = {
        {.read_latency = 0, .write_latency = 1},
        {.read_latency = 1, .write_latency = 0},
        {.read_latency = 1, .write_latency = 1, .stall_permille = 1001},
        {.read_latency = UINT32_MAX, .write_latency = 1},
        {.read_latency = 1, .write_latency = 1, .stall_mode = ENGINE_STALL_COUNT}};
    memory *self = memory_create(&point);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        tpu_message why = {{0}};
        cr_expect_eq(memory_set_timing(self, &wrong[i], &why), TPU_REFUSED);
        cr_expect_gt(strlen(why.text), 10);
    }
    memory_destroy(self);
}

Test(memory, lays_its_regions_apart_on_whole_beats) {
    static const struct {
        tpu_mem name;
        size_t bytes;
    } regions[] = {{TPU_MEM_IMEM, 448}, {TPU_MEM_A, 4096}, {TPU_MEM_B, 4096}, {TPU_MEM_C, 4096}};
    memory *self = memory_create(&point);
    for (size_t i = 0; i < 4; i++) {
        size_t bytes = 0;
        cr_expect_not_null(memory_region(self, regions[i].name, &bytes));
        cr_expect_eq(bytes, regions[i].bytes);
        const uint64_t base = memory_base(self, regions[i].name);
        cr_expect_eq(base % TPU_BUS_BYTES, 0);
        for (size_t j = 0; j < i; j++) {
            cr_expect_gt(base - memory_base(self, regions[j].name), 4096);
        }
    }
    size_t bytes = 0;
    cr_expect_null(memory_region(self, TPU_MEM_SPAD, &bytes));
    memory_destroy(self);
}
