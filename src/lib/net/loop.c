// SPDX-License-Identifier: Apache-2.0
#include "lib/net/loop.h"

#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/net/connection_internal.h"
#include "lib/net/loop_internal.h"

#define EVENTS_PER_TURN 256
#define TIMERS_PER_TURN 1024U
#define CHUNKS_KEPT     64U

// With less room than this it is better to start at the front again.
#define SCRATCH_ROOM_MIN (FIL_LOOP_SCRATCH_BYTES / 4)

// In connection_count: no connection may come from another loop any more.
#define COUNT_IS_CLOSED (UINT32_C(1) << 31)

#define CLOSE_REASON_TEXT(name, text) text,
static const char *const close_reason_texts[] = {FIL_CLOSE_REASONS(CLOSE_REASON_TEXT)};
#undef CLOSE_REASON_TEXT

const char *fil_close_reason_text(enum fil_close_reason reason)
{
    fil_assert((size_t)reason < FIL_COUNT_OF(close_reason_texts));
    return close_reason_texts[reason];
}

/** What was made before a failure is left for free_workspaces. */
static int make_workspaces(struct fil_loop *loop) FIL_BEFORE_SHARING
{
    loop->workspaces = fil_alloc_zero(loop->protocol_count + 1, sizeof(void *));
    if (loop->workspaces == NULL) {
        return FIL_E_NOMEM;
    }
    for (uint32_t i = 0; i < loop->protocol_count; i++) {
        size_t bytes = loop->protocols[i].ops->workspace_bytes;
        if (bytes == 0) {
            continue;
        }
        loop->workspaces[i] = fil_alloc_aligned(FIL_CACHE_LINE, bytes);
        if (loop->workspaces[i] == NULL) {
            return FIL_E_NOMEM;
        }
    }
    return FIL_OK;
}

static void free_workspaces(struct fil_loop *loop) FIL_BEFORE_SHARING
{
    for (uint32_t i = 0; loop->workspaces != NULL && i < loop->protocol_count; i++) {
        fil_free(loop->workspaces[i]);
    }
    fil_free(loop->workspaces);
}

int fil_loop_init(struct fil_loop *loop, const struct fil_loop_options *options)
{
    *loop = (struct fil_loop){
        .env = options->env,
        .limits = options->limits,
        .protocols = options->protocols,
        .protocol_count = options->protocol_count,
        .index = options->index,
        .hooks = options->hooks,
        .context = options->context,
        .turns_until_measure = FIL_LOAD_TURNS_MEASURED,
    };
    int error = loop->env->ops->poller_new(loop->env, &loop->poller);
    if (error != FIL_OK) {
        return error;
    }
    loop->scratch = fil_alloc(FIL_LOOP_SCRATCH_BYTES);
    if (loop->scratch == NULL) {
        error = FIL_E_NOMEM;
        goto free_poller;
    }
    error = make_workspaces(loop);
    if (error != FIL_OK) {
        goto free_scratch;
    }
    fil_stack_init(&loop->inbox);
    fil_parker_init_poller(&loop->parker, loop->env, loop->poller);
    loop->now_ns = fil_env_now_ns(loop->env);
    fil_wheel_init(&loop->timers, loop->now_ns);
    fil_chunk_pool_init(&loop->chunks, options->budget, CHUNKS_KEPT);
    fil_account_init(&loop->account, options->budget);
    fil_list_init(&loop->connections);
    fil_list_init(&loop->turn);
    fil_list_init(&loop->resumes);
    return FIL_OK;

free_scratch:
    free_workspaces(loop);
    fil_free(loop->scratch);
free_poller:
    loop->env->ops->poller_free(loop->env, loop->poller);
    return error;
}

void fil_loop_enter(struct fil_loop *loop)
{
    fil_role_enter(&fil_role_io);
    fil_pool_adopt(&loop->chunks);
}

uint32_t fil_loop_connection_count(struct fil_loop *loop)
{
    return atomic_load_explicit(&loop->connection_count, memory_order_relaxed) & ~COUNT_IS_CLOSED;
}

uint32_t fil_loop_open_count(struct fil_loop *loop)
{
    // Relaxed: both only count. One that goes between the two looks must not make less than none.
    uint32_t closed = atomic_load_explicit(&loop->closed_count, memory_order_relaxed);
    uint32_t all = fil_loop_connection_count(loop);
    return all > closed ? all - closed : 0;
}

