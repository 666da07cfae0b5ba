// SPDX-License-Identifier: Apache-2.0
/**
 * The plan, one test a promise: cores are shared out and not multiplied; what is set is taken; no
 * more threads than useful; processors that the process does not have are a problem; threads are
 * dealt out over NUMA nodes unless they were told where to run; they choose a slice where they may;
 * descriptors bound the connections, and too few of them are a problem; every figure has its
 * reason.
 */
#include <stdio.h>
#include <string.h>

#include "lib/conf/conf.h"
#include "node/plan.h"
#include "tests/unit/harness.h"

static struct fil_conf conf;
static struct fil_options options;
static struct fil_machine machine;
static struct fil_plan plan;

static void add_cpus(struct fil_cpu_set *set, uint32_t from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        fil_cpu_set_add(set, from + i);
    }
}

static void make_machine(uint32_t cpu_count, uint32_t node_count)
{
    memset(&machine, 0, sizeof(machine));
    add_cpus(&machine.cpus, 0, cpu_count);
    machine.cpu_count = cpu_count;
    machine.memory_bytes = UINT64_C(1) << 30;
    machine.node_count = node_count;
    for (uint32_t i = 0; i < node_count; i++) {
        machine.nodes[i].id = i;
        add_cpus(&machine.nodes[i].cpus, i * (cpu_count / node_count), cpu_count / node_count);
    }
    (void)snprintf(machine.cpu_text, sizeof(machine.cpu_text), "%u cores", cpu_count);
    (void)snprintf(machine.node_text, sizeof(machine.node_text), "%u NUMA nodes", node_count);
    (void)snprintf(machine.memory_text, sizeof(machine.memory_text), "1 GiB installed");
}

static int set_up(void **state)
{
    (void)state;
    make_machine(8, 1);
    return fil_conf_init(&conf, &fil_options_table, &options);
}

static int tear_down(void **state)
{
    (void)state;
    fil_conf_fini(&conf);
    return 0;
}

static void set(const char *assignment)
{
    assert_int_equal(fil_conf_set(&conf, assignment, "--set"), FIL_OK);
}

static void make(void)
{
    fil_plan_make(&plan, &machine, &options);
}

static void test_cores_are_shared_out(void **state)
{
    (void)state;
    make();
    assert_int_equal(plan.io_threads, 4);
    assert_int_equal(plan.partition_threads, 4);
    assert_int_equal(plan.generic_threads, 4);
    assert_int_equal(plan.event_threads, 5);
    assert_int_equal(plan.stream_workers, 8);
    assert_string_equal(plan.stream_reason, "one for each of 8 cores; stream.workers changes it");
    assert_non_null(strstr(plan.io_reason, "half of 8 cores"));
    assert_string_equal(plan.problem, "");
    assert_string_equal(plan.place_reason, "");
}

static void test_one_core_still_has_every_stage(void **state)
{
    (void)state;
    make_machine(1, 1);
    make();
    assert_int_equal(plan.io_threads, 1);
    assert_int_equal(plan.partition_threads, 2); // one can help the other
    assert_int_equal(plan.generic_threads, 2);
    assert_int_equal(plan.event_threads, 1);
}

static void test_what_is_set_is_taken(void **state)
{
    (void)state;
    set("net.io_threads=3");
    set("partition.threads=9");
    set("generic.threads=7");
    set("event.threads=11");
    set("stream.workers=3");
    make();
    assert_int_equal(plan.io_threads, 3);
    assert_int_equal(plan.partition_threads, 9);
    assert_int_equal(plan.generic_threads, 7);
    assert_int_equal(plan.event_threads, 11);
    assert_string_equal(plan.io_reason, "set by net.io_threads");
    assert_string_equal(plan.event_reason, "set by event.threads");
    assert_int_equal(plan.stream_workers, 3);
    assert_string_equal(plan.stream_reason, "set by stream.workers");
}

static void test_no_more_threads_than_useful(void **state)
{
    (void)state;
    set("partition.count=2");
    set("net.connections_max=1");
    make();
    assert_int_equal(plan.io_threads, 1);
    assert_int_equal(plan.partition_threads, 2);
    assert_non_null(strstr(plan.io_reason, "net.connections_max"));
    assert_non_null(strstr(plan.partition_reason, "partition.count"));
}

static void test_listed_processors_bound_the_threads(void **state)
{
    (void)state;
    set("net.cpus=0-1");
    set("partition.cpus=7");
    make();
    assert_int_equal(plan.io_threads, 2);
    assert_int_equal(plan.partition_threads, 2);
    assert_non_null(strstr(plan.io_reason, "net.cpus"));
    assert_non_null(strstr(plan.partition_reason, "partition.cpus"));
    assert_string_equal(plan.place_reason, "io on processors 0-1, partitions on 7");
    assert_string_equal(plan.problem, "");
}

