// SPDX-License-Identifier: Apache-2.0
#include "protocol/client/writer.h"

#include "lib/base/assert.h"

void fil_wire_writer_init(struct fil_wire_writer *writer, struct fil_chunk_queue *queue,
                          struct fil_pool *pool, size_t message_bytes_max)
{
    *writer = (struct fil_wire_writer){
        .queue = queue,
        .pool = pool,
        .message_bytes_max =
            message_bytes_max < FIL_WIRE_FRAME_MAX ? message_bytes_max : FIL_WIRE_FRAME_MAX,
    };
}

uint8_t *fil_wire_writer_refuse(struct fil_wire_writer *writer, int error)
{
    if (writer->error == FIL_OK) {
        writer->error = error;
    }
    return NULL;
}

/** The initial frame; what follows type and correlation is the caller's. */
static uint8_t *open_message(struct fil_wire_writer *writer, const struct fil_wire_header *header,
                             uint32_t flags, size_t size)
{
    struct fil_chunk *last = writer->queue->last;
    writer->size = 0;
    writer->error = FIL_OK;
    writer->last_flags = NULL;
    writer->mark_chunk = last;
    writer->mark_end = last == NULL ? 0 : last->end;
    writer->mark_size = writer->queue->size_bytes;
    uint8_t *content = fil_wire_writer_frame(writer, FIL_WIRE_UNFRAGMENTED | flags, size);
    if (content != NULL) {
        fil_store_u32_le(content, header->type);
        fil_store_u64_le(content + 4, (uint64_t)header->correlation);
    }
    return content;
}

uint8_t *fil_wire_writer_open_request(struct fil_wire_writer *writer,
                                      const struct fil_wire_header *header, size_t fixed_size)
{
    uint32_t flags = header->flags & FIL_WIRE_BACKUP_AWARE;
    uint8_t *content = open_message(writer, header, flags, FIL_WIRE_REQUEST_SIZE + fixed_size);
    if (content == NULL) {
        return NULL;
    }
    fil_store_u32_le(content + 12, (uint32_t)header->partition);
    return content + FIL_WIRE_REQUEST_SIZE;
}

uint8_t *fil_wire_writer_open_response(struct fil_wire_writer *writer,
                                       const struct fil_wire_header *header, size_t fixed_size)
{
    uint8_t *content = open_message(writer, header, 0, FIL_WIRE_RESPONSE_SIZE + fixed_size);
    if (content == NULL) {
        return NULL;
    }
    content[12] = header->backup_acks;
    return content + FIL_WIRE_RESPONSE_SIZE;
}

uint8_t *fil_wire_writer_open_event(struct fil_wire_writer *writer,
                                    const struct fil_wire_header *header, size_t fixed_size)
{
    uint32_t flags = FIL_WIRE_EVENT | (header->flags & FIL_WIRE_BACKUP_EVENT);
    uint8_t *content = open_message(writer, header, flags, FIL_WIRE_REQUEST_SIZE + fixed_size);
    if (content == NULL) {
        return NULL;
    }
    fil_store_u32_le(content + 12, (uint32_t)header->partition);
    return content + FIL_WIRE_REQUEST_SIZE;
}

/** Whether the last frame is an END without content, as every received structure has it. */
static bool ends_well(struct fil_bytes frames)
{
    if (frames.size < (size_t)2 * FIL_WIRE_FRAME_HEADER) {
        return false;
    }
    const uint8_t *last = frames.data + frames.size - FIL_WIRE_FRAME_HEADER;
    return fil_load_u32_le(last) == FIL_WIRE_FRAME_HEADER &&
           (fil_load_u16_le(last + 4) & FIL_WIRE_END) != 0;
}

void fil_wire_writer_frames(struct fil_wire_writer *writer, struct fil_bytes frames)
{
    if (!ends_well(frames)) {
        (void)fil_wire_writer_refuse(writer, FIL_E_INVALID);
        return;
    }
    if (writer->error != FIL_OK || frames.size > writer->message_bytes_max - writer->size) {
        (void)fil_wire_writer_refuse(writer, FIL_E_LIMIT);
        return;
    }
    uint8_t *room = fil_chunk_queue_reserve(writer->queue, writer->pool, frames.size);
    if (room == NULL) {
        (void)fil_wire_writer_refuse(writer, FIL_E_NOMEM);
        return;
    }
    memcpy(room, frames.data, frames.size);
    fil_chunk_queue_commit(writer->queue, frames.size);
    // Its END frame may have been the final one where it comes from.
    writer->last_flags = room + frames.size - 2;
    fil_store_u16_le(writer->last_flags, FIL_WIRE_END);
    writer->size += frames.size;
}

/** Cuts the queue back to where the message began. */
static void take_back(struct fil_wire_writer *writer)
{
    struct fil_chunk_queue *queue = writer->queue;
    struct fil_chunk_queue surplus = *queue;
    struct fil_chunk *mark = writer->mark_chunk;
    fil_assert(queue->size_bytes == writer->mark_size + writer->size);
    if (mark == NULL) {
        queue->first = NULL;
    } else {
        surplus.first = (struct fil_chunk *)(void *)mark->link.next;
        mark->link.next = NULL;
        mark->end = writer->mark_end;
    }
    queue->last = mark;
    queue->size_bytes = writer->mark_size;
    fil_chunk_queue_clear(&surplus);
}

int fil_wire_writer_finish(struct fil_wire_writer *writer)
{
    if (writer->error != FIL_OK) {
        take_back(writer);
        return writer->error;
    }
    fil_assert(writer->last_flags != NULL);
    fil_store_u16_le(writer->last_flags,
                     (uint16_t)(fil_load_u16_le(writer->last_flags) | FIL_WIRE_FINAL));
    return FIL_OK;
}
