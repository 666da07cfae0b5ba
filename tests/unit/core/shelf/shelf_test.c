// SPDX-License-Identifier: Apache-2.0
/**
 * A shelf's contract, one test a promise: a collection is found under its key until it is removed;
 * it expires and somebody is told; it is copied, or moved to another shelf without its memory being
 * lost; a shelf is cleared in slices; it knows what all of it uses, large collections included; a
 * sorted set keeps its order when records move in memory; refused is refused, and nothing leaks.
 */
#include "core/shelf/bundle.h"

#include <stdio.h>

#include "core/shelf/zset.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/hash.h"
#include "tests/unit/harness.h"

#define SEED 7U

static struct fil_budget budget;
static struct fil_shelf *shelf;
static uint32_t told;

static int set_up(void **state)
{
    (void)state;
    told = 0;
    fil_budget_init(&budget, UINT64_C(1) << 24);
    return fil_shelf_new(&shelf, &budget, SEED);
}

static int tear_down(void **state)
{
    (void)state;
    fil_alloc_fail_after(-1);
    fil_shelf_free(shelf);
    assert_int_equal(fil_budget_drawn(&budget), 0);
    return 0;
}

static uint64_t hash_of(const char *key)
{
    return fil_hash(fil_bytes_of(key), SEED);
}

static struct fil_collection *find(const char *key, uint64_t now_ms)
{
    struct fil_bundle bundle;
    fil_bundle_open(&bundle, shelf, hash_of(key), fil_bytes_of(key), now_ms);
    return bundle.large;
}

static int add(struct fil_shelf *to, const char *key, struct fil_collection **out_new)
{
    return fil_shelf_add(to, hash_of(key), fil_bytes_of(key), FIL_COLLECTION_LIST, 1, out_new);
}

/** A list of two items. */
static struct fil_collection *add_list(struct fil_shelf *to, const char *key)
{
    struct fil_collection *list = NULL;
    assert_int_equal(add(to, key, &list), FIL_OK);
    assert_int_equal(fil_items_push_back(&list->items, fil_bytes_of("one")), FIL_OK);
    assert_int_equal(fil_items_push_back(&list->items, fil_bytes_of("two")), FIL_OK);
    return list;
}

static void test_collection_is_found_until_it_is_removed(void **state)
{
    (void)state;
    assert_null(find("a", 1));
    struct fil_collection *list = add_list(shelf, "a");
    assert_ptr_equal(find("a", 2), list);
    assert_int_equal(fil_collection_count(list), 2);
    assert_true(fil_collection_bytes(list) > sizeof(*list));
    assert_null(find("b", 2));
    assert_true(fil_shelf_remove(shelf, hash_of("a"), fil_bytes_of("a"), 3));
    assert_false(fil_shelf_remove(shelf, hash_of("a"), fil_bytes_of("a"), 3));
    assert_int_equal(fil_shelf_count(shelf), 0);
}

static void count_gone(void *context, struct fil_bytes key)
{
    assert_ptr_equal(context, &told);
    assert_true(fil_bytes_equal_text(key, "a"));
    told++;
}

static void test_collection_expires_and_somebody_is_told(void **state)
{
    (void)state;
    struct fil_store_view view;
    struct fil_store_write how = {.now_ms = 1, .expires_ms = 100};
    fil_shelf_tell(shelf, count_gone, &told);
    struct fil_collection *list = add_list(shelf, "a");
    assert_int_equal(fil_shelf_set_expiry(shelf, hash_of("a"), fil_bytes_of("a"), &how), FIL_OK);
    assert_true(fil_shelf_inspect(shelf, hash_of("a"), fil_bytes_of("a"), 99, &view));
    assert_int_equal(view.expires_ms, 100);
    assert_ptr_equal(fil_value_large(view.value), list);
    assert_null(find("a", 101));
    // Long after: the store looks at times in steps.
    (void)fil_store_expire(&shelf->store, 100000, 10);
    assert_int_equal(told, 1);
    assert_int_equal(fil_shelf_count(shelf), 0);
}

/** Gives the other shelf's key what a key of the shelf has. */
static int receive(struct fil_shelf *to, const char *key, const char *source, bool is_move)
{
    struct fil_store_view view;
    struct fil_store_write how = {.now_ms = 1};
    assert_true(fil_shelf_inspect(shelf, hash_of(source), fil_bytes_of(source), 1, &view));
    return fil_shelf_receive(to, hash_of(key), fil_bytes_of(key), &how, view.value, is_move);
}

static void test_collection_is_copied_and_moved(void **state)
{
    (void)state;
    struct fil_shelf *other = NULL;
    struct fil_bundle target;
    assert_int_equal(fil_shelf_new(&other, &budget, SEED), FIL_OK);
    struct fil_collection *list = add_list(shelf, "a");
    (void)add_list(other, "b");
    assert_int_equal(fil_items_push_back(&list->items, fil_bytes_of("three")), FIL_OK);
    assert_int_equal(receive(shelf, "c", "a", false), FIL_OK);
    assert_int_equal(fil_collection_count(find("c", 1)), 3);
    assert_int_equal(receive(other, "b", "a", true), FIL_OK);
    fil_bundle_open(&target, other, hash_of("b"), fil_bytes_of("b"), 1);
    assert_int_equal(fil_bundle_count(&target), 3);
    assert_int_equal(fil_collection_count(list), 0);
    fil_items_check(&target.large->items);
    fil_shelf_free(other);
    assert_int_equal(fil_collection_count(find("c", 1)), 3);
}

