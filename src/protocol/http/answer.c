// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/base/cursor.h"
#include "lib/http/date.h"
#include "lib/http/encoder.h"
#include "lib/http/status.h"
#include "protocol/http/session_internal.h"

#define HEAD_BYTES  320U // status line, Date, Content-Length, Connection, the page headers
#define INLINE_MAX  4096U
#define DATE_AGE_NS UINT64_C(250000000)
#define TYPE_TEXT   "text/plain; charset=utf-8"

/**
 * The Date header, made anew on each thread when a request comes more than a quarter of a second
 * after the one it was made for: the clock is not asked for every answer.
 */
const char *fil_http__date(const struct fil_http_exchange *exchange)
{
    static _Thread_local uint64_t made_ns;
    static _Thread_local char text[FIL_HTTP_DATE_TEXT_MAX];
    uint64_t now_ns = exchange->request.arrived_ns;
    if (now_ns - made_ns > DATE_AGE_NS || text[0] == '\0') {
        made_ns = now_ns;
        (void)fil_http_date_format(fil_env_wall_ns(exchange->session->server->env), text);
    }
    return text;
}

static size_t content_size(const struct fil_request *request)
{
    return request->reply.size + request->content.size_bytes;
}

const char *fil_http__content_type(const struct fil_request *request)
{
    return request->reply.type == NULL ? TYPE_TEXT : request->reply.type;
}

/** How much room the head needs at most. */
size_t fil_http__head_size(const struct fil_request *request)
{
    size_t size = HEAD_BYTES + strlen(fil_http__content_type(request));
    const struct fil_request_header *header = request->first_header;
    for (; header != NULL; header = header->next) {
        size += header->name.size + header->value.size + 4;
    }
    return size;
}

/** A length, chunks, or the end of the connection for those who do not know them. */
static struct fil_http_framing stream_framing(const struct fil_http_exchange *exchange)
{
    const struct fil_reply_stream *stream = exchange->request.stream;
    if (stream->is_sized) {
        // Asked for again later, when only the kind matters.
        return (struct fil_http_framing){.kind = FIL_HTTP_BODY_LENGTH, .length = stream->size_left};
    }
    return (struct fil_http_framing){.kind = exchange->version == FIL_HTTP_1_1
                                                 ? FIL_HTTP_BODY_CHUNKED
                                                 : FIL_HTTP_BODY_UNTIL_CLOSE};
}

struct fil_http_framing fil_http__framing_of(const struct fil_http_exchange *exchange)
{
    const struct fil_request *request = &exchange->request;
    if (request->stream != NULL && fil_http_status_has_body(request->reply.status)) {
        return stream_framing(exchange);
    }
    if (!fil_http_status_has_body(request->reply.status)) {
        return (struct fil_http_framing){.kind = FIL_HTTP_BODY_NONE};
    }
    return (struct fil_http_framing){.kind = FIL_HTTP_BODY_LENGTH, .length = content_size(request)};
}

int fil_http__encode_head(const struct fil_http_exchange *exchange, struct fil_writer *writer)
{
    const struct fil_request *request = &exchange->request;
    struct fil_http_encoder encoder;
    fil_http_encoder_begin_response(
        &encoder, writer,
        &(struct fil_http_response_options){.status = request->reply.status,
                                            .version = exchange->version,
                                            .framing = fil_http__framing_of(exchange),
                                            .is_keep_alive = exchange->is_keep_alive});
    fil_http_encoder_add_text(&encoder, "Date", fil_http__date(exchange));
    if (fil_http_status_has_body(request->reply.status)) {
        fil_http_encoder_add_text(&encoder, "Content-Type", fil_http__content_type(request));
    }
    if (request->route != NULL && request->route->is_uncached) {
        fil_http_encoder_add_text(&encoder, "Cache-Control", "no-store");
        fil_http_encoder_add_text(&encoder, "X-Content-Type-Options", "nosniff");
    }
    const struct fil_request_header *header = request->first_header;
    for (; header != NULL; header = header->next) {
        fil_http_encoder_add_header(&encoder, header->name, header->value);
    }
    return fil_http_encoder_finish(&encoder);
}

static bool is_plain(const struct fil_http_exchange *exchange)
{
    const struct fil_request *request = &exchange->request;
    return request->reply.status == FIL_HTTP_STATUS_OK && request->first_header == NULL &&
           exchange->is_keep_alive && exchange->version == FIL_HTTP_1_1 &&
           (request->route == NULL || !request->route->is_uncached);
}

/** The head that most answers have, without asking about each line. */
static int encode_plain_head(const struct fil_http_exchange *exchange, struct fil_writer *writer)
{
    struct fil_bytes type = fil_bytes_of(fil_http__content_type(&exchange->request));
    if (fil_bytes_find(type, '\r') < type.size || fil_bytes_find(type, '\n') < type.size) {
        return FIL_E_INVALID;
    }
    (void)fil_writer_text(writer, "HTTP/1.1 200 OK\r\nContent-Length: ");
    (void)fil_writer_decimal_u64(writer, content_size(&exchange->request));
    (void)fil_writer_text(writer, "\r\nDate: ");
    (void)fil_writer_bytes(writer,
                           fil_bytes_make(fil_http__date(exchange), FIL_HTTP_DATE_TEXT_MAX - 1));
    (void)fil_writer_text(writer, "\r\nContent-Type: ");
    (void)fil_writer_bytes(writer, type);
    return fil_writer_text(writer, "\r\n\r\n") ? FIL_OK : FIL_E_FULL;
}

