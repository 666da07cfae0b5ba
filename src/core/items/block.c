// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "core/items/block_internal.h"
#include "lib/base/assert.h"

static uint32_t digits_of(size_t size)
{
    uint32_t digits = 1;
    for (; size >= 0x80; size >>= 7) {
        digits++;
    }
    return digits;
}

uint32_t fil_block__cost(size_t item_size)
{
    return (uint32_t)item_size + 2 * digits_of(item_size);
}

static uint32_t read_size(const uint8_t *bytes, uint32_t *out_digits)
{
    uint32_t size = 0;
    uint32_t digits = 0;
    uint8_t byte = 0;
    do {
        byte = bytes[digits];
        size |= (uint32_t)(byte & 0x7FU) << (7 * digits);
        digits++;
    } while (byte & 0x80U);
    *out_digits = digits;
    return size;
}

uint32_t fil_block__read(const struct fil_item_block *block, uint32_t offset,
                         struct fil_bytes *out_item)
{
    uint32_t digits = 0;
    fil_debug_assert(offset >= block->start && offset < block->end);
    uint32_t size = read_size(block->bytes + offset, &digits);
    *out_item = fil_bytes_make(block->bytes + offset + digits, size);
    fil_debug_assert(offset + size + 2 * digits <= block->end);
    return size + 2 * digits;
}

uint32_t fil_block__cost_before(const struct fil_item_block *block, uint32_t offset)
{
    uint32_t size = 0;
    uint32_t digits = 0;
    uint8_t byte = 0;
    fil_debug_assert(offset > block->start && offset <= block->end);
    do {
        digits++;
        byte = block->bytes[offset - digits];
        size |= (uint32_t)(byte & 0x7FU) << (7 * (digits - 1));
    } while (byte & 0x80U);
    return size + 2 * digits;
}

void fil_block__write(struct fil_item_block *block, uint32_t offset, struct fil_bytes item)
{
    uint32_t digits = digits_of(item.size);
    uint8_t *front = block->bytes + offset;
    uint8_t *back = front + item.size + 2 * digits - 1;
    fil_assert(offset + item.size + 2 * digits <= block->capacity);
    size_t rest = item.size;
    for (uint32_t i = 0; i < digits; i++, rest >>= 7) {
        uint8_t digit = (uint8_t)((rest & 0x7FU) | (i + 1 < digits ? 0x80U : 0));
        front[i] = digit;
        back[-(ptrdiff_t)i] = digit;
    }
    if (item.size > 0) {
        memcpy(front + digits, item.data, item.size);
    }
}

void fil_block__slide(struct fil_item_block *block, uint32_t start)
{
    uint32_t used = fil_block__used(block);
    fil_assert(start + used <= block->capacity);
    memmove(block->bytes + start, block->bytes + block->start, used);
    block->start = start;
    block->end = start + used;
}

uint32_t fil_block__open(struct fil_item_block *block, uint32_t offset, uint32_t size)
{
    fil_assert(fil_block__used(block) + size <= block->capacity);
    bool moves_front = block->capacity - block->end < size;
    if (moves_front && block->start < size) {
        uint32_t before = offset - block->start;
        fil_block__slide(block, 0);
        offset = before;
        moves_front = false;
    }
    if (moves_front) {
        memmove(block->bytes + block->start - size, block->bytes + block->start,
                offset - block->start);
        block->start -= size;
        return offset - size;
    }
    memmove(block->bytes + offset + size, block->bytes + offset, block->end - offset);
    block->end += size;
    return offset;
}

uint32_t fil_block__close(struct fil_item_block *block, uint32_t offset, uint32_t size)
{
    uint32_t before = offset - block->start;
    uint32_t behind = block->end - offset - size;
    fil_assert(offset >= block->start && offset + size <= block->end);
    if (before < behind) {
        memmove(block->bytes + block->start + size, block->bytes + block->start, before);
        block->start += size;
        return offset + size;
    }
    memmove(block->bytes + offset, block->bytes + offset + size, behind);
    block->end -= size;
    return offset;
}