void fil_loop__count_closed(struct fil_loop *loop, int change)
{
    // Relaxed: the loop alone writes it, and others only count.
    uint32_t before =
        atomic_fetch_add_explicit(&loop->closed_count, (uint32_t)change, memory_order_relaxed);
    fil_assert(change > 0 || before > 0);
}

void fil_loop__count_connection(struct fil_loop *loop, int change)
{
    // Relaxed: the word only counts; connections themselves come by messages.
    uint32_t before =
        atomic_fetch_add_explicit(&loop->connection_count, (uint32_t)change, memory_order_relaxed);
    fil_assert(change > 0 || (before & ~COUNT_IS_CLOSED) > 0);
}

bool fil_loop__expect_connection(struct fil_loop *loop)
{
    // Relaxed: the word's own order suffices. Either the loop sees the one that is coming when it
    // asks whether any is left, or we see that it takes no more.
    uint32_t count = atomic_load_explicit(&loop->connection_count, memory_order_relaxed);
    // Lock-free: each failure means that another thread has counted.
    do {
        if (count & COUNT_IS_CLOSED) {
            return false;
        }
    } while (!atomic_compare_exchange_weak_explicit(&loop->connection_count, &count, count + 1,
                                                    memory_order_relaxed, memory_order_relaxed));
    return true;
}

void fil_loop_post(struct fil_loop *loop, struct fil_message *message)
{
    fil_assert(message->run != NULL);
    (void)fil_stack_push(&loop->inbox, &message->link);
    (void)fil_parker_wake(&loop->parker);
}

static uint32_t run_messages(struct fil_loop *loop) FIL_RUNS_ON(io)
{
    uint32_t count = 0;
    struct fil_link *link = fil_stack_take_all(&loop->inbox);
    if (link == NULL) {
        return 0;
    }
    const char *outer = fil_loop__begin_work(loop, "loop-messages");
    while (link != NULL) {
        struct fil_message *message = FIL_CONTAINER_OF(link, struct fil_message, link);
        link = link->next; // the message may be sent again, or be freed, once it has run
        message->run(loop, message);
        count++;
    }
    fil_loop__end_work(loop, outer);
    return count;
}

static uint32_t resume_connections(struct fil_loop *loop) FIL_RUNS_ON(io)
{
    struct fil_list resumes;
    uint32_t count = 0;
    fil_list_init(&resumes);
    fil_list_append(&resumes, &loop->resumes);
    for (struct fil_list *link = fil_list_take_front(&resumes); link != NULL;
         link = fil_list_take_front(&resumes)) {
        struct fil_connection *connection =
            FIL_CONTAINER_OF(link, struct fil_connection, resume_link);
        fil_loop__begin_part(loop, connection);
        fil_connection__resume(connection);
        fil_loop__end_part(loop, connection);
        count++;
    }
    return count;
}

static uint32_t fire_timers(struct fil_loop *loop) FIL_RUNS_ON(io)
{
    uint32_t count = 0;
    while (count < TIMERS_PER_TURN) {
        struct fil_timer *timer = fil_wheel_take(&loop->timers, loop->now_ns);
        if (timer == NULL) {
            break;
        }
        const char *outer = fil_loop__begin_work(loop, "connection-timer");
        fil_connection__on_timer(FIL_CONTAINER_OF(timer, struct fil_connection, timer));
        fil_loop__end_work(loop, outer);
        count++;
    }
    return count;
}

static void begin_turn(struct fil_loop *loop) FIL_RUNS_ON(io)
{
    loop->now_ns = fil_env_now_ns(loop->env);
    // Relaxed, as all that is told of a turn: who reads it wants to know of long ones.
    atomic_store_explicit(&loop->turn_ns, loop->now_ns, memory_order_relaxed);
    if (loop->hooks != NULL) {
        loop->hooks->begin_turn(loop);
    }
}

void fil_loop_defer(struct fil_loop *loop, struct fil_deferred *deferred)
{
    fil_assert(loop->deferred == NULL || loop->deferred == deferred);
    loop->deferred = deferred;
}

void fil_loop_run_deferred(struct fil_loop *loop)
{
    struct fil_deferred *deferred = loop->deferred;
    if (deferred != NULL) {
        loop->deferred = NULL;
        deferred->run(deferred, loop);
    }
    loop->scratch_used = 0;
}

