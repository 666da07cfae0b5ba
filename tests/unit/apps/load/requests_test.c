// SPDX-License-Identifier: Apache-2.0
/**
 * What is promised of the requests: they are byte for byte the commands they stand for, with keys
 * and values of the sizes asked for; a batch has as many as the limit and the pipeline allow; keys
 * are written anew in each; mixed ones expect what they ask for; what is too large is refused;
 * without memory nothing is left behind.
 */
#include "apps/filbert/load/requests.h"

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "tests/unit/harness.h"

#define BATCH_MAX 16U

static struct load_requests requests;
static struct load_expected expected[BATCH_MAX];

static struct load_requests_options options_of(enum load_command command)
{
    return (struct load_requests_options){
        .command = command,
        .distribution = LOAD_SEQUENTIAL,
        .key_count = 1000,
        .key_size = 8,
        .value_size = 3,
        .key_batch = 2,
        .pipeline = 2,
    };
}

static struct load_batch next(uint32_t limit)
{
    struct load_source source = load_requests_source(&requests);
    struct load_batch batch;
    source.next(source.context, limit, expected, &batch);
    return batch;
}

/** The second batch of one request. */
static void check_second(struct load_requests_options options, const char *text, char kind,
                         uint32_t element_count)
{
    assert_int_equal(load_requests_init(&requests, &options), FIL_OK);
    (void)next(1);
    struct load_batch batch = next(1);
    assert_int_equal(batch.count, 1);
    assert_int_equal(batch.bytes.size, strlen(text));
    assert_memory_equal(batch.bytes.data, text, strlen(text));
    assert_int_equal(expected[0].kind, kind);
    assert_int_equal(expected[0].element_count, element_count);
    load_requests_fini(&requests);
}

static void test_commands_are_encoded_exactly(void **state)
{
    (void)state;
    check_second(options_of(LOAD_GET), "*2\r\n$3\r\nGET\r\n$8\r\nkey:0001\r\n", '$', 0);
    check_second(options_of(LOAD_INCR), "*2\r\n$4\r\nINCR\r\n$8\r\ncnt:0001\r\n", ':', 0);
    check_second(options_of(LOAD_PREPARE), "*3\r\n$3\r\nSET\r\n$8\r\ncnt:0001\r\n$1\r\n0\r\n", '+',
                 0);
    check_second(options_of(LOAD_MGET), "*3\r\n$4\r\nMGET\r\n$8\r\nkey:0002\r\n$8\r\nkey:0003\r\n",
                 '*', 2);
    struct load_requests_options options = options_of(LOAD_SET);
    options.value_size = 0;
    check_second(options, "*3\r\n$3\r\nSET\r\n$8\r\nkey:0001\r\n$0\r\n\r\n", '+', 0);
    options.command = LOAD_MSET;
    check_second(options,
                 "*5\r\n$4\r\nMSET\r\n$8\r\nkey:0002\r\n$0\r\n\r\n$8\r\nkey:0003\r\n$0\r\n\r\n",
                 '+', 0);
}

static void test_structures_have_keys_of_their_own(void **state)
{
    (void)state;
    struct load_requests_options options = options_of(LOAD_LPUSH);
    options.value_size = 0;
    check_second(options, "*3\r\n$5\r\nLPUSH\r\n$8\r\nlst:0001\r\n$0\r\n\r\n", ':', 0);
    check_second(options_of(LOAD_RPOP), "*2\r\n$4\r\nRPOP\r\n$8\r\nlst:0001\r\n", '$', 0);
    check_second(options_of(LOAD_SADD), "*3\r\n$4\r\nSADD\r\n$8\r\nset:0002\r\n$8\r\nkey:0003\r\n",
                 ':', 0);
    options.command = LOAD_HSET;
    check_second(options, "*4\r\n$4\r\nHSET\r\n$8\r\nhsh:0002\r\n$8\r\nkey:0003\r\n$0\r\n\r\n", ':',
                 0);
    check_second(options_of(LOAD_ZADD),
                 "*4\r\n$4\r\nZADD\r\n$8\r\nzst:0003\r\n$8\r\n00000004\r\n$8\r\nkey:0005\r\n", ':',
                 0);
}

