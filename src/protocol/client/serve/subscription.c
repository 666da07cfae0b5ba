// SPDX-License-Identifier: Apache-2.0
#include "protocol/client/serve/subscription.h"

#include <string.h>

#include "core/exec/event.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/endian.h"
#include "protocol/client/form.h"
#include "protocol/client/generated/client.h"
#include "protocol/client/query/predicate.h"
#include "protocol/client/serve/call.h"
#include "protocol/client/serve/ear.h"
#include "protocol/client/serve/invalidation.h"
#include "protocol/client/serve/news.h"

enum state {
    OPENING,
    OPEN,
    CLOSING,
};

struct fil_wire_subscription {
    // Set when it is made, then read-only.
    struct fil_wire_session *session; // its connection is held
    struct fil_wire_wish wish;        // points into the bytes
    struct fil_query_predicate query; // of the wish
    struct fil_wire_uuid id;

    // The loop's, then whoever opens it.
    struct fil_wire_call *call; // to be answered
    struct fil_map_listener *listener;
    struct fil_wire_ear ear; // of a container, instead

    struct fil_wire_invalidations *invalidations; // of a near cache, else NULL

    // Under the server's mutex.
    struct fil_list link;
    enum state state;
    bool is_unwanted; // and still opening

    struct fil_wire_subscription *next_condemned; // whoever ends it

    uint8_t bytes[];
};

// Delivery: on event threads.

/** The kinds of events have the protocol's numbers. */
static void write_entry_event(struct fil_wire_subscription *subscription,
                              const struct fil_map_event *event, struct fil_wire_writer *writer)
{
    const struct fil_wire_wish *wish = &subscription->wish;
    struct fil_wire_form_place place = {.partition_id = event->partition_id,
                                        .partition_count = wish->map->partition_count};
    bool has_key = event->key.data != NULL;
    struct fil_wire_header header = {.type = wish->event_number,
                                     .correlation = wish->correlation,
                                     .partition = has_key ? (int32_t)event->partition_id : -1};
    uint8_t *fixed = fil_wire_writer_open_event(writer, &header, 8 + FIL_WIRE_UUID_SIZE);
    if (fixed == NULL) {
        return;
    }
    fil_store_u32_le(fixed, (uint32_t)event->kind);
    fil_wire_store_uuid(fixed + 4, subscription->session->server->member_uuid);
    fil_store_u32_le(fixed + 4 + FIL_WIRE_UUID_SIZE, has_key ? 1 : (uint32_t)event->count);
    if (has_key) {
        fil_wire_writer_form_key(writer, event->key, place);
    } else {
        fil_wire_writer_null(writer);
    }
    bool has_values = wish->has_values;
    fil_wire_writer_form_or_null(writer, has_values ? event->value : (struct fil_bytes){0});
    fil_wire_writer_form_or_null(writer, has_values ? event->old_value : (struct fil_bytes){0});
    fil_wire_writer_null(writer);
}

static bool fits(const struct fil_wire_subscription *subscription,
                 const struct fil_map_event *event)
{
    const struct fil_wire_wish *wish = &subscription->wish;
    if (wish->predicate.data == NULL || event->key.data == NULL) {
        return true;
    }
    // What is gone is judged by what it was.
    struct fil_bytes value = event->value.data != NULL ? event->value : event->old_value;
    struct fil_query_entry entry = {
        .key = event->key, .value = value, .schemas = &subscription->session->server->schemas};
    // There is nobody to tell that an attribute cannot be read; it is not the wanted one.
    return fil_query_predicate_test(&subscription->query, &entry) && !entry.is_opaque;
}

static void send_entry_event(struct fil_wire_subscription *subscription,
                             const struct fil_map_event *event)
{
    struct fil_runner *runner = fil_events_runner();
    fil_assert(runner != NULL);
    struct fil_wire_news *news = fil_wire_news_new(subscription->session, runner);
    if (news != NULL) {
        write_entry_event(subscription, event, &news->writer);
        fil_wire_news_deliver(news, subscription->session, runner);
    }
}

static void deliver_entry(void *context, const struct fil_map_event *event)
{
    struct fil_wire_subscription *subscription = context;
    const struct fil_wire_wish *wish = &subscription->wish;
    bool is_wanted = (wish->flags & (uint32_t)event->kind) != 0;
    if (is_wanted && fits(subscription, event)) {
        send_entry_event(subscription, event);
    }
}

