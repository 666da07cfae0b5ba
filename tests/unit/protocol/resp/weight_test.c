// SPDX-License-Identifier: Apache-2.0
/**
 * What is too heavy for a loop, one test a promise: every command whose work grows with what its
 * keys have leaves the loop when that is much, without having run there, and stays when it is
 * little; those that touch a little of much stay; commands of very many words leave; so do
 * transactions that are slow, heavy or long, and they stay whole; and replies keep their order.
 */
#include <stdio.h>
#include <string.h>

#include "core/exec/exec.h"
#include "core/exec/partition.h"
#include "core/shelf/stream.h"
#include "core/shelf/zset.h"
#include "filbert/error.h"
#include "grid/map/shelf.h"
#include "lib/net/connection.h"
#include "protocol/resp/command.h"
#include "protocol/resp/weight.h"
#include "tests/unit/harness.h"
#include "tests/unit/protocol/resp/resp_world.h"

#define MAP_BYTES (UINT64_C(64) << 20)
#define LITTLE    3U

static struct resp_world world;
static struct fil_runner filler;

static void open_world(void)
{
    resp_world_init(&world);
    world.net.client_options.receive_bytes_max = (size_t)4 << 20;
    resp_world_open(&world, MAP_BYTES);
    world.server.options.has_debug_commands = true;
    fil_runner_init(&filler, world.exec, "test");
}

static int set_up(void **state)
{
    (void)state;
    open_world();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    resp_world_close(&world);
    return 0;
}

// What a key has, by the letter of its kind: list, hash, set, zset (z), stream (x), text (v).

static void fill_list(const struct fil_map_key *key, uint32_t count)
{
    struct fil_collection *list = NULL;
    assert_int_equal(fil_map_add_list_here(world.map, key, 1, &list), FIL_OK);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(fil_items_push_back(&list->items, fil_bytes_of("item")), FIL_OK);
    }
}

static void fill_stream(const struct fil_map_key *key, uint32_t count)
{
    struct fil_collection *made = NULL;
    uint8_t entry[FIL_XSTREAM_ID_BYTES + 8];
    uint8_t *end = fil_xstream_write_word(entry + FIL_XSTREAM_ID_BYTES, fil_bytes_of("a"));
    end = fil_xstream_write_word(end, fil_bytes_of("b"));
    assert_int_equal(fil_map_add_stream_here(world.map, key, 1, &made), FIL_OK);
    for (uint32_t i = 0; i < count; i++) {
        struct fil_xstream_id id = {.ms = i + 1};
        assert_int_equal(fil_xstream_add(made->stream, id, entry, (size_t)(end - entry)), FIL_OK);
    }
}

static void fill_members(const struct fil_map_key *key, enum fil_collection_kind kind,
                         uint32_t count)
{
    struct fil_bundle bundle;
    assert_int_equal(fil_map_need_bundle_here(world.map, key, 1, &bundle), FIL_OK);
    bundle.kind = kind;
    for (uint32_t i = 0; i < count; i++) {
        char member[16];
        bool is_new = false;
        int size = snprintf(member, sizeof(member), "m%u", i);
        struct fil_bytes bytes = fil_bytes_make(member, (size_t)size);
        struct fil_bytes value =
            kind == FIL_COLLECTION_HASH ? fil_bytes_of("value") : fil_bytes_make(NULL, 0);
        int error = kind == FIL_COLLECTION_ZSET ? fil_zset_put(&bundle, bytes, i, &is_new)
                                                : fil_bundle_put(&bundle, bytes, value, &is_new);
        assert_int_equal(error, FIL_OK);
    }
    fil_map_touch_collection_here(world.map, key, false, 1);
}

static void fill_text(const struct fil_map_key *key, size_t size)
{
    static uint8_t text[FIL_RESP_HUGE_BYTES];
    struct fil_store_write how = {.now_ms = 1};
    assert_true(size <= sizeof(text));
    assert_int_equal(fil_map_put_here(world.map, key, fil_bytes_make(text, size), &how, NULL),
                     FIL_OK);
}

