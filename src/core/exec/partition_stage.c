// SPDX-License-Identifier: Apache-2.0
#include "core/exec/partition_stage.h"

#include <stdio.h>

#include "core/exec/exec_internal.h"
#include "filbert/error.h"
#include "lib/base/assert.h"

#define PARTITIONS_PER_CYCLE 16U
#define OPS_PER_CLAIM        64U
#define TURN_NS_MIN          UINT64_C(100000) // then replies and wake-ups leave
#define TURN_NS_MAX          UINT64_C(1000000)
#define TURN_PER_FLUSH       4U // a turn is at least so many times as long as its end
#define CHUNKS_KEPT          64U
#define CHUNK_BYTES          4096U // replies are small, and each has a chunk of its own

int fil_partition_stage_init(struct fil_partition_stage *stage, struct fil_exec *exec,
                             uint32_t index)
{
    stage->exec = exec;
    stage->index = index;
    stage->turn_ns = TURN_NS_MIN;
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
    fil_parker_init(&stage->parker);
    stage->parker.is_eager = !exec->options.has_wake_suppression;
    fil_runner_init(&stage->runner, exec, stage->name);
    fil_pool_init(&stage->chunks, exec->options.budget, CHUNK_BYTES, CHUNKS_KEPT);
    stage->runner.chunks = &stage->chunks;
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

struct fil_partition *fil_partition_stage__claim(struct fil_partition_stage *stage,
                                                 struct fil_runner *runner)
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

/** The next partition to run, of this stage if there is one, else of another; NULL: none. */
static struct fil_partition *claim_next(struct fil_partition_stage *stage) FIL_RUNS_ON(partition)
{
    struct fil_partition *partition = fil_partition_stage__claim(stage, &stage->runner);
    if (partition == NULL) {
        return fil_partition_stage__steal(stage);
    }
    fil_partition_stage__call_help(stage, &stage->runner);
    fil_partition_stage__pass_on(stage);
    return partition;
}

/** Up to the end of a turn: by count, or by time when operations take long. */
static uint32_t run_partitions(struct fil_partition_stage *stage) FIL_RUNS_ON(partition)
{
    struct fil_runner *runner = &stage->runner;
    uint32_t moved = 0;
    for (uint32_t i = 0; i < PARTITIONS_PER_CYCLE && !fil_runner_is_due(runner); i++) {
        struct fil_partition *partition = claim_next(stage);
        if (partition == NULL) {
            break;
        }
        moved += fil_partition_run(partition, OPS_PER_CLAIM);
        fil_partition_leave(partition);
    }
    return moved;
}

static void begin_turn(struct fil_partition_stage *stage) FIL_RUNS_ON(partition)
{
    struct fil_runner *runner = &stage->runner;
    runner->now_ns = fil_env_now_ns(stage->exec->options.env);
    runner->turn_until_ns = runner->now_ns + stage->turn_ns;
    // S4: for those who bring work and wonder whether this thread needs help.
    atomic_store_explicit(&stage->busy_since_ns, runner->now_ns, memory_order_seq_cst);
}

/**
 * Writes and wakes. How long that took decides how long the next turn may be: many connections with
 * a reply each cost more to write to than their operations do to run.
 */
static void end_turn(struct fil_partition_stage *stage, uint64_t start_ns) FIL_RUNS_ON(partition)
{
    struct fil_runner *runner = &stage->runner;
    uint64_t run_until_ns = runner->now_ns;
    fil_runner_end_turn(runner);
    runner->now_ns = fil_env_now_ns(stage->exec->options.env);
    stage->last_turn_ns = runner->now_ns - start_ns;
    fil_counter_add(&runner->stats.busy_ns, stage->last_turn_ns);
    uint64_t wanted_ns = (runner->now_ns - run_until_ns) * TURN_PER_FLUSH;
    wanted_ns = wanted_ns < TURN_NS_MIN ? TURN_NS_MIN : wanted_ns;
    stage->turn_ns = wanted_ns > TURN_NS_MAX ? TURN_NS_MAX : wanted_ns;
}

uint32_t fil_partition_stage_cycle(struct fil_partition_stage *stage)
{
    // Whoever has stopped the thread drains the stage in its place.
    fil_debug_assert(fil_role_is(&fil_role_partition) ||
                     atomic_load_explicit(&stage->is_stopping, memory_order_relaxed));
    begin_turn(stage);
    uint64_t start_ns = stage->runner.now_ns;
    uint32_t moved = run_partitions(stage);
    if (moved > 0) {
        end_turn(stage, start_ns);
    } else {
        fil_runner_end_turn(&stage->runner);
    }
    // Relaxed: who sees it late wakes a thief for nothing.
    atomic_store_explicit(&stage->busy_since_ns, 0, memory_order_relaxed);
    return moved;
}

static bool has_tickets(struct fil_partition_stage *stage)
{
    return !fil_tickets_is_empty(&stage->tickets) || !fil_tickets_is_empty(&stage->urgent_tickets);
}

static void park(struct fil_partition_stage *stage) FIL_RUNS_ON(partition)
{
    fil_partition_stage__mark_idle(stage, true);
    fil_parker_prepare(&stage->parker);
    int64_t limit_ns = fil_partition_stage__begin_watch(stage);
    bool has_work = has_tickets(stage) || fil_partition_stage__can_steal(stage) ||
                    atomic_load_explicit(&stage->is_stopping, memory_order_seq_cst);
    if (has_work) {
        fil_parker_cancel(&stage->parker);
    } else {
        fil_counter_add(&stage->parks, 1);
        fil_parker_park(&stage->parker, limit_ns);
        fil_stage_hooks_rise(stage->exec->options.hooks);
    }
    stage->has_risen = true;
    fil_partition_stage__end_watch(stage);
    fil_partition_stage__mark_idle(stage, false);
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

/**
 * Between two long turns: threads that wait for this processor get it now. The system would let
 * them wait for its next tick, some milliseconds, even where it was asked for short slices.
 */
static void make_way(struct fil_partition_stage *stage) FIL_RUNS_ON(partition)
{
    if (stage->last_turn_ns >= TURN_NS_MIN) {
        fil_thread_yield();
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
            stage->watch_ns = 0;
            make_way(stage);
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
