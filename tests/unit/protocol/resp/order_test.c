// SPDX-License-Identifier: Apache-2.0
/**
 * What one connection sends is done in order: while a command waits for a lock or for a busy
 * partition nobody sees anything of those behind it, whether they were decoded together with it or
 * came later, are of one key, of several, of all, or a transaction; then all of them are done, in
 * place or by a partition thread. Commands that are handed over go together once replies are known
 * to be small, a few of them only when they are long; and where there is no memory for a long write
 * to wait, those around it are done all the same.
 */
#include <stdio.h>
#include <string.h>

#include "core/exec/exec.h"
#include "core/exec/partition.h"
#include "filbert/error.h"
#include "grid/map/lock.h"
#include "protocol/resp/group.h"
#include "protocol/resp/session.h"
#include "tests/unit/harness.h"
#include "tests/unit/protocol/resp/resp_world.h"

#define LOCKER UINT64_C(77)

static struct resp_world world;
static struct fil_runner runner;

static void open_world(bool has_caller_runs)
{
    resp_world_init(&world);
    world.has_caller_runs = has_caller_runs;
    world.net.client_options.send_bytes_max = 1U << 18;
    resp_world_open(&world, UINT64_C(16) << 20);
    fil_runner_init(&runner, world.exec, "test");
}

static int set_up(void **state)
{
    (void)state;
    open_world(true);
    return 0;
}

static int set_up_handed_over(void **state)
{
    (void)state;
    open_world(false);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    resp_world_close(&world);
    return 0;
}

static struct fil_partition *partition_of(const struct fil_map_key *key)
{
    return fil_exec_partition(world.exec, key->partition_id);
}

static struct fil_map_lock_wish wish(void)
{
    return (struct fil_map_lock_wish){.owner = {.member = LOCKER, .thread = 1},
                                      .now_ms = fil_map_now_ms(world.map, runner.now_ns)};
}

static void lock_in(struct fil_map *map, const char *name)
{
    struct fil_map_key key = fil_map_place(map, fil_bytes_of(name));
    struct fil_map_lock_wish how = wish();
    uint64_t wait_key = 0;
    assert_true(fil_partition_enter(partition_of(&key), &runner));
    assert_int_equal(fil_map_lock_here(map, &key, &how, &wait_key), FIL_OK);
    fil_partition_leave(partition_of(&key));
}

static void lock(const char *name)
{
    lock_in(world.map, name);
}

static void unlock_in(struct fil_map *map, const char *name)
{
    struct fil_map_key key = fil_map_place(map, fil_bytes_of(name));
    struct fil_map_lock_wish how = wish();
    assert_true(fil_partition_enter(partition_of(&key), &runner));
    assert_int_equal(fil_map_unlock_here(map, &key, &how), FIL_OK);
    fil_partition_leave(partition_of(&key));
    fil_runner_pay_wakes(&runner);
}

static void unlock(const char *name)
{
    unlock_in(world.map, name);
}

static void assert_verdict(uint32_t client, const char *verdict)
{
    enum fil_sim_verdict found = fil_sim_client_verdict(&world.net.clients[client]);
    assert_string_equal(fil_sim_verdict_text(found), verdict);
}

/** Sends so many commands at once. */
static void send_many(struct fil_sim_client *client, uint32_t count)
{
    char text[2 * FIL_RESP_SHARE_MAX * 32];
    size_t size = 0;
    for (uint32_t i = 0; i < count; i++) {
        size +=
            (size_t)snprintf(text + size, sizeof(text) - size, "*2\r\n$3\r\nGET\r\n$1\r\nw\r\n");
        net_world_expect(client, "$-1\r\n");
    }
    net_world_send(client, text);
    net_world_run(&world.net);
}

/** Lets the client's share of groups grow as far as it can. */
static void warm_up(struct fil_sim_client *client)
{
    send_many(client, FIL_RESP_SHARE_MAX);
    send_many(client, FIL_RESP_SHARE_MAX);
}

