// SPDX-License-Identifier: Apache-2.0
/**
 * Serialized values, one test a promise: the bytes, hashes and partitions are those that other
 * clients make (vectors taken from them); every value of a common type survives the trip; a payload
 * that is not of its type is refused, and other types are said to be opaque; a key's own hash
 * places it but does not make it another key; an object lives where its name, or what stands behind
 * its sign, says.
 */
#include "protocol/client/serialization.h"

#include <float.h>

#include "filbert/error.h"
#include "tests/unit/harness.h"

#define PARTITIONS 271U

struct vector {
    struct fil_wire_value value;
    struct fil_bytes data;
    int32_t hash;
    uint32_t partition;
};

#define BYTES(text)                                               \
    {                                                             \
        .data = (const uint8_t *)(text), .size = sizeof(text) - 1 \
    }
#define TEXT(kind, content)                                  \
    {                                                        \
        .type = FIL_WIRE_DATA_##kind, .text = BYTES(content) \
    }

static const struct vector vectors[] = {
    {TEXT(STRING, "k"), BYTES("\0\0\0\0\xff\xff\xff\xf5\0\0\0\1k"), 211586814, 41},
    {TEXT(STRING, ""), BYTES("\0\0\0\0\xff\xff\xff\xf5\0\0\0\0"), 923237662, 11},
    {TEXT(STRING, "\xc3\xbc\xe2\x82\xac"),
     BYTES("\0\0\0\0\xff\xff\xff\xf5\0\0\0\5\xc3\xbc\xe2\x82\xac"), -1876825910, 234},
    {{.type = FIL_WIRE_DATA_INTEGER, .integer = 1},
     BYTES("\0\0\0\0\xff\xff\xff\xf9\0\0\0\1"),
     768969306,
     31},
    {{.type = FIL_WIRE_DATA_LONG, .integer = 1},
     BYTES("\0\0\0\0\xff\xff\xff\xf8\0\0\0\0\0\0\0\1"),
     1824103549,
     110},
    {{.type = FIL_WIRE_DATA_DOUBLE, .real = 1.0},
     BYTES("\0\0\0\0\xff\xff\xff\xf6\x3f\xf0\0\0\0\0\0\0"),
     -302536677,
     136},
    {{.type = FIL_WIRE_DATA_BOOLEAN, .boolean = true},
     BYTES("\0\0\0\0\xff\xff\xff\xfc\1"),
     535970202,
     223},
    {{.type = FIL_WIRE_DATA_UUID,
      .uuid = {.high = UINT64_C(0x0011223344556677), .low = UINT64_C(0x8899aabbccddeeff)}},
     BYTES("\0\0\0\0\xff\xff\xff\xeb\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee"
           "\xff"),
     1456245464,
     135},
    {TEXT(JSON, "{\"a\":1}"), BYTES("\0\0\0\0\xff\xff\xff\x7e\0\0\0\7{\"a\":1}"), 1343167611, 13},
    {TEXT(BYTES, "\1\2"), BYTES("\0\0\0\0\xff\xff\xff\xf4\0\0\0\2\1\2"), 1680580340, 127},
};

/** Types that are opaque to us have hashes all the same. */
static const struct vector opaque_vectors[] = {
    {{0},
     BYTES("\0\0\0\0\xff\xff\xff\xe3\0\0\0\2\xff\xff\xff\xf5\0\0\0\1a\xff\xff\xff\xf9\0\0\0\1"),
     -1787296799,
     38},
    {{0}, BYTES("\0\0\0\0\xff\xff\xff\xcd\0\0\7\xe8\2\x1d"), 898301494, 179},
    {{0}, BYTES("\0\0\0\0\xff\xff\xff\xe5\0\0\0\2\4\xd2\0\0\0\2"), -2018673189, 151},
};

static struct fil_bytes encode(const struct fil_wire_value *value, uint8_t *memory, size_t size)
{
    struct fil_writer writer;
    fil_writer_init(&writer, memory, size);
    assert_int_equal(fil_wire_value_encode(value, &writer), FIL_OK);
    return fil_writer_written(&writer);
}

