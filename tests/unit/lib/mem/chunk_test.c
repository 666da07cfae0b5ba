// SPDX-License-Identifier: Apache-2.0
/**
 * The chunk queue, one test a promise: it is a byte stream, whatever mixture of append, reserve,
 * consume and move (compared with a plain array); what does not fit a pool block gets a chunk of
 * its own and is charged for; an empty queue holds no memory; an append that finds no memory marks
 * the queue and nothing is added behind the gap; the room may be borrowed from another budget then;
 * the mark moves along and clear removes it; chunks may be freed by another thread.
 */
#include "lib/mem/chunk.h"

#include <string.h>

#include "lib/base/alloc.h"
#include "lib/base/prng.h"
#include "lib/os/thread.h"
#include "tests/unit/harness.h"

#define MODEL_BYTES_MAX ((size_t)1 << 21)
#define STEPS           5000U
#define CAPACITY        (FIL_CHUNK_POOL_BYTES - sizeof(struct fil_chunk))

static struct fil_budget budget;
static struct fil_pool pool;

static int set_up(void **state)
{
    (void)state;
    fil_budget_init(&budget, UINT64_C(1) << 30);
    fil_chunk_pool_init(&pool, &budget, 4);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_alloc_fail_after(-1);
    fil_pool_fini(&pool);
    assert_int_equal(fil_budget_drawn(&budget), 0);
    return 0;
}

/** What a queue should hold: the bytes of data from begin to end. */
struct model {
    size_t begin;
    size_t end;
    uint8_t data[MODEL_BYTES_MAX];
};

struct pair {
    struct fil_chunk_queue queue;
    struct model model;
};

static uint8_t next_byte;

/** New bytes, each different from its neighbours, at the model's end. */
static struct fil_bytes extend(struct model *model, size_t size)
{
    uint8_t *start = model->data + model->end;
    for (size_t i = 0; i < size; i++) {
        start[i] = next_byte++;
    }
    model->end += size;
    return fil_bytes_make(start, size);
}

static void check(const struct pair *pair)
{
    struct fil_bytes slices[512];
    size_t position = pair->model.begin;
    assert_int_equal(pair->queue.size_bytes, pair->model.end - pair->model.begin);
    uint32_t count = fil_chunk_queue_slices(&pair->queue, slices, 512);
    for (uint32_t i = 0; i < count; i++) {
        assert_true(slices[i].size > 0);
        assert_true(slices[i].size <= pair->model.end - position);
        assert_memory_equal(slices[i].data, pair->model.data + position, slices[i].size);
        position += slices[i].size;
    }
    assert_int_equal(position, pair->model.end);
}

/** Mostly small, sometimes about a block, sometimes much larger. */
static size_t draw_size(struct fil_prng *prng)
{
    switch (fil_prng_below(prng, 8)) {
    case 0:
        return CAPACITY - 3 + fil_prng_below(prng, 7);
    case 1:
        return fil_prng_below(prng, 60000);
    default:
        return fil_prng_below(prng, 300);
    }
}

static void append(struct pair *pair, struct fil_prng *prng)
{
    struct fil_bytes bytes = extend(&pair->model, draw_size(prng));
    if (fil_prng_chance(prng, 0.5)) {
        fil_chunk_queue_append(&pair->queue, &pool, bytes);
        return;
    }
    // More room than is written.
    uint8_t *room =
        fil_chunk_queue_reserve(&pair->queue, &pool, bytes.size + fil_prng_below(prng, 40));
    assert_non_null(room);
    memcpy(room, bytes.data, bytes.size);
    fil_chunk_queue_commit(&pair->queue, bytes.size);
}

static void consume(struct pair *pair, struct fil_prng *prng)
{
    size_t size = pair->model.end - pair->model.begin;
    size_t part = fil_prng_chance(prng, 0.1) ? size : fil_prng_below(prng, size + 1);
    fil_chunk_queue_consume(&pair->queue, part);
    pair->model.begin += part;
}

static void move(struct pair *to, struct pair *from)
{
    size_t size = from->model.end - from->model.begin;
    memcpy(to->model.data + to->model.end, from->model.data + from->model.begin, size);
    to->model.end += size;
    from->model.begin = from->model.end;
    fil_chunk_queue_move(&to->queue, &from->queue);
    assert_null(from->queue.first);
}

/** Moves the model's bytes to the front when its array is nearly used up. */
static void tidy(struct pair *pair)
{
    struct model *model = &pair->model;
    if (model->end > MODEL_BYTES_MAX / 2) {
        fil_chunk_queue_consume(&pair->queue, model->end - model->begin);
        model->begin = 0;
        model->end = 0;
        assert_null(pair->queue.first);
    }
}

