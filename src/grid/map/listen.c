// SPDX-License-Identifier: Apache-2.0
/**
 * Who listens to a map is an immutable list, the audience. A new one is sent to all partitions by a
 * walk; each keeps the newest it has seen, so walks that overtake each other do no harm.
 */
#include "grid/map/listen.h"

#include <string.h>

#include "core/exec/listener.h"
#include "filbert/error.h"
#include "grid/map/map_internal.h"
#include "grid/map/walk.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/os/mutex.h"

struct fil_map_listener {
    struct fil_map *map;
    struct fil_map_listener_options options;
    struct fil_listener *handle; // the event stage's
    struct fil_map_walk walk;
    struct fil_map_audience *sent; // by the walk
    fil_map_listener_fn done;      // opened, or closed
    _Atomic uint64_t lost_count;
    struct fil_event nudge; // the stage's while is_nudged
    _Atomic bool is_nudged;
    struct fil_list link; // the hub's
    struct fil_budget *budget;
    size_t key_size;
    uint8_t key[];
};

struct fil_map_audience {
    _Atomic uint32_t references;
    struct fil_budget *budget; // what it takes is drawn from
    uint64_t version;
    uint32_t kinds; // of all listeners together
    bool has_sequence;
    uint32_t count;
    struct fil_map_listener *listeners[];
};

/** A map's listeners, for those who come and go. */
struct fil_map_hub {
    struct fil_mutex mutex;
    struct fil_budget *budget; // the map's

    // Under the mutex.
    struct fil_list listeners;
    uint32_t count;
    uint64_t version;
};

/** What is published: one block for each listener. */
struct block {
    struct fil_event event;
    struct fil_map_listener *listener;
    struct fil_budget *budget;
    size_t size;
    struct fil_map_event content; // points into the bytes
    uint8_t bytes[];
};

static size_t audience_size(uint32_t count)
{
    return sizeof(struct fil_map_audience) + count * sizeof(struct fil_map_listener *);
}

static void unref_audience(struct fil_map_audience *audience)
{
    // Acquire and release: whoever frees it sees that the others are done with it.
    if (audience != NULL &&
        atomic_fetch_sub_explicit(&audience->references, 1, memory_order_acq_rel) == 1) {
        fil_budget_free(audience->budget, audience, audience_size(audience->count));
    }
}

int fil_map__new_hub(struct fil_map *map)
{
    struct fil_map_hub *hub = fil_alloc_zero(1, sizeof(*hub));
    if (hub == NULL) {
        return FIL_E_NOMEM;
    }
    hub->budget = map->budget;
    fil_mutex_init(&hub->mutex);
    fil_mutex_lock(&hub->mutex);
    fil_list_init(&hub->listeners);
    fil_mutex_unlock(&hub->mutex);
    map->hub = hub;
    return FIL_OK;
}

static void free_block(struct block *block)
{
    fil_budget_return(block->budget, block->size);
    fil_free(block);
}

static void drop_listener(struct fil_map_listener *listener)
{
    fil_budget_free(listener->budget, listener, sizeof(*listener) + listener->key_size);
}

static void free_listener(void *context)
{
    struct fil_map_listener *listener = context;
    fil_map_listener_fn done = listener->done;
    void *user = listener->options.context;
    fil_listener_unref(listener->handle);
    drop_listener(listener);
    if (done != NULL) {
        done(user, FIL_OK, NULL);
    }
}

void fil_map__free_hub(struct fil_map *map)
{
    struct fil_map_hub *hub = map->hub;
    if (hub == NULL) {
        return;
    }
    for (uint32_t i = 0; i < map->partition_count; i++) {
        unref_audience(map->shards[i].audience);
        map->shards[i].audience = NULL;
    }
    fil_mutex_lock(&hub->mutex);
    for (struct fil_list *link = fil_list_take_front(&hub->listeners); link != NULL;
         link = fil_list_take_front(&hub->listeners)) {
        struct fil_map_listener *listener = FIL_CONTAINER_OF(link, struct fil_map_listener, link);
        listener->done = NULL;
        fil_listener_close(listener->handle, free_listener, listener);
    }
    fil_mutex_unlock(&hub->mutex);
    fil_mutex_fini(&hub->mutex);
    fil_free(hub);
}

// Publishing: inside the partition.

