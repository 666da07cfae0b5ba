// SPDX-License-Identifier: Apache-2.0
/** What is done with a socket that is there: receive, send, end; and what epoll would say of it. */
#include "lib/base/assert.h"
#include "lib/base/checked.h"
#include "lib/base/hash.h"
#include "tests/support/sim_env_internal.h"

#define WRITABLE_SHARE 3U // a socket is writable again when a third of its buffer is free

static struct fil_sim_end *end_of(const struct fil_sim_socket *socket)
{
    return &socket->connection->ends[socket->side];
}

static struct fil_sim_pipe *in_of(const struct fil_sim_socket *socket)
{
    return &socket->connection->pipes[1 - socket->side];
}

static struct fil_sim_pipe *out_of(const struct fil_sim_socket *socket)
{
    return &socket->connection->pipes[socket->side];
}

static int64_t shorten(struct fil_sim *sim, enum fil_sim_fault fault, int fd, uint64_t size)
{
    fil_assert(size > 0);
    if (size > 1 && fil_sim__strikes(sim, fault, fd)) {
        size = fil_sim_draw(sim, (struct fil_sim_range){.min = 1, .max = size - 1});
    }
    return (int64_t)size;
}

/** As the kernel does it: the error is told once, by whichever call comes first. */
static int64_t tell_reset(struct fil_sim_end *end)
{
    fil_assert(end->life == FIL_SIM_LIFE_RESET);
    end->life = FIL_SIM_LIFE_TOLD;
    return FIL_E_CLOSED;
}

/** How many bytes to hand over, or what to answer in their place. */
static int64_t try_receive(struct fil_sim *sim, int fd, uint64_t size)
{
    const struct fil_sim_socket *socket = fil_sim__stream(sim, fd);
    const struct fil_sim_pipe *in = in_of(socket);
    enum fil_sim_life life = end_of(socket)->life;
    size = fil_min_u64(fil_sim__pipe_unread(in), size);
    if (size == 0 && (in->fin == FIL_SIM_FIN_ARRIVED || life == FIL_SIM_LIFE_TOLD)) {
        return 0;
    }
    if (life == FIL_SIM_LIFE_RESET) {
        return tell_reset(end_of(socket));
    }
    if (size == 0) {
        return FIL_E_AGAIN;
    }
    if (fil_sim__strikes(sim, FIL_SIM_FAULT_RECEIVE_AGAIN, fd)) {
        return FIL_E_AGAIN;
    }
    return shorten(sim, FIL_SIM_FAULT_SHORT_RECEIVE, fd, size);
}

int64_t fil_sim__receive(struct fil_env *env, int fd, void *buffer, size_t size)
{
    fil_assert(size > 0);
    struct fil_sim *sim = fil_sim__of(env);
    int64_t result = try_receive(sim, fd, size);
    uint64_t digest = 0;
    if (result > 0) {
        fil_sim__pipe_read(in_of(fil_sim__stream(sim, fd)), buffer, (uint64_t)result);
        digest = fil_hash(fil_bytes_make(buffer, (size_t)result), 0);
    }
    fil_sim__trace(sim, FIL_SIM_ACTION_RECEIVE, fd, result, digest);
    return result;
}

/** How many bytes to take, or what to answer in their place. */
static int64_t try_send(struct fil_sim *sim, int fd, uint64_t size)
{
    const struct fil_sim_socket *socket = fil_sim__stream(sim, fd);
    const struct fil_sim_pipe *out = out_of(socket);
    enum fil_sim_life life = end_of(socket)->life;
    if (life == FIL_SIM_LIFE_RESET) {
        return tell_reset(end_of(socket));
    }
    if (life == FIL_SIM_LIFE_TOLD || out->fin != FIL_SIM_FIN_NONE) {
        return FIL_E_CLOSED;
    }
    if (size == 0) {
        return 0;
    }
    size = fil_min_u64(fil_sim__pipe_room(out), size);
    if (life == FIL_SIM_LIFE_CONNECTING || size == 0 ||
        fil_sim__strikes(sim, FIL_SIM_FAULT_SEND_AGAIN, fd)) {
        return FIL_E_AGAIN;
    }
    return shorten(sim, FIL_SIM_FAULT_SHORT_SEND, fd, size);
}

