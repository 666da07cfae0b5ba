// SPDX-License-Identifier: Apache-2.0
/**
 * Lines of JSON: members in any order become fields, unknown ones are passed over, missing ones are
 * zero; what does not fit is refused; what is written is read again as it was.
 */
#include "core/pipeline/json_lines.h"

#include "tests/unit/harness.h"

struct record {
    int64_t time;
    char name[8];
    double price;
    int64_t count;
};

static const struct fil_field fields[] = {
    FIL_TIME(struct record, time), FIL_TEXT(struct record, name), FIL_F64(struct record, price),
    FIL_I64(struct record, count)};
static const struct fil_type type = FIL_TYPE(struct record, fields);

static struct record record;

static int parse(const char *text)
{
    memset(&record, 7, sizeof(record));
    return fil_json_lines_parse(&type, fil_bytes_of(text), &record);
}

static void test_members_become_fields(void **state)
{
    (void)state;
    assert_int_equal(
        parse(" {\"count\": -3, \"x\": {\"y\": [1, \"}\"]}, \"name\":\"a\\u00e9\\\"\", "
              "\"price\":1.5e2 , \"time\":9}\t"),
        FIL_OK);
    assert_int_equal(record.time, 9);
    assert_string_equal(record.name, "a\xc3\xa9\"");
    assert_true(record.price >= 150.0 && record.price <= 150.0);
    assert_int_equal(record.count, -3);
    assert_int_equal(parse("{\"count\":true,\"count\":false,\"name\":null}"), FIL_OK);
    assert_int_equal(record.count, 0);
    assert_int_equal(record.time, 0);
    assert_int_equal(record.name[0], 0);
    assert_int_equal(parse("{}"), FIL_OK);
    assert_int_equal(parse("  "), FIL_E_NOT_FOUND);
}

static void test_what_does_not_fit_is_refused(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "x",
        "[1]",
        "{\"count\"",
        "{\"count\":1",
        "{\"count\":1,}",
        "{\"count\":1}x",
        "{\"count\":1.5}",
        "{\"count\":\"1\"}",
        "{\"count\":99999999999999999999}",
        "{\"name\":3}",
        "{\"name\":\"too long a name\"}",
        "{\"name\":\"a\\u0000b\"}",
        "{\"name\":true}",
        "{\"price\":\"1\"}",
        "{count:1}",
    };
    for (uint32_t i = 0; i < FIL_COUNT_OF(lines); i++) {
        assert_int_equal(parse(lines[i]), FIL_E_MALFORMED);
    }
}

static void test_records_are_written_and_read_again(void **state)
{
    (void)state;
    const struct record wanted = {.time = -5, .name = "a\"\n\\", .price = 0.1, .count = INT64_MIN};
    char text[256];
    size_t size = fil_json_lines_format(&type, &wanted, text, sizeof(text) - 1);
    assert_true(size < sizeof(text));
    text[size] = '\0';
    assert_string_equal(text, "{\"time\":-5,\"name\":\"a\\\"\\n\\\\\",\"price\":0.1,"
                              "\"count\":-9223372036854775808}");
    assert_int_equal(parse(text), FIL_OK);
    assert_memory_equal(&record, &wanted, sizeof(record));
    for (size_t room = 0; room < size; room++) {
        assert_true(fil_json_lines_format(&type, &wanted, text, room) > room);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members_become_fields),
        cmocka_unit_test(test_what_does_not_fit_is_refused),
        cmocka_unit_test(test_records_are_written_and_read_again),
    };
    return cmocka_run_group_tests_name("json_lines", tests, NULL, NULL);
}
