// SPDX-License-Identifier: Apache-2.0
/**
 * The acceptor: takes connections from a listening socket and deals them to the I/O loops in turn.
 *
 * Beyond the connection limit a connection is closed at once and counted. When the system has no
 * descriptors left, it pauses for a moment instead of turning in circles.
 *
 * Threads: cycle runs on one thread (role acceptor); wake may be called by anyone.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/conc/counter.h"
#include "lib/conc/role.h"
#include "lib/net/loop.h"
#include "lib/os/address.h"
#include "lib/os/env.h"

struct fil_acceptor_stats {
    struct fil_counter accepted;
    struct fil_counter refused_limit;  // connections_max reached
    struct fil_counter refused_memory; // no memory for the connection
    struct fil_counter failed;         // the system had no descriptor left
};

struct fil_acceptor_options {
    struct fil_env *env;
    struct fil_address address;
    int backlog;
    uint32_t connections_max;
    struct fil_loop *loops; // an array; must outlive the acceptor
    uint32_t loop_count;
};

struct fil_acceptor {
    // Set by init, then read-only.
    struct fil_env *env;
    struct fil_poller *poller;
    int listener;
    struct fil_address bound; // with the port the system chose
    uint32_t connections_max;
    struct fil_loop *loops;
    uint32_t loop_count;

    // Written by the acceptor, read by anyone.
    struct fil_acceptor_stats stats;

    // The acceptor's own.
    uint64_t next_id FIL_OWNED_BY(acceptor);
    uint32_t next_loop FIL_OWNED_BY(acceptor);
    uint64_t dealt_count FIL_OWNED_BY(acceptor);
    uint64_t paused_until_ns FIL_OWNED_BY(acceptor);
    bool is_paused FIL_OWNED_BY(acceptor);
};

/** Listens. FIL_E_ADDRESS_USED and its kin as from the environment's listen. */
int fil_acceptor_init(struct fil_acceptor *acceptor, const struct fil_acceptor_options *options)
    FIL_NODISCARD;

/** Stops listening; connections that wait in the backlog are reset by the system. */
void fil_acceptor_fini(struct fil_acceptor *acceptor);

/** One bounded turn; waits at most timeout_ns. */
uint32_t fil_acceptor_cycle(struct fil_acceptor *acceptor, int64_t timeout_ns)
    FIL_RUNS_ON(acceptor);

/** Ends the current wait. */
FIL_ANY_THREAD void fil_acceptor_wake(struct fil_acceptor *acceptor);
