// SPDX-License-Identifier: Apache-2.0
/** Connections: their greeting, what arrives at which end, resets. */
#include <string.h>

#include "lib/base/assert.h"
#include "tests/support/sim_env_internal.h"

struct fil_sim_connection *fil_sim__connection_take(struct fil_sim *sim)
{
    for (uint32_t i = 0; i < sim->options.connections_max; i++) {
        struct fil_sim_connection *connection = &sim->connections[i];
        if (connection->is_used) {
            continue;
        }
        memset(connection, 0, sizeof(*connection));
        fil_list_init(&connection->pending);
        for (uint32_t side = 0; side < 2; side++) {
            connection->ends[side].fd = -1;
            connection->ends[side].reset_ns = FIL_SIM_NEVER;
            connection->pipes[side].bytes =
                sim->buffers + (2 * i + side) * sim->options.buffer_bytes.max;
            connection->pipes[side].capacity = fil_sim_draw(sim, sim->options.buffer_bytes);
        }
        connection->is_used = true;
        sim->connection_count++;
        sim->connection_count_ever++;
        connection->id = sim->connection_count_ever;
        return connection;
    }
    return NULL;
}

void fil_sim__connection_release(struct fil_sim *sim, struct fil_sim_connection *connection)
{
    fil_assert(connection->is_used);
    bool is_held = connection->ends[0].fd >= 0 || connection->ends[1].fd >= 0 ||
                   fil_list_is_linked(&connection->pending);
    if (!is_held) {
        connection->is_used = false;
        sim->connection_count--;
    }
}

void fil_sim__connection_reset(struct fil_sim *sim, struct fil_sim_connection *connection,
                               uint32_t side)
{
    struct fil_sim_end *end = &connection->ends[side];
    uint64_t at_ns = sim->now_ns + fil_sim_draw(sim, sim->options.delay_ns);
    if (at_ns < end->reset_ns) {
        end->reset_ns = at_ns;
    }
}

// Arrivals. The functions return whether something was due, because one arrival may cause the next
// at the same instant.

static void answer_request(struct fil_sim *sim, struct fil_sim_connection *connection)
{
    int fd = connection->ends[0].fd;
    struct fil_sim_socket *listener = fil_sim__listener_find(sim, &connection->to);
    bool is_refused = listener == NULL || listener->backlog_count >= listener->backlog_count_max ||
                      fil_sim__strikes(sim, FIL_SIM_FAULT_CONNECT_REFUSED, fd);
    connection->greeting = is_refused ? FIL_SIM_GREETING_REFUSAL : FIL_SIM_GREETING_GRANT;
    connection->greeting_ns = fil_sim__pipe_arrival_ns(sim, &connection->pipes[1]);
    if (!is_refused) {
        fil_list_push_back(&listener->backlog, &connection->pending);
        listener->backlog_count++;
        connection->ends[1].life = FIL_SIM_LIFE_OPEN;
    }
    fil_sim__trace(sim, FIL_SIM_ACTION_ARRIVE_SYN, fd, is_refused ? 0 : listener->backlog_count,
                   connection->id);
}

static bool settle_greeting(struct fil_sim *sim, struct fil_sim_connection *connection)
{
    if (connection->greeting == FIL_SIM_GREETING_DONE || connection->greeting_ns > sim->now_ns) {
        return false;
    }
    if (connection->greeting == FIL_SIM_GREETING_REQUEST) {
        answer_request(sim, connection);
        return true;
    }

    struct fil_sim_end *end = &connection->ends[0];
    bool is_granted = connection->greeting == FIL_SIM_GREETING_GRANT;
    connection->greeting = FIL_SIM_GREETING_DONE;
    // Who has closed or vanished in the meantime hears no answer.
    if (end->life == FIL_SIM_LIFE_CONNECTING) {
        end->life = is_granted ? FIL_SIM_LIFE_OPEN : FIL_SIM_LIFE_RESET;
        fil_sim__trace(sim, is_granted ? FIL_SIM_ACTION_ESTABLISHED : FIL_SIM_ACTION_REFUSED,
                       end->fd, 0, connection->id);
    }
    return true;
}

