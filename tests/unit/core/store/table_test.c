// SPDX-License-Identifier: Apache-2.0
/**
 * The table, one test a promise: tags match alike in SIMD and in plain C; it finds what was added
 * and not what was removed, with good hashes and with hashes that all collide, while it grows and
 * shrinks by single buckets; walking positions visits every entry once whatever happens between two
 * groups; it starts at one bucket; it has a directory only beyond its first segment; without memory
 * nothing changes.
 */
#include "core/store/table.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/attr.h"
#include "lib/base/prng.h"
#include "tests/unit/harness.h"

#define ITEMS 20000U

static struct fil_budget budget;
static struct fil_account account;
static struct fil_slab slab;
static struct fil_table table;

/** What a reference stands for: a block of the slab that holds its hash. */
static uint64_t hash_of(const void *context, uint32_t reference)
{
    uint64_t hash = 0;
    (void)context;
    memcpy(&hash, fil_slab_at(&slab, reference), sizeof(hash));
    return hash;
}

static int set_up(void **state)
{
    (void)state;
    fil_budget_init(&budget, UINT64_C(1) << 30);
    fil_account_init(&account, &budget);
    fil_slab_init(&slab);
    fil_table_init(&table);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_alloc_fail_after(-1);
    fil_table_fini(&table, &account);
    fil_slab_fini(&slab, &account);
    fil_account_fini(&account);
    assert_int_equal(fil_budget_drawn(&budget), 0);
    return 0;
}

static uint32_t references[ITEMS];
static uint64_t hashes[ITEMS];

static void add_only(uint32_t item)
{
    references[item] = fil_slab_alloc(&slab, &account, 8);
    memcpy(fil_slab_at(&slab, references[item]), &hashes[item], 8);
    assert_int_equal(fil_table_add(&table, &slab, &account, hashes[item], references[item]),
                     FIL_OK);
}

static void add(uint32_t item)
{
    add_only(item);
    (void)fil_table_adapt(&table, &slab, &account, hash_of, NULL);
}

static void take(uint32_t item)
{
    fil_table_remove(&table, &slab, &account, hashes[item], references[item]);
    fil_slab_release(&slab, &account, references[item]);
    references[item] = FIL_SLAB_NONE;
    (void)fil_table_adapt(&table, &slab, &account, hash_of, NULL);
}

static bool has(uint32_t item)
{
    struct fil_table_probe probe = fil_table_find(&table, hashes[item]);
    uint32_t found = FIL_SLAB_NONE;
    do {
        found = fil_table_next(&probe, &slab);
    } while (found != FIL_SLAB_NONE && found != references[item]);
    return found != FIL_SLAB_NONE;
}

static void draw_hashes(uint64_t seed, uint64_t mask)
{
    struct fil_prng prng;
    fil_prng_init(&prng, seed);
    memset(references, 0, sizeof(references));
    for (uint32_t i = 0; i < ITEMS; i++) {
        hashes[i] = fil_prng_next(&prng) & mask;
    }
}

static void test_tags_match_alike(void **state)
{
    (void)state;
    struct fil_prng prng;
    fil_prng_init(&prng, 5);
    for (uint32_t i = 0; i < 10000; i++) {
        uint8_t tags[16];
        for (uint32_t j = 0; j < 16; j++) {
            tags[j] = (uint8_t)fil_prng_below(&prng, 4);
        }
        for (uint8_t wanted = 0; wanted < 5; wanted++) {
            assert_int_equal(fil_tags_match(tags, wanted), fil_tags_match_plain(tags, wanted));
        }
    }
    uint8_t tags[16] = {9, 0, 9};
    assert_int_equal(fil_tags_match_plain(tags, 9), 5);
}

static void check_against_model(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        add(i);
    }
    fil_table_check(&table, &slab, hash_of, NULL);
    for (uint32_t i = 0; i < count; i++) {
        assert_true(has(i));
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t item = i * 7919U % count;
        if (references[item] != FIL_SLAB_NONE) {
            take(item);
        }
        if (i % (count / 8) == 0) {
            fil_table_check(&table, &slab, hash_of, NULL);
        }
    }
    assert_int_equal(table.count, 0);
}

static void test_what_was_added_is_found(void **state)
{
    (void)state;
    draw_hashes(1, UINT64_MAX);
    check_against_model(ITEMS - 1);
    // It has shrunk to next to nothing on the way.
    assert_true(table.bucket_count <= 2);
}

static void test_colliding_hashes_are_chained(void **state)
{
    (void)state;
    draw_hashes(2, 3);
    check_against_model(1009);
}

static void test_index_costs_ten_bytes_an_entry(void **state)
{
    (void)state;
    draw_hashes(3, UINT64_MAX);
    for (uint32_t i = 0; i < ITEMS; i++) {
        add(i);
        if (i > 2000 && i % 1000 == 0) {
            uint64_t bytes = fil_account_used(&account) - slab.run_bytes +
                             (slab.used_bytes - 8ULL * table.count);
            assert_true(bytes < table.count * 12ULL);
        }
    }
}

