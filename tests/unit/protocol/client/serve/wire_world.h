// SPDX-License-Identifier: Apache-2.0
/** A member that serves the client protocol, with a simulated network and one thread for all. */
#pragma once

#include <string.h>

#include "core/container/directory.h"
#include "core/exec/turn.h"
#include "grid/map/maps.h"
#include "protocol/client/serve/session.h"
#include "tests/unit/harness.h"
#include "tests/unit/lib/net/net_world.h"

#define SECOND          UINT64_C(1000000000)
#define PARTITION_COUNT 7U

struct world {
    struct net_world net;
    struct fil_budget budget;
    struct fil_exec *exec;
    struct fil_turn turns[NET_WORLD_LOOPS_MAX];
    struct fil_maps *maps;
    struct fil_directory *directory; // NULL: there are no containers
    struct fil_wire_server server;
    struct fil_protocol protocol;
};

static struct world world;

static inline void begin_turn(struct fil_loop *loop)
{
    fil_role_assert_io();
    fil_turn_begin(loop->context, loop->now_ns);
}

static inline void end_turn(struct fil_loop *loop)
{
    fil_role_assert_io();
    fil_turn_end(loop->context);
}

static const struct fil_loop_hooks turn_hooks = {.begin_turn = begin_turn, .end_turn = end_turn};

static inline uint32_t run_partitions(void *context)
{
    (void)context;
    fil_role_assert_partition();
    (void)fil_alarm_cycle(fil_exec_alarm(world.exec));
    return fil_partition_stage_cycle(fil_exec_stage(world.exec, 0));
}

static inline void open_kernel(bool has_caller_runs)
{
    struct fil_exec_options options = {.env = &world.net.sim.env,
                                       .budget = &world.net.budget,
                                       .partition_count = PARTITION_COUNT,
                                       .thread_count = 1,
                                       .has_caller_runs = has_caller_runs,
                                       .has_batching = true,
                                       .has_wake_suppression = true,
                                       .has_write_through = true,
                                       .caller_budget_ns = SECOND};
    fil_role_enter(&fil_role_partition);
    assert_int_equal(fil_exec_new(&world.exec, &options), FIL_OK);
    for (uint32_t i = 0; i < world.net.loop_count; i++) {
        struct fil_loop *loop = &world.net.loops[i];
        assert_int_equal(fil_turn_init(&world.turns[i], world.exec, "io", &loop->chunks), FIL_OK);
        loop->hooks = &turn_hooks;
        loop->context = &world.turns[i];
    }
}

static inline void open_data(void)
{
    fil_budget_init(&world.budget, UINT64_C(1) << 26);
    struct fil_maps_options maps = {.env = &world.net.sim.env,
                                    .exec = world.exec,
                                    .budget = &world.budget,
                                    .seed = 1,
                                    .count_max = 8};
    assert_int_equal(fil_maps_new(&world.maps, &maps), FIL_OK);
    struct fil_wire_server_options server = {.env = &world.net.sim.env,
                                             .maps = world.maps,
                                             .budget = &world.budget,
                                             .cluster_name = "dev",
                                             .partition_count = PARTITION_COUNT,
                                             .message_bytes_max = 1U << 20,
                                             .near_cache_batch = 100,
                                             .near_cache_delay_ns = SECOND};
    assert_int_equal(fil_wire_server_init(&world.server, &server), FIL_OK);
}

static inline void open_world(bool has_caller_runs)
{
    net_world_init(&world.net);
    world.net.limits.handshake_timeout_ns = 3600 * SECOND;
    world.net.limits.handshake_bytes_max = 1024;
    world.net.limits.frame_bytes_max = 1U << 20;
    world.protocol = (struct fil_protocol){&fil_wire_protocol, &world.server};
    world.net.protocols = &world.protocol;
    world.net.protocol_count = 1;
    world.net.worker = (struct fil_sim_cycle){.cycle = run_partitions, .context = &world};
    net_world_must_open(&world.net);
    open_kernel(has_caller_runs);
    open_data();
}

static inline int set_up(void **state)
{
    (void)state;
    open_world(true);
    return 0;
}

static inline int set_up_handing_over(void **state)
{
    (void)state;
    open_world(false);
    return 0;
}

static inline int tear_down(void **state)
{
    (void)state;
    fil_role_assert_io();
    for (uint32_t i = 0; i < world.net.opened_loops; i++) {
        struct fil_loop *loop = &world.net.loops[i];
        (void)fil_loop_cycle(loop, 0);
        fil_loop_abort(loop);
        for (uint32_t k = 0; k < 4 * PARTITION_COUNT; k++) {
            (void)run_partitions(NULL);
            (void)fil_loop_cycle(loop, 0);
        }
        loop->hooks = NULL;
        fil_turn_fini(&world.turns[i]);
    }
    fil_wire_server_fini(&world.server);
    fil_directory_free(world.directory);
    world.directory = NULL;
    fil_maps_free(world.maps);
    fil_exec_free(world.exec);
    net_world_close(&world.net);
    assert_int_equal(fil_budget_drawn(&world.budget), 0);
    return 0;
}
