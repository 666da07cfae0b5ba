// SPDX-License-Identifier: Apache-2.0
/**
 * The structures of the client besides maps: found by kind and name, wrong arguments are errors, an
 * answer that cannot be read is told and leaves the outs empty, every allocation may fail, and
 * threads of a member may not wait. What they do is proved against a real member by the examples.
 */
#include <string.h>

#include "filbert/filbert.h"
#include "lib/base/alloc.h"
#include "lib/conc/role.h"
#include "tests/unit/client/client_world.h"
#include "tests/unit/harness.h"

static struct client_world world;
static struct fil_grid *grid;

static int set_up(void **state)
{
    (void)state;
    client_world_init(&world, 1, NULL);
    grid = fil_client_grid(world.client);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_alloc_fail_after(-1);
    client_world_fini(&world);
    return 0;
}

static void test_kind_and_name_are_one_thing(void **state)
{
    (void)state;
    char name[300];
    memset(name, 'n', sizeof(name));
    name[255] = '\0';
    struct fil_queue *queue = fil_queue(grid, "a");
    assert_non_null(queue);
    assert_ptr_equal(fil_queue(grid, "a"), queue);
    assert_ptr_not_equal(fil_queue(grid, "b"), queue);
    assert_ptr_not_equal((void *)fil_set(grid, "a"), (void *)queue);
    assert_non_null(fil_ringbuffer(grid, name)); // its partition's key needs memory of its own
    name[255] = 'n';
    name[256] = '\0';
    assert_null(fil_queue(grid, name));
    assert_null(fil_set(grid, ""));
    assert_null(fil_ringbuffer(NULL, "a"));
}

static void test_wrong_arguments_are_errors(void **state)
{
    (void)state;
    struct fil_value value = {0};
    int64_t number = 0;
    assert_int_equal(fil_queue_offer(NULL, fil_i32(1), 0, NULL), FIL_E_INVALID);
    assert_int_equal(fil_queue_poll(NULL, 0, &value), FIL_E_INVALID);
    assert_int_equal(fil_queue_poll(fil_queue(grid, "q"), 0, NULL), FIL_E_INVALID);
    assert_int_equal(fil_queue_peek(fil_queue(grid, "q"), NULL), FIL_E_INVALID);
    assert_int_equal(fil_queue_size(NULL, NULL), FIL_E_INVALID);
    assert_int_equal(fil_queue_clear(NULL), FIL_E_INVALID);
    assert_int_equal(fil_set_add(NULL, fil_i32(1), NULL), FIL_E_INVALID);
    assert_int_equal(fil_set_size(NULL, NULL), FIL_E_INVALID);
    assert_int_equal(fil_set_clear(NULL), FIL_E_INVALID);
    assert_int_equal(fil_ringbuffer_add(NULL, fil_i32(1), &number), FIL_E_INVALID);
    assert_int_equal(fil_ringbuffer_read(fil_ringbuffer(grid, "r"), 0, NULL), FIL_E_INVALID);
    assert_int_equal(fil_ringbuffer_tail(NULL, &number), FIL_E_INVALID);
}

static void heard(void *context, const struct fil_message *message)
{
    (void)context;
    (void)message;
}

