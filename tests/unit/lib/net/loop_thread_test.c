// SPDX-License-Identifier: Apache-2.0
/**
 * Loops with threads of their own on real sockets, for TSan: two I/O threads, an acceptor's thread,
 * three threads that finish the relay's jobs, and clients that flood, read in small pieces, and
 * leave in the middle. Every reply comes once and whole; replies of connections that have gone are
 * dropped; after the drain nothing is left: no connection, session, job or byte.
 */
#include <stdio.h>
#include <string.h>

#include "lib/base/alloc.h"
#include "lib/base/prng.h"
#include "lib/net/acceptor.h"
#include "lib/net/loop.h"
#include "lib/os/thread.h"
#include "tests/unit/harness.h"
#include "tests/unit/lib/net/toy.h"

#define LOOPS            2U
#define WORKERS          3U
#define CLIENTS          6U
#define JOBS_PER_CLIENT  150U
#define REPLY_BYTES_MAX  9000U
#define RECEIVED_MAX     ((size_t)JOBS_PER_CLIENT * (REPLY_BYTES_MAX + 64))
#define SCRIPT_BYTES_MAX ((size_t)JOBS_PER_CLIENT * 32)
#define SECOND           UINT64_C(1000000000)

struct worker {
    struct fil_thread thread;
    struct fil_parker parker;
    struct fil_pool pool;
};

struct client {
    struct fil_thread thread;
    uint32_t number;
    size_t sizes[JOBS_PER_CLIENT];
    char script[SCRIPT_BYTES_MAX];
    size_t script_size;
    uint8_t *received;
    size_t received_size;
    size_t expected_size;
    bool leaves; // without reading everything
    const char *problem;
};

static struct fil_budget budget;
static struct toy toy;
static struct fil_protocol protocol = {&toy_relay_protocol, &toy};
static struct fil_loop loops[LOOPS];
static struct fil_thread loop_threads[LOOPS];
static struct fil_acceptor acceptor;
static struct fil_thread acceptor_thread;
static struct worker workers[WORKERS];
static struct client clients[CLIENTS];
static _Atomic bool is_stopping;         // the workers' and the acceptor's
static _Atomic bool is_draining;         // the loops'
static _Atomic uint32_t started_workers; // they must own their pools before jobs come

static bool is_set(_Atomic bool *flag)
{
    return atomic_load_explicit(flag, memory_order_seq_cst);
}

static void wake_workers(void *context)
{
    (void)context;
    for (uint32_t i = 0; i < WORKERS; i++) {
        (void)fil_parker_wake(&workers[i].parker);
    }
}

