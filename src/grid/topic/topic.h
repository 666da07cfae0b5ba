// SPDX-License-Identifier: Apache-2.0
/**
 * A topic: messages for all who listen at that moment; nothing is kept.
 *
 * Order:   every listener gets the messages of a topic in the order in which they were published.
 * Limits:  as listeners have (core/container/listen.h): a slow one loses messages, which are
 *          counted and show as a gap. Publishers that may wait for room do so in a line, in the
 *          order in which they came, and are let go as listeners have room.
 * Threads: publish by whoever is inside the topic's partition.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/container/container.h"
#include "core/container/waiting.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/conc/role.h"

struct fil_topic {
    struct fil_container container;
    struct fil_waiting publishers; // that wait for room
    bool is_tight;                 // somebody may wait: who comes now does so, too
};

/** It has no settings. */
extern const struct fil_container_type fil_topic_type;

static inline struct fil_topic *fil_topic_of(struct fil_container *container)
{
    return FIL_CONTAINER_OF(container, struct fil_topic, container);
}

/**
 * For publishers that have time: FIL_OK when all listeners have room, or when the waiter has waited
 * for it; else FIL_E_AGAIN, and it has to wait in the line.
 */
FIL_INSIDE_PARTITION int fil_topic_await_room_here(struct fil_topic *topic,
                                                   struct fil_waiter *waiter, uint64_t now_ms)
    FIL_NODISCARD;

/** Tells all listeners; the source is passed on to them. Returns how many there are. */
FIL_INSIDE_PARTITION uint32_t fil_topic_publish_here(struct fil_topic *topic,
                                                     struct fil_bytes message, uint64_t source,
                                                     uint64_t now_ms);
