// SPDX-License-Identifier: Apache-2.0
#include "lib/net/connection.h"

#include <string.h>

#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/net/connection_internal.h"
#include "lib/net/loop_internal.h"

#define INPUT_CAPACITY_MIN ((size_t)2048)
#define INPUT_GROWTH_MAX   ((size_t)4 << 20)
#define LINGER_NS          UINT64_C(1000000000)
#define RETRY_NS           UINT64_C(1000000)
#define DRAIN_RECEIVES_MAX 128U

// The diagram is in connection.h.
static const struct fil_fsm_state connection_states[] = {
    [FIL_CONNECTION_SNIFFING] = {"sniffing", FIL_FSM_TO(FIL_CONNECTION_OPEN) |
                                                 FIL_FSM_TO(FIL_CONNECTION_FINISHING) |
                                                 FIL_FSM_TO(FIL_CONNECTION_CLOSED)},
    [FIL_CONNECTION_OPEN] = {"open", FIL_FSM_TO(FIL_CONNECTION_FINISHING) |
                                         FIL_FSM_TO(FIL_CONNECTION_CLOSED)},
    [FIL_CONNECTION_FINISHING] = {"finishing", FIL_FSM_TO(FIL_CONNECTION_CLOSED)},
    [FIL_CONNECTION_CLOSED] = {"closed", FIL_FSM_END},
};

static const struct fil_fsm_kind connection_kind =
    FIL_FSM_KIND("connection", connection_states, NULL, NULL);

struct fil_connection *fil_connection__new(int fd, const struct fil_address *peer, uint64_t id,
                                           struct fil_loop *loop)
{
    struct fil_connection *connection = fil_alloc_zero(1, sizeof(struct fil_connection));
    if (connection == NULL) {
        return NULL;
    }
    connection->id = id;
    connection->fd = fd;
    connection->peer = *peer;
    connection->loop = loop;
    connection->opened_ns = fil_env_now_ns(loop->env);
    atomic_init(&connection->hold_count, 1);
    fil_output_init(&connection->output);
    return connection;
}

void fil_connection__drop(struct fil_connection *connection)
{
    struct fil_env *env = connection->loop->env;
    env->ops->close(env, connection->fd);
    fil_output_fini(&connection->output);
    fil_free(connection);
}

static bool is_in(const struct fil_connection *connection, enum fil_connection_state state)
    FIL_RUNS_ON(io)
{
    return fil_fsm_is(&connection->state, state);
}

/** Takes the writer flag for this turn; false while another thread writes. */
static bool join_turn(struct fil_connection *connection) FIL_RUNS_ON(io)
{
    struct fil_loop *loop = connection->loop;
    if (fil_list_is_linked(&connection->turn_link)) {
        return true;
    }
    if (!fil_output_acquire(&connection->output, &loop->chunks)) {
        return false;
    }
    fil_list_push_back(&loop->turn, &connection->turn_link);
    return true;
}

static void watch(struct fil_connection *connection, uint32_t interest) FIL_RUNS_ON(io)
{
    struct fil_loop *loop = connection->loop;
    if (interest == connection->interest) {
        return;
    }
    // Changing the interest of a descriptor that is watched fails only when it is not.
    int error = loop->env->ops->poller_change(loop->env, loop->poller, connection->fd, interest,
                                              connection);
    fil_assert(error == FIL_OK);
    connection->interest = interest;
}

static void free_input(struct fil_connection *connection) FIL_RUNS_ON(io)
{
    if (connection->input == NULL) {
        return;
    }
    fil_account_give(&connection->loop->account, connection->input_capacity);
    fil_free(connection->input);
    connection->input = NULL;
    connection->input_size = 0;
    connection->input_capacity = 0;
}

/** Makes room for capacity bytes of input, keeping what is there. */
static int grow_input(struct fil_connection *connection, size_t capacity) FIL_RUNS_ON(io)
{
    struct fil_account *account = &connection->loop->account;
    fil_assert(capacity > connection->input_capacity);
    size_t more = capacity - connection->input_capacity;
    if (!fil_account_take(account, more)) {
        return FIL_E_NOMEM;
    }
    uint8_t *grown = fil_realloc(connection->input, capacity);
    if (grown == NULL) {
        fil_account_give(account, more);
        return FIL_E_NOMEM;
    }
    connection->input = grown;
    connection->input_capacity = capacity;
    return FIL_OK;
}