static void deliver_invalidation(void *context, const struct fil_map_event *event)
{
    struct fil_wire_subscription *subscription = context;
    fil_wire_invalidations_add(subscription->invalidations, event);
}

static void flush_invalidations(void *context)
{
    struct fil_wire_subscription *subscription = context;
    fil_wire_invalidations_flush(subscription->invalidations);
}

// Coming and going.

static struct fil_bytes copy(uint8_t **room, struct fil_bytes bytes)
{
    struct fil_bytes copied = fil_bytes_make(*room, bytes.size);
    if (bytes.data == NULL) {
        return bytes;
    }
    if (bytes.size > 0) {
        memcpy(*room, bytes.data, bytes.size);
    }
    *room += bytes.size;
    return copied;
}

/** What a wish of its kind needs besides; false: no memory. */
static bool complete(struct fil_wire_subscription *subscription)
{
    const struct fil_wire_wish *wish = &subscription->wish;
    struct fil_wire_fault fault;
    if (wish->subject == FIL_WIRE_INVALIDATIONS) {
        subscription->invalidations = fil_wire_invalidations_new(subscription->session, wish);
        return subscription->invalidations != NULL;
    }
    // A predicate has been checked, so only memory can be missing.
    return wish->predicate.data == NULL ||
           fil_query_predicate_init(&subscription->query, wish->predicate, &fault) == FIL_OK;
}

static struct fil_wire_subscription *make(struct fil_wire_session *session,
                                          const struct fil_wire_wish *wish)
{
    struct fil_wire_subscription *subscription =
        fil_alloc_zero(1, sizeof(*subscription) + wish->key.size + wish->predicate.size + 1);
    if (subscription == NULL) {
        return NULL;
    }
    uint8_t *room = subscription->bytes;
    subscription->session = session;
    subscription->wish = *wish;
    subscription->wish.key = copy(&room, wish->key);
    subscription->wish.predicate = copy(&room, wish->predicate);
    subscription->id = fil_wire_server_uuid(session->server);
    subscription->ear.session = session;
    subscription->ear.wish = &subscription->wish;
    subscription->ear.query = wish->predicate.data == NULL ? NULL : &subscription->query;
    fil_list_init(&subscription->link);
    if (!complete(subscription)) {
        fil_free(subscription);
        return NULL;
    }
    return subscription;
}

static void dispose(struct fil_wire_subscription *subscription)
{
    if (subscription != NULL) {
        fil_query_predicate_fini(&subscription->query);
        fil_wire_invalidations_free(subscription->invalidations);
        fil_free(subscription);
    }
}

/** Among all of the server; its session's connection stays until it is closed. */
static int enlist(struct fil_wire_subscription *subscription)
{
    struct fil_wire_session *session = subscription->session;
    struct fil_wire_server *server = session->server;
    int error = FIL_E_LIMIT;
    fil_mutex_lock(&server->mutex);
    if (session->subscription_count < FIL_WIRE_SUBSCRIPTIONS_MAX) {
        session->subscription_count++;
        fil_list_push_back(&server->subscriptions, &subscription->link);
        error = FIL_OK;
    }
    fil_mutex_unlock(&server->mutex);
    if (error == FIL_OK) {
        fil_connection_hold(session->connection);
    }
    return error;
}

static void delist(struct fil_wire_subscription *subscription)
{
    struct fil_wire_server *server = subscription->session->server;
    fil_mutex_lock(&server->mutex);
    fil_assert(subscription->session->subscription_count > 0);
    subscription->session->subscription_count--;
    fil_list_remove(&subscription->link);
    fil_mutex_unlock(&server->mutex);
}

/** Nothing will be delivered any more. */
static void forget(struct fil_wire_subscription *subscription)
{
    struct fil_connection *connection = subscription->session->connection;
    delist(subscription);
    dispose(subscription);
    fil_connection_release(connection);
}

static void on_closed(void *context, int error, struct fil_runner *runner)
{
    (void)error;
    (void)runner;
    forget(context);
}

static void close_one(struct fil_wire_subscription *subscription, struct fil_runner *runner)
{
    if (subscription->listener != NULL) {
        fil_map_listener_close(subscription->listener, runner, on_closed);
    } else if (subscription->ear.listener != NULL) {
        fil_wire_ear_close(&subscription->ear, on_closed, runner);
    } else {
        forget(subscription);
    }
}

