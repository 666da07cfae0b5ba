// SPDX-License-Identifier: Apache-2.0
/**
 * The ring of blocks: it keeps order and bytes however it wraps, every block is one aligned piece,
 * it refuses when full and recovers, an uncommitted block is not seen, and with a producer and a
 * consumer on two threads nothing is lost or torn.
 */
#include <string.h>

#include "lib/base/alloc.h"
#include "lib/log/ring.h"
#include "lib/os/thread.h"
#include "tests/unit/harness.h"

#define CAPACITY FIL_LOG_RING_BYTES_MIN

static int set_up(void **state)
{
    *state = fil_log_ring_new(CAPACITY);
    return *state == NULL;
}

static int tear_down(void **state)
{
    fil_log_ring_free(*state);
    return 0;
}

/** A block of the size that starts with its number and is filled with its low byte. */
static bool put(struct fil_log_ring *ring, uint32_t number, uint32_t size)
{
    uint8_t *block = fil_log_ring_reserve(ring, size);
    if (block == NULL) {
        return false;
    }
    memset(block, (int)(number & 0xFFU), size);
    memcpy(block, &number, sizeof(number));
    memcpy(block + sizeof(number), &size, sizeof(size));
    fil_log_ring_commit(ring);
    return true;
}

/** True when the oldest block is the one that put made. */
static bool take(struct fil_log_ring *ring, uint32_t number)
{
    const uint8_t *block = fil_log_ring_peek(ring);
    if (block == NULL) {
        return false;
    }
    uint32_t seen = 0;
    uint32_t size = 0;
    memcpy(&seen, block, sizeof(seen));
    memcpy(&size, block + sizeof(seen), sizeof(size));
    assert_int_equal(seen, number);
    assert_int_equal((uintptr_t)block % 8, 0);
    for (uint32_t i = sizeof(seen) + sizeof(size); i < size; i++) {
        assert_int_equal(block[i], number & 0xFFU);
    }
    fil_log_ring_release(ring);
    return true;
}

static uint32_t size_of(uint32_t number)
{
    return 8 + (number * 37) % 1500;
}

static void test_order_and_bytes_survive_every_wrap(void **state)
{
    struct fil_log_ring *ring = *state;
    uint32_t taken = 0;
    for (uint32_t number = 0; number < 5000; number++) {
        while (!put(ring, number, size_of(number))) {
            assert_true(take(ring, taken));
            taken++;
        }
    }
    while (take(ring, taken)) {
        taken++;
    }
    assert_int_equal(taken, 5000);
    assert_true(fil_log_ring_is_empty(ring));
}

static void test_positions_survive_their_overflow(void **state)
{
    struct fil_log_ring *ring = *state;
    // As if four billion bytes had gone through before.
    uint32_t start = UINT32_MAX - 4095;
    atomic_store(&ring->tail, start);
    atomic_store(&ring->head, start);
    ring->known_head = start;
    ring->known_tail = start;
    for (uint32_t number = 0; number < 100; number++) {
        assert_true(put(ring, number, 200));
        assert_true(take(ring, number));
    }
}

static void test_full_ring_refuses_and_recovers(void **state)
{
    struct fil_log_ring *ring = *state;
    uint32_t count = 0;
    while (put(ring, count, 1016)) { // 1024 with its head
        count++;
    }
    assert_int_equal(count, CAPACITY / 1024);
    assert_false(put(ring, count, 8));
    assert_true(take(ring, 0));
    assert_true(put(ring, count, 8));
    for (uint32_t number = 1; number <= count; number++) {
        assert_true(take(ring, number));
    }
    assert_true(fil_log_ring_is_empty(ring));
}

static void test_uncommitted_block_is_not_seen(void **state)
{
    struct fil_log_ring *ring = *state;
    assert_non_null(fil_log_ring_reserve(ring, 64));
    assert_true(fil_log_ring_is_empty(ring));
    assert_null(fil_log_ring_peek(ring));
    // Reserving again forgets the first one.
    assert_true(put(ring, 1, 32));
    assert_false(fil_log_ring_is_empty(ring));
    assert_true(take(ring, 1));
    assert_null(fil_log_ring_peek(ring));
}

#define BLOCKS_SENT 20000U

static void produce(void *context)
{
    struct fil_log_ring *ring = context;
    for (uint32_t number = 0; number < BLOCKS_SENT;) {
        if (put(ring, number, size_of(number))) {
            number++;
        } else {
            fil_thread_yield();
        }
    }
}

static void test_two_threads_lose_and_tear_nothing(void **state)
{
    struct fil_log_ring *ring = *state;
    struct fil_thread producer;
    assert_int_equal(fil_thread_start(&producer, "producer", produce, ring), 0);
    for (uint32_t number = 0; number < BLOCKS_SENT;) {
        if (take(ring, number)) {
            number++;
        } else {
            fil_thread_yield();
        }
    }
    fil_thread_join(&producer);
    assert_true(fil_log_ring_is_empty(ring));
}

static void test_memory_may_be_out_at_every_step(void **state)
{
    (void)state;
    struct fil_log_ring *ring = NULL;
    int64_t failing = 0;
    for (; ring == NULL; failing++) {
        fil_alloc_fail_after(failing);
        ring = fil_log_ring_new(CAPACITY);
    }
    fil_alloc_fail_after(-1);
    assert_int_equal(failing, 3); // two allocations, each failed once
    fil_log_ring_free(ring);
    fil_log_ring_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_order_and_bytes_survive_every_wrap, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_positions_survive_their_overflow, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_full_ring_refuses_and_recovers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_uncommitted_block_is_not_seen, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_two_threads_lose_and_tear_nothing, set_up, tear_down),
        cmocka_unit_test(test_memory_may_be_out_at_every_step),
    };
    return cmocka_run_group_tests_name("log ring", tests, NULL, NULL);
}
