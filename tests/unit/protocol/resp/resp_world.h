// SPDX-License-Identifier: Apache-2.0
/** A RESP server with a map, on the simulated network of lib/net's tests. */
#pragma once

#include "core/exec/turn.h"
#include "grid/map/map.h"
#include "grid/map/maps.h"
#include "protocol/resp/server.h"
#include "tests/unit/lib/net/net_world.h"

struct resp_world {
    struct net_world net;
    struct fil_budget map_budget; // of its own, so that a full map does not end connections
    bool has_caller_runs;         // off: everything goes through the partition thread
    uint64_t caller_budget_ns;    // how long a turn of a loop may be
    struct fil_exec *exec;        // one partition thread, which the simulation drives
    struct fil_turn turns[NET_WORLD_LOOPS_MAX];
    struct fil_map *map;
    struct fil_maps *maps; // NULL, unless there are more databases
    struct fil_resp_server server;
    struct fil_protocol protocol;
};

/** Options of world->net may be changed before open. */
void resp_world_init(struct resp_world *world);
void resp_world_open(struct resp_world *world, uint64_t map_bytes)
    FIL_TSA(assert_capability(fil_role_io)) FIL_TSA(assert_capability(fil_role_acceptor));
void resp_world_close(struct resp_world *world);

/** More databases than the first, which are made when they are selected. */
void resp_world_open_databases(struct resp_world *world);

/** A new client sends the text and gets exactly the reply; its connection stays open. */
void resp_world_check(struct resp_world *world, const char *text, const char *reply);

/** As check, for bytes. */
void resp_world_check_bytes(struct resp_world *world, struct fil_bytes bytes,
                            struct fil_bytes reply);
