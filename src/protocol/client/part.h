// SPDX-License-Identifier: Apache-2.0
/**
 * The values of fields that are more than one number or one frame: UUIDs and parts.
 *
 * A part is a list, a map or a custom type. Decoded, it is the run of its frames, which have been
 * checked against the type and are walked with a cursor when somebody wants to know. To be encoded,
 * it is one of three: frames as they are (what was decoded can be sent on), an array of items, or
 * a function that writes the items one after the other.
 *
 * The items of a list are an array of struct fil_bytes (frames and packed lists), of the custom
 * type's struct or of struct fil_wire_part (lists); a custom type is one such item. A map's items
 * are pairs of those, key first; for bytes that is struct fil_wire_entry. Items may be null where
 * the type says so: bytes without data, or a part of no kind.
 *
 * Memory: borrows everything.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/bytes.h"
#include "protocol/client/frame.h"

struct fil_wire_writer;

struct fil_wire_uuid {
    uint64_t high;
    uint64_t low;
    bool is_null;
};

struct fil_wire_entry {
    struct fil_bytes key;
    struct fil_bytes value;
};

enum fil_wire_part_kind {
    FIL_WIRE_PART_NONE, // null, or empty where there is no null
    FIL_WIRE_PART_FRAMES,
    FIL_WIRE_PART_ITEMS,
    FIL_WIRE_PART_STREAM,
};

/** Writes the items of a list or map; BEGIN and END come from the caller. */
typedef void (*fil_wire_stream_fn)(struct fil_wire_writer *writer, void *context);

struct fil_wire_part {
    enum fil_wire_part_kind kind;
    uint32_t count; // of items; of pairs in a map
    union {
        struct fil_bytes frames; // BEGIN to END
        const void *items;
        struct {
            fil_wire_stream_fn write;
            void *context;
        } stream;
    };
    struct fil_bytes keys; // packed, of a map with fixed keys and variable values
};

static inline struct fil_wire_part fil_wire_part_items(const void *items, uint32_t count)
{
    return (struct fil_wire_part){.kind = FIL_WIRE_PART_ITEMS, .count = count, .items = items};
}

static inline struct fil_wire_part fil_wire_part_stream(fil_wire_stream_fn write, void *context)
{
    return (struct fil_wire_part){.kind = FIL_WIRE_PART_STREAM,
                                  .stream = {.write = write, .context = context}};
}

/** A cursor at the first item of a decoded part; at its end if there is none. */
static inline struct fil_wire_cursor fil_wire_part_open(const struct fil_wire_part *part)
{
    struct fil_wire_cursor cursor = {0};
    if (part->kind == FIL_WIRE_PART_FRAMES) {
        fil_wire_cursor_init(&cursor, part->frames);
        (void)!fil_wire_cursor_skip(&cursor, FIL_WIRE_BEGIN); // it has been checked
    }
    return cursor;
}

// Packed lists. The index is below the count, which the caller has from the size.

static inline int32_t fil_wire_packed_i32(struct fil_bytes packed, size_t index)
{
    return (int32_t)fil_load_u32_le(packed.data + index * sizeof(int32_t));
}

static inline int64_t fil_wire_packed_i64(struct fil_bytes packed, size_t index)
{
    return (int64_t)fil_load_u64_le(packed.data + index * sizeof(int64_t));
}

static inline struct fil_wire_uuid fil_wire_load_uuid(const uint8_t *from)
{
    return (struct fil_wire_uuid){.high = fil_load_u64_le(from + 1),
                                  .low = fil_load_u64_le(from + 9),
                                  .is_null = from[0] != 0};
}

static inline void fil_wire_store_uuid(uint8_t *to, struct fil_wire_uuid uuid)
{
    to[0] = uuid.is_null;
    fil_store_u64_le(to + 1, uuid.is_null ? 0 : uuid.high);
    fil_store_u64_le(to + 9, uuid.is_null ? 0 : uuid.low);
}

static inline struct fil_wire_uuid fil_wire_packed_uuid(struct fil_bytes packed, size_t index)
{
    return fil_wire_load_uuid(packed.data + index * FIL_WIRE_UUID_SIZE);
}
