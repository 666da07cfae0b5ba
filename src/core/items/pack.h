// SPDX-License-Identifier: Apache-2.0
/**
 * Short byte strings one behind the other in as few bytes as possible: what small hashes, sets and
 * sorted sets are kept in.
 *
 *     0x00 .. 0x40  that many bytes follow
 *     0x81 .. 0x88  a number in 1 to 8 bytes, the lowest first, with its sign
 *     0xC0 .. 0xFF  the number 0 to 63 itself
 *
 * A text that is the one spelling of a number is kept as that number, so equal strings have equal
 * bytes. Only forwards: a pack is small and is looked at from its beginning.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "lib/base/bytes.h"
#include "lib/base/digits.h"

#define FIL_PACK_TEXT_MAX 64U // bytes of a string
#define FIL_PACK_ITEM_MAX 65U // bytes of an item in the pack
#define FIL_PACK_NUMBER   0x80U
#define FIL_PACK_TINY     0xC0U // and above: a number in the same byte

/** Writes the string, of up to FIL_PACK_TEXT_MAX bytes; returns how many bytes it takes. */
uint32_t fil_pack_write(struct fil_bytes text, uint8_t room[FIL_PACK_ITEM_MAX]);

/** The same for bytes that stay as they are, a number or not. */
uint32_t fil_pack_write_raw(struct fil_bytes bytes, uint8_t room[FIL_PACK_ITEM_MAX]);

/** The same for a number. */
uint32_t fil_pack_write_number(int64_t value, uint8_t room[FIL_PACK_ITEM_MAX]);

/** Bytes that the item there takes. */
static inline uint32_t fil_pack_size(const uint8_t *item)
{
    uint32_t head = item[0];
    if (head >= FIL_PACK_NUMBER) {
        return head >= FIL_PACK_TINY ? 1 : 1 + (head & 0x0FU);
    }
    return 1 + head;
}

/** The string; digits of a number go to the room, other bytes are borrowed from the pack. */
struct fil_bytes fil_pack_read(const uint8_t *item, char digits[FIL_DIGITS_MAX]);

/** Whether the item is a number, and which. */
bool fil_pack_read_number(const uint8_t *item, int64_t *out_value);
