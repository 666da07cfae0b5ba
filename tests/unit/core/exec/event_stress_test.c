// SPDX-License-Identifier: Apache-2.0
/**
 * The event stage under overload, with real threads. Promises: whatever is published, per listener,
 * is delivered, dropped or discarded, and counted as that; the last number of a lane tells exactly
 * how many were dropped; one lane is served by one thread at a time and each publisher's events of
 * a key come in order, also while listeners are moved between threads; listeners may come and go
 * while events flow; places that were granted are all given back.
 */
#include <pthread.h>

#include "core/exec/event.h"
#include "core/exec/listener.h"
#include "filbert/error.h"
#include "lib/base/prng.h"
#include "lib/mem/pool.h"
#include "lib/os/thread.h"
#include "tests/unit/harness.h"

#define PUBLISHERS 3U
#define LISTENERS  4U
#define LANES_MAX  3U
#define KEYS       5U
#define PUBLISHES  20000U // of each publisher

struct note {
    struct fil_event event;
    struct fil_pool *home;
    uint32_t publisher;
    uint32_t key;
    uint32_t number;
};

/** What belongs to one lane; plain, so that two threads in one lane are a race. */
struct lane_record {
    uint64_t delivered_count;
    uint64_t last_seq;
    uint32_t next[PUBLISHERS][KEYS];
};

struct audience {
    struct fil_listener *listener;
    uint32_t lane_count;
    struct lane_record lanes[LANES_MAX];
    _Atomic uint64_t taken_count; // what publish took
    _Atomic uint64_t lost_count;  // what it dropped
    _Atomic uint64_t wrong_count;
    _Atomic uint64_t discarded_count;
};

struct publisher {
    pthread_t thread;
    uint32_t index;
    struct fil_pool pool;
};

static struct fil_events events;
static struct fil_budget budget;
static struct publisher publishers[PUBLISHERS + 1]; // the last one is the test itself
static struct audience audiences[LISTENERS];

static void deliver(void *context, struct fil_event *event)
{
    struct audience *audience = context;
    struct note *note = FIL_CONTAINER_OF(event, struct note, event);
    struct lane_record *lane = &audience->lanes[event->lane];
    bool is_wrong = event->lane != note->key % audience->lane_count;
    is_wrong = is_wrong || event->seq <= lane->last_seq;
    lane->last_seq = event->seq;
    lane->delivered_count++;
    if (note->publisher < PUBLISHERS) {
        uint32_t *next = &lane->next[note->publisher][note->key];
        is_wrong = is_wrong || note->number < *next;
        *next = note->number + 1;
    }
    if (is_wrong) {
        atomic_fetch_add_explicit(&audience->wrong_count, 1, memory_order_relaxed);
    }
    fil_pool_give(note->home, note);
}

static void discard(void *context, struct fil_event *event)
{
    struct audience *audience = context;
    struct note *note = FIL_CONTAINER_OF(event, struct note, event);
    atomic_fetch_add_explicit(&audience->discarded_count, 1, memory_order_relaxed);
    fil_pool_give(note->home, note);
}

static const struct fil_listener_ops ops = {.deliver = deliver, .discard = discard};

static int open_audience(struct audience *audience, uint32_t lane_count)
{
    *audience = (struct audience){.lane_count = lane_count};
    return fil_listener_open(&events,
                             &(struct fil_listener_options){.name = "stress",
                                                            .ops = &ops,
                                                            .context = audience,
                                                            .lane_count = lane_count,
                                                            .lane_reserve = 4,
                                                            .lane_max = 96},
                             &audience->listener);
}

/** Publishes one event; counts what became of it. */
static int publish(struct publisher *publisher, struct audience *audience, uint32_t key,
                   uint32_t number, enum fil_publish how)
{
    struct note *note = fil_pool_take(&publisher->pool);
    fil_assert(note != NULL);
    note->home = &publisher->pool;
    note->publisher = publisher->index;
    note->key = key;
    note->number = number;
    int error = fil_listener_publish(audience->listener, key, &note->event, how);
    if (error == FIL_OK) {
        atomic_fetch_add_explicit(&audience->taken_count, 1, memory_order_relaxed);
        return error;
    }
    fil_assert(error == FIL_E_FULL || error == FIL_E_CLOSED);
    if (error == FIL_E_FULL && how != FIL_PUBLISH_TRY) {
        atomic_fetch_add_explicit(&audience->lost_count, 1, memory_order_relaxed);
    }
    fil_pool_give(&publisher->pool, note);
    return error;
}

