// SPDX-License-Identifier: Apache-2.0
//
// One function for each way in which a row comes about, in plain integers and from the page of the
// instruction set, as everything of the oracle.

#include "harness/oracle/oracle_row.h"

#include <stddef.h>
#include <string.h>

// The streams by their numbers.
enum {
    ISSUE = 0,
    C_DLD = 1,
    C_SPM = 2,
    C_VRU = 3,
    C_ACC = 4,
    C_DST = 5,
    DMA2SP = 6,
    DMA2VR = 7,
    SP2VR = 8,
    WCOL = 9,
    ACOL = 10,
    CW = 11,
    AC2SP = 12,
    SPAD_WRITE = 13,
    VR_WRITE = 14,
    AR_WRITE_MM = 15,
    AR_WRITE_ALU = 16,
    C_WRITE = 17
};

static void put(uint8_t *at, uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++) {
        at[i] = (uint8_t)(value >> 8 * i);
    }
}

static void span(uint32_t *from, uint32_t *to, uint32_t first, uint32_t bytes) {
    *from = first;
    *to = first + bytes;
}

// ---- control ------------------------------------------------------------------------------------

static bool make_issue(const oracle_row_facts *facts, uint8_t *row) {
    const oracle_issue *issue = facts->issue;
    if (issue == NULL) {
        return false;
    }
    row[2] = (uint8_t)issue->op;
    row[3] = (uint8_t)issue->nr;
    for (unsigned i = 0; i < 4; i++) {
        put(row + 4 + 2 * i, issue->f[i], 2);
    }
    return true;
}

// Which header word is a control channel's first, second row; 0 = it has none.
static unsigned header_word(unsigned stream, uint32_t in_issue) {
    static const unsigned words[6][2] = {{0, 0}, {1, 7}, {2, 4}, {3, 0}, {5, 0}, {6, 0}};
    return in_issue < 2 ? words[stream][in_issue] : 0;
}

// The row count as that unit gets it.
static uint64_t count_for(unsigned stream, const oracle_row_facts *facts) {
    const oracle_issue *issue = facts->issue;
    if (stream == C_SPM && issue->op == ORACLE_MM) {
        return facts->t + 1;
    }
    bool two = issue->op == ORACLE_VADD || issue->op == ORACLE_VADDRELU;
    return stream == C_ACC && two ? 2ull * issue->nr : issue->nr;
}

static bool make_word(unsigned stream, const oracle_row_facts *facts, uint8_t *row) {
    const oracle_issue *issue = facts->issue;
    if (issue == NULL) {
        unsigned word = header_word(stream, facts->in_issue);
        put(row, word > 0 ? facts->words[word] : 0, 8);
        return word > 0;
    }
    uint64_t word = (uint64_t)issue->op | count_for(stream, facts) << 54;
    for (unsigned i = 0; i < 4; i++) {
        // The scratchpad's copy of an mm has the number of activation rows in its second field.
        bool rows = i == 1 && stream == C_SPM && issue->op == ORACLE_MM;
        word |= (uint64_t)(rows ? issue->nr : issue->f[i]) << (6 + 12 * i);
    }
    put(row, word, 8);
    return true;
}

// ---- rows that are handed on --------------------------------------------------------------------

static bool make_load(const oracle_row_facts *facts, uint8_t *row) {
    const oracle_issue *issue = facts->issue;
    if (issue == NULL) {
        return false;
    }
    const int8_t *from = (issue->f[0] & 1u) != 0 ? facts->matrix_b : facts->matrix_a;
    size_t at =
        (size_t)(issue->f[1] + facts->in_issue) * facts->maxdim + (size_t)issue->f[2] * facts->t;
    memcpy(row, from + at, facts->t);
    return true;
}

// The counts of the header, then for each mm its row count and its weights.
static bool make_weights(const oracle_row_facts *facts, uint8_t *row) {
    memset(row, 0, facts->t);
    if (facts->issue == NULL) {
        put(row, facts->words[4], 4);
        return true;
    }
    if (facts->in_issue == 0) {
        row[0] = (uint8_t)facts->issue->nr;
        return true;
    }
    if (facts->lanes != NULL) {
        memcpy(row, facts->lanes, facts->t);
    }
    return facts->lanes != NULL;
}

// An address before it, as `head` says, and the lanes.
static bool make_copy(const oracle_row_facts *facts, const uint8_t *head, uint32_t head_bytes,
                      uint8_t *row) {
    if (facts->lanes == NULL) {
        return false;
    }
    memcpy(row, head, head_bytes);
    memcpy(row + head_bytes, facts->lanes, facts->t);
    return true;
}

static bool make_spad_write(const oracle_row_facts *facts, uint8_t *row) {
    uint8_t head[2];
    put(head, facts->issue->f[3] + facts->in_issue, 2);
    return make_copy(facts, head, 2, row);
}

