// SPDX-License-Identifier: Apache-2.0
/** Topics, crowds and messages, for the files of publish and subscribe. */
#pragma once

#include "protocol/resp/pubsub.h"

/** A topic that was heard, with the crowd it had then; both with a reference. */
struct fil_resp_heard {
    struct fil_resp_topic *topic;
    struct fil_resp_crowd *crowd;
};

/** A message for the subscribers of one topic. */
struct fil_resp_message;

/** One subscriber's share of a message. */
struct fil_resp_news {
    struct fil_event event;
    struct fil_link link; // the subscriber's
    struct fil_resp_message *message;
};

struct fil_resp_message {
    // Set when it is made, then read-only.
    struct fil_resp_pubsub *pubsub;
    struct fil_resp_topic *topic; // with a reference
    struct fil_bytes channel;     // both behind the struct
    struct fil_bytes text;
    size_t size_bytes; // drawn from the budget

    _Atomic uint32_t ref_count;
    struct fil_resp_news news[];
};

void fil_resp_topic__ref(struct fil_resp_topic *topic);
void fil_resp_topic__unref(struct fil_resp_topic *topic);
void fil_resp_crowd__unref(struct fil_resp_crowd *crowd);
void fil_resp_message__unref(struct fil_resp_message *message);
void fil_resp_subscriber__ref(struct fil_resp_subscriber *subscriber);
void fil_resp_subscriber__unref(struct fil_resp_subscriber *subscriber);

/** Adds the subscriber to the topic's crowd; gives the topic with a reference. */
int fil_resp_topic__join(struct fil_resp_pubsub *pubsub, struct fil_bytes name, bool is_pattern,
                         struct fil_resp_subscriber *subscriber, struct fil_resp_topic **out_topic)
    FIL_NODISCARD;

/** Takes it out again; the reference stays the caller's. */
void fil_resp_topic__quit(struct fil_resp_pubsub *pubsub, struct fil_resp_topic *topic,
                          struct fil_resp_subscriber *subscriber);

/** The channel with its crowd; false when nobody listens. */
bool fil_resp_topic__hear(struct fil_resp_pubsub *pubsub, struct fil_bytes channel,
                          struct fil_resp_heard *out_heard);

/** The patterns that match the channel; *out_heard is freed by the caller. Returns how many. */
uint32_t fil_resp_topic__hear_patterns(struct fil_resp_pubsub *pubsub, struct fil_bytes channel,
                                       struct fil_resp_heard **out_heard);

void fil_resp_heard__drop(struct fil_resp_heard *heard);

/** The head of what comes without a question: a push in RESP3, an array in RESP2. */
void fil_resp_push(struct fil_output *output, int version, uint32_t count);

/** Writes a message or pmessage. */
void fil_resp_message__encode(struct fil_output *output, int version,
                              const struct fil_resp_topic *topic, struct fil_bytes channel,
                              struct fil_bytes text);

/** The event stage's side of a subscriber. */
extern const struct fil_listener_ops fil_resp_subscriber__ops;
