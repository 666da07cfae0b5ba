// SPDX-License-Identifier: Apache-2.0
/**
 * A ring buffer's contract, one test a promise: numbers count from 0; a full one overwrites or
 * refuses; what is gone is told apart from what is too far; a reader waits for the next item and
 * for enough items; a look is clamped, filtered and says where to go on; items expire; many are
 * added all or none; cleared it is as new.
 */
#include "grid/ringbuffer/ringbuffer.h"

#include "tests/unit/core/container/container_fixture.h"

static struct fil_ringbuffer *ring;

static int set_up(void **state)
{
    static const struct fil_ringbuffer_config config = {.capacity = 5};
    (void)state;
    open_world(&fil_ringbuffer_type, &config);
    ring = fil_ringbuffer_of(get_container(&fil_ringbuffer_type, "log"));
    return 0;
}

static int set_up_expiring(void **state)
{
    static const struct fil_ringbuffer_config config = {.capacity = 5, .ttl_ms = 100};
    (void)state;
    open_world(&fil_ringbuffer_type, &config);
    ring = fil_ringbuffer_of(get_container(&fil_ringbuffer_type, "log"));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    close_world();
    return 0;
}

/** The number; below 0: why not. */
static int64_t add_as(const char *word, enum fil_ringbuffer_overflow overflow)
{
    struct fil_bytes item = text(word);
    int64_t seq = 0;
    struct fil_partition *partition = go_in(&ring->container);
    int error = fil_ringbuffer_add_here(ring, overflow, &item, 1, now_ms(), &seq);
    fil_partition_leave(partition);
    return error == FIL_OK ? seq : error;
}

static int64_t add(const char *word)
{
    return add_as(word, FIL_RINGBUFFER_OVERWRITE);
}

static void add_letters(const char *letters)
{
    for (; *letters != 0; letters++) {
        assert_true(add((char[]){*letters, 0}) >= 0);
    }
}

static int read_one(int64_t seq, const char *expected)
{
    struct fil_waiter waiter = {0};
    struct fil_bytes item = {0};
    int error = fil_ringbuffer_read_here(ring, &waiter, seq, now_ms(), &item);
    if (error == FIL_OK) {
        assert_true(fil_bytes_equal_text(item, expected));
    }
    return error;
}

struct reader {
    struct errand errand;
    struct fil_ringbuffer_look look;
    char letters[32];
    size_t count;
};

static void gather(void *context, int64_t seq, struct fil_bytes item)
{
    struct reader *reader = context;
    (void)seq;
    assert_int_equal(item.size, 1);
    reader->letters[reader->count] = (char)item.data[0];
    reader->count++;
}

static bool is_vowel(void *context, struct fil_bytes item)
{
    (void)context;
    return strchr("aeiou", item.data[0]) != NULL;
}

static int look_work(struct errand *errand)
{
    struct reader *reader = FIL_CONTAINER_OF(errand, struct reader, errand);
    return fil_ringbuffer_look_here(ring, &errand->waiter, &reader->look, now_ms());
}

static void send_look(struct reader *reader, int64_t from, uint64_t least, uint64_t most)
{
    reader->errand.work = look_work;
    reader->look.from = from;
    reader->look.least = least;
    reader->look.most = most;
    reader->look.visit = gather;
    reader->look.context = reader;
    send_errand(&reader->errand, &ring->container, 0);
    settle();
}

static void test_numbers_count_from_zero(void **state)
{
    (void)state;
    struct fil_ringbuffer_state empty = fil_ringbuffer_state_here(ring, now_ms());
    assert_int_equal(empty.tail, -1);
    assert_int_equal(empty.head, 0);
    assert_int_equal(add("a"), 0);
    assert_int_equal(add("b"), 1);
    struct fil_ringbuffer_state two = fil_ringbuffer_state_here(ring, now_ms());
    assert_int_equal(two.tail, 1);
    assert_int_equal(two.size, 2);
    assert_int_equal(two.room, 5);
    assert_int_equal(read_one(1, "b"), FIL_OK);
}

static void test_full_one_refuses_if_items_expire(void **state)
{
    (void)state;
    add_letters("abcde");
    assert_int_equal(add_as("f", FIL_RINGBUFFER_FAIL), FIL_E_FULL);
    assert_int_equal(add("f"), 5);
}

static void test_full_one_overwrites(void **state)
{
    (void)state;
    add_letters("abcde");
    assert_int_equal(add_as("f", FIL_RINGBUFFER_FAIL), 5);
    assert_int_equal(fil_ringbuffer_state_here(ring, now_ms()).head, 1);
    assert_int_equal(read_one(1, "b"), FIL_OK);
}

static void test_gone_and_too_far_are_told_apart(void **state)
{
    (void)state;
    add_letters("abcdefg");
    assert_int_equal(read_one(1, ""), FIL_E_NOT_FOUND);
    assert_int_equal(read_one(7, ""), FIL_E_AGAIN);
    assert_int_equal(read_one(8, ""), FIL_E_INVALID);
    assert_int_equal(read_one(-1, ""), FIL_E_INVALID);
}