static void on_opened(void *context, int error, struct fil_runner *runner)
{
    struct fil_wire_subscription *subscription = context;
    struct fil_wire_server *server = subscription->session->server;
    struct fil_wire_call *call = subscription->call;
    fil_assert(runner != NULL && call != NULL);
    subscription->call = NULL;
    call->task.uuid = subscription->id;
    fil_mutex_lock(&server->mutex);
    bool is_over = subscription->is_unwanted || error != FIL_OK;
    subscription->state = is_over ? CLOSING : OPEN;
    fil_mutex_unlock(&server->mutex);
    fil_wire_call_finish(call, runner, error);
    if (is_over) {
        close_one(subscription, runner);
    }
}

static struct fil_map_listener_options options_of(struct fil_wire_subscription *subscription)
{
    const struct fil_wire_wish *wish = &subscription->wish;
    bool is_entries = wish->subject == FIL_WIRE_ENTRIES;
    uint32_t kinds = is_entries ? wish->flags & FIL_MAP_EVENTS_ALL : FIL_MAP_EVENTS_ALL;
    return (struct fil_map_listener_options){
        .name = is_entries ? "client entries" : "client near cache",
        .kinds = kinds,
        .has_values = wish->has_values || wish->predicate.data != NULL,
        .has_sequence = !is_entries,
        .key = wish->key,
        .lane_count = is_entries ? 0 : 1, // the numbers of a partition must come in order
        .deliver = is_entries ? deliver_entry : deliver_invalidation,
        .nudged = is_entries ? NULL : flush_invalidations,
        .context = subscription,
    };
}

int fil_wire_subscription_open(struct fil_wire_call *call, const struct fil_wire_wish *wish,
                               struct fil_runner *runner)
{
    struct fil_wire_subscription *subscription = make(call->task.session, wish);
    int error = subscription == NULL ? FIL_E_NOMEM : enlist(subscription);
    if (error != FIL_OK) {
        dispose(subscription);
        return error;
    }
    subscription->call = call;
    if (wish->container != NULL) {
        fil_wire_ear_open(&subscription->ear, on_opened, subscription, runner);
        return FIL_OK;
    }
    struct fil_map_listener_options options = options_of(subscription);
    error = fil_map_listener_open(wish->map, &options, runner, on_opened, &subscription->listener);
    if (error != FIL_OK) {
        forget(subscription);
    }
    return error;
}

int fil_wire_subscription_add(struct fil_wire_session *session, const struct fil_wire_wish *wish,
                              struct fil_wire_uuid *out_id)
{
    struct fil_wire_subscription *subscription = make(session, wish);
    if (subscription == NULL) {
        return FIL_E_NOMEM;
    }
    subscription->state = OPEN;
    *out_id = subscription->id;
    int error = enlist(subscription);
    if (error != FIL_OK) {
        dispose(subscription);
    }
    return error;
}

/** Begins the end of it; true when the caller must close it, outside of the mutex. */
static bool condemn(struct fil_wire_subscription *subscription)
{
    subscription->is_unwanted = true;
    if (subscription->state != OPEN) {
        return false; // it closes already, or will when it is open
    }
    subscription->state = CLOSING;
    return true;
}

/** Whether it is one of those that shall end. */
typedef bool (*fits_fn)(const struct fil_wire_subscription *subscription, const void *context);

/** Those that have to be closed, as a chain; how many were met in all. */
static struct fil_wire_subscription *condemn_all(struct fil_wire_server *server, fits_fn is_meant,
                                                 const void *context, uint32_t *out_count)
{
    struct fil_wire_subscription *condemned = NULL;
    *out_count = 0;
    fil_mutex_lock(&server->mutex);
    fil_list_foreach(link, &server->subscriptions) {
        struct fil_wire_subscription *subscription =
            FIL_CONTAINER_OF(link, struct fil_wire_subscription, link);
        if (!is_meant(subscription, context) || subscription->is_unwanted) {
            continue;
        }
        (*out_count)++;
        if (condemn(subscription)) {
            subscription->next_condemned = condemned;
            condemned = subscription;
        }
    }
    fil_mutex_unlock(&server->mutex);
    return condemned;
}

