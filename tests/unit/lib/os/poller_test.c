// SPDX-License-Identifier: Apache-2.0
/**
 * The poller's promises, with and without epoll_pwait2: events come back with their context until
 * their cause is gone, interest can be changed and taken away, a peer's end is readable and its
 * reset an error, the limit holds, a wake-up ends one wait and is never shown, what a context
 * points to is handed over with it, short timeouts do not spin, and failures leave nothing open.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lib/base/alloc.h"
#include "lib/os/env.h"
#include "lib/os/poller_internal.h"
#include "lib/os/process.h"
#include "lib/os/thread.h"
#include "tests/unit/harness.h"
#include "tests/unit/lib/os/loopback.h"

#define WAKES 1000U

static struct fil_env *env;
static struct fil_poller *poller;
static struct loopback pair;
static int client_context;
static int server_context;
static bool has_old_kernel;

static int set_up(void **state)
{
    (void)state;
    env = fil_env_real();
    loopback_open(&pair, "127.0.0.1:0");
    assert_int_equal(env->ops->poller_new(env, &poller), FIL_OK);
    if (has_old_kernel) {
        fil_poller__use_milliseconds(poller);
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    env->ops->poller_free(env, poller);
    loopback_close(&pair);
    return 0;
}

static void add(int fd, uint32_t interest, void *context)
{
    assert_int_equal(env->ops->poller_add(env, poller, fd, interest, context), FIL_OK);
}

static void change(int fd, uint32_t interest, void *context)
{
    assert_int_equal(env->ops->poller_change(env, poller, fd, interest, context), FIL_OK);
}

static int wait_for(struct fil_poll_event *events, int limit, int64_t timeout_ns)
{
    return env->ops->poller_wait(env, poller, events, limit, timeout_ns);
}

static void expect_event(void *context, uint32_t ready)
{
    struct fil_poll_event event = {.context = NULL};
    assert_int_equal(wait_for(&event, 1, FIL_WAIT_FOREVER), 1);
    assert_ptr_equal(event.context, context);
    assert_int_equal(event.ready, ready);
}

static void expect_silence(void)
{
    struct fil_poll_event event;
    assert_int_equal(wait_for(&event, 1, 0), 0);
}

static void test_event_returns_until_its_cause_is_gone(void **state)
{
    (void)state;
    char buffer[8];
    add(pair.server, FIL_POLL_READ, &server_context);
    expect_silence();
    loopback_send(pair.client, "x");
    expect_event(&server_context, FIL_POLL_READ);
    expect_event(&server_context, FIL_POLL_READ);
    assert_int_equal(env->ops->receive(env, pair.server, buffer, sizeof(buffer)), 1);
    expect_silence();
}

static void test_interest_can_be_changed(void **state)
{
    (void)state;
    loopback_send(pair.client, "x");
    (void)loopback_await(pair.server, FIL_POLL_READ);
    add(pair.server, FIL_POLL_WRITE, &server_context);
    expect_event(&server_context, FIL_POLL_WRITE);
    change(pair.server, FIL_POLL_READ | FIL_POLL_WRITE, &server_context);
    expect_event(&server_context, FIL_POLL_READ | FIL_POLL_WRITE);
    change(pair.server, 0, &server_context);
    expect_silence();
    change(pair.server, FIL_POLL_READ, &client_context); // the context as well
    expect_event(&client_context, FIL_POLL_READ);
}

static void test_removed_descriptor_is_silent_and_can_return(void **state)
{
    (void)state;
    add(pair.server, FIL_POLL_WRITE, &server_context);
    expect_event(&server_context, FIL_POLL_WRITE);
    env->ops->poller_remove(env, poller, pair.server);
    expect_silence();
    add(pair.server, FIL_POLL_WRITE, &server_context);
    expect_event(&server_context, FIL_POLL_WRITE);
}

static void test_end_of_the_peer_is_readable(void **state)
{
    (void)state;
    char byte = 0;
    add(pair.server, FIL_POLL_READ, &server_context);
    loopback_close_end(&pair, &pair.client);
    expect_event(&server_context, FIL_POLL_READ);
    assert_int_equal(env->ops->receive(env, pair.server, &byte, 1), 0);
}

static void test_end_of_the_peer_is_told_though_bytes_wait(void **state)
{
    (void)state;
    loopback_send(pair.client, "x");
    (void)loopback_await(pair.server, FIL_POLL_READ);
    add(pair.server, FIL_POLL_END, &server_context);
    expect_silence();
    loopback_close_end(&pair, &pair.client);
    expect_event(&server_context, FIL_POLL_END);
    change(pair.server, FIL_POLL_READ, &server_context);
    expect_event(&server_context, FIL_POLL_READ);
}

static void test_end_of_the_peer_is_silent_while_nobody_reads(void **state)
{
    (void)state;
    add(pair.server, 0, &server_context);
    loopback_close_end(&pair, &pair.client);
    (void)loopback_await(pair.server, FIL_POLL_READ);
    expect_silence(); // or a connection held back by a full queue would spin
}

static void test_reset_is_an_error_whatever_the_interest(void **state)
{
    (void)state;
    struct fil_poll_event event = {.ready = 0};
    add(pair.client, 0, &client_context);
    loopback_send(pair.client, "never read");
    (void)loopback_await(pair.server, FIL_POLL_READ);
    loopback_close_end(&pair, &pair.server); // with bytes unread the system resets
    assert_int_equal(wait_for(&event, 1, FIL_WAIT_FOREVER), 1);
    assert_ptr_equal(event.context, &client_context);
    assert_int_equal(event.ready, FIL_POLL_ERROR);
}

static void test_pipe_without_a_reader_is_an_error(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    add(ends[1], 0, &client_context);
    expect_silence();
    assert_int_equal(close(ends[0]), 0);
    expect_event(&client_context, FIL_POLL_ERROR);
    env->ops->poller_remove(env, poller, ends[1]);
    assert_int_equal(close(ends[1]), 0);
}

static void test_limit_holds_and_the_rest_comes_next(void **state)
{
    (void)state;
    struct fil_poll_event first;
    struct fil_poll_event second;
    struct fil_poll_event both[2];
    add(pair.client, FIL_POLL_WRITE, &client_context);
    add(pair.server, FIL_POLL_WRITE, &server_context);
    assert_int_equal(wait_for(&first, 1, FIL_WAIT_FOREVER), 1);
    assert_int_equal(wait_for(&second, 1, FIL_WAIT_FOREVER), 1);
    assert_ptr_not_equal(first.context, second.context);
    assert_int_equal(wait_for(both, 2, FIL_WAIT_FOREVER), 2);
}

static void test_timeout_ends_the_wait(void **state)
{
    (void)state;
    struct fil_poll_event event;
    assert_int_equal(wait_for(&event, 1, 1), 0);
    assert_int_equal(wait_for(&event, 1, 1000000), 0);
}

static void test_wake_up_before_the_wait_ends_it(void **state)
{
    (void)state;
    struct fil_poll_event event = {.context = &event};
    env->ops->poller_wake(env, poller);
    env->ops->poller_wake(env, poller);
    assert_int_equal(wait_for(&event, 1, FIL_WAIT_FOREVER), 0);
    assert_ptr_equal(event.context, &event); // nothing was shown
}

static void test_wake_ups_are_used_up_by_one_wait(void **state)
{
    (void)state;
    struct fil_poll_event event;
    env->ops->poller_wake(env, poller);
    env->ops->poller_wake(env, poller);
    assert_int_equal(wait_for(&event, 1, FIL_WAIT_FOREVER), 0);
    add(pair.server, FIL_POLL_WRITE, &server_context);
    // A wake-up that was still there would take the only place in one of these.
    for (int i = 0; i < 4; i++) {
        expect_event(&server_context, FIL_POLL_WRITE);
    }
}

static void test_wake_up_and_events_come_together(void **state)
{
    (void)state;
    struct fil_poll_event events[4];
    add(pair.server, FIL_POLL_WRITE, &server_context);
    env->ops->poller_wake(env, poller);
    assert_int_equal(wait_for(events, 4, FIL_WAIT_FOREVER), 1);
    assert_ptr_equal(events[0].context, &server_context);
}

struct work {
    _Atomic uint32_t done;
    uint32_t handed_over;
};

static void wake_for_each(void *context)
{
    struct work *work = context;
    for (uint32_t i = 1; i <= WAKES; i++) {
        work->handed_over = i;
        env->ops->poller_wake(env, poller);
        while (atomic_load_explicit(&work->done, memory_order_relaxed) < i) {
            fil_thread_yield();
        }
    }
}

static void test_another_thread_wakes_every_time(void **state)
{
    (void)state;
    struct work work = {.handed_over = 0};
    struct fil_poll_event event;
    struct fil_thread thread;
    assert_int_equal(fil_thread_start(&thread, "wake", wake_for_each, &work), FIL_OK);
    for (uint32_t i = 1; i <= WAKES; i++) {
        assert_int_equal(wait_for(&event, 1, FIL_WAIT_FOREVER), 0);
        // Relaxed: here only to let the other thread go on after this one has woken.
        atomic_store_explicit(&work.done, i, memory_order_relaxed);
    }
    fil_thread_join(&thread);
    assert_int_equal(work.handed_over, WAKES);
}

struct handover {
    int fd;
    uint32_t value;
};

static void add_from_outside(void *context)
{
    struct handover *handover = context;
    handover->value = 42;
    add(handover->fd, FIL_POLL_WRITE, handover);
}

static void test_what_a_context_points_to_is_handed_over(void **state)
{
    (void)state;
    struct handover handover = {.fd = pair.server};
    struct fil_poll_event event = {.context = NULL};
    struct fil_thread thread;
    assert_int_equal(fil_thread_start(&thread, "acceptor", add_from_outside, &handover), FIL_OK);
    assert_int_equal(wait_for(&event, 1, FIL_WAIT_FOREVER), 1);
    struct handover *received = event.context;
    assert_int_equal(received->value, 42); // a race for TSan, were it not handed over
    fil_thread_join(&thread);
}

static void test_short_timeouts_round_up(void **state)
{
    (void)state;
    assert_int_equal(fil_poller__to_milliseconds(FIL_WAIT_FOREVER), -1);
    assert_int_equal(fil_poller__to_milliseconds(0), 0);
    assert_int_equal(fil_poller__to_milliseconds(1), 1);
    assert_int_equal(fil_poller__to_milliseconds(999999), 1);
    assert_int_equal(fil_poller__to_milliseconds(1000000), 1);
    assert_int_equal(fil_poller__to_milliseconds(1000001), 2);
    assert_int_equal(fil_poller__to_milliseconds(INT64_MAX), INT_MAX);
}

static uint64_t count_descriptors(void)
{
    struct fil_process_usage usage;
    fil_process_measure(&usage);
    return usage.descriptor_count;
}

static void test_new_without_memory_fails_and_leaves_nothing(void **state)
{
    (void)state;
    struct fil_poller *other = NULL;
    uint64_t before = count_descriptors();
    int64_t passed = 0;
    for (;; passed++) {
        fil_alloc_fail_after(passed);
        int error = env->ops->poller_new(env, &other);
        fil_alloc_fail_after(-1);
        if (error == FIL_OK) {
            break;
        }
        assert_int_equal(error, FIL_E_NOMEM);
        assert_int_equal(count_descriptors(), before);
    }
    assert_int_equal(passed, 1);
    env->ops->poller_free(env, other);
    assert_int_equal(count_descriptors(), before);
}

static void test_new_without_descriptors_fails_and_leaves_nothing(void **state)
{
    (void)state;
    struct fil_poller *other = NULL;
    struct rlimit limit;
    uint64_t before = count_descriptors();
    int lowest = dup(STDERR_FILENO);
    assert_int_equal(close(lowest), 0);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    for (int room = 0; room < 2; room++) {
        struct rlimit low = {.rlim_cur = (rlim_t)(lowest + room), .rlim_max = limit.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
        int error = env->ops->poller_new(env, &other);
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
        assert_int_equal(error, FIL_E_SYSTEM);
        assert_int_equal(count_descriptors(), before);
    }
}

static int run_promises(const char *name)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_event_returns_until_its_cause_is_gone, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_interest_can_be_changed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_removed_descriptor_is_silent_and_can_return, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_end_of_the_peer_is_readable, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_end_of_the_peer_is_told_though_bytes_wait, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_end_of_the_peer_is_silent_while_nobody_reads, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_reset_is_an_error_whatever_the_interest, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_pipe_without_a_reader_is_an_error, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_limit_holds_and_the_rest_comes_next, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_timeout_ends_the_wait, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_wake_up_before_the_wait_ends_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_wake_ups_are_used_up_by_one_wait, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_wake_up_and_events_come_together, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_another_thread_wakes_every_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_a_context_points_to_is_handed_over, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_short_timeouts_round_up, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_new_without_memory_fails_and_leaves_nothing, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_new_without_descriptors_fails_and_leaves_nothing,
                                        set_up, tear_down),
    };
    return cmocka_run_group_tests_name(name, tests, NULL, NULL);
}

int main(void)
{
    int failed = run_promises("poller");
    has_old_kernel = true;
    return failed + run_promises("poller, old kernel");
}
