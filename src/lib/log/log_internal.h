// SPDX-License-Identifier: Apache-2.0
/** The inside of the log, shared by log.c (whoever logs) and writer.c (whoever writes). */
#pragma once

#include <stdalign.h>

#include "lib/conc/counter.h"
#include "lib/conc/parker.h"
#include "lib/log/log.h"
#include "lib/os/mutex.h"
#include "lib/os/thread.h"

/** The first ring is the one that threads without their own share. */
#define FIL_LOG_SHARED_RING 0U

/** A ring that has something to write, with its oldest record. */
struct fil_log_lane {
    struct fil_log_ring *ring;
    const struct fil_log_record *record;
};

struct fil_log {
    // Shared by everybody who logs.
    struct fil_log_gate gate;

    // Written by new, then read-only.
    struct fil_env *env;
    struct fil_log_style style;
    int fd;
    uint32_t ring_bytes;
    uint64_t id; // tells a thread whether its ring is this log's
    uint64_t window_ns;
    bool keeps_repeats;

    // Rings are only ever added; ring_count publishes them.
    alignas(FIL_CACHE_LINE) _Atomic uint32_t ring_count;
    struct fil_log_ring *rings[FIL_LOG_RINGS_MAX];
    struct fil_mutex attach_mutex;
    struct fil_mutex shared_mutex; // the producer's side of the shared ring

    alignas(FIL_CACHE_LINE) struct fil_parker parker;
    _Atomic bool is_stopping;
    _Atomic bool is_blocked; // the descriptor takes nothing at the moment

    // The writer's own: whoever holds the turn.
    alignas(FIL_CACHE_LINE) struct fil_mutex turn;
    struct fil_writer output;
    size_t output_sent;
    struct fil_log_lane lanes[FIL_LOG_RINGS_MAX];
    struct fil_counter line_count;
    struct fil_counter byte_count;
    struct fil_counter repeat_count;
    struct fil_counter lost_count;
    struct fil_log_distinct_table distinct;

    // The starter's own.
    struct fil_thread thread;
    bool is_running;
};

/** Memory for the lines that are on their way to the descriptor. */
#define FIL_LOG_OUTPUT_BYTES (4U * FIL_LOG_LINE_BYTES_MAX)

/** Whether a record waits in a ring; sequentially consistent, for the parker. */
bool fil_log__has_records(struct fil_log *log);

/** Turns until nothing is left to write, also summaries whose window is not over. */
void fil_log__finish(struct fil_log *log);

/** The writer thread's entry; the context is the log. */
void fil_log__run(void *context);