/** The text begins with a write to the key `L`, which is locked; nothing behind it may be seen. */
static void check_behind_lock(const char *text, const char *reply, const char *after)
{
    struct fil_sim_client *client = net_world_client(&world.net);
    warm_up(client);
    resp_world_check(&world, "SET L old\r\n", "+OK\r\n");
    lock("L");
    net_world_send(client, text);
    net_world_expect(client, reply);
    net_world_run(&world.net);
    resp_world_check(&world, "MGET L flag n\r\n", "*3\r\n$3\r\nold\r\n$-1\r\n$-1\r\n");
    assert_verdict(0, "waiting");
    unlock("L");
    net_world_run(&world.net);
    assert_verdict(0, "matched");
    resp_world_check(&world, "MGET L flag n\r\n", after);
}

static void test_nothing_is_done_behind_a_lock(void **state)
{
    (void)state;
    check_behind_lock("*3\r\n$3\r\nSET\r\n$1\r\nL\r\n$3\r\nnew\r\n"
                      "*2\r\n$3\r\nGET\r\n$1\r\nL\r\n"
                      "*3\r\n$3\r\nSET\r\n$4\r\nflag\r\n$1\r\n1\r\n"
                      "*2\r\n$4\r\nINCR\r\n$1\r\nn\r\n"
                      "*3\r\n$6\r\nAPPEND\r\n$1\r\nL\r\n$1\r\nx\r\n"
                      "*2\r\n$3\r\nGET\r\n$1\r\nL\r\n",
                      "+OK\r\n$3\r\nnew\r\n+OK\r\n:1\r\n:4\r\n$4\r\nnewx\r\n",
                      "*3\r\n$4\r\nnewx\r\n$1\r\n1\r\n$1\r\n1\r\n");
}

static void test_no_inline_command_is_done_behind_a_lock(void **state)
{
    (void)state;
    check_behind_lock("SET L new\r\nSET flag 1\r\nGET L\r\nINCR n\r\n",
                      "+OK\r\n+OK\r\n$3\r\nnew\r\n:1\r\n",
                      "*3\r\n$3\r\nnew\r\n$1\r\n1\r\n$1\r\n1\r\n");
}

static void test_nothing_of_several_keys_is_done_behind_a_lock(void **state)
{
    (void)state;
    check_behind_lock("*3\r\n$3\r\nSET\r\n$1\r\nL\r\n$3\r\nnew\r\n"
                      "*5\r\n$4\r\nMSET\r\n$4\r\nflag\r\n$1\r\n1\r\n$1\r\nn\r\n$1\r\n2\r\n"
                      "*2\r\n$4\r\nINCR\r\n$1\r\nn\r\n"
                      "*3\r\n$4\r\nMGET\r\n$1\r\nL\r\n$1\r\nn\r\n",
                      "+OK\r\n+OK\r\n:3\r\n*2\r\n$3\r\nnew\r\n$1\r\n3\r\n",
                      "*3\r\n$3\r\nnew\r\n$1\r\n1\r\n$1\r\n3\r\n");
}

static void test_no_transaction_is_done_behind_a_lock(void **state)
{
    (void)state;
    check_behind_lock("*3\r\n$3\r\nSET\r\n$1\r\nL\r\n$3\r\nnew\r\n*1\r\n$5\r\nMULTI\r\n"
                      "*3\r\n$3\r\nSET\r\n$4\r\nflag\r\n$1\r\n1\r\n*1\r\n$4\r\nEXEC\r\n"
                      "*2\r\n$4\r\nINCR\r\n$1\r\nn\r\n*2\r\n$3\r\nGET\r\n$1\r\nL\r\n",
                      "+OK\r\n+OK\r\n+QUEUED\r\n*1\r\n+OK\r\n:1\r\n$3\r\nnew\r\n",
                      "*3\r\n$3\r\nnew\r\n$1\r\n1\r\n$1\r\n1\r\n");
}

