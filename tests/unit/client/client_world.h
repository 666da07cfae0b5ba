// SPDX-License-Identifier: Apache-2.0
/**
 * A client and members with a script in one thread: when the client waits, the members get their
 * turns and the clock moves on. So calls that wait can be tested without threads.
 */
#pragma once

#include "client/client_internal.h"
#include "tests/support/sim_env.h"
#include "tests/unit/client/fake_member.h"

struct client_world {
    struct fil_sim sim;
    struct fil_env_ops ops; // the simulation's, but for waiting
    struct fake_cluster cluster;
    struct fil_client *client;
};

/** So many members, and a client that is connected to them. */
void client_world_init(struct client_world *world, uint32_t member_count,
                       const struct fil_client_options *options);

/** Members only. */
void client_world_prepare(struct client_world *world, uint32_t member_count);

/** Makes the client, without waiting for a member. */
void client_world_open(struct client_world *world, const struct fil_client_options *options);

void client_world_fini(struct client_world *world);

/** Steps until nothing moves and so much time has passed. */
void client_world_pass(struct client_world *world, uint64_t ms);

/** The map "m". */
struct fil_map *client_world_map(struct client_world *world);

struct fil_client_stats client_world_stats(struct client_world *world);
