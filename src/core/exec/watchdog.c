// SPDX-License-Identifier: Apache-2.0
#include "core/exec/watchdog.h"

#include <stdio.h>
#include <string.h>

#include "core/exec/activity.h"
#include "core/exec/watchdog_internal.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/os/thread_usage.h"

#define FINDINGS_PER_LOOK 4U // the others are found by the next one

struct look {
    uint64_t now_ns;
    uint64_t wall_ns;
    bool is_busy; // something runs, or has run since the last look
    uint32_t finding_count;
    struct fil_watchdog_finding findings[FINDINGS_PER_LOOK];
};

static uint32_t runner_count_max(const struct fil_watchdog *watchdog)
{
    uint32_t chosen = watchdog->options.runner_count_max;
    return chosen == 0 ? FIL_WATCHDOG_RUNNERS_MAX : chosen;
}

static uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/** Goes on at the closest distance of looks. */
static void wake_up(struct fil_watchdog *watchdog, uint64_t now_ns)
{
    watchdog->pause_ns = watchdog->tick_ns;
    watchdog->next_ns = now_ns + watchdog->tick_ns;
    if (watchdog->has_dozed_off) {
        // Relaxed: who sees it late wakes a watchdog that needs no waking.
        atomic_store_explicit(&watchdog->is_dozing, false, memory_order_relaxed);
        watchdog->has_dozed_off = false;
    }
}

int fil_watchdog_init(struct fil_watchdog *watchdog, const struct fil_watchdog_options *options)
{
    fil_assert(options->env != NULL);
    *watchdog = (struct fil_watchdog){.options = *options};
    uint64_t threshold_ns =
        options->threshold_ns == 0 ? FIL_WATCHDOG_THRESHOLD_NS : options->threshold_ns;
    watchdog->options.threshold_ns = threshold_ns;
    watchdog->tick_ns = max_u64(threshold_ns / 2, 1);
    watchdog->doze_ns =
        max_u64(watchdog->tick_ns, options->doze_ns == 0 ? FIL_WATCHDOG_DOZE_NS : options->doze_ns);
    int error = fil_slow_table_init(&watchdog->table, threshold_ns);
    if (error != FIL_OK) {
        return error;
    }
    watchdog->watches = fil_alloc_zero(runner_count_max(watchdog), sizeof(watchdog->watches[0]));
    if (watchdog->watches == NULL) {
        fil_slow_table_fini(&watchdog->table);
        return FIL_E_NOMEM;
    }
    fil_mutex_init(&watchdog->mutex);
    fil_parker_init(&watchdog->parker);
    watchdog->has_stacks = fil_stack_sample_prepare() == FIL_OK;
    wake_up(watchdog, fil_env_now_ns(options->env));
    return FIL_OK;
}

void fil_watchdog_fini(struct fil_watchdog *watchdog)
{
    if (watchdog->watches == NULL) {
        return;
    }
    fil_assert(!watchdog->thread.is_started);
    fil_free(watchdog->watches);
    watchdog->watches = NULL;
    fil_mutex_fini(&watchdog->mutex);
    fil_slow_table_fini(&watchdog->table);
}

/** Under the mutex. */
static struct fil_watch *find_watch(struct fil_watchdog *watchdog, const struct fil_runner *runner)
{
    for (uint32_t i = 0; i < watchdog->watch_count; i++) {
        if (watchdog->watches[i].runner == runner) {
            return &watchdog->watches[i];
        }
    }
    return NULL;
}

/** Under the mutex: a free place, or NULL. */
static struct fil_watch *find_place(struct fil_watchdog *watchdog)
{
    for (uint32_t i = 0; i < watchdog->watch_count; i++) {
        if (watchdog->watches[i].runner == NULL && !watchdog->watches[i].is_leaving) {
            return &watchdog->watches[i];
        }
    }
    if (watchdog->watch_count == runner_count_max(watchdog)) {
        return NULL;
    }
    watchdog->watch_count++;
    return &watchdog->watches[watchdog->watch_count - 1];
}

/** Under the mutex. */
static int add_watch(struct fil_watchdog *watchdog, struct fil_runner *runner, uint32_t thread_id)
{
    if (find_watch(watchdog, runner) != NULL) {
        return FIL_E_EXISTS;
    }
    struct fil_watch *watch = find_place(watchdog);
    if (watch == NULL) {
        fil_counter_add(&watchdog->stats.refused_runners, 1);
        return FIL_E_LIMIT;
    }
    *watch = (struct fil_watch){.runner = runner, .thread_id = thread_id};
    return FIL_OK;
}

