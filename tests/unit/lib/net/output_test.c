// SPDX-License-Identifier: Apache-2.0
/**
 * The output, one test a promise: one holder at a time; whoever is turned away leaves a note that
 * the holder sees; bytes leave in order, however few the socket takes at once; a full socket blocks
 * and goes on where it stopped; errors stick; memory that is out sends nothing of what has a gap;
 * with four threads that send and one that unblocks, every byte is sent once and in each sender's
 * order, and no note is lost.
 */
#include "lib/net/output.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/prng.h"
#include "lib/conc/stack.h"
#include "lib/os/thread.h"
#include "tests/unit/harness.h"

#define SENT_BYTES_MAX 600000U

/** A socket that keeps what it takes. Touched by the holder alone, so that TSan sees a second. */
struct fake_env {
    struct fil_env env;
    size_t room; // per call
    int64_t error;
    uint32_t call_count;
    size_t sent_size;
    uint8_t sent[SENT_BYTES_MAX];
};

static struct fake_env fake;
static struct fil_budget budget;
static struct fil_pool pool;
static struct fil_output output;

static int64_t fake_send(struct fil_env *env, int fd, const struct fil_bytes *slices,
                         uint32_t count)
{
    struct fake_env *socket = FIL_CONTAINER_OF(env, struct fake_env, env);
    (void)fd;
    socket->call_count++;
    if (socket->error != FIL_OK) {
        return socket->error;
    }
    size_t taken = 0;
    for (uint32_t i = 0; i < count && taken < socket->room; i++) {
        size_t left = socket->room - taken;
        size_t part = slices[i].size < left ? slices[i].size : left;
        memcpy(socket->sent + socket->sent_size, slices[i].data, part);
        socket->sent_size += part;
        taken += part;
    }
    return taken == 0 ? FIL_E_AGAIN : (int64_t)taken;
}

static int set_up(void **state)
{
    (void)state;
    static const struct fil_env_ops ops = {.send = fake_send};
    fake.env.ops = &ops;
    fake.room = SIZE_MAX;
    fake.error = FIL_OK;
    fake.call_count = 0;
    fake.sent_size = 0;
    fil_budget_init(&budget, UINT64_C(1) << 30);
    fil_chunk_pool_init(&pool, &budget, 4);
    fil_output_init(&output);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_alloc_fail_after(-1);
    fil_output_fini(&output);
    fil_pool_fini(&pool);
    assert_int_equal(fil_budget_drawn(&budget), 0);
    return 0;
}

static size_t send_now(void)
{
    uint32_t calls = 0;
    return fil_output_send(&output, &fake.env, 3, &calls);
}

static void assert_sent(const char *text)
{
    assert_int_equal(fake.sent_size, strlen(text));
    assert_memory_equal(fake.sent, text, fake.sent_size);
}

static void test_there_is_one_holder(void **state)
{
    (void)state;
    assert_false(fil_output_is_held(&output));
    assert_true(fil_output_acquire(&output, &pool));
    assert_true(fil_output_is_held(&output));
    assert_false(fil_output_acquire(&output, &pool));
    assert_false(fil_output_acquire(&output, &pool));
    // However many notes: seen once.
    assert_false(fil_output_release(&output));
    assert_true(fil_output_is_held(&output));
    assert_true(fil_output_release(&output));
    assert_false(fil_output_is_held(&output));
    assert_true(fil_output_acquire(&output, &pool));
    assert_true(fil_output_release(&output));
}

static void test_bytes_leave_in_order(void **state)
{
    (void)state;
    assert_true(fil_output_acquire(&output, &pool));
    fil_output_append(&output, fil_bytes_of("one "));
    uint8_t *room = fil_output_reserve(&output, 10);
    memcpy(room, "two ", 4);
    fil_output_commit(&output, 4);
    fil_output_append(&output, fil_bytes_of("three"));
    assert_int_equal(send_now(), 13);
    assert_sent("one two three");
    assert_int_equal(fake.call_count, 1);
    assert_int_equal(send_now(), 0);
    assert_int_equal(fake.call_count, 1);
    assert_true(fil_output_release(&output));
}

