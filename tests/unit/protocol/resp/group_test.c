// SPDX-License-Identifier: Apache-2.0
/**
 * Commands of one key that run together, one test a promise: those of several connections get their
 * own replies, in order; one whose partition is busy is handed over, and neither the commands nor
 * the replies behind it overtake it, whoever sent them; large replies make a session's groups
 * small, small ones let them grow again; what changes or cuts a huge value, or compares keys with a
 * long pattern, is left to a partition thread; what is refused lies between the others in its
 * place; collections of all kinds, small and large, and strings are in one group; and a plan that
 * is kept is used for commands of the same words only.
 */
#include <stdio.h>
#include <string.h>

#include "core/exec/exec.h"
#include "core/exec/partition.h"
#include "lib/net/connection.h"
#include "protocol/resp/group.h"
#include "protocol/resp/session.h"
#include "protocol/resp/weight.h"
#include "tests/unit/harness.h"
#include "tests/unit/protocol/resp/resp_world.h"

#define ROUNDS      20U
#define LARGE_BYTES 9000U

static struct resp_world world;

static int set_up(void **state)
{
    (void)state;
    resp_world_init(&world);
    resp_world_open(&world, UINT64_C(16) << 20);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    resp_world_close(&world);
    return 0;
}

static void send_set(struct fil_sim_client *client, char key, uint32_t value)
{
    char text[64];
    (void)snprintf(text, sizeof(text), "*3\r\n$3\r\nSET\r\n$1\r\n%c\r\n$2\r\n%02u\r\n", key, value);
    net_world_send(client, text);
    net_world_expect(client, "+OK\r\n");
}

static void send_get(struct fil_sim_client *client, char key, uint32_t value)
{
    char text[64];
    (void)snprintf(text, sizeof(text), "*2\r\n$3\r\nGET\r\n$1\r\n%c\r\n", key);
    net_world_send(client, text);
    (void)snprintf(text, sizeof(text), "$2\r\n%02u\r\n", value);
    net_world_expect(client, text);
}

static void assert_all_matched(void)
{
    for (uint32_t i = 0; i < world.net.client_count; i++) {
        enum fil_sim_verdict verdict = fil_sim_client_verdict(&world.net.clients[i]);
        assert_string_equal(fil_sim_verdict_text(verdict), "matched");
    }
}

/** Writes and reads of two keys, one after the other. */
static void write_script(struct fil_sim_client *client, char first, char second)
{
    for (uint32_t i = 0; i < ROUNDS; i++) {
        send_set(client, first, i);
        send_set(client, second, i + 1);
        send_get(client, first, i);
        send_get(client, second, i + 1);
    }
}

static void test_each_connection_gets_its_own_replies(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        write_script(net_world_client(&world.net), (char)('a' + 2 * i), (char)('b' + 2 * i));
    }
    net_world_run(&world.net);
    assert_all_matched();
    assert_int_equal(fil_map_size(world.map), 8);
}

static void test_nothing_overtakes_a_command_whose_partition_is_busy(void **state)
{
    (void)state;
    struct fil_map_key place = fil_map_place(world.map, fil_bytes_of("a"));
    struct fil_partition *partition = fil_exec_partition(world.exec, place.partition_id);
    struct fil_runner runner;
    fil_runner_init(&runner, world.exec, "test");
    struct fil_sim_client *client = net_world_client(&world.net);
    // Groups grow first.
    write_script(client, 'a', 'b');
    net_world_run(&world.net);
    assert_all_matched();
    assert_true(fil_partition_enter(partition, &runner));
    write_script(client, 'a', 'b');
    write_script(net_world_client(&world.net), 'c', 'd');
    net_world_run(&world.net);
    assert_string_equal(fil_sim_verdict_text(fil_sim_client_verdict(&world.net.clients[0])),
                        "waiting");
    fil_partition_leave(partition);
    fil_runner_pay_wakes(&runner);
    net_world_run(&world.net);
    assert_all_matched();
}

