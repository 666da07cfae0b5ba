// SPDX-License-Identifier: Apache-2.0
/** One connection's subscriptions, and how what comes for them gets into its output. */
#include <inttypes.h>
#include <stdio.h>

#include "core/exec/runner.h"
#include "core/exec/turn.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/hash.h"
#include "lib/net/connection.h"
#include "lib/net/loop.h"
#include "protocol/resp/pubsub_internal.h"
#include "protocol/resp/session.h"

#define QUITS_MIN 64U

// A request's reply is waited for, messages come by themselves: a burst of them must fit.
#define OUTPUTS_PER_SUBSCRIBER 8U

// A subscription, its bucket, and its place in the topic's crowd and that one's block.
#define SUBSCRIPTION_BYTES                                                  \
    (sizeof(struct fil_resp_subscription) + sizeof(struct fil_resp_crowd) + \
     sizeof(struct fil_resp_block) + 5 * sizeof(void *))

static size_t subscriber_bytes(void)
{
    return sizeof(struct fil_resp_subscriber) + fil_listener_bytes(1);
}

static struct fil_resp_subscriber *alloc_subscriber(struct fil_resp_pubsub *pubsub)
{
    if (!fil_budget_draw_data(pubsub->budget, subscriber_bytes())) {
        return NULL;
    }
    struct fil_resp_subscriber *subscriber = fil_alloc_zero(1, sizeof(*subscriber));
    if (subscriber == NULL) {
        fil_budget_return(pubsub->budget, subscriber_bytes());
        return NULL;
    }
    subscriber->pubsub = pubsub;
    return subscriber;
}

static void discard_subscriber(struct fil_resp_subscriber *subscriber)
{
    fil_budget_return(subscriber->pubsub->budget, subscriber_bytes());
    fil_free(subscriber);
}

void fil_resp_subscriber__ref(struct fil_resp_subscriber *subscriber)
{
    // Relaxed: the caller has a reference, or it is a crowd's member.
    atomic_fetch_add_explicit(&subscriber->ref_count, 1, memory_order_relaxed);
}

void fil_resp_subscriber__unref(struct fil_resp_subscriber *subscriber)
{
    // Acquire and release: the last one frees after all others are done with it.
    if (atomic_fetch_sub_explicit(&subscriber->ref_count, 1, memory_order_acq_rel) == 1) {
        fil_listener_unref(subscriber->listener);
        discard_subscriber(subscriber);
    }
}

void fil_resp_subscriber__lose_dropped(struct fil_resp_subscriber *subscriber, uint32_t count)
{
    fil_counter_add_shared(&subscriber->lost, count);
    fil_counter_add_shared(&subscriber->pubsub->lost, count);
}

void fil_resp_subscriber__lose(struct fil_resp_subscriber *subscriber, uint32_t count)
{
    if (count > 0) {
        fil_resp_subscriber__lose_dropped(subscriber, count);
        fil_listener_lose(subscriber->listener, count);
    }
}

static size_t size_of(const struct fil_resp_news *news)
{
    return news->message->channel.size + news->message->text.size;
}

/** On the event thread: hands the message to whoever has the connection's writer flag. */
static void deliver(void *context, struct fil_event *event)
{
    struct fil_resp_subscriber *subscriber = context;
    struct fil_resp_news *news = FIL_CONTAINER_OF(event, struct fil_resp_news, event);
    struct fil_connection *connection = subscriber->session->connection;
    struct fil_runner *runner = fil_events_runner();
    fil_assert(runner != NULL);
    // Relaxed: bounds and figures; the stack orders the messages.
    uint64_t before =
        atomic_fetch_add_explicit(&subscriber->waiting_bytes, size_of(news), memory_order_relaxed);
    if (before > subscriber->output_bytes_max) {
        atomic_store_explicit(&subscriber->is_overrun, true, memory_order_relaxed);
    }
    (void)fil_stack_push(&subscriber->arrivals, &news->link);
    fil_connection_hold(connection);
    fil_runner_notify(runner, connection);
    if (before > subscriber->output_bytes_max / 2) {
        fil_runner_end_turn(runner); // not to wait until it is too much
    }
}

static void discard(void *context, struct fil_event *event)
{
    fil_resp_subscriber__lose(context, 1);
    fil_resp_message__unref(FIL_CONTAINER_OF(event, struct fil_resp_news, event)->message);
}

const struct fil_listener_ops fil_resp_subscriber__ops = {.deliver = deliver, .discard = discard};

static int open_listener(struct fil_resp_subscriber *subscriber)
{
    char name[FIL_LISTENER_NAME_MAX]; // with the id by which CLIENT LIST knows it
    (void)snprintf(name, sizeof(name), "resp/%" PRIu64, subscriber->session->connection->id);
    return fil_listener_open(
        subscriber->pubsub->events,
        &(struct fil_listener_options){
            .name = name, .ops = &fil_resp_subscriber__ops, .context = subscriber, .lane_count = 1},
        &subscriber->listener);
}

