// SPDX-License-Identifier: Apache-2.0
/**
 * Predicates in text, one test a promise: comparisons, lists, ranges, patterns and expressions mean
 * what they say; "and" binds closer than "or"; literals take the type of the attribute; quotes are
 * doubled inside of quotes; what is no expression is refused, and so is what is nested too deep.
 */
#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/endian.h"
#include "protocol/client/query/predicate.h"
#include "tests/unit/harness.h"

#define HEAD "\0\0\0\0\xff\xff\xff\xfe\1\xff\xff\xff\xec\0\0\0\0"

static const char person[] = "{\"name\":\"O'Hara\",\"age\":33,\"active\":true,\"rank\":null,"
                             "\"zip\":\"0815\",\"tags\":[\"a\",\"b\"],\"home\":{\"city\":\"Bonn\"},"
                             "\"score\":2.5}";

/** The serialized predicate of a text. */
static struct fil_bytes serialize(const char *text, uint8_t *room, size_t capacity)
{
    size_t size = strlen(text);
    assert_true(sizeof(HEAD) - 1 + 4 + size <= capacity);
    memcpy(room, HEAD, sizeof(HEAD) - 1);
    fil_store_u32_be(room + sizeof(HEAD) - 1, (uint32_t)size);
    memcpy(room + sizeof(HEAD) - 1 + 4, text, size);
    return fil_bytes_make(room, sizeof(HEAD) - 1 + 4 + size);
}

static bool means(const char *text)
{
    uint8_t room[1024];
    struct fil_wire_fault fault = {0};
    struct fil_query_predicate predicate;
    struct fil_query_entry entry = {.key = fil_bytes_of("k7"), .value = fil_bytes_of(person)};
    struct fil_bytes data = serialize(text, room, sizeof(room));
    assert_int_equal(fil_query_predicate_init(&predicate, data, &fault), FIL_OK);
    bool is_meant = fil_query_predicate_test(&predicate, &entry);
    fil_query_predicate_fini(&predicate);
    return is_meant;
}

static int refusal(const char *text)
{
    uint8_t room[4096];
    struct fil_wire_fault fault = {0};
    int error = fil_query_predicate_check(serialize(text, room, sizeof(room)), &fault);
    assert_true(error == FIL_OK || fault.reason != NULL);
    return error;
}

static void test_comparisons(void **state)
{
    (void)state;
    assert_true(means("age = 33"));
    assert_true(means("age==33"));
    assert_true(means("age<>34"));
    assert_false(means("age != 33"));
    assert_true(means("age>32 and age<34"));
    assert_true(means("age >= 33 AND age <= 33"));
    assert_true(means("score > 2"));
    assert_true(means("score < '2.6'"));
    assert_true(means("__key = k7"));
    assert_true(means("home.city = 'Bonn'"));
    assert_true(means("tags[1] = b"));
    assert_true(means("tags[any] = 'b'"));
    assert_false(means("tags[any] = 'c'"));
    assert_false(means("tags[5] = 'c'"));
}

static void test_literals_take_the_type_of_the_attribute(void **state)
{
    (void)state;
    assert_true(means("active"));
    assert_true(means("active = true"));
    assert_false(means("active = 'false'"));
    assert_true(means("zip = 0815"));
    assert_true(means("rank = null"));
    assert_true(means("absent = null"));
    assert_false(means("age = null"));
    assert_false(means("name > 5 and age = x"));
    assert_true(means("name = 'O''Hara'"));
    assert_false(means("rank > 1"));
}

static void test_lists_ranges_and_patterns(void **state)
{
    (void)state;
    assert_true(means("age IN (1, 33, '5')"));
    assert_true(means("age not in (1,2)"));
    assert_true(means("age between 30 and 40"));
    assert_false(means("age NOT BETWEEN 30 AND 40"));
    assert_true(means("name like 'O%a'"));
    assert_true(means("name ilike 'o_h%'"));
    assert_false(means("name not like 'O%'"));
    assert_true(means("name regex 'O.[A-Z][a-z]+'"));
    assert_false(means("name regex 'H.*'"));
}

static void test_and_binds_closer_than_or(void **state)
{
    (void)state;
    assert_true(means("active or age = 1 and age = 2"));
    assert_false(means("(active or age = 1) and age = 2"));
    assert_true(means("not age = 1 and not (age = 2 or age = 3)"));
    assert_true(means("NOT NOT active"));
}

static void test_what_is_no_expression_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",         "age >",   "= 5",           "age = 5 6",    "(age = 5",       "age = 5)",
        "age in 5", "a and",   "age between 1", "name = 'open", "a in (1,2",      "a in ()",
        "age ! 5",  "a not 5", "a.. = 1",       "a[x] = 1",     "name regex '('", "a like null"};
    for (size_t i = 0; i < FIL_COUNT_OF(bad); i++) {
        assert_int_equal(refusal(bad[i]), FIL_E_MALFORMED);
    }
}

static void test_depth_is_bounded(void **state)
{
    (void)state;
    char text[2001];
    memset(text, '(', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    assert_int_equal(refusal(text), FIL_E_MALFORMED);
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    int error = FIL_E_NOMEM;
    for (int64_t i = 0; error != FIL_OK; i++) {
        assert_true(i < 100);
        fil_alloc_fail_after(i);
        error = refusal("a = 'it''s' and b regex 'x' or not c in (1, 2)");
        fil_alloc_fail_after(-1);
        assert_true(error == FIL_OK || error == FIL_E_NOMEM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_comparisons),
        cmocka_unit_test(test_literals_take_the_type_of_the_attribute),
        cmocka_unit_test(test_lists_ranges_and_patterns),
        cmocka_unit_test(test_and_binds_closer_than_or),
        cmocka_unit_test(test_what_is_no_expression_is_refused),
        cmocka_unit_test(test_depth_is_bounded),
        cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("where", tests, NULL, NULL);
}
