// SPDX-License-Identifier: Apache-2.0
/** A connection that speaks HTTP/2: nghttp2's session between its input and its output. */
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/net/loop.h"
#include "protocol/http/http2_internal.h"

#define INPUT_PART_BYTES ((size_t)16 << 10) // between two looks at whether more is wanted
#define OUTPUT_MAX       ((size_t)256 << 10)

const char *fil_http2_refusal_text(enum fil_http2_refusal refusal)
{
    static const char *const texts[] = {
#define FIL_HTTP2_REFUSAL_TEXT(name, text) text,
        FIL_HTTP2_REFUSALS(FIL_HTTP2_REFUSAL_TEXT)
#undef FIL_HTTP2_REFUSAL_TEXT
    };
    fil_assert((size_t)refusal < FIL_COUNT_OF(texts));
    return texts[refusal];
}

void fil_http2__count_refusal(struct fil_http2_session *session, enum fil_http2_refusal refusal)
{
    fil_counter_add_shared(&session->server->stats.refused[refusal], 1);
}

static enum fil_match match(struct fil_bytes first)
{
    size_t common = first.size < NGHTTP2_CLIENT_MAGIC_LEN ? first.size : NGHTTP2_CLIENT_MAGIC_LEN;
    if (memcmp(first.data, NGHTTP2_CLIENT_MAGIC, common) != 0) {
        return FIL_MATCH_NO;
    }
    return common == NGHTTP2_CLIENT_MAGIC_LEN ? FIL_MATCH_YES : FIL_MATCH_MAYBE;
}

// Making one.

static int greet(struct fil_http2_session *session)
{
    nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, FIL_HTTP2_STREAMS_MAX},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, FIL_HTTP2_STREAM_WINDOW},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, session->base.limits.head_size_max},
    };
    int error = nghttp2_submit_settings(session->engine, NGHTTP2_FLAG_NONE, settings,
                                        FIL_COUNT_OF(settings));
    return error != 0 ? error
                      : nghttp2_session_set_local_window_size(session->engine, NGHTTP2_FLAG_NONE, 0,
                                                              FIL_HTTP2_CONNECTION_WINDOW);
}

static int start_engine(struct fil_http2_session *session, nghttp2_session_callbacks *callbacks,
                        nghttp2_option *option)
{
    nghttp2_option_set_no_auto_window_update(option, 1);
    nghttp2_option_set_no_closed_streams(option, 1); // priorities of the past cost memory
    fil_http2__set_head_callbacks(callbacks);
    fil_http2__set_request_callbacks(callbacks);
    fil_http2__set_answer_callbacks(callbacks);
    int error = nghttp2_session_server_new3(&session->engine, callbacks, session, option,
                                            &session->memory.ops);
    return error == 0 ? greet(session) : error;
}

static int make_engine(struct fil_http2_session *session)
{
    nghttp2_session_callbacks *callbacks = NULL;
    nghttp2_option *option = NULL;
    bool is_made =
        nghttp2_session_callbacks_new(&callbacks) == 0 && nghttp2_option_new(&option) == 0;
    int error = is_made ? start_engine(session, callbacks, option) : NGHTTP2_ERR_NOMEM;
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(callbacks);
    return error == 0 ? FIL_OK : FIL_E_NOMEM;
}

static void init(struct fil_http2_session *session, struct fil_connection *connection,
                 struct fil_http2_server *server) FIL_RUNS_ON(io)
{
    const struct fil_http_server *http = server->http;
    session->server = server;
    session->base.server = http;
    session->base.connection = connection;
    session->base.limits = http->limits == NULL ? fil_http_limits_default : *http->limits;
    session->idle_left = FIL_HTTP2_IDLE_FRAMES_MAX;
    session->idle_ns = connection->loop->now_ns;
    atomic_init(&session->check_ns, UINT64_MAX);
    fil_stack_init(&session->moved);
    fil_stack_init(&session->done);
    fil_list_init(&session->streams);
    fil_list_init(&session->spares);
    fil_http2_memory_init(&session->memory, http->budget, FIL_HTTP2_MEMORY_MAX);
}

static void free_session(struct fil_http2_session *session)
{
    nghttp2_session_del(session->engine);
    fil_list_append(&session->streams, &session->spares);
    while (!fil_list_is_empty(&session->streams)) {
        fil_http2__free_stream(
            FIL_CONTAINER_OF(session->streams.next, struct fil_http2_stream, link));
    }
    fil_assert(session->memory.used_bytes == 0);
    fil_free(session);
}

