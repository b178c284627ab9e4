// SPDX-License-Identifier: Apache-2.0
//
// Lives as recorded. The bound is in life_ideal.c.

#include "harness/show/life.h"

#include <stdlib.h>

static void take_row(life_rows *to, const recording_event *event) {
    if (to->count++ == 0) {
        to->first = event->cycle;
    }
    to->last = event->cycle;
    to->reached = event->in_issue + 1;
    to->differ += event->differs ? 1u : 0u;
}

static life *find(life_list *self, uint32_t seq) {
    if (self->count == 0 || seq < self->one[0].of->issue.seq) {
        return NULL;
    }
    size_t at = seq - self->one[0].of->issue.seq;
    return at < self->count ? &self->one[at] : NULL;
}

tpu_status life_recorded(const recording *from, life_list *out, tpu_message *why) {
    out->one = calloc(from->issue_count + 1, sizeof *out->one);
    if (out->one == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "timeline: out of memory");
    }
    out->count = from->issue_count;
    for (size_t i = 0; i < from->issue_count; i++) {
        out->one[i].of = &from->issue[i];
        out->one[i].issued = from->issue[i].cycle;
    }
    for (size_t i = 0; i < from->event_count; i++) {
        const recording_event *event = &from->event[i];
        life *one = event->issue == RECORDING_NO_ISSUE ? NULL : find(out, event->issue);
        if (one != NULL) {
            take_row(&one->stream[event->stream], event);
        }
        out->end = event->cycle + 1;
    }
    return TPU_OK;
}

void life_list_clear(life_list *self) {
    free(self->one);
    *self = (life_list){.one = NULL};
}

// The stream whose rows are an instruction's last; TPU_STREAM_COUNT = it has none.
static tpu_stream last_stream(const isa_issue *issue) {
    switch (issue->op) {
    case TPU_OP_DMA_LD:
        return (issue->f[0] & TPU_DMA_TO_VR) != 0 ? TPU_STREAM_VR_WRITE : TPU_STREAM_SPAD_WRITE;
    case TPU_OP_VLD:
        return TPU_STREAM_VR_WRITE;
    case TPU_OP_MM:
        return TPU_STREAM_AR_WRITE_MM;
    case TPU_OP_VADD:
    case TPU_OP_VRELU:
    case TPU_OP_VADDRELU:
        return TPU_STREAM_AR_WRITE_ALU;
    case TPU_OP_MVOUT:
        return TPU_STREAM_C_WRITE;
    default:
        return TPU_STREAM_COUNT;
    }
}

bool life_finished(const life *self) {
    tpu_stream last = last_stream(&self->of->issue);
    return last == TPU_STREAM_COUNT || self->stream[last].reached >= self->of->issue.nr;
}

life_stage life_stage_of(tpu_stream stream) {
    switch (stream) {
    case TPU_STREAM_DMA2SP:
    case TPU_STREAM_DMA2VR:
    case TPU_STREAM_SP2VR:
    case TPU_STREAM_WCOL:
    case TPU_STREAM_ACOL:
    case TPU_STREAM_SPAD_WRITE:
    case TPU_STREAM_VR_WRITE:
        return LIFE_STAGE_LOAD;
    case TPU_STREAM_CW:
    case TPU_STREAM_AR_WRITE_MM:
    case TPU_STREAM_AR_WRITE_ALU:
        return LIFE_STAGE_COMPUTE;
    case TPU_STREAM_AC2SP:
    case TPU_STREAM_C_WRITE:
        return LIFE_STAGE_RETIRE;
    default:
        return LIFE_STAGE_COUNT;
    }
}

life_rows life_stage_rows(const life *self, life_stage stage) {
    life_rows out = {.count = 0};
    for (int s = 0; s < TPU_STREAM_COUNT; s++) {
        const life_rows *rows = &self->stream[s];
        if (rows->count == 0 || life_stage_of((tpu_stream)s) != stage) {
            continue;
        }
        out.first = out.count == 0 || rows->first < out.first ? rows->first : out.first;
        out.last = out.count == 0 || rows->last > out.last ? rows->last : out.last;
        out.count += rows->count;
        out.differ += rows->differ;
    }
    return out;
}
