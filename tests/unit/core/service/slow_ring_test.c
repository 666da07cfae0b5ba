// SPDX-License-Identifier: Apache-2.0
/**
 * What is promised of the ring of slow requests: the slowest comes first, the oldest makes room,
 * long paths are cut.
 */
#include "core/service/slow_ring.h"

#include <string.h>

#include "tests/unit/harness.h"

static struct fil_slow_ring ring;
static struct fil_slow_request entries[FIL_SLOW_RING_MAX];

static int set_up(void **state)
{
    (void)state;
    fil_slow_ring_init(&ring);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_slow_ring_fini(&ring);
    return 0;
}

static void add(uint64_t total_ns, const char *path)
{
    struct fil_slow_request request = {
        .route = "GET /r", .place = "loop", .status = 200, .total_ns = total_ns};
    fil_slow_ring_add(&ring, &request, fil_bytes_of(path));
}

static void test_the_slowest_comes_first(void **state)
{
    (void)state;
    assert_int_equal(fil_slow_ring_read(&ring, entries), 0);
    add(20, "/b");
    add(30, "/c");
    add(10, "/a");
    assert_int_equal(fil_slow_ring_read(&ring, entries), 3);
    assert_string_equal(entries[0].path, "/c");
    assert_string_equal(entries[2].path, "/a");
    assert_int_equal(entries[1].serial, 1);
}

static void test_the_oldest_makes_room(void **state)
{
    (void)state;
    for (uint64_t i = 0; i <= FIL_SLOW_RING_MAX; i++) {
        add(1000 - i, "/x"); // the first ones are the slowest
    }
    assert_int_equal(fil_slow_ring_read(&ring, entries), FIL_SLOW_RING_MAX);
    assert_int_equal(entries[0].total_ns, 999);
}

static void test_long_paths_are_cut(void **state)
{
    (void)state;
    char path[2 * FIL_SLOW_RING_PATH_MAX];
    memset(path, 'p', sizeof(path));
    path[sizeof(path) - 1] = '\0';
    add(1, path);
    assert_int_equal(fil_slow_ring_read(&ring, entries), 1);
    assert_int_equal(strlen(entries[0].path), FIL_SLOW_RING_PATH_MAX - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_the_slowest_comes_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_the_oldest_makes_room, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_long_paths_are_cut, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("slow_ring", tests, NULL, NULL);
}
