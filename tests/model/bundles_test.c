// SPDX-License-Identifier: Apache-2.0
/**
 * Hashes, sets and sorted sets of a shelf against plain arrays, over random scripts: whatever is
 * put, removed, changed, copied and moved, small and large, numbers and text, while memory fails
 * now and then, they hold the same in the same order, and all memory comes back.
 *
 * `model_bundles STEPS [SEED]` runs longer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/shelf/zset.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/hash.h"
#include "lib/base/prng.h"
#include "tests/unit/harness.h"

#define NAMES 300U
#define SEED  7U

static uint64_t step_count = 60000;
static uint64_t first_seed = 1;

static struct fil_budget budget;
static struct fil_shelf *shelf;
static struct fil_bundle bundle;
static struct fil_prng prng;

/** What a bundle should have. */
struct entry {
    bool is_there;
    uint32_t value; // names the text of a hash
    double score;
};
static struct entry model[NAMES];
static uint64_t model_count;

static char name_text[NAMES][160];
static struct fil_bytes names[NAMES];

/** Numbers of all widths, short and long text, the empty one. */
static void make_names(uint32_t used)
{
    for (uint32_t i = 0; i < NAMES; i++) {
        int size = 0;
        if (i % 3 == 0) {
            long long number = (long long)((UINT64_C(1) << (i % 60)) + i);
            size = snprintf(name_text[i], sizeof(name_text[i]), "%lld", i % 2 ? -number : number);
        } else if (i % 17 == 1 && used > 100) {
            size = snprintf(name_text[i], sizeof(name_text[i]), "%090u", i);
        } else if (i > 0) {
            size = snprintf(name_text[i], sizeof(name_text[i]), "name-%u", i);
        }
        names[i] = fil_bytes_make(name_text[i], (size_t)size);
    }
    names[1] = fil_bytes_make(name_text[1], 0);
}

static uint64_t hash_of(const char *key)
{
    return fil_hash(fil_bytes_of(key), SEED);
}

static void open_key(const char *key, enum fil_collection_kind kind)
{
    fil_bundle_open(&bundle, shelf, hash_of(key), fil_bytes_of(key), 1);
    bundle.kind = bundle.is_there ? bundle.kind : kind;
}

static struct fil_bytes value_of(uint32_t value)
{
    return names[value];
}

static int put(uint32_t name, uint32_t value, double score, bool *out_is_new)
{
    if (bundle.kind == FIL_COLLECTION_ZSET) {
        return fil_zset_put(&bundle, names[name], score, out_is_new);
    }
    bool is_hash = bundle.kind == FIL_COLLECTION_HASH;
    return fil_bundle_put(&bundle, names[name], is_hash ? value_of(value) : fil_bytes_make(NULL, 0),
                          out_is_new);
}

static void step_put(uint32_t used)
{
    uint32_t name = (uint32_t)fil_prng_below(&prng, used);
    uint32_t value = (uint32_t)fil_prng_below(&prng, used);
    double score = (double)(int64_t)fil_prng_below(&prng, 40) - 20;
    score = fil_prng_below(&prng, 4) == 0 ? score / 7 : score;
    bool is_new = false;
    if (fil_prng_below(&prng, 20) == 0) {
        fil_alloc_fail_after((int)fil_prng_below(&prng, 3));
    }
    int error = put(name, value, score, &is_new);
    fil_alloc_fail_after(-1);
    if (error != FIL_OK) {
        assert_int_equal(error, FIL_E_NOMEM);
        return;
    }
    assert_int_equal(is_new, !model[name].is_there);
    model_count += is_new;
    model[name] = (struct entry){.is_there = true, .value = value, .score = score};
}

static void step_remove(uint32_t used)
{
    uint32_t name = (uint32_t)fil_prng_below(&prng, used);
    bool was_there = bundle.kind == FIL_COLLECTION_ZSET ? fil_zset_remove(&bundle, names[name])
                                                        : fil_bundle_remove(&bundle, names[name]);
    assert_int_equal(was_there, model[name].is_there);
    model_count -= was_there;
    model[name].is_there = false;
}

static void step_find(uint32_t used)
{
    uint32_t name = (uint32_t)fil_prng_below(&prng, used);
    struct fil_bytes value = {0};
    double score = 0;
    if (bundle.kind == FIL_COLLECTION_ZSET) {
        assert_int_equal(fil_zset_find(&bundle, names[name], &score), model[name].is_there);
        assert_true(!model[name].is_there || score == model[name].score);
        return;
    }
    assert_int_equal(fil_bundle_find(&bundle, names[name], &value), model[name].is_there);
    if (model[name].is_there && bundle.kind == FIL_COLLECTION_HASH) {
        assert_true(fil_bytes_equal(value, value_of(model[name].value)));
    }
}

static uint32_t find_name(struct fil_bytes member)
{
    for (uint32_t i = 0; i < NAMES; i++) {
        if (model[i].is_there && fil_bytes_equal(names[i], member)) {
            return i;
        }
    }
    fail_msg("a member that should not be there");
    return 0;
}

static uint64_t visited;

static void check_member(void *context, struct fil_bytes member, struct fil_bytes value)
{
    (void)context;
    uint32_t name = find_name(member);
    if (bundle.kind == FIL_COLLECTION_HASH) {
        assert_true(fil_bytes_equal(value, value_of(model[name].value)));
    }
    visited++;
}

static double last_score;
static char last_text[160];
static size_t last_size;

static void check_ranked(void *context, struct fil_bytes member, double score)
{
    (void)context;
    uint32_t name = find_name(member);
    assert_true(score == model[name].score);
    if (visited > 0) {
        struct fil_bytes last = fil_bytes_make(last_text, last_size);
        assert_true(last_score < score ||
                    (last_score == score && fil_ranking_compare(last, member) < 0));
    }
    last_score = score;
    last_size = member.size;
    memcpy(last_text, member.data, member.size);
    visited++;
}

