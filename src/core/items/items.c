// SPDX-License-Identifier: Apache-2.0
#include "core/items/items.h"

#include <string.h>

#include "core/items/block_internal.h"
#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"

#define BLOCK_STEP      16U  // bytes; sizes of blocks are multiples, less the head
#define TIGHT_BYTES_MAX 256U // of items; a block with no more has hardly any room left

void fil_items_init(struct fil_items *items, struct fil_account *account)
{
    fil_assert(account != NULL);
    *items = (struct fil_items){.account = account};
    fil_list_init(&items->blocks);
}

void fil_items_fini(struct fil_items *items)
{
    fil_items_clear(items);
}

static struct fil_item_block *first_block(const struct fil_items *items)
{
    return fil_list_is_empty(&items->blocks) ? NULL : fil_block__of(items->blocks.next);
}

static struct fil_item_block *last_block(const struct fil_items *items)
{
    return fil_list_is_empty(&items->blocks) ? NULL : fil_block__of(items->blocks.previous);
}

static bool charge(struct fil_items *items, uint64_t bytes)
{
    if (!fil_account_take(items->account, bytes)) {
        return false;
    }
    items->bytes += bytes;
    return true;
}

static void credit(struct fil_items *items, uint64_t bytes)
{
    fil_assert(bytes <= items->bytes);
    fil_account_give(items->account, bytes);
    items->bytes -= bytes;
}

static void free_block(struct fil_items *items, struct fil_item_block *block)
{
    fil_assert(block != NULL);
    fil_assert(block->link.next != NULL);
    fil_list_remove(&block->link);
    credit(items, FIL_BLOCK__HEAD + block->capacity);
    fil_free(block);
}

/** An empty block before the link, with its free room behind or before; NULL: no memory. */
static struct fil_item_block *add_block(struct fil_items *items, struct fil_list *before,
                                        uint32_t capacity, bool grows_down)
{
    size_t size = FIL_BLOCK__HEAD + capacity;
    fil_assert(before != NULL);
    if (!charge(items, size)) {
        return NULL;
    }
    struct fil_item_block *block = fil_alloc(size);
    if (block == NULL) {
        credit(items, size);
        return NULL;
    }
    if (items->count == 0 && !fil_list_is_empty(&items->blocks)) {
        free_block(items, first_block(items)); // it was kept for items that fit into it
        before = &items->blocks;
    }
    uint32_t start = grows_down ? capacity : 0;
    *block = (struct fil_item_block){.capacity = capacity, .start = start, .end = start};
    fil_list_init(&block->link);
    fil_list_push_back(before, &block->link);
    return block;
}

void fil_items_clear(struct fil_items *items)
{
    while (!fil_list_is_empty(&items->blocks)) {
        free_block(items, first_block(items));
    }
    items->count = 0;
    fil_assert(items->bytes == 0);
}

static uint32_t round_up(uint32_t bytes)
{
    return (bytes + BLOCK_STEP - 1) / BLOCK_STEP * BLOCK_STEP;
}

/** How large a block becomes that must hold so much: more, so that it grows rarely; a little more
 * while it is small, for there are many small ones. */
static uint32_t grown_size(uint32_t needed)
{
    uint32_t size = round_up(needed + (needed <= TIGHT_BYTES_MAX ? needed / 8 : needed / 2));
    bool is_page_enough = needed <= FIL_BLOCK__BYTES_MAX && size > FIL_BLOCK__BYTES_MAX;
    return is_page_enough ? FIL_BLOCK__BYTES_MAX : size;
}

/** The block with a larger capacity, its items where they were; NULL: no memory, it is as it was.
 */
static struct fil_item_block *grow_block(struct fil_items *items, struct fil_item_block *block,
                                         uint32_t capacity)
{
    uint32_t more = capacity - block->capacity;
    fil_assert(capacity > block->capacity);
    if (!charge(items, more)) {
        return NULL;
    }
    struct fil_list *next = block->link.next;
    fil_assert(next != NULL && next != &block->link);
    fil_list_remove(&block->link);
    struct fil_item_block *larger = fil_realloc(block, FIL_BLOCK__HEAD + capacity);
    if (larger == NULL) {
        credit(items, more);
        fil_list_push_back(next, &block->link);
        return NULL;
    }
    larger->capacity = capacity;
    fil_list_init(&larger->link);
    fil_list_push_back(next, &larger->link);
    return larger;
}

/** What a new block gets: small for the first one of a sequence, full size for others. */
static uint32_t new_size(const struct fil_items *items, uint32_t cost)
{
    if (cost > FIL_BLOCK__BYTES_MAX / 2) {
        return round_up(cost);
    }
    return fil_list_is_empty(&items->blocks) ? grown_size(cost) : FIL_BLOCK__BYTES_MAX;
}

