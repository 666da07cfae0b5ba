// SPDX-License-Identifier: Apache-2.0
/**
 * CLIENT KILL and CLIENT PAUSE, one test a promise: a killed client is gone and counted, once, the
 * others go on; the caller hears its reply first; a pause holds back writes, or everything but
 * CLIENT, keeps the order, ends by itself or when it is told to, whatever the partitions do, gets
 * longer but not shorter, and does not keep the connection of a client that has left; failing
 * memory holds back nothing for ever.
 *
 * The replies themselves are compared with Redis by tests/integration/redis_scripts_test.py.
 */
#include "lib/base/alloc.h"
#include "tests/unit/harness.h"
#include "tests/unit/protocol/resp/resp_world.h"

#define SECOND UINT64_C(1000000000)

static struct resp_world world;

static int set_up(void **state)
{
    (void)state;
    resp_world_init(&world);
    resp_world_open(&world, 64U << 20);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_alloc_fail_after(-1);
    resp_world_close(&world);
    return 0;
}

static struct fil_sim_client *connect_and_send(const char *text)
{
    struct fil_sim_client *client = net_world_client(&world.net);
    net_world_send(client, text);
    net_world_run_for(&world.net, SECOND / 10);
    return client;
}

static void go_on(struct fil_sim_client *client, const char *text)
{
    net_world_send(client, text);
    net_world_run_for(&world.net, SECOND / 10);
}

/** The clock goes on, and then the partitions, whose deadlines the simulation does not know. */
static void pass_time(uint64_t elapsed_ns)
{
    net_world_run_for(&world.net, SECOND / 10);
    fil_sim_advance(&world.net.sim, elapsed_ns);
    net_world_run_for(&world.net, SECOND / 10);
}

static bool has_received(const struct fil_sim_client *client, const char *expected)
{
    return fil_bytes_equal_text(fil_sim_client_received(client), expected);
}

static uint64_t killed_count(void)
{
    return net_world_closed(&world.net, FIL_CLOSE_KILLED);
}

static uint32_t connection_count(void)
{
    return atomic_load(&world.net.loops[0].connection_count);
}

static void test_a_killed_client_is_gone_and_the_others_go_on(void **state)
{
    (void)state;
    struct fil_sim_client *victim = connect_and_send("CLIENT ID\r\n");
    struct fil_sim_client *other = connect_and_send("PING\r\n");
    assert_true(has_received(victim, ":1\r\n"));
    struct fil_sim_client *killer = connect_and_send("CLIENT KILL ID 1\r\n");
    assert_true(has_received(killer, ":1\r\n"));
    assert_int_equal(killed_count(), 1);
    assert_int_equal(connection_count(), 2);
    go_on(victim, "PING\r\n");
    assert_true(has_received(victim, ":1\r\n"));
    go_on(killer, "CLIENT KILL ID 1\r\n");
    assert_true(has_received(killer, ":1\r\n:0\r\n"));
    go_on(other, "PING\r\n");
    assert_true(has_received(other, "+PONG\r\n+PONG\r\n"));
}

static void test_a_client_is_killed_once(void **state)
{
    (void)state;
    (void)connect_and_send("PING\r\n");
    struct fil_sim_client *killer = connect_and_send("CLIENT KILL ID 1\r\nCLIENT KILL ID 1\r\n");
    assert_true(has_received(killer, ":1\r\n:0\r\n"));
    assert_int_equal(killed_count(), 1);
}

static void test_kill_spares_its_caller_unless_told_otherwise(void **state)
{
    (void)state;
    (void)connect_and_send("PING\r\n");
    (void)connect_and_send("PING\r\n");
    struct fil_sim_client *killer = connect_and_send("CLIENT KILL TYPE normal\r\n");
    assert_true(has_received(killer, ":2\r\n"));
    assert_int_equal(killed_count(), 2);
    assert_int_equal(connection_count(), 1);
    go_on(killer, "CLIENT KILL TYPE normal SKIPME no\r\nPING\r\n");
    assert_true(has_received(killer, ":2\r\n:1\r\n"));
    fil_sim_client_close(killer);
    net_world_run_for(&world.net, 2 * SECOND);
    assert_int_equal(killed_count(), 3);
    assert_int_equal(connection_count(), 0);
}

static void test_a_pause_for_writes_lets_reads_pass(void **state)
{
    (void)state;
    struct fil_sim_client *boss = connect_and_send("SET a 1\r\nCLIENT PAUSE 10000 WRITE\r\n");
    assert_true(has_received(boss, "+OK\r\n+OK\r\n"));
    struct fil_sim_client *client = connect_and_send("GET a\r\nSET a 2\r\nGET a\r\n");
    assert_true(has_received(client, "$1\r\n1\r\n"));
    resp_world_check(&world, "GET a\r\n", "$1\r\n1\r\n");
    go_on(boss, "CLIENT UNPAUSE\r\n");
    assert_true(has_received(boss, "+OK\r\n+OK\r\n+OK\r\n"));
    net_world_run_for(&world.net, SECOND / 10);
    assert_true(has_received(client, "$1\r\n1\r\n+OK\r\n$1\r\n2\r\n"));
}

static void test_a_pause_for_all_ends_by_itself(void **state)
{
    (void)state;
    struct fil_sim_client *boss = connect_and_send("CLIENT PAUSE 2000\r\nCLIENT GETNAME\r\n");
    assert_true(has_received(boss, "+OK\r\n$-1\r\n"));
    struct fil_sim_client *client = connect_and_send("PING\r\nSET a 1\r\n");
    assert_true(has_received(client, ""));
    pass_time(3 * SECOND);
    assert_true(has_received(client, "+PONG\r\n+OK\r\n"));
    assert_false(fil_resp_pause_is_on(&world.server.pause));
}

