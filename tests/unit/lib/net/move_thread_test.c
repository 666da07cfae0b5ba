// SPDX-License-Identifier: Apache-2.0
/**
 * Moves between loops that have threads of their own, on real sockets, for TSan: three I/O threads,
 * an acceptor's thread, a thread that finishes the relay's jobs, clients that flood and read in
 * small pieces, and a message on every loop that moves a connection in each turn, up to the end of
 * the drain. Every client gets its replies once and in order, and nothing is left: no connection,
 * session, job or byte.
 */
#include <stdio.h>
#include <string.h>

#include "lib/base/alloc.h"
#include "lib/base/prng.h"
#include "lib/net/acceptor.h"
#include "lib/net/connection.h"
#include "lib/net/loop.h"
#include "lib/os/thread.h"
#include "tests/unit/harness.h"
#include "tests/unit/lib/net/toy.h"

#define LOOPS            3U
#define CLIENTS          8U
#define LINES_PER_CLIENT 200U
#define REPLY_BYTES_MAX  9000U
#define STREAM_BYTES_MAX ((size_t)LINES_PER_CLIENT * (REPLY_BYTES_MAX + 64))
#define SECOND           UINT64_C(1000000000)
#define MOVES_MIN        1000U // the clients go on until there have been as many

/** Makes a loop give a connection away. */
struct shove {
    struct fil_message message;
    struct fil_prng prng;
};

/** Bytes with room for everything. */
struct stream {
    char *bytes;
    size_t size;
};

struct client {
    struct fil_thread thread;
    uint32_t number;
    bool is_relay;
    struct stream script;
    struct stream expected;
    struct stream received;
    const char *problem;
};

static struct fil_budget budget;
static struct toy toy;
static struct fil_protocol protocols[] = {{&toy_echo_protocol, &toy}, {&toy_relay_protocol, &toy}};
static struct fil_loop loops[LOOPS];
static struct fil_thread loop_threads[LOOPS];
static struct shove shoves[LOOPS];
static struct fil_acceptor acceptor;
static struct fil_thread acceptor_thread;
static struct fil_thread worker_thread;
static struct fil_parker worker_parker;
static struct fil_pool worker_pool;
static struct client clients[CLIENTS];
static _Atomic bool is_stopping;       // the acceptor's
static _Atomic bool is_draining;       // the loops'
static _Atomic bool is_over;           // the worker's
static _Atomic bool is_worker_started; // it must own its pool before jobs come

static bool is_set(_Atomic bool *flag)
{
    return atomic_load_explicit(flag, memory_order_seq_cst);
}

static void set(_Atomic bool *flag)
{
    atomic_store_explicit(flag, true, memory_order_seq_cst);
}

static void wake_worker(void *context)
{
    (void)context;
    (void)fil_parker_wake(&worker_parker);
}

/** One worker, so that the jobs of a connection are finished in their order. */
static void run_worker(void *context)
{
    (void)context;
    fil_pool_adopt(&worker_pool);
    set(&is_worker_started);
    while (!is_set(&is_over) || !fil_stack_is_empty(&toy.jobs)) {
        struct fil_link *link = fil_stack_take_all(&toy.jobs);
        while (link != NULL) {
            struct toy_job *job = FIL_CONTAINER_OF(link, struct toy_job, link);
            link = link->next;
            toy_job_finish(job, &worker_pool);
        }
        fil_parker_prepare(&worker_parker);
        if (fil_stack_is_empty(&toy.jobs) && !is_set(&is_over)) {
            fil_parker_park(&worker_parker, FIL_WAIT_FOREVER);
        } else {
            fil_parker_cancel(&worker_parker);
        }
    }
}

static void run_loop(void *context)
{
    struct fil_loop *loop = context;
    fil_loop_enter(loop);
    fil_role_assert_io();
    while (!is_set(&is_draining) || fil_loop_connection_count(loop) > 0) {
        (void)fil_loop_cycle(loop, is_set(&is_draining) ? 1000000 : FIL_WAIT_FOREVER);
        if (is_set(&is_draining)) {
            fil_loop_drain(loop);
        }
    }
}

static void run_acceptor(void *context)
{
    fil_role_enter(&fil_role_acceptor);
    fil_role_assert_acceptor();
    while (!is_set(&is_stopping)) {
        (void)fil_acceptor_cycle(context, FIL_WAIT_FOREVER);
    }
}

/** Moves the connection that came longest ago to any loop, and comes again. */
static void run_shove(struct fil_loop *loop, struct fil_message *message)
{
    fil_role_assert_io();
    struct shove *shove = FIL_CONTAINER_OF(message, struct shove, message);
    if (!fil_list_is_empty(&loop->connections)) {
        fil_connection_move(
            FIL_CONTAINER_OF(loop->connections.previous, struct fil_connection, link),
            &loops[fil_prng_below(&shove->prng, LOOPS)]);
    }
    fil_loop_post(loop, message);
}

