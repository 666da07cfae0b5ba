// SPDX-License-Identifier: Apache-2.0
#include "core/stream/watermark.h"

#include <stddef.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

int fil_watermarks_init(struct fil_watermarks *watermarks, uint32_t count)
{
    *watermarks =
        (struct fil_watermarks){.count = count, .top = FIL_TIME_NONE, .last = FIL_TIME_NONE};
    if (count == 0) {
        return FIL_OK;
    }
    watermarks->inputs = fil_alloc_zero(count, sizeof(*watermarks->inputs));
    if (watermarks->inputs == NULL) {
        return FIL_E_NOMEM;
    }
    for (uint32_t i = 0; i < count; i++) {
        watermarks->inputs[i].time = FIL_TIME_NONE;
    }
    return FIL_OK;
}

void fil_watermarks_fini(struct fil_watermarks *watermarks)
{
    fil_free(watermarks->inputs);
    watermarks->inputs = NULL;
}

void fil_watermarks_set(struct fil_watermarks *watermarks, uint32_t input, int64_t time)
{
    fil_assert(input < watermarks->count);
    struct fil_watermark_input *each = &watermarks->inputs[input];
    each->time = time > each->time ? time : each->time;
    watermarks->top = time > watermarks->top ? time : watermarks->top;
    fil_watermarks_touch(watermarks, input);
}

void fil_watermarks_set_idle(struct fil_watermarks *watermarks, uint32_t input)
{
    fil_assert(input < watermarks->count);
    watermarks->inputs[input].is_idle = true;
}

void fil_watermarks_set_ended(struct fil_watermarks *watermarks, uint32_t input)
{
    fil_assert(input < watermarks->count);
    watermarks->inputs[input].is_ended = true;
}

uint32_t fil_watermarks_laggard(const struct fil_watermarks *watermarks)
{
    uint32_t laggard = watermarks->count;
    for (uint32_t i = 0; i < watermarks->count; i++) {
        const struct fil_watermark_input *each = &watermarks->inputs[i];
        bool counts = !each->is_idle && !each->is_ended;
        if (counts &&
            (laggard == watermarks->count || each->time < watermarks->inputs[laggard].time)) {
            laggard = i;
        }
    }
    return laggard;
}

static bool has_idle(const struct fil_watermarks *watermarks)
{
    for (uint32_t i = 0; i < watermarks->count; i++) {
        if (watermarks->inputs[i].is_idle && !watermarks->inputs[i].is_ended) {
            return true;
        }
    }
    return false;
}

enum fil_batch_kind fil_watermarks_next(struct fil_watermarks *watermarks, int64_t *out_time)
{
    uint32_t laggard = fil_watermarks_laggard(watermarks);
    bool is_quiet = laggard == watermarks->count;
    int64_t time = is_quiet ? watermarks->top : watermarks->inputs[laggard].time;
    if (time > watermarks->last) {
        watermarks->last = time;
        *out_time = time;
        return FIL_BATCH_WATERMARK;
    }
    if (is_quiet && !watermarks->is_idle && has_idle(watermarks)) {
        watermarks->is_idle = true;
        return FIL_BATCH_IDLE;
    }
    return FIL_BATCH_DATA;
}

void fil_event_time_init(struct fil_event_time *time, int64_t lag, int64_t frame,
                         uint64_t idle_timeout_ns)
{
    fil_assert(lag >= 0);
    fil_assert(frame >= 1);
    *time = (struct fil_event_time){.lag = lag,
                                    .frame = frame,
                                    .idle_timeout_ns = idle_timeout_ns,
                                    .top = FIL_TIME_NONE,
                                    .last = FIL_TIME_NONE};
}

enum fil_batch_kind fil_event_time_next(struct fil_event_time *time, uint64_t now_ns,
                                        int64_t *out_time)
{
    if (time->top > INT64_MIN + time->lag) {
        int64_t mark = fil_time_floor(time->top - time->lag, time->frame);
        if (mark > time->last) {
            time->last = mark;
            *out_time = mark;
            return FIL_BATCH_WATERMARK;
        }
    }
    if (time->heard_ns == 0) {
        time->heard_ns = now_ns;
    }
    if (time->idle_timeout_ns != 0 && !time->is_idle &&
        now_ns - time->heard_ns >= time->idle_timeout_ns) {
        time->is_idle = true;
        return FIL_BATCH_IDLE;
    }
    return FIL_BATCH_DATA;
}
