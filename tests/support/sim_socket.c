// SPDX-License-Identifier: Apache-2.0
/** Descriptors, and the environment's network functions on them. */
#include <string.h>

#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "tests/support/sim_env_internal.h"

#define PORT_LISTEN_FIRST  40000U
#define PORT_CONNECT_FIRST 50000U
#define PORT_CONNECT_COUNT 15000U
#define IPV4_SIZE          4U
#define IPV6_SIZE          16U

#define LISTENERS_MAX        16U
#define CONNECTIONS_DEFAULT  64U
#define BUFFER_BYTES_DEFAULT 65536U

int fil_sim__sockets_init(struct fil_sim *sim)
{
    struct fil_sim_options *options = &sim->options;
    if (options->connections_max == 0) {
        options->connections_max = CONNECTIONS_DEFAULT;
    }
    if (options->buffer_bytes.max == 0) {
        options->buffer_bytes =
            (struct fil_sim_range){.min = BUFFER_BYTES_DEFAULT, .max = BUFFER_BYTES_DEFAULT};
    }
    fil_assert(options->buffer_bytes.min > 0);

    sim->socket_count_max = 2 * options->connections_max + LISTENERS_MAX;
    sim->sockets = fil_alloc_zero(sim->socket_count_max, sizeof(*sim->sockets));
    sim->connections = fil_alloc_zero(options->connections_max, sizeof(*sim->connections));
    sim->buffers = fil_alloc(2 * options->connections_max * options->buffer_bytes.max);
    sim->ready_slots = fil_alloc_zero(sim->socket_count_max, sizeof(*sim->ready_slots));
    bool is_complete = sim->sockets != NULL && sim->connections != NULL && sim->buffers != NULL &&
                       sim->ready_slots != NULL;
    return is_complete ? FIL_OK : FIL_E_NOMEM;
}

void fil_sim__sockets_fini(struct fil_sim *sim)
{
    fil_free(sim->ready_slots);
    fil_free(sim->buffers);
    fil_free(sim->connections);
    fil_free(sim->sockets);
}

// Descriptors: the lowest free number, as the kernel gives them, so that a stale one soon means
// somebody else's socket.

static int take_descriptor(struct fil_sim *sim, const char *name, enum fil_sim_kind kind)
{
    uint32_t limit = sim->options.descriptors_max;
    if (name == NULL && limit != 0 && sim->descriptor_count >= limit) {
        return -1;
    }
    for (uint32_t slot = 0; slot < sim->socket_count_max; slot++) {
        struct fil_sim_socket *socket = &sim->sockets[slot];
        if (socket->kind == FIL_SIM_KIND_FREE) {
            *socket = (struct fil_sim_socket){.kind = kind, .name = name, .opened_ns = sim->now_ns};
            fil_list_init(&socket->backlog);
            sim->socket_count++;
            sim->descriptor_count += name == NULL;
            return FIL_SIM_FD_FIRST + (int)slot;
        }
    }
    return -1;
}

void fil_sim__socket_release(struct fil_sim *sim, int fd)
{
    struct fil_sim_socket *socket = fil_sim__socket(sim, fd);
    fil_assert(fil_list_is_empty(&socket->backlog));
    fil_sim__pollers_forget(sim, fd);
    sim->socket_count--;
    sim->descriptor_count -= socket->name == NULL;
    socket->kind = FIL_SIM_KIND_FREE;
}

struct fil_sim_socket *fil_sim__socket(struct fil_sim *sim, int fd)
{
    fil_assert(fd >= FIL_SIM_FD_FIRST);
    uint32_t slot = (uint32_t)(fd - FIL_SIM_FD_FIRST);
    fil_assert(slot < sim->socket_count_max);
    struct fil_sim_socket *socket = &sim->sockets[slot];
    fil_assert(socket->kind != FIL_SIM_KIND_FREE);
    return socket;
}

struct fil_sim_socket *fil_sim__stream(struct fil_sim *sim, int fd)
{
    struct fil_sim_socket *socket = fil_sim__socket(sim, fd);
    fil_assert(socket->kind == FIL_SIM_KIND_STREAM);
    fil_assert(socket->connection->ends[socket->side].fd == fd);
    return socket;
}

static bool is_wildcard(const struct fil_address *address)
{
    static const uint8_t zeros[IPV6_SIZE];
    return memcmp(address->ip, zeros, address->is_ipv6 ? IPV6_SIZE : IPV4_SIZE) == 0;
}