uint8_t *fil_loop__scratch(struct fil_loop *loop, size_t *out_room)
{
    if (FIL_LOOP_SCRATCH_BYTES - loop->scratch_used < SCRATCH_ROOM_MIN) {
        fil_loop_run_deferred(loop);
    }
    *out_room = FIL_LOOP_SCRATCH_BYTES - loop->scratch_used;
    return loop->scratch + loop->scratch_used;
}

void fil_loop__keep_scratch(struct fil_loop *loop, struct fil_bytes bytes)
{
    if (loop->deferred == NULL) {
        loop->scratch_used = 0;
    } else if (bytes.data >= loop->scratch && bytes.data < loop->scratch + FIL_LOOP_SCRATCH_BYTES) {
        loop->scratch_used = (size_t)(bytes.data + bytes.size - loop->scratch);
        fil_assert(loop->scratch_used <= FIL_LOOP_SCRATCH_BYTES);
    }
}

void fil_loop__switch_to(struct fil_loop *loop, const struct fil_protocol *protocol)
{
    if (FIL_UNLIKELY(loop->deferred != NULL && loop->deferred->protocol != protocol)) {
        fil_loop_run_deferred(loop);
    }
}

static void flush_turn(struct fil_loop *loop) FIL_RUNS_ON(io)
{
    fil_loop_run_deferred(loop);
    if (loop->hooks != NULL) {
        loop->hooks->end_turn(loop);
    }
    fil_loop__begin_parts(loop);
    while (!fil_list_is_empty(&loop->turn)) {
        struct fil_connection *connection =
            FIL_CONTAINER_OF(loop->turn.next, struct fil_connection, turn_link);
        fil_loop__begin_part(loop, connection);
        fil_connection__flush(connection);
        fil_loop__end_part(loop, connection);
    }
}

/** How long the poller may wait: not beyond the next timer, not at all when there is work. */
static int64_t wait_limit(const struct fil_loop *loop, int64_t timeout_ns) FIL_RUNS_ON(io)
{
    if (!fil_list_is_empty(&loop->resumes) || !fil_list_is_empty(&loop->turn)) {
        return 0;
    }
    uint64_t next_ns = fil_wheel_next_ns(&loop->timers);
    if (next_ns == FIL_WHEEL_NEVER) {
        return timeout_ns;
    }
    int64_t until = next_ns <= loop->now_ns ? 0 : (int64_t)(next_ns - loop->now_ns);
    return timeout_ns == FIL_WAIT_FOREVER || until < timeout_ns ? until : timeout_ns;
}

/** Waits in the poller, announced as parked so that messages wake it. */
static int wait_for_events(struct fil_loop *loop, struct fil_poll_event *events, int64_t timeout_ns)
    FIL_RUNS_ON(io)
{
    int64_t limit_ns = wait_limit(loop, timeout_ns);
    if (limit_ns != 0) {
        atomic_store_explicit(&loop->turn_ns, 0, memory_order_relaxed);
        fil_parker_prepare(&loop->parker);
        if (!fil_stack_is_empty(&loop->inbox)) {
            limit_ns = 0;
        }
    }
    int count =
        loop->env->ops->poller_wait(loop->env, loop->poller, events, EVENTS_PER_TURN, limit_ns);
    fil_parker_cancel(&loop->parker);
    fil_assert(count >= 0);
    return count;
}

/** Begins a turn; the time since the last one counts as busy if there was something to do. */
static void begin_turn_after(struct fil_loop *loop, bool was_busy) FIL_RUNS_ON(io)
{
    uint64_t last_ns = loop->now_ns;
    begin_turn(loop);
    if (was_busy && loop->now_ns > last_ns) {
        fil_counter_add(&loop->stats.busy_ns, loop->now_ns - last_ns);
    }
}

static void serve_events(struct fil_loop *loop, const struct fil_poll_event *events, int count)
    FIL_RUNS_ON(io)
{
    fil_loop__begin_parts(loop);
    for (int i = 0; i < count; i++) {
        struct fil_connection *connection = events[i].context;
        atomic_store_explicit(&loop->pending_count, (uint32_t)(count - i - 1),
                              memory_order_relaxed);
        fil_loop__begin_part(loop, connection);
        fil_connection__on_ready(connection, events[i].ready);
        fil_loop__end_part(loop, connection);
    }
}

