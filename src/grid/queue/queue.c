// SPDX-License-Identifier: Apache-2.0
#include "grid/queue/queue.h"

#include "core/container/listen.h"
#include "filbert/error.h"
#include "lib/base/assert.h"

const char *const fil_queue_order_words[] = {
    [FIL_QUEUE_ARRIVAL] = "arrival",
    [FIL_QUEUE_ASCENDING] = "ascending",
    [FIL_QUEUE_DESCENDING] = "descending",
    [FIL_QUEUE_DESCENDING + 1] = NULL,
};

enum queue_line {
    LINE_TAKERS = 1,
    LINE_OFFERERS
};

uint64_t fil_queue_size_here(const struct fil_queue *queue)
{
    fil_assert(queue->items.count >= queue->takers.promised);
    return queue->items.count - queue->takers.promised;
}

/** Room that nobody has been promised; items that were promised to takers still need theirs. */
uint64_t fil_queue_room_here(const struct fil_queue *queue)
{
    uint64_t size_max = queue->config.size_max;
    uint64_t used = queue->items.count + queue->offerers.promised;
    fil_assert(size_max == 0 || used <= size_max);
    return size_max == 0 ? UINT64_MAX : size_max - used;
}

/** The first item that is in the queue, behind those that were promised. */
static struct fil_item_cursor first_item(const struct fil_queue *queue)
{
    return fil_items_at(&queue->items, queue->takers.promised);
}

/** After each change: whoever can go on is let go, and the figures are told. */
static void settle(struct fil_queue *queue)
{
    (void)fil_waiting_wake_here(&queue->takers, fil_queue_size_here(queue));
    (void)fil_waiting_wake_here(&queue->offerers, fil_queue_room_here(queue));
    fil_container_note_size_here(&queue->container, fil_queue_size_here(queue), queue->items.bytes);
}

static void settle_taker(struct fil_waiting *takers)
{
    settle(FIL_CONTAINER_OF(takers, struct fil_queue, takers));
}

static void settle_offerer(struct fil_waiting *offerers)
{
    settle(FIL_CONTAINER_OF(offerers, struct fil_queue, offerers));
}

static void tell(struct fil_queue *queue, enum fil_container_event_kind kind, struct fil_bytes item,
                 uint64_t now_ms)
{
    bool is_added = kind == FIL_CONTAINER_ADDED;
    struct fil_container_counters *counters = &queue->container.counters;
    fil_counter_add(is_added ? &counters->adds : &counters->removes, 1);
    fil_container_note_update_here(&queue->container, now_ms);
    fil_container_tell_here(&queue->container, &(struct fil_container_event){
                                                   .kind = kind, .item = item, .time_ms = now_ms});
}

/** An item goes; the cursor then stands on the next one. */
static void remove_at(struct fil_queue *queue, struct fil_item_cursor *cursor, uint64_t now_ms)
{
    struct fil_bytes item;
    bool is_there = fil_items_read(cursor, &item);
    fil_assert(is_there);
    tell(queue, FIL_CONTAINER_REMOVED, item, now_ms);
    fil_items_remove(&queue->items, cursor);
}

/** After items have gone. */
static void settle_removed(struct fil_queue *queue, uint64_t now_ms)
{
    if (queue->items.count == 0 && queue->config.empty_ttl_ms >= 0) {
        queue->empty_since_ms = now_ms;
        fil_container_ask_upkeep_here(&queue->container,
                                      now_ms + (uint64_t)queue->config.empty_ttl_ms + 1);
    }
    settle(queue);
}

/** Where an item belongs; behind what was promised in any case. */
static struct fil_item_cursor find_place(struct fil_queue *queue, struct fil_bytes item)
{
    struct fil_item_cursor cursor = {.block = NULL, .index = queue->items.count};
    if (queue->config.compare != NULL) {
        cursor = fil_items_find_place(&queue->items, item, queue->config.compare,
                                      queue->config.compare_context);
    }
    return cursor.index < queue->takers.promised ? first_item(queue) : cursor;
}

