// SPDX-License-Identifier: Apache-2.0
/**
 * A partition's promises, step by step on one thread: one is inside or nobody; what is delivered
 * runs in order, priority first, and leaves a ticket with the home; what is put in while somebody
 * is inside is not forgotten; slices go to the tail and let others in; parked operations go on when
 * notified, expired, cancelled or abandoned, each exactly once.
 */
#include "core/exec/partition.h"

#include "lib/base/alloc.h"
#include "tests/unit/core/exec/kernel_fixture.h"
#include "tests/unit/lib/base/assertion.h"

static struct fil_partition *partition;
static struct fil_partition_stage *home;
static struct probe a;
static struct probe b;
static struct probe c;

static int set_up(void **state)
{
    (void)state;
    kernel_init(&(struct fil_exec_options){.partition_count = 2, .thread_count = 1});
    partition = kernel_partition(0);
    home = fil_exec_stage(kernel.exec, 0);
    (void)probe_init(&a, 'a', 0);
    (void)probe_init(&b, 'b', 0);
    (void)probe_init(&c, 'c', 0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    kernel_fini();
    return 0;
}

static bool claim(struct fil_partition *claimed, struct fil_runner *runner)
{
    fil_role_enter(&fil_role_partition);
    fil_role_assert_partition();
    return fil_partition_claim(claimed, runner);
}

static void test_one_is_inside_or_nobody(void **state)
{
    (void)state;
    struct fil_runner other;
    fil_runner_init(&other, kernel.exec, "other");
    assert_true(fil_partition_enter(partition, &kernel.runner));
    assert_false(fil_partition_enter(partition, &other));
    assert_false(claim(partition, &other));
    fil_partition_leave(partition);
    assert_true(fil_partition_enter(partition, &other));
    fil_partition_leave(partition);
    assert_true(fil_tickets_is_empty(&home->tickets));
}

static void test_delivered_partition_has_one_ticket_and_is_claimed_once(void **state)
{
    (void)state;
    kernel_deliver(&a);
    kernel_deliver(&b);
    assert_int_equal(fil_tickets_count(&home->tickets), 1);
    assert_false(fil_partition_enter(partition, &kernel.runner));
    assert_true(claim(partition, &kernel.runner));
    assert_false(claim(partition, &kernel.runner));
    assert_int_equal(fil_partition_run(partition, 10), 2);
    fil_partition_leave(partition);
    assert_noted("aa.bb.");
}

static void test_batch_runs_in_its_order(void **state)
{
    (void)state;
    c.op.link.next = &b.op.link;
    b.op.link.next = &a.op.link;
    fil_partition_deliver(partition, &c.op, &a.op, &kernel.runner);
    assert_int_equal(kernel_cycle(0), 3);
    assert_noted("aa.bb.cc.");
}

static void test_mailbox_has_a_length(void **state)
{
    (void)state;
    assert_int_equal(fil_partition_mail_count(partition), 0);
    b.op.link.next = &a.op.link;
    fil_partition_deliver(partition, &b.op, &a.op, &kernel.runner);
    c.op.is_priority = true;
    kernel_deliver(&c);
    assert_int_equal(fil_partition_mail_count(partition), 3);
    assert_true(claim(partition, &kernel.runner));
    assert_int_equal(fil_partition_run(partition, 1), 1);
    assert_int_equal(fil_partition_mail_count(partition), 2);
    assert_int_equal(fil_partition_run(partition, 10), 2);
    assert_int_equal(fil_partition_mail_count(partition), 0);
    fil_partition_leave(partition);
    assert_noted("cc.aa.bb.");
}

static void test_what_comes_while_somebody_is_inside_is_queued_when_he_leaves(void **state)
{
    (void)state;
    assert_true(fil_partition_enter(partition, &kernel.runner));
    kernel_deliver(&a);
    assert_true(fil_tickets_is_empty(&home->tickets));
    fil_partition_leave(partition);
    assert_int_equal(fil_tickets_count(&home->tickets), 1);
    assert_int_equal(kernel_cycle(0), 1);
    assert_noted("aa.");
}

static void test_priority_operation_goes_first_and_has_an_urgent_ticket(void **state)
{
    (void)state;
    b.op.is_priority = true;
    kernel_deliver(&a);
    assert_true(fil_tickets_is_empty(&home->urgent_tickets));
    kernel_deliver(&b);
    assert_int_equal(fil_tickets_count(&home->urgent_tickets), 1);
    assert_int_equal(kernel_cycle(0), 2);
    assert_noted("bb.aa.");
}

static void test_priority_partition_goes_before_others(void **state)
{
    (void)state;
    b.op.partition_id = 1;
    b.op.is_priority = true;
    kernel_deliver(&a);
    kernel_deliver(&b);
    assert_int_equal(kernel_cycle(0), 2);
    assert_noted("bb.aa.");
}

static void test_stale_urgent_ticket_is_given_again(void **state)
{
    (void)state;
    uint32_t index = 7;
    a.op.is_priority = true;
    assert_true(fil_partition_enter(partition, &kernel.runner));
    kernel_deliver(&a);
    // The home is kicked while somebody is inside, and can do nothing with the ticket.
    assert_true(fil_tickets_take(&home->urgent_tickets, &index));
    assert_int_equal(index, 0);
    assert_false(claim(partition, &home->runner));
    fil_partition_leave(partition);
    assert_int_equal(fil_tickets_count(&home->urgent_tickets), 1);
    assert_int_equal(kernel_cycle(0), 1);
}

static void test_run_stops_at_its_limit_and_the_rest_stays_queued(void **state)
{
    (void)state;
    kernel_deliver(&a);
    kernel_deliver(&b);
    kernel_deliver(&c);
    uint32_t index = 0;
    assert_true(fil_tickets_take(&home->tickets, &index));
    assert_true(claim(partition, &kernel.runner));
    assert_int_equal(fil_partition_run(partition, 2), 2);
    fil_partition_leave(partition);
    assert_noted("aa.bb.");
    assert_int_equal(fil_tickets_count(&home->tickets), 1);
    assert_int_equal(kernel_cycle(0), 1);
    assert_noted("cc.");
}

static void test_slice_goes_behind_what_has_arrived(void **state)
{
    (void)state;
    a.kind = PROBE_SLICED;
    a.slices = 2;
    kernel_deliver(&a);
    kernel_deliver(&b);
    while (kernel_cycle(0) > 0) {
    }
    assert_noted("abb.aaa.");
}

static void test_slice_lets_other_partitions_in(void **state)
{
    (void)state;
    a.kind = PROBE_SLICED;
    a.slices = 2;
    b.op.partition_id = 1;
    kernel_deliver(&a);
    kernel_deliver(&b);
    while (kernel_cycle(0) > 0) {
    }
    assert_noted("abb.aaa.");
}

static void test_parked_go_on_in_arrival_order_before_what_came_later(void **state)
{
    (void)state;
    a.kind = PROBE_WAITER;
    b.kind = PROBE_WAITER;
    kernel_deliver(&a);
    kernel_deliver(&b);
    assert_int_equal(kernel_cycle(0), 2);
    assert_noted("ab");

    struct probe d;
    (void)probe_init(&d, 'd', 0);
    c.kind = PROBE_NOTIFIER;
    c.limit = 1;
    kernel_deliver(&c);
    kernel_deliver(&d);
    assert_int_equal(kernel_cycle(0), 3);
    assert_noted("cc.aa.dd.");

    (void)probe_init(&c, 'c', 0);
    c.kind = PROBE_NOTIFIER;
    kernel_deliver(&c);
    assert_int_equal(kernel_cycle(0), 2);
    assert_noted("cc.bb.");
}

static void test_notify_of_another_key_wakes_nobody(void **state)
{
    (void)state;
    a.kind = PROBE_WAITER;
    a.key = 1;
    kernel_deliver(&a);
    (void)kernel_cycle(0);
    assert_true(fil_partition_enter(partition, &kernel.runner));
    assert_int_equal(fil_partition_notify(partition, 2, 1), 0);
    assert_int_equal(fil_partition_notify(partition, 1, 1), 1);
    fil_partition_leave(partition);
    assert_int_equal(kernel_cycle(0), 1);
    assert_noted("aaa.");
}

static void test_park_without_memory_is_refused(void **state)
{
    (void)state;
    a.kind = PROBE_WAITER;
    kernel_deliver(&a);
    fil_alloc_fail_after(0);
    assert_int_equal(kernel_cycle(0), 1);
    fil_alloc_fail_after(-1);
    assert_noted("aa:NOMEM ");
}

static void test_deadline_of_a_parked_operation_ends_it(void **state)
{
    (void)state;
    a.kind = PROBE_WAITER;
    a.op.deadline_ns = kernel.clock.now_ns + 5 * TICK_NS;
    b.kind = PROBE_WAITER;
    b.op.deadline_ns = kernel.clock.now_ns + 2 * TICK_NS;
    kernel_deliver(&a);
    kernel_deliver(&b);
    (void)kernel_cycle(0);
    (void)kernel_cycle(0); // the home learns of the deadlines
    kernel.clock.now_ns += 4 * TICK_NS;
    assert_int_equal(kernel_cycle(0), 1);
    assert_noted("abb:TIMEOUT ");
    (void)kernel_cycle(0);
    kernel.clock.now_ns += 2 * TICK_NS;
    assert_int_equal(kernel_cycle(0), 1);
    assert_noted("a:TIMEOUT ");
    (void)kernel_cycle(0);
    assert_int_equal(fil_counter_read(&home->runner.stats.expiries), 2);
}

static void test_operation_whose_deadline_passed_in_the_mailbox_does_not_run(void **state)
{
    (void)state;
    a.op.deadline_ns = kernel.clock.now_ns + 1;
    kernel_deliver(&a);
    kernel.clock.now_ns += 1;
    assert_int_equal(kernel_cycle(0), 1);
    assert_noted("a:TIMEOUT ");
}

static void test_notified_operation_does_not_expire_any_more(void **state)
{
    (void)state;
    a.kind = PROBE_WAITER;
    a.op.deadline_ns = kernel.clock.now_ns + 2 * TICK_NS;
    b.kind = PROBE_NOTIFIER;
    kernel_deliver(&a);
    (void)kernel_cycle(0);
    kernel_deliver(&b);
    (void)kernel_cycle(0);
    assert_noted("abb.aa.");
    kernel.clock.now_ns += 10 * TICK_NS;
    (void)kernel_cycle(0);
    assert_noted("");
}

static void test_cancelled_in_the_mailbox_ends_without_running(void **state)
{
    (void)state;
    kernel_deliver(&a);
    fil_partition_cancel(partition, &a.op, &kernel.runner);
    (void)kernel_cycle(0);
    assert_noted("a:CANCELLED ");
    assert_int_equal(fil_counter_read(&home->runner.stats.cancels), 1);
}

static void test_cancelled_while_parked_ends_and_the_others_stay(void **state)
{
    (void)state;
    a.kind = PROBE_WAITER;
    b.kind = PROBE_WAITER;
    kernel_deliver(&a);
    kernel_deliver(&b);
    (void)kernel_cycle(0);
    fil_partition_cancel(partition, &a.op, &kernel.runner);
    assert_int_equal(kernel_cycle(0), 1);
    assert_noted("aba:CANCELLED ");
    fil_partition_cancel(partition, &b.op, &kernel.runner);
    assert_int_equal(kernel_cycle(0), 1);
    assert_noted("b:CANCELLED ");
}

#define CROWD 300U

static struct probe crowd[CROWD];

static void count_complete(struct fil_op *op, struct fil_runner *runner)
{
    (void)runner;
    FIL_CONTAINER_OF(op, struct probe, op)->complete_count++;
}

static enum fil_op_outcome wait_run(struct fil_op *op, struct fil_partition *inside)
{
    op->error = fil_partition_park(inside, op, 1);
    return op->error == FIL_OK ? FIL_OP_PARKED : FIL_OP_DONE;
}

static void park_crowd(uint64_t deadline_ns)
{
    static const struct fil_op_type type = {
        .name = "crowd", .run = wait_run, .complete = count_complete};
    for (uint32_t i = 0; i < CROWD; i++) {
        probe_init(&crowd[i], 'x', 0)->op.type = &type;
        crowd[i].op.deadline_ns = deadline_ns;
        kernel_deliver(&crowd[i]);
    }
    while (kernel_cycle(0) > 0) {
    }
}

static uint32_t crowd_completed(void)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < CROWD; i++) {
        count += crowd[i].complete_count;
    }
    return count;
}

