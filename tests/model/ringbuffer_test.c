// SPDX-License-Identifier: Apache-2.0
/**
 * A ring buffer against a plain array, over random scripts: additions that overwrite or are
 * refused, reads of one and looks at many that wait, with deadlines and callers that go away.
 * Whatever happens, each reader gets the items of the numbers it asked for, or the answer that they
 * are gone.
 *
 * `model_ringbuffer STEPS [SEED]` runs longer.
 */
#include <stdlib.h>

#include "grid/ringbuffer/ringbuffer.h"
#include "lib/base/prng.h"
#include "tests/unit/core/container/container_fixture.h"

#define CAPACITY  16U
#define READERS   24U
#define ITEMS_MAX 4U // of one addition
#define LATE_MS   3U // a deadline is met to a tick of the wheel
#define NEVER_MS  (UINT64_C(1) << 60)

static uint64_t step_count = 300000;
static uint64_t first_seed = 1;

static struct fil_ringbuffer *ring;
static struct fil_prng prng;

// The model: an item is its number, so the window is all there is to know.
static int64_t head;
static int64_t tail;

struct reader {
    struct errand errand;
    bool is_busy;
    bool is_gone; // its caller
    bool is_one;
    int64_t from;
    uint64_t least;
    uint64_t most;
    uint64_t deadline_ms;

    // What it got.
    struct fil_ringbuffer_look look;
    int64_t first_seq;
    uint64_t got;
};

static struct reader readers[READERS];

static int64_t number_of(struct fil_bytes item)
{
    int64_t number = 0;
    assert_int_equal(item.size, sizeof(number));
    memcpy(&number, item.data, sizeof(number));
    return number;
}

static void gather(void *context, int64_t seq, struct fil_bytes item)
{
    struct reader *reader = context;
    assert_int_equal(number_of(item), seq);
    reader->first_seq = reader->got == 0 ? seq : reader->first_seq;
    assert_int_equal(seq, reader->first_seq + (int64_t)reader->got);
    reader->got++;
}

static int read_work(struct errand *errand)
{
    struct reader *reader = FIL_CONTAINER_OF(errand, struct reader, errand);
    struct fil_bytes item;
    if (!reader->is_one) {
        return fil_ringbuffer_look_here(ring, &errand->waiter, &reader->look, now_ms());
    }
    int error = fil_ringbuffer_read_here(ring, &errand->waiter, reader->from, now_ms(), &item);
    if (error == FIL_OK) {
        gather(reader, reader->from, item);
    }
    return error;
}

static int64_t random_seq(void)
{
    return head - 3 + (int64_t)fil_prng_below(&prng, (uint64_t)(tail - head) + 8);
}

static void begin_read(void)
{
    struct reader *reader = &readers[fil_prng_below(&prng, READERS)];
    if (reader->is_busy) {
        return;
    }
    uint64_t timeout_ms = fil_prng_below(&prng, 3) == 0 ? 1 + fil_prng_below(&prng, 100) : 0;
    *reader = (struct reader){.is_busy = true,
                              .is_one = fil_prng_below(&prng, 2) == 0,
                              .from = random_seq(),
                              .least = fil_prng_below(&prng, 6),
                              .most = 5 + fil_prng_below(&prng, 5)};
    reader->deadline_ms = timeout_ms == 0 ? NEVER_MS : now_ms() + timeout_ms;
    reader->look = (struct fil_ringbuffer_look){.from = reader->from,
                                                .least = reader->least,
                                                .most = reader->most,
                                                .visit = gather,
                                                .context = reader};
    reader->errand.work = read_work;
    send_errand(&reader->errand, &ring->container, timeout_ms);
    settle();
}

static void add(void)
{
    int64_t numbers[ITEMS_MAX];
    struct fil_bytes items[ITEMS_MAX];
    uint64_t count = 1 + fil_prng_below(&prng, ITEMS_MAX);
    bool fails = fil_prng_below(&prng, 4) == 0;
    for (uint64_t i = 0; i < count; i++) {
        numbers[i] = tail + 1 + (int64_t)i;
        items[i] = fil_bytes_make(&numbers[i], sizeof(numbers[i]));
    }
    int64_t seq = 0;
    struct fil_partition *partition = go_in(&ring->container);
    int error = fil_ringbuffer_add_here(
        ring, fails ? FIL_RINGBUFFER_FAIL : FIL_RINGBUFFER_OVERWRITE, items, count, now_ms(), &seq);
    fil_partition_leave(partition);
    // Its items do not expire: then only more than fit at all are refused.
    bool has_room = count <= CAPACITY;
    assert_int_equal(error, fails && !has_room ? FIL_E_FULL : FIL_OK);
    if (error == FIL_OK) {
        tail += (int64_t)count;
        assert_int_equal(seq, tail);
        head = tail - head + 1 > (int64_t)CAPACITY ? tail - (int64_t)CAPACITY + 1 : head;
    }
}

