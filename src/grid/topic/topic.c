// SPDX-License-Identifier: Apache-2.0
#include "grid/topic/topic.h"

#include "core/container/listen.h"
#include "filbert/error.h"
#include "lib/base/assert.h"

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
    (void)container;
    (void)config;
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
};
