// SPDX-License-Identifier: Apache-2.0
/**
 * An order of items: numbers of all types by their size, then texts, then what cannot be compared;
 * the other way round on demand, but for those groups.
 */
#include "protocol/client/order.h"

#include "filbert/error.h"
#include "lib/base/writer.h"
#include "protocol/client/serialization.h"
#include "tests/unit/harness.h"

static uint8_t room[8][64];
static uint32_t used;

static struct fil_bytes form_of(struct fil_wire_value value)
{
    struct fil_writer writer;
    uint8_t *bytes = room[used++ % 8];
    fil_writer_init(&writer, (char *)bytes, sizeof(room[0]));
    assert_int_equal(fil_wire_value_encode(&value, &writer), FIL_OK);
    return fil_bytes_make(bytes, fil_wire_value_size(&value));
}

static struct fil_bytes integer(int64_t number)
{
    return form_of(fil_wire_value_integer(FIL_WIRE_DATA_INTEGER, number));
}

static struct fil_bytes real(double number)
{
    return form_of(fil_wire_value_real(FIL_WIRE_DATA_DOUBLE, number));
}

static int compare(bool is_descending, struct fil_bytes left, struct fil_bytes right)
{
    struct fil_wire_order order = {.is_descending = is_descending};
    return fil_wire_order_compare(&order, left, right);
}

static void test_numbers_of_all_types(void **state)
{
    (void)state;
    assert_true(compare(false, integer(2), integer(10)) < 0);
    assert_true(compare(false, real(2.5), integer(2)) > 0);
    assert_int_equal(compare(false, real(2), integer(2)), 0);
    assert_true(compare(true, integer(2), integer(10)) > 0);
}

static void test_texts_by_their_bytes(void **state)
{
    (void)state;
    assert_true(compare(false, fil_bytes_of("a"), fil_bytes_of("b")) < 0);
    assert_true(compare(false, fil_bytes_of("a"), fil_bytes_of("aa")) < 0);
    assert_int_equal(compare(false, fil_bytes_of("a"), fil_bytes_of("a")), 0);
    assert_true(compare(true, fil_bytes_of("a"), fil_bytes_of("aa")) > 0);
}

static void test_attributes_of_json(void **state)
{
    (void)state;
    struct fil_wire_order order = {0};
    struct fil_bytes low = fil_bytes_of("{\"job\": {\"level\": 2}, \"name\": \"b\"}");
    struct fil_bytes high = fil_bytes_of("{\"name\": \"a\", \"job\": {\"level\": 10}}");
    struct fil_bytes none = fil_bytes_of("{}");
    assert_int_equal(fil_wire_order_by(&order, "job.level"), FIL_OK);
    assert_true(fil_wire_order_compare(&order, low, high) < 0);
    assert_true(fil_wire_order_compare(&order, none, high) > 0);
    assert_int_equal(fil_wire_order_compare(&order, none, integer(3)), 0);
    assert_int_equal(fil_wire_order_by(&order, "name"), FIL_OK);
    assert_true(fil_wire_order_compare(&order, low, high) > 0);
    assert_int_equal(fil_wire_order_by(&order, "a..b"), FIL_E_INVALID);
    assert_int_equal(fil_wire_order_by(&order, ""), FIL_E_INVALID);
}

static void test_groups_stay_where_they_are(void **state)
{
    (void)state;
    struct fil_bytes truth = form_of(fil_wire_value_boolean(true));
    assert_true(compare(false, integer(9), fil_bytes_of("1")) < 0);
    assert_true(compare(true, integer(9), fil_bytes_of("1")) < 0);
    assert_true(compare(true, truth, fil_bytes_of("1")) > 0);
    assert_int_equal(compare(true, truth, form_of(fil_wire_value_boolean(false))), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_of_all_types),
        cmocka_unit_test(test_texts_by_their_bytes),
        cmocka_unit_test(test_attributes_of_json),
        cmocka_unit_test(test_groups_stay_where_they_are),
    };
    return cmocka_run_group_tests_name("order", tests, NULL, NULL);
}
