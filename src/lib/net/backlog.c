// SPDX-License-Identifier: Apache-2.0
/** What others can tell of a loop that does not turn. */
#include "lib/net/loop.h"

#define HELD_NS UINT64_C(10000000)

// A turn that is younger has not kept anybody waiting that is worth a system call.
#define ASK_AFTER_NS UINT64_C(1000000)

/** How long the loop's turn has taken at this time; 0: it waits for events. */
static uint64_t turn_age(const struct fil_loop *loop, uint64_t now_ns, uint64_t *out_turn_ns)
{
    // Relaxed: what matters has been visible for long.
    uint64_t turn_ns = atomic_load_explicit(&loop->turn_ns, memory_order_relaxed);
    *out_turn_ns = turn_ns;
    return turn_ns == 0 || turn_ns >= now_ns ? 0 : now_ns - turn_ns;
}

bool fil_loop_is_held(const struct fil_loop *loop, uint64_t now_ns)
{
    uint64_t turn_ns = 0;
    return turn_age(loop, now_ns, &turn_ns) >= HELD_NS;
}

static uint32_t count_ready(struct fil_loop *loop)
{
    uint32_t (*ready)(struct fil_env * env, struct fil_poller * poller) =
        loop->env->ops->poller_ready;
    return ready == NULL ? 0 : ready(loop->env, loop->poller);
}

/** When events that came during this turn were first seen, by this call or another. */
static uint64_t first_seen(struct fil_loop *loop, uint64_t turn_ns, uint64_t now_ns)
{
    // Relaxed: two that look at the same time are a moment apart, whoever's word stays.
    if (atomic_load_explicit(&loop->backlog_turn_ns, memory_order_relaxed) != turn_ns) {
        atomic_store_explicit(&loop->backlog_ns, now_ns, memory_order_relaxed);
        atomic_store_explicit(&loop->backlog_turn_ns, turn_ns, memory_order_relaxed);
    }
    uint64_t seen_ns = atomic_load_explicit(&loop->backlog_ns, memory_order_relaxed);
    return seen_ns < now_ns ? seen_ns : now_ns;
}

struct fil_loop_backlog fil_loop_read_backlog(struct fil_loop *loop, uint64_t now_ns)
{
    uint64_t turn_ns = 0;
    struct fil_loop_backlog backlog = {.turn_ns = turn_age(loop, now_ns, &turn_ns)};
    if (backlog.turn_ns == 0) {
        return backlog;
    }
    uint32_t pending = atomic_load_explicit(&loop->pending_count, memory_order_relaxed);
    // Those that the loop has not come to are still ready: the larger number holds both.
    uint32_t ready = backlog.turn_ns < ASK_AFTER_NS ? 0 : count_ready(loop);
    backlog.events = (pending > ready ? pending : ready) + !fil_stack_is_empty(&loop->inbox);
    if (pending > 0) {
        backlog.oldest_ns = backlog.turn_ns; // they were ready when it began
    } else if (backlog.events > 0) {
        uint64_t seen_ns = first_seen(loop, turn_ns, now_ns);
        // A word about the turn before is possible; nothing of this one is older than it.
        backlog.oldest_ns = seen_ns < turn_ns ? backlog.turn_ns : now_ns - seen_ns;
    }
    return backlog;
}
