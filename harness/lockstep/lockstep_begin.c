// SPDX-License-Identifier: Apache-2.0
//
// Before the first cycle: the job can be run, the machine is the one that the model stands for, and
// both have the same program and the same memories.

#include "harness/engine/loader.h"
#include "harness/lockstep/lockstep_internal.h"

static tpu_status compare_param(const char *name, uint32_t meant, uint32_t says, tpu_message *why) {
    if (meant == says) {
        return TPU_OK;
    }
    return status_fail(why, TPU_ERR_ENGINE,
                       "the machine says %s = %u, this run is for %s = %u: wrong engine", name,
                       says, name, meant);
}

static tpu_status compare_params(const tpu_params *meant, const tpu_params *says,
                                 tpu_message *why) {
    const uint32_t left[TPU_PARAM_COUNT] = {meant->t,   meant->maxdim,   meant->spad_rows,
                                            meant->nvr, meant->nar,      meant->imem_size,
                                            meant->qd,  meant->dma_words};
    const uint32_t right[TPU_PARAM_COUNT] = {says->t,   says->maxdim,   says->spad_rows,
                                             says->nvr, says->nar,      says->imem_size,
                                             says->qd,  says->dma_words};
    tpu_status status = TPU_OK;
    for (size_t i = 0; i < TPU_PARAM_COUNT && status == TPU_OK; i++) {
        status = compare_param(tpu_param_infos[i].name, left[i], right[i], why);
    }
    return status;
}

// The machine must be the one that the model stands for, before anything is compared.
// It says so once: a sequence of short programs would spend a tenth of its cycles on asking again.
static tpu_status check_identity(lockstep *self, tpu_message *why) {
    engine_identity says;
    if (self->identified) {
        return TPU_OK;
    }
    tpu_status status = self->api->identify(self->device, &says, why);
    if (status != TPU_OK) {
        return status;
    }
    if (says.spec_hash != TPU_SPEC_HASH) {
        char command[256];
        loader_build_command(says.name, &self->params, command, sizeof command);
        return status_fail(why, TPU_ERR_ENGINE,
                           "the machine was built from spec %016llx, the model from %016llx: "
                           "build the engine again with: %s",
                           (unsigned long long)says.spec_hash, (unsigned long long)TPU_SPEC_HASH,
                           command);
    }
    status = compare_params(&self->params, &says.params, why);
    self->identified = status == TPU_OK;
    return status;
}

static tpu_status load_machine(lockstep *self, tpu_message *why) {
    const lockstep_job *job = self->job;
    size_t region = params_region_bytes(&self->params);
    tpu_status status =
        self->api->load(self->device, TPU_MEM_IMEM, job->words, job->word_count * 8, why);
    if (status == TPU_OK) {
        status = self->api->load(self->device, TPU_MEM_A, job->a, region, why);
    }
    if (status == TPU_OK) {
        status = self->api->load(self->device, TPU_MEM_B, job->b, region, why);
    }
    if (status == TPU_OK) {
        status = self->api->load(self->device, TPU_MEM_C, job->c, region, why);
    }
    return status;
}

// Gives the model the on-chip contents the machine happens to have. After an OK run both are
// known to be equal, and the reading is saved.
static tpu_status sync_memories(lockstep *self, tpu_message *why) {
    for (tpu_mem memory = TPU_MEM_SPAD; memory <= TPU_MEM_AR && !self->synced; memory++) {
        size_t bytes = lockstep_memory_bytes(self, memory);
        tpu_status status = self->api->read(self->device, memory, self->buffer, bytes, why);
        if (status != TPU_OK) {
            return status;
        }
        expected_set_memory(self->model, memory, self->buffer, bytes);
    }
    self->synced = true;
    return TPU_OK;
}

static tpu_status load_model(lockstep *self, tpu_message *why) {
    const lockstep_job *job = self->job;
    size_t region = params_region_bytes(&self->params);
    tpu_status status = sync_memories(self, why);
    if (status != TPU_OK) {
        return status;
    }
    expected_set_memory(self->model, TPU_MEM_A, job->a, region);
    expected_set_memory(self->model, TPU_MEM_B, job->b, region);
    expected_set_memory(self->model, TPU_MEM_C, job->c, region);
    return expected_start(self->model, job->words, job->word_count, job->hooks, why);
}

static tpu_status check_job(const lockstep *self, tpu_message *why) {
    if (self->job->level == LOCKSTEP_LEVEL_CYCLE) {
        return status_fail(why, TPU_REFUSED,
                           "level cycle needs the cycle model, which does not exist yet; use "
                           "level arch");
    }
    if (self->job->word_count > self->params.imem_size) {
        return status_fail(why, TPU_REFUSED,
                           "the program takes %zu words, instruction memory "
                           "holds %u (TPU_IMEM)",
                           self->job->word_count, self->params.imem_size);
    }
    return TPU_OK;
}

tpu_status lockstep_begin(lockstep *self, tpu_message *why) {
    tpu_status status = check_job(self, why);
    if (status == TPU_OK) {
        status = check_identity(self, why);
    }
    if (status == TPU_OK) {
        status = load_machine(self, why);
    }
    if (status == TPU_OK && self->job->mode == LOCKSTEP_MODE_CHECKED) {
        status = load_model(self, why);
    } else {
        self->synced = false;
    }
    return status == TPU_OK ? self->api->start(self->device, why) : status;
}