static void test_starts_with_one_bucket(void **state)
{
    (void)state;
    draw_hashes(4, UINT64_MAX);
    add(0);
    assert_int_equal(table.bucket_count, 1);
    assert_true(fil_account_used(&account) - slab.run_bytes < 512);
}

/** Walks all groups while `change` is called between them; returns what was seen. */
static uint8_t seen[ITEMS];

static void walk_group(uint64_t position, uint64_t *out_next)
{
    uint32_t group[FIL_BUCKET_SLOTS];
    uint32_t skip = 0;
    uint32_t count = FIL_BUCKET_SLOTS;
    while (count == FIL_BUCKET_SLOTS) {
        struct fil_table_page page = {.skip = skip, .limit = FIL_BUCKET_SLOTS};
        count = fil_table_group(&table, &slab, position, page, group, out_next);
        for (uint32_t i = 0; i < count; i++) {
            uint64_t hash = hash_of(NULL, group[i]);
            for (uint32_t item = 0; item < ITEMS; item++) {
                if (hashes[item] == hash && references[item] == group[i] &&
                    fil_table_position(hash) >= position) {
                    seen[item]++;
                }
            }
        }
        skip += count;
    }
}

static void test_walk_survives_growth_and_shrinking(void **state)
{
    (void)state;
    draw_hashes(6, UINT64_MAX);
    memset(seen, 0, sizeof(seen));
    // The first 300 stay; the others come and go while the walk is under way.
    for (uint32_t i = 0; i < 300; i++) {
        add(i);
    }
    uint32_t end = 300;
    uint64_t position = 0;
    for (uint32_t turn = 0; position < FIL_TABLE_END; turn++) {
        walk_group(position, &position);
        bool is_growing = turn / 20 % 2 == 0;
        for (uint32_t i = 0; i < 60; i++) {
            if (is_growing && end < ITEMS) {
                add(end);
                end++;
            } else if (!is_growing && end > 300) {
                end--;
                take(end);
            }
        }
    }
    for (uint32_t i = 0; i < 300; i++) {
        assert_int_equal(seen[i], 1);
    }
}

static void test_sample_gives_entries(void **state)
{
    (void)state;
    draw_hashes(7, UINT64_MAX);
    for (uint32_t i = 0; i < 100; i++) {
        add(i);
    }
    uint32_t sample[FIL_BUCKET_SLOTS];
    for (uint64_t random = 1; random != 0; random <<= 1) {
        uint32_t count = fil_table_sample(&table, &slab, random * 77, sample);
        assert_in_range(count, 1, FIL_BUCKET_SLOTS);
        assert_int_not_equal(sample[count - 1], FIL_SLAB_NONE);
    }
}

static void test_every_failed_allocation_changes_nothing(void **state)
{
    (void)state;
    draw_hashes(8, 1);
    for (uint32_t i = 0; i < 200; i++) {
        references[i] = fil_slab_alloc(&slab, &account, 8);
        memcpy(fil_slab_at(&slab, references[i]), &hashes[i], 8);
        int error = FIL_E_NOMEM;
        for (int64_t position = 0; error != FIL_OK; position++) {
            fil_alloc_fail_after(position);
            error = fil_table_add(&table, &slab, &account, hashes[i], references[i]);
            (void)fil_table_adapt(&table, &slab, &account, hash_of, NULL);
            fil_alloc_fail_after(-1);
            assert_int_equal(table.count, i + (error == FIL_OK));
            assert_true(position < 6);
        }
        fil_table_check(&table, &slab, hash_of, NULL);
    }
}

static void test_only_more_than_a_segment_needs_a_directory(void **state)
{
    (void)state;
    draw_hashes(29, UINT64_MAX);
    uint32_t count = 0;
    while (table.bucket_count < FIL_TABLE_SEGMENT) {
        add(count);
        count++;
        assert_null(table.segments);
    }
    for (uint32_t end = count + FIL_TABLE_SEGMENT; count < end; count++) {
        add_only(count); // so that a split is due
    }
    for (int64_t position = 0; table.bucket_count == FIL_TABLE_SEGMENT; position++) {
        fil_alloc_fail_after(position);
        (void)fil_table_adapt(&table, &slab, &account, hash_of, NULL);
        fil_alloc_fail_after(-1);
        fil_table_check(&table, &slab, hash_of, NULL);
        assert_true(position < 6);
    }
    assert_non_null(table.segments);
    for (uint32_t i = 0; i < count; i++) {
        assert_true(has(i));
    }
    fil_table_check(&table, &slab, hash_of, NULL);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(tags_match_alike),
        TEST(what_was_added_is_found),
        TEST(colliding_hashes_are_chained),
        TEST(index_costs_ten_bytes_an_entry),
        TEST(starts_with_one_bucket),
        TEST(only_more_than_a_segment_needs_a_directory),
        TEST(walk_survives_growth_and_shrinking),
        TEST(sample_gives_entries),
        TEST(every_failed_allocation_changes_nothing),
    };
#undef TEST
    return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
