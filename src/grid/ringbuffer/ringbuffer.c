// SPDX-License-Identifier: Apache-2.0
#include "grid/ringbuffer/ringbuffer.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

#define LINE_READERS 1U
#define STAMP_BYTES  sizeof(uint64_t)
#define STACK_BYTES  512U

static int64_t tail_of(const struct fil_ringbuffer *ring)
{
    return (int64_t)(ring->head + ring->items.count) - 1;
}

static bool is_stamped(const struct fil_ringbuffer *ring)
{
    return ring->config.ttl_ms != 0;
}

/** The item as it was added. */
static struct fil_bytes payload_of(const struct fil_ringbuffer *ring, struct fil_bytes item)
{
    if (!is_stamped(ring)) {
        return item;
    }
    fil_assert(item.size >= STAMP_BYTES);
    return fil_bytes_make(item.data + STAMP_BYTES, item.size - STAMP_BYTES);
}

/** When the item expires. */
static uint64_t end_of(const struct fil_ringbuffer *ring, struct fil_bytes item)
{
    uint64_t added_ms = 0;
    fil_assert(item.size >= STAMP_BYTES);
    memcpy(&added_ms, item.data, STAMP_BYTES);
    return added_ms + ring->config.ttl_ms;
}

static void note_size(struct fil_ringbuffer *ring)
{
    fil_container_note_size_here(&ring->container, ring->items.count, ring->items.bytes);
}

static void drop_oldest(struct fil_ringbuffer *ring)
{
    fil_items_drop_front(&ring->items);
    ring->head++;
    fil_counter_add(&ring->container.counters.expired, 1);
}

/** Drops what is too old; returns when the next one is, as time of day. */
static uint64_t expire(struct fil_ringbuffer *ring, uint64_t now_ms)
{
    struct fil_bytes item;
    while (is_stamped(ring) && fil_items_front(&ring->items, &item)) {
        uint64_t end_ms = end_of(ring, item);
        if (end_ms > now_ms) {
            return end_ms;
        }
        drop_oldest(ring);
    }
    return FIL_CONTAINER_NEVER;
}

/** Without a time to live everything can be overwritten at any time, so there is always room. */
static uint64_t room_of(const struct fil_ringbuffer *ring)
{
    fil_assert(ring->items.count <= ring->config.capacity);
    return is_stamped(ring) ? ring->config.capacity - ring->items.count : ring->config.capacity;
}

struct fil_ringbuffer_state fil_ringbuffer_state_here(struct fil_ringbuffer *ring, uint64_t now_ms)
{
    (void)expire(ring, now_ms); // upkeep is asked for when items are added
    note_size(ring);
    return (struct fil_ringbuffer_state){
        .size = ring->items.count,
        .capacity = ring->config.capacity,
        .room = room_of(ring),
        .head = (int64_t)ring->head,
        .tail = tail_of(ring),
    };
}

/** Puts the time before the item. */
static int push_stamped(struct fil_ringbuffer *ring, struct fil_bytes item, uint64_t now_ms)
{
    uint8_t small[STACK_BYTES];
    size_t size = item.size + STAMP_BYTES;
    if (item.size > FIL_ITEM_BYTES_MAX - STAMP_BYTES) {
        return FIL_E_LIMIT;
    }
    uint8_t *bytes = size <= sizeof(small) ? small : fil_alloc(size);
    if (bytes == NULL) {
        return FIL_E_NOMEM;
    }
    memcpy(bytes, &now_ms, STAMP_BYTES);
    if (item.size > 0) {
        memcpy(bytes + STAMP_BYTES, item.data, item.size);
    }
    int error = fil_items_push_back(&ring->items, fil_bytes_make(bytes, size));
    if (bytes != small) {
        fil_free(bytes);
    }
    return error;
}

static int push(struct fil_ringbuffer *ring, struct fil_bytes item, uint64_t now_ms)
{
    return is_stamped(ring) ? push_stamped(ring, item, now_ms)
                            : fil_items_push_back(&ring->items, item);
}

/** Adds behind what is there, over the capacity for the moment, so that all can be taken back. */
static int push_all(struct fil_ringbuffer *ring, const struct fil_bytes *items, uint64_t count,
                    uint64_t now_ms)
{
    for (uint64_t i = 0; i < count; i++) {
        int error = push(ring, items[i], now_ms);
        if (error != FIL_OK) {
            for (; i > 0; i--) {
                fil_items_drop_back(&ring->items);
            }
            return error;
        }
    }
    return FIL_OK;
}

int fil_ringbuffer_add_here(struct fil_ringbuffer *ring, enum fil_ringbuffer_overflow overflow,
                            const struct fil_bytes *items, uint64_t count, uint64_t now_ms,
                            int64_t *out_seq)
{
    (void)expire(ring, now_ms); // upkeep is asked for below
    bool has_room = count <= room_of(ring);
    int error = count == 0 ? FIL_E_INVALID : FIL_E_FULL;
    if (count > 0 && (has_room || overflow == FIL_RINGBUFFER_OVERWRITE)) {
        error = push_all(ring, items, count, now_ms);
    }
    if (error != FIL_OK) {
        fil_counter_add(&ring->container.counters.refused, count);
        return error;
    }
    while (ring->items.count > ring->config.capacity) {
        drop_oldest(ring);
    }
    *out_seq = tail_of(ring);
    fil_counter_add(&ring->container.counters.adds, count);
    fil_container_note_update_here(&ring->container, now_ms);
    note_size(ring);
    if (is_stamped(ring)) {
        fil_container_ask_upkeep_here(&ring->container, now_ms + ring->config.ttl_ms);
    }
    (void)fil_waiting_wake_here(&ring->readers, UINT64_MAX); // each looks for itself
    return FIL_OK;
}