static void fill(const char *name, char kind, bool is_much)
{
    struct fil_map_key key = fil_map_place(world.map, fil_bytes_of(name));
    struct fil_partition *partition = fil_exec_partition(world.exec, key.partition_id);
    uint32_t count = is_much ? FIL_RESP_HUGE_MEMBERS : LITTLE;
    assert_true(fil_partition_enter(partition, &filler));
    switch (kind) {
    case 'l':
        fill_list(&key, count);
        break;
    case 'x':
        fill_stream(&key, count);
        break;
    case 'h':
        fill_members(&key, FIL_COLLECTION_HASH, count);
        break;
    case 's':
        fill_members(&key, FIL_COLLECTION_SET, count);
        break;
    case 'z':
        fill_members(&key, FIL_COLLECTION_ZSET, count);
        break;
    default:
        fill_text(&key, is_much ? FIL_RESP_HUGE_BYTES : LITTLE);
        break;
    }
    fil_partition_leave(partition);
}

static uint64_t handed_over(void)
{
    return fil_counter_read(&world.turns[0].runner.stats.handed_over);
}

static uint64_t run_in_place(void)
{
    return fil_counter_read(&world.turns[0].runner.stats.caller_runs);
}

/** Has a new client send it; whether it left the loop, and ran nowhere but where it went. */
static bool leaves_loop(const char *text)
{
    uint64_t handed_before = handed_over();
    uint64_t run_before = run_in_place();
    struct fil_sim_client *client = net_world_client(&world.net);
    net_world_send(client, text);
    net_world_run_for(&world.net, 1000000);
    struct fil_bytes received = fil_sim_client_received(client);
    if (received.size == 0 || received.data[0] == '-') {
        fail_msg("%s: %.*s", text, (int)(received.size < 80 ? received.size : 80),
                 (const char *)received.data);
    }
    bool has_left = handed_over() > handed_before;
    bool has_run = run_in_place() > run_before;
    if (has_left == has_run) {
        fail_msg("%s: %s", text, has_run ? "ran on the loop as well" : "has not run at all");
    }
    return has_left;
}

/** A command of the table, what k has, and its words; t has a little of the same. */
struct weighed {
    const char *name;
    char kind;
    const char *words;
};

