// SPDX-License-Identifier: Apache-2.0
/**
 * The codec, one test a promise: every message with any values survives the trip, and what was
 * decoded can be encoded again as it is; every beginning of every message is "more, please" and no
 * cut or damaged one is read beyond its bytes; direct readers and writers do what the codec does;
 * fields of newer versions may be missing, those of still newer ones are skipped; null is refused
 * where there must be a value, with the field's name; items, streams and received frames give the
 * same bytes, which are those written down by hand; a message too large, without memory or without
 * a value leaves the output as it was; every request is found by its number and no other is.
 */
#include "protocol/client/codec.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "protocol/client/generated/atomic_long.h"
#include "protocol/client/generated/client.h"
#include "protocol/client/generated/customs.h"
#include "protocol/client/generated/hot.h"
#include "protocol/client/generated/map.h"
#include "protocol/client/generated/services.h"
#include "protocol/client/generated/types.h"
#include "protocol/client/receiver.h"
#include "tests/unit/harness.h"
#include "tests/unit/protocol/client/wire_sample.h"

#define ROUNDS          6U
#define STRUCT_SIZE_MAX 4096U

static struct wire_sample sample;

static int set_up(void **state)
{
    (void)state;
    wire_sample_init(&sample, 20260725);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_alloc_fail_after(-1);
    wire_sample_fini(&sample);
    assert_int_equal(fil_budget_drawn(&sample.budget), 0);
    return 0;
}

/** A copy that ends where its block ends, so that a look beyond it is seen. */
static uint8_t *exact_copy(struct fil_bytes bytes, size_t size)
{
    uint8_t *copy = fil_alloc(size == 0 ? 1 : size);
    assert_non_null(copy);
    memcpy(copy, bytes.data, size);
    return copy;
}

static void decode_anything(const struct fil_wire_layout *layout, struct fil_bytes message)
{
    uint8_t decoded[STRUCT_SIZE_MAX];
    struct fil_wire_fault fault = {0};
    assert_true(layout->struct_size <= sizeof(decoded));
    int error = fil_wire_decode(layout, message, decoded, &fault);
    assert_true(error == FIL_OK || error == FIL_E_MALFORMED);
    assert_int_equal(error == FIL_OK, fault.reason == NULL);
    assert_int_equal(error == FIL_OK, fault.field == NULL);
}

static void make_trips(struct wire_sample *from, const struct fil_wire_layout *layout)
{
    uint8_t decoded[STRUCT_SIZE_MAX];
    assert_true(layout->struct_size <= sizeof(decoded));
    for (uint32_t round = 0; round < ROUNDS; round++) {
        void *fields = wire_sample_fields(from, layout);
        struct fil_bytes message = wire_sample_encode(from, layout, fields);
        assert_int_equal(fil_wire_decode(layout, message, decoded, NULL), FIL_OK);
        wire_sample_assert_equal(from, layout, fields, decoded);
        // As it is: lists are handed on in the frames they came in.
        struct fil_bytes again = wire_sample_encode(from, layout, decoded);
        assert_true(fil_bytes_equal(message, again));
    }
    wire_sample_reset(from);
}

static void test_every_message_survives_the_trip(void **state)
{
    (void)state;
    uint32_t count = wire_sample_each_layout(&sample, make_trips);
    assert_true(count > 2 * FIL_WIRE_MESSAGE_COUNT);
    assert_int_equal(FIL_WIRE_MESSAGE_COUNT, 474);
}

static void cut_everywhere(struct wire_sample *from, const struct fil_wire_layout *layout)
{
    void *fields = wire_sample_fields(from, layout);
    struct fil_bytes message = wire_sample_encode(from, layout, fields);
    struct fil_bytes found;
    size_t used = 0;
    for (size_t size = 0; size <= message.size; size++) {
        struct fil_wire_receiver receiver;
        uint8_t *copy = exact_copy(message, size);
        fil_wire_receiver_init(&receiver, NULL);
        fil_wire_receiver_trust(&receiver, 1U << 20, 1U << 20);
        int error = fil_wire_receive(&receiver, fil_bytes_make(copy, size), &found, &used);
        assert_int_equal(error, size < message.size ? FIL_E_AGAIN : FIL_OK);
        assert_int_equal(used, size < message.size ? 0 : size);
        decode_anything(layout, fil_bytes_make(copy, size));
        fil_wire_receiver_fini(&receiver);
        fil_free(copy);
    }
    wire_sample_reset(from);
}

