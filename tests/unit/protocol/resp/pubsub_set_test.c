// SPDX-License-Identifier: Apache-2.0
/**
 * The topics of one connection, one test a promise: what was added is found by its name and kind
 * and as itself, nothing else is; they are taken oldest first, each kind for itself; it holds very
 * many and lets them go in any order; failing memory refuses a topic or leaves the table crowded,
 * and loses none.
 */
#include "protocol/resp/pubsub_set.h"

#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/hash.h"
#include "lib/base/prng.h"
#include "protocol/resp/pubsub.h"
#include "tests/unit/harness.h"

#define TOPICS 5000U

static struct fil_resp_set set;
static struct fil_resp_topic topics[TOPICS];
static char names[TOPICS][16];

static int set_up(void **state)
{
    (void)state;
    fil_resp_set_init(&set);
    for (uint32_t i = 0; i < TOPICS; i++) {
        // Every second one is a pattern of the name of the channel before.
        (void)snprintf(names[i], sizeof(names[i]), "t%u", i / 2);
        struct fil_bytes name = fil_bytes_of(names[i]);
        topics[i] =
            (struct fil_resp_topic){.is_pattern = i % 2, .hash = fil_hash(name, 7), .name = name};
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_alloc_fail_after(-1);
    for (uint32_t kind = 0; kind < 2; kind++) {
        while (fil_resp_set_first(&set, kind) != NULL) {
            (void)fil_resp_set_take(&set, fil_resp_set_first(&set, kind));
        }
    }
    fil_resp_set_check(&set);
    fil_resp_set_fini(&set);
    return 0;
}

static int add(uint32_t index)
{
    struct fil_resp_subscription *room = NULL;
    int error = fil_resp_set_prepare(&set, &room);
    if (error == FIL_OK) {
        fil_resp_set_add(&set, room, &topics[index]);
    }
    return error;
}

static struct fil_resp_subscription *find(uint32_t index)
{
    const struct fil_resp_topic *topic = &topics[index];
    return fil_resp_set_find(&set, topic->name, topic->is_pattern, topic->hash);
}

static void test_what_was_added_is_found_and_nothing_else(void **state)
{
    (void)state;
    assert_null(find(0));
    assert_false(fil_resp_set_has(&set, &topics[0]));
    assert_int_equal(add(0), FIL_OK);
    assert_ptr_equal(find(0)->topic, &topics[0]);
    assert_true(fil_resp_set_has(&set, &topics[0]));
    assert_null(find(1)); // of the same name, and another kind
    assert_int_equal(add(1), FIL_OK);
    assert_ptr_equal(find(1)->topic, &topics[1]);
    struct fil_resp_topic namesake = topics[0];
    assert_false(fil_resp_set_has(&set, &namesake));
    assert_int_equal(set.count, 2);
    assert_int_equal(set.pattern_count, 1);
}

static void test_oldest_of_a_kind_is_first(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 100; i++) {
        assert_int_equal(add(99 - i), FIL_OK);
    }
    for (uint32_t i = 0; i < 50; i++) {
        struct fil_resp_subscription *first = fil_resp_set_first(&set, true);
        assert_ptr_equal(fil_resp_set_take(&set, first), &topics[99 - 2 * i]);
    }
    assert_null(fil_resp_set_first(&set, true));
    assert_ptr_equal(fil_resp_set_first(&set, false)->topic, &topics[98]);
    fil_resp_set_check(&set);
}

static void test_very_many_come_and_go_in_any_order(void **state)
{
    (void)state;
    struct fil_prng prng;
    bool is_there[TOPICS] = {0};
    fil_prng_init(&prng, 5);
    for (uint32_t round = 0; round < 10 * TOPICS; round++) {
        // Rises for a while, then falls.
        bool is_rising = round < 6 * TOPICS;
        uint32_t index = (uint32_t)fil_prng_below(&prng, TOPICS);
        assert_int_equal(find(index) != NULL, is_there[index]);
        if (!is_there[index] && (is_rising || fil_prng_below(&prng, 4) == 0)) {
            assert_int_equal(add(index), FIL_OK);
            is_there[index] = true;
        } else if (is_there[index] && (!is_rising || fil_prng_below(&prng, 4) == 0)) {
            assert_ptr_equal(fil_resp_set_take(&set, find(index)), &topics[index]);
            is_there[index] = false;
        }
        if (round % TOPICS == 0) {
            fil_resp_set_check(&set);
        }
    }
    for (uint32_t i = 0; i < TOPICS; i++) {
        assert_int_equal(fil_resp_set_has(&set, &topics[i]), is_there[i]);
    }
}

static void test_failing_memory_loses_no_topic(void **state)
{
    (void)state;
    uint32_t count = 0;
    for (uint32_t i = 0; i < 200; i++) {
        fil_alloc_fail_after(i % 3 == 2 ? -1 : (int)(i % 3));
        count += add(i) == FIL_OK;
        fil_alloc_fail_after(-1);
        assert_int_equal(set.count, count);
        fil_resp_set_check(&set);
    }
    assert_in_range(count, 60, 199);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_what_was_added_is_found_and_nothing_else),
        TEST(test_oldest_of_a_kind_is_first),
        TEST(test_very_many_come_and_go_in_any_order),
        TEST(test_failing_memory_loses_no_topic),
    };
    return cmocka_run_group_tests_name("pubsub_set", tests, NULL, NULL);
}