/** What a reader that asks now would be told; FIL_E_AGAIN: to wait. */
static int verdict(const struct reader *reader)
{
    if (reader->is_one) {
        if (reader->from < head) {
            return reader->from < 0 ? FIL_E_INVALID : FIL_E_NOT_FOUND;
        }
        return reader->from <= tail       ? FIL_OK
               : reader->from == tail + 1 ? FIL_E_AGAIN
                                          : FIL_E_INVALID;
    }
    int64_t from = reader->from < head ? head : reader->from;
    from = from > tail + 1 ? tail + 1 : from;
    return (uint64_t)(tail + 1 - from) >= reader->least ? FIL_OK : FIL_E_AGAIN;
}

static void compare_result(struct reader *reader)
{
    if (reader->errand.error == FIL_OK && !reader->is_one) {
        assert_true(reader->got >= reader->least && reader->got <= reader->most);
        assert_int_equal(reader->look.found_count, reader->got);
        assert_true(reader->got == 0 || reader->first_seq == reader->look.from);
        assert_int_equal(reader->look.next, reader->look.from + (int64_t)reader->got);
    } else if (reader->errand.error == FIL_OK) {
        assert_int_equal(reader->got, 1);
    } else {
        assert_int_equal(reader->got, 0);
    }
}

/** Each reader has ended as it should, or waits with reason. */
static void compare_all(void)
{
    settle();
    for (uint32_t i = 0; i < READERS; i++) {
        struct reader *reader = &readers[i];
        if (!reader->is_busy) {
            continue;
        }
        if (!reader->errand.is_done) {
            // A look from beyond the end waits from the end on, which the ring keeps.
            reader->from = reader->is_one ? reader->from : reader->look.from;
            assert_int_equal(verdict(reader), FIL_E_AGAIN);
            assert_false(reader->is_gone || reader->deadline_ms + LATE_MS <= now_ms());
            continue;
        }
        compare_result(reader);
        reader->is_busy = false;
    }
    struct fil_ringbuffer_state state = fil_ringbuffer_state_here(ring, now_ms());
    assert_int_equal(state.head, head);
    assert_int_equal(state.tail, tail);
}

static void step(void)
{
    uint64_t dice = fil_prng_below(&prng, 100);
    if (dice < 55) {
        begin_read();
    } else if (dice < 90) {
        add();
    } else if (dice < 93) {
        pass_ms(60);
    } else {
        struct reader *reader = &readers[fil_prng_below(&prng, READERS)];
        if (reader->is_busy && !reader->errand.is_done) {
            abandon_errand(&reader->errand);
            reader->is_gone = true;
        }
    }
    compare_all();
}

static void test_readers_get_the_numbers_they_asked_for(void **state)
{
    (void)state;
    static const struct fil_ringbuffer_config config = {.capacity = CAPACITY};
    fil_prng_init(&prng, first_seed);
    open_world(&fil_ringbuffer_type, &config);
    ring = fil_ringbuffer_of(get_container(&fil_ringbuffer_type, "log"));
    tail = -1;
    for (uint64_t i = 0; i < step_count; i++) {
        step();
    }
    assert_true(tail > (int64_t)(step_count / 4));
    for (uint32_t i = 0; i < READERS; i++) {
        if (readers[i].is_busy) {
            abandon_errand(&readers[i].errand);
        }
    }
    settle();
    close_world();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_readers_get_the_numbers_they_asked_for)};
    step_count = argc > 1 ? strtoull(argv[1], NULL, 10) : step_count;
    first_seed = argc > 2 ? strtoull(argv[2], NULL, 10) : first_seed;
    return cmocka_run_group_tests_name("ringbuffer_model", tests, NULL, NULL);
}
