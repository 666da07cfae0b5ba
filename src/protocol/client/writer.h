// SPDX-License-Identifier: Apache-2.0
/**
 * Writes messages, frame by frame, into a queue of chunks: a connection's output, or a reply that
 * is finished on another thread.
 *
 * There is no buffer in between: a frame's size is known before its content, and the flag of the
 * final frame is set where it was written. So nothing of a message may be sent before finish. The
 * first error sticks, everything after it is left out, and finish takes the message back.
 *
 * Errors: FIL_E_LIMIT larger than the receiver takes, FIL_E_NOMEM (the queue is marked too),
 * FIL_E_INVALID a field without a value that needs one.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/mem/chunk.h"
#include "protocol/client/frame.h"

struct fil_wire_writer {
    struct fil_chunk_queue *queue;
    struct fil_pool *pool;
    size_t message_bytes_max;

    // The message that is being written.
    size_t size;
    uint8_t *last_flags; // of its last frame
    int error;

    // Where the queue ended before it.
    struct fil_chunk *mark_chunk;
    size_t mark_end;
    size_t mark_size;
};

/** The header of a message: a response has acknowledgements, the others have a partition. */
struct fil_wire_header {
    uint32_t type;
    uint32_t flags;
    int64_t correlation;
    int32_t partition;   // -1: none
    uint8_t backup_acks; // for which the client waits
};

void fil_wire_writer_init(struct fil_wire_writer *writer, struct fil_chunk_queue *queue,
                          struct fil_pool *pool, size_t message_bytes_max);

/** Begins a message. Returns the room for its fixed fields, NULL after an error. */
uint8_t *fil_wire_writer_open_request(struct fil_wire_writer *writer,
                                      const struct fil_wire_header *header, size_t fixed_size);
uint8_t *fil_wire_writer_open_response(struct fil_wire_writer *writer,
                                       const struct fil_wire_header *header, size_t fixed_size);
uint8_t *fil_wire_writer_open_event(struct fil_wire_writer *writer,
                                    const struct fil_wire_header *header, size_t fixed_size);

/** Slow path of frame: says why not. */
uint8_t *fil_wire_writer_refuse(struct fil_wire_writer *writer, int error);

/** A frame with room for its content, which the caller fills; NULL after an error. */
static inline uint8_t *fil_wire_writer_frame(struct fil_wire_writer *writer, uint32_t flags,
                                             size_t content_size)
{
    size_t room_size = FIL_WIRE_FRAME_HEADER + content_size;
    if (FIL_UNLIKELY(writer->error != FIL_OK ||
                     content_size > writer->message_bytes_max - writer->size ||
                     room_size > writer->message_bytes_max - writer->size)) {
        return fil_wire_writer_refuse(writer, FIL_E_LIMIT);
    }
    uint8_t *room = fil_chunk_queue_reserve(writer->queue, writer->pool, room_size);
    if (FIL_UNLIKELY(room == NULL)) {
        return fil_wire_writer_refuse(writer, FIL_E_NOMEM);
    }
    fil_store_u32_le(room, (uint32_t)room_size);
    fil_store_u16_le(room + 4, (uint16_t)flags);
    fil_chunk_queue_commit(writer->queue, room_size);
    writer->last_flags = room + 4;
    writer->size += room_size;
    return room + FIL_WIRE_FRAME_HEADER;
}

static inline void fil_wire_writer_bytes(struct fil_wire_writer *writer, struct fil_bytes bytes)
{
    uint8_t *content = fil_wire_writer_frame(writer, 0, bytes.size);
    if (FIL_LIKELY(content != NULL && bytes.size > 0)) {
        memcpy(content, bytes.data, bytes.size);
    }
}

static inline void fil_wire_writer_null(struct fil_wire_writer *writer)
{
    (void)fil_wire_writer_frame(writer, FIL_WIRE_NULL, 0);
}

/** Bytes without data are null. */
static inline void fil_wire_writer_bytes_or_null(struct fil_wire_writer *writer,
                                                 struct fil_bytes bytes)
{
    if (bytes.data == NULL) {
        fil_wire_writer_null(writer);
    } else {
        fil_wire_writer_bytes(writer, bytes);
    }
}

static inline void fil_wire_writer_begin(struct fil_wire_writer *writer)
{
    (void)fil_wire_writer_frame(writer, FIL_WIRE_BEGIN, 0);
}

static inline void fil_wire_writer_end(struct fil_wire_writer *writer)
{
    (void)fil_wire_writer_frame(writer, FIL_WIRE_END, 0);
}

/** A structure that was received, from its BEGIN to its END, as it is. */
void fil_wire_writer_frames(struct fil_wire_writer *writer, struct fil_bytes frames);

/** Ends the message. After an error the queue is as it was before it, but for its mark. */
int fil_wire_writer_finish(struct fil_wire_writer *writer) FIL_NODISCARD;
