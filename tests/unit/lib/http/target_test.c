// SPDX-License-Identifier: Apache-2.0
/**
 * The target helpers' contract:
 * paths split at slashes and queries at ampersands before anything is decoded; decoding is exact,
 * refuses broken escapes, copies only what it must, and leaves a full writer as it was; parameters
 * are found by their decoded name; what is encoded decodes to itself.
 */
#include "lib/http/target.h"

#include "tests/unit/lib/http/feed.h"

static void test_paths_split_into_segments(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        const char *segments; // joined with '|', each ended by one
    } cases[] = {
        {"/", "|"},
        {"/a", "a|"},
        {"/a/", "a||"},
        {"//a", "|a|"},
        {"/a/b/c", "a|b|c|"},
        {"/a%2Fb/c", "a%2Fb|c|"},
        {"*", ""},
        {"", ""},
        {"/..//", "..|||"},
    };
    for (size_t i = 0; i < FIL_COUNT_OF(cases); i++) {
        struct fil_bytes path = fil_bytes_of(cases[i].path);
        struct fil_bytes segment;
        char joined[64];
        struct fil_writer writer;
        fil_writer_init(&writer, joined, sizeof(joined));
        while (fil_http_target_next_segment(&path, &segment)) {
            fil_writer_bytes(&writer, segment);
            fil_writer_text(&writer, "|");
        }
        assert_bytes_text(fil_writer_written(&writer), cases[i].segments);
    }
}

static void test_queries_split_into_parameters(void **state)
{
    (void)state;
    static const struct {
        const char *query;
        const char *parameters; // <name|value> each
    } cases[] = {
        {"", ""},
        {"a=1", "<a|1>"},
        {"a=1&b=2", "<a|1><b|2>"},
        {"a", "<a|>"},
        {"a=", "<a|>"},
        {"=b", "<|b>"},
        {"=", "<|>"},
        {"a=b=c", "<a|b=c>"},
        {"&&a=1&&b&", "<a|1><b|>"},
        {"&", ""},
        {"a%26b=c%3Dd&e+f=g", "<a%26b|c%3Dd><e+f|g>"},
        {"a;b=c", "<a;b|c>"},
        {"a=?/", "<a|?/>"},
    };
    for (size_t i = 0; i < FIL_COUNT_OF(cases); i++) {
        struct fil_bytes query = fil_bytes_of(cases[i].query);
        struct fil_http_parameter parameter;
        char joined[64];
        struct fil_writer writer;
        fil_writer_init(&writer, joined, sizeof(joined));
        while (fil_http_target_next_parameter(&query, &parameter)) {
            fil_writer_text(&writer, "<");
            fil_writer_bytes(&writer, parameter.name);
            fil_writer_text(&writer, "|");
            fil_writer_bytes(&writer, parameter.value);
            fil_writer_text(&writer, ">");
        }
        assert_bytes_text(fil_writer_written(&writer), cases[i].parameters);
    }
}

static void test_decoding_is_exact(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        struct fil_bytes path;
        struct fil_bytes query;
    } cases[] = {
        {"%41", BYTES("A"), BYTES("A")},
        {"a%20b", BYTES("a b"), BYTES("a b")},
        {"a+b", BYTES("a+b"), BYTES("a b")},
        {"a+b%2b", BYTES("a+b+"), BYTES("a b+")},
        {"%00x%fF", BYTES("\0x\xff"), BYTES("\0x\xff")},
        {"%2F%2e%2E", BYTES("/.."), BYTES("/..")},
        {"%2541", BYTES("%41"), BYTES("%41")},
        {"%c3%a9t%C3%A9", BYTES("\xc3\xa9t\xc3\xa9"), BYTES("\xc3\xa9t\xc3\xa9")},
        {"plain", BYTES("plain"), BYTES("plain")},
        {"", BYTES(""), BYTES("")},
    };
    for (size_t i = 0; i < FIL_COUNT_OF(cases); i++) {
        uint8_t memory[64];
        struct fil_writer writer;
        struct fil_bytes decoded;
        struct fil_bytes text = feed_copy(fil_bytes_of(cases[i].text));
        fil_writer_init(&writer, memory, sizeof(memory));
        assert_int_equal(fil_http_target_decode(text, &writer, &decoded), FIL_OK);
        assert_bytes_equal(decoded, cases[i].path);
        assert_int_equal(fil_http_target_decode_query(text, &writer, &decoded), FIL_OK);
        assert_bytes_equal(decoded, cases[i].query);
        feed_free(text);
    }
}

static void test_broken_escapes_are_refused(void **state)
{
    (void)state;
    static const char *const cases[] = {"%",   "a%",  "%4",  "%4g",    "%g4",    "%%41",
                                        "%-1", "%+1", "% 1", "%u0041", "ok%41%", "%0x"};
    for (size_t i = 0; i < FIL_COUNT_OF(cases); i++) {
        uint8_t memory[64];
        struct fil_writer writer;
        struct fil_bytes decoded;
        struct fil_bytes text = feed_copy(fil_bytes_of(cases[i]));
        fil_writer_init(&writer, memory, sizeof(memory));
        assert_int_equal(fil_http_target_decode(text, &writer, &decoded), FIL_E_MALFORMED);
        assert_int_equal(fil_http_target_decode_query(text, &writer, &decoded), FIL_E_MALFORMED);
        assert_int_equal(writer.size, 0);
        feed_free(text);
    }
}