/** Bytes for an end that is gone are answered with a reset. */
static void deliver_segment(struct fil_sim *sim, struct fil_sim_connection *connection,
                            uint32_t side)
{
    struct fil_sim_pipe *pipe = &connection->pipes[side];
    const struct fil_sim_end *receiver = &connection->ends[1 - side];
    uint64_t size = fil_sim__pipe_deliver(pipe);
    fil_sim__trace(sim, FIL_SIM_ACTION_ARRIVE, receiver->fd, (int64_t)size, connection->id);
    if (receiver->life != FIL_SIM_LIFE_OPEN) {
        pipe->consumed = pipe->arrived;
        fil_sim__connection_reset(sim, connection, side);
    }
}

static bool settle_pipe(struct fil_sim *sim, struct fil_sim_connection *connection, uint32_t side)
{
    struct fil_sim_pipe *pipe = &connection->pipes[side];
    const struct fil_sim_end *receiver = &connection->ends[1 - side];
    // To one that has vanished nothing arrives, so that its peer's buffer stays full.
    if (receiver->life == FIL_SIM_LIFE_VANISHED || fil_sim__pipe_next_ns(pipe) > sim->now_ns) {
        return false;
    }
    if (pipe->segment_count > 0) {
        deliver_segment(sim, connection, side);
    } else {
        pipe->fin = FIL_SIM_FIN_ARRIVED;
        fil_sim__trace(sim, FIL_SIM_ACTION_ARRIVE_END, receiver->fd, 0, connection->id);
    }
    return true;
}

static bool settle_reset(struct fil_sim *sim, struct fil_sim_connection *connection, uint32_t side)
{
    struct fil_sim_end *end = &connection->ends[side];
    if (end->reset_ns > sim->now_ns) {
        return false;
    }
    end->reset_ns = FIL_SIM_NEVER;
    if (end->life != FIL_SIM_LIFE_OPEN && end->life != FIL_SIM_LIFE_CONNECTING) {
        return true; // nobody is there to hear it
    }

    struct fil_sim_pipe *in = &connection->pipes[1 - side];
    uint64_t lost = in->written - in->consumed;
    fil_sim__pipe_drop(in);
    in->consumed = in->arrived;
    if (lost > 0) {
        in->fin = FIL_SIM_FIN_NONE; // or a stream with a hole would seem to have ended well
    }
    fil_sim__pipe_drop(&connection->pipes[side]);
    end->life = FIL_SIM_LIFE_RESET;
    fil_sim__trace(sim, FIL_SIM_ACTION_ARRIVE_RST, end->fd, (int64_t)lost, connection->id);
    return true;
}

void fil_sim__connection_settle(struct fil_sim *sim, struct fil_sim_connection *connection)
{
    // The greeting comes first: what follows it may arrive at the same instant, not before.
    while (settle_greeting(sim, connection) || settle_pipe(sim, connection, 0) ||
           settle_pipe(sim, connection, 1) || settle_reset(sim, connection, 0) ||
           settle_reset(sim, connection, 1)) {
        sim->arrival_count++;
    }
}

void fil_sim__connections_settle(struct fil_sim *sim)
{
    uint32_t left = sim->connection_count;
    for (uint32_t i = 0; left > 0; i++) {
        fil_assert(i < sim->options.connections_max);
        if (sim->connections[i].is_used) {
            fil_sim__connection_settle(sim, &sim->connections[i]);
            left--;
        }
    }
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t next_of(const struct fil_sim_connection *connection)
{
    uint64_t next_ns = FIL_SIM_NEVER;
    if (connection->greeting != FIL_SIM_GREETING_DONE) {
        next_ns = connection->greeting_ns;
    }
    for (uint32_t side = 0; side < 2; side++) {
        next_ns = earlier(next_ns, connection->ends[side].reset_ns);
        if (connection->ends[1 - side].life != FIL_SIM_LIFE_VANISHED) {
            next_ns = earlier(next_ns, fil_sim__pipe_next_ns(&connection->pipes[side]));
        }
    }
    return next_ns;
}

uint64_t fil_sim__connections_next_ns(struct fil_sim *sim)
{
    uint64_t next_ns = FIL_SIM_NEVER;
    uint32_t left = sim->connection_count;
    for (uint32_t i = 0; left > 0; i++) {
        fil_assert(i < sim->options.connections_max);
        if (sim->connections[i].is_used) {
            next_ns = earlier(next_ns, next_of(&sim->connections[i]));
            left--;
        }
    }
    fil_assert(next_ns > sim->now_ns);
    return next_ns;
}