static void test_every_beginning_of_every_message_asks_for_more(void **state)
{
    (void)state;
    assert_true(wire_sample_each_layout(&sample, cut_everywhere) > 2 * FIL_WIRE_MESSAGE_COUNT);
}

/** Lengths in the message stay right: what the receiver gives out has whole frames. */
static void damage(struct wire_sample *from, const struct fil_wire_layout *layout)
{
    void *fields = wire_sample_fields(from, layout);
    struct fil_bytes message = wire_sample_encode(from, layout, fields);
    for (uint32_t round = 0; round < 20; round++) {
        uint8_t *copy = exact_copy(message, message.size);
        size_t at = fil_prng_below(&from->prng, message.size);
        copy[at] ^= (uint8_t)(1 + fil_prng_below(&from->prng, 255));
        decode_anything(layout, fil_bytes_make(copy, message.size));
        fil_free(copy);
    }
    wire_sample_reset(from);
}

static void test_damage_never_leaves_the_message(void **state)
{
    (void)state;
    assert_true(wire_sample_each_layout(&sample, damage) > 2 * FIL_WIRE_MESSAGE_COUNT);
}

// Direct readers and writers.

#define HOT_REQUESTS(X) \
    X(map_put)          \
    X(map_get)          \
    X(map_remove) X(map_contains_key) X(map_set) X(map_size) X(map_get_all) X(map_put_all)
#define HOT_RESPONSES(X) \
    X(map_put) X(map_get) X(map_remove) X(map_contains_key) X(map_size) X(map_get_all)

/** Reader and writer of a message, as functions of nothing but bytes. */
struct hot {
    const struct fil_wire_layout *layout;
    int (*read)(struct fil_bytes message, void *out);
    int (*write)(struct fil_wire_writer *writer, struct fil_wire_header header, const void *in);
};

#define HOT_PAIR(name)                                                                     \
    static int read_##name(struct fil_bytes message, void *out)                            \
    {                                                                                      \
        return fil_wire_##name##_read(message, out);                                       \
    }                                                                                      \
    static int write_##name(struct fil_wire_writer *writer, struct fil_wire_header header, \
                            const void *in)                                                \
    {                                                                                      \
        return fil_wire_##name##_write(writer, header, in);                                \
    }
#define HOT_REQUEST(name)  HOT_PAIR(name##_request)
#define HOT_RESPONSE(name) HOT_PAIR(name##_response)
HOT_REQUESTS(HOT_REQUEST)
HOT_RESPONSES(HOT_RESPONSE)

#define HOT_ROW(name)          {FIL_WIRE_LAYOUT(name), read_##name, write_##name},
#define HOT_REQUEST_ROW(name)  HOT_ROW(name##_request)
#define HOT_RESPONSE_ROW(name) HOT_ROW(name##_response)
static const struct hot hots[] = {HOT_REQUESTS(HOT_REQUEST_ROW) HOT_RESPONSES(HOT_RESPONSE_ROW)};

static void check_hot(const struct hot *hot, struct fil_bytes message)
{
    uint8_t direct[STRUCT_SIZE_MAX] = {0};
    uint8_t general[STRUCT_SIZE_MAX] = {0};
    int expected = fil_wire_decode(hot->layout, message, general, NULL);
    assert_int_equal(hot->read(message, direct), expected);
    if (expected == FIL_OK) {
        assert_memory_equal(direct, general, hot->layout->struct_size);
    }
}

static void test_direct_readers_read_what_the_codec_reads(void **state)
{
    (void)state;
    for (size_t i = 0; i < FIL_COUNT_OF(hots) * 200; i++) {
        const struct hot *hot = &hots[i % FIL_COUNT_OF(hots)];
        void *fields = wire_sample_fields(&sample, hot->layout);
        struct fil_bytes message = wire_sample_encode(&sample, hot->layout, fields);
        check_hot(hot, message);
        uint8_t *copy = exact_copy(message, message.size);
        copy[fil_prng_below(&sample.prng, message.size)] ^= (uint8_t)(1U << (i % 8));
        check_hot(hot, fil_bytes_make(copy, message.size));
        fil_free(copy);
        wire_sample_reset(&sample);
    }
}

