// SPDX-License-Identifier: Apache-2.0
/** From answers to frames: nghttp2 asks for as much as the windows take, when the output has room.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/http/status.h"
#include "protocol/http/http2_internal.h"

#define OWN_FIELDS_MAX   6U // status, date, type, length, the page headers
#define FRAME_HEAD_BYTES 9U
#define SLICES_MAX       4U
#define STATUS_TEXT_MAX  16U
#define LENGTH_TEXT_MAX  24U

// Heads.

struct fields {
    nghttp2_nv items[OWN_FIELDS_MAX + FIL_REQUEST_HEADERS_MAX];
    size_t count;
};

/** nghttp2 takes a copy, with the name in small letters. */
static void add(struct fields *fields, struct fil_bytes name, struct fil_bytes value)
{
    fil_assert(fields->count < FIL_COUNT_OF(fields->items));
    nghttp2_nv *field = &fields->items[fields->count];
    *field = (nghttp2_nv){.namelen = name.size, .valuelen = value.size};
    memcpy(&field->name, &name.data, sizeof(field->name)); // which nghttp2 does not write to
    memcpy(&field->value, &value.data, sizeof(field->value));
    fields->count++;
}

static void add_text(struct fields *fields, const char *name, const char *value)
{
    add(fields, fil_bytes_of(name), fil_bytes_of(value));
}

/** What belongs to one connection, or to the framing, is not the handler's to say. */
static bool is_own(struct fil_bytes name)
{
    static const char *const names[] = {"connection",       "content-length",    "keep-alive",
                                        "proxy-connection", "transfer-encoding", "upgrade"};
    for (size_t i = 0; i < FIL_COUNT_OF(names); i++) {
        if (fil_bytes_equal_nocase(name, fil_bytes_of(names[i]))) {
            return true;
        }
    }
    return false;
}

/** The handler's; false when it has one that is not its own. */
static bool add_headers(struct fields *fields, const struct fil_request *request)
{
    const struct fil_request_header *header = request->first_header;
    for (; header != NULL; header = header->next) {
        if (is_own(header->name)) {
            return false;
        }
        add(fields, header->name, header->value);
    }
    return true;
}

static bool is_body_wanted(const struct fil_http2_stream *stream)
{
    const struct fil_request *request = &stream->exchange.request;
    return request->method != FIL_HTTP_HEAD && fil_http_status_has_body(request->reply.status);
}

// Bodies.

static size_t whole_left(const struct fil_http2_stream *stream)
{
    const struct fil_request *request = &stream->exchange.request;
    return request->reply.size - stream->answer_sent + request->content.size_bytes;
}

static ssize_t read_whole(struct fil_http2_stream *stream, size_t room, uint32_t *flags)
{
    size_t left = whole_left(stream);
    *flags |= NGHTTP2_DATA_FLAG_NO_COPY | (left <= room ? NGHTTP2_DATA_FLAG_EOF : 0U);
    return (ssize_t)(left < room ? left : room);
}

/** Nothing is there: that was all, or more will come. */
static ssize_t read_end(struct fil_http2_stream *stream, uint32_t *flags)
{
    const struct fil_reply_stream *pieces = stream->exchange.request.stream;
    if (!stream->is_home) {
        stream->is_deferred = true;
        return NGHTTP2_ERR_DEFERRED;
    }
    if (pieces->is_sized && pieces->size_left > 0) {
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE; // fewer than promised must not look like all
    }
    *flags |= NGHTTP2_DATA_FLAG_NO_COPY | NGHTTP2_DATA_FLAG_EOF;
    return 0;
}

static ssize_t read_pieces(struct fil_http2_stream *stream, size_t room, uint32_t *flags)
{
    if (stream->piece == NULL) {
        stream->piece = fil_reply_stream_take(stream->exchange.request.stream);
        stream->piece_sent = 0;
    }
    if (stream->piece == NULL) {
        return read_end(stream, flags);
    }
    size_t left = stream->piece->size - stream->piece_sent;
    *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
    return (ssize_t)(left < room ? left : room);
}

// NOLINTNEXTLINE(readability-function-size, readability-non-const-parameter): as nghttp2 has it
static ssize_t read_body(nghttp2_session *engine, int32_t id, uint8_t *room, size_t size,
                         uint32_t *flags, nghttp2_data_source *source, void *context)
{
    (void)engine, (void)id, (void)room, (void)context;
    struct fil_http2_stream *stream = source->ptr;
    return stream->exchange.request.stream != NULL ? read_pieces(stream, size, flags)
                                                   : read_whole(stream, size, flags);
}

