// SPDX-License-Identifier: Apache-2.0
/**
 * The environment's contract, one test a promise:
 * variables with the prefix set options, others are nobody's business, an unknown one with the
 * prefix is a mistake with a suggestion, names are taken literally.
 */
#include <string.h>

#include "lib/conf/conf.h"
#include "tests/unit/harness.h"
#include "tests/unit/lib/conf/sample.h"

static struct sample sample;
static struct fil_conf conf;

static int set_up(void **state)
{
    (void)state;
    return fil_conf_init(&conf, &sample_table, &sample);
}

static int tear_down(void **state)
{
    (void)state;
    fil_conf_fini(&conf);
    return 0;
}

static void test_variables_with_the_prefix_set_options(void **state)
{
    (void)state;
    const char *const entries[] = {"HOME=/root",
                                   "SAMPLE_TITLE=a=b",
                                   "SAMPLE_ROOM__OPEN=false",
                                   "SAMPLE_ROOM__KITCHEN__BREW_TIME=2s",
                                   "SAMPLE_DOOR=[::1]:8080",
                                   NULL};
    assert_int_equal(fil_conf_load_environment(&conf, entries), FIL_OK);
    assert_string_equal(sample.title, "a=b");
    assert_false(sample.room.is_open);
    assert_int_equal(sample.room.kitchen.brew_ns, 2000000000);
    assert_true(sample.door.is_ipv6);
    assert_int_equal(sample.room.seats, 4);
}

static void test_other_variables_are_left_alone(void **state)
{
    (void)state;
    const char *const entries[] = {"SAMPLE=1",
                                   "SAMPLER_TITLE=x",
                                   "sample_title=x",
                                   "SAMPLE_FILE=x",
                                   "SAMPLE_NOTHING",
                                   "=x",
                                   "",
                                   NULL};
    assert_int_equal(fil_conf_load_environment(&conf, entries), FIL_OK);
    assert_int_equal(fil_conf_message_count(&conf), 0);
    assert_string_equal(sample.title, "sample");
}

static void assert_message(const char *entry, const char *expected)
{
    const char *const entries[] = {entry, NULL};
    size_t count = fil_conf_message_count(&conf);
    assert_int_equal(fil_conf_load_environment(&conf, entries), FIL_E_CONFIG);
    assert_int_equal(fil_conf_message_count(&conf), count + 1);
    assert_string_equal(fil_conf_message(&conf, count), expected);
}

static void test_unknown_variables_are_mistakes(void **state)
{
    (void)state;
    assert_message("SAMPLE_ROOM_SEATS=5", "environment SAMPLE_ROOM_SEATS: no option has this name: "
                                          "did you mean SAMPLE_ROOM__SEATS?");
    assert_message("SAMPLE_SEATS=5", "environment SAMPLE_SEATS: no option has this name: "
                                     "did you mean SAMPLE_ROOM__SEATS?");
    assert_message("SAMPLE_KITCHEN__CUP=5",
                   "environment SAMPLE_KITCHEN__CUP: no option has this name: "
                   "did you mean SAMPLE_ROOM__KITCHEN__CUP?");
    assert_message("SAMPLE_room__seats=5",
                   "environment SAMPLE_room__seats: no option has this name: "
                   "did you mean SAMPLE_ROOM__SEATS?");
    assert_message("SAMPLE_WINDOW=5", "environment SAMPLE_WINDOW: no option has this name: "
                                      "unset it, or correct it; see the sample");
    // A section is near, but a section is no variable.
    assert_message("SAMPLE_ROOM=5", "environment SAMPLE_ROOM: no option has this name: "
                                    "unset it, or correct it; see the sample");
    assert_message("SAMPLE_=5", "environment SAMPLE_: no option has this name: "
                                "unset it, or correct it; see the sample");
}

static void test_wrong_values_name_the_variable(void **state)
{
    (void)state;
    assert_message("SAMPLE_ROOM__SEATS=", "environment SAMPLE_ROOM__SEATS: 'room.seats' takes a "
                                          "whole number, not '': write -5 to 100");
    assert_message("SAMPLE_TITLE=\xFF", "environment SAMPLE_TITLE: 'title' is not valid UTF-8 at "
                                        "byte 1: write it in UTF-8");
}

static void test_all_mistakes_are_collected_and_the_rest_is_set(void **state)
{
    (void)state;
    const char *const entries[] = {"SAMPLE_WINDOW=1", "SAMPLE_TITLE=set", "SAMPLE_DOOR=no", NULL};
    assert_int_equal(fil_conf_load_environment(&conf, entries), FIL_E_CONFIG);
    assert_int_equal(fil_conf_message_count(&conf), 2);
    assert_string_equal(sample.title, "set");
}

static void test_endless_names_are_cut(void **state)
{
    (void)state;
    static char entry[100000];
    memset(entry, 'Y', sizeof(entry) - 1);
    memcpy(entry, "SAMPLE_", strlen("SAMPLE_"));
    entry[sizeof(entry) - 3] = '=';
    const char *const entries[] = {entry, NULL};
    assert_int_equal(fil_conf_load_environment(&conf, entries), FIL_E_CONFIG);
    assert_non_null(strstr(fil_conf_message(&conf, 0), "YYY...: no option has this name"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_variables_with_the_prefix_set_options),
        TEST(test_other_variables_are_left_alone),
        TEST(test_unknown_variables_are_mistakes),
        TEST(test_wrong_values_name_the_variable),
        TEST(test_all_mistakes_are_collected_and_the_rest_is_set),
        TEST(test_endless_names_are_cut),
    };
    return cmocka_run_group_tests_name("environment", tests, NULL, NULL);
}