static bool is_wanted(const struct fil_map_listener *listener, const struct fil_map__change *change)
{
    if (!(listener->options.kinds & change->kind)) {
        return false;
    }
    // A change of all entries has no key, and is for everybody.
    return listener->options.key.data == NULL || change->key.data == NULL ||
           fil_bytes_equal(change->key, fil_bytes_make(listener->key, listener->key_size));
}

static struct fil_bytes copy_bytes(uint8_t **room, struct fil_bytes bytes)
{
    uint8_t *copy = *room;
    if (bytes.size > 0) {
        memcpy(copy, bytes.data, bytes.size);
    }
    *room += bytes.size;
    return fil_bytes_make(copy, bytes.size);
}

static struct block *new_block(struct fil_budget *budget, size_t size)
{
    if (!fil_budget_draw(budget, size)) {
        return NULL;
    }
    struct block *block = fil_alloc(size);
    if (block == NULL) {
        fil_budget_return(budget, size);
        return NULL;
    }
    memset(block, 0, sizeof(*block));
    block->budget = budget;
    block->size = size;
    return block;
}

static struct block *make_block(struct fil_map_shard *shard, struct fil_map_listener *listener,
                                const struct fil_map__change *change, uint64_t sequence)
{
    bool has_old = change->has_old && listener->options.has_values;
    bool has_value = change->has_value && listener->options.has_values;
    size_t size = sizeof(struct block) + change->key.size + (has_old ? change->old_value.size : 0) +
                  (has_value ? change->value.size : 0);
    struct block *block = new_block(shard->map->budget, size);
    if (block == NULL) {
        return NULL;
    }
    uint8_t *room = block->bytes;
    block->listener = listener;
    block->content = (struct fil_map_event){
        .kind = change->kind,
        .partition_id = fil_map__id(shard),
        .count = change->count,
        .sequence = sequence,
        .origin = {shard->origin[0], shard->origin[1]},
    };
    if (change->key.data != NULL) {
        block->content.key = copy_bytes(&room, change->key);
    }
    if (has_old) {
        block->content.old_value = copy_bytes(&room, change->old_value);
    }
    if (has_value) {
        block->content.value = copy_bytes(&room, change->value);
    }
    fil_assert((size_t)(room - (uint8_t *)block) == size);
    return block;
}

static void publish_to(struct fil_map_shard *shard, struct fil_map_listener *listener,
                       const struct fil_map__change *change, uint64_t sequence)
{
    struct block *block = make_block(shard, listener, change, sequence);
    if (block == NULL) {
        // Relaxed: a count publishes nothing but itself.
        atomic_fetch_add_explicit(&listener->lost_count, 1, memory_order_relaxed);
        fil_counter_add(&shard->counters.events_lost, 1);
        return;
    }
    fil_counter_add(&shard->counters.events, 1);
    // Whoever is inside a partition never waits.
    int error = fil_listener_publish(listener->handle, (uint32_t)change->hash, &block->event,
                                     FIL_PUBLISH_DROP);
    if (error != FIL_OK) {
        fil_counter_add(&shard->counters.events_lost, 1);
        free_block(block);
    }
}

/** The number of the change; what concerns all entries counts at the map's home. */
static uint64_t next_sequence(struct fil_map_shard *shard, const struct fil_map__change *change)
{
    struct fil_map *map = shard->map;
    struct fil_map_shard *home = change->key.data == NULL ? &map->shards[map->home_id] : shard;
    // Relaxed: it is told to listeners through their queues.
    return atomic_fetch_add_explicit(&home->sequence, 1, memory_order_relaxed) + 1;
}

uint64_t fil_map_sequence(const struct fil_map *map, fil_partition_id partition_id)
{
    fil_assert(partition_id < map->partition_count);
    // Relaxed, as above.
    return atomic_load_explicit(&map->shards[partition_id].sequence, memory_order_relaxed);
}

bool fil_map__is_old_wanted(const struct fil_map_shard *shard, struct fil_bytes key)
{
    const struct fil_map_audience *audience = shard->audience;
    const struct fil_map__change change = {.kind = FIL_MAP_UPDATED, .key = key};
    for (uint32_t i = 0; audience != NULL && i < audience->count; i++) {
        const struct fil_map_listener *listener = audience->listeners[i];
        if (listener->options.has_values && is_wanted(listener, &change)) {
            return true;
        }
    }
    return false;
}

