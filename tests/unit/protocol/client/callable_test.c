// SPDX-License-Identifier: Apache-2.0
/**
 * What clients want to be run, one test a promise: a string, JSON and an object each name a
 * function with its argument; a Runnable's wrapper is opened; what names nothing, or is cut off, is
 * refused with a reason.
 */
#include "protocol/client/callable.h"

#include <string.h>

#include "filbert/error.h"
#include "tests/unit/harness.h"

#define HASH       "\0\0\0\0"
#define STRING     "\xff\xff\xff\xf5"
#define JSON       "\xff\xff\xff\x7e"
#define OBJECT     "\xff\xff\xff\xfe"
#define DATA(text) fil_bytes_make(text, sizeof(text) - 1)

static struct fil_wire_callable callable;
static const char *reason;

static int decode(struct fil_bytes data)
{
    return fil_wire_callable_decode(data, &callable, &reason);
}

static void assert_is(const char *name, const char *argument)
{
    assert_false(callable.has_ids);
    assert_true(fil_bytes_equal_text(callable.name, name));
    assert_true(fil_bytes_equal_text(callable.argument, argument));
}

static void test_a_string_has_name_and_argument(void **state)
{
    (void)state;
    assert_int_equal(decode(DATA(HASH STRING "\0\0\0\x0a"
                                             "echo a b c")),
                     FIL_OK);
    assert_is("echo", "a b c");
    assert_int_equal(decode(DATA(HASH STRING "\0\0\0\4"
                                             "echo")),
                     FIL_OK);
    assert_is("echo", "");
    assert_int_equal(decode(DATA(HASH STRING "\0\0\0\0")), FIL_OK);
    assert_is("", "");
}

static void test_json_has_function_and_argument(void **state)
{
    (void)state;
    uint8_t room[64];
    assert_int_equal(decode(DATA(HASH JSON "\0\0\0\x27"
                                           "{\"function\":\"ec\\u0068o\",\"argument\":[1]}")),
                     FIL_OK);
    assert_is("echo", "[1]");
    assert_false(callable.is_quoted);
    assert_int_equal(decode(DATA(HASH JSON "\0\0\0\x27"
                                           "{\"function\":\"echo\",\"argument\":\"a\\nb\"}  ")),
                     FIL_OK);
    assert_true(callable.is_quoted);
    assert_int_equal(fil_wire_callable_unquote(&callable, room), 3);
    assert_memory_equal(room, "a\nb", 3);
    assert_int_equal(decode(DATA(HASH JSON "\0\0\0\x13"
                                           "{\"function\":\"echo\"}")),
                     FIL_OK);
    assert_is("echo", "");
}

static void test_an_object_has_ids_and_fields(void **state)
{
    (void)state;
    assert_int_equal(decode(DATA(HASH OBJECT "\1\0\0\x1b\x9f\0\0\0\1\0\0\0\2hi")), FIL_OK);
    assert_true(callable.has_ids);
    assert_int_equal(callable.factory_id, 7071);
    assert_int_equal(callable.class_id, 1);
    assert_int_equal(callable.argument.size, 6);
    // With the version of the member for which it was written.
    assert_int_equal(decode(DATA(HASH OBJECT "\3\0\0\0\5\0\0\0\6\5\7fields")), FIL_OK);
    assert_int_equal(callable.class_id, 6);
    assert_true(fil_bytes_equal_text(callable.argument, "fields"));
}

static void test_a_runnable_is_taken_out_of_its_wrapper(void **state)
{
    (void)state;
    assert_int_equal(
        decode(DATA(HASH OBJECT "\1\xff\xff\xff\xf9\0\0\0\2" OBJECT "\1\0\0\0\5\0\0\0\6field")),
        FIL_OK);
    assert_int_equal(callable.factory_id, 5);
    assert_true(fil_bytes_equal_text(callable.argument, "field"));
    assert_int_equal(decode(DATA(HASH OBJECT "\1\xff\xff\xff\xf9\0\0\0\2" STRING "\0\0\0\6"
                                             "echo x")),
                     FIL_OK);
    assert_is("echo", "x");
}

static void test_what_names_nothing_is_refused(void **state)
{
    (void)state;
    const struct {
        struct fil_bytes data;
        int error;
        const char *reason;
    } cases[] = {
        {DATA(HASH "\xff\xff\xff\xf8\0\0\0\0\0\0\0\1"), FIL_E_UNSUPPORTED, "must be a string"},
        {DATA(HASH "\xff\xff\xff\x9c"
                   "java"),
         FIL_E_UNSUPPORTED, "must be a string"},
        {DATA(HASH OBJECT "\0\0\0\0\4Name"), FIL_E_UNSUPPORTED, "names a Java class"},
        {DATA(HASH OBJECT), FIL_E_MALFORMED, "is cut off"},
        {DATA(HASH OBJECT "\1\0\0\0\5\0\0\0"), FIL_E_MALFORMED, "is cut off"},
        {DATA(HASH OBJECT "\1\xff\xff\xff\xf9\0\0\0\2\xff"), FIL_E_MALFORMED, "is cut off"},
        {DATA(HASH STRING "\0\0\0\5"
                          "echo"),
         FIL_E_MALFORMED, "is cut off"},
        {DATA(HASH JSON "\0\0\0\2{}"), FIL_E_MALFORMED, "must be {"},
        {DATA(HASH JSON "\0\0\0\2[]"), FIL_E_MALFORMED, "must be {"},
        {DATA(HASH JSON "\0\0\0\2[["), FIL_E_MALFORMED, "must be {"},
        {DATA(HASH JSON "\0\0\0\x0e"
                        "{\"function\":1}"),
         FIL_E_MALFORMED, "must be {"},
    };
    for (size_t i = 0; i < FIL_COUNT_OF(cases); i++) {
        assert_int_equal(decode(cases[i].data), cases[i].error);
        assert_non_null(strstr(reason, cases[i].reason));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_string_has_name_and_argument),
        cmocka_unit_test(test_json_has_function_and_argument),
        cmocka_unit_test(test_an_object_has_ids_and_fields),
        cmocka_unit_test(test_a_runnable_is_taken_out_of_its_wrapper),
        cmocka_unit_test(test_what_names_nothing_is_refused),
    };
    return cmocka_run_group_tests_name("callable", tests, NULL, NULL);
}
