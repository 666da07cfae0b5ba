// SPDX-License-Identifier: Apache-2.0
/**
 * Idle partition threads take what waits at busy ones, and sleep when nothing does.
 *
 * A thread that sleeps is not woken for each hand-over to a busy neighbour: mostly that one is done
 * in a moment. Instead one of the sleepers watches: when a neighbour has become busy it sleeps for
 * a short time only, then looks. Whoever brings work to a busy thread wakes a thief when nobody
 * watches, or when the thread has been at it for long; so does a thread that leaves work waiting
 * behind what it is about to run. A neighbour that is busy for long need not be watched: who sleeps
 * beside it is not disturbed before there is something to take.
 *
 *   brings work to a busy thread           watches
 *   ----------------------------           -------
 *   put the ticket                         the sleep is over: nobody watches
 *   does nobody watch? then wake one       look at the tickets
 *
 * S4: both write before they look, all of it sequentially consistent, so at least one sees the
 * other: no ticket is left at a busy thread while all others sleep without a limit.
 */
#include "core/exec/exec_internal.h"
#include "lib/base/assert.h"

#define PATIENCE_NS  UINT64_C(100000) // a thread that is busy for longer gets help at once
#define WATCH_NS_MIN UINT64_C(100000) // the first sleep of a watch; the next is twice as long
#define WATCH_NS_MAX UINT64_C(800000)

static struct fil_partition *claim_any(struct fil_partition_stage *victim,
                                       struct fil_partition_stage *thief) FIL_RUNS_ON(partition)
{
    struct fil_partition *partition = fil_partition_stage__claim(victim, &thief->runner);
    if (partition != NULL) {
        fil_counter_add(&thief->steals, 1);
        // Somebody else who sleeps may be needed as well: this one is busy now.
        fil_partition_stage__call_help(victim, &thief->runner);
        fil_partition_stage__pass_on(thief);
    }
    return partition;
}

struct fil_partition *fil_partition_stage__steal(struct fil_partition_stage *thief)
{
    struct fil_exec *exec = thief->exec;
    if (!exec->options.has_stealing) {
        return NULL;
    }
    struct fil_partition *partition = NULL;
    // From the next one on, so that thieves begin at different places.
    for (uint32_t i = 1; i < exec->stage_count && partition == NULL; i++) {
        uint32_t index = (thief->index + i) % exec->stage_count;
        partition = claim_any(fil_exec__stage(exec, index), thief);
    }
    return partition;
}

bool fil_partition_stage__can_steal(struct fil_partition_stage *thief)
{
    struct fil_exec *exec = thief->exec;
    for (uint32_t i = 0; exec->options.has_stealing && i < exec->stage_count; i++) {
        if (i != thief->index && !fil_tickets_is_empty(&fil_exec__stage(exec, i)->tickets)) {
            return true;
        }
    }
    return false;
}

void fil_partition_stage__mark_idle(struct fil_partition_stage *stage, bool is_idle)
{
    _Atomic uint64_t *word = &stage->exec->idle_stages[stage->index / 64];
    uint64_t bit = UINT64_C(1) << (stage->index % 64);
    // S4: who looks for a sleeper looks here first.
    if (is_idle) {
        atomic_fetch_or_explicit(word, bit, memory_order_seq_cst);
    } else {
        atomic_fetch_and_explicit(word, ~bit, memory_order_seq_cst);
    }
}

/** Wakes a parked partition thread, any but this one; false: none is. */
static bool wake_thief(struct fil_exec *exec, uint32_t busy_stage)
{
    for (uint32_t word = 0; word * 64 < exec->stage_count; word++) {
        uint64_t idle = atomic_load_explicit(&exec->idle_stages[word], memory_order_seq_cst);
        for (; idle != 0; idle &= idle - 1) {
            uint32_t index = word * 64 + (uint32_t)__builtin_ctzll(idle);
            if (index != busy_stage && fil_parker_wake(&fil_exec__stage(exec, index)->parker)) {
                return true;
            }
        }
    }
    return false;
}

static bool is_watched(struct fil_exec *exec)
{
    return atomic_load_explicit(&exec->is_watched, memory_order_seq_cst);
}

static uint64_t busy_since_ns(struct fil_partition_stage *stage)
{
    return atomic_load_explicit(&stage->busy_since_ns, memory_order_seq_cst);
}

bool fil_exec__help(struct fil_exec *exec, struct fil_partition_stage *stage, uint64_t now_ns)
{
    if (!exec->options.has_stealing) {
        return false;
    }
    uint64_t since_ns = busy_since_ns(stage);
    if (since_ns == 0) {
        return false; // it looks at its tickets before it sleeps, and calls help when it begins
    }
    bool is_needed = now_ns > since_ns + PATIENCE_NS || !is_watched(exec);
    return is_needed && wake_thief(exec, stage->index);
}

void fil_partition_stage__call_help(struct fil_partition_stage *stage, struct fil_runner *runner)
{
    struct fil_exec *exec = stage->exec;
    if (exec->options.has_stealing && !fil_tickets_seem_empty(&stage->tickets) &&
        !is_watched(exec) && wake_thief(exec, stage->index)) {
        fil_counter_add(&runner->stats.wakes, 1);
    }
}

void fil_partition_stage__pass_on(struct fil_partition_stage *stage)
{
    struct fil_exec *exec = stage->exec;
    if (!stage->has_risen) {
        return;
    }
    stage->has_risen = false;
    if (fil_partition_stage__can_steal(stage) && !is_watched(exec) &&
        wake_thief(exec, stage->index)) {
        fil_counter_add(&stage->runner.stats.wakes, 1);
    }
}

/** Busy, and not for so long that whoever brings it work wakes a thief anyway. */
static bool has_a_neighbour_begun(struct fil_partition_stage *stage)
{
    struct fil_exec *exec = stage->exec;
    uint64_t now_ns = fil_env_now_ns(exec->options.env);
    for (uint32_t i = 0; i < exec->stage_count; i++) {
        uint64_t since_ns = i == stage->index ? 0 : busy_since_ns(fil_exec__stage(exec, i));
        if (since_ns != 0 && now_ns <= since_ns + PATIENCE_NS) {
            return true;
        }
    }
    return false;
}

/** The first sleeps are short: what keeps a neighbour busy may have come a moment ago. */
static bool wants_to_watch(struct fil_partition_stage *stage) FIL_RUNS_ON(partition)
{
    bool has_begun = stage->watch_ns > 0 && stage->watch_ns < WATCH_NS_MAX;
    return stage->exec->options.has_stealing && (has_begun || has_a_neighbour_begun(stage));
}

int64_t fil_partition_stage__begin_watch(struct fil_partition_stage *stage)
{
    bool is_free = false;
    if (!wants_to_watch(stage) ||
        !atomic_compare_exchange_strong_explicit(&stage->exec->is_watched, &is_free, true,
                                                 memory_order_seq_cst, memory_order_seq_cst)) {
        stage->watch_ns = 0;
        return FIL_WAIT_FOREVER;
    }
    uint64_t longer_ns = stage->watch_ns == 0 ? WATCH_NS_MIN : stage->watch_ns * 2;
    stage->watch_ns = longer_ns < WATCH_NS_MAX ? longer_ns : WATCH_NS_MAX;
    stage->is_watching = true;
    return (int64_t)stage->watch_ns;
}

void fil_partition_stage__end_watch(struct fil_partition_stage *stage)
{
    if (stage->is_watching) {
        stage->is_watching = false;
        // S4: the look at the tickets comes after it, in the next cycle.
        atomic_store_explicit(&stage->exec->is_watched, false, memory_order_seq_cst);
    }
}
