// SPDX-License-Identifier: Apache-2.0
/**
 * Values: each type comes back as it was sent, in the bytes that other clients write; what cannot
 * be sent is refused; readers have an answer for every type; copies own their bytes.
 */
#include "filbert/value.h"

#include <string.h>

#include "client/client_internal.h"
#include "lib/base/alloc.h"
#include "tests/unit/harness.h"

static struct fil_value round_trip(struct fil_value value, uint8_t room[256])
{
    struct fil_bytes data = {0};
    void *heap = NULL;
    assert_int_equal(fil_client__value_encode(&value, room, 256, &data, &heap), FIL_OK);
    assert_null(heap);
    return fil_client__value_view(data);
}

static void test_each_type_comes_back(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {1, 0, 2};
    struct fil_value uuid = {.type = FIL_VALUE_UUID, .as = {.uuid = {.high = 1, .low = 2}}};
    struct fil_value small = {.type = FIL_VALUE_I8, .as = {.integer = -7}};
    struct fil_value single = {.type = FIL_VALUE_F32, .as = {.real = 0.5}};
    const struct fil_value all[] = {
        fil_bool(true),
        fil_i32(-5),
        fil_i64(INT64_MIN),
        fil_f64(1.5),
        fil_str("ü€"),
        fil_str(""),
        fil_json("{}"),
        fil_blob(bytes, sizeof(bytes)),
        fil_text("x", 1),
        uuid,
        small,
        single,
    };
    for (size_t i = 0; i < FIL_COUNT_OF(all); i++) {
        uint8_t room[256];
        struct fil_value back = round_trip(all[i], room);
        assert_int_equal(back.type, all[i].type);
        assert_true(fil_value_equal(&back, &all[i]));
    }
}

static void test_bytes_are_those_of_other_clients(void **state)
{
    (void)state;
    static const uint8_t expected[] = {0, 0, 0, 0, 0xff, 0xff, 0xff, 0xf5, 0, 0, 0, 1, 'k'};
    struct fil_value value = fil_str("k");
    struct fil_bytes data = {0};
    uint8_t room[64];
    void *heap = NULL;
    assert_int_equal(fil_client__value_encode(&value, room, sizeof(room), &data, &heap), FIL_OK);
    assert_int_equal(data.size, sizeof(expected));
    assert_memory_equal(data.data, expected, sizeof(expected));
}

static void test_large_values_get_memory_of_their_own(void **state)
{
    (void)state;
    static char text[5000];
    struct fil_value value = fil_text(text, sizeof(text));
    struct fil_bytes data = {0};
    uint8_t room[64];
    void *heap = NULL;
    assert_int_equal(fil_client__value_encode(&value, room, sizeof(room), &data, &heap), FIL_OK);
    assert_non_null(heap);
    assert_int_equal(data.size, sizeof(text) + 12);
    fil_free(heap);
    fil_alloc_fail_after(0);
    assert_int_equal(fil_client__value_encode(&value, room, sizeof(room), &data, &heap),
                     FIL_E_NOMEM);
    fil_alloc_fail_after(-1);
}

static void test_what_cannot_be_sent_is_refused(void **state)
{
    (void)state;
    const struct fil_value bad[] = {
        fil_null(),
        fil_str(NULL),
        fil_data("abc", 3),
        {.type = (enum fil_value_type)99},
        {.type = FIL_VALUE_BLOB},
    };
    for (size_t i = 0; i < FIL_COUNT_OF(bad); i++) {
        struct fil_bytes data = {0};
        uint8_t room[64];
        void *heap = NULL;
        assert_int_equal(fil_client__value_encode(&bad[i], room, sizeof(room), &data, &heap),
                         FIL_E_INVALID);
    }
}

static void test_unknown_types_are_passed_on(void **state)
{
    (void)state;
    static const uint8_t pickle[] = {0, 0, 0, 0, 0xff, 0xff, 0xff, 0x88, 1, 2, 3};
    struct fil_value value = fil_client__value_view(fil_bytes_make(pickle, sizeof(pickle)));
    assert_int_equal(value.type, FIL_VALUE_DATA);
    assert_int_equal(value.as.bytes.size, sizeof(pickle));
    struct fil_bytes data = {0};
    void *heap = NULL;
    assert_int_equal(fil_client__value_encode(&value, NULL, 0, &data, &heap), FIL_OK);
    assert_ptr_equal(data.data, pickle);
}

static void test_readers_answer_for_every_type(void **state)
{
    (void)state;
    struct fil_value text = fil_str("7");
    struct fil_value real = fil_f64(2.5);
    struct fil_value huge = fil_f64(1e300);
    struct fil_value yes = fil_bool(true);
    struct fil_value nothing = fil_null();
    assert_int_equal(fil_value_i64(&text), 0);
    assert_string_equal(fil_value_str(&real), "");
    assert_int_equal(fil_value_i64(&real), 2);
    assert_int_equal(fil_value_i64(&huge), 0);
    assert_int_equal(fil_value_i64(&yes), 1);
    assert_string_equal(fil_value_str(&nothing), "");
    assert_true(fil_value_is_null(&nothing));
    assert_false(fil_value_equal(&text, &real));
    assert_true(fil_value_equal(&nothing, &nothing));
}

static void test_copies_own_their_bytes(void **state)
{
    (void)state;
    char text[] = "abc";
    struct fil_value value = fil_str(text);
    struct fil_value copy = {0};
    assert_int_equal(fil_client__value_copy(&value, &copy), FIL_OK);
    text[0] = 'x';
    assert_string_equal(fil_value_str(&copy), "abc");
    fil_value_release(&copy);
    assert_true(fil_value_is_null(&copy));
    fil_alloc_fail_after(0);
    assert_int_equal(fil_client__value_copy(&value, &copy), FIL_E_NOMEM);
    fil_alloc_fail_after(-1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_type_comes_back),
        cmocka_unit_test(test_bytes_are_those_of_other_clients),
        cmocka_unit_test(test_large_values_get_memory_of_their_own),
        cmocka_unit_test(test_what_cannot_be_sent_is_refused),
        cmocka_unit_test(test_unknown_types_are_passed_on),
        cmocka_unit_test(test_readers_answer_for_every_type),
        cmocka_unit_test(test_copies_own_their_bytes),
    };
    return cmocka_run_group_tests_name("value", tests, NULL, NULL);
}
