// SPDX-License-Identifier: Apache-2.0
/**
 * A body that its handler reads while it comes: what was received waits here until it is read.
 *
 *     connection: add, add ... --> end            its loop, which stops reading when this is full
 *                     |
 *     handler:        +--read, wait, read ...-->  any thread, one at a time
 *
 * Back-pressure: when so many bytes wait (FIL_BODY_STREAM_BYTES_MAX), the connection is not read
 * any more until half of them are taken, and the sender's window closes.
 *
 * Memory:  pieces are drawn from the service's budget until they are read.
 * Threads: read, wait and watch by whoever has the request; add and end by its connection's loop.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/service/piece_queue.h"
#include "filbert/service.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/conc/role.h"

#define FIL_BODY_STREAM_BYTES_MAX ((uint64_t)256 << 10)

struct fil_body_stream {
    // Set by open, then read-only.
    struct fil_request *request;

    // Shared.
    struct fil_piece_queue pieces;
    _Atomic int end;            // FIL_E_AGAIN: more will come; FIL_OK: that was all; or why not
    _Atomic bool is_wanted;     // somebody has asked for what has not come yet
    _Atomic uint32_t add_count; // who waits for more waits for it to change
    _Atomic uint32_t waiter_count;

    // The loop's own.
    fil_body_ready_fn ready; // NULL: nobody watches
    void *ready_context;

    // The reader's own.
    struct fil_piece *piece; // read up to here
    size_t piece_read;
    uint64_t untold_bytes; // read since the loop was last asked for more
};

/** Gives the request a stream for its body. FIL_E_NOMEM. */
int fil_body_stream_open(struct fil_request *request) FIL_NODISCARD;

/** Nobody reads any more: frees what was not read. */
void fil_body_stream_fini(struct fil_body_stream *stream);

/** Adds what was received. FIL_E_NOMEM. */
int fil_body_stream_add(struct fil_body_stream *stream, struct fil_bytes content) FIL_RUNS_ON(io)
    FIL_NODISCARD;

/** No more will come: FIL_OK when that was all of it. */
void fil_body_stream_end(struct fil_body_stream *stream, int error) FIL_RUNS_ON(io);

FIL_ANY_THREAD bool fil_body_stream_is_full(const struct fil_body_stream *stream);

/** Whether the handler has asked for what has not come: one that only looks at the head has not. */
FIL_ANY_THREAD bool fil_body_stream_is_wanted(const struct fil_body_stream *stream);
