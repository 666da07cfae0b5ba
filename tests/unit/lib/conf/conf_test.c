// SPDX-License-Identifier: Apache-2.0
/**
 * The configuration's contract, one test a promise:
 * it starts with the defaults, the later source wins and is remembered as the origin, a mistake
 * leaves the value alone and becomes a message, messages are bounded, the product's check is heard,
 * only reloadable options change at run time, and without memory nothing starts.
 */
#include "lib/conf/conf.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/alloc.h"
#include "lib/os/env.h"
#include "tests/unit/harness.h"
#include "tests/unit/lib/conf/sample.h"

static struct sample sample;
static struct fil_conf conf;

static int set_up(void **state)
{
    (void)state;
    memset(&sample, 0x5A, sizeof(sample));
    return fil_conf_init(&conf, &sample_table, &sample);
}

static int tear_down(void **state)
{
    (void)state;
    fil_conf_fini(&conf);
    return 0;
}

static int load(const char *text)
{
    return fil_conf_load_yaml(&conf, "sample.yaml", fil_bytes_of(text));
}

static void assert_value(const char *name, const char *expected, const char *expected_origin)
{
    char text[FIL_OPTION_TEXT_MAX + 1];
    char origin[FIL_CONF_ORIGIN_MAX + 1];
    const struct fil_option *option = fil_option_table_find(&sample_table, fil_bytes_of(name));
    assert_int_equal(fil_conf_get(&conf, name, text), FIL_OK);
    assert_string_equal(text, expected);
    assert_string_equal(fil_conf_origin(&conf, option, origin), expected_origin);
}

static void assert_only_message(const char *expected)
{
    assert_int_equal(fil_conf_message_count(&conf), 1);
    assert_string_equal(fil_conf_message(&conf, 0), expected);
}

static void test_every_option_starts_with_its_default(void **state)
{
    (void)state;
    assert_value("title", "sample", "default");
    assert_value("room.open", "true", "default");
    assert_value("room.seats", "4", "default");
    assert_value("room.kitchen.cup", "1KiB", "default");
    assert_value("room.kitchen.brew_time", "3m", "default");
    assert_value("room.colour", "green", "default");
    assert_value("door", "127.0.0.1:80", "default");
    assert_int_equal(sample.room.colour, SAMPLE_GREEN);
    assert_int_equal(fil_conf_message_count(&conf), 0);
}

static void test_later_source_wins_and_is_the_origin(void **state)
{
    (void)state;
    const char *const environment[] = {"SAMPLE_ROOM__SEATS=6", "SAMPLE_TITLE=env", NULL};
    assert_int_equal(load("title: file\nroom:\n  seats: 5\n  colour: red\n"), FIL_OK);
    assert_value("room.seats", "5", "file:sample.yaml:3:10");
    assert_int_equal(fil_conf_load_environment(&conf, environment), FIL_OK);
    assert_value("room.seats", "6", "environment SAMPLE_ROOM__SEATS");
    assert_int_equal(fil_conf_set(&conf, "room.seats=7", "--set"), FIL_OK);
    assert_value("room.seats", "7", "flag --set");
    assert_int_equal(fil_conf_set_option(&conf, "room.seats", "8", "--seats"), FIL_OK);
    assert_value("room.seats", "8", "flag --seats");
    assert_value("title", "env", "environment SAMPLE_TITLE");
    assert_value("room.colour", "red", "file:sample.yaml:4:11");
    assert_value("door", "127.0.0.1:80", "default");
    assert_int_equal(sample.room.seats, 8);
}

static void test_value_may_hold_an_equals_sign(void **state)
{
    (void)state;
    assert_int_equal(fil_conf_set(&conf, "title=a=b", "--set"), FIL_OK);
    assert_value("title", "a=b", "flag --set");
    assert_int_equal(fil_conf_set(&conf, "title=", "--set"), FIL_OK);
    assert_value("title", "", "flag --set");
}

static void test_mistake_leaves_the_value_alone(void **state)
{
    (void)state;
    assert_int_equal(fil_conf_set(&conf, "room.seats=many", "--set"), FIL_E_CONFIG);
    assert_value("room.seats", "4", "default");
    assert_only_message("flag --set: 'room.seats' takes a whole number, not 'many': "
                        "write -5 to 100");
}