/** Writes of the chunks behind the reply's own bytes. */
static void write_content(struct fil_http2_stream *stream, size_t size)
{
    struct fil_chunk_queue *content = &stream->exchange.request.content;
    while (size > 0) {
        struct fil_bytes slices[SLICES_MAX];
        uint32_t count = fil_chunk_queue_slices(content, slices, SLICES_MAX);
        fil_assert(count > 0);
        size_t part = slices[0].size < size ? slices[0].size : size;
        fil_connection_write(stream->session->base.connection,
                             fil_bytes_make(slices[0].data, part));
        fil_chunk_queue_consume(content, part);
        size -= part;
    }
}

static void write_whole(struct fil_http2_stream *stream, size_t size)
{
    const struct fil_reply *reply = &stream->exchange.request.reply;
    size_t left = reply->size - (size_t)stream->answer_sent;
    size_t part = left < size ? left : size;
    if (part > 0) {
        const uint8_t *data = reply->data;
        fil_connection_write(stream->session->base.connection,
                             fil_bytes_make(data + stream->answer_sent, part));
        stream->answer_sent += part;
    }
    write_content(stream, size - part);
}

static void write_piece(struct fil_http2_stream *stream, size_t size)
{
    struct fil_reply_stream *pieces = stream->exchange.request.stream;
    struct fil_piece *piece = stream->piece;
    fil_connection_write(stream->session->base.connection,
                         fil_bytes_make(piece->data + stream->piece_sent, size));
    stream->piece_sent += size;
    pieces->size_left -= pieces->is_sized ? size : 0;
    if (stream->piece_sent == piece->size) {
        stream->piece = NULL;
        fil_reply_stream_give(pieces, piece);
    }
}

/** Straight to the connection's output, behind the frame's head. */
static int on_send_data(nghttp2_session *engine, nghttp2_frame *frame, const uint8_t *head,
                        size_t size, nghttp2_data_source *source, void *context)
{
    (void)engine, (void)frame;
    struct fil_http2_session *session = context;
    struct fil_http2_stream *stream = source->ptr;
    fil_connection_write(session->base.connection, fil_bytes_make(head, FRAME_HEAD_BYTES));
    if (stream->exchange.request.stream == NULL) {
        write_whole(stream, size);
    } else if (size > 0) {
        write_piece(stream, size);
    }
    stream->has_moved = true; // the loop alone knows what time it is
    return 0;
}

// Answers.

static void reset(struct fil_http2_stream *stream, uint32_t code)
{
    // Without memory for the frame the session is of no use: sending finds out.
    (void)nghttp2_submit_rst_stream(stream->session->engine, NGHTTP2_FLAG_NONE, stream->id, code);
}

static void add_own(struct fields *fields, struct fil_http2_stream *stream, char *status,
                    char *length)
{
    const struct fil_request *request = &stream->exchange.request;
    struct fil_http_framing framing = fil_http__framing_of(&stream->exchange);
    (void)snprintf(status, STATUS_TEXT_MAX, "%d", request->reply.status);
    add_text(fields, ":status", status);
    add_text(fields, "date", fil_http__date(&stream->exchange));
    if (fil_http_status_has_body(request->reply.status)) {
        add_text(fields, "content-type", fil_http__content_type(request));
    }
    if (framing.kind == FIL_HTTP_BODY_LENGTH) {
        (void)snprintf(length, LENGTH_TEXT_MAX, "%" PRIu64, framing.length);
        add_text(fields, "content-length", length);
    }
    if (request->route != NULL && request->route->is_uncached) {
        add_text(fields, "cache-control", "no-store");
        add_text(fields, "x-content-type-options", "nosniff");
    }
}

static void submit(struct fil_http2_stream *stream)
{
    struct fields fields = {.count = 0};
    char status[STATUS_TEXT_MAX];
    char length[LENGTH_TEXT_MAX];
    const struct fil_request *request = &stream->exchange.request;
    nghttp2_data_provider body = {.source.ptr = stream, .read_callback = read_body};
    stream->is_answering = true;
    add_own(&fields, stream, status, length);
    bool is_good = add_headers(&fields, request) && !request->content.is_out_of_memory &&
                   strpbrk(fil_http__content_type(request), "\r\n") == NULL;
    bool is_empty = request->stream == NULL && whole_left(stream) == 0;
    if (!is_good ||
        nghttp2_submit_response(stream->session->engine, stream->id, fields.items, fields.count,
                                is_body_wanted(stream) && !is_empty ? &body : NULL)) {
        reset(stream, NGHTTP2_INTERNAL_ERROR);
    }
}

