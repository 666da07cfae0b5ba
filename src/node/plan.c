// SPDX-License-Identifier: Apache-2.0
#include "node/plan.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/exec/event.h"
#include "core/exec/generic.h"
#include "core/exec/runner.h"
#include "core/stream/workers.h"
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/base/checked.h"
#include "lib/base/units.h"

#define MEMORY_SHARE_PERCENT UINT64_C(80)
#define IO_THREADS_MAX       256U // as net.io_threads
#define PARTITION_THREADS    2U // at least: while one runs something long, the other takes the rest
#define CPUS_SHOWN_MAX       48U
#define CONNECTIONS_MIN      UINT64_C(8) // with fewer a member is of no use

// Descriptors beside connections: a poller and its wake-up a loop, and a socket for each that
// listens; and some for files and for connections of our own making.
#define DESCRIPTORS_A_LOOP     UINT64_C(2)
#define DESCRIPTORS_A_LISTENER UINT64_C(3)
#define DESCRIPTORS_SPARE      UINT64_C(8)

FIL_PRINTF(2, 3) static void say(char text[FIL_PLAN_TEXT_MAX], const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, FIL_PLAN_TEXT_MAX, format, arguments); // may cut
    va_end(arguments);
}

static uint32_t min_u32(uint32_t a, uint64_t b)
{
    return (uint32_t)fil_min_u64(a, b);
}

