// SPDX-License-Identifier: Apache-2.0
/** The open client protocol: gets and sets of one map, keys and values being texts. */
#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/assert.h"
#include "lib/base/endian.h"
#include "lib/base/murmur3.h"
#include "protocol.h"
#include "protocol/client/error_code.h"
#include "protocol/client/frame.h"
#include "protocol/client/generated/client.h"
#include "protocol/client/generated/map.h"
#include "protocol/client/serialization.h"

#define MAP_NAME        "bench"
#define PARTITION_COUNT 271U
#define STAMP_OFFSET    (FIL_WIRE_FRAME_HEADER + 4U)
#define PARTITION_AT    (FIL_WIRE_FRAME_HEADER + 12U)
#define DATA_HEAD       12U // hash, type and length of a text
#define FIRST_BYTES     (FIL_WIRE_FRAME_HEADER + FIL_WIRE_RESPONSE_SIZE)

static bool has(enum load_command command)
{
    return command == LOAD_GET || command == LOAD_SET || command == LOAD_MIXED;
}

static void write_frame(struct fil_writer *writer, uint32_t flags, size_t content_size)
{
    (void)fil_writer_u32_le(writer, (uint32_t)(FIL_WIRE_FRAME_HEADER + content_size));
    (void)fil_writer_u16_le(writer, (uint16_t)flags);
}

/** The initial frame's header; fixed fields follow. */
static void write_initial(struct fil_writer *writer, uint32_t type, size_t fixed_size)
{
    write_frame(writer, FIL_WIRE_UNFRAGMENTED, FIL_WIRE_REQUEST_SIZE + fixed_size);
    (void)fil_writer_u32_le(writer, type);
    (void)fil_writer_u64_le(writer, 0); // stamped later
    (void)fil_writer_u32_le(writer, UINT32_MAX);
}

static void write_text_frame(struct fil_writer *writer, const char *text)
{
    write_frame(writer, 0, strlen(text));
    (void)fil_writer_text(writer, text);
}

/** What stands before a serialized text. */
static void write_data_head(struct fil_writer *writer, uint32_t flags, uint32_t size)
{
    write_frame(writer, flags, DATA_HEAD + size);
    (void)fil_writer_u32_be(writer, 0);
    (void)fil_writer_u32_be(writer, (uint32_t)FIL_WIRE_DATA_STRING);
    (void)fil_writer_u32_be(writer, size);
}

static struct load_shape write_request(struct fil_writer *writer, enum load_command command,
                                       const struct load_requests_options *options)
{
    bool is_get = command == LOAD_GET;
    struct load_shape shape = {
        .key_count = 1, .key_size = options->key_size, .expected = {.kind = '+'}};
    shape.expected.stamp = STAMP_OFFSET;
    write_initial(writer, is_get ? FIL_WIRE_MAP_GET : FIL_WIRE_MAP_SET, is_get ? 8 : 16);
    (void)fil_writer_u64_le(writer, 1); // the thread
    if (!is_get) {
        (void)fil_writer_u64_le(writer, UINT64_MAX); // as long as the map says
    }
    write_text_frame(writer, MAP_NAME);
    write_data_head(writer, is_get ? FIL_WIRE_FINAL : 0, options->key_size);
    load_protocol_write_key(writer, options, false);
    shape.first_end = writer->size;
    if (!is_get) {
        write_data_head(writer, FIL_WIRE_FINAL, options->value_size);
        load_protocol_write_value(writer, options->value_size);
    }
    shape.size = writer->size;
    return shape;
}

/** The key decides the partition. */
static void mend(uint8_t *request, const struct load_shape *shape)
{
    // The payload of a text begins with its length.
    size_t size = shape->key_size + 4;
    int32_t hash = fil_murmur3(fil_bytes_make(request + shape->first_end - size, size));
    fil_store_u32_le(request + PARTITION_AT, fil_murmur3_partition(hash, PARTITION_COUNT));
}

static struct load_shape greet(struct fil_writer *writer,
                               const struct load_requests_options *options)
{
    (void)options;
    (void)fil_writer_text(writer, FIL_WIRE_MAGIC);
    write_initial(writer, FIL_WIRE_CLIENT_AUTHENTICATION, FIL_WIRE_UUID_SIZE + 3);
    (void)fil_writer_u8(writer, 0);
    (void)fil_writer_u64_le(writer, options->seed + 1); // any number that is not another client's
    (void)fil_writer_u64_le(writer, options->client);
    (void)fil_writer_u8(writer, 1); // version of serialization
    (void)fil_writer_u8(writer, 1); // all members
    (void)fil_writer_u8(writer, 0);
    write_text_frame(writer, options->cluster == NULL ? "dev" : options->cluster);
    write_frame(writer, FIL_WIRE_NULL, 0);
    write_frame(writer, FIL_WIRE_NULL, 0);
    write_text_frame(writer, "FIL");
    write_text_frame(writer, "5.7.0");
    write_text_frame(writer, "filbert-bench");
    write_frame(writer, FIL_WIRE_BEGIN, 0);
    write_frame(writer, FIL_WIRE_END | FIL_WIRE_FINAL, 0);
    return (struct load_shape){.size = writer->size,
                               .expected = {.kind = '+', .stamp = 3 + STAMP_OFFSET}};
}