static void assert_same_value(const struct fil_wire_value *a, const struct fil_wire_value *b)
{
    uint8_t first[64];
    uint8_t second[64];
    assert_int_equal(a->type, b->type);
    assert_true(
        fil_bytes_equal(encode(a, first, sizeof(first)), encode(b, second, sizeof(second))));
}

static void test_bytes_are_those_of_other_clients(void **state)
{
    (void)state;
    for (size_t i = 0; i < FIL_COUNT_OF(vectors); i++) {
        uint8_t memory[64];
        struct fil_bytes data = encode(&vectors[i].value, memory, sizeof(memory));
        assert_true(fil_bytes_equal(data, vectors[i].data));
        assert_int_equal(fil_wire_value_size(&vectors[i].value), data.size);
    }
}

static void test_bytes_of_other_clients_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < FIL_COUNT_OF(vectors); i++) {
        struct fil_wire_value value;
        assert_int_equal(fil_wire_value_decode(vectors[i].data, &value), FIL_OK);
        assert_same_value(&value, &vectors[i].value);
        if (value.type == FIL_WIRE_DATA_STRING) {
            assert_true(fil_bytes_equal(value.text, vectors[i].value.text));
        }
    }
}

static void assert_placed(const struct vector *vector)
{
    assert_int_equal(fil_wire_data_hash(vector->data), vector->hash);
    assert_int_equal(fil_wire_partition_of_key(vector->data, PARTITIONS), vector->partition);
}

static void test_keys_are_placed_as_other_clients_place_them(void **state)
{
    (void)state;
    for (size_t i = 0; i < FIL_COUNT_OF(vectors); i++) {
        assert_placed(&vectors[i]);
    }
    for (size_t i = 0; i < FIL_COUNT_OF(opaque_vectors); i++) {
        assert_placed(&opaque_vectors[i]);
    }
}

static void test_other_types_are_opaque(void **state)
{
    (void)state;
    struct fil_wire_value value;
    for (size_t i = 0; i < FIL_COUNT_OF(opaque_vectors); i++) {
        assert_int_equal(fil_wire_value_decode(opaque_vectors[i].data, &value), FIL_E_UNSUPPORTED);
    }
}

static void assert_integer_trip(enum fil_wire_data_type type, int64_t integer)
{
    uint8_t memory[32];
    struct fil_wire_value in = fil_wire_value_integer(type, integer);
    struct fil_wire_value out;
    assert_int_equal(fil_wire_value_decode(encode(&in, memory, sizeof(memory)), &out), FIL_OK);
    assert_int_equal(out.type, type);
    assert_int_equal(out.integer, integer);
}

static void test_integers_survive_the_trip(void **state)
{
    (void)state;
    assert_integer_trip(FIL_WIRE_DATA_BYTE, INT8_MIN);
    assert_integer_trip(FIL_WIRE_DATA_SHORT, INT16_MIN);
    assert_integer_trip(FIL_WIRE_DATA_SHORT, INT16_MAX);
    assert_integer_trip(FIL_WIRE_DATA_INTEGER, INT32_MIN);
    assert_integer_trip(FIL_WIRE_DATA_LONG, INT64_MIN);
    assert_integer_trip(FIL_WIRE_DATA_LONG, INT64_MAX);
}

static void test_reals_and_null_survive_the_trip(void **state)
{
    (void)state;
    uint8_t memory[32];
    struct fil_wire_value out;
    struct fil_wire_value half = fil_wire_value_real(FIL_WIRE_DATA_FLOAT, -0.5);
    assert_int_equal(fil_wire_value_decode(encode(&half, memory, sizeof(memory)), &out), FIL_OK);
    assert_true(out.real <= -0.5 && out.real >= -0.5);
    struct fil_wire_value least = fil_wire_value_real(FIL_WIRE_DATA_DOUBLE, DBL_MIN);
    assert_int_equal(fil_wire_value_decode(encode(&least, memory, sizeof(memory)), &out), FIL_OK);
    assert_true(out.real <= DBL_MIN && out.real >= DBL_MIN);
    struct fil_wire_value null = {.type = FIL_WIRE_DATA_NULL};
    struct fil_bytes data = encode(&null, memory, sizeof(memory));
    assert_int_equal(data.size, FIL_WIRE_DATA_SIZE_MIN);
    assert_int_equal(fil_wire_value_decode(data, &out), FIL_OK);
    assert_int_equal(out.type, FIL_WIRE_DATA_NULL);
}

