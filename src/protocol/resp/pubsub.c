// SPDX-License-Identifier: Apache-2.0
#include "protocol/resp/pubsub.h"

#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "protocol/resp/pubsub_internal.h"
#include "protocol/resp/reply.h"
#include "protocol/resp/session.h"

void fil_resp_message__unref(struct fil_resp_message *message)
{
    // Acquire and release: the last one frees after all others are done with it.
    if (atomic_fetch_sub_explicit(&message->ref_count, 1, memory_order_acq_rel) == 1) {
        fil_resp_topic__unref(message->topic);
        fil_budget_return(message->pubsub->budget, message->size_bytes);
        fil_free(message);
    }
}

static struct fil_bytes copy(uint8_t **room, struct fil_bytes bytes)
{
    uint8_t *to = *room;
    if (bytes.size > 0) {
        memcpy(to, bytes.data, bytes.size);
    }
    *room += bytes.size;
    return fil_bytes_make(to, bytes.size);
}

/** A message for so many subscribers, with a reference for each and one for the caller. */
static struct fil_resp_message *new_message(struct fil_resp_pubsub *pubsub,
                                            const struct fil_resp_heard *heard,
                                            struct fil_bytes channel, struct fil_bytes text)
{
    uint32_t count = heard->crowd->count;
    size_t head_bytes = sizeof(struct fil_resp_message) + count * sizeof(struct fil_resp_news);
    size_t size = head_bytes + channel.size + text.size;
    if (!fil_budget_draw(pubsub->budget, size)) {
        return NULL;
    }
    struct fil_resp_message *message = fil_alloc(size);
    if (message == NULL) {
        fil_budget_return(pubsub->budget, size);
        return NULL;
    }
    uint8_t *room = (uint8_t *)message + head_bytes;
    *message =
        (struct fil_resp_message){.pubsub = pubsub, .topic = heard->topic, .size_bytes = size};
    message->channel = copy(&room, channel);
    message->text = copy(&room, text);
    atomic_init(&message->ref_count, count + 1);
    fil_resp_topic__ref(heard->topic);
    return message;
}

static void send_one(struct fil_resp_message *message, uint32_t index,
                     struct fil_resp_subscriber *subscriber)
{
    struct fil_resp_pubsub *pubsub = message->pubsub;
    struct fil_resp_news *news = &message->news[index];
    news->message = message;
    // Who can wait for room has done so: what does not fit is dropped, and the stage counts it.
    int error = fil_listener_publish(subscriber->listener, 0, &news->event, FIL_PUBLISH_WAIT);
    if (error == FIL_OK) {
        fil_counter_add_shared(&pubsub->messages, 1);
        return;
    }
    if (error == FIL_E_FULL) {
        fil_resp_subscriber__lose_dropped(subscriber, 1);
    } else {
        fil_resp_subscriber__lose(subscriber, 1);
    }
    fil_resp_message__unref(message);
}

static bool is_own(const struct fil_resp_session *publisher,
                   const struct fil_resp_subscriber *subscriber)
{
    return publisher != NULL && subscriber == publisher->subscriber;
}

/** The publisher's own copy goes before its reply, as Redis has it. */
static void tell_publisher(struct fil_resp_session *publisher, const struct fil_resp_heard *heard,
                           struct fil_bytes channel, struct fil_bytes text)
{
    fil_resp_message__encode(fil_resp_output(publisher), fil_resp_version(publisher), heard->topic,
                             channel, text);
    fil_counter_add_shared(&publisher->subscriber->pubsub->deliveries, 1);
}

static void send_to(struct fil_resp_pubsub *pubsub, const struct fil_resp_heard *heard,
                    struct fil_bytes channel, struct fil_bytes text,
                    struct fil_resp_session *publisher)
{
    const struct fil_resp_crowd *crowd = heard->crowd;
    struct fil_resp_message *message = new_message(pubsub, heard, channel, text);
    if (message == NULL) {
        for (uint32_t i = 0; i < crowd->count; i++) {
            fil_resp_subscriber__lose(fil_resp_crowd__at(crowd, i), 1);
        }
        return;
    }
    for (uint32_t i = 0; i < crowd->count; i++) {
        if (is_own(publisher, fil_resp_crowd__at(crowd, i))) {
            tell_publisher(publisher, heard, channel, text);
            fil_resp_message__unref(message);
        } else {
            send_one(message, i, fil_resp_crowd__at(crowd, i));
        }
    }
    fil_resp_message__unref(message);
}

/** Gives the places up that the first members have been given. */
static void give_up(const struct fil_resp_heard *heard, uint32_t count)
{
    for (uint32_t i = 0; heard->message != NULL && i < count; i++) {
        enum fil_event_place place = heard->message->news[i].place;
        if (place != FIL_EVENT_PLACE_NONE) {
            fil_listener_give_up(fil_resp_crowd__at(heard->crowd, i)->listener, 0, place);
        }
    }
}