static void test_plain_text_is_not_copied(void **state)
{
    (void)state;
    struct fil_writer writer;
    struct fil_bytes decoded;
    struct fil_bytes text = fil_bytes_of("plain-text");
    fil_writer_init(&writer, NULL, 0);
    assert_int_equal(fil_http_target_decode(text, &writer, &decoded), FIL_OK);
    assert_ptr_equal(decoded.data, text.data);
    assert_int_equal(decoded.size, text.size);
    assert_int_equal(fil_http_target_decode(fil_bytes_make(NULL, 0), &writer, &decoded), FIL_OK);
    assert_int_equal(decoded.size, 0);
}

static void test_a_writer_without_room_stays_as_it_was(void **state)
{
    (void)state;
    uint8_t memory[4];
    struct fil_writer writer;
    struct fil_bytes decoded;
    fil_writer_init(&writer, memory, sizeof(memory));
    assert_int_equal(fil_http_target_decode(fil_bytes_of("%41bcde"), &writer, &decoded),
                     FIL_E_FULL);
    assert_int_equal(writer.size, 0);
    assert_false(writer.is_full);
    assert_int_equal(fil_http_target_decode(fil_bytes_of("%41bcd"), &writer, &decoded), FIL_OK);
    assert_bytes_text(decoded, "Abcd");
    assert_int_equal(fil_http_target_decode(fil_bytes_of("%41"), &writer, &decoded), FIL_E_FULL);
    assert_bytes_text(fil_writer_written(&writer), "Abcd");
}

static void test_parameters_are_found_by_their_decoded_name(void **state)
{
    (void)state;
    struct fil_bytes query = fil_bytes_of("a%00%00=0&a=1&%61b=2&a=3&c+d=e%26f&g&=h");
    static const struct {
        const char *name;
        const char *value; // NULL: not found
    } cases[] = {
        {"a", "1"},  {"ab", "2"},   {"c d", "e&f"}, {"g", ""},      {"", "h"},
        {"A", NULL}, {"abc", NULL}, {"c+d", NULL},  {"%61b", NULL}, {"h", NULL},
    };
    for (size_t i = 0; i < FIL_COUNT_OF(cases); i++) {
        uint8_t memory[16];
        struct fil_writer writer;
        struct fil_bytes value;
        fil_writer_init(&writer, memory, sizeof(memory));
        int result = fil_http_target_find_parameter(query, cases[i].name, &writer, &value);
        assert_int_equal(result, cases[i].value != NULL ? FIL_OK : FIL_E_NOT_FOUND);
        if (cases[i].value != NULL) {
            assert_bytes_text(value, cases[i].value);
        }
    }
}

static void test_broken_parameters_are_refused(void **state)
{
    (void)state;
    uint8_t memory[16];
    struct fil_writer writer;
    struct fil_bytes value;
    fil_writer_init(&writer, memory, sizeof(memory));
    struct fil_bytes bad_name = fil_bytes_of("%4=1&a=2");
    struct fil_bytes bad_value = fil_bytes_of("b=2&a=%");
    assert_int_equal(fil_http_target_find_parameter(bad_name, "a", &writer, &value),
                     FIL_E_MALFORMED);
    assert_int_equal(fil_http_target_find_parameter(bad_value, "a", &writer, &value),
                     FIL_E_MALFORMED);
    assert_int_equal(fil_http_target_find_parameter(bad_value, "b", &writer, &value), FIL_OK);
}

static void test_what_is_encoded_decodes_to_itself(void **state)
{
    (void)state;
    uint8_t all[256];
    uint8_t encoded[3 * 256];
    uint8_t memory[256];
    struct fil_writer writer;
    struct fil_writer room;
    struct fil_bytes decoded;
    for (size_t i = 0; i < sizeof(all); i++) {
        all[i] = (uint8_t)i;
    }
    fil_writer_init(&writer, encoded, sizeof(encoded));
    assert_true(fil_http_target_encode(&writer, fil_bytes_make(all, sizeof(all))));
    // 66 bytes stand for themselves, the others take three.
    assert_int_equal(writer.size, 66 + (256 - 66) * 3);
    fil_writer_init(&room, memory, sizeof(memory));
    assert_int_equal(fil_http_target_decode(fil_writer_written(&writer), &room, &decoded), FIL_OK);
    assert_bytes_equal(decoded, fil_bytes_make(all, sizeof(all)));
    fil_writer_init(&room, memory, sizeof(memory));
    assert_int_equal(fil_http_target_decode_query(fil_writer_written(&writer), &room, &decoded),
                     FIL_OK);
    assert_bytes_equal(decoded, fil_bytes_make(all, sizeof(all)));
}

static void test_encoding_tells_when_the_writer_is_full(void **state)
{
    (void)state;
    uint8_t memory[4];
    struct fil_writer writer;
    fil_writer_init(&writer, memory, sizeof(memory));
    assert_true(fil_http_target_encode(&writer, fil_bytes_of("a/")));
    assert_false(fil_http_target_encode(&writer, fil_bytes_of("b")));
    assert_bytes_text(fil_writer_written(&writer), "a%2F");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths_split_into_segments),
        cmocka_unit_test(test_queries_split_into_parameters),
        cmocka_unit_test(test_decoding_is_exact),
        cmocka_unit_test(test_broken_escapes_are_refused),
        cmocka_unit_test(test_plain_text_is_not_copied),
        cmocka_unit_test(test_a_writer_without_room_stays_as_it_was),
        cmocka_unit_test(test_parameters_are_found_by_their_decoded_name),
        cmocka_unit_test(test_broken_parameters_are_refused),
        cmocka_unit_test(test_what_is_encoded_decodes_to_itself),
        cmocka_unit_test(test_encoding_tells_when_the_writer_is_full),
    };
    return cmocka_run_group_tests_name("http target", tests, NULL, NULL);
}