// Clients.

static void add_text(struct stream *stream, const char *text)
{
    size_t size = strlen(text);
    assert_true(stream->size + size <= STREAM_BYTES_MAX);
    memcpy(stream->bytes + stream->size, text, size);
    stream->size += size;
}

static void add_letters(struct stream *stream, size_t size)
{
    assert_true(stream->size + size <= STREAM_BYTES_MAX);
    toy_fill((uint8_t *)stream->bytes + stream->size, 0, size);
    stream->size += size;
    add_text(stream, "\n");
}

static void write_line(struct client *client, uint32_t index, size_t size)
{
    char line[64];
    if (client->is_relay) {
        (void)snprintf(line, sizeof(line), "R %u %zu\n", index, size);
        add_text(&client->script, line);
        (void)snprintf(line, sizeof(line), "%u ", index);
        add_text(&client->expected, line);
        add_letters(&client->expected, size);
    } else if (index > 0 && size > 50) {
        (void)snprintf(line, sizeof(line), "big %zu\n", size);
        add_text(&client->script, line);
        add_letters(&client->expected, size);
    } else {
        (void)snprintf(line, sizeof(line), "ECHO %u\n", index);
        add_text(&client->script, line);
        add_text(&client->expected, line);
    }
}

static void open_client(struct client *client, uint32_t number)
{
    struct fil_prng prng;
    fil_prng_init(&prng, number);
    client->number = number;
    client->is_relay = number % 2 == 1;
    client->script.bytes = fil_alloc(STREAM_BYTES_MAX);
    client->expected.bytes = fil_alloc(STREAM_BYTES_MAX);
    client->received.bytes = fil_alloc(STREAM_BYTES_MAX);
    assert_non_null(client->script.bytes);
    assert_non_null(client->expected.bytes);
    assert_non_null(client->received.bytes);
    for (uint32_t i = 0; i < LINES_PER_CLIENT; i++) {
        bool is_large = fil_prng_chance(&prng, 0.2);
        write_line(client, i, fil_prng_below(&prng, is_large ? REPLY_BYTES_MAX : 50));
    }
}

/** Sends and receives what the socket takes and has; false when it is over. */
static bool exchange(struct client *client, struct fil_prng *prng, int fd, size_t *sent_size)
{
    struct fil_env *env = fil_env_real();
    if (*sent_size < client->script.size) {
        size_t left = client->script.size - *sent_size;
        size_t part = 1 + fil_prng_below(prng, left < 300 ? left : 300);
        struct fil_bytes slice = fil_bytes_make(client->script.bytes + *sent_size, part);
        int64_t sent = env->ops->send(env, fd, &slice, 1);
        *sent_size += sent > 0 ? (size_t)sent : 0;
    }
    size_t part = 1 + fil_prng_below(prng, 3000);
    size_t room = STREAM_BYTES_MAX - client->received.size;
    int64_t count = env->ops->receive(env, fd, client->received.bytes + client->received.size,
                                      part < room ? part : room);
    if (count == 0 || count == FIL_E_CLOSED) {
        client->problem = "the connection was closed";
        return false;
    }
    client->received.size += count > 0 ? (size_t)count : 0;
    return client->received.size < client->expected.size;
}

static uint64_t count_moves(void)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < LOOPS; i++) {
        count += fil_counter_read(&loops[i].stats.moves);
    }
    return count;
}

/** Sends the script and receives the replies once. */
static void converse(struct client *client, struct fil_prng *prng, struct fil_poller *poller,
                     int fd)
{
    struct fil_env *env = fil_env_real();
    struct fil_poll_event event;
    size_t sent_size = 0;
    client->received.size = 0;
    do {
        uint32_t interest =
            sent_size < client->script.size ? FIL_POLL_READ | FIL_POLL_WRITE : FIL_POLL_READ;
        if (env->ops->poller_change(env, poller, fd, interest, client) != FIL_OK) {
            client->problem = "the poller refused";
        }
        (void)env->ops->poller_wait(env, poller, &event, 1, FIL_WAIT_FOREVER);
    } while (client->problem == NULL && exchange(client, prng, fd, &sent_size));
    if (client->problem == NULL &&
        (client->received.size != client->expected.size ||
         memcmp(client->received.bytes, client->expected.bytes, client->expected.size) != 0)) {
        client->problem = "the replies are wrong";
    }
}

static void run_client(void *context)
{
    struct client *client = context;
    struct fil_env *env = fil_env_real();
    struct fil_poller *poller = NULL;
    struct fil_prng prng;
    int fd = -1;
    fil_prng_init(&prng, client->number + 100);
    if (env->ops->poller_new(env, &poller) != FIL_OK ||
        env->ops->connect(env, &acceptor.bound, &fd) != FIL_OK ||
        env->ops->poller_add(env, poller, fd, FIL_POLL_READ | FIL_POLL_WRITE, client) != FIL_OK) {
        client->problem = "no connection";
        return;
    }
    do {
        converse(client, &prng, poller, fd);
    } while (client->problem == NULL && count_moves() < MOVES_MIN);
    env->ops->poller_remove(env, poller, fd);
    env->ops->close(env, fd);
    env->ops->poller_free(env, poller);
}

