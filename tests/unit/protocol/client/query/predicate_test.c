// SPDX-License-Identifier: Apache-2.0
/**
 * Predicates as clients send them, one test a promise: each kind means the entries that its
 * documentation says, numbers compare across their types, what cannot be compared is not meant,
 * attributes are looked up in JSON, what cannot be read is told, what is not known is refused with
 * its reason, and so is every predicate that is cut off; one of partitions tells which.
 */
#include "protocol/client/query/predicate.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/murmur3.h"
#include "tests/unit/harness.h"

// Objects inside of others: a type, then what it is.
#define PREDICATE(number) "\xff\xff\xff\xfe\1\xff\xff\xff\xec\0\0\0" number
#define INTEGER(number)   "\xff\xff\xff\xf9\0\0\0" number
#define LONG(number)      "\xff\xff\xff\xf8\0\0\0\0\0\0\0" number
#define STRING_V          "\xff\xff\xff\xf5\0\0\0\1v"
#define THIS              "\0\0\0\4this"
#define KEY               "\0\0\0\5__key"
#define HASH              "\0\0\0\0"

#define BYTES(text) fil_bytes_make(text, sizeof(text) - 1)

// Values of a map.
#define FIVE BYTES("\0\0\0\0\xff\xff\xff\xf9\0\0\0\5")
#define HALF BYTES("\0\0\0\0\xff\xff\xff\xf6\x3f\xe0\0\0\0\0\0\0")
#define JSON BYTES("\0\0\0\0\xff\xff\xff\x7e\0\0\0\2{}")

static const struct fil_bytes no_value = {.data = (const uint8_t *)"", .size = 0};

static bool means(struct fil_bytes predicate, struct fil_bytes key, struct fil_bytes value)
{
    struct fil_wire_fault fault = {0};
    struct fil_query_predicate made;
    struct fil_query_entry entry = {.key = key, .value = value};
    assert_int_equal(fil_query_predicate_init(&made, predicate, &fault), FIL_OK);
    assert_null(fault.field);
    bool is_meant = fil_query_predicate_test(&made, &entry);
    fil_query_predicate_fini(&made);
    assert_false(entry.is_opaque);
    return is_meant;
}

static void test_true_and_false(void **state)
{
    (void)state;
    assert_true(means(BYTES(HASH PREDICATE("\x0e")), BYTES("k"), no_value));
    assert_false(means(BYTES(HASH PREDICATE("\x0d")), BYTES("k"), no_value));
}

static void test_equality_of_key_and_value(void **state)
{
    (void)state;
    struct fil_bytes is_v = BYTES(HASH PREDICATE("\3") THIS STRING_V);
    assert_true(means(is_v, BYTES("k"), BYTES("v")));
    assert_false(means(is_v, BYTES("v"), BYTES("k")));
    assert_false(means(is_v, BYTES("k"), JSON));
    assert_true(means(BYTES(HASH PREDICATE("\3") KEY STRING_V), BYTES("v"), no_value));
    assert_true(means(BYTES(HASH PREDICATE("\x9") THIS STRING_V), BYTES("k"), FIVE));
}

static void test_numbers_compare_across_types(void **state)
{
    (void)state;
    struct fil_bytes is_five = BYTES(HASH PREDICATE("\3") THIS LONG("\5"));
    struct fil_bytes below_five = BYTES(HASH PREDICATE("\4") THIS INTEGER("\5") "\0\1");
    struct fil_bytes from_five = BYTES(HASH PREDICATE("\4") THIS INTEGER("\5") "\1\0");
    assert_true(means(is_five, BYTES("k"), FIVE));
    assert_true(means(below_five, BYTES("k"), HALF));
    assert_false(means(below_five, BYTES("k"), FIVE));
    assert_true(means(from_five, BYTES("k"), FIVE));
    assert_false(means(from_five, BYTES("k"), HALF));
    assert_false(means(from_five, BYTES("k"), BYTES("text")));
}

static void test_ranges_and_lists(void **state)
{
    (void)state;
    struct fil_bytes between = BYTES(HASH PREDICATE("\2") THIS INTEGER("\7") INTEGER("\3"));
    struct fil_bytes in = BYTES(HASH PREDICATE("\7") THIS "\0\0\0\2" STRING_V INTEGER("\5"));
    assert_true(means(between, BYTES("k"), FIVE));
    assert_false(means(between, BYTES("k"), HALF));
    assert_true(means(in, BYTES("k"), FIVE));
    assert_true(means(in, BYTES("k"), BYTES("v")));
    assert_false(means(in, BYTES("k"), BYTES("w")));
}