static void test_reader_waits_for_enough(void **state)
{
    (void)state;
    struct reader reader = {.count = 0};
    add_letters("a");
    send_look(&reader, 0, 3, 10);
    assert_false(reader.errand.is_done);
    add_letters("b");
    settle();
    assert_false(reader.errand.is_done);
    add_letters("c");
    settle();
    assert_true(reader.errand.is_done);
    assert_string_equal(reader.letters, "abc");
    assert_int_equal(reader.look.next, 3);
    assert_int_equal(fil_counter_read(&ring->container.counters.waits), 1);
}

static void test_look_is_clamped_and_filtered(void **state)
{
    (void)state;
    struct reader all = {.count = 0};
    struct reader vowels = {.look.filter = is_vowel};
    struct reader none = {.count = 0};
    add_letters("xyabcde");
    send_look(&all, 0, 1, 3);
    assert_string_equal(all.letters, "abc");
    assert_int_equal(all.look.next, 5);
    send_look(&vowels, 2, 2, 10);
    assert_string_equal(vowels.letters, "ae");
    assert_int_equal(vowels.look.read_count, 5);
    send_look(&none, 100, 0, 10);
    assert_true(none.errand.is_done);
    assert_int_equal(none.look.next, 7);
}

static void test_wrong_looks_are_refused(void **state)
{
    (void)state;
    struct reader reader = {.count = 0};
    send_look(&reader, 0, 3, 2);
    assert_int_equal(reader.errand.error, FIL_E_INVALID);
    send_look(&reader, 0, 6, 10);
    assert_int_equal(reader.errand.error, FIL_E_INVALID);
}

static void test_items_expire(void **state)
{
    (void)state;
    add_letters("a");
    pass_ms(60);
    add_letters("b");
    assert_int_equal(read_one(0, "a"), FIL_OK);
    pass_ms(60);
    assert_int_equal(read_one(0, ""), FIL_E_NOT_FOUND);
    assert_int_equal(read_one(1, "b"), FIL_OK);
    assert_int_equal(fil_ringbuffer_state_here(ring, now_ms()).room, 4);
    pass_ms(60);
    settle();
    assert_int_equal(fil_counter_read(&ring->container.counters.items), 0);
    assert_int_equal(fil_counter_read(&ring->container.counters.expired), 2);
    assert_int_equal(add("c"), 2);
}

static void test_many_are_added_all_or_none(void **state)
{
    (void)state;
    struct fil_bytes items[7] = {text("1"), text("2"), text("3"), text("4"),
                                 text("5"), text("6"), text("7")};
    int64_t seq = 0;
    add_letters("ab");
    struct fil_partition *partition = go_in(&ring->container);
    assert_int_equal(fil_ringbuffer_add_here(ring, FIL_RINGBUFFER_FAIL, items, 6, now_ms(), &seq),
                     FIL_E_FULL);
    int error = FIL_E_NOMEM;
    static char large[5000];
    items[3] = fil_bytes_make(large, sizeof(large));
    for (int64_t i = 0; error == FIL_E_NOMEM; i++) {
        fil_alloc_fail_after(i);
        error = fil_ringbuffer_add_here(ring, FIL_RINGBUFFER_OVERWRITE, items, 7, now_ms(), &seq);
        fil_alloc_fail_after(-1);
        assert_int_equal(ring->items.count, error == FIL_OK ? 5 : 2);
    }
    fil_partition_leave(partition);
    assert_int_equal(error, FIL_OK);
    assert_int_equal(seq, 8);
    assert_int_equal(read_one(4, "3"), FIL_OK);
    assert_int_equal(read_one(3, ""), FIL_E_NOT_FOUND);
}

static void test_cleared_it_is_as_new(void **state)
{
    (void)state;
    struct reader reader = {.count = 0};
    add_letters("abcdef");
    send_look(&reader, 6, 1, 1);
    struct fil_partition *partition = go_in(&ring->container);
    fil_ringbuffer_type.clear(&ring->container, now_ms());
    fil_partition_leave(partition);
    settle();
    assert_false(reader.errand.is_done); // its start is clamped, and it waits for the first item
    assert_int_equal(add("z"), 0);
    settle();
    assert_string_equal(reader.letters, "z");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_numbers_count_from_zero, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_full_one_overwrites, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_full_one_refuses_if_items_expire, set_up_expiring,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_gone_and_too_far_are_told_apart, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_reader_waits_for_enough, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_look_is_clamped_and_filtered, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_wrong_looks_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_items_expire, set_up_expiring, tear_down),
        cmocka_unit_test_setup_teardown(test_many_are_added_all_or_none, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_cleared_it_is_as_new, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("ringbuffer", tests, NULL, NULL);
}