static uint32_t run_nothing(void *context)
{
    (void)context;
    return 0;
}

/** As if every partition thread were in something long. */
static void test_a_pause_ends_although_no_partition_runs(void **state)
{
    (void)state;
    world.net.worker = (struct fil_sim_cycle){.cycle = run_nothing};
    struct fil_sim_client *boss = connect_and_send("CLIENT PAUSE 2000\r\n");
    struct fil_sim_client *client = connect_and_send("PING\r\n");
    pass_time(SECOND);
    assert_true(has_received(client, ""));
    pass_time(2 * SECOND);
    assert_true(has_received(client, "+PONG\r\n"));
    go_on(boss, "CLIENT PAUSE 3600000\r\n");
    go_on(client, "PING\r\n");
    assert_true(has_received(client, "+PONG\r\n"));
    go_on(boss, "CLIENT UNPAUSE\r\n");
    net_world_run_for(&world.net, SECOND / 10);
    assert_true(has_received(client, "+PONG\r\n+PONG\r\n"));
    assert_true(has_received(boss, "+OK\r\n+OK\r\n+OK\r\n"));
}

static void test_a_second_pause_makes_it_longer_but_not_shorter(void **state)
{
    (void)state;
    struct fil_sim_client *boss = connect_and_send("CLIENT PAUSE 1000 WRITE\r\n");
    struct fil_sim_client *client = connect_and_send("SET a 1\r\n");
    go_on(boss, "CLIENT PAUSE 5000 WRITE\r\nCLIENT PAUSE 1 WRITE\r\n");
    pass_time(2 * SECOND);
    assert_true(has_received(client, ""));
    pass_time(4 * SECOND);
    assert_true(has_received(client, "+OK\r\n"));
}

static void test_a_transaction_that_writes_waits_at_exec(void **state)
{
    (void)state;
    struct fil_sim_client *client = connect_and_send("MULTI\r\nSET a 1\r\n");
    struct fil_sim_client *reader = connect_and_send("MULTI\r\nGET a\r\n");
    struct fil_sim_client *boss = connect_and_send("CLIENT PAUSE 10000 WRITE\r\n");
    go_on(client, "EXEC\r\n");
    go_on(reader, "EXEC\r\n");
    assert_true(has_received(client, "+OK\r\n+QUEUED\r\n"));
    assert_true(has_received(reader, "+OK\r\n+QUEUED\r\n*1\r\n$-1\r\n"));
    go_on(boss, "CLIENT UNPAUSE\r\n");
    net_world_run_for(&world.net, SECOND / 10);
    assert_true(has_received(client, "+OK\r\n+QUEUED\r\n*1\r\n+OK\r\n"));
}

static void test_unpause_is_not_for_transactions(void **state)
{
    (void)state;
    struct fil_sim_client *client = connect_and_send("MULTI\r\nCLIENT UNPAUSE\r\nDISCARD\r\n");
    assert_true(
        has_received(client, "+OK\r\n-ERR Command not allowed inside a transaction\r\n+OK\r\n"));
}

static void test_who_leaves_during_a_pause_is_not_kept(void **state)
{
    (void)state;
    struct fil_sim_client *boss = connect_and_send("CLIENT PAUSE 3600000\r\n");
    struct fil_sim_client *client = connect_and_send("SET a 1\r\n");
    assert_int_equal(connection_count(), 2);
    fil_sim_client_reset(client);
    net_world_run_for(&world.net, SECOND);
    assert_int_equal(connection_count(), 1);
    go_on(boss, "CLIENT UNPAUSE\r\nGET a\r\n");
    assert_true(has_received(boss, "+OK\r\n+OK\r\n$-1\r\n"));
}

static void test_failing_memory_holds_nothing_back_for_ever(void **state)
{
    (void)state;
    struct fil_sim_client *boss = connect_and_send("PING\r\n");
    for (int fail_at = 0; fail_at < 8; fail_at++) {
        go_on(boss, "CLIENT PAUSE 10 WRITE\r\n");
        struct fil_sim_client *client = connect_and_send("PING\r\n");
        fil_alloc_fail_after(fail_at);
        net_world_send(client, "SET a 1\r\n");
        net_world_run_for(&world.net, SECOND);
        fil_alloc_fail_after(-1);
        pass_time(SECOND);
        // It ran, or was refused; either way the client is answered.
        assert_true(fil_sim_client_received(client).size > sizeof("+PONG\r\n") - 1);
    }
    assert_int_equal(fil_sim_client_received(boss).size, sizeof("+PONG\r\n") - 1 + 8 * 5);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_killed_client_is_gone_and_the_others_go_on),
        TEST(test_a_client_is_killed_once),
        TEST(test_kill_spares_its_caller_unless_told_otherwise),
        TEST(test_a_pause_for_writes_lets_reads_pass),
        TEST(test_a_pause_for_all_ends_by_itself),
        TEST(test_a_pause_ends_although_no_partition_runs),
        TEST(test_a_second_pause_makes_it_longer_but_not_shorter),
        TEST(test_a_transaction_that_writes_waits_at_exec),
        TEST(test_unpause_is_not_for_transactions),
        TEST(test_who_leaves_during_a_pause_is_not_kept),
        TEST(test_failing_memory_holds_nothing_back_for_ever),
    };
    return cmocka_run_group_tests_name("client_commands", tests, NULL, NULL);
}