static void test_nothing_of_all_keys_is_done_behind_a_lock(void **state)
{
    (void)state;
    check_behind_lock("*3\r\n$3\r\nSET\r\n$1\r\nL\r\n$3\r\nnew\r\n*1\r\n$7\r\nFLUSHDB\r\n"
                      "*2\r\n$4\r\nINCR\r\n$1\r\nn\r\n*1\r\n$6\r\nDBSIZE\r\n",
                      "+OK\r\n+OK\r\n:1\r\n:1\r\n", "*3\r\n$-1\r\n$-1\r\n$1\r\n1\r\n");
}

static void test_nobody_waits_for_a_list_behind_a_lock(void **state)
{
    (void)state;
    resp_world_check(&world, "RPUSH q a\r\n", ":1\r\n");
    struct fil_sim_client *client = net_world_client(&world.net);
    lock("L");
    net_world_send(client, "SET L new\r\nBLPOP q 0\r\nINCR n\r\n");
    net_world_expect(client, "+OK\r\n*2\r\n$1\r\nq\r\n$1\r\na\r\n:1\r\n");
    net_world_run(&world.net);
    resp_world_check(&world, "LLEN q\r\nEXISTS n\r\n", ":1\r\n:0\r\n");
    unlock("L");
    net_world_run(&world.net);
    resp_world_check(&world, "LLEN q\r\nEXISTS n\r\n", ":0\r\n:1\r\n");
}

/** The transaction writes the key `L` of the second database, which is locked there alone. */
static void check_lock_in_other_database(const char *command)
{
    struct fil_map *other = NULL;
    resp_world_open_databases(&world);
    struct fil_sim_client *client = net_world_client(&world.net);
    resp_world_check(&world, "MSET a 1 L 2\r\nSELECT 1\r\nGET L\r\n", "+OK\r\n+OK\r\n$-1\r\n");
    assert_int_equal(fil_maps_get(world.maps, fil_bytes_of("1"), &other), FIL_OK);
    lock_in(other, "L");
    net_world_send(client, "MULTI\r\nINCR n\r\n");
    net_world_send(client, command);
    net_world_send(client, "EXEC\r\n");
    net_world_expect(client, "+OK\r\n+QUEUED\r\n+QUEUED\r\n*2\r\n:1\r\n:1\r\n");
    net_world_run(&world.net);
    resp_world_check(&world, "GET n\r\nSELECT 1\r\nGET L\r\n", "$-1\r\n+OK\r\n$-1\r\n");
    assert_verdict(0, "waiting");
    unlock_in(other, "L");
    net_world_run(&world.net);
    assert_verdict(0, "matched");
}

static void test_a_transaction_heeds_locks_of_the_other_database(void **state)
{
    (void)state;
    check_lock_in_other_database("COPY a L DB 1\r\n");
    resp_world_check(&world, "SELECT 1\r\nGET L\r\n", "+OK\r\n$1\r\n1\r\n");
}

static void test_a_transaction_moves_no_key_to_a_locked_one(void **state)
{
    (void)state;
    check_lock_in_other_database("MOVE L 1\r\n");
    resp_world_check(&world, "GET L\r\nSELECT 1\r\nGET L\r\n", "$-1\r\n+OK\r\n$1\r\n2\r\n");
}

/** A key in another partition than the first. */
static const char *elsewhere(const char *first)
{
    static const char *const names[] = {"b", "c", "d", "e", "f", "g", "h", "i"};
    fil_partition_id id = fil_map_place(world.map, fil_bytes_of(first)).partition_id;
    for (size_t i = 0; i < FIL_COUNT_OF(names); i++) {
        if (fil_map_place(world.map, fil_bytes_of(names[i])).partition_id != id) {
            return names[i];
        }
    }
    return NULL;
}