void fil_map__publish(struct fil_map_shard *shard, const struct fil_map__change *change)
{
    const struct fil_map_audience *audience = shard->audience;
    if (audience == NULL || !(audience->kinds & change->kind)) {
        return;
    }
    uint64_t sequence = audience->has_sequence ? next_sequence(shard, change) : 0;
    for (uint32_t i = 0; i < audience->count; i++) {
        if (is_wanted(audience->listeners[i], change)) {
            publish_to(shard, audience->listeners[i], change, sequence);
        }
    }
}

// Delivery: on event threads.

static void answer_nudge(struct fil_map_listener *listener)
{
    // Release pairs with the acquire of whoever nudges next: the event is no longer the stage's.
    atomic_store_explicit(&listener->is_nudged, false, memory_order_release);
    listener->options.nudged(listener->options.context);
}

static void deliver(void *context, struct fil_event *event)
{
    struct fil_map_listener *listener = context;
    if (event == &listener->nudge) {
        answer_nudge(listener);
        return;
    }
    struct block *block = FIL_CONTAINER_OF(event, struct block, event);
    block->content.seq = event->seq;
    block->content.lane = event->lane;
    // Relaxed, as above.
    block->content.lost_count = atomic_load_explicit(&listener->lost_count, memory_order_relaxed);
    listener->options.deliver(listener->options.context, &block->content);
    free_block(block);
}

static void discard(void *context, struct fil_event *event)
{
    const struct fil_map_listener *listener = context;
    if (event != &listener->nudge) {
        free_block(FIL_CONTAINER_OF(event, struct block, event));
    }
}

static const struct fil_listener_ops ops = {.deliver = deliver, .discard = discard};

bool fil_map_listener_nudge(struct fil_map_listener *listener)
{
    fil_assert(listener->options.nudged != NULL && listener->options.lane_count == 1);
    // Acquire pairs with the release of the answer.
    if (atomic_exchange_explicit(&listener->is_nudged, true, memory_order_acquire)) {
        return true; // one is under way
    }
    int error = fil_listener_publish(listener->handle, 0, &listener->nudge, FIL_PUBLISH_TRY);
    if (error != FIL_OK) {
        // Relaxed: the event never was the stage's.
        atomic_store_explicit(&listener->is_nudged, false, memory_order_relaxed);
    }
    return error == FIL_OK;
}

// Coming and going.

/** The hub's listeners as a new audience; NULL without memory. */
static struct fil_map_audience *make_audience(struct fil_map_hub *hub)
    FIL_TSA(requires_capability(hub->mutex))
{
    struct fil_map_audience *audience = fil_budget_alloc(hub->budget, audience_size(hub->count));
    if (audience == NULL) {
        return NULL;
    }
    *audience = (struct fil_map_audience){.budget = hub->budget};
    atomic_init(&audience->references, 1);
    audience->version = ++hub->version;
    fil_list_foreach(link, &hub->listeners) {
        struct fil_map_listener *listener = FIL_CONTAINER_OF(link, struct fil_map_listener, link);
        audience->listeners[audience->count] = listener;
        audience->count++;
        audience->kinds |= listener->options.kinds;
        audience->has_sequence |= listener->options.has_sequence;
    }
    fil_assert(audience->count == hub->count);
    return audience;
}

/** The shard gets the audience, unless it has a newer one. */
static uint64_t install_slice(struct fil_map_walk *walk, struct fil_partition *partition)
{
    struct fil_map_listener *listener = walk->work;
    struct fil_map_shard *shard = fil_map__shard(walk->map, partition->id);
    struct fil_map_audience *old = shard->audience;
    if (old == NULL || old->version < listener->sent->version) {
        // Relaxed: the walk has a reference of its own.
        atomic_fetch_add_explicit(&listener->sent->references, 1, memory_order_relaxed);
        shard->audience = listener->sent;
        shard->interests &= ~(uint32_t)FIL_MAP__LISTENED;
        shard->interests |= listener->sent->count > 0 ? FIL_MAP__LISTENED : 0;
        unref_audience(old);
    }
    return FIL_STORE_SCAN_END;
}

