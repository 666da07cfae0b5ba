// SPDX-License-Identifier: Apache-2.0
/**
 * The member: builds, starts and stops everything else.
 *
 * new puts the parts together and listens; from then on the member can be driven in two ways:
 * start_threads gives each stage a thread of its own, or a simulation calls the cycle itself, all
 * in one thread.
 *
 *   new --> start_threads --> stop_threads --> free
 *    |                                          ^
 *    +---> cycle, cycle, ... -------------------+
 *
 * Threads: new, start_threads, stop_threads and free by the thread that owns the member.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/conf/conf.h"
#include "lib/log/log.h"
#include "lib/os/address.h"
#include "lib/os/env.h"
#include "node/options.h"
#include "node/plan.h"

struct fil_node;
struct fil_service;
struct fil_service_file;

struct fil_node_setup {
    struct fil_env *env;
    const struct fil_options *options; // borrowed for the member's life
    const struct fil_plan *plan;       // borrowed for the call
    struct fil_conf *conf;             // where the options come from, for CONFIG; may be NULL
    struct fil_log *log;               // borrowed for the member's life; may be NULL

    /** Adds the routes of an embedding program. May be NULL. */
    int (*add_routes)(void *context, struct fil_service *service);
    void *context;
    struct fil_service_file *services; // of a service file; outlives the member. NULL: none
    const char *run_on;                // where those run that do not say; NULL: as service.run_on
    void *owner;                       // what an embedding program has beside it; may be NULL
};

void fil_node_free(struct fil_node *node);

/**
 * Puts the member together and listens. Errors: FIL_E_ADDRESS_USED and its kin when it cannot
 * listen, FIL_E_NOMEM, FIL_E_SYSTEM.
 */
int fil_node_new(struct fil_node **out_node, const struct fil_node_setup *setup) FIL_NODISCARD;

/** Starts the threads. On failure everything that was started is stopped. */
int fil_node_start_threads(struct fil_node *node) FIL_NODISCARD;

/**
 * Stops gracefully: not ready any more, no new connections, what was received is answered, then the
 * connections end. Returns how many had to be cut after stop.timeout.
 */
uint32_t fil_node_stop_threads(struct fil_node *node);

/** While another thread is in stop: cuts what is still open instead of waiting for it. */
FIL_ANY_THREAD void fil_node_hurry(struct fil_node *node);

/** One turn of every stage on the calling thread; returns how much moved. For simulations. */
uint32_t fil_node_cycle(struct fil_node *node);

/** In a simulation: ends all connections at once, before free. */
void fil_node_abort(struct fil_node *node);

/** The address with the port that was bound. */
const struct fil_address *fil_node_address(const struct fil_node *node);

/** What the setup said. */
void *fil_node_owner(const struct fil_node *node);
