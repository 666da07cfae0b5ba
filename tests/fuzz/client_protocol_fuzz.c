// SPDX-License-Identifier: Apache-2.0
/**
 * Fuzzes the codec of the client protocol with a stream of messages, after the three first bytes.
 *
 * What must hold for any bytes: a stream received at once, byte by byte, or in pieces of random
 * size at moving addresses gives the same messages and the same error at the same place; every
 * message is decoded or refused with a field and a reason, and every slice of it lies inside; what
 * was decoded can be walked to its last item, and, encoded and decoded again, is the same; direct
 * readers agree with the codec; values and numbers of schemas never fail but by their errors.
 *
 * The limits are small, so that a small input can reach each of them.
 */
#include <stdint.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/base/hash.h"
#include "lib/base/prng.h"
#include "protocol/client/codec.h"
#include "protocol/client/generated/client.h"
#include "protocol/client/generated/hot.h"
#include "protocol/client/generated/services.h"
#include "protocol/client/receiver.h"
#include "protocol/client/schema.h"
#include "protocol/client/serialization.h"

#define FRAME_MAX       1000U
#define MESSAGE_MAX     3000U
#define STRUCT_SIZE_MAX 4096U

/** What receiving a stream came to. */
struct outcome {
    uint64_t digest;
    uint32_t message_count;
    int result;
    size_t consumed;
    char problem[112];
};

