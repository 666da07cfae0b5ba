// SPDX-License-Identifier: Apache-2.0
/**
 * Topics: messages for whoever listens at the moment. Reliable topics: messages that are kept in a
 * ring buffer, so that a listener that was away or slow gets them later.
 *
 * A call waits for the answer and returns FIL_OK or a negative FIL_E_*; inside of a callback it
 * fails with FIL_E_WOULD_BLOCK. Outs that tell what was before, or whether something changed, may
 * be NULL; what is given out is released with the release function of its type.
 *
 * Threads: any, at the same time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "filbert/error.h"
#include "filbert/listen.h"
#include "filbert/value.h"

#ifdef __cplusplus
extern "C" {
#endif

struct fil_grid;
struct fil_topic;
struct fil_reliable_topic;

/** The topic of that name; as fil_queue. */
struct fil_topic *fil_topic(struct fil_grid *grid, const char *name);

/** Hands the message to the members; who listens gets it later, in the order of a publisher. */
int fil_topic_publish(struct fil_topic *topic, struct fil_value message);

int fil_topic_subscribe(struct fil_topic *topic, fil_message_fn heard, void *context,
                        struct fil_subscription **out_subscription);

/** The reliable topic of that name, which other clients know under the same; as fil_queue. */
struct fil_reliable_topic *fil_reliable_topic(struct fil_grid *grid, const char *name);

/** Keeps the message in the ring buffer, in the place of the oldest if there is no other. */
int fil_reliable_topic_publish(struct fil_reliable_topic *topic, struct fil_value message);

#define FIL_TOPIC_NEW (-1) // only messages that are published from now on

struct fil_reliable_subscribe_options {
    int64_t from; // the number of the first message: 0, all that is kept; or FIL_TOPIC_NEW
    fil_message_fn heard;
    void (*ended)(void *context, int error); // it cannot go on, and is to be closed; may be NULL
    void *context;
};

/**
 * Reads on over lost connections. Messages that were overwritten before they were read are left
 * out, which a gap in their numbers shows.
 */
int fil_reliable_topic_subscribe(struct fil_reliable_topic *topic,
                                 const struct fil_reliable_subscribe_options *options,
                                 struct fil_subscription **out_subscription);

#ifdef __cplusplus
}
#endif
