// SPDX-License-Identifier: Apache-2.0
/**
 * Commands whose words are huge, one test a promise: none of them runs on the loop, of whatever
 * kind it is, and their words are not copied there; what is a byte smaller stays; what is before
 * and behind them keeps its order; between MULTI and EXEC they are kept as they came; keys of that
 * size are found; one that comes in pieces is no other; every failed allocation is survived; and a
 * client that goes leaves nothing behind.
 */
#include <stdio.h>
#include <string.h>

#include "core/exec/exec.h"
#include "lib/base/alloc.h"
#include "protocol/resp/weight.h"
#include "tests/unit/harness.h"
#include "tests/unit/protocol/resp/resp_world.h"

#define SECOND     UINT64_C(1000000000)
#define HUGE_BYTES FIL_RESP_HUGE_BYTES
#define ROOM_BYTES ((size_t)8 << 20)
#define MAP_BYTES  (UINT64_C(64) << 20)

static struct resp_world world;
static char room[ROOM_BYTES];
static size_t used;
static char word[HUGE_BYTES + 1];

static void open_world(uint64_t map_bytes)
{
    memset(word, 'x', HUGE_BYTES);
    used = 0;
    resp_world_init(&world);
    world.net.limits.frame_bytes_max = ROOM_BYTES;
    world.net.client_options.send_bytes_max = 2 * ROOM_BYTES;
    world.net.client_options.receive_bytes_max = (size_t)4 << 20;
    resp_world_open(&world, map_bytes);
}

static int set_up(void **state)
{
    (void)state;
    open_world(MAP_BYTES);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_alloc_fail_after(-1);
    resp_world_close(&world);
    return 0;
}

static void add(const char *text, size_t size)
{
    assert_true(size <= sizeof(room) - used);
    memcpy(room + used, text, size);
    used += size;
}

static void add_text(const char *text)
{
    add(text, strlen(text));
}

/** Adds a command; '#' in the place of a word is one that is huge, '-' one that is a bit shorter.
 */
static void add_command(const char *const *words, uint32_t count)
{
    char head[32];
    (void)snprintf(head, sizeof(head), "*%u\r\n", count);
    add_text(head);
    for (uint32_t i = 0; i < count; i++) {
        bool is_huge = strcmp(words[i], "#") == 0;
        bool is_nearly = strcmp(words[i], "-") == 0;
        size_t size = is_huge ? HUGE_BYTES : is_nearly ? HUGE_BYTES - 100 : strlen(words[i]);
        (void)snprintf(head, sizeof(head), "$%zu\r\n", size);
        add_text(head);
        add(is_huge || is_nearly ? word : words[i], size);
        add_text("\r\n");
    }
}

#define ADD(...) \
    add_command((const char *const[]){__VA_ARGS__}, FIL_COUNT_OF(((const char *[]){__VA_ARGS__})))

static uint64_t handed_over(void)
{
    return fil_counter_read(&world.turns[0].runner.stats.handed_over);
}

static uint64_t run_in_place(void)
{
    return fil_counter_read(&world.turns[0].runner.stats.caller_runs);
}

/** Has the client send what was added, and get exactly the reply. */
static void check(struct fil_sim_client *client, const char *reply)
{
    if (used > 0) {
        fil_sim_client_send(client, fil_bytes_make(room, used));
    }
    used = 0;
    net_world_expect(client, reply);
    net_world_run_for(&world.net, SECOND);
    if (fil_sim_client_verdict(client) != FIL_SIM_VERDICT_MATCHED) {
        struct fil_bytes received = fil_sim_client_received(client);
        fail_msg("expected %s, received %.*s", reply,
                 (int)(received.size < 200 ? received.size : 200), (const char *)received.data);
    }
}

