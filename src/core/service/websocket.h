// SPDX-License-Identifier: Apache-2.0
/**
 * A WebSocket on its way through the service layer: what filbert/websocket.h promises, without the
 * connection.
 *
 *     open --close, by us--> closing --answered, or not--> closed
 *       |                                                    ^
 *       +--close or mistake of the peer, lost, stopped ------+
 *
 * What is sent goes through the answer's stream, frame by frame; control frames are not refused
 * when that is full, for there are at most as many as messages that the peer has sent, and those
 * wait then.
 *
 * Memory:  lies in the arena of its request, which is over when the last reference is given up.
 * Threads: send, close, ref and unref by any; the rest by the connection's loop.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/service/reply_stream.h"
#include "filbert/websocket.h"
#include "lib/base/attr.h"
#include "lib/conc/role.h"
#include "lib/http/websocket.h"

enum fil_websocket_state {
    FIL_WEBSOCKET_IS_OPEN,
    FIL_WEBSOCKET_IS_CLOSING, // we have said goodbye
    FIL_WEBSOCKET_IS_CLOSED,
};

struct fil_websocket {
    // Set by accept, then read-only.
    struct fil_request *request;
    struct fil_reply_stream *stream;
    struct fil_websocket_options options;
    uint64_t ping_ns;

    // Shared.
    _Atomic uint32_t ref_count; // one is the connection's
    _Atomic uint32_t state;     // enum fil_websocket_state

    // The loop's own.
    struct fil_websocket_decoder decoder;
    uint64_t heard_ns;   // when something came
    uint64_t pinged_ns;  // 0: nobody waits for a pong
    uint64_t closing_ns; // when it was first seen that we close
    bool is_opened;      // on_open was called

    // Whoever holds the connection's writer flag.
    bool is_close_written;
};

FIL_ANY_THREAD enum fil_websocket_state fil_websocket_state(const struct fil_websocket *socket);

/** The answer to the handshake is written: the first callback. */
void fil_websocket_open(struct fil_websocket *socket) FIL_RUNS_ON(io);

/** Sends a control frame. FIL_E_NOMEM. */
int fil_websocket_control(struct fil_websocket *socket, enum fil_websocket_op op,
                          struct fil_bytes content) FIL_NODISCARD;

/** Sends the last frame, unless that was sent; the reason fits. */
void fil_websocket_say_close(struct fil_websocket *socket, int code, struct fil_bytes reason);

/** It is over, once: the last callback, and the connection's reference is given up. */
void fil_websocket_end(struct fil_websocket *socket, int code, struct fil_bytes reason);
