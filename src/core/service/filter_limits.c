// SPDX-License-Identifier: Apache-2.0
/** Filters that decide who goes through: timeout, limit, rate, breaker, shed. */
#include "core/service/filter_internal.h"
#include "core/service/request.h"
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/base/units.h"
#include "lib/http/status.h"

#define NS_PER_SECOND UINT64_C(1000000000)
#define COUNT_MAX     UINT64_C(1000000000)
#define BREAK_NS      (5 * NS_PER_SECOND) // at first; doubles with each probe that fails
#define BREAK_NS_MAX  (60 * NS_PER_SECOND)
#define BURST_PART    10U // of a second's requests may come at once, and one always may
#define SHED_BATCH    1U
#define SHED_NORMAL   2U

static bool read_count(struct fil_filter_context *context, struct fil_bytes value)
{
    return fil_bytes_to_u64(value, &context->number) && context->number >= 1 &&
           context->number <= COUNT_MAX;
}

bool fil_filter__init_plain(struct fil_filter_context *context, struct fil_bytes value)
{
    (void)context;
    return value.size == 0;
}

// Timeout: brings the deadline nearer.

bool fil_filter__init_timeout(struct fil_filter_context *context, struct fil_bytes value)
{
    return fil_units_parse_duration(value, &context->number, NULL) == FIL_OK && context->number > 0;
}

static struct fil_reply enter_timeout(void *opaque, struct fil_request *request, void *state)
{
    const struct fil_filter_context *context = opaque;
    (void)state;
    uint64_t deadline_ns = request->arrived_ns + context->number;
    request->deadline_ns = deadline_ns < request->deadline_ns ? deadline_ns : request->deadline_ns;
    return fil_reply_next();
}

const struct fil_filter fil_filter__timeout = {.name = "timeout", .enter = enter_timeout};

// Limit: so many at a time.

bool fil_filter__init_limit(struct fil_filter_context *context, struct fil_bytes value)
{
    return read_count(context, value);
}

static struct fil_reply enter_limit(void *opaque, struct fil_request *request, void *state)
{
    struct fil_filter_context *context = opaque;
    (void)state;
    // Relaxed, here and in leave: the count is all there is.
    uint64_t before = atomic_fetch_add_explicit(&context->in_flight, 1, memory_order_relaxed);
    return before < context->number
               ? fil_reply_next()
               : fil_request_refuse(request, FIL_HTTP_STATUS_SERVICE_UNAVAILABLE, "0", "limit");
}

static struct fil_reply leave_limit(void *opaque, struct fil_request *request, void *state,
                                    struct fil_reply reply)
{
    struct fil_filter_context *context = opaque;
    (void)request;
    (void)state;
    uint64_t before = atomic_fetch_sub_explicit(&context->in_flight, 1, memory_order_relaxed);
    fil_assert(before > 0);
    return reply;
}

const struct fil_filter fil_filter__limit = {
    .name = "limit", .enter = enter_limit, .leave = leave_limit};

// Rate: so many a second, with a burst of a tenth of them.

bool fil_filter__init_rate(struct fil_filter_context *context, struct fil_bytes value)
{
    return read_count(context, value);
}

static struct fil_reply enter_rate(void *opaque, struct fil_request *request, void *state)
{
    struct fil_filter_context *context = opaque;
    (void)state;
    uint64_t step_ns = NS_PER_SECOND / context->number;
    uint64_t slack_ns = NS_PER_SECOND / BURST_PART;
    uint64_t now_ns = request->arrived_ns;
    uint64_t next_ns = atomic_load_explicit(&context->next_ns, memory_order_relaxed);
    uint64_t due_ns = 0;
    // Lock-free: when this thread goes round again, another has gone through.
    do {
        if (next_ns > now_ns + slack_ns) {
            return fil_request_refuse(request, FIL_HTTP_STATUS_TOO_MANY_REQUESTS, "1", "rate");
        }
        due_ns = (next_ns > now_ns ? next_ns : now_ns) + step_ns;
    } while (!atomic_compare_exchange_weak_explicit(&context->next_ns, &next_ns, due_ns,
                                                    memory_order_relaxed, memory_order_relaxed));
    return fil_reply_next();
}

const struct fil_filter fil_filter__rate = {.name = "rate", .enter = enter_rate};

