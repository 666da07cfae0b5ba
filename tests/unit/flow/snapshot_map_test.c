// SPDX-License-Identifier: Apache-2.0
/**
 * Snapshots in a map: what goes in comes out, also when it has many pieces; a write replaces the
 * one before and leaves nothing of it; after a remove there is nothing left; a piece that somebody
 * took away is found; refused memory leaves the old snapshot; the names of all are told, also when
 * somebody has spoilt their entry.
 */
#include "flow/snapshot_map.h"

#include <stdio.h>

#include "core/stream/sources.h"
#include "grid/map/entry.h"
#include "lib/base/alloc.h"
#include "tests/unit/flow/world.h"

#define LARGE 100000U // bytes of an entry: some pieces

static struct world world;
static struct fil_snapshot_map store;
static struct fil_generator_config generator;
static struct fil_dag dag;
static char value[LARGE];

static int set_up(void **state)
{
    (void)state;
    world_open(&world, true);
    fil_snapshot_map_init(&store, world.exec, world.maps);
    fil_dag_init(&dag);
    fil_dag_add_vertex(&dag, "numbers", &fil_generator_ops, &generator, 1);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_dag_fini(&dag);
    fil_snapshot_map_fini(&store);
    world_close(&world);
    return 0;
}

/** A snapshot with one entry of that many bytes, all of them its number. */
static struct fil_snapshot *make(int64_t id, size_t size)
{
    struct fil_snapshot *snapshot = fil_snapshot_new(&dag, "sums", id, NULL);
    assert_non_null(snapshot);
    memset(value, (int)id, size);
    const struct fil_state_entry entry = {.scope = FIL_STATE_SHARD,
                                          .key = fil_bytes_of("place"),
                                          .value = fil_bytes_make(value, size)};
    fil_snapshot_put(snapshot, 0, &entry);
    return snapshot;
}

static int write(const char *name, int64_t id, size_t size)
{
    struct fil_snapshot *snapshot = make(id, size);
    int error = store.base.ops->write(&store.base, name, snapshot);
    fil_snapshot_unref(snapshot);
    return error;
}

/** The number of the snapshot of that name, whole and with an entry of that size; else an error. */
static int64_t read_id(const char *name, size_t size)
{
    struct fil_snapshot *snapshot = NULL;
    int error = store.base.ops->read(&store.base, name, &snapshot);
    if (error != FIL_OK) {
        return error;
    }
    struct fil_snapshot_cursor cursor = {.part = &snapshot->parts[0]};
    struct fil_state_entry entry;
    int64_t id = snapshot->id;
    memset(value, (int)id, size);
    bool is_whole = fil_snapshot_next(&cursor, &entry) && entry.value.size == size &&
                    memcmp(entry.value.data, value, size) == 0;
    fil_snapshot_unref(snapshot);
    return is_whole ? id : FIL_E_MALFORMED;
}

static uint64_t entry_count(void)
{
    struct fil_map *map = world_map(&world, FIL_SNAPSHOT_MAP_NAME);
    uint64_t count = 0;
    for (uint32_t i = 0; i < map->partition_count; i++) {
        count += fil_counter_read(&map->shards[i].counters.entries);
    }
    return count;
}

static void test_write_replaces_and_remove_leaves_nothing(void **state)
{
    (void)state;
    assert_int_equal(read_id("job", 10), FIL_E_NOT_FOUND);
    assert_int_equal(write("job", 1, LARGE), FIL_OK);
    assert_int_equal(write("other", 2, 10), FIL_OK);
    assert_int_equal(read_id("job", LARGE), 1);
    assert_int_equal(entry_count(), 4 + 1 + 1 + 1 + 1); // pieces, heads and names
    assert_int_equal(write("job", 3, 100), FIL_OK);
    assert_int_equal(read_id("job", 100), 3);
    assert_int_equal(read_id("other", 10), 2);
    assert_int_equal(entry_count(), 5);
    assert_int_equal(store.base.ops->remove(&store.base, "job"), FIL_OK);
    assert_int_equal(store.base.ops->remove(&store.base, "job"), FIL_OK);
    assert_int_equal(read_id("job", 100), FIL_E_NOT_FOUND);
    assert_int_equal(store.base.ops->remove(&store.base, "other"), FIL_OK);
    assert_int_equal(entry_count(), 0);
}

static char told[64];

static bool tell_name(void *context, const char *name)
{
    (void)context;
    (void)snprintf(told + strlen(told), sizeof(told) - strlen(told), "%s ", name);
    return strcmp(name, "b") != 0;
}

static const char *list_names(void)
{
    told[0] = '\0';
    assert_int_equal(store.base.ops->list(&store.base, tell_name, NULL), FIL_OK);
    return told;
}

