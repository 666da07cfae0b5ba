// SPDX-License-Identifier: Apache-2.0
/**
 * Admission's rules, one test a promise: who would wait for too long is refused on arrival, a burst
 * less strictly than a standing queue; a queue from which nobody comes back is refused; priorities
 * have their limits; a tenant has its share; deadlines count on arrival and when its turn has come;
 * the cap holds in every mode; Finagle's rule refuses after the wait only.
 */
#include "core/service/admission.h"

#include "lib/base/alloc.h"
#include "tests/unit/harness.h"

#define MS UINT64_C(1000000)

static struct fil_admission admission;
static const struct fil_admission_bid plain = {.deadline_ns = FIL_ADMISSION_NO_DEADLINE};

static int tear_down(void **state)
{
    (void)state;
    while (fil_admission_length(&admission) > 0) {
        fil_admission_forget(&admission, &plain);
    }
    fil_admission_fini(&admission);
    return 0;
}

static void open_with(enum fil_admission_mode mode, uint32_t cap)
{
    struct fil_admission_options options = {.mode = mode, .worker_max = 2, .cap = cap};
    assert_int_equal(fil_admission_init(&admission, &options), FIL_OK);
    fil_admission_finish(&admission, 1 * MS);
}

static enum fil_admission_verdict arrive(uint64_t now_ns)
{
    return fil_admission_arrive(&admission, &plain, now_ns);
}

static enum fil_admission_verdict take(uint64_t arrived_ns, uint64_t now_ns)
{
    return fil_admission_take(&admission, &plain, arrived_ns, now_ns);
}

/** How many are admitted at one moment. */
static uint32_t fill(const struct fil_admission_bid *bid, uint64_t now_ns)
{
    uint32_t count = 0;
    while (fil_admission_arrive(&admission, bid, now_ns) == FIL_ADMISSION_ADMITTED) {
        count++;
    }
    return count;
}

/** A queue that stands makes the pool hot; returns when, with one in the queue. */
static uint64_t make_hot(uint64_t now_ns)
{
    uint64_t end_ns = now_ns + 31 * MS; // one and a half targets, and a little
    (void)fill(&plain, now_ns);
    assert_false(atomic_load(&admission.is_hot));
    assert_int_equal(fil_admission_arrive(&admission, &plain, end_ns), FIL_ADMISSION_WAIT);
    while (fil_admission_length(&admission) > 1) {
        assert_int_equal(take(end_ns, end_ns), FIL_ADMISSION_ADMITTED);
    }
    assert_true(atomic_load(&admission.is_hot));
    return end_ns;
}

static void test_short_burst_does_not_make_the_pool_hot(void **state)
{
    (void)state;
    open_with(FIL_ADMISSION_ESTIMATE, 1024);
    assert_int_equal(fill(&plain, 0), 81);
    assert_int_equal(fil_admission_arrive(&admission, &plain, 29 * MS), FIL_ADMISSION_WAIT);
    assert_false(atomic_load(&admission.is_hot));
    // Services that take long make a queue that is no sign of overload.
    for (uint32_t i = 0; i < 300; i++) {
        fil_admission_finish(&admission, 50 * MS);
    }
    assert_int_equal(fil_admission_arrive(&admission, &plain, 80 * MS), FIL_ADMISSION_WAIT);
    assert_false(atomic_load(&admission.is_hot));
}

static void test_burst_is_swallowed_and_a_standing_queue_is_not(void **state)
{
    (void)state;
    open_with(FIL_ADMISSION_ESTIMATE, 1024);
    // 40 ms of 1 ms each on two workers: 81 in line are still within the limit.
    assert_int_equal(fill(&plain, 0), 81);
    assert_int_equal(fil_admission_estimate_ns(&admission), 81 * MS / 2);
    while (fil_admission_length(&admission) > 0) {
        assert_int_equal(take(0, 1), FIL_ADMISSION_ADMITTED);
    }
    uint64_t now_ns = make_hot(1);
    assert_int_equal(fill(&plain, now_ns) + 1, 41);
}