static void check_rank(void *context, struct fil_bytes member, double score)
{
    uint64_t *rank = context;
    struct fil_bundle other;
    fil_bundle_open(&other, shelf, bundle.hash, bundle.key, 1);
    assert_int_equal(fil_zset_rank(&other, member, score), *rank);
    (*rank)--;
}

static void check_all(void)
{
    visited = 0;
    assert_int_equal(fil_bundle_count(&bundle), model_count);
    if (bundle.kind != FIL_COLLECTION_ZSET) {
        uint64_t cursor = 0;
        do {
            cursor = fil_bundle_scan(&bundle, cursor, 10, check_member, NULL);
        } while (cursor != FIL_STORE_SCAN_END);
        assert_int_equal(visited, model_count);
        return;
    }
    struct fil_zset_range range = {.count = model_count};
    fil_zset_visit(&bundle, &range, check_ranked, NULL);
    assert_int_equal(visited, model_count);
    uint64_t rank = model_count - 1;
    range.is_reverse = true;
    fil_zset_visit(&bundle, &range, check_rank, &rank);
    if (bundle.large != NULL) {
        fil_ranking_check(&bundle.large->box->ranking);
    }
}

/** To another key and back, copied or moved. */
static void step_transfer(void)
{
    static const char *const keys[] = {"one", "two"};
    struct fil_store_view view;
    struct fil_store_write how = {.now_ms = 1};
    enum fil_collection_kind kind = bundle.kind;
    bool is_move = fil_prng_below(&prng, 2) == 0;
    bool is_one = fil_bytes_equal_text(bundle.key, keys[0]);
    const char *from = keys[is_one ? 0 : 1];
    const char *to = keys[is_one ? 1 : 0];
    if (!fil_shelf_inspect(shelf, hash_of(from), fil_bytes_of(from), 1, &view)) {
        return;
    }
    fil_alloc_fail_after(fil_prng_below(&prng, 3) == 0 ? (int)fil_prng_below(&prng, 4) : -1);
    int error = fil_shelf_receive(shelf, hash_of(to), fil_bytes_of(to), &how, view.value, is_move);
    fil_alloc_fail_after(-1);
    if (error == FIL_OK) {
        (void)fil_shelf_remove(shelf, hash_of(from), fil_bytes_of(from), 1);
        open_key(to, kind);
    } else {
        open_key(from, kind);
    }
    check_all();
}

static void step_remove_range(void)
{
    if (bundle.kind != FIL_COLLECTION_ZSET || model_count < 4) {
        return;
    }
    uint64_t first = fil_prng_below(&prng, model_count - 3);
    struct fil_zset_range range = {.first = first, .count = 3};
    char gone[3][160];
    visited = 0;
    for (uint64_t i = 0; i < 3; i++) {
        range = (struct fil_zset_range){.first = first + i, .count = 1};
        visited = 0;
        fil_zset_visit(&bundle, &range, check_ranked, NULL);
        memcpy(gone[i], last_text, last_size);
        model[find_name(fil_bytes_make(gone[i], last_size))].is_there = false;
    }
    fil_zset_remove_range(&bundle, first, 3);
    model_count -= 3;
    check_all();
}

static void run(enum fil_collection_kind kind, uint32_t used, uint64_t seed)
{
    fil_prng_init(&prng, seed);
    make_names(used);
    memset(model, 0, sizeof(model));
    model_count = 0;
    open_key("one", kind);
    for (uint64_t i = 0; i < step_count; i++) {
        uint64_t dice = fil_prng_below(&prng, 1000);
        if (dice < 450) {
            step_put(used);
        } else if (dice < 700) {
            step_remove(used);
        } else if (dice < 980) {
            step_find(used);
        } else if (dice < 990) {
            check_all();
        } else if (dice < 994) {
            step_remove_range();
        } else {
            step_transfer();
        }
    }
    check_all();
    (void)fil_shelf_remove(shelf, bundle.hash, bundle.key, 1);
    assert_int_equal(fil_shelf_count(shelf), 0);
}

static void run_kind(enum fil_collection_kind kind)
{
    static const uint32_t sizes[] = {6, 40, NAMES};
    fil_budget_init(&budget, UINT64_C(1) << 24);
    assert_int_equal(fil_shelf_new(&shelf, &budget, SEED), FIL_OK);
    for (uint32_t i = 0; i < FIL_COUNT_OF(sizes); i++) {
        run(kind, sizes[i], first_seed + i);
    }
    fil_shelf_free(shelf);
    assert_int_equal(fil_budget_drawn(&budget), 0);
}

static void test_hashes_are_as_the_model(void **state)
{
    (void)state;
    run_kind(FIL_COLLECTION_HASH);
    assert_true(fil_budget_drawn(&budget) == 0);
}

static void test_sets_are_as_the_model(void **state)
{
    (void)state;
    run_kind(FIL_COLLECTION_SET);
    assert_true(fil_budget_drawn(&budget) == 0);
}

static void test_sorted_sets_are_as_the_model(void **state)
{
    (void)state;
    run_kind(FIL_COLLECTION_ZSET);
    assert_true(fil_budget_drawn(&budget) == 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hashes_are_as_the_model),
        cmocka_unit_test(test_sets_are_as_the_model),
        cmocka_unit_test(test_sorted_sets_are_as_the_model),
    };
    step_count = argc > 1 ? strtoull(argv[1], NULL, 10) : step_count;
    first_seed = argc > 2 ? strtoull(argv[2], NULL, 10) : first_seed;
    return cmocka_run_group_tests_name("bundles", tests, NULL, NULL);
}
