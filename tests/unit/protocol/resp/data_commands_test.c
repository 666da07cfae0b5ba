// SPDX-License-Identifier: Apache-2.0
/**
 * Commands on keys, each promise both ways, run by the loop in place and by partition threads:
 * strings, counters and expiry answer as Redis does; commands of many keys answer in the order of
 * the keys and are not overtaken by what follows them; keys that change together do so or not at
 * all; all keys are found, once each; a transaction runs as one, or not at all when a watched key
 * was changed; every failed allocation is answered or ends the connection, and nothing is leaked.
 */
#include <stdio.h>
#include <string.h>

#include "lib/base/alloc.h"
#include "protocol/resp/command.h"
#include "tests/unit/harness.h"
#include "tests/unit/protocol/resp/resp_world.h"

#define SECOND UINT64_C(1000000000)

static struct resp_world world;
static bool has_caller_runs;

static int set_up(void **state)
{
    (void)state;
    resp_world_init(&world);
    world.has_caller_runs = has_caller_runs;
    resp_world_open(&world, 1U << 24);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_alloc_fail_after(-1);
    resp_world_close(&world);
    return 0;
}

static void test_strings_are_written_and_read(void **state)
{
    (void)state;
    resp_world_check(
        &world, "SET a 1\r\nSET a 2 NX\r\nSET a 3 XX GET\r\nGETSET a 4\r\nGETDEL a\r\nGET a\r\n",
        "+OK\r\n$-1\r\n$1\r\n1\r\n$1\r\n3\r\n$1\r\n4\r\n$-1\r\n");
    resp_world_check(&world,
                     "APPEND s hello\r\nAPPEND s !\r\nSTRLEN s\r\nGETRANGE s -2 -1\r\n"
                     "SETRANGE s 1 ippo\r\nGET s\r\nSETRANGE z 2 ab\r\nGETRANGE z 2 9\r\n",
                     ":5\r\n:6\r\n:6\r\n$2\r\no!\r\n:6\r\n$6\r\nhippo!\r\n:4\r\n$2\r\nab\r\n");
}

static void test_wrong_options_are_told(void **state)
{
    (void)state;
    resp_world_check(&world, "SET a 1 NX XX\r\nSET a 1 EX 0\r\nSET a 1 EX x\r\nSETRANGE a -1 x\r\n",
                     "-ERR syntax error\r\n-ERR invalid expire time in 'set' command\r\n"
                     "-ERR value is not an integer or out of range\r\n"
                     "-ERR offset is out of range\r\n");
    resp_world_check(&world, "EXPIRE a 1 NX GT\r\nEXPIRE a 1 FOO\r\nOBJECT ENCODING\r\n",
                     "-ERR NX and XX, GT or LT options at the same time are not compatible\r\n"
                     "-ERR Unsupported option FOO\r\n"
                     "-ERR wrong number of arguments for 'object|encoding' command\r\n");
}

static void test_counters_count_and_refuse_to_overflow(void **state)
{
    (void)state;
    resp_world_check(&world,
                     "INCR n\r\nINCRBY n 41\r\nDECR n\r\nSET n 9223372036854775807\r\nINCR n\r\n"
                     "GET n\r\nINCRBYFLOAT f 1.5\r\nINCRBYFLOAT f -0.25\r\nSET n x\r\nINCR n\r\n",
                     ":1\r\n:42\r\n:41\r\n+OK\r\n-ERR increment or decrement would overflow\r\n"
                     "$19\r\n9223372036854775807\r\n$3\r\n1.5\r\n$4\r\n1.25\r\n+OK\r\n"
                     "-ERR value is not an integer or out of range\r\n");
    resp_world_check(&world,
                     "SET c 9 EX 100\r\nINCR c\r\nTTL c\r\nDECRBY c 20\r\nINCRBY c 20\r\nDECR c\r\n"
                     "GET c\r\nTTL c\r\nSET c -9223372036854775807\r\nDECR c\r\nDECR c\r\n",
                     "+OK\r\n:10\r\n:100\r\n:-10\r\n:10\r\n:9\r\n$1\r\n9\r\n:100\r\n+OK\r\n"
                     ":-9223372036854775808\r\n-ERR increment or decrement would overflow\r\n");
}

static void test_keys_expire(void **state)
{
    (void)state;
    resp_world_check(&world, "SET a 1 PX 50\r\nSET b 1 EX 100\r\nTTL b\r\nPERSIST b\r\nTTL b\r\n",
                     "+OK\r\n+OK\r\n:100\r\n:1\r\n:-1\r\n");
    fil_sim_advance(&world.net.sim, SECOND);
    resp_world_check(&world, "GET a\r\nTTL a\r\nEXISTS a b\r\n", "$-1\r\n:-2\r\n:1\r\n");
}