static void test_large_replies_make_groups_small(void **state)
{
    (void)state;
    struct fil_sim_client *client = net_world_client(&world.net);
    write_script(client, 'a', 'b');
    net_world_run(&world.net);
    const struct fil_resp_session *session = net_world_connection(&world.net)->session;
    assert_int_equal(session->share_limit, FIL_RESP_SHARE_MAX);
    char text[128];
    (void)snprintf(text, sizeof(text), "*4\r\n$8\r\nSETRANGE\r\n$1\r\nz\r\n$4\r\n%u\r\n$1\r\nx\r\n",
                   LARGE_BYTES - 1);
    net_world_send(client, text);
    (void)snprintf(text, sizeof(text), ":%u\r\n", LARGE_BYTES);
    net_world_expect(client, text);
    net_world_run(&world.net);
    net_world_send(client, "*2\r\n$3\r\nGET\r\n$1\r\nz\r\n");
    net_world_run(&world.net);
    assert_int_equal(session->share_limit, 1);
    assert_int_equal(session->share, 0);
}

static uint64_t handed_over(void)
{
    return fil_counter_read(&world.turns[0].runner.stats.handed_over);
}

/** Sends it, expects the reply, and returns how many operations were handed over meanwhile. */
static uint64_t hand_overs_of(struct fil_sim_client *client, const char *text, const char *reply)
{
    uint64_t before = handed_over();
    net_world_send(client, text);
    net_world_expect(client, reply);
    net_world_run(&world.net);
    assert_all_matched();
    return handed_over() - before;
}

static void test_what_changes_a_huge_value_leaves_the_loop(void **state)
{
    (void)state;
    struct fil_sim_client *client = net_world_client(&world.net);
    char text[64];
    char reply[32];
    (void)snprintf(text, sizeof(text), "SETRANGE z %zu x\r\n", FIL_RESP_HUGE_BYTES - 1);
    (void)snprintf(reply, sizeof(reply), ":%zu\r\n", FIL_RESP_HUGE_BYTES);
    assert_int_equal(hand_overs_of(client, text, reply), 1);
    (void)snprintf(reply, sizeof(reply), ":%zu\r\n", FIL_RESP_HUGE_BYTES + 1);
    assert_int_equal(hand_overs_of(client, "APPEND z y\r\n", reply), 1);
    assert_int_equal(hand_overs_of(client, "SETRANGE z 5 abc\r\n", reply), 1);
    assert_int_equal(hand_overs_of(client, "GETRANGE z 5 7\r\n", "$3\r\nabc\r\n"), 0);
    assert_int_equal(hand_overs_of(client, "BITPOS z 1\r\n", ":41\r\n"), 1);
    assert_int_equal(hand_overs_of(client, "GETRANGE z 1048575 -1\r\n", "$2\r\nxy\r\n"), 1);
}

static void test_what_changes_a_small_value_stays_on_the_loop(void **state)
{
    (void)state;
    struct fil_sim_client *client = net_world_client(&world.net);
    assert_int_equal(hand_overs_of(client, "APPEND s ab\r\nAPPEND s cd\r\n", ":2\r\n:4\r\n"), 0);
    assert_int_equal(hand_overs_of(client, "SETRANGE s 1 x\r\n", ":4\r\n"), 0);
    assert_int_equal(hand_overs_of(client, "GETRANGE s 0 -1\r\n", "$4\r\naxcd\r\n"), 0);
}