static void send_set(struct fil_sim_client *client, const char *key)
{
    char text[64];
    (void)snprintf(text, sizeof(text), "*3\r\n$3\r\nSET\r\n$1\r\n%s\r\n$1\r\n1\r\n", key);
    net_world_send(client, text);
    net_world_expect(client, "+OK\r\n");
}

static void check_behind_busy_partition(bool is_warm)
{
    struct fil_map_key key = fil_map_place(world.map, fil_bytes_of("a"));
    const char *other = elsewhere("a");
    char text[64];
    struct fil_sim_client *client = net_world_client(&world.net);
    if (is_warm) {
        warm_up(client);
    }
    assert_non_null(other);
    (void)snprintf(text, sizeof(text), "EXISTS %s\r\n", other);
    assert_true(fil_partition_enter(partition_of(&key), &runner));
    send_set(client, "a");
    send_set(client, other);
    net_world_run(&world.net);
    resp_world_check(&world, text, ":0\r\n");
    fil_partition_leave(partition_of(&key));
    fil_runner_pay_wakes(&runner);
    net_world_run(&world.net);
    assert_verdict(0, "matched");
    resp_world_check(&world, text, ":1\r\n");
}

static void test_nothing_is_done_behind_a_busy_partition(void **state)
{
    (void)state;
    check_behind_busy_partition(false);
}

static void test_nothing_is_done_behind_a_busy_partition_in_a_group(void **state)
{
    (void)state;
    check_behind_busy_partition(true);
}

static void test_others_in_the_group_go_on(void **state)
{
    (void)state;
    struct fil_sim_client *first = net_world_client(&world.net);
    warm_up(first);
    struct fil_sim_client *second = net_world_client(&world.net);
    warm_up(second);
    lock("L");
    net_world_send(first,
                   "*3\r\n$3\r\nSET\r\n$1\r\nL\r\n$1\r\n1\r\n*2\r\n$4\r\nINCR\r\n$1\r\nn\r\n");
    net_world_expect(first, "+OK\r\n:2\r\n");
    net_world_send(second, "*2\r\n$4\r\nINCR\r\n$1\r\nn\r\n*2\r\n$3\r\nGET\r\n$1\r\nn\r\n");
    net_world_expect(second, ":1\r\n$1\r\n1\r\n");
    net_world_run(&world.net);
    assert_verdict(0, "waiting");
    assert_verdict(1, "matched");
    unlock("L");
    net_world_run(&world.net);
    assert_verdict(0, "matched");
}

static void test_commands_are_handed_over_together(void **state)
{
    (void)state;
    struct fil_sim_client *client = net_world_client(&world.net);
    warm_up(client);
    const struct fil_resp_session *session = net_world_connection(&world.net)->session;
    assert_int_equal(session->share_limit, FIL_RESP_SHARE_MAX);
    uint64_t before = fil_counter_read(&world.turns[0].runner.stats.handed_over);
    send_many(client, 2 * FIL_RESP_SHARE_MAX);
    assert_int_equal(fil_counter_read(&world.turns[0].runner.stats.handed_over) - before, 2);
    assert_verdict(0, "matched");
}

#define LONG_BYTES 12288U
#define LONG_COUNT 12U

/** Writes a SET with a long value, and 64 bytes at most besides; returns its size. */
static size_t write_long_set(char *text, char key)
{
    int head = snprintf(text, 64, "*3\r\n$3\r\nSET\r\n$1\r\n%c\r\n$%u\r\n", key, LONG_BYTES);
    memset(text + head, 'v', LONG_BYTES);
    memcpy(text + head + LONG_BYTES, "\r\n", 3);
    return (size_t)head + LONG_BYTES + 2;
}

