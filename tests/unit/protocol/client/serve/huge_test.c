// SPDX-License-Identifier: Apache-2.0
/**
 * Huge messages, one test a promise: they do not run on the loop, nor are they copied there,
 * whether they come in one piece or in fragments; what is behind them in the same partition comes
 * after them; they wait for locks as others do; every failed allocation is survived; and a client
 * that goes leaves nothing behind.
 */
#include <string.h>

#include "lib/base/alloc.h"
#include "protocol/client/frame.h"
#include "protocol/client/serve/call.h"
#include "tests/unit/harness.h"
#include "tests/unit/protocol/client/serve/wire_world.h"

#define MESSAGE_MAX (FIL_WIRE_HUGE_BYTES * 4)
#define VALUE_BYTES FIL_WIRE_HUGE_BYTES
#define PLACE       3U // the partition

#define PUT    UINT32_C(0x010100)
#define GET    UINT32_C(0x010200)
#define LOCK   UINT32_C(0x011000)
#define UNLOCK UINT32_C(0x011300)

#define EMPTY_REPLY 19U // of an initial frame
#define NULL_REPLY  6U  // a null frame
#define DATA_HEAD   18U // of a frame with a string

// Client 1, cluster "dev", no user, PYH 5.7.0 named c, no labels.
static const char hello[] =
    "CP2\x28\0\0\0\0\xc0\0\1\0\0\1\0\0\0\0\0\0\0\xff\xff\xff\xff\0\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0"
    "\0\1\x9\0\0\0\0\0dev\6\0\0\0\0\4\6\0\0\0\0\4\x9\0\0\0\0\0PYH\xb\0\0\0\0\0"
    "5.7.0\7\0\0\0\0\0c\6\0\0\0\0\x10\6\0\0\0\0\x28";

static uint8_t room[MESSAGE_MAX];
static size_t used;

static int open_huge(void **state)
{
    (void)set_up(state);
    used = 0;
    world.server.options.message_bytes_max = MESSAGE_MAX;
    world.net.client_options.send_bytes_max = 4 * MESSAGE_MAX;
    world.net.client_options.receive_bytes_max = MESSAGE_MAX;
    return 0;
}

static int close_huge(void **state)
{
    fil_alloc_fail_after(-1);
    return tear_down(state);
}

static void add_frame(uint16_t flags, const void *content, size_t size)
{
    assert_true(size + FIL_WIRE_FRAME_HEADER <= sizeof(room) - used);
    fil_store_u32_le(room + used, (uint32_t)(size + FIL_WIRE_FRAME_HEADER));
    fil_store_u16_le(room + used + 4, flags);
    if (size > 0) {
        memcpy(room + used + FIL_WIRE_FRAME_HEADER, content, size);
    }
    used += size + FIL_WIRE_FRAME_HEADER;
}

/** A string of so many letters as data. */
static void add_string(uint16_t flags, size_t size)
{
    static uint8_t data[MESSAGE_MAX] = {0, 0, 0, 0, 0xff, 0xff, 0xff, 0xf5};
    fil_store_u32_be(data + 8, (uint32_t)size);
    memset(data + 12, 'v', size);
    add_frame(flags, data, size + 12);
}

/** The initial frame, with the fields that all have, and the map's name. */
static void begin_request(uint32_t number, uint8_t correlation, const uint64_t *fields,
                          uint32_t count)
{
    uint8_t content[64] = {0};
    fil_store_u32_le(content, number);
    content[4] = correlation;
    fil_store_u32_le(content + 12, PLACE);
    for (uint32_t i = 0; i < count; i++) {
        fil_store_u64_le(content + 16 + i * 8, fields[i]);
    }
    add_frame(FIL_WIRE_UNFRAGMENTED, content, 16 + count * 8);
    add_frame(0, "m", 1);
}

static void add_put(uint8_t correlation, uint64_t thread, size_t size)
{
    begin_request(PUT, correlation, (uint64_t[]){thread, UINT64_MAX}, 2);
    add_string(0, 1);
    add_string(FIL_WIRE_FINAL, size);
}

static void add_get(uint8_t correlation)
{
    begin_request(GET, correlation, (uint64_t[]){1}, 1);
    add_string(FIL_WIRE_FINAL, 1);
}

static void add_lock(uint8_t correlation, uint64_t thread)
{
    begin_request(LOCK, correlation, (uint64_t[]){thread, UINT64_MAX, correlation}, 3);
    add_string(FIL_WIRE_FINAL, 1);
}

static void add_unlock(uint8_t correlation, uint64_t thread)
{
    begin_request(UNLOCK, correlation, (uint64_t[]){thread, correlation}, 2);
    add_string(FIL_WIRE_FINAL, 1);
}

/** What was added, in two fragments. */
static void split(size_t first_size)
{
    static uint8_t whole[MESSAGE_MAX];
    uint8_t number[8] = {9};
    size_t size = used;
    memcpy(whole, room, size);
    used = 0;
    add_frame(FIL_WIRE_BEGIN_FRAGMENT, number, sizeof(number));
    size_t start = used;
    memcpy(room + used, whole, first_size);
    used += first_size;
    size_t last = start;
    while (last + fil_load_u32_le(room + last) < used) {
        last += fil_load_u32_le(room + last);
    }
    uint16_t flags = fil_load_u16_le(room + last + 4);
    fil_store_u16_le(room + last + 4, (uint16_t)(flags | FIL_WIRE_FINAL));
    add_frame(FIL_WIRE_END_FRAGMENT, number, sizeof(number));
    memcpy(room + used, whole + first_size, size - first_size);
    used += size - first_size;
}