static int insert(struct fil_queue *queue, struct fil_bytes item, uint64_t now_ms)
{
    struct fil_item_cursor cursor = find_place(queue, item);
    int error = fil_items_insert(&queue->items, &cursor, item);
    if (error == FIL_OK) {
        tell(queue, FIL_CONTAINER_ADDED, item, now_ms);
    } else {
        fil_counter_add(&queue->container.counters.refused, 1);
    }
    return error;
}

int fil_queue_offer_here(struct fil_queue *queue, struct fil_waiter *waiter, struct fil_bytes item,
                         uint64_t now_ms)
{
    if (fil_waiter_is_promised_here(waiter, &queue->offerers)) {
        fil_waiter_claim_here(waiter);
    } else if (fil_queue_room_here(queue) == 0) {
        return fil_waiter_wait_here(waiter, &queue->offerers);
    }
    int error = insert(queue, item, now_ms);
    settle(queue);
    return error;
}

/** Takes back the last so many items that were put in; nobody has seen them. */
static void take_back(struct fil_queue *queue, const struct fil_bytes *items, uint64_t count)
{
    while (count > 0) {
        count--;
        struct fil_item_cursor cursor = fil_items_find_last(&queue->items, items[count]);
        fil_items_remove(&queue->items, &cursor);
    }
}

int fil_queue_add_all_here(struct fil_queue *queue, const struct fil_bytes *items, uint64_t count,
                           uint64_t now_ms)
{
    if (fil_queue_room_here(queue) < count) {
        fil_counter_add(&queue->container.counters.refused, count);
        return FIL_E_FULL;
    }
    for (uint64_t i = 0; i < count; i++) {
        struct fil_item_cursor cursor = find_place(queue, items[i]);
        int error = fil_items_insert(&queue->items, &cursor, items[i]);
        if (error != FIL_OK) {
            take_back(queue, items, i);
            fil_counter_add(&queue->container.counters.refused, count);
            return error;
        }
    }
    for (uint64_t i = 0; i < count; i++) {
        tell(queue, FIL_CONTAINER_ADDED, items[i], now_ms);
    }
    settle(queue);
    return FIL_OK;
}

/** Where the item stands that the waiter would get. */
static struct fil_item_cursor cursor_for(const struct fil_queue *queue,
                                         const struct fil_waiter *waiter)
{
    return fil_waiter_is_promised_here(waiter, &queue->takers) ? fil_items_first(&queue->items)
                                                               : first_item(queue);
}

int fil_queue_next_here(struct fil_queue *queue, struct fil_waiter *waiter,
                        struct fil_bytes *out_item)
{
    struct fil_item_cursor cursor = cursor_for(queue, waiter);
    if (fil_items_read(&cursor, out_item)) {
        return FIL_OK;
    }
    return fil_waiter_wait_here(waiter, &queue->takers);
}

void fil_queue_take_here(struct fil_queue *queue, struct fil_waiter *waiter, uint64_t now_ms)
{
    struct fil_item_cursor cursor = cursor_for(queue, waiter);
    if (fil_waiter_is_promised_here(waiter, &queue->takers)) {
        fil_waiter_claim_here(waiter);
    }
    remove_at(queue, &cursor, now_ms);
    settle_removed(queue, now_ms);
}

bool fil_queue_peek_here(struct fil_queue *queue, uint64_t now_ms, struct fil_bytes *out_item)
{
    struct fil_item_cursor cursor = first_item(queue);
    fil_counter_add(&queue->container.counters.reads, 1);
    fil_container_note_read_here(&queue->container, now_ms);
    return fil_items_read(&cursor, out_item);
}

void fil_queue_visit_here(struct fil_queue *queue, uint64_t limit, fil_queue_visit_fn visit,
                          void *context)
{
    struct fil_item_cursor cursor = first_item(queue);
    struct fil_bytes item;
    for (uint64_t i = 0; i < limit && fil_items_read(&cursor, &item); i++) {
        if (!visit(context, item)) {
            return;
        }
        fil_items_next(&queue->items, &cursor);
    }
}

uint64_t fil_queue_drain_here(struct fil_queue *queue, uint64_t limit, uint64_t now_ms)
{
    struct fil_item_cursor cursor = first_item(queue);
    uint64_t count = 0;
    for (; count < limit && cursor.block != NULL; count++) {
        remove_at(queue, &cursor, now_ms);
    }
    settle_removed(queue, now_ms);
    return count;
}

