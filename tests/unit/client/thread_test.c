// SPDX-License-Identifier: Apache-2.0
/**
 * One client for many threads, over real sockets: every thread gets its own results, with a thread
 * of the client's own and without; calls of all kinds mix; a program's loop can watch the client; a
 * connection that is lost meanwhile loses no read; hosts are found by their names, and a resolver
 * that takes its time keeps nobody waiting.
 */
#include <stdatomic.h>
#include <stdio.h>

#include "client/client_internal.h"
#include "lib/os/thread.h"
#include "tests/unit/client/fake_member.h"
#include "tests/unit/harness.h"

#define THREADS        4U
#define CALLS          300
#define KEYS_OF_THREAD 8
#define LOOKUPS_FAILED 2U

/** A member on a thread of its own. */
struct stage {
    struct fake_cluster cluster;
    struct fil_thread thread;
    _Atomic bool is_stopping;
    _Atomic bool wants_drop;
    struct fil_client *client;
};

static struct stage stage;

static void run_member(void *context)
{
    struct stage *self = context;
    struct fake_member *member = &self->cluster.members[0];
    fil_pool_adopt(&self->cluster.pool);
    while (!atomic_load_explicit(&self->is_stopping, memory_order_acquire)) {
        if (atomic_exchange_explicit(&self->wants_drop, false, memory_order_acq_rel)) {
            member->drop_count = 1;
        }
        if (fake_member_cycle(member) == 0) {
            fil_thread_yield();
        }
    }
}

static void open_stage(const struct fil_client_options *options)
{
    char address[FIL_ADDRESS_TEXT_MAX];
    struct fil_client_options chosen = *options;
    fake_cluster_init(&stage.cluster, fil_env_real(), 0, 1);
    atomic_store_explicit(&stage.is_stopping, false, memory_order_release);
    assert_int_equal(fil_thread_start(&stage.thread, "member", run_member, &stage), FIL_OK);
    (void)snprintf(address, sizeof(address), "127.0.0.1:%u", stage.cluster.members[0].address.port);
    chosen.address = address;
    assert_int_equal(fil_client_connect(&stage.client, &chosen), FIL_OK);
}

static void close_stage(void)
{
    fil_client_close(stage.client);
    atomic_store_explicit(&stage.is_stopping, true, memory_order_release);
    fil_thread_join(&stage.thread);
    fil_pool_adopt(&stage.cluster.pool);
    fake_cluster_fini(&stage.cluster);
}

struct user {
    struct fil_thread thread;
    int32_t first_key;
    uint32_t wrong_count;
    _Atomic uint32_t told_count;
};

static void on_told(void *context, int error, const struct fil_value *value)
{
    struct user *user = context;
    (void)value;
    atomic_fetch_add_explicit(&user->told_count, error == FIL_OK, memory_order_relaxed);
}

/** Sets and gets keys that no other thread has. */
static void use_client(void *context)
{
    struct user *user = context;
    struct fil_map *map = fil_map(fil_client_grid(stage.client), "m");
    for (int32_t i = 0; i < CALLS; i++) {
        struct fil_value key = fil_i32(user->first_key + i % KEYS_OF_THREAD);
        struct fil_value value = {0};
        bool is_right = fil_map_set(map, key, fil_i32(i)) == FIL_OK &&
                        fil_map_get(map, key, &value) == FIL_OK && fil_value_i64(&value) == i;
        is_right = is_right && fil_map_get_async(map, key, on_told, user) == FIL_OK;
        user->wrong_count += !is_right;
        fil_value_release(&value);
    }
}

static void run_users(void)
{
    struct user users[THREADS] = {0};
    for (uint32_t i = 0; i < THREADS; i++) {
        users[i].first_key = (int32_t)i * KEYS_OF_THREAD;
        assert_int_equal(fil_thread_start(&users[i].thread, "user", use_client, &users[i]), FIL_OK);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        fil_thread_join(&users[i].thread);
    }
    assert_int_equal(fil_client_drain(stage.client), FIL_OK);
    for (uint32_t i = 0; i < THREADS; i++) {
        assert_int_equal(users[i].wrong_count, 0);
        assert_int_equal(atomic_load_explicit(&users[i].told_count, memory_order_relaxed), CALLS);
    }
}

static void test_many_threads_use_a_client_with_its_own(void **state)
{
    (void)state;
    open_stage(&(struct fil_client_options){.has_thread = true});
    assert_int_equal(fil_client_start_thread(stage.client), FIL_E_EXISTS);
    run_users();
    struct fil_client_stats stats;
    fil_client_stats(stage.client, &stats);
    assert_int_equal(stats.call_count, 3 * CALLS * THREADS);
    assert_int_equal(stats.in_flight, 0);
    close_stage();
}

static void test_many_threads_use_a_client_without(void **state)
{
    (void)state;
    open_stage(&(struct fil_client_options){0});
    run_users();
    struct fil_client_stats stats;
    fil_client_stats(stage.client, &stats);
    assert_int_equal(stats.answer_count, 3 * CALLS * THREADS);
    close_stage();
}

