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
            fil_resp_subscriber__lose(crowd->members[i], 1);
        }
        return;
    }
    for (uint32_t i = 0; i < crowd->count; i++) {
        if (publisher != NULL && crowd->members[i] == publisher->subscriber) {
            tell_publisher(publisher, heard, channel, text);
            fil_resp_message__unref(message);
        } else {
            send_one(message, i, crowd->members[i]);
        }
    }
    fil_resp_message__unref(message);
}

/** All who hear a message, one crowd for each of their topics. */
struct audience {
    struct fil_resp_heard channel;
    bool has_channel;
    struct fil_resp_heard *patterns;
    uint32_t pattern_count;
};

static void gather(struct fil_resp_pubsub *pubsub, struct fil_bytes channel,
                   struct audience *out_audience)
{
    out_audience->has_channel = fil_resp_topic__hear(pubsub, channel, &out_audience->channel);
    out_audience->pattern_count =
        fil_resp_topic__hear_patterns(pubsub, channel, &out_audience->patterns);
}

static void dismiss(struct audience *audience)
{
    if (audience->has_channel) {
        fil_resp_heard__drop(&audience->channel);
    }
    for (uint32_t i = 0; i < audience->pattern_count; i++) {
        fil_resp_heard__drop(&audience->patterns[i]);
    }
    fil_free(audience->patterns);
}

static bool is_crowd_full(const struct fil_resp_crowd *crowd, const struct fil_resp_session *self)
{
    for (uint32_t i = 0; i < crowd->count; i++) {
        const struct fil_resp_subscriber *member = crowd->members[i];
        if (FIL_UNLIKELY(fil_listener_room(member->listener, 0) == 0) &&
            (self == NULL || member != self->subscriber)) {
            return true;
        }
    }
    return false;
}

/** Whether one of them has no room; the publisher itself needs none. */
static bool is_full(const struct audience *audience, const struct fil_resp_session *publisher)
{
    bool is_full = audience->has_channel && is_crowd_full(audience->channel.crowd, publisher);
    for (uint32_t i = 0; i < audience->pattern_count && !is_full; i++) {
        is_full = is_crowd_full(audience->patterns[i].crowd, publisher);
    }
    return is_full;
}

static uint32_t address(struct fil_resp_pubsub *pubsub, const struct audience *audience,
                        struct fil_bytes channel, struct fil_bytes text,
                        struct fil_resp_session *publisher)
{
    uint32_t count = 0;
    if (audience->has_channel) {
        count += audience->channel.crowd->count;
        send_to(pubsub, &audience->channel, channel, text, publisher);
    }
    for (uint32_t i = 0; i < audience->pattern_count; i++) {
        count += audience->patterns[i].crowd->count;
        send_to(pubsub, &audience->patterns[i], channel, text, publisher);
    }
    return count;
}

uint32_t fil_resp_pubsub_publish(struct fil_resp_pubsub *pubsub, struct fil_bytes channel,
                                 struct fil_bytes text, struct fil_resp_session *publisher)
{
    struct audience audience;
    gather(pubsub, channel, &audience);
    uint32_t count = address(pubsub, &audience, channel, text, publisher);
    dismiss(&audience);
    return count;
}

int fil_resp_pubsub_try(struct fil_resp_pubsub *pubsub, struct fil_bytes channel,
                        struct fil_bytes text, struct fil_resp_session *publisher,
                        uint32_t *out_count)
{
    struct audience audience;
    gather(pubsub, channel, &audience);
    int error = is_full(&audience, publisher) ? FIL_E_AGAIN : FIL_OK;
    if (error == FIL_OK) {
        *out_count = address(pubsub, &audience, channel, text, publisher);
    }
    dismiss(&audience);
    return error;
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