void fil_http__give_up(struct fil_http_exchange *exchange)
{
    exchange->session->connection->output.queue.is_out_of_memory = true;
}

/** Commits the head, which is in the room, with a small body behind it; a large one follows. */
static void write_content(struct fil_http_exchange *exchange, uint8_t *room, size_t head_size)
{
    struct fil_request *request = &exchange->request;
    struct fil_connection *connection = exchange->session->connection;
    struct fil_bytes body = fil_bytes_make(request->reply.data, request->reply.size);
    bool is_wanted =
        request->method != FIL_HTTP_HEAD && fil_http_status_has_body(request->reply.status);
    bool is_inline = is_wanted && body.size > 0 && body.size < INLINE_MAX;
    if (is_inline) {
        memcpy(room + head_size, body.data, body.size);
    }
    fil_connection_commit(connection, is_inline ? head_size + body.size : head_size);
    if (is_wanted && !is_inline) {
        fil_connection_write(connection, body);
    }
    if (is_wanted && request->content.size_bytes > 0) {
        fil_chunk_queue_move(&connection->output.queue, &request->content);
    }
}

/** What was to be said found no memory: that is said instead. */
static void apologise(struct fil_request *request)
{
    static const char sorry[] = "out of memory: the member has reached memory.limit, or its pages "
                                "have reached their share of it\n";
    fil_chunk_queue_clear(&request->content);
    request->first_header = NULL; // they were about something else
    request->last_header = NULL;
    request->reply =
        fil_reply_bytes(FIL_HTTP_STATUS_SERVICE_UNAVAILABLE, TYPE_TEXT, sorry, sizeof(sorry) - 1);
}

/** Room in the output; a full member still has some for its own pages. */
static uint8_t *reserve(const struct fil_http_exchange *exchange, size_t size)
{
    struct fil_output *output = &exchange->session->connection->output;
    struct fil_budget *last = exchange->session->server->last;
    const struct fil_route *route = exchange->request.route;
    bool has_lost = output->queue.is_out_of_memory; // parts of answers before this one
    uint8_t *room = fil_output_reserve(output, size);
    if (room == NULL && !has_lost && last != NULL && route != NULL && route->is_page) {
        room = fil_output_borrow(output, last, size);
    }
    return room;
}

void fil_http__write_answer(struct fil_http_exchange *exchange)
{
    struct fil_request *request = &exchange->request;
    fil_assert(request->reply.status != FIL_REPLY_LATER);
    if (request->content.is_out_of_memory && request->stream == NULL) {
        apologise(request);
    }
    size_t size = fil_http__head_size(request);
    // Head and a small body lie together, so that they leave in one piece.
    size_t wanted = request->reply.size < INLINE_MAX ? size + request->reply.size : size;
    uint8_t *room = request->content.is_out_of_memory ? NULL : reserve(exchange, wanted);
    if (room == NULL) {
        fil_http__give_up(exchange);
        return;
    }
    struct fil_writer writer;
    fil_writer_init(&writer, room, size);
    int error = is_plain(exchange) ? encode_plain_head(exchange, &writer)
                                   : fil_http__encode_head(exchange, &writer);
    if (error != FIL_OK) {
        fil_http__give_up(exchange); // a header of the handler's that the protocol owns
        return;
    }
    write_content(exchange, room, fil_writer_written(&writer).size);
    fil_service_finish(request);
}

void fil_http__write_continue(struct fil_http_session *session)
{
    static const char interim[] = "HTTP/1.1 100 Continue\r\n\r\n";
    fil_connection_write(session->connection, fil_bytes_make(interim, sizeof(interim) - 1));
}

void fil_http__write_failure(struct fil_http_session *session,
                             const struct fil_http_failure *failure)
{
    char text[FIL_HTTP_FAILURE_TEXT_MAX];
    struct fil_http_exchange *exchange = fil_http__take_exchange(session);
    if (exchange == NULL) {
        session->connection->output.queue.is_out_of_memory = true;
        return;
    }
    exchange->version = FIL_HTTP_1_1;
    exchange->is_keep_alive = false;
    exchange->request.method = FIL_HTTP_GET;
    exchange->request.reply = fil_reply_text(&exchange->request, failure->status, "%s\n",
                                             fil_http_failure_format(failure, text));
    atomic_store_explicit(&exchange->is_done, true, memory_order_relaxed);
    if (session->first == NULL) {
        fil_http__write_answer(exchange);
        fil_http__give_exchange(exchange);
    } else {
        fil_http__enqueue(exchange); // those before it are answered first
    }
}