static void test_wrong_assignments_are_explained(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"room.seat=1", "flag --set: unknown option 'room.seat': did you mean 'room.seats'?"},
        {"window=1", "flag --set: unknown option 'window': see the sample"},
        {"room=1",
         "flag --set: 'room' is a section, not an option: name an option in it, like 'room.open'"},
        {"room.seats", "flag --set: 'room.seats' has no '=': write name=value"},
        {"", "flag --set: '' has no '=': write name=value"},
        {"=5", "flag --set: unknown option '': see the sample"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(fil_conf_set(&conf, cases[i][0], "--set"), FIL_E_CONFIG);
        assert_int_equal(fil_conf_message_count(&conf), i + 1);
        assert_string_equal(fil_conf_message(&conf, i), cases[i][1]);
    }
}

static void test_messages_are_bounded_and_the_last_says_so(void **state)
{
    (void)state;
    for (size_t i = 0; i < FIL_CONF_MESSAGES_MAX; i++) {
        assert_int_equal(fil_conf_set(&conf, "window=1", "--set"), FIL_E_CONFIG);
        assert_int_equal(fil_conf_message_count(&conf), i + 1);
    }
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(fil_conf_set(&conf, "window=1", "--set"), FIL_E_CONFIG);
        assert_int_equal(fil_conf_message_count(&conf), FIL_CONF_MESSAGES_MAX + 1);
    }
    assert_string_equal(
        fil_conf_message(&conf, FIL_CONF_MESSAGES_MAX),
        "flag --set: there are more mistakes than are shown: mend the ones above first");
    // It would not be used anyway.
    assert_int_equal(load("title: fine\n"), FIL_E_CONFIG);
    assert_int_equal(fil_conf_check(&conf), FIL_E_CONFIG);
}

static void test_check_complains_at_the_origin(void **state)
{
    (void)state;
    assert_int_equal(fil_conf_check(&conf), FIL_OK);
    assert_int_equal(load("room:\n  open: false\n  seats: 50\n"), FIL_OK);
    assert_int_equal(fil_conf_check(&conf), FIL_E_CONFIG);
    assert_only_message("sample.yaml:3:10: 'room.seats' is 50 in a closed room: open it");
}

static void test_reloadable_option_changes_at_run_time(void **state)
{
    (void)state;
    char reason[FIL_CONF_MESSAGE_MAX + 1];
    assert_int_equal(fil_conf_change(&conf, "room.colour", "blue", reason), FIL_OK);
    assert_string_equal(reason, "");
    assert_value("room.colour", "blue", "changed at run time");
    assert_int_equal(sample.room.colour, SAMPLE_BLUE);
}

static void test_refused_change_changes_nothing(void **state)
{
    (void)state;
    char reason[FIL_CONF_MESSAGE_MAX + 1];
    assert_int_equal(fil_conf_change(&conf, "room.open", "false", reason), FIL_E_UNSUPPORTED);
    assert_string_equal(reason, "'room.open' cannot be changed while the process runs: "
                                "set it in the configuration and restart");
    assert_int_equal(fil_conf_change(&conf, "room.color", "blue", reason), FIL_E_NOT_FOUND);
    assert_string_equal(reason, "unknown option 'room.color': did you mean 'room.colour'?");
    assert_int_equal(fil_conf_change(&conf, "room.colour", "mauve", reason), FIL_E_INVALID);
    assert_string_equal(reason, "'room.colour' takes red, green or blue, not 'mauve': "
                                "write one of these");
    assert_value("room.colour", "green", "default");
    assert_int_equal(fil_conf_message_count(&conf), 0);
}

static void test_change_that_the_check_refuses_is_undone(void **state)
{
    (void)state;
    char reason[FIL_CONF_MESSAGE_MAX + 1];
    assert_int_equal(load("room:\n  open: false\n  seats: 9\n"), FIL_OK);
    assert_int_equal(fil_conf_change(&conf, "room.seats", "11", reason), FIL_E_INVALID);
    assert_string_equal(reason, "'room.seats' is 11 in a closed room: open it");
    assert_value("room.seats", "9", "file:sample.yaml:3:10");
    assert_int_equal(sample.room.seats, 9);
    assert_int_equal(fil_conf_message_count(&conf), 0);
    assert_int_equal(fil_conf_change(&conf, "room.seats", "10", reason), FIL_OK);
}

