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
    world->net.limits.handshake_timeout_ns = 3600 * SECOND;
    world->net.limits.frame_bytes_max = 1U << 20;
}

void resp_world_open(struct resp_world *world, uint64_t map_bytes)
{
    world->protocol = (struct fil_protocol){&fil_resp_protocol, &world->server};
    world->net.protocols = &world->protocol;
    world->net.protocol_count = 1;
    net_world_must_open(&world->net);
    fil_budget_init(&world->map_budget, map_bytes);
    assert_int_equal(fil_map_new(&world->map, &world->map_budget, 7, 1), FIL_OK);
    fil_resp_server_init(&world->server, &(struct fil_resp_server_options){
                                             .env = &world->net.sim.env,
                                             .map = world->map,
                                             .budget = &world->map_budget,
                                             .member_name = "unit",
                                             .port = 5701,
                                             .frame_bytes_max = world->net.limits.frame_bytes_max,
                                             .read_stats = read_stats,
                                         });
}

void resp_world_close(struct resp_world *world)
{
    net_world_close(&world->net);
    fil_resp_server_fini(&world->server);
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
