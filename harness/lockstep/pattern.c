// SPDX-License-Identifier: Apache-2.0
//
// One function a question, each over the wrong lanes only unless it says otherwise. A pattern that
// two lanes share says more than one that fits a single lane, so the ones that any single number
// would fit ask for two.

#include "harness/lockstep/pattern.h"

#include <stdbool.h>
#include <stdio.h>

// What is wrong in a row, in numbers.
typedef struct wrong {
    const pattern_row *row;
    size_t count;
    size_t first;
} wrong;

typedef struct answers {
    tpu_message *out;
    size_t limit;
    size_t count;
    tpu_message spare; // takes what finds no room
} answers;

static bool differs(const pattern_row *row, size_t lane) {
    return row->want[lane] != row->got[lane];
}

static wrong find_wrong(const pattern_row *row) {
    wrong out = {.row = row, .first = row->lanes};
    for (size_t lane = 0; lane < row->lanes; lane++) {
        if (differs(row, lane)) {
            out.first = out.count == 0 ? lane : out.first;
            out.count++;
        }
    }
    return out;
}

static tpu_message *next_answer(answers *to) {
    return to->count < to->limit ? &to->out[to->count++] : &to->spare;
}

#define SAY(to, ...) ((void)status_fail(next_answer(to), TPU_OK, __VA_ARGS__))

static int64_t sign_extend(int64_t value, unsigned bits) {
    uint64_t mask = (1ull << bits) - 1;
    uint64_t low = (uint64_t)value & mask;
    return (int64_t)((low >> (bits - 1) & 1u) != 0 ? low | ~mask : low);
}

static uint64_t low_bits(int64_t value, unsigned bits) {
    return (uint64_t)value & ((1ull << bits) - 1);
}

// ---- value patterns -----------------------------------------------------------------------------

static bool all_zero(const wrong *what, answers *to) {
    for (size_t lane = 0; lane < what->row->lanes; lane++) {
        if (what->row->got[lane] != 0) {
            return false;
        }
    }
    SAY(to, "the row is all zeros: nothing was there to read, or it was cleared");
    return true;
}

static bool sign_flipped(const wrong *what, answers *to) {
    const pattern_row *row = what->row;
    for (size_t lane = 0; lane < row->lanes; lane++) {
        bool fits = row->got[lane] == sign_extend(-row->want[lane], row->bits);
        if (differs(row, lane) && !fits) {
            return false;
        }
    }
    SAY(to, "the sign is flipped: something is subtracted, or taken away from the wrong side");
    return true;
}

static bool one_sided(const wrong *what, answers *to) {
    const pattern_row *row = what->row;
    bool missing = true; // a negative lane came where 0 is right
    bool surplus = true; // 0 came where a negative lane is right
    for (size_t lane = 0; lane < row->lanes; lane++) {
        if (differs(row, lane)) {
            missing = missing && row->want[lane] == 0 && row->got[lane] < 0;
            surplus = surplus && row->got[lane] == 0 && row->want[lane] < 0;
        }
    }
    if (missing) {
        SAY(to, "negative lanes were not replaced by 0: a relu is missing or its edge is off");
    } else if (surplus) {
        SAY(to, "negative lanes were replaced by 0: a relu that is not in the program");
    }
    return missing || surplus;
}

// Lanes of 8 bits at the bounds.
static bool bound_missed(const wrong *what, answers *to) {
    const pattern_row *row = what->row;
    bool unclipped = row->bits == 8;
    bool overclipped = row->bits == 8;
    for (size_t lane = 0; lane < row->lanes; lane++) {
        if (differs(row, lane)) {
            int64_t want = row->want[lane];
            int64_t got = row->got[lane];
            unclipped = unclipped && (want == INT8_MAX || want == INT8_MIN);
            overclipped = overclipped && (got == INT8_MAX || got == INT8_MIN);
        }
    }
    if (unclipped) {
        SAY(to, "only lanes at a bound of int8 are wrong: the clipping, or its edge by one");
    } else if (overclipped) {
        SAY(to, "the wrong lanes stand at a bound of int8: clipped where they should not be");
    }
    return unclipped || overclipped;
}

static bool same_distance(const wrong *what, answers *to) {
    const pattern_row *row = what->row;
    int64_t distance = sign_extend(row->got[what->first] - row->want[what->first], row->bits);
    for (size_t lane = 0; lane < row->lanes; lane++) {
        int64_t here = sign_extend(row->got[lane] - row->want[lane], row->bits);
        if (differs(row, lane) && here != distance) {
            return false;
        }
    }
    if (distance == 1 || distance == -1) {
        SAY(to, "off by one: %lld too %s", 1ll, distance > 0 ? "much" : "little");
        return true;
    }
    if (what->count >= 2) {
        SAY(to, "every wrong lane is off by %lld", (long long)distance);
    }
    return what->count >= 2;
}