static void test_direct_writers_write_what_the_codec_writes(void **state)
{
    (void)state;
    struct fil_wire_header header = {.correlation = 7, .partition = 3, .backup_acks = 2};
    for (size_t i = 0; i < FIL_COUNT_OF(hots) * 50; i++) {
        const struct hot *hot = &hots[i % FIL_COUNT_OF(hots)];
        void *fields = wire_sample_fields(&sample, hot->layout);
        struct fil_bytes general = wire_sample_encode(&sample, hot->layout, fields);
        assert_int_equal(hot->write(&sample.writer, header, fields), FIL_OK);
        struct fil_bytes direct = wire_sample_take(&sample);
        assert_true(fil_bytes_equal(general, direct));
        wire_sample_reset(&sample);
    }
    assert_int_equal(fil_wire_map_set_response_write(&sample.writer, header), FIL_OK);
    struct fil_bytes empty = wire_sample_take(&sample);
    assert_int_equal(empty.size, FIL_WIRE_FRAME_HEADER + FIL_WIRE_RESPONSE_SIZE);
}

// Versions.

static struct fil_bytes data_of(const char *text)
{
    return fil_bytes_make(text, 9);
}

#define KEY   data_of("\0\0\0\0\xff\xff\xff\xfc\1")
#define VALUE data_of("\0\0\0\0\xff\xff\xff\xfc\0")

static void open_request(uint32_t type, size_t fixed_size)
{
    struct fil_wire_header header = {.type = type, .correlation = 1, .partition = -1};
    uint8_t *fixed = fil_wire_writer_open_request(&sample.writer, &header, fixed_size);
    assert_non_null(fixed);
    memset(fixed, 1, fixed_size);
}

static struct fil_bytes close_message(void)
{
    assert_int_equal(fil_wire_writer_finish(&sample.writer), FIL_OK);
    return wire_sample_take(&sample);
}

static void write_put_all(size_t fixed_size)
{
    open_request(FIL_WIRE_MAP_PUT_ALL, fixed_size);
    fil_wire_writer_bytes(&sample.writer, fil_bytes_of("m"));
    fil_wire_writer_begin(&sample.writer);
    fil_wire_writer_bytes(&sample.writer, KEY);
    fil_wire_writer_bytes(&sample.writer, VALUE);
    fil_wire_writer_end(&sample.writer);
}

static void test_a_missing_newer_fixed_field_has_its_default(void **state)
{
    (void)state;
    struct fil_wire_map_put_all_request request;
    write_put_all(0);
    struct fil_bytes old = close_message();
    assert_int_equal(FIL_WIRE_DECODE(map_put_all_request, old, &request, NULL), FIL_OK);
    assert_false(request.has_trigger_map_loader);
    assert_false(request.trigger_map_loader);
    assert_int_equal(request.entries.count, 1);
    assert_int_equal(fil_wire_map_put_all_request_read(old, &request), FIL_OK);
    assert_false(request.has_trigger_map_loader);
    write_put_all(1);
    struct fil_bytes new = close_message();
    assert_int_equal(FIL_WIRE_DECODE(map_put_all_request, new, &request, NULL), FIL_OK);
    assert_true(request.has_trigger_map_loader && request.trigger_map_loader);
}

static void test_missing_newer_variable_fields_have_their_defaults(void **state)
{
    (void)state;
    struct fil_wire_client_authentication_response response;
    struct fil_wire_header header = {.type = FIL_WIRE_CLIENT_AUTHENTICATION + 1};
    uint8_t *fixed = fil_wire_writer_open_response(&sample.writer, &header, 41);
    assert_non_null(fixed);
    memset(fixed, 0, 41);
    fil_wire_writer_null(&sample.writer);
    fil_wire_writer_bytes(&sample.writer, fil_bytes_of("5.7.0"));
    struct fil_bytes old = close_message();
    assert_int_equal(FIL_WIRE_DECODE(client_authentication_response, old, &response, NULL), FIL_OK);
    assert_true(fil_bytes_equal_text(response.server_hazelcast_version, "5.7.0"));
    assert_false(response.has_member_list_version || response.has_member_infos);
    assert_false(response.has_key_value_pairs);
    assert_int_equal(response.member_infos.kind, FIL_WIRE_PART_NONE);
    assert_int_equal(response.address.kind, FIL_WIRE_PART_NONE);
}

