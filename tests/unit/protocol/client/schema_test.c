// SPDX-License-Identifier: Apache-2.0
/**
 * Numbers of schemas, and the messages other clients were seen to send, one test a promise: a
 * schema has the number other clients give it, in whatever order its fields come; names sort as in
 * UTF-16; two fields of one name and too many fields are refused; ping and the schema request are
 * byte for byte what is on the wire elsewhere.
 */
#include "protocol/client/schema.h"

#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "protocol/client/codec.h"
#include "protocol/client/generated/client.h"
#include "tests/unit/harness.h"
#include "tests/unit/protocol/client/wire_sample.h"

static struct wire_sample sample;

static int set_up(void **state)
{
    (void)state;
    wire_sample_init(&sample, 1);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    wire_sample_fini(&sample);
    return 0;
}

static struct fil_wire_field_descriptor field(const char *name, int32_t kind)
{
    return (struct fil_wire_field_descriptor){.kind = kind, .field_name = fil_bytes_of(name)};
}

static struct fil_bytes encode_request(const char *type_name,
                                       const struct fil_wire_field_descriptor *fields,
                                       uint32_t count)
{
    struct fil_wire_schema schema = {.type_name = fil_bytes_of(type_name),
                                     .fields = fil_wire_part_items(fields, count)};
    struct fil_wire_client_send_schema_request request = {.schema =
                                                              fil_wire_part_items(&schema, 1)};
    return wire_sample_encode(&sample, FIL_WIRE_LAYOUT(client_send_schema_request), &request);
}

/** The number of a schema that came over the wire. */
static int number_schema(const char *type_name, const struct fil_wire_field_descriptor *fields,
                         uint32_t count, int64_t *out_id)
{
    struct fil_wire_client_send_schema_request request;
    struct fil_wire_schema schema;
    struct fil_bytes message = encode_request(type_name, fields, count);
    assert_int_equal(FIL_WIRE_DECODE(client_send_schema_request, message, &request, NULL), FIL_OK);
    assert_true(fil_wire_decode_part(FIL_WIRE_LAYOUT(schema), &request.schema, &schema));
    return fil_wire_schema_id(&schema, out_id);
}

static void test_schemas_have_the_numbers_other_clients_give_them(void **state)
{
    (void)state;
    int64_t id = 0;
    struct fil_wire_field_descriptor employee[] = {field("age", 9), field("name", 17)};
    assert_int_equal(number_schema("employee", employee, 2, &id), FIL_OK);
    assert_true(id == INT64_C(5111716649987055870));
    assert_int_equal(number_schema("x", NULL, 0, &id), FIL_OK);
    assert_true(id == INT64_C(2064085150195812722));
    struct fil_wire_field_descriptor p[] = {field("a", 1), field("b", 11), field("z", 39)};
    assert_int_equal(number_schema("p", p, 3, &id), FIL_OK);
    assert_true(id == INT64_C(-4207156095231835156));
    struct fil_wire_field_descriptor emp[] = {field("act", 1), field("age", 9), field("name", 17),
                                              field("opt", 39)};
    assert_int_equal(number_schema("emp", emp, 4, &id), FIL_OK);
    assert_true((uint64_t)id == UINT64_C(0x9aeba4c00a071421));
}

static void test_the_order_of_fields_does_not_matter(void **state)
{
    (void)state;
    int64_t id = 0;
    struct fil_wire_field_descriptor p[] = {field("z", 39), field("a", 1), field("b", 11)};
    assert_int_equal(number_schema("p", p, 3, &id), FIL_OK);
    assert_true(id == INT64_C(-4207156095231835156));
}

static void test_names_sort_as_in_utf_16(void **state)
{
    (void)state;
    // U+1F600 takes two units that are below U+FF41, although its bytes are above.
    int64_t first = 0;
    int64_t second = 0;
    struct fil_wire_field_descriptor emoji[] = {field("\xf0\x9f\x98\x80", 1),
                                                field("\xef\xbd\x81", 3)};
    struct fil_wire_field_descriptor plain[] = {field("a", 1), field("b", 3)};
    assert_int_equal(number_schema("t", emoji, 2, &first), FIL_OK);
    assert_int_equal(number_schema("t", plain, 2, &second), FIL_OK);
    assert_true(first != second);
    struct fil_wire_field_descriptor turned[] = {emoji[1], emoji[0]};
    assert_int_equal(number_schema("t", turned, 2, &second), FIL_OK);
    assert_true(first == second);
    // The order of the bytes would give another number; this one was worked out by hand in UTF-16.
    assert_true(first == INT64_C(2339189912796249069));
}

static void test_two_fields_of_one_name_are_refused(void **state)
{
    (void)state;
    int64_t id = 0;
    struct fil_wire_field_descriptor twice[] = {field("a", 1), field("a", 3)};
    assert_int_equal(number_schema("t", twice, 2, &id), FIL_E_MALFORMED);
}

