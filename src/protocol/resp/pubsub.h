// SPDX-License-Identifier: Apache-2.0
/**
 * Publish and subscribe: who listens to which channel, and how a message gets to them.
 *
 *     PUBLISH --> crowd of the channel --> event stage, a lane a subscriber --> line of the
 *     subscriber --> whoever holds its connection's writer flag encodes and sends
 *
 * A topic is a channel or a pattern that somebody listens to. Its crowd is a list that never
 * changes: who subscribes makes a new one, of which only a small part is really new, so publishers
 * need the lock only to get hold of it, and it is not held for long. Patterns are matched outside
 * of it, against a book of them all, which is made anew after they have changed; PUBLISH and PUBSUB
 * CHANNELS do so in slices, turn by turn. Inside of partitions, in EXEC and for keyspace
 * notifications, it is one piece.
 *
 * Order:   what one connection publishes reaches each subscriber in that order.
 * Limits:  a connection has event.subscriptions_max channels and patterns; commands with very many
 *          of them are done turn by turn. A subscriber's lane is bounded by the event stage:
 *          PUBLISH waits for room, event.put_timeout at most (publish.h), then what does not fit is
 *          dropped. Its output is bounded too, by eight times net.output_bytes_max: a reader that
 *          is slower than that is cut. Neither holds up anybody else.
 * Losses:  each message that PUBLISH has counted for a subscriber is handed to the socket whole, or
 *          is counted, for the subscriber and in total: as lost, or as unwanted when the
 *          subscription ended meanwhile. What a publisher sends to itself is a part of its reply.
 * Memory:  a message is one block for all subscribers of a topic, drawn from the budget; so are
 *          topics, their table, subscribers and subscriptions, as data: SUBSCRIBE is refused when a
 *          member is full, to unsubscribe needs nothing.
 * Threads: topics by any loop, under the lock of their part of the table; messages by any; the rest
 *          says whose it is. All locks are leaves.
 */
#pragma once

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/exec/event.h"
#include "core/exec/listener.h"
#include "lib/base/bytes.h"
#include "lib/base/list.h"
#include "lib/conc/counter.h"
#include "lib/conc/role.h"
#include "lib/conc/stack.h"
#include "lib/mem/budget.h"
#include "lib/net/message.h"
#include "lib/net/output.h"
#include "lib/os/mutex.h"
#include "protocol/resp/pubsub_set.h"

#define FIL_RESP_PUBSUB_SHARDS 64U // a power of two

struct fil_resp_book;
struct fil_resp_session;
struct fil_resp_subscriber;

#define FIL_RESP_BLOCK_MEMBERS 64U

/** Some of those who listen; never changed once it is made, and a part of many crowds. */
struct fil_resp_block {
    _Atomic uint32_t ref_count;
    uint32_t count;
    struct fil_resp_subscriber *members[]; // each with a reference
};

/**
 * Those who listen to a topic; never changed once it is made. Who comes or goes makes a new one,
 * which shares all blocks but one or two with the old.
 */
struct fil_resp_crowd {
    _Atomic uint32_t ref_count;
    uint32_t count;
    struct fil_resp_block *blocks[]; // each with a reference, and all but the last full
};

struct fil_resp_topic {
    // Set when it is made, then read-only.
    struct fil_budget *budget; // what it takes is drawn from
    bool is_pattern;
    uint64_t hash;
    struct fil_bytes name; // behind the struct

    _Atomic uint32_t ref_count;

    // Under its shard's mutex.
    struct fil_list link;
    struct fil_resp_crowd *crowd; // NULL: nobody listens, and it is out of the table
    bool has_remains;             // somebody who has left had no memory to do so
};

/** A part of the table; the patterns have one of their own. */
struct fil_resp_shard {
    alignas(FIL_CACHE_LINE) struct fil_mutex mutex;
    struct fil_list *buckets; // NULL until the first topic
    uint32_t bucket_count;    // a power of two
    uint32_t topic_count;
};

struct fil_resp_pubsub {
    // Set by init, then read-only.
    struct fil_events *events;
    struct fil_budget *budget;
    uint64_t seed;

    // Shared.
    struct fil_resp_shard shards[FIL_RESP_PUBSUB_SHARDS];
    struct fil_resp_shard patterns;
    _Atomic uint32_t pattern_count;
    struct fil_resp_book *book;  // of all patterns, under their mutex; NULL: to be made when needed
    struct fil_counter messages; // taken for a subscriber
    struct fil_counter lost;     // for want of memory or room, or its connection ended before
    struct fil_counter unwanted; // the subscription ended before
    struct fil_counter overruns; // subscribers that were cut because they read too slowly
    struct fil_counter deliveries; // encoded for a connection
};

