// SPDX-License-Identifier: Apache-2.0
/**
 * A ranking's contract, one test a promise: members stand in the order of their scores, then of
 * their bytes, in whatever order they came; places are found and counted; records may move; what
 * goes gives its memory back; without memory nothing has changed.
 */
#include "core/items/ranking.h"

#include <stdio.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/hash.h"
#include "tests/unit/harness.h"

#define MEMBERS 5000U

static struct fil_budget budget;
static struct fil_account account;
static struct fil_store_options options;
static struct fil_store store;
static struct fil_ranking ranking;

static int set_up(void **state)
{
    (void)state;
    options = (struct fil_store_options){.hash_seed = 7};
    fil_budget_init(&budget, UINT64_C(1) << 26);
    fil_account_init(&account, &budget);
    fil_store_init(&store, &budget, &options);
    fil_ranking_init(&ranking, &account, &store);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_alloc_fail_after(-1);
    fil_ranking_fini(&ranking);
    fil_store_fini(&store);
    fil_account_fini(&account);
    assert_int_equal(fil_budget_drawn(&budget), 0);
    return 0;
}

static char name_room[32];

static struct fil_bytes name_of(uint32_t number)
{
    int size = snprintf(name_room, sizeof(name_room), "member-%05u", number);
    return fil_bytes_make(name_room, (size_t)size);
}

static double score_of(uint32_t number)
{
    return (double)(number % 97);
}

/** The record of a member, which is made if need be. */
static uint32_t record_of(struct fil_bytes name)
{
    const struct fil_store_write how = {.condition = FIL_STORE_IF_ABSENT};
    struct fil_store_spot spot;
    uint64_t hash = fil_hash(name, options.hash_seed);
    assert_int_equal(fil_store_put(&store, hash, name, fil_bytes_make("", 0), &how, NULL), FIL_OK);
    assert_true(fil_store_find(&store, hash, name, 0, &spot));
    return spot.reference;
}

static int add(uint32_t number)
{
    struct fil_ranking_mark mark = {.score = score_of(number), .member = name_of(number)};
    uint32_t reference = record_of(mark.member);
    return fil_ranking_add(&ranking, &mark, reference);
}

static void drop(uint32_t number)
{
    struct fil_ranking_mark mark = {.score = score_of(number), .member = name_of(number)};
    fil_ranking_remove(&ranking, &mark);
}

/** Numbers in an order that is neither up nor down. */
static uint32_t shuffled(uint32_t index)
{
    return (uint32_t)((uint64_t)index * 2741 % MEMBERS);
}

static void test_members_stand_in_order_however_they_came(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < MEMBERS; i++) {
        assert_int_equal(add(shuffled(i)), FIL_OK);
    }
    fil_ranking_check(&ranking);
    assert_int_equal(ranking.count, MEMBERS);
    assert_true(ranking.depth > 1);
    struct fil_ranking_cursor cursor = fil_ranking_at(&ranking, 0);
    uint64_t seen = 0;
    for (; cursor.leaf != NULL; fil_ranking_next(&cursor)) {
        seen++;
    }
    assert_int_equal(seen, MEMBERS);
    cursor = fil_ranking_at(&ranking, MEMBERS - 1);
    for (; cursor.leaf != NULL; fil_ranking_previous(&cursor)) {
        seen--;
    }
    assert_int_equal(seen, 0);
}

static bool is_below(const void *context, double score, struct fil_bytes member)
{
    const struct fil_ranking_mark *mark = context;
    return score < mark->score ||
           (score == mark->score && fil_ranking_compare(member, mark->member) < 0);
}