static void give_up_all(const struct fil_resp_heard *heard)
{
    fil_assert(heard != NULL);
    give_up(heard, heard->crowd->count);
}

/** A place for everybody but the publisher; the listener that has none, and then nobody has one. */
static struct fil_listener *reserve(const struct fil_resp_heard *heard,
                                    const struct fil_resp_session *publisher)
{
    const struct fil_resp_crowd *crowd = heard->crowd;
    for (uint32_t i = 0; heard->message != NULL && i < crowd->count; i++) {
        struct fil_resp_news *news = &heard->message->news[i];
        news->message = heard->message;
        news->place = FIL_EVENT_PLACE_NONE;
        if (!is_own(publisher, fil_resp_crowd__at(crowd, i)) &&
            fil_listener_reserve(fil_resp_crowd__at(crowd, i)->listener, 0, &news->place) ==
                FIL_E_FULL) {
            give_up(heard, i);
            return fil_resp_crowd__at(crowd, i)->listener;
        }
    }
    return NULL;
}

static void fill_one(struct fil_resp_news *news, struct fil_resp_subscriber *subscriber)
{
    if (news->place != FIL_EVENT_PLACE_NONE) {
        fil_counter_add_shared(&subscriber->pubsub->messages, 1);
        fil_listener_fill(subscriber->listener, 0, news->place, &news->event);
    } else {
        fil_resp_subscriber__lose(subscriber, 1); // it is closed
        fil_resp_message__unref(news->message);
    }
}

/** Sends the message to those who have a place for it. */
static void fill(struct fil_resp_heard *heard, struct fil_bytes channel, struct fil_bytes text,
                 struct fil_resp_session *publisher)
{
    struct fil_resp_message *message = heard->message;
    for (uint32_t i = 0; i < heard->crowd->count; i++) {
        struct fil_resp_subscriber *member = fil_resp_crowd__at(heard->crowd, i);
        if (message == NULL) {
            fil_resp_subscriber__lose(member, 1);
        } else if (is_own(publisher, member)) {
            tell_publisher(publisher, heard, channel, text);
            fil_resp_message__unref(message);
        } else {
            fill_one(&message->news[i], member);
        }
    }
    heard->message = NULL;
    if (message != NULL) {
        fil_resp_message__unref(message);
    }
}

/** All who hear a message, one crowd for each of their topics. */
struct audience {
    struct fil_resp_heard channel;
    bool has_channel;
    struct fil_resp_heard *patterns;
    uint32_t pattern_count;
};

/** What a publisher has looked for before, turn by turn, is not looked for again. */
static void gather(struct fil_resp_pubsub *pubsub, struct fil_bytes channel,
                   const struct fil_resp_session *publisher, struct audience *out_audience)
{
    const struct fil_resp_hunt *hunt = publisher == NULL ? NULL : publisher->hunt;
    out_audience->has_channel = fil_resp_topic__hear(pubsub, channel, &out_audience->channel);
    out_audience->pattern_count =
        fil_resp_topic__hear_patterns(pubsub, channel, hunt, &out_audience->patterns);
}

/** Topic by topic: the channel first. NULL when there are no more. */
static struct fil_resp_heard *heard_at(struct audience *audience, uint32_t index)
{
    if (audience->has_channel && index == 0) {
        return &audience->channel;
    }
    index -= audience->has_channel;
    return index < audience->pattern_count ? &audience->patterns[index] : NULL;
}

/** Lets go of all; what was to be sent and was not, nobody knows of. */
static void dismiss(struct audience *audience)
{
    struct fil_resp_heard *heard = NULL;
    for (uint32_t i = 0; (heard = heard_at(audience, i)) != NULL; i++) {
        if (heard->message != NULL) {
            // Relaxed: its references were for those who have not got it.
            atomic_store_explicit(&heard->message->ref_count, 1, memory_order_relaxed);
            fil_resp_message__unref(heard->message);
        }
        fil_resp_heard__drop(heard);
    }
    fil_free(audience->patterns);
}

static struct fil_listener *find_full_in(const struct fil_resp_crowd *crowd,
                                         const struct fil_resp_session *publisher, uint32_t need,
                                         uint64_t *credit)
{
    for (uint32_t i = 0; i < crowd->count; i++) {
        struct fil_resp_subscriber *member = fil_resp_crowd__at(crowd, i);
        if (!is_own(publisher, member) &&
            FIL_UNLIKELY(!fil_listener_has_room(member->listener, 0, need, credit))) {
            return member->listener;
        }
    }
    return NULL;
}

