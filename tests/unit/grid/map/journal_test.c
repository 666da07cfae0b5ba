// SPDX-License-Identifier: Apache-2.0
/**
 * The event journal, one test a promise: every kind of change is kept with its values, in order;
 * what was overwritten before it was read, and what found no memory, is told as lost; reading goes
 * on where it ended; who waits for changes is woken by the next one; a map without a journal has
 * none; without memory for the journal there is no map.
 */
#include "grid/map/journal.h"

#include "grid/map/entry.h"
#include "grid/map/walk.h"
#include "tests/unit/grid/map/map_fixture.h"

#define CAPACITY 8U // a partition's

static char told[512];
static struct fil_map_key key;
static struct fil_partition *inside;

static int set_up(void **state)
{
    (void)state;
    open_map_with(&(struct fil_map_config){.journal_capacity = CAPACITY * PARTITIONS});
    told[0] = '\0';
    key = place("a");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    close_map();
    return 0;
}

static void enter(void)
{
    inside = go_in(&key);
}

static void leave(void)
{
    fil_partition_leave(inside);
}

static void tell(void *context, const struct fil_map_journal_entry *entry)
{
    (void)context;
    size_t size = strlen(told);
    (void)snprintf(told + size, sizeof(told) - size, "%u:%d:%.*s:%.*s>%.*s ", (unsigned)entry->seq,
                   (int)entry->kind, (int)entry->key.size, (const char *)entry->key.data,
                   entry->old_value.data == NULL ? 1 : (int)entry->old_value.size,
                   entry->old_value.data == NULL ? "-" : (const char *)entry->old_value.data,
                   entry->value.data == NULL ? 1 : (int)entry->value.size,
                   entry->value.data == NULL ? "-" : (const char *)entry->value.data);
}

static uint64_t read_from(uint64_t seq, uint32_t limit, uint64_t *out_lost)
{
    struct fil_map_journal_read read = {
        .partition_id = key.partition_id, .seq = seq, .limit = limit, .visit = tell};
    told[0] = '\0';
    return fil_map_journal_read_here(map, &read, out_lost);
}

static void test_changes_are_kept_in_order(void **state)
{
    (void)state;
    uint64_t lost = 1;
    struct fil_store_edit edit;
    put("a", "1");
    put("a", "2");
    enter();
    assert_int_equal(fil_map_edit_here(map, &key, 2, now_ms(), &edit), FIL_OK);
    edit.value[1] = 'x';
    assert_int_equal(fil_map_commit_here(map, &key, &edit), FIL_OK);
    leave();
    assert_true(remove_key("a"));
    assert_false(remove_key("a"));
    put("a", "");
    enter();
    assert_true(fil_map_evict_here(map, &key, now_ms()));
    leave();
    assert_int_equal(read_from(0, 100, &lost), 6);
    assert_int_equal(lost, 0);
    assert_string_equal(told, "0:1:a:->1 1:4:a:1>2 2:4:a:2>2x 3:2:a:2x>- 4:1:a:-> 5:8:a:>- ");
}

static void test_expiry_and_clear_are_kept(void **state)
{
    (void)state;
    uint64_t lost = 0;
    put_for("a", "1", 10);
    pass_ms(200);
    enter();
    struct fil_bytes value;
    assert_false(fil_map_get_here(map, &key, now_ms(), &value));
    (void)fil_store_expire(&map->shards[key.partition_id].store, now_ms(), 100);
    leave();
    put("a", "2");
    enter();
    (void)fil_map_clear_here(map, key.partition_id, 0, 100, now_ms());
    leave();
    (void)read_from(1, 100, &lost);
    assert_string_equal(told, "1:16:a:1>- 2:1:a:->2 3:64::->- ");
}

static void test_lost_ones_are_told(void **state)
{
    (void)state;
    uint64_t lost = 0;
    uint64_t oldest = 0;
    uint64_t next = 0;
    for (uint32_t i = 0; i < CAPACITY + 5; i++) {
        put("a", "v");
    }
    assert_int_equal(fil_map_journal_bounds_here(map, key.partition_id, &oldest, &next), FIL_OK);
    assert_int_equal(oldest, 5);
    assert_int_equal(next, CAPACITY + 5);
    assert_int_equal(read_from(2, 1, &lost), 6);
    assert_int_equal(lost, 3);
    assert_string_equal(told, "5:4:a:v>v ");
    assert_int_equal(read_from(6, 100, &lost), CAPACITY + 5);
    assert_int_equal(lost, 0);
    assert_int_equal(read_from(CAPACITY + 5, 100, &lost), CAPACITY + 5);
    assert_string_equal(told, "");
    assert_int_equal(read_from(1000, 100, &lost), 1000);
}

