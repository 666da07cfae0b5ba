// SPDX-License-Identifier: Apache-2.0
#include "core/items/pack.h"

#include "lib/base/assert.h"

#define TINY_MAX 63

/** Bytes that hold the number with its sign. */
static uint32_t width_of(int64_t value)
{
    uint32_t width = 1;
    while (width < sizeof(value)) {
        int64_t top = value >> (8 * width - 1);
        if (top == 0 || top == -1) {
            break;
        }
        width++;
    }
    return width;
}

uint32_t fil_pack_write_number(int64_t value, uint8_t room[FIL_PACK_ITEM_MAX])
{
    if (value >= 0 && value <= TINY_MAX) {
        room[0] = (uint8_t)(FIL_PACK_TINY + (uint64_t)value);
        return 1;
    }
    uint32_t width = width_of(value);
    uint64_t bits = (uint64_t)value;
    room[0] = (uint8_t)(FIL_PACK_NUMBER + width);
    for (uint32_t i = 0; i < width; i++, bits >>= 8) {
        room[1 + i] = (uint8_t)bits;
    }
    return 1 + width;
}

uint32_t fil_pack_write_raw(struct fil_bytes bytes, uint8_t room[FIL_PACK_ITEM_MAX])
{
    fil_assert(bytes.size <= FIL_PACK_TEXT_MAX);
    room[0] = (uint8_t)bytes.size;
    if (bytes.size > 0) {
        memcpy(room + 1, bytes.data, bytes.size);
    }
    return 1 + (uint32_t)bytes.size;
}

uint32_t fil_pack_write(struct fil_bytes text, uint8_t room[FIL_PACK_ITEM_MAX])
{
    int64_t value = 0;
    // Most strings are no numbers, as their first byte says.
    bool may_be_number = text.size > 0 && text.data[0] <= '9';
    if (may_be_number && fil_digits_read(text, &value)) {
        return fil_pack_write_number(value, room);
    }
    return fil_pack_write_raw(text, room);
}

bool fil_pack_read_number(const uint8_t *item, int64_t *out_value)
{
    uint32_t head = item[0];
    if (head < FIL_PACK_NUMBER) {
        return false;
    }
    if (head >= FIL_PACK_TINY) {
        *out_value = (int64_t)(head - FIL_PACK_TINY);
        return true;
    }
    uint32_t width = head & 0x0FU;
    fil_assert(width >= 1 && width <= sizeof(int64_t));
    uint64_t bits = item[width] & 0x80U ? UINT64_MAX : 0;
    for (uint32_t i = width; i > 0; i--) {
        bits = (bits << 8) | item[i];
    }
    *out_value = (int64_t)bits;
    return true;
}

struct fil_bytes fil_pack_read(const uint8_t *item, char digits[FIL_DIGITS_MAX])
{
    int64_t value = 0;
    if (fil_pack_read_number(item, &value)) {
        return fil_bytes_make(digits, fil_digits_write(value, digits));
    }
    return fil_bytes_make(item + 1, item[0]);
}