static void test_places_are_found_and_counted(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < MEMBERS; i++) {
        assert_int_equal(add(shuffled(i)), FIL_OK);
    }
    for (uint64_t place = 0; place < MEMBERS; place += 37) {
        struct fil_ranking_cursor cursor = fil_ranking_at(&ranking, place);
        struct fil_ranking_mark mark = fil_ranking_read(&ranking, &cursor);
        assert_int_equal(fil_ranking_below(&ranking, is_below, &mark), place);
    }
    assert_null(fil_ranking_at(&ranking, MEMBERS).leaf);
    struct fil_ranking_mark none = {.score = -1, .member = fil_bytes_make("", 0)};
    assert_int_equal(fil_ranking_below(&ranking, is_below, &none), 0);
    none.score = 1000;
    assert_int_equal(fil_ranking_below(&ranking, is_below, &none), MEMBERS);
}

static void test_members_that_come_in_order_fill_leaves(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < MEMBERS; i++) {
        struct fil_ranking_mark mark = {.score = i, .member = name_of(i)};
        assert_int_equal(fil_ranking_add(&ranking, &mark, record_of(mark.member)), FIL_OK);
    }
    fil_ranking_check(&ranking);
    assert_true(ranking.bytes < MEMBERS * UINT64_C(20));
    for (uint32_t i = 0; i < MEMBERS; i++) {
        struct fil_ranking_mark mark = {.score = i, .member = name_of(i)};
        fil_ranking_remove(&ranking, &mark);
    }
    assert_int_equal(ranking.bytes, 0);
}

static void test_what_goes_gives_its_memory_back(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < MEMBERS; i++) {
        assert_int_equal(add(i), FIL_OK);
    }
    uint64_t most = ranking.bytes;
    for (uint32_t i = 0; i < MEMBERS; i++) {
        if (i % 16 != 0) {
            drop(i);
        }
    }
    fil_ranking_check(&ranking);
    assert_true(ranking.bytes < most / 3);
    for (uint32_t i = 0; i < MEMBERS; i += 16) {
        drop(i);
    }
    fil_ranking_check(&ranking);
    assert_int_equal(ranking.count, 0);
    assert_int_equal(ranking.bytes, 0);
}

static void test_a_record_may_move(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < MEMBERS; i++) {
        assert_int_equal(add(i), FIL_OK);
    }
    struct fil_bytes twin = fil_bytes_of("elsewhere");
    uint32_t reference = record_of(twin);
    struct fil_ranking_cursor cursor = fil_ranking_at(&ranking, 0);
    struct fil_ranking_mark mark = fil_ranking_read(&ranking, &cursor);
    // Of this test's own making: the new record has other bytes, so that it can be told apart.
    fil_ranking_redirect(&ranking, &mark, reference);
    cursor = fil_ranking_at(&ranking, 0);
    mark = fil_ranking_read(&ranking, &cursor);
    assert_true(fil_bytes_equal(mark.member, twin));
    fil_ranking_check(&ranking);
}

static void test_without_memory_nothing_has_changed(void **state)
{
    (void)state;
    uint32_t refused = 0;
    for (uint32_t i = 0; i < MEMBERS; i++) {
        uint32_t number = shuffled(i);
        struct fil_ranking_mark mark = {.score = score_of(number), .member = name_of(number)};
        uint32_t reference = record_of(mark.member);
        for (int failing = 0;; failing++) {
            uint64_t bytes = ranking.bytes;
            fil_alloc_fail_after(failing);
            int error = fil_ranking_add(&ranking, &mark, reference);
            fil_alloc_fail_after(-1);
            if (error == FIL_OK) {
                break;
            }
            refused++;
            assert_int_equal(error, FIL_E_NOMEM);
            assert_int_equal(ranking.bytes, bytes);
            assert_int_equal(ranking.count, i);
        }
    }
    assert_true(refused > 100);
    fil_ranking_check(&ranking);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_members_stand_in_order_however_they_came, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_places_are_found_and_counted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_members_that_come_in_order_fill_leaves, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_what_goes_gives_its_memory_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_record_may_move, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_without_memory_nothing_has_changed, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("ranking", tests, NULL, NULL);
}
