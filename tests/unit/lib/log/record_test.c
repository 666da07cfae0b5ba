// SPDX-License-Identifier: Apache-2.0
/**
 * Records: every type of field comes back as it went in, texts are copied and cut between
 * characters, too many fields are left out, the largest record is as large as it says, and a copy
 * has the fields that fit.
 */
#include <stdalign.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/attr.h"
#include "lib/log/record.h"
#include "tests/unit/harness.h"

static alignas(8) uint8_t memory[FIL_LOG_RECORD_BYTES_MAX];

static const struct fil_log_record head = {
    .site = {.event = "tested", .file = "here.c", .line = 12},
    .role = "io/0",
    .wall_ns = 42,
    .level = FIL_LOG_WARN,
};

static const struct fil_log_record *encode(const struct fil_log_field *fields)
{
    memset(memory, 0xA5, sizeof(memory));
    const struct fil_log_record *record = fil_log_record_encode(memory, &head, fields);
    assert_int_equal(record->size, fil_log_record_measure(fields));
    assert_true(record->size <= sizeof(memory));
    return record;
}

static struct fil_log_field next(const struct fil_log_record *record, uint32_t *position)
{
    struct fil_log_field field;
    assert_true(fil_log_record_next(record, position, &field));
    return field;
}

static void test_head_comes_back(void **state)
{
    (void)state;
    const struct fil_log_field none[] = {{.type = FIL_LOG_END}};
    const struct fil_log_record *record = encode(none);
    assert_string_equal(record->site.event, "tested");
    assert_string_equal(record->site.file, "here.c");
    assert_int_equal(record->site.line, 12);
    assert_string_equal(record->role, "io/0");
    assert_int_equal(record->wall_ns, 42);
    assert_int_equal(record->level, FIL_LOG_WARN);
    assert_int_equal(record->error, FIL_OK);
    assert_int_equal(record->field_count, 0);
    struct fil_log_field field;
    uint32_t position = 0;
    assert_false(fil_log_record_next(record, &position, &field));
}

static void test_every_type_comes_back(void **state)
{
    (void)state;
    const struct fil_address address = {.ip = {10, 0, 0, 1}, .port = 5701};
    char borrowed[] = "text";
    const struct fil_log_field fields[] = {
        FIL_F_TEXT("text", borrowed), FIL_F_U64("u64", UINT64_MAX),
        FIL_F_I64("i64", INT64_MIN),  FIL_F_F64("f64", 0.5),
        FIL_F_BOOL("bool", true),     FIL_F_ADDRESS("address", &address),
        FIL_F_NS("took", 5),          FIL_F_SIZE("used", 6),
        FIL_F_HEX("hex", 7),          FIL_F_APART(FIL_F_ERROR(FIL_E_IO)),
        FIL_F_TEXT("nothing", NULL),  {.type = FIL_LOG_END},
    };
    const struct fil_log_record *record = encode(fields);
    memset(borrowed, 'x', sizeof(borrowed) - 1); // the record has its own

    uint32_t position = 0;
    struct fil_log_field field = next(record, &position);
    assert_string_equal(field.key, "text");
    assert_true(fil_bytes_equal_text(field.value.text, "text"));
    assert_false(field.is_cut);
    assert_false(field.is_apart);
    assert_true(next(record, &position).value.u64 == UINT64_MAX);
    assert_true(next(record, &position).value.i64 == INT64_MIN);
    assert_true(next(record, &position).value.f64 == 0.5);
    assert_true(next(record, &position).value.boolean);
    assert_int_equal(next(record, &position).value.address.port, 5701);
    assert_int_equal(next(record, &position).value.u64, 5);
    assert_int_equal(next(record, &position).value.u64, 6);
    assert_int_equal(next(record, &position).value.u64, 7);
    field = next(record, &position);
    assert_int_equal(field.value.code, FIL_E_IO);
    assert_true(field.is_apart);
    assert_true(fil_bytes_equal_text(next(record, &position).value.text, "(none)"));
    assert_false(fil_log_record_next(record, &position, &field));
    assert_int_equal(record->field_count, 11);
}

static void test_first_error_is_the_records(void **state)
{
    (void)state;
    const struct fil_log_field fields[] = {FIL_F_U64("fd", 3),
                                           FIL_F_ERROR(FIL_E_SYSTEM),
                                           FIL_F_ERROR(FIL_E_IO),
                                           {.type = FIL_LOG_END}};
    assert_int_equal(encode(fields)->error, FIL_E_SYSTEM);
}