/** One pass under the mutex, whatever their number: they are closed behind it. */
static uint32_t end_all(struct fil_wire_server *server, fits_fn is_meant, const void *context,
                        struct fil_runner *runner)
{
    uint32_t count = 0;
    struct fil_wire_subscription *next = condemn_all(server, is_meant, context, &count);
    while (next != NULL) {
        struct fil_wire_subscription *subscription = next;
        next = subscription->next_condemned; // it may be gone once it is closed
        close_one(subscription, runner);
    }
    return count;
}

struct wanted {
    const struct fil_wire_session *session;
    struct fil_wire_uuid id;
};

static bool has_id(const struct fil_wire_subscription *subscription, const void *context)
{
    const struct wanted *wanted = context;
    return subscription->session == wanted->session && subscription->id.high == wanted->id.high &&
           subscription->id.low == wanted->id.low;
}

bool fil_wire_subscription_end(struct fil_wire_session *session, struct fil_wire_uuid id,
                               struct fil_runner *runner)
{
    struct wanted wanted = {.session = session, .id = id};
    return end_all(session->server, has_id, &wanted, runner) > 0;
}

static bool is_of_session(const struct fil_wire_subscription *subscription, const void *context)
{
    return subscription->session == context;
}

void fil_wire_subscription_end_session(struct fil_wire_session *session, struct fil_runner *runner)
{
    (void)end_all(session->server, is_of_session, session, runner);
}

static bool is_of_map(const struct fil_wire_subscription *subscription, const void *context)
{
    return subscription->wish.map == context;
}

static bool is_of_container(const struct fil_wire_subscription *subscription, const void *context)
{
    return subscription->wish.container == context;
}

void fil_wire_subscription_end_container(struct fil_wire_server *server,
                                         const struct fil_container *container,
                                         struct fil_runner *runner)
{
    (void)end_all(server, is_of_container, container, runner);
}

void fil_wire_subscription_end_map(struct fil_wire_server *server, const struct fil_map *map,
                                   struct fil_runner *runner)
{
    (void)end_all(server, is_of_map, map, runner);
}

/** Has the batch of a near cache sent, if one is due; false: it must be tried again later. */
static bool flush_one(const struct fil_wire_subscription *subscription)
{
    if (subscription->invalidations == NULL || subscription->state == CLOSING ||
        !fil_wire_invalidations_are_due(subscription->invalidations)) {
        return true;
    }
    return subscription->state == OPEN && fil_map_listener_nudge(subscription->listener);
}

bool fil_wire_subscription_flush_due(struct fil_wire_server *server)
{
    bool are_all_sent = true;
    fil_mutex_lock(&server->mutex);
    fil_list_foreach(link, &server->subscriptions) {
        are_all_sent &= flush_one(FIL_CONTAINER_OF(link, struct fil_wire_subscription, link));
    }
    fil_mutex_unlock(&server->mutex);
    return are_all_sent;
}

// Objects.

#define OBJECT_EVENT_STRUCT \
    struct fil_wire_client_add_distributed_object_listener_distributed_object_event

static void send_object(struct fil_wire_subscription *subscription,
                        const OBJECT_EVENT_STRUCT *event, struct fil_runner *runner)
{
    struct fil_wire_news *news = fil_wire_news_new(subscription->session, runner);
    struct fil_wire_header header = {.correlation = subscription->wish.correlation,
                                     .partition = -1};
    if (news != NULL) {
        int error = FIL_WIRE_ENCODE(client_add_distributed_object_listener_distributed_object_event,
                                    &news->writer, &header, event);
        (void)fil_wire_news_send(news, subscription->session, runner, error);
    }
}

void fil_wire_subscription_tell_object(struct fil_wire_server *server, struct fil_bytes name,
                                       struct fil_bytes service, bool is_created,
                                       struct fil_runner *runner)
{
    OBJECT_EVENT_STRUCT event = {
        .source = server->member_uuid,
        .name = name,
        .service_name = service,
        .event_type = fil_bytes_of(is_created ? "CREATED" : "DESTROYED"),
    };
    fil_mutex_lock(&server->mutex);
    fil_list_foreach(link, &server->subscriptions) {
        struct fil_wire_subscription *subscription =
            FIL_CONTAINER_OF(link, struct fil_wire_subscription, link);
        if (subscription->wish.subject == FIL_WIRE_OBJECTS && !subscription->is_unwanted) {
            send_object(subscription, &event, runner);
        }
    }
    fil_mutex_unlock(&server->mutex);
}