static void note_read(struct fil_ringbuffer *ring, uint64_t count, uint64_t now_ms)
{
    fil_counter_add(&ring->container.counters.reads, count);
    fil_container_note_read_here(&ring->container, now_ms);
}

int fil_ringbuffer_read_here(struct fil_ringbuffer *ring, struct fil_waiter *waiter, int64_t seq,
                             uint64_t now_ms, struct fil_bytes *out_item)
{
    (void)expire(ring, now_ms); // upkeep is asked for when items are added
    int64_t tail = tail_of(ring);
    if (seq < (int64_t)ring->head) {
        return seq < 0 ? FIL_E_INVALID : FIL_E_NOT_FOUND;
    }
    if (seq > tail) {
        return seq == tail + 1 ? fil_waiter_wait_here(waiter, &ring->readers) : FIL_E_INVALID;
    }
    struct fil_item_cursor cursor = fil_items_at(&ring->items, (uint64_t)seq - ring->head);
    struct fil_bytes item;
    bool is_there = fil_items_read(&cursor, &item);
    fil_assert(is_there);
    *out_item = payload_of(ring, item);
    note_read(ring, 1, now_ms);
    return FIL_OK;
}

/** From the number on, or the nearest there is. */
static uint64_t clamp_index(const struct fil_ringbuffer *ring, int64_t from)
{
    if (from < (int64_t)ring->head) {
        return 0;
    }
    uint64_t index = (uint64_t)from - ring->head;
    return index > ring->items.count ? ring->items.count : index;
}

/** Walks until the look has found enough; visits only when it is told to. */
static void walk(const struct fil_ringbuffer *ring, struct fil_ringbuffer_look *look, bool is_visit)
{
    uint64_t index = clamp_index(ring, look->from);
    struct fil_item_cursor cursor = fil_items_at(&ring->items, index);
    struct fil_bytes item;
    uint64_t enough = is_visit ? look->most : look->least;
    look->read_count = 0;
    look->found_count = 0;
    while (look->found_count < enough && fil_items_read(&cursor, &item)) {
        struct fil_bytes payload = payload_of(ring, item);
        bool is_wanted = look->filter == NULL || look->filter(look->context, payload);
        if (is_wanted && is_visit) {
            look->visit(look->context, (int64_t)(ring->head + cursor.index), payload);
        }
        look->found_count += is_wanted;
        look->read_count++;
        fil_items_next(&ring->items, &cursor);
    }
    look->next = (int64_t)(ring->head + index + look->read_count);
}

/** Whether there are as many as the reader wants at least. */
static bool is_enough(const struct fil_ringbuffer *ring, struct fil_ringbuffer_look *look)
{
    if (look->filter == NULL) {
        return ring->items.count - clamp_index(ring, look->from) >= look->least;
    }
    walk(ring, look, false);
    return look->found_count >= look->least;
}

int fil_ringbuffer_look_here(struct fil_ringbuffer *ring, struct fil_waiter *waiter,
                             struct fil_ringbuffer_look *look, uint64_t now_ms)
{
    if (look->least > look->most || look->least > ring->config.capacity) {
        return FIL_E_INVALID;
    }
    (void)expire(ring, now_ms); // upkeep is asked for when items are added
    look->from = (int64_t)(ring->head + clamp_index(ring, look->from));
    if (!is_enough(ring, look)) {
        return fil_waiter_wait_here(waiter, &ring->readers);
    }
    walk(ring, look, true);
    note_read(ring, look->found_count, now_ms);
    return FIL_OK;
}

static int open_ringbuffer(struct fil_container *container, const void *config)
{
    struct fil_ringbuffer *ring = fil_ringbuffer_of(container);
    ring->config = *(const struct fil_ringbuffer_config *)config;
    fil_assert(ring->config.capacity > 0);
    fil_assert(ring->config.capacity <= FIL_RINGBUFFER_CAPACITY_MAX);
    fil_items_init(&ring->items, container->account);
    fil_waiting_init(&ring->readers, container, LINE_READERS, NULL);
    return FIL_OK;
}

static void close_ringbuffer(struct fil_container *container)
{
    fil_items_fini(&fil_ringbuffer_of(container)->items);
}

/** As new: numbers begin with 0 again, and who waits for a number that is beyond is told so. */
static void clear_ringbuffer(struct fil_container *container, uint64_t now_ms)
{
    struct fil_ringbuffer *ring = fil_ringbuffer_of(container);
    fil_items_clear(&ring->items);
    ring->head = 0;
    fil_container_note_update_here(container, now_ms);
    note_size(ring);
    (void)fil_waiting_wake_here(&ring->readers, UINT64_MAX); // each looks for itself
}

static uint64_t keep_ringbuffer(struct fil_container *container, uint64_t now_ms)
{
    struct fil_ringbuffer *ring = fil_ringbuffer_of(container);
    uint64_t next_ms = expire(ring, now_ms);
    note_size(ring);
    return next_ms;
}

static const struct fil_ringbuffer_config default_config = {.capacity = FIL_RINGBUFFER_CAPACITY};

const struct fil_container_type fil_ringbuffer_type = {
    .name = "ringbuffer",
    .size = sizeof(struct fil_ringbuffer),
    .config = &default_config,
    .open = open_ringbuffer,
    .close = close_ringbuffer,
    .clear = clear_ringbuffer,
    .upkeep = keep_ringbuffer,
};
