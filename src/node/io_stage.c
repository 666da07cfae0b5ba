// SPDX-License-Identifier: Apache-2.0
#include "node/io_stage.h"

#include <stdio.h>
#include <string.h>

#include "core/exec/activity.h"
#include "lib/base/assert.h"
#include "lib/net/connection.h"
#include "node/limit_name.h"

#define DRAIN_STEP_NS  INT64_C(10000000)
#define TIMER_SLACK_NS 1000U // a rest of 50 us would take the double with the system's slack

/** What the loop has been busy since the last turn is how long that took. */
static void record_last_turn(struct fil_io_stage *stage, const struct fil_loop *loop)
{
    uint64_t busy_ns = fil_counter_read(&loop->stats.busy_ns);
    fil_assert(busy_ns >= stage->busy_seen_ns);
    if (busy_ns > stage->busy_seen_ns) {
        fil_histogram_record(&stage->turn_ns, busy_ns - stage->busy_seen_ns);
        stage->busy_seen_ns = busy_ns;
    }
}

static void begin_turn(struct fil_loop *loop)
{
    fil_role_assert_io();
    struct fil_turn *turn = loop->context;
    record_last_turn(FIL_CONTAINER_OF(turn, struct fil_io_stage, turn), loop);
    fil_stage_hooks_rise(fil_exec_options(turn->runner.exec)->hooks);
    fil_turn_begin(turn, loop->now_ns);
}

static void end_turn(struct fil_loop *loop)
{
    fil_role_assert_io();
    fil_turn_end(loop->context);
}

static const char *protocol_of(const struct fil_connection *connection)
{
    return connection->protocol == NULL ? "none" : connection->protocol->ops->name;
}

static void log_end(const struct fil_io_stage *stage, const struct fil_connection *connection)
    FIL_RUNS_ON(io)
{
    if (!fil_log_is_on(stage->log, FIL_LOG_DEBUG)) {
        return;
    }
    uint64_t now_ns = stage->loop->now_ns;
    uint64_t opened_ns = connection->opened_ns;
    struct fil_limit_name limit = fil_limit_name_of(&stage->loop->limits, connection->reason);
    struct fil_log_field option = FIL_F_TEXT("option", limit.option);
    if (limit.option == NULL) {
        option.type = FIL_LOG_END; // and nothing behind it
    }
    fil_log_event(
        stage->log, FIL_LOG_DEBUG, "connection_closed", FIL_F_U64("connection", connection->id),
        FIL_F_ADDRESS("peer", &connection->peer), FIL_F_TEXT("protocol", protocol_of(connection)),
        FIL_F_TEXT("reason", fil_close_reason_text(connection->reason)),
        FIL_F_U64("requests", connection->request_count),
        FIL_F_NS("open", now_ns > opened_ns ? now_ns - opened_ns : 0), option, limit.value);
}

/** What an operator wants to know of single connections. */
static void tell(struct fil_loop *loop, struct fil_connection *connection,
                 enum fil_connection_news news)
{
    fil_role_assert_io();
    struct fil_turn *turn = loop->context;
    const struct fil_io_stage *stage = FIL_CONTAINER_OF(turn, struct fil_io_stage, turn);
    switch (news) {
    case FIL_CONNECTION_OPENED:
        fil_log_event(
            stage->log, FIL_LOG_DEBUG, "connection_opened", FIL_F_U64("connection", connection->id),
            FIL_F_ADDRESS("peer", &connection->peer), FIL_F_BOOL("dialed", connection->is_dialed));
        break;
    case FIL_CONNECTION_SPEAKS:
        fil_log_event(stage->log, FIL_LOG_DEBUG, "connection_protocol",
                      FIL_F_U64("connection", connection->id),
                      FIL_F_TEXT("protocol", protocol_of(connection)));
        break;
    case FIL_CONNECTION_MOVED:
        fil_log_event(stage->log, FIL_LOG_DEBUG, "connection_moved",
                      FIL_F_U64("connection", connection->id));
        break;
    case FIL_CONNECTION_ENDED:
    default:
        log_end(stage, connection);
    }
}

