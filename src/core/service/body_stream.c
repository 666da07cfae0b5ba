// SPDX-License-Identifier: Apache-2.0
#include "core/service/body_stream.h"

#include <string.h>

#include "core/service/request.h"
#include "core/service/service.h"
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/os/futex.h"

#define NS_PER_MS INT64_C(1000000)
#define LOW_BYTES (FIL_BODY_STREAM_BYTES_MAX / 2) // from here on more is welcome

int fil_body_stream_open(struct fil_request *request)
{
    struct fil_body_stream *stream = fil_request_alloc(request, sizeof(*stream));
    if (stream == NULL) {
        return FIL_E_NOMEM;
    }
    *stream = (struct fil_body_stream){.request = request, .end = FIL_E_AGAIN};
    fil_piece_queue_init(&stream->pieces, request->service->options.budget);
    request->body_stream = stream;
    return FIL_OK;
}

void fil_body_stream_fini(struct fil_body_stream *stream)
{
    if (stream->piece != NULL) {
        (void)fil_piece_queue_give(&stream->pieces, stream->piece);
    }
    fil_piece_queue_fini(&stream->pieces);
}

bool fil_body_stream_is_full(const struct fil_body_stream *stream)
{
    return fil_piece_queue_size(&stream->pieces) >= FIL_BODY_STREAM_BYTES_MAX;
}

bool fil_body_stream_is_wanted(const struct fil_body_stream *stream)
{
    // Relaxed: whoever sets it calls for the connection's loop afterwards.
    return atomic_load_explicit(&stream->is_wanted, memory_order_relaxed);
}

static void wake_reader(struct fil_body_stream *stream)
{
    // W2 pairs with W1.
    atomic_fetch_add_explicit(&stream->add_count, 1, memory_order_seq_cst);
    if (atomic_load_explicit(&stream->waiter_count, memory_order_seq_cst) > 0) {
        fil_futex_wake(&stream->add_count, UINT32_MAX);
    }
    if (stream->ready != NULL) {
        stream->ready(stream->request, stream->ready_context);
    }
}

int fil_body_stream_add(struct fil_body_stream *stream, struct fil_bytes content)
{
    if (content.size == 0) {
        return FIL_OK;
    }
    int error = fil_piece_queue_push(&stream->pieces, content, fil_bytes_make(NULL, 0));
    if (error == FIL_OK) {
        wake_reader(stream);
    }
    return error;
}

void fil_body_stream_end(struct fil_body_stream *stream, int error)
{
    fil_assert(error != FIL_E_AGAIN);
    // R1 pairs with A1: all pieces are there.
    atomic_store_explicit(&stream->end, error, memory_order_release);
    wake_reader(stream);
}

/** The connection's loop hears that the reader has room, or has come to what is missing. */
static void ask_for_more(struct fil_body_stream *stream)
{
    stream->untold_bytes = 0;
    stream->request->home->body(stream->request);
}

/** Once; and whenever the sender may wait for a window that what was read opens. */
static void want(struct fil_body_stream *stream)
{
    bool is_news = !fil_body_stream_is_wanted(stream);
    if (is_news) {
        atomic_store_explicit(&stream->is_wanted, true, memory_order_relaxed);
    }
    if (is_news || (stream->request->home->has_window && stream->untold_bytes > 0)) {
        ask_for_more(stream);
    }
}

/** FIL_OK with a piece, or why there is none: FIL_OK without one is the end. */
static int next_piece(struct fil_body_stream *stream)
{
    // A1 pairs with R1; before the queue is looked at, so that nothing comes behind the end.
    int end = atomic_load_explicit(&stream->end, memory_order_acquire);
    stream->piece = fil_piece_queue_take(&stream->pieces);
    stream->piece_read = 0;
    if (stream->piece == NULL && end == FIL_E_AGAIN) {
        want(stream);
    }
    return stream->piece != NULL ? FIL_OK : end;
}

/** The piece is read: its bytes make room. */
static void give_piece(struct fil_body_stream *stream)
{
    size_t size = stream->piece->size;
    uint64_t before = fil_piece_queue_give(&stream->pieces, stream->piece);
    stream->piece = NULL;
    stream->untold_bytes += size;
    if (before > LOW_BYTES && before - size <= LOW_BYTES) {
        ask_for_more(stream);
    }
}

static size_t read_piece(struct fil_body_stream *stream, uint8_t *room, size_t size)
{
    size_t left = stream->piece->size - stream->piece_read;
    size_t taken = left < size ? left : size;
    memcpy(room, stream->piece->data + stream->piece_read, taken);
    stream->piece_read += taken;
    if (taken == left) {
        give_piece(stream);
    }
    return taken;
}

int fil_body_read(struct fil_request *request, void *room, size_t size, size_t *out_size)
{
    struct fil_body_stream *stream = request->body_stream;
    *out_size = 0;
    if (stream == NULL || size == 0) {
        return FIL_E_INVALID;
    }
    while (*out_size < size) {
        int error = stream->piece != NULL ? FIL_OK : next_piece(stream);
        if (stream->piece == NULL) {
            return *out_size > 0 ? FIL_OK : error;
        }
        *out_size += read_piece(stream, (uint8_t *)room + *out_size, size - *out_size);
    }
    return FIL_OK;
}

static bool has_something(struct fil_body_stream *stream)
{
    return fil_piece_queue_size(&stream->pieces) > 0 ||
           atomic_load_explicit(&stream->end, memory_order_acquire) != FIL_E_AGAIN;
}

int fil_body_wait(struct fil_request *request, uint32_t timeout_ms)
{
    struct fil_body_stream *stream = request->body_stream;
    if (stream == NULL) {
        return FIL_E_INVALID;
    }
    if (fil_role_is(&fil_role_io)) {
        return FIL_E_WOULD_BLOCK;
    }
    if (!has_something(stream)) {
        want(stream);
    }
    // W1 pairs with W2, both sequentially consistent: either the loop sees the waiter, or the
    // waiter sees what was added.
    atomic_fetch_add_explicit(&stream->waiter_count, 1, memory_order_seq_cst);
    uint32_t seen = atomic_load_explicit(&stream->add_count, memory_order_seq_cst);
    if (!has_something(stream)) {
        // Whatever ends the wait, the state below tells.
        int ended = fil_futex_wait(&stream->add_count, seen, (int64_t)timeout_ms * NS_PER_MS);
        fil_assert(ended == FIL_OK || ended == FIL_E_AGAIN || ended == FIL_E_TIMEOUT);
    }
    atomic_fetch_sub_explicit(&stream->waiter_count, 1, memory_order_relaxed);
    return has_something(stream) ? FIL_OK : FIL_E_TIMEOUT;
}

int fil_body_watch(struct fil_request *request, fil_body_ready_fn ready, void *context)
{
    struct fil_body_stream *stream = request->body_stream;
    if (stream == NULL || ready == NULL || !fil_role_is(&fil_role_io)) {
        return FIL_E_INVALID;
    }
    stream->ready = ready;
    stream->ready_context = context;
    if (has_something(stream)) {
        ready(request, context);
    } else {
        want(stream);
    }
    return FIL_OK;
}