int fil_watchdog_add(struct fil_watchdog *watchdog, struct fil_runner *runner, uint32_t thread_id)
{
    fil_assert(runner != NULL);
    fil_mutex_lock(&watchdog->mutex);
    int error = add_watch(watchdog, runner, thread_id);
    fil_mutex_unlock(&watchdog->mutex);
    return error;
}

void fil_watchdog_remove(struct fil_watchdog *watchdog, const struct fil_runner *runner)
{
    fil_assert(runner != NULL);
    fil_mutex_lock(&watchdog->mutex);
    struct fil_watch *watch = find_watch(watchdog, runner);
    if (watch != NULL) {
        watch->runner = NULL;
        watch->is_leaving = true;
    }
    fil_mutex_unlock(&watchdog->mutex);
}

void fil_watchdog_rouse(struct fil_watchdog *watchdog)
{
    // D1 pairs with D2: sequentially consistent, like the parker's own words. Of several that stir
    // the first does it.
    if (atomic_exchange_explicit(&watchdog->is_dozing, false, memory_order_seq_cst)) {
        (void)fil_parker_wake(&watchdog->parker);
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

static void add_finding(struct look *look, const struct fil_watch *watch,
                        const struct fil_watchdog_finding *found)
{
    if (look->finding_count == FINDINGS_PER_LOOK) {
        return;
    }
    struct fil_watchdog_finding *finding = &look->findings[look->finding_count];
    look->finding_count++;
    *finding = *found;
    (void)snprintf(finding->thread, sizeof(finding->thread), "%s", watch->runner->name); // may cut
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
        watch->next_tell_ns = 2 * watch->took_ns;
        add_finding(look, watch,
                    &(struct fil_watchdog_finding){.index = index,
                                                   .op = watch->op,
                                                   .thread_id = watch->thread_id,
                                                   .partition_id = place_of(watch),
                                                   .took_ns = watch->took_ns,
                                                   .is_known = true,
                                                   .is_fatal = is_fatal});
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
        add_finding(look, watch,
                    &(struct fil_watchdog_finding){.index = index,
                                                   .op = watch->op,
                                                   .thread_id = watch->thread_id,
                                                   .partition_id = place_of(watch),
                                                   .took_ns = watch->took_ns});
    }
}

/** What the runner has measured since the last look: the end of what was noted, or a finding. */
static void take_measure(struct fil_watchdog *watchdog, struct fil_watch *watch, uint32_t index,
                         struct look *look)
{
    struct fil_runner *runner = watch->runner;
    // Relaxed: the number is all there is.
    uint64_t took_ns = atomic_exchange_explicit(&runner->suspect_took_ns, 0, memory_order_relaxed);
    if (took_ns == 0) {
        return;
    }
    watch->suspect_count = 0;
    if (took_ns >= watchdog->options.threshold_ns) {
        count_stall(watch, took_ns);
    }
    if (watch->serial != 0) {
        fil_slow_table_extend(&watchdog->table, watch->serial, watch->took_ns, took_ns);
        watch->took_ns = took_ns;
    } else if (took_ns >= watchdog->options.threshold_ns) {
        add_finding(look, watch,
                    &(struct fil_watchdog_finding){.index = index,
                                                   .op = watch->suspect_op,
                                                   .thread_id = FIL_WATCHDOG_NO_THREAD,
                                                   .partition_id = watch->suspect_partition_id,
                                                   .took_ns = took_ns,
                                                   .is_over = true});
    }
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
        close_books(watchdog, watch, look->wall_ns);
        watch->is_leaving = false;
        return;
    }
    take_measure(watchdog, watch, index, look);
    const char *op = fil_activity_name(watch->runner);
    uint64_t count = fil_activity_count(watch->runner);
    look->is_busy |= op != NULL || count != watch->op_count;
    if (op != NULL && op == watch->op && count == watch->op_count) {
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
        wake_up(watchdog, look->now_ns);
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
        wake_up(watchdog, look.now_ns);
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
    uint32_t found = 0;
    for (uint32_t i = 0; i < look.finding_count; i++) {
        fil_watchdog__report(watchdog, &look.findings[i], look.now_ns, look.wall_ns);
        found += !look.findings[i].is_known;
    }
    plan_next(watchdog, &look);
    return found;
}

uint64_t fil_watchdog_next_ns(const struct fil_watchdog *watchdog)
{
    return watchdog->next_ns;
}
