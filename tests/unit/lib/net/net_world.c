// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/lib/net/net_world.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/harness.h"

#define NS_PER_SECOND UINT64_C(1000000000)

void net_world_init(struct net_world *world)
{
    memset(world, 0, sizeof(*world));
    world->seed = 1;
    world->budget_bytes = UINT64_C(1) << 30;
    world->loop_count = 1;
    world->limits = (struct fil_net_limits){
        .connections_max = 100,
        .handshake_bytes_max = 64,
        .handshake_timeout_ns = 5 * NS_PER_SECOND,
        .frame_bytes_max = 4096,
        .output_bytes_max = 1U << 20,
        .stall_timeout_ns = 30 * NS_PER_SECOND,
    };
    world->client_options = (struct fil_sim_client_options){.receive_bytes_max = 1U << 20};
}

static int open_loop(struct net_world *world, uint32_t index)
{
    struct fil_loop_options options = {
        .env = &world->sim.env,
        .budget = &world->budget,
        .limits = world->limits,
        .protocols = world->protocols,
        .protocol_count = world->protocol_count,
        .index = index,
    };
    int error = fil_loop_init(&world->loops[index], &options);
    if (error == FIL_OK) {
        fil_loop_enter(&world->loops[index]);
        world->opened_loops++;
    }
    return error;
}

static int open_acceptor(struct net_world *world)
{
    struct fil_acceptor_options options = {
        .env = &world->sim.env,
        .backlog = 64,
        .connections_max = world->limits.connections_max,
        .loops = world->loops,
        .loop_count = world->loop_count,
    };
    int error = fil_address_parse("127.0.0.1:5701", &options.address);
    assert_int_equal(error, FIL_OK);
    error = fil_acceptor_init(&world->acceptor, &options);
    world->has_acceptor = error == FIL_OK;
    return error;
}

int net_world_open(struct net_world *world)
{
    fil_role_enter(&fil_role_io);
    fil_role_enter(&fil_role_acceptor);
    fil_budget_init(&world->budget, world->budget_bytes);
    fil_chunk_pool_init(&world->pool, &world->budget, 0);
    toy_init(&world->toy, world->limits.frame_bytes_max);
    world->toy_protocols[0] = (struct fil_protocol){&toy_echo_protocol, &world->toy};
    world->toy_protocols[1] = (struct fil_protocol){&toy_relay_protocol, &world->toy};
    if (world->protocols == NULL) {
        world->protocols = world->toy_protocols;
        world->protocol_count = FIL_COUNT_OF(world->toy_protocols);
    }
    int error = FIL_OK;
    for (uint32_t i = 0; i < world->loop_count && error == FIL_OK; i++) {
        error = open_loop(world, i);
    }
    return error == FIL_OK ? open_acceptor(world) : error;
}

void net_world_must_open(struct net_world *world)
{
    assert_int_equal(fil_sim_init(&world->sim, world->seed, world->network), FIL_OK);
    assert_int_equal(net_world_open(world), FIL_OK);
}

void net_world_close(struct net_world *world)
{
    fil_role_assert_io();
    // Three times: connections on their way are opened, those between two loops arrive, the last
    // holds are given up.
    for (uint32_t turn = 0; turn < 3; turn++) {
        for (uint32_t i = 0; i < world->opened_loops; i++) {
            (void)fil_loop_cycle(&world->loops[i], 0);
            fil_loop_abort(&world->loops[i]);
        }
    }
    for (uint32_t i = 0; i < world->opened_loops; i++) {
        fil_loop_fini(&world->loops[i]);
    }
    if (world->has_acceptor) {
        fil_acceptor_fini(&world->acceptor);
    }
    for (uint32_t i = 0; i < world->client_count; i++) {
        fil_sim_client_fini(&world->clients[i]);
    }
    toy_fini(&world->toy);
    fil_pool_fini(&world->pool);
    assert_int_equal(fil_budget_drawn(&world->budget), 0);
    fil_sim_fini(&world->sim);
    fil_role_leave_all();
}

struct fil_sim_client *net_world_client(struct net_world *world)
{
    assert_true(world->client_count < NET_WORLD_CLIENTS_MAX);
    struct fil_sim_client *client = &world->clients[world->client_count];
    assert_int_equal(fil_sim_client_init(client, &world->sim, "client", &world->client_options),
                     FIL_OK);
    world->client_count++;
    fil_sim_client_connect(client, &world->acceptor.bound);
    return client;
}