/** The same of one command that must have run on the partition's thread alone. */
static void check_left(struct fil_sim_client *client, const char *reply)
{
    uint64_t handed_before = handed_over();
    uint64_t run_before = run_in_place();
    check(client, reply);
    assert_int_equal(run_in_place(), run_before);
    assert_true(handed_over() > handed_before);
}

static void test_huge_words_leave_the_loop_whatever_the_command(void **state)
{
    (void)state;
    struct fil_sim_client *client = net_world_client(&world.net);
    ADD("SET", "k", "#");
    check_left(client, "+OK\r\n");
    ADD("APPEND", "k", "#");
    check_left(client, ":2097152\r\n");
    ADD("SET", "k", "#", "NX");
    check_left(client, "$-1\r\n");
    ADD("MSET", "a", "1", "b", "#");
    check_left(client, "+OK\r\n");
    ADD("MSETNX", "c", "#", "d", "2");
    check_left(client, ":1\r\n");
    ADD("RPUSH", "l", "1", "#");
    check_left(client, ":2\r\n");
    ADD("HSET", "h", "f", "#");
    check_left(client, ":1\r\n");
    ADD("PFADD", "p", "#");
    check_left(client, ":1\r\n");
    ADD("INCR", "k", "#");
    check(client, "-ERR wrong number of arguments for 'incr' command\r\n");
    ADD("STRLEN", "b");
    ADD("STRLEN", "c");
    ADD("GET", "d");
    check(client, ":1048576\r\n:1048576\r\n$1\r\n2\r\n");
}

static void test_a_bit_less_stays_on_the_loop(void **state)
{
    (void)state;
    uint64_t before = handed_over();
    struct fil_sim_client *client = net_world_client(&world.net);
    ADD("SET", "k", "-");
    check(client, "+OK\r\n");
    assert_int_equal(handed_over(), before);
}

static void test_the_words_are_not_copied(void **state)
{
    (void)state;
    // The budget of calls has room for the value, and for nothing else of that size.
    resp_world_close(&world);
    open_world(HUGE_BYTES + HUGE_BYTES / 2);
    struct fil_sim_client *client = net_world_client(&world.net);
    ADD("SET", "k", "#");
    check_left(client, "+OK\r\n");
}

static void test_what_is_before_and_behind_keeps_its_order(void **state)
{
    (void)state;
    struct fil_sim_client *client = net_world_client(&world.net);
    ADD("SET", "a", "1");
    ADD("SET", "k", "#");
    ADD("GET", "a");
    ADD("MSET", "k", "short", "b", "#");
    ADD("GET", "k");
    ADD("SET", "k", "#");
    ADD("SET", "k", "#", "EX", "100");
    ADD("DEL", "#", "k", "#");
    ADD("GET", "k");
    check(client, "+OK\r\n+OK\r\n$1\r\n1\r\n+OK\r\n$5\r\nshort\r\n+OK\r\n+OK\r\n:1\r\n$-1\r\n");
}

static void test_transactions_keep_them_as_they_came(void **state)
{
    (void)state;
    struct fil_sim_client *client = net_world_client(&world.net);
    ADD("MULTI");
    ADD("SET", "k", "#");
    ADD("STRLEN", "k");
    check(client, "+OK\r\n+QUEUED\r\n+QUEUED\r\n");
    ADD("EXEC");
    check_left(client, "*2\r\n+OK\r\n:1048576\r\n");
    ADD("MULTI");
    ADD("SET", "k", "#");
    ADD("DISCARD");
    check(client, "+OK\r\n+QUEUED\r\n+OK\r\n");
}

static void test_huge_keys_are_found(void **state)
{
    (void)state;
    struct fil_sim_client *client = net_world_client(&world.net);
    ADD("SET", "#", "v");
    check_left(client, "+OK\r\n");
    ADD("GET", "#");
    check_left(client, "$1\r\nv\r\n");
    ADD("MGET", "#", "k", "#");
    check_left(client, "*3\r\n$1\r\nv\r\n$-1\r\n$1\r\nv\r\n");
    ADD("RENAME", "#", "k");
    check_left(client, "+OK\r\n");
    ADD("EXISTS", "#", "k");
    check_left(client, ":1\r\n");
}

