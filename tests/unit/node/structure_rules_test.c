// SPDX-License-Identifier: Apache-2.0
/**
 * Settings by name: without rules the section holds; a whole name wins over patterns, the longest
 * pattern over others; what a rule does not say is as in the section; queues know their order;
 * mistakes are named.
 */
#include "node/structure_rules.h"

#include <string.h>

#include "lib/conf/conf.h"
#include "tests/unit/harness.h"

static struct fil_options options;
static struct fil_conf conf;
static struct fil_structure_rules rules;
static char problem[FIL_OPTION_REASON_MAX + 1];

static int set_up(void **state)
{
    (void)state;
    problem[0] = '\0';
    return fil_conf_init(&conf, &fil_options_table, &options);
}

static int tear_down(void **state)
{
    (void)state;
    fil_conf_fini(&conf);
    return 0;
}

static int read_as(enum fil_structure_kind kind, const char *assignment)
{
    assert_int_equal(fil_conf_set(&conf, assignment, "--set"), FIL_OK);
    return fil_structure_rules_read(&rules, kind, &options, problem);
}

static const struct fil_structure_config *of(const char *name)
{
    return fil_structure_rules_find(&rules, fil_bytes_of(name));
}

static void test_section_holds_without_rules(void **state)
{
    (void)state;
    assert_int_equal(read_as(FIL_STRUCTURE_QUEUE, "queue.items_max=7"), FIL_OK);
    assert_int_equal(of("any")->queue.size_max, 7);
    assert_int_equal(of("any")->queue.empty_ttl_ms, -1);
    assert_null(of("any")->queue.compare);
}

static void test_queues_know_their_attribute(void **state)
{
    (void)state;
    assert_int_equal(read_as(FIL_STRUCTURE_QUEUE,
                             "queue.named=jobs order=descending attribute=job.level; plain "
                             "order=ascending; words attribute=name"),
                     FIL_OK);
    struct fil_bytes low = fil_bytes_of("{\"job\": {\"level\": 2}}");
    struct fil_bytes high = fil_bytes_of("{\"job\": {\"level\": 10}}");
    const struct fil_queue_config *jobs = &of("jobs")->queue;
    assert_true(jobs->compare(jobs->compare_context, high, low) < 0);
    assert_false(of("plain")->order.has_attribute);
    assert_null(of("words")->queue.compare); // in the order of arrival nothing is compared
    assert_int_equal(
        read_as(FIL_STRUCTURE_QUEUE, "queue.named=jobs order=ascending attribute=a..b"),
        FIL_E_CONFIG);
    assert_non_null(strstr(problem, "'jobs' has an attribute that is no path"));
}

static void test_best_name_wins(void **state)
{
    (void)state;
    assert_int_equal(fil_conf_set(&conf, "queue.items_max=7", "--set"), FIL_OK);
    assert_int_equal(read_as(FIL_STRUCTURE_QUEUE,
                             "queue.named=or* items_max=1; orders* items_max=2 empty_ttl=3s; "
                             "orders-x items_max=4; plain"),
                     FIL_OK);
    assert_int_equal(of("ordinary")->queue.size_max, 1);
    assert_int_equal(of("orders-y")->queue.size_max, 2);
    assert_int_equal(of("orders-y")->queue.empty_ttl_ms, 3000);
    assert_int_equal(of("orders-x")->queue.size_max, 4);
    assert_int_equal(of("orders-x")->queue.empty_ttl_ms, -1);
    assert_int_equal(of("plain")->queue.size_max, 7);
    assert_int_equal(of("other")->queue.size_max, 7);
}

static void test_each_kind_has_its_settings(void **state)
{
    (void)state;
    assert_int_equal(
        read_as(FIL_STRUCTURE_MULTIMAP, "multimap.named=history values=list values_max=5"), FIL_OK);
    assert_int_equal(of("history")->multimap.values, FIL_MAP_VALUES_LIST);
    assert_int_equal(of("history")->multimap.value_count_max, 5);
    assert_int_equal(of("other")->multimap.values, FIL_MAP_VALUES_SET);
    assert_int_equal(read_as(FIL_STRUCTURE_RINGBUFFER, "ringbuffer.named=ticks capacity=3 ttl=2s"),
                     FIL_OK);
    assert_int_equal(of("ticks")->ringbuffer.capacity, 3);
    assert_int_equal(of("ticks")->ringbuffer.ttl_ms, 2000);
    assert_int_equal(of("other")->ringbuffer.capacity, 10000);
    assert_int_equal(read_as(FIL_STRUCTURE_LIST, "list.named=few items_max=3"), FIL_OK);
    assert_int_equal(of("few")->list.size_max, 3);
    assert_int_equal(read_as(FIL_STRUCTURE_SET, "set.named=few items_max=4"), FIL_OK);
    assert_int_equal(of("few")->set.size_max, 4);
}

static void test_queues_know_their_order(void **state)
{
    (void)state;
    assert_int_equal(read_as(FIL_STRUCTURE_QUEUE, "queue.named=urgent order=descending"), FIL_OK);
    const struct fil_queue_config *queue = &of("urgent")->queue;
    assert_non_null(queue->compare);
    assert_true(queue->compare(queue->compare_context, fil_bytes_of("b"), fil_bytes_of("a")) < 0);
}

static void test_mistakes_are_named(void **state)
{
    (void)state;
    assert_int_equal(read_as(FIL_STRUCTURE_QUEUE, "queue.named=a*b*"), FIL_E_CONFIG);
    assert_non_null(strstr(problem, "a*b*"));
    assert_int_equal(read_as(FIL_STRUCTURE_QUEUE, "queue.named=a size=3"), FIL_E_CONFIG);
    assert_non_null(strstr(problem, "'size'"));
    assert_int_equal(read_as(FIL_STRUCTURE_QUEUE, "queue.named=a items_max=many"), FIL_E_CONFIG);
    assert_non_null(strstr(problem, "many"));
    assert_int_equal(read_as(FIL_STRUCTURE_QUEUE, "queue.named=a; a"), FIL_E_CONFIG);
    assert_non_null(strstr(problem, "twice"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_section_holds_without_rules, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_queues_know_their_attribute, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_best_name_wins, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_each_kind_has_its_settings, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_queues_know_their_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_mistakes_are_named, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("structure rules", tests, NULL, NULL);
}
