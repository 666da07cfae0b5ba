// SPDX-License-Identifier: Apache-2.0
/**
 * The commands for benchmarks: unknown unless the member allows them, never told of by COMMAND, run
 * by a partition thread and not by the loop, in order with the commands around them; what is wrong
 * with their arguments is answered.
 */
#include "lib/conc/counter.h"
#include "protocol/resp/command.h"
#include "tests/unit/harness.h"
#include "tests/unit/protocol/resp/resp_world.h"

static struct resp_world world;

static int set_up(void **state)
{
    (void)state;
    resp_world_init(&world);
    resp_world_open(&world, 1U << 24);
    world.server.options.has_debug_commands = true;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    resp_world_close(&world);
    return 0;
}

static void test_unknown_unless_allowed(void **state)
{
    (void)state;
    world.server.options.has_debug_commands = false;
    resp_world_check(&world, "FILBERT.BURN 1 key\r\n",
                     "-ERR unknown command 'FILBERT.BURN', with args beginning with: '1' 'key' "
                     "\r\n");
    world.server.options.has_debug_commands = true;
    resp_world_check(&world, "filbert.burn 1 key\r\n", "+OK\r\n");
    assert_null(fil_resp_command_find(fil_bytes_of("filbert.burn")));
}

static void test_runs_on_the_partition_thread_in_order(void **state)
{
    (void)state;
    resp_world_check(&world, "SET a 1\r\nFILBERT.BURN 5 a\r\nGET a\r\nFILBERT.BURN 0 b\r\nPING\r\n",
                     "+OK\r\n+OK\r\n$1\r\n1\r\n+OK\r\n+PONG\r\n");
    // The two that burn, and what came behind the first for the same partition.
    struct fil_runner_stats *stats = &fil_exec_stage(world.exec, 0)->runner.stats;
    assert_in_range(fil_counter_read(&stats->runs), 2, 3);
}

static void test_wrong_arguments_are_answered(void **state)
{
    (void)state;
    const char *range = "-ERR value is not an integer or out of range\r\n";
    resp_world_check(&world, "FILBERT.BURN soon key\r\n", range);
    resp_world_check(&world, "FILBERT.BURN 10000001 key\r\n", range);
    resp_world_check(&world, "FILBERT.BURN 1\r\n",
                     "-ERR wrong number of arguments for 'filbert.burn' command\r\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_unknown_unless_allowed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_runs_on_the_partition_thread_in_order, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_wrong_arguments_are_answered, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("debug_commands", tests, NULL, NULL);
}