static void test_queue_is_a_byte_stream(void **state)
{
    (void)state;
    static struct pair pairs[2];
    struct fil_prng prng;
    fil_prng_init(&prng, 11);
    for (uint32_t i = 0; i < 2; i++) {
        fil_chunk_queue_init(&pairs[i].queue);
        pairs[i].model.begin = 0;
        pairs[i].model.end = 0;
    }
    for (uint32_t step = 0; step < STEPS; step++) {
        struct pair *pair = &pairs[fil_prng_below(&prng, 2)];
        uint64_t choice = fil_prng_below(&prng, 10);
        if (choice < 6) {
            append(pair, &prng);
        } else if (choice < 9) {
            consume(pair, &prng);
        } else {
            move(pair, pair == &pairs[0] ? &pairs[1] : &pairs[0]);
        }
        check(&pairs[0]);
        check(&pairs[1]);
        tidy(&pairs[0]);
        tidy(&pairs[1]);
    }
    fil_chunk_queue_clear(&pairs[0].queue);
    fil_chunk_queue_clear(&pairs[1].queue);
}

static void test_slices_stop_at_the_limit(void **state)
{
    (void)state;
    struct fil_chunk_queue queue;
    struct fil_bytes slices[4];
    static uint8_t data[CAPACITY];
    fil_chunk_queue_init(&queue);
    for (uint32_t i = 0; i < 6; i++) {
        fil_chunk_queue_append(&queue, &pool, fil_bytes_make(data, sizeof(data)));
    }
    assert_int_equal(fil_chunk_queue_slices(&queue, slices, 4), 4);
    assert_int_equal(slices[3].size, CAPACITY);
    fil_chunk_queue_consume(&queue, 3 * CAPACITY + 1);
    assert_int_equal(fil_chunk_queue_slices(&queue, slices, 4), 3);
    assert_int_equal(slices[0].size, CAPACITY - 1);
    fil_chunk_queue_clear(&queue);
}

static void test_large_chunk_is_charged_for(void **state)
{
    (void)state;
    struct fil_chunk_queue queue;
    static uint8_t data[100000];
    fil_chunk_queue_init(&queue);
    fil_chunk_queue_append(&queue, &pool, fil_bytes_make(data, CAPACITY));
    assert_null(queue.first->lender);
    uint64_t before = fil_budget_drawn(&budget);
    fil_chunk_queue_append(&queue, &pool, fil_bytes_make(data, sizeof(data)));
    assert_ptr_equal(queue.last->lender, &budget);
    uint64_t charged = fil_budget_drawn(&budget) - before;
    assert_true(charged >= sizeof(data));
    assert_true(charged <= sizeof(data) + sizeof(struct fil_chunk));
    fil_chunk_queue_consume(&queue, CAPACITY + sizeof(data));
    assert_int_equal(fil_budget_drawn(&budget), before);
    fil_chunk_queue_append(&queue, &pool, fil_bytes_make(data, CAPACITY + 1));
    assert_ptr_equal(queue.last->lender, &budget);
    fil_chunk_queue_clear(&queue);
}

static void test_room_is_borrowed_where_the_pool_has_none(void **state)
{
    (void)state;
    struct fil_chunk_queue queue;
    struct fil_budget lender;
    fil_budget_init(&lender, 100);
    fil_chunk_queue_init(&queue);
    fil_chunk_queue_append(&queue, &pool, fil_bytes_of("abc"));
    fil_alloc_fail_after(0);
    assert_null(fil_chunk_queue_grow(&queue, &pool, 10));
    fil_alloc_fail_after(-1);
    uint8_t *room = fil_chunk_queue_borrow(&queue, &pool, &lender, 100);
    assert_non_null(room);
    assert_false(queue.is_out_of_memory);
    assert_int_equal(fil_budget_drawn(&lender), 100);
    memcpy(room, "def", 3);
    fil_chunk_queue_commit(&queue, 3);
    assert_int_equal(queue.size_bytes, 6);
    // What the lender has not got is not had, and the queue says so.
    fil_alloc_fail_after(0);
    assert_null(fil_chunk_queue_grow(&queue, &pool, CAPACITY));
    fil_alloc_fail_after(-1);
    assert_null(fil_chunk_queue_borrow(&queue, &pool, &lender, 1));
    assert_true(queue.is_out_of_memory);
    fil_chunk_queue_consume(&queue, 6);
    assert_int_equal(fil_budget_drawn(&lender), 0);
    fil_chunk_queue_clear(&queue);
    assert_int_equal(pool.lent_count, 0);
}

static void test_empty_queue_holds_no_memory(void **state)
{
    (void)state;
    struct fil_chunk_queue queue;
    fil_chunk_queue_init(&queue);
    fil_chunk_queue_append(&queue, &pool, fil_bytes_make(NULL, 0));
    assert_null(queue.first);
    fil_chunk_queue_append(&queue, &pool, fil_bytes_of("abc"));
    fil_chunk_queue_consume(&queue, 3);
    assert_null(queue.first);
    assert_null(queue.last);
    // Room that was not used goes with the next consume, even of nothing.
    assert_non_null(fil_chunk_queue_reserve(&queue, &pool, 10));
    fil_chunk_queue_consume(&queue, 0);
    assert_null(queue.first);
    assert_int_equal(pool.lent_count, 0);
}