static void test_patterns(void **state)
{
    (void)state;
    struct fil_bytes like = BYTES(HASH PREDICATE("\5") KEY "\0\0\0\4a%_c");
    struct fil_bytes ilike = BYTES(HASH PREDICATE("\6") KEY "\0\0\0\3A%b");
    struct fil_bytes percent = BYTES(HASH PREDICATE("\5") KEY "\0\0\0\3a\\%");
    assert_true(means(like, BYTES("abc"), no_value));
    assert_true(means(like, BYTES("axxbcabc"), no_value));
    assert_false(means(like, BYTES("ac"), no_value));
    assert_true(means(ilike, BYTES("aXB"), no_value));
    assert_true(means(percent, BYTES("a%"), no_value));
    assert_false(means(percent, BYTES("ab"), no_value));
}

static void test_combinations(void **state)
{
    (void)state;
    struct fil_bytes both = BYTES(HASH PREDICATE("\1") "\0\0\0\2" PREDICATE("\3")
                                      KEY STRING_V PREDICATE("\3") THIS INTEGER("\5"));
    struct fil_bytes one = BYTES(HASH PREDICATE("\xb") "\0\0\0\2" PREDICATE("\3")
                                     KEY STRING_V PREDICATE("\3") THIS INTEGER("\5"));
    struct fil_bytes none = BYTES(HASH PREDICATE("\xa") PREDICATE("\3") KEY STRING_V);
    assert_true(means(both, BYTES("v"), FIVE));
    assert_false(means(both, BYTES("w"), FIVE));
    assert_true(means(one, BYTES("w"), FIVE));
    assert_false(means(one, BYTES("w"), HALF));
    assert_true(means(none, BYTES("w"), FIVE));
    assert_false(means(none, BYTES("v"), FIVE));
}

static void test_attributes_of_json(void **state)
{
    (void)state;
    struct fil_bytes value = BYTES("\0\0\0\0\xff\xff\xff\x7e\0\0\0\x0b{\"age\": 5 }");
    struct fil_bytes is_five = BYTES(HASH PREDICATE("\3") "\0\0\0\3age" LONG("\5"));
    struct fil_bytes is_null = BYTES(HASH PREDICATE("\3") "\0\0\0\4name\0\0\0\0");
    assert_true(means(is_five, BYTES("k"), value));
    assert_true(means(is_five, BYTES("k"), BYTES("{\"age\":5}")));
    assert_false(means(is_five, BYTES("k"), JSON));
    assert_false(means(is_five, BYTES("k"), FIVE));
    assert_true(means(is_null, BYTES("k"), value));
    assert_false(means(is_null, BYTES("k"), BYTES("{\"name\":\"x\"}")));
}

static void test_what_cannot_be_read_is_told(void **state)
{
    (void)state;
    struct fil_wire_fault fault;
    struct fil_query_predicate made;
    struct fil_query_entry entry = {.key = BYTES("k"),
                                    .value = BYTES("\0\0\0\0\xff\xff\xff\xff\0\0\0\1")};
    struct fil_bytes is_five = BYTES(HASH PREDICATE("\3") "\0\0\0\3age" LONG("\5"));
    assert_int_equal(fil_query_predicate_init(&made, is_five, &fault), FIL_OK);
    assert_false(fil_query_predicate_test(&made, &entry));
    assert_true(entry.is_opaque);
    fil_query_predicate_fini(&made);
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    struct fil_wire_fault fault = {0};
    struct fil_bytes regex = BYTES(HASH PREDICATE("\x0c") "\0\0\0\1a"
                                                          "\0\0\0\2.*");
    int error = FIL_E_NOMEM;
    for (int64_t i = 0; error != FIL_OK; i++) {
        assert_true(i < 100);
        fil_alloc_fail_after(i);
        error = fil_query_predicate_check(regex, &fault);
        fil_alloc_fail_after(-1);
        assert_true(error == FIL_OK || error == FIL_E_NOMEM);
    }
}

static int check(struct fil_bytes predicate)
{
    struct fil_wire_fault fault = {0};
    int error = fil_query_predicate_check(predicate, &fault);
    assert_true(error == FIL_OK || fault.reason != NULL);
    return error;
}

static void test_what_is_not_known_is_refused(void **state)
{
    (void)state;
    assert_int_equal(check(BYTES(HASH PREDICATE("\x8") "\0\0\0\1x")), FIL_E_UNSUPPORTED);
    assert_int_equal(check(BYTES(HASH PREDICATE("\x0f") "\0\0\0\1x")), FIL_E_UNSUPPORTED);
    assert_int_equal(check(BYTES(HASH PREDICATE("\3") "\0\0\0\3a.." INTEGER("\5"))),
                     FIL_E_MALFORMED);
    assert_int_equal(check(BYTES(HASH "\xff\xff\xff\xf5\0\0\0\1v")), FIL_E_UNSUPPORTED);
    assert_int_equal(check(BYTES(HASH PREDICATE("\3") THIS "\0\0\0\5x")), FIL_E_UNSUPPORTED);
    assert_int_equal(check(BYTES(HASH PREDICATE("\1") "\xff\xff\xff\xff")), FIL_E_UNSUPPORTED);
}