static void test_what_reads_many_members_leaves_the_loop(void **state)
{
    (void)state;
    struct fil_sim_client *client = net_world_client(&world.net);
    static char text[FIL_RESP_HUGE_MEMBERS * 6 + 16];
    int size = snprintf(text, sizeof(text), "SADD s");
    for (uint32_t i = 0; i < FIL_RESP_HUGE_MEMBERS; i++) {
        size += snprintf(text + size, sizeof(text) - (size_t)size, " %u", i);
    }
    (void)snprintf(text + size, sizeof(text) - (size_t)size, "\r\n");
    (void)hand_overs_of(client, text, ":8192\r\n");
    assert_int_equal(hand_overs_of(client, "SADD t 1 x\r\n", ":2\r\n"), 0);
    assert_int_equal(hand_overs_of(client, "SINTER s t\r\n", "*1\r\n$1\r\n1\r\n"), 1);
    assert_int_equal(hand_overs_of(client, "SDIFFSTORE u t s\r\n", ":1\r\n"), 1);
    assert_int_equal(hand_overs_of(client, "SINTER t u\r\n", "*1\r\n$1\r\nx\r\n"), 0);
    assert_int_equal(hand_overs_of(client, "SMEMBERS u\r\n", "*1\r\n$1\r\nx\r\n"), 0);
    assert_int_equal(hand_overs_of(client, "HGETALL s\r\n",
                                   "-WRONGTYPE Operation against a key holding the wrong kind of "
                                   "value\r\n"),
                     1);
}

static void test_long_patterns_leave_the_loop(void **state)
{
    (void)state;
    struct fil_sim_client *client = net_world_client(&world.net);
    assert_int_equal(
        hand_overs_of(client, "SET aaa 1\r\nKEYS a*\r\n", "+OK\r\n*1\r\n$3\r\naaa\r\n"), 0);
    assert_int_equal(
        hand_overs_of(client, "KEYS *aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\r\n",
                      "*0\r\n"),
        1);
}

/** One after the other on the same key, whether in a group, in place or handed over. */
static void test_nothing_overtakes_what_leaves_the_loop(void **state)
{
    (void)state;
    struct fil_sim_client *client = net_world_client(&world.net);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        net_world_send(client, "SETRANGE z 1048575 x\r\nAPPEND z y\r\nSET z ab\r\nAPPEND z c\r\n");
        net_world_expect(client, ":1048576\r\n:1048577\r\n+OK\r\n:3\r\n");
        net_world_send(client, "GET z\r\nDEL z\r\n");
        net_world_expect(client, "$3\r\nabc\r\n:1\r\n");
    }
    net_world_run(&world.net);
    assert_all_matched();
    assert_int_equal(fil_map_size(world.map), 0);
}

static void test_errors_stay_in_their_place(void **state)
{
    (void)state;
    struct fil_sim_client *client = net_world_client(&world.net);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        send_set(client, 'a', i);
        net_world_send(client, "*1\r\n$3\r\nGET\r\n");
        net_world_expect(client, "-ERR wrong number of arguments for 'get' command\r\n");
        send_get(client, 'a', i);
    }
    net_world_run(&world.net);
    assert_all_matched();
}

static void test_a_kept_plan_is_for_its_own_words_only(void **state)
{
    (void)state;
    struct fil_sim_client *client = net_world_client(&world.net);
    for (uint32_t i = 1; i <= 9; i++) {
        char reply[16];
        send_set(client, 'a', i);
        net_world_send(client, "*4\r\n$3\r\nSET\r\n$1\r\na\r\n$1\r\nx\r\n$2\r\nNX\r\n");
        net_world_expect(client, "$-1\r\n");
        send_set(client, 'b', i);
        net_world_send(client, "*2\r\n$4\r\nINCR\r\n$1\r\nn\r\n");
        (void)snprintf(reply, sizeof(reply), ":%u\r\n", i);
        net_world_expect(client, reply);
        net_world_send(client, "*2\r\n$3\r\nDEL\r\n$1\r\nb\r\n");
        net_world_expect(client, ":1\r\n");
        net_world_send(client, "*3\r\n$3\r\nDEL\r\n$1\r\nb\r\n$1\r\nc\r\n");
        net_world_expect(client, ":0\r\n");
        send_get(client, 'a', i);
    }
    net_world_run(&world.net);
    assert_all_matched();
    assert_int_equal(fil_map_size(world.map), 2);
}

/** Commands that are sent at once, and their replies. */
struct script {
    char text[4096];
    char reply[2048];
    size_t text_size;
    size_t reply_size;
};

