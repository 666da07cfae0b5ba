// SPDX-License-Identifier: Apache-2.0
/**
 * Text made safe: nothing that ends a line, moves a cursor or leaves its quotes comes through,
 * valid characters stay as they are, bytes that are none become U+FFFD, and no byte grows beyond
 * the factor.
 */
#include "lib/base/attr.h"
#include "lib/base/prng.h"
#include "lib/log/text.h"
#include "tests/unit/harness.h"

static void assert_escaped(struct fil_bytes text, const char *expected)
{
    char memory[512];
    struct fil_writer writer;
    fil_writer_init(&writer, memory, sizeof(memory));
    fil_log_text_escape(&writer, text);
    assert_string_equal(fil_writer_terminate(&writer), expected);
    assert_false(writer.is_full);
}

struct text_case {
    const char *text;
    const char *escaped;
};

static void test_known_texts(void **state)
{
    (void)state;
    static const struct text_case cases[] = {
        {"", ""},
        {"plain", "plain"},
        {"two words", "two words"},
        {"a\"b", "a\\\"b"},
        {"back\\slash", "back\\\\slash"},
        {"\n\r\t", "\\n\\r\\t"},
        {"\001\033[31m\177", "\\u0001\\u001b[31m\\u007f"},
        {"caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x8C\xB0", "caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x8C\xB0"},
        {"\xC2\x85\xC2\x9B", "\\u0085\\u009b"},               // controls of one character each
        {"\xE2\x80\xA8\xE2\x80\xAE", "\\u2028\\u202e"},       // line separator, right to left
        {"\xE2\x81\xA6", "\\u2066"},                          // isolate
        {"\xFF", "\\ufffd"},                                  // never in UTF-8
        {"\xC0\x80", "\\ufffd\\ufffd"},                       // overlong
        {"\xE0\x80\x80", "\\ufffd\\ufffd\\ufffd"},            // overlong
        {"\xED\xA0\x80", "\\ufffd\\ufffd\\ufffd"},            // surrogate
        {"\xF4\x90\x80\x80", "\\ufffd\\ufffd\\ufffd\\ufffd"}, // beyond the last character
        {"\xF5\x80\x80\x80", "\\ufffd\\ufffd\\ufffd\\ufffd"}, // beyond the last character
        {"\xC3", "\\ufffd"},                                  // cut off
        {"\xE2\x82", "\\ufffd\\ufffd"},                       // cut off
        {"\xC3(", "\\ufffd("},                                // not continued
    };
    for (size_t i = 0; i < FIL_COUNT_OF(cases); i++) {
        assert_escaped(fil_bytes_of(cases[i].text), cases[i].escaped);
    }
    assert_escaped(fil_bytes_make("a\0b", 3), "a\\u0000b");
}

static void test_plain_is_what_needs_no_quotes(void **state)
{
    (void)state;
    static const char *const plain[] = {"a", "127.0.0.1:5701", "[::1]:1", "caf\xC3\xA9", "a,b{c}"};
    static const char *const other[] = {"",    " ",  "a b",      "a=b", "a\"",
                                        "a\\", "\n", "\xC2\x85", "\x80"};
    for (size_t i = 0; i < FIL_COUNT_OF(plain); i++) {
        assert_true(fil_log_text_is_plain(fil_bytes_of(plain[i])));
    }
    for (size_t i = 0; i < FIL_COUNT_OF(other); i++) {
        assert_false(fil_log_text_is_plain(fil_bytes_of(other[i])));
    }
}

/** No control character, no bare quote, and a backslash only before what it may escape. */
static void assert_safe(struct fil_bytes out)
{
    for (size_t i = 0; i < out.size; i++) {
        assert_true(out.data[i] >= 0x20 && out.data[i] != 0x7F && out.data[i] != '"');
        if (out.data[i] == '\\') {
            i++;
            assert_true(i < out.size);
            assert_non_null(memchr("\"\\nrtu", out.data[i], 6));
        }
    }
}

static void test_random_bytes_come_out_safe(void **state)
{
    (void)state;
    struct fil_prng prng;
    fil_prng_init(&prng, 17);
    for (uint32_t round = 0; round < 20000; round++) {
        uint8_t text[64];
        uint8_t memory[FIL_LOG_ESCAPE_FACTOR * sizeof(text) + 1];
        size_t size = (size_t)fil_prng_below(&prng, sizeof(text) + 1);
        fil_prng_fill(&prng, text, size);
        struct fil_writer writer;
        fil_writer_init(&writer, memory, sizeof(memory));
        fil_log_text_escape(&writer, fil_bytes_make(text, size));
        assert_false(writer.is_full);
        assert_safe(fil_writer_written(&writer));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_texts),
        cmocka_unit_test(test_plain_is_what_needs_no_quotes),
        cmocka_unit_test(test_random_bytes_come_out_safe),
    };
    return cmocka_run_group_tests_name("log text", tests, NULL, NULL);
}