/** Makes the audience without the listener first; without memory it comes again. */
static uint64_t leave_slice(struct fil_map_walk *walk, struct fil_partition *partition)
{
    struct fil_map_listener *listener = walk->work;
    struct fil_map_hub *hub = listener->map->hub;
    if (listener->sent == NULL) {
        fil_mutex_lock(&hub->mutex);
        listener->sent = make_audience(hub);
        fil_mutex_unlock(&hub->mutex);
    }
    return listener->sent == NULL ? 0 : install_slice(walk, partition);
}

static void spread(struct fil_map_listener *listener, fil_map_slice_fn slice,
                   fil_map_finished_fn finished, struct fil_runner *runner)
{
    fil_map_walk_init(&listener->walk, listener->map, "map-listener", slice);
    listener->walk.work = listener;
    fil_map_walk_start(&listener->walk, finished, listener, runner);
}

static void finish_open(struct fil_map_walk *walk, struct fil_runner *runner)
{
    struct fil_map_listener *listener = walk->context;
    unref_audience(listener->sent);
    listener->sent = NULL;
    listener->done(listener->options.context, walk->error, runner);
}

static void finish_close(struct fil_map_walk *walk, struct fil_runner *runner)
{
    struct fil_map_listener *listener = walk->context;
    (void)runner;
    unref_audience(listener->sent);
    listener->sent = NULL;
    fil_listener_close(listener->handle, free_listener, listener);
}

static int make_listener(struct fil_map *map, const struct fil_map_listener_options *options,
                         struct fil_map_listener **out_listener)
{
    size_t key_size = options->key.data == NULL ? 0 : options->key.size;
    struct fil_map_listener *listener = fil_budget_alloc(map->budget, sizeof(*listener) + key_size);
    if (listener == NULL) {
        return FIL_E_NOMEM;
    }
    memset(listener, 0, sizeof(*listener));
    listener->budget = map->budget;
    listener->map = map;
    listener->options = *options;
    listener->key_size = key_size;
    if (key_size > 0) {
        memcpy(listener->key, options->key.data, key_size);
    }
    fil_list_init(&listener->link);
    int error = fil_listener_open(map->events,
                                  &(struct fil_listener_options){.name = options->name,
                                                                 .ops = &ops,
                                                                 .context = listener,
                                                                 .lane_count = options->lane_count},
                                  &listener->handle);
    if (error != FIL_OK) {
        drop_listener(listener);
        return error;
    }
    *out_listener = listener;
    return FIL_OK;
}

/** Puts the listener among the others and makes the new audience of them. */
static int join(struct fil_map_hub *hub, struct fil_map_listener *listener,
                struct fil_map_audience **out_audience)
{
    int error = FIL_E_LIMIT;
    fil_mutex_lock(&hub->mutex);
    if (hub->count < FIL_MAP_LISTENERS_MAX) {
        fil_list_push_back(&hub->listeners, &listener->link);
        hub->count++;
        *out_audience = make_audience(hub);
        error = *out_audience == NULL ? FIL_E_NOMEM : FIL_OK;
        if (error != FIL_OK) {
            fil_list_remove(&listener->link);
            hub->count--;
        }
    }
    fil_mutex_unlock(&hub->mutex);
    return error;
}

int fil_map_listener_open(struct fil_map *map, const struct fil_map_listener_options *options,
                          struct fil_runner *runner, fil_map_listener_fn opened,
                          struct fil_map_listener **out_listener)
{
    struct fil_map_listener *listener = NULL;
    struct fil_map_audience *audience = NULL;
    if (map->events == NULL || map->exec == NULL) {
        return FIL_E_UNSUPPORTED;
    }
    int error = make_listener(map, options, &listener);
    if (error != FIL_OK) {
        return error;
    }
    error = join(map->hub, listener, &audience);
    if (error != FIL_OK) {
        fil_listener_close(listener->handle, free_listener, listener);
        return error;
    }
    listener->done = opened;
    listener->sent = audience;
    *out_listener = listener;
    spread(listener, install_slice, finish_open, runner);
    return FIL_OK;
}

void fil_map_listener_close(struct fil_map_listener *listener, struct fil_runner *runner,
                            fil_map_listener_fn closed)
{
    struct fil_map_hub *hub = listener->map->hub;
    fil_assert(listener->sent == NULL);
    fil_mutex_lock(&hub->mutex);
    fil_assert(hub->count > 0);
    fil_list_remove(&listener->link);
    hub->count--;
    fil_mutex_unlock(&hub->mutex);
    listener->done = closed;
    spread(listener, leave_slice, finish_close, runner);
}
