// SPDX-License-Identifier: Apache-2.0
/**
 * Locks on keys, one test a promise: a lock is re-entrant for its owner and nobody else's; only the
 * owner unlocks, force takes it from anybody; retries of a call do nothing; a lease ends by itself;
 * who must wait goes on in the order of arrival when the key is let go, the lease ends or the
 * client is gone, and gives up at its deadline; other keys do not wait; locked keys are not
 * evicted; without memory there is no lock, and the next try succeeds.
 */
#include "grid/map/lock.h"

#include "grid/map/walk.h"
#include "tests/unit/grid/map/map_fixture.h"

static const struct fil_map_owner first = {1, 1};
static const struct fil_map_owner other_thread = {1, 2};
static const struct fil_map_owner second = {2, 1};

static int set_up(void **state)
{
    (void)state;
    open_map_with(&(struct fil_map_config){0});
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (fil_partition_id id = 0; id < PARTITIONS; id++) {
        fil_partition_close(kernel_partition(id), &kernel.runner); // ends what is parked
    }
    close_map();
    return 0;
}

static int lock_for(const char *name, struct fil_map_owner owner, uint64_t lease_ms,
                    uint64_t reference)
{
    uint64_t wait_key = 0;
    struct fil_map_key key = place(name);
    struct fil_partition *partition = go_in(&key);
    struct fil_map_lock_wish wish = {owner, reference, lease_ms, now_ms()};
    int error = fil_map_lock_here(map, &key, &wish, &wait_key);
    fil_partition_leave(partition);
    return error;
}

static int lock(const char *name, struct fil_map_owner owner)
{
    return lock_for(name, owner, 0, 0);
}

static int unlock_as(const char *name, struct fil_map_owner owner, uint64_t reference)
{
    struct fil_map_key key = place(name);
    struct fil_partition *partition = go_in(&key);
    struct fil_map_lock_wish wish = {owner, reference, 0, now_ms()};
    int error = fil_map_unlock_here(map, &key, &wish);
    fil_partition_leave(partition);
    return error;
}

static int unlock(const char *name, struct fil_map_owner owner)
{
    return unlock_as(name, owner, 0);
}

static bool must_wait(const char *name, struct fil_map_owner owner)
{
    uint64_t wait_key = 0;
    struct fil_map_key key = place(name);
    return fil_map_must_wait_here(map, &key, &owner, now_ms(), &wait_key);
}

static bool is_locked(const char *name, struct fil_map_lock_view *view)
{
    struct fil_map_key key = place(name);
    return fil_map_is_locked_here(map, &key, now_ms(), view);
}

static bool force_unlock(const char *name)
{
    struct fil_map_key key = place(name);
    struct fil_partition *partition = go_in(&key);
    bool was_locked = fil_map_force_unlock_here(map, &key, now_ms());
    fil_partition_leave(partition);
    return was_locked;
}

static void test_lock_is_reentrant_for_its_owner(void **state)
{
    (void)state;
    struct fil_map_lock_view view;
    assert_false(is_locked("a", &view));
    assert_int_equal(lock("a", first), FIL_OK);
    assert_int_equal(lock("a", first), FIL_OK);
    assert_true(is_locked("a", &view));
    assert_int_equal(view.count, 2);
    assert_int_equal(view.owner.member, 1);
    assert_true(view.expires_ms == FIL_STORE_NEVER);
    assert_int_equal(lock("a", other_thread), FIL_E_AGAIN);
    assert_int_equal(lock("a", second), FIL_E_AGAIN);
    assert_false(must_wait("a", first));
    assert_true(must_wait("a", other_thread));
    assert_false(must_wait("b", second));
    assert_int_equal(unlock("a", first), FIL_OK);
    assert_true(must_wait("a", second));
    assert_int_equal(unlock("a", first), FIL_OK);
    assert_false(must_wait("a", second));
    assert_int_equal(lock("a", second), FIL_OK);
    struct fil_map_stats stats;
    fil_map_read_stats(map, &stats);
    assert_int_equal(stats.locks, 1);
    assert_int_equal(stats.entries, 0);
}