static struct fil_sim_client *greet(void)
{
    struct fil_sim_client *client = net_world_client(&world.net);
    fil_sim_client_send(client, fil_bytes_make(hello, sizeof(hello) - 1));
    net_world_run_for(&world.net, SECOND / 10);
    assert_true(fil_sim_client_received(client).size > 32);
    return client;
}

/** Sends what was added, and gives what came back since then. */
static struct fil_bytes ask(struct fil_sim_client *client)
{
    size_t before = fil_sim_client_received(client).size;
    fil_sim_client_send(client, fil_bytes_make(room, used));
    used = 0;
    net_world_run_for(&world.net, SECOND / 10);
    struct fil_bytes all = fil_sim_client_received(client);
    return fil_bytes_make(all.data + before, all.size - before);
}

static uint64_t run_in_place(void)
{
    return fil_counter_read(&world.turns[0].runner.stats.caller_runs);
}

static uint64_t handed_over(void)
{
    return fil_counter_read(&world.turns[0].runner.stats.handed_over);
}

static void test_huge_message_leaves_the_loop(void **state)
{
    (void)state;
    struct fil_sim_client *client = greet();
    add_put(2, 1, 10);
    assert_int_equal(ask(client).size, EMPTY_REPLY + NULL_REPLY);
    assert_int_equal(handed_over(), 0);
    uint64_t run_before = run_in_place();
    add_put(3, 1, VALUE_BYTES);
    assert_int_equal(ask(client).size, EMPTY_REPLY + DATA_HEAD + 10);
    assert_int_equal(run_in_place(), run_before);
    assert_int_equal(handed_over(), 1);
}

static void test_what_is_behind_comes_after_it(void **state)
{
    (void)state;
    struct fil_sim_client *client = greet();
    add_put(2, 1, 10);
    add_put(3, 1, VALUE_BYTES);
    add_get(4);
    add_put(5, 1, 10);
    size_t size = 4 * EMPTY_REPLY + NULL_REPLY + 3 * DATA_HEAD + 10 + 2 * VALUE_BYTES;
    assert_int_equal(ask(client).size, size);
    add_get(6);
    assert_int_equal(ask(client).size, EMPTY_REPLY + DATA_HEAD + 10);
}

static void test_it_is_not_copied(void **state)
{
    (void)state;
    struct fil_sim_client *client = greet();
    // There is room for the value, and for nothing else of that size.
    world.budget.limit_bytes = fil_budget_drawn(&world.budget) + VALUE_BYTES + VALUE_BYTES / 2;
    add_put(2, 1, VALUE_BYTES);
    assert_int_equal(ask(client).size, EMPTY_REPLY + NULL_REPLY);
    assert_int_equal(handed_over(), 1);
}

static void test_fragments_are_one_message(void **state)
{
    (void)state;
    struct fil_sim_client *client = greet();
    add_put(2, 1, VALUE_BYTES);
    split(used - VALUE_BYTES - DATA_HEAD);
    add_get(3);
    assert_int_equal(ask(client).size, 2 * EMPTY_REPLY + NULL_REPLY + DATA_HEAD + VALUE_BYTES);
    assert_true(handed_over() >= 1);
}

static void test_it_waits_for_a_lock(void **state)
{
    (void)state;
    struct fil_sim_client *client = greet();
    add_lock(2, 7);
    assert_int_equal(ask(client).size, EMPTY_REPLY);
    add_put(3, 1, VALUE_BYTES);
    assert_int_equal(ask(client).size, 0);
    add_unlock(4, 7);
    assert_int_equal(ask(client).size, 2 * EMPTY_REPLY + NULL_REPLY);
}

static void test_every_failed_allocation_is_survived(void **state)
{
    (void)state;
    for (int64_t position = 0; position < 10; position++) {
        struct fil_sim_client *client = greet();
        fil_alloc_fail_after(position);
        add_put(2, 1, VALUE_BYTES);
        add_get(3);
        struct fil_bytes answer = ask(client);
        fil_alloc_fail_after(-1);
        assert_true(answer.size > 2 * EMPTY_REPLY || client->state != FIL_SIM_CLIENT_OPEN);
        fil_sim_client_close(client);
        net_world_run_for(&world.net, SECOND / 10);
    }
}

static void test_client_that_goes_leaves_nothing_behind(void **state)
{
    (void)state;
    struct fil_sim_client *client = greet();
    add_lock(2, 7);
    add_put(3, 1, VALUE_BYTES);
    fil_sim_client_send(client, fil_bytes_make(room, used));
    used = 0;
    net_world_run_for(&world.net, SECOND / 10);
    add_put(4, 1, VALUE_BYTES);
    fil_sim_client_send(client, fil_bytes_make(room, used));
    used = 0;
    fil_sim_client_close(client);
    net_world_run_for(&world.net, SECOND / 10);
    assert_int_equal(net_world_closed_all(&world.net), 1);
    client = greet();
    add_put(5, 1, 10);
    assert_int_equal(ask(client).size, EMPTY_REPLY + NULL_REPLY);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, open_huge, close_huge)
    const struct CMUnitTest tests[] = {
        TEST(huge_message_leaves_the_loop),
        TEST(what_is_behind_comes_after_it),
        TEST(it_is_not_copied),
        TEST(fragments_are_one_message),
        TEST(it_waits_for_a_lock),
        TEST(every_failed_allocation_is_survived),
        TEST(client_that_goes_leaves_nothing_behind),
    };
#undef TEST
    return cmocka_run_group_tests_name("huge", tests, NULL, NULL);
}
