// SPDX-License-Identifier: Apache-2.0
/** Strings of JSON: what must not stand in them is escaped, their size is known before. */
#include "lib/json/write.h"
#include <string.h>

#include "tests/unit/harness.h"

static void test_what_must_be_is_escaped(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "\"\""},
        {"plain \xc3\xbc", "\"plain \xc3\xbc\""},
        {"a\"b\\c", "\"a\\\"b\\\\c\""},
        {"\n\t\x1f", "\"\\n\\u0009\\u001f\""},
    };
    for (size_t i = 0; i < FIL_COUNT_OF(cases); i++) {
        uint8_t room[64];
        struct fil_writer writer;
        fil_writer_init(&writer, room, sizeof(room));
        assert_true(fil_json_quote(&writer, fil_bytes_of(cases[i][0])));
        assert_true(fil_bytes_equal_text(fil_writer_written(&writer), cases[i][1]));
        assert_int_equal(fil_json_quoted_size(fil_bytes_of(cases[i][0])), strlen(cases[i][1]));
    }
}

static void test_nothing_is_written_without_room(void **state)
{
    (void)state;
    uint8_t room[4];
    struct fil_writer writer;
    fil_writer_init(&writer, room, sizeof(room));
    assert_false(fil_json_quote(&writer, fil_bytes_of("a\n"))); // five bytes
    assert_int_equal(fil_writer_written(&writer).size, 0);
    fil_writer_init(&writer, room, sizeof(room));
    assert_true(fil_json_quote(&writer, fil_bytes_of("ab")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_must_be_is_escaped),
        cmocka_unit_test(test_nothing_is_written_without_room),
    };
    return cmocka_run_group_tests_name("json write", tests, NULL, NULL);
}
