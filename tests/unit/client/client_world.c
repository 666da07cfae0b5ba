// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/client/client_world.h"

#include <string.h>

#include "tests/unit/harness.h"

#define NS_PER_MS UINT64_C(1000000)

// The environment's functions know the simulation only.
static struct client_world *current;
static const struct fil_env_ops *plain;

static uint32_t run_members(struct client_world *world)
{
    uint32_t moved = 0;
    for (uint32_t i = 0; i < FAKE_MEMBERS_MAX; i++) {
        moved += fake_member_cycle(&world->cluster.members[i]);
    }
    return moved;
}

static int wait_with_members(struct fil_env *env, struct fil_poller *poller,
                             struct fil_poll_event *out_events, int limit, int64_t timeout_ns)
{
    struct client_world *world = current;
    uint64_t end_ns = timeout_ns < 0 ? UINT64_MAX : world->sim.now_ns + (uint64_t)timeout_ns;
    for (uint32_t round = 0; round < 100000; round++) {
        uint32_t moved = run_members(world);
        int count = plain->poller_wait(env, poller, out_events, limit, 0);
        if (count > 0 || (moved == 0 && world->sim.now_ns >= end_ns)) {
            return count;
        }
        uint64_t next_ns = fil_sim_next_event_ns(&world->sim);
        next_ns = next_ns < end_ns ? next_ns : end_ns;
        if (moved == 0) {
            assert_int_not_equal(next_ns, UINT64_MAX); // somebody waits for ever
            fil_sim_advance_to(&world->sim, next_ns);
        }
    }
    fail_msg("the client waits without end");
    return 0;
}

void client_world_prepare(struct client_world *world, uint32_t member_count)
{
    assert_int_equal(fil_sim_init(&world->sim, 1, NULL), FIL_OK);
    current = world;
    plain = world->sim.env.ops;
    world->ops = *plain;
    world->ops.poller_wait = wait_with_members;
    world->sim.env.ops = &world->ops;
    world->client = NULL;
    fake_cluster_init(&world->cluster, &world->sim.env, 5701, member_count);
}

void client_world_open(struct client_world *world, const struct fil_client_options *options)
{
    char problem[FIL_CLIENT_PROBLEM_MAX];
    assert_int_equal(fil_client__new(&world->client, options, &world->sim.env, problem), FIL_OK);
}

void client_world_init(struct client_world *world, uint32_t member_count,
                       const struct fil_client_options *options)
{
    client_world_prepare(world, member_count);
    client_world_open(world, options);
    client_world_pass(world, 10);
    assert_int_equal(client_world_stats(world).member_count, member_count);
}

void client_world_fini(struct client_world *world)
{
    fil_client_close(world->client);
    fake_cluster_fini(&world->cluster);
    fil_sim_fini(&world->sim);
}

void client_world_pass(struct client_world *world, uint64_t ms)
{
    uint64_t end_ns = world->sim.now_ns + ms * NS_PER_MS;
    while (world->sim.now_ns < end_ns) {
        int moved = fil_client__step(world->client, end_ns - world->sim.now_ns);
        assert_true(moved >= 0);
    }
}

struct fil_map *client_world_map(struct client_world *world)
{
    return fil_map(fil_client_grid(world->client), "m");
}

struct fil_client_stats client_world_stats(struct client_world *world)
{
    struct fil_client_stats stats;
    fil_client_stats(world->client, &stats);
    return stats;
}
