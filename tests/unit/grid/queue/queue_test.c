// SPDX-License-Identifier: Apache-2.0
/**
 * A queue's contract, one test a promise: items come out as they went in; a hundred takers are
 * served in arrival order; a taker that goes away loses no item; a full queue makes offerers wait
 * in order; a deadline answers and changes nothing; a promised item is out of the queue; a priority
 * queue gives the smallest first; draining, removing and sifting wake who waits; all or nothing is
 * added; listeners hear; an empty queue gives its memory back when it is told to; without memory an
 * offer is refused.
 */
#include "core/container/listen.h"
#include "tests/unit/grid/queue/queue_fixture.h"

#define TAKERS    100U
#define LIST_SIZE 256U

static const struct fil_queue_config plain = {.empty_ttl_ms = -1};
static const struct fil_queue_config bounded = {.size_max = 3, .empty_ttl_ms = -1};

static int set_up(void **state)
{
    (void)state;
    open_queue(&plain);
    return 0;
}

static int set_up_bounded(void **state)
{
    (void)state;
    open_queue(&bounded);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    close_world();
    return 0;
}

static bool append(void *context, struct fil_bytes item)
{
    char *list = context;
    size_t size = strlen(list);
    (void)snprintf(list + size, LIST_SIZE - size, "%llu,", (unsigned long long)number_of(item));
    return true;
}

static void assert_queue(const char *expected)
{
    char list[LIST_SIZE] = "";
    fil_queue_visit_here(queue, UINT64_MAX, append, list);
    assert_string_equal(list, expected);
}

static void offer_range(uint64_t first, uint64_t last)
{
    for (uint64_t i = first; i <= last; i++) {
        assert_int_equal(offer_now(i), FIL_OK);
    }
}

static void test_items_come_out_as_they_went_in(void **state)
{
    (void)state;
    uint64_t number = 0;
    assert_int_equal(poll_now(&number), FIL_E_AGAIN);
    offer_range(1, 5);
    assert_queue("1,2,3,4,5,");
    for (uint64_t i = 1; i <= 5; i++) {
        assert_int_equal(poll_now(&number), FIL_OK);
        assert_int_equal(number, i);
    }
    assert_int_equal(fil_queue_size_here(queue), 0);
    assert_int_equal(fil_counter_read(&queue->container.counters.adds), 5);
    assert_int_equal(fil_counter_read(&queue->container.counters.removes), 5);
}

static void test_takers_are_served_in_arrival_order(void **state)
{
    (void)state;
    static struct errand takers[TAKERS];
    for (uint32_t i = 0; i < TAKERS; i++) {
        send_poll(&takers[i], 0);
    }
    settle();
    for (uint32_t i = 0; i < TAKERS; i++) {
        assert_int_equal(offer_now(i), FIL_OK);
        settle();
    }
    for (uint32_t i = 0; i < TAKERS; i++) {
        assert_true(takers[i].is_done);
        assert_int_equal(takers[i].number, i);
    }
}

static void test_taker_that_goes_away_loses_no_item(void **state)
{
    (void)state;
    struct errand gone = {.op.type = NULL};
    struct errand late = {.op.type = NULL};
    uint64_t number = 0;
    send_poll(&gone, 0);
    settle();
    assert_int_equal(offer_now(1), FIL_OK); // promised to the one that goes now
    abandon_errand(&gone);
    settle();
    assert_int_equal(gone.error, FIL_E_CANCELLED);
    assert_int_equal(offer_now(2), FIL_OK);
    send_poll(&late, 0);
    settle();
    assert_int_equal(late.number, 1);
    assert_int_equal(poll_now(&number), FIL_OK);
    assert_int_equal(number, 2);
}

