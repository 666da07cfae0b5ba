// SPDX-License-Identifier: Apache-2.0
/**
 * Entry processors, one test a promise: they are found by name and further ones can be added; those
 * built in do what they say and refuse wrong arguments; a failed one changes nothing; an entry's
 * expiry stays unless the processor sets one; all entries are processed once, in slices; without
 * memory nothing changes at any position.
 */
#include "grid/map/processor.h"

#include "tests/unit/grid/map/map_fixture.h"

static struct fil_map_processors processors;
static char result[64];

static int set_up(void **state)
{
    (void)state;
    open_map_with(&(struct fil_map_config){0});
    fil_map_processors_init(&processors);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    close_map();
    return 0;
}

static int process(const char *name, const char *key, const struct fil_bytes *arguments,
                   uint32_t count)
{
    struct fil_map_key where = place(key);
    struct fil_partition *partition = go_in(&where);
    struct fil_map_buffer buffer;
    bool has_result = false;
    struct fil_map_process process = {.processor = fil_map_processors_find(&processors, text(name)),
                                      .arguments = arguments,
                                      .argument_count = count,
                                      .now_ms = now_ms()};
    fil_map_buffer_init(&buffer);
    int error = fil_map_process_here(map, &where, &process, &buffer, &has_result);
    fil_partition_leave(partition);
    (void)snprintf(result, sizeof(result), "%.*s", has_result ? (int)buffer.size : 1,
                   has_result ? (const char *)fil_map_buffer_bytes(&buffer).data : "-");
    fil_map_buffer_fini(&buffer);
    return error;
}

static int process_one(const char *name, const char *key, const char *argument)
{
    struct fil_bytes arguments[1] = {text(argument)};
    return process(name, key, arguments, 1);
}

static void test_increment_counts(void **state)
{
    (void)state;
    assert_int_equal(process("increment", "a", NULL, 0), FIL_OK);
    assert_string_equal(result, "1");
    assert_int_equal(process_one("increment", "a", "-43"), FIL_OK);
    assert_string_equal(result, "-42");
    assert_value("a", "-42");
    assert_int_equal(process_one("increment", "a", "x"), FIL_E_INVALID);
    put("a", "9223372036854775807");
    assert_int_equal(process("increment", "a", NULL, 0), FIL_E_LIMIT);
    put("a", "no number");
    assert_int_equal(process("increment", "a", NULL, 0), FIL_E_MALFORMED);
    assert_string_equal(result, "-");
    assert_value("a", "no number");
}

static void test_append_appends(void **state)
{
    (void)state;
    assert_int_equal(process_one("append", "a", "ab"), FIL_OK);
    assert_int_equal(process_one("append", "a", "cde"), FIL_OK);
    assert_string_equal(result, "5");
    assert_value("a", "abcde");
    assert_int_equal(process("append", "a", NULL, 0), FIL_E_INVALID);
}

static void test_compare_and_set_compares(void **state)
{
    (void)state;
    struct fil_bytes arguments[3] = {text("1"), text("2"), text("3")};
    assert_int_equal(process("compare-and-set", "a", arguments, 2), FIL_OK);
    assert_string_equal(result, "0");
    assert_value("a", NULL);
    put("a", "1");
    assert_int_equal(process("compare-and-set", "a", arguments, 2), FIL_OK);
    assert_string_equal(result, "1");
    assert_value("a", "2");
    assert_int_equal(process("compare-and-set", "a", arguments, 2), FIL_OK);
    assert_string_equal(result, "0");
    assert_int_equal(process("compare-and-set", "a", arguments + 1, 1), FIL_OK);
    assert_value("a", NULL);
    assert_int_equal(process("compare-and-set", "a", arguments, 3), FIL_E_INVALID);
}

static void test_json_merge_merges(void **state)
{
    (void)state;
    assert_int_equal(process_one("json-merge", "a", "{\"x\":1,\"y\":null}"), FIL_OK);
    assert_string_equal(result, "{\"x\":1}");
    assert_int_equal(process_one("json-merge", "a", "{\"z\":[2]}"), FIL_OK);
    assert_value("a", "{\"x\":1,\"z\":[2]}");
    assert_int_equal(process_one("json-merge", "a", "{"), FIL_E_MALFORMED);
    assert_int_equal(process("json-merge", "a", NULL, 0), FIL_E_INVALID);
    assert_value("a", "{\"x\":1,\"z\":[2]}");
}