/** Encodes one text of the size with a two-byte character at the given place. */
static struct fil_log_field cut(size_t size, size_t character_at)
{
    static uint8_t text[2 * FIL_LOG_TEXT_MAX];
    memset(text, 'a', sizeof(text));
    text[character_at] = 0xC3;
    text[character_at + 1] = 0xA9;
    const struct fil_log_field fields[] = {FIL_F_BYTES("text", fil_bytes_make(text, size)),
                                           {.type = FIL_LOG_END}};
    uint32_t position = 0;
    return next(encode(fields), &position);
}

static void test_long_text_is_cut_between_characters(void **state)
{
    (void)state;
    struct fil_log_field field = cut(FIL_LOG_TEXT_MAX, 0);
    assert_int_equal(field.value.text.size, FIL_LOG_TEXT_MAX);
    assert_false(field.is_cut);

    field = cut(FIL_LOG_TEXT_MAX + 1, 0);
    assert_int_equal(field.value.text.size, FIL_LOG_TEXT_MAX);
    assert_true(field.is_cut);

    // The character would stand across the end.
    field = cut(FIL_LOG_TEXT_MAX + 1, FIL_LOG_TEXT_MAX - 1);
    assert_int_equal(field.value.text.size, FIL_LOG_TEXT_MAX - 1);
    assert_true(field.is_cut);

    // The character ends exactly there.
    field = cut(FIL_LOG_TEXT_MAX + 1, FIL_LOG_TEXT_MAX - 2);
    assert_int_equal(field.value.text.size, FIL_LOG_TEXT_MAX);
}

static void test_fields_beyond_the_limit_are_left_out(void **state)
{
    (void)state;
    static char text[FIL_LOG_TEXT_MAX + 1];
    memset(text, 'z', sizeof(text) - 1);
    struct fil_log_field fields[FIL_LOG_FIELDS_MAX + 2];
    for (size_t i = 0; i < FIL_COUNT_OF(fields); i++) {
        fields[i] = FIL_F_TEXT("text", text);
    }
    const struct fil_log_record *record = encode(fields);
    assert_int_equal(record->field_count, FIL_LOG_FIELDS_MAX);
    assert_int_equal(record->size, FIL_LOG_RECORD_BYTES_MAX);

    uint32_t position = 0;
    for (uint32_t i = 0; i < FIL_LOG_FIELDS_MAX; i++) {
        assert_int_equal(next(record, &position).value.text.size, FIL_LOG_TEXT_MAX);
    }
    assert_false(fil_log_record_next(record, &position, &fields[0]));
}

static void test_copy_has_the_fields_that_fit(void **state)
{
    (void)state;
    const struct fil_log_field fields[] = {FIL_F_U64("fd", 3),
                                           FIL_F_TEXT("path", "/tmp/some/where"),
                                           FIL_F_U64("last", 5),
                                           {.type = FIL_LOG_END}};
    const struct fil_log_record *record = encode(fields);
    static alignas(8) uint8_t room[FIL_LOG_RECORD_BYTES_MAX];
    for (uint32_t size = sizeof(*record); size <= record->size; size += 8) {
        memset(room, 0xA5, sizeof(room));
        const struct fil_log_record *copy = fil_log_record_copy(room, size, record);
        assert_true(copy->size <= size);
        assert_int_equal(room[size], 0xA5);
        assert_string_equal(copy->site.event, "tested");
        uint32_t position = 0;
        for (uint32_t i = 0; i < copy->field_count; i++) {
            struct fil_log_field field = next(copy, &position);
            assert_string_equal(field.key, fields[i].key);
            assert_true(field.type != FIL_LOG_TEXT ||
                        fil_bytes_equal_text(field.value.text, "/tmp/some/where"));
        }
        assert_int_equal(sizeof(*copy) + position, copy->size);
        assert_int_equal(copy->field_count == 3, size == record->size);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_head_comes_back),
        cmocka_unit_test(test_every_type_comes_back),
        cmocka_unit_test(test_first_error_is_the_records),
        cmocka_unit_test(test_long_text_is_cut_between_characters),
        cmocka_unit_test(test_fields_beyond_the_limit_are_left_out),
        cmocka_unit_test(test_copy_has_the_fields_that_fit),
    };
    return cmocka_run_group_tests_name("log record", tests, NULL, NULL);
}
