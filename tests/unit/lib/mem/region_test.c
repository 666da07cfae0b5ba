// SPDX-License-Identifier: Apache-2.0
/**
 * Regions: small ones and large ones are zeros, begin where they should and can be written to their
 * end; what they take is what was told; refused memory leaves nothing behind.
 */
#include "lib/mem/region.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/os/memory.h"
#include "tests/unit/harness.h"

static const size_t sizes[] = {1,
                               63,
                               4096,
                               FIL_MEMORY_LARGE_PAGE - 1,
                               FIL_MEMORY_LARGE_PAGE,
                               FIL_MEMORY_LARGE_PAGE + 1,
                               3 * FIL_MEMORY_LARGE_PAGE};

static void test_memory_is_zero_aligned_and_whole(void **state)
{
    (void)state;
    for (size_t i = 0; i < FIL_COUNT_OF(sizes); i++) {
        struct fil_region region;
        assert_int_equal(fil_region_init(&region, sizes[i]), FIL_OK);
        size_t unit =
            sizes[i] < FIL_MEMORY_LARGE_PAGE ? FIL_REGION_ALIGNMENT : FIL_MEMORY_LARGE_PAGE;
        assert_int_equal((uintptr_t)region.memory % unit, 0);
        assert_true(region.size >= sizes[i]);
        assert_int_equal(region.size, fil_region_bytes(sizes[i]));
        for (size_t at = 0; at < sizes[i]; at++) {
            assert_int_equal(region.memory[at], 0);
        }
        memset(region.memory, 0xff, sizes[i]);
        fil_region_fini(&region);
        assert_null(region.memory);
    }
}

static void test_refused_memory_leaves_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < FIL_COUNT_OF(sizes); i++) {
        struct fil_region region;
        fil_alloc_fail_after(0);
        assert_int_equal(fil_region_init(&region, sizes[i]), FIL_E_NOMEM);
        fil_alloc_fail_after(-1);
        fil_region_fini(&region);
    }
}

static void test_each_region_is_counted_as_a_block(void **state)
{
    (void)state;
    for (size_t i = 0; i < FIL_COUNT_OF(sizes); i++) {
        struct fil_region region;
        uint64_t before = fil_alloc_count();
        assert_int_equal(fil_region_init(&region, sizes[i]), FIL_OK);
        assert_int_equal(fil_alloc_count(), before + 1);
        fil_region_fini(&region);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_is_zero_aligned_and_whole),
        cmocka_unit_test(test_refused_memory_leaves_nothing),
        cmocka_unit_test(test_each_region_is_counted_as_a_block),
    };
    return cmocka_run_group_tests_name("region", tests, NULL, NULL);
}
