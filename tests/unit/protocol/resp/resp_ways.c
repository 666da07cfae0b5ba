// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/protocol/resp/resp_ways.h"

#include "lib/base/alloc.h"

struct resp_world resp_ways_world;
static bool runs_in_place = true;

void resp_ways_choose(bool has_caller_runs)
{
    runs_in_place = has_caller_runs;
}

int resp_ways_set_up(void **state)
{
    (void)state;
    resp_world_init(&resp_ways_world);
    resp_ways_world.has_caller_runs = runs_in_place;
    resp_world_open(&resp_ways_world, 1U << 24);
    return 0;
}

int resp_ways_tear_down(void **state)
{
    (void)state;
    fil_alloc_fail_after(-1);
    resp_world_close(&resp_ways_world);
    return 0;
}

void resp_ways_fail_allocations(const char *text, int positions)
{
    struct net_world *net = &resp_ways_world.net;
    for (int position = 0; position < positions; position++) {
        resp_world_close(&resp_ways_world);
        (void)resp_ways_set_up(NULL);
        struct fil_sim_client *client = net_world_client(net);
        net_world_run_for(net, RESP_WAYS_SECOND / 100);
        net_world_send(client, text);
        fil_alloc_fail_after(position);
        net_world_run_for(net, RESP_WAYS_SECOND / 10);
        fil_alloc_fail_after(-1);
        net_world_run_for(net, RESP_WAYS_SECOND / 100);
    }
}