/** The table of slow operations has a name also for what is no request. */
static const char *begin_work(struct fil_loop *loop, const char *name)
{
    fil_role_assert_io();
    struct fil_turn *turn = loop->context;
    return fil_activity_begin(&turn->runner, name);
}

static void end_work(struct fil_loop *loop, const char *outer)
{
    fil_role_assert_io();
    struct fil_turn *turn = loop->context;
    fil_activity_end(&turn->runner, outer);
}

static const struct fil_loop_hooks turn_hooks = {.begin_turn = begin_turn,
                                                 .end_turn = end_turn,
                                                 .tell = tell,
                                                 .begin_work = begin_work,
                                                 .end_work = end_work};

int fil_io_stage_init(struct fil_io_stage *stage, struct fil_loop *loop,
                      const struct fil_io_stage_options *options)
{
    *stage = (struct fil_io_stage){.loop = loop,
                                   .log = options->log,
                                   .cpus = options->cpus,
                                   .stop_timeout_ns = options->stop_timeout_ns};
    if (options->name == NULL) {
        (void)snprintf(stage->name, sizeof(stage->name), "io/%u", options->loop.index);
    } else {
        (void)snprintf(stage->name, sizeof(stage->name), "%s", options->name); // may cut
    }
    fil_idle_init(&stage->idle, options->idle);
    fil_histogram_init(&stage->turn_ns);
    fil_histogram_init(&stage->lag_ns);
    struct fil_loop_options loop_options = options->loop;
    loop_options.hooks = &turn_hooks;
    loop_options.context = &stage->turn;
    int error = fil_turn_init(&stage->turn, options->exec, stage->name, &loop->chunks);
    if (error != FIL_OK) {
        return error;
    }
    error = fil_loop_init(loop, &loop_options);
    if (error != FIL_OK) {
        fil_turn_fini(&stage->turn);
        return error;
    }
    loop->parker.is_eager = !fil_exec_options(options->exec)->has_wake_suppression;
    return FIL_OK;
}

void fil_io_stage_fini(struct fil_io_stage *stage)
{
    fil_pool_adopt(&stage->loop->chunks);
    fil_loop_fini(stage->loop);
    fil_turn_fini(&stage->turn);
}

/** How long the loop may wait in its poller, by what the last turn moved. */
static int64_t wait_ns(struct fil_io_stage *stage, uint32_t moved) FIL_RUNS_ON(io)
{
    if (stage->is_stopping) {
        return DRAIN_STEP_NS;
    }
    if (moved > 0) {
        fil_idle_reset(&stage->idle);
    }
    if (stage->idle.kind == FIL_IDLE_KIND_BLOCK) {
        return FIL_WAIT_FOREVER;
    }
    switch (moved > 0 ? FIL_IDLE_SPIN : fil_idle_next(&stage->idle)) {
    case FIL_IDLE_PARK:
        return FIL_WAIT_FOREVER;
    case FIL_IDLE_YIELD:
        fil_thread_yield();
        return 0;
    case FIL_IDLE_SPIN:
    default:
        return 0;
    }
}

/** True when the stage has nothing left to do. */
static bool drain(struct fil_io_stage *stage) FIL_RUNS_ON(io)
{
    struct fil_loop *loop = stage->loop;
    bool is_hurried = atomic_load_explicit(&stage->is_hurried, memory_order_relaxed);
    if (loop->now_ns < stage->stop_deadline_ns && !is_hurried) {
        fil_loop_drain(loop);
    } else {
        // Those that other threads still hold go some turns later, and are counted once.
        if (!stage->is_cutting) {
            stage->is_cutting = true;
            stage->cut_count = fil_loop_open_count(loop);
        }
        fil_loop_abort(loop);
    }
    return fil_loop_connection_count(loop) == 0;
}

