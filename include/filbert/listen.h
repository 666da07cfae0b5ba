// SPDX-License-Identifier: Apache-2.0
/**
 * Listeners of structures: they are called back for what happens from now on.
 *
 * A subscription survives lost connections; what happens while there is none is not told, but for
 * reliable topics. Callbacks run one after the other, on the thread that steps the client, or on
 * the thread of an embedded member's grid; what they are shown is valid in them only.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "filbert/value.h"

#ifdef __cplusplus
extern "C" {
#endif

struct fil_subscription;

/** An item has come to a queue, a list or a set, or has gone. */
struct fil_item_change {
    bool is_added;         // false: it is gone
    struct fil_value item; // null unless values were asked for
};

typedef void (*fil_item_fn)(void *context, const struct fil_item_change *change);

struct fil_item_subscribe_options {
    bool has_values; // items are told too
    fil_item_fn changed;
    void *context;
};

/** A message of a topic. */
struct fil_message {
    struct fil_value value;
    int64_t published_ms; // the publisher's or the member's time of day
    int64_t number;       // in its reliable topic, by which a reader can go on; -1: it has none
};

typedef void (*fil_message_fn)(void *context, const struct fil_message *message);

/** At most one more callback that has begun already. Allowed in the callback. NULL is fine. */
void fil_subscription_close(struct fil_subscription *subscription);

#ifdef __cplusplus
}
#endif
