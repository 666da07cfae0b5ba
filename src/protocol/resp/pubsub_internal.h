// SPDX-License-Identifier: Apache-2.0
/** Topics, crowds and messages, for the files of publish and subscribe. */
#pragma once

#include "protocol/resp/glob.h"
#include "protocol/resp/pubsub.h"

/** A topic that was heard, with the crowd it had then; both with a reference. */
struct fil_resp_heard {
    struct fil_resp_topic *topic;
    struct fil_resp_crowd *crowd;
    struct fil_resp_message *message; // that is about to be sent to them; NULL: there is none yet
};

/** A message for the subscribers of one topic. */
struct fil_resp_message;

/** One subscriber's share of a message. */
struct fil_resp_news {
    struct fil_event event;
    struct fil_link link; // the subscriber's
    struct fil_resp_message *message;
    enum fil_event_place place; // that was taken for it
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
struct fil_resp_crowd *fil_resp_crowd__ref(struct fil_resp_crowd *crowd);
void fil_resp_crowd__unref(struct fil_resp_crowd *crowd);

static inline struct fil_resp_subscriber *fil_resp_crowd__at(const struct fil_resp_crowd *crowd,
                                                             uint32_t index)
{
    return crowd->blocks[index / FIL_RESP_BLOCK_MEMBERS]->members[index % FIL_RESP_BLOCK_MEMBERS];
}

/** Where it is; the count when it is not there. */
uint32_t fil_resp_crowd__find(const struct fil_resp_crowd *crowd,
                              const struct fil_resp_subscriber *subscriber);

/** A crowd with one more, or with one less; the old one is left alone. NULL: out of memory. */
struct fil_resp_crowd *fil_resp_crowd__with(const struct fil_resp_crowd *crowd,
                                            struct fil_resp_subscriber *subscriber);
struct fil_resp_crowd *fil_resp_crowd__without(const struct fil_resp_crowd *crowd, uint32_t index);
void fil_resp_message__unref(struct fil_resp_message *message);
void fil_resp_subscriber__ref(struct fil_resp_subscriber *subscriber);
void fil_resp_subscriber__unref(struct fil_resp_subscriber *subscriber);

/** Counts messages that the subscriber will not get. */
FIL_ANY_THREAD void fil_resp_subscriber__lose(struct fil_resp_subscriber *subscriber,
                                              uint32_t count);

/** As lose, for what the event stage has counted under the subscriber's name already. */
FIL_ANY_THREAD void fil_resp_subscriber__lose_dropped(struct fil_resp_subscriber *subscriber,
                                                      uint32_t count);

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

/** Topics as they were at some time, each with a reference; never changed once it is made. */
struct fil_resp_book {
    _Atomic uint32_t ref_count;
    uint32_t count;
    struct fil_resp_topic *topics[];
};

/** Empty, with room for so many. */
struct fil_resp_book *fil_resp_book__new(uint32_t capacity);
struct fil_resp_book *fil_resp_book__ref(struct fil_resp_book *book);

/** NULL is fine. Under no mutex: the last one lets go of all topics. */
void fil_resp_book__unref(struct fil_resp_book *book);

/**
 * The search through a book for what matches a word: patterns that match a channel, or channels
 * that match a pattern. The word stands where its command does, so it is given each time.
 */
struct fil_resp_hunt {
    struct fil_resp_book *book;
    uint32_t index;                // of the topic that is looked at
    struct fil_resp_glob glob;     // how far that is
    struct fil_resp_topic **found; // the book's
    uint32_t found_count;
    uint32_t capacity;
    bool is_out_of_memory; // it has ended early
};

/** All of them take the reference to the book. */
void fil_resp_hunt__init(struct fil_resp_hunt *hunt, struct fil_resp_book *book);
void fil_resp_hunt__fini(struct fil_resp_hunt *hunt);
struct fil_resp_hunt *fil_resp_hunt__new(struct fil_resp_book *book); // NULL: out of memory
void fil_resp_hunt__free(struct fil_resp_hunt *hunt);

/** Goes on for about so many steps, as a glob counts them; true when it has ended. */
bool fil_resp_hunt__go_on(struct fil_resp_hunt *hunt, struct fil_bytes word, size_t steps);

/** All patterns, with a reference; NULL: there are none, or there is no memory. */
struct fil_resp_book *fil_resp_topic__patterns(struct fil_resp_pubsub *pubsub);

/** All channels to which somebody listens, with a reference; NULL: out of memory. */
struct fil_resp_book *fil_resp_topic__channels(struct fil_resp_pubsub *pubsub);

/**
 * The patterns that match the channel; *out_heard is freed by the caller. Returns how many. The
 * hunt has found them, or is NULL, and then they are looked for in one piece. Without memory for
 * them none is heard, and what their subscribers lose is counted.
 */
uint32_t fil_resp_topic__hear_patterns(struct fil_resp_pubsub *pubsub, struct fil_bytes channel,
                                       const struct fil_resp_hunt *hunt,
                                       struct fil_resp_heard **out_heard);

void fil_resp_heard__drop(struct fil_resp_heard *heard);

/** The head of what comes without a question: a push in RESP3, an array in RESP2. */
void fil_resp_push(struct fil_output *output, int version, uint32_t count);

void fil_resp_marks__fini(struct fil_resp_marks *marks);

/** Makes room for one more mark; false when memory is out. */
bool fil_resp_marks__reserve(struct fil_resp_marks *marks) FIL_NODISCARD;

/** The room is there. */
void fil_resp_marks__add(struct fil_resp_marks *marks, uint64_t end);

/** Forgets the messages that have been sent whole, up to that byte; returns how many are left. */
uint32_t fil_resp_marks__pass(struct fil_resp_marks *marks, uint64_t sent_bytes);

/** Writes a message or pmessage. */
void fil_resp_message__encode(struct fil_output *output, int version,
                              const struct fil_resp_topic *topic, struct fil_bytes channel,
                              struct fil_bytes text);

/** The event stage's side of a subscriber. */
extern const struct fil_listener_ops fil_resp_subscriber__ops;