/** A structure nobody knows, with another inside. */
static void write_unknown(void)
{
    fil_wire_writer_begin(&sample.writer);
    fil_wire_writer_bytes(&sample.writer, fil_bytes_of("?"));
    fil_wire_writer_begin(&sample.writer);
    fil_wire_writer_null(&sample.writer);
    fil_wire_writer_end(&sample.writer);
    fil_wire_writer_end(&sample.writer);
}

static void test_unknown_fields_behind_the_known_are_skipped(void **state)
{
    (void)state;
    struct fil_wire_map_add_index_request request;
    struct fil_wire_index_config config;
    open_request(FIL_WIRE_MAP_ADD_INDEX, 5);
    fil_wire_writer_bytes(&sample.writer, fil_bytes_of("m"));
    fil_wire_writer_begin(&sample.writer);
    fil_wire_writer_bytes(&sample.writer, fil_bytes_make("\1\0\0\0newer", 9));
    fil_wire_writer_null(&sample.writer);
    fil_wire_writer_begin(&sample.writer);
    fil_wire_writer_bytes(&sample.writer, fil_bytes_of("age"));
    fil_wire_writer_end(&sample.writer);
    fil_wire_writer_null(&sample.writer);
    fil_wire_writer_null(&sample.writer);
    write_unknown();
    fil_wire_writer_end(&sample.writer);
    write_unknown();
    fil_wire_writer_null(&sample.writer);
    struct fil_bytes message = close_message();
    assert_int_equal(FIL_WIRE_DECODE(map_add_index_request, message, &request, NULL), FIL_OK);
    assert_true(
        fil_wire_decode_part(FIL_WIRE_LAYOUT(index_config), &request.index_config, &config));
    assert_int_equal(config.type, 1);
    assert_int_equal(config.attributes.count, 1);
    assert_true(config.has_b_tree_index_config);
}

static void test_a_field_behind_a_newer_custom_type_is_found(void **state)
{
    (void)state;
    struct fil_wire_atomic_long_get_request request;
    open_request(FIL_WIRE_ATOMIC_LONG_GET, 0);
    fil_wire_writer_begin(&sample.writer);
    fil_wire_writer_bytes(&sample.writer, fil_bytes_of("0123456789abcdef"));
    fil_wire_writer_bytes(&sample.writer, fil_bytes_of("group"));
    write_unknown();
    fil_wire_writer_end(&sample.writer);
    fil_wire_writer_bytes(&sample.writer, fil_bytes_of("counter"));
    struct fil_bytes message = close_message();
    assert_int_equal(FIL_WIRE_DECODE(atomic_long_get_request, message, &request, NULL), FIL_OK);
    assert_true(fil_bytes_equal_text(request.name, "counter"));
}

// What is refused.

static void assert_refused(struct fil_bytes message, const struct fil_wire_layout *layout,
                           const char *field, const char *reason)
{
    uint8_t decoded[STRUCT_SIZE_MAX];
    struct fil_wire_fault fault = {0};
    assert_int_equal(fil_wire_decode(layout, message, decoded, &fault), FIL_E_MALFORMED);
    assert_string_equal(fault.field, field);
    assert_string_equal(fault.reason, reason);
}

static void test_null_is_refused_where_a_value_must_be(void **state)
{
    (void)state;
    open_request(FIL_WIRE_MAP_GET, 8);
    fil_wire_writer_bytes(&sample.writer, fil_bytes_of("m"));
    fil_wire_writer_null(&sample.writer);
    assert_refused(close_message(), FIL_WIRE_LAYOUT(map_get_request), "key", "must not be null");

    open_request(FIL_WIRE_MAP_GET_ALL, 0);
    fil_wire_writer_bytes(&sample.writer, fil_bytes_of("m"));
    fil_wire_writer_begin(&sample.writer);
    fil_wire_writer_null(&sample.writer);
    fil_wire_writer_end(&sample.writer);
    assert_refused(close_message(), FIL_WIRE_LAYOUT(map_get_all_request), "keys", "is malformed");
}