/** The first equal item of those in the queue; its block is NULL when there is none. */
static struct fil_item_cursor find(const struct fil_queue *queue, struct fil_bytes wanted)
{
    struct fil_item_cursor cursor = first_item(queue);
    struct fil_bytes item;
    while (fil_items_read(&cursor, &item) && !fil_bytes_equal(item, wanted)) {
        fil_items_next(&queue->items, &cursor);
    }
    return cursor;
}

bool fil_queue_remove_here(struct fil_queue *queue, struct fil_bytes item, uint64_t now_ms)
{
    struct fil_item_cursor cursor = find(queue, item);
    if (cursor.block == NULL) {
        return false;
    }
    remove_at(queue, &cursor, now_ms);
    settle_removed(queue, now_ms);
    return true;
}

bool fil_queue_contains_here(struct fil_queue *queue, struct fil_bytes item)
{
    fil_counter_add(&queue->container.counters.reads, 1);
    return find(queue, item).block != NULL;
}

int fil_queue_contains_all_here(struct fil_queue *queue, const struct fil_bytes *items,
                                uint64_t count, bool *out_has_all)
{
    struct fil_choice choice;
    fil_counter_add(&queue->container.counters.reads, 1);
    int error = fil_choice_init(&choice, items, count, fil_container_seed(&queue->container));
    if (error == FIL_OK) {
        *out_has_all = fil_choice_is_covered(&choice, &queue->items, queue->takers.promised);
        fil_choice_fini(&choice);
    }
    return error;
}

/** What an item that is sifted out needs to be told. */
struct leaving {
    struct fil_queue *queue;
    uint64_t now_ms;
};

static void leave(void *context, struct fil_bytes item)
{
    const struct leaving *leaving = context;
    tell(leaving->queue, FIL_CONTAINER_REMOVED, item, leaving->now_ms);
}

int fil_queue_sift_here(struct fil_queue *queue, enum fil_sift which, const struct fil_bytes *items,
                        uint64_t count, uint64_t now_ms, bool *out_has_changed)
{
    struct fil_choice choice;
    struct leaving leaving = {.queue = queue, .now_ms = now_ms};
    int error = fil_choice_init(&choice, items, count, fil_container_seed(&queue->container));
    if (error != FIL_OK) {
        return error;
    }
    *out_has_changed =
        fil_choice_sift(&choice, which, &queue->items, queue->takers.promised, leave, &leaving) > 0;
    fil_choice_fini(&choice);
    settle_removed(queue, now_ms);
    return FIL_OK;
}

static int open_queue(struct fil_container *container, const void *config)
{
    struct fil_queue *queue = fil_queue_of(container);
    queue->config = *(const struct fil_queue_config *)config;
    fil_items_init(&queue->items, container->account);
    fil_waiting_init(&queue->takers, container, LINE_TAKERS, settle_taker);
    fil_waiting_init(&queue->offerers, container, LINE_OFFERERS, settle_offerer);
    return FIL_OK;
}

static void close_queue(struct fil_container *container)
{
    fil_items_fini(&fil_queue_of(container)->items);
}

static void clear_queue(struct fil_container *container, uint64_t now_ms)
{
    (void)fil_queue_drain_here(fil_queue_of(container), UINT64_MAX, now_ms);
}

/** An empty queue gives its last block back when it has been empty for long enough. */
static uint64_t keep_queue(struct fil_container *container, uint64_t now_ms)
{
    struct fil_queue *queue = fil_queue_of(container);
    uint64_t due_ms = queue->empty_since_ms + (uint64_t)queue->config.empty_ttl_ms;
    if (queue->items.count > 0) {
        return FIL_CONTAINER_NEVER;
    }
    if (due_ms > now_ms) {
        return due_ms;
    }
    fil_items_clear(&queue->items);
    fil_container_note_size_here(container, 0, queue->items.bytes);
    return FIL_CONTAINER_NEVER;
}

static const struct fil_queue_config default_config = {.empty_ttl_ms = -1};

const struct fil_container_type fil_queue_type = {
    .name = "queue",
    .size = sizeof(struct fil_queue),
    .config = &default_config,
    .open = open_queue,
    .close = close_queue,
    .clear = clear_queue,
    .upkeep = keep_queue,
};
