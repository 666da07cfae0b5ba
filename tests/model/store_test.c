// SPDX-License-Identifier: Apache-2.0
/**
 * The store against a plain array, over random scripts: whatever is put, read, edited, removed,
 * expired, evicted, cleared, scanned, snapshotted and searched by attribute, while the table grows
 * and shrinks, time passes and memory fails, the two hold the same. And the test itself: a
 * falsehood is found and its script cut down to the steps that show it.
 *
 * `model_store STEPS [SEED]` runs longer; a difference prints its seed and the shortest script.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/alloc.h"
#include "tests/model/store_model.h"
#include "tests/unit/harness.h"

#define STEPS_A_SEED 20000U
#ifdef FIL_DEBUG
#define SEEDS 12U
#else
#define SEEDS 50U // a million steps
#endif

static uint64_t step_count = (uint64_t)STEPS_A_SEED * SEEDS;
static uint64_t first_seed = 1;

static struct model_step *script_of(uint64_t seed, uint32_t count)
{
    struct model_step *steps = fil_alloc_zero(count, sizeof(*steps));
    assert_non_null(steps);
    model_write(seed, steps, count);
    return steps;
}

static void check_seed(uint64_t seed, uint32_t count)
{
    struct model_setting setting = model_setting_of(seed);
    struct model_step *steps = script_of(seed, count);
    const char *problem = NULL;
    (void)printf("seed=%llu steps=%u\n", (unsigned long long)seed, count);
    (void)fflush(stdout);
    uint32_t failed = model_run(&setting, steps, count, &problem);
    if (problem != NULL) {
        (void)printf("seed=%llu step=%u: %s\n", (unsigned long long)seed, failed, problem);
        uint32_t left = model_shrink(&setting, steps, failed + 1);
        model_print(&setting, steps, left);
    }
    fil_free(steps);
    assert_null(problem);
}

static void test_store_holds_what_an_array_holds(void **state)
{
    (void)state;
    uint64_t done = 0;
    for (uint64_t seed = first_seed; done < step_count; seed++) {
        uint64_t rest = step_count - done;
        uint32_t count = rest < STEPS_A_SEED ? (uint32_t)rest : STEPS_A_SEED;
        check_seed(seed, count);
        done += count;
    }
}

static void test_falsehood_is_found_and_cut_down(void **state)
{
    (void)state;
    struct model_setting setting = model_setting_of(0);
    struct model_step *steps = script_of(0, 3000);
    const char *problem = NULL;
    assert_int_equal(model_run(&setting, steps, 3000, &problem), 3000);
    steps[1500].verb = MODEL_LIE;
    for (uint32_t i = 1501; i < 1600; i++) {
        steps[i] = (struct model_step){.verb = MODEL_GET, .key = steps[1500].key, .choice = 1};
    }
    steps[1499] = (struct model_step){.verb = MODEL_PUT,
                                      .key = steps[1500].key,
                                      .size = 64 * 20 + 2,
                                      .time = 3 + 3 * 64,
                                      .choice = 2};
    assert_true(model_run(&setting, steps, 3000, &problem) < 1600);
    assert_non_null(problem);
    uint32_t left = model_shrink(&setting, steps, 3000);
    assert_true(left <= 3);
    fil_free(steps);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        step_count = strtoull(argv[1], NULL, 10);
    }
    if (argc > 2) {
        first_seed = strtoull(argv[2], NULL, 10);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_store_holds_what_an_array_holds),
        cmocka_unit_test(test_falsehood_is_found_and_cut_down),
    };
    return cmocka_run_group_tests_name("store model", tests, NULL, NULL);
}
