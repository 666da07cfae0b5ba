// SPDX-License-Identifier: Apache-2.0
/**
 * Records as entries: what is written is read back; a text alone is that text; numbers that a
 * Hazelcast client has serialized are understood; what does not fit is malformed.
 */
#include "flow/form.h"

#include <string.h>

#include "filbert/error.h"
#include "tests/unit/harness.h"

struct row {
    int64_t id;
    char name[8];
    double price;
};

static const struct fil_field fields[] = {FIL_I64(struct row, id), FIL_TEXT(struct row, name),
                                          FIL_F64(struct row, price)};
static const struct fil_type value_type = {"row", sizeof(struct row), fields + 1, 2};
static const struct fil_type text_type = {"row", sizeof(struct row), fields + 1, 1};
static const struct fil_type number_type = {"row", sizeof(struct row), fields, 1};
static const struct fil_type real_type = {"row", sizeof(struct row), fields + 2, 1};
static char bytes[128];

static void test_what_is_written_is_read_back(void **state)
{
    (void)state;
    const struct row row = {.id = -42, .name = "a,\"b", .price = 0.1};
    struct row back = {.id = 7};
    assert_true(fil_form_size_max(&value_type) <= sizeof(bytes));
    size_t size = fil_form_write_value(&value_type, &row, bytes, sizeof(bytes));
    assert_int_equal(fil_form_read_value(&value_type, fil_bytes_make(bytes, size), &back), FIL_OK);
    assert_int_equal(back.id, 7); // not a field of the value
    size = fil_form_write_key(&fields[0], &row, bytes);
    assert_memory_equal(bytes, "-42", size);
    assert_int_equal(fil_form_read_key(&fields[0], fil_bytes_make(bytes, size), &back), FIL_OK);
    assert_memory_equal(&back, &row, sizeof(row));
}

static void test_text_alone_is_that_text(void **state)
{
    (void)state;
    const struct row row = {.name = "a,b"};
    struct row back = {0};
    size_t size = fil_form_write_value(&text_type, &row, bytes, sizeof(bytes));
    assert_int_equal(size, 3);
    assert_memory_equal(bytes, "a,b", 3);
    assert_int_equal(fil_form_read_value(&text_type, fil_bytes_of("x,\"y"), &back), FIL_OK);
    assert_string_equal(back.name, "x,\"y");
    assert_int_equal(fil_form_write_key(&fields[1], &row, bytes), 3);
}

static void test_serialized_numbers_are_understood(void **state)
{
    (void)state;
    const uint8_t i32[] = {0, 0, 0, 0, 255, 255, 255, 0xf9, 255, 255, 255, 254};
    const uint8_t i64[] = {0, 0, 0, 0, 255, 255, 255, 0xf8, 0, 0, 0, 0, 0, 0, 1, 0};
    const uint8_t f64[] = {0, 0, 0, 0, 255, 255, 255, 0xf6, 0x3f, 0xf8, 0, 0, 0, 0, 0, 0};
    struct row row = {0};
    assert_int_equal(fil_form_read_key(&fields[0], fil_bytes_make(i32, 12), &row), FIL_OK);
    assert_int_equal(row.id, -2);
    assert_int_equal(fil_form_read_value(&number_type, fil_bytes_make(i64, 16), &row), FIL_OK);
    assert_int_equal(row.id, 256);
    assert_int_equal(fil_form_read_value(&real_type, fil_bytes_make(f64, 16), &row), FIL_OK);
    assert_true(row.price > 1.49 && row.price < 1.51);
    assert_int_equal(fil_form_read_value(&number_type, fil_bytes_make(f64, 16), &row),
                     FIL_E_MALFORMED);
    assert_int_equal(fil_form_read_value(&number_type, fil_bytes_make(i64, 15), &row),
                     FIL_E_MALFORMED);
    assert_int_equal(fil_form_read_value(&value_type, fil_bytes_make(i64, 16), &row),
                     FIL_E_MALFORMED);
    assert_int_equal(fil_form_read_key(&fields[1], fil_bytes_make(i64, 16), &row), FIL_E_MALFORMED);
}

static void test_what_does_not_fit_is_malformed(void **state)
{
    (void)state;
    struct row row = {0};
    assert_int_equal(fil_form_read_key(&fields[0], fil_bytes_of("4x"), &row), FIL_E_MALFORMED);
    assert_int_equal(fil_form_read_key(&fields[0], fil_bytes_of(""), &row), FIL_E_MALFORMED);
    assert_int_equal(fil_form_read_key(&fields[1], fil_bytes_of("ninebytes"), &row),
                     FIL_E_MALFORMED);
    assert_int_equal(fil_form_read_value(&value_type, fil_bytes_of("a"), &row), FIL_E_MALFORMED);
    assert_int_equal(fil_form_read_value(&value_type, fil_bytes_of("a,1,2"), &row),
                     FIL_E_MALFORMED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_written_is_read_back),
        cmocka_unit_test(test_text_alone_is_that_text),
        cmocka_unit_test(test_serialized_numbers_are_understood),
        cmocka_unit_test(test_what_does_not_fit_is_malformed),
    };
    return cmocka_run_group_tests_name("form", tests, NULL, NULL);
}