static void test_many_keys_answer_in_their_order(void **state)
{
    (void)state;
    char text[2048] = "MSET";
    char reply[2048] = "+OK\r\n*41\r\n";
    for (int i = 0; i < 40; i++) {
        size_t used = strlen(text);
        (void)snprintf(text + used, sizeof(text) - used, " k%d %d", i, i % 10);
        used = strlen(reply);
        (void)snprintf(reply + used, sizeof(reply) - used, "$1\r\n%d\r\n", i % 10);
    }
    size_t used = strlen(text);
    (void)snprintf(text + used, sizeof(text) - used, "\r\nMGET none");
    memmove(strstr(reply, "*41\r\n") + 10, strstr(reply, "*41\r\n") + 5,
            strlen(strstr(reply, "*41\r\n") + 5) + 1);
    memcpy(strstr(reply, "*41\r\n") + 5, "$-1\r\n", 5);
    for (int i = 0; i < 40; i++) {
        used = strlen(text);
        (void)snprintf(text + used, sizeof(text) - used, " k%d", i);
    }
    used = strlen(text);
    (void)snprintf(text + used, sizeof(text) - used, "\r\n");
    resp_world_check(&world, text, reply);
    resp_world_check(&world,
                     "EXISTS k1 k2 none k1\r\nTOUCH k3 none\r\nDEL k1 k2 none\r\nDBSIZE\r\n",
                     ":3\r\n:1\r\n:2\r\n:38\r\n");
}

static void test_nothing_overtakes_a_command_of_many_keys(void **state)
{
    (void)state;
    resp_world_check(&world,
                     "MSET a 1 b 1 c 1 d 1\r\nSET d 2\r\nGET d\r\nSET a 3\r\nMGET d c b a\r\n"
                     "DEL a b c d\r\nSET b 9\r\nMGET a b\r\n",
                     "+OK\r\n+OK\r\n$1\r\n2\r\n+OK\r\n*4\r\n$1\r\n2\r\n$1\r\n1\r\n$1\r\n1\r\n"
                     "$1\r\n3\r\n:4\r\n+OK\r\n*2\r\n$-1\r\n$1\r\n9\r\n");
}

static void test_keys_change_together_or_not_at_all(void **state)
{
    (void)state;
    resp_world_check(&world,
                     "MSETNX a 1 b 2\r\nMSETNX b 3 c 4\r\nEXISTS c\r\nRENAME a c\r\nGET c\r\n"
                     "RENAMENX b c\r\nRENAME none c\r\nCOPY c d\r\nCOPY c b\r\nCOPY c b REPLACE\r\n"
                     "MGET a b c d\r\n",
                     ":1\r\n:0\r\n:0\r\n+OK\r\n$1\r\n1\r\n:0\r\n-ERR no such key\r\n:1\r\n:0\r\n"
                     ":1\r\n*4\r\n$-1\r\n$1\r\n1\r\n$1\r\n1\r\n$1\r\n1\r\n");
}

static void test_all_keys_are_found_and_flushed(void **state)
{
    (void)state;
    resp_world_check(&world,
                     "KEYS *\r\nRANDOMKEY\r\nSET only 1\r\nKEYS o*\r\nKEYS x*\r\nRANDOMKEY\r\n"
                     "SCAN 0 COUNT 100\r\nSCAN 0 TYPE list\r\nSCAN 99999999999999\r\n"
                     "FLUSHALL\r\nDBSIZE\r\nSET a 1\r\nFLUSHDB ASYNC\r\nSET b 1\r\nDBSIZE\r\n",
                     "*0\r\n$-1\r\n+OK\r\n*1\r\n$4\r\nonly\r\n*0\r\n$4\r\nonly\r\n"
                     "*2\r\n$1\r\n0\r\n*1\r\n$4\r\nonly\r\n*2\r\n$1\r\n0\r\n*0\r\n"
                     "*2\r\n$1\r\n0\r\n*0\r\n+OK\r\n:0\r\n+OK\r\n+OK\r\n+OK\r\n:1\r\n");
}

static void test_transaction_runs_as_one(void **state)
{
    (void)state;
    resp_world_check(&world,
                     "MULTI\r\nSET a 1\r\nINCR a\r\nMGET a none\r\nMSETNX b 1 c 2\r\nPING\r\n"
                     "SET a 1 FOO\r\nEXEC\r\nGET a\r\n",
                     "+OK\r\n+QUEUED\r\n+QUEUED\r\n+QUEUED\r\n+QUEUED\r\n+QUEUED\r\n+QUEUED\r\n"
                     "*6\r\n+OK\r\n:2\r\n*2\r\n$1\r\n2\r\n$-1\r\n:1\r\n+PONG\r\n"
                     "-ERR syntax error\r\n$1\r\n2\r\n");
    resp_world_check(&world, "MULTI\r\nFOO\r\nSET a 5\r\nEXEC\r\nGET a\r\nEXEC\r\n",
                     "+OK\r\n-ERR unknown command 'FOO', with args beginning with: \r\n+QUEUED\r\n"
                     "-EXECABORT Transaction discarded because of previous errors.\r\n"
                     "$1\r\n2\r\n-ERR EXEC without MULTI\r\n");
    resp_world_check(&world, "MULTI\r\nKEYS *\r\nEXEC\r\nMULTI\r\nSET a 6\r\nDISCARD\r\nGET a\r\n",
                     "+OK\r\n-ERR Command not allowed inside a transaction\r\n"
                     "-EXECABORT Transaction discarded because of previous errors.\r\n"
                     "+OK\r\n+QUEUED\r\n+OK\r\n$1\r\n2\r\n");
}