static const struct weighed commands[] = {
    {"append", 'v', "k x"},
    {"bitcount", 'v', "k"},
    {"bitfield", 'v', "k SET u8 0 1"},
    {"bitop", 'v', "NOT n k"},
    {"bitpos", 'v', "k 1"},
    {"blmpop", 'l', "0 1 k LEFT COUNT 8192"},
    {"bzmpop", 'z', "0 1 k MIN COUNT 8192"},
    {"copy", 'l', "k n"},
    {"copy", 'h', "k n"},
    {"copy", 's', "t k REPLACE"},
    {"copy", 'v', "k n"},
    {"del", 'l', "k"},
    {"del", 'h', "k"},
    {"del", 's', "k"},
    {"del", 'z', "k"},
    {"del", 'x', "k"},
    {"del", 'v', "k"},
    {"del", 'l', "k t"},
    {"expire", 'l', "k -1"},
    {"expireat", 'l', "k 1"},
    {"getdel", 'v', "k"},
    {"getex", 'v', "k"},
    {"getrange", 'v', "k 0 -1"},
    {"getset", 'v', "k x"},
    {"hgetall", 'h', "k"},
    {"hkeys", 'h', "k"},
    {"hrandfield", 'h', "k 2"},
    {"hscan", 'h', "k 0 COUNT 8192"},
    {"hvals", 'h', "k"},
    {"lindex", 'l', "k 131072"},
    {"linsert", 'l', "k BEFORE none x"},
    {"lmpop", 'l', "1 k LEFT COUNT 8192"},
    {"lpop", 'l', "k 8192"},
    {"lpos", 'l', "k none"},
    {"lrange", 'l', "k 0 -1"},
    {"lrange", 'l', "k 0 8191"},
    {"lrem", 'l', "k 0 none"},
    {"ltrim", 'l', "k 5 -5"},
    {"pexpire", 'l', "k -1"},
    {"pexpireat", 'l', "k 1"},
    {"rename", 'l', "k n"},
    {"rename", 'v', "k n"},
    {"rename", 'h', "t k"},
    {"renamenx", 'z', "k n"},
    {"rpop", 'l', "k 8192"},
    {"sdiff", 's', "k t"},
    {"sdiffstore", 's', "n k t"},
    {"setbit", 'v', "k 0 1"},
    {"setrange", 'v', "k 0 x"},
    {"sinter", 's', "k t"},
    {"sintercard", 's', "2 k t"},
    {"sinterstore", 's', "n k t"},
    {"smembers", 's', "k"},
    {"spop", 's', "k 8192"},
    {"srandmember", 's', "k 2"},
    {"sscan", 's', "k 0 COUNT 8192"},
    {"substr", 'v', "k 0 -1"},
    {"sunion", 's', "k t"},
    {"sunionstore", 's', "n k t"},
    {"unlink", 'h', "k"},
    {"xadd", 'x', "k MAXLEN 0 * a b"},
    {"xrange", 'x', "k - +"},
    {"xread", 'x', "STREAMS k 0"},
    {"xrevrange", 'x', "k + -"},
    {"xtrim", 'x', "k MAXLEN 0"},
    {"zdiff", 'z', "2 k t"},
    {"zdiffstore", 'z', "n 2 k t"},
    {"zinter", 'z', "2 k t"},
    {"zintercard", 'z', "2 k t"},
    {"zinterstore", 'z', "n 2 k t"},
    {"zmpop", 'z', "1 k MAX COUNT 8192"},
    {"zpopmax", 'z', "k 8192"},
    {"zpopmin", 'z', "k 8192"},
    {"zrandmember", 'z', "k 2"},
    {"zrange", 'z', "k 0 -1"},
    {"zrangebylex", 'z', "k - +"},
    {"zrangebyscore", 'z', "k -inf +inf"},
    {"zrangestore", 'z', "n k 0 0"},
    {"zremrangebylex", 'z', "k - +"},
    {"zremrangebyrank", 'z', "k 0 -1"},
    {"zremrangebyscore", 'z', "k -inf +inf"},
    {"zrevrange", 'z', "k 0 -1"},
    {"zrevrangebylex", 'z', "k + -"},
    {"zrevrangebyscore", 'z', "k +inf -inf"},
    {"zscan", 'z', "k 0 COUNT 8192"},
    {"zunion", 'z', "2 k t"},
    {"zunionstore", 'z', "n 2 k t"},
    // These find out when they have what is there.
    {"get", 'v', "k"},
    {"mget", 'v', "k t"},
    {"mset", 'l', "k 2 t 1"},
    {"mset", 'v', "k 2 t 1"},
    {"set", 'v', "k x"},
    {"set", 'v', "k x GET"},
    {"set", 'v', "k x KEEPTTL"},
    {"setex", 'v', "k 10 v"},
    {"expire", 'v', "k 100"},
    {"expireat", 'v', "k 4102444800"},
    {"pexpire", 'v', "k 100000 NX"},
    {"pexpireat", 'v', "k 4102444800000"},
    {"set", 'h', "k v"},
    {"set", 's', "k v PX 1000"},
    {"setex", 'z', "k 10 v"},
    {"psetex", 'l', "k 10 v"},
    {"flushdb", 'l', ""},
    {"flushall", 'x', "ASYNC"},
};

/**
 * Weighed too: two that leave only when there are 32 MiB to be looked through, and one that runs as
 * COPY does, but needs another database, which is not here.
 */
static const char *const others[] = {"lset", "move", "xdel"};

static bool is_listed(const char *name)
{
    bool is_found = false;
    for (size_t i = 0; i < FIL_COUNT_OF(commands) && !is_found; i++) {
        is_found = strcmp(commands[i].name, name) == 0;
    }
    for (size_t i = 0; i < FIL_COUNT_OF(others) && !is_found; i++) {
        is_found = strcmp(others[i], name) == 0;
    }
    return is_found;
}