/** The next capacity for an input of this size: towards what is expected, in bounded steps. */
static size_t next_capacity(const struct fil_connection *connection, size_t size) FIL_RUNS_ON(io)
{
    size_t step = size < INPUT_CAPACITY_MIN ? INPUT_CAPACITY_MIN : size;
    if (step > INPUT_GROWTH_MAX) {
        step = INPUT_GROWTH_MAX + size / 4; // geometric, but a claimed length alone buys little
    }
    size_t wanted = size + step;
    size_t expected = connection->input_expected;
    return expected > size && expected < wanted ? expected : wanted;
}

/** Keeps what the protocol has not consumed for the next turn. */
static int keep_rest(struct fil_connection *connection, struct fil_bytes bytes, size_t consumed)
    FIL_RUNS_ON(io)
{
    fil_assert(bytes.data != NULL);
    fil_assert(consumed <= bytes.size);
    size_t rest = bytes.size - consumed;
    if (rest == 0) {
        free_input(connection);
        return FIL_OK;
    }
    if (connection->input == NULL) {
        int error = grow_input(connection, next_capacity(connection, rest));
        if (error != FIL_OK) {
            return error;
        }
        memcpy(connection->input, bytes.data + consumed, rest);
    } else if (consumed > 0) {
        memmove(connection->input, connection->input + consumed, rest);
    }
    connection->input_size = rest;
    return FIL_OK;
}

static enum fil_close_reason reason_of(int error)
{
    switch (error) {
    case FIL_E_NOMEM:
        return FIL_CLOSE_MEMORY;
    case FIL_E_LIMIT:
        return FIL_CLOSE_FRAME;
    case FIL_E_CLOSED:
        return FIL_CLOSE_PEER;
    case FIL_E_FULL:
        return FIL_CLOSE_STALLED; // more output than may wait for a slow reader
    case FIL_E_CANCELLED:
        return FIL_CLOSE_KILLED;
    default:
        return FIL_CLOSE_MALFORMED;
    }
}

/**
 * Chooses the protocol by the first bytes: the first in the loop's list that does not say no.
 * FIL_E_AGAIN while that one needs more bytes to be sure.
 */
static int sniff(struct fil_connection *connection, struct fil_bytes bytes) FIL_RUNS_ON(io)
{
    struct fil_loop *loop = connection->loop;
    for (uint32_t i = 0; i < loop->protocol_count; i++) {
        const struct fil_protocol *protocol = &loop->protocols[i];
        enum fil_match match = protocol->ops->match(bytes);
        if (match == FIL_MATCH_YES) {
            connection->protocol = protocol;
            fil_fsm_move(&connection->state, FIL_CONNECTION_OPEN);
            return protocol->ops->open(connection, protocol);
        }
        if (match == FIL_MATCH_MAYBE) {
            bool is_too_long = bytes.size >= loop->limits.handshake_bytes_max;
            return is_too_long ? FIL_E_UNSUPPORTED : FIL_E_AGAIN;
        }
    }
    return FIL_E_UNSUPPORTED;
}

/** Whether part of a request has come and the rest is waited for. */
static bool is_half(const struct fil_connection *connection) FIL_RUNS_ON(io)
{
    return connection->input != NULL && !connection->is_paused &&
           is_in(connection, FIL_CONNECTION_OPEN);
}

/** When the connection's next time limit is over; FIL_WHEEL_NEVER when it has none now. */
static uint64_t deadline_ns(const struct fil_connection *connection) FIL_RUNS_ON(io)
{
    const struct fil_net_limits *limits = &connection->loop->limits;
    if (is_in(connection, FIL_CONNECTION_SNIFFING)) {
        return connection->opened_ns + limits->handshake_timeout_ns;
    }
    if (is_in(connection, FIL_CONNECTION_FINISHING) && connection->is_shut) {
        return connection->active_ns + LINGER_NS;
    }
    if (connection->interest & FIL_POLL_WRITE || is_half(connection)) {
        return connection->active_ns + limits->stall_timeout_ns;
    }
    return limits->idle_timeout_ns == 0 ? FIL_WHEEL_NEVER
                                        : connection->active_ns + limits->idle_timeout_ns;
}