static void test_data_of_null_is_refused_where_a_value_must_be(void **state)
{
    (void)state;
    static const uint8_t null_data[8];
    for (size_t size = 0; size <= sizeof(null_data); size += 4) {
        open_request(FIL_WIRE_MAP_GET, 8);
        fil_wire_writer_bytes(&sample.writer, fil_bytes_of("m"));
        fil_wire_writer_bytes(&sample.writer, fil_bytes_make(null_data, size));
        assert_refused(close_message(), FIL_WIRE_LAYOUT(map_get_request), "key", "is malformed");
    }
}

static void test_missing_fields_are_named(void **state)
{
    (void)state;
    open_request(FIL_WIRE_MAP_GET, 8);
    fil_wire_writer_bytes(&sample.writer, fil_bytes_of("m"));
    assert_refused(close_message(), FIL_WIRE_LAYOUT(map_get_request), "key", "is missing");
    open_request(FIL_WIRE_MAP_GET, 7);
    fil_wire_writer_bytes(&sample.writer, fil_bytes_of("m"));
    assert_refused(close_message(), FIL_WIRE_LAYOUT(map_get_request), "Map.get",
                   "has too few bytes of fixed fields");
}

static void test_a_map_needs_a_value_for_every_key(void **state)
{
    (void)state;
    struct fil_wire_map_put_all_request request;
    open_request(FIL_WIRE_MAP_PUT_ALL, 1);
    fil_wire_writer_bytes(&sample.writer, fil_bytes_of("m"));
    fil_wire_writer_begin(&sample.writer);
    fil_wire_writer_bytes(&sample.writer, KEY);
    fil_wire_writer_end(&sample.writer);
    struct fil_bytes message = close_message();
    assert_refused(message, FIL_WIRE_LAYOUT(map_put_all_request), "entries", "is malformed");
    assert_int_equal(fil_wire_map_put_all_request_read(message, &request), FIL_E_MALFORMED);
}

static void test_keys_and_values_of_a_partition_table_must_match(void **state)
{
    (void)state;
    static const uint8_t two_members[34];
    struct fil_wire_header header = {.type = FIL_WIRE_CLIENT_ADD_CLUSTER_VIEW_LISTENER};
    for (uint32_t i = 0; i < 2; i++) {
        assert_non_null(fil_wire_writer_open_event(&sample.writer, &header, 4));
        fil_wire_writer_begin(&sample.writer);
        fil_wire_writer_bytes(&sample.writer, fil_bytes_make("\1\0\0\0\2\0\0\0", i == 0 ? 7 : 8));
        fil_wire_writer_end(&sample.writer);
        fil_wire_writer_bytes(&sample.writer, fil_bytes_make(two_members, i == 0 ? 17 : 34));
        assert_refused(close_message(),
                       FIL_WIRE_LAYOUT(client_add_cluster_view_listener_partitions_view_event),
                       "partitions", "is malformed");
    }
}

// Encoding.

static void write_two_keys(struct fil_wire_writer *writer, void *context)
{
    uint32_t *calls = context;
    (*calls)++;
    fil_wire_writer_bytes(writer, KEY);
    fil_wire_writer_bytes(writer, VALUE);
}

static void test_items_streams_and_frames_are_the_same_on_the_wire(void **state)
{
    (void)state;
    uint32_t calls = 0;
    struct fil_bytes keys[] = {KEY, VALUE};
    struct fil_wire_map_key_set_response a = {.response = fil_wire_part_items(keys, 2)};
    struct fil_wire_map_key_set_response b = {.response =
                                                  fil_wire_part_stream(write_two_keys, &calls)};
    struct fil_wire_map_key_set_response c;
    const struct fil_wire_layout *layout = FIL_WIRE_LAYOUT(map_key_set_response);
    struct fil_bytes items = wire_sample_encode(&sample, layout, &a);
    struct fil_bytes stream = wire_sample_encode(&sample, layout, &b);
    assert_int_equal(calls, 1);
    assert_true(fil_bytes_equal(items, stream));
    assert_int_equal(FIL_WIRE_DECODE(map_key_set_response, items, &c, NULL), FIL_OK);
    assert_int_equal(c.response.count, 2);
    assert_true(fil_bytes_equal(items, wire_sample_encode(&sample, layout, &c)));
}

