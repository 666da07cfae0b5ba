// SPDX-License-Identifier: Apache-2.0
/**
 * What a client gets without having asked: events, on their way into its connection's output.
 *
 * Order:   first in, first out for each thread that sends.
 * Limits:  a client that reads too slowly loses what comes when more waits for it than may: it is
 *          counted, for the client and for the member. Near caches notice the gap in the numbers.
 * Memory:  one block and its chunks for each event, drawn from the budget of the sender's pool.
 * Threads: sent by any thread with a runner; moved by the holder of the writer flag.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/exec/runner.h"
#include "lib/conc/role.h"
#include "lib/conc/stack.h"
#include "lib/mem/chunk.h"
#include "protocol/client/serve/session.h"
#include "protocol/client/writer.h"

struct fil_wire_news {
    struct fil_link link;
    struct fil_wire_writer writer; // write one message with it and finish it, then send
    struct fil_chunk_queue queue;
};

/** NULL: no memory, and it is counted as lost, for the client and for the member. */
struct fil_wire_news *fil_wire_news_new(struct fil_wire_session *session,
                                        struct fil_runner *runner);

/** One that is not sent after all. */
void fil_wire_news_free(struct fil_wire_news *news);

/**
 * Sends it, or drops and counts it when it could not be written: the error is the writer's. Takes
 * ownership. The caller has a hold on the session's connection. Returns the bytes that wait.
 */
FIL_ANY_THREAD uint64_t fil_wire_news_send(struct fil_wire_news *news,
                                           struct fil_wire_session *session,
                                           struct fil_runner *runner, int error);

/** Ends the message and sends it, from an event thread: it must not leave too much until its turn
 * ends. */
void fil_wire_news_deliver(struct fil_wire_news *news, struct fil_wire_session *session,
                           struct fil_runner *runner);

/** Flag holder: moves what has come to the output, as far as there is room. */
FIL_HOLDS_WRITER void fil_wire_news_collect(struct fil_wire_session *session);

/** Nobody wants what is left. */
void fil_wire_news_drop(struct fil_wire_session *session);