/** Whether the block takes so much more, by growing if need be. */
static bool can_hold(const struct fil_item_block *block, uint32_t cost)
{
    return fil_block__used(block) + cost <= FIL_BLOCK__BYTES_MAX;
}

/** Sees to it that the block has so much free room in all. */
static struct fil_item_block *make_room(struct fil_items *items, struct fil_item_block *block,
                                        uint32_t cost)
{
    uint32_t needed = fil_block__used(block) + cost;
    return needed <= block->capacity ? block : grow_block(items, block, grown_size(needed));
}

/** A large item has its block to itself, so that it does not stay when the item goes. */
static bool has_room_for_more(const struct fil_item_block *block)
{
    return block->capacity <= FIL_BLOCK__BYTES_MAX;
}

/** A block with the room at its end; sliding is paid for by what was taken from the other end. */
static struct fil_item_block *need_back(struct fil_items *items, uint32_t cost)
{
    struct fil_item_block *block = last_block(items);
    if (block != NULL && has_room_for_more(block) && block->capacity - block->end >= cost) {
        return block;
    }
    bool is_sparse = block != NULL && fil_block__used(block) <= FIL_BLOCK__BYTES_MAX / 2;
    if (block == NULL || !can_hold(block, cost) || (block->start > 0 && !is_sparse)) {
        return add_block(items, &items->blocks, new_size(items, cost), false);
    }
    block = make_room(items, block, cost);
    if (block != NULL && block->capacity - block->end < cost) {
        fil_block__slide(block, 0);
    }
    return block;
}

static struct fil_item_block *need_front(struct fil_items *items, uint32_t cost)
{
    struct fil_item_block *block = first_block(items);
    if (block != NULL && has_room_for_more(block) && block->start >= cost) {
        return block;
    }
    bool is_sparse = block != NULL && fil_block__used(block) <= FIL_BLOCK__BYTES_MAX / 2;
    bool is_at_end = block != NULL && block->end == block->capacity;
    if (block == NULL || !can_hold(block, cost) || (!is_at_end && !is_sparse)) {
        return add_block(items, items->blocks.next, new_size(items, cost), true);
    }
    block = make_room(items, block, cost);
    if (block != NULL && block->start < cost) {
        fil_block__slide(block, block->capacity - fil_block__used(block));
    }
    return block;
}

int fil_items_push_back(struct fil_items *items, struct fil_bytes item)
{
    if (item.size > FIL_ITEM_BYTES_MAX) {
        return FIL_E_LIMIT;
    }
    uint32_t cost = fil_block__cost(item.size);
    struct fil_item_block *block = need_back(items, cost);
    if (block == NULL) {
        return FIL_E_NOMEM;
    }
    fil_block__write(block, block->end, item);
    block->end += cost;
    block->count++;
    items->count++;
    return FIL_OK;
}

int fil_items_push_front(struct fil_items *items, struct fil_bytes item)
{
    if (item.size > FIL_ITEM_BYTES_MAX) {
        return FIL_E_LIMIT;
    }
    uint32_t cost = fil_block__cost(item.size);
    struct fil_item_block *block = need_front(items, cost);
    if (block == NULL) {
        return FIL_E_NOMEM;
    }
    fil_assert(block->start >= cost);
    fil_block__write(block, block->start - cost, item);
    block->start -= cost;
    block->count++;
    items->count++;
    return FIL_OK;
}

bool fil_items_front(const struct fil_items *items, struct fil_bytes *out_item)
{
    struct fil_item_cursor cursor = fil_items_first(items);
    return fil_items_read(&cursor, out_item);
}

bool fil_items_back(const struct fil_items *items, struct fil_bytes *out_item)
{
    struct fil_item_cursor cursor = fil_items_last(items);
    return fil_items_read(&cursor, out_item);
}

/** One item less. The only block stays, so that a queue in steady use allocates nothing. */
static void count_down(struct fil_items *items, struct fil_item_block *block)
{
    fil_assert(block->count > 0 && items->count > 0);
    block->count--;
    items->count--;
    if (block->count > 0) {
        return;
    }
    fil_assert(block->start == block->end);
    if (items->count > 0 || block->capacity > FIL_BLOCK__BYTES_MAX) {
        free_block(items, block);
    } else {
        block->start = 0;
        block->end = 0;
    }
}

void fil_items_drop_front(struct fil_items *items)
{
    struct fil_item_block *block = first_block(items);
    struct fil_bytes item;
    fil_assert(items->count > 0);
    block->start += fil_block__read(block, block->start, &item);
    count_down(items, block);
}

void fil_items_drop_back(struct fil_items *items)
{
    struct fil_item_block *block = last_block(items);
    fil_assert(items->count > 0);
    block->end -= fil_block__cost_before(block, block->end);
    count_down(items, block);
}