/** One turn of the partition, in which b comes along; the others end later. */
static void assert_slices(void)
{
    fil_role_enter(&fil_role_partition);
    fil_role_assert_partition();
    kernel_deliver(&b);
    assert_true(fil_partition_claim(partition, &kernel.runner));
    (void)fil_partition_run(partition, UINT32_MAX);
    fil_partition_leave(partition);
    assert_noted("bb.");
    assert_in_range(crowd_completed(), 1, CROWD / 2);
    while (kernel_cycle(0) > 0) {
    }
    assert_int_equal(crowd_completed(), CROWD);
}

static void test_crowd_is_cancelled_in_slices(void **state)
{
    (void)state;
    park_crowd(FIL_OP_NO_DEADLINE);
    for (uint32_t i = 0; i < CROWD; i++) {
        fil_partition_abandon(partition, &crowd[i].op, &kernel.runner);
    }
    assert_int_equal(crowd_completed(), 0);
    assert_slices();
}

static void test_crowd_expires_in_slices(void **state)
{
    (void)state;
    park_crowd(kernel.clock.now_ns + TICK_NS);
    kernel.clock.now_ns += 4 * TICK_NS;
    kernel.runner.now_ns = kernel.clock.now_ns;
    fil_role_enter(&fil_role_partition);
    fil_role_assert_partition();
    fil_partition_expire(partition, &kernel.runner);
    assert_int_equal(crowd_completed(), 0);
    assert_slices();
}

