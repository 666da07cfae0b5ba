// SPDX-License-Identifier: Apache-2.0
/**
 * A small model of another architecture, as a server in this process.
 *
 * All models speak the same protocol with the same decoder, table and replies as a member; they
 * differ in nothing but which thread does what. A model takes the connections that the generator
 * has made, then starts its threads; its threads end when the generator has closed them.
 *
 *     new --> (the generator connects) --> adopt --> (it closes) --> free
 *
 * Threads: the functions here by the one that owns the model.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/conc/role.h"
#include "lib/mem/budget.h"
#include "lib/os/env.h"
#include "wire.h"

struct lab_model;

struct lab_model_ops {
    /** Starts the threads; the wires are there. */
    int (*start)(struct lab_model *model);

    /** Ends and joins them, and frees what start has made; also after a failed start. */
    void (*stop)(struct lab_model *model);
};

struct lab_model {
    // Set by new and adopt, then read-only.
    struct fil_env *env;
    const struct lab_model_ops *ops;
    uint32_t core_count; // cores that the server may use
    int listener;
    struct fil_address address;
    struct lab_wire *wires;
    uint32_t wire_count;
    void *state; // the architecture's own

    // Shared.
    struct fil_budget budget;
    _Atomic uint32_t open_count; // wires that have not ended
};

extern const struct lab_model_ops lab_model_blocking;
extern const struct lab_model_ops lab_model_loop;
extern const struct lab_model_ops lab_model_sharded;
extern const struct lab_model_ops lab_model_seda;

void lab_model_free(struct lab_model *model);

/** Listens on a free port of this machine. */
int lab_model_new(struct lab_model **out_model, struct fil_env *env,
                  const struct lab_model_ops *ops, uint32_t core_count) FIL_NODISCARD;

/** Accepts so many connections and starts to serve them. */
int lab_model_adopt(struct lab_model *model, uint32_t count) FIL_NODISCARD;

/** The client is gone: closes the wire, on its thread. */
void lab_model_end_wire(struct lab_model *model, struct lab_wire *wire);

/** Whether the generator has closed every connection. */
FIL_ANY_THREAD bool lab_model_is_over(struct lab_model *model);

/** For stop, before the pools of the threads end: gives back what the wires hold. */
void lab_model_fini_wires(struct lab_model *model);