static bool cut_short(const wrong *what, unsigned bits, bool sign, answers *to) {
    const pattern_row *row = what->row;
    for (size_t lane = 0; lane < row->lanes; lane++) {
        int64_t kept =
            sign ? sign_extend(row->want[lane], bits) : (int64_t)low_bits(row->want[lane], bits);
        if (row->got[lane] != kept) { // the right lanes too: they must survive the cut
            return false;
        }
    }
    SAY(to, "only the low %u bits are kept%s", bits, sign ? "" : ", without the sign");
    return true;
}

static bool truncated(const wrong *what, answers *to) {
    for (unsigned bits = what->row->bits - 1; bits >= 4; bits--) {
        if (cut_short(what, bits, true, to) || cut_short(what, bits, false, to)) {
            return true;
        }
    }
    return false;
}

static unsigned count_bits(uint64_t value) {
    unsigned count = 0;
    for (; value != 0; value &= value - 1) {
        count++;
    }
    return count;
}

static unsigned lowest_bit(uint64_t value) {
    unsigned at = 0;
    while ((value >> at & 1u) == 0) {
        at++;
    }
    return at;
}

static bool single_bit(const wrong *what, uint64_t mask, answers *to) {
    const pattern_row *row = what->row;
    unsigned bit = lowest_bit(mask);
    unsigned highs = 0;
    bool stands = true; // at one level in the right lanes too
    uint64_t level = (uint64_t)row->got[what->first] & mask;
    for (size_t lane = 0; lane < row->lanes; lane++) {
        highs += ((uint64_t)row->got[lane] & mask) != 0;
        stands = stands && ((uint64_t)row->got[lane] & mask) == level;
    }
    if (stands && row->lanes > 1) {
        SAY(to, "bit %u reads as %d in every lane", bit, highs > 0 ? 1 : 0);
    } else {
        SAY(to, "bit %u is flipped", bit);
    }
    return true;
}

static bool few_bits(const wrong *what, answers *to) {
    const pattern_row *row = what->row;
    uint64_t mask = 0;
    for (size_t lane = 0; lane < row->lanes; lane++) {
        mask |= low_bits(row->want[lane] ^ row->got[lane], row->bits);
    }
    if (count_bits(mask) == 1) {
        return single_bit(what, mask, to);
    }
    unsigned low = lowest_bit(mask);
    if (what->count >= 2 && mask >> (row->bits / 4) == 0) {
        SAY(to, "only the lowest bits differ: a carry or a rounding at the low end");
        return true;
    }
    if (what->count >= 2 && low >= row->bits / 2) {
        SAY(to, "the low %u bits are right: what is lost is in the high part", low);
        return true;
    }
    return false;
}

// ---- lanes in another order ---------------------------------------------------------------------

static bool is_order(const pattern_row *row, size_t start, bool reverse) {
    for (size_t lane = 0; lane < row->lanes; lane++) {
        size_t from = reverse ? row->lanes - 1 - lane : (lane + start) % row->lanes;
        if (row->got[lane] != row->want[from]) {
            return false;
        }
    }
    return true;
}

static bool exchanged(const wrong *what, answers *to) {
    const pattern_row *row = what->row;
    size_t second = what->first + 1;
    while (second < row->lanes && !differs(row, second)) {
        second++;
    }
    if (what->count != 2 || row->got[what->first] != row->want[second] ||
        row->got[second] != row->want[what->first]) {
        return false;
    }
    SAY(to, "lanes %zu and %zu are exchanged", what->first, second);
    return true;
}

static bool same_values(const pattern_row *row) {
    for (size_t lane = 0; lane < row->lanes; lane++) {
        size_t in_want = 0;
        size_t in_got = 0;
        for (size_t other = 0; other < row->lanes; other++) {
            in_want += row->want[other] == row->want[lane];
            in_got += row->got[other] == row->want[lane];
        }
        if (in_want != in_got) {
            return false;
        }
    }
    return true;
}

static bool reordered(const wrong *what, answers *to) {
    const pattern_row *row = what->row;
    if (exchanged(what, to)) {
        return true;
    }
    if (is_order(row, 0, true)) {
        SAY(to, "the lanes are in reverse order");
        return true;
    }
    for (size_t start = 1; start < row->lanes; start++) {
        if (is_order(row, start, false)) {
            SAY(to, "the lanes are turned round: lane 0 holds what belongs to lane %zu", start);
            return true;
        }
    }
    if (what->count >= 2 && same_values(row)) {
        SAY(to, "the same values in another order of the lanes");
        return true;
    }
    return false;
}

