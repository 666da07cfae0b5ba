// SPDX-License-Identifier: Apache-2.0
#include "core/exec/partition_stage.h"

#include <stdio.h>

#include "core/exec/exec_internal.h"
#include "filbert/error.h"
#include "lib/base/assert.h"

#define PARTITIONS_PER_CYCLE 16U
#define OPS_PER_CLAIM        64U
#define CHUNKS_KEPT          64U
#define CHUNK_BYTES          4096U // replies are small, and each has a chunk of its own

int fil_partition_stage_init(struct fil_partition_stage *stage, struct fil_exec *exec,
                             uint32_t index)
{
    stage->exec = exec;
    stage->index = index;
    (void)snprintf(stage->name, sizeof(stage->name), "partition/%u", index);
    uint32_t home_count = exec->options.partition_count / exec->options.thread_count + 1;
    int error = fil_tickets_init(&stage->tickets, home_count);
    if (error != FIL_OK) {
        return error;
    }
    error = fil_tickets_init(&stage->urgent_tickets, home_count);
    if (error != FIL_OK) {
        fil_tickets_fini(&stage->tickets);
        return error;
    }
    fil_stack_init(&stage->attention);
    fil_parker_init(&stage->parker);
    stage->parker.is_eager = !exec->options.has_wake_suppression;
    fil_runner_init(&stage->runner, exec, stage->name);
    fil_pool_init(&stage->chunks, exec->options.budget, CHUNK_BYTES, CHUNKS_KEPT);
    stage->runner.chunks = &stage->chunks;
    fil_wheel_init(&stage->deadlines, stage->runner.now_ns);
    fil_idle_init(&stage->idle, exec->options.idle);
    return FIL_OK;
}

void fil_partition_stage_fini(struct fil_partition_stage *stage)
{
    // Tickets that are left are stale: the partitions are idle.
    fil_tickets_fini(&stage->tickets);
    fil_tickets_fini(&stage->urgent_tickets);
    fil_pool_adopt(&stage->chunks);
    fil_pool_fini(&stage->chunks);
}

/** Arms the timers of partitions in which something was parked. */
static void attend(struct fil_partition_stage *stage) FIL_RUNS_ON(partition)
{
    struct fil_link *link = fil_stack_take_all(&stage->attention);
    while (link != NULL) {
        struct fil_partition *partition =
            FIL_CONTAINER_OF(link, struct fil_partition, attention_link);
        link = link->next;
        // S3 with publish_deadline: the flag is cleared before the deadline is read.
        atomic_store_explicit(&partition->is_attended, false, memory_order_seq_cst);
        uint64_t until_ns = atomic_load_explicit(&partition->parked_until_ns, memory_order_seq_cst);
        if (until_ns != FIL_OP_NO_DEADLINE) {
            fil_wheel_arm(&stage->deadlines, &partition->timer, until_ns);
        }
    }
}

static void fire_deadlines(struct fil_partition_stage *stage) FIL_RUNS_ON(partition)
{
    struct fil_runner *runner = &stage->runner;
    for (struct fil_timer *timer = fil_wheel_take(&stage->deadlines, runner->now_ns); timer != NULL;
         timer = fil_wheel_take(&stage->deadlines, runner->now_ns)) {
        fil_partition_expire(FIL_CONTAINER_OF(timer, struct fil_partition, timer), runner);
    }
}

/** A ticket of the stage whose partition could be claimed, urgent ones first; NULL: none. */
static struct fil_partition *claim_next(struct fil_partition_stage *stage,
                                        struct fil_runner *runner) FIL_RUNS_ON(partition)
{
    uint32_t index = 0;
    // Bounded: each time round has thrown away a stale ticket.
    while (fil_tickets_take(&stage->urgent_tickets, &index) ||
           fil_tickets_take(&stage->tickets, &index)) {
        struct fil_partition *partition = fil_exec__resident(stage, index);
        // S2 with list_ticket: the ticket is taken before the word is looked at.
        if (fil_partition_claim(partition, runner)) {
            return partition;
        }
    }
    return NULL;
}