static void test_who_waits_under_a_huge_key_is_served(void **state)
{
    (void)state;
    struct fil_sim_client *waiting = net_world_client(&world.net);
    ADD("BLPOP", "#", "k", "0");
    fil_sim_client_send(waiting, fil_bytes_make(room, used));
    net_world_run_for(&world.net, 1000000);
    used = 0;
    struct fil_sim_client *client = net_world_client(&world.net);
    ADD("RPUSH", "k", "v");
    check(client, ":1\r\n");
    check(waiting, "*2\r\n$1\r\nk\r\n$1\r\nv\r\n");
}

static void test_what_comes_in_pieces_is_no_other(void **state)
{
    (void)state;
    world.net.client_options.fragment_bytes = (struct fil_sim_range){.min = 1, .max = 50000};
    struct fil_sim_client *client = net_world_client(&world.net);
    ADD("SET", "a", "1");
    ADD("SET", "k", "#");
    ADD("STRLEN", "k");
    ADD("GET", "a");
    check(client, "+OK\r\n+OK\r\n:1048576\r\n$1\r\n1\r\n");
}

/** One with something behind it, while the allocation at this position fails; what came back. */
static struct fil_bytes replies_without(int64_t position)
{
    struct fil_sim_client *client = net_world_client(&world.net);
    ADD("SET", "k", "#", "EX", "100");
    ADD("PING");
    fil_sim_client_send(client, fil_bytes_make(room, used));
    fil_alloc_fail_after(position);
    net_world_run_for(&world.net, 3 * SECOND);
    fil_alloc_fail_after(-1);
    return fil_sim_client_received(client);
}

static void test_every_failed_allocation_is_survived(void **state)
{
    (void)state;
    static const char good[] = "+OK\r\n+PONG\r\n";
    bool is_complete = false;
    for (int64_t position = 0; !is_complete; position++) {
        struct fil_bytes received = replies_without(position);
        is_complete =
            received.size == sizeof(good) - 1 && memcmp(received.data, good, received.size) == 0;
        bool is_refused = fil_counter_read(&world.net.acceptor.stats.refused_memory) > 0 ||
                          net_world_closed(&world.net, FIL_CLOSE_MEMORY) > 0 ||
                          (received.size > 0 && received.data[0] == '-');
        assert_true(is_complete || is_refused);
        assert_true(position < 60);
        resp_world_close(&world);
        open_world(MAP_BYTES);
    }
}

static void test_client_that_goes_leaves_nothing_behind(void **state)
{
    (void)state;
    struct fil_sim_client *client = net_world_client(&world.net);
    ADD("SET", "k", "#");
    ADD("BLPOP", "#", "0");
    ADD("SET", "k", "#");
    fil_sim_client_send(client, fil_bytes_make(room, used));
    fil_sim_client_close(client);
    net_world_run_for(&world.net, SECOND);
    assert_int_equal(net_world_closed_all(&world.net), 1);
    struct fil_sim_client *another = net_world_client(&world.net);
    used = 0;
    ADD("STRLEN", "k");
    check(another, ":1048576\r\n");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(huge_words_leave_the_loop_whatever_the_command),
        TEST(a_bit_less_stays_on_the_loop),
        TEST(the_words_are_not_copied),
        TEST(what_is_before_and_behind_keeps_its_order),
        TEST(transactions_keep_them_as_they_came),
        TEST(huge_keys_are_found),
        TEST(who_waits_under_a_huge_key_is_served),
        TEST(what_comes_in_pieces_is_no_other),
        TEST(every_failed_allocation_is_survived),
        TEST(client_that_goes_leaves_nothing_behind),
    };
#undef TEST
    return cmocka_run_group_tests_name("huge", tests, NULL, NULL);
}