static void test_hot_pool_cools_when_its_queue_is_empty(void **state)
{
    (void)state;
    open_with(FIL_ADMISSION_ESTIMATE, 1024);
    uint64_t now_ns = make_hot(0);
    // Somebody was refused a moment ago: that it is empty now may be chance.
    assert_int_equal(take(now_ns, now_ns), FIL_ADMISSION_ADMITTED);
    assert_true(atomic_load(&admission.is_hot));
    now_ns += 31 * MS;
    assert_int_equal(arrive(now_ns), FIL_ADMISSION_ADMITTED);
    assert_int_equal(take(now_ns, now_ns), FIL_ADMISSION_ADMITTED);
    assert_false(atomic_load(&admission.is_hot));
}

static void test_stalled_queue_is_refused(void **state)
{
    (void)state;
    open_with(FIL_ADMISSION_ESTIMATE, 1024);
    assert_int_equal(arrive(0), FIL_ADMISSION_ADMITTED);
    assert_int_equal(arrive(80 * MS), FIL_ADMISSION_ADMITTED);
    assert_int_equal(arrive(80 * MS + 1), FIL_ADMISSION_STALL);
    assert_int_equal(fil_admission_age_ns(&admission, 80 * MS + 1), 80 * MS + 1);
    // The oldest is taken, the next one has not waited for as long.
    assert_int_equal(take(0, 81 * MS), FIL_ADMISSION_ADMITTED);
    assert_int_equal(arrive(81 * MS), FIL_ADMISSION_ADMITTED);
}

static void test_priorities_have_their_limits(void **state)
{
    (void)state;
    open_with(FIL_ADMISSION_ESTIMATE, 1024);
    struct fil_admission_bid batch = plain;
    struct fil_admission_bid critical = plain;
    batch.priority = FIL_PRIORITY_BATCH;
    critical.priority = FIL_PRIORITY_CRITICAL;
    assert_int_equal(fill(&batch, 0), 41);
    assert_int_equal(fill(&plain, 0), 40);
    assert_int_equal(fill(&critical, 0), 40);
}

static void test_tenant_has_its_share_while_hot(void **state)
{
    (void)state;
    open_with(FIL_ADMISSION_ESTIMATE, 1024);
    struct fil_admission_bid loud = plain;
    struct fil_admission_bid quiet = plain;
    loud.tenant = 7;
    quiet.tenant = 8;
    uint64_t now_ns = make_hot(0);
    assert_int_equal(fil_admission_arrive(&admission, &quiet, now_ns), FIL_ADMISSION_ADMITTED);
    // 40 places for two tenants.
    assert_int_equal(fill(&loud, now_ns), 21);
    assert_int_equal(fil_admission_arrive(&admission, &loud, now_ns), FIL_ADMISSION_TENANT);
    assert_int_equal(fil_admission_arrive(&admission, &quiet, now_ns), FIL_ADMISSION_ADMITTED);
    assert_int_equal(arrive(now_ns), FIL_ADMISSION_ADMITTED);
}

static void test_tenant_that_was_alone_keeps_nobody_out(void **state)
{
    (void)state;
    open_with(FIL_ADMISSION_ESTIMATE, 1024);
    struct fil_admission_bid loud = plain;
    struct fil_admission_bid quiet = plain;
    loud.tenant = 7;
    quiet.tenant = 8;
    uint64_t now_ns = make_hot(0);
    assert_in_range(fill(&loud, now_ns), 30, 41); // all the places there are
    assert_int_equal(arrive(now_ns), FIL_ADMISSION_WAIT);
    assert_int_equal(fil_admission_arrive(&admission, &quiet, now_ns), FIL_ADMISSION_ADMITTED);
    // The next one of it is as any other.
    assert_int_equal(fil_admission_arrive(&admission, &quiet, now_ns), FIL_ADMISSION_WAIT);
}

