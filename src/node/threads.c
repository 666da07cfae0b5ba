// SPDX-License-Identifier: Apache-2.0
#include "node/threads.h"

#include "core/exec/partition_stage.h"
#include "core/exec/promise.h"
#include "core/exec/turn.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "node/io_stage.h"

#define CELLS_KEPT 256U

// Every thread that runs operations stirs the watchdog, so that it need not look on its own.
#define DOZE_NS UINT64_C(10000000000)

static _Thread_local struct fil_thread_cells *my_cells;

/** The calling thread takes its promises' cells from a pool that nobody else has. */
static void enter_cells(struct fil_threads *threads)
{
    for (uint32_t i = 0; i < threads->options.thread_count; i++) {
        struct fil_thread_cells *cells = &threads->cells[i];
        // Acquire pairs with the release in leave_cells: the last owner is done with the pool.
        if (!atomic_exchange_explicit(&cells->is_taken, true, memory_order_acquire)) {
            fil_pool_adopt(&cells->pool);
            fil_promise_enter(&cells->pool);
            my_cells = cells;
            return;
        }
    }
}

static void leave_cells(void)
{
    if (my_cells == NULL) {
        return;
    }
    fil_promise_leave();
    atomic_store_explicit(&my_cells->is_taken, false, memory_order_release);
    my_cells = NULL;
}

/** Which of its kind the thread is: loops and partition threads are spread over the nodes. */
static bool find_place(const struct fil_spread *spread, struct fil_runner *runner,
                       uint32_t *out_index)
{
    if (fil_role_is(&fil_role_partition) && spread->has_partitions) {
        *out_index = FIL_CONTAINER_OF(runner, struct fil_partition_stage, runner)->index;
        return true;
    }
    if (fil_role_is(&fil_role_io) && spread->has_io) {
        struct fil_turn *turn = FIL_CONTAINER_OF(runner, struct fil_turn, runner);
        *out_index = FIL_CONTAINER_OF(turn, struct fil_io_stage, turn)->loop->index;
        return true;
    }
    return false;
}

static void pin(struct fil_threads *threads, struct fil_runner *runner)
{
    const struct fil_spread *spread = &threads->options.spread;
    uint32_t index = 0;
    if (spread->node_count < 2 || !find_place(spread, runner, &index)) {
        return;
    }
    // The thread works without it, only farther from its memory.
    if (fil_thread_pin(&spread->nodes[index % spread->node_count].cpus) != FIL_OK) {
        fil_counter_add_shared(&threads->unpinned, 1);
    }
}

static void choose_slice(struct fil_threads *threads)
{
    uint64_t slice_ns = threads->options.slice_ns;
    // The thread works without it; others only wait longer for it.
    if (slice_ns != 0 && fil_thread_set_slice(slice_ns) != FIL_OK) {
        fil_counter_add_shared(&threads->unsliced, 1);
    }
}

static void enter(void *context, struct fil_runner *runner)
{
    struct fil_threads *threads = context;
    choose_slice(threads);
    enter_cells(threads);
    if (runner != NULL) {
        fil_pool_adopt(runner->chunks);
        int error = fil_watchdog_add(&threads->watchdog, runner, fil_thread_id());
        fil_assert(error == FIL_OK || error == FIL_E_LIMIT); // then it is counted
        pin(threads, runner);
    }
}

static void leave(void *context, struct fil_runner *runner)
{
    struct fil_threads *threads = context;
    if (runner != NULL) {
        fil_watchdog_remove(&threads->watchdog, runner);
    }
    leave_cells();
}

static void rise(void *context)
{
    struct fil_threads *threads = context;
    fil_watchdog_stir(&threads->watchdog);
}

/** Writes the replies that the thread's work has made ready, and wakes whom it owes. */
static void settle(void *context, struct fil_runner *runner)
{
    (void)context;
    fil_runner_end_turn(runner);
}

int fil_threads_init(struct fil_threads *threads, const struct fil_threads_options *options)
{
    *threads = (struct fil_threads){.options = *options};
    threads->hooks = (struct fil_stage_hooks){
        .enter = enter, .leave = leave, .rise = rise, .settle = settle, .context = threads};
    threads->cells = fil_alloc_zero(options->thread_count, sizeof(*threads->cells));
    if (threads->cells == NULL) {
        return FIL_E_NOMEM;
    }
    int error = fil_watchdog_init(
        &threads->watchdog,
        &(struct fil_watchdog_options){.env = options->env,
                                       .log = options->log,
                                       .threshold_ns = options->slow_ns,
                                       .abort_ns = options->abort_ns,
                                       .tick = options->tick,
                                       .tick_context = options->context,
                                       .doze_ns = DOZE_NS,
                                       .runner_count_max = options->thread_count});
    if (error != FIL_OK) {
        fil_free(threads->cells);
        threads->cells = NULL;
        return error;
    }
    for (uint32_t i = 0; i < options->thread_count; i++) {
        fil_pool_init(&threads->cells[i].pool, options->budget, FIL_PROMISE_BLOCK_BYTES,
                      CELLS_KEPT);
    }
    return FIL_OK;
}

void fil_threads_fini(struct fil_threads *threads)
{
    if (threads->cells == NULL) {
        return;
    }
    fil_watchdog_fini(&threads->watchdog);
    for (uint32_t i = 0; i < threads->options.thread_count; i++) {
        fil_pool_adopt(&threads->cells[i].pool);
        fil_pool_fini(&threads->cells[i].pool);
    }
    fil_free(threads->cells);
    threads->cells = NULL;
}
