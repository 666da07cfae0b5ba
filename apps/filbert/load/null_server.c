// SPDX-License-Identifier: Apache-2.0
#include "null_server.h"

#include <stdatomic.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/os/thread.h"
#include "lib/os/thread_usage.h"
#include "protocol.h"

#define CONNECTIONS_MAX 4096U
#define BUFFER_BYTES    ((size_t)1 << 20)
#define EVENTS_MAX      128
#define NUMBER_AT       10U // of a numbered reply

struct peer {
    int fd; // -1: none
    bool is_greeted;
    size_t held; // bytes of a request that is not complete
    uint8_t *rest;
};

/** A kind of request and its reply. */
struct exchange {
    size_t request_size;
    uint16_t stamp;
    uint8_t *reply;
    size_t reply_size;
};

struct load_null_server {
    struct fil_env *env;
    struct fil_poller *poller;
    const struct load_protocol *protocol;
    int listener;
    struct fil_address address;
    struct exchange greeting; // request_size 0: none
    struct exchange request;
    struct peer peers[CONNECTIONS_MAX];
    uint8_t *input;
    uint8_t *output;
    struct fil_thread thread;
    _Atomic bool is_stopping;
    uint64_t cpu_ns; // written by the thread, read after the join
};

static void drop(struct load_null_server *server, struct peer *peer)
{
    server->env->ops->poller_remove(server->env, server->poller, peer->fd);
    server->env->ops->close(server->env, peer->fd);
    fil_free(peer->rest);
    *peer = (struct peer){.fd = -1};
}

static void take_peer(struct load_null_server *server)
{
    struct fil_env *env = server->env;
    struct fil_address from;
    int fd = -1;
    while (env->ops->accept(env, server->listener, &fd, &from) == FIL_OK) {
        struct peer *peer = NULL;
        for (uint32_t i = 0; i < CONNECTIONS_MAX && peer == NULL; i++) {
            peer = server->peers[i].fd < 0 ? &server->peers[i] : NULL;
        }
        if (peer == NULL ||
            env->ops->poller_add(env, server->poller, fd, FIL_POLL_READ, peer) != FIL_OK) {
            env->ops->close(env, fd);
            continue;
        }
        *peer = (struct peer){.fd = fd, .is_greeted = server->greeting.request_size == 0};
    }
}

/** Appends the reply; a numbered one has its request's number. */
static size_t answer(const struct load_null_server *server, const struct exchange *exchange,
                     const uint8_t *request, size_t at)
{
    memcpy(server->output + at, exchange->reply, exchange->reply_size);
    if (server->protocol->is_numbered) {
        memcpy(server->output + at + NUMBER_AT, request + exchange->stamp, sizeof(uint64_t));
    }
    return at + exchange->reply_size;
}

/** Waits for room: a server that does nothing else may. */
static bool send_all(struct load_null_server *server, struct peer *peer, size_t size)
{
    size_t done = 0;
    while (done < size) {
        struct fil_bytes slice = fil_bytes_make(server->output + done, size - done);
        int64_t sent = server->env->ops->send(server->env, peer->fd, &slice, 1);
        if (sent < 0 && sent != FIL_E_AGAIN) {
            return false;
        }
        done += sent > 0 ? (size_t)sent : 0;
    }
    return true;
}

static bool keep_rest(struct load_null_server *server, struct peer *peer, size_t at, size_t size)
{
    peer->held = size - at;
    if (peer->held > 0 && peer->rest == NULL) {
        peer->rest = fil_alloc(BUFFER_BYTES);
    }
    if (peer->held > 0 && peer->rest != NULL) {
        memcpy(peer->rest, server->input + at, peer->held);
    }
    return peer->held == 0 || peer->rest != NULL;
}

static bool serve(struct load_null_server *server, struct peer *peer)
{
    if (peer->held > 0) {
        memcpy(server->input, peer->rest, peer->held);
    }
    int64_t received = server->env->ops->receive(server->env, peer->fd, server->input + peer->held,
                                                 BUFFER_BYTES - peer->held);
    if (received <= 0) {
        return received == FIL_E_AGAIN;
    }
    size_t size = peer->held + (size_t)received;
    size_t at = 0;
    size_t filled = 0;
    const struct exchange *exchange = peer->is_greeted ? &server->request : &server->greeting;
    while (size - at >= exchange->request_size) {
        if (filled + exchange->reply_size > BUFFER_BYTES) {
            if (!send_all(server, peer, filled)) {
                return false;
            }
            filled = 0;
        }
        filled = answer(server, exchange, server->input + at, filled);
        at += exchange->request_size;
        peer->is_greeted = true;
        exchange = &server->request;
    }
    return send_all(server, peer, filled) && keep_rest(server, peer, at, size);
}

