// SPDX-License-Identifier: Apache-2.0
/** One look of the watchdog at all runners: what is slow, what is over, when to look again. */
#include <string.h>

#include "core/exec/activity.h"
#include "core/exec/watchdog_internal.h"
#include "lib/base/assert.h"
#include "lib/os/thread_usage.h"

// Of those that still run; each may mean a wait for its thread's answer. The others are found by
// the next look, or by their end, which loses none.
#define QUESTIONS_PER_LOOK 4U

struct look {
    uint64_t now_ns;
    uint64_t wall_ns;
    bool is_busy; // something runs, or has run since the last look
    uint32_t finding_count;
    struct fil_watchdog_finding findings[QUESTIONS_PER_LOOK];
    uint32_t ended_count; // of the watchdog's findings of what is over
};

void fil_watchdog__wake_up(struct fil_watchdog *watchdog, uint64_t now_ns)
{
    watchdog->pause_ns = watchdog->tick_ns;
    watchdog->next_ns = now_ns + watchdog->tick_ns;
    if (watchdog->has_dozed_off) {
        // Relaxed: who sees it late wakes a watchdog that needs no waking.
        atomic_store_explicit(&watchdog->is_dozing, false, memory_order_relaxed);
        watchdog->has_dozed_off = false;
    }
}

/** The operation that was seen last is over. */
static void close_books(struct fil_watchdog *watchdog, struct fil_watch *watch, uint64_t wall_ns)
{
    if (watch->serial != 0) {
        fil_slow_table_finish(&watchdog->table, watch->serial, wall_ns);
    }
    watch->op = NULL;
    watch->serial = 0;
}

static fil_partition_id place_of(const struct fil_watch *watch)
{
    // Relaxed: it was written before the count that has not changed for long.
    return atomic_load_explicit(&watch->runner->current_partition, memory_order_relaxed);
}

/** False: the look has enough to ask; the next one finds it. */
static bool add_finding(struct look *look, const struct fil_watch *watch,
                        const struct fil_watchdog_finding *found)
{
    if (look->finding_count == QUESTIONS_PER_LOOK) {
        return false;
    }
    struct fil_watchdog_finding *finding = &look->findings[look->finding_count];
    look->finding_count++;
    *finding = *found;
    fil_watchdog__copy_name(finding->thread, watch->runner);
    return true;
}

/** What its runner has measured is over: there is a place for each, because each tells one. */
static void add_ended(struct fil_watchdog *watchdog, const struct fil_watch *watch,
                      struct look *look, uint64_t took_ns)
{
    fil_assert(look->ended_count < fil_watchdog__runner_count_max(watchdog));
    struct fil_watchdog_finding *finding = &watchdog->ended[look->ended_count];
    look->ended_count++;
    *finding = (struct fil_watchdog_finding){.op = watch->suspect_op,
                                             .thread_id = FIL_WATCHDOG_NO_THREAD,
                                             .partition_id = watch->suspect_partition_id,
                                             .took_ns = took_ns,
                                             .is_over = true};
    if (watch->runner != NULL) {
        fil_watchdog__copy_name(finding->thread, watch->runner);
    } else {
        memcpy(finding->thread, watch->left_name, sizeof(finding->thread));
    }
}

static uint64_t cpu_ns_of(const struct fil_watch *watch)
{
    return watch->thread_id == FIL_WATCHDOG_NO_THREAD ? 0
                                                      : fil_thread_usage_cpu_ns(watch->thread_id);
}

/** Its runner has been held for so long in all: tells time on a processor from time without. */
static void count_stall(struct fil_watch *watch, uint64_t took_ns)
{
    if (took_ns <= watch->stalled_ns) {
        return;
    }
    uint64_t cpu_ns = cpu_ns_of(watch);
    uint64_t held_ns = took_ns - watch->stalled_ns;
    uint64_t ran_ns = cpu_ns > watch->cpu_ns ? cpu_ns - watch->cpu_ns : 0;
    // What the thread did after the operation's end, until this look, is not the operation's.
    ran_ns = cpu_ns == 0 || ran_ns > held_ns ? held_ns : ran_ns;
    fil_counter_add(&watch->runner->stats.stalled_cpu_ns, ran_ns);
    fil_counter_add(&watch->runner->stats.stalled_sleep_ns, held_ns - ran_ns);
    watch->stalled_ns = took_ns;
    watch->cpu_ns = cpu_ns;
}