struct output {
    struct fil_budget budget;
    struct fil_pool pool;
    struct fil_chunk_queue queue;
    struct fil_wire_writer writer;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void assert_inside(struct fil_bytes part, struct fil_bytes whole)
{
    if (part.data != NULL) {
        fil_assert(part.data >= whole.data);
        fil_assert(part.data + part.size <= whole.data + whole.size);
    }
}

// Walking what was decoded.

static void walk_value(const struct fil_wire_type *type, struct fil_wire_cursor *cursor);

static void walk_items(const struct fil_wire_type *type, struct fil_wire_cursor *cursor)
{
    bool has_begun = fil_wire_cursor_skip(cursor, FIL_WIRE_BEGIN);
    fil_assert(has_begun);
    while (!fil_wire_cursor_skip(cursor, FIL_WIRE_END)) {
        if (type->kind == FIL_WIRE_MAP) {
            walk_value(type->key, cursor);
        }
        walk_value(type->item, cursor);
    }
}

static void walk_fields(const struct fil_wire_layout *layout, const uint8_t *fields,
                        struct fil_bytes whole)
{
    for (uint32_t i = layout->fixed_count; i < layout->field_count; i++) {
        const struct fil_wire_field *field = &layout->fields[i];
        if (field->type->kind < FIL_WIRE_LIST) {
            assert_inside(*(const struct fil_bytes *)(const void *)(fields + field->offset), whole);
            continue;
        }
        const struct fil_wire_part *part =
            (const struct fil_wire_part *)(const void *)(fields + field->offset);
        if (part->kind == FIL_WIRE_PART_FRAMES) {
            struct fil_wire_cursor cursor;
            assert_inside(part->frames, whole);
            assert_inside(part->keys, whole);
            fil_wire_cursor_init(&cursor, part->frames);
            if (field->type->kind == FIL_WIRE_KEYED) {
                walk_items(field->type, &cursor);
            } else {
                walk_value(field->type, &cursor);
            }
            fil_assert(fil_wire_cursor_remaining(&cursor) == 0);
        }
    }
}

/** A value that was checked when its message was decoded: it cannot be wrong now. */
static void walk_value(const struct fil_wire_type *type, struct fil_wire_cursor *cursor)
{
    uint8_t fields[STRUCT_SIZE_MAX];
    struct fil_bytes whole = fil_bytes_make(cursor->position, fil_wire_cursor_remaining(cursor));
    struct fil_bytes bytes = {0};
    bool is_good = true;
    if (type->is_nullable && fil_wire_cursor_skip(cursor, FIL_WIRE_NULL)) {
        return;
    }
    if (type->kind < FIL_WIRE_LIST) {
        is_good = fil_wire_cursor_bytes(cursor, &bytes);
    } else if (type->kind == FIL_WIRE_CUSTOM) {
        is_good = fil_wire_decode_item(type->custom, cursor, fields);
        fil_assert(is_good);
        walk_fields(type->custom, fields, whole);
    } else if (type->kind == FIL_WIRE_OPAQUE) {
        is_good = fil_wire_cursor_skip(cursor, FIL_WIRE_BEGIN) && fil_wire_cursor_leave(cursor);
    } else {
        walk_items(type, cursor);
    }
    fil_assert(is_good);
}

// One message.

static void output_init(struct output *output)
{
    fil_budget_init(&output->budget, 1U << 24);
    fil_chunk_pool_init(&output->pool, &output->budget, 2);
    fil_chunk_queue_init(&output->queue);
    fil_wire_writer_init(&output->writer, &output->queue, &output->pool, SIZE_MAX);
}

static void output_fini(struct output *output)
{
    fil_chunk_queue_clear(&output->queue);
    fil_pool_fini(&output->pool);
}

/** The one message that the output holds, in one piece: it is small enough for one chunk. */
static struct fil_bytes output_message(const struct output *output)
{
    struct fil_bytes slices[2];
    fil_assert(fil_chunk_queue_slices(&output->queue, slices, 2) == 1);
    return slices[0];
}

/** Encoded and decoded again it is the same; only what is missing and has no null cannot be. */
static void check_round_trip(const struct fil_wire_layout *layout, const uint8_t *fields)
{
    uint8_t again[STRUCT_SIZE_MAX];
    struct fil_wire_header header = {.correlation = 1};
    struct output first;
    struct output second;
    output_init(&first);
    output_init(&second);
    int error = fil_wire_encode(layout, &first.writer, &header, fields);
    fil_assert(error == FIL_OK || error == FIL_E_INVALID);
    if (error == FIL_OK) {
        fil_assert(fil_wire_decode(layout, output_message(&first), again, NULL) == FIL_OK);
        fil_assert(fil_wire_encode(layout, &second.writer, &header, again) == FIL_OK);
        fil_assert(fil_bytes_equal(output_message(&first), output_message(&second)));
    } else {
        fil_assert(first.queue.size_bytes == 0);
    }
    output_fini(&first);
    output_fini(&second);
}

static void check_hot(struct fil_bytes message, uint32_t number, int expected)
{
    struct fil_wire_map_put_request put;
    struct fil_wire_map_get_request get;
    struct fil_wire_map_put_all_request put_all;
    struct fil_wire_map_get_all_response got_all;
    if (number == FIL_WIRE_MAP_PUT) {
        fil_assert(fil_wire_map_put_request_read(message, &put) == expected);
    } else if (number == FIL_WIRE_MAP_GET) {
        fil_assert(fil_wire_map_get_request_read(message, &get) == expected);
        struct fil_wire_value value;
        (void)!(expected == FIL_OK && fil_wire_value_decode(get.key, &value) == FIL_OK);
        fil_assert(expected != FIL_OK || fil_wire_partition_of_key(get.key, 271) < 271);
    } else if (number == FIL_WIRE_MAP_PUT_ALL) {
        fil_assert(fil_wire_map_put_all_request_read(message, &put_all) == expected);
    } else if (number == FIL_WIRE_MAP_GET_ALL + 1) {
        fil_assert(fil_wire_map_get_all_response_read(message, &got_all) == expected);
    }
}

static void check_schema(const struct fil_wire_client_send_schema_request *request)
{
    struct fil_wire_schema schema;
    int64_t id = 0;
    bool is_there = fil_wire_decode_part(FIL_WIRE_LAYOUT(schema), &request->schema, &schema);
    fil_assert(is_there);
    int error = fil_wire_schema_id(&schema, &id);
    fil_assert(error == FIL_OK || error == FIL_E_MALFORMED || error == FIL_E_LIMIT);
}

static const struct fil_wire_layout *find_layout(uint32_t number)
{
    const struct fil_wire_message *message = fil_wire_message_find(number & ~UINT32_C(0xFF));
    uint32_t step = number & 0xFF;
    if (number == 0) {
        return FIL_WIRE_LAYOUT(exception_response);
    }
    if (message == NULL || step > 1U + message->event_count) {
        return NULL;
    }
    return step == 0 ? message->request : step == 1 ? message->response : message->events[step - 2];
}

static void check_message(struct fil_bytes message)
{
    uint8_t fields[STRUCT_SIZE_MAX];
    struct fil_wire_header header;
    struct fil_wire_fault fault = {0};
    fil_assert(fil_wire_header_decode_reply(message, &header) == FIL_OK ||
               (fil_load_u16_le(message.data + 4) & FIL_WIRE_EVENT) != 0);
    uint32_t number = fil_load_u32_le(message.data + FIL_WIRE_FRAME_HEADER);
    const struct fil_wire_layout *layout = find_layout(number);
    if (layout == NULL) {
        return;
    }
    fil_assert(layout->struct_size <= sizeof(fields));
    int error = fil_wire_decode(layout, message, fields, &fault);
    fil_assert((error == FIL_OK) == (fault.reason == NULL));
    check_hot(message, number, error);
    if (error != FIL_OK) {
        fil_assert(error == FIL_E_MALFORMED && fault.field != NULL);
        return;
    }
    walk_fields(layout, fields, message);
    check_round_trip(layout, fields);
    if (number == FIL_WIRE_CLIENT_SEND_SCHEMA) {
        struct fil_wire_client_send_schema_request request;
        memcpy(&request, fields, sizeof(request));
        check_schema(&request);
    }
}

// The stream.

/** Receives from a block of exactly the right size, so that a look beyond it is seen. */
static int receive_block(struct fil_wire_receiver *receiver, struct fil_bytes bytes,
                         size_t *out_size, struct outcome *outcome)
{
    struct fil_bytes message = {0};
    uint8_t *block = fil_alloc(bytes.size == 0 ? 1 : bytes.size);
    fil_assert(block != NULL);
    if (bytes.size > 0) {
        memcpy(block, bytes.data, bytes.size);
    }
    int error = fil_wire_receive(receiver, fil_bytes_make(block, bytes.size), &message, out_size);
    fil_assert(*out_size <= bytes.size);
    if (error == FIL_OK) {
        fil_assert(message.size <= MESSAGE_MAX);
        outcome->digest = fil_hash(message, outcome->digest);
        outcome->message_count++;
        check_message(message);
    } else if (error == FIL_E_AGAIN) {
        size_t expected = fil_wire_receiver_expected(receiver);
        fil_assert(expected == 0 || expected > bytes.size - *out_size);
    }
    fil_free(block);
    return error;
}

/** Pieces of up to piece_max bytes, drawn from the seed. */
static void receive_stream(struct fil_bytes input, size_t piece_max, uint64_t seed,
                           struct outcome *out_outcome)
{
    struct fil_wire_receiver receiver;
    struct fil_prng prng;
    size_t end = 0;
    int error = FIL_E_AGAIN;
    *out_outcome = (struct outcome){0};
    fil_prng_init(&prng, seed);
    fil_wire_receiver_init(&receiver, NULL);
    if (seed % 8 != 0) {
        fil_wire_receiver_trust(&receiver, FRAME_MAX, MESSAGE_MAX);
    }
    while (error == FIL_OK || (error == FIL_E_AGAIN && end < input.size)) {
        if (error == FIL_E_AGAIN) {
            size_t step = 1 + fil_prng_below(&prng, piece_max);
            end = step < input.size - end ? end + step : input.size;
        }
        size_t begin = out_outcome->consumed;
        size_t size = 0;
        error = receive_block(&receiver, fil_bytes_make(input.data + begin, end - begin), &size,
                              out_outcome);
        out_outcome->consumed += size;
    }
    out_outcome->result = error;
    memcpy(out_outcome->problem, receiver.problem, sizeof(receiver.problem));
    fil_wire_receiver_fini(&receiver);
}

static void assert_same(const struct outcome *a, const struct outcome *b)
{
    fil_assert(a->result == b->result);
    fil_assert(a->message_count == b->message_count);
    fil_assert(a->digest == b->digest);
    fil_assert(a->consumed == b->consumed);
    fil_assert(strcmp(a->problem, b->problem) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fil_bytes input = fil_bytes_make(data, size);
    struct outcome whole;
    struct outcome pieces;
    uint64_t seed = fil_hash(input, 1);
    receive_stream(input, SIZE_MAX / 2, seed, &whole);
    receive_stream(input, 1, seed, &pieces);
    assert_same(&whole, &pieces);
    receive_stream(input, 40, seed, &pieces);
    assert_same(&whole, &pieces);
    return 0;
}
