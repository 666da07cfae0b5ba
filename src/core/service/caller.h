// SPDX-License-Identifier: Apache-2.0
/**
 * Requests to services elsewhere, for those who have no loop of their own: stream jobs. A protocol
 * (src/protocol/http) brings them out and their answers back.
 *
 *     open --> prepare --> start --> done, on whatever thread has the answer
 *                 ^          |         |
 *                 |          +- cancel-+  makes done come soon
 *                 +---- again, or release
 *
 * Memory:  whoever asks owns the call and what it points to; between start and done only its room
 *          and its answer are written. Nothing touches it after done has begun but done itself.
 * Threads: open, close, prepare and release by any, which own the line and the call then; start and
 *          cancel by the one that owns the call. Done runs on an I/O thread and must not block.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/http/message.h"

struct fil_caller;

/** Somebody's way to some servers. */
struct fil_caller_line;

struct fil_outcall {
    // Set by whoever asks, before start.
    enum fil_http_method method;
    struct fil_bytes target; // a path with its query, encoded
    struct fil_bytes body;
    const char *type;    // of the body
    uint64_t timeout_ns; // of all of it
    bool may_repeat;     // also when a server may have begun, whatever the method
    uint8_t *room;       // for what the answer contains; NULL: it is read over
    size_t room_size;
    void (*done)(struct fil_outcall *call);

    // The answer: FIL_OK, or why there is none. FIL_E_LIMIT: it is larger than the room.
    int error;
    int status;
    size_t content_size;
    bool is_started; // without an answer: a server may have begun
    bool is_refusal; // an answer says that nothing was begun

    void *state; // the caller's, from prepare to release
};

struct fil_caller_ops {
    /** FIL_E_ADDRESS, FIL_E_INVALID, FIL_E_LIMIT for the servers; FIL_E_STOPPING, FIL_E_NOMEM. */
    int (*open)(struct fil_caller *caller, const char *servers, struct fil_caller_line **out_line);
    /** All of its calls were released. */
    void (*close)(struct fil_caller_line *line);
    /** FIL_E_NOMEM. */
    int (*prepare)(struct fil_caller_line *line, struct fil_outcall *call);
    /** It is not under way; harmless on one that was never prepared. */
    void (*release)(struct fil_outcall *call);
    void (*start)(struct fil_outcall *call);
    /** It was started; done comes, once, with FIL_E_CANCELLED or with what was there before. */
    void (*cancel)(struct fil_outcall *call);
};

/** First member of whoever makes calls. */
struct fil_caller {
    const struct fil_caller_ops *ops;
};