/** It is known, and still there: told again each time its age has doubled, and at its limit. */
static void follow_known(struct fil_watchdog *watchdog, struct fil_watch *watch, uint32_t index,
                         struct look *look)
{
    uint64_t abort_ns = watchdog->options.abort_ns;
    bool is_fatal = abort_ns != 0 && watch->took_ns >= abort_ns;
    if (is_fatal || watch->took_ns >= watch->next_tell_ns) {
        struct fil_watchdog_finding found = {.index = index,
                                             .op = watch->op,
                                             .thread_id = watch->thread_id,
                                             .partition_id = place_of(watch),
                                             .took_ns = watch->took_ns,
                                             .is_known = true,
                                             .is_fatal = is_fatal};
        watch->next_tell_ns =
            add_finding(look, watch, &found) ? 2 * watch->took_ns : watch->next_tell_ns;
    }
}

/** The same operation as at the last look still runs. */
static void follow(struct fil_watchdog *watchdog, struct fil_watch *watch, uint32_t index,
                   struct look *look)
{
    uint64_t before_ns = watch->took_ns;
    watch->took_ns = look->now_ns - watch->since_ns;
    if (watch->took_ns >= watchdog->options.threshold_ns) {
        count_stall(watch, watch->took_ns);
    }
    if (watch->serial != 0) {
        fil_slow_table_extend(&watchdog->table, watch->serial, before_ns, watch->took_ns);
        follow_known(watchdog, watch, index, look);
    } else if (watch->took_ns >= watchdog->options.threshold_ns) {
        watch->next_tell_ns = 2 * watch->took_ns;
        (void)add_finding(look, watch,
                          &(struct fil_watchdog_finding){.index = index,
                                                         .op = watch->op,
                                                         .thread_id = watch->thread_id,
                                                         .partition_id = place_of(watch),
                                                         .took_ns = watch->took_ns});
    }
}

/** What was suspected is over: the end of what was noted, or a finding. */
static void note_end(struct fil_watchdog *watchdog, struct fil_watch *watch, struct look *look,
                     uint64_t took_ns)
{
    if (watch->serial != 0) {
        fil_slow_table_extend(&watchdog->table, watch->serial, watch->took_ns, took_ns);
        watch->took_ns = took_ns;
    } else if (took_ns >= watchdog->options.threshold_ns) {
        add_ended(watchdog, watch, look, took_ns);
    }
}

/** What the runner has measured since the last look; false: nothing. */
static bool take_measure(struct fil_watchdog *watchdog, struct fil_watch *watch, struct look *look)
{
    struct fil_runner *runner = watch->runner;
    // Relaxed: the number is all there is.
    uint64_t took_ns = atomic_exchange_explicit(&runner->suspect_took_ns, 0, memory_order_relaxed);
    if (took_ns == 0) {
        return false;
    }
    watch->suspect_count = 0;
    if (took_ns >= watchdog->options.threshold_ns) {
        count_stall(watch, took_ns);
    }
    note_end(watchdog, watch, look, took_ns);
    return true;
}

/** The runner is gone, perhaps with an operation that nobody has noted yet. */
static void let_go(struct fil_watchdog *watchdog, struct fil_watch *watch, struct look *look)
{
    if (watch->left_took_ns > 0) {
        note_end(watchdog, watch, look, watch->left_took_ns);
        watch->left_took_ns = 0;
    }
    close_books(watchdog, watch, look->wall_ns);
    watch->is_leaving = false;
}

