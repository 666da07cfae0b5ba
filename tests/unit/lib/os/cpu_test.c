// SPDX-License-Identifier: Apache-2.0
/**
 * What is promised of the machine's figures, on made-up trees of files: the smallest limit on the
 * way up counts, in cgroup v2, v1 and both beside each other; quotas are rounded up to whole cpus;
 * "max", nonsense and files that are not there limit nothing; nodes are those with cpus of ours;
 * and every figure says where it comes from.
 */
#include "lib/os/cpu.h"

#include "filbert/error.h"
#include "lib/os/cgroup_internal.h"
#include "lib/os/cpu_internal.h"
#include "tests/unit/harness.h"
#include "tests/unit/lib/os/folder.h"

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

static struct folder root;
static struct fil_machine machine;

static void put(const char *name, const char *text)
{
    folder_write(&root, name, text);
}

static int set_up(void **state)
{
    (void)state;
    folder_make(&root);
    put("proc/meminfo", "MemTotal:       16777216 kB\nMemFree:         1048576 kB\n");
    put("sys/devices/system/cpu/online", "0-7\n");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    folder_remove(&root);
    return 0;
}

/** Reads the tree as a process that may run on these cpus. */
static void read_machine(const char *cpus)
{
    struct fil_cpu_set set;
    assert_int_equal(fil_cpu_set_parse(fil_bytes_of(cpus), &set), FIL_OK);
    fil_machine__read_with(&machine, root.path, &set);
}

static void expect_cpus_of(uint32_t count, const char *text)
{
    assert_int_equal(machine.cpu_count, count);
    assert_string_equal(machine.cpu_text, text);
}

static void expect_memory_of(uint64_t bytes, const char *text)
{
    assert_int_equal(machine.memory_bytes, bytes);
    assert_int_equal(machine.memory_total_bytes, 16 * GIB);
    assert_string_equal(machine.memory_text, text);
}

static void test_machine_without_cgroups_is_not_limited(void **state)
{
    (void)state;
    read_machine("0-7");
    expect_cpus_of(8, "8 cores");
    expect_memory_of(16 * GIB, "16 GiB installed");
    assert_int_equal(machine.cpu_quota_milli, 0);
}

static void test_one_core_is_singular(void **state)
{
    (void)state;
    put("sys/devices/system/cpu/online", "0\n");
    read_machine("0");
    expect_cpus_of(1, "1 core");
}

static void test_affinity_is_told(void **state)
{
    (void)state;
    read_machine("2,5");
    expect_cpus_of(2, "2 of 8 cores by affinity");
}

static void test_v2_limits_count(void **state)
{
    (void)state;
    put("proc/self/cgroup", "0::/app\n");
    put("sys/fs/cgroup/app/cpu.max", "150000 100000\n");
    put("sys/fs/cgroup/app/memory.max", "268435456\n");
    read_machine("0-7");
    expect_cpus_of(2, "cgroup quota 1.5 of 8 cores");
    expect_memory_of(256 * MIB, "cgroup limit 256 MiB");
    assert_int_equal(machine.cpu_quota_milli, 1500);
}

static void test_v2_smallest_limit_on_the_way_up_wins(void **state)
{
    (void)state;
    put("proc/self/cgroup", "0::/pods/pod1/container\n");
    put("sys/fs/cgroup/pods/pod1/container/cpu.max", "400000 100000\n");
    put("sys/fs/cgroup/pods/pod1/container/memory.max", "1073741824\n");
    put("sys/fs/cgroup/pods/pod1/cpu.max", "max 100000\n");
    put("sys/fs/cgroup/pods/pod1/memory.max", "536870912\n");
    put("sys/fs/cgroup/pods/cpu.max", "60000 20000\n");
    put("sys/fs/cgroup/pods/memory.max", "max\n");
    read_machine("0-7");
    expect_cpus_of(3, "cgroup quota 3 of 8 cores");
    expect_memory_of(512 * MIB, "cgroup limit 512 MiB");
}

static void test_max_limits_nothing(void **state)
{
    (void)state;
    put("proc/self/cgroup", "0::/app\n");
    put("sys/fs/cgroup/app/cpu.max", "max 100000\n");
    put("sys/fs/cgroup/app/memory.max", "max\n");
    read_machine("0-7");
    expect_cpus_of(8, "8 cores");
    expect_memory_of(16 * GIB, "16 GiB installed");
}

