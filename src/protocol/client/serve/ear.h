// SPDX-License-Identifier: Apache-2.0
/**
 * A client's listener to a container: items of a queue, messages of a topic, entries of a
 * replicated map.
 *
 * Opening and closing are operations in the container's partition; events go from event threads
 * into the session's news.
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "core/container/listen.h"
#include "core/exec/op.h"
#include "core/exec/runner.h"
#include "lib/conc/role.h"
#include "protocol/client/serve/subscription.h"

/** Opened, or not; or closed for good. */
typedef void (*fil_wire_ear_fn)(void *context, int error, struct fil_runner *runner);

struct fil_query_predicate;

struct fil_wire_ear {
    struct fil_op op;
    struct fil_wire_session *session;        // its connection is held
    const struct fil_wire_wish *wish;        // with its container
    const struct fil_query_predicate *query; // of the wish; NULL: it has none
    struct fil_container_listener *listener;
    fil_wire_ear_fn done; // opened, then closed
    void *context;
    _Atomic uint32_t ends; // of closing: the operation's and the listener's
};

/** Calls opened, perhaps at once; after an error it is not open. */
FIL_ANY_THREAD void fil_wire_ear_open(struct fil_wire_ear *ear, fil_wire_ear_fn opened,
                                      void *context, struct fil_runner *runner);

/** After it was opened: calls closed when nothing will be delivered any more; the runner may be
 * NULL then. */
FIL_ANY_THREAD void fil_wire_ear_close(struct fil_wire_ear *ear, fil_wire_ear_fn closed,
                                       struct fil_runner *runner);