void fil_connection__rearm_timer(struct fil_connection *connection)
{
    uint64_t deadline = deadline_ns(connection);
    struct fil_wheel *timers = &connection->loop->timers;
    if (deadline == FIL_WHEEL_NEVER) {
        fil_wheel_disarm(timers, &connection->timer);
    } else if (!fil_timer_is_armed(&connection->timer) ||
               connection->timer.deadline_ns > deadline) {
        // An armed timer that is early looks at the deadline again when it fires.
        fil_wheel_arm(timers, &connection->timer, deadline);
    }
}

static enum fil_close_reason failure_reason(const struct fil_connection *connection, int error)
    FIL_RUNS_ON(io)
{
    bool is_unknown = error == FIL_E_UNSUPPORTED && is_in(connection, FIL_CONNECTION_SNIFFING);
    return is_unknown ? FIL_CLOSE_UNKNOWN : reason_of(error);
}

/** The writer flag is held. */
static bool is_output_full(const struct fil_connection *connection)
{
    return connection->output.queue.size_bytes >= connection->loop->limits.output_bytes_max;
}

static void pause_if_congested(struct fil_connection *connection) FIL_RUNS_ON(io)
{
    connection->is_paused = connection->input != NULL && fil_connection_is_congested(connection);
    connection->is_pause_counted = connection->is_paused && is_output_full(connection);
    fil_counter_add(&connection->loop->stats.output_pauses, connection->is_pause_counted);
}

/** Ends a connection whose input finds no memory; its peer hears why. The flag is held. */
static void finish_without_memory(struct fil_connection *connection) FIL_RUNS_ON(io)
{
    if (connection->session != NULL && connection->protocol->ops->refuse != NULL) {
        connection->protocol->ops->refuse(connection);
    }
    fil_connection_finish(connection, FIL_CLOSE_MEMORY);
}

static void resume_if_yielding(struct fil_connection *connection) FIL_RUNS_ON(io)
{
    bool is_resumed =
        connection->is_yielding && !connection->is_paused && connection->input != NULL;
    connection->is_yielding = false;
    if (is_resumed) {
        fil_list_push_back(&connection->loop->resumes, &connection->resume_link);
    }
}

/** Lets the protocol handle what is complete; bytes are all there is. The flag is held. */
static void handle(struct fil_connection *connection, struct fil_bytes bytes) FIL_RUNS_ON(io)
{
    size_t consumed = 0;
    int error = FIL_OK;
    connection->input_expected = 0;
    if (is_in(connection, FIL_CONNECTION_SNIFFING)) {
        error = sniff(connection, bytes);
        fil_connection__rearm_timer(connection);
    }
    if (error == FIL_OK && is_in(connection, FIL_CONNECTION_OPEN)) {
        error = connection->protocol->ops->receive(connection, bytes, &consumed);
    }
    if (is_in(connection, FIL_CONNECTION_FINISHING)) {
        return; // the protocol has ended it; the flush frees the input, in which the bytes may be
    }
    if (error != FIL_OK && error != FIL_E_AGAIN) {
        fil_connection_finish(connection, failure_reason(connection, error));
    } else if (keep_rest(connection, bytes, consumed) != FIL_OK) {
        finish_without_memory(connection);
    } else {
        pause_if_congested(connection);
        resume_if_yielding(connection);
    }
}

/** The first load in a round: the connection goes before those that are silent. */
static void begin_round(struct fil_connection *connection, uint32_t round) FIL_RUNS_ON(io)
{
    fil_load_turn(&connection->load, round);
    if (fil_list_is_linked(&connection->link)) {
        fil_list_remove(&connection->link);
        fil_list_push_front(&connection->loop->connections, &connection->link);
    }
}

void fil_connection__count_load(struct fil_connection *connection, uint64_t bytes, uint32_t calls)
{
    // Relaxed: a round may begin a moment later here than elsewhere.
    uint32_t round = atomic_load_explicit(&connection->loop->round, memory_order_relaxed);
    if (FIL_UNLIKELY(connection->load.round != round)) {
        begin_round(connection, round);
    }
    uint64_t requests = connection->request_count - connection->counted_requests;
    connection->counted_requests = connection->request_count;
    connection->load.points += fil_load_points(bytes, requests, calls);
}

