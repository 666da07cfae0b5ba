// SPDX-License-Identifier: Apache-2.0
/**
 * Attributes of entries, one test a promise: paths into JSON and into compact records give what is
 * there and null for what is not, [any] gives all items, strings come without their escapes,
 * a compact record reads as other clients wrote it, each prefix of one is safe, and what has no
 * known schema is told to be opaque.
 */
#include "protocol/client/query/path.h"

#include <stdio.h>
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "protocol/client/codec.h"
#include "protocol/client/generated/client.h"
#include "protocol/client/schema.h"
#include "protocol/client/serve/schemas.h"
#include "tests/unit/harness.h"
#include "tests/unit/protocol/client/wire_sample.h"

#define BYTES(text) fil_bytes_make(text, sizeof(text) - 1)

static char seen[512];

/** Notes a value as text. */
static bool note(void *context, const struct fil_wire_value *value)
{
    (void)context;
    size_t used = strlen(seen);
    char *to = seen + used;
    size_t room = sizeof(seen) - used;
    switch (value->type) {
    case FIL_WIRE_DATA_STRING:
    case FIL_WIRE_DATA_JSON:
        (void)snprintf(to, room, "%.*s;", (int)value->text.size, (const char *)value->text.data);
        break;
    case FIL_WIRE_DATA_BOOLEAN:
        (void)snprintf(to, room, "%s;", value->boolean ? "true" : "false");
        break;
    case FIL_WIRE_DATA_FLOAT:
    case FIL_WIRE_DATA_DOUBLE:
        (void)snprintf(to, room, "%g;", value->real);
        break;
    case FIL_WIRE_DATA_BYTE:
    case FIL_WIRE_DATA_SHORT:
    case FIL_WIRE_DATA_INTEGER:
    case FIL_WIRE_DATA_LONG:
        (void)snprintf(to, room, "%lld;", (long long)value->integer);
        break;
    case FIL_WIRE_DATA_NULL:
    case FIL_WIRE_DATA_BYTES:
    case FIL_WIRE_DATA_UUID:
        (void)snprintf(to, room, "null;");
    }
    return false;
}

static const char *look(const char *path_text, struct fil_query_entry *entry)
{
    struct fil_query_path path;
    assert_int_equal(fil_query_path_parse(fil_bytes_of(path_text), &path), FIL_OK);
    seen[0] = '\0';
    assert_false(fil_query_path_visit(&path, entry, note, NULL));
    return seen;
}

static void test_paths_into_json(void **state)
{
    (void)state;
    struct fil_query_entry entry = {
        .key = fil_bytes_of("{\"id\":7}"),
        .value = fil_bytes_of("{ \"a\" : {\"b\":[1,{\"c\":\"x\\ty\"},2.5]}, \"t\":true, "
                              "\"n\\u0061me\":\"N\", \"big\":1e300, \"e\":[] }")};
    assert_string_equal(look("a.b[0]", &entry), "1;");
    assert_string_equal(look("a.b[1].c", &entry), "x\ty;");
    assert_string_equal(look("a.b[2]", &entry), "2.5;");
    assert_string_equal(look("a.b[3]", &entry), "null;");
    assert_string_equal(look("a.b[any].c", &entry), "null;x\ty;null;");
    assert_string_equal(look("this.t", &entry), "true;");
    assert_string_equal(look("name", &entry), "N;");
    assert_string_equal(look("big", &entry), "1e+300;");
    assert_string_equal(look("e[any]", &entry), "");
    assert_string_equal(look("t.x", &entry), "null;");
    assert_string_equal(look("__key.id", &entry), "7;");
    assert_string_equal(look("a.b[1]", &entry), "{\"c\":\"x\\ty\"};");
    assert_false(entry.is_opaque);
}

static void test_text_without_sense_has_no_attributes(void **state)
{
    (void)state;
    static const char *const texts[] = {"{",          "{\"a\"",    "{\"a\":",           "{a:1}",
                                        "[",          "{\"a\" 1}", "{\"b\":1 \"a\":2}", "plain",
                                        "{\"a\":tru}"};
    for (size_t i = 0; i < FIL_COUNT_OF(texts); i++) {
        struct fil_query_entry entry = {.key = fil_bytes_of("k"), .value = fil_bytes_of(texts[i])};
        assert_string_equal(look("a", &entry), "null;");
        assert_string_equal(look("this[0]", &entry), "null;");
    }
}

static void test_paths_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"", ".", "a.", ".a", "a[", "a[]", "a[x]", "a[1", "a[1]b"};
    struct fil_query_path path;
    for (size_t i = 0; i < FIL_COUNT_OF(bad); i++) {
        assert_int_equal(fil_query_path_parse(fil_bytes_of(bad[i]), &path), FIL_E_MALFORMED);
    }
    assert_int_equal(fil_query_path_parse(fil_bytes_of("a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q"), &path),
                     FIL_E_LIMIT);
}

// Compact.

static struct wire_sample sample;
static struct fil_budget budget;
static struct fil_wire_schemas schemas;

static struct fil_wire_field_descriptor field(const char *name, int32_t kind)
{
    return (struct fil_wire_field_descriptor){.kind = kind, .field_name = fil_bytes_of(name)};
}