static bool repeated(const wrong *what, answers *to) {
    const pattern_row *row = what->row;
    for (size_t lane = 1; lane < row->lanes; lane++) {
        if (row->got[lane] != row->got[0]) {
            return false;
        }
    }
    for (size_t lane = 0; lane < row->lanes && what->count >= 2; lane++) {
        if (row->want[lane] == row->got[0]) {
            SAY(to, "every lane holds what belongs to lane %zu", lane);
            return true;
        }
    }
    return false;
}

size_t pattern_describe(const pattern_row *row, tpu_message *out, size_t limit) {
    answers to = {.out = out, .limit = limit};
    const wrong what = find_wrong(row);
    if (all_zero(&what, &to)) {
        return to.count;
    }
    (void)(reordered(&what, &to) || repeated(&what, &to));
    (void)(one_sided(&what, &to) || bound_missed(&what, &to));
    (void)(sign_flipped(&what, &to) || same_distance(&what, &to));
    (void)(truncated(&what, &to) || few_bits(&what, &to)); // a step of 32 can be a bit as well
    return to.count;
}

// ---- two operands -------------------------------------------------------------------------------

typedef int64_t (*combination)(int64_t left, int64_t right);

static int64_t only_left(int64_t left, int64_t right) {
    (void)right;
    return left;
}

static int64_t only_right(int64_t left, int64_t right) {
    (void)left;
    return right;
}

static int64_t minus(int64_t left, int64_t right) {
    return left - right;
}

static int64_t minus_turned(int64_t left, int64_t right) {
    return right - left;
}

static int64_t twice_left(int64_t left, int64_t right) {
    (void)right;
    return left + left;
}

static int64_t twice_right(int64_t left, int64_t right) {
    (void)left;
    return right + right;
}

static int64_t plus(int64_t left, int64_t right) {
    return left + right;
}

static int64_t plus_relu(int64_t left, int64_t right) {
    int64_t sum = sign_extend(left + right, 32);
    return sum < 0 ? 0 : sum;
}

static bool combines(const pattern_row *row, const int64_t *left, const int64_t *right,
                     combination how) {
    for (size_t lane = 0; lane < row->lanes; lane++) {
        int64_t value = how(left[lane], right != NULL ? right[lane] : 0);
        if (row->got[lane] != sign_extend(value, row->bits)) {
            return false;
        }
    }
    return true;
}

static bool is_nothing(const pattern_row *row, const int64_t *operand) {
    for (size_t lane = 0; operand != NULL && lane < row->lanes; lane++) {
        if (operand[lane] != 0) {
            return false;
        }
    }
    return true;
}

// What can be said of one operand, and of two that are both more than zeros.
typedef struct guess {
    combination how;
    const char *words;
} guess;

static size_t say_first(const pattern_row *row, const int64_t *left, const int64_t *right,
                        const guess *known, size_t count, tpu_message *out) {
    for (size_t i = 0; i < count; i++) {
        if (combines(row, left, right, known[i].how)) {
            (void)status_fail(out, TPU_OK, "it is %s", known[i].words);
            return 1;
        }
    }
    return 0;
}

size_t pattern_combine(const pattern_row *row, const int64_t *left, const int64_t *right,
                       tpu_message *out) {
    static const guess one[] = {{only_left, "the operand as it stands"},
                                {twice_left, "the operand twice"}};
    static const guess two[] = {
        {only_left, "the left operand as it stands: nothing was added to it"},
        {only_right, "the right operand as it stands: the left one was left out"},
        {minus, "left minus right instead of the sum"},
        {minus_turned, "right minus left instead of the sum"},
        {twice_left, "the left operand twice"},
        {twice_right, "the right operand twice"}};
    static const guess sum[] = {
        {plus, "the plain sum, where the program asks for something else"},
        {plus_relu, "the sum after a relu that the program does not ask for"}};
    if (right == NULL) {
        return say_first(row, left, NULL, one, sizeof one / sizeof one[0], out);
    }
    bool telling = !is_nothing(row, left) && !is_nothing(row, right);
    size_t said = telling ? say_first(row, left, right, two, sizeof two / sizeof two[0], out) : 0;
    return said != 0 ? said : say_first(row, left, right, sum, sizeof sum / sizeof sum[0], out);
}
