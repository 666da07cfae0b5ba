// SPDX-License-Identifier: Apache-2.0
/**
 * A simulated network with an acceptor, its loops, protocols (the toys, unless the test brings
 * others) and scripted clients.
 *
 * The test changes the options it cares about, opens the world, writes its clients' scripts, runs,
 * looks, and closes; closing asserts that nothing is left: no descriptor, session, job or byte.
 */
#pragma once

#include "lib/net/acceptor.h"
#include "lib/net/loop.h"
#include "tests/support/sim_client.h"
#include "tests/unit/lib/net/toy.h"

#define NET_WORLD_LOOPS_MAX   3U
#define NET_WORLD_CLIENTS_MAX 12U

struct net_world {
    // Options: set by init, changed by the test before open.
    uint64_t seed;
    const struct fil_sim_options *network; // NULL: perfect
    struct fil_net_limits limits;
    uint64_t budget_bytes;
    uint32_t loop_count;
    const struct fil_protocol *protocols; // NULL: the toys
    uint32_t protocol_count;
    struct fil_sim_client_options client_options;
    struct fil_sim_cycle worker; // a stage of the test's own; may be empty

    struct fil_sim sim;
    struct fil_budget budget;
    struct toy toy;
    struct fil_protocol toy_protocols[2];
    struct fil_loop loops[NET_WORLD_LOOPS_MAX];
    struct fil_acceptor acceptor;
    struct fil_sim_client clients[NET_WORLD_CLIENTS_MAX];
    uint32_t client_count;
    struct fil_pool pool; // of a thread that is not a loop's, for toy_job_finish
    uint32_t opened_loops;
    bool has_acceptor;
};

void net_world_init(struct net_world *world);

/** In world->sim. FIL_OK, or the error of what could not be opened; close it in either case. */
int net_world_open(struct net_world *world);

/** As open on a network of its own, and fails the test on an error; the thread has all roles. */
void net_world_must_open(struct net_world *world) FIL_TSA(assert_capability(fil_role_io))
    FIL_TSA(assert_capability(fil_role_acceptor));

void net_world_close(struct net_world *world);

/** A client whose script begins with connect. */
struct fil_sim_client *net_world_client(struct net_world *world);

/** Adds text to what the client sends. */
void net_world_send(struct fil_sim_client *client, const char *text);
void net_world_expect(struct fil_sim_client *client, const char *text);

/** What the client has received so far is exactly the text. */
void net_world_assert_received(const struct fil_sim_client *client, const char *expected);

/** Expects what "big size" answers. */
void net_world_expect_big(struct fil_sim_client *client, size_t size);

/** Runs until nothing more can happen; fails the test when somebody is busy without end. */
void net_world_run(struct net_world *world);

/** Runs for a time. */
void net_world_run_for(struct net_world *world, uint64_t elapsed_ns);

/** Runs the loops and the acceptor alone for a few turns, at the present time. */
void net_world_turn(struct net_world *world);

/** Connections that ended for this reason, and for any. */
uint64_t net_world_closed(const struct net_world *world, enum fil_close_reason reason);
uint64_t net_world_closed_all(const struct net_world *world);

/** The only connection of the first loop. */
struct fil_connection *net_world_connection(struct net_world *world);

/** The oldest job of the relay, or NULL. */
struct toy_job *net_world_take_job(struct net_world *world);
