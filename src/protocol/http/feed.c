// SPDX-License-Identifier: Apache-2.0
#include "protocol/http/feed.h"

#include <stdatomic.h>

#include "core/container/listen.h"
#include "core/exec/exec.h"
#include "filbert/error.h"
#include "grid/map/listen.h"
#include "lib/base/assert.h"
#include "lib/http/status.h"
#include "protocol/http/feed_text.h"
#include "protocol/http/session_internal.h"

#define CLOSING_ENDS 2U // of a topic's: the operation, and the listener
#define LANE_MAX     4096U

enum feed_state {
    OPENING,
    OPEN,
    UNWANTED, // and still opening
    CLOSING,
};

struct feed {
    // Set when it is made, then read-only.
    struct fil_request *request;
    struct fil_reply_stream *stream;
    struct fil_feed_source source;

    // Shared.
    _Atomic uint32_t state;
    _Atomic uint32_t ends;

    // Whoever opens or closes it.
    struct fil_op op;
    struct fil_container_listener *ear;
    struct fil_map_listener *listener;
};

// Delivery: on event threads.

/** What finds no room is missed, and its number with it. */
static void count_missed(const struct feed *feed, int error)
{
    if (error != FIL_OK && error != FIL_E_CLOSED) {
        fil_counter_add_shared(&feed->request->service->stats.missed, 1);
    }
}

static void deliver_message(void *context, const struct fil_container_event *event)
{
    const struct feed *feed = context;
    count_missed(feed, fil_feed_text_tell_message(feed->stream, event));
}

static void deliver_entry(void *context, const struct fil_map_event *event)
{
    const struct feed *feed = context;
    count_missed(feed, fil_feed_text_tell_entry(feed->stream, event));
}

// Closing.

static void end_one(struct feed *feed)
{
    // Acquire and release: whoever is last sees what the other did.
    uint32_t before = atomic_fetch_sub_explicit(&feed->ends, 1, memory_order_acq_rel);
    fil_assert(before > 0);
    if (before == 1) {
        fil_reply_stream_end(feed->stream); // the feed is gone now
    }
}

static void ear_closed(void *context)
{
    end_one(context);
}

static void listener_closed(void *context, int error, struct fil_runner *runner)
{
    (void)error;
    (void)runner;
    end_one(context);
}

static enum fil_op_outcome run_unlisten(struct fil_op *op, struct fil_partition *partition)
{
    struct feed *feed = FIL_CONTAINER_OF(op, struct feed, op);
    (void)partition;
    fil_container_unlisten_here(feed->ear);
    return FIL_OP_DONE;
}

static void complete_unlisten(struct fil_op *op, struct fil_runner *runner)
{
    (void)runner;
    end_one(FIL_CONTAINER_OF(op, struct feed, op));
}

static const struct fil_op_type unlisten_type = {
    .name = "rest-unlisten", .run = run_unlisten, .complete = complete_unlisten};

static void submit(struct feed *feed, const struct fil_op_type *type, struct fil_runner *runner)
{
    fil_op_init(&feed->op, type, feed->source.topic->partition_id);
    fil_exec_submit(runner->exec, &feed->op, runner);
}

static void close_feed(struct feed *feed, struct fil_runner *runner)
{
    bool is_topic = feed->source.topic != NULL;
    fil_assert(runner != NULL);
    fil_assert(is_topic ? feed->ear != NULL : feed->listener != NULL);
    atomic_store_explicit(&feed->ends, is_topic ? CLOSING_ENDS : 1, memory_order_release);
    if (is_topic) {
        submit(feed, &unlisten_type, runner);
    } else {
        fil_map_listener_close(feed->listener, runner, listener_closed);
    }
}