static void test_configuration_with_mistakes_does_not_change(void **state)
{
    (void)state;
    char reason[FIL_CONF_MESSAGE_MAX + 1];
    assert_int_equal(fil_conf_set(&conf, "window=1", "--set"), FIL_E_CONFIG);
    assert_int_equal(fil_conf_change(&conf, "room.colour", "blue", reason), FIL_E_CONFIG);
    assert_string_equal(reason, "the configuration has mistakes: mend them first");
    assert_value("room.colour", "green", "default");
}

static void test_unknown_option_has_no_value(void **state)
{
    (void)state;
    char text[FIL_OPTION_TEXT_MAX + 1];
    assert_int_equal(fil_conf_get(&conf, "window", text), FIL_E_NOT_FOUND);
    assert_int_equal(fil_conf_get(&conf, "room", text), FIL_E_NOT_FOUND);
}

static int file_error;
static const char *file_text;

static int read_fake_file(struct fil_env *env, const char *path, size_t size_max, char **out_text,
                          size_t *out_size)
{
    (void)env;
    assert_string_equal(path, "/etc/sample.yaml");
    assert_int_equal(size_max, FIL_CONF_FILE_SIZE_MAX);
    if (file_error != FIL_OK) {
        return file_error;
    }
    *out_size = strlen(file_text);
    *out_text = fil_alloc(*out_size);
    assert_non_null(*out_text);
    memcpy(*out_text, file_text, *out_size);
    return FIL_OK;
}

static int load_fake_file(int error, const char *text)
{
    const struct fil_env_ops ops = {.file_read = read_fake_file};
    struct fil_env env = {.ops = &ops};
    file_error = error;
    file_text = text;
    return fil_conf_load_file(&conf, &env, "/etc/sample.yaml");
}

static void test_file_is_loaded_by_its_path(void **state)
{
    (void)state;
    assert_int_equal(load_fake_file(FIL_OK, "room.seats: 12\n"), FIL_OK);
    assert_value("room.seats", "12", "file:/etc/sample.yaml:1:13");
}

static void test_unreadable_file_is_explained(void **state)
{
    (void)state;
    assert_int_equal(load_fake_file(FIL_E_NOMEM, NULL), FIL_E_NOMEM);
    assert_int_equal(fil_conf_message_count(&conf), 0);
    assert_int_equal(load_fake_file(FIL_E_LIMIT, NULL), FIL_E_CONFIG);
    assert_string_equal(fil_conf_message(&conf, 0),
                        "/etc/sample.yaml:1:1: the file is larger than 1MiB: "
                        "make sure that it is the right one");
    assert_int_equal(load_fake_file(FIL_E_NOT_FOUND, NULL), FIL_E_CONFIG);
    char expected[FIL_CONF_MESSAGE_MAX + 1];
    (void)snprintf(expected, sizeof(expected), "/etc/sample.yaml: cannot read the file: %s",
                   fil_error_text(FIL_E_NOT_FOUND));
    assert_string_equal(fil_conf_message(&conf, 1), expected);
}

static void test_without_memory_nothing_starts(void **state)
{
    (void)state;
    struct sample target;
    struct fil_conf starved;
    int error = FIL_E_NOMEM;
    int64_t position = 0;
    for (; position < 10 && error == FIL_E_NOMEM; position++) {
        fil_alloc_fail_after(position);
        error = fil_conf_init(&starved, &sample_table, &target);
        fil_alloc_fail_after(-1);
    }
    assert_int_equal(error, FIL_OK);
    assert_true(position > 1);
    fil_conf_fini(&starved);
    fil_conf_fini(&starved); // harmless the second time
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_every_option_starts_with_its_default),
        TEST(test_later_source_wins_and_is_the_origin),
        TEST(test_value_may_hold_an_equals_sign),
        TEST(test_mistake_leaves_the_value_alone),
        TEST(test_wrong_assignments_are_explained),
        TEST(test_messages_are_bounded_and_the_last_says_so),
        TEST(test_check_complains_at_the_origin),
        TEST(test_reloadable_option_changes_at_run_time),
        TEST(test_refused_change_changes_nothing),
        TEST(test_change_that_the_check_refuses_is_undone),
        TEST(test_configuration_with_mistakes_does_not_change),
        TEST(test_unknown_option_has_no_value),
        TEST(test_file_is_loaded_by_its_path),
        TEST(test_unreadable_file_is_explained),
        cmocka_unit_test(test_without_memory_nothing_starts),
    };
    return cmocka_run_group_tests_name("conf", tests, NULL, NULL);
}
