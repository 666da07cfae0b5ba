// SPDX-License-Identifier: Apache-2.0
/** Cursors: standing on items, going both ways, looking for an item. */
#include "core/items/block_internal.h"
#include "core/items/items.h"
#include "lib/base/assert.h"

#define END_LINES 2U // asked for at an end: as much as a short item takes

/** The block may be empty when it is the only one. */
static bool is_end(const struct fil_items *items, const struct fil_list *link)
{
    return link == &items->blocks || items->count == 0;
}

FIL_PREFETCHES void fil_items_prefetch(const struct fil_items *items)
{
    FIL_PREFETCH(items->blocks.next);
    FIL_PREFETCH(items->blocks.previous);
}

/** Some bytes before a place and the one behind it. */
static inline void ask_around(const struct fil_item_block *block, uint32_t offset)
{
    const uint8_t *at = block->bytes + offset;
    FIL_PREFETCH(at);
    for (uint32_t back = 1; back <= END_LINES && back * FIL_CACHE_LINE <= offset; back++) {
        FIL_PREFETCH(at - (size_t)back * FIL_CACHE_LINE);
    }
}

FIL_PREFETCHES void fil_items_prefetch_ends(const struct fil_items *items)
{
    if (items->count > 0) {
        const struct fil_item_block *first = fil_block__of(items->blocks.next);
        const struct fil_item_block *last = fil_block__of(items->blocks.previous);
        ask_around(first, first->start);
        ask_around(last, last->end);
    }
}

struct fil_item_cursor fil_items_first(const struct fil_items *items)
{
    struct fil_list *link = items->blocks.next;
    if (is_end(items, link)) {
        return (struct fil_item_cursor){.block = NULL};
    }
    struct fil_item_block *block = fil_block__of(link);
    return (struct fil_item_cursor){.block = block, .offset = block->start};
}

struct fil_item_cursor fil_items_last(const struct fil_items *items)
{
    struct fil_list *link = items->blocks.previous;
    if (is_end(items, link)) {
        return (struct fil_item_cursor){.block = NULL};
    }
    struct fil_item_block *block = fil_block__of(link);
    return (struct fil_item_cursor){
        .block = block,
        .offset = block->end - fil_block__cost_before(block, block->end),
        .index = items->count - 1,
    };
}

bool fil_items_read(const struct fil_item_cursor *cursor, struct fil_bytes *out_item)
{
    if (cursor->block == NULL) {
        return false;
    }
    (void)fil_block__read(cursor->block, cursor->offset, out_item);
    return true;
}

/** Behind the block's last item comes the next block's first. */
static void settle_forward(const struct fil_items *items, struct fil_item_cursor *cursor)
{
    if (cursor->offset < cursor->block->end) {
        return;
    }
    struct fil_list *link = cursor->block->link.next;
    cursor->block = link == &items->blocks ? NULL : fil_block__of(link);
    cursor->offset = cursor->block == NULL ? 0 : cursor->block->start;
}

void fil_items_next(const struct fil_items *items, struct fil_item_cursor *cursor)
{
    struct fil_bytes item;
    fil_assert(cursor->block != NULL);
    cursor->offset += fil_block__read(cursor->block, cursor->offset, &item);
    cursor->index++;
    settle_forward(items, cursor);
}

void fil_items_previous(const struct fil_items *items, struct fil_item_cursor *cursor)
{
    fil_assert(cursor->block != NULL);
    if (cursor->offset == cursor->block->start) {
        struct fil_list *link = cursor->block->link.previous;
        if (link == &items->blocks) {
            *cursor = (struct fil_item_cursor){.block = NULL};
            return;
        }
        cursor->block = fil_block__of(link);
        cursor->offset = cursor->block->end;
    }
    cursor->offset -= fil_block__cost_before(cursor->block, cursor->offset);
    cursor->index--;
}

static struct fil_item_cursor seek_forward(const struct fil_items *items, uint64_t index)
{
    struct fil_item_cursor cursor = fil_items_first(items);
    fil_assert(cursor.block != NULL);
    while (index - cursor.index >= cursor.block->count) {
        cursor.index += cursor.block->count;
        cursor.block = fil_block__of(cursor.block->link.next);
        cursor.offset = cursor.block->start;
    }
    while (cursor.index < index) {
        fil_items_next(items, &cursor);
    }
    return cursor;
}

