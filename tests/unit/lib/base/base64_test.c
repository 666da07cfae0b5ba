// SPDX-License-Identifier: Apache-2.0
/** Bytes as text: the vectors of RFC 4648, and nothing without room. */
#include "lib/base/base64.h"
#include "tests/unit/harness.h"

static void test_vectors_of_the_standard(void **state)
{
    (void)state;
    static const char *const vectors[][2] = {
        {"", ""},
        {"f", "Zg=="},
        {"fo", "Zm8="},
        {"foo", "Zm9v"},
        {"foob", "Zm9vYg=="},
        {"fooba", "Zm9vYmE="},
        {"foobar", "Zm9vYmFy"},
    };
    for (size_t i = 0; i < FIL_COUNT_OF(vectors); i++) {
        uint8_t room[16];
        struct fil_writer writer;
        fil_writer_init(&writer, room, sizeof(room));
        assert_true(fil_base64_encode(&writer, fil_bytes_of(vectors[i][0])));
        assert_true(fil_bytes_equal_text(fil_writer_written(&writer), vectors[i][1]));
    }
}

static void test_high_bytes_use_the_whole_alphabet(void **state)
{
    (void)state;
    uint8_t room[8];
    struct fil_writer writer;
    fil_writer_init(&writer, room, sizeof(room));
    assert_true(fil_base64_encode(&writer, fil_bytes_make("\xfb\xff\xfe\x00", 4)));
    assert_true(fil_bytes_equal_text(fil_writer_written(&writer), "+//+AA=="));
}

static void test_nothing_is_written_without_room(void **state)
{
    (void)state;
    uint8_t room[7];
    struct fil_writer writer;
    fil_writer_init(&writer, room, sizeof(room));
    assert_false(fil_base64_encode(&writer, fil_bytes_of("four")));
    assert_int_equal(fil_writer_written(&writer).size, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors_of_the_standard),
        cmocka_unit_test(test_high_bytes_use_the_whole_alphabet),
        cmocka_unit_test(test_nothing_is_written_without_room),
    };
    return cmocka_run_group_tests_name("base64", tests, NULL, NULL);
}
