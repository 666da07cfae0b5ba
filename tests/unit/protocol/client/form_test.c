// SPDX-License-Identifier: Apache-2.0
/**
 * The form that a map keeps of serialized keys and values, one test a promise: strings are the
 * text that other protocols write; whatever a client writes is what it reads, byte for byte; what
 * other protocols write is read as a string or as bytes; a key is looked for in the partition that
 * clients compute, by its form too; a key that brings its hash is known by where it lives.
 */
#include "protocol/client/form.h"

#include "grid/map/form.h"
#include "lib/mem/budget.h"
#include "lib/mem/chunk.h"
#include "lib/mem/pool.h"
#include "protocol/client/serialization.h"
#include "tests/unit/harness.h"

#define PARTITIONS  271U
#define BYTES(text) fil_bytes_make(text, sizeof(text) - 1)

#define STRING "\0\0\0\0\xff\xff\xff\xf5"
#define ARRAY  "\0\0\0\0\xff\xff\xff\xf4"

static struct fil_budget budget;
static struct fil_pool pool;
static struct fil_chunk_queue queue;
static struct fil_wire_writer writer;

static int set_up(void **state)
{
    (void)state;
    fil_budget_init(&budget, UINT64_C(1) << 20);
    fil_chunk_pool_init(&pool, &budget, 8);
    fil_chunk_queue_init(&queue);
    fil_wire_writer_init(&writer, &queue, &pool, FIL_WIRE_FRAME_MAX);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fil_chunk_queue_clear(&queue);
    fil_pool_fini(&pool);
    return 0;
}

/** What the last frame that was written says. */
static struct fil_bytes written(void)
{
    struct fil_bytes slice;
    assert_int_equal(fil_chunk_queue_slices(&queue, &slice, 1), 1);
    return fil_bytes_make(slice.data + FIL_WIRE_FRAME_HEADER, slice.size - FIL_WIRE_FRAME_HEADER);
}

static struct fil_bytes data_of(struct fil_bytes form)
{
    fil_chunk_queue_clear(&queue);
    fil_wire_writer_form(&writer, form);
    return written();
}

static struct fil_bytes form_of(struct fil_bytes data)
{
    struct fil_bytes form;
    assert_true(fil_wire_form_of_value(data, &form));
    return form;
}

static void test_strings_are_text(void **state)
{
    (void)state;
    assert_true(fil_bytes_equal(form_of(BYTES(STRING "\0\0\0\5hello")), BYTES("hello")));
    assert_true(fil_bytes_equal(form_of(BYTES(STRING "\0\0\0\0")), BYTES("")));
    assert_true(fil_bytes_equal(form_of(BYTES(ARRAY "\0\0\0\2\xff\xd8")), BYTES("\xff\xd8")));
    assert_true(fil_bytes_equal(fil_wire_form_of_key(BYTES(STRING "\0\0\0\3key")), BYTES("key")));
}

static void test_what_is_written_is_read(void **state)
{
    (void)state;
    static const struct {
        const char *data;
        size_t size;
    } cases[] = {
#define CASE(text) {text, sizeof(text) - 1}
        CASE(STRING "\0\0\0\5hello"),
        CASE(STRING "\0\0\0\0"),
        CASE(STRING "\0\0\0\2\xc3\xbc"),
        CASE(STRING "\0\0\0\1\xff"),                   // no UTF-8
        CASE(STRING "\0\0\0\7short"),                  // a wrong length
        CASE(STRING "\xff\xff\xff\xff"),               // null
        CASE(STRING "\0\0\0\x9\0\0\0\0\0\0\0\1x"),     // text that looks serialized
        CASE(STRING "\0\0\0\x8\0\0\0\0\0\0\0\0"),      // text that does not
        CASE(ARRAY "\0\0\0\2\xff\xd8"),                // no UTF-8
        CASE(ARRAY "\0\0\0\5hello"),                   // would be taken for a string
        CASE(ARRAY "\0\0\0\0"),                        // likewise
        CASE(ARRAY "\0\0\0\x8\1\2\3\4\xff\xff\xff\1"), // looks like a key with a hash
        CASE("\0\0\0\0\xff\xff\xff\xf9\0\0\0\1"),      // a number
        CASE("\0\0\0\0\xff\xff\xff\x7e\0\0\0\2{}"),    // JSON
        CASE("\0\0\0\0\0\0\0\x2a"),                    // of a client's own type
        CASE("\1\2\3\4\xff\xff\xff\xf5\0\0\0\1k"),     // with a hash
    };
    for (size_t i = 0; i < FIL_COUNT_OF(cases); i++) {
        struct fil_bytes data = fil_bytes_make(cases[i].data, cases[i].size);
        struct fil_bytes form = form_of(data);
        struct fil_bytes again = data_of(form);
        if (fil_load_u32_be(data.data) == 0 || form.data == data.data) {
            assert_true(fil_bytes_equal(again, data));
        } else {
            // A hash means nothing for a value.
            assert_true(
                fil_bytes_equal(fil_wire_data_identity(again), fil_wire_data_identity(data)));
        }
    }
}