// A copied row counts as loaded when the one that it is copied from does.
static bool make_vr_write(const oracle_row_facts *facts, uint8_t *row) {
    uint8_t head[3];
    bool copy = facts->issue->op == ORACLE_VLD;
    put(head, (copy ? facts->issue->f[0] : facts->issue->f[3]) + facts->in_issue, 2);
    head[2] = copy ? facts->written : 1;
    return make_copy(facts, head, 3, row);
}

static bool make_c_write(const oracle_row_facts *facts, uint8_t *row) {
    uint8_t head[4];
    put(head, facts->issue->f[1] + facts->in_issue, 2);
    put(head + 2, facts->issue->f[2], 2);
    return make_copy(facts, head, 4, row);
}

// ---- arithmetic ---------------------------------------------------------------------------------

static uint32_t add(uint32_t left, uint32_t right) {
    return left + right; // wraps at 32 bits
}

static bool make_sums(const oracle_row_facts *facts, uint8_t *row) {
    if (facts->a == NULL || facts->w == NULL) {
        return false;
    }
    for (uint32_t j = 0; j < facts->t; j++) {
        uint32_t sum = 0;
        for (uint32_t i = 0; i < facts->t; i++) {
            sum = add(sum, (uint32_t)(facts->a[i] * facts->w[(size_t)i * facts->t + j]));
        }
        put(row + (size_t)4 * j, sum, 4);
    }
    return true;
}

static bool make_accumulated(const oracle_row_facts *facts, uint8_t *row) {
    const oracle_issue *issue = facts->issue;
    bool adds = issue->f[2] == 1;
    if (facts->right == NULL || (adds && facts->left == NULL)) {
        return false;
    }
    put(row, issue->f[1] + facts->in_issue, 2);
    for (uint32_t lane = 0; lane < facts->t; lane++) {
        uint32_t base = adds ? (uint32_t)facts->left[lane] : 0;
        put(row + 2 + (size_t)4 * lane, add(base, (uint32_t)facts->right[lane]), 4);
    }
    return true;
}

static bool make_vector(const oracle_row_facts *facts, uint8_t *row) {
    const oracle_issue *issue = facts->issue;
    bool two = issue->op != ORACLE_VRELU;
    bool rectifies = issue->op != ORACLE_VADD;
    if (facts->left == NULL || (two && facts->right == NULL)) {
        return false;
    }
    put(row, issue->f[0] + facts->in_issue, 2);
    for (uint32_t lane = 0; lane < facts->t; lane++) {
        uint32_t sum = add((uint32_t)facts->left[lane], two ? (uint32_t)facts->right[lane] : 0);
        put(row + 2 + (size_t)4 * lane, rectifies && sum >= 0x80000000u ? 0 : sum, 4);
    }
    return true;
}

static bool make_result(const oracle_row_facts *facts, uint8_t *row) {
    for (uint32_t lane = 0; lane < facts->t && facts->left != NULL; lane++) {
        int32_t value = facts->left[lane];
        row[lane] = (uint8_t)(value > 127 ? 127 : value < -128 ? -128 : value);
    }
    return facts->left != NULL;
}

static bool make_row(unsigned stream, const oracle_row_facts *facts, uint8_t *row) {
    static const uint8_t none = 0;
    switch (stream) {
    case ISSUE:
        return make_issue(facts, row);
    case DMA2SP:
    case DMA2VR:
        return make_load(facts, row);
    case SP2VR: {
        uint8_t flag = facts->written;
        return make_copy(facts, &flag, 1, row);
    }
    case WCOL:
        return make_weights(facts, row);
    case ACOL:
        return make_copy(facts, &none, 0, row);
    case CW:
        return make_sums(facts, row);
    case AC2SP:
        return make_result(facts, row);
    default:
        return stream <= C_DST && make_word(stream, facts, row);
    }
}

static bool make_write(unsigned stream, const oracle_row_facts *facts, uint8_t *row) {
    switch (stream) {
    case SPAD_WRITE:
        return make_spad_write(facts, row);
    case VR_WRITE:
        return make_vr_write(facts, row);
    case AR_WRITE_MM:
        return make_accumulated(facts, row);
    case AR_WRITE_ALU:
        return make_vector(facts, row);
    default:
        return make_c_write(facts, row);
    }
}

static uint32_t bytes_of(unsigned stream, uint32_t t) {
    static const uint8_t head[] = {0, 8, 8, 8, 8, 8, 0, 0, 1, 0, 0, 0, 0, 2, 3, 2, 2, 4};
    static const uint8_t lane[] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 4, 1, 1, 1, 4, 4, 1};
    return head[stream] + lane[stream] * t;
}

bool oracle_row(unsigned stream, const oracle_row_facts *facts, uint8_t *row, uint32_t *from,
                uint32_t *to) {
    if (stream > C_WRITE) {
        return false;
    }
    if (stream == ISSUE) {
        span(from, to, 2, 10); // pc before, induction values behind
    } else {
        span(from, to, 0, bytes_of(stream, facts->t));
    }
    if (stream < SPAD_WRITE) {
        return make_row(stream, facts, row);
    }
    return facts->issue != NULL && make_write(stream, facts, row);
}