static void test_short_keys_are_numbers_only(void **state)
{
    (void)state;
    struct load_requests_options options = options_of(LOAD_GET);
    options.key_size = 6;
    check_second(options, "*2\r\n$3\r\nGET\r\n$6\r\n000001\r\n", '$', 0);
    options.key_size = 3;
    check_second(options, "*2\r\n$3\r\nGET\r\n$3\r\n001\r\n", '$', 0);
}

static void test_batch_is_bounded_and_its_keys_go_on(void **state)
{
    (void)state;
    struct load_requests_options options = options_of(LOAD_GET);
    options.key_count = 3;
    assert_int_equal(load_requests_init(&requests, &options), FIL_OK);
    struct load_batch batch = next(BATCH_MAX);
    assert_int_equal(batch.count, 2);
    batch = next(BATCH_MAX);
    assert_int_equal(batch.count, 2);
    const char text[] =
        "*2\r\n$3\r\nGET\r\n$8\r\nkey:0002\r\n*2\r\n$3\r\nGET\r\n$8\r\nkey:0000\r\n";
    assert_int_equal(batch.bytes.size, sizeof(text) - 1);
    assert_memory_equal(batch.bytes.data, text, sizeof(text) - 1);
    load_requests_fini(&requests);
}

static void test_mixed_requests_expect_what_they_ask_for(void **state)
{
    (void)state;
    struct load_requests_options options = options_of(LOAD_MIXED);
    options.pipeline = BATCH_MAX;
    assert_int_equal(load_requests_init(&requests, &options), FIL_OK);
    uint32_t gets = 0;
    for (uint32_t i = 0; i < 100; i++) {
        struct load_batch batch = next(BATCH_MAX);
        const uint8_t *at = batch.bytes.data;
        for (uint32_t k = 0; k < batch.count; k++) {
            bool is_get = expected[k].kind == '$';
            const char *head = is_get ? "*2\r\n$3\r\nGET\r\n" : "*3\r\n$3\r\nSET\r\n";
            assert_memory_equal(at, head, strlen(head));
            at += requests.shapes[is_get ? 0 : 1].size;
            gets += is_get;
        }
        assert_ptr_equal(at, batch.bytes.data + batch.bytes.size);
    }
    assert_in_range(gets, 700, 900);
    load_requests_fini(&requests);
}

static void test_what_is_too_large_is_refused(void **state)
{
    (void)state;
    struct load_requests_options options = options_of(LOAD_MSET);
    options.value_size = 64U << 20;
    options.key_batch = 100;
    assert_int_equal(load_requests_init(&requests, &options), FIL_E_LIMIT);
    options = options_of(LOAD_SET);
    options.value_size = 64U << 20;
    options.pipeline = 100;
    assert_int_equal(load_requests_init(&requests, &options), FIL_E_LIMIT);
}

static void test_without_memory_nothing_is_left_behind(void **state)
{
    (void)state;
    struct load_requests_options options = options_of(LOAD_MIXED);
    for (int64_t after = 0; after < 3; after++) {
        fil_alloc_fail_after(after);
        assert_int_equal(load_requests_init(&requests, &options), FIL_E_NOMEM);
    }
    fil_alloc_fail_after(-1);
    assert_int_equal(load_requests_init(&requests, &options), FIL_OK);
    load_requests_fini(&requests);
}

static void test_digits_fit_the_last_key(void **state)
{
    (void)state;
    assert_int_equal(load_requests_digits(1), 1);
    assert_int_equal(load_requests_digits(10), 1);
    assert_int_equal(load_requests_digits(11), 2);
    assert_int_equal(load_requests_digits(1000000000), 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_commands_are_encoded_exactly),
        cmocka_unit_test(test_structures_have_keys_of_their_own),
        cmocka_unit_test(test_short_keys_are_numbers_only),
        cmocka_unit_test(test_batch_is_bounded_and_its_keys_go_on),
        cmocka_unit_test(test_mixed_requests_expect_what_they_ask_for),
        cmocka_unit_test(test_what_is_too_large_is_refused),
        cmocka_unit_test(test_without_memory_nothing_is_left_behind),
        cmocka_unit_test(test_digits_fit_the_last_key),
    };
    return cmocka_run_group_tests_name("requests", tests, NULL, NULL);
}