void fil_http2__answer(struct fil_http2_stream *stream)
{
    if (stream->is_closed) {
        return;
    }
    if (!stream->is_answering) {
        stream->has_moved = true;
        submit(stream);
    } else if (stream->is_deferred) {
        stream->is_deferred = false;
        // It was deferred, so it can be resumed, unless memory is out: sending finds out.
        (void)nghttp2_session_resume_data(stream->session->engine, stream->id);
    }
}

void fil_http2__call_for_body(struct fil_http2_stream *stream)
{
    struct fields fields = {.count = 0};
    stream->expects_continue = false;
    add_text(&fields, ":status", "100");
    // One that cannot be sent is waited for in vain, for a second or so.
    (void)nghttp2_submit_headers(stream->session->engine, NGHTTP2_FLAG_NONE, stream->id, NULL,
                                 fields.items, fields.count, NULL);
}

/** All of the answer has left: what is missing of the request is not wanted any more. */
static void finish_answer(struct fil_http2_stream *stream)
{
    const struct fil_request *request = &stream->exchange.request;
    if (request->stream == NULL || !request->stream->is_endless) {
        fil_service_finish(&stream->exchange.request);
    }
    fil_http2__earn(stream->session);
    if (!stream->has_whole_body) {
        stream->is_body_unwanted = true;
        reset(stream, NGHTTP2_NO_ERROR);
    }
}

static int on_sent(nghttp2_session *engine, const nghttp2_frame *frame, void *context)
{
    struct fil_http2_session *session = context;
    bool is_answer = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
    if (is_answer && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) {
        struct fil_http2_stream *stream =
            nghttp2_session_get_stream_user_data(engine, frame->hd.stream_id);
        if (stream != NULL) {
            finish_answer(stream);
        }
    } else if (frame->hd.type == NGHTTP2_RST_STREAM &&
               frame->rst_stream.error_code == NGHTTP2_REFUSED_STREAM) {
        fil_http2__count_refusal(session, FIL_HTTP2_REFUSED_STREAMS);
    } else if (frame->hd.type == NGHTTP2_GOAWAY && !session->is_failed &&
               frame->goaway.error_code != NGHTTP2_NO_ERROR) { // nghttp2 ends it
        bool is_flood = frame->goaway.error_code == NGHTTP2_ENHANCE_YOUR_CALM;
        fil_http2__count_refusal(session,
                                 is_flood ? FIL_HTTP2_REFUSED_FLOOD : FIL_HTTP2_REFUSED_MALFORMED);
    }
    return 0;
}

/** A head that cannot be sent: larger than nghttp2 makes them. */
static int on_not_sent(nghttp2_session *engine, const nghttp2_frame *frame, int error,
                       void *context)
{
    (void)error, (void)context;
    bool is_head = frame->hd.type == NGHTTP2_HEADERS;
    return is_head && nghttp2_submit_rst_stream(engine, NGHTTP2_FLAG_NONE, frame->hd.stream_id,
                                                NGHTTP2_INTERNAL_ERROR) != 0
               ? NGHTTP2_ERR_CALLBACK_FAILURE
               : 0;
}

static int on_close(nghttp2_session *engine, int32_t id, uint32_t code, void *context)
{
    (void)code;
    struct fil_http2_session *session = context;
    struct fil_http2_stream *stream = nghttp2_session_get_stream_user_data(engine, id);
    if (stream == NULL) {
        return 0;
    }
    stream->is_closed = true;
    session->open_count--;
    if (!stream->is_home && stream->exchange.request.is_detached) {
        fil_http2__cancel(stream);
        fil_http2__end_body(stream, FIL_E_CLOSED);
    }
    // What its body's reader has not read does not hold the windows of others any longer.
    stream->is_body_unwanted = true;
    fil_http2__consume(stream);
    fil_http2__let_go(stream);
    return 0;
}

void fil_http2__set_answer_callbacks(nghttp2_session_callbacks *callbacks)
{
    nghttp2_session_callbacks_set_send_data_callback(callbacks, on_send_data);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_sent);
    nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks, on_not_sent);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
}
