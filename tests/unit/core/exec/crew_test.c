// SPDX-License-Identifier: Apache-2.0
/**
 * The crew, one test a promise: waking any wakes one parked member of the range, the lowest first,
 * and nobody when none is parked; a wake-up in any word of the members' bits finds its member; who
 * has work does not sleep; threads carry the crew's role; stop does what is left and gives the
 * caller its roles back; a crew that cannot start all threads has none; a cycle knows its crew;
 * counts out of range and a failing heap are errors.
 */
#include "core/exec/crew.h"

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/os/thread.h"
#include "tests/unit/harness.h"

#define MEMBERS 70U

static struct fil_crew crew;
static _Atomic uint32_t cycle_counts[MEMBERS];
static _Atomic uint32_t work_counts[MEMBERS]; // what has_work tells, and cycles take
static _Atomic uint32_t wrong_role_count;
static _Atomic bool is_blind; // cycles do not see their work

static uint32_t cycle(void *context, uint32_t index)
{
    (void)context;
    if (!fil_role_is(&fil_role_generic)) {
        atomic_fetch_add_explicit(&wrong_role_count, 1, memory_order_relaxed);
    }
    atomic_fetch_add_explicit(&cycle_counts[index], 1, memory_order_relaxed);
    if (atomic_load_explicit(&is_blind, memory_order_relaxed) ||
        atomic_load_explicit(&work_counts[index], memory_order_relaxed) == 0) {
        return 0;
    }
    atomic_fetch_sub_explicit(&work_counts[index], 1, memory_order_relaxed);
    return 1;
}

static bool has_work(void *context, uint32_t index)
{
    (void)context;
    return atomic_load_explicit(&work_counts[index], memory_order_seq_cst) > 0;
}

static const struct fil_crew_ops ops = {.cycle = cycle, .has_work = has_work};

static int init_crew(uint32_t member_count)
{
    return fil_crew_init(&crew, &(struct fil_crew_options){.name = "test",
                                                           .role = &fil_role_generic,
                                                           .ops = &ops,
                                                           .member_count = member_count,
                                                           .idle = FIL_IDLE_KIND_BLOCK});
}

static int set_up(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < MEMBERS; i++) {
        atomic_store_explicit(&cycle_counts[i], 0, memory_order_relaxed);
        atomic_store_explicit(&work_counts[i], 0, memory_order_relaxed);
    }
    atomic_store_explicit(&wrong_role_count, 0, memory_order_relaxed);
    atomic_store_explicit(&is_blind, false, memory_order_relaxed);
    return init_crew(MEMBERS);
}

static int tear_down(void **state)
{
    (void)state;
    fil_role_leave_all();
    fil_crew_fini(&crew);
    return 0;
}

/** Whether the first so many members have gone to sleep. */
static void wait_until_parked(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        while (atomic_load_explicit(&crew.members[i].parker.state, memory_order_acquire) == 0 ||
               (crew.parked[i / 64] >> (i % 64) & 1) == 0) {
            fil_thread_yield();
        }
    }
}

static uint32_t cycles_of(uint32_t index)
{
    return atomic_load_explicit(&cycle_counts[index], memory_order_relaxed);
}

/** Wakes one of the range and checks that it is the expected one, and nobody else. */
static void check_wake(uint32_t first, uint32_t end, uint32_t expected)
{
    wait_until_parked(MEMBERS);
    uint32_t before[MEMBERS];
    for (uint32_t i = 0; i < MEMBERS; i++) {
        before[i] = cycles_of(i);
    }
    assert_true(fil_crew_wake_any(&crew, first, end));
    while (cycles_of(expected) == before[expected]) {
        fil_thread_yield();
    }
    for (uint32_t i = 0; i < MEMBERS; i++) {
        assert_int_equal(cycles_of(i), before[i] + (i == expected));
    }
}

static void test_any_wakes_the_lowest_of_its_range(void **state)
{
    (void)state;
    assert_int_equal(fil_crew_start(&crew, MEMBERS), FIL_OK);
    check_wake(0, MEMBERS, 0);
    check_wake(1, MEMBERS, 1);
    check_wake(63, MEMBERS, 63);
    check_wake(64, MEMBERS, 64);
    check_wake(65, 70, 65);
    check_wake(69, 70, 69);
    check_wake(5, 6, 5);
    wait_until_parked(MEMBERS);
    fil_crew_stop(&crew);
    assert_int_equal(atomic_load_explicit(&wrong_role_count, memory_order_relaxed), 0);
}

static void test_who_is_awake_is_not_woken(void **state)
{
    (void)state;
    static struct fil_crew_stats stats;
    assert_false(fil_crew_wake_any(&crew, 0, MEMBERS));
    assert_false(fil_crew_wake(&crew, 3));
    fil_crew_read(&crew, &stats);
    assert_int_equal(stats.wake_count, 0);
    assert_int_equal(stats.park_count, 0);
}

static void test_who_has_work_does_not_sleep(void **state)
{
    (void)state;
    atomic_store_explicit(&work_counts[2], 1, memory_order_relaxed);
    assert_false(fil_crew_park(&crew, 2));
    assert_int_equal(crew.parked[0], 0);
    assert_false(fil_crew_wake_any(&crew, 0, MEMBERS));
}

