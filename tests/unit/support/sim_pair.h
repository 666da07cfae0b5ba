// SPDX-License-Identifier: Apache-2.0
/** A simulation with one listener and one connection to it, and short names for the calls. */
#pragma once

#include "tests/support/sim_env.h"
#include "tests/unit/harness.h"

struct sim_pair {
    struct fil_sim sim;
    struct fil_address address;
    int listener;
    int client;
    int server;
};

static inline void sim_pair_listen(struct sim_pair *pair, uint64_t seed,
                                   const struct fil_sim_options *options)
{
    assert_int_equal(fil_sim_init(&pair->sim, seed, options), FIL_OK);
    assert_int_equal(fil_address_parse("127.0.0.1:5701", &pair->address), FIL_OK);
    struct fil_env *env = &pair->sim.env;
    assert_int_equal(env->ops->listen(env, &pair->address, 8, &pair->listener, &pair->address),
                     FIL_OK);
    pair->client = -1;
    pair->server = -1;
}

static inline int sim_pair_accept(struct sim_pair *pair)
{
    struct fil_env *env = &pair->sim.env;
    struct fil_address peer;
    int fd = -1;
    int error = env->ops->accept(env, pair->listener, &fd, &peer);
    return error == FIL_OK ? fd : error;
}

static inline int sim_pair_connect(struct sim_pair *pair)
{
    int fd = -1;
    int error = fil_sim_connect(&pair->sim, "client", NULL, &pair->address, &fd);
    return error == FIL_OK ? fd : error;
}

/** Lets everything that is under way arrive. */
static inline void sim_pair_settle(struct sim_pair *pair)
{
    uint64_t next_ns = fil_sim_next_event_ns(&pair->sim);
    while (next_ns != FIL_SIM_NEVER) {
        fil_sim_advance_to(&pair->sim, next_ns);
        next_ns = fil_sim_next_event_ns(&pair->sim);
    }
}

static inline void sim_pair_open(struct sim_pair *pair, uint64_t seed,
                                 const struct fil_sim_options *options)
{
    sim_pair_listen(pair, seed, options);
    pair->client = sim_pair_connect(pair);
    assert_true(pair->client >= 0);
    sim_pair_settle(pair);
    pair->server = sim_pair_accept(pair);
    assert_true(pair->server >= 0);
}

static inline void sim_pair_shut(struct sim_pair *pair, int *fd)
{
    if (*fd >= 0) {
        pair->sim.env.ops->close(&pair->sim.env, *fd);
        *fd = -1;
    }
}

static inline void sim_pair_close(struct sim_pair *pair)
{
    sim_pair_shut(pair, &pair->client);
    sim_pair_shut(pair, &pair->server);
    sim_pair_shut(pair, &pair->listener);
    fil_sim_fini(&pair->sim);
}

static inline int64_t sim_pair_send(struct sim_pair *pair, int fd, const void *data, size_t size)
{
    struct fil_bytes slice = fil_bytes_make(data, size);
    return pair->sim.env.ops->send(&pair->sim.env, fd, &slice, 1);
}

static inline int64_t sim_pair_receive(struct sim_pair *pair, int fd, void *buffer, size_t size)
{
    return pair->sim.env.ops->receive(&pair->sim.env, fd, buffer, size);
}