/** See gather.h. */
static void rest(struct fil_loop *loop) FIL_RUNS_ON(io)
{
    uint64_t began_ns = fil_env_now_ns(loop->env);
    fil_counter_add(&loop->stats.busy_ns, began_ns - loop->now_ns);
    fil_counter_add(&loop->stats.rests, 1);
    loop->has_events = false; // the time from here on was not busy
    loop->env->ops->rest(loop->env, loop->limits.rest_ns);
}

/** Whether the loop rested before the turn that begins. */
static bool rest_if_due(struct fil_loop *loop, int64_t timeout_ns) FIL_RUNS_ON(io)
{
    bool is_due = fil_gather_is_due(&loop->gather) && timeout_ns != 0 && loop->limits.rest_ns > 0 &&
                  loop->env->ops->rest != NULL && fil_stack_is_empty(&loop->inbox) &&
                  fil_list_is_empty(&loop->resumes);
    if (FIL_UNLIKELY(is_due)) {
        rest(loop);
    }
    return is_due;
}

/** A turn is over: what it tells of whether to rest before the next. */
static void note_turn(struct fil_loop *loop, const void *source, uint64_t waited_ns,
                      bool has_rested) FIL_RUNS_ON(io)
{
    uint64_t received = fil_counter_read(&loop->stats.bytes_received);
    uint64_t bytes = received - loop->received_before;
    loop->received_before = received;
    if (has_rested) {
        fil_gather_note_rest(&loop->gather, bytes);
    } else {
        fil_gather_note_turn(&loop->gather, source, waited_ns, bytes);
    }
}

uint32_t fil_loop_cycle(struct fil_loop *loop, int64_t timeout_ns)
{
    fil_debug_assert(fil_role_is(&fil_role_io));
    struct fil_poll_event events[EVENTS_PER_TURN];
    bool has_rested = rest_if_due(loop, timeout_ns);
    // Timers before the wait: its limit is right only with a fresh time and a wheel that has
    // turned.
    begin_turn_after(loop, loop->has_events);
    uint32_t moved = run_messages(loop);
    fil_loop__begin_parts(loop);
    moved += resume_connections(loop) + fire_timers(loop);
    flush_turn(loop);
    uint64_t wait_began_ns = loop->now_ns;
    int count = wait_for_events(loop, events, moved > 0 ? 0 : timeout_ns);
    begin_turn_after(loop, moved > 0); // then it did not wait
    uint64_t waited_ns = loop->now_ns - wait_began_ns;
    loop->has_events = count > 0;
    serve_events(loop, events, count);
    moved += (uint32_t)count;
    flush_turn(loop);
    note_turn(loop, count == 1 ? events[0].context : NULL, waited_ns, has_rested);
    if (moved > 0) {
        fil_counter_add(&loop->stats.turns, 1);
        fil_loop__choose_measure(loop); // for the next
    }
    if (FIL_UNLIKELY(loop->leaving != NULL)) {
        fil_connection__depart(loop->leaving, loop->leaving_to);
    }
    atomic_store_explicit(&loop->turn_ns, 0, memory_order_relaxed);
    return moved;
}

static void end_all(struct fil_loop *loop, bool is_at_once) FIL_RUNS_ON(io)
{
    loop->leaving = NULL;
    // Relaxed: as in expect_connection.
    atomic_fetch_or_explicit(&loop->connection_count, COUNT_IS_CLOSED, memory_order_relaxed);
    fil_list_foreach_safe(link, following, &loop->connections) {
        // One that another thread writes to right now is met again by the next call.
        (void)fil_connection__end(FIL_CONTAINER_OF(link, struct fil_connection, link), is_at_once);
    }
    flush_turn(loop);
}

void fil_loop_drain(struct fil_loop *loop)
{
    end_all(loop, false);
}

void fil_loop_abort(struct fil_loop *loop)
{
    end_all(loop, true);
}

void fil_loop_fini(struct fil_loop *loop)
{
    fil_assert(fil_list_is_empty(&loop->connections));
    fil_assert(fil_loop_connection_count(loop) == 0);
    fil_loop__free_spare_inputs(loop);
    fil_pool_fini(&loop->chunks);
    fil_account_fini(&loop->account);
    free_workspaces(loop);
    fil_free(loop->scratch);
    loop->env->ops->poller_free(loop->env, loop->poller);
}
