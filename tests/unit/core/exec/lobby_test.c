// SPDX-License-Identifier: Apache-2.0
/**
 * Waiting without a thread, one test a promise: guests are called in the order in which they came,
 * once, and as many as there is room for; who has left is not called; who was called has left; a
 * guest may go with its call; with threads none of many hand-overs is missed, and when leave has
 * returned nobody touches the guest.
 */
#include "core/exec/lobby.h"

#include <pthread.h>

#include "lib/base/alloc.h"
#include "lib/os/thread.h"
#include "tests/unit/harness.h"

#define GUESTS 8U
#define ROUNDS 20000U

struct visitor {
    struct fil_guest guest;
    uint32_t call_count;
    uint32_t call_number;
};

static struct fil_lobby lobby;
static struct visitor visitors[GUESTS];
static uint32_t call_total;

static int set_up(void **state)
{
    (void)state;
    call_total = 0;
    fil_lobby_init(&lobby);
    for (uint32_t i = 0; i < GUESTS; i++) {
        visitors[i] = (struct visitor){0};
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_lobby_fini(&lobby);
    return 0;
}

static void note_call(struct fil_guest *guest)
{
    struct visitor *visitor = FIL_CONTAINER_OF(guest, struct visitor, guest);
    visitor->call_count++;
    visitor->call_number = call_total;
    call_total++;
}

static void enter_all(void)
{
    for (uint32_t i = 0; i < GUESTS; i++) {
        fil_lobby_enter(&lobby, &visitors[i].guest, note_call);
    }
}

static void test_guests_are_called_in_order_and_once(void **state)
{
    (void)state;
    enter_all();
    fil_lobby_made(&lobby, 3);
    assert_int_equal(call_total, 3);
    fil_lobby_made(&lobby, UINT32_MAX);
    fil_lobby_made(&lobby, UINT32_MAX);
    assert_int_equal(call_total, GUESTS);
    for (uint32_t i = 0; i < GUESTS; i++) {
        assert_int_equal(visitors[i].call_count, 1);
        assert_int_equal(visitors[i].call_number, i);
        assert_false(fil_lobby_leave(&lobby, &visitors[i].guest));
    }
}

static void test_who_has_left_is_not_called(void **state)
{
    (void)state;
    enter_all();
    assert_true(fil_lobby_leave(&lobby, &visitors[0].guest));
    assert_true(fil_lobby_leave(&lobby, &visitors[5].guest));
    assert_false(fil_lobby_leave(&lobby, &visitors[5].guest));
    assert_int_equal(fil_lobby_call(&lobby, UINT32_MAX), GUESTS - 2);
    assert_int_equal(visitors[0].call_count, 0);
    assert_int_equal(visitors[5].call_count, 0);
    assert_int_equal(fil_lobby_call(&lobby, UINT32_MAX), 0);
}

static void free_visitor(struct fil_guest *guest)
{
    fil_free(FIL_CONTAINER_OF(guest, struct visitor, guest));
    call_total++;
}

static void test_guest_may_go_with_its_call(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < GUESTS; i++) {
        struct visitor *visitor = fil_alloc(sizeof(*visitor));
        assert_non_null(visitor);
        fil_lobby_enter(&lobby, &visitor->guest, free_visitor);
    }
    fil_lobby_made(&lobby, UINT32_MAX);
    assert_int_equal(call_total, GUESTS);
}

// With threads.

static _Atomic uint32_t room;
static _Atomic bool is_over;

/** Makes room as soon as there is none, and says so. */
static void *make_room(void *context)
{
    (void)context;
    while (!atomic_load_explicit(&is_over, memory_order_acquire)) {
        if (atomic_load_explicit(&room, memory_order_seq_cst) == 0) {
            atomic_store_explicit(&room, 1, memory_order_seq_cst);
            fil_lobby_made(&lobby, 1);
        }
    }
    return NULL;
}

struct waiter {
    struct fil_guest guest;
    _Atomic bool is_called;
};

static void wake(struct fil_guest *guest)
{
    struct waiter *waiter = FIL_CONTAINER_OF(guest, struct waiter, guest);
    atomic_store_explicit(&waiter->is_called, true, memory_order_release);
}

/** Uses the room up, and waits for the next until it is called; or leaves, when there is some. */
static void test_no_room_is_missed(void **state)
{
    (void)state;
    pthread_t maker;
    atomic_store_explicit(&room, 0, memory_order_relaxed);
    atomic_store_explicit(&is_over, false, memory_order_relaxed);
    assert_int_equal(pthread_create(&maker, NULL, make_room, NULL), 0);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        struct waiter waiter; // anew each time: nobody may touch the last one any more
        atomic_init(&waiter.is_called, false);
        fil_lobby_enter(&lobby, &waiter.guest, wake);
        bool has_room = atomic_load_explicit(&room, memory_order_seq_cst) != 0;
        if (!has_room || !fil_lobby_leave(&lobby, &waiter.guest)) {
            while (!atomic_load_explicit(&waiter.is_called, memory_order_acquire)) {
                fil_thread_yield();
            }
            // The caller may still be inside; it is out when leave returns.
            assert_false(fil_lobby_leave(&lobby, &waiter.guest));
        }
        atomic_store_explicit(&room, 0, memory_order_seq_cst);
    }
    atomic_store_explicit(&is_over, true, memory_order_release);
    assert_int_equal(pthread_join(maker, NULL), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_guests_are_called_in_order_and_once),
        TEST(test_who_has_left_is_not_called),
        TEST(test_guest_may_go_with_its_call),
        TEST(test_no_room_is_missed),
    };
    return cmocka_run_group_tests_name("lobby", tests, NULL, NULL);
}
