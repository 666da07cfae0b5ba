// SPDX-License-Identifier: Apache-2.0
#include "protocol/client/serve/invalidation.h"

#include "core/exec/event.h"
#include "core/exec/exec.h"
#include "core/exec/partition.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/endian.h"
#include "protocol/client/form.h"
#include "protocol/client/generated/map.h"
#include "protocol/client/serve/news.h"
#include "protocol/client/serve/subscription.h"

#define BATCH_BYTES_MAX 65536U

// Under which the timer waits in its partition, for nobody.
#define TIMER_WAIT_KEY UINT64_C(0x6e65617263616368)

/** What goes with a key: the lists of a batch come one after the other, behind all keys. */
struct note {
    struct fil_wire_uuid origin;
    uint32_t partition_id;
    uint64_t sequence;
};

struct fil_wire_invalidations {
    // Set when it is made, then read-only.
    struct fil_wire_session *session;
    const struct fil_wire_wish *wish;
    uint32_t count_max;

    // The lane's own.
    struct fil_wire_news *news; // with the keys; NULL: nothing is collected
    uint32_t count;

    // Written by the lane, read by whoever flushes.
    _Atomic bool are_due;

    struct note notes[]; // of the keys
};

struct fil_wire_invalidations *fil_wire_invalidations_new(struct fil_wire_session *session,
                                                          const struct fil_wire_wish *wish)
{
    uint32_t count_max = session->server->options.near_cache_batch;
    struct fil_wire_invalidations *invalidations =
        fil_alloc_zero(1, sizeof(*invalidations) + count_max * sizeof(struct note));
    if (invalidations != NULL) {
        invalidations->session = session;
        invalidations->wish = wish;
        invalidations->count_max = count_max;
    }
    return invalidations;
}

void fil_wire_invalidations_free(struct fil_wire_invalidations *invalidations)
{
    if (invalidations != NULL) {
        fil_wire_news_free(invalidations->news);
        fil_free(invalidations);
    }
}

bool fil_wire_invalidations_are_due(struct fil_wire_invalidations *invalidations)
{
    // In one order with the timer's flag: see arm_timer.
    return atomic_load_explicit(&invalidations->are_due, memory_order_seq_cst);
}

static struct fil_wire_uuid origin_of(const struct fil_wire_server *server,
                                      const struct fil_map_event *event)
{
    if (event->origin[0] == 0 && event->origin[1] == 0) {
        return server->member_uuid;
    }
    return (struct fil_wire_uuid){.high = event->origin[0], .low = event->origin[1]};
}

// One by one.

static void send_one(struct fil_wire_invalidations *invalidations,
                     const struct fil_map_event *event, struct fil_runner *runner)
{
    const struct fil_wire_server *server = invalidations->session->server;
    const struct fil_map *map = invalidations->wish->map;
    struct fil_wire_news *news = fil_wire_news_new(invalidations->session, runner);
    if (news == NULL) {
        return; // the next one has a gap in its numbers
    }
    uint32_t partition_id = event->key.data == NULL ? map->home_id : event->partition_id;
    struct fil_wire_form_place place = {partition_id, map->partition_count};
    struct fil_wire_header header = {.type = invalidations->wish->event_number,
                                     .correlation = invalidations->wish->correlation,
                                     .partition = (int32_t)partition_id};
    uint8_t *fixed = fil_wire_writer_open_event(&news->writer, &header, 2 * FIL_WIRE_UUID_SIZE + 8);
    if (fixed != NULL) {
        fil_wire_store_uuid(fixed, origin_of(server, event));
        fil_wire_store_uuid(fixed + FIL_WIRE_UUID_SIZE, server->partition_uuids[partition_id]);
        fil_store_u64_le(fixed + 2 * FIL_WIRE_UUID_SIZE, event->sequence);
    }
    if (event->key.data != NULL) {
        fil_wire_writer_form_key(&news->writer, event->key, place);
    } else {
        fil_wire_writer_null(&news->writer);
    }
    fil_wire_news_deliver(news, invalidations->session, runner);
}

// The timer, of all batches of the server.

/** Waits in a partition until the batches are due. */
struct timer {
    struct fil_op op;
    struct fil_wire_server *server;
};

static void arm_timer(struct fil_wire_server *server, struct fil_runner *runner);

static enum fil_op_outcome wait_until_due(struct fil_op *op, struct fil_partition *partition)
{
    op->error = fil_partition_park(partition, op, TIMER_WAIT_KEY);
    return op->error == FIL_OK ? FIL_OP_PARKED : FIL_OP_DONE;
}

static void end_wait(struct fil_op *op, struct fil_runner *runner)
{
    struct timer *timer = FIL_CONTAINER_OF(op, struct timer, op);
    struct fil_wire_server *server = timer->server;
    bool is_stopping = op->error == FIL_E_STOPPING;
    fil_free(timer);
    if (is_stopping) {
        return; // the server may be gone
    }
    // In one order with the batches' flags: see arm_timer.
    atomic_store_explicit(&server->has_near_cache_timer, false, memory_order_seq_cst);
    if (!fil_wire_subscription_flush_due(server)) {
        arm_timer(server, runner);
    }
}

static const struct fil_op_type timer_type = {
    .name = "client-near-cache-timer", .run = wait_until_due, .complete = end_wait};