static int open_session(struct fil_connection *connection, const struct fil_protocol *protocol)
{
    struct fil_http2_session *session = fil_alloc_zero(1, sizeof(*session));
    fil_role_assert_io();
    if (session == NULL) {
        return FIL_E_NOMEM;
    }
    init(session, connection, protocol->context);
    int error = make_engine(session);
    if (error != FIL_OK) {
        free_session(session);
        return error;
    }
    fil_counter_add_shared(&session->server->stats.connections, 1);
    connection->session = session;
    fil_http2__watch(session); // its settings must come
    return FIL_OK;
}

static void close_session(struct fil_connection *connection)
{
    free_session(connection->session); // nobody works for its streams, for they hold the connection
    connection->session = NULL;
}

// Its end.

/** Everything that is under way is for nobody any more. */
static void cancel_all(struct fil_http2_session *session)
{
    session->is_failed = true;
    fil_list_foreach(link, &session->streams) {
        struct fil_http2_stream *stream = FIL_CONTAINER_OF(link, struct fil_http2_stream, link);
        if (stream->exchange.request.is_detached && !stream->is_home) {
            fil_http2__cancel(stream);
            fil_http2__end_body(stream, FIL_E_CLOSED);
        }
    }
}

void fil_http2__fail(struct fil_http2_session *session, uint32_t code,
                     enum fil_http2_refusal refusal)
{
    if (session->is_failed) {
        return;
    }
    fil_http2__count_refusal(session, refusal);
    cancel_all(session);
    // Without memory for the reason the connection ends without it.
    (void)nghttp2_session_terminate_session(session->engine, code);
}

/** nghttp2 cannot go on; returns why the connection ends. */
static int break_down(struct fil_http2_session *session, int error)
{
    if (error == NGHTTP2_ERR_NOMEM || error == NGHTTP2_ERR_CALLBACK_FAILURE) {
        fil_http2__fail(session, NGHTTP2_INTERNAL_ERROR, FIL_HTTP2_REFUSED_MEMORY);
        return FIL_E_NOMEM;
    }
    bool is_flood = error == NGHTTP2_ERR_FLOODED || error == NGHTTP2_ERR_TOO_MANY_SETTINGS ||
                    error == NGHTTP2_ERR_TOO_MANY_CONTINUATIONS;
    fil_http2__fail(session, is_flood ? NGHTTP2_ENHANCE_YOUR_CALM : NGHTTP2_PROTOCOL_ERROR,
                    is_flood ? FIL_HTTP2_REFUSED_FLOOD : FIL_HTTP2_REFUSED_MALFORMED);
    return is_flood ? FIL_E_LIMIT : FIL_E_MALFORMED;
}

static void abandon(struct fil_connection *connection)
{
    cancel_all(connection->session);
}

/** The member stops: answers what has come, takes nothing new. */
static void stop(struct fil_connection *connection)
{
    struct fil_http2_session *session = connection->session;
    if (!session->is_draining) {
        session->is_draining = true;
        // Without memory for it the client hears nothing before the end.
        (void)nghttp2_submit_goaway(session->engine, NGHTTP2_FLAG_NONE,
                                    nghttp2_session_get_last_proc_stream_id(session->engine),
                                    NGHTTP2_NO_ERROR, NULL, 0);
    }
    fil_list_foreach(link, &session->streams) {
        struct fil_http2_stream *stream = FIL_CONTAINER_OF(link, struct fil_http2_stream, link);
        // As in reply_stream.c: who opens a stream looks whether it is wanted.
        if (atomic_load_explicit(&stream->exchange.is_streaming, memory_order_seq_cst) &&
            stream->exchange.request.stream->is_endless) {
            fil_reply_stream_cancel(stream->exchange.request.stream);
        }
    }
}

// Input.

static int take(struct fil_connection *connection, struct fil_bytes bytes, size_t *out_consumed)
{
    fil_role_assert_io();
    struct fil_http2_session *session = connection->session;
    size_t done = 0;
    while (done < bytes.size && !session->is_failed && !fil_connection_is_congested(connection)) {
        size_t left = bytes.size - done;
        ssize_t size = nghttp2_session_mem_recv(session->engine, bytes.data + done,
                                                left < INPUT_PART_BYTES ? left : INPUT_PART_BYTES);
        if (size < 0) {
            return break_down(session, (int)size);
        }
        done += (size_t)size;
    }
    *out_consumed = done;
    return session->is_failed ? FIL_E_LIMIT : FIL_OK;
}