/** Returns a digest of the bytes, however they were sliced. */
static uint64_t write_slices(struct fil_sim_pipe *pipe, const struct fil_bytes *slices,
                             uint64_t size)
{
    uint64_t digest = 0;
    for (uint32_t i = 0; size > 0; i++) {
        uint64_t part = fil_min_u64(slices[i].size, size);
        if (part > 0) {
            fil_sim__pipe_write(pipe, slices[i].data, part);
            digest = fil_hash(fil_bytes_make(slices[i].data, part), digest);
            size -= part;
        }
    }
    return digest;
}

static void transmit(struct fil_sim *sim, int fd, const struct fil_bytes *slices, uint64_t size)
{
    struct fil_sim_connection *connection = fil_sim__stream(sim, fd)->connection;
    struct fil_sim_pipe *out = out_of(fil_sim__stream(sim, fd));
    uint64_t start = out->written;
    uint64_t digest = write_slices(out, slices, size);
    fil_sim__trace(sim, FIL_SIM_ACTION_SEND, fd, (int64_t)size, digest);
    fil_sim__pipe_launch(sim, out, start);
    if (fil_sim__strikes(sim, FIL_SIM_FAULT_RESET, fd)) {
        fil_sim__connection_reset(sim, connection, 0);
        fil_sim__connection_reset(sim, connection, 1);
    }
    fil_sim__connection_settle(sim, connection);
}

int64_t fil_sim__send(struct fil_env *env, int fd, const struct fil_bytes *slices, uint32_t count)
{
    fil_assert(count > 0);
    struct fil_sim *sim = fil_sim__of(env);
    uint64_t size = 0;
    for (uint32_t i = 0; i < count && i < FIL_SEND_SLICES_MAX; i++) {
        size += slices[i].size;
    }
    int64_t result = try_send(sim, fd, size);
    if (result > 0) {
        transmit(sim, fd, slices, (uint64_t)result);
    } else {
        fil_sim__trace(sim, FIL_SIM_ACTION_SEND, fd, result, 0);
    }
    return result;
}

void fil_sim__finish(struct fil_env *env, int fd)
{
    struct fil_sim *sim = fil_sim__of(env);
    struct fil_sim_socket *socket = fil_sim__stream(sim, fd);
    fil_sim__trace(sim, FIL_SIM_ACTION_FINISH, fd, 0, 0);
    if (end_of(socket)->life == FIL_SIM_LIFE_OPEN) {
        fil_sim__pipe_finish(sim, out_of(socket));
        fil_sim__connection_settle(sim, socket->connection);
    }
}

// Ways to let go of a socket.

static void let_go(struct fil_sim *sim, int fd, enum fil_sim_life life)
{
    struct fil_sim_socket *socket = fil_sim__stream(sim, fd);
    struct fil_sim_connection *connection = socket->connection;
    end_of(socket)->life = life;
    end_of(socket)->fd = -1;
    fil_sim__socket_release(sim, fd);
    fil_sim__connection_settle(sim, connection);
    fil_sim__connection_release(sim, connection);
}

static void abort_stream(struct fil_sim *sim, int fd)
{
    struct fil_sim_socket *socket = fil_sim__stream(sim, fd);
    fil_sim__pipe_drop(out_of(socket));
    fil_sim__connection_reset(sim, socket->connection, 1 - socket->side);
    let_go(sim, fd, FIL_SIM_LIFE_CLOSED);
}