static void test_change_without_memory_is_lost(void **state)
{
    (void)state;
    uint64_t lost = 0;
    struct fil_map_stats stats;
    put("a", "1");
    put("a", "2");
    enter();
    struct fil_store_write how = {.now_ms = now_ms()};
    // The store has room for the new value; the journal's record is what fails.
    fil_alloc_fail_after(0);
    int error = fil_map_put_here(map, &key, text("3"), &how, NULL);
    fil_alloc_fail_after(-1);
    leave();
    assert_int_equal(error, FIL_OK);
    put("a", "4");
    assert_int_equal(read_from(1, 100, &lost), 4);
    assert_int_equal(lost, 1);
    assert_string_equal(told, "1:4:a:1>2 3:4:a:3>4 ");
    fil_map_read_stats(map, &stats);
    assert_int_equal(stats.journal_lost, 1);
}

struct reader {
    struct fil_op op;
    bool is_done;
};

static enum fil_op_outcome run_reader(struct fil_op *op, struct fil_partition *partition)
{
    uint64_t wait_key = 0;
    if (!fil_map_journal_must_wait_here(map, partition->id, 0, 2, &wait_key)) {
        return FIL_OP_DONE;
    }
    op->error = fil_partition_park(partition, op, wait_key);
    return op->error == FIL_OK ? FIL_OP_PARKED : FIL_OP_DONE;
}

static void complete_reader(struct fil_op *op, struct fil_runner *runner)
{
    (void)runner;
    FIL_CONTAINER_OF(op, struct reader, op)->is_done = op->error == FIL_OK;
}

static const struct fil_op_type reader_type = {
    .name = "reader", .run = run_reader, .complete = complete_reader};

static void test_reader_waits_for_enough(void **state)
{
    (void)state;
    static struct reader reader;
    fil_role_assert_partition();
    reader.is_done = false;
    fil_op_init(&reader.op, &reader_type, key.partition_id);
    fil_exec_submit(kernel.exec, &reader.op, &kernel.runner);
    (void)settle();
    assert_false(reader.is_done);
    put("a", "1");
    (void)settle();
    assert_false(reader.is_done);
    put("a", "2");
    (void)settle();
    assert_true(reader.is_done);
}

static void test_map_without_a_journal_has_none(void **state)
{
    (void)state;
    uint64_t oldest = 0;
    uint64_t next = 0;
    uint64_t lost = 0;
    close_map();
    open_map_with(&(struct fil_map_config){0});
    put("a", "1");
    assert_int_equal(fil_map_journal_bounds_here(map, key.partition_id, &oldest, &next),
                     FIL_E_UNSUPPORTED);
    assert_int_equal(read_from(0, 10, &lost), 0);
    assert_false(fil_map_journal_must_wait_here(map, key.partition_id, 0, 1, &next));
}

static void test_without_memory_there_is_no_map(void **state)
{
    (void)state;
    struct fil_map *none = NULL;
    struct fil_map_setup setup = {
        .budget = &map_budget, .partition_count = 2, .config = {.journal_capacity = 1}};
    int64_t position = 0;
    int error = FIL_E_NOMEM;
    for (; error != FIL_OK; position++) {
        assert_int_equal(error, FIL_E_NOMEM);
        fil_alloc_fail_after(position);
        error = fil_map_new(&none, &setup);
        fil_alloc_fail_after(-1);
    }
    assert_int_equal(position, 6);
    fil_map_free(none);
}

int main(void)
{
    fil_role_enter(&fil_role_partition);
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(changes_are_kept_in_order),
        TEST(expiry_and_clear_are_kept),
        TEST(lost_ones_are_told),
        TEST(change_without_memory_is_lost),
        TEST(reader_waits_for_enough),
        TEST(map_without_a_journal_has_none),
        TEST(without_memory_there_is_no_map),
    };
#undef TEST
    return cmocka_run_group_tests_name("journal", tests, NULL, NULL);
}