static int receive(struct fil_connection *connection, struct fil_bytes bytes, size_t *out_consumed)
{
    int error = take(connection, bytes, out_consumed);
    if (error == FIL_E_LIMIT) {
        fil_role_assert_io();
        fil_connection_finish(connection, FIL_CLOSE_TOO_MUCH);
    }
    return error;
}

// Output.

/** What other threads have told of: answers, pieces of them, room for bodies. */
static void hear(struct fil_http2_session *session)
{
    // In this order: whoever is done has told of everything else before.
    struct fil_link *done = fil_stack_take_all(&session->done);
    struct fil_link *moved = fil_stack_take_all(&session->moved);
    while (moved != NULL) {
        struct fil_http2_stream *stream =
            FIL_CONTAINER_OF(moved, struct fil_http2_stream, moved_link);
        moved = moved->next;
        // A1 pairs with R1; from here on it may be told of again.
        (void)atomic_exchange_explicit(&stream->is_moved, false, memory_order_acq_rel);
        if (stream->expects_continue && !stream->is_closed &&
            fil_body_stream_is_wanted(stream->exchange.request.body_stream)) {
            fil_http2__call_for_body(stream);
        }
        fil_http2__consume(stream);
        if (atomic_load_explicit(&stream->exchange.is_streaming, memory_order_acquire)) {
            fil_http2__answer(stream);
        }
    }
    while (done != NULL) {
        struct fil_http2_stream *stream =
            FIL_CONTAINER_OF(done, struct fil_http2_stream, done_link);
        done = done->next;
        stream->is_home = true;
        fil_http2__answer(stream);
        fil_http2__let_go(stream);
    }
}

/** Streams that another thread has found closed. */
static void tell_lost(struct fil_http2_session *session) FIL_RUNS_ON(io)
{
    session->has_lost = false;
    fil_list_foreach(link, &session->streams) {
        struct fil_http2_stream *stream = FIL_CONTAINER_OF(link, struct fil_http2_stream, link);
        if (stream->is_closed) {
            fil_http2__end_body(stream, FIL_E_CLOSED);
        }
    }
}

static bool is_output_full(const struct fil_http2_session *session)
{
    return session->base.connection->output.queue.size_bytes >= OUTPUT_MAX;
}

/** Everything that nghttp2 has to say, as far as there is room. */
static void write_frames(struct fil_http2_session *session)
{
    ssize_t size = 1;
    while (size > 0 && !is_output_full(session)) {
        const uint8_t *data = NULL;
        size = nghttp2_session_mem_send(session->engine, &data);
        if (size > 0) {
            fil_connection_write(session->base.connection, fil_bytes_make(data, (size_t)size));
        }
    }
    if (size < 0) {
        (void)break_down(session, (int)size);
        session->base.connection->output.queue.is_out_of_memory = true;
    }
}

/** nghttp2 has said goodbye: because of what the peer did, or because nothing is left to do. */
static void finish_if_over(struct fil_http2_session *session)
{
    struct fil_connection *connection = session->base.connection;
    if (nghttp2_session_want_read(session->engine) || nghttp2_session_want_write(session->engine)) {
        return;
    }
    if (!session->is_failed) {
        cancel_all(session);
    }
    (void)fil_http__finish(connection);
}

static bool collect(struct fil_connection *connection)
{
    struct fil_http2_session *session = connection->session;
    const struct fil_output *output = &connection->output;
    if (output->error != FIL_OK) {
        return false; // what is left goes with the session
    }
    hear(session);
    if (session->has_lost && fil_role_is(&fil_role_io)) {
        fil_role_assert_io();
        tell_lost(session);
    }
    write_frames(session);
    finish_if_over(session);
    // A socket that takes no more calls again itself; one that is broken takes nothing.
    return is_output_full(session) && !output->is_blocked && !output->queue.is_out_of_memory;
}

static uint32_t pending(struct fil_connection *connection)
{
    const struct fil_http2_session *session = connection->session;
    return session->is_failed ? 0 : session->open_count;
}

/** Whoever only greets has not said what it wants. */
static bool is_stranger(const struct fil_connection *connection)
{
    const struct fil_http2_session *session = connection->session;
    return !session->has_asked;
}

const struct fil_protocol_ops fil_http2_protocol = {
    .name = "http2",
    .match = match,
    .open = open_session,
    .receive = receive,
    .collect = collect,
    .pending = pending,
    .abandon = abandon,
    .stop = stop,
    .is_stranger = is_stranger,
    .deadline = fil_http2__deadline,
    .expire = fil_http2__expire,
    .is_gone_at_end = true,
    .ends_itself = true,
    .close = close_session,
};