void net_world_send(struct fil_sim_client *client, const char *text)
{
    fil_sim_client_send(client, fil_bytes_of(text));
}

void net_world_expect(struct fil_sim_client *client, const char *text)
{
    fil_sim_client_expect(client, fil_bytes_of(text));
}

void net_world_expect_big(struct fil_sim_client *client, size_t size)
{
    uint8_t piece[1000];
    for (size_t position = 0; position < size; position += sizeof(piece)) {
        size_t part = size - position < sizeof(piece) ? size - position : sizeof(piece);
        toy_fill(piece, position, part);
        fil_sim_client_expect(client, fil_bytes_make(piece, part));
    }
    net_world_expect(client, "\n");
}

static uint32_t cycle_acceptor(void *context)
{
    fil_role_assert_acceptor();
    return fil_acceptor_cycle(context, FIL_WAIT_FOREVER);
}

static uint32_t cycle_loop(void *context)
{
    fil_role_assert_io();
    return fil_loop_cycle(context, FIL_WAIT_FOREVER);
}

static void run(struct net_world *world, uint64_t time_max_ns)
{
    struct fil_sim_cycle cycles[2 + NET_WORLD_LOOPS_MAX + NET_WORLD_CLIENTS_MAX];
    uint32_t count = 0;
    cycles[count++] = (struct fil_sim_cycle){.cycle = cycle_acceptor, .context = &world->acceptor};
    if (world->worker.cycle != NULL) {
        cycles[count++] = world->worker;
    }
    for (uint32_t i = 0; i < world->loop_count; i++) {
        cycles[count++] = (struct fil_sim_cycle){.cycle = cycle_loop, .context = &world->loops[i]};
    }
    for (uint32_t i = 0; i < world->client_count; i++) {
        cycles[count++] =
            (struct fil_sim_cycle){.cycle = fil_sim_client_cycle, .context = &world->clients[i]};
    }
    struct fil_sim_until until = {.time_max_ns = time_max_ns};
    int error = fil_sim_run(&world->sim, cycles, count, &until);
    if (error != FIL_OK) {
        (void)fil_sim_report(&world->sim, stderr);
        fail_msg("seed=%llu: the run ended with %s", (unsigned long long)world->seed,
                 fil_error_name(error));
    }
}

void net_world_run(struct net_world *world)
{
    run(world, 0);
}

void net_world_run_for(struct net_world *world, uint64_t elapsed_ns)
{
    run(world, elapsed_ns);
}

void net_world_turn(struct net_world *world)
{
    for (uint32_t turn = 0; turn < 3; turn++) {
        (void)cycle_acceptor(&world->acceptor);
        for (uint32_t i = 0; i < world->loop_count; i++) {
            (void)cycle_loop(&world->loops[i]);
        }
    }
}

uint64_t net_world_closed(const struct net_world *world, enum fil_close_reason reason)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < world->loop_count; i++) {
        count += fil_counter_read(&world->loops[i].stats.closed[reason]);
    }
    return count;
}

uint64_t net_world_closed_all(const struct net_world *world)
{
    uint64_t count = 0;
    for (uint32_t reason = 0; reason < FIL_CLOSE_REASON_COUNT; reason++) {
        count += net_world_closed(world, (enum fil_close_reason)reason);
    }
    return count;
}

struct fil_connection *net_world_connection(struct net_world *world)
{
    fil_role_assert_io();
    struct fil_list *connections = &world->loops[0].connections;
    assert_false(fil_list_is_empty(connections));
    assert_ptr_equal(connections->next, connections->previous);
    return FIL_CONTAINER_OF(connections->next, struct fil_connection, link);
}

struct toy_job *net_world_take_job(struct net_world *world)
{
    struct fil_link *oldest = fil_stack_take_all(&world->toy.jobs);
    if (oldest == NULL) {
        return NULL;
    }
    // The others go back, in their order.
    for (struct fil_link *link = oldest->next; link != NULL;) {
        struct fil_link *next = link->next;
        (void)fil_stack_push(&world->toy.jobs, link);
        link = next;
    }
    return FIL_CONTAINER_OF(oldest, struct toy_job, link);
}

void net_world_assert_received(const struct fil_sim_client *client, const char *expected)
{
    struct fil_bytes received = fil_sim_client_received(client);
    if (!fil_bytes_equal_text(received, expected)) {
        fail_msg("expected:\n%s\nreceived:\n%.*s\n", expected, (int)received.size,
                 (const char *)received.data);
    }
}
