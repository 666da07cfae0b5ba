// SPDX-License-Identifier: Apache-2.0
/**
 * Requests of a processor instance to a service elsewhere: so many are under way at a time, and
 * what has failed is tried again after a pause.
 *
 *     take --> add records --> send --> caller: on an I/O loop
 *                               ^          |
 *                               | pause <--+ done: pushed here, then the tasklet is woken
 *                               |    |
 *     take_back <---------------+----+ answered, or given up
 *
 * Again: what no server has begun (not reached, or refused with Filbert-Nack), and what has failed
 *        (no answer, 5xx, 408, 429) where the method, or the job, allows a repetition.
 *
 * Memory:  slots with their texts are drawn from the job's budget, once.
 * Threads: the tasklet's worker, one at a time; done on the loop's.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/pipeline/connection.h"
#include "core/service/caller.h"
#include "core/stream/flight.h"
#include "core/stream/processor.h"
#include "lib/base/attr.h"
#include "lib/base/list.h"
#include "lib/conc/stack.h"

struct fil_inquiries;

/** One request, with the record it is about. */
struct fil_inquiry {
    struct fil_flight_slot flight; // its answer is the partner
    struct fil_outcall call;
    struct fil_inquiries *all;
    struct fil_link done;
    struct fil_list pause;
    uint64_t again_ns; // when the pause is over
    uint32_t try_count;
    bool is_found; // there is a partner
    char *target;
    char *body;
};

struct fil_inquiries {
    // Set by open, then read-only.
    const struct fil_connection *connection;
    struct fil_caller *caller;
    struct fil_caller_line *line;
    struct fil_tasklet *tasklet;
    bool has_answers; // they are read; otherwise only their status counts

    // The processor's own.
    struct fil_flight flight;
    struct fil_list paused;
    bool is_stopping;

    // Shared.
    struct fil_stack done;
    _Atomic uint32_t outside; // requests whose end has not let go of the instance
};

/** FIL_E_UNSUPPORTED without a caller, and as its open; FIL_E_NOMEM. Close is due in any case. */
int fil_inquiries_open(struct fil_inquiries *all, struct fil_processor_context *context,
                       const struct fil_connection *connection) FIL_NODISCARD;

/** It is quiet, or was never used. */
void fil_inquiries_close(struct fil_inquiries *all);

/** A request whose path is made of the record; NULL when as many as may be are under way. */
struct fil_inquiry *fil_inquiries_take(struct fil_inquiries *all, const void *record, int64_t time);

/** One more record in its body; up to the connection's batch. */
void fil_inquiry_add(struct fil_inquiry *inquiry, const void *record);
void fil_inquiry_send(struct fil_inquiry *inquiry);

/** Those that are over have landed, those whose pause is over are sent. The first error. */
int fil_inquiries_take_back(struct fil_inquiries *all, struct fil_processor_context *context)
    FIL_NODISCARD;

/** FIL_OK when nobody outside uses the instance; else FIL_E_AGAIN, and it says when to look. */
int fil_inquiries_wait(struct fil_inquiries *all, struct fil_processor_context *context)
    FIL_NODISCARD;

/** The job ends: cancels what is under way, then waits. */
int fil_inquiries_stop(struct fil_inquiries *all, struct fil_processor_context *context)
    FIL_NODISCARD;
