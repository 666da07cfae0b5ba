// SPDX-License-Identifier: Apache-2.0
/**
 * The estimator's contract, one test a promise: few things are counted exactly; many within three
 * times the error of 0.81 %, sparse or not; a thing that comes again changes nothing; two of them
 * merged estimate the union; the memory is bounded; refused memory leaves it as it was.
 */
#include "grid/cardinality/cardinality.h"

#include "lib/base/hash.h"
#include "tests/unit/core/container/container_fixture.h"

static struct fil_cardinality *cardinality;

static int set_up(void **state)
{
    (void)state;
    open_world(&fil_cardinality_type, NULL);
    cardinality = fil_cardinality_of(get_container(&fil_cardinality_type, "visitors"));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    close_world();
    return 0;
}

static uint64_t hash_of(uint64_t number)
{
    return fil_hash(fil_bytes_make(&number, sizeof(number)), 99);
}

static void add_range(uint64_t first, uint64_t end)
{
    for (uint64_t i = first; i < end; i++) {
        assert_int_equal(fil_cardinality_add_here(cardinality, hash_of(i), 5), FIL_OK);
    }
}

static void assert_near(uint64_t estimate, uint64_t truth)
{
    uint64_t off = estimate > truth ? estimate - truth : truth - estimate;
    assert_true(off * 1000 <= truth * 25);
}

static uint64_t estimate(void)
{
    return fil_cardinality_estimate_here(cardinality, 5);
}

static void test_few_are_counted_exactly(void **state)
{
    (void)state;
    assert_int_equal(estimate(), 0);
    add_range(0, 1000);
    add_range(0, 1000);
    assert_int_equal(estimate(), 1000);
    assert_true(fil_hll_bytes(&cardinality->hll) < 8000);
}

static void test_many_are_estimated(void **state)
{
    (void)state;
    uint64_t done = 0;
    static const uint64_t ends[] = {3000, 4095, 5000, 20000, 50000, 100000, 1000000};
    for (size_t i = 0; i < FIL_COUNT_OF(ends); i++) {
        add_range(done, ends[i]);
        done = ends[i];
        assert_near(estimate(), done);
    }
    assert_int_equal(fil_hll_bytes(&cardinality->hll), FIL_HLL_REGISTERS);
    assert_non_null(cardinality->hll.registers);
}

static void test_merged_ones_estimate_the_union(void **state)
{
    (void)state;
    struct fil_hll sparse;
    struct fil_hll dense;
    bool has_changed = false;
    fil_hll_init(&sparse, cardinality->container.account);
    fil_hll_init(&dense, cardinality->container.account);
    for (uint64_t i = 0; i < 30000; i++) {
        assert_int_equal(fil_hll_add(&dense, hash_of(i + 500), &has_changed), FIL_OK);
        if (i < 1500) {
            assert_int_equal(fil_hll_add(&sparse, hash_of(i), &has_changed), FIL_OK);
        }
    }
    assert_int_equal(fil_hll_merge(&sparse, &dense), FIL_OK);
    assert_near(fil_hll_estimate(&sparse), 30500);
    add_range(0, 1000);
    assert_int_equal(fil_hll_merge(&dense, &cardinality->hll), FIL_OK);
    assert_int_equal(fil_hll_estimate(&dense), fil_hll_estimate(&sparse));
    fil_hll_fini(&sparse);
    fil_hll_fini(&dense);
}

static void test_refused_memory_leaves_it_as_it_was(void **state)
{
    (void)state;
    uint64_t number = 0;
    for (; number < 5000; number++) {
        uint64_t before = fil_hll_estimate(&cardinality->hll);
        fil_alloc_fail_after(0);
        int error = fil_cardinality_add_here(cardinality, hash_of(number), 5);
        fil_alloc_fail_after(-1);
        if (error != FIL_OK) {
            assert_int_equal(error, FIL_E_NOMEM);
            assert_int_equal(fil_hll_estimate(&cardinality->hll), before);
            add_range(number, number + 1);
        }
    }
    assert_near(estimate(), 5000);
    assert_true(fil_counter_read(&cardinality->container.counters.refused) > 3);
}

static void test_cleared_it_is_empty(void **state)
{
    (void)state;
    add_range(0, 10000);
    fil_cardinality_type.clear(&cardinality->container, 5);
    assert_int_equal(estimate(), 0);
    assert_int_equal(fil_hll_bytes(&cardinality->hll), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_few_are_counted_exactly, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_many_are_estimated, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_merged_ones_estimate_the_union, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_refused_memory_leaves_it_as_it_was, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_cleared_it_is_empty, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("cardinality", tests, NULL, NULL);
}
