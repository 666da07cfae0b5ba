// SPDX-License-Identifier: Apache-2.0
/**
 * Replies that were waited for leave together in one send, or, where the member shows what that is
 * worth, each by itself; in order both times. What only reads does not run when nobody reads its
 * reply any more; what writes does.
 */
#include "protocol/resp/call.h"

#include <stdio.h>

#include "tests/unit/harness.h"
#include "tests/unit/protocol/resp/resp_world.h"

static struct resp_world world;
static struct fil_env_ops counting_ops;
static int64_t (*send_uncounted)(struct fil_env *env, int fd, const struct fil_bytes *slices,
                                 uint32_t count);
static uint32_t send_count;

static int64_t send_counted(struct fil_env *env, int fd, const struct fil_bytes *slices,
                            uint32_t count)
{
    send_count++;
    return send_uncounted(env, fd, slices, count);
}

static int set_up(void **state)
{
    (void)state;
    resp_world_init(&world);
    world.has_caller_runs = false;
    resp_world_open(&world, 1U << 24);
    counting_ops = *world.net.sim.env.ops;
    send_uncounted = counting_ops.send;
    counting_ops.send = send_counted;
    world.net.sim.env.ops = &counting_ops;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    resp_world_close(&world);
    return 0;
}

/** How many sends the replies of eight commands take, of a client that has sent some before. */
static uint32_t count_sends(void)
{
    static const char get[] = "*2\r\n$3\r\nGET\r\n$1\r\na\r\n";
    struct fil_sim_client *client = net_world_client(&world.net);
    char text[8 * sizeof(get)];
    size_t size = 0;
    for (uint32_t i = 0; i < 8; i++) {
        size += (size_t)snprintf(text + size, sizeof(text) - size, "%s", get);
    }
    for (uint32_t round = 0; round < 2; round++) {
        send_count = 0;
        net_world_send(client, text);
        for (uint32_t i = 0; i < 8; i++) {
            net_world_expect(client, "$-1\r\n");
        }
        net_world_run(&world.net);
        assert_string_equal(fil_sim_verdict_text(fil_sim_client_verdict(client)), "matched");
    }
    return send_count - 1; // one was the client's
}

static void test_replies_leave_together(void **state)
{
    (void)state;
    assert_in_range(count_sends(), 1, 4);
}

static void test_each_reply_leaves_by_itself_when_asked_for(void **state)
{
    (void)state;
    world.server.options.has_single_replies = true;
    assert_int_equal(count_sends(), 8);
}

/** The command reaches its partition's mailbox, its client is gone, and then the partition runs. */
static void send_and_vanish(const char *text)
{
    struct fil_sim_client *client = net_world_client(&world.net);
    (void)fil_sim_client_cycle(client);
    net_world_turn(&world.net);
    net_world_send(client, text);
    (void)fil_sim_client_cycle(client);
    net_world_turn(&world.net);
    fil_sim_client_reset(client);
    (void)fil_sim_client_cycle(client);
    net_world_turn(&world.net);
    net_world_run(&world.net);
}

static uint64_t count_gets(void)
{
    struct fil_map_stats stats;
    fil_map_read_stats(world.map, &stats);
    return stats.gets;
}

static void test_reads_of_clients_that_are_gone_do_not_run(void **state)
{
    (void)state;
    resp_world_check(&world, "MSET a 1 b 2\r\n", "+OK\r\n");
    uint64_t gets = count_gets();
    send_and_vanish("GET a\r\n");
    send_and_vanish("MGET a b\r\n");
    assert_int_equal(count_gets(), gets);
    resp_world_check(&world, "GET a\r\n", "$1\r\n1\r\n");
    assert_int_equal(count_gets(), gets + 1);
}

static void test_writes_of_clients_that_are_gone_do_run(void **state)
{
    (void)state;
    send_and_vanish("SET a 1\r\n");
    send_and_vanish("MSET b 2 c 3\r\n");
    resp_world_check(&world, "MGET a b c\r\n", "*3\r\n$1\r\n1\r\n$1\r\n2\r\n$1\r\n3\r\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_replies_leave_together, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_each_reply_leaves_by_itself_when_asked_for, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_reads_of_clients_that_are_gone_do_not_run, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_writes_of_clients_that_are_gone_do_run, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests_name("call", tests, NULL, NULL);
}