/** A queued partition of another stage, looking round from the next one on. */
static struct fil_partition *steal(struct fil_partition_stage *thief) FIL_RUNS_ON(partition)
{
    struct fil_exec *exec = thief->exec;
    if (!exec->options.has_stealing) {
        return NULL;
    }
    for (uint32_t i = 1; i < exec->stage_count; i++) {
        uint32_t index = (thief->index + i) % exec->stage_count;
        struct fil_partition *partition = claim_next(fil_exec__stage(exec, index), &thief->runner);
        if (partition != NULL) {
            fil_counter_add(&thief->steals, 1);
            return partition;
        }
    }
    return NULL;
}

/** Before a run that may take long: somebody who sleeps should take what waits here. */
static void call_for_help(struct fil_partition_stage *stage) FIL_RUNS_ON(partition)
{
    struct fil_exec *exec = stage->exec;
    if (exec->options.has_stealing && fil_tickets_seem_left(&stage->tickets) &&
        fil_exec__wake_thief(exec, stage->index)) {
        fil_counter_add(&stage->runner.stats.wakes, 1);
    }
}

static uint32_t run_partitions(struct fil_partition_stage *stage) FIL_RUNS_ON(partition)
{
    struct fil_runner *runner = &stage->runner;
    uint32_t moved = 0;
    for (uint32_t i = 0; i < PARTITIONS_PER_CYCLE; i++) {
        struct fil_partition *partition = claim_next(stage, runner);
        if (partition == NULL) {
            partition = steal(stage);
        }
        if (partition == NULL) {
            break;
        }
        call_for_help(stage);
        moved += fil_partition_run(partition, OPS_PER_CLAIM);
        fil_partition_leave(partition);
    }
    return moved;
}

uint32_t fil_partition_stage_cycle(struct fil_partition_stage *stage)
{
    // Whoever has stopped the thread drains the stage in its place.
    fil_debug_assert(fil_role_is(&fil_role_partition) ||
                     atomic_load_explicit(&stage->is_stopping, memory_order_relaxed));
    struct fil_runner *runner = &stage->runner;
    struct fil_env *env = stage->exec->options.env;
    runner->now_ns = fil_env_now_ns(env);
    uint64_t start_ns = runner->now_ns;
    // Relaxed: a hint for those who wonder whether this thread needs help.
    atomic_store_explicit(&stage->busy_since_ns, start_ns, memory_order_relaxed);
    attend(stage);
    fire_deadlines(stage);
    uint32_t moved = run_partitions(stage);
    fil_runner_end_turn(runner);
    if (moved > 0) {
        fil_counter_add(&runner->stats.busy_ns, fil_env_now_ns(env) - start_ns);
    }
    atomic_store_explicit(&stage->busy_since_ns, 0, memory_order_relaxed);
    return moved;
}

uint64_t fil_partition_stage_next_ns(struct fil_partition_stage *stage)
{
    return fil_wheel_next_ns(&stage->deadlines);
}

static void mark_idle(struct fil_partition_stage *stage, bool is_idle)
{
    _Atomic uint64_t *word = &stage->exec->idle_stages[stage->index / 64];
    uint64_t bit = UINT64_C(1) << (stage->index % 64);
    // Relaxed: a hint for those who look for help; the parker decides.
    if (is_idle) {
        atomic_fetch_or_explicit(word, bit, memory_order_relaxed);
    } else {
        atomic_fetch_and_explicit(word, ~bit, memory_order_relaxed);
    }
}

bool fil_exec__wake_thief(struct fil_exec *exec, uint32_t busy_stage)
{
    for (uint32_t word = 0; word * 64 < exec->stage_count; word++) {
        uint64_t idle = atomic_load_explicit(&exec->idle_stages[word], memory_order_relaxed);
        for (; idle != 0; idle &= idle - 1) {
            uint32_t index = word * 64 + (uint32_t)__builtin_ctzll(idle);
            if (index != busy_stage && fil_parker_wake(&fil_exec__stage(exec, index)->parker)) {
                return true;
            }
        }
    }
    return false;
}