static void test_every_weighed_command_is_listed_here(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < fil_resp_command_count(); i++) {
        const struct fil_resp_command_info *info = fil_resp_command_at(i);
        if ((info->flags & FIL_RESP_WEIGHED) != 0 && !is_listed(info->name)) {
            fail_msg("%s is weighed and not listed", info->name);
        }
    }
}

static bool leaves_loop_with(const struct weighed *weighed, bool is_much)
{
    char text[128];
    open_world();
    fill("k", weighed->kind, is_much);
    fill("t", weighed->kind, false);
    (void)snprintf(text, sizeof(text), "%s %s\r\n", weighed->name, weighed->words);
    bool has_left = leaves_loop(text);
    resp_world_close(&world);
    return has_left;
}

static void test_much_leaves_the_loop(void **state)
{
    (void)state;
    for (size_t i = 0; i < FIL_COUNT_OF(commands); i++) {
        if (!leaves_loop_with(&commands[i], true)) {
            fail_msg("%s %s ran on the loop", commands[i].name, commands[i].words);
        }
    }
}

static void test_little_stays_on_the_loop(void **state)
{
    (void)state;
    for (size_t i = 0; i < FIL_COUNT_OF(commands); i++) {
        bool is_flush = strncmp(commands[i].name, "flush", 5) == 0;
        if (!is_flush && leaves_loop_with(&commands[i], false)) {
            fail_msg("%s %s has left the loop", commands[i].name, commands[i].words);
        }
    }
}

static void test_a_little_of_much_stays_on_the_loop(void **state)
{
    (void)state;
    static const struct weighed some[] = {
        {"expire", 'l', "k 100"},
        {"getrange", 'v', "k 5 9"},
        {"hget", 'h', "k m1"},
        {"hrandfield", 'h', "k"},
        {"hscan", 'h', "k 0"},
        {"persist", 'l', "k"},
        {"persist", 'v', "k"},
        {"expire", 'v', "k 100 XX"},
        {"setnx", 'v', "k x"},
        {"set", 'v', "other x"},
        {"lindex", 'l', "k 9"},
        {"lmpop", 'l', "1 k LEFT"},
        {"lpop", 'l', "k"},
        {"lpush", 'l', "k x"},
        {"lrange", 'l', "k 0 9"},
        {"lrange", 'l', "k -9 -1"},
        {"lset", 'l', "k -2 x"},
        {"ltrim", 'l', "k 0 8000"},
        {"ltrim", 'l', "k -8000 -1"},
        {"rpop", 'l', "k 9"},
        {"sismember", 's', "k m1"},
        {"spop", 's', "k"},
        {"srandmember", 's', "k -9"},
        {"strlen", 'v', "k"},
        {"xadd", 'x', "k MAXLEN 8192 * a b"},
        {"xdel", 'x', "k 5-0"},
        {"xrange", 'x', "k - + COUNT 9"},
        {"xread", 'x', "COUNT 9 STREAMS k 5-0"},
        {"zcount", 'z', "k -inf +inf"},
        {"zpopmin", 'z', "k"},
        {"zrange", 'z', "k 0 9"},
        {"zrange", 'z', "k -inf +inf BYSCORE LIMIT 0 9"},
        {"zremrangebyrank", 'z', "k 0 9"},
    };
    for (size_t i = 0; i < FIL_COUNT_OF(some); i++) {
        if (leaves_loop_with(&some[i], true)) {
            fail_msg("%s %s has left the loop", some[i].name, some[i].words);
        }
    }
}

static void test_to_end_the_expiry_of_a_huge_string_leaves_the_loop(void **state)
{
    (void)state;
    fill("k", 'v', true);
    fill("l", 'l', true);
    assert_true(leaves_loop("PEXPIRE k 100000\r\n"));
    assert_true(leaves_loop("PERSIST k\r\n"));
    assert_false(leaves_loop("PEXPIRE l 100000\r\n"));
    assert_false(leaves_loop("PERSIST l\r\n"));
}