/** Receives once, behind the kept input or into the loop's scratch. */
static int64_t fill(struct fil_connection *connection, struct fil_bytes *out_bytes) FIL_RUNS_ON(io)
{
    struct fil_loop *loop = connection->loop;
    uint8_t *start = loop->scratch;
    size_t kept = 0;
    size_t room = FIL_LOOP_SCRATCH_BYTES;
    if (connection->input != NULL) {
        kept = connection->input_size;
        if (kept == connection->input_capacity &&
            grow_input(connection, next_capacity(connection, kept)) != FIL_OK) {
            return FIL_E_NOMEM;
        }
        start = connection->input;
        room = connection->input_capacity - kept;
    }
    int64_t received = loop->env->ops->receive(loop->env, connection->fd, start + kept, room);
    fil_counter_add(&loop->stats.receives, 1);
    fil_connection__count_load(connection, received > 0 ? (uint64_t)received : 0, 1);
    if (received > 0) {
        fil_counter_add(&loop->stats.bytes_received, (uint64_t)received);
        connection->active_ns = loop->now_ns;
        connection->input_size = connection->input == NULL ? 0 : kept + (size_t)received;
        *out_bytes = fil_bytes_make(start, kept + (size_t)received);
    }
    return received;
}

/** Reads and forgets what a peer sends although the connection is ending. */
static void discard(struct fil_connection *connection) FIL_RUNS_ON(io)
{
    struct fil_loop *loop = connection->loop;
    int64_t received =
        loop->env->ops->receive(loop->env, connection->fd, loop->scratch, FIL_LOOP_SCRATCH_BYTES);
    if (received == 0 && !connection->is_shut && !connection->is_peer_done) {
        connection->is_peer_done = true; // it may still read what waits for it
    } else if (received <= 0 && received != FIL_E_AGAIN) {
        fil_connection__abort(connection, connection->reason);
    }
}

/** False when there was nothing to receive. */
static bool receive(struct fil_connection *connection) FIL_RUNS_ON(io)
{
    struct fil_bytes bytes = {0};
    int64_t received = fill(connection, &bytes);
    if (received == FIL_E_AGAIN) {
        return false;
    }
    if (received == FIL_E_NOMEM) {
        finish_without_memory(connection);
    } else if (received < 0) {
        fil_connection__abort(connection, reason_of((int)received));
    } else if (received == 0) {
        connection->is_peer_done = true;
        fil_connection_finish(connection, FIL_CLOSE_PEER);
    } else {
        handle(connection, bytes);
    }
    return true;
}

void fil_connection__on_ready(struct fil_connection *connection, uint32_t ready)
{
    if (!join_turn(connection)) {
        return; // level-triggered: the poller reports it again
    }
    if (ready & FIL_POLL_WRITE) {
        connection->output.is_blocked = false;
    }
    if (is_in(connection, FIL_CONNECTION_FINISHING)) {
        if (ready & (FIL_POLL_READ | FIL_POLL_ERROR)) {
            discard(connection);
        }
    } else if (connection->is_paused || fil_list_is_linked(&connection->resume_link)) {
        // What was received before comes first; the end of the stream must not overtake it.
        if (ready & FIL_POLL_ERROR) {
            fil_connection__abort(connection, FIL_CLOSE_PEER);
        }
    } else if (ready & (FIL_POLL_READ | FIL_POLL_ERROR)) {
        (void)receive(connection); // readiness may have been taken back
    }
}

void fil_connection_finish(struct fil_connection *connection, enum fil_close_reason reason)
{
    if (is_in(connection, FIL_CONNECTION_FINISHING)) {
        return;
    }
    fil_fsm_move(&connection->state, FIL_CONNECTION_FINISHING);
    connection->reason = reason;
    connection->is_paused = false;
    fil_list_remove(&connection->resume_link);
}

/** Requests that wait for their replies; the writer flag is held. */
static uint32_t count_pending(struct fil_connection *connection)
{
    bool has_none = connection->session == NULL || connection->protocol->ops->pending == NULL;
    return has_none ? 0 : connection->protocol->ops->pending(connection);
}

bool fil_connection_is_congested(struct fil_connection *connection)
{
    return is_output_full(connection) || count_pending(connection) >= FIL_CONNECTION_PENDING_MAX;
}

void fil_connection_expect(struct fil_connection *connection, size_t size)
{
    connection->input_expected = size;
}

void fil_connection_yield(struct fil_connection *connection)
{
    connection->is_yielding = true;
}

