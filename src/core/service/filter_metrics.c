// SPDX-License-Identifier: Apache-2.0
/** The filter metrics: what passes at its place, counted and timed under a name. */
#include <string.h>

#include "core/service/filter_internal.h"
#include "core/service/request.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

struct meter_state {
    uint64_t entered_ns;
};

static bool is_name_byte(uint8_t byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte == '_' ||
           byte == '-';
}

bool fil_filter__init_metrics(struct fil_filter_context *context, struct fil_bytes value)
{
    bool is_name = value.size > 0 && value.size < sizeof(context->token);
    for (size_t i = 0; i < value.size && is_name; i++) {
        is_name = is_name_byte(value.data[i]);
    }
    if (!is_name) {
        return false;
    }
    memcpy(context->token, value.data, value.size);
    context->token[value.size] = '\0';
    return true;
}

static struct fil_reply enter_metrics(void *opaque, struct fil_request *request, void *state)
{
    struct fil_filter_context *context = opaque;
    struct meter_state *mine = state;
    (void)request;
    mine->entered_ns = fil_env_now_ns(context->env);
    // Relaxed, here and in leave: the count is all there is.
    atomic_fetch_add_explicit(&context->meter->in_flight, 1, memory_order_relaxed);
    return fil_reply_next();
}

static struct fil_reply leave_metrics(void *opaque, struct fil_request *request, void *state,
                                      struct fil_reply reply)
{
    struct fil_filter_context *context = opaque;
    struct fil_filter_meter *meter = context->meter;
    const struct meter_state *mine = state;
    uint64_t now_ns = fil_env_now_ns(context->env);
    uint32_t kind = reply.status < 100 || reply.status > 599 ? 5 : (uint32_t)reply.status / 100;
    (void)request;
    fil_counter_add_shared(&meter->classes[kind], 1);
    fil_histogram_record_shared(&meter->took_ns,
                                now_ns > mine->entered_ns ? now_ns - mine->entered_ns : 0);
    uint64_t before = atomic_fetch_sub_explicit(&meter->in_flight, 1, memory_order_relaxed);
    fil_assert(before > 0);
    return reply;
}

const struct fil_filter fil_filter__metrics = {.name = "metrics",
                                               .state_bytes = sizeof(struct meter_state),
                                               .enter = enter_metrics,
                                               .leave = leave_metrics};