static void *publish_to_all(void *context)
{
    struct publisher *publisher = context;
    struct fil_prng prng;
    fil_pool_adopt(&publisher->pool);
    fil_prng_init(&prng, publisher->index);
    for (uint32_t i = 0; i < PUBLISHES; i++) {
        struct audience *audience = &audiences[fil_prng_below(&prng, LISTENERS)];
        uint32_t key = (uint32_t)fil_prng_below(&prng, KEYS);
        enum fil_publish how = (enum fil_publish)fil_prng_below(&prng, 3);
        (void)publish(publisher, audience, key, i, how); // counted
    }
    return NULL;
}

static int init_stage(uint64_t put_timeout_ns)
{
    fil_budget_init(&budget, UINT64_C(1) << 30);
    for (uint32_t i = 0; i <= PUBLISHERS; i++) {
        publishers[i].index = i;
        fil_pool_init(&publishers[i].pool, &budget, sizeof(struct note), 4096);
    }
    int error = fil_events_init(
        &events, &(struct fil_events_options){.env = fil_env_real(),
                                              .thread_count = 2,
                                              .isolated_max = 2,
                                              .capacity = 256, // far less than is published
                                              .put_timeout_ns = put_timeout_ns,
                                              .idle = FIL_IDLE_KIND_BLOCK});
    return error != FIL_OK ? error : fil_events_start(&events);
}

static void fini_stage(void)
{
    static struct fil_events_stats stats;
    fil_events_read(&events, &stats);
    assert_int_equal(stats.granted_count, 0);
    assert_int_equal(stats.listener_count, 0);
    assert_int_equal(stats.queue_length, 0);
    fil_events_stop(&events);
    fil_events_fini(&events);
    for (uint32_t i = 0; i <= PUBLISHERS; i++) {
        fil_pool_adopt(&publishers[i].pool);
        fil_pool_fini(&publishers[i].pool);
    }
}

/** Moves listeners to and fro until the publishers are done. */
static void move_listeners(void)
{
    struct fil_prng prng;
    fil_prng_init(&prng, 99);
    for (uint32_t i = 0; i < 2000; i++) {
        struct fil_listener *listener = audiences[fil_prng_below(&prng, LISTENERS)].listener;
        if (fil_prng_below(&prng, 2) == 0) {
            int error = fil_listener_isolate(listener);
            assert_true(error == FIL_OK || error == FIL_E_LIMIT);
        } else {
            fil_listener_share(listener);
        }
        fil_thread_yield();
    }
}

/** The number of a last event in each lane tells what came before it. */
static void send_last_events(struct audience *audience)
{
    for (uint32_t lane = 0; lane < audience->lane_count; lane++) {
        while (publish(&publishers[PUBLISHERS], audience, lane, 0, FIL_PUBLISH_TRY) != FIL_OK) {
            fil_thread_yield();
        }
    }
}

static void check_account(struct audience *audience, bool has_last_event)
{
    struct fil_listener_stats stats;
    fil_listener_read(audience->listener, &stats);
    uint64_t delivered = 0;
    uint64_t numbered = 0;
    for (uint32_t lane = 0; lane < audience->lane_count; lane++) {
        delivered += audience->lanes[lane].delivered_count;
        numbered += audience->lanes[lane].last_seq;
    }
    assert_int_equal(audience->wrong_count, 0);
    assert_int_equal(stats.delivered_count, delivered);
    assert_int_equal(stats.dropped_count, audience->lost_count);
    assert_int_equal(stats.discarded_count, audience->discarded_count);
    assert_int_equal(delivered + audience->discarded_count, audience->taken_count);
    assert_int_equal(stats.queue_length, 0);
    // Every drop is a missing number, though the last ones show with the next event only.
    if (has_last_event) {
        assert_int_equal(numbered, delivered + audience->lost_count);
    } else {
        assert_true(numbered <= delivered + audience->lost_count);
    }
}