void fil_connection_count_request(struct fil_connection *connection)
{
    connection->request_count++;
    fil_counter_add(&connection->loop->stats.requests, 1);
}

/** What the holder of the flag does, on whichever thread: collect, send. Returns bytes sent. */
static size_t collect_and_send(struct fil_connection *connection, uint32_t *out_calls)
{
    struct fil_output *output = &connection->output;
    bool has_more = false;
    size_t sent = 0;
    *out_calls = 0;
    do {
        if (connection->session != NULL && connection->protocol->ops->collect != NULL) {
            has_more = connection->protocol->ops->collect(connection);
        }
        uint32_t calls = 0;
        sent += fil_output_send(output, connection->loop->env, connection->fd, &calls);
        *out_calls += calls;
    } while (FIL_UNLIKELY(has_more));
    if (output->error != FIL_OK) {
        fil_chunk_queue_clear(&output->queue);
    }
    return sent;
}

/** What a flush has left behind, seen while the flag was held. */
struct backlog {
    size_t waiting_bytes; // for the socket
    uint32_t pending;     // requests without a reply
};

/** The reader has taken enough: the requests that waited go on next turn. */
static void resume_if_drained(struct fil_connection *connection, struct backlog backlog)
    FIL_RUNS_ON(io)
{
    if (!connection->is_paused || backlog.pending > FIL_CONNECTION_PENDING_MAX / 2) {
        return;
    }
    if (backlog.waiting_bytes <= connection->loop->limits.output_bytes_max / 2) {
        connection->is_paused = false;
        fil_list_push_back(&connection->loop->resumes, &connection->resume_link);
    } else if (!connection->is_pause_counted) {
        // They have waited for a reply, and wait for its reader now.
        connection->is_pause_counted = true;
        fil_counter_add(&connection->loop->stats.output_pauses, 1);
    }
}

/** Our side is done: the peer reads the end; what it still sends is discarded for a while. */
static void half_close(struct fil_connection *connection) FIL_RUNS_ON(io)
{
    struct fil_env *env = connection->loop->env;
    env->ops->finish(env, connection->fd);
    connection->is_shut = true;
    connection->active_ns = connection->loop->now_ns;
}

/** All output has left a connection that is ending: goes on to end it. The flag is held. */
static void finish_sent(struct fil_connection *connection) FIL_RUNS_ON(io)
{
    if (connection->is_peer_done) {
        fil_connection__abort(connection, connection->reason);
    } else if (!connection->is_shut) {
        half_close(connection);
    }
}

/** What the loop watches and limits from now on, by what the flush has left. */
static void settle(struct fil_connection *connection, struct backlog backlog) FIL_RUNS_ON(io)
{
    resume_if_drained(connection, backlog);
    if (is_in(connection, FIL_CONNECTION_FINISHING)) {
        free_input(connection);
    }
    uint32_t interest = connection->is_paused || connection->is_peer_done ? 0 : FIL_POLL_READ;
    if (backlog.waiting_bytes > 0) {
        interest |= FIL_POLL_WRITE;
    }
    bool is_changed = interest != connection->interest;
    if (interest & ~connection->interest & FIL_POLL_WRITE) {
        // The reader is slow from now on, however long ago the last byte was.
        connection->active_ns = connection->loop->now_ns;
    }
    watch(connection, interest);
    if (is_changed || connection->is_shut || is_half(connection)) {
        fil_connection__rearm_timer(connection);
    }
}

/** Sends once as the holder of the flag; returns what is left. */
static struct backlog flush_once(struct fil_connection *connection) FIL_RUNS_ON(io)
{
    struct fil_loop *loop = connection->loop;
    struct fil_output *output = &connection->output;
    uint32_t calls = 0;
    size_t sent = collect_and_send(connection, &calls);
    fil_counter_add(&loop->stats.sends, calls);
    fil_counter_add(&loop->stats.bytes_sent, sent);
    fil_connection__count_load(connection, sent, calls);
    if (sent > 0) {
        connection->active_ns = loop->now_ns;
    }
    struct backlog backlog = {.waiting_bytes = output->queue.size_bytes,
                              .pending = count_pending(connection)};
    if (output->error != FIL_OK) {
        fil_connection__abort(connection, reason_of(output->error));
    } else if (backlog.waiting_bytes == 0 && backlog.pending == 0 &&
               is_in(connection, FIL_CONNECTION_FINISHING)) {
        finish_sent(connection);
    }
    connection->wants_loop = backlog.pending > 0 &&
                             (connection->is_paused || is_in(connection, FIL_CONNECTION_FINISHING));
    return backlog;
}