static void run(void *context)
{
    struct fil_io_stage *stage = context;
    fil_loop_enter(stage->loop);
    fil_turn_enter_thread(&stage->turn);
    fil_role_assert_io();
    fil_thread_set_timer_slack(TIMER_SLACK_NS);
    const struct fil_stage_hooks *hooks = fil_exec_options(stage->turn.runner.exec)->hooks;
    fil_stage_hooks_enter(hooks, &stage->turn.runner);
    // Without a ring of its own the thread logs through the shared one.
    bool is_attached = stage->log != NULL && fil_log_attach(stage->log, stage->name) == FIL_OK;
    uint32_t moved = 1;
    for (;;) {
        moved = fil_loop_cycle(stage->loop, wait_ns(stage, moved));
        if (stage->is_stopping && drain(stage)) {
            break;
        }
    }
    fil_stage_hooks_leave(hooks, &stage->turn.runner);
    if (is_attached) {
        fil_log_detach(stage->log);
    }
}

int fil_io_stage_start(struct fil_io_stage *stage)
{
    char name[FIL_THREAD_NAME_MAX];
    if (strchr(stage->name, '/') != NULL) {
        (void)snprintf(name, sizeof(name), "io-%u", stage->loop->index);
    } else {
        (void)snprintf(name, sizeof(name), "%.*s", (int)sizeof(name) - 1, stage->name);
    }
    return fil_thread_start_with(
        &stage->thread, &(struct fil_thread_options){
                            .name = name, .entry = run, .context = stage, .cpus = stage->cpus});
}

/** On the loop: the probe has come through. */
static void run_probe(struct fil_loop *loop, struct fil_message *message)
{
    fil_role_assert_io();
    struct fil_io_stage *stage = FIL_CONTAINER_OF(message, struct fil_io_stage, probe);
    uint64_t sent_ns = atomic_load_explicit(&stage->probe_sent_ns, memory_order_relaxed);
    fil_assert(sent_ns != 0);
    fil_histogram_record(&stage->lag_ns, loop->now_ns > sent_ns ? loop->now_ns - sent_ns : 0);
    // R5 pairs with A5: the message may be sent again.
    atomic_store_explicit(&stage->probe_sent_ns, 0, memory_order_release);
}

void fil_io_stage_probe(struct fil_io_stage *stage, uint64_t now_ns)
{
    struct fil_loop_backlog backlog = fil_loop_read_backlog(stage->loop, now_ns);
    // A5 pairs with R5.
    uint64_t sent_ns = atomic_load_explicit(&stage->probe_sent_ns, memory_order_acquire);
    if (backlog.turn_ns == 0 || sent_ns != 0) {
        return;
    }
    stage->probe.run = run_probe;
    atomic_store_explicit(&stage->probe_sent_ns, now_ns, memory_order_relaxed);
    fil_loop_post(stage->loop, &stage->probe);
}

static void run_stop(struct fil_loop *loop, struct fil_message *message)
{
    fil_role_assert_io();
    struct fil_io_stage *stage = FIL_CONTAINER_OF(message, struct fil_io_stage, stop_message);
    stage->is_stopping = true;
    stage->stop_deadline_ns = loop->now_ns + stage->stop_timeout_ns;
}

void fil_io_stage_stop(struct fil_io_stage *stage)
{
    stage->stop_message.run = run_stop;
    fil_loop_post(stage->loop, &stage->stop_message);
}

void fil_io_stage_hurry(struct fil_io_stage *stage)
{
    // Relaxed: a draining stage looks every few milliseconds.
    atomic_store_explicit(&stage->is_hurried, true, memory_order_relaxed);
}

uint32_t fil_io_stage_join(struct fil_io_stage *stage)
{
    fil_thread_join(&stage->thread);
    return stage->cut_count;
}
