// SPDX-License-Identifier: Apache-2.0
/**
 * A kernel whose threads are not started, a clock that the test moves, and operations that write
 * down what happens to them: "a" when a runs, "a." when it completes, "a:TIMEOUT" when with an
 * error.
 */
#pragma once

#include <stdio.h>
#include <string.h>

#include "core/exec/exec.h"
#include "core/exec/exec_internal.h"
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "tests/unit/core/exec/hand_clock.h"
#include "tests/unit/harness.h"

#define TICK_NS   (UINT64_C(1) << FIL_WHEEL_TICK_SHIFT)
#define NOTE_SIZE 256U

enum probe_kind {
    PROBE_PLAIN,
    PROBE_SLICED,   // asks for another slice as often as slices says
    PROBE_WAITER,   // parks under its key the first time
    PROBE_NOTIFIER, // lets limit of those who wait for its key go on
};

struct probe {
    struct fil_op op;
    char name;
    enum probe_kind kind;
    uint64_t key;
    uint32_t limit;
    uint32_t slices;
    uint64_t burn_ns; // how long a run takes
    uint32_t run_count;
    uint32_t complete_count;
    struct probe *next_submit; // submitted by complete
};

static struct kernel {
    struct hand_clock clock;
    struct fil_budget budget;
    struct fil_exec_options options;
    struct fil_exec *exec;
    struct fil_runner runner;
    char note[NOTE_SIZE];
    size_t note_size;
} kernel;

static inline void kernel_note(const char *text)
{
    size_t room = NOTE_SIZE - kernel.note_size;
    int size = snprintf(kernel.note + kernel.note_size, room, "%s", text);
    fil_assert(size >= 0 && (size_t)size < room);
    kernel.note_size += (size_t)size;
}

/** Compares what was written down since the last time, and forgets it. */
static inline void assert_noted(const char *expected)
{
    assert_string_equal(kernel.note, expected);
    kernel.note[0] = 0;
    kernel.note_size = 0;
}

static inline enum fil_op_outcome probe_run(struct fil_op *op, struct fil_partition *partition)
{
    struct probe *probe = FIL_CONTAINER_OF(op, struct probe, op);
    kernel_note((char[]){probe->name, 0});
    fil_partition_assert_mine(partition, partition->runner);
    probe->run_count++;
    kernel.clock.now_ns += probe->burn_ns;
    if (probe->kind == PROBE_SLICED && probe->run_count <= probe->slices) {
        return FIL_OP_AGAIN;
    }
    if (probe->kind == PROBE_WAITER && probe->run_count == 1) {
        op->error = fil_partition_park(partition, op, probe->key);
        return op->error == FIL_OK ? FIL_OP_PARKED : FIL_OP_DONE;
    }
    if (probe->kind == PROBE_NOTIFIER) {
        (void)fil_partition_notify(partition, probe->key, probe->limit);
    }
    return FIL_OP_DONE;
}

static inline void probe_complete(struct fil_op *op, struct fil_runner *runner)
{
    struct probe *probe = FIL_CONTAINER_OF(op, struct probe, op);
    char text[64];
    (void)snprintf(text, sizeof(text), op->error == FIL_OK ? "%c." : "%c:%s ", probe->name,
                   fil_error_name(op->error));
    kernel_note(text);
    probe->complete_count++;
    if (probe->next_submit != NULL) {
        fil_exec_submit(kernel.exec, &probe->next_submit->op, runner);
    }
}

static const struct fil_op_type probe_type = {
    .name = "probe", .run = probe_run, .complete = probe_complete};
static const struct fil_op_type slow_probe_type = {
    .name = "slow_probe", .run = probe_run, .complete = probe_complete, .is_slow = true};

static inline struct probe *probe_init(struct probe *probe, char name, fil_partition_id id)
{
    *probe = (struct probe){.name = name, .limit = UINT32_MAX};
    fil_op_init(&probe->op, &probe_type, id);
    return probe;
}

static inline void kernel_init(const struct fil_exec_options *options)
{
    memset(&kernel, 0, sizeof(kernel));
    hand_clock_init(&kernel.clock);
    fil_budget_init(&kernel.budget, UINT64_MAX);
    kernel.options = *options;
    kernel.options.env = &kernel.clock.env;
    kernel.options.budget = &kernel.budget;
    kernel.options.has_batching = true;
    kernel.options.has_wake_suppression = true;
    assert_int_equal(fil_exec_new(&kernel.exec, &kernel.options), FIL_OK);
    fil_runner_init(&kernel.runner, kernel.exec, "test");
}

static inline void kernel_fini(void)
{
    fil_exec_free(kernel.exec);
    kernel.exec = NULL;
}

static inline struct fil_partition *kernel_partition(fil_partition_id id)
{
    return fil_exec_partition(kernel.exec, id);
}

static inline void kernel_deliver(struct probe *probe)
{
    struct fil_partition *partition = kernel_partition(probe->op.partition_id);
    if (probe->op.is_priority) {
        fil_partition_deliver_priority(partition, &probe->op, &kernel.runner);
    } else {
        fil_partition_deliver(partition, &probe->op, &probe->op, &kernel.runner);
    }
}

/** One cycle of the alarm and one of a partition thread, on this one. */
static inline uint32_t kernel_cycle(uint32_t stage) FIL_BEFORE_SHARING
{
    fil_role_enter(&fil_role_partition);
    (void)fil_alarm_cycle(fil_exec_alarm(kernel.exec));
    return fil_partition_stage_cycle(fil_exec_stage(kernel.exec, stage));
}