static void test_stop_does_what_is_left_in_the_crews_role(void **state)
{
    (void)state;
    fil_role_enter(&fil_role_main);
    fil_role_enter(&fil_role_log);
    atomic_store_explicit(&work_counts[0], 3, memory_order_relaxed);
    atomic_store_explicit(&work_counts[69], 2, memory_order_relaxed);
    fil_crew_stop(&crew); // no thread was ever started
    assert_int_equal(cycles_of(0), 3);
    assert_int_equal(cycles_of(69), 2);
    assert_int_equal(atomic_load_explicit(&wrong_role_count, memory_order_relaxed), 0);
    assert_true(fil_role_is(&fil_role_main));
    assert_true(fil_role_is(&fil_role_log));
    assert_false(fil_role_is(&fil_role_generic));
}

static void test_threads_end_only_without_work(void **state)
{
    (void)state;
    assert_int_equal(fil_crew_start(&crew, 2), FIL_OK);
    wait_until_parked(2);
    atomic_store_explicit(&work_counts[1], 1000, memory_order_seq_cst);
    fil_crew_stop(&crew);
    assert_int_equal(atomic_load_explicit(&work_counts[1], memory_order_relaxed), 0);
    // And may be started again.
    assert_int_equal(fil_crew_start(&crew, 1), FIL_OK);
    wait_until_parked(1);
    fil_crew_stop(&crew);
}

/** Work that cannot be taken yet: the thread looks again and again instead of sleeping. */
static void test_work_in_the_making_keeps_a_thread_awake(void **state)
{
    (void)state;
    atomic_store_explicit(&is_blind, true, memory_order_relaxed);
    atomic_store_explicit(&work_counts[0], 1, memory_order_relaxed);
    assert_int_equal(fil_crew_start_member(&crew, 0), FIL_OK);
    while (cycles_of(0) < 100) {
        fil_thread_yield();
    }
    assert_int_equal(fil_counter_read(&crew.members[0].park_count), 0);
    atomic_store_explicit(&is_blind, false, memory_order_relaxed);
    wait_until_parked(1);
    fil_crew_stop(&crew);
}

static void test_crew_that_cannot_start_has_no_threads(void **state)
{
    (void)state;
    struct fil_cpu_set nowhere = {0};
    fil_cpu_set_add(&nowhere, FIL_CPU_MAX - 1);
    crew.options.cpus = &nowhere;
    assert_int_equal(fil_crew_start(&crew, 4), FIL_E_INVALID);
    for (uint32_t i = 0; i < MEMBERS; i++) {
        assert_false(crew.members[i].thread.is_started);
    }
    crew.options.cpus = NULL;
    assert_int_equal(fil_crew_start(&crew, 4), FIL_OK);
    assert_int_equal(fil_crew_start_member(&crew, 3), FIL_OK); // runs already
    fil_crew_stop(&crew);
}

static void test_cycle_knows_its_crew(void **state)
{
    (void)state;
    struct fil_crew other = {0};
    assert_false(fil_crew_is_current(&crew));
    const struct fil_crew *outer = fil_crew_enter(&crew);
    assert_true(fil_crew_is_current(&crew));
    const struct fil_crew *inner_outer = fil_crew_enter(&other);
    assert_false(fil_crew_is_current(&crew));
    fil_crew_leave(inner_outer);
    assert_true(fil_crew_is_current(&crew));
    fil_crew_leave(outer);
    assert_false(fil_crew_is_current(&crew));
}

static void test_meters_add_up(void **state)
{
    (void)state;
    static struct fil_crew_stats stats;
    fil_meter_cycle(fil_crew_meter(&crew, 1), 3, 100);
    fil_meter_cycle(fil_crew_meter(&crew, 66), 4, 50);
    fil_histogram_record(&fil_crew_meter(&crew, 66)->wait_ns, 7);
    fil_histogram_record(&fil_crew_meter(&crew, 0)->service_ns, 9);
    fil_crew_read(&crew, &stats);
    assert_int_equal(stats.member_count, MEMBERS);
    assert_int_equal(fil_counter_read(&stats.meter.item_count), 7);
    assert_int_equal(fil_counter_read(&stats.meter.cycle_count), 2);
    assert_int_equal(fil_counter_read(&stats.meter.busy_ns), 150);
    assert_int_equal(fil_histogram_sum(&stats.meter.wait_ns), 7);
    assert_int_equal(fil_histogram_sum(&stats.meter.service_ns), 9);
}

static void test_bad_counts_and_failing_heap_are_errors(void **state)
{
    (void)state;
    assert_int_equal(init_crew(0), FIL_E_INVALID);
    fil_crew_fini(&crew);
    assert_int_equal(init_crew(FIL_CREW_MEMBERS_MAX + 1), FIL_E_INVALID);
    fil_crew_fini(&crew);
    fil_alloc_fail_after(0);
    int error = init_crew(4);
    fil_alloc_fail_after(-1);
    assert_int_equal(error, FIL_E_NOMEM);
    fil_crew_fini(&crew);
    assert_int_equal(init_crew(FIL_CREW_MEMBERS_MAX), FIL_OK);
    fil_crew_fini(&crew);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_any_wakes_the_lowest_of_its_range, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_who_is_awake_is_not_woken, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_who_has_work_does_not_sleep, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_stop_does_what_is_left_in_the_crews_role, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_threads_end_only_without_work, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_work_in_the_making_keeps_a_thread_awake, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_crew_that_cannot_start_has_no_threads, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_cycle_knows_its_crew, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_meters_add_up, set_up, tear_down),
        cmocka_unit_test(test_bad_counts_and_failing_heap_are_errors),
    };
    return cmocka_run_group_tests_name("crew", tests, NULL, NULL);
}
