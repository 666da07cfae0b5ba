// SPDX-License-Identifier: Apache-2.0
/**
 * One option's contract, one test a promise:
 * a valid text becomes the field's value and comes back in its shortest form, a value at the edge
 * of its range is taken and one beyond is not, and each refusal says what to write instead.
 */
#include "lib/conf/option.h"

#include <string.h>

#include "tests/unit/harness.h"
#include "tests/unit/lib/conf/sample.h"

static const struct fil_option *option_of(const char *name)
{
    const struct fil_option *option = fil_option_table_find(&sample_table, fil_bytes_of(name));
    assert_non_null(option);
    return option;
}

/** Through text, field and back: all a value goes through. */
static void assert_becomes(const char *name, const char *text, const char *expected)
{
    const struct fil_option *option = option_of(name);
    struct sample sample;
    struct fil_option_value value;
    struct fil_option_value loaded;
    char reason[FIL_OPTION_REASON_MAX + 1];
    char shown[FIL_OPTION_TEXT_MAX + 1];
    memset(&sample, 0x5A, sizeof(sample)); // what is not written must not be read
    assert_int_equal(fil_option_parse(option, fil_bytes_of(text), &value, reason), FIL_OK);
    assert_string_equal(reason, "");
    fil_option_store(option, &value, &sample);
    fil_option_load(option, &sample, &loaded);
    assert_string_equal(fil_option_format(option, &loaded, shown), expected);
}

static void assert_refused(const char *name, struct fil_bytes text, const char *expected)
{
    struct fil_option_value value;
    char reason[FIL_OPTION_REASON_MAX + 1];
    assert_int_equal(fil_option_parse(option_of(name), text, &value, reason), FIL_E_INVALID);
    assert_string_equal(reason, expected);
}

static void assert_text_refused(const char *name, const char *text, const char *expected)
{
    assert_refused(name, fil_bytes_of(text), expected);
}

static void test_values_come_back_in_their_shortest_form(void **state)
{
    (void)state;
    assert_becomes("title", "", "");
    assert_becomes("title", "ten bytes!", "ten bytes!");
    assert_becomes("title", "H\xC3\xBCtte", "H\xC3\xBCtte");
    assert_becomes("room.open", "false", "false");
    assert_becomes("room.open", "true", "true");
    assert_becomes("room.seats", "-5", "-5");
    assert_becomes("room.seats", "007", "7");
    assert_becomes("room.kitchen.cup", "2048", "2KiB");
    assert_becomes("room.kitchen.cup", "0", "0");
    assert_becomes("room.kitchen.brew_time", "120s", "2m");
    assert_becomes("room.colour", "blue", "blue");
    assert_becomes("door", "localhost:443", "127.0.0.1:443");
    assert_becomes("door", "[::1]:443", "[::1]:443");
    assert_becomes("door", ":443", "0.0.0.0:443");
}

static void test_fields_have_the_types_the_header_promises(void **state)
{
    (void)state;
    struct sample sample = {0};
    struct fil_option_value value;
    char reason[FIL_OPTION_REASON_MAX + 1];
    static const char *const pairs[][2] = {
        {"title", "hello"},       {"room.open", "true"},
        {"room.seats", "-2"},     {"room.kitchen.cup", "64KiB"},
        {"room.colour", "blue"},  {"room.kitchen.brew_time", "250ms"},
        {"door", "10.1.2.3:443"},
    };
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        const struct fil_option *option = option_of(pairs[i][0]);
        assert_int_equal(fil_option_parse(option, fil_bytes_of(pairs[i][1]), &value, reason),
                         FIL_OK);
        fil_option_store(option, &value, &sample);
    }
    assert_string_equal(sample.title, "hello");
    assert_true(sample.room.is_open);
    assert_int_equal(sample.room.seats, -2);
    assert_int_equal(sample.room.kitchen.cup, 65536);
    assert_int_equal(sample.room.kitchen.brew_ns, 250000000);
    assert_int_equal(sample.room.colour, SAMPLE_BLUE);
    assert_int_equal(sample.door.ip[3], 3);
    assert_int_equal(sample.door.port, 443);
}