static void test_nothing_is_added_behind_a_gap(void **state)
{
    (void)state;
    struct fil_chunk_queue queue;
    static uint8_t data[40000];
    fil_chunk_queue_init(&queue);
    fil_chunk_queue_append(&queue, &pool, fil_bytes_of("abc"));
    fil_alloc_fail_after(0);
    fil_chunk_queue_append(&queue, &pool, fil_bytes_make(data, sizeof(data)));
    fil_alloc_fail_after(-1);
    assert_true(queue.is_out_of_memory);
    assert_int_equal(queue.size_bytes, 3);
    // The last chunk has room for it, but it would stand where other bytes are missing.
    fil_chunk_queue_append(&queue, &pool, fil_bytes_of("def"));
    assert_int_equal(queue.size_bytes, 3);
    assert_null(fil_chunk_queue_reserve(&queue, &pool, 1));
    fil_chunk_queue_clear(&queue);
    assert_false(queue.is_out_of_memory);
    fil_chunk_queue_append(&queue, &pool, fil_bytes_of("ghi"));
    assert_int_equal(queue.size_bytes, 3);
    fil_chunk_queue_clear(&queue);
}

static void test_mark_moves_along(void **state)
{
    (void)state;
    struct fil_chunk_queue from;
    struct fil_chunk_queue to;
    fil_chunk_queue_init(&from);
    fil_chunk_queue_init(&to);
    fil_chunk_queue_append(&to, &pool, fil_bytes_of("abc"));
    fil_alloc_fail_after(0);
    fil_chunk_queue_append(&from, &pool, fil_bytes_of("x"));
    fil_alloc_fail_after(-1);
    assert_true(from.is_out_of_memory);
    fil_chunk_queue_move(&to, &from);
    assert_true(to.is_out_of_memory);
    assert_false(from.is_out_of_memory);
    fil_chunk_queue_clear(&to);
}

static void test_no_budget_is_no_memory(void **state)
{
    (void)state;
    struct fil_budget small;
    struct fil_pool poor;
    struct fil_chunk_queue queue;
    static uint8_t data[50000];
    fil_budget_init(&small, FIL_CHUNK_POOL_BYTES + 1000);
    fil_chunk_pool_init(&poor, &small, 4);
    fil_chunk_queue_init(&queue);
    fil_chunk_queue_append(&queue, &poor, fil_bytes_make(data, sizeof(data)));
    assert_true(queue.is_out_of_memory);
    fil_chunk_queue_clear(&queue);
    fil_chunk_queue_append(&queue, &poor, fil_bytes_of("fits"));
    assert_false(queue.is_out_of_memory);
    assert_null(fil_chunk_queue_reserve(&queue, &poor, SIZE_MAX));
    assert_true(queue.is_out_of_memory);
    fil_chunk_queue_clear(&queue);
    fil_pool_fini(&poor);
    assert_int_equal(fil_budget_drawn(&small), 0);
}

/** Fails the 1st, 2nd, ... allocation: what was appended before stays right, nothing leaks. */
static void test_every_failed_allocation_is_survived(void **state)
{
    (void)state;
    static uint8_t data[3 * CAPACITY];
    bool is_complete = false;
    for (int64_t position = 0; !is_complete; position++) {
        struct fil_chunk_queue queue;
        size_t sizes[] = {10, CAPACITY, 20000, 5, sizeof(data), CAPACITY - 5, 7};
        size_t total = 0;
        fil_chunk_queue_init(&queue);
        fil_alloc_fail_after(position);
        for (size_t i = 0; i < FIL_COUNT_OF(sizes); i++) {
            fil_chunk_queue_append(&queue, &pool, fil_bytes_make(data, sizes[i]));
            total += queue.is_out_of_memory ? 0 : sizes[i];
            assert_int_equal(queue.size_bytes, total);
        }
        fil_alloc_fail_after(-1);
        is_complete = !queue.is_out_of_memory;
        fil_chunk_queue_clear(&queue);
        assert_true(position < 20);
        // An empty pool each time, so that every chunk is an allocation again.
        fil_pool_fini(&pool);
        fil_chunk_pool_init(&pool, &budget, 4);
    }
}

static void clear_elsewhere(void *context)
{
    fil_chunk_queue_clear(context);
}

static void test_another_thread_may_free_the_chunks(void **state)
{
    (void)state;
    static uint8_t data[50000];
    struct fil_chunk_queue queue;
    struct fil_thread thread;
    fil_chunk_queue_init(&queue);
    fil_chunk_queue_append(&queue, &pool, fil_bytes_make(data, 100));
    fil_chunk_queue_append(&queue, &pool, fil_bytes_make(data, sizeof(data)));
    fil_chunk_queue_append(&queue, &pool, fil_bytes_make(data, 100));
    assert_int_equal(fil_thread_start(&thread, "clearer", clear_elsewhere, &queue), FIL_OK);
    fil_thread_join(&thread);
    assert_null(queue.first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_queue_is_a_byte_stream, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_slices_stop_at_the_limit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_large_chunk_is_charged_for, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_room_is_borrowed_where_the_pool_has_none, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_empty_queue_holds_no_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_nothing_is_added_behind_a_gap, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_mark_moves_along, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_budget_is_no_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_every_failed_allocation_is_survived, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_another_thread_may_free_the_chunks, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("chunk", tests, NULL, NULL);
}