static bool has_tickets(struct fil_partition_stage *stage)
{
    return !fil_tickets_is_empty(&stage->tickets) ||
           !fil_tickets_is_empty(&stage->urgent_tickets) || !fil_stack_is_empty(&stage->attention);
}

static bool can_steal(struct fil_partition_stage *stage)
{
    struct fil_exec *exec = stage->exec;
    for (uint32_t i = 0; exec->options.has_stealing && i < exec->stage_count; i++) {
        if (i != stage->index && !fil_tickets_is_empty(&fil_exec__stage(exec, i)->tickets)) {
            return true;
        }
    }
    return false;
}

static int64_t sleep_limit(struct fil_partition_stage *stage) FIL_RUNS_ON(partition)
{
    uint64_t next_ns = fil_partition_stage_next_ns(stage);
    if (next_ns == FIL_WHEEL_NEVER) {
        return FIL_WAIT_FOREVER;
    }
    uint64_t now_ns = fil_env_now_ns(stage->exec->options.env);
    return next_ns > now_ns ? (int64_t)(next_ns - now_ns) : 0;
}

static void park(struct fil_partition_stage *stage) FIL_RUNS_ON(partition)
{
    mark_idle(stage, true);
    fil_parker_prepare(&stage->parker);
    int64_t limit_ns = sleep_limit(stage);
    bool has_work = has_tickets(stage) || can_steal(stage) ||
                    atomic_load_explicit(&stage->is_stopping, memory_order_seq_cst);
    if (has_work || limit_ns == 0) {
        fil_parker_cancel(&stage->parker);
    } else {
        fil_counter_add(&stage->parks, 1);
        fil_parker_park(&stage->parker, limit_ns);
        fil_stage_hooks_rise(stage->exec->options.hooks);
    }
    mark_idle(stage, false);
}

static void idle(struct fil_partition_stage *stage) FIL_RUNS_ON(partition)
{
    switch (fil_idle_next(&stage->idle)) {
    case FIL_IDLE_SPIN:
        fil_thread_pause();
        break;
    case FIL_IDLE_YIELD:
        fil_thread_yield();
        break;
    case FIL_IDLE_PARK:
    default:
        park(stage);
        break;
    }
}

static void run(void *context)
{
    struct fil_partition_stage *stage = context;
    fil_role_enter(&fil_role_partition);
    fil_role_assert_partition();
    fil_pool_adopt(&stage->chunks);
    fil_stage_hooks_enter(stage->exec->options.hooks, &stage->runner);
    for (;;) {
        if (fil_partition_stage_cycle(stage) > 0) {
            fil_idle_reset(&stage->idle);
        } else if (atomic_load_explicit(&stage->is_stopping, memory_order_seq_cst) &&
                   !has_tickets(stage)) {
            break;
        } else {
            idle(stage);
        }
    }
    fil_stage_hooks_leave(stage->exec->options.hooks, &stage->runner);
}

int fil_partition_stage_start(struct fil_partition_stage *stage)
{
    char name[FIL_THREAD_NAME_MAX];
    (void)snprintf(name, sizeof(name), "partition-%u", stage->index);
    return fil_thread_start_with(
        &stage->thread,
        &(struct fil_thread_options){
            .name = name, .entry = run, .context = stage, .cpus = stage->exec->options.cpus});
}

bool fil_partition_stage_drain(struct fil_partition_stage *stage)
{
    fil_pool_adopt(&stage->chunks);
    bool had_tickets = has_tickets(stage);
    return fil_partition_stage_cycle(stage) > 0 || had_tickets;
}

void fil_partition_stage_stop(struct fil_partition_stage *stage)
{
    atomic_store_explicit(&stage->is_stopping, true, memory_order_seq_cst);
    (void)fil_parker_wake(&stage->parker);
    fil_thread_join(&stage->thread);
}