static void test_expiry_stays(void **state)
{
    (void)state;
    put_for("a", "1", 1000);
    pass_ms(900);
    assert_int_equal(process("increment", "a", NULL, 0), FIL_OK);
    assert_value("a", "2");
    pass_ms(100);
    assert_value("a", NULL);
}

/** Writes its key, to live for a second. */
static int write_key(struct fil_map_processing *processing, void *context)
{
    uint32_t *calls = context;
    (*calls)++;
    fil_map_buffer_add(&processing->value, processing->key);
    processing->verdict = FIL_MAP_WRITE;
    processing->has_ttl = true;
    processing->ttl_ms = 1000;
    return FIL_OK;
}

static void test_further_ones_can_be_added(void **state)
{
    (void)state;
    uint32_t calls = 0;
    struct fil_map_processor own = {"write-key", write_key, &calls};
    assert_null(fil_map_processors_find(&processors, text("write-key")));
    assert_int_equal(fil_map_processors_add(&processors, &own), FIL_OK);
    assert_int_equal(fil_map_processors_add(&processors, &own), FIL_E_EXISTS);
    put("a", "1");
    assert_int_equal(process("write-key", "a", NULL, 0), FIL_OK);
    assert_string_equal(result, "-");
    assert_int_equal(calls, 1);
    assert_value("a", "a");
    pass_ms(1000);
    assert_value("a", NULL);
    static char names[FIL_PROCESSORS_MAX][8];
    int error = FIL_OK;
    uint32_t count = processors.count;
    for (; error == FIL_OK; count++) {
        (void)snprintf(names[count % FIL_PROCESSORS_MAX], sizeof(names[0]), "p%u", count);
        own.name = names[count % FIL_PROCESSORS_MAX];
        error = fil_map_processors_add(&processors, &own);
    }
    assert_int_equal(error, FIL_E_LIMIT);
    assert_int_equal(processors.count, FIL_PROCESSORS_MAX);
}

static uint32_t processed_count;
static bool is_finished;

static void note_processed(void *context, struct fil_bytes key, int error, bool has_result,
                           struct fil_bytes bytes)
{
    assert_ptr_equal(context, &processed_count);
    assert_true(key.size > 0);
    assert_true(error == FIL_OK || error == FIL_E_MALFORMED);
    assert_int_equal(has_result, error == FIL_OK);
    assert_true(!has_result || bytes.size > 0);
    processed_count++;
}

static void finish(struct fil_map_walk *walk, struct fil_runner *runner)
{
    (void)walk;
    (void)runner;
    is_finished = true;
}

static void test_all_entries_are_processed_once(void **state)
{
    (void)state;
    fil_role_assert_partition();
    char key[16];
    for (uint32_t i = 0; i < 1000; i++) {
        (void)snprintf(key, sizeof(key), "k%u", i);
        put(key, "5");
    }
    put("other", "text");
    struct fil_map_process_walk walk = {
        .process = {.processor = fil_map_processors_find(&processors, text("increment"))},
        .processed = note_processed,
        .context = &processed_count};
    processed_count = 0;
    is_finished = false;
    fil_map_walk_process(&walk, map);
    fil_map_walk_start(&walk.walk, finish, NULL, &kernel.runner);
    (void)settle();
    assert_true(is_finished);
    assert_int_equal(walk.walk.error, FIL_OK);
    assert_int_equal(walk.walk.count, 1001);
    assert_int_equal(processed_count, 1001);
    for (uint32_t i = 0; i < 1000; i++) {
        (void)snprintf(key, sizeof(key), "k%u", i);
        assert_value(key, "6");
    }
    assert_value("other", "text");
}

static void test_without_memory_nothing_changes(void **state)
{
    (void)state;
    put("a", "1");
    int error = FIL_E_NOMEM;
    int64_t position = 0;
    for (; error != FIL_OK; position++) {
        assert_int_equal(error, FIL_E_NOMEM);
        assert_value("a", "1");
        fil_alloc_fail_after(position);
        error = process_one("append", "a", "23");
        fil_alloc_fail_after(-1);
    }
    assert_true(position > 2);
    assert_value("a", "123");
}

int main(void)
{
    fil_role_enter(&fil_role_partition);
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(increment_counts),
        TEST(append_appends),
        TEST(compare_and_set_compares),
        TEST(json_merge_merges),
        TEST(expiry_stays),
        TEST(further_ones_can_be_added),
        TEST(all_entries_are_processed_once),
        TEST(without_memory_nothing_changes),
    };
#undef TEST
    return cmocka_run_group_tests_name("processor", tests, NULL, NULL);
}
