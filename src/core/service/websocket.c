// SPDX-License-Identifier: Apache-2.0
#include "core/service/websocket.h"

#include <string.h>

#include "core/service/request.h"
#include "core/service/service.h"
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/base/utf8.h"
#include "lib/http/status.h"

#define MESSAGE_BYTES_DEFAULT    ((size_t)1 << 20)
#define PING_INTERVAL_DEFAULT_MS 30000U
#define NS_PER_MS                UINT64_C(1000000)

enum fil_websocket_state fil_websocket_state(const struct fil_websocket *socket)
{
    // Relaxed: whoever sends meanwhile is told by the stream, or talks to nobody.
    return (enum fil_websocket_state)atomic_load_explicit(&socket->state, memory_order_relaxed);
}

struct fil_request *fil_websocket_request(struct fil_websocket *socket)
{
    return socket->request;
}

struct fil_websocket *fil_websocket_ref(struct fil_websocket *socket)
{
    // Relaxed: the caller has a reference, or is called with one.
    atomic_fetch_add_explicit(&socket->ref_count, 1, memory_order_relaxed);
    return socket;
}

void fil_websocket_unref(struct fil_websocket *socket)
{
    // Acquire and release: what others did with it is done before its memory goes.
    if (atomic_fetch_sub_explicit(&socket->ref_count, 1, memory_order_acq_rel) == 1) {
        fil_reply_stream_end(socket->stream);
    }
}

/** One frame, whether there is room or not. */
static int push(struct fil_websocket *socket, enum fil_websocket_op op, struct fil_bytes content)
{
    uint8_t head[FIL_WEBSOCKET_OUT_HEAD_MAX];
    size_t size = fil_websocket_encode_head(op, content.size, head);
    return fil_reply_stream_push(socket->stream, fil_bytes_make(head, size), content);
}

int fil_websocket_control(struct fil_websocket *socket, enum fil_websocket_op op,
                          struct fil_bytes content)
{
    fil_assert(content.size <= FIL_WEBSOCKET_CONTROL_MAX);
    return push(socket, op, content);
}

int fil_websocket_send(struct fil_websocket *socket, enum fil_websocket_kind kind, const void *data,
                       size_t size)
{
    struct fil_bytes content = fil_bytes_make(data, size);
    bool is_text = kind == FIL_WEBSOCKET_KIND_TEXT;
    if (fil_websocket_state(socket) != FIL_WEBSOCKET_IS_OPEN) {
        return FIL_E_CLOSED;
    }
    if (is_text && !fil_utf8_is_valid(content)) {
        return FIL_E_INVALID;
    }
    if (fil_reply_stream_is_full(socket->stream)) {
        return FIL_E_AGAIN;
    }
    return push(socket, is_text ? FIL_WEBSOCKET_OP_TEXT : FIL_WEBSOCKET_OP_BINARY, content);
}

int fil_websocket_wait(struct fil_websocket *socket, uint32_t timeout_ms)
{
    int error = fil_reply_stream_wait(socket->stream, timeout_ms);
    bool is_open = fil_websocket_state(socket) == FIL_WEBSOCKET_IS_OPEN;
    return error == FIL_OK && !is_open ? FIL_E_CLOSED : error;
}

/** Goes on from open; false when another was first. */
static bool leave_open(struct fil_websocket *socket, enum fil_websocket_state next)
{
    uint32_t open = FIL_WEBSOCKET_IS_OPEN;
    return atomic_compare_exchange_strong_explicit(&socket->state, &open, next,
                                                   memory_order_acq_rel, memory_order_relaxed);
}

static int push_close(struct fil_websocket *socket, int code, struct fil_bytes reason)
{
    uint8_t content[FIL_WEBSOCKET_CONTROL_MAX] = {(uint8_t)(code >> 8), (uint8_t)code};
    fil_assert(reason.size <= FIL_WEBSOCKET_REASON_MAX);
    if (reason.size > 0) {
        memcpy(content + 2, reason.data, reason.size);
    }
    return push(socket, FIL_WEBSOCKET_OP_CLOSE, fil_bytes_make(content, 2 + reason.size));
}

int fil_websocket_close(struct fil_websocket *socket, int code, const char *reason)
{
    struct fil_bytes text = fil_bytes_of(reason == NULL ? "" : reason);
    if (!fil_websocket_is_code(code) || text.size > FIL_WEBSOCKET_REASON_MAX ||
        !fil_utf8_is_valid(text)) {
        return FIL_E_INVALID;
    }
    if (!leave_open(socket, FIL_WEBSOCKET_IS_CLOSING)) {
        return FIL_E_CLOSED;
    }
    int error = push_close(socket, code, text);
    if (error != FIL_OK) {
        uint32_t closing = FIL_WEBSOCKET_IS_CLOSING;
        // Unless the connection has ended meanwhile. Relaxed: nothing was sent.
        (void)atomic_compare_exchange_strong_explicit(&socket->state, &closing,
                                                      FIL_WEBSOCKET_IS_OPEN, memory_order_relaxed,
                                                      memory_order_relaxed);
    }
    return error;
}

void fil_websocket_say_close(struct fil_websocket *socket, int code, struct fil_bytes reason)
{
    if (leave_open(socket, FIL_WEBSOCKET_IS_CLOSING)) {
        // Without memory for it the connection just ends.
        (void)push_close(socket, code, reason);
    }
}

