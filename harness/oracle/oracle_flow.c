// SPDX-License-Identifier: Apache-2.0
//
// Decoding and control flow, written by hand from the instruction set's page and from nothing
// else: positions and limits stand here as plain numbers on purpose, so that a slip in the spec
// file or in what is generated from it does not reach the oracle.
//
//   word 0:  nr 61:54 | f3 53:42 | f2 41:30 | f1 29:18 | f0 17:6 | op 5:0
//   word 1:  term 2 at 38 | term 1 at 19 | term 0 at 0; a term: stride 18:7 | level 6:4 | target
//   3:0

#include "harness/oracle/oracle_flow.h"

#include <stdlib.h>

#define HEADER_WORDS 8u
#define TERMS 3u
#define DEPTH 4u
#define FIELD_MAX 2047u
#define FETCHES_MAX (1u << 22)

typedef struct loops {
    uint32_t depth;
    uint32_t body[DEPTH];
    uint32_t trip[DEPTH];
    uint32_t iv[DEPTH];
} loops;

static uint32_t bits(uint64_t word, unsigned low, unsigned width) {
    return (uint32_t)((word >> low) & ((UINT64_C(1) << width) - 1));
}

static oracle_issue decode(uint64_t word0) {
    return (oracle_issue){
        .op = bits(word0, 0, 6),
        .nr = bits(word0, 54, 8),
        .f = {bits(word0, 6, 12), bits(word0, 18, 12), bits(word0, 30, 12), bits(word0, 42, 12)},
    };
}

static tpu_status resolve(oracle_issue *issue, uint64_t word1, const loops *open, uint32_t pc,
                          tpu_message *why) {
    for (unsigned i = 0; i < TERMS; i++) {
        uint32_t target = bits(word1, 19 * i, 4);
        uint32_t level = bits(word1, 19 * i + 4, 3);
        uint32_t stride = bits(word1, 19 * i + 7, 12);
        if (target == 0) {
            continue;
        }
        if (target > 4 || level >= open->depth) {
            return status_fail(why, TPU_REFUSED, "oracle: pc %u has a term on target %u, level %u",
                               pc, target, level);
        }
        issue->f[target - 1] += open->iv[level] * stride;
    }
    for (unsigned i = 0; i < 4; i++) {
        if (issue->f[i] > FIELD_MAX) {
            return status_fail(why, TPU_REFUSED, "oracle: pc %u resolves f%u to %u", pc, i,
                               issue->f[i]);
        }
    }
    return TPU_OK;
}

static tpu_status append(oracle_flow *flow, const oracle_issue *issue, tpu_message *why) {
    if (flow->count == flow->capacity) {
        size_t capacity = flow->capacity == 0 ? 64 : 2 * flow->capacity;
        oracle_issue *grown = realloc(flow->issue, capacity * sizeof *grown);
        if (grown == NULL) {
            return status_fail(why, TPU_ERR_MEMORY, "oracle: no memory for %zu issues", capacity);
        }
        flow->issue = grown;
        flow->capacity = capacity;
    }
    flow->issue[flow->count++] = *issue;
    return TPU_OK;
}

static tpu_status open_loop(loops *open, uint32_t *pc, uint32_t trip, tpu_message *why) {
    if (open->depth == DEPTH || trip == 0) {
        return status_fail(why, TPU_REFUSED, "oracle: the loop at pc %u is too deep or has no trip",
                           *pc);
    }
    open->body[open->depth] = *pc + 1;
    open->trip[open->depth] = trip;
    open->iv[open->depth] = 0;
    open->depth++;
    (*pc)++;
    return TPU_OK;
}

// A body runs before its count is looked at: do-while.
static tpu_status close_loop(loops *open, uint32_t *pc, tpu_message *why) {
    if (open->depth == 0) {
        return status_fail(why, TPU_REFUSED, "oracle: pc %u closes a loop that is not open", *pc);
    }
    uint32_t top = open->depth - 1;
    open->iv[top]++;
    if (open->iv[top] < open->trip[top]) {
        *pc = open->body[top];
    } else {
        open->depth--;
        (*pc)++;
    }
    return TPU_OK;
}

static tpu_status run_one(const uint64_t word[2], loops *open, uint32_t *pc, oracle_flow *out,
                          tpu_message *why) {
    oracle_issue issue = decode(word[0]);
    if (issue.op == ORACLE_LOOP) {
        return open_loop(open, pc, issue.nr, why);
    }
    if (issue.op == ORACLE_ENDLOOP) {
        return close_loop(open, pc, why);
    }
    tpu_status status = resolve(&issue, word[1], open, *pc, why);
    if (status != TPU_OK) {
        return status;
    }
    (*pc)++;
    return append(out, &issue, why);
}

tpu_status oracle_flow_run(const uint64_t *words, size_t count, oracle_flow *out,
                           tpu_message *why) {
    *out = (oracle_flow){0};
    uint32_t instructions = count < HEADER_WORDS ? 0 : bits(words[0], 0, 16);
    if (count < HEADER_WORDS || count - HEADER_WORDS < 2 * (size_t)instructions) {
        return status_fail(why, TPU_REFUSED, "oracle: an image of %zu words is too short", count);
    }
    loops open = {0};
    uint32_t pc = 0;
    for (uint32_t fetches = 0; pc < instructions; fetches++) {
        if (fetches == FETCHES_MAX) {
            return status_fail(why, TPU_REFUSED, "oracle: the program does not end");
        }
        tpu_status status = run_one(words + HEADER_WORDS + 2 * (size_t)pc, &open, &pc, out, why);
        if (status != TPU_OK) {
            return status;
        }
    }
    return TPU_OK;
}

void oracle_flow_clear(oracle_flow *flow) {
    free(flow->issue);
    *flow = (oracle_flow){0};
}