/** Tells the runner to measure what runs now at its end. */
static void suspect(struct fil_watch *watch)
{
    struct fil_runner *runner = watch->runner;
    uint64_t count = atomic_load_explicit(&runner->current_count, memory_order_relaxed);
    if (watch->op == NULL || count == watch->suspect_count) {
        return;
    }
    watch->suspect_count = count;
    watch->suspect_op = watch->op;
    watch->suspect_partition_id = place_of(watch);
    watch->stalled_ns = 0;
    watch->cpu_ns = cpu_ns_of(watch);
    atomic_store_explicit(&runner->suspect_count, count, memory_order_relaxed);
}

/** Under the mutex: one runner. */
static void look_at(struct fil_watchdog *watchdog, uint32_t index, struct look *look)
{
    struct fil_watch *watch = &watchdog->watches[index];
    if (watch->runner == NULL) {
        let_go(watchdog, watch, look);
        return;
    }
    bool was_measured = take_measure(watchdog, watch, look);
    const char *op = fil_activity_name(watch->runner);
    uint64_t count = fil_activity_count(watch->runner);
    look->is_busy |= op != NULL || count != watch->op_count;
    // One that was measured is over, also if its runner has not come to say so yet.
    if (!was_measured && op != NULL && op == watch->op && count == watch->op_count) {
        follow(watchdog, watch, index, look);
        return;
    }
    close_books(watchdog, watch, look->wall_ns);
    watch->op = op;
    watch->op_count = count;
    watch->since_ns = look->now_ns;
    watch->took_ns = 0;
    suspect(watch);
}

static void look_at_all(struct fil_watchdog *watchdog, struct look *look)
{
    fil_mutex_lock(&watchdog->mutex);
    for (uint32_t i = 0; i < watchdog->watch_count; i++) {
        look_at(watchdog, i, look);
    }
    fil_mutex_unlock(&watchdog->mutex);
}

/** Chooses the time of the next look: soon while something runs, ever later when nothing does. */
static void plan_next(struct fil_watchdog *watchdog, const struct look *look)
{
    if (look->is_busy) {
        fil_watchdog__wake_up(watchdog, look->now_ns);
        return;
    }
    uint64_t doubled_ns = watchdog->pause_ns * 2;
    watchdog->pause_ns = doubled_ns < watchdog->doze_ns ? doubled_ns : watchdog->doze_ns;
    watchdog->next_ns = look->now_ns + watchdog->pause_ns;
    watchdog->has_dozed_off = true;
    // D2 pairs with D1: before the parker is prepared, so that who stirs after it wakes.
    atomic_store_explicit(&watchdog->is_dozing, true, memory_order_seq_cst);
}

bool fil_watchdog__is_roused(struct fil_watchdog *watchdog)
{
    return watchdog->has_dozed_off &&
           !atomic_load_explicit(&watchdog->is_dozing, memory_order_seq_cst);
}

uint32_t fil_watchdog_cycle(struct fil_watchdog *watchdog)
{
    struct look look = {.now_ns = fil_env_now_ns(watchdog->options.env)};
    if (fil_watchdog__is_roused(watchdog)) {
        fil_watchdog__wake_up(watchdog, look.now_ns);
    }
    if (look.now_ns < watchdog->next_ns) {
        return 0;
    }
    look.wall_ns = fil_env_wall_ns(watchdog->options.env);
    fil_counter_add(&watchdog->stats.looks, 1);
    if (watchdog->options.tick != NULL) {
        watchdog->options.tick(watchdog->options.tick_context);
    }
    look_at_all(watchdog, &look);
    uint32_t found = look.ended_count;
    for (uint32_t i = 0; i < look.ended_count; i++) {
        fil_watchdog__report(watchdog, &watchdog->ended[i], look.now_ns, look.wall_ns);
    }
    for (uint32_t i = 0; i < look.finding_count; i++) {
        fil_watchdog__report(watchdog, &look.findings[i], look.now_ns, look.wall_ns);
        found += !look.findings[i].is_known;
    }
    plan_next(watchdog, &look);
    return found;
}