static bool is_same_host(const struct fil_address *a, const struct fil_address *b)
{
    return a->is_ipv6 == b->is_ipv6 &&
           memcmp(a->ip, b->ip, a->is_ipv6 ? IPV6_SIZE : IPV4_SIZE) == 0;
}

struct fil_sim_socket *fil_sim__listener_find(struct fil_sim *sim,
                                              const struct fil_address *address)
{
    for (uint32_t slot = 0; slot < sim->socket_count_max; slot++) {
        struct fil_sim_socket *socket = &sim->sockets[slot];
        if (socket->kind == FIL_SIM_KIND_LISTENER && socket->address.port == address->port &&
            (is_wildcard(&socket->address) || is_wildcard(address) ||
             is_same_host(&socket->address, address))) {
            return socket;
        }
    }
    return NULL;
}

static bool choose_port(struct fil_sim *sim, struct fil_address *address)
{
    for (uint32_t port = PORT_LISTEN_FIRST; port < PORT_CONNECT_FIRST; port++) {
        address->port = (uint16_t)port;
        if (fil_sim__listener_find(sim, address) == NULL) {
            return true;
        }
    }
    return false;
}

static int try_listen(struct fil_sim *sim, struct fil_address *address, int backlog)
{
    bool is_free = address->port == 0 ? choose_port(sim, address)
                                      : fil_sim__listener_find(sim, address) == NULL;
    if (!is_free) {
        return FIL_E_ADDRESS_USED;
    }
    int fd = take_descriptor(sim, NULL, FIL_SIM_KIND_LISTENER);
    if (fd < 0) {
        return FIL_E_SYSTEM;
    }
    struct fil_sim_socket *socket = fil_sim__socket(sim, fd);
    uint32_t cap = sim->options.backlog_max;
    socket->opened_by = "listen";
    socket->address = *address;
    socket->backlog_count_max = (uint32_t)backlog;
    if (cap != 0 && socket->backlog_count_max > cap) {
        socket->backlog_count_max = cap;
    }
    return fd;
}

int fil_sim__listen(struct fil_env *env, const struct fil_address *address, int backlog,
                    int *out_fd, struct fil_address *out_bound)
{
    fil_assert(backlog > 0);
    struct fil_sim *sim = fil_sim__of(env);
    struct fil_address bound = *address;
    int result = try_listen(sim, &bound, backlog);
    fil_sim__trace(sim, FIL_SIM_ACTION_LISTEN, result, result, bound.port);
    if (result < 0) {
        return result;
    }
    *out_fd = result;
    *out_bound = bound;
    return FIL_OK;
}

static int try_accept(struct fil_sim *sim, int listener, struct fil_sim_connection **out_connection)
{
    struct fil_sim_socket *socket = fil_sim__socket(sim, listener);
    fil_assert(socket->kind == FIL_SIM_KIND_LISTENER);
    if (fil_list_is_empty(&socket->backlog) ||
        fil_sim__strikes(sim, FIL_SIM_FAULT_ACCEPT_AGAIN, listener)) {
        return FIL_E_AGAIN;
    }
    if (fil_sim__strikes(sim, FIL_SIM_FAULT_ACCEPT_SYSTEM, listener)) {
        return FIL_E_SYSTEM;
    }
    int fd = take_descriptor(sim, NULL, FIL_SIM_KIND_STREAM);
    if (fd < 0) {
        return FIL_E_SYSTEM;
    }
    struct fil_list *first = fil_list_take_front(&socket->backlog);
    *out_connection = FIL_CONTAINER_OF(first, struct fil_sim_connection, pending);
    fil_assert(socket->backlog_count > 0);
    socket->backlog_count--;
    return fd;
}

int fil_sim__accept(struct fil_env *env, int listener, int *out_fd, struct fil_address *out_peer)
{
    struct fil_sim *sim = fil_sim__of(env);
    struct fil_sim_connection *connection = NULL;
    int fd = try_accept(sim, listener, &connection);
    fil_sim__trace(sim, FIL_SIM_ACTION_ACCEPT, listener, fd, fd < 0 ? 0 : connection->id);
    if (fd < 0) {
        return fd;
    }
    struct fil_sim_socket *socket = fil_sim__socket(sim, fd);
    socket->opened_by = "accept";
    socket->address = connection->from;
    socket->connection = connection;
    socket->side = 1;
    connection->ends[1].fd = fd;
    *out_fd = fd;
    *out_peer = connection->from;
    return FIL_OK;
}

