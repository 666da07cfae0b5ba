// SPDX-License-Identifier: Apache-2.0
/**
 * Processors of structures under adversarial schedules: refused output, single records, restores
 * between any two of them. Operations run in place, so that every schedule can be compared.
 */
#include <stdio.h>
#include <string.h>

#include "grid/map/entry.h"
#include "lib/base/alloc.h"
#include "tests/unit/core/stream/processor_kit.h"
#include "tests/unit/flow/world.h"

#define COUNT 300U

struct row {
    int64_t id;
    int64_t value;
};

static const struct fil_field fields[] = {FIL_I64(struct row, id), FIL_I64(struct row, value)};
static const struct fil_type type = FIL_TYPE(struct row, fields);
static struct world world;
static struct row rows[COUNT];

static int set_up(void **state)
{
    (void)state;
    world_open(&world, false);
    for (uint32_t i = 0; i < COUNT; i++) {
        rows[i] = (struct row){.id = i % 100, .value = i};
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    world_close(&world);
    return 0;
}

static struct fil_connection connect(enum fil_connection_kind kind, const char *name)
{
    bool has_key = kind == FIL_CONNECTION_WRITE_MAP || kind == FIL_CONNECTION_LOOKUP ||
                   kind == FIL_CONNECTION_READ_MAP;
    struct fil_connection connection = {.kind = kind,
                                        .name = name,
                                        .key = has_key ? &fields[0] : NULL,
                                        .value_type = type,
                                        .record_size = sizeof(struct row),
                                        .grid = &world.grid};
    if (has_key) {
        connection.value_type.fields = &fields[1];
        connection.value_type.field_count = 1;
    }
    return connection;
}

static void put(const char *name, const char *key, const char *value)
{
    struct fil_map *map = world_map(&world, name);
    struct fil_runner runner;
    fil_runner_init(&runner, world.exec, "test");
    struct fil_map_key placed = fil_map_place(map, fil_bytes_of(key));
    struct fil_partition *partition = fil_exec_partition(world.exec, placed.partition_id);
    const struct fil_map_times times = fil_map_times_default(1);
    assert_true(fil_partition_enter(partition, &runner));
    assert_int_equal(fil_map_set_here(map, &placed, fil_bytes_of(value), &times), FIL_OK);
    fil_partition_leave(partition);
}

static void check_map(void)
{
    struct fil_map *map = world_map(&world, "sunk");
    assert_int_equal(fil_map_size(map), 100);
}

static void test_map_sink_under_all_schedules(void **state)
{
    (void)state;
    const struct fil_connection connection = connect(FIL_CONNECTION_WRITE_MAP, "sunk");
    const struct kit_case each = {.ops = &fil_map_sink_ops,
                                  .config = &connection,
                                  .in_stride = sizeof(struct row),
                                  .records = rows,
                                  .count = COUNT};
    struct kit_output output;
    kit_output_init(&output, 8);
    kit_check(&each, &output, NULL, check_map);
    kit_output_fini(&output);
    assert_int_equal(fil_map_size(world_map(&world, "sunk")), 100);
}

static uint64_t listed_before;

static void count_before(void)
{
    struct fil_container *list = world_container(&world, &fil_list_type, "sunk");
    listed_before = fil_counter_read(&list->counters.items);
}

static void check_list(void)
{
    struct fil_container *list = world_container(&world, &fil_list_type, "sunk");
    assert_int_equal(fil_counter_read(&list->counters.items), listed_before + COUNT);
}

static void test_item_sink_under_all_schedules(void **state)
{
    (void)state;
    const struct fil_connection connection = connect(FIL_CONNECTION_WRITE_LIST, "sunk");
    const struct kit_case each = {.ops = &fil_item_sink_ops,
                                  .config = &connection,
                                  .in_stride = sizeof(struct row),
                                  .records = rows,
                                  .count = COUNT};
    struct kit_output output;
    kit_output_init(&output, 8);
    kit_check(&each, &output, count_before, check_list);
    kit_output_fini(&output);
    assert_true(listed_before > 0);
}

static bool join(void *context, const void *record, const void *partner, void *out_record)
{
    (void)context;
    struct row out;
    memcpy(&out, record, sizeof(out));
    if (partner != NULL) {
        struct row found;
        memcpy(&found, partner, sizeof(found));
        out.value += found.value;
    }
    memcpy(out_record, &out, sizeof(out));
    return out.id % 2 == 0;
}

static void test_lookup_under_all_schedules(void **state)
{
    (void)state;
    struct fil_connection connection = connect(FIL_CONNECTION_LOOKUP, "partners");
    connection.join = join;
    connection.partner_size = sizeof(struct row);
    connection.out_size = sizeof(struct row);
    connection.concurrency = 8;
    put("partners", "4", "1000");
    put("partners", "5", "2000");
    const struct kit_case each = {.ops = &fil_lookup_ops,
                                  .config = &connection,
                                  .in_stride = sizeof(struct row),
                                  .out_stride = sizeof(struct row),
                                  .records = rows,
                                  .count = COUNT};
    struct kit_output output;
    kit_output_init(&output, sizeof(struct row));
    kit_check(&each, &output, NULL, NULL);
    assert_int_equal(output.count, COUNT / 2);
    struct row third;
    memcpy(&third, output.records + 2 * sizeof(third), sizeof(third));
    assert_int_equal(third.id, 4);
    assert_int_equal(third.value, 1004);
    kit_output_fini(&output);
}

static void test_map_source_under_all_schedules(void **state)
{
    (void)state;
    const struct fil_connection connection = connect(FIL_CONNECTION_READ_MAP, "read");
    for (uint32_t i = 0; i < 200; i++) {
        char key[16];
        (void)snprintf(key, sizeof(key), "%u", i);
        put("read", key, "7");
    }
    const struct kit_case each = {
        .ops = &fil_map_source_ops, .config = &connection, .out_stride = sizeof(struct row)};
    struct kit_output output;
    kit_output_init(&output, sizeof(struct row));
    kit_check(&each, &output, NULL, NULL);
    assert_int_equal(output.count, 200);
    kit_output_fini(&output);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_map_sink_under_all_schedules, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_item_sink_under_all_schedules, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_lookup_under_all_schedules, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_map_source_under_all_schedules, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("flow_kit", tests, NULL, NULL);
}
