// SPDX-License-Identifier: Apache-2.0
/**
 * The environment's contract, one test a promise:
 * variables with the prefix set options, others are nobody's business, one with the prefix that is
 * nearly an option is a mistake with a suggestion, any other is counted, names are taken literally.
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

static void test_misspelt_variables_are_mistakes(void **state)
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
    assert_message("SAMPLE_ROOM__WINDOWS=5",
                   "environment SAMPLE_ROOM__WINDOWS: no option has this name: "
                   "unset it, or correct it; see the sample");
    assert_int_equal(conf.ignored_count, 0);
}

static void test_variables_of_others_are_counted_and_the_first_is_named(void **state)
{
    (void)state;
    // A section is near, but a section is no variable; a seat is near, but others set it.
    const char *const entries[] = {"SAMPLE_WINDOW=5", "SAMPLE_ROOM=5", "SAMPLE_=5",
                                   "SAMPLE_ROOM_SEAT_HOST=5", NULL};
    assert_int_equal(fil_conf_load_environment(&conf, entries), FIL_OK);
    assert_int_equal(fil_conf_message_count(&conf), 0);
    assert_int_equal(conf.ignored_count, 4);
    assert_string_equal(conf.ignored, "SAMPLE_WINDOW");
    assert_message("SAMPLE_ROOM_SEAT=5", "environment SAMPLE_ROOM_SEAT: no option has this name: "
                                         "did you mean SAMPLE_ROOM__SEATS?");
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
    const char *const entries[] = {"SAMPLE_TITEL=1", "SAMPLE_TITLE=set", "SAMPLE_DOOR=no", NULL};
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
    assert_int_equal(fil_conf_load_environment(&conf, entries), FIL_OK);
    assert_non_null(strstr(conf.ignored, "YYY..."));
    memcpy(entry, "SAMPLE__", strlen("SAMPLE__"));
    assert_int_equal(fil_conf_load_environment(&conf, entries), FIL_E_CONFIG);
    assert_non_null(strstr(fil_conf_message(&conf, 0), "YYY...: no option has this name"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_variables_with_the_prefix_set_options),
        TEST(test_other_variables_are_left_alone),
        TEST(test_misspelt_variables_are_mistakes),
        TEST(test_variables_of_others_are_counted_and_the_first_is_named),
        TEST(test_wrong_values_name_the_variable),
        TEST(test_all_mistakes_are_collected_and_the_rest_is_set),
        TEST(test_endless_names_are_cut),
    };
    return cmocka_run_group_tests_name("environment", tests, NULL, NULL);
}
