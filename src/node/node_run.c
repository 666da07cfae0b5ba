// SPDX-License-Identifier: Apache-2.0
/** The member's threads: start, stop, or all of them turn by turn in a simulation's one. */
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/os/process.h"
#include "node/node_internal.h"

/** Deals the connections out, and out again when the loads say so. */
static uint32_t cycle_acceptor(struct fil_node *node) FIL_RUNS_ON(acceptor)
{
    uint32_t moved = fil_balancer_cycle(&node->balancer);
    return moved + fil_acceptor_cycle(&node->acceptor, fil_balancer_wait_ns(&node->balancer));
}

static void run_acceptor(void *context)
{
    struct fil_node *node = context;
    fil_role_enter(&fil_role_acceptor);
    fil_role_assert_acceptor();
    // A4 pairs with R4: whoever stops the member has decided before we see it.
    while (!atomic_load_explicit(&node->is_stopping, memory_order_acquire)) {
        (void)cycle_acceptor(node);
    }
}

/** Stops and joins the first count I/O threads; returns the connections that were cut. */
static uint32_t stop_loops(struct fil_node *node, uint32_t count)
{
    uint32_t cut = 0;
    for (uint32_t i = 0; i < count; i++) {
        fil_io_stage_stop(&node->stages[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        cut += fil_io_stage_join(&node->stages[i]);
    }
    return cut;
}

/** Starts the I/O threads and the acceptor; on failure none of them runs. */
static int start_io(struct fil_node *node)
{
    uint32_t started = 0;
    int error = FIL_OK;
    while (error == FIL_OK && started < node->loop_count) {
        error = fil_io_stage_start(&node->stages[started]);
        started += error == FIL_OK;
    }
    if (error == FIL_OK && node->admin != NULL) {
        error = fil_admin_start(node->admin);
    }
    if (error != FIL_OK) {
        goto stop;
    }
    error = fil_thread_start(&node->acceptor_thread, "acceptor", run_acceptor, node);
    if (error != FIL_OK) {
        goto stop_admin;
    }
    return FIL_OK;

stop_admin:
    if (node->admin != NULL) {
        fil_admin_stop(node->admin);
    }
stop:
    (void)stop_loops(node, started);
    return error;
}

/** Starts everything behind the loops; on failure none of it runs. */
static int start_kernel(struct fil_node *node)
{
    int error = fil_watchdog_start(&node->threads.watchdog);
    if (error != FIL_OK) {
        return error;
    }
    error = fil_exec_start(node->exec);
    if (error != FIL_OK) {
        goto stop_watchdog;
    }
    error = fil_stages_start(&node->work);
    if (error != FIL_OK) {
        goto stop_exec;
    }
    error = fil_service_start(&node->service);
    if (error != FIL_OK) {
        goto stop_stages;
    }
    error = fil_jobs_start(&node->jobs);
    if (error != FIL_OK) {
        goto stop_service;
    }
    return FIL_OK;

stop_service:
    fil_service_stop(&node->service);
stop_stages:
    fil_stages_stop(&node->work);
stop_exec:
    fil_exec_stop(node->exec);
stop_watchdog:
    fil_watchdog_stop(&node->threads.watchdog);
    return error;
}

static void stop_kernel(struct fil_node *node)
{
    fil_service_stop(&node->service);
    // Jobs have read and written structures: while the partitions still run.
    node->has_stuck_jobs = !fil_jobs_stop(&node->jobs);
    fil_stages_stop(&node->work);
    fil_exec_stop(node->exec);
    fil_watchdog_stop(&node->threads.watchdog);
}

static void warn_of_descriptors(const struct fil_node *node)
{
    uint64_t wanted = (uint64_t)node->options->net.connections_max;
    if (node->connections_max < wanted) {
        fil_log_event(node->log, FIL_LOG_WARN, "descriptors_low",
                      FIL_F_U64("limit", fil_process_descriptor_limit()),
                      FIL_F_U64("connections", node->connections_max),
                      FIL_F_U64("connections_max", wanted),
                      FIL_F_TEXT("cure", "raise ulimit -n, or lower net.connections_max"));
    }
}

int fil_node_start_threads(struct fil_node *node)
{
    fil_assert(!node->is_running);
    int error = start_kernel(node);
    if (error != FIL_OK) {
        return error;
    }
    error = start_io(node);
    if (error != FIL_OK) {
        stop_kernel(node);
        return error;
    }
    node->is_running = true;
    fil_node__set_ready(node, true);
    warn_of_descriptors(node);
    fil_log_event(node->log, FIL_LOG_INFO, "listening",
                  FIL_F_ADDRESS("address", &node->acceptor.bound),
                  FIL_F_U64("io_threads", node->loop_count),
                  FIL_F_U64("partition_threads", fil_exec_stage_count(node->exec)),
                  FIL_F_SIZE("memory_limit", node->budget.limit_bytes));
    if (node->admin != NULL) {
        fil_log_event(node->log, FIL_LOG_INFO, "admin_listening",
                      FIL_F_ADDRESS("address", &node->admin->acceptor.bound));
    }
    return FIL_OK;
}

void fil_node_hurry(struct fil_node *node)
{
    fil_jobs_hurry(&node->jobs);
    for (uint32_t i = 0; i < node->loop_count; i++) {
        fil_io_stage_hurry(&node->stages[i]);
    }
}

uint32_t fil_node_stop_threads(struct fil_node *node)
{
    fil_assert(node->is_running);
    fil_node__set_ready(node, false);
    // R4 pairs with A4.
    atomic_store_explicit(&node->is_stopping, true, memory_order_release);
    fil_acceptor_wake(&node->acceptor);
    fil_thread_join(&node->acceptor_thread);
    // Who connects from now on is refused by the system and can go elsewhere.
    fil_acceptor_fini(&node->acceptor);
    node->has_acceptor = false;
    // Jobs first: they may wait for answers that the loops bring. Then nobody asks for more.
    fil_jobs_close(&node->jobs);
    fil_http_caller_close(&node->caller);
    // Then the loops: their connections may wait for what the others still run.
    uint32_t cut = stop_loops(node, node->loop_count);
    if (node->admin != NULL) {
        fil_admin_stop(node->admin);
    }
    stop_kernel(node);
    node->is_running = false;
    return cut;
}

static uint32_t cycle_stages(struct fil_node *node) FIL_RUNS_ON(partition) FIL_RUNS_ON(generic)
    FIL_RUNS_ON(event) FIL_RUNS_ON(executor)
{
    uint32_t moved = fil_stages_cycle(&node->work) + fil_service_cycle(&node->service);
    moved += fil_alarm_cycle(fil_exec_alarm(node->exec));
    for (uint32_t i = 0; i < fil_exec_stage_count(node->exec); i++) {
        moved += fil_partition_stage_cycle(fil_exec_stage(node->exec, i));
    }
    return moved;
}

static uint32_t count_connections(struct fil_node *node)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < node->loop_count; i++) {
        count += fil_loop_connection_count(&node->loops[i]);
    }
    return count;
}

