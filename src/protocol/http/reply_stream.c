// SPDX-License-Identifier: Apache-2.0
/** Answers that come piece by piece: chunks, or bytes up to the end of the connection. */
#include "lib/base/assert.h"
#include "lib/http/chunk.h"
#include "lib/http/status.h"
#include "protocol/http/session_internal.h"

#define STREAM_OUTPUT_MAX ((size_t)256 << 10) // of a stream, in the connection's output

/** The head, once; false when there is no memory for it. */
static bool write_head(struct fil_http_exchange *exchange)
{
    struct fil_connection *connection = exchange->session->connection;
    size_t size = fil_http__head_size(&exchange->request);
    uint8_t *room = fil_connection_reserve(connection, size);
    struct fil_writer writer;
    if (room == NULL) {
        fil_http__give_up(exchange);
        return false;
    }
    fil_writer_init(&writer, room, size);
    if (fil_http__encode_head(exchange, &writer) != FIL_OK) {
        fil_http__give_up(exchange);
        return false;
    }
    fil_connection_commit(connection, fil_writer_written(&writer).size);
    exchange->has_stream_head = true;
    return true;
}

static bool is_body_wanted(const struct fil_http_exchange *exchange)
{
    return exchange->request.method != FIL_HTTP_HEAD &&
           fil_http_status_has_body(exchange->request.reply.status);
}

static bool is_chunked(const struct fil_http_exchange *exchange)
{
    return fil_http__framing_of(exchange).kind == FIL_HTTP_BODY_CHUNKED;
}

/** Where a chunk of that size begins; 0: the last one. */
static void write_framing(struct fil_http_exchange *exchange, uint64_t size)
{
    uint8_t text[FIL_HTTP_CHUNK_OVERHEAD_MAX];
    struct fil_writer writer;
    fil_writer_init(&writer, text, sizeof(text));
    bool has_fit =
        size > 0 ? fil_http_chunk_encode_begin(&writer, size) : fil_http_chunk_encode_last(&writer);
    fil_assert(has_fit);
    fil_connection_write(exchange->session->connection, fil_writer_written(&writer));
}

static void write_piece(struct fil_http_exchange *exchange, const struct fil_piece *piece)
{
    struct fil_connection *connection = exchange->session->connection;
    if (exchange->request.socket != NULL) {
        fil_http__write_frame(exchange, piece);
        return;
    }
    if (!is_body_wanted(exchange)) {
        return;
    }
    exchange->request.stream->size_left -= exchange->request.stream->is_sized ? piece->size : 0;
    bool has_framing = is_chunked(exchange);
    if (has_framing) {
        write_framing(exchange, piece->size);
    }
    fil_connection_write(connection, fil_bytes_make(piece->data, piece->size));
    if (has_framing) {
        fil_connection_write(connection, fil_bytes_of("\r\n"));
    }
}

static bool is_output_full(const struct fil_http_session *session)
{
    return session->connection->output.queue.size_bytes >= STREAM_OUTPUT_MAX;
}

bool fil_http__is_stream_full(const struct fil_http_session *session)
{
    const struct fil_output *output = &session->connection->output;
    // A socket that takes no more calls again itself; one that is broken takes nothing.
    return is_output_full(session) && !output->is_blocked && output->error == FIL_OK &&
           !output->queue.is_out_of_memory;
}

/** The end of the connection is the end of the answer, though the peer had asked to keep it. */
static bool ends_connection(const struct fil_http_exchange *exchange)
{
    return exchange->is_keep_alive &&
           fil_http__framing_of(exchange).kind == FIL_HTTP_BODY_UNTIL_CLOSE;
}

bool fil_http__finish(struct fil_connection *connection)
{
    if (!fil_role_is(&fil_role_io)) {
        fil_connection_attend(connection);
        return false;
    }
    fil_role_assert_io();
    if (fil_fsm_is(&connection->state, FIL_CONNECTION_OPEN)) {
        fil_connection_finish(connection, FIL_CLOSE_REQUEST);
    }
    return true;
}

/** A WebSocket goes on the loop alone: that looks at its deadline without the writer flag. */
static bool is_left_to_the_loop(const struct fil_http_exchange *exchange)
{
    if (exchange->request.socket == NULL || fil_role_is(&fil_role_io)) {
        return false;
    }
    fil_connection_attend(exchange->session->connection);
    return true;
}

/** False when it is left to the loop, which alone may end connections. */
static bool write_end(struct fil_http_exchange *exchange)
{
    struct fil_connection *connection = exchange->session->connection;
    if (is_left_to_the_loop(exchange)) {
        return false;
    }
    if (ends_connection(exchange) && !fil_http__finish(connection)) {
        return false;
    }
    if (is_chunked(exchange) && is_body_wanted(exchange)) {
        write_framing(exchange, 0);
    }
    if (exchange->request.stream->size_left > 0 && is_body_wanted(exchange)) {
        fil_http__give_up(exchange); // fewer bytes than were promised must not look like all
    }
    if (!exchange->request.stream->is_endless && exchange->request.socket == NULL) {
        fil_service_finish(&exchange->request);
    }
    return true;
}

/** The head that makes the connection a WebSocket's is the loop's; false when it is left to it. */
static bool upgrade(struct fil_http_exchange *exchange)
{
    if (!fil_role_is(&fil_role_io)) {
        fil_connection_attend(exchange->session->connection);
        return false;
    }
    fil_role_assert_io();
    if (write_head(exchange)) {
        fil_http__open_socket(exchange);
    }
    return true;
}

bool fil_http__write_stream(struct fil_http_exchange *exchange, bool is_over)
{
    struct fil_reply_stream *stream = exchange->request.stream;
    fil_assert(stream != NULL);
    if (!exchange->has_stream_head && exchange->request.socket != NULL && !upgrade(exchange)) {
        return false;
    }
    if (!exchange->has_stream_head && !write_head(exchange)) {
        return true;
    }
    while (!is_output_full(exchange->session)) {
        struct fil_piece *piece = fil_reply_stream_take(stream);
        if (piece == NULL) {
            return !is_over || write_end(exchange);
        }
        write_piece(exchange, piece);
        fil_reply_stream_give(stream, piece);
    }
    return false; // the rest when the reader has taken some
}

void fil_http__cancel_stream(struct fil_http_exchange *exchange)
{
    // A2 pairs with R2, both sequentially consistent: who opens a stream looks whether it is wanted
    // after it has said that it is there.
    if (atomic_load_explicit(&exchange->is_streaming, memory_order_seq_cst)) {
        fil_reply_stream_cancel(exchange->request.stream);
    }
}

void fil_http__end_events(struct fil_http_session *session)
{
    for (struct fil_http_exchange *exchange = session->first; exchange != NULL;
         exchange = exchange->next) {
        // A2 pairs with R2.
        if (atomic_load_explicit(&exchange->is_streaming, memory_order_seq_cst) &&
            exchange->request.stream->is_endless) {
            fil_reply_stream_cancel(exchange->request.stream);
        }
    }
}