int fil_resp_subscriber_get(struct fil_resp_session *session,
                            struct fil_resp_subscriber **out_subscriber)
{
    *out_subscriber = session->subscriber;
    if (session->subscriber != NULL) {
        return FIL_OK;
    }
    if (session->server->options.events == NULL) {
        return FIL_E_LIMIT;
    }
    struct fil_resp_subscriber *subscriber = alloc_subscriber(&session->server->pubsub);
    if (subscriber == NULL) {
        return FIL_E_NOMEM;
    }
    subscriber->session = session;
    subscriber->output_bytes_max =
        session->connection->loop->limits.output_bytes_max * OUTPUTS_PER_SUBSCRIBER;
    atomic_init(&subscriber->ref_count, 1);
    fil_stack_init(&subscriber->arrivals);
    fil_resp_set_init(&subscriber->set);
    int error = open_listener(subscriber);
    if (error != FIL_OK) {
        discard_subscriber(subscriber);
        return error;
    }
    fil_connection_hold(session->connection);
    // CLIENT LIST looks at it from other threads.
    fil_mutex_lock(&session->server->mutex);
    session->subscriber = subscriber;
    fil_mutex_unlock(&session->server->mutex);
    *out_subscriber = subscriber;
    return FIL_OK;
}

/** Lets it listen to a topic that is not in its set. */
static int join(struct fil_resp_subscriber *subscriber, struct fil_bytes name, bool is_pattern)
{
    struct fil_resp_subscription *room = NULL;
    struct fil_resp_topic *topic = NULL;
    int error = fil_resp_set_prepare(&subscriber->set, &room);
    if (error != FIL_OK) {
        return error;
    }
    error = fil_resp_topic__join(subscriber->pubsub, name, is_pattern, subscriber, &topic);
    if (error != FIL_OK) {
        fil_free(room);
        return error;
    }
    fil_resp_set_add(&subscriber->set, room, topic);
    return FIL_OK;
}

int fil_resp_subscriber_add(struct fil_resp_subscriber *subscriber, struct fil_bytes name,
                            bool is_pattern)
{
    struct fil_resp_set *set = &subscriber->set;
    uint64_t hash = fil_hash(name, subscriber->pubsub->seed);
    if (fil_resp_set_find(set, name, is_pattern, hash) != NULL) {
        return FIL_OK;
    }
    if (set->count >= subscriber->session->server->options.subscriptions_max) {
        return FIL_E_LIMIT;
    }
    struct fil_budget *budget = subscriber->pubsub->budget;
    if (!fil_budget_draw_data(budget, SUBSCRIPTION_BYTES)) {
        return FIL_E_NOMEM;
    }
    int error = join(subscriber, name, is_pattern);
    if (error != FIL_OK) {
        fil_budget_return(budget, SUBSCRIPTION_BYTES);
    }
    return error;
}

static void quit(struct fil_resp_subscriber *subscriber, struct fil_resp_subscription *subscription)
{
    struct fil_resp_topic *topic = fil_resp_set_take(&subscriber->set, subscription);
    fil_budget_return(subscriber->pubsub->budget, SUBSCRIPTION_BYTES);
    fil_resp_topic__quit(subscriber->pubsub, topic, subscriber);
    fil_resp_topic__unref(topic);
}

void fil_resp_subscriber_remove(struct fil_resp_subscriber *subscriber, struct fil_bytes name,
                                bool is_pattern)
{
    uint64_t hash = fil_hash(name, subscriber->pubsub->seed);
    struct fil_resp_subscription *found =
        fil_resp_set_find(&subscriber->set, name, is_pattern, hash);
    if (found != NULL) {
        quit(subscriber, found);
    }
}

struct fil_resp_topic *fil_resp_subscriber_first(const struct fil_resp_subscriber *subscriber,
                                                 bool is_pattern)
{
    const struct fil_resp_subscription *first = fil_resp_set_first(&subscriber->set, is_pattern);
    return first == NULL ? NULL : first->topic;
}

bool fil_resp_subscriber_quit_some(struct fil_resp_subscriber *subscriber)
{
    struct fil_turn *turn = subscriber->session->connection->loop->context;
    struct fil_resp_set *set = &subscriber->set;
    // Few always end at once, also when the turn was long before.
    for (uint32_t i = 0; set->count > 0 && (i < QUITS_MIN || !fil_turn_is_spent(turn)); i++) {
        quit(subscriber, fil_resp_set_first(set, set->count == set->pattern_count));
        fil_turn_step(turn);
    }
    return set->count == 0;
}

/** The listener is never called again: nothing of the session is needed for it any more. */
static void on_closed(void *context)
{
    struct fil_resp_subscriber *subscriber = context;
    fil_connection_release(subscriber->session->connection);
}

/** Ends the subscriptions, as many as a turn has time for; the others in the next. */
static void leave(struct fil_loop *loop, struct fil_message *message)
{
    fil_role_assert_io();
    struct fil_resp_subscriber *subscriber =
        FIL_CONTAINER_OF(message, struct fil_resp_subscriber, leaving);
    if (fil_resp_subscriber_quit_some(subscriber)) {
        fil_listener_close(subscriber->listener, on_closed, subscriber);
    } else {
        fil_loop_post(loop, message);
    }
}

