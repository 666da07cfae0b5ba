// SPDX-License-Identifier: Apache-2.0
#include "core/exec/alarm.h"

#include "core/exec/exec_internal.h"
#include "filbert/error.h"
#include "lib/base/assert.h"

void fil_alarm_init(struct fil_alarm *alarm, struct fil_exec *exec)
{
    *alarm = (struct fil_alarm){.exec = exec};
    fil_stack_init(&alarm->told);
    fil_parker_init(&alarm->parker);
    fil_runner_init(&alarm->runner, exec, "alarm");
    fil_wheel_init(&alarm->deadlines, alarm->runner.now_ns);
}

void fil_alarm_tell(struct fil_alarm *alarm, struct fil_partition *partition, uint64_t deadline_ns)
{
    fil_partition_assert_inside(partition);
    fil_assert(deadline_ns != FIL_OP_NO_DEADLINE);
    // S3 with adopt_told: it clears the flag, then reads the deadline.
    if (!atomic_exchange_explicit(&partition->is_told, true, memory_order_seq_cst)) {
        (void)fil_stack_push(&alarm->told, &partition->told_link);
    }
    // S3 with rest. Also when the partition is on the list: it may be there for a later deadline,
    // for which nobody was woken.
    if (deadline_ns < atomic_load_explicit(&alarm->sleeps_until_ns, memory_order_seq_cst)) {
        fil_runner_owe_alarm(partition->runner);
    }
}

/** Arms the timers of partitions with a new deadline. */
static void adopt_told(struct fil_alarm *alarm)
{
    struct fil_link *link = fil_stack_take_all(&alarm->told);
    while (link != NULL) {
        struct fil_partition *partition = FIL_CONTAINER_OF(link, struct fil_partition, told_link);
        link = link->next;
        // S3 with tell: the flag is cleared before the deadline is read.
        atomic_store_explicit(&partition->is_told, false, memory_order_seq_cst);
        uint64_t until_ns = atomic_load_explicit(&partition->parked_until_ns, memory_order_seq_cst);
        if (until_ns != FIL_OP_NO_DEADLINE) {
            fil_wheel_arm(&alarm->deadlines, &partition->timer, until_ns);
        }
    }
}

/** Bounded: one timer a partition, and none is armed meanwhile. */
static uint32_t ring(struct fil_alarm *alarm)
{
    struct fil_runner *runner = &alarm->runner;
    uint32_t count = 0;
    for (struct fil_timer *timer = fil_wheel_take(&alarm->deadlines, runner->now_ns); timer != NULL;
         timer = fil_wheel_take(&alarm->deadlines, runner->now_ns)) {
        fil_partition_expire(FIL_CONTAINER_OF(timer, struct fil_partition, timer), runner);
        count++;
    }
    fil_counter_add(&alarm->rings, count);
    return count;
}

uint32_t fil_alarm_cycle(struct fil_alarm *alarm)
{
    alarm->runner.now_ns = fil_env_now_ns(alarm->exec->options.env);
    adopt_told(alarm);
    uint32_t count = ring(alarm);
    fil_runner_pay_wakes(&alarm->runner);
    return count;
}

uint64_t fil_alarm_next_ns(const struct fil_alarm *alarm)
{
    return fil_wheel_next_ns(&alarm->deadlines);
}

static bool is_stopping(struct fil_alarm *alarm)
{
    return atomic_load_explicit(&alarm->is_stopping, memory_order_seq_cst);
}

/** Sleeps until something is due, or until it is told of something that is due before. */
static void rest(struct fil_alarm *alarm)
{
    uint64_t next_ns = fil_alarm_next_ns(alarm);
    fil_parker_prepare(&alarm->parker);
    // S3 with tell.
    atomic_store_explicit(&alarm->sleeps_until_ns, next_ns, memory_order_seq_cst);
    uint64_t now_ns = fil_env_now_ns(alarm->exec->options.env);
    if (next_ns <= now_ns || !fil_stack_is_empty(&alarm->told) || is_stopping(alarm)) {
        fil_parker_cancel(&alarm->parker);
        return;
    }
    bool is_endless = next_ns == FIL_WHEEL_NEVER;
    fil_parker_park(&alarm->parker, is_endless ? FIL_WAIT_FOREVER : (int64_t)(next_ns - now_ns));
}

static void run(void *context)
{
    struct fil_alarm *alarm = context;
    fil_stage_hooks_enter(alarm->exec->options.hooks, NULL);
    while (!is_stopping(alarm)) {
        (void)fil_alarm_cycle(alarm);
        rest(alarm);
    }
    fil_stage_hooks_leave(alarm->exec->options.hooks, NULL);
}

int fil_alarm_start(struct fil_alarm *alarm)
{
    struct fil_thread_options options = {.name = "alarm", .entry = run, .context = alarm};
    return fil_thread_start_with(&alarm->thread, &options);
}

void fil_alarm_stop(struct fil_alarm *alarm)
{
    if (!alarm->thread.is_started) {
        return;
    }
    atomic_store_explicit(&alarm->is_stopping, true, memory_order_seq_cst);
    (void)fil_parker_wake(&alarm->parker);
    fil_thread_join(&alarm->thread);
}