static void test_loop_of_the_program_can_watch_the_client(void **state)
{
    (void)state;
    struct user user = {0};
    open_stage(&(struct fil_client_options){0});
    struct fil_env *env = fil_env_real();
    struct fil_poller *poller = NULL;
    struct fil_poll_event event;
    struct fil_map *map = fil_map(fil_client_grid(stage.client), "m");
    assert_int_equal(env->ops->poller_new(env, &poller), FIL_OK);
    int fd = fil_client_fd(stage.client);
    assert_true(fd >= 0);
    assert_int_equal(env->ops->poller_add(env, poller, fd, FIL_POLL_READ, &user), FIL_OK);
    assert_int_equal(fil_map_get_async(map, fil_i32(1), on_told, &user), FIL_OK);
    assert_int_equal(fil_client_timeout_ms(stage.client), 0); // there is something to send
    assert_true(fil_client_step(stage.client, 0) >= 0);
    while (atomic_load_explicit(&user.told_count, memory_order_relaxed) == 0) {
        int64_t wait_ms = fil_client_timeout_ms(stage.client);
        (void)env->ops->poller_wait(env, poller, &event, 1, wait_ms < 0 ? -1 : wait_ms * 1000000);
        assert_true(fil_client_step(stage.client, 0) >= 0);
    }
    env->ops->poller_remove(env, poller, fd);
    env->ops->poller_free(env, poller);
    close_stage();
}

static void test_lost_connection_loses_no_read(void **state)
{
    (void)state;
    open_stage(&(struct fil_client_options){.has_thread = true, .repeats_all = true});
    atomic_store_explicit(&stage.wants_drop, true, memory_order_release);
    run_users();
    struct fil_client_stats stats;
    fil_client_stats(stage.client, &stats);
    assert_int_equal(stats.failure_count, 0);
    assert_int_equal(stats.loss_count, 1);
    close_stage();
}

// A resolver that knows one host, and that not before it was asked a few times.
static _Atomic uint32_t asked_count;
static _Atomic bool is_resolver_slow;

static int resolve(struct fil_env *env, const char *host, uint16_t port,
                   struct fil_resolved *out_resolved)
{
    (void)env;
    uint32_t asked = atomic_fetch_add_explicit(&asked_count, 1, memory_order_acq_rel);
    while (atomic_load_explicit(&is_resolver_slow, memory_order_acquire)) {
        fil_thread_yield();
    }
    assert_string_equal(host, "member.test");
    *out_resolved = (struct fil_resolved){
        .count = 2,
        .addresses = {{.ip = {127, 0, 0, 1}, .port = 1}, {.ip = {127, 0, 0, 1}, .port = port}},
    };
    return asked < LOOKUPS_FAILED ? FIL_E_NOT_FOUND : FIL_OK;
}

static struct fil_env *env_with_names(void)
{
    static struct fil_env_ops ops;
    static struct fil_env env;
    ops = *fil_env_real()->ops;
    ops.resolve = resolve;
    env.ops = &ops;
    return &env;
}

static void open_by_name(struct fil_client **out_client, uint16_t port)
{
    char address[FIL_ADDRESS_TEXT_MAX];
    char problem[FIL_CLIENT_PROBLEM_MAX];
    (void)snprintf(address, sizeof(address), "member.test:%u", port);
    struct fil_client_options options = {.address = address, .retry_first_ms = 1};
    assert_int_equal(fil_client__new(out_client, &options, env_with_names(), problem), FIL_OK);
}

static void test_hosts_are_found_by_name(void **state)
{
    (void)state;
    struct fil_client *client = NULL;
    struct fil_client_stats stats = {0};
    open_stage(&(struct fil_client_options){0});
    atomic_store_explicit(&asked_count, 0, memory_order_release);
    open_by_name(&client, stage.cluster.members[0].address.port);
    while (stats.member_count == 0) {
        assert_true(fil_client__step(client, 100000000) >= 0);
        fil_client_stats(client, &stats);
    }
    assert_true(atomic_load_explicit(&asked_count, memory_order_acquire) > LOOKUPS_FAILED);
    struct fil_map *map = fil_map(fil_client_grid(client), "m");
    assert_int_equal(fil_map_set(map, fil_i32(1), fil_i32(2)), FIL_OK);
    fil_client_close(client);
    close_stage();
}

static void test_slow_resolver_keeps_nobody_waiting(void **state)
{
    (void)state;
    struct fil_client *client = NULL;
    atomic_store_explicit(&asked_count, 0, memory_order_release);
    atomic_store_explicit(&is_resolver_slow, true, memory_order_release);
    open_by_name(&client, 1);
    while (atomic_load_explicit(&asked_count, memory_order_acquire) == 0) {
        assert_true(fil_client__step(client, 1000000) >= 0);
    }
    assert_int_equal(fil_client__step(client, 0), 0);
    fil_client_close(client); // the one who asks is still at it
    atomic_store_explicit(&is_resolver_slow, false, memory_order_release);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many_threads_use_a_client_with_its_own),
        cmocka_unit_test(test_many_threads_use_a_client_without),
        cmocka_unit_test(test_loop_of_the_program_can_watch_the_client),
        cmocka_unit_test(test_lost_connection_loses_no_read),
        cmocka_unit_test(test_hosts_are_found_by_name),
        cmocka_unit_test(test_slow_resolver_keeps_nobody_waiting),
    };
    return cmocka_run_group_tests_name("thread", tests, NULL, NULL);
}