static uint32_t max_u32(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/** How many of the machine's cpus the list names; all of them for "all". */
static uint32_t count_cpus(const struct fil_machine *machine, const char *list)
{
    struct fil_cpu_set wanted;
    if (fil_options_cpus(list, &wanted) != FIL_OK) {
        return fil_cpu_set_count(&machine->cpus);
    }
    struct fil_cpu_set usable = fil_cpu_set_intersect(&wanted, &machine->cpus);
    return fil_cpu_set_count(&usable);
}

static void plan_io(struct fil_plan *plan, const struct fil_machine *machine,
                    const struct fil_options *options)
{
    if (options->net.io_threads != 0) {
        plan->io_threads = (uint32_t)options->net.io_threads;
        say(plan->io_reason, "set by net.io_threads");
        return;
    }
    uint32_t half = machine->cpu_count < 2 ? 1 : machine->cpu_count / 2;
    uint32_t useful = min_u32(half, (uint64_t)options->net.connections_max);
    uint32_t listed = count_cpus(machine, options->net.cpus);
    plan->io_threads = min_u32(min_u32(useful, listed == 0 ? 1 : listed), IO_THREADS_MAX);
    if (plan->io_threads < half && plan->io_threads == listed) {
        say(plan->io_reason, "one for each of net.cpus; net.io_threads changes it");
    } else if (plan->io_threads < half && plan->io_threads == useful) {
        say(plan->io_reason, "no more than net.connections_max; net.io_threads changes it");
    } else {
        say(plan->io_reason, "half of %s, at least 1; net.io_threads changes it",
            machine->cpu_text);
    }
}

static void plan_partitions(struct fil_plan *plan, const struct fil_machine *machine,
                            const struct fil_options *options)
{
    if (options->partition.threads != 0) {
        plan->partition_threads = (uint32_t)options->partition.threads;
        say(plan->partition_reason, "set by partition.threads");
        return;
    }
    uint32_t free = machine->cpu_count - min_u32(plan->io_threads, machine->cpu_count);
    uint32_t left = max_u32(free, PARTITION_THREADS);
    uint32_t useful = min_u32(left, (uint64_t)options->partition.count);
    uint32_t listed = max_u32(count_cpus(machine, options->partition.cpus), PARTITION_THREADS);
    plan->partition_threads = min_u32(min_u32(useful, listed), FIL_RUNNER_STAGES_MAX);
    if (plan->partition_threads < left && plan->partition_threads == listed) {
        say(plan->partition_reason,
            "one for each of partition.cpus, at least %u; partition.threads changes it",
            PARTITION_THREADS);
    } else if (plan->partition_threads < left && plan->partition_threads == useful) {
        say(plan->partition_reason, "no more than partition.count; partition.threads changes it");
    } else {
        say(plan->partition_reason,
            "the cores that io leaves, at least %u; partition.threads changes it",
            PARTITION_THREADS);
    }
}

static void plan_generic(struct fil_plan *plan, const struct fil_machine *machine,
                         const struct fil_options *options)
{
    if (options->generic.threads != 0) {
        plan->generic_threads = (uint32_t)options->generic.threads;
        say(plan->generic_reason, "set by generic.threads, and 1 for priority work");
        return;
    }
    plan->generic_threads = fil_generic_defaults(NULL, machine->cpu_count).worker_count;
    say(plan->generic_reason,
        "half of %s, at least 2, and 1 for priority work; generic.threads changes it",
        machine->cpu_text);
}

static void plan_events(struct fil_plan *plan, const struct fil_machine *machine,
                        const struct fil_options *options)
{
    if (options->event.threads != 0) {
        plan->event_threads = (uint32_t)options->event.threads;
        say(plan->event_reason, "set by event.threads");
        return;
    }
    plan->event_threads = min_u32(FIL_EVENT_THREADS, machine->cpu_count);
    say(plan->event_reason, "%u, no more than %s; event.threads changes it",
        (unsigned)FIL_EVENT_THREADS, machine->cpu_text);
}

static void plan_streams(struct fil_plan *plan, const struct fil_machine *machine,
                         const struct fil_options *options)
{
    if (options->stream.workers != 0) {
        plan->stream_workers = (uint32_t)options->stream.workers;
        say(plan->stream_reason, "set by stream.workers");
        return;
    }
    plan->stream_workers = min_u32(FIL_WORKERS_MAX, machine->cpu_count);
    say(plan->stream_reason, "one for each of %s; stream.workers changes it", machine->cpu_text);
}

static void plan_slice(struct fil_plan *plan, const struct fil_machine *machine,
                       const struct fil_options *options)
{
    char wanted[FIL_UNITS_TEXT_MAX];
    char usual[FIL_UNITS_TEXT_MAX];
    if (machine->slice_ns == 0) {
        say(plan->slice_reason, "the system's: this kernel lets nobody choose (Linux 6.12 does)");
        return;
    }
    (void)fil_units_human_duration(machine->slice_ns, usual);
    if (options->thread.slice_ns == 0) {
        say(plan->slice_reason, "the system's, %s; thread.slice changes it", usual);
        return;
    }
    plan->slice_ns = options->thread.slice_ns;
    say(plan->slice_reason,
        "%s, the system's is %s: what is long makes way sooner; thread.slice changes it",
        fil_units_human_duration(plan->slice_ns, wanted), usual);
}

static void plan_memory(struct fil_plan *plan, const struct fil_machine *machine,
                        const struct fil_options *options)
{
    if (options->memory.limit != 0) {
        plan->memory_bytes = options->memory.limit;
        say(plan->memory_reason, "set by memory.limit");
        return;
    }
    plan->memory_bytes = machine->memory_bytes / 100 * MEMORY_SHARE_PERCENT;
    say(plan->memory_reason, "%u %% of %s; memory.limit changes it", (unsigned)MEMORY_SHARE_PERCENT,
        machine->memory_text);
}

/** What the member needs without a single connection, with all that is open now. */
static uint64_t count_own_descriptors(const struct fil_plan *plan,
                                      const struct fil_machine *machine,
                                      const struct fil_options *options)
{
    bool has_admin = strcmp(options->admin.listen, "none") != 0;
    uint64_t loops = (uint64_t)plan->io_threads + has_admin;
    uint64_t listeners = UINT64_C(1) + has_admin;
    return machine->descriptor_count + loops * DESCRIPTORS_A_LOOP +
           listeners * DESCRIPTORS_A_LISTENER + DESCRIPTORS_SPARE;
}

/** A connection that is accepted needs a descriptor: better fewer of them than none served. */
static void plan_connections(struct fil_plan *plan, const struct fil_machine *machine,
                             const struct fil_options *options)
{
    uint64_t wanted = (uint64_t)options->net.connections_max;
    uint64_t own = count_own_descriptors(plan, machine, options);
    uint64_t limit = machine->descriptor_max == 0 ? own + wanted : machine->descriptor_max;
    uint64_t left = limit > own ? limit - own : 0;
    uint64_t least = fil_min_u64(CONNECTIONS_MIN, wanted);
    plan->connections_max = (uint32_t)fil_min_u64(wanted, left);
    if (left < least && plan->problem[0] == '\0') {
        say(plan->problem,
            "%" PRIu64 " file descriptors are allowed, but %" PRIu64 " are needed, %" PRIu64
            " of them for connections: raise the limit (ulimit -n)",
            limit, own + least, least);
    } else if (left < wanted) {
        say(plan->connections_reason,
            "net.connections_max is %" PRIu64 ", but ulimit -n allows %" PRIu64
            " descriptors and %" PRIu64 " are for the rest",
            wanted, limit, own);
    }
}

/** A member that was told where to run must not run elsewhere, or nowhere. */
static void check_cpus(struct fil_plan *plan, const struct fil_machine *machine, const char *name,
                       const char *list)
{
    struct fil_cpu_set wanted;
    if (fil_options_cpus(list, &wanted) != FIL_OK || plan->problem[0] != '\0') {
        return;
    }
    for (uint32_t cpu = fil_cpu_set_next(&wanted, 0); cpu < FIL_CPU_MAX;
         cpu = fil_cpu_set_next(&wanted, cpu + 1)) {
        if (!fil_cpu_set_has(&machine->cpus, cpu)) {
            char usable[CPUS_SHOWN_MAX];
            say(plan->problem, "%s is %.48s, but this process may only run on processors %s", name,
                list, fil_cpu_set_format(&machine->cpus, usable, sizeof(usable)));
            return;
        }
    }
}

static bool is_all(const char *list)
{
    return strcmp(list, "all") == 0;
}

/** Where threads run: where they were told to, or dealt out over the nodes, or anywhere. */
static void plan_places(struct fil_plan *plan, const struct fil_machine *machine,
                        const struct fil_options *options)
{
    struct fil_spread *spread = &plan->spread;
    spread->has_io = is_all(options->net.cpus);
    spread->has_partitions = is_all(options->partition.cpus);
    if (machine->node_count > 1 && (spread->has_io || spread->has_partitions)) {
        spread->node_count = machine->node_count;
        memcpy(spread->nodes, machine->nodes, machine->node_count * sizeof(spread->nodes[0]));
        say(plan->place_reason, "%s dealt out over %s; net.cpus and partition.cpus change it",
            !spread->has_io           ? "partition threads"
            : !spread->has_partitions ? "io threads"
                                      : "io and partition threads",
            machine->node_text);
    } else if (!spread->has_io || !spread->has_partitions) {
        say(plan->place_reason, "io on processors %.48s, partitions on %.48s", options->net.cpus,
            options->partition.cpus);
    }
    check_cpus(plan, machine, "net.cpus", options->net.cpus);
    check_cpus(plan, machine, "partition.cpus", options->partition.cpus);
    check_cpus(plan, machine, "generic.cpus", options->generic.cpus);
    check_cpus(plan, machine, "event.cpus", options->event.cpus);
    check_cpus(plan, machine, "executor.cpus", options->executor.cpus);
}

void fil_plan_make(struct fil_plan *out_plan, const struct fil_machine *machine,
                   const struct fil_options *options)
{
    fil_assert(machine->cpu_count > 0);
    fil_assert(machine->memory_bytes > 0);
    *out_plan = (struct fil_plan){.cpu_count = machine->cpu_count};
    plan_io(out_plan, machine, options);
    plan_partitions(out_plan, machine, options);
    plan_generic(out_plan, machine, options);
    plan_events(out_plan, machine, options);
    plan_streams(out_plan, machine, options);
    plan_places(out_plan, machine, options);
    plan_slice(out_plan, machine, options);
    plan_memory(out_plan, machine, options);
    plan_connections(out_plan, machine, options);
}
