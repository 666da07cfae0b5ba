// SPDX-License-Identifier: Apache-2.0
/** A connection's input: receives it, lets the protocol handle it, keeps what is incomplete. */
#include <string.h>

#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/net/connection_internal.h"
#include "lib/net/loop_internal.h"

#define INPUT_CAPACITY_MIN ((size_t)2048)
#define INPUT_SMALL        ((size_t)4096) // the capacity of all that need no more
#define SPARE_INPUTS_MAX   32U            // of that size, which a loop keeps: too few to charge
#define INPUT_GROWTH_MAX   ((size_t)4 << 20)
#define DRAIN_RECEIVES_MAX 128U

/** A spare one: its first bytes are the link. */
struct fil_spare_input {
    struct fil_spare_input *next;
};

static uint8_t *take_spare(struct fil_loop *loop) FIL_RUNS_ON(io)
{
    struct fil_spare_input *spare = loop->spare_inputs;
    if (spare != NULL) {
        loop->spare_inputs = spare->next;
        loop->spare_input_count--;
    }
    return (uint8_t *)spare;
}

static void keep_spare(struct fil_loop *loop, void *input) FIL_RUNS_ON(io)
{
    struct fil_spare_input *spare = input;
    spare->next = loop->spare_inputs;
    loop->spare_inputs = spare;
    loop->spare_input_count++;
}

void fil_loop__free_spare_inputs(struct fil_loop *loop)
{
    for (uint8_t *spare = take_spare(loop); spare != NULL; spare = take_spare(loop)) {
        fil_free(spare);
    }
}

void fil_connection__free_input(struct fil_connection *connection)
{
    struct fil_loop *loop = connection->loop;
    if (connection->input == NULL) {
        return;
    }
    fil_account_give(&loop->account, connection->input_capacity);
    if (connection->input_capacity == INPUT_SMALL && loop->spare_input_count < SPARE_INPUTS_MAX) {
        keep_spare(loop, connection->input);
    } else {
        fil_free(connection->input);
    }
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
    bool is_small = connection->input == NULL && capacity == INPUT_SMALL;
    uint8_t *grown = is_small ? take_spare(connection->loop) : NULL;
    grown = grown == NULL ? fil_realloc(connection->input, capacity) : grown;
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
    wanted = expected > size && expected < wanted ? expected : wanted;
    return wanted < INPUT_SMALL ? INPUT_SMALL : wanted;
}

static void note_movement(struct fil_connection *connection) FIL_RUNS_ON(io)
{
    connection->active_ns = connection->loop->now_ns;
    connection->trickled_bytes = 0;
}

/** What is behind the request gets an input of its own; the old one is the caller's. */
static int replace_input(struct fil_connection *connection, struct fil_bytes rest) FIL_RUNS_ON(io)
{
    connection->input = NULL;
    connection->input_size = 0;
    connection->input_capacity = 0;
    if (rest.size == 0) {
        return FIL_OK;
    }
    int error = grow_input(connection, next_capacity(connection, rest.size));
    if (error == FIL_OK) {
        memcpy(connection->input, rest.data, rest.size);
        connection->input_size = rest.size;
    }
    return error;
}

bool fil_connection_take_input(struct fil_connection *connection, const uint8_t *end,
                               struct fil_parcel *out_parcel)
{
    uint8_t *old = connection->input;
    size_t size = connection->input_size;
    size_t capacity = connection->input_capacity;
    fil_assert(old != NULL && end > old && end <= old + size);
    size_t rest = size - (size_t)(end - old);
    if (replace_input(connection, fil_bytes_make(end, rest)) != FIL_OK) {
        connection->input = old;
        connection->input_size = size;
        connection->input_capacity = capacity;
        return false;
    }
    struct fil_account *account = &connection->loop->account;
    fil_account_detach(account, capacity);
    *out_parcel = (struct fil_parcel){.block = old, .size = capacity, .budget = account->budget};
    note_movement(connection);
    connection->is_input_taken = true;
    connection->is_yielding = true;
    return true;
}