static struct fil_address local_address(struct fil_sim *sim, const struct fil_address *to)
{
    struct fil_address from = {.is_ipv6 = to->is_ipv6};
    if (to->is_ipv6) {
        from.ip[IPV6_SIZE - 1] = 1;
    } else {
        from.ip[0] = 127;
        from.ip[IPV4_SIZE - 1] = 1;
    }
    from.port = (uint16_t)(PORT_CONNECT_FIRST + sim->connection_count_ever % PORT_CONNECT_COUNT);
    return from;
}

static int try_connect(struct fil_sim *sim, const char *name, const struct fil_address *from,
                       const struct fil_address *to)
{
    if (to->port == 0) {
        return FIL_E_ADDRESS;
    }
    int fd = take_descriptor(sim, name, FIL_SIM_KIND_STREAM);
    if (fd < 0) {
        return FIL_E_SYSTEM;
    }
    struct fil_sim_connection *connection = fil_sim__connection_take(sim);
    if (connection == NULL) {
        fil_sim__socket_release(sim, fd);
        return FIL_E_SYSTEM;
    }
    connection->from = from == NULL ? local_address(sim, to) : *from;
    connection->to = *to;
    connection->ends[0].fd = fd;
    connection->ends[0].life = FIL_SIM_LIFE_CONNECTING;
    connection->greeting_ns = fil_sim__pipe_arrival_ns(sim, &connection->pipes[0]);

    struct fil_sim_socket *socket = fil_sim__socket(sim, fd);
    socket->opened_by = "connect";
    socket->address = *to;
    socket->connection = connection;
    socket->side = 0;
    return fd;
}

int fil_sim_connect(struct fil_sim *sim, const char *name, const struct fil_address *from,
                    const struct fil_address *to, int *out_fd)
{
    int fd = try_connect(sim, name, from, to);
    fil_sim__trace(sim, FIL_SIM_ACTION_CONNECT, fd, fd, sim->connection_count_ever);
    if (fd < 0) {
        return fd;
    }
    fil_sim__connection_settle(sim, fil_sim__stream(sim, fd)->connection);
    *out_fd = fd;
    return FIL_OK;
}

int fil_sim__connect(struct fil_env *env, const struct fil_address *address, int *out_fd)
{
    return fil_sim_connect(fil_sim__of(env), NULL, NULL, address, out_fd);
}

static const char *life_text(enum fil_sim_life life)
{
    static const char *const texts[] = {"not there yet",  "connecting", "open",    "reset",
                                        "reset and told", "closed",     "vanished"};
    fil_assert((uint32_t)life < FIL_COUNT_OF(texts));
    return texts[life];
}

static void report_stream(const struct fil_sim_socket *socket, FILE *out)
{
    const struct fil_sim_connection *connection = socket->connection;
    const struct fil_sim_pipe *in = &connection->pipes[1 - socket->side];
    const struct fil_sim_pipe *sent = &connection->pipes[socket->side];
    (void)fprintf(out, ", connection %llu, %s, %llu bytes unread, %llu sent and not taken",
                  (unsigned long long)connection->id,
                  life_text(connection->ends[socket->side].life),
                  (unsigned long long)fil_sim__pipe_unread(in),
                  (unsigned long long)(sent->written - sent->consumed));
}

uint32_t fil_sim__sockets_report(struct fil_sim *sim, FILE *out)
{
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < sim->socket_count_max; slot++) {
        const struct fil_sim_socket *socket = &sim->sockets[slot];
        if (socket->kind == FIL_SIM_KIND_FREE) {
            continue;
        }
        char address[FIL_ADDRESS_TEXT_MAX];
        (void)fprintf(out, "  descriptor %u: %s of %s at %llu ns, %s", FIL_SIM_FD_FIRST + slot,
                      socket->opened_by, socket->name == NULL ? "the program" : socket->name,
                      (unsigned long long)socket->opened_ns,
                      fil_address_format(&socket->address, address));
        if (socket->kind == FIL_SIM_KIND_STREAM) {
            report_stream(socket, out);
        }
        (void)fputc('\n', out);
        count++;
    }
    return count;
}
