// SPDX-License-Identifier: Apache-2.0
/** What a connection needs of its loop. */
#pragma once

#include "lib/base/attr.h"
#include "lib/net/connection.h"
#include "lib/net/loop.h"

#define FIL_LOOP_SCRATCH_BYTES ((size_t)64 * 1024)

/** Where to receive, and how much; what deferred work needs is not overwritten. */
uint8_t *fil_loop__scratch(struct fil_loop *loop, size_t *out_room) FIL_RUNS_ON(io);

/** The bytes have been handled: they stay as long as there is deferred work. */
void fil_loop__keep_scratch(struct fil_loop *loop, struct fil_bytes bytes) FIL_RUNS_ON(io);

/** A protocol is about to run: what another one has deferred comes first. */
void fil_loop__switch_to(struct fil_loop *loop, const struct fil_protocol *protocol)
    FIL_RUNS_ON(io);

/** The loop has one connection more (1) or less (-1). */
void fil_loop__count_connection(struct fil_loop *loop, int change) FIL_RUNS_ON(io);

/** A connection of the loop is closed, or a closed one is let go by its last holder. */
void fil_loop__count_closed(struct fil_loop *loop, int change) FIL_RUNS_ON(io);

/** Another loop's: counts a connection that it will send here. False when the loop ends. */
FIL_ANY_THREAD bool fil_loop__expect_connection(struct fil_loop *loop) FIL_NODISCARD;

// connection_input.c

void fil_loop__free_spare_inputs(struct fil_loop *loop) FIL_BEFORE_SHARING;

// loop_measure.c

void fil_loop__mark_parts(struct fil_loop *loop) FIL_RUNS_ON(io);
void fil_loop__measure_part(struct fil_loop *loop, struct fil_connection *connection)
    FIL_RUNS_ON(io);

/** After a turn that moved something: whether the parts of the next are timed. */
void fil_loop__choose_measure(struct fil_loop *loop) FIL_RUNS_ON(io);

/** The first part of some begins now: what was before is nobody's. */
static inline void fil_loop__begin_parts(struct fil_loop *loop) FIL_RUNS_ON(io)
{
    if (FIL_UNLIKELY(loop->is_measured)) {
        fil_loop__mark_parts(loop);
    }
}

/** What passes between begin and end is the connection's, in a turn that is measured. */
static inline void fil_loop__begin_part(const struct fil_loop *loop,
                                        struct fil_connection *connection) FIL_RUNS_ON(io)
{
    if (FIL_UNLIKELY(loop->is_measured)) {
        fil_connection_hold(connection); // it may end meanwhile
    }
}

static inline void fil_loop__end_part(struct fil_loop *loop, struct fil_connection *connection)
    FIL_RUNS_ON(io)
{
    if (FIL_UNLIKELY(loop->is_measured)) {
        fil_loop__measure_part(loop, connection);
    }
}

/** What follows has a name, for whoever looks at what is slow; until end_work. */
static inline const char *fil_loop__begin_work(struct fil_loop *loop, const char *name)
    FIL_RUNS_ON(io)
{
    bool is_told = loop->hooks != NULL && loop->hooks->begin_work != NULL;
    return is_told ? loop->hooks->begin_work(loop, name) : NULL;
}

static inline void fil_loop__end_work(struct fil_loop *loop, const char *outer) FIL_RUNS_ON(io)
{
    if (loop->hooks != NULL && loop->hooks->end_work != NULL) {
        loop->hooks->end_work(loop, outer);
    }
}