static void test_names_are_told(void **state)
{
    (void)state;
    assert_string_equal(list_names(), "");
    assert_int_equal(write("a", 1, 10), FIL_OK);
    assert_int_equal(write("ab", 1, LARGE), FIL_OK);
    assert_int_equal(write("a", 2, 10), FIL_OK);
    assert_string_equal(list_names(), "a ab ");
    assert_int_equal(write("b", 1, 10), FIL_OK);
    assert_int_equal(write("c", 1, 10), FIL_OK);
    assert_string_equal(list_names(), "a ab b "); // enough
    assert_int_equal(store.base.ops->remove(&store.base, "a"), FIL_OK);
    assert_int_equal(store.base.ops->remove(&store.base, "b"), FIL_OK);
    assert_string_equal(list_names(), "ab c ");
}

/** Writes nonsense, as a client could. */
static enum fil_op_outcome run_spoil(struct fil_op *op, struct fil_partition *partition)
{
    struct fil_map *map = world_map(&world, FIL_SNAPSHOT_MAP_NAME);
    struct fil_map_key key = fil_map_place(map, fil_bytes_of("/names"));
    const struct fil_map_times times =
        fil_map_times_default(fil_map_now_ms(map, partition->runner->now_ns));
    op->error = fil_map_set_here(map, &key, fil_bytes_of("x\ny"), &times);
    return FIL_OP_DONE;
}

static void test_wrong_names_are_refused(void **state)
{
    (void)state;
    assert_int_equal(write("a/1", 1, 10), FIL_E_INVALID);
    assert_int_equal(read_id("a/1", 10), FIL_E_NOT_FOUND);
    assert_int_equal(store.base.ops->remove(&store.base, "a/1"), FIL_OK);
}

/** Takes an entry away, as a client could. */
static enum fil_op_outcome run_delete(struct fil_op *op, struct fil_partition *partition)
{
    struct fil_map *map = world_map(&world, FIL_SNAPSHOT_MAP_NAME);
    struct fil_map_key key = fil_map_place(map, fil_bytes_of("job/1/2"));
    uint64_t now_ms = fil_map_now_ms(map, partition->runner->now_ns);
    op->error = fil_map_delete_here(map, &key, now_ms) ? FIL_OK : FIL_E_NOT_FOUND;
    return FIL_OP_DONE;
}

static _Atomic uint32_t is_deleted;

static void tell(struct fil_op *op, struct fil_runner *runner)
{
    (void)op;
    (void)runner;
    atomic_store(&is_deleted, 1);
}

static void test_missing_piece_is_found(void **state)
{
    (void)state;
    static const struct fil_op_type type = {.name = "delete", .run = run_delete, .complete = tell};
    assert_int_equal(write("job", 1, LARGE), FIL_OK);
    struct fil_map *map = world_map(&world, FIL_SNAPSHOT_MAP_NAME);
    struct fil_map_key key = fil_map_place(map, fil_bytes_of("job/1/2"));
    struct fil_op op;
    atomic_store(&is_deleted, 0);
    fil_op_init(&op, &type, key.partition_id);
    fil_exec_submit(world.exec, &op, store.runner);
    while (atomic_load(&is_deleted) == 0) {
    }
    assert_int_equal(op.error, FIL_OK);
    assert_int_equal(read_id("job", LARGE), FIL_E_MALFORMED);
    assert_int_equal(write("job", 2, 50), FIL_OK);
    assert_int_equal(read_id("job", 50), 2);
}

static void test_spoilt_names_do_no_harm(void **state)
{
    (void)state;
    static const struct fil_op_type type = {.name = "spoil", .run = run_spoil, .complete = tell};
    assert_int_equal(write("job", 1, 10), FIL_OK);
    struct fil_map *map = world_map(&world, FIL_SNAPSHOT_MAP_NAME);
    struct fil_map_key key = fil_map_place(map, fil_bytes_of("/names"));
    struct fil_op op;
    atomic_store(&is_deleted, 0);
    fil_op_init(&op, &type, key.partition_id);
    fil_exec_submit(world.exec, &op, store.runner);
    while (atomic_load(&is_deleted) == 0) {
    }
    assert_int_equal(op.error, FIL_OK);
    assert_string_equal(list_names(), "x ");
    assert_int_equal(write("z", 1, 10), FIL_OK);
    assert_string_equal(list_names(), "x z ");
}

static void test_refused_memory_leaves_the_old_snapshot(void **state)
{
    (void)state;
    assert_int_equal(write("job", 1, LARGE), FIL_OK);
    struct fil_snapshot *snapshot = make(2, LARGE);
    int error = FIL_E_NOMEM;
    uint32_t refused = 0;
    for (int64_t after = 0; error != FIL_OK && after < 100; after++) {
        fil_alloc_fail_after(after);
        error = store.base.ops->write(&store.base, "job", snapshot);
        fil_alloc_fail_after(-1);
        refused += error != FIL_OK;
        assert_int_equal(read_id("job", LARGE), error == FIL_OK ? 2 : 1);
    }
    assert_int_equal(error, FIL_OK);
    assert_true(refused > 0);
    assert_int_equal(entry_count(), 6);
    fil_snapshot_unref(snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_write_replaces_and_remove_leaves_nothing, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_names_are_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_spoilt_names_do_no_harm, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_wrong_names_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_missing_piece_is_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_refused_memory_leaves_the_old_snapshot, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests_name("snapshot map", tests, NULL, NULL);
}
