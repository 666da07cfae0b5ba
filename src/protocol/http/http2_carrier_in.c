// SPDX-License-Identifier: Apache-2.0
/** What a server of HTTP/2 sends back, as nghttp2 tells it. On the connection's loop. */
#include <string.h>

#include "filbert/error.h"
#include "lib/http/status.h"
#include "lib/net/loop.h"
#include "protocol/http/http2_carrier_internal.h"

static struct fil_http2_link *link_by(nghttp2_session *engine, int32_t id)
{
    return nghttp2_session_get_stream_user_data(engine, id);
}

/** The answer is of no use: nothing more of it is wanted. */
static int refuse(nghttp2_session *engine, struct fil_http2_link *link, int error)
{
    link->error = error;
    return nghttp2_submit_rst_stream(engine, NGHTTP2_FLAG_NONE, link->id, NGHTTP2_CANCEL);
}

static int on_begin_headers(nghttp2_session *engine, const nghttp2_frame *frame, void *context)
{
    (void)engine, (void)frame;
    struct fil_http2_carrier *carrier = context;
    carrier->head_size = 0;
    carrier->is_head_refused = false;
    carrier->response.status = 0;
    carrier->response.headers.count = 0;
    return 0;
}

/** A copy in the head's room; the caller has looked whether there is some. */
static struct fil_bytes keep(struct fil_http2_carrier *carrier, nghttp2_vec part)
{
    uint8_t *room = carrier->head + carrier->head_size;
    memcpy(room, part.base, part.len);
    carrier->head_size += part.len;
    return fil_bytes_make(room, part.len);
}

static int on_header(nghttp2_session *engine, const nghttp2_frame *frame, nghttp2_rcbuf *name,
                     nghttp2_rcbuf *value, uint8_t flags, void *context)
{
    (void)engine, (void)frame, (void)flags;
    struct fil_http2_carrier *carrier = context;
    struct fil_http_headers *headers = &carrier->response.headers;
    nghttp2_vec name_part = nghttp2_rcbuf_get_buf(name);
    nghttp2_vec value_part = nghttp2_rcbuf_get_buf(value);
    uint64_t status = 0;
    if (name_part.len > 0 && name_part.base[0] == ':') {
        bool is_status = fil_bytes_to_u64(fil_bytes_make(value_part.base, value_part.len), &status);
        carrier->response.status = is_status ? (int)status : 0; // nghttp2 knows no other
        return 0;
    }
    carrier->is_head_refused |=
        headers->count == FIL_HTTP_HEADERS_MAX ||
        name_part.len + value_part.len > sizeof(carrier->head) - carrier->head_size;
    if (!carrier->is_head_refused) {
        struct fil_http_header *header = &headers->items[headers->count];
        header->name = keep(carrier, name_part);
        header->value = keep(carrier, value_part);
        headers->count++;
    }
    return 0;
}

/** A head is complete: an interim one, the answer's, or trailers. */
static int on_head(nghttp2_session *engine, struct fil_http2_carrier *carrier,
                   struct fil_http2_link *link) FIL_RUNS_ON(io)
{
    if (link->has_head || carrier->response.status < FIL_HTTP_STATUS_OK) {
        return 0;
    }
    link->has_head = true;
    if (carrier->is_head_refused) {
        return refuse(engine, link, FIL_E_LIMIT);
    }
    struct fil_bytes head = fil_bytes_make(carrier->head, carrier->head_size);
    int error = fil_http__take_response(&link->base, &carrier->response, head);
    return error == FIL_OK ? 0 : refuse(engine, link, error);
}

static int on_frame(nghttp2_session *engine, const nghttp2_frame *frame, void *context)
{
    struct fil_http2_carrier *carrier = context;
    fil_role_assert_io();
    if (frame->hd.type == NGHTTP2_GOAWAY) {
        fil_list_remove(&carrier->carrier_link);
    }
    if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA) {
        return 0;
    }
    struct fil_http2_link *link = link_by(engine, frame->hd.stream_id);
    if (link == NULL) {
        return 0;
    }
    link->is_whole |= (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    return frame->hd.type == NGHTTP2_HEADERS ? on_head(engine, carrier, link) : 0;
}

static int on_data(nghttp2_session *engine, uint8_t flags, int32_t id, const uint8_t *data,
                   size_t size, void *context)
{
    (void)flags, (void)context;
    struct fil_http2_link *link = link_by(engine, id);
    if (link == NULL || link->error != FIL_OK) {
        return 0;
    }
    struct fil_http_call *call = link->base.call;
    link->received += size;
    if (link->received > FIL_HTTP_CLIENT_CONTENT_MAX) {
        return refuse(engine, link, FIL_E_LIMIT);
    }
    if (call != NULL) {
        fil_chunk_queue_append(call->content, &call->loop->chunks, fil_bytes_make(data, size));
        return call->content->is_out_of_memory ? refuse(engine, link, FIL_E_NOMEM) : 0;
    }
    return 0;
}

static int on_close(nghttp2_session *engine, int32_t id, uint32_t code, void *context)
{
    (void)context;
    fil_role_assert_io();
    struct fil_http2_link *link = link_by(engine, id);
    if (link == NULL) {
        return 0;
    }
    if (code == NGHTTP2_REFUSED_STREAM) {
        link->base.is_sent = false; // it has not begun
    }
    // A server may say that it wants no more of the request once it has answered.
    bool is_answered = link->has_head && link->is_whole && link->error == FIL_OK &&
                       (code == NGHTTP2_NO_ERROR || code == NGHTTP2_CANCEL);
    int error = link->error == FIL_OK ? FIL_E_CLOSED : link->error;
    fil_http2__end_link(link, is_answered ? FIL_OK : error);
    return 0;
}

static int on_sent(nghttp2_session *engine, const nghttp2_frame *frame, void *context)
{
    (void)context;
    if (frame->hd.type == NGHTTP2_HEADERS) {
        struct fil_http2_link *link = link_by(engine, frame->hd.stream_id);
        if (link != NULL) {
            link->is_written = true;
        }
    }
    return 0;
}

void fil_http2__set_carrier_callbacks(nghttp2_session_callbacks *callbacks)
{
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
    nghttp2_session_callbacks_set_on_header_callback2(callbacks, on_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_sent);
}
