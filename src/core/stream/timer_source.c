// SPDX-License-Identifier: Apache-2.0
#include "core/stream/timer_source.h"

#include <stdio.h>

struct timer {
    const struct fil_timer_config *config;
    uint64_t next;   // number
    uint64_t due_ns; // 0: when it is called first
    int64_t time;    // of the last record
    bool has_mark;   // of that time is still to be emitted
};

static int timer_init(void *self, struct fil_processor_context *context, const void *config)
{
    struct timer *timer = self;
    timer->config = config;
    timer->time = INT64_MIN;
    bool is_good =
        context->outbox.count == 1 && timer->config->interval_ns > 0 &&
        timer->config->ns_a_unit > 0 &&
        context->outbox.outlets[0].edge->layout.stride == sizeof(struct fil_timer_record);
    return is_good ? FIL_OK : FIL_E_INVALID;
}

static bool emit(struct timer *timer, struct fil_processor_context *context)
{
    struct fil_timer_record *room =
        fil_outbox_reserve(&context->outbox, 0, sizeof(struct fil_timer_record));
    if (room == NULL) {
        return false;
    }
    int64_t now = (int64_t)(fil_env_wall_ns(context->env) / timer->config->ns_a_unit);
    timer->time = now > timer->time ? now : timer->time; // also when the clock was set back
    *room = (struct fil_timer_record){.time = timer->time, .number = (int64_t)timer->next};
    fil_outbox_commit(&context->outbox, 0, sizeof(*room), timer->time, 0);
    timer->next++;
    timer->has_mark = true;
    return true;
}

static int timer_complete(void *self, struct fil_processor_context *context)
{
    struct timer *timer = self;
    if (timer->has_mark) {
        if (!fil_outbox_mark(&context->outbox, FIL_BATCH_WATERMARK, timer->time)) {
            return FIL_E_FULL;
        }
        timer->has_mark = false;
    }
    if (context->index != 0 || (timer->config->count != 0 && timer->next >= timer->config->count)) {
        return FIL_OK;
    }
    if (context->now_ns < timer->due_ns) {
        context->wake_at_ns = timer->due_ns;
        return FIL_E_AGAIN;
    }
    if (!emit(timer, context)) {
        return FIL_E_FULL;
    }
    uint64_t due_ns = timer->due_ns + timer->config->interval_ns;
    bool is_late = timer->due_ns == 0 || due_ns <= context->now_ns;
    timer->due_ns = is_late ? context->now_ns + timer->config->interval_ns : due_ns;
    return FIL_E_FULL; // the mark comes next
}

static int timer_save(void *self, struct fil_processor_context *context,
                      struct fil_state_writer *writer)
{
    const struct timer *timer = self;
    int64_t state[3] = {(int64_t)timer->next, timer->time, timer->has_mark};
    bool is_saved =
        context->index != 0 || fil_state_put_shard(writer, 0, fil_bytes_make(NULL, 0),
                                                   fil_bytes_make(state, sizeof(state)));
    return is_saved ? FIL_OK : FIL_E_FULL;
}

static int timer_restore(void *self, struct fil_processor_context *context, struct fil_bytes key,
                         struct fil_bytes value)
{
    struct timer *timer = self;
    int64_t state[3];
    (void)context;
    if (key.size != 0 || value.size != sizeof(state)) {
        return FIL_E_MALFORMED;
    }
    memcpy(state, value.data, sizeof(state));
    timer->next = (uint64_t)state[0];
    timer->time = state[1];
    timer->has_mark = state[2] != 0;
    return FIL_OK;
}

static void timer_describe(const void *config, char out_text[FIL_PROCESSOR_FORMAT_MAX])
{
    (void)config;
    (void)snprintf(out_text, FIL_PROCESSOR_FORMAT_MAX, "next number of a timer");
}

const struct fil_processor_ops fil_timer_ops = {.name = "timer",
                                                .size = sizeof(struct timer),
                                                .init = timer_init,
                                                .complete = timer_complete,
                                                .save = timer_save,
                                                .restore = timer_restore,
                                                .describe = timer_describe};
