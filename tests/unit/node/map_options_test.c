// SPDX-License-Identifier: Apache-2.0
/**
 * What map.named means, one test a promise: rules are read with everything they may say, from the
 * section's options on; what is wrong is refused with a text that names it.
 */
#include "node/map_options.h"

#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/conf/conf.h"
#include "tests/unit/harness.h"

static struct fil_conf conf;
static struct fil_options options;
static struct fil_map_rule rules[FIL_MAP_RULES_MAX];
static char problem[FIL_OPTION_REASON_MAX + 1];

static int set_up(void **state)
{
    (void)state;
    if (fil_conf_init(&conf, &fil_options_table, &options) != FIL_OK) {
        return -1;
    }
    options.map.ttl_ns = 7000000;
    options.map.eviction = FIL_EVICTION_LFU;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_conf_fini(&conf);
    return 0;
}

static int parse(const char *text)
{
    (void)snprintf(options.map.named, sizeof(options.map.named), "%s", text);
    problem[0] = '\0';
    return fil_map_options_rules(&options, rules, problem);
}

static void test_everything_can_be_said(void **state)
{
    (void)state;
    assert_int_equal(parse("none"), 0);
    assert_int_equal(parse(" orders*  ttl=60s max_idle=0 eviction=sieve entries_max=10000 "
                           "partition_entries_max=5 bytes_max=64MiB memory_percent_max=50 "
                           "statistics=true journal=1000 indexes=age,hash:a.b ; plain;"),
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
    assert_string_equal(config->indexes, "age,hash:a.b");
    assert_string_equal(rules[1].config.indexes, "");
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
    assert_refused("a ttl=5x", "5x");
    assert_refused("a ttl=1us", "'1us'");
    assert_refused("a eviction=fifo", "'fifo'");
    assert_refused("a indexes=x[any]", "'x[any]'");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everything_can_be_said),
        cmocka_unit_test(test_mistakes_are_named),
        cmocka_unit_test(test_too_many_rules_are_refused),
    };
    return cmocka_run_group_tests_name("map_options", tests, set_up, tear_down);
}