static void test_shelf_is_cleared_in_slices(void **state)
{
    (void)state;
    char key[16];
    uint32_t slices = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        (void)snprintf(key, sizeof(key), "key:%u", (unsigned)i);
        (void)add_list(shelf, key);
    }
    assert_int_equal(fil_store_evict(&shelf->store, 1, 10), 0);
    while (fil_shelf_clear(shelf, 100)) {
        slices++;
        assert_true(slices < 1000);
    }
    assert_true(slices >= 9);
    assert_int_equal(fil_shelf_count(shelf), 0);
    assert_int_equal(fil_account_used(&shelf->account), 0);
}

static void test_refused_is_refused(void **state)
{
    (void)state;
    struct fil_collection *list = NULL;
    (void)add_list(shelf, "a");
    int refusals = 0;
    int error = FIL_E_NOMEM;
    for (int position = 0; error != FIL_OK; position++) {
        fil_alloc_fail_after(position);
        error = add(shelf, "b", &list);
        fil_alloc_fail_after(-1);
        refusals += error != FIL_OK;
        assert_int_equal(fil_shelf_count(shelf), error == FIL_OK ? 2 : 1);
    }
    assert_true(refusals > 0);
    assert_int_equal(fil_items_push_back(&list->items, fil_bytes_of("old")), FIL_OK);
    for (int position = 0; position < 2; position++) {
        fil_alloc_fail_after(position);
        assert_int_equal(receive(shelf, "b", "a", false), FIL_E_NOMEM);
        fil_alloc_fail_after(-1);
        assert_int_equal(fil_collection_count(list), 1);
    }
}

/** A hash of so many members of 100 bytes. */
static void fill_hash(const char *key, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct fil_bundle bundle;
        char member[104];
        bool is_new = false;
        (void)snprintf(member, sizeof(member), "%0100u", i);
        fil_bundle_open(&bundle, shelf, hash_of(key), fil_bytes_of(key), 1);
        bundle.kind = FIL_COLLECTION_HASH;
        assert_int_equal(fil_bundle_put(&bundle, fil_bytes_of(member), fil_bytes_of("v"), &is_new),
                         FIL_OK);
        assert_true(is_new);
    }
}

static void test_shelf_knows_what_all_of_it_uses(void **state)
{
    (void)state;
    struct fil_shelf *other = NULL;
    struct fil_store_view view;
    struct fil_store_write how = {.now_ms = 1};
    assert_int_equal(fil_shelf_new(&other, &budget, SEED), FIL_OK);
    fill_hash("h", 2000);
    uint64_t full = fil_shelf_bytes(shelf);
    assert_true(full > 2000 * 100);
    assert_true(full <= fil_budget_drawn(&budget));
    // What moves to another shelf is that one's, whatever it consists of.
    assert_true(fil_shelf_inspect(shelf, hash_of("h"), fil_bytes_of("h"), 1, &view));
    assert_int_equal(
        fil_shelf_receive(other, hash_of("h"), fil_bytes_of("h"), &how, view.value, true), FIL_OK);
    assert_true(fil_shelf_bytes(other) > 2000 * 100);
    assert_true(fil_shelf_bytes(shelf) < 10000);
    assert_true(fil_shelf_remove(other, hash_of("h"), fil_bytes_of("h"), 1));
    assert_true(fil_shelf_bytes(other) < 10000);
    fil_shelf_free(other);
}

#define SCORED 20000U

static struct fil_bytes scored_name(uint32_t number, char room[24])
{
    return fil_bytes_make(room, (size_t)snprintf(room, 24, "member-%u", number));
}

/** Puts it with a score, or gives it another one. */
static void put_score(struct fil_bundle *zset, uint32_t number, double score)
{
    char room[24];
    bool is_new = false;
    assert_int_equal(fil_zset_put(zset, scored_name(number, room), score, &is_new), FIL_OK);
}

static void test_sorted_set_follows_records_that_move(void **state)
{
    (void)state;
    struct fil_bundle zset;
    char room[24];
    fil_bundle_open(&zset, shelf, hash_of("z"), fil_bytes_of("z"), 1);
    zset.kind = FIL_COLLECTION_ZSET;
    for (uint32_t i = 0; i < SCORED; i++) {
        put_score(&zset, i, i % 100);
    }
    uint64_t full = fil_shelf_bytes(shelf);
    for (uint32_t i = 0; i < SCORED; i++) {
        if (i % 8 != 0) {
            assert_true(fil_zset_remove(&zset, scored_name(i, room)));
        }
    }
    // Records are moved together while others come and go.
    for (uint32_t i = 0; i < 4 * SCORED; i++) {
        put_score(&zset, SCORED, i % 3);
        assert_true(fil_zset_remove(&zset, scored_name(SCORED, room)));
    }
    assert_true(fil_shelf_bytes(shelf) < full / 3);
    fil_ranking_check(&zset.large->box->ranking);
    fil_store_check(&zset.large->box->store);
    for (uint32_t i = 0; i < SCORED; i += 8) {
        double score = -1;
        assert_true(fil_zset_find(&zset, scored_name(i, room), &score));
        assert_true(score == i % 100);
        assert_true(fil_zset_remove(&zset, scored_name(i, room)));
    }
    assert_int_equal(fil_bundle_count(&zset), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(collection_is_found_until_it_is_removed),
        TEST(collection_expires_and_somebody_is_told),
        TEST(collection_is_copied_and_moved),
        TEST(shelf_is_cleared_in_slices),
        TEST(shelf_knows_what_all_of_it_uses),
        TEST(sorted_set_follows_records_that_move),
        TEST(refused_is_refused),
    };
    return cmocka_run_group_tests_name("shelf", tests, NULL, NULL);
}
