// SPDX-License-Identifier: Apache-2.0
/**
 * Waiting for room, one test a promise: who may block and who never; an attempt that succeeds or
 * fails for another reason ends the wait at once; the time's end is the end, after a last attempt;
 * room that is made wakes all who wait, and none of many hand-overs is missed.
 */
#include "core/exec/room.h"

#include <pthread.h>

#include "filbert/error.h"
#include "lib/os/thread.h"
#include "tests/unit/core/exec/hand_clock.h"
#include "tests/unit/harness.h"

#define LONG_NS UINT64_C(3600000000000) // longer than any test may take

static struct fil_room room;

static int set_up(void **state)
{
    (void)state;
    fil_room_init(&room);
    return 0;
}

static void test_stages_that_serve_others_never_wait(void **state)
{
    (void)state;
    static const struct fil_role *const never[] = {&fil_role_acceptor, &fil_role_io,
                                                   &fil_role_partition, &fil_role_event};
    static const struct fil_role *const may[] = {&fil_role_main, &fil_role_generic,
                                                 &fil_role_executor, &fil_role_log};
    assert_true(fil_room_may_wait());
    for (size_t i = 0; i < FIL_COUNT_OF(never); i++) {
        fil_role_enter(never[i]);
        assert_false(fil_room_may_wait());
        fil_role_leave_all();
    }
    for (size_t i = 0; i < FIL_COUNT_OF(may); i++) {
        fil_role_enter(may[i]);
        assert_true(fil_room_may_wait());
        fil_role_leave_all();
    }
}

struct script {
    int answers[4];
    uint32_t next;
    struct hand_clock *clock;
};

/** Answers by the script; each attempt takes a second. */
static int answer(void *context)
{
    struct script *script = context;
    script->clock->now_ns += 1000000000;
    int error = script->answers[script->next];
    script->next++;
    return error;
}

static void test_other_answers_end_the_wait(void **state)
{
    (void)state;
    struct hand_clock clock;
    hand_clock_init(&clock);
    struct script lucky = {.answers = {FIL_OK}, .clock = &clock};
    assert_int_equal(fil_room_await(&room, &clock.env, LONG_NS, answer, &lucky), FIL_OK);
    assert_int_equal(lucky.next, 1);
    struct script closed = {.answers = {FIL_E_CLOSED}, .clock = &clock};
    assert_int_equal(fil_room_await(&room, &clock.env, LONG_NS, answer, &closed), FIL_E_CLOSED);
    assert_int_equal(closed.next, 1);
    assert_int_equal(room.waiter_count, 0);
}

static void test_time_ends_the_wait(void **state)
{
    (void)state;
    struct hand_clock clock;
    hand_clock_init(&clock);
    struct script full = {.answers = {FIL_E_FULL, FIL_OK}, .clock = &clock};
    assert_int_equal(fil_room_await(&room, &clock.env, 1000000000, answer, &full), FIL_E_FULL);
    assert_int_equal(full.next, 1); // its second was over with the first attempt
    // A real clock and a short time: there is an attempt after the sleep.
    struct script late = {.answers = {FIL_E_FULL, FIL_OK}, .clock = &clock};
    assert_int_equal(fil_room_await(&room, fil_env_real(), 1000000, answer, &late), FIL_OK);
    assert_int_equal(late.next, 2);
}

#define WAITERS 3U
#define PLACES  3000U

static _Atomic int64_t place_count;

static int take_place(void *context)
{
    (void)context;
    int64_t places = atomic_load_explicit(&place_count, memory_order_seq_cst);
    do {
        if (places == 0) {
            return FIL_E_FULL;
        }
    } while (!atomic_compare_exchange_weak_explicit(&place_count, &places, places - 1,
                                                    memory_order_seq_cst, memory_order_seq_cst));
    return FIL_OK;
}

static void *take_places(void *context)
{
    uint32_t *failure_count = context;
    for (uint32_t i = 0; i < PLACES; i++) {
        *failure_count +=
            fil_room_await(&room, fil_env_real(), LONG_NS, take_place, NULL) != FIL_OK;
    }
    return NULL;
}

/** A wake-up that is missed leaves a thread asleep, and the test's time limit tells. */
static void test_room_that_is_made_is_never_missed(void **state)
{
    (void)state;
    pthread_t waiters[WAITERS];
    uint32_t failure_counts[WAITERS] = {0};
    for (uint32_t i = 0; i < WAITERS; i++) {
        assert_int_equal(pthread_create(&waiters[i], NULL, take_places, &failure_counts[i]), 0);
    }
    for (uint32_t made = 0; made < WAITERS * PLACES; made++) {
        while (atomic_load_explicit(&place_count, memory_order_relaxed) > 0) {
            fil_thread_yield(); // so that somebody waits nearly always
        }
        atomic_fetch_add_explicit(&place_count, 1, memory_order_seq_cst);
        fil_room_made(&room);
    }
    for (uint32_t i = 0; i < WAITERS; i++) {
        assert_int_equal(pthread_join(waiters[i], NULL), 0);
        assert_int_equal(failure_counts[i], 0);
    }
    assert_int_equal(room.waiter_count, 0);
    assert_int_equal(place_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_stages_that_serve_others_never_wait, set_up),
        cmocka_unit_test_setup(test_other_answers_end_the_wait, set_up),
        cmocka_unit_test_setup(test_time_ends_the_wait, set_up),
        cmocka_unit_test_setup(test_room_that_is_made_is_never_missed, set_up),
    };
    return cmocka_run_group_tests_name("room", tests, NULL, NULL);
}