static void test_received_frames_lose_their_end_of_message(void **state)
{
    (void)state;
    struct fil_bytes keys[] = {KEY};
    struct fil_wire_map_key_set_response from = {.response = fil_wire_part_items(keys, 1)};
    struct fil_wire_map_key_set_response decoded;
    struct fil_bytes message =
        wire_sample_encode(&sample, FIL_WIRE_LAYOUT(map_key_set_response), &from);
    assert_int_equal(FIL_WIRE_DECODE(map_key_set_response, message, &decoded, NULL), FIL_OK);
    // In the middle of another message they must not end it.
    struct fil_wire_map_fetch_with_query_response to = {
        .results = decoded.response, .iteration_pointers = fil_bytes_make("\0\0\0\0\0\0\0\0", 8)};
    struct fil_bytes other =
        wire_sample_encode(&sample, FIL_WIRE_LAYOUT(map_fetch_with_query_response), &to);
    struct fil_wire_receiver receiver;
    struct fil_bytes whole;
    size_t size = 0;
    fil_wire_receiver_init(&receiver, NULL);
    assert_int_equal(fil_wire_receive(&receiver, other, &whole, &size), FIL_OK);
    assert_int_equal(size, other.size);
    fil_wire_receiver_fini(&receiver);
}

static void test_a_message_beyond_the_limit_leaves_the_output_as_it_was(void **state)
{
    (void)state;
    static uint8_t large[40000];
    large[7] = 1;
    struct fil_wire_header header = {0};
    struct fil_wire_map_get_response response = {.response = fil_bytes_make("\0\0\0\0\1\1\1\1", 8)};
    fil_wire_writer_init(&sample.writer, &sample.queue, &sample.pool, 30000);
    assert_int_equal(FIL_WIRE_ENCODE(map_get_response, &sample.writer, &header, &response), FIL_OK);
    size_t before = sample.queue.size_bytes;
    struct fil_bytes values[] = {fil_bytes_make(large, 20000), fil_bytes_make(large, 9000),
                                 fil_bytes_make(large, 1000)};
    struct fil_wire_map_values_response list = {.response = fil_wire_part_items(values, 3)};
    assert_int_equal(FIL_WIRE_ENCODE(map_values_response, &sample.writer, &header, &list),
                     FIL_E_LIMIT);
    assert_int_equal(sample.queue.size_bytes, before);
    assert_int_equal(FIL_WIRE_ENCODE(map_get_response, &sample.writer, &header, &response), FIL_OK);
    struct fil_bytes all = wire_sample_take(&sample);
    assert_int_equal(all.size, 2 * before);
    assert_memory_equal(all.data, all.data + before, before);
}

static void test_a_missing_value_is_an_error_of_the_caller(void **state)
{
    (void)state;
    struct fil_wire_header header = {0};
    struct fil_wire_map_get_request request = {.name = fil_bytes_of("m")};
    assert_int_equal(FIL_WIRE_ENCODE(map_get_request, &sample.writer, &header, &request),
                     FIL_E_INVALID);
    struct fil_wire_map_add_index_request index = {.name = fil_bytes_of("m")};
    assert_int_equal(FIL_WIRE_ENCODE(map_add_index_request, &sample.writer, &header, &index),
                     FIL_E_INVALID);
    assert_int_equal(sample.queue.size_bytes, 0);
}

static void test_without_memory_nothing_is_left_behind(void **state)
{
    (void)state;
    static uint8_t large[20000];
    large[7] = 1;
    struct fil_wire_header header = {0};
    struct fil_bytes values[] = {fil_bytes_make(large, 20000), fil_bytes_make(large, 15000)};
    struct fil_wire_map_values_response list = {.response = fil_wire_part_items(values, 2)};
    int error = FIL_E_NOMEM;
    for (int64_t after = 0; error != FIL_OK; after++) {
        fil_alloc_fail_after(after);
        error = FIL_WIRE_ENCODE(map_values_response, &sample.writer, &header, &list);
        fil_alloc_fail_after(-1);
        if (error != FIL_OK) {
            assert_int_equal(error, FIL_E_NOMEM);
            assert_true(sample.queue.is_out_of_memory);
            assert_int_equal(sample.queue.size_bytes, 0);
            fil_chunk_queue_clear(&sample.queue);
        }
        assert_true(after < 10);
    }
}