static void test_overload_is_accounted_for_exactly(void **state)
{
    (void)state;
    assert_int_equal(init_stage(200000), FIL_OK);
    for (uint32_t i = 0; i < LISTENERS; i++) {
        assert_int_equal(open_audience(&audiences[i], 1 + i % LANES_MAX), FIL_OK);
    }
    for (uint32_t i = 0; i < PUBLISHERS; i++) {
        assert_int_equal(
            pthread_create(&publishers[i].thread, NULL, publish_to_all, &publishers[i]), 0);
    }
    move_listeners();
    for (uint32_t i = 0; i < PUBLISHERS; i++) {
        assert_int_equal(pthread_join(publishers[i].thread, NULL), 0);
    }
    for (uint32_t i = 0; i < LISTENERS; i++) {
        send_last_events(&audiences[i]);
    }
    fil_events_stop(&events);
    for (uint32_t i = 0; i < LISTENERS; i++) {
        assert_int_equal(fil_listener_close_wait(audiences[i].listener), FIL_OK);
        check_account(&audiences[i], true);
        fil_listener_unref(audiences[i].listener);
    }
    fini_stage();
}

// Listeners that come and go.

#define GENERATIONS 300U

static struct audience generations[GENERATIONS];
static pthread_mutex_t current_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct audience *current;
static bool is_over;

/** The audience of now, with a reference to its listener; NULL at the end. */
static struct audience *join_current(void)
{
    (void)pthread_mutex_lock(&current_mutex);
    struct audience *audience = is_over ? NULL : current;
    if (audience != NULL) {
        fil_listener_ref(audience->listener);
    }
    (void)pthread_mutex_unlock(&current_mutex);
    return audience;
}

static void *publish_to_current(void *context)
{
    struct publisher *publisher = context;
    fil_pool_adopt(&publisher->pool);
    uint32_t number = 0;
    struct audience *audience = NULL;
    while ((audience = join_current()) != NULL) {
        for (uint32_t i = 0; i < 100; i++) {
            number++;
            enum fil_publish how = (enum fil_publish)(number % 3);
            (void)publish(publisher, audience, number % KEYS, number, how); // counted
        }
        fil_listener_unref(audience->listener);
    }
    return NULL;
}

static void set_current(struct audience *audience)
{
    (void)pthread_mutex_lock(&current_mutex);
    current = audience;
    is_over = audience == NULL;
    (void)pthread_mutex_unlock(&current_mutex);
}

static void open_generation(uint32_t index)
{
    int error = FIL_E_LIMIT;
    while (error == FIL_E_LIMIT) {
        error = open_audience(&generations[index], 1 + index % LANES_MAX);
    }
    assert_int_equal(error, FIL_OK);
}

static void test_listeners_come_and_go_while_events_flow(void **state)
{
    (void)state;
    assert_int_equal(init_stage(200000), FIL_OK);
    open_generation(0);
    set_current(&generations[0]);
    for (uint32_t i = 0; i < PUBLISHERS; i++) {
        assert_int_equal(
            pthread_create(&publishers[i].thread, NULL, publish_to_current, &publishers[i]), 0);
    }
    for (uint32_t i = 1; i <= GENERATIONS; i++) {
        struct audience *old = &generations[i - 1];
        while (atomic_load_explicit(&old->taken_count, memory_order_relaxed) < 50) {
            fil_thread_yield();
        }
        if (i % 4 == 0) {
            assert_int_equal(fil_listener_isolate(old->listener), FIL_OK);
        }
        if (i < GENERATIONS) {
            open_generation(i);
            set_current(&generations[i]);
        } else {
            set_current(NULL);
        }
        assert_int_equal(fil_listener_close_wait(old->listener), FIL_OK);
    }
    for (uint32_t i = 0; i < PUBLISHERS; i++) {
        assert_int_equal(pthread_join(publishers[i].thread, NULL), 0);
    }
    for (uint32_t i = 0; i < GENERATIONS; i++) {
        check_account(&generations[i], false);
        fil_listener_unref(generations[i].listener);
    }
    fini_stage();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_overload_is_accounted_for_exactly),
        cmocka_unit_test(test_listeners_come_and_go_while_events_flow),
    };
    return cmocka_run_group_tests_name("event_stress", tests, NULL, NULL);
}
