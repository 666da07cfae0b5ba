// SPDX-License-Identifier: Apache-2.0
/**
 * The parker, one test a promise: who is awake is not woken; a sleep is woken once however many
 * try; a woken, cancelled or timed out owner is awake; a poller is woken through its environment;
 * a sleeping thread is really woken; with four producers none of its wake-ups is lost; and of who
 * goes to sleep and who brings work at most one misses the other.
 */
#include "lib/conc/parker.h"

#include <pthread.h>
#include <sched.h>

#include "lib/base/prng.h"
#include "lib/conc/mpmc.h"
#include "lib/conc/spsc.h"
#include "lib/os/thread.h"
#include "tests/unit/harness.h"

static struct fil_parker parker;

static int set_up(void **state)
{
    (void)state;
    fil_parker_init(&parker);
    return 0;
}

static uint64_t wake_count(void)
{
    return atomic_load_explicit(&parker.wake_count, memory_order_relaxed);
}

static void test_owner_that_is_awake_is_not_woken(void **state)
{
    (void)state;
    assert_false(fil_parker_wake(&parker));
    fil_parker_prepare(&parker);
    fil_parker_cancel(&parker);
    assert_false(fil_parker_wake(&parker));
    assert_int_equal(wake_count(), 0);
}

static void test_sleep_is_woken_once(void **state)
{
    (void)state;
    for (uint64_t round = 1; round <= 3; round++) {
        fil_parker_prepare(&parker);
        assert_true(fil_parker_wake(&parker));
        assert_false(fil_parker_wake(&parker));
        assert_int_equal(wake_count(), round);
        // Already woken: the park returns at once.
        fil_parker_park(&parker, FIL_WAIT_FOREVER);
    }
}

static void test_owner_is_awake_after_the_timeout(void **state)
{
    (void)state;
    fil_parker_prepare(&parker);
    fil_parker_park(&parker, 1);
    assert_false(fil_parker_wake(&parker));
    fil_parker_prepare(&parker);
    fil_parker_park(&parker, 0);
    assert_false(fil_parker_wake(&parker));
}

struct fake_env {
    struct fil_env env;
    struct fil_poller *woken;
    unsigned wake_count;
};

static void fake_poller_wake(struct fil_env *env, struct fil_poller *poller)
{
    struct fake_env *fake = FIL_CONTAINER_OF(env, struct fake_env, env);
    fake->woken = poller;
    fake->wake_count++;
}

static void test_poller_is_woken_through_its_environment(void **state)
{
    (void)state;
    static const struct fil_env_ops ops = {.poller_wake = fake_poller_wake};
    struct fake_env fake = {.env.ops = &ops};
    int stand_in = 0;
    struct fil_poller *poller = (struct fil_poller *)(void *)&stand_in; // never looked into
    fil_parker_init_poller(&parker, &fake.env, poller);
    assert_false(fil_parker_wake(&parker));
    assert_int_equal(fake.wake_count, 0);
    fil_parker_prepare(&parker);
    assert_true(fil_parker_wake(&parker));
    assert_false(fil_parker_wake(&parker));
    assert_int_equal(fake.wake_count, 1);
    assert_ptr_equal(fake.woken, poller);
}

#define WAKES 2000U

static _Atomic bool is_stopping;

static void *sleep_until_stopped(void *context)
{
    (void)context;
    while (!atomic_load_explicit(&is_stopping, memory_order_seq_cst)) {
        fil_parker_prepare(&parker);
        if (!atomic_load_explicit(&is_stopping, memory_order_seq_cst)) {
            fil_parker_park(&parker, FIL_WAIT_FOREVER);
        }
        fil_parker_cancel(&parker);
    }
    return NULL;
}

/** Only a thread that has announced its sleep is woken, so each wake-up needs another sleep. */
static void test_sleeping_thread_is_woken_again_and_again(void **state)
{
    (void)state;
    pthread_t sleeper;
    assert_int_equal(pthread_create(&sleeper, NULL, sleep_until_stopped, NULL), 0);
    for (unsigned woken = 0; woken < WAKES;) {
        if (fil_parker_wake(&parker)) {
            woken++;
        } else {
            sched_yield();
        }
    }
    assert_int_equal(wake_count(), WAKES);
    atomic_store_explicit(&is_stopping, true, memory_order_seq_cst);
    fil_parker_wake(&parker);
    assert_int_equal(pthread_join(sleeper, NULL), 0);
}

#define PRODUCERS          4U
#define ITEMS_PER_PRODUCER 3000U

struct item {
    uint32_t number;
    _Atomic uint32_t is_done;
};

static struct fil_mpmc queue;
static struct item items[PRODUCERS][ITEMS_PER_PRODUCER];

static void *produce(void *context)
{
    struct item *mine = context;
    for (uint32_t i = 0; i < ITEMS_PER_PRODUCER; i++) {
        mine[i].number = i;
        while (!fil_mpmc_push(&queue, &mine[i])) {
            sched_yield();
        }
        fil_parker_wake(&parker);
        // Every other item is waited for, so that the queue runs empty again and again.
        while (i % 2 == 0 && atomic_load_explicit(&mine[i].is_done, memory_order_relaxed) == 0) {
            sched_yield();
        }
    }
    return NULL;
}

/** Takes what there is or sleeps; returns how many it took. */
static uint32_t consume(void)
{
    uint32_t count = 0;
    for (struct item *item = fil_mpmc_take(&queue); item != NULL; item = fil_mpmc_take(&queue)) {
        assert_true(item->number < ITEMS_PER_PRODUCER);
        atomic_store_explicit(&item->is_done, 1, memory_order_relaxed);
        count++;
    }
    if (count > 0) {
        return count;
    }
    fil_parker_prepare(&parker);
    if (fil_mpmc_is_empty(&queue)) {
        fil_parker_park(&parker, FIL_WAIT_FOREVER);
    } else {
        fil_parker_cancel(&parker);
    }
    return 0;
}