static void test_full_queue_makes_offerers_wait_in_order(void **state)
{
    (void)state;
    struct errand first = {.op.type = NULL};
    struct errand second = {.op.type = NULL};
    uint64_t number = 0;
    offer_range(1, 3);
    assert_int_equal(offer_now(9), FIL_E_AGAIN);
    assert_int_equal(fil_queue_room_here(queue), 0);
    send_offer(&first, 4, 0);
    send_offer(&second, 5, 0);
    settle();
    assert_int_equal(poll_now(&number), FIL_OK);
    assert_int_equal(fil_queue_room_here(queue), 0); // it has been promised
    settle();
    assert_true(first.is_done);
    assert_false(second.is_done);
    assert_queue("2,3,4,");
    struct fil_partition *partition = go_in(&queue->container);
    assert_int_equal(fil_queue_drain_here(queue, 10, now_ms()), 3);
    fil_partition_leave(partition);
    settle();
    assert_true(second.is_done);
    assert_queue("5,");
}

static void test_deadline_answers_and_changes_nothing(void **state)
{
    (void)state;
    struct errand taker = {.op.type = NULL};
    struct errand offerer = {.op.type = NULL};
    send_poll(&taker, 50);
    settle();
    pass_ms(60);
    settle();
    assert_int_equal(taker.error, FIL_E_TIMEOUT);
    offer_range(1, 3);
    send_offer(&offerer, 4, 50);
    settle();
    pass_ms(60);
    settle();
    assert_int_equal(offerer.error, FIL_E_TIMEOUT);
    assert_queue("1,2,3,");
}

static void test_promised_item_is_out_of_the_queue(void **state)
{
    (void)state;
    struct errand taker = {.op.type = NULL};
    struct fil_bytes item;
    send_poll(&taker, 0);
    settle();
    struct fil_waiter waiter = {0};
    uint64_t one = 1;
    struct fil_partition *partition = go_in(&queue->container);
    assert_int_equal(fil_queue_offer_here(queue, &waiter, bytes_of(&one), now_ms()), FIL_OK);
    assert_int_equal(fil_queue_size_here(queue), 0);
    assert_false(fil_queue_peek_here(queue, now_ms(), &item));
    assert_false(fil_queue_contains_here(queue, bytes_of(&one)));
    assert_int_equal(fil_queue_drain_here(queue, 10, now_ms()), 0);
    fil_partition_leave(partition);
    settle();
    assert_int_equal(taker.number, 1);
}

static int compare_numbers(void *context, struct fil_bytes a, struct fil_bytes b)
{
    (void)context;
    uint64_t left = number_of(a) / 10;
    uint64_t right = number_of(b) / 10;
    return (left > right) - (left < right);
}

static void test_priority_queue_gives_the_smallest_first(void **state)
{
    (void)state;
    static const uint64_t numbers[] = {50, 20, 90, 21, 10, 51};
    queue->config.compare = compare_numbers;
    for (size_t i = 0; i < FIL_COUNT_OF(numbers); i++) {
        assert_int_equal(offer_now(numbers[i]), FIL_OK);
    }
    assert_queue("10,20,21,50,51,90,");
}

static void test_removing_and_sifting(void **state)
{
    (void)state;
    uint64_t numbers[] = {2, 4, 7};
    struct fil_bytes named[] = {bytes_of(&numbers[0]), bytes_of(&numbers[1]),
                                bytes_of(&numbers[2])};
    bool answer = false;
    offer_range(1, 6);
    struct fil_partition *partition = go_in(&queue->container);
    assert_true(fil_queue_remove_here(queue, bytes_of(&numbers[0]), now_ms()));
    assert_false(fil_queue_remove_here(queue, bytes_of(&numbers[0]), now_ms()));
    assert_int_equal(fil_queue_contains_all_here(queue, named + 1, 1, &answer), FIL_OK);
    assert_true(answer);
    assert_int_equal(fil_queue_contains_all_here(queue, named, 3, &answer), FIL_OK);
    assert_false(answer);
    assert_int_equal(fil_queue_sift_here(queue, FIL_SIFT_REMOVE_NAMED, named, 3, now_ms(), &answer),
                     FIL_OK);
    assert_true(answer);
    assert_queue("1,3,5,6,");
    assert_int_equal(fil_queue_sift_here(queue, FIL_SIFT_RETAIN_NAMED, named, 3, now_ms(), &answer),
                     FIL_OK);
    assert_true(answer);
    assert_queue("");
    fil_partition_leave(partition);
}