/** The first who has no room for so many messages; the publisher itself needs none. */
static struct fil_listener *find_full(struct audience *audience,
                                      const struct fil_resp_session *publisher, uint32_t need,
                                      uint64_t *credit)
{
    struct fil_listener *full = NULL;
    struct fil_resp_heard *heard = NULL;
    for (uint32_t i = 0; full == NULL && (heard = heard_at(audience, i)) != NULL; i++) {
        full = find_full_in(heard->crowd, publisher, need, credit);
    }
    return full;
}

/** Makes the messages and takes places for all of them, or none: then who has none is returned. */
static struct fil_listener *prepare(struct fil_resp_pubsub *pubsub, struct audience *audience,
                                    struct fil_bytes channel, struct fil_bytes text,
                                    const struct fil_resp_session *publisher)
{
    struct fil_listener *full = NULL;
    struct fil_resp_heard *heard = NULL;
    uint32_t count = 0;
    for (; full == NULL && (heard = heard_at(audience, count)) != NULL; count++) {
        heard->message = new_message(pubsub, heard, channel, text);
        full = reserve(heard, publisher);
    }
    for (uint32_t i = 0; full != NULL && i + 1 < count; i++) {
        give_up_all(heard_at(audience, i));
    }
    return full;
}

uint32_t fil_resp_pubsub_publish(struct fil_resp_pubsub *pubsub, struct fil_bytes channel,
                                 struct fil_bytes text, struct fil_resp_session *publisher)
{
    struct audience audience;
    struct fil_resp_heard *heard = NULL;
    uint32_t count = 0;
    gather(pubsub, channel, publisher, &audience);
    for (uint32_t i = 0; (heard = heard_at(&audience, i)) != NULL; i++) {
        count += heard->crowd->count;
        send_to(pubsub, heard, channel, text, publisher);
    }
    dismiss(&audience);
    return count;
}

static uint32_t fill_all(struct audience *audience, struct fil_bytes channel, struct fil_bytes text,
                         struct fil_resp_session *publisher)
{
    struct fil_resp_heard *heard = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; (heard = heard_at(audience, i)) != NULL; i++) {
        count += heard->crowd->count;
        fill(heard, channel, text, publisher);
    }
    return count;
}

/** Without subscribers there need not be a stage. */
static uint64_t credit_of(const struct fil_resp_pubsub *pubsub)
{
    return pubsub->events == NULL ? 0 : fil_events_credit(pubsub->events);
}

int fil_resp_pubsub_try(struct fil_resp_pubsub *pubsub, struct fil_bytes channel,
                        struct fil_bytes text, struct fil_resp_session *publisher,
                        uint32_t *out_count, struct fil_listener **out_full)
{
    struct audience audience;
    uint64_t credit = credit_of(pubsub);
    gather(pubsub, channel, publisher, &audience);
    // A look first: a large message is not copied in vain.
    struct fil_listener *full = find_full(&audience, publisher, 1, &credit);
    if (FIL_LIKELY(full == NULL)) {
        full = prepare(pubsub, &audience, channel, text, publisher);
    }
    if (FIL_LIKELY(full == NULL)) {
        *out_count = fill_all(&audience, channel, text, publisher);
    } else {
        fil_listener_ref(full);
        *out_full = full;
    }
    dismiss(&audience);
    return full == NULL ? FIL_OK : FIL_E_AGAIN;
}

struct fil_listener *fil_resp_pubsub_find_full(struct fil_resp_pubsub *pubsub,
                                               struct fil_bytes channel, uint32_t need,
                                               uint64_t *credit)
{
    struct audience audience;
    gather(pubsub, channel, NULL, &audience);
    struct fil_listener *full = find_full(&audience, NULL, need, credit);
    if (full != NULL) {
        fil_listener_ref(full);
    }
    dismiss(&audience);
    return full;
}

void fil_resp_push(struct fil_output *output, int version, uint32_t count)
{
    char text[16];
    int size = snprintf(text, sizeof(text), "%c%u\r\n", version < 3 ? '*' : '>', count);
    fil_assert(size > 0 && (size_t)size < sizeof(text));
    fil_output_append(output, fil_bytes_make(text, (size_t)size));
}

void fil_resp_message__encode(struct fil_output *output, int version,
                              const struct fil_resp_topic *topic, struct fil_bytes channel,
                              struct fil_bytes text)
{
    if (topic->is_pattern) {
        fil_resp_push(output, version, 4);
        fil_resp_bulk_text(output, "pmessage");
        fil_resp_bulk(output, topic->name);
    } else {
        fil_resp_push(output, version, 3);
        fil_resp_bulk_text(output, "message");
    }
    fil_resp_bulk(output, channel);
    fil_resp_bulk(output, text);
}