/** Adds words that a blank divides, as clients send them, and the reply. */
static void add_words(struct script *script, const char *line, const char *reply)
{
    uint32_t count = 1;
    for (const char *at = line; *at != '\0'; at++) {
        count += *at == ' ';
    }
    script->text_size +=
        (size_t)snprintf(script->text + script->text_size, sizeof(script->text) - script->text_size,
                         "*%u\r\n", count);
    for (uint32_t i = 0; i < count; i++) {
        int size = (int)strcspn(line, " ");
        script->text_size += (size_t)snprintf(script->text + script->text_size,
                                              sizeof(script->text) - script->text_size,
                                              "$%d\r\n%.*s\r\n", size, size, line);
        line += size + (line[size] == ' ');
    }
    script->reply_size +=
        (size_t)snprintf(script->reply + script->reply_size,
                         sizeof(script->reply) - script->reply_size, "%s\r\n", reply);
    assert_true(script->text_size < sizeof(script->text));
    assert_true(script->reply_size < sizeof(script->reply));
}

static void send_script(struct fil_sim_client *client, const struct script *script)
{
    net_world_send(client, script->text);
    net_world_expect(client, script->reply);
}

/** One of each kind of collection, small at first and then large, with strings between them. */
static void send_collections(struct fil_sim_client *client, char key, uint32_t round)
{
    struct script script = {.text_size = 0};
    char line[256];
    (void)snprintf(line, sizeof(line), "HSET h%c f%03u %070u", key, round, round);
    add_words(&script, line, ":1");
    (void)snprintf(line, sizeof(line), "SADD s%c member-%03u", key, round);
    add_words(&script, line, ":1");
    add_words(&script, line, ":0");
    (void)snprintf(line, sizeof(line), "ZADD z%c %u member-%03u", key, round % 7, round);
    add_words(&script, line, ":1");
    (void)snprintf(line, sizeof(line), "ZADD z%c %u member-%03u", key, 7 + round % 7, round);
    add_words(&script, line, ":0");
    (void)snprintf(line, sizeof(line), "SET %c text", key);
    add_words(&script, line, "+OK");
    (void)snprintf(line, sizeof(line), "LPUSH l%c item", key);
    add_words(&script, line, ":1");
    (void)snprintf(line, sizeof(line), "RPOP l%c", key);
    add_words(&script, line, "$4\r\nitem");
    add_words(&script, line, "$-1");
    (void)snprintf(line, sizeof(line), "GET %c", key);
    add_words(&script, line, "$4\r\ntext");
    (void)snprintf(line, sizeof(line), "SISMEMBER h%c x", key);
    add_words(&script, line, "-WRONGTYPE Operation against a key holding the wrong kind of value");
    send_script(client, &script);
}

static void test_collections_and_strings_run_together(void **state)
{
    (void)state;
    struct fil_sim_client *one = net_world_client(&world.net);
    struct fil_sim_client *other = net_world_client(&world.net);
    for (uint32_t round = 0; round < 100; round++) {
        send_collections(one, 'a', round);
        send_collections(other, 'b', round);
        net_world_run(&world.net);
    }
    assert_all_matched();
    struct script script = {.text_size = 0};
    add_words(&script, "ZCARD za", ":100");
    add_words(&script, "SCARD sb", ":100");
    add_words(&script, "HLEN ha", ":100");
    add_words(&script, "ZSCORE zb member-013", "$2\r\n13");
    send_script(one, &script);
    net_world_run(&world.net);
    assert_all_matched();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_each_connection_gets_its_own_replies, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_nothing_overtakes_a_command_whose_partition_is_busy,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_large_replies_make_groups_small, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_collections_and_strings_run_together, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_what_changes_a_huge_value_leaves_the_loop, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_what_reads_many_members_leaves_the_loop, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_what_changes_a_small_value_stays_on_the_loop, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_long_patterns_leave_the_loop, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_nothing_overtakes_what_leaves_the_loop, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_a_kept_plan_is_for_its_own_words_only, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_errors_stay_in_their_place, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("group", tests, NULL, NULL);
}