static void check_client(struct client *client)
{
    if (client->problem != NULL) {
        fail_msg("client %u: %s", client->number, client->problem);
    }
    fil_free(client->script.bytes);
    fil_free(client->expected.bytes);
    fil_free(client->received.bytes);
}

// The whole.

static void start_loops(void)
{
    struct fil_loop_options options = {
        .env = fil_env_real(),
        .budget = &budget,
        .limits = {.connections_max = 100,
                   .handshake_bytes_max = 64,
                   .handshake_timeout_ns = 60 * SECOND,
                   .frame_bytes_max = 4096,
                   .output_bytes_max = 20000,
                   .stall_timeout_ns = 60 * SECOND},
        .protocols = protocols,
        .protocol_count = FIL_COUNT_OF(protocols),
    };
    for (uint32_t i = 0; i < LOOPS; i++) {
        options.index = i;
        assert_int_equal(fil_loop_init(&loops[i], &options), FIL_OK);
    }
    for (uint32_t i = 0; i < LOOPS; i++) {
        assert_int_equal(fil_thread_start(&loop_threads[i], "io", run_loop, &loops[i]), FIL_OK);
    }
    for (uint32_t i = 0; i < LOOPS; i++) {
        fil_prng_init(&shoves[i].prng, i);
        shoves[i].message.run = run_shove;
        fil_loop_post(&loops[i], &shoves[i].message);
    }
}

static void start_server(void)
{
    fil_budget_init(&budget, UINT64_C(1) << 30);
    toy_init(&toy, 4096);
    toy.on_job = wake_worker;
    fil_parker_init(&worker_parker);
    fil_chunk_pool_init(&worker_pool, &budget, 8);
    assert_int_equal(fil_thread_start(&worker_thread, "worker", run_worker, NULL), FIL_OK);
    while (!is_set(&is_worker_started)) {
        fil_thread_yield();
    }
    start_loops();
    struct fil_acceptor_options options = {
        .env = fil_env_real(),
        .backlog = 16,
        .connections_max = 100,
        .loops = loops,
        .loop_count = LOOPS,
    };
    assert_int_equal(fil_address_parse("127.0.0.1:0", &options.address), FIL_OK);
    assert_int_equal(fil_acceptor_init(&acceptor, &options), FIL_OK);
    assert_int_equal(fil_thread_start(&acceptor_thread, "acceptor", run_acceptor, &acceptor),
                     FIL_OK);
}

static void run_nothing(struct fil_loop *loop, struct fil_message *message)
{
    (void)loop;
    (void)message; // only wakes the loop, which looks at the flag
}

/** The loops end while connections still move; who holds them ends last. */
static void stop_server(void)
{
    static struct fil_message wake_messages[LOOPS];
    set(&is_stopping);
    fil_acceptor_wake(&acceptor);
    fil_thread_join(&acceptor_thread);
    fil_acceptor_fini(&acceptor);
    set(&is_draining);
    for (uint32_t i = 0; i < LOOPS; i++) {
        wake_messages[i].run = run_nothing;
        fil_loop_post(&loops[i], &wake_messages[i]);
    }
    for (uint32_t i = 0; i < LOOPS; i++) {
        fil_thread_join(&loop_threads[i]);
    }
    set(&is_over);
    wake_worker(NULL);
    fil_thread_join(&worker_thread);
    fil_role_enter(&fil_role_io);
    for (uint32_t i = 0; i < LOOPS; i++) {
        fil_pool_adopt(&loops[i].chunks);
        fil_loop_fini(&loops[i]);
    }
    fil_pool_adopt(&worker_pool);
    fil_pool_fini(&worker_pool);
    toy_fini(&toy);
}

static void test_moves_lose_and_reorder_nothing(void **state)
{
    (void)state;
    start_server();
    for (uint32_t i = 0; i < CLIENTS; i++) {
        open_client(&clients[i], i);
    }
    for (uint32_t i = 0; i < CLIENTS; i++) {
        assert_int_equal(fil_thread_start(&clients[i].thread, "client", run_client, &clients[i]),
                         FIL_OK);
    }
    for (uint32_t i = 0; i < CLIENTS; i++) {
        fil_thread_join(&clients[i].thread);
    }
    stop_server();
    for (uint32_t i = 0; i < CLIENTS; i++) {
        check_client(&clients[i]);
    }
    assert_int_equal(fil_budget_drawn(&budget), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moves_lose_and_reorder_nothing),
    };
    return cmocka_run_group_tests_name("move_thread", tests, NULL, NULL);
}
