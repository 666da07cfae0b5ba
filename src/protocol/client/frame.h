// SPDX-License-Identifier: Apache-2.0
/**
 * Frames of the open client protocol, and a bounded cursor over them.
 *
 * A frame is a length (its own six bytes included), flags and content, all little-endian. A message
 * is an initial frame with header and fixed fields, and then the frames of the other fields; the
 * last one says so. A structure (list, map, custom type) stands between a BEGIN and an END frame.
 *
 * Memory: borrows; what the cursor gives out points into the bytes it walks.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/base/endian.h"

#define FIL_WIRE_FRAME_HEADER  6U
#define FIL_WIRE_FRAME_MAX     ((size_t)INT32_MAX)
#define FIL_WIRE_REQUEST_SIZE  16U // before the fixed fields of a request or an event
#define FIL_WIRE_RESPONSE_SIZE 13U // before those of a response
#define FIL_WIRE_UUID_SIZE     17U
#define FIL_WIRE_DATA_SIZE_MIN 8U // partition hash and type of a serialized value

/** The first bytes of a connection, before any frame. */
#define FIL_WIRE_MAGIC "CP2"

/** Flags of a frame; the first two, the event and the backup ones belong to an initial frame. */
enum fil_wire_flag {
    FIL_WIRE_BEGIN_FRAGMENT = 0x8000,
    FIL_WIRE_END_FRAGMENT = 0x4000,
    FIL_WIRE_UNFRAGMENTED = 0xC000,
    FIL_WIRE_FINAL = 0x2000,
    FIL_WIRE_BEGIN = 0x1000,
    FIL_WIRE_END = 0x0800,
    FIL_WIRE_NULL = 0x0400,
    FIL_WIRE_EVENT = 0x0200,
    FIL_WIRE_BACKUP_AWARE = 0x0100,
    FIL_WIRE_BACKUP_EVENT = 0x0080,
};

/** What makes a frame something else than a value. */
#define FIL_WIRE_SPECIAL (FIL_WIRE_BEGIN | FIL_WIRE_END | FIL_WIRE_NULL)

struct fil_wire_frame {
    uint32_t flags;
    struct fil_bytes content;
};

struct fil_wire_cursor {
    const uint8_t *position;
    const uint8_t *end;
};

static inline void fil_wire_cursor_init(struct fil_wire_cursor *cursor, struct fil_bytes frames)
{
    cursor->position = frames.data;
    cursor->end = frames.size == 0 ? frames.data : frames.data + frames.size;
}

static inline size_t fil_wire_cursor_remaining(const struct fil_wire_cursor *cursor)
{
    return (size_t)(cursor->end - cursor->position);
}

/** The next frame, without moving. False: no whole frame is left. */
FIL_NODISCARD static inline bool fil_wire_cursor_peek(const struct fil_wire_cursor *cursor,
                                                      struct fil_wire_frame *out_frame)
{
    size_t remaining = fil_wire_cursor_remaining(cursor);
    if (FIL_UNLIKELY(remaining < FIL_WIRE_FRAME_HEADER)) {
        return false;
    }
    size_t length = fil_load_u32_le(cursor->position);
    if (FIL_UNLIKELY(length < FIL_WIRE_FRAME_HEADER || length > remaining)) {
        return false;
    }
    out_frame->flags = fil_load_u16_le(cursor->position + 4);
    out_frame->content =
        fil_bytes_make(cursor->position + FIL_WIRE_FRAME_HEADER, length - FIL_WIRE_FRAME_HEADER);
    return true;
}

FIL_NODISCARD static inline bool fil_wire_cursor_next(struct fil_wire_cursor *cursor,
                                                      struct fil_wire_frame *out_frame)
{
    if (FIL_UNLIKELY(!fil_wire_cursor_peek(cursor, out_frame))) {
        return false;
    }
    cursor->position = out_frame->content.data + out_frame->content.size;
    return true;
}

/** Steps over a frame that has the flag. False, without moving: the next one has not. */
FIL_NODISCARD static inline bool fil_wire_cursor_skip(struct fil_wire_cursor *cursor,
                                                      enum fil_wire_flag flag)
{
    struct fil_wire_frame frame;
    if (!fil_wire_cursor_peek(cursor, &frame) || (frame.flags & (uint32_t)flag) == 0) {
        return false;
    }
    cursor->position = frame.content.data + frame.content.size;
    return true;
}

/** The content of a frame that is a value. False, without moving: it is none, or there is none. */
FIL_NODISCARD static inline bool fil_wire_cursor_bytes(struct fil_wire_cursor *cursor,
                                                       struct fil_bytes *out_bytes)
{
    struct fil_wire_frame frame;
    if (FIL_UNLIKELY(!fil_wire_cursor_peek(cursor, &frame) ||
                     (frame.flags & FIL_WIRE_SPECIAL) != 0)) {
        return false;
    }
    cursor->position = frame.content.data + frame.content.size;
    *out_bytes = frame.content;
    return true;
}

/** As bytes; a null gives bytes without data. */
FIL_NODISCARD static inline bool fil_wire_cursor_bytes_or_null(struct fil_wire_cursor *cursor,
                                                               struct fil_bytes *out_bytes)
{
    if (fil_wire_cursor_bytes(cursor, out_bytes)) {
        return true;
    }
    if (!fil_wire_cursor_skip(cursor, FIL_WIRE_NULL)) {
        return false;
    }
    *out_bytes = fil_bytes_make(NULL, 0);
    return true;
}

/** Whether the bytes are a serialized value, and not that of null. */
static inline bool fil_wire_is_data(struct fil_bytes bytes)
{
    return bytes.size >= FIL_WIRE_DATA_SIZE_MIN && fil_load_u32_be(bytes.data + 4) != 0;
}

/** The content of a frame that is a serialized value other than null. */
FIL_NODISCARD static inline bool fil_wire_cursor_data(struct fil_wire_cursor *cursor,
                                                      struct fil_bytes *out_data)
{
    return fil_wire_cursor_bytes(cursor, out_data) && fil_wire_is_data(*out_data);
}

FIL_NODISCARD static inline bool fil_wire_cursor_data_or_null(struct fil_wire_cursor *cursor,
                                                              struct fil_bytes *out_data)
{
    return fil_wire_cursor_bytes_or_null(cursor, out_data) &&
           (out_data->data == NULL || out_data->size >= FIL_WIRE_DATA_SIZE_MIN);
}

/** The content of a message's initial frame, at least that long; NULL when it is shorter. */
FIL_NODISCARD static inline const uint8_t *
fil_wire_cursor_open(struct fil_wire_cursor *cursor, struct fil_bytes message, size_t size_min)
{
    struct fil_wire_frame frame;
    fil_wire_cursor_init(cursor, message);
    if (FIL_UNLIKELY(!fil_wire_cursor_next(cursor, &frame) || frame.content.size < size_min)) {
        return NULL;
    }
    return frame.content.data;
}

/** Steps to behind the END of the structure the cursor is in, over whatever it holds. */
bool fil_wire_cursor_leave(struct fil_wire_cursor *cursor) FIL_NODISCARD;