/** The block in two, the second one beginning with the offset; the cursor follows its item. */
static bool split(struct fil_items *items, struct fil_item_cursor *cursor)
{
    struct fil_item_block *block = cursor->block;
    uint32_t size = block->end - cursor->offset;
    struct fil_item_block *second = add_block(
        items, block->link.next, size > FIL_BLOCK__BYTES_MAX ? size : FIL_BLOCK__BYTES_MAX, false);
    if (second == NULL) {
        return false;
    }
    memcpy(second->bytes, block->bytes + cursor->offset, size);
    second->end = size;
    struct fil_bytes item;
    for (uint32_t offset = 0; offset < size; offset += fil_block__read(second, offset, &item)) {
        second->count++;
    }
    block->end = cursor->offset;
    block->count -= second->count;
    fil_assert(block->count > 0);
    *cursor = (struct fil_item_cursor){.block = second, .index = cursor->index};
    return true;
}

/** A block of its own before the cursor's, which stands on its block's first item. */
static int insert_block(struct fil_items *items, struct fil_item_cursor *cursor,
                        struct fil_bytes item, uint32_t cost)
{
    struct fil_item_block *block =
        add_block(items, &cursor->block->link, new_size(items, cost), false);
    if (block == NULL) {
        return FIL_E_NOMEM;
    }
    fil_block__write(block, 0, item);
    block->end = cost;
    block->count = 1;
    items->count++;
    cursor->block = block;
    cursor->offset = 0;
    return FIL_OK;
}

int fil_items_insert(struct fil_items *items, struct fil_item_cursor *cursor, struct fil_bytes item)
{
    if (cursor->block == NULL) {
        int error = fil_items_push_back(items, item);
        *cursor = fil_items_last(items);
        return error;
    }
    if (item.size > FIL_ITEM_BYTES_MAX) {
        return FIL_E_LIMIT;
    }
    uint32_t cost = fil_block__cost(item.size);
    if (!can_hold(cursor->block, cost)) {
        if (cursor->offset != cursor->block->start && !split(items, cursor)) {
            return FIL_E_NOMEM;
        }
        if (!can_hold(cursor->block, cost)) {
            return insert_block(items, cursor, item, cost);
        }
    }
    struct fil_item_block *block = make_room(items, cursor->block, cost);
    if (block == NULL) {
        return FIL_E_NOMEM;
    }
    cursor->block = block;
    cursor->offset = fil_block__open(block, cursor->offset, cost);
    fil_block__write(block, cursor->offset, item);
    block->count++;
    items->count++;
    return FIL_OK;
}

/** Puts two neighbours together when they fill half a block; the cursor follows its item. */
static void merge(struct fil_items *items, struct fil_item_block *block,
                  struct fil_item_cursor *cursor)
{
    struct fil_item_block *next = fil_block__of(block->link.next);
    if (&next->link == &items->blocks ||
        fil_block__used(block) + fil_block__used(next) > FIL_BLOCK__BYTES_MAX / 2 ||
        fil_block__used(block) + fil_block__used(next) > block->capacity) {
        return;
    }
    if (cursor->block == block) {
        cursor->offset -= block->start;
    }
    fil_block__slide(block, 0);
    memcpy(block->bytes + block->end, next->bytes + next->start, fil_block__used(next));
    if (cursor->block == next) {
        cursor->block = block;
        cursor->offset = cursor->offset - next->start + block->end;
    }
    block->end += fil_block__used(next);
    block->count += next->count;
    free_block(items, next);
}

void fil_items_remove(struct fil_items *items, struct fil_item_cursor *cursor)
{
    struct fil_item_block *block = cursor->block;
    struct fil_bytes item;
    fil_assert(block != NULL);
    uint32_t cost = fil_block__read(block, cursor->offset, &item);
    cursor->offset = fil_block__close(block, cursor->offset, cost);
    if (cursor->offset == block->end) {
        struct fil_list *next = block->link.next;
        cursor->block = next == &items->blocks ? NULL : fil_block__of(next);
        cursor->offset = cursor->block == NULL ? 0 : cursor->block->start;
    }
    bool stays = block->count > 1;
    count_down(items, block);
    if (stays) {
        merge(items, block, cursor);
    }
}

int fil_items_replace(struct fil_items *items, struct fil_item_cursor *cursor,
                      struct fil_bytes item)
{
    uint64_t index = cursor->index;
    int error = fil_items_insert(items, cursor, item);
    if (error != FIL_OK) {
        return error;
    }
    fil_items_next(items, cursor);
    fil_items_remove(items, cursor);
    *cursor = fil_items_at(items, index);
    return FIL_OK;
}