void fil_resp_subscriber_close(struct fil_resp_subscriber *subscriber)
{
    // Relaxed: a hint for who makes a new crowd.
    if (!atomic_exchange_explicit(&subscriber->is_closed, true, memory_order_relaxed)) {
        // The connection is held until the listener is closed, and does not move any more.
        subscriber->leaving.run = leave;
        leave(subscriber->session->connection->loop, &subscriber->leaving);
    }
}

/** Moves what has arrived to the end of the messages to encode. */
static void adopt_arrivals(struct fil_resp_subscriber *subscriber)
{
    struct fil_link *link = fil_stack_take_all(&subscriber->arrivals);
    if (link == NULL) {
        return;
    }
    if (subscriber->first == NULL) {
        subscriber->first = link;
    } else {
        subscriber->last->next = link;
    }
    while (link->next != NULL) {
        link = link->next;
    }
    subscriber->last = link;
}

static struct fil_resp_news *take_first(struct fil_resp_subscriber *subscriber)
{
    struct fil_resp_news *news = FIL_CONTAINER_OF(subscriber->first, struct fil_resp_news, link);
    subscriber->first = subscriber->first->next;
    // Relaxed: as in deliver.
    atomic_fetch_sub_explicit(&subscriber->waiting_bytes, size_of(news), memory_order_relaxed);
    return news;
}

/** Nobody will get what is left. */
static void drop_all(struct fil_resp_subscriber *subscriber)
{
    uint32_t count = 0;
    adopt_arrivals(subscriber);
    while (subscriber->first != NULL) {
        fil_resp_message__unref(take_first(subscriber)->message);
        count++;
    }
    fil_resp_subscriber__lose(subscriber, count);
}

void fil_resp_subscriber_free(struct fil_resp_subscriber *subscriber)
{
    if (subscriber == NULL) {
        return;
    }
    fil_assert(atomic_load_explicit(&subscriber->is_closed, memory_order_relaxed));
    drop_all(subscriber);
    // What the socket has not taken whole will not leave any more.
    fil_resp_subscriber__lose(
        subscriber, fil_resp_marks__pass(&subscriber->marks,
                                         subscriber->session->connection->output.sent_bytes));
    fil_resp_marks__fini(&subscriber->marks);
    fil_resp_set_fini(&subscriber->set);
    fil_resp_subscriber__unref(subscriber);
}

/** It reads more slowly than others write: the connection ends, and the loop counts why. */
static void cut(struct fil_resp_subscriber *subscriber, struct fil_output *output)
{
    drop_all(subscriber);
    fil_counter_add_shared(&subscriber->pubsub->overruns, 1);
    output->error = FIL_E_FULL;
}

static void encode(struct fil_resp_subscriber *subscriber, const struct fil_resp_message *message,
                   struct fil_output *output)
{
    // Who has unsubscribed since does not want it any more.
    if (!fil_resp_set_has(&subscriber->set, message->topic)) {
        fil_counter_add_shared(&subscriber->pubsub->unwanted, 1);
        return;
    }
    if (!fil_resp_marks__reserve(&subscriber->marks)) {
        fil_resp_subscriber__lose(subscriber, 1);
        return;
    }
    fil_resp_message__encode(output, fil_resp_version(subscriber->session), message->topic,
                             message->channel, message->text);
    if (FIL_UNLIKELY(output->queue.is_out_of_memory)) {
        fil_resp_subscriber__lose(subscriber, 1); // the connection ends, and what follows with it
        return;
    }
    fil_resp_marks__add(&subscriber->marks, output->sent_bytes + output->queue.size_bytes);
    fil_counter_add_shared(&subscriber->pubsub->deliveries, 1);
}

/** Encodes what fits; true when there is more. */
static bool encode_some(struct fil_resp_subscriber *subscriber, struct fil_output *output)
{
    (void)fil_resp_marks__pass(&subscriber->marks, output->sent_bytes);
    while (subscriber->first != NULL && output->queue.size_bytes < subscriber->output_bytes_max) {
        struct fil_resp_message *message = take_first(subscriber)->message;
        encode(subscriber, message, output);
        fil_resp_message__unref(message);
    }
    return subscriber->first != NULL;
}

bool fil_resp_subscriber_collect(struct fil_resp_subscriber *subscriber)
{
    struct fil_output *output = &subscriber->session->connection->output;
    if (output->error != FIL_OK) {
        drop_all(subscriber);
        return false;
    }
    // Relaxed: as in deliver.
    if (FIL_UNLIKELY(atomic_load_explicit(&subscriber->is_overrun, memory_order_relaxed))) {
        cut(subscriber, output);
        return false;
    }
    adopt_arrivals(subscriber);
    // Replies that wait came before: the confirmation of the subscription may be among them.
    if (!fil_list_is_empty(&subscriber->session->line) || !encode_some(subscriber, output)) {
        return false;
    }
    if (output->is_blocked) {
        cut(subscriber, output);
        return false;
    }
    return true;
}
