// SPDX-License-Identifier: Apache-2.0
/**
 * The YAML loader's contract, one test a promise (the messages themselves are in tests/config):
 * nested and dotted keys mean the same, what is right around a mistake is set, a file may be empty
 * but not too large, and paths and mistakes of any size make bounded messages.
 */
#include <stdio.h>
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

static int load(const char *text)
{
    return fil_conf_load_yaml(&conf, "sample.yaml", fil_bytes_of(text));
}

static void assert_message(size_t index, const char *expected)
{
    assert_true(index < fil_conf_message_count(&conf));
    assert_string_equal(fil_conf_message(&conf, index), expected);
}

static void test_nested_and_dotted_keys_mean_the_same(void **state)
{
    (void)state;
    static const char *const spellings[] = {
        "room:\n  kitchen:\n    cup: 2KiB\n  seats: 9\n",
        "room.kitchen.cup: 2KiB\nroom.seats: 9\n",
        "room:\n  kitchen.cup: 2KiB\n  seats: 9\n",
        "room.kitchen:\n  cup: 2KiB\nroom:\n  seats: 9\n",
        "{room: {kitchen: {cup: 2KiB}, seats: 9}}",
        "{\"room\": {\"kitchen\": {\"cup\": \"2KiB\"}, \"seats\": 9}}",
        "\xEF\xBB\xBFroom: {kitchen.cup: 2KiB, seats: 9}\n",
    };
    for (size_t i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++) {
        sample.room.kitchen.cup = 0;
        sample.room.seats = 0;
        assert_int_equal(load(spellings[i]), FIL_OK);
        assert_int_equal(sample.room.kitchen.cup, 2048);
        assert_int_equal(sample.room.seats, 9);
    }
}

static void test_files_without_options_are_fine(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",   "\n",      "# only words\n", "---\n",     "---\n...\n",  "~",
        "{}", "room:\n", "room: {}\n",     "room: ~\n", "\xEF\xBB\xBF"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        assert_int_equal(load(texts[i]), FIL_OK);
    }
    assert_int_equal(fil_conf_load_yaml(&conf, "nothing.yaml", fil_bytes_make(NULL, 0)), FIL_OK);
    assert_int_equal(fil_conf_message_count(&conf), 0);
}

static void test_right_lines_around_a_mistake_are_set(void **state)
{
    (void)state;
    assert_int_equal(load("title: before\n"
                          "window: {size: [1, {a: b}], view: *sea}\n"
                          "? {a: b}\n"
                          ": [c]\n"
                          "door: [1, 2]\n"
                          "room:\n"
                          "  seats: 5\n"),
                     FIL_E_CONFIG);
    assert_int_equal(fil_conf_message_count(&conf), 3);
    assert_message(0, "sample.yaml:2:1: unknown option 'window': see the sample");
    assert_message(1, "sample.yaml:3:3: a name cannot be a mapping: write 'name: value'");
    assert_string_equal(sample.title, "before");
    assert_int_equal(sample.room.seats, 5);
}

static void test_second_file_may_set_an_option_again(void **state)
{
    (void)state;
    assert_int_equal(load("room.seats: 5\n"), FIL_OK);
    assert_int_equal(load("room.seats: 6\n"), FIL_OK);
    assert_int_equal(sample.room.seats, 6);
    assert_int_equal(load("room.seats: 7\nroom.seats: 8\n"), FIL_E_CONFIG);
    assert_message(0, "sample.yaml:2:1: 'room.seats' stands in line 1 already: "
                      "keep one of the two");
}

static void test_largest_file_is_read_and_a_larger_one_refused(void **state)
{
    (void)state;
    static char text[FIL_CONF_FILE_SIZE_MAX + 1];
    static const char end[] = "title: end";
    memset(text, '\n', sizeof(text));
    memcpy(text + FIL_CONF_FILE_SIZE_MAX - strlen(end), end, strlen(end));
    assert_int_equal(
        fil_conf_load_yaml(&conf, "big.yaml", fil_bytes_make(text, FIL_CONF_FILE_SIZE_MAX)),
        FIL_OK);
    assert_string_equal(sample.title, "end");
    assert_int_equal(fil_conf_load_yaml(&conf, "big.yaml", fil_bytes_make(text, sizeof(text))),
                     FIL_E_CONFIG);
    assert_message(0, "big.yaml:1:1: the file is larger than 1MiB: "
                      "make sure that it is the right one");
}

static void test_name_with_a_zero_byte_is_unknown(void **state)
{
    (void)state;
    assert_int_equal(load("\"title\\0\": x\n"), FIL_E_CONFIG);
    assert_message(0, "sample.yaml:1:1: unknown option 'title?': did you mean 'title'?");
}

static void test_long_path_keeps_its_end(void **state)
{
    (void)state;
    char path[600];
    memset(path, 'd', sizeof(path));
    (void)snprintf(path + 500, sizeof(path) - 500, "/sample.yaml");
    assert_int_equal(fil_conf_load_yaml(&conf, path, fil_bytes_of("title: 12345678901\n")),
                     FIL_E_CONFIG);
    const char *message = fil_conf_message(&conf, 0);
    assert_int_equal(strncmp(message, "...ddd", 6), 0);
    assert_non_null(strstr(message, "d/sample.yaml:1:8: 'title' has 11 bytes"));
}

static void test_path_with_control_characters_stays_one_line(void **state)
{
    (void)state;
    assert_int_equal(fil_conf_load_yaml(&conf, "a\nb.yaml", fil_bytes_of("window: 1\n")),
                     FIL_E_CONFIG);
    assert_message(0, "a?b.yaml:1:1: unknown option 'window': see the sample");
}

static void test_endless_nesting_is_stopped(void **state)
{
    (void)state;
    static char text[100000];
    memset(text, '[', sizeof(text));
    memcpy(text, "window: ", strlen("window: "));
    assert_int_equal(fil_conf_load_yaml(&conf, "deep.yaml", fil_bytes_make(text, sizeof(text))),
                     FIL_E_CONFIG);
    assert_int_equal(fil_conf_message_count(&conf), 2);
    assert_message(1, "deep.yaml:1:25: nested deeper than 16 levels: "
                      "remove some, sections need at most 3");
}

static void test_endless_mistakes_are_stopped(void **state)
{
    (void)state;
    static char text[FIL_CONF_FILE_SIZE_MAX];
    for (size_t i = 0; i + 4 <= sizeof(text); i += 4) {
        memcpy(text + i, "x: \n", 4);
    }
    assert_int_equal(fil_conf_load_yaml(&conf, "many.yaml", fil_bytes_make(text, sizeof(text))),
                     FIL_E_CONFIG);
    assert_int_equal(fil_conf_message_count(&conf), FIL_CONF_MESSAGES_MAX + 1);
    assert_message(FIL_CONF_MESSAGES_MAX, "many.yaml:21:1: there are more mistakes than are shown: "
                                          "mend the ones above first");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_nested_and_dotted_keys_mean_the_same),
        TEST(test_files_without_options_are_fine),
        TEST(test_right_lines_around_a_mistake_are_set),
        TEST(test_second_file_may_set_an_option_again),
        TEST(test_largest_file_is_read_and_a_larger_one_refused),
        TEST(test_name_with_a_zero_byte_is_unknown),
        TEST(test_long_path_keeps_its_end),
        TEST(test_path_with_control_characters_stays_one_line),
        TEST(test_endless_nesting_is_stopped),
        TEST(test_endless_mistakes_are_stopped),
    };
    return cmocka_run_group_tests_name("yaml", tests, NULL, NULL);
}