static void test_many_chunks_take_several_calls(void **state)
{
    (void)state;
    static uint8_t data[10000];
    assert_true(fil_output_acquire(&output, &pool));
    for (uint32_t i = 0; i < 60; i++) {
        memset(data, (int)i, sizeof(data));
        // Two do not fit one block, so each gets a chunk; not one less than a call takes.
        fil_output_append(&output, fil_bytes_make(data, sizeof(data)));
    }
    uint32_t calls = 0;
    assert_int_equal(fil_output_send(&output, &fake.env, 3, &calls), 600000);
    assert_int_equal(calls, fake.call_count);
    assert_int_equal(fake.sent_size, 600000);
    for (uint32_t i = 0; i < 60; i++) {
        assert_int_equal(fake.sent[i * 10000], i);
        assert_int_equal(fake.sent[i * 10000 + 9999], i);
    }
    assert_true(fil_output_release(&output));
}

static void test_full_socket_blocks_and_goes_on(void **state)
{
    (void)state;
    assert_true(fil_output_acquire(&output, &pool));
    fil_output_append(&output, fil_bytes_of("abcdefgh"));
    fake.room = 3;
    assert_int_equal(send_now(), 3);
    assert_true(output.is_blocked);
    // Nobody is asked again until somebody knows that there is room.
    assert_int_equal(send_now(), 0);
    assert_int_equal(fake.call_count, 1);
    fake.room = 0;
    output.is_blocked = false;
    assert_int_equal(send_now(), 0);
    assert_true(output.is_blocked);
    assert_int_equal(output.error, FIL_OK);
    fake.room = 5;
    output.is_blocked = false;
    assert_int_equal(send_now(), 5);
    assert_false(output.is_blocked);
    assert_sent("abcdefgh");
    assert_true(fil_output_release(&output));
}

static void test_errors_stick(void **state)
{
    (void)state;
    assert_true(fil_output_acquire(&output, &pool));
    fil_output_append(&output, fil_bytes_of("abc"));
    fake.error = FIL_E_CLOSED;
    assert_int_equal(send_now(), 0);
    assert_int_equal(output.error, FIL_E_CLOSED);
    assert_false(output.is_blocked);
    fake.error = FIL_OK;
    assert_int_equal(send_now(), 0);
    assert_int_equal(fake.call_count, 1);
    assert_true(fil_output_release(&output));
}

static void test_nothing_is_sent_around_a_gap(void **state)
{
    (void)state;
    static uint8_t data[50000];
    assert_true(fil_output_acquire(&output, &pool));
    fil_output_append(&output, fil_bytes_of("abc"));
    fil_alloc_fail_after(0);
    fil_output_append(&output, fil_bytes_make(data, sizeof(data)));
    fil_alloc_fail_after(-1);
    fil_output_append(&output, fil_bytes_of("def"));
    assert_int_equal(send_now(), 0);
    assert_int_equal(output.error, FIL_E_NOMEM);
    assert_int_equal(fake.call_count, 0);
    assert_true(fil_output_release(&output));
}

// Several threads.

#define SENDERS            4U
#define ITEMS_PER_SENDER   3000U
#define TOTAL_ITEMS        (SENDERS * ITEMS_PER_SENDER)
#define ITEM_BYTES_MAX     20U
#define UNBLOCKS_PER_YIELD 64U

struct item {
    struct fil_link link;
    uint8_t text[4]; // sender, number (two bytes), size
};

struct sender {
    struct fil_thread thread;
    struct fil_pool pool;
    struct item items[ITEMS_PER_SENDER];
};

static struct sender senders[SENDERS];
static struct fil_stack ready;

/** What a holder does: whatever is ready goes out, as far as the socket takes it. */
static void collect_and_send(void)
{
    struct fil_link *link = fil_stack_take_all(&ready);
    for (; link != NULL; link = link->next) {
        struct item *item = FIL_CONTAINER_OF(link, struct item, link);
        uint8_t filler[ITEM_BYTES_MAX];
        memset(filler, 0xEE, sizeof(filler));
        fil_output_append(&output, fil_bytes_make(item->text, sizeof(item->text)));
        fil_output_append(&output, fil_bytes_make(filler, item->text[3]));
    }
    // The socket's room changes from call to call, and is often too small.
    fake.room = 1 + (fake.call_count * 7) % 31;
    (void)send_now();
}

