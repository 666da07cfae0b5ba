// SPDX-License-Identifier: Apache-2.0
/**
 * Event time: where a source's watermark stands, and what several inputs together allow.
 *
 * A watermark of t promises that no record before t follows. A consumer may go as far as its
 * slowest input; inputs that are idle or ended hold nobody back. When all are idle or ended the
 * highest watermark seen counts, so that the result does not depend on who went idle first.
 *
 * Threads: whoever owns the object.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/stream/batch.h"
#include "lib/base/attr.h"

struct fil_watermark_input {
    int64_t time; // FIL_TIME_NONE before the first
    bool is_idle;
    bool is_ended;
};

/** Watermarks of several inputs as one. */
struct fil_watermarks {
    struct fil_watermark_input *inputs;
    uint32_t count;
    int64_t top;  // the highest of all inputs
    int64_t last; // told
    bool is_idle; // told
};

/** FIL_E_NOMEM. */
int fil_watermarks_init(struct fil_watermarks *watermarks, uint32_t count) FIL_NODISCARD;
void fil_watermarks_fini(struct fil_watermarks *watermarks);

/** An input's watermark; one that goes back is ignored. Wakes an idle input. */
void fil_watermarks_set(struct fil_watermarks *watermarks, uint32_t input, int64_t time);
void fil_watermarks_set_idle(struct fil_watermarks *watermarks, uint32_t input);
void fil_watermarks_set_ended(struct fil_watermarks *watermarks, uint32_t input);

/** A record came: the input is not idle any more. */
static inline void fil_watermarks_touch(struct fil_watermarks *watermarks, uint32_t input)
{
    watermarks->inputs[input].is_idle = false;
    watermarks->is_idle = false;
}

/**
 * The next mark to pass on: FIL_BATCH_WATERMARK with its time, then FIL_BATCH_IDLE; FIL_BATCH_DATA
 * when there is none. Call it until it says so.
 */
enum fil_batch_kind fil_watermarks_next(struct fil_watermarks *watermarks, int64_t *out_time);

/** The input that holds the others back, for people; count when none does. */
uint32_t fil_watermarks_laggard(const struct fil_watermarks *watermarks);

/** A source's own event time. */
struct fil_event_time {
    // Set by init.
    int64_t lag;              // records may be this much late
    int64_t frame;            // watermarks are multiples of it; 1 and more
    uint64_t idle_timeout_ns; // silence after which the source is idle; 0: never

    int64_t top;
    int64_t last;
    uint64_t heard_ns;
    bool is_idle;
};

void fil_event_time_init(struct fil_event_time *time, int64_t lag, int64_t frame,
                         uint64_t idle_timeout_ns);

/** A record of this time was emitted. */
static inline void fil_event_time_observe(struct fil_event_time *time, int64_t record_time,
                                          uint64_t now_ns)
{
    time->top = record_time > time->top ? record_time : time->top;
    time->heard_ns = now_ns;
    time->is_idle = false;
}

/** The mark to emit now, as fil_watermarks_next. */
enum fil_batch_kind fil_event_time_next(struct fil_event_time *time, uint64_t now_ns,
                                        int64_t *out_time);

/** The largest multiple of frame that is not above time. */
static inline int64_t fil_time_floor(int64_t time, int64_t frame)
{
    int64_t rest = time % frame;
    rest = rest < 0 ? rest + frame : rest;
    return time < INT64_MIN + rest ? INT64_MIN : time - rest;
}