static void test_quota_below_one_cpu_is_one_cpu(void **state)
{
    (void)state;
    put("proc/self/cgroup", "0::/\n");
    put("sys/fs/cgroup/cpu.max", "25000 100000\n");
    read_machine("0-7");
    expect_cpus_of(1, "cgroup quota 0.25 of 8 cores");
}

static void test_quota_is_never_rounded_down(void **state)
{
    (void)state;
    put("proc/self/cgroup", "0::/\n");
    put("sys/fs/cgroup/cpu.max", "200001 100000\n");
    read_machine("0-7");
    expect_cpus_of(3, "cgroup quota 2.001 of 8 cores");
}

static void test_quota_beyond_the_cpus_changes_nothing(void **state)
{
    (void)state;
    put("proc/self/cgroup", "0::/\n");
    put("sys/fs/cgroup/cpu.max", "400000 100000\n");
    put("sys/fs/cgroup/memory.max", "34359738368\n");
    read_machine("0-3");
    expect_cpus_of(4, "4 of 8 cores by affinity");
    expect_memory_of(16 * GIB, "16 GiB installed");
}

static void test_container_that_sees_only_its_own_group(void **state)
{
    (void)state;
    put("proc/self/cgroup", "0::/docker/0123456789abcdef\n");
    put("sys/fs/cgroup/cpu.max", "200000 100000\n");
    put("sys/fs/cgroup/memory.max", "268435456\n");
    read_machine("0-7");
    expect_cpus_of(2, "cgroup quota 2 of 8 cores");
    expect_memory_of(256 * MIB, "cgroup limit 256 MiB");
}

static void test_group_outside_of_the_view_is_not_followed(void **state)
{
    (void)state;
    put("proc/self/cgroup", "0::/../../trap\n");
    put("sys/trap/cpu.max", "100000 100000\n");
    put("sys/fs/cgroup/cpu.max", "300000 100000\n");
    read_machine("0-7");
    expect_cpus_of(3, "cgroup quota 3 of 8 cores");
}

static void test_v1_limits_count(void **state)
{
    (void)state;
    put("proc/self/cgroup", "5:memory:/app/one\n3:cpu,cpuacct:/app/one\n1:name=systemd:/app\n");
    put("sys/fs/cgroup/cpu,cpuacct/app/one/cpu.cfs_quota_us", "-1\n");
    put("sys/fs/cgroup/cpu,cpuacct/app/one/cpu.cfs_period_us", "100000\n");
    put("sys/fs/cgroup/cpu,cpuacct/app/cpu.cfs_quota_us", "250000\n");
    put("sys/fs/cgroup/cpu,cpuacct/app/cpu.cfs_period_us", "100000\n");
    put("sys/fs/cgroup/memory/app/one/memory.limit_in_bytes", "9223372036854771712\n");
    put("sys/fs/cgroup/memory/app/memory.limit_in_bytes", "104857600\n");
    read_machine("0-7");
    expect_cpus_of(3, "cgroup quota 2.5 of 8 cores");
    expect_memory_of(100 * MIB, "cgroup limit 100 MiB");
}