static void test_only_the_owner_unlocks(void **state)
{
    (void)state;
    assert_int_equal(unlock("a", first), FIL_E_DENIED);
    assert_int_equal(lock("a", first), FIL_OK);
    assert_int_equal(unlock("a", second), FIL_E_DENIED);
    assert_int_equal(unlock("a", other_thread), FIL_E_DENIED);
    assert_true(force_unlock("a"));
    assert_false(force_unlock("a"));
    assert_int_equal(unlock("a", first), FIL_E_DENIED);
}

static void test_retries_do_nothing(void **state)
{
    (void)state;
    struct fil_map_lock_view view;
    assert_int_equal(lock_for("a", first, 0, 10), FIL_OK);
    assert_int_equal(lock_for("a", first, 0, 10), FIL_OK);
    assert_true(is_locked("a", &view));
    assert_int_equal(view.count, 1);
    assert_int_equal(lock_for("a", first, 0, 11), FIL_OK);
    assert_int_equal(unlock_as("a", first, 12), FIL_OK);
    assert_int_equal(unlock_as("a", first, 12), FIL_OK);
    assert_true(is_locked("a", &view));
    assert_int_equal(view.count, 1);
}

static void test_lease_ends_by_itself(void **state)
{
    (void)state;
    assert_int_equal(lock_for("a", first, 1000, 0), FIL_OK);
    assert_int_equal(lock_for("b", first, UINT64_MAX, 0), FIL_OK);
    pass_ms(999);
    assert_true(is_locked("a", NULL));
    pass_ms(1);
    assert_false(is_locked("a", NULL));
    assert_false(must_wait("a", second));
    assert_int_equal(unlock("a", first), FIL_E_DENIED);
    assert_int_equal(lock("a", second), FIL_OK);
    assert_true(is_locked("b", NULL));
}

static void test_unlocking_once_keeps_the_lease(void **state)
{
    (void)state;
    struct fil_map_lock_view view;
    assert_int_equal(lock_for("a", first, 1000, 0), FIL_OK);
    assert_int_equal(lock_for("a", first, 5000, 0), FIL_OK);
    assert_int_equal(unlock("a", first), FIL_OK);
    assert_true(is_locked("a", &view));
    assert_int_equal(view.expires_ms, now_ms() + 5000);
}

// Operations that wait.

struct waiter {
    struct fil_op op;
    struct fil_map_key key;
    struct fil_map_owner owner;
    bool is_locker;
    char name;
};

static enum fil_op_outcome run_waiter(struct fil_op *op, struct fil_partition *partition)
{
    struct waiter *waiter = FIL_CONTAINER_OF(op, struct waiter, op);
    uint64_t wait_key = 0;
    uint64_t at_ms = fil_map_now_ms(map, partition->runner->now_ns);
    bool is_busy = false;
    if (waiter->is_locker) {
        struct fil_map_lock_wish wish = {.owner = waiter->owner, .now_ms = at_ms};
        int error = fil_map_lock_here(map, &waiter->key, &wish, &wait_key);
        is_busy = error == FIL_E_AGAIN;
        op->error = is_busy ? FIL_OK : error;
    } else {
        is_busy = fil_map_must_wait_here(map, &waiter->key, &waiter->owner, at_ms, &wait_key);
    }
    if (!is_busy) {
        kernel_note((char[]){waiter->name, 0});
        return FIL_OP_DONE;
    }
    op->error = fil_partition_park(partition, op, wait_key);
    return op->error == FIL_OK ? FIL_OP_PARKED : FIL_OP_DONE;
}

static void complete_waiter(struct fil_op *op, struct fil_runner *runner)
{
    struct waiter *waiter = FIL_CONTAINER_OF(op, struct waiter, op);
    (void)runner;
    if (op->error != FIL_OK) {
        char note[32];
        (void)snprintf(note, sizeof(note), "%c:%s ", waiter->name, fil_error_name(op->error));
        kernel_note(note);
    }
}