/** A lost wake-up leaves everybody waiting, and the test's time limit tells. */
static void test_no_wake_up_of_four_producers_is_lost(void **state)
{
    (void)state;
    pthread_t threads[PRODUCERS];
    assert_int_equal(fil_mpmc_init(&queue, 16), FIL_OK);
    for (uint32_t p = 0; p < PRODUCERS; p++) {
        assert_int_equal(pthread_create(&threads[p], NULL, produce, items[p]), 0);
    }
    uint32_t received = 0;
    while (received < PRODUCERS * ITEMS_PER_PRODUCER) {
        received += consume();
    }
    for (uint32_t p = 0; p < PRODUCERS; p++) {
        assert_int_equal(pthread_join(threads[p], NULL), 0);
    }
    assert_true(fil_mpmc_is_empty(&queue));
    fil_mpmc_fini(&queue);
}

// The two looks side by side: of each pair of threads at most one may miss the other.

#define ROUNDS 20000U

/** What the parked side waits for and what the other side does about it. */
struct encounter {
    void (*act)(void);
    bool (*must_sleep)(void);
    void (*clean_up)(void);
};

static struct fil_spsc edge;
static const struct encounter *encounter;
static _Atomic uint32_t begun_round;
static _Atomic uint32_t ended_round;
static bool was_woken; // written before ended_round, read after it

static void wait_for(_Atomic uint32_t *round, uint32_t wanted)
{
    for (uint32_t spins = 1; atomic_load_explicit(round, memory_order_acquire) != wanted; spins++) {
        if (spins % 1000 == 0) {
            sched_yield(); // there may be one cpu only
        }
    }
}

static void *act_and_look(void *context)
{
    (void)context;
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        wait_for(&begun_round, round);
        encounter->act();
        was_woken = fil_parker_wake(&parker);
        atomic_store_explicit(&ended_round, round, memory_order_release);
    }
    return NULL;
}

/** How often both missed: the owner goes to sleep and nobody wakes it. */
static uint32_t count_misses(const struct encounter *chosen)
{
    pthread_t other;
    uint32_t misses = 0;
    struct fil_prng prng;
    fil_prng_init(&prng, 5);
    encounter = chosen;
    atomic_store_explicit(&begun_round, 0, memory_order_relaxed);
    atomic_store_explicit(&ended_round, 0, memory_order_relaxed);
    assert_int_equal(pthread_create(&other, NULL, act_and_look, NULL), 0);
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        atomic_store_explicit(&begun_round, round, memory_order_release);
        // The other side needs a moment to see it; the looks shall meet now and then.
        for (uint64_t pauses = fil_prng_below(&prng, 8); pauses > 0; pauses--) {
            fil_thread_pause();
        }
        fil_parker_prepare(&parker);
        bool sleeps = chosen->must_sleep();
        wait_for(&ended_round, round);
        misses += sleeps && !was_woken;
        fil_parker_cancel(&parker);
        chosen->clean_up();
    }
    assert_int_equal(pthread_join(other, NULL), 0);
    return misses;
}

static void push_to_queue(void)
{
    assert_true(fil_mpmc_push(&queue, &parker));
}

static bool queue_is_empty(void)
{
    return fil_mpmc_is_empty(&queue);
}

static void empty_queue(void)
{
    assert_non_null(fil_mpmc_take(&queue));
}

static void test_push_and_sleep_do_not_miss_each_other(void **state)
{
    (void)state;
    static const struct encounter pushing = {push_to_queue, queue_is_empty, empty_queue};
    assert_int_equal(fil_mpmc_init(&queue, 2), FIL_OK);
    assert_int_equal(count_misses(&pushing), 0);
    fil_mpmc_fini(&queue);
}

static void push_to_edge(void)
{
    assert_true(fil_spsc_push(&edge, &parker));
}

static bool edge_is_empty(void)
{
    return fil_spsc_is_empty(&edge);
}

static bool edge_is_full(void)
{
    return fil_spsc_is_full(&edge);
}

static void empty_edge(void)
{
    void *taken = NULL;
    assert_int_equal(fil_spsc_take(&edge, &taken, 1), 1);
}

static void test_edge_and_sleep_do_not_miss_each_other(void **state)
{
    (void)state;
    static const struct encounter pushing = {push_to_edge, edge_is_empty, empty_edge};
    static const struct encounter taking = {empty_edge, edge_is_full, push_to_edge};
    assert_int_equal(fil_spsc_init(&edge, 1), FIL_OK);
    assert_int_equal(count_misses(&pushing), 0);
    push_to_edge();
    assert_int_equal(count_misses(&taking), 0);
    empty_edge();
    fil_spsc_fini(&edge);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_owner_that_is_awake_is_not_woken, set_up),
        cmocka_unit_test_setup(test_sleep_is_woken_once, set_up),
        cmocka_unit_test_setup(test_owner_is_awake_after_the_timeout, set_up),
        cmocka_unit_test_setup(test_poller_is_woken_through_its_environment, set_up),
        cmocka_unit_test_setup(test_sleeping_thread_is_woken_again_and_again, set_up),
        cmocka_unit_test_setup(test_no_wake_up_of_four_producers_is_lost, set_up),
        cmocka_unit_test_setup(test_push_and_sleep_do_not_miss_each_other, set_up),
        cmocka_unit_test_setup(test_edge_and_sleep_do_not_miss_each_other, set_up),
    };
    return cmocka_run_group_tests_name("parker", tests, NULL, NULL);
}
