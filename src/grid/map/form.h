// SPDX-License-Identifier: Apache-2.0
/**
 * The form of keys and values in a map: the same bytes, whichever protocol wrote them.
 *
 * Text and plain bytes are stored as they are: that is what RESP writes and reads, and what a
 * client of the binary protocol means by a string, or by an array of bytes that is no UTF-8. What
 * else such a client writes is stored as it serialized it: four bytes of hash, four of type, and
 * the payload, all big-endian. The two are told apart by their first bytes:
 *
 *     00 00 00 00 | type, not 0 | payload     serialized, as almost everything is
 *     hash, not 0 | FF FF FF xx | payload     serialized, a key that says where it lives
 *     anything else                           text if it is UTF-8, bytes if it is not
 *
 * Whoever stores text or bytes that would look serialized serializes them (protocol/client/form.h).
 * The partition of a key follows from its form, so that all protocols look in the same place.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/bytes.h"
#include "lib/base/endian.h"
#include "lib/base/murmur3.h"

#define FIL_MAP_FORM_HEAD 8U // hash and type of what is serialized

/** Whether the bytes are a serialized key or value. */
static inline bool fil_map_form_is_serialized(struct fil_bytes bytes)
{
    if (bytes.size < FIL_MAP_FORM_HEAD) {
        return false;
    }
    uint32_t hash = fil_load_u32_be(bytes.data);
    uint32_t type = fil_load_u32_be(bytes.data + 4);
    return FIL_LIKELY(hash != 0) ? type >= UINT32_C(0xFFFFFF00) : type != 0;
}

/** The hash that places a serialized key: the one it brings, or else that of its payload. */
static inline int32_t fil_map_form_hash(struct fil_bytes serialized)
{
    fil_debug_assert(serialized.size >= FIL_MAP_FORM_HEAD);
    uint32_t brought = fil_load_u32_be(serialized.data);
    if (brought != 0) {
        return (int32_t)brought;
    }
    return fil_murmur3(
        fil_bytes_make(serialized.data + FIL_MAP_FORM_HEAD, serialized.size - FIL_MAP_FORM_HEAD));
}

/** The partition of a key by its form. */
static inline uint32_t fil_map_form_partition(struct fil_bytes key, uint32_t partition_count)
{
    int32_t hash = FIL_UNLIKELY(fil_map_form_is_serialized(key)) ? fil_map_form_hash(key)
                                                                 : fil_murmur3_text(key);
    return fil_murmur3_partition(hash, partition_count);
}