static void test_edges_of_a_range_are_inside(void **state)
{
    (void)state;
    assert_becomes("room.seats", "100", "100");
    assert_text_refused("room.seats", "101",
                        "'room.seats' is '101', which is out of range: write -5 to 100");
    assert_text_refused("room.seats", "-6",
                        "'room.seats' is '-6', which is out of range: write -5 to 100");
    assert_becomes("room.kitchen.cup", "16", "16");
    assert_becomes("room.kitchen.cup", "1MiB", "1MiB");
    assert_text_refused("room.kitchen.cup", "15",
                        "'room.kitchen.cup' is '15', which is out of range: "
                        "write 0 (bottomless), or 16 to 1MiB");
    assert_text_refused("room.kitchen.cup", "1048577",
                        "'room.kitchen.cup' is '1048577', which is out of range: "
                        "write 0 (bottomless), or 16 to 1MiB");
    assert_becomes("room.kitchen.brew_time", "1us", "1us");
    assert_becomes("room.kitchen.brew_time", "60m", "1h");
    // Without a meaning of its own 0 is a value like others.
    assert_text_refused("room.kitchen.brew_time", "0",
                        "'room.kitchen.brew_time' is '0', which is out of range: write 1us to 1h");
    assert_text_refused("title", "eleven byte", "'title' has 11 bytes: write 0 to 10 bytes");
}

static void test_wrong_type_says_what_to_write(void **state)
{
    (void)state;
    assert_text_refused("room.open", "yes",
                        "'room.open' takes true or false, not 'yes': write one of these");
    assert_text_refused("room.seats", "",
                        "'room.seats' takes a whole number, not '': write -5 to 100");
    assert_text_refused("room.seats", "4 ",
                        "'room.seats' takes a whole number, not '4 ': write -5 to 100");
    assert_text_refused("room.seats", "-",
                        "'room.seats' takes a whole number, not '-': write -5 to 100");
    assert_text_refused("room.seats", "123456789012345678901234567890",
                        "'room.seats' is '123456789012345678901234567890', which is out of range: "
                        "write -5 to 100");
    assert_text_refused("room.colour", "gren",
                        "'room.colour' takes red, green or blue, not 'gren': "
                        "did you mean 'green'?");
    assert_text_refused("room.colour", "mauve",
                        "'room.colour' takes red, green or blue, not 'mauve': "
                        "write one of these");
    assert_text_refused("door", "nowhere",
                        "'door' takes a network address, not 'nowhere': write host:port, like "
                        "127.0.0.1:5701, [::1]:5701 or, for all interfaces, :5701");
    assert_text_refused("room.kitchen.brew_time", "3",
                        "'room.kitchen.brew_time' takes a duration, not '3' (a duration needs a "
                        "unit: use ns, us, ms, s, m, h or d): write 1us to 1h");
}

static void test_text_holds_only_printable_characters(void **state)
{
    (void)state;
    assert_text_refused("title", "a\nb",
                        "'title' holds the control character U+000A: "
                        "write one line of printable text");
    assert_text_refused("title", "\xE2\x80\xA8",
                        "'title' holds the control character U+2028: "
                        "write one line of printable text");
    assert_text_refused("title", "ab\xFF",
                        "'title' is not valid UTF-8 at byte 3: write it in UTF-8");
    assert_refused("title", fil_bytes_make("a\0b", 3),
                   "'title' holds the control character U+0000: "
                   "write one line of printable text");
}

static void test_hostile_values_make_short_printable_reasons(void **state)
{
    (void)state;
    static char huge[100000];
    memset(huge, '\x1B', sizeof(huge));
    for (size_t i = 0; i < sample_table.count; i++) {
        struct fil_option_value value;
        char reason[FIL_OPTION_REASON_MAX + 1];
        assert_int_equal(fil_option_parse(&sample_table.options[i],
                                          fil_bytes_make(huge, sizeof(huge)), &value, reason),
                         FIL_E_INVALID);
        assert_true(strlen(reason) > 0);
        assert_null(strchr(reason, '\x1B'));
    }
    // As long as the longest address with its end, so without room for an end.
    char longest[FIL_ADDRESS_TEXT_MAX];
    memset(longest, '1', sizeof(longest));
    assert_refused("door", fil_bytes_make(longest, sizeof(longest)),
                   "'door' takes a network address, not "
                   "'11111111111111111111111111111111111111111111...': write host:port, like "
                   "127.0.0.1:5701, [::1]:5701 or, for all interfaces, :5701");
    assert_refused("door", fil_bytes_make("127.0.0.1:80\0x", 14),
                   "'door' takes a network address, not '127.0.0.1:80?x': write host:port, like "
                   "127.0.0.1:5701, [::1]:5701 or, for all interfaces, :5701");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_come_back_in_their_shortest_form),
        cmocka_unit_test(test_fields_have_the_types_the_header_promises),
        cmocka_unit_test(test_edges_of_a_range_are_inside),
        cmocka_unit_test(test_wrong_type_says_what_to_write),
        cmocka_unit_test(test_text_holds_only_printable_characters),
        cmocka_unit_test(test_hostile_values_make_short_printable_reasons),
    };
    return cmocka_run_group_tests_name("option", tests, NULL, NULL);
}