static void bury(struct fil_loop *loop, struct fil_connection *connection) FIL_RUNS_ON(io)
{
    if (connection->session != NULL) {
        connection->protocol->ops->close(connection);
    }
    fil_output_fini(&connection->output);
    fil_free(connection);
    fil_loop__count_connection(loop, -1);
}

void fil_connection__flush(struct fil_connection *connection)
{
    struct backlog backlog = {0};
    fil_list_remove(&connection->turn_link);
    do {
        backlog = flush_once(connection);
    } while (!fil_output_release(&connection->output));
    if (!is_in(connection, FIL_CONNECTION_CLOSED)) {
        settle(connection, backlog);
        return;
    }
    // A2 pairs with R2: what other holders did is done before the struct goes.
    if (atomic_fetch_sub_explicit(&connection->hold_count, 1, memory_order_acq_rel) == 1) {
        bury(connection->loop, connection);
    }
}

void fil_connection__abort(struct fil_connection *connection, enum fil_close_reason reason)
{
    struct fil_loop *loop = connection->loop;
    fil_assert(fil_output_is_held(&connection->output));
    if (is_in(connection, FIL_CONNECTION_CLOSED)) {
        return;
    }
    fil_fsm_move(&connection->state, FIL_CONNECTION_CLOSED);
    fil_counter_add(&loop->stats.closed[reason], 1);
    if (connection->is_watched) {
        loop->env->ops->poller_remove(loop->env, loop->poller, connection->fd);
    }
    loop->env->ops->close(loop->env, connection->fd);
    connection->output.error = FIL_E_CLOSED;
    fil_chunk_queue_clear(&connection->output.queue);
    if (connection->session != NULL && connection->protocol->ops->abandon != NULL) {
        connection->protocol->ops->abandon(connection);
    }
    fil_wheel_disarm(&loop->timers, &connection->timer);
    if (loop->leaving == connection) {
        loop->leaving = NULL;
    }
    fil_list_remove(&connection->link);
    fil_list_remove(&connection->resume_link);
    free_input(connection);
}

static enum fil_close_reason timeout_reason(const struct fil_connection *connection) FIL_RUNS_ON(io)
{
    if (is_in(connection, FIL_CONNECTION_SNIFFING)) {
        return FIL_CLOSE_HANDSHAKE;
    }
    if (connection->is_shut) {
        return connection->reason;
    }
    if (connection->interest & FIL_POLL_WRITE) {
        return FIL_CLOSE_STALLED;
    }
    return is_half(connection) ? FIL_CLOSE_HALF : FIL_CLOSE_IDLE;
}

void fil_connection__on_timer(struct fil_connection *connection)
{
    struct fil_loop *loop = connection->loop;
    if (loop->now_ns < deadline_ns(connection)) {
        fil_connection__rearm_timer(connection);
    } else if (join_turn(connection)) {
        fil_connection__abort(connection, timeout_reason(connection));
    } else {
        fil_wheel_arm(&loop->timers, &connection->timer, loop->now_ns + RETRY_NS);
    }
}

void fil_connection__resume(struct fil_connection *connection)
{
    if (!join_turn(connection)) {
        fil_list_push_back(&connection->loop->resumes, &connection->resume_link);
        return;
    }
    handle(connection, fil_bytes_make(connection->input, connection->input_size));
}

static bool has_requests_waiting(const struct fil_connection *connection) FIL_RUNS_ON(io)
{
    return connection->is_paused || fil_list_is_linked(&connection->resume_link);
}

/**
 * Handles what had been received when the stop began; false when nothing of it is left. A peer that
 * sends without end is not followed: what the system can have held for us is bounded.
 */
static bool drain_input(struct fil_connection *connection) FIL_RUNS_ON(io)
{
    bool is_more = true;
    while (is_more && !has_requests_waiting(connection) &&
           connection->drain_count < DRAIN_RECEIVES_MAX &&
           (is_in(connection, FIL_CONNECTION_SNIFFING) || is_in(connection, FIL_CONNECTION_OPEN))) {
        connection->drain_count++;
        is_more = receive(connection);
    }
    return has_requests_waiting(connection);
}