static void test_decoding_allocates_nothing(void **state)
{
    (void)state;
    uint8_t decoded[STRUCT_SIZE_MAX];
    const struct fil_wire_layout *layout = FIL_WIRE_LAYOUT(client_authentication_response);
    struct fil_bytes message =
        wire_sample_encode(&sample, layout, wire_sample_fields(&sample, layout));
    uint64_t before = fil_alloc_count();
    assert_int_equal(fil_wire_decode(layout, message, decoded, NULL), FIL_OK);
    assert_int_equal(fil_alloc_count(), before);
}

// Bytes, written down by hand.

static void assert_bytes(struct fil_bytes message, const void *bytes, size_t size)
{
    assert_int_equal(message.size, size);
    assert_memory_equal(message.data, bytes, size);
}

static void test_fixed_fields_are_packed_little_endian(void **state)
{
    (void)state;
    struct fil_wire_map_put_request put = {
        .thread_id = 2, .ttl = -2, .name = fil_bytes_of("m"), .key = KEY, .value = VALUE};
    static const char put_bytes[] =
        "\x26\0\0\0\0\xc0\0\1\1\0\7\0\0\0\0\0\0\0\3\0\0\0\2\0\0\0\0\0\0\0"
        "\xfe\xff\xff\xff\xff\xff\xff\xff"
        "\7\0\0\0\0\0m\x0f\0\0\0\0\0\0\0\0\0\xff\xff\xff\xfc\1"
        "\x0f\0\0\0\0\x20\0\0\0\0\xff\xff\xff\xfc\0";
    assert_bytes(wire_sample_encode(&sample, FIL_WIRE_LAYOUT(map_put_request), &put), put_bytes,
                 sizeof(put_bytes) - 1);
}

static void test_a_partition_table_has_its_members_behind_their_partitions(void **state)
{
    (void)state;
    uint8_t members[FIL_WIRE_UUID_SIZE];
    struct fil_bytes owned[] = {fil_bytes_make("\5\0\0\0", 4)};
    fil_wire_store_uuid(members, (struct fil_wire_uuid){.high = UINT64_C(0x0011223344556677),
                                                        .low = UINT64_C(0x8899aabbccddeeff)});
    struct fil_wire_client_add_cluster_view_listener_partitions_view_event view = {
        .version = 9, .partitions = fil_wire_part_items(owned, 1)};
    view.partitions.keys = fil_bytes_make(members, sizeof(members));
    static const char bytes[] =
        "\x1a\0\0\0\0\xc2\3\3\0\0\7\0\0\0\0\0\0\0\3\0\0\0\x09\0\0\0"
        "\6\0\0\0\0\x10\x0a\0\0\0\0\0\5\0\0\0\6\0\0\0\0\x08"
        "\x17\0\0\0\0\x20\0\x77\x66\x55\x44\x33\x22\x11\0\xff\xee\xdd\xcc\xbb\xaa\x99\x88";
    assert_bytes(
        wire_sample_encode(&sample,
                           FIL_WIRE_LAYOUT(client_add_cluster_view_listener_partitions_view_event),
                           &view),
        bytes, sizeof(bytes) - 1);
}

static void test_an_error_has_the_frames_clients_expect(void **state)
{
    (void)state;
    struct fil_wire_error_holder holder = {.error_code = 61, .class_name = fil_bytes_of("U")};
    struct fil_wire_exception_response response = {.errors = fil_wire_part_items(&holder, 1)};
    static const char bytes[] = "\x13\0\0\0\0\xc0\0\0\0\0\7\0\0\0\0\0\0\0\2"
                                "\6\0\0\0\0\x10\6\0\0\0\0\x10\x0a\0\0\0\0\0\x3d\0\0\0"
                                "\7\0\0\0\0\0U\6\0\0\0\0\4"
                                "\6\0\0\0\0\x10\6\0\0\0\0\x08\6\0\0\0\0\x08\6\0\0\0\0\x28";
    assert_bytes(wire_sample_encode(&sample, FIL_WIRE_LAYOUT(exception_response), &response), bytes,
                 sizeof(bytes) - 1);
}

// Headers and numbers.

