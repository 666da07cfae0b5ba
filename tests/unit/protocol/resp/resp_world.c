// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/protocol/resp/resp_world.h"

#include <stdio.h>

#include "tests/unit/harness.h"

#define SECOND UINT64_C(1000000000)

static void read_stats(void *context, struct fil_resp_stats *out_stats)
{
    (void)context;
    *out_stats = (struct fil_resp_stats){.connections = 1,
                                         .accepted = 2,
                                         .refused = 3,
                                         .requests = 4,
                                         .received_bytes = 5,
                                         .sent_bytes = 6};
}

void resp_world_init(struct resp_world *world)
{
    net_world_init(&world->net);
    world->maps = NULL;
    world->net.limits.handshake_timeout_ns = 3600 * SECOND;
    world->net.limits.frame_bytes_max = 1U << 20;
    world->has_caller_runs = true;
    world->caller_budget_ns = SECOND;
}

static void begin_turn(struct fil_loop *loop)
{
    fil_role_assert_io();
    fil_turn_begin(loop->context, loop->now_ns);
}

static void end_turn(struct fil_loop *loop)
{
    fil_role_assert_io();
    fil_turn_end(loop->context);
}

static const struct fil_loop_hooks turn_hooks = {.begin_turn = begin_turn, .end_turn = end_turn};

static uint32_t run_partitions(void *context)
{
    struct resp_world *world = context;
    fil_role_assert_partition();
    (void)fil_alarm_cycle(fil_exec_alarm(world->exec));
    return fil_partition_stage_cycle(fil_exec_stage(world->exec, 0));
}

static uint64_t next_deadline_ns(void *context)
{
    struct resp_world *world = context;
    return fil_alarm_next_ns(fil_exec_alarm(world->exec));
}

static void open_kernel(struct resp_world *world)
{
    struct fil_exec_options options = {.env = &world->net.sim.env,
                                       .budget = &world->net.budget,
                                       .partition_count = 7,
                                       .thread_count = 1,
                                       .has_caller_runs = world->has_caller_runs,
                                       .has_batching = true,
                                       .has_wake_suppression = true,
                                       .has_write_through = true,
                                       .caller_budget_ns = world->caller_budget_ns};
    fil_role_enter(&fil_role_partition);
    assert_int_equal(fil_exec_new(&world->exec, &options), FIL_OK);
    for (uint32_t i = 0; i < world->net.loop_count; i++) {
        struct fil_loop *loop = &world->net.loops[i];
        assert_int_equal(fil_turn_init(&world->turns[i], world->exec, "io", &loop->chunks), FIL_OK);
        loop->hooks = &turn_hooks;
        loop->context = &world->turns[i];
    }
}

void resp_world_open(struct resp_world *world, uint64_t map_bytes)
{
    world->protocol = (struct fil_protocol){&fil_resp_protocol, &world->server};
    world->net.protocols = &world->protocol;
    world->net.protocol_count = 1;
    world->net.worker = (struct fil_sim_cycle){
        .cycle = run_partitions, .context = world, .next_ns = next_deadline_ns};
    net_world_must_open(&world->net);
    open_kernel(world);
    fil_budget_init(&world->map_budget, map_bytes);
    assert_int_equal(fil_map_new(&world->map, &(struct fil_map_setup){.exec = world->exec,
                                                                      .budget = &world->map_budget,
                                                                      .partition_count = 7,
                                                                      .seed = 1}),
                     FIL_OK);
    fil_resp_server_init(&world->server, &(struct fil_resp_server_options){
                                             .env = &world->net.sim.env,
                                             .map = world->map,
                                             .budget = &world->map_budget,
                                             .member_name = "unit",
                                             .port = 5701,
                                             .frame_bytes_max = world->net.limits.frame_bytes_max,
                                             .subscriptions_max = 100000,
                                             .read_stats = read_stats,
                                         });
}

void resp_world_open_databases(struct resp_world *world)
{
    const struct fil_maps_options options = {
        .exec = world->exec, .budget = &world->map_budget, .seed = 1, .count_max = 16};
    assert_int_equal(fil_maps_new(&world->maps, &options), FIL_OK);
    world->server.options.maps = world->maps;
}

/** Ends the connections while the kernel is there to run what they wait for. */
static void close_kernel(struct resp_world *world)
{
    fil_role_assert_io();
    for (uint32_t i = 0; i < world->net.opened_loops; i++) {
        struct fil_loop *loop = &world->net.loops[i];
        (void)fil_loop_cycle(loop, 0);
        fil_loop_abort(loop);
        (void)run_partitions(world);
        (void)fil_loop_cycle(loop, 0);
        (void)run_partitions(world); // forgets what the connections watched
        loop->hooks = NULL;
        fil_turn_fini(&world->turns[i]);
    }
    fil_exec_free(world->exec);
}

void resp_world_close(struct resp_world *world)
{
    close_kernel(world);
    net_world_close(&world->net);
    fil_resp_server_fini(&world->server);
    if (world->maps != NULL) {
        fil_maps_free(world->maps);
    }
    fil_map_free(world->map);
    assert_int_equal(fil_budget_drawn(&world->map_budget), 0);
}

void resp_world_check_bytes(struct resp_world *world, struct fil_bytes bytes,
                            struct fil_bytes reply)
{
    struct fil_sim_client *client = net_world_client(&world->net);
    fil_sim_client_send(client, bytes);
    if (reply.size > 0) {
        fil_sim_client_expect(client, reply);
    }
    net_world_run_for(&world->net, SECOND / 10);
    struct fil_bytes received = fil_sim_client_received(client);
    if (!fil_bytes_equal(received, reply)) {
        fail_msg("sent:\n%.*s\nexpected:\n%.*s\nreceived:\n%.*s\n", (int)bytes.size,
                 (const char *)bytes.data, (int)reply.size, (const char *)reply.data,
                 (int)received.size, (const char *)received.data);
    }
}

void resp_world_check(struct resp_world *world, const char *text, const char *reply)
{
    resp_world_check_bytes(world, fil_bytes_of(text), fil_bytes_of(reply));
}
