// SPDX-License-Identifier: Apache-2.0
/**
 * Records, one test a promise: four bytes of head for what is short and twelve for what is long;
 * each group is there when its flag is and keeps apart from key, value and the other groups.
 */
#include "core/store/record.h"

#include "tests/unit/harness.h"

static uint8_t record[100000];
static const uint8_t text[70000] = {'a', 'b', 'c'};

static void make(uint32_t groups, size_t key_size, size_t value_size)
{
    struct fil_record_shape shape = fil_record_shape_of(groups, key_size, value_size);
    memset(record, 0xFF, sizeof(record));
    fil_record_make(record, &shape, fil_bytes_make(text, key_size));
    assert_int_equal(fil_record_bytes(record), fil_record_shape_bytes(&shape));
}

static void test_heads_are_short_where_they_can_be(void **state)
{
    (void)state;
    make(0, 16, 100);
    assert_int_equal(fil_record_bytes(record), 120);
    make(0, 255, 65535);
    assert_int_equal(fil_record_bytes(record), 4 + 255 + 65535);
    make(0, 256, 1);
    assert_int_equal(fil_record_bytes(record), 12 + 257);
    assert_int_equal(fil_record_key(record).size, 256);
    assert_int_equal(fil_record_value(record).size, 1);
    make(0, 0, 65536);
    assert_int_equal(fil_record_bytes(record), 12 + 65536);
    make(0, 0, 0);
    assert_int_equal(fil_record_bytes(record), 4);
}

static void test_value_size_changes_in_place(void **state)
{
    (void)state;
    make(FIL_RECORD_ACCESS, 3, 10);
    fil_record_set_value_size(record, 300);
    assert_int_equal(fil_record_value(record).size, 300);
    assert_true(fil_bytes_equal_text(fil_record_key(record), "abc"));
    make(0, 300, 10);
    fil_record_set_value_size(record, 90000);
    assert_int_equal(fil_record_value(record).size, 90000);
    assert_int_equal(fil_record_key(record).size, 300);
}

static void check_groups(uint32_t groups, size_t key_size)
{
    struct fil_record_timer timer = {.armed = 1, .next = 2, .previous = 3};
    struct fil_record_idle idle = {.expires_ms = 4, .max_idle_ms = 5, .access_ms = 6};
    struct fil_record_access access = {.tick = 7, .hits = 8};
    struct fil_record_links links = {.newer = 9, .older = 10};
    struct fil_record_statistics statistics = {.created_ms = 11, .updated_ms = 12, .version = 13};
    make(groups, key_size, 5);
    if ((groups & FIL_RECORD_TIMER) != 0) {
        fil_record_set_timer(record, &timer);
    }
    if ((groups & FIL_RECORD_IDLE) != 0) {
        fil_record_set_idle(record, &idle);
    }
    if ((groups & FIL_RECORD_ACCESS) != 0) {
        fil_record_set_access(record, &access);
    }
    if ((groups & FIL_RECORD_LINKS) != 0) {
        fil_record_set_links(record, &links);
    }
    if ((groups & FIL_RECORD_STATISTICS) != 0) {
        fil_record_set_statistics(record, &statistics);
    }
    assert_true(fil_bytes_equal(fil_record_key(record), fil_bytes_make(text, key_size)));
    assert_true((groups & FIL_RECORD_TIMER) == 0 || fil_record_timer(record).previous == 3);
    assert_true((groups & FIL_RECORD_IDLE) == 0 || fil_record_idle(record).access_ms == 6);
    assert_true((groups & FIL_RECORD_ACCESS) == 0 || fil_record_access(record).hits == 8);
    assert_true((groups & FIL_RECORD_LINKS) == 0 || fil_record_links(record).older == 10);
    assert_true((groups & FIL_RECORD_STATISTICS) == 0 ||
                fil_record_statistics(record).version == 13);
}

static void test_groups_keep_apart(void **state)
{
    (void)state;
    for (uint32_t groups = 0; groups <= FIL_RECORD_GROUPS; groups++) {
        check_groups(groups, 3);
        check_groups(groups, 300);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heads_are_short_where_they_can_be),
        cmocka_unit_test(test_value_size_changes_in_place),
        cmocka_unit_test(test_groups_keep_apart),
    };
    return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