// Breaker: after so many failures in a row nobody goes through for a while, then one does.

bool fil_filter__init_breaker(struct fil_filter_context *context, struct fil_bytes value)
{
    return read_count(context, value);
}

struct breaker_state {
    bool is_probe;
    bool was_let_in;
};

static struct fil_reply enter_breaker(void *opaque, struct fil_request *request, void *state)
{
    struct fil_filter_context *context = opaque;
    struct breaker_state *mine = state;
    uint64_t until_ns = atomic_load_explicit(&context->open_until_ns, memory_order_relaxed);
    if (until_ns != 0) {
        bool is_taken = request->arrived_ns < until_ns ||
                        atomic_exchange_explicit(&context->is_probing, true, memory_order_acq_rel);
        if (is_taken) {
            return fil_request_refuse(request, FIL_HTTP_STATUS_SERVICE_UNAVAILABLE, "1", "breaker");
        }
        mine->is_probe = true;
    }
    mine->was_let_in = true;
    return fil_reply_next();
}

/** Opens it, for twice as long as the last time if that was a moment ago. */
static void open_breaker(struct fil_filter_context *context, bool is_again)
{
    uint64_t last_ns = atomic_load_explicit(&context->pause_ns, memory_order_relaxed);
    uint64_t pause_ns = is_again && last_ns > 0 ? 2 * last_ns : BREAK_NS;
    pause_ns = pause_ns < BREAK_NS_MAX ? pause_ns : BREAK_NS_MAX;
    atomic_store_explicit(&context->pause_ns, pause_ns, memory_order_relaxed);
    atomic_store_explicit(&context->open_until_ns, fil_env_now_ns(context->env) + pause_ns,
                          memory_order_relaxed);
}

static void count_outcome(struct fil_filter_context *context, const struct breaker_state *mine,
                          int status)
{
    if (status < FIL_HTTP_STATUS_INTERNAL_SERVER_ERROR) {
        atomic_store_explicit(&context->failure_count, 0, memory_order_relaxed);
        if (mine->is_probe) {
            atomic_store_explicit(&context->open_until_ns, 0, memory_order_relaxed);
        }
        return;
    }
    uint64_t failures =
        atomic_fetch_add_explicit(&context->failure_count, 1, memory_order_relaxed) + 1;
    if (mine->is_probe || failures == context->number) {
        open_breaker(context, mine->is_probe);
    }
}

static struct fil_reply leave_breaker(void *opaque, struct fil_request *request, void *state,
                                      struct fil_reply reply)
{
    struct fil_filter_context *context = opaque;
    const struct breaker_state *mine = state;
    // One that others refused says nothing about the handler.
    if (mine->was_let_in && !request->is_refused) {
        count_outcome(context, mine, reply.status);
    }
    if (mine->is_probe) {
        atomic_store_explicit(&context->is_probing, false, memory_order_release);
    }
    return reply;
}

const struct fil_filter fil_filter__breaker = {.name = "breaker",
                                               .state_bytes = sizeof(struct breaker_state),
                                               .enter = enter_breaker,
                                               .leave = leave_breaker};

// Shed: while the route's pool has a standing queue, the lower classes do not go there.

bool fil_filter__init_shed(struct fil_filter_context *context, struct fil_bytes value)
{
    bool is_normal = fil_bytes_equal_text(value, "normal");
    context->number = is_normal ? SHED_NORMAL : SHED_BATCH;
    return is_normal || fil_bytes_equal_text(value, "batch");
}

static struct fil_reply enter_shed(void *opaque, struct fil_request *request, void *state)
{
    const struct fil_filter_context *context = opaque;
    const struct fil_route *route = request->route;
    (void)state;
    if (route->place != FIL_PLACE_POOL ||
        !atomic_load_explicit(&route->pool->admission.is_hot, memory_order_relaxed)) {
        return fil_reply_next();
    }
    enum fil_priority priority = request->job.bid.priority;
    bool is_shed = priority == FIL_PRIORITY_BATCH ||
                   (priority == FIL_PRIORITY_NORMAL && context->number == SHED_NORMAL);
    return is_shed ? fil_request_refuse(request, FIL_HTTP_STATUS_SERVICE_UNAVAILABLE, "1", "shed")
                   : fil_reply_next();
}

const struct fil_filter fil_filter__shed = {.name = "shed", .enter = enter_shed};