/** A command of so many words, the same pair again and again behind the first ones. */
static const char *write_long(const char *words, const char *pair, uint32_t count)
{
    static char text[60000];
    int size = snprintf(text, sizeof(text), "%s", words);
    for (uint32_t i = 0; i < count; i += 2) {
        size += snprintf(text + size, sizeof(text) - (size_t)size, " %s", pair);
    }
    (void)snprintf(text + size, sizeof(text) - (size_t)size, "\r\n");
    return text;
}

static void test_very_many_words_leave_the_loop(void **state)
{
    static const char *const firsts[] = {"RPUSH k", "LPUSH k", "SADD k",   "HSET k",
                                         "ZADD k",  "HMGET k", "SREM k",   "ZMSCORE k",
                                         "PFADD k", "HDEL k",  "XADD k *", "SMISMEMBER k"};
    for (size_t i = 0; i < FIL_COUNT_OF(firsts); i++) {
        assert_int_equal(set_up(state), 0);
        assert_true(leaves_loop(write_long(firsts[i], "1 1", FIL_RESP_HUGE_MEMBERS)));
        assert_int_equal(tear_down(state), 0);
        assert_int_equal(set_up(state), 0);
        assert_false(leaves_loop(write_long(firsts[i], "1 1", 64)));
        assert_int_equal(tear_down(state), 0);
    }
}

/** How many operations a transaction of these lines hands over; its last reply is as given. */
static uint64_t exec_hand_overs(const char *lines, uint32_t line_count, const char *replies)
{
    struct fil_sim_client *client = net_world_client(&world.net);
    net_world_send(client, "MULTI\r\n");
    net_world_expect(client, "+OK\r\n");
    net_world_send(client, lines);
    for (uint32_t i = 0; i < line_count; i++) {
        net_world_expect(client, "+QUEUED\r\n");
    }
    net_world_run_for(&world.net, 1000000);
    uint64_t before = handed_over();
    net_world_send(client, "EXEC\r\n");
    net_world_expect(client, replies);
    net_world_run_for(&world.net, 1000000);
    assert_string_equal(fil_sim_verdict_text(fil_sim_client_verdict(client)), "matched");
    return handed_over() - before;
}

static void test_small_transactions_stay_on_the_loop(void **state)
{
    (void)state;
    fill("k", 'l', true);
    fill("t", 'l', false);
    assert_int_equal(exec_hand_overs("SET a 1\r\nINCR a\r\nLLEN k\r\nDEL t\r\nPING\r\n", 5,
                                     "*5\r\n+OK\r\n:2\r\n:8192\r\n:1\r\n+PONG\r\n"),
                     0);
}

static void test_heavy_transactions_leave_the_loop(void **state)
{
    (void)state;
    fill("k", 'l', true);
    fill("v", 'v', true);
    assert_int_equal(
        exec_hand_overs("SET a 1\r\nDEL k\r\nINCR a\r\n", 3, "*3\r\n+OK\r\n:1\r\n:2\r\n"), 1);
    assert_int_equal(exec_hand_overs("STRLEN v\r\nSET v x\r\nGET v\r\n", 3,
                                     "*3\r\n:1048576\r\n+OK\r\n$1\r\nx\r\n"),
                     1);
    assert_int_equal(
        exec_hand_overs("FILBERT.BURN 1 k\r\nGET a\r\n", 2, "*2\r\n+OK\r\n$1\r\n2\r\n"), 1);
    fill("n", 's', true);
    assert_int_equal(exec_hand_overs("SELECT 0\r\nSELECT 0\r\nSCARD n\r\nUNLINK n\r\n", 4,
                                     "*4\r\n+OK\r\n+OK\r\n:8192\r\n:1\r\n"),
                     1);
}