static void close_stream(struct fil_sim *sim, int fd)
{
    struct fil_sim_socket *socket = fil_sim__stream(sim, fd);
    enum fil_sim_life life = end_of(socket)->life;
    uint64_t unread = fil_sim__pipe_unread(in_of(socket));
    fil_sim__trace(sim, FIL_SIM_ACTION_CLOSE, fd, (int64_t)unread, 0);
    // As TCP does it: who closes with bytes unread has not had the whole conversation, and says so.
    if (life == FIL_SIM_LIFE_CONNECTING || unread > 0) {
        abort_stream(sim, fd);
        return;
    }
    if (life == FIL_SIM_LIFE_OPEN) {
        fil_sim__pipe_finish(sim, out_of(socket));
    }
    let_go(sim, fd, FIL_SIM_LIFE_CLOSED);
}

static void close_listener(struct fil_sim *sim, int fd)
{
    struct fil_sim_socket *socket = fil_sim__socket(sim, fd);
    fil_sim__trace(sim, FIL_SIM_ACTION_CLOSE, fd, socket->backlog_count, 0);
    struct fil_list *first = NULL;
    while ((first = fil_list_take_front(&socket->backlog)) != NULL) {
        struct fil_sim_connection *connection =
            FIL_CONTAINER_OF(first, struct fil_sim_connection, pending);
        connection->ends[1].life = FIL_SIM_LIFE_CLOSED;
        fil_sim__connection_reset(sim, connection, 0);
        fil_sim__connection_settle(sim, connection);
        fil_sim__connection_release(sim, connection);
    }
    fil_sim__socket_release(sim, fd);
}

void fil_sim__close(struct fil_env *env, int fd)
{
    struct fil_sim *sim = fil_sim__of(env);
    if (fil_sim__socket(sim, fd)->kind == FIL_SIM_KIND_LISTENER) {
        close_listener(sim, fd);
    } else {
        close_stream(sim, fd);
    }
}

void fil_sim_reset(struct fil_sim *sim, int fd)
{
    fil_sim__trace(sim, FIL_SIM_ACTION_ABORT, fd, 0, 0);
    abort_stream(sim, fd);
}

void fil_sim_vanish(struct fil_sim *sim, int fd)
{
    fil_sim__trace(sim, FIL_SIM_ACTION_VANISH, fd, 0, 0);
    let_go(sim, fd, FIL_SIM_LIFE_VANISHED);
}

static uint32_t open_ready(const struct fil_sim_pipe *in, const struct fil_sim_pipe *out)
{
    bool is_over = in->fin == FIL_SIM_FIN_ARRIVED;
    bool is_finished = out->fin != FIL_SIM_FIN_NONE;
    uint64_t room = fil_sim__pipe_room(out);
    uint32_t ready = 0;
    if (fil_sim__pipe_unread(in) > 0 || is_over) {
        ready |= FIL_POLL_READ;
    }
    if (is_over) {
        ready |= FIL_POLL_END;
    }
    if (is_finished || (room > 0 && room >= out->capacity / WRITABLE_SHARE)) {
        ready |= FIL_POLL_WRITE;
    }
    // Both directions have ended: epoll calls it hung up.
    if (is_over && is_finished) {
        ready |= FIL_POLL_ERROR;
    }
    return ready;
}

uint32_t fil_sim__socket_ready(const struct fil_sim_socket *socket)
{
    if (socket->kind == FIL_SIM_KIND_LISTENER) {
        return fil_list_is_empty(&socket->backlog) ? 0 : FIL_POLL_READ;
    }
    fil_assert(socket->kind == FIL_SIM_KIND_STREAM);
    switch (end_of(socket)->life) {
    case FIL_SIM_LIFE_OPEN:
        return open_ready(in_of(socket), out_of(socket));
    case FIL_SIM_LIFE_RESET:
    case FIL_SIM_LIFE_TOLD:
        return FIL_POLL_READ | FIL_POLL_WRITE | FIL_POLL_ERROR | FIL_POLL_END;
    case FIL_SIM_LIFE_NONE:
    case FIL_SIM_LIFE_CONNECTING:
    case FIL_SIM_LIFE_CLOSED:
    case FIL_SIM_LIFE_VANISHED:
        break;
    }
    return 0;
}
