// SPDX-License-Identifier: Apache-2.0
/**
 * An errand's promises: its words are its own, replies leave in the order of the requests however
 * the errands come back, and all memory goes home.
 */
#include "apps/filbert/lab/errand.h"

#include "apps/filbert/lab/model.h"
#include "filbert/error.h"
#include "tests/unit/harness.h"

static struct lab_model model;
static struct lab_wire wire;
static struct lab_keyspace keyspace;
static struct fil_pool errands;
static struct fil_pool chunks;

static int set_up(void **state)
{
    (void)state;
    model = (struct lab_model){.env = fil_env_real()};
    fil_budget_init(&model.budget, 1U << 24);
    lab_keyspace_init(&keyspace, model.env, &model.budget);
    lab_errand_pool_init(&errands, &model.budget);
    fil_pool_init(&chunks, &model.budget, 512, 8);
    lab_wire_init(&wire, &model, 0);
    wire.fd = -1; // what is sent is looked at before
    wire.output.pool = &chunks;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    lab_wire_fini(&wire);
    fil_pool_fini(&chunks); // asserts that every block is back
    fil_pool_fini(&errands);
    lab_keyspace_fini(&keyspace);
    return 0;
}

static struct lab_errand *send_errand(enum lab_verb verb, char *key, const char *value)
{
    struct lab_request request = {
        .verb = verb, .key = fil_bytes_of(key), .value = fil_bytes_of(value)};
    request.hash = fil_hash(request.key, 0);
    struct lab_errand *errand = lab_errand_new(&errands, &wire, &request);
    key[0] = '?'; // the errand has a copy
    return errand;
}

static void expect_output(const char *expected)
{
    struct fil_bytes slice = {0};
    assert_int_equal(fil_chunk_queue_slices(&wire.output.queue, &slice, 1), 1);
    assert_int_equal(slice.size, strlen(expected));
    assert_memory_equal(slice.data, expected, slice.size);
}

static void test_replies_keep_the_order_of_requests(void **state)
{
    (void)state;
    char first_key[] = "apple";
    char second_key[] = "apple";
    char third_key[] = "pear";
    struct lab_errand *first = send_errand(LAB_VERB_SET, first_key, "red");
    struct lab_errand *second = send_errand(LAB_VERB_GET, second_key, "");
    struct lab_errand *third = send_errand(LAB_VERB_GET, third_key, "");
    lab_errand_run(first, &keyspace, &chunks);
    lab_errand_run(second, &keyspace, &chunks);
    lab_errand_run(third, &keyspace, &chunks);
    assert_int_equal(lab_errand_collect(third, &errands), 0);
    assert_int_equal(lab_errand_collect(second, &errands), 0);
    assert_int_equal(lab_errand_collect(first, &errands), 3);
    expect_output("+OK\r\n$3\r\nred\r\n$-1\r\n");
    lab_wire_flush(&wire);
    assert_int_equal(wire.output.queue.size_bytes, 0);
}

static void test_burning_takes_a_number(void **state)
{
    (void)state;
    char key[] = "key";
    char other[] = "key";
    struct lab_errand *good = send_errand(LAB_VERB_BURN, key, "1");
    struct lab_errand *bad = send_errand(LAB_VERB_BURN, other, "long");
    lab_errand_run(good, &keyspace, &chunks);
    lab_errand_run(bad, &keyspace, &chunks);
    assert_int_equal(lab_errand_collect(good, &errands), 1);
    assert_int_equal(lab_errand_collect(bad, &errands), 1);
    expect_output("+OK\r\n-ERR value is not an integer or out of range\r\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_replies_keep_the_order_of_requests, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_burning_takes_a_number, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("errand", tests, NULL, NULL);
}