static void test_watched_key_that_changes_stops_the_transaction(void **state)
{
    (void)state;
    resp_world_check(&world,
                     "WATCH a b\r\nSET b 1\r\nMULTI\r\nSET a 1\r\nEXEC\r\nEXISTS a\r\n"
                     "WATCH a\r\nMULTI\r\nSET a 2\r\nEXEC\r\n"
                     "WATCH a\r\nSET a 3\r\nUNWATCH\r\nMULTI\r\nGET a\r\nEXEC\r\n",
                     "+OK\r\n+OK\r\n+OK\r\n+QUEUED\r\n*-1\r\n:0\r\n+OK\r\n+OK\r\n+QUEUED\r\n"
                     "*1\r\n+OK\r\n+OK\r\n+OK\r\n+OK\r\n+OK\r\n+QUEUED\r\n*1\r\n$1\r\n3\r\n");
    // The connection ends with a watch and an open transaction: tear_down sees what is left.
    resp_world_check(&world, "WATCH a\r\nMULTI\r\nSET a 1\r\n", "+OK\r\n+OK\r\n+QUEUED\r\n");
}

static void test_watched_key_that_expires_stops_the_transaction(void **state)
{
    (void)state;
    struct fil_sim_client *client = net_world_client(&world.net);
    net_world_send(client, "SET a 1 PX 50\r\nRPUSH l 1\r\nPEXPIRE l 50\r\nWATCH a\r\n");
    struct fil_sim_client *other = net_world_client(&world.net);
    net_world_send(other, "WATCH l\r\n");
    net_world_run_for(&world.net, SECOND / 100);
    fil_sim_advance(&world.net.sim, SECOND);
    struct fil_sim_client *late = net_world_client(&world.net);
    net_world_send(late, "WATCH a l\r\nMULTI\r\nEXEC\r\n");
    net_world_send(client, "MULTI\r\nEXEC\r\n");
    net_world_send(other, "MULTI\r\nEXEC\r\n");
    net_world_run_for(&world.net, SECOND / 100);
    net_world_assert_received(client, "+OK\r\n:1\r\n:1\r\n+OK\r\n+OK\r\n*-1\r\n");
    net_world_assert_received(other, "+OK\r\n+OK\r\n*-1\r\n");
    net_world_assert_received(late, "+OK\r\n+OK\r\n*0\r\n");
}

static void test_failed_allocations_are_answered(void **state)
{
    (void)state;
    for (int position = 0; position < 40; position++) {
        resp_world_close(&world);
        (void)set_up(NULL);
        struct fil_sim_client *client = net_world_client(&world.net);
        net_world_run_for(&world.net, SECOND / 100);
        net_world_send(client,
                       "WATCH a b c\r\nMULTI\r\nMSET a 1 b 2 c 3 d 4 e 5\r\nGET a\r\nEXEC\r\n"
                       "KEYS *\r\nRENAME a x\r\nRENAME x a\r\nMGET a b c d e f g h\r\n"
                       "MULTI\r\nGET a\r\nDISCARD\r\nUNWATCH\r\nPING\r\n");
        fil_alloc_fail_after(position);
        net_world_run_for(&world.net, SECOND / 10);
        fil_alloc_fail_after(-1);
        net_world_run_for(&world.net, SECOND / 100);
    }
    resp_world_check(&world, "MSET a 1 b 2\r\nMGET a b\r\n", "+OK\r\n*2\r\n$1\r\n1\r\n$1\r\n2\r\n");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(strings_are_written_and_read),
        TEST(wrong_options_are_told),
        TEST(counters_count_and_refuse_to_overflow),
        TEST(keys_expire),
        TEST(many_keys_answer_in_their_order),
        TEST(nothing_overtakes_a_command_of_many_keys),
        TEST(keys_change_together_or_not_at_all),
        TEST(all_keys_are_found_and_flushed),
        TEST(transaction_runs_as_one),
        TEST(watched_key_that_changes_stops_the_transaction),
        TEST(watched_key_that_expires_stops_the_transaction),
        TEST(failed_allocations_are_answered),
    };
    int failures = 0;
    has_caller_runs = true;
    failures += cmocka_run_group_tests_name("data commands in place", tests, NULL, NULL);
    has_caller_runs = false;
    failures += cmocka_run_group_tests_name("data commands handed over", tests, NULL, NULL);
    return failures;
}