static const struct fil_op_type waiter_type = {
    .name = "waiter", .run = run_waiter, .complete = complete_waiter};

static void submit(struct waiter *waiter, const char *key, struct fil_map_owner owner, char name)
{
    waiter->key = place(key);
    waiter->owner = owner;
    waiter->name = name;
    uint64_t deadline_ns = waiter->op.deadline_ns;
    fil_op_init(&waiter->op, &waiter_type, waiter->key.partition_id);
    waiter->op.deadline_ns = deadline_ns == 0 ? FIL_OP_NO_DEADLINE : deadline_ns;
    fil_exec_submit(kernel.exec, &waiter->op, &kernel.runner);
}

static void test_writers_go_on_in_order(void **state)
{
    (void)state;
    fil_role_assert_partition();
    static struct waiter waiters[5];
    memset(waiters, 0, sizeof(waiters));
    assert_int_equal(lock("a", first), FIL_OK);
    for (uint32_t i = 0; i < 5; i++) {
        submit(&waiters[i], "a", second, (char)('1' + i));
    }
    (void)settle();
    assert_noted("");
    assert_int_equal(unlock("a", first), FIL_OK);
    (void)settle();
    assert_noted("12345");
}

static void test_the_next_locker_stops_those_behind_it(void **state)
{
    (void)state;
    fil_role_assert_partition();
    static struct waiter waiters[4];
    memset(waiters, 0, sizeof(waiters));
    waiters[1].is_locker = true;
    waiters[3].is_locker = true;
    assert_int_equal(lock("a", first), FIL_OK);
    submit(&waiters[0], "a", second, '1');
    submit(&waiters[1], "a", second, 'L');
    submit(&waiters[2], "a", other_thread, '2');
    submit(&waiters[3], "a", other_thread, 'M');
    assert_int_equal(unlock("a", first), FIL_OK);
    (void)settle();
    assert_noted("1L");
    assert_int_equal(unlock("a", second), FIL_OK);
    (void)settle();
    assert_noted("2M");
    assert_int_equal(unlock("a", other_thread), FIL_OK);
}

static void test_owner_and_other_keys_do_not_wait(void **state)
{
    (void)state;
    static struct waiter waiters[2];
    memset(waiters, 0, sizeof(waiters));
    assert_int_equal(lock("a", first), FIL_OK);
    submit(&waiters[0], "a", first, '1');
    submit(&waiters[1], "b", second, '2');
    assert_noted("12");
}

static void test_waiting_ends_at_the_deadline(void **state)
{
    (void)state;
    fil_role_assert_partition();
    static struct waiter waiter;
    memset(&waiter, 0, sizeof(waiter));
    waiter.is_locker = true;
    assert_int_equal(lock("a", first), FIL_OK);
    waiter.op.deadline_ns = kernel.clock.now_ns + 50000000;
    submit(&waiter, "a", second, 'L');
    (void)settle();
    assert_noted("");
    pass_ms(60);
    (void)settle();
    assert_noted("L:TIMEOUT ");
    struct fil_map_lock_view view;
    assert_true(is_locked("a", &view));
    assert_int_equal(view.owner.member, 1);
}

static void test_end_of_the_lease_wakes(void **state)
{
    (void)state;
    fil_role_assert_partition();
    static struct waiter waiter;
    memset(&waiter, 0, sizeof(waiter));
    assert_int_equal(lock_for("a", first, 100, 0), FIL_OK);
    submit(&waiter, "a", second, '1');
    (void)settle();
    for (uint32_t i = 0; i < 200; i++) {
        pass_ms(1);
        (void)settle();
    }
    assert_noted("1");
}

static bool is_finished;

static void finish(struct fil_map_walk *walk, struct fil_runner *runner)
{
    (void)runner;
    assert_int_equal(walk->error, FIL_OK);
    is_finished = true;
}