static void answer(struct fil_writer *writer, enum load_command command,
                   const struct load_requests_options *options)
{
    bool is_get = command == LOAD_GET;
    bool is_greeting = command == LOAD_COMMAND_COUNT;
    uint32_t flags = FIL_WIRE_UNFRAGMENTED | (is_get ? 0U : FIL_WIRE_FINAL);
    write_frame(writer, flags, FIL_WIRE_RESPONSE_SIZE + (is_greeting ? 1U : 0U));
    (void)fil_writer_u32_le(writer, (is_greeting ? FIL_WIRE_CLIENT_AUTHENTICATION
                                     : is_get    ? FIL_WIRE_MAP_GET
                                                 : FIL_WIRE_MAP_SET) +
                                        1U);
    (void)fil_writer_u64_le(writer, 0); // stamped with the request's
    (void)fil_writer_u8(writer, 0);
    if (is_greeting) {
        (void)fil_writer_u8(writer, 0); // welcome
    } else if (is_get) {
        write_data_head(writer, FIL_WIRE_FINAL, options->value_size);
        load_protocol_write_value(writer, options->value_size);
    }
}

/** The first frame's header and number are there. */
static int begin_message(struct load_replies *replies)
{
    const uint8_t *head = (const uint8_t *)replies->line;
    uint32_t length = fil_load_u32_le(head);
    uint32_t flags = fil_load_u16_le(head + 4);
    if (length < FIRST_BYTES || length > FIL_WIRE_FRAME_MAX ||
        (flags & FIL_WIRE_UNFRAGMENTED) != FIL_WIRE_UNFRAGMENTED) {
        return FIL_E_MALFORMED;
    }
    uint32_t type = fil_load_u32_le(head + FIL_WIRE_FRAME_HEADER);
    replies->reply = (struct load_reply){.kind = type == 0 ? '-' : '+',
                                         .number = fil_load_u64_le(head + STAMP_OFFSET)};
    bool is_refused = type == FIL_WIRE_CLIENT_AUTHENTICATION + 1 && length > FIRST_BYTES;
    replies->elements_left = type == 0 ? 4 : 0; // frames up to the one with the code
    replies->kind = 1;                          // inside of a message
    replies->is_negative = is_refused;          // its status follows
    replies->skip = length - FIRST_BYTES;
    replies->number = flags;
    return 0;
}

static int begin_frame(struct load_replies *replies)
{
    const uint8_t *head = (const uint8_t *)replies->line;
    uint32_t length = fil_load_u32_le(head);
    replies->number = fil_load_u16_le(head + 4);
    if (length < FIL_WIRE_FRAME_HEADER || length > FIL_WIRE_FRAME_MAX) {
        return FIL_E_MALFORMED;
    }
    replies->reply.miss_count += (replies->number & FIL_WIRE_NULL) != 0;
    replies->skip = length - FIL_WIRE_FRAME_HEADER;
    return 0;
}

/** A frame has been passed; true when it was the message's last. */
static bool end_frame(struct load_replies *replies)
{
    replies->line_size = 0;
    if ((replies->number & FIL_WIRE_FINAL) == 0) {
        return false;
    }
    replies->kind = 0;
    return true;
}

/** Looks at what is skipped: the status of an authentication, the code of an error. */
static void peek(struct load_replies *replies, struct fil_bytes bytes)
{
    if (replies->is_negative) {
        replies->is_negative = false;
        if (bytes.data[0] != 0) {
            replies->reply.kind = '-';
            (void)snprintf(replies->error_text, sizeof(replies->error_text),
                           "authentication refused with status %u", bytes.data[0]);
        }
    }
    if (replies->reply.kind == '-' && replies->skip == 4 && bytes.size >= 4 &&
        replies->elements_left > 0) {
        replies->elements_left = 0;
        (void)snprintf(replies->error_text, sizeof(replies->error_text), "error code %d",
                       (int32_t)fil_load_u32_le(bytes.data));
    }
}

/** Gathers a frame's header; 1 when a message ends with an empty frame. */
static int take_head(struct load_replies *replies, struct fil_bytes *bytes)
{
    size_t wanted = replies->kind == 0 ? FIRST_BYTES : FIL_WIRE_FRAME_HEADER;
    size_t missing = wanted - replies->line_size;
    size_t step = missing < bytes->size ? missing : bytes->size;
    memcpy(replies->line + replies->line_size, bytes->data, step);
    replies->line_size += step;
    *bytes = fil_bytes_make(bytes->data + step, bytes->size - step);
    if (replies->line_size < wanted) {
        return 0;
    }
    int error = replies->kind == 0 ? begin_message(replies) : begin_frame(replies);
    if (error != 0) {
        return error;
    }
    return replies->skip == 0 ? end_frame(replies) : 0;
}

static int take_body(struct load_replies *replies, struct fil_bytes *bytes)
{
    peek(replies, *bytes);
    size_t step = replies->skip < bytes->size ? (size_t)replies->skip : bytes->size;
    replies->skip -= step;
    *bytes = fil_bytes_make(bytes->data + step, bytes->size - step);
    return replies->skip == 0 ? end_frame(replies) : 0;
}

static int next(struct load_replies *replies, struct fil_bytes *bytes, struct load_reply *out_reply)
{
    int result = 0;
    while (result == 0 && bytes->size > 0) {
        result = replies->skip > 0 ? take_body(replies, bytes) : take_head(replies, bytes);
    }
    if (result == 1) {
        *out_reply = replies->reply;
    }
    return result;
}

const struct load_protocol load_protocol_hazelcast = {
    .name = "hazelcast",
    .is_numbered = true,
    .overhead_max = 256,
    .has = has,
    .write = write_request,
    .mend = mend,
    .next = next,
    .answer = answer,
    .greet = greet,
};
