// SPDX-License-Identifier: Apache-2.0
/**
 * Listeners of a container, one test a promise: each gets what it asked for, in order; values only
 * when wanted; one key only when asked; a closed one hears nothing more and is told its end; what
 * finds no memory is counted and told; what finds no room shows as a gap; without listeners nothing
 * is allocated; each is charged to the member's memory until it is gone.
 */
#include "core/container/listen.h"

#include "core/container/directory.h"
#include "core/exec/listener.h"
#include "filbert/error.h"
#include "tests/unit/core/container/probe_type.h"

static struct pool *pool;

struct ear {
    struct fil_container_listener *listener;
    uint32_t count;
    uint64_t last_seq;
    uint64_t lost_count;
    char items[64];
    bool is_closed;
};

static void hear(void *context, const struct fil_container_event *event)
{
    struct ear *ear = context;
    size_t size = strlen(ear->items);
    ear->count++;
    ear->last_seq = event->seq;
    ear->lost_count = event->lost_count;
    if (event->item.data != NULL && size + event->item.size < sizeof(ear->items)) {
        memcpy(ear->items + size, event->item.data, event->item.size);
    }
}

static void end(void *context)
{
    ((struct ear *)context)->is_closed = true;
}

static void listen(struct ear *ear, struct fil_container_listener_options options)
{
    options.deliver = hear;
    options.closed = end;
    options.context = ear;
    struct fil_partition *partition = go_in(&pool->container);
    assert_int_equal(fil_container_listen_here(&pool->container, &options, &ear->listener), FIL_OK);
    fil_partition_leave(partition);
}

static void tell(enum fil_container_event_kind kind, const char *key, const char *item)
{
    struct fil_partition *partition = go_in(&pool->container);
    fil_container_tell_here(
        &pool->container,
        &(struct fil_container_event){.kind = kind,
                                      .key = key == NULL ? (struct fil_bytes){0} : text(key),
                                      .item = text(item)});
    fil_partition_leave(partition);
}

static int set_up(void **state)
{
    (void)state;
    open_world(&pool_type, NULL);
    pool = pool_of(get_container(&pool_type, "a"));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    close_world();
    return 0;
}

static void test_each_gets_what_it_asked_for(void **state)
{
    (void)state;
    struct ear both = {0};
    struct ear adds = {0};
    struct ear blind = {0};
    listen(&both, (struct fil_container_listener_options){.kinds = 3, .has_items = true});
    listen(&adds, (struct fil_container_listener_options){.kinds = 1, .has_items = true});
    listen(&blind, (struct fil_container_listener_options){.kinds = 3});
    tell(FIL_CONTAINER_ADDED, NULL, "a");
    tell(FIL_CONTAINER_REMOVED, NULL, "b");
    tell(FIL_CONTAINER_ADDED, NULL, "c");
    deliver_events();
    assert_string_equal(both.items, "abc");
    assert_string_equal(adds.items, "ac");
    assert_string_equal(blind.items, "");
    assert_int_equal(blind.count, 3);
    assert_int_equal(both.last_seq, 3);
    assert_int_equal(fil_counter_read(&pool->container.counters.events), 8);
}

static void test_one_key_only_when_asked(void **state)
{
    (void)state;
    struct ear ear = {0};
    struct fil_container_listener_options options = {
        .kinds = 3, .has_items = true, .key = text("k")};
    listen(&ear, options);
    tell(FIL_CONTAINER_ADDED, "other", "a");
    tell(FIL_CONTAINER_ADDED, "k", "b");
    deliver_events();
    assert_string_equal(ear.items, "b");
}

static void test_closed_one_hears_nothing_more(void **state)
{
    (void)state;
    struct ear ear = {0};
    listen(&ear, (struct fil_container_listener_options){.kinds = 1, .has_items = true});
    tell(FIL_CONTAINER_ADDED, NULL, "a");
    deliver_events();
    tell(FIL_CONTAINER_ADDED, NULL, "b"); // under way when it is closed
    struct fil_partition *partition = go_in(&pool->container);
    fil_container_unlisten_here(ear.listener);
    fil_partition_leave(partition);
    tell(FIL_CONTAINER_ADDED, NULL, "c");
    deliver_events();
    assert_string_equal(ear.items, "a");
    assert_true(ear.is_closed);
    assert_int_equal(pool->container.listener_count, 0);
}