static void test_what_a_gone_client_locked_is_let_go(void **state)
{
    (void)state;
    fil_role_assert_partition();
    static struct waiter waiters[3];
    static struct fil_map_walk walk;
    char name[16];
    memset(waiters, 0, sizeof(waiters));
    for (uint32_t i = 0; i < 200; i++) {
        (void)snprintf(name, sizeof(name), "k%u", i);
        assert_int_equal(lock(name, i % 2 == 0 ? first : other_thread), FIL_OK);
    }
    assert_int_equal(lock("second's", second), FIL_OK);
    submit(&waiters[0], "k0", second, '1');
    submit(&waiters[1], "k1", second, '2');
    submit(&waiters[2], "second's", first, '3');
    is_finished = false;
    fil_map_walk_unlock_all(&walk, map, 1);
    fil_map_walk_start(&walk, finish, NULL, &kernel.runner);
    (void)settle();
    assert_true(is_finished);
    struct fil_map_stats stats;
    fil_map_read_stats(map, &stats);
    assert_int_equal(stats.locks, 1);
    assert_true(is_locked("second's", NULL));
    assert_true(strcmp(kernel.note, "12") == 0 || strcmp(kernel.note, "21") == 0);
    kernel.note_size = 0;
}

static void test_locked_keys_are_not_evicted(void **state)
{
    (void)state;
    char name[16];
    (void)tear_down(state);
    open_map_with(
        &(struct fil_map_config){.eviction = FIL_EVICTION_RANDOM, .partition_entry_count_max = 20});
    for (uint32_t i = 0; i < 40; i++) {
        (void)snprintf(name, sizeof(name), "locked%u", i);
        put(name, "v");
        assert_int_equal(lock(name, first), FIL_OK);
    }
    for (uint32_t i = 0; i < 2000; i++) {
        (void)snprintf(name, sizeof(name), "k%u", i);
        put(name, "v");
    }
    struct fil_map_stats stats;
    fil_map_read_stats(map, &stats);
    assert_true(stats.evicted > 1000);
    for (uint32_t i = 0; i < 40; i++) {
        (void)snprintf(name, sizeof(name), "locked%u", i);
        assert_value(name, "v");
    }
}

static void test_without_memory_there_is_no_lock(void **state)
{
    (void)state;
    int error = FIL_E_NOMEM;
    int64_t position = 0;
    for (; error != FIL_OK; position++) {
        assert_int_equal(error, FIL_E_NOMEM);
        assert_false(is_locked("a", NULL));
        fil_alloc_fail_after(position);
        error = lock_for("a", first, 1000, 0);
        fil_alloc_fail_after(-1);
    }
    assert_true(position > 2);
    assert_true(is_locked("a", NULL));
}

static void test_locking_many_times_is_counted(void **state)
{
    (void)state;
    struct fil_map_lock_view view;
    assert_int_equal(lock("a", first), FIL_OK);
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(lock("a", first), FIL_OK);
    }
    assert_true(is_locked("a", &view));
    assert_int_equal(view.count, 1001);
}

int main(void)
{
    fil_role_enter(&fil_role_partition);
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(lock_is_reentrant_for_its_owner),
        TEST(only_the_owner_unlocks),
        TEST(retries_do_nothing),
        TEST(lease_ends_by_itself),
        TEST(unlocking_once_keeps_the_lease),
        TEST(writers_go_on_in_order),
        TEST(the_next_locker_stops_those_behind_it),
        TEST(owner_and_other_keys_do_not_wait),
        TEST(waiting_ends_at_the_deadline),
        TEST(end_of_the_lease_wakes),
        TEST(what_a_gone_client_locked_is_let_go),
        TEST(locked_keys_are_not_evicted),
        TEST(without_memory_there_is_no_lock),
        TEST(locking_many_times_is_counted),
    };
#undef TEST
    return cmocka_run_group_tests_name("lock", tests, NULL, NULL);
}
