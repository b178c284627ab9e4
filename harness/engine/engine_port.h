// SPDX-License-Identifier: Apache-2.0
//
// The control port of an engine, register by register: for tests of the registers themselves and
// for bring-up. A second entry of the shared object, so that the interface of a device under test
// (engine.h) stays free of it.

#ifndef ENGINE_PORT_H
#define ENGINE_PORT_H

#include "base/status.h"
#include "harness/engine/engine.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Name of the exported function; type engine_port_entry_fn. */
#define ENGINE_PORT_ENTRY_NAME "engine_port_entry"

/**
 * Accesses of the TPU_REG_* space. Each takes a few clock cycles; within a run nobody sees what the
 * streams do in them.
 */
typedef struct engine_port_api {
    /** @param[out] resp  the AXI response, 0 = OKAY, 2 = SLVERR. */
    tpu_status (*write)(engine *self, uint16_t address, uint32_t value, uint8_t *resp,
                        tpu_message *why);
    tpu_status (*read)(engine *self, uint16_t address, uint32_t *value, uint8_t *resp,
                       tpu_message *why);
    /** The interrupt pin as it was in the last cycle. */
    bool (*interrupt)(const engine *self);
} engine_port_api;

/** What the exported entry gives: static storage of the shared object. */
typedef const engine_port_api *(*engine_port_entry_fn)(void);
const engine_port_api *engine_port_entry(void);

#ifdef __cplusplus
}
#endif

#endif
