// SPDX-License-Identifier: Apache-2.0
/**
 * A pack's contract: every string comes back as it was; numbers take as few bytes as they can; the
 * one spelling of a number is what is kept as one.
 */
#include "core/items/pack.h"

#include "tests/unit/harness.h"

static void assert_round(const char *text, uint32_t size)
{
    uint8_t room[FIL_PACK_ITEM_MAX];
    char digits[FIL_DIGITS_MAX];
    assert_int_equal(fil_pack_write(fil_bytes_of(text), room), size);
    assert_int_equal(fil_pack_size(room), size);
    assert_true(fil_bytes_equal(fil_pack_read(room, digits), fil_bytes_of(text)));
}

static void test_numbers_take_few_bytes(void **state)
{
    (void)state;
    uint8_t room[FIL_PACK_ITEM_MAX];
    assert_round("0", 1);
    assert_round("63", 1);
    assert_round("64", 2);
    assert_round("-1", 2);
    assert_round("-128", 2);
    assert_round("128", 3);
    assert_round("-32769", 4);
    assert_round("9223372036854775807", 9);
    assert_round("-9223372036854775808", 9);
    assert_int_equal(fil_pack_write(fil_bytes_of("127"), room), 2);
}

static void test_other_spellings_stay_text(void **state)
{
    (void)state;
    int64_t number = 0;
    uint8_t room[FIL_PACK_ITEM_MAX];
    assert_round("", 1);
    assert_round("-0", 3);
    assert_round("007", 4);
    assert_round("+1", 3);
    assert_round("9223372036854775808", 20);
    assert_round("a text", 7);
    assert_int_equal(fil_pack_write(fil_bytes_of("01"), room), 3);
    assert_false(fil_pack_read_number(room, &number));
}

static void test_longest_text_fits(void **state)
{
    (void)state;
    uint8_t text[FIL_PACK_TEXT_MAX];
    uint8_t room[FIL_PACK_ITEM_MAX];
    char digits[FIL_DIGITS_MAX];
    memset(text, 'x', sizeof(text));
    struct fil_bytes bytes = fil_bytes_make(text, sizeof(text));
    assert_int_equal(fil_pack_write(bytes, room), FIL_PACK_ITEM_MAX);
    assert_true(fil_bytes_equal(fil_pack_read(room, digits), bytes));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_take_few_bytes),
        cmocka_unit_test(test_other_spellings_stay_text),
        cmocka_unit_test(test_longest_text_fits),
    };
    return cmocka_run_group_tests_name("pack", tests, NULL, NULL);
}