static int64_t add_schema(const char *type_name, const struct fil_wire_field_descriptor *fields,
                          uint32_t count)
{
    struct fil_wire_schema schema = {.type_name = fil_bytes_of(type_name),
                                     .fields = fil_wire_part_items(fields, count)};
    struct fil_wire_client_send_schema_request request = {.schema =
                                                              fil_wire_part_items(&schema, 1)};
    struct fil_bytes message =
        wire_sample_encode(&sample, FIL_WIRE_LAYOUT(client_send_schema_request), &request);
    assert_int_equal(FIL_WIRE_DECODE(client_send_schema_request, message, &request, NULL), FIL_OK);
    assert_int_equal(fil_wire_schemas_put(&schemas, &request.schema), FIL_OK);
    struct fil_wire_schema decoded;
    int64_t id = 0;
    assert_true(fil_wire_decode_part(FIL_WIRE_LAYOUT(schema), &request.schema, &decoded));
    assert_int_equal(fil_wire_schema_id(&decoded, &id), FIL_OK);
    return id;
}

static int set_up(void **state)
{
    (void)state;
    wire_sample_init(&sample, 1);
    fil_budget_init(&budget, 1U << 20);
    fil_wire_schemas_init(&schemas, &budget);
    struct fil_wire_field_descriptor emp[] = {field("act", 1), field("age", 9), field("name", 17),
                                              field("opt", 39)};
    (void)add_schema("emp", emp, FIL_COUNT_OF(emp));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_wire_schemas_fini(&schemas);
    wire_sample_fini(&sample);
    return 0;
}

// Age 33, name "Bo", active, opt null; written by another client.
#define EMPLOYEE                                                                                   \
    BYTES("\0\0\0\0\xff\xff\xff\xc9\x9a\xeb\xa4\xc0\x0a\x07\x14\x21\0\0\0\x0b\0\0\0\x21\1\0\0\0\2" \
          "Bo\5\xff")

static void test_compact_records_of_other_clients(void **state)
{
    (void)state;
    struct fil_query_entry entry = {
        .key = fil_bytes_of("k"), .value = EMPLOYEE, .schemas = &schemas};
    assert_string_equal(look("age", &entry), "33;");
    assert_string_equal(look("name", &entry), "Bo;");
    assert_string_equal(look("act", &entry), "true;");
    assert_string_equal(look("opt", &entry), "null;");
    assert_string_equal(look("absent", &entry), "null;");
    assert_string_equal(look("name.x", &entry), "null;");
    assert_string_equal(look("name[0]", &entry), "null;");
    assert_false(entry.is_opaque);
}

static void test_each_prefix_of_a_record_is_safe(void **state)
{
    (void)state;
    struct fil_bytes whole = EMPLOYEE;
    for (size_t size = 8; size < whole.size; size++) {
        uint8_t *copy = fil_alloc(size);
        assert_non_null(copy);
        memcpy(copy, whole.data, size);
        struct fil_query_entry entry = {
            .key = fil_bytes_of("k"), .value = fil_bytes_make(copy, size), .schemas = &schemas};
        (void)look("name", &entry);
        (void)look("act", &entry);
        assert_string_equal(look("opt", &entry), "null;");
        fil_free(copy);
    }
}

static void test_arrays_and_records_inside_of_records(void **state)
{
    (void)state;
    // Sorted by name: bits, inner, items, nums, words.
    struct fil_wire_field_descriptor fields[] = {field("words", 18), field("nums", 10),
                                                 field("bits", 2), field("inner", 29),
                                                 field("items", 40)};
    int64_t id = add_schema("team", fields, FIL_COUNT_OF(fields));
    uint8_t data[256] = {0, 0, 0, 0, 0xff, 0xff, 0xff, 0xc9};
    struct fil_bytes body =
        BYTES("\0\0\0\0\0\0\0\0" // its place
              "\0\0\0\x47"
              "\0\0\0\3\5" // 0: bits 1,0,1
              "\x9a\xeb\xa4\xc0\x0a\x07\x14\x21\0\0\0\x0b\0\0\0\x21\1\0\0\0\2Bo\5\xff" // 5: inner
              "\0\0\0\4\0\0\0\2\0\0\0\7\xff\0"   // 30: items null, 7
              "\0\0\0\2\0\0\0\1\xff\xff\xff\xff" // 44: nums 1, -1
              "\0\0\0\6\0\0\0\1\0\0\0\2hi\0"     // 56: words hi
              "\0\5\x1e\x2c\x38");
    memcpy(data + 8, body.data, body.size);
    fil_store_u64_be(data + 8, (uint64_t)id);
    struct fil_query_entry entry = {.key = fil_bytes_of("k"),
                                    .value = fil_bytes_make(data, 8 + body.size),
                                    .schemas = &schemas};
    assert_string_equal(look("bits[any]", &entry), "true;false;true;");
    assert_string_equal(look("inner.name", &entry), "Bo;");
    assert_string_equal(look("items[any]", &entry), "null;7;");
    assert_string_equal(look("nums[1]", &entry), "-1;");
    assert_string_equal(look("nums[2]", &entry), "null;");
    assert_string_equal(look("words[0]", &entry), "hi;");
    assert_string_equal(look("words[any]", &entry), "hi;");
}

static void test_what_has_no_known_schema_is_opaque(void **state)
{
    (void)state;
    struct fil_query_entry entry = {.key = fil_bytes_of("k"), .value = EMPLOYEE};
    assert_string_equal(look("age", &entry), "null;");
    assert_true(entry.is_opaque);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths_into_json),
        cmocka_unit_test(test_text_without_sense_has_no_attributes),
        cmocka_unit_test(test_paths_that_make_no_sense_are_refused),
        cmocka_unit_test_setup_teardown(test_compact_records_of_other_clients, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_each_prefix_of_a_record_is_safe, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_arrays_and_records_inside_of_records, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_what_has_no_known_schema_is_opaque, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("path", tests, NULL, NULL);
}
