// SPDX-License-Identifier: Apache-2.0
#include "lib/os/cpu.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/base/units.h"
#include "lib/os/cgroup_internal.h"
#include "lib/os/cpu_internal.h"
#include "lib/os/cpu_set_internal.h"
#include "lib/os/file_internal.h"
#include "lib/os/process.h"
#include "lib/os/thread.h"

#define MILLI_PER_CPU     UINT64_C(1000)
#define BYTES_PER_KIB     UINT64_C(1024)
#define QUOTA_TEXT_MAX    32U
#define LIST_FOLDER_CPUS  "sys/devices/system/cpu"
#define LIST_FOLDER_NODES "sys/devices/system/node"

/** The cpus, or nodes, listed in a file of the kernel; false when it has no list to read. */
static bool read_list(const char *root, const char *name, struct fil_cpu_set *out_set)
{
    char path[PATH_MAX];
    char text[FIL_CPU_SET_TEXT_MAX];
    int size = snprintf(path, sizeof(path), "%s/%s", root, name);
    fil_assert(size > 0);
    if ((size_t)size >= sizeof(path)) {
        return false;
    }
    int64_t read = fil_file__read_start(path, text, sizeof(text));
    if (read < 0) {
        return false;
    }
    struct fil_bytes list = fil_bytes_make(text, (size_t)read);
    list.size = fil_bytes_find(list, '\n');
    return fil_cpu_set_parse(list, out_set) == FIL_OK;
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/** 1500 is "1.5", 2000 is "2". */
static const char *format_milli(uint64_t milli, char text[QUOTA_TEXT_MAX])
{
    int size =
        snprintf(text, QUOTA_TEXT_MAX, "%llu.%03u", (unsigned long long)(milli / MILLI_PER_CPU),
                 (unsigned)(milli % MILLI_PER_CPU));
    fil_assert(size > 0 && (size_t)size < QUOTA_TEXT_MAX);
    char *last = text + size - 1;
    while (*last == '0') {
        *last = '\0';
        last--;
    }
    if (*last == '.') {
        *last = '\0';
    }
    return text;
}

/** Tells how many of the machine's cpus there are to use and why. */
static void describe_cpus(struct fil_machine *machine, uint32_t usable, uint32_t online)
{
    char quota[QUOTA_TEXT_MAX];
    if (machine->cpu_quota_milli != 0) {
        (void)snprintf(machine->cpu_text, sizeof(machine->cpu_text), "cgroup quota %s of %u core%s",
                       format_milli(machine->cpu_quota_milli, quota), usable, plural(usable));
    } else if (usable < online) {
        (void)snprintf(machine->cpu_text, sizeof(machine->cpu_text), "%u of %u cores by affinity",
                       usable, online);
    } else {
        (void)snprintf(machine->cpu_text, sizeof(machine->cpu_text), "%u core%s", usable,
                       plural(usable));
    }
}

static void read_cpus(struct fil_machine *machine, const char *root, uint64_t quota_milli)
{
    uint32_t usable = fil_cpu_set_count(&machine->cpus);
    fil_assert(usable > 0);
    machine->cpu_count = usable;
    if (quota_milli < usable * MILLI_PER_CPU) {
        machine->cpu_quota_milli = quota_milli;
        machine->cpu_count = (uint32_t)((quota_milli + MILLI_PER_CPU - 1) / MILLI_PER_CPU);
    }
    fil_assert(machine->cpu_count >= 1);
    fil_assert(machine->cpu_count <= usable);

    struct fil_cpu_set online = {0};
    bool is_known = read_list(root, LIST_FOLDER_CPUS "/online", &online);
    describe_cpus(machine, usable, is_known ? fil_cpu_set_count(&online) : usable);
}

/** The number behind "MemTotal:" in /proc/meminfo; 0 when there is none. */
static uint64_t parse_memory_total(struct fil_bytes text)
{
    static const char label[] = "MemTotal:";
    const uint8_t *found = memmem(text.data, text.size, label, sizeof(label) - 1);
    if (found == NULL) {
        return 0;
    }
    const uint8_t *start = found + sizeof(label) - 1;
    struct fil_bytes line = fil_bytes_make(start, (size_t)(text.data + text.size - start));
    line.size = fil_bytes_find(line, '\n');
    line = fil_bytes_trim(line);
    line.size = fil_bytes_find(line, ' '); // "16314708 kB"
    uint64_t kibibytes = 0;
    bool is_number = fil_bytes_to_u64(line, &kibibytes);
    return is_number && kibibytes <= UINT64_MAX / BYTES_PER_KIB ? kibibytes * BYTES_PER_KIB : 0;
}

static uint64_t read_memory_total(const char *root)
{
    char path[PATH_MAX];
    char text[1024];
    int size = snprintf(path, sizeof(path), "%s/proc/meminfo", root);
    fil_assert(size > 0 && (size_t)size < sizeof(path));
    int64_t read = fil_file__read_start(path, text, sizeof(text));
    uint64_t total =
        read > 0 ? parse_memory_total(fil_bytes_make(text, (size_t)read)) : UINT64_C(0);
    return total > 0 ? total : (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
}

/** "256 MiB" instead of "256.0 MiB": limits are mostly round. */
static const char *format_size(uint64_t bytes, char text[FIL_UNITS_TEXT_MAX])
{
    (void)fil_units_human_size(bytes, text);
    char *fraction = strstr(text, ".0 ");
    if (fraction != NULL) {
        memmove(fraction, fraction + 2, strlen(fraction + 2) + 1);
    }
    return text;
}

static void read_memory(struct fil_machine *machine, const char *root, uint64_t limit_bytes)
{
    char size[FIL_UNITS_TEXT_MAX];
    machine->memory_total_bytes = read_memory_total(root);
    bool is_limited = limit_bytes < machine->memory_total_bytes;
    machine->memory_bytes = is_limited ? limit_bytes : machine->memory_total_bytes;
    (void)snprintf(machine->memory_text, sizeof(machine->memory_text),
                   is_limited ? "cgroup limit %s" : "%s installed",
                   format_size(machine->memory_bytes, size));
}

static void add_node(struct fil_machine *machine, const char *root, uint32_t id)
{
    char name[64];
    (void)snprintf(name, sizeof(name), LIST_FOLDER_NODES "/node%u/cpulist", id);
    struct fil_cpu_set cpus = {0};
    if (machine->node_count == FIL_MACHINE_NODES_MAX || !read_list(root, name, &cpus)) {
        return;
    }
    cpus = fil_cpu_set_intersect(&cpus, &machine->cpus);
    // A node of memory only, or of cpus that are not ours, is no place for our threads.
    if (fil_cpu_set_count(&cpus) > 0) {
        machine->nodes[machine->node_count] = (struct fil_machine_node){.id = id, .cpus = cpus};
        machine->node_count++;
    }
}

static void read_nodes(struct fil_machine *machine, const char *root)
{
    struct fil_cpu_set ids = {0};
    (void)read_list(root, LIST_FOLDER_NODES "/online", &ids); // a kernel without NUMA has none
    for (uint32_t id = fil_cpu_set_next(&ids, 0); id < FIL_CPU_MAX;
         id = fil_cpu_set_next(&ids, id + 1)) {
        add_node(machine, root, id);
    }
    if (machine->node_count == 0) {
        machine->nodes[0] = (struct fil_machine_node){.id = 0, .cpus = machine->cpus};
        machine->node_count = 1;
    }
    (void)snprintf(machine->node_text, sizeof(machine->node_text), "%u NUMA node%s",
                   machine->node_count, plural(machine->node_count));
}

void fil_machine__read_with(struct fil_machine *out_machine, const char *root,
                            const struct fil_cpu_set *cpus)
{
    *out_machine = (struct fil_machine){.cpus = *cpus};
    struct fil_cgroup_limits limits = fil_cgroup__read(root);
    read_cpus(out_machine, root, limits.cpu_milli);
    read_memory(out_machine, root, limits.memory_bytes);
    read_nodes(out_machine, root);
    fil_assert(out_machine->memory_bytes <= out_machine->memory_total_bytes);
}

/** The cpus the scheduler may put this process on. */
static struct fil_cpu_set usable_cpus(void)
{
    cpu_set_t system;
    CPU_ZERO(&system);
    if (sched_getaffinity(0, sizeof(system), &system) == 0) {
        return fil_cpu_set__from_system(&system);
    }
    // More possible cpus than a set has room for: the first ones that are there will do.
    struct fil_cpu_set set = {0};
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    fil_assert(online > 0);
    for (uint32_t cpu = 0; cpu < (uint32_t)online && cpu < FIL_CPU_MAX; cpu++) {
        fil_cpu_set_add(&set, cpu);
    }
    return set;
}

void fil_machine_read(struct fil_machine *out_machine, const char *root)
{
    fil_assert(root != NULL);
    struct fil_cpu_set cpus = usable_cpus();
    fil_machine__read_with(out_machine, root, &cpus);
    out_machine->slice_ns = fil_thread_slice_ns();
    struct fil_process_usage usage;
    fil_process_measure(&usage);
    out_machine->descriptor_max = fil_process_descriptor_limit();
    out_machine->descriptor_count = usage.descriptor_count;
}
