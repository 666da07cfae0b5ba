// SPDX-License-Identifier: Apache-2.0
/**
 * Streams against a plain model: random adding, removing, trimming and looking up, with ids that
 * jump; words of all sizes come back as they were; a failed allocation changes nothing.
 */
#include <string.h>

#include "core/shelf/collection.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/prng.h"
#include "tests/unit/harness.h"

#define ROUNDS      100000U
#define ENTRIES_MAX 3000U
#define WORD_MAX    400U

static struct fil_budget budget;
static struct fil_account account;
static struct fil_collection *collection;
static struct fil_xstream *stream;

static struct fil_xstream_id model[ENTRIES_MAX];
static uint32_t model_count;

static int set_up(void **state)
{
    (void)state;
    fil_budget_init(&budget, UINT64_C(1) << 28);
    fil_account_init_data(&account, &budget);
    collection = fil_collection_new(FIL_COLLECTION_STREAM, &account, 0);
    stream = collection->stream;
    model_count = 0;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_alloc_fail_after(-1);
    fil_collection_free(collection);
    fil_account_fini(&account);
    return 0;
}

/** An entry whose only word follows from its id. */
static int add(struct fil_xstream_id id)
{
    uint8_t bytes[WORD_MAX + 64];
    uint8_t word[WORD_MAX];
    size_t size = (id.ms * 7 + id.number) % WORD_MAX;
    memset(word, (int)(id.ms & 0xFF), sizeof(word));
    uint8_t *end = fil_xstream_write_word(bytes + FIL_XSTREAM_ID_BYTES, fil_bytes_make(word, size));
    return fil_xstream_add(stream, id, bytes, (size_t)(end - bytes));
}

static void check_entry(const struct fil_xstream_entry *entry)
{
    struct fil_bytes words = entry->words;
    struct fil_bytes word;
    assert_true(fil_xstream_take_word(&words, &word));
    assert_int_equal(word.size, (entry->id.ms * 7 + entry->id.number) % WORD_MAX);
    assert_true(word.size == 0 || word.data[word.size - 1] == (uint8_t)entry->id.ms);
    assert_false(fil_xstream_take_word(&words, &word));
}

/** How many of the model are below, or not beyond. */
static uint32_t model_below(struct fil_xstream_id id, bool is_included)
{
    uint32_t count = 0;
    while (count < model_count &&
           fil_xstream_id_compare(model[count], id) < (is_included ? 1 : 0)) {
        count++;
    }
    return count;
}

static void drop_model(uint32_t place, uint32_t count)
{
    memmove(model + place, model + place + count, (model_count - place - count) * sizeof(model[0]));
    model_count -= count;
}

static void look_up(struct fil_xstream_id id)
{
    struct fil_xstream_entry entry;
    struct fil_item_cursor cursor = fil_xstream_seek(stream, id);
    uint32_t below = model_below(id, false);
    assert_int_equal(fil_xstream_read(&cursor, &entry), below < model_count);
    if (below < model_count) {
        assert_int_equal(fil_xstream_id_compare(entry.id, model[below]), 0);
        check_entry(&entry);
    }
    cursor = fil_xstream_seek_back(stream, id);
    uint32_t upto = model_below(id, true);
    assert_int_equal(fil_xstream_read(&cursor, &entry), upto > 0);
    if (upto > 0) {
        assert_int_equal(fil_xstream_id_compare(entry.id, model[upto - 1]), 0);
    }
}

static void remove_one(struct fil_xstream_id id)
{
    uint32_t below = model_below(id, false);
    bool is_there = below < model_count && fil_xstream_id_compare(model[below], id) == 0;
    assert_int_equal(fil_xstream_remove(stream, id), is_there);
    if (is_there) {
        drop_model(below, 1);
    }
}

static void add_next(struct fil_prng *prng)
{
    struct fil_xstream_id id = stream->last;
    id.ms += fil_prng_below(prng, 3);
    id.number = id.ms == stream->last.ms ? id.number + 1 : fil_prng_below(prng, 3);
    assert_int_equal(add(id), FIL_OK);
    model[model_count] = id;
    model_count++;
}