static void test_abandoned_runs_and_does_not_wait(void **state)
{
    (void)state;
    a.kind = PROBE_WAITER;
    b.kind = PROBE_WAITER;
    kernel_deliver(&a);
    fil_partition_abandon(partition, &a.op, &kernel.runner);
    (void)kernel_cycle(0);
    assert_noted("aa:CANCELLED ");
    kernel_deliver(&b);
    (void)kernel_cycle(0);
    fil_partition_abandon(partition, &b.op, &kernel.runner);
    (void)kernel_cycle(0);
    assert_noted("bb:CANCELLED ");
}

/** A complete that notifies the others who wait, while the cancelled ones are being ended. */
static void complete_and_notify(struct fil_op *op, struct fil_runner *runner)
{
    probe_complete(op, runner);
    (void)fil_partition_notify(partition, 0, UINT32_MAX);
}

static void test_complete_of_a_cancelled_one_may_notify_others(void **state)
{
    (void)state;
    static const struct fil_op_type type = {
        .name = "notifying", .run = probe_run, .complete = complete_and_notify};
    struct probe *const probes[] = {&a, &b, &c};
    for (size_t i = 0; i < FIL_COUNT_OF(probes); i++) {
        probes[i]->kind = PROBE_WAITER;
        probes[i]->op.type = &type;
        kernel_deliver(probes[i]);
    }
    (void)kernel_cycle(0);
    assert_noted("abc");
    fil_partition_cancel(partition, &a.op, &kernel.runner);
    (void)kernel_cycle(0);
    assert_noted("a:CANCELLED bb.cc.");
}