static void test_nothing_is_no_structure(void **state)
{
    (void)state;
    struct fil_subscription *subscription = NULL;
    struct fil_values values = {0};
    struct fil_entries entries = {0};
    struct fil_value value = {0};
    int64_t number = 0;
    uint64_t count = 0;
    assert_int_equal(fil_grid_list_add(NULL, fil_i32(1), NULL), FIL_E_INVALID);
    assert_int_equal(fil_grid_list_get(NULL, 0, &value), FIL_E_INVALID);
    assert_int_equal(fil_grid_list_items(NULL, &values), FIL_E_INVALID);
    assert_int_equal(fil_grid_list_find(NULL, fil_i32(1), &number), FIL_E_INVALID);
    assert_int_equal(fil_multimap_put(NULL, fil_i32(1), fil_i32(1), NULL), FIL_E_INVALID);
    assert_int_equal(fil_multimap_get(NULL, fil_i32(1), &values), FIL_E_INVALID);
    assert_int_equal(fil_multimap_entries(NULL, &entries), FIL_E_INVALID);
    assert_int_equal(fil_multimap_lock(NULL, fil_i32(1)), FIL_E_INVALID);
    assert_int_equal(fil_replicated_map_put(NULL, fil_i32(1), fil_i32(1), 0, NULL), FIL_E_INVALID);
    assert_int_equal(fil_replicated_map_keys(NULL, &values), FIL_E_INVALID);
    assert_int_equal(fil_topic_publish(NULL, fil_i32(1)), FIL_E_INVALID);
    assert_int_equal(fil_topic_subscribe(fil_topic(grid, "t"), NULL, NULL, &subscription),
                     FIL_E_INVALID);
    assert_int_equal(fil_topic_subscribe(NULL, heard, NULL, &subscription), FIL_E_INVALID);
    assert_int_equal(fil_reliable_topic_publish(NULL, fil_i32(1)), FIL_E_INVALID);
    assert_int_equal(
        fil_reliable_topic_subscribe(fil_reliable_topic(grid, "t"), NULL, &subscription),
        FIL_E_INVALID);
    assert_int_equal(fil_pn_counter_add(NULL, 1, &number), FIL_E_INVALID);
    assert_int_equal(fil_flake_ids_next(NULL, &number), FIL_E_INVALID);
    assert_int_equal(fil_cardinality_estimator_add(NULL, fil_i32(1)), FIL_E_INVALID);
    assert_int_equal(fil_cardinality_estimator_estimate(NULL, &count), FIL_E_INVALID);
}

static void test_all_kinds_have_names_of_their_own(void **state)
{
    (void)state;
    const void *things[] = {fil_queue(grid, "a"),
                            fil_set(grid, "a"),
                            fil_ringbuffer(grid, "a"),
                            fil_grid_list(grid, "a"),
                            fil_multimap(grid, "a"),
                            fil_topic(grid, "a"),
                            fil_reliable_topic(grid, "a"),
                            fil_replicated_map(grid, "a"),
                            fil_pn_counter(grid, "a"),
                            fil_flake_ids(grid, "a"),
                            fil_cardinality_estimator(grid, "a")};
    for (size_t i = 0; i < FIL_COUNT_OF(things); i++) {
        assert_non_null(things[i]);
        for (size_t k = 0; k < i; k++) {
            assert_ptr_not_equal(things[i], things[k]);
        }
    }
    assert_ptr_equal(fil_reliable_topic(grid, "a"), things[6]);
}

static void test_threads_of_a_member_do_not_wait(void **state)
{
    (void)state;
    uint64_t size = 0;
    fil_role_enter(&fil_role_io);
    assert_int_equal(fil_grid_list_size(fil_grid_list(grid, "l"), &size), FIL_E_WOULD_BLOCK);
    fil_role_leave_all();
}

/** The members of the script know maps only, and answer all else with nothing. */
static void test_unreadable_answers_are_told(void **state)
{
    (void)state;
    uint64_t size = 7;
    int64_t number = 7;
    bool is_added = true;
    assert_int_equal(fil_queue_size(fil_queue(grid, "q"), &size), FIL_E_MALFORMED);
    assert_int_equal(size, 0);
    assert_int_equal(fil_ringbuffer_head(fil_ringbuffer(grid, "r"), &number), FIL_E_MALFORMED);
    assert_int_equal(number, -1);
    assert_int_equal(fil_queue_offer(fil_queue(grid, "q"), fil_str("x"), 5, &is_added), FIL_OK);
    assert_false(is_added);
    assert_int_equal(fil_set_clear(fil_set(grid, "s")), FIL_OK);
}

static void test_failed_allocations_are_told(void **state)
{
    (void)state;
    char text[2000];
    memset(text, 't', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    fil_alloc_fail_after(0);
    assert_null(fil_queue(grid, "q"));
    fil_alloc_fail_after(-1);
    struct fil_queue *queue = fil_queue(grid, "q");
    assert_non_null(queue);
    fil_alloc_fail_after(0);
    assert_int_equal(fil_queue_offer(queue, fil_str(text), 0, NULL), FIL_E_NOMEM);
    fil_alloc_fail_after(-1);
    assert_int_equal(fil_queue_offer(queue, fil_str(text), 0, NULL), FIL_OK);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(kind_and_name_are_one_thing),     TEST(wrong_arguments_are_errors),
        TEST(nothing_is_no_structure),         TEST(all_kinds_have_names_of_their_own),
        TEST(threads_of_a_member_do_not_wait), TEST(unreadable_answers_are_told),
        TEST(failed_allocations_are_told),
    };
    return cmocka_run_group_tests_name("things", tests, NULL, NULL);
}