static void write_out(struct fil_pool *mine)
{
    if (fil_output_acquire(&output, mine)) {
        do {
            collect_and_send();
        } while (!fil_output_release(&output));
    }
}

static void send_items(void *context)
{
    struct sender *sender = context;
    fil_pool_adopt(&sender->pool);
    for (uint32_t i = 0; i < ITEMS_PER_SENDER; i++) {
        (void)fil_stack_push(&ready, &sender->items[i].link);
        write_out(&sender->pool);
    }
}

static void make_items(void)
{
    struct fil_prng prng;
    fil_prng_init(&prng, 5);
    for (uint32_t s = 0; s < SENDERS; s++) {
        for (uint32_t i = 0; i < ITEMS_PER_SENDER; i++) {
            uint8_t *text = senders[s].items[i].text;
            text[0] = (uint8_t)s;
            text[1] = (uint8_t)(i >> 8);
            text[2] = (uint8_t)i;
            text[3] = (uint8_t)fil_prng_below(&prng, ITEM_BYTES_MAX + 1);
        }
    }
}

static size_t total_bytes(void)
{
    size_t total = 0;
    for (uint32_t s = 0; s < SENDERS; s++) {
        for (uint32_t i = 0; i < ITEMS_PER_SENDER; i++) {
            total += 4U + senders[s].items[i].text[3];
        }
    }
    return total;
}

/** As the loop does when the poller reports room; returns how much was sent in all. */
static size_t unblock(void)
{
    size_t sent = 0;
    if (fil_output_acquire(&output, &pool)) {
        do {
            output.is_blocked = false;
            collect_and_send();
            sent = fake.sent_size;
        } while (!fil_output_release(&output));
    }
    return sent;
}

static void check_sent(void)
{
    uint32_t next[SENDERS] = {0};
    size_t position = 0;
    for (uint32_t n = 0; n < TOTAL_ITEMS; n++) {
        const uint8_t *text = fake.sent + position;
        assert_true(text[0] < SENDERS);
        assert_int_equal((uint32_t)text[1] << 8 | text[2], next[text[0]]);
        assert_memory_equal(text, senders[text[0]].items[next[text[0]]].text, 4);
        next[text[0]]++;
        for (uint32_t i = 0; i < text[3]; i++) {
            assert_int_equal(text[4 + i], 0xEE);
        }
        position += 4U + text[3];
    }
    assert_int_equal(position, fake.sent_size);
}

/** A lost note leaves an item unsent for ever, and the test's time limit tells. */
static void test_every_byte_of_four_senders_leaves_once(void **state)
{
    (void)state;
    make_items();
    fil_stack_init(&ready);
    size_t total = total_bytes();
    assert_true(total <= SENT_BYTES_MAX);
    for (uint32_t s = 0; s < SENDERS; s++) {
        struct sender *sender = &senders[s];
        fil_chunk_pool_init(&sender->pool, &budget, 4);
        assert_int_equal(fil_thread_start(&sender->thread, "sender", send_items, sender), FIL_OK);
    }
    uint32_t turn = 0;
    while (unblock() < total) {
        if (++turn % UNBLOCKS_PER_YIELD == 0) {
            fil_thread_yield();
        }
    }
    for (uint32_t s = 0; s < SENDERS; s++) {
        fil_thread_join(&senders[s].thread);
        fil_pool_adopt(&senders[s].pool);
        fil_pool_fini(&senders[s].pool);
    }
    check_sent();
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(there_is_one_holder),
        TEST(bytes_leave_in_order),
        TEST(many_chunks_take_several_calls),
        TEST(full_socket_blocks_and_goes_on),
        TEST(errors_stick),
        TEST(nothing_is_sent_around_a_gap),
        TEST(every_byte_of_four_senders_leaves_once),
    };
#undef TEST
    return cmocka_run_group_tests_name("output", tests, NULL, NULL);
}