static void test_closed_partition_ends_what_is_parked(void **state)
{
    (void)state;
    fil_partition_close(partition, &kernel.runner); // nothing has ever parked
    a.kind = PROBE_WAITER;
    b.kind = PROBE_WAITER;
    b.key = 99;
    kernel_deliver(&a);
    kernel_deliver(&b);
    (void)kernel_cycle(0);
    assert_noted("ab");
    fil_partition_close(partition, &kernel.runner);
    assert_int_equal(a.op.error, FIL_E_STOPPING);
    assert_int_equal(b.op.error, FIL_E_STOPPING);
    assert_int_equal(a.complete_count + b.complete_count, 2);
}

static void touch_from_outside(void *context)
{
    fil_partition_assert_mine(partition, context);
}

static void test_who_is_not_inside_is_stopped(void **state)
{
    (void)state;
    assert_true(assertion_stops(touch_from_outside, &kernel.runner));
    assert_true(fil_partition_enter(partition, &kernel.runner));
    assert_false(assertion_stops(touch_from_outside, &kernel.runner));
    fil_partition_leave(partition);
}

#ifdef FIL_DEBUG
static char other_thread;
#endif

static void notify_as_before(void *context)
{
    (void)fil_partition_notify(context, 0, 1);
}

static void test_other_thread_than_the_one_inside_is_stopped(void **state)
{
    (void)state;
    assert_true(assertion_stops(notify_as_before, partition)); // nobody is inside
    assert_true(fil_partition_enter(partition, &kernel.runner));
    assert_false(assertion_stops(notify_as_before, partition));
#ifdef FIL_DEBUG
    const void *me = partition->thread;
    partition->thread = &other_thread;
    assert_true(assertion_stops(notify_as_before, partition));
    partition->thread = me;
#endif
    fil_partition_leave(partition);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_is_inside_or_nobody),
        cmocka_unit_test(test_delivered_partition_has_one_ticket_and_is_claimed_once),
        cmocka_unit_test(test_batch_runs_in_its_order),
        cmocka_unit_test(test_mailbox_has_a_length),
        cmocka_unit_test(test_what_comes_while_somebody_is_inside_is_queued_when_he_leaves),
        cmocka_unit_test(test_priority_operation_goes_first_and_has_an_urgent_ticket),
        cmocka_unit_test(test_priority_partition_goes_before_others),
        cmocka_unit_test(test_stale_urgent_ticket_is_given_again),
        cmocka_unit_test(test_run_stops_at_its_limit_and_the_rest_stays_queued),
        cmocka_unit_test(test_slice_goes_behind_what_has_arrived),
        cmocka_unit_test(test_slice_lets_other_partitions_in),
        cmocka_unit_test(test_parked_go_on_in_arrival_order_before_what_came_later),
        cmocka_unit_test(test_notify_of_another_key_wakes_nobody),
        cmocka_unit_test(test_park_without_memory_is_refused),
        cmocka_unit_test(test_deadline_of_a_parked_operation_ends_it),
        cmocka_unit_test(test_operation_whose_deadline_passed_in_the_mailbox_does_not_run),
        cmocka_unit_test(test_notified_operation_does_not_expire_any_more),
        cmocka_unit_test(test_cancelled_in_the_mailbox_ends_without_running),
        cmocka_unit_test(test_cancelled_while_parked_ends_and_the_others_stay),
        cmocka_unit_test(test_crowd_is_cancelled_in_slices),
        cmocka_unit_test(test_crowd_expires_in_slices),
        cmocka_unit_test(test_abandoned_runs_and_does_not_wait),
        cmocka_unit_test(test_complete_of_a_cancelled_one_may_notify_others),
        cmocka_unit_test(test_closed_partition_ends_what_is_parked),
        cmocka_unit_test(test_who_is_not_inside_is_stopped),
        cmocka_unit_test(test_other_thread_than_the_one_inside_is_stopped),
    };
    struct CMUnitTest with_kernel[FIL_COUNT_OF(tests)];
    for (size_t i = 0; i < FIL_COUNT_OF(tests); i++) {
        with_kernel[i] = tests[i];
        with_kernel[i].setup_func = set_up;
        with_kernel[i].teardown_func = tear_down;
    }
    return cmocka_run_group_tests_name("partition", with_kernel, NULL, NULL);
}
