// SPDX-License-Identifier: Apache-2.0
/**
 * What commands do to entries as the grid sees them: max idle stays with the entry, whatever
 * becomes of its expiry and its key; a time that cannot be kept is refused; a command that writes
 * counts as one put, one that is refused as none, and one that reads and removes as both.
 */
#include <stdio.h>

#include "filbert/error.h"
#include "tests/unit/harness.h"
#include "tests/unit/protocol/resp/resp_world.h"

#define IDLE_MS UINT64_C(60000)

static struct resp_world world;
static struct fil_runner runner;

static int set_up(void **state)
{
    (void)state;
    resp_world_init(&world);
    resp_world_open(&world, UINT64_C(1) << 24);
    fil_runner_init(&runner, world.exec, "test");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    resp_world_close(&world);
    return 0;
}

static struct fil_partition *enter(const struct fil_map_key *key)
{
    struct fil_partition *partition = fil_exec_partition(world.exec, key->partition_id);
    assert_true(fil_partition_enter(partition, &runner));
    return partition;
}

static uint64_t now_ms(void)
{
    return fil_map_now_ms(world.map, fil_env_now_ns(&world.net.sim.env));
}

/** An entry with a time to live and max idle, as grid clients put it. */
static void put_idle(const char *name)
{
    struct fil_map_key key = fil_map_place(world.map, fil_bytes_of(name));
    struct fil_store_write how = {
        .now_ms = now_ms(), .expires_ms = now_ms() + 500000, .max_idle_ms = IDLE_MS};
    struct fil_partition *partition = enter(&key);
    assert_int_equal(fil_map_put_here(world.map, &key, fil_bytes_of("1"), &how, NULL), FIL_OK);
    fil_partition_leave(partition);
}

static uint64_t max_idle_ms(const char *name)
{
    struct fil_map_key key = fil_map_place(world.map, fil_bytes_of(name));
    struct fil_store_view view = {0};
    struct fil_partition *partition = enter(&key);
    assert_true(fil_map_inspect_here(world.map, &key, now_ms(), &view));
    fil_partition_leave(partition);
    return view.max_idle_ms;
}

static void test_max_idle_stays_with_the_entry(void **state)
{
    (void)state;
    static const char *const commands[][2] = {
        {"EXPIRE k 1000\r\n", ":1\r\n"},
        {"PERSIST k\r\n", ":1\r\n"},
        {"GETEX k EX 100\r\n", "$1\r\n1\r\n"},
        {"GETEX k PERSIST\r\n", "$1\r\n1\r\n"},
        {"RENAME k x\r\nRENAME x k\r\n", "+OK\r\n+OK\r\n"},
        {"COPY k y\r\nRENAME y k\r\n", ":1\r\n+OK\r\n"},
        {"APPEND k 2\r\n", ":2\r\n"},
    };
    for (size_t i = 0; i < FIL_COUNT_OF(commands); i++) {
        put_idle("k");
        resp_world_check(&world, commands[i][0], commands[i][1]);
        assert_int_equal(max_idle_ms("k"), IDLE_MS);
    }
}

static void test_times_that_cannot_be_kept_are_refused(void **state)
{
    (void)state;
    resp_world_check(&world, "SET k v EX 300000000000\r\nSET k v\r\nEXPIRE k 300000000000\r\n",
                     "-ERR invalid expire time in 'set' command\r\n+OK\r\n"
                     "-ERR invalid expire time in 'expire' command\r\n");
    resp_world_check(&world, "PEXPIREAT k 281474976710655\r\nPEXPIREAT k 281474976710654\r\n",
                     "-ERR invalid expire time in 'pexpireat' command\r\n:1\r\n");
    resp_world_check(&world, "PEXPIRETIME k\r\nPERSIST k\r\nTTL k\r\n",
                     ":281474976710654\r\n:1\r\n:-1\r\n");
}

static void check_counts(const char *text, const char *reply, uint64_t puts, uint64_t gets)
{
    struct fil_map_stats before;
    struct fil_map_stats after;
    fil_map_read_stats(world.map, &before);
    resp_world_check(&world, text, reply);
    fil_map_read_stats(world.map, &after);
    assert_int_equal(after.puts - before.puts, puts);
    assert_int_equal(after.gets - before.gets, gets);
}

static void test_what_is_done_is_counted_once(void **state)
{
    (void)state;
    check_counts("SETRANGE a 2 abc\r\n", ":5\r\n", 1, 0);
    check_counts("SETBIT b 7 1\r\n", ":0\r\n", 1, 0);
    check_counts("PFADD h x\r\n", ":1\r\n", 1, 1);
    check_counts("PFADD h y z w x\r\nPFADD n a b c\r\nPFADD n c b\r\n", ":1\r\n:1\r\n:0\r\n", 2, 3);
    check_counts("SETNX a x\r\nSET a x NX\r\nSET c x XX\r\n", ":0\r\n$-1\r\n$-1\r\n", 0, 0);
    check_counts("SETNX c x\r\n", ":1\r\n", 1, 0);
    check_counts("GETDEL c\r\n", "$1\r\nx\r\n", 0, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_max_idle_stays_with_the_entry, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_is_done_is_counted_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_times_that_cannot_be_kept_are_refused, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests_name("entry", tests, NULL, NULL);
}