static void test_headers_survive_the_trip(void **state)
{
    (void)state;
    struct fil_wire_header out = {.correlation = INT64_MIN + 5,
                                  .partition = 270,
                                  .backup_acks = 3,
                                  .flags = FIL_WIRE_BACKUP_AWARE | FIL_WIRE_BACKUP_EVENT};
    struct fil_wire_header in;
    struct fil_wire_map_size_request request = {.name = fil_bytes_of("m")};
    assert_int_equal(FIL_WIRE_ENCODE(map_size_request, &sample.writer, &out, &request), FIL_OK);
    assert_int_equal(fil_wire_header_decode_request(wire_sample_take(&sample), &in), FIL_OK);
    assert_int_equal(in.type, FIL_WIRE_MAP_SIZE);
    assert_int_equal(in.correlation, out.correlation);
    assert_int_equal(in.partition, 270);
    assert_int_equal(in.flags, FIL_WIRE_UNFRAGMENTED | FIL_WIRE_BACKUP_AWARE);
    struct fil_wire_map_size_response response = {.response = 1};
    assert_int_equal(FIL_WIRE_ENCODE(map_size_response, &sample.writer, &out, &response), FIL_OK);
    assert_int_equal(fil_wire_header_decode_reply(wire_sample_take(&sample), &in), FIL_OK);
    assert_int_equal(in.type, FIL_WIRE_MAP_SIZE + 1);
    assert_int_equal(in.backup_acks, 3);
    assert_int_equal(in.partition, -1);
}

static void test_short_headers_are_refused(void **state)
{
    (void)state;
    uint8_t frame[22] = {19, 0, 0, 0, 0, 0xE0};
    struct fil_wire_header header;
    struct fil_bytes message = fil_bytes_make(frame, 19);
    assert_int_equal(fil_wire_header_decode_request(message, &header), FIL_E_MALFORMED);
    assert_int_equal(fil_wire_header_decode_reply(message, &header), FIL_OK);
    frame[5] = 0xE2;
    assert_int_equal(fil_wire_header_decode_reply(message, &header), FIL_E_MALFORMED);
    frame[0] = 22;
    assert_int_equal(fil_wire_header_decode_reply(fil_bytes_make(frame, 22), &header), FIL_OK);
}

static void test_every_request_is_found_by_its_number_and_no_other(void **state)
{
    (void)state;
    uint32_t found = 0;
    for (uint32_t id = 0; id < 0x1000000; id += 0x100) {
        const struct fil_wire_message *message = fil_wire_message_find(id);
        if (message != NULL) {
            assert_int_equal(message->id, id);
            assert_int_equal(message->request->id, id);
            assert_int_equal(message->response->id, id + 1);
            found++;
        }
    }
    assert_int_equal(found, FIL_WIRE_MESSAGE_COUNT);
    assert_null(fil_wire_message_find(FIL_WIRE_MAP_PUT + 1));
    assert_null(fil_wire_message_find(0xFF010100));
    assert_string_equal(fil_wire_message_find(FIL_WIRE_MAP_PUT)->name, "map.put");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_every_message_survives_the_trip, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_every_beginning_of_every_message_asks_for_more, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_damage_never_leaves_the_message, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_direct_readers_read_what_the_codec_reads, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_direct_writers_write_what_the_codec_writes, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_a_missing_newer_fixed_field_has_its_default, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_missing_newer_variable_fields_have_their_defaults,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_unknown_fields_behind_the_known_are_skipped, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_a_field_behind_a_newer_custom_type_is_found, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_null_is_refused_where_a_value_must_be, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_data_of_null_is_refused_where_a_value_must_be, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_missing_fields_are_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_map_needs_a_value_for_every_key, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_keys_and_values_of_a_partition_table_must_match,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_items_streams_and_frames_are_the_same_on_the_wire,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_received_frames_lose_their_end_of_message, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_a_message_beyond_the_limit_leaves_the_output_as_it_was,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_missing_value_is_an_error_of_the_caller, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_without_memory_nothing_is_left_behind, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_decoding_allocates_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_fixed_fields_are_packed_little_endian, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(
            test_a_partition_table_has_its_members_behind_their_partitions, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_an_error_has_the_frames_clients_expect, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_headers_survive_the_trip, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_short_headers_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_every_request_is_found_by_its_number_and_no_other,
                                        set_up, tear_down),
    };
    return cmocka_run_group_tests_name("codec", tests, NULL, NULL);
}
