// SPDX-License-Identifier: Apache-2.0
/**
 * What serialized values read as, one test a promise: text and bytes are as they are, JSON is its
 * text, numbers are decimal with the fewest digits that give them back, truths are words, and what
 * is not exactly of its type is as it is.
 */
#include "grid/map/form_text.h"

#include "tests/unit/harness.h"

#define BYTES(text) fil_bytes_make(text, sizeof(text) - 1)
#define HEAD        "\0\0\0\0\xff\xff\xff"

static bool reads_as(struct fil_bytes form, struct fil_bytes wanted)
{
    char room[FIL_MAP_FORM_TEXT_MAX];
    return fil_bytes_equal(fil_map_form_text(form, room), wanted);
}

static bool is_as_it_is(struct fil_bytes form)
{
    char room[FIL_MAP_FORM_TEXT_MAX];
    struct fil_bytes text = fil_map_form_text(form, room);
    return text.data == form.data && text.size == form.size;
}

static void test_text_and_bytes_are_as_they_are(void **state)
{
    (void)state;
    assert_true(is_as_it_is(BYTES("plain text")));
    assert_true(is_as_it_is(BYTES("")));
    assert_true(is_as_it_is(BYTES("\0\0\0\0\0\0\0\0\0\0\0\0")));
    assert_true(is_as_it_is(BYTES("\0\1\2\3\4\5\6\7\10\11\12\13")));
}

static void test_json_is_its_text(void **state)
{
    (void)state;
    assert_true(reads_as(BYTES(HEAD "\x7e\0\0\0\7{\"a\":1}"), BYTES("{\"a\":1}")));
    assert_true(is_as_it_is(BYTES(HEAD "\x7e\0\0\0\6{\"a\":1}")));
    assert_true(is_as_it_is(BYTES(HEAD "\x7e\0\0")));
}

static void test_numbers_are_decimal(void **state)
{
    (void)state;
    assert_true(reads_as(BYTES(HEAD "\xf9\0\0\0\x2a"), BYTES("42")));
    assert_true(reads_as(BYTES(HEAD "\xf9\xff\xff\xff\xff"), BYTES("-1")));
    assert_true(reads_as(BYTES(HEAD "\xf8\x80\0\0\0\0\0\0\0"), BYTES("-9223372036854775808")));
    assert_true(reads_as(BYTES(HEAD "\xfa\xff\xfe"), BYTES("-2")));
    assert_true(reads_as(BYTES(HEAD "\xfd\x7f"), BYTES("127")));
    assert_true(reads_as(BYTES(HEAD "\xf6\x3f\xf8\0\0\0\0\0\0"), BYTES("1.5")));
    assert_true(reads_as(BYTES(HEAD "\xf6\x3f\xb9\x99\x99\x99\x99\x99\x9a"), BYTES("0.1")));
    assert_true(
        reads_as(BYTES(HEAD "\xf6\x3f\xd3\x33\x33\x33\x33\x33\x34"), BYTES("0.30000000000000004")));
    assert_true(reads_as(BYTES(HEAD "\xf7\x3d\xcc\xcc\xcd"), BYTES("0.1")));
    assert_true(reads_as(BYTES(HEAD "\xf6\x7f\xf8\0\0\0\0\0\0"), BYTES("nan")));
}

static void test_truths_are_words(void **state)
{
    (void)state;
    assert_true(reads_as(BYTES(HEAD "\xfc\1"), BYTES("true")));
    assert_true(reads_as(BYTES(HEAD "\xfc\0"), BYTES("false")));
}

static void test_what_is_not_of_its_type_is_as_it_is(void **state)
{
    (void)state;
    assert_true(is_as_it_is(BYTES(HEAD "\xf9\0\0\0")));
    assert_true(is_as_it_is(BYTES(HEAD "\xf9\0\0\0\0\0")));
    assert_true(is_as_it_is(BYTES(HEAD "\xc9\0\0\0\0")));
    assert_true(is_as_it_is(BYTES("\0\0\0\1\xff\xff\xff\xf9\0\0\0\x2a")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_and_bytes_are_as_they_are),
        cmocka_unit_test(test_json_is_its_text),
        cmocka_unit_test(test_numbers_are_decimal),
        cmocka_unit_test(test_truths_are_words),
        cmocka_unit_test(test_what_is_not_of_its_type_is_as_it_is),
    };
    return cmocka_run_group_tests_name("form_text", tests, NULL, NULL);
}
