// SPDX-License-Identifier: Apache-2.0
/**
 * UTF-8's contract, one test a promise:
 * every character decodes to its code, every malformed form is refused, control characters and
 * hidden line breaks are not printable, an excerpt is printable and never longer than its room.
 */
#include "lib/base/utf8.h"

#include <string.h>

#include "tests/unit/harness.h"

static struct fil_bytes bytes(const char *text)
{
    return fil_bytes_of(text);
}

static void test_characters_of_every_length_decode(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t size;
        uint32_t code;
    } cases[] = {
        {"A", 1, 0x41},
        {"\x7F", 1, 0x7F},
        {"\xC2\x80", 2, 0x80},
        {"\xDF\xBF", 2, 0x7FF},
        {"\xE0\xA0\x80", 3, 0x800},
        {"\xED\x9F\xBF", 3, 0xD7FF},
        {"\xEE\x80\x80", 3, 0xE000},
        {"\xEF\xBF\xBF", 3, 0xFFFF},
        {"\xF0\x90\x80\x80", 4, 0x10000},
        {"\xF4\x8F\xBF\xBF", 4, 0x10FFFF},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint32_t code = 0;
        assert_int_equal(fil_utf8_decode(bytes(cases[i].text), &code), cases[i].size);
        assert_int_equal(code, cases[i].code);
    }
    uint32_t code = 1;
    assert_int_equal(fil_utf8_decode(fil_bytes_make("\0", 1), &code), 1);
    assert_int_equal(code, 0);
}

static void test_whole_texts_are_checked(void **state)
{
    (void)state;
    assert_true(fil_utf8_is_valid(bytes("")));
    assert_true(fil_utf8_is_valid(bytes("more than eight letters, \xC3\xBC and then some more")));
    assert_false(fil_utf8_is_valid(bytes("more than eight letters, \xFF and then some more")));
    assert_false(fil_utf8_is_valid(bytes("cut off at its end: \xE2\x82")));
    assert_false(fil_utf8_is_valid(bytes("12345678\x80")));
}

static void test_malformed_bytes_are_refused(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "",                 // nothing
        "\x80",             // a continuation without a beginning
        "\xC0\x80",         // overlong
        "\xC1\xBF",         // overlong
        "\xE0\x9F\xBF",     // overlong
        "\xF0\x8F\xBF\xBF", // overlong
        "\xED\xA0\x80",     // a surrogate
        "\xED\xBF\xBF",     // a surrogate
        "\xF4\x90\x80\x80", // beyond the last character
        "\xF8\x88\x80\x80", // five bytes
        "\xFF",             // never
        "\xC3",             // cut
        "\xE2\x82",         // cut
        "\xF0\x9F\x8C",     // cut
        "\xC3\x28",         // the second byte is none
        "\xE2\x28\xA1",     // the second byte is none
        "\xF0\x9F\x28\xB0", // the third byte is none
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint32_t code = 7;
        assert_int_equal(fil_utf8_decode(bytes(cases[i]), &code), 0);
        assert_int_equal(code, 7);
    }
}

static void test_controls_and_hidden_line_breaks_are_not_printable(void **state)
{
    (void)state;
    static const uint32_t hidden[] = {0,    1,    '\t',   '\n',   '\r',   0x1B,   0x7F,
                                      0x85, 0x9F, 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF};
    for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++) {
        assert_false(fil_utf8_is_printable(hidden[i]));
    }
    static const uint32_t shown[] = {' ', 'a', '~', 0xA0, 0xFC, 0x2027, 0x202A, 0xFFFD, 0x1F330};
    for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
        assert_true(fil_utf8_is_printable(shown[i]));
    }
}

static void test_excerpt_replaces_what_cannot_be_shown(void **state)
{
    (void)state;
    char text[32];
    assert_string_equal(fil_utf8_excerpt(bytes(""), text, sizeof(text)), "");
    assert_string_equal(fil_utf8_excerpt(bytes("plain"), text, sizeof(text)), "plain");
    assert_string_equal(fil_utf8_excerpt(bytes("a\nb\x1B[1m"), text, sizeof(text)), "a?b?[1m");
    assert_string_equal(fil_utf8_excerpt(bytes("x\xFFy"), text, sizeof(text)), "x?y");
    assert_string_equal(fil_utf8_excerpt(fil_bytes_make("a\0b", 3), text, sizeof(text)), "a?b");
}

static void test_excerpt_is_cut_between_characters(void **state)
{
    (void)state;
    char text[8];
    assert_string_equal(fil_utf8_excerpt(bytes("1234567"), text, sizeof(text)), "1234567");
    assert_string_equal(fil_utf8_excerpt(bytes("12345678"), text, sizeof(text)), "1234...");
    // A two-byte character would end one byte too late.
    assert_string_equal(fil_utf8_excerpt(bytes("123\xC3\xBC\xC3\xBC\xC3\xBC"), text, sizeof(text)),
                        "123...");
    assert_string_equal(
        fil_utf8_excerpt(bytes("\xC3\xBC\xC3\xBC\xC3\xBC\xC3\xBC"), text, sizeof(text)),
        "\xC3\xBC\xC3\xBC...");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_characters_of_every_length_decode),
        cmocka_unit_test(test_whole_texts_are_checked),
        cmocka_unit_test(test_malformed_bytes_are_refused),
        cmocka_unit_test(test_controls_and_hidden_line_breaks_are_not_printable),
        cmocka_unit_test(test_excerpt_replaces_what_cannot_be_shown),
        cmocka_unit_test(test_excerpt_is_cut_between_characters),
    };
    return cmocka_run_group_tests_name("utf8", tests, NULL, NULL);
}
