// SPDX-License-Identifier: Apache-2.0
/**
 * The lab's settings: each can be found by its name, groups stay together, every option is one that
 * a member takes, the defaults set nothing and the textbook turns all five switches off.
 */
#include "apps/filbert/lab/setting.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/conf/conf.h"
#include "node/options.h"
#include "tests/unit/harness.h"

static const struct lab_setting_cpus cpus = {.first = 2, .last = 7};

static void test_each_is_found_by_its_name(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < lab_setting_count(); i++) {
        const struct lab_setting *setting = lab_setting_at(i);
        assert_ptr_equal(lab_setting_find(fil_bytes_of(setting->name)), setting);
        assert_non_null(setting->title);
    }
    assert_null(lab_setting_find(fil_bytes_of("default")));
}

static void test_groups_stay_together(void **state)
{
    (void)state;
    uint32_t changes = 0;
    uint32_t groups = 0;
    for (uint32_t i = 0; i < lab_setting_count(); i++) {
        const char *group = lab_setting_at(i)->group;
        changes += i == 0 || lab_setting_at(i - 1)->group != group;
        bool is_new = true;
        for (uint32_t j = 0; j < i; j++) {
            is_new &= lab_setting_at(j)->group != group;
        }
        groups += is_new;
    }
    assert_int_equal(changes, groups);
    assert_true(groups > 1);
}

static void apply(const struct lab_setting *setting, struct fil_options *out_options)
{
    struct fil_conf conf;
    char text[128];
    const char *rest = setting->options;
    assert_int_equal(fil_conf_init(&conf, &fil_options_table, out_options), FIL_OK);
    while (lab_setting_next_option(&rest, cpus, text, sizeof(text))) {
        assert_int_equal(fil_conf_set(&conf, text, "test"), FIL_OK);
    }
    assert_int_equal(fil_conf_check(&conf), FIL_OK);
    fil_conf_fini(&conf);
}

static void test_options_are_ordinary_ones(void **state)
{
    (void)state;
    struct fil_options options;
    for (uint32_t i = 0; i < lab_setting_count(); i++) {
        apply(lab_setting_at(i), &options);
        if (lab_setting_at(i)->kind != LAB_KIND_KERNEL) {
            assert_string_equal(lab_setting_at(i)->options, "");
        }
    }
}

static uint32_t count_switches(const char *name)
{
    struct fil_options options;
    apply(lab_setting_find(fil_bytes_of(name)), &options);
    return (uint32_t)options.partition.caller_runs + options.partition.stealing +
           options.partition.batching + options.partition.wake_suppression +
           options.partition.write_through;
}

static void test_ladder_turns_on_one_switch_after_the_other(void **state)
{
    (void)state;
    assert_int_equal(count_switches("textbook"), 0);
    assert_int_equal(count_switches("plus_wake_suppression"), 1);
    assert_int_equal(count_switches("plus_batching"), 2);
    assert_int_equal(count_switches("plus_write_through"), 3);
    assert_int_equal(count_switches("plus_stealing"), 4);
    assert_int_equal(count_switches("defaults"), 5);
    assert_int_equal(count_switches("no_stealing"), 4);
}

static void test_options_are_cut_at_blanks_and_cpus_filled_in(void **state)
{
    (void)state;
    const char *rest = "  a=1 b=@last c.d=@first e=@firsts ";
    char text[16];
    assert_true(lab_setting_next_option(&rest, cpus, text, sizeof(text)));
    assert_string_equal(text, "a=1");
    assert_true(lab_setting_next_option(&rest, cpus, text, sizeof(text)));
    assert_string_equal(text, "b=7");
    assert_true(lab_setting_next_option(&rest, cpus, text, sizeof(text)));
    assert_string_equal(text, "c.d=2");
    assert_true(lab_setting_next_option(&rest, cpus, text, sizeof(text)));
    assert_string_equal(text, "e=@firsts");
    assert_false(lab_setting_next_option(&rest, cpus, text, sizeof(text)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_is_found_by_its_name),
        cmocka_unit_test(test_groups_stay_together),
        cmocka_unit_test(test_options_are_ordinary_ones),
        cmocka_unit_test(test_ladder_turns_on_one_switch_after_the_other),
        cmocka_unit_test(test_options_are_cut_at_blanks_and_cpus_filled_in),
    };
    return cmocka_run_group_tests_name("setting", tests, NULL, NULL);
}