static void test_what_finds_no_memory_is_counted(void **state)
{
    (void)state;
    struct ear ear = {0};
    listen(&ear, (struct fil_container_listener_options){.kinds = 1});
    fil_alloc_fail_after(0);
    tell(FIL_CONTAINER_ADDED, NULL, "a");
    fil_alloc_fail_after(-1);
    tell(FIL_CONTAINER_ADDED, NULL, "b");
    deliver_events();
    assert_int_equal(ear.count, 1);
    assert_int_equal(ear.lost_count, 1);
    assert_int_equal(fil_counter_read(&pool->container.counters.events_lost), 1);
}

static void test_what_finds_no_room_is_a_gap(void **state)
{
    (void)state;
    struct ear ear = {0};
    listen(&ear, (struct fil_container_listener_options){.kinds = 1, .lane_max = 16});
    for (int i = 0; i < 30; i++) {
        tell(FIL_CONTAINER_ADDED, NULL, "x");
    }
    deliver_events();
    assert_int_equal(ear.count, 16);
    assert_int_equal(fil_counter_read(&pool->container.counters.events_lost), 14);
    tell(FIL_CONTAINER_ADDED, NULL, "y");
    deliver_events();
    assert_int_equal(ear.last_seq, 31);
}

static void test_nobody_listens_nothing_is_allocated(void **state)
{
    (void)state;
    uint64_t before = fil_alloc_count();
    tell(FIL_CONTAINER_ADDED, NULL, "a");
    assert_int_equal(fil_alloc_count(), before);
}

static void test_listening_without_memory_leaves_nothing(void **state)
{
    (void)state;
    struct fil_container_listener_options options = {.kinds = 1, .deliver = hear};
    struct fil_container_listener *listener = NULL;
    struct ear ear = {0};
    int error = FIL_E_NOMEM;
    options.context = &ear;
    for (int64_t i = 0; error == FIL_E_NOMEM; i++) {
        struct fil_partition *partition = go_in(&pool->container);
        fil_alloc_fail_after(i);
        error = fil_container_listen_here(&pool->container, &options, &listener);
        fil_alloc_fail_after(-1);
        fil_partition_leave(partition);
        assert_int_equal(pool->container.listener_count, error == FIL_OK);
    }
    assert_int_equal(error, FIL_OK);
}

static void test_a_listener_is_charged_until_it_is_gone(void **state)
{
    (void)state;
    struct fil_budget *budget = fil_directory_options(pool->container.directory)->budget;
    struct ear ear = {0};
    struct ear refused = {0};
    uint64_t before = fil_budget_drawn(budget);
    listen(&ear, (struct fil_container_listener_options){.name = "a", .kinds = UINT32_MAX});
    assert_true(fil_budget_drawn(budget) >= before + fil_listener_bytes(1));
    uint64_t left = budget->limit_bytes - fil_budget_drawn(budget);
    assert_true(fil_budget_draw(budget, left));
    struct fil_partition *partition = go_in(&pool->container);
    struct fil_container_listener_options options = {.name = "b", .deliver = hear};
    assert_int_equal(fil_container_listen_here(&pool->container, &options, &refused.listener),
                     FIL_E_NOMEM);
    fil_container_unlisten_here(ear.listener);
    fil_partition_leave(partition);
    deliver_events();
    fil_budget_return(budget, left);
    assert_int_equal(fil_budget_drawn(budget), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_each_gets_what_it_asked_for, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_one_key_only_when_asked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_closed_one_hears_nothing_more, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_finds_no_memory_is_counted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_finds_no_room_is_a_gap, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_nobody_listens_nothing_is_allocated, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_listening_without_memory_leaves_nothing, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_a_listener_is_charged_until_it_is_gone, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests_name("container_listen", tests, NULL, NULL);
}