/** Takes all jobs there are and finishes them, or sleeps. */
static void run_worker(void *context)
{
    struct worker *worker = context;
    fil_pool_adopt(&worker->pool);
    atomic_fetch_add_explicit(&started_workers, 1, memory_order_seq_cst);
    for (;;) {
        struct fil_link *link = fil_stack_take_all(&toy.jobs);
        bool was_idle = link == NULL;
        while (link != NULL) {
            struct toy_job *job = FIL_CONTAINER_OF(link, struct toy_job, link);
            link = link->next;
            toy_job_finish(job, &worker->pool);
        }
        if (!was_idle) {
            continue;
        }
        fil_parker_prepare(&worker->parker);
        if (fil_stack_is_empty(&toy.jobs) && !is_set(&is_stopping)) {
            fil_parker_park(&worker->parker, FIL_WAIT_FOREVER);
        } else {
            fil_parker_cancel(&worker->parker);
        }
        if (fil_stack_is_empty(&toy.jobs) && is_set(&is_stopping)) {
            return;
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

// Clients.

static void write_script(struct client *client)
{
    struct fil_prng prng;
    fil_prng_init(&prng, client->number);
    for (uint32_t i = 0; i < JOBS_PER_CLIENT; i++) {
        bool is_large = fil_prng_chance(&prng, 0.3);
        client->sizes[i] = fil_prng_below(&prng, is_large ? REPLY_BYTES_MAX : 50);
        char *room = client->script + client->script_size;
        client->script_size +=
            (size_t)snprintf(room, SCRIPT_BYTES_MAX - client->script_size, "R %u:%u %zu\n",
                             client->number, i, client->sizes[i]);
        char name[32];
        client->expected_size +=
            (size_t)snprintf(name, sizeof(name), "%u:%u \n", client->number, i);
        client->expected_size += client->sizes[i];
    }
}

/** Sends and receives what the socket takes and has; false when it is over. */
static bool exchange(struct client *client, struct fil_prng *prng, int fd, size_t *sent_size)
{
    struct fil_env *env = fil_env_real();
    if (*sent_size < client->script_size) {
        size_t left = client->script_size - *sent_size;
        size_t part = 1 + fil_prng_below(prng, left);
        struct fil_bytes slice = fil_bytes_make(client->script + *sent_size, part);
        int64_t sent = env->ops->send(env, fd, &slice, 1);
        *sent_size += sent > 0 ? (size_t)sent : 0;
    }
    size_t part = 1 + fil_prng_below(prng, 3000);
    int64_t count = env->ops->receive(env, fd, client->received + client->received_size, part);
    if (count == 0 || count == FIL_E_CLOSED) {
        client->problem = "the connection was closed";
        return false;
    }
    client->received_size += count > 0 ? (size_t)count : 0;
    return client->received_size < client->expected_size &&
           (!client->leaves || client->received_size < client->expected_size / 3);
}

static void run_client(void *context)
{
    struct client *client = context;
    struct fil_env *env = fil_env_real();
    struct fil_poller *poller = NULL;
    struct fil_poll_event event;
    struct fil_prng prng;
    int fd = -1;
    size_t sent_size = 0;
    fil_prng_init(&prng, client->number + 100);
    if (env->ops->poller_new(env, &poller) != FIL_OK ||
        env->ops->connect(env, &acceptor.bound, &fd) != FIL_OK ||
        env->ops->poller_add(env, poller, fd, FIL_POLL_READ | FIL_POLL_WRITE, client) != FIL_OK) {
        client->problem = "no connection";
        return;
    }
    do {
        uint32_t interest =
            sent_size < client->script_size ? FIL_POLL_READ | FIL_POLL_WRITE : FIL_POLL_READ;
        if (env->ops->poller_change(env, poller, fd, interest, client) != FIL_OK) {
            client->problem = "the poller refused";
        }
        (void)env->ops->poller_wait(env, poller, &event, 1, FIL_WAIT_FOREVER);
    } while (client->problem == NULL && exchange(client, &prng, fd, &sent_size));
    env->ops->poller_remove(env, poller, fd);
    env->ops->close(env, fd);
    env->ops->poller_free(env, poller);
}

/** The reply at the front of the rest; its job is ticked off. Returns its size. */
static size_t check_reply(const struct client *client, const char *rest, bool *is_seen)
{
    uint32_t number = 0;
    uint32_t index = 0;
    int name_size = 0;
    assert_int_equal(sscanf(rest, "%u:%u%n", &number, &index, &name_size), 2);
    name_size++; // the blank
    assert_int_equal(number, client->number);
    assert_true(index < JOBS_PER_CLIENT);
    assert_false(is_seen[index]);
    is_seen[index] = true;
    uint8_t expected[REPLY_BYTES_MAX];
    toy_fill(expected, 0, client->sizes[index]);
    assert_memory_equal(rest + name_size, expected, client->sizes[index]);
    assert_int_equal(rest[(size_t)name_size + client->sizes[index]], '\n');
    return (size_t)name_size + client->sizes[index] + 1;
}

static void check_client(struct client *client)
{
    bool is_seen[JOBS_PER_CLIENT] = {false};
    size_t position = 0;
    if (client->problem != NULL) {
        fail_msg("client %u: %s", client->number, client->problem);
    }
    if (client->leaves) {
        return;
    }
    client->received[client->received_size] = '\0';
    assert_int_equal(client->received_size, client->expected_size);
    while (position < client->received_size) {
        position += check_reply(client, (const char *)client->received + position, is_seen);
    }
    assert_int_equal(position, client->received_size);
}

// The whole.

static void start_server(void)
{
    struct fil_loop_options options = {
        .env = fil_env_real(),
        .budget = &budget,
        .limits = {.connections_max = 100,
                   .handshake_bytes_max = 64,
                   .handshake_timeout_ns = 60 * SECOND,
                   .frame_bytes_max = 4096,
                   .output_bytes_max = 30000,
                   .stall_timeout_ns = 60 * SECOND},
        .protocols = &protocol,
        .protocol_count = 1,
    };
    fil_budget_init(&budget, UINT64_C(1) << 30);
    toy_init(&toy, 4096);
    toy.on_job = wake_workers;
    for (uint32_t i = 0; i < WORKERS; i++) {
        fil_parker_init(&workers[i].parker);
        fil_chunk_pool_init(&workers[i].pool, &budget, 8);
        assert_int_equal(fil_thread_start(&workers[i].thread, "worker", run_worker, &workers[i]),
                         FIL_OK);
    }
    while (atomic_load_explicit(&started_workers, memory_order_seq_cst) < WORKERS) {
        fil_thread_yield();
    }
    for (uint32_t i = 0; i < LOOPS; i++) {
        options.index = i;
        assert_int_equal(fil_loop_init(&loops[i], &options), FIL_OK);
        assert_int_equal(fil_thread_start(&loop_threads[i], "io", run_loop, &loops[i]), FIL_OK);
    }
    struct fil_acceptor_options acceptor_options = {
        .env = fil_env_real(),
        .backlog = 16,
        .connections_max = 100,
        .loops = loops,
        .loop_count = LOOPS,
    };
    assert_int_equal(fil_address_parse("127.0.0.1:0", &acceptor_options.address), FIL_OK);
    assert_int_equal(fil_acceptor_init(&acceptor, &acceptor_options), FIL_OK);
    assert_int_equal(fil_thread_start(&acceptor_thread, "acceptor", run_acceptor, &acceptor),
                     FIL_OK);
}

static void run_drain_now(struct fil_loop *loop, struct fil_message *message)
{
    (void)loop;
    (void)message; // only wakes the loop, which looks at the flag
}

/** In the order of a member: no more connections, no more jobs, then the loops. */
static void stop_server(void)
{
    static struct fil_message wake_messages[LOOPS];
    atomic_store_explicit(&is_stopping, true, memory_order_seq_cst);
    fil_acceptor_wake(&acceptor);
    fil_thread_join(&acceptor_thread);
    fil_acceptor_fini(&acceptor);
    atomic_store_explicit(&is_draining, true, memory_order_seq_cst);
    for (uint32_t i = 0; i < LOOPS; i++) {
        wake_messages[i].run = run_drain_now;
        fil_loop_post(&loops[i], &wake_messages[i]);
    }
    // The workers go on until the loops are empty: they hold the last connections.
    for (uint32_t i = 0; i < LOOPS; i++) {
        fil_thread_join(&loop_threads[i]);
    }
    wake_workers(NULL);
    for (uint32_t i = 0; i < WORKERS; i++) {
        fil_thread_join(&workers[i].thread);
    }
    fil_role_enter(&fil_role_io);
    for (uint32_t i = 0; i < LOOPS; i++) {
        fil_pool_adopt(&loops[i].chunks);
        fil_loop_fini(&loops[i]);
    }
    for (uint32_t i = 0; i < WORKERS; i++) {
        fil_pool_adopt(&workers[i].pool);
        fil_pool_fini(&workers[i].pool);
    }
    toy_fini(&toy);
}

static void test_every_reply_of_other_threads_comes_once(void **state)
{
    (void)state;
    start_server();
    for (uint32_t i = 0; i < CLIENTS; i++) {
        struct client *client = &clients[i];
        client->number = i;
        client->leaves = i % 3 == 2;
        client->received = fil_alloc(RECEIVED_MAX + 4096);
        assert_non_null(client->received);
        write_script(client);
        assert_int_equal(fil_thread_start(&client->thread, "client", run_client, client), FIL_OK);
    }
    for (uint32_t i = 0; i < CLIENTS; i++) {
        fil_thread_join(&clients[i].thread);
    }
    stop_server();
    for (uint32_t i = 0; i < CLIENTS; i++) {
        check_client(&clients[i]);
        fil_free(clients[i].received);
    }
    assert_int_equal(fil_budget_drawn(&budget), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_reply_of_other_threads_comes_once),
    };
    return cmocka_run_group_tests_name("loop_thread", tests, NULL, NULL);
}