bool fil_connection__end(struct fil_connection *connection, bool is_at_once)
{
    if (!join_turn(connection)) {
        return false;
    }
    if (is_at_once) {
        fil_connection__abort(connection, FIL_CLOSE_STOPPING);
    } else if (!drain_input(connection) && !is_in(connection, FIL_CONNECTION_CLOSED)) {
        fil_connection_finish(connection, FIL_CLOSE_STOPPING);
    }
    return true;
}

void fil_connection__open(struct fil_connection *connection)
{
    struct fil_loop *loop = connection->loop;
    fil_fsm_init(&connection->state, &connection_kind, FIL_CONNECTION_SNIFFING);
    fil_list_init(&connection->link);
    fil_list_init(&connection->turn_link);
    fil_list_init(&connection->resume_link);
    fil_timer_init(&connection->timer);
    connection->interest = FIL_POLL_READ;
    connection->active_ns = loop->now_ns;
    fil_loop__count_connection(loop, 1);
    fil_list_push_back(&loop->connections, &connection->link);
    fil_counter_add(&loop->stats.connections_opened, 1);
    bool is_joined = join_turn(connection);
    fil_assert(is_joined);
    int error = loop->env->ops->poller_add(loop->env, loop->poller, connection->fd,
                                           connection->interest, connection);
    if (error != FIL_OK) {
        fil_connection__abort(connection, FIL_CLOSE_MEMORY);
        return;
    }
    connection->is_watched = true;
    fil_connection__rearm_timer(connection);
}

void fil_connection_hold(struct fil_connection *connection)
{
    // Relaxed: the caller has a hold or runs on the loop, so the struct cannot go meanwhile.
    atomic_fetch_add_explicit(&connection->hold_count, 1, memory_order_relaxed);
}

static void run_bury(struct fil_loop *loop, struct fil_message *message)
{
    fil_role_assert_io();
    bury(loop, FIL_CONTAINER_OF(message, struct fil_connection, message));
}

void fil_connection_release(struct fil_connection *connection)
{
    // R2 pairs with A2: this holder is done with the struct before the last one frees it.
    if (atomic_fetch_sub_explicit(&connection->hold_count, 1, memory_order_acq_rel) == 1) {
        connection->message.run = run_bury;
        fil_loop_post(connection->loop, &connection->message);
    }
}

/** The loop's part of a write that another thread could not finish. */
static void run_attend(struct fil_loop *loop, struct fil_message *message)
{
    fil_role_assert_io();
    (void)loop;
    struct fil_connection *connection = FIL_CONTAINER_OF(message, struct fil_connection, message);
    // R3 pairs with A3: from here on the message may be sent again. An exchange, not a store: what
    // those who found it sent had made ready is seen by the flush.
    (void)atomic_exchange_explicit(&connection->is_message_sent, false, memory_order_acq_rel);
    if (!is_in(connection, FIL_CONNECTION_CLOSED)) {
        (void)join_turn(connection); // else its holder sees the note and calls for us again
    }
    fil_connection_release(connection);
}

void fil_connection_attend(struct fil_connection *connection)
{
    // A3 pairs with R3: the loop has taken the message before it is sent again.
    if (atomic_exchange_explicit(&connection->is_message_sent, true, memory_order_acq_rel)) {
        return;
    }
    fil_connection_hold(connection);
    connection->message.run = run_attend;
    fil_loop_post(connection->loop, &connection->message);
}

void fil_connection_notify(struct fil_connection *connection, struct fil_pool *pool)
{
    if (!fil_output_acquire(&connection->output, pool)) {
        return;
    }
    bool needs_loop = false;
    bool is_noted = false;
    do {
        uint32_t calls = 0;
        bool was_blocked = connection->output.is_blocked;
        (void)collect_and_send(connection, &calls);
        // A note may be the loop's, which came because the socket was full: it is called again.
        needs_loop |=
            connection->output.error != FIL_OK ||
            (connection->output.is_blocked && (is_noted || !was_blocked)) ||
            (connection->wants_loop && count_pending(connection) <= FIL_CONNECTION_PENDING_MAX / 2);
        is_noted = true;
    } while (!fil_output_release(&connection->output));
    if (needs_loop) {
        fil_connection_attend(connection);
    }
}