static void run(void *context)
{
    struct load_null_server *server = context;
    struct fil_poll_event events[EVENTS_MAX];
    // A1 pairs with R1: nothing else is told by it.
    while (!atomic_load_explicit(&server->is_stopping, memory_order_acquire)) {
        int count = server->env->ops->poller_wait(server->env, server->poller, events, EVENTS_MAX,
                                                  FIL_WAIT_FOREVER);
        for (int i = 0; i < count; i++) {
            struct peer *peer = events[i].context;
            if (peer == NULL) {
                take_peer(server);
            } else if (peer->fd >= 0 && !serve(server, peer)) {
                drop(server, peer);
            }
        }
    }
    struct fil_thread_usage usage = {0};
    (void)!fil_thread_usage_read(fil_thread_id(), &usage); // 0 where it is not told
    server->cpu_ns = usage.cpu_ns;
}

/** Room for a request or a reply of the options. */
static size_t room_of(const struct load_requests_options *options)
{
    size_t path = options->path == NULL ? 0 : strlen(options->path);
    return (size_t)4096 + path +
           ((size_t)options->key_size + options->value_size + 64) * options->key_batch;
}

static int make_exchange(struct exchange *exchange, const struct load_protocol *protocol,
                         const struct load_requests_options *options, bool is_greeting)
{
    struct fil_writer writer;
    size_t room = room_of(options);
    uint8_t *scratch = fil_alloc(room);
    exchange->reply = fil_alloc(room);
    if (scratch == NULL || exchange->reply == NULL) {
        fil_free(scratch);
        return FIL_E_NOMEM;
    }
    fil_writer_init(&writer, scratch, room);
    struct load_shape shape = is_greeting ? protocol->greet(&writer, options)
                                          : protocol->write(&writer, options->command, options);
    exchange->request_size = shape.size;
    exchange->stamp = shape.expected.stamp;
    fil_free(scratch);
    fil_writer_init(&writer, exchange->reply, room);
    protocol->answer(&writer, is_greeting ? LOAD_COMMAND_COUNT : options->command, options);
    exchange->reply_size = writer.size;
    return writer.is_full || exchange->request_size > BUFFER_BYTES ? FIL_E_LIMIT : FIL_OK;
}

static int open_server(struct load_null_server *server)
{
    struct fil_env *env = server->env;
    struct fil_address any = {.ip = {127, 0, 0, 1}};
    int error = env->ops->poller_new(env, &server->poller);
    if (error == FIL_OK) {
        error = env->ops->listen(env, &any, 1024, &server->listener, &server->address);
    }
    if (error == FIL_OK) {
        error = env->ops->poller_add(env, server->poller, server->listener, FIL_POLL_READ, NULL);
    }
    return error;
}

static void free_server(struct load_null_server *server)
{
    struct fil_env *env = server->env;
    for (uint32_t i = 0; i < CONNECTIONS_MAX; i++) {
        if (server->peers[i].fd >= 0) {
            drop(server, &server->peers[i]);
        }
    }
    if (server->listener >= 0) {
        env->ops->poller_remove(env, server->poller, server->listener);
        env->ops->close(env, server->listener);
    }
    if (server->poller != NULL) {
        env->ops->poller_free(env, server->poller);
    }
    fil_free(server->greeting.reply);
    fil_free(server->request.reply);
    fil_free(server->input);
    fil_free(server->output);
    fil_free(server);
}

static int prepare(struct load_null_server *server, const struct load_requests_options *options)
{
    server->input = fil_alloc(BUFFER_BYTES);
    server->output = fil_alloc(BUFFER_BYTES);
    if (server->input == NULL || server->output == NULL) {
        return FIL_E_NOMEM;
    }
    int error = make_exchange(&server->request, server->protocol, options, false);
    if (error == FIL_OK && server->protocol->greet != NULL) {
        error = make_exchange(&server->greeting, server->protocol, options, true);
    }
    return error == FIL_OK ? open_server(server) : error;
}

int load_null_server_start(struct load_null_server **out_server, struct fil_env *env,
                           const struct load_requests_options *options)
{
    if (load_command_is_mixed(options->command)) {
        return FIL_E_UNSUPPORTED;
    }
    struct load_null_server *server = fil_alloc_zero(1, sizeof(*server));
    if (server == NULL) {
        return FIL_E_NOMEM;
    }
    server->env = env;
    server->listener = -1;
    server->protocol = load_requests_protocol(options);
    for (uint32_t i = 0; i < CONNECTIONS_MAX; i++) {
        server->peers[i].fd = -1;
    }
    int error = prepare(server, options);
    if (error == FIL_OK) {
        error = fil_thread_start(&server->thread, "null-server", run, server);
    }
    if (error != FIL_OK) {
        free_server(server);
        return error;
    }
    *out_server = server;
    return FIL_OK;
}

struct fil_address load_null_server_address(const struct load_null_server *server)
{
    return server->address;
}

uint64_t load_null_server_stop(struct load_null_server *server)
{
    // R1 pairs with A1: the thread looks at it after the wake-up.
    atomic_store_explicit(&server->is_stopping, true, memory_order_release);
    server->env->ops->poller_wake(server->env, server->poller);
    fil_thread_join(&server->thread);
    uint64_t cpu_ns = server->cpu_ns;
    free_server(server);
    return cpu_ns;
}