void fil_websocket_open(struct fil_websocket *socket)
{
    socket->is_opened = true;
    if (socket->options.on_open != NULL) {
        socket->options.on_open(socket, socket->options.context);
    }
}

void fil_websocket_end(struct fil_websocket *socket, int code, struct fil_bytes reason)
{
    char text[FIL_WEBSOCKET_REASON_MAX + 1] = {0};
    uint32_t before =
        atomic_exchange_explicit(&socket->state, FIL_WEBSOCKET_IS_CLOSED, memory_order_acq_rel);
    if (before == FIL_WEBSOCKET_IS_CLOSED) {
        return;
    }
    fil_assert(reason.size < sizeof(text));
    if (reason.size > 0) {
        memcpy(text, reason.data, reason.size);
    }
    if (socket->is_opened && socket->options.on_close != NULL) {
        socket->options.on_close(socket, socket->options.context, code, text);
    }
    fil_reply_stream_wake(socket->stream);
    fil_websocket_unref(socket);
}

// The handshake.

/** The connection is gone; perhaps before it was a WebSocket's. */
static void lose(void *context)
{
    fil_websocket_end(context, FIL_WEBSOCKET_LOST, fil_bytes_make(NULL, 0));
}

static struct fil_bytes header_of(struct fil_request *request, const char *name)
{
    const struct fil_http_header *header = fil_request_find_header(request, name);
    return header == NULL ? fil_bytes_make(NULL, 0) : header->value;
}

/** Whether a comma-separated header names it, as it is written. */
static bool is_offered(struct fil_request *request, const char *subprotocol)
{
    struct fil_bytes rest = header_of(request, "Sec-WebSocket-Protocol");
    while (rest.size > 0) {
        size_t size = fil_bytes_find(rest, ',');
        size_t used = size < rest.size ? size + 1 : size;
        if (fil_bytes_equal_text(fil_bytes_trim(fil_bytes_make(rest.data, size)), subprotocol)) {
            return true;
        }
        rest = fil_bytes_make(rest.data + used, rest.size - used);
    }
    return false;
}

static struct fil_reply refuse_version(struct fil_request *request)
{
    fil_request_add_header(request, "Sec-WebSocket-Version", "13");
    fil_request_add_header(request, "Upgrade", "websocket");
    return fil_reply_text(request, FIL_HTTP_STATUS_UPGRADE_REQUIRED,
                          "this is a WebSocket of version 13\n");
}

static bool is_asked_for(struct fil_request *request)
{
    return request->can_upgrade &&
           fil_bytes_equal_nocase(header_of(request, "Upgrade"), fil_bytes_of("websocket")) &&
           fil_bytes_equal_text(header_of(request, "Sec-WebSocket-Version"), "13");
}

/** Answers the key, and what is spoken. FIL_E_INVALID, FIL_E_NOMEM, FIL_E_LIMIT. */
static int add_headers(struct fil_request *request, const char *subprotocol)
{
    char accept[FIL_WEBSOCKET_ACCEPT_SIZE + 1] = {0};
    int error = fil_websocket_accept_key(header_of(request, "Sec-WebSocket-Key"), accept);
    if (error == FIL_OK) {
        error = fil_reply_header(request, "Upgrade", "websocket");
    }
    if (error == FIL_OK) {
        error = fil_reply_header(request, "Connection", "Upgrade");
    }
    if (error == FIL_OK) {
        error = fil_reply_header(request, "Sec-WebSocket-Accept", accept);
    }
    if (error == FIL_OK && subprotocol != NULL && is_offered(request, subprotocol)) {
        error = fil_reply_header(request, "Sec-WebSocket-Protocol", subprotocol);
    }
    return error;
}

static struct fil_websocket *make(struct fil_request *request,
                                  const struct fil_websocket_options *options)
{
    struct fil_websocket *socket = fil_request_alloc(request, sizeof(*socket));
    if (socket == NULL) {
        return NULL;
    }
    uint32_t ping_ms =
        options->ping_interval_ms == 0 ? PING_INTERVAL_DEFAULT_MS : options->ping_interval_ms;
    *socket = (struct fil_websocket){
        .request = request, .options = *options, .ping_ns = ping_ms * NS_PER_MS, .ref_count = 2};
    fil_websocket_decoder_init(&socket->decoder, options->message_bytes_max == 0
                                                     ? MESSAGE_BYTES_DEFAULT
                                                     : options->message_bytes_max);
    return socket;
}

struct fil_reply fil_websocket_accept(struct fil_request *request,
                                      const struct fil_websocket_options *options)
{
    static const struct fil_websocket_options defaults;
    options = options == NULL ? &defaults : options;
    if (!is_asked_for(request)) {
        return refuse_version(request);
    }
    int error = add_headers(request, options->subprotocol);
    struct fil_websocket *socket = error == FIL_OK ? make(request, options) : NULL;
    if (socket == NULL) {
        return fil_reply_error(request, error == FIL_OK ? FIL_E_NOMEM : error);
    }
    request->socket = socket;
    socket->stream = fil_reply_stream_open_socket(request);
    if (socket->stream == NULL) {
        request->socket = NULL;
        return fil_reply_error(request, FIL_E_NOMEM);
    }
    fil_counter_add_shared(&request->service->stats.sockets, 1);
    // The second reference keeps it for these calls: its loop may be through with it already.
    struct fil_reply reply = fil_reply_streamed(socket->stream);
    fil_reply_stream_watch(socket->stream, lose, socket);
    fil_websocket_unref(socket);
    return reply;
}
