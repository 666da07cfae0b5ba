// SPDX-License-Identifier: Apache-2.0
#include "core/service/reply_stream.h"

#include <string.h>

#include "core/service/request.h"
#include "core/service/service.h"
#include "core/service/websocket.h"
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/http/status.h"
#include "lib/os/futex.h"

#define NS_PER_MS INT64_C(1000000)

enum watch {
    UNWATCHED,
    WATCHED,
    TOLD,
};

/** The stream with its status and headers; nobody has heard of it yet. NULL: no memory. */
static struct fil_reply_stream *open_stream(struct fil_request *request, int status,
                                            const char *type, bool is_endless)
{
    struct fil_reply_stream *stream = fil_request_alloc(request, sizeof(*stream));
    if (stream == NULL || request->home->stream == NULL ||
        request->home->detach(request) != FIL_OK) {
        return NULL;
    }
    *stream = (struct fil_reply_stream){.request = request, .is_endless = is_endless};
    fil_piece_queue_init(&stream->pieces, request->service->options.budget);
    request->stream = stream;
    fil_request_settle(request, (struct fil_reply){.status = status, .type = type});
    return stream;
}

struct fil_reply_stream *fil_reply_stream_open(struct fil_request *request, int status,
                                               const char *type)
{
    if (status < 200 || status > 599 || request->stream != NULL) {
        return NULL;
    }
    bool is_endless = type != NULL && strcmp(type, FIL_REPLY_STREAM_EVENTS_TYPE) == 0;
    struct fil_reply_stream *stream = open_stream(request, status, type, is_endless);
    if (stream != NULL) {
        fil_counter_add_shared(&request->service->stats.streams, 1);
        request->home->stream(request);
    }
    return stream;
}

struct fil_reply_stream *fil_reply_stream_open_sized(struct fil_request *request, int status,
                                                     const char *type, uint64_t size)
{
    struct fil_reply_stream *stream =
        request->stream != NULL ? NULL : open_stream(request, status, type, false);
    if (stream != NULL) {
        stream->is_sized = true;
        stream->size_left = size;
        fil_counter_add_shared(&request->service->stats.streams, 1);
        request->home->stream(request);
    }
    return stream;
}

struct fil_reply_stream *fil_reply_stream_open_socket(struct fil_request *request)
{
    fil_assert(request->socket != NULL);
    struct fil_reply_stream *stream =
        request->stream != NULL
            ? NULL
            : open_stream(request, FIL_HTTP_STATUS_SWITCHING_PROTOCOLS, NULL, false);
    if (stream != NULL) {
        request->socket->stream = stream;
        request->home->stream(request);
    }
    return stream;
}

struct fil_reply fil_reply_streamed(struct fil_reply_stream *stream)
{
    (void)stream; // it may be over already
    return (struct fil_reply){.status = FIL_REPLY_LATER};
}

bool fil_reply_stream_is_full(const struct fil_reply_stream *stream)
{
    return fil_piece_queue_size(&stream->pieces) >= FIL_REPLY_STREAM_BYTES_MAX;
}

int fil_reply_stream_push(struct fil_reply_stream *stream, struct fil_bytes first,
                          struct fil_bytes second)
{
    if (fil_request_is_cancelled(stream->request)) {
        return FIL_E_CLOSED;
    }
    int error = fil_piece_queue_push(&stream->pieces, first, second);
    if (error == FIL_OK) {
        stream->request->home->stream(stream->request);
    }
    return error;
}

int fil_reply_stream_write(struct fil_reply_stream *stream, const void *data, size_t size)
{
    if (fil_request_is_cancelled(stream->request)) {
        return FIL_E_CLOSED;
    }
    if (size == 0) {
        return FIL_OK;
    }
    if (fil_reply_stream_is_full(stream)) {
        return FIL_E_AGAIN;
    }
    return fil_reply_stream_push(stream, fil_bytes_make(data, size), fil_bytes_make(NULL, 0));
}

/** Whoever cancels says so first, then looks for those to tell. */
static bool is_cancelled(struct fil_reply_stream *stream)
{
    return atomic_load_explicit(&stream->request->is_cancelled, memory_order_seq_cst);
}

int fil_reply_stream_wait(struct fil_reply_stream *stream, uint32_t timeout_ms)
{
    if (fil_role_is(&fil_role_io)) {
        return FIL_E_WOULD_BLOCK;
    }
    // W1 pairs with W2, both sequentially consistent: either the taker sees the waiter, or the
    // waiter sees what was taken.
    atomic_fetch_add_explicit(&stream->waiter_count, 1, memory_order_seq_cst);
    uint32_t seen = atomic_load_explicit(&stream->take_count, memory_order_seq_cst);
    if (fil_reply_stream_is_full(stream) && !is_cancelled(stream)) {
        // Whatever ends the wait, the state below tells.
        int ended = fil_futex_wait(&stream->take_count, seen, (int64_t)timeout_ms * NS_PER_MS);
        fil_assert(ended == FIL_OK || ended == FIL_E_AGAIN || ended == FIL_E_TIMEOUT);
    }
    atomic_fetch_sub_explicit(&stream->waiter_count, 1, memory_order_relaxed);
    if (is_cancelled(stream)) {
        return FIL_E_CLOSED;
    }
    return fil_reply_stream_is_full(stream) ? FIL_E_TIMEOUT : FIL_OK;
}

void fil_reply_stream_end(struct fil_reply_stream *stream)
{
    fil_assert(stream->request->stream == stream);
    stream->request->home->done(stream->request); // both may be gone now
}

void fil_reply_stream_wake(struct fil_reply_stream *stream)
{
    // W2 pairs with W1.
    atomic_fetch_add_explicit(&stream->take_count, 1, memory_order_seq_cst);
    if (atomic_load_explicit(&stream->waiter_count, memory_order_seq_cst) > 0) {
        fil_futex_wake(&stream->take_count, UINT32_MAX);
    }
}

static void tell_watcher(struct fil_reply_stream *stream)
{
    uint32_t watched = WATCHED;
    // Sequentially consistent, as is_cancelled: one of the two who may tell sees both. Only one
    // changes the word.
    if (atomic_compare_exchange_strong_explicit(&stream->watch, &watched, TOLD,
                                                memory_order_seq_cst, memory_order_seq_cst)) {
        stream->gone(stream->gone_context);
    }
}

void fil_reply_stream_watch(struct fil_reply_stream *stream, fil_reply_stream_gone_fn gone,
                            void *context)
{
    stream->gone = gone;
    stream->gone_context = context;
    uint32_t before = atomic_exchange_explicit(&stream->watch, WATCHED, memory_order_seq_cst);
    fil_assert(before == UNWATCHED);
    if (is_cancelled(stream)) {
        tell_watcher(stream);
    }
}

void fil_reply_stream_cancel(struct fil_reply_stream *stream)
{
    atomic_store_explicit(&stream->request->is_cancelled, true, memory_order_seq_cst);
    fil_reply_stream_wake(stream);
    tell_watcher(stream);
}

struct fil_piece *fil_reply_stream_take(struct fil_reply_stream *stream)
{
    return fil_piece_queue_take(&stream->pieces);
}

void fil_reply_stream_give(struct fil_reply_stream *stream, struct fil_piece *piece)
{
    (void)fil_piece_queue_give(&stream->pieces, piece);
    fil_reply_stream_wake(stream);
}

void fil_reply_stream_fini(struct fil_reply_stream *stream)
{
    fil_piece_queue_fini(&stream->pieces);
}