/** Where messages end in a connection's output, of those that it has not sent yet. */
struct fil_resp_marks {
    uint64_t *ends; // as fil_output.sent_bytes counts
    uint32_t first;
    uint32_t count;
    uint32_t capacity;
};

/** One connection that has subscribed to something. */
struct fil_resp_subscriber {
    // Set when it is made, then read-only.
    struct fil_resp_pubsub *pubsub;
    struct fil_resp_session *session; // its connection is held until the listener is closed
    struct fil_listener *listener;
    size_t output_bytes_max; // what may wait for a slow reader

    // Shared.
    _Atomic uint32_t ref_count;
    struct fil_stack arrivals;      // messages, from the event thread
    _Atomic uint64_t waiting_bytes; // of messages that are not yet in the output
    _Atomic bool is_overrun;        // more than it may have waits
    _Atomic bool is_closed;         // it listens to nothing any more
    struct fil_counter lost;        // messages for it that it will not get

    // Whoever holds the connection's writer flag.
    struct fil_resp_set set; // what it listens to; the loop's alone when the connection is closed
    struct fil_link *first;  // messages to encode
    struct fil_link *last;
    struct fil_resp_marks marks; // of those that are encoded

    // The loop's own.
    struct fil_message leaving; // its subscriptions end over several turns
};

void fil_resp_pubsub_init(struct fil_resp_pubsub *pubsub, struct fil_events *events,
                          struct fil_budget *budget, uint64_t seed);

/** Nobody subscribes any more. */
void fil_resp_pubsub_fini(struct fil_resp_pubsub *pubsub);

/**
 * Sends the message to all that listen; returns how many. What is for the publisher itself is
 * written to the output, before its reply; NULL: it goes the way of the others.
 */
uint32_t fil_resp_pubsub_publish(struct fil_resp_pubsub *pubsub, struct fil_bytes channel,
                                 struct fil_bytes text, struct fil_resp_session *publisher)
    FIL_RUNS_ON(io);

/**
 * Likewise, but FIL_E_AGAIN when one of them has no room, and then none has got it: *out_full, with
 * a reference, is where to wait for it.
 */
int fil_resp_pubsub_try(struct fil_resp_pubsub *pubsub, struct fil_bytes channel,
                        struct fil_bytes text, struct fil_resp_session *publisher,
                        uint32_t *out_count, struct fil_listener **out_full) FIL_RUNS_ON(io)
    FIL_NODISCARD;

/**
 * Of those who listen the first without room for so many messages, with a reference; NULL when all
 * have it. What they need of the stage's places is taken from credit.
 */
struct fil_listener *fil_resp_pubsub_find_full(struct fil_resp_pubsub *pubsub,
                                               struct fil_bytes channel, uint32_t need,
                                               uint64_t *credit);

/** How many listen to the channel. */
uint32_t fil_resp_pubsub_count(struct fil_resp_pubsub *pubsub, struct fil_bytes channel);

/** Different patterns to which somebody listens. */
uint32_t fil_resp_pubsub_pattern_count(const struct fil_resp_pubsub *pubsub);

// Subscribers: on the loop, flag held.

/** The session's subscriber, made if it has none. FIL_E_LIMIT, FIL_E_NOMEM. */
int fil_resp_subscriber_get(struct fil_resp_session *session,
                            struct fil_resp_subscriber **out_subscriber) FIL_RUNS_ON(io)
    FIL_NODISCARD;

/** FIL_OK also when it listens already. FIL_E_LIMIT when it may not have more, FIL_E_NOMEM. */
int fil_resp_subscriber_add(struct fil_resp_subscriber *subscriber, struct fil_bytes name,
                            bool is_pattern) FIL_RUNS_ON(io) FIL_NODISCARD;

/** Harmless when it does not listen. */
void fil_resp_subscriber_remove(struct fil_resp_subscriber *subscriber, struct fil_bytes name,
                                bool is_pattern) FIL_RUNS_ON(io);

/** The oldest subscription of the kind; NULL when there is none. Valid until it is removed. */
struct fil_resp_topic *fil_resp_subscriber_first(const struct fil_resp_subscriber *subscriber,
                                                 bool is_pattern);

/** Ends subscriptions while the turn has time; true when none is left. */
bool fil_resp_subscriber_quit_some(struct fil_resp_subscriber *subscriber) FIL_RUNS_ON(io)
    FIL_NODISCARD;

/** The connection is gone: nothing more is for it. Very many subscriptions end turn by turn. */
void fil_resp_subscriber_close(struct fil_resp_subscriber *subscriber) FIL_RUNS_ON(io);

/** The session goes: frees what is left of it. */
void fil_resp_subscriber_free(struct fil_resp_subscriber *subscriber);

/**
 * Flag holder: moves messages to the output, behind the replies that wait. True when the output
 * has to be sent before more fits.
 */
bool fil_resp_subscriber_collect(struct fil_resp_subscriber *subscriber);