static void test_depth_is_bounded(void **state)
{
    (void)state;
    static const char not [] = PREDICATE("\xa");
    enum {
        COUNT = 40
    };
    char bytes[4 + COUNT * (sizeof(not ) - 1)];
    memset(bytes, 0, 4);
    for (size_t i = 0; i < COUNT; i++) {
        memcpy(bytes + 4 + i * (sizeof(not ) - 1), not, sizeof(not ) - 1);
    }
    assert_int_equal(check(fil_bytes_make(bytes, sizeof(bytes))), FIL_E_UNSUPPORTED);
}

// Two keys in a set of Java's, as its client sends them, and what is meant in their partitions.
#define PARTITIONS                                             \
    HASH PREDICATE("\x15") "\xff\xff\xff\xd9\0\0\0\2" STRING_V \
                           "\xff\xff\xff\xf5\0\0\0\1w" PREDICATE("\3") THIS INTEGER("\5")

static void test_predicates_of_partitions_tell_which(void **state)
{
    (void)state;
    struct fil_wire_fault fault = {0};
    struct fil_query_predicate made;
    struct fil_bytes one =
        BYTES(HASH PREDICATE("\x10") STRING_V PREDICATE("\3") THIS INTEGER("\5"));
    assert_true(means(one, BYTES("k"), FIVE));
    assert_false(means(one, BYTES("k"), HALF));
    assert_int_equal(fil_query_predicate_init(&made, one, &fault), FIL_OK);
    assert_int_equal(made.key_hash_count, 1);
    assert_int_equal(made.key_hashes[0], fil_murmur3_text(BYTES("v")));
    fil_query_predicate_fini(&made);
    assert_int_equal(fil_query_predicate_init(&made, BYTES(PARTITIONS), &fault), FIL_OK);
    assert_int_equal(made.key_hash_count, 2);
    assert_int_equal(made.key_hashes[0], fil_murmur3_text(BYTES("v")));
    assert_int_equal(made.key_hashes[1], fil_murmur3_text(BYTES("w")));
    fil_query_predicate_fini(&made);
    // Inside of another it says nothing about partitions.
    struct fil_bytes nested =
        BYTES(HASH PREDICATE("\xa") PREDICATE("\x10") STRING_V PREDICATE("\xe"));
    assert_int_equal(fil_query_predicate_init(&made, nested, &fault), FIL_OK);
    assert_int_equal(made.key_hash_count, 0);
    fil_query_predicate_fini(&made);
}

/** Every prefix ends exactly where its memory does, so that a step too far would be noticed. */
static size_t count_refused_prefixes(struct fil_bytes whole)
{
    size_t refused = 0;
    for (size_t size = 0; size < whole.size; size++) {
        uint8_t *copy = fil_alloc(size + 1);
        assert_non_null(copy);
        memcpy(copy + 1, whole.data, size);
        refused += check(fil_bytes_make(copy + 1, size)) != FIL_OK;
        fil_free(copy);
    }
    return refused;
}

static void test_cut_off_predicates_are_refused(void **state)
{
    (void)state;
    const struct fil_bytes wholes[] = {
        BYTES(HASH PREDICATE("\1") "\0\0\0\2" PREDICATE("\3") KEY STRING_V PREDICATE("\4")
                  THIS INTEGER("\5") "\1\0"),
        BYTES(PARTITIONS),
    };
    for (size_t i = 0; i < FIL_COUNT_OF(wholes); i++) {
        assert_int_equal(check(wholes[i]), FIL_OK);
        assert_int_equal(count_refused_prefixes(wholes[i]), wholes[i].size);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_true_and_false),
        cmocka_unit_test(test_equality_of_key_and_value),
        cmocka_unit_test(test_numbers_compare_across_types),
        cmocka_unit_test(test_ranges_and_lists),
        cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_combinations),
        cmocka_unit_test(test_attributes_of_json),
        cmocka_unit_test(test_what_cannot_be_read_is_told),
        cmocka_unit_test(test_each_allocation_may_fail),
        cmocka_unit_test(test_what_is_not_known_is_refused),
        cmocka_unit_test(test_depth_is_bounded),
        cmocka_unit_test(test_predicates_of_partitions_tell_which),
        cmocka_unit_test(test_cut_off_predicates_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