static void test_long_transactions_leave_the_loop(void **state)
{
    (void)state;
    static char lines[FIL_RESP_HUGE_MEMBERS * 8];
    static char replies[FIL_RESP_HUGE_MEMBERS * 8];
    uint32_t count = 600;
    int size = 0;
    int reply_size = snprintf(replies, sizeof(replies), "*%u\r\n", count);
    for (uint32_t i = 0; i < count; i++) {
        size += snprintf(lines + size, sizeof(lines) - (size_t)size, "INCR a\r\n");
        reply_size +=
            snprintf(replies + reply_size, sizeof(replies) - (size_t)reply_size, ":%u\r\n", i + 1);
    }
    // Once to where it looks for its partitions, and from there to the first of them, if needed.
    assert_true(exec_hand_overs(lines, count, replies) >= 1);
    size = 0;
    reply_size = snprintf(replies, sizeof(replies), "*%u\r\n", count);
    for (uint32_t i = 0; i < count; i++) {
        size += snprintf(lines + size, sizeof(lines) - (size_t)size, "PING\r\n");
        reply_size +=
            snprintf(replies + reply_size, sizeof(replies) - (size_t)reply_size, "+PONG\r\n");
    }
    assert_true(exec_hand_overs(lines, count, replies) >= 1);
}

static void test_a_watch_holds_for_long_transactions(void **state)
{
    (void)state;
    static char lines[FIL_RESP_HUGE_MEMBERS];
    int size = snprintf(lines, sizeof(lines), "WATCH w\r\nMULTI\r\n");
    for (uint32_t i = 0; i < 600; i++) {
        size += snprintf(lines + size, sizeof(lines) - (size_t)size, "INCR a\r\n");
    }
    struct fil_sim_client *client = net_world_client(&world.net);
    net_world_send(client, lines);
    net_world_expect(client, "+OK\r\n+OK\r\n");
    for (uint32_t i = 0; i < 600; i++) {
        net_world_expect(client, "+QUEUED\r\n");
    }
    net_world_run_for(&world.net, 1000000);
    resp_world_check(&world, "SET w 1\r\n", "+OK\r\n");
    net_world_send(client, "EXEC\r\nGET a\r\n");
    net_world_expect(client, "*-1\r\n$-1\r\n");
    net_world_run_for(&world.net, 1000000);
    assert_string_equal(fil_sim_verdict_text(fil_sim_client_verdict(client)), "matched");
}

static void test_replies_keep_their_order(void **state)
{
    (void)state;
    fill("k", 'l', true);
    fill("n", 'h', true);
    fill("v", 'v', true);
    struct fil_sim_client *client = net_world_client(&world.net);
    net_world_send(client, "SET a 1\r\nDEL k\r\nSET a 2\r\nEXISTS k\r\nMSET b 1 n 2 c 3\r\n");
    net_world_expect(client, "+OK\r\n:1\r\n+OK\r\n:0\r\n+OK\r\n");
    net_world_send(client, "GET n\r\nDEL a v b c\r\nINCR a\r\nEXISTS b v c\r\n");
    net_world_expect(client, "$1\r\n2\r\n:4\r\n:1\r\n:0\r\n");
    net_world_run_for(&world.net, 1000000);
    assert_string_equal(fil_sim_verdict_text(fil_sim_client_verdict(client)), "matched");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_weighed_command_is_listed_here),
        cmocka_unit_test(test_much_leaves_the_loop),
        cmocka_unit_test(test_little_stays_on_the_loop),
        cmocka_unit_test(test_a_little_of_much_stays_on_the_loop),
        cmocka_unit_test_setup_teardown(test_to_end_the_expiry_of_a_huge_string_leaves_the_loop,
                                        set_up, tear_down),
        cmocka_unit_test(test_very_many_words_leave_the_loop),
        cmocka_unit_test_setup_teardown(test_small_transactions_stay_on_the_loop, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_heavy_transactions_leave_the_loop, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_long_transactions_leave_the_loop, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_watch_holds_for_long_transactions, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_replies_keep_their_order, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("weight", tests, NULL, NULL);
}
