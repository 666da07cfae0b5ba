// SPDX-License-Identifier: Apache-2.0
/**
 * Settings by name, one test a promise: a whole name fits itself only, a pattern what begins and
 * ends like it; a whole name wins over patterns and the longest pattern over the others; rules are
 * read with everything they may say, from the defaults on; what is wrong is refused with a text
 * that names it; limits of the member are shared out to the partitions, rounded up.
 */
#include "grid/map/config.h"

#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "tests/unit/harness.h"

static struct fil_map_rule rules[FIL_MAP_RULES_MAX];
static char problem[256];

static int parse(const char *text)
{
    static const struct fil_map_config defaults = {.ttl_ms = 7, .eviction = FIL_EVICTION_LFU};
    problem[0] = '\0';
    return fil_map_rules_parse(text, &defaults, rules, problem, sizeof(problem));
}

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
    const struct fil_map_rule *rule = fil_map_rule_find(rules, 4, fil_bytes_of(name));
    return rule == NULL ? "" : rule->name;
}

static void test_whole_name_and_longest_pattern_win(void **state)
{
    (void)state;
    assert_int_equal(parse("a*; abc*; abcd; ab*"), 4);
    assert_string_equal(found("abcd"), "abcd");
    assert_string_equal(found("abcx"), "abc*");
    assert_string_equal(found("abx"), "ab*");
    assert_string_equal(found("ax"), "a*");
    assert_string_equal(found("x"), "");
}

static void test_everything_can_be_said(void **state)
{
    (void)state;
    assert_int_equal(parse("none"), 0);
    assert_int_equal(parse(" orders*  ttl=60s max_idle=0 eviction=sieve entries_max=10k "
                           "partition_entries_max=5 bytes_max=64MiB memory_percent_max=50 "
                           "statistics=true journal=1000 ; plain;"),
                     2);
    const struct fil_map_config *config = &rules[0].config;
    assert_string_equal(rules[0].name, "orders*");
    assert_int_equal(config->ttl_ms, 60000);
    assert_int_equal(config->max_idle_ms, 0);
    assert_int_equal(config->eviction, FIL_EVICTION_SIEVE);
    assert_int_equal(config->entry_count_max, 10000);
    assert_int_equal(config->partition_entry_count_max, 5);
    assert_int_equal(config->byte_count_max, 64 << 20);
    assert_int_equal(config->memory_percent_max, 50);
    assert_true(config->has_statistics);
    assert_int_equal(config->journal_capacity, 1000);
    assert_string_equal(rules[1].name, "plain");
    assert_int_equal(rules[1].config.ttl_ms, 7);
    assert_int_equal(rules[1].config.eviction, FIL_EVICTION_LFU);
}

static void assert_refused(const char *text, const char *named)
{
    assert_int_equal(parse(text), FIL_E_CONFIG);
    assert_non_null(strstr(problem, named));
}

static void test_mistakes_are_named(void **state)
{
    (void)state;
    assert_refused("a ttl=5x", "'5x'");
    assert_refused("a ttl=1us", "'1us'");
    assert_refused("a eviction=fifo", "'fifo'");
    assert_refused("a entries_max=many", "'many'");
    assert_refused("a bytes_max=-1", "'-1'");
    assert_refused("a memory_percent_max=101", "'101'");
    assert_refused("a statistics=yes", "'yes'");
    assert_refused("a journal=100M", "'100M'");
    assert_refused("a size=1", "'size'");
    assert_refused("a ttl", "''");
    assert_refused("a*b*", "'a*b*'");
    assert_refused("a; a", "'a' is there twice");
    assert_refused("a;;b", "between two semicolons");
}

static void test_too_many_rules_are_refused(void **state)
{
    (void)state;
    static char text[(FIL_MAP_RULES_MAX + 1) * 8];
    size_t size = 0;
    for (uint32_t i = 0; i <= FIL_MAP_RULES_MAX; i++) {
        size += (size_t)snprintf(text + size, sizeof(text) - size, "m%u;", i);
    }
    assert_refused(text, "more than 64");
}

static void test_limits_are_shared_out(void **state)
{
    (void)state;
    struct fil_map_config config = {.entry_count_max = 10, .byte_count_max = 100};
    struct fil_store_options options = fil_map_config_store(&config, 4);
    assert_int_equal(options.entry_count_max, 3);
    assert_int_equal(options.byte_count_max, 25);
    config.partition_entry_count_max = 2;
    assert_int_equal(fil_map_config_store(&config, 4).entry_count_max, 2);
    config.partition_entry_count_max = 200;
    assert_int_equal(fil_map_config_store(&config, 4).entry_count_max, 3);
    config.entry_count_max = 0;
    assert_int_equal(fil_map_config_store(&config, 4).entry_count_max, 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_and_patterns_fit),
        cmocka_unit_test(test_whole_name_and_longest_pattern_win),
        cmocka_unit_test(test_everything_can_be_said),
        cmocka_unit_test(test_mistakes_are_named),
        cmocka_unit_test(test_too_many_rules_are_refused),
        cmocka_unit_test(test_limits_are_shared_out),
    };
    return cmocka_run_group_tests_name("config", tests, NULL, NULL);
}
