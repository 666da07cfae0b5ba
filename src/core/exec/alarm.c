// SPDX-License-Identifier: Apache-2.0
#include "core/exec/alarm.h"

#include "core/exec/exec_internal.h"
#include "filbert/error.h"
#include "lib/base/assert.h"

#define LOOKS_PER_CYCLE 64U               // at partitions that have rung
#define PATIENCE_NS_MAX UINT64_C(8000000) // with those that stay held
#define CHUNK_BYTES     4096U             // as the partition threads' own
#define CHUNKS_KEPT     16U

void fil_alarm_init(struct fil_alarm *alarm, struct fil_exec *exec)
{
    *alarm = (struct fil_alarm){.exec = exec};
    fil_stack_init(&alarm->told);
    fil_parker_init(&alarm->parker);
    fil_runner_init(&alarm->runner, exec, "alarm");
    fil_pool_init(&alarm->chunks, exec->options.budget, CHUNK_BYTES, CHUNKS_KEPT);
    alarm->runner.chunks = &alarm->chunks;
    fil_wheel_init(&alarm->deadlines, alarm->runner.now_ns);
    fil_list_init(&alarm->rung);
    alarm->look_ns = FIL_WHEEL_NEVER;
}

void fil_alarm_fini(struct fil_alarm *alarm)
{
    fil_pool_adopt(&alarm->chunks);
    fil_pool_fini(&alarm->chunks);
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

/** Somebody should see to it; whether anybody does is looked at after a while. */
static void keep_in_mind(struct fil_alarm *alarm, struct fil_partition *partition)
{
    uint64_t look_ns = alarm->runner.now_ns + FIL_ALARM_PATIENCE_NS;
    if (!fil_list_is_linked(&partition->rung_link)) {
        fil_list_push_back(&alarm->rung, &partition->rung_link);
    }
    alarm->patience_ns = FIL_ALARM_PATIENCE_NS;
    alarm->look_ns = look_ns < alarm->look_ns ? look_ns : alarm->look_ns;
}

/** Bounded: one timer a partition, and none is armed meanwhile. */
static uint32_t ring(struct fil_alarm *alarm)
{
    struct fil_runner *runner = &alarm->runner;
    uint32_t count = 0;
    for (struct fil_timer *timer = fil_wheel_take(&alarm->deadlines, runner->now_ns); timer != NULL;
         timer = fil_wheel_take(&alarm->deadlines, runner->now_ns)) {
        struct fil_partition *partition = FIL_CONTAINER_OF(timer, struct fil_partition, timer);
        fil_partition_expire(partition, runner);
        keep_in_mind(alarm, partition);
        count++;
    }
    fil_counter_add(&alarm->rings, count);
    return count;
}

/**
 * Does itself what nobody has begun with, a slice of each; returns in how many partitions. Out:
 * whether there are some that it has not looked at.
 */
static uint32_t relieve(struct fil_alarm *alarm, bool *out_has_more) FIL_RUNS_ON(partition)
{
    uint32_t count = 0;
    struct fil_list held;
    fil_list_init(&held);
    for (uint32_t i = 0; i < LOOKS_PER_CYCLE && !fil_list_is_empty(&alarm->rung); i++) {
        struct fil_list *link = fil_list_take_front(&alarm->rung);
        struct fil_partition *partition = FIL_CONTAINER_OF(link, struct fil_partition, rung_link);
        if (!fil_partition_is_due(partition)) {
            continue;
        }
        fil_stage_hooks_rise(alarm->exec->options.hooks);
        count += fil_partition_relieve(partition, &alarm->runner);
        // There was more than a slice; or somebody is inside, who does not see to it before its
        // end, and until then the home may have become busy again.
        if (fil_partition_is_due(partition)) {
            fil_list_push_back(&held, link);
        }
    }
    *out_has_more = !fil_list_is_empty(&alarm->rung);
    fil_list_append(&alarm->rung, &held);
    fil_counter_add(&alarm->reliefs, count);
    return count;
}

/** At once where there is more to do, else ever more rarely: they are held by long operations. */
static void plan_look(struct fil_alarm *alarm, bool is_soon)
{
    uint64_t now_ns = alarm->runner.now_ns;
    if (fil_list_is_empty(&alarm->rung)) {
        alarm->look_ns = FIL_WHEEL_NEVER;
        return;
    }
    alarm->look_ns = is_soon ? now_ns : now_ns + alarm->patience_ns;
    uint64_t doubled_ns = alarm->patience_ns * 2;
    alarm->patience_ns = doubled_ns < PATIENCE_NS_MAX ? doubled_ns : PATIENCE_NS_MAX;
}

static uint32_t look_after_rung(struct fil_alarm *alarm) FIL_RUNS_ON(partition)
{
    if (alarm->runner.now_ns < alarm->look_ns) {
        return 0;
    }
    bool has_more = false;
    uint32_t count = relieve(alarm, &has_more);
    fil_runner_end_turn(&alarm->runner);
    plan_look(alarm, count > 0 || has_more);
    return count;
}

uint32_t fil_alarm_cycle(struct fil_alarm *alarm)
{
    alarm->runner.now_ns = fil_env_now_ns(alarm->exec->options.env);
    adopt_told(alarm);
    uint32_t count = look_after_rung(alarm); // first: what rings now is left to others for a while
    count += ring(alarm);
    fil_runner_pay_wakes(&alarm->runner);
    return count;
}

uint64_t fil_alarm_next_ns(const struct fil_alarm *alarm)
{
    uint64_t next_ns = fil_wheel_next_ns(&alarm->deadlines);
    return next_ns < alarm->look_ns ? next_ns : alarm->look_ns;
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
    const struct fil_stage_hooks *hooks = alarm->exec->options.hooks;
    fil_pool_adopt(&alarm->chunks);
    // Before it has the role: it is none of those that are spread over the processors.
    fil_stage_hooks_enter(hooks, &alarm->runner);
    fil_role_enter(&fil_role_partition);
    fil_role_assert_partition();
    while (!is_stopping(alarm)) {
        (void)fil_alarm_cycle(alarm);
        rest(alarm);
    }
    fil_stage_hooks_leave(hooks, &alarm->runner);
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
