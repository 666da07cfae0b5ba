// SPDX-License-Identifier: Apache-2.0
#include "core/stream/handover.h"

#include <stddef.h>

#include "core/stream/workers.h"
#include "lib/base/assert.h"

#define REST_INTERVALS 3U

static uint32_t load_of(const struct fil_worker *worker)
{
    // Relaxed, both: figures that guide, and may be old.
    if (atomic_load_explicit(&worker->is_asleep, memory_order_relaxed)) {
        return 0;
    }
    return atomic_load_explicit(&worker->load, memory_order_relaxed);
}

/** The worker has its interval's load published; returns it. */
static uint32_t publish_load(struct fil_worker *worker)
{
    uint64_t length = worker->now_ns - worker->interval_began_ns;
    uint32_t load = (uint32_t)(worker->interval_busy_ns * 1000 / (length == 0 ? 1 : length));
    // Relaxed: as in load_of.
    atomic_store_explicit(&worker->load, load, memory_order_relaxed);
    return load;
}

static void begin_interval(struct fil_worker *worker)
{
    worker->interval_began_ns = worker->now_ns;
    worker->interval_busy_ns = 0;
    fil_list_foreach(item, &worker->tasklets) {
        FIL_CONTAINER_OF(item, struct fil_tasklet, at_home)->recent_busy_ns = 0;
    }
}

/** Who is to get something: the one that asked, or one that sleeps. */
static struct fil_worker *receiver(struct fil_worker *worker)
{
    // Relaxed: workers live as long as all of them, and nothing else is read through this.
    struct fil_worker *asker =
        atomic_exchange_explicit(&worker->asked_by, NULL, memory_order_relaxed);
    if (asker != NULL) {
        return asker;
    }
    struct fil_workers *workers = worker->workers;
    for (uint32_t i = 1; i < workers->count; i++) {
        struct fil_worker *other = &workers->items[(worker->index + i) % workers->count];
        if (atomic_load_explicit(&other->is_asleep, memory_order_relaxed)) {
            return other;
        }
    }
    return NULL;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/** The tasklet whose recent busy time is nearest to half of the gap, and less than all of it. */
static struct fil_tasklet *choose(struct fil_worker *worker, uint64_t gap_ns)
{
    struct fil_tasklet *chosen = NULL;
    fil_list_foreach(item, &worker->tasklets) {
        struct fil_tasklet *tasklet = FIL_CONTAINER_OF(item, struct fil_tasklet, at_home);
        uint64_t busy = tasklet->recent_busy_ns;
        if (tasklet->is_pinned || busy == 0 || busy >= gap_ns) {
            continue;
        }
        if (chosen == NULL ||
            distance(busy, gap_ns / 2) < distance(chosen->recent_busy_ns, gap_ns / 2)) {
            chosen = tasklet;
        }
    }
    return chosen;
}

static void give(struct fil_worker *worker, uint32_t load)
{
    struct fil_worker *to = receiver(worker);
    if (to == NULL || to == worker || load < load_of(to) + FIL_HANDOVER_GAP_MIN) {
        return;
    }
    uint64_t length = worker->now_ns - worker->interval_began_ns;
    struct fil_tasklet *tasklet = choose(worker, length * (load - load_of(to)) / 1000);
    if (tasklet != NULL) {
        tasklet->move_to = to;
        worker->intervals_to_rest = REST_INTERVALS;
    }
}

void fil_handover_ask(struct fil_worker *worker)
{
    struct fil_workers *workers = worker->workers;
    if (worker->is_dedicated || workers->options.has_no_hand_over || workers->count < 2) {
        return;
    }
    struct fil_worker *busiest = worker;
    for (uint32_t i = 0; i < workers->count; i++) {
        if (load_of(&workers->items[i]) > load_of(busiest)) {
            busiest = &workers->items[i];
        }
    }
    if (busiest == worker || load_of(busiest) < load_of(worker) + FIL_HANDOVER_GAP_MIN) {
        return;
    }
    struct fil_worker *expected = NULL;
    // Relaxed: see receiver.
    if (atomic_compare_exchange_strong_explicit(&busiest->asked_by, &expected, worker,
                                                memory_order_relaxed, memory_order_relaxed)) {
        fil_counter_add(&worker->stats.asked_count, 1);
    }
}

void fil_handover_balance(struct fil_worker *worker)
{
    uint32_t load = publish_load(worker);
    struct fil_workers *workers = worker->workers;
    bool can_move = !worker->is_dedicated && !workers->options.has_no_hand_over;
    if (worker->intervals_to_rest > 0) {
        worker->intervals_to_rest--;
    } else if (can_move && workers->count >= 2) {
        give(worker, load);
        fil_handover_ask(worker);
    }
    begin_interval(worker);
}