static struct fil_item_cursor seek_backward(const struct fil_items *items, uint64_t index)
{
    struct fil_item_cursor cursor = fil_items_last(items);
    fil_assert(cursor.block != NULL);
    while (cursor.index - index >= cursor.block->count) {
        cursor.index -= cursor.block->count;
        cursor.block = fil_block__of(cursor.block->link.previous);
        cursor.offset = cursor.block->end - fil_block__cost_before(cursor.block, cursor.block->end);
    }
    while (cursor.index > index) {
        fil_items_previous(items, &cursor);
    }
    return cursor;
}

struct fil_item_cursor fil_items_at(const struct fil_items *items, uint64_t index)
{
    if (index >= items->count) {
        return (struct fil_item_cursor){.block = NULL, .index = items->count};
    }
    return index < items->count / 2 ? seek_forward(items, index) : seek_backward(items, index);
}

static bool holds(const struct fil_item_cursor *cursor, struct fil_bytes wanted)
{
    struct fil_bytes item;
    return fil_items_read(cursor, &item) && fil_bytes_equal(item, wanted);
}

struct fil_item_cursor fil_items_find(const struct fil_items *items, struct fil_bytes item)
{
    struct fil_item_cursor cursor = fil_items_first(items);
    while (cursor.block != NULL && !holds(&cursor, item)) {
        fil_items_next(items, &cursor);
    }
    return cursor;
}

struct fil_item_cursor fil_items_find_last(const struct fil_items *items, struct fil_bytes item)
{
    struct fil_item_cursor cursor = fil_items_last(items);
    while (cursor.block != NULL && !holds(&cursor, item)) {
        fil_items_previous(items, &cursor);
    }
    return cursor;
}

/** From the back: to the first item of the block where the item belongs, or to the very first. */
static struct fil_item_cursor find_block(const struct fil_items *items, struct fil_bytes item,
                                         fil_items_compare_fn compare, void *context)
{
    struct fil_item_cursor cursor = {.index = items->count};
    struct fil_bytes first;
    for (struct fil_list *link = items->blocks.previous; link != &items->blocks;
         link = link->previous) {
        cursor.block = fil_block__of(link);
        cursor.offset = cursor.block->start;
        cursor.index -= cursor.block->count;
        if (fil_items_read(&cursor, &first) && compare(context, first, item) <= 0) {
            break;
        }
    }
    return cursor;
}

struct fil_item_cursor fil_items_find_place(const struct fil_items *items, struct fil_bytes item,
                                            fil_items_compare_fn compare, void *context)
{
    struct fil_bytes other;
    if (items->count == 0) {
        return (struct fil_item_cursor){.block = NULL};
    }
    struct fil_item_cursor cursor = find_block(items, item, compare, context);
    while (fil_items_read(&cursor, &other) && compare(context, other, item) <= 0) {
        fil_items_next(items, &cursor);
    }
    return cursor;
}

static void check_block(const struct fil_item_block *block)
{
    struct fil_bytes item;
    uint32_t count = 0;
    fil_assert(block->start <= block->end);
    fil_assert(block->end <= block->capacity);
    for (uint32_t offset = block->start; offset < block->end; count++) {
        uint32_t cost = fil_block__read(block, offset, &item);
        offset += cost;
        fil_assert(fil_block__cost_before(block, offset) == cost);
    }
    fil_assert(count == block->count);
}

void fil_items_check(const struct fil_items *items)
{
    uint64_t count = 0;
    uint64_t bytes = 0;
    fil_list_foreach(link, &items->blocks) {
        const struct fil_item_block *block = fil_block__of(link);
        check_block(block);
        fil_assert(block->count > 0 || items->count == 0);
        count += block->count;
        bytes += FIL_BLOCK__HEAD + block->capacity;
    }
    fil_assert(count == items->count);
    fil_assert(bytes == items->bytes);
}

void fil_items_move(struct fil_items *target, struct fil_items *source)
{
    fil_assert(target != source);
    fil_assert(target->count == 0);
    fil_items_clear(target); // may have kept a block
    fil_list_append(&target->blocks, &source->blocks);
    fil_account_detach(source->account, source->bytes);
    fil_account_attach(target->account, source->bytes);
    target->count = source->count;
    target->bytes = source->bytes;
    source->count = 0;
    source->bytes = 0;
    fil_assert(fil_list_is_empty(&source->blocks));
}
