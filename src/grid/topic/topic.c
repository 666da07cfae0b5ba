// SPDX-License-Identifier: Apache-2.0
#include "grid/topic/topic.h"

#include "core/container/listen.h"
#include "filbert/error.h"
#include "lib/base/assert.h"

#define LOOK_MS 1U // between two looks whether there is room

int fil_topic_await_room_here(struct fil_topic *topic, struct fil_waiter *waiter, uint64_t now_ms)
{
    struct fil_waiting *line = &topic->publishers;
    if (fil_waiter_is_promised_here(waiter, line)) {
        fil_waiter_claim_here(waiter);
        return FIL_OK;
    }
    // Nobody overtakes those who wait, or who were let go and have not run.
    if (FIL_LIKELY(!topic->is_tight && line->promised == 0 &&
                   fil_container_room_here(&topic->container) > 0)) {
        return FIL_OK;
    }
    topic->is_tight = true;
    fil_container_ask_upkeep_here(&topic->container, now_ms + LOOK_MS);
    return fil_waiter_wait_here(waiter, line);
}

/** Lets as many go as there is room for. Returns when to look again, if anybody may be left. */
static uint64_t keep_topic(struct fil_container *container, uint64_t now_ms)
{
    struct fil_topic *topic = fil_topic_of(container);
    uint64_t room = fil_container_room_here(container);
    uint64_t free = room > topic->publishers.promised ? room - topic->publishers.promised : 0;
    if (free > 0 && fil_waiting_wake_here(&topic->publishers, free) < free) {
        topic->is_tight = false;
        return FIL_CONTAINER_NEVER;
    }
    return now_ms + LOOK_MS;
}

/** One that was let go is gone: its room is another's, at the next look. */
static void on_returned(struct fil_waiting *waiting)
{
    struct fil_topic *topic = fil_topic_of(waiting->container);
    topic->is_tight = true;
    fil_container_ask_upkeep_here(waiting->container, 0);
}

uint32_t fil_topic_publish_here(struct fil_topic *topic, struct fil_bytes message, uint64_t source,
                                uint64_t now_ms)
{
    struct fil_container *container = &topic->container;
    fil_assert(container->type == &fil_topic_type);
    fil_counter_add(&container->counters.adds, 1);
    fil_container_note_update_here(container, now_ms);
    fil_container_tell_here(container, &(struct fil_container_event){
                                           .kind = FIL_CONTAINER_MESSAGE,
                                           .item = message,
                                           .time_ms = now_ms,
                                           .source = source,
                                       });
    return container->listener_count;
}

static int open_topic(struct fil_container *container, const void *config)
{
    (void)config;
    fil_waiting_init(&fil_topic_of(container)->publishers, container, 0, on_returned);
    return FIL_OK;
}

static void close_topic(struct fil_container *container)
{
    fil_assert(container->listener_count == 0);
}

/** There is nothing in it; who listens goes on to do so. */
static void clear_topic(struct fil_container *container, uint64_t now_ms)
{
    fil_container_note_update_here(container, now_ms);
}

const struct fil_container_type fil_topic_type = {
    .name = "topic",
    .size = sizeof(struct fil_topic),
    .open = open_topic,
    .close = close_topic,
    .clear = clear_topic,
    .upkeep = keep_topic,
};