static void test_deadline_counts_twice(void **state)
{
    (void)state;
    open_with(FIL_ADMISSION_ESTIMATE, 1024);
    struct fil_admission_bid bid = plain;
    bid.deadline_ns = 10 * MS;
    assert_int_equal(fil_admission_arrive(&admission, &bid, 9 * MS + 1), FIL_ADMISSION_DEADLINE);
    assert_int_equal(fil_admission_arrive(&admission, &bid, 0), FIL_ADMISSION_ADMITTED);
    assert_int_equal(fil_admission_arrive(&admission, &bid, 0), FIL_ADMISSION_ADMITTED);
    assert_int_equal(fil_admission_take(&admission, &bid, 0, 9 * MS), FIL_ADMISSION_ADMITTED);
    assert_int_equal(fil_admission_take(&admission, &bid, 0, 9 * MS + 1), FIL_ADMISSION_EXPIRED);
    assert_int_equal(fil_counter_read(&admission.verdicts[FIL_ADMISSION_EXPIRED]), 1);
    assert_int_equal(fil_counter_read(&admission.verdicts[FIL_ADMISSION_DEADLINE]), 1);
}

static void test_cap_holds_in_every_mode(void **state)
{
    (void)state;
    open_with(FIL_ADMISSION_NONE, 5);
    assert_int_equal(fill(&plain, 0), 8); // rounded up
    assert_int_equal(arrive(0), FIL_ADMISSION_CAP);
    assert_int_equal(take(0, 1000 * MS), FIL_ADMISSION_ADMITTED);
    assert_int_equal(arrive(0), FIL_ADMISSION_ADMITTED);
}

static void test_finagle_refuses_after_the_wait(void **state)
{
    (void)state;
    open_with(FIL_ADMISSION_FINAGLE, 1024);
    for (uint32_t i = 0; i < 500; i++) {
        assert_int_equal(arrive(0), FIL_ADMISSION_ADMITTED);
    }
    assert_int_equal(take(0, 20 * MS), FIL_ADMISSION_ADMITTED);
    assert_int_equal(take(0, 21 * MS), FIL_ADMISSION_WAIT);
}

static void test_service_time_is_a_moving_mean(void **state)
{
    (void)state;
    open_with(FIL_ADMISSION_ESTIMATE, 2);
    for (uint32_t i = 0; i < 200; i++) {
        fil_admission_finish(&admission, 10 * MS);
    }
    assert_in_range(atomic_load(&admission.service_ns), 9 * MS, 10 * MS);
}

static void test_wrong_options_and_failing_memory_are_told(void **state)
{
    (void)state;
    struct fil_admission_options options = {.worker_max = 0, .cap = 1};
    assert_int_equal(fil_admission_init(&admission, &options), FIL_E_INVALID);
    options = (struct fil_admission_options){.worker_max = 1, .cap = 0};
    assert_int_equal(fil_admission_init(&admission, &options), FIL_E_INVALID);
    options.cap = 4;
    fil_alloc_fail_after(0);
    assert_int_equal(fil_admission_init(&admission, &options), FIL_E_NOMEM);
    fil_alloc_fail_after(-1);
    assert_string_equal(fil_admission_verdict_name(FIL_ADMISSION_STALL), "stall");
    open_with(FIL_ADMISSION_NONE, 2);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(test_##name, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(burst_is_swallowed_and_a_standing_queue_is_not),
        TEST(hot_pool_cools_when_its_queue_is_empty),
        TEST(short_burst_does_not_make_the_pool_hot),
        TEST(stalled_queue_is_refused),
        TEST(priorities_have_their_limits),
        TEST(tenant_has_its_share_while_hot),
        TEST(tenant_that_was_alone_keeps_nobody_out),
        TEST(deadline_counts_twice),
        TEST(cap_holds_in_every_mode),
        TEST(finagle_refuses_after_the_wait),
        TEST(service_time_is_a_moving_mean),
        TEST(wrong_options_and_failing_memory_are_told),
    };
#undef TEST
    return cmocka_run_group_tests_name("admission", tests, NULL, NULL);
}