static void test_v1_folder_may_have_the_name_of_one_controller(void **state)
{
    (void)state;
    put("proc/self/cgroup", "3:cpuacct,cpu:/\n");
    put("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "50000\n");
    put("sys/fs/cgroup/cpu/cpu.cfs_period_us", "50000\n");
    read_machine("0-7");
    expect_cpus_of(1, "cgroup quota 1 of 8 cores");
}

static void test_v1_and_v2_beside_each_other(void **state)
{
    (void)state;
    put("proc/self/cgroup", "4:memory:/app\n1:cpu:/\n0::/app\n");
    put("sys/fs/cgroup/memory/app/memory.limit_in_bytes", "1073741824\n");
    put("sys/fs/cgroup/unified/app/cpu.max", "100000 50000\n");
    read_machine("0-7");
    expect_cpus_of(2, "cgroup quota 2 of 8 cores");
    expect_memory_of(1 * GIB, "cgroup limit 1 GiB");
}

static void test_nonsense_limits_nothing(void **state)
{
    (void)state;
    const char *const quotas[] = {"",
                                  "\n",
                                  "x",
                                  "0 100000",
                                  "100000 0",
                                  "100000",
                                  "-5 100000",
                                  "18446744073709551615 1",
                                  "99999999999999999999 1"};
    put("proc/self/cgroup", "garbage\n:::\n7\n0::relative\n0::/\n");
    put("sys/fs/cgroup/memory.max", "a lot\n");
    for (size_t i = 0; i < FIL_COUNT_OF(quotas); i++) {
        put("sys/fs/cgroup/cpu.max", quotas[i]);
        read_machine("0-7");
        expect_cpus_of(8, "8 cores");
        expect_memory_of(16 * GIB, "16 GiB installed");
    }
}

static void test_missing_or_strange_memory_figures_fall_back(void **state)
{
    (void)state;
    const char *const figures[] = {"", "MemFree: 1 kB\n", "MemTotal: many kB\n",
                                   "MemTotal: 18446744073709551615 kB\n"};
    for (size_t i = 0; i < FIL_COUNT_OF(figures); i++) {
        put("proc/meminfo", figures[i]);
        read_machine("0-7");
        assert_true(machine.memory_total_bytes > 0); // of the machine that runs the test
        assert_int_equal(machine.memory_bytes, machine.memory_total_bytes);
    }
}

static void test_no_node_files_mean_one_node_with_all_cpus(void **state)
{
    (void)state;
    char text[64];
    read_machine("0-7");
    assert_int_equal(machine.node_count, 1);
    assert_string_equal(machine.node_text, "1 NUMA node");
    assert_string_equal(fil_cpu_set_format(&machine.nodes[0].cpus, text, sizeof(text)), "0-7");
}

static void test_nodes_are_those_with_cpus_of_ours(void **state)
{
    (void)state;
    char text[64];
    put("sys/devices/system/node/online", "0-3,7\n");
    put("sys/devices/system/node/node0/cpulist", "0-3\n");
    put("sys/devices/system/node/node1/cpulist", "\n"); // memory only
    put("sys/devices/system/node/node2/cpulist", "6-7\n");
    put("sys/devices/system/node/node7/cpulist", "4-5\n"); // and node 3 is not there at all
    read_machine("1-5");
    assert_int_equal(machine.node_count, 2);
    assert_string_equal(machine.node_text, "2 NUMA nodes");
    assert_int_equal(machine.nodes[0].id, 0);
    assert_string_equal(fil_cpu_set_format(&machine.nodes[0].cpus, text, sizeof(text)), "1-3");
    assert_int_equal(machine.nodes[1].id, 7);
    assert_string_equal(fil_cpu_set_format(&machine.nodes[1].cpus, text, sizeof(text)), "4-5");
}

static void test_the_real_machine_has_figures(void **state)
{
    (void)state;
    fil_machine_read(&machine, "/");
    assert_in_range(machine.cpu_count, 1, fil_cpu_set_count(&machine.cpus));
    assert_true(machine.memory_bytes > 0);
    assert_in_range(machine.node_count, 1, FIL_MACHINE_NODES_MAX);
    print_message("this machine: %s, %s, %s\n", machine.cpu_text, machine.memory_text,
                  machine.node_text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_machine_without_cgroups_is_not_limited, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_one_core_is_singular, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_affinity_is_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_v2_limits_count, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_v2_smallest_limit_on_the_way_up_wins, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_max_limits_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_quota_below_one_cpu_is_one_cpu, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_quota_is_never_rounded_down, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_quota_beyond_the_cpus_changes_nothing, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_container_that_sees_only_its_own_group, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_group_outside_of_the_view_is_not_followed, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_v1_limits_count, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_v1_folder_may_have_the_name_of_one_controller, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_v1_and_v2_beside_each_other, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_nonsense_limits_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_missing_or_strange_memory_figures_fall_back, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_no_node_files_mean_one_node_with_all_cpus, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_nodes_are_those_with_cpus_of_ours, set_up, tear_down),
        cmocka_unit_test(test_the_real_machine_has_figures),
    };
    return cmocka_run_group_tests_name("cpu", tests, NULL, NULL);
}