/**
 * Starts the timer unless it runs. A batch says that it is due, then looks whether there is a
 * timer; the timer says that it is gone, then looks which batches are due. Both are in one order,
 * so at least one sees the other.
 */
static void arm_timer(struct fil_wire_server *server, struct fil_runner *runner)
{
    if (atomic_exchange_explicit(&server->has_near_cache_timer, true, memory_order_seq_cst)) {
        return;
    }
    struct timer *timer = fil_alloc_zero(1, sizeof(*timer));
    if (timer == NULL) {
        // The next change tries again, and a full batch leaves by itself.
        atomic_store_explicit(&server->has_near_cache_timer, false, memory_order_seq_cst);
        return;
    }
    timer->server = server;
    fil_op_init(&timer->op, &timer_type, 0);
    timer->op.deadline_ns =
        fil_env_now_ns(server->options.env) + server->options.near_cache_delay_ns;
    fil_exec_submit(runner->exec, &timer->op, runner);
}

// Many in one message.

static bool begin_batch(struct fil_wire_invalidations *invalidations, struct fil_runner *runner)
{
    const struct fil_wire_wish *wish = invalidations->wish;
    struct fil_wire_news *news = fil_wire_news_new(invalidations->session, runner);
    if (news == NULL) {
        return false;
    }
    // Clients keep the order of events of one partition: all batches of a map have the same.
    struct fil_wire_header header = {
        .type = FIL_WIRE_MAP_ADD_NEAR_CACHE_INVALIDATION_LISTENER_I_MAP_BATCH_INVALIDATION_EVENT,
        .correlation = wish->correlation,
        .partition = (int32_t)wish->map->home_id};
    (void)fil_wire_writer_open_event(&news->writer, &header, 0);
    fil_wire_writer_begin(&news->writer);
    invalidations->news = news;
    invalidations->count = 0;
    return true;
}

static void collect(struct fil_wire_invalidations *invalidations, const struct fil_map_event *event,
                    struct fil_runner *runner)
{
    const struct fil_map *map = invalidations->wish->map;
    struct fil_wire_form_place place = {event->partition_id, map->partition_count};
    struct fil_wire_news *news = invalidations->news;
    news->writer.pool = runner->chunks; // the lane may have come from another thread
    fil_wire_writer_form_key(&news->writer, event->key, place);
    invalidations->notes[invalidations->count] =
        (struct note){.origin = origin_of(invalidations->session->server, event),
                      .partition_id = event->partition_id,
                      .sequence = event->sequence};
    invalidations->count++;
}

static void write_notes(const struct fil_wire_invalidations *invalidations,
                        struct fil_wire_writer *writer)
{
    const struct fil_wire_uuid *uuids = invalidations->session->server->partition_uuids;
    const struct note *notes = invalidations->notes;
    uint32_t count = invalidations->count;
    uint8_t *to = fil_wire_writer_frame(writer, 0, (size_t)count * FIL_WIRE_UUID_SIZE);
    for (uint32_t i = 0; to != NULL && i < count; i++) {
        fil_wire_store_uuid(to + (size_t)i * FIL_WIRE_UUID_SIZE, notes[i].origin);
    }
    to = fil_wire_writer_frame(writer, 0, (size_t)count * FIL_WIRE_UUID_SIZE);
    for (uint32_t i = 0; to != NULL && i < count; i++) {
        fil_wire_store_uuid(to + (size_t)i * FIL_WIRE_UUID_SIZE, uuids[notes[i].partition_id]);
    }
    to = fil_wire_writer_frame(writer, 0, count * sizeof(uint64_t));
    for (uint32_t i = 0; to != NULL && i < count; i++) {
        fil_store_u64_le(to + i * sizeof(uint64_t), notes[i].sequence);
    }
}

void fil_wire_invalidations_flush(struct fil_wire_invalidations *invalidations)
{
    struct fil_runner *runner = fil_events_runner();
    struct fil_wire_news *news = invalidations->news;
    fil_assert(runner != NULL);
    if (news == NULL) {
        return;
    }
    // Relaxed: only the lane sets it, and whoever still reads it has the lane look once in vain.
    atomic_store_explicit(&invalidations->are_due, false, memory_order_relaxed);
    invalidations->news = NULL;
    news->writer.pool = runner->chunks;
    fil_wire_writer_end(&news->writer);
    write_notes(invalidations, &news->writer);
    fil_wire_news_deliver(news, invalidations->session, runner);
}

static bool is_full(const struct fil_wire_invalidations *invalidations)
{
    return invalidations->count >= invalidations->count_max ||
           invalidations->news->queue.size_bytes >= BATCH_BYTES_MAX;
}

void fil_wire_invalidations_add(struct fil_wire_invalidations *invalidations,
                                const struct fil_map_event *event)
{
    struct fil_runner *runner = fil_events_runner();
    fil_assert(runner != NULL);
    if (event->key.data == NULL || invalidations->count_max == 1) {
        fil_wire_invalidations_flush(invalidations);
        send_one(invalidations, event, runner);
        return;
    }
    if (invalidations->news == NULL && !begin_batch(invalidations, runner)) {
        return; // the next one has a gap in its numbers
    }
    collect(invalidations, event, runner);
    if (is_full(invalidations)) {
        fil_wire_invalidations_flush(invalidations);
    } else {
        atomic_store_explicit(&invalidations->are_due, true, memory_order_seq_cst);
        arm_timer(invalidations->session->server, runner);
    }
}
