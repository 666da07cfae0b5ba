// SPDX-License-Identifier: Apache-2.0
/**
 * Settings by name, one test a promise: a whole name fits itself only, a pattern what begins and
 * ends like it; a whole name wins over patterns and the longest pattern over the others; limits of
 * the member are shared out to the partitions, rounded up.
 */
#include "grid/map/config.h"

#include <string.h>

#include "tests/unit/harness.h"

static bool fits(const char *pattern, const char *name)
{
    struct fil_map_rule rule = {0};
    memcpy(rule.name, pattern, strlen(pattern));
    return fil_map_rule_fits(&rule, fil_bytes_of(name));
}

static void test_names_and_patterns_fit(void **state)
{
    (void)state;
    assert_true(fits("orders", "orders"));
    assert_false(fits("orders", "orders2"));
    assert_true(fits("orders*", "orders"));
    assert_true(fits("orders*", "orders.eu"));
    assert_false(fits("orders*", "order"));
    assert_true(fits("*", ""));
    assert_true(fits("a*b", "ab"));
    assert_true(fits("a*b", "axb"));
    assert_false(fits("a*b", "a"));
    assert_false(fits("aa*aa", "aaa"));
    assert_true(fits("*tail", "my tail"));
}

static const char *found(const char *name)
{
    static const struct fil_map_rule rules[] = {
        {.name = "a*"}, {.name = "abc*"}, {.name = "abcd"}, {.name = "ab*"}};
    const struct fil_map_rule *rule = fil_map_rule_find(rules, 4, fil_bytes_of(name));
    return rule == NULL ? "" : rule->name;
}

static void test_whole_name_and_longest_pattern_win(void **state)
{
    (void)state;
    assert_string_equal(found("abcd"), "abcd");
    assert_string_equal(found("abcx"), "abc*");
    assert_string_equal(found("abx"), "ab*");
    assert_string_equal(found("ax"), "a*");
    assert_string_equal(found("x"), "");
}

static void test_limits_are_shared_out(void **state)
{
    (void)state;
    struct fil_map_config config = {
        .eviction = FIL_EVICTION_LRU, .entry_count_max = 10, .byte_count_max = 100};
    struct fil_store_options options = fil_map_config_store(&config, 4);
    assert_int_equal(options.entry_count_max, 3);
    assert_int_equal(options.byte_count_max, 25);
    config.partition_entry_count_max = 2;
    assert_int_equal(fil_map_config_store(&config, 4).entry_count_max, 2);
    config.partition_entry_count_max = 200;
    assert_int_equal(fil_map_config_store(&config, 4).entry_count_max, 3);
    config.entry_count_max = 0;
    assert_int_equal(fil_map_config_store(&config, 4).entry_count_max, 200);
    // What evicts nothing is counted by the map, exactly.
    config = (struct fil_map_config){.entry_count_max = 10};
    assert_int_equal(fil_map_config_store(&config, 4).entry_count_max, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_and_patterns_fit),
        cmocka_unit_test(test_whole_name_and_longest_pattern_win),
        cmocka_unit_test(test_limits_are_shared_out),
    };
    return cmocka_run_group_tests_name("config", tests, NULL, NULL);
}
