// SPDX-License-Identifier: Apache-2.0
#include "core/container/listen.h"

#include <string.h>

#include "core/container/directory.h"
#include "core/exec/listener.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

struct fil_container_listener {
    struct fil_list link;
    struct fil_container *container;
    struct fil_budget *budget; // what it takes is drawn from
    struct fil_container_listener_options options;
    struct fil_listener *handle; // the event stage's
    _Atomic uint64_t lost_count;
    size_t key_size;
    uint8_t key[];
};

struct block;

/** What one listener gets: its place in the lane. */
struct envelope {
    struct fil_event event;
    struct block *block;
};

/** An event for all listeners: one block, freed by the last that is done with it. */
struct block {
    _Atomic uint32_t references;
    struct fil_budget *budget;
    size_t size;
    struct fil_container_event content; // points behind the envelopes
    struct envelope envelopes[];
};

static void unref_block(struct block *block)
{
    // Acquire and release: whoever frees it sees that the others are done with it.
    if (atomic_fetch_sub_explicit(&block->references, 1, memory_order_acq_rel) == 1) {
        fil_budget_return(block->budget, block->size);
        fil_free(block);
    }
}

static void deliver(void *context, struct fil_event *event)
{
    struct fil_container_listener *listener = context;
    struct envelope *envelope = FIL_CONTAINER_OF(event, struct envelope, event);
    struct fil_container_event content = envelope->block->content;
    content.seq = event->seq;
    // Relaxed: a count publishes nothing but itself.
    content.lost_count = atomic_load_explicit(&listener->lost_count, memory_order_relaxed);
    if (!listener->options.has_items) {
        content.item = (struct fil_bytes){0};
        content.old_item = (struct fil_bytes){0};
    }
    listener->options.deliver(listener->options.context, &content);
    unref_block(envelope->block);
}

static void discard(void *context, struct fil_event *event)
{
    (void)context;
    unref_block(FIL_CONTAINER_OF(event, struct envelope, event)->block);
}

static const struct fil_listener_ops ops = {.deliver = deliver, .discard = discard};

static bool is_wanted(const struct fil_container_listener *listener,
                      const struct fil_container_event *event)
{
    if (!(listener->options.kinds & (uint32_t)event->kind)) {
        return false;
    }
    return listener->options.key.data == NULL || event->key.data == NULL ||
           fil_bytes_equal(event->key, fil_bytes_make(listener->key, listener->key_size));
}

static uint32_t count_wanting(const struct fil_container *container,
                              const struct fil_container_event *event)
{
    uint32_t count = 0;
    fil_list_foreach(link, &container->listeners) {
        count += is_wanted(FIL_CONTAINER_OF(link, struct fil_container_listener, link), event);
    }
    return count;
}

static struct fil_bytes copy_bytes(uint8_t **room, struct fil_bytes bytes)
{
    uint8_t *copy = *room;
    if (bytes.data == NULL) {
        return bytes;
    }
    if (bytes.size > 0) {
        memcpy(copy, bytes.data, bytes.size);
    }
    *room += bytes.size;
    return fil_bytes_make(copy, bytes.size);
}

static struct block *make_block(struct fil_budget *budget, const struct fil_container_event *event,
                                uint32_t count)
{
    size_t head = sizeof(struct block) + count * sizeof(struct envelope);
    size_t size = head + event->key.size + event->item.size + event->old_item.size;
    if (!fil_budget_draw(budget, size)) {
        return NULL;
    }
    struct block *block = fil_alloc(size);
    if (block == NULL) {
        fil_budget_return(budget, size);
        return NULL;
    }
    memset(block, 0, head);
    atomic_init(&block->references, count);
    block->budget = budget;
    block->size = size;
    block->content = *event;
    uint8_t *room = (uint8_t *)block + head;
    block->content.key = copy_bytes(&room, event->key);
    block->content.item = copy_bytes(&room, event->item);
    block->content.old_item = copy_bytes(&room, event->old_item);
    fil_assert((size_t)(room - (uint8_t *)block) <= size);
    return block;
}

/** The block may be gone when this returns. */
static void publish_to(struct fil_container_listener *listener, struct envelope *envelope)
{
    struct fil_container_counters *counters = &listener->container->counters;
    struct block *block = envelope->block;
    // Whoever is inside a partition never waits.
    int error = fil_listener_publish(listener->handle, 0, &envelope->event, FIL_PUBLISH_DROP);
    fil_counter_add(error == FIL_OK ? &counters->events : &counters->events_lost, 1);
    if (error != FIL_OK) {
        unref_block(block);
    }
}

static void lose(struct fil_container *container, const struct fil_container_event *event)
{
    fil_list_foreach(link, &container->listeners) {
        struct fil_container_listener *listener =
            FIL_CONTAINER_OF(link, struct fil_container_listener, link);
        if (is_wanted(listener, event)) {
            // Relaxed: a count publishes nothing but itself.
            atomic_fetch_add_explicit(&listener->lost_count, 1, memory_order_relaxed);
            fil_counter_add(&container->counters.events_lost, 1);
        }
    }
}

