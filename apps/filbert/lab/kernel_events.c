// SPDX-License-Identifier: Apache-2.0
/**
 * How many events go through one queue of the event stage, from one publisher to one listener; and,
 * with a listener that is too slow, whether what was dropped is accounted for exactly: by the
 * publisher's answers, by the stage's counter and by the gaps in the sequence numbers.
 */
#include "core/exec/event.h"
#include "core/exec/listener.h"
#include "filbert/error.h"
#include "kernel.h"
#include "lib/base/alloc.h"
#include "lib/base/hash.h"
#include "lib/os/thread.h"
#include "rig.h"

#define RING_SIZE     65536U // events that are used again and again
#define FLOW_COUNT    UINT64_C(10000000)
#define DROP_COUNT    UINT64_C(1000000)
#define QUICK_COUNT   UINT64_C(20000)
#define DROP_LANE_MAX 256U
#define CAPACITY      100000U
#define SLOW_BYTES    1024U // what the slow listener hashes for each event

struct event_flow {
    struct fil_events *events;
    struct fil_listener *listener;
    bool is_slow;

    // Written by the listener.
    _Atomic uint64_t delivered_count;
    uint64_t last_seq;
    uint64_t gap_count; // events that the sequence numbers say are missing
    uint64_t checksum;

    // The publisher's own.
    uint64_t accepted_count;
    uint64_t dropped_count;
    struct fil_event ring[RING_SIZE];
};

static void deliver(void *context, struct fil_event *event)
{
    static const uint8_t block[SLOW_BYTES];
    struct event_flow *flow = context;
    flow->gap_count += event->seq - flow->last_seq - 1;
    flow->last_seq = event->seq;
    if (flow->is_slow) {
        flow->checksum += fil_hash(fil_bytes_make(block, sizeof(block)), event->seq);
    }
    // R1 pairs with A1: the event may be used again. One writer.
    uint64_t count = atomic_load_explicit(&flow->delivered_count, memory_order_relaxed);
    atomic_store_explicit(&flow->delivered_count, count + 1, memory_order_release);
}

static const struct fil_listener_ops listener_ops = {.deliver = deliver, .discard = deliver};

static uint64_t read_delivered(struct event_flow *flow)
{
    // A1 pairs with R1.
    return atomic_load_explicit(&flow->delivered_count, memory_order_acquire);
}

static int open_flow(struct event_flow *flow, struct fil_env *env, uint32_t lane_max)
{
    struct fil_events_options options = fil_events_defaults(env, 1);
    options.thread_count = 1;
    options.isolated_max = 0;
    options.capacity = CAPACITY;
    int error = fil_events_init(flow->events, &options);
    if (error != FIL_OK) {
        return error;
    }
    error = fil_events_start(flow->events);
    if (error != FIL_OK) {
        fil_events_fini(flow->events);
        return error;
    }
    error = fil_listener_open(flow->events,
                              &(struct fil_listener_options){.name = "lab",
                                                             .ops = &listener_ops,
                                                             .context = flow,
                                                             .lane_count = 1,
                                                             .lane_max = lane_max},
                              &flow->listener);
    if (error != FIL_OK) {
        fil_events_stop(flow->events);
        fil_events_fini(flow->events);
    }
    return error;
}

static void close_flow(struct event_flow *flow)
{
    int error = fil_listener_close_wait(flow->listener);
    fil_assert(error == FIL_OK);
    fil_listener_unref(flow->listener);
    fil_events_stop(flow->events);
    fil_events_fini(flow->events);
}

/** An event that nobody uses: with one lane they come back in order. */
static struct fil_event *next_event(struct event_flow *flow)
{
    while (flow->accepted_count - read_delivered(flow) >= RING_SIZE) {
        fil_thread_yield();
    }
    return &flow->ring[flow->accepted_count % RING_SIZE];
}

/** Publishes without loss. */
static void publish(struct event_flow *flow)
{
    struct fil_event *event = next_event(flow);
    while (fil_listener_publish(flow->listener, 0, event, FIL_PUBLISH_TRY) != FIL_OK) {
        fil_thread_yield();
    }
    flow->accepted_count++;
}

static void publish_or_drop(struct event_flow *flow)
{
    struct fil_event *event = next_event(flow);
    if (fil_listener_publish(flow->listener, 0, event, FIL_PUBLISH_DROP) == FIL_OK) {
        flow->accepted_count++;
    } else {
        flow->dropped_count++;
    }
}

static void wait_for_all(struct event_flow *flow)
{
    while (read_delivered(flow) < flow->accepted_count) {
        fil_thread_yield();
    }
}

static int measure_flow(struct event_flow *flow, struct fil_env *env, uint64_t count,
                        struct fil_writer *writer)
{
    int error = open_flow(flow, env, 0);
    if (error != FIL_OK) {
        return error;
    }
    uint64_t begin_ns = fil_env_now_ns(env);
    for (uint64_t i = 0; i < count; i++) {
        publish(flow);
    }
    wait_for_all(flow);
    double elapsed_ns = (double)(fil_env_now_ns(env) - begin_ns);
    close_flow(flow);
    (void)fil_writer_format(writer, "{\"events_per_s\": %.0f, \"flow_gaps\": %llu, ",
                            (double)count * 1e9 / elapsed_ns, (unsigned long long)flow->gap_count);
    return FIL_OK;
}

static int measure_drops(struct event_flow *flow, struct fil_env *env, uint64_t count,
                         struct fil_writer *writer)
{
    struct fil_listener_stats stats;
    int error = open_flow(flow, env, DROP_LANE_MAX);
    if (error != FIL_OK) {
        return error;
    }
    for (uint64_t i = 0; i < count; i++) {
        publish_or_drop(flow);
    }
    publish(flow); // shows a gap at the end, too
    wait_for_all(flow);
    fil_listener_read(flow->listener, &stats);
    close_flow(flow);
    bool is_exact = flow->dropped_count == flow->gap_count &&
                    flow->dropped_count == stats.dropped_count &&
                    flow->accepted_count + flow->dropped_count == count + 1 &&
                    read_delivered(flow) == flow->accepted_count;
    (void)fil_writer_format(writer,
                            "\"published\": %llu, \"delivered\": %llu, \"dropped\": %llu, "
                            "\"is_exact\": %s}",
                            (unsigned long long)count + 1, (unsigned long long)read_delivered(flow),
                            (unsigned long long)flow->dropped_count, is_exact ? "true" : "false");
    return FIL_OK;
}

static struct event_flow *new_flow(bool is_slow)
{
    struct event_flow *flow = fil_alloc_zero(1, sizeof(*flow));
    if (flow != NULL) {
        flow->is_slow = is_slow;
        flow->events = fil_alloc_aligned(FIL_CACHE_LINE, sizeof(struct fil_events));
    }
    return flow;
}

static void free_flow(struct event_flow *flow)
{
    if (flow != NULL) {
        fil_free(flow->events);
    }
    fil_free(flow);
}

int lab_kernel_events(struct fil_env *env, bool is_quick, struct fil_writer *writer)
{
    struct event_flow *fast = new_flow(false);
    struct event_flow *slow = new_flow(true);
    int error = FIL_E_NOMEM;
    if (fast != NULL && slow != NULL && fast->events != NULL && slow->events != NULL) {
        error = measure_flow(fast, env, is_quick ? QUICK_COUNT : FLOW_COUNT, writer);
        if (error == FIL_OK) {
            error = measure_drops(slow, env, is_quick ? QUICK_COUNT : DROP_COUNT, writer);
        }
    }
    free_flow(fast);
    free_flow(slow);
    return error;
}
