// SPDX-License-Identifier: Apache-2.0
#include "core/exec/exec.h"

#include "core/exec/exec_internal.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

static bool are_valid(const struct fil_exec_options *options)
{
    return options->partition_count > 0 && options->partition_count <= FIL_PARTITIONS_MAX &&
           options->thread_count > 0 && options->thread_count <= FIL_RUNNER_STAGES_MAX;
}

static int init_stages(struct fil_exec *exec)
{
    while (exec->stage_count < exec->options.thread_count) {
        int error =
            fil_partition_stage_init(&exec->stages[exec->stage_count], exec, exec->stage_count);
        if (error != FIL_OK) {
            return error;
        }
        exec->stage_count++;
    }
    return FIL_OK;
}

int fil_exec_new(struct fil_exec **out_exec, const struct fil_exec_options *options)
{
    if (!are_valid(options)) {
        return FIL_E_INVALID;
    }
    struct fil_exec *exec = fil_alloc_aligned(FIL_CACHE_LINE, sizeof(*exec));
    if (exec == NULL) {
        return FIL_E_NOMEM;
    }
    exec->options = *options;
    fil_alarm_init(&exec->alarm, exec);
    exec->partitions =
        fil_alloc_aligned(FIL_CACHE_LINE, options->partition_count * sizeof(struct fil_partition));
    exec->stages = fil_alloc_aligned(FIL_CACHE_LINE,
                                     options->thread_count * sizeof(struct fil_partition_stage));
    int error = FIL_E_NOMEM;
    if (exec->partitions != NULL && exec->stages != NULL) {
        for (uint32_t i = 0; i < options->partition_count; i++) {
            fil_partition_init(&exec->partitions[i], i, i % options->thread_count);
        }
        error = init_stages(exec);
    }
    if (error != FIL_OK) {
        fil_exec_free(exec);
        return error;
    }
    *out_exec = exec;
    return FIL_OK;
}

void fil_exec_free(struct fil_exec *exec)
{
    if (exec == NULL) {
        return;
    }
    for (uint32_t i = 0; i < exec->stage_count; i++) {
        fil_partition_stage_fini(&exec->stages[i]);
    }
    // Without partitions or stages new has failed, and no partition was ever used.
    for (uint32_t i = 0; exec->stage_count > 0 && i < exec->options.partition_count; i++) {
        fil_partition_fini(&exec->partitions[i]);
    }
    fil_alarm_fini(&exec->alarm);
    fil_free(exec->stages);
    fil_free(exec->partitions);
    fil_free(exec);
}

static int start_stages(struct fil_exec *exec)
{
    for (uint32_t i = 0; i < exec->stage_count; i++) {
        int error = fil_partition_stage_start(&exec->stages[i]);
        if (error != FIL_OK) {
            while (i > 0) {
                i--;
                fil_partition_stage_stop(&exec->stages[i]);
            }
            return error;
        }
    }
    return FIL_OK;
}

int fil_exec_start(struct fil_exec *exec)
{
    int error = fil_alarm_start(&exec->alarm);
    if (error != FIL_OK) {
        return error;
    }
    error = start_stages(exec);
    if (error != FIL_OK) {
        fil_alarm_stop(&exec->alarm);
    }
    return error;
}

/** When the threads have ended: runs what one of them left to another that had ended before. */
static void drain(struct fil_exec *exec) FIL_BEFORE_SHARING
{
    bool has_moved = true;
    while (has_moved) {
        has_moved = false;
        for (uint32_t i = 0; i < exec->stage_count; i++) {
            has_moved = fil_partition_stage_drain(&exec->stages[i]) || has_moved;
        }
    }
}

void fil_exec_stop(struct fil_exec *exec)
{
    // What waits ends below, whatever its deadline is.
    fil_alarm_stop(&exec->alarm);
    for (uint32_t i = 0; i < exec->stage_count; i++) {
        fil_partition_stage_stop(&exec->stages[i]);
    }
    drain(exec);
    for (uint32_t i = 0; i < exec->options.partition_count; i++) {
        struct fil_partition *partition = &exec->partitions[i];
        fil_partition_close(partition, &fil_exec__stage(exec, partition->home)->runner);
    }
    drain(exec);
}

uint32_t fil_exec_partition_count(const struct fil_exec *exec)
{
    return exec->options.partition_count;
}

struct fil_partition *fil_exec_partition(struct fil_exec *exec, fil_partition_id id)
{
    fil_assert(id < exec->options.partition_count);
    return &exec->partitions[id];
}

uint32_t fil_exec_stage_count(const struct fil_exec *exec)
{
    return exec->stage_count;
}

struct fil_partition_stage *fil_exec_stage(struct fil_exec *exec, uint32_t index)
{
    fil_assert(index < exec->stage_count);
    return &exec->stages[index];
}

struct fil_alarm *fil_exec_alarm(struct fil_exec *exec)
{
    return &exec->alarm;
}

const struct fil_exec_options *fil_exec_options(const struct fil_exec *exec)
{
    return &exec->options;
}

bool fil_exec__run_in_place(struct fil_partition *partition, struct fil_op *op,
                            struct fil_runner *runner)
{
    if (!runner->exec->options.has_caller_runs || op->type->is_slow ||
        runner->depth >= FIL_RUNNER_DEPTH_MAX || !fil_partition_enter(partition, runner)) {
        return false;
    }
    fil_counter_add(&runner->stats.caller_runs, 1);
    fil_runner_run(runner, partition, op);
    fil_partition_leave(partition);
    return true;
}

void fil_exec_submit(struct fil_exec *exec, struct fil_op *op, struct fil_runner *runner)
{
    struct fil_partition *partition = fil_exec_partition(exec, op->partition_id);
    runner->now_ns = fil_env_now_ns(exec->options.env);
    if (!fil_exec__run_in_place(partition, op, runner)) {
        op->submitted_ns = runner->now_ns;
        fil_counter_add(&runner->stats.handed_over, 1);
        if (op->is_priority) {
            fil_partition_deliver_priority(partition, op, runner);
        } else {
            fil_partition_deliver(partition, op, op, runner);
        }
    }
    fil_runner_pay_wakes(runner);
}

void fil_exec_cancel(struct fil_exec *exec, struct fil_op *op, struct fil_runner *runner)
{
    fil_partition_cancel(fil_exec_partition(exec, op->partition_id), op, runner);
    fil_runner_pay_wakes(runner);
}

void fil_exec_abandon(struct fil_exec *exec, struct fil_op *op, struct fil_runner *runner)
{
    fil_partition_abandon(fil_exec_partition(exec, op->partition_id), op, runner);
    fil_runner_pay_wakes(runner);
}