uint32_t fil_node_cycle(struct fil_node *node)
{
    fil_role_assert_acceptor();
    fil_role_assert_io();
    fil_node__set_ready(node, true);
    // A simulated poller does not block; it learns from the wait when the next turn is due.
    uint32_t moved = cycle_acceptor(node);
    for (uint32_t i = 0; i < node->loop_count; i++) {
        moved += fil_loop_cycle(&node->loops[i], FIL_WAIT_FOREVER);
    }
    fil_role_assert_partition();
    fil_role_assert_generic();
    fil_role_assert_event();
    fil_role_assert_executor();
    return moved + cycle_stages(node);
}

void fil_node_abort(struct fil_node *node)
{
    fil_role_assert_io();
    fil_role_assert_partition();
    fil_role_assert_generic();
    fil_role_assert_event();
    fil_role_assert_executor();
    for (uint32_t i = 0; i < node->loop_count; i++) {
        (void)fil_loop_cycle(&node->loops[i], 0); // connections that are still on their way
        fil_loop_abort(&node->loops[i]);
    }
    // Operations under way hold their connections: they end, then the loops let go.
    while (count_connections(node) > 0) {
        (void)cycle_stages(node);
        for (uint32_t i = 0; i < node->loop_count; i++) {
            (void)fil_loop_cycle(&node->loops[i], 0);
            fil_loop_abort(&node->loops[i]);
        }
    }
}
