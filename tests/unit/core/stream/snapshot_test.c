// SPDX-License-Identifier: Apache-2.0
/**
 * Snapshots: what goes in comes out, also through bytes and a folder; every damaged byte is found;
 * a graph that does not fit is refused with the reason; state goes to the instance that owns it;
 * refused memory and a spent budget are told.
 */
#include "core/stream/batch_aggregate.h"
#include "core/stream/sinks.h"
#include "core/stream/snapshot_store.h"
#include "core/stream/sources.h"
#include "core/stream/transforms.h"
#include "lib/base/alloc.h"
#include "tests/unit/harness.h"
#include "tests/unit/lib/os/folder.h"

static struct fil_generator_config generator;
static struct fil_group_config totals;
static struct fil_dag dag;

static int set_up(void **state)
{
    (void)state;
    totals = (struct fil_group_config){.key = {.size = 8}, .aggregate = fil_aggregate_sum(8)};
    fil_dag_init(&dag);
    fil_dag_add_vertex(&dag, "numbers", &fil_generator_ops, &generator, 2);
    fil_dag_add_vertex(&dag, "totals", &fil_batch_aggregate_ops, &totals, 3);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_dag_fini(&dag);
    return 0;
}

static void put(struct fil_snapshot *snapshot, uint32_t part, const char *key, const char *value)
{
    const struct fil_state_entry entry = {.scope = FIL_STATE_SHARD,
                                          .place = part,
                                          .key = fil_bytes_of(key),
                                          .value = fil_bytes_of(value)};
    fil_snapshot_put(snapshot, part, &entry);
}

static struct fil_snapshot *make(struct fil_budget *budget)
{
    struct fil_snapshot *snapshot = fil_snapshot_new(&dag, "sums", 7, budget);
    assert_non_null(snapshot);
    put(snapshot, 1, "", "place");
    put(snapshot, 2, "apple", "3");
    put(snapshot, 2, "pear", "");
    return snapshot;
}

static void expect_made(const struct fil_snapshot *snapshot)
{
    assert_int_equal(snapshot->id, 7);
    assert_string_equal(snapshot->job, "sums");
    assert_int_equal(snapshot->part_count, 5);
    assert_string_equal(snapshot->vertices[snapshot->parts[2].vertex].name, "totals");
    assert_int_equal(snapshot->parts[2].entry_count, 2);
    struct fil_snapshot_cursor cursor = {.part = &snapshot->parts[2]};
    struct fil_state_entry entry;
    assert_true(fil_snapshot_next(&cursor, &entry));
    assert_true(fil_bytes_equal_text(entry.key, "apple"));
    assert_true(fil_bytes_equal_text(entry.value, "3"));
    assert_true(fil_snapshot_next(&cursor, &entry));
    assert_true(fil_bytes_equal_text(entry.key, "pear"));
    assert_int_equal(entry.value.size, 0);
    assert_false(fil_snapshot_next(&cursor, &entry));
}

static void test_bytes_give_the_same_snapshot(void **state)
{
    (void)state;
    struct fil_snapshot *made = make(NULL);
    uint8_t *data = NULL;
    size_t size = 0;
    assert_int_equal(fil_snapshot_encode(made, &data, &size), FIL_OK);
    struct fil_snapshot *read = NULL;
    assert_int_equal(fil_snapshot_decode(fil_bytes_make(data, size), &read), FIL_OK);
    expect_made(made);
    expect_made(read);
    fil_free(data);
    fil_snapshot_unref(read);
    fil_snapshot_unref(made);
}

static void test_every_damage_is_found(void **state)
{
    (void)state;
    struct fil_snapshot *made = make(NULL);
    uint8_t *data = NULL;
    size_t size = 0;
    assert_int_equal(fil_snapshot_encode(made, &data, &size), FIL_OK);
    struct fil_snapshot *read = NULL;
    for (size_t i = 0; i < size; i++) {
        data[i] ^= 1;
        assert_int_equal(fil_snapshot_decode(fil_bytes_make(data, size), &read), FIL_E_MALFORMED);
        data[i] ^= 1;
        assert_int_equal(fil_snapshot_decode(fil_bytes_make(data, i), &read), FIL_E_MALFORMED);
    }
    assert_null(read);
    fil_free(data);
    fil_snapshot_unref(made);
}

static void test_entries_go_to_their_owners(void **state)
{
    (void)state;
    const struct fil_state_entry keyed = {.scope = FIL_STATE_KEYED, .place = UINT64_MAX};
    const struct fil_state_entry shard = {.scope = FIL_STATE_SHARD, .place = 5};
    const struct fil_state_entry all = {.scope = FIL_STATE_ALL};
    for (uint32_t count = 1; count < 5; count++) {
        uint32_t owners[3] = {0};
        for (uint32_t i = 0; i < count; i++) {
            owners[0] += fil_state_belongs(&keyed, i, count);
            owners[1] += fil_state_belongs(&shard, i, count);
            owners[2] += fil_state_belongs(&all, i, count);
        }
        assert_int_equal(owners[0], 1);
        assert_int_equal(owners[1], 1);
        assert_int_equal(owners[2], count);
    }
    assert_true(fil_state_belongs(&keyed, fil_key_part(UINT64_MAX, 3), 3));
}