/** On the loop: nobody reads any more. */
static void reader_gone(void *context)
{
    struct feed *feed = context;
    uint32_t state = OPENING;
    fil_role_assert_io();
    if (atomic_compare_exchange_strong_explicit(&feed->state, &state, UNWANTED,
                                                memory_order_acq_rel, memory_order_acquire)) {
        return; // closes when it is open
    }
    state = OPEN;
    if (atomic_compare_exchange_strong_explicit(&feed->state, &state, CLOSING, memory_order_acq_rel,
                                                memory_order_acquire)) {
        close_feed(feed, fil_http__runner(feed->request));
    }
}

// Opening.

/** It listens, or cannot: the reader has the head of the answer already, so it gets an event. */
static void opened(void *context, int error, struct fil_runner *runner)
{
    struct feed *feed = context;
    if (error != FIL_OK) {
        atomic_store_explicit(&feed->state, CLOSING, memory_order_release);
        (void)fil_reply_stream_event(feed->stream, "error", fil_error_text(error));
        fil_reply_stream_end(feed->stream);
        return;
    }
    // A comment, by which the reader knows that it misses nothing from now on.
    static const char greeting[] = ": listening\n\n";
    count_missed(feed, fil_reply_stream_write(feed->stream, greeting, sizeof(greeting) - 1));
    uint32_t state = OPENING;
    if (!atomic_compare_exchange_strong_explicit(&feed->state, &state, OPEN, memory_order_acq_rel,
                                                 memory_order_acquire)) {
        fil_assert(state == UNWANTED);
        close_feed(feed, runner);
    }
}

static enum fil_op_outcome run_listen(struct fil_op *op, struct fil_partition *partition)
{
    struct feed *feed = FIL_CONTAINER_OF(op, struct feed, op);
    fil_assert(partition->id == feed->source.topic->partition_id);
    struct fil_container_listener_options options = {.name = "http events",
                                                     .kinds = FIL_CONTAINER_MESSAGE,
                                                     .has_items = true,
                                                     .lane_max = LANE_MAX,
                                                     .deliver = deliver_message,
                                                     .closed = ear_closed,
                                                     .context = feed};
    op->error = fil_container_listen_here(feed->source.topic, &options, &feed->ear);
    return FIL_OP_DONE;
}

static void complete_listen(struct fil_op *op, struct fil_runner *runner)
{
    opened(FIL_CONTAINER_OF(op, struct feed, op), op->error, runner);
}

static const struct fil_op_type listen_type = {
    .name = "rest-listen", .run = run_listen, .complete = complete_listen};

static void listen_to_map(struct feed *feed, struct fil_runner *runner)
{
    struct fil_map_listener_options options = {
        .name = "http events",
        .kinds = FIL_MAP_EVENTS_ALL,
        .has_values = feed->source.has_values,
        .lane_count = 1,
        .deliver = deliver_entry,
        .context = feed,
    };
    int error = fil_map_listener_open(feed->source.map, &options, runner, opened, &feed->listener);
    if (error != FIL_OK) {
        opened(feed, error, runner);
    }
}

struct fil_reply fil_feed_open(struct fil_request *request, const struct fil_feed_source *source)
{
    fil_role_assert_io();
    fil_assert((source->topic == NULL) != (source->map == NULL));
    struct fil_runner *runner = fil_http__runner(request);
    struct feed *feed = fil_request_alloc(request, sizeof(*feed));
    if (feed == NULL) {
        return fil_reply_error(request, FIL_E_NOMEM);
    }
    fil_request_add_header(request, "Cache-Control", "no-store");
    struct fil_reply_stream *stream =
        fil_reply_stream_open(request, FIL_HTTP_STATUS_OK, FIL_REPLY_STREAM_EVENTS_TYPE);
    if (stream == NULL) {
        return fil_reply_error(request, FIL_E_NOMEM);
    }
    *feed = (struct feed){.request = request, .stream = stream, .source = *source};
    fil_reply_stream_watch(stream, reader_gone, feed);
    if (source->topic != NULL) {
        submit(feed, &listen_type, runner);
    } else {
        listen_to_map(feed, runner);
    }
    return (struct fil_reply){.status = FIL_REPLY_LATER}; // it may be over already
}