static void test_every_other_size_of_a_payload_is_refused(void **state)
{
    (void)state;
    struct fil_wire_value value;
    for (size_t i = 0; i < FIL_COUNT_OF(vectors); i++) {
        uint8_t memory[64] = {0};
        size_t whole = vectors[i].data.size;
        memcpy(memory, vectors[i].data.data, whole);
        for (size_t size = 0; size <= whole + 1; size++) {
            int wanted = size == whole ? FIL_OK : FIL_E_MALFORMED;
            assert_int_equal(fil_wire_value_decode(fil_bytes_make(memory, size), &value), wanted);
        }
    }
}

static void test_a_value_that_does_not_fit_is_left_out(void **state)
{
    (void)state;
    uint8_t memory[12];
    struct fil_writer writer;
    struct fil_wire_value value = fil_wire_value_text(FIL_WIRE_DATA_STRING, fil_bytes_of("k"));
    fil_writer_init(&writer, memory, sizeof(memory));
    assert_int_equal(fil_wire_value_encode(&value, &writer), FIL_E_FULL);
    assert_int_equal(writer.size, 0);
}

static void test_a_key_that_brings_its_hash_is_placed_by_it(void **state)
{
    (void)state;
    struct fil_bytes placed = fil_bytes_make("\xff\xff\xff\xfb\xff\xff\xff\xfc\1", 9);
    struct fil_bytes plain = fil_bytes_make("\0\0\0\0\xff\xff\xff\xfc\1", 9);
    assert_int_equal(fil_wire_data_hash(placed), -5);
    assert_int_equal(fil_wire_partition_of_key(placed, PARTITIONS), 5);
    assert_true(fil_bytes_equal(fil_wire_data_identity(placed), fil_wire_data_identity(plain)));
    assert_int_equal(fil_wire_data_type(placed), FIL_WIRE_DATA_BOOLEAN);
}

static void test_the_hash_without_an_absolute_value_is_in_partition_0(void **state)
{
    (void)state;
    assert_int_equal(fil_murmur3_partition(INT32_MIN, PARTITIONS), 0);
    assert_int_equal(fil_murmur3_partition(INT32_MIN + 1, PARTITIONS),
                     (uint32_t)INT32_MAX % PARTITIONS);
    assert_int_equal(fil_murmur3_partition(-1, 1), 0);
}

static void test_a_name_is_placed_as_its_text(void **state)
{
    (void)state;
    assert_int_equal(fil_wire_partition_of_name(fil_bytes_of("k"), PARTITIONS), 41);
    assert_int_equal(fil_wire_partition_of_name(fil_bytes_of(""), PARTITIONS), 11);
    assert_int_equal(fil_wire_partition_of_name(fil_bytes_of("\xc3\xbc\xe2\x82\xac"), PARTITIONS),
                     234);
    assert_int_equal(fil_wire_partition_of_name(fil_bytes_of("queue@k"), PARTITIONS), 41);
    assert_int_equal(fil_wire_partition_of_name(fil_bytes_of("queue@"), PARTITIONS), 11);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes_are_those_of_other_clients),
        cmocka_unit_test(test_bytes_of_other_clients_are_read),
        cmocka_unit_test(test_keys_are_placed_as_other_clients_place_them),
        cmocka_unit_test(test_other_types_are_opaque),
        cmocka_unit_test(test_integers_survive_the_trip),
        cmocka_unit_test(test_reals_and_null_survive_the_trip),
        cmocka_unit_test(test_every_other_size_of_a_payload_is_refused),
        cmocka_unit_test(test_a_value_that_does_not_fit_is_left_out),
        cmocka_unit_test(test_a_key_that_brings_its_hash_is_placed_by_it),
        cmocka_unit_test(test_the_hash_without_an_absolute_value_is_in_partition_0),
        cmocka_unit_test(test_a_name_is_placed_as_its_text),
    };
    return cmocka_run_group_tests_name("serialization", tests, NULL, NULL);
}