static void test_all_or_nothing_is_added(void **state)
{
    (void)state;
    uint64_t numbers[] = {1, 2, 3, 4};
    struct fil_bytes items[] = {bytes_of(&numbers[0]), bytes_of(&numbers[1]), bytes_of(&numbers[2]),
                                bytes_of(&numbers[3])};
    struct fil_partition *partition = go_in(&queue->container);
    assert_int_equal(fil_queue_add_all_here(queue, items, 4, now_ms()), FIL_E_FULL);
    int error = FIL_E_NOMEM;
    for (int64_t i = 0; error == FIL_E_NOMEM; i++) {
        fil_alloc_fail_after(i);
        error = fil_queue_add_all_here(queue, items, 3, now_ms());
        fil_alloc_fail_after(-1);
        assert_int_equal(fil_queue_size_here(queue), error == FIL_OK ? 3 : 0);
    }
    assert_int_equal(error, FIL_OK);
    fil_partition_leave(partition);
    assert_queue("1,2,3,");
}

static uint32_t heard;

static void hear(void *context, const struct fil_container_event *event)
{
    (void)context;
    heard = heard * 10 + (uint32_t)event->kind;
}

static void test_listeners_hear(void **state)
{
    (void)state;
    struct fil_container_listener *listener = NULL;
    struct fil_container_listener_options options = {.kinds = 3, .deliver = hear};
    uint64_t number = 0;
    struct fil_partition *partition = go_in(&queue->container);
    assert_int_equal(fil_container_listen_here(&queue->container, &options, &listener), FIL_OK);
    fil_partition_leave(partition);
    offer_range(1, 2);
    assert_int_equal(poll_now(&number), FIL_OK);
    heard = 0;
    deliver_events();
    assert_int_equal(heard, 112);
}

static void test_empty_queue_gives_its_memory_back(void **state)
{
    (void)state;
    uint64_t number = 0;
    queue->config.empty_ttl_ms = 100;
    offer_range(1, 1);
    assert_int_equal(poll_now(&number), FIL_OK);
    assert_true(queue->items.bytes > 0);
    pass_ms(50);
    settle();
    assert_true(queue->items.bytes > 0);
    pass_ms(100);
    settle();
    assert_int_equal(queue->items.bytes, 0);
}

static void test_without_memory_an_offer_is_refused(void **state)
{
    (void)state;
    fil_alloc_fail_after(0);
    assert_int_equal(offer_now(1), FIL_E_NOMEM);
    fil_alloc_fail_after(-1);
    assert_int_equal(fil_queue_size_here(queue), 0);
    assert_int_equal(fil_counter_read(&queue->container.counters.refused), 1);
    assert_int_equal(offer_now(1), FIL_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_items_come_out_as_they_went_in, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_takers_are_served_in_arrival_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_taker_that_goes_away_loses_no_item, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_full_queue_makes_offerers_wait_in_order,
                                        set_up_bounded, tear_down),
        cmocka_unit_test_setup_teardown(test_deadline_answers_and_changes_nothing, set_up_bounded,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_promised_item_is_out_of_the_queue, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_priority_queue_gives_the_smallest_first, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_removing_and_sifting, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_all_or_nothing_is_added, set_up_bounded, tear_down),
        cmocka_unit_test_setup_teardown(test_listeners_hear, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_empty_queue_gives_its_memory_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_without_memory_an_offer_is_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("queue", tests, NULL, NULL);
}