static void test_it_is_as_the_model(void **state)
{
    (void)state;
    struct fil_prng prng;
    fil_prng_init(&prng, 21);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        struct fil_xstream_id some = {.ms = fil_prng_below(&prng, stream->last.ms + 3),
                                      .number = fil_prng_below(&prng, 4)};
        uint64_t drawn = fil_prng_below(&prng, 100);
        if (drawn < 55 && model_count < ENTRIES_MAX) {
            add_next(&prng);
        } else if (drawn < 75) {
            remove_one(some);
        } else if (drawn < 98) {
            look_up(some);
        } else if (drawn == 98) {
            uint32_t keep = model_count - (uint32_t)fil_prng_below(&prng, model_count / 4 + 1);
            uint64_t limit = fil_prng_below(&prng, 50);
            uint64_t gone = fil_xstream_trim_count(stream, keep, limit);
            assert_int_equal(gone, model_count - keep < limit ? model_count - keep : limit);
            drop_model(0, (uint32_t)gone);
        } else if (model_count > 0) {
            uint64_t gone = fil_xstream_trim_id(stream, model[model_count / 20], UINT64_MAX);
            assert_int_equal(gone, model_count / 20);
            drop_model(0, (uint32_t)gone);
        }
        assert_int_equal(fil_collection_count(collection), model_count);
    }
    fil_items_check(&stream->entries);
}

static void test_ids_have_neighbours(void **state)
{
    (void)state;
    struct fil_xstream_id id = {.ms = 1, .number = UINT64_MAX};
    assert_true(fil_xstream_id_raise(&id));
    assert_true(id.ms == 2 && id.number == 0);
    assert_true(fil_xstream_id_lower(&id));
    assert_true(id.ms == 1 && id.number == UINT64_MAX);
    id = (struct fil_xstream_id){0};
    assert_false(fil_xstream_id_lower(&id));
    id = FIL_XSTREAM_ID_MAX;
    assert_false(fil_xstream_id_raise(&id));
}

static void test_copies_and_moves_know_the_same(void **state)
{
    (void)state;
    for (uint64_t i = 1; i < 500; i++) {
        assert_int_equal(add((struct fil_xstream_id){.ms = i}), FIL_OK);
    }
    assert_true(fil_xstream_remove(stream, (struct fil_xstream_id){.ms = 7}));
    struct fil_collection *copy = fil_collection_new(FIL_COLLECTION_STREAM, &account, 0);
    assert_int_equal(fil_collection_copy(collection, copy), FIL_OK);
    assert_int_equal(fil_collection_count(copy), 498);
    assert_int_equal(copy->stream->last.ms, 499);
    assert_int_equal(copy->stream->max_removed.ms, 7);
    fil_collection_free(copy);
    struct fil_collection *moved = fil_collection_new(FIL_COLLECTION_STREAM, &account, 0);
    fil_collection_move(collection, moved);
    assert_int_equal(fil_collection_count(collection), 0);
    assert_int_equal(moved->stream->added_count, 499);
    assert_true(fil_collection_bytes(moved) > 499);
    fil_collection_free(moved);
}

static void test_failed_allocations_change_nothing(void **state)
{
    (void)state;
    uint32_t refused = 0;
    for (uint64_t i = 1; i < 300; i++) {
        struct fil_xstream_id before = stream->last;
        fil_alloc_fail_after(0);
        int error = add((struct fil_xstream_id){.ms = i});
        fil_alloc_fail_after(-1);
        refused += error == FIL_E_NOMEM;
        assert_int_equal(stream->last.ms, error == FIL_OK ? i : before.ms);
        if (error != FIL_OK) {
            assert_int_equal(add((struct fil_xstream_id){.ms = i}), FIL_OK);
        }
    }
    assert_true(refused > 0);
    assert_int_equal(stream->added_count, 299);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_it_is_as_the_model, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_ids_have_neighbours, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_copies_and_moves_know_the_same, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_failed_allocations_change_nothing, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("stream", tests, NULL, NULL);
}