static int check_against(const struct fil_snapshot *snapshot, const struct fil_group_config *config,
                         const char *vertex, bool may_drop, char *text)
{
    struct fil_dag other;
    fil_dag_init(&other);
    fil_dag_add_vertex(&other, "numbers", &fil_generator_ops, &generator, 4);
    fil_dag_add_vertex(&other, vertex, &fil_batch_aggregate_ops, config, 1);
    int error = fil_snapshot_check(snapshot, &other, may_drop, text);
    fil_dag_fini(&other);
    return error;
}

static void test_graph_that_does_not_fit_is_refused_with_the_reason(void **state)
{
    (void)state;
    char text[FIL_SNAPSHOT_TEXT_MAX];
    struct fil_snapshot *made = make(NULL);
    assert_int_equal(check_against(made, &totals, "totals", false, text), FIL_OK);
    assert_int_equal(check_against(made, &totals, "sums", false, text), FIL_E_INVALID);
    assert_string_equal(text,
                        "the snapshot has state of vertex 'totals', which the job does not have");
    assert_int_equal(check_against(made, &totals, "sums", true, text), FIL_OK);
    struct fil_group_config counts = totals;
    counts.aggregate = fil_aggregate_count();
    assert_int_equal(check_against(made, &counts, "totals", true, text), FIL_E_INVALID);
    assert_string_equal(text, "vertex 'totals' keeps (all of count in 8 bytes by a key of 8), the "
                              "snapshot has (all of sum in 16 bytes by a key of 8)");
    fil_snapshot_unref(made);
}

static void test_spent_budget_makes_the_snapshot_fail(void **state)
{
    (void)state;
    struct fil_budget budget;
    fil_budget_init(&budget, 1500);
    struct fil_snapshot *made = make(&budget);
    assert_int_equal(fil_snapshot_error(made), FIL_E_NOMEM);
    fil_snapshot_unref(made);
    assert_int_equal(fil_budget_drawn(&budget), 0);
    fil_budget_init(&budget, 1U << 20);
    made = make(&budget);
    assert_int_equal(fil_snapshot_error(made), FIL_OK);
    assert_int_equal(fil_snapshot_size(made), 3 * 17 + 5 + 6 + 4);
    fil_snapshot_unref(made);
}

static void test_refused_memory_is_told_everywhere(void **state)
{
    (void)state;
    struct fil_snapshot *made = make(NULL);
    uint8_t *data = NULL;
    size_t size = 0;
    assert_int_equal(fil_snapshot_encode(made, &data, &size), FIL_OK);
    for (int64_t after = 0; after < 5; after++) {
        struct fil_snapshot *read = NULL;
        fil_alloc_fail_after(after);
        int error = fil_snapshot_decode(fil_bytes_make(data, size), &read);
        fil_alloc_fail_after(-1);
        assert_int_equal(error, after < 5 ? FIL_E_NOMEM : FIL_OK);
    }
    fil_alloc_fail_after(0);
    assert_null(fil_snapshot_new(&dag, "sums", 1, NULL));
    fil_alloc_fail_after(-1);
    fil_free(data);
    fil_snapshot_unref(made);
}

static void check_store(struct fil_snapshot_store *store)
{
    struct fil_snapshot *made = make(NULL);
    struct fil_snapshot *read = NULL;
    assert_int_equal(store->ops->read(store, "sums", &read), FIL_E_NOT_FOUND);
    assert_int_equal(store->ops->write(store, "../sums", made), FIL_E_INVALID);
    assert_int_equal(store->ops->write(store, "sums", made), FIL_OK);
    assert_int_equal(store->ops->write(store, "sums", made), FIL_OK);
    assert_int_equal(store->ops->read(store, "sums", &read), FIL_OK);
    expect_made(read);
    fil_snapshot_unref(read);
    assert_int_equal(store->ops->remove(store, "sums"), FIL_OK);
    assert_int_equal(store->ops->remove(store, "sums"), FIL_OK);
    assert_int_equal(store->ops->read(store, "sums", &read), FIL_E_NOT_FOUND);
    fil_snapshot_unref(made);
}

static void test_stores_give_back_what_they_got(void **state)
{
    (void)state;
    struct fil_snapshot_memory memory;
    fil_snapshot_memory_init(&memory);
    check_store(&memory.base);
    assert_true(fil_list_is_empty(&memory.items));
    fil_snapshot_memory_fini(&memory);
    struct folder folder;
    folder_make(&folder);
    struct fil_snapshot_folder files;
    fil_snapshot_folder_init(&files, fil_env_real(), folder.path);
    check_store(&files.base);
    struct fil_snapshot *read = NULL;
    folder_write(&folder, "bad.snapshot", "no snapshot at all, but long enough to be one of them");
    assert_int_equal(files.base.ops->read(&files.base, "bad", &read), FIL_E_MALFORMED);
    folder_remove(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_bytes_give_the_same_snapshot, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_every_damage_is_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_entries_go_to_their_owners, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_graph_that_does_not_fit_is_refused_with_the_reason,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_spent_budget_makes_the_snapshot_fail, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_refused_memory_is_told_everywhere, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_stores_give_back_what_they_got, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("snapshot", tests, NULL, NULL);
}