static void test_value_that_could_be_text_is_refused(void **state)
{
    (void)state;
    struct fil_bytes form;
    assert_false(fil_wire_form_of_value(BYTES("abcd\0\0\0\5efgh"), &form));
}

static void test_other_protocols_write_strings_and_bytes(void **state)
{
    (void)state;
    assert_true(fil_bytes_equal(data_of(BYTES("v")), BYTES(STRING "\0\0\0\1v")));
    assert_true(fil_bytes_equal(data_of(BYTES("\x80")), BYTES(ARRAY "\0\0\0\1\x80")));
    assert_int_equal(fil_wire_form_type(BYTES("\xff\xd8\xff\xe0 image")), FIL_WIRE_DATA_BYTES);
    assert_int_equal(fil_wire_form_type(BYTES("\0\0\0\0\0\0\0\0\0")), FIL_WIRE_DATA_STRING);
}

static void test_key_lives_where_clients_look(void **state)
{
    (void)state;
    static const struct {
        const char *data;
        size_t size;
    } cases[] = {
        CASE(STRING "\0\0\0\1k"),           CASE(STRING "\0\0\0\x10sixteen letters!"),
        CASE(ARRAY "\0\0\0\2\xff\xd8"),     CASE("\0\0\0\0\xff\xff\xff\xf9\0\0\0\1"),
        CASE("\0\0\0\0\0\0\0\x2a payload"), CASE("\1\2\3\4\xff\xff\xff\xf5\0\0\0\1k"),
    };
    for (size_t i = 0; i < FIL_COUNT_OF(cases); i++) {
        struct fil_bytes data = fil_bytes_make(cases[i].data, cases[i].size);
        assert_int_equal(fil_map_form_partition(fil_wire_form_of_key(data), PARTITIONS),
                         fil_wire_partition_of_key(data, PARTITIONS));
    }
}

static void test_key_with_a_hash_is_known_by_its_place(void **state)
{
    (void)state;
    struct fil_bytes data = BYTES("abcd\0\0\0\5efgh"); // UTF-8 as well
    struct fil_bytes form = fil_wire_form_of_key(data);
    struct fil_wire_form_place place = {fil_wire_partition_of_key(data, PARTITIONS), PARTITIONS};
    assert_true(fil_bytes_equal(form, data));
    fil_wire_writer_form_key(&writer, form, place);
    assert_true(fil_bytes_equal(written(), data));
    fil_chunk_queue_clear(&queue);
    place.partition_id = fil_map_form_partition(form, PARTITIONS);
    fil_wire_writer_form_key(&writer, form, place);
    assert_int_equal(fil_wire_data_type(written()), FIL_WIRE_DATA_STRING);
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_strings_are_text),
        TEST(test_what_is_written_is_read),
        TEST(test_value_that_could_be_text_is_refused),
        TEST(test_other_protocols_write_strings_and_bytes),
        TEST(test_key_lives_where_clients_look),
        TEST(test_key_with_a_hash_is_known_by_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