static void test_long_commands_do_not_wait_together(void **state)
{
    (void)state;
    static char text[LONG_COUNT * (LONG_BYTES + 64)];
    size_t size = 0;
    struct fil_map_key key = fil_map_place(world.map, fil_bytes_of("a"));
    struct fil_sim_client *client = net_world_client(&world.net);
    warm_up(client);
    assert_true(fil_partition_enter(partition_of(&key), &runner));
    uint64_t before = fil_budget_drawn(&world.map_budget);
    for (uint32_t i = 0; i < LONG_COUNT; i++) {
        size += write_long_set(text + size, (char)('a' + (int)i));
        net_world_expect(client, "+OK\r\n");
    }
    net_world_send(client, text);
    net_world_run(&world.net);
    assert_in_range(fil_budget_drawn(&world.map_budget) - before, LONG_BYTES,
                    (LONG_COUNT - 2) * LONG_BYTES);
    fil_partition_leave(partition_of(&key));
    fil_runner_pay_wakes(&runner);
    net_world_run(&world.net);
    assert_verdict(0, "matched");
}

static void test_reads_behind_a_long_write_are_not_refused_with_it(void **state)
{
    (void)state;
    static char text[LONG_BYTES + 256];
    struct fil_map_key key = fil_map_place(world.map, fil_bytes_of("a"));
    struct fil_sim_client *client = net_world_client(&world.net);
    warm_up(client);
    resp_world_check(&world, "MSET a 1 b 2 c 3\r\n", "+OK\r\n");
    assert_true(fil_partition_enter(partition_of(&key), &runner));
    uint64_t left = world.map_budget.limit_bytes - fil_budget_drawn(&world.map_budget) - 8192;
    assert_true(fil_budget_draw(&world.map_budget, left));
    size_t size = (size_t)snprintf(text, sizeof(text), "*2\r\n$3\r\nGET\r\n$1\r\na\r\n");
    size += write_long_set(text + size, 'b');
    (void)snprintf(text + size, sizeof(text) - size,
                   "*2\r\n$3\r\nGET\r\n$1\r\nb\r\n*2\r\n$3\r\nDEL\r\n$1\r\nc\r\n");
    net_world_send(client, text);
    net_world_expect(client, "$1\r\n1\r\n"
                             "-OOM command not allowed when used memory > 'maxmemory'.\r\n"
                             "$1\r\n2\r\n:1\r\n");
    net_world_run(&world.net);
    fil_partition_leave(partition_of(&key));
    fil_runner_pay_wakes(&runner);
    net_world_run(&world.net);
    assert_verdict(0, "matched");
    fil_budget_return(&world.map_budget, left);
}

#define BOTH_WAYS(name)                                       \
    cmocka_unit_test_setup_teardown(name, set_up, tear_down), \
        cmocka_unit_test_setup_teardown(name, set_up_handed_over, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        BOTH_WAYS(test_nothing_is_done_behind_a_lock),
        BOTH_WAYS(test_no_inline_command_is_done_behind_a_lock),
        BOTH_WAYS(test_nothing_of_several_keys_is_done_behind_a_lock),
        BOTH_WAYS(test_no_transaction_is_done_behind_a_lock),
        BOTH_WAYS(test_a_transaction_heeds_locks_of_the_other_database),
        BOTH_WAYS(test_a_transaction_moves_no_key_to_a_locked_one),
        BOTH_WAYS(test_nothing_of_all_keys_is_done_behind_a_lock),
        BOTH_WAYS(test_nobody_waits_for_a_list_behind_a_lock),
        BOTH_WAYS(test_nothing_is_done_behind_a_busy_partition),
        BOTH_WAYS(test_nothing_is_done_behind_a_busy_partition_in_a_group),
        BOTH_WAYS(test_others_in_the_group_go_on),
        BOTH_WAYS(test_long_commands_do_not_wait_together),
        BOTH_WAYS(test_reads_behind_a_long_write_are_not_refused_with_it),
        cmocka_unit_test_setup_teardown(test_commands_are_handed_over_together, set_up_handed_over,
                                        tear_down),
    };
    return cmocka_run_group_tests_name("order", tests, NULL, NULL);
}
