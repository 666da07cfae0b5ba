// SPDX-License-Identifier: Apache-2.0
/**
 * A million random operations on a multimap against a table of which key has which value: every
 * answer and every count is the same, as a set and with allocations that fail.
 */
#include "grid/map/multi.h"

#include "lib/base/assert.h"
#include "lib/base/prng.h"
#include "tests/unit/grid/map/map_fixture.h"

#define OPERATIONS 1000000U
#define KEYS       64U
#define VALUES     48U

static struct fil_prng prng;
static bool has[KEYS][VALUES];
static uint64_t total;

static struct fil_bytes name_of(char *room, size_t size, char letter, uint32_t number)
{
    int length = snprintf(room, size, "%c%u", letter, number);
    fil_assert(length > 0 && (size_t)length < size);
    return fil_bytes_make(room, (size_t)length);
}

static uint64_t count_of(uint32_t key)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < VALUES; i++) {
        count += has[key][i];
    }
    return count;
}

static void put_value(const struct fil_map_key *where, uint32_t key, uint32_t value)
{
    char room[16];
    bool is_new = false;
    bool fails = fil_prng_below(&prng, 50) == 0;
    fil_alloc_fail_after(fails ? 0 : -1);
    int error = fil_multimap_put_here(map, where, name_of(room, sizeof(room), 'v', value), now_ms(),
                                      &is_new);
    fil_alloc_fail_after(-1);
    assert_true(error == FIL_OK || (fails && error == FIL_E_NOMEM));
    assert_int_equal(is_new, error == FIL_OK && !has[key][value]);
    total += is_new;
    has[key][value] = has[key][value] || is_new;
}

static void remove_value(const struct fil_map_key *where, uint32_t key, uint32_t value)
{
    char room[16];
    bool was_there = fil_multimap_remove_value_here(
        map, where, name_of(room, sizeof(room), 'v', value), now_ms());
    assert_int_equal(was_there, has[key][value]);
    total -= was_there;
    has[key][value] = false;
}

static void look(const struct fil_map_key *where, uint32_t key, uint32_t value)
{
    char room[16];
    struct fil_bytes bytes = name_of(room, sizeof(room), 'v', value);
    assert_int_equal(fil_multimap_contains_here(map, where, bytes, now_ms()), has[key][value]);
    assert_int_equal(fil_multimap_count_here(map, where, now_ms()), count_of(key));
    assert_int_equal(fil_multimap_size(map), total);
}

static void drop_key(const struct fil_map_key *where, uint32_t key)
{
    uint64_t count = count_of(key);
    assert_int_equal(fil_multimap_remove_here(map, where, now_ms()), count);
    total -= count;
    memset(has[key], 0, sizeof(has[key]));
}

static void step(void)
{
    char room[16];
    uint32_t key = (uint32_t)fil_prng_below(&prng, KEYS);
    uint32_t value = (uint32_t)fil_prng_below(&prng, VALUES);
    struct fil_map_key where = fil_map_place(map, name_of(room, sizeof(room), 'k', key));
    struct fil_partition *partition = go_in(&where);
    uint64_t kind = fil_prng_below(&prng, 100);
    if (kind < 50) {
        put_value(&where, key, value);
    } else if (kind < 75) {
        remove_value(&where, key, value);
    } else if (kind < 99) {
        look(&where, key, value);
    } else {
        drop_key(&where, key);
    }
    fil_partition_leave(partition);
}

static void test_multimap_is_what_the_table_says(void **state)
{
    (void)state;
    open_map_with(&(struct fil_map_config){.values = FIL_MAP_VALUES_SET});
    fil_prng_init(&prng, 7);
    for (uint32_t i = 0; i < OPERATIONS; i++) {
        step();
    }
    assert_int_equal(fil_multimap_size(map), total);
    close_map();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_multimap_is_what_the_table_says)};
    return cmocka_run_group_tests_name("multimap model", tests, NULL, NULL);
}
