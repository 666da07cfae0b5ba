// SPDX-License-Identifier: Apache-2.0
#include "protocol/client/serve/ear.h"

#include "core/exec/event.h"
#include "core/exec/exec.h"
#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/base/endian.h"
#include "protocol/client/form.h"
#include "protocol/client/query/predicate.h"
#include "protocol/client/serve/news.h"

#define CLOSING_ENDS 2U

/** Clients keep the order of events of one partition, and only of those. */
static uint8_t *open_event(const struct fil_wire_ear *ear, struct fil_wire_writer *writer,
                           size_t fixed_size)
{
    struct fil_wire_header header = {.type = ear->wish->event_number,
                                     .correlation = ear->wish->correlation,
                                     .partition = (int32_t)ear->wish->container->partition_id};
    return fil_wire_writer_open_event(writer, &header, fixed_size);
}

static void write_item(const struct fil_wire_ear *ear, const struct fil_container_event *event,
                       struct fil_wire_writer *writer)
{
    uint8_t *fixed = open_event(ear, writer, FIL_WIRE_UUID_SIZE + 4);
    if (fixed != NULL) {
        fil_wire_store_uuid(fixed, ear->session->server->member_uuid);
        fil_store_u32_le(fixed + FIL_WIRE_UUID_SIZE, (uint32_t)event->kind);
    }
    fil_wire_writer_form_or_null(writer, event->item);
}

static void write_message(const struct fil_wire_ear *ear, const struct fil_container_event *event,
                          struct fil_wire_writer *writer)
{
    uint8_t *fixed = open_event(ear, writer, 8 + FIL_WIRE_UUID_SIZE);
    if (fixed != NULL) {
        fil_store_u64_le(fixed, event->time_ms);
        fil_wire_store_uuid(fixed + 8, ear->session->server->member_uuid);
    }
    fil_wire_writer_form_or_null(writer, event->item);
}

static void write_entry(const struct fil_wire_ear *ear, const struct fil_container_event *event,
                        struct fil_wire_writer *writer)
{
    uint8_t *fixed = open_event(ear, writer, 8 + FIL_WIRE_UUID_SIZE);
    bool has_key = event->key.data != NULL;
    if (fixed != NULL) {
        fil_store_u32_le(fixed, (uint32_t)event->kind);
        fil_wire_store_uuid(fixed + 4, ear->session->server->member_uuid);
        fil_store_u32_le(fixed + 4 + FIL_WIRE_UUID_SIZE, has_key ? 1 : (uint32_t)event->count);
    }
    fil_wire_writer_bytes_or_null(writer, event->key);
    fil_wire_writer_form_or_null(writer, event->item);
    fil_wire_writer_form_or_null(writer, event->old_item);
    fil_wire_writer_null(writer);
}

/** What is gone is judged by what it was; a change of all entries is for everybody. */
static bool fits(const struct fil_wire_ear *ear, const struct fil_container_event *event)
{
    if (ear->query == NULL || event->key.data == NULL) {
        return true;
    }
    struct fil_query_entry entry = {.key = fil_wire_form_of_key(event->key),
                                    .value =
                                        event->item.data != NULL ? event->item : event->old_item,
                                    .schemas = &ear->session->server->schemas};
    return fil_query_predicate_test(ear->query, &entry) && !entry.is_opaque;
}

static void deliver(void *context, const struct fil_container_event *event)
{
    const struct fil_wire_ear *ear = context;
    struct fil_wire_session *session = ear->session;
    if (!fits(ear, event)) {
        return;
    }
    struct fil_runner *runner = fil_events_runner();
    fil_assert(runner != NULL);
    struct fil_wire_news *news = fil_wire_news_new(session, runner);
    if (news == NULL) {
        return; // counted as lost
    }
    if (ear->wish->subject == FIL_WIRE_ITEMS) {
        write_item(ear, event, &news->writer);
    } else if (ear->wish->subject == FIL_WIRE_MESSAGES) {
        write_message(ear, event, &news->writer);
    } else {
        write_entry(ear, event, &news->writer);
    }
    fil_wire_news_deliver(news, session, runner);
}

/** One of the two things that closing waits for. */
static void end_one(struct fil_wire_ear *ear, struct fil_runner *runner)
{
    // Acquire and release: whoever is last sees what the other did.
    if (atomic_fetch_sub_explicit(&ear->ends, 1, memory_order_acq_rel) == 1) {
        ear->done(ear->context, FIL_OK, runner);
    }
}

static void listener_closed(void *context)
{
    end_one(context, NULL);
}

static enum fil_op_outcome run_open(struct fil_op *op, struct fil_partition *partition)
{
    struct fil_wire_ear *ear = FIL_CONTAINER_OF(op, struct fil_wire_ear, op);
    const struct fil_wire_wish *wish = ear->wish;
    struct fil_container_listener_options options = {
        .name = "client items",
        .kinds = wish->flags,
        .has_items = wish->has_values,
        .key = wish->key,
        .deliver = deliver,
        .closed = listener_closed,
        .context = ear,
    };
    fil_assert(partition->id == wish->container->partition_id);
    op->error = fil_container_listen_here(wish->container, &options, &ear->listener);
    return FIL_OP_DONE;
}

static void complete_open(struct fil_op *op, struct fil_runner *runner)
{
    struct fil_wire_ear *ear = FIL_CONTAINER_OF(op, struct fil_wire_ear, op);
    ear->done(ear->context, op->error, runner);
}

static enum fil_op_outcome run_close(struct fil_op *op, struct fil_partition *partition)
{
    struct fil_wire_ear *ear = FIL_CONTAINER_OF(op, struct fil_wire_ear, op);
    (void)partition;
    fil_container_unlisten_here(ear->listener);
    return FIL_OP_DONE;
}

static void complete_close(struct fil_op *op, struct fil_runner *runner)
{
    end_one(FIL_CONTAINER_OF(op, struct fil_wire_ear, op), runner);
}

static const struct fil_op_type open_type = {
    .name = "client-listen", .run = run_open, .complete = complete_open};
static const struct fil_op_type close_type = {
    .name = "client-unlisten", .run = run_close, .complete = complete_close};

static void submit(struct fil_wire_ear *ear, const struct fil_op_type *type, fil_wire_ear_fn done,
                   struct fil_runner *runner)
{
    ear->done = done;
    fil_op_init(&ear->op, type, ear->wish->container->partition_id);
    fil_exec_submit(runner->exec, &ear->op, runner);
}

void fil_wire_ear_open(struct fil_wire_ear *ear, fil_wire_ear_fn opened, void *context,
                       struct fil_runner *runner)
{
    fil_assert(ear->wish->container != NULL && ear->listener == NULL);
    ear->context = context;
    submit(ear, &open_type, opened, runner);
}

void fil_wire_ear_close(struct fil_wire_ear *ear, fil_wire_ear_fn closed, struct fil_runner *runner)
{
    fil_assert(ear->listener != NULL);
    atomic_store_explicit(&ear->ends, CLOSING_ENDS, memory_order_release);
    submit(ear, &close_type, closed, runner);
}