/** Keeps what the protocol has not consumed for the next turn. */
static int keep_rest(struct fil_connection *connection, struct fil_bytes bytes, size_t consumed)
    FIL_RUNS_ON(io)
{
    if (FIL_UNLIKELY(connection->is_input_taken)) {
        return FIL_OK; // what is left is in its place
    }
    fil_assert(bytes.data != NULL);
    fil_assert(consumed <= bytes.size);
    size_t rest = bytes.size - consumed;
    if (rest == 0) {
        fil_connection__free_input(connection);
        return FIL_OK;
    }
    if (connection->input == NULL || consumed > 0) {
        note_movement(connection); // of a request that begins
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

enum fil_close_reason fil_connection__reason_of(int error)
{
    switch (error) {
    case FIL_E_NOMEM:
        return FIL_CLOSE_MEMORY;
    case FIL_E_LIMIT:
        return FIL_CLOSE_FRAME;
    case FIL_E_CLOSED:
        return FIL_CLOSE_PEER;
    case FIL_E_FULL:
        return FIL_CLOSE_OVERRUN; // more output than may wait for a slow reader
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
            fil_connection__tell(connection, FIL_CONNECTION_SPEAKS);
            return protocol->ops->open(connection, protocol);
        }
        if (match == FIL_MATCH_MAYBE) {
            bool is_too_long = bytes.size >= loop->limits.handshake_bytes_max;
            return is_too_long ? FIL_E_LIMIT : FIL_E_AGAIN;
        }
    }
    return FIL_E_UNSUPPORTED;
}

static enum fil_close_reason failure_reason(const struct fil_connection *connection, int error)
    FIL_RUNS_ON(io)
{
    bool is_sniffing = fil_connection__is(connection, FIL_CONNECTION_SNIFFING);
    if (is_sniffing && (error == FIL_E_UNSUPPORTED || error == FIL_E_LIMIT)) {
        return error == FIL_E_LIMIT ? FIL_CLOSE_STRANGER : FIL_CLOSE_UNKNOWN;
    }
    return fil_connection__reason_of(error);
}

static void pause_if_congested(struct fil_connection *connection) FIL_RUNS_ON(io)
{
    connection->is_paused = connection->input != NULL && fil_connection_is_congested(connection);
    connection->is_pause_counted =
        connection->is_paused && fil_connection_is_output_full(connection);
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

/** What waits in a partition for a peer that is gone would hold the connection for ever. */
static void abandon_if_gone(struct fil_connection *connection) FIL_RUNS_ON(io)
{
    if (connection->session == NULL) {
        return;
    }
    const struct fil_protocol_ops *ops = connection->protocol->ops;
    const char *outer = fil_loop__begin_work(connection->loop, FIL_CONNECTION_END_WORK);
    if (ops->is_gone_at_end) {
        ops->abandon(connection);
    } else if (ops->end != NULL) {
        ops->end(connection);
    }
    fil_loop__end_work(connection->loop, outer);
}

void fil_connection__hear_end(struct fil_connection *connection)
{
    connection->is_end_known = true;
    if (connection->session != NULL && connection->protocol->ops->is_gone_at_end) {
        fil_connection__abort(connection, FIL_CLOSE_PEER); // nobody reads what it has asked for
    } else {
        abandon_if_gone(connection);
    }
}

/** Lets the protocol handle what is complete; bytes are all there is. The flag is held. */
static void handle(struct fil_connection *connection, struct fil_bytes bytes) FIL_RUNS_ON(io)
{
    size_t consumed = 0;
    int error = FIL_OK;
    connection->input_expected = 0;
    connection->is_input_taken = false;
    if (fil_connection__is(connection, FIL_CONNECTION_SNIFFING)) {
        error = sniff(connection, bytes);
        fil_connection__rearm_timer(connection);
    }
    if (error == FIL_OK && fil_connection__is(connection, FIL_CONNECTION_OPEN)) {
        fil_loop__switch_to(connection->loop, connection->protocol);
        error = connection->protocol->ops->receive(connection, bytes, &consumed);
        fil_loop__keep_scratch(connection->loop, bytes);
    }
    if (fil_connection__is(connection, FIL_CONNECTION_FINISHING)) {
        return; // the protocol has ended it; the flush frees the input, in which the bytes may be
    }
    if (error != FIL_OK && error != FIL_E_AGAIN) {
        fil_connection_finish(connection, failure_reason(connection, error));
    } else if (keep_rest(connection, bytes, consumed) != FIL_OK) {
        finish_without_memory(connection);
    } else {
        pause_if_congested(connection);
        resume_if_yielding(connection);
        if (FIL_UNLIKELY(connection->is_end_known)) {
            abandon_if_gone(connection); // a request that began to wait just now
        }
    }
}

/** Receives once, behind the kept input or into the loop's scratch. */
static int64_t fill(struct fil_connection *connection, struct fil_bytes *out_bytes) FIL_RUNS_ON(io)
{
    struct fil_loop *loop = connection->loop;
    uint8_t *start = NULL;
    size_t room = 0;
    size_t kept = 0;
    if (connection->input == NULL) {
        start = fil_loop__scratch(loop, &room);
    } else {
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
        size_t size = kept + (size_t)received;
        connection->trickled_bytes += (size_t)received;
        // A request that comes byte by byte would else hold its place for ever.
        if ((kept == 0 && connection->rest != FIL_REST_AWAITED) ||
            connection->trickled_bytes >= FIL_NET_MOVEMENT_BYTES) {
            note_movement(connection);
        }
        connection->input_size = connection->input == NULL ? 0 : size;
        *out_bytes = fil_bytes_make(start, size);
    }
    return received;
}

void fil_connection__discard(struct fil_connection *connection)
{
    struct fil_loop *loop = connection->loop;
    size_t room = 0;
    uint8_t *start = fil_loop__scratch(loop, &room);
    int64_t received = loop->env->ops->receive(loop->env, connection->fd, start, room);
    if (received == 0 && !connection->is_shut && !connection->is_peer_done) {
        connection->is_peer_done = true; // it may still read what waits for it
        abandon_if_gone(connection);
    } else if (received <= 0 && received != FIL_E_AGAIN) {
        fil_connection__abort(connection, connection->reason);
    }
}

bool fil_connection__receive(struct fil_connection *connection)
{
    struct fil_bytes bytes = {0};
    int64_t received = fill(connection, &bytes);
    if (received == FIL_E_AGAIN) {
        return false;
    }
    if (received == FIL_E_NOMEM) {
        finish_without_memory(connection);
    } else if (received < 0) {
        fil_connection__abort(connection, fil_connection__reason_of((int)received));
    } else if (received == 0) {
        connection->is_peer_done = true;
        fil_connection_finish(connection, FIL_CLOSE_PEER);
        abandon_if_gone(connection);
    } else {
        handle(connection, bytes);
    }
    return true;
}

void fil_connection__resume(struct fil_connection *connection)
{
    if (!fil_connection__join(connection)) {
        fil_list_push_back(&connection->loop->resumes, &connection->resume_link);
        return;
    }
    handle(connection, fil_bytes_make(connection->input, connection->input_size));
}

static bool has_requests_waiting(const struct fil_connection *connection) FIL_RUNS_ON(io)
{
    return connection->is_paused || fil_list_is_linked(&connection->resume_link);
}

bool fil_connection__drain_input(struct fil_connection *connection)
{
    bool is_more = true;
    while (is_more && !has_requests_waiting(connection) &&
           connection->drain_count < DRAIN_RECEIVES_MAX &&
           (fil_connection__is(connection, FIL_CONNECTION_SNIFFING) ||
            fil_connection__is(connection, FIL_CONNECTION_OPEN))) {
        connection->drain_count++;
        is_more = fil_connection__receive(connection);
    }
    return has_requests_waiting(connection);
}