static void tell_some(struct fil_container *container, const struct fil_container_event *event,
                      uint32_t count)
{
    struct fil_budget *budget = fil_directory_options(container->directory)->budget;
    struct block *block = make_block(budget, event, count);
    if (block == NULL) {
        lose(container, event);
        return;
    }
    uint32_t sent = 0;
    fil_list_foreach(link, &container->listeners) {
        struct fil_container_listener *listener =
            FIL_CONTAINER_OF(link, struct fil_container_listener, link);
        if (is_wanted(listener, event)) {
            struct envelope *envelope = &block->envelopes[sent];
            sent++;
            envelope->block = block;
            publish_to(listener, envelope);
        }
        if (sent == count) {
            return; // the last has been sent, so the block may be gone
        }
    }
}

void fil_container_tell_here(struct fil_container *container,
                             const struct fil_container_event *event)
{
    if (FIL_LIKELY(container->listener_count == 0)) {
        return;
    }
    uint32_t count = count_wanting(container, event);
    if (count > 0) {
        tell_some(container, event, count);
    }
}

uint32_t fil_container_room_here(const struct fil_container *container)
{
    struct fil_events *events = fil_directory_options(container->directory)->events;
    uint64_t credit = events == NULL ? 0 : fil_events_credit(events);
    uint32_t room = UINT32_MAX;
    fil_list_foreach(link, &container->listeners) {
        const struct fil_container_listener *listener =
            FIL_CONTAINER_OF(link, struct fil_container_listener, link);
        uint32_t own = fil_listener_room(listener->handle, 0, &credit);
        room = own < room ? own : room;
    }
    return room;
}

static int open_handle(struct fil_events *events, struct fil_container_listener *listener)
{
    const struct fil_container_listener_options *options = &listener->options;
    return fil_listener_open(events,
                             &(struct fil_listener_options){
                                 .name = options->name,
                                 .ops = &ops,
                                 .context = listener,
                                 .lane_count = 1,
                                 .lane_max = options->lane_max,
                             },
                             &listener->handle);
}

static struct fil_budget *budget_of(const struct fil_container *container)
{
    return fil_directory_options(container->directory)->budget;
}

/** What a listener takes, that of the event stage included. */
static size_t listener_bytes(size_t key_size)
{
    return sizeof(struct fil_container_listener) + key_size + fil_listener_bytes(1);
}

static struct fil_container_listener *new_listener(struct fil_budget *budget, size_t key_size)
{
    if (!fil_budget_draw_data(budget, listener_bytes(key_size))) {
        return NULL;
    }
    struct fil_container_listener *listener =
        fil_alloc_zero(1, sizeof(struct fil_container_listener) + key_size);
    if (listener == NULL) {
        fil_budget_return(budget, listener_bytes(key_size));
    }
    return listener;
}

static void discard_listener(struct fil_budget *budget, struct fil_container_listener *listener)
{
    fil_budget_return(budget, listener_bytes(listener->key_size));
    fil_free(listener);
}

int fil_container_listen_here(struct fil_container *container,
                              const struct fil_container_listener_options *options,
                              struct fil_container_listener **out_listener)
{
    struct fil_events *events = fil_directory_options(container->directory)->events;
    if (events == NULL) {
        return FIL_E_UNSUPPORTED;
    }
    if (container->listener_count == FIL_CONTAINER_LISTENERS_MAX) {
        return FIL_E_LIMIT;
    }
    size_t key_size = options->key.data == NULL ? 0 : options->key.size;
    struct fil_container_listener *listener = new_listener(budget_of(container), key_size);
    if (listener == NULL) {
        return FIL_E_NOMEM;
    }
    listener->container = container;
    listener->budget = budget_of(container);
    listener->options = *options;
    listener->key_size = key_size;
    if (key_size > 0) {
        memcpy(listener->key, options->key.data, key_size);
    }
    fil_list_init(&listener->link);
    int error = open_handle(events, listener);
    if (error != FIL_OK) {
        discard_listener(budget_of(container), listener);
        return error;
    }
    fil_list_push_back(&container->listeners, &listener->link);
    container->listener_count++;
    *out_listener = listener;
    return FIL_OK;
}

static void free_listener(void *context)
{
    struct fil_container_listener *listener = context;
    struct fil_container_listener_options options = listener->options;
    fil_listener_unref(listener->handle);
    discard_listener(listener->budget, listener);
    if (options.closed != NULL) {
        options.closed(options.context);
    }
}

void fil_container_unlisten_here(struct fil_container_listener *listener)
{
    struct fil_container *container = listener->container;
    fil_assert(container->listener_count > 0);
    fil_list_remove(&listener->link);
    container->listener_count--;
    fil_listener_close(listener->handle, free_listener, listener);
}

void fil_container_unlisten_all(struct fil_container *container)
{
    while (!fil_list_is_empty(&container->listeners)) {
        struct fil_container_listener *listener =
            FIL_CONTAINER_OF(container->listeners.next, struct fil_container_listener, link);
        listener->options.closed = NULL;
        fil_container_unlisten_here(listener);
    }
}
