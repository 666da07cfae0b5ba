// SPDX-License-Identifier: Apache-2.0
/**
 * The objects that clients have made, one test a promise: an object is new once, until it is
 * removed; the same name of two services is two objects; all are visited; without memory nothing
 * changes, and all memory comes back.
 */
#include "protocol/client/serve/objects.h"

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "tests/unit/harness.h"

static struct fil_budget budget;
static struct fil_wire_objects objects;

static int set_up(void **state)
{
    (void)state;
    fil_budget_init(&budget, UINT64_C(1) << 20);
    fil_wire_objects_init(&objects, &budget);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_alloc_fail_after(-1);
    fil_wire_objects_fini(&objects);
    assert_int_equal(fil_budget_drawn(&budget), 0);
    return 0;
}

static bool add(const char *service, const char *name)
{
    bool is_new = false;
    int error = fil_wire_objects_add(&objects, fil_bytes_of(service), fil_bytes_of(name), &is_new);
    assert_int_equal(error, FIL_OK);
    return is_new;
}

static bool has(const char *service, const char *name)
{
    return fil_wire_objects_has(&objects, fil_bytes_of(service), fil_bytes_of(name));
}

static void test_object_is_new_once(void **state)
{
    (void)state;
    assert_true(add("map", "a"));
    assert_false(add("map", "a"));
    assert_true(add("queue", "a"));
    assert_true(has("map", "a"));
    assert_true(fil_wire_objects_remove(&objects, fil_bytes_of("map"), fil_bytes_of("a")));
    assert_false(fil_wire_objects_remove(&objects, fil_bytes_of("map"), fil_bytes_of("a")));
    assert_false(has("map", "a"));
    assert_true(has("queue", "a"));
    assert_true(add("map", "a"));
}

static void count(void *context, struct fil_bytes service, struct fil_bytes name)
{
    uint32_t *counted = context;
    assert_true(service.size > 0);
    *counted += (uint32_t)name.size;
}

static void test_all_are_visited(void **state)
{
    (void)state;
    uint32_t counted = 0;
    (void)add("map", "one");
    (void)add("map", "three");
    fil_wire_objects_visit(&objects, count, &counted);
    assert_int_equal(counted, 8);
}

static void test_without_memory_nothing_changes(void **state)
{
    (void)state;
    bool is_new = false;
    fil_alloc_fail_after(0);
    assert_int_equal(
        fil_wire_objects_add(&objects, fil_bytes_of("map"), fil_bytes_of("a"), &is_new),
        FIL_E_NOMEM);
    fil_alloc_fail_after(-1);
    assert_false(has("map", "a"));
    assert_int_equal(fil_budget_drawn(&budget), 0);
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_object_is_new_once),
        TEST(test_all_are_visited),
        TEST(test_without_memory_nothing_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