static void test_too_many_fields_are_refused(void **state)
{
    (void)state;
    static struct fil_wire_field_descriptor many[FIL_WIRE_SCHEMA_FIELDS_MAX + 1];
    static char names[FIL_WIRE_SCHEMA_FIELDS_MAX + 1][8];
    int64_t id = 0;
    for (uint32_t i = 0; i <= FIL_WIRE_SCHEMA_FIELDS_MAX; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "f%u", i);
        many[i] = field(names[i], 1);
    }
    int64_t shuffled_id = 0;
    assert_int_equal(number_schema("t", many, FIL_WIRE_SCHEMA_FIELDS_MAX, &id), FIL_OK);
    fil_prng_shuffle(&sample.prng, many, FIL_WIRE_SCHEMA_FIELDS_MAX, sizeof(many[0]));
    assert_int_equal(number_schema("t", many, FIL_WIRE_SCHEMA_FIELDS_MAX, &shuffled_id), FIL_OK);
    assert_true(id == shuffled_id);
    assert_int_equal(number_schema("t", many, FIL_WIRE_SCHEMA_FIELDS_MAX + 1, &id), FIL_E_LIMIT);
}

// What was seen on the wire.

static void test_ping_is_what_clients_send_and_expect(void **state)
{
    (void)state;
    static const uint8_t request[] = {0x16, 0, 0, 0, 0, 0xe0, 0, 0x0b, 0,    0,    7,
                                      0,    0, 0, 0, 0, 0,    0, 0xff, 0xff, 0xff, 0xff};
    static const uint8_t response[] = {0x13, 0, 0, 0, 0, 0xe0, 1, 0x0b, 0, 0,
                                       7,    0, 0, 0, 0, 0,    0, 0,    0};
    struct fil_wire_header header = {.correlation = 7, .partition = -1};
    assert_int_equal(
        fil_wire_encode(FIL_WIRE_LAYOUT(client_ping_request), &sample.writer, &header, NULL),
        FIL_OK);
    struct fil_bytes sent = wire_sample_take(&sample);
    assert_true(fil_bytes_equal(sent, fil_bytes_make(request, sizeof(request))));
    assert_int_equal(
        fil_wire_encode(FIL_WIRE_LAYOUT(client_ping_response), &sample.writer, &header, NULL),
        FIL_OK);
    sent = wire_sample_take(&sample);
    assert_true(fil_bytes_equal(sent, fil_bytes_make(response, sizeof(response))));
}

static void test_a_backup_event_has_its_flags(void **state)
{
    (void)state;
    struct fil_wire_header header = {.partition = -1, .flags = FIL_WIRE_BACKUP_EVENT};
    struct fil_wire_client_local_backup_listener_backup_event event = {
        .source_invocation_correlation_id = 5};
    assert_int_equal(
        FIL_WIRE_ENCODE(client_local_backup_listener_backup_event, &sample.writer, &header, &event),
        FIL_OK);
    struct fil_bytes sent = wire_sample_take(&sample);
    assert_int_equal(sent.data[4], 0x80);
    assert_int_equal(sent.data[5], 0xe2);
    assert_int_equal(fil_load_u64_le(sent.data + 6 + 16), 5);
}

static void test_the_schema_request_has_the_frames_of_other_clients(void **state)
{
    (void)state;
    static const int32_t kinds[] = {1, 9, 17, 39};
    struct fil_wire_field_descriptor emp[] = {field("act", 1), field("age", 9), field("name", 17),
                                              field("opt", 39)};
    struct fil_bytes message = encode_request("emp", emp, 4);
    struct fil_wire_cursor cursor;
    struct fil_wire_frame frame;
    struct fil_bytes bytes = {0};
    uint32_t count = 0;
    fil_wire_cursor_init(&cursor, message);
    while (fil_wire_cursor_next(&cursor, &frame)) {
        count++;
    }
    assert_int_equal(count, 22);
    assert_non_null(fil_wire_cursor_open(&cursor, message, FIL_WIRE_REQUEST_SIZE));
    assert_true(fil_wire_cursor_skip(&cursor, FIL_WIRE_BEGIN));
    assert_true(fil_wire_cursor_bytes(&cursor, &bytes) && fil_bytes_equal_text(bytes, "emp"));
    assert_true(fil_wire_cursor_skip(&cursor, FIL_WIRE_BEGIN));
    for (size_t i = 0; i < FIL_COUNT_OF(kinds); i++) {
        assert_true(fil_wire_cursor_skip(&cursor, FIL_WIRE_BEGIN));
        assert_true(fil_wire_cursor_bytes(&cursor, &bytes) && bytes.size == 4);
        assert_int_equal(fil_wire_packed_i32(bytes, 0), kinds[i]);
        assert_true(fil_wire_cursor_bytes(&cursor, &bytes));
        assert_true(fil_bytes_equal(bytes, emp[i].field_name));
        assert_true(fil_wire_cursor_skip(&cursor, FIL_WIRE_END));
    }
    assert_true(fil_wire_cursor_skip(&cursor, FIL_WIRE_END));
    assert_true(fil_wire_cursor_next(&cursor, &frame));
    assert_int_equal(frame.flags, FIL_WIRE_END | FIL_WIRE_FINAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_schemas_have_the_numbers_other_clients_give_them,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_the_order_of_fields_does_not_matter, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_names_sort_as_in_utf_16, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_two_fields_of_one_name_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_too_many_fields_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_ping_is_what_clients_send_and_expect, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_a_backup_event_has_its_flags, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_the_schema_request_has_the_frames_of_other_clients,
                                        set_up, tear_down),
    };
    return cmocka_run_group_tests_name("schema", tests, NULL, NULL);
}
