// SPDX-License-Identifier: Apache-2.0
/**
 * Counters, one test a promise: a single writer's additions all count and readers never see the
 * counter go back; shared additions of several threads all count.
 */
#include "lib/conc/counter.h"

#include <pthread.h>

#include "tests/unit/harness.h"

#define ADDS    100000U
#define WRITERS 4U

static struct fil_counter counter;

static int set_up(void **state)
{
    (void)state;
    counter = (struct fil_counter){0};
    return 0;
}

static void *add_alone(void *context)
{
    (void)context;
    for (unsigned i = 0; i < ADDS; i++) {
        fil_counter_add(&counter, 3);
    }
    return NULL;
}

static void test_readers_see_the_single_writer_count_up(void **state)
{
    (void)state;
    pthread_t writer;
    assert_int_equal(pthread_create(&writer, NULL, add_alone, NULL), 0);
    uint64_t seen = 0;
    while (seen < UINT64_C(3) * ADDS) {
        uint64_t value = fil_counter_read(&counter);
        assert_true(value >= seen);
        assert_int_equal(value % 3, 0);
        seen = value;
    }
    assert_int_equal(pthread_join(writer, NULL), 0);
    assert_int_equal(fil_counter_read(&counter), UINT64_C(3) * ADDS);
}

static void *add_shared(void *context)
{
    (void)context;
    for (unsigned i = 0; i < ADDS; i++) {
        fil_counter_add_shared(&counter, 2);
    }
    return NULL;
}

static void test_shared_additions_all_count(void **state)
{
    (void)state;
    pthread_t writers[WRITERS];
    for (unsigned i = 0; i < WRITERS; i++) {
        assert_int_equal(pthread_create(&writers[i], NULL, add_shared, NULL), 0);
    }
    for (unsigned i = 0; i < WRITERS; i++) {
        assert_int_equal(pthread_join(writers[i], NULL), 0);
    }
    assert_int_equal(fil_counter_read(&counter), UINT64_C(2) * WRITERS * ADDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_readers_see_the_single_writer_count_up, set_up),
        cmocka_unit_test_setup(test_shared_additions_all_count, set_up),
    };
    return cmocka_run_group_tests_name("counter", tests, NULL, NULL);
}