static void test_processor_that_is_not_there_is_a_problem(void **state)
{
    (void)state;
    set("partition.cpus=6-9");
    make();
    assert_string_equal(plan.problem,
                        "partition.cpus is 6-9, but this process may only run on processors 0-7");
}

static void test_threads_are_dealt_out_over_nodes(void **state)
{
    (void)state;
    make_machine(8, 2);
    make();
    assert_int_equal(plan.spread.node_count, 2);
    assert_true(plan.spread.has_io);
    assert_true(plan.spread.has_partitions);
    assert_true(fil_cpu_set_has(&plan.spread.nodes[1].cpus, 4));
    assert_non_null(strstr(plan.place_reason, "io and partition threads dealt out over 2 NUMA"));
}

static void test_threads_with_a_list_are_not_dealt_out(void **state)
{
    (void)state;
    make_machine(8, 2);
    set("net.cpus=0-3");
    make();
    assert_int_equal(plan.spread.node_count, 2);
    assert_false(plan.spread.has_io);
    assert_true(plan.spread.has_partitions);
    set("partition.cpus=4-7");
    make();
    assert_int_equal(plan.spread.node_count, 0);
    assert_string_equal(plan.place_reason, "io on processors 0-3, partitions on 4-7");
}

static void test_slice_is_chosen_where_the_system_lets_threads_choose(void **state)
{
    (void)state;
    make();
    assert_int_equal(plan.slice_ns, 0);
    assert_non_null(strstr(plan.slice_reason, "this kernel lets nobody choose"));
    machine.slice_ns = 2800000;
    make();
    assert_int_equal(plan.slice_ns, options.thread.slice_ns);
    assert_int_not_equal(plan.slice_ns, 0);
    assert_non_null(strstr(plan.slice_reason, "thread.slice changes it"));
    set("thread.slice=0");
    make();
    assert_int_equal(plan.slice_ns, 0);
    assert_non_null(strstr(plan.slice_reason, "the system's, 2.8 ms"));
}

/** Four loops with two each, an acceptor with three, eight to spare, and three that are open. */
#define OWN_DESCRIPTORS 22U

static void test_few_descriptors_are_fewer_connections(void **state)
{
    (void)state;
    make();
    assert_int_equal(plan.connections_max, options.net.connections_max);
    assert_string_equal(plan.connections_reason, "");
    machine.descriptor_count = 3;
    machine.descriptor_max = OWN_DESCRIPTORS + 30;
    make();
    assert_int_equal(plan.connections_max, 30);
    assert_string_equal(plan.connections_reason,
                        "net.connections_max is 65000, but ulimit -n allows 52 descriptors and 22 "
                        "are for the rest");
    assert_string_equal(plan.problem, "");
    machine.descriptor_max = OWN_DESCRIPTORS + 65000;
    make();
    assert_int_equal(plan.connections_max, 65000);
    assert_string_equal(plan.connections_reason, "");
}

static void test_no_room_for_a_handful_of_connections_is_a_problem(void **state)
{
    (void)state;
    machine.descriptor_count = 3;
    machine.descriptor_max = OWN_DESCRIPTORS + 8;
    make();
    assert_string_equal(plan.problem, "");
    machine.descriptor_max = OWN_DESCRIPTORS + 7;
    make();
    assert_string_equal(plan.problem, "29 file descriptors are allowed, but 30 are needed, 8 of "
                                      "them for connections: raise the limit (ulimit -n)");
    machine.descriptor_max = 1;
    make();
    assert_int_not_equal(plan.problem[0], '\0');
    // Whoever wants fewer needs no more; a port for the pages needs some.
    set("net.connections_max=4");
    machine.descriptor_max = OWN_DESCRIPTORS + 4;
    make();
    assert_string_equal(plan.problem, "");
    set("admin.listen=127.0.0.1:5799");
    make();
    assert_int_not_equal(plan.problem[0], '\0');
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_cores_are_shared_out),
        TEST(test_one_core_still_has_every_stage),
        TEST(test_what_is_set_is_taken),
        TEST(test_no_more_threads_than_useful),
        TEST(test_listed_processors_bound_the_threads),
        TEST(test_processor_that_is_not_there_is_a_problem),
        TEST(test_threads_are_dealt_out_over_nodes),
        TEST(test_threads_with_a_list_are_not_dealt_out),
        TEST(test_slice_is_chosen_where_the_system_lets_threads_choose),
        TEST(test_few_descriptors_are_fewer_connections),
        TEST(test_no_room_for_a_handful_of_connections_is_a_problem),
    };
    return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
