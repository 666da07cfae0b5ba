// SPDX-License-Identifier: Apache-2.0
#include "core/exec/watchdog.h"

#include "core/exec/watchdog_internal.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

static uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void free_places(struct fil_watchdog *watchdog)
{
    fil_free(watchdog->watches);
    fil_free(watchdog->ended);
    watchdog->watches = NULL;
    watchdog->ended = NULL;
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
    watchdog->watches =
        fil_alloc_zero(fil_watchdog__runner_count_max(watchdog), sizeof(watchdog->watches[0]));
    watchdog->ended =
        fil_alloc_zero(fil_watchdog__runner_count_max(watchdog), sizeof(watchdog->ended[0]));
    if (watchdog->watches == NULL || watchdog->ended == NULL) {
        free_places(watchdog);
        fil_slow_table_fini(&watchdog->table);
        return FIL_E_NOMEM;
    }
    fil_mutex_init(&watchdog->mutex);
    fil_parker_init(&watchdog->parker);
    watchdog->has_stacks = fil_stack_sample_prepare() == FIL_OK;
    fil_watchdog__wake_up(watchdog, fil_env_now_ns(options->env));
    return FIL_OK;
}

void fil_watchdog_fini(struct fil_watchdog *watchdog)
{
    if (watchdog->watches == NULL) {
        return;
    }
    fil_assert(!watchdog->thread.is_started);
    free_places(watchdog);
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
    if (watchdog->watch_count == fil_watchdog__runner_count_max(watchdog)) {
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
        // What it has measured is noted by the next look, when the runner may be gone. Relaxed, as
        // in take_measure.
        watch->left_took_ns =
            atomic_exchange_explicit(&watch->runner->suspect_took_ns, 0, memory_order_relaxed);
        fil_watchdog__copy_name(watch->left_name, runner);
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

uint64_t fil_watchdog_next_ns(const struct fil_watchdog *watchdog)
{
    return watchdog->next_ns;
}
